// SPDX-License-Identifier: Apache-2.0
// The features of a document, with sliders: moving one scores all documents of the query again.

import { el } from './dom.js';
import { brief } from './format.js';
import { featureLabel, session } from './play_session.js';
import { setView, view } from './play_state.js';

const shownFirst = 8;

// The range of a slider: that of the query's documents, and a little more.
function rangeOf(feature, value) {
  const values = session.documents.map(({ features }) => features[feature]).filter(Number.isFinite);
  if (Number.isFinite(value)) values.push(value);
  let low = Math.min(...values);
  let high = Math.max(...values);
  if (!values.length) [low, high] = [0, 1];
  if (low === high) [low, high] = low === 0 ? [0, 1] : [Math.min(0, 2 * low), Math.max(0, 2 * high)];
  const more = 0.1 * (high - low);
  return { low: low >= 0 ? Math.max(0, low - more) : low - more, high: high + more };
}

function setChange(row, feature, value) {
  const key = `${row}:${feature}`;
  const original = session.documents[row].features[feature];
  const changes = new Map(view.changes);
  const single = Math.fround(value);
  if (Object.is(single, original)) changes.delete(key);
  else changes.set(key, Number(single.toPrecision(7)));
  setView({ changes });
}

function sliderRow(row, feature) {
  const key = `${row}:${feature}`;
  const original = session.documents[row].features[feature];
  const now = view.changes.get(key) ?? original;
  const { low, high } = rangeOf(feature, original);
  const label = featureLabel(feature);
  const text = (value) => (Number.isNaN(value) ? '' : String(Number(value.toPrecision(6))));
  const slider = el('input', {
    type: 'range',
    min: low,
    max: high,
    step: (high - low) / 200,
    'aria-label': `Slider of ${label}`,
    'data-feature': feature,
    oninput: () => {
      box.value = text(slider.valueAsNumber);
      setChange(row, feature, slider.valueAsNumber);
      mark();
    },
  });
  const box = el('input', {
    type: 'number',
    step: 'any',
    value: text(now),
    placeholder: 'missing',
    'aria-label': `Value of ${label}`,
    onchange: () => {
      if (!Number.isFinite(box.valueAsNumber)) return restore();
      slider.value = box.valueAsNumber;
      return setChange(row, feature, box.valueAsNumber), mark();
    },
  });
  const undo = el(
    'button',
    { type: 'button', class: 'plain', 'aria-label': `Restore ${label}`, title: `Restore ${brief(original)}`, onclick: restore },
    '↺',
  );
  const line = el('li', { 'data-name': label.toLowerCase() }, el('span', { class: 'id', title: label }, label), slider, box, undo);

  function mark() {
    const changed = view.changes.has(key);
    line.classList.toggle('changed', changed);
    undo.disabled = !changed;
  }
  function restore() {
    const changes = new Map(view.changes);
    changes.delete(key);
    setView({ changes });
    slider.value = Number.isFinite(original) ? original : low;
    box.value = text(original);
    mark();
  }
  slider.value = Number.isFinite(now) ? now : low;
  mark();
  return line;
}

// first: features in the order of their importance; the others follow in the order of the data.
export function featureSliders(row, first) {
  const total = session.documents[row].features.length;
  const order = [...new Set([...first, ...Array(total).keys()])].filter((feature) => feature < total);
  const changed = order.filter((feature) => view.changes.has(`${row}:${feature}`));
  const sequence = [...new Set([...changed, ...order])];
  const made = new Map();
  const line = (feature) => {
    if (!made.has(feature)) made.set(feature, sliderRow(row, feature));
    return made.get(feature);
  };
  const list = el('ul', { class: 'sliders' });
  let all = false;
  const find = el('input', {
    type: 'search',
    placeholder: 'Find features',
    'aria-label': 'Find features',
    oninput: show,
  });
  const more = el('button', { type: 'button', class: 'plain', onclick: () => ((all = !all), show()) });

  function show() {
    const word = find.value.trim().toLowerCase();
    const found = sequence.filter((feature) => featureLabel(feature).toLowerCase().includes(word));
    const shown = all || word ? found.slice(0, word ? 40 : found.length) : found.slice(0, Math.max(shownFirst, changed.length));
    list.replaceChildren(...shown.map(line));
    more.hidden = Boolean(word) || total <= shownFirst;
    more.textContent = all ? 'Show fewer features' : `Show all ${total} features`;
  }
  show();
  return el(
    'section',
    { class: 'values' },
    el('h3', {}, 'Features'),
    el('p', { class: 'quiet' }, 'Move a slider, or enter a value: all rankings are computed again.'),
    find,
    list,
    more,
  );
}
