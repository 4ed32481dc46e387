"""Encrypted files of any store as an fsspec file system: ``polyseal::s3://bucket/name``.

Whatever reads through fsspec reads encrypted files so: pandas, pyarrow, DuckDB, Dask, zarr. Sizes are
those of the plaintext, a range of it costs the segments that it lies in, and what is written appears in
the store when it is complete. Names, times and the number of files stay visible.

>>> import fsspec, os, polyseal
>>> os.environ["BACKUP_KEY"] = polyseal.SecretKey.generate().to_key_file()
>>> fs = fsspec.filesystem("polyseal", target_protocol="memory", key="env:BACKUP_KEY")
>>> fs.pipe("/greeting", b"attack at dawn")
>>> fs.cat_file("/greeting", start=10)
b'dawn'
>>> fs.size("/greeting"), fs.info("/greeting")["stored_size"]
(14, 4126)

What is cached: nothing of the plaintext but eight segments for each file that is open, and in each file
system the size, the header's keys and the last segment's position of ``CACHED_FILES`` files, for as long
as the store says that the file is the same one (its ETag, or its time and size). **A cache that stands
before this file system holds plaintext** (``simplecache::polyseal::s3://…``); one behind it holds what is
stored (``polyseal::simplecache::s3://…``).

A range that is read is authentic, and so is the length of its file. That the rest of the file is whole,
only ``verify`` says.
"""

from __future__ import annotations

import errno
import io
import os
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Final

from fsspec import filesystem
from fsspec.callbacks import DEFAULT_CALLBACK
from fsspec.compression import compr
from fsspec.core import get_compression, has_magic
from fsspec.implementations.chained import ChainedFileSystem
from fsspec.implementations.local import LocalFileSystem, make_path_posix, trailing_sep
from fsspec.utils import other_paths, stringify_path

from ._bounds import bounded, ranges
from ._fs_files import BLOCK, StoredReader, StoredWriter
from ._listing import lists_of, walk
from ._names import expect_below
from ._opening import too_few, version_of
from ._os_errors import path_errors, store_error, system_error, with_path
from ._polyseal import AllowedSigners, NewFile, Opener, Outline, Payload, SignedStatement, SigningKey, StreamSealer, Version
from ._references import by_reference, references, resolved
from ._shown import cleaned, shown
from ._stores import staged
from ._writing import Compressed, write_all
from .errors import CorruptSegment, HeaderError, KeyUnavailable, NotSignedError, PolysealError, SourceChanged
from .files import wanted_signers
from .keys import KeyRef

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

    from ._polyseal import Buffer
    from ._key_set import KeySetArgs

#: How many files a file system remembers.
CACHED_FILES: Final = 4096
#: The exceptions that mappers and zarr take for a file that was never written.
_NO_FILE: Final = (FileNotFoundError, IsADirectoryError, NotADirectoryError)


