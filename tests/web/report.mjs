// SPDX-License-Identifier: Apache-2.0
// Tests reports in a browser: charts, tables, keyboard, colours, widths, printing.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const { chromium } = await import(process.env.PLAYWRIGHT);
const folder = process.argv[2];
// The pages are our own, and containers often forbid the sandbox.
const browser = await chromium.launch({
  executablePath: process.env.BROWSER,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
const tests = [];
const test = (name, run) => tests.push([name, run]);

// Opens a page and records console messages, errors and requests; any of them fails the test at its end.
async function open(file, options = {}) {
  const page = await browser.newPage({
    viewport: { width: 1200, height: 900 },
    reducedMotion: 'reduce', // no smooth scrolling to wait for
    ...options,
  });
  page.complaints = [];
  page.on('console', (message) => message.type() === 'log' || page.complaints.push(message.text()));
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on(
    'request',
    (request) =>
      /^(file|data):/.test(request.url()) || page.complaints.push(`request ${request.url()}`),
  );
  page.on('dialog', (dialog) => page.complaints.push(`dialog ${dialog.message()}`));
  await page.goto(`file://${folder}/${file}`);
  await page.waitForSelector('#about');
  return page;
}

async function close(page) {
  assert.deepEqual(page.complaints, []);
  await page.close();
}

// Checks that every canvas shows something: a small copy has more colours than a blank one.
async function drawnCanvases(page) {
  const colours = await page.$$eval('canvas', (all) =>
    all.map((canvas) => {
      const copy = document.createElement('canvas');
      const pen = copy.getContext('2d', { willReadFrequently: true });
      pen.drawImage(canvas, 0, 0, copy.width, copy.height);
      return new Set(new Uint32Array(pen.getImageData(0, 0, copy.width, copy.height).data.buffer))
        .size;
    }),
  );
  colours.forEach((number, i) => assert.ok(number > 5, `canvas ${i} has ${number} colours`));
  return colours.length;
}

const numbers = (texts) => texts.map((text) => parseFloat(text.replace('−', '-')));
const themed = (page, name) =>
  page.waitForFunction((one) => document.documentElement.dataset.theme === one, name);
let shared; // most tests use the same page, one after the other

test('charts are drawn from real data', async () => {
  const page = (shared = await open('report.html'));
  assert.ok((await drawnCanvases(page)) >= 9);
  const means = JSON.parse(readFileSync(`${folder}/eval.json`)).map(
    ({ metrics }) => metrics['ndcg@10'],
  );
  const shown = numbers(
    await page.$$eval('#result tbody tr td:nth-child(2)', (cells) =>
      cells.map((cell) => cell.textContent),
    ),
  );
  assert.deepEqual(
    shown,
    means.map((mean) => Number(mean.toFixed(4))).sort((x, y) => y - x),
  );
  const drawn = await page.$eval('#depth canvas', (canvas) =>
    Chart.getChart(canvas)
      .data.datasets.filter((set) => !set.isBand)
      .map((set) => set.data[9].y),
  );
  drawn.forEach((value, i) =>
    assert.ok(Math.abs(value - means[i]) < 1e-12, 'NDCG@10 of the curve is that of eval'),
  );
  assert.deepEqual(page.complaints, []);
});

test('tables are sorted by the metric at first, then by a click anywhere on a header', async () => {
  const page = shared;
  const head = page.locator('#result thead th').nth(1);
  const sorted = () =>
    page.$$eval('#result thead th', (all) => all.map((one) => one.getAttribute('aria-sort')));
  assert.deepEqual((await sorted()).slice(0, 3), [null, 'descending', null]);
  assert.equal(await head.evaluate((one) => getComputedStyle(one).cursor), 'pointer');
  const name = page.locator('#result thead th').first();
  const { width, height } = await name.boundingBox();
  await name.click({ position: { x: width - 3, y: height - 3 } }); // beside the button
  assert.deepEqual((await sorted()).slice(0, 3), ['ascending', null, null]);
  const rankers = () =>
    page.$$eval('#result tbody th', (cells) => cells.map((cell) => cell.textContent));
  assert.deepEqual(await rankers(), [...(await rankers())].sort());
  await head.click();
  assert.deepEqual((await sorted()).slice(0, 3), [null, 'descending', null]);
  await head.locator('button').focus();
  const values = async () =>
    numbers(
      await page.$$eval('#result tbody tr td:nth-child(2)', (cells) =>
        cells.map((cell) => cell.textContent),
      ),
    );
  const down = await values();
  assert.deepEqual(
    down,
    [...down].sort((a, b) => b - a),
  );
  await page.keyboard.press('Enter');
  assert.equal(await head.getAttribute('aria-sort'), 'ascending');
  assert.deepEqual(await values(), [...down].reverse());
  assert.deepEqual(page.complaints, []);
});

test('hovering and arrow keys announce values; the legend hides series', async () => {
  const page = shared;
  const canvas = page.locator('#depth canvas');
  await canvas.scrollIntoViewIfNeeded();
  await canvas.hover();
  const tooltip = () =>
    canvas.evaluate((one) => {
      const { opacity, title } = Chart.getChart(one).tooltip;
      return { opacity, title };
    });
  await page.waitForFunction(
    () => Chart.getChart(document.querySelector('#depth canvas')).tooltip.opacity > 0,
  );
  assert.match((await tooltip()).title[0], /^NDCG@\d+$/);
  await canvas.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.match(
    await page.textContent('#depth figure [aria-live]'),
    /^NDCG@2, lambdamart\.model {2}0\.\d{4}/,
  );
  for (const section of ['comparison', 'queries', 'calibration', 'learning', 'importance']) {
    await page.locator(`#${section} canvas`).first().focus();
    await page.keyboard.press('ArrowRight');
    assert.notEqual(
      await page.locator(`#${section} figure [aria-live]`).first().textContent(),
      '',
      section,
    );
  }
  const sets = () => canvas.evaluate((one) => Chart.getChart(one).data.datasets.length);
  const before = await sets();
  const box = page.getByLabel('Show lambdamart.model').first();
  await box.uncheck();
  assert.equal(await sets(), before - 3);
  await box.check();
  assert.equal(await sets(), before);
  assert.deepEqual(page.complaints, []);
});

test('a ranker has one colour, mark and dash in all charts, and in the legend', async () => {
  const page = shared;
  const styles = await page.$$eval('canvas', (all) =>
    all.flatMap((canvas) =>
      Chart.getChart(canvas)
        .data.datasets.filter((set) => typeof set.seriesAt === 'number' && !set.isBand)
        .map((set) => ({
          at: set.seriesAt,
          colour: String(set.borderColor ?? set.backgroundColor).slice(0, 7),
          mark: set.pointStyle, // bars have neither
          dash: set.borderDash?.join(' '),
        })),
    ),
  );
  const of = (at, what) =>
    new Set(
      styles.filter((one) => one.at === at && one[what] !== undefined).map((one) => one[what]),
    );
  const looks = [0, 1, 2].map((at) =>
    ['colour', 'mark', 'dash'].map((what) => {
      assert.equal(of(at, what).size, 1, `${what} of ranker ${at}: ${[...of(at, what)]}`);
      return [...of(at, what)][0];
    }),
  );
  for (const column of [0, 1, 2])
    assert.equal(new Set(looks.map((look) => look[column])).size, 3, 'rankers differ');
  assert.ok(styles.filter(({ at }) => at === 0).length >= 4, 'in several charts');
  const keys = await page.$$eval('#depth .legend svg', (all) =>
    all.map((key) => ({
      colour: getComputedStyle(key).color,
      dash: key.firstElementChild.getAttribute('stroke-dasharray'),
      shape: key.children[1]?.outerHTML,
    })),
  );
  assert.deepEqual(
    keys.map(({ dash }) => dash),
    looks.map(([, , dash]) => dash),
  );
  assert.equal(new Set(keys.map(({ colour }) => colour)).size, 3);
  assert.equal(new Set(keys.map(({ shape }) => shape)).size, 3);
});

test('only the selected series has a band: by pointer, click, focus and arrow keys', async () => {
  const page = shared;
  const canvas = page.locator('#depth canvas');
  const bands = () =>
    canvas.evaluate((one) => {
      const chart = Chart.getChart(one);
      return chart.data.datasets
        .filter((set, i) => set.isBand && chart.isDatasetVisible(i))
        .map((set) => set.seriesAt);
    });
  const button = (i) => page.locator('#depth .legend button').nth(i);
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement.blur());
  assert.deepEqual(await bands(), []);
  await button(1).hover();
  assert.deepEqual(await bands(), [1, 1]);
  await page.mouse.move(0, 0);
  assert.deepEqual(await bands(), []);
  await button(2).click();
  await page.mouse.move(0, 0);
  assert.equal(await button(2).getAttribute('aria-pressed'), 'true');
  assert.deepEqual(await bands(), [2, 2]);
  const faint = await canvas.evaluate((one) =>
    Chart.getChart(one)
      .data.datasets.filter((set) => !set.isBand)
      .map((set) => set.borderColor.length > 7),
  );
  assert.deepEqual(faint, [true, true, false]);
  const points = await canvas.evaluate((one) => {
    const chart = Chart.getChart(one);
    return chart.data.datasets.flatMap((set, i) =>
      set.isBand ? [] : [chart.getDatasetMeta(i).data[0].options.backgroundColor.length > 7],
    );
  });
  assert.deepEqual(points, faint);
  await button(2).click();
  await page.mouse.move(0, 0);
  assert.deepEqual(await bands(), []);
  await page.keyboard.press('Shift+Tab'); // from here on the focus is visible
  await page.keyboard.press('Shift+Tab');
  assert.deepEqual(await bands(), [1, 1]);
  await canvas.focus();
  assert.deepEqual(await bands(), []);
  await page.keyboard.press('ArrowDown');
  assert.deepEqual(await bands(), [0, 0]);
  assert.equal(await page.textContent('#depth figure [aria-live]'), 'lambdamart.model');
  await page.keyboard.press('ArrowUp');
  assert.deepEqual(await bands(), []);
  const point = await canvas.evaluate((one) => {
    const chart = Chart.getChart(one);
    const at = chart.data.datasets.findIndex((set) => !set.isBand && set.seriesAt === 2);
    const { x, y } = chart.getDatasetMeta(at).data[9];
    return { x, y };
  });
  await canvas.hover({ position: point });
  assert.deepEqual(await bands(), [2, 2]);
  assert.deepEqual(page.complaints, []);
});

test('reliability: areas proportional to counts, and no lines to points with few events', async () => {
  const page = shared;
  const { reliability } = await page.evaluate(
    () => JSON.parse(document.getElementById('data').textContent).sets[0],
  );
  const [at] = reliability.flatMap((one, i) => (one?.bins ? [i] : []));
  const bins = reliability[at].bins.filter(([weight]) => weight > 0);
  const most = Math.max(...bins.map(([weight]) => weight));
  const { radii, inks } = await page.locator('#calibration canvas').first().evaluate((one) => {
    const set = Chart.getChart(one).data.datasets.find(({ seriesAt }) => seriesAt !== undefined);
    const ink = (i) => set.segment.borderColor({ p0DataIndex: i, p1DataIndex: i + 1 });
    return { radii: [...set.pointRadius], inks: set.data.slice(1).map((_, i) => ink(i) ?? 'own') };
  });
  bins.forEach(([weight], i) =>
    assert.ok(Math.abs(radii[i] - Math.max(3, 14 * Math.sqrt(weight / most))) < 1e-9),
  );
  assert.deepEqual(
    inks,
    bins.slice(1).map(([to], i) => (Math.min(to, bins[i][0]) < 20 ? 'transparent' : 'own')),
  );
  assert.ok(inks.includes('transparent') && inks.includes('own'), 'the data have both');
});

test('a star for a single best ranker, otherwise a mark for the tied ones', async () => {
  const page = shared;
  const marked = async (one) => {
    const rows = await one.$$eval('#result tbody tr', (all) =>
      all.map(({ children: [name, value] }) => [name.textContent, value.textContent]),
    );
    return rows
      .map(([name, value]) => `${name} ${value.match(/★ best|≈ tied for best/)?.[0]}`)
      .sort();
  };
  const [pairs] = await page.evaluate(
    () => JSON.parse(document.getElementById('data').textContent).sets[0].contrasts,
  );
  const [near] = pairs.filter(({ a, b }) => a + b === 1);
  assert.ok(near.p_holm > 0.05, 'the two models are tied');
  assert.deepEqual(await marked(page), [
    'cocr.model ≈ tied for best',
    'feature:110 undefined',
    'lambdamart.model ≈ tied for best',
  ]);
  assert.match(
    await page.textContent('#result .lead'),
    /has the highest ndcg@10, 0\.\d{4} \[.*\], but is statistically tied with \S+ \(p\s=\s/,
  );
  const other = await open('star.html');
  assert.deepEqual(await marked(other), ['lambdamart.model ★ best', 'random undefined']);
  assert.match(
    await other.textContent('#result .lead'),
    /significantly better than random \(p\s[<=]\s0\.0\d+\)\.$/,
  );
  await close(other);
});

test('numbers have one format', async () => {
  const source = readFileSync(new URL('../../web/js/format.js', import.meta.url), 'utf8');
  const { fixed, pText, pValue, percent, sameDecimals } = await import(
    `data:text/javascript,${encodeURIComponent(source)}`
  );
  assert.deepEqual(
    [1, 0.99999, 0.9999, 0.004, 0.0001, 0.00009, 0, NaN, null].map(pValue),
    ['1', '1', '0.9999', '0.0040', '0.0001', '< 0.0001', '< 0.0001', '–', '–'],
  );
  assert.equal(pText(1).replaceAll('\u00a0', ' '), 'p = 1');
  assert.equal(pText(1e-9).replaceAll('\u00a0', ' '), 'p < 0.0001');
  assert.equal(fixed(-0.5), '−0.5000');
  assert.equal(percent(0.123), '12.3%');
  assert.deepEqual([-2.04, 0.08003].map(sameDecimals([-2.04, 0.08003])), ['−2.040', '0.080']);
  assert.doesNotMatch(await shared.textContent('main'), /1\.0000 after|\d %|[a-z] -\d/);
  const ticks = await shared.locator('#queries canvas').first().evaluate((one) =>
    Chart.getChart(one).scales.y.ticks.map(({ label }) => label),
  );
  assert.ok(ticks.some((label) => label.startsWith('−')));
  assert.ok(!ticks.some((label) => label.startsWith('-')));
});

test('choosing another metric and other rankers; opening a query', async () => {
  const page = shared;
  await page.getByLabel('Metric', { exact: true }).selectOption({ label: 'map' });
  assert.match(await page.textContent('#result .lead'), /has the highest map, 0\.\d{4}/);
  assert.deepEqual(
    await page.$$eval('#result thead th[aria-sort]', (all) =>
      all.map((one) => `${one.textContent} ${one.getAttribute('aria-sort')}`),
    ),
    ['map descending'],
  );
  assert.match(
    await page.textContent('#queries figcaption >> nth=0'),
    /map on parts\/test\.txt, convention gradus/,
  );
  await page.getByLabel('Ranker A', { exact: true }).focus();
  await page.getByLabel('Ranker A', { exact: true }).selectOption({ label: 'feature:110' });
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'SELECT');
  await page.locator('#queries .queries summary').first().click();
  await page.waitForSelector('#queries details[open] thead');
  const heads = await page.$$eval('#queries details[open] thead th', (all) =>
    all.map((head) => head.textContent),
  );
  assert.deepEqual(heads, [
    'Rank A',
    'Rank B',
    'Change',
    'Document',
    'Grade',
    'Score A',
    'Score B',
  ]);
  const ranks = numbers(
    await page.$$eval('#queries details[open] tbody tr', (rows) =>
      rows.map((row) => row.children[1].textContent),
    ),
  );
  assert.ok(
    ranks.length >= 5 && ranks.every((rank, i) => i === 0 || rank >= ranks[i - 1]),
    'by rank of B',
  );
  const widths = await page.$eval('#queries details[open]', (one) => ({
    open: one.getBoundingClientRect().width,
    all: one.parentElement.getBoundingClientRect().width,
    section: one.closest('section').getBoundingClientRect().width,
    table: one.querySelector('.scroll').scrollWidth - one.querySelector('.scroll').clientWidth,
  }));
  assert.ok(widths.open === widths.all && widths.all === widths.section, 'it has the full width');
  assert.equal(widths.table, 0);
  assert.ok((await drawnCanvases(page)) >= 9);
  assert.deepEqual(page.complaints, []);
});

function luminance(hex) {
  const parts = [1, 3, 5]
    .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

test('light and dark, by the system or by choice, with enough contrast', async () => {
  const page = shared;
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await themed(page, colorScheme);
    const colour = (name) =>
      page.evaluate(
        (one) => getComputedStyle(document.documentElement).getPropertyValue(`--${one}`).trim(),
        name,
      );
    for (const ground of ['paper', 'card', 'wash']) {
      const under = await colour(ground);
      for (const text of ['ink', 'quiet', 'accent', 'good', 'bad'])
        assert.ok(
          contrast(await colour(text), under) >= 4.5,
          `${text} on ${ground}, ${colorScheme}`,
        );
      for (let i = 0; i < 8; i++)
        assert.ok(
          contrast(await colour(`series-${i}`), under) >= 3,
          `series ${i} on ${ground}, ${colorScheme}`,
        );
    }
    const other = colorScheme === 'dark' ? 'Light' : 'Dark';
    await page.getByRole('button', { name: other }).click();
    assert.equal(await page.getAttribute('html', 'data-theme'), other.toLowerCase());
    assert.equal(
      await page.getByRole('button', { name: other }).getAttribute('aria-pressed'),
      'true',
    );
    await drawnCanvases(page);
    await page.getByRole('button', { name: 'Auto' }).click();
  }
});

test('printed, the page is light and fits', async () => {
  const page = shared;
  assert.ok((await page.pdf({ format: 'A4' })).length > 20000);
  await themed(page, 'dark');
  await page.emulateMedia({ media: 'print' });
  await themed(page, 'light');
  await page.setViewportSize({ width: 688, height: 900 });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 688);
  await drawnCanvases(page);
  await page.emulateMedia({ media: 'screen' });
  await themed(page, 'dark');
});

