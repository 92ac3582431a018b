// NDCG at each depth, with bands.

import { axis, band, figure, line, named } from './charts.js';
import { el } from './dom.js';
import { fixed, interval } from './format.js';
import { currentSet, names } from './state.js';
import { table } from './tables.js';

function points(system) {
  return system.by_depth.map(({ mean, low, high }, i) => ({ x: i + 1, y: mean, low, high }));
}

function draw(set) {
  const datasets = set.systems.flatMap((system, i) => band(i, points(system)));
  datasets.push(...set.systems.map((system, i) => line(i, names[i], points(system))));
  return {
    type: 'line',
    data: { datasets },
    options: {
      scales: {
        x: axis('depth k', { type: 'linear', min: 1, ticks: { stepSize: 1 } }),
        y: axis('NDCG@k'),
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

export function depth(section) {
  const set = currentSet();
  const share = Math.round(100 * Number(set.test.confidence));
  const depths = set.systems[0].by_depth.map((_, i) => i);
  const rows = set.systems.map((system, i) => [
    { show: named(i, names[i]), sort: names[i] },
    ...depths.map((k) => ({
      show: fixed(system.by_depth[k].mean),
      sort: system.by_depth[k].mean ?? NaN,
    })),
  ]);
  section.append(
    el('p', {}, 'How good the top of the list is, however far one looks down.'),
    figure({
      title: 'NDCG@k by depth',
      label: `Line chart of NDCG at depths 1 to ${depths.length}. ${set.systems.map((system, i) => `${names[i]} from ${fixed(system.by_depth[0].mean)} to ${fixed(system.by_depth.at(-1).mean)}`).join('; ')}`,
      legend: names.map((name, i) => [i, name]),
      draw: () => draw(set),
      caption: `Bands: ${share} % intervals of each mean by Student's t over queries. They overlap more than paired differences allow: the tests above use pairs. ${set.data}, convention ${set.convention}.`,
      numbers: table('NDCG by depth', ['Ranker', ...depths.map((k) => `@${k + 1}`)], rows),
    }),
  );
}
