"""The papers' own figures: each has all of its parts, and what is drawn of them is what the paper says."""

import json
import sys
from pathlib import Path

import pytest

import claims
import kc_xaes_beside
import published

SYN = Path(__file__).parent.parent / "hw" / "syn"
sys.path.insert(0, str(SYN))

import tables  # noqa: E402


def test_every_value_has_a_unit_a_place_and_a_paper():
    assert len(published.VALUES) > 300
    for name, entry in published.VALUES.items():
        assert entry.keys() == {"value", "unit", "where"}, name
        assert isinstance(entry["value"], int | float) and entry["unit"] and entry["where"], name
        assert name.split(".")[0] in published.PAPERS, name
    assert {name.split(".")[0] for name in published.VALUES} == {*published.PAPERS}


@pytest.mark.parametrize("hash, us, mbps", [("sha512", 1.20, 427), ("blake2b", 0.77, 667)])
def test_figures_4_and_5_have_the_papers_lines_by_its_formula(hash, us, mbps):
    lines = {name: (latency[0], rate[0]) for name, _, _, latency, rate, _ in
             tables.lines(json.loads((SYN / "results.json").read_text()))}
    assert tables.SIZES[0] == 64
    name, = (name for name in lines if f"OMD-{hash}, its formula" in name)
    assert (round(lines[name][0], 2), round(lines[name][1])) == (us, mbps)
    name, = (name for name in lines if f"OMD-{hash}, by its calls" in name)
    assert lines[name][0] < us - 0.1


def test_every_row_of_the_papers_tables_has_ours_beside_it():
    rows = [line.split(" | ") for line in kc_xaes_beside.page() if line.startswith("| ") and "|--" not in line]
    assert len(rows) == 3 + 15 * len(kc_xaes_beside.COLUMNS)         # the heads, and for each operation and size all schemes
    judged = sum(row[-1].strip(" |") in claims.VERDICTS for row in rows)
    assert judged == 48                                              # those for which the Xeon has a percentage
