# SPDX-License-Identifier: Apache-2.0
"""Training time of support vector ordinal regression.

    /usr/bin/python3 bench/svor/bench_svor.py BUILD FOLDER [kernel] [svc] [linear] [sparse]

kernel: 2,500, 5,000 and 10,000 rows of 20 features and five grades, Gaussian kernel, three
losses. svc: 10,000 rows of two grades, against scikit-learn's SVC (libsvm) on the same problem
and objective. linear: a million rows of 50 features (synth mcrank), three losses. sparse:
701,282 rows of synth clicks, 100,000 features. Processor seconds of the whole command,
including reading, and wall-clock seconds."""
import json
import os
import resource
import subprocess
import sys
import time

import numpy

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tables import table  # noqa: E402


def make_rows(path, rows, grades, seed):
    random = numpy.random.default_rng(seed)
    x = random.normal(size=(rows, 20)).astype(numpy.float32)
    latent = x[:, 0] + 0.5 * numpy.sin(2 * x[:, 1]) + 0.7 * random.normal(size=rows)
    cuts = numpy.quantile(latent, numpy.linspace(0, 1, grades + 1)[1:-1])
    labels = numpy.searchsorted(cuts, latent)
    with open(path, "w") as file:
        for label, row in zip(labels, x):
            file.write(f"{label} qid:1 " + " ".join(f"{f + 1}:{value:.9g}"
                                                    for f, value in enumerate(row)) + "\n")
    return x, labels


def seconds_of(words):
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, time.time() - started


def fit(gradus, folder, data, *words):
    model = os.path.join(folder, "svor.model")
    own, clock = seconds_of([gradus, "train", "--train", data, "--train-eval-every", "0", "-o",
                             model, *words])
    shown = json.loads(subprocess.run([gradus, "show", model, "--json"], check=True,
                                      stdout=subprocess.PIPE).stdout)
    results = shown["results"]
    return [f"{own:.1f}", f"{clock:.1f}", int(results["steps"]),
            f"{int(results['support vectors']):,}", f"{results['objective']:.6g}",
            f"{results['duality gap'] / results['objective']:.1e}"]


HEAD = ["", "processor s", "clock s", "steps", "support vectors", "objective", "gap"]


def bench_kernel(gradus, folder):
    rows = []
    for count in (2500, 5000, 10000):
        path = os.path.join(folder, "rows.txt")
        make_rows(path, count, 5, 3)
        for loss in ("imc", "exc", "sl") if count == 10000 else ("imc",):
            rows.append([f"svor-{loss}, {count:,} rows, C 1"]
                        + fit(gradus, folder, path, "--method", f"svor-{loss}"))
    rows.append(["svor-imc, 10,000 rows, C 10"]
                + fit(gradus, folder, path, "--method", "svor-imc", "--penalty", "10"))
    table(HEAD, rows)


def bench_svc(gradus, folder):
    from sklearn.svm import SVC
    path = os.path.join(folder, "rows.txt")
    x, labels = make_rows(path, 10000, 2, 4)
    rows = []
    for price in (1.0, 10.0):
        rows.append([f"gradus, C {price:g}"] + fit(
            gradus, folder, path, "--method", "svor-imc", "--bandwidth", "3", "--penalty", repr(price)))
        before, started = resource.getrusage(resource.RUSAGE_SELF), time.time()
        machine = SVC(C=price, gamma=1 / 18, cache_size=500).fit(x, labels)
        after = resource.getrusage(resource.RUSAGE_SELF)
        support, beta = machine.support_vectors_, machine.dual_coef_.ravel()
        squares = (support ** 2).sum(1)
        kernel = numpy.exp(-(squares[:, None] + squares[None] - 2 * support @ support.T) / 18)
        sides = 2 * labels - 1
        errors = numpy.maximum(0, 1 - sides * machine.decision_function(x)).sum()
        square = beta @ kernel @ beta
        objective = square / 2 + price * errors
        dual = numpy.abs(beta).sum() - square / 2
        rows.append([f"libsvm, C {price:g}", f"{after.ru_utime - before.ru_utime:.1f}",
                     f"{time.time() - started:.1f}", int(machine.n_iter_[0]), f"{len(beta):,}",
                     f"{objective:.6g}", f"{(objective - dual) / objective:.1e}"])
    table(HEAD, rows)


def bench_linear(gradus, folder):
    data = os.path.join(folder, "mcrank.gradus")
    if not os.path.exists(data):
        subprocess.run([gradus, "synth", "mcrank", "--queries", "20000", "-o", data], check=True)
    rows = [[f"svor-{loss}, C {price:g}"] + fit(gradus, folder, data, "--method", f"svor-{loss}",
                                                "--learner", "linear", "--penalty", repr(price))
            for loss, price in (("imc", 0.01), ("imc", 0.1), ("exc", 0.1), ("sl", 0.1))]
    table(HEAD, rows)


def bench_sparse(gradus, folder):
    data = os.path.join(folder, "clicks.gradus")
    if not os.path.exists(data):
        subprocess.run([gradus, "synth", "clicks", "--queries", "200000", "-o", data], check=True)
    table(HEAD, [[f"svor-imc, C {price:g}"] + fit(gradus, folder, data, "--method", "svor-imc",
                                                  "--learner", "linear", "--penalty", repr(price))
                 for price in (0.1, 1.0)])


def main():
    gradus, folder = os.path.join(sys.argv[1], "gradus"), sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    parts = {"kernel": bench_kernel, "svc": bench_svc, "linear": bench_linear,
             "sparse": bench_sparse}
    for name in sys.argv[3:] or parts:
        parts[name](gradus, folder)


if __name__ == "__main__":
    main()
