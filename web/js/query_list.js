// SPDX-License-Identifier: Apache-2.0
// The queries: search, and sort by size, by a metric, or by its difference between two rankings.

import { choice, el } from './dom.js';
import { count, fixed, signed } from './format.js';
import { rankingLabel, session } from './play_session.js';
import { setView, view } from './play_state.js';

const shownAtOnce = 300;
const sorts = [
  ['data', 'order in the data'],
  ['documents', 'most documents'],
  ['low', 'lowest value'],
  ['gain', 'largest gain'],
  ['loss', 'largest loss'],
];

const list = el('ul', { class: 'names' });
const remark = el('p', { class: 'quiet' });
const search = el('input', {
  type: 'search',
  id: 'search',
  placeholder: 'Search queries ( / )',
  'aria-label': 'Search queries',
  autocomplete: 'off',
  oninput: () => setView({ find: search.value }),
});
const controls = el('div', { class: 'choices' });

function drawControls() {
  const names = view.rankings.map((ranking, i) => `${i + 1}: ${rankingLabel(ranking)}`);
  const metrics = session.source.about.metrics;
  const comparing = ['gain', 'loss'].includes(view.sort) && view.rankings.length > 1;
  const parts = [
    choice('Sort by', sorts.map(([, label]) => label), Math.max(0, sorts.findIndex(([sort]) => sort === view.sort)), (i) =>
      setView({ sort: sorts[i][0] }),
    ),
  ];
  if (metrics.length)
    parts.push(choice('Metric', metrics, Math.max(0, metrics.indexOf(view.metric)), (i) => setView({ metric: metrics[i] })));
  if (comparing) {
    parts.push(choice('From', names, view.pair[0], (i) => setView({ pair: [i, view.pair[1]] })));
    parts.push(choice('To', names, view.pair[1], (i) => setView({ pair: [view.pair[0], i] })));
  }
  const focused = document.activeElement?.getAttribute('aria-label');
  const inside = controls.contains(document.activeElement);
  controls.replaceChildren(...parts);
  if (inside) controls.querySelector(`[aria-label="${focused}"]`)?.focus();
}

// Values of the metric by query, for the two rankings of the pair; null: unknown.
async function pairValues() {
  const metric = Math.max(0, session.source.about.metrics.indexOf(view.metric));
  const [a, b] = view.pair.map((i) => view.rankings[i]);
  const value = async (ranking) => {
    if (!ranking || ranking === 'data') return null;
    try {
      return (await session.source.values(ranking))?.[metric] ?? null;
    } catch {
      return null;
    }
  };
  return Promise.all([value(a), value(b)]);
}

function sorted(entries) {
  const last = (value) => (Number.isFinite(value) ? value : Infinity);
  const keys = {
    documents: ({ entry }) => -entry.documents,
    low: ({ a }) => last(a),
    gain: ({ by }) => last(-by),
    loss: ({ by }) => last(by),
  };
  const key = keys[view.sort] ?? (({ i }) => i);
  return entries.sort((x, y) => key(x) - key(y) || x.i - y.i);
}

function item({ entry, i, a, b, by }) {
  const own = i === session.query;
  const numbers = Number.isFinite(by)
    ? el('span', { class: by > 0 ? 'up' : by < 0 ? 'down' : 'quiet' }, signed(by, 3))
    : el('span', { class: 'quiet' }, Number.isFinite(a) ? fixed(a, 3) : '–');
  const both = Number.isFinite(by) ? `: ${fixed(a)} → ${fixed(b)}` : '';
  return el(
    'li',
    {},
    el(
      'button',
      {
        type: 'button',
        'data-query': i,
        'aria-current': own ? 'true' : null,
        title: `${entry.documents} documents${both}`,
        onclick: () => setView({ query: entry.name, document: null, changes: new Map() }, { push: true }),
      },
      el('span', { class: 'id' }, entry.name || '1'),
      el('small', { class: 'quiet' }, count(entry.documents)),
      numbers,
    ),
  );
}

let drawing = 0;

export const drawQueries = async () => {
  const turn = ++drawing;
  const [a, b] = await pairValues();
  if (turn !== drawing) return;
  drawControls();
  if (search.value !== view.find) search.value = view.find;
  const word = view.find.trim().toLowerCase();
  const entries = session.queries
    .map((entry, i) => {
      const [x, y] = [a?.[i] ?? NaN, b?.[i] ?? NaN];
      return { entry, i, a: x, b: y, by: y - x };
    })
    .filter(({ entry }) => entry.name.toLowerCase().includes(word));
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.query : null;
  list.replaceChildren(...sorted(entries).slice(0, shownAtOnce).map(item));
  if (focused !== null) list.querySelector(`[data-query="${focused}"]`)?.focus();
  const of = session.queries.length;
  const shown = Math.min(entries.length, shownAtOnce);
  const omitted = session.source.about.omitted;
  remark.replaceChildren(
    `${count(shown)} of ${count(of)} queries${view.rankings.length > 1 && b ? `; ${view.metric} of ${rankingLabel(view.rankings[view.pair[1]])} minus ${rankingLabel(view.rankings[view.pair[0]])}` : a ? `; ${view.metric} of ${rankingLabel(view.rankings[view.pair[0]])}` : ''}.${omitted ? ` The page has ${count(of)} of ${count(of + omitted)} queries of the data.` : ''}`,
  );
};

// Moves to the next or previous query in the list.
export function moveQuery(by) {
  const items = [...list.querySelectorAll('button')];
  const at = items.indexOf(document.activeElement);
  const current = at >= 0 ? at : items.findIndex((one) => one.hasAttribute('aria-current'));
  items[Math.max(0, Math.min(items.length - 1, current + by))]?.focus();
}

export function isInList(element) {
  return list.contains(element) || element === search;
}

export function focusSearch() {
  const fold = search.closest('details');
  if (fold) fold.open = true;
  search.focus();
  search.select();
}

export function startQueries(box, paste) {
  const wide = matchMedia('(min-width: 60rem)');
  const fold = el(
    'details',
    { open: wide.matches || !session.queries.length },
    el('summary', {}, 'Queries'),
    search,
    controls,
    remark,
    list,
    paste,
  );
  wide.addEventListener('change', () => (fold.open = wide.matches));
  box.replaceChildren(fold);
}
