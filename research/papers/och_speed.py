"""Writes the section Speed of research/papers/och.md from the run in och/tables.csv (`polyseal-bench papers och`).

    python3 research/papers/och_speed.py            # the section
    python3 research/papers/och_speed.py write      # into the page

It also says what the claim `speed` in och/claims.toml has to find: that one is written by hand, and a test compares.
"""

import re
import sys
from pathlib import Path

import published

PAGE = Path(__file__).parent / "och.md"
BEGIN, END = "<!-- speed: begin. Written by research/papers/och_speed.py from och/tables.csv. -->", "<!-- speed: end -->"
TITLE = re.compile(r"OCH, (seal|open) on (\w+): cycles per byte")
SIZES = ("256 B", "1 KiB", "16 KiB", "64 KiB", "1 MiB")
# A row's name, and the columns of which the fastest counts.
ROWS = {"OCH-P": r"och-areion-p", "OCH-S": r"och-areion-s", "Flex-1's OCH": r"flex-och-public", "nonce hidden": r"flex-och",
        "CTX, fastest": r"ctx-aes-256-gcm( .*)?", "AES-256-GCM, fastest": r"aes-256-gcm( .*)?", "OCB3, OpenSSL": r"ocb3 openssl",
        "AEGIS-128X2": r"aegis-128x2", "AEGIS-128L": r"aegis-128l"}


def measured(root=published.HERE):
    """({(operation, size, contender): cycles a byte}, the back end, the run's account of itself)."""
    tables, about = published.tables("och", root)
    found, backends = {}, set()
    for title, (heads, *rows) in tables.items():
        if match := TITLE.fullmatch(title):
            backends.add(match[2])
            found |= {(match[1], row[0], head): float(cell) for row in rows for head, cell in zip(heads[1:], row[1:]) if cell}
    backend, = backends
    return found, backend, about


def peak(found, name, operation="seal"):
    """The least cycles a byte over all sizes."""
    return min(cycles for (op, _, contender), cycles in found.items() if (op, contender) == (operation, name))


def finding(found):
    """A part of the claim's text."""
    return f"{peak(found, 'och-areion-p'):.2f} (OCH-P) and {peak(found, 'och-areion-s'):.2f} (OCH-S)"


def fastest(found, operation, size, pattern):
    return min(cycles for (op, at, name), cycles in found.items() if (op, at) == (operation, size) and re.fullmatch(pattern, name))


def section(root=published.HERE):
    found, backend, about = measured(root)
    limit = next(cycles for (_, _, name), cycles in found.items() if name == "limit")
    cpu, ghz = re.search(r"^# (.*), ([\d.]+) GHz\b", about, re.M).groups()
    yield (f"`polyseal-bench papers och` once: {cpu}, {ghz} GHz, `{backend}`, AD of 16 bytes. Cycles a byte, "
           f"sealing/opening; the AES instructions alone take {limit:.3f}. [Short](och/och-short.svg), "
           "[long](och/och-long.svg).")
    yield ""
    yield "||" + "|".join(SIZES) + "|"
    yield "|---|" + "--:|" * len(SIZES)
    for title, pattern in ROWS.items():
        cells = ("/".join(f"{fastest(found, op, size, pattern):.2f}" for op in ("seal", "open")) for size in SIZES)
        yield f"|{title}|" + "|".join(cells) + "|"


def page(content, root=published.HERE):
    """The page with its section written anew."""
    before, rest = content.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + "\n\n" + "\n".join(section(root)) + "\n\n" + END + after


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        PAGE.write_text(page(PAGE.read_text()))
    else:
        print("\n".join(section()))
    print(f"och/claims.toml, [speed]: {finding(measured()[0])} cycles a byte", file=sys.stderr)
