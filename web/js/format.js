// Numbers and names as people read them.

export function fixed(value, digits = 4) {
  return Number.isFinite(value) ? value.toFixed(digits).replace('-', '−') : '–';
}

export function signed(value, digits = 4) {
  return (value >= 0 ? '+' : '') + fixed(value, digits);
}

export function count(value) {
  return Number.isFinite(value) ? value.toLocaleString('en-US') : '–';
}

export function percent(share) {
  return Number.isFinite(share) ? `${(100 * share).toFixed(1)} %` : '–';
}

// Any number at all: as short as it can be without losing what matters.
export function brief(value, digits = 5) {
  if (!Number.isFinite(value)) return '–';
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value).replace('-', '−');
  return String(Number(value.toPrecision(digits))).replace('-', '−');
}

export function pValue(p) {
  if (!Number.isFinite(p)) return '–';
  return p < 1e-4
    ? p
        .toExponential(1)
        .replace('e-', '·10⁻')
        .replace(/⁻(\d+)$/, superscript)
    : p.toFixed(4);
}

function superscript(match, digits) {
  return '⁻' + [...digits].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('');
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

// File names without their folders, where that leaves them different.
export function shortNames(names) {
  const last = names.map((name) => name.replace(/^.*\//, ''));
  return last.map((name, i) => (last.indexOf(name) === last.lastIndexOf(name) ? name : names[i]));
}
