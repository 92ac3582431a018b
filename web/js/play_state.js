// SPDX-License-Identifier: Apache-2.0
// What the reader has chosen to see. All of it is in the fragment of the address, so that every state has a link.

// rankings: "model:NAME", "feature:POSITION", "ideal" or "data"; changes: "ROW:FEATURE" -> value, both from 0.
export const view = {
  query: '',
  rankings: [],
  document: null, // row, from 0
  column: 0, // the ranking in which the document was opened
  against: 'next',
  changes: new Map(),
  find: '',
  sort: 'data',
  metric: '',
  pair: [0, 1],
  all: false, // show all documents
};

const listeners = [];
let last = '';

export function onView(listener) {
  listeners.push(listener);
}

function fragment() {
  const to = new URLSearchParams();
  to.set('q', view.query);
  for (const ranking of view.rankings) to.append('r', ranking);
  if (view.document !== null) {
    to.set('doc', view.document + 1);
    to.set('in', view.column + 1);
    if (view.against !== 'next') to.set('against', view.against);
  }
  for (const [key, value] of view.changes) to.append('set', `${key}:${value}`);
  if (view.find) to.set('find', view.find);
  if (view.sort !== 'data') to.set('sort', view.sort);
  if (view.metric) to.set('metric', view.metric);
  if (view.pair.join() !== '0,1') to.set('pair', view.pair.join());
  if (view.all) to.set('all', 1);
  return `#${to}`;
}

const position = (text) => (/^[0-9]+$/.test(text ?? '') ? Number(text) : null);

// Reads the address; what is not in it keeps its initial value.
export function readAddress(initial) {
  const from = new URLSearchParams(location.hash.slice(1));
  const rankings = from.getAll('r').slice(0, 4);
  const document = position(from.get('doc'));
  view.query = from.get('q') ?? initial.query;
  view.rankings = rankings.length ? rankings : [...initial.rankings];
  view.document = document ? document - 1 : null;
  view.column = Math.min(view.rankings.length, position(from.get('in')) || 1) - 1;
  view.against = from.get('against') ?? 'next';
  view.changes = new Map();
  for (const one of from.getAll('set')) {
    const found = one.match(/^(\d+:\d+):(.*)$/);
    if (found && Number.isFinite(Number(found[2]))) view.changes.set(found[1], Number(found[2]));
  }
  view.find = from.get('find') ?? '';
  view.sort = from.get('sort') ?? 'data';
  view.metric = from.get('metric') ?? initial.metric;
  const pair = (from.get('pair') ?? '').split(',').map(position);
  view.pair = pair.length === 2 && pair.every((i) => i !== null && i < view.rankings.length) ? pair : [0, 1];
  view.all = from.get('all') === '1';
  last = fragment();
}

// Changes the view and calls the listeners with the names of what changed. push: the back button returns to the state before.
export function setView(changes, { push = false } = {}) {
  Object.assign(view, changes);
  const now = fragment();
  if (now !== last) history[push ? 'pushState' : 'replaceState'](null, '', now);
  last = now;
  const names = new Set(Object.keys(changes));
  listeners.forEach((listener) => listener(names));
}

export function followAddress(initial) {
  const read = () => {
    if (location.hash === last) return;
    readAddress(initial);
    listeners.forEach((listener) => listener(new Set(Object.keys(view))));
  };
  addEventListener('hashchange', read);
  addEventListener('popstate', read);
}
