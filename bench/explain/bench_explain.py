#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Explaining with trees: gradus and XGBoost's pred_contribs alternating, with the same model (exported
by gradus), rows and threads, approximate mode off.

usage: bench/explain/bench_explain.py BUILD_FOLDER WORK_FOLDER [TIMES] [ROWS] [THREADS]

Trains a gradus model of 1,000 trees of 64 leaves on a small synthetic data set, kept in WORK_FOLDER,
and explains ROWS rows of another. Prints microseconds per row (medians of processor time, of all
threads together), their ratio, the largest difference, and the time of a single row."""
import os
import statistics
import subprocess
import sys
import time

import numpy
import xgboost

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tables import table  # noqa: E402

build, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
times = int(sys.argv[3]) if len(sys.argv) > 3 else 3
ROWS = int(sys.argv[4]) if len(sys.argv) > 4 else 1000
THREADS = int(sys.argv[5]) if len(sys.argv) > 5 else 1
TREES, LEAVES = 1000, 64


def path(name):
    return os.path.join(folder, name)


def once(name, *words):
    """Runs a command unless its output exists."""
    if not os.path.exists(path(name)):
        subprocess.run([build + "/gradus", *words], check=True, stdout=subprocess.DEVNULL)
    return path(name)


def main():
    train = once("explain-train.gradus", "synth", "web", "--queries", "200", "--quiet", "-o",
                 path("explain-train.gradus"))
    data = once("explain-data.gradus", "synth", "web", "--queries", "20", "--seed", "2", "--quiet",
                "-o", path("explain-data.gradus"))
    model = once("explain.model", "train", "--method", "regression", "--train", train, "--rounds",
                 str(TREES), "--leaves", str(LEAVES), "--min-rows", "5", "--quiet", "-o",
                 path("explain.model"))
    exported = once("explain.json", "export", model, "--format", "xgboost-json", "--no-parity", "-o",
                    path("explain.json"))
    prefix = path("explain-data")
    if not os.path.exists(prefix + ".q.npy"):
        subprocess.run([build + "/bench/bench_dump", data, prefix], check=True)
    rows = numpy.load(prefix + ".x.npy")[:ROWS]
    booster = xgboost.Booster({"nthread": THREADS})
    booster.load_model(exported)
    booster.set_param({"nthread": THREADS})
    matrix = xgboost.DMatrix(rows, nthread=THREADS)
    ours, theirs, single = [], [], []
    for _ in range(times):
        out = subprocess.run([build + "/bench/bench_explain", model, data, str(ROWS), str(THREADS),
                              "3", path("explain.out")], check=True, stdout=subprocess.PIPE,
                             text=True).stdout.split()
        ours.append(statistics.median(float(word) for word in out[:3]))
        single.append([float(word) for word in out[3:]])
        start = time.process_time()
        wanted = booster.predict(matrix, pred_contribs=True, validate_features=False)
        theirs.append((time.process_time() - start) * 1e6 / len(rows))
    found = numpy.fromfile(path("explain.out")).reshape(len(rows), -1)
    worst = numpy.abs(found - wanted).max() / numpy.abs(wanted[:, :-1]).max()
    ratio = statistics.median(b / a for a, b in zip(ours, theirs))
    table(["us per row", "gradus", "XGBoost", "gradus is"],
          [[f"batch of {len(rows)}, {THREADS} thread(s)", f"{statistics.median(ours):.1f}",
            f"{statistics.median(theirs):.1f}", f"{ratio:.1f} times as fast"],
           ["one row, median", f"{min(s[0] for s in single):.1f}", "", ""],
           ["one row, 99th percentile", f"{min(s[1] for s in single):.1f}", "", ""],
           ["preparing the model", f"{min(s[2] for s in single):.1f}", "", ""]])
    print(f"largest difference, relative to the largest contribution: {worst:.1e}")


main()
