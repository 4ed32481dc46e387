"""Draws files/speed.svg, the speed of the tool beside others, from files/tables.csv, which files.py writes.

    scripts/python research/bench/speed.py
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "papers")]

import published  # noqa: E402
from plots.chart import bars, svg  # noqa: E402

SHOWN = {"polyseal, 2 threads": ("polyseal", "blue"), "age": ("age", "grey"), "rage": ("rage", "grey"),
         "openssl aes-256-ctr (unauthenticated)": ("openssl, unauthenticated", "grey")}


def speeds():
    """{(what, program): MB/s} of the large file."""
    tables, _ = published.tables("files", HERE)
    return {(title, name): int(speed) for title, (_, *rows) in tables.items() for name, speed in rows}


def drawn():
    groups = {verb: [(name, speeds()[f"{verb} 1024 MiB, file to file", program], colour)
                     for program, (name, colour) in SHOWN.items()] for verb in ("encrypt", "decrypt")}
    return bars(groups, "1 GiB, file to file, in MB/s")


if __name__ == "__main__":
    (HERE / "files/speed.svg").write_text(svg(drawn()))
