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

// The pairs, the better one first; a one-sided test asked about the later one, which then is first.
// list: contrasts; names: of rankers; sided: '1' or '2'.
export function contrastRows(list, names, lowerIsBetter, sided) {
  const sense = lowerIsBetter ? -1 : 1;
  return list
    .map((k) => (sided === '2' && sense * k.difference < 0 ? turned(k) : k))
    .map((k) => ({
      ...k,
      first: names[k.b],
      second: names[k.a],
      label: `${names[k.b]} − ${names[k.a]}`,
      real: k.p_holm !== null && k.p_holm < 0.05,
      better: sense * k.difference > 0,
    }));
}

export function contrastTable(rows, holm, caption) {
  const cells = rows.map((k) => {
    const [mark, word] = k.real
      ? k.better
        ? ['up', '▲ better']
        : ['down', '▼ worse']
      : [null, '≈ unclear'];
    return [
      {
        show: el('span', {}, el('b', {}, k.first), ' against ', k.second),
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
    'Difference',
    'Interval',
    'p',
    ...(holm ? ['p (Holm)'] : []),
    {
      title: 'Won / equal / lost',
      note: 'queries where the first of the pair is better, equal, worse',
    },
    { title: 'Verdict', class: 'left' },
  ];
  return table(caption, heads, cells);
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
    title: 'Differences with their intervals',
    label: `Chart of differences: ${rows.map(({ label, difference }) => `${label} ${signed(difference)}`).join('; ')}`,
    height: `${5 + 2.6 * rows.length}rem`,
    draw: () => whiskers(drawn(rows), 'difference', signed, true),
    caption:
      "A filled diamond: significant after Holm's correction; a ring: not. The line through 0 is no difference.",
  });
}

export function comparison(section) {
  const set = currentSet();
  const rows = contrastRows(
    set.contrasts[looking.metric],
    names,
    currentMetric().lower_is_better,
    set.test.sided,
  );
  const sided = set.test.sided === '1' ? 'one-sided' : 'two-sided';
  section.append(
    el(
      'p',
      {},
      'Is the difference real, or would other queries turn it around? Each pair is compared query by query.',
    ),
    rows.length
      ? contrastTable(rows, names.length > 2, 'Every pair of rankers, tested')
      : el(
          'p',
          { class: 'remark' },
          'No query has a value for both of a pair, so there is nothing to test.',
        ),
    rows.length ? contrastFigure(rows) : '',
    el(
      'p',
      { class: 'convention' },
      `${measured()}. Test: ${set.test.name}, ${set.test.summary}; ${sided}; p (Holm) is corrected for all pairs of this metric.`,
    ),
  );
}
