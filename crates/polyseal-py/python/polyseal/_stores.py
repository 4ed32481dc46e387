"""The operations of stores that jobs need: versions, reads of one version, and writes that lose no other's.

On S3 a version is an ETag, and the server compares it (``If-Match``, ``If-None-Match``), if it knows these conditions.
Elsewhere it is
what fsspec tells of a file, compared after a read and just before a write: a writer that comes in
between is not noticed.

What is written can have a mark (``_marks``): metadata of an S3 object, an extended attribute of a local file.

Local files are reached through no link that somebody could put there: see ``LocalStore``.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import stat
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from ._bounds import bounded, is_s3, read, s3_ranges
from ._marks import Mark
from ._opening import too_few, version_of
from ._polyseal import Directory, NewFile
from ._shown import shown
from .errors import SourceChanged

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsspec import AbstractFileSystem

    Read = Callable[[int, int], bytes]

#: The least size of a part of S3 that is not the last, and the most parts of an object.
LEAST_PART: Final = 5 << 20
MOST_PARTS: Final = 10_000
#: Bytes that are worked on at once.
PIECE: Final = 8 << 20
#: The name of the mark.
MARK: Final = "polyseal-task"
#: The attributes that S3 tells of an object in the answer to a read, and that another object in its place gets. Not its
#: tags, which it tells only if asked for them.
_KEPT: Final = (
    *("CacheControl", "ContentDisposition", "ContentEncoding", "ContentLanguage", "ContentType", "Expires"),
    *("Metadata", "ServerSideEncryption", "SSEKMSKeyId", "StorageClass", "WebsiteRedirectLocation"),
)


class Conflict(Exception):
    """Another writer was there first: what it wrote stays."""


def _conflict(path: str) -> Conflict:
    return Conflict(f"{shown(path)}: another writer was there first")


def _changed(path: str) -> SourceChanged:
    return SourceChanged(f"{shown(path)}: changed since the jobs were planned")


@dataclass(frozen=True, slots=True)
class Found:
    """An object that is there, and has a mark."""

    mark: bytes
    size: int
    version: str


def store(url: str, options: dict[str, Any], *, output: bool) -> tuple[Store, str]:
    """The store of a URL, and the path in it. ``output`` says that something is written there."""
    fs, path = url_to_fs(url, **options)
    if is_s3(fs):
        return S3Store(fs), path
    if isinstance(fs, LocalFileSystem):
        return LocalStore(fs, path, output=output), path
    return Store(bounded(fs)), path


class Store:
    """Any fsspec file system."""

    #: Whether it takes an object in parts that several processes send.
    parts: bool = False

    def __init__(self, fs: AbstractFileSystem) -> None:
        self.fs = fs

    def find(self, path: str) -> dict[str, dict[str, Any]]:
        """The files below ``path``, or ``path`` itself, with the store's information on each; nothing where nothing is.
        A directory that cannot be read is an error.
        """
        self.fs.invalidate_cache()
        # Not by fsspec's `find`, to which a directory that cannot be read is an empty one.
        found, waiting = dict[str, dict[str, Any]](), [path]
        while waiting:
            directory = waiting.pop()
            try:
                listed = self.fs.ls(directory, detail=True)
            except FileNotFoundError:
                continue
            for info in listed:
                name = info["name"].rstrip("/")
                if info["type"] != "directory":
                    found[info["name"]] = info
                elif name != directory.rstrip("/"):
                    waiting.append(name)
        return found

    def version(self, info: dict[str, Any]) -> str:
        """The mark that tells one version of a file from another; empty if the store tells nothing of the kind."""
        return version_of(info).text

    def now(self, path: str) -> tuple[int, str] | None:
        """The size and version; nothing where nothing is."""
        self.fs.invalidate_cache(_above(self.fs, path))
        try:
            info = self.fs.info(path)
        except FileNotFoundError:
            return None
        return info["size"], self.version(info)

    def read(self, path: str, start: int, stop: int, version: str) -> bytes:
        """Bytes of that version, or ``SourceChanged``."""
        data = read(self.fs, path, start, stop)
        found = self.now(path)
        if found is None or found[1] != version or len(data) != stop - start:
            raise _changed(path)
        return data

    def ranges(
        self, path: str, ranges: Sequence[tuple[int, int]], version: str
    ) -> tuple[list[bytes], dict[str, Any]]:
        """Several ranges of that version; and what else the store tells of the object that another of its name should
        have, too.
        """
        return [self.read(path, start, stop, version) for start, stop in ranges], {}

    def put(
        self,
        path: str,
        pieces: Iterable[bytes],
        size: int,
        expected_version: str | None,
        mark: Mark,
        header: bytes = b"",
        attributes: dict[str, Any] | None = None,
    ) -> str:
        """Writes a whole object, of which one piece is in memory: a new one, or one in the place of that version.
        Its version. ``size`` is that of the plaintext, about which so many bytes come.
        """
        self._expect(path, expected_version)
        with _exists(path):
            sink = self._new(path, overwrite=expected_version is not None)
        try:
            whole = mark.whole()
            for piece in pieces:
                sink.write(piece)
                whole.update(piece)
            return self._appear(path, sink, expected_version, whole.text())
        except BaseException:
            sink.discard()
            raise

    def _appear(self, path: str, sink: Any, expected_version: str | None, mark: str) -> str:
        """Gives what is written its name. Its version."""
        with _exists(path):
            sink.close()
        self._expect(path, expected_version)
        with _exists(path):
            sink.commit()
        found = self.now(path)
        if found is None:
            raise _conflict(path)
        return found[1]

    def marked(self, path: str) -> Found | None:
        """The object's version and mark; None if it has no mark."""
        return None

    def _new(self, path: str, *, overwrite: bool) -> Any:
        """A file to write, which appears when it is committed."""
        self.fs.makedirs(_above(self.fs, path), exist_ok=True)
        return staged(self.fs, path, overwrite=overwrite)

    def _expect(self, path: str, version: str | None) -> None:
        found = self.now(path)
        if (found and found[1]) != version:
            raise _conflict(path)

    def replace_head(
        self, path: str, head: bytes, size: int, version: str, read: Read, mark: Mark, attributes: dict[str, Any]
    ) -> str:
        """Writes new first bytes; ``read`` reads the others of that version. Its new version."""
        return self.put(path, _with_head(head, size, read), size, version, mark, head, attributes)


