#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/auto/bench_auto.py BUILD OUT SET... [--seconds S] [--systems LIST] [--threads N] [--table]

NDCG@10, MAP and ERR@10 on test data of `gradus auto`, of lambdamart with its defaults, of the winner of a
tournament (`gradus tune --method all`), and of LightGBM's lambdarank, XGBoost's rank:ndcg and scikit-learn's
HistGradientBoostingRegressor, each tuned by random search for the same S seconds (120) with N threads (2).
BUILD is a build folder with the Python package.

A SET is a folder with Fold1 to Fold5, each with train.txt, vali.txt and test.txt; or KIND:QUERIES, data of
`gradus synth KIND` with so many training queries, a fifth as many validation queries and 1,000 test queries,
three seeds. Appends one JSON line per training to OUT, with the values of every query; those that are there
already are skipped. Ends with the table; --table prints only that.

The other tools train on train.txt and choose settings and rounds on vali.txt. gradus auto gets both files
and makes its own folds. LightGBM: PYTHONPATH=$(scripts/lightgbm.sh)."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

METRICS = "ndcg@10,map,err@10"


def fold_sets(word, work):
    """Lists (set, repeat, paths of train, valid and test)."""
    if os.path.isdir(word):
        name = os.path.basename(os.path.normpath(word))
        for i in range(1, 6):
            yield name, i, [f"{word}/Fold{i}/{p}.txt" for p in ("train", "vali", "test")]
        return
    kind, queries = word.split(":")
    for seed in (1, 2, 3):
        parts, first = [], 1
        for part, count in (("train", int(queries)), ("valid", max(10, int(queries) // 5)), ("test", 1000)):
            path = f"{work}/{kind}-{queries}-{seed}.{part}.gradus"
            if not os.path.exists(path):
                subprocess.run([f"{given.build}/gradus", "synth", kind, "--queries", str(count), "--seed", str(seed),
                                "--first-query", str(first), "-o", path, "-q"], check=True)
            first += count
            parts.append(path)
        yield word, seed, parts


class Arrays:
    """Rows, labels and group sizes of a file, as read by gradus."""

    def __init__(self, path):
        self.data = gradus.read(path)
        self.x = numpy.asarray(self.data.X, numpy.float32)
        self.y = numpy.asarray(self.data.labels)
        self.groups = numpy.asarray(self.data.group).astype(int)

    def measure(self, scores):
        result = gradus.evaluate(self.data, {"scores": scores}, METRICS)
        return {m: [None if v != v else round(float(v), 6) for v in result.by_query["scores"][m]]
                for m in METRICS.split(",")}


def ndcg(part, scores):
    return gradus.evaluate(part.data, {"scores": scores}, "ndcg@10").means["scores"]["ndcg@10"]


# ---- systems: each returns test scores and what it chose

def log_uniform(rng, low, high):
    return float(low * (high / low) ** rng.random())


def search(train_one, draw, seconds):
    """Random search until the time is up; the first settings are the defaults. Returns the best by validation value."""
    rng, end, best, count = numpy.random.default_rng(1), time.time() + seconds, None, 0
    while count == 0 or time.time() < end:
        settings = draw(rng) if count else {}
        value, scores, rounds = train_one(settings)
        count += 1
        if best is None or value > best[0]:
            best = value, scores, dict(settings, rounds=rounds)
    return best[1], dict(best[2], trials=count, valid=round(float(best[0]), 4))


def lightgbm_tuned(paths, seconds):
    import lightgbm
    train, valid, test = map(Arrays, paths)
    rows = lightgbm.Dataset(train.x, train.y, group=train.groups, free_raw_data=False, params=dict(verbose=-1))
    held = lightgbm.Dataset(valid.x, valid.y, group=valid.groups, reference=rows, free_raw_data=False)

    def one(settings):
        params = dict(settings, objective="lambdarank", metric="ndcg", eval_at=[10], verbose=-1, seed=1,
                      num_threads=given.threads, deterministic=True, feature_pre_filter=False)
        model = lightgbm.train(params, rows, 1000, [held],
                               callbacks=[lightgbm.early_stopping(100, verbose=False)])
        return ndcg(valid, model.predict(valid.x)), model.predict(test.x), model.best_iteration

    return search(one, lambda r: dict(
        num_leaves=round(log_uniform(r, 4, 127)), learning_rate=log_uniform(r, .02, .2),
        min_data_in_leaf=round(log_uniform(r, 5, 200)), feature_fraction=float(r.uniform(.4, 1)),
        lambda_l2=log_uniform(r, .01, 10)), seconds)


def xgboost_tuned(paths, seconds):
    import xgboost
    train, valid, test = map(Arrays, paths)
    matrices = []
    for part in (train, valid, test):
        matrices.append(xgboost.DMatrix(part.x, label=part.y, nthread=given.threads))
        matrices[-1].set_group(part.groups)

    def one(settings):
        params = dict(settings, objective="rank:ndcg", eval_metric="ndcg@10", tree_method="hist", seed=1,
                      nthread=given.threads)
        model = xgboost.train(params, matrices[0], 1000, [(matrices[1], "valid")], early_stopping_rounds=100,
                              verbose_eval=False)
        span = (0, model.best_iteration + 1)
        return (ndcg(valid, model.predict(matrices[1], iteration_range=span)),
                model.predict(matrices[2], iteration_range=span), span[1])

    return search(one, lambda r: dict(
        max_depth=int(r.integers(2, 10)), eta=log_uniform(r, .02, .3), min_child_weight=log_uniform(r, .1, 50),
        colsample_bytree=float(r.uniform(.4, 1)), reg_lambda=log_uniform(r, .1, 10)), seconds)


def sklearn_tuned(paths, seconds):
    from sklearn.ensemble import HistGradientBoostingRegressor
    train, valid, test = map(Arrays, paths)

    def one(settings):
        model = HistGradientBoostingRegressor(random_state=1, early_stopping=False, max_iter=300, **settings)
        model.fit(train.x, train.y)
        values = [ndcg(valid, s) for i, s in enumerate(model.staged_predict(valid.x)) if i % 5 == 4]
        best = 5 * int(numpy.argmax(values)) + 4
        scores = next(s for i, s in enumerate(model.staged_predict(test.x)) if i == best)
        return max(values), scores, best + 1

    return search(one, lambda r: dict(
        max_leaf_nodes=round(log_uniform(r, 4, 127)), learning_rate=log_uniform(r, .02, .2),
        min_samples_leaf=round(log_uniform(r, 5, 200)), l2_regularization=log_uniform(r, .01, 10)), seconds)


def gradus_command(*words):
    run = subprocess.run([f"{given.build}/gradus", *words, "-q", "--json", "--threads", str(given.threads)],
                         capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr)
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]


def scores_of(model, path):
    return gradus.Ranker.load(model).predict(gradus.read(path))


def gradus_auto(paths, seconds):
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/auto.model"
        events = gradus_command("auto", "--train", paths[0], "--valid", paths[1], "--budget", f"{seconds:g}s", "-o", model)
        done = events[-1]
        members = [[e["method"], round(e["weight"], 3)] for e in events if e["event"] == "member" and e["weight"] > 0]
        return scores_of(model, paths[2]), dict(trials=done["trials"], members=members, p=done["p"],
                                                expected=done["expected"]["mean"], single=done["single_method"])


def gradus_default(paths, _):
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/default.model"
        gradus_command("train", "--train", paths[0], "--valid", paths[1], "-o", model)
        return scores_of(model, paths[2]), {}


def gradus_tournament(paths, seconds):
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/best.model"
        events = gradus_command("tune", "--method", "all", "--train", paths[0], "--valid", paths[1], "--budget",
                                f"{seconds:g}s", "-o", model)
        return scores_of(model, paths[2]), dict(winner=next(e["method"] for e in events if e["event"] == "place"))


SYSTEMS = {"auto": gradus_auto, "lambdamart": gradus_default, "tournament": gradus_tournament,
           "lightgbm": lightgbm_tuned, "xgboost": xgboost_tuned, "sklearn": sklearn_tuned}


# ---- table

def read_rows(path):
    if not os.path.exists(path):
        return []
    with open(path) as lines:
        return [json.loads(line) for line in lines]


def print_table(rows):
    by = {(r["set"], r["repeat"], r["system"]): r for r in rows}
    for name in dict.fromkeys(r["set"] for r in rows):
        systems = [s for s in SYSTEMS if any(k[0] == name and k[2] == s for k in by)]
        repeats = [i for i in sorted({k[1] for k in by if k[0] == name})
                   if all((name, i, s) in by for s in systems)]
        print(f"\n{name}: {len(repeats)} {'fold' if len(repeats) == 1 else 'folds'} with all systems")
        print(f"| system | {' | '.join(METRICS.split(','))} | p of ndcg@10 against auto | seconds |")
        print("|---|---|---|---|---|---|")
        for s in systems:
            cells, p = [], ""
            for m in METRICS.split(","):
                own = numpy.array([v for i in repeats for v in by[name, i, s]["values"][m]], float)
                cells.append(f"{numpy.nanmean(own):.4f}" if len(own) else "")
                if m == "ndcg@10" and s != "auto" and "auto" in systems and len(own):
                    auto = numpy.array([v for i in repeats for v in by[name, i, "auto"]["values"][m]], float)
                    kept = ~numpy.isnan(own) & ~numpy.isnan(auto)
                    p = f"{scipy.stats.ttest_rel(auto[kept], own[kept]).pvalue:.4f}"
            spent = [by[name, i, s]["seconds"] for i in repeats]
            print(f"| {s} | {' | '.join(cells)} | {p} | {numpy.mean(spent) if spent else 0:.0f} |")


def main():
    done = {(r["set"], r["repeat"], r["system"]) for r in read_rows(given.out)}
    with tempfile.TemporaryDirectory() as work:
        for word in given.sets:
            for name, repeat, paths in fold_sets(word, work) if not given.table else ():
                for system in given.systems.split(","):
                    if (name, repeat, system) in done:
                        continue
                    start = time.time()
                    scores, chosen = SYSTEMS[system](paths, given.seconds)
                    row = dict(set=name, repeat=repeat, system=system, seconds=round(time.time() - start, 1),
                               chosen=chosen, values=Arrays(paths[2]).measure(scores))
                    with open(given.out, "a") as out:
                        out.write(json.dumps(row) + "\n")
                    print(name, repeat, system, row["seconds"], chosen, file=sys.stderr, flush=True)
    print_table(read_rows(given.out))


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("build")
parser.add_argument("out")
parser.add_argument("sets", nargs="*")
parser.add_argument("--seconds", type=float, default=120)
parser.add_argument("--systems", default=",".join(SYSTEMS))
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--table", action="store_true")
given = parser.parse_args()
sys.path.insert(0, os.path.join(given.build, "python"))
os.environ["OMP_NUM_THREADS"] = str(given.threads)
import numpy  # noqa: E402
import scipy.stats  # noqa: E402
import gradus  # noqa: E402

main()
