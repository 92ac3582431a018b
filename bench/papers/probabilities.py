#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Quality of COCR's grade probabilities on held-out data, by cost, compared with a constant.

usage: bench/papers/probabilities.py BUILD FOLDER...

Each FOLDER has LETOR folds, FoldN/{train,vali,test}.txt; "web" means synthetic data with 1,500
queries for training and 300 for testing. Prints the Brier score, the sum over grades of (P - [y
= k])^2 averaged over all test rows, and the log loss with P at least .001: for the class
frequencies of the training data, for the probabilities recovered by default, and for those
solved without a prior (--repair pav)."""
import math
import os
import subprocess
import sys
import tempfile

COSTS = ("absolute", "squared", "oerr")


class Loss:
    def __init__(self):
        self.brier = self.log = 0.0
        self.rows = 0

    def add(self, shares, label):
        """shares: grade -> probability"""
        self.brier += sum((p - (grade == label)) ** 2 for grade, p in shares.items())
        self.log -= math.log(max(shares[label], 1e-3))
        self.rows += 1

    def __str__(self):
        return f"{self.brier / self.rows:.4f} | {self.log / self.rows:.4f}"


def labels_of(path):
    with open(path) as lines:
        return [int(float(line.split(None, 1)[0])) for line in lines if line.strip()]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def probabilities(gradus, model, data, repair):
    lines = run(gradus, "score", model, data, "--probabilities", "--repair", repair).splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return [[float(p) for p in row] for row in rows]


def measure(gradus, folder, parts, cost, losses):
    train, valid, test = parts
    model = os.path.join(folder, "cocr.model")
    run(gradus, "train", "--method", "cocr", "--cost", cost, "--train", train, "-o", model, "-q",
        *(("--valid", valid) if valid else ("--rounds", "100")))
    learned, labels = labels_of(train), labels_of(test)
    grades = sorted(set(learned))
    shares = {grade: learned.count(grade) / len(learned) for grade in grades}
    for label in labels:
        losses[0].add(shares, label)
    for loss, repair in ((losses[1], "usual"), (losses[2], "pav")):
        for label, p in zip(labels, probabilities(gradus, model, test, repair), strict=True):
            loss.add(dict(zip(grades, p, strict=True)), label)


def parts_of(gradus, name, folder):
    if name != "web":
        return [tuple(os.path.join(name, f"Fold{f}", part + ".txt")
                      for part in ("train", "vali", "test")) for f in range(1, 6)]
    files = [os.path.join(folder, part + ".txt") for part in ("train", "test")]
    run(gradus, "synth", "web", "--queries", "1500", "-o", files[0])
    run(gradus, "synth", "web", "--queries", "300", "--first-query", "100001", "-o", files[1])
    return [(files[0], None, files[1])]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    gradus = os.path.join(sys.argv[1], "gradus")
    print("| data, cost | constant | log loss | recovered | log loss | solved | log loss |")
    print("|---|---|---|---|---|---|---|")
    for name in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            parts = parts_of(gradus, name, folder)
            for cost in COSTS:
                losses = [Loss(), Loss(), Loss()]
                for part in parts:
                    measure(gradus, folder, part, cost, losses)
                title = os.path.basename(os.path.normpath(name))
                print(f"| {title}, {cost} |", " | ".join(map(str, losses)), "|", flush=True)


if __name__ == "__main__":
    main()
