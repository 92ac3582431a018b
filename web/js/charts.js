// SPDX-License-Identifier: Apache-2.0
// Charts in figures: title, legend, canvas, caption, and the numbers as a table. One series can be
// selected, by pointer or keyboard: it is emphasised, and its band is drawn.
// Chart.js draws; `Chart` is its global name.

import { el, folded } from './dom.js';
import { minus } from './format.js';
import { colour, isPrinting, onTheme, series } from './theme.js';

const drawn = new Set();
const reach = 30; // pixels from the pointer to the nearest point of a series that it selects

export function startCharts() {
  onTheme(() => drawn.forEach((one) => one.redraw()));
}

// Draws figures that are new on the page, and drops those that were removed from it.
export function drawNew() {
  for (const one of drawn) {
    if (!one.element.isConnected) one.end();
    else if (!one.chart) one.redraw();
  }
}

const shapes = {
  circle: '<circle cx="22" cy="7" r="4"/>',
  rect: '<rect x="18" y="3" width="8" height="8"/>',
  triangle: '<path d="M22 2l5 9h-10z"/>',
  rectRot: '<path d="M22 1.5l5.5 5.5-5.5 5.5-5.5-5.5z"/>',
  crossRot: '<path d="M18 3l8 8M26 3l-8 8" stroke-width="2"/>',
  star: '<path d="M18 3l8 8M26 3l-8 8M22 1v12M16 7h12" stroke-width="1.5"/>',
  rectRounded: '<rect x="18" y="3" width="8" height="8" rx="3"/>',
  cross: '<path d="M22 2v10M17 7h10" stroke-width="2"/>',
};

// The line and mark of a style as a small SVG, wide enough for the longest dash.
export function keyOf(style) {
  const { ink, mark, dash } = series(style);
  const holder = el('span', { class: 'key', 'aria-hidden': 'true' });
  holder.innerHTML = `<svg width="44" height="14" style="color:var(--${ink})" fill="currentColor"
    stroke="currentColor"><path d="M0 7h44" fill="none" stroke-width="2" stroke-dasharray="${dash.join(' ')}"/>${shapes[mark] ?? ''}</svg>`;
  return holder;
}

export function named(style, name) {
  return el('span', { class: 'named' }, keyOf(style), name);
}

function tickText(value, at, ticks) {
  return minus(Chart.Ticks.formatters.numeric.call(this, value, at, ticks));
}

export function axis(title, more = {}) {
  const { ticks = {}, ...rest } = more;
  const numbers = (rest.type ?? 'linear') === 'linear' ? { callback: tickText } : {};
  return {
    title: { display: Boolean(title), text: title, color: colour('quiet') },
    grid: { color: colour('grid'), borderColor: colour('rule') },
    ticks: { color: colour('quiet'), maxRotation: 0, autoSkipPadding: 10, ...numbers, ...ticks },
    ...rest,
  };
}

// Long lines show their mark at about twelve points.
function markedPoints(count) {
  const every = Math.max(1, Math.ceil(count / 12));
  return count > 40 ? ({ dataIndex }) => (dataIndex % every === every >> 1 ? 4 : 0) : 4;
}

// A line with its mark, dash and colour; points are {x, y}.
export function line(style, label, points, more = {}) {
  const { colour: ink, mark, dash } = series(style);
  return {
    label,
    data: points,
    borderColor: ink,
    backgroundColor: ink,
    borderWidth: 2,
    borderDash: dash,
    pointStyle: mark,
    pointRadius: mark ? markedPoints(points.length) : 0,
    pointHoverRadius: 6,
    tension: 0,
    spanGaps: true,
    clip: 8, // marks at the edges are drawn whole
    seriesAt: style,
    ...more,
  };
}

// The band between two bounds around a line, drawn only while its series is selected.
export function band(style, points) {
  const base = {
    borderWidth: 0,
    pointRadius: 0,
    pointHoverRadius: 0,
    isBand: true,
    ofSelected: true,
    hidden: true,
    seriesAt: style,
    backgroundColor: `${series(style).colour}33`,
  };
  return [
    { ...base, data: points.map(({ x, low }) => ({ x, y: low })) },
    { ...base, data: points.map(({ x, high }) => ({ x, y: high })), fill: '-1' },
  ];
}

