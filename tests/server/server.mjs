// SPDX-License-Identifier: Apache-2.0
// Starts `gradus serve` and sends requests to it, for the tests of this folder.
import { spawn, execFileSync } from 'node:child_process';
import http from 'node:http';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const gradus = process.env.GRADUS;

export function run(...words) {
    return execFileSync(gradus, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

// A folder with small data and models, made once per test file.
export function makeModels() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gradus-serve-'));
    const file = (name) => path.join(folder, name);

    run('synth', 'web', '--queries', '8', '-o', file('data.txt'), '-q');
    run('train', '--train', file('data.txt'), '--rounds', '20', '-o', file('web.model'), '-q');
    run('train', '--train', file('data.txt'), '--rounds', '7', '-o', file('short.model'), '-q');
    run('train', '--train', file('data.txt'), '--method', 'mcrank', '--rounds', '4', '-o', file('grades.model'), '-q');
    return { folder, file, rows: readRows(file('data.txt')) };
}

// Rows of LETOR text: { query, features (136 numbers) }, numbers as written.
function readRows(file) {
    return fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => {
        const [, query, ...pairs] = line.split('#')[0].trim().split(' ');
        const features = new Array(136).fill(0);
        for (const pair of pairs) {
            const [id, value] = pair.split(':');
            features[id - 1] = Number(value);
        }
        return { query: query.slice(4), features };
    });
}

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

// Ends the servers that a failed test left running.
export function endAll() {
    running.forEach((child) => child.kill('SIGKILL'));
}

// Starts a server on a free port; `stop` ends it and returns its exit status.
export async function serve(words, { stdout = [] } = {}) {
    const child = spawn(gradus, ['serve', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    const said = [];
    running.add(child);
    const ended = new Promise((resolve) => child.on('exit', (code, signal) => {
        running.delete(child);
        resolve(signal ?? code);
    }));
    child.stderr.on('data', (bytes) => said.push(bytes));
    const url = await new Promise((resolve, reject) => {
        let text = '';
        child.stdout.on('data', (bytes) => {
            stdout.push(bytes);
            text += bytes;
            const found = text.match(/listening on (\S+)\n/);
            if (found) resolve(found[1]);
        });
        ended.then((code) => reject(new Error(`gradus serve ended with ${code}: ${Buffer.concat(said)}`)));
    });
    return {
        url,
        child,
        ended,
        said: () => Buffer.concat(said).toString(),
        stop(signal = 'SIGTERM') {
            child.kill(signal);
            return ended;
        },
    };
}

// Sends a request; the answer has status, headers, body (a Buffer) and json.
export function request(url, { method, body, headers = {}, agent, slow = 0 } = {}) {
    const bytes = body === undefined ? undefined
        : Buffer.isBuffer(body) || typeof body === 'string' ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
    const options = {
        method: method ?? (bytes ? 'POST' : 'GET'),
        headers: { ...(bytes ? { 'Content-Type': 'application/json', 'Content-Length': bytes.length } : {}), ...headers },
        agent,
    };
    const unix = url.match(/^unix:([^|]*)\|(.*)$/); // unix:SOCKET|/path
    return new Promise((resolve, reject) => {
        const sent = unix ? http.request({ ...options, socketPath: unix[1], path: unix[2] }, take)
            : http.request(url, options, take);
        function take(answer) {
            const parts = [];
            answer.on('data', (part) => parts.push(part));
            answer.on('end', () => {
                const all = Buffer.concat(parts);
                const json = /json/.test(answer.headers['content-type'] ?? '') && !answer.headers['inference-header-content-length']
                    ? JSON.parse(all) : undefined;
                resolve({ status: answer.statusCode, headers: answer.headers, body: all, json });
            });
            answer.on('error', reject);
        }
        sent.on('error', reject);
        if (!slow) {
            sent.end(bytes);
            return;
        }
        sent.write(bytes.subarray(0, 10));
        setTimeout(() => sent.end(bytes.subarray(10)), slow);
    });
}
