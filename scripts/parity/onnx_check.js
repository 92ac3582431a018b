// SPDX-License-Identifier: Apache-2.0
// Compares exported models in ONNX Runtime with the scores of gradus; scripts/parity/onnx.sh runs it.
//
//   node onnx_check.js rows FOLDER DATA      writes FOLDER/NAME.rows for each FOLDER/NAME.5.onnx
//   node onnx_check.js compare FOLDER NAMES  compares NAME.5.onnx and NAME.3.onnx with NAME.scores and
//                                            NAME.probabilities, and prints a table
//
// NAMES is a file with a line "NAME exact" or "NAME near" per model. Status 1: a difference is too large.
// The module onnxruntime-node is found by NODE_PATH.
'use strict';

const fs = require('fs');
const path = require('path');

// The fields of a protobuf message: number -> list of contents (a number, or bytes).
function fields(bytes) {
    const found = new Map();
    let at = 0;
    const varint = () => {
        let number = 0n;
        for (let shift = 0n; ; shift += 7n) {
            const byte = bytes[at++];
            number |= BigInt(byte & 127) << shift;
            if (byte < 128) return number;
        }
    };
    while (at < bytes.length) {
        const key = Number(varint());
        let content = varint();
        if (key % 8 === 2) {
            const end = at + Number(content);
            content = bytes.subarray(at, end);
            at = end;
        } else if (key % 8 !== 0) {
            throw new Error('wire type ' + (key % 8));
        }
        const number = key >> 3;
        if (!found.has(number)) found.set(number, []);
        found.get(number).push(content);
    }
    return found;
}

const first = (message, number) => (message.get(number) || [undefined])[0];
const text = (bytes) => Buffer.from(bytes || []).toString('utf8');

function packed(bytes) {
    const numbers = [];
    let number = 0n, shift = 0n;
    for (const byte of bytes) {
        number |= BigInt(byte & 127) << shift;
        shift += 7n;
        if (byte < 128) {
            numbers.push(Number(number));
            number = shift = 0n;
        }
    }
    return numbers;
}

// Feature and threshold of every split of the trees that read the features themselves.
function thresholds(file) {
    const graph = fields(first(fields(fs.readFileSync(file)), 7));
    const found = [];
    for (const bytes of graph.get(1) || []) {
        const node = fields(bytes);
        if (text(first(node, 4)) !== 'TreeEnsemble' || text(first(node, 1)) !== 'features_double') continue;
        let ids = [], values = [];
        for (const attribute of node.get(5).map(fields)) {
            const name = text(first(attribute, 1));
            if (name === 'nodes_featureids') ids = packed(first(attribute, 8));
            if (name === 'nodes_splits') {
                const raw = first(fields(first(attribute, 5)), 9);
                values = Array.from(new Float64Array(new Uint8Array(raw).buffer));
            }
        }
        ids.forEach((id, i) => found.push([id, values[i]]));
    }
    return found;
}

function featureCount(file) {
    const graph = fields(first(fields(fs.readFileSync(file)), 7));
    const shape = fields(first(fields(first(fields(first(fields(first(graph, 11)), 2)), 1)), 2));
    return Number(first(fields(shape.get(1)[1]), 1));
}

function readRows(file, count) {
    return fs.readFileSync(file, 'utf8').split('\n').filter((line) => line && line[0] !== '#')
        .map((line) => {
            const row = new Float32Array(count);
            for (const item of line.split(/\s+/).slice(2)) {
                const [id, value] = item.split(':');
                if (value !== undefined) row[id - 1] = value === 'nan' ? NaN : Number(value);
            }
            return row;
        });
}

// The float after value, in the direction of step.
function next(value, step) {
    const floats = new Float32Array([value]), bits = new Int32Array(floats.buffer);
    if (floats[0] === 0) return step * 1.401298464324817e-45;
    bits[0] += (floats[0] > 0) === (step > 0) ? 1 : -1;
    return Number.isFinite(floats[0]) ? floats[0] : value;
}

// A generator of pseudo-random numbers below n.
function generator() {
    let state = 12345;
    return (n) => {
        state = (Math.imul(state, 1103515245) + 12345) >>> 0;
        return Math.floor(state / 4294967296 * n);
    };
}

function probes(file, data) {
    const count = featureCount(file), splits = thresholds(file), below = generator();
    const known = readRows(data, count), rows = known.slice(0, 80).map((row) => row.slice());
    const like = () => known[below(known.length)].slice();
    for (let i = 0; i < 60 && splits.length > 0; i++) {
        const [feature, value] = splits[Math.floor(i * splits.length / 60)];
        if (!Number.isFinite(value)) continue;
        for (const probe of [value, next(value, -1), next(value, 1)]) {
            const row = like();
            row[feature] = probe;
            rows.push(row);
        }
    }
    for (let i = 0; i < 30; i++) {
        const row = like();
        for (let f = 0; f < count; f++) if (below(4) === 0) row[f] = NaN;
        rows.push(row);
    }
    for (const value of [NaN, 0, -0, 1, -1, 3.4e38, -3.4e38, 1e20, -1e20, 1e-40, -1e-40]) {
        rows.push(new Float32Array(count).fill(value));
        const row = like();
        row[below(count)] = value;
        rows.push(row);
    }
    return rows;
}

