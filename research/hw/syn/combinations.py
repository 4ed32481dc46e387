# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Designs that the table has not: `scripts/python --in research research/hw/syn/combinations.py [PART OF A NAME…]`.

Each combination of generics goes through GHDL, and through yosys to gates that are no device's, and is simulated against
the reference: GHDL 2.0 synthesises some descriptions wrongly that it simulates rightly.
"""

import itertools
import json
import sys
import tempfile
from pathlib import Path

from play import play
from run import HERE, SIZES, SOURCES, stimulus, tool
from translate import translate


BUFFER_BEATS = 6  # of buffered.vhd


def combinations():
    """Name, hash, lanes, tag's bytes, and generics of omd_core; of buffered, if the name says so."""
    for hash, n in SIZES.items():
        yield f"{hash}.{n // 2}.buffer", hash, 1, n // 2, {"G_HASH": hash, "G_BYTES": n, "G_TAG_BYTES": n // 2}
    for (hash, n), lanes, tag, ad, opens, half in itertools.product(
            SIZES.items(), (1, 4), (1, 2), (False, True), (False, True), (False, True)):
        if half and (hash != "blake2b" or lanes > 1):
            continue
        name = [hash, f"{n // tag}", *("lanes" for _ in range(lanes == 4)), *("half" for _ in range(half)),
                "ad" if ad else "given", "opens" if opens else "seals"]
        generics = {"G_HASH": hash, "G_BYTES": n, "G_TAG_BYTES": n // tag, "G_DECRYPT": opens, "G_AD": ad}
        yield ".".join(name), hash, lanes, n // tag, generics | ({"G_HALF_ROUND": True} if half else {})


def gates(directory, top, design):
    """The module in yosys's gates, each flip-flop without enable or reset of its own."""
    (directory / "design.v").write_text(design)
    tool("yosys", directory, "-l", "log", "-p", "; ".join((
        "read_verilog design.v", f"hierarchy -top {top}", "proc", "flatten", "memory", "opt -fast", "techmap", "opt -fast",
        "dfflegalize -cell $_DFF_P_ 01", "clean", "write_json gates.json")))
    return json.loads((directory / "gates.json").read_text())["modules"][top]


def main():
    for name, hash, lanes, tag_bytes, generics in combinations():
        if not all(part in name for part in sys.argv[1:]):
            continue
        buffered = name.endswith("buffer")
        top, n = "buffered" if buffered else "omd_core" if lanes == 1 else "omd_lanes", SIZES[hash]
        extra = [HERE.parent / "rtl" / "omd_decrypt_buffer.vhd", HERE / "buffered.vhd"] if buffered else []
        with tempfile.TemporaryDirectory() as directory:
            directory = Path(directory)
            lengths = stimulus.edges(n)[:-1 if buffered else -2]
            session = stimulus.drawn(hash, tag_bytes, 9, lengths, lanes=lanes,
                                     opens=None if generics.get("G_DECRYPT", True) else False)
            session.write(directory / "stimulus", BUFFER_BEATS if buffered else None)
            module = gates(directory, top, translate([*SOURCES, *extra], top, generics))
            erasing = 2 * (BUFFER_BEATS + 1) + 2 if buffered else 1
            beats = play(module, directory / "stimulus", n, lanes, erasing)
            print(f"{name}: {beats} beats as they must be", flush=True)


if __name__ == "__main__":
    main()
