"""What a paper's script of errata is made of: claims with a verdict, each shown by a function that asserts it.

A script has a list ERRATA and calls main(). It prints what every function prints; with --json one object an erratum:

    id       the paper's key and the function's name: unchanged when errata are numbered anew
    paper    a key of papers/published.toml
    where    the section, table or figure that says it
    claim    what it says
    verdict  one of VERDICTS
    detail   what the function printed

A function that fails ends the script with its assertion, and nothing is printed as JSON.
"""

import contextlib
import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass

VERDICTS = ("reproduced", "exceeded", "differs", "refuted", "not reproducible", "not claimed")


@dataclass(frozen=True)
class Erratum:
    show: Callable
    where: str
    claim: str
    verdict: str

    def __post_init__(self):
        if self.verdict not in VERDICTS:
            raise ValueError(f"no verdict: {self.verdict}")


def verdicts(paper, errata):
    """Every erratum, run, as an object."""
    objects = []
    for erratum in errata:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            erratum.show()
        objects.append({"id": f"{paper}/{erratum.show.__name__}", "paper": paper, "where": erratum.where,
                        "claim": erratum.claim, "verdict": erratum.verdict, "detail": printed.getvalue().strip()})
    return objects


def main(paper, errata):
    match sys.argv[1:]:
        case []:
            for erratum in errata:
                erratum.show()
                print()
        case ["--json"]:
            print(json.dumps(verdicts(paper, errata), ensure_ascii=False, indent=2))
        case _:
            sys.exit(f"usage: {sys.argv[0]} [--json]")
