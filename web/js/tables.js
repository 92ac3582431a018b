// Tables that sort by any column, from the keyboard too.

import { el } from './dom.js';

// A cell is a text, a node, or {show, sort}: what is shown, and what it is sorted by.
function shown(cell) {
  return cell !== null && typeof cell === 'object' && 'show' in cell ? cell.show : cell;
}

function key(cell) {
  return cell !== null && typeof cell === 'object' && 'sort' in cell ? cell.sort : cell;
}

function compare(a, b) {
  const x = key(a);
  const y = key(b);
  if (typeof x === 'number' && typeof y === 'number') {
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
    return x - y;
  }
  return String(x ?? '').localeCompare(String(y ?? ''), 'en', { numeric: true });
}

function makeRow(row, columns) {
  return el(
    'tr',
    {},
    ...row.map((cell, i) =>
      el(
        i === 0 ? 'th' : 'td',
        { scope: i === 0 ? 'row' : null, class: columns[i].class },
        shown(cell) ?? '–',
      ),
    ),
  );
}

// columns: texts, or {title, class, note}. The first cell of a row is its head.
export function table(caption, columns, rows, { tall = false } = {}) {
  const kinds = columns.map((column) => (typeof column === 'string' ? { title: column } : column));
  const body = el('tbody', {}, ...rows.map((row) => makeRow(row, kinds)));
  const heads = kinds.map((column, i) =>
    el(
      'th',
      { scope: 'col', class: column.class, title: column.note },
      el('button', { type: 'button', onclick: () => sort(i) }, column.title),
    ),
  );

  function sort(at) {
    const before = heads[at].getAttribute('aria-sort');
    const numbers = rows.some((row) => typeof key(row[at]) === 'number');
    const up = before ? before === 'descending' : !numbers; // the largest number first
    const order = rows
      .map((row, i) => i)
      .sort((i, k) => (up ? 1 : -1) * compare(rows[i][at], rows[k][at]) || i - k);
    heads.forEach((head) => head.removeAttribute('aria-sort'));
    heads[at].setAttribute('aria-sort', up ? 'ascending' : 'descending');
    body.replaceChildren(...order.map((i) => makeRow(rows[i], kinds)));
  }

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
