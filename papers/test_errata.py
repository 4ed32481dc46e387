"""Every erratum that a script shows holds, and gives an object that a program can read."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import aegis_errata
import errata
import flex_errata
import kc_xaes_errata
import omd_errata
from published import PAPERS

SCRIPTS = {"aegis": aegis_errata, "kc-xaes": kc_xaes_errata, "flex": flex_errata, "omd": omd_errata}
HERE = Path(__file__).parent


def test_every_paper_has_a_script():
    assert SCRIPTS.keys() == PAPERS.keys()
    assert {f"{script.__name__}.py" for script in SCRIPTS.values()} == {p.name for p in HERE.glob("*_errata.py")} - {
        "test_errata.py"}


@pytest.mark.parametrize("paper, erratum", [
    pytest.param(paper, erratum, id=f"{paper}-{erratum.show.__name__}")
    for paper, script in SCRIPTS.items() for erratum in script.ERRATA])
def test_erratum(paper, erratum):
    verdict, = errata.verdicts(paper, [erratum])
    assert list(verdict) == ["id", "paper", "where", "claim", "verdict", "detail"]
    assert all(isinstance(text, str) and text for text in verdict.values())
    assert verdict["id"] == f"{paper}/{erratum.show.__name__}" and verdict["verdict"] in errata.VERDICTS


def test_a_script_prints_an_object_an_erratum():
    run = subprocess.run([sys.executable, HERE / "aegis_errata.py", "--json"], capture_output=True, check=True)
    assert [v["id"] for v in json.loads(run.stdout)] == [f"aegis/{e.show.__name__}" for e in aegis_errata.ERRATA]
    assert subprocess.run([sys.executable, HERE / "aegis_errata.py", "--what"], capture_output=True).returncode == 1


def test_an_erratum_that_does_not_hold_gives_no_verdict():
    def fails():
        print("before it fails")
        raise AssertionError
    with pytest.raises(AssertionError):
        errata.verdicts("aegis", [errata.Erratum(fails, "nowhere", "nothing", "refuted")])
    with pytest.raises(ValueError):
        errata.Erratum(fails, "nowhere", "nothing", "perhaps")
