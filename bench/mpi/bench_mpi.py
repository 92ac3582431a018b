#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Distributed training on one machine: 1, 2, 4, ... ranks of one thread each, up to the number of
processors, against one process with as many threads, in turn.

usage: bench/mpi/bench_mpi.py [--queries N] [--rounds N] [--ranks LIST] [--limit SECONDS] [GRADUS]

Data of gradus synth web, lambdamart and regression with default settings. The first pass runs
everything; as many more as the limit allows run the threads and the two largest numbers of ranks
again. Prints medians per round, without reading and binning: milliseconds, speed relative to the
threads, and of rank 0 the megabytes and the number of collective operations, the milliseconds
spent in them (waiting included) and the rest. Status 1 if a model differs from that of the
threads. GRADUS: the command (default build/release/gradus)."""
import argparse
import filecmp
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tables import table  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
began = time.monotonic()
words = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("gradus", nargs="?", default=os.path.join(ROOT, "build/release/gradus"))
words.add_argument("--queries", type=int, default=20000)
words.add_argument("--rounds", type=int, default=16)
words.add_argument("--methods", default="lambdamart,regression")
words.add_argument("--ranks", help="comma-separated; default: 1, 2, 4, ... up to --most")
words.add_argument("--most", type=int, default=os.cpu_count(), help="ranks or threads")
words.add_argument("--limit", type=float, default=200, help="begin no pass after this many seconds")
words.add_argument("--mpirun", default="mpirun --allow-run-as-root --oversubscribe --bind-to none")
words.add_argument("--markdown", action="store_true")
given = words.parse_args()


def train(folder, method, ranks, threads):
    """Trains once; milliseconds, megabytes, operations and milliseconds in them, per round."""
    model = os.path.join(folder, f"{method}-{'many' if ranks else 'one'}.model")
    line = [given.gradus, "train", "--method", method, "--train", os.path.join(folder, "web.gradus"),
            "--rounds", str(given.rounds), "--threads", str(threads), "--json", "-o", model]
    if ranks:
        line = shlex.split(given.mpirun) + ["-n", str(ranks)] + line + ["--distributed", "mpi"]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode:
        sys.exit(f"{shlex.join(line)}: status {done.returncode}\n{done.stderr}")
    events = [json.loads(text) for text in done.stdout.splitlines()]
    rounds = [event for event in events if event["event"] == "round"]
    first, last = rounds[0], rounds[-1]
    none = {"bytes": 0, "calls": 0, "seconds": 0}
    start, end = first.get("collectives", none), last.get("collectives", none)
    count = last["round"] - first["round"]
    return (1e3 * (last["seconds"] - first["seconds"]) / count,
            1e-6 * (end["bytes"] - start["bytes"]) / count,
            (end["calls"] - start["calls"]) / count,
            1e3 * (end["seconds"] - start["seconds"]) / count)


def report(folder, method, runs):
    """Prints the table of a method; whether its models are the same."""
    same = filecmp.cmp(os.path.join(folder, f"{method}-one.model"),
                       os.path.join(folder, f"{method}-many.model"), shallow=False)
    base = statistics.median(run[0] for run in runs[0, given.most])
    rows = []
    for (ranks, threads), list_of in runs.items():
        ms, mb, calls, inside = (statistics.median(column) for column in zip(*list_of))
        name = f"{ranks} x 1 thread" if ranks else f"1 process x {threads} threads"
        rows.append([name, len(list_of), f"{ms:.1f}", f"{base / ms:.2f}"]
                    + ([f"{mb:.2f}", f"{calls:.0f}", f"{inside:.1f}", f"{ms - inside:.1f}"]
                       if ranks else ["", "", "", f"{ms:.1f}"]))
    print(f"{method}, {given.queries} queries, {given.rounds} rounds; the last models are "
          f"{'the same bytes' if same else 'DIFFERENT'}")
    table(["ranks", "runs", "ms per round", "relative", "MB given", "operations", "ms in them",
           "ms compute"], rows, given.markdown)
    return same


def main():
    """Runs everything and prints the tables."""
    many = [2 ** i for i in range(given.most.bit_length()) if 2 ** i <= given.most]
    if given.ranks:
        many = [int(ranks) for ranks in given.ranks.split(",")]
    cases = [(0, given.most)] + [(ranks, 1) for ranks in many]
    methods = given.methods.split(",")
    runs = {method: {case: [] for case in cases} for method in methods}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([given.gradus, "synth", "web", "--queries", str(given.queries), "-q", "-o",
                        os.path.join(folder, "web.gradus")], check=True)
        again = 0.0
        while time.monotonic() - began + again < given.limit:
            before = time.monotonic()
            for method in methods:
                for case in cases:
                    if not runs[method][case] or case[0] in (0, *many[-2:]):
                        start = time.monotonic()
                        runs[method][case].append(train(folder, method, *case))
                        print(f"{method} {case}: {time.monotonic() - start:.1f} s",
                              file=sys.stderr)
            again = (time.monotonic() - before) * (1 if again else 0.5)
        good = [report(folder, method, runs[method]) for method in methods]
    sys.exit(0 if all(good) else 1)


main()
