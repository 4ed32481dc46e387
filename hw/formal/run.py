# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Proofs about the link's entities: `scripts/hw hw/formal/run.py [NAME…]`.

Each is a harness in SystemVerilog, NAME.sv, whose assertions are to hold whatever its inputs do. The entity goes through
`ghdl synth` to Verilog, yosys makes a problem of both, and Z3 looks for inputs that break an assertion:
- `steps`: in none of so many steps from the reset on can one be broken. That is all that is said of later steps.
- `induction`: in no state that follows so many in which all held can one be broken, so never.
Then each of its mutants, the entity with a mistake in it, must be broken within its steps; or the proof would prove nothing.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RTL = HERE.parent / "rtl"
sys.path.insert(0, str(HERE.parent / "syn"))

from translate import translate  # noqa: E402

SOLVER = "z3"
PACKAGES = ["omd_pkg", "link/link_pkg"]

# Name: entity, sources, generics, internal signals that the harness sees, steps, induction or None, mutants.
PROOFS = {
    "guard": {
        "top": "axis_guard", "sources": ["link/axis_guard"], "generics": {"G_BYTES": 2, "G_MIN": 3, "G_MAX": 7},
        "steps": 20, "induction": 6,
        "mutants": [
            ("link/axis_guard", "total > G_MAX;", "total > G_MAX + 1;"),
            ("link/axis_guard", "has_error = '1' or s_tuser = '1'", "has_error = '1'"),
            ("link/axis_guard", "if s_tkeep(i) = '1' then", "if s_tkeep(0) = '1' then"),
            ("link/axis_guard", "            has_hole <= '0';\n", ""),
        ],
    },
    "nonce": {
        "top": "nonce_gen", "sources": ["link/nonce_gen"], "generics": {},
        "steps": 12, "induction": 4,
        "mutants": [
            ("link/nonce_gen", "was_enabled = '1' and compared = '1' and is_last = '0' then", "was_enabled = '1' and is_last = '0' and next_one(1) = '0' then"),
            ("link/nonce_gen", "valid <= enabled and was_enabled and", "valid <= was_enabled and"),
        ],
    },
    "fifo": {
        "top": "packet_fifo", "sources": ["link/packet_fifo"],
        "generics": {"G_BITS": 2, "G_INFO": 1, "G_BEATS": 4, "G_PACKETS": 2},
        "seen": ["write_packet_gray", "read_packet_gray", "read_gray"],
        "steps": 36, "induction": None,
        "mutants": [
            ("link/packet_fifo", "has_room <= '1' when write - freed /= G_BEATS else '0';", "has_room <= '1';"),
            ("link/packet_fifo", "            write <= start;\n            overflow", "            overflow"),
            ("link/packet_fifo", "read_gray <= gray_of(read);", "read_gray <= slv(read);"),
            ("link/packet_fifo", "        if left = 1 then", "        if left = 2 then"),
        ],
    },
}


def tool(directory, name, *arguments):
    return subprocess.run([str(Path(sys.executable).with_name(f"yowasp-{name}")), *map(str, arguments)], text=True,
                          cwd=directory, capture_output=True)


def expose(verilog, top, names):
    """The top module, with internal signals as outputs f_NAME."""
    at = verilog.index(f"module {top}\n") if f"module {top}\n" in verilog else verilog.index(f"module {top} ")
    head, text = verilog[:at], verilog[at:]
    for name in names:
        width = re.search(rf"^ *(?:wire|reg) (\[[^]]*\])? *{name};", text, re.M)
        if not width:
            raise SystemExit(f"{top} has no signal {name}")
        close = text.index(");")
        text = text[:close] + f",\n  output {width[1] or ''} f_{name}" + text[close:]
        end = text.index("endmodule")
        text = text[:end] + f"  assign f_{name} = {name};\n" + text[end:]
    return head + text


def check(name, proof, mutation=None):
    """The modes that hold, of `steps` and `induction`."""
    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        files = []
        for source in [*PACKAGES, *proof["sources"]]:
            text = (RTL / f"{source}.vhd").read_text()
            if mutation and mutation[0] == source:
                if text.count(mutation[1]) != 1:
                    raise SystemExit(f"{source} has {text.count(mutation[1])} times: {mutation[1]}")
                text = text.replace(mutation[1], mutation[2])
            files.append(directory / f"{source.split('/')[-1]}.vhd")
            files[-1].write_text(text)
        verilog = translate(files, proof["top"], proof["generics"])
        (directory / "harness.sv").write_text((HERE / f"{name}.sv").read_text())
        (directory / "dut.v").write_text(expose(verilog, proof["top"], proof.get("seen", [])))
        done = tool(directory, "yosys", "-q", "-p", "; ".join((
            "read_verilog dut.v", "read_verilog -formal -sv harness.sv", "hierarchy -check -top harness",
            "proc", "flatten", "memory -nomap", "opt_clean", "clk2fflogic", "memory_map -formal", "opt -fast",
            "chformal -lower", "formalff -clk2ff -ff2anyinit", "opt_clean", "dffunmap",
            "write_smt2 -wires problem.smt2")))
        if done.returncode:
            raise SystemExit(f"{name}: {done.stdout}{done.stderr}")
        hold = []
        for mode, arguments in (("steps", ["-t", proof["steps"]]), ("induction", ["-i", "-t", proof["induction"]])):
            if proof[mode] is None or (mutation and mode == "induction"):
                continue
            ran = tool(directory, "yosys-smtbmc", "-s", SOLVER, *arguments, "problem.smt2")
            answer = ran.stdout
            if "Status: PASSED" in answer or "Status: passed" in answer:
                hold.append(mode)
            elif not re.search(r"Status: (FAILED|failed)", answer):
                raise SystemExit(f"{name}: {answer[-3000:]}{ran.stderr[-3000:]}")
            elif not mutation:
                print(answer[-3000:])
        return hold


def main(names):
    unknown = set(names) - set(PROOFS)
    if unknown:
        raise SystemExit(__doc__)
    for name, proof in PROOFS.items():
        if names and name not in names:
            continue
        wanted = [mode for mode in ("steps", "induction") if proof[mode] is not None]
        if check(name, proof) != wanted:
            raise SystemExit(f"{name}: an assertion can be broken")
        print(f"{name}: " + ", ".join(f"{mode} {proof[mode]}" for mode in wanted), flush=True)
        for mutation in proof["mutants"]:
            if check(name, proof, mutation):
                raise SystemExit(f"{name} with {mutation[2]!r} in {mutation[0]}: nobody notices")
        print(f"{name}: {len(proof['mutants'])} mutants are noticed", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
