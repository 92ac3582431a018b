#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/defaults/compare.py OLD NEW WORK OUT [--letor DIR] [--sets REGEX] [--methods LIST] [--jobs N] [--seconds S]
                          [--seeds N] [--minutes M] [--threads N] [--default-only | --tuned-only] [--large-trees]

NDCG@10 on test data of every method with its default settings, of two builds of gradus (OLD and NEW are
build folders), of XGBoost's rank:ndcg and of scikit-learn's HistGradientBoostingRegressor, both with
their defaults and tuned on the validation data. Sets as in grid.py. Appends one JSON line per training
to OUT, with the value of every query; trainings that are there already are skipped, and those that take
longer than S seconds are recorded as such. --seeds N makes N repeats of each synthetic set instead of
three; --minutes M starts no training and ends tuning after M minutes. --threads N trains each method of
gradus and the defaults of the other tools with N threads. --default-only leaves out the tuned runs of
the other tools, --tuned-only everything else.

Tuned: 24 settings of XGBoost and 20 of scikit-learn, 300 rounds each; the setting and the number of
rounds with the best validation NDCG@10 are used, of those that finished in M minutes. --large-trees tries
only eight each, for sets of many rows: depth 6 and 8 with eta .1 and .3, and 31 and 63 leaves. table.py
makes the tables."""
import argparse
import itertools
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import grid  # noqa: E402

TUNED_ROUNDS = 300
XGB_TUNED = [dict(max_depth=d, eta=e, min_child_weight=w, tree_method="hist")
             for d, e, w in itertools.product((3, 4, 6, 8), (0.05, 0.1, 0.3), (1, 10))]
HGB_TUNED = [dict(max_leaf_nodes=l, learning_rate=e, min_samples_leaf=m)
             for l, e, m in itertools.product((4, 8, 16, 31, 63), (0.05, 0.1), (20, 50))]


def per_query(gradus, data, scores):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "queries")
        subprocess.run([gradus, "eval", data, scores, "--metric", "ndcg@10", "--per-query", path, "-q"],
                       capture_output=True, check=True)
        with open(path) as lines:
            pairs = [line.rstrip("\n").split("\t") for line in lines][1:]
    return {query: None if value == "nan" else round(float(value), 6) for query, value in pairs}


def run_gradus(build, data, method, seconds, threads):
    gradus = os.path.join(build, "gradus")
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        command = [gradus, "train", "--method", method, "-q", "--threads", str(threads), "-o", model]
        for part in ("train", "valid"):
            command += ["--" + part, data["base"] + "." + part + "." + data["form"]]
        run = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        if run.returncode != 0:
            raise RuntimeError(run.stderr.strip().splitlines()[-1])
        return per_query(gradus, data["base"] + ".test." + data["form"], model)


def load(gradus, data, part):
    """Reads rows as arrays from gradus's text, so that all tools use the same numbers."""
    import numpy
    path = data["base"] + "." + part + "." + data["form"]
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "rows.csv")
        subprocess.run([gradus, "convert", path, text, "-q"], check=True)
        with open(text) as lines:
            names = next(lines).strip().split(",")
            first = next(i for i, n in enumerate(names) if re.fullmatch(r"f\d+", n))
            label, query = names.index("label"), names.index("qid")
            rows, labels, queries = [], [], []
            for line in lines:
                cells = line.rstrip("\n").split(",", first)
                values = cells[first].replace(",,", ",nan,").replace(",,", ",nan,")
                rows.append(numpy.fromstring(values + ("nan" if values.endswith(",") else ""), numpy.float32, sep=","))
                labels.append(float(cells[label]))
                queries.append(cells[query])
    return numpy.array(rows), numpy.array(labels), [len(list(g)) for _, g in itertools.groupby(queries)]


def score_file(gradus, data, scores):
    with tempfile.NamedTemporaryFile("w", suffix=".scores") as out:
        out.write("".join("%r\n" % float(s) for s in scores))
        out.flush()
        return per_query(gradus, data["base"] + ".test." + data["form"], out.name)


def mean(values):
    known = [v for v in values.values() if v is not None]
    return sum(known) / len(known)


SETS = {}  # data of the set in work, loaded once and shared with the processes that tune on it


