#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times training and scoring on the processor and on a GPU, alternating, and compares the results.

Fit: training without reading and binning, copies to and from the GPU included. Whole: the command
`gradus train` from a binary file, all included; by default: the same without `--train-eval-every 0`, so
that the metric of the training rows is computed every ten rounds. The data are those of `gradus synth web`.

usage: bench/gpu/bench_gpu.py [--data DIR] [--times N] [--threads N] [--only WORD] [--markdown]
"""
import argparse
import filecmp
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build", "release")
GRADUS = os.path.join(BUILD, "gradus")
BENCH = os.path.join(BUILD, "bench", "bench_train")
PLUGIN = os.path.join(BUILD, "libgradus-cuda.so")
sys.path.insert(0, os.path.join(ROOT, "bench"))
from tables import table  # noqa: E402

QUIET = "train-eval-every=0"
# name, queries, options; the metric of the training rows is not computed between rounds
TRAININGS = [
    ("lambdamart 500 x 255", 32000, ["method=lambdamart", "rounds=500", "leaves=255", QUIET]),
    ("regression 500 x 255", 32000, ["method=regression", "rounds=500", "leaves=255", QUIET]),
    ("lambdamart 100 x 31", 5000, ["method=lambdamart", "rounds=100", "leaves=31", QUIET]),
    ("regression 100 x 31", 5000, ["method=regression", "rounds=100", "leaves=31", QUIET]),
    # more than 4,194,304 rows: sums of 64 bits
    ("lambdamart 100 x 255 wide", 38000, ["method=lambdamart", "rounds=100", "leaves=255", QUIET]),
    ("regression 100 x 255 wide", 38000, ["method=regression", "rounds=100", "leaves=255", QUIET]),
]


def run(words):
    """Runs a command and returns its standard output; ends with its message if it fails."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def data_of(folder, queries):
    path = os.path.join(folder, f"web{queries}.gradus")
    if not os.path.exists(path):
        run([GRADUS, "synth", "web", "--queries", str(queries), "-o", path, "-q"])
    return path


def fit_seconds(device, path, threads, options):
    on_device = ["--device", PLUGIN] if device == "cuda" else []
    result = json.loads(run([BENCH, *on_device, path, "-", str(threads), *options]))
    return result["fit_seconds"], result


def train_command(device, path, threads, options, model):
    words = [GRADUS, "train", "--train", path, "--device", device, "--threads", str(threads), "-q", "-o", model]
    for option in options:
        name, value = option.split("=")
        words += [f"--{name}", value]
    started = time.monotonic()
    run(words)
    return time.monotonic() - started


def medians(times, measure):
    """Measures both devices in turn, `times` times: the median of each, and all."""
    taken = {"cpu": [], "cuda": []}
    for _ in range(times):
        for device, all_of_it in taken.items():
            all_of_it.append(measure(device))
    return {device: statistics.median(values) for device, values in taken.items()}, taken


def shown(seconds):
    return f"{seconds:.3f} s" if seconds < 10 else f"{seconds:.1f} s"


def whole_seconds(path, threads, options, models):
    """The command on both devices, once each, and whether the models are the same."""
    seconds, _ = medians(1, lambda device: train_command(device, path, threads, options, models[device]))
    return seconds, filecmp.cmp(models["cpu"], models["cuda"], shallow=False)


def train(given, folder):
    rows = []
    for name, queries, options in TRAININGS:
        if given.only and given.only not in name:
            continue
        path = data_of(given.data, queries)
        models = {device: os.path.join(folder, f"{device}.model") for device in ("cpu", "cuda")}
        size = fit_seconds("cuda", path, given.threads, options)[1]  # also a first run, not counted
        fit, every = medians(given.times, lambda device: fit_seconds(device, path, given.threads, options)[0])
        whole, same = whole_seconds(path, given.threads, options, models)
        default, same_by_default = whole_seconds(path, given.threads, [o for o in options if o != QUIET], models)
        print(name, {device: [round(value, 3) for value in values] for device, values in every.items()}, flush=True)
        rows.append([name, f"{size['rows']:,} x {size['features']}", shown(fit["cpu"]), shown(fit["cuda"]),
                     f"{fit['cpu'] / fit['cuda']:.1f}", shown(whole["cpu"]), shown(whole["cuda"]),
                     shown(default["cpu"]), shown(default["cuda"]), "same" if same and same_by_default else "DIFFERENT"])
    if rows:
        table(["training", "data", "fit, CPU", "fit, GPU", "times", "whole, CPU", "whole, GPU", "by default, CPU",
               "by default, GPU", "bytes"], rows, given.markdown)
    return all(row[-1] == "same" for row in rows)


def score(given, folder):
    """A model of 1,000 trees of 64 leaves on the large set: rows per second of scoring alone."""
    if given.only and given.only not in "scoring":
        return True
    path, model = data_of(given.data, 32000), os.path.join(given.data, "trees1000.model")
    if not os.path.exists(model):
        train_command("cpu", data_of(given.data, 1000), given.threads, ["method=regression", "rounds=1000", "leaves=64"],
                      model)

    def measure(device):
        result = json.loads(run([GRADUS, "score", model, path, "--device", device, "--threads", str(given.threads),
                                 "-q", "--json", "-o", os.path.join(folder, f"{device}.scores")]))
        return result["rows"] / result["seconds"]["score"] / 1e6

    measure("cuda")
    rate, _ = medians(given.times, measure)
    same = filecmp.cmp(os.path.join(folder, "cpu.scores"), os.path.join(folder, "cuda.scores"), shallow=False)
    table(["scoring, 1,000 trees of 64 leaves", "CPU", "GPU", "times", "scores"],
          [["million rows per second", f"{rate['cpu']:.2f}", f"{rate['cuda']:.2f}", f"{rate['cuda'] / rate['cpu']:.1f}",
            "same" if same else "DIFFERENT"]], given.markdown)
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=None, help="folder that keeps the data; default: a temporary one")
    parser.add_argument("--times", type=int, default=3, help="runs of each device; medians are shown")
    parser.add_argument("--threads", type=int, default=16, help="of the processor")
    parser.add_argument("--only", default="", help="only trainings whose name has this word, or scoring")
    parser.add_argument("--markdown", action="store_true")
    given = parser.parse_args()
    for needed in (GRADUS, BENCH, PLUGIN):
        if not os.path.exists(needed):
            sys.exit(f"{needed} is missing: build build/release first, with GRADUS_BENCH and nvcc")
    with tempfile.TemporaryDirectory() as folder:
        if not given.data:
            given.data = folder
        os.makedirs(given.data, exist_ok=True)
        if not (train(given, folder) & score(given, folder)):
            sys.exit(1)


if __name__ == "__main__":
    main()