class PolysealFileSystem(ChainedFileSystem):  # type: ignore[misc]
    """Encrypted files of another file system.

    ``key``, ``identity``, ``recipients`` and ``context`` are those of ``polyseal.open``. These options are
    pickled, cached and written to JSON by fsspec and what uses it, so **a key is only taken by reference**
    (``"file:/etc/backup.key"``), an identity only as the path of its file, and no passphrase at all.

    ``signers`` is the path of a list of allowed signers: a file ``name`` is read only as far as the statement in
    ``name.sig`` covers it, of one of them, or of the one named ``by``; otherwise ``NotSignedError`` is raised. ``sign`` is
    the path of a private key of OpenSSH without a passphrase, which signs what is written. With either, lists leave out
    the statement of a file that they have.

    ``sizes="stored"`` lists files with their stored sizes, and saves a small request for each file that
    has not been seen. ``suite``, ``segment_size`` and ``header_size`` are those of files that are written.
    """

    protocol: ClassVar[str] = "polyseal"
    async_impl: ClassVar[bool] = False
    cachable: ClassVar[bool] = True
    root_marker = ""

    def __init__(
        self,
        fs: AbstractFileSystem | None = None,
        *,
        fo: object = None,
        target_protocol: str | None = None,
        target_options: dict[str, Any] | None = None,
        key: str | KeyRef | Sequence[str | KeyRef] | None = None,
        identity: str | Sequence[str] | None = None,
        recipients: str | Iterable[str] = (),
        context: str | None = None,
        suite: str | None = None,
        segment_size: int = 65536,
        header_size: int = 0,
        sizes: str = "plain",
        signers: str | os.PathLike[str] | None = None,
        by: str | None = None,
        sign: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        refused = sorted({"passphrase", "password", "secret"} & options.keys())
        if refused:
            raise TypeError(f"storage options are written down: use a key by reference, no {refused[0]}")
        if sizes not in ("plain", "stored"):
            raise ValueError(f"sizes are 'plain' or 'stored', not {sizes!r}")
        super().__init__(**options)
        self.fs = bounded(fs if fs is not None else filesystem(target_protocol or "file", **(target_options or {})))
        if self.fs.async_impl and self.fs.asynchronous:
            raise ValueError("the file system below must not be an asynchronous one")
        self._lists = lists_of(self.fs)
        self._key_set = by_reference(key, identity, recipients, context)
        self._sealing: dict[str, Any] = dict(suite=suite, segment_size=segment_size, header_size=header_size)
        self._plain_sizes = sizes == "plain"
        for name, path in ("signers", signers), ("sign", sign):
            if not isinstance(path, (str, os.PathLike, type(None))):
                raise TypeError(f"{name} is the path of a file: storage options are written down")
        self._wanted = wanted_signers(None if signers is None else AllowedSigners.from_file(signers), by)
        self._sign = sign
        self._files = _Remembered(CACHED_FILES)
        self._outlines = _Remembered(CACHED_FILES)
        # Each instance has paths of the file system below it.
        self._strip_protocol: Callable[[Any], Any] = self._stripped
        self._parent: Callable[[Any], Any] = lambda path: self.fs._parent(self._stripped(path))

    def __repr__(self) -> str:
        below = self.fs.protocol if isinstance(self.fs.protocol, str) else self.fs.protocol[0]
        recipients = len(self._key_set["recipients"])
        named = [shown(each) for each in references(self._key_set)]
        named += [f"{recipients} recipients"] if recipients else []
        return f"<{type(self).__name__} on {below}: {', '.join(named) or 'no key'}>"

    def _stripped(self, path: Any) -> Any:
        if isinstance(path, list):
            return [self._stripped(each) for each in path]
        name = stringify_path(path)
        for prefix in ("polyseal://", "polyseal::"):
            name = name.removeprefix(prefix)
        return self.fs._strip_protocol(name)

    def _below(self, path: Any) -> Any:
        """The path in the file system below. A slash at its end stays: it says that it is a directory."""
        if isinstance(path, list):
            return [self._below(each) for each in path]
        stripped = self._stripped(path)
        return f"{stripped}/" if stringify_path(path).endswith("/") and not stripped.endswith("/") else stripped

    # --- what is read

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **kwargs: Any) -> bytes:
        """Bytes ``start`` to ``end`` of the plaintext. Negative numbers count from the end."""
        [found] = self.cat_ranges([path], [start], [end], on_error="raise")
        assert isinstance(found, bytes)
        return found

    def cat_ranges(
        self,
        paths: list[str],
        starts: int | None | list[int | None],
        ends: int | None | list[int | None],
        max_gap: int | None = None,
        on_error: str = "return",
        **kwargs: Any,
    ) -> list[bytes | Exception]:
        """Ranges of several files: at most two rounds of concurrent requests, one if the files are known."""
        if not isinstance(paths, list):
            raise TypeError("paths are a list")
        starts = starts if isinstance(starts, list) else [starts] * len(paths)
        ends = ends if isinstance(ends, list) else [ends] * len(paths)
        if not len(paths) == len(starts) == len(ends):
            raise ValueError("there are as many starts and ends as paths")
        names = [self._strip_protocol(path) for path in paths]
        files, tails = self._open_all(list(dict.fromkeys(names)))
        results: list[bytes | Exception] = [b""] * len(names)
        wanted: list[tuple[int, _File, int, int]] = []
        for at, (name, start, end) in enumerate(zip(names, starts, ends)):
            file = files[name]
            if isinstance(file, Exception):
                results[at] = file
                continue
            low, high, _ = slice(start, end).indices(file.payload.size)
            if low < high:
                wanted.append((at, file, low, high))
        for at, opened in self._opened_ranges(wanted, tails):
            results[at] = opened
        if on_error == "raise":
            for result in results:
                if isinstance(result, Exception):
                    raise result
        return results

    def cat(self, path: Any, recursive: bool = False, on_error: str = "raise", **kwargs: Any) -> Any:
        """The plaintext of a file, or of several by their names.

        ``on_error`` is for names that have no file. All else raises, whatever it says: a file that does not open, or
        that the store does not give. ``FSMap`` asks for exceptions to be returned, and leaves them out. ``cat_ranges``
        returns all of them.
        """
        paths = self.expand_path(path, recursive=recursive)
        if len(paths) == 1 and not isinstance(path, list) and paths[0] == self._strip_protocol(path):
            return self.cat_file(paths[0], **kwargs)
        paths = [each for each in paths if not self.isdir(each)] if recursive else paths
        found = self.cat_ranges(paths, kwargs.get("start"), kwargs.get("end"), on_error="return")
        out = {}
        for each, result in zip(paths, found):
            if isinstance(result, Exception):
                if on_error == "raise" or not isinstance(result, _NO_FILE):
                    raise result
                if on_error == "omit":
                    continue
            out[each] = result
        return out

    def expand_path(self, path: Any, recursive: bool = False, maxdepth: int | None = None, **kwargs: Any) -> Any:
        with path_errors(*path if isinstance(path, list) else [path]):
            return super().expand_path(path, recursive, maxdepth, **kwargs)

    def get(
        self,
        rpath: Any,
        lpath: Any,
        recursive: bool = False,
        callback: Any = DEFAULT_CALLBACK,
        maxdepth: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Decrypts files to local ones. Before the first is written, all names are looked at that the store has given."""
        if isinstance(lpath, (str, os.PathLike)):
            rpath, lpath = self._targets(rpath, make_path_posix(os.fspath(lpath)), recursive, maxdepth, **kwargs)
        super().get(rpath, lpath, recursive=recursive, callback=callback, maxdepth=maxdepth, **kwargs)

    def _targets(
        self, rpath: Any, lpath: str, recursive: bool, maxdepth: int | None, **kwargs: Any
    ) -> tuple[list[str], list[str]]:
        """The files to get, and where each goes, by fsspec's rules."""
        names: list[str] = self.expand_path(rpath, recursive=recursive, maxdepth=maxdepth, **kwargs)
        one = isinstance(rpath, str)
        if one and (not recursive or maxdepth is not None):
            # A pattern copies no directories.
            names = [name for name in names if not (trailing_sep(name) or self.isdir(name))]
        into = trailing_sep(lpath) or os.path.isdir(lpath)
        within = one and (len(names) == 1 if has_magic(rpath) else into and not trailing_sep(rpath))
        paths: list[str] = other_paths(names, lpath, exists=within, flatten=not one) if names else []
        expect_below(lpath, paths)
        return names, paths

    def get_file(
        self, rpath: str, lpath: Any, callback: Any = DEFAULT_CALLBACK, outfile: Any = None, **kwargs: Any
    ) -> None:
        """Decrypts a file into a local one, which appears when all of it has been found authentic. A file object gets
        only what is authentic, but if an exception is raised it may have got a part.
        """
        outfile = lpath if hasattr(lpath, "write") else outfile
        if outfile is None and self.isdir(rpath):
            os.makedirs(lpath, exist_ok=True)
            return
        with StoredReader(self, self._strip_protocol(rpath)) as file:
            callback.set_size(file.size)
            if outfile is None:
                os.makedirs(os.path.dirname(os.path.abspath(lpath)), exist_ok=True)
            sink: Any = NewFile(lpath, True) if outfile is None else outfile
            try:
                while piece := file.read(BLOCK):
                    write_all(sink, piece)
                    callback.relative_update(len(piece))
                if outfile is None:
                    sink.commit()
            finally:
                if outfile is None:
                    sink.discard()

    def open(
        self,
        path: Any,
        mode: str = "rb",
        block_size: int | None = None,
        cache_options: dict[str, Any] | None = None,
        compression: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """As ``open`` of any file system. The modes are ``r``, ``w`` and ``x``, with ``b`` or as text."""
        options: dict[str, Any] = dict(block_size=block_size, cache_options=cache_options, **kwargs)
        if compression is None or "b" not in mode or "r" in mode:
            return super().open(path, mode, compression=compression, **options)
        # fsspec's own would not close the file when the compressor is closed.
        name = get_compression(self._strip_protocol(path), compression)
        file = super().open(path, mode, **options)
        return file if name is None else Compressed(compr[name](file, mode=mode[0]), file)

    def _open(self, path: str, mode: str = "rb", **kwargs: Any) -> io.BufferedIOBase:
        if mode == "rb":
            return StoredReader(self, path)
        if mode not in ("wb", "xb"):
            raise ValueError(f"encrypted files have the modes 'rb', 'wb' and 'xb', not {mode!r}: nothing is added at their end")
        return StoredWriter(self, path, mode, bool(kwargs.get("autocommit", True)))

    # --- what is written

    def pipe_file(self, path: str, value: Buffer, mode: str = "overwrite", **kwargs: Any) -> None:
        path = self._strip_protocol(path)
        # The local file system's own writes over what is there, and leaves half of it if it is stopped.
        if self._intrans or isinstance(self.fs, LocalFileSystem):
            with self.open(path, "xb" if mode == "create" else "wb") as file:
                file.write(value)
            return
        sealer = self._sealer()
        stored = sealer.header + sealer.finish(value)
        if mode == "create" and self.exists(path):
            raise system_error(FileExistsError, path)
        statement = sealer.statement() if self._sign is not None else None
        with path_errors(path):
            if mode == "overwrite":
                self._put_statement(path, statement)
            self.fs.pipe_file(path, stored, **({"mode": mode} if mode != "overwrite" else {}), **kwargs)
            if mode != "overwrite":
                self._put_statement(path, statement)
        self.invalidate_cache(path)

    def put_file(
        self, lpath: Any, rpath: str, callback: Any = DEFAULT_CALLBACK, mode: str = "overwrite", **kwargs: Any
    ) -> None:
        """Encrypts a local file."""
        path = self._strip_protocol(rpath)
        if os.path.isdir(lpath):
            self.makedirs(path, exist_ok=True)
            return
        with open(lpath, "rb") as source:
            callback.set_size(os.fstat(source.fileno()).st_size)
            self.makedirs(self._parent(path), exist_ok=True)
            with self.open(path, "xb" if mode == "create" else "wb") as file:
                while piece := source.read(BLOCK):
                    file.write(piece)
                    callback.relative_update(len(piece))

    def touch(self, path: str, truncate: bool = True, **kwargs: Any) -> None:
        """An empty file; or, with ``truncate=False``, a new time of one that is there."""
        if truncate or not self.exists(path):
            self.open(path, "wb").close()
        else:
            self.fs.touch(self._strip_protocol(path), truncate=False, **kwargs)

    def _sealer(self) -> StreamSealer:
        sign = None if self._sign is None else SigningKey.from_file(self._sign)
        return StreamSealer(**self._sealing, sign=sign, **resolved(self._key_set))

    def _put_statement(self, path: str, statement: bytes | None) -> None:
        """The statement about a file, beside it: before one that may replace another, so that a new one is never without
        it; behind one that may not, so that one that is there keeps its own.
        """
        if statement is None:
            return
        sink = staged(self.fs, _beside(path), overwrite=True)
        try:
            write_all(sink, statement)
            sink.close()
            sink.commit()
        except BaseException:
            sink.discard()
            raise
        self.invalidate_cache(_beside(path))

    # --- what is told

    def info(self, path: str, **kwargs: Any) -> dict[str, Any]:
        with path_errors(path):
            found = self._infos([self.fs.info(self._below(path), **kwargs)])
        if not found:
            raise system_error(FileNotFoundError, self._strip_protocol(path))
        return found[0]

    def ls(self, path: str, detail: bool = True, **kwargs: Any) -> list[Any]:
        with path_errors(path):
            found = self.fs.ls(self._below(path), detail=detail, **kwargs)
        if self._has_statements:
            name: Callable[[Any], str] = (lambda each: each["name"]) if detail else str
            names = {name(each) for each in found}
            found = [each for each in found if not _is_statement(name(each), names)]
        return self._infos(found) if detail else list(found)

    @property
    def _has_statements(self) -> bool:
        return self._wanted is not None or self._sign is not None

    def _without_statements(self, found: Any) -> Any:
        """A list of names, or information by names, without the statements of files that it has."""
        if not self._has_statements:
            return found
        kept = [each for each in found if not _is_statement(each, found)]
        return {each: found[each] for each in kept} if isinstance(found, dict) else kept

    def walk(
        self, path: str, maxdepth: int | None = None, topdown: bool = True, on_error: Any = None, **kwargs: Any
    ) -> Iterator[tuple[str, Any, Any]]:
        """As that of any file system, but for ``on_error``, which goes for all directories: ``None`` raises what is no
        ``FileNotFoundError``, ``"raise"`` raises that, too, ``"omit"`` takes a directory with an error for an empty one.
        """
        detail = kwargs.pop("detail", False)
        for root, directories, files in walk(self.fs, self._below(path), maxdepth, topdown, on_error, **kwargs):
            files = self._without_statements(files)
            if detail:
                yield root, directories, self._with_sizes(files)
                continue
            # Those directories are the list that whoever asks may change.
            names = list(directories)
            yield root, names, list(files)
            if topdown:
                kept = {name: directories.get(name) for name in names}
                directories.clear()
                directories.update(kept)

    def find(
        self, path: str, maxdepth: int | None = None, withdirs: bool = False, detail: bool = False, **kwargs: Any
    ) -> Any:
        with path_errors(path):
            found = self._lists.find(self._below(path), maxdepth=maxdepth, withdirs=withdirs, detail=detail, **kwargs)
        found = self._without_statements(found)
        return self._with_sizes(found) if detail else found

    def glob(self, path: str, maxdepth: int | None = None, **kwargs: Any) -> Any:
        detail = kwargs.pop("detail", False)
        with path_errors(path):
            found = self._lists.glob(self._below(path), maxdepth=maxdepth, detail=detail, **kwargs)
        found = self._without_statements(found)
        return self._with_sizes(found) if detail else found

    def du(
        self, path: str, total: bool = True, maxdepth: int | None = None, withdirs: bool = False, **kwargs: Any
    ) -> Any:
        """Bytes of plaintext; of a file that is not encrypted, those that are stored."""
        sizes = {}
        for name, each in self.find(path, maxdepth=maxdepth, withdirs=withdirs, detail=True, **kwargs).items():
            size = each["size"] if each["size"] is not None else each["stored_size"]
            if size is None:
                raise store_error("the store does not tell how long it is", name)
            sizes[name] = size
        return sum(sizes.values()) if total else sizes

    def _with_sizes(self, found: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """The same by names. fsspec tells nothing of a file that was itself what is searched."""
        infos = self._infos([each or self.fs.info(name) for name, each in found.items()])
        remaining = {each["name"]: each for each in infos}
        names = {key: each["name"] if each else key for key, each in found.items()}
        return {key: remaining[name] for key, name in names.items() if name in remaining}

    def _infos(self, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """With sizes of the plaintext; ``None`` for what is no encrypted file, or cannot be read. Without what has
        gone since.
        """
        infos = [dict(each) if each["type"] == "directory" else {**each, "stored_size": each["size"]} for each in found]
        if not self._plain_sizes:
            return infos
        gone, unknown = set[int](), list[tuple[dict[str, Any], dict[str, Any]]]()
        for each in infos:
            file = each if each["type"] == "file" else self._link_target_info(each)
            if file is None:
                continue
            known = None if file["size"] is None else self._outlines.get((file["name"], version_of(file)))
            if known is not None:
                each["size"] = known[0]
            elif file["size"] is None or file["size"] < Outline.BYTES:
                each["size"] = None
            else:
                unknown.append((each, dict(file)))
        for (each, file), first in zip(unknown, self._first_bytes([file["name"] for _, file in unknown])):
            each["size"] = None
            if isinstance(first, FileNotFoundError):
                gone.add(id(each))
                continue
            if isinstance(first, BaseException):  # this file's alone: the others are listed as they are
                continue
            with suppress(HeaderError, ValueError):
                each["size"] = Outline.parse(first).size(file["size"])
            self._outlines.put((file["name"], version_of(file)), (each["size"],))
        return [each for each in infos if id(each) not in gone]

    def _link_target_info(self, found: dict[str, Any]) -> dict[str, Any] | None:
        """Information on the file that a local link leads to: in lists it is of the type ``other``."""
        if not found.get("islink"):
            return None
        try:
            file: dict[str, Any] = self.fs.info(found["name"])
        except OSError:
            return None
        return file if file["type"] == "file" else None

    def _first_bytes(self, names: list[str]) -> list[bytes | Exception]:
        try:
            return ranges(self.fs, names, [0] * len(names), [Outline.BYTES] * len(names)) if names else []
        except Exception as error:  # what a store raises is its own
            return [error] * len(names)

    def modified(self, path: str) -> Any:
        with path_errors(path):
            return self.fs.modified(self._strip_protocol(path))

    def created(self, path: str) -> Any:
        with path_errors(path):
            return self.fs.created(self._strip_protocol(path))

    def ukey(self, path: str) -> str:
        """A key that changes with the file."""
        with path_errors(path):
            return f"polyseal-{self.fs.ukey(self._strip_protocol(path))}"

    def checksum(self, path: str) -> int:
        return hash(self.ukey(path))

    def invalidate_cache(self, path: str | None = None) -> None:
        self.fs.invalidate_cache(path)
        super().invalidate_cache(path)

    # --- what is done to stored files as they are

    def mkdir(self, path: str, create_parents: bool = True, **kwargs: Any) -> None:
        with path_errors(path):
            self.fs.mkdir(self._strip_protocol(path), create_parents=create_parents, **kwargs)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        with path_errors(path):
            self.fs.makedirs(self._strip_protocol(path), exist_ok=exist_ok)

    def rmdir(self, path: str) -> None:
        with path_errors(path):
            self.fs.rmdir(self._strip_protocol(path))

    def rm_file(self, path: str) -> None:
        with path_errors(path):
            self.fs.rm_file(self._strip_protocol(path))
            self._with_statement(self.fs.rm_file, path)

    def rm(self, path: Any, recursive: bool = False, maxdepth: int | None = None) -> None:
        with path_errors(*path if isinstance(path, list) else [path]):
            self.fs.rm(self._strip_protocol(path), recursive=recursive, maxdepth=maxdepth)
            for each in path if isinstance(path, list) else [path]:
                self._with_statement(self.fs.rm_file, each)

    def cp_file(self, path1: str, path2: str, **kwargs: Any) -> None:
        """Copies what is stored: whoever opens the one opens the other."""
        with path_errors(path1, path2):
            self.fs.cp_file(self._strip_protocol(path1), self._strip_protocol(path2), **kwargs)
            self._with_statement(self.fs.cp_file, path1, path2)

    def copy(self, path1: Any, path2: Any, recursive: bool = False, maxdepth: int | None = None, **kwargs: Any) -> None:
        """The same of several."""
        with path_errors(path1, path2):
            self._lists.copy(self._below(path1), self._below(path2), recursive=recursive, maxdepth=maxdepth, **kwargs)
            self._with_statement(self.fs.cp_file, path1, path2)

    def mv(self, path1: Any, path2: Any, **kwargs: Any) -> None:
        with path_errors(path1, path2):
            self.fs.mv(self._below(path1), self._below(path2), **kwargs)
            self._with_statement(self.fs.mv, path1, path2)

    def _with_statement(self, act: Callable[..., Any], *paths: Any) -> None:
        """Does to the statement of a file what was done to the file."""
        if not self._has_statements or not all(isinstance(each, (str, os.PathLike)) for each in paths):
            return
        source, *targets = [self._below(each) for each in paths]
        beside = _beside(source)
        if source.endswith("/") or not self.fs.isfile(beside):
            return
        # Into a directory, or under another name.
        into = [each.endswith("/") or self.fs.isdir(each) for each in targets]
        names = [f"{each.rstrip('/')}/{beside.rpartition('/')[2]}" if to else _beside(each) for each, to in zip(targets, into)]
        act(beside, *names)

    def exists(self, path: str, **kwargs: Any) -> bool:
        return self._confirmed(self.fs.exists, path, **kwargs)

    def lexists(self, path: str, **kwargs: Any) -> bool:
        return bool(self.fs.lexists(self._strip_protocol(path), **kwargs))

    def isdir(self, path: str) -> bool:
        return bool(self.fs.isdir(self._strip_protocol(path)))

    def isfile(self, path: str) -> bool:
        return self._confirmed(self.fs.isfile, path)

    def _confirmed(self, holds: Callable[..., Any], path: str, **kwargs: Any) -> bool:
        """Most file systems say ``False``, whatever the error is. Here it is raised, unless nothing is there."""
        name = self._strip_protocol(path)
        if holds(name, **kwargs):
            return True
        with path_errors(path), suppress(*_NO_FILE):
            self.fs.info(name)
        return False

    # --- how it is done

    def _open_all(self, names: list[str]) -> tuple[dict[str, _File | Exception], dict[str, tuple[int, bytes]]]:
        """The files, opened; once more where what the store had told of them was out of date. And the stored tails of
        those that were not known.
        """
        tails: dict[str, tuple[int, bytes]] = {}
        files = self._try_all(names, tails)
        stale = [name for name, file in files.items() if isinstance(file, SourceChanged)]
        return ({**files, **self._try_all(stale, tails)} if stale else files), tails

    def _stored(self, name: str) -> dict[str, Any]:
        """The store's information on a file, also where a directory has the same name."""
        found: dict[str, Any] = self.fs.info(name)
        if found["type"] == "directory" and self.fs.isfile(name):
            return next((each for each in self.fs.ls(name, detail=True) if each["name"] == name), found)
        return found

    def _try_all(self, names: list[str], tails: dict[str, tuple[int, bytes]]) -> dict[str, _File | Exception]:
        """Their headers, and their last segments, without which nothing is certain."""
        files: dict[str, _File | Exception] = {}
        fresh: list[tuple[str, dict[str, Any]]] = []
        for name in names:
            try:
                info = self._stored(name)
            except Exception as error:  # what a store raises is its own
                files[name] = with_path(self._without_not_found(error, name), name)
                continue
            known = None if info["size"] is None else self._files.get((name, version_of(info)))
            if known is not None:
                files[name] = known
            elif info["type"] == "directory":
                files[name] = system_error(IsADirectoryError, name)
            elif info["type"] != "file" or info["size"] is None:
                files[name] = store_error("not a file whose length is known", name, errno.EINVAL)
            elif info["size"] < Outline.BYTES:
                # A store has no range of an empty object.
                short = HeaderError(f"not a Polyseal file: it has {info['size']} bytes")
                files[name] = with_path(self._open_error(name, version_of(info), short), name)
            else:
                fresh.append((name, info))
        if fresh:
            self._open_fresh(fresh, files, tails)
        return files

    def _open_fresh(
        self,
        fresh: list[tuple[str, dict[str, Any]]],
        files: dict[str, _File | Exception],
        tails: dict[str, tuple[int, bytes]],
    ) -> None:
        """Opens them in as many rounds as the one takes that takes most; keys are asked for once."""
        key_set: KeySetArgs | None = None
        statements = self._statements([name for name, _ in fresh]) if self._wanted is not None else {}
        openers = dict[str, tuple[Version, Opener]]()
        for name, info in fresh:
            version, statement = version_of(info), statements.get(name)
            if isinstance(statement, Exception):
                files[name] = self._not_opened(name, version, statement)
            else:
                openers[name] = version, Opener(version, statement=statement)
        while openers:
            asked = list[tuple[str, int, int]]()
            for name, (version, opener) in list(openers.items()):
                try:
                    wanted = opener.wanted(**(key_set or {}))
                    if not wanted:
                        payload, start, end = opener.payload()
                        signed = statements.get(name)
                        assert not isinstance(signed, Exception)
                        files[name] = file = _File(name, version, payload, signed)
                        tails[name] = start, end
                        self._files.put((name, version), file)
                        del openers[name]
                    asked += [(name, *each) for each in wanted]
                except KeyUnavailable:
                    # Not about one file, but about all.
                    raise
                except Exception as error:  # of the store, or what opens no file
                    files[name] = self._not_opened(name, version, error)
                    del openers[name]
            if key_set is None:
                key_set = resolved(self._key_set)
            names, starts, stops = zip(*asked) if asked else ((), (), ())
            fetched = ranges(self.fs, names, starts, stops) if asked else []
            for (name, start, stop), stored in zip(asked, fetched, strict=True):
                if name not in openers:
                    continue
                version, opener = openers[name]
                try:
                    if isinstance(stored, Exception):
                        raise stored
                    if len(stored) != stop - start:
                        raise too_few(name, len(stored), stop - start)
                    opener.take(start, stop, stored)
                except Exception as error:
                    files[name] = self._not_opened(name, version, error)
                    del openers[name]

    def _statements(self, names: list[str]) -> dict[str, SignedStatement | Exception]:
        """The statements about files, or why there is none of an accepted signer."""
        assert self._wanted is not None
        signers, by, _ = self._wanted
        statements: dict[str, SignedStatement | Exception] = {}
        begun = dict[str, tuple[int, bytes]]()
        for name in names:
            try:
                size = self._stored(_beside(name))["size"]
                if size is None:
                    raise store_error("not a file whose length is known", _beside(name), errno.EINVAL)
                begun[name] = size, b""
            except FileNotFoundError:
                statements[name] = NotSignedError("it has no statement")
            except Exception as error:  # what a store raises is its own
                statements[name] = with_path(error, _beside(name))
        while begun:
            asked = list[tuple[str, range]]()
            for name, (size, beginning) in list(begun.items()):
                wanted = SignedStatement.wanted(beginning, size)
                if wanted:
                    asked.append((name, wanted))
                    continue
                del begun[name]
                try:
                    statements[name] = SignedStatement(beginning, size, signers, by)
                except NotSignedError as error:
                    statements[name] = error
            found = ranges(self.fs, [_beside(n) for n, _ in asked], [w.start for _, w in asked], [w.stop for _, w in asked])
            for (name, wanted), stored in zip(asked, found, strict=True):
                size, beginning = begun[name]
                if isinstance(stored, Exception) or len(stored) != len(wanted):
                    short = stored if isinstance(stored, Exception) else too_few(_beside(name), len(stored), len(wanted))
                    statements[name] = with_path(short, _beside(name))
                    del begun[name]
                else:
                    begun[name] = size, beginning + stored
        return statements

    def _not_opened(self, name: str, version: Version, error: Exception) -> Exception:
        if isinstance(error, (HeaderError, CorruptSegment, NotSignedError, OSError)):
            error = self._open_error(name, version, error)
        return with_path(error, name)

    def _opened_ranges(
        self, wanted: list[tuple[int, _File, int, int]], tails: dict[str, tuple[int, bytes]]
    ) -> Iterable[tuple[int, bytes | Exception]]:
        """Ranges of plaintext, from one round of requests; from ``tails`` what is there."""
        asked = [file.payload.stored_range(low, high) for _, file, low, high in wanted]
        stored: dict[int, Any] = {}
        for at, ((_, file, _, _), each) in enumerate(zip(wanted, asked)):
            start, end = tails.get(file.name, (0, b""))
            if end and start <= each.start:
                stored[at] = end[each.start - start : each.stop - start]
        # A range is covered as long as its hashes are there.
        held = [file.statement.hold(low, high) if file.statement else None for _, file, low, high in wanted]
        uncovered = [at for at, hashes in enumerate(held) if hashes is not None and hashes.missing]
        missing = [at for at in range(len(asked)) if at not in stored]
        if missing or uncovered:
            hashes = [held[at].missing for at in uncovered]  # type: ignore[union-attr]
            names = [wanted[at][1].name for at in missing] + [_beside(wanted[at][1].name) for at in uncovered]
            every = [asked[at] for at in missing] + hashes
            found = ranges(self.fs, names, [each.start for each in every], [each.stop for each in every])
            stored.update(zip(missing, found))
            covers = dict(zip(uncovered, found[len(missing) :], strict=True))
        else:
            covers = {}
        for number, ((at, file, low, high), needed) in enumerate(zip(wanted, asked)):
            cover, ours = covers.get(number), held[number]
            error = data = cover if isinstance(cover, Exception) else stored[number]
            if not isinstance(data, Exception):
                try:
                    if len(data) != len(needed):
                        raise too_few(file.name, len(data), len(needed))
                    if ours is not None and cover is not None:
                        assert not isinstance(cover, Exception)
                        if len(cover) != len(ours.missing):
                            raise too_few(_beside(file.name), len(cover), len(ours.missing))
                        ours.take(cover)
                    yield at, file.payload.open_range(low, high, data)
                    continue
                except (PolysealError, OSError, ValueError) as raised:
                    error = raised
            yield at, with_path(self._open_error(file.name, file.version, error), file.name)

    def _open_error(self, name: str, version: Version, error: Exception) -> Exception:
        """Whether a file that does not open has been replaced since its header was read."""
        self.fs.invalidate_cache(self.fs._parent(name))
        self._files.forget((name, version))
        try:
            now = self._stored(name)
        except Exception as gone:
            return with_path(gone, name)
        if now["size"] is None or not version_of(now).is_same(version):
            return SourceChanged("replaced while it was read; open it again")
        if isinstance(error, _NO_FILE):
            return _not_given(name, error)
        return error

    def _without_not_found(self, error: Exception, name: str) -> Exception:
        """The error; another in place of one that mappers and zarr take for a file that was never written, although it
        does not say that nothing is there. Only of local files it does.
        """
        if isinstance(error, NotADirectoryError) and not isinstance(self.fs, LocalFileSystem):
            return _not_given(name, error)
        return error


def _not_given(name: str, error: Exception) -> OSError:
    again = store_error(f"the store does not give it: {type(error).__name__}", name)
    again.__cause__ = cleaned(error)
    return again


def _beside(name: str) -> str:
    """The name of the statement about a file."""
    return f"{name}.sig"


def _is_statement(name: str, names: Container[str]) -> bool:
    """Whether it is the name of the statement about one of these files."""
    return name.endswith(".sig") and name.removesuffix(".sig") in names


class _File:
    """A stored file whose header and length are known, and the statement that covers it, if one is wanted."""

    __slots__ = ("name", "payload", "statement", "version")

    def __init__(self, name: str, version: Version, payload: Payload, statement: SignedStatement | None) -> None:
        self.name = name
        self.version = version
        self.payload = payload
        self.statement = statement


class _Remembered:
    """The most recently used values, for many threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._found: OrderedDict[Any, Any] = OrderedDict()

    def get(self, key: Any) -> Any:
        with self._lock:
            if key not in self._found:
                return None
            self._found.move_to_end(key)
            return self._found[key]

    def put(self, key: Any, value: Any) -> None:
        with self._lock:
            self._found[key] = value
            self._found.move_to_end(key)
            if len(self._found) > self._most:
                self._found.popitem(last=False)

    def forget(self, key: Any) -> None:
        with self._lock:
            self._found.pop(key, None)


__all__ = ["CACHED_FILES", "PolysealFileSystem"]
