#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the scores of imported models with those of the tools that trained them.

Random models of XGBoost (JSON and UBJ) and LightGBM (text) are scored on 10,000 rows with missing
values, zeros, values at thresholds and one float beside them, and huge values. XGBoost adds floats, so the bits are compared with the sum in double of the leaves that
XGBoost reports (pred_leaf), and the difference from its own margins is printed too.

LightGBM is used through its C interface: scripts/lightgbm.sh builds it, unless the variable
LIGHTGBM_LIBRARY names lib_lightgbm.so.

usage: import.py BUILD_FOLDER [PART]   PART: only models whose name contains this text"""
import atexit
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: numpy: {missing}")
    sys.exit(77)

ROWS, FEATURES, TRAIN = 10000, 12, 3000
ONLY = sys.argv[2] if len(sys.argv) > 2 else ""
GRADUS = os.path.join(sys.argv[1], "gradus")
FOLDER = tempfile.mkdtemp()
atexit.register(shutil.rmtree, FOLDER)
failures = compared = 0
f32 = np.float32


def training_rows(rng, zeros):
    values = rng.normal(size=(TRAIN, FEATURES)).astype(f32)
    values[:, 3] = rng.integers(0, 6, TRAIN)
    values[:, 4] = np.exp(3 * values[:, 4])
    values[rng.random(values.shape) < zeros] = 0
    target = (values[:, 0] * 1.5 + np.abs(values[:, 1]) - 0.5 * values[:, 3] +
              np.where(values[:, 2] > 0, values[:, 5], 0) + 0.3 * rng.normal(size=TRAIN))
    values[rng.random(values.shape) < 0.08] = np.nan
    return values, target


def probe_rows(rng, thresholds):
    """Rows like the data, with values at thresholds, beside them, and unusual ones."""
    values = rng.normal(size=(ROWS, FEATURES)).astype(f32)
    values[:, 3] = rng.integers(-1, 7, ROWS)
    values[:, 4] = np.exp(3 * values[:, 4])
    for feature, cuts in thresholds.items():
        at = np.array(cuts).astype(f32)[rng.integers(0, len(cuts), ROWS)]
        beside = np.where(rng.random(ROWS) < 0.5, np.nextafter(at, f32(np.inf)),
                          np.nextafter(at, f32(-np.inf)))
        part = rng.random(ROWS)
        values[:, feature] = np.where(part < 0.2, at, np.where(part < 0.4, beside, values[:, feature]))
    unusual = [0.0, -0.0, 1e-35, -1e-35, 1.1e-35, -1.1e-35, 1e-45, 3e38, -3e38, 1e-30]
    odd = rng.random(values.shape) < 0.1
    values[odd] = rng.choice(np.array(unusual, dtype=f32), odd.sum())
    values[rng.random(values.shape) < 0.12] = np.nan
    values[0] = np.nan
    values[1] = 0
    return values


def gradus_scores(model, values, probabilities=0):
    data = os.path.join(FOLDER, "rows.txt")
    with open(data, "w") as out:
        for row in values:
            out.write("0 qid:1 " + " ".join(f"{f + 1}:{value!s}" for f, value in enumerate(row)) + "\n")
    words = [GRADUS, "score", model, data] + (["--probabilities"] if probabilities else [])
    run = subprocess.run(words, capture_output=True, text=True)
    if run.returncode:
        return run.stderr.strip()
    lines = [line.split() for line in run.stdout.splitlines()]
    if probabilities:
        return np.array([[float(word) for word in line[-probabilities:]] for line in lines
                         if line and line[-1][0].isdigit()])
    return np.array([float(line[0]) for line in lines])


def softmax(margins):
    powers = np.exp(margins - margins.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def report(tool, name, scores, wanted, tolerance, exact=None):
    """exact: what must be equal to the last bit, or nearly so for probabilities."""
    global failures, compared
    if isinstance(scores, str):
        print(f"DIFFERENT: {tool} {name}: {scores}")
        failures += 1
        return
    scale = np.abs(wanted).max()
    off = np.abs(scores - wanted).max()
    bits = "" if exact is None else f", {int((scores != exact).sum())} bits differ from its leaves"
    bad = off > tolerance * scale or (exact is not None and scores.ndim == 1 and (scores != exact).any())
    compared += 1
    failures += bad
    print(f"{'DIFFERENT: ' if bad else ''}{tool} {name}: {len(scores)} rows, largest difference "
          f"{off:.2g} ({off / scale:.1g} of the largest score){bits}")


# ---- XGBoost ----

def xgboost_thresholds(model):
    found = {}
    for tree in model["learner"]["gradient_booster"]["model"]["trees"]:
        for left, feature, cut in zip(tree["left_children"], tree["split_indices"],
                                      tree["split_conditions"]):
            if left >= 0:
                found.setdefault(feature, []).append(cut)
    return found


def xgboost_sums(model, leaves, link):
    """The base and the leaves of each row, added in double."""
    learner = model["learner"]
    trees = learner["gradient_booster"]["model"]["trees"]
    outputs = max(1, int(learner["learner_model_param"]["num_class"]))
    base = f32(learner["learner_model_param"]["base_score"])
    if link == "logit":
        base = -f32(np.log(np.float64(f32(1) / base - f32(1))))
    elif link == "log":
        base = f32(np.log(np.float64(base)))
    sums = np.full((len(leaves), outputs), float(base))
    info = learner["gradient_booster"]["model"]["tree_info"]
    for t, tree in enumerate(trees):
        values = np.array(tree["split_conditions"], dtype=f32).astype(float)
        sums[:, info[t]] += values[leaves[:, t].astype(int)]
    return sums


def compare_xgboost():
    try:
        import xgboost as xgb
    except ImportError as missing:
        print(f"skipped: XGBoost: {missing}")
        return
    tool = f"XGBoost {xgb.__version__}"
    rng = np.random.default_rng(23)
    grades = lambda y: np.clip(y, 0, 4).astype(int)
    three = lambda y: np.clip(y, 0, 2).astype(int)
    cases = [
        ("reg:squarederror", lambda y: y, {}, "identity"),
        ("reg:squarederror, leaf-wise, base 3", lambda y: y,
         dict(grow_policy="lossguide", max_leaves=40, max_depth=0, tree_method="hist", base_score=3.0),
         "identity"),
        ("reg:squarederror, early stopping", lambda y: y, dict(stop=True, eta=0.7), "identity"),
        ("reg:squarederror, random forest", lambda y: y,
         dict(num_parallel_tree=10, subsample=0.5, rounds=3), "identity"),
        ("binary:logistic, base 0.2", lambda y: (y > 1).astype(int), dict(base_score=0.2), "logit"),
        ("binary:logitraw", lambda y: (y > 1).astype(int), {}, "identity"),
        ("count:poisson", grades, {}, "log"),
        ("reg:gamma", lambda y: np.exp(y / 3), {}, "log"),
        ("reg:tweedie", lambda y: np.clip(y, 0, None), {}, "log"),
        ("rank:pairwise", grades, {}, "identity"),
        ("rank:ndcg", grades, dict(max_depth=3), "identity"),
        ("multi:softprob", three, dict(num_class=3), "identity"),
        ("multi:softmax, random forest", three,
         dict(num_class=3, num_parallel_tree=4, subsample=0.5, rounds=4), "identity"),
        ("one tree", lambda y: y, dict(rounds=1, max_depth=1), "identity"),
    ]
    for name, labels, parameters, link in cases:
        if ONLY not in "XGBoost " + name:
            continue
        values, target = training_rows(rng, 0.2)
        data = xgb.DMatrix(values, label=labels(target))
        if name.startswith("rank"):
            data.set_group([10] * (TRAIN // 10))
        rounds, stop = parameters.pop("rounds", 30), parameters.pop("stop", False)
        objective = name.split(",")[0] if ":" in name else "reg:squarederror"
        parameters = dict(dict(objective=objective, max_depth=6, seed=3, nthread=2), **parameters)
        extra = {}
        if stop:
            held, held_target = training_rows(rng, 0.2)
            extra = dict(evals=[(xgb.DMatrix(held, label=held_target), "held")],
                         early_stopping_rounds=5, verbose_eval=False)
        booster = xgb.train(parameters, data, rounds, **extra)
        model = json.loads(booster.save_raw("json"))
        rows = probe_rows(rng, xgboost_thresholds(model))
        matrix = xgb.DMatrix(rows)
        every = (0, 0) if not stop else (0, booster.num_boosted_rounds())
        margins = booster.predict(matrix, output_margin=True, iteration_range=every).astype(float)
        leaves = booster.predict(matrix, pred_leaf=True, iteration_range=every)
        sums = xgboost_sums(model, leaves.reshape(ROWS, -1), link)
        for kind in ("json", "ubj"):
            path = os.path.join(FOLDER, "model." + kind)
            booster.save_model(path)
            if sums.shape[1] > 1:
                report(tool, f"{name} ({kind})", gradus_scores(path, rows, sums.shape[1]),
                       softmax(margins), 1e-6, softmax(sums))
            else:
                report(tool, f"{name} ({kind})", gradus_scores(path, rows), margins, 3e-6,
                       sums[:, 0])


# ---- LightGBM ----

class LightGBM:
    """The few functions of the C interface that are needed here."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.LGBM_GetLastError.restype = ctypes.c_char_p

    def call(self, name, *words):
        if getattr(self.library, "LGBM_" + name)(*words) != 0:
            raise RuntimeError(self.library.LGBM_GetLastError().decode())

    def train(self, values, labels, groups, parameters, rounds, path):
        data, booster = ctypes.c_void_p(), ctypes.c_void_p()
        values = np.ascontiguousarray(values, dtype=np.float64)
        text = " ".join(f"{key}={value}" for key, value in parameters.items()).encode()
        self.call("DatasetCreateFromMat", values.ctypes.data_as(ctypes.c_void_p), 1, len(values),
                  values.shape[1], 1, text, None, ctypes.byref(data))
        labels = labels.astype(f32)
        self.call("DatasetSetField", data, b"label", labels.ctypes.data_as(ctypes.c_void_p),
                  len(labels), 0)
        if groups is not None:
            groups = np.array(groups, dtype=np.int32)
            self.call("DatasetSetField", data, b"group", groups.ctypes.data_as(ctypes.c_void_p),
                      len(groups), 2)
        self.call("BoosterCreate", data, text, ctypes.byref(booster))
        done = ctypes.c_int(0)
        for _ in range(rounds):
            if not done.value:
                self.call("BoosterUpdateOneIter", booster, ctypes.byref(done))
        self.call("BoosterSaveModel", booster, 0, -1, 0, path.encode())
        self.call("BoosterFree", booster)
        self.call("DatasetFree", data)

    def raw_scores(self, path, values, outputs):
        booster, rounds, length = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_int64()
        values = np.ascontiguousarray(values, dtype=np.float64)
        scores = np.zeros((len(values), outputs))
        self.call("BoosterCreateFromModelfile", path.encode(), ctypes.byref(rounds),
                  ctypes.byref(booster))
        self.call("BoosterPredictForMat", booster, values.ctypes.data_as(ctypes.c_void_p), 1,
                  len(values), values.shape[1], 1, 1, 0, -1, b"", ctypes.byref(length),
                  scores.ctypes.data_as(ctypes.c_void_p))
        self.call("BoosterFree", booster)
        return scores


