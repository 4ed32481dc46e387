# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The store of epochs in Python: each number once, on the disk before it is given, and never back."""

import os
import sys
import threading
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent / "driver"))

from omd_link_driver.epochs import EpochError, EpochFile  # noqa: E402


def text(given):
    return f"omd-link epochs 1\n{given}\n"


def test_each_number_is_on_the_disk_before_it_is_given(tmp_path):
    path = tmp_path / "epochs"
    epochs = EpochFile.create(path)
    for number in (1, 2, 3):
        assert epochs.take() == number and path.read_text() == text(number)
    assert EpochFile(path).take() == 4
    assert epochs.take() == 5                             # after another's
    (tmp_path / "epochs.new").write_text("half")          # a write that was broken off
    assert epochs.take() == 6


def test_the_file_its_name_and_only_then_the_number(tmp_path, monkeypatch):
    path, done = tmp_path / "epochs", []
    epochs = EpochFile.create(path)
    rename, fsync = os.rename, os.fsync

    def flush(file):
        name = Path(os.readlink(f"/proc/self/fd/{file}"))
        done.append(("flushed", name, (tmp_path / "epochs.new").exists() and (tmp_path / "epochs.new").read_text()))
        fsync(file)

    monkeypatch.setattr(os, "fsync", flush)
    monkeypatch.setattr(os, "rename", lambda old, new: (done.append(("renamed", Path(old), Path(new))), rename(old, new)))
    assert epochs.take() == 1
    new = tmp_path / "epochs.new"
    assert done == [("flushed", new, text(1)), ("renamed", new, path), ("flushed", tmp_path, False)]

    def fails(file):
        raise OSError("the disk is gone")

    for broken in ("fsync", "rename"):                    # a number that may not be on the disk is not given, now or later
        with monkeypatch.context() as patch:
            patch.setattr(os, broken, lambda *_: fails(None))
            with pytest.raises(OSError, match="the disk is gone"):
                epochs.take()
        assert epochs.given == 1 and path.read_text() == text(1)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: fails(file) if os.readlink(f"/proc/self/fd/{file}") == str(tmp_path) else fsync(file))
        with pytest.raises(OSError, match="the disk is gone"):
            epochs.take()
    assert epochs.take() == 3                             # 2 may be on the disk


def test_nobody_gets_a_number_that_another_has(tmp_path):
    path, link = tmp_path / "epochs", tmp_path / "other-name"
    EpochFile.create(path)
    link.symlink_to(path)
    taken = []

    def take(path):
        epochs = EpochFile(path)
        for _ in range(10):
            taken.append(epochs.take())

    takers = [threading.Thread(target=take, args=(p,)) for p in (path, link, path, path)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    assert sorted(taken) == list(range(1, 41))


def test_what_went_back_is_missing_or_is_no_store_gives_nothing(tmp_path):
    path = tmp_path / "epochs"
    with pytest.raises(EpochError, match="no file of epochs is here"):
        EpochFile(path)
    epochs = EpochFile.create(path)
    old = path.read_bytes()
    epochs.take()
    with pytest.raises(FileExistsError):
        EpochFile.create(path)
    path.write_bytes(old)
    with pytest.raises(EpochError, match="went back to 0, and 1 was used"):
        epochs.take()
    path.unlink()
    with pytest.raises(EpochError, match="no file of epochs is here"):
        epochs.take()
    for other in ("", "-1", "+1", "01", " 1", "1 ", "1_0", "18446744073709551616", "1\n2", "\u0661"):
        path.write_text(text(other))
        with pytest.raises(EpochError, match="this is no file"):
            epochs.take()
        with pytest.raises(EpochError, match="this is no file"):
            EpochFile(path)
    assert EpochFile.reset(path, 7).take() == 8
    epochs = EpochFile.reset(path, 2**64 - 2)
    assert epochs.take() == 2**64 - 1
    with pytest.raises(EpochError, match="all epochs were used"):
        epochs.take()
    with pytest.raises(ValueError):
        EpochFile.reset(path, 2**64)


def test_a_link_that_leads_nowhere_is_refused(tmp_path):
    path = tmp_path / "epochs"
    path.symlink_to(tmp_path / "nothing")
    for opened in (EpochFile, EpochFile.create, lambda path: EpochFile.reset(path, 3)):
        with pytest.raises(FileNotFoundError, match="leads nowhere"):
            opened(path)
    assert path.is_symlink() and not (tmp_path / "nothing").exists()
