// Two rankers on the same queries: the gain of each query, and one against the other.

import { axis, figure } from './charts.js';
import { el } from './dom.js';
import { fixed, signed } from './format.js';
import { colour } from './theme.js';

const known = (value) => value !== null && value !== undefined;

// The queries with a value for both, by falling gain of b.
export function gains(queries, ofA, ofB, lowerIsBetter) {
  const sense = lowerIsBetter ? -1 : 1;
  return queries
    .map((name, q) => ({ name, a: ofA[q], b: ofB[q] }))
    .filter(({ a, b }) => known(a) && known(b))
    .map((pair) => ({ ...pair, gain: sense * (pair.b - pair.a) }))
    .sort((x, y) => y.gain - x.gain || x.name.localeCompare(y.name, 'en', { numeric: true }));
}

function callbacks(all, a, b) {
  return {
    title: ([item]) => (item ? `query ${all[item.dataIndex].name}` : ''),
    label: ({ dataIndex }) => [
      `${a}  ${fixed(all[dataIndex].a)}`,
      `${b}  ${fixed(all[dataIndex].b)}`,
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
        y: axis(`gain of ${b}`),
      },
      plugins: { tooltip: { callbacks: callbacks(all, a, b) } },
    },
  };
}

function scatter(all, a, b) {
  const values = all.flatMap((pair) => [pair.a, pair.b]);
  const unit = 10 ** Math.floor(Math.log10(Math.max(...values.map(Math.abs)) || 1));
  const top = unit * Math.ceil(Math.max(...values) / unit);
  const bottom = unit * Math.floor(Math.min(0, ...values) / unit);
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
        x: axis(a, { min: bottom, max: top }),
        y: axis(b, { min: bottom, max: top }),
      },
      plugins: { tooltip: { callbacks: callbacks(all, a, b) } },
    },
  };
}

// The two charts; all: gains, a and b: names, measured: what the values are of.
export function pairFigures(all, a, b, measured) {
  const won = all.filter(({ gain }) => gain > 0).length;
  const lost = all.filter(({ gain }) => gain < 0).length;
  const told = `${won} won by ${b}, ${all.length - won - lost} equal, ${lost} lost`;
  return el(
    'div',
    { class: 'grid' },
    figure({
      title: 'Gain of B over A, query by query',
      shape: 'tall',
      label: `Bar chart, sorted: ${told}`,
      draw: () => bars(all, a, b),
      caption: `Up: B is better. ${told}. ${measured}.`,
    }),
    figure({
      title: 'A against B',
      shape: 'square',
      label: `Scatter chart of each query's value for ${a} and ${b}: ${told}`,
      draw: () => scatter(all, a, b),
      caption: `▲ B is better; ▼ worse; on the dashed line they are equal. ${measured}.`,
    }),
  );
}
