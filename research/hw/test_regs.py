# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The table of registers: what is written of it is what it says, and a table that contradicts itself is refused."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import regs  # noqa: E402

GOOD = """
span = 64
[[register]]
name = "one"
offset = 0
access = "rw"
text = "one"
fields = [{ name = "low", bits = "3:0", text = "low" }, { name = "high", bits = "31", text = "high" }]
[[register]]
name = "two"
offset = 8
access = "ro"
bits = 64
text = "two"
[counters]
offset = 16
names = [{ name = "three", text = "three" }, { name = "four", text = "four" }]
"""


def test_what_is_written_is_as_the_table_says():
    regs.main(["--check"])


def test_a_table():
    table = regs.read(GOOD)
    assert [list(r.words) for r in table.registers] == [[0], [8, 12]]
    assert "constant ONE_HIGH : natural := 31;" in "\n".join(regs.vhdl(table))
    assert "pub const ONE_LOW: u32 = 0x0000_000f;" in regs.rust(table)
    assert "ONE_HIGH = 0x80000000" in regs.python(table)
    assert "| 018 | `four` | four |" in regs.markdown(table)


@pytest.mark.parametrize("old, new", [
    ("offset = 8", "offset = 0"), ("offset = 8", "offset = 4"), ("offset = 8", "offset = 56\nbytes = 12"), ("offset = 16", "offset = 12"),
    ('name = "two"', 'name = "one"'), ('"ro"', '"no"'), ('bits = "31"', 'bits = "3"'), ('bits = "31"', 'bits = "32"'),
    ('bits = "3:0"', 'bits = "0:3"'), ("offset = 8", "offset = 10"), ('"four"', '"three"'), ('text = "two"', 'text = "two"\nsize = 4'),
])
def test_what_contradicts_itself_is_refused(old, new):
    assert old in GOOD
    with pytest.raises(regs.TableError):
        regs.read(GOOD.replace(old, new, 1))
