#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every method on the LETOR data sets, against XGBoost with the same grid of settings.

usage: bench/papers/quality.py BUILD FOLDER DATA [--rounds N] [--sets LIST] [--methods LIST]
                               [--markdown]

DATA is a folder with LETOR's parts (mq2008/S1.txt.gz ...) and folds.sh. For each fold the
settings (7, 15 or 31 leaves, learning rate .05 or .1; at least 20 rows per leaf) and the round,
of at most N (300), are those with the best NDCG@10 on the validation part; both tools stop
after 50 rounds without improvement. Together the test parts contain every query once. A table
row has the mean over queries with its standard error, and the difference from each objective of
XGBoost with the standard error of that paired difference. `worse` marks values that are lower
by more than one standard error of the mean, `*` by more than one of the difference: equal
methods get a star in one of six comparisons.

XGBoost gets the rows of a query in random order, so that it cannot profit from the order of the
file where scores tie; all test scores are evaluated by `gradus eval`, which averages over ties.
XGBoost's scores are kept in FOLDER and reused by the next run."""
import argparse
import itertools
import os
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from papers_common import LETOR, Gradus, in_parallel, join, make_folds, table

LEAVES, RATES = (7, 15, 31), (0.05, 0.1)
GRID = list(itertools.product(LEAVES, RATES))
LEAST, PATIENCE = 20, 50
METHODS = {
    "regression, grade": {"method": "regression", "target": "grade"},
    "regression, gain": {"method": "regression", "target": "gain"},
    "cocr, absolute": {"method": "cocr", "cost": "absolute"},
    "cocr, squared": {"method": "cocr", "cost": "squared"},
    "cocr, oerr": {"method": "cocr", "cost": "oerr"},
    "mcrank": {"method": "mcrank"},
    "mcrank-ordinal": {"method": "mcrank-ordinal"},
    "lambdamart, ndcg": {"method": "lambdamart", "lambda_metric": "ndcg"},
    "lambdamart, err": {"method": "lambdamart", "lambda_metric": "err"},
    "lambdamart, map": {"method": "lambdamart", "lambda_metric": "map"},
}
OBJECTIVES = ("rank:ndcg", "reg:squarederror")


def train_gradus(gradus, name, method, fold, parts, rounds):
    """Returns the scores of the test part by the best settings of the grid."""
    stem = gradus.path(f"{name}/{method.replace(', ', '-')}-{fold}")
    best, kept = -1.0, None
    for i, (leaves, rate) in enumerate(GRID):
        model = f"{stem}.{i}.model"
        found = gradus.train(model, parts[0], parts[1], metric="ndcg@10", rounds=rounds,
                             patience=PATIENCE, leaves=leaves, learning_rate=rate, min_rows=LEAST,
                             **METHODS[method])
        value = found["metrics"]["valid"]["ndcg@10"]
        if value > best:
            best, kept = value, model
    gradus.score(kept, parts[2], stem + ".scores")
    for i in range(len(GRID)):
        os.remove(f"{stem}.{i}.model")
    return stem + ".scores"


def load_shuffled(file, seed):
    """Writes a LETOR text file for XGBoost with rows shuffled within queries; returns their
    positions."""
    import numpy as np
    from sklearn.datasets import load_svmlight_file
    x, y, queries = load_svmlight_file(file, query_id=True, dtype=np.float32)
    keys = np.random.RandomState(seed).rand(len(y))
    starts = np.flatnonzero(np.concatenate([[True], queries[1:] != queries[:-1]]))
    group = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(y))))
    order = np.lexsort((keys, group))
    return x.toarray()[order], y[order], np.diff(np.append(starts, len(y))), order


def train_xgboost(objective, files, out, rounds):
    import numpy as np
    import xgboost
    if os.path.exists(out):
        return out
    xgboost.set_config(verbosity=0)
    sets, orders = [], []
    for seed, file in enumerate(files):
        x, y, sizes, order = load_shuffled(file, seed)
        matrix = xgboost.DMatrix(x, label=y)
        matrix.set_group(sizes)
        sets.append(matrix)
        orders.append(order)
    best, kept = -1.0, None
    # in ranking the hessian of a row is not 1, as it is in regression: the default is used
    least = LEAST if objective.startswith("reg") else 1
    for leaves, rate in GRID:
        curve = {}
        model = xgboost.train({"objective": objective, "tree_method": "hist", "eta": rate,
                               "grow_policy": "lossguide", "max_depth": 0, "max_leaves": leaves,
                               "max_bin": 256, "min_child_weight": least, "nthread": 1,
                               "eval_metric": "ndcg@10-"}, sets[0], rounds,
                              evals=[(sets[1], "valid")], evals_result=curve, verbose_eval=False,
                              early_stopping_rounds=PATIENCE)
        values = curve["valid"]["ndcg@10-"]
        if max(values) > best:
            best = max(values)
            kept = model.predict(sets[2], output_margin=True,
                                 iteration_range=(0, values.index(best) + 1))
    scores = np.empty(len(kept))
    scores[orders[2]] = kept
    np.savetxt(out, scores, fmt="%.9g")
    return out


