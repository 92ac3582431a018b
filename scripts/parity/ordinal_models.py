# SPDX-License-Identifier: Apache-2.0
"""Compares linear proportional odds with statsmodels' OrderedModel, with R's MASS::polr and
ordinal::clm, and with Newton's method written out plainly here.

Argument 1: the build folder. Argument 2, or the variable ORDINAL_SETS: a folder of ordinal sets,
*.csv.gz, with the grade in the first column if that is called response, else in the last; without it only sets
made here are compared. All sides get features standardised and rounded to floats.
"""

import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

GRADUS = os.path.join(os.path.abspath(sys.argv[1]), "gradus")
SETS = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("ORDINAL_SETS", "")
SETS = os.path.abspath(SETS) if SETS else ""
R_FITS = """
set <- read.csv("set.csv")
set$label <- factor(set$label, ordered = TRUE)
say <- function(...) cat(..., "\\n", sep = " ")
show <- function(x) format(x, digits = 17)
polr <- try(suppressWarnings(MASS::polr(label ~ ., set, Hess = TRUE,
                                        control = list(reltol = 1e-14, maxit = 2000))), silent = TRUE)
if (!inherits(polr, "try-error")) {
  errors <- try(sqrt(diag(solve(polr$Hessian))), silent = TRUE)
  say("polr", show(c(polr$zeta, polr$coefficients, as.numeric(logLik(polr)))))
}
if (requireNamespace("ordinal", quietly = TRUE)) {
  clm <- ordinal::clm(label ~ ., data = set, control = list(gradTol = 1e-10))
  say("clm", show(c(clm$alpha, clm$beta, as.numeric(logLik(clm)))))
  say("clm_errors", show(coef(summary(clm))[, 2]))
} else say("no_clm")
"""
failed = False


def off(ours, theirs):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return float(np.max(np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))))


def check(what, value, most):
    global failed
    if not value < most:
        failed = True
        print(f"  {what} differs by {value:.3g}, more than {most:g}")
    return value


