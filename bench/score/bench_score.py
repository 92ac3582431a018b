#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Scoring with trees: gradus and XGBoost alternating, on one thread, with models of equal shape.

usage: bench/score/bench_score.py BUILD_FOLDER WORK_FOLDER [TIMES] [MODEL DATA]

Trains a gradus model of 1,000 trees of 64 leaves on a small synthetic data set and an XGBoost
model of the same shape on the same rows, both kept in WORK_FOLDER, and scores another data set.
With MODEL and DATA (dense, with the model's features, one output) these are scored instead.
Prints nanoseconds per tree and row (medians of processor time) and their ratio, and the time of
a single row."""
import json
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
times = int(sys.argv[3]) if len(sys.argv) > 3 else 5
TREES, LEAVES, SINGLE_ROWS = 1000, 64, 2000


def path(name):
    return os.path.join(folder, name)


def once(name, *words):
    """Runs a command unless its output exists."""
    if not os.path.exists(path(name)):
        subprocess.run([build + "/" + words[0], *words[1:]], check=True, stdout=subprocess.DEVNULL)
    return path(name)


def make_gradus():
    if len(sys.argv) > 5:
        return os.path.abspath(sys.argv[4]), os.path.abspath(sys.argv[5])
    train = once("score-train.gradus", "gradus", "synth", "web", "--queries", "200", "--quiet", "-o",
                 path("score-train.gradus"))
    data = once("score-data.gradus", "gradus", "synth", "web", "--queries", "800", "--seed", "2",
                "--quiet", "-o", path("score-data.gradus"))
    model = once("score.model", "gradus", "train", "--method", "regression", "--train", train,
                 "--rounds", str(TREES), "--leaves", str(LEAVES), "--min-rows", "5", "--quiet", "-o",
                 path("score.model"))
    return model, data


def arrays(data):
    prefix = path("score-" + os.path.basename(data))
    if not os.path.exists(prefix + ".q.npy"):
        subprocess.run([build + "/bench/bench_dump", data, prefix], check=True)
    return numpy.load(prefix + ".x.npy"), numpy.load(prefix + ".y.npy")


def make_xgboost(rows, labels):
    """Small steps on large labels, so that all trees have something to split. Also returns the
    leaves."""
    if not os.path.exists(path("score.xgb.json")):
        made = xgboost.train({"objective": "reg:squarederror", "tree_method": "hist", "eta": 0.02,
                              "grow_policy": "lossguide", "max_leaves": LEAVES, "max_depth": 0,
                              "max_bin": 255, "nthread": 1},
                             xgboost.DMatrix(rows[:4000], labels[:4000] * 1e4), TREES)
        made.save_model(path("score.xgb.json"))
    booster = xgboost.Booster({"nthread": 1})
    booster.load_model(path("score.xgb.json"))
    booster.set_param({"nthread": 1})
    with open(path("score.xgb.json")) as file:
        trees = json.load(file)["learner"]["gradient_booster"]["model"]["trees"]
    return booster, sum(int(tree["tree_param"]["num_nodes"]) + 1 for tree in trees) // 2


def run_gradus(model, data):
    """Returns ns per row: in batches, and the median and 99th percentile of single rows."""
    out = subprocess.run([build + "/bench/bench_score", model, data, "3"], check=True,
                         stdout=subprocess.PIPE, text=True).stdout.split()
    return [statistics.median(float(word) for word in out[:3]), float(out[3]), float(out[4])]


def run_xgboost(booster, rows):
    start = time.process_time()
    booster.inplace_predict(rows)
    batch = (time.process_time() - start) * 1e9 / len(rows)
    taken = []
    for r in range(SINGLE_ROWS):
        row = rows[r:r + 1]
        start = time.thread_time_ns()
        booster.inplace_predict(row)
        taken.append(time.thread_time_ns() - start)
    taken.sort()
    return [batch, taken[SINGLE_ROWS // 2], taken[SINGLE_ROWS * 99 // 100]]


os.makedirs(folder, exist_ok=True)
model, data = make_gradus()
rows, labels = arrays(data)
booster, leaves = make_xgboost(rows, labels)
found = {"gradus": [], "XGBoost": []}
for turn in range(times):
    found["gradus"].append(run_gradus(model, data))
    found["XGBoost"].append(run_xgboost(booster, rows))
    print(f"  {turn + 1} of {times}", file=sys.stderr, flush=True)

middle = {name: [statistics.median(column) for column in zip(*several)]
          for name, several in found.items()}
print(f"{len(rows)} rows of {rows.shape[1]} features, {TREES} trees of {LEAVES} leaves, one thread, "
      f"median of {times}; XGBoost's have {leaves / TREES:.1f} leaves")
table(["", "ns per tree and row", "gradus is", "one row, p50 us", "p99 us", "p50 / batch"],
      [[name, f"{batch / TREES:.2f}", f"{batch / middle['gradus'][0]:.2f} times as fast",
        f"{p50 / 1e3:.2f}", f"{p99 / 1e3:.2f}", f"{p50 / batch:.2f}"]
       for name, (batch, p50, p99) in middle.items()])
