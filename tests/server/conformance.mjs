// SPDX-License-Identifier: Apache-2.0
// Sends good requests of every route to `gradus serve` through the proxy Prism, which compares requests and answers
// with an OpenAPI description: the server's own /openapi.json, and that of the Open Inference Protocol if
// SPECIFICATION names the file. Prints violations; status 1 if there are any.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import { endAll, makeModels, request, serve } from './server.mjs';

const START_SECONDS = 60;
const made = makeModels();
const rows = made.rows.filter((row) => row.query === made.rows[0].query).slice(0, 5).map((row) => row.features);
const documents = rows.map((features, i) => ({ id: `d${i}`, features }));
let server, proxy;
let failures = 0, sent = 0;

function freePort() {
    return new Promise((resolve) => {
        const probe = net.createServer().listen(0, '127.0.0.1', () => {
            const { port } = probe.address();
            probe.close(() => resolve(port));
        });
    });
}

// Starts the proxy with a description and returns its address.
async function startProxy(description) {
    const port = await freePort();
    const said = [];
    proxy = spawn(process.execPath, [process.env.PRISM, 'proxy', description, server.url, '--errors', '--host', '127.0.0.1', '--port', port],
        { stdio: ['ignore', 'pipe', 'pipe'] });
    proxy.stdout.on('data', (bytes) => said.push(bytes));
    proxy.stderr.on('data', (bytes) => said.push(bytes));
    for (let tenth = 0; tenth < 10 * START_SECONDS && proxy.exitCode === null; tenth++) {
        if (/Prism is listening/.test(Buffer.concat(said))) return `http://127.0.0.1:${port}`;
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`prism does not start: ${Buffer.concat(said)}`);
}

function endProxy() {
    return new Promise((resolve) => {
        proxy.on('exit', resolve);
        proxy.kill('SIGKILL');
    });
}

async function check(base, where, options = {}, status = 200) {
    const answer = await request(base + where, options);
    const violations = answer.headers['sl-violations'] ?? (/problem/.test(answer.headers['content-type'] ?? '') ? answer.body.toString() : '');
    sent++;
    if (!violations && answer.status === status) return;
    failures++;
    console.log(`${options.method ?? (options.body ? 'POST' : 'GET')} ${where}: status ${answer.status}: ${violations || answer.body}`);
}

const tensor = { name: 'features', shape: [rows.length, 136], datatype: 'FP32' };

// Requests of the Open Inference Protocol, whose description has paths with versions only.
async function checkInference(base) {
    for (const where of ['/v2/health/live', '/v2/health/ready', '/v2/models/web/versions/1', '/v2/models/grades/versions/1',
        '/v2/models/grades/versions/1/ready'])
        await check(base, where);
    for (const name of ['web', 'grades'])
        await checkTensors(base, `/v2/models/${name}/versions/1/infer`);
}

async function checkTensors(base, where) {
    const input = { ...tensor, data: rows.flat() };
    await check(base, where, { body: { inputs: [input] } });
    await check(base, where, { body: { inputs: [{ ...tensor, data: rows }] } }); // nested lists
    await check(base, where, { body: { id: 'x', inputs: [{ ...input, datatype: 'FP64' }], outputs: [{ name: 'scores' }] } });
}

// The path with a slash at the end is another one in the protocol's description.
async function checkProtocol(base) {
    await checkInference(base);
    await check(base, '/v2/');
}

// All routes, and errors, whose form is described too.
async function checkOwn(base) {
    await checkInference(base);
    await checkTensors(base, '/v2/models/web/infer');
    for (const where of ['/v2', '/v2/models/web', '/v2/models/grades/ready', '/models', '/', '/metrics', '/openapi.json', '/data', '/data/queries/1', '/data/models/web',
        '/data/models/web/versions/1', '/data/features/1', '/data/ideal'])
        await check(base, where);
    for (const prefix of ['', '/models/grades']) {
        await check(base, `${prefix}/rank`, { body: { documents } });
        await check(base, `${prefix}/rank`, { body: { documents: rows, top: 2, contributions: 3 } });
        await check(base, `${prefix}/explain`, { body: { documents, against: 'd1' } });
    }
    await check(base, '/models/grades/rank', { body: { documents, probabilities: true } });
    await check(base, '/models/grades/rank', { body: { documents: [{ features: { 1: 2, 7: null } }], scoring: 'expected-gain', gains: '0,1,3,7,15' } });
    await check(base, '/models/web/reload', { method: 'POST' });
    await check(base, '/rank', { body: { documents: [[1]] } }, 422);
    await check(base, '/v2/models/none', {}, 404);
    await check(base, '/data/queries/999', {}, 404);
}

async function run(name, file, requests) {
    const before = failures, sentBefore = sent;
    const base = await startProxy(file);
    await requests(base);
    await endProxy();
    console.log(`${name}: ${sent - sentBefore} requests, ${failures - before} violations`);
}

try {
    server = await serve([made.file('web.model'), made.file('grades.model'), '--data', made.file('data.txt'), '--listen', '127.0.0.1:0', '-q']);
    const own = made.file('openapi.json');
    fs.writeFileSync(own, (await request(`${server.url}/openapi.json`)).body);
    await run('/openapi.json', own, checkOwn);
    if (process.env.SPECIFICATION) {
        const theirs = made.file('open_inference.yaml');
        // its path templates are written ${NAME}
        fs.writeFileSync(theirs, fs.readFileSync(process.env.SPECIFICATION, 'utf8').replaceAll('${', '{'));
        await run('Open Inference Protocol', theirs, checkProtocol);
    } else {
        console.log('Open Inference Protocol: skipped, there is no shared/specs/open_inference_rest.yaml beside the sources');
    }
} finally {
    proxy?.kill('SIGKILL');
    endAll();
    fs.rmSync(made.folder, { recursive: true });
}
process.exit(failures ? 1 : 0);
