"""Signed statements: of files by their names, of what is read in parts, and of files in stores."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import polyseal
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from polyseal import AllowedSigners, NotSignedError, SecretKey, SigningKey
from polyseal.fs import PolysealFileSystem

TEXT = bytes(i * i % 251 for i in range(300_000))
ALICE = SigningKey.generate()
ALLOWED = AllowedSigners(f"alice@example.org {ALICE.public_key}\n")
BOB = AllowedSigners(f"bob@example.org {SigningKey.generate().public_key}\n")


@pytest.fixture
def signed(tmp_path: Path) -> tuple[SecretKey, Path]:
    """A key, and a file that was signed when it was encrypted."""
    (tmp_path / "m").write_bytes(TEXT)
    key, path = SecretKey.generate(), tmp_path / "c"
    summary = polyseal.encrypt_file(tmp_path / "m", path, key=key, sign=ALICE, segment_size=4096)
    assert summary.size == len(TEXT) and summary.signer is None and (tmp_path / "c.sig").exists()
    return key, path


def test_a_signed_file_is_read_wholly_and_in_parts(signed: tuple[SecretKey, Path], tmp_path: Path) -> None:
    key, path = signed
    for whose in {"signers": ALLOWED}, {"signers": ALLOWED, "by": "alice@example.org"}:
        summary = polyseal.decrypt_file(path, tmp_path / "out", key=key, overwrite=True, **whose)
        assert (tmp_path / "out").read_bytes() == TEXT and summary.signer is not None
        assert summary.signer.name == "alice@example.org" and summary.signer.fingerprint.startswith("SHA256:")
        assert polyseal.verify_file(path, key=key, **whose) == summary
    with polyseal.open(path, key=key, signers=ALLOWED) as file:
        assert file.read_at(200_000, 10) == TEXT[200_000:200_010] and file.read() == TEXT
    with path.open("rb") as stored, polyseal.open(stored, key=key, signers=ALLOWED, signature=f"{path}.sig") as file:
        assert file.read_at(299_995, 10) == TEXT[-5:]
    # Without a key, the ciphertext alone.
    bare = polyseal.verify_file(path, signers=ALLOWED)
    assert bare == summary
    # The statement is elsewhere.
    (tmp_path / "c.sig").rename(tmp_path / "elsewhere")
    assert polyseal.verify_file(path, signers=ALLOWED, signature=tmp_path / "elsewhere") == bare


def test_a_file_that_is_there_is_signed(tmp_path: Path) -> None:
    key, new, path = SecretKey.generate(), SecretKey.generate(), tmp_path / "c"
    with polyseal.open(path, "wb", key=key) as file:
        file.write(TEXT)
    polyseal.sign_file(path, ALICE)
    with pytest.raises(FileExistsError):
        polyseal.sign_file(path, ALICE, key=key)
    # Bound to the header: it ends with other recipients. Bound to the key: it stays.
    with pytest.warns(UserWarning, match="does not fit the rekeyed file"):
        polyseal.rekey_file(path, key=key, to={"key": new}, keep=True)
    with pytest.raises(NotSignedError, match="about another file"):
        polyseal.verify_file(path, signers=ALLOWED)
    polyseal.sign_file(path, ALICE, key=key, overwrite=True)
    polyseal.rekey_file(path, key=key, to={"key": new}, keep=False)
    assert polyseal.verify_file(path, key=new, signers=ALLOWED).size == len(TEXT)
    with pytest.raises(polyseal.NoMatchingKey):
        polyseal.sign_file(path, ALICE, key=key, overwrite=True)


def test_a_statement_that_is_a_pipe_is_not_waited_for(signed: tuple[SecretKey, Path], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="a statement is a regular file"):
        polyseal.verify_file(signed[1], signers=ALLOWED, signature=tmp_path / "pipe")


def test_without_an_accepted_statement_nothing_is_given_out(signed: tuple[SecretKey, Path], tmp_path: Path) -> None:
    key, path = signed

    def refused(match: str, **whose: Any) -> None:
        sink = io.BytesIO()
        for read in (
            lambda: polyseal.decrypt_file(path, sink, key=key, **whose),
            lambda: polyseal.decrypt_file(path, tmp_path / "out", key=key, **whose),
            lambda: polyseal.verify_file(path, key=key, **whose),
            lambda: polyseal.verify_file(path, **whose),
            lambda: polyseal.open(path, key=key, **whose),
        ):
            with pytest.raises(NotSignedError, match=match) as raised:
                read()
            assert raised.value.filename == str(path)
        assert sink.getvalue() == b"" and not (tmp_path / "out").exists()

    refused("no signature of it", signers=BOB)
    refused("no signature of it", signers=ALLOWED, by="bob@example.org")
    refused("no signature of it", signers=AllowedSigners("# nobody"))
    refused("it has no statement", signers=ALLOWED, signature=tmp_path / "none")
    # Another file by somebody who can open this one.
    polyseal.encrypt_file(tmp_path / "m", path, key=key, overwrite=True)
    refused("about another file", signers=ALLOWED)


def test_signers_that_are_not_given_are_not_passed_over(signed: tuple[SecretKey, Path], tmp_path: Path) -> None:
    key, path = signed
    for whose in {"by": "alice@example.org"}, {"signature": tmp_path / "c.sig"}:
        with pytest.raises(ValueError, match="give signers, too"):
            polyseal.verify_file(path, key=key, **whose)
    for wrong in "signers", f"a {ALICE.public_key}", b"", 0, [ALLOWED]:
        with pytest.raises(TypeError, match="AllowedSigners.from_file"):
            polyseal.verify_file(path, key=key, signers=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="standard input|file object has no statement"), path.open("rb") as stored:
        polyseal.verify_file(stored, key=key, signers=ALLOWED)
    with pytest.raises(ValueError, match="needs a file to go to"):
        polyseal.encrypt_file(path, io.BytesIO(), key=key, sign=ALICE)
    with pytest.raises(TypeError, match="SigningKey.from_file"):
        polyseal.encrypt_file(path, tmp_path / "d", key=key, sign="alice")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is signed later"):
        polyseal.open(tmp_path / "d", "wb", key=key, signers=ALLOWED)  # type: ignore[call-overload]
    assert not (tmp_path / "d").exists()


def test_keys_and_lists(tmp_path: Path) -> None:
    (tmp_path / "alice").write_text(ALICE.to_openssh())
    assert SigningKey.from_file(tmp_path / "alice").public_key == ALICE.public_key
    assert SigningKey(ALICE.to_openssh().encode()).public_key == ALICE.public_key
    with pytest.raises(FileNotFoundError):
        SigningKey.from_file(tmp_path / "none")
    for wrong in "", "x", ALICE.public_key:
        with pytest.raises(ValueError, match="no private key that signs here") as raised:
            SigningKey(wrong)
        assert not wrong or wrong not in str(raised.value).split()
    with pytest.raises(TypeError):
        pickle.dumps(ALICE)
    assert ALICE.to_openssh().split("\n")[1] not in repr(ALICE)

    (tmp_path / "allowed").write_text("# a list\n\n* " + ALICE.public_key)
    listed = AllowedSigners.from_file(tmp_path / "allowed")
    assert len(listed) == len(pickle.loads(pickle.dumps(listed))) == 1 and "1 key" in repr(listed)
    with pytest.raises(ValueError, match="line 2"):
        AllowedSigners(f"a {ALICE.public_key}\nb")
    with pytest.raises(FileNotFoundError):
        AllowedSigners.from_file(tmp_path / "none")


def test_a_key_with_a_passphrase_is_one_for_the_tool(tmp_path: Path) -> None:
    path = tmp_path / "locked"
    try:
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", path], check=True)
    except FileNotFoundError:
        pytest.skip("no ssh-keygen")
    with pytest.raises(ValueError, match="without a passphrase.*polyseal sign"):
        SigningKey.from_file(path)


def flips(stored: bytes, places: int) -> Iterator[bytes]:
    """The same with one bit changed, in so many places."""
    for at in range(0, len(stored), max(1, len(stored) // places)):
        yield stored[:at] + bytes([stored[at] ^ 1 << at % 8]) + stored[at + 1 :]


def expect_no_changed_byte(read: Callable[[int, int], bytes]) -> bool:
    """Whether a part was refused; none is another text."""
    refused = False
    for start, stop in (0, 9), (150_000, 160_000), (len(TEXT) - 9, len(TEXT)):
        try:
            assert read(start, stop) == TEXT[start:stop]
        except (polyseal.PolysealError, OSError):
            refused = True
    return refused


def test_no_changed_byte_is_given_out(signed: tuple[SecretKey, Path], tmp_path: Path) -> None:
    key, path = signed
    refused = 0
    for changed in path, tmp_path / "c.sig":
        stored = changed.read_bytes()
        for other in flips(stored, 200):
            changed.write_bytes(other)
            sink = io.BytesIO()
            try:
                polyseal.decrypt_file(path, sink, key=key, signers=ALLOWED, threads=1)
                assert changed != path and sink.getvalue() == TEXT
            except (polyseal.PolysealError, OSError):
                refused += 1
            assert TEXT.startswith(sink.getvalue())

            def in_parts(start: int, stop: int) -> bytes:
                with polyseal.open(path, key=key, signers=ALLOWED) as file:
                    return file.read_at(start, stop - start)

            expect_no_changed_byte(in_parts)
        changed.write_bytes(stored)
    assert refused >= 398


class Counted(MemoryFileSystem):  # type: ignore[misc]
    """Memory that counts what is read."""

    protocol = "counted"
    cachable = False
    store: dict[str, Any] = {}
    pseudo_dirs = [""]
    asked: list[tuple[str, int]] = []

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **kwargs: Any) -> bytes:
        found = super().cat_file(path, start, end, **kwargs)
        self.asked.append((path, len(found)))
        return bytes(found)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """The options of a file system whose files are signed."""
    (tmp_path / "key").write_text(SecretKey.generate().to_key_file())
    (tmp_path / "alice").write_text(ALICE.to_openssh())
    (tmp_path / "allowed").write_text(f"alice@example.org {ALICE.public_key}")
    Counted.store.clear()
    yield {"key": f"file:{tmp_path}/key", "segment_size": 4096, "skip_instance_cache": True}
    Counted.store.clear()


def file_system(place: dict[str, Any], tmp_path: Path, **options: Any) -> Any:
    named = {name: str(tmp_path / found) for name, found in options.items() if name in ("sign", "signers")}
    return PolysealFileSystem(Counted(), **{**place, **options, **named})


def test_files_of_a_store_are_read_by_their_statements(place: dict[str, Any], tmp_path: Path) -> None:
    writer = file_system(place, tmp_path, sign="alice")
    writer.pipe_file("/d/a", TEXT)
    with writer.open("/d/b", "wb") as file:
        file.write(TEXT)
    assert sorted(Counted.store) == ["/d/a", "/d/a.sig", "/d/b", "/d/b.sig"]
    reader = file_system(place, tmp_path, signers="allowed", by="alice@example.org")
    for path in "/d/a", "/d/b":
        Counted.asked.clear()
        assert reader.cat_file(path, 150_000, 154_096) == TEXT[150_000:154_096]
        beside = [size for name, size in Counted.asked if name == f"{path}.sig"]
        # The text, and the hashes of one group.
        assert len(beside) == 2 and beside[1] <= 2048 and len(Counted.asked) == 4
        assert reader.cat_file(path) == TEXT
        with reader.open(path) as file:
            file.seek(299_990)
            assert file.read() == TEXT[-10:]
    ranges = reader.cat_ranges(["/d/a", "/d/b", "/d/a"], [0, 5, 200_000], [9, 9, 200_005])
    assert ranges == [TEXT[:9], TEXT[5:9], TEXT[200_000:200_005]]
    reader.get("/d/a", str(tmp_path / "got"))
    assert (tmp_path / "got").read_bytes() == TEXT
    again = pickle.loads(pickle.dumps(reader))
    assert again._wanted is not None and len(again._wanted[0]) == 1


def test_statements_are_not_listed_and_follow_their_files(place: dict[str, Any], tmp_path: Path) -> None:
    fs = file_system(place, tmp_path, sign="alice", signers="allowed")
    for name in "a", "b":
        fs.pipe_file(f"/d/{name}", TEXT)
    # One whose file is not there is a file like any other.
    fs.fs.pipe_file("/d/x.sig", b"x")
    names = ["/d/a", "/d/b", "/d/x.sig"]
    assert fs.ls("/d", detail=False) == fs.find("/d") == fs.glob("/d/*") == names
    assert [each["name"] for each in fs.ls("/d")] == [*fs.find("/d", detail=True)] == names
    assert [sorted(files) for _, _, files in fs.walk("/d")] == [["a", "b", "x.sig"]]
    assert "/d/a.sig" in file_system(place, tmp_path).find("/d")
    fs.cp_file("/d/a", "/d/c")
    fs.mv("/d/b", "/d/e")
    assert fs.cat("/d/c") == fs.cat("/d/e") == TEXT
    fs.rm("/d/c")
    fs.rm_file("/d/e")
    assert sorted(Counted.store) == ["/d/a", "/d/a.sig", "/d/x.sig"]


def test_files_of_a_store_without_an_accepted_statement_are_refused(place: dict[str, Any], tmp_path: Path) -> None:
    writer, reader = file_system(place, tmp_path, sign="alice"), file_system(place, tmp_path, signers="allowed")
    writer.pipe_file("/a", TEXT)
    file_system(place, tmp_path).pipe_file("/b", TEXT)
    with pytest.raises(NotSignedError, match="/b: it has no statement"):
        reader.cat_file("/b", 0, 4)
    with pytest.raises(NotSignedError, match="no signature of it"):
        file_system(place, tmp_path, signers="allowed", by="bob").open("/a")
    found = reader.cat_ranges(["/a", "/b"], 0, 4)
    assert found[0] == TEXT[:4] and isinstance(found[1], NotSignedError)
    with pytest.raises(FileNotFoundError):
        reader.cat_file("/none")
    for options in {"signers": ALLOWED}, {"sign": ALICE}:
        with pytest.raises(TypeError, match="the path of a file"):
            PolysealFileSystem(Counted(), **place, **options)
    with pytest.raises(ValueError, match="give signers, too"):
        fsspec.filesystem("polyseal", target_protocol="memory", by="alice", **place)


def test_no_changed_byte_of_a_store_is_given_out(place: dict[str, Any], tmp_path: Path) -> None:
    file_system(place, tmp_path, sign="alice").pipe_file("/a", TEXT)
    refused = 0
    for changed in "/a", "/a.sig":
        stored = Counted.store[changed].getvalue()
        for other in flips(stored, 150):
            Counted().pipe_file(changed, other)
            reader = file_system(place, tmp_path, signers="allowed")
            refused += expect_no_changed_byte(lambda start, stop: reader.cat_file("/a", start, stop))
        Counted().pipe_file(changed, stored)
    assert refused > 20
