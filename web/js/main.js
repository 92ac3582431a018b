// SPDX-License-Identifier: Apache-2.0
// Puts the sections on the page, and draws them again when the reader chooses another metric or data set.

import { about } from './about.js';
import { automatic, automatics } from './automatic.js';
import { calibration, hasCalibration } from './calibration.js';
import { drawNew, startCharts } from './charts.js';
import { compared, comparisons } from './compared.js';
import { comparison } from './comparison.js';
import { depth } from './depth.js';
import { el } from './dom.js';
import { evaluated, evaluations, experiments, reproduction, unknownFiles } from './reproduction.js';
import { hasCurves, hasImportance, importance, learning } from './models.js';
import { overview } from './overview.js';
import { queries } from './queries.js';
import { hasReasons, reasons } from './reasons.js';
import { currentSet, looking, names, report } from './state.js';
import { startTheme } from './theme.js';
import { journals, tuning } from './trials.js';

const some = report.sets.length > 0;

// id, title, render, whether there is something to show, whether it depends on the chosen metric or data.
const sections = [
  ['automatic', 'Automatic training', automatic, automatics().length > 0, false],
  ['result', 'Result', overview, some, true],
  ['comparison', 'Comparison', comparison, some && names.length > 1, true],
  ['depth', 'By cutoff', depth, some, true],
  ['queries', 'Queries', queries, some, true],
  ['reasons', 'Reasons', reasons, hasReasons(), true],
  ['calibration', 'Calibration', calibration, hasCalibration(currentSet()), true],
  ['learning', 'Learning', learning, hasCurves(), false],
  ['importance', 'Importance', importance, hasImportance(), false],
  ['tuning', 'Tuning', tuning, journals().length > 0, false],
  ['compared', 'Comparisons', compared, comparisons().length > 0, false],
  ['evaluations', 'Evaluations', evaluated, evaluations().length > 0, false],
  ['reproduction', 'Reproduction', reproduction, experiments().length > 0, false],
  ['about', 'Commands', about, true, false],
].filter(([, , , present]) => present);

function title() {
  if (report.title) return report.title;
  if (some)
    return `${names.length === 1 ? names[0] : `${names.length} rankers`} on ${report.sets.map(({ data }) => data.replace(/^.*\//, '')).join(', ')}`;
  const files = report.runs.map(({ file }) => file.replace(/^.*\//, ''));
  return [...names, ...files].join(', ');
}

function render(section, [id, heading, draw]) {
  section.replaceChildren(el('h2', { id: `${id}-title` }, heading));
  draw(section, again);
}

// Applies a choice; the element that made it keeps the focus.
function again(change) {
  const focused = document.activeElement?.closest('label')?.firstChild?.textContent;
  Object.assign(looking, change);
  for (const part of sections.filter(([, , , , moves]) => moves))
    render(document.getElementById(part[0]), part);
  drawNew();
  if (focused)
    [...document.querySelectorAll('label')]
      .find((label) => label.firstChild.textContent === focused)
      ?.querySelector('select')
      .focus();
}

function start() {
  const content = document.getElementById('content');
  document.title = `${title()} – gradus report`;
  content.append(el('h1', {}, title()));
  sections.forEach((part, i) => {
    const section = el('section', {
      id: part[0],
      class: i === 0 ? 'first' : null,
      'aria-labelledby': `${part[0]}-title`,
    });
    content.append(section);
    render(section, part);
    document
      .getElementById('contents')
      .append(el('li', {}, el('a', { href: `#${part[0]}` }, part[1])));
  });
  unknownFiles().forEach((file) =>
    content.append(
      el('p', { class: 'remark' }, `${file}: not shown, because the page does not recognise this JSON.`),
    ),
  );
  document.getElementById('made').textContent =
    `Written by gradus ${report.gradus}. A single file without external resources.`;
  startTheme();
  startCharts();
  drawNew();
}

start();
