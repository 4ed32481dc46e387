"""Which objects a task of ``polyseal.jobs`` that is run again takes for its own."""

from __future__ import annotations

import json
import os
import pickle
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import polyseal
import polyseal.jobs
import pytest
from polyseal import _stores
from polyseal._marks import Mark, is_whole, marks_match
from polyseal._polyseal import Outline

NAME = "user.polyseal-task"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory in which files have attributes."""
    try:
        os.setxattr(tmp_path, "user.probe", b"1")
    except OSError:
        pytest.skip("the file system has no attributes")
    for name in ("key", "new"):
        (tmp_path / name).write_text(polyseal.SecretKey.generate().to_key_file())
    (tmp_path / "in").mkdir()
    (tmp_path / "in/x").write_bytes(secrets.token_bytes(300_000))
    return tmp_path


def planned(place: Path, operation: str, **arguments: Any) -> tuple[polyseal.jobs.Plan, Path]:
    """A plan for ``x``, and where that is written."""
    if "recipients" not in arguments:
        arguments["key"] = f"file:{place}/key"
    if operation == "rekey":
        arguments = {"to": {"key": f"file:{place}/new"}, "keep": False, **arguments}
    source, target = {"encrypt": ("in", "out"), "decrypt": ("out", "back"), "rekey": ("out", None)}[operation]
    urls = (f"file://{place}/{source}", target and f"file://{place}/{target}")
    plan = polyseal.jobs.plan(operation, *urls, **arguments)  # type: ignore[arg-type]
    return plan, place / str(target or source) / "x"


def run(task: polyseal.jobs.Task) -> polyseal.jobs.Outcome:
    """Does a task of one object, as another process would."""
    [outcome] = pickle.loads(pickle.dumps(task)).run().outcomes
    assert isinstance(outcome, polyseal.jobs.Outcome)
    return outcome


def begun(plan: polyseal.jobs.Plan, path: Path) -> None:
    """Gives what has been written the mark that it would have if it had come in parts."""
    header = b""
    if plan.spec.operation != "decrypt":
        header = path.read_bytes()[: Outline.parse(path.read_bytes()[:4096]).header_size]
    os.setxattr(path, NAME, plan.spec.mark(plan.items[0]).begun(header).encode())


def replaced(path: Path, contents: bytes) -> None:
    """As whoever can write there does it: other contents, and the mark that everybody can read."""
    mark = os.getxattr(path, NAME)
    path.unlink()
    path.write_bytes(contents)
    os.setxattr(path, NAME, mark)


def middle(stored: bytes) -> bytes:
    return stored[:150_000] + bytes([stored[150_000] ^ 1]) + stored[150_001:]


ALTERED: dict[str, Callable[[bytes], bytes]] = {
    "a byte in the middle": middle,
    "cut": lambda stored: stored[:-65_552],
    "longer": lambda stored: stored + b"0",
    "rubbish": lambda stored: b"rubbish",
    "nothing": lambda stored: b"",
}


@pytest.mark.parametrize("kind", ["whole", "begun"])
@pytest.mark.parametrize("operation", ["encrypt", "decrypt", "rekey"])
def test_only_what_the_task_has_written_is_done(place: Path, operation: str, kind: str) -> None:
    if operation != "encrypt":
        assert run(planned(place, "encrypt")[0].tasks[0]).status == "done"
    plan, path = planned(place, operation)
    [task] = plan.tasks
    first = run(task)
    assert first.status == "done"
    if kind == "begun":
        begun(plan, path)
    again = run(task)
    assert again.status == "done" and again.error is None
    written = path.read_bytes()
    for what, alter in ALTERED.items():
        replaced(path, alter(written))
        assert run(task).status != "done", what
    replaced(path, written)
    assert run(task).status == "done"
    # Another plan for the same object is another writer.
    assert run(planned(place, operation)[0].tasks[0]).status != "done"


def test_what_was_written_is_done_also_if_the_source_has_changed_since(place: Path) -> None:
    assert run(planned(place, "encrypt")[0].tasks[0]).status == "done"
    plan, path = planned(place, "decrypt")
    assert run(plan.tasks[0]).status == "done"
    (place / "out/x").write_bytes(b"another version")
    assert run(plan.tasks[0]).status == "done"
    path.write_bytes(b"of another writer")
    assert run(plan.tasks[0]).status == "failed"


@pytest.mark.parametrize("kind", ["whole", "begun"])
def test_another_file_for_the_same_key_is_not_the_tasks(place: Path, kind: str) -> None:
    """Whoever can write to the target may have one, and knows the mark."""
    plan, path = planned(place, "encrypt")
    assert run(plan.tasks[0]).status == "done"
    if kind == "begun":
        begun(plan, path)
    # The plaintext is even the same.
    polyseal.encrypt_file(place / "in/x", place / "other", key=f"file:{place}/key")
    replaced(path, (place / "other").read_bytes())
    assert run(plan.tasks[0]).status == "conflict"


def test_other_contents_under_the_header_of_a_begun_object_are_not_the_tasks(place: Path) -> None:
    """Whoever has the key can make them, by a rekey of another file; its header is no proof of what the source says."""
    plan, path = planned(place, "encrypt")
    assert run(plan.tasks[0]).status == "done"
    (place / "in/other").write_bytes(secrets.token_bytes(300_000))
    polyseal.encrypt_file(place / "in/other", place / "other", key=f"file:{place}/key")
    replaced(path, (place / "other").read_bytes())
    # A mark of that header, as it is for this plan.
    begun(plan, path)
    assert run(plan.tasks[0]).status == "conflict"


def test_a_mark_is_of_one_name_and_one_version(place: Path) -> None:
    (place / "in/y").write_bytes((place / "in/x").read_bytes())
    plan, x = planned(place, "encrypt")
    y = x.with_name("y")
    assert {each.status for each in plan.tasks[0].run().outcomes} == {"done"}
    # Two objects change places, with their marks.
    x.rename(x.with_name("z"))
    y.rename(x)
    x.with_name("z").rename(y)
    assert {each.status for each in plan.tasks[0].run().outcomes} == {"conflict"}
    item, marks = plan.items[0], set()
    for other in (item, replace(item, name="z"), replace(item, version="z"), replace(item, size=1)):
        marks.add(plan.spec.mark(other).begun(b""))
    assert len(marks) == 4


def test_what_cannot_be_opened_is_known_by_its_mark(place: Path) -> None:
    """A worker that encrypts for recipients has no key."""
    recipient = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
    plan, path = planned(place, "encrypt", recipients=[recipient])
    assert run(plan.tasks[0]).status == "done"
    assert run(plan.tasks[0]).status == "done"
    written = path.read_bytes()
    replaced(path, middle(written))
    assert run(plan.tasks[0]).status == "conflict"
    replaced(path, written)
    # If it had come in parts, only opening would tell.
    begun(plan, path)
    assert run(plan.tasks[0]).status == "conflict"


def test_a_key_that_cannot_open_the_new_header_leaves_it_undecided(place: Path) -> None:
    recipient = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
    assert run(planned(place, "encrypt", context="of these")[0].tasks[0]).status == "done"
    for keep, again in [(True, "done"), (False, "failed")]:
        plan, path = planned(place, "rekey", to={"recipients": [recipient]}, keep=keep, context="of these")
        assert run(plan.tasks[0]).status == "done"
        begun(plan, path)
        assert run(plan.tasks[0]).status == again


def test_a_manifest_says_done_of_what_was_written_and_nothing_else(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another file gets the name just when the object has appeared."""
    manifest = place / "manifest"
    plan, path = planned(place, "encrypt", manifest=manifest)
    exists = _stores._exists

    @contextmanager
    def raced(shown: str) -> Iterator[None]:
        with exists(shown):
            yield
        if path.exists():
            (place / "other").write_bytes(b"of another writer")
            os.rename(place / "other", path)

    monkeypatch.setattr(_stores, "_exists", raced)
    [outcome] = plan.run()
    monkeypatch.undo()
    assert path.read_bytes() == b"of another writer"
    assert outcome.status == "done" and json.loads(manifest.read_text())["after"] == outcome.after
    again, _ = planned(place, "encrypt", manifest=manifest)
    assert [item.name for item in again.items] == ["x"]


