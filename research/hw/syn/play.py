# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plays sessions of sim/stimulus.py to a synthesised netlist, and compares what comes out: `play`."""

import ctypes
import random
import subprocess
import tempfile
from pathlib import Path

from netlist import model

RESET = 10  # cycles
WHOLE = 10**6  # cycles: a session that does not end within them does not end


def beats(path):
    """(tdata or L*, tkeep or Tag_a, tlast, tuser) of each line, after its session."""
    fields = [line.split()[1:] for line in path.read_text().splitlines()]
    return [(int(f[0], 16), int(f[1], 16), *map(int, f[2:])) for f in fields]


def compiled(source):
    with tempfile.TemporaryDirectory() as directory:
        c, so = Path(directory) / "model.c", Path(directory) / "model.so"
        c.write_text(source)
        subprocess.run(["gcc", "-O0", "-shared", "-fPIC", "-o", so, c], check=True)
        return ctypes.CDLL(str(so))


class Netlist:
    """Its ports, by name; those of lanes are in parts of equal width."""

    def __init__(self, module):
        self.code = compiled(model(module))
        self.ports = {name: port["bits"] for name, port in module["ports"].items()}
        nets = [bit for cell in module["cells"].values() for bits in cell["connections"].values() for bit in bits]
        nets += [bit for bits in self.ports.values() for bit in bits]
        self.nets = (ctypes.c_ubyte * (1 + max(bit for bit in nets if isinstance(bit, int))))()
        self.shown = {}
        self.code.start(self.nets)

    def put(self, name, x, part=0, parts=1):
        if self.shown.get((name, part)) != x:
            self.shown[name, part] = x
            width = len(self.ports[name]) // parts
            for i, bit in enumerate(self.ports[name][part * width:(part + 1) * width]):
                self.nets[bit] = x >> i & 1

    def get(self, name, part=0, parts=1):
        width = len(self.ports[name]) // parts
        return sum((self.nets[bit] if isinstance(bit, int) else int(bit == "1")) << i
                   for i, bit in enumerate(self.ports[name][part * width:(part + 1) * width]))

    def settle(self):
        self.code.settle(self.nets)

    def clock(self):
        self.code.clock(self.nets)

    def mark(self):
        self.code.mark(self.nets)

    def changed(self):
        return self.code.changed(self.nets)


def session(netlist, stimulus, lanes, cycles, chance, most=None):
    """One session, or its first cycles, or until `most` beats: the number of those that came out, each as it must be.

    `chance`: how often a source has its next beat in a cycle, and the sink is ready.
    """
    r = random.Random(f"{cycles} {chance}")
    key = beats(stimulus / "key.txt")
    s, ad, given, m = ([beats(stimulus / f"{kind}{lane}.txt") for lane in range(lanes)]
                       for kind in ("s", "ad", "given", "m"))
    offered = {}                                          # what is valid stays
    compared = 0
    put, get = netlist.put, netlist.get

    def offers(source, lane, beats):
        if beats and not offered.get((source, lane)):
            offered[source, lane] = r.random() < chance
        return int(bool(beats and offered[source, lane]))

    def took(source, lane, beats):
        if offered.get((source, lane)):
            beats.pop(0)
            offered[source, lane] = False

    for cycle in range(cycles):
        put("s_key_tvalid", offers("key", 0, key))
        put("s_key_tdata", key[0][0] if key else 0)
        for lane in range(lanes):
            for source, of in (("s_ad", ad[lane]), ("s_axis", s[lane])):
                data, keep, last, user = of[0] if of else (0, 0, 0, 0)
                put(f"{source}_tvalid", offers(source, lane, of), lane, lanes)
                put(f"{source}_tdata", data, lane, lanes)
                put(f"{source}_tkeep", keep, lane, lanes)
                put(f"{source}_tlast", last, lane, lanes)
                if source == "s_axis":
                    put("s_axis_tuser", user, lane, lanes)
            L_star, Tag_a = given[lane][0][:2] if given[lane] else (0, 0)
            put("tag_a", Tag_a, lane, lanes)
            if lane == 0:
                put("l_star", L_star)
        ready = r.random() < chance
        put("m_axis_tready", int(ready))
        netlist.settle()
        if get("s_key_tready"):
            took("key", 0, key)
        for lane in range(lanes):
            if get("s_ad_tready", lane, lanes):
                took("s_ad", lane, ad[lane])
            if get("s_axis_tready", lane, lanes):
                took("s_axis", lane, s[lane])
        if get("m_axis_tvalid"):
            lane = get("m_axis_tid") if lanes > 1 else 0
            out = tuple(get(f"m_axis_{name}") for name in ("tdata", "tkeep", "tlast", "tuser"))
            if not m[lane] or out != m[lane][0]:
                raise SystemExit(f"lane {lane}, cycle {cycle} of {cycles}, {chance}: {out}, not {m[lane][:1]}")
            if ready:
                m[lane].pop(0)
                compared += 1
                if out[2]:
                    given[lane].pop(0)
        netlist.clock()
        if not any(m) or compared == most:
            return compared
    return compared


def play(module, stimulus, n, lanes, erasing=1):
    """The beats of two whole sessions: one with every stream valid and the sink ready, one with stalls.

    Between them are sessions broken off, four within the first 600 cycles and four after some beats. After each the key is
    zeroised: then, after `erasing` edges, every register must be as it was after the reset.
    """
    netlist = Netlist(module)
    netlist.put("rst", 1)
    for _ in range(RESET):
        netlist.settle()
        netlist.clock()
    netlist.put("rst", 0)
    for _ in range(erasing - 1):
        netlist.settle()
        netlist.clock()
    netlist.mark()

    expected = sum(len(beats(stimulus / f"m{lane}.txt")) for lane in range(lanes))
    r = random.Random(f"{n} {lanes}")
    early = [(r.randrange(20, 600), r.choice((0.3, 0.6)), None) for _ in range(4)]
    broken = [(WHOLE, r.choice((0.3, 0.6)), r.randrange(1, 6 * lanes)) for _ in range(4)]
    compared = kept = 0
    for cycles, chance, most in [(WHOLE, 1, expected), *early, *broken, (WHOLE, 0.6, expected)]:
        of_session = session(netlist, stimulus, lanes, cycles, chance, most)
        if most and of_session != most:
            raise SystemExit(f"no end after {of_session} beats")
        compared += of_session
        kept = max(kept, netlist.changed())
        netlist.put("zeroise", 1)
        netlist.settle()
        netlist.clock()
        netlist.put("zeroise", 0)
        for name in netlist.ports:
            if name.startswith("s_") and name.endswith(("tvalid", "tlast", "tkeep")):
                parts = 1 if name.startswith("s_key") else lanes
                for part in range(parts):
                    netlist.put(name, 0, part, parts)
        for _ in range(erasing - 1):
            netlist.settle()
            netlist.clock()
        if netlist.changed():
            raise SystemExit(f"{netlist.changed()} registers keep something when zeroised after {of_session} beats")
    if not compared or kept < 8 * n:
        raise SystemExit("nothing to compare, or to erase")
    return compared
