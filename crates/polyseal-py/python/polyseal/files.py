"""Files: opened to read any part of them or to write them, and whole ones carried by the pipeline."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Callable, Literal, Union, overload

from . import _polyseal
from ._who import WhoArgs, who

if TYPE_CHECKING:
    from typing import Unpack

    from ._polyseal import Buffer, WritableBuffer

Path = Union[str, "os.PathLike[str]"]
File = Union[Path, BinaryIO, IO[bytes]]
Progress = Callable[[int, "int | None"], object]

#: Bytes that are passed on at once.
_CHUNK = 8 << 20


@dataclass(frozen=True, slots=True)
class Summary:
    """What was done."""

    #: The bytes of plaintext.
    size: int
    #: The bytes of the encrypted file.
    stored_size: int
    #: The salt in the header, which no other file has; none in a file of age.
    file_salt: bytes | None


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a file says of itself to whoever has no key. Nothing of it is authenticated."""

    version: int
    suite: str
    segment_size: int
    tag_size: int
    header_size: int
    file_salt: str
    #: Whether the file is bound to a context.
    context: bool
    #: The bytes of the header that are free for other recipients.
    spare_size: int
    #: For whom the file is: each has a ``type``, and more that depends on it.
    stanzas: tuple[dict[str, Any], ...]
    #: The length of the plaintext; ``None`` if the length of the file is not known, or no file has it.
    size: int | None

    @classmethod
    def _of(cls, text: str) -> Inspection:
        found = json.loads(text)
        payload = found["payload"] or {}
        return cls(
            version=found["version"],
            suite=found["suite"],
            segment_size=found["segment_bytes"],
            tag_size=found["tag_bytes"],
            header_size=found["payload_offset"],
            file_salt=found["file_salt"],
            context=found["context"],
            spare_size=found["spare_bytes"],
            stanzas=tuple(found["stanzas"]),
            size=payload.get("plaintext_bytes"),
        )


class EncryptedReader(io.BufferedIOBase):
    """An encrypted file that is read: a binary file that can seek. Only what is asked for is read and
    opened. ``read_at`` can be called by many threads at once.
    """

    def __init__(self, file: File, *, threads: int = 1, **who_args: Unpack[WhoArgs]) -> None:
        self._position = 0
        self._file = file
        self._reader = _polyseal.Reader(file, who(**who_args), threads)

    @property
    def name(self) -> Any:
        """The path, or the name of the file object."""
        return self._file if isinstance(self._file, (str, os.PathLike)) else getattr(self._file, "name", None)

    @property
    def mode(self) -> str:
        return "rb"

    @property
    def size(self) -> int:
        """The length of the plaintext in bytes."""
        return self._open().size

    def read_at(self, offset: int, size: int) -> bytes:
        """At most ``size`` bytes from ``offset``; fewer only at the end. Moves nothing."""
        return self._open().read_at(offset, size)

    def read(self, size: int | None = -1, /) -> bytes:
        reader = self._open()
        left = max(0, reader.size - self._position)
        wanted = left if size is None or size < 0 else min(size, left)
        data = reader.read_at(self._position, wanted)
        self._position += len(data)
        return data

    def read1(self, size: int = -1, /) -> bytes:
        return self.read(io.DEFAULT_BUFFER_SIZE if size < 0 else size)

    def peek(self, size: int = 0, /) -> bytes:
        """The next bytes, without moving past them. What ``readline`` looks for a line's end in."""
        return self._open().read_at(self._position, max(size, io.DEFAULT_BUFFER_SIZE))

    def readinto(self, buffer: WritableBuffer, /) -> int:
        n = self._open().read_into(self._position, buffer)
        self._position += n
        return n

    def readinto1(self, buffer: WritableBuffer, /) -> int:
        return self.readinto(buffer)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._open().size}.get(whence)
        if base is None:
            raise ValueError(f"whence is 0, 1 or 2, not {whence}")
        if base + offset < 0:
            raise ValueError(f"there is nothing before the beginning: {base + offset}")
        self._position = base + offset
        return self._position

    def tell(self) -> int:
        self._open()
        return self._position

    def readable(self) -> bool:
        self._open()
        return True

    def seekable(self) -> bool:
        self._open()
        return True

    def close(self) -> None:
        # The keys go with it.
        if hasattr(self, "_reader"):
            del self._reader
        super().close()

    def _open(self) -> _polyseal.Reader:
        if self.closed:
            raise ValueError("I/O operation on closed file")
        return self._reader


