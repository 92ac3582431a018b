#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reading LETOR text: gradus, XGBoost and scikit-learn, alternating, on the same file and threads.

usage: bench/load/bench_load.py BUILD_FOLDER FILE [TIMES]
Prints the median seconds and MB/s of each, the ratios, and the peak memory of gradus relative
to the size of the loaded data."""
import os, statistics, subprocess, sys, time

build, path = sys.argv[1], sys.argv[2]
times = int(sys.argv[3]) if len(sys.argv) > 3 else 5
threads = len(os.sched_getaffinity(0))
megabytes = os.path.getsize(path) / 1e6

def gradus():
    out = subprocess.run([build + "/bench/bench_load", path, str(threads)],
                         capture_output=True, text=True, check=True)
    return float(out.stdout.split()[0])

def other(code):
    """A fresh process each time, so that none profits from memory that is already mapped."""
    out = subprocess.run(["/usr/bin/python3", "-W", "ignore", "-c", code, path],
                         capture_output=True, text=True)
    return float(out.stdout.split()[-1]) if out.returncode == 0 else None

XGBOOST = f"""
import sys, time, xgboost
start = time.perf_counter()
data = xgboost.DMatrix(sys.argv[1] + "?format=libsvm", nthread={threads})
print(time.perf_counter() - start)
"""
SKLEARN = """
import sys, time
from sklearn.datasets import load_svmlight_file
start = time.perf_counter()
load_svmlight_file(sys.argv[1], query_id=True)
print(time.perf_counter() - start)
"""

found = {"gradus": [], "xgboost": [], "scikit-learn": []}
for turn in range(times):
    found["gradus"].append(gradus())
    found["xgboost"].append(other(XGBOOST))
    if turn < 2:  # slow: two runs are enough
        found["scikit-learn"].append(other(SKLEARN))

print(f"{path}: {megabytes:.0f} MB, {threads} threads, median of {times}")
ours = statistics.median(found["gradus"])
for name, seconds in found.items():
    if None in seconds:
        print(f"  {name:13} skipped: not installed")
        continue
    median = statistics.median(seconds)
    print(f"  {name:13} {median:8.3f} s {megabytes / median:8.0f} MB/s   gradus is {median / ours:5.2f} times as fast")
peak = subprocess.run([build + "/bench/bench_load", path, str(threads)], capture_output=True, text=True).stderr
print(f"  gradus: {peak.strip()}")
