// SPDX-License-Identifier: Apache-2.0
// node json_scores.js MODEL.json PARITY.csv: scores the rows of a parity file with an exported model of one
// forest or linear node, by docs/formats alone, and prints the largest difference from the scores in the file,
// relative to max(1, |score|).
const fs = require("fs");
const [model, lines] = [JSON.parse(fs.readFileSync(process.argv[2], "utf8")),
    fs.readFileSync(process.argv[3], "utf8").split("\n").filter((line) => line && line[0] !== "#")];
if (model.format !== "gradus json" || model.version !== 1 || model.nodes.length !== 1)
    throw new Error("not a model of one node");
const node = model.nodes[0];
const arrays = node.arrays;

function transformed(x, f) {
    const { shift, unit } = model.arrays;

    if (!model.transform || !Number.isFinite(x))
        return x;
    return unit[f] === 0 ? 0 : Math.fround((x - shift[f]) / unit[f]);
}

function forest(row) {
    const { bases, starts, splits, leaves } = arrays;
    const outputs = bases.slice();

    for (let t = 0; t + 1 < starts.length; t++) {
        let next = starts[t] < starts[t + 1] ? 0 : -1;

        while (next >= 0) {
            const i = starts[t] + next;
            const x = row[splits.feature[i]];
            const left = Number.isNaN(x) ? splits.missing_left[i] === 1 : x < splits.threshold[i];

            next = left ? splits.left[i] : splits.right[i];
        }
        outputs[t % outputs.length] += leaves[starts[t] + t - 1 - next];
    }
    return outputs;
}

function linear(row) {
    const { means, bases, coefficients } = arrays;

    return bases.map((base, k) => {
        const lanes = new Array(8).fill(0);

        row.forEach((x, f) => {
            if (Number.isFinite(x))
                lanes[f % 8] += coefficients[k * row.length + f] * (x - means[f]);
        });
        const [a, b, c, d, e, f, g, h] = lanes;

        return base + (((a + e) + (c + g)) + ((b + f) + (d + h)));
    });
}

function score(outputs) {
    const { rule, meaning, grades } = model.scoring;

    if (rule === "output")
        return outputs[0];
    if (rule === "sum")
        return outputs.reduce((sum, x, k) => sum + x * (grades[k + 1] - grades[k]), 0);
    if (rule !== "expected-grade" || meaning !== "classes")
        throw new Error(`${meaning}, ${rule}`);
    const largest = Math.max(...outputs);
    const parts = outputs.map((x) => Math.exp(x - largest));
    const total = parts.reduce((sum, p) => sum + p, 0);

    return parts.reduce((sum, p, k) => sum + (p / total) * grades[k], 0);
}

const kinds = { forest, linear };
let largest = 0;
for (const line of lines.slice(1)) {
    const [expected, ...values] = line.split(",").map(Number); // Number("nan") is NaN
    const found = score(kinds[node.kind](values.map(transformed)));

    largest = Math.max(largest, Math.abs(found - expected) / Math.max(1, Math.abs(expected)));
    if (!(Number.isFinite(found) && Number.isFinite(expected)))
        largest = Infinity;
}
console.log(`${lines.length - 1} ${largest}`);
