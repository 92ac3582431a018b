// SPDX-License-Identifier: Apache-2.0
// Two rankers on the same queries: the gain of each query, and one against the other.

import { axis, figure } from './charts.js';
import { el } from './dom.js';
import { count, fixed, signed } from './format.js';
import { colour, series } from './theme.js';

const known = (value) => value !== null && value !== undefined;

// The queries with a value for both, the largest gain of b first.
export function gains(queries, ofA, ofB, lowerIsBetter) {
  const sense = lowerIsBetter ? -1 : 1;
  return queries
    .map((name, q) => ({ name, a: ofA[q], b: ofB[q] }))
    .filter(({ a, b }) => known(a) && known(b))
    .map((pair) => ({ ...pair, gain: sense * (pair.b - pair.a) }))
    .sort((x, y) => y.gain - x.gain || x.name.localeCompare(y.name, 'en', { numeric: true }));
}

// The three kinds of queries, each in the style of the ranker that is better on it.
function kinds(a, b) {
  return [
    { style: b.style, label: `${b.name} better`, sign: 1 },
    { style: a.style, label: `${a.name} better`, sign: -1 },
    { style: 'other', label: 'equal', sign: 0 },
  ];
}

function labels(pair, a, b) {
  return [
    `${a.name}  ${fixed(pair.a)}`,
    `${b.name}  ${fixed(pair.b)}`,
    `gain  ${signed(pair.gain)}`,
  ];
}

// The horizontal axis of bars, one per query.
export function queryAxis(number) {
  return axis(`${count(number)} queries, sorted`, {
    type: 'category',
    ticks: { display: false },
    grid: { display: false },
  });
}

function bars(all, a, b) {
  return {
    type: 'bar',
    data: {
      labels: all.map(({ name }) => name),
      datasets: kinds(a, b).map(({ style, label, sign }) => ({
        label,
        seriesAt: style,
        data: all.map(({ gain }) => (Math.sign(gain) === sign ? gain : null)),
        grouped: false,
        barPercentage: 1,
        categoryPercentage: all.length > 150 ? 1 : 0.85,
        backgroundColor: series(style).colour,
      })),
    },
    options: {
      scales: { x: queryAxis(all.length), y: axis(`gain of ${b.name}`) },
      plugins: {
        tooltip: {
          filter: ({ raw }) => raw !== null,
          callbacks: {
            title: ([item]) => (item ? `query ${all[item.dataIndex].name}` : ''),
            label: ({ dataIndex }) => labels(all[dataIndex], a, b),
          },
        },
      },
    },
  };
}

function scatter(all, a, b) {
  const values = all.flatMap((pair) => [pair.a, pair.b]);
  const unit = 10 ** Math.floor(Math.log10(Math.max(...values.map(Math.abs)) || 1));
  const top = unit * Math.ceil(Math.max(...values) / unit);
  const bottom = unit * Math.floor(Math.min(0, ...values) / unit);
  return {
    type: 'scatter',
    data: {
      datasets: [
        ...kinds(a, b).map(({ style, label, sign }) => ({
          label,
          seriesAt: style,
          data: all
            .filter(({ gain }) => Math.sign(gain) === sign)
            .map((pair) => ({ x: pair.a, y: pair.b, pair })),
          pointStyle: series(style).mark,
          pointRadius: all.length > 400 ? 3 : 5,
          pointHoverRadius: 8,
          clip: 10,
          borderColor: series(style).colour,
          backgroundColor: `${series(style).colour}66`,
        })),
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
        x: axis(a.name, { min: bottom, max: top }),
        y: axis(b.name, { min: bottom, max: top }),
      },
      plugins: {
        tooltip: {
          callbacks: {
            title: ([item]) => (item ? `query ${item.raw.pair.name}` : ''),
            label: ({ raw }) => labels(raw.pair, a, b),
          },
        },
      },
    },
  };
}

// The two charts; all: gains, a and b: {name, style}, measured: metric, data and convention.
export function pairFigures(all, a, b, measured) {
  const won = all.filter(({ gain }) => gain > 0).length;
  const lost = all.filter(({ gain }) => gain < 0).length;
  const counts = `${b.name} is better on ${count(won)}, equal on ${count(all.length - won - lost)} and worse on ${count(lost)}`;
  const legend = kinds(a, b)
    .filter(({ sign }) => sign)
    .map(({ style, label }) => [style, label]);
  return el(
    'div',
    { class: 'grid' },
    figure({
      title: 'Gain of B over A by query',
      shape: 'tall',
      legend,
      label: `Bar chart of queries, sorted by gain: ${counts}`,
      draw: () => bars(all, a, b),
      caption: `Above 0: B is better. ${counts}. ${measured}.`,
    }),
    figure({
      title: 'B against A',
      shape: 'square',
      legend,
      label: `Scatter chart of each query's value for ${a.name} and ${b.name}: ${counts}`,
      draw: () => scatter(all, a, b),
      caption: `One point per query. Above the diagonal B is better, below it A. ${measured}.`,
    }),
  );
}