test('on a phone nothing overflows, and an opened query shows ranks and documents', async () => {
  const page = shared;
  await page.setViewportSize({ width: 360, height: 740 });
  await page.waitForFunction(() => document.documentElement.scrollWidth === 360, null, {
    timeout: 10000,
  });
  await drawnCanvases(page);
  await page.setViewportSize({ width: 390, height: 740 });
  const opened = await page.$eval('#queries details[open]', (one) => {
    const box = one.querySelector('.scroll');
    const seen = (cell) => cell.getBoundingClientRect().width > 0;
    return {
      heads: [...one.querySelectorAll('thead th')].filter(seen).map((cell) => cell.textContent),
      score: seen(one.querySelector('tbody .narrow')),
      over: [box.scrollWidth - box.clientWidth, document.documentElement.scrollWidth - 390],
    };
  });
  assert.deepEqual(opened.heads, ['Rank A', 'Rank B', 'Document', 'Grade']);
  assert.ok(opened.score, 'scores are below the documents');
  assert.deepEqual(opened.over, [0, 0]);
  await close(page);
});

// On a narrow page everything fits and has an accessible name, and headings skip no level.
async function checkNarrow(page, file) {
  await page.setViewportSize({ width: 400, height: 800 });
  await page.waitForFunction(() => document.documentElement.scrollWidth === 400, null, {
    timeout: 10000,
  });
  const nameless = await page.$$eval('canvas, [role=region], section, nav, select, input', (all) =>
    all
      .filter(
        (one) => !(one.ariaLabel || one.getAttribute('aria-labelledby') || one.closest('label')),
      )
      .map((one) => one.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(nameless, [], file);
  const ids = await page.$$eval('[id]', (all) => all.map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length, 'ids are different');
  const levels = await page.$$eval('h1, h2, h3, h4', (all) =>
    all.map(({ tagName }) => Number(tagName[1])),
  );
  levels.forEach((level, i) =>
    assert.ok(level <= (levels[i - 1] ?? 0) + 1, `${file}: heading ${i} skips a level`),
  );
  await drawnCanvases(page);
}

test('a single model, and a single ranker', async () => {
  for (const file of ['model.html', 'alone.html']) {
    const page = await open(file);
    await checkNarrow(page, file);
    await close(page);
  }
});

test('a tuning run and a reproduction', async () => {
  const page = await open('runs.html');
  assert.match(
    await page.textContent('#tuning'),
    /5 trials in 7 training runs\. Best on validation data: lambdamart with 0\.4650/,
  );
  const remarks = await page.$$eval('#tuning .remark', (all) => all.map((one) => one.textContent));
  assert.match(remarks[0], /^1 training run failed; the first: .*leaves are too few$/);
  assert.match(remarks[1], /last line is incomplete/);
  await page.getByLabel('Horizontal', { exact: true }).selectOption({ label: 'learning-rate' });
  assert.deepEqual(
    await page.$$eval('#tuning .grid figure h3', (all) => all.map((one) => one.textContent)),
    ['method', 'leaves', 'learning-rate', 'cost'],
  );
  assert.deepEqual(
    await page.$$eval('#tuning .grid canvas', (all) =>
      all.slice(1, 3).map((one) => {
        const { type, options } = Chart.getChart(one).scales.x;
        return `${options.title.text}: ${type}`;
      }),
    ),
    ['leaves: linear', 'learning-rate (log scale): logarithmic'],
    'as the journal says',
  );
  assert.deepEqual(
    await page.$$eval('#reproduction tbody .tag', (all) => all.map((one) => one.textContent)),
    ['✓ agrees', '▲ better', '✗ differs', '? inconclusive'],
  );
  assert.match(await page.textContent('#reproduction tbody'), /0\.4440 ± 0\.0200/);
  const claimed = await page.textContent('#reproduction .claims');
  assert.match(claimed, /✓ confirmed oerr is best/);
  assert.match(claimed, /✗ not confirmed trees are better/);
  assert.match(claimed, /\? inconclusive costs matter/);
  assert.match(
    await page.textContent('#reproduction'),
    /Rule: the paper's data, folds and queries: values agree within 0\.005\. ✓ agrees: 1 ▲ better: 1 ✗ differs: 1 \? inconclusive: 1/,
  );
  assert.equal(await page.locator('#evaluations tbody tr').count(), 3);
  assert.ok((await drawnCanvases(page)) >= 6);
  await checkNarrow(page, 'runs.html');
  await close(page);
});

test('a tournament', async () => {
  const page = await open('events.html');
  assert.match(
    await page.textContent('#tuning'),
    /3 trials\. Best on validation data: cocr with 0\.5810/,
  );
  const [first, second] = await page.$$eval('#tuning tbody tr', (rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent)),
  );
  assert.deepEqual(first.slice(0, 7), [
    'cocr',
    '0.5810',
    '0.6019',
    '[0.5643, 0.6394]',
    '–',
    '0.921',
    '19',
  ]);
  assert.deepEqual(second.slice(4, 6), ['0.0040', '0.079']);
  assert.match(
    await page.textContent('#tuning'),
    /No clear winner: cocr is the best in 92\.1% of 10,000 bootstrap resamples of the 88 test queries and is not clearly better than lambdamart\. Combine them/,
  );
  assert.match(await page.textContent('#tuning'), /ndcg@10, convention gradus, 1 fold/);
  await checkNarrow(page, 'events.html');
  await close(page);
});

test('automatic training', async () => {
  const page = await open('auto.html');
  const text = await page.textContent('#automatic');
  assert.match(text, /Warning: only 28 queries with several labels: the expected value is uncertain/);
  assert.match(text, /Expected ndcg@10 on new queries: 0\.\d{4} \[0\.\d{4}, [01]\.\d{4}\], from \d+ held-out queries/);
  assert.match(text, /Best single model: (regression|rankboost)/);
  assert.match(text, /On the test data: 0\.\d{4}/);
  const rows = await page.$$eval('#automatic tbody tr', (all) =>
    all.map((row) => [...row.children].map((cell) => cell.textContent)),
  );
  assert.equal(rows.length, 3);
  assert.match(rows[0][6], /rounds=\d+/);
  assert.ok(await page.isVisible('#tuning'));
  await checkNarrow(page, 'auto.html');
  await close(page);
});

test('more methods than there are colours', async () => {
  const page = await open('many.html');
  const sets = await page
    .locator('#tuning canvas')
    .first()
    .evaluate((one) =>
      Chart.getChart(one).data.datasets.map(({ label, data }) => [label, data.length]),
    );
  assert.deepEqual(sets[0], ['m12', 1]);
  assert.deepEqual(sets.slice(8), [
    ['other methods', 4],
    ['best so far', 12],
  ]);
  assert.match(await page.textContent('#tuning figcaption >> nth=0'), /other than the 8 best are grey/);
  const methods = await page.$$eval('#tuning [aria-label^=Methods] tbody tr', (rows) =>
    rows.map((row) => row.textContent),
  );
  assert.equal(methods.length, 12);
  assert.match(methods[0], /^m120\.2200/);
  await close(page);
});

test('a comparison', async () => {
  const page = await open('compare.html');
  const [{ sets, combined }, rmse] = ['compare', 'rmse'].map((name) =>
    JSON.parse(readFileSync(`${folder}/${name}.json`)),
  );
  const texts = (selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent));
  assert.deepEqual(await texts('#compared h3:not(figure h3)'), [
    'parts/test.txt',
    'parts/valid.txt',
    'All 2 data sets combined',
    'parts/test.txt',
  ]);
  const shown = numbers(await texts('#compared div.scroll >> nth=0 >> tbody td:nth-child(2)'));
  assert.deepEqual(
    shown,
    sets[0].contrasts
      .map(({ difference }) => Number(Math.abs(difference).toFixed(4)))
      .sort((x, y) => y - x),
  );
  assert.equal((await texts('#compared [aria-label^=Fisher] tbody tr')).length, combined.length);
  const drawn = (at) =>
    page
      .locator('#compared .grid')
      .nth(at)
      .locator('canvas')
      .evaluateAll((all) =>
        all.map((one) =>
          Chart.getChart(one)
            .data.datasets.filter(({ isBand }) => !isBand)
            .map(({ data }) => [...data])
            .reduce((x, y) => (x.length === y.length ? x.map((v, i) => v ?? y[i]) : [...x, ...y])),
        ),
      );
  const gains = ({ query_values: [first, ...others] }, other, sign) =>
    first
      .map((value, q) => (value === null ? NaN : sign * (others[other][q] - value)))
      .filter(Number.isFinite)
      .sort((x, y) => y - x);
  const [bars, points] = await drawn(0);
  assert.deepEqual(bars, gains(sets[0], 0, 1));
  assert.equal(points.length, bars.length);
  const [lower] = await drawn(2);
  assert.deepEqual(lower, gains(rmse.sets[0], 0, -1));
  const other = page.getByLabel('B on parts/test.txt').first();
  await other.focus();
  await other.selectOption({ label: 'feature:110' });
  assert.deepEqual((await drawn(0))[0], gains(sets[0], 1, 1));
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'SELECT');
  const [most] = await texts('#compared [aria-label="Largest differences"] tbody tr');
  assert.equal(
    (await texts('#about pre'))[2],
    'gradus compare parts/test.txt lambdamart.model cocr.model --metric rmse --convention gradus --test t --sided 2 --confidence 0.95',
  );
  assert.match(most, /[▲▼] [+−]0\.\d{4}$/);
  assert.equal(await drawnCanvases(page), 9);
  await checkNarrow(page, 'compare.html');
  await close(page);
});

