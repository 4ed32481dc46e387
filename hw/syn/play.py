"""Plays one session of sim/stimulus.py to a synthesised netlist, and compares what comes out: `play`.

Every stream is valid whenever it has a beat, and the receiver is always ready. At the end the key is zeroised, after
which every register must be as it was after the reset.
"""

import ctypes
import subprocess
import tempfile
from pathlib import Path

from netlist import model


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


def play(module, stimulus, n, lanes):
    """The number of beats that came out, each as it must be."""
    code = compiled(model(module))
    ports = {name: port["bits"] for name, port in module["ports"].items()}
    nets = (ctypes.c_ubyte * (1 + max(b for c in module["cells"].values() for bits in c["connections"].values()
                                      for b in [*bits, 0] if isinstance(b, int)) + sum(map(len, ports.values()))))()
    shown = {}

    def put(name, x, at, width):
        if shown.get((name, at)) != x:
            shown[name, at] = x
            for i, bit in enumerate(ports[name][at * width:(at + 1) * width]):
                nets[bit] = x >> i & 1

    def get(name, at=0, width=None):
        bits = ports[name] if width is None else ports[name][at * width:(at + 1) * width]
        return sum((nets[b] if isinstance(b, int) else int(b == "1")) << i for i, b in enumerate(bits))

    key = beats(stimulus / "key.txt")
    s, ad, given, m = ([beats(stimulus / f"{kind}{lane}.txt") for lane in range(lanes)] for kind in ("s", "ad", "given", "m"))
    if not sum(map(len, m)):
        raise SystemExit("nothing to compare")
    code.start(nets)
    put("zeroise", 0, 0, 1)
    put("m_axis_tready", 1, 0, 1)
    compared = cycle = 0
    while any(m):
        put("rst", int(cycle < 10), 0, 1)
        put("s_key_tvalid", int(bool(key)), 0, 1)
        put("s_key_tdata", key[0][0] if key else 0, 0, n)
        for lane in range(lanes):
            a = ad[lane][0] if ad[lane] else (0, 0, 0, 0)
            x = s[lane][0] if s[lane] else (0, 0, 0, 0)
            g = given[lane][0] if given[lane] else (0, 0)
            for name, value, width in (
                    ("s_ad_tdata", a[0], 16 * n), ("s_ad_tkeep", a[1], 2 * n), ("s_ad_tlast", a[2], 1),
                    ("s_ad_tvalid", int(bool(ad[lane])), 1), ("s_axis_tdata", x[0], 8 * n), ("s_axis_tkeep", x[1], n),
                    ("s_axis_tlast", x[2], 1), ("s_axis_tuser", x[3], 1), ("s_axis_tvalid", int(bool(s[lane])), 1),
                    ("tag_a", g[1], 8 * n)):
                put(name, value, lane, width)
            if lane == 0:
                put("l_star", g[0], 0, 8 * n)
        code.settle(nets)
        if cycle == 10:
            code.mark(nets)
        if cycle >= 10:
            if key and get("s_key_tready"):
                key.pop(0)
            for lane in range(lanes):
                if ad[lane] and get("s_ad_tready", lane, 1):
                    ad[lane].pop(0)
                if s[lane] and get("s_axis_tready", lane, 1):
                    s[lane].pop(0)
            if get("m_axis_tvalid"):
                lane = get("m_axis_tid") if lanes > 1 else 0
                out = tuple(get(f"m_axis_{name}") for name in ("tdata", "tkeep", "tlast", "tuser"))
                if not m[lane] or out != m[lane][0]:
                    raise SystemExit(f"lane {lane}, cycle {cycle}: {out}, not {m[lane][:1]}")
                m[lane].pop(0)
                compared += 1
                if out[2]:
                    given[lane].pop(0)
        code.clock(nets)
        cycle += 1
        if cycle == 10**5:
            raise SystemExit(f"no end after {compared} beats")
    before = code.changed(nets)
    put("zeroise", 1, 0, 1)
    code.settle(nets)
    code.clock(nets)
    if before < 8 * n or code.changed(nets):
        raise SystemExit(f"{before} registers were in use, and {code.changed(nets)} keep something when zeroised")
    return compared
