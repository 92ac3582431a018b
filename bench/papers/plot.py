"""Line plots as SVG, written by hand: panels side by side with one vertical axis."""
import math
from xml.sax.saxutils import escape

COLOURS = ("#4a5568", "#c2410c", "#2563eb", "#047857")
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP = 420, 260, 64, 88, 52, 36
FONT = "font-family='Helvetica, Arial, sans-serif'"


def steps(low, high, wanted=5):
    """Round numbers that span low to high."""
    size = (high - low) / wanted or abs(high) / wanted or 1.0
    unit = 10 ** math.floor(math.log10(size))
    unit = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= size)
    first, last = math.floor(low / unit + 1e-9), math.ceil(high / unit - 1e-9)
    return [i * unit for i in range(first, max(last, first + 1) + 1)]


def as_text(ticks):
    """Numbers with as many decimals as they need, the same for all."""
    decimals = max(0, -math.floor(math.log10(ticks[1] - ticks[0]) + 1e-9))
    return [f"{tick:.{decimals}f}" for tick in ticks]


class Plot:
    def __init__(self, title, y_name, panels=1):
        self.title, self.y_name = title, y_name
        self.panels = [{"title": "", "x": "", "lines": []} for _ in range(panels)]

    def panel(self, index, title, x_name):
        self.panels[index].update(title=title, x=x_name)

    def line(self, index, name, xs, ys):
        self.panels[index]["lines"].append((name, xs, ys))

    def write(self, file):
        values = [y for panel in self.panels for _, _, ys in panel["lines"] for y in ys]
        ticks = steps(min(values), max(values))
        wide = LEFT + len(self.panels) * (WIDTH + GAP)
        high = TOP + HEIGHT + BOTTOM
        parts = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {wide} {high}' width='{wide}' "
                 f"height='{high}' {FONT} font-size='12' fill='#1f2933'>",
                 f"<rect width='{wide}' height='{high}' fill='white'/>",
                 f"<text x='{LEFT}' y='24' font-size='16' font-weight='bold'>"
                 f"{escape(self.title)}</text>",
                 f"<text transform='translate(16 {TOP + HEIGHT / 2:g}) rotate(-90)' "
                 f"text-anchor='middle'>{escape(self.y_name)}</text>"]
        parts += self.legend()
        for index, panel in enumerate(self.panels):
            parts += self.draw(panel, LEFT + index * (WIDTH + GAP), ticks, index == 0)
        with open(file, "w") as out:
            out.write("\n".join(parts) + "\n</svg>\n")

    def legend(self):
        parts, x = [], LEFT
        for (name, _, _), colour in zip(self.panels[0]["lines"], COLOURS):
            parts.append(f"<line x1='{x}' y1='42' x2='{x + 22}' y2='42' stroke='{colour}' "
                         "stroke-width='2.5'/>")
            parts.append(f"<text x='{x + 28}' y='46'>{escape(name)}</text>")
            x += 50 + 7 * len(name)
        return parts

    @staticmethod
    def draw(panel, left, ticks, labels):
        most = max(max(xs) for _, xs, _ in panel["lines"])
        across = [tick for tick in steps(0, most) if tick <= most * 1.001]
        low, high = ticks[0], ticks[-1]

        def at(x, y):
            return (left + WIDTH * x / most, TOP + HEIGHT * (high - y) / (high - low))

        parts = [f"<text x='{left}' y='{TOP - 8}' font-weight='bold'>{escape(panel['title'])}</text>"]
        for tick, text in zip(ticks, as_text(ticks)):
            y = at(0, tick)[1]
            parts.append(f"<line x1='{left}' y1='{y:.1f}' x2='{left + WIDTH}' y2='{y:.1f}' "
                         "stroke='#e2e8f0'/>")
            if labels:
                parts.append(f"<text x='{left - 8}' y='{y + 4:.1f}' text-anchor='end'>"
                             f"{text}</text>")
        for tick, text in zip(across, as_text(across)):
            x = at(tick, low)[0]
            parts.append(f"<line x1='{x:.1f}' y1='{TOP + HEIGHT}' x2='{x:.1f}' "
                         f"y2='{TOP + HEIGHT + 5}' stroke='#1f2933'/>")
            parts.append(f"<text x='{x:.1f}' y='{TOP + HEIGHT + 20}' text-anchor='middle'>"
                         f"{text}</text>")
        parts.append(f"<line x1='{left}' y1='{TOP + HEIGHT}' x2='{left + WIDTH}' "
                     f"y2='{TOP + HEIGHT}' stroke='#1f2933'/>")
        parts.append(f"<text x='{left + WIDTH / 2:g}' y='{TOP + HEIGHT + 42}' text-anchor='middle'>"
                     f"{escape(panel['x'])}</text>")
        for (_, xs, ys), colour in zip(panel["lines"], COLOURS):
            points = " ".join("{:.1f},{:.1f}".format(*at(x, y)) for x, y in zip(xs, ys))
            parts.append(f"<polyline points='{points}' fill='none' stroke='{colour}' "
                         "stroke-width='2' stroke-linejoin='round'/>")
        return parts
