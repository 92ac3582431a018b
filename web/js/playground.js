// SPDX-License-Identifier: Apache-2.0
// The playground: a page to look at rankings, with data of a server or in the page.

import { el } from './dom.js';
import { close, drawDocument, resetSliders } from './document_panel.js';
import { pasteBox } from './paste_rows.js';
import { loadQuery, onSession, rescore, session } from './play_session.js';
import { followAddress, onView, readAddress, setView, view } from './play_state.js';
import { drawQueries, focusSearch, isInList, moveQuery, startQueries } from './query_list.js';
import { drawColumns, moveFocus } from './ranking_columns.js';
import { openEmbedded } from './source_embedded.js';
import { openServer } from './source_server.js';
import { startTheme } from './theme.js';

const main = document.getElementById('content');
const side = document.getElementById('queries');
const panel = document.getElementById('document');

// Asks for the token of the server; it is not stored.
function askToken(wrong) {
  return new Promise((resolve) => {
    const input = el('input', { type: 'password', 'aria-label': 'Token', autocomplete: 'off', required: true });
    const form = el(
      'form',
      {
        class: 'token',
        onsubmit: (event) => {
          event.preventDefault();
          form.remove();
          resolve(input.value.trim());
        },
      },
      el('p', {}, wrong ? 'The server does not accept this token.' : 'This server requires a token.'),
      input,
      el('button', { type: 'submit', class: 'plain' }, 'Continue'),
    );
    main.replaceChildren(form);
    input.focus();
  });
}

function initialView() {
  const { models, metrics } = session.source.about;
  const rankings = models.slice(0, 2).map(({ name }) => `model:${name}`);
  if (rankings.length < 2 && session.source.about.queries.length) rankings.push('ideal');
  return { query: session.queries[0]?.name ?? '', rankings: rankings.length ? rankings : ['ideal'], metric: metrics[0] ?? '' };
}

function welcome() {
  main.replaceChildren(
    el('h1', {}, 'Rank documents'),
    el(
      'p',
      {},
      'This server has no data. Paste the documents of a query to rank them, or start it with ',
      el('code', {}, '--data FILE'),
      ' to look at the queries of a file.',
    ),
  );
}

function drawMain() {
  if (session.columns.length && session.query >= 0) drawColumns(main);
  else if (!session.queries.length) welcome();
}

function follow() {
  onView((names) => {
    if (names.has('query')) {
      resetSliders();
      loadQuery();
    } else if (names.has('rankings') || names.has('changes')) rescore();
    else if (names.has('document') || names.has('column') || names.has('all') || names.has('against')) {
      drawMain();
      drawDocument(panel);
    }
    if (names.has('changes') && !panel.contains(document.activeElement)) resetSliders();
    if (['query', 'rankings', 'find', 'sort', 'metric', 'pair'].some((name) => names.has(name))) drawQueries();
  });
  onSession((what) => {
    if (what === 'query') drawQueries();
    else {
      drawMain();
      drawDocument(panel);
    }
  });
}

// ---- keyboard ----

function isTyping(element) {
  return /^(INPUT|SELECT|TEXTAREA)$/.test(element?.tagName ?? '');
}

function onKey(event) {
  const at = document.activeElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') {
    if (isInList(at) && view.find) setView({ find: '' });
    else if (isTyping(at) && !panel.contains(at)) at.blur();
    else if (view.document !== null) close();
    return;
  }
  const arrow = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
  if (isInList(at) && arrow && arrow[0]) {
    event.preventDefault();
    moveQuery(at.id === 'search' ? 0 : arrow[0]);
    return;
  }
  if (isTyping(at)) return;
  if (event.key === '/') {
    event.preventDefault();
    focusSearch();
  } else if (arrow && !panel.contains(at)) {
    event.preventDefault();
    moveFocus(main, ...arrow);
  }
}

async function start() {
  startTheme();
  const content = JSON.parse(document.getElementById('data').textContent);
  session.source = content ? openEmbedded(content) : await openServer(askToken);
  const { about } = session.source;
  session.queries = [...about.queries];
  document.getElementById('data-name').textContent = about.data ?? '';
  if (about.data) document.title = `${about.data} – gradus playground`;
  const initial = initialView();
  readAddress(initial);
  startQueries(side, about.pasting ? pasteBox(!about.queries.length) : '');
  follow();
  followAddress(initial);
  addEventListener('keydown', onKey);
  document.getElementById('skip').addEventListener('click', (event) => {
    event.preventDefault(); // the fragment of the address is the state of the page
    main.focus();
  });
  drawQueries();
  if (session.queries.length) await loadQuery();
  else welcome();
  document.documentElement.dataset.ready = 'true';
}

start().catch((error) => main.replaceChildren(el('p', { class: 'fault' }, error.message)));
