#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares explanations with XGBoost's pred_contribs and LightGBM's predict_contrib.

A model of 300 trees is trained on data with missing values and exported to both, which explain 1,000
rows, exactly (approx_contribs off). Contributions and the base must agree to 1e-5 of the largest
contribution of the row (XGBoost computes in float). Interventional values have no counterpart there;
the unit tests compare them with the sum over all coalitions.

usage: explain.py BUILD_FOLDER"""
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
MOST, FEATURES, ROWS = 1e-5, 12, 1000
METHODS = {
    "regression": "--method regression --rounds 300 --leaves 31",
    "lambdamart": "--method lambdamart --rounds 300 --leaves 16",
    "lambdamart minmax": "--method lambdamart --rounds 300 --leaves 64 --min-rows 3 --transform minmax",
}
failures = 0


def find_lightgbm():
    try:
        import lightgbm
        return lightgbm
    except ImportError:
        pass
    found = subprocess.run([os.path.join(SCRIPTS, "lightgbm.sh")], capture_output=True, text=True,
                           check=False)
    if found.returncode:
        print(f"skipped: LightGBM: {found.stderr.strip().splitlines()[-1]}")
        return None
    sys.path.insert(0, found.stdout.strip().splitlines()[-1])
    import lightgbm
    return lightgbm


def gradus(*words):
    done = subprocess.run([GRADUS, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"gradus {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def make_rows(rng, count):
    x = rng.normal(size=(count, FEATURES)).astype("f4")
    x[:, 1] = np.round(x[:, 1] * 2)
    x[:, 2] = np.exp(3 * x[:, 2])
    x[rng.random(x.shape) < 0.1] = np.nan
    signal = np.nan_to_num(x[:, 0]) + np.nan_to_num(x[:, 1] * x[:, 3]) / 2 + np.isnan(x[:, 5])
    labels = np.clip(np.round(signal + rng.normal(size=count)), 0, 3).astype(int)
    return x, labels


def write_rows(path, x, labels):
    with open(path, "w", encoding="ascii") as out:
        for r, row in enumerate(x):
            values = " ".join(f"{f + 1}:{'nan' if np.isnan(v) else repr(float(v))}"
                              for f, v in enumerate(row))
            out.write(f"{labels[r]} qid:{r // 25} {values}\n")


def contributions(model, data):
    """Rows x (features + 1), the base last."""
    found = json.loads(gradus("explain", model, data, "--json"))["documents"]
    out = np.zeros((len(found), FEATURES + 1))
    for r, document in enumerate(found):
        target = document["targets"][0]
        out[r, -1] = target["base"]
        for item in target["contributions"]:
            out[r, item["feature"] - 1] = item["contribution"]
    return out


def compare(what, tool, ours, theirs):
    global failures
    size = np.abs(theirs[:, :-1]).max(axis=1, keepdims=True)
    gap = float(np.max(np.abs(ours - theirs) / np.maximum(size, 1e-6)))
    failures += not gap <= MOST
    print(f"{'' if gap <= MOST else 'DIFFERENT: '}{what}: {tool}, {ours.size} contributions, "
          f"largest difference {gap:.1e} of the largest of the row")


def main():
    lightgbm = find_lightgbm()
    rng = np.random.default_rng(24)
    train, labels = make_rows(rng, 3000)
    x, others = make_rows(rng, ROWS)
    write_rows("train.txt", train, labels)
    write_rows("rows.txt", x, others)
    for name, options in METHODS.items():
        gradus("train", "--train", "train.txt", "-o", "m.model", "-q", *options.split())
        ours = contributions("m.model", "rows.txt")
        formats = ["xgboost-json"] + (["lightgbm"] if lightgbm else [])
        for form in formats:
            try:
                gradus("export", "m.model", "--format", form, "--no-parity", "-o", "m.json")
            except RuntimeError as refused:
                print(f"skipped: {name}: {form}: {refused}")
                continue
            if form == "lightgbm":
                booster = lightgbm.Booster(model_file="m.json")
                compare(name, f"LightGBM {lightgbm.__version__}", ours,
                        booster.predict(x.astype("f8"), pred_contrib=True))
                continue
            booster = xgb.Booster()
            booster.load_model("m.json")
            compare(name, f"XGBoost {xgb.__version__}", ours,
                    booster.predict(xgb.DMatrix(x), pred_contribs=True, approx_contribs=False,
                                    validate_features=False))
    return 1 if failures else 0


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    sys.exit(main())