def xgboost_there():
    try:
        import sklearn  # noqa: F401
        import xgboost  # noqa: F401
    except ImportError as missing:
        print(f"skipped: XGBoost: {missing}")
        return False
    return True


def mean_and_error(values):
    return statistics.mean(values), statistics.stdev(values) / len(values) ** 0.5


def report(gradus, name, tests, files, markdown):
    """Prints the table of a data set: every method and the objectives of XGBoost."""
    values = {method: gradus.by_query(tests, file, "ndcg@10") for method, file in files.items()}
    rivals = [f"XGBoost {objective}" for objective in OBJECTIVES if f"XGBoost {objective}" in files]
    rows, worse, stars = [], [], []
    for method, found in values.items():
        mean, own_error = mean_and_error(list(found.values()))
        row = [method, f"{mean:.4f}", f"{own_error:.4f}"]
        for rival in rivals:
            if method == rival:
                row += ["", ""]
                continue
            mean, error = mean_and_error([found[q] - values[rival][q] for q in found])
            mark = ""
            if not method.startswith("XGBoost") and mean < -error:
                mark = "worse" if mean < -own_error else "*"
                (worse if mark == "worse" else stars).append(f"{LETOR[name]}: {method} than {rival}")
            row += [f"{mean:+.4f} ({error:.4f})", mark]
        rows.append(row)
    print(f"{LETOR[name]}: NDCG@10, {len(next(iter(values.values())))} queries")
    table(["", "mean", "error"] + [cell for rival in rivals for cell in (f"over {rival}", "")],
          rows, markdown)
    return worse, stars


def main():
    words = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("build")
    words.add_argument("folder")
    words.add_argument("data")
    words.add_argument("--rounds", type=int, default=300)
    words.add_argument("--sets", default=",".join(LETOR))
    words.add_argument("--methods", default=";".join(METHODS), help="apart by ;")
    words.add_argument("--markdown", action="store_true")
    given = words.parse_args()
    gradus, began, worse = Gradus(given.build, given.folder, threads=1), time.perf_counter(), ([], [])
    methods = [method for method in given.methods.split(";") if method]
    workers = len(os.sched_getaffinity(0))
    rivals = OBJECTIVES if xgboost_there() else ()
    for name in given.sets.split(","):
        made = make_folds(gradus, given.data, name)
        if not made:
            continue
        folds, tests = made
        jobs = [(method, fold) for method in methods for fold in range(5)]
        found = in_parallel(lambda job: train_gradus(gradus, name, *job, folds[job[1]],
                                                     given.rounds), jobs)
        files = dict(zip(jobs, found))
        ours = time.perf_counter() - began
        with ProcessPoolExecutor(workers) as pool:
            theirs = {(objective, fold): pool.submit(
                train_xgboost, objective,
                [gradus.path(f"{name}/Fold{fold + 1}/{part}.txt")
                 for part in ("train", "vali", "test")],
                gradus.path(f"{name}/xgboost-{objective[:4]}-{fold}.scores"), given.rounds)
                for objective in rivals for fold in range(5)}
            files.update({(f"XGBoost {objective}", fold): job.result()
                          for (objective, fold), job in theirs.items()})
        joined = {}
        for method in dict.fromkeys(method for method, _ in files):
            stem = gradus.path(f"{name}/{method.replace(', ', '-').replace(':', '-')}")
            joined[method] = join([files[method, fold] for fold in range(5)], stem + ".scores")
        for all_of, found in zip(worse, report(gradus, name, tests, joined, given.markdown)):
            all_of.extend(found)
        print(f"(gradus {ours:.0f} s, total {time.perf_counter() - began:.0f} s so far)\n")
    for found, of in zip(worse, ("mean", "difference only")):
        print(f"lower than XGBoost by more than one standard error of the {of}: "
              + ("; ".join(found) or "none"))


if __name__ == "__main__":
    sys.exit(main())
