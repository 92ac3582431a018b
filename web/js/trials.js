// The journal of a tuning: trials, what was best so far, and how each setting mattered.

import { axis, figure, keyOf, line } from './charts.js';
import { el } from './dom.js';
import { brief, count, fixed, many } from './format.js';
import { landscape, numberAxis, numbersOf } from './landscape.js';
import { report } from './state.js';
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

// A key is "name | settings | fold | 1/4", of which parts may be missing; the last is the share of the
// rounds that the trial was given, if not all.
function readTrial({ key, value }) {
  const parts = key.split(' | ');
  const share = parts.find((part) => /^1\/\d+$/.test(part));
  const words = parts.find((part) => part.includes('=')) ?? '';
  const [name = '', fold = ''] = parts.filter((part) => part !== words && part !== share);
  return {
    name,
    fold,
    words,
    part: share ? Number(share.slice(2)) : 1,
    failed: value?.failed,
    settings: value?.settings ?? settingsOf(words),
    value: outcome(value),
    train: value?.train ?? NaN,
    rounds: value?.rounds ?? NaN,
    seconds: value?.seconds ?? NaN,
    lower: Boolean(value?.lower_is_better),
  };
}

// What `gradus tune --json` says of a trial, all folds together.
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
    command: done?.command,
    ranked: of('trial').length > 0,
    trials: all.filter(({ value }) => Number.isFinite(value)),
    failures: all.filter(({ failed }) => failed),
  };
}

