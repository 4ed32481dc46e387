"""Files: read in any part, written whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import pickle
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polyseal
import pytest
from conftest import as_another, needs_root
from polyseal import SecretKey

SIZES = [0, 1, 4095, 4096, 4097, 65_536, 65_537, 3_000_001]


def stored(message: bytes, **keywords: Any) -> io.BytesIO:
    out = io.BytesIO()
    polyseal.encrypt_file(io.BytesIO(message), out, **keywords)
    return out


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("threads", [1, 3])
def test_what_is_written_is_read(tmp_path: Path, key: SecretKey, size: int, threads: int) -> None:
    path, message = tmp_path / "file", os.urandom(size)
    with polyseal.open(path, "wb", key=key, segment_size=4096, threads=threads) as writer:
        at = 0
        for n in [1, 4095, 1, 70_000, 2_500_000, size]:
            assert writer.write(message[at : at + n]) == len(message[at : at + n])
            at += n
        assert writer.tell() == size and not path.exists()
    with polyseal.open(path, key=key, threads=threads) as reader:
        assert reader.size == size and reader.read() == message and reader.read() == b""
        assert reader.seek(-min(size, 5), io.SEEK_END) == max(0, size - 5)
        assert reader.read(3) == message[-5:][:3]
    assert polyseal.verify_file(path, key=key).size == size
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["file"]


def test_a_path_is_text_or_bytes_and_no_number(tmp_path: Path, key: SecretKey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain").write_bytes(b"attack at dawn")

    class Place:
        def __fspath__(self) -> bytes:
            return b"sealed"

    for name in (b"sealed", "sealed", Path("sealed"), Place()):
        polyseal.encrypt_file(b"plain", name, key=key, overwrite=True)
        with polyseal.open(name, key=key) as file:
            assert file.read() == b"attack at dawn" and file.name == name
        with polyseal.open(name, "wb", key=key) as written:
            assert written.name == name
            written.write(b"again")
        assert polyseal.inspect(name).size == polyseal.verify_file(name, key=key).size == 5
        polyseal.rekey_file(name, key=key, to={"key": key}, keep=False)
        polyseal.decrypt_file(name, b"opened", key=key, overwrite=True)
    polyseal.encrypt_file("plain", b"\xff", key=key)
    assert polyseal.verify_file(b"\xff", key=key).size == 14
    Path("tree").mkdir()
    polyseal.encrypt_tree(b"tree", b"tree.sealed", key=key)  # type: ignore[arg-type]
    polyseal.verify_tree(b"tree.sealed", key=key)  # type: ignore[arg-type]
    before = sorted(os.listdir())
    others: list[Any] = [0, 3, True, 1.5, None, bytearray(b"sealed"), ["sealed"]]
    for other in others:
        for call in (
            lambda other: polyseal.open(other, key=key),
            lambda other: polyseal.open(other, "wb", key=key),
            lambda other: polyseal.encrypt_file(other, "x", key=key),
            lambda other: polyseal.encrypt_file("plain", other, key=key),
            lambda other: polyseal.decrypt_file("sealed", other, key=key),
            lambda other: polyseal.verify_file(other, key=key),
            lambda other: polyseal.rekey_file(other, key=key, to={"key": key}, keep=False),
            lambda other: polyseal.inspect(other),
        ):
            with pytest.raises(TypeError):
                call(other)
    assert sorted(os.listdir()) == before


def test_that_no_key_was_given_is_said(tmp_path: Path, key: SecretKey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sealed").write_bytes(stored(b"attack at dawn", key=key).getvalue())
    given: list[dict[str, Any]] = [{}, {"key": None}, {"key": []}, {"recipients": ["age1x"]}, {"context": "x"}]
    for of in given:
        for call in (
            lambda: polyseal.open("sealed", **of),
            lambda: polyseal.verify_file("sealed", **of),
            lambda: polyseal.decrypt_file("sealed", "opened", **of),
            lambda: polyseal.rekey_file("sealed", to={"key": key}, keep=True, **of),
            lambda: polyseal.verify_tree(".", **of),
        ):
            with pytest.raises(polyseal.NoMatchingKey, match="no key was given"):
                call()


def test_a_reader_is_a_binary_file(key: SecretKey) -> None:
    message = b"first line\nsecond line\n" + os.urandom(300_000)
    with polyseal.open(stored(message, key=key), key=key) as file:
        assert file.readable() and file.seekable() and not file.writable() and file.tell() == 0
        assert file.readline() == b"first line\n"
        assert next(file) == b"second line\n" and file.tell() == 23
        assert file.peek(4)[:4] == message[23:27] and file.tell() == 23
        buffer = bytearray(200_000)
        assert file.readinto(buffer) == 200_000 and buffer == message[23:200_023]
        assert file.read1(10) == message[200_023:200_033]
        assert file.seek(10) == 10 and file.seek(5, io.SEEK_CUR) == 15 and file.read(4) == b"nd l"[:4]
        assert file.read_at(2, 5) == b"rst l" and file.tell() == 19
        assert file.seek(10**6) == 10**6 and file.read(5) == b"" and file.readinto(buffer) == 0
        assert file.read_at(10**6, 5) == b"" and file.read_at(len(message) - 2, 99) == message[-2:]
        for bad in (lambda: file.seek(-1), lambda: file.seek(0, 7), lambda: file.read_at(-1, 2)):
            with pytest.raises((ValueError, OverflowError)):
                bad()
        with pytest.raises(io.UnsupportedOperation):
            file.write(b"")
    for call in (file.read, file.tell, file.readable, lambda: file.size, lambda: file.read_at(0, 1)):
        with pytest.raises(ValueError, match="closed"):
            call()
    with polyseal.open(stored("Zeile über Zeile\n".encode() * 9, key=key), key=key) as file:
        assert io.TextIOWrapper(file, encoding="utf-8").readlines() == ["Zeile über Zeile\n"] * 9


def test_threads_share_a_reader(tmp_path: Path, key: SecretKey) -> None:
    message, path = os.urandom(2_000_000), tmp_path / "file"
    path.write_bytes(stored(message, key=key).getvalue())
    failures: list[BaseException] = []
    for source in (path, io.BytesIO(path.read_bytes())):
        with polyseal.open(source, key=key) as file:

            def work(start: int, file: polyseal.EncryptedReader = file) -> None:
                try:
                    for offset in range(start, len(message), 99_991):
                        assert file.read_at(offset, 5000) == message[offset : offset + 5000]
                except BaseException as error:
                    failures.append(error)

            threads = [threading.Thread(target=work, args=(n * 777,)) for n in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert not failures


def test_large_reads_in_several_threads(tmp_path: Path, key: SecretKey) -> None:
    """More than a thread reads at once."""
    message, path = os.urandom(1 << 20) * 23 + b"end", tmp_path / "file"
    path.write_bytes(stored(message, key=key).getvalue())
    for threads in (1, 2, 5):
        with polyseal.open(path, key=key, threads=threads) as file:
            assert file.read() == message
            assert file.read_at(1_234_567, 20_000_000) == message[1_234_567:21_234_567]
    altered = bytearray(path.read_bytes())
    altered[15_000_000] ^= 1
    path.write_bytes(altered)
    with polyseal.open(path, key=key, threads=2) as file:
        with pytest.raises(polyseal.CorruptSegment) as raised:
            file.read()
        assert raised.value.index == (15_000_000 - 4096) // (65_536 + 16) and not raised.value.last


def test_nothing_appears_if_it_raises(tmp_path: Path, key: SecretKey) -> None:
    path = tmp_path / "file"
    for before in (None, b"what was there"):
        if before is not None:
            path.write_bytes(before)
        with pytest.raises(ZeroDivisionError), polyseal.open(path, "wb", key=key) as file:
            file.write(bytes(100_000))
            raise ZeroDivisionError
        assert file.closed
        # Nor if it is never closed.
        forgotten = polyseal.open(path, "wb", key=key)
        forgotten.write(b"forgotten")
        del forgotten
        assert os.listdir(tmp_path) == ([] if before is None else ["file"])
    assert path.read_bytes() == b"what was there"


def test_a_new_file_replaces_none(tmp_path: Path, key: SecretKey) -> None:
    path, plain = tmp_path / "file", tmp_path / "plain"
    plain.write_bytes(b"message")
    with polyseal.open(path, "xb", key=key) as file:
        file.write(b"first")
    before = path.read_bytes()
    with pytest.raises(FileExistsError):
        polyseal.open(path, "xb", key=key)
    with pytest.raises(FileExistsError):
        polyseal.encrypt_file(plain, path, key=key)
    assert path.read_bytes() == before
    # Nor one that came meanwhile.
    other = tmp_path / "other"
    with pytest.raises(FileExistsError), polyseal.open(other, "xb", key=key) as file:
        file.write(b"first")
        other.write_bytes(b"somebody else's")
    assert other.read_bytes() == b"somebody else's"
    assert sorted(os.listdir(tmp_path)) == ["file", "other", "plain"]
    os.chmod(path, 0o640)
    polyseal.encrypt_file(plain, path, key=key, overwrite=True)
    assert polyseal.open(path, key=key).read() == b"message"
    assert path.stat().st_mode & 0o777 == 0o640
    with pytest.raises(ValueError, match="regular"):
        polyseal.encrypt_file(plain, "/dev/null", key=key, overwrite=True)


@pytest.mark.parametrize("threads", [None, 1, 2])
def test_whole_files(tmp_path: Path, key: SecretKey, threads: int | None) -> None:
    plain, sealed, opened = tmp_path / "plain", tmp_path / "sealed", tmp_path / "opened"
    message = os.urandom(5_000_003)
    plain.write_bytes(message)
    told: list[tuple[int, int | None]] = []
    summary = polyseal.encrypt_file(
        plain, sealed, key=key, suite="kc-xaes-256-gcm", threads=threads, progress=lambda *a: told.append(a)
    )
    assert summary.size == len(message) and summary.stored_size == sealed.stat().st_size
    assert told[-1] == (len(message), len(message)) and told == sorted(told)
    found = polyseal.inspect(sealed)
    assert (found.suite, found.size, found.context) == ("kc-xaes-256-gcm", len(message), False)
    assert summary.file_salt is not None and found.file_salt == summary.file_salt.hex()
    assert [stanza["type"] for stanza in found.stanzas] == ["key-file"]
    assert polyseal.inspect_header(sealed.read_bytes()[:4096], sealed.stat().st_size) == found
    again = polyseal.decrypt_file(str(sealed), str(opened), key=key, threads=threads)
    assert again == summary and opened.read_bytes() == message
    altered = bytearray(sealed.read_bytes())
    altered[-1] ^= 1
    sealed.write_bytes(altered)
    opened.unlink()
    for call in (
        lambda: polyseal.decrypt_file(sealed, opened, key=key, threads=threads),
        lambda: polyseal.verify_file(sealed, key=key, threads=threads),
        lambda: polyseal.open(sealed, key=key),
    ):
        with pytest.raises(polyseal.CorruptSegment) as raised:
            call()
        assert raised.value.index == 76 and raised.value.last
    assert sorted(os.listdir(tmp_path)) == ["plain", "sealed"]


def test_who_may_open(tmp_path: Path, key: SecretKey) -> None:
    other = SecretKey.generate()
    file = stored(b"message", key=[key, other], context="orders/2026")
    for one in (key, other, key.reveal(), [SecretKey.generate(), other]):
        assert polyseal.open(file, key=one, context=b"orders/2026").read() == b"message"
    with pytest.raises(polyseal.NoMatchingKey):
        polyseal.open(file, key=SecretKey.generate(), context="orders/2026")
    for context in ("orders/2025", None):
        with pytest.raises(polyseal.ContextMismatch):
            polyseal.open(file, key=key, context=context)
    with pytest.raises(ValueError, match="no key was given"):
        stored(b"")
    with pytest.raises(ValueError, match="32 bytes, not 16"):
        stored(b"", key=bytes(16))
    with pytest.raises(ValueError, match="does not go with"):
        stored(b"", key=key, passphrase="correct horse")
    with pytest.raises(polyseal.HeaderError):
        polyseal.open(io.BytesIO(b"not a file of ours"), key=key)
    with pytest.raises(ValueError, match="rot13 is not a suite"):
        stored(b"", key=key, suite="rot13")
    with pytest.raises(ValueError, match="segment of 5000 bytes"):
        stored(b"", key=key, segment_size=5000)
    with pytest.raises(ValueError, match="modes are"):
        polyseal.open(file, "ab", key=key)  # type: ignore[call-overload]


def test_an_error_of_the_system_has_its_number_and_the_file(tmp_path: Path, key: SecretKey) -> None:
    nothing, plain, sealed = tmp_path / "nothing", tmp_path / "plain", tmp_path / "sealed"
    plain.write_bytes(b"message")
    polyseal.encrypt_file(plain, sealed, key=key)
    calls: list[tuple[int, Path, Callable[[], object]]] = [
        (errno.ENOENT, nothing, lambda: polyseal.open(nothing, key=key)),
        (errno.ENOENT, nothing / "x", lambda: polyseal.open(nothing / "x", "wb", key=key)),
        (errno.ENOENT, nothing, lambda: polyseal.inspect(nothing)),
        (errno.ENOENT, nothing, lambda: polyseal.encrypt_file(nothing, tmp_path / "x", key=key)),
        (errno.ENOENT, nothing, lambda: polyseal.encrypt_file(nothing, io.BytesIO(), key=key)),
        (errno.ENOENT, nothing, lambda: polyseal.decrypt_file(nothing, tmp_path / "x", key=key)),
        (errno.ENOENT, nothing, lambda: polyseal.verify_file(nothing, key=key)),
        (errno.ENOENT, nothing, lambda: polyseal.rekey_file(nothing, key=key, to={"key": key}, keep=False)),
        (errno.EISDIR, tmp_path, lambda: polyseal.encrypt_file(tmp_path, tmp_path / "x", key=key)),
        (errno.EISDIR, tmp_path, lambda: polyseal.open(tmp_path, key=key)),
        (errno.EEXIST, sealed, lambda: polyseal.encrypt_file(plain, sealed, key=key)),
        (errno.EEXIST, sealed, lambda: polyseal.encrypt_file(io.BytesIO(), sealed, key=key)),
        (errno.ENOTDIR, tmp_path / "x/", lambda: polyseal.encrypt_file(plain, f"{tmp_path}/x/", key=key)),
    ]
    for number, path, call in calls:
        with pytest.raises(OSError) as raised:
            call()
        error = raised.value
        assert (error.errno, str(error.filename).rstrip("/")) == (number, str(path)), error
        assert type(error) is type(OSError(number, "")) and os.strerror(number) in str(error)


def test_an_error_of_a_file_says_which(tmp_path: Path, key: SecretKey) -> None:
    plain, sealed = tmp_path / "plain", tmp_path / "sealed"
    plain.write_bytes(b"message")
    polyseal.encrypt_file(plain, sealed, key=key, context="c")
    altered = bytearray(sealed.read_bytes())
    altered[-1] ^= 1
    (tmp_path / "altered").write_bytes(altered)
    other = SecretKey.generate()
    calls: list[tuple[type[polyseal.PolysealError], str, Callable[[], object]]] = [
        (polyseal.HeaderError, "plain", lambda: polyseal.open(plain, key=key)),
        (polyseal.HeaderError, "plain", lambda: polyseal.inspect(plain)),
        (polyseal.NoMatchingKey, "sealed", lambda: polyseal.verify_file(sealed, key=other)),
        (polyseal.NoMatchingKey, "sealed", lambda: polyseal.decrypt_file(sealed, io.BytesIO(), key=other)),
        (polyseal.ContextMismatch, "sealed", lambda: polyseal.decrypt_file(sealed, tmp_path / "x", key=key)),
        (polyseal.CorruptSegment, "altered", lambda: polyseal.verify_file(tmp_path / "altered", key=key, context="c")),
        (polyseal.NoMatchingKey, "sealed", lambda: polyseal.rekey_file(sealed, key=other, to={"key": key}, keep=True)),
    ]
    for kind, name, call in calls:
        with pytest.raises(kind) as raised:
            call()
        error = pickle.loads(pickle.dumps(raised.value))
        assert error.filename == str(tmp_path / name) and str(error).startswith(f"{tmp_path / name}: ")
        assert str(error) == str(raised.value)
    with pytest.raises(polyseal.NoMatchingKey) as raised:
        polyseal.open(stored(b"", key=key), key=other)
    assert raised.value.filename is None


def test_recipients_that_are_there_are_kept_or_not_as_is_said(tmp_path: Path, key: SecretKey) -> None:
    path, new = tmp_path / "file", SecretKey.generate()
    path.write_bytes(stored(b"message", key=key).getvalue())
    header = path.read_bytes()[:4096]
    calls: list[Callable[..., object]] = [
        lambda **keywords: polyseal.rekey_file(path, key=key, to={"key": new}, **keywords),
        lambda **keywords: polyseal.rekey_header(header, key=key, to={"key": new}, **keywords),
        lambda **keywords: polyseal.rekey_tree(tmp_path, key=key, to={"key": new}, **keywords),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="'keep'"):
            call()
        with pytest.raises(TypeError, match="remove_others"):
            call(keep=False, remove_others=True)
    with pytest.raises(ValueError, match="nobody keeps access"):
        polyseal.rekey_file(path, key=key, to={"key": new}, keep=True, new_key=True)
    with pytest.raises(ValueError, match="keeps the context"):
        polyseal.rekey_file(path, key=key, to={"key": new, "context": "c"}, keep=False)
    assert path.read_bytes()[:4096] == header
    polyseal.rekey_file(path, key=key, to={"key": new}, keep=False)
    with pytest.raises(polyseal.NoMatchingKey):
        polyseal.open(path, key=key)
    assert polyseal.open(path, key=new).read() == b"message"


@needs_root
def test_a_file_that_replaces_another_is_readable_by_nobody_else(public: Path, key: SecretKey) -> None:
    """By those who could read the old one, as far as that can be carried over."""
    user, group, other = 54_321, 54_321, 54_322
    place, shared, home = (public / name for name in ("place", "shared", "home"))
    sealed = stored(b"secret", key=key).getvalue()
    for directory, mode in ((place, 0o700), (shared, 0o777), (home, 0o755)):
        directory.mkdir()
        directory.chmod(mode)
        os.chown(directory, user, group)
    replaced = {place / "group": (other, 0o640), place / "not-mine": (54_323, 0o644), place / "plain": (group, 0o604)}
    # Whoever can write to the directory has given it that name; or a link to another one.
    replaced |= {shared / "renamed": (group, 0o644), home / "page": (group, 0o644)}
    (shared / "link").symlink_to(home / "page")
    outputs = {**replaced, shared / "link": (group, 0o644)}
    outputs.pop(home / "page")
    writers: list[Callable[[Path], object]] = [
        lambda path: polyseal.decrypt_file(io.BytesIO(sealed), path, key=key, overwrite=True),
        lambda path: polyseal.decrypt_file(place / "sealed", path, key=key, overwrite=True),
        lambda path: polyseal.open(path, "wb", key=key).close(),
    ]
    for write in writers:
        (place / "sealed").write_bytes(sealed)
        os.chown(place / "sealed", user, group)
        for path, (owning, mode) in replaced.items():
            path.unlink(missing_ok=True)
            path.write_bytes(b"public")
            path.chmod(mode)
            os.chown(path, user, owning)
        # Another group that is the user's own is carried over; one that is not takes the bits away.
        as_another(user, group, [other], lambda write=write: [write(path) for path in outputs])  # type: ignore[misc]
        found = {path.name: (path.stat().st_gid, path.stat().st_mode & 0o777) for path in outputs}
        assert found == {
            "group": (other, 0o640),
            "not-mine": (group, 0o604),
            "plain": (group, 0o604),
            "renamed": (group, 0o600),
            "link": (group, 0o600),
        }


def test_a_passphrase() -> None:
    file = stored(b"message", passphrase="correct horse battery staple")
    assert polyseal.open(file, passphrase=b"correct horse battery staple").read() == b"message"
    with pytest.raises(polyseal.WrongPassphrase):
        polyseal.open(file, passphrase="incorrect")
    with pytest.raises(polyseal.NoMatchingKey, match="passphrase"):
        polyseal.open(file, key=SecretKey.generate())


IDENTITY = b"AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX\n"
RECIPIENT = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"


def test_recipients_of_age(tmp_path: Path) -> None:
    path = tmp_path / "identity"
    path.write_bytes(IDENTITY)
    for key_set in ({"recipients": RECIPIENT}, {"recipients": [RECIPIENT]}, {"identity": path}):
        file = stored(b"message", **key_set)
        for identity in (IDENTITY, path, str(path)):
            assert polyseal.open(file, identity=identity).read() == b"message"
        with pytest.raises(polyseal.NoMatchingKey):
            polyseal.open(file, key=SecretKey.generate())
    with pytest.raises(ValueError):
        stored(b"", recipients="age1nonsense")


def test_other_recipients(tmp_path: Path, key: SecretKey) -> None:
    path, message, new = tmp_path / "file", os.urandom(200_000), SecretKey.generate()
    path.write_bytes(stored(message, key=key, context="c").getvalue())
    payload = path.read_bytes()[4096:]
    polyseal.rekey_file(path, key=key, to={"key": new, "recipients": RECIPIENT}, keep=True)
    assert path.read_bytes()[4096:] == payload
    for key_set in ({"key": key}, {"key": new}, {"identity": IDENTITY}):
        assert polyseal.open(path, context="c", **key_set).read() == message
    polyseal.rekey_file(path, key=key, to={"key": new}, keep=False)
    with pytest.raises(polyseal.NoMatchingKey):
        polyseal.open(path, key=key, context="c")
    assert path.read_bytes()[4096:] == payload
    polyseal.rekey_file(path, key=new, context="c", to={"key": key}, keep=False, new_key=True)
    assert polyseal.open(path, key=key, context="c").read() == message
    assert path.read_bytes()[4096:] != payload
    before = path.read_bytes()
    with pytest.raises(polyseal.NoMatchingKey):
        polyseal.rekey_file(path, key=new, to={"key": new}, keep=True)
    header = polyseal.rekey_header(before[:4096], key=key, to={"key": new}, keep=True)
    assert polyseal.open(io.BytesIO(header + before[4096:]), key=key, context="c").read() == message
    assert polyseal.open(io.BytesIO(header + before[4096:]), key=new, context="c").read() == message
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["file"]


class Broken(io.BytesIO):
    """A file object that raises."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() > 100_000:
            raise ConnectionResetError("the other side is gone")
        return super().read(size)


