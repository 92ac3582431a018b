#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""One pass of RankNet and of LambdaRank over 500,000 rows of 50 features (50 rows per query)
with 10 hidden units, against an epoch of scikit-learn's MLPRegressor of the same size.

usage: bench/net/bench_net.py BUILD FOLDER [--times N] [--threads N] [--markdown]

Both use batches of 800 rows (16 queries) with Adam, tanh units, 32-bit rows in memory. Reported
is the time of two additional passes, which excludes reading and set-up. Runs alternate; values
are medians. FOLDER keeps the data; needs bench_dump."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tables import table  # noqa: E402

words = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("build")
words.add_argument("folder")
words.add_argument("--times", type=int, default=5)
words.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
words.add_argument("--markdown", action="store_true")
given = words.parse_args()
build, data = os.path.abspath(given.build), os.path.join(os.path.abspath(given.folder), "mcrank")
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(given.threads)
os.makedirs(given.folder, exist_ok=True)


def run(*given_words):
    done = subprocess.run(given_words, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(given_words)}")
    return done.stdout


def gradus(method, hidden=10):
    def seconds(rounds):
        told = run(build + "/gradus", "train", "--method", method, "--hidden", str(hidden), "--train",
                   data + ".gradus", "-o", data + ".model", "--rounds", str(rounds), "--quiet",
                   "--train-eval-every", "0", "--threads", str(given.threads), "--json")
        return json.loads(told.splitlines()[-1])["seconds"]["train"]
    return (seconds(3) - seconds(1)) / 2


def sklearn():
    def seconds(epochs):
        net = MLPRegressor((10,), activation="tanh", batch_size=800, max_iter=epochs, tol=0)
        start = time.perf_counter()
        net.fit(x, y)
        return time.perf_counter() - start
    return (seconds(3) - seconds(1)) / 2


if not os.path.exists(data + ".gradus"):
    run(build + "/gradus", "synth", "mcrank", "--quiet", "-o", data + ".gradus")
sides = {"ranknet": lambda: gradus("ranknet"), "lambdarank": lambda: gradus("lambdarank"),
         "listnet": lambda: gradus("listnet"), "netreg": lambda: gradus("netreg"),
         "ranknet, linear": lambda: gradus("ranknet", 0)}
try:
    import warnings

    import numpy as np
    from sklearn.neural_network import MLPRegressor
    if not os.path.exists(data + ".x.npy"):
        run(build + "/bench/bench_dump", data + ".gradus", data)
    warnings.simplefilter("ignore")
    x, y = np.load(data + ".x.npy"), np.load(data + ".y.npy").ravel()
    sides["MLPRegressor"] = sklearn
except ImportError as missing:
    print(f"skipped: scikit-learn: {missing}")
found = {name: [] for name in sides}
for turn in range(given.times):
    for name, side in sides.items():
        found[name].append(side())
        print(f"  {turn + 1} of {given.times}: {name}", file=sys.stderr, flush=True)
middle = {name: statistics.median(times) for name, times in found.items()}
rival = middle.get("MLPRegressor")
table(["", "seconds a pass", "times as fast"],
      [[name, f"{seconds:.3f}", f"{rival / seconds:.1f}" if rival else ""]
       for name, seconds in middle.items()], given.markdown)
