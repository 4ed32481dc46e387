"""The parts of a paper's script of errata: functions that each show something and assert it.

What a function shows, and the verdict, stand in NAME/claims.toml, where `show` is the function's name. A script calls
main(). It prints what every function prints, in the order of the claims; with --json one object for each claim that a
function shows:

    id       the paper's key and the claim's
    paper    a key of research/papers/published.toml
    where    the section, table or figure that says it
    claim    what it says
    verdict  a word of research/papers/verdicts.toml
    show     the function
    detail   what the function printed

Where `polyseal limits` has the same figure, limits.json says with which arguments (messages and keys as powers of two). A
function calls as_limits(), and a test of the tool's reads the same file.

A function that fails ends the script with its assertion, and nothing is printed as JSON.
"""

import contextlib
import io
import json
import sys
from pathlib import Path

import claims

LIMITS = {row["name"]: row for row in json.loads((Path(__file__).parent / "limits.json").read_text())}


def shown(paper):
    """The paper's claims that a function shows."""
    return [claim for claim in claims.CLAIMS[paper] if claim.show]


def functions(of, script):
    """Each function that shows one of the claims, once: {name: function}."""
    return {claim.show: script[claim.show] for claim in of}


def as_limits(name, log2):
    """The figure is the one that the tool is held to."""
    assert abs(LIMITS[name]["log2"] - log2) < 1e-6, (name, log2)


def run(function):
    """The output of a function."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        function()
    return printed.getvalue().strip()


def verdicts(of, script):
    """Every claim as an object, its function run."""
    printed = {name: run(function) for name, function in functions(of, script).items()}
    return [{"id": claim.name, "paper": claim.paper, "where": claim.where, "claim": claims.plain(claim.claim),
             "verdict": claim.judged(), "show": claim.show, "detail": printed[claim.show]} for claim in of]


def main(paper, script):
    match sys.argv[1:]:
        case []:
            for function in functions(shown(paper), script).values():
                function()
                print()
        case ["--json"]:
            print(json.dumps(verdicts(shown(paper), script), ensure_ascii=False, indent=2))
        case _:
            sys.exit(f"usage: {sys.argv[0]} [--json]")
