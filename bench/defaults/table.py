#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/defaults/table.py RESULTS... [--wide]

Tables of the results of compare.py, as Markdown: for every set and method the mean NDCG@10 with old
and new defaults, their difference, and two p-values of paired t tests: over all test queries, and over
the repeats (folds, or seeds of synthetic sets), which is the one that applies to new training data.
--wide: one table, methods by sets, with NDCG@10 of the new defaults and the difference."""
import collections
import json
import math
import sys

from scipy import stats


def load(paths):
    runs = collections.defaultdict(dict)
    errors = {}
    for path in paths:
        with open(path) as lines:
            for line in lines:
                row = json.loads(line)
                at = row["set"], row["who"], row["method"]
                if "error" in row:
                    errors[at] = row["error"]
                else:
                    runs[at].update({(row["repeat"], q): v for q, v in row["queries"].items() if v is not None})
    return runs, errors


def mean(values):
    return sum(values) / len(values) if values else math.nan


def p_value(differences):
    if all(d == 0 for d in differences):
        return None
    return stats.ttest_1samp(differences, 0).pvalue if len(differences) > 1 else math.nan


class Contrast:
    """Old and new defaults of a method on a set, over the queries that both have."""
    def __init__(self, old, new):
        both = sorted(set(old) & set(new))
        self.queries = len(both)
        self.old, self.new = mean([old[q] for q in both]), mean([new[q] for q in both])
        differences = [new[q] - old[q] for q in both]
        repeats = collections.defaultdict(list)
        for (repeat, _), difference in zip(both, differences):
            repeats[repeat].append(difference)
        self.repeats = len(repeats)
        self.by_query = p_value(differences)
        self.by_repeat = p_value([mean(r) for r in repeats.values()])
        self.difference = mean(differences)


def digits(p):
    return "same" if p is None else "" if math.isnan(p) else "%.2g" % p


def print_sets(runs, errors, sets, methods):
    for name in sets:
        print("\n### %s\n\n| method | old | new | new - old | p, queries | p, repeats |\n|---|---|---|---|---|---|" % name)
        for method in methods:
            c = Contrast(runs.get((name, "old", method), {}), runs.get((name, "new", method), {}))
            why = errors.get((name, "new", method)) or errors.get((name, "old", method))
            if c.queries:
                print("| %s | %.4f | %.4f | %+.4f | %s | %s |" % (method, c.old, c.new, c.difference,
                                                              digits(c.by_query), digits(c.by_repeat)))
            elif why:
                print("| %s | | | | %s | |" % (method, why))
        for who in ("xgboost", "sklearn"):
            for how in ("default", "tuned"):
                found = runs.get((name, who, how))
                if found:
                    print("| %s, %s | | %.4f | | | |" % (who, how, mean(list(found.values()))))


def short(number, sign=False):
    return (("%+.4f" if sign else "%.4f") % number).replace("0.", ".", 1)


def wide_cell(runs, errors, name, method):
    old, new = runs.get((name, "old", method), {}), runs.get((name, "new", method), {})
    c = Contrast(old, new)
    if c.queries == 0:
        one = new or old
        late = "new" if not new else "old"
        return "%s only: %s" % ("old" if late == "new" else "new", short(mean(list(one.values())))) if one else "-"
    if c.by_query is None:
        return "%s =" % short(c.new)
    mark = "**" if c.by_repeat is not None and c.by_repeat < .05 else "*" if c.by_query < .05 else ""
    return "%s %s%s" % (short(c.new), short(c.difference, True), mark)


def print_wide(runs, errors, sets, methods):
    print("| method | %s |\n|---|%s" % (" | ".join(sets), "---|" * len(sets)))
    for method in methods:
        print("| `%s` | %s |" % (method, " | ".join(wide_cell(runs, errors, s, method) for s in sets)))


def main():
    paths = [word for word in sys.argv[1:] if word != "--wide"]
    runs, errors = load(paths)
    keys = list(runs) + list(errors)
    sets = list(dict.fromkeys(s for s, _, _ in keys))
    methods = list(dict.fromkeys(m for _, w, m in keys if w in ("old", "new")))
    (print_wide if "--wide" in sys.argv else print_sets)(runs, errors, sets, methods)


if __name__ == "__main__":
    main()
