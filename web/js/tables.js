// SPDX-License-Identifier: Apache-2.0
// Tables that sort by any column, from the keyboard too.

import { el } from './dom.js';

// A cell is a text, a node, or {show, sort}: what is shown, and what it is sorted by.
function shown(cell) {
  return cell !== null && typeof cell === 'object' && 'show' in cell ? cell.show : cell;
}

function key(cell) {
  return cell !== null && typeof cell === 'object' && 'sort' in cell ? cell.sort : cell;
}

// Compares two cells; cells without a number come last in both directions.
function directed(a, b, up) {
  const x = key(a);
  const y = key(b);
  if (typeof x === 'number' && typeof y === 'number') {
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
    return up ? x - y : y - x;
  }
  const order = String(x ?? '').localeCompare(String(y ?? ''), 'en', { numeric: true });
  return up ? order : -order;
}

function makeRow(row, columns, head) {
  return el(
    'tr',
    {},
    ...row.map((cell, i) =>
      el(
        i === head ? 'th' : 'td',
        { scope: i === head ? 'row' : null, class: columns[i].class },
        shown(cell) ?? '–',
      ),
    ),
  );
}

// columns: texts, or {title, class, note, lower: small numbers come first, head: this column is the row
// header (default: the first column)}. by: the column of the initial sort; null: rows as given.
export function table(caption, columns, rows, { tall = false, by = null } = {}) {
  const kinds = columns.map((column) => (typeof column === 'string' ? { title: column } : column));
  const head = Math.max(
    0,
    kinds.findIndex((column) => column.head),
  );
  const body = el('tbody', {}, ...rows.map((row) => makeRow(row, kinds, head)));
  // The whole cell is clickable; the button in it takes the focus, and its clicks bubble up.
  const heads = kinds.map((column, i) =>
    el(
      'th',
      { scope: 'col', class: column.class, title: column.note, onclick: () => sort(i) },
      el('button', { type: 'button' }, column.title),
    ),
  );

  function sort(at) {
    const before = heads[at].getAttribute('aria-sort');
    const numbers = rows.some((row) => typeof key(row[at]) === 'number');
    const up = before ? before === 'descending' : !numbers || Boolean(kinds[at].lower);
    const order = rows
      .map((row, i) => i)
      .sort((i, k) => directed(rows[i][at], rows[k][at], up) || i - k);
    heads.forEach((one) => one.removeAttribute('aria-sort'));
    heads[at].setAttribute('aria-sort', up ? 'ascending' : 'descending');
    body.replaceChildren(...order.map((i) => makeRow(rows[i], kinds, head)));
  }

  if (by !== null) sort(by);
  return el(
    'div',
    { class: tall ? 'scroll tall' : 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    el(
      'table',
      {},
      el('caption', { class: 'spoken' }, caption),
      el('thead', {}, el('tr', {}, ...heads)),
      body,
    ),
  );
}
