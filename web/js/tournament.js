// SPDX-License-Identifier: Apache-2.0
// A tournament of methods: the best settings of each, on test queries.

import { figure, named } from './charts.js';
import { el } from './dom.js';
import { brief, count, fixed, interval, listed, pText, pValue, size } from './format.js';
import { table } from './tables.js';
import { whiskers } from './whiskers.js';

function words(settings) {
  return (
    Object.entries(settings ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join(' ') || 'all defaults'
  );
}

const number = (value, show) => ({
  show: Number.isFinite(value) ? show(value) : '–',
  sort: value ?? NaN,
});

function placeRow(place, tested, style) {
  return [
    { show: named(style(place.method), place.method), sort: place.method },
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

// style: of a method.
export function tournament({ file, places, about, trials }, style) {
  const tested = places.some(({ test }) => Number.isFinite(test));
  const heads = [
    'Method',
    { title: 'Validation', lower: trials.some(({ lower }) => lower) },
    ...(tested ? ['Test', '95% interval', { title: 'p (Holm)', lower: true }] : []),
    'Rounds',
    { title: 'Size', lower: true },
    'Trials',
    { title: 'Seconds', lower: true },
    { title: 'Best settings', class: 'left wrap' },
  ];
  const rows = places
    .filter(({ test }) => Number.isFinite(test))
    .map(({ method, test, test_low: low, test_high: high, p_adjusted: p }) => ({
      label: Number.isFinite(p) ? [method, pText(p)] : method,
      name: method,
      style: style(method),
      value: test,
      low,
      high,
      strong: true,
    }));
  const tied = places.filter(({ p_adjusted: p }) => p >= 0.05).map(({ method }) => method);
  return el(
    'div',
    {},
    el(
      'p',
      {},
      `Tournament: ${places[0].method} is the best on validation data${tied.length ? `; on test queries it is statistically tied with ${listed(tied)}` : ''}.`,
    ),
    table(
      `Methods of ${file}`,
      heads,
      places.map((place) => placeRow(place, tested, style)),
      { by: 1 },
    ),
    rows.length
      ? figure({
          title: 'Methods on test queries',
          label: `Chart of test values: ${rows.map(({ name, value }) => `${name} ${fixed(value)}`).join('; ')}`,
          height: `${5 + 2.6 * rows.length}rem`,
          draw: () => whiskers(rows, 'test', fixed),
          caption: `${about}. 95% confidence intervals. p: paired t test on the test queries against ${places[0].method}, the best on validation data, with Holm's correction.`,
        })
      : '',
  );
}
