// SPDX-License-Identifier: Apache-2.0
// Tests the playground in a browser, with a server and offline: rankings, documents, sliders, links, keyboard, widths.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request, serve } from '../server/server.mjs';

const { chromium } = await import(process.env.PLAYWRIGHT);
const folder = process.argv[2];
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
const file = (name) => `${folder}/${name}`;
const models = [file('trees.model'), file('grades.model')];
const server = await serve([...models, '--data', file('parts/test.txt'), '--listen', '127.0.0.1:0']);
const two = 'r=model:trees&r=model:grades';

// Opens a page and records console messages, errors and requests to other hosts, which fail the test.
async function open(url, options = {}) {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  page.complaints = [];
  page.on('console', (message) => message.type() === 'log' || page.complaints.push(message.text()));
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on('request', (one) => {
    if (!one.url().startsWith(server.url) && !/^(file|data):/.test(one.url()))
      page.complaints.push(`request ${one.url()}`);
  });
  await page.goto(url);
  return page;
}

async function ready(page) {
  await page.waitForSelector('html[data-ready]');
  await page.waitForSelector('.row');
  return page;
}

const openServed = async (fragment = '', options) => ready(await open(`${server.url}/${fragment}`, options));
const openOffline = async (fragment = '', options) =>
  ready(await open(`file://${folder}/playground.html${fragment}`, options));

async function close(page) {
  assert.deepEqual(page.complaints, []);
  await page.close();
}

const numbers = (texts) => texts.map((text) => parseFloat(text.replace('−', '-')));
const texts = (page, selector) =>
  page.$$eval(selector, (all) => all.map((one) => one.firstChild.textContent));
// Rows of a column, best first.
const order = (page, column) =>
  page.$$eval(`.row[data-column="${column}"]`, (all) => all.map((one) => Number(one.dataset.row)));