def _above(fs: AbstractFileSystem, path: str) -> str:
    """The directory that has it."""
    return path.rstrip("/").rpartition("/")[0] or str(fs.root_marker)


def _with_head(head: bytes, size: int, read: Read) -> Iterator[bytes]:
    yield head
    for start in range(len(head), size, PIECE):
        yield read(start, min(size, start + PIECE))


class LocalStore(Store):
    """Local files. A directory is opened once, and what is beneath it is reached through no link: whoever can write
    there cannot let another file be read or written. Of the path of that directory itself links are followed, as the
    user has named it; but where something is written, not one of another user as its last name.

    A path that is no directory's is that of a file: it is beneath the directory that has it.
    """

    def __init__(self, fs: AbstractFileSystem, root: str, *, output: bool) -> None:
        super().__init__(fs)
        self._root = root.rstrip("/") or "/"
        self._directory_of = Directory.for_output if output else Directory
        self._lock = threading.Lock()
        self._opened: dict[str, Directory] = {}

    def find(self, path: str) -> dict[str, dict[str, Any]]:
        """As everywhere. What is no regular file is listed, too: to read it fails."""

        def fail(error: OSError) -> None:
            # A file that is gone is not there; a path that is no directory is the file itself.
            if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
                raise error

        found = dict[str, dict[str, Any]]()
        try:
            status = os.stat(path)
            if not stat.S_ISDIR(status.st_mode):
                return {path: _info_of(status)}
        except FileNotFoundError:
            return found
        # By descriptors: no link is followed but the path itself, by the separator at its end.
        for folder, folders, files, fd in os.fwalk(f"{path.rstrip('/')}/", onerror=fail):
            for name in files + folders:
                try:
                    status = os.stat(name, dir_fd=fd, follow_symlinks=False)
                except FileNotFoundError:
                    continue
                if not stat.S_ISDIR(status.st_mode):
                    found[os.path.join(folder, name)] = _info_of(status)
        return found

    def _place(self, path: str) -> tuple[str, str]:
        """A directory, and the path beneath it."""
        beneath = path.removeprefix(self._root.rstrip("/")).removeprefix("/")
        return (self._root, beneath) if beneath else os.path.split(self._root)

    def _directory(self, path: str) -> Directory:
        with self._lock:
            if path not in self._opened:
                self._opened[path] = self._directory_of(path)
            return self._opened[path]

    @contextmanager
    def _open(self, path: str) -> Iterator[int]:
        directory, beneath = self._place(path)
        fd = self._directory(directory).file(beneath)
        try:
            yield fd
        finally:
            os.close(fd)

    def _version(self, fd: int) -> tuple[int, str]:
        status = os.fstat(fd)
        return status.st_size, self.version(_info_of(status))

    def now(self, path: str) -> tuple[int, str] | None:
        try:
            with self._open(path) as fd:
                return self._version(fd)
        except FileNotFoundError:
            return None

    def read(self, path: str, start: int, stop: int, version: str) -> bytes:
        pieces = []
        with self._open(path) as fd:
            while start < stop and (piece := os.pread(fd, stop - start, start)):
                pieces.append(piece)
                start += len(piece)
            if self._version(fd)[1] != version or start < stop:
                raise _changed(path)
        return b"".join(pieces)

    def marked(self, path: str) -> Found | None:
        if not hasattr(os, "getxattr"):
            return None
        try:
            with self._open(path) as fd:
                mark = os.getxattr(fd, f"user.{MARK}")
                return Found(mark, *self._version(fd))
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENODATA, errno.ENOTSUP):
                return None
            raise

    def _new(self, path: str, *, overwrite: bool) -> NewFile:
        directory, beneath = self._place(path)
        while True:
            try:
                return self._directory(directory).new_file(beneath, overwrite)
            except FileNotFoundError:
                # Not by `makedirs`, which goes through links: by the nearest directory that is there.
                above, name = os.path.split(directory)
                # A link that leads nowhere. (Another thread may have made the directory by now.)
                if not name or os.path.islink(directory):
                    raise
                directory, beneath = above, os.path.join(name, beneath)

    def _appear(self, path: str, sink: NewFile, expected_version: str | None, mark: str) -> str:
        sink.mark(MARK, mark)
        sink.close()
        self._expect(path, expected_version)
        fd = sink.descriptor()
        try:
            with _exists(path):
                sink.commit()
            # The version of this very file: another may have its name by now.
            return self._version(fd)[1]
        finally:
            os.close(fd)


