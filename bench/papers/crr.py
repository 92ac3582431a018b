#!/usr/bin/python3
"""Combined regression and ranking (Sculley, 2010): the paper's tables and figure, as far as its data
are to be had.

usage: bench/papers/crr.py table1|table2|table3|figure BUILD FOLDER [DATA] [options]

table2: LETOR's MQ2008 (DATA/mq2008, DATA/folds.sh), the paper's own data. Five folds, lambda chosen
    on the validation part, means over the folds' tests.
table1: text classification, on 20 newsgroups (DATA/20news/20news.{train,test}.gz) instead of RCV1:
    each group against the rest, and with fewer positives, drawn at random, down to .05 % of the rows.
    Tests have all positives, weighted to be as rare as in training.
figure: AUC loss and MSE against alpha, mean of the 20 tasks with 1 % positives; FOLDER/crr-alpha.svg.
table3: clicks, on `gradus synth clicks` instead of a search engine's; later pages are the test.

What was measured is kept in FOLDER/crr.json: a run that was interrupted goes on from there."""
import argparse
import gzip
import json
import math
import os
import random
import threading
import time

import numpy
from scipy.stats import rankdata, wilcoxon

from common import Gradus, in_parallel, make_folds, p_text, table

ALPHAS = {"regression": 1, "ranking": 0, "CRR": 0.5}

words = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("what", choices=("table1", "table2", "table3", "figure"))
words.add_argument("build")
words.add_argument("folder")
words.add_argument("data", nargs="?", default="")
words.add_argument("--steps", type=int, help="of each training")
words.add_argument("--workers", type=int, default=2, help="trainings at a time")
words.add_argument("--markdown", action="store_true")


class Kept:
    """Results by name, kept in a file as they come."""

    def __init__(self, file):
        self.file, self.found, self.lock = file, {}, threading.Lock()
        if os.path.exists(file):
            with open(file) as old:
                self.found = json.load(old)

    def get(self, name, make):
        if name not in self.found:
            value = make()
            with self.lock:
                self.found[name] = value
                with open(self.file + ".part", "w") as out:
                    json.dump(self.found, out)
                os.rename(self.file + ".part", self.file)
        return self.found[name]


def best_of(values, lower):
    """The key of the best value."""
    return (min if lower else max)(values, key=values.get)


# Table 2 -----------------------------------------------------------------------------------------

LETOR_LAMBDAS = ("1", "0.1", "0.01", "0.001", "0.0001", "0.00001", "0.000001")
LETOR_METRICS = "map,mean-ndcg,mse"
# MAP, mean NDCG, MSE
PAPER_MQ2008 = {"regression": (.464, .476, .144), "ranking": (.479, .490, .850),
                "CRR": (.479, .489, .229), "RankSVM": (.470, .483, None)}
LETOR_METHODS = {**{name: {"method": "crr", "loss": "squared", "alpha": alpha}
                    for name, alpha in ALPHAS.items()},
                 "RankSVM": {"method": "ranksvm"},
                 **{name + ", logistic": {"method": "crr", "loss": "logistic", "alpha": alpha}
                    for name, alpha in ALPHAS.items()}}


def binarise(folder, tests):
    """The folds with label 1 for every grade above 0, beside the graded ones."""
    def convert(stem):
        if os.path.exists(stem + "-binary.txt"):
            return
        with open(stem + ".txt") as rows, open(stem + "-binary.part", "w") as out:
            for row in rows:
                label, rest = row.split(" ", 1)
                out.write(f"{min(int(label), 1)} {rest}")
        os.rename(stem + "-binary.part", stem + "-binary.txt")
    for fold in range(1, 6):
        for part in ("train", "vali", "test"):
            convert(f"{folder}/Fold{fold}/{part}")
    convert(tests)


