// SPDX-License-Identifier: Apache-2.0
// Query by query: differences between two rankers, and the documents of the largest gains and losses.

import { axis, figure } from './charts.js';
import { choice, el } from './dom.js';
import { brief, count, fixed, sameDecimals, signed } from './format.js';
import { currentMetric, currentSet, looking, measured, names } from './state.js';
import { gains, pairFigures, queryAxis } from './pairs.js';
import { table } from './tables.js';
import { series } from './theme.js';

const listed = 5;

function pairs(set) {
  const values = set.query_values[looking.metric];
  return gains(
    set.query_names,
    values[looking.a],
    values[looking.b] ?? [],
    currentMetric().lower_is_better,
  );
}

// A rank is negative where documents with the same score share it.
function rankCell(at) {
  return { sort: Math.abs(at), show: at < 0 ? `${-at}=` : String(at) };
}

function changeCell(from, to) {
  const by = Math.abs(from) - Math.abs(to);
  return { sort: by, show: by > 0 ? `▲ ${by}` : by < 0 ? `▼ ${-by}` : '·' };
}

// The grade, on a background that is stronger for higher grades.
function gradeCell(value, most) {
  const strength = most > 0 ? Math.max(0, value) / most : 0;
  return {
    sort: value,
    show: el(
      'span',
      { class: 'grade', style: `--strength:${Math.round(45 * strength)}%` },
      brief(value),
    ),
  };
}

// The document; on narrow screens, which have no score columns, with the scores below it.
function documentCell(name, scores) {
  return {
    sort: name,
    show: el('span', {}, name, el('small', { class: 'narrow' }, scores.join(' → '))),
  };
}

// shown: one ranker, or A and B.
function documents(set, name, shown) {
  const { of, documents: rows } = set.opened[name];
  const two = shown.length === 2;
  const most = Math.max(...rows.map((row) => row[1]));
  const rank = (row, i) => row[2 + 2 * i];
  const score = (row, i) => row[3 + 2 * i];
  const shows = shown.map((i) => sameDecimals(rows.map((row) => score(row, i))));
  const cells = rows.map((row) => [
    ...shown.map((i) => rankCell(rank(row, i))),
    ...(two ? [changeCell(rank(row, shown[0]), rank(row, shown[1]))] : []),
    documentCell(
      row[0],
      shown.map((i, k) => shows[k](score(row, i))),
    ),
    gradeCell(row[1], most),
    ...shown.map((i, k) => ({ sort: score(row, i), show: shows[k](score(row, i)) })),
  ]);
  const which = two ? [' A', ' B'] : [''];
  const titled = (word, more) =>
    shown.map((i, k) => ({ title: word + which[k], note: names[i], ...more }));
  const heads = [
    ...titled('Rank', { lower: true }),
    ...(two ? [{ title: 'Change', note: 'from A to B', class: 'roomy' }] : []),
    { title: 'Document', class: 'left document', head: true },
    'Grade',
    ...titled('Score', { class: 'roomy' }),
  ];
  return [
    table(`Documents of query ${name}`, heads, cells, { by: shown.length - 1 }),
    el(
      'p',
      { class: 'quiet' },
      `${count(rows.length)} of ${count(of)} documents: the top ten of each ranker, and relevant ones. "=" marks a rank shared by documents with equal scores.`,
      el('span', { class: 'narrow' }, `Below each document: its score${two ? 's, A → B' : ''}.`),
    ),
  ];
}

function entry(set, pair, shown) {
  const values = shown.length === 2 ? `${fixed(pair.a)} → ${fixed(pair.b)}` : fixed(pair.a);
  const change =
    shown.length === 2
      ? el(
          'span',
          { class: pair.gain > 0 ? 'up' : 'down' },
          ` ${pair.gain > 0 ? '▲' : '▼'} ${signed(pair.gain)} `,
        )
      : ' ';
  const head = [el('b', {}, `Query ${pair.name}`), change, el('span', { class: 'quiet' }, values)];
  const box = el('details', {}, el('summary', {}, ...head));
  if (!(pair.name in set.opened)) return el('p', {}, ...head);
  box.addEventListener('toggle', () => {
    if (box.open && box.children.length === 1) box.append(...documents(set, pair.name, shown));
  });
  return box;
}

function list(set, title, chosen, shown) {
  return el(
    'div',
    {},
    el('h3', {}, title),
    chosen.length
      ? el('div', { class: 'queries' }, ...chosen.map((pair) => entry(set, pair, shown)))
      : el('p', { class: 'quiet' }, 'None.'),
  );
}

function thinned(set) {
  const shown = set.query_names.length;
  return shown < set.queries
    ? el(
        'p',
        { class: 'remark' },
        `The charts show ${count(shown)} of ${count(set.queries)} queries: every ${Math.ceil(set.queries / 2000)}th, and those with the largest differences. Means and tests use all.`,
      )
    : '';
}

function alone(section, set) {
  const sense = currentMetric().lower_is_better ? -1 : 1;
  const all = set.query_names
    .map((name, q) => ({ name, a: set.query_values[looking.metric][0][q] }))
    .filter(({ a }) => a !== null)
    .sort((x, y) => sense * (y.a - x.a));
  section.append(
    thinned(set),
    figure({
      title: 'Value by query',
      label: `Bar chart of ${all.length} queries from ${fixed(all[0]?.a)} to ${fixed(all.at(-1)?.a)}`,
      draw: () => ({
        type: 'bar',
        data: {
          labels: all.map(({ name }) => name),
          datasets: [
            {
              data: all.map(({ a }) => a),
              backgroundColor: series(0).colour,
              barPercentage: 1,
              categoryPercentage: 1,
            },
          ],
        },
        options: {
          scales: {
            x: queryAxis(all.length),
            y: axis(currentMetric().name),
          },
          plugins: {
            tooltip: {
              callbacks: {
                title: ([item]) => (item ? `query ${item.label}` : ''),
                label: ({ raw }) => `${currentMetric().name}  ${fixed(raw)}`,
              },
            },
          },
        },
      }),
      caption: `${measured()}.`,
    }),
    list(set, 'Worst queries', all.slice(-2 * listed).reverse(), [0]),
  );
}

function two(section, set, again) {
  const { a, b } = looking;
  const all = pairs(set);
  const won = all.filter(({ gain }) => gain > 0);
  const lost = all.filter(({ gain }) => gain < 0);
  section.append(
    el(
      'div',
      { class: 'choices' },
      choice('Ranker A', names, a, (i) => again({ a: i, b: i === b ? a : b })),
      choice('Ranker B', names, b, (i) => again({ b: i, a: i === a ? b : a })),
    ),
    thinned(set),
    pairFigures(
      all,
      { name: names[a], style: a },
      { name: names[b], style: b },
      measured(),
    ),
    list(set, 'Largest gains for B', won.slice(0, listed), [a, b]),
    list(set, 'Largest losses for B', lost.slice(-listed).reverse(), [a, b]),
  );
}

export function queries(section, again) {
  const set = currentSet();
  section.append(el('p', {}, 'Values by query. Open a query to see its documents.'));
  if (set.systems.length > 1) two(section, set, again);
  else alone(section, set);
}
