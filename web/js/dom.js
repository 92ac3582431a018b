// SPDX-License-Identifier: Apache-2.0
// Elements, made in one call.

export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// A labelled list to choose from; options are texts, and their positions the values.
export function choice(label, options, chosen, change) {
  const select = el('select', {
    'aria-label': label,
    onchange: () => change(Number(select.value)),
  });
  options.forEach((option, i) =>
    select.append(el('option', { value: i, selected: i === chosen }, option)),
  );
  return el('label', {}, label, select);
}

// Commands of the shell. Lines are not broken within options: "-" at the end of a line would mislead.
export function commandBlock(lines) {
  const words = lines.split(/(\s+)/);
  const shown = words.map((word) =>
    word.startsWith('-') ? el('span', { class: 'option' }, word) : word,
  );
  return el('pre', {}, ...shown);
}

export function folded(title, ...children) {
  return el('details', {}, el('summary', {}, title), ...children);
}
