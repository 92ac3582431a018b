// SPDX-License-Identifier: Apache-2.0
// Why a document is ranked above one with a higher grade: contributions of features, as a waterfall.

import { choice, el } from './dom.js';
import { brief, score, signed } from './format.js';
import { currentSet, names, report } from './state.js';
import { table } from './tables.js';
import { modelOf, whatIf } from './what_if.js';

export function hasReasons() {
  return report.sets.some(({ reasons: all }) => all?.length > 0);
}

// The position of each bar: from the sum before the feature to the sum after it.
function spans(reason) {
  let at = reason.below.score;
  const steps = [...reason.features.map((row) => row[3]), reason.others].map((by) => {
    const from = at;
    at += by;
    return { by, low: Math.min(from, at), high: Math.max(from, at) };
  });
  const low = Math.min(...steps.map((step) => step.low));
  const wide = Math.max(...steps.map((step) => step.high)) - low || 1;
  return steps.map((step) => ({
    by: step.by,
    left: (100 * (step.low - low)) / wide,
    width: (100 * (step.high - step.low)) / wide,
  }));
}

function bar({ by, left, width }) {
  return el(
    'span',
    { class: 'fall', 'aria-hidden': 'true' },
    el('i', {
      class: by < 0 ? 'down' : null,
      style: `left:${left.toFixed(2)}%;width:${width.toFixed(2)}%`,
    }),
  );
}

function describe(reason) {
  const line = (what, { document: name, grade, rank, score: own }) =>
    `${what} ${name}: rank ${rank}, grade ${brief(grade)}, score ${score(own)}`;
  return el(
    'p',
    {},
    el('b', {}, `Query ${reason.query}: why is ${reason.above.document} above ${reason.below.document}?`),
    el('br'),
    line('A', reason.above),
    el('br'),
    line('B', reason.below),
  );
}

// inputs: of the values of A; without them they are texts.
function waterfall(reason, inputs) {
  const bars = spans(reason);
  const cell = (value) => (value === null ? 'missing' : String(Number(value.toPrecision(6))));
  const rows = reason.features.map(([feature, above, below, by], i) => [
    feature,
    { show: inputs?.[i] ?? cell(above), sort: above ?? NaN },
    { show: cell(below), sort: below ?? NaN },
    { show: signed(by), sort: by },
    { show: bar(bars[i]), sort: Math.abs(by) },
  ]);
  if (reason.others !== 0)
    rows.push(['others', '', '', { show: signed(reason.others), sort: reason.others }, bar(bars.at(-1))]);
  const heads = ['Feature', 'Value in A', 'Value in B', 'Contribution', { title: 'From B to A', class: 'left' }];
  return table(`Why ${reason.above.document} is above ${reason.below.document}`, heads, rows);
}

function invitation(model) {
  if (model)
    return 'Change values of A to see its new score, which the model in this page computes. Contributions stay those of the original values.';
  return `Values cannot be changed here, because ${currentSet().reasons_model?.missing}.`;
}

export function reasons(section) {
  const all = currentSet().reasons ?? [];
  if (!all.length) {
    section.append(el('p', { class: 'quiet' }, 'None on these data.'));
    return;
  }
  const box = el('div', {});
  const model = modelOf(currentSet());
  const show = (i) => {
    const trial = model && whatIf(model, all[i]);
    box.replaceChildren(describe(all[i]), waterfall(all[i], trial?.inputs), trial?.result ?? '');
  };
  const exact = all.every((reason) => reason.exact);
  section.append(
    el(
      'p',
      { class: 'quiet' },
      `The queries with the lowest values of ${names[all[0].system]} where a document is ranked above one with a higher grade. Contributions (Shapley values${exact ? '' : ', sampled'}) add up to the difference of the two scores.`,
    ),
    el('p', { class: 'quiet' }, invitation(model)),
    choice(
      'Query',
      all.map(({ query }) => query),
      0,
      show,
    ),
    box,
  );
  show(0);
}
