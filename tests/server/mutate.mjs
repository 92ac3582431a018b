// SPDX-License-Identifier: Apache-2.0
// node tests/server/mutate.mjs SECONDS [SEED]
//
// Sends mutated requests to `$GRADUS serve`, a build with sanitizers, over loopback: bodies, headers, paths, chunks,
// gzip data and binary tensors are damaged, and connections are cut. The models are replaced and reloaded
// meanwhile, and one request in ten is good. The server must neither stop nor print a report of a sanitizer; each
// answer must be well-formed, with a status that the guide lists, and good requests must get their exact answer.
// Prints the seed, and the number of requests and findings at the end; status 1 if there are any. Requests that
// found something are kept in $FOUND (default: the folder of temporary files); the same seed gives the same requests.
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { endAll, makeModels, request, serve } from './server.mjs';

const CLIENTS = 32, TIMEOUT_SECONDS = 10, ANSWER_SECONDS = 60, KEPT = 20;
const seconds = Number(process.argv[2] ?? 60);
const seed = Number(process.argv[3] ?? Date.now() % 1000000);
const STATUSES = new Set([200, 400, 401, 404, 405, 408, 411, 413, 414, 415, 417, 422, 429, 431, 501, 503, 505]);

// ---- random choices ----

// The generator of one case (mulberry32).
function generator(number) {
    let state = number >>> 0;
    const word = () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let t = Math.imul(state ^ (state >>> 15), state | 1);
        t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
        return (t ^ (t >>> 14)) >>> 0;
    };
    const below = (n) => word() % n;
    return { word, below, pick: (list) => list[below(list.length)], chance: (n) => below(n) === 0 };
}

// ---- requests before they are mutated ----

const made = makeModels();
const rows = made.rows.slice(0, 20).map((row) => row.features);
const few = rows.slice(0, 3);

function post(where, body, headers = {}) {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    return { method: 'POST', path: where, headers: { 'Content-Type': 'application/json', ...headers }, body: bytes };
}

function binary(Type, datatype, where = '/v2/models/web/infer') {
    const values = new Type(few.flat());
    const head = Buffer.from(JSON.stringify({
        inputs: [{ name: 'features', shape: [few.length, 136], datatype, parameters: { binary_data_size: values.byteLength } }],
        parameters: { binary_data_output: true },
    }));
    return post(where, Buffer.concat([head, Buffer.from(values.buffer)]),
        { 'Content-Type': 'application/octet-stream', 'Inference-Header-Content-Length': head.length });
}

const documents = few.map((features, i) => ({ id: `d${i}`, features }));
const named = few.map((values) => ({ features: Object.fromEntries(values.map((value, i) => [i + 1, value])) }));
const tensor = { name: 'features', shape: [few.length, 136], datatype: 'FP32', data: few.flat() };
const BASES = [
    post('/rank', { documents: rows }),
    post('/rank', { documents, top: 2, contributions: 3, against: 'd1' }),
    post('/rank', { documents: named, model: 'grades', probabilities: true, scoring: 'expected-gain', gains: '0,1,3,7,15' }),
    post('/models/grades/explain', { documents, explain: 'd1' }),
    post('/v2/models/web/infer', { id: 'x', inputs: [tensor], outputs: [{ name: 'scores' }] }),
    post('/v2/models/grades/versions/1/infer', { inputs: [{ ...tensor, data: few }] }),
    binary(Float32Array, 'FP32'), binary(Float64Array, 'FP64', '/v2/models/grades/infer'), binary(Int16Array, 'INT16'),
    post('/rank', zlib.gzipSync(JSON.stringify({ documents })), { 'Content-Encoding': 'gzip' }),
    post('/models/web/reload', ''),
    ...['/v2', '/v2/models/web', '/v2/models/grades/versions/1/ready', '/v2/health/ready', '/models', '/metrics', '/openapi.json', '/data',
        '/data/queries/2', '/data/models/web', '/data/features/3', '/data/ideal'].map((where) => ({ method: 'GET', path: where, headers: {}, body: Buffer.alloc(0) })),
];

// ---- mutations ----

const TOKENS = ['1e999', '-0', 'NaN', '1e-400', '18446744073709551616', '-1', '0.1e', '[', ']', '{', '}', '[[[[', '"', '\\u0000', '\\ud800', ',', ':', 'null',
    'true', '""', '\0', '\xff', '"features"', '"shape"', '"inputs"', '1'.repeat(400), '0.' + '0'.repeat(400) + '1', ' '.repeat(100), '\n', '[]', '{}'];

