"""Two builds of polyseal-bench, one beside the other: is the new one as fast?

    between.py OLD NEW [--times 6] [-- ARGUMENTS OF polyseal-bench run]

OLD and NEW are programs, built from two checkouts with `cargo build --release -p polyseal-bench`. They run in turn, and
a cell is the median of its runs. What is printed is old time ÷ new time, as a
geometric mean for each family of algorithms, and the cells that are furthest from 1. It ends with 1 if a mean is below
0.99.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys

LEAST = 0.99


def figures(program, arguments):
    """The cycles of a message in each cell of one run."""
    run = subprocess.run([program, "run", "--json", *arguments], check=True, capture_output=True, text=True)
    return {
        (row["suite"], row["operation"], row["backend"], row["bytes"]): row["cycles_per_message"]["median"]
        for row in json.loads(run.stdout)["records"]
    }


def family(suite):
    """The family of algorithms that a suite belongs to."""
    if suite.startswith(("aegis", "flex", "omd", "ctx")):
        return suite.split("-")[0]
    return "gcm"


def ratios(old, new):
    """Old ÷ new of each cell that both have, from lists of runs."""
    cells = set(old[0]).intersection(*old[1:], *new)
    median = statistics.median
    return {cell: median(run[cell] for run in old) / median(run[cell] for run in new) for cell in sorted(cells)}


def means(ratios):
    """The geometric mean for each family."""
    logarithms = {}
    for cell, ratio in ratios.items():
        logarithms.setdefault(family(cell[0]), []).append(math.log(ratio))
    return {name: math.exp(statistics.fmean(each)) for name, each in sorted(logarithms.items())}


def main(argv):
    parser = argparse.ArgumentParser(description="Old time ÷ new time of two builds of polyseal-bench.")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--times", type=int, default=6, help="how often each runs")
    options, arguments = parser.parse_known_args(argv)
    arguments = [argument for argument in arguments if argument != "--"]
    old, new = [], []
    for turn in range(options.times):
        # Whoever comes second finds a warmer machine: in turn.
        for program, runs in ((options.old, old), (options.new, new))[:: 1 if turn % 2 else -1]:
            runs.append(figures(program, arguments))
    each = ratios(old, new)
    for name, mean in means(each).items():
        print(f"{name:8} {mean:.3f}  of {sum(family(cell[0]) == name for cell in each)} cells")
    furthest = sorted(each.items(), key=lambda item: -abs(math.log(item[1])))[:12]
    for cell, ratio in furthest:
        print(f"  {ratio:.2f}  {' '.join(map(str, cell))}")
    return min(means(each).values()) < LEAST


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
