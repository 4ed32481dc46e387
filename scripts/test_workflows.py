"""The workflows call targets of the Makefile that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# Commands of those images that no target can run: the draft, with the token of the run.
OTHERS = ["gh release create"]


def makefile():
    """(targets, those that `make test-all ONLY=` takes)."""
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    targets = re.findall(r"^([a-z][a-z-]*):", text, re.M)
    return targets, re.search(r"^LONG = (.*)$", text, re.M)[1].split()


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_step_runs_a_target(workflow):
    targets, long = makefile()
    text = workflow.read_text()
    commands = re.findall(r"run: *(\S.*)$", text, re.M)
    assert commands
    for command in commands:
        if not any(command.startswith(other) for other in OTHERS):
            called = re.fullmatch(r"make ([a-z-]+)( [A-Z_]+=\S+)*", command)
            assert called and called[1] in targets, command
    for only in re.findall(r"only: \[(.*)\]", text):
        assert set(only.split(", ")) <= set(long)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_an_action_is_pinned_by_its_commit(workflow):
    for action in re.findall(r"uses: *(.*)$", workflow.read_text(), re.M):
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[0-9.]+", action)
