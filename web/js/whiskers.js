// SPDX-License-Identifier: Apache-2.0
// Values with their intervals, one below the other.

import { axis } from './charts.js';
import { interval } from './format.js';
import { colour, series } from './theme.js';

// rows: {label (a text, or several for lines), name, value, low, high, strong, style (none: a pair)};
// show: how numbers are written; zero: whether 0 belongs on the axis.
export function whiskers(rows, title, show, zero = false) {
  const styles = rows.map(({ style, strong }) =>
    style === undefined ? { mark: 'circle', colour: colour(strong ? 'ink' : 'quiet') } : series(style),
  );
  const ink = styles.map((one) => one.colour);
  return {
    type: 'bar',
    data: {
      labels: rows.map(({ label }) => label),
      datasets: [
        {
          type: 'line',
          label: title,
          data: rows.map(({ value }) => value),
          showLine: false,
          pointRadius: 6,
          pointHoverRadius: 7,
          borderColor: ink,
          borderWidth: 2,
          pointStyle: styles.map(({ mark }) => mark),
          backgroundColor: rows.map(({ strong }, i) => (strong ? ink[i] : colour('card'))),
        },
        {
          label: 'interval',
          data: rows.map(({ low, high }) => [low, high]),
          backgroundColor: ink,
          barThickness: 3,
          borderSkipped: false,
          isBand: true,
        },
      ],
    },
    options: {
      indexAxis: 'y',
      interaction: { mode: 'index', axis: 'y', intersect: false },
      scales: {
        x: axis(title, {
          beginAtZero: zero,
          grid: { color: ({ tick }) => colour(tick?.value === 0 ? 'ink' : 'grid') },
        }),
        y: axis('', { type: 'category', ticks: { autoSkip: false } }),
      },
      plugins: {
        tooltip: {
          callbacks: {
            title: ([item]) => (item ? rows[item.dataIndex].name : ''),
            label: ({ dataIndex }) =>
              `${show(rows[dataIndex].value)} ${interval(rows[dataIndex].low, rows[dataIndex].high, show)}`,
          },
        },
      },
    },
  };
}
