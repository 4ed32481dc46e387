"""Writes what research/hw/regs.toml says in every language that reads it: `python3 research/hw/regs.py`; `--check` only compares.

VHDL: research/hw/rtl/link/omd_link_regs.vhd. Rust: research/hw/driver/rust/src/registers.rs. Python:
research/hw/driver/omd_link_driver/registers.py. Text: research/hw/docs/registers.md. The table is checked first: registers that overlap, lie out of
the span or across a boundary, and bits that overlap are errors.
"""

import sys
import textwrap
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ACCESS = ("ro", "rw", "wo", "cmd", "w1c")
NOTICE = "Written by research/hw/regs.py from research/hw/regs.toml."


class TableError(Exception):
    """The table contradicts itself."""


@dataclass
class Field:
    name: str
    low: int
    high: int
    text: str


@dataclass
class Register:
    name: str
    offset: int
    access: str
    text: str
    size: int                                             # in bytes
    number: bool                                          # a number, not a string of bytes
    guarded: bool
    fields: list

    @property
    def words(self):
        return range(self.offset, self.offset + self.size, 4)


@dataclass
class Table:
    span: int
    registers: list
    counters: list                                        # (name, text)
    counters_at: int


def field(text):
    bits = [int(b) for b in text["bits"].split(":")]
    return Field(text["name"], bits[-1], bits[0], text["text"])