class EncryptedWriter(io.BufferedIOBase):
    """An encrypted file that is written. It appears when it is closed; if the ``with`` block raises, it
    does not appear, and what had that name before stays.
    """

    def __init__(
        self,
        file: File,
        *,
        overwrite: bool = True,
        suite: str | None = None,
        segment_size: int | None = None,
        header_size: int = 0,
        threads: int = 1,
        **who_args: Unpack[WhoArgs],
    ) -> None:
        self._written = 0
        self._file = file
        self._sealer = _polyseal.StreamSealer(
            suite=suite, segment_size=segment_size, header_size=header_size, threads=threads, **who_args
        )
        self._staged: Staged | None = None
        if isinstance(file, (str, os.PathLike)):
            self._staged = Staged(file, overwrite)
            self._sink: Any = self._staged.file
        else:
            self._sink = file
        _write_all(self._sink, self._sealer.header)

    @property
    def name(self) -> Any:
        """The path, or the name of the file object."""
        return self._file if isinstance(self._file, (str, os.PathLike)) else getattr(self._file, "name", None)

    @property
    def mode(self) -> str:
        return "wb"

    def write(self, data: Buffer, /) -> int:
        self._open()
        view = memoryview(data).cast("B") if not isinstance(data, bytes) else memoryview(data)
        try:
            for start in range(0, len(view), _CHUNK):
                _write_all(self._sink, self._sealer.write(view[start : start + _CHUNK]))
        except BaseException:
            # Whoever closes it nevertheless gets no file without its middle.
            self.discard()
            raise
        self._written += len(view)
        return len(view)

    def tell(self) -> int:
        self._open()
        return self._written

    def writable(self) -> bool:
        self._open()
        return True

    def flush(self) -> None:
        """Nothing: what is not a whole segment waits for its rest."""

    def close(self) -> None:
        """Seals the end, and gives the file its name."""
        if self.closed or not hasattr(self, "_sink"):
            return
        try:
            _write_all(self._sink, self._sealer.finish())
            if self._staged is not None:
                self._staged.commit()
        finally:
            self.discard()

    def discard(self) -> None:
        """Closes without an end: no file appears. A file object that was given has no whole file."""
        if self._staged is not None:
            self._staged.discard()
        super().close()

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        # A file that nobody closed is not whole.
        if hasattr(self, "_sink") and not self.closed:
            self.discard()

    def _open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")


@overload
def open(
    file: File, mode: Literal["rb"] = "rb", *, threads: int = 1, **who_args: Unpack[WhoArgs]
) -> EncryptedReader: ...
@overload
def open(
    file: File,
    mode: Literal["wb", "xb"],
    *,
    suite: str | None = None,
    segment_size: int | None = None,
    threads: int = 1,
    **who_args: Unpack[WhoArgs],
) -> EncryptedWriter: ...


def open(
    file: File,
    mode: str = "rb",
    *,
    suite: str | None = None,
    segment_size: int | None = None,
    threads: int = 1,
    **who_args: Unpack[WhoArgs],
) -> EncryptedReader | EncryptedWriter:
    """Opens an encrypted file, by its path or as a binary file object, as ``open`` does a plain one.

    ``"rb"`` reads; ``"wb"`` writes, and replaces a file of that name at the end; ``"xb"`` writes a new
    one. Keywords say who may open it: see ``WhoArgs``. A file object that is read must seek.

    >>> import io, polyseal
    >>> key, stored = polyseal.SecretKey.generate(), io.BytesIO()
    >>> with polyseal.open(stored, "wb", key=key) as file:
    ...     file.write(b"attack at dawn")
    14
    >>> with polyseal.open(stored, key=key) as file:
    ...     file.seek(-4, io.SEEK_END)
    ...     file.read()
    10
    b'dawn'
    """
    if mode == "rb":
        if suite is not None or segment_size is not None:
            raise ValueError("a file that is read says its suite and segment size itself")
        return EncryptedReader(file, threads=threads, **who_args)
    if mode not in ("wb", "xb"):
        raise ValueError(f"the modes are 'rb', 'wb' and 'xb', not {mode!r}")
    return EncryptedWriter(
        file, overwrite=mode == "wb", suite=suite, segment_size=segment_size, threads=threads, **who_args
    )


def encrypt_file(
    src: File,
    dst: File,
    *,
    overwrite: bool = False,
    suite: str | None = None,
    segment_size: int | None = None,
    header_size: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    **who_args: Unpack[WhoArgs],
) -> Summary:
    """Encrypts all of ``src`` to ``dst``, on all cores unless ``threads`` says less.

    Each is a path or a binary file object. A path appears complete or not at all, whatever is raised,
    ``KeyboardInterrupt`` included. ``progress(done, total)`` is told of bytes that have been read.
    """
    whose = who(**who_args)
    with _output(dst, overwrite) as out:
        return Summary(
            *_polyseal.encrypt(src, out, whose, suite, segment_size, header_size, threads, progress)
        )


def decrypt_file(
    src: File,
    dst: File,
    *,
    overwrite: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    **who_args: Unpack[WhoArgs],
) -> Summary:
    """Decrypts all of ``src`` to ``dst``, as ``encrypt_file`` encrypts. Files of age are decrypted, too.

    A path appears only if all of the file is authentic. A file object gets only what is authentic, but
    if an exception is raised it may have got a part: then discard it.
    """
    whose = who(**who_args)
    with _output(dst, overwrite) as out:
        return Summary(*_polyseal.decrypt(src, out, whose, threads, progress))


