# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A file that gives epochs, each once: what keeps an end's keys new if its randomness repeats.

    epochs = EpochFile.create(path)                       # once, with a new master key
    epochs = EpochFile(path)                              # at each start
    number = epochs.take()

The file has the highest number that was given. A new one is on the disk before the caller has it: a file beside it is written and
flushed, takes its name, and the directory is flushed. A lock on the directory keeps two programs from one number. The Rust driver
reads and writes the same file.

Limits: copies do not know of each other, nor do hard links. A file that is restored from a copy gives numbers again, and only an
`EpochFile` that is still there notices. Whoever can write the directory can do so, too. For systems with flock and directories that
can be flushed; some network file systems lock for one machine only.
"""

import contextlib
import fcntl
import os
from pathlib import Path

HEAD = b"omd-link epochs 1\n"
LAST = 2**64 - 1


class EpochError(Exception):
    """The file gives no epoch."""


def resolved(path):
    """The path without symbolic links, so that one file has one lock. A link that leads nowhere is an error."""
    if os.path.islink(path) and not os.path.exists(path):
        raise FileNotFoundError(f"{path}: a symbolic link that leads nowhere")
    return Path(os.path.realpath(path))


class EpochFile:
    """The store of one end, for as long as its master key is in use. OSError where the file cannot be read, written or locked."""

    def __init__(self, path):
        """The file that is there; EpochError if there is none, or it is not of epochs."""
        self.path = resolved(path)
        self.given = self._read()

    @classmethod
    def create(cls, path):
        """A new file, of a new master key: its first epoch is 1. FileExistsError if there is one of this name."""
        return cls._write_anew(path, 0, anything_there=False)

    @classmethod
    def reset(cls, path, used):
        """Writes the file anew, whatever is there: its next epoch is one above `used`.

        That must be the highest which this end has used with the master key, or more; 0 with a new master key.
        """
        if not 0 <= used <= LAST:
            raise ValueError("an epoch has 64 bits")
        return cls._write_anew(path, used, anything_there=True)

    def take(self):
        """The next epoch. Nobody gets it again, also if this program ends before it is used."""
        with self._locked():
            found = self._read()
            if found < self.given:
                raise EpochError(f"{self.path}: the epochs went back to {found}, and {self.given} was used. Reset the file above every "
                                 "epoch that was used")
            if found == LAST:
                raise EpochError(f"{self.path}: all epochs were used")
            self._write(found + 1)
            self.given = found + 1
        return self.given

    @classmethod
    def _write_anew(cls, path, used, anything_there):
        epochs = cls.__new__(cls)
        epochs.path = resolved(path)
        with epochs._locked():
            if not anything_there and os.path.lexists(epochs.path):
                raise FileExistsError(f"{epochs.path}: there is a file here already")
            epochs._write(used)
        epochs.given = used
        return epochs

    @contextlib.contextmanager
    def _directory(self):
        directory = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            yield directory
        finally:
            os.close(directory)

    @contextlib.contextmanager
    def _locked(self):
        """Nobody else has it meanwhile. A file of its own could be removed meanwhile."""
        with self._directory() as directory:
            fcntl.flock(directory, fcntl.LOCK_EX)
            yield

    def _read(self):
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            raise EpochError(f"{self.path}: no file of epochs is here. Create it with a new master key; if there was one, reset it above "
                             "every epoch that was used") from None
        digits = text.removeprefix(HEAD).removesuffix(b"\n")
        # int() takes more texts than are written: the text must be the same again.
        if not digits.isdigit() or len(digits) > 20 or self._text(int(digits)) != text or int(digits) > LAST:
            raise EpochError(f"{self.path}: this is no file of epochs")
        return int(digits)

    @staticmethod
    def _text(given):
        return HEAD + b"%d\n" % given

    def _write(self, given):
        """On the disk once this returns."""
        new = f"{self.path}.new"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(new)
        file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(file, "wb") as out:
            out.write(self._text(given))
            out.flush()
            os.fsync(file)
        os.rename(new, self.path)
        # A name is in the directory, which has to be flushed for itself.
        with self._directory() as directory:
            os.fsync(directory)
