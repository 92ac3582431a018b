// How far probabilities of grades are what they say.

import { axis, figure, line, named } from './charts.js';
import { el } from './dom.js';
import { count, fixed } from './format.js';
import { currentSet, names } from './state.js';
import { table } from './tables.js';
import { colour } from './theme.js';

export function hasCalibration(set) {
  return set?.reliability.some((one) => one !== null);
}

function points({ bins }) {
  return bins.filter(([weight]) => weight > 0).map(([weight, x, y]) => ({ x, y, weight }));
}

function drawDiagram(known) {
  const guide = {
    data: [
      { x: 0, y: 0 },
      { x: 1, y: 1 },
    ],
    borderColor: colour('quiet'),
    borderDash: [4, 4],
    borderWidth: 1,
    pointRadius: 0,
    isBand: true,
  };
  return {
    type: 'line',
    data: { datasets: [guide, ...known.map(([i, one]) => line(i, names[i], points(one)))] },
    options: {
      interaction: { mode: 'nearest', intersect: false, axis: 'xy' },
      scales: {
        x: axis('predicted probability', { type: 'linear', min: 0, max: 1 }),
        y: axis('came true', { min: 0, max: 1 }),
      },
      plugins: {
        tooltip: {
          callbacks: {
            title: ([item]) => item?.dataset.label ?? '',
            label: ({ raw }) => [
              `predicted ${fixed(raw.x)}`,
              `came true ${fixed(raw.y)}`,
              `${count(Math.round(raw.weight))} events`,
            ],
          },
        },
      },
    },
  };
}

function drawWeights(known) {
  const bins = known[0][1].bins.length;
  return {
    type: 'bar',
    data: {
      labels: Array.from(
        { length: bins },
        (_, b) => `${fixed(b / bins, 1)}–${fixed((b + 1) / bins, 1)}`,
      ),
      datasets: known.map(([i, one]) => ({
        label: names[i],
        seriesAt: i,
        data: one.bins.map(([weight]) => weight),
        backgroundColor: colour(`series-${i % 8}`),
      })),
    },
    options: {
      scales: {
        x: axis('predicted probability'),
        y: axis('events', { type: 'logarithmic', ticks: { maxTicksLimit: 6 } }),
      },
    },
  };
}

export function calibration(section) {
  const set = currentSet();
  const all = set.reliability.map((one, i) => [i, one]).filter(([, one]) => one !== null);
  const known = all.filter(([, one]) => one.bins);
  const heads = [
    'Model',
    'Calibration error',
    'Largest error',
    'Log loss',
    'Brier',
    'Reliability',
    'Resolution',
    'Uncertainty',
  ];
  const rows = known.map(([i, one]) => [
    { show: named(i, names[i]), sort: names[i] },
    ...[
      'error',
      'largest_error',
      'log_loss',
      'brier',
      'reliability',
      'resolution',
      'uncertainty',
    ].map((name) => ({ show: fixed(one[name]), sort: one[name] ?? NaN })),
  ]);
  section.append(
    el(
      'p',
      {},
      'Of all the times a model says 30 %, does it happen three times in ten? Every document counts once for each grade but the lowest; the event is "this grade or a higher one".',
    ),
  );
  for (const [i, one] of all)
    if (one.missing) section.append(el('p', { class: 'remark' }, `${names[i]}: ${one.missing}`));
  if (known.length === 0) return;
  const told = known.map(([i, one]) => `${names[i]}: error ${fixed(one.error)}`).join('; ');
  const legend = known.map(([i]) => [i, names[i]]);
  section.append(
    el(
      'div',
      { class: 'grid' },
      figure({
        title: 'Reliability diagram',
        shape: 'square',
        legend,
        label: `Reliability diagram. ${told}`,
        draw: () => drawDiagram(known),
        caption:
          'On the dashed line probabilities are what they say; below it they promise too much.',
      }),
      figure({
        title: 'How often each probability is said',
        shape: 'tall',
        legend,
        label: 'Bar chart of the number of events in each bin of predicted probability',
        draw: () => drawWeights(known),
        caption: 'Ten bins of equal width; events on a logarithmic scale.',
      }),
    ),
    table('Measures of calibration', heads, rows),
    el(
      'p',
      { class: 'convention' },
      `On ${set.data}. Lower is better but for resolution; Brier is about reliability − resolution + uncertainty. Calibration error: the mean distance of predicted and observed over bins, weighted by events.`,
    ),
  );
}
