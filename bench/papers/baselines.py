#!/usr/bin/python3
"""The baselines of the papers' tables and the methods of gradus on the LETOR sets, five folds, beside
the published figures.

usage: bench/papers/baselines.py BUILD FOLDER DATA [--sets LIST] [--methods LIST] [--markdown]

DATA is as for cocr.py. The metric is that of the table: NDCG@10 by LETOR 3's script for OHSUMED, the
mean NDCG of LETOR 4's script for the others. Of each fold the settings (a few a method, below) and
the round are those that do best on the validation part by that metric. The test parts together
are all queries, once each; p is that of a two-sided randomization test against the best method."""
import argparse
import json
import os
import sys
import time

from common import LETOR, Gradus, in_parallel, join, make_folds, p_text, table

MEASURES = {"ohsumed": ("ndcg@10", "letor3"), "mq2008": ("mean-ndcg", "letor4"),
            "mq2007-partial": ("mean-ndcg", "letor4")}
NETS = [{"hidden": hidden, "net_rate": rate} for hidden in (0, 10) for rate in (0.001, 0.01)]
TREES = [{"leaves": leaves, "learning_rate": 0.05} for leaves in (7, 15)]
METHODS = {
    "adarank-map": [{}],
    "adarank-ndcg": [{}],
    "rankboost": [{}],
    "ranksvm": [{"learner": "linear", "lambda": "1,0.1,0.01,0.001,0.0001", "sampling": sampling}
                for sampling in ("exact", "by-query")],
    "coordinate-ascent": [{}],
    "ranknet": NETS,
    "lambdarank": NETS,
    "listnet": NETS,
    "listmle": NETS,
    "netreg": NETS,
    "regression": TREES,
    "cocr": TREES,
    "mcrank": TREES,
    "mcrank-ordinal": TREES,
    "lambdamart": TREES,
}
PAPER = {  # calibrated AdaBoost.MH, Table 2: OHSUMED, MQ2007 (all of it), MQ2008
    "adarank-map": (.4429, .4891, .4915),
    "adarank-ndcg": (.4496, .4914, .4950),
    "listnet": (.4410, .4988, .4914),
    "rankboost": (.4302, .5003, .4850),
    "ranksvm": (.4140, .4966, .4832),
}
PLACE = {"ohsumed": 0, "mq2007-partial": 1, "mq2008": 2}

words = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("build")
words.add_argument("folder")
words.add_argument("data")
words.add_argument("--sets", default="ohsumed,mq2008,mq2007-partial")
words.add_argument("--methods", default=",".join(METHODS))
words.add_argument("--markdown", action="store_true")
given = words.parse_args()
gradus, began = Gradus(given.build, given.folder, threads=1), time.perf_counter()


def train(name, method, fold, parts):
    """Scores of the test part by the settings that are best on the validation part."""
    metric, convention = MEASURES[name]
    stem = gradus.path(f"{name}/base-{method}-{fold}")
    best, started = None, time.perf_counter()
    for i, settings in enumerate(METHODS[method]):
        model = f"{stem}.{i}.model"
        found = gradus.train(model, parts[0], parts[1], method=method, metric=metric,
                             convention=convention, **settings)
        value = found["metrics"]["valid"][metric]
        if best is None or value > best[0]:
            best = value, model
    gradus.score(best[1], parts[2], stem + ".scores")
    for i in range(len(METHODS[method])):
        os.remove(f"{stem}.{i}.model")
    return stem + ".scores", time.perf_counter() - started


def measure(name, tests, files):
    """Means of all, and p-values against the best."""
    metric, convention = MEASURES[name]
    means = [json.loads(gradus.run("eval", tests, file, "--metric", metric, "--convention",
                                   convention, "--json"))["metrics"][metric] for file in files]
    best = max(range(len(files)), key=lambda i: means[i])
    p = {}
    for i, file in enumerate(files):
        if i != best:
            told = gradus.run("compare", tests, file, files[best], "--metric", metric, "--test",
                              "randomization", "--convention", convention, "--json")
            p[i] = json.loads(told)["sets"][0]["contrasts"][0]["p"]
    return means, p


for name in given.sets.split(","):
    made = make_folds(gradus, given.data, name)
    if not made:
        continue
    methods = given.methods.split(",")
    jobs = [(method, fold) for method in methods for fold in range(5)]
    done = dict(zip(jobs, in_parallel(lambda job: train(name, *job, made[0][job[1]]), jobs)))
    files = [join([done[method, fold][0] for fold in range(5)],
                  gradus.path(f"{name}/base-{method}.scores")) for method in methods]
    means, p = measure(name, made[1], files)
    rows = []
    for i, method in enumerate(methods):
        printed = PAPER[method][PLACE[name]] if method in PAPER else None
        rows.append([method, f"{means[i]:.4f}", p_text(p[i]) if i in p else "best",
                     f"{printed:.4f}" if printed else "",
                     f"{means[i] - printed:+.4f}" if printed else "",
                     f"{sum(done[method, fold][1] for fold in range(5)):.1f}"])
    print(f"{LETOR[name]}: {MEASURES[name][0]}, convention {MEASURES[name][1]}")
    table(["", "mean", "p", "published", "difference", "seconds"], rows, given.markdown)
    print(f"({time.perf_counter() - began:.0f} s so far)\n", flush=True)
sys.exit(0)