function configure(config) {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 12;
  const { tooltip = {}, ...plugins } = config.options.plugins ?? {};
  config.options = {
    responsive: true,
    maintainAspectRatio: false,
    animation: false,
    interaction: { mode: 'index', intersect: false },
    ...config.options,
    plugins: {
      ...plugins,
      legend: { display: false },
      tooltip: {
        backgroundColor: colour('ink'),
        titleColor: colour('paper'),
        bodyColor: colour('paper'),
        padding: 10,
        usePointStyle: true,
        filter: (item) => !item.dataset.isBand,
        ...tooltip,
      },
    },
  };
  return config;
}

const faint = (ink) => (Array.isArray(ink) ? ink.map(faint) : `${String(ink).slice(0, 7)}40`);

class Figure {
  constructor(parts) {
    this.parts = parts;
    this.hidden = new Set();
    this.pinned = this.hovered = null; // styles of series
    this.at = -1;
    this.canvas = el('canvas', {
      role: 'img',
      tabindex: 0,
      'aria-label': parts.label,
      onkeydown: (event) => this.move(event),
      onmousemove: (event) => this.hover(this.nearest(event)),
      onmouseleave: () => this.hover(null),
    });
    this.spoken = el('p', { class: 'spoken', 'aria-live': 'polite' });
    this.element = el(
      'figure',
      {},
      el('h3', {}, parts.style === undefined ? null : keyOf(parts.style), parts.title),
      parts.legend ? this.makeLegend(parts.legend) : null,
      el(
        'div',
        {
          class: `canvas ${parts.shape ?? ''}`,
          style: parts.height ? `height:${parts.height}` : null,
        },
        this.canvas,
      ),
      this.spoken,
      parts.caption ? el('figcaption', {}, parts.caption) : null,
      parts.numbers ? folded('Numbers', parts.numbers) : null,
    );
    drawn.add(this);
  }

  makeLegend(entries) {
    const several = entries.length > 1;
    this.buttons = new Map();
    return el(
      'ul',
      { class: 'legend' },
      ...entries.map(([style, name]) =>
        several
          ? el('li', {}, this.makeSwitch(style, name), this.makeButton(style, name))
          : el('li', {}, keyOf(style), name),
      ),
    );
  }

  // Shows and hides a series.
  makeSwitch(style, name) {
    const box = el('input', {
      type: 'checkbox',
      checked: true,
      'aria-label': `Show ${name}`,
      onchange: () => {
        if (box.checked) this.hidden.delete(style);
        else this.hidden.add(style);
        this.redraw();
      },
    });
    return box;
  }

  // Selects a series: while the pointer or the focus is on it, and from one click to the next.
  makeButton(style, name) {
    const button = el(
      'button',
      {
        type: 'button',
        'aria-pressed': 'false',
        onclick: () => {
          this.pinned = this.pinned === style ? null : style;
          this.emphasise();
        },
        onpointerenter: ({ pointerType }) => pointerType === 'mouse' && this.hover(style),
        onpointerleave: () => this.hover(null),
        onfocus: () => button.matches(':focus-visible') && this.hover(style),
        onblur: () => this.hover(null),
      },
      keyOf(style),
      name,
    );
    this.buttons.set(style, button);
    return button;
  }

  hover(style) {
    if (this.hovered === style) return;
    this.hovered = style;
    this.emphasise();
  }

  // The series with a point near the pointer; null: none, or there is only one.
  nearest({ offsetX, offsetY }) {
    let best = { style: null, distance: reach };
    if (!(this.buttons?.size > 1)) return null;
    this.chart.data.datasets.forEach((set, i) => {
      if (set.isBand || set.seriesAt === undefined || !this.chart.isDatasetVisible(i)) return;
      for (const { x, y, skip } of this.chart.getDatasetMeta(i).data) {
        const distance = skip ? Infinity : Math.hypot(x - offsetX, y - offsetY);
        if (distance < best.distance) best = { style: set.seriesAt, distance };
      }
    });
    return best.style;
  }

