// SPDX-License-Identifier: Apache-2.0
// The values of A as inputs, and the score that the model in the page computes from them.

import { el } from './dom.js';
import { brief, score } from './format.js';

// The script of the page defines one variable per model.
export function modelOf({ reasons_model: about }) {
  return about?.variable ? globalThis[about.variable] : null;
}

// A row with all features of the model; those that it does not use are 0.
function rowOf(model, features, values) {
  const row = new Float32Array(model.featureNames.length);
  features.forEach((feature, i) => {
    row[feature] = values[i] === null ? NaN : Number(values[i]);
  });
  return row;
}

function order(a, b) {
  if (Number.isNaN(a)) return 'not comparable with B';
  return a > b ? 'above B' : a < b ? 'below B' : 'tied with B';
}

function change(by) {
  if (!(Math.abs(by) > 0)) return 'unchanged';
  return el('span', { class: by > 0 ? 'up' : 'down' }, `${by > 0 ? '▲ +' : '▼ '}${brief(by, 4)}`);
}

// The value of an input as float, NaN if it is empty, or null if it is not a number.
function read({ value, validity }) {
  if (value === '') return validity.badInput ? null : NaN;
  const number = Math.fround(Number(value));
  return Number.isFinite(number) ? number : null;
}

function makeInput(name, value, edit) {
  return el('input', {
    type: 'number',
    step: 'any',
    inputmode: 'decimal',
    value: typeof value === 'number' ? value : null,
    placeholder: value === null || typeof value === 'number' ? 'missing' : value,
    'aria-label': `Value of feature ${name} in A`,
    oninput: edit,
  });
}

// {inputs: one per listed feature, result: the score that the values give}
export function whatIf(model, reason) {
  const [features, above, below] = reason.inputs;
  const original = rowOf(model, features, above);
  const before = model.score(original);
  const other = model.score(rowOf(model, features, below));
  const shown = el('output', {});
  const reset = el(
    'button',
    { type: 'button', 'aria-label': 'Reset the values of A', onclick: restore },
    'Reset',
  );
  const inputs = reason.features.map(([name, , , , feature]) =>
    makeInput(name, above[features.indexOf(feature)], show),
  );

  function show() {
    const row = original.slice();
    let edited = false;
    let wrong = false;
    inputs.forEach((input, i) => {
      const feature = reason.features[i][4];
      const value = read(input);
      const same = value !== null && input.value === input.defaultValue;
      if (!same) row[feature] = value;
      edited ||= !same;
      wrong ||= value === null;
      input.classList.toggle('edited', !same);
      input.setAttribute('aria-invalid', value === null);
    });
    reset.disabled = !edited;
    if (wrong) {
      shown.replaceChildren('A value is not a number.');
      return;
    }
    const now = model.score(row);
    shown.replaceChildren(
      el('b', {}, `Score of A: ${score(now)}`),
      ...(edited ? [' (', change(now - before), ')'] : []),
      `, ${order(now, other)} (${score(other)})`,
    );
  }

  function restore() {
    for (const input of inputs) input.value = input.defaultValue;
    show();
    inputs[0].focus();
  }

  show();
  return { inputs, result: el('div', { class: 'what-if' }, shown, reset) };
}
