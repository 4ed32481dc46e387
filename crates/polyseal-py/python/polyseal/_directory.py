"""Directories by handle, and output files that appear in them complete or not at all.

A path is resolved anew each time that it is used: whoever can write to one of its directories can put a
link to another place there in between. A handle stays what it was. What lies beneath it is opened name by
name, and no link is followed. Paths beneath a handle are bytes with ``/`` in between.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import threading
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ._polyseal import Buffer

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
#: A FIFO without a writer is not waited for.
_FILE: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Directory:
    """An open directory. It is closed when nothing uses it any more."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        #: The directory beneath this one that each thread was in last: what comes next is often in it, too.
        self._last: threading.local | None = None

    def __del__(self) -> None:
        if hasattr(self, "fd"):
            os.close(self.fd)

    @classmethod
    def open(cls, path: str | bytes) -> Directory:
        """The directory ``path``, as the user has named it: links in it are followed."""
        found = cls(_open_directory(path or ".", 0, None))
        found._last = threading.local()
        return found

    def beneath(self, path: bytes) -> Directory:
        """The directory ``path`` beneath this one."""
        found, rest = self, path
        last, at = getattr(self._last, "it", (b"", self))
        if last and (path + b"/").startswith(last + b"/"):
            found, rest = at, path[len(last) + 1 :]
        for name in _names(rest) if rest else ():
            found = Directory(_open_directory(name, os.O_NOFOLLOW, found.fd))
        if self._last is not None and path:
            self._last.it = path, found
        return found

    def place(self, path: bytes) -> tuple[Directory, bytes]:
        """The directory beneath this one that has ``path`` in it, and what ``path`` is called there."""
        parent, _, name = path.rpartition(b"/")
        [name] = _names(name)
        return self.beneath(parent), name

    def file(self, name: bytes, *, change: bool = False) -> int:
        """A descriptor of the regular file ``name`` here, to be read, or changed where it is."""
        fd = os.open(name, _FILE | (os.O_RDWR if change else os.O_RDONLY), dir_fd=self.fd)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise OSError("it is no regular file")
        return fd

    def stat(self, name: bytes) -> os.stat_result:
        """What is called ``name`` here; a link itself."""
        return os.stat(name, dir_fd=self.fd, follow_symlinks=False)

    def make(self, name: bytes) -> None:
        """Makes a directory for its owner alone, unless there is one."""
        try:
            os.mkdir(name, 0o700, dir_fd=self.fd)
        except FileExistsError:
            if not stat.S_ISDIR(self.stat(name).st_mode):
                raise

    def link(self, name: bytes, target: bytes, *, overwrite: bool) -> None:
        """Makes a symbolic link."""
        try:
            os.symlink(target, name, dir_fd=self.fd)
        except FileExistsError:
            if not overwrite:
                raise
            temporary = temporary_name()
            os.symlink(target, temporary, dir_fd=self.fd)
            try:
                os.replace(temporary, name, src_dir_fd=self.fd, dst_dir_fd=self.fd)
            except BaseException:
                os.unlink(temporary, dir_fd=self.fd)
                raise

    def sync(self) -> None:
        """Waits until the names in it are on disk, where the file system can say so."""
        with contextlib.suppress(OSError):
            os.fsync(self.fd)


def _open_directory(path: str | bytes, more: int, parent: int | None) -> int:
    try:
        return os.open(path, _DIRECTORY | more, dir_fd=parent)
    except PermissionError:
        # One that only takes new files cannot be read, but be worked in.
        if not hasattr(os, "O_PATH"):
            raise
        return os.open(path, os.O_PATH | _DIRECTORY | more, dir_fd=parent)


def _names(path: bytes) -> list[bytes]:
    names = path.split(b"/")
    if any(name in (b"", b".", b"..") for name in names):
        raise ValueError(f"no path beneath a directory: {os.fsdecode(path)!r}")
    return names


def temporary_name() -> bytes:
    """A name of random digits for what shall have another."""
    return f".polyseal-{secrets.token_hex(12)}.tmp".encode()


def as_path(fd: int) -> str | None:
    """A path by which Rust opens a descriptor, where the system has such paths."""
    path = f"/dev/fd/{fd}"
    return path if os.path.exists(path) else None


class Input:
    """A regular file that is read, by its descriptor."""

    def __init__(self, fd: int) -> None:
        self.file = os.fdopen(fd, "rb", buffering=0)
        #: What Rust reads.
        self.source: Any = as_path(fd) or self.file

    def __enter__(self) -> Input:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()


