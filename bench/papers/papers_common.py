# SPDX-License-Identifier: Apache-2.0
"""Shared by quality.py and other scripts: the command, LETOR's folds, and tables."""
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tables import table  # noqa: E402, F401 (for the scripts)

LETOR = {"mq2008": "MQ2008", "ohsumed": "OHSUMED", "mq2007-partial": "MQ2007 (partial)"}


class Gradus:
    """The command of a build folder; its output files go to a folder."""

    def __init__(self, build, folder, threads=0):
        self.command, self.folder = os.path.join(os.path.abspath(build), "gradus"), folder
        self.threads = threads
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words):
        words = [self.command, *words, "--quiet", "--threads", str(self.threads)]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"failed: {' '.join(words)}\n{done.stderr}")
        return done.stdout

    def convert(self, text, name):
        file = self.path(name + ".gradus")
        if not os.path.exists(file):
            self.run("convert", text, file)
        return file

    def train(self, model, train, valid=None, **options):
        """Trains, and returns the last event and the seconds it took."""
        words = ["train", "--train", train, "-o", model, *as_words(options)]
        start = time.perf_counter()
        lines = self.run(*words, *(["--valid", valid] if valid else []), "--json").splitlines()
        return {**json.loads(lines[-1]), "wall_seconds": time.perf_counter() - start}

    def score(self, model, data, file, **options):
        self.run("score", model, data, "-o", file, *as_words(options))
        return file

    def by_query(self, data, scores, metric):
        """Returns the values of the queries that have one, in order."""
        file = scores + ".by-query"
        self.run("eval", data, scores, "--metric", metric, "--per-query", file)
        with open(file) as lines:
            words = [line.split("\t") for line in lines]
        os.remove(file)
        return {name: float(value) for name, value, *_ in words[1:]
                if value.strip() not in ("", "nan", "NaN")}


def as_words(options):
    """Converts keyword arguments to options: a_b=3 is --a-b 3, a_b=True is --a-b."""
    words = []
    for name, value in options.items():
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return words


def make_folds(gradus, data, name):
    """Converts LETOR's five folds to binary and concatenates the test parts: returns [(train,
    valid, test)], tests; None if the data are missing."""
    if not os.path.exists(os.path.join(data, name, "S1.txt.gz")):
        print(f"skipped: {LETOR[name]}: no {os.path.join(data, name)}")
        return None
    folder = gradus.path(name)
    tests = os.path.join(folder, "tests.txt")
    if not os.path.exists(tests):
        subprocess.run(["sh", os.path.join(data, "folds.sh"), name, folder], check=True)
        with open(tests + ".part", "wb") as out:
            for fold in range(1, 6):
                with open(f"{folder}/Fold{fold}/test.txt", "rb") as part:
                    out.write(part.read())
        os.rename(tests + ".part", tests)
    folds = [[gradus.convert(f"{folder}/Fold{fold}/{part}.txt", f"{name}/{part}{fold}")
              for part in ("train", "vali", "test")] for fold in range(1, 6)]
    return folds, gradus.convert(tests, f"{name}/tests")


def join(files, out):
    """Concatenates the score files of the folds to one for all test parts."""
    with open(out, "w") as whole:
        for file in files:
            with open(file) as part:
                whole.write(part.read())
    return out


def in_parallel(work, items, workers=None):
    """Runs work(item) for each item on all processors; returns the results in order."""
    with ThreadPoolExecutor(workers or len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(work, items))
