# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The crossings between the clocks of omd_link: `scripts/python --in research research/hw/syn/cdc.py`.

omd_link goes through GHDL and yosys to a flat netlist of registers, memories and logic. Each register whose input depends on
one of another clock must be a listed synchroniser that takes it from that register directly, without logic between; or the output
of a listed FIFO memory. Anything else is an error. Then each listed kind is taken off the list, and must be missed: or this
finds nothing. The constraints that a placer needs for the same crossings are in omd_link.xdc, .sdc and .lpf.
"""

import json
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from run import yosys
from translate import sources, translate

CLOCKS = ("clk_ptxt", "clk_core", "clk_ctxt")
# Registers that take what another clock's register has: each the first of two in a row, of a Gray code.
SYNCHRONISERS = {
    "the FIFO's read pointer": r"fifo_\w+\.read_1",
    "the FIFO's descriptors, freed": r"fifo_\w+\.read_packet_1",
    "the FIFO's descriptors, committed": r"fifo_\w+\.write_packet_1",
    "counts of events": r"control\.sums\.sampled",
}
# Memories that one clock writes and another reads, what is read being settled by a pointer that crossed before.
MEMORIES = {"the FIFO's beats": r"fifo_\w+\.memory", "the FIFO's descriptors": r"fifo_\w+\.descriptor"}


class Netlist:
    def __init__(self, module):
        self.names, self.driver = {}, {}
        for name, net in module["netnames"].items():
            for bit in net["bits"]:
                self.names.setdefault(bit, []).append(name)
        self.cells = module["cells"]
        for cell in self.cells.values():
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] == "output":
                    for bit in bits:
                        self.driver[bit] = cell
        self.clock = {bit: name for name in CLOCKS for bit in module["netnames"][name]["bits"]}
        self.written = {}
        for cell in self.cells.values():
            if cell["type"].startswith("$memwr"):
                self.written.setdefault(cell["parameters"]["MEMID"].lstrip("\\"), set()).add(self.clock_of(cell))
        self.known = {}

    def clock_of(self, cell):
        bit = cell["connections"]["CLK"][0]
        while bit not in self.clock:                      # through what only passes it on
            bit = self.driver[bit]["connections"]["A"][0]
        return self.clock[bit]

    def is_register(self, cell):
        return "dff" in cell["type"] or cell["type"] in ("$dlatch", "$sr")

    def origins(self, first):
        """The origins of a bit without a register between: clocks of registers, and ("memory", name)."""
        stack = [first]
        while stack:
            bit = stack[-1]
            if bit in self.known:
                stack.pop()
                continue
            cell = self.driver.get(bit)
            if cell is None:
                self.known[bit] = frozenset()
            elif self.is_register(cell):
                self.known[bit] = frozenset([self.clock_of(cell)])
            else:
                inputs = [b for pin, bits in cell["connections"].items() if cell["port_directions"][pin] == "input"
                          for b in bits if isinstance(b, int)]
                missing = [b for b in inputs if b not in self.known]
                if missing:
                    self.known.setdefault(("open", bit), 0)
                    self.known["open", bit] += 1
                    if self.known["open", bit] > 3:
                        raise SystemExit(f"a loop of logic at {self.names.get(bit)}")
                    stack += missing
                    continue
                found = frozenset().union(*(self.known[b] for b in inputs)) if inputs else frozenset()
                if cell["type"].startswith("$memrd"):
                    found |= {("memory", cell["parameters"]["MEMID"].lstrip("\\"))}
                self.known[bit] = found
            stack.pop()
        return self.known[first]

    def crossings(self):
        """(register's names, its clock, the other's, what carries it: "register", a memory's name, or "logic")."""
        for cell in self.cells.values():
            if not self.is_register(cell):
                continue
            clock = self.clock_of(cell)
            names = {name for bit in cell["connections"]["Q"] for name in self.names.get(bit, [])}
            for pin, bits in cell["connections"].items():
                if pin in ("Q", "CLK"):
                    continue
                for bit in bits:
                    if not isinstance(bit, int):
                        continue
                    for origin in self.origins(bit):
                        if isinstance(origin, tuple):
                            for other in self.written.get(origin[1], set()) - {clock}:
                                yield names, clock, other, origin[1]
                        elif origin != clock:
                            driver = self.driver[bit]
                            direct = pin == "D" and self.is_register(driver)
                            yield names, clock, origin, "register" if direct else "logic"


def listed(crossing, synchronisers, memories):
    """The kind of a crossing, or None."""
    names, _, _, carrier = crossing
    if carrier == "register":
        return next((kind for kind, pattern in synchronisers.items() if any(re.search(pattern + r"\b", n) for n in names)), None)
    if carrier == "logic":
        return None
    return next((kind for kind, pattern in memories.items() if re.search(pattern + "$", carrier)), None)


def main():
    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        (directory / "design.v").write_text(translate(sources("omd_link"), "omd_link", {"G_HASH": "sha256"}))
        shutil.copy(Path(__file__).with_name("sums.v"), directory)
        yosys(directory, "log", "read_verilog design.v", "hierarchy -top omd_link", "proc", "flatten", "opt_clean",
              "select -module omd_link", "write_json -selected netlist.json")
        netlist = Netlist(json.loads((directory / "netlist.json").read_text())["modules"]["omd_link"])
    crossings = list(netlist.crossings())
    kinds = Counter()
    for crossing in crossings:
        kind = listed(crossing, SYNCHRONISERS, MEMORIES)
        if kind is None:
            names, clock, other, carrier = crossing
            raise SystemExit(f"{sorted(names)[0]}, of {clock}, depends on {other} by way of {carrier}")
        kinds[kind] += 1
    for kind in (*SYNCHRONISERS, *MEMORIES):
        if not kinds[kind]:
            raise SystemExit(f"nothing crosses as {kind}: the list, or what looks for it, is wrong")
        fewer = [{k: p for k, p in of.items() if k != kind} for of in (SYNCHRONISERS, MEMORIES)]
        if all(listed(crossing, *fewer) for crossing in crossings):
            raise SystemExit(f"without {kind} on the list nothing is missed")
        print(f"{kind}: {kinds[kind]} bits")
    print(f"{len(crossings)} crossings between {', '.join(CLOCKS)}, and no other")


if __name__ == "__main__":
    main()
