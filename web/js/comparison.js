// Every pair of rankers: difference, interval, test.

import { axis, figure } from './charts.js';
import { el } from './dom.js';
import { interval, signed } from './format.js';
import { contrastTable, forestData } from './overview.js';
import { currentSet, measured } from './state.js';
import { colour } from './theme.js';

function draw() {
  const rows = forestData();
  const ink = rows.map(({ real }) => colour(real ? 'accent' : 'quiet'));
  return {
    type: 'bar',
    data: {
      labels: rows.map(({ label }) => label),
      datasets: [
        { type: 'line', label: 'difference', data: rows.map(({ difference }) => difference), showLine: false, pointRadius: 6, pointHoverRadius: 7, pointStyle: rows.map(({ real }) => (real ? 'rectRot' : 'circle')), backgroundColor: rows.map(({ real }, i) => (real ? ink[i] : colour('card'))), borderColor: ink, borderWidth: 2 },
        { label: 'interval', data: rows.map(({ low, high }) => [low, high]), backgroundColor: ink, barThickness: 3, borderSkipped: false, isBand: true },
      ],
    },
    options: {
      indexAxis: 'y',
      interaction: { mode: 'index', axis: 'y', intersect: false },
      scales: {
        x: axis('difference', { grid: { color: (context) => colour(context.tick?.value === 0 ? 'ink' : 'grid') } }),
        y: axis('', { ticks: { autoSkip: false } }),
      },
      plugins: {
        tooltip: { callbacks: { label: ({ dataIndex }) => `${signed(rows[dataIndex].difference)} ${interval(rows[dataIndex].low, rows[dataIndex].high, signed)}` } },
      },
    },
  };
}

export function comparison(section) {
  const set = currentSet();
  const rows = forestData();
  const sided = set.test.sided === '1' ? 'one-sided' : 'two-sided';
  section.append(
    el('p', {}, 'Is the difference real, or would other queries turn it around? Each pair is compared query by query.'),
    contrastTable(set),
    figure({
      title: 'Differences with their intervals',
      label: `Chart of differences: ${rows.map(({ label, difference }) => `${label} ${signed(difference)}`).join('; ')}`,
      height: `${5 + 2.1 * rows.length}rem`,
      draw,
      caption: 'A filled diamond: significant after Holm\'s correction; a ring: not. The line through 0 is no difference.',
    }),
    el('p', { class: 'convention' }, `${measured()}. Test: ${set.test.name}, ${set.test.summary}; ${sided}; p (Holm) is corrected for all pairs of this metric.`));
}
