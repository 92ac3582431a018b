// Charts in figures: title, legend that switches series, canvas, caption, and the numbers as a table.
// Chart.js draws; `Chart` is its global name.

import { el, folded } from './dom.js';
import { colour, isPrinting, onTheme, series } from './theme.js';

const drawn = new Set();

export function startCharts() {
  onTheme(() => drawn.forEach((one) => one.redraw()));
}

// Draws what has come into the page, and forgets what has left it.
export function drawNew() {
  for (const one of drawn) {
    if (!one.element.isConnected) one.end();
    else if (!one.chart) one.redraw();
  }
}

// The line and mark of a series as a small picture.
export function keyOf(i) {
  const { at, dash } = series(i);
  const shapes = [
    '<circle cx="14" cy="7" r="4"/>',
    '<rect x="10" y="3" width="8" height="8"/>',
    '<path d="M14 2l5 9h-10z"/>',
    '<path d="M14 1.5l5.5 5.5-5.5 5.5-5.5-5.5z"/>',
    '<path d="M10 3l8 8M18 3l-8 8" stroke-width="2"/>',
    '<path d="M10 3l8 8M18 3l-8 8M14 1v12M8 7h12" stroke-width="1.5"/>',
    '<rect x="10" y="3" width="8" height="8" rx="3"/>',
    '<path d="M14 2v10M9 7h10" stroke-width="2"/>',
  ];
  const holder = el('span', { 'aria-hidden': 'true' });
  holder.innerHTML = `<svg class="key" width="28" height="14" style="color:var(--series-${at})" fill="currentColor"
    stroke="currentColor"><path d="M0 7h28" fill="none" stroke-width="2" stroke-dasharray="${dash.join(' ')}"/>${shapes[at]}</svg>`;
  return holder;
}

export function named(i, name) {
  return el('span', {}, keyOf(i), name);
}

export function axis(title, more = {}) {
  return {
    title: { display: Boolean(title), text: title, color: colour('quiet') },
    grid: { color: colour('grid'), borderColor: colour('rule') },
    ticks: { color: colour('quiet'), maxRotation: 0, autoSkipPadding: 10, ...more.ticks },
    ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== 'ticks')),
  };
}

// A line with its mark, dash and colour; points are {x, y}.
export function line(i, label, points, more = {}) {
  const { colour: ink, mark, dash } = series(i);
  return {
    label,
    data: points,
    borderColor: ink,
    backgroundColor: ink,
    borderWidth: 2,
    borderDash: dash,
    pointStyle: mark,
    pointRadius: points.length > 40 ? 0 : 4,
    pointHoverRadius: 6,
    tension: 0,
    spanGaps: true,
    seriesAt: i,
    ...more,
  };
}

// The band between two bounds around a line of the same series, which comes after.
export function band(i, points) {
  const base = {
    borderWidth: 0,
    pointRadius: 0,
    pointHoverRadius: 0,
    isBand: true,
    seriesAt: i,
    backgroundColor: `${series(i).colour}1f`,
  };
  return [
    { ...base, data: points.map(({ x, low }) => ({ x, y: low })) },
    { ...base, data: points.map(({ x, high }) => ({ x, y: high })), fill: '-1' },
  ];
}

function settle(config) {
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

class Figure {
  constructor(parts) {
    this.parts = parts;
    this.hidden = new Set();
    this.at = -1;
    this.canvas = el('canvas', {
      role: 'img',
      tabindex: 0,
      'aria-label': parts.label,
      onkeydown: (event) => this.move(event),
    });
    this.spoken = el('p', { class: 'spoken', 'aria-live': 'polite' });
    this.element = el(
      'figure',
      {},
      el('h3', {}, parts.title),
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
    return el(
      'ul',
      { class: 'legend' },
      ...entries.map(([i, name]) => {
        const button = el(
          'button',
          {
            type: 'button',
            'aria-pressed': 'true',
            onclick: () => {
              const shows = this.hidden.delete(i);
              if (!shows) this.hidden.add(i);
              button.setAttribute('aria-pressed', String(shows));
              this.redraw();
            },
          },
          keyOf(i),
          name,
        );
        return el('li', {}, button);
      }),
    );
  }

  redraw() {
    this.chart?.destroy();
    const config = settle(this.parts.draw());
    config.data.datasets = config.data.datasets.filter((set) => !this.hidden.has(set.seriesAt));
    if (isPrinting()) this.fitPaper(config);
    this.chart = new Chart(this.canvas, config);
  }

  // On paper the size is fixed, as the layout of paper is not known in time.
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

  // The arrow keys walk along the chart, and what the pointer would show is said.
  move(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const sets = this.chart.data.datasets
      .map((set, i) => [set, i])
      .filter(([set]) => !set.isBand && !set.isGuide);
    const most = Math.max(0, ...sets.map(([set]) => set.data.length));
    if (!step || most === 0) return;
    event.preventDefault();
    this.at = this.at < 0 && step < 0 ? most - 1 : (this.at + step + most) % most;
    const active = sets
      .filter(([set]) => this.at < set.data.length)
      .map(([, datasetIndex]) => ({ datasetIndex, index: this.at }));
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

// parts: title, label (what a reader who does not see it should know), draw (gives a Chart.js
// configuration), and if wanted legend ([series, name]...), caption, numbers (a table), shape, height.
export function figure(parts) {
  return new Figure(parts).element;
}
