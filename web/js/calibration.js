// SPDX-License-Identifier: Apache-2.0
// How well calibrated the grade probabilities are.

import { axis, figure, line, named } from './charts.js';
import { el } from './dom.js';
import { count, fixed, many } from './format.js';
import { currentSet, names } from './state.js';
import { table } from './tables.js';
import { colour, series } from './theme.js';

export function hasCalibration(set) {
  return set?.reliability.some((one) => one !== null);
}

const fewEvents = 20; // points with fewer are not joined: their height is mostly noise

function points({ bins }) {
  return bins.filter(([weight]) => weight > 0).map(([weight, x, y]) => ({ x, y, weight }));
}

// A line whose points have areas proportional to their counts.
function reliabilityLine(style, one, most) {
  const all = points(one);
  const few = (i) => all[i].weight < fewEvents;
  const { colour: ink } = series(style);
  return line(style, names[style], all, {
    pointRadius: all.map(({ weight }) => Math.max(3, 14 * Math.sqrt(weight / most))),
    pointHoverRadius: all.map(({ weight }) => Math.max(5, 15 * Math.sqrt(weight / most))),
    pointBackgroundColor: `${ink}55`,
    clip: 16,
    segment: {
      borderColor: ({ p0DataIndex: from, p1DataIndex: to }) =>
        few(from) || few(to) ? 'transparent' : undefined,
    },
  });
}

function drawDiagram(known) {
  const most = Math.max(...known.flatMap(([, { bins }]) => bins.map(([weight]) => weight)));
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
    data: { datasets: [guide, ...known.map(([i, one]) => reliabilityLine(i, one, most))] },
    options: {
      interaction: { mode: 'nearest', intersect: false, axis: 'xy' },
      scales: {
        x: axis('predicted probability', { type: 'linear', min: 0, max: 1 }),
        y: axis('observed frequency', { min: 0, max: 1 }),
      },
      plugins: {
        tooltip: {
          callbacks: {
            title: ([item]) => item?.dataset.label ?? '',
            label: ({ raw }) => [
              `predicted ${fixed(raw.x)}`,
              `observed ${fixed(raw.y)}`,
              many(Math.round(raw.weight), 'event', 'events'),
            ],
          },
        },
      },
    },
  };
}

function drawWeights(known) {
  const bins = known[0][1].bins.length;
  const edge = (b) => fixed(b / bins, 1);
  return {
    type: 'line',
    data: {
      labels: Array.from({ length: bins }, (_, b) => `${edge(b)}–${edge(b + 1)}`),
      datasets: known.map(([i, one]) =>
        line(
          i,
          names[i],
          one.bins.map(([weight]) => (weight > 0 ? weight : null)),
          { spanGaps: false, clip: 8 },
        ),
      ),
    },
    options: {
      scales: {
        x: axis('predicted probability', { type: 'category', offset: true }),
        y: axis('events', {
          type: 'logarithmic',
          min: 1,
          ticks: { callback: (tick) => (Number.isInteger(Math.log10(tick)) ? count(tick) : '') },
        }),
      },
      plugins: {
        tooltip: {
          callbacks: {
            label: ({ dataset, raw }) =>
              `${dataset.label}  ${many(Math.round(raw), 'event', 'events')}`,
          },
        },
      },
    },
  };
}

export function calibration(section) {
  const set = currentSet();
  const all = set.reliability.map((one, i) => [i, one]).filter(([, one]) => one !== null);
  const known = all.filter(([, one]) => one.bins);
  const lower = (title) => ({ title, lower: true });
  const heads = [
    'Model',
    ...['Calibration error', 'Largest error', 'Log loss', 'Brier', 'Reliability'].map(lower),
    'Resolution',
    lower('Uncertainty'),
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
      'How well predicted probabilities match observed frequencies. Each document counts once for each grade except the lowest; the event is "this grade or higher".',
    ),
  );
  for (const [i, one] of all)
    if (one.missing) section.append(el('p', { class: 'remark' }, `${names[i]}: ${one.missing}`));
  if (known.length === 0) return;
  const errors = known.map(([i, one]) => `${names[i]}: calibration error ${fixed(one.error)}`).join('; ');
  const legend = known.map(([i]) => [i, names[i]]);
  section.append(
    el(
      'div',
      { class: 'grid' },
      figure({
        title: 'Reliability diagram',
        shape: 'square',
        legend,
        label: `Reliability diagram. ${errors}`,
        draw: () => drawDiagram(known),
        caption: `Points on the diagonal are calibrated, points below the diagonal are overconfident. The area of a point is its number of events; points with fewer than ${fewEvents} are not joined.`,
      }),
      figure({
        title: 'Distribution of predicted probabilities',
        shape: 'tall',
        legend,
        label: 'Line chart of the number of events in each bin of predicted probability',
        draw: () => drawWeights(known),
        caption: 'Ten bins of equal width; number of events on a logarithmic scale.',
      }),
    ),
    table('Calibration measures', heads, rows, { by: 1 }),
    el(
      'p',
      { class: 'convention' },
      `On ${set.data}. Lower is better, except for resolution. Brier score ≈ reliability − resolution + uncertainty. Calibration error: mean absolute difference between predicted and observed over bins, weighted by events.`,
    ),
  );
}
