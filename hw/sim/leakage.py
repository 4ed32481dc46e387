# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Whether the masked core's toggles depend on what it computes: `scripts/hw hw/sim/leakage.py [TRACES]`, 100,000 by default.

Test vector leakage assessment (Goodwill, Jun, Jaffe, Rohatgi, 2011), fixed against random: half of the traces have the same
key, chaining value and message, the others new ones; all have new sharings and random bits. A trace is the number of
toggles in each cycle, of all gates and registers of the netlist, glitches with them; the t of Welch's test must be below 4.5 in
each cycle. Then the masking is broken, once for each of MUTANTS, and must not pass.
The netlist is yosys's, in gates of no device, from what GHDL synthesises. Delays of gates are 1, or drawn from 1 to 3 (DELAYS).
Limits: toggles are no measurement. Nothing here has capacitances, coupling of wires or a device's placement, and what needs
two points of a trace together, or a net by itself in the noise of all others, is not looked for.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent / "syn"), str(ROOT / "reference")]

import omd  # noqa: E402
from translate import sources, translate  # noqa: E402

TOP = "masked_sha256_core"
LIMIT = 4.5
CYCLES = 2886
DELAYS = (1, 3)                                           # the longest, of two models
KINDS = {"$_NOT_": 0, "$_AND_": 1, "$_OR_": 2, "$_XOR_": 3, "$_MUX_": 4}

# Name: source, then each text and what stands instead. All compute the right y.
MUTANTS = {
    "a product of two domains without its random bit": ("masked_and", {
        "outer <= ((x(0) and y(1)) xor random, (x(1) and y(0)) xor random);": "outer <= (x(0) and y(1), x(1) and y(0));"}),
    "both products added before the register": ("masked_and", {
        "inner <= (x(0) and y(0), x(1) and y(1));":
            "inner <= ((x(0) and y(0)) xor (x(0) and y(1)) xor random, (x(1) and y(1)) xor (x(1) and y(0)) xor random);",
        "outer <= ((x(0) and y(1)) xor random, (x(1) and y(0)) xor random);": 'outer <= "00";'}),
    "a carry of one product": ("masked_adder", {
        "x => a, y => b, random => random(0), z => g);": "x => a_c, y => b_c, random => random(0), z => g);",
        "port map (clk => clk, rst => rst, step => step, x => p, y => c, random => random(1), z => pc_before);\n":
            "port map (clk => clk, rst => rst, step => step, x => a, y => b, random => random(1), z => pc_before);\n"
            "  a_c <= a xor c;\n  b_c <= b xor c;\n",
        '"00" when is_first = \'1\' else g_before xor pc_before;': '"00" when first = \'1\' else g_before xor g;',
        "signal g, p,": "signal a_c, b_c, g, p,",
        "p <= a xor b;": "p <= a xor b xor c;",
        "g_before <= g;": "g_before <= c;",
        "s <= p xor c;": "s <= p;"}),
}
NO_MASKS = "neither masks nor random bits"


def gates(mutant=None):
    """The module of yosys's JSON."""
    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        files = []
        for path in sources(TOP):
            text = path.read_text()
            if mutant and mutant[0] == path.stem:
                for was, becomes in mutant[1].items():
                    assert text.count(was) == 1, was
                    text = text.replace(was, becomes)
            files.append(directory / path.name)
            files[-1].write_text(text)
        (directory / "design.v").write_text(translate(files, TOP, {}))
        script = ("read_verilog design.v", f"hierarchy -top {TOP}", "proc", "flatten -noscopeinfo", "opt -full", "memory", "techmap", "opt -full",
                  "dfflegalize -cell $_DFF_P_ 01 -cell $_DFFE_PP_ 01", "abc -g AND,OR,XOR,MUX", "clean", "write_json gates.json")
        done = subprocess.run([sys.executable, HERE.parent / "syn" / "wasm.py", "yosys", "-l", "log", "-p", "; ".join(script)],
                              cwd=directory, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr)
        return json.loads((directory / "gates.json").read_text())["modules"][TOP]


