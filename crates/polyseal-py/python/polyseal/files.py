"""Files: opened to read any part of them or to write them, and whole ones carried by the pipeline."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Callable, Literal, Union, overload

from . import _polyseal
from ._key_set import KeySetArgs, key_set, opening_keys, sealing_keys, shows_keys
from ._polyseal import NewFile
from ._seekable import SeekableReader
from ._writing import WrittenFile, write_all

if TYPE_CHECKING:
    from typing import Unpack

    from ._polyseal import Buffer, WritableBuffer

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
File = Union[Path, BinaryIO, IO[bytes]]
Progress = Callable[[int, "int | None"], object]


def path_or_object(file: object) -> Any:
    """A path as text, or a binary file object as it is."""
    if isinstance(file, (str, bytes, os.PathLike)):
        return os.fsdecode(file)
    if isinstance(file, int):
        raise TypeError("a descriptor is no file: io.open(descriptor, 'rb') makes a file object of it")
    if not (hasattr(file, "read") or hasattr(file, "write")):
        raise TypeError(f"a file is a path or a binary file object, not {type(file).__name__}")
    return file


@dataclass(frozen=True, slots=True)
class Summary:
    """The result of an operation on a file."""

    #: The bytes of plaintext.
    size: int
    #: The bytes of the encrypted file.
    stored_size: int
    #: The salt in the header, which no other file has; none in a file of age.
    file_salt: bytes | None


@dataclass(frozen=True, slots=True)
class Inspection:
    """The claims of a file's header, for readers without a key. None of them is authenticated."""

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
    stanzas: tuple[dict[str, Any], ...] = field(hash=False)
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


class EncryptedReader(SeekableReader):
    """An encrypted file that is read: a binary file that can seek. Only what is asked for is read and
    opened. ``read_at`` can be called by many threads at once.
    """

    @shows_keys
    def __init__(self, file: File, *, threads: int = 1, **key_args: Unpack[KeySetArgs]) -> None:
        self._file = file
        self._reader = _polyseal.Reader(path_or_object(file), opening_keys(**key_args), threads)

    @property
    def name(self) -> Any:
        """The path, or the name of the file object."""
        return self._file if isinstance(self._file, (str, bytes, os.PathLike)) else getattr(self._file, "name", None)

    @property
    def size(self) -> int:
        """The length of the plaintext in bytes."""
        return self._open().size

    def read_at(self, offset: int, size: int) -> bytes:
        """At most ``size`` bytes from ``offset``; fewer only at the end. Moves nothing."""
        return self._open().read_at(offset, size)

    def _read_into(self, offset: int, buffer: WritableBuffer) -> int:
        return self._open().read_into(offset, buffer)

    def close(self) -> None:
        # The keys go with it.
        if hasattr(self, "_reader"):
            del self._reader
        super().close()

    def _open(self) -> _polyseal.Reader:
        self._expect_open()
        return self._reader


class EncryptedWriter(WrittenFile):
    """An encrypted file that is written. It appears when it is closed; if the ``with`` block raises, it
    does not appear, and what had that name before stays.
    """

    @shows_keys
    def __init__(
        self,
        file: File,
        *,
        overwrite: bool = True,
        suite: str | None = None,
        segment_size: int | None = None,
        header_size: int = 0,
        threads: int = 1,
        **key_args: Unpack[KeySetArgs],
    ) -> None:
        target = path_or_object(file)
        self._file = file
        sealer = _polyseal.StreamSealer(
            suite=suite, segment_size=segment_size, header_size=header_size, threads=threads, **key_args
        )
        self._new = NewFile(target, overwrite) if isinstance(target, str) else None
        self._begin(sealer)

    @property
    def name(self) -> Any:
        """The path, or the name of the file object."""
        return self._file if isinstance(self._file, (str, bytes, os.PathLike)) else getattr(self._file, "name", None)

    def _store(self, stored: bytes) -> None:
        write_all(self._new or self._file, stored)

    def _keep(self) -> None:
        if self._new is not None:
            self._new.commit()

    def _drop(self) -> None:
        if self._new is not None:
            self._new.discard()


@overload
def open(
    file: File, mode: Literal["rb"] = "rb", *, threads: int = 1, **key_args: Unpack[KeySetArgs]
) -> EncryptedReader: ...
@overload
def open(
    file: File,
    mode: Literal["wb", "xb"],
    *,
    suite: str | None = None,
    segment_size: int | None = None,
    threads: int = 1,
    **key_args: Unpack[KeySetArgs],
) -> EncryptedWriter: ...


