"""Diagrams of boxes and arrows, as SVG within the page.

A box stands in a grid of columns and rows; an arrow goes from box to box, straight, or down and then across. That is all
that the papers' figures of constructions need.
"""

from dataclasses import dataclass
from html import escape

COLUMN, ROW = 92, 64        # from middle to middle
WIDTH, HEIGHT = 76, 38


@dataclass
class Box:
    text: str
    column: float
    row: float
    kind: str = "value"     # value, call (of a primitive), or plain (text without a box)
    width: float = WIDTH

    @property
    def centre(self):
        return (self.column + 0.62) * COLUMN, (self.row + 0.5) * ROW


def diagram(boxes, arrows):
    """`boxes`: by name; `arrows`: (from, to)."""
    width = max(box.centre[0] + box.width / 2 for box in boxes.values()) + 8
    height = max(box.centre[1] for box in boxes.values()) + ROW / 2
    parts = [f'<svg class="diagram" viewBox="0 0 {width:.0f} {height:.0f}" role="img" style="max-width:{width:.0f}px">',
             '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
             '<path d="M0 0 8 4 0 8z"/></marker></defs>']
    parts += [line(boxes[start], boxes[end]) for start, end in arrows]
    for box in boxes.values():
        x, y = box.centre
        if box.kind != "plain":
            round_ = 3 if box.kind == "value" else 10
            parts.append(f'<rect class="{box.kind}" x="{x - box.width / 2:.0f}" y="{y - HEIGHT / 2:.0f}" '
                         f'width="{box.width:.0f}" height="{HEIGHT}" rx="{round_}"/>')
        lines = box.text.split("\n")
        for at, text in enumerate(lines):
            parts.append(f'<text x="{x:.0f}" y="{y + 4.5 + 15.5 * (at - (len(lines) - 1) / 2):.0f}">{escape(text)}</text>')
    return "".join(parts) + "</svg>"


def line(start, end):
    (x0, y0), (x1, y1) = start.centre, end.centre
    if abs(x0 - x1) < 1:
        y0, y1 = (y0 + HEIGHT / 2, y1 - HEIGHT / 2) if y1 > y0 else (y0 - HEIGHT / 2, y1 + HEIGHT / 2)
        path = f"M{x0:.0f} {y0:.0f}V{y1:.0f}"
    elif abs(y0 - y1) < 1:
        x0, x1 = (x0 + start.width / 2, x1 - end.width / 2) if x1 > x0 else (x0 - start.width / 2, x1 + end.width / 2)
        path = f"M{x0:.0f} {y0:.0f}H{x1:.0f}"
    else:
        # Down, across in the gap above the end, and down.
        y0, y1 = (y0 + HEIGHT / 2, y1 - HEIGHT / 2) if y1 > y0 else (y0 - HEIGHT / 2, y1 + HEIGHT / 2)
        turn = y1 - (12 if y1 > y0 else -12)
        path = f"M{x0:.0f} {y0:.0f}V{turn:.0f}H{x1:.0f}V{y1:.0f}"
    return f'<path class="arrow" marker-end="url(#tip)" d="{path}"/>'
