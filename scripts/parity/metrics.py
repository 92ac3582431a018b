#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares metrics of libgradus with those of XGBoost, scikit-learn and scipy, on data made here:
many queries with ties, short lists, and queries without relevant documents. One line a comparison,
with the largest difference found; fails above 1e-12, for XGBoost, whose scores are 32-bit, above
1e-6.

usage: metrics.py BUILD_FOLDER"""
import ctypes
import os
import sys
import warnings

try:
    import numpy as np
except ImportError:
    print("skipped: numpy: not installed")
    sys.exit(77)

pointer = ctypes.c_void_p


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 508)]


class Arrays(ctypes.Structure):
    _fields_ = [("rows", ctypes.c_size_t), ("features", ctypes.c_size_t), ("values", pointer),
                ("stride", ctypes.c_size_t), ("row_starts", pointer), ("columns", pointer),
                ("entries", pointer), ("labels", pointer), ("queries", ctypes.c_size_t),
                ("query_starts", pointer), ("row_weights", pointer), ("query_weights", pointer),
                ("names", pointer * 9)]  # of features, queries and documents; queries of rows


class Result(ctypes.Structure):
    _fields_ = [("metric", ctypes.c_char_p), ("mean", ctypes.c_double),
                ("counted", ctypes.c_size_t), ("empty", ctypes.c_size_t),
                ("short_lists", ctypes.c_size_t), ("by_query", ctypes.POINTER(ctypes.c_double)),
                ("lower_is_better", ctypes.c_bool)]


def load(folder):
    path = folder if os.path.isfile(folder) else os.path.join(folder, "libgradus.so")
    library = ctypes.CDLL(os.path.abspath(path))
    for name in ("gradus_options_new", "gradus_dataset_borrow", "gradus_evaluate"):
        getattr(library, name).restype = pointer
    library.gradus_options_new.argtypes = [ctypes.c_char_p, pointer]
    library.gradus_options_set.argtypes = [pointer, ctypes.c_char_p, ctypes.c_char_p, pointer]
    library.gradus_options_free.argtypes = [pointer]
    library.gradus_dataset_borrow.argtypes = [pointer, pointer]
    library.gradus_dataset_free.argtypes = [pointer]
    library.gradus_evaluate.argtypes = [pointer] * 5
    library.gradus_evaluation_at.restype = ctypes.c_bool
    library.gradus_evaluation_at.argtypes = [pointer, ctypes.c_size_t, pointer]
    library.gradus_evaluation_free.argtypes = [pointer]
    return library


class Lists:
    """Queries of documents with labels and scores."""

    def __init__(self, seed, queries, longest, grades, scores, first=1):
        random = np.random.RandomState(seed)
        self.sizes = random.randint(first, longest + 1, queries)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.uint64)
        rows = int(self.starts[-1])
        self.labels = np.minimum(random.poisson(0.6, rows), grades - 1).astype(np.float32)
        # multiples of 1/scores are exact in 32 bits, and tie
        self.scores = random.randint(1, scores, rows) / scores
        self.weights = random.randint(1, 5, rows).astype(np.float32)

    def each(self):
        for a, b in zip(self.starts[:-1], self.starts[1:]):
            yield self.labels[int(a):int(b)].astype(float), self.scores[int(a):int(b)]


def evaluate(library, lists, metric, weights=None, **options):
    """The mean of a metric, and its values by query."""
    err = Error()
    values = np.zeros((len(lists.labels), 1), np.float32)
    arrays = Arrays(rows=len(lists.labels), features=1, values=values.ctypes.data, stride=1,
                    labels=lists.labels.ctypes.data, queries=len(lists.sizes),
                    query_starts=lists.starts.ctypes.data,
                    row_weights=None if weights is None else weights.ctypes.data)
    data = library.gradus_dataset_borrow(ctypes.byref(arrays), ctypes.byref(err))
    chosen = library.gradus_options_new(b"evaluate", ctypes.byref(err))
    for name, value in dict(options, metric=metric).items():
        name = {"short_lists": "short"}.get(name, name).replace("_", "-")
        if library.gradus_options_set(chosen, name.encode(), value.encode(), ctypes.byref(err)):
            sys.exit(err.message.decode())
    found = library.gradus_evaluate(None, data, lists.scores.ctypes.data, chosen, ctypes.byref(err))
    if not found:
        sys.exit(err.message.decode())
    result = Result()
    library.gradus_evaluation_at(found, 0, ctypes.byref(result))
    count = 1 if options.get("within") == "all" else len(lists.sizes)
    answer = result.mean, np.array(result.by_query[:count])
    library.gradus_evaluation_free(found)
    library.gradus_options_free(chosen)
    library.gradus_dataset_free(data)
    return answer


class Report:
    def __init__(self):
        self.compared = self.failed = 0

    def line(self, what, found, wanted, most):
        found, wanted = np.atleast_1d(found), np.atleast_1d(wanted)
        difference = np.abs(found - wanted)
        worst = float(np.max(np.where(np.isnan(found) & np.isnan(wanted), 0.0, difference)))
        good = worst <= most
        self.compared += 1
        self.failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {what}: {len(found)} values, largest difference "
              f"{worst:.2g}")


def compare_xgboost(library, report):
    try:
        import xgboost
    except ImportError:
        print("skipped: xgboost: not installed")
        return
    tool = f"XGBoost {xgboost.__version__}"

    def value(lists, metric, labels=None, objective="rank:pairwise", margin=None):
        matrix = xgboost.DMatrix(np.zeros((len(lists.labels), 1)),
                                 label=lists.labels if labels is None else labels)
        if objective.startswith("rank"):
            matrix.set_group(lists.sizes)
        matrix.set_base_margin(lists.scores if margin is None else margin)
        model = xgboost.train({"objective": objective, "eval_metric": metric,
                               "disable_default_eval_metric": 1}, matrix, 0)
        return float(model.eval(matrix).rsplit(":", 1)[1])

    def check(metric, theirs, **options):
        found, wanted = [], []
        for seed in range(5):
            lists = Lists(seed, 200, 30, 5, 64)
            found.append(evaluate(library, lists, metric, convention="xgboost", **options)[0])
            wanted.append(value(lists, theirs))
        report.line(f"{metric} = {theirs} of {tool}", found, wanted, 1e-6)

    for depth in ("", "@1", "@5", "@10", "@100"):
        check("ndcg" + depth, "ndcg" + depth)
        if depth:
            check("ndcg" + depth, "ndcg" + depth + "-", empty="zero")
            check("map" + depth, "map" + depth + "-", empty="zero", map_divisor="relevant")
            check("p" + depth, "pre" + depth)
        check("map" + depth, "map" + depth, map_divisor="relevant")
    for metric in ("rmse", "mae"):
        check(metric, metric)
    lists = Lists(9, 200, 30, 5, 64)
    binary, margin = (lists.labels >= 1).astype(float), np.log(lists.scores / (1 - lists.scores))
    for metric, theirs, options in (("log-loss", "logloss", {}), ("auc", "auc", {"within": "all"})):
        report.line(f"{metric} = {theirs} of {tool}",
                    evaluate(library, lists, metric, **options)[0],
                    value(lists, theirs, binary, "binary:logistic", margin), 1e-6)


def compare_sklearn(library, report):
    try:
        import sklearn
        from sklearn import metrics
    except ImportError:
        print("skipped: scikit-learn: not installed")
        return
    tool = f"scikit-learn {sklearn.__version__}"
    lists = Lists(20, 300, 40, 5, 16, first=2)
    for depth in (None, 1, 3, 10):
        suffix = f"@{depth}" if depth else ""
        for gain, power in (("linear", lambda y: y), ("exp", lambda y: 2 ** y - 1)):
            for name, theirs in (("ndcg", metrics.ndcg_score), ("dcg", metrics.dcg_score)):
                found = evaluate(library, lists, name + suffix, gain=gain, empty="zero")[1]
                wanted = [theirs([power(y)], [s], k=depth) for y, s in lists.each()]
                report.line(f"{name}{suffix}, gain {gain} = {name}_score of {tool}", found, wanted,
                            1e-12)
    binary, scores, weights = lists.labels >= 1, lists.scores, lists.weights
    every = {"within": "all"}
    report.line(f"auc = roc_auc_score of {tool}", evaluate(library, lists, "auc", **every)[0],
                metrics.roc_auc_score(binary, scores), 1e-12)
    for metric, theirs in (("log-loss", metrics.log_loss), ("brier", metrics.brier_score_loss)):
        report.line(f"{metric} = {theirs.__name__} of {tool}",
                    evaluate(library, lists, metric)[0], theirs(binary, scores), 1e-12)
        report.line(f"{metric}, weighted = {theirs.__name__} of {tool}",
                    evaluate(library, lists, metric, weights)[0],
                    theirs(binary, scores, sample_weight=weights), 1e-12)
    for metric, theirs in (("mse", metrics.mean_squared_error),
                           ("mae", metrics.mean_absolute_error)):
        report.line(f"{metric}, weighted = {theirs.__name__} of {tool}",
                    evaluate(library, lists, metric, weights)[0],
                    theirs(lists.labels.astype(float), scores, sample_weight=weights), 1e-12)
    # without ties sklearn's average precision is the usual one
    lists.scores = np.random.RandomState(21).permutation(len(scores)) / len(scores)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = [metrics.average_precision_score(y >= 1, s) for y, s in lists.each()]
    report.line(f"map = average_precision_score of {tool}",
                evaluate(library, lists, "map", empty="zero")[1], np.nan_to_num(wanted), 1e-12)


def compare_scipy(library, report):
    try:
        import scipy
        from scipy.stats import kendalltau
    except ImportError:
        print("skipped: scipy: not installed")
        return
    lists = Lists(30, 300, 40, 5, 16, first=2)
    found = evaluate(library, lists, "kendall")[1]
    # where all scores are equal scipy has no value and gradus has 0
    wanted = [0.0 if len(set(s)) == 1 and len(set(y)) > 1 else kendalltau(y, s)[0]
              for y, s in lists.each()]
    report.line(f"kendall = kendalltau of scipy {scipy.__version__}", found, wanted, 1e-12)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    library, report = load(sys.argv[1]), Report()
    compare_xgboost(library, report)
    compare_sklearn(library, report)
    compare_scipy(library, report)
    print(f"{report.compared} comparisons, {report.failed} failed")
    sys.exit(1 if report.failed else 0 if report.compared else 77)


if __name__ == "__main__":
    main()
