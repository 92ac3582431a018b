# SPDX-License-Identifier: Apache-2.0
"""HTML for notebooks: tables, cards and small charts as inline SVG.

A fragment brings its own style and needs no other file and no network. It follows the light or
dark theme of a notebook, and the system's where the notebook has none. The colours are those of the
report page (web/report.css); series differ in dash as well as in colour.
"""
from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence

# name, light, dark
COLOURS = (
    ("card", "#ffffff", "#1c2026"),
    ("ink", "#1b1f24", "#e8eaed"),
    ("quiet", "#59616c", "#a3abb6"),
    ("rule", "#dfe2e6", "#343a43"),
    ("grid", "#e8eaed", "#2b3038"),
    ("wash", "#eef4fb", "#202a36"),
    ("good", "#00694a", "#4fd1a1"),
    ("bad", "#b3401a", "#ff9a70"),
    ("series-0", "#0067b1", "#5fb0f0"),
    ("series-1", "#c24a00", "#f79a55"),
    ("series-2", "#00805e", "#3fc99a"),
    ("series-3", "#a83a87", "#e58ac8"),
    ("series-4", "#7a6a00", "#d9c74a"),
    ("series-5", "#5b4bc4", "#a99cf5"),
    ("series-6", "#8a4b2a", "#d39a78"),
    ("series-7", "#4d5661", "#b3bcc7"),
)
LIGHT = {name: light for name, light, dark in COLOURS}
DARK = {name: dark for name, light, dark in COLOURS}
SERIES = tuple(light for name, light, dark in COLOURS if name.startswith("series-"))
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 2", "10 4", "4 2 1 2", "3 6")

# selectors with three elements have precedence over those of notebooks
_RULES = """
.gradus{background:var(--g-card);color:var(--g-ink);border:1px solid var(--g-rule);
border-radius:8px;padding:10px 14px;max-width:760px;display:inline-block;box-sizing:border-box;
text-align:left;font:14px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}
div.gradus p{margin:6px 0 0;text-align:left}
div.gradus p.head{font-weight:650;margin:0 0 6px}
div.gradus p.quiet{color:var(--g-quiet);font-size:12.5px}
.gradus .scroll{overflow-x:auto}
div.gradus table{border-collapse:collapse;margin:0;border:0;font-size:13.5px;table-layout:auto;
font-variant-numeric:tabular-nums;color:inherit;width:auto}
div.gradus table tbody tr,div.gradus table tbody tr:nth-child(odd),
div.gradus table tbody tr:nth-child(even),div.gradus table tbody tr:hover,
div.gradus table thead tr{background:none;color:inherit;border:0}
div.gradus table tr th,div.gradus table tr td{padding:3px 14px 3px 0;border:0;text-align:right;
white-space:nowrap;vertical-align:top;color:inherit;background:none;font-weight:400;max-width:none}
div.gradus table tr .text{text-align:left}
div.gradus table tr .long{text-align:left;white-space:normal;min-width:11em}
div.gradus table tr .good{color:var(--g-good)}
div.gradus table tr .bad{color:var(--g-bad)}
div.gradus table tr .best{font-weight:650}
div.gradus table thead tr th{color:var(--g-quiet);font-weight:600;
border-bottom:1px solid var(--g-rule)}
div.gradus table.facts tr th{color:var(--g-quiet);text-align:left}
div.gradus table.facts tr td{text-align:left;white-space:normal}
.gradus svg{display:block;max-width:100%;height:auto;margin-top:6px}
.gradus svg text{fill:var(--g-ink);font:12px system-ui,-apple-system,'Segoe UI',Roboto,
'DejaVu Sans',sans-serif;font-variant-numeric:tabular-nums}
.gradus svg text.soft{fill:var(--g-quiet)}
"""


def _style() -> str:
    light = ";".join(f"--g-{name}:{value}" for name, value in LIGHT.items())
    dark = ";".join(f"--g-{name}:{value}" for name, value in DARK.items())
    on_light, on_dark = (
        f"[data-jp-theme-light='{jupyter}'] .gradus,.vscode-{name} .gradus,"
        f"[data-theme='{name}'] .gradus"
        for jupyter, name in (("true", "light"), ("false", "dark")))
    return (f".gradus{{{light}}}@media(prefers-color-scheme:dark){{.gradus{{{dark}}}}}"
            f"{on_light}{{{light}}}{on_dark}{{{dark}}}{_RULES}")


STYLE = _style()


def escape(text: object) -> str:
    """Text with the characters that HTML reserves replaced."""
    return html.escape(str(text), quote=True)


def number(value: float, digits: int = 4) -> str:
    """A number for a table: fixed decimals, or the empty text for NaN."""
    return "" if math.isnan(value) else f"{value:.{digits}f}"


def fragment(*parts: str) -> str:
    """The parts in a frame with the style of gradus."""
    return f'<div class="gradus"><style>{STYLE}</style>{"".join(parts)}</div>'


def quiet(text: object) -> str:
    """A line of small print; nothing if the text is empty."""
    return f'<p class="quiet">{escape(text)}</p>' if str(text) else ""


