#!/usr/bin/python3
"""COCR's tables: COCR with three costs against direct regression, by four base regressors.

usage: bench/papers/cocr.py BUILD FOLDER [DATA] [options]

Sets: `gradus synth web` (N queries to train, a half of N to validate, 2 N to test) and, if DATA is
given, the LETOR sets there (S1.txt.gz to S5.txt.gz in mq2008, ohsumed, mq2007-partial; folds.sh),
each of whose five folds is tested once, so that means are over all queries.

Base regressors, with the paper's settings:
  linear   least squares, with the elimination of attributes that WEKA does by default
  m5p      model trees; M, the rows that a node needs to be split, is the best of a grid by ERR on
           the validation part
  bagged   averages of model trees (M = 4), each on a tenth of the rows
  gbrt     1,000 trees of depth 4, step .1, .05 or .02, at the round that is best by ERR on the
           validation part

Tables have the paper's layout: ERR and NDCG@10, each cost with its two-tailed paired p against
direct regression over test queries; + or - after it: higher or lower with p < .05. The paper's own
figures stand below, under the names of its sets. FOLDER keeps scores and what was chosen of every
training that is done: a run that was interrupted goes on."""
import argparse
import json
import os
import sys
import time

from common import LETOR, Gradus, in_parallel, join, make_folds, p_text, table

METHODS = {
    "direct": {"method": "regression", "target": "grade"},
    "absolute": {"method": "cocr", "cost": "absolute"},
    "squared": {"method": "cocr", "cost": "squared"},
    "oerr": {"method": "cocr", "cost": "oerr"},
}
COSTS = list(METHODS)[1:]
NAMES = {"web": "synth web", **LETOR}
GRID = (4, 64, 256, 512, 1024, 2048)  # the paper's, and 64 for the small sets
PATIENCE = 200  # rounds of boosting without a better validation ERR

# (ERR, NDCG@10) of the paper: set -> direct, absolute, squared, oerr
PAPER = {
    "linear": {
        "LTRC1": ((.4470, .4484, .4490, .4505), (.7638, .7652, .7652, .7636)),
        "LTRC2": ((.4440, .4465, .4472, .4461), (.7519, .7552, .7562, .7518)),
        "MS10K": ((.2643, .2642, .2697, .2792), (.3916, .3915, .3945, .3931)),
        "MS30K": ((.2748, .2748, .2828, .2942), (.4025, .4026, .4061, .4060))},
    "m5p": {
        "LTRC1": ((.4499, .4526, .4521, .4530), (.7680, .7695, .7698, .7698)),
        "LTRC2": ((.4489, .4499, .4533, .4538), (.7535, .7519, .7565, .7567)),
        "MS10K": ((.3014, .3129, .3101, .3156), (.4233, .4327, .4295, .4284)),
        "MS30K": ((.3298, .3438, .3423, .3451), (.4545, .4645, .4614, .4589))},
    "gbrt 0.1": {"LTRC1": ((.4590, .4595, .4602, .4603), None),
                 "LTRC2": ((.4563, .4571, .4579, .4597), None)},
    "gbrt 0.05": {"LTRC1": ((.4576, .4587, .4596, .4602), None),
                  "LTRC2": ((.4584, .4586, .4599, .4598), None)},
    "gbrt 0.02": {"LTRC1": ((.4547, .4566, .4575, .4583), None),
                  "LTRC2": ((.4601, .4603, .4599, .4600), None)},
}


def take_words():
    words = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("build")
    words.add_argument("folder")
    words.add_argument("data", nargs="?")
    words.add_argument("--sets", default=",".join(NAMES))
    words.add_argument("--regressors", default="linear,m5p,bagged,gbrt")
    words.add_argument("--queries", type=int, default=1000, help="of synth web, to train")
    words.add_argument("--bags", type=int, default=50, help="rounds of bagging")
    words.add_argument("--rounds", type=int, default=1000, help="rounds of boosting, at most")
    words.add_argument("--steps", default="0.1,0.05,0.02", help="of boosting")
    words.add_argument("--markdown", action="store_true")
    return words.parse_args()


