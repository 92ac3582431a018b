// Looks at reports in a browser: charts, tables, keyboard, colours, widths, paper.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const { chromium } = await import(process.env.PLAYWRIGHT);
const folder = process.argv[2];
// The pages are our own, and containers often forbid the sandbox.
const browser = await chromium.launch({
  executablePath: process.env.BROWSER,
  args: ['--no-sandbox'],
});
const tests = [];
const test = (name, run) => tests.push([name, run]);

// A page in which every complaint and every request is remembered, and fails the test at its end.
async function open(file, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options });
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

// Every canvas shows something: more colours than a blank one, in a small copy.
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
let shared; // most tests look at the same page, one after the other

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
    means.map((mean) => Number(mean.toFixed(4))),
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

test('tables sort, by pointer and by keyboard', async () => {
  const page = shared;
  const head = page.locator('#result thead th').nth(1);
  await head.locator('button').click();
  assert.equal(await head.getAttribute('aria-sort'), 'descending');
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

test('hovering and arrow keys tell values; the legend switches series', async () => {
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
  const before = await canvas.evaluate((one) => Chart.getChart(one).data.datasets.length);
  await page.locator('#depth .legend button').first().click();
  assert.equal(
    await canvas.evaluate((one) => Chart.getChart(one).data.datasets.length),
    before - 3,
  );
  assert.deepEqual(page.complaints, []);
});

test('another metric and other rankers; queries open', async () => {
  const page = shared;
  await page.getByLabel('Metric', { exact: true }).selectOption({ label: 'map' });
  assert.match(await page.textContent('#result .lead'), /has map 0\.\d{4}/);
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
    'Document',
    'Grade',
    'Place A',
    'Place B',
    'Moved',
    'Score A',
    'Score B',
  ]);
  const places = numbers(
    await page.$$eval('#queries details[open] tbody tr', (rows) =>
      rows.map((row) => row.children[3].textContent),
    ),
  );
  assert.ok(
    places.length >= 5 && places.every((place, i) => i === 0 || place >= places[i - 1]),
    'by place of B',
  );
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

test('light and dark, as the system is or as chosen, with enough contrast', async () => {
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

test('on paper it is light, and fits', async () => {
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

test('on a phone nothing sticks out', async () => {
  const page = shared;
  await page.setViewportSize({ width: 360, height: 740 });
  await page.waitForFunction(() => document.documentElement.scrollWidth === 360, null, {
    timeout: 10000,
  });
  await drawnCanvases(page);
  await close(page);
});

test('everything has a name, and the order of headings', async () => {
  for (const file of ['runs.html', 'events.html', 'compare.html', 'model.html', 'alone.html']) {
    const page = await open(file, { viewport: { width: 400, height: 800 } });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 400, file);
    const nameless = await page.$$eval('canvas, [role=region], section, nav, select', (all) =>
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
    await close(page);
  }
});

test('a tuning and a reproduction', async () => {
  const page = await open('runs.html');
  assert.match(
    await page.textContent('#tuning'),
    /5 candidates, 7 trials\. The best is lambdamart with 0\.4650/,
  );
  const remarks = await page.$$eval('#tuning .remark', (all) => all.map((one) => one.textContent));
  assert.match(remarks[0], /^1 trial failed; the first: .*leaves are too few$/);
  assert.match(remarks[1], /not whole/);
  await page.getByLabel('Across', { exact: true }).selectOption({ label: 'learning-rate' });
  assert.deepEqual(
    await page.$$eval('#tuning .grid figure h3', (all) => all.map((one) => one.textContent)),
    ['method', 'leaves', 'learning-rate', 'cost'],
  );
  assert.deepEqual(
    await page.$$eval('#reproduction tbody .tag', (all) => all.map((one) => one.textContent)),
    ['✓ agrees', '▲ better', '✗ differs'],
  );
  assert.match(await page.textContent('#reproduction .claims'), /✓ shown oerr is best/);
  assert.equal(await page.locator('#evaluations tbody tr').count(), 3);
  assert.ok((await drawnCanvases(page)) >= 6);
  await close(page);
});

test('a tournament', async () => {
  const page = await open('events.html');
  assert.match(
    await page.textContent('#tuning'),
    /3 candidates, 3 trials\. The best is cocr with 0\.5810/,
  );
  const [first, second] = await page.$$eval('#tuning tbody tr', (rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent)),
  );
  assert.deepEqual(first.slice(0, 6), ['cocr', '0.5810', '0.6019', '[0.5643, 0.6394]', '–', '19']);
  assert.equal(second[4], '0.0040');
  assert.match(await page.textContent('#tuning'), /ndcg@10, convention gradus, 1 fold/);
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
  assert.match(await page.textContent('#tuning figcaption >> nth=0'), /the 8 best are grey/);
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
    'All 2 sets together',
    'parts/test.txt',
  ]);
  const shown = numbers(await texts('#compared div.scroll >> nth=0 >> tbody td:nth-child(2)'));
  assert.deepEqual(
    shown,
    sets[0].contrasts.map(({ difference }) => Number(Math.abs(difference).toFixed(4))),
  );
  assert.equal((await texts('#compared [aria-label^=Fisher] tbody tr')).length, combined.length);
  const drawn = (at) =>
    page
      .locator('#compared .grid')
      .nth(at)
      .locator('canvas')
      .evaluateAll((all) => all.map((one) => [...Chart.getChart(one).data.datasets[0].data]));
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
  const [most] = await texts('#compared [aria-label="Queries that differ most"] tbody tr');
  assert.equal(
    (await texts('#about pre'))[2],
    'gradus compare parts/test.txt lambdamart.model cocr.model --metric rmse --convention gradus --test t --sided 2 --confidence 0.95',
  );
  assert.match(most, /[▲▼] [+−]0\.\d{4}$/);
  assert.equal(await drawnCanvases(page), 9);
  await close(page);
});

test('data without anything to measure, and one query', async () => {
  const page = await open('few.html');
  assert.match(await page.textContent('#result .lead'), /^No query has a value of ndcg@10\.$/);
  assert.match(await page.textContent('#comparison .remark'), /nothing to test/);
  await page.getByLabel('Data', { exact: true }).selectOption({ label: 'one.txt' });
  assert.match(
    await page.textContent('#result .lead'),
    /has ndcg@10 [01]\.\d{4}, the best of 2\. The next is \S+, \d\.\d{4} away\.$/,
  );
  assert.match(await page.textContent('#comparison'), /≈ unclear/);
  await close(page);
});

test('names are text, whatever is in them', async () => {
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
