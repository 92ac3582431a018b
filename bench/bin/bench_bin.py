#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Binning: gradus and XGBoost, alternating, on the same rows in memory and threads.

usage: bench/bin/bench_bin.py BUILD_FOLDER FILE [TIMES]
FILE is gradus binary with dense rows. XGBoost's time is that of QuantileDMatrix, which computes
thresholds and bins in one call, with 255 bins, excluding the creation of the numpy array. Each
runs three times per process, and the best counts, because the first run maps memory. Prints the
medians of seconds and of processor seconds (which other work on the machine disturbs less),
their ratios, and the memory of gradus beyond that of the rows."""
import os, statistics, subprocess, sys

build, path = sys.argv[1], sys.argv[2]
times = int(sys.argv[3]) if len(sys.argv) > 3 else 5
threads = len(os.sched_getaffinity(0))

XGBOOST = f"""
import struct, sys, time, numpy, xgboost
with open(sys.argv[1], "rb") as file:
    head = file.read(512)
rows, features = struct.unpack_from("<QQ", head, 32)
section, _, at, size = struct.unpack_from("<IIQQ", head, 64)
if section != 1 or size != 4 * rows * features:
    sys.exit("no dense rows")
values = numpy.fromfile(sys.argv[1], numpy.float32, rows * features, offset=at).reshape(rows, features)
for turn in range(3):
    start, work = time.perf_counter(), time.process_time()
    data = xgboost.QuantileDMatrix(values, max_bin=255, nthread={threads})
    print(time.perf_counter() - start, time.process_time() - work)
    del data
"""
OURS = [build + "/bench/bench_bin", path, str(threads), "3"]
THEIRS = ["/usr/bin/python3", "-W", "ignore", "-c", XGBOOST, path]

def run(words):
    out = subprocess.run(words, capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(out.stderr)
    pairs = [[float(word) for word in line.split()] for line in out.stdout.splitlines()]
    return [min(column) for column in zip(*pairs)], out.stderr.strip()

ours, theirs = [], []
for turn in range(times):
    best, memory = run(OURS)
    ours.append(best)
    theirs.append(run(THEIRS)[0])
print(f"{path}: {threads} threads, 255 bins, median of {times}")
for column, what in enumerate(("seconds", "processor seconds")):
    a, b = (statistics.median(best[column] for best in side) for side in (ours, theirs))
    print(f"  {what}: gradus {a:.3f}, xgboost {b:.3f}: gradus is {b / a:.2f} times as fast")
print(f"  gradus: {memory}")
