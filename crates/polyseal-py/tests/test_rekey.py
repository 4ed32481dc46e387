"""One rekey of a file at a time, by this package or by the tool, and none of what it does not know."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polyseal
import pytest
from polyseal import SecretKey, SourceChanged


@pytest.fixture
def path(tmp_path: Path, key: SecretKey) -> Path:
    """An encrypted file."""
    with polyseal.files.EncryptedWriter(tmp_path / "file", key=key, header_size=4096 * 3) as file:
        file.write(os.urandom(100_000))
    return tmp_path / "file"


def until_done(rekey: Callable[[], object]) -> None:
    """As somebody does it who is told that the file has been changed meanwhile."""
    for _ in range(1000):
        try:
            return void(rekey())
        except (SourceChanged, TimeoutError):
            time.sleep(0.001)
    raise AssertionError("never done")


def void(_: object) -> None:
    return None


@pytest.mark.parametrize("new_key", [False, True])
def test_of_two_at_once_none_is_lost(path: Path, key: SecretKey, new_key: bool) -> None:
    keys = [SecretKey.generate() for _ in range(6)]
    failed: list[BaseException] = []

    def work(mine: SecretKey) -> None:
        try:
            until_done(lambda: polyseal.rekey_file(path, key=key, to={"key": mine}, keep=True))
            if new_key:
                until_done(lambda: polyseal.rekey_file(path, key=key, to={"key": [key, *keys]}, keep=False, new_key=True))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(mine,)) for mine in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    for each in [key, *keys]:
        assert polyseal.verify_file(path, key=each).size == 100_000
    assert os.listdir(path.parent) == ["file"]


def test_the_tool_and_the_package_wait_for_each_other(
    path: Path, tmp_path: Path, key: SecretKey, tool: Callable[..., str]
) -> None:
    keys = [SecretKey.generate() for _ in range(8)]
    for i, each in enumerate([key, *keys]):
        (tmp_path / f"k{i}").write_text(each.to_key_file())
        (tmp_path / f"k{i}").chmod(0o600)
    failed: list[BaseException] = []

    def by_tool() -> None:
        for i in range(1, 5):
            for _ in range(100):
                try:
                    tool("rekey", "--keep", "--in-place", "-k", tmp_path / "k0", "--to-key", tmp_path / f"k{i}", path)
                    break
                except AssertionError as error:
                    if "meanwhile" not in str(error) and "another program" not in str(error):
                        failed.append(error)
            else:
                failed.append(AssertionError("never done"))

    thread = threading.Thread(target=by_tool)
    thread.start()
    for each in keys[4:]:
        until_done(lambda mine=each: polyseal.rekey_file(path, key=key, to={"key": mine}, keep=True))  # type: ignore[misc]
    thread.join()
    assert not failed, failed
    for each in [key, *keys]:
        assert polyseal.verify_file(path, key=each).size == 100_000
    # The tool's lock is this one, and the other way round.
    with path.open("rb") as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        with ThreadPoolExecutor() as pool:
            refused = pool.submit(
                tool, "rekey", "--keep", "-k", tmp_path / "k0", "--to-key", tmp_path / "k1", path
            )
            with pytest.raises(TimeoutError, match="another program") as raised:
                polyseal.rekey_file(path, key=key, to={"key": keys[0]}, keep=True)
            assert (raised.value.errno, raised.value.filename) == (errno.ETIMEDOUT, str(path))
            with pytest.raises(AssertionError, match="another program"):
                refused.result()


@pytest.mark.parametrize("new_key", [False, True])
@pytest.mark.parametrize("how", ["replaced", "other header"])
def test_a_file_that_has_changed_meanwhile_stays(path: Path, key: SecretKey, new_key: bool, how: str) -> None:
    other = path.with_name("other")
    polyseal.encrypt_file(path, other, key=key, header_size=4096 * 3)
    there = other.read_bytes()

    def opened() -> int:
        links = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")]
        return sum(os.path.exists(link) and os.path.samefile(link, path) for link in links)

    with path.open("rb") as locked, ThreadPoolExecutor() as pool:
        fcntl.flock(locked, fcntl.LOCK_EX)
        new: polyseal.KeySetArgs = {"key": SecretKey.generate()}
        rekeyed = pool.submit(polyseal.rekey_file, path, key=key, to=new, keep=False, new_key=new_key)
        # It has read the header, and opened the file once more to lock it.
        while opened() < 3:
            time.sleep(0.001)
        if how == "replaced":
            other.rename(path)
        else:
            path.write_bytes(there)
        locked.close()
        with pytest.raises(SourceChanged, match="meanwhile") as raised:
            rekeyed.result()
    assert raised.value.filename == str(path) and path.read_bytes() == there


def test_what_the_tool_has_left_is_in_the_way(path: Path, key: SecretKey) -> None:
    backup = path.with_name("file.header-backup")
    backup.write_bytes(path.read_bytes()[:12288] * 2)
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="rekey --restore") as raised:
        polyseal.rekey_file(path, key=key, to={"key": SecretKey.generate()}, keep=False)
    assert path.read_bytes() == before and raised.value.filename == str(backup)
    # A file that only has its name is reported, and does not keep a file from being rekeyed.
    backup.write_bytes(b"of another")
    with pytest.warns(UserWarning, match="no copy of a header"):
        polyseal.rekey_file(path, key=key, to={"key": key}, keep=False)
    assert path.read_bytes() != before and backup.read_bytes() == b"of another"


def test_the_header_keeps_its_length_under_a_new_key(path: Path, key: SecretKey) -> None:
    polyseal.rekey_file(path, key=key, to={"key": key}, keep=False, new_key=True)
    assert polyseal.inspect(path).header_size == 4096 * 3


def test_a_link_stays_and_its_file_is_rekeyed(path: Path, key: SecretKey) -> None:
    link, new = path.with_name("link"), SecretKey.generate()
    link.symlink_to("file")
    polyseal.rekey_file(link, key=key, to={"key": new}, keep=False)
    assert link.is_symlink() and polyseal.verify_file(path, key=new).size == 100_000
