#!/usr/bin/python3
"""COCR with boosted trees against direct regression, on the LETOR sets.

usage: bench/papers/cocr.py BUILD FOLDER DATA [--rounds N] [--steps LIST] [--sets LIST] [--markdown]

DATA holds folders with LETOR's parts S1.txt.gz to S5.txt.gz (mq2008, ohsumed, mq2007-partial) and
folds.sh. Settings of the paper: up to 1,000 trees of depth 4, steps .1, .05 and .02 (--preset
paper-ltrc); these sets are small, so that the round is the one that is best by ERR on the
validation part. Each of the five
folds is tested once, so the means are over all queries. p-values: two-sided paired t tests over
queries, against direct regression (p) and of oerr against the other costs (p oerr)."""
import argparse
import sys
import time

from common import LETOR, Gradus, in_parallel, join, make_folds, p_text, table

METHODS = {
    "direct": {"method": "regression", "target": "grade"},
    "absolute": {"method": "cocr", "cost": "absolute"},
    "squared": {"method": "cocr", "cost": "squared"},
    "oerr": {"method": "cocr", "cost": "oerr"},
}
# The paper's ERR on its own sets (Yahoo's LTRC1 and LTRC2), by step
PAPER = {"LTRC1": {0.1: (.4590, .4595, .4602, .4603), 0.05: (.4576, .4587, .4596, .4602),
                   0.02: (.4547, .4566, .4575, .4583)},
         "LTRC2": {0.1: (.4563, .4571, .4579, .4597), 0.05: (.4584, .4586, .4599, .4598),
                   0.02: (.4601, .4603, .4599, .4600)}}

PATIENCE = 200  # rounds without a better validation ERR

words = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("build")
words.add_argument("folder")
words.add_argument("data")
words.add_argument("--rounds", type=int, default=1000)
words.add_argument("--steps", default="0.1,0.05,0.02")
words.add_argument("--sets", default=",".join(LETOR))
words.add_argument("--markdown", action="store_true")
given = words.parse_args()
steps = [float(step) for step in given.steps.split(",")]
gradus, began = Gradus(given.build, given.folder, threads=1), time.perf_counter()


def train(name, folds, step, method):
    """Scores of all test parts, and the rounds chosen."""
    def one(fold):
        stem = gradus.path(f"{name}/cocr-{method}-{step:g}-{fold}")
        part = folds[fold]
        found = gradus.train(stem + ".model", part[0], part[1], preset="paper-ltrc", metric="err",
                             rounds=given.rounds, learning_rate=step, patience=PATIENCE,
                             **METHODS[method])
        return gradus.score(stem + ".model", part[2], stem + ".scores"), found["best_round"]
    found = [one(fold) for fold in range(len(folds))]
    stem = gradus.path(f"{name}/cocr-{method}-{step:g}")
    return join([file for file, _ in found], stem + ".scores"), [best for _, best in found]


def report(name, tests, step, found):
    scores = [file for file, _ in found.values()]
    rows = []
    err, ndcg = [gradus.compare(tests, scores, metric) for metric in ("err", "ndcg@10")]
    for b, (method, (_, rounds)) in enumerate(found.items()):
        row = [method if b else "direct regression"]
        for contrasts in (err, ndcg):
            mean = contrasts[0, 1]["mean_a"] if b == 0 else contrasts[0, b]["mean_b"]
            row += [f"{mean:.4f}", p_text(contrasts[0, b]["p"]) if b else "",
                    p_text(contrasts[b, 3]["p"]) if b in (1, 2) else ""]
        row.append(" ".join(str(best) for best in rounds))
        row += [f"{PAPER[set_name][step][b]:.4f}" if step in PAPER[set_name] else ""
                for set_name in PAPER]
        rows.append(row)
    print(f"{LETOR[name]}, step {step:g}: {err[0, 1]['queries']} queries")
    table(["", "ERR", "p", "p oerr", "NDCG@10", "p", "p oerr", "rounds of the folds",
           "paper's ERR, LTRC1", "LTRC2"], rows, given.markdown)
    return [err[0, b] for b in (1, 2, 3)]


better, worse, gains = [], [], {}
for name in given.sets.split(","):
    made = make_folds(gradus, given.data, name)
    if not made:
        continue
    jobs = [(step, method) for step in steps for method in METHODS]
    trained = dict(zip(jobs, in_parallel(lambda job: train(name, made[0], *job), jobs)))
    for step in steps:
        for b, contrast in enumerate(report(name, made[1], step, {
                method: trained[step, method] for method in METHODS})):
            cost = list(METHODS)[b + 1]
            gains.setdefault(cost, []).append(contrast["difference"])
            if contrast["p"] < 0.05:
                (better if contrast["difference"] > 0 else worse).append(
                    f"{LETOR[name]} {step:g} {cost}")
if not gains:
    sys.exit(0)
print("The paper's finding, COCR has a higher ERR than direct regression, oerr the highest:")
for cost, found in gains.items():
    print(f"  {cost}: {sum(gain > 0 for gain in found)} of {len(found)} higher, "
          f"{sum(found) / len(found):+.4f} on average")
print(f"  significantly (p < .05): {len(better)} better, {len(worse)} worse")
print(f"  better: {', '.join(better) or 'none'}\n  worse: {', '.join(worse) or 'none'}")
print(f"{time.perf_counter() - began:.0f} s in all")
