"""A file that is written appears when it is closed, and not if the block that writes it raises.

A file that something else wraps is not told that a block has raised: ``io.TextIOWrapper``, compressors, pyarrow, and
the files of ``fsspec.open`` call ``close`` in either case. So ``close`` looks for itself: whether an exception is leaving
a block of this thread, a ``with`` statement or one with ``finally``, that it was not leaving when the file was opened.
CPython shows that in its frames: where each stands, and that what it does next is to raise the exception again. Where it
does not show that, or in another interpreter, a file is closed as a plain one is.

So is one that the program closes in an ``except`` clause: it has handled the exception, and means it, unless the clause
always ends with a plain ``raise``. And so is what another thread closes, as by ``await to_thread(file.close)`` in a
``finally``: the exception leaves a block of this one. A file that nobody closes is not whole, and does not appear; a warning
says so.
"""

from __future__ import annotations

import dis
import io
import sys
import warnings
from bisect import bisect_right
from contextlib import suppress
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from ._shown import described, shown

if TYPE_CHECKING:
    from ._polyseal import Buffer, StreamSealer

#: Bytes that are passed on at once.
_CHUNK: Final = 8 << 20
#: Instructions of CPython: what an exception goes on with, and what a handler ends with otherwise.
_AGAIN: Final = "RERAISE"
_OTHERWISE: Final = frozenset({"POP_EXCEPT", "PUSH_EXC_INFO", "RETURN_VALUE", "RETURN_CONST"})
_RAISE: Final = "RAISE_VARARGS"
#: Those that always jump. Others jump or go on.
_JUMPS: Final = frozenset({"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"})
_TARGETS: Final = frozenset({*dis.hasjrel, *dis.hasjabs})


@lru_cache(maxsize=256)
def _raises_again(code: CodeType, at: int) -> int | None:
    """Where a handler that has come to this instruction raises its exception again, if it ends so. That of a ``with``
    statement does, unless what it calls now suppresses the exception, and so does that of a ``finally``. That of an
    ``except`` clause does if it ends with a ``raise`` of its own on every way.

    Of two ways the one is looked at first that does not jump. One that raises another exception says nothing: an
    ``assert`` after ``close``, such as it may be in a ``finally``.
    """
    instructions = list(dis.get_instructions(code))
    places = {each.offset: place for place, each in enumerate(instructions)}
    bare: int | None = None
    # A frame stands at its call, or in the cache behind that.
    seen, waiting = set[int](), [bisect_right(list(places), at)]
    while waiting:
        place = waiting.pop()
        if place in seen or not 0 < place < len(instructions):
            continue
        seen.add(place)
        each = instructions[place]
        if each.opname == _AGAIN:
            return each.offset
        if each.opname in _OTHERWISE:
            return None
        if each.opname == _RAISE:
            bare = each.offset if bare is None and not each.arg else bare
            continue
        if each.opcode in _TARGETS:
            waiting.append(places.get(each.argval, -1))
        if each.opname not in _JUMPS:
            waiting.append(place + 1)
    return bare


def blocks_left() -> frozenset[tuple[int, int]]:
    """The blocks of this thread that an exception is leaving just now: each by its frame, and where it raises again."""
    if sys.exception() is None:
        return frozenset()
    found, frame = set[tuple[int, int]](), sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        again = _raises_again(code, frame.f_lasti) if getattr(code, "co_exceptiontable", b"") else None
        if again is not None:
            found.add((id(frame), again))
        frame = frame.f_back  # type: ignore[assignment]
    return frozenset(found)


def flat(data: Buffer) -> memoryview:
    """The bytes of whatever a plain file takes."""
    if isinstance(data, bytes):
        return memoryview(data)
    try:
        return memoryview(data).cast("B")
    except (TypeError, ValueError, BufferError):
        # Arrays without elements, of dates or of records are no memoryview of bytes. Nor is text, which this refuses.
        held = io.BytesIO()
        held.write(data)
        return held.getbuffer()


def write_all(sink: Any, data: Buffer) -> None:
    """All of the data, however little a file object takes at once."""
    view = memoryview(data)
    while view:
        n = sink.write(view)
        if n is None:
            # A raw file says so that it would have to wait. What is written in Python often returns nothing.
            if isinstance(sink, io.RawIOBase):
                raise BlockingIOError("the file to write to would block")
            return
        view = view[n:]