export function journals() {
  return report.runs.map(readRun).filter(({ trials }) => trials.length);
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

// The same settings on several folds are one candidate; its value is the mean of those with the
// largest share of rounds.
function candidates(trials) {
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

// The methods that have a colour and a mark of their own: of many the best.
function chosenNames(all, lower) {
  const best = new Map();
  for (const { name, value } of all) {
    const before = best.get(name);
    if (before === undefined || (lower ? value < before : value > before)) best.set(name, value);
  }
  const names = [...best.keys()];
  if (names.length <= mostSeries) return names;
  return names
    .sort((x, y) => (lower ? 1 : -1) * (best.get(x) - best.get(y)))
    .slice(0, mostSeries);
}

// All the other methods, in grey.
function greyPoints(all, names, point) {
  const data = all.map(point).filter(({ one, x }) => x !== undefined && !names.includes(one.name));
  const ink = colour('quiet');
  return data.length
    ? [
        {
          type: 'scatter',
          label: 'other methods',
          data,
          pointRadius: 2,
          pointHoverRadius: 5,
          borderColor: ink,
          backgroundColor: ink,
        },
      ]
    : [];
}

function drawProgress(all, names, lower) {
  const better = lower ? Math.min : Math.max;
  let best = lower ? Infinity : -Infinity;
  const record = all.map(({ value }, i) => ({ x: i + 1, y: (best = better(best, value)) }));
  const points = names.map((name, i) => ({
    ...line(
      i,
      name || 'trial',
      all
        .map((one, at) => ({ x: at + 1, y: one.value, one }))
        .filter(({ one }) => one.name === name),
    ),
    type: 'scatter',
    pointRadius: 4,
  }));
  return {
    type: 'line',
    data: {
      datasets: [
        ...points,
        ...greyPoints(all, names, (one, at) => ({ x: at + 1, y: one.value, one })),
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
        x: axis('candidate', { type: 'linear', ticks: { precision: 0 } }),
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

function drawSetting(all, names, setting) {
  const isNumber = numbersOf(all, setting);
  const labels = isNumber
    ? undefined
    : [
        ...new Set(all.map((one) => one.settings[setting]).filter((value) => value !== undefined)),
      ].sort();
  const x = isNumber
    ? numberAxis(setting, isNumber)
    : axis(setting, { type: 'category', labels, offset: true });
  const point = (one) => ({
    x:
      isNumber && one.settings[setting] !== undefined
        ? Number(one.settings[setting])
        : one.settings[setting],
    y: one.value,
    one,
  });
  const datasets = names
    .map((name, i) => ({
      label: name,
      seriesAt: i,
      pointStyle: series(i).mark,
      pointRadius: 5,
      pointHoverRadius: 8,
      borderColor: series(i).colour,
      backgroundColor: `${series(i).colour}66`,
      data: all
        .filter((one) => one.name === name && one.settings[setting] !== undefined)
        .map(point),
    }))
    .filter(({ data }) => data.length)
    .concat(greyPoints(all, names, point));
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

function trialTable(file, all, names, settings) {
  const cut = all.some(({ part }) => part > 1);
  const trained = all.some(({ train }) => Number.isFinite(train));
  const heads = [
    'Candidate',
    'Validation',
    ...(trained ? ['Training'] : []),
    'Folds',
    ...(cut ? [{ title: 'Share', note: 'of the rounds: the hopeless were stopped early' }] : []),
    'Rounds',
    'Seconds',
    ...settings,
  ];
  const rows = all.map((one, i) => [
    {
      show: el(
        'span',
        {},
        names.includes(one.name) ? keyOf(names.indexOf(one.name)) : null,
        `${i + 1} ${one.name}`,
      ),
      sort: i + 1,
    },
    { show: fixed(one.value), sort: one.value },
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
  return table(`Candidates of ${file}`, heads, rows, { tall: true });
}

// The best candidate of each method, those that were trained furthest first.
function methodTable(file, all, lower) {
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
      best.name,
      { show: fixed(best.value), sort: best.value },
      { show: brief(best.rounds), sort: best.rounds },
      { show: count(tried), sort: tried },
      { show: fixed(seconds, 1), sort: seconds },
      best.words.replace(/^method=\S+ ?/, '') || 'the defaults',
    ]);
  const heads = [
    'Method',
    'Validation',
    'Rounds',
    'Candidates',
    { title: 'Seconds', note: 'of the last trials of all candidates' },
    { title: 'Best settings', class: 'left' },
  ];
  return table(`Methods of ${file}, each with its best candidate`, heads, rows, { tall: true });
}

function showJournal(section, journal) {
  const all = candidates(journal.trials);
  const settings = varying(all);
  const lower = all.some((one) => one.lower);
  const names = chosenNames(all, lower);
  const grey = all.some(({ name }) => !names.includes(name))
    ? ` Methods beside the ${names.length} best are grey.`
    : '';
  const whole = all.filter(({ part }) => part === Math.min(...all.map((one) => one.part)));
  const best = whole.reduce((x, y) => ((lower ? y.value < x.value : y.value > x.value) ? y : x));
  const legend = names.length > 1 ? names.map((name, i) => [i, name]) : null;
  section.append(
    el('h3', {}, journal.file),
    el(
      'p',
      {},
      `${many(all.length, 'candidate', 'candidates')}, ${many(journal.trials.length, 'trial', 'trials')}. The best is ${best.name || 'the one'} with ${fixed(best.value)} on validation data: `,
      el('code', {}, best.words || JSON.stringify(best.settings)),
      '.',
    ),
    journal.failures.length
      ? el(
          'p',
          { class: 'remark' },
          `${many(journal.failures.length, 'trial', 'trials')} failed; the first: ${journal.failures[0].words}: ${journal.failures[0].failed}`,
        )
      : '',
    journal.cut
      ? el(
          'p',
          { class: 'remark' },
          'The last line is not whole: the work was interrupted there, or still runs.',
        )
      : '',
    journal.places.length > 1
      ? tournament(journal)
      : new Set(all.map(({ name }) => name)).size > 1
        ? methodTable(journal.file, all, lower)
        : '',
    figure({
      title: journal.ranked ? 'Candidates by rank' : 'Candidates as they came, and the best so far',
      legend,
      draw: () => drawProgress(all, names, lower),
      label: `Chart of ${all.length} candidates; the best has ${fixed(best.value)}`,
      caption: `${journal.ranked ? 'The line is the best' : 'The line is the best so far'}${lower ? '; lower is better' : ''}. Values on validation data flatter the best of many: measure it on a test set.${grey} ${journal.about}`,
    }),
    el(
      'div',
      { class: 'grid' },
      ...settings.slice(0, 12).map((setting) =>
        figure({
          title: setting,
          shape: 'low',
          legend: legend?.filter(([, name]) =>
            all.some((one) => one.name === name && one.settings[setting] !== undefined),
          ),
          draw: () => drawSetting(all, names, setting),
          label: `Scatter chart of validation values by ${setting}`,
        }),
      ),
    ),
    landscape(all, settings, lower),
    trialTable(journal.file, all, names, settings),
    journal.command ? el('pre', {}, journal.command) : '',
  );
}

export function tuning(section) {
  journals().forEach((journal) => showJournal(section, journal));
}
