// SPDX-License-Identifier: Apache-2.0
// gradus serve: answers equal those of the command, errors have the right status, models are reloaded
// under load, and the server stops without losing requests.
import test, { before, after } from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import zlib from 'node:zlib';
import { spawnSync } from 'node:child_process';
import { endAll, makeModels, request, run, serve, gradus } from './server.mjs';

let made, server;
const scoresOf = (model, ...options) =>
    run('score', made.file(model), made.file('data.txt'), ...options, '-o', '-', '-q')
        .trim().split('\n').filter((line) => line[0] !== '#').map((line) => line.split(' ').map(Number));
const features = () => made.rows.map((row) => row.features);
const firstQuery = () => made.rows.filter((row) => row.query === made.rows[0].query).map((row) => row.features);

before(async () => {
    made = makeModels();
    server = await serve([made.file('web.model'), made.file('grades.model'), '--listen', '127.0.0.1:0', '--threads', '2']);
});
after(async () => {
    const status = await server.stop();
    endAll();
    fs.rmSync(made.folder, { recursive: true });
    assert.equal(status, 0);
});

const infer = (model, rows, more = {}) =>
    request(`${server.url}/v2/models/${model}/infer`, {
        body: {
            inputs: [{ name: 'features', shape: [rows.length, 136], datatype: 'FP32', data: rows }],
            ...more,
        },
    });

test('scores equal those of gradus score bit for bit', async () => {
    for (const model of ['web', 'grades']) {
        const expected = scoresOf(`${model}.model`).map(([score]) => score);
        const answer = await infer(model, features());
        assert.equal(answer.status, 200);
        assert.deepEqual(answer.json.outputs[0].data, expected);
        const ranked = await request(`${server.url}/rank`, {
            body: { model, documents: features().map((values, i) => ({ id: i, features: values })) },
        });
        for (const { id, score } of ranked.json.documents)
            assert.ok(Object.is(score, expected[id]));
    }
});

test('probabilities equal those of gradus score', async () => {
    const expected = scoresOf('grades.model', '--probabilities');
    const { json } = await infer('grades', features());
    assert.deepEqual(json.outputs.map((output) => output.name), ['scores', 'probabilities']);
    assert.deepEqual(json.outputs[1].shape, [made.rows.length, 5]);
    assert.deepEqual(json.outputs[1].data, expected.flat());
});

test('binary tensors give the same bits, in and out', async () => {
    const expected = scoresOf('web.model').map(([score]) => score);
    for (const [datatype, Type] of [['FP32', Float32Array], ['FP64', Float64Array]]) {
        const values = new Type(features().flat());
        const head = Buffer.from(JSON.stringify({
            id: 'x1',
            inputs: [{ name: 'features', shape: [made.rows.length, 136], datatype, parameters: { binary_data_size: values.byteLength } }],
            outputs: [{ name: 'scores', parameters: { binary_data: true } }],
        }));
        const answer = await request(`${server.url}/v2/models/web/versions/1/infer`, {
            body: Buffer.concat([head, Buffer.from(values.buffer)]),
            headers: { 'Content-Type': 'application/octet-stream', 'Inference-Header-Content-Length': head.length },
        });
        assert.equal(answer.status, 200);
        const size = Number(answer.headers['inference-header-content-length']);
        const json = JSON.parse(answer.body.subarray(0, size));
        assert.equal(json.id, 'x1');
        const bytes = answer.body.subarray(size);
        assert.equal(bytes.length, json.outputs[0].parameters.binary_data_size);
        const scores = Array.from({ length: made.rows.length }, (_, i) => bytes.readDoubleLE(8 * i));
        assert.deepEqual(scores, expected);
    }
});

test('gzip bodies are decompressed', async () => {
    const body = zlib.gzipSync(JSON.stringify({ documents: firstQuery() }));
    const packed = await request(`${server.url}/rank`, { body, headers: { 'Content-Encoding': 'gzip' } });
    const plain = await request(`${server.url}/rank`, { body: { documents: firstQuery() } });
    assert.equal(packed.status, 200);
    assert.deepEqual(packed.json, plain.json);
});

