#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Training: gradus against XGBoost, LightGBM and scikit-learn, in turn, on the same rows and threads.

usage: bench/train/bench_train.py BUILD FOLDER [--rounds N] [--times N] [--threads N] [--only LIST]
                          [--sets LIST] [--base BUILD] [--kernels LEVEL] [--tools LIST] [--no-test] [--keep-bins]
                          [--scale X] [--markdown]

FOLDER keeps the data, which are made once: `synth web` with 5,000 queries, `synth mcrank` with
10,000, and as many others to test on: between seeds, NDCG@10 of 1,000 queries differs by .002. Each
training is a process of its own that has its rows in memory before the clock starts. Medians of
TIMES turns; NDCG@10 and RMSE are those of the first. LightGBM is used, through its C interface, if its package is
installed, or if LIGHTGBM names the folder that scripts/lightgbm.sh prints. --only chooses from regression,
lambdamart, mcrank (the method, one tree per grade and round), large (255 leaves on 32,270 web queries, 3.8 million
rows: needs 12 GB of memory), outputs, threads and memory, --sets from web and mcrank, --tools from xgboost,
lightgbm and sklearn. --base names the build folder of an older version, which trains in the same turns; --kernels
adds gradus without the instruction sets above LEVEL, avx2 for example (the other tools keep theirs). `threads`
compares one thread with --threads. --no-test leaves out NDCG@10 and RMSE, which take longer than the trainings.
--keep-bins keeps LightGBM's bins in FOLDER, which saves time; its binning is then timed in the first turn only."""
import argparse

from train_common import Bench, table

words = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("build")
words.add_argument("folder")
words.add_argument("--rounds", type=int, default=100)
words.add_argument("--times", type=int, default=5)
words.add_argument("--threads", type=int, default=2)
words.add_argument("--only", default="regression,lambdamart,outputs,threads,memory")
words.add_argument("--sets", default="web,mcrank")
words.add_argument("--base")
words.add_argument("--kernels")
words.add_argument("--tools", default="xgboost,lightgbm,sklearn")
words.add_argument("--no-test", action="store_true")
words.add_argument("--keep-bins", action="store_true")
words.add_argument("--scale", type=float, default=1, help="fraction of the queries, to try the script")
words.add_argument("--markdown", action="store_true")
given = words.parse_args()
bench = Bench(given.build, given.folder, given.rounds, given.times, given.threads)
base = Bench(given.base, given.folder, given.rounds, given.times, given.threads) if given.base else None
# The settings of both tools, without evaluation on the training data; l2 and the minimum weight of
# a leaf are each tool's default.
BOTH = {"train_eval_every": 0, "bins": 255, "learning_rate": 0.1, "min_rows": 20}


def compare(title, sides, targets):
    """Prints one table: gradus first, the others relative to it."""
    found = bench.alternate(sides)
    print(f"{title}: {bench.rounds} rounds, {bench.threads} threads, median of {bench.times}")
    ours, rows = found["gradus"], []
    for name, theirs in found.items():
        if theirs is None:
            print(f"  skipped: {name}: not installed")
            continue
        ratios = [f"{theirs[key] / ours[key]:.2f}" if key in theirs else ""
                  for key in ("train_seconds", "bin_seconds", "total_seconds",
                              "train_processor_seconds")]
        rows.append([name, f"{1000 * theirs['round_seconds']:.1f}",
                     *(f"{theirs[key]:.2f}" if key in theirs else ""
                       for key in ("train_seconds", "bin_seconds", "total_seconds")), *ratios,
                     f">= {targets[name]:g}" if name in targets else "",
                     *([] if given.no_test else [f"{theirs['ndcg@10']:.4f}", f"{theirs['rmse']:.4f}"])])
    table(["", "ms per round", "train s", "bin s", "both s", "train x", "bin x", "both x",
           "processor x", "target", *([] if given.no_test else ["ndcg@10", "rmse"])], rows, given.markdown)
    adds = ours["scanned_rows"] * ours["features"]
    print(f"  gradus: a tree scans {ours['scanned_rows'] / ours['rows']:.2f} times the rows, "
          f"{adds / 1e6:.0f} million additions: "
          f"{1e9 * ours['train_processor_seconds'] / bench.rounds / adds:.2f} ns of processor time each\n",
          flush=True)


def synth(name, kind, queries, first=1):
    count = max(10, int(queries * given.scale))
    return bench.synth(name, kind, "--queries", str(count), "--first-query", str(first), arrays=True)


def web():
    return synth("web", "web", 5000), None if given.no_test else synth("web-test-5000", "web", 5000, 5001)


def mcrank():
    return (synth("mcrank", "mcrank", 10000),
            None if given.no_test else synth("mcrank-test-10000", "mcrank", 10000, 10001))


def large():
    """The training rows begin after the test rows of web."""
    return synth("large", "web", 32270, 10001), web()[1]


def sets(names):
    """Lists sets as (name, training data, test data)."""
    makers = {"web": web, "mcrank": mcrank, "large": large}
    return [(name, *makers[name]()) for name in names]


