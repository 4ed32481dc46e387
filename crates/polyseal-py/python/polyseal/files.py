"""Files: opened to read any part of them or to write them, and whole ones carried by the pipeline."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Callable, Literal, NamedTuple, Union, overload

from . import _polyseal
from ._polyseal import AllowedSigners, SigningKey
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


class Signer(NamedTuple):
    """A signer who was accepted."""

    #: The names that the list has for the key; or the one that was asked for.
    name: str
    #: The fingerprint of the key, ``SHA256:…``.
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The result of an operation on a file."""

    #: The bytes of plaintext.
    size: int
    #: The bytes of the encrypted file.
    stored_size: int
    #: The salt in the header, which no other file has; none in a file of age.
    file_salt: bytes | None
    #: The signer, if ``signers`` were given.
    signer: Signer | None = None


def _summary(size: int, stored_size: int, file_salt: bytes | None, signer: tuple[str, str] | None) -> Summary:
    return Summary(size, stored_size, file_salt, None if signer is None else Signer(*signer))


def wanted_signers(
    signers: AllowedSigners | None, by: str | None, signature: Path | None = None
) -> tuple[AllowedSigners, str | None, str | None] | None:
    """The signers that Rust takes. Who names one, or a statement, wants one."""
    if signers is None:
        if by is not None or signature is not None:
            raise ValueError("whose signatures count? give signers, too")
        return None
    if not isinstance(signers, AllowedSigners):
        raise TypeError("signers are AllowedSigners: AllowedSigners.from_file(path), or AllowedSigners(text)")
    if by is not None and not isinstance(by, str):
        raise TypeError(f"by is a name, not {type(by).__name__}")
    return signers, by, None if signature is None else os.fsdecode(signature)


