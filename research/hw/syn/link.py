# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Area and clocks of omd_link: `scripts/python --in research research/hw/syn/link.py [DESIGN…]`; without a name, those of DESIGNS.

GHDL and yosys map it to UltraScale+ (area, by entity) and to ECP5, where nextpnr places and routes it (the three clocks),
in a wrapper with a register at each port, a bit in and a bit out per cycle of each clock. Written to link-results.json.
--area: without the clocks.
"""

import json
import re
import shutil
import subprocess
import sys

from run import BUILD, HERE, READ, tool, yosys
from translate import sources, translate
from wrapper import ports_of

RESULTS = HERE / "link-results.json"
ECP5 = ("--85k", "--speed", 8, "--package", "CABGA756")
# Not router2, which does not end: it puts up with wires that are taken twice, and of these thousands were left.
PLACEMENT = ("--placer", "heap", "--router", "router1")
TARGET_MHZ = 60
SEED = 1
ROUTING_MINUTES = 60
TO_GATES = "synth_ecp5 -top wrapper -run :map_luts"
TO_LUTS = ("synth_ecp5 -top wrapper -run map_luts:", "clean")

# Generics; whether it is placed and routed.
DESIGNS = {
    "sha256": ({"G_HASH": "sha256"}, True),
    "blake2b": ({"G_HASH": "blake2b"}, False),
    "blake2b-half": ({"G_HASH": "blake2b", "G_HALF_ROUND": True}, False),
}
CLOCKS = {"ptxt": "clk_ptxt", "ctxt": "clk_ctxt"}


def clock_of(port):
    return next((clock for part, clock in CLOCKS.items() if f"_{part}_" in port), "clk_core")


def wrapper(verilog):
    """`wrapper` round omd_link: for each clock a register at every port, a bit in and a bit out."""
    text, ports, wires = [], ["input aresetn"], []
    signals = [p for p in ports_of(verilog, "omd_link") if not p[1].startswith("clk_") and not p[1].endswith("aresetn")]
    for clock in ("clk_ptxt", "clk_core", "clk_ctxt"):
        mine = [p for p in signals if clock_of(p[1]) == clock]
        width = {way: sum(w for d, _, w in mine if d == way) for way in ("input", "output")}
        ports += [f"input {clock}", f"input si_{clock}", f"input load_{clock}", f"output so_{clock}"]
        text.append(f"""  reg [{width["input"] - 1}:0] in_{clock};
  wire [{width["output"] - 1}:0] out_{clock};
  reg [{width["output"] - 1}:0] kept_{clock};
  assign so_{clock} = kept_{clock}[0];
  always @(posedge {clock}) begin
    in_{clock} <= {{in_{clock}, si_{clock}}};
    kept_{clock} <= load_{clock} ? out_{clock} : kept_{clock} >> 1;
  end""")
        at = {"input": 0, "output": 0}
        for way, name, w in mine:
            wires.append(f".{name}({'in' if way == 'input' else 'out'}_{clock}[{at[way] + w - 1}:{at[way]}])")
            at[way] += w
        wires.append(f".{clock}({clock})")
    wires += [f".{side}_aresetn(aresetn)" for side in ("ptxt", "core", "ctxt")]
    return "module wrapper (" + ", ".join(ports) + ");\n" + "\n".join(text) + f"\n  omd_link link ({', '.join(wires)});\nendmodule\n"


def area_ultrascale(directory):
    """Cells of UltraScale+ of the whole, mapped flat, and of each entity with what is in it, mapped by itself."""
    kinds = {"lut": "LUT[1-6]|INV", "lutram": "RAM(32|64|128|256|512).*|SRL.*", "ff": "FD.E", "bram": "RAMB.*|URAM.*"}

    def mapped(name, *options):
        if not (directory / f"{name}.json").exists():
            yosys(directory, f"{name}.log", "read_verilog design.v", "hierarchy -top omd_link", *READ,
                  f"synth_xilinx -family xcup {' '.join(options)} -noiopad -noclkbuf -top omd_link", f"write_json {name}.part")
            (directory / f"{name}.part").rename(directory / f"{name}.json")
        return json.loads((directory / f"{name}.json").read_text())["modules"]

    def count(modules, name):
        total = dict.fromkeys(kinds, 0)
        for cell in modules[name]["cells"].values():
            kind = next((k for k, pattern in kinds.items() if re.fullmatch(pattern, cell["type"])), None)
            if kind:
                total[kind] += 1
            elif cell["type"] in modules and modules[cell["type"]]["cells"] and "blackbox" not in modules[cell["type"]]["attributes"]:
                for key, number in count(modules, cell["type"]).items():
                    total[key] += number
        return total

    parts = {"all": count(mapped("flat", "-flatten"), "omd_link")}
    modules = mapped("parts")
    for top in ("omd_link", next(c["type"] for n, c in modules["omd_link"]["cells"].items() if n == "path")):
        for name, cell in modules[top]["cells"].items():
            if name != "path" and cell["type"] in modules and re.fullmatch("[a-z]\\w*", name):
                area = count(modules, cell["type"])
                if any(area.values()):
                    parts[name] = area
    return parts


def clocks_ecp5(directory):
    """The cells used, and the three clocks in MHz as estimated before routing; and as routed, or None if not in time."""
    if not (directory / "ecp5.json").exists():
        (directory / "wrapper.v").write_text(wrapper((directory / "design.v").read_text()))
        yosys(directory, "gates.log", "read_verilog design.v wrapper.v", "hierarchy -top wrapper", *READ, TO_GATES,
              "select -module wrapper", "write_json -selected gates.json")
        yosys(directory, "ecp5.log", "read_verilog -lib -specify +/lattice/cells_sim_ecp5.v +/lattice/cells_bb_ecp5.v",
              "read_json gates.json", *TO_LUTS, "stat", "select -module wrapper", "write_json -selected ecp5.part")
        (directory / "ecp5.part").rename(directory / "ecp5.json")

    def nextpnr(step, *arguments, minutes=None):
        """`step`.json, unless it is there."""
        if not (directory / f"{step}.json").exists():
            tool("nextpnr", directory, *ECP5, "--lpf-allow-unconstrained", "--timing-allow-fail", "--log", f"{step}.log", "--quiet",
                 *arguments, minutes=minutes)
            (directory / f"{step}.part").rename(directory / f"{step}.json")

    # placed.json has the placer's options in it, and the router's.
    nextpnr("placed", "--json", "ecp5.json", "--freq", TARGET_MHZ, "--seed", SEED, *PLACEMENT, "--no-route", "--write", "placed.part")
    if not (directory / "given-up").exists():
        try:
            nextpnr("routed", "--json", "placed.json", "--no-pack", "--no-place", "--report", "routed.part", minutes=ROUTING_MINUTES)
        except subprocess.TimeoutExpired:
            (directory / "given-up").touch()
    log = (directory / "placed.log").read_text()
    routed = json.loads((directory / "routed.json").read_text())["fmax"] if (directory / "routed.json").exists() else None
    result = {name.lower(): int(re.search(rf"{name}: +(\d+)/", log)[1]) for name in ("TRELLIS_COMB", "TRELLIS_FF", "DP16KD")}
    for clock in ("clk_ptxt", "clk_core", "clk_ctxt"):
        placed = float(re.search(rf"Max frequency for clock '[^']*{clock}[^']*': ([\d.]+) MHz", log)[1])
        result[clock] = {"placed_mhz": placed, "routed_mhz": routed and round(routed[f"$glbnet${clock}$TRELLIS_IO_IN"]["achieved"], 2)}
    return result


def main():
    options = {a for a in sys.argv[1:] if a.startswith("--")}
    for name in [a for a in sys.argv[1:] if a not in options] or DESIGNS:
        generics, routed = DESIGNS[name]
        directory = BUILD / f"link-{name}"
        design = translate(sources("omd_link"), "omd_link", generics)
        if not (directory / "design.v").exists() or (directory / "design.v").read_text() != design:
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir(parents=True)
            (directory / "design.v").write_text(design)
            for file in ("sums.v", "muxes.v"):
                shutil.copy(HERE / file, directory)
        result = {"ultrascale": area_ultrascale(directory)}
        print(f"{name}: {result['ultrascale']['all']}", flush=True)
        if routed and "--area" not in options:
            result["ecp5"] = clocks_ecp5(directory)
            print(f"{name}: {result['ecp5']}", flush=True)
        results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        results[name] = result
        RESULTS.write_text(json.dumps({k: results[k] for k in DESIGNS if k in results}, indent=2) + "\n")


if __name__ == "__main__":
    main()