def ours_of(x, y):
    with open("set.csv", "w", encoding="ascii") as file:
        file.write("label," + ",".join(f"x{i}" for i in range(x.shape[1])) + "\n")
        for row, label in zip(x, y):
            file.write(f"{label}," + ",".join(repr(float(v)) for v in row) + "\n")
    subprocess.run([GRADUS, "train", "--train", "set.csv", "--method", "propodds", "--learner",
                    "linear", "--train-eval-every", "0", "-o", "it.model", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    shown = subprocess.run([GRADUS, "show", "it.model", "--json"], check=True, capture_output=True)
    found = json.loads(shown.stdout)
    return (np.array(found["thresholds"] + found["linear"][0]["coefficients"]),
            np.array(found["threshold_errors"] + found["standard_errors"]),
            found["log_likelihood"])


def plain_newton(x, y):
    """Derivatives of log P row by row, with respect to (theta, b); standard errors."""
    grades, level = np.unique(y, return_inverse=True)
    cuts, features = len(grades) - 1, x.shape[1]
    share = np.cumsum(np.bincount(level))[:-1] / len(y)
    at = np.concatenate([np.log(share / (1 - share)), np.zeros(features)])

    def state(at):
        f = x @ at[cuts:]
        ends = np.concatenate([[-np.inf], at[:cuts], [np.inf]])
        with np.errstate(over="ignore"):
            u = 1 / (1 + np.exp(f - ends[level + 1]))
            v = 1 / (1 + np.exp(f - ends[level]))
        return u, v, np.log(u - v).sum()

    for _ in range(100):
        u, v, likelihood = state(at)
        p, du, dv = u - v, u * (1 - u), v * (1 - v)
        above = np.zeros((len(y), cuts + features))
        below = above.copy()
        has_above, has_below = level < cuts, level > 0
        above[np.arange(len(y))[has_above], level[has_above]] = 1
        below[np.arange(len(y))[has_below], level[has_below] - 1] = 1
        above[:, cuts:] = -x
        below[:, cuts:] = -x
        slope = (du / p)[:, None] * above - (dv / p)[:, None] * below
        hessian = (above.T * (du * (1 - 2 * u) / p)) @ above \
            - (below.T * (dv * (1 - 2 * v) / p)) @ below - slope.T @ slope
        step = np.linalg.solve(-hessian, slope.sum(0))
        share = 1.0
        while True:
            trial = at + share * step
            if np.all(np.diff(trial[:cuts]) > 0) and state(trial)[2] >= likelihood - 1e-9:
                break
            share /= 2
            if share < 1e-12:
                trial = at
                break
        at = trial
        if np.max(np.abs(share * step)) < 1e-12:
            break
    return at, np.sqrt(np.diag(np.linalg.inv(-hessian))), state(at)[2]


def statsmodels_fit(x, y, cuts):
    from statsmodels.miscmodels.ordinal_model import OrderedModel
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = OrderedModel(y, x, distr="logit")
        start = model.fit(method="bfgs", disp=False, maxiter=300, gtol=1e-7)
        fit = model.fit(start_params=start.params, method="newton", disp=False, maxiter=100)
    thresholds = model.transform_threshold_params(fit.params)[1:-1]
    return np.concatenate([thresholds, fit.params[:-cuts]]), fit.llf


def r_fits():
    try:
        shown = subprocess.run(["Rscript", "-e", R_FITS], capture_output=True, text=True,
                               check=True, timeout=100).stdout
    except (OSError, subprocess.SubprocessError) as error:
        print(f"skipped: R: {error}")
        return {}
    return {line.split()[0]: np.array([float(v) for v in line.split()[1:]])
            for line in shown.splitlines() if line.strip()}


def compare(name, x, y):
    x = (x - x.mean(0)) / np.where(x.std(0) > 0, x.std(0), 1)
    x = x.astype(np.float32).astype(float)
    kept = []
    for i in range(x.shape[1]):
        trial = np.column_stack([np.ones(len(x))] + [x[:, k] for k in kept + [i]])
        if np.linalg.matrix_rank(trial, tol=1e-6 * len(x)) == trial.shape[1]:
            kept.append(i)
    x, cuts = x[:, kept], len(np.unique(y)) - 1
    at, errors, likelihood = ours_of(x, y)
    plain = plain_newton(x, y)
    line = [f"{name}: {len(y)} rows, {x.shape[1]} features, {cuts + 1} grades: plain Newton "
            f"{check('plain Newton', off(at, plain[0]), 1e-6):.1g}, its errors "
            f"{check('plain errors', off(errors, plain[1]), 1e-4):.1g}, its log likelihood "
            f"{check('plain log likelihood', off(likelihood, plain[2]), 1e-9):.1g}"]
    try:
        if len(y) > 5000:
            raise ImportError("it takes minutes with more than 5,000 rows")
        theirs, found = statsmodels_fit(x, y, cuts)
        line.append(f"statsmodels {check('statsmodels', off(at, theirs), 1e-4):.1g}, log likelihood "
                    f"{check('statsmodels log likelihood', off(likelihood, found), 1e-6):.1g}")
    except ImportError as error:
        line.append(f"skipped: statsmodels: {error}")
    fits = r_fits()
    if "polr" in fits:
        line.append(f"polr {check('polr', off(np.append(at, likelihood), fits['polr']), 1e-4):.1g}")
    if "clm" in fits:
        line.append(f"clm {check('clm', off(np.append(at, likelihood), fits['clm']), 1e-6):.1g}, "
                    f"errors {check('clm errors', off(errors, fits['clm_errors']), 1e-4):.1g}")
    print("; ".join(line), flush=True)
    return fits


def main():
    rng = np.random.default_rng(5)
    fits = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for rows, features, grades in ((500, 4, 2), (2000, 8, 5)):
            x = rng.normal(size=(rows, features))
            f = x @ rng.normal(size=features) + rng.logistic(size=rows)
            fits = compare("made", x, np.digitize(f, np.quantile(f, np.arange(1, grades) / grades)))
        paths = sorted(glob.glob(os.path.join(SETS, "*.csv.gz"))) if SETS else []
        if not paths:
            print("skipped: ordinal sets: no folder of them was given")
        for path in paths:
            with gzip.open(path, "rt") as file:
                lines = file.read().replace('"', "").splitlines()
            rows = np.array([[float(v) for v in line.split(",")] for line in lines[1:]])
            first = lines[0].startswith("response")
            x, y = (rows[:, 1:], rows[:, 0]) if first else (rows[:, :-1], rows[:, -1])
            compare(os.path.basename(path).split(".")[0], x, y.astype(int))
        os.chdir("/")
    if "no_clm" in fits:
        print("skipped: ordinal::clm: R's package ordinal is not installed")
    sys.exit(1 if failed else 0)


main()