def others(task, name, tests, leaves):
    """The other tools on the same rows; LightGBM by rows and by columns, and with quantised gradients."""
    def side(tool, **more):
        return lambda: bench.other(tool, task, name, tests, leaves, **more)
    bins = {"bins": bench.path(f"{name}.{task}.bins")} if given.keep_bins else {}
    sides = {
        "xgboost": {} if task == "classes" else {"XGBoost": side("xgboost")},
        "lightgbm": {"LightGBM, row-wise": side("lightgbm", **bins),
                     "LightGBM, column-wise": side("lightgbm", force_col_wise="true", **bins)},
        "sklearn": {},
    }
    if task == "regression":
        sides["sklearn"]["scikit-learn"] = side("sklearn")
        # ranking with quantised gradients ends LightGBM 4.1 with a failed check
        sides["lightgbm"]["LightGBM, quantised"] = side("lightgbm", use_quantized_grad="true",
                                                           **bins)
    return {name: side for tool in given.tools.split(",") for name, side in sides[tool].items()}


def run_method(method, task, leaves, targets, chosen=None):
    for name, train, test in sets(chosen or given.sets.split(",")):
        tests = test and test.rsplit("/", 1)[-1].removesuffix(".gradus")
        sides = {"gradus": lambda: bench.gradus(train, test, method=method, leaves=leaves, **BOTH)}
        if given.kernels:
            sides[f"gradus, {given.kernels}"] = lambda: bench.gradus(train, test, method=method, leaves=leaves,
                                                                     kernels=given.kernels, **BOTH)
        if base:
            # all rows, as now by default; older versions name the option row-share
            rows = {"query_share": 1} if method == "lambdamart" else {"row_share": 1}
            sides["gradus, base"] = lambda: base.gradus(train, test, method=method, leaves=leaves,
                                                        **BOTH, **rows)
        compare(f"{method}, {leaves} leaves, {name}", {**sides, **others(task, name, tests, leaves)},
                targets)


def run_regression():
    run_method("regression", "regression", 31,
               {"XGBoost": 2, "scikit-learn": 4})


def run_lambdamart():
    run_method("lambdamart", "ranking", 63, {"XGBoost": 3})


def run_mcrank():
    run_method("mcrank", "classes", 31, {})


def run_large():
    run_method("regression", "regression", 255, {}, ["large"])
    run_method("lambdamart", "ranking", 255, {}, ["large"])


def run_outputs():
    """A round of several trees against a round of one, with the same leaves and rows."""
    rounds = max(1, bench.rounds // 2)
    for name, train, test in sets(given.sets.split(",")):
        for leaves in (10, 31):
            def side(**method):
                return lambda: bench.gradus(train, rounds=rounds, leaves=leaves, **method, **BOTH)
            found = bench.alternate({
                "regression": side(method="regression"),
                "cocr, K=4": side(method="cocr", cost="absolute"),
                "mcrank, 5 grades": side(method="mcrank"),
                "mcrank-ordinal": side(method="mcrank-ordinal"),
            })
            print(f"outputs, {leaves} leaves, {name}: {rounds} rounds, median of {bench.times}")
            one, targets = found["regression"], {"cocr, K=4": 3.6, "mcrank, 5 grades": 4.4}
            table(["", "ms per round", "times one", "processor", "target"],
                  [[side, f"{1000 * several['round_seconds']:.1f}",
                    f"{several['round_seconds'] / one['round_seconds']:.2f}",
                    f"{several['train_processor_seconds'] / one['train_processor_seconds']:.2f}",
                    f"<= {targets[side]:g}" if side in targets else ""]
                   for side, several in found.items()], given.markdown)


def run_threads():
    rows, rounds, many = [], max(1, bench.rounds // 2), given.threads
    for name, train, test in sets(given.sets.split(",")):
        for method, leaves in (("regression", 31), ("lambdamart", 63)):
            found = bench.alternate({
                threads: lambda threads=threads: bench.gradus(train, threads=threads, rounds=rounds,
                                                              method=method, leaves=leaves, **BOTH)
                for threads in (1, many)})
            one, all = found[1], found[many]
            rows.append([f"{name}, {method}, {leaves} leaves"] +
                        [f"{1000 * side['round_seconds']:.1f}" for side in (one, all)] +
                        [f"{one['round_seconds'] / all['round_seconds']:.2f}",
                         f"{one['bin_seconds'] / all['bin_seconds']:.2f}",
                         ">= 1.8" if many == 2 else ">= 10" if many == 16 else ""])
    print(f"{many} threads against one: {rounds} rounds, median of {bench.times}")
    table(["", "ms per round, 1", f"ms per round, {many}", "train x", "bin x", "target"], rows,
          given.markdown)


def run_memory():
    """Sampled every two milliseconds; the data are a binary file, which is mapped and not
    counted."""
    rows = []
    for name, train, test in sets(given.sets.split(",")):
        for method, leaves, outputs in (("regression", 31, 1), ("lambdamart", 63, 1),
                                        ("cocr", 31, 4), ("mcrank", 31, 5)):
            found = bench.gradus(train, rounds=5, sample=True, method=method, leaves=leaves, **BOTH)
            used = max(found["sampled_bytes"], found["anonymous_bytes"]) - found["bytes_before"]
            entries = found["rows"] * found["features"]
            most = 1.5 * entries + found["rows"] * (64 + 24 * (outputs - 1))
            rows.append([f"{name}, {method}", f"{used / 1e6:.1f}", f"{most / 1e6:.1f}",
                         f"{used / most:.2f}", f"{used / entries:.2f}"])
    print("anonymous memory of training, MB")
    table(["", "used", "allowed", "ratio", "bytes an entry"], rows, given.markdown)


for part in given.only.split(","):
    {"regression": run_regression, "lambdamart": run_lambdamart, "mcrank": run_mcrank, "large": run_large,
     "outputs": run_outputs, "threads": run_threads, "memory": run_memory}[part]()