def test_what_a_file_object_raises_comes_through(tmp_path: Path, key: SecretKey) -> None:
    file = stored(bytes(3_000_000), key=key).getvalue()
    with pytest.raises(ConnectionResetError, match="the other side"):
        polyseal.decrypt_file(Broken(file), tmp_path / "out", key=key)
    with pytest.raises(ConnectionResetError, match="the other side"):
        polyseal.encrypt_file(Broken(bytes(3_000_000)), tmp_path / "out", key=key)
    with pytest.raises(TypeError, match="binary mode"):
        polyseal.encrypt_file(io.StringIO("text"), tmp_path / "out", key=key)  # type: ignore[arg-type]

    def raises(done: int, total: int | None) -> None:
        raise LookupError("enough")

    plain, sealed = tmp_path / "plain", tmp_path / "sealed"
    for size in (0, 7, 20_000_000):
        plain.write_bytes(bytes(size))
        for source in (plain, io.BytesIO(bytes(size))):
            with pytest.raises(LookupError, match="enough"):
                polyseal.encrypt_file(source, tmp_path / "out", key=key, progress=raises)
        polyseal.encrypt_file(plain, sealed, key=key)
        with pytest.raises(LookupError, match="enough"):
            polyseal.decrypt_file(sealed, tmp_path / "out", key=key, progress=raises)
        with pytest.raises(LookupError, match="enough"):
            polyseal.verify_file(sealed, key=key, progress=raises)
        sealed.unlink()
        assert os.listdir(tmp_path) == ["plain"]


