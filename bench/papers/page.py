#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Formats the results of gradus reproduce as a Markdown page.

usage: bench/papers/page.py FOLDER > docs/results/reproduction.md

FOLDER contains NAME.json for each experiment, written by all.sh. Disagreements are explained in
explanations.md next to this script, under a heading with the experiment's name."""
import glob
import json
import os
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
        keys = [key for key in ("error", "paper", "p") if any(c[key] is not None for c in cells)]
        heads = ["", "", "gradus"] + [{"error": "±", "paper": "paper", "p": "p"}[key] for key in keys]
        if "paper" in keys:
            heads += ["difference", ""]
        rows, last = [], None
        for cell in cells:
            row = ["" if cell["row"] == last else cell["row"], cell["column"],
                   number(cell["ours"], digits) or "-"]
            row += [p_text(cell["p"]) if key == "p" else number(cell[key], digits) for key in keys]
            if "paper" in keys:
                both = cell["ours"] is not None and cell["paper"] is not None
                row += [number(cell["ours"] - cell["paper"], digits, "+") if both else "",
                        cell["verdict"]]
            rows.append(row)
            last = cell["row"]
        lines_of(heads, rows)
        return
    columns = list(dict.fromkeys(cell["column"] for cell in cells))
    values = {(cell["row"], cell["column"]): cell["ours"] for cell in cells}
    lines_of(["", *columns], [[row, *[number(values.get((row, column)), digits)
                                      for column in columns]]
                              for row in dict.fromkeys(cell["row"] for cell in cells)])


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


def same(a, b):
    return all(a[key] == b[key] for key in ("tables", "figures", "claims")) and a["tables"]


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
        print(f"- **{'confirmed' if claim['held'] else 'not confirmed'}**: {claim['claim']}. "
              f"{claim['found'][0].upper()}{claim['found'][1:]}.")
    if found["claims"]:
        print()
    if explained:
        print(f"{explained}\n")


def verdicts(found):
    words = [cell["verdict"] for table in found["tables"] for cell in table["cells"]]
    return [str(words.count(word)) for word in ("agrees", "better", "differs")]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with_text, results = explanations(), {}
    for file in glob.glob(os.path.join(sys.argv[1], "*.json")):
        with open(file) as text:
            found = json.load(text)
        results[found["experiment"]] = found
    names = sorted(results)
    print("# Reproduction of the papers' tables and figures\n")
    print("Generated by `bench/papers/all.sh build/release FOLDER DATA` and `bench/papers/page.py FOLDER`; do not edit. "
          "`gradus reproduce NAME --data DATA` prints the results of one experiment. A value agrees with "
          "the paper's if they differ by at most the table's tolerance or two standard errors. Where the "
          "paper's data are unavailable, its values are listed alone, and substitute data sets are "
          "labelled as such. Only a few points of each curve are listed; `gradus reproduce NAME --svg FILE` "
          "draws the curves, and `gradus report NAME.json` makes a page of them.\n")
    lines_of(["experiment", "agree", "better", "differ", "claims confirmed", "not confirmed"],
             [[f"[{name}](#{anchor(results[name])})", *verdicts(results[name]),
               str(sum(claim["held"] for claim in results[name]["claims"])),
               str(sum(not claim["held"] for claim in results[name]["claims"]))]
              for name in names])
    for i, name in enumerate(names):
        again = next((other for other in names[:i] if same(results[name], results[other])), None)
        if again:
            print(f"## {name}: {results[name]['summary']}\n")
            print(f"The same run as [{again}](#{anchor(results[again])}), under another name.\n")
            if with_text.get(name):
                print(f"{with_text[name]}\n")
        else:
            show(results[name], with_text.get(name, ""))


def anchor(found):
    """Returns GitHub's anchor for the heading."""
    words = f"{found['experiment']}: {found['summary']}".lower()
    return "".join(c for c in words if c.isalnum() or c in " -_").replace(" ", "-")


main()
