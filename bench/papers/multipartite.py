#!/usr/bin/python3
"""Section 6.1 of Uematsu and Lee (2015): estimated functions beside their theoretical counterparts.

usage: bench/papers/multipartite.py BUILD [--seed N] [--svg FILE] [--rounds N]

Three grades, X | Y = 1, 2, 3 ~ N(-2, 1), N(0, 1), N(2, 1), 500 rows each, and as many to choose the
number of rounds on; boosted Gaussians of sigma^2 = 0.5 centred at the observed values, full steps.
Prints the functions on a grid, the thresholds (theta_2 = 0), and the largest deviation from theory on
[-3, 3]. Scores are compared up to a constant: thresholds move with them, and PAIRRANK has none."""
import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tables import table  # noqa: E402

words = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("build")
words.add_argument("--seed", type=int, default=1)
words.add_argument("--rounds", type=int, default=300)
words.add_argument("--learning-rate", default="1")
words.add_argument("--svg", help="a figure like the paper's Figure 1")
words.add_argument("--markdown", action="store_true")
given = words.parse_args()
gradus = os.path.join(os.path.abspath(given.build), "gradus")
grid = [i / 10 for i in range(-30, 31)]


def write(path, rows):
    with open(path, "w", encoding="ascii") as file:
        for grade, x in rows:
            file.write(f"{grade} qid:1 1:{x:.9g}\n")


def draw(rng):
    return [(grade, rng.gauss(mean, 1)) for grade, mean in ((1, -2), (2, 0), (3, 2))
            for _ in range(500)]


def run(*arguments):
    return subprocess.run([gradus, *arguments], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True).stdout


def fit(method, metric, *options):
    """The function on the grid, and the thresholds with the last taken for 0."""
    run("train", "--train", "train.txt", "--valid", "valid.txt", "--method", method, *options,
        "--learner", "gaussians", "--widths", "0.70710678", "--centres", "2000",
        "--learning-rate", given.learning_rate, "--l2", "0", "--rounds", str(given.rounds),
        "--patience", "0", "--metric", metric, "--quiet", "-o", "it.model")
    shown = json.loads(run("show", "it.model", "--json"))
    scores = [float(word) for word in run("score", "it.model", "grid.txt").split()]
    thresholds = shown.get("thresholds", [0.0])
    return [f - thresholds[-1] for f in scores], [t - thresholds[-1] for t in thresholds], \
        shown["rounds"]


def f0(x):
    return (math.exp(2 * x) + math.exp(2)) / (math.exp(-2 * x) + math.exp(2))


def orboost(x, t):
    return math.log((math.exp(2 * x) + math.exp(2 + t)) /
                    (math.exp(-2 * x - t) + math.exp(2))) / 2


def propodds(x, t):
    f = f0(x)
    return math.log((f - 1 + math.sqrt((f - 1) ** 2 + 4 * math.exp(t) * f)) / 2)


def centred(values):
    return [v - values[len(values) // 2] for v in values]


def figure(path, curves):
    """Each estimate (solid) and its theory (dashed), in a panel of its own."""
    width, height, gap = 260, 200, 40
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{len(curves) * (width + gap) + gap}" '
             f'height="{height + 2 * gap}" font-family="sans-serif" font-size="12">']
    for panel, (name, ours, theirs) in enumerate(curves):
        left, most = gap + panel * (width + gap), max(map(abs, ours + theirs))
        for values, style in ((theirs, 'stroke="#888" stroke-dasharray="5 4"'),
                              (ours, 'stroke="#06c"')):
            points = " ".join(f"{left + (x + 3) / 6 * width:.1f},"
                              f"{gap + (1 - (v / most + 1) / 2) * height:.1f}"
                              for x, v in zip(grid, values))
            parts.append(f'<polyline points="{points}" fill="none" {style} stroke-width="1.5"/>')
        parts.append(f'<rect x="{left}" y="{gap}" width="{width}" height="{height}" fill="none" '
                     f'stroke="#000"/><text x="{left}" y="{gap - 8}">{name}</text>'
                     f'<text x="{left}" y="{gap + height + 16}">-3</text>'
                     f'<text x="{left + width - 8}" y="{gap + height + 16}">3</text>'
                     f'<text x="{left + 4}" y="{gap + 14}">{most:.1f}</text>')
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(parts + ["</svg>\n"]))


rng = random.Random(given.seed)
home = os.getcwd()
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    write("train.txt", draw(rng))
    write("valid.txt", draw(rng))
    write("grid.txt", [(1, x) for x in grid])
    pairs, _, pair_rounds = fit("pairrank", "u-pairs", "--within", "all", "--cost", "pairs")
    odds, odds_cuts, odds_rounds = fit("propodds", "u-pairs")
    boost, boost_cuts, boost_rounds = fit("orboost", "u-pairs")
    mean, _, mean_rounds = fit("regression", "mse")
    os.chdir(home)

theory = {
    "PAIRRANK": [math.log(f0(x)) / 2 for x in grid],
    "PROPODDS": [propodds(x, odds_cuts[0]) for x in grid],
    "ORBOOST": [orboost(x, boost_cuts[0]) for x in grid],
    "REG": [sum(k * p for k, p in zip((1, 2, 3), (math.exp(-(x + 2) ** 2 / 2),
                                                  math.exp(-x ** 2 / 2),
                                                  math.exp(-(x - 2) ** 2 / 2)))) /
            sum(math.exp(-(x - m) ** 2 / 2) for m in (-2, 0, 2)) for x in grid],
}
ours = {"PAIRRANK": centred(pairs), "PROPODDS": odds, "ORBOOST": boost, "REG": mean}
table(["x"] + [w for name in ours for w in (name, "theory")],
      [[f"{x:.1f}"] + [f"{v[i]:.2f}" for name in ours for v in (ours[name], theory[name])]
       for i, x in enumerate(grid) if i % 5 == 0], given.markdown)
print()
rounds = {"PAIRRANK": pair_rounds, "PROPODDS": odds_rounds, "ORBOOST": boost_rounds,
          "REG": mean_rounds}
thresholds = {"PROPODDS": (odds_cuts[0], "-4.37"), "ORBOOST": (boost_cuts[0], "-2.06")}
table(["method", "rounds", "theta_1", "the paper's", "largest deviation on [-3, 3]", "on [-2, 2]"],
      [[name, str(rounds[name])] +
       ([f"{thresholds[name][0]:.2f}", thresholds[name][1]] if name in thresholds else ["", ""]) +
       [f"{max(abs(a - b) for a, b, x in zip(ours[name], theory[name], grid) if abs(x) <= end):.2f}"
        for end in (3, 2)] for name in ours], given.markdown)
if given.svg:
    figure(given.svg, [(name, ours[name], theory[name]) for name in ours])
