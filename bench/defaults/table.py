#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/defaults/table.py RESULTS... [--wide]

Tables of the results of compare.py, as Markdown: for every set and method the mean NDCG@10 with old
and new defaults, their difference, and two p-values of paired t tests: over all test queries, and over
the repeats (folds, or seeds of synthetic sets), which is the one that applies to new training data.
--wide: two tables, methods by sets, with NDCG@10 of the new defaults and the difference, and for each the
number of differences and those that are negative and significant."""
import collections
import itertools
import json
import math
import re
import sys

from scipy import stats

SETS = {"mq2007-partial": "MQ2007 (85 %)", "mq2008": "MQ2008", "ohsumed": "OHSUMED", "web-60": "web 60", "web-300": "web 300",
        "mcrank-150": "mcrank 150", "mcrank-1000": "mcrank 1000", "web-1500": "web 1500", "web-6000": "web 6000",
        "mcrank-5000": "mcrank 5000", "mcrank-20000": "mcrank 20000"}
LARGE = list(SETS)[7:]
METHODS = ("lambdamart", "regression", "cocr", "mcrank", "mcrank-ordinal", "propodds", "orboost", "pairrank", "svor-imc",
           "svor-exc", "svor-sl", "crr", "ranksvm", "ranknet", "lambdarank", "listnet", "listmle", "netreg", "adaboost-mh",
           "calibrated", "rankboost", "adarank-map", "adarank-ndcg", "coordinate-ascent")
TOOLS = {"xgboost": "XGBoost", "sklearn": "scikit-learn"}


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


def time_limit(error):
    """"> 90 s" for a training that was stopped after 90 s."""
    match = re.fullmatch(r"over (\d+) s", error or "")
    return "> %s s" % match.group(1) if match else "failed" if error else "-"


def wide_cell(runs, errors, name, method):
    old, new = runs.get((name, "old", method), {}), runs.get((name, "new", method), {})
    c = Contrast(old, new)
    if c.queries == 0:
        limits = [time_limit(errors.get((name, who, method))) for who in ("old", "new")]
        if not old and not new:
            return limits[1]
        return "old %s, new %s" % (short(mean(list(old.values()))) if old else limits[0],
                                   short(mean(list(new.values()))) if new else limits[1])
    if c.by_query is None:
        return "%s =" % short(c.new)
    mark = "**" if c.by_repeat is not None and c.by_repeat < .05 else "*" if c.by_query < .05 else ""
    return "%s %s%s" % (short(c.new), short(c.difference, True), mark)


def tool_cell(runs, errors, name, tool, how):
    found = runs.get((name, tool, how))
    return short(mean(list(found.values()))) if found else time_limit(errors.get((name, tool, how)))


def print_wide(runs, errors, sets, methods):
    titles = [SETS.get(s, s) for s in sets]
    print("| method | %s |\n|---|%s" % (" | ".join(titles), "---|" * len(sets)))
    for method in methods:
        print("| `%s` | %s |" % (method, " | ".join(wide_cell(runs, errors, s, method) for s in sets)))
    for tool, how in itertools.product(TOOLS, ("default", "tuned")):
        cells = [tool_cell(runs, errors, s, tool, how) for s in sets]
        if any(c != "-" for c in cells):
            print("| %s, %s | %s |" % (TOOLS[tool], how, " | ".join(cells)))


def print_summary(runs, sets, methods):
    """Counts the differences and lists the negative ones that are significant in either test."""
    found = [(s, m, Contrast(runs.get((s, "old", m), {}), runs.get((s, "new", m), {}))) for s in sets for m in methods]
    found = [(s, m, c) for s, m, c in found if c.queries]
    signs = [0 if c.by_query is None else c.difference for _, _, c in found]
    print("\n%d differences, %d positive, %d negative, %d zero" % (len(signs), sum(d > 0 for d in signs),
                                                               sum(d < 0 for d in signs), sum(d == 0 for d in signs)))
    for s, m, c in found:
        if c.difference < 0 and any(p is not None and p < .05 for p in (c.by_query, c.by_repeat)):
            print("lower: %s on %s, %+.4f, p %s over queries, %s over %d repeats" % (
                m, s, c.difference, digits(c.by_query), digits(c.by_repeat) or "-", c.repeats))


def ordered(names, order):
    return sorted(set(names), key=lambda n: (list(order).index(n) if n in order else len(order), n))


def main():
    paths = [word for word in sys.argv[1:] if word != "--wide"]
    runs, errors = load(paths)
    keys = list(runs) + list(errors)
    sets = ordered((s for s, _, _ in keys), SETS)
    methods = ordered((m for _, w, m in keys if w in ("old", "new")), METHODS)
    if "--wide" not in sys.argv:
        print_sets(runs, errors, sets, methods)
        return
    for group in [s for s in sets if s not in LARGE], [s for s in sets if s in LARGE]:
        if group:
            print_wide(runs, errors, group, methods)
            print_summary(runs, group, methods)
            print()


if __name__ == "__main__":
    main()
