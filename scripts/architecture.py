"""Draws docs/architecture.svg from the tree: `scripts/python scripts/architecture.py`; `--check` only compares.

Crates are the folders of crates/ in the order below. The core's rooms are those of crates/polyseal/tests/layers.rs, and
the back ends those of the enumeration in crates/polyseal/src/backend/mod.rs. What the tree does not have is an error.
"""

import re
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "architecture.svg"

# Which crates use which: each row uses those below it.
CRATES = [
    ("Fronts", "convert what they are given, and call", ["cli", "py", "c", "wasm"]),
    ("Files and objects", "by name: on disks, in stores; test vectors", ["local", "object-store", "kms", "http", "vectors"]),
    ("Format", "bytes and streams, without names", ["file"]),
]
FLOORS = {
    "api": ("Interfaces", "put together what the families bring", "#e3f0e3"),
    "family": ("Families", "know nothing of each other", "#fbf1d9"),
    "part": ("Parts", "what several families share", "#f7e4da"),
    "back end": ("Back end", "all instruction sets, and all unsafe code", "#efe3f3"),
    "ground": ("Ground", "knows nothing else; every floor may use it", "#ececec"),
}
STEPS = [
    ("Format", "Encryptor: header, then segments"),
    ("Interfaces", "AnyAead: checks lengths"),
    ("Parts", "DynAead: the chosen algorithm"),
    ("Families", "Aegis::seal makes a task"),
    ("Back end", "Backend::run enters vaes512"),
    ("Families", "the engine: load, AES rounds, store"),
    ("Back end", "Lanes: the instructions"),
]
WIDTH, LEFT, PAD = 960, 580, 12


def crates():
    named = [[f"polyseal-{name}" for name in names] for _, _, names in CRATES]
    there = {path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml")}
    if {name for row in named for name in row} | {"polyseal"} != there:
        raise SystemExit(f"the rows of crates are not those of crates/: {sorted(there)}")
    return named


def rooms():
    """{floor: its rooms}, as the test of layers has them."""
    text = (ROOT / "crates/polyseal/tests/layers.rs").read_text()
    table = text[text.index("const ROOMS"):]
    table = table[:table.index("\n];")]
    floors = re.findall(r'\(\s*"([^"]+)",\s*&\[(.*?)\]', table, re.S)
    return {floor: [room for room in re.findall(r'"([^"]+)"', names) if room != "lib"] for floor, names in floors}


def back_ends():
    text = (ROOT / "crates/polyseal/src/backend/mod.rs").read_text()
    variants = text[text.index("pub enum Backend {"):]
    return [name.lower() for name in re.findall(r"^    (\w+)\(", variants[:variants.index("\n}")], re.M)]


def text(x, y, words, **attributes):
    given = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x}" y="{y}"{given}>{escape(words)}</text>'


def boxes(y, names):
    """(lines, rows): the names in boxes, as many to a row as fit."""
    lines, x, row = [], 32, 0
    for name in names:
        width = round(7.4 * len(name)) + 14
        if x + width > LEFT - PAD:
            x, row = 32, row + 1
        top = y + 32 * row
        lines.append(f'<rect x="{x}" y="{top}" width="{width}" height="26" rx="4" fill="#fff" stroke="#999"/>')
        lines.append(text(x + width / 2, top + 17, name, text_anchor="middle", fill="#111", font_family="monospace",
                          font_size=12))
        x += width + 8
    return lines, row + 1


def drawn():
    floors = [(title, about, "#e8eef7", names) for (title, about, _), names in zip(CRATES, crates(), strict=True)]
    parts = rooms()
    if parts.keys() != FLOORS.keys():
        raise SystemExit(f"the floors are not those of layers.rs: {sorted(parts)}")
    for floor, (title, about, colour) in FLOORS.items():
        names = [*back_ends(), "hashes"] if floor == "back end" else parts[floor]
        floors.append((title, about, colour, names))
    lines, y, colours = [], 20, {}
    for title, about, colour, names in floors:
        inside, rows = boxes(y + 38, names)
        height = 44 + 32 * rows
        lines.append(f'<rect x="20" y="{y}" width="{LEFT - 20}" height="{height}" rx="6" fill="{colour}" stroke="#777"/>')
        lines.append(text(32, y + 22, title, font_weight="bold", fill="#111"))
        lines.append(text(160, y + 22, about, fill="#444"))
        lines += inside
        colours[title] = colour
        y += height + 20
        if title != floors[-1][0]:
            lines.append(f'<line x1="80" y1="{y - 20}" x2="80" y2="{y - 1}" stroke="#333" stroke-width="1.5" '
                         'marker-end="url(#a)"/>')
    height = y
    lines.append(text(LEFT + 34, 34, "The path of a sealed message", font_weight="bold", fill="#111"))
    for number, (floor, words) in enumerate(STEPS, 1):
        at = 34 + 62 * number
        lines.append(f'<rect x="{LEFT + 34}" y="{at - 28}" width="330" height="44" rx="6" fill="{colours[floor]}" '
                     'stroke="#777"/>')
        lines.append(f'<circle cx="{LEFT + 56}" cy="{at - 6}" r="12" fill="#1d4e89"/>')
        lines.append(text(LEFT + 56, at - 2, str(number), text_anchor="middle", fill="#fff", font_weight="bold"))
        lines.append(text(LEFT + 76, at - 10, words, fill="#111"))
        lines.append(text(LEFT + 76, at + 8, floor, fill="#444", font_size=12))
        if number > 1:
            lines.append(f'<line x1="{LEFT + 199}" y1="{at - 46}" x2="{LEFT + 199}" y2="{at - 29}" stroke="#333" '
                         'stroke-width="1.5" marker-end="url(#a)"/>')
    lines.append(text(LEFT + 34, 540, "The colour is the floor's. Arrows between", fill="#444"))
    lines.append(text(LEFT + 34, 558, "floors point down only: a test reads the sources.", fill="#444"))
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="sans-serif" font-size="13" role="img" aria-labelledby="title desc">',
        '<title id="title">The crates and floors of Polyseal, and the path of a sealed message</title>',
        f'<desc id="desc">{len(floors)} floors from top to bottom: {", ".join(floor[0] for floor in floors)}. Arrows point '
        'down only. Beside them seven numbered steps, from top to bottom, each in the colour of its floor.</desc>',
        '<defs><marker id="a" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#333"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>']
    return "\n".join([*head, *lines, "</svg>", ""])


def main():
    if sys.argv[1:] == ["--check"]:
        if PICTURE.read_text() != drawn():
            raise SystemExit("docs/architecture.svg is not of this tree: scripts/python scripts/architecture.py")
    else:
        PICTURE.write_text(drawn())


if __name__ == "__main__":
    main()
