"""Line charts and bars as SVG, by Matplotlib: the one way in which this repository draws a plot.

There is no legend. Every line has its name at its right end, with a sample of the line, in the order of the ends; names are
moved as little as keeps them apart, and a chart grows until they fit. The same data give the same bytes.
"""

import io
import re
from dataclasses import dataclass
from math import log2

# Tones that the colour-blind can tell apart.
COLOURS = {"blue": "#0072b2", "orange": "#e69f00", "green": "#009e73", "red": "#d55e00", "sky": "#56b4e9", "pink": "#cc79a7",
           "ink": "#222222", "grey": "#777777", "rule": "#dddddd"}
WIDTH, HEIGHT = 547, 281            # points; the least
LEFT, BOTTOM, TOP, PLANE = 47, 40, 22, 372
NARROW, BAR = 290, 15               # the width of a chart of bars, and the height of each with what is between
LINE_HEIGHT = 11.5                  # points from name to name
LEADER, SAMPLE, GAP = 14, 20, 4     # points from the plane to a name
FONT = 8.5
# How many times the least value the greatest may be on a linear axis, where the chart may choose.
MAX_LINEAR = 6


@dataclass
class Line:
    name: str
    points: list        # of (x, y)
    colour: str = "blue"
    style: str | tuple = "-"
    mark: str = ""      # "o", "^", "s" or "x"
    width: float = 1.8


def chart(lines, x, y, title="", xlog=False, ylog=False, xticks=None, limits=(), notes=()):
    """A figure, or None if there is nothing to draw.

    `ylog`: None lets the values choose. `xticks`: (value, text); `limits`: (y, name), dashed; `notes`: (x, text), dotted
    uprights.
    """
    from matplotlib import ticker

    lines = [line for line in lines if line.points]
    if not lines:
        return None
    values = [value for line in lines for _, value in line.points] + [value for value, _ in limits]
    if ylog is None:
        ylog = min(values) > 0 and max(values) / min(values) > MAX_LINEAR
    figure, axes = blank()
    names = [line.name for line in lines] + [name for _, name in limits]
    fit(figure, axes, names, title)
    for at, line in enumerate(lines):
        xs, ys = zip(*line.points)
        axes.plot(xs, ys, linestyle=line.style, color=COLOURS[line.colour], linewidth=line.width, marker=line.mark or None,
                  markersize=4, gid=f"line-{at}")
    if title:
        axes.set_title(title, fontsize=10, pad=14 if notes else 8)
    axes.set_xlabel(x, color=COLOURS["ink"])
    axes.set_ylabel(y, color=COLOURS["ink"])
    axes.set_xscale("log" if xlog else "linear")
    axes.set_yscale("log" if ylog else "linear")
    if not ylog and min(values) >= 0:
        axes.set_ylim(bottom=0)
    if ylog:
        axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if max(values) > 20 * min(values) else (1, 1.5, 2, 3, 5, 7)))
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:g}"))
        axes.yaxis.set_minor_locator(ticker.NullLocator())
    axes.margins(x=0.015)
    if xticks:
        xticks = spaced(axes, xticks)
        axes.set_xticks([at for at, _ in xticks], [text for _, text in xticks])
        axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.grid(color=COLOURS["rule"], linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(colors=COLOURS["ink"], length=0)
    axes.tick_params(axis="x", pad=8)       # clear of the lowest mark of y
    axes.spines[["top", "right"]].set_visible(False)
    for value, _ in limits:
        axes.axhline(value, color=COLOURS["grey"], linestyle="--", linewidth=1.2)
    for value, text in notes:
        axes.axvline(value, color=COLOURS["grey"], linestyle=":", linewidth=1.2)
        axes.annotate(text, (value, 1), xycoords=("data", "axes fraction"), xytext=(0, 3), textcoords="offset points",
                      ha="center", va="bottom", fontsize=8, color=COLOURS["ink"])
    label(figure, axes, lines, limits)
    return figure


def bars(groups, title=""):
    """{group: [(name, value, colour)]}, each value beside its bar; so narrow that it can be read on a phone."""
    figure, axes = blank()
    named, at = [], 0
    for group, rows in groups.items():
        beside(axes, group, 0, at, fontweight="bold")
        for name, value, colour in rows:
            at += 1
            named.append((at, name))
            axes.barh(at, value, 0.7, color=COLOURS[colour])
            beside(axes, f"{value:g}", value, at)
        at += 1.3
    axes.set_yticks(*zip(*named), fontsize=FONT)
    axes.set_ylim(at - 0.6, -0.6)
    axes.set_xlim(left=0)
    axes.set_xticks([])
    axes.tick_params(colors=COLOURS["ink"], length=0)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.set_title(title, fontsize=10)
    left = max(extent(figure, name).width for _, name in named) + 8
    height = BAR * (at + 0.6) + TOP + 4
    figure.set_size_inches(NARROW / 72, height / 72)
    axes.set_position((left / NARROW, 4 / height, (NARROW - left - 28) / NARROW, BAR * (at + 0.6) / height))
    return figure


def beside(axes, text, x, y, **look):
    axes.annotate(text, (x, y), (3, 0), textcoords="offset points", va="center", fontsize=FONT, **look)


def blank():
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "polyseal", "font.size": 9,
                                "font.family": ["DejaVu Sans"], "text.color": COLOURS["ink"],
                                "axes.edgecolor": COLOURS["grey"]})
    figure = Figure(dpi=72)
    FigureCanvasSVG(figure)
    return figure, figure.add_axes((0, 0, 1, 1))


