"""The figures that the papers print, research/papers/published.toml, and the tables of our stored runs.

    python3 research/papers/published.py kc-xaes.t1      # every value whose name begins so
"""

import csv
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
DATA = tomllib.loads((HERE / "published.toml").read_text())
PAPERS, VALUES = DATA["papers"], DATA["values"]


def value(name):
    return VALUES[name]["value"]


def named(prefix):
    return {name: v for name, v in VALUES.items() if name.startswith(prefix)}


def tables(paper, root=HERE):
    """The run that is stored in NAME/tables.csv: {title: rows, with the heads}, and its description of itself."""
    found, about, rows = {}, [], None
    for line in csv.reader((root / paper / "tables.csv").read_text().splitlines()):
        if not line:
            rows = None
        elif line[0].startswith("#"):
            about.append(",".join(line))
        elif rows is None:
            rows = found.setdefault(line[0], [])
        else:
            rows.append(line)
    return found, "\n".join(about)


if __name__ == "__main__":
    for name, v in named(sys.argv[1] if len(sys.argv) > 1 else "").items():
        print(f"{name:50} {v['value']:>8} {v['unit']} ({v['where']})")
