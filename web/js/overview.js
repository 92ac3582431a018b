// What was measured, who is best, and every mean with its interval.

import { el, choice } from './dom.js';
import { named } from './charts.js';
import { count, fixed, interval, many, pValue } from './format.js';
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

function between(contrasts, i, k) {
  return contrasts.find(({ a, b }) => (a === i && b === k) || (a === k && b === i));
}

function verdict(set, metric) {
  const [first, second] = order(set, metric);
  const what = set.metrics[metric].name;
  if (first === undefined) return `No query has a value of ${what}.`;
  const { mean, low, high } = set.systems[first].means[metric];
  const sentence = `${names[first]} has ${what} ${fixed(mean)} ${interval(low, high)}`.trim();
  if (second === undefined) return `${sentence}.`;
  const gap = Math.abs(mean - set.systems[second].means[metric].mean);
  return `${sentence}, the best of ${set.systems.length}. The next is ${names[second]}, ${fixed(gap)} away${tested(set, between(set.contrasts[metric], first, second), first)}`;
}

// What the test says of the first against the second; a one-sided one asked about the later of them.
function tested(set, contrast, first) {
  if (!Number.isFinite(contrast?.p_holm) || (set.test.sided === '1' && contrast.b !== first))
    return '.';
  const told = `p = ${pValue(contrast.p_holm)}${set.systems.length > 2 ? " after Holm's correction" : ''}`;
  return contrast.p_holm < 0.05
    ? `: the difference is significant (${told}).`
    : `: with these queries the two cannot be told apart (${told}).`;
}

function cards(set, metric) {
  const [best] = order(set, metric);
  const facts = [
    [
      best === undefined ? '–' : fixed(set.systems[best].means[metric].mean),
      `${set.metrics[metric].name}, the best: ${names[best] ?? 'none'}`,
    ],
    [count(set.metrics[metric].counted), `of ${many(set.queries, 'query', 'queries')} measured`],
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
  const said = new Map(); // what is said of a metric, and of which others too
  const say = (name, words) => said.set(words, [...(said.get(words) ?? []), name]);
  for (const { name, counted, empty, brief } of set.metrics) {
    if (empty)
      say(
        name,
        `${count(empty)} of ${count(set.queries)} queries have no relevant document or nothing to order; the mean is over ${count(counted)}.`,
      );
    if (brief)
      say(
        name,
        `${count(brief)} of ${count(set.queries)} queries have fewer documents than the depth.`,
      );
  }
  const lines = [...said].map(([words, metrics]) =>
    el('li', {}, `${metrics.join(', ')}: ${words}`),
  );
  if (set.weighted)
    lines.push(
      el('li', {}, 'Means weigh queries as the data do; intervals and tests count each once.'),
    );
  return lines.length ? el('ul', { class: 'quiet' }, ...lines) : null;
}

function means(set) {
  const best = set.metrics.map((_, m) => order(set, m)[0]);
  const rows = set.systems.map((system, i) => [
    { show: named(i, names[i]), sort: names[i] },
    ...system.means.map(({ mean, low, high }, m) => ({
      sort: mean ?? NaN,
      show: el(
        'span',
        {},
        el('span', { class: best[m] === i ? 'best' : null }, fixed(mean)),
        best[m] === i && set.systems.length > 1
          ? el(
              'span',
              { class: 'best', title: 'the best' },
              ' ★',
              el('span', { class: 'spoken' }, ' best'),
            )
          : null,
        el('br'),
        el('small', {}, interval(low, high)),
      ),
    })),
  ]);
  const heads = set.metrics.map(({ name, lower_is_better: lower }) => ({
    title: lower ? `${name} (lower is better)` : name,
  }));
  return table('Means by ranker and metric', ['Ranker', ...heads], rows);
}

export function overview(section, again) {
  const set = currentSet();
  const share = Math.round(100 * Number(set.test.confidence));
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
      `Means over the queries of ${set.data}, in brackets their ${share} % intervals by Student's t. Convention ${set.convention}: ${set.switches}.`,
    ),
  );
  const notes = remarks(set);
  if (notes) section.append(notes);
}
