"""Other recipients for one file, by a new file that takes its place.

A rekey reads a header, makes another of it, and writes that: what has happened to the file in between would be
undone, a revoked key among it. So from the moment when every key has been read until the file is replaced it is
locked (``flock``, which other programs may ignore), and it is replaced only if it is still the file, with the
header, that was read. The command ``polyseal rekey`` does the same, and each waits for the other.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
import warnings
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Callable, Final

from . import _polyseal
from ._directory import Directory, Input, Staged
from ._who import WhoArgs, who
from .errors import SourceChanged

if TYPE_CHECKING:
    from ._polyseal import Buffer

#: How long another rekey of the file is waited for, in seconds.
_PATIENCE: Final = 5.0
_PAUSE: Final = 0.02
#: What the command's ``rekey --in-place`` calls the copy of a header, until the new one is on disk.
_BACKUP: Final = b".header-backup"
#: Errors of file systems without locks. Then the comparison is all that there is.
_NO_LOCKS: Final = {errno.ENOLCK, errno.EBADF, errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP}
_CHUNK: Final = 8 << 20


class Rekeying:
    """The file ``name`` in ``directory``, which is to have other recipients."""

    def __init__(self, directory: Directory, name: bytes, shown: object) -> None:
        self._directory, self._name, self._shown = directory, name, shown

    def run(
        self,
        to: WhoArgs,
        remove_others: bool,
        new_key: bool,
        who_args: WhoArgs,
        check: Callable[[bytes, int], bool] | None = None,
    ) -> bool:
        """Does it, unless ``check(header, stored_size)`` says that there is nothing to be done."""
        with Input(self._directory.file(self._name)) as old:
            size = os.fstat(old.file.fileno()).st_size
            header = read_header(old.file)
            if check is not None and not check(header, size):
                return False
            if new_key:
                write = self._anew(old, header, to, who_args)
            else:
                rekeyed = _polyseal.rekey_header(header, who(**who_args), who(**to), remove_others)
                write = self._copied(old.file, rekeyed, size)
            # Every key has been read: nobody is waited for any more.
            with self._locked(old.file, header) as expect_unchanged:
                with Staged(self._directory, self._name, True, self._shown) as new:
                    write(new.write)
                    new.close()
                    expect_unchanged()
                    new.commit()
        return True

    def _copied(self, old: IO[bytes], header: bytes, size: int) -> Callable[[Callable[[Buffer], object]], None]:
        def write(put: Callable[[Buffer], object]) -> None:
            put(header)
            at = len(header)
            while piece := os.pread(old.fileno(), _CHUNK, at):
                put(piece)
                at += len(piece)
            if at != size:
                raise self._changed()

        return write

    def _anew(
        self, old: Input, header: bytes, to: WhoArgs, who_args: WhoArgs
    ) -> Callable[[Callable[[Buffer], object]], None]:
        if "context" in who_args:
            to = {"context": who_args["context"], **to}
        outline = _polyseal.Outline.parse(header)
        reader = _polyseal.Reader(old.source, who(**who_args), 1)
        sealer = _polyseal.StreamSealer(
            suite=outline.suite, segment_size=outline.segment_size, header_size=len(header), **to
        )

        def write(put: Callable[[Buffer], object]) -> None:
            put(sealer.header)
            for at in range(0, reader.size, _CHUNK):
                put(sealer.write(reader.read_at(at, _CHUNK)))
            put(sealer.finish())

        return write

    @contextlib.contextmanager
    def _locked(self, old: IO[bytes], header: bytes) -> Iterator[Callable[[], None]]:
        try:
            # A remote file system may ask that it can be written, too.
            fd = self._directory.file(self._name, change=True)
        except PermissionError:
            fd = self._directory.file(self._name)
        with Input(fd) as locked:
            self._lock(fd)

            def expect_unchanged() -> None:
                files = os.fstat(old.fileno()), os.fstat(fd), self._directory.stat(self._name)
                ids = {(file.st_dev, file.st_ino) for file in files}
                if len(ids) != 1 or os.pread(locked.file.fileno(), len(header), 0) != header:
                    raise self._changed()

            expect_unchanged()
            # Whoever made one had the lock, and no longer has: it was interrupted.
            self._expect_no_backup()
            yield expect_unchanged

    def _lock(self, fd: int) -> None:
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{self._shown}: it is being rekeyed by another program") from None
                time.sleep(_PAUSE)
            except OSError as error:
                if error.errno not in _NO_LOCKS:
                    raise
                warnings.warn(f"{self._shown}: it cannot be locked where it is: let no other program rekey it now")
                return None

    def _expect_no_backup(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._directory.stat(self._name + _BACKUP)
            why = "an interrupted rekey --in-place has left it: polyseal rekey --restore, or move it away"
            raise FileExistsError(errno.EEXIST, why, f"{self._shown}{_BACKUP.decode()}")

    def _changed(self) -> SourceChanged:
        return SourceChanged(f"{self._shown}: it has been changed meanwhile; nothing was done to it")


def read_header(file: IO[bytes]) -> bytes:
    """The header of a stored file, from its beginning."""
    first = os.pread(file.fileno(), _polyseal.Outline.BYTES, 0)
    return os.pread(file.fileno(), _polyseal.Outline.parse(first).header_size, 0)


__all__ = ["Rekeying", "read_header"]
