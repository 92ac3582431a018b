#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What each part of the ensembles of `gradus auto` contributes, on the folds of LETOR data.

    bench/auto/parts.py BUILD FOLDER WORK [--budget N] [--threads N]

FOLDER has Fold1/train.txt, vali.txt and test.txt, and so on. `gradus auto --budget N` (40) runs once per fold; its
journal with the held-out scores of all settings, and models of all settings trained on all data, are kept in WORK for
the next run. Members are then selected again in various ways from these held-out scores, without further training.
Prints NDCG@10 on test.txt, the mean over the queries of all folds, and the difference to the full ensemble with its
standard error. The full ensemble must rank as the model that `gradus auto` wrote."""
import argparse
import json
import math
import os
import subprocess
import sys
from pathlib import Path

METRIC = "ndcg@10"
MAX_POOL, OF_EACH_METHOD, MAX_MEMBERS, LEAST_WEIGHT = 30, 3, 12, .01  # as in experiments/auto_select.c
NETS = {"listnet", "lambdarank", "listmle", "ranknet", "netreg"}
LINEAR = {"ranksvm", "crr", "coordinate-ascent"}
STEPS = 12


def run_gradus(*words):
    run = subprocess.run([f"{given.build}/gradus", *map(str, words), "-q", "--threads", str(given.threads)],
                         capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr)
    return run.stdout


def key_hash(text):
    """gr_hash of src/base/names.c, by which files of held-out scores are named."""
    data, mask = text.encode(), 2 ** 64 - 1
    value = 0x9E3779B97F4A7C15 ^ len(data)
    whole = len(data) // 8 * 8
    for i in range(0, whole, 8):
        value = (value ^ int.from_bytes(data[i:i + 8], "little")) * 0xD6E8FEB86659FD93 & mask
        value ^= value >> 32
    for byte in data[whole:]:
        value = (value ^ byte) * 0x100000001b3 & mask
    value ^= value >> 29
    value = value * 0xBF58476D1CE4E5B9 & mask
    return value ^ value >> 32


class Trial:
    """A setting with its scores of held-out and of test rows, divided by their deviation within held-out queries."""

    def __init__(self, fold, work, row, held, test, first):
        self.method, settings, _ = row["key"].split(" | ")
        self.is_default = first
        found = row["value"]
        self.value = found["valid"]
        scores = numpy.fromfile(f"{work}.jsonl.scores/{key_hash(row['key']):016x}.f64")
        model = f"{work}.{key_hash(row['key']):016x}.model"
        if not os.path.exists(model):
            words = dict(w.split("=", 1) for w in (settings + " " + found["fixed"]).split())
            if found["rounds"]:
                words.update(rounds=found["rounds"], patience=0, keep="last")
            run_gradus("train", "--train", fold / "train.txt", "--train", fold / "vali.txt", "-o", model,
                       *(f"--{name}={value}" for name, value in words.items()))
        starts = numpy.concatenate([[0], numpy.cumsum(held.group)]).astype(int)
        spread = math.sqrt(sum(((s - s.mean()) ** 2).sum() for s in
                               (scores[a:b] for a, b in zip(starts, starts[1:]))) / len(scores)) or 1.0
        self.held = scores / spread
        self.test = gradus.Ranker.load(model).predict(test) / spread


def values(data, scores):
    return gradus.evaluate(data, {"it": scores}, METRIC).by_query["it"][METRIC]


# ---- ways to choose weights: each takes the candidates, best first, and the held-out data

def bagged(pool, held):
    """What gradus auto does: greedy selection on bootstrap samples; the largest weights are kept."""
    if len(pool) == 1:
        return numpy.ones(1)
    weights = gradus.ensemble_select(held, [t.held for t in pool], raw=True, metric=METRIC)
    order = numpy.argsort(-weights, kind="stable")
    weights[order[MAX_MEMBERS:]] = 0
    weights[weights < LEAST_WEIGHT] = 0
    return weights / weights.sum()


def greedy(pool, held):
    """The same greedy selection once, with all members and all queries."""
    counts, best = numpy.zeros(len(pool)), None
    total = numpy.zeros(held.rows)
    for step in range(STEPS):
        if step < 2 and step < len(pool):
            chosen = step
        else:
            chosen = int(numpy.argmax([numpy.nanmean(values(held, total + t.held)) for t in pool]))
        counts[chosen] += 1
        total = total + pool[chosen].held
        value = numpy.nanmean(values(held, total))
        if step and (best is None or value > best[0]):
            best = value, counts / counts.sum()
    return best[1]


def equal(pool, _):
    return numpy.full(len(pool), 1 / len(pool))


def first(pool, _):
    return numpy.eye(1, len(pool))[0]


def best_of_methods(trials, limit=OF_EACH_METHOD):
    """The candidates: the best settings of each method."""
    kept = []
    for trial in sorted(trials, key=lambda t: -t.value):
        if sum(t.method == trial.method for t in kept) < limit:
            kept.append(trial)
    return kept[:MAX_POOL]


def is_forest(trial):
    return trial.method not in NETS | LINEAR


PARTS = {
    "full": (best_of_methods, bagged),
    "lambdamart, defaults": (lambda ts: [t for t in ts if t.is_default and t.method == "lambdamart"], first),
    "best single setting, defaults only": (lambda ts: best_of_methods([t for t in ts if t.is_default]), first),
    "best single setting": (best_of_methods, first),
    "ensemble of defaults only": (lambda ts: best_of_methods([t for t in ts if t.is_default]), bagged),
    "of tuned settings only": (lambda ts: best_of_methods([t for t in ts if not t.is_default]), bagged),
    "one setting per method": (lambda ts: best_of_methods(ts, 1), bagged),
    "forests only": (lambda ts: best_of_methods([t for t in ts if is_forest(t)]), bagged),
    "no forests": (lambda ts: best_of_methods([t for t in ts if not is_forest(t)]), bagged),
    "no nets": (lambda ts: best_of_methods([t for t in ts if t.method not in NETS]), bagged),
    "no linear models": (lambda ts: best_of_methods([t for t in ts if t.method not in LINEAR]), bagged),
    "no bagging: greedy selection once": (best_of_methods, greedy),
    "mean of all candidates": (best_of_methods, equal),
    "mean of the five best forests, one per method": (
        lambda ts: best_of_methods([t for t in ts if is_forest(t)], 1)[:5], equal),
}


def fold_values(fold, work):
    """The metric of each test query, by part."""
    model = f"{work}.model"
    if not os.path.exists(model):
        Path(f"{work}.json").write_text(run_gradus(
            "auto", "--train", fold / "train.txt", "--valid", fold / "vali.txt", "--test", fold / "test.txt",
            "--budget", given.budget, "--journal", f"{work}.jsonl", "-o", model, "--json"))
    held, test = gradus.read([fold / "train.txt", fold / "vali.txt"]), gradus.read(fold / "test.txt")
    lines = [json.loads(line) for line in Path(f"{work}.jsonl").read_text().splitlines()]
    trials, seen = [], set()
    for row in lines[1:]:
        method = row["key"].split(" | ")[0]
        if "scores" in row["value"]:
            trials.append(Trial(fold, work, row, held, test, method not in seen))
        seen.add(method)
    worst = max(abs(numpy.nanmean(values(held, t.held)) - t.value) for t in trials)
    found = {}
    for name, (choose, weigh) in PARTS.items():
        pool = choose(trials)
        weights = weigh(pool, held) if pool else []
        found[name] = values(test, sum((w * t.test for w, t in zip(weights, pool)), numpy.zeros(test.rows)))
    written = numpy.nanmean(values(test, gradus.Ranker.load(model)))
    print(f"{fold.name}: {len(trials)} settings; held-out values differ from the journal by {worst:.1e}, the full ensemble "
          f"from the model by {numpy.nanmean(found['full']) - written:+.1e}", file=sys.stderr, flush=True)
    return found


def main():
    os.makedirs(given.work, exist_ok=True)
    folds = [fold_values(fold, given.work / fold.name) for fold in sorted(given.folder.glob("Fold*"))
             if not given.folds or fold.name[4:] in given.folds.split(",")]
    every = {name: numpy.concatenate([f[name] for f in folds]) for name in PARTS}
    print("| | NDCG@10 | difference to full |\n|---|---|---|")
    for name, found in every.items():
        d = found - every["full"]
        d = d[~numpy.isnan(d)]
        error = d.std(ddof=1) / math.sqrt(len(d))
        print(f"| {name} | {numpy.nanmean(found):.4f} | " + (f"{d.mean():+.4f} ± {error:.4f} |" if name != "full" else "|"))


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("build")
parser.add_argument("folder", type=Path)
parser.add_argument("work", type=Path)
parser.add_argument("--budget", default="40")
parser.add_argument("--folds", help="only these: 1,2")
parser.add_argument("--threads", type=int, default=2)
given = parser.parse_args()
sys.path.insert(0, os.path.join(given.build, "python"))
import numpy  # noqa: E402
import gradus  # noqa: E402

main()