test('data with nothing to measure, and a single query', async () => {
  const page = await open('few.html');
  assert.match(await page.textContent('#result .lead'), /^No query has a value of ndcg@10\.$/);
  assert.match(await page.textContent('#comparison .remark'), /nothing to test/);
  await page.getByLabel('Data', { exact: true }).selectOption({ label: 'one.txt' });
  assert.match(
    await page.textContent('#result .lead'),
    /has the highest ndcg@10, [01]\.\d{4}; the differences were not tested\.$/,
  );
  assert.match(await page.textContent('#comparison'), /≈ tied/);
  await close(page);
});

// The scores of gradus for copies of a document of parts/test.txt ("document 3": the third of the query), each with
// some values changed: [feature, value].
function rescored(model, query, document, changes) {
  const lines = readFileSync(`${folder}/parts/test.txt`, 'utf8').split('\n');
  const line = lines.filter((text) => text.includes(` qid:${query} `))[Number(document.split(' ')[1]) - 1];
  const rows = changes.map((pairs) =>
    pairs.reduce((text, [feature, value]) => {
      const cell = new RegExp(` ${feature + 1}:\\S+`);
      assert.match(text, cell);
      return text.replace(cell, ` ${feature + 1}:${value}`);
    }, line),
  );
  writeFileSync(`${folder}/changed.txt`, `${rows.join('\n')}\n`);
  const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  return execFileSync(process.env.GRADUS, ['score', model, 'changed.txt', '-o', '-'], options)
    .trim()
    .split('\n')
    .map(Number);
}

