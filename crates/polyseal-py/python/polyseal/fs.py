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

import io
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Final

from fsspec import filesystem
from fsspec.callbacks import DEFAULT_CALLBACK
from fsspec.implementations.chained import ChainedFileSystem
from fsspec.implementations.local import LocalFileSystem

from ._polyseal import NewFile, Outline, Payload, PayloadHead, StreamSealer, printable
from ._references import by_reference, resolved
from ._seekable import SeekableReader
from ._stores import TELLS_VERSIONS, staged
from .errors import CorruptSegment, HeaderError, PolysealError, SourceChanged
from .files import write_all
from .keys import KeyRef

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

    from ._polyseal import Buffer

#: How many files a file system remembers.
CACHED_FILES: Final = 4096
#: The first bytes of a file that are read with its last ones, in one round: as long as most headers.
_FIRST: Final = 4096
#: The last ones: a segment of the usual size, with its tag.
_LAST: Final = 65536 + 64
#: Segments of plaintext that an open file keeps.
_SEGMENTS: Final = 8
#: Bytes that go to the store at once, in a part of their own.
_BLOCK: Final = 16 << 20


class PolysealFileSystem(ChainedFileSystem):  # type: ignore[misc]
    """Encrypted files of another file system.

    ``key``, ``identity``, ``recipients`` and ``context`` are those of ``polyseal.open``. These options are
    pickled, cached and written to JSON by fsspec and what uses it, so **a key is only taken by reference**
    (``"file:/etc/backup.key"``), an identity only as the path of its file, and no passphrase at all.

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
        **options: Any,
    ) -> None:
        refused = sorted({"passphrase", "password", "secret"} & options.keys())
        if refused:
            raise TypeError(f"storage options are written down: use a key by reference, no {refused[0]}")
        if sizes not in ("plain", "stored"):
            raise ValueError(f"sizes are 'plain' or 'stored', not {sizes!r}")
        super().__init__(**options)
        self.fs = fs if fs is not None else filesystem(target_protocol or "file", **(target_options or {}))
        if self.fs.async_impl and self.fs.asynchronous:
            raise ValueError("the file system below must not be an asynchronous one")
        self._who = by_reference(key, identity, recipients, context)
        self._sealing: dict[str, Any] = dict(suite=suite, segment_size=segment_size, header_size=header_size)
        self._plain_sizes = sizes == "plain"
        self._files = _Remembered(CACHED_FILES)
        self._outlines = _Remembered(CACHED_FILES)
        # Each instance has paths of the file system below it.
        own = super()._strip_protocol
        self._strip_protocol: Callable[[Any], Any] = lambda path: self.fs._strip_protocol(own(path))

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
        files = self._open_all(list(dict.fromkeys(names)))
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
        for at, opened in self._opened_ranges(wanted):
            results[at] = opened
        if on_error == "raise":
            for result in results:
                if isinstance(result, Exception):
                    raise result
        return results

    def cat(self, path: Any, recursive: bool = False, on_error: str = "raise", **kwargs: Any) -> Any:
        paths = self.expand_path(path, recursive=recursive)
        if len(paths) == 1 and not isinstance(path, list) and paths[0] == self._strip_protocol(path):
            return self.cat_file(paths[0], **kwargs)
        paths = [each for each in paths if not self.isdir(each)] if recursive else paths
        found = self.cat_ranges(paths, kwargs.get("start"), kwargs.get("end"), on_error="return")
        out = {}
        for each, result in zip(paths, found):
            if isinstance(result, Exception):
                if on_error == "raise":
                    raise result
                if on_error == "omit":
                    continue
            out[each] = result
        return out

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
        with _Reading(self, self._strip_protocol(rpath)) as file:
            callback.set_size(file.size)
            if outfile is None:
                os.makedirs(os.path.dirname(os.path.abspath(lpath)), exist_ok=True)
            sink: Any = NewFile(lpath, True) if outfile is None else outfile
            try:
                while piece := file.read(_BLOCK):
                    write_all(sink, piece)
                    callback.relative_update(len(piece))
                if outfile is None:
                    sink.commit()
            finally:
                if outfile is None:
                    sink.discard()

    def _open(self, path: str, mode: str = "rb", **kwargs: Any) -> io.BufferedIOBase:
        if mode == "rb":
            return _Reading(self, path)
        if mode not in ("wb", "xb"):
            raise ValueError(f"encrypted files have the modes 'rb', 'wb' and 'xb', not {mode!r}: nothing is added at their end")
        return _Writing(self, path, mode, bool(kwargs.get("autocommit", True)))

    # --- what is written

    def pipe_file(self, path: str, value: Buffer, mode: str = "overwrite", **kwargs: Any) -> None:
        if isinstance(self.fs, LocalFileSystem):
            # Its own writes over what is there, and leaves half of it if it is stopped.
            with self._open(path, "xb" if mode == "create" else "wb") as file:
                file.write(value)
            return
        sealer = self._sealer()
        stored = sealer.header + sealer.finish(value)
        if mode == "create" and self.exists(path):
            raise FileExistsError(path)
        self.fs.pipe_file(path, stored, **({"mode": mode} if mode != "overwrite" else {}), **kwargs)
        self.invalidate_cache(path)

    def _sealer(self) -> StreamSealer:
        return StreamSealer(**self._sealing, **resolved(self._who))

    # --- what is told

    def info(self, path: str, **kwargs: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        found = self._infos([self.fs.info(path, **kwargs)])
        if not found:
            raise FileNotFoundError(path)
        return found[0]

    def ls(self, path: str, detail: bool = True, **kwargs: Any) -> list[Any]:
        found = self.fs.ls(self._strip_protocol(path), detail=True, **kwargs)
        return self._infos(found) if detail else sorted(each["name"] for each in found)

    def _infos(self, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """With sizes of the plaintext; ``None`` for what is no encrypted file. Without what has gone since."""
        infos = [{**each, "stored_size": each["size"]} if each["type"] == "file" else dict(each) for each in found]
        if not self._plain_sizes:
            return infos
        files = [each for each in infos if each["type"] == "file"]
        unknown = [each for each in files if self._outlines.get(_identity(each)) is None]
        names = [each["name"] for each in unknown]
        gone = []
        for each, first in zip(unknown, self.fs.cat_ranges(names, 0, Outline.BYTES) if names else []):
            if isinstance(first, FileNotFoundError):
                gone.append(each)
                continue
            if isinstance(first, Exception):
                raise first
            try:
                size = Outline.parse(first).size(each["size"])
            except (HeaderError, ValueError):
                size = None
            self._outlines.put(_identity(each), (size,))
        for each in files:
            remembered = self._outlines.get(_identity(each))
            each["size"] = remembered[0] if remembered else None
        return [each for each in infos if each not in gone] if gone else infos

    def modified(self, path: str) -> Any:
        return self.fs.modified(self._strip_protocol(path))

    def created(self, path: str) -> Any:
        return self.fs.created(self._strip_protocol(path))

    def ukey(self, path: str) -> str:
        """What changes with the file."""
        return f"polyseal-{self.fs.ukey(self._strip_protocol(path))}"

    def checksum(self, path: str) -> int:
        return hash(self.ukey(path))

    def invalidate_cache(self, path: str | None = None) -> None:
        self.fs.invalidate_cache(path)
        super().invalidate_cache(path)

    # --- what is done to stored files as they are

    def mkdir(self, path: str, create_parents: bool = True, **kwargs: Any) -> None:
        self.fs.mkdir(self._strip_protocol(path), create_parents=create_parents, **kwargs)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        self.fs.makedirs(self._strip_protocol(path), exist_ok=exist_ok)

    def rmdir(self, path: str) -> None:
        self.fs.rmdir(self._strip_protocol(path))

    def rm_file(self, path: str) -> None:
        self.fs.rm_file(self._strip_protocol(path))

    def rm(self, path: Any, recursive: bool = False, maxdepth: int | None = None) -> None:
        stripped = [self._strip_protocol(each) for each in path] if isinstance(path, list) else self._strip_protocol(path)
        self.fs.rm(stripped, recursive=recursive, maxdepth=maxdepth)

    def cp_file(self, path1: str, path2: str, **kwargs: Any) -> None:
        """Copies what is stored: whoever opens the one opens the other."""
        self.fs.cp_file(self._strip_protocol(path1), self._strip_protocol(path2), **kwargs)

    def mv(self, path1: str, path2: str, **kwargs: Any) -> None:
        self.fs.mv(self._strip_protocol(path1), self._strip_protocol(path2), **kwargs)

    def exists(self, path: str, **kwargs: Any) -> bool:
        return bool(self.fs.exists(self._strip_protocol(path), **kwargs))

    def isdir(self, path: str) -> bool:
        return bool(self.fs.isdir(self._strip_protocol(path)))

    def isfile(self, path: str) -> bool:
        return bool(self.fs.isfile(self._strip_protocol(path)))

    # --- how it is done

    def _open_all(self, names: list[str]) -> dict[str, _File | Exception]:
        """The files, opened; once more where what the store had told of them was out of date."""
        files = self._try_all(names)
        stale = [name for name, file in files.items() if isinstance(file, SourceChanged)]
        return {**files, **self._try_all(stale)} if stale else files

    def _try_all(self, names: list[str]) -> dict[str, _File | Exception]:
        """Their headers, and their last segments, without which nothing is certain."""
        files: dict[str, _File | Exception] = {}
        fresh: list[tuple[str, dict[str, Any]]] = []
        for name in names:
            try:
                info = self.fs.info(name)
            except Exception as error:  # what a store raises is its own
                files[name] = error
                continue
            known = self._files.get((name, _identity(info)))
            if known is not None:
                files[name] = known
            elif info["type"] != "file":
                files[name] = IsADirectoryError(name)
            else:
                fresh.append((name, info))
        if fresh:
            firsts = [min(info["size"], _FIRST) for _, info in fresh]
            lasts = [max(0, info["size"] - _LAST) for _, info in fresh]
            paths = [name for name, _ in fresh]
            ends = [info["size"] for _, info in fresh]
            both = self.fs.cat_ranges(paths * 2, [0] * len(fresh) + lasts, firsts + ends)
            for at, (name, info) in enumerate(fresh):
                first, last = both[at], both[at + len(fresh)]
                try:
                    for each in (first, last):
                        if isinstance(each, Exception):
                            raise each
                    file = self._file(name, info, {0: first, lasts[at]: last})
                except (HeaderError, CorruptSegment) as error:
                    files[name] = self._why(name, _identity(info), error)
                    continue
                except Exception as error:  # of the store, or of a key
                    files[name] = error
                    continue
                files[name] = file
                self._files.put((name, _identity(info)), file)
        return files

    def _file(self, name: str, info: dict[str, Any], known: dict[int, bytes]) -> _File:
        def fetch(start: int, stop: int) -> bytes:
            for at, data in known.items():
                if at <= start and stop <= at + len(data):
                    return data[start - at : stop - at]
            return bytes(self.fs.cat_file(name, start=start, end=stop))

        size = info["size"]
        outline = Outline.parse(fetch(0, min(size, Outline.BYTES)))
        header = fetch(0, min(size, outline.header_size))
        head = PayloadHead(header, size, **resolved(self._who))
        last = fetch(head.last_range.start, head.last_range.stop)
        return _File(name, _identity(info), head.certain(last))

    def _opened_ranges(self, wanted: list[tuple[int, _File, int, int]]) -> Iterable[tuple[int, bytes | Exception]]:
        """Ranges of plaintext, from one round of requests."""
        ranges = [file.payload.stored_range(low, high) for _, file, low, high in wanted]
        if not ranges:
            return
        stored = self.fs.cat_ranges(
            [file.name for _, file, _, _ in wanted], [each.start for each in ranges], [each.stop for each in ranges]
        )
        for (at, file, low, high), data in zip(wanted, stored):
            if isinstance(data, Exception):
                yield at, data
                continue
            try:
                yield at, file.payload.open_range(low, high, data)
            except (PolysealError, ValueError) as error:
                yield at, self._why(file.name, file.identity, error)

    def _why(self, name: str, identity: object, error: Exception) -> Exception:
        """Whether a file that does not open has been replaced since its header was read."""
        self.fs.invalidate_cache(self.fs._parent(name))
        self._files.forget((name, identity))
        try:
            now = _identity(self.fs.info(name))
        except Exception as gone:
            return gone
        if now != identity:
            return SourceChanged(f"{printable(name)}: replaced while it was read; open it again")
        return error


class _File:
    """A stored file whose header and length are known."""

    __slots__ = ("identity", "name", "payload")

    def __init__(self, name: str, identity: object, payload: Payload) -> None:
        self.name = name
        self.identity = identity
        self.payload = payload


class _Remembered:
    """What was used last, by many threads."""

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


class _Reading(SeekableReader):
    """A file that is read. Its last segments stay, because readers of columns come back to them."""

    def __init__(self, fs: PolysealFileSystem, path: str) -> None:
        self.fs, self.path = fs, path
        found = fs._open_all([path])[path]
        if isinstance(found, Exception):
            raise found
        self._file = found
        self._block = self._segment = found.payload.segment_size
        self._kept: OrderedDict[int, bytes] = OrderedDict()
        self._lock = Lock()
        self._size = found.payload.size

    @property
    def size(self) -> int:
        """The length of the plaintext in bytes."""
        self._expect_open()
        return self._size

    def read_at(self, offset: int, size: int) -> bytes:
        """At most ``size`` bytes from ``offset``. Many threads may call it, one after the other."""
        self._expect_open()
        with self._lock:
            return self._read_at(offset, size)

    def _read_at(self, offset: int, size: int) -> bytes:
        stop = min(self._size, offset + size)
        if stop <= offset:
            return b""
        first, last = offset // self._segment, (stop - 1) // self._segment
        missing = [at for at in range(first, last + 1) if at not in self._kept]
        fetched: dict[int, bytes] = {}
        if missing:
            # One run: what lies between two that are missing costs less than another request.
            low, high = missing[0] * self._segment, min(self._size, (missing[-1] + 1) * self._segment)
            [(_, data)] = self.fs._opened_ranges([(0, self._file, low, high)])
            if isinstance(data, Exception):
                raise data
            for at in range(missing[0], missing[-1] + 1):
                start = (at - missing[0]) * self._segment
                fetched[at] = data[start : start + self._segment]
        pieces = [fetched.get(at) or self._kept[at] for at in range(first, last + 1)]
        for at in [*range(first, last + 1)][-_SEGMENTS:]:
            self._kept[at] = pieces[at - first]
            self._kept.move_to_end(at)
        while len(self._kept) > _SEGMENTS:
            self._kept.popitem(last=False)
        joined = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        skipped = offset - first * self._segment
        return joined[skipped : skipped + stop - offset]

    def readline(self, size: int | None = -1, /) -> bytes:
        most = self._size if size is None or size < 0 else size
        line = bytearray()
        while len(line) < most:
            piece = self.read_at(self._position, min(self._segment, most - len(line)))
            end = piece.find(b"\n") + 1
            line += piece[: end or len(piece)]
            self._position += end or len(piece)
            if end or not piece:
                break
        return bytes(line)

    def close(self) -> None:
        self._kept.clear()
        super().close()


class _Writing(io.BufferedIOBase):
    """A file that is written, and appears when it is closed: not if the ``with`` block raises."""

    def __init__(self, fs: PolysealFileSystem, path: str, mode: str, autocommit: bool) -> None:
        self.fs, self.path, self.mode = fs, path, mode
        self.autocommit = autocommit
        if mode == "xb" and fs.fs.exists(path):
            raise FileExistsError(path)
        self._sealer = fs._sealer()
        # It is this file that commits or discards.
        self._sink: Any = staged(fs.fs, path, overwrite=mode == "wb", block_size=_BLOCK)
        self._written = 0
        self._sink.write(self._sealer.header)

    def write(self, data: Buffer, /) -> int:
        if self.closed:
            raise ValueError("I/O operation on closed file")
        view = memoryview(data).cast("B") if not isinstance(data, bytes) else memoryview(data)
        try:
            for start in range(0, len(view), _BLOCK):
                self._sink.write(self._sealer.write(view[start : start + _BLOCK]))
        except BaseException:
            # Whoever closes it nevertheless gets no file without its middle.
            self.discard()
            raise
        self._written += len(view)
        return len(view)

    def tell(self) -> int:
        return self._written

    def writable(self) -> bool:
        return True

    def close(self) -> None:
        if self.closed or not hasattr(self, "_sink"):
            return
        try:
            self._sink.write(self._sealer.finish())
            self._sink.close()
        except BaseException:
            self.discard()
            raise
        super().close()
        if self.autocommit:
            try:
                self.commit()
            except BaseException:
                self.discard()
                raise

    def commit(self) -> None:
        """Gives the file its name, once it is closed: fsspec's transactions do it at their end."""
        self._sink.commit()
        self.fs.invalidate_cache(self.path)
        self.fs.invalidate_cache(self.fs._parent(self.path))

    def discard(self) -> None:
        """Nothing appears."""
        if not self.closed:
            super().close()
        # Its own `close` would upload the rest.
        self._sink.discard()
        if hasattr(self._sink, "buffer"):
            self._sink.buffer = None
            self._sink.closed = True

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        # A file that nobody closed is not whole.
        if hasattr(self, "_sink") and not self.closed:
            self.discard()


def _identity(info: dict[str, Any]) -> tuple[Any, ...]:
    """What tells whether a stored file is still the same."""
    parts = [info["name"], info.get("stored_size", info["size"])]
    for field in TELLS_VERSIONS:
        if info.get(field) is not None:
            parts.append(str(info[field]))
    return tuple(parts)


__all__ = ["CACHED_FILES", "PolysealFileSystem"]
