#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares combined regression and ranking with minimisers that scipy finds.

The objective alpha L(rows) + (1 - alpha) L(pairs) + lambda/2 |w|^2 is written out over all pairs of
a small set and minimised by L-BFGS (squared and logistic loss); gradus must come as near to it as
its number of steps allows, nearer with more steps, and its objective must be within a hair.

usage: sgd.py BUILD_FOLDER"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import scipy
    from scipy.optimize import minimize
except ImportError as missing:
    print(f"skipped: scipy: {missing}")
    sys.exit(77)

GRADUS = os.path.join(os.path.abspath(sys.argv[1]), "gradus")
QUERIES, PER_QUERY, FEATURES, LAMBDA = 30, 12, 8, 0.01


def make_data(path, grades):
    random = np.random.default_rng(5)
    rows = random.uniform(-1, 1, (QUERIES * PER_QUERY, FEATURES)).astype(np.float32)
    score = rows @ random.normal(size=FEATURES) + 0.7 * random.normal(size=len(rows))
    cuts = np.quantile(score, np.linspace(0, 1, grades + 1)[1:-1])
    labels = np.searchsorted(cuts, score)
    with open(path, "w") as file:
        for i, row in enumerate(rows):
            values = " ".join(f"{f + 1}:{value!r}" for f, value in enumerate(row.tolist()))
            file.write(f"{labels[i]} qid:{i // PER_QUERY} {values}\n")
    return rows.astype(float), labels.astype(float)


def differences(rows, labels):
    pairs, targets = [], []
    for q in range(QUERIES):
        mine = range(q * PER_QUERY, (q + 1) * PER_QUERY)
        for a in mine:
            for b in mine:
                if a > b and labels[a] != labels[b]:
                    pairs.append(rows[a] - rows[b])
                    targets.append(labels[a] - labels[b])
    return np.array(pairs), np.array(targets)


def mean_loss(loss, z, target):
    """The mean loss, and its derivatives by z over the number of rows."""
    if loss == "squared":
        return np.mean((target - z) ** 2) / 2, (z - target) / len(z)
    return np.mean(np.logaddexp(0, z) - target * z), (1 / (1 + np.exp(-z)) - target) / len(z)


def objective(w, loss, alpha, rows, labels, pairs, targets):
    high = labels.max() if loss == "logistic" else 1.0
    y, t = labels / high, targets / high
    t = (1 + t) / 2 if loss == "logistic" else t
    single, by_row = mean_loss(loss, rows @ w[:-1] + w[-1], y)
    double, by_pair = mean_loss(loss, pairs @ w[:-1], t)
    gradient = LAMBDA * w
    gradient[:-1] += alpha * rows.T @ by_row + (1 - alpha) * pairs.T @ by_pair
    gradient[-1] += alpha * by_row.sum()
    return alpha * single + (1 - alpha) * double + LAMBDA / 2 * w @ w, gradient


def trained(path, loss, alpha, steps):
    model = path + ".model"
    subprocess.run([GRADUS, "train", "--method", "crr", "--step-rule", "pegasos", "--keep", "last",
                    "--transform", "none", "--loss", loss, "--alpha", str(alpha),
                    "--lambda", str(LAMBDA), "--steps", str(steps), "--average", "--precision",
                    "double", "--train", path, "-o", model, "--quiet"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    shown = json.loads(subprocess.run([GRADUS, "show", model, "--json"], check=True,
                                      stdout=subprocess.PIPE).stdout)
    line = shown["linear"][0]
    return np.array(line["coefficients"] + [line["intercept"]])


def main():
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for loss, grades in (("squared", 3), ("logistic", 2), ("logistic", 4)):
            path = os.path.join(folder, f"{loss}{grades}.txt")
            rows, labels = make_data(path, grades)
            pairs, targets = differences(rows, labels)
            for alpha in (0.0, 0.5, 1.0):
                data = (loss, alpha, rows, labels, pairs, targets)
                best = minimize(objective, np.zeros(FEATURES + 1), data, jac=True,
                                method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10})
                off = []
                for steps in (20000, 2000000):
                    w = trained(path, loss, alpha, steps)
                    off.append(np.linalg.norm(w - best.x) / np.linalg.norm(best.x))
                excess = objective(w, *data)[0] - best.fun
                good = off[1] < 0.01 and off[1] < off[0] / 2 and excess < 1e-4
                failed |= not good
                print(f"{'' if good else 'DIFFERENT: '}scipy {scipy.__version__}, {loss} loss, "
                      f"{grades} grades, alpha {alpha}: {FEATURES + 1} weights, off by "
                      f"{off[0]:.2g} after 20,000 steps, {off[1]:.2g} after 2,000,000; objective "
                      f"{excess:.1e} above {best.fun:.6f}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
