#!/usr/bin/python3
"""McRank's Table 1, artificial row: ordinal classification, classification and regression.

usage: bench/papers/mcrank.py BUILD FOLDER [--queries N] [--rounds N] [--markdown]

Data: `gradus synth mcrank`, N (10,000) queries to train, N/2 to validate, N to test. Settings of the
paper: 1,000 rounds of 10 leaves, step .05 (--preset paper-artificial). NDCG@10 on the test queries,
at the round that is best on the validation queries and after all rounds. p-values are one-sided, is
the row better than each of the others, paired (t) and, as in the paper, unpaired (welch)."""
import argparse
import statistics
import time

from common import Gradus, p_text, table

# name -> options, the paper's NDCG@10 in % and its standard deviation; worst first, as they expect
METHODS = {
    "regression, gain": ({"method": "regression", "target": "gain"}, "82.9 (10.2)"),
    "regression, grade": ({"method": "regression", "target": "grade"}, ""),
    "classification": ({"method": "mcrank"}, "83.7 (9.9)"),
    "ordinal": ({"method": "mcrank-ordinal"}, "85.0 (9.5)"),
}

words = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("build")
words.add_argument("folder")
words.add_argument("--queries", type=int, default=10000)
words.add_argument("--rounds", type=int, default=1000)
words.add_argument("--markdown", action="store_true")
given = words.parse_args()
gradus, began = Gradus(given.build, given.folder), time.perf_counter()
N = given.queries
train, valid, test = [
    gradus.synth(f"{name}-{N}", "mcrank", queries=count, first_query=first)
    for name, count, first in (("train", N, 1), ("valid", N // 2, N + 1),
                               ("test", N, N + N // 2 + 1))]

scores, told = {"best": [], "last": []}, []
for name, (options, _) in METHODS.items():
    stem = gradus.path(name.replace(", ", "-"))
    found = gradus.train(stem + ".model", train, valid, preset="paper-artificial",
                         metric="ndcg@10", rounds=given.rounds, patience=0, keep="last", **options)
    best = found["best_round"]
    scores["best"].append(gradus.score(stem + ".model", test, stem + ".best", rounds=best))
    scores["last"].append(gradus.score(stem + ".model", test, stem + ".last",
                                       rounds=given.rounds))
    told.append((best, found["wall_seconds"]))
    print(f"{name}: best round {best} of {given.rounds}, {told[-1][1]:.0f} s", flush=True)

names = list(METHODS)
for which in ("best", "last"):
    paired = gradus.compare(test, scores[which], "ndcg@10", "t", sided=1)
    welch = gradus.compare(test, scores[which], "ndcg@10", "welch", sided=1)
    print("\nNDCG@10 in % on the test queries, "
          + ("at the round best on the validation queries" if which == "best"
             else f"after {given.rounds} rounds"))
    rows = []
    for b in reversed(range(len(names))):
        values = list(gradus.by_query(test, scores[which][b], "ndcg@10").values())
        row = [names[b], METHODS[names[b]][1],
               f"{100 * statistics.mean(values):.2f} ({100 * statistics.stdev(values):.1f})",
               told[b][0] if which == "best" else given.rounds, f"{told[b][1]:.0f}"]
        for a in range(len(names) - 1):
            row.append(f"{p_text(paired[a, b]['p'])}, {p_text(welch[a, b]['p'])}" if a < b else "")
        rows.append(row)
    table(["", "the paper", "gradus", "round", "seconds"] +
          [f"p over {name}" for name in names[:-1]], rows, given.markdown)
    means = [paired[0, 1]["mean_a"]] + [paired[0, b]["mean_b"] for b in range(1, len(names))]
    order = means[3] > means[2] > means[0]
    sure = max(welch[2, 3]["p"], welch[0, 2]["p"]) < 0.05
    print("The paper's order, ordinal > classification > regression on the gain: " +
          ("shown" + (", each step with p < .05 unpaired" if sure else ", but not each step is "
                      "significant") if order else "DENIED"))
print(f"{time.perf_counter() - began:.0f} s in all")
