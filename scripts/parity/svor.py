# SPDX-License-Identifier: Apache-2.0
"""Compares support vector ordinal regression with a general quadratic program (CVXOPT), and with
scikit-learn's SVC where there are two grades.

Argument 1: the build folder. The primal problem is given to the program as it stands: w in the space
of the kernel (by the Cholesky factor of its matrix), thresholds, and a slack for each row and
threshold. Objectives must agree to 1e-4 of their size, for three losses, three kernels and the
linear learner, with and without weights of rows. How far thresholds are apart is printed: it may
differ more, where a whole interval is best.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy

BANDWIDTH, DEGREE, COEF0 = 1.5, 2, 1.0


def make_rows(seed, rows, features, grades):
    random = numpy.random.default_rng(seed)
    x = random.normal(size=(rows, features)).astype(numpy.float32).astype(float)
    latent = x[:, 0] + numpy.sin(2 * x[:, -1]) + 0.6 * random.normal(size=rows)
    cuts = numpy.quantile(latent, numpy.linspace(0, 1, grades + 1)[1:-1])
    weights = random.integers(1, 4, size=rows).astype(float)
    return x, numpy.searchsorted(cuts, latent), weights


def kernel_of(name, x):
    dots = x @ x.T
    if name == "gaussian":
        squares = numpy.diag(dots)
        return numpy.exp(-(squares[:, None] + squares[None] - 2 * dots) / (2 * BANDWIDTH ** 2))
    return (dots + COEF0) ** DEGREE if name == "polynomial" else dots


def constraints(loss, grade, cuts):
    """(threshold, side) of each margin that a row of the grade has."""
    if loss == "imc":
        return [(j, 1 if grade > j else -1) for j in range(cuts)]
    return ([(grade - 1, 1)] if grade > 0 else []) + ([(grade, -1)] if grade < cuts else [])


def solve_primal(loss, kernel, grades, prices):
    """Variables: v (w = factor v), thresholds, slacks."""
    import cvxopt
    cvxopt.solvers.options.update(show_progress=False, abstol=1e-10, reltol=1e-10, feastol=1e-10)
    values, vectors = numpy.linalg.eigh(kernel)
    kept = values > 1e-9 * values.max()
    factor = vectors[:, kept] * numpy.sqrt(values[kept])
    cuts, size = int(grades.max()), factor.shape[1]
    margins = [(n, j, s) for n, y in enumerate(grades) for j, s in constraints(loss, y, cuts)]
    count = size + cuts + len(margins)
    rows, bounds = [], []
    cost = numpy.zeros(count)
    for m, (n, j, s) in enumerate(margins):
        row = numpy.zeros(count)
        row[:size] = -s * factor[n]
        row[size + j] = s
        row[size + cuts + m] = -1
        rows.append(row)
        bounds.append(-1.0)
        slack = numpy.zeros(count)
        slack[size + cuts + m] = -1
        rows.append(slack)
        bounds.append(0.0)
        cost[size + cuts + m] = prices[n]
    for j in range(cuts - 1 if loss == "exc" else 0):
        row = numpy.zeros(count)
        row[size + j], row[size + j + 1] = 1, -1
        rows.append(row)
        bounds.append(0.0)
    quadratic = numpy.zeros((count, count))
    quadratic[range(size), range(size)] = 1
    found = cvxopt.solvers.qp(cvxopt.matrix(quadratic), cvxopt.matrix(cost),
                              cvxopt.matrix(numpy.array(rows)), cvxopt.matrix(numpy.array(bounds)))
    solution = numpy.array(found["x"]).ravel()
    return found["primal objective"], solution[size:size + cuts]


def write_rows(path, x, grades, weights):
    with open(path, "w") as file:
        file.write("grade,weight," + ",".join(f"f{f}" for f in range(x.shape[1])) + "\n")
        for row, grade, weight in zip(x, grades, weights):
            file.write(f"{grade},{weight:g}," + ",".join(f"{value:.9g}" for value in row) + "\n")


def train(gradus, folder, path, loss, words):
    model = os.path.join(folder, "svor.model")
    subprocess.run([gradus, "train", "--train", path, "--label-column", "grade",
                    "--weight-column", "weight", "--method", f"svor-{loss}", "--tolerance", "1e-6", "--transform",
                    "none",
                    "--train-eval-every", "0", "-o", model, *words], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    shown = subprocess.run([gradus, "show", model, "--json"], check=True, stdout=subprocess.PIPE)
    return json.loads(shown.stdout)


def compare(gradus, folder, loss, name, seed, weighted, price, words=()):
    x, grades, weights = make_rows(seed, 60, 3, 4)
    if not weighted:
        weights[:] = 1
    path = os.path.join(folder, "rows.csv")
    write_rows(path, x, grades, weights)
    words = [*words, "--penalty", repr(price)]
    if "linear" not in words:
        words += ["--kernel", name]
        words += ["--bandwidth", repr(BANDWIDTH)] if name == "gaussian" else []
        words += ["--degree", str(DEGREE), "--coef0", repr(COEF0)] if name == "polynomial" else []
    shown = train(gradus, folder, path, loss, words)
    wanted, thresholds = solve_primal(loss, kernel_of(name, x), grades, price * weights)
    found = shown["results"]["objective"]
    off = abs(found - wanted) / wanted
    apart = numpy.abs(numpy.diff(shown["thresholds"]) - numpy.diff(thresholds)).max()
    gap = shown["results"]["duality gap"] / found
    return off, apart, gap


def compare_svc(gradus, folder):
    import sklearn
    from sklearn.svm import SVC
    x, grades, _ = make_rows(5, 150, 4, 2)
    path = os.path.join(folder, "rows.csv")
    write_rows(path, x, grades, numpy.ones(len(x)))
    model = SVC(C=3.0, kernel="rbf", gamma=1 / (2 * BANDWIDTH ** 2), tol=1e-8).fit(x, grades)
    worst = 0.0
    for loss in ("imc", "exc", "sl"):
        shown = train(gradus, folder, path, loss, ["--penalty", "3", "--bandwidth", repr(BANDWIDTH)])
        scores = subprocess.run([gradus, "score", os.path.join(folder, "svor.model"), path,
                                 "--label-column", "grade", "--weight-column", "weight"],
                                check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        found = numpy.array([float(score) for score in scores]) - shown["thresholds"][0]
        worst = max(worst, numpy.abs(found - model.decision_function(x)).max())
    print(f"scikit-learn {sklearn.__version__} SVC: 3 losses, 150 rows of two grades: decisions "
          f"differ by {worst:.1e} at most")
    return worst < 5e-3


def main():
    gradus = os.path.join(sys.argv[1], "gradus")
    try:
        import cvxopt
    except ImportError:
        print("skipped: CVXOPT: not installed (python3-cvxopt)")
        return 77
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for loss in ("imc", "exc", "sl"):
            for name in ("gaussian", "polynomial", "linear", "linear learner"):
                offs, aparts, gaps = [], [], []
                for seed, weighted, price in ((1, False, 1.0), (2, True, 1.0), (3, False, 20.0)):
                    words = ["--learner", "linear", "--passes", "1000000"] if name == "linear learner" else []
                    off, apart, gap = compare(gradus, folder, loss, name.split()[0], seed, weighted,
                                              price, words)
                    offs.append(off)
                    aparts.append(apart)
                    gaps.append(gap)
                print(f"CVXOPT {cvxopt.__version__}: svor-{loss}, {name}: 3 sets of 60 rows: "
                      f"objectives differ by {max(offs):.1e} of their size at most, distances of "
                      f"thresholds by {max(aparts):.1e}; gap {max(gaps):.1e}")
                good = good and max(offs) < 1e-4
        try:
            good = compare_svc(gradus, folder) and good
        except ImportError:
            print("skipped: scikit-learn: not installed (python3-sklearn)")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
