"""Writes the report on the papers: one HTML page that needs nothing else, and the same as JSON.

    PYTHONPATH=research/papers python3 -m report MEASURED DIRECTORY

MEASURED is what `polyseal-bench papers --report` wrote; `research/papers/run` does both. The papers' own figures are in
published.toml, what takes hours to measure in stored.toml and research/hw/syn/results.json, and the errata run now.
"""

import argparse
import datetime
import json
import subprocess
import sys
import tomllib
from pathlib import Path

PAPERS = Path(__file__).resolve().parents[1]
ROOT = PAPERS.parents[1]
sys.path.insert(0, str(ROOT / "research" / "reference"))

import claims  # noqa: E402
import published  # noqa: E402
from report import aegis, flex, kc_xaes, measured, och, omd  # noqa: E402
from report.page import Report  # noqa: E402

NAMES = {"aegis": "AEGIS-X", "kc-xaes": "KC-XAES", "flex": "Flex", "omd": "OMD", "och": "OCH"}
INTRODUCTION = [
    "Polyseal implements what five papers propose. This page holds each of their tables, figures, numbers and "
    "recommendations against what our programs do, with a verdict.",
    "Values marked \"measured\" were measured on this machine when this page was made, those marked \"computed\" follow from a "
    "formula or a model that ran then, and those marked \"stored\" were measured before, because they take hours. "
    "Figures of the papers are from other machines: compare ratios rather than times.",
    "Verdicts. " + " ".join(f"{word.capitalize()}: {meaning}" for word, meaning in claims.VERDICTS.items())
    + " The margins are ours: a claim in words (\"almost twice\", \"marginal\") has no other.",
]


def facts(runs):
    if not runs:
        return {}
    machine = runs[0]["machine"]
    return {"machine": f"{machine['cpu']}, {machine['gigahertz']:.2f} GHz measured",
            "back ends": ", ".join(run["backend"] for run in runs) + "; a back end is one set of instructions of the CPU",
            "method": f"{runs[0]['rounds']} interleaved rounds of {runs[0]['slice_milliseconds']} ms, medians; core "
                      + {"alone": "of one's own", "shared": "beside another thread"}[runs[0]["core"]],
            "libraries": "; ".join(runs[0]["peers"]) or "none in this build",
            "absent": "; ".join(runs[0]["absent"]) or "nothing",
            "made": datetime.datetime.now(datetime.UTC).strftime("%d %B %Y, %H:%M UTC") + ", research/papers/run"}


def errata(paper):
    """The verdicts of the paper's script, if it has one that gives them."""
    script = PAPERS / f"{paper.replace('-', '_')}_errata.py"
    if not script.exists():
        return []
    run = subprocess.run([ROOT / "scripts" / "python", script, "--json"], capture_output=True, text=True, check=True)
    try:
        return json.loads(run.stdout)
    except json.JSONDecodeError:
        return []


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("measured", type=Path)
    arguments.add_argument("directory", type=Path)
    arguments = arguments.parse_args()
    contests = measured.read(arguments.measured)
    stored = tomllib.loads((Path(__file__).parent / "stored.toml").read_text())
    report = Report("Five papers, reproduced", {"introduction": INTRODUCTION, "facts": facts(contests.runs)})
    for key, add in (("aegis", aegis.add), ("kc-xaes", kc_xaes.add), ("flex", flex.add), ("omd", omd.add), ("och", och.add)):
        paper = published.PAPERS[key]
        report.paper(key, NAMES[key], paper["title"], paper["source"])
        add(report, contests, stored)
        report.errata(errata(key))
    arguments.directory.mkdir(parents=True, exist_ok=True)
    (arguments.directory / "report.json").write_text(report.json())
    (arguments.directory / "report.html").write_text(report.html())
    print(arguments.directory / "report.html")


main()
