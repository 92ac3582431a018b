// SPDX-License-Identifier: Apache-2.0
// Two settings against each other; better trials have larger and more opaque points.

import { axis, drawNew, figure } from './charts.js';
import { choice, el } from './dom.js';
import { brief, fixed } from './format.js';
import { series } from './theme.js';

// The range of a setting, if all its values are numbers, and whether its axis is logarithmic: if it was
// searched on a log scale; if that is unknown (log: null), if it spans more than a factor of 20.
export function numbersOf(all, setting, log) {
  const values = all
    .map((one) => one.settings[setting])
    .filter((value) => value !== undefined)
    .map(Number);
  if (!values.length || !values.every(Number.isFinite)) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return { low, high, log: low > 0 && (log ? log.includes(setting) : high / low > 20) };
}

// 1, 2, 5, 10, 20, ... from low to high; with 3, 4, 7, ... where there are few of them.
function roundNumbers(low, high) {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from(
    { length: Math.ceil(Math.log10(high)) - first + 1 },
    (_, i) => 10 ** (first + i),
  );
  const times = high / low > 10 ? [1, 2, 5] : [1, 2, 3, 4, 5, 7];
  const all = powers.flatMap((power) => times.map((one) => one * power));
  return all.filter((number) => number >= low && number <= high).map((value) => ({ value }));
}

export function numberAxis(setting, { low, high, log }) {
  const ticks = { callback: (tick) => brief(Number(tick), 2) };
  if (!log) {
    return axis(setting, {
      type: 'linear',
      grace: '8%',
      ticks,
      afterDataLimits: (scale) => {
        if (low >= 0) scale.min = Math.max(0, scale.min);
      },
    });
  }
  const [min, max] = [low / 1.3, high * 1.3];
  return axis(`${setting} (log scale)`, {
    type: 'logarithmic',
    min,
    max,
    ticks,
    afterBuildTicks: (scale) => {
      scale.ticks = roundNumbers(min, max);
    },
  });
}

function draw(all, x, y, { lower, log, styles }) {
  const values = all.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const merit = ({ value }) =>
    high > low ? (lower ? high - value : value - low) / (high - low) : 1;
  const shade = (one) =>
    Math.round(40 + 180 * merit(one))
      .toString(16)
      .padStart(2, '0');
  const known = all.filter(({ settings }) => settings[x] !== undefined && settings[y] !== undefined);
  const datasets = styles.map(([style, names]) => {
    const ones = known.filter(({ name }) => names.includes(name));
    const { colour: ink, mark } = series(style);
    return {
      seriesAt: style,
      data: ones.map((one) => ({ x: Number(one.settings[x]), y: Number(one.settings[y]), one })),
      clip: 20,
      pointStyle: mark,
      pointRadius: ones.map((one) => 4 + 10 * merit(one) ** 2),
      pointHoverRadius: 15,
      backgroundColor: ones.map((one) => ink + shade(one)),
      borderColor: ink,
      borderWidth: 1,
    };
  });
  return {
    type: 'scatter',
    data: { datasets: datasets.filter(({ data }) => data.length) },
    options: {
      interaction: { mode: 'nearest', intersect: false, axis: 'xy' },
      scales: {
        x: numberAxis(x, numbersOf(all, x, log)),
        y: numberAxis(y, numbersOf(all, y, log)),
      },
      plugins: {
        tooltip: {
          callbacks: {
            title: ([item]) => item?.raw.one.name ?? '',
            label: ({ raw }) => [
              `validation ${fixed(raw.one.value)}`,
              `${x} ${brief(raw.x)}`,
              `${y} ${brief(raw.y)}`,
            ],
          },
        },
      },
    },
  };
}

// Nothing, unless there are two settings with numbers. how: lower (is better), log (settings that
// were searched on a logarithmic scale), styles ([style, names of methods]...), legend.
export function landscape(all, settings, how) {
  const { styles, legend } = how;
  const known = settings.filter((name) => numbersOf(all, name));
  if (known.length < 2) return '';
  const at = [0, 1];
  const used = (x, y) =>
    new Set(
      styles
        .filter(([, names]) =>
          all.some(({ name, settings: of }) => names.includes(name) && x in of && y in of),
        )
        .map(([style]) => style),
    );
  const chart = () => {
    const [x, y] = at.map((i) => known[i]);
    return figure({
      title: `${y} against ${x}`,
      legend: legend?.filter(([style]) => used(x, y).has(style)),
      draw: () => draw(all, x, y, how),
      label: `Scatter chart of trials by ${x} and ${y}; larger and more opaque points are better`,
      caption: 'Larger and more opaque points are better trials on validation data.',
    });
  };
  const holder = el('div', {}, chart());
  const pick = (label, which) =>
    choice(label, known, at[which], (i) => {
      at[which] = i;
      holder.replaceChildren(chart());
      drawNew();
    });
  return el('div', {}, el('div', { class: 'choices' }, pick('Horizontal', 0), pick('Vertical', 1)), holder);
}