class Letor:
    def __init__(self, gradus, kept, folds, steps):
        self.gradus, self.kept, self.steps = gradus, kept, steps
        self.folds = {"grades": folds, "binary": [
            [gradus.convert(gradus.path(f"mq2008/Fold{fold}/{part}-binary.txt"),
                            f"mq2008/{part}-binary{fold}") for part in ("train", "vali", "test")]
            for fold in range(1, 6)]}

    def model(self, method, labels, steps, fold, at):
        return self.gradus.path(f"mq2008/crr-{method}-{labels}-{steps}-{fold}-{at}.model"
                                .replace(" ", "-").replace(",", ""))

    def fold(self, method, labels, fold, steps, options):
        """lambda -> {valid, test: {map, mean-ndcg, mse}}; order by grades, errors of the labels."""
        def make():
            for at in LETOR_LAMBDAS:
                self.gradus.train(self.model(method, labels, steps, fold, at),
                                  self.folds[labels][fold][0], rounds=1, steps=steps,
                                  **{"lambda": at}, **options)
            models = [self.model(method, labels, steps, fold, at) for at in LETOR_LAMBDAS]
            found = {at: {} for at in LETOR_LAMBDAS}
            for name, part in (("valid", 1), ("test", 2)):
                for told in {"grades", labels}:
                    text = self.gradus.run("eval", self.folds[told][fold][part], *models, "--metric",
                                           LETOR_METRICS, "--convention", "letor4", "--json")
                    for at, one in zip(LETOR_LAMBDAS, json.loads(text)):
                        values = found[at].setdefault(name, {})
                        if told == "grades":
                            values.update(one["metrics"], mse=values.get("mse",
                                                                         one["metrics"]["mse"]))
                        if told == labels:
                            values["mse"] = one["metrics"]["mse"]
            return found
        return self.kept.get(f"table2 {method} {labels} {steps} {fold}", make)

    def measure(self, method, labels, steps):
        options = LETOR_METHODS[method]
        return [self.fold(method, labels, fold, steps, options) for fold in range(5)]


def letor_row(found, metric):
    """Means over folds of the tests, lambda chosen by a metric; and the lambdas."""
    chosen = [best_of({at: values["valid"][metric] for at, values in fold.items()},
                      metric == "mse") for fold in found]
    return chosen, [sum(fold[at]["test"][name] for fold, at in zip(found, chosen)) / len(found)
                    for name in ("map", "mean-ndcg", "mse")]


def table2(given, gradus, kept):
    made = make_folds(gradus, given.data, "mq2008")
    if not made:
        return
    steps = given.steps or 1000000
    binarise(gradus.path("mq2008"), gradus.path("mq2008/tests"))
    letor = Letor(gradus, kept, made[0], steps)
    jobs = [(method, labels) for labels in ("grades", "binary") for method in LETOR_METHODS
            if labels == "binary" or "logistic" not in method]
    found = dict(zip(jobs, in_parallel(lambda job: letor.measure(*job, steps), jobs,
                                       given.workers)))
    for labels in ("grades", "binary"):
        rows = []
        for method in LETOR_METHODS:
            if (method, labels) not in found:
                continue
            for metric in ("map", "mse"):
                chosen, values = letor_row(found[method, labels], metric)
                paper = PAPER_MQ2008.get(method, (None, None, None))
                rows.append([method, metric, *(f"{value:.4f}" for value in values),
                             *("" if was is None else f"{was:.3f}" for was in paper),
                             " ".join(chosen)])
        print(f"MQ2008, {steps} steps, labels: {labels}")
        table(["", "lambda by", "MAP", "mean NDCG", "MSE", "paper's MAP", "NDCG", "MSE",
               "lambda of the folds"], rows, given.markdown)


# Measures of scores that are logarithms of odds ---------------------------------------------------

