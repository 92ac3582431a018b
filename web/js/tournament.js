// Methods in a tournament: the best settings of each, on test queries.

import { figure } from './charts.js';
import { el } from './dom.js';
import { brief, count, fixed, interval, pValue, size } from './format.js';
import { table } from './tables.js';
import { whiskers } from './whiskers.js';

function words(settings) {
  return (
    Object.entries(settings ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join(' ') || 'the defaults'
  );
}

const number = (value, show) => ({
  show: Number.isFinite(value) ? show(value) : '–',
  sort: value ?? NaN,
});

function placeRow(place, tested) {
  return [
    place.method,
    number(place.valid, fixed),
    ...(tested
      ? [
          number(place.test, fixed),
          { show: interval(place.test_low, place.test_high), sort: place.test_low ?? NaN },
          number(place.p_adjusted, pValue),
        ]
      : []),
    number(place.rounds, brief),
    number(place.bytes, size),
    number(place.trials, count),
    number(place.seconds, (value) => fixed(value, 1)),
    { show: el('code', {}, place.failed ?? words(place.settings)), sort: words(place.settings) },
  ];
}

export function tournament({ file, places, about }) {
  const tested = places.some(({ test }) => Number.isFinite(test));
  const heads = [
    'Method',
    'Validation',
    ...(tested ? ['Test', '95 % interval', 'p (Holm)'] : []),
    'Rounds',
    'Size',
    'Trials',
    'Seconds',
    { title: 'Best settings', class: 'left wrap' },
  ];
  const rows = places
    .filter(({ test }) => Number.isFinite(test))
    .map(({ method, test, test_low: low, test_high: high, p_adjusted: p }, i) => ({
      label: method,
      name: method,
      value: test,
      low,
      high,
      strong: i === 0 || (Number.isFinite(p) && p < 0.05),
    }));
  return el(
    'div',
    {},
    el('p', {}, `Tournament: ${places[0].method} is the best on validation data.`),
    table(
      `Methods of ${file}`,
      heads,
      places.map((place) => placeRow(place, tested)),
    ),
    rows.length
      ? figure({
          title: 'Methods on test queries',
          label: `Chart of test values: ${rows.map(({ name, value }) => `${name} ${fixed(value)}`).join('; ')}`,
          height: `${5 + 1.9 * rows.length}rem`,
          draw: () => whiskers(rows, 'test', fixed),
          caption: `${about}. Intervals of 95 %. p: paired t test on the test queries against the first, which is the best on validation data, corrected by Holm. Filled: the first, and those that differ from it significantly.`,
        })
      : '',
  );
}
