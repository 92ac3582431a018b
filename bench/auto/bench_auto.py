#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/auto/bench_auto.py BUILD OUT SET... [--seconds S] [--systems LIST] [--threads N] [--jobs N]
                         [--stop-after S] [--table]

NDCG@10, MAP and ERR@10 on test data of `gradus auto`, of lambdamart with its defaults, of the winner of a
tournament (`gradus tune --method all`), and of LightGBM's lambdarank, XGBoost's rank:ndcg and scikit-learn's
HistGradientBoostingRegressor, each tuned by random search for the same S seconds (120) with N threads (2).
BUILD is a build folder with the Python package.

A SET is a folder with some of Fold1 to Fold5, each with train.txt, vali.txt and test.txt; or KIND:QUERIES[:SEEDS], data
of `gradus synth KIND` with QUERIES training queries, a fifth as many validation queries and 1,000 test queries,
for the seeds 1 to SEEDS (3). Appends one JSON line per training to OUT, with the values of every query; those that
are there already are skipped. Ends with the table of the systems in LIST; --table prints only that. In LIST, NAME:S
gives a system its own time.

--jobs N trains N systems at a time, each in a process of its own, on its own processors if there are enough. The
queue has the order of the sets; defaults, which are quick, come last. With --stop-after S no training is started
that is expected to end later than S seconds from now, and one that has not ended by then is stopped; the same
command does the rest.

The other tools train on train.txt and choose settings and rounds on vali.txt. A training is stopped when the time
is up; its best round so far counts. gradus auto gets both files and makes its own folds.
LightGBM: PYTHONPATH=$(scripts/lightgbm.sh)."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

METRICS = "ndcg@10,map,err@10"
MAX_ROUNDS = 1000
PATIENCE = 100