def parts_of(gradus, data):
    if data["base"] not in SETS:
        SETS.clear()
        SETS[data["base"]] = {p: load(gradus, data, p) for p in ("train", "valid", "test")}
    return SETS[data["base"]]


def run_xgboost(sets, settings, tuned, threads):
    """Validation NDCG@10, rounds and test scores; tuned: after the best number of rounds."""
    import xgboost
    matrices = {p: xgboost.DMatrix(r, label=l, nthread=threads) for p, (r, l, _) in sets.items()}
    for p, (_, _, groups) in sets.items():
        matrices[p].set_group(groups)
    rounds = TUNED_ROUNDS if tuned else 100
    booster = xgboost.train(dict(settings, objective="rank:ndcg", nthread=threads, seed=1), matrices["train"], rounds)
    if not tuned:
        return None, rounds, booster.predict(matrices["test"])
    scores, best = 0.0, None
    for r in range(rounds):
        scores = scores + booster.predict(matrices["valid"], iteration_range=(r, r + 1), output_margin=True)
        value = ndcg(scores, *sets["valid"][1:])
        if best is None or value > best[0]:
            best = value, r + 1
    return *best, booster.predict(matrices["test"], iteration_range=(0, best[1]))


def dcg(keys, gains, groups, depth):
    """DCG@depth of every query, ranked by descending keys. Documents with equal keys share their mean gain, as in
    gradus eval: the order of LETOR's files is informative, so it must not break ties."""
    import numpy
    query = numpy.repeat(numpy.arange(len(groups)), groups)
    order = numpy.lexsort((-keys, query))
    query, keys = query[order], keys[order]
    tie = numpy.cumsum(numpy.r_[True, (keys[1:] != keys[:-1]) | (query[1:] != query[:-1])]) - 1
    shared = (numpy.bincount(tie, gains[order]) / numpy.bincount(tie))[tie]
    rank = numpy.arange(len(keys)) - numpy.repeat(numpy.cumsum(groups) - groups, groups)
    discount = numpy.where(rank < depth, 1 / numpy.log2(rank + 2), 0)
    return numpy.bincount(query, shared * discount, len(groups))


def ndcg(scores, labels, groups, depth=10):
    """Mean over queries with a relevant document."""
    gains = 2.0 ** labels - 1
    ideal = dcg(gains, gains, groups, depth)
    return float((dcg(scores, gains, groups, depth)[ideal > 0] / ideal[ideal > 0]).mean())


def run_sklearn(sets, settings, tuned, threads):
    os.environ["OMP_NUM_THREADS"] = str(threads)
    from sklearn.ensemble import HistGradientBoostingRegressor
    rounds = TUNED_ROUNDS if tuned else 100
    model = HistGradientBoostingRegressor(random_state=1, max_iter=rounds, early_stopping=False, **settings)
    model.fit(*sets["train"][:2])
    if not tuned:
        return None, rounds, model.predict(sets["test"][0])
    values = [ndcg(s, *sets["valid"][1:]) for s in model.staged_predict(sets["valid"][0])]
    stage = max(range(len(values)), key=values.__getitem__)
    return values[stage], stage + 1, next(itertools.islice(model.staged_predict(sets["test"][0]), stage, None))


TOOLS = {"xgboost": (run_xgboost, XGB_TUNED), "sklearn": (run_sklearn, HGB_TUNED)}


def trials(tool, large_trees):
    """The settings to try, those with the largest trees first, which take longest."""
    settings = sorted(TOOLS[tool][1], key=lambda s: -s.get("max_depth", s.get("max_leaf_nodes")))
    if large_trees:
        settings = [s for s in settings if s.get("max_depth", 0) >= 6 and s["eta"] > .05 or s.get("max_leaf_nodes", 0) >= 31]
    return [(tool, one) for one in settings]


def tune_setting(job):
    tool, settings = job
    return tool, settings, TOOLS[tool][0](next(iter(SETS.values())), settings, True, 1)