def _info_of(status: os.stat_result) -> dict[str, Any]:
    """The marks that tell one version of a local file from another."""
    return {"size": status.st_size, "created": status.st_ctime_ns, "mtime": status.st_mtime_ns, "ino": status.st_ino}


class S3Store(Store):
    """S3, by s3fs, with the conditions that the server checks."""

    parts = True

    def find(self, path: str) -> dict[str, dict[str, Any]]:
        """As everywhere: s3fs lists without directories, and tells of errors."""
        self.fs.invalidate_cache()
        try:
            found: dict[str, dict[str, Any]] = self.fs.find(path, detail=True)
        except FileNotFoundError as error:
            # A bucket that is not there has nothing in it.
            if _answer(error)[1] != "NoSuchBucket":
                raise
            return {}
        return {name: info for name, info in found.items() if info["type"] == "file"}

    def version(self, info: dict[str, Any]) -> str:
        return str(info["ETag"]).strip('"')

    def read(self, path: str, start: int, stop: int, version: str) -> bytes:
        return self.ranges(path, [(start, stop)], version)[0][0]

    def ranges(
        self, path: str, ranges: Sequence[tuple[int, int]], version: str
    ) -> tuple[list[bytes], dict[str, Any]]:
        with _conditions(path, _changed(path)):
            if all(start == stop for start, stop in ranges):
                # No range has no bytes.
                return [b""] * len(ranges), _preserved_attributes(self._call("head_object", path, IfMatch=version))
            found = s3_ranges(self.fs, path, ranges, IfMatch=version)
            for (start, stop), (data, _) in zip(ranges, found):
                if len(data) != stop - start:
                    raise too_few(path, len(data), stop - start)
        return [data for data, _ in found], _preserved_attributes(found[0][1])

    def put(
        self,
        path: str,
        pieces: Iterable[bytes],
        size: int,
        expected_version: str | None,
        mark: Mark,
        header: bytes = b"",
        attributes: dict[str, Any] | None = None,
    ) -> str:
        """As everywhere; an object that is longer than a part goes up in parts."""
        parts = _parts(pieces, part_size(size))
        first, second = next(parts, b""), next(parts, None)
        if second is None:
            whole = mark.whole()
            whole.update(first)
            arguments = _with_mark(attributes, whole.text())
            with _conditions(path, _conflict(path)):
                answer = self._call("put_object", path, Body=first, **arguments, **_if_match(expected_version))
            return str(answer["ETag"]).strip('"')
        upload = self.begin(path, mark.begun(header), attributes)
        try:
            etags = [self.part(path, upload, n, data) for n, data in enumerate(chain([first, second], parts), 1)]
            return self.complete(path, upload, etags, expected_version)
        except BaseException:
            self.abort(path, upload)
            raise

    def marked(self, path: str) -> Found | None:
        try:
            with _conditions(path, _changed(path)):
                answer = self._call("head_object", path)
        except SourceChanged:
            return None
        mark = answer.get("Metadata", {}).get(MARK)
        if mark is None:
            return None
        version = str(answer["ETag"]).strip('"')
        return Found(str(mark).encode(errors="surrogateescape"), answer["ContentLength"], version)

    def begin(self, path: str, mark: str, attributes: dict[str, Any] | None = None) -> str:
        """Begins an object that comes in parts."""
        return str(self._call("create_multipart_upload", path, **_with_mark(attributes, mark))["UploadId"])

    def part(self, path: str, upload: str, number: int, data: bytes, *, sealed: bool = False) -> str:
        """Sends a part, and says its ETag. A part that is sent again takes the place of the first; but one that was
        ``sealed`` is not sent again with other bytes: two plaintexts would have one nonce. A source that shows other
        contents under the same version makes such.
        """
        before = self._sent_etag(path, upload, number) if sealed else None
        if before is not None:
            digest = before.strip('"').lower()
            if not re.fullmatch("[0-9a-f]{32}", digest):
                raise SourceChanged(
                    f"{shown(path)}: part {number} was sealed before, and this store does not tell whether it had "
                    "the same bytes; plan again"
                )
            if digest != hashlib.md5(data, usedforsecurity=False).hexdigest():
                raise SourceChanged(
                    f"{shown(path)}: part {number} was sealed before, with another plaintext; or with the same, if "
                    "the ETags of this store are no MD5, as with SSE-KMS: then it does not tell; plan again"
                )
            return before
        answer = self._call("upload_part", path, UploadId=upload, PartNumber=number, Body=data)
        return str(answer["ETag"])

    def _sent_etag(self, path: str, upload: str, number: int) -> str | None:
        """The ETag of a part that was sent before, which is the MD5 of its bytes on most stores."""
        answer = self._call("list_parts", path, UploadId=upload, PartNumberMarker=number - 1, MaxParts=1)
        found = [each for each in answer.get("Parts", []) if each["PartNumber"] == number]
        return str(found[0]["ETag"]) if found else None

    def complete(self, path: str, upload: str, etags: list[str], expected_version: str | None) -> str:
        """Makes one object of the parts, which appears now. Its version."""
        parts = [{"PartNumber": number, "ETag": etag} for number, etag in enumerate(etags, 1)]
        with _conditions(path, _conflict(path)):
            answer = self._call(
                "complete_multipart_upload", path, UploadId=upload, MultipartUpload={"Parts": parts}, **_if_match(expected_version)
            )
        return str(answer["ETag"]).strip('"')

    def abort(self, path: str, upload: str) -> None:
        """Forgets the parts, if they are still there."""
        # Something else has failed before, and is told. What is left here costs money, and nothing more.
        with suppress(OSError):
            self._call("abort_multipart_upload", path, UploadId=upload)

    def replace_head(
        self, path: str, head: bytes, size: int, version: str, read: Read, mark: Mark, attributes: dict[str, Any]
    ) -> str:
        """Sends the head and what makes the first part long enough; the server copies the rest."""
        first = max(len(head), LEAST_PART)
        if size <= 2 * LEAST_PART:
            return super().replace_head(path, head, size, version, read, mark, attributes)
        upload = self.begin(path, mark.begun(head), attributes)
        bucket, key, _ = self.fs.split_path(path)
        try:
            etags = [self.part(path, upload, 1, head + read(len(head), first))]
            # A part has at most 5 GiB.
            for start in range(first, size, 4 << 30):
                stop = min(size, start + (4 << 30))
                with _conditions(path, _conflict(path)):
                    answer = self._call(
                        "upload_part_copy",
                        path,
                        UploadId=upload,
                        PartNumber=len(etags) + 1,
                        CopySource={"Bucket": bucket, "Key": key},
                        CopySourceRange=f"bytes={start}-{stop - 1}",
                        CopySourceIfMatch=version,
                    )
                etags.append(str(answer["CopyPartResult"]["ETag"]))
            return self.complete(path, upload, etags, version)
        except BaseException:
            self.abort(path, upload)
            raise

    def _call(self, method: str, path: str, **arguments: Any) -> dict[str, Any]:
        bucket, key, _ = self.fs.split_path(path)
        answer: dict[str, Any] = self.fs.call_s3(method, Bucket=bucket, Key=key, **arguments)
        return answer


