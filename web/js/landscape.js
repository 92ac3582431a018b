// Where good settings lie: two settings against each other, the value as size and shade.

import { axis, drawNew, figure } from './charts.js';
import { choice, el } from './dom.js';
import { brief, fixed } from './format.js';
import { series } from './theme.js';

// The values of a setting, if all are numbers; and whether they are spread widely.
export function numbersOf(all, setting) {
  const values = all
    .map((one) => one.settings[setting])
    .filter((value) => value !== undefined)
    .map(Number);
  if (!values.length || !values.every(Number.isFinite)) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return { low, high, wide: low > 0 && high / low > 20 };
}

// 1, 2, 5, 10, 20, ... of those from low to high.
function roundNumbers(low, high) {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from(
    { length: Math.ceil(Math.log10(high)) - first + 1 },
    (_, i) => 10 ** (first + i),
  );
  const all = powers.flatMap((power) => [power, 2 * power, 5 * power]);
  return all.filter((number) => number >= low && number <= high).map((value) => ({ value }));
}

export function numberAxis(setting, { low, high, wide }) {
  const ticks = { callback: (tick) => brief(Number(tick), 2) };
  if (!wide) return axis(setting, { type: 'linear', grace: '8%', ticks });
  const [min, max] = [low / 1.3, high * 1.3];
  return axis(setting, {
    type: 'logarithmic',
    min,
    max,
    ticks,
    afterBuildTicks: (scale) => {
      scale.ticks = roundNumbers(min, max);
    },
  });
}

function draw(all, x, y, lower) {
  const values = all.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const merit = ({ value }) =>
    high > low ? (lower ? high - value : value - low) / (high - low) : 1;
  const ink = series(0).colour;
  const shade = (one) =>
    ink +
    Math.round(40 + 180 * merit(one))
      .toString(16)
      .padStart(2, '0');
  const points = all
    .filter(({ settings }) => settings[x] !== undefined && settings[y] !== undefined)
    .map((one) => ({ x: Number(one.settings[x]), y: Number(one.settings[y]), one }));
  return {
    type: 'scatter',
    data: {
      datasets: [
        {
          data: points,
          clip: 20,
          pointRadius: points.map(({ one }) => 4 + 10 * merit(one) ** 2),
          pointHoverRadius: 15,
          backgroundColor: points.map(({ one }) => shade(one)),
          borderColor: ink,
          borderWidth: 1,
        },
      ],
    },
    options: {
      interaction: { mode: 'nearest', intersect: false, axis: 'xy' },
      scales: { x: numberAxis(x, numbersOf(all, x)), y: numberAxis(y, numbersOf(all, y)) },
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

// Nothing, unless there are two settings with numbers.
export function landscape(all, settings, lower) {
  const known = settings.filter((name) => numbersOf(all, name));
  if (known.length < 2) return '';
  const at = [0, 1];
  const chart = () => {
    const [x, y] = at.map((i) => known[i]);
    return figure({
      title: `${y} against ${x}`,
      draw: () => draw(all, x, y, lower),
      label: `Scatter chart of candidates by ${x} and ${y}; larger and stronger is better`,
      caption: 'The larger and stronger a point, the better the candidate on validation data.',
    });
  };
  const holder = el('div', {}, chart());
  const pick = (label, which) =>
    choice(label, known, at[which], (i) => {
      at[which] = i;
      holder.replaceChildren(chart());
      drawNew();
    });
  return el('div', {}, el('div', { class: 'choices' }, pick('Across', 0), pick('Up', 1)), holder);
}
