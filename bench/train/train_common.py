# SPDX-License-Identifier: Apache-2.0
"""Shared by bench_train.py and scaling.py: data generated once, one training per process, medians."""
import json
import os
import statistics
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))
from tables import table  # noqa: E402, F401 (for the scripts)


class Bench:
    turn = 0  # of the trainings that alternate; quality is the same in each, so that only the first evaluates it

    def __init__(self, build, folder, rounds, times, threads):
        self.build, self.folder = os.path.abspath(build), os.path.abspath(folder)
        self.rounds, self.times, self.threads = rounds, times, threads
        os.makedirs(self.folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, words, **options):
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, **options)
        if done.returncode != 0:
            sys.exit(f"failed: {' '.join(words)}")
        return done.stdout

    def synth(self, name, *words, arrays=False):
        """Generates NAME.gradus once, and its arrays for numpy if requested."""
        file = self.path(name + ".gradus")
        if not os.path.exists(file):
            self.run([self.build + "/gradus", "synth", *words, "--quiet", "-o", file])
        if arrays and not os.path.exists(self.path(name + ".q.npy")):
            self.run([self.build + "/bench/bench_dump", file, self.path(name)])
        return file

    def gradus(self, train, test=None, threads=None, rounds=None, sample=False, kernels=None, **options):
        """Runs one training with gradus. options: those of `gradus train`, with _ for -."""
        words = [self.build + "/bench/bench_train"] + (["--kernels", kernels] if kernels else [])
        words += [train, test if test and Bench.turn == 0 else "-",
                  str(threads or self.threads)] + ["sample"] * sample
        options = {"rounds": rounds or self.rounds, **options}
        words += [f"{name.replace('_', '-')}={value}" for name, value in options.items()]
        return json.loads(self.run(words))

    def other(self, tool, task, train, test, leaves, threads=None, rounds=None, **more):
        """Runs one training with another tool; None if it is not installed."""
        scores = self.path("others.scores")
        test = test if Bench.turn == 0 else None
        words = [sys.executable, "-W", "ignore", os.path.join(here, "others.py"), tool, task,
                 self.path(train), self.path(test) if test else "-", str(rounds or self.rounds),
                 str(leaves), str(threads or self.threads), scores]
        words += [f"{name}={value}" for name, value in more.items()]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if "ModuleNotFoundError" in done.stderr:
            return None
        if done.returncode != 0:
            sys.exit(done.stderr)
        found = json.loads(done.stdout)
        if test:
            told = self.run([self.build + "/gradus", "eval", self.path(test + ".gradus"), scores,
                             "--metric", "ndcg@10,rmse", "--json", "--quiet"])
            found.update(json.loads(told)[0]["metrics"])
        return found

    def alternate(self, sides):
        """sides: name -> function that runs one training. Alternates, so that a busy moment of
        the machine affects all sides; returns name -> the median of each number, or None."""
        found = {name: [] for name in sides}
        for Bench.turn in range(self.times):
            for name, train in sides.items():
                found[name].append(train())
                print(f"  {Bench.turn + 1} of {self.times}: {name}", file=sys.stderr, flush=True)
        Bench.turn = 0
        return {name: medians(several) for name, several in found.items()}


def medians(several):
    if None in several:
        return None
    return {name: statistics.median(one[name] for one in several if name in one) for name in several[0]}
