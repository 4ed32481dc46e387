"""The workflows call targets of Makefiles that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# Commands of those images that no target can run: the draft, with the token of the run.
OTHERS = ["gh release create"]


def targets(makefile):
    return re.findall(r"^([a-z][a-z0-9-]*):", (ROOT / makefile).read_text(), re.M)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_step_runs_a_target(workflow):
    text = workflow.read_text()
    commands = re.findall(r"run: *(\S.*)$", text, re.M)
    assert commands
    long = re.findall(r"only: \[(.*)\]", text)
    for command in commands:
        if not any(command.startswith(other) for other in OTHERS):
            called = re.fullmatch(r"make (?:-C ([a-z/]+) )?([a-z-]+)((?: [A-Z_]+=\S+)*)", command)
            assert called and called[2] in targets(Path(called[1] or "") / "Makefile"), command
            long += re.findall(r" ONLY=([a-z0-9-]+)", called[3])
    for only in long:
        assert set(only.split(", ")) <= set(targets("scripts/long.mk"))


def test_the_root_has_at_most_twenty_targets():
    """`help` is in what all Makefiles have in common."""
    assert len(set(targets("Makefile") + targets("scripts/common.mk"))) <= 20


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_an_action_is_pinned_by_its_commit(workflow):
    for action in re.findall(r"uses: *(.*)$", workflow.read_text(), re.M):
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[0-9.]+", action)