def test_ctrl_c_ends_a_file_by_its_name_and_leaves_nothing(tmp_path: Path) -> None:
    with (tmp_path / "source").open("wb") as file:
        file.truncate(256 << 20)
    program = textwrap.dedent(
        """
        import os, signal, sys, polyseal
        signal.signal(signal.SIGINT, signal.default_int_handler)
        told = []
        def progress(done, total):
            told.append(done)
            os.kill(os.getpid(), signal.SIGINT)
        try:
            polyseal.encrypt_file(sys.argv[1] + "/source", sys.argv[1] + "/out", key=bytes(32), progress=progress)
        except KeyboardInterrupt:
            print("interrupted", len(told), os.listdir(sys.argv[1]))
        """
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert done.stdout == "interrupted 1 ['source']\n", done.stdout + done.stderr


def test_ctrl_c_ends_it_and_leaves_nothing(tmp_path: Path) -> None:
    """Python's handler runs at the latest when Rust is done: it has to be long before."""
    program = textwrap.dedent(
        """
        import contextlib, os, signal, sys, threading, polyseal
        # Whoever runs the tests may have it ignored, as a shell does for what is in the background.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        place = sys.argv[1]
        os.mkfifo(place + "/source")
        written = 0
        def feed():
            global written
            with contextlib.suppress(BrokenPipeError), open(place + "/source", "wb", buffering=0) as source:
                while written < 64:
                    source.write(bytes(8 << 20))
                    written += 1
                    if written == 1:
                        os.kill(os.getpid(), signal.SIGINT)
        thread = threading.Thread(target=feed)
        thread.start()
        try:
            polyseal.encrypt_file(place + "/source", place + "/out", key=bytes(32))
        except KeyboardInterrupt:
            thread.join()
            print("interrupted", written < 64, os.listdir(place))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "interrupted True ['source']\n", done.stdout + done.stderr


def test_what_is_open_is_not_pickled(key: SecretKey) -> None:
    with polyseal.open(stored(b"", key=key), key=key) as file, pytest.raises(TypeError):
        pickle.dumps(file)


def test_a_read_into_a_buffer_that_fails_leaves_nothing_there(key: SecretKey) -> None:
    sealed = bytearray(stored(bytes([7]) * (3 << 20), key=key).getvalue())
    sealed[len(sealed) - (1 << 19)] ^= 1
    with polyseal.open(io.BytesIO(sealed), key=key) as file:
        buffer = bytearray(b"before" * (3 << 19))
        with pytest.raises(polyseal.CorruptSegment):
            file.readinto(buffer)
    assert bytes([7]) * 16 not in buffer


def test_a_bad_segment_says_of_which_file_it_is(tmp_path: Path, key: polyseal.SecretKey) -> None:
    path, message = tmp_path / "x", bytes(3_000_000)
    polyseal.encrypt_file(io.BytesIO(message), path, key=key)
    stored = bytearray(path.read_bytes())
    stored[70_000] ^= 1
    path.write_bytes(stored)
    reads: list[Callable[[polyseal.EncryptedReader], object]] = [
        lambda file: file.read(),
        lambda file: file.read_at(70_000, 10),
        lambda file: file.readinto(bytearray(100_000)),
    ]
    for read in reads:
        with polyseal.open(path, key=key, threads=2) as file, pytest.raises(polyseal.CorruptSegment) as raised:
            read(file)
        assert raised.value.filename == str(path) and str(path) in str(raised.value) and raised.value.index is not None
        assert pickle.loads(pickle.dumps(raised.value)).filename == str(path)
    # A file that is cut short while it is read is another one, and no error of the system.
    with polyseal.open(path, key=key) as file:
        os.truncate(path, 200_000)
        with pytest.raises(polyseal.SourceChanged) as changed:
            file.read_at(1_000_000, 10)
        assert changed.value.filename == str(path)
    calls: list[Callable[[], object]] = [
        lambda: polyseal.open(tmp_path, "wb", key=key),
        lambda: polyseal.encrypt_file(path, tmp_path, key=key, overwrite=True),
    ]
    for call in calls:
        with pytest.raises(IsADirectoryError) as directory:
            call()
        assert directory.value.errno == 21 and directory.value.filename == str(tmp_path)
