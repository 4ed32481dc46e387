"""What is in a directory tree, in the order of a manifest: each directory, then what is in it, by names.

No link is followed. What a directory contains is read when its turn comes. Of a sealed tree, names are put in
order as they are without their suffix.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Final, Literal, NamedTuple

from ._directory import Directory

#: What the encrypted file of a name is called behind it.
SUFFIX: Final = b".polyseal"
#: The name of the manifest, before it is encrypted.
MANIFEST: Final = b".polyseal-manifest"

#: Says of a path in the tree whether it is left out, with all that is in it.
Exclude = Callable[[PurePosixPath], bool]

#: In the order in which those of one path come.
_What = Literal["0 other", "1 link", "2 file", "3 directory"]


class Step(NamedTuple):
    """A name that is found in a directory."""

    #: From the root; in a sealed tree, without the suffix of a file.
    path: bytes
    what: _What
    #: From the root, as it is on disk.
    there: bytes
    #: Why a directory could not be read.
    error: OSError | None = None


def walk(root: Directory, exclude: Exclude | None, sealed: bool = False) -> Iterator[Step]:
    """All that is in a tree, whatever its depth."""
    directories = [_steps(root, exclude, sealed, b"")]
    while directories:
        step = next(directories[-1], None)
        if step is None:
            directories.pop()
            continue
        yield step
        if step.what == "3 directory" and step.error is None:
            directories.append(_steps(root, exclude, sealed, step.path))


def _steps(root: Directory, exclude: Exclude | None, sealed: bool, path: bytes) -> Iterator[Step]:
    """What is in one directory."""
    try:
        names = sorted(_names(root.beneath(path), sealed))
    except OSError as error:
        yield Step(path, "3 directory", path, error)
        return
    before = path + b"/" if path else b""
    for name, what, there in names:
        if exclude is None or not exclude(shown(before + name)):
            yield Step(before + name, what, before + there)


def _names(directory: Directory, sealed: bool) -> Iterator[tuple[bytes, _What, bytes]]:
    with os.scandir(directory.fd) as entries:
        for entry in entries:
            there = os.fsencode(entry.name)
            what: _What = "0 other"
            if entry.is_symlink():
                what = "1 link"
            elif entry.is_dir(follow_symlinks=False):
                what = "3 directory"
            elif entry.is_file(follow_symlinks=False):
                what = "2 file"
            if not sealed or what == "3 directory":
                yield there, what, there
                continue
            name = there.removesuffix(SUFFIX)
            if what == "2 file" and name != there and name not in (b"", b".", b".."):
                yield name, what, there
            else:
                yield there, "0 other", there


def count(tree: Directory, exclude: Exclude | None) -> tuple[int, int]:
    files = size = 0
    for step in walk(tree, exclude):
        with contextlib.suppress(OSError):
            if step.what == "2 file":
                parent, name = tree.place(step.path)
                files, size = files + 1, size + parent.stat(name).st_size
    return files, size


def shown(path: bytes) -> PurePosixPath:
    return PurePosixPath(os.fsdecode(path))


__all__ = ["MANIFEST", "SUFFIX", "Exclude", "Step", "count", "shown", "walk"]