def netlist(module, delay, K, h, m):
    """What leakage.cpp reads."""
    def net(bit):
        return bit if isinstance(bit, int) else int(bit == "1")

    flops, made = [], {}                                  # made: kind, inputs
    for name, cell in module["cells"].items():
        pins = {pin: net(bits[0]) for pin, bits in cell["connections"].items()}
        if cell["type"] in ("$_DFF_P_", "$_DFFE_PP_"):
            flops.append((pins["D"], pins.get("E", 1), pins["Q"]))
        else:
            made[pins["Y"]] = KINDS[cell["type"]], pins["A"], pins.get("B", 0), pins.get("S", 0)
    nets = 1 + max(max(made), *(q for _, _, q in flops), *(net(b) for p in module["ports"].values() for b in p["bits"]))

    # A gate whose delay is d is one of delay 1 and d - 1 that only delay, whose nets are not counted.
    r = random.Random(f"delays {delay}")
    elements = []                                         # kind, a, b, s, out, counted
    for out, gate in made.items():
        d = r.randint(1, delay)
        here = out if d == 1 else nets
        elements.append((*gate, here, int(d == 1)))
        for i in range(1, d):
            there = out if i == d - 1 else nets + i
            elements.append((5, nets + i - 1, 0, 0, there, int(i == d - 1)))
        nets += d - 1

    # When each net can change. Registers and inputs do at 0.
    of = {e[4]: e for e in elements}
    times = {}
    for start in of:
        todo = [start]
        while todo:
            inputs = [x for x in of[todo[-1]][1:4] if x in of]
            needs = [x for x in inputs if x not in times]
            if needs:
                todo += needs
                continue
            out = todo.pop()
            changing = [x for x in of[out][1:4] if x > 1]
            times[out] = {t + 1 for x in changing for t in times.get(x, {0})}
    steps = [[] for _ in range(max(map(max, times.values())))]
    for out, when in times.items():
        for t in when:
            steps[t - 1].append(of[out])

    ports = {name: [net(b) for b in port["bits"]] for name, port in module["ports"].items()}

    def shares(name):
        """Of a port of both, the first in the upper half; the lowest bit first."""
        bits = ports[name]
        return bits[len(bits) // 2:], bits[:len(bits) // 2]

    data = [shares(name) for name in ("k", "h", "m")]
    fixed = "".join(f"{int.from_bytes(x, 'big'):0256b}"[::-1] for x in (K, h, m))
    y = shares("y")
    lines = [f"{nets} {CYCLES} {ports['rst'][0]} {ports['random_valid'][0]}", "0",
             f"{len(ports['random'])} " + " ".join(map(str, ports["random"])),
             f"1 {ports['start'][0]} {ports['ready'][0]} {len(fixed)} 1",
             *(" ".join(str(bit) for of_name in data for bit in of_name[i]) for i in (0, 1)), fixed,
             f"{ports['ready'][0]} 256", *(" ".join(map(str, share)) for share in y), str(len(flops)),
             *(" ".join(map(str, f)) for f in flops), str(len(steps))]
    for step in steps:
        lines += [str(len(step)), *(" ".join(map(str, e)) for e in sorted(step))]
    counts = f"{len(flops)} registers, {len(made)} gates, {sum(map(len, steps))} evaluations in {len(steps)} steps"
    return "\n".join(lines) + "\n", counts


def compiled(directory):
    program = directory / "leakage"
    subprocess.run(["g++", "-O2", "-march=native", "-Wall", "-Wno-psabi", "-o", program, HERE / "leakage.cpp"], check=True)
    return program


def test(program, directory, module, delay, traces, masked=True):
    """The largest |t|, its cycle, and the toggles of a cycle on average."""
    r = random.Random("leakage")
    K, h, m = (r.randbytes(32) for _ in range(3))
    text, counts = netlist(module, delay, K, h, m)
    (directory / "netlist").write_text(text)
    done = subprocess.run([program, directory / "netlist", str(traces), "1", "masked" if masked else "unmasked"],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    lines = done.stdout.split("\n")[:-1]
    outs = [line.split()[1] for line in lines if line.startswith("out ")]
    y = int(outs[-1][::-1], 2).to_bytes(32, "big")
    if y != omd.SHA256.compress(h, K + m):
        raise SystemExit(f"the netlist computes {y.hex()}")
    ts = [tuple(map(float, line.split())) for line in lines if not line.startswith("out ")]
    worst = max(range(len(ts)), key=lambda c: abs(ts[c][0]))
    return abs(ts[worst][0]), worst, sum(x[1] for x in ts) / len(ts), counts


def main(traces="100000"):
    failed = []
    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        program = compiled(directory)
        sound = gates()
        for delay in DELAYS:
            t, cycle, toggles, counts = test(program, directory, sound, delay, int(traces))
            print(f"delays to {delay}: {counts}; {toggles:.0f} toggles a cycle; |t| at most {t:.2f}, in cycle {cycle}", flush=True)
            if not t < LIMIT:
                failed.append("it leaks")
        for name, mutant in {NO_MASKS: None, **MUTANTS}.items():
            module = gates(mutant) if mutant else sound
            for few in int(traces) // 20, int(traces) // 2:
                t, cycle, *_ = test(program, directory, module, 1, few, masked=name != NO_MASKS)
                print(f"{name}, {few} traces: |t| at most {t:.2f}, in cycle {cycle}", flush=True)
                if t >= LIMIT:
                    break
            if t < LIMIT:
                failed.append(f"{name} passes")
    if failed:
        raise SystemExit("; ".join(failed))


if __name__ == "__main__":
    main(*sys.argv[1:])