def test_a_mark_gives_nothing_away() -> None:
    about = ("decrypt", "name", "version", 4)
    mark, other = Mark(b"1" * 32, about), Mark(b"2" * 32, about)

    def whole(mark: Mark, *pieces: bytes) -> str:
        made = mark.whole()
        for piece in pieces:
            made.update(piece)
        return made.text()

    assert whole(mark, b"attack") == whole(mark, b"att", b"ack")
    assert is_whole(whole(mark, b"attack").encode()) and not is_whole(mark.begun(b"attack").encode())
    # Whoever guesses the plaintext cannot check that; and no kind is taken for another, nor a name for a payload.
    assert len({whole(mark, b"attack"), whole(other, b"attack"), mark.begun(b"attack"), other.begun(b"attack")}) == 4
    assert whole(mark, b"attack")[6:] != mark.begun(b"attack")[6:]
    for changed in [("encrypt", *about[1:]), ("decrypt", "nam", "eversion", 4), (*about[:3], 5)]:
        assert whole(Mark(b"1" * 32, changed), b"attack") != whole(mark, b"attack")
    # As a file system that is not Unicode has them.
    strange = [Mark(b"1" * 32, ("decrypt", name, "v", 4)).begun(b"") for name in ("\udcff", "\udcfe")]
    assert strange[0] != strange[1]
    assert marks_match(mark.begun(b""), mark.begun(b"").encode()) and not marks_match(mark.begun(b""), "whole-ä".encode())
    assert repr(mark).count("1") == 0


def test_the_secret_of_marks_is_in_tasks_alone(place: Path) -> None:
    plan, path = planned(place, "encrypt", manifest=place / "manifest")
    secret = plan.spec.secret
    results = [task.run() for task in plan.tasks]
    outcomes = plan.results(results)
    assert secret in pickle.dumps(plan.tasks) and len(secret) == 32
    assert secret not in pickle.dumps((results, outcomes)) and secret not in (place / "manifest").read_bytes()
    assert repr(secret)[2:-1] not in repr((plan.tasks, plan.spec, results)) and "secret=" not in repr(plan.spec)
    assert secret not in path.read_bytes() + os.getxattr(path, NAME)
