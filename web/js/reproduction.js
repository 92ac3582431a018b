// Experiments of papers, run again: ours beside theirs. And plain results of gradus eval.

import { axis, figure, line } from './charts.js';
import { el } from './dom.js';
import { count, fixed, pValue, signed } from './format.js';
import { report } from './state.js';
import { table } from './tables.js';
import { colour } from './theme.js';

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

// Files that hold nothing this page knows how to show.
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
};

function cellRow(cell, digits) {
  const { row, column, ours, error, paper, p, verdict } = cell;
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
    number(paper),
    number(ours !== null && paper !== null ? ours - paper : null, signed),
    { show: p === null || p === undefined ? '' : pValue(p), sort: p ?? NaN },
    { show: el('span', { class: mark ? `tag ${mark}` : null }, word), sort: word },
  ];
}

function cellTable({ title, digits = 4, cells = [] }) {
  const heads = [
    'Row',
    { title: 'Column', class: 'left' },
    'Ours',
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
  );
}

function drawSeries({ x, y, series: all }) {
  const datasets = all.map(({ name, theory, x: xs, y: ys }, i) =>
    line(
      i,
      name,
      xs.map((value, k) => ({ x: value, y: ys[k] })).filter((point) => point.y !== null),
      theory
        ? {
            borderDash: [5, 4],
            pointRadius: 0,
            borderColor: colour('quiet'),
            backgroundColor: colour('quiet'),
          }
        : {},
    ),
  );
  return {
    type: 'line',
    data: { datasets },
    options: {
      interaction: { mode: 'nearest', intersect: false, axis: 'xy' },
      scales: { x: axis(x, { type: 'linear' }), y: axis(y) },
    },
  };
}

function seriesFigure(one) {
  return figure({
    title: one.title,
    legend: one.series.map(({ name }, i) => [i, name]),
    draw: () => drawSeries(one),
    label: `Line chart of ${one.y} by ${one.x}: ${one.series.map(({ name }) => name).join(', ')}`,
    caption: one.series.some(({ theory }) => theory)
      ? 'Dashed and grey: what ours is held against.'
      : null,
  });
}

function claims(list) {
  return el(
    'ul',
    { class: 'claims' },
    ...list.map(({ claim, held, found }) =>
      el(
        'li',
        {},
        el('span', { class: `tag ${held ? 'up' : 'down'}` }, held ? '✓ shown' : '✗ denied'),
        ` ${claim}`,
        el('br'),
        el('span', { class: 'quiet' }, found),
      ),
    ),
  );
}

function tally(tables) {
  const words = tables.flatMap(({ cells = [] }) => cells.map(({ verdict }) => verdict));
  const parts = Object.keys(marks)
    .map((word) => [word, words.filter((one) => one === word).length])
    .filter(([, number]) => number);
  return parts.length
    ? el(
        'p',
        {},
        ...parts.flatMap(([word, number], i) => [
          i ? ' ' : '',
          el('span', { class: `tag ${marks[word][0]}` }, `${marks[word][1]}: ${count(number)}`),
        ]),
      )
    : '';
}

export function reproduction(section) {
  for (const { file, value } of experiments()) {
    const { tables = [], figures = [], notes = [], claims: claimed = [] } = value;
    const small =
      value.scale && value.scale !== 1 ? ` Run at ${value.scale} of its size, to try it.` : '';
    section.append(
      el('h3', {}, value.experiment ?? value.title ?? file),
      el('p', {}, `${value.summary ?? ''}. ${value.details ?? ''}${small}`),
      tally(tables),
    );
    notes.forEach((note) => section.append(el('p', { class: 'remark' }, note)));
    if (claimed.length) section.append(claims(claimed));
    section.append(
      ...tables.map(cellTable),
      el('div', { class: 'grid' }, ...figures.map(seriesFigure)),
    );
    section.append(
      el(
        'p',
        { class: 'convention' },
        `From ${file}; gradus ${value.version ?? ''}, seed ${value.seed ?? 'unknown'}. A cell agrees if it is nearer to the paper's than the tolerance of its table or two standard errors.`,
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
      ['Scores', ...metrics, { title: 'Convention', class: 'left' }],
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