def head(text: object) -> str:
    """The title of a fragment; nothing if the text is empty."""
    return f'<p class="head">{escape(text)}</p>' if str(text) else ""


def _cell(tag: str, text: object, style: str) -> str:
    mark = f' class="{style}"' if style else ""
    return f"<{tag}{mark}>{escape(text)}</{tag}>"


def table(header: Sequence[object], rows: Iterable[Sequence[object]], *,
          styles: Sequence[str] = (), marks: Mapping[tuple[int, int], str] | None = None) -> str:
    """A table, to be put in a fragment.

    Parameters
    ----------
    header : sequence
        Names of the columns.
    rows : iterable of sequences
        The cells; the first of each row is its name.
    styles : sequence of str
        Style of each column: "" (a number), "text" or "long" (text that may wrap).
    marks : mapping
        Further styles by (row, column): "best", "good" or "bad".
    """
    given = marks or {}

    def style(column: int) -> str:
        return styles[column] if column < len(styles) else ""

    lines = ['<div class="scroll"><table><thead><tr>']
    lines += [_cell("th", name, "text" if style(i) else "") for i, name in enumerate(header)]
    lines.append("</tr></thead><tbody>")
    for r, row in enumerate(rows):
        cells = [_cell("th" if c == 0 else "td", value, " ".join(
            filter(None, (style(c), given.get((r, c), ""))))) for c, value in enumerate(row)]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    lines.append("</tbody></table></div>")
    return "".join(lines)


def facts(rows: Iterable[tuple[object, object]]) -> str:
    """Two columns: names and what they are."""
    lines = [f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows]
    return f'<table class="facts"><tbody>{"".join(lines)}</tbody></table>'


def card(title: str, rows: Iterable[tuple[object, object]], svg: str = "", *, note: str = "",
         extra: str = "") -> str:
    """A whole fragment: title, facts, and a chart made by a function of this module.

    Parameters
    ----------
    title : str
        Shown first, in bold.
    rows : iterable of (name, value)
        The facts.
    svg : str
        A chart, or "".
    note : str
        Small print below.
    extra : str
        HTML between the facts and the chart, such as a table.
    """
    return fragment(head(title), facts(rows), extra, svg, quiet(note))


# ---- charts