  // Draws the band of the selected series, and the others faintly.
  emphasise() {
    const chosen = this.hovered ?? this.pinned;
    for (const [style, button] of this.buttons ?? [])
      button.setAttribute('aria-pressed', String(this.pinned === style));
    if (!this.chart) return;
    for (const set of this.chart.data.datasets.filter(({ seriesAt }) => seriesAt !== undefined)) {
      if (set.ofSelected) {
        set.hidden = set.seriesAt !== chosen;
        continue;
      }
      set.inks ??= { borderColor: set.borderColor, backgroundColor: set.backgroundColor };
      for (const [name, ink] of Object.entries(set.inks))
        if (ink !== undefined)
          set[name] = chosen === null || set.seriesAt === chosen ? ink : faint(ink);
      set.order = set.seriesAt === chosen ? -1 : 0;
    }
    this.chart.update(); // mode 'none' would leave the points as they are
  }

  redraw() {
    this.chart?.destroy();
    const config = configure(this.parts.draw(this.hidden));
    config.data.datasets = config.data.datasets.filter((set) => !this.hidden.has(set.seriesAt));
    if (isPrinting()) this.fitPaper(config);
    this.chart = new Chart(this.canvas, config);
    if (this.pinned !== null) this.emphasise();
  }

  // For printing the size is fixed, because the print layout is not known in time.
  fitPaper(config) {
    const { height } = this.canvas.parentElement.getBoundingClientRect();
    this.canvas.width = this.element.parentElement.classList.contains('grid') ? 310 : 640;
    this.canvas.height =
      this.parts.shape === 'square'
        ? this.canvas.width
        : Math.min(height || 240, this.parts.height ? 420 : 240);
    Object.assign(config.options, { responsive: false, devicePixelRatio: 3 });
  }

  end() {
    this.chart?.destroy();
    drawn.delete(this);
  }

  // The next series in the legend, or none after the last.
  nextSeries(step) {
    const styles = [null, ...[...this.buttons.keys()].filter((one) => !this.hidden.has(one))];
    const at = Math.max(0, styles.indexOf(this.pinned));
    this.pinned = styles[(at + step + styles.length) % styles.length];
    this.emphasise();
    this.spoken.textContent = this.buttons.get(this.pinned)?.textContent ?? 'all series';
  }

  // Left and right move along the chart, up and down between series if there are several; the text of
  // the tooltip is announced.
  move(event) {
    const across = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const step = across ?? { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    if (!across && this.buttons?.size > 1) this.nextSeries(step);
    else this.walk(step);
  }

  walk(step) {
    const sets = this.chart.data.datasets
      .map((set, i) => [set, i])
      .filter(([set]) => !set.isBand && !set.isGuide && set.data.length);
    const most = Math.max(0, ...sets.map(([set]) => set.data.length));
    if (most === 0) return;
    this.at = this.at < 0 && step < 0 ? most - 1 : (this.at + step + most) % most;
    const active = sets
      .filter(([set]) => this.at < set.data.length && set.data[this.at] !== null)
      .map(([, datasetIndex]) => ({ datasetIndex, index: this.at }));
    if (active.length === 0) return;
    const { x, y } = this.chart.getDatasetMeta(active[0].datasetIndex).data[this.at];
    this.chart.setActiveElements(active);
    this.chart.tooltip.setActiveElements(active, { x, y });
    this.chart.update('none');
    const { title, body } = this.chart.tooltip;
    this.spoken.textContent = [
      ...(title ?? []),
      ...(body ?? []).flatMap((part) => part.lines),
    ].join(', ');
  }
}

// parts: title, label (for screen readers), draw (returns a Chart.js configuration, given the hidden
// series), and optionally style (of a single series), legend ([style, name]...), caption, numbers (a
// table), shape, height.
export function figure(parts) {
  return new Figure(parts).element;
}