test('the model in the page has the scores of gradus, to the last bit', async () => {
  const page = await open('report.html');
  const { reasons, reasons_model: about } = await page.evaluate(
    () => JSON.parse(document.getElementById('data').textContent).sets[0],
  );
  assert.ok(reasons.length > 1);
  const scores = await page.evaluate(
    ([name, inputs]) =>
      inputs.map(([features, ...rows]) =>
        rows.map((values) => {
          const row = new Float32Array(window[name].featureNames.length);
          features.forEach((feature, i) => (row[feature] = values[i] ?? NaN));
          return window[name].score(row);
        }),
      ),
    [about.variable, reasons.map(({ inputs }) => inputs)],
  );
  assert.deepEqual(
    scores,
    reasons.map(({ above, below }) => [above.score, below.score]),
  );
  await close(page);
});

test('values of a document can be changed, and its score is that of gradus', async () => {
  const page = await open('report.html', { viewport: { width: 390, height: 800 } });
  const { reasons, systems } = await page.evaluate(
    () => JSON.parse(document.getElementById('data').textContent).sets[0],
  );
  const asShown = (score) => score.toPrecision(6).replace('-', '−');
  const said = () => page.textContent('#reasons .what-if output');
  const inputs = page.locator('#reasons td input');
  const reset = page.getByRole('button', { name: 'Reset the values of A' });
  for (const [i, { above, below }] of reasons.entries()) {
    await page.locator('#reasons').getByLabel('Query').selectOption({ index: i });
    assert.equal(
      await said(),
      `Score of A: ${asShown(above.score)}, above B (${asShown(below.score)})`,
    );
    assert.ok(await reset.isDisabled());
  }
  const { above, below, features, query, system } = reasons.at(-1);
  const first = await said();
  // Step by step the values of B, the last one missing.
  const values = features.map(([, , value, , feature], i) => [
    feature,
    i + 1 === features.length ? 'nan' : value,
  ]);
  const scores = rescored(
    systems[system].name,
    query,
    above.document,
    values.map((_, i) => values.slice(0, i + 1)),
  );
  assert.ok(new Set(scores).size > 2, 'the changes matter');
  for (const [i, score] of scores.entries()) {
    const [, value] = values[i];
    await inputs.nth(i).fill(value === 'nan' ? '' : String(value));
    const order = score > below.score ? 'above' : 'below';
    const [, shown, by, place] = (await said()).match(/^Score of A: (\S+) \((.+)\), (\S+) B /);
    assert.equal(shown, asShown(score));
    assert.equal(place, order);
    assert.ok(
      by === 'unchanged'
        ? score === above.score
        : Math.abs(numbers([by.slice(2)])[0] / (score - above.score) - 1) < 1e-3,
      by,
    );
  }
  assert.match(await inputs.first().getAttribute('aria-label'), /^Value of feature \S+ in A$/);
  const edited = await inputs.first().inputValue();
  await page.locator('#reasons thead th').first().click(); // sorted by feature
  const at = features
    .map(([name]) => name)
    .sort((x, y) => x - y)
    .indexOf(features[0][0]);
  assert.equal(await inputs.nth(at).inputValue(), edited);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await reset.click();
  assert.equal(await said(), first);
  assert.ok(await reset.isDisabled());
  await inputs.first().focus();
  await page.keyboard.press('End');
  await page.keyboard.type('e');
  assert.equal(await said(), 'A value is not a number.');
  assert.equal(await inputs.first().getAttribute('aria-invalid'), 'true');
  await reset.click();
  assert.equal(await said(), first);
  await close(page);
});