test('documents are sorted, best first, and ties keep their order', async () => {
    const rows = firstQuery();
    const { json } = await request(`${server.url}/rank`, { body: { documents: [...rows, ...rows] } });
    const scores = json.documents.map((document) => document.score);
    assert.deepEqual(scores, [...scores].sort((a, b) => b - a));
    assert.deepEqual(json.documents.map((document) => document.rank), scores.map((_, i) => i + 1));
    for (let i = 1; i < scores.length; i++)
        if (scores[i] === scores[i - 1])
            assert.ok(json.documents[i].id > json.documents[i - 1].id);
    const top = await request(`${server.url}/rank`, { body: { top: 3, documents: rows } });
    assert.equal(top.json.documents.length, 3);
});

test('features are given by name, and the model may follow the documents', async () => {
    const rows = firstQuery();
    const named = rows.map((values) => ({ features: Object.fromEntries(values.map((value, i) => [i + 1, value])) }));
    const a = await request(`${server.url}/rank`, { body: { documents: named, model: 'grades', version: '1' } });
    const b = await request(`${server.url}/models/grades/rank`, { body: { documents: rows } });
    assert.equal(a.status, 200);
    assert.deepEqual(a.json, b.json);
});

test('the scoring rule is chosen per request', async () => {
    const options = ['--scoring', 'expected-gain', '--gains', '0,1,3,7,15'];
    const expected = scoresOf('grades.model', ...options).map(([score]) => score);
    for (let again = 0; again < 2; again++) {
        const { json } = await request(`${server.url}/models/grades/rank`, {
            body: { scoring: 'expected-gain', gains: '0,1,3,7,15', documents: features().map((values, i) => ({ id: i, features: values })) },
        });
        for (const { id, score } of json.documents)
            assert.equal(score, expected[id]);
    }
    for (let k = 0; k < 20; k++) { // more rules than are cached
        const answer = await request(`${server.url}/models/grades/rank`, {
            body: { scoring: 'expected-gain', gains: `0,1,3,7,${k + 8}`, documents: firstQuery() },
        });
        assert.equal(answer.status, 200);
    }
});

test('contributions add up to the score', async () => {
    for (const against of ['mean', 'query', 'b']) {
        const rows = firstQuery().slice(0, 4);
        const { status, json } = await request(`${server.url}/explain`, {
            body: { against, documents: rows.map((values, i) => ({ id: 'abcd'[i], features: values })) },
        });
        assert.equal(status, 200);
        for (const { base, score, contributions } of json.documents) {
            const sum = contributions.reduce((total, part) => total + part.contribution, base);
            assert.ok(Math.abs(sum - score) < 1e-9, `${against}: ${sum} and ${score}`);
        }
    }
    const { json } = await request(`${server.url}/rank`, { body: { contributions: 2, top: 1, documents: firstQuery() } });
    assert.ok(json.documents[0].contributions.length <= 2);
});

