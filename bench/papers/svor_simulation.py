"""SVOR-IMC in the simulation of Uematsu and Lee (2013), section 6.1: thresholds and steps.

    python3 bench/papers/svor_simulation.py BUILD FOLDER [SAMPLES]

X given grades 1, 2, 3 is N(-2, 1), N(0, 1), N(2, 1), 500 rows each; Gaussian kernel with bandwidth^2 =
0.5, C = 10. In theory f is a step function: -1 and +1 around threshold 1 (at x = -1.02), from there
to threshold 2 - 1 (at 0), and on to threshold 2 + 1 (at 1.02). Steps are found where f crosses
threshold 1, the middle between both thresholds, and threshold 2.
"""
import json
import math
import statistics
import sys

from common import Gradus, table

GRID = [-3 + 0.005 * i for i in range(1201)]


def crossings(values, level):
    return [x for x, a, b in zip(GRID, values, values[1:]) if (a < level) != (b < level)]


def run_sample(gradus, seed, grid):
    rows, model = gradus.path("mixture.txt"), gradus.path("mixture.model")
    gradus.run("synth", "mixture", "--seed", str(seed), "-o", rows)
    gradus.run("train", "--train", rows, "--method", "svor-imc", "--penalty", "10", "--bandwidth",
               repr(math.sqrt(0.5)), "--train-eval-every", "0", "-o", model)
    shown = json.loads(gradus.run("show", model, "--json"))
    values = [float(line) for line in gradus.run("score", model, grid).split()]
    low, high = shown["thresholds"]
    steps = [statistics.mean(crossings(values, level) or [math.nan])
             for level in (low, (low + high) / 2, high)]
    apart = [x for x in GRID if abs(x) <= 3]
    theory = [low - 1 if x < -1.02 else low + 1 if x < 0 else high - 1 if x < 1.02 else high + 1
              for x in apart]
    off = statistics.mean(abs(a - b) for a, b in zip(values, theory))
    return [low, high, high - low, *steps, off, shown["results"]["duality gap"]
            / shown["results"]["objective"]]


def main():
    gradus = Gradus(sys.argv[1], sys.argv[2])
    samples = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    grid = gradus.path("grid.csv")
    with open(grid, "w") as file:
        file.write("label,x\n" + "".join(f"0,{x:.6g}\n" for x in GRID))
    found = [run_sample(gradus, seed, grid) for seed in range(1, samples + 1)]
    names = ["threshold 1", "threshold 2", "their distance", "first step", "second step",
             "third step", "mean distance to the steps", "gap of the objective"]
    paper = ["-1.2", "1.1", "2.3", "-1.02", "0", "1.02", "", ""]
    rows = [[name, f"{statistics.mean(column):.3g}", f"{statistics.stdev(column):.2g}", wanted]
            for name, column, wanted in zip(names, zip(*found), paper)]
    print(table(["of %d samples" % samples, "mean", "deviation", "paper"], rows))


if __name__ == "__main__":
    main()
