"""Line charts as SVG within the page, by Matplotlib.

Colours are variables of the page's style sheet, so that a chart follows light, dark and print. Every line carries its name
at its end, in the order of the ends, so that nobody has to look one up.
"""

import io
import re
from dataclasses import dataclass
from itertools import count

# Stand-ins that Matplotlib writes, and what they become. Tones that the colour-blind can tell apart.
COLOURS = {"blue": "#0072b2", "orange": "#e69f00", "green": "#009e73", "red": "#d55e00", "sky": "#56b4e9", "pink": "#cc79a7",
           "ink": "#222222", "grey": "#777777", "rule": "#dddddd"}
PALETTE = ("blue", "orange", "green", "red", "sky", "pink", "grey")
SIZE = (7.6, 3.9)       # inches
LABEL_ROOM = 0.74       # of the width, for the axes
LINE_HEIGHT = 11.5      # points from name to name
NUMBERS = count(1)


@dataclass
class Line:
    name: str
    points: list        # of (x, y)
    colour: str = "blue"
    style: str = "-"
    marks: bool = False


def chart(lines, x, y, xlog=False, ylog=False, xticks=None, limits=(), notes=()):
    """`xticks`: (value, text); `limits`: (y, name), dashed; `notes`: (x, text), dotted uprights."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot, ticker

    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "polyseal", "font.size": 9,
                                "text.color": COLOURS["ink"], "axes.edgecolor": COLOURS["grey"]})
    lines = [line for line in lines if line.points]
    if not lines:
        return None
    figure, axes = pyplot.subplots(figsize=SIZE)
    figure.patch.set_alpha(0)
    axes.patch.set_alpha(0)
    figure.subplots_adjust(left=0.085, right=LABEL_ROOM, top=0.93, bottom=0.14)
    for line in lines:
        xs, ys = zip(*line.points)
        axes.plot(xs, ys, line.style, color=COLOURS[line.colour], linewidth=1.8, marker="o" if line.marks else None,
                  markersize=3)
    axes.set_xlabel(x, color=COLOURS["ink"])
    axes.set_ylabel(y, color=COLOURS["ink"])
    axes.set_xscale("log" if xlog else "linear")
    axes.set_yscale("log" if ylog else "linear")
    if not ylog and min(value for line in lines for _, value in line.points) >= 0:
        axes.set_ylim(bottom=0)
    if ylog:
        axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:g}"))
        axes.yaxis.set_minor_locator(ticker.NullLocator())
    axes.margins(x=0.015)
    if xticks:
        xticks = apart(axes, xticks)
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
    ends = [(line.points[-1], line.name, line.colour) for line in lines]
    ends += [((None, value), name, "grey") for value, name in limits]
    names(axes, ends)
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Type": None, "Format": None})
    pyplot.close(figure)
    return themed(out.getvalue())


def apart(axes, ticks):
    """The ticks, without those whose text would touch the one before."""
    axes.figure.draw_without_rendering()
    scale = 72 / axes.figure.dpi
    kept, free = [], float("-inf")
    for value, text in ticks:
        at, half = axes.transData.transform((value, 1))[0] * scale, 3 * len(text) + 3
        if at - half >= free:
            kept.append((value, text))
            free = at + half
    return kept


def names(axes, ends):
    """Each name beside its line's end, moved as little as keeps it apart from the others."""
    figure = axes.figure
    figure.draw_without_rendering()     # which settles the limits of the axes
    scale = 72 / figure.dpi
    box = axes.get_window_extent()
    placed = []
    for (x, y), name, colour in ends:
        at = axes.transData.transform((axes.get_xlim()[1] if x is None else x, y))
        placed.append([at[1] * scale, at[0] * scale, name, colour])
    placed.sort(key=lambda end: end[0])
    lowest, highest = box.y0 * scale - 6, box.y1 * scale + 6
    wanted = [min(max(end[0], lowest), highest) for end in placed]
    for at in range(1, len(wanted)):
        wanted[at] = max(wanted[at], wanted[at - 1] + LINE_HEIGHT)
    excess = wanted[-1] - highest
    if excess > 0:
        wanted[-1] -= excess
        for at in range(len(wanted) - 2, -1, -1):
            wanted[at] = min(wanted[at], wanted[at + 1] - LINE_HEIGHT)
    right = box.x1 * scale
    for y, (end_y, end_x, name, colour) in zip(wanted, placed):
        axes.annotate(name, (end_x, end_y), xycoords="figure points", xytext=(right + 16, y), textcoords="figure points",
                      va="center", fontsize=8.5, color=COLOURS["ink"], annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": COLOURS[colour], "linewidth": 1, "shrinkA": 1, "shrinkB": 1})


def themed(svg):
    """The element alone, with the page's colours and font, and names that occur once in the page."""
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    number = next(NUMBERS)
    svg = re.sub(r'id="([^"]+)"', rf'id="c{number}-\1"', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>c{number}-", svg)
    svg = re.sub(r'<svg [^>]*viewBox="([^"]+)"[^>]*>', r'<svg class="chart" viewBox="\1" role="img">', svg, count=1)
    for name, colour in COLOURS.items():
        svg = svg.replace(colour, f"var(--{name})")
    svg = re.sub(r"font: ([0-9.]+)px [^;\"]+", r"font-size: \1px; font-family: inherit", svg)
    return svg
