// Query by query: differences between two rankers, and the documents of those won and lost most.

import { axis, figure } from './charts.js';
import { choice, el } from './dom.js';
import { brief, count, fixed, signed } from './format.js';
import { currentMetric, currentSet, looking, measured, names } from './state.js';
import { gains, pairFigures } from './pairs.js';
import { table } from './tables.js';
import { colour } from './theme.js';

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

// A place is negative where documents with the same score share it.
function place(at) {
  return { sort: Math.abs(at), show: at < 0 ? `${-at}=` : String(at) };
}

function move(from, to) {
  const by = Math.abs(from) - Math.abs(to);
  return { sort: by, show: by > 0 ? `▲ ${by}` : by < 0 ? `▼ ${-by}` : '·' };
}

// The grade, on a ground that is the stronger the higher it is.
function grade(value, most) {
  const share = most > 0 ? Math.max(0, value) / most : 0;
  return {
    sort: value,
    show: el('span', { class: 'grade', style: `--share:${Math.round(45 * share)}%` }, brief(value)),
  };
}

// shown: one ranker, or A and B.
function documents(set, name, shown) {
  const { of, documents: rows } = set.opened[name];
  const most = Math.max(...rows.map((row) => row[1]));
  const at = (row, i, what) => row[2 + 2 * i + what];
  const places = (row) => shown.map((i) => place(at(row, i, 0)));
  const cells = rows
    .map((row) => [
      row[0],
      grade(row[1], most),
      ...places(row),
      ...(shown.length === 2 ? [move(at(row, shown[0], 0), at(row, shown[1], 0))] : []),
      ...shown.map((i) => ({ sort: at(row, i, 1), show: brief(at(row, i, 1), 4) })),
    ])
    .sort((x, y) => x[1 + shown.length].sort - y[1 + shown.length].sort);
  const which = shown.length === 2 ? [' A', ' B'] : [''];
  const titled = (word) => shown.map((i, k) => ({ title: word + which[k], note: names[i] }));
  const heads = [
    'Document',
    'Grade',
    ...titled('Place'),
    ...(shown.length === 2 ? ['Moved'] : []),
    ...titled('Score'),
  ];
  return [
    table(`Documents of query ${name}`, heads, cells),
    el(
      'p',
      { class: 'quiet' },
      `${count(rows.length)} of ${count(of)} documents: the first ten of any ranker, and relevant ones. "=" marks a place that documents with equal scores share.`,
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
        `Drawn are ${count(shown)} of ${count(set.queries)} queries: every ${Math.ceil(set.queries / 2000)}th, and those that differ most. Means and tests are over all.`,
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
      title: 'Value of each query',
      label: `Bar chart of ${all.length} queries from ${fixed(all[0]?.a)} to ${fixed(all.at(-1)?.a)}`,
      draw: () => ({
        type: 'bar',
        data: {
          labels: all.map(({ name }) => name),
          datasets: [
            {
              data: all.map(({ a }) => a),
              backgroundColor: colour('series-0'),
              barPercentage: 1,
              categoryPercentage: 1,
            },
          ],
        },
        options: {
          scales: {
            x: {
              ...axis(`${all.length} queries, sorted`),
              ticks: { display: false },
              grid: { display: false },
            },
            y: axis(currentMetric().name),
          },
          plugins: {
            tooltip: { callbacks: { title: ([item]) => (item ? `query ${item.label}` : '') } },
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
    pairFigures(all, names[a], names[b], measured()),
    el(
      'div',
      { class: 'grid' },
      list(set, 'Won most by B', won.slice(0, listed), [a, b]),
      list(set, 'Lost most by B', lost.slice(-listed).reverse(), [a, b]),
    ),
  );
}

export function queries(section, again) {
  const set = currentSet();
  section.append(el('p', {}, 'Where the means come from. Open a query to see its documents.'));
  if (set.systems.length > 1) two(section, set, again);
  else alone(section, set);
}