def fold_sets(word, work):
    """Lists (set, repeat, paths of train, valid and test)."""
    if os.path.isdir(word):
        name = os.path.basename(os.path.normpath(word))
        for i in range(1, 6):
            if os.path.isdir(f"{word}/Fold{i}"):
                yield name, i, [f"{word}/Fold{i}/{p}.txt" for p in ("train", "vali", "test")]
        return
    kind, queries, seeds = (word.split(":") + ["3"])[:3]
    for seed in range(1, int(seeds) + 1):
        parts, first = [], 1
        for part, count in (("train", int(queries)), ("valid", max(10, int(queries) // 5)), ("test", 1000)):
            path = f"{work}/{kind}-{queries}-{seed}.{part}.gradus"
            if not os.path.exists(path):
                subprocess.run([f"{given.build}/gradus", "synth", kind, "--queries", str(count), "--seed", str(seed),
                                "--first-query", str(first), "-o", path, "-q"], check=True)
            first += count
            parts.append(path)
        yield f"{kind}:{queries}", seed, parts


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


def search(train_one, draw, end):
    """Random search until the time `end`; the first settings are the defaults. train_one returns the validation
    value, a function for the test scores and the number of rounds. Returns what is best by validation value."""
    rng, best, count = numpy.random.default_rng(1), None, 0
    while count == 0 or time.time() < end:
        settings = draw(rng) if count else {}
        value, scores, rounds = train_one(settings)
        count += 1
        if best is None or value > best[0]:
            best = value, scores, dict(settings, rounds=rounds)
        cut = time.time() >= end
    return best[1](), dict(best[2], trials=count, last_trial_cut=cut, valid=round(float(best[0]), 4))


def lightgbm_tuned(paths, seconds):
    import lightgbm
    end = time.time() + seconds
    train, valid, test = map(Arrays, paths)
    rows = lightgbm.Dataset(train.x, train.y, group=train.groups, free_raw_data=False, params=dict(verbose=-1))
    held = lightgbm.Dataset(valid.x, valid.y, group=valid.groups, reference=rows, free_raw_data=False)

    def stop_in_time(env):
        if time.time() >= end:
            raise lightgbm.callback.EarlyStopException(env.iteration, env.evaluation_result_list)

    stop_in_time.order = 40  # after those that record values

    def one(settings):
        history = {}
        params = dict(settings, objective="lambdarank", metric="ndcg", eval_at=[10], verbose=-1, seed=1,
                      num_threads=given.threads, deterministic=True, feature_pre_filter=False)
        model = lightgbm.train(params, rows, MAX_ROUNDS, [held], callbacks=[
            lightgbm.record_evaluation(history), lightgbm.early_stopping(PATIENCE, verbose=False), stop_in_time])
        rounds = int(numpy.argmax(history["valid_0"]["ndcg@10"])) + 1
        return (ndcg(valid, model.predict(valid.x, num_iteration=rounds)),
                lambda: model.predict(test.x, num_iteration=rounds), rounds)

    return search(one, lambda r: dict(
        num_leaves=round(log_uniform(r, 4, 127)), learning_rate=log_uniform(r, .02, .2),
        min_data_in_leaf=round(log_uniform(r, 5, 200)), feature_fraction=float(r.uniform(.4, 1)),
        lambda_l2=log_uniform(r, .01, 10)), end)


def xgboost_tuned(paths, seconds):
    import xgboost
    end = time.time() + seconds
    train, valid, test = map(Arrays, paths)
    matrices = []
    for part in (train, valid, test):
        matrices.append(xgboost.DMatrix(part.x, label=part.y, nthread=given.threads))
        matrices[-1].set_group(part.groups)

    class StopInTime(xgboost.callback.TrainingCallback):
        def after_iteration(self, model, epoch, evals_log):
            return time.time() >= end

    def one(settings):
        history = {}
        params = dict(settings, objective="rank:ndcg", eval_metric="ndcg@10", tree_method="hist", seed=1,
                      nthread=given.threads)
        model = xgboost.train(params, matrices[0], MAX_ROUNDS, [(matrices[1], "valid")], early_stopping_rounds=PATIENCE,
                              evals_result=history, callbacks=[StopInTime()], verbose_eval=False)
        span = (0, int(numpy.argmax(history["valid"]["ndcg@10"])) + 1)
        return (ndcg(valid, model.predict(matrices[1], iteration_range=span)),
                lambda: model.predict(matrices[2], iteration_range=span), span[1])

    return search(one, lambda r: dict(
        max_depth=int(r.integers(2, 10)), eta=log_uniform(r, .02, .3), min_child_weight=log_uniform(r, .1, 50),
        colsample_bytree=float(r.uniform(.4, 1)), reg_lambda=log_uniform(r, .1, 10)), end)


def sklearn_tuned(paths, seconds):
    from sklearn.ensemble import HistGradientBoostingRegressor
    end = time.time() + seconds
    train, valid, test = map(Arrays, paths)

    def stop_in_time(model, _x, _y):
        """Called after each round in place of a score: rises, so that training continues, until the time is up."""
        return 0 if time.time() >= end else len(model._predictors)

    def one(settings):
        model = HistGradientBoostingRegressor(random_state=1, max_iter=500, early_stopping=True, n_iter_no_change=1,
                                              validation_fraction=None, scoring=stop_in_time, **settings)
        model.fit(train.x, train.y)
        stages, values = [], []
        for i, scores in enumerate(model.staged_predict(valid.x)):
            if i % 5 == 4 or i == 0:
                stages.append(i)
                values.append(ndcg(valid, scores))
        best = stages[int(numpy.argmax(values))]
        return (max(values), lambda: next(s for i, s in enumerate(model.staged_predict(test.x)) if i == best), best + 1)

    return search(one, lambda r: dict(
        max_leaf_nodes=round(log_uniform(r, 4, 127)), learning_rate=log_uniform(r, .02, .2),
        min_samples_leaf=round(log_uniform(r, 5, 200)), l2_regularization=log_uniform(r, .01, 10)), end)


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


SYSTEMS = {"auto": gradus_auto, "lightgbm": lightgbm_tuned, "xgboost": xgboost_tuned, "sklearn": sklearn_tuned,
           "tournament": gradus_tournament, "lambdamart": gradus_default}
OTHER_TOOLS = ("lightgbm", "xgboost", "sklearn")


# ---- the queue

class Job:
    """One system on one training set: its place in the results, its files and the process that runs it."""

    def __init__(self, name, repeat, paths, system):
        system, _, seconds = system.partition(":")
        self.key, self.paths = (name, repeat, system), paths
        self.limit = float(seconds or given.seconds)
        self.is_quick = system == "lambdamart"
        megabytes = os.path.getsize(paths[0]) / 1e6
        # what is not limited: start, reading, the last model, evaluation
        self.expected = 15 + megabytes / 4 if self.is_quick else self.limit + 5 + megabytes / 20

    def start(self, processors):
        """Runs this program again with --one, on the given processors."""
        words = [sys.executable, os.path.abspath(__file__), given.build, given.out, "--seconds", str(self.limit),
                 "--threads", str(given.threads), "--jobs", str(given.jobs), "--one", json.dumps(dict(key=self.key, paths=self.paths))]
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            preexec_fn=(lambda: os.sched_setaffinity(0, processors)) if processors else None)

    def ended(self):
        """Appends the row once the process has ended; False while it runs."""
        if self.process.poll() is None:
            return False
        text, errors = self.process.communicate()
        if self.process.returncode:
            print(*self.key, "failed:", errors.strip()[-2000:], file=sys.stderr, flush=True)
            return True
        with open(given.out, "a") as out:
            out.write(text)
        row = json.loads(text)
        print(*self.key, row["seconds"], row["chosen"], file=sys.stderr, flush=True)
        return True


def run_one(job):
    """What a process of the queue does: prints the row of one job."""
    started = time.time()
    scores, chosen = SYSTEMS[job["key"][2]](job["paths"], given.seconds)
    seconds = round(time.time() - started, 1)
    print(json.dumps(dict(zip(("set", "repeat", "system"), job["key"]), seconds=seconds, limit=given.seconds,
                          threads=given.threads, jobs=given.jobs, chosen=chosen,
                          values=Arrays(job["paths"][2]).measure(scores))))


def run_queue(queue, stop):
    """Runs jobs, given.jobs at a time, until the queue is empty or nothing more fits before the time `stop`."""
    cores = sorted(os.sched_getaffinity(0))
    pinned = given.jobs * given.threads <= len(cores)
    free = [set(cores[i * given.threads:(i + 1) * given.threads]) if pinned else None for i in range(given.jobs)]
    running = []
    while queue or running:
        fitting = [j for j in queue if time.time() + j.expected < stop]
        if free and fitting:
            job = fitting[0]
            queue.remove(job)
            job.processors = free.pop()
            job.start(job.processors)
            running.append(job)
            continue
        if not running:
            break
        time.sleep(.1)
        for job in list(running):
            if time.time() > stop and job.process.poll() is None:
                print(*job.key, "stopped", file=sys.stderr, flush=True)
                os.killpg(job.process.pid, 9)
                job.process.wait()
            if job.ended():
                running.remove(job)
                free.append(job.processors)
    print(f"{len(queue)} trainings left", file=sys.stderr, flush=True)


# ---- table

def read_rows(path):
    if not os.path.exists(path):
        return []
    with open(path) as lines:
        return [json.loads(line) for line in lines]


def paired(a, b):
    """The mean difference a - b over queries with both values, and p of a paired t test."""
    kept = ~numpy.isnan(a) & ~numpy.isnan(b)
    return numpy.mean(a[kept] - b[kept]), scipy.stats.ttest_rel(a[kept], b[kept]).pvalue


def print_row(cells):
    print(f"| {' | '.join(cells)} |")


def print_set(rows, systems, title):
    """rows: system -> its rows, in order of repeats. Prints means, and the systems of gradus against the others."""
    metrics = METRICS.split(",")
    values = {(s, m): numpy.array([v for row in rows[s] for v in row["values"][m]], float) for s in systems for m in metrics}
    queries = numpy.sum(~numpy.isnan(values[systems[0], "ndcg@10"]))
    print(f"\n{title}, {queries} test queries")
    print_row(["system", *metrics, "seconds"])
    print_row(["---"] * (len(metrics) + 2))
    for s in systems:
        spent = [row["seconds"] for row in rows[s]]
        print_row([s, *(f"{numpy.nanmean(values[s, m]):.4f}" for m in metrics), f"{min(spent):.0f} to {max(spent):.0f}"])
    others = [s for s in systems if s in OTHER_TOOLS]
    print("\nDifference to each (p of a paired t test over queries)")
    print_row(["", "metric", *systems[:1], *others])
    print_row(["---"] * (len(others) + 3))
    for s in (s for s in systems if s not in OTHER_TOOLS):
        for m in metrics:
            cells = [paired(values[s, m], values[t, m]) if s != t else None for t in systems[:1] + others]
            print_row([s, m, *(f"{c[0]:+.4f} ({c[1]:.4f})" if c else "" for c in cells)])


def print_table(rows):
    by = {(r["set"], r["repeat"], r["system"]): r for r in rows}
    wanted = [word.partition(":")[0] for word in given.systems.split(",")]
    for name in dict.fromkeys(r["set"] for r in rows):
        systems = [s for s in wanted if any(k[0] == name and k[2] == s for k in by)]
        repeats = [i for i in sorted({k[1] for k in by if k[0] == name})
                   if all((name, i, s) in by for s in systems)]
        if repeats:
            print_set({s: [by[name, i, s] for i in repeats] for s in systems}, systems,
                      f"{name}: {len(repeats)} {'repeat' if len(repeats) == 1 else 'repeats'} with all systems")
        else:
            print(f"\n{name}: no repeat with all systems")


def main():
    if given.one:
        return run_one(json.loads(given.one))
    stop = time.time() + given.stop_after
    if not given.table:
        done = {(r["set"], r["repeat"], r["system"]) for r in read_rows(given.out)}
        with tempfile.TemporaryDirectory() as work:
            queue = [Job(name, repeat, paths, system) for word in given.sets for name, repeat, paths in fold_sets(word, work)
                     for system in given.systems.split(",")]
            queue = sorted((job for job in queue if job.key not in done), key=lambda job: job.is_quick)
            run_queue(queue, stop)
    print_table(read_rows(given.out))


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("build")
parser.add_argument("out")
parser.add_argument("sets", nargs="*")
parser.add_argument("--seconds", type=float, default=120)
parser.add_argument("--systems", default=",".join(SYSTEMS))
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--jobs", type=int, default=1)
parser.add_argument("--stop-after", type=float, default=float("inf"))
parser.add_argument("--table", action="store_true")
parser.add_argument("--one", help=argparse.SUPPRESS)
given = parser.parse_args()
sys.path.insert(0, os.path.join(given.build, "python"))
os.environ["OMP_NUM_THREADS"] = str(given.threads)
import numpy  # noqa: E402
import scipy.stats  # noqa: E402
import gradus  # noqa: E402

main()
