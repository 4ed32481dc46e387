"""The files of ``polyseal.fs`` that are open."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from fsspec.implementations.memory import MemoryFileSystem

from ._os_errors import path_errors, system_error
from ._seekable import SeekableReader
from ._stores import staged
from ._writing import WrittenFile, write_all

if TYPE_CHECKING:
    from .fs import PolysealFileSystem

#: Segments of plaintext that an open file keeps.
_SEGMENTS: Final = 8
#: Bytes that go to the store at once, in a part of their own.
BLOCK: Final = 16 << 20


class StoredReader(SeekableReader):
    """A file that is read. Its last segments stay, because readers of columns come back to them."""

    def __init__(self, fs: PolysealFileSystem, path: str) -> None:
        self.fs, self.path = fs, path
        # `close` needs these, also if this fails.
        self._kept: OrderedDict[int, bytes] = OrderedDict()
        files, self._tails = fs._open_all([path])
        found = files[path]
        if isinstance(found, Exception):
            raise found
        self._file = found
        self._block = self._segment = found.payload.segment_size
        self._lock = Lock()
        self._size = found.payload.size
        #: That of ``blockcache``, which puts it there.
        self.cache: Any = None

    @property
    def name(self) -> str:
        """The path."""
        return self.path

    @property
    def size(self) -> int:
        """The length of the plaintext in bytes."""
        self._expect_open()
        return self._size

    @property
    def blocksize(self) -> int:
        """The bytes of a segment: those of a block for ``blockcache``."""
        return self._segment

    def read_at(self, offset: int, size: int) -> bytes:
        """At most ``size`` bytes from ``offset``. Many threads may call it, one after the other."""
        self._expect_open()
        with self._lock:
            if self.cache is not None and 0 <= offset < self._size:
                return bytes(self.cache._fetch(offset, min(self._size, offset + size)))
            return self._read_at(offset, size)

    @property
    def closed(self) -> bool:
        """Whether it is. ``blockcache`` says so itself, once it has closed it."""
        return bool(super().closed)

    @closed.setter
    def closed(self, value: bool) -> None:
        if value:
            super().close()

    def _fetch_range(self, start: int, end: int) -> bytes:
        """As files of fsspec have it, for the cache that asks."""
        return self._read_at(start, end - start)

    def _read_at(self, offset: int, size: int) -> bytes:
        if offset < 0:
            raise ValueError(f"there is nothing before the beginning: {offset}")
        stop = min(self._size, offset + size)
        if stop <= offset:
            return b""
        first, last = offset // self._segment, (stop - 1) // self._segment
        missing = [at for at in range(first, last + 1) if at not in self._kept]
        fetched: dict[int, bytes] = {}
        if missing:
            # One run: what lies between two that are missing costs less than another request.
            low, high = missing[0] * self._segment, min(self._size, (missing[-1] + 1) * self._segment)
            [(_, data)] = self.fs._opened_ranges([(0, self._file, low, high)], self._tails)
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


class StoredWriter(WrittenFile):
    """A file that is written, and appears when it is closed: not if the ``with`` block raises."""

    def __init__(self, fs: PolysealFileSystem, path: str, mode: str, autocommit: bool) -> None:
        self.fs, self.path, self.mode = fs, path, mode
        self.autocommit = autocommit
        self._over = False
        self._statement: bytes | None = None
        below = fs.fs
        if mode == "xb" and below.exists(path):
            raise system_error(FileExistsError, path)
        sealer = fs._sealer()
        with path_errors(path):
            if getattr(below, "auto_mkdir", False):
                below.makedirs(below._parent(path), exist_ok=True)
            # It is this file that commits or discards.
            self._sink: Any = staged(below, path, overwrite=mode == "wb", block_size=BLOCK)
        self._begin(sealer)

    @property
    def name(self) -> str:
        """The path."""
        return self.path

    def _store(self, stored: bytes) -> None:
        write_all(self._sink, stored)

    def _keep(self) -> None:
        with path_errors(self.path):
            self._sink.close()
        self._statement = self._sealer.statement() if self.fs._sign is not None else None
        if self.autocommit:
            self.commit()

    def commit(self) -> None:
        """Gives the file its name, once it is closed: fsspec's transactions do it at their end."""
        if self._over:
            return
        with path_errors(self.path):
            # Memory is the store that does not look by itself.
            if self.mode == "xb" and isinstance(self.fs.fs, MemoryFileSystem) and self.fs.fs.exists(self.path):
                self.discard()
                raise system_error(FileExistsError, self.path)
            if self.mode == "wb":
                self.fs._put_statement(self.path, self._statement)
            self._sink.commit()
            if self.mode == "xb":
                self.fs._put_statement(self.path, self._statement)
        self._over = True
        self.fs.invalidate_cache(self.path)
        self.fs.invalidate_cache(self.fs._parent(self.path))

    def _drop(self) -> None:
        if self._over:
            return
        self._over = True
        # Its own `close` would upload the rest.
        self._sink.discard()
        if hasattr(self._sink, "buffer"):
            self._sink.buffer = None
            self._sink.closed = True


__all__ = ["BLOCK", "StoredReader", "StoredWriter"]