def ticks(low: float, high: float, count: int = 4) -> list[float]:
    """About `count` round numbers from low to high."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next((power * m for m in (1, 2, 2.5, 5) if power * m >= raw * 0.999), power * 10)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [i * step for i in range(first, last + 1)]


def label(value: float, step: float = 0.0) -> str:
    """A tick label, with as many decimals as the step between ticks needs."""
    if step <= 0.0 or abs(value) >= 1e6:
        return f"{value:.4g}"
    return f"{value:.{max(0, min(6, -math.floor(math.log10(step) + 1e-9)))}f}"


def line(x1: float, y1: float, x2: float, y2: float, colour: str = "rule", more: str = "") -> str:
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="var(--g-{colour})"{more}/>')


def text(x: float, y: float, words: object, anchor: str = "start", soft: bool = False) -> str:
    mark = ' class="soft"' if soft else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{mark}>{escape(words)}</text>'


def svg(width: int, height: int, parts: Iterable[str], title: str) -> str:
    """An inline SVG image with a title for screen readers."""
    return (f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            f'aria-label="{escape(title)}">{"".join(parts)}</svg>')


def _polyline(points: Sequence[tuple[float, float]], series: int) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dash = DASHES[series % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (f'<polyline points="{path}" fill="none" stroke-width="2" stroke-linejoin="round" '
            f'stroke="var(--g-series-{series % len(SERIES)})"{dashed}/>')


def _apart(targets: Sequence[float], gap: float, most: float) -> list[float]:
    """Positions of labels at least `gap` apart and at most `most`, near their targets."""
    order = sorted(range(len(targets)), key=lambda i: targets[i])
    placed = [0.0] * len(targets)
    previous = -math.inf
    for i in order:
        previous = placed[i] = max(targets[i], previous + gap)
    limit = most
    for i in reversed(order):
        placed[i] = min(placed[i], limit)
        limit = placed[i] - gap
    return placed


def curve_svg(rounds: Sequence[float], series: Mapping[str, Sequence[float]], *, metric: str = "",
              best: float | None = None, width: int = 460, height: int = 180) -> str:
    """A learning curve; "" if it has fewer than two points.

    Parameters
    ----------
    rounds : sequence of numbers
        The x axis.
    series : mapping of name to sequence
        One value per round each; NaN is a gap.
    metric : str
        What is shown, for the title.
    best : float, optional
        Round to mark with a vertical line.
    """
    shown = {name: [(float(x), float(y)) for x, y in zip(rounds, values) if math.isfinite(y)]
             for name, values in series.items()}
    shown = {name: points for name, points in shown.items() if len(points) > 1}
    if not shown:
        return ""
    xs = [x for points in shown.values() for x, y in points]
    ys = [y for points in shown.values() for x, y in points]
    low_x, high_x, low, high = min(xs), max(xs), min(ys), max(ys)
    pad = 0.06 * (high - low) or abs(high) * 0.01 or 1.0
    low, high = low - pad, high + pad
    left, right, top, bottom = 52, 96, 20, 24

    def at(x: float, y: float) -> tuple[float, float]:
        return (left + (x - low_x) / ((high_x - low_x) or 1.0) * (width - left - right),
                height - bottom - (y - low) / (high - low) * (height - top - bottom))

    parts = [text(0, 11, metric, soft=True)]
    marks = ticks(low, high)
    step = marks[1] - marks[0] if len(marks) > 1 else 0.0
    for value in marks:
        y = at(low_x, value)[1]
        parts += [line(left, y, width - right, y, "grid"),
                  text(left - 6, y + 4, label(value, step), "end", True)]
    for x in sorted({low_x, high_x}):
        parts.append(text(at(x, low)[0], height - 7, f"{x:g}", "middle", True))
    if best is not None and low_x <= best <= high_x:
        x = at(best, low)[0]
        parts.append(line(x, top, x, height - bottom, "quiet", ' stroke-dasharray="2 3"'))
        if min(abs(best - low_x), abs(best - high_x)) > 0.12 * (high_x - low_x):
            parts.append(text(x, height - 7, f"best {best:g}", "middle", True))
    ends = [at(*points[-1])[1] + 4 for points in shown.values()]
    placed = _apart(ends, 14, height - bottom + 4)
    for i, (name, points) in enumerate(shown.items()):
        parts.append(_polyline([at(*point) for point in points], i))
        parts.append(f'<text x="{width - right + 6:.1f}" y="{placed[i]:.1f}" '
                     f'style="fill:var(--g-series-{i % len(SERIES)})">'
                     f"{escape(name)} {points[-1][1]:.4f}</text>")
    return svg(width, height, parts, f"{metric} by round")


def bars_svg(names: Sequence[str], values: Sequence[float], *, title: str = "",
             texts: Sequence[str] = (), width: int = 460) -> str:
    """Horizontal bars from 0, one per name."""
    if not len(names):
        return ""
    step, top, left, right = 20, 20 if title else 4, 150, 64
    most = max((abs(float(v)) for v in values), default=0.0) or 1.0
    parts = [text(0, 11, title, soft=True)] if title else []
    for i, (name, value) in enumerate(zip(names, values)):
        y = top + i * step
        long = abs(float(value)) / most * (width - left - right)
        shown = texts[i] if i < len(texts) else f"{value:.4g}"
        parts += [text(left - 8, y + 13, shorten(name, 22), "end"),
                  f'<rect x="{left}" y="{y + 3}" width="{long:.1f}" height="13" rx="2" '
                  f'fill="var(--g-series-0)"/>',
                  text(left + long + 6, y + 13, shown, soft=True)]
    return svg(width, top + len(names) * step + 4, parts, title or "bars")


def shorten(name: str, most: int) -> str:
    """A name of at most `most` characters, with an ellipsis where it was cut."""
    return name if len(name) <= most else name[: most - 1] + "\u2026"


def waterfall_svg(steps: Sequence[tuple[str, float]], base: float, value: float, *,
                  base_name: str = "reference", value_name: str = "score",
                  width: int = 560) -> str:
    """How contributions lead from a base to a value, one bar per contribution."""
    step, top, left, right = 22, 6, 230, 74
    sums = [base]
    for _, change in steps:
        sums.append(sums[-1] + change)
    low, high = min(sums + [value]), max(sums + [value])
    span = (high - low) or 1.0

    def at(x: float) -> float:
        return left + (x - low) / span * (width - left - right)

    def row(i: int, name: str, shown: str, strong: bool, tip: float) -> list[str]:
        y = top + i * step + 15
        return [text(left - 10, y, shorten(name, 34), "end", not strong),
                text(tip + 6, y, shown, soft=not strong)]

    bottom = top + (len(steps) + 2) * step
    parts = [line(at(base), top + 2, at(base), bottom - 2, "rule", ' stroke-dasharray="2 3"')]
    parts += row(0, base_name, f"{base:.4f}", True, at(base))
    parts.append(f'<circle cx="{at(base):.1f}" cy="{top + 11}" r="4" fill="var(--g-quiet)"/>')
    for i, (name, change) in enumerate(steps):
        start, end = sorted((at(sums[i]), at(sums[i + 1])))
        y = top + (i + 1) * step
        colour = "good" if change >= 0 else "bad"
        parts.append(f'<rect x="{start:.1f}" y="{y + 4}" width="{max(end - start, 1.0):.1f}" '
                     f'height="14" rx="2" fill="var(--g-{colour})"/>')
        parts.append(line(at(sums[i + 1]), y + 18, at(sums[i + 1]), y + 26, "quiet"))
        parts += row(i + 1, name, f"{change:+.4f}", False, end)
    parts += row(len(steps) + 1, value_name, f"{value:.4f}", True, at(value))
    y = top + (len(steps) + 1) * step + 11
    parts.append(f'<circle cx="{at(value):.1f}" cy="{y}" r="4" fill="var(--g-ink)"/>')
    return svg(width, bottom + 4, parts, "contributions of features")