@shows_keys
def open(
    file: File,
    mode: str = "rb",
    *,
    suite: str | None = None,
    segment_size: int | None = None,
    threads: int = 1,
    **key_args: Unpack[KeySetArgs],
) -> EncryptedReader | EncryptedWriter:
    """Opens an encrypted file, by its path or as a binary file object, as ``open`` does a plain one.

    ``"rb"`` reads; ``"wb"`` writes, and replaces a file of that name at the end; ``"xb"`` writes a new
    one. ``key`` and the keywords after it say who may open it: see ``KeySetArgs``. A file object that is
    read must seek. ``segment_size`` is in bytes.

    Reading raises ``NoMatchingKey``, ``WrongPassphrase``, ``ContextMismatch`` or ``KeyUnavailable`` for the
    keys, ``HeaderError`` for what is no encrypted file, and ``CorruptSegment`` for one that was altered.
    ``"xb"`` raises ``FileExistsError`` for a name that is taken.

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
        return EncryptedReader(file, threads=threads, **key_args)
    if mode not in ("wb", "xb"):
        raise ValueError(f"the modes are 'rb', 'wb' and 'xb', not {mode!r}")
    return EncryptedWriter(
        file, overwrite=mode == "wb", suite=suite, segment_size=segment_size, threads=threads, **key_args
    )


@shows_keys
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
    **key_args: Unpack[KeySetArgs],
) -> Summary:
    """Encrypts all of ``src`` to ``dst``, on all cores unless ``threads`` says less.

    Each is a path or a binary file object. A path appears complete or not at all, whatever is raised,
    ``KeyboardInterrupt`` included. It is for its owner alone; one that replaces another may be read by
    nobody who could not read that. ``progress(done, total)`` is told of bytes that have been read.

    ``key`` and the keywords after it say who can open it: see ``KeySetArgs``. ``segment_size`` is in bytes,
    and so is ``header_size``, which leaves room for more recipients.

    Of a file that grows meanwhile, what was there at first is encrypted, and a warning says so.

    Raises ``FileExistsError`` if ``dst`` is there and ``overwrite`` is not given, ``ValueError`` if no key
    was given, ``KeyUnavailable`` for a key that cannot be had, and ``OSError`` for what the system refuses.
    """
    whose = sealing_keys(**key_args)
    return Summary(
        *_polyseal.encrypt_file(
            path_or_object(src), path_or_object(dst), whose, overwrite, suite, segment_size, header_size, threads, progress
        )
    )


@shows_keys
def decrypt_file(
    src: File,
    dst: File,
    *,
    overwrite: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    **key_args: Unpack[KeySetArgs],
) -> Summary:
    """Decrypts all of ``src`` to ``dst``, as ``encrypt_file`` encrypts. Files of age are decrypted, too.

    A path appears only if all of the file is authentic. A file object gets only what is authentic, but
    if an exception is raised it may have got a part: then discard it.

    Raises ``NoMatchingKey``, ``WrongPassphrase``, ``ContextMismatch`` or ``KeyUnavailable`` for the keys,
    ``HeaderError`` for what is no encrypted file, ``CorruptSegment`` for one that was altered, and
    ``FileExistsError`` if ``dst`` is there and ``overwrite`` is not given.
    """
    source, target, whose = path_or_object(src), path_or_object(dst), opening_keys(**key_args)
    return Summary(*_polyseal.decrypt_file(source, target, whose, overwrite, threads, progress))


@shows_keys
def verify_file(
    src: File,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    **key_args: Unpack[KeySetArgs],
) -> Summary:
    """Opens all of ``src`` and keeps nothing of it. Returns if every byte is authentic, and raises what
    ``decrypt_file`` does otherwise.
    """
    return Summary(*_polyseal.verify_file(path_or_object(src), opening_keys(**key_args), threads, progress))


def inspect(src: File) -> Inspection:
    """The claims of a file's header, for readers without a key. Raises ``HeaderError`` if it has none."""
    return Inspection._of(_polyseal.inspect(path_or_object(src)))


def inspect_header(header: Buffer, stored_size: int | None = None) -> Inspection:
    """The claims of a header of a file of which ``stored_size`` bytes are stored, its header included. Raises
    ``HeaderError`` if it is none.
    """
    return Inspection._of(_polyseal.inspect_header(header, stored_size))


@shows_keys
def rekey_header(header: Buffer, *, to: KeySetArgs, keep: bool, **key_args: Unpack[KeySetArgs]) -> bytes:
    """The header for other recipients: ``to`` says whom, as the keywords of ``encrypt_file`` do. It has
    the same length, and goes in the place of the old one. ``keep`` says whether those whom it is for
    now still open it. Raises ``NoMatchingKey`` if the keywords after ``keep`` do not open it, and
    ``ValueError`` if it has no room for ``to``.
    """
    return _polyseal.rekey_header(header, opening_keys(**key_args), key_set(**to), keep)


@shows_keys
def rekey_file(
    path: Path, *, to: KeySetArgs, keep: bool, new_key: bool = False, **key_args: Unpack[KeySetArgs]
) -> None:
    """Gives a file other recipients, by a new file that takes its place.

    ``to`` says whom, as the keywords of ``encrypt_file`` do, and ``keep`` whether those who can open it
    now still can: ``rekey_file("a", key=old, to={"key": new}, keep=False)``. Only the header changes, and
    the rest is copied: whoever could open the file may have kept what opens it. With ``new_key`` all of
    it is encrypted anew, for ``to`` alone; a context stays.

    The file is locked meanwhile, as the command ``polyseal rekey`` locks it. Another rekey is waited for,
    and raises ``TimeoutError`` if it takes longer than five seconds. A file that has been changed or
    replaced since its header was read raises ``SourceChanged``, and stays as it is.
    """
    if new_key and keep:
        raise ValueError("with a new key nobody keeps access: name them in `to`, and say keep=False")
    _polyseal.rekey_file(os.fsdecode(path), opening_keys(**key_args), key_set(**to), keep, new_key)


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