class WrittenFile(io.BufferedIOBase):
    """An encrypted file that is written. Where it goes, a subclass says."""

    mode: str = "wb"
    #: Whether there is anything to finish.
    _begun = False
    #: A file that nobody closes is not whole.
    _forgotten = False
    _written = 0

    def _begin(self, sealer: StreamSealer) -> None:
        """The first bytes; a subclass knows by now where they go."""
        self._blocks = blocks_left()
        self._sealer = sealer
        self._begun = True
        try:
            self._store(sealer.header)
        except BaseException:
            self.discard()
            raise

    def _store(self, stored: bytes) -> None:
        """Takes what comes next of the file."""
        raise NotImplementedError

    def _keep(self) -> None:
        """Nothing more comes: it appears."""
        raise NotImplementedError

    def _drop(self) -> None:
        """It does not appear. Called any number of times."""
        raise NotImplementedError

    @property
    def name(self) -> Any:
        """The path, or the name of the file object."""
        raise NotImplementedError

    def write(self, data: Buffer, /) -> int:
        self._expect_open()
        view = flat(data)
        try:
            for start in range(0, len(view), _CHUNK):
                self._store(self._sealer.write(view[start : start + _CHUNK]))
        except BaseException:
            # Whoever closes it nevertheless gets no file without its middle.
            self.discard()
            raise
        self._written += len(view)
        return len(view)

    def tell(self) -> int:
        self._expect_open()
        return self._written

    def __repr__(self) -> str:
        return described(self, "closed" if self.closed else f"{self._written} bytes so far")

    def writable(self) -> bool:
        self._expect_open()
        return True

    def flush(self) -> None:
        """Nothing: what is not a whole segment waits for its rest."""

    def close(self) -> None:
        """Seals the end, and gives the file its name: unless it is closed because its block raises."""
        if self.closed or not self._begun:
            return
        if self._forgotten:
            self.discard()
            return
        if blocks_left() - self._blocks:
            why = sys.exception()
            assert why is not None
            why.add_note(f"{shown(str(self.name))}: not written, because of this")
            self.__exit__(type(why))
            return
        try:
            self._store(self._sealer.finish())
            self._keep()
        except BaseException:
            self.discard()
            raise
        super().close()

    def discard(self) -> None:
        """Closes without an end: no file appears. A file object that was given has no whole file."""
        if not self.closed:
            super().close()
        if self._begun:
            self._drop()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
            return
        if issubclass(kind, (GeneratorExit, SystemExit)) and not self.closed:
            # Nobody sees a traceback of these.
            self._warn(f"not written, because {kind.__name__} has left its block")
        self.discard()

    def _warn(self, what: str) -> None:
        with suppress(Exception):
            warnings.warn(f"{shown(str(self.name))}: {what}", RuntimeWarning, stacklevel=3)

    def _dealloc_warn(self, source: object) -> None:
        # CPython asks this of the file in a wrapper that is deleted before it is closed, and closes it then.
        if not self.closed and not self._forgotten:
            self._forgotten = True
            self._warn("not written, because nobody has closed it")

    def __del__(self) -> None:
        if self._begun and not self.closed:
            self._dealloc_warn(self)
            self.discard()

    def _expect_open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")


class Compressed(io.BufferedIOBase):
    """A compressor and the file that it writes to, which compressors do not close."""

    def __init__(self, compressor: Any, file: WrittenFile) -> None:
        self._compressor, self._file = compressor, file

    def write(self, data: Buffer, /) -> int:
        return int(self._compressor.write(flat(data)))

    def tell(self) -> int:
        return int(self._compressor.tell())

    def writable(self) -> bool:
        return True

    def flush(self) -> None:
        if self._compressor is not None:
            self._compressor.flush()

    def close(self) -> None:
        if self.closed:
            return
        compressor, self._compressor = self._compressor, None
        try:
            compressor.close()
        except BaseException:
            self._file.discard()
            raise
        finally:
            super().close()
            self._file.close()

    def _dealloc_warn(self, source: object) -> None:
        self._file._dealloc_warn(source)

    def __del__(self) -> None:
        if hasattr(self, "_file") and not self.closed:
            self._dealloc_warn(self)
            with suppress(Exception):
                self.close()


__all__ = ["Compressed", "WrittenFile", "blocks_left", "flat", "write_all"]
