#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares calibrations of gradus with scikit-learn's: Platt's sigmoid and isotonic regression of a
score, and AdaBoost.MH with its AdaBoostClassifier (SAMME) of as many rounds. One line a comparison,
with the largest difference found; fails above 1e-5 for the first two. The last line is a comparison
of held-out log loss and processor seconds, which differ by method and cannot fail.

usage: calibration.py BUILD_FOLDER"""
import math
import os
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    import sklearn
    from sklearn.calibration import _SigmoidCalibration
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.isotonic import IsotonicRegression
    from sklearn.tree import DecisionTreeClassifier
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

MOST = 1e-5
TOOL = f"scikit-learn {sklearn.__version__}"


def gradus(build, *words):
    return subprocess.run([os.path.join(build, "gradus"), *words], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def read(path):
    rows = [line.split() for line in open(path, encoding="ascii")]
    labels = numpy.array([int(row[0]) for row in rows])
    values = numpy.array([[float(word.split(":")[1]) for word in row[2:]] for row in rows])
    return labels, values


def numbers(text):
    return numpy.array([[float(word) for word in line.split()]
                        for line in text.splitlines() if not line.startswith("#")])


def compare(name, ours, theirs):
    worst = float(numpy.max(numpy.abs(ours - theirs)))
    print(f"{name:40} {worst:.2e}  {'ok' if worst <= MOST else 'DIFFERS'}")
    return worst <= MOST


def calibrated(build, how, data):
    gradus(build, "calibrate", "score.model", data, "--how", how, "-o", "better.model", "-q")
    return numbers(gradus(build, "score", "better.model", data, "--probabilities", "-q"))[:, 1]


def calibrations(build):
    """Two grades, so that a score has one probability."""
    gradus(build, "synth", "mcrank", "--queries", "60", "--grade-fractions", "70,30", "-o", "two.txt", "-q")
    gradus(build, "train", "--method", "lambdamart", "--train", "two.txt", "--rounds", "10",
           "-o", "score.model", "-q")
    scores = numbers(gradus(build, "score", "score.model", "two.txt", "-q"))[:, 0]
    labels, _ = read("two.txt")
    platt = _SigmoidCalibration().fit(scores, labels)
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(scores, labels)
    good = compare("platt: probabilities", calibrated(build, "platt", "two.txt"),
                   platt.predict(scores))
    return compare("isotonic: probabilities", calibrated(build, "isotonic", "two.txt"),
                   isotonic.predict(scores)) and good


def log_loss(labels, probabilities):
    right = probabilities[numpy.arange(len(labels)), labels]
    return -float(numpy.mean(numpy.log(numpy.maximum(right, 1e-15))))


def boosting(build, rounds=50, leaves=10):
    words = ["synth", "mcrank", "--queries", "100", "--grade-fractions", "60,30,10", "-q"]
    gradus(build, *words, "-o", "train.txt")
    gradus(build, *words, "--first-query", "1000", "-o", "test.txt")
    gradus(build, *words, "--first-query", "2000", "-o", "other.txt")
    labels, values = read("train.txt")
    test_labels, test_values = read("test.txt")
    started = os.times().children_user
    gradus(build, "train", "--method", "adaboost-mh", "--label-weights", "uniform", "--leaves",
           str(leaves), "--rounds", str(rounds), "--train-eval-every", "0", "--train", "train.txt",
           "--threads", "1", "-o", "votes.model", "-q")
    ours = os.times().children_user - started
    p = numbers(gradus(build, "score", "votes.model", "test.txt", "--probabilities", "-q"))
    gradus(build, "calibrate", "votes.model", "other.txt", "--how", "ls", "-o", "ls.model", "-q")
    better = numbers(gradus(build, "score", "ls.model", "test.txt", "--probabilities", "-q"))
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
    started = time.process_time()
    samme = AdaBoostClassifier(tree, n_estimators=rounds, algorithm="SAMME",
                               random_state=0).fit(values, labels)
    theirs = time.process_time() - started
    print(f"{rounds} rounds of {leaves} leaves, {len(labels)} rows: held-out log loss "
          f"{log_loss(test_labels, p):.4f}, calibrated {log_loss(test_labels, better):.4f} "
          f"({ours:.2f} s, reading and all), SAMME "
          f"{log_loss(test_labels, samme.predict_proba(test_values)):.4f} ({theirs:.2f} s); "
          f"the shares alone {entropy(labels, test_labels):.4f}")


def entropy(labels, test_labels):
    shares = numpy.bincount(labels) / len(labels)
    return -sum(math.log(shares[label]) for label in test_labels) / len(test_labels)


def main():
    build = os.path.abspath(sys.argv[1])
    print(TOOL)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        good = calibrations(build)
        boosting(build)
        os.chdir("/")
    sys.exit(0 if good else 1)


main()
