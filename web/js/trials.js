// SPDX-License-Identifier: Apache-2.0
// The journal of a tuning run: trials, the best so far, and validation values by setting.

import { axis, figure, named } from './charts.js';
import { commandBlock, el } from './dom.js';
import { brief, count, fixed, many } from './format.js';
import { landscape, numberAxis, numbersOf } from './landscape.js';
import { report } from './state.js';
import { styleOf } from './styles.js';
import { table } from './tables.js';
import { colour, series } from './theme.js';
import { tournament } from './tournament.js';

const outcomes = ['valid', 'value', 'score', 'mean', 'metric'];

function outcome(value) {
  if (typeof value === 'number') return value;
  return outcomes.map((name) => value?.[name]).find((number) => typeof number === 'number') ?? NaN;
}

function settingsOf(words) {
  return Object.fromEntries(
    words
      .split(/\s+/)
      .filter((word) => word.includes('='))
      .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );
}

// A key is "name | settings | fold | 1/4", of which parts may be missing; the last is the fraction of the
// rounds that the trial was given, if not all.
function readTrial({ key, value }) {
  const parts = key.split(' | ');
  const fraction = parts.find((part) => /^1\/\d+$/.test(part));
  const words = parts.find((part) => part.includes('=')) ?? '';
  const [name = '', fold = ''] = parts.filter((part) => part !== words && part !== fraction);
  return {
    name,
    fold,
    words,
    part: fraction ? Number(fraction.slice(2)) : 1,
    failed: value?.failed,
    settings: value?.settings ?? settingsOf(words),
    value: outcome(value),
    train: value?.train ?? NaN,
    rounds: value?.rounds ?? NaN,
    seconds: value?.seconds ?? NaN,
    lower: Boolean(value?.lower_is_better),
  };
}