def read(text):
    """The table, or TableError."""
    data = tomllib.loads(text)
    registers = []
    for r in data["register"]:
        unknown = set(r) - {"name", "offset", "access", "text", "bytes", "bits", "fields", "guarded"}
        if unknown:
            raise TableError(f"{r['name']}: unknown {', '.join(sorted(unknown))}")
        size = r.get("bytes", r.get("bits", 32) // 8)
        registers.append(Register(r["name"], r["offset"], r["access"], r["text"], size, "bytes" not in r,
                                  r.get("guarded", False), [field(f) for f in r.get("fields", [])]))
    counters = [(c["name"], c["text"]) for c in data["counters"]["names"]]
    table = Table(data["span"], registers, counters, data["counters"]["offset"])
    check(table)
    return table


def check(table):
    taken = {}

    def take(name, offset, size, step):
        if offset % step or size < 1 or offset < 0 or offset + size > table.span:
            raise TableError(f"{name}: {size} bytes at {offset:#x}")
        for address in range(offset, offset + -(-size // 4) * 4):
            if address in taken:
                raise TableError(f"{name} and {taken[address]} overlap at {address:#x}")
            taken[address] = name

    names = [r.name for r in table.registers]
    for which in (names, [name for name, _ in table.counters]):
        twice = {name for name in which if which.count(name) > 1}
        if twice:
            raise TableError(f"twice: {', '.join(sorted(twice))}")
    for r in table.registers:
        if r.access not in ACCESS:
            raise TableError(f"{r.name}: access {r.access}")
        take(r.name, r.offset, r.size, 8 if r.number and r.size == 8 else 4)
        bits = set()
        for f in r.fields:
            its = set(range(f.low, f.high + 1))
            if not its or its & bits or not its <= set(range(32)):
                raise TableError(f"{r.name}.{f.name}: bits {f.high}:{f.low}")
            bits |= its
    take("the counters", table.counters_at, 8 * len(table.counters), 8)


def vhdl(table):
    lines = [
        "-- SPDX-License-Identifier: Apache-2.0 OR MIT",
        f"-- The registers of omd_link: addresses, bits and counters. {NOTICE}",
        "",
        "library ieee;",
        "use ieee.std_logic_1164.all;",
        "",
        "package omd_link_regs is",
        f"  constant ADDRESS_BITS : positive := {(table.span - 1).bit_length()};",
        "",
    ]
    for r in table.registers:
        lines.append(f"  constant AT_{r.name.upper()} : natural := 16#{r.offset:03X}#;")
        if r.size > 4:
            lines.append(f"  constant BYTES_OF_{r.name.upper()} : positive := {r.size};")
        for f in r.fields:
            name = f"{r.name}_{f.name}".upper()
            if f.low == f.high:
                lines.append(f"  constant {name} : natural := {f.low};")
            else:
                lines.append(f"  constant {name}_HIGH : natural := {f.high};")
                lines.append(f"  constant {name}_LOW : natural := {f.low};")
    lines += [
        "",
        f"  constant AT_COUNTERS : natural := 16#{table.counters_at:03X}#;",
        f"  constant COUNTERS : positive := {len(table.counters)};",
    ]
    lines += [f"  constant COUNT_{name.upper()} : natural := {i};" for i, (name, _) in enumerate(table.counters)]
    lines += [
        "",
        "  -- Of each counter 8 bits in Gray code, in the clock domain of what it counts.",
        "  subtype event_count_t is std_logic_vector(7 downto 0);",
        "  type event_counts is array (natural range <>) of event_count_t;",
        "end package;",
    ]
    return lines


def constants(table):
    """(name, value, whether it is an offset, text) of all that the drivers need."""
    for r in table.registers:
        yield r.name.upper(), r.offset, True, f"`{r.name}`: {r.text}"
        for f in r.fields:
            mask = ((1 << f.high + 1) - 1) ^ ((1 << f.low) - 1)
            yield f"{r.name}_{f.name}".upper(), mask, False, f"`{r.name}.{f.name}`: {f.text}"
    yield "COUNTERS", table.counters_at, True, "the first counter; each is 64 bits"


def comment(text, indent=""):
    return textwrap.wrap(text + ".", 100, initial_indent=indent + "/// ", subsequent_indent=indent + "/// ")


def rust(table):
    lines = [f"//! Offsets and bits of the registers. {NOTICE}", ""]
    for name, value, offset, text in constants(table):
        lines += comment(text)
        if offset:
            lines.append(f"pub const {name}: u16 = {value:#05x};")
        else:
            lines.append(f"pub const {name}: u32 = {value >> 16:#06x}_{value & 0xFFFF:04x};")
    lines += [
        "",
        "/// The counters, in the order of their offsets.",
        "#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]",
        "#[non_exhaustive]",
        "pub enum Counter {",
    ]
    camel = ["".join(part.capitalize() for part in name.split("_")) for name, _ in table.counters]
    for name, (_, text) in zip(camel, table.counters):
        lines += [*comment(text[0].upper() + text[1:], "    "), f"    {name},"]
    lines += [
        "}",
        "",
        "impl Counter {",
        "    /// All of them, in the order of their offsets.",
        f"    pub const ALL: [Self; {len(camel)}] = [",
        *(f"        Self::{name}," for name in camel),
        "    ];",
        "",
        "    /// The name that the table of registers has.",
        "    #[must_use]",
        "    pub const fn name(self) -> &'static str {",
        "        match self {",
        *(f'            Self::{c} => "{name}",' for c, (name, _) in zip(camel, table.counters)),
        "        }",
        "    }",
        "}",
    ]
    return lines


def python(table):
    lines = ["# SPDX-License-Identifier: Apache-2.0 OR MIT", f'"""Offsets and bits of the registers. {NOTICE}"""', ""]
    lines += [f"{name} = {value:#05x}" for name, value, _, _ in constants(table)]
    lines.append("COUNTER_NAMES = (")
    lines += [f'    "{name}",' for name, _ in table.counters] + [")"]
    return lines


def markdown(table):
    lines = [
        "# Registers of omd_link",
        "",
        f"{NOTICE}",
        "",
        "- AXI4-Lite, 32 bits to the word, offsets in bytes. Byte i of a string is at its offset + i.",
        "- Numbers are little-endian. Reading the lower word of 64 bits keeps the upper one for the next read.",
        "- Refused (SLVERR), without effect: an address without a register; a write of less than a word, to what is read-only, or to what",
        "  is *guarded* during a session; what has a condition that does not hold.",
        "- Strings are written in order; the last word completes them. What is write-only reads as 0.",
        "",
        "| offset | name | bytes | access | |",
        "|---|---|--:|---|---|",
    ]
    for r in table.registers:
        access = r.access + (", guarded" if r.guarded else "")
        lines.append(f"| {r.offset:03X} | `{r.name}` | {r.size} | {access} | {r.text} |")
    lines.append(f"| {table.counters_at:03X} | the counters | {8 * len(table.counters)} | ro | below |")
    lines += ["", "| bits of a register | | |", "|---|--:|---|"]
    for r in table.registers:
        for f in r.fields:
            bits = f"{f.low}" if f.low == f.high else f"{f.high}:{f.low}"
            lines.append(f"| `{r.name}.{f.name}` | {bits} | {f.text} |")
    lines += ["", "Counters, 64 bits each, from 0 at reset; `stop` and `zeroise` leave them. Frames are dropped by the reasons with",
              "`plain_`, packets by those of packet-format.md, section 5, and nothing else:", "", "| offset | name | |", "|---|---|---|"]
    for i, (name, text) in enumerate(table.counters):
        dropped, _, reason = text.rpartition("dropped: ")
        lines.append(f"| {table.counters_at + 8 * i:03X} | `{name}` | {'' if dropped == 'packets ' else reason} |")
    return lines


OUTPUTS = {
    ROOT / "research" / "hw" / "rtl" / "link" / "omd_link_regs.vhd": vhdl,
    ROOT / "research" / "hw" / "driver" / "rust" / "src" / "registers.rs": rust,
    ROOT / "research" / "hw" / "driver" / "omd_link_driver" / "registers.py": python,
    ROOT / "research" / "hw" / "docs" / "registers.md": markdown,
}


def main(arguments):
    if arguments not in ([], ["--check"]):
        raise SystemExit(__doc__)
    table = read((HERE / "regs.toml").read_text())
    stale = []
    for path, write in OUTPUTS.items():
        text = "\n".join(write(table)) + "\n"
        if path.is_file() and path.read_text() == text:
            continue
        stale.append(str(path.relative_to(ROOT)))
        if not arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if arguments and stale:
        raise SystemExit("not as research/hw/regs.toml says (run research/hw/regs.py): " + ", ".join(stale))


if __name__ == "__main__":
    main(sys.argv[1:])
