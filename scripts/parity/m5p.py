# SPDX-License-Identifier: Apache-2.0
"""Compares model trees with WEKA's M5P (Debian's weka 3.6.14).

Argument 1: the build folder. Sets are made here; those of a folder with ordinal regression sets
(CSV, packed by gzip), and MQ2008's, come in too if the environment names them: GRADUS_ORDINAL, and
GRADUS_MQ2008 (a fold: train.txt, test.txt).

For each set, of two thirds of its rows: the features and cuts of the first three levels of the
unpruned trees are the same; and the root mean squared error of pruned and smoothed trees on the other
rows, and of other variants, is at most 1% above WEKA's. Features are multiplied by a power of two first, so that the
three decimals WEKA prints of a cut tell it apart from others, and so that values differ by more than
1e-6, which WEKA takes for equal.
"""
import glob
import gzip
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy

JAR = "/usr/share/java/weka.jar"
LABEL_LAST = {"era", "esl", "lev", "swd", "balance_scale"}
LEVELS = 3


def run_weka(*words):
    words = ["java", "-Djava.awt.headless=true", "-Xmx2g", "-cp", JAR,
             "weka.classifiers.trees.M5P", *words]
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=True).stdout


def read_ordinal(path):
    name = os.path.basename(path).split(".")[0]
    with gzip.open(path, "rt") as file:
        rows = [[float(cell.strip('"')) for cell in line.strip().split(",")]
                for line in list(file)[1:]]
    rows = numpy.array(rows)
    if name in LABEL_LAST:
        return name, rows[:, -1], rows[:, :-1]
    return name, rows[:, 0], rows[:, 1:]


def read_letor(path, most):
    labels, values = [], []
    with open(path) as file:
        for line in file:
            words = line.split("#")[0].split()
            labels.append(float(words[0]))
            values.append([float(word.split(":")[1]) for word in words[2:]])
    return numpy.array(labels[:most]), numpy.array(values[:most])


def made_sets():
    """Sets that anybody can make: steps, slopes, both, ties, noise, a missing tenth."""
    rng = numpy.random.default_rng(17)
    x = rng.uniform(0, 10, (1500, 6)).round(3)
    noise = rng.normal(0, 1, 1500)
    yield "steps", numpy.floor(x[:, 0] / 3) + 2 * (x[:, 1] > 5) + 0.3 * noise, x
    yield "slopes", numpy.where(x[:, 2] > 4, 2 * x[:, 0] - x[:, 1], 5 - x[:, 3]) + 0.5 * noise, x
    y = numpy.clip(numpy.rint(x[:, 0] / 3 + (x[:, 1] > 7) + 0.4 * noise), 0, 4)
    yield "grades", y, numpy.rint(x)
    yield "curve", numpy.sin(x[:, 0]) * x[:, 1] + 0.2 * noise, x
    missing = x.copy()
    missing[rng.random(x.shape) < 0.1] = numpy.nan
    yield "missing", x[:, 0] - 2 * (x[:, 4] > 6) + 0.5 * noise, missing


def scaled(values):
    """By powers of two, as floats, as gradus keeps them."""
    largest = numpy.nanmax(numpy.abs(values), axis=0)
    powers = [10 - math.frexp(one)[1] if one > 0 else 0 for one in largest]
    return (values * numpy.exp2(powers)).astype(numpy.float32).astype(float)


def write_arff(path, labels, values):
    with open(path, "w") as file:
        file.write("@relation set\n")
        file.writelines(f"@attribute f{f + 1} numeric\n" for f in range(values.shape[1]))
        file.write("@attribute label numeric\n@data\n")
        for label, row in zip(labels, values):
            cells = ["?" if math.isnan(v) else repr(v) for v in row.tolist()]
            file.write(",".join(cells) + f",{label!r}\n")


def write_csv(path, labels, values):
    with open(path, "w") as file:
        file.write("label," + ",".join(f"f{f + 1}" for f in range(values.shape[1])) + "\n")
        for label, row in zip(labels, values):
            cells = ["" if math.isnan(v) else repr(v) for v in row.tolist()]
            file.write(f"{label!r}," + ",".join(cells) + "\n")


def weka_splits(text):
    """Path ('', 'l', 'lr' ...) to (feature, cut) of the first levels."""
    splits, path = {}, []
    for line in text.splitlines():
        found = re.match(r"^((?:\|   )*)f(\d+) (<=|> ) ?(-?[0-9.eE+-]+) :", line)
        if not found:
            continue
        depth = len(found.group(1)) // 4
        path = path[:depth]
        if depth < LEVELS and found.group(3) == "<=":
            splits["".join(path)] = (int(found.group(2)), float(found.group(4)))
        path.append("l" if found.group(3) == "<=" else "r")
    return splits


