#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/exchange/exchange_table.py BUILD [WORK]

The table of docs/results/exchange.md: trains every method with its default settings (query normalisation is
replaced by minmax), exports the model to every format, runs the consumer on the rows of the parity file and
prints the largest |difference| / max(1, |score|). Consumers: XGBoost and LightGBM (scripts/lightgbm.sh),
ONNX Runtime (installed by scripts/parity/onnx.sh), gcc, node, the Python programs in the parity files of
xgboost-dump and solr, that of json or tests/cli/json_scores.js ("written": neither reads this model), and `gradus
import` for ranklib. The last column exports, imports and compares
the scores again: "same" is every bit."""
import csv
import os
import re
import subprocess
import sys
import tempfile

import numpy

FORMATS = ("xgboost-json", "xgboost-ubj", "xgboost-dump", "lightgbm", "ranklib", "solr", "onnx", "c", "javascript", "json")
IMPORTED = ("xgboost-json", "xgboost-ubj", "lightgbm", "ranklib")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "gradus")
ONNX = """const fs = require('fs'), ort = require('onnxruntime-node');
const [head, ...rows] = fs.readFileSync('m.onnx.parity.csv', 'utf8').split('\\n').filter(l => l && l[0] !== '#').map(l => l.split(','));
const width = head.length - 1, values = Float32Array.from(rows.flatMap(r => r.slice(1).map(Number)));
ort.InferenceSession.create('m.onnx').then(s => s.run({ features: new ort.Tensor('float32', values, [rows.length, width]) }))
    .then(({ score }) => { const gaps = rows.map((r, i) => Math.abs(score.data[i] - r[0]) / Math.max(1, Math.abs(r[0])));
        console.log('largest difference:', Math.max(...gaps)); });
"""


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def methods(gradus):
    names = re.findall(r"^  ([a-z][a-z0-9-]*) ", run([gradus, "help", "methods"]).stdout, re.M)
    return [n for n in names if n not in ("feature", "random")]


def check_program(path):
    with open(path) as lines:
        return "".join(line[4:] for line in lines if line.startswith("#   "))


def parity_rows(path):
    with open(path) as lines:
        head, *rows = csv.reader(line for line in lines if line[0] != "#")
    return [int(h) for h in head[1:]], numpy.array([[float(v) for v in r] for r in rows])


def by_import(gradus, file, work):
    """The scores of an exported file that gradus reads again, on the rows of its parity file."""
    columns, rows = parity_rows(os.path.join(work, file + ".parity.csv"))
    with open(os.path.join(work, "rows.csv"), "w") as out:
        out.write("label,qid," + ",".join("f%d" % (c + 1) for c in columns) + "\n")
        for row in rows:
            out.write("0,1," + ",".join("" if numpy.isnan(v) else repr(v) for v in row[1:]) + "\n")
    scored = run([gradus, "score", file, "rows.csv", "-o", "scores.txt", "-q"], cwd=work)
    if scored.returncode:
        return scored.stderr.strip()
    found = numpy.loadtxt(os.path.join(work, "scores.txt"))
    return numpy.max(numpy.abs(found - rows[:, 0]) / numpy.maximum(1, numpy.abs(rows[:, 0])))


def consume(gradus, form, work):
    file = "m." + form
    if form == "ranklib":
        return by_import(gradus, file, work)
    if form == "onnx":
        done = run(["node", "-e", ONNX], cwd=work, env=dict(os.environ, NODE_PATH=os.path.join(CACHE, "onnxruntime/node_modules")))
    elif form == "c":
        with open(os.path.join(work, "check.c"), "w") as out:
            out.write(check_program(os.path.join(work, file + ".parity.csv")))
        built = run(["gcc", "-O3", "-march=native", "-ffp-contract=off", "check.c", "-o", "check", "-lm"], cwd=work)
        done = run(["./check"], cwd=work) if built.returncode == 0 else built
    else:
        program = check_program(os.path.join(work, file + ".parity.csv"))
        if form == "json" and not program:
            done = run(["node", os.path.join(ROOT, "tests/cli/json_scores.js"), file, file + ".parity.csv"], cwd=work)
            return float(done.stdout.split()[1]) if done.returncode == 0 else "written"
        paths = os.pathsep.join((os.path.join(CACHE, "lightgbm"), os.environ.get("PYTHONPATH", "")))
        done = run(["node", "-e", program] if form == "javascript" else [sys.executable, "-c", program], cwd=work,
                   env=dict(os.environ, PYTHONPATH=paths))
    found = re.search(r"difference:? ([-+.\dnaife]+)", done.stdout)
    if found:
        return float(found.group(1))
    found = re.search(r"(\d+) rows, (\d+) wrong", done.stdout)
    return 0.0 if found and found.group(2) == "0" and int(found.group(1)) > 0 else (done.stdout + done.stderr).strip()[-200:]


def cell(gradus, form, work):
    made = run([gradus, "export", "m.model", "--format", form, "-o", "m." + form, "-q"], cwd=work)
    if made.returncode:
        return "-"
    difference = consume(gradus, form, work)
    return difference if isinstance(difference, str) else "0" if difference == 0 else "%.0e" % difference


def round_trips(gradus, work):
    """Whether the scores of the imported exports equal the model's, bit by bit."""
    if not any(os.path.exists(os.path.join(work, "m." + f)) for f in IMPORTED):
        return "-"
    run([gradus, "score", "m.model", "test.txt", "-o", "own.txt", "-q"], cwd=work)
    with open(os.path.join(work, "own.txt")) as own:
        target = own.read()
    result = []
    for form in IMPORTED:
        if os.path.exists(os.path.join(work, "m." + form)):
            run([gradus, "score", "m." + form, "test.txt", "-o", "again.txt", "-q"], cwd=work)
            with open(os.path.join(work, "again.txt")) as again:
                text = again.read()
            if text != target:
                gap = max(abs(float(a) - float(b)) / max(1, abs(float(b))) for a, b in zip(text.split(), target.split()))
                result.append("%s %.0e" % (form, gap))
    return ", ".join(result) or "same"


def train(gradus, method, work):
    command = [gradus, "train", "--train", "train.txt", "--valid", "test.txt", "--method", method, "-q", "--threads", "1", "-o", "m.model"]
    run(command, cwd=work)
    shown = run([gradus, "show", "m.model", "--json"], cwd=work).stdout
    if re.search(r'"transform": ?"query"', shown):
        run(command + ["--transform", "minmax"], cwd=work)
        return " (minmax)"
    return ""


def main():
    gradus = os.path.join(os.path.abspath(sys.argv[1]), "gradus")
    run([os.path.join(ROOT, "scripts/lightgbm.sh")])
    if not os.path.exists(os.path.join(CACHE, "onnxruntime")):
        run(["bash", os.path.join(ROOT, "scripts/parity/onnx.sh"), sys.argv[1]])
    print("| method | %s | imported again |\n|---|%s---|" % (" | ".join(FORMATS), "---|" * len(FORMATS)))
    for method in methods(gradus):
        with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as work:
            for name, first, count in (("train", 1, 100), ("test", 101, 50)):
                run([gradus, "synth", "mcrank", "--queries", str(count), "--first-query", str(first), "-o", name + ".txt", "-q"],
                    cwd=work)
            note = train(gradus, method, work)
            cells = [cell(gradus, form, work) for form in FORMATS]
            print("| `%s`%s | %s | %s |" % (method, note, " | ".join(cells), round_trips(gradus, work)), flush=True)


if __name__ == "__main__":
    main()