// Damages bytes in one of several ways.
function damage(r, bytes, tokens = TOKENS) {
    const at = r.below(bytes.length + 1), size = r.below(r.chance(3) ? 200 : 8);
    switch (r.below(7)) {
    case 0: { // flip bits
        const copy = Buffer.from(bytes);
        if (copy.length) copy[at % copy.length] ^= 1 << r.below(8);
        return copy;
    }
    case 1: return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size)]); // delete
    case 2: return bytes.subarray(0, at); // truncate
    case 3: return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - size))]); // repeat
    case 4: return Buffer.concat([bytes.subarray(0, at), Buffer.from(r.pick(tokens), 'latin1'), bytes.subarray(at)]); // insert
    case 5: return Buffer.concat([bytes.subarray(0, at), Buffer.from(r.pick(tokens), 'latin1'), bytes.subarray(at + size)]); // replace
    default: { // random bytes
        const copy = Buffer.from(bytes);
        for (let i = 0; i < size && copy.length; i++) copy[(at + i) % copy.length] = r.below(256);
        return copy;
    }
    }
}

function damageGzip(r, bytes) {
    switch (r.below(5)) {
    case 0: return zlib.gzipSync(damage(r, bytes));
    case 1: return damage(r, zlib.gzipSync(bytes));
    case 2: return zlib.gzipSync(Buffer.alloc(r.below(4 << 20), ' ')); // more than the largest body, decompressed
    case 3: return Buffer.concat([zlib.gzipSync(bytes), zlib.gzipSync(bytes)]);
    default: return zlib.deflateSync(bytes);
    }
}

const NUMBERS = ['0', '1', '7', '-1', '99999999', '18446744073709551615', '18446744073709551616', 'x', '', ' 5', '0x10', '1e3'];
const VALUES = {
    'Content-Type': ['text/plain', '', 'application/json; charset=utf-8', 'application/octet-stream', 'APPLICATION/JSON', 'a'.repeat(300)],
    'Content-Encoding': ['gzip', 'br', 'identity', '', 'x-gzip', 'gzip, gzip'],
    'Content-Length': NUMBERS,
    'Inference-Header-Content-Length': NUMBERS,
    Host: ['evil.example', 'localhost', '', '127.0.0.1:1', '[::1]', 'h'.repeat(500)],
    Authorization: ['Bearer x', 'Basic eDp5', ''],
    Expect: ['100-continue', 'nonsense'],
    Connection: ['keep-alive', 'close', 'upgrade'],
    'Transfer-Encoding': ['chunked', 'gzip', 'identity', 'chunked, chunked'],
    'X-Long': ['y'.repeat(20000), 'z'.repeat(70000)],
};

function damagePath(r, where) {
    switch (r.below(6)) {
    case 0: return damage(r, Buffer.from(where)).toString('latin1').replace(/[\r\n ]/g, '_') || '/';
    case 1: return where + r.pick(['/', '//', '?a=b', '?', '%00', '%2e%2e', '/../..', '/' + 'p'.repeat(3000), '#x']);
    case 2: return where.replace(/web|grades/, () => r.pick(['none', '..', '%2e%2e%2fetc', 'w'.repeat(200), '', 'web%00', '\xc3\xa9']));
    case 3: return where.replace(/\d+/, () => r.pick(NUMBERS.map(encodeURIComponent)));
    case 4: return r.pick(['*', '/', 'http://localhost/v2', '/v2/models//infer', '/data/queries/0', '/data/queries/-1', '/data/features/999']);
    default: return r.pick(BASES).path;
    }
}

// The body in chunks, perhaps invalid ones.
function chunked(r, body) {
    const parts = [];
    for (let at = 0; at < body.length;) {
        const size = 1 + r.below(r.chance(2) ? 20 : 2000), part = body.subarray(at, at + size);
        parts.push(Buffer.from(`${part.length.toString(16)}${r.chance(20) ? ';a=b' : ''}\r\n`), part, Buffer.from('\r\n'));
        at += size;
    }
    parts.push(Buffer.from(r.chance(8) ? '0\r\nA: b\r\n\r\n' : '0\r\n\r\n'));
    const bytes = Buffer.concat(parts);
    return r.chance(3) ? damage(r, bytes, ['ffffffffffffffff\r\n', '-1\r\n', '\r\n', '0\r\n\r\n', 'x\r\n']) : bytes;
}