def our_splits(nodes):
    splits, waiting = {}, [(0, "")]
    while waiting:
        node, path = waiting.pop()
        node = nodes[node]
        if "feature" in node and len(path) < LEVELS:
            splits[path] = (node["feature"], node["threshold"])
            waiting += [(node["left"], path + "l"), (node["right"], path + "r")]
    return splits


def same_splits(ours, theirs):
    return ours.keys() == theirs.keys() and all(
        ours[path][0] == theirs[path][0] and abs(ours[path][1] - theirs[path][1]) <
        6e-4 + 2e-7 * abs(theirs[path][1]) for path in theirs)


class Ours:
    def __init__(self, folder):
        self.command = os.path.join(folder, "gradus")

    def run(self, *words):
        return subprocess.run([self.command, *words, "--json", "--quiet"], stdout=subprocess.PIPE,
                              text=True, check=True).stdout

    def train(self, *words):
        self.run("train", "--method", "regression", "--learner", "m5p", "--train", "train.csv",
                 "-o", "m5.model", *words)

    def splits(self):
        return our_splits(json.loads(self.run("show", "m5.model", "--tree", "1"))["tree"])

    def error(self):
        answer = json.loads(self.run("eval", "test.csv", "m5.model", "--metric", "rmse"))
        return answer[0]["metrics"]["rmse"]


VARIANTS = [("pruned", [], []), ("unpruned", ["-N"], ["--unpruned"]),
            ("unsmoothed", ["-U"], ["--unsmoothed"]), ("means", ["-R"], ["--regression-tree"]),
            ("20 rows", ["-M", "20"], ["--min-leaf", "20"])]
SMALL = 3000  # rows; of larger sets only the first two variants are compared


def compare(ours, name, train, test):
    write_arff("train.arff", *train)
    write_arff("test.arff", *test)
    write_csv("train.csv", *train)
    write_csv("test.csv", *test)
    good, words = True, []
    for what, weka_options, our_options in VARIANTS[:5 if len(train[0]) < SMALL else 2]:
        text = run_weka("-t", "train.arff", "-T", "test.arff", *weka_options)
        theirs = float(re.findall(r"Root mean squared error +([0-9.]+)", text)[-1])
        ours.train(*our_options)
        error = ours.error()
        good = good and error <= 1.01 * theirs + 5e-5
        words.append(f"{what} {error:.4f} ({100 * (error / theirs - 1):+.2f}%)")
        if what == "unpruned":
            splits = weka_splits(text)
            same = same_splits(ours.splits(), splits)
    print(f"WEKA: {name:21}{len(train[0]):6} rows{train[1].shape[1]:4} features, {len(splits)} splits "
          f"{'same' if same else 'DIFFER'}; rmse (to WEKA's): {', '.join(words)}"
          f"{'' if good else '  WORSE'}", flush=True)
    return same and good


def halves(labels, values):
    order = list(range(len(labels)))
    random.Random(5).shuffle(order)
    cut = 2 * len(order) // 3
    values = scaled(values)
    return (labels[order[:cut]], values[order[:cut]]), (labels[order[cut:]], values[order[cut:]])


def all_sets():
    for name, labels, values in made_sets():
        yield name, *halves(labels, values)
    ordinal = os.environ.get("GRADUS_ORDINAL")
    if ordinal and os.path.isdir(ordinal):
        for path in sorted(glob.glob(os.path.join(ordinal, "*.csv.gz"))):
            name, labels, values = read_ordinal(path)
            yield name, *halves(labels, values)
    else:
        print("skipped: ordinal sets: GRADUS_ORDINAL names no folder")
    fold = os.environ.get("GRADUS_MQ2008")
    if fold and os.path.isdir(fold):
        train = read_letor(os.path.join(fold, "train.txt"), None)
        test = read_letor(os.path.join(fold, "test.txt"), None)
        values = scaled(numpy.concatenate([train[1], test[1]]))
        cut = len(train[0])
        yield "mq2008", (train[0], values[:cut]), (test[0], values[cut:])
    else:
        print("skipped: MQ2008: GRADUS_MQ2008 names no fold")


def main():
    ours = Ours(os.path.abspath(sys.argv[1]))
    if not os.path.exists(JAR):
        print("skipped: WEKA: weka.jar is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        good = [compare(ours, *one) for one in all_sets()]
        os.chdir("/")
    print(f"WEKA: {sum(good)} of {len(good)} sets as wanted")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
