#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How the time of a round grows with rows, features and leaves: 1, 2, 4 and 8 times of each.

usage: bench/train/scaling.py BUILD FOLDER [--rounds N] [--times N] [--threads N] [--markdown]

Rows: `synth web` of 625 to 5,000 queries, 31 leaves. Features: `synth mcrank` of 4,000 queries
(200,000 rows) with 16 to 128 features, 31 leaves. Leaves: 16 to 128 on 5,000 web queries. The
last column of each is the ratio to the previous line, where 2 is linear."""
import argparse

from train_common import Bench, table

words = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("build")
words.add_argument("folder")
words.add_argument("--rounds", type=int, default=40)
words.add_argument("--times", type=int, default=5)
words.add_argument("--threads", type=int, default=2)
words.add_argument("--method", default="regression")
words.add_argument("--markdown", action="store_true")
given = words.parse_args()
bench = Bench(given.build, given.folder, given.rounds, given.times, given.threads)


def measure(title, sides):
    found = bench.alternate(sides)
    rows, before, first = [], None, None
    for name, one in found.items():
        seconds = one["round_seconds"]
        first = first or seconds
        rows.append([name, f"{1000 * seconds:.2f}", f"{1000 * one['bin_seconds']:.0f}",
                     f"{seconds / first:.2f}", f"{seconds / before:.2f}" if before else ""])
        before = seconds
    print(f"{title}: {given.method}, {bench.rounds} rounds, {bench.threads} threads, "
          f"median of {bench.times}")
    table([title, "ms a round", "ms to bin", "of the first", "growth"], rows, given.markdown)


def side(train, leaves):
    return lambda: bench.gradus(train, method=given.method, leaves=leaves, bins=255,
                                learning_rate=0.1, min_rows=20,
                                train_eval_every=0)


sizes = (1, 2, 4, 8)
web = {n: bench.synth(f"web-{625 * n}", "web", "--queries", str(625 * n)) for n in sizes}
measure("rows", {f"{625 * n} queries": side(web[n], 31) for n in sizes})
wide = {n: bench.synth(f"mcrank-{16 * n}-features", "mcrank", "--queries", "4000", "--features",
                       str(16 * n)) for n in sizes}
measure("features", {f"{16 * n} features": side(wide[n], 31) for n in sizes})
measure("leaves", {f"{16 * n} leaves": side(web[8], 16 * n) for n in sizes})
