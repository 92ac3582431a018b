// SPDX-License-Identifier: Apache-2.0
// The result of `gradus auto`: what to expect, the members of the ensemble, and the other settings.

import { el } from './dom.js';
import { count, fixed, interval, many, pText } from './format.js';
import { report } from './state.js';
import { table } from './tables.js';

export function automatics() {
  return report.runs
    .map(({ values }) => ({
      members: values.filter((one) => one?.event === 'member'),
      warnings: values.filter((one) => one?.event === 'warning').map(({ text }) => text),
      done: values.find((one) => one?.event === 'done'),
    }))
    .filter(({ members, done }) => members.length && done?.expected);
}

const estimate = ({ mean, low, high }) =>
  Number.isFinite(low) ? `${fixed(mean)} ${interval(low, high)}` : fixed(mean);

function contrast(difference, p, lower) {
  const gain = lower ? -difference : difference;
  return `the ensemble is ${fixed(Math.abs(gain))} ${gain < 0 ? 'worse' : 'better'} (${pText(p)})`;
}

function sentences(done) {
  const { metric, lower_is_better: lower } = done;
  const several = done.members > 1;
  const settings = `${done.single_method} ${done.single_settings}`.trim();
  const lines = [
    `Expected ${metric} on new queries: ${estimate(done.expected)}, from ${many(done.held_queries, 'held-out query', 'held-out queries')} that neither trained nor selected the model.`,
    `Best single model: ${settings}, ${estimate(done.single)}${several || done.fell_back ? `; ${contrast(done.difference, done.p, lower)}${done.fell_back ? ', so this model is used alone' : ''}` : ''}.`,
  ];
  if (Number.isFinite(done.test?.mean))
    lines.push(
      `On the test data: ${estimate(done.test)}${several ? `; best single model ${estimate(done.single_test)}; ${contrast(done.test_difference, done.test_p, lower)}` : ''}.`,
    );
  if (done.skipped) lines.push(`Not tried within the budget: ${done.skipped.replaceAll(',', ', ')}.`);
  return lines;
}

const cell = (value, show) => ({
  show: Number.isFinite(value) ? show(value) : '–',
  sort: value ?? NaN,
});

function memberRow({ method, family, weight, value, error, settings, chosen, failed, seconds }) {
  const words = failed ?? [settings || 'defaults', chosen].filter(Boolean).join('; ');
  return [
    { show: method, sort: method },
    { show: family, sort: family },
    cell(weight, (number) => (number > 0 ? fixed(number, 3) : '–')),
    cell(value, fixed),
    cell(error, fixed),
    cell(seconds, (number) => fixed(number, 1)),
    { show: el('code', {}, words), sort: words },
  ];
}

export function automatic(section) {
  for (const { members, warnings, done } of automatics()) {
    const heads = [
      'Method',
      'Family',
      { title: 'Weight', note: 'of scores divided by their deviation within queries' },
      { title: done.metric, lower: done.lower_is_better, note: 'mean over held-out queries' },
      { title: '±', note: 'standard error', lower: true },
      { title: 'Seconds', lower: true },
      { title: 'Settings; chosen from the data', class: 'left wrap' },
    ];
    section.append(
      ...warnings.map((text) => el('p', { class: 'remark' }, `Warning: ${text}.`)),
      ...sentences(done).map((text) => el('p', {}, text)),
      el(
        'p',
        { class: 'quiet' },
        `${done.metric}, convention ${done.convention}; ${many(done.trials, 'setting', 'settings')}, ${many(done.folds, 'model', 'models')} each; ${count(Math.round(done.search_seconds + done.refit_seconds))} s.`,
      ),
      table('Members of the ensemble, and the other settings', heads, members.map(memberRow), {
        tall: true,
        by: 2,
      }),
    );
  }
}
