#!/usr/bin/python3
"""COCR's Figure 2: bagged model trees, ERR against rounds and against the number of trees.

usage: bench/papers/bagging.py BUILD FOLDER [--queries N] [--rounds T] [--min-leaf M] [--cost COST]
       [--markdown]

Data: `gradus synth web`, N (1,000) queries to train and 2 N others to measure. Direct regression and
COCR with the oerr cost average model trees, each on a tenth of the rows. Round t of COCR has four
trees, of direct regression one; direct regression is trained for 4 T rounds, so that both can be held
against each other at the same number of rounds and of trees. A training gives its whole curve.
Prints a table, and writes FOLDER/bagging.svg and FOLDER/bagging.json (the curves). At the last point
of each comparison the two are tested against each other: paired t test over queries, two-tailed."""
import argparse
import json
import os

from common import Gradus, as_words, p_text, table
from plot import Plot

NAMES = {"direct": "direct regression", "cocr": "COCR"}


def take_words():
    words = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("build")
    words.add_argument("folder")
    words.add_argument("--queries", type=int, default=1000)
    words.add_argument("--rounds", type=int, default=50, help="of COCR; direct has as many trees")
    words.add_argument("--min-leaf", type=int, default=4)
    words.add_argument("--cost", default="oerr")
    words.add_argument("--markdown", action="store_true")
    return words.parse_args()


given = take_words()
gradus = Gradus(given.build, given.folder)
train = gradus.synth(f"web-train-{given.queries}", "web", queries=given.queries, first_query=1)
test = gradus.synth(f"web-test-{given.queries}", "web", queries=2 * given.queries,
                    first_query=given.queries + given.queries // 2 + 1)


def curve(kind, rounds, **options):
    """Trains, unless that is done: the model, ERR on the test queries after each round, and trees a
    round."""
    stem = gradus.path(f"bagging-{kind}-{given.queries}-{rounds}-{given.min_leaf}")
    if not os.path.exists(stem + ".json"):
        words = ["train", "--train", train, "--valid", test, "-o", stem + ".model", "--json",
                 *as_words({"learner": "bagged-m5p", "metric": "err", "patience": 0, "keep": "last",
                            "train_eval_every": 0, "min_leaf": given.min_leaf, "rounds": rounds,
                            **options})]
        events = [json.loads(line) for line in gradus.run(*words).splitlines()]
        values = [event["valid"] for event in events if event["event"] == "round"]
        with open(stem + ".part", "w") as out:
            json.dump([values, events[-1]["trees"] // rounds], out)
        os.rename(stem + ".part", stem + ".json")
    with open(stem + ".json") as file:
        return stem + ".model", *json.load(file)


cocr_model, cocr, outputs = curve("cocr-" + given.cost, given.rounds, method="cocr",
                                  cost=given.cost)
direct_model, direct, _ = curve("direct", outputs * given.rounds, method="regression")


def marks(last):
    """1, 2, 5, 10 ... up to the last."""
    found = [base * 10 ** power for power in range(7) for base in (1, 2, 5)]
    return [mark for mark in found if mark < last] + [last]


def contrast(direct_rounds, cocr_rounds):
    scores = [gradus.score(direct_model, test, gradus.path("bagging-a.scores"), rounds=direct_rounds),
              gradus.score(cocr_model, test, gradus.path("bagging-b.scores"), rounds=cocr_rounds)]
    found = gradus.compare(test, scores, "err")[0, 1]
    return f"{found['difference']:+.4f} (p {p_text(found['p'])})"


print(f"ERR on {2 * given.queries} queries, at least {given.min_leaf} rows to split a node")
print("the same number of rounds")
table(["rounds", *NAMES.values(), "difference"],
      [[t, f"{direct[t - 1]:.4f}", f"{cocr[t - 1]:.4f}", contrast(t, t)]
       for t in marks(given.rounds)], given.markdown)
print("the same number of trees")
table(["trees", *NAMES.values(), "difference"],
      [[outputs * t, f"{direct[outputs * t - 1]:.4f}", f"{cocr[t - 1]:.4f}",
        contrast(outputs * t, t)] for t in marks(given.rounds)], given.markdown)
for what, pairs in (("rounds", list(zip(direct, cocr))),
                    ("trees", list(zip(direct[outputs - 1::outputs], cocr)))):
    above = sum(b > a for a, b in pairs)
    print(f"at the same number of {what} COCR is above direct regression at {above} of "
          f"{len(pairs)} points")

plot = Plot("Bagged model trees on synth web", "ERR on held-out queries", panels=2)
rounds = range(1, given.rounds + 1)
plot.panel(0, "the same number of rounds", "rounds")
plot.line(0, NAMES["direct"], list(rounds), direct[:given.rounds])
plot.line(0, f"COCR, {given.cost}", list(rounds), cocr)
plot.panel(1, "the same number of trees", "trees")
plot.line(1, NAMES["direct"], list(range(1, len(direct) + 1)), direct)
plot.line(1, f"COCR, {given.cost}", [outputs * t for t in rounds], cocr)
plot.write(gradus.path("bagging.svg"))
with open(gradus.path("bagging.json"), "w") as out:
    json.dump({"direct": direct, "cocr": cocr, "trees_a_round": outputs}, out)
print("written: " + gradus.path("bagging.svg"))
