#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a call of predict costs in Python, and whether fit copies the data.

usage: bench/python/predict_overhead.py BUILD_FOLDER WORK_FOLDER [TIMES]

Scores 1, 100 and 100,000 rows with 100 trees of 31 leaves: Ranker.predict on a float32 array, the C
interface on the same rows (bench_predict), XGBoost's and scikit-learn's calls with models of the same
shape. One thread; all in turn, TIMES times (default 5); medians of calls. 100,000 rows are timed by CPU
time, which other programs disturb less. Models and data are kept in WORK_FOLDER. Then the peak memory of
fit from a float32 array, in a separate process."""
import os
import statistics
import subprocess
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
build, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path[:0] = [build + "/python", os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import numpy as np  # noqa: E402
from tables import table  # noqa: E402

import gradus  # noqa: E402

TREES, LEAVES, QUERIES = 100, 31, 950
MANY_ROWS = 10_000
CALLS = {1: 2000, 100: 500, 100_000: 3}
MEMORY_ROWS, FEATURES = 400_000, 136


def path(name):
    return os.path.join(folder, name)


def make_gradus():
    """The data, its arrays, and the model, as files for the C program."""
    gradus.set_threads(1)
    data = gradus.synth.web(queries=QUERIES)
    if not os.path.exists(path("predict.model")):
        data.write(path("predict.gradus"))
        gradus.Ranker("regression", rounds=TREES, leaves=LEAVES).fit(data).save(path("predict.model"))
    X = np.array(data.X)
    return gradus.Ranker.load(path("predict.model")), X, np.array(data.labels)


def make_xgboost(X, y):
    import xgboost
    made = xgboost.XGBRegressor(n_estimators=TREES, tree_method="hist", grow_policy="lossguide",
                                max_leaves=LEAVES, max_depth=0, n_jobs=1)
    made.fit(X[:20_000], y[:20_000])
    booster = made.get_booster()
    return {"XGBoost, `Booster.inplace_predict`": booster.inplace_predict,
            "XGBoost, `Booster.predict(DMatrix(X))`":
                lambda rows: booster.predict(xgboost.DMatrix(rows, nthread=1)),
            "XGBoost, `XGBRegressor.predict`": made.predict}


def make_sklearn(X, y):
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.linear_model import Ridge
    trees = HistGradientBoostingRegressor(max_iter=TREES, max_leaf_nodes=LEAVES, early_stopping=False)
    return {"scikit-learn, `HistGradientBoostingRegressor.predict`":
                trees.fit(X[:20_000], y[:20_000]).predict,
            "scikit-learn, `Ridge.predict` (no trees)": Ridge().fit(X[:20_000], y[:20_000]).predict}


def call_median(function, rows, calls):
    """Median time of a call in nanoseconds: of many rows CPU time, as bench_predict."""
    clock = time.process_time_ns if len(rows) >= MANY_ROWS else time.perf_counter_ns
    for _ in range(2):
        function(rows)
    taken = []
    for _ in range(calls):
        start = clock()
        function(rows)
        taken.append(clock() - start)
    return statistics.median(taken)


def run_c(rows):
    words = [build + "/bench/bench_predict", path("predict.model"), path("predict.gradus"), str(rows),
             str(CALLS[rows])]
    return float(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)


def shown(nanoseconds):
    return f"{nanoseconds / 1e3:.1f} us" if nanoseconds < 1e6 else f"{nanoseconds / 1e6:.1f} ms"


def measure(times):
    ranker, X, y = make_gradus()
    calls = {"gradus, `Ranker.predict`": ranker.predict, **make_xgboost(X, y), **make_sklearn(X, y)}
    found = {name: {n: [] for n in CALLS} for name in ["gradus, C interface", *calls]}
    for turn in range(times):
        for n, repeats in CALLS.items():
            found["gradus, C interface"][n].append(run_c(n))
            for name, function in calls.items():
                found[name][n].append(call_median(function, X[:n], repeats))
        print(f"  {turn + 1} of {times}", file=sys.stderr, flush=True)
    print(f"{TREES} trees of {LEAVES} leaves, {X.shape[1]} features, one thread, median of {times}")
    table(["", *[f"{n:,} row{'s' * (n > 1)}" for n in CALLS]],
          [[name, *[shown(statistics.median(several[n])) for n in CALLS]]
           for name, several in found.items()], markdown=True)


def memory_child():
    """Prints the megabytes of the array, and by how much the peak grows while fit runs."""
    def peak():
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024

    y = np.random.default_rng(1).integers(0, 5, MEMORY_ROWS).astype(np.float32)
    X = np.random.default_rng(2).random((MEMORY_ROWS, FEATURES), dtype=np.float32)
    qid = np.arange(MEMORY_ROWS) // 100
    before = peak()
    gradus.Ranker("lambdamart", rounds=3, leaves=15, threads=2).fit(X, y, qid=qid)
    print(X.nbytes / 2**20, peak() - before, X.size / 2**20)


def measure_memory():
    out = subprocess.run([sys.executable, __file__, build, folder, "memory"], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    size, grown, bins = map(float, out.split())
    print(f"fit from a float32 array of {MEMORY_ROWS:,} x {FEATURES} ({size:.0f} MiB): the peak grows by "
          f"{grown:.0f} MiB, of which {bins:.0f} MiB are the bins (one byte per value); a copy of the "
          f"array would add {size:.0f} MiB")


if sys.argv[3:] == ["memory"]:
    memory_child()
else:
    os.makedirs(folder, exist_ok=True)
    measure(int(sys.argv[3]) if len(sys.argv) > 3 else 5)
    measure_memory()
