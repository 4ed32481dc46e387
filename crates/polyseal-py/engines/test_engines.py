"""Jobs on a Dask cluster of two processes, Ray, Spark and plain executors, with objects of an S3 server."""

from __future__ import annotations

import os
import pickle
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import polyseal
import polyseal.dask
import polyseal.jobs
import pytest
import s3fs
from distributed import Client, LocalCluster
from fsspec.core import url_to_fs
from polyseal._stores import S3Store
from polyseal.errors import SourceChanged
from servers import proxy, s3_options

SMALL, LARGE = 2000, 256 << 20
#: How the server is reached.
STORE: dict[str, Any] = {}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Two workers, each a process."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as found,
    ):
        yield found


@pytest.fixture
def store(server: tuple[int, Path]) -> dict[str, Any]:
    """How workers reach the server."""
    return STORE


@pytest.fixture(scope="module", autouse=True)
def known(server: tuple[int, Path]) -> None:
    STORE.update(s3_options(server[0]))


def fill(folder: Path, small: int, large: int = 0) -> None:
    """Makes objects in ``BUCKET/in``, through the server: what is only a file in its folder has no ETag."""
    fs = s3fs.S3FileSystem(**STORE, skip_instance_cache=True)
    below = f"{folder.parent.name}/{folder.name}"
    fs.pipe({f"{below}/{i:04}": secrets.token_bytes(i * 7 % 20_000) for i in range(small)})
    if large:
        fs.pipe(f"{below}/large", secrets.token_bytes(large))


def same(left: Path, right: Path) -> None:
    subprocess.run(["diff", "-r", left, right], check=True)