test('errors have the right status and say what is wrong', async () => {
    const row = firstQuery()[0];
    const rank = (body, headers) => request(`${server.url}/rank`, { body, headers });
    const inferBody = (more) => ({ inputs: [{ name: 'features', shape: [1, 136], datatype: 'FP32', data: row, ...more }] });
    const inferRaw = (body, headers) => request(`${server.url}/v2/models/web/infer`, { body, headers });
    const table = [
        [400, /byte 1: /, () => rank('{')],
        [400, /byte 0: /, () => rank('NaN')],
        [400, /byte \d+: expected a value/, () => rank('{"documents":[[NaN]]}')],
        [400, /nested too deeply/, () => rank(`{"documents":${'['.repeat(100)}`)],
        [400, /unexpected text/, () => rank('{"documents":[]} x')],
        [400, /not valid gzip/, () => rank('nonsense', { 'Content-Encoding': 'gzip' })],
        [400, /not valid gzip/, () => rank(zlib.gzipSync('{"documents":[]}').subarray(0, 20), { 'Content-Encoding': 'gzip' })],
        [404, /no model 'none'/, () => rank({ model: 'none', documents: [] })],
        [404, /version '7'/, () => request(`${server.url}/v2/models/web/versions/7`)],
        [404, /no such path/, () => request(`${server.url}/nothing`)],
        [404, /no model|no such path/, () => request(`${server.url}/v2/models/..%2F..%2Fetc%2Fpasswd`)],
        [405, /use POST/, () => request(`${server.url}/rank`)],
        [405, /use GET/, () => request(`${server.url}/metrics`, { body: '{}' })],
        [415, /text\/plain/, () => rank('{}', { 'Content-Type': 'text/plain' })],
        [415, /br/, () => rank('{}', { 'Content-Encoding': 'br' })],
        [422, /'documents' is missing/, () => rank({})],
        [422, /unknown member 'x'/, () => rank({ x: 1, documents: [] })],
        [422, /document 1 has 1 features/, () => rank({ documents: [[1]] })],
        [422, /document 2 has more features/, () => rank({ documents: [row, [...row, 1]] })],
        [422, /no feature 'x'/, () => rank({ documents: [{ features: { x: 1 } }] })],
        [422, /no feature '01'/, () => rank({ documents: [{ features: { '01': 1 } }] })],
        [422, /feature '1' is given twice/, () => rank('{"documents":[{"features":{"1":null,"1":2}}]}')],
        [422, /'id' is given twice/, () => rank('{"documents":[{"id":1,"id":2,"features":[]}]}')],
        [422, /has no features/, () => rank({ documents: [{ id: 1 }] })],
        [422, /too large for a float/, () => rank(`{"documents":[[1e999${',0'.repeat(135)}]]}`)],
        [422, /'top' is not a whole number/, () => rank({ top: 1.5, documents: [] })],
        [422, /against/, () => rank({ contributions: 1, against: 'zz', documents: [row] })],
        [422, /scoring/, () => rank({ scoring: 'none-such', documents: [row] })],
        [422, /probabilities/, () => rank({ model: 'web', probabilities: true, documents: [row] })],
        [422, /no input/, () => inferRaw({ inputs: [] })],
        [422, /unknown input 'x'/, () => inferRaw(inferBody({ name: 'x' }))],
        [422, /datatype 'BYTES'/, () => inferRaw(inferBody({ datatype: 'BYTES' }))],
        [422, /2 features/, () => inferRaw(inferBody({ shape: [68, 2] }))],
        [422, /136 values, and its shape 272/, () => inferRaw(inferBody({ shape: [2, 136] }))],
        [422, /more than the 136 values/, () => inferRaw(inferBody({ data: [...row, 1] }))],
        [422, /unknown output/, () => inferRaw({ ...inferBody(), outputs: [{ name: 'x' }] })],
        [422, /no output 'probabilities'/, () => inferRaw({ ...inferBody(), outputs: [{ name: 'probabilities' }] })],
        [422, /Inference-Header-Content-Length/, () => inferRaw(inferBody({ data: undefined, parameters: { binary_data_size: 544 } }))],
        [400, /not a number/, () => inferRaw(inferBody(), { 'Inference-Header-Content-Length': 'x' })],
        [400, /body has/, () => inferRaw(inferBody(), { 'Inference-Header-Content-Length': '99999999' })],
    ];
    for (const [status, message, send] of table) {
        const answer = await send();
        assert.equal(answer.status, status, `${send}: ${answer.body}`);
        assert.match(answer.json.error, message);
    }
    assert.equal((await rank({ documents: [] })).json.documents.length, 0);
});

test('metadata, health and the description of the interface', async () => {
    const get = async (where) => (await request(server.url + where)).json;
    assert.deepEqual(await get('/v2/health/live'), { live: true });
    assert.deepEqual(await get('/v2/health/ready'), { ready: true });
    assert.equal((await get('/v2')).name, 'gradus');
    assert.deepEqual(await get('/v2/'), await get('/v2'));
    assert.deepEqual(await get('/v2/models/grades/versions/1/ready'), { name: 'grades', ready: true });
    const model = await get('/v2/models/grades');
    assert.deepEqual(model.inputs, [{ name: 'features', datatype: 'FP32', shape: [-1, 136] }]);
    assert.deepEqual(model.grades, [0, 1, 2, 3, 4]);
    assert.equal((await get('/models')).models.length, 2);
    const description = await get('/openapi.json');
    for (const operations of Object.values(description.paths))
        for (const operation of Object.values(operations))
            for (const response of Object.values(operation.responses)) {
                const reference = response.content?.['application/json'].schema.$ref.split('/').pop();
                assert.ok(!reference || description.components.schemas[reference], reference);
            }
});