// A trial of `gradus tune --json`, all folds together.
function readEvent(event, { lower_is_better: lower = false } = {}) {
  const words = Object.entries(event.settings ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
  return {
    name: event.method ?? '',
    fold: '',
    words: `method=${event.method} ${words}`,
    part: event.part ?? 1,
    failed: event.failed,
    settings: settingsOf(words),
    value: event.valid ?? NaN,
    train: NaN,
    rounds: event.rounds ?? NaN,
    seconds: event.seconds ?? NaN,
    lower,
  };
}

function readRun({ file, cut, values }) {
  const of = (kind) => values.filter((one) => one?.event === kind);
  const [done] = of('done');
  const all = [
    ...values.filter((one) => typeof one?.key === 'string').map(readTrial),
    ...of('trial').map((event) => readEvent(event, done)),
  ];
  const about = done
    ? `${done.metric}, convention ${done.convention}, ${many(done.folds, 'fold', 'folds')}`
    : (values[0]?.about ?? '');
  return {
    file,
    cut,
    about,
    places: of('place'),
    best: { on: done?.best_on ?? 'test', queries: done?.best_queries ?? NaN },
    command: done?.command,
    log: (done ?? values[0])?.log_scale?.split(',') ?? null,
    ranked: of('trial').length > 0,
    trials: all.filter(({ value }) => Number.isFinite(value)),
    failures: all.filter(({ failed }) => failed),
  };
}

export function journals() {
  return report.runs.map(readRun).filter(({ trials }) => trials.length);
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

// The same settings on several folds are one trial; its value is the mean of those with the largest
// fraction of rounds.
function merged(trials) {
  const groups = new Map();
  for (const trial of trials) {
    const key = `${trial.name} | ${trial.words}`;
    groups.set(key, [...(groups.get(key) ?? []), trial]);
  }
  const largest = (group) =>
    group.filter(({ part }) => part === Math.min(...group.map((one) => one.part)));
  return [...groups.values()].map(largest).map((group) => ({
    ...group[0],
    folds: group.length,
    value: mean(group.map(({ value }) => value)),
    train: mean(group.map(({ train }) => train)),
    rounds: mean(group.map(({ rounds }) => rounds)),
    seconds: group.reduce((sum, { seconds }) => sum + seconds, 0),
  }));
}

function varying(all) {
  const settings = [...new Set(all.flatMap((one) => Object.keys(one.settings)))];
  const values = (name) =>
    all.map((one) => one.settings[name]).filter((value) => value !== undefined);
  return settings.filter((name) => new Set(values(name)).size > 1);
}

const mostSeries = 8;

// The methods of a journal, the best first.
function ranked(all, lower) {
  const best = new Map();
  for (const { name, value } of all) {
    const before = best.get(name);
    if (before === undefined || (lower ? value < before : value > before)) best.set(name, value);
  }
  const sense = lower ? 1 : -1;
  return [...best.keys()].sort((x, y) => sense * (best.get(x) - best.get(y)));
}

// The style of a method in all journals of the page. If there are many methods, only the best of the
// journals have their own style, and the others are grey.
function methodStyles(all) {
  const lists = all.map(({ trials }) => ranked(trials, trials.some(({ lower }) => lower)));
  const places = new Map();
  for (const list of lists)
    list.forEach((name, i) => places.set(name, Math.min(i, places.get(name) ?? Infinity)));
  const names = all.flatMap(({ trials }) => trials.map(({ name }) => name));
  const order = [...new Set(names)];
  const chosen =
    order.length > mostSeries
      ? order.sort((x, y) => places.get(x) - places.get(y)).slice(0, mostSeries)
      : order;
  chosen.forEach(styleOf); // in this order
  return (name) => (chosen.includes(name) ? styleOf(name) : 'other');
}

// The methods by style, the grey ones last and together: [style, label, names]...
function groups(all, style) {
  const names = [...new Set(all.map(({ name }) => name))];
  const grey = names.filter((name) => style(name) === 'other');
  return [
    ...names
      .filter((name) => style(name) !== 'other')
      .sort((x, y) => style(x) - style(y))
      .map((name) => [style(name), name || 'trial', [name]]),
    ...(grey.length ? [['other', 'other methods', grey]] : []),
  ];
}

// Points of trials, one dataset per style. point: returns {x, y, one}; x undefined: no point.
function pointSets(all, methods, point) {
  const points = all.map(point).filter(({ x }) => x !== undefined);
  return methods
    .map(([style, label, names]) => ({
      type: 'scatter',
      label,
      seriesAt: style,
      data: points.filter(({ one }) => names.includes(one.name)),
      pointStyle: series(style).mark,
      pointRadius: style === 'other' ? 2 : 5,
      pointHoverRadius: 8,
      borderColor: series(style).colour,
      backgroundColor: `${series(style).colour}66`,
    }))
    .filter(({ data }) => data.length);
}

function drawProgress(all, methods, lower, ranked) {
  const better = lower ? Math.min : Math.max;
  let best = lower ? Infinity : -Infinity;
  const record = all.map(({ value }, i) => ({ x: i + 1, y: (best = better(best, value)) }));
  return {
    type: 'line',
    data: {
      datasets: [
        ...pointSets(all, methods, (one, at) => ({ x: at + 1, y: one.value, one })),
        {
          label: 'best so far',
          data: record,
          stepped: true,
          borderColor: colour('ink'),
          borderWidth: 1.5,
          pointRadius: 0,
          isBand: true,
        },
      ],
    },
    options: {
      interaction: { mode: 'nearest', intersect: false, axis: 'xy' },
      scales: {
        x: axis(ranked ? 'rank' : 'trial', { type: 'linear', ticks: { precision: 0 } }),
        y: axis('validation'),
      },
      plugins: { tooltip: pointed() },
    },
  };
}

function pointed() {
  return {
    callbacks: {
      title: ([item]) => item?.raw.one?.name ?? '',
      label: ({ raw }) => [
        `validation ${fixed(raw.y)}`,
        ...Object.entries(raw.one?.settings ?? {}).map(([name, value]) => `${name} ${value}`),
      ],
    },
  };
}

function drawSetting(all, methods, setting, log) {
  const isNumber = numbersOf(all, setting, log);
  const labels = isNumber
    ? undefined
    : [
        ...new Set(all.map((one) => one.settings[setting]).filter((value) => value !== undefined)),
      ].sort();
  const x = isNumber
    ? numberAxis(setting, isNumber)
    : axis(setting, { type: 'category', labels, offset: true });
  const datasets = pointSets(all, methods, (one) => ({
    x:
      isNumber && one.settings[setting] !== undefined
        ? Number(one.settings[setting])
        : one.settings[setting],
    y: one.value,
    one,
  }));
  return {
    type: 'scatter',
    data: { labels, datasets },
    options: {
      interaction: { mode: 'nearest', intersect: false, axis: 'xy' },
      scales: { x, y: axis('validation') },
      plugins: { tooltip: pointed() },
    },
  };
}

function trialTable(file, all, style, settings, lower) {
  const cut = all.some(({ part }) => part > 1);
  const trained = all.some(({ train }) => Number.isFinite(train));
  const sense = lower ? -1 : 1;
  const heads = [
    { title: 'Trial', lower: true },
    { title: 'Validation', lower },
    ...(trained ? ['Training'] : []),
    'Folds',
    ...(cut ? [{ title: 'Fraction', note: 'of the rounds: poor trials were stopped early' }] : []),
    'Rounds',
    'Seconds',
    ...settings,
  ];
  const rows = all.map((one, i) => [
    {
      show: named(style(one.name), `${i + 1}\u00a0${one.name}`),
      sort: i + 1,
    },
    { show: fixed(one.value), sort: one.value - sense * 1e6 * (one.part - 1) }, // whole trials first
    ...(trained ? [{ show: fixed(one.train), sort: one.train }] : []),
    { show: count(one.folds), sort: one.folds },
    ...(cut ? [{ show: one.part > 1 ? `1/${one.part}` : 'all', sort: 1 / one.part }] : []),
    { show: brief(one.rounds), sort: one.rounds },
    { show: fixed(one.seconds, 1), sort: one.seconds },
    ...settings.map((name) => {
      const value = one.settings[name];
      return {
        show: value ?? '–',
        sort: value !== undefined && Number.isFinite(Number(value)) ? Number(value) : (value ?? ''),
      };
    }),
  ]);
  return table(`Trials of ${file}`, heads, rows, { tall: true, by: 1 });
}

// The best trial of each method; trials with more rounds come first.
function methodTable(file, all, lower, style) {
  const sense = lower ? 1 : -1;
  const groups = new Map();
  for (const one of all) groups.set(one.name, [...(groups.get(one.name) ?? []), one]);
  const rows = [...groups.values()]
    .map((group) => ({
      best: [...group].sort((x, y) => x.part - y.part || sense * (x.value - y.value))[0],
      seconds: group.reduce((sum, one) => sum + one.seconds, 0),
      tried: group.length,
    }))
    .sort((x, y) => sense * (x.best.value - y.best.value))
    .map(({ best, seconds, tried }) => [
      { show: named(style(best.name), best.name), sort: best.name },
      { show: fixed(best.value), sort: best.value },
      { show: brief(best.rounds), sort: best.rounds },
      { show: count(tried), sort: tried },
      { show: fixed(seconds, 1), sort: seconds },
      best.words.replace(/^method=\S+ ?/, '') || 'all defaults',
    ]);
  const heads = [
    'Method',
    { title: 'Validation', lower },
    'Rounds',
    'Trials',
    { title: 'Seconds', note: 'of all trials, each at its largest number of rounds', lower: true },
    { title: 'Best settings', class: 'left' },
  ];
  return table(`Methods of ${file}, each with its best trial`, heads, rows, { tall: true, by: 1 });
}

function showJournal(section, journal, style) {
  const all = merged(journal.trials);
  const settings = varying(all);
  const lower = all.some((one) => one.lower);
  const methods = groups(all, style);
  const grey = methods.some(([one]) => one === 'other')
    ? ` Methods other than the ${methods.length - 1} best are grey.`
    : '';
  const whole = all.filter(({ part }) => part === Math.min(...all.map((one) => one.part)));
  const best = whole.reduce((x, y) => ((lower ? y.value < x.value : y.value > x.value) ? y : x));
  const legend = methods.length > 1 ? methods.map(([one, label]) => [one, label]) : null;
  section.append(
    el('h3', {}, journal.file),
    el(
      'p',
      {},
      `${many(all.length, 'trial', 'trials')}${all.length < journal.trials.length ? ` in ${many(journal.trials.length, 'training run', 'training runs')}` : ''}. Best on validation data: ${best.name || 'trial'} with ${fixed(best.value)}, `,
      el('code', {}, best.words || JSON.stringify(best.settings)),
      '.',
    ),
    journal.failures.length
      ? el(
          'p',
          { class: 'remark' },
          `${many(journal.failures.length, 'training run', 'training runs')} failed; the first: ${journal.failures[0].words}: ${journal.failures[0].failed}`,
        )
      : '',
    journal.cut
      ? el(
          'p',
          { class: 'remark' },
          'The last line is incomplete: the run was interrupted, or is still running.',
        )
      : '',
    journal.places.length > 1
      ? tournament(journal, style)
      : new Set(all.map(({ name }) => name)).size > 1
        ? methodTable(journal.file, all, lower, style)
        : '',
    figure({
      title: journal.ranked ? 'Trials by rank' : 'Trials in order, with the best so far',
      legend,
      draw: () => drawProgress(all, methods, lower, journal.ranked),
      label: `Chart of ${many(all.length, 'trial', 'trials')}; the best has ${fixed(best.value)}`,
      caption: `Line: the best${journal.ranked ? '' : ' so far'}${lower ? '; lower is better' : ''}. The best of many trials is optimistic on validation data: evaluate it on a test set.${grey} ${journal.about}.`,
    }),
    el(
      'div',
      { class: 'grid' },
      ...settings.slice(0, 12).map((setting) =>
        figure({
          title: setting,
          shape: 'low',
          legend: legend?.filter(([method]) =>
            all.some((one) => style(one.name) === method && one.settings[setting] !== undefined),
          ),
          draw: () => drawSetting(all, methods, setting, journal.log),
          label: `Scatter chart of validation values by ${setting}`,
        }),
      ),
    ),
    landscape(
      all,
      settings,
      {
        lower,
        log: journal.log,
        styles: methods.map(([one, , names]) => [one, names]),
        legend,
      },
    ),
    trialTable(journal.file, all, style, settings, lower),
    journal.command ? commandBlock(journal.command) : '',
  );
}

export function tuning(section) {
  const all = journals();
  const style = methodStyles(all);
  all.forEach((journal) => showJournal(section, journal, style));
}
