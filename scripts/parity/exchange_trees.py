#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares exported trees with XGBoost and LightGBM, which load and run them.

Models of many methods, transforms and ensembles are trained on data with missing values, exported,
and run on rows at, below and above thresholds, missing, -0.0 and huge. XGBoost reads the JSON and
the UBJ, and prints the dump: leaves and numbers must be the same, sums within float rounding.
LightGBM (scripts/lightgbm.sh) must find the leaves of gradus and the same sums of doubles.

usage: exchange_trees.py BUILD_FOLDER"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import xgboost as xgb
except ImportError as missing:
    print(f"skipped: XGBoost: {missing}")
    sys.exit(77)

SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GRADUS = os.path.join(os.path.abspath(sys.argv[1]), "gradus")
FLOAT_SUM = 1e-5   # of max(1, |score|): XGBoost adds floats
DOUBLE_SUM = 1e-12
FEATURES, TRAIN_ROWS = 8, 1500

METHODS = {
    "lambdamart": "--method lambdamart --rounds 30",
    "lambdamart minmax": "--method lambdamart --rounds 30 --transform minmax",
    "regression": "--method regression --rounds 20",
    "regression standardise": "--method regression --rounds 20 --transform standardise",
    "cocr": "--method cocr --rounds 10",
    "orboost": "--method orboost --rounds 15",
    "propodds": "--method propodds --rounds 15 --scoring output",
    "rankboost": "--method rankboost --rounds 15",
    "pairrank": "--method pairrank --rounds 15",
}
failures = 0
np.seterr(over="ignore")  # 1e39, for infinity, becomes infinite as a float


def find_lightgbm():
    found = subprocess.run([os.path.join(SCRIPTS, "lightgbm.sh")], capture_output=True, text=True,
                           check=False)
    if found.returncode:
        print(found.stderr.strip().splitlines()[-1])
        return None
    sys.path.insert(0, found.stdout.strip().splitlines()[-1])
    import lightgbm
    return lightgbm