test('metrics count requests, rows, errors and scores', async (t) => {
    const value = async (line) => {
        const { body } = await request(`${server.url}/metrics`);
        return Number(body.toString().split('\n').find((other) => other.startsWith(`${line} `))?.split(' ').pop());
    };
    const lines = ['gradus_requests_total{method="POST",route="/rank"}', 'gradus_rows_total{model="web"}',
        'gradus_request_errors_total{kind="syntax"}', 'gradus_score_count{model="web"}'];
    const earlier = [];
    for (const line of lines) earlier.push(await value(line));
    await request(`${server.url}/rank`, { body: { documents: firstQuery().slice(0, 5) } });
    await request(`${server.url}/rank`, { body: '{' });
    for (const [i, more] of [2, 5, 1, 5].entries())
        assert.equal(await value(lines[i]), earlier[i] + more, lines[i]);
    if (spawnSync('promtool', ['--version']).error) {
        t.diagnostic('promtool is not installed: the format is not checked');
        return;
    }
    const { body } = await request(`${server.url}/metrics`);
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: body, encoding: 'utf8' });
    assert.equal(checked.status, 0, checked.stdout + checked.stderr);
});

test('limits: body, rows, requests, header', async () => {
    const small = await serve([made.file('web.model'), '--listen', '127.0.0.1:0', '--max-body', '20000', '--max-rows', '3', '--max-requests', '2', '-q']);
    const row = firstQuery()[0];
    const ask = (body, options) => request(`${small.url}/rank`, { body, ...options });
    assert.equal((await ask({ documents: [row, row, row] })).status, 200);
    assert.equal((await ask({ documents: [row, row, row, row] })).status, 413);
    assert.equal((await ask(' '.repeat(20001))).status, 413);
    assert.equal((await ask(zlib.gzipSync(' '.repeat(30000)), { headers: { 'Content-Encoding': 'gzip' } })).status, 413);
    // the third of three requests at the same time
    const slow = [1, 2].map(() => ask({ documents: [row] }, { slow: 500 }));
    await new Promise((resolve) => setTimeout(resolve, 200));
    const busy = await ask({ documents: [row] });
    assert.equal(busy.status, 429);
    assert.equal(busy.headers['retry-after'], '1');
    for (const answer of await Promise.all(slow)) assert.equal(answer.status, 200);
    const long = await request(`${small.url}/v2`, { headers: { 'X-Long': 'x'.repeat(60000) } }).catch(() => ({ status: 431 }));
    assert.ok([413, 431].includes(long.status));
    assert.equal(await small.stop(), 0);
});

test('slow clients do not block others', async () => {
    const one = await serve([made.file('web.model'), '--listen', '127.0.0.1:0', '--threads', '1', '--timeout', '2', '-q']);
    const { port } = new URL(one.url);
    const stuck = Array.from({ length: 20 }, () => net.connect(port, '127.0.0.1'));
    for (const socket of stuck) {
        socket.on('error', () => {});
        socket.write('POST /rank HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{');
    }
    const started = Date.now();
    assert.equal((await request(`${one.url}/rank`, { body: { documents: firstQuery() } })).status, 200);
    assert.ok(Date.now() - started < 1500);
    await Promise.all(stuck.map((socket) => new Promise((resolve) => socket.on('close', resolve)))); // the timeout
    assert.equal(await one.stop(), 0);
});

test('a token is required where one is given', async () => {
    const file = made.file('token');
    fs.writeFileSync(file, 'secret-1\n');
    const safe = await serve([made.file('web.model'), '--listen', '127.0.0.1:0', '--token-file', file, '-q']);
    const status = async (headers, where = '/v2') => (await request(safe.url + where, { headers })).status;
    assert.equal(await status({}), 401);
    assert.equal(await status({ Authorization: 'Bearer secret-2' }), 401);
    assert.equal(await status({ Authorization: 'Bearer secret-1x' }), 401);
    assert.equal(await status({ Authorization: 'Bearer ' }), 401);
    assert.equal(await status({ Authorization: 'Bearer secret-1' }), 200);
    assert.equal(await status({}, '/v2/health/live'), 200);
    assert.equal(await status({}, '/metrics'), 401);
    assert.equal(await safe.stop(), 0);
    assert.equal((await request(`${server.url}/v2`, { headers: { Host: 'evil.example' } })).status, 401);
});