def statuses(outcomes: list[polyseal.jobs.Outcome]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in outcomes:
        found[each.status] = found.get(each.status, 0) + 1
        if each.error is not None:
            print(each.name, each.error)
    return found


def test_all_of_it_with_a_worker_killed(
    client: Client, bucket: str, server: tuple[int, Path], store: dict[str, Any], key_file: Path, tmp_path: Path
) -> None:
    folder = server[1] / bucket
    fill(folder / "in", SMALL, LARGE)
    key, new = f"file:{key_file}", tmp_path / "new"
    new.write_text(polyseal.SecretKey.generate().to_key_file())
    arguments: dict[str, Any] = dict(key=key, storage_options=store, objects_per_task=100, part_size=32 << 20)
    plan = polyseal.jobs.plan("encrypt", f"s3://{bucket}/in", f"s3://{bucket}/out", **arguments)
    # No key is in what Dask carries: neither its bytes nor the text of its file.
    carried = pickle.dumps(plan.tasks)
    secret = polyseal.KeyRef(key).resolve()
    assert secret.reveal() not in carried
    assert secret.to_key_file().strip().splitlines()[-1].encode() not in carried
    assert len(plan.tasks) == 20 + 9
    killed: list[int] = []

    def kill(done: polyseal.jobs.Done) -> None:
        if not killed and done.objects > 200:
            [pid, *_] = client.run(os.getpid).values()
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    outcomes = polyseal.dask.run(client, plan, progress=kill)
    assert killed
    # An object that a killed worker had put is there when its task runs again, and is known.
    assert statuses(outcomes) == {"done": SMALL + 1}
    verified = polyseal.dask.run(client, polyseal.jobs.plan("verify", f"s3://{bucket}/out", **arguments))
    assert statuses(verified) == {"done": SMALL + 1}
    # The tool's own format: a part of a file that nobody sealed as a whole.
    with polyseal.open(folder / "out/large", key=key) as sealed, (folder / "in/large").open("rb") as plain:
        plain.seek(200_000_000)
        assert sealed.read_at(200_000_000, 1000) == plain.read(1000)
    rekeyed = polyseal.dask.run(
        client,
        polyseal.jobs.plan("rekey", f"s3://{bucket}/out", to={"key": f"file:{new}"}, keep=False, **arguments),
    )
    assert statuses(rekeyed) == {"done": SMALL + 1}
    arguments["key"] = f"file:{new}"
    back = polyseal.dask.run(
        client, polyseal.jobs.plan("decrypt", f"s3://{bucket}/out", f"s3://{bucket}/back", **arguments)
    )
    assert statuses(back) == {"done": SMALL + 1}
    same(folder / "in", folder / "back")


def test_a_rekey_of_a_large_object_sends_little(
    bucket: str, server: tuple[int, Path], key_file: Path, tmp_path: Path
) -> None:
    folder = server[1] / bucket
    fill(folder / "in", 0, LARGE)
    polyseal.encrypt_file(folder / "in/large", tmp_path / "x", key=f"file:{key_file}")
    s3fs.S3FileSystem(**STORE).put(str(tmp_path / "x"), f"{bucket}/x")
    new = tmp_path / "new"
    new.write_text(polyseal.SecretKey.generate().to_key_file())
    with proxy(server[0]) as counts:
        plan = polyseal.jobs.plan(
            "rekey",
            f"s3://{bucket}/x",
            key=f"file:{key_file}",
            to={"key": f"file:{new}"},
            keep=False,
            storage_options=s3_options(counts.port),
        )
        counts.reset()
        assert statuses(plan.run()) == {"done": 1}
        print(f"sent {counts.sent} bytes, received {counts.received}")
        assert counts.sent < (5 << 20) + 100_000 and counts.received < (5 << 20) + 100_000
    polyseal.verify_file(folder / "x", key=f"file:{new}")
    with pytest.raises(polyseal.NoMatchingKey):
        polyseal.verify_file(folder / "x", key=f"file:{key_file}")


@pytest.mark.parametrize("size", [1000, 12 << 20])
def test_a_writer_that_races_loses_nothing(
    size: int, bucket: str, server: tuple[int, Path], store: dict[str, Any], key_file: Path, tmp_path: Path
) -> None:
    folder = server[1] / bucket
    fill(folder / "in", 0, size)
    key = f"file:{key_file}"
    fs = s3fs.S3FileSystem(**store)
    polyseal.encrypt_file(folder / "in/large", tmp_path / "sealed", key=key)
    fs.put(str(tmp_path / "sealed"), f"{bucket}/x")
    arguments: dict[str, Any] = dict(key=key, storage_options=store, part_size=5 << 20)
    rekey = polyseal.jobs.plan("rekey", f"s3://{bucket}/x", to={"recipients": age_recipient()}, keep=True, **arguments)
    encrypt = polyseal.jobs.plan("encrypt", f"s3://{bucket}/in", f"s3://{bucket}/out", **arguments)
    overwrite = polyseal.jobs.plan("encrypt", f"s3://{bucket}/in/large", f"s3://{bucket}/x", overwrite=True, **arguments)
    for name in ("x", "out/large"):
        fs.pipe(f"{bucket}/{name}", b"of another writer")
    for plan in (rekey, encrypt, overwrite):
        [outcome] = plan.run()
        # The store refused to read another version, or to write over it.
        assert (outcome.status, "changed since" in str(outcome.error)) in (("conflict", False), ("failed", True)), outcome
    for name in ("x", "out/large"):
        assert (folder / name).read_bytes() == b"of another writer"
    assert not fs.call_s3("list_multipart_uploads", Bucket=bucket).get("Uploads")


@pytest.mark.parametrize("size", [1000, 12 << 20])
def test_a_source_that_changes_begins_with_a_new_file_key(
    size: int, bucket: str, server: tuple[int, Path], store: dict[str, Any], key_file: Path
) -> None:
    fs = s3fs.S3FileSystem(**store)
    fs.pipe(f"{bucket}/in/x", secrets.token_bytes(size))
    arguments: dict[str, Any] = dict(key=f"file:{key_file}", storage_options=store, part_size=5 << 20)
    plan = polyseal.jobs.plan("encrypt", f"s3://{bucket}/in", f"s3://{bucket}/out", **arguments)
    # One part is sealed and sent; then the source changes.
    results = [plan.tasks[0].run()]
    fs.pipe(f"{bucket}/in/x", changed := secrets.token_bytes(size))
    results += [task.run() for task in plan.tasks[1:]]
    again = polyseal.jobs.plan("encrypt", f"s3://{bucket}/in", f"s3://{bucket}/out", **arguments)
    [outcome] = plan.results(results)
    if size > 5 << 20:
        assert outcome.status == "failed" and SourceChanged.__name__ in str(outcome.error)
        tickets = {part.ticket for each in (plan, again) for task in each.tasks for part in task.parts}
        assert len(tickets) == 2
        [outcome] = again.run()
        assert outcome.status == "done"
        with polyseal.open(server[1] / bucket / "out/x", key=f"file:{key_file}") as file:
            assert file.read() == changed
    else:
        assert outcome.status == "done"
    assert not fs.call_s3("list_multipart_uploads", Bucket=bucket).get("Uploads")


def test_two_plaintexts_are_never_sealed_as_one_part(
    bucket: str, store: dict[str, Any], key_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A source that shows other contents under the same version, to a task that is run again."""
    s3fs.S3FileSystem(**store).pipe(f"{bucket}/in/x", secrets.token_bytes(12 << 20))
    arguments: dict[str, Any] = dict(key=f"file:{key_file}", storage_options=store, part_size=5 << 20)
    plan = polyseal.jobs.plan("encrypt", f"s3://{bucket}/in", f"s3://{bucket}/out", **arguments)
    task = next(each for each in plan.tasks if each.parts[0].number == 2)
    [first] = task.run().parts
    [again] = task.run().parts
    assert first.etag is not None and again.etag == first.etag
    read = S3Store.read
    monkeypatch.setattr(S3Store, "read", lambda *asked: bytes(each ^ 1 for each in read(*asked)))
    [other] = task.run().parts
    assert other.etag is None and "sealed before, with another plaintext" in str(other.error)
    plan.abandon()


@pytest.mark.parametrize("size", [1000, 12 << 20])
def test_a_rekey_keeps_what_the_store_tells_of_an_object(
    size: int, bucket: str, server: tuple[int, Path], store: dict[str, Any], key_file: Path, tmp_path: Path
) -> None:
    fill(server[1] / bucket / "in", 0, size)
    polyseal.encrypt_file(server[1] / bucket / "in/large", tmp_path / "x", key=f"file:{key_file}")
    fs = s3fs.S3FileSystem(**store)
    told = dict(
        ContentType="text/csv",
        CacheControl="max-age=60",
        ContentDisposition='attachment; filename="x.csv"',
        ContentEncoding="polyseal",
        ContentLanguage="de",
        Metadata={"owner": "alice"},
    )
    fs.call_s3("put_object", Bucket=bucket, Key="x", Body=(tmp_path / "x").read_bytes(), **told)
    for _ in range(2):
        plan = polyseal.jobs.plan(
            "rekey",
            f"s3://{bucket}/x",
            key=f"file:{key_file}",
            to={"key": f"file:{key_file}"},
            keep=True,
            storage_options=store,
        )
        assert statuses(plan.run()) == {"done": 1}
        found = fs.call_s3("head_object", Bucket=bucket, Key="x")
        assert found["Metadata"].pop("polyseal-task")
        assert {name: found[name] for name in told} == told
    polyseal.verify_file(server[1] / bucket / "x", key=f"file:{key_file}")


def test_a_task_that_is_run_again_knows_its_own_objects(
    bucket: str, server: tuple[int, Path], store: dict[str, Any], key_file: Path
) -> None:
    """As a scheduler does it that has lost a worker."""
    fill(server[1] / bucket / "in", 5, 12 << 20)
    arguments: dict[str, Any] = dict(key=f"file:{key_file}", storage_options=store)
    out, back = f"s3://{bucket}/out", f"s3://{bucket}/back"
    to = {"to": {"key": f"file:{key_file}"}, "keep": True}
    for operation, urls, more in [
        ("encrypt", (f"s3://{bucket}/in", out), {}),
        ("decrypt", (out, back), {}),
        ("rekey", (out,), to),
    ]:
        plan = polyseal.jobs.plan(operation, *urls, **arguments, **more)
        other = polyseal.jobs.plan(operation, *urls, **arguments, **more)
        [task], [task_of_another] = plan.tasks, other.tasks
        first = task.run().outcomes
        assert {each.status for each in first} == {"done"} and len(first) == 6
        assert task.run().outcomes == first
        assert "done" not in {each.status for each in task_of_another.run().outcomes}
    same(server[1] / bucket / "in", server[1] / bucket / "back")


def replaced(bucket: str, name: str, alter: Any) -> None:
    """As whoever may write there does it: other contents, and the mark, which everybody sees who may read."""
    fs = s3fs.S3FileSystem(**STORE, skip_instance_cache=True)
    found = fs.call_s3("head_object", Bucket=bucket, Key=name)["Metadata"]["polyseal-task"]
    stored = fs.cat_file(f"{bucket}/{name}")
    fs.call_s3("put_object", Bucket=bucket, Key=name, Body=alter(stored), Metadata={"polyseal-task": found})


def middle(stored: bytes) -> bytes:
    at = len(stored) // 2
    return stored[:at] + bytes([stored[at] ^ 1]) + stored[at + 1 :]


@pytest.mark.parametrize("size", [20_000, 12 << 20])
@pytest.mark.parametrize("operation", ["encrypt", "decrypt", "rekey"])
def test_a_copied_mark_makes_nothing_done(
    operation: Any, size: int, bucket: str, server: tuple[int, Path], store: dict[str, Any], key_file: Path
) -> None:
    """Whole objects, and those that go up in parts, of which one task does all."""
    fill(server[1] / bucket / "in", 0, size)
    arguments: dict[str, Any] = dict(key=f"file:{key_file}", storage_options=store)
    out, back = f"s3://{bucket}/out", f"s3://{bucket}/back"
    if operation != "encrypt":
        assert statuses(polyseal.jobs.plan("encrypt", f"s3://{bucket}/in", out, **arguments).run()) == {"done": 1}
    urls = {"encrypt": (f"s3://{bucket}/in", out), "decrypt": (out, back), "rekey": (out,)}[operation]
    if operation == "rekey":
        arguments.update(to={"key": f"file:{key_file}"}, keep=False)
    plan = polyseal.jobs.plan(operation, *urls, **arguments)
    [task], name = plan.tasks, f"{'back' if operation == 'decrypt' else 'out'}/large"
    assert statuses([*task.run().outcomes]) == statuses([*task.run().outcomes]) == {"done": 1}
    fs = s3fs.S3FileSystem(**store, skip_instance_cache=True)
    stored = fs.cat_file(f"{bucket}/{name}")
    # In a store, an object that was put at once and one of parts have other versions.
    for alter in (middle, lambda stored: stored[:-65_552], lambda stored: b"rubbish", lambda stored: stored + b"0"):
        replaced(bucket, name, alter)
        assert "done" not in statuses([*task.run().outcomes])
        replaced(bucket, name, lambda _: stored)
    assert statuses([*task.run().outcomes]) == {"done": 1}


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_an_answer_that_was_lost(
    operation: Any,
    bucket: str,
    server: tuple[int, Path],
    store: dict[str, Any],
    key_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The parts of several tasks have become an object, and the client asks again: what is there is read."""
    from polyseal import _stores

    fill(server[1] / bucket / "in", 0, 12 << 20)
    complete = _stores.S3Store.complete
    arguments: dict[str, Any] = dict(key=f"file:{key_file}", storage_options=store, part_size=5 << 20)
    source, target = f"s3://{bucket}/in", f"s3://{bucket}/out"
    if operation == "decrypt":
        assert statuses(polyseal.jobs.plan("encrypt", source, target, **arguments).run()) == {"done": 1}
        source, target = target, f"s3://{bucket}/back"
    name = f"{target.rpartition('/')[2]}/large"
    altered: list[Any] = [None, middle, lambda stored: stored[:-1]]
    for alter in altered:

        def lost(self: _stores.S3Store, path: str, upload: str, etags: list[str], expected_version: str | None) -> str:
            complete(self, path, upload, etags, expected_version)
            if alter is not None:
                replaced(bucket, name, alter)
            raise _stores.Conflict("asked twice")

        monkeypatch.setattr(_stores.S3Store, "complete", lost)
        plan = polyseal.jobs.plan(operation, source, target, overwrite=True, **arguments)
        assert len(plan.tasks) >= 3
        [outcome] = plan.run()
        assert (outcome.status, outcome.after is None) == (("done", False) if alter is None else ("conflict", True))


def test_an_empty_source_that_changes(
    bucket: str, server: tuple[int, Path], store: dict[str, Any], key_file: Path
) -> None:
    fs = s3fs.S3FileSystem(**store)
    fs.pipe({f"{bucket}/in/{name}": b"" for name in "ab"})
    plan = polyseal.jobs.plan(
        "encrypt", f"s3://{bucket}/in", f"s3://{bucket}/out", key=f"file:{key_file}", storage_options=store
    )
    fs.pipe(f"{bucket}/in/a", b"no more")
    assert [each.status for each in plan.run()] == ["failed", "done"]


def test_a_bucket_that_is_missing_is_told_of(store: dict[str, Any], key_file: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        polyseal.jobs.plan("verify", "s3://nowhere/in", key=f"file:{key_file}", storage_options=store)


def test_a_worker_of_dask_takes_only_the_keys_that_it_allows(
    client: Client, bucket: str, server: tuple[int, Path], store: dict[str, Any]
) -> None:
    fill(server[1] / bucket / "in", 3)
    plan = polyseal.jobs.plan("verify", f"s3://{bucket}/in", key="file:/elsewhere/key", storage_options=store)
    outcomes = polyseal.dask.run(client, plan)
    assert statuses(outcomes) == {"failed": 3}
    assert all("POLYSEAL_TASK_KEYS" in str(each.error) for each in outcomes)


def test_a_large_file_goes_up_piece_by_piece(
    bucket: str, server: tuple[int, Path], key_file: Path, tmp_path: Path
) -> None:
    """From where versions are not compared by the server one task takes all of it, and holds little of it."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/large").write_bytes(secrets.token_bytes(100 << 20))
    with proxy(server[0]) as counts:
        options = s3_options(counts.port)
        plan = polyseal.jobs.plan(
            "encrypt",
            f"file://{tmp_path}/in",
            f"s3://{bucket}/out",
            key=f"file:{key_file}",
            storage_options={},
            target_options=options,
        )
        assert statuses(plan.run()) == {"done": 1}
        assert 10 <= sum("partNumber" in line for line in counts.first_lines) <= 13
        assert s3fs.S3FileSystem(**options).info(f"{bucket}/out/large")["size"] > 100 << 20
        with polyseal.open(server[1] / bucket / "out/large", key=f"file:{key_file}") as file:
            assert file.read() == (tmp_path / "in/large").read_bytes()
        # A failure in the middle leaves nothing.
        (tmp_path / "in/large").write_bytes(b"")
        stale = [task.run().outcomes[0].status for task in plan.tasks]
        assert stale == ["failed"]
    assert not s3fs.S3FileSystem(**STORE).call_s3("list_multipart_uploads", Bucket=bucket).get("Uploads")


def test_two_workers_are_faster_than_one_where_requests_wait(
    bucket: str, server: tuple[int, Path], key_file: Path
) -> None:
    """Each request waits for 20 ms, as at a store that is far away. Prints what it measures."""
    fill(server[1] / bucket / "in", 240)
    with proxy(server[0], delay=0.02) as counts:
        seconds: dict[int, float] = {}
        for workers in (1, 2, 1, 2):
            plan = polyseal.jobs.plan(
                "encrypt",
                f"s3://{bucket}/in",
                f"s3://{bucket}/out-{workers}-{time.time_ns()}",
                key=f"file:{key_file}",
                storage_options=s3_options(counts.port),
                objects_per_task=20,
                concurrency=2,
            )
            with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
                # Processes start, and import what they need.
                list(pool.map(warm, range(workers * 4)))
                start = time.perf_counter()
                results = list(pool.map(polyseal.jobs.run, plan.tasks))
                took = time.perf_counter() - start
            assert statuses(plan.results(results)) == {"done": 240}
            seconds[workers] = min(took, seconds.get(workers, took))
            cpu: dict[str, float] = {}
            for each in results:
                cpu[each.process] = cpu.get(each.process, 0.0) + each.cpu_seconds
            print(f"{workers} workers: {took:.2f} s; CPU seconds by process: {[round(c, 2) for c in cpu.values()]}")
    print(f"two workers are {seconds[1] / seconds[2]:.2f} times as fast as one")


def warm(_: int) -> None:
    import s3fs as _s3fs  # noqa: F401

    time.sleep(0.5)


def test_a_manifest_makes_it_resumable(
    bucket: str, server: tuple[int, Path], store: dict[str, Any], key_file: Path, tmp_path: Path
) -> None:
    fill(server[1] / bucket / "in", 30)
    manifest = tmp_path / "manifest.jsonl"

    def plan() -> polyseal.jobs.Plan:
        return polyseal.jobs.plan(
            "encrypt",
            f"s3://{bucket}/in",
            f"s3://{bucket}/out",
            key=f"file:{key_file}",
            storage_options=store,
            objects_per_task=10,
            manifest=manifest,
        )

    first = plan()
    first.take(first.tasks[0].run())
    with manifest.open("a") as lines:
        lines.write('{"name": "0011", "operat')
    second = plan()
    assert [item.name for item in second.items] == [f"{i:04}" for i in range(10, 30)]
    with ThreadPoolExecutor(2) as pool:
        assert statuses(second.run(pool)) == {"done": 20}
    assert plan().items == []


def test_ray(bucket: str, server: tuple[int, Path], store: dict[str, Any], key_file: Path) -> None:
    import polyseal.ray
    import ray

    fill(server[1] / bucket / "in", 50)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        arguments: dict[str, Any] = dict(key=f"file:{key_file}", storage_options=store, objects_per_task=10)
        plan = polyseal.jobs.plan("encrypt", f"s3://{bucket}/in", f"s3://{bucket}/out", **arguments)
        assert statuses(polyseal.ray.run(plan)) == {"done": 50}
    finally:
        ray.shutdown()
    back = polyseal.jobs.plan("decrypt", f"s3://{bucket}/out", f"s3://{bucket}/back", **arguments)
    assert statuses(back.run()) == {"done": 50}
    same(server[1] / bucket / "in", server[1] / bucket / "back")


def test_spark(
    bucket: str, server: tuple[int, Path], store: dict[str, Any], key_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql import SparkSession

    fill(server[1] / bucket / "in", 50)
    plan = polyseal.jobs.plan(
        "encrypt",
        f"s3://{bucket}/in",
        f"s3://{bucket}/out",
        key=f"file:{key_file}",
        storage_options=store,
        objects_per_task=10,
    )
    # Otherwise it takes the first Python on the path.
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        tasks = spark.sparkContext.parallelize(plan.tasks, len(plan.tasks))
        results = tasks.mapPartitions(lambda part: map(polyseal.jobs.run, part)).toLocalIterator()
        assert statuses(plan.results(results)) == {"done": 50}
    finally:
        spark.stop()
    fs, path = url_to_fs(f"polyseal::s3://{bucket}/out/0007", polyseal={"key": f"file:{key_file}"}, s3=store)
    assert fs.cat_file(path) == (server[1] / bucket / "in/0007").read_bytes()


def age_recipient() -> str:
    """A recipient without an owner: its identity has been thrown away."""
    return "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
