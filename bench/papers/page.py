#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Formats the results of gradus reproduce as a Markdown page.

usage: bench/papers/page.py FOLDER [GRADUS] > docs/results/reproduction.md

FOLDER contains NAME.json for each experiment, written by all.sh; GRADUS is the command (default
build/release/gradus), which gives the status of claims. Next to this script, opening.md summarises
the results in words, explanations.md explains differences under a heading with the experiment's
name, and verdicts_before.tsv has the verdicts by the previous rule, with remarks."""
import collections
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def explanations():
    """Returns a dict from experiment name to text."""
    found, name = {}, None
    with open(os.path.join(HERE, "explanations.md")) as lines:
        for line in lines:
            if line.startswith("## "):
                name = line[3:].strip()
                found[name] = ""
            elif name:
                found[name] += line
    return {name: text.strip() for name, text in found.items()}


def number(value, digits, sign=""):
    return "" if value is None else f"{value:{sign}.{digits}f}"


def p_text(p):
    return "" if p is None else f"{p:.1e}" if p < 1e-3 else f"{p:.3f}"


def lines_of(heads, rows):
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def show_table(table):
    """Prints one line per cell if there are values to compare with, otherwise a grid."""
    digits, cells = table["digits"], table["cells"]
    print(f"{table['title'][0].upper()}{table['title'][1:]}.\n")
    if any(cell[key] is not None for cell in cells for key in ("paper", "p", "error")):
        keys = [key for key in ("error", "paper", "paper_error", "p")
                if any(c.get(key) is not None for c in cells)]
        names = {"error": "±", "paper": "paper", "paper_error": "±", "p": "p"}
        heads = ["", "", "gradus"] + [names[key] for key in keys]
        if "paper" in keys:
            heads += ["difference", ""]
        rows, last = [], None
        for cell in cells:
            row = ["" if cell["row"] == last else cell["row"], cell["column"],
                   number(cell["ours"], digits) or "-"]
            row += [p_text(cell["p"]) if key == "p" else number(cell.get(key), digits)
                    for key in keys]
            if "paper" in keys:
                both = cell["ours"] is not None and cell["paper"] is not None
                row += [number(cell["ours"] - cell["paper"], digits, "+") if both else "",
                        cell["verdict"]]
            rows.append(row)
            last = cell["row"]
        lines_of(heads, rows)
        show_rule(table)
        return
    columns = list(dict.fromkeys(cell["column"] for cell in cells))
    values = {(cell["row"], cell["column"]): cell["ours"] for cell in cells}
    lines_of(["", *columns], [[row, *[number(values.get((row, column)), digits)
                                      for column in columns]]
                              for row in dict.fromkeys(cell["row"] for cell in cells)])


def show_rule(table):
    """Prints the rule of verdicts and how many values have each."""
    if not table["criterion"] or all(cell["paper"] is None for cell in table["cells"]):
        return
    counts = verdicts([table])
    judged = sum(counts[word] for word in WORDS)
    print(f"Rule: {table['criterion']}." +
          (f" {counts['agrees']} of {judged} values agree, {counts['better']} better, "
           f"{counts['differs']} differ, {counts['inconclusive']} inconclusive." if judged else "") +
          (f" {counts['']} beside published values without a verdict." if counts[""] else "") + "\n")


def some_of(count, most=10):
    """Returns the indices of up to `most` evenly spaced points, including the first and last."""
    most = min(count, most)
    return sorted({round(i * (count - 1) / max(most - 1, 1)) for i in range(most)})


def short(value):
    return "" if value is None else f"{value:#.4g}"


def at(series, x):
    """Interpolates the curve linearly at x; None outside its range."""
    points = sorted((px, py) for px, py in zip(series["x"], series["y"]) if py is not None)
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 <= x <= x1:
            return y0 if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return None


def show_figure(figure):
    """Prints a few points of each curve: a grid if all measured curves share x, otherwise pairs."""
    series = figure["series"]
    grids = {tuple(s["x"]) for s in series if not s["theory"]} or {tuple(series[0]["x"])}
    print(f"Figure: {figure['title']}; {figure['y']} by {figure['x']}.\n")
    if len(grids) == 1:
        grid = grids.pop()
        points = some_of(len(grid))
        lines_of([figure["x"], *[f"{grid[i]:.4g}" for i in points]],
                 [[s["name"], *[short(s["y"][i] if tuple(s["x"]) == grid else at(s, grid[i]))
                           for i in points]]
                  for s in series])
    else:
        lines_of(["", f"{figure['x']} → {figure['y']}"],
                 [[s["name"], ", ".join(f"{s['x'][i]:.4g} → {short(s['y'][i])}"
                                   for i in some_of(len(s["x"]), 7) if s["y"][i] is not None)]
                  for s in series])


def show(found, explained):
    print(f"## {found['experiment']}: {found['summary']}\n")
    print(f"{found['details']}\n")
    if found["scale"] != 1:
        print(f"**Run at scale {found['scale']:g}, not in full.**\n")
    for note in found["notes"]:
        print(f"{note}\n")
    for table in found["tables"]:
        show_table(table)
    for figure in found["figures"]:
        show_figure(figure)
    for claim in found["claims"]:
        print(f"- **{claim['verdict']}**: {claim['claim']}. "
              f"{claim['found'][0].upper()}{claim['found'][1:]}.")
    if found["claims"]:
        print()
    counts = verdicts(found["tables"])
    if explained:
        print(f"{explained}\n")
    elif counts["better"] + counts["differs"] > 0:
        print("The differences are unexplained.\n")


WORDS = ("agrees", "better", "differs", "inconclusive")


def verdicts(tables):
    """Counts values beside published ones by verdict; "": without one."""
    return collections.Counter(cell["verdict"] for table in tables for cell in table["cells"]
                               if cell["ours"] is not None and cell["paper"] is not None)


def show_claims(results, folder, gradus):
    """Prints the claims of the papers, with their status."""
    listed = subprocess.run([gradus, "reproduce", "--claims", "--results", folder, "--json"],
                            check=True, capture_output=True)
    claims = json.loads(listed.stdout)
    statuses = ["confirmed", "not confirmed", "inconclusive", "not run", "not tested",
                "cannot be tested here"]
    papers = list(dict.fromkeys(claim["paper"] for claim in claims))
    print("## The claims of the papers\n")
    print("By `gradus reproduce --claims --results FOLDER`. Inconclusive: some checks of the claim succeed and "
          "others do not. Not tested: no experiment checks it yet. A claim that is not confirmed on data other than "
          "the paper's is not refuted by that.\n")
    lines_of(["paper", *statuses],
             [[paper, *[str(sum(c["paper"] == paper and c["status"] == status for c in claims))
                        for status in statuses]] for paper in papers])
    for paper in papers:
        print(f"{paper}:\n")
        lines_of(["claim", "status", "tested by", "data, remarks"],
                 [[c["claim"], status_text(c), link(results, c["experiment"]),
                   c["why"] or c["data"]] for c in claims if c["paper"] == paper])


def status_text(claim):
    several = f" ({claim['held']} of {claim['checks']} checks)" if claim["checks"] > 1 else ""
    return f"**{claim['status']}**{several}"


def link(results, name):
    return f"[{name}](#{anchor(results[name])})" if name in results else name


def show_before(results):
    """Prints the verdicts by the previous rule beside those by the present ones."""
    with open(os.path.join(HERE, "verdicts_before.tsv")) as lines:
        text = lines.read().splitlines()
    rows = [line.split("\t") for line in text if line[0] != "#"][1:]
    total = collections.Counter()
    print("## Verdicts before and after\n")
    print("\n\n".join(line[2:] for line in text if line[0] == "#") + "\n")
    shown = []
    for name, *before in rows:
        counts = verdicts(results[name]["tables"]) if name in results else {}
        after = [counts.get(word, 0) for word in (*WORDS, "")]
        total.update({i: int(n) for i, n in enumerate([*before, *after])})
        shown.append([link(results, name), *before, *map(str, after)])
    lines_of(["experiment", "agreed", "better", "differed", "agree", "better", "differ",
              "inconclusive", "no verdict"],
             [*shown, ["together", *[str(total[i]) for i in range(8)]]])


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with_text, results = explanations(), {}
    for file in glob.glob(os.path.join(sys.argv[1], "*.json")):
        with open(file) as text:
            found = json.load(text)
        results[found["experiment"]] = found
    names = sorted(results)
    print("# Reproduction of the papers' tables and figures\n")
    with open(os.path.join(HERE, "opening.md")) as text:
        print(text.read())
    show_claims(results, sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "build/release/gradus")
    show_before(results)
    print("## The experiments\n")
    print("Generated by `bench/papers/all.sh build/release FOLDER DATA` and `bench/papers/page.py FOLDER`; do not edit. "
          "`gradus reproduce NAME --data DATA` prints the results of one experiment. Each table with published "
          "values has a rule, declared in its file in `experiments/data`. On the paper's data, folds and queries a "
          "value agrees within a tolerance; where the paper prints standard errors, within two combined standard "
          "errors. Where data or samples are other than the paper's, values have no verdict, and substitute data "
          "sets are labelled as such. Only a few points of each curve are listed; `gradus reproduce NAME --svg FILE` "
          "draws the curves, and `gradus report NAME.json` makes a page of them.\n")
    lines_of(["experiment", "agree", "better", "differ", "inconclusive", "no verdict",
              "claims confirmed", "not confirmed"], [summary(results, name) for name in names])
    for name in names:
        show(results[name], with_text.get(name, ""))


def summary(results, name):
    counts = verdicts(results[name]["tables"])
    claims = collections.Counter(claim["verdict"] for claim in results[name]["claims"])
    return [link(results, name), *[str(counts[word]) for word in (*WORDS, "")],
            str(claims["confirmed"]), str(claims["not confirmed"])]


def anchor(found):
    """Returns GitHub's anchor for the heading."""
    words = f"{found['experiment']}: {found['summary']}".lower()
    return "".join(c for c in words if c.isalnum() or c in " -_").replace(" ", "-")


main()
