// Query by query: differences between two rankers, and the documents of those won and lost most.

import { axis, figure } from './charts.js';
import { choice, el } from './dom.js';
import { brief, count, fixed, signed } from './format.js';
import { currentMetric, currentSet, looking, measured, names } from './state.js';
import { table } from './tables.js';
import { colour } from './theme.js';

const listed = 5;

// The queries with a value for both, by falling gain of b.
function pairs(set) {
  const values = set.query_values[looking.metric];
  const sense = currentMetric().lower_is_better ? -1 : 1;
  return set.query_names
    .map((name, q) => ({ name, a: values[looking.a][q], b: values[looking.b]?.[q] }))
    .filter(({ a, b }) => a !== null && b !== null && b !== undefined)
    .map((pair) => ({ ...pair, gain: sense * (pair.b - pair.a) }))
    .sort((x, y) => y.gain - x.gain || x.name.localeCompare(y.name, 'en', { numeric: true }));
}

function callbacks(all, a, b) {
  return {
    title: ([item]) => (item ? `query ${all[item.dataIndex].name}` : ''),
    label: ({ dataIndex }) => [
      `${names[a]}  ${fixed(all[dataIndex].a)}`,
      `${names[b]}  ${fixed(all[dataIndex].b)}`,
      `gain  ${signed(all[dataIndex].gain)}`,
    ],
  };
}

function bars(all, a, b) {
  return {
    type: 'bar',
    data: {
      labels: all.map(({ name }) => name),
      datasets: [
        {
          label: 'gain',
          data: all.map(({ gain }) => gain),
          barPercentage: 1,
          categoryPercentage: all.length > 150 ? 1 : 0.85,
          backgroundColor: all.map(({ gain }) => colour(gain > 0 ? 'good' : 'bad')),
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
        y: axis(`gain of ${names[b]}`),
      },
      plugins: { tooltip: { callbacks: callbacks(all, a, b) } },
    },
  };
}

function scatter(all, a, b) {
  const top = Math.max(...all.flatMap((pair) => [pair.a, pair.b]));
  const bottom = Math.min(0, ...all.flatMap((pair) => [pair.a, pair.b]));
  const mark = ({ gain }) => (gain === 0 ? 'circle' : 'triangle');
  const ink = ({ gain }) => colour(gain > 0 ? 'good' : gain < 0 ? 'bad' : 'quiet');
  return {
    type: 'scatter',
    data: {
      datasets: [
        {
          data: all.map((pair) => ({ x: pair.a, y: pair.b })),
          pointStyle: all.map(mark),
          pointRadius: all.length > 400 ? 3 : 5,
          pointHoverRadius: 8,
          clip: 10,
          rotation: all.map(({ gain }) => (gain < 0 ? 180 : 0)),
          borderColor: all.map(ink),
          backgroundColor: all.map((pair) => `${ink(pair)}66`),
        },
        {
          type: 'line',
          data: [
            { x: bottom, y: bottom },
            { x: top, y: top },
          ],
          borderColor: colour('quiet'),
          borderDash: [4, 4],
          borderWidth: 1,
          pointRadius: 0,
          isBand: true,
        },
      ],
    },
    options: {
      interaction: { mode: 'nearest', intersect: false, axis: 'xy' },
      scales: {
        x: axis(names[a], { min: bottom, max: top }),
        y: axis(names[b], { min: bottom, max: top }),
      },
      plugins: { tooltip: { callbacks: callbacks(all, a, b) } },
    },
  };
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
  const told = `${won.length} won by ${names[b]}, ${all.length - won.length - lost.length} equal, ${lost.length} lost`;
  section.append(
    el(
      'div',
      { class: 'choices' },
      choice('Ranker A', names, a, (i) => again({ a: i, b: i === b ? a : b })),
      choice('Ranker B', names, b, (i) => again({ b: i, a: i === a ? b : a })),
    ),
    thinned(set),
    el(
      'div',
      { class: 'grid' },
      figure({
        title: 'Gain of B over A, query by query',
        shape: 'tall',
        label: `Bar chart, sorted: ${told}`,
        draw: () => bars(all, a, b),
        caption: `Up: B is better. ${told}. ${measured()}.`,
      }),
      figure({
        title: 'A against B',
        shape: 'square',
        label: `Scatter chart of each query's value for ${names[a]} and ${names[b]}: ${told}`,
        draw: () => scatter(all, a, b),
        caption: `▲ above the line: B is better; ▼ below: worse. ${measured()}.`,
      }),
    ),
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
