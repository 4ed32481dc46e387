# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The table of research/hw/README.md and the figures of research/papers/omd, from results.json.

    scripts/python research/hw/syn/tables.py

Cycles are those that `make hw` asserts, for packets with L* and Tag_a known, everything valid and ready: of l blocks,
2C + 1 to the first out, C to each other, C to the tag. The clock is the median of ECP5's, routed or else before routing.
What the paper says of itself (research/papers/published.toml) is at its own clock and on its own device, by its own formula,
which counts all blocks beside set-up and tag; and once more with one block less, for the tag's call is the last
block's. What it published is at the clock that nextpnr gave before routing.
"""

import json
import sys
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]

CALL = {"blake2b": 13, "sha512": 81, "sha256": 65}
OF_VARIANTS = {"blake2b-half": 25, "sha256-masked": 2883}
BYTES = {"blake2b": 64, "sha512": 64, "sha256": 32}
SIZES = (64, 128, 256, 512, 1024, 1500, 2048, 4096, 9600)
COLOURS = {"blake2b": "blue", "sha512": "red", "sha256": "green"}

sys.path[:0] = [str(ROOT / "research" / "papers"), str(ROOT / "research")]

from plots.chart import Line, chart, svg  # noqa: E402
from published import value  # noqa: E402

PAPER_COLOURS = {"sha512": "orange", "blake2b": "sky"}
# As simulated and placed: research/papers/omd.md. 45 cycles to the first output, and 39 + 26 n in all.
PUBLISHED = ("published design, OMD over a BLAKE\n(ECP5, not routed, 16.6 MHz)", 16.6, (45, 26, 20), "grey")

BEGIN, END = "<!-- figures of research/hw/syn/results.json -->", "<!-- end -->"


def call(name):
    return OF_VARIANTS.get(name) or CALL[name.split("-")[0]]


def rows(results):
    yield ("| | cycles per block | UltraScale+: LUT | FF | BRAM | ECP5, with the wrapper: COMB | FF "
           "| MHz before routing | MHz routed | Mb/s, long packets |")
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for name, result in results.items():
        area, ecp5 = result.get("ultrascale"), result.get("ecp5")
        us = [area[k] for k in ("lut", "ff", "bram")] if area else [""] * 3
        lattice = [""] * 5
        if ecp5:
            mbps = f"{rate(name, clock(ecp5)):,.0f}"
            lattice = [ecp5["comb"], ecp5["ff"], of_seeds(ecp5["placed_mhz"]), of_seeds(ecp5["routed_mhz"]),
                       mbps if ecp5["routed_mhz"] else f"({mbps})"]
        cells = [f"`{name}`", "" if name.startswith("omd_") else call(name), *us, *lattice]
        yield "| " + " | ".join(f"{c:,}" if isinstance(c, int) else str(c) for c in cells) + " |"


def clock(ecp5):
    """MHz: routed, or if it was not, as nextpnr estimates it before routing."""
    return median(ecp5["routed_mhz"] or ecp5["placed_mhz"])


def of_seeds(clocks):
    if len(clocks) < 2:
        return f"{clocks[0]:.1f}" if clocks else "–"
    return f"{median(clocks):.1f} ({min(clocks):.1f} to {max(clocks):.1f})"


def rate(name, mhz):
    """Mb/s of long packets. Interleaved, four lanes have a block each in 4C cycles: the same."""
    return 8 * BYTES[name.split("-")[0]] * mhz / call(name)


def cycles(size, block, setup, per_block, tag, less=1):
    """less: of how many blocks the calls are counted in setup and tag."""
    return setup + (-(-size // block) - less) * per_block + tag


def lines(results):
    """For each design: label, colour, style, microseconds and Mb/s by size of packet, LUTs of its device if known."""
    for name, result in results.items():
        hash = name.split("-")[0]
        if "ecp5" not in result or name.endswith("-full"):
            continue
        mhz, c = clock(result["ecp5"]), call(name)
        lanes = 4 if name.endswith("-lanes") else 1
        of = [cycles(size, BYTES[hash], 2 * c + 1, c, c) * lanes for size in SIZES]
        style = {"lanes": "--", "half": "-."}.get(name.split("-")[-1], "-")
        how = "routed" if result["ecp5"]["routed_mhz"] else "not routed"
        yield (f"OMD-{name} (ECP5, {how}, {mhz:.1f} MHz)", COLOURS[hash], style,
               [n / mhz for n in of], [lanes * 8 * size * mhz / n for size, n in zip(SIZES, of)],
               result["ecp5"]["comb"])
    for hash, colour in PAPER_COLOURS.items():
        mhz, *counts, luts = (value(f"omd.t1.{hash}.{what}")
                              for what in ("clock", "setup", "message", "tag", "luts-given"))
        for less, style, how in ((0, ":", "its formula"), (1, (0, (1, 5)), "by its calls")):
            yield (f"the paper, OMD-{hash}, {how}\n(its device, {mhz} MHz)", colour, style,
                   *timed([cycles(size, BYTES[hash], *counts, less) for size in SIZES], mhz), luts)
    name, mhz, counts, colour = PUBLISHED
    yield name, colour, ":", *timed([cycles(size, BYTES["blake2b"], *counts) for size in SIZES], mhz), None


def timed(of, mhz):
    return [c / mhz for c in of], [8 * s * mhz / c for s, c in zip(SIZES, of)]


def figures(results):
    """{file: figure} below research/papers/omd."""
    return {f"figure-{number}-{file}.svg": chart(
        [Line(name, list(zip(SIZES, y)), colour, style, "o", 1.3)
         for name, colour, style, us, mbps, luts in lines(results) if (y := of(us, mbps, luts))],
        "bytes of message", label, title, xlog=True, ylog=True, xticks=[(at, str(at)) for at in SIZES])
        for number, file, title, label, of in (
            (4, "latency", "", "latency of a packet, µs", lambda us, mbps, luts: us),
            (5, "throughput", "", "throughput, Mb/s", lambda us, mbps, luts: mbps),
            (6, "throughput-per-area", "ours: ECP5's LUT4, with the wrapper; the paper's: UltraScale+'s LUT6", "kb/s per LUT",
             lambda us, mbps, luts: luts and [1000 * x / luts for x in mbps]))}


def write(results):
    readme = HERE.parent / "README.md"
    before, rest = readme.read_text().split(BEGIN)
    after = rest.split(END)[1]
    readme.write_text(before + BEGIN + "\n" + "\n".join(rows(results)) + "\n" + END + after)
    if any("ecp5" in result for result in results.values()):
        for name, figure in figures(results).items():
            (ROOT / "research" / "papers" / "omd" / name).write_text(svg(figure))


if __name__ == "__main__":
    write(json.loads((HERE / "results.json").read_text()))
