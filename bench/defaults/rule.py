#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/defaults/rule.py RESULTS...

Fits the rule for the size of trees to the results of grid.py and evaluates it on data sets that
it was not fitted to. Candidates: leaves = sqrt(rows) / d between a minimum and 255, minimum
rows fixed or sqrt(rows) / 2 between 20 and 50. For every data set, the candidate with the
highest mean gain in test NDCG@10 over 31 leaves and 20 rows on all other data sets is applied
to it. Prints Markdown."""
import collections
import itertools
import json
import math
import sys

# rows of the training part
ROWS = {"mq2008": 9127, "ohsumed": 9684, "mq2007-partial": 35574, "web-60": 7700, "web-300": 38500,
        "web-1500": 192000, "web-6000": 770000, "mcrank-150": 7500, "mcrank-1000": 50000,
        "mcrank-5000": 250000, "mcrank-20000": 1000000}
FAMILY = {"web": "web", "mcrank": "mcrank"}  # all sizes of one kind are held out together
BASE = (31, 20)
CANDIDATES = list(itertools.product((7, 10, 14, 20, 28, 40), (4, 8, 16), ("20", "50", "100", "sqrt/2")))


def load(paths):
    values = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in paths:
        with open(path) as lines:
            for line in lines:
                row = json.loads(line)
                if "error" not in row and row["learning_rate"] == 0.1:
                    values[row["set"], row["method"]][row["leaves"], row["min_rows"]].append(row["test"])
    return values


def nearest(value, choices):
    return min(choices, key=lambda c: abs(math.log(c / value)))


def settings(candidate, rows):
    divisor, least, min_rows = candidate
    leaves = min(max(math.sqrt(rows) / divisor, least), 255)
    smallest = min(max(math.sqrt(rows) / 2, 20), 50) if min_rows == "sqrt/2" else float(min_rows)
    return leaves, smallest


def gain(values, name, candidate):
    """Mean over methods of NDCG@10 minus that of 31 leaves, at the grid settings nearest to the
    candidate's; None without results."""
    leaves, smallest = settings(candidate, ROWS[name])
    gains = []
    for (one, _), grid in values.items():
        if one != name or BASE not in grid:
            continue
        runs = len(grid[BASE])
        full = [k for k, v in grid.items() if len(v) == runs]
        chosen = nearest(leaves, sorted({k[0] for k in full}))
        rows = nearest(smallest, sorted({k[1] for k in full if k[0] == chosen}))
        gains.append((sum(grid[chosen, rows]) - sum(grid[BASE])) / runs)
    return sum(gains) / len(gains) if gains else None


def family(name):
    return FAMILY.get(name.split("-")[0], name)


def mean(numbers):
    return sum(numbers) / len(numbers)


def main():
    values = load(sys.argv[1:])
    names = [n for n in ROWS if any(n == one for one, _ in values)]
    table = {c: {n: gain(values, n, c) for n in names} for c in CANDIDATES}

    def best(kept):
        # every family counts once, or the synthetic data would outvote the real ones
        groups = collections.defaultdict(list)
        for n in kept:
            groups[family(n)].append(n)
        return max(CANDIDATES, key=lambda c: mean([mean([table[c][n] for n in g]) for g in groups.values()]))

    print("| data set left out | rows | d | minimum leaves | min-rows | leaves | gain in NDCG@10 |")
    print("|---|---|---|---|---|---|---|")
    for n in names:
        c = best([o for o in names if family(o) != family(n)])
        print("| %s | %d | %g | %d | %s | %.0f | %+.4f |" % (n, ROWS[n], *c, settings(c, ROWS[n])[0], table[c][n]))
    c = best(names)
    print("| none | | %g | %d | %s | | %+.4f |" % (*c, mean([table[c][n] for n in names])))
    print("\nThe default, sqrt(rows) / 10 leaves and min-rows sqrt(rows) / 2: " +
          ", ".join("%s %+.4f" % (n, table[10, 8, "sqrt/2"][n]) for n in names))


if __name__ == "__main__":
    main()