given = take_words()
gradus, began = Gradus(given.build, given.folder, threads=1), time.perf_counter()
REGRESSORS = {}  # name -> options, and the values of min_leaf to choose from
for kind in given.regressors.split(","):
    if kind == "gbrt":
        for step in given.steps.split(","):
            REGRESSORS[f"gbrt {float(step):g}"] = ({
                "preset": "paper-ltrc", "learning_rate": step, "rounds": given.rounds,
                "patience": PATIENCE}, None)
    elif kind == "bagged":
        REGRESSORS["bagged"] = ({"learner": "bagged-m5p", "rounds": given.bags, "patience": 0,
                                 "keep": "last", "train_eval_every": 0}, None)
    elif kind == "m5p":
        REGRESSORS["m5p"] = ({"learner": "m5p"}, GRID)
    else:
        REGRESSORS["linear"] = ({"learner": "linear", "elimination": "m5",
                                 "max_coefficient": 1.5}, None)


def parts_of(name):
    """[(train, valid, test)] of a set, and all tests as one; None if it is not there."""
    if name != "web":
        return make_folds(gradus, given.data, name) if given.data else None
    sizes = {"train": given.queries, "valid": given.queries // 2, "test": 2 * given.queries}
    files, first = [], 1
    for part, queries in sizes.items():
        files.append(gradus.synth(f"web-{part}-{given.queries}", "web", queries=queries,
                                  first_query=first))
        first += queries
    return [tuple(files)], files[2]


def stem_of(name, regressor, method, fold):
    size = given.bags if regressor == "bagged" else given.rounds if "gbrt" in regressor else ""
    kind = f"{regressor.replace(' ', '-')}{size}"
    return gradus.path(f"done/{name}{given.queries if name == 'web' else ''}-{kind}-{method}-{fold}")


def run(job):
    """Trains for one fold and scores its test part, unless that is done: what was chosen."""
    (name, regressor, method, fold), part = job
    stem, (options, grid) = stem_of(name, regressor, method, fold), REGRESSORS[regressor]
    if os.path.exists(stem + ".json"):
        return
    tried = {}
    for choice in grid or (None,):
        model = f"{stem}.{choice}"
        found = gradus.train(model, part[0], part[1], metric="err", **options, **METHODS[method],
                             **({"min_leaf": choice} if choice else {}))
        tried[choice] = (found["metrics"]["valid"]["err"], found["best_round"])
        if tried[choice][0] == max(value for value, _ in tried.values()):
            gradus.score(model, part[2], stem + ".scores")
        os.remove(model)
    with open(stem + ".part", "w") as out:
        json.dump([[choice, *values] for choice, values in tried.items()], out)
    os.rename(stem + ".part", stem + ".json")


def chosen(name, regressor, method, folds):
    """What each fold chose: [choice, validation ERR, round] each."""
    found = []
    for fold in range(folds):
        with open(stem_of(name, regressor, method, fold) + ".json") as file:
            tried = json.load(file)
        found.append((max(tried, key=lambda row: row[1]), tried))
    return found


def cell(value, contrast):
    if contrast is None:
        return f"{value:.4f}"
    p, mark = contrast["p"], ""
    if p < .05:
        mark = "+" if contrast["difference"] > 0 else "-"
    return f"{value:.4f} {p_text(p)}{mark}"


class Result:
    """Means and contrasts of the four methods on a set, by one regressor."""

    def __init__(self, name, regressor, folds, tests):
        files = []
        for method in METHODS:
            parts = [stem_of(name, regressor, method, fold) + ".scores" for fold in range(folds)]
            files.append(join(parts, stem_of(name, regressor, method, "all")))
        self.by = {metric: gradus.compare(tests, files, metric) for metric in ("err", "ndcg@10")}
        self.queries = self.by["err"][0, 1]["queries"]
        self.chosen = {method: chosen(name, regressor, method, folds) for method in METHODS}

    def row(self, metric):
        found = self.by[metric]
        return [cell(found[0, 1]["mean_a"], None)] + [
            cell(found[0, b]["mean_b"], found[0, b]) for b in range(1, 4)]

    def against(self, b):
        """ERR of oerr against another method: difference and p."""
        contrast = self.by["err"][b, 3]
        return contrast["difference"], contrast["p"]


def print_tables(results, sets):
    for metric, place in (("err", 0), ("ndcg@10", 1)):
        for regressor in REGRESSORS:
            rows = [[f"{NAMES[name]}, {results[name, regressor].queries}",
                     *results[name, regressor].row(metric)] for name in sets]
            for name, found in PAPER.get(regressor, {}).items():
                if found[place]:
                    rows.append([f"the paper: {name}", *[f"{value:.4f}" for value in found[place]]])
            print(f"{metric.upper()}, {regressor}")
            table(["set, test queries", "direct", *COSTS], rows, given.markdown)
    print("ERR: two-tailed p of oerr against the other costs")
    table(["", *[f"{NAMES[name]}: {cost}" for name in sets for cost in COSTS[:2]]],
          [[regressor, *[cell_p(results[name, regressor].against(b)) for name in sets
                         for b in (1, 2)]] for regressor in REGRESSORS], given.markdown)


def cell_p(found):
    difference, p = found
    return p_text(p) + ("" if p >= .05 else "+" if difference > 0 else "-")


def print_choices(results, sets):
    if "m5p" in REGRESSORS:
        for name in sets:
            found = results[name, "m5p"].chosen
            rows = []
            for at, size in enumerate(GRID):
                rows.append([size])
                for method in METHODS:
                    values = [tried[at][1] for _, tried in found[method]]
                    times = sum(best[0] == size for best, _ in found[method])
                    rows[-1].append(f"{sum(values) / len(values):.4f}" + (f" *{times}" if times
                                                                         else ""))
            print(f"{NAMES[name]}: validation ERR by M, mean of the folds; *N: the choice of N folds")
            table(["M", *METHODS], rows, given.markdown)
    boosted = [regressor for regressor in REGRESSORS if "gbrt" in regressor]
    if boosted:
        print("rounds of boosting, of each fold")
        table(["", *METHODS], [[f"{NAMES[name]}, {regressor}", *[
            " ".join(str(best[2]) for best, _ in results[name, regressor].chosen[method])
            for method in METHODS]] for name in sets for regressor in boosted], given.markdown)


def judge(cells, what):
    """Counts in how many cells oerr is as good as direct regression in ERR; says what follows."""
    higher = sum(difference >= 0 for difference, _ in cells)
    better = sum(difference > 0 and p < .05 for difference, p in cells)
    worse = sum(difference < 0 and p < .05 for difference, p in cells)
    verdict = ("shown" if higher == len(cells) and 2 * better > len(cells) else
               "denied" if worse > better or 2 * higher < len(cells) else "shown in part")
    print(f"  {what}: at least as good in {higher} of {len(cells)}, significantly better in {better}, "
          f"significantly worse in {worse}: {verdict}")


def print_verdict(results, sets):
    cells = {key: result.against(0) for key, result in results.items()}
    print("The paper's finding: COCR with oerr is at least as good in ERR as direct regression, "
          "usually significantly (p < .05). Here,")
    for regressor in REGRESSORS:
        judge([cells[name, regressor] for name in sets], regressor)
    for name in sets:
        judge([cells[name, regressor] for regressor in REGRESSORS], f"all on {NAMES[name]}")
    judge(list(cells.values()), "in all")
    for b, cost in enumerate(COSTS[:2], 1):
        found = [result.by["err"][0, b] for result in results.values()]
        print(f"  {cost} against direct: higher in {sum(c['difference'] >= 0 for c in found)} of "
              f"{len(found)}, significantly better in "
              f"{sum(c['difference'] > 0 and c['p'] < .05 for c in found)}, significantly worse in "
              f"{sum(c['difference'] < 0 and c['p'] < .05 for c in found)}")


os.makedirs(gradus.path("done"), exist_ok=True)
parts = {name: parts_of(name) for name in given.sets.split(",")}
parts = {name: found for name, found in parts.items() if found}
if not parts:
    sys.exit(0)
in_parallel(run, [((name, regressor, method, fold), files)
                  for name, (folds, _) in parts.items() for regressor in REGRESSORS
                  for method in METHODS for fold, files in enumerate(folds)])
results = {(name, regressor): Result(name, regressor, len(folds), tests)
           for name, (folds, tests) in parts.items() for regressor in REGRESSORS}
print_tables(results, list(parts))
print_choices(results, list(parts))
print_verdict(results, list(parts))
print(f"{time.perf_counter() - began:.0f} s in this run")