class _MemoryFile(io.BytesIO):
    """A file of fsspec's memory, where what is opened to be written appears at once."""

    def __init__(self, fs: AbstractFileSystem, path: str) -> None:
        super().__init__()
        self._target = fs, path

    def close(self) -> None:
        """Later: it is committed first."""

    def commit(self) -> None:
        fs, path = self._target
        fs.pipe_file(path, self.getvalue())

    def discard(self) -> None:
        super().close()


def staged(fs: AbstractFileSystem, path: str, *, overwrite: bool, **options: Any) -> Any:
    """A file to write: what is in it appears when it is committed, and never if it is discarded."""
    if isinstance(fs, LocalFileSystem):
        # fsspec's own is made elsewhere and moved, which is not one step, and tells of no refusal.
        return NewFile(path, overwrite)
    if isinstance(fs, MemoryFileSystem):
        return _MemoryFile(fs, path)
    # By the hook that file systems have for those around them: `open` adds it to a transaction.
    return fs._open(path, mode="wb" if overwrite else "xb", autocommit=False, **options)


def _preserved_attributes(answer: dict[str, Any]) -> dict[str, Any]:
    """The attributes in an answer that an object in the place of this one gets."""
    return {name: answer[name] for name in _KEPT if answer.get(name)}


def _with_mark(attributes: dict[str, Any] | None, mark: str) -> dict[str, Any]:
    """The arguments that give an object these attributes, and the mark."""
    kept = dict(attributes or {})
    return {**kept, "Metadata": {**kept.get("Metadata", {}), MARK: mark}}