def gradus(*words):
    done = subprocess.run([GRADUS, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"gradus {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def number(value):
    return "nan" if np.isnan(value) else repr(float(value))


def write_rows(path, x, labels):
    with open(path, "w", encoding="ascii") as out:
        for r, row in enumerate(x):
            out.write(f"{labels[r]} qid:{r // 25} ")
            out.write(" ".join(f"{f + 1}:{number(v)}" for f, v in enumerate(row)) + "\n")


def training_rows(rng):
    x = rng.normal(size=(TRAIN_ROWS, FEATURES)).astype("f4")
    x[:, 1] = np.round(x[:, 1] * 2)
    x[:, 2] = np.exp(8 * x[:, 2])
    x[:, 3] *= np.float32(1e-9)
    x[rng.random(x.shape) < 0.1] = np.nan
    x[:, 4] = rng.integers(0, 2, TRAIN_ROWS)
    signal = np.nan_to_num(x[:, 0]) + np.nan_to_num(x[:, 1]) / 2 + np.isnan(x[:, 5])
    labels = np.clip(np.round(signal + rng.normal(size=TRAIN_ROWS)), 0, 3).astype(int)
    return x, labels


def probe_rows(rng, trees, x):
    """Rows of the data with values replaced by thresholds, their neighbours and others."""
    cuts = {}
    for tree in trees:
        for feature, value in splits_of(tree):
            cuts.setdefault(feature, []).append(np.float32(value))
    rows = x[rng.integers(0, len(x), 1500)].copy()
    for r in range(len(rows)):
        for f in range(FEATURES):
            kind = rng.integers(0, 12)
            if kind < 5 and f in cuts:
                cut = cuts[f][rng.integers(0, len(cuts[f]))]
                cut = np.float32(0.5) if np.isinf(cut) else cut
                side = [cut, np.nextafter(cut, np.float32(-3e38)),
                        np.nextafter(cut, np.float32(3e38))]
                rows[r, f] = side[rng.integers(0, 3)]
            elif kind == 5:
                rows[r, f] = [np.nan, -0.0, 0.0, 3.4e38, -3.4e38][rng.integers(0, 5)]
    return rows


def splits_of(node):
    if "children" in node:
        yield int(node["split"][1:]) - 1, node["split_condition"]
        for child in node["children"]:
            yield from splits_of(child)


def leaf_of(node, row):
    """The node id that a row reaches in a dumped tree."""
    while "children" in node:
        value, cut = row[int(node["split"][1:]) - 1], np.float32(node["split_condition"])
        go = node["missing"] if np.isnan(value) else node["yes"] if value < cut else node["no"]
        node = node["children"][0 if node["children"][0]["nodeid"] == go else 1]
    return node["nodeid"]


def report(what, tool, count, wrong, gap, limit):
    global failures
    bad = wrong > 0 or not gap <= limit
    failures += bad
    leaves = f"{count} leaves, {wrong} different, " if count else ""
    print(f"{'DIFFERENT: ' if bad else ''}{what}: {tool}, {leaves}largest difference of scores "
          f"{gap:.2g}")


def wrong_trees(what, kind, trees, wrong):
    global failures
    failures += wrong > 0
    print(f"{'DIFFERENT: ' if wrong else ''}{what}: dump by XGBoost of the {kind}, {trees} trees, "
          f"{wrong} different")


def gap_of(found, wanted):
    return float(np.max(np.abs(found - wanted) / np.maximum(1, np.abs(wanted))))


def same_nodes(ours, theirs):
    """Whether two dumped trees are the same: structure and, as floats, numbers."""
    if set(ours) != set(theirs):
        return False
    for key, value in ours.items():
        other = theirs[key]
        if key == "children":
            if not all(same_nodes(a, b) for a, b in zip(value, other)):
                return False
        elif isinstance(value, str):
            if value != other:
                return False
        elif np.float32(value) != np.float32(other):
            return False
    return True


def finite_json(text):
    """XGBoost prints infinite thresholds as inf, which is not JSON."""
    return json.loads(text.replace(": inf,", ": 1e39,").replace(": -inf,", ": -1e39,"))


def check_xgboost(name, folder, trees, rows, scores):
    for kind in ("json", "ubj"):
        booster = xgb.Booster(model_file=os.path.join(folder, f"m.xgboost.{kind}"))
        matrix = xgb.DMatrix(rows, feature_names=booster.feature_names)
        leaves = booster.predict(matrix, pred_leaf=True).reshape(len(rows), -1)
        wanted = np.array([[leaf_of(tree, row) for tree in trees] for row in rows])
        report(f"{name}, xgboost-{kind}", f"XGBoost {xgb.__version__}", leaves.size,
               int(np.sum(leaves != wanted)), gap_of(booster.predict(matrix), scores), FLOAT_SUM)
        theirs = [finite_json(t) for t in booster.get_dump(dump_format="json", with_stats=True)]
        wrong = sum(not same_nodes(a, b) for a, b in zip(trees, theirs))
        wrong += len(trees) != len(theirs)
        wrong_trees(f"{name}, xgboost-dump", kind, len(trees), wrong)


def check_lightgbm(lgb, name, folder, rows, scores, trees):
    booster = lgb.Booster(model_file=os.path.join(folder, "m.lightgbm"))
    leaves = booster.predict(rows, pred_leaf=True, num_threads=1)
    wanted = np.array([[leaf_of(tree, row) for tree in trees] for row in rows])
    # LightGBM numbers leaves otherwise: the same leaf must always be the same pair of numbers. The
    # base is one tree there, and up to three before the others in XGBoost.
    wrong = 0
    for t in range(1, 1 + min(leaves.shape[1], wanted.shape[1])):
        pairs = set(zip(leaves[:, -t].astype(int), wanted[:, -t]))
        wrong += len(pairs) - len({p[0] for p in pairs}) + len(pairs) - len({p[1] for p in pairs})
    report(f"{name}, lightgbm", f"LightGBM {lgb.__version__}", leaves.size, wrong,
           gap_of(booster.predict(rows, num_threads=1), scores), DOUBLE_SUM)


def check_parity_file(lgb, name, folder):
    """Runs the program in the parity file, as a user would."""
    files = ["m.xgboost.json", "m.xgboost.ubj", "m.dump.json", "m.solr"]
    for file in files + ["m.lightgbm"] * (lgb is not None):
        parity = os.path.join(folder, file + ".parity.csv")
        lines = open(parity, encoding="utf-8").read().splitlines()
        program = [line[4:] for line in lines if line.startswith("#   ")]
        tolerance = next(float(line.split()[2].rstrip(",")) for line in lines
                         if line.startswith("# tolerance:"))
        env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
        done = subprocess.run([sys.executable, "-c", "\n".join(program)], cwd=folder, env=env,
                              capture_output=True, text=True, check=False)
        if not done.stdout.startswith("largest difference:"):
            raise RuntimeError(f"{name}: the program of {file}: {done.stderr.strip()}")
        report(f"{name}, parity file of {file}", "its program, 200 rows", 0, 0,
               float(done.stdout.split()[2]), tolerance)


def check_model(lgb, name, folder, model, rng, x):
    for kind, file in (("xgboost-json", "m.xgboost.json"), ("xgboost-ubj", "m.xgboost.ubj"),
                       ("xgboost-dump", "m.dump.json"), ("lightgbm", "m.lightgbm"),
                       ("solr", "m.solr")):
        gradus("export", model, "--format", kind, "-o", os.path.join(folder, file))
    with open(os.path.join(folder, "m.dump.json"), encoding="utf-8") as dump:
        trees = json.load(dump)
    rows = probe_rows(rng, trees, x)
    data, scored = os.path.join(folder, "probe.txt"), os.path.join(folder, "probe.scores")
    write_rows(data, rows, np.zeros(len(rows), int))
    gradus("score", model, data, "-o", scored)
    scores = np.loadtxt(scored)
    scores = scores if scores.ndim == 1 else scores[:, -1]
    check_xgboost(name, folder, trees, rows, scores)
    if lgb:
        check_lightgbm(lgb, name, folder, rows, scores, trees)
    check_parity_file(lgb, name, folder)


def main():
    lgb = find_lightgbm()
    rng = np.random.default_rng(23)
    x, labels = training_rows(rng)
    with tempfile.TemporaryDirectory() as folder:
        train = os.path.join(folder, "train.txt")
        write_rows(train, x, labels)
        models = []
        for name, options in METHODS.items():
            model = os.path.join(folder, name.replace(" ", "-") + ".model")
            gradus("train", "--train", train, "-o", model, "--threads", "1", *options.split())
            models.append(model)
            check_model(lgb, name, folder, model, rng, x)
        mixed = os.path.join(folder, "mixed.model")
        gradus("ensemble", *models[:4], "--valid", train, "-o", mixed)
        check_model(lgb, "ensemble", folder, mixed, rng, x)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
