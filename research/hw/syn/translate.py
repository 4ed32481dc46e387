# SPDX-License-Identifier: Apache-2.0 OR MIT
"""VHDL to Verilog by GHDL 2.0, with what its writer gets wrong made right: `translate` has the list."""

import re
import subprocess
import tempfile
from pathlib import Path


RTL = Path(__file__).resolve().parents[1] / "rtl"


def ghdl(*arguments):
    done = subprocess.run(["ghdl", *map(str, arguments)], text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def sources(top):
    """The files of an entity, each after those that it uses."""
    files = {path.stem: path for path in RTL.rglob("*.vhd")}
    uses = {stem: set(re.findall(r"work\.(\w+)", path.read_text())) & set(files) for stem, path in files.items()}
    done = []

    def take(stem):
        if stem not in done:
            done.append(stem)
            for used in sorted(uses[stem] - {stem}):
                take(used)
            done.remove(stem)
            done.append(stem)

    take(top)
    return [files[stem] for stem in done]


def translate(sources, top, generics):
    """Verilog of `top`.

    Repairs, each of which the simulation of the netlist guards:
    - a `case` has lost its default, which is a latch: its last choice becomes the default. That is right if the lost
      default is undefined, which the other output of GHDL says;
    - constants of many bits are written as strings of digits;
    - what is no register has an initial value, too.
    Comments, which say where the sources lie, go; and nets that GHDL has numbered are numbered in the order of the text, so
    that the same design is the same text.
    """
    with tempfile.TemporaryDirectory() as directory:
        options = ["--std=08", f"--workdir={directory}"]
        ghdl("-a", *options, *sources)
        choice = [*options, *(f"-g{name}={str(value).lower()}" for name, value in generics.items()), top]
        raw = ghdl("synth", "--out=raw", *choice)
        text = ghdl("synth", "--out=verilog", *choice)

    defined = re.findall(r"\.\$def\S*: (?!.*\$const_X).*", raw)
    if defined:
        raise SystemExit(f"{top}: a case has a default that is not undefined: {defined[0]}")
    text = re.sub(r'"([01]+)"', lambda digits: f"{len(digits[1])}'b{digits[1]}", text)
    text = re.sub(r"^( *)\S+:([^\n]*\n *endcase)", r"\1default:\2", text, flags=re.M)
    text = re.sub(r" */\*.*?\*/", "", text)
    combinational = set(re.findall(r"always @\*\n *(\w+) = ", text))
    text = re.sub(r" *initial\n *(\w+) <= [^\n]*\n", lambda m: "" if m[1] in combinational else m[0], text)
    numbers = {}
    return re.sub(r"\bn\d+_", lambda net: f"n{numbers.setdefault(net[0], len(numbers))}_", text)
