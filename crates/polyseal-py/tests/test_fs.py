"""``polyseal.fs`` over memory and local files. Real stores and readers are in ``engines``."""

from __future__ import annotations

import errno
import io
import json
import pickle
import secrets
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import fsspec
import polyseal
import pytest
from conftest import as_another, needs_root
from fsspec import AbstractFileSystem
from fsspec.asyn import AsyncFileSystem
from fsspec.core import url_to_fs
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem
from polyseal._listing import lists_of
from polyseal.fs import PolysealFileSystem

SIZES = [0, 1, 4095, 65535, 65536, 65537, 2 * 65536, 300_001]


@pytest.fixture
def reference(tmp_path: Path) -> str:
    """A key by reference."""
    path = tmp_path / "key"
    path.write_text(polyseal.SecretKey.generate().to_key_file())
    return f"file:{path}"


@pytest.fixture(params=["memory", "file"])
def fs(request: pytest.FixtureRequest, reference: str) -> Any:
    fsspec.filesystem("memory").store.clear()
    return fsspec.filesystem("polyseal", target_protocol=request.param, key=reference)


@pytest.fixture
def root(fs: Any, tmp_path: Path) -> str:
    """A directory of that file system."""
    path = str(tmp_path / "below")
    fs.makedirs(path)
    return path


