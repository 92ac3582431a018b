// SPDX-License-Identifier: Apache-2.0
// Reproduced experiments of papers: gradus beside the paper. And JSON of gradus eval.

import { axis, figure, line } from './charts.js';
import { el } from './dom.js';
import { brief, count, fixed, pValue, signed } from './format.js';
import { report } from './state.js';
import { makeStyler } from './styles.js';
import { table } from './tables.js';

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function everything() {
  return report.runs.flatMap(({ file, values }) =>
    values
      .flat()
      .filter(isObject)
      .map((value) => ({ file, value })),
  );
}

export function experiments() {
  return everything().filter(
    ({ value }) => Array.isArray(value.tables) || Array.isArray(value.figures),
  );
}

export function evaluations() {
  return everything().filter(({ value }) => isObject(value.metrics));
}

// Files with nothing that this page can show.
export function unknownFiles() {
  const known = new Set([...experiments(), ...evaluations()].map(({ file }) => file));
  return report.runs
    .filter(
      ({ file, values }) =>
        !known.has(file) &&
        !values.some((one) => typeof one?.key === 'string' || one?.event || one?.sets),
    )
    .map(({ file }) => file);
}

const marks = {
  agrees: ['up', '✓ agrees'],
  better: ['up', '▲ better'],
  differs: ['down', '✗ differs'],
  inconclusive: ['quiet', '? inconclusive'],
};
const claimMarks = {
  confirmed: ['up', '✓ confirmed'],
  'not confirmed': ['down', '✗ not confirmed'],
  inconclusive: ['quiet', '? inconclusive'],
};

// Older files have only whether the check succeeded.
const claimVerdict = ({ verdict, held }) => verdict ?? (held ? 'confirmed' : 'not confirmed');

// Older files have a tolerance, which was used together with two standard errors of gradus alone.
const hasPublished = ({ cells = [] }) =>
  cells.some(({ paper }) => paper !== null && paper !== undefined);
const ruleOf = ({ criterion, tolerance, rule }) =>
  rule === undefined
    ? `Rule: values agree within ${tolerance ?? 0} or two standard errors of gradus (an older rule).`
    : criterion && `Rule: ${criterion}.`;

function cellRow(cell, digits) {
  const { row, column, ours, error, paper, paper_error: paperError, p, verdict } = cell;
  const number = (value, show = fixed) => ({
    show: value === null || value === undefined ? '' : show(value, digits),
    sort: value ?? NaN,
  });
  const [mark, word] = marks[verdict] ?? [null, verdict ?? ''];
  return [
    row,
    column,
    number(ours),
    number(error),
    {
      show: [number(paper).show, number(paperError).show].filter((one) => one !== '').join(' ± '),
      sort: paper ?? NaN,
    },
    number(ours !== null && paper !== null ? ours - paper : null, signed),
    { show: p === null || p === undefined ? '' : pValue(p), sort: p ?? NaN },
    { show: el('span', { class: mark ? `tag ${mark}` : null }, word), sort: word },
  ];
}

function cellTable(one) {
  const { title, digits = 4, cells = [] } = one;
  const heads = [
    'Row',
    { title: 'Column', class: 'left' },
    'gradus',
    'Standard error',
    'Paper',
    'Difference',
    'p',
    { title: 'Verdict', class: 'left' },
  ];
  return el(
    'div',
    {},
    el('h4', {}, title),
    table(
      title,
      heads,
      cells.map((cell) => cellRow(cell, digits)),
      { tall: cells.length > 16 },
    ),
    hasPublished(one) ? el('p', { class: 'convention' }, ruleOf(one), ' ', tally([one], [])) : '',
  );
}

// Older files call the results of gradus "ours".
const seriesName = ({ name }) => (name === 'ours' ? 'gradus' : name);
const seriesStyle = ({ name, theory }, style) => (theory ? 'reference' : style(name));