def verify_file(
    src: File,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    **who_args: Unpack[WhoArgs],
) -> Summary:
    """Opens all of ``src`` and keeps nothing of it. Returns if every byte is authentic."""
    return Summary(*_polyseal.verify(src, who(**who_args), threads, progress))


def inspect(src: File) -> Inspection:
    """What a file says of itself to whoever has no key."""
    return Inspection._of(_polyseal.inspect(src))


def inspect_header(header: Buffer, stored_size: int | None = None) -> Inspection:
    """What a header says of its file, of which ``stored_size`` bytes are stored."""
    return Inspection._of(_polyseal.inspect_header(header, stored_size))


def rekey_header(header: Buffer, *, to: WhoArgs, remove_others: bool = False, **who_args: Unpack[WhoArgs]) -> bytes:
    """The header for other recipients: ``to`` says whom, as the keywords of ``encrypt_file`` do. It has
    the same length, and goes in the place of the old one.
    """
    return _polyseal.rekey_header(header, who(**who_args), who(**to), remove_others)


def rekey_file(
    path: Path, *, to: WhoArgs, remove_others: bool = False, new_key: bool = False, **who_args: Unpack[WhoArgs]
) -> None:
    """Gives a file other recipients, by a new file that takes its place.

    ``to`` says whom, as the keywords of ``encrypt_file`` do: ``rekey_file("a", key=old, to={"key": new},
    remove_others=True)``. Only the header changes, and the rest is copied: whoever could open the file
    may have kept what opens it. With ``new_key`` all of it is encrypted anew, for ``to`` alone; a
    context stays.
    """
    if new_key:
        return _encrypt_anew(path, to, who_args)
    with io.open(path, "rb") as old:
        first = old.read(_polyseal.Outline.BYTES)
        header = first + old.read(_polyseal.Outline.parse(first).header_size - len(first))
        rekeyed = rekey_header(header, to=to, remove_others=remove_others, **who_args)
        with _output(path, True) as out, io.open(out, "wb") as new:
            new.write(rekeyed)
            shutil.copyfileobj(old, new, _CHUNK)
    return None


def _encrypt_anew(path: Path, to: WhoArgs, who_args: WhoArgs) -> None:
    if "context" in who_args:
        to = {"context": who_args["context"], **to}
    found = inspect(path)
    with (
        open(path, **who_args) as old,
        EncryptedWriter(path, suite=found.suite, segment_size=found.segment_size, **to) as new,
    ):
        shutil.copyfileobj(old, new, _CHUNK)


class Staged:
    """An output file that appears complete or not at all: one beside it takes its name at the end."""

    def __init__(self, path: Path, overwrite: bool) -> None:
        self.path = os.path.realpath(os.fsdecode(path))
        self.overwrite = overwrite
        self._mode: int | None = None
        with contextlib.suppress(FileNotFoundError):
            there = os.stat(self.path)
            if not overwrite:
                raise FileExistsError(17, "File exists", os.fspath(path))
            if not stat.S_ISREG(there.st_mode):
                raise ValueError(f"not a regular file: {path!r}; give a file object that is open for writing")
            self._mode = stat.S_IMODE(there.st_mode) & 0o777
        directory, name = os.path.split(self.path)
        # Mode 0600, and a name that nothing has.
        descriptor, self.temporary = tempfile.mkstemp(prefix=f".{name[:100]}.", suffix=".polyseal", dir=directory)
        self.file = os.fdopen(descriptor, "wb", buffering=0)

    def write(self, data: Buffer) -> int:
        _write_all(self.file, data)
        return memoryview(data).nbytes

    def close(self) -> None:
        """All is written: now only a commit gives it its name."""
        if self.file.closed:
            return
        if self._mode is not None:
            os.fchmod(self.file.fileno(), self._mode)
        # Only a file that is certainly on disk may take another's place.
        os.fsync(self.file.fileno())
        self.file.close()

    def commit(self) -> None:
        self.close()
        if self.overwrite:
            os.replace(self.temporary, self.path)
        else:
            os.link(self.temporary, self.path)
            os.unlink(self.temporary)
        self.temporary = ""

    def discard(self) -> None:
        self.file.close()
        if self.temporary:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.temporary)
            self.temporary = ""


@contextlib.contextmanager
def _output(dst: File, overwrite: bool) -> Iterator[Any]:
    """What Rust writes to: an empty file beside ``dst``, or the file object."""
    if not isinstance(dst, (str, os.PathLike)):
        yield dst
        return
    staged = Staged(dst, overwrite)
    try:
        yield staged.temporary
        staged.commit()
    finally:
        staged.discard()


def _write_all(sink: Any, data: Buffer) -> None:
    view = memoryview(data)
    while view:
        n = sink.write(view)
        if n is None:
            raise BlockingIOError("the file to write to would block")
        view = view[n:]


__all__ = [
    "EncryptedReader",
    "EncryptedWriter",
    "Inspection",
    "Summary",
    "decrypt_file",
    "encrypt_file",
    "inspect",
    "inspect_header",
    "open",
    "rekey_file",
    "rekey_header",
    "verify_file",
]
