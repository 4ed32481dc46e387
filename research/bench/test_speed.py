"""The figures of the tool beside others on pages are those of the stored run."""

import re

import pytest

import speed

PROGRAMS = ["polyseal, 1 thread", "polyseal, 2 threads", "polyseal, 2 threads, passphrase", "copy", "age", "rage",
            "openssl aes-256-ctr (unauthenticated)"]
ROW = re.compile(r"^\| (encrypt|decrypt)(, file to file| to a file| to `/dev/null`) \|((?: \d+ \|)+)$", re.M)


@pytest.mark.parametrize("page, programs, rows", [("docs/speed.md", PROGRAMS, 4), ("README.md", ["polyseal, 2 threads", "age"], 2)])
def test_the_figures_on_pages_are_those_of_the_run(page, programs, rows):
    found = ROW.findall((speed.HERE.parents[1] / page).read_text())
    assert len(found) == rows
    for verb, way, cells in found:
        where, copy = ("to /dev/null", "cat") if "null" in way else ("file to file", "cp")
        run = [speed.speeds()[f"{verb} 1024 MiB, {where}", copy if program == "copy" else program] for program in programs]
        assert list(map(int, re.findall(r"\d+", cells))) == run, (verb, way)