test('wrong command lines are refused', () => {
    const model = made.file('web.model');
    for (const [words, message] of [
        [[], /needs models/],
        [[model, '--listen', '0.0.0.0:0'], /--token-file, or --insecure/],
        [[model, '--listen', 'nonsense'], /expected ADDRESS:PORT/],
        [[model, '--listen', '127.0.0.1:99999x'], /expected ADDRESS:PORT/],
        [[model, '--max-rows', '0'], /--max-rows is a whole number from 1/],
        [[model, '--tls-cert', model], /must be given together/],
        [[model, model], /two models have the name 'web'/],
        [['a b=' + model], /characters other than/],
        [[made.file('data.txt')], /data/],
        [['--models', made.file('none')], /none/],
        [[model, '--token-file', made.file('none')], /none/],
    ]) {
        const { status, stderr } = spawnSync(gradus, ['serve', ...words], { encoding: 'utf8', timeout: 20000 });
        assert.ok(status === 1 || status === 2, `${words}: ${status}`);
        assert.match(stderr, message);
    }
});

test('a socket file, and an access log', async () => {
    const socket = made.file('socket'), log = made.file('log');
    const local = await serve([made.file('web.model'), '--listen', `unix:${socket}`, '--access-log', log, '-q']);
    const answer = await request(`unix:${socket}|/rank`, { body: { documents: firstQuery() } });
    assert.equal(answer.status, 200);
    assert.equal((await request(`unix:${socket}|/rank`, { body: '{' })).status, 400);
    assert.equal(await local.stop(), 0);
    assert.ok(!fs.existsSync(socket));
    const lines = fs.readFileSync(log, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ method, path: where, status }) => [method, where, status]),
        [['POST', '/rank', 200], ['POST', '/rank', 400]]);
    assert.equal(lines[0].rows, firstQuery().length);
    assert.match(lines[1].error, /byte 1/);
});

test('HTTPS', async (t) => {
    const key = made.file('key.pem'), cert = made.file('cert.pem');
    const openssl = spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost',
        '-keyout', key, '-out', cert]);
    if (openssl.error) {
        t.skip('openssl is not installed');
        return;
    }
    const safe = await serve([made.file('web.model'), '--listen', '127.0.0.1:0', '--tls-cert', cert, '--tls-key', key, '-q']);
    assert.match(safe.url, /^https:/);
    const https = await import('node:https');
    const status = await new Promise((resolve, reject) => {
        https.get(`${safe.url}/v2`, { ca: fs.readFileSync(cert), servername: 'localhost', checkServerIdentity: () => undefined },
            (answer) => resolve(answer.statusCode)).on('error', reject);
    });
    assert.equal(status, 200);
    assert.equal(await safe.stop(), 0);
});

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test('labelled data for the playground', async () => {
    const played = await serve([made.file('web.model'), made.file('grades.model'), '--data', made.file('data.txt'), '--listen', '127.0.0.1:0']);
    const get = async (path, status = 200) => {
        const answer = await request(`${played.url}${path}`);
        assert.equal(answer.status, status, path);
        return answer.json;
    };
    const about = await get('/data');
    const names = [...new Set(made.rows.map(({ query }) => query))];
    assert.equal(about.data, 'data.txt');
    assert.equal(about.features.length, 136);
    assert.deepEqual(about.metrics, ['ndcg@10', 'err@10', 'map', 'p@10', 'mrr']);
    assert.deepEqual(about.queries.map(({ name }) => name), names);
    assert.deepEqual(about.queries.map(({ documents }) => documents),
        names.map((name) => made.rows.filter(({ query }) => query === name).length));
    const { name, documents } = await get('/data/queries/2');
    const expected = made.rows.filter(({ query }) => query === names[1]);
    assert.equal(name, names[1]);
    assert.deepEqual(documents.map((one) => one.features), expected.map((one) => one.features));
    // means over queries are those of gradus eval
    for (const [path, ranker] of [['/data/models/web', made.file('web.model')], ['/data/features/110', 'feature:110'],
        ['/data/models/grades/versions/1', made.file('grades.model')]]) {
        const [{ metrics }] = JSON.parse(run('eval', made.file('data.txt'), ranker, '--json'));
        for (let again = 0; again < 2; again++) { // computed, then kept
            const { values } = await get(path);
            about.metrics.forEach((metric, m) => {
                const known = values[m].filter((value) => value !== null);
                assert.ok(Math.abs(known.reduce((sum, value) => sum + value, 0) / known.length - metrics[metric]) < 1e-9);
            });
        }
    }
    for (const value of (await get('/data/ideal')).values[0]) assert.ok(value === null || Math.abs(value - 1) < 1e-12);
    for (const path of ['/data/queries/0', '/data/queries/9', '/data/queries/x', '/data/queries/..%2f1', '/data/features/137',
        '/data/models/none', '/data/queries/-1'])
        await get(path, 404);
    assert.equal(await played.stop(), 0);
});

