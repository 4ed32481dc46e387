"""The same program over a plain file system and over ``polyseal::`` of it: the same answers, or an exception.

A program is a random sequence of calls. Each goes to a directory of a plain file system and to another one that is
encrypted. What both answer must be equal; where the encrypted one raises and the plain one does not, the call had to
do with a file that is not encrypted. Used by ``test_fs_differential.py``, and over S3 by the tests in ``engines``.
"""

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec
import polyseal
import polyseal.fs

CALLS = 60
NAMES = ["a", "b", "sub/a", "sub/c.txt", "sub/deep/d", "e.bz2", "_SUCCESS"]
DIRECTORIES = ["", "sub", "sub/deep", "new", "a"]
PATTERNS = ["*", "**", "sub/*", "**/a", "[ab]", "sub/**/*", "?", "none*", "sub/", "*/"]


class Boom(Exception):
    """The exception that a block raises."""


class Side:
    """One of the two file systems, and a directory in it."""

    def __init__(self, fs: Any, root: str, outside: Path) -> None:
        self.fs, self.root, self.outside = fs, root, outside

    def at(self, name: str) -> str:
        return f"{self.root}/{name}" if name else self.root

    def plain(self, value: Any) -> Any:
        """Without what differs: the root, times, inodes, modes and the order of lists."""
        if isinstance(value, str):
            return value.replace(self.root, "ROOT")
        if isinstance(value, (list, set)):
            return sorted((self.plain(each) for each in value), key=repr)
        if isinstance(value, tuple):
            return tuple(self.plain(each) for each in value)
        if isinstance(value, Exception):
            return type(value)
        if isinstance(value, dict):
            if "type" in value:
                size = value.get("size") if value["type"] == "file" else None
                return {"name": self.plain(value["name"]), "type": value["type"], "size": size}
            return {self.plain(name): self.plain(each) for name, each in value.items()}
        return value


Call = Callable[[Side], Any]


def content(rng: random.Random) -> bytes:
    return rng.choice([b"", b"x", b"line\nother\n" * 7, rng.randbytes(5000), rng.randbytes(70_000), b"t\r\nu\n"])


