#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Latency of scoring: gradus, and LightGBM's and XGBoost's C interfaces on the same trees.

usage: bench/score/latency.py BUILD_FOLDER WORK_FOLDER [--lightgbm LIBRARY] [--xgboost LIBRARY]
                              [--trees 300,1000] [--leaves 64] [--kernels native,avx2] [--python]
                              [--cpu]

Trains one model per number of trees on a small synthetic data set, exports it to the other
formats, and runs bench_latency, which checks that all give the same scores before it starts the
clock: requests of one document and of 100, and all documents of the data at once, on one thread.
'native' uses all instruction sets of the processor; other levels hide the newer ones from gradus
(not from the other libraries). --cpu measures processor time of the thread instead of wall time,
for busy machines. --python also times the Python calls of the modules lightgbm and
xgboost, if installed. Needs Python without further packages, gradus, bench_latency, and the
libraries given (lib_lightgbm.so, libxgboost.so)."""
import argparse
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tables import table  # noqa: E402

QUERY_ROWS, PYTHON_CALLS = 100, 2000
clock = time.thread_time_ns if "--cpu" in sys.argv else time.perf_counter_ns


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("--lightgbm")
    parser.add_argument("--xgboost")
    parser.add_argument("--trees", default="300,1000")
    parser.add_argument("--leaves", default="64")
    parser.add_argument("--kernels", default="native,avx2")
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--cpu", action="store_true")
    return parser.parse_args()


given = arguments()
build, folder = os.path.abspath(given.build), os.path.abspath(given.folder)


def made(name, *words):
    """The path of a file in the folder, made by a command of gradus if it does not exist."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        subprocess.run([build + "/gradus", *words, "-o", path], check=True,
                       stdout=subprocess.DEVNULL)
    return path


def make_models(trees):
    train = made("latency-train.gradus", "synth", "web", "--queries", "200", "--quiet")
    data = made("latency-data.gradus", "synth", "web", "--queries", "200", "--seed", "2", "--quiet")
    name = f"latency-{trees}-{given.leaves}"
    model = made(name + ".model", "train", "--method", "regression", "--train", train, "--rounds",
                 trees, "--leaves", given.leaves, "--min-rows", "5", "--quiet")
    return (model, data, made(name + ".lgb.txt", "export", model, "--format", "lightgbm"),
            made(name + ".xgb.json", "export", model, "--format", "xgboost-json"))


def measure(level, trees):
    """Runs bench_latency; {engine: {rows: (p50, p99)}} in nanoseconds per call."""
    model, data, light, xgb = make_models(trees)
    words = [build + "/bench/bench_latency"]
    words += [] if level == "native" else ["--kernels", level]
    words += ["--cpu"] if given.cpu else []
    words += [model, data]
    words += ["lightgbm", given.lightgbm, light] if given.lightgbm else []
    words += ["xgboost", given.xgboost, xgb] if given.xgboost else []
    found = {}
    for line in subprocess.run(words, check=True, stdout=subprocess.PIPE,
                               text=True).stdout.splitlines():
        engine, rows, _, p50, p99 = line.split("\t")
        found.setdefault(engine, {})[int(rows)] = float(p50), float(p99)
    return found


def time_call(call, rows, count):
    """Median and 99th percentile of the nanoseconds of a Python call with `count` rows."""
    taken = []
    for i in range(PYTHON_CALLS // (1 if count == 1 else 10)):
        first = i * count % (len(rows) - count)
        part = rows[first:first + count]
        start = clock()
        call(part)
        taken.append(clock() - start)
    taken.sort()
    return taken[len(taken) // 2], taken[len(taken) * 99 // 100]


def measure_python(trees):
    """The Python calls of the modules that are installed."""
    _, data, light, xgb = make_models(trees)
    found, calls = {}, {}
    prefix = os.path.join(folder, "latency-data")
    try:
        import numpy
    except ImportError:
        return found
    if not os.path.exists(prefix + ".x.npy"):
        subprocess.run([build + "/bench/bench_dump", data, prefix], check=True)
    rows = numpy.load(prefix + ".x.npy")
    try:
        import lightgbm
        booster = lightgbm.Booster(model_file=light)
        calls["LightGBM, Python Booster.predict"] = (
            lambda part: booster.predict(part, raw_score=True, num_threads=1))
    except ImportError:
        pass
    try:
        import xgboost
        other = xgboost.Booster({"nthread": 1})
        other.load_model(xgb)
        other.set_param({"nthread": 1})
        calls["XGBoost, Python inplace_predict"] = (
            lambda part: other.inplace_predict(part, predict_type="margin"))
    except ImportError:
        pass
    for name, call in calls.items():
        found[name] = {count: time_call(call, rows, count) for count in (1, QUERY_ROWS)}
    return found


def lines(results, number):
    """Rows of a table: one per engine, two columns per number of trees."""
    engines = {}
    for trees, found in results.items():
        for engine, times in found.items():
            engines.setdefault(engine, {})[trees] = number(times)
    return [[engine] + [cell for trees in results for cell in cells.get(trees, ["", ""])]
            for engine, cells in engines.items() if any(cells.values())]


def latency(rows):
    return lambda times: ([f"{times[rows][0] / 1e3:.2f}", f"{times[rows][1] / 1e3:.2f}"]
                          if rows in times else [])


def throughput(times):
    rows = max(times)
    return [f"{rows / times[rows][0] * 1e9:,.0f}"] if rows > QUERY_ROWS else []


os.makedirs(folder, exist_ok=True)
counts = given.trees.split(",")
for level in given.kernels.split(","):
    results = {trees: measure(level, trees) for trees in counts}
    if given.python and level == "native":
        for trees in counts:
            results[trees].update(measure_python(trees))
    head = [f"{trees} trees, {part}" for trees in counts for part in ("p50 us", "p99 us")]
    for rows, title in ((1, "one document"), (QUERY_ROWS, f"one query of {QUERY_ROWS} documents")):
        print(f"{level}: {title}, {given.leaves} leaves, 136 features, one thread")
        table([""] + head, lines(results, latency(rows)), markdown=True)
    print(f"{level}: documents per second in a batch, one thread")
    table([""] + [f"{trees} trees" for trees in counts], lines(results, throughput), markdown=True)
