// SPDX-License-Identifier: Apache-2.0
// Numbers and names as text for readers.

export function minus(text) {
  return text.replace('-', '−');
}

export function fixed(value, digits = 4) {
  return Number.isFinite(value) ? minus(value.toFixed(digits)) : '–';
}

export function signed(value, digits = 4) {
  return (value >= 0 ? '+' : '') + fixed(value, digits);
}

export function count(value) {
  return Number.isFinite(value) ? minus(value.toLocaleString('en-US')) : '–';
}

export function percent(fraction, digits = 1) {
  return Number.isFinite(fraction) ? `${fixed(100 * fraction, digits)}%` : '–';
}

// Any number, rounded to its leading digits.
export function brief(value, digits = 5) {
  if (!Number.isFinite(value)) return '–';
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return minus(String(value));
  return minus(String(Number(value.toPrecision(digits))));
}

// A score of a document.
export function score(value) {
  return Number.isNaN(value) ? '–' : minus(value.toPrecision(6));
}

// A formatter for numbers that are compared with each other: all with the same number of decimals,
// which gives the largest one four digits.
export function sameDecimals(values) {
  const most = Math.max(0, ...values.map(Math.abs).filter(Number.isFinite));
  const decimals = most > 0 ? 3 - Math.floor(Math.log10(most)) : 0;
  return decimals < -3 || decimals > 9
    ? (value) => brief(value, 4)
    : (value) => fixed(value, Math.max(0, decimals));
}

export function pValue(p) {
  if (!Number.isFinite(p)) return '–';
  if (p < 1e-4) return '< 0.0001';
  return p > 0.99995 ? '1' : p.toFixed(4);
}

// "p = 0.0123", "p < 0.0001"
export function pText(p) {
  const text = pValue(p);
  return (text.startsWith('<') ? `p ${text}` : `p = ${text}`).replaceAll(' ', '\u00a0');
}

export function interval(low, high, show = fixed) {
  return Number.isFinite(low) && Number.isFinite(high) ? `[${show(low)}, ${show(high)}]` : '';
}

export function size(bytes) {
  if (bytes < 1000) return `${Math.round(bytes)} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

export function many(number, one, more) {
  return `${count(number)} ${number === 1 ? one : more}`;
}

// "a, b and c"
export function listed(words) {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

// File names without their folders, where that leaves them different.
export function shortNames(names) {
  const last = names.map((name) => name.replace(/^.*\//, ''));
  return last.map((name, i) => (last.indexOf(name) === last.lastIndexOf(name) ? name : names[i]));
}