// The bytes of a mutated request, and how they are sent.
function mutate(r) {
    const base = r.pick(BASES), headers = { Host: '127.0.0.1', Connection: 'close', ...base.headers };
    let { method, path: where, body } = base;
    const times = 1 + r.below(3);

    for (let i = 0; i < times; i++) {
        switch (r.below(10)) {
        case 0: where = damagePath(r, where); break;
        case 1: method = r.pick(['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'post', 'X'.repeat(100), '']); break;
        case 2: case 3: {
            const name = r.pick(Object.keys(VALUES));
            headers[name] = r.pick(VALUES[name]);
            break;
        }
        case 4:
            body = damageGzip(r, body);
            headers['Content-Encoding'] = 'gzip';
            break;
        case 5: body = Buffer.concat([body.subarray(0, r.below(body.length + 1)), r.pick(BASES).body]); break;
        default: body = damage(r, body);
        }
    }
    if (r.chance(5)) {
        headers['Transfer-Encoding'] = 'chunked';
        body = chunked(r, body);
    } else if (body.length && !('Content-Length' in headers)) {
        headers['Content-Length'] = body.length;
    }
    let head = Buffer.from(`${method} ${where} HTTP/1.${r.chance(20) ? 0 : 1}\r\n${Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`, 'latin1');
    if (r.chance(12)) head = damage(r, head, ['\r\n', '\n', '\r\n\r\n', ': ', ' ', '\0', 'HTTP/9.9']);
    const bytes = Buffer.concat([head, body, r.chance(15) ? Buffer.concat([head, body]) : Buffer.alloc(0)]);
    return { bytes, pieces: r.chance(4) ? 2 + r.below(4) : 1, cut: r.chance(8) ? r.below(bytes.length + 1) : -1, half: r.chance(300) ? -1 : r.below(100), checked: method !== 'HEAD' };
}

// ---- sending and checking ----

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Sends bytes and returns what was answered until the first answer is complete or the connection ends.
function exchange(port, { bytes, pieces, cut, half }) {
    return new Promise((resolve) => {
        const socket = net.connect(port, '127.0.0.1');
        const parts = [];
        let timer = setTimeout(() => finish('timeout'), ANSWER_SECONDS * 1000);
        function finish(end) {
            if (!timer) return;
            clearTimeout(timer);
            timer = undefined;
            socket.resetAndDestroy?.() ?? socket.destroy();
            resolve({ end, answer: Buffer.concat(parts) });
        }
        socket.on('error', () => finish('closed'));
        socket.on('close', () => finish('closed'));
        socket.on('data', (part) => {
            parts.push(part);
            if (isComplete(Buffer.concat(parts))) finish('answered');
        });
        socket.on('connect', async () => {
            const all = cut >= 0 ? bytes.subarray(0, cut) : bytes;
            const size = Math.ceil(all.length / pieces) || 1;
            for (let at = 0; at < all.length; at += size) {
                socket.write(all.subarray(at, at + size));
                if (pieces > 1) await wait(1);
            }
            if (cut >= 0) finish('cut');
            else if (half >= 0) setTimeout(() => timer && socket.end(), half); // the server waits for more otherwise
        });
    });
}

// Splits an answer; 100 Continue is skipped. Undefined: not all of it is there.
function parse(answer) {
    const end = answer.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const lines = answer.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(lines[0].match(/^HTTP\/1\.[01] (\d{3})/)?.[1]);
    if (status === 100) return parse(answer.subarray(end + 4));
    const headers = Object.fromEntries(lines.slice(1).map((line) => [line.split(':')[0].toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
    return { status, headers, body: answer.subarray(end + 4) };
}

function isComplete(answer) {
    const parsed = parse(answer);
    return parsed && parsed.body.length >= Number(parsed.headers['content-length'] ?? Infinity);
}

// What is wrong with an answer to a mutated request; undefined: nothing. checked: it has a body.
function judge({ end, answer }, checked) {
    if (end === 'cut' || answer.length === 0) return end === 'timeout' ? 'no answer' : undefined;
    const parsed = parse(answer);
    if (!parsed) return end === 'closed' ? undefined : 'an incomplete answer';
    if (!STATUSES.has(parsed.status)) return `status ${parsed.status}`;
    const size = Number(parsed.headers['content-length']);
    if (!checked || parsed.body.length < size || !/^application\/json/.test(parsed.headers['content-type'] ?? '')) return undefined;
    try {
        const json = JSON.parse(parsed.body.subarray(0, size));
        return parsed.status >= 400 && typeof json.error !== 'string' ? 'an error without a message' : undefined;
    } catch {
        return 'an answer that is not JSON';
    }
}

let server, cases = 0, findings = 0, ended = false;
const deadline = Date.now() + seconds * 1000;

function finding(what, number, bytes) {
    const file = path.join(process.env.FOUND ?? os.tmpdir(), `serve-mutation-${seed}-${number}`);
    findings++;
    if (findings <= KEPT) fs.writeFileSync(file, bytes);
    if (findings <= KEPT) console.log(`FOUND: ${what}: request ${number} of seed ${seed}, in ${file}`);
}

function checkServer(number, bytes) {
    if (ended) return;
    if (server.child.exitCode === null && server.child.signalCode === null && !/Sanitizer|runtime error/.test(server.said())) return;
    ended = true;
    finding(`the server ended or reported:\n${server.said().slice(0, 6000)}`, number, bytes);
}

// Replaces the served model by another one, back and forth. Without an agent: the server may close a connection that is
// kept just when it is used again.
async function reload(number) {
    fs.copyFileSync(made.file(number % 2 ? 'web.model' : 'short.model'), made.file('next.model'));
    fs.renameSync(made.file('next.model'), made.file('served/web.model'));
    await request(`${server.url}/models/web/reload`, { method: 'POST', agent: false });
}

async function checkGood(port, good, number) {
    const bytes = Buffer.concat([Buffer.from(`POST ${good.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${
        Object.entries(good.headers).map(([name, value]) => `${name}: ${value}\r\n`).join('')}Content-Length: ${good.body.length}\r\n\r\n`), good.body]);
    const started = Date.now(), { answer, end } = await exchange(port, { bytes, pieces: 1, cut: -1, half: -1 });
    const parsed = parse(answer);
    if (parsed?.status !== 200 || !good.expected.some((expected) => expected.equals(parsed.body)))
        finding(`a good request got ${parsed?.status} ${parsed?.body.subarray(0, 200)} (${end} after ${Date.now() - started} ms)`, number, bytes);
}

async function client(port, good) {
    while (Date.now() < deadline && !ended) {
        const number = cases++, r = generator(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b));
        if (number % 10 === 9) {
            await checkGood(port, r.pick(good), number);
            continue;
        }
        if (number % 1000 === 500) await reload(number / 500);
        const sent = mutate(r), got = await exchange(port, sent);
        const wrong = judge(got, sent.checked);
        if (wrong) finding(wrong, number, Buffer.concat([sent.bytes, Buffer.from('\n---- answer\n'), got.answer]));
        checkServer(number, sent.bytes);
    }
}

// The answers to good requests with both models.
async function expectedAnswers() {
    const good = [BASES[0], BASES[1], BASES[2], BASES[4], BASES[6], BASES[9]].map((base) => ({ ...base, expected: [] }));
    for (const turn of [0, 1]) {
        await reload(turn);
        for (const one of good)
            one.expected.push((await request(server.url + one.path, { method: 'POST', body: one.body, headers: one.headers, agent: false })).body);
    }
    return good;
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1)); // ends the server too
console.log(`seed ${seed}, ${seconds} s`);
try {
    fs.mkdirSync(made.file('served'));
    fs.copyFileSync(made.file('web.model'), made.file('served/web.model'));
    fs.copyFileSync(made.file('grades.model'), made.file('served/grades.model'));
    server = await serve([made.file('served/web.model'), made.file('served/grades.model'), '--listen', '127.0.0.1:0', '--threads', '2', '--max-body', '1000000', '--max-rows', '50',
        '--timeout', String(TIMEOUT_SECONDS), '--data', made.file('data.txt'), '--shadow', made.file('short.model'), '--access-log', made.file('access.log'), '-q']);
    const good = await expectedAnswers(), { port } = new URL(server.url);
    await Promise.all(Array.from({ length: CLIENTS }, () => client(port, good)));
    if (!ended) {
        await wait((TIMEOUT_SECONDS + 2) * 1000); // connections without progress are closed
        const { body } = await request(`${server.url}/metrics`, { agent: false });
        if (!/^gradus_requests_in_progress 1$/m.test(body)) finding('requests that never end', cases, body);
        const status = await server.stop();
        if (status !== 0 || /Sanitizer|runtime error/.test(server.said()))
            finding(`the server ended with ${status}:\n${server.said().slice(0, 6000)}`, cases, '');
    }
} catch (error) {
    await wait(1000); // for the report of a server that ends
    finding(`${error.stack}\n${server?.said().slice(0, 6000)}`, cases, '');
} finally {
    endAll();
    fs.rmSync(made.folder, { recursive: true });
}
console.log(`${cases} requests, ${findings} findings`);
process.exit(findings ? 1 : 0);
