#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""One training with another tool, in its own process; prints one line of JSON.

usage: others.py TOOL TASK TRAIN TEST ROUNDS LEAVES THREADS SCORES [NAME=VALUE ...]
TOOL: xgboost, lightgbm or sklearn. TASK: regression or ranking. TRAIN, TEST: prefixes written by
bench_dump (TEST may be "-"). SCORES: output file for the scores of TEST. NAME=VALUE:
further parameters.

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


def load(prefix):
    return [np.load(f"{prefix}.{part}.npy") for part in "xyq"]


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
    sys.path.insert(0, os.environ.get("LIGHTGBM", "")) # the folder of its Python package
    import lightgbm
    settings = {"objective": "regression" if task == "regression" else "lambdarank",
                "num_leaves": leaves, "max_bin": 255, "learning_rate": 0.1, "min_data_in_leaf": 20,
                "num_threads": threads, "verbosity": -1, "force_row_wise": True, **more}
    if "force_col_wise" in more:
        del settings["force_row_wise"]
    start = Clock()
    data = lightgbm.Dataset(x, label=y, group=q if task == "ranking" else None, params=settings)
    data.construct()
    binned = Clock()
    model = lightgbm.train(settings, data, rounds)
    end = Clock()
    return binned - start, end - binned, model.predict


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


x, y, q = load(train)
binning, training, predict = {"xgboost": by_xgboost, "lightgbm": by_lightgbm, "sklearn": by_sklearn}[tool](x, y, q)
print(json.dumps({"rows": x.shape[0], "features": x.shape[1], "rounds": rounds,
                  "bin_seconds": binning[0], "train_seconds": training[0],
                  "total_seconds": binning[0] + training[0],
                  "round_seconds": training[0] / rounds, "bin_processor_seconds": binning[1],
                  "train_processor_seconds": training[1], "peak_bytes": resident("VmHWM")}))
if test != "-":
    np.savetxt(scores, predict(load(test)[0]), fmt="%.9g")