test('a model that depends on the other documents is not in the page', async () => {
  const page = await open('query.html');
  assert.match(
    await page.textContent('#reasons'),
    /Values cannot be changed here, because .* depends on the other documents of the query\./,
  );
  assert.equal(await page.locator('#reasons td input, #reasons .what-if').count(), 0);
  await close(page);
});

test('commands are not broken within options', async () => {
  const page = await open('report.html', { viewport: { width: 390, height: 800 } });
  const broken = await page.$$eval('#about pre .option', (all) =>
    all.filter((one) => one.getClientRects().length > 1).map((one) => one.textContent),
  );
  assert.deepEqual(broken, []);
  assert.match((await page.textContent('#about pre')) ?? '', /^gradus report --data parts\/test\.txt /);
  await close(page);
});

test('names are shown as text, whatever they contain', async () => {
  const page = await open('hostile.html');
  assert.equal(await page.textContent('h1'), '</script><i>title</i>');
  await page.locator('#queries .queries summary').first().click();
  await page.waitForSelector('#queries details[open] thead');
  const text = await page.textContent('#queries');
  assert.match(text, /Query <\/script><b>q<\/b>/);
  assert.equal(await page.locator('#queries b b, #queries i').count(), 0);
  assert.doesNotMatch(await page.title(), /caught/);
  await close(page);
});

let failed = 0;
for (const [name, run] of tests) {
  const begin = Date.now();
  try {
    await run();
    console.log(`ok   ${name} (${Date.now() - begin} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}\n${error.stack}`);
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
