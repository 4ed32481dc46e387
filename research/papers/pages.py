"""Draws the plots of the papers' pages from their tables.csv, which `polyseal-bench papers --pages` writes.

    scripts/python research/papers/pages.py [DIRECTORY]     # `make -C research pages` measures, too

In DIRECTORY, or else here, are folders named as the papers. If a run has several back ends, each has its plots in a
folder of its own. The plots of the hardware are drawn by research/hw/syn/tables.py.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import published  # noqa: E402
from plots.chart import Line, chart, powers_of_two, svg  # noqa: E402

TITLE = re.compile(r"(?:(OCH|CIV|ROBUST), )?seal(?: on (\w+))?: cycles per byte")
LIMIT = "limit of the AES instructions"
# A colour for each algorithm, and a mark for each library; ours have none, and are thick.
COLOURS = {"flex-och": "blue", "flex-civ": "blue", "flex-robust": "blue", "flex-och-public": "sky", "flex-civ-public": "sky",
           "flex-robust-ae": "sky", "aes-256-gcm": "orange", "ocb3": "green", "hctr2": "green", "ctx-aes-256-gcm": "red",
           "aes-256-gcm-siv": "red", "aez": "red", "och-areion-p": "pink", "och-areion-s": "pink", "aegis-128x2": "grey",
           "aegis-128l": "grey"}
MARKS = {"aws-lc": "o", "hctr2-rs": "o", "aez": "o", "boringssl": "^", "zears": "^", "openssl": "s"}
OMD = {"omd-sha256": "blue", "omd-sha512": "orange", "omd-blake2b": "green", "aes-256-gcm": "grey"}
# The lengths that a file shows. Those of OCH are the two halves of the paper's figure 3.
FILES = {"OCH": (("och-short", 0, 2048), ("och-long", 4096, None)), "CIV": (("civ", 0, None),), "ROBUST": (("robust", 0, None),)}


def of_flex(name):
    id, _, library = name.partition(" ")
    if library:
        return name, COLOURS.get(id, "grey"), MARKS.get(library, "x"), 1.3
    return f"{name}, polyseal", COLOURS.get(id, "grey"), "", 2.6


def of_omd(heads):
    for name, before in zip(heads, ["", *heads]):
        if name == "its floor":
            yield f"its floor: {before.removeprefix('omd-')} twice", OMD[before], "o", 1.3
        else:
            yield name, OMD[name], "", 2.6


def length(text):
    number, unit = text.split()
    return int(number) * {"B": 1, "KiB": 2**10, "MiB": 2**20}[unit]


def lines(heads, rows):
    looks = of_omd(heads) if "its floor" in heads else map(of_flex, heads)
    for at, (name, colour, mark, width) in enumerate(looks, 1):
        yield Line(name, [(length(row[0]), float(row[at])) for row in rows if row[at]], colour, "-", mark, width)


def drawn(paper, root=HERE):
    """{file: figure} of a run's plots, below the paper's folder."""
    tables, about = published.tables(paper, root)
    header = re.search(r"\b(?:no|\d+ bytes? of) associated data", about)[0]
    found = {TITLE.fullmatch(title): rows for title, rows in tables.items() if TITLE.fullmatch(title)}
    backends = {match[2] for match in found}
    figures = {}
    for match, (heads, *rows) in found.items():
        mode, backend = match.groups()
        limits = ()
        if heads[1] == "limit":
            limits = [(float(rows[0][1]), LIMIT)] if rows[0][1] else ()
            heads, rows = heads[:1] + heads[2:], [row[:1] + row[2:] for row in rows]
        title = f"{mode or 'OMD'}, sealing{f' on {backend}' if backend else ''}, {header}"
        for name, low, high in FILES.get(mode, (("seal", 0, None),)):
            of = list(lines(heads[1:], [row for row in rows if low <= length(row[0]) <= (high or float("inf"))]))
            # Other sizes than the paper's may leave a plot empty.
            if any(line.points for line in of):
                folder = f"{backend}/" if len(backends) > 1 else ""
                figures[f"{folder}{name}.svg"] = chart(of, "length of the message", "cycles per byte", title, True, None,
                                                       powers_of_two(of), limits)
    return figures


def main(root=HERE):
    for paper in ("flex", "omd", "och"):
        if (root / paper / "tables.csv").exists():
            for name, figure in drawn(paper, root).items():
                file = root / paper / name
                file.parent.mkdir(exist_ok=True)
                file.write_text(svg(figure))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
