// SPDX-License-Identifier: Apache-2.0
// Data and models in the page itself. A model is a variable of a script, made by gradus_export; rankers without one
// have only the scores of the original documents.

import { shortNames } from './format.js';
import { metricValue } from './ranking_metrics.js';
import { shapleyValues } from './shapley.js';

// JSON has no NaN: missing values are null.
const numbers = (values) => Float32Array.from(values, (value) => value ?? NaN);

export function openEmbedded(content) {
  const queries = content.queries.map(({ name, ids, labels, features, scores }) => ({
    name,
    scores,
    documents: labels.map((label, row) => ({
      id: ids?.[row] || String(row + 1),
      label,
      features: numbers(features[row]),
    })),
  }));
  const programs = content.systems.map(({ variable }) => (variable ? globalThis[variable] : null));
  const names = shortNames(content.systems.map(({ name }) => name));
  const find = (name) => names.indexOf(name);
  const values = new Map();

  // A row with as many features as the model has.
  function fitted(program, row) {
    const length = program.featureNames.length;
    if (row.length === length) return row;
    const made = new Float32Array(length);
    made.set(row.subarray(0, length));
    return made;
  }

  function rankingScores(ranking, { documents, scores }) {
    if (ranking === 'ideal') return documents.map(({ label }) => label);
    if (ranking === 'data') return documents.map((_, row) => -row);
    const name = ranking.slice(ranking.indexOf(':') + 1);
    if (ranking.startsWith('feature:')) return documents.map(({ features }) => features[Number(name) - 1]);
    const system = find(name);
    return system < 0 ? null : scores[system].map((score) => score ?? NaN);
  }

  return {
    about: {
      offline: true,
      data: content.data,
      features: content.features,
      metrics: content.metrics,
      most: content.max_label,
      queries: queries.map(({ name, documents }) => ({ name, documents: documents.length })),
      omitted: content.omitted,
      models: content.systems.map(({ missing }, i) => ({
        name: names[i],
        explains: programs[i] !== null,
        missing,
      })),
      pasting: programs.some((program) => program !== null),
    },
    query: (i) => Promise.resolve(queries[i].documents),
    values: (ranking) => {
      if (!values.has(ranking)) {
        const lists = content.metrics.map((metric) =>
          queries.map((query) => {
            const scores = rankingScores(ranking, query);
            const labels = query.documents.map(({ label }) => label);
            return scores ? metricValue(metric, scores, labels, content.max_label) : NaN;
          }),
        );
        values.set(ranking, Promise.resolve(lists));
      }
      return values.get(ranking);
    },
    // original: the unchanged documents, for rankers whose scores are fixed.
    scores: (name, rows, original) => {
      const system = find(name);
      const program = programs[system];
      if (program)
        return Promise.resolve(Float64Array.from(rows, (row) => program.score(fitted(program, row))));
      const known = queries.find(({ documents }) => documents === original);
      if (known) return Promise.resolve(Float64Array.from(known.scores[system], (score) => score ?? NaN));
      return Promise.reject(new Error(`${name} cannot score these documents`));
    },
    contributions: (name, rows, row, against) => {
      const program = programs[find(name)];
      const all = rows.map((one) => fitted(program, one));
      const others =
        typeof against === 'number' ? [all[against]] : all.filter((_, i) => i !== row);
      const references = others.length ? others : [new Float32Array(all[row].length)];
      const { base, by } = shapleyValues((one) => program.score(one), all[row], references);
      const parts = [...by.keys()]
        .filter((f) => by[f] !== 0)
        .map((f) => ({
          feature: f,
          value: all[row][f],
          reference: references.length === 1 ? references[0][f] : undefined,
          by: by[f],
        }))
        .sort((x, y) => Math.abs(y.by) - Math.abs(x.by));
      return Promise.resolve({ base, score: program.score(all[row]), parts, exact: false });
    },
  };
}