@pytest.mark.parametrize("size", SIZES)
def test_ranges_are_those_of_the_plaintext(fs: Any, root: str, size: int) -> None:
    data = secrets.token_bytes(size)
    fs.pipe_file(f"{root}/x", data)
    assert fs.cat_file(f"{root}/x") == data
    assert fs.size(f"{root}/x") == size
    assert fs.info(f"{root}/x")["stored_size"] > size
    edges = sorted({0, 1, 65535, 65536, 65537, size // 2, size - 1, size} - {-1})
    asked = [(a, b) for a in edges for b in [*edges, None, -1, size + 10] if a <= size]
    found = fs.cat_ranges([f"{root}/x"] * len(asked), [a for a, _ in asked], [b for _, b in asked])
    assert found == [data[a:b] for a, b in asked]
    with fs.open(f"{root}/x") as file:
        for a, b in asked:
            file.seek(a)
            assert file.read(max(0, (size if b is None else b) - a)) == data[a : max(a, size if b is None else b)]


def test_both_ends_are_fetched_at_once_and_then_what_is_needed(
    fs: Any, root: str, reference: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = secrets.token_bytes(1_000_000)
    fs.pipe_file(f"{root}/x", data)
    fs.pipe_file(f"{root}/small", b"attack at dawn")
    rounds: list[list[tuple[int, int]]] = []
    ranges = fs.fs.cat_ranges

    def counting(paths: list[str], starts: list[int], stops: list[int], **options: Any) -> Any:
        rounds.append(list(zip(starts, stops)))
        return ranges(paths, starts, stops, **options)

    monkeypatch.setattr(fs.fs, "cat_ranges", counting)
    stored = 4096 + len(data) + 16 * 16
    assert fs.cat_file(f"{root}/x", start=100_000, end=100_009) == data[100_000:100_009]
    assert rounds == [[(0, 4096), (stored - 65_600, stored)], [(4096 + 65_552, 4096 + 2 * 65_552)]]
    rounds.clear()
    # It is known now.
    assert fs.cat_file(f"{root}/x", start=-9) == data[-9:]
    assert len(rounds) == 1 and len(rounds[0]) == 1
    rounds.clear()
    assert fs.cat_file(f"{root}/small") == b"attack at dawn"
    assert rounds == [[(0, 4126)]]
    rounds.clear()
    other = PolysealFileSystem(fs.fs, key=reference)
    with other.open(f"{root}/x") as file:
        file.seek(-9, io.SEEK_END)
        assert file.read() == data[-9:]
    assert len(rounds) == 1


@pytest.mark.parametrize("size", SIZES)
def test_what_is_written_in_pieces_is_a_file_as_any(fs: Any, root: str, size: int, reference: str) -> None:
    data = secrets.token_bytes(size)
    with fs.open(f"{root}/x", "wb") as file:
        for at in range(0, size, 70_001):
            file.write(data[at : at + 70_001])
        assert not fs.exists(f"{root}/x")
    with polyseal.open(io.BytesIO(fs.fs.cat_file(f"{root}/x")), key=reference) as plain:
        assert plain.read() == data


def test_lists_have_sizes_of_the_plaintext(fs: Any, root: str, reference: str) -> None:
    fs.pipe({f"{root}/{size}": bytes(size) for size in SIZES})
    fs.makedirs(f"{root}/sub")
    fs.fs.pipe_file(f"{root}/plain", b"not encrypted")
    found = {each["name"].rsplit("/", 1)[1]: each for each in fs.ls(root)}
    assert {name: each["size"] for name, each in found.items() if name.isdigit()} == {str(s): s for s in SIZES}
    assert found["sub"]["type"] == "directory"
    assert found["plain"]["size"] is None and found["plain"]["stored_size"] == 13
    stored = fsspec.filesystem("polyseal", fs=fs.fs, key=reference, sizes="stored")
    assert stored.info(f"{root}/1")["size"] == fs.fs.info(f"{root}/1")["size"]
    with pytest.raises(polyseal.HeaderError):
        fs.cat_file(f"{root}/plain")


def test_a_file_that_vanishes_is_not_in_the_list(fs: Any, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fs.pipe({f"{root}/{name}": b"message" for name in "abc"})
    ranges = fs.fs.cat_ranges

    def vanishing(paths: list[str], *arguments: Any, **keywords: Any) -> Any:
        if fs.fs.exists(f"{root}/b"):
            fs.fs.rm(f"{root}/b")
        return ranges(paths, *arguments, **keywords)

    monkeypatch.setattr(fs.fs, "cat_ranges", vanishing)
    assert sorted(each["name"] for each in fs.ls(root)) == [f"{root}/a", f"{root}/c"]
    fs.pipe_file(f"{root}/b", b"again")
    with pytest.raises(FileNotFoundError):
        fs.info(f"{root}/b")


@pytest.mark.parametrize("how", ["empty", "short", "foreign", "refused", "all-refused", "no-length", "dangling"])
def test_one_file_does_not_empty_a_list(fs: Any, root: str, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fs.pipe({f"{root}/{name}": b"message" for name in ("a", "sub/c") if not fs.makedirs(f"{root}/sub", exist_ok=True)})
    strange, stored = f"{root}/b", {"empty": b"", "short": b"short"}.get(how, bytes(500))
    fs.fs.pipe_file(strange, stored)
    ranges, info, listed = fs.fs.cat_ranges, fs.fs.info, fs.fs.ls
    asked: list[str] = []

    def refusing(paths: list[str], *arguments: Any, **keywords: Any) -> Any:
        asked.extend(paths)
        if how == "all-refused" and strange in paths:
            raise TimeoutError
        found = ranges(paths, *arguments, **keywords)
        if how != "refused":
            return found
        return [PermissionError(each) if each == strange else data for each, data in zip(paths, found)]

    monkeypatch.setattr(fs.fs, "cat_ranges", refusing)
    if how == "no-length":

        def lost(found: Any) -> list[Any]:
            return [{**each, "size": None} if each["name"] == strange else each for each in found]

        monkeypatch.setattr(fs.fs, "info", lambda path, **k: lost([info(path, **k)])[0])
        monkeypatch.setattr(fs.fs, "ls", lambda path, detail=True, **k: lost(listed(path, detail=True, **k)))
        if fs.fs.protocol == "memory":
            find = fs.fs.find
            monkeypatch.setattr(
                fs.fs,
                "find",
                lambda path, detail, **k: {each["name"]: each for each in lost(find(path, detail=True, **k).values())},
            )
    elif how == "dangling" and fs.fs.protocol != "memory":
        Path(strange).unlink()
        Path(strange).symlink_to("nowhere")
        stored = b""
    known = None if how == "all-refused" else 7
    listed_now = {each["name"]: each for each in fs.ls(root)}
    assert listed_now.keys() == {f"{root}/a", strange, f"{root}/sub"} and listed_now[f"{root}/a"]["size"] == known
    found = listed_now[strange]
    assert found["size"] is (0 if how == "dangling" and found["type"] == "other" else None)
    assert sorted(fs.find(root)) == sorted(fs.find(root, detail=True)) == [f"{root}/a", strange, f"{root}/sub/c"]
    assert fs.glob(f"{root}/*") == [f"{root}/a", strange, f"{root}/sub"]
    assert [(sorted(files), sorted(dirs)) for _, dirs, files in fs.walk(root)] == [(["a", "b"], ["sub"]), (["c"], [])]
    if how == "no-length":
        with pytest.raises(OSError, match="how long"):
            fs.du(root)
    elif how != "all-refused":
        # As a plain file system has it: what is stored of files that are not encrypted.
        assert fs.du(root) == 14 + len(stored) and fs.du(root, total=False)[f"{root}/a"] == 7
    expected = {"dangling": FileNotFoundError if fs.fs.protocol != "memory" else polyseal.HeaderError}
    with pytest.raises(expected.get(how, (polyseal.HeaderError, OSError))) as raised:
        fs.cat_file(strange)
    assert getattr(raised.value, "filename", None) == strange or how == "all-refused"
    # A store has no range of an empty object.
    assert how not in ("empty", "short") or strange not in asked
    assert fs.cat_file(f"{root}/a") == b"message"


def test_a_link_has_the_size_of_its_file(tmp_path: Path, reference: str) -> None:
    fs = PolysealFileSystem(target_protocol="file", key=reference)
    fs.pipe_file(str(tmp_path / "x"), b"message")
    (tmp_path / "link").symlink_to("x")
    [found] = [each for each in fs.ls(str(tmp_path)) if each["name"].endswith("link")]
    assert found["size"] == fs.size(str(tmp_path / "link")) == 7 and found["stored_size"] > 7


def test_paths_are_those_of_the_file_system_below(reference: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fs = PolysealFileSystem(target_protocol="file", key=reference)
    monkeypatch.chdir(tmp_path)
    assert fs.ls("/", detail=False) == fs.fs.ls("/", detail=False) != []
    for path in ("/", "/a/b", f"polyseal::file://{tmp_path}", "relative", "file:///a"):
        below = path.removeprefix("polyseal::")
        assert fs._strip_protocol(path) == fs.fs._strip_protocol(below)
        assert fs._parent(path) == fs.fs._parent(below)


def test_directories_are_made_where_the_file_system_below_makes_them(tmp_path: Path, reference: str) -> None:
    for auto_mkdir in (True, False):
        fs = PolysealFileSystem(target_protocol="file", target_options={"auto_mkdir": auto_mkdir}, key=reference)
        writes: list[Callable[[str], Any]] = [
            partial(fs.pipe_file, value=b"x"),
            partial(fs.write_text, value="x"),
            fs.touch,
        ]
        for at, write in enumerate(writes):
            path = str(tmp_path / f"{auto_mkdir}/{at}/x")
            if auto_mkdir:
                write(path)
                assert fs.isfile(path)
            else:
                with pytest.raises(FileNotFoundError) as raised:
                    write(path)
                assert raised.value.errno == 2 and raised.value.filename == path


MISSING = ["file:/nowhere", "file:/", "env:NOTHING_OF_THE_KIND", "credential:x", "nobody:x", "file:/dev/null"]


@pytest.mark.parametrize(
    "missing", [*({"key": each} for each in MISSING), *({"identity": each} for each in ("/nowhere", "/", "/dev/null"))]
)
def test_a_key_that_cannot_be_had_is_no_missing_file(fs: Any, root: str, missing: dict[str, Any]) -> None:
    fs.pipe({f"{root}/a": b"message", f"{root}/b": bytes(100_000)})
    without = PolysealFileSystem(fs.fs, **missing, skip_instance_cache=True)
    mapper, paths = without.get_mapper(root), [f"{root}/a", f"{root}/b"]
    assert "a" in mapper and sorted(mapper) == ["a", "b"] and without.size(paths[0]) == 7
    calls: list[Callable[[], Any]] = [
        lambda: mapper["a"],
        lambda: mapper.get("a", b"missing"),
        lambda: mapper.pop("a", b"missing"),
        *(partial(mapper.getitems, ["a", "b"], on_error=each) for each in ("raise", "return", "omit")),
        *(partial(without.cat, paths, on_error=each) for each in ("raise", "return", "omit")),
        *(partial(without.cat_ranges, paths, 0, 1, on_error=each) for each in ("raise", "return")),
        lambda: without.open(paths[0]),
        lambda: without.open(paths[0], "r"),
        lambda: without.get(paths[0], "/nowhere/x"),
        lambda: without.open(paths[0], "wb"),
        lambda: without.pipe_file(paths[0], b""),
        lambda: mapper.__setitem__("a", b""),
    ]
    for call in calls:
        with pytest.raises(polyseal.KeyUnavailable) as raised:
            call()
        assert not isinstance(raised.value, (OSError, LookupError, ValueError))
    assert fs.cat(paths[0]) == b"message"


def test_what_does_not_open_is_no_missing_file(fs: Any, root: str, tmp_path: Path) -> None:
    """FSMap and zarr take these for chunks that were never written."""
    assert fs.get_mapper(root).missing_exceptions == (FileNotFoundError, IsADirectoryError, NotADirectoryError)
    for kind in (getattr(polyseal.errors, name) for name in polyseal.errors.__all__):
        assert not issubclass(kind, (KeyError, FileNotFoundError, IsADirectoryError, NotADirectoryError))
    fs.pipe({f"{root}/a": b"message", f"{root}/b": b"message"})
    (tmp_path / "other").write_text(polyseal.SecretKey.generate().to_key_file())
    other = PolysealFileSystem(fs.fs, key=f"file:{tmp_path / 'other'}")
    stored = bytearray(fs.fs.cat_file(f"{root}/b"))
    stored[-1] ^= 1
    fs.fs.pipe_file(f"{root}/b", bytes(stored))
    mappers = (other.get_mapper(root), polyseal.NoMatchingKey), (fs.get_mapper(root), polyseal.CorruptSegment)
    for mapper, kind in mappers:
        calls: list[Callable[[], Any]] = [
            partial(mapper.__getitem__, "b"),
            partial(mapper.get, "b"),
            *(partial(mapper.getitems, ["b", "none"], on_error=each) for each in ("return", "omit")),
        ]
        for call in calls:
            with pytest.raises(kind, match="b: ") as raised:
                call()
            assert raised.value.filename == f"{root}/b"
        assert mapper.get("none", b"default") == b"default" and mapper.getitems(["none"], on_error="omit") == {}
    first, second = fs.cat_ranges([f"{root}/a", f"{root}/b"], 0, 3)
    assert first == b"mes" and isinstance(second, polyseal.CorruptSegment)


def test_errors_say_of_which_file(fs: Any, root: str) -> None:
    path = f"{root}/none"
    asking = [fs.open, fs.cat_file, fs.cat, fs.head, fs.read_text]
    asking += [fs.info, fs.size, fs.modified, fs.created, fs.ls, fs.ukey]
    calls: list[Callable[[], Any]] = [
        *(partial(each, path) for each in (*asking, fs.rm, fs.rm_file, fs.rmdir)),
        lambda: fs.cp_file(path, f"{root}/b"),
        lambda: fs.rm([f"{root}/there", path]),
        lambda: fs.cat_ranges([path], 0, 1, on_error="raise"),
        lambda: fs.get_file(path, "/nowhere"),
    ]
    for call in calls:
        fs.pipe_file(f"{root}/there", b"message")
        with pytest.raises(FileNotFoundError) as raised:
            call()
        assert raised.value.errno == 2 and raised.value.filename == path and path in str(raised.value)
        assert pickle.loads(pickle.dumps(raised.value)).filename == path
    with pytest.raises(IsADirectoryError) as directory:
        fs.cat_file(root)
    assert directory.value.errno == 21 and directory.value.filename == root


def test_a_store_that_gives_too_little(fs: Any, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fs.pipe_file(f"{root}/x", secrets.token_bytes(300_000))
    with fs.open(f"{root}/x") as file:
        ranges = fs.fs.cat_ranges
        monkeypatch.setattr(fs.fs, "cat_ranges", lambda *a, **k: [each[:-1] for each in ranges(*a, **k)])
        with pytest.raises(OSError, match="of 65") as raised:
            file.read(10)
        assert raised.value.errno == 5 and raised.value.filename == f"{root}/x"
        # zarr takes an OSError with these words for an empty chunk.
        monkeypatch.setattr(fs.fs, "cat_ranges", lambda *a, **k: [OSError("range not satisfiable")])
        fs.fs.pipe_file(f"{root}/x", b"")
        with pytest.raises(polyseal.SourceChanged):
            file.read(10)


def test_a_file_that_is_replaced_while_it_is_opened(fs: Any, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fs.pipe_file(f"{root}/x", secrets.token_bytes(300_000))
    fs.pipe_file(f"{root}/y", b"message")
    new, ranges = fs.fs.cat_file(f"{root}/y"), fs.fs.cat_ranges

    def replaced(paths: list[str], *arguments: Any, **keywords: Any) -> Any:
        monkeypatch.setattr(fs.fs, "cat_ranges", ranges)
        fs.fs.pipe_file(f"{root}/x", new)
        return [OSError("range not satisfiable")] * len(paths)

    monkeypatch.setattr(fs.fs, "cat_ranges", replaced)
    assert fs.cat_file(f"{root}/x") == b"message"


def test_a_name_of_both_a_file_and_a_directory(fs: Any, root: str) -> None:
    """There are such on S3, and in memory."""
    fs.pipe_file(f"{root}/x", b"message")
    if fs.fs.protocol == "memory":
        fs.fs.pseudo_dirs.append(f"{root}/x")
        assert fs.info(f"{root}/x")["type"] == "directory"
        assert fs.get_mapper(root)["x"] == b"message"
        fs.fs.pseudo_dirs.remove(f"{root}/x")


def test_an_altered_file_gives_no_data(fs: Any, root: str) -> None:
    data = secrets.token_bytes(200_000)
    fs.pipe_file(f"{root}/x", data)
    stored = fs.fs.cat_file(f"{root}/x")
    for at in [0, 20, 100, len(stored) - 200_000 + 1000, len(stored) - 1]:
        altered = bytearray(stored)
        altered[at] ^= 1
        fs.fs.pipe_file(f"{root}/y", bytes(altered))
        with pytest.raises(polyseal.PolysealError):
            fs.cat_file(f"{root}/y")
    for cut in [len(stored) - 1, len(stored) - 65536 - 16, 4096, 100, 0]:
        fs.fs.pipe_file(f"{root}/y", stored[:cut])
        with pytest.raises(polyseal.PolysealError):
            fs.cat_file(f"{root}/y", 0, 10)
    # A range of an intact segment is authentic, and the rest is not looked at.
    altered = bytearray(stored)
    altered[-70_000] ^= 1
    fs.fs.pipe_file(f"{root}/y", bytes(altered))
    assert fs.cat_file(f"{root}/y", 0, 65536) == data[:65536]


def test_a_file_that_is_replaced_is_read_anew(fs: Any, root: str) -> None:
    for size in (100_000, 200_000, 100):
        fs.pipe_file(f"{root}/x", bytes(size))
        assert fs.size(f"{root}/x") == size and fs.cat_file(f"{root}/x") == bytes(size)


def test_nothing_appears_if_the_block_raises(fs: Any, root: str) -> None:
    fs.pipe_file(f"{root}/x", b"before")
    for name in ("x", "y"):
        with pytest.raises(ZeroDivisionError), fs.open(f"{root}/{name}", "wb") as file:
            file.write(bytes(300_000))
            _ = 1 // 0
    assert fs.cat_file(f"{root}/x") == b"before"
    assert fs.ls(root, detail=False) == [f"{root}/x"]
    with pytest.raises(FileExistsError):
        fs.open(f"{root}/x", "xb")
    with pytest.raises(ValueError, match="nothing is added"):
        fs.open(f"{root}/x", "ab")


def test_text_lines_and_other_ways_to_read(fs: Any, root: str) -> None:
    with fs.open(f"{root}/x", "w") as file:
        file.write("first\nsecond\n" * 10_000 + "last")
    with fs.open(f"{root}/x", "r") as file:
        assert sum(1 for _ in file) == 20_001
    with fs.open(f"{root}/x") as file:
        assert file.readline() == b"first\n" and file.readline(3) == b"sec" and file.readline() == b"ond\n"
        buffer = bytearray(5)
        assert file.readinto(buffer) == 5 and buffer == b"first"
        assert file.seek(-4, io.SEEK_END) == file.tell() == file.size - 4
        assert file.read() == b"last" and file.read() == b"" and file.readline() == b""
        with pytest.raises(ValueError, match="before the beginning"):
            file.seek(-1)
    with pytest.raises(ValueError, match="closed"):
        file.read()


def test_names_are_moved_copied_and_removed(fs: Any, root: str) -> None:
    fs.pipe_file(f"{root}/a", b"message")
    fs.cp_file(f"{root}/a", f"{root}/b")
    fs.mv(f"{root}/b", f"{root}/c")
    assert fs.cat([f"{root}/a", f"{root}/c"]) == {f"{root}/a": b"message", f"{root}/c": b"message"}
    fs.rm(f"{root}/a")
    assert not fs.exists(f"{root}/a") and fs.isfile(f"{root}/c") and fs.isdir(root)
    fs.rm(root, recursive=True)
    assert not fs.exists(f"{root}/c")


def test_many_threads_read_one_file(fs: Any, root: str) -> None:
    data = secrets.token_bytes(500_000)
    fs.pipe_file(f"{root}/x", data)
    wrong: list[int] = []

    def read(seed: int) -> None:
        for i in range(100):
            start = (seed * 7919 + i * 4_999) % 490_000
            if fs.cat_file(f"{root}/x", start, start + 9_000) != data[start : start + 9_000]:
                wrong.append(start)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_many_threads_read_one_open_file(fs: Any, root: str) -> None:
    data = secrets.token_bytes(40 * 65536)
    fs.pipe_file(f"{root}/x", data)
    wrong: list[object] = []
    with fs.open(f"{root}/x") as file:

        def read(seed: int) -> None:
            for i in range(200):
                start = (seed * 104_729 + i * 299_993) % (len(data) - 200_000)
                try:
                    if file.read_at(start, 200_000) != data[start : start + 200_000]:
                        wrong.append(start)
                except Exception as error:
                    wrong.append(error)

        threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert not wrong


def test_keys_are_not_in_options(reference: str) -> None:
    key = polyseal.KeyRef(reference).resolve()
    for refused in (key, key.reveal(), bytearray(key.reveal())):
        with pytest.raises(TypeError, match="reference"):
            PolysealFileSystem(target_protocol="memory", key=refused)  # type: ignore[arg-type]
    text = key.to_key_file().splitlines()[-1]
    secret = "AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ"
    options: list[dict[str, Any]] = [
        *(dict(key=each) for each in (key.to_key_file(), text, f"file:{text}", f"file:/keys/{text}", f"env:{secret}")),
        *(dict(identity=each) for each in (secret, secret.lower(), text, f"/keys/{text}")),
        *(dict(recipients=each) for each in (secret, [secret], ["age1x", secret.lower()], text, [text.upper()])),
    ]
    for each in options:
        with pytest.raises(ValueError) as raised:
            PolysealFileSystem(target_protocol="memory", **each)
        assert text[20:] not in str(raised.value).lower() and secret[20:].lower() not in str(raised.value).lower()
    with pytest.raises(TypeError, match="text"):
        PolysealFileSystem(target_protocol="memory", recipients=secret.encode())  # type: ignore[arg-type]
    # A path in which such a word stands.
    PolysealFileSystem(target_protocol="memory", key="file:/keys/polyseal-key-1-2026.txt", identity="/keys/polyseal-key")
    with pytest.raises(TypeError, match="no passphrase"):
        PolysealFileSystem(target_protocol="memory", passphrase="attack at dawn")
    with pytest.raises(TypeError, match="path"):
        PolysealFileSystem(target_protocol="memory", identity=b"AGE-SECRET-KEY-1")  # type: ignore[arg-type]
    fs = PolysealFileSystem(target_protocol="memory", key=reference)
    carried = pickle.dumps(fs)
    assert key.reveal() not in carried and key.to_key_file().splitlines()[-1].encode() not in carried
    assert pickle.loads(carried) == fs
    assert json.loads(fs.to_json())["key"] == reference


@pytest.mark.parametrize("identity", ["AGE-SECRET-KEY-1SECRETSECRET", "# public key: age1xx\nAGE-SECRET-KEY-1SECRET\n"])
def test_an_identity_is_no_path(identity: str, tmp_path: Path) -> None:
    for take in (
        lambda: PolysealFileSystem(target_protocol="memory", identity=identity),
        lambda: polyseal.open(tmp_path / "x", identity=identity),
    ):
        with pytest.raises(ValueError, match="not the path") as raised:
            take()
        assert "SECRET-KEY" not in str(raised.value)


def test_a_local_file_is_replaced_in_one_step(tmp_path: Path, reference: str) -> None:
    fs = PolysealFileSystem(target_protocol="file", key=reference)
    path = tmp_path / "x"
    fs.pipe_file(str(path), b"before")
    before = path.stat().st_ino
    fs.pipe_file(str(path), b"after")
    assert path.stat().st_ino != before and fs.cat_file(str(path)) == b"after"
    with fs.open(str(tmp_path / "new"), "xb") as file:
        file.write(b"message")
        assert not (tmp_path / "new").exists()
    with pytest.raises(FileExistsError), fs.open(str(tmp_path / "race"), "xb") as file:
        (tmp_path / "race").write_bytes(b"of another")
    assert (tmp_path / "race").read_bytes() == b"of another"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["key", "new", "race", "x"]


def test_a_write_that_fails_leaves_no_file_without_its_middle(tmp_path: Path, reference: str) -> None:
    class Full(io.BytesIO):
        def write(self, data: Any) -> int:
            if self.tell() > 200_000:
                raise OSError(28, "No space left on device")
            return super().write(data)

    writer = polyseal.open(Full(), "wb", key=reference)
    with pytest.raises(OSError, match="space"):
        for _ in range(100):
            writer.write(bytes(100_000))
    assert writer.closed
    writer.close()


def test_urls_are_chained(tmp_path: Path, reference: str) -> None:
    url = f"polyseal::file://{tmp_path}/x"
    with fsspec.open(url, "wb", key=reference) as file:
        file.write(b"attack at dawn")
    assert (tmp_path / "x").read_bytes().startswith(b"polyseal")
    fs, path = url_to_fs(url, polyseal={"key": reference})
    assert fs.cat_file(path) == b"attack at dawn"
    with fsspec.open(f"polyseal::simplecache::file://{tmp_path}/x", key=reference) as file:
        assert file.read() == b"attack at dawn"
    # One that stands before it holds plaintext, as the documentation says.
    cache = tmp_path / "cache"
    with fsspec.open(f"simplecache::{url}", simplecache={"cache_storage": str(cache)}, polyseal={"key": reference}) as file:
        assert file.read() == b"attack at dawn"
    assert [each.read_bytes() for each in cache.iterdir()] == [b"attack at dawn"]


def test_a_file_that_is_got_appears_when_all_of_it_is_authentic(tmp_path: Path, reference: str) -> None:
    fs = PolysealFileSystem(target_protocol="file", key=reference)
    place, message = tmp_path / "place", secrets.token_bytes(20_000_000)
    (place / "sub").mkdir(parents=True)
    fs.pipe({f"{place}/a": message, f"{place}/sub/b": b"message"})
    out = tmp_path / "out"
    fs.get(f"{place}/a", str(out))
    assert out.read_bytes() == message
    fs.get(str(place), str(tmp_path / "all"), recursive=True)
    assert (tmp_path / "all/a").read_bytes() == message and (tmp_path / "all/sub/b").read_bytes() == b"message"
    held = io.BytesIO()
    fs.get_file(f"{place}/sub/b", held)
    assert held.getvalue() == b"message"
    altered = bytearray((place / "a").read_bytes())
    altered[-100_000] ^= 1
    (place / "a").write_bytes(altered)
    out.write_bytes(b"what was there")
    for path in (out, tmp_path / "new"):
        with pytest.raises(polyseal.CorruptSegment):
            fs.get(f"{place}/a", str(path))
    assert out.read_bytes() == b"what was there" and not (tmp_path / "new").exists()
    assert (tmp_path / "all/a").stat().st_mode & 0o777 == 0o600
    assert sorted(each.name for each in tmp_path.iterdir()) == ["all", "key", "out", "place"]


@needs_root
def test_a_directory_that_cannot_be_read_makes_nothing_smaller(reference: str, public: Path) -> None:
    (public / "key").write_text(Path(reference.removeprefix("file:")).read_text())
    (public / "key").chmod(0o644)
    fs = fsspec.filesystem("polyseal", target_protocol="file", key=f"file:{public}/key")
    for name in ("p=1", "p=2/deep"):
        (public / "set" / name).mkdir(parents=True)
        fs.pipe_file(f"{public}/set/{name}/x", b"message")
    (public / "set/p=2/deep").chmod(0)
    (public / "out").mkdir()
    (public / "out").chmod(0o777)
    root = f"{public}/set"
    calls: list[Callable[[], Any]] = [
        *(partial(fs.find, root, **each) for each in ({}, {"detail": True}, {"withdirs": True})),
        *(partial(fs.glob, f"{root}/{each}") for each in ("**", "*/*/*", "**/x")),
        *(partial(each, root) for each in (fs.du, lambda path: list(fs.walk(path)))),
        *(partial(each, root, f"{public}/out/x", recursive=True) for each in (fs.get, fs.copy)),
        partial(fs.cat, root, recursive=True),
        lambda: list(fs.get_mapper(root)),
        lambda: list(fs.walk(root, on_error="raise")),
    ]

    def refused() -> None:
        for call in calls:
            with pytest.raises(PermissionError, match="deep"):
                call()
        # Unless that is what is asked for.
        met: list[OSError] = []
        for on_error in ("omit", met.append):
            found = list(fs.walk(root, on_error=on_error))
            assert [(path, files) for path, _, files in found if files] == [(f"{root}/p=1", ["x"])]
        assert [type(each) for each in met] == [PermissionError]

    as_another(65534, 65534, [], refused)
    assert len(fs.find(root)) == 2


def test_whoever_walks_may_choose_directories(fs: Any, root: str) -> None:
    for name in ("a/deep/x", "b/x", "x"):
        fs.makedirs(fs._parent(f"{root}/{name}"), exist_ok=True)
        fs.pipe_file(f"{root}/{name}", b"message")
    for detail in (False, True):
        seen = []
        for path, directories, files in fs.walk(root, detail=detail):
            seen.append((path.removeprefix(root), sorted(directories), list(files)))
            directories.pop("a", None) if detail else directories.remove("a") if "a" in directories else None
        assert seen == [("", ["a", "b"], ["x"]), ("/b", [], ["x"])]
    assert [path.removeprefix(root) for path, _, _ in fs.walk(root, topdown=False)] in (["/a/deep", "/a", "/b", ""], ["/b", "/a/deep", "/a", ""])
    assert [path.removeprefix(root) for path, _, _ in fs.walk(root, maxdepth=1)] == [""]
    assert list(fs.walk(f"{root}/none")) == [] and fs.find(f"{root}/none") == []
    assert fs.find(f"{root}/x") == [f"{root}/x"]


def test_file_systems_that_pass_lists_on_are_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Trusted(AsyncFileSystem):  # type: ignore[misc]
        async def _find(self, path: str, **kwargs: Any) -> Any:
            return [path]

    local, own = fsspec.filesystem("file"), Trusted()
    for below, is_own in ((local, False), (own, True), (fsspec.filesystem("memory"), True)):
        assert (lists_of(below) is below) == is_own
        within = DirFileSystem("/", below)
        assert (lists_of(within) is within) == is_own
        cache = fsspec.filesystem("simplecache", fs=below, cache_storage=str(tmp_path))
        assert (lists_of(cache) is cache) == is_own


def test_question_marks_of_urls_are_none_of_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    class Site(AbstractFileSystem):  # type: ignore[misc]
        cachable = False
        names = ("/a/x?1", "/a/xy1", "/a/x?2")

        def ls(self, path: str, detail: bool = True, **kwargs: Any) -> Any:
            if path.rstrip("/") != "/a":
                raise FileNotFoundError(path)
            return [{"name": name, "size": 1, "type": "file"} for name in self.names]

        def glob(self, path: str, **kwargs: Any) -> Any:
            raise AssertionError("its own walk")

    lists = lists_of(Site())
    assert lists.glob("/a/x?1") == ["/a/x?1"] and lists.glob("/a/x?3") == []
    assert lists.glob("/a/x?*") == ["/a/x?1", "/a/x?2"]


@pytest.mark.parametrize("how", ["short", "refused", "broken", "slow", "no directory", "a directory", "missing"])
def test_what_a_store_does_not_give_is_no_missing_file(
    fs: Any, root: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "ab":
        fs.pipe_file(f"{root}/{name}", b"message")
    ranges = type(fs.fs).cat_ranges
    errors = {
        "refused": PermissionError(13, "no"),
        "broken": ConnectionError("x"),
        "slow": TimeoutError("x"),
        "no directory": NotADirectoryError(20, "no"),
        "a directory": IsADirectoryError(21, "no"),
        # It is listed all the same.
        "missing": FileNotFoundError(2, "no"),
    }

    def given(paths: list[str], *args: Any, **kwargs: Any) -> Any:
        found = ranges(fs.fs, paths, *args, **kwargs)
        return [
            (errors[how] if how in errors else each[:-1]) if path.endswith("/b") else each
            for path, each in zip(paths, found)
        ]

    monkeypatch.setattr(fs.fs, "cat_ranges", given)
    mapper, names = fs.get_mapper(root), [f"{root}/{name}" for name in ("a", "b", "none")]
    missing = (FileNotFoundError, IsADirectoryError, NotADirectoryError, LookupError)
    calls: list[Callable[[], Any]] = [
        *(partial(fs.cat, names, on_error=each) for each in ("omit", "return")),
        *(partial(mapper.getitems, ["a", "b"], on_error=each) for each in ("omit", "return", "raise")),
        *(partial(each, "b") for each in (mapper.__getitem__, mapper.get)),
        *(partial(each, names[1]) for each in (fs.cat_file, fs.cat, fs.open)),
    ]
    for call in calls:
        with pytest.raises(Exception) as raised:
            call()
        assert not isinstance(raised.value, missing)
    first, second, third = fs.cat_ranges(names, 0, 7)
    assert first == b"message" and isinstance(third, FileNotFoundError)
    assert isinstance(second, Exception) and not isinstance(second, missing)
    monkeypatch.undo()
    assert fs.cat(names, on_error="omit") == dict.fromkeys(names[:2], b"message")
    returned = fs.cat(names, on_error="return")[names[2]]
    assert isinstance(returned, FileNotFoundError)
    assert mapper.getitems(["a", "none"], on_error="omit") == {"a": b"message"}


def test_a_store_that_takes_a_file_for_no_directory(fs: Any, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fs.pipe_file(f"{root}/a", b"message")
    assert fs.get_mapper(root).get("a/b", b"default") == b"default"
    if isinstance(fs.fs, LocalFileSystem):
        # The system says so of what is beneath a file, and it is so.
        return

    def refused(path: str, **kwargs: Any) -> Any:
        raise NotADirectoryError(path)

    monkeypatch.setattr(fs.fs, "info", refused)
    with pytest.raises(OSError, match="a") as raised:
        fs.get_mapper(root).get("a", b"default")
    assert raised.value.errno == 5


def test_what_a_store_cannot_tell_is_not_absent(fs: Any, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path, none = f"{root}/a", f"{root}/none"
    fs.pipe_file(path, b"message")
    whole_info = type(fs.fs).info

    def info(name: str, **kwargs: Any) -> Any:
        if name == path:
            raise OSError(errno.EIO, "Input/output error", name)
        return whole_info(fs.fs, name, **kwargs)

    monkeypatch.setattr(fs.fs, "info", info)
    for asked in ("exists", "isfile"):
        monkeypatch.setattr(fs.fs, asked, lambda name, **kwargs: False)
    mapper = fs.get_mapper(root)
    calls: list[Callable[[], Any]] = [
        *(partial(each, path) for each in (fs.exists, fs.isfile, partial(fs.touch, truncate=False))),
        partial(mapper.__contains__, "a"),
    ]
    for call in calls:
        with pytest.raises(OSError, match="Input/output"):
            call()
    assert not fs.exists(none) and not fs.isfile(none) and "none" not in mapper
    monkeypatch.undo()
    assert fs.cat_file(path) == b"message"


# fsspec does not close the file of its own cache.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("size", [0, 14, 200_000])
@pytest.mark.parametrize("kind", ["simplecache", "filecache", "blockcache"])
def test_caches_before_it(tmp_path: Path, reference: str, kind: str, size: int) -> None:
    message = secrets.token_bytes(size)
    with fsspec.open(f"polyseal::file://{tmp_path}/x", "wb", key=reference) as file:
        file.write(message)
    options = {kind: {"cache_storage": f"{tmp_path}/cache"}, "polyseal": {"key": reference}}
    for start in (0, size // 2):
        with fsspec.open(f"{kind}::polyseal::file://{tmp_path}/x", **options) as file:
            assert file.seek(start) == start and file.read() == message[start:]
            assert not file.closed
        assert file.closed