def lightgbm_library():
    if os.environ.get("LIGHTGBM_LIBRARY"):
        return os.environ["LIGHTGBM_LIBRARY"]
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lightgbm.sh")
    run = subprocess.run([script], capture_output=True, text=True)
    return os.path.join(run.stdout.strip(), "lightgbm", "lib", "lib_lightgbm.so")


def lightgbm_thresholds(path):
    found, features = {}, []
    for line in open(path):
        if line.startswith("split_feature="):
            features = [int(word) for word in line.split("=")[1].split()]
        elif line.startswith("threshold="):
            for feature, word in zip(features, line.split("=")[1].split()):
                found.setdefault(feature, []).append(float(word))
    for feature in found:
        found[feature] = list(np.clip(found[feature], -3e38, 3e38))
    return found


def compare_lightgbm():
    path = lightgbm_library()
    if not os.path.exists(path):
        print("skipped: LightGBM: lib_lightgbm.so could not be built")
        return
    tool, lightgbm = "LightGBM", LightGBM(path)
    rng = np.random.default_rng(24)
    grades = lambda y: np.clip(y, 0, 4).astype(int)
    three = lambda y: np.clip(y, 0, 2).astype(int)
    cases = [
        ("regression", lambda y: y, {}),
        ("regression, labels near 1000", lambda y: y + 1000, {}),
        ("regression_l1, 127 leaves", lambda y: y, dict(objective="regression_l1", num_leaves=127)),
        ("lambdarank", grades, dict(objective="lambdarank")),
        ("rank_xendcg", grades, dict(objective="rank_xendcg")),
        ("binary", lambda y: (y > 1).astype(int), dict(objective="binary")),
        ("poisson", grades, dict(objective="poisson")),
        ("dart", lambda y: y, dict(boosting="dart")),
        ("rf", lambda y: y, dict(boosting="rf", bagging_freq=1, bagging_fraction=0.6,
                                 feature_fraction=0.7)),
        ("use_missing=false", lambda y: y, dict(use_missing="false")),
        ("zero_as_missing, depth 3", lambda y: y, dict(zero_as_missing="true", max_depth=3)),
        ("zero_as_missing", lambda y: y, dict(zero_as_missing="true")),
        ("multiclass", three, dict(objective="multiclass", num_class=3)),
        ("multiclassova", three, dict(objective="multiclassova", num_class=3)),
        ("no splits", lambda y: y, dict(min_data_in_leaf=TRAIN)),
    ]
    for name, labels, parameters in cases:
        if ONLY not in "LightGBM " + name:
            continue
        values, target = training_rows(rng, 0.3)
        model = os.path.join(FOLDER, "model.txt")
        outputs = parameters.get("num_class", 1)
        settings = dict(dict(objective="regression", num_leaves=31, verbosity=-1, seed=3,
                             num_threads=2), **parameters)
        groups = [10] * (TRAIN // 10) if "rank" in name else None
        lightgbm.train(values, labels(target), groups, settings, 50, model)
        rows = probe_rows(rng, lightgbm_thresholds(model))
        # LightGBM reads such values as 0 before it evaluates the trees
        rows[np.abs(rows) <= f32(1e-35)] = 0
        raw = lightgbm.raw_scores(model, rows, outputs)
        if name == "rf":
            raw /= 50  # predict() averages, raw scores are sums
        if name == "multiclass":
            report(tool, name, gradus_scores(model, rows, outputs), softmax(raw), 1e-7)
        elif outputs > 1:
            odds = 1 / (1 + np.exp(-raw))
            report(tool, name, gradus_scores(model, rows, outputs),
                   odds / odds.sum(axis=1, keepdims=True), 1e-7)
        else:
            report(tool, name, gradus_scores(model, rows), raw[:, 0], 1e-7)


compare_xgboost()
compare_lightgbm()
if not compared:
    sys.exit(77)
sys.exit(1 if failures else 0)
