// SPDX-License-Identifier: Apache-2.0
// The best ranker or rankers, and every mean with its confidence interval.

import { el, choice } from './dom.js';
import { named } from './charts.js';
import { count, fixed, interval, listed, many, percent, pText, pValue } from './format.js';
import { currentSet, looking, names, report } from './state.js';
import { table } from './tables.js';

function order(set, metric) {
  const sense = set.metrics[metric].lower_is_better ? 1 : -1;
  const mean = (i) => set.systems[i].means[metric].mean ?? NaN;
  return set.systems
    .map((_, i) => i)
    .filter((i) => Number.isFinite(mean(i)))
    .sort((i, k) => sense * (mean(i) - mean(k)));
}

// p after Holm's correction of the better against another; NaN: it was not tested. A one-sided test
// asks only whether the later ranker is better.
function pAgainst(set, metric, better, other) {
  const pair = set.contrasts[metric]?.find(
    ({ a, b }) => (a === better && b === other) || (a === other && b === better),
  );
  return set.test.sided === 1 && pair?.b !== better ? NaN : (pair?.p_holm ?? NaN);
}

// The best ranker of a metric and those that are not significantly different from it.
function leaders(set, metric) {
  const [first, ...others] = order(set, metric);
  return first === undefined
    ? []
    : [first, ...others.filter((i) => !(pAgainst(set, metric, first, i) < 0.05))];
}

const holm = (set) => (set.systems.length > 2 ? " after Holm's correction" : '');

// The best in a sentence, and whether it is significantly better than the others.
function verdict(set, metric) {
  const all = order(set, metric);
  const [first, ...tied] = leaders(set, metric);
  const { name: what, lower_is_better: lower } = set.metrics[metric];
  if (first === undefined) return `No query has a value of ${what}.`;
  const { mean, low, high } = set.systems[first].means[metric];
  const value = `${fixed(mean)} ${interval(low, high)}`.trim();
  if (all.length === 1) return `${names[first]} has ${what} ${value}.`;
  const sentence = `${names[first]} has the ${lower ? 'lowest' : 'highest'} ${what}, ${value}`;
  const ps = all.slice(1).map((i) => pAgainst(set, metric, first, i));
  if (tied.length === 0)
    return `${sentence}, significantly better than ${all.length === 2 ? names[all[1]] : 'all others'} (${pText(Math.max(...ps))}${holm(set)}${ps.length > 1 ? ' or less' : ''}).`;
  const known = tied.map((i) => pAgainst(set, metric, first, i)).filter(Number.isFinite);
  if (known.length === 0) return `${sentence}; the differences were not tested.`;
  const [least, most] = [Math.min(...known), Math.max(...known)].map(pValue);
  const range = least === most ? pText(known[0]) : `p from ${least} to ${most}`;
  return `${sentence}, but is statistically tied with ${listed(tied.map((i) => names[i]))} (${range}${holm(set)}).`;
}

function cards(set, metric) {
  const [best, ...tied] = leaders(set, metric);
  const { name, lower_is_better: lower, counted } = set.metrics[metric];
  const others = tied.length ? `, tied with ${many(tied.length, 'other', 'others')}` : '';
  const facts = [
    [
      best === undefined ? '–' : fixed(set.systems[best].means[metric].mean),
      `${lower ? 'lowest' : 'highest'} ${name}: ${names[best] ?? 'none'}${others}`,
    ],
    [count(counted), `of ${many(set.queries, 'query', 'queries')} evaluated`],
    [count(set.rows), `documents, ${many(set.features, 'feature', 'features')}`],
    [String(set.systems.length), set.systems.length === 1 ? 'ranker' : 'rankers compared'],
  ];
  return el(
    'ul',
    { class: 'cards' },
    ...facts.map(([value, what]) => el('li', {}, el('b', {}, value), el('span', {}, what))),
  );
}

function remarks(set) {
  const notes = new Map(); // text to the metrics that it holds for
  const note = (name, words) => notes.set(words, [...(notes.get(words) ?? []), name]);
  for (const { name, counted, empty, brief } of set.metrics) {
    if (empty)
      note(
        name,
        `${count(empty)} of ${count(set.queries)} queries have no relevant document or only one grade; the mean is over ${count(counted)}.`,
      );
    if (brief)
      note(
        name,
        `${count(brief)} of ${count(set.queries)} queries have fewer documents than the cutoff.`,
      );
  }
  const lines = [...notes].map(([words, metrics]) =>
    el('li', {}, `${metrics.join(', ')}: ${words}`),
  );
  if (set.weighted)
    lines.push(
      el('li', {}, 'Means use the query weights of the data; intervals and tests weight all queries equally.'),
    );
  return lines.length ? el('ul', { class: 'quiet' }, ...lines) : null;
}

// The mark of the best ranker, or of those that are tied for the best.
function leaderMark(group, i) {
  if (!group.includes(i)) return null;
  const [mark, words] = group.length === 1 ? ['★', 'best'] : ['≈', 'tied for best'];
  return el(
    'span',
    { class: 'best', title: words },
    ` ${mark}`,
    el('span', { class: 'spoken' }, ` ${words}`),
  );
}

function means(set) {
  const several = set.systems.length > 1;
  const groups = set.metrics.map((_, m) => (several ? leaders(set, m) : []));
  const rows = set.systems.map((system, i) => [
    { show: named(i, names[i]), sort: names[i] },
    ...system.means.map(({ mean, low, high }, m) => ({
      sort: mean ?? NaN,
      show: el(
        'span',
        {},
        el('span', { class: groups[m].includes(i) ? 'best' : null }, fixed(mean)),
        leaderMark(groups[m], i),
        el('br'),
        el('small', {}, interval(low, high)),
      ),
    })),
  ]);
  const heads = set.metrics.map(({ name, lower_is_better: lower }) => ({
    title: lower ? `${name} (lower is better)` : name,
    lower,
  }));
  return table('Means by ranker and metric', ['Ranker', ...heads], rows, {
    by: 1 + looking.metric,
  });
}

function marksMean(set) {
  return ` ★: significantly better than all others${holm(set)} (p < 0.05); ≈: not significantly different from the best.`;
}

export function overview(section, again) {
  const set = currentSet();
  const confidence = percent(Number(set.test.confidence), 0);
  const choices = el(
    'div',
    { class: 'choices' },
    report.sets.length > 1
      ? choice(
          'Data',
          report.sets.map(({ data }) => data),
          looking.set,
          (i) => again({ set: i }),
        )
      : null,
    set.metrics.length > 1
      ? choice(
          'Metric',
          set.metrics.map(({ name }) => name),
          looking.metric,
          (i) => again({ metric: i }),
        )
      : null,
  );
  section.append(
    el('p', { class: 'lead' }, verdict(set, looking.metric)),
    choices.children.length ? choices : '',
    cards(set, looking.metric),
    means(set),
  );
  section.append(
    el(
      'p',
      { class: 'convention' },
      `Means over the queries of ${set.data} with ${confidence} confidence intervals (Student's t).${set.systems.length > 1 ? marksMean(set) : ''} Convention ${set.convention}: ${set.switches}.`,
    ),
  );
  const notes = remarks(set);
  if (notes) section.append(notes);
}
