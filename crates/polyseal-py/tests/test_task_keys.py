"""Which references to keys a worker of ``polyseal.jobs`` takes from a task."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import fsspec
import polyseal
import polyseal.jobs
import pytest
from polyseal import _task_keys
from polyseal.fs import PolysealFileSystem

#: A worker that has nothing from here: it runs the task of standard input, and prints each outcome.
WORKER = """
import pickle, sys
import polyseal.jobs
for each in pickle.load(sys.stdin.buffer).run().outcomes:
    print(each.status, each.error)
"""


@pytest.fixture
def plan(tmp_path: Path) -> polyseal.jobs.Plan:
    """One that refers to a key and an identity."""
    (tmp_path / "key").write_text(polyseal.SecretKey.generate().to_key_file())
    (tmp_path / "in").mkdir()
    (tmp_path / "in/x").write_bytes(b"attack at dawn")
    return polyseal.jobs.plan(
        "encrypt", f"file://{tmp_path}/in", f"file://{tmp_path}/out", key=f"file:{tmp_path}/key"
    )


def ran_elsewhere(task: polyseal.jobs.Task, allowed: str | None = None) -> str:
    """The output of a process that has been started for it."""
    environment = {name: value for name, value in os.environ.items() if name != _task_keys.VARIABLE}
    if allowed is not None:
        environment[_task_keys.VARIABLE] = allowed
    done = subprocess.run(
        [sys.executable, "-c", WORKER], input=pickle.dumps(task), capture_output=True, env=environment, check=True
    )
    return done.stdout.decode()


def test_a_worker_takes_no_reference_that_it_does_not_allow(plan: polyseal.jobs.Plan, tmp_path: Path) -> None:
    [task] = plan.tasks
    for allowed in (None, f"file:{tmp_path}/other"):
        told = ran_elsewhere(task, allowed)
        assert told.startswith("failed NotAllowed: this worker does not take the key reference")
        assert f"file:{tmp_path}/key" in told and "POLYSEAL_TASK_KEYS" in told and "allow_keys" in told
    assert not (tmp_path / "out").exists()
    assert ran_elsewhere(task, f"env:OTHER, file:{tmp_path}/*") == "done None\n"


def test_a_pool_of_new_processes_is_told_when_it_starts(plan: polyseal.jobs.Plan) -> None:
    with ProcessPoolExecutor(
        1, get_context("spawn"), initializer=polyseal.jobs.allow_keys, initargs=(plan.references,)
    ) as pool:
        assert [each.status for each in plan.run(pool)] == ["done"]


def test_a_process_that_is_forked_has_it_from_the_one_that_planned(plan: polyseal.jobs.Plan) -> None:
    with ProcessPoolExecutor(1, get_context("fork")) as pool:
        assert [each.status for each in plan.run(pool)] == ["done"]


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has named nothing."""
    monkeypatch.setattr(_task_keys, "_named", set())
    monkeypatch.setattr(_task_keys, "_allowed", set())
    monkeypatch.delenv(_task_keys.VARIABLE, raising=False)


def test_all_that_a_task_refers_to_is_asked_for(
    tmp_path: Path, plan: polyseal.jobs.Plan, monkeypatch: pytest.MonkeyPatch, stranger: None
) -> None:
    source, key, identity = f"file://{tmp_path}/in", f"file:{tmp_path}/key", f"{tmp_path}/identity"
    recipient = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"

    def told(plan: polyseal.jobs.Plan) -> str:
        """The outcome of its only task in a process that has named nothing."""
        monkeypatch.setattr(_task_keys, "_named", set())
        PolysealFileSystem.clear_instance_cache()
        [outcome] = plan.tasks[0].run().outcomes
        return f"{outcome.status} {outcome.error}"

    def refused(reference: str) -> str:
        return f"failed NotAllowed: this worker does not take the key reference {reference!r}"

    assert told(polyseal.jobs.plan("verify", source, key=key)).startswith(refused(key))
    by_identity = polyseal.jobs.plan("verify", source, identity=identity)
    assert by_identity.references == [f"identity:{identity}"]
    assert told(by_identity).startswith(refused(f"identity:{identity}"))
    # The keys of what a store opens, too.
    options = {"polyseal": {"key": key, "sizes": "stored"}}
    again = polyseal.jobs.plan(
        "encrypt", f"polyseal::{source}", "memory://x", recipients=recipient, storage_options=options
    )
    assert told(again).startswith(refused(key))
    rekey = polyseal.jobs.plan("rekey", source, key=key, to={"key": "env:NEW"}, keep=True)
    assert rekey.references == [key, "env:NEW"]
    polyseal.jobs.allow_keys([key])
    assert told(rekey).startswith(refused("env:NEW"))


def test_a_process_may_use_what_it_has_named_itself(plan: polyseal.jobs.Plan, stranger: None) -> None:
    # Somewhere else a plan was made with that key, and is not here.
    assert plan.tasks[0].run().outcomes[0].status == "failed"
    polyseal.jobs.plan("verify", plan.spec.source.url, key=plan.references[0])
    assert plan.tasks[0].run().outcomes[0].status == "done"


