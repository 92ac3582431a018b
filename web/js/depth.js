// SPDX-License-Identifier: Apache-2.0
// NDCG at each cutoff, with confidence bands.

import { axis, band, figure, line, named } from './charts.js';
import { el } from './dom.js';
import { fixed, interval, percent } from './format.js';
import { currentMetric, currentSet, names } from './state.js';
import { table } from './tables.js';

function points(system) {
  return system.by_depth.map(({ mean, low, high }, i) => ({ x: i + 1, y: mean, low, high }));
}

// The axis covers all bands, so that it does not change when another series is selected.
function range(systems) {
  const means = systems.flatMap((system) => system.by_depth);
  const values = means.flatMap(({ mean, low, high }) => [mean, low, high]).filter(Number.isFinite);
  return values.length
    ? { suggestedMin: Math.min(...values), suggestedMax: Math.max(...values) }
    : {};
}

function draw(set, hidden) {
  const datasets = set.systems.flatMap((system, i) => band(i, points(system)));
  datasets.push(...set.systems.map((system, i) => line(i, names[i], points(system))));
  return {
    type: 'line',
    data: { datasets },
    options: {
      scales: {
        x: axis('cutoff k', { type: 'linear', min: 1, ticks: { stepSize: 1 } }),
        y: axis('NDCG@k', range(set.systems.filter((_, i) => !hidden.has(i)))),
      },
      plugins: {
        tooltip: {
          callbacks: {
            title: ([item]) => `NDCG@${item?.parsed.x}`,
            label: ({ dataset, raw }) =>
              `${dataset.label}  ${fixed(raw.y)} ${interval(raw.low, raw.high)}`,
          },
        },
      },
    },
  };
}

// The column of the cutoff of the chosen metric, or of 10.
function chosenDepth(most) {
  const at = Number(currentMetric().name.split('@')[1] ?? 10);
  return at >= 1 && at <= most ? at : Math.min(10, most);
}

export function depth(section) {
  const set = currentSet();
  const confidence = percent(Number(set.test.confidence), 0);
  const depths = set.systems[0].by_depth.map((_, i) => i);
  const rows = set.systems.map((system, i) => [
    { show: named(i, names[i]), sort: names[i] },
    ...depths.map((k) => ({
      show: fixed(system.by_depth[k].mean),
      sort: system.by_depth[k].mean ?? NaN,
    })),
  ]);
  section.append(
    el('p', {}, 'NDCG at each cutoff.'),
    figure({
      title: 'NDCG@k by cutoff',
      label: `Line chart of NDCG at cutoffs 1 to ${depths.length}. ${set.systems.map((system, i) => `${names[i]} from ${fixed(system.by_depth[0].mean)} to ${fixed(system.by_depth.at(-1).mean)}`).join('; ')}`,
      legend: names.map((name, i) => [i, name]),
      draw: (hidden) => draw(set, hidden),
      caption: `Select a ranker in the legend or the chart to see its ${confidence} confidence band (Student's t over queries). ${names.length > 1 ? 'Bands may overlap although a difference is significant: the tests above are paired. ' : ''}${set.data}, convention ${set.convention}.`,
      numbers: table('NDCG by cutoff', ['Ranker', ...depths.map((k) => `@${k + 1}`)], rows, {
        by: chosenDepth(depths.length),
      }),
    }),
  );
}
