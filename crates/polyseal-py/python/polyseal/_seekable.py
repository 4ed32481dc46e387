"""The parts of a binary file that is read beside its contents: a position, and the ways to read from it."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ._shown import described

if TYPE_CHECKING:
    from ._polyseal import WritableBuffer


class SeekableReader(io.BufferedIOBase):
    """A file of which ``size`` is known and ``read_at`` reads any part; a position moves along.

    The position is one thread's; ``read_at`` and ``size`` have none.
    """

    _position = 0
    #: The size of a read without one.
    _block = io.DEFAULT_BUFFER_SIZE

    @property
    def size(self) -> int:
        """The length of the plaintext in bytes."""
        raise NotImplementedError

    @property
    def name(self) -> Any:
        """The path, or the name of the file object."""
        raise NotImplementedError

    @property
    def mode(self) -> str:
        return "rb"

    def read_at(self, offset: int, size: int) -> bytes:
        """At most ``size`` bytes from ``offset``; fewer only at the end. Moves nothing."""
        raise NotImplementedError

    def _read_into(self, offset: int, buffer: WritableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        data = self.read_at(offset, len(view))
        view[: len(data)] = data
        return len(data)

    def read(self, size: int | None = -1, /) -> bytes:
        left = max(0, self.size - self._position)
        data = self.read_at(self._position, left if size is None or size < 0 else min(size, left))
        self._position += len(data)
        return data

    def read1(self, size: int = -1, /) -> bytes:
        return self.read(self._block if size < 0 else size)

    def peek(self, size: int = 0, /) -> bytes:
        """The next bytes, without moving past them. What ``readline`` looks for a line's end in."""
        return self.read_at(self._position, max(size, self._block))

    def readinto(self, buffer: WritableBuffer, /) -> int:
        self._expect_open()
        n = self._read_into(self._position, buffer)
        self._position += n
        return n

    def readinto1(self, buffer: WritableBuffer, /) -> int:
        return self.readinto(buffer)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}.get(whence)
        if base is None:
            raise ValueError(f"whence is 0, 1 or 2, not {whence}")
        if base + offset < 0:
            raise ValueError(f"there is nothing before the beginning: {base + offset}")
        self._position = base + offset
        return self._position

    def __repr__(self) -> str:
        return described(self, "closed" if self.closed else f"{self.size} bytes, at {self._position}")

    def tell(self) -> int:
        self._expect_open()
        return self._position

    def readable(self) -> bool:
        self._expect_open()
        return True

    def seekable(self) -> bool:
        self._expect_open()
        return True

    def _expect_open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")


__all__ = ["SeekableReader"]
