// SPDX-License-Identifier: Apache-2.0
// Models: learning curves, importance of features, recipes.

import { axis, figure, line, named } from './charts.js';
import { commandBlock, el, folded } from './dom.js';
import { count, fixed, many, percent, size } from './format.js';
import { names, report } from './state.js';
import { table } from './tables.js';
import { colour, series } from './theme.js';

export function hasCurves() {
  return report.models.some(({ curve }) => curve.length > 1);
}

export function hasImportance() {
  return report.models.some((model) => model.importance.length);
}

function column(model, at) {
  return model.curve
    .filter((point) => point[at] !== null)
    .map((point) => ({ x: point[0], y: point[at] }));
}

const roundTitle = {
  callbacks: {
    title: ([item]) => `round ${item?.parsed.x}`,
    label: ({ dataset, parsed }) => `${dataset.label}  ${fixed(parsed.y)}`,
  },
};

function drawCurve(model) {
  const i = model.system;
  const valid = column(model, 2);
  const datasets = [
    line('other', 'training', column(model, 1), { borderWidth: 1.5, pointRadius: 0 }),
    line(i, 'validation', valid),
  ].filter(({ data }) => data.length);
  const best = valid.find(({ x }) => x === model.best_round);
  if (best)
    datasets.push({
      label: 'best',
      data: [best],
      type: 'scatter',
      pointRadius: 9,
      borderWidth: 2,
      borderColor: colour('ink'),
      backgroundColor: 'transparent',
      isBand: true,
    });
  return {
    type: 'line',
    data: { datasets },
    options: {
      interaction: { mode: 'x', intersect: false },
      scales: { x: axis('round', { type: 'linear' }), y: axis(model.metric) },
      plugins: { tooltip: roundTitle },
    },
  };
}

function drawTogether(models) {
  return {
    type: 'line',
    data: {
      datasets: models.map((model) =>
        line(model.system, names[model.system], column(model, 2)),
      ),
    },
    options: {
      interaction: { mode: 'nearest', axis: 'x', intersect: false },
      scales: { x: axis('round', { type: 'linear' }), y: axis(models[0].metric) },
      plugins: { tooltip: roundTitle },
    },
  };
}

function curveCaption(model) {
  const best = model.best_round
    ? ` Ring: round ${count(model.best_round)} of ${count(model.rounds_done)}, the best on validation data.`
    : ` ${many(model.rounds_done, 'round', 'rounds')}, no validation data.`;
  return `With marks: validation; grey: training.${best} ${model.metric}${model.convention ? `, convention ${model.convention}` : ''}.`;
}

function curveLabel(model) {
  const last = column(model, 1).at(-1);
  const best = column(model, 2).find(({ x }) => x === model.best_round);
  return (
    `Learning curve of ${names[model.system]}: training ends at ${fixed(last?.y)}` +
    (best ? `; validation is best at round ${best.x}, ${fixed(best.y)}` : '')
  );
}

export function learning(section) {
  const models = report.models.filter(({ curve }) => curve.length > 1);
  const together = models.filter(
    (model) =>
      model.metric === models[0].metric &&
      model.convention === models[0].convention &&
      column(model, 2).length > 1,
  );
  if (together.length > 1) {
    section.append(
      figure({
        title: 'Validation curves',
        legend: together.map(({ system }) => [system, names[system]]),
        draw: () => drawTogether(together),
        label: `Validation curves of ${together.map(({ system }) => names[system]).join(', ')}`,
        caption: `${models[0].metric} on each model's validation data, convention ${models[0].convention}. A round adds one tree or several, depending on the method.`,
      }),
    );
  }
  section.append(
    el(
      'div',
      { class: 'grid' },
      ...models.map((model) =>
        figure({
          title: names[model.system],
          style: model.system,
          shape: 'low',
          label: curveLabel(model),
          draw: () => drawCurve(model),
          caption: curveCaption(model),
          numbers: table(
            `Learning curve of ${names[model.system]}`,
            [{ title: 'Round', lower: true }, 'Training', 'Validation'],
            model.curve.map(([round, train, valid]) => [
              { show: count(round), sort: round },
              { show: fixed(train ?? NaN), sort: train ?? NaN },
              { show: fixed(valid ?? NaN), sort: valid ?? NaN },
            ]),
            { tall: true },
          ),
        }),
      ),
    ),
  );
}