class Staged:
    """An output file that appears complete or not at all.

    It is written without a name where the system has such files: whatever ends the process leaves nothing.
    Elsewhere it has a temporary name. It is made for its owner alone; one that replaces a file of the same owner
    has the permissions of that. With ``sync``, file and name are on disk before it is said to be there.
    """

    def __init__(
        self, directory: Directory, name: bytes, overwrite: bool, shown: object = None, *, sync: bool = True
    ) -> None:
        self._directory, self._name, self._overwrite, self._sync = directory, name, overwrite, sync
        self._mode: int | None = None
        self._shown = os.fsdecode(name) if shown is None else shown
        with contextlib.suppress(FileNotFoundError):
            there = directory.stat(name)
            if not overwrite:
                raise self._exists()
            if not stat.S_ISREG(there.st_mode):
                raise ValueError(f"{self._shown} is not a regular file; give a file object that is open for writing")
            if there.st_uid == os.geteuid():
                self._mode = stat.S_IMODE(there.st_mode) & 0o777
        #: The name that it has meanwhile, if any.
        self._temporary: bytes | None = None
        self._complete = False
        self.file = os.fdopen(self._create(), "wb", buffering=0)

    @classmethod
    def at(cls, path: str | os.PathLike[str], overwrite: bool) -> Staged:
        """At a path that the user has named: links in it are followed."""
        directory, name = os.path.split(os.path.realpath(os.fsdecode(path)))
        return cls(Directory.open(directory), os.fsencode(name), overwrite, os.fspath(path))

    def _create(self) -> int:
        if hasattr(os, "O_TMPFILE") and os.path.exists("/proc/self/fd"):
            try:
                return os.open(b".", os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600, dir_fd=self._directory.fd)
            except OSError as error:
                # The file system's or an old kernel's way of not knowing the flag.
                if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
                    raise
        self._temporary = temporary_name()
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(self._temporary, flags, 0o600, dir_fd=self._directory.fd)

    @property
    def sink(self) -> Any:
        """What Rust writes to: an empty file by its path, or a file object."""
        return as_path(self.file.fileno()) or self.file

    def set(self, mode: int, mtime_ns: int) -> None:
        """Gives the file this mode and time, whatever it replaces. Call it when all is written."""
        self._mode = mode
        os.utime(self.file.fileno(), ns=(os.fstat(self.file.fileno()).st_atime_ns, mtime_ns))

    def mark(self, name: str, value: str) -> None:
        """Gives the file an attribute, where the file system has them."""
        with contextlib.suppress(OSError, AttributeError):
            os.setxattr(self.file.fileno(), f"user.{name}", value.encode())

    def write(self, data: Buffer) -> int:
        write_all(self.file, data)
        return memoryview(data).nbytes

    def close(self) -> None:
        """All is written: now only a commit gives it its name."""
        if self._complete or self.file.closed:
            return
        if self._mode is not None:
            os.fchmod(self.file.fileno(), self._mode)
        if self._sync:
            # Only a file that is certainly on disk may take another's place.
            os.fsync(self.file.fileno())
        self._complete = True

    def commit(self) -> None:
        """Gives the file its name."""
        self.close()
        if self._overwrite:
            if self._temporary is None:
                temporary = temporary_name()
                self._link(temporary)
                self._temporary = temporary
            here = self._directory.fd
            os.replace(self._temporary, self._name, src_dir_fd=here, dst_dir_fd=here)
            self._temporary = None
        else:
            try:
                self._link(self._name)
            except FileExistsError:
                raise self._exists() from None
        self.discard()
        if self._sync:
            self._directory.sync()

    def _link(self, name: bytes) -> None:
        if self._temporary is None:
            os.link(f"/proc/self/fd/{self.file.fileno()}", name, dst_dir_fd=self._directory.fd)
        else:
            here = self._directory.fd
            os.link(self._temporary, name, src_dir_fd=here, dst_dir_fd=here, follow_symlinks=False)

    def discard(self) -> None:
        """Removes what has a temporary name."""
        self.file.close()
        if self._temporary is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._temporary, dir_fd=self._directory.fd)
            self._temporary = None

    def _exists(self) -> FileExistsError:
        return FileExistsError(errno.EEXIST, "File exists", self._shown)

    def __enter__(self) -> Staged:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()


def write_all(sink: Any, data: Buffer) -> None:
    """All of the data, however little a file object takes at once."""
    view = memoryview(data)
    while view:
        n = sink.write(view)
        if n is None:
            raise BlockingIOError("the file to write to would block")
        view = view[n:]


__all__ = ["Directory", "Input", "Staged", "temporary_name", "write_all"]