def _signing(sign: SigningKey | None, signature: Path | None) -> tuple[SigningKey, str | None] | None:
    if sign is None:
        if signature is not None:
            raise ValueError("which key signs? give sign, too")
        return None
    if not isinstance(sign, SigningKey):
        raise TypeError("sign is a SigningKey: SigningKey.from_file(path), or SigningKey(text)")
    return sign, None if signature is None else os.fsdecode(signature)


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
    def __init__(
        self,
        file: File,
        *,
        threads: int = 1,
        signers: AllowedSigners | None = None,
        by: str | None = None,
        signature: Path | None = None,
        **key_args: Unpack[KeySetArgs],
    ) -> None:
        self._file = file
        wanted = wanted_signers(signers, by, signature)
        self._reader = _polyseal.Reader(path_or_object(file), opening_keys(**key_args), threads, wanted)

    @classmethod
    def _of(cls, name: str, reader: _polyseal.Reader) -> EncryptedReader:
        opened = cls.__new__(cls)
        opened._file, opened._reader = name, reader
        return opened

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
    file: File,
    mode: Literal["rb"] = "rb",
    *,
    threads: int = 1,
    signers: AllowedSigners | None = None,
    by: str | None = None,
    signature: Path | None = None,
    **key_args: Unpack[KeySetArgs],
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
    signers: AllowedSigners | None = None,
    by: str | None = None,
    signature: Path | None = None,
    **key_args: Unpack[KeySetArgs],
) -> EncryptedReader | EncryptedWriter:
    """Opens an encrypted file, by its path or as a binary file object, as ``open`` does a plain one.

    ``"rb"`` reads; ``"wb"`` writes, and replaces a file of that name at the end; ``"xb"`` writes a new
    one. ``key`` and the keywords after it say who may open it: see ``KeySetArgs``. A file object that is
    read must seek. ``segment_size`` is in bytes.

    Reading raises ``NoMatchingKey``, ``WrongPassphrase``, ``ContextMismatch`` or ``KeyUnavailable`` for the
    keys, ``HeaderError`` for what is no encrypted file, and ``CorruptSegment`` for one that was altered.
    ``"xb"`` raises ``FileExistsError`` for a name that is taken. With ``signers``, ``by`` and ``signature``,
    as ``decrypt_file`` takes them, nothing is read that an accepted statement does not cover.

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
        return EncryptedReader(file, threads=threads, signers=signers, by=by, signature=signature, **key_args)
    if mode not in ("wb", "xb"):
        raise ValueError(f"the modes are 'rb', 'wb' and 'xb', not {mode!r}")
    if (signers, by, signature) != (None, None, None):
        raise ValueError("a file that is written is signed later, by sign_file, or by encrypt_file")
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
    sign: SigningKey | None = None,
    signature: Path | None = None,
    **key_args: Unpack[KeySetArgs],
) -> Summary:
    """Encrypts all of ``src`` to ``dst``, on all cores unless ``threads`` says less.

    Each is a path or a binary file object. A path appears complete or not at all, whatever is raised,
    ``KeyboardInterrupt`` included. It is for its owner alone; one that replaces another may be read by
    nobody who could not read that. ``progress(done, total)`` is told of bytes that have been read.

    ``key`` and the keywords after it say who can open it: see ``KeySetArgs``. ``segment_size`` is in bytes,
    and so is ``header_size``, which leaves room for more recipients.

    Of a file that grows meanwhile, what was there at first is encrypted, and a warning says so.

    ``sign`` signs the file. Its statement goes to ``dst`` with ``.sig`` behind it, or to ``signature``, and appears
    before the file.

    Raises ``FileExistsError`` if ``dst`` is there and ``overwrite`` is not given, ``ValueError`` if no key
    was given, ``KeyUnavailable`` for a key that cannot be had, and ``OSError`` for what the system refuses.
    """
    source, target, whose = path_or_object(src), path_or_object(dst), sealing_keys(**key_args)
    signing = _signing(sign, signature)
    return _summary(
        *_polyseal.encrypt_file(
            source, target, whose, overwrite, suite, segment_size, header_size, threads, progress, signing
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
    signers: AllowedSigners | None = None,
    by: str | None = None,
    signature: Path | None = None,
    **key_args: Unpack[KeySetArgs],
) -> Summary:
    """Decrypts all of ``src`` to ``dst``, as ``encrypt_file`` encrypts. Files of age are decrypted, too.

    A path appears only if all of the file is authentic. A file object gets only what is authentic, but
    if an exception is raised it may have got a part: then discard it.

    Raises ``NoMatchingKey``, ``WrongPassphrase``, ``ContextMismatch`` or ``KeyUnavailable`` for the keys,
    ``HeaderError`` for what is no encrypted file, ``CorruptSegment`` for one that was altered, and
    ``FileExistsError`` if ``dst`` is there and ``overwrite`` is not given.

    With ``signers``, the file must have a statement of one of them, or of the one named ``by``: in ``src`` with
    ``.sig`` behind it, or in ``signature``. Otherwise this raises ``NotSignedError``, and nothing is given out.
    """
    source, target, whose = path_or_object(src), path_or_object(dst), opening_keys(**key_args)
    wanted = wanted_signers(signers, by, signature)
    return _summary(*_polyseal.decrypt_file(source, target, whose, overwrite, threads, progress, wanted))


@shows_keys
def verify_file(
    src: File,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    signers: AllowedSigners | None = None,
    by: str | None = None,
    signature: Path | None = None,
    **key_args: Unpack[KeySetArgs],
) -> Summary:
    """Opens all of ``src`` and keeps nothing of it. Returns if every byte is authentic, and raises what
    ``decrypt_file`` does otherwise. With ``signers`` and without a key, what is stored is compared with its
    statement: then nobody knows whether the file opens.

    >>> import polyseal, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> key, path = polyseal.SecretKey.generate(), f"{folder.name}/notes.polyseal"
    >>> alice = polyseal.SigningKey.generate()
    >>> with polyseal.open(path, "wb", key=key) as file:
    ...     file.write(b"attack at dawn")
    14
    >>> polyseal.sign_file(path, alice, key=key)
    >>> allowed = polyseal.AllowedSigners(f"alice@example.org {alice.public_key}")
    >>> polyseal.verify_file(path, signers=allowed).signer.name
    'alice@example.org'
    >>> folder.cleanup()
    """
    source, wanted = path_or_object(src), wanted_signers(signers, by, signature)
    if wanted is not None and not key_args:
        if not isinstance(source, str):
            raise TypeError("without a key, what is compared with its statement is a path")
        return _summary(*_polyseal.verify_signature(source, threads, wanted))
    return _summary(*_polyseal.verify_file(source, opening_keys(**key_args), threads, progress, wanted))


@shows_keys
def sign_file(
    path: Path,
    sign: SigningKey,
    *,
    signature: Path | None = None,
    overwrite: bool = False,
    **key_args: Unpack[KeySetArgs],
) -> None:
    """Signs a file that is there. Its statement goes to ``path`` with ``.sig`` behind it, or to ``signature``.

    With a key that opens the file, the statement stays when the file gets other recipients. Without one it is bound to
    the header as it is. Raises what ``decrypt_file`` does for keys and files, and ``FileExistsError`` if there is a
    statement and ``overwrite`` is not given.
    """
    found = _signing(sign, signature)
    if found is None:
        raise TypeError("sign is a SigningKey, not None")
    whose = opening_keys(**key_args) if key_args else None
    _polyseal.sign_file(os.fsdecode(path), found[0], whose, found[1], overwrite)


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
    "Signer",
    "Summary",
    "decrypt_file",
    "encrypt_file",
    "inspect",
    "inspect_header",
    "open",
    "rekey_file",
    "rekey_header",
    "sign_file",
    "verify_file",
]