def part_size(size: int, least: int = PIECE) -> int:
    """Bytes of a part, such that S3 has enough parts for an object of about ``size`` bytes.

    Encrypted, it is longer than its plaintext by the header and some bytes for each segment of at least 4 KiB:
    a tenth more of it fits.
    """
    return max(least, -(-size // (MOST_PARTS * 9 // 10)))


def _parts(pieces: Iterable[bytes], least: int) -> Iterator[bytes]:
    """The pieces, joined to parts of at least that many bytes, but for the last."""
    held, size, made = list[bytes](), 0, 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= least:
            yield b"".join(held)
            held, size, made = [], 0, made + 1
    if held or not made:
        yield b"".join(held)


def _if_match(version: str | None) -> dict[str, str]:
    return {"IfNoneMatch": "*"} if version is None else {"IfMatch": version}


@contextmanager
def _exists(path: str) -> Iterator[None]:
    """Turns what a file system says of a file that is there into a conflict."""
    try:
        yield
    except FileExistsError as error:
        raise _conflict(path) from error


def _answer(error: OSError) -> tuple[int | None, str | None]:
    """The server's status and error code: s3fs keeps botocore's error as the cause."""
    cause: Any = error.__cause__
    answer = getattr(cause, "response", {})
    return answer.get("ResponseMetadata", {}).get("HTTPStatusCode"), answer.get("Error", {}).get("Code")


@contextmanager
def _conditions(path: str, unmet: Exception) -> Iterator[None]:
    """Turns what the server says of an unmet condition into ``unmet``."""
    try:
        yield
    except OSError as error:
        status, code = _answer(error)
        if status in (409, 412) or code in ("PreconditionFailed", "ConditionalRequestConflict"):
            raise unmet from error
        # Not any other file that is not there, such as one with credentials, nor a bucket.
        if code in ("NoSuchKey", "404"):
            raise unmet from error
        raise


__all__ = [
    "LEAST_PART",
    "PIECE",
    "Conflict",
    "Found",
    "S3Store",
    "Store",
    "part_size",
    "staged",
    "store",
]