def measures(outputs, labels, weights=None):
    """AUC loss, MSE of the probabilities, and the accuracy of the best threshold."""
    weights = numpy.ones(len(labels)) if weights is None else weights
    ranks, positive = rankdata(outputs), labels > 0
    many = positive.sum()
    above = ranks[positive].sum() - many * (many + 1) / 2
    chance = 1 / (1 + numpy.exp(-outputs))
    order = numpy.argsort(-outputs, kind="stable")
    right = numpy.cumsum(numpy.where(positive, weights, -weights)[order])
    last = numpy.append(numpy.diff(outputs[order]) != 0, True)  # no cut between equal outputs
    best = max(0.0, right[last].max()) + weights[~positive].sum()
    return {"auc": float(1 - above / many / (len(labels) - many)),
            "mse": float(numpy.average((chance - labels) ** 2, weights=weights)),
            "accuracy": float(best / weights.sum())}


def outputs_of(gradus, stem, train, test, **options):
    """Outputs of the rows of test by a model of train; nothing is left behind."""
    gradus.train(stem + ".model", train, method="crr", loss="logistic", rounds=1, **options)
    gradus.score(stem + ".model", test, stem + ".scores", scoring="output")
    found = numpy.loadtxt(stem + ".scores")
    os.remove(stem + ".model")
    os.remove(stem + ".scores")
    return found


def tuned(gradus, stem, alpha, lambdas, parts, tests, steps):
    """Measures on tests = (file, labels, weights) of a model of parts["all"], with the lambda for
    which the model of parts["most"] is best on parts["rest"]: ranking by AUC, all else by MSE."""
    metric = "mse" if alpha else "auc"
    tried = {}
    for at in lambdas:
        found = outputs_of(gradus, stem, parts["most"], parts["rest"], alpha=alpha, steps=steps,
                           **{"lambda": at})
        tried[at] = measures(found, parts["rest labels"])[metric]
    chosen = best_of(tried, True)
    found = outputs_of(gradus, stem, parts["all"], tests[0], alpha=alpha, steps=steps,
                       **{"lambda": chosen})
    return {**measures(found, *tests[1:]), "lambda": chosen}


# Table 1 and the figure: 20 newsgroups ------------------------------------------------------------

NEWS_LAMBDAS = ("1e-3", "1e-4", "1e-5", "1e-6", "1e-7")
NEWS_SHARES = (None, 0.005, 0.0005)  # of positives; None: as they are
FIGURE_SHARE, FIGURE_ALPHAS = 0.01, (0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1)


class News:
    def __init__(self, gradus, data, steps):
        self.gradus, self.steps, self.folder = gradus, steps, gradus.path("20news")
        os.makedirs(self.folder, exist_ok=True)
        self.train, self.test = [self.read(data, part) for part in ("train", "test")]
        self.test_file = self.write("test", self.test[1], self.test[0])

    @staticmethod
    def read(data, part):
        """(labels, rows without label)"""
        with gzip.open(os.path.join(data, "20news", f"20news.{part}.gz"), "rt") as rows:
            pairs = [row.split(" ", 1) for row in rows]
        return numpy.array([int(label) for label, _ in pairs]), [rest for _, rest in pairs]

    def write(self, name, rows, labels):
        text = os.path.join(self.folder, name + ".txt")
        with open(text, "w") as out:
            for label, row in zip(labels, rows):
                out.write(f"{int(label)} {row}")
        file = os.path.join(self.folder, name + ".gradus")
        self.gradus.run("convert", text, file, "--features", "44887")
        os.remove(text)
        return file

    def measure(self, group, share, alphas):
        """alpha -> measures of the group against the rest."""
        draws = random.Random(f"{group} {share}")
        rows, labels = self.train[1], (self.train[0] == group).astype(float)
        positive = [r for r in range(len(rows)) if labels[r]]
        negative = [r for r in range(len(rows)) if not labels[r]]
        draws.shuffle(positive)
        draws.shuffle(negative)
        if share:
            positive = positive[:round(share / (1 - share) * len(negative))]
        stem = f"{group}-{share}"
        parts, tasks = {}, {
            "all": positive + negative,
            "rest": positive[::3] + negative[::3],
            "most": [r for i, r in enumerate(positive) if i % 3] +
                    [r for i, r in enumerate(negative) if i % 3]}
        for name, chosen in tasks.items():
            draws.shuffle(chosen)
            parts[name] = self.write(f"{stem}-{name}", [rows[r] for r in chosen], labels[chosen])
        parts["rest labels"] = labels[tasks["rest"]]
        truth = (self.test[0] == group).astype(float)
        weights = numpy.where(truth > 0, len(positive) / len(negative) *
                              (len(truth) - truth.sum()) / truth.sum(), 1.0)
        found = {str(alpha): tuned(self.gradus, os.path.join(self.folder, stem), alpha,
                                   NEWS_LAMBDAS, parts, (self.test_file, truth, weights),
                                   self.steps) for alpha in alphas}
        for name in tasks:
            os.remove(parts[name])
        return {"positives": len(positive), "rows": len(tasks["all"]), "by alpha": found}


