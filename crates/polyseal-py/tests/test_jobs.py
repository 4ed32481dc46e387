"""``polyseal.jobs`` on local files and memory. Engines and stores are in ``engines``."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import os
import pickle
import re
import secrets
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import fsspec
import polyseal
import polyseal.jobs
import pytest
from conftest import as_another, needs_root
from fsspec.asyn import get_loop
from polyseal import _stores


@pytest.fixture
def reference(tmp_path: Path) -> str:
    """A key by reference."""
    path = tmp_path / "key"
    path.write_text(polyseal.SecretKey.generate().to_key_file())
    return f"file:{path}"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Files, some of them in a directory of their own."""
    (tmp_path / "in/sub").mkdir(parents=True)
    for i in range(12):
        (tmp_path / "in" / ("sub" if i % 3 else ".") / str(i)).write_bytes(secrets.token_bytes(i * 30_011))
    return tmp_path / "in"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def statuses(outcomes: list[polyseal.jobs.Outcome]) -> set[str]:
    return {each.status for each in outcomes}


@pytest.mark.parametrize("workers", [0, 3])
def test_there_and_back(tree: Path, reference: str, tmp_path: Path, workers: int) -> None:
    new = tmp_path / "new"
    new.write_text(polyseal.SecretKey.generate().to_key_file())

    def done(operation: Any, *urls: str, **arguments: Any) -> None:
        plan = polyseal.jobs.plan(operation, *urls, objects_per_task=5, **arguments)
        assert len(plan.tasks) == 3
        # They go to other processes, and no key does.
        assert polyseal.KeyRef(reference).resolve().reveal() not in pickle.dumps(plan.tasks)
        seen: list[polyseal.jobs.Done] = []
        if workers:
            with ThreadPoolExecutor(workers) as pool:
                outcomes = plan.run(pool, progress=seen.append)
        else:
            outcomes = plan.run(progress=seen.append)
        assert statuses(outcomes) == {"done"} and len(outcomes) == 12
        assert seen[-1] == polyseal.jobs.Done(12, 12, plan.size, plan.size)

    out = f"file://{tmp_path}/out"
    done("encrypt", f"file://{tree}", out, key=reference)
    done("verify", out, key=reference)
    done("rekey", out, key=reference, to={"key": f"file:{new}"}, keep=False)
    done("decrypt", out, f"file://{tmp_path}/back", key=f"file:{new}")
    assert contents(tmp_path / "back") == contents(tree)
    refused = polyseal.jobs.plan("verify", out, key=reference).run()
    assert statuses(refused) == {"failed"} and "NoMatchingKey" in str(refused[0].error)