function drawImportance(model, shown) {
  return {
    type: 'bar',
    data: {
      labels: shown.map(({ feature }) => feature),
      datasets: [
        {
          data: shown.map(({ share }) => 100 * share),
          backgroundColor: series(model.system).colour,
          barPercentage: 0.8,
          categoryPercentage: 0.9,
        },
      ],
    },
    options: {
      indexAxis: 'y',
      interaction: { mode: 'index', axis: 'y', intersect: false },
      scales: {
        x: axis('importance, %'),
        y: axis('', { type: 'category', ticks: { autoSkip: false }, grid: { display: false } }),
      },
      plugins: {
        tooltip: {
          callbacks: {
            title: ([item]) => `feature ${item?.label}`,
            label: ({ dataIndex }) =>
              `${percent(shown[dataIndex].share)}, used ${many(shown[dataIndex].count, 'time', 'times')}`,
          },
        },
      },
    },
  };
}

export function importance(section) {
  const models = report.models.filter((model) => model.importance.length);
  section.append(
    el(
      'div',
      { class: 'grid' },
      ...models.map((model) => {
        const shown = model.importance.slice(0, 15);
        const what =
          {
            gain: 'Fraction of the total split gain',
            combined: "Weighted mean of the members' fractions of split gain",
          }[model.importance_is] ??
          'Fraction of the total size: coefficient times standard deviation, or products of weights';
        return figure({
          title: names[model.system],
          style: model.system,
          height: `${4 + 1.35 * shown.length}rem`,
          draw: () => drawImportance(model, shown),
          label: `Bar chart of the most important features of ${names[model.system]}: ${shown
            .slice(0, 5)
            .map(({ feature, share }) => `${feature} ${percent(share)}`)
            .join(', ')}`,
          caption: `${what}. ${count(model.features_used)} of ${count(model.features)} features are used; the chart shows the top ${shown.length}.`,
          numbers: table(
            `Importance of features in ${names[model.system]}`,
            ['Feature', 'Importance', model.importance_is === 'gain' ? 'Splits' : 'Uses'],
            model.importance.map(({ feature, share, count: uses }) => [
              feature,
              { show: percent(share), sort: share },
              { show: count(uses), sort: uses },
            ]),
            { tall: true },
          ),
        });
      }),
    ),
  );
}

function built(model) {
  if (model.members.length) return many(model.members.length, 'model', 'models');
  if (model.trees)
    return `${many(model.trees, 'tree', 'trees')}, ${many(model.leaves, 'leaf', 'leaves')}`;
  if (model.equations) return many(model.equations, 'equation', 'equations');
  if (model.weights) return many(model.weights, 'weight', 'weights');
  return model.kernels ? many(model.kernels, 'kernel', 'kernels') : '–';
}

export function modelTable() {
  const rows = report.models.map((model) => [
    { show: named(model.system, names[model.system]), sort: names[model.system] },
    { show: model.method, sort: model.method },
    { show: built(model), sort: model.trees },
    { show: size(model.bytes), sort: model.bytes },
    {
      show: `${count(model.train_rows)} rows, ${many(model.train_queries, 'query', 'queries')}`,
      sort: model.train_rows,
    },
    {
      show: model.best_round
        ? `${count(model.rounds)} of ${count(model.rounds_done)}`
        : count(model.rounds),
      sort: model.rounds,
    },
    model.calibration ? `${model.scoring}, calibrated by ${model.calibration}` : model.scoring,
  ]);
  return table(
    'Models',
    [
      'Model',
      { title: 'Method', class: 'left' },
      'Contents',
      'Size',
      'Training data',
      'Rounds kept',
      { title: 'Scoring rule', class: 'left' },
    ],
    rows,
  );
}

export function recipes() {
  return report.models
    .filter((model) => model.train_command)
    .map((model) =>
      el(
        'div',
        {},
        el('h3', {}, named(model.system, names[model.system])),
        commandBlock(model.train_command),
        folded(
          'All settings',
          table(
            `Settings of ${names[model.system]}`,
            ['Setting', { title: 'Value', class: 'left' }, { title: 'Note', class: 'left' }],
            model.recipe.map(({ name, value, changed }) => [
              name,
              value || '–',
              changed ? 'not the default' : '',
            ]),
            { tall: true },
          ),
        ),
      ),
    );
}
