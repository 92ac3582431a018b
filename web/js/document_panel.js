// SPDX-License-Identifier: Apache-2.0
// An open document: its ranks, what its features contribute to its score, and sliders.

import { choice, el } from './dom.js';
import { brief, count, listed, score, signed } from './format.js';
import { featureSliders } from './feature_sliders.js';
import { changedRows, featureLabel, rankingLabel, session } from './play_session.js';
import { setView, view } from './play_state.js';
import { explainedModel, gradeChip } from './ranking_columns.js';

const bars = 10;

// ---- what the score is compared with ----

// {word, label, against: "mean", "query" or a row}
function comparisons(model) {
  const column = session.columns.find(({ ranking }) => ranking === `model:${model.name}`);
  const rank = column.ranks[view.document];
  const named = (row) => session.documents[row].id;
  const all = [];
  const below = column.order[rank + 1];
  const above = column.order[rank - 1];
  if (below !== undefined) all.push({ word: 'next', label: `the next document, ${named(below)}`, against: below });
  if (above !== undefined) all.push({ word: 'previous', label: `the document above, ${named(above)}`, against: above });
  if (session.documents.length > 1) all.push({ word: 'query', label: 'the other documents of the query', against: 'query' });
  if (!session.source.about.offline)
    all.push({ word: 'mean', label: 'the average training document', against: 'mean' });
  return all;
}

// ---- the waterfall ----

function steps(reason) {
  const parts = reason.parts.slice(0, bars).map((part) => ({ ...part, name: session.source.about.features[part.feature] ?? String(part.feature + 1) }));
  const rest = reason.score - reason.base - parts.reduce((sum, { by }) => sum + by, 0);
  const hidden = reason.parts.length - parts.length;
  if (hidden > 0) parts.push({ name: `${count(hidden)} other features`, by: rest });
  let at = reason.base;
  return parts.map((part) => {
    const from = at;
    at += part.by;
    return { ...part, from, to: at };
  });
}

function svg(tag, properties, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// One line per feature: the bar goes from the sum before the feature to the sum after it.
function bar(step, place) {
  const [x1, x2] = [place(Math.min(step.from, step.to)), place(Math.max(step.from, step.to))];
  return svg(
    'svg',
    { viewBox: '0 0 100 10', preserveAspectRatio: 'none', class: 'fall-bar', 'aria-hidden': 'true' },
    svg('rect', { x: x1, y: 1, width: Math.max(0.8, x2 - x1), height: 8, class: step.by < 0 ? 'down' : 'up' }),
  );
}

function waterfall(reason, compared) {
  const all = steps(reason);
  const ends = [reason.base, reason.score, ...all.map(({ to }) => to)];
  const low = Math.min(...ends);
  const wide = Math.max(...ends) - low || 1;
  const place = (value) => (100 * (value - low)) / wide;
  const cell = (value) => (value === null || Number.isNaN(value) ? 'missing' : brief(value, 4));
  const referenced = all.some(({ reference }) => reference !== undefined);
  const total = (name, value) =>
    el(
      'tr',
      { class: 'total' },
      el('th', { scope: 'row', colspan: referenced ? 3 : 2 }, name),
      el('td', {}, score(value)),
      el(
        'td',
        {},
        svg(
          'svg',
          { viewBox: '0 0 100 10', preserveAspectRatio: 'none', class: 'fall-bar', 'aria-hidden': 'true' },
          svg('rect', { x: Math.min(99, place(value)), y: 0, width: 1, height: 10, class: 'mark-line' }),
        ),
      ),
    );
  return el(
    'table',
    { class: 'waterfall' },
    el('caption', { class: 'spoken' }, 'Contributions of features'),
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        ...['Feature', 'Value', ...(referenced ? ['Other'] : []), 'Contribution', ''].map((title) =>
          el('th', { scope: 'col', title: title === 'Other' ? `value in ${compared.label}` : null }, title),
        ),
      ),
    ),
    el(
      'tbody',
      {},
      total(typeof compared.against === 'number' ? `Score of ${session.documents[compared.against].id}` : 'Average score', reason.base),
      ...all.map((step) =>
        el(
          'tr',
          {},
          el('th', { scope: 'row' }, step.name),
          el('td', {}, step.feature === undefined ? '' : cell(step.value)),
          ...(referenced ? [el('td', {}, step.feature === undefined ? '' : cell(step.reference))] : []),
          el('td', { class: step.by < 0 ? 'down' : 'up' }, signed(step.by, 3)),
          el('td', {}, bar(step, place)),
        ),
      ),
      total(`Score of ${session.documents[view.document].id}`, reason.score),
    ),
  );
}

