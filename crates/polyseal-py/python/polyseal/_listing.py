"""Lists of a file system in which nothing is missing without an error.

fsspec's own ``walk`` takes every ``OSError`` for an empty directory, and so do ``find``, ``glob`` and ``copy``, which
use it: a directory that may not be read makes a data set smaller. Here only ``FileNotFoundError`` means that nothing is
there. Stores that list without directories (s3fs, gcsfs, adlfs) have a ``find`` of their own, which raises what the
store says, and takes fewer requests: that one stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from fsspec import AbstractFileSystem
from fsspec.asyn import AsyncFileSystem
from fsspec.core import has_magic
from fsspec.implementations.cached import CachingFileSystem
from fsspec.implementations.dirfs import DirFileSystem


class Lists(Protocol):
    """The part of a file system that lists."""

    def find(self, path: str, maxdepth: int | None = None, withdirs: bool = False, **kwargs: Any) -> Any: ...

    def glob(self, path: str, maxdepth: int | None = None, **kwargs: Any) -> Any: ...

    def copy(self, path1: Any, path2: Any, **kwargs: Any) -> None: ...


def lists_of(fs: AbstractFileSystem) -> Lists:
    """The file system that lists this one: itself, if its ``find`` is its own."""
    below = fs
    while isinstance(below, (CachingFileSystem, DirFileSystem)):
        # They pass ``find`` on.
        below = below.fs
    return fs if _is_own(below, "find") else _Listing(fs, not _is_own(below, "glob"))


def _is_own(fs: AbstractFileSystem, method: str) -> bool:
    if isinstance(fs, AsyncFileSystem):
        return getattr(type(fs), f"_{method}") is not getattr(AsyncFileSystem, f"_{method}")
    return getattr(type(fs), method) is not getattr(AbstractFileSystem, method)


def walk(
    fs: AbstractFileSystem,
    path: str,
    maxdepth: int | None = None,
    topdown: bool = True,
    on_error: Any = None,
    **kwargs: Any,
) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """As fsspec's, with ``detail``. But ``on_error`` goes for directories below ``path``, too, and without it errors are
    raised, but for ``FileNotFoundError``.
    """
    if maxdepth is not None and maxdepth < 1:
        raise ValueError("maxdepth must be at least 1")
    path = fs._strip_protocol(path)
    try:
        listed = fs.ls(path, detail=True, **kwargs)
    except OSError as error:
        if callable(on_error):
            on_error(error)
        elif on_error == "raise" or (on_error != "omit" and not isinstance(error, FileNotFoundError)):
            raise
        if isinstance(fs, AsyncFileSystem):
            # Only fsspec's other kind of walk says nothing of it.
            yield path, {}, {}
        return
    directories, files = dict[str, Any](), dict[str, Any]()
    for info in listed:
        full = info["name"].rstrip("/")
        name = full.rsplit("/", 1)[-1]
        if info["type"] == "directory" and full != path:
            directories[name] = info
        else:
            files["" if full == path else name] = info
    full_names = {name: info["name"].rstrip("/") for name, info in directories.items()}
    if topdown:
        yield path, directories, files
    if maxdepth is None or maxdepth > 1:
        deeper = None if maxdepth is None else maxdepth - 1
        for name in directories:
            # Whoever asks may have added some.
            below = full_names.get(name, f"{path}/{name}")
            yield from walk(fs, below, deeper, topdown, on_error, **kwargs)
    if not topdown:
        yield path, directories, files


class _Listing(AbstractFileSystem):  # type: ignore[misc]
    """fsspec's own ``find``, ``glob`` and ``copy`` of a file system, by that ``walk``."""

    cachable = False

    def __init__(self, fs: AbstractFileSystem, question_marks: bool) -> None:
        super().__init__()
        self._fs = fs
        self._question_marks = question_marks
        self._strip_protocol = fs._strip_protocol
        self._parent = fs._parent
        self.ls, self.info, self.cp_file = fs.ls, fs.info, fs.cp_file

    def walk(self, path: str, maxdepth: int | None = None, **kwargs: Any) -> Any:
        kwargs.pop("detail", None)
        return walk(self._fs, path, maxdepth, **kwargs)

    def glob(self, path: str, maxdepth: int | None = None, **kwargs: Any) -> Any:
        if not self._question_marks:
            # Those of URLs stand for themselves.
            if has_magic(path.replace("?", "")):
                path = path.replace("?", "[?]")
            else:
                found = {path: self.info(path)} if self.exists(path) else {}
                return found if kwargs.get("detail") else list(found)
        return super().glob(path, maxdepth, **kwargs)

    def exists(self, path: str, **kwargs: Any) -> bool:
        try:
            self.info(path, **kwargs)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True


__all__ = ["Lists", "lists_of", "walk"]
