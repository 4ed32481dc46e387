"""One rekey of a file at a time, by this package or by the tool, and none of what it does not know."""

from __future__ import annotations

import fcntl
import os
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polyseal
import pytest
from polyseal import SecretKey, SourceChanged, _directory, _rekey


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
            until_done(lambda: polyseal.rekey_file(path, key=key, to={"key": mine}))
            if new_key:
                until_done(lambda: polyseal.rekey_file(path, key=key, to={"key": [key, *keys]}, new_key=True))
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
    path: Path, tmp_path: Path, key: SecretKey, tool: Callable[..., str], monkeypatch: pytest.MonkeyPatch
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
        until_done(lambda mine=each: polyseal.rekey_file(path, key=key, to={"key": mine}))  # type: ignore[misc]
    thread.join()
    assert not failed, failed
    for each in [key, *keys]:
        assert polyseal.verify_file(path, key=each).size == 100_000
    # The tool's lock is this one, and the other way round.
    with path.open("rb") as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        monkeypatch.setattr(_rekey, "_PATIENCE", 0.1)
        with pytest.raises(TimeoutError, match="another program"):
            polyseal.rekey_file(path, key=key, to={"key": keys[0]})
        with pytest.raises(AssertionError, match="another program"):
            tool("rekey", "--keep", "-k", tmp_path / "k0", "--to-key", tmp_path / "k1", path)


@pytest.mark.parametrize("new_key", [False, True])
@pytest.mark.parametrize("how", ["replaced", "other header"])
def test_a_file_that_has_changed_meanwhile_stays(
    path: Path, key: SecretKey, new_key: bool, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = path.with_name("other")
    polyseal.encrypt_file(path, other, key=key, header_size=4096 * 3)
    there = other.read_bytes()
    close = _directory.Staged.close

    def meanwhile(self: Any) -> None:
        close(self)
        if how == "replaced" and other.exists():
            other.rename(path)
        else:
            path.write_bytes(there)

    monkeypatch.setattr(_directory.Staged, "close", meanwhile)
    with pytest.raises(SourceChanged, match="meanwhile"):
        polyseal.rekey_file(path, key=key, to={"key": SecretKey.generate()}, new_key=new_key)
    assert path.read_bytes() == there


def test_what_the_tool_has_left_is_in_the_way(path: Path, key: SecretKey) -> None:
    backup = path.with_name("file.header-backup")
    backup.write_bytes(path.read_bytes()[:12288] * 2)
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="rekey --restore"):
        polyseal.rekey_file(path, key=key, to={"key": SecretKey.generate()})
    assert path.read_bytes() == before


def test_the_header_keeps_its_length_under_a_new_key(path: Path, key: SecretKey) -> None:
    polyseal.rekey_file(path, key=key, to={"key": key}, new_key=True)
    assert polyseal.inspect(path).header_size == 4096 * 3


def test_a_link_stays_and_its_file_is_rekeyed(path: Path, key: SecretKey) -> None:
    link, new = path.with_name("link"), SecretKey.generate()
    link.symlink_to("file")
    polyseal.rekey_file(link, key=key, to={"key": new}, remove_others=True)
    assert link.is_symlink() and polyseal.verify_file(path, key=new).size == 100_000


def test_a_name_is_on_disk_before_it_is_told(tmp_path: Path, key: SecretKey, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain").write_bytes(b"message")
    synced: list[str] = []
    fsync = os.fsync

    def watched(fd: int) -> None:
        is_directory = stat.S_ISDIR(os.fstat(fd).st_mode)
        synced.append("directory" if is_directory else "file")
        if is_directory:
            assert (tmp_path / "sealed").exists()
        fsync(fd)

    monkeypatch.setattr(os, "fsync", watched)
    for overwrite in (False, True):
        synced.clear()
        polyseal.encrypt_file(tmp_path / "plain", tmp_path / "sealed", key=key, overwrite=overwrite)
        assert synced == ["file", "directory"]