def test_a_plan_allows_the_keys_of_its_stores(tmp_path: Path, plan: polyseal.jobs.Plan, stranger: None) -> None:
    assert plan.spec.target is not None
    source, target = plan.spec.source.url, plan.spec.target.url
    first = polyseal.jobs.plan("encrypt", source, target, key=plan.references)
    assert [each.status for each in first.run()] == ["done"]
    _task_keys._named.clear()
    options = {"polyseal": {"key": plan.references[0]}}
    # fsspec may have the file system already, and make none.
    fsspec.core.url_to_fs(f"polyseal::{target}", **options)
    again = polyseal.jobs.plan(
        "encrypt",
        f"polyseal::{target}",
        f"file://{tmp_path}/again",
        recipients="age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
        storage_options=options,
        target_options={},
    )
    assert [(each.status, each.error) for each in again.run()] == [("done", None)]


def test_a_task_names_nothing_for_others(plan: polyseal.jobs.Plan, stranger: None) -> None:
    assert plan.tasks[0].run().outcomes[0].status == "failed"
    assert plan.tasks[0].run().outcomes[0].status == "failed"
    polyseal.jobs.allow_keys(plan.references)
    assert plan.tasks[0].run().outcomes[0].status == "done"
    assert not _task_keys._named


def test_to_unpickle_a_task_allows_nothing(tmp_path: Path, plan: polyseal.jobs.Plan, stranger: None) -> None:
    key = plan.references[0]
    fs = PolysealFileSystem(target_protocol="file", key=key)
    fs.makedirs(f"{tmp_path}/sealed")
    fs.pipe_file(f"{tmp_path}/sealed/x", b"attack at dawn")
    polyseal.jobs.allow_keys(["env:OTHER"])
    # A task that has such a file system in it, which nothing uses; and one that reads by it.
    [task] = plan.tasks
    beside = replace(task, spec=replace(task.spec, source=replace(task.spec.source, options={"unused": fs})))
    within = polyseal.jobs.plan(
        "encrypt",
        "dir://sealed",
        f"file://{tmp_path}/out",
        recipients=["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"],
        storage_options={"fs": fs, "path": str(tmp_path)},
        target_options={},
    )
    _task_keys._named.clear()
    for each in (beside, *within.tasks):
        sent = pickle.dumps(each)
        PolysealFileSystem.clear_instance_cache()
        [outcome] = pickle.loads(sent).run().outcomes
        assert outcome.status == "failed" and "does not take the key reference" in str(outcome.error)
        assert not _task_keys._named
    assert not (tmp_path / "out").exists()
    # Outside of tasks a file system takes what it is given.
    assert pickle.loads(pickle.dumps(fs)).cat_file(f"{tmp_path}/sealed/x") == b"attack at dawn"


@pytest.mark.parametrize(
    ("pattern", "reference", "fits"),
    [
        ("env:A", "env:A", True),
        ("env:A", "env:AB", False),
        ("env:*_KEY", "env:BACKUP_KEY", True),
        ("file:/k/*.key", "file:/k/a.key", True),
        ("file:/k/*.key", "file:/k/sub/a.key", False),
        ("file:/k/*/key", "file:/k/../key", False),
        ("file:/k/*/key", "file:/k/./key", False),
        ("file:/k/*/key", "file:/k//key", False),
        ("file:/k/*", "file:/k/../../home/key", False),
        ("file:/k/../key", "file:/k/../key", True),
        ("file:/k.key", "file:/kokey", False),
        ("*", "file:/k", False),
        ("", "env:A", False),
        ("file:/k/*", "file:/k/a\nfile:/k", False),
    ],
)
def test_patterns(pattern: str, reference: str, fits: bool) -> None:
    assert _task_keys._fits(pattern, reference) is fits


def test_one_reference_is_no_list_of_letters() -> None:
    with pytest.raises(TypeError, match="list"):
        polyseal.jobs.allow_keys("env:A")


@pytest.mark.parametrize("operation", ["encrypt", "decrypt", "verify", "rekey"])
@pytest.mark.parametrize("what", ["key", "identity"])
def test_a_key_that_is_missing_is_not_a_missing_object(operation: Any, what: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "key").write_text(polyseal.SecretKey.generate().to_key_file())
    polyseal.encrypt_file(Path(__file__), tmp_path / "in/x", key=f"file:{tmp_path}/key")
    nothing: dict[str, Any] = {"key": f"file:{tmp_path}/nothing"}
    if what == "identity":
        nothing = {"identity": f"{tmp_path}/nothing", "key": f"file:{tmp_path}/key"}
    target = f"file://{tmp_path}/out" if operation in ("encrypt", "decrypt") else None
    if operation == "rekey":
        nothing.update(to={"key": f"file:{tmp_path}/key"}, keep=True)
    [outcome] = polyseal.jobs.plan(operation, f"file://{tmp_path}/in", target, **nothing).run()
    assert outcome.status == "failed"
    assert "KeyUnavailable" in str(outcome.error) and f"{tmp_path}/nothing" in str(outcome.error)
