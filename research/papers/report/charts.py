"""Plots within the report's page: their colours are variables of its style sheet, so that they follow light, dark and print."""

import re
from itertools import count

from plots import chart as plain
from plots.chart import COLOURS, Line, svg

__all__ = ["PALETTE", "Line", "chart"]

PALETTE = ("blue", "orange", "green", "red", "sky", "pink", "grey")
NUMBERS = count(1)


def chart(*lines, **options):
    """As plots.chart has it, as an element of the page; None if there is nothing to draw."""
    figure = plain.chart(*lines, **options)
    return figure and themed(svg(figure, "none"))


def themed(svg):
    """The element alone, with the page's colours and font, and names that occur once in the page."""
    svg = svg[svg.index("<svg"):]
    number = next(NUMBERS)
    svg = re.sub(r'id="([^"]+)"', rf'id="c{number}-\1"', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>c{number}-", svg)
    svg = re.sub(r'<svg [^>]*viewBox="([^"]+)"[^>]*>', r'<svg class="chart" viewBox="\1" role="img">', svg, count=1)
    for name, colour in COLOURS.items():
        svg = svg.replace(colour, f"var(--{name})")
    return re.sub(r"font: ([0-9.]+)px [^;\"]+", r"font-size: \1px; font-family: inherit", svg)