def news(given, gradus):
    if not os.path.exists(os.path.join(given.data, "20news", "20news.train.gz")):
        print(f"skipped: no {os.path.join(given.data, '20news')}")
        return None
    return News(gradus, given.data, given.steps or 100000)


def table1(given, gradus, kept):
    groups = news(given, gradus)
    if not groups:
        return
    jobs = [(group, share) for share in NEWS_SHARES for group in range(1, 21)]

    def one(job):
        return kept.get(f"table1 {groups.steps} {job}",
                        lambda: groups.measure(*job, ALPHAS.values()))
    found = dict(zip(jobs, in_parallel(one, jobs, given.workers)))
    rows = []
    for share in NEWS_SHARES:
        rows += share_rows(share, [found[job] for job in jobs if job[1] == share])
    print(f"20 newsgroups, 20 tasks a share of positives, {groups.steps} steps; means")
    table(["positives", "", "AUC loss", "MSE", "best accuracy", "AUC loss lower, same, higher than "
           "CRR's", "MSE", "p AUC", "p MSE"], rows, given.markdown)
    closeness(list(found.values()))


def pick(tasks, alpha, name):
    return numpy.array([task["by alpha"][str(alpha)][name] for task in tasks])


def share_rows(share, tasks):
    rows = []
    for method, alpha in ALPHAS.items():
        row = [f"{numpy.mean([task['positives'] / task['rows'] for task in tasks]):.2%}"
               if method == "regression" else "", method,
               *(f"{pick(tasks, alpha, name).mean():.5f}" for name in ("auc", "mse", "accuracy"))]
        if method != "CRR":
            gaps = [pick(tasks, alpha, name) - pick(tasks, .5, name) for name in ("auc", "mse")]
            row += [f"{(gap < 0).sum()}, {(gap == 0).sum()}, {(gap > 0).sum()}" for gap in gaps]
            row += [p_text(wilcoxon(gap).pvalue) if gap.any() else "1" for gap in gaps]
        rows.append(row + [""] * (9 - len(row)))
    return rows


def closeness(tasks):
    """What the paper says of CRR on all its topics."""
    both = one = 0
    worst = {}
    for name in ("auc", "mse"):
        best = numpy.minimum.reduce([pick(tasks, alpha, name) for alpha in ALPHAS.values()])
        worst[name] = pick(tasks, .5, name) - best
    # The paper's three decimals
    is_best = [numpy.round(gap, 3) <= 0 for gap in worst.values()]
    both, one = (is_best[0] & is_best[1]).sum(), (is_best[0] | is_best[1]).sum()
    near = sum(gap <= .001 for gap in worst.values()).min() == 2
    print(f"CRR to three decimals: best in both on {both} of {len(tasks)} tasks (paper: 16 of 40), in at "
          f"least one on {one} (40 of 40);")
    print(f"  at most {worst['auc'].max():.4f} from the best AUC loss and {worst['mse'].max():.4f} from the "
          f"best MSE (.004){', always within .001' if near else ''}")
    gap = pick(tasks, 1, "mse") - pick(tasks, .5, "mse")
    print(f"  MSE lower than regression's on {(gap > 0).sum()}, higher on {(gap < 0).sum()}: Wilcoxon "
          f"signed-rank p = {p_text(wilcoxon(gap).pvalue)} (lower on 20 of 33, p = .002)")


