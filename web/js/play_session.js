// SPDX-License-Identifier: Apache-2.0
// The query on the page: its documents, with changed values, and their scores in each ranking.

import { metricValue, sortedRows } from './ranking_metrics.js';
import { setView, view } from './play_state.js';

// columns: {ranking, scores, order: rows by rank, ranks: by row from 0, before: ranks without changes, error}.
export const session = {
  source: null,
  queries: [], // {name, documents: how many, own: pasted documents}
  query: -1,
  documents: [],
  columns: [],
  error: '',
};
const listeners = [];

export function onSession(listener) {
  listeners.push(listener);
}

function announce(what) {
  listeners.forEach((listener) => listener(what));
}

export function rankingLabel(ranking) {
  if (ranking === 'ideal') return 'ideal order';
  if (ranking === 'data') return 'order in the data';
  const name = ranking.slice(ranking.indexOf(':') + 1);
  return ranking.startsWith('feature:') ? featureLabel(Number(name) - 1) : name;
}

export function featureLabel(feature) {
  const name = session.source.about.features[feature] ?? String(feature + 1);
  return /^[0-9]+$/.test(name) ? `feature ${name}` : name;
}

export function modelOf(ranking) {
  const name = ranking?.startsWith('model:') ? ranking.slice(6) : null;
  return session.source.about.models.find((model) => model.name === name) ?? null;
}

// Which labels are known: pasted rows may have none.
export function hasLabels() {
  return session.documents.length > 0 && session.documents.every(({ label }) => label !== null);
}

export function changedRows() {
  const rows = session.documents.map(({ features }) => features);
  for (const [key, value] of view.changes) {
    const [row, feature] = key.split(':').map(Number);
    if (!rows[row] || feature >= rows[row].length) continue;
    if (rows[row] === session.documents[row].features) rows[row] = rows[row].slice();
    rows[row][feature] = value;
  }
  return rows;
}

async function scoresOf(ranking, rows) {
  const { documents, source } = session;
  const name = ranking.slice(ranking.indexOf(':') + 1);
  if (ranking === 'data') return documents.map((_, row) => -row);
  if (ranking === 'ideal') return documents.map(({ label }) => label ?? 0);
  if (ranking.startsWith('feature:')) return rows.map((row) => row[Number(name) - 1] ?? NaN);
  if (modelOf(ranking)) return source.scores(name, rows, documents);
  throw new Error(`there is no model '${name}'`);
}

function ranksOf(order) {
  const ranks = new Array(order.length);
  order.forEach((row, rank) => (ranks[row] = rank));
  return ranks;
}

let originals = new Map(); // ranking -> ranks without changes

async function makeColumn(ranking, rows) {
  try {
    if (view.changes.size && !originals.has(ranking)) {
      const plain = session.documents.map(({ features }) => features);
      originals.set(ranking, ranksOf(sortedRows(await scoresOf(ranking, plain))));
    }
    const scores = await scoresOf(ranking, rows);
    const order = sortedRows(scores);
    const ranks = ranksOf(order);
    if (!view.changes.size) originals.set(ranking, ranks);
    return { ranking, scores, order, ranks, before: originals.get(ranking), error: '' };
  } catch (error) {
    const order = [...session.documents.keys()];
    return { ranking, scores: null, order, ranks: order, before: order, error: error.message };
  }
}

export function columnMetrics(column) {
  const { data, metrics, most } = session.source.about;
  if (!hasLabels() || !column.scores) return [];
  const labels = session.documents.map(({ label }) => label);
  const highest = Math.max(most, ...labels);
  const names = data === null ? ['ndcg@10', 'err@10', 'map', 'p@10', 'mrr'] : metrics;
  return names.map((name) => ({ name, value: metricValue(name, column.scores, labels, highest) }));
}

let running = false;
let again = false;

// Scores the documents in all rankings. While it runs, further calls are combined into one.
export const rescore = async () => {
  if (running) {
    again = true;
    return;
  }
  running = true;
  do {
    again = false;
    const rows = changedRows();
    const documents = session.documents;
    const columns = await Promise.all(view.rankings.map((ranking) => makeColumn(ranking, rows)));
    if (documents !== session.documents) again = true;
    else if (columns.length === view.rankings.length) session.columns = columns;
  } while (again);
  running = false;
  announce('scores');
};

export const loadQuery = async () => {
  const at = session.queries.findIndex(({ name }) => name === view.query);
  const index = at < 0 ? 0 : at;
  if (!session.queries.length) return;
  try {
    const entry = session.queries[index];
    const documents = entry.own ?? (await session.source.query(index));
    session.query = index;
    session.documents = documents;
    session.error = '';
    originals = new Map();
    if (view.document !== null && view.document >= documents.length) view.document = null;
  } catch (error) {
    session.error = error.message;
  }
  announce('query');
  await rescore();
};

// Adds documents that the user pasted, as a query.
export function addQuery(documents) {
  const pasted = session.queries.filter(({ own }) => own).length + 1;
  const name = `pasted ${pasted}`;
  session.queries.push({ name, documents: documents.length, own: documents });
  setView({ query: name, document: null, changes: new Map() }, { push: true });
}
