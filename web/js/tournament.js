// SPDX-License-Identifier: Apache-2.0
// A tournament of methods: the best settings of each, on test queries.

import { figure, named } from './charts.js';
import { el } from './dom.js';
import { brief, count, fixed, interval, listed, many, percent, pText, pValue, size } from './format.js';
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

// Whether there is a clear winner; on: the queries that the probabilities are of.
function verdict(places, { on, queries }) {
  const [first] = places;
  const others = places.slice(1).filter(({ contender }) => contender);
  const names = listed(others.map(({ method }) => method));
  const chance = `is the best in ${first.contender ? '' : 'only '}${percent(first.prob_best)} of 10,000 bootstrap resamples of the ${many(queries, `${on} query`, `${on} queries`)}${on === 'validation' ? ' (which also selected the settings)' : ''}`;
  if (!others.length) return `Clear winner: ${first.method} ${chance}.`;
  const rest = first.contender
    ? ` and is not clearly better than ${names}`
    : `; ${names} ${others.length === 1 ? 'is' : 'are'} the best more often`;
  return `No clear winner: ${first.method}${first.contender ? '' : ', the best on validation data,'} ${chance}${rest}. Combine them rather than choose one: gradus auto does so, or train each and average them with gradus ensemble.`;
}

// The sentence about the winner of a run of an earlier version, which has no probabilities.
function tiedWith(places) {
  const tied = places.filter(({ p_adjusted: p }) => p >= 0.05).map(({ method }) => method);
  return `Tournament: ${places[0].method} is the best on validation data${tied.length ? `; on test queries it is statistically tied with ${listed(tied)}` : ''}.`;
}

function placeRow(place, tested, judged, style) {
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
    ...(judged ? [number(place.prob_best, (value) => fixed(value, 3))] : []),
    number(place.rounds, brief),
    number(place.bytes, size),
    number(place.trials, count),
    number(place.seconds, (value) => fixed(value, 1)),
    { show: el('code', {}, place.failed ?? words(place.settings)), sort: words(place.settings) },
  ];
}

// style: of a method.
export function tournament({ file, places, about, trials, best }, style) {
  const tested = places.some(({ test }) => Number.isFinite(test));
  const judged = Number.isFinite(places[0].prob_best);
  const heads = [
    'Method',
    { title: 'Validation', lower: trials.some(({ lower }) => lower) },
    ...(tested ? ['Test', '95% interval', { title: 'p (Holm)', lower: true }] : []),
    ...(judged
      ? [{ title: 'P(best)', note: 'probability of being the best method, by bootstrap' }]
      : []),
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
  return el(
    'div',
    {},
    el('p', {}, judged ? verdict(places, best) : tiedWith(places)),
    table(
      `Methods of ${file}`,
      heads,
      places.map((place) => placeRow(place, tested, judged, style)),
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