def tune(given, data, tools):
    """Tries all settings of the tools, in parallel on one copy of the data, and yields a row for each tool."""
    gradus = os.path.join(given.new, "gradus")
    start = time.time()
    parts_of(gradus, data)
    together = itertools.zip_longest(*[trials(tool, given.large_trees) for tool in tools])
    jobs = [job for jobs in together for job in jobs if job]
    done = {tool: [] for tool in tools}
    with multiprocessing.Pool(given.jobs) as pool:  # forked: inherits the data
        runs = pool.imap_unordered(tune_setting, jobs)
        try:
            for _ in jobs:
                tool, settings, run = runs.next(max(0, given.stop - time.time()))
                done[tool].append((settings, run))
                print(data["set"], data["repeat"], tool, settings, "%.4f after %d rounds" % run[:2], file=sys.stderr)
        except multiprocessing.TimeoutError:
            print("%s: stopped, time is up" % data["set"], file=sys.stderr)
    for tool in tools:
        if done[tool]:
            settings, (value, rounds, scores) = max(done[tool], key=lambda d: (d[1][0], -jobs.index((tool, d[0]))))
            queries = score_file(gradus, data, scores)
            yield dict(set=data["set"], repeat=data["repeat"], who=tool, method="tuned", settings=settings, rounds=rounds,
                       valid=value, trials=len(done[tool]), queries=queries, mean=mean(queries),
                       seconds=round(time.time() - start, 2))


def train(job):
    given, data, who, method = job
    start = time.time()
    if start > given.stop:
        return None
    row = dict(set=data["set"], repeat=data["repeat"], who=who, method=method)
    try:
        if who in ("old", "new"):
            row["queries"] = run_gradus(given.old if who == "old" else given.new, data, method, given.seconds,
                                        given.threads)
        else:
            gradus = os.path.join(given.new, "gradus")
            row["queries"] = score_file(gradus, data, TOOLS[who][0](parts_of(gradus, data), {}, False, given.threads)[-1])
        row["mean"] = mean(row["queries"])
    except subprocess.TimeoutExpired:
        row["error"] = "over %d s" % given.seconds
    except Exception as fault:  # a method that rejects a data set is a result, too
        row["error"] = str(fault)
    row["seconds"] = round(time.time() - start, 2)
    return row


def all_methods(gradus):
    run = subprocess.run([gradus, "help", "methods"], capture_output=True, text=True, check=True)
    names = re.findall(r"^  ([a-z][a-z0-9-]*) ", run.stdout, re.M)
    return [n for n in names if n not in ("feature", "random")]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("old", "new", "work", "out"):
        parser.add_argument(name)
    parser.add_argument("--letor")
    parser.add_argument("--sets", default="")
    parser.add_argument("--methods", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seeds", type=int, default=grid.SEEDS)
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--default-only", action="store_true")
    parser.add_argument("--tuned-only", action="store_true")
    parser.add_argument("--large-trees", action="store_true")
    given = parser.parse_args()
    given.stop = time.time() + 60 * given.minutes
    os.makedirs(given.work, exist_ok=True)
    sets = grid.make_sets(os.path.join(given.new, "gradus"), given.letor, given.sets, given.work, given.seeds)
    chosen = given.methods.split(",") if given.methods else all_methods(os.path.join(given.new, "gradus")) + [
        "xgboost", "sklearn"]
    seen = set()
    if os.path.exists(given.out):
        with open(given.out) as lines:
            seen = {tuple(json.loads(line)[k] for k in ("set", "repeat", "who", "method")) for line in lines}
    jobs, tuned = [], []
    for data in sets:
        for method in chosen:
            pairs = [(method, "default"), (method, "tuned")] if method in TOOLS else [("old", method), ("new", method)]
            for who, what in pairs:
                if (data["set"], data["repeat"], who, what) not in seen:
                    (tuned if what == "tuned" else jobs).append((given, data, who, what))
    jobs, tuned = [] if given.tuned_only else jobs, [] if given.default_only else tuned
    print("%d trainings, %d tuned" % (len(jobs), len(tuned)), file=sys.stderr)
    with open(given.out, "a") as out:
        with ProcessPoolExecutor(given.jobs) as pool:
            for done in as_completed([pool.submit(train, job) for job in jobs]):
                if done.result():
                    print(json.dumps(done.result()), file=out, flush=True)
        for _, jobs in itertools.groupby(tuned, key=lambda job: job[1]["base"]):
            jobs = list(jobs)
            if time.time() < given.stop:
                for row in tune(given, jobs[0][1], [who for _, _, who, _ in jobs]):
                    print(json.dumps(row), file=out, flush=True)


if __name__ == "__main__":
    main()
