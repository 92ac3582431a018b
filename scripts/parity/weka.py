# SPDX-License-Identifier: Apache-2.0
"""Compares the area under the ROC curve and the paired t test with WEKA's.

Argument 1: the build folder. WEKA's curve is of a logistic model of one feature, which ranks as
the feature does; its points are counts, so the area is exact. Its PairedStats prints four decimals.
"""
import csv
import json
import os
import random
import re
import subprocess
import sys
import tempfile

JAR = "/usr/share/java/weka.jar"
SHIFT = 0.06  # of one system; gives p-values whose four decimals tell something


def run_weka(*words, stdin=None):
    words = ["java", "-Djava.awt.headless=true", "-cp", JAR, *words]
    return subprocess.run(words, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=True).stdout


def run_gradus(folder, *words):
    words = [os.path.join(folder, "gradus"), *words, "--json", "--quiet"]
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout)


def make_cases(rng, rows):
    """(label, feature) pairs with many ties."""
    labels = [int(rng.random() < 0.3) for _ in range(rows)]
    return [(label, round(rng.gauss(0.5 * label, 1) + 4, 1)) for label in labels]


def area(curve):
    """Trapezoids over (false positives, true positives)."""
    points = sorted((int(row["False Positives"]), int(row["True Positives"])) for row in curve)
    points = [(0, 0)] + points
    twice = sum((b[0] - a[0]) * (a[1] + b[1]) for a, b in zip(points, points[1:]))
    return twice / (2 * points[-1][0] * points[-1][1])


def compare_area(gradus, cases):
    with open("cases.arff", "w") as file:
        file.write("@relation cases\n@attribute x numeric\n@attribute class {0,1}\n@data\n")
        file.writelines(f"{x},{label}\n" for label, x in cases)
    with open("cases.txt", "w") as file:
        file.writelines(f"{label} qid:1 1:{x}\n" for label, x in cases)
    run_weka("weka.classifiers.functions.Logistic", "-t", "cases.arff", "-T", "cases.arff",
             "-threshold-file", "curve.csv", "-threshold-label", "1")
    with open("curve.csv") as file:
        theirs = area(csv.DictReader(file, quotechar="'"))
    ours = run_gradus(gradus, "eval", "cases.txt", "feature:1", "--metric", "auc")[0]["metrics"]["auc"]
    print(f"WEKA: area under the ROC curve of {len(cases)} rows: {ours:.12g}, there {theirs:.12g}")
    return abs(ours - theirs) < 1e-12


def precision_at_1(cases, scores):
    best = max(scores)
    hits = [label for (label, _), score in zip(cases, scores) if score == best]
    return sum(hits) / len(hits)


def compare_paired(gradus, rng):
    """Two score files over 60 queries, measured by precision at 1 with distinct scores."""
    queries = [[(int(rng.random() < 0.4), rng.random(), rng.random()) for _ in range(8)]
               for _ in range(60)]
    with open("pairs.txt", "w") as file:
        file.writelines(f"{label} qid:{q} 1:{a} 2:{b + SHIFT * label}\n"
                        for q, rows in enumerate(queries, 1) for label, a, b in rows)
    values = []
    for rows in queries:
        cases = [(label, 0) for label, _, _ in rows]
        if any(label for label, _, _ in rows):
            values.append((precision_at_1(cases, [a for _, a, _ in rows]),
                           precision_at_1(cases, [b + SHIFT * label for label, _, b in rows])))
    text = run_weka("weka.experiment.PairedStats", "0.05",
                    stdin="".join(f"{a} {b}\n" for a, b in values))
    theirs = float(re.search(r"Prob\(differences\) ([0-9.eE-]+)", text).group(1))
    answer = run_gradus(gradus, "compare", "pairs.txt", "feature:1", "feature:2", "--metric", "p@1",
                        "--test", "t")
    ours = answer["sets"][0]["contrasts"][0]["p"]
    print(f"WEKA: paired t test over {len(values)} queries: p {ours:.6g}, there {theirs:.4f}")
    return abs(ours - theirs) < 5.1e-5


def main():
    gradus = os.path.abspath(sys.argv[1])
    if not os.path.exists(JAR):
        print("skipped: WEKA: weka.jar is not installed")
        return 77
    rng = random.Random(31)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        same = [compare_area(gradus, make_cases(rng, rows)) for rows in (40, 300, 2000)]
        same += [compare_paired(gradus, rng) for _ in range(3)]
        os.chdir("/")
    if not all(same):
        print("FAILED: WEKA differs")
        return 1
    return 0


sys.exit(main())