test('the page of the playground needs no token, its data do', async () => {
    fs.writeFileSync(made.file('page-token'), 'secret\n');
    const closed = await serve([made.file('web.model'), '--token-file', made.file('page-token'), '--listen', '127.0.0.1:0']);
    const page = await request(`${closed.url}/`);
    assert.equal(page.status, 200);
    assert.match(page.headers['content-type'], /^text\/html/);
    assert.match(page.body.toString(), /gradus playground/);
    assert.doesNotMatch(page.body.toString(), /https?:\/\/(?!www\.w3\.org)/);
    assert.equal((await request(`${closed.url}/data`)).status, 401);
    const headers = { Authorization: 'Bearer secret' };
    const about = await request(`${closed.url}/data`, { headers });
    assert.deepEqual([about.json.data, about.json.queries, about.json.features.length], [null, [], 136]);
    for (const path of ['queries/1', 'models/web', 'features/1', 'ideal'])
        assert.equal((await request(`${closed.url}/data/${path}`, { headers })).status, 404);
    assert.equal(await closed.stop(), 0);
});

test('one document is explained', async () => {
    const documents = firstQuery();
    const all = await request(`${server.url}/explain`, { body: { documents } });
    const one = await request(`${server.url}/explain`, { body: { documents, explain: '3' } });
    assert.equal(one.json.documents.filter(({ contributions }) => contributions).length, 1);
    const find = ({ json }) => json.documents.find(({ id }) => id === 3);
    assert.deepEqual(find(one), find(all));
    const wrong = await request(`${server.url}/explain`, { body: { documents, explain: 'none' } });
    assert.equal(wrong.status, 422);
    assert.match(wrong.json.error, /not the id of a document/);
});

test('a folder of models with versions', async () => {
    const folder = made.file('models');
    fs.mkdirSync(path.join(folder, 'web'), { recursive: true });
    fs.copyFileSync(made.file('web.model'), path.join(folder, 'web', '2.model'));
    fs.copyFileSync(made.file('short.model'), path.join(folder, 'web', '10.model'));
    fs.copyFileSync(made.file('grades.model'), path.join(folder, 'grades.model'));
    fs.writeFileSync(path.join(folder, 'notes.txt'), 'not a model');
    const many = await serve(['--models', folder, '--listen', '127.0.0.1:0']);
    const versions = async () => (await request(`${many.url}/v2/models/web`)).json.versions;
    const score = async (version) => {
        const where = version ? `/v2/models/web/versions/${version}/infer` : '/v2/models/web/infer';
        const { json } = await request(many.url + where, {
            body: { inputs: [{ name: 'features', shape: [1, 136], datatype: 'FP32', data: made.rows[0].features }] },
        });
        return json.outputs[0].data[0];
    };
    assert.deepEqual(await versions(), ['2', '10']);
    assert.equal(await score('2'), scoresOf('web.model')[0][0]);
    assert.equal(await score(), scoresOf('short.model')[0][0]); // 10 is the highest
    // a new version is found, a removed one is dropped
    fs.copyFileSync(made.file('web.model'), path.join(folder, 'part'));
    fs.renameSync(path.join(folder, 'part'), path.join(folder, 'web', '11.model'));
    fs.rmSync(path.join(folder, 'web', '2.model'));
    many.child.kill('SIGHUP');
    for (let i = 0; i < 50 && (await versions()).join() !== '10,11'; i++) await sleep(100);
    assert.deepEqual(await versions(), ['10', '11']);
    assert.equal(await score(), scoresOf('web.model')[0][0]);
    assert.equal(await many.stop(), 0);
});

