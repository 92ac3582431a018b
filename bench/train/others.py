#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""One training with another tool, in its own process; prints one line of JSON.

usage: others.py TOOL TASK TRAIN TEST ROUNDS LEAVES THREADS SCORES [NAME=VALUE ...]
TOOL: xgboost, lightgbm or sklearn. TASK: regression, ranking or, with LightGBM, classes (one tree per grade and
round; scores are expected grades). TRAIN, TEST: prefixes written by
bench_dump (TEST may be "-"). SCORES: output file for the scores of TEST. NAME=VALUE:
further parameters; bins=FILE makes LightGBM keep its bins in a file, or read them from it.

bin_seconds is the data set-up from a float32 matrix in memory; train_seconds are the rounds
alone. XGBoost 1.7 with DMatrix bins lazily, in the first round; QuantileDMatrix bins on
construction, so that the two can be separated, and needs less memory. scikit-learn's fit does
both: the clock is read when its _bin_data returns."""
import json
import os
import sys
import time

tool, task, train, test, rounds, leaves, threads, scores = sys.argv[1:9]
rounds, leaves, threads = int(rounds), int(leaves), int(threads)
more = dict(word.split("=", 1) for word in sys.argv[9:])
os.environ["OMP_NUM_THREADS"] = str(threads)

import numpy as np  # noqa: E402 (the number of threads must be set first)


def load(prefix, mapped=False):
    """Values, grades and rows per query; mapped: the values will not be read."""
    return [np.load(f"{prefix}.{part}.npy", mmap_mode="r" if mapped else None) for part in "xyq"]


def resident(name):
    """Returns the bytes of VmHWM, RssAnon, ... of this process."""
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith(name + ":"))


class Clock:
    """Returns wall-clock seconds and processor seconds, as an array of two."""
    def __init__(self):
        used = os.times()
        self.at = np.array([time.perf_counter(), used.user + used.system])

    def __sub__(self, earlier):
        return self.at - earlier.at


def by_xgboost(x, y, q):
    import xgboost
    xgboost.set_config(verbosity=0)
    # Minimum rows per leaf: the hessian of a row is 1 in regression. In ranking it is not, and
    # XGBoost keeps its default.
    settings = {"objective": "reg:squarederror" if task == "regression" else "rank:ndcg",
                "tree_method": "hist", "grow_policy": "lossguide", "max_depth": 0,
                "max_leaves": leaves, "max_bin": 256, "eta": 0.1, "nthread": threads,
                "min_child_weight": 20 if task == "regression" else 1, **more}
    start = Clock()
    data = xgboost.QuantileDMatrix(x, label=y, max_bin=int(settings["max_bin"]), nthread=threads)
    if task == "ranking":
        data.set_group(q)
    binned = Clock()
    model = xgboost.train(settings, data, rounds)
    end = Clock()
    return binned - start, end - binned, lambda rows: model.inplace_predict(rows)


def by_lightgbm(x, y, q):
    from lightgbm_c import LightGBM
    classes = int(y.max()) + 1 if task == "classes" else 1
    settings = {"objective": {"regression": "regression", "ranking": "lambdarank",
                              "classes": "multiclass"}[task],
                "num_leaves": leaves, "max_bin": 255, "learning_rate": 0.1, "min_data_in_leaf": 20,
                "num_threads": threads, "verbosity": -1, "force_row_wise": "true", **more}
    bins = settings.pop("bins", None)  # a file that keeps the bins for other trainings on the same rows
    if "force_col_wise" in more:
        del settings["force_row_wise"]
    if task == "classes":
        settings["num_class"] = classes
    model = LightGBM(settings)
    start = Clock()
    if kept:
        model.load_bins(bins)
    else:
        model.bin(x, y, q)
    binned = Clock()
    model.train(rounds)
    end = Clock()
    if bins and not kept:
        model.save_bins(bins)

    def predict(rows):
        """The expected grade if the outputs are probabilities of grades."""
        found = np.array(model.predict(rows, classes)).reshape(-1, classes)
        return found @ np.arange(classes) if classes > 1 else found[:, 0]

    return binned - start, end - binned, predict


def by_sklearn(x, y, q):
    from sklearn.ensemble import HistGradientBoostingRegressor as Booster
    bin_data, marks = Booster._bin_data, []

    def timed(self, *words, **options):
        answer = bin_data(self, *words, **options)
        marks.append(Clock())
        return answer

    Booster._bin_data = timed
    model = Booster(max_leaf_nodes=leaves, max_bins=255, learning_rate=0.1, max_iter=rounds,
                    min_samples_leaf=20, early_stopping=False,
                    **{name: float(value) for name, value in more.items()})
    start = Clock()
    model.fit(x, y)
    end = Clock()
    return marks[0] - start, end - marks[0], model.predict


kept = os.path.exists(more.get("bins", ""))  # by an earlier training
x, y, q = load(train, mapped=kept)
binning, training, predict = {"xgboost": by_xgboost, "lightgbm": by_lightgbm, "sklearn": by_sklearn}[tool](x, y, q)
found = {"rows": x.shape[0], "features": x.shape[1], "rounds": rounds,
         "train_seconds": training[0], "round_seconds": training[0] / rounds,
         "train_processor_seconds": training[1], "peak_bytes": resident("VmHWM")}
if not kept:
    found.update(bin_seconds=binning[0], total_seconds=binning[0] + training[0],
                 bin_processor_seconds=binning[1])
print(json.dumps(found))
if test != "-":
    np.savetxt(scores, predict(load(test)[0]), fmt="%.9g")
