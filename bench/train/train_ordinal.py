#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of a round of ordinal methods relative to squared-loss boosting with the same trees.

usage: bench/train/train_ordinal.py BUILD FOLDER [--rounds N] [--times N] [--threads N] [--markdown]

`synth web` with 5,000 queries (600,000 rows, 136 features), 31 leaves, all rows in each round.
Times of a round relative to regression, by wall clock and by processor time, which other work
on the machine disturbs less: the methods alternate, medians are compared. If all rows are
compared, there are 10^11 pairs of rows with different grades."""
import argparse

from train_common import Bench, table

words = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("build")
words.add_argument("folder")
words.add_argument("--queries", type=int, default=5000)
words.add_argument("--rounds", type=int, default=20)
words.add_argument("--times", type=int, default=5)
words.add_argument("--threads", type=int, default=2)
words.add_argument("--methods", type=int, default=7, help="only the first so many")
words.add_argument("--markdown", action="store_true")
given = words.parse_args()
bench = Bench(given.build, given.folder, given.rounds, given.times, given.threads)
web = bench.synth(f"web-{given.queries}", "web", "--queries", str(given.queries))


def side(**options):
    return lambda: bench.gradus(web, leaves=31, learning_rate=0.1, min_rows=20, train_eval_every=0,
                                **options)


sides = {
    "regression": side(method="regression"),
    "propodds": side(method="propodds"),
    "orboost": side(method="orboost"),
    "pairrank, within queries": side(method="pairrank"),
    "pairrank, all rows": side(method="pairrank", within="all"),
    "pairrank, logistic, within queries": side(method="pairrank", pair_loss="logistic"),
    "pairrank, logistic, all rows": side(method="pairrank", pair_loss="logistic", within="all"),
}
found = bench.alternate(dict(list(sides.items())[:given.methods]))
first = found["regression"]
print(f"synth web, {given.queries} queries, {bench.rounds} rounds, {bench.threads} threads, "
      f"median of {bench.times}")
table(["method", "ms a round", "of regression", "processor ms", "of regression"],
      [[name, f"{1000 * one['round_seconds']:.1f}",
        f"{one['round_seconds'] / first['round_seconds']:.2f}",
        f"{1000 * one['train_processor_seconds'] / bench.rounds:.1f}",
        f"{one['train_processor_seconds'] / first['train_processor_seconds']:.2f}"]
       for name, one in found.items()], given.markdown)