test('a damaged file leaves the present model in use', async () => {
    const file = made.file('changing.model');
    fs.copyFileSync(made.file('web.model'), file);
    const one = await serve([file, '--listen', '127.0.0.1:0']);
    fs.writeFileSync(made.file('part'), fs.readFileSync(file).subarray(0, 1000));
    fs.renameSync(made.file('part'), file);
    const failed = await request(`${one.url}/models/changing/reload`, { method: 'POST' });
    assert.equal(failed.status, 500);
    assert.match(failed.json.error, /changing/);
    assert.equal((await request(`${one.url}/rank`, { body: { documents: firstQuery() } })).status, 200);
    assert.match(one.said(), /keep the present model/);
    assert.equal(await one.stop(), 0);
});

// Each reload is followed by a request of its own, which must be answered by the new model; requests that
// run meanwhile may be answered by either.
test('200 reloads under load: no request fails, every answer is of one model', async () => {
    const file = made.file('swapped.model');
    const copy = (name) => {
        fs.copyFileSync(made.file(name), made.file('part'));
        fs.renameSync(made.file('part'), file);
    };
    const models = ['web.model', 'short.model'];
    copy(models[0]);
    const one = await serve([file, '--listen', '127.0.0.1:0', '--threads', '2', '-q']);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
    const rows = firstQuery();
    const body = { inputs: [{ name: 'features', shape: [rows.length, 136], datatype: 'FP32', data: rows }] };
    const expected = models.map((name) => scoresOf(name).slice(0, rows.length).map(([score]) => score).join());
    const modelOf = async () => {
        const answer = await request(`${one.url}/v2/models/swapped/infer`, { body, agent });
        assert.equal(answer.status, 200);
        return expected.indexOf(answer.json.outputs[0].data.join());
    };
    let running = true, answers = 0;
    const load = Array.from({ length: 4 }, async () => {
        for (; running; answers++)
            assert.notEqual(await modelOf(), -1);
    });
    for (let i = 1; i <= 200; i++) {
        copy(models[i % 2]);
        const answer = await request(`${one.url}/models/swapped/reload`, { method: 'POST', agent });
        assert.equal(answer.status, 200);
        assert.equal(await modelOf(), i % 2);
    }
    running = false;
    await Promise.all(load);
    agent.destroy();
    assert.ok(answers > 0);
    assert.equal(await one.stop(), 0);
});

test('SIGTERM finishes running requests', async () => {
    const one = await serve([made.file('web.model'), '--listen', '127.0.0.1:0']);
    const slow = request(`${one.url}/rank`, { body: { documents: firstQuery() }, slow: 700 });
    await sleep(200);
    const ended = one.stop();
    const answer = await slow;
    assert.equal(answer.status, 200);
    assert.equal(await ended, 0);
    await assert.rejects(request(`${one.url}/v2`));
});

test('a shadow model is compared with the one that answers', async () => {
    const one = await serve([made.file('web.model'), '--shadow', made.file('short.model'), '--listen', '127.0.0.1:0', '-q']);
    const rows = firstQuery();
    await request(`${one.url}/rank`, { body: { documents: rows } });
    const text = (await request(`${one.url}/metrics`)).body.toString();
    const value = (name) => Number(text.match(new RegExp(`^gradus_shadow_${name} (\\d+)$`, 'm'))[1]);
    const order = (model) => scoresOf(model).slice(0, rows.length).map(([score], row) => ({ score, row }))
        .sort((a, b) => b.score - a.score || a.row - b.row).map(({ row }) => row);
    const [main, other] = [order('web.model'), order('short.model')];
    assert.equal(value('requests_total'), 1);
    assert.equal(value('failures_total'), 0);
    assert.equal(value('rows_total'), rows.length);
    assert.equal(value('moved_total'), main.filter((row, i) => other[i] !== row).length);
    assert.equal(value('rank_differences_total'), main.reduce((sum, row, i) => sum + Math.abs(other.indexOf(row) - i), 0));
    assert.equal(value('first_changed_total'), main[0] === other[0] ? 0 : 1);
    assert.equal(await one.stop(), 0);
});
