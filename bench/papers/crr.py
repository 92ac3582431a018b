#!/usr/bin/python3
"""Combined regression and ranking (Sculley, 2010): the paper's tables and figure, on its data as
far as they are to be had.

usage: bench/papers/crr.py table1|table2|table3|figure BUILD FOLDER [DATA] [options]

table2: LETOR's MQ2008 (DATA/mq2008, DATA/folds.sh), the paper's own data. Five folds, lambda chosen
    on the validation part, means over the folds' tests.
table1: text classification, on 20 newsgroups (DATA/20news/20news.{train,test}.gz) instead of RCV1:
    each group against the rest, and with fewer positives, drawn at random, down to .05 % of rows.
    Tests have all positives, weighted to be as rare as in training.
figure: AUC loss and MSE against alpha, means of half the tasks, with 1 % positives;
    FOLDER/crr-alpha.svg.
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
from scipy.special import expit
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
words.add_argument("--tasks", type=int, default=20, help="table1, figure: groups to take, of 20")
words.add_argument("--pages", type=int, default=80000, help="table3: pages to train on")
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

LETOR_LAMBDAS = ("1", "0.1", "0.01", "0.001", "0.0001", "0.00001")
# MAP, mean NDCG, MSE
PAPER_MQ2008 = {"regression": (.464, .476, .144), "ranking": (.479, .490, .850),
                "CRR": (.479, .489, .229), "RankSVM": (.470, .483, None)}
LETOR_METHODS = {**{name: {"method": "crr", "loss": "squared", "alpha": alpha}
                    for name, alpha in ALPHAS.items()},
                 "RankSVM": {"method": "ranksvm"},
                 **{name + ", logistic": {"method": "crr", "loss": "logistic", "alpha": alpha}
                    for name, alpha in ALPHAS.items()}}
LETOR_HEAD = ["", "lambda by", "MAP", "mean NDCG", "MSE of grades", "MSE of y >= 1", "paper's MAP",
              "NDCG", "MSE", "lambda of the folds"]
NO_LABELS = ("RankSVM", "ranking, logistic")  # whose scores are not to be labels


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

    def model(self, method, labels, fold, at):
        method = method.replace(", ", "-")
        return self.gradus.path(f"mq2008/crr-{method}-{labels}-{self.steps}-{fold}-{at}.model")

    def eval(self, labels, fold, part, models, metrics):
        text = self.gradus.run("eval", self.folds[labels][fold][part], *models, "--metric", metrics,
                               "--convention", "letor4", "--json")
        return [one["metrics"] for one in json.loads(text)]

    def fold(self, method, labels, fold):
        """lambda -> {valid, test: {map, mean-ndcg, mse of grades, mse of binary}}"""
        models = [self.model(method, labels, fold, at) for at in LETOR_LAMBDAS]
        for at, model in zip(LETOR_LAMBDAS, models):
            self.gradus.train(model, self.folds[labels][fold][0], rounds=1, steps=self.steps,
                              **{"lambda": at}, **LETOR_METHODS[method])
        found = {at: {} for at in LETOR_LAMBDAS}
        for name, part in (("valid", 1), ("test", 2)):
            graded = self.eval("grades", fold, part, models, "map,mean-ndcg,mse")
            binary = self.eval("binary", fold, part, models, "mse")
            for at, one, other in zip(LETOR_LAMBDAS, graded, binary):
                found[at][name] = {"map": one["map"], "mean-ndcg": one["mean-ndcg"],
                                   "grades": one["mse"], "binary": other["mse"]}
        return found

    def measure(self, method, labels):
        return [self.kept.get(f"table2 {method} {labels} {self.steps} {fold}",
                              lambda: self.fold(method, labels, fold)) for fold in range(5)]

    def best_models(self, method, labels, chosen):
        return [self.model(method, labels, fold, at) for fold, at in enumerate(chosen)]


def chosen_by(found, metric):
    """The lambda of each fold that is best on its validation part."""
    return [best_of({at: values["valid"][metric] for at, values in fold.items()}, metric != "map")
            for fold in found]


def letor_rows(found, labels):
    rows = []
    for method in LETOR_METHODS:
        if (method, labels) not in found:
            continue
        for metric in ("map", labels):
            folds = found[method, labels]
            chosen = chosen_by(folds, metric)
            values = {name: sum(fold[at]["test"][name] for fold, at in zip(folds, chosen)) / 5
                      for name in ("map", "mean-ndcg", "grades", "binary")}
            paper = PAPER_MQ2008.get(method, (None, None, None))
            if method in NO_LABELS:
                values["grades"] = values["binary"] = None
            rows.append([method, "MAP" if metric == "map" else "MSE",
                         *("" if value is None else f"{value:.3f}" for value in values.values()),
                         *("" if was is None else f"{was:.3f}" for was in paper),
                         " ".join(chosen)])
            if method in NO_LABELS:
                break
    return rows


def read_letor(file):
    """Rows with a constant last, labels and queries."""
    rows, labels, queries = [], [], []
    with open(file) as lines:
        for line in lines:
            label, query, *values = line.split("#")[0].split()
            rows.append([float(value.split(":")[1]) for value in values] + [1.0])
            labels.append(float(label))
            queries.append(query)
    return numpy.array(rows), numpy.array(labels), numpy.array(queries)


def equations(file):
    """alpha -> (A, b): (A + lambda I) w = b is the minimum of the squared loss, by all pairs."""
    rows, labels, queries = read_letor(file)
    single = rows.T @ rows / len(rows), rows.T @ labels / len(rows)
    pairs, matrix, vector = 0.0, 0.0, 0.0
    for query in dict.fromkeys(queries):
        x, y = rows[queries == query], labels[queries == query]
        differ = (y[:, None] != y[None, :]).astype(float)
        laplace = numpy.diag(differ.sum(1)) - differ  # x' laplace x: the sum over pairs
        matrix, vector = matrix + x.T @ laplace @ x, vector + x.T @ (laplace @ y)
        pairs += differ.sum() / 2
    return {alpha: (alpha * single[0] + (1 - alpha) * matrix / pairs,
                    alpha * single[1] + (1 - alpha) * vector / pairs) for alpha in ALPHAS.values()}


def exact_fold(letor, fold):
    """method -> as Letor.fold, of the minimum itself instead of a million steps towards it."""
    folder = letor.gradus.path(f"mq2008/Fold{fold + 1}")
    made = equations(f"{folder}/train.txt")
    found = {method: {at: {} for at in LETOR_LAMBDAS} for method in ALPHAS}
    for name, part, file in (("valid", 1, "vali"), ("test", 2, "test")):
        rows, labels, _ = read_letor(f"{folder}/{file}.txt")
        for method, alpha in ALPHAS.items():
            files = [f"{folder}/exact-{at}.scores" for at in LETOR_LAMBDAS]
            for at, scores in zip(LETOR_LAMBDAS, files):
                weights = numpy.linalg.solve(made[alpha][0] + float(at) * numpy.eye(rows.shape[1]),
                                             made[alpha][1])
                outputs = rows @ weights
                numpy.savetxt(scores, outputs, fmt="%.17g")
                found[method][at][name] = {
                    "grades": float(numpy.mean((outputs - labels) ** 2)),
                    "binary": float(numpy.mean((outputs - numpy.minimum(labels, 1)) ** 2))}
            for at, one in zip(LETOR_LAMBDAS, letor.eval("grades", fold, part, files,
                                                         "map,mean-ndcg")):
                found[method][at][name].update(one)
    return found


def letor_tests(letor, found, tests):
    """Is the order of CRR as good as that of ranking, and better than that of regression?"""
    files = []
    for method in ALPHAS:
        models = letor.best_models(method, "grades", chosen_by(found[method, "grades"], "map"))
        files.append(letor.gradus.path(f"mq2008/crr-{method}.scores"))
        with open(files[-1], "w") as whole:
            for fold, model in enumerate(models):
                whole.write(letor.gradus.run("score", model, letor.folds["grades"][fold][2]))
    for metric in ("map", "mean-ndcg"):
        told = letor.gradus.run("compare", tests, *files, "--metric", metric, "--convention",
                                "letor4", "--test", "t", "--json")
        one, two, three = json.loads(told)["sets"][0]["contrasts"]
        print(f"  {metric}, paired t tests over {one['queries']} queries: CRR - regression "
              f"{two['difference']:+.4f}, p = {p_text(two['p'])}; CRR - ranking "
              f"{three['difference']:+.4f}, p = {p_text(three['p'])}")


def table2(given, gradus, kept):
    made = make_folds(gradus, given.data, "mq2008")
    if not made:
        return
    steps = given.steps or 1000000
    binarise(gradus.path("mq2008"), gradus.path("mq2008/tests"))
    letor = Letor(gradus, kept, made[0], steps)
    jobs = [(method, labels) for labels in ("grades", "binary") for method in LETOR_METHODS
            if labels == "binary" or "logistic" not in method]
    found = dict(zip(jobs, in_parallel(lambda job: letor.measure(*job), jobs, given.workers)))
    for labels in ("grades", "binary"):
        print(f"MQ2008, {steps} steps, fitted to {labels}")
        table(LETOR_HEAD, letor_rows(found, labels), given.markdown)
    folds = [kept.get(f"table2 exact {fold}", lambda: exact_fold(letor, fold)) for fold in range(5)]
    print("MQ2008, the minimum itself, by linear equations over all pairs, fitted to grades")
    table(LETOR_HEAD, letor_rows({(method, "grades"): [fold[method] for fold in folds]
                                  for method in ALPHAS}, "grades"), given.markdown)
    print("the same by lambda: MSE of grades, MSE of y >= 1")
    table(["", *LETOR_LAMBDAS], [[method, *(" ".join(
        f"{sum(fold[method][at]['test'][name] for fold in folds) / 5:.3f}"
        for name in ("grades", "binary")) for at in LETOR_LAMBDAS)] for method in ALPHAS],
        given.markdown)
    print("The order of the models fitted to grades, lambda by MAP:")
    letor_tests(letor, found, made[1])


# Measures of scores that are logarithms of odds ---------------------------------------------------

def measures(outputs, labels, weights=None):
    """AUC loss, MSE of the probabilities, and the accuracy of the best threshold."""
    weights = numpy.ones(len(labels)) if weights is None else weights
    ranks, positive = rankdata(outputs), labels > 0
    many = positive.sum()
    above = ranks[positive].sum() - many * (many + 1) / 2
    chance = expit(outputs)
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

NEWS_LAMBDAS = ("1e-4", "1e-5", "1e-6", "1e-7")
NEWS_SHARES = (None, 0.005, 0.0005)  # of positives; None: as they are
FIGURE_SHARE, FIGURE_ALPHAS = 0.01, (0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1)


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


def first_groups(many):
    """Of different kinds: every seventh, going round."""
    return [7 * i % 20 + 1 for i in range(many)]


def table1(given, gradus, kept):
    groups = news(given, gradus)
    if not groups:
        return
    jobs = [(group, share) for group in first_groups(given.tasks) for share in NEWS_SHARES]

    def one(job):
        return kept.get(f"table1 {groups.steps} {job}",
                        lambda: groups.measure(*job, ALPHAS.values()))
    found = dict(zip(jobs, in_parallel(one, jobs, given.workers)))
    rows = []
    for share in NEWS_SHARES:
        rows += share_rows(share, [found[job] for job in jobs if job[1] == share])
    print(f"20 newsgroups, {given.tasks} tasks a share of positives, {groups.steps} steps; means")
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
    worst = {}
    for name in ("auc", "mse"):
        best = numpy.minimum.reduce([pick(tasks, alpha, name) for alpha in ALPHAS.values()])
        worst[name] = pick(tasks, .5, name) - best
    # The paper's three decimals
    is_best = [numpy.round(gap, 3) <= 0 for gap in worst.values()]
    both, one = (is_best[0] & is_best[1]).sum(), (is_best[0] | is_best[1]).sum()
    print(f"CRR on {len(tasks)} tasks; in brackets the paper's, on 40. To three decimals")
    print(f"  best in both on {both} (16), in at least one on {one} (40)")
    print(f"  at most {worst['auc'].max():.4f} from the best AUC loss, and "
          f"{worst['mse'].max():.4f} from the best MSE (.004)")
    gap = pick(tasks, 1, "mse") - pick(tasks, .5, "mse")
    print(f"  MSE lower than regression's on {(gap > 0).sum()}, higher on {(gap < 0).sum()} (20 "
          f"and 0 of 33): Wilcoxon signed-rank p = {p_text(wilcoxon(gap).pvalue)} (.002)")


def figure(given, gradus, kept):
    groups = news(given, gradus)
    if not groups:
        return
    jobs = first_groups((given.tasks + 1) // 2)

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
    errors = dict(zip(FIGURE_ALPHAS, means["mse"]))
    ranking = errors.pop(0)  # far above all others: it would flatten them
    file = gradus.path("crr-alpha.svg")
    draw(file, "Combined regression and ranking: 20 newsgroups, 1 % positives",
         {"AUC loss": dict(zip(FIGURE_ALPHAS, means["auc"])),
          f"mean squared error (at alpha 0: {ranking:.3f})": errors})
    print(file)


# A plot ------------------------------------------------------------------------------------------

COLOURS = ("#c2410c", "#2563eb")
WIDE, HIGH, LEFT, TOP, GAP = 400, 260, 70, 86, 90


def ticks_of(low, high):
    unit = 10 ** math.floor(math.log10(high - low))
    unit = next(unit * m for m in (.1, .2, .5, 1, 2) if (high - low) / (unit * m) <= 6)
    return [i * unit for i in range(math.floor(low / unit), math.ceil(high / unit) + 1)]


def panel(left, name, line, colour):
    """line: alpha -> value"""
    ticks = ticks_of(min(line.values()), max(line.values()))

    def at(alpha, value):
        return left + WIDE * alpha, TOP + HIGH * (ticks[-1] - value) / (ticks[-1] - ticks[0])
    parts = [f"<text x='{left}' y='{TOP - 16}' font-weight='bold' fill='{colour}'>{name}</text>"]
    for tick in ticks:
        y = at(0, tick)[1]
        parts.append(f"<line x1='{left}' y1='{y:.1f}' x2='{left + WIDE}' y2='{y:.1f}' "
                     "stroke='#e2e8f0'/>")
        parts.append(f"<text x='{left - 8}' y='{y + 4:.1f}' text-anchor='end'>{tick:.4g}</text>")
    for alpha in (0, .2, .4, .6, .8, 1):
        parts.append(f"<text x='{at(alpha, ticks[0])[0]:.1f}' y='{TOP + HIGH + 20}' "
                     f"text-anchor='middle'>{alpha:g}</text>")
    points = [at(alpha, value) for alpha, value in line.items()]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts.append(f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2'/>")
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
    for i, (name, line) in enumerate(lines.items()):
        parts += panel(LEFT + i * (WIDE + GAP), name, line, COLOURS[i])
    with open(file, "w") as out:
        out.write("\n".join(parts) + "\n</svg>\n")


# Table 3: clicks ---------------------------------------------------------------------------------

CLICK_LAMBDAS = ("1e-1", "1e-2", "1e-3", "1e-4", "1e-5")
CLICK_RATES = (0.1, 0.02)  # the paper's MSE are those of about a tenth
CLICK_PARTS = {"most": 1, "rest": .25, "test": .5}  # pages, in this order of time
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


def click_parts(gradus, pages, rate, one_query):
    """Training, tuning and test rows: files, and labels."""
    parts, first = {}, 1
    for name, share in CLICK_PARTS.items():
        many, stem = int(share * pages), f"clicks-{pages}-{rate:g}-{name}"
        text = gradus.path(stem + ".txt")
        if not os.path.exists(text):
            gradus.run("synth", "clicks", "--queries", str(many), "--first-query", str(first),
                       "--rate", str(rate), "-o", text)
        first += many
        with open(text) as rows:
            parts[name + " labels"] = numpy.array([float(row[:row.index(" ")]) for row in rows])
        parts[name] = without_queries(gradus, text, stem + "-one") if one_query else \
            gradus.convert(text, stem)
    parts["all"] = parts["most"]  # what is trained on is earlier than what tunes and tests
    return parts


def click_rows(gradus, kept, given, steps, rate, one_query):
    parts = click_parts(gradus, given.pages, rate, one_query)
    tests = (parts["test"], parts["test labels"])
    scope = "all rows" if one_query else "one page"

    def one(method):
        stem = gradus.path(f"clicks-{rate:g}-{method}-{one_query}")
        return kept.get(f"table3 {given.pages} {steps} {rate:g} {scope} {method}", lambda: tuned(
            gradus, stem, ALPHAS[method], CLICK_LAMBDAS, parts, tests, steps))
    rows = []
    for method, found in zip(ALPHAS, in_parallel(one, ALPHAS, given.workers)):
        values = [f"{found[name]:.5f}" for name in ("auc", "mse", "accuracy")]
        rows.append([method, scope, *values, found["lambda"],
                     *(f"{was:.3f}" for was in PAPER_CLICKS[method])])
    many = {name: len(parts[name + " labels"]) for name in CLICK_PARTS}
    about = (f"{many['most']} rows to train, {many['rest']} later ones to tune, {many['test']} "
             f"still later ones to test, {tests[1].mean():.2%} of them clicks")
    return about, rows


def table3(given, gradus, kept):
    steps = given.steps or 2000000
    for rate in CLICK_RATES:
        rows = []
        for one_query in (True, False):
            about, more = click_rows(gradus, kept, given, steps, rate, one_query)
            rows += more
        print(f"clicks: {about}; {steps} steps")
        table(["", "pairs of", "AUC loss", "MSE", "best accuracy", "lambda", "paper's AUC loss",
               "MSE"], rows, given.markdown)


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
