// SPDX-License-Identifier: Apache-2.0
// Rankings side by side. Lines between neighbouring columns join the ranks of each document.

import { el } from './dom.js';
import { brief, count, fixed, score, signed } from './format.js';
import { columnMetrics, hasLabels, modelOf, rankingLabel, session } from './play_session.js';
import { setView, view } from './play_state.js';

const rowHeight = 30;
const gapWidth = 40;
const listed = 20; // documents, unless all are requested
const maxColumns = 4;

function svg(tag, properties, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function gradeChip(label) {
  const most = Math.max(session.source.about.most, ...session.documents.map((one) => one.label ?? 0));
  const strength = most > 0 ? Math.max(0, label) / most : 0;
  return el(
    'span',
    {
      class: strength > 0.6 ? 'grade strong' : 'grade',
      style: `--strength:${Math.round(90 * strength)}%`,
      title: `grade ${brief(label)}`,
    },
    brief(label),
  );
}

// The first documents, and as many as it takes to show the open one.
function shownCount() {
  const total = session.documents.length;
  const open = session.columns[view.column]?.ranks[view.document] ?? 0;
  return view.all ? total : Math.min(Math.max(listed, open + 1), total);
}

// ---- choosing rankings ----

function rankingChoice(at) {
  const { models, features } = session.source.about;
  const chosen = view.rankings[at];
  const option = (value) => el('option', { value, selected: value === chosen }, rankingLabel(value));
  const known = new Set([...models.map(({ name }) => `model:${name}`), 'ideal', 'data']);
  const select = el(
    'select',
    {
      'aria-label': `Ranking ${at + 1}`,
      onchange: () => {
        const rankings = [...view.rankings];
        rankings[at] = select.value;
        setView({ rankings }, { push: true });
      },
    },
    el('optgroup', { label: 'Models' }, ...models.map(({ name }) => option(`model:${name}`))),
    el('optgroup', { label: 'Orders' }, option('ideal'), option('data')),
    el('optgroup', { label: 'Features' }, ...features.map((_, f) => option(`feature:${f + 1}`))),
  );
  if (!known.has(chosen) && !chosen.startsWith('feature:')) select.prepend(option(chosen));
  return select;
}

function remove(at) {
  const rankings = view.rankings.filter((_, i) => i !== at);
  setView({ rankings, column: Math.min(view.column, rankings.length - 1), pair: [0, 1] }, { push: true });
}

// The first ranking that is not on the page yet.
function add() {
  const { models } = session.source.about;
  const all = [...models.map(({ name }) => `model:${name}`), 'ideal', 'data', 'feature:1'];
  const next = all.find((ranking) => !view.rankings.includes(ranking)) ?? 'ideal';
  setView({ rankings: [...view.rankings, next] }, { push: true });
}

// ---- a column ----

function metricList(column, left) {
  const metrics = columnMetrics(column);
  const others = left ? columnMetrics(left) : [];
  return el(
    'dl',
    { class: 'metrics' },
    ...metrics.flatMap(({ name, value }, i) => {
      const by = value - others[i]?.value;
      const change = Math.abs(by) >= 5e-5;
      return [
        el('dt', {}, name),
        el(
          'dd',
          {},
          fixed(value),
          change
            ? el(
                'small',
                { class: by > 0 ? 'up' : 'down', title: 'difference from the ranking on its left' },
                ` ${signed(by, 3)}`,
              )
            : null,
        ),
      ];
    }),
  );
}

function moved(by) {
  if (!by) return null;
  return el('small', { class: by > 0 ? 'move up' : 'move down' }, by > 0 ? `▲${by}` : `▼${-by}`);
}

function describeRow(column, row, rank) {
  const { id, label } = session.documents[row];
  const own = column.scores ? `, score ${score(column.scores[row])}` : '';
  return `Rank ${rank + 1}: document ${id}${label === null ? '' : `, grade ${brief(label)}`}${own}`;
}

// Whether a neighbour in the ranking has the same score.
function isTied({ scores, order }, rank) {
  return [rank - 1, rank + 1].some((other) => other in order && scores?.[order[other]] === scores?.[order[rank]]);
}

function documentRow(column, at, rank) {
  const row = column.order[rank];
  const { id, label } = session.documents[row];
  const changed = [...view.changes.keys()].some((key) => key.startsWith(`${row}:`));
  const open = view.document === row;
  const tied = column.scores !== null && isTied(column, rank);
  return el(
    'li',
    {},
    el(
      'button',
      {
        type: 'button',
        class: `${open ? 'row open' : 'row'}${changed ? ' changed' : ''}`,
        tabindex: -1,
        'data-row': row,
        'data-column': at,
        'data-rank': rank,
        'aria-label': describeRow(column, row, rank),
        title: describeRow(column, row, rank),
        'aria-expanded': open ? 'true' : 'false',
        onclick: () =>
          setView(
            open && view.column === at ? { document: null } : { document: row, column: at },
            { push: !open },
          ),
      },
      el('span', { class: 'rank', title: tied ? 'documents with equal scores, in the order of the data' : null }, tied ? `${rank + 1}=` : String(rank + 1)),
      label === null ? null : gradeChip(label),
      el('span', { class: 'id' }, id),
      moved(column.before[row] - rank),
      column.scores ? el('span', { class: 'own' }, brief(column.scores[row], 4)) : null,
    ),
  );
}

function drawColumn(column, at) {
  const left = session.columns[at - 1];
  const many = session.columns.length > 1;
  return el(
    'section',
    { class: 'column', 'aria-label': rankingLabel(column.ranking) },
    el(
      'div',
      { class: 'head' },
      el(
        'div',
        { class: 'choose' },
        rankingChoice(at),
        many
          ? el(
              'button',
              { type: 'button', class: 'plain', 'aria-label': `Remove ranking ${at + 1}`, title: 'Remove', onclick: () => remove(at) },
              '×',
            )
          : null,
      ),
      column.error ? el('p', { class: 'fault' }, column.error) : metricList(column, left),
    ),
    el('ol', {}, ...Array.from({ length: shownCount() }, (_, rank) => documentRow(column, at, rank))),
  );
}

// ---- lines between columns ----

function drawLines(from, to) {
  const rows = shownCount();
  const height = rows * rowHeight;
  const y = (rank) => (rank + 0.5) * rowHeight;
  const middle = gapWidth / 2;
  const lines = session.documents.map((_, row) => {
    const [a, b] = [from.ranks[row], to.ranks[row]];
    if (a >= rows && b >= rows) return null;
    const kind = b < a ? 'rise' : b > a ? 'fall-off' : 'same';
    const strength = session.documents[row].label > 0 ? ' graded' : '';
    return svg('path', {
      d: `M0 ${y(a)}C${middle} ${y(a)} ${middle} ${y(b)} ${gapWidth} ${y(b)}`,
      class: `${kind}${strength}${view.document === row ? ' open' : ''}`,
      'data-row': row,
    });
  });
  // the line of the open document is drawn above the others
  lines.sort((x, y2) => (x?.classList.contains('open') ?? 0) - (y2?.classList.contains('open') ?? 0));
  return el(
    'div',
    { class: 'gap', 'aria-hidden': 'true' },
    svg(
      'svg',
      { width: gapWidth, height, viewBox: `0 0 ${gapWidth} ${height}`, preserveAspectRatio: 'none' },
      ...lines.filter((line) => line !== null),
    ),
  );
}

function title() {
  const entry = session.queries[session.query];
  const graded = session.documents.filter(({ label }) => label > 0).length;
  const sizes = `${count(session.documents.length)} documents${hasLabels() ? `, ${count(graded)} relevant` : ''}`;
  const edits = view.changes.size;
  return el(
    'div',
    { class: 'title' },
    el('h1', {}, entry.own ? `Query: ${entry.name}` : `Query ${entry.name || '1'}`),
    el('span', { class: 'quiet' }, sizes),
    edits
      ? el(
          'button',
          { type: 'button', class: 'plain', id: 'restore', onclick: () => setView({ changes: new Map() }) },
          `Undo ${edits} changed value${edits === 1 ? '' : 's'}`,
        )
      : null,
    view.rankings.length < maxColumns
      ? el('button', { type: 'button', class: 'plain', id: 'add', onclick: add }, '+ Add ranking')
      : null,
  );
}

function footer() {
  if (!view.all && shownCount() === session.documents.length) return null;
  if (session.documents.length <= listed) return null;
  return el(
    'p',
    {},
    el(
      'button',
      { type: 'button', class: 'plain', id: 'more', onclick: () => setView({ all: !view.all }) },
      view.all ? `Show the first ${listed}` : `Show all ${count(session.documents.length)} documents`,
    ),
  );
}

// The row that the Tab key reaches.
function makeReachable(box) {
  const rows = [...box.querySelectorAll('.row')];
  const open = rows.find((row) => Number(row.dataset.row) === view.document && Number(row.dataset.column) === view.column);
  (open ?? rows[0])?.setAttribute('tabindex', 0);
}

export function drawColumns(box) {
  const focused = document.activeElement?.closest?.('.row');
  const kept = focused && box.contains(focused) ? { ...focused.dataset } : null;
  const other = box.contains(document.activeElement) ? document.activeElement.id || document.activeElement.getAttribute('aria-label') : null;
  const scrolled = box.querySelector('.columns')?.scrollLeft ?? 0;
  const grid = el('div', { class: 'columns', style: `--row:${rowHeight}px;--gap:${gapWidth}px` });
  session.columns.forEach((column, at) => {
    if (at) grid.append(drawLines(session.columns[at - 1], column));
    grid.append(drawColumn(column, at));
  });
  box.replaceChildren(
    title(),
    session.error ? el('p', { class: 'fault' }, session.error) : '',
    grid,
    footer() ?? '',
    el('p', { class: 'quiet keys' }, 'Arrow keys move, Enter opens a document, Escape closes it, / searches queries.'),
  );
  grid.scrollLeft = scrolled;
  makeReachable(box);
  if (kept)
    (
      box.querySelector(`.row[data-row="${kept.row}"][data-column="${kept.column}"]`) ??
      box.querySelector(`.row[data-column="${kept.column}"]`)
    )?.focus({ preventScroll: true });
  else if (other)
    [...box.querySelectorAll('select, button')]
      .find((one) => one.id === other || one.getAttribute('aria-label') === other)
      ?.focus({ preventScroll: true });
}

// Moves the focus by ranks and columns; from the outside to the first row.
export function moveFocus(box, down, right) {
  const at = document.activeElement?.closest?.('.row');
  const find = (column, rank) => box.querySelector(`.row[data-column="${column}"][data-rank="${rank}"]`);
  const next = at
    ? right
      ? box.querySelector(`.row[data-column="${Number(at.dataset.column) + right}"][data-row="${at.dataset.row}"]`) ??
        find(Number(at.dataset.column) + right, at.dataset.rank)
      : find(at.dataset.column, Number(at.dataset.rank) + down)
    : find(0, 0);
  if (!next) return;
  box.querySelectorAll('.row[tabindex="0"]').forEach((row) => row.setAttribute('tabindex', -1));
  next.setAttribute('tabindex', 0);
  next.focus();
  // with a document open, moving shows the next one
  if (view.document !== null)
    setView({ document: Number(next.dataset.row), column: Number(next.dataset.column) });
}

export function explainedModel() {
  const own = modelOf(view.rankings[view.column]);
  return own ?? view.rankings.map(modelOf).find((model) => model !== null) ?? null;
}