def fit(figure, axes, names, title):
    """Sizes in points: the names beside the plane decide how wide and how high the chart is."""
    widest = max(extent(figure, name).width for name in names)
    width = max(WIDTH, LEFT + PLANE + LEADER + SAMPLE + GAP + widest + 8)
    right = width - widest - LEADER - SAMPLE - GAP - 8
    top = TOP + (12 if title else 0)
    height = max(HEIGHT, BOTTOM + top + LINE_HEIGHT * (sum(name.count("\n") + 1 for name in names) - 1))
    figure.set_size_inches(width / 72, height / 72)
    axes.set_position((LEFT / width, BOTTOM / height, (right - LEFT) / width, (height - top - BOTTOM) / height))


def extent(figure, text):
    drawn = figure.text(0, 0, text, fontsize=FONT)
    box = drawn.get_window_extent()
    drawn.remove()
    return box


def spaced(axes, ticks):
    """The ticks, without those whose text would touch the one before."""
    axes.figure.draw_without_rendering()
    kept, free = [], float("-inf")
    for value, text in ticks:
        at, half = axes.transData.transform((value, 1))[0], 3 * len(text) + 3
        if at - half >= free:
            kept.append((value, text))
            free = at + half
    return kept


def label(figure, axes, lines, limits):
    """Each name beside its line's end, behind a sample of the line."""
    from matplotlib.lines import Line2D

    figure.draw_without_rendering()     # which settles the limits of the axes
    box = axes.get_window_extent()
    ends = [(*axes.transData.transform(line.points[-1]), line) for line in lines]
    ends += [(box.x1, axes.transData.transform((axes.get_xlim()[0], value))[1], Line(name, [], "grey", "--", width=1.2))
             for value, name in limits]
    ends.sort(key=lambda end: end[1])
    heights = [LINE_HEIGHT * (line.name.count("\n") + 1) for *_, line in ends]
    places = apart([y for _, y, _ in ends], heights, box.y0, box.y1)
    start = box.x1 + LEADER

    def draw(xs, ys, line, **look):
        inches = [[at / 72 for at in of] for of in (xs, ys)]
        figure.add_artist(Line2D(*inches, color=COLOURS[line.colour], transform=figure.dpi_scale_trans, **look))

    for at, (place, (end_x, end_y, line)) in enumerate(zip(places, ends)):
        draw([end_x + 3, start], [end_y, place], line, linewidth=0.6)
        draw([start, start + SAMPLE], [place, place], line, linewidth=line.width, linestyle=line.style)
        if line.mark:
            draw([start + SAMPLE / 2], [place], line, marker=line.mark, markersize=4)
        figure.text((start + SAMPLE + GAP) / 72, place / 72, line.name, va="center", fontsize=FONT, color=COLOURS["ink"],
                    transform=figure.dpi_scale_trans, gid=f"name-{at}")


def apart(wanted, heights, low, high):
    """Places in the order of `wanted`, which ascends, that keep the heights apart and are nearest to it by squares.

    Less what lies below it, each place may not be less than the one before: that is isotonic regression, by pooling.
    """
    below = [0.0]
    for a, b in zip(heights, heights[1:]):
        below.append(below[-1] + (a + b) / 2)
    pools = []          # sums and counts
    for want, offset in zip(wanted, below):
        pools.append([want - offset, 1])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] > pools[-1][0] / pools[-1][1]:
            total, count = pools.pop()
            pools[-1][0] += total
            pools[-1][1] += count
    free = [total / count for total, count in pools for _ in range(count)]
    return [max(low, min(at, high - below[-1])) + offset for at, offset in zip(free, below)]


def svg(figure, background="white"):
    """The text of a file."""
    figure.patch.set_facecolor(background)
    out = io.StringIO()
    figure.savefig(out, format="svg", facecolor=figure.get_facecolor(),
                   metadata={"Date": None, "Creator": None, "Type": None, "Format": None})
    text = re.sub(r"[ \t]*<metadata>.*?</metadata>\n", "", out.getvalue(), flags=re.S)
    return re.sub(r"[ \t]+$", "", text, flags=re.M)


def powers_of_two(lines):
    """Ticks for lengths in bytes, on a logarithmic axis."""
    lengths = [x for line in lines for x, _ in line.points]
    return [(2**at, size(2**at)) for at in range(int(log2(min(lengths))), int(log2(max(lengths))) + 1)]


def size(count):
    for unit, scale in (("MiB", 2**20), ("KiB", 2**10)):
        if count >= scale and count % scale == 0:
            return f"{count // scale} {unit}"
    return f"{count} B"
