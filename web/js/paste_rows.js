// SPDX-License-Identifier: Apache-2.0
// Rows that the user pastes: JSON documents as of POST /rank, or LETOR lines of one query.

import { el } from './dom.js';
import { addQuery, session } from './play_session.js';

// "2 qid:7 1:0.5 3:1 # docid = a"; absent features are 0.
function readLine(line, row) {
  const [text, remark] = [line.split('#')[0].trim(), line.split('#').slice(1).join('#').trim()];
  const words = text.split(/\s+/);
  const label = Number(words[0]);
  const { features: names } = session.source.about;
  const features = new Float32Array(names.length);
  if (!Number.isFinite(label)) throw new Error(`line ${row + 1} does not begin with a label`);
  const [query, pairs] = words[1]?.startsWith('qid:') ? [words[1], words.slice(2)] : ['', words.slice(1)];
  for (const pair of pairs) {
    const [name, value] = pair.split(':');
    const at = names.indexOf(name) >= 0 ? names.indexOf(name) : Number(name) - 1;
    if (!(at >= 0 && at < names.length) || !Number.isFinite(Number(value)))
      throw new Error(`line ${row + 1}: '${pair}' is not a feature and its value`);
    features[at] = Number(value);
  }
  const id = remark.match(/docid\s*=\s*(\S+)/)?.[1] ?? String(row + 1);
  return { id, label, features, query };
}

function readDocument(given, row) {
  const { features: names } = session.source.about;
  const values = Array.isArray(given) ? given : given?.features;
  const label = given?.label ?? given?.grade ?? null;
  let features;
  if (Array.isArray(values)) {
    if (values.length !== names.length)
      throw new Error(`document ${row + 1} has ${values.length} features, expected ${names.length}`);
    features = Float32Array.from(values, (value) => value ?? NaN);
  } else if (values && typeof values === 'object') {
    features = new Float32Array(names.length).fill(NaN);
    for (const [name, value] of Object.entries(values)) {
      if (!names.includes(name)) throw new Error(`document ${row + 1}: there is no feature '${name}'`);
      features[names.indexOf(name)] = value ?? NaN;
    }
  } else throw new Error(`document ${row + 1} has no features`);
  return { id: String(given.id ?? row + 1), label, features };
}

export function readRows(text) {
  const trimmed = text.trim();
  if (!trimmed) throw new Error('there are no rows');
  if (/^[[{]/.test(trimmed)) {
    const json = JSON.parse(trimmed);
    const list = Array.isArray(json) ? json : json.documents;
    if (!Array.isArray(list) || !list.length) throw new Error("there is no list 'documents'");
    return list.map(readDocument);
  }
  const rows = trimmed
    .split('\n')
    .filter((line) => line.split('#')[0].trim())
    .map(readLine);
  if (rows.some(({ query }) => query !== rows[0].query)) throw new Error('the rows belong to several queries');
  return rows;
}

export function pasteBox(open) {
  const text = el('textarea', {
    rows: 6,
    'aria-label': 'Rows of one query',
    placeholder: '2 qid:1 1:0.5 2:3 # docid = a\nor {"documents": [{"id": "a", "features": {...}}]}',
    spellcheck: 'false',
  });
  const fault = el('p', { class: 'fault', role: 'alert' });
  const take = () => {
    fault.textContent = '';
    try {
      addQuery(readRows(text.value));
      text.value = '';
    } catch (error) {
      fault.textContent = error.message;
    }
  };
  return el(
    'details',
    { class: 'paste', open },
    el('summary', {}, 'Paste documents'),
    el('p', { class: 'quiet' }, 'Documents of one query: LETOR lines, or JSON as of POST /rank. "label" is optional.'),
    text,
    el('button', { type: 'button', class: 'plain', onclick: take }, 'Rank'),
    fault,
  );
}