def figure(given, gradus, kept):
    groups = news(given, gradus)
    if not groups:
        return
    jobs = list(range(1, 21, 4))

    def one(group):
        return kept.get(f"figure {groups.steps} {group}",
                        lambda: groups.measure(group, FIGURE_SHARE, FIGURE_ALPHAS))
    found = in_parallel(one, jobs, given.workers)
    means = {name: [pick(found, alpha, name).mean() for alpha in FIGURE_ALPHAS]
             for name in ("auc", "mse", "accuracy")}
    print(f"20 newsgroups, 1 % positives, means of {len(jobs)} tasks, {groups.steps} steps")
    table(["alpha", "AUC loss", "MSE", "best accuracy"],
          [[f"{alpha:g}", *(f"{means[name][i]:.5f}" for name in means)]
           for i, alpha in enumerate(FIGURE_ALPHAS)], given.markdown)
    file = gradus.path("crr-alpha.svg")
    draw(file, "Combined regression and ranking: 20 newsgroups, 1 % positives",
         {"AUC loss": means["auc"], "mean squared error, log scale": means["mse"]})
    print(file)


# A plot ------------------------------------------------------------------------------------------

COLOURS = ("#c2410c", "#2563eb")
WIDE, HIGH, LEFT, TOP, GAP = 400, 260, 70, 86, 90


def ticks_of(low, high, by_log):
    if by_log:
        every = [m * 10 ** e for e in range(math.floor(math.log10(low)) - 1,
                                            math.ceil(math.log10(high)) + 1) for m in (1, 2, 5)]
        first = max(i for i, value in enumerate(every) if value <= low)
        last = min(i for i, value in enumerate(every) if value >= high)
        return every[first:last + 1]
    unit = 10 ** math.floor(math.log10(high - low))
    unit = next(unit * m for m in (.1, .2, .5, 1) if (high - low) / (unit * m) <= 6)
    return [i * unit for i in range(math.floor(low / unit), math.ceil(high / unit) + 1)]


def panel(left, name, values, colour):
    by_log = "log" in name
    ticks = ticks_of(min(values), max(values), by_log)
    scale = math.log if by_log else float

    def at(alpha, value):
        low, high = scale(ticks[0]), scale(ticks[-1])
        return left + WIDE * alpha, TOP + HIGH * (high - scale(value)) / (high - low)
    parts = [f"<text x='{left}' y='{TOP - 16}' font-weight='bold' fill='{colour}'>{name}</text>"]
    for tick in ticks:
        y = at(0, tick)[1]
        parts.append(f"<line x1='{left}' y1='{y:.1f}' x2='{left + WIDE}' y2='{y:.1f}' "
                     "stroke='#e2e8f0'/>")
        parts.append(f"<text x='{left - 8}' y='{y + 4:.1f}' text-anchor='end'>{tick:.4g}</text>")
    for alpha in (0, .2, .4, .6, .8, 1):
        parts.append(f"<text x='{at(alpha, ticks[0])[0]:.1f}' y='{TOP + HIGH + 20}' "
                     f"text-anchor='middle'>{alpha:g}</text>")
    points = [at(alpha, value) for alpha, value in zip(FIGURE_ALPHAS, values)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts.append(f"<polyline points='{line}' fill='none' stroke='{colour}' stroke-width='2'/>")
    parts += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{colour}'/>" for x, y in points]
    parts.append(f"<text x='{left + WIDE / 2}' y='{TOP + HIGH + 44}' text-anchor='middle'>alpha "
                 "(0: ranking, 1: regression)</text>")
    return parts


def draw(file, title, lines):
    wide, high = LEFT + len(lines) * (WIDE + GAP), TOP + HIGH + 64
    parts = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {wide} {high}' width='{wide}' "
             f"height='{high}' font-family='Helvetica, Arial, sans-serif' font-size='12' "
             "fill='#1f2933'>", f"<rect width='{wide}' height='{high}' fill='white'/>",
             f"<text x='{LEFT}' y='30' font-size='16' font-weight='bold'>{title}</text>"]
    for i, (name, values) in enumerate(lines.items()):
        parts += panel(LEFT + i * (WIDE + GAP), name, values, COLOURS[i])
    with open(file, "w") as out:
        out.write("\n".join(parts) + "\n</svg>\n")


