"""The Rust table of known answers is the one that the reference computes."""

import re
from pathlib import Path

import selftest

ANSWERS = Path(__file__).resolve().parents[2] / "crates/polyseal/src/selftest/answers.rs"


def test_the_rust_table_is_the_references():
    table = re.findall(r'\("([^"]+)", "([0-9a-f]+)"\)', ANSWERS.read_text())
    assert table == selftest.rows()
