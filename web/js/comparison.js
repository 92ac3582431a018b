// SPDX-License-Identifier: Apache-2.0
// Every pair of rankers: difference, interval, test.

import { figure } from './charts.js';
import { el } from './dom.js';
import { interval, pValue, signed } from './format.js';
import { currentMetric, currentSet, looking, measured, names } from './state.js';
import { table } from './tables.js';
import { whiskers } from './whiskers.js';

function turned(k) {
  return {
    ...k,
    a: k.b,
    b: k.a,
    difference: -k.difference,
    low: -k.high,
    high: -k.low,
    wins: k.losses,
    losses: k.wins,
  };
}

// The pairs, sorted by the advantage of the first ranker, the largest first. The better ranker is the
// first of its pair; in a one-sided test the later one is, since the test asks whether it is better.
// list: contrasts; names: of rankers; sided: 1 or 2.
export function contrastRows(list, names, lowerIsBetter, sided) {
  const sense = lowerIsBetter ? -1 : 1;
  return list
    .map((k) => (sided === 2 && sense * k.difference < 0 ? turned(k) : k))
    .map((k) => ({
      ...k,
      first: names[k.b],
      second: names[k.a],
      label: `${names[k.b]} − ${names[k.a]}`,
      real: k.p_holm !== null && k.p_holm < 0.05,
      better: sense * k.difference > 0,
    }))
    .sort((x, y) => sense * (y.difference - x.difference));
}

export function contrastTable(rows, holm, caption, lowerIsBetter) {
  const cells = rows.map((k) => {
    const [mark, word] = k.real
      ? k.better
        ? ['up', '▲ better']
        : ['down', '▼ worse']
      : [null, '≈ tied'];
    return [
      {
        show: el('span', {}, el('b', {}, k.first), ' vs. ', k.second),
        sort: `${k.first} ${k.second}`,
      },
      { show: signed(k.difference), sort: k.difference },
      { show: interval(k.low, k.high, signed), sort: k.low ?? NaN },
      { show: pValue(k.p), sort: k.p ?? NaN },
      ...(holm ? [{ show: pValue(k.p_holm), sort: k.p_holm ?? NaN }] : []),
      { show: `${k.wins} / ${k.ties} / ${k.losses}`, sort: k.wins - k.losses },
      { show: el('span', { class: mark }, word), sort: word },
    ];
  });
  const heads = [
    'Pair',
    { title: 'Difference', lower: lowerIsBetter },
    'Interval',
    { title: 'p', lower: true },
    ...(holm ? [{ title: 'p (Holm)', lower: true }] : []),
    {
      title: 'Wins / ties / losses',
      note: 'queries on which the first of the pair is better, equal, worse',
    },
    { title: 'Verdict', class: 'left' },
  ];
  return table(caption, heads, cells, { by: 1 });
}

function drawn(rows) {
  return rows.map(({ first, second, label, difference, low, high, real }) => ({
    label: [first, `− ${second}`],
    name: label,
    value: difference,
    low,
    high,
    strong: real,
  }));
}

export function contrastFigure(rows) {
  return figure({
    title: 'Differences with confidence intervals',
    label: `Chart of differences: ${rows.map(({ label, difference }) => `${label} ${signed(difference)}`).join('; ')}`,
    height: `${5 + 2.6 * rows.length}rem`,
    draw: () => whiskers(drawn(rows), 'difference', signed, true),
    caption:
      "Filled: significant after Holm's correction (p < 0.05); hollow: not significant. At 0 there is no difference.",
  });
}

export function comparison(section) {
  const set = currentSet();
  const lower = currentMetric().lower_is_better;
  const rows = contrastRows(set.contrasts[looking.metric], names, lower, set.test.sided);
  const sided = set.test.sided === 1 ? 'one-sided' : 'two-sided';
  section.append(
    el(
      'p',
      {},
      'Each pair of rankers is tested on the differences of their values by query.',
    ),
    rows.length
      ? contrastTable(rows, names.length > 2, 'Every pair of rankers, tested', lower)
      : el(
          'p',
          { class: 'remark' },
          'No query has a value for both rankers of a pair: there is nothing to test.',
        ),
    rows.length ? contrastFigure(rows) : '',
    el(
      'p',
      { class: 'convention' },
      `${measured()}. Test: ${set.test.name}, ${set.test.summary}; ${sided}; p (Holm): corrected for all pairs on this metric.`,
    ),
  );
}