// A sentence: why the document is above or below what it is compared with.
function summary(reason, model, compared) {
  const by = reason.score - reason.base;
  const own = session.documents[view.document].id;
  const main = reason.parts.filter((part) => Math.sign(part.by) === Math.sign(by)).slice(0, 3);
  const side = by > 0 ? 'above' : 'below';
  if (by === 0) return el('p', {}, `${model.name} gives document ${own} the same score as ${compared.label}.`);
  return el(
    'p',
    {},
    `${model.name} scores document ${own} ${side} ${compared.label}, by ${brief(Math.abs(by), 4)}.`,
    main.length
      ? ` Mainly because of ${listed(main.map((part) => `${featureLabel(part.feature)} (${signed(part.by, 3)})`))}.`
      : '',
  );
}

let asked = 0;

// Fills the box, and returns the features in the order of their contributions.
async function explain(box, model) {
  const turn = ++asked;
  const all = comparisons(model);
  const chosen = Math.max(0, all.findIndex(({ word }) => word === view.against));
  const compared = all[chosen];
  if (!compared) {
    box.replaceChildren();
    return [];
  }
  try {
    const reason = await session.source.contributions(model.name, changedRows(), view.document, compared.against);
    if (turn !== asked) return null;
    const select = choice('Compared with', all.map(({ label }) => label), chosen, (i) => setView({ against: all[i].word }));
    const focused = box.contains(document.activeElement);
    box.replaceChildren(
      select,
      summary(reason, model, compared),
      el('div', { class: 'falls' }, waterfall(reason, compared)),
      el('p', { class: 'quiet' }, `Shapley values${reason.exact ? '' : ', sampled'}: they add up to the difference of the scores.`),
    );
    if (focused) select.querySelector('select').focus();
    return reason.parts.map(({ feature }) => feature);
  } catch (error) {
    if (turn === asked) box.replaceChildren(el('p', { class: 'fault' }, error.message));
    return [];
  }
}

// ---- the panel ----

function rankTable(row) {
  return el(
    'table',
    { class: 'ranks' },
    el('thead', {}, el('tr', {}, ...['Ranking', 'Rank', 'Score'].map((title) => el('th', { scope: 'col' }, title)))),
    el(
      'tbody',
      {},
      ...session.columns.map((column) => {
        const by = column.before[row] - column.ranks[row];
        return el(
          'tr',
          {},
          el('th', { scope: 'row' }, rankingLabel(column.ranking)),
          el('td', {}, String(column.ranks[row] + 1), by ? el('small', { class: by > 0 ? 'up' : 'down' }, by > 0 ? ` ▲${by}` : ` ▼${-by}`) : null),
          el('td', {}, column.scores ? score(Number(column.scores[row])) : '–'),
        );
      }),
    ),
  );
}

const parts = { key: '', ranks: null, reasons: null, sliders: null };

function keyOf() {
  return JSON.stringify([session.query, view.document]);
}

export function close() {
  const { document: row, column } = view;
  setView({ document: null });
  document.querySelector(`.row[data-row="${row}"][data-column="${column}"]`)?.focus();
}

async function fill(model) {
  const first = model?.explains ? await explain(parts.reasons, model) : [];
  if (first === null) return;
  if (model && !model.explains)
    parts.reasons.replaceChildren(
      el('p', { class: 'quiet' }, `${model.name} cannot be explained here${model.missing ? `: ${model.missing}` : ''}.`),
    );
  if (!model) parts.reasons.replaceChildren(el('p', { class: 'quiet' }, 'Add a model to see contributions.'));
  if (!parts.sliders.hasChildNodes() && view.document !== null)
    parts.sliders.replaceChildren(featureSliders(view.document, first));
}

// Scrolls to the open document, in the ranking in which it was opened.
function showRow() {
  document
    .querySelector(`.row.open[data-column="${view.column}"]`)
    ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

let later = 0;

// Draws the panel; while its document stays open, only what depends on the scores.
export function drawDocument(box) {
  box.hidden = view.document === null || !session.columns.length || !session.documents[view.document];
  document.body.classList.toggle('opened', !box.hidden);
  if (box.hidden) {
    parts.key = '';
    box.replaceChildren();
    return;
  }
  const { id, label } = session.documents[view.document];
  if (parts.key !== keyOf()) {
    parts.key = keyOf();
    parts.ranks = el('div', {});
    parts.reasons = el('section', { class: 'why' });
    parts.sliders = el('div', {});
    box.replaceChildren(
      el(
        'div',
        { class: 'title' },
        el('h2', {}, `Document ${id} `, label === null ? '' : gradeChip(label)),
        el('button', { type: 'button', class: 'plain', id: 'close', 'aria-label': 'Close the document', onclick: close }, '×'),
      ),
      parts.ranks,
      el('h3', {}, 'Why it is there'),
      parts.reasons,
      parts.sliders,
    );
    box.scrollTop = 0;
    requestAnimationFrame(showRow);
  }
  parts.ranks.replaceChildren(rankTable(view.document));
  const model = explainedModel();
  clearTimeout(later);
  if (parts.reasons.hasChildNodes()) later = setTimeout(() => view.document !== null && fill(model), 150);
  else fill(model);
}

// The sliders show other values: those of the address, or the original ones.
export function resetSliders() {
  parts.sliders?.replaceChildren();
}
