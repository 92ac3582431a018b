#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/defaults/table.py RESULTS

Formats the results of compare.py as Markdown: for every data set and method the mean NDCG@10
with old and new defaults, their difference, and the p-value of a paired t-test over all test
queries."""
import collections
import json
import math
import sys

from scipy import stats


def load(path):
    runs = collections.defaultdict(dict)
    errors = {}
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


def main():
    runs, errors = load(sys.argv[1])
    for name in dict.fromkeys(s for s, _, _ in list(runs) + list(errors)):
        print("\n### %s\n\n| method | old | new | new - old | p |\n|---|---|---|---|---|" % name)
        for method in dict.fromkeys(m for s, w, m in list(runs) + list(errors) if s == name and w in ("old", "new")):
            old, new = runs.get((name, "old", method), {}), runs.get((name, "new", method), {})
            both = sorted(set(old) & set(new))
            if not both:
                why = errors.get((name, "new", method)) or errors.get((name, "old", method))
                print("| %s | | | | %s |" % (method, why))
                continue
            differences = [new[q] - old[q] for q in both]
            same = all(d == 0 for d in differences)
            p = 1.0 if same else stats.ttest_rel([new[q] for q in both], [old[q] for q in both]).pvalue
            print("| %s | %.4f | %.4f | %+.4f | %s |" % (method, mean([old[q] for q in both]), mean([new[q] for q in both]),
                                                    mean(differences), "same" if same else "%.2g" % p))
        for who in ("xgboost", "sklearn"):
            for how in ("default", "tuned"):
                found = runs.get((name, who, how))
                if found:
                    print("| %s, %s | | %.4f | | |" % (who, how, mean(list(found.values()))))


if __name__ == "__main__":
    main()