def writing(rng: random.Random) -> Call:
    name, data = rng.choice(NAMES), content(rng)
    mode = rng.choice(["wb", "wb", "xb", "w", "x", "wt"])
    compression = rng.choice([None, None, None, "bz2", "infer"])
    pieces = rng.choice([1, 3])

    def call(side: Side) -> Any:
        text = "b" not in mode
        with side.fs.open(side.at(name), mode, compression=compression, **({"newline": ""} if text else {})) as file:
            for at in range(pieces):
                piece = data[at * len(data) // pieces : (at + 1) * len(data) // pieces]
                file.write(piece.decode("latin-1") if text else piece)

    return call


def reading(rng: random.Random) -> Call:
    name, mode = rng.choice(NAMES), rng.choice(["rb", "rb", "r"])
    kinds = ["read", "seek", "line", "into", "tell", "lines", "end"]
    steps = [(rng.choice(kinds), rng.randrange(80_000)) for _ in range(5)]
    compression = rng.choice([None, None, "infer"])

    def call(side: Side) -> Any:
        answers: list[Any] = []
        encoding = {"encoding": "latin-1"} if mode == "r" else {}
        with side.fs.open(side.at(name), mode, compression=compression, **encoding) as file:
            if mode == "r":
                return file.read()
            for step, n in steps:
                if step == "read":
                    answers.append(file.read(n if n % 3 else -1))
                elif step == "seek":
                    answers.append(file.seek(n))
                elif step == "line":
                    answers.append(file.readline())
                elif step == "into":
                    held = bytearray(n)
                    answers.append((file.readinto(held), bytes(held)))
                elif step == "tell":
                    answers.append(file.tell())
                elif step == "lines":
                    answers.append(b"".join(file.readlines()))
                else:
                    answers.append(file.seek(0, io.SEEK_END))
        return tuple(answers)

    return call


def raising(rng: random.Random) -> Call:
    """A plain file has half of it then; an encrypted one stays. So the plain one is not asked."""
    name, mode, compression = rng.choice(NAMES), rng.choice(["wb", "w", "wt"]), rng.choice([None, "gzip", "xz"])
    how, deferred = rng.choice(["fs", "url"]), rng.random() < 0.2

    def call(side: Side) -> Any:
        if not isinstance(side.fs, polyseal.fs.PolysealFileSystem):
            return Boom()
        opened = side.fs.open if how == "fs" else lambda *a, **k: fsspec.core.OpenFile(side.fs, *a, **k)
        there = side.fs.isdir(side.fs._parent(side.at(name)))
        try:
            if deferred:
                side.fs.start_transaction()
            with opened(side.at(name), mode, compression=compression) as file:
                file.write("half" if "b" not in mode else b"half")
                raise Boom
        except Boom as error:
            return error
        except OSError as error:
            return error if there else Boom()
        finally:
            if deferred:
                side.fs.end_transaction()

    return call


def asking(rng: random.Random) -> Call:
    """A question about a name or two."""
    name, directory, pattern = rng.choice(NAMES), rng.choice(DIRECTORIES), rng.choice(PATTERNS)
    low, high = rng.choice([(None, None), (None, 9), (0, 9), (3, 9), (3, 10**6), (-5, None), (70_000, None)])
    detail, exact, several = rng.random() < 0.5, rng.random() < 0.5, rng.sample(NAMES, 3)
    on_error = rng.choice(["raise", "return", "omit"])
    calls: list[Call] = [
        lambda s: s.fs.cat_file(s.at(name), start=low, end=high),
        lambda s: s.fs.cat(s.at(name)),
        lambda s: s.fs.cat([s.at(each) for each in several], on_error=on_error),
        lambda s: tuple(
            each if isinstance(each, bytes) else s.plain(each)
            for each in s.fs.cat_ranges([s.at(each) for each in several], max(low or 0, 0), high, on_error="return")
        ),
        lambda s: s.fs.head(s.at(name), 7),
        lambda s: s.fs.tail(s.at(name), 7),
        lambda s: s.fs.read_block(s.at(name), 3, 20, b"\n"),
        lambda s: s.fs.read_text(s.at(name), encoding="latin-1"),
        lambda s: s.fs.ls(s.at(directory), detail=detail),
        lambda s: s.fs.find(s.at(directory), withdirs=exact, detail=detail),
        lambda s: s.fs.find(s.at(directory), maxdepth=1, detail=detail),
        lambda s: s.fs.find(s.at(name), detail=detail),
        lambda s: s.fs.glob(s.at(pattern), detail=detail),
        lambda s: [s.plain(each) for each in s.fs.walk(s.at(directory), detail=detail, topdown=exact)],
        lambda s: s.fs.du(s.at(directory), total=exact),
        lambda s: s.fs.du(s.at(name)),
        lambda s: (s.fs.exists(s.at(name)), s.fs.isfile(s.at(name)), s.fs.isdir(s.at(name))),
        lambda s: (s.fs.exists(s.at(directory)), s.fs.isfile(s.at(directory)), s.fs.isdir(s.at(directory))),
        lambda s: s.fs.info(s.at(name)),
        lambda s: s.fs.info(s.at(directory)),
        lambda s: s.fs.size(s.at(name)),
        lambda s: tuple(s.fs.sizes([s.at(each) for each in several])),
        lambda s: s.fs.expand_path(s.at(directory), recursive=True),
        lambda s: got_file(s, name),
        lambda s: got(s, directory),
        lambda s: sorted(s.fs.get_mapper(s.root)),
        lambda s: s.fs.get_mapper(s.root).get(name, b"missing"),
        lambda s: (name in s.fs.get_mapper(s.root), len(s.fs.get_mapper(s.root))),
        lambda s: s.fs.get_mapper(s.root).getitems(several, on_error=on_error),
    ]
    return rng.choice(calls)


def changing(rng: random.Random) -> Call:
    """A change to a name or two. Whatever it returns is the store's own."""
    name, other, directory = rng.choice(NAMES), rng.choice(NAMES), rng.choice(DIRECTORIES)
    data, exact, several = content(rng), rng.random() < 0.5, rng.sample(NAMES, 3)
    calls: list[Call] = [
        lambda s: s.fs.pipe_file(s.at(name), data),
        lambda s: s.fs.pipe_file(s.at(name), data, mode="create"),
        lambda s: s.fs.pipe({s.at(each): data for each in several}),
        lambda s: s.fs.cp_file(s.at(name), s.at(other)),
        lambda s: s.fs.copy(s.at(directory), s.at("new"), recursive=True),
        lambda s: s.fs.copy(s.at(directory) + "/", s.at("new") + "/", recursive=True),
        lambda s: s.fs.mv(s.at(name), s.at(other)),
        lambda s: s.fs.mv(s.at(name), s.at("new") + "/"),
        lambda s: s.fs.rename(s.at(name), s.at(other)),
        lambda s: s.fs.rm(s.at(name)),
        lambda s: s.fs.rm_file(s.at(name)),
        lambda s: s.fs.rm(s.at("new"), recursive=True),
        lambda s: s.fs.rm([s.at(each) for each in several]),
        lambda s: s.fs.mkdir(s.at(directory)),
        lambda s: s.fs.makedirs(s.at(directory), exist_ok=exact),
        lambda s: s.fs.rmdir(s.at(directory)),
        lambda s: s.fs.touch(s.at(name)),
        lambda s: s.fs.touch(s.at(name), truncate=False) if exact and s.fs.exists(s.at(name)) else None,
        lambda s: put(s, name, data),
        lambda s: s.fs.get_mapper(s.root).__setitem__(name, data),
        lambda s: s.fs.get_mapper(s.root).__delitem__(name),
    ]
    change = rng.choice(calls)

    def call(side: Side) -> None:
        change(side)

    call.__code__ = call.__code__.replace(co_firstlineno=change.__code__.co_firstlineno)
    return call


def got_file(side: Side, name: str) -> bytes:
    side.fs.get(side.at(name), str(side.outside / "got"))
    return (side.outside / "got").read_bytes()


def got(side: Side, directory: str) -> Any:
    place = side.outside / f"all-{len(os.listdir(side.outside))}"
    side.fs.get(side.at(directory), str(place), recursive=True)
    files = (each for each in place.rglob("*") if each.is_file())
    return tuple(sorted((str(each.relative_to(place)), each.read_bytes()) for each in files))


def put(side: Side, name: str, data: bytes) -> None:
    # fsspec's own makes the directory in some file systems, and in others not.
    if side.fs.isdir(side.fs._parent(side.at(name))):
        (side.outside / "put").write_bytes(data)
        side.fs.put(str(side.outside / "put"), side.at(name))


def foreign(rng: random.Random) -> Call:
    """A file that is not encrypted, written in the file system below."""
    name = rng.choice(NAMES)
    data = rng.choice([b"", b"short", b"not encrypted " * 100])

    def call(side: Side) -> Any:
        below = getattr(side.fs, "fs", side.fs)
        if below.isdir(below._parent(side.at(name))) and not below.isdir(side.at(name)):
            below.pipe_file(side.at(name), data)

    return call


def run(call: Call, side: Side) -> Any:
    try:
        return side.plain(call(side))
    except Exception as error:
        return error


def same(left: Any, right: Any, strange: bool) -> bool:
    """Equal; or whatever is said of a name where the plain file system has an exception; or, of a ``strange`` file
    that is not encrypted, an exception and no size.
    """
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        return len(left) == len(right) and all(same(*both, strange) for both in zip(left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[each], right[each], strange) for each in left)
    if isinstance(left, type) and isinstance(right, (type, bytes)):
        return True
    unknown = right is None or isinstance(right, type) and issubclass(right, polyseal.PolysealError)
    return bool(left == right) or strange and unknown


def state(side: Side) -> Any:
    return side.plain(side.fs.find(side.root, withdirs=True))


def program(seed: int, plain: Side, encrypted: Side, calls: int = CALLS) -> None:
    """Runs the program of this seed, and looks at what both are after each call."""
    rng = random.Random(seed)
    strange = False
    for at in range(calls):
        kind = rng.choices([writing, reading, raising, asking, changing, foreign], [4, 3, 1, 12, 9, seed % 3 == 0])[0]
        call = kind(rng)
        left, right = run(call, plain), run(call, encrypted)
        strange = strange or kind is foreign
        where = f"call {at}, {kind.__name__} of line {call.__code__.co_firstlineno}: {left!r:.500} and {right!r:.500}"
        if right == b"" and isinstance(left, (ValueError, OSError)) and not isinstance(left, FileNotFoundError):
            # Local files and S3 have no ranges behind their end.
            continue
        if left is None and isinstance(right, FileExistsError) and kind is writing:
            # s3fs writes over what is there in the mode "x", if it is short.
            break
        if isinstance(left, Exception):
            assert isinstance(right, Exception), where
        elif isinstance(right, Exception):
            assert strange and isinstance(right, polyseal.PolysealError), where
        else:
            assert same(left, right, strange), where
        assert state(plain) == state(encrypted), where
        if getattr(plain.fs, "store", {}).keys() & set(getattr(plain.fs, "pseudo_dirs", [])):
            # In memory, a name of both a file and a directory: each of its calls takes it for another.
            break
