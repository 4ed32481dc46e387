"""The figures that the papers print: research/papers/published.toml.

    python3 research/papers/published.py kc-xaes.t1      # every value whose name begins so
"""

import sys
import tomllib
from pathlib import Path

DATA = tomllib.loads((Path(__file__).parent / "published.toml").read_text())
PAPERS, VALUES = DATA["papers"], DATA["values"]


def value(name):
    return VALUES[name]["value"]


def named(prefix):
    return {name: v for name, v in VALUES.items() if name.startswith(prefix)}


if __name__ == "__main__":
    for name, v in named(sys.argv[1] if len(sys.argv) > 1 else "").items():
        print(f"{name:50} {v['value']:>8} {v['unit']} ({v['where']})")
