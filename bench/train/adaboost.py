#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""AdaBoost.MH against scikit-learn's AdaBoostClassifier (SAMME): equal rounds, trees of as many
leaves, in turn. Log loss of held-out rows, and seconds of the rounds.

usage: bench/train/adaboost.py BUILD FOLDER [--rounds N] [--leaves N] [--times N] [--markdown]

The data are made by gradus synth mcrank in the size of MQ2007: 1,698 queries of 41 rows, 46 features, 3
grades, and a third as many to hold out. Both sides weigh rows of grade g by 2^g at the start. SAMME
has trees by the Gini index and votes of classes; its probabilities are those of predict_proba. Those of
gradus are shown as they are and after 'gradus calibrate --how ls' on 20% of the queries, which
training did not see."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tables import table  # noqa: E402

SHARED = ["--documents", "41", "--features", "46", "--grade-fractions", "75,20,5"]
SKLEARN = """
import sys, time
import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeClassifier
train, test, rounds, leaves = sys.argv[1:5]
x, y = load_svmlight_file(train)
held, truth = load_svmlight_file(test, n_features=x.shape[1])
x, held = x.toarray().astype(np.float32), held.toarray().astype(np.float32)
model = AdaBoostClassifier(DecisionTreeClassifier(max_leaf_nodes=int(leaves)), algorithm="SAMME",
                           n_estimators=int(rounds), random_state=1)
start = time.perf_counter()
model.fit(x, y, sample_weight=2.0 ** y)
seconds = time.perf_counter() - start
print(seconds, log_loss(truth, model.predict_proba(held)), len(model.estimators_))
"""

words = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("build")
words.add_argument("folder")
words.add_argument("--rounds", type=int, default=100)
words.add_argument("--leaves", type=int, default=30)
words.add_argument("--queries", type=int, default=1698)
words.add_argument("--times", type=int, default=3)
words.add_argument("--threads", default="2")
words.add_argument("--markdown", action="store_true")
given = words.parse_args()
os.makedirs(given.folder, exist_ok=True)


def path(name):
    return os.path.join(given.folder, name)


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}\n{done.stderr}")
    return done.stdout


def gradus(*arguments):
    return run([os.path.join(given.build, "gradus"), *arguments, "--quiet", "--threads",
                given.threads])


def make():
    """Rows to learn from, to calibrate with (a fifth of all), and to hold out."""
    parts = (("learn", int(0.8 * given.queries), 1), ("calibrate", int(0.2 * given.queries), 100000),
             ("held", given.queries // 3, 200000))
    for name, queries, first in parts:
        if not os.path.exists(path(name + ".txt")):
            gradus("synth", "mcrank", *SHARED, "--queries", str(queries), "--first-query",
                   str(first), "-o", path(name + ".txt"))


def losses(*models):
    told = gradus("eval", path("held.txt"), *models, "--calibration", "--json")
    return [one["log_loss"] for one in json.loads(told)]


def by_gradus():
    told = gradus("train", "--method", "adaboost-mh", "--leaves", str(given.leaves), "--rounds",
                  str(given.rounds), "--train-eval-every", "0", "--train", path("learn.txt"), "-o",
                  path("raw.model"), "--json")
    done = json.loads(told.splitlines()[-1])
    return done["seconds"]["train"] + done["seconds"]["bin"]


def by_sklearn():
    told = run(["/usr/bin/python3", "-W", "ignore", "-c", SKLEARN, path("learn.txt"),
                path("held.txt"), str(given.rounds), str(given.leaves)]).split()
    return float(told[0]), float(told[1])


make()
ours, theirs, their_loss = [], [], None
for _ in range(given.times):
    ours.append(by_gradus())
    seconds, their_loss = by_sklearn()
    theirs.append(seconds)
gradus("calibrate", path("raw.model"), path("calibrate.txt"), "--how", "ls", "-o",
       path("better.model"))
raw, better = losses(path("raw.model"), path("better.model"))
rows = [["gradus adaboost-mh", f"{statistics.median(ours):.2f}", f"{raw:.4f}"],
        ["the same, calibrated", "", f"{better:.4f}"],
        ["scikit-learn SAMME", f"{statistics.median(theirs):.2f}", f"{their_loss:.4f}"]]
print(f"{given.rounds} rounds of {given.leaves} leaves, median of {given.times}")
table(["", "seconds", "log loss, held out"], rows, given.markdown)
