#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the ways of combining models on the folds of LETOR data.

    PYTHONPATH=build/release/python bench/ensembles/ways.py FOLDER MODELS [--seeds N]

FOLDER has Fold1/train.txt, vali.txt and test.txt, and so on. The members of a fold are trained with
default options on train.txt, with vali.txt for early stopping, and kept in MODELS for the next run; they
are combined on vali.txt. Prints NDCG@10 on test.txt, the mean over the queries of all folds; the
difference to the single member that is best on vali.txt, with its standard error; and in how many folds
it is higher. --seeds N adds members with seeds 2 to N."""
import argparse
import math
import os
from pathlib import Path

import numpy as np

import gradus

METHODS = ["lambdamart", "regression", "mcrank", "cocr", "ranknet", "ranksvm", "coordinate-ascent"]
WAYS = ["exponential", "mean", "stacking-nonnegative", "borda", "reciprocal-rank", "standardized",
        "selection"]
METRIC = "ndcg@10"


def member(fold, models, method, seed):
    path = models / f"{fold.name}-{method}-{seed}.model"
    if not path.exists():
        ranker = gradus.Ranker(method, **({"seed": seed} if seed > 1 else {}))
        ranker.fit(str(fold / "train.txt"), eval_set=str(fold / "vali.txt")).save(path)
    return gradus.Ranker.load(path)


def values(data, ranker):
    return gradus.evaluate(data, {"it": ranker}, METRIC).by_query["it"][METRIC]


def fold_values(fold, models, seeds):
    """The metric of each test query, by name: members, the best one on vali.txt, and ensembles."""
    members = {f"{m} {s}" if seeds > 1 else m: member(fold, models, m, s)
               for s in range(1, seeds + 1) for m in METHODS}
    vali, test = gradus.read(str(fold / "vali.txt")), gradus.read(str(fold / "test.txt"))
    found = {name: values(test, ranker) for name, ranker in members.items()}
    best = max(members, key=lambda name: np.nanmean(values(vali, members[name])))
    found["best on vali"] = found[best]
    for way in WAYS:
        found[way] = values(test, gradus.ensemble(members, vali, way))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    os.makedirs(args.models, exist_ok=True)
    folds = [fold_values(fold, args.models, args.seeds)
             for fold in sorted(args.folder.glob("Fold*"))]
    every = {name: np.concatenate([f[name] for f in folds]) for name in folds[0]}
    print("| | NDCG@10 | difference to the best on vali | folds |\n|---|---|---|---|")
    for name, found in every.items():
        d = found - every["best on vali"]
        d = d[~np.isnan(d)]
        error = d.std(ddof=1) / math.sqrt(len(d))
        wins = sum(np.nanmean(f[name]) > np.nanmean(f["best on vali"]) for f in folds)
        print(f"| {name} | {np.nanmean(found):.4f} | {d.mean():+.4f} ± {error:.4f} | {wins} |")


if __name__ == "__main__":
    main()
