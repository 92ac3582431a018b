#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Stochastic gradient steps: gradus on rows and pairs, scikit-learn on rows, alternating.

usage: bench/sgd/bench_sgd.py BUILD_FOLDER [TIMES [STEPS]]
Generates data like MQ2008 (9,630 rows of 46 values), like web search data (30,000 rows of 136)
and like 20 newsgroups (11,314 sparse rows with 130 of 60,000 values), and prints for each kind
of step the median processor time on one core, steps per second, and the ratio to a row of
scikit-learn's SGDRegressor on the first data set and on the same data set, alternating. Then
the bytes that a step touches, and bytes per second."""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse
import sklearn
from sklearn.linear_model import SGDRegressor

SETS = {"46 dense": (9630, 46, 46, 471), "136 dense": (30000, 136, 136, 300),
        "130 of 60,000": (11314, 60000, 130, 1)}
KINDS = [("46 dense", "squared", "0", "float"), ("46 dense", "squared", "0", "double"),
         ("46 dense", "logistic", "0", "float"), ("46 dense", "hinge", "0", "float"),
         ("46 dense", "squared", "1", "float"), ("46 dense", "logistic", "1", "float"),
         ("136 dense", "squared", "0", "float"), ("136 dense", "squared", "1", "float"),
         ("130 of 60,000", "squared", "0", "float"), ("130 of 60,000", "squared", "1", "float")]


def write_set(folder, name):
    rows, features, entries, queries = SETS[name]
    random = np.random.default_rng(1)
    text, path = os.path.join(folder, "set.txt"), os.path.join(folder, name.replace(" ", "-"))
    labels = random.choice(3, rows, p=[0.8, 0.13, 0.07])
    with open(text, "w") as file:
        for r in range(rows):
            if entries == features:
                columns, values = range(1, features + 1), random.uniform(0.01, 1, features)
            else:  # words by Zipf's law
                words = np.unique((features ** random.uniform(0, 1, 2 * entries)).astype(int))
                columns = np.sort(random.choice(words, min(entries, len(words)), replace=False))
                values = random.uniform(0.01, 0.3, len(columns))
            row = " ".join(f"{c}:{v:.5f}" for c, v in zip(columns, values))
            file.write(f"{labels[r]} qid:{r * queries // rows} {row}\n")
    subprocess.run([BUILD + "/gradus", "convert", text, path + ".gradus", "--features",
                    str(features)], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return path + ".gradus"


def read_set(name):
    """Returns the same rows for scikit-learn, and the labels."""
    rows, features, entries, _ = SETS[name]
    random = np.random.default_rng(2)
    labels = random.choice(3, rows, p=[0.8, 0.13, 0.07]).astype(float)
    if entries == features:
        return random.uniform(0.01, 1, (rows, features)), labels
    columns = np.concatenate([np.sort(random.choice(np.unique(
        (features ** random.uniform(0, 1, 4 * entries)).astype(int)), entries, replace=False))
        for _ in range(rows)])
    return scipy.sparse.csr_matrix((random.uniform(0.01, 0.3, len(columns)), columns - 1,
                                    np.arange(rows + 1) * entries), (rows, features)), labels


def gradus_step(path, loss, alpha, precision):
    out = subprocess.run([BUILD + "/bench/bench_sgd", path, loss, alpha, precision, STEPS, "1"],
                         check=True, stdout=subprocess.PIPE).stdout
    return float(out)


def sklearn_step(values, labels):
    model = SGDRegressor(alpha=1e-3, max_iter=max(1, int(STEPS) // len(labels) // 3), tol=None)
    started = time.process_time()
    model.fit(values, labels)
    return 1e9 * (time.process_time() - started) / (model.max_iter * len(labels))


def main():
    theirs_of = {name: read_set(name) for name in SETS}
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: write_set(folder, name) for name in SETS}
        spent = {kind: [] for kind in KINDS}
        theirs = {name: [] for name in SETS}
        for _ in range(TIMES):
            for name in SETS:
                theirs[name].append(sklearn_step(*theirs_of[name]))
            for kind in KINDS:
                spent[kind].append(gradus_step(paths[kind[0]], *kind[1:]))
    others = {name: statistics.median(theirs[name]) for name in SETS}
    for name in SETS:
        print(f"scikit-learn {sklearn.__version__}, SGDRegressor, {name}: {others[name]:.0f} ns per row "
              f"(lowest {min(theirs[name]):.0f})")
    print(f"{'values':15}{'loss':10}{'step':6}{'weights':9}{'ns':>6}{'lowest':>8}"
          f"{'million/s':>11}{'/ sklearn 46':>13}{'/ sklearn':>11}{'bytes':>8}{'GB/s':>7}")
    for kind in KINDS:
        name, loss, alpha, precision = kind
        median = statistics.median(spent[kind])
        rows = 1 if alpha == "1" else 2
        entries = SETS[name][2]
        # values of the rows (and their columns), and weights, read twice and written once
        size = 4 if precision == "float" else 8
        dense = SETS[name][1] == entries
        touched = rows * entries * (4 if dense else 8) + (1 if dense else rows) * entries * 3 * size
        print(f"{name:15}{loss:10}{'row' if rows == 1 else 'pair':6}{precision:9}{median:6.0f}"
              f"{min(spent[kind]):8.0f}{1e3 / median:11.2f}{median / others['46 dense']:13.2f}"
              f"{median / others[name]:11.2f}{touched:8d}"
              f"{touched / median:7.1f}")


if __name__ == "__main__":
    BUILD = sys.argv[1]
    TIMES = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    STEPS = sys.argv[3] if len(sys.argv) > 3 else "2000000"
    main()