# Table 3: clicks ---------------------------------------------------------------------------------

CLICK_LAMBDAS = ("1e-3", "1e-4", "1e-5", "1e-6", "1e-7")
CLICK_PAGES = {"most": 80000, "rest": 20000, "test": 50000}  # in this order of time
PAPER_CLICKS = {"regression": (.133, .084), "ranking": (.132, .094), "CRR": (.132, .084)}


def without_queries(gradus, source, name):
    """All rows as one query, so that pairs are of all rows, as in the paper."""
    file = gradus.path(name + ".gradus")
    if not os.path.exists(file):
        with open(source) as rows, open(gradus.path(name + ".txt"), "w") as out:
            for row in rows:
                label, query, rest = row.split(" ", 2)
                assert query.startswith("qid:")
                out.write(f"{label} {rest}")
        gradus.run("convert", gradus.path(name + ".txt"), file, "--features", "100000")
        os.remove(gradus.path(name + ".txt"))
    return file


def click_parts(gradus, one_query):
    """Training, tuning and test rows: files, and labels."""
    parts, first = {}, 1
    for name, pages in CLICK_PAGES.items():
        text = gradus.path(f"clicks-{name}.txt")
        if not os.path.exists(text):
            gradus.run("synth", "clicks", "--queries", str(pages), "--first-query", str(first),
                       "-o", text)
        first += pages
        with open(text) as rows:
            parts[name + " labels"] = numpy.array([float(row[:row.index(" ")]) for row in rows])
        parts[name] = without_queries(gradus, text, f"clicks-{name}-one") if one_query else \
            gradus.convert(text, f"clicks-{name}")
    parts["all"] = parts["most"]  # what is trained on is earlier than what tunes and tests
    return parts


def table3(given, gradus, kept):
    steps = given.steps or 2000000
    rows = []
    for scope, one_query in (("all rows", True), ("one page", False)):
        parts = click_parts(gradus, one_query)
        tests = (parts["test"], parts["test labels"])

        def one(method):
            return kept.get(f"table3 {steps} {scope} {method}", lambda: tuned(
                gradus, gradus.path(f"clicks-{method}-{one_query}"), ALPHAS[method], CLICK_LAMBDAS,
                parts, tests, steps))
        for method, found in zip(ALPHAS, in_parallel(one, ALPHAS, given.workers)):
            rows.append([method, scope, *(f"{found[name]:.5f}" for name in ("auc", "mse", "accuracy")),
                         found["lambda"], *(f"{was:.3f}" for was in PAPER_CLICKS[method])])
    print(f"clicks: {len(parts['most labels'])} rows to train, {len(parts['test labels'])} later ones to test, "
          f"{parts['test labels'].mean():.2%} clicks, {steps} steps")
    table(["", "pairs of", "AUC loss", "MSE", "best accuracy", "lambda", "paper's AUC loss", "MSE"],
          rows, given.markdown)


def main():
    given = words.parse_args()
    began = time.perf_counter()
    gradus = Gradus(given.build, given.folder, threads=1)
    kept = Kept(gradus.path("crr.json"))
    {"table1": table1, "table2": table2, "table3": table3, "figure": figure}[given.what](
        given, gradus, kept)
    print(f"{time.perf_counter() - began:.0f} s in all")


if __name__ == "__main__":
    main()