def test_what_is_there_stays(tree: Path, reference: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/0").write_bytes(b"of another")
    urls = (f"file://{tree}", f"file://{tmp_path}/out")
    outcomes = {each.name: each for each in polyseal.jobs.plan("encrypt", *urls, key=reference).run()}
    assert outcomes["0"].status == "conflict" and statuses([*outcomes.values()]) == {"done", "conflict"}
    assert (tmp_path / "out/0").read_bytes() == b"of another"
    plan = polyseal.jobs.plan("encrypt", *urls, overwrite=True, key=reference)
    # Changed since the plan: it is not what was to be replaced.
    (tmp_path / "out/0").write_bytes(b"of a third")
    later = {each.name: each.status for each in plan.run()}
    assert later.pop("0") == "conflict" and set(later.values()) == {"done"}
    assert not [path for path in (tmp_path / "out").rglob("*") if path.name.endswith(".tmp")]


def test_a_source_that_changes_fails(tree: Path, reference: str, tmp_path: Path) -> None:
    plan = polyseal.jobs.plan("encrypt", f"file://{tree}", f"file://{tmp_path}/out", key=reference)
    (tree / "3").write_bytes(secrets.token_bytes(3 * 30_011))
    (tree / "6").unlink()
    # It was empty.
    (tree / "0").write_bytes(b"no more")
    failed = {each.name for each in plan.run() if each.status == "failed"}
    assert failed == {"0", "3", "6"}
    assert not any((tmp_path / "out" / name).exists() for name in failed)


def test_an_altered_object_fails_alone(tree: Path, reference: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    polyseal.jobs.plan("encrypt", f"file://{tree}", f"file://{out}", key=reference).run()
    altered = bytearray((out / "9").read_bytes())
    altered[-100_000] ^= 1
    (out / "9").write_bytes(altered)
    for operation, target in (("verify", None), ("decrypt", f"file://{tmp_path}/back")):
        outcomes = polyseal.jobs.plan(operation, f"file://{out}", target, key=reference).run()  # type: ignore[arg-type]
        assert [(each.name, each.status) for each in outcomes if each.status != "done"] == [("9", "failed")]
    assert not (tmp_path / "back/9").exists()


def test_large_objects_are_verified_in_parts(tmp_path: Path, reference: str) -> None:
    data = secrets.token_bytes(12_000_000)
    (tmp_path / "m").write_bytes(data)
    polyseal.encrypt_file(tmp_path / "m", tmp_path / "x", key=reference)
    plan = polyseal.jobs.plan("verify", f"file://{tmp_path}/x", key=reference, part_size=5 << 20)
    assert [part.start for task in plan.tasks for part in task.parts] == [0, 5 << 20, 10 << 20]
    results = [task.run() for task in plan.tasks]
    # A result that comes twice, in another order.
    assert statuses(plan.results([*results[::-1], results[0]])) == {"done"}
    plan = polyseal.jobs.plan("verify", f"file://{tmp_path}/x", key=reference, part_size=5 << 20)
    [outcome] = plan.results([task.run() for task in plan.tasks[:2]])
    assert outcome.status == "failed" and "no result" in str(outcome.error)


def has_attributes(folder: Path) -> bool:
    """Whether files there can have a mark."""
    (folder / "probe").write_bytes(b"")
    try:
        os.setxattr(folder / "probe", "user.probe", b"1")
    except OSError:
        return False
    finally:
        (folder / "probe").unlink()
    return True


@pytest.mark.parametrize("objects, tasks", [(6, 1), (200, 20), (640, 64), (6400, 64), (64_000, 64), (640_000, 640)])
def test_there_are_tasks_for_many_workers(objects: int, tasks: int) -> None:
    step = polyseal.jobs._Limits(None, polyseal.jobs.PART_SIZE, 1).of(objects)
    assert len(range(0, objects, step)) == tasks


def test_a_task_that_is_run_again_knows_its_own_objects(tree: Path, reference: str, tmp_path: Path) -> None:
    new = tmp_path / "new"
    new.write_text(polyseal.SecretKey.generate().to_key_file())
    out, back = f"file://{tmp_path}/out", f"file://{tmp_path}/back"
    expected = "done" if has_attributes(tmp_path) else "conflict"
    for operation, urls, arguments in [
        ("encrypt", (f"file://{tree}", out), {}),
        ("decrypt", (out, back), {}),
        ("rekey", (out,), {"to": {"key": f"file:{new}"}, "keep": False}),
    ]:
        plan = polyseal.jobs.plan(operation, *urls, key=reference, objects_per_task=100, **arguments)  # type: ignore[arg-type]
        [task] = plan.tasks
        # Another plan for the same objects is another writer.
        other = polyseal.jobs.plan(operation, *urls, key=reference, objects_per_task=100, **arguments)  # type: ignore[arg-type]
        first = pickle.loads(pickle.dumps(task)).run().outcomes
        assert statuses([*first]) == {"done"}
        second = pickle.loads(pickle.dumps(task)).run().outcomes
        if expected == "done":
            assert second == first
        else:
            assert "done" not in statuses([*second])
        assert "done" not in statuses([*other.tasks[0].run().outcomes])
    assert contents(tmp_path / "back") == contents(tree)


def test_a_key_that_is_missing_is_told_of_each_object(tree: Path, tmp_path: Path) -> None:
    nothing = f"file:{tmp_path}/nothing"
    plan = polyseal.jobs.plan("encrypt", f"file://{tree}", f"file://{tmp_path}/out", key=nothing)
    outcomes = plan.run()
    assert len(outcomes) == 12 and statuses(outcomes) == {"failed"}
    assert all("KeyUnavailable" in str(each.error) and "nothing" in str(each.error) for each in outcomes)


def test_a_report_that_is_taken_twice_counts_once(tree: Path, reference: str, tmp_path: Path) -> None:
    plan = polyseal.jobs.plan("encrypt", f"file://{tree}", f"file://{tmp_path}/out", key=reference, objects_per_task=5)
    result = plan.tasks[0].run()
    assert len(plan.take(result)) == 5
    once = plan.done()
    assert plan.take(result) == [] and plan.done() == once and once.objects == 5
    polyseal.encrypt_file(io.BytesIO(bytes(12_000_000)), tmp_path / "x", key=reference)
    plan = polyseal.jobs.plan("verify", f"file://{tmp_path}/x", key=reference, part_size=5 << 20)
    results = [task.run() for task in plan.tasks]
    plan.take(results[0])
    once = plan.done()
    plan.take(results[0])
    assert plan.done() == once and once.objects == 0


def test_an_object_is_not_held_in_memory(tmp_path: Path, reference: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = secrets.token_bytes(20_000_000)
    (tmp_path / "in").write_bytes(data)
    sizes: list[int] = []
    read = _stores.LocalStore.read

    def measured(self: _stores.LocalStore, path: str, start: int, stop: int, version: str) -> bytes:
        sizes.append(stop - start)
        return read(self, path, start, stop, version)

    monkeypatch.setattr(_stores.LocalStore, "read", measured)
    for operation, source, target in [("encrypt", "in", "x"), ("decrypt", "x", "back")]:
        urls = (f"file://{tmp_path}/{source}", f"file://{tmp_path}/{target}")
        plan = polyseal.jobs.plan(operation, *urls, key=reference)  # type: ignore[arg-type]
        assert statuses(plan.run()) == {"done"}
    rekey = polyseal.jobs.plan("rekey", f"file://{tmp_path}/x", key=reference, to={"key": reference}, keep=True)
    assert statuses(rekey.run()) == {"done"}
    assert (tmp_path / "back").read_bytes() == data
    assert max(sizes) < 9 << 20 and sum(sizes) > 60_000_000


def test_the_manifest(tree: Path, reference: str, tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.jsonl"

    def plan() -> polyseal.jobs.Plan:
        return polyseal.jobs.plan(
            "encrypt",
            f"file://{tree}",
            f"file://{tmp_path}/out",
            key=reference,
            objects_per_task=5,
            manifest=manifest,
            overwrite=True,
        )

    first = plan()
    first.take(first.tasks[0].run())
    with manifest.open("a") as lines:
        lines.write('{"name": "9", "opera')
    assert len(plan().items) == 7
    assert statuses(plan().run()) == {"done"}
    assert plan().items == []
    assert len([1 for line in manifest.read_text().splitlines() if line.startswith("{") and line.endswith("}")]) == 12
    assert json.loads(manifest.read_text().splitlines()[0])["status"] == "done"
    # Files that have changed are done again, and so are those that are gone.
    (tree / "3").write_bytes(b"changed")
    (tmp_path / "out/6").unlink()
    assert [item.name for item in plan().items] == ["3", "6"]


def test_a_name_does_not_lead_out_of_the_target(tmp_path: Path, reference: str) -> None:
    fs = fsspec.filesystem("memory")
    fs.store.clear()
    fs.pipe({"/in/x": b"m"})
    for name in ("/in/../../evil", "/in/sub/..", "/in//x"):
        # As S3 has them: memory would not make them by itself.
        fs.store[name] = fs.store["/in/x"].__class__(fs, name, b"evil")
    out = tmp_path / "a/b/out"
    outcomes = polyseal.jobs.plan("encrypt", "memory://in", f"file://{out}", key=reference).run()
    assert {each.name: each.status for each in outcomes if each.status == "done"} == {"x": "done"}
    assert [str(path) for path in (tmp_path / "a").rglob("*") if path.is_file()] == [str(out / "x")]
    fs.store.clear()


def test_a_link_does_not_lead_out_of_the_target(tree: Path, reference: str, tmp_path: Path) -> None:
    """Whoever can write to the target puts one there, before or after it has been planned."""
    home, out = tmp_path / "home", tmp_path / "out"
    (home / "sub").mkdir(parents=True)
    out.mkdir()
    for place in (home / "0", home / "sub/1", home / "sub/2"):
        place.write_bytes(b"precious")
    before = contents(home)
    (out / "sub").symlink_to(home / "sub")
    for overwrite in (False, True):
        plan = polyseal.jobs.plan("encrypt", f"file://{tree}", f"file://{out}", key=reference, overwrite=overwrite)
        (out / "0").unlink(missing_ok=True)
        (out / "0").symlink_to(home / "0")
        outcomes = {each.name: each.status for each in plan.run()}
        assert contents(home) == before
        assert outcomes["0"] == "failed" and {outcomes[f"sub/{i}"] for i in (1, 2, 4, 5)} == {"failed"}
        assert outcomes["3"] == "done"
        (out / "3").unlink()
    (out / "sub").unlink()
    assert (out / "6").stat().st_mode & 0o777 == 0o600


def test_a_manifest_is_of_one_job(tree: Path, reference: str, tmp_path: Path) -> None:
    out, manifest = f"file://{tmp_path}/out", tmp_path / "manifest"
    polyseal.jobs.plan("encrypt", f"file://{tree}", out, key=reference, manifest=manifest).run()
    keys = []
    for name in ("second", "third"):
        (tmp_path / name).write_text(polyseal.SecretKey.generate().to_key_file())
        keys.append(f"file:{tmp_path / name}")
    polyseal.jobs.plan("rekey", out, key=reference, to={"key": keys[0]}, keep=False, manifest=manifest).run()
    second_run = polyseal.jobs.plan(
        "rekey", out, key=keys[0], to={"key": keys[1]}, keep=False, manifest=manifest
    ).run()
    assert len(second_run) == 12 and statuses(second_run) == {"done"}
    assert statuses(polyseal.jobs.plan("verify", out, key=keys[0]).run()) == {"failed"}
    with manifest.open("a") as lines:
        lines.write('7\n{"status": "done"}\n')
    assert not polyseal.jobs.plan("encrypt", f"file://{tree}", f"{out}2", key=reference, manifest=manifest).items == []


def test_credentials_of_stores_are_not_in_what_engines_log(tree: Path, reference: str, tmp_path: Path) -> None:
    options = {"auto_mkdir": True, "secret": "hunter2"}
    plan = polyseal.jobs.plan(
        "encrypt", f"file://{tree}", f"file://{tmp_path}/out", key=reference, storage_options=options
    )
    assert plan.tasks and "hunter2" not in repr(plan.tasks)


def test_a_store_without_versions_is_refused() -> None:
    from polyseal._stores import Store

    store = Store(fsspec.filesystem("memory"))
    assert store.version({"size": 9}) == ""
    assert store.version({"size": 9, "etag": "a"}) != store.version({"size": 9, "etag": "b"})


def test_what_makes_no_sense_is_refused(tmp_path: Path, reference: str) -> None:
    for wrong in [
        dict(operation="encrypt", key=reference),
        dict(operation="verify", target="memory://x", key=reference),
        dict(operation="rekey", key=reference, keep=True),
        dict(operation="rekey", to={"key": reference}, key=reference),
        dict(operation="verify", key=reference, keep=False),
        dict(operation="verify", to={"key": reference}, key=reference),
        dict(operation="rekey", to={"passphrase": "attack at dawn"}, key=reference, keep=False),
        dict(operation="verify", key=reference, part_size=1000),
        dict(operation="verify", key=reference, objects_per_task=0),
    ]:
        with pytest.raises(ValueError):
            polyseal.jobs.plan(source=f"file://{tmp_path}", **wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="remove_others"):
        polyseal.jobs.plan("rekey", f"file://{tmp_path}", key=reference, remove_others=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="reference"):
        polyseal.jobs.plan("verify", f"file://{tmp_path}", key=polyseal.SecretKey.generate())  # type: ignore[arg-type]


@needs_root
def test_a_link_of_another_user_is_no_target(tree: Path, reference: str, public: Path) -> None:
    """They put it where the target will be, or on the way to it; the user's own link is what the user has named."""
    home = public / "home"
    home.mkdir()
    for place, target in [("out", "out"), ("way", "way/out")]:
        (public / place).symlink_to(home)
        plan = polyseal.jobs.plan("encrypt", f"file://{tree}", f"file://{public}/{target}", key=reference)
        os.chown(public / place, 65534, 65534, follow_symlinks=False)
        outcomes = plan.run()
        assert statuses(outcomes) == {"failed"} and all("Not a directory" in str(each.error) for each in outcomes)
        assert not [*home.iterdir()]
    os.chown(public / "out", os.getuid(), os.getgid(), follow_symlinks=False)
    plan = polyseal.jobs.plan("encrypt", f"file://{tree}", f"file://{public}/out", key=reference)
    assert statuses(plan.run()) == {"done"}
    assert len(contents(home)) == 12
    # Nor is what is written in its place.
    os.chown(public / "out", 65534, 65534, follow_symlinks=False)
    before = contents(home)
    rekey = polyseal.jobs.plan("rekey", f"file://{public}/out", key=reference, to={"key": reference}, keep=True)
    assert statuses(rekey.run()) == {"failed"} and contents(home) == before


def test_a_link_on_the_way_to_a_target_that_is_not_there_yet(
    reference: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It appears after the task has seen that nothing is there."""
    home = tmp_path / "home"
    for name in ("home", "in"):
        (tmp_path / name).mkdir()
    (tmp_path / "in/x").write_bytes(b"m")
    for_output = _stores.LocalStore._directory

    def raced(self: _stores.LocalStore, path: str) -> Any:
        found = for_output(self, path)
        if path == str(tmp_path) and not (tmp_path / "a").exists():
            (tmp_path / "a").symlink_to(home)
        return found

    monkeypatch.setattr(_stores.LocalStore, "_directory", raced)
    plan = polyseal.jobs.plan("encrypt", f"file://{tmp_path}/in", f"file://{tmp_path}/a/b/out", key=reference)
    assert statuses(plan.run()) == {"failed"}
    assert (tmp_path / "a").is_symlink() and not [*home.rglob("*")]


def test_a_target_that_another_thread_makes(reference: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is seen to be missing, and is there a moment later. A link that leads nowhere stays one."""
    (tmp_path / "in").write_bytes(b"m")
    directory, missed = _stores.LocalStore._directory, list[str]()

    def raced(self: _stores.LocalStore, path: str) -> Any:
        try:
            return directory(self, path)
        except FileNotFoundError:
            missed.append(path)
            # The first look is whether there is anything to replace.
            if missed == [f"{tmp_path}/out"] * 2:
                os.mkdir(path)
            raise

    monkeypatch.setattr(_stores.LocalStore, "_directory", raced)
    for target, status in [("out", "done"), ("link", "failed")]:
        (tmp_path / "link").unlink(missing_ok=True)
        (tmp_path / "link").symlink_to(tmp_path / "nothing")
        plan = polyseal.jobs.plan("encrypt", f"file://{tmp_path}/in", f"file://{tmp_path}/{target}/x", key=reference)
        [outcome] = plan.run()
        assert outcome.status == status, outcome
    assert "FileNotFoundError" in str(outcome.error) and not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("overwrite", [False, True])
def test_one_file_is_not_reached_through_a_link(overwrite: bool, reference: str, tmp_path: Path) -> None:
    """Neither as a target nor as a source, nor where its header is replaced."""
    (tmp_path / "in").write_bytes(b"attack at dawn")
    precious = tmp_path / "precious"
    arguments: dict[str, Any] = {"key": reference, "overwrite": overwrite}
    for exists in (False, True):
        if exists:
            polyseal.encrypt_file(tmp_path / "in", precious, key=reference)
        before = precious.read_bytes() if exists else None
        plan = polyseal.jobs.plan("encrypt", f"file://{tmp_path}/in", f"file://{tmp_path}/out", **arguments)
        (tmp_path / "out").symlink_to(precious)
        planned_later = polyseal.jobs.plan("encrypt", f"file://{tmp_path}/in", f"file://{tmp_path}/out", **arguments)
        for each in (plan, planned_later):
            assert "done" not in statuses(each.run())
            assert (precious.read_bytes() if exists else None) == before and precious.exists() is exists
        (tmp_path / "out").unlink()
    (tmp_path / "link").symlink_to(precious)
    link = f"file://{tmp_path}/link"
    rekey = polyseal.jobs.plan("rekey", link, key=reference, to={"key": reference}, keep=True)
    for plan in (polyseal.jobs.plan("verify", link, key=reference), rekey):
        [outcome] = plan.run()
        assert outcome.status == "failed" and "symbolic links" in str(outcome.error)
    # Nor what is put there between a look and the next.
    store, path = _stores.store(link, {}, output=True)
    for reached in (lambda: store.now(path), lambda: store._new(path, overwrite=True)):
        with pytest.raises((OSError, ValueError), match="link"):
            reached()
    assert precious.read_bytes() == before and (tmp_path / "link").is_symlink()


def test_links_of_a_source_are_told_of(tree: Path, reference: str, tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    (tmp_path / "else/secret").write_bytes(b"of another place")
    (tree / "directory").symlink_to(tmp_path / "else")
    (tree / "file").symlink_to(tmp_path / "else/secret")
    (tree / "loop").symlink_to(tree)
    (tree / "nothing").symlink_to(tmp_path / "nothing")
    os.mkfifo(tree / "fifo")
    outcomes = polyseal.jobs.plan("encrypt", f"file://{tree}", f"file://{tmp_path}/out", key=reference).run()
    failed = {each.name for each in outcomes if each.status == "failed"}
    assert failed == {"directory", "file", "loop", "nothing", "fifo"} and len(outcomes) == 17


@needs_root
@pytest.mark.parametrize("side", ["source", "target"])
def test_a_directory_that_cannot_be_read_is_not_left_out(side: str, reference: str, public: Path) -> None:
    for name in ("source", "target"):
        (public / name / "sub").mkdir(parents=True)
        (public / name / "sub/x").write_bytes(b"m")
    (public / side / "sub").chmod(0)

    def plan() -> None:
        with pytest.raises(PermissionError, match="sub"):
            polyseal.jobs.plan("encrypt", f"file://{public}/source", f"file://{public}/target", key=reference)

    as_another(65534, 65534, [], plan)


def test_a_directory_that_a_store_does_not_list_is_not_left_out(
    reference: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fs = fsspec.filesystem("memory")
    fs.store.clear()
    fs.pipe({"/in/sub/deep/x": b"m", "/in/y": b"m"})
    plan = polyseal.jobs.plan("verify", "memory://in", key=reference)
    assert [item.name for item in plan.items] == ["sub/deep/x", "y"]
    ls = fs.ls

    def refused(path: str, **arguments: Any) -> Any:
        if path.endswith("deep"):
            raise PermissionError(13, "not for you", path)
        return ls(path, **arguments)

    monkeypatch.setattr(fs, "ls", refused)
    with pytest.raises(PermissionError, match="not for you"):
        polyseal.jobs.plan("verify", "memory://in", key=reference)
    monkeypatch.undo()
    fs.store.clear()


def test_a_source_that_is_not_there_is_told_of(reference: str, tmp_path: Path) -> None:
    for source in (f"file://{tmp_path}/nothing", "memory://nothing/here"):
        with pytest.raises(FileNotFoundError, match="nothing"):
            polyseal.jobs.plan("verify", source, key=reference)
    assert polyseal.jobs.plan("verify", f"file://{tmp_path}", key=reference).items != []
    (tmp_path / "empty").mkdir()
    assert polyseal.jobs.plan("verify", f"file://{tmp_path}/empty", key=reference).items == []


def test_what_has_no_result_says_why(tree: Path, reference: str, tmp_path: Path) -> None:
    class Dying(Executor):
        """One whose workers die."""

        def submit(self, *arguments: Any, **keywords: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(MemoryError("no memory left"))
            return future

    plan = polyseal.jobs.plan("encrypt", f"file://{tree}", f"file://{tmp_path}/out", key=reference)
    outcomes = plan.run(Dying())
    assert len(outcomes) == 12 and statuses(outcomes) == {"failed"}
    assert {each.error for each in outcomes} == {"its task has no result: MemoryError: no memory left"}


def test_parts_are_enough_for_what_s3_takes() -> None:
    gib, tib = 1 << 30, 1 << 40
    for size in (0, 1, 8 << 20, 80_000_000_000, tib, 5 * tib, 40 * tib):
        for least in (_stores.PIECE, _stores.LEAST_PART, polyseal.jobs.PART_SIZE):
            part = _stores.part_size(size, least)
            # With the largest header and tags, in the smallest segments.
            stored = size + 65_536 + 64 * (size // 4096 + 1)
            assert -(-stored // part) <= 10_000 and least <= part <= 5 * gib
    # The memory in use does not grow before it must.
    assert _stores.part_size(70 * gib) == _stores.PIECE
    pieces = [bytes(3)] * 10
    assert [len(part) for part in _stores._parts(pieces, 7)] == [9, 9, 9, 3]
    assert [*_stores._parts([], 7)] == [b""]


def test_only_an_object_that_is_missing_is_taken_for_one() -> None:
    """A file with credentials may be missing, too; or the bucket."""

    def answered(code: str | None) -> FileNotFoundError:
        error = FileNotFoundError("not there")
        if code is not None:
            error.__cause__ = ValueError()
            setattr(error.__cause__, "response", {"Error": {"Code": code}})
        return error

    for code, expected in [("NoSuchKey", polyseal.SourceChanged), ("NoSuchBucket", OSError), (None, OSError)]:
        with pytest.raises(expected), _stores._conditions("x", _stores._changed("x")):
            raise answered(code)


def test_a_part_that_may_have_had_other_bytes_is_not_sent_again() -> None:
    calls = list[str]()

    class Server:
        etag = ""

        def split_path(self, path: str) -> tuple[str, str, None]:
            return "bucket", path, None

        def call_s3(self, method: str, **arguments: Any) -> dict[str, Any]:
            calls.append(method)
            return {"Parts": [{"PartNumber": 3, "ETag": self.etag}] if self.etag else [], "ETag": "new"}

    server = Server()
    store = _stores.S3Store(server)
    assert store.part("x", "upload", 3, b"part", sealed=True) == "new"
    server.etag = f'"{hashlib.md5(b"part").hexdigest()}"'
    assert store.part("x", "upload", 3, b"part", sealed=True) == server.etag
    with pytest.raises(polyseal.SourceChanged, match="another plaintext; or .* SSE-KMS.* plan again"):
        store.part("x", "upload", 3, b"other", sealed=True)
    # Where the server encrypts with keys of its own, an ETag is no digest.
    server.etag = '"b54357faf0632cce46e942fa68356b38-x"'
    with pytest.raises(polyseal.SourceChanged, match="does not tell whether it had the same bytes; plan again"):
        store.part("x", "upload", 3, b"part", sealed=True)
    assert calls.count("upload_part") == 1


def test_ranges_of_s3_are_of_one_version_and_asked_for_at_once() -> None:
    stored = bytes(range(100))
    asked = list[dict[str, Any]]()

    class Body(io.BytesIO):
        async def __aenter__(self) -> Body:
            return self

        async def __aexit__(self, *_: object) -> None:
            self.close()

        async def read(self, size: int) -> bytes:  # type: ignore[override]
            return super().read(size)

    class Server:
        loop = get_loop()
        req_kw = {"RequestPayer": "requester"}

        def split_path(self, path: str) -> tuple[str, str, None]:
            return "bucket", path, None

        async def _call_s3(self, method: str, **arguments: Any) -> dict[str, Any]:
            asked.append({"method": method, **arguments})
            # None is answered before all are asked for.
            while len(asked) < 2:
                await asyncio.sleep(0.001)
            first, last = re.findall("[0-9]+", arguments["Range"])
            return {"Body": Body(stored[int(first) : int(last) + 1]), "ContentType": f"x/{first}"}

    store = _stores.S3Store(Server())
    ranges, attributes = store.ranges("x", [(0, 10), (90, 100)], "version")
    assert ranges == [stored[:10], stored[90:]] and attributes == {"ContentType": "x/0"}
    same = {"method": "get_object", "Bucket": "bucket", "Key": "x", "IfMatch": "version", "RequestPayer": "requester"}
    assert asked == [{**same, "Range": "bytes=0-9"}, {**same, "Range": "bytes=90-99"}]
    with pytest.raises(OSError, match="the store gave 5 of 10 bytes"):
        store.read("x", 95, 105, "version")
