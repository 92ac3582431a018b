#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A model of the time of a tree on many machines, and its check against the counters of gradus.

usage: bench/mpi/model_scaling.py [--rows N] [--features N] [--leaves N] ... [--check GRADUS]

Prints, for each network and number of ranks: megabytes that a rank sends for a tree, the seconds
that this takes, those of the computation, and the speed against one machine divided by the number
of machines. docs/guide/cluster-model.md explains the model and its assumptions.

--check trains regression on synth web data with 2, 3 and 4 ranks on this machine, by messages instead
of shared memory, and prints the bytes and operations that were counted beside those of the model."""
import argparse
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tables import table  # noqa: E402

BATCH = 8  # nodes whose histograms are in one message
WIDE_ROWS = 4194304  # from this number of rows on a bin takes two words
words = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("--rows", type=float, default=1e9)
words.add_argument("--features", type=int, default=136)
words.add_argument("--bins", type=int, default=255)
words.add_argument("--leaves", type=int, default=255)
words.add_argument("--outputs", type=int, default=1, help="trees per round")
words.add_argument("--histograms", type=float, default=1.05,
                   help="full histograms sent per leaf, as --check finds it")
words.add_argument("--narrow", type=float, default=1.0,
                   help="bytes sent per byte of histogram, as --check finds it")
words.add_argument("--row-ns", type=float, default=340.0,
                   help="one thread, nanoseconds per row and round")
words.add_argument("--speed-up", type=float, default=9.2, help="of the threads of a machine")
words.add_argument("--latency", type=float, default=30e-6, help="seconds per message")
words.add_argument("--ranks", default="4,16,64")
words.add_argument("--gigabits", default="1,10,100")
words.add_argument("--check", metavar="GRADUS")
words.add_argument("--queries", default="500,2000")
words.add_argument("--mpirun",
                   default="mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none")
words.add_argument("--markdown", action="store_true")
given = words.parse_args()


def bytes_of(rows, leaves, ranks):
    """Bytes of histograms that a rank sends for a tree, without narrowing."""
    word = 8 if rows < WIDE_ROWS else 16
    whole = given.histograms * leaves * given.features * given.bins * word
    return whole * (ranks - 1) / ranks


def operations_of(leaves):
    """Collective operations of a tree: histograms and best cuts of each batch, and some more."""
    return 2 * math.ceil(leaves / BATCH) + 15


def project():
    """Prints the table of networks and ranks."""
    rows = []
    alone = given.outputs * given.rows * given.row_ns * 1e-9 / given.speed_up
    for gigabits in (float(word) for word in given.gigabits.split(",")):
        for ranks in (int(word) for word in given.ranks.split(",")):
            sent = given.outputs * given.narrow * bytes_of(given.rows, given.leaves, ranks)
            wire = sent * 8 / (gigabits * 1e9)
            waits = given.outputs * operations_of(given.leaves) * given.latency * math.log2(ranks)
            compute = alone / ranks
            rows.append([f"{gigabits:g} GbE", ranks, f"{sent / 1e6:.0f}", f"{wire + waits:.2f}",
                         f"{compute:.2f}", f"{100 * compute / (compute + wire + waits):.0f} %"])
    print(f"{given.rows:.0f} rows of {given.features} features, {given.leaves} leaves")
    table(["network", "ranks", "MB sent", "s in the network", "s compute", "efficiency"], rows,
          given.markdown)


def count(folder, queries, ranks):
    """Counters of a training, per round: megabytes sent and whole, operations, leaves, rows."""
    data = os.path.join(folder, f"{queries}.gradus")
    if not os.path.exists(data):
        subprocess.run([given.check, "synth", "web", "--queries", queries, "-q", "-o", data],
                       check=True)
    line = shlex.split(given.mpirun) + [
        "-n", str(ranks), given.check, "train", "--method", "regression", "--train", data,
        "--rounds", "6", "--threads", "1", "--json", "--distributed", "mpi", "-o",
        os.path.join(folder, "model")]
    # messages, as between machines
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                          env=dict(os.environ, GRADUS_MPI_SHARED="0"))
    events = [json.loads(text) for text in done.stdout.splitlines()]
    rounds = [event["collectives"] for event in events if event["event"] == "round"]
    last, first, times = rounds[-1], rounds[0], len(rounds) - 1
    end = next(event for event in events if event["event"] == "done")
    start = next(event for event in events if event["event"] == "start")
    return ([(last[name] - first[name]) / times for name in ("bytes", "whole_bytes", "calls")]
            + [end["leaves"] / end["trees"], start.get("rows", 0)])


def check():
    """Prints the counters beside the model."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for queries in given.queries.split(","):
            for ranks in (2, 3, 4):
                sent, whole, calls, leaves, size = count(folder, queries, ranks)
                model = bytes_of(size, leaves, ranks)
                rows.append([queries, ranks, f"{leaves:.0f}", f"{whole / 1e6:.2f}",
                             f"{model / 1e6:.2f}", f"{whole / model:.2f}", f"{sent / whole:.2f}",
                             f"{calls:.0f}", operations_of(leaves)])
    table(["queries", "ranks", "leaves", "MB whole", "model", "histograms per leaf", "narrow",
           "operations", "model"], rows, given.markdown)


if given.check:
    given.check = os.path.realpath(given.check)
    check()
else:
    project()
