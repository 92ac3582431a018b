// SPDX-License-Identifier: Apache-2.0
// JSON of gradus compare: tests, and two rankers query by query.

import { drawNew } from './charts.js';
import { contrastFigure, contrastRows, contrastTable } from './comparison.js';
import { choice, el } from './dom.js';
import { count, fixed, percent, pValue, shortNames, signed } from './format.js';
import { gains, pairFigures } from './pairs.js';
import { report } from './state.js';
import { styleOf } from './styles.js';
import { table } from './tables.js';

const drawnMost = 2000;
const listed = 10;

export function comparisons() {
  return report.runs.flatMap(({ file, values }) =>
    values
      .filter((value) => Array.isArray(value?.sets) && value.sets.some((set) => set?.contrasts))
      .map((value) => ({ file, value })),
  );
}

// All names of a set; older files have them in the contrasts only.
function systemsOf(set) {
  return set.systems ?? [...new Set(set.contrasts.flatMap(({ a, b }) => [a, b]))];
}

function testTable(value, set) {
  const systems = systemsOf(set);
  const names = shortNames(systems);
  const list = set.contrasts.map((k) => ({
    ...k,
    a: systems.indexOf(k.a),
    b: systems.indexOf(k.b),
  }));
  const rows = contrastRows(list, names, value.lower_is_better, Number(value.sided ?? 2));
  return [
    contrastTable(
      rows,
      systems.length > 2,
      `Every pair on ${set.data}, tested`,
      value.lower_is_better,
    ),
    contrastFigure(rows),
  ];
}

// If there are many queries: those with the largest differences, and evenly spaced ones.
function thinned(all) {
  const every = Math.ceil(all.length / drawnMost);
  return all.filter((_, i) => i % every === 0 || i < listed || i >= all.length - listed);
}

function changeTable(all, a, b) {
  const most = [...all]
    .filter(({ gain }) => gain !== 0)
    .sort((x, y) => Math.abs(y.gain) - Math.abs(x.gain))
    .slice(0, 2 * listed);
  return table(
    'Largest differences',
    ['Query', a, b, 'Gain'],
    most.map((pair) => [
      pair.name,
      { show: fixed(pair.a), sort: pair.a },
      { show: fixed(pair.b), sort: pair.b },
      {
        show: el(
          'span',
          { class: pair.gain > 0 ? 'up' : 'down' },
          `${pair.gain > 0 ? '▲' : '▼'} ${signed(pair.gain)}`,
        ),
        sort: pair.gain,
      },
    ]),
    { tall: true },
  );
}

// Two rankers chosen by the reader; empty if the file has no values by query.
function byQuery(set, value, measured) {
  const box = el('div');
  const systems = systemsOf(set);
  const names = shortNames(systems);
  const ranker = (i) => ({ name: names[i], style: styleOf(systems[i]) });
  const looking = { a: 0, b: 1 };

  function draw(change = {}) {
    Object.assign(looking, change);
    const { a, b } = looking;
    const all = gains(set.query_names, set.query_values[a], set.query_values[b], value.lower_is_better);
    const some = thinned(all);
    const again = (more) => {
      const at = [...box.querySelectorAll('select')].indexOf(document.activeElement);
      draw(more);
      drawNew();
      box.querySelectorAll('select')[at]?.focus();
    };
    box.replaceChildren(
      el(
        'div',
        { class: 'choices' },
        choice(`A on ${set.data}`, names, a, (i) => again({ a: i, b: i === b ? a : b })),
        choice(`B on ${set.data}`, names, b, (i) => again({ b: i, a: i === a ? b : a })),
      ),
      some.length < all.length
        ? el(
            'p',
            { class: 'remark' },
            `The charts show ${count(some.length)} of ${count(all.length)} queries; the tests use all.`,
          )
        : '',
      pairFigures(some, ranker(a), ranker(b), measured),
      el('h4', {}, 'Largest differences'),
      changeTable(all, names[a], names[b]),
    );
  }

  if (set.query_values) draw();
  return box;
}

function combinedTable({ combined, sets }) {
  const pairs = sets[0].contrasts.map(({ a, b }) => shortNames([b, a]).join(' vs. '));
  return [
    el('h3', {}, `All ${sets.length} data sets combined`),
    table(
      "Fisher's combination of the p-values of all data sets",
      ['Pair', `χ² (${2 * sets.length})`, 'p', 'p (Holm)'],
      combined.map(({ statistic, p, p_holm: holm }, i) => [
        pairs[i],
        { show: fixed(statistic, 3), sort: statistic },
        { show: pValue(p), sort: p },
        { show: pValue(holm), sort: holm },
      ]),
    ),
    el('p', { class: 'convention' }, "Fisher's combination of the p-values of all data sets."),
  ];
}

export function compared(section) {
  for (const { file, value } of comparisons()) {
    const better = value.lower_is_better ? '; lower is better' : '';
    const test = `Test: ${value.test}${value.sided ? `, ${Number(value.sided) === 1 ? 'one' : 'two'}-sided` : ''}${value.confidence ? `, ${percent(Number(value.confidence), 0)} confidence intervals` : ''}; p (Holm): corrected for all pairs of a data set`;
    for (const set of value.sets) {
      const measured = `${value.metric} on ${set.data}, convention ${value.convention}${better}`;
      section.append(
        el('h3', {}, set.data),
        ...testTable(value, set),
        byQuery(set, value, measured),
        el('p', { class: 'convention' }, `From ${file}: ${measured}. ${test}.`),
      );
    }
    if (value.combined?.length) section.append(...combinedTable(value));
  }
}