function show(value) {
    if (Number.isNaN(value)) return 'nan';
    return Object.is(value, -0) ? '-0' : String(value);
}

function writeRows(folder, data) {
    for (const file of fs.readdirSync(folder).filter((name) => name.endsWith('.5.onnx'))) {
        const lines = probes(path.join(folder, file), data).map((row) =>
            '0 qid:1 ' + Array.from(row, (value, f) => `${f + 1}:${show(value)}`).join(' '));
        fs.writeFileSync(path.join(folder, file.replace('.5.onnx', '.rows')), lines.join('\n') + '\n');
    }
}

function readNumbers(file) {
    if (!fs.existsSync(file)) return null;
    return fs.readFileSync(file, 'utf8').split('\n').filter((line) => line && line[0] !== '#')
        .flatMap((line) => line.split(/\s+/).map(Number));
}

// The difference relative to the expected value, or to `least` if that is larger.
function difference(expected, found, least) {
    if (expected === found || (Number.isNaN(expected) && Number.isNaN(found))) return 0;
    const apart = Math.abs(expected - found) / Math.max(Math.abs(expected), least);
    return Number.isNaN(apart) ? Infinity : apart;
}

function largest(expected, found, least) {
    if (expected.length !== found.length) return Infinity;
    return expected.reduce((worst, value, i) => Math.max(worst, difference(value, found[i], least)), 0);
}

// Scores near 0 of a model are compared relative to its median score: their own size says nothing about
// the numbers that they are a sum of.
function typical(scores) {
    const sizes = scores.map(Math.abs).sort((a, b) => a - b);
    return sizes[sizes.length >> 1];
}

async function run(session, ort, rows, begin, end) {
    const width = rows[0].length, values = new Float32Array((end - begin) * width);
    for (let r = begin; r < end; r++) values.set(rows[r], (r - begin) * width);
    return session.run({ features: new ort.Tensor('float32', values, [end - begin, width]) });
}

// Largest differences of scores and probabilities, with two threads, all rows at once and single rows.
async function compare(ort, folder, name, opset) {
    const file = path.join(folder, `${name}.${opset}.onnx`);
    const rows = readRows(path.join(folder, name + '.rows'), featureCount(file));
    const scores = readNumbers(path.join(folder, name + '.scores'));
    const probabilities = readNumbers(path.join(folder, name + '.probabilities'));
    const session = await ort.InferenceSession.create(file, { intraOpNumThreads: 2, logSeverityLevel: 3 });
    const all = await run(session, ort, rows, 0, rows.length), least = typical(scores);
    const result = { rows: rows.length, score: largest(scores, Array.from(all.score.data), least), classes: null };
    for (let r = 0; r < rows.length; r += 29) {
        const one = await run(session, ort, rows, r, r + 1);
        result.score = Math.max(result.score, difference(scores[r], one.score.data[0], least));
    }
    if (all.probabilities && probabilities)
        result.classes = largest(probabilities, Array.from(all.probabilities.data), 0);
    return result;
}

const cell = (value) => (value === null ? '-' : value === 0 ? '0' : value.toExponential(1)).padStart(9);

async function compareAll(folder, list) {
    const ort = require('onnxruntime-node');
    const limits = { 5: 1e-12, 3: 1e-5 };
    let wrong = 0;
    console.log(`onnxruntime-node ${require('onnxruntime-node/package.json').version}: ` +
        'largest relative difference of scores (p: of probabilities)');
    console.log('model                        rows  opset 5         p  opset 3         p');
    for (const line of fs.readFileSync(list, 'utf8').split('\n').filter(Boolean)) {
        const [name, kind] = line.split(' ');
        const new_ = await compare(ort, folder, name, 5), old = await compare(ort, folder, name, 3);
        const fits = new_.score <= (kind === 'exact' ? 0 : limits[5]) && !(new_.classes > limits[5]) &&
            old.score <= limits[3] && !(old.classes > limits[3]);
        wrong += !fits;
        console.log(name.padEnd(28) + String(new_.rows).padStart(5) + cell(new_.score) + ' ' +
            cell(new_.classes) + cell(old.score) + ' ' + cell(old.classes) + (fits ? '' : '  WRONG'));
    }
    return wrong;
}

async function main([command, folder, file]) {
    if (command === 'rows') return writeRows(folder, file);
    const wrong = await compareAll(folder, file);
    if (wrong > 0) throw new Error(`${wrong} models differ by more than is allowed`);
}

main(process.argv.slice(2)).catch((error) => {
    console.log(error.message);
    process.exit(1);
});
