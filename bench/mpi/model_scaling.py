#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A model of the time of a tree on many machines, and its check against counters.

usage: bench/mpi/model_scaling.py [--rows N] [--features N] [--leaves N] ... [--check GRADUS]

Prints, for each network and number of ranks: megabytes that a rank sends for a tree and that the
busiest receives, the seconds that this takes, those of the computation, and the speed against one
machine divided by the number of machines. docs/guide/cluster-model.md explains the model and its
assumptions.

--check trains regression on synth web data on this machine, by messages instead of shared memory,
and prints what was counted beside the model: bytes that rank 0 gives before narrowing, and
operations, from the round events; bytes that ranks receive, their mean and those of the busiest, from
the monitoring of Open MPI (pml_monitoring). The constants of the model are fitted to the runs with the first number of
queries and the ranks of --fit; the other runs show what they predict."""
import argparse
import glob
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
WIDE_ROWS = 4194304  # for more rows a bin takes two words
COLUMN = 264  # bins of a feature in a message, with padding (src/kernels/histogram.h)
CHECKED = 5  # rounds that --check counts
CUT_BYTES = 48  # of the best cut of a node (src/learners/tree/pick_shared.c)
words = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("--rows", type=float, default=1e9)
words.add_argument("--features", type=int, default=136)
words.add_argument("--leaves", type=int, default=255)
words.add_argument("--outputs", type=int, default=1, help="trees per round")
words.add_argument("--histograms", type=float, default=1.0,
                   help="histograms scanned per leaf, as --check finds it")
words.add_argument("--operations", type=float, default=17,
                   help="operations of a round besides those of batches, as --check finds it")
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
words.add_argument("--check-ranks", default="2,4,8,16,20")
words.add_argument("--fit", default="2,4", help="the runs that constants are fitted to")
words.add_argument("--wide", action="store_true", help="bins take two words, whatever the rows")
words.add_argument("--mpirun",
                   default="mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none")
words.add_argument("--markdown", action="store_true")
given = words.parse_args()


def histogram_bytes(rows):
    """Bytes of a histogram, without narrowing."""
    return given.features * COLUMN * (16 if given.wide or rows > WIDE_ROWS else 8)


def part_of(ranks):
    """The largest part of the features that a rank adds up."""
    return math.ceil(given.features / ranks) / given.features


def bytes_of(rows, leaves, ranks):
    """Bytes that a rank sends for a tree, and that the busiest receives, without narrowing."""
    whole = given.histograms * leaves * histogram_bytes(rows)
    return whole * (ranks - 1) / ranks, whole * (ranks - 1) * part_of(ranks)


def cuts_of(leaves, ranks):
    """Bytes of best cuts that each rank receives for a tree: two nodes per scanned one."""
    return 2 * given.histograms * leaves * CUT_BYTES * (ranks - 1)


def operations_of(leaves):
    """Collective operations of a tree: histograms and best cuts of each batch, and some more."""
    return 2 * math.ceil(leaves / BATCH) + given.operations


def project():
    """Prints the table of networks and ranks."""
    rows = []
    alone = given.outputs * given.rows * given.row_ns * 1e-9 / given.speed_up
    for gigabits in (float(word) for word in given.gigabits.split(",")):
        for ranks in (int(word) for word in given.ranks.split(",")):
            sent, received = (given.outputs * given.narrow * number
                              for number in bytes_of(given.rows, given.leaves, ranks))
            received += given.outputs * cuts_of(given.leaves, ranks)
            wire = max(sent, received) * 8 / (gigabits * 1e9)
            waits = given.outputs * operations_of(given.leaves) * given.latency * math.log2(ranks)
            compute = alone / ranks
            rows.append([f"{gigabits:g} GbE", ranks, f"{sent / 1e6:.0f}", f"{received / 1e6:.0f}",
                         f"{wire + waits:.2f}", f"{compute:.2f}",
                         f"{100 * compute / (compute + wire + waits):.0f} %"])
    print(f"{given.rows:.0f} rows of {given.features} features, {given.leaves} leaves")
    table(["network", "ranks", "MB sent", "MB received", "s in the network", "s compute",
           "efficiency"], rows, given.markdown)


def mean(numbers):
    """The mean of some numbers."""
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


def train(folder, queries, ranks, rounds):
    """Trains once. The events, and the bytes of histograms that each rank has received."""
    data = os.path.join(folder, f"{queries}.gradus")
    if not os.path.exists(data):
        subprocess.run([given.check, "synth", "web", "--queries", queries, "-q", "-o", data],
                       check=True)
    counted = os.path.join(folder, "counted")
    line = shlex.split(given.mpirun) + [
        "--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_enable_output", "3",
        "--mca", "pml_monitoring_filename", counted,
        "-n", str(ranks), given.check, "train", "--method", "regression", "--train", data,
        "--rounds", str(rounds), "--threads", "1", "--json", "--distributed", "mpi", "-o",
        os.path.join(folder, "model")]
    # messages, as between machines
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                          env=dict(os.environ, GRADUS_MPI_SHARED="0"))
    received = [0] * ranks
    for path in glob.glob(counted + ".*.prof"):
        with open(path, encoding="ascii") as lines:
            for text in lines:
                parts = text.split()
                if parts[0] == "E":  # point to point: only histograms are sent so
                    received[int(parts[2])] += int(parts[3])
        os.remove(path)
    return [json.loads(text) for text in done.stdout.splitlines()], received


def count(folder, queries, ranks):
    """Counters of a training, per round."""
    _, before = train(folder, queries, ranks, 1)
    events, after = train(folder, queries, ranks, 1 + CHECKED)
    rounds = [event["collectives"] for event in events if event["event"] == "round"]
    last, first, times = rounds[-1], rounds[0], len(rounds) - 1
    end = next(event for event in events if event["event"] == "done")
    start = next(event for event in events if event["event"] == "start")
    sent, whole, calls = ((last[name] - first[name]) / times
                          for name in ("bytes", "whole_bytes", "calls"))
    received = [(b - a) / CHECKED for a, b in zip(before, after)]
    return {"queries": queries, "ranks": ranks, "sent": sent, "whole": whole, "calls": calls,
            "mean": mean(received), "most": max(received),
            "leaves": end["leaves"] / end["trees"], "rows": start.get("rows", 0)}


def check():
    """Counts, fits the constants to some runs, and prints the counters of all beside the model."""
    many = [int(word) for word in given.check_ranks.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        runs = [count(folder, queries, ranks) for queries in given.queries.split(",")
                for ranks in many]
    fitted = [run for run in runs if run["queries"] == given.queries.split(",")[0]
              and str(run["ranks"]) in given.fit.split(",")]
    given.histograms, given.operations = 1, 0
    given.histograms = mean(run["whole"] / bytes_of(run["rows"], run["leaves"], run["ranks"])[0]
                            for run in fitted)
    given.operations = mean(run["calls"] - operations_of(run["leaves"]) for run in fitted)
    given.narrow = mean(run["sent"] / run["whole"] for run in fitted)
    print(f"fitted: {given.histograms:.2f} histograms per leaf, {given.operations:.0f} operations, "
          f"narrowed to {given.narrow:.2f}")
    rows = []
    for run in runs:
        sent, received = bytes_of(run["rows"], run["leaves"], run["ranks"])
        rows.append([run["queries"], run["ranks"], "fitted" if run in fitted else "",
                     f"{run['leaves']:.0f}", f"{run['whole'] / 1e6:.2f}", f"{sent / 1e6:.2f}",
                     f"{run['sent'] / run['whole']:.2f}", f"{run['mean'] / 1e6:.2f}",
                     f"{run['most'] / 1e6:.2f}", f"{given.narrow * received / 1e6:.2f}",
                     f"{run['calls']:.0f}",
                     f"{operations_of(run['leaves']):.0f}"])
    table(["queries", "ranks", "", "leaves", "MB given", "formula", "narrowed to", "MB received",
           "busiest", "formula", "operations", "formula"], rows, given.markdown)


if given.check:
    given.check = os.path.realpath(given.check)
    check()
else:
    project()