function drawSeries({ x, y, series: all }, style) {
  const datasets = all.map((one) =>
    line(
      seriesStyle(one, style),
      seriesName(one),
      one.x.map((value, k) => ({ x: value, y: one.y[k] })).filter((point) => point.y !== null),
    ),
  );
  return {
    type: 'line',
    data: { datasets },
    options: {
      interaction: { mode: 'nearest', intersect: false, axis: 'xy' },
      scales: { x: axis(x, { type: 'linear' }), y: axis(y) },
      plugins: {
        tooltip: {
          callbacks: {
            title: ([item]) => `${x} ${brief(item?.parsed.x)}`,
            label: ({ dataset, parsed }) => `${dataset.label}  ${brief(parsed.y)}`,
          },
        },
      },
    },
  };
}

function seriesFigure(one, style) {
  return figure({
    title: one.title,
    legend: one.series.map((line) => [seriesStyle(line, style), seriesName(line)]),
    draw: () => drawSeries(one, style),
    label: `Line chart of ${one.y} by ${one.x}: ${one.series.map(seriesName).join(', ')}`,
    caption: one.series.some(({ theory }) => theory)
      ? 'Dashed and grey: the reference values.'
      : null,
  });
}

function claims(list) {
  return el(
    'ul',
    { class: 'claims' },
    ...list.map((one) => {
      const [mark, word] = claimMarks[claimVerdict(one)] ?? ['quiet', claimVerdict(one)];
      return el(
        'li',
        {},
        el('span', { class: `tag ${mark}` }, word),
        ` ${one.claim}`,
        el('br'),
        el('span', { class: 'quiet' }, one.found),
      );
    }),
  );
}

// How many cells and claims have each verdict.
function tally(tables, claimed) {
  const words = tables.flatMap(({ cells = [] }) => cells.map(({ verdict }) => verdict));
  const verdicts = Object.keys(marks)
    .map((word) => [...marks[word], words.filter((one) => one === word).length])
    .filter(([, , number]) => number);
  const parts = [
    ...verdicts,
    ...Object.keys(claimMarks)
      .map((word) => [
        claimMarks[word][0],
        claimMarks[word][1].replace(' ', ' claims '),
        claimed.filter((claim) => claimVerdict(claim) === word).length,
      ])
      .filter(([, , number]) => number),
  ];
  return parts.length
    ? el(
        'span',
        {},
        ...parts.flatMap(([mark, word, number], i) => [
          i ? ' ' : '',
          el('span', { class: `tag ${mark}` }, `${word}: ${count(number)}`),
        ]),
      )
    : '';
}

export function reproduction(section) {
  for (const { file, value } of experiments()) {
    const style = makeStyler();
    const { tables = [], figures = [], notes = [], claims: claimed = [] } = value;
    const small =
      value.scale && value.scale !== 1 ? ` Run at scale ${value.scale}: a smaller experiment than the paper's.` : '';
    section.append(
      el('h3', {}, value.experiment ?? value.title ?? file),
      el('p', {}, `${value.summary ?? ''}. ${value.details ?? ''}${small}`),
      el('p', {}, tally(tables, claimed)),
    );
    notes.forEach((note) => section.append(el('p', { class: 'remark' }, note)));
    if (claimed.length) section.append(claims(claimed));
    section.append(
      ...tables.map(cellTable),
      el('div', { class: 'grid' }, ...figures.map((one) => seriesFigure(one, style))),
    );
    section.append(
      el(
        'p',
        { class: 'convention' },
        `From ${file}; gradus ${value.version ?? ''}, seed ${value.seed ?? 'unknown'}.`,
      ),
    );
  }
}

export function evaluated(section) {
  const all = evaluations();
  const metrics = [...new Set(all.flatMap(({ value }) => Object.keys(value.metrics)))];
  section.append(
    table(
      'Results of gradus eval',
      ['Ranker', ...metrics, { title: 'Convention', class: 'left' }],
      all.map(({ file, value }) => [
        value.scores ?? file,
        ...metrics.map((name) => ({
          show: fixed(value.metrics[name] ?? NaN),
          sort: value.metrics[name] ?? NaN,
        })),
        value.convention ?? '–',
      ]),
    ),
  );
}