// Scores by 'gradus score', and the rows of the first query by them.
function expectedOrder(model) {
  const scores = execFileSync(process.env.GRADUS, ['score', model, file('parts/test.txt'), '-o', '-', '-q'], {
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((line) => line[0] !== '#')
    .map(Number);
  const lines = readFileSync(file('parts/test.txt'), 'utf8').trim().split('\n');
  const query = (line) => line.split(' ')[1];
  const count = lines.filter((line) => query(line) === query(lines[0])).length;
  return [...Array(count).keys()].sort((i, k) => scores[k] - scores[i] || i - k);
}

for (const [name, openPage, suffix] of [
  ['served', openServed, ''],
  ['offline', openOffline, '.model'],
]) {
  const pair = `r=model:trees${suffix}&r=model:grades${suffix}`;

  test(`${name}: rankings are those of gradus score`, async () => {
    const page = await openPage(`#all=1&${pair}`);
    assert.deepEqual(await order(page, 0), expectedOrder(models[0]));
    assert.deepEqual(await order(page, 1), expectedOrder(models[1]));
    assert.ok((await page.locator('.gap path').count()) > 5, 'lines join the columns');
    await close(page);
  });

  test(`${name}: metrics of the page equal those of the library, for each query`, async () => {
    const page = await openPage(`#${pair}&r=feature:110&r=ideal`);
    const rankings = ['data/models/trees', 'data/models/grades', 'data/features/110', 'data/ideal'];
    const answers = await Promise.all(rankings.map((path) => request(`${server.url}/${path}`)));
    const queries = (await request(`${server.url}/data`)).json.queries;
    for (let q = 0; q < queries.length; q++) {
      await page.locator('.names button', { has: page.locator(`text="${queries[q].name}"`) }).first().click();
      await page.waitForFunction((one) => document.querySelector('h1').textContent === `Query ${one}`, queries[q].name);
      await page.waitForFunction((count) => document.querySelector('.title .quiet').textContent.startsWith(`${count} `), queries[q].documents);
      await page.waitForTimeout(50);
      const shown = numbers(await texts(page, '.metrics dd'));
      const expected = answers.flatMap(({ json }) => json.values.map((list) => list[q]));
      expected.forEach((value, i) => {
        if (value === null) assert.ok(Number.isNaN(shown[i]));
        else assert.ok(Math.abs(shown[i] - value) < 5.1e-5, `query ${queries[q].name}, value ${i}: ${shown[i]}, ${value}`);
      });
    }
    await close(page);
  });

  test(`${name}: contributions add up, and a slider ranks again`, async () => {
    const page = await openPage(`#${pair}`);
    await page.locator('.row[data-column="0"][data-rank="0"]').click();
    await page.waitForSelector('.waterfall');
    await page.waitForSelector('.sliders li');
    const parts = numbers(await texts(page, '.waterfall tbody td.up, .waterfall tbody td.down'));
    const ends = numbers(await texts(page, '.waterfall .total td:nth-of-type(1)'));
    const sum = parts.reduce((total, part) => total + part, 0);
    assert.ok(Math.abs(sum - (ends[1] - ends[0])) < 0.0006 * (parts.length + 1), `${sum} of ${ends}`);
    assert.match(await page.locator('.why p').first().textContent(), /above the next document/);
    const before = await order(page, 0);
    const changed = async () => page.locator('.row .move').count();
    assert.equal(await changed(), 0);
    const sliders = await page.locator('.sliders input[type="range"]').count();
    for (let i = 0; i < sliders && !(await changed()); i++) {
      await page.locator('.sliders input[type="range"]').nth(i).press('Home');
      await page.waitForTimeout(150);
    }
    assert.ok((await changed()) > 0, 'some feature of the first document moves it');
    assert.match(page.url(), /set=/);
    // the same state from its link
    const linked = await ready(await open(page.url()));
    await linked.waitForSelector('.row .move');
    await linked.waitForSelector('.waterfall');
    assert.deepEqual(await order(linked, 0), await order(page, 0));
    assert.equal(await linked.locator('.sliders li.changed').count(), await page.locator('.sliders li.changed').count());
    await close(linked);
    await page.locator('#restore').click();
    await page.waitForFunction(() => !document.querySelector('.row .move'));
    assert.deepEqual(await order(page, 0), before);
    await close(page);
  });
}

test('queries are searched, and sorted by the difference of two rankings', async () => {
  const page = await openServed(`#${two}`);
  await page.getByLabel('Sort by').selectOption({ label: 'largest gain' });
  await page.waitForSelector('[aria-label="From"]');
  const shown = async () => numbers(await texts(page, '.names button > :last-child')).filter(Number.isFinite);
  const [a, b] = await Promise.all(
    ['trees', 'grades'].map(async (model) => (await request(`${server.url}/data/models/${model}`)).json.values[0]),
  );
  const gains = a.map((value, q) => (value === null ? NaN : b[q] - value)).filter(Number.isFinite);
  gains.sort((x, y) => y - x);
  (await shown()).forEach((value, i) => assert.ok(Math.abs(value - gains[i]) < 6e-4));
  await page.getByLabel('Sort by').selectOption({ label: 'largest loss' });
  await page.waitForFunction(() => location.hash.includes('sort=loss'));
  await page.waitForTimeout(100);
  assert.ok((await shown())[0] <= (await shown()).at(-1));
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  const name = (await texts(page, '.names .id'))[2];
  await page.keyboard.type(name);
  await page.waitForFunction((one) => [...document.querySelectorAll('.names .id')].every((id) => id.textContent.includes(one)), name);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.names [aria-current]'));
  assert.ok(page.url().includes('find='));
  await close(page);
});

test('arrow keys, Enter and Escape; the back button', async () => {
  const page = await openServed(`#${two}`);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const focused = () => page.evaluate(() => ({ ...document.activeElement.dataset }));
  assert.equal((await focused()).rank, '1');
  const { row } = await focused();
  await page.keyboard.press('ArrowRight');
  assert.equal((await focused()).column, '1');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#document h2');
  assert.ok(page.url().includes(`doc=${Number(row) + 1}`));
  await page.waitForSelector('.waterfall');
  await page.keyboard.press('ArrowDown'); // the next document
  await page.waitForFunction((one) => !location.hash.includes(`doc=${one}&`), Number(row) + 1);
  await page.keyboard.press('Escape');
  await page.waitForSelector('#document', { state: 'hidden' });
  assert.equal((await focused()).rank, '2');
  await page.getByLabel('Ranking 2', { exact: true }).selectOption({ label: 'ideal order' });
  await page.waitForFunction(() => location.hash.includes('r=ideal'));
  await page.goBack();
  await page.waitForFunction(() => !location.hash.includes('r=ideal'));
  await close(page);
});

test('up to four rankings', async () => {
  const page = await openServed(`#${two}`);
  await page.locator('#add').click();
  await page.waitForFunction(() => document.querySelectorAll('.column').length === 3);
  await page.locator('#add').click();
  await page.waitForFunction(() => document.querySelectorAll('.column').length === 4);
  assert.equal(await page.locator('#add').count(), 0);
  await page.getByLabel('Remove ranking 1').click();
  await page.waitForFunction(() => document.querySelectorAll('.column').length === 3);
  await close(page);
});

test('a phone, dark colours and paper', async () => {
  for (const [openPage, fragment] of [
    [openServed, `#${two}`],
    [openServed, `#${two}&doc=1`],
    [openOffline, '#doc=1'],
  ]) {
    const page = await openPage(fragment, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390, 'no scrolling sideways');
    await page.emulateMedia({ media: 'print' });
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
    assert.equal(await page.locator('#queries').isVisible(), false);
    await close(page);
  }
});

test('without data, rows are pasted', async () => {
  const bare = await serve([...models, '--listen', '127.0.0.1:0']);
  const page = await open(`${bare.url}/`);
  page.complaints = []; // requests go to another port
  await page.waitForSelector('html[data-ready]');
  const lines = readFileSync(file('parts/test.txt'), 'utf8').split('\n');
  const rows = lines.filter((line) => line.split(' ')[1] === lines[0].split(' ')[1]);
  await page.getByLabel('Rows of one query').fill('1 qid:1 nonsense');
  await page.getByRole('button', { name: 'Rank', exact: true }).click();
  assert.match(await page.locator('.paste .fault').textContent(), /line 1/);
  await page.getByLabel('Rows of one query').fill(rows.join('\n'));
  await page.getByRole('button', { name: 'Rank', exact: true }).click();
  await page.waitForSelector('.row');
  await page.locator('#more').click();
  await page.waitForFunction((count) => document.querySelectorAll('.row[data-column="0"]').length === count, rows.length);
  const first = await page.getByLabel('Ranking 1', { exact: true }).evaluate((one) => one.selectedOptions[0].textContent);
  assert.deepEqual(await order(page, 0), expectedOrder(file(`${first}.model`)));
  assert.deepEqual(page.complaints.filter((text) => !text.startsWith('request ')), []);
  await page.close();
  await bare.stop();
});

test('a token is asked for, and not stored', async () => {
  const closed = await serve([...models, '--data', file('parts/test.txt'), '--token-file', file('token'), '--listen', '127.0.0.1:0']);
  const page = await open(`${closed.url}/`);
  await page.getByLabel('Token').fill('wrong');
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=does not accept');
  await page.getByLabel('Token').fill('secret');
  await page.keyboard.press('Enter');
  await ready(page);
  assert.equal(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])).then((all) => all.includes('secret')), false);
  await page.close();
  await closed.stop();
});

test('hostile names are shown as text', async () => {
  const page = await ready(await open(`file://${folder}/hostile.html`));
  assert.notEqual(await page.title(), 'caught');
  assert.match(await page.locator('h1').textContent(), /<\/script><b>q<\/b>/);
  assert.equal(await page.locator('.row[data-column="0"]').count(), 3);
  await close(page);
});

let failed = 0;
for (const [name, run] of tests) {
  try {
    await run();
    console.log(`ok ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED ${name}\n${error.stack}`);
  }
}
await browser.close();
await server.stop();
process.exit(failed ? 1 : 0);
