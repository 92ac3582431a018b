#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Distance between the thresholds of SVOR-IMC in the simulation of Uematsu and Lee, section 6.1.

usage: bench/papers/svor_thresholds.py BUILD FOLDER [theory] [replicates] [grid] [tolerance]
                                       [profile]

X given Y = 1, 2, 3 is normal around -2, 0, 2, 500 rows each; the paper has C = 10, sigma^2 =
0.5 and thresholds -1.2 and 1.1.

theory: the distance that minimises the population's hinge risk over all functions. replicates:
200 samples with the paper's settings, and with other interpretations of its sigma^2. grid:
other C, sigma^2 and numbers of rows, ten samples each. tolerance: one sample, solved less and
less accurately. profile: how much the objective increases if the distance is fixed at a given
value; solved here in the primal, by Newton's method on a smoothed hinge over the kernel's
leading eigenvectors, which also checks gradus."""
import json
import math
import os
import subprocess
import sys

import numpy

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tables import table  # noqa: E402


def draw(seed, rows=500):
    random = numpy.random.default_rng(seed)
    x = numpy.concatenate([random.normal(mean, 1, rows) for mean in (-2, 0, 2)])
    return x, numpy.repeat([0, 1, 2], rows)


def fit(x, y, penalty, square, tolerance=1e-3):
    """Returns thresholds and objective from gradus."""
    data, model = os.path.join(folder, "sample.txt"), os.path.join(folder, "sample.model")
    with open(data, "w") as file:
        file.writelines(f"{grade} qid:1 1:{value:.9g}\n" for value, grade in zip(x, y))
    subprocess.run([gradus, "train", "--train", data, "--method", "svor-imc", "--penalty",
                    repr(penalty), "--bandwidth", repr(math.sqrt(square)), "--tolerance",
                    repr(tolerance), "--train-eval-every", "0", "--quiet", "-o", model], check=True,
                   stdout=subprocess.DEVNULL)
    shown = json.loads(subprocess.run([gradus, "show", model, "--json"], check=True,
                                      stdout=subprocess.PIPE).stdout)
    return shown["thresholds"], shown["results"]["objective"], shown["results"]["duality gap"]


def theory():
    """Expected minimum hinge loss at each x, with thresholds -d/2 and d/2: the optimal f is at
    a kink."""
    x = numpy.linspace(-12, 12, 200001)
    joint = numpy.stack([numpy.exp(-(x - mean) ** 2 / 2) for mean in (-2, 0, 2)])
    joint /= joint.sum() * 1.0

    def risk(apart):
        cuts = (-apart / 2, apart / 2)
        found = []
        for f in (cuts[0] - 1, cuts[0] + 1, cuts[1] - 1, cuts[1] + 1):
            loss = [sum(max(0, 1 - (f - cut) * (1 if j < k else -1)) for j, cut in enumerate(cuts))
                    for k in range(3)]
            found.append(numpy.tensordot(loss, joint, 1))
        return numpy.min(found, 0).sum()

    aparts = [1.5, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3, 2.5, 3.0]
    least = min(numpy.arange(1, 4, 0.001), key=risk)
    print(f"population: the risk is minimal at a distance of {least:.3f}")
    table(["distance", "hinge risk", "above the least"],
          [[f"{apart:.1f}", f"{risk(apart):.5f}", f"{100 * (risk(apart) / risk(2) - 1):+.2f} %"]
           for apart in aparts])


def replicates():
    rows = []
    for penalty, square in ((10.0, 0.5), (10.0, 1.0), (10.0, 2.0), (0.1, 2.0)):
        cuts = numpy.array([fit(*draw(seed), penalty, square)[0] for seed in range(200)])
        apart = cuts[:, 1] - cuts[:, 0]
        rows.append([f"C {penalty:g}, sigma^2 {square:g}"]
                    + [f"{of.mean():.3f} ({of.std(ddof=1):.3f})" for of in (*cuts.T, apart)]
                    + [f"{apart.min():.3f}, {apart.max():.3f}", int((apart > 2.2).sum()),
                       int(((numpy.abs(cuts + [1.2, -1.1]) < 0.05).all(1)).sum())])
    print("200 samples each: means (standard deviation of one sample); number of samples with a distance "
          "above 2.2, and with thresholds that round to -1.2 and 1.1")
    table(["", "theta_1", "theta_2", "distance", "from, to", "above 2.2", "as printed"], rows)


def grid():
    squares, rows = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0], []
    for penalty in (0.001, 0.01, 0.1, 1.0, 10.0):
        cells = []
        for square in squares:
            cuts = numpy.array([fit(*draw(seed), penalty, square)[0] for seed in range(10)])
            cells.append(f"{(cuts[:, 1] - cuts[:, 0]).mean():.2f}")
        rows.append([f"{penalty:g}"] + cells)
    table(["C \\ sigma^2"] + [f"{square:g}" for square in squares], rows)
    rows = []
    for count in (50, 150, 500, 1500):
        cuts = numpy.array([fit(*draw(seed, count), 10.0, 0.5)[0] for seed in range(10)])
        apart = cuts[:, 1] - cuts[:, 0]
        rows.append([count, f"{apart.mean():.3f} ({apart.std(ddof=1):.3f})"])
    table(["rows of a grade, C 10, sigma^2 0.5", "distance"], rows)


def tolerance():
    x, y = draw(1)
    rows = []
    for tolerance in (0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0001, 0.00001):
        cuts, objective, gap = fit(x, y, 10.0, 0.5, tolerance)
        rows.append([f"{tolerance:g}", f"{gap / objective:.1e}", f"{cuts[0]:.3f}, {cuts[1]:.3f}",
                     f"{cuts[1] - cuts[0]:.3f}", f"{objective:.1f}"])
    table(["asked for", "gap", "thresholds", "distance", "objective"], rows)


def smooth(margin, width):
    """The hinge smoothed over `width`: value, slope and curvature."""
    short = 1 - margin
    inside = numpy.abs(short) < width
    value = numpy.where(inside, (short + width) ** 2 / (4 * width), numpy.maximum(short, 0))
    slope = numpy.where(inside, -(short + width) / (2 * width), -(short > 0).astype(float))
    return value, slope, numpy.where(inside, 1 / (2 * width), 0.0)


def solve(x, y, penalty, square, apart=None):
    """Returns thresholds and objective, solved in the primal; the distance is free or fixed."""
    kernel = numpy.exp(-(x[:, None] - x[None]) ** 2 / (2 * square))
    values, vectors = numpy.linalg.eigh(kernel)
    kept = values > 1e-10 * values[-1]
    basis = vectors[:, kept] * numpy.sqrt(values[kept])
    size, free = basis.shape[1], 2 if apart is None else 1
    sides = [numpy.where(y > cut, 1.0, -1.0) for cut in (0, 1)]
    design = []  # f - theta of each row and threshold, as columns of w and of the free thresholds
    for cut in (0, 1):
        own = numpy.zeros((len(x), free))
        own[:, min(cut, free - 1)] = -1
        design.append(sides[cut][:, None] * numpy.hstack([basis, own]))
    design = numpy.vstack(design)
    held = numpy.concatenate([numpy.zeros(len(x)), -sides[1] * (apart or 0.0)])
    at = numpy.zeros(size + free)
    if apart is None:
        at[size:] = -1, 1
    else:
        at[size] = -apart / 2
    ridge = numpy.diag(numpy.concatenate([numpy.ones(size), numpy.zeros(free)]))

    def look(at, width):
        value, slope, bend = smooth(design @ at + held, width)
        objective = at[:size] @ at[:size] / 2 + penalty * value.sum()
        gradient = ridge @ at + penalty * design.T @ slope
        hessian = ridge + penalty * (design * bend[:, None]).T @ design
        return objective, gradient, hessian

    for width in (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003):
        for _ in range(200):
            objective, gradient, hessian = look(at, width)
            step = numpy.linalg.solve(hessian + 1e-9 * numpy.eye(len(at)), -gradient)
            share = 1.0
            while look(at + share * step, width)[0] > objective and share > 1e-6:
                share /= 2
            at = at + share * step
            if -gradient @ step < 1e-7 * objective:
                break
    objective = at[:size] @ at[:size] / 2 + penalty * numpy.maximum(
        0, 1 - design @ at - held).sum()
    cuts = at[size:] if apart is None else (at[size], at[size] + apart)
    return cuts, objective


def profile():
    x, y = draw(1)
    by_gradus, (cuts, least) = fit(x, y, 10.0, 0.5, 1e-5), solve(x, y, 10.0, 0.5)
    print(f"free: {cuts[0]:.3f}, {cuts[1]:.3f}, objective {least:.2f}; by gradus "
          f"{by_gradus[0][0]:.3f}, {by_gradus[0][1]:.3f}, {by_gradus[1]:.2f}")
    rows = []
    for apart in (1.6, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3, 2.4, 2.6):
        cuts, objective = solve(x, y, 10.0, 0.5, apart)
        rows.append([f"{apart:.1f}", f"{objective:.1f}", f"{100 * (objective / least - 1):+.2f} %"])
    table(["distance held at", "objective", "above the least"], rows)


gradus, folder = os.path.join(sys.argv[1], "gradus"), sys.argv[2]
os.makedirs(folder, exist_ok=True)
parts = {"theory": theory, "replicates": replicates, "grid": grid, "tolerance": tolerance,
         "profile": profile}
for name in sys.argv[3:] or parts:
    parts[name]()
