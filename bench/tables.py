# SPDX-License-Identifier: Apache-2.0
"""Tables of results, for a terminal or as Markdown."""


def table(head, rows, markdown=False):
    """Prints columns: the first left-aligned, the others right-aligned."""
    rows = [[str(cell) for cell in row] for row in [head] + rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    edge, gap = ("| ", " | ") if markdown else ("  ", "  ")
    for place, row in enumerate(rows):
        cells = [cell.ljust(w) if i == 0 else cell.rjust(w)
                 for i, (cell, w) in enumerate(zip(row, widths))]
        print((edge + gap.join(cells)).rstrip() + (" |" if markdown else ""))
        if markdown and place == 0:
            print("|---" * len(head) + "|")
    print(flush=True)
