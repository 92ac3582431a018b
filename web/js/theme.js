// SPDX-License-Identifier: Apache-2.0
// Light or dark: the system's theme or the reader's choice; light on paper.

const dark = matchMedia('(prefers-color-scheme: dark)');
const paper = matchMedia('print');
const listeners = [];
let chosen = remembered();
let printing = paper.matches;

function remembered() {
  try {
    return localStorage.getItem('gradus-theme') || 'auto';
  } catch {
    return 'auto'; // browsers may deny storage to local files
  }
}

function remember() {
  try {
    localStorage.setItem('gradus-theme', chosen);
  } catch {
    // the choice is not remembered
  }
}

function apply(anyway = false) {
  const isDark = !printing && (chosen === 'dark' || (chosen === 'auto' && dark.matches));
  const now = isDark ? 'dark' : 'light';
  for (const button of document.querySelectorAll('[data-theme-choice]')) {
    button.setAttribute('aria-pressed', String(button.dataset.themeChoice === chosen));
  }
  if (document.documentElement.dataset.theme === now && !anyway) return;
  document.documentElement.dataset.theme = now;
  listeners.forEach((listener) => listener());
}

export function startTheme() {
  for (const button of document.querySelectorAll('[data-theme-choice]')) {
    button.addEventListener('click', () => {
      chosen = button.dataset.themeChoice;
      remember();
      apply();
    });
  }
  dark.addEventListener('change', () => apply());
  paper.addEventListener('change', () => print(paper.matches));
  addEventListener('beforeprint', () => print(true));
  addEventListener('afterprint', () => print(false));
  apply();
}

function print(now) {
  if (printing === now) return;
  printing = now;
  apply(true);
}

export function isPrinting() {
  return printing;
}

export function onTheme(listener) {
  listeners.push(listener);
}

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Styles differ in colour, mark and dash, so that colour is never needed to distinguish them. From the
// ninth on colours repeat, with other marks and dashes.
const marks = ['circle', 'rect', 'triangle', 'rectRot', 'crossRot', 'star', 'rectRounded', 'cross'];
const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3], [12, 4], [4, 2], [1, 4], [6, 2, 1, 2, 1, 2]];
const grey = {
  other: { mark: 'circle', dash: [] }, // methods without a specific style
  reference: { mark: false, dash: [5, 4] }, // a line that others are compared with
};

// style: a number, "other" or "reference". ink is the name of the colour.
export function series(style) {
  if (grey[style]) return { ...grey[style], colour: colour('quiet'), ink: 'quiet' };
  const at = style % marks.length;
  const next = (style + Math.floor(style / marks.length)) % marks.length;
  return { colour: colour(`series-${at}`), ink: `series-${at}`, mark: marks[next], dash: dashes[next] };
}
