#!/usr/bin/python3
"""Cutting features into bins: gradus and XGBoost, in turn, from the same rows in memory, same threads.

usage: bench/bin/run.py BUILD_FOLDER FILE [TIMES]
FILE is gradus binary. XGBoost's time is that of QuantileDMatrix, which cuts and bins in one call, with
255 bins and without that of making the numpy array. Prints the median seconds of each and the ratio,
and the memory of gradus above that of the rows."""
import os, statistics, subprocess, sys, tempfile

build, path = sys.argv[1], sys.argv[2]
times = int(sys.argv[3]) if len(sys.argv) > 3 else 5
threads = len(os.sched_getaffinity(0))
turns = 3  # in one process; the best, because the first one maps memory

def run(words):
    out = subprocess.run(words, capture_output=True, text=True, check=True)
    return [float(line) for line in out.stdout.split()], out.stderr.strip()

XGBOOST = f"""
import sys, time, numpy, xgboost
values = numpy.load(sys.argv[1])
for turn in range({turns}):
    start = time.perf_counter()
    data = xgboost.QuantileDMatrix(values, max_bin=255, nthread={threads})
    print(time.perf_counter() - start)
    del data
"""

def matrix(folder):
    """The rows as a numpy file, by way of text."""
    import numpy
    csv = folder + "/rows.csv"
    subprocess.run([build + "/gradus", "convert", path, csv, "--output-format", "csv"], check=True)
    with open(csv) as lines:
        names = lines.readline().strip().split(",")
    first = len(names) - sum(name not in ("label", "query", "document") for name in names)
    import pandas
    table = pandas.read_csv(csv, dtype=numpy.float32, usecols=names[first:])
    numpy.save(folder + "/rows.npy", table.to_numpy(dtype=numpy.float32, copy=True))
    return folder + "/rows.npy"

found = {"gradus": [], "xgboost": []}
with tempfile.TemporaryDirectory() as folder:
    rows = matrix(folder)
    for turn in range(times):
        seconds, memory = run([build + "/bench/bench_bin_bin", path, str(threads), str(turns)])
        found["gradus"].append(min(seconds))
        seconds, _ = run(["/usr/bin/python3", "-W", "ignore", "-c", XGBOOST, rows])
        found["xgboost"].append(min(seconds))
ours, theirs = (statistics.median(found[name]) for name in ("gradus", "xgboost"))
print(f"{path}: {threads} threads, 255 bins, median of {times}")
print(f"  gradus  {ours:8.3f} s")
print(f"  xgboost {theirs:8.3f} s   gradus is {theirs / ours:5.2f} times as fast")
print(f"  gradus: {memory}")
