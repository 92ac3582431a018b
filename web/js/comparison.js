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
function contrasts() {
  const set = currentSet();
  const sense = currentMetric().lower_is_better ? -1 : 1;
  return set.contrasts[looking.metric]
    .map((k) => (set.test.sided === '2' && sense * k.difference < 0 ? turned(k) : k))
    .map((k) => ({
      ...k,
      label: `${names[k.b]} − ${names[k.a]}`,
      real: k.p_holm !== null && k.p_holm < 0.05,
      better: sense * k.difference > 0,
    }));
}

function contrastTable(rows) {
  const holm = names.length > 2;
  const cells = rows.map((k) => {
    const [mark, word] = k.real
      ? k.better
        ? ['up', '▲ better']
        : ['down', '▼ worse']
      : [null, '≈ unclear'];
    return [
      {
        show: el('span', {}, el('b', {}, names[k.b]), ' against ', names[k.a]),
        sort: `${names[k.b]} ${names[k.a]}`,
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
  return table('Every pair of rankers, tested', heads, cells);
}

function drawn(rows) {
  return rows.map(({ a, b, label, difference, low, high, real }) => ({
    label: [names[b], `− ${names[a]}`],
    name: label,
    value: difference,
    low,
    high,
    strong: real,
  }));
}

export function comparison(section) {
  const set = currentSet();
  const rows = contrasts();
  const sided = set.test.sided === '1' ? 'one-sided' : 'two-sided';
  section.append(
    el(
      'p',
      {},
      'Is the difference real, or would other queries turn it around? Each pair is compared query by query.',
    ),
    rows.length
      ? contrastTable(rows)
      : el(
          'p',
          { class: 'remark' },
          'No query has a value for both of a pair, so there is nothing to test.',
        ),
    rows.length === 0
      ? ''
      : figure({
          title: 'Differences with their intervals',
          label: `Chart of differences: ${rows.map(({ label, difference }) => `${label} ${signed(difference)}`).join('; ')}`,
          height: `${5 + 2.6 * rows.length}rem`,
          draw: () => whiskers(drawn(rows), 'difference', signed, true),
          caption:
            "A filled diamond: significant after Holm's correction; a ring: not. The line through 0 is no difference.",
        }),
    el(
      'p',
      { class: 'convention' },
      `${measured()}. Test: ${set.test.name}, ${set.test.summary}; ${sided}; p (Holm) is corrected for all pairs of this metric.`,
    ),
  );
}
