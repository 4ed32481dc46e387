"""Every claim that a script shows holds, and gives an object that a program can read."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import aegis_errata
import claims
import errata
import flex_errata
import kc_xaes_errata
import och_errata
import omd_errata
from published import PAPERS

SCRIPTS = {"aegis": aegis_errata, "kc-xaes": kc_xaes_errata, "flex": flex_errata, "omd": omd_errata,
           "och": och_errata}
HERE = Path(__file__).parent


def test_every_paper_has_a_script():
    assert SCRIPTS.keys() == PAPERS.keys()
    assert {f"{script.__name__}.py" for script in SCRIPTS.values()} == {p.name for p in HERE.glob("*_errata.py")} - {
        "test_errata.py"}


@pytest.mark.parametrize("paper", SCRIPTS)
def test_what_prints_shows_a_claim(paper):
    functions = {name for name, function in vars(SCRIPTS[paper]).items() if inspect.isfunction(function)
                 and function.__module__ == SCRIPTS[paper].__name__ and "print(" in inspect.getsource(function)}
    assert functions == {claim.show for claim in errata.shown(paper)}


@pytest.mark.parametrize("paper, name", [
    pytest.param(paper, name, id=f"{paper}-{name}")
    for paper, script in SCRIPTS.items() for name in errata.functions(errata.shown(paper), vars(script))])
def test_shown(paper, name):
    of = [claim for claim in errata.shown(paper) if claim.show == name]
    for claim, verdict in zip(of, errata.verdicts(of, vars(SCRIPTS[paper])), strict=True):
        assert list(verdict) == ["id", "paper", "where", "claim", "verdict", "show", "detail"]
        assert all(isinstance(text, str) and text for text in verdict.values())
        assert verdict["id"] == f"{paper}/{claim.id}" and verdict["verdict"] == claim.judged()


def test_a_script_prints_an_object_a_claim():
    run = subprocess.run([sys.executable, HERE / "aegis_errata.py", "--json"], capture_output=True, check=True)
    assert [v["id"] for v in json.loads(run.stdout)] == [claim.name for claim in errata.shown("aegis")]
    assert subprocess.run([sys.executable, HERE / "aegis_errata.py", "--what"], capture_output=True).returncode == 1


def test_what_does_not_hold_gives_no_verdict():
    def fails():
        print("before it fails")
        raise AssertionError
    claim, = claims.read("aegis", '[a]\nwhere = "nowhere"\nclaim = "nothing"\nverdict = "refuted"\nshow = "fails"')
    with pytest.raises(AssertionError):
        errata.verdicts([claim], {"fails": fails})


def test_every_figure_that_the_tool_is_held_to_is_shown():
    used = {name for script in SCRIPTS.values() for name in re.findall(r'as_limits\(f?"([^"]+)"', inspect.getsource(script))}
    assert {name.replace("{q}", "48") for name in used} | {"flex.gcm.q32"} == errata.LIMITS.keys()
