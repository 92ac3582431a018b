#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/defaults/grid.py BUILD WORK OUT [--letor DIR] [--sets REGEX] [--jobs N] [--minutes M]
                       [--seeds N] [--quick]

Trains tree methods over a grid of leaves, minimum rows and learning rates on LETOR folds (DIR
has one folder per data set with S1..S5.txt.gz; omitted: no LETOR data) and on synthetic data of
four sizes and N seeds (three), generated in WORK. Appends one JSON line per training to OUT;
trainings already there are skipped. rule.py reads OUT."""
import argparse
import itertools
import json
import multiprocessing
import os
import re
import subprocess
import sys
import time

SIZES = {"web": (60, 300, 1500, 6000), "mcrank": (150, 1000, 5000, 20000)}
METHODS = ("lambdamart", "regression", "cocr", "mcrank")
SEEDS = 3
TEST_QUERIES = 2000


def letor_sets(folder):
    for name in sorted(os.listdir(folder)) if folder else ():
        parts = [os.path.join(folder, name, "S%d.txt.gz" % i) for i in range(1, 6)]
        if all(os.path.exists(p) for p in parts):
            yield name, parts


def make_folds(name, parts, work):
    """LETOR's rotation: fold k trains on three parts, validates on the next, tests on the last."""
    for fold in range(5):
        order = [parts[(fold + i) % 5] for i in range(5)]
        base = os.path.join(work, "%s-%d" % (name, fold + 1))
        for part, files in (("train", order[:3]), ("valid", order[3:4]), ("test", order[4:])):
            with open("%s.%s.txt.gz" % (base, part), "wb") as out:
                for path in files:
                    with open(path, "rb") as one:
                        out.write(one.read())
        yield dict(set=name, repeat=fold + 1, base=base, form="txt.gz", large=False)


def make_synth(gradus, kind, queries, seed, work):
    base = os.path.join(work, "%s-%d-%d" % (kind, queries, seed))
    first = 1
    valid = max(30, min(1500, queries // 3))
    for part, count in (("train", queries), ("valid", valid), ("test", TEST_QUERIES)):
        path = "%s.%s.gradus" % (base, part)
        if not os.path.exists(path):
            subprocess.run([gradus, "synth", kind, "--queries", str(count), "--first-query", str(first),
                            "--seed", str(seed), "-o", path, "-q"], check=True)
        first += count
    return dict(set="%s-%d" % (kind, queries), repeat=seed, base=base, form="gradus",
                large=queries >= 1000)


def make_sets(gradus, letor, pattern, work, seeds):
    sets = []
    for name, parts in letor_sets(letor):
        if re.search(pattern, name):
            sets += make_folds(name, parts, work)
    for kind, sizes in SIZES.items():
        for queries in sizes:
            if re.search(pattern, "%s-%d" % (kind, queries)):
                sets += [make_synth(gradus, kind, queries, s, work) for s in range(1, seeds + 1)]
    return sets


def settings(large, quick):
    if quick:
        grid = itertools.product((8, 31), (20,), (0.1,))
    elif large:
        grid = itertools.product((8, 16, 31, 63, 127, 255), (20, 100), (0.1,))
    else:
        grid = itertools.product((4, 8, 16, 31, 63, 127), (5, 20, 50, 100), (0.05, 0.1))
    return [dict(leaves=l, min_rows=m, learning_rate=r) for l, m, r in grid]


def methods(large):
    return METHODS[:2] if large else METHODS


def train(job):
    gradus, data, method, options = job
    command = [gradus, "train", "--method", method, "--json", "-q", "--threads", "1",
               "--rounds", "300" if data["large"] else "1500", "--patience", "30" if data["large"] else "50",
               "--row-fraction", "1", "--query-fraction", "1", "--metric", "ndcg@10", "-o", "/dev/null"]
    for part in ("train", "valid", "test"):
        command += ["--" + part, "%s.%s.%s" % (data["base"], part, data["form"])]
    for name, value in options.items():
        command += ["--" + name.replace("_", "-"), str(value)]
    start = time.time()
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        return dict(set=data["set"], repeat=data["repeat"], method=method, error=run.stderr.strip(), **options)
    done = json.loads(run.stdout.splitlines()[-1])
    return dict(set=data["set"], repeat=data["repeat"], method=method, rounds=done["best_round"],
                seconds=round(time.time() - start, 2), valid=done["metrics"]["valid"]["ndcg@10"],
                test=done["metrics"]["test"]["ndcg@10"], train=done["metrics"]["train"]["ndcg@10"], **options)


def key(row):
    return tuple(row[k] for k in ("set", "repeat", "method", "leaves", "min_rows", "learning_rate"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("work")
    parser.add_argument("out")
    parser.add_argument("--letor")
    parser.add_argument("--sets", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    gradus = os.path.join(given.build, "gradus")
    stop = time.time() + 60 * given.minutes
    os.makedirs(given.work, exist_ok=True)
    seen = set()
    if os.path.exists(given.out):
        with open(given.out) as lines:
            seen = {key(json.loads(line)) for line in lines}
    sets = make_sets(gradus, given.letor, given.sets, given.work, given.seeds)
    jobs = [(gradus, data, method, options) for data in sets for method in methods(data["large"])
            for options in settings(data["large"], given.quick)]
    jobs = [j for j in jobs if key(dict(set=j[1]["set"], repeat=j[1]["repeat"], method=j[2], **j[3])) not in seen]
    jobs.sort(key=lambda j: -j[3]["leaves"] if j[1]["large"] else 1)  # longest first
    print("%d trainings" % len(jobs), file=sys.stderr)
    with multiprocessing.Pool(given.jobs) as pool, open(given.out, "a") as out:
        for i, row in enumerate(pool.imap_unordered(train, jobs)):
            print(json.dumps(row), file=out, flush=True)
            if time.time() > stop:
                print("stopped after %d trainings: time is up" % (i + 1), file=sys.stderr)
                pool.terminate()
                break


if __name__ == "__main__":
    main()
