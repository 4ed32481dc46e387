"""What jobs ask of a store: versions, reads of one version, and writes that lose no other's.

On S3 a version is an ETag, and the server compares it (``If-Match``, ``If-None-Match``). Elsewhere it is
what fsspec tells of a file, compared after a read and just before a write: a writer that comes in
between is not noticed.

What is written can have a mark: metadata of an S3 object, an extended attribute of a local file. Whoever writes
it again, because nobody told that it had been written, knows it by that.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from ._polyseal import Directory, NewFile, printable
from .errors import SourceChanged

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsspec import AbstractFileSystem

    Read = Callable[[int, int], bytes]

#: What stores tell of a file that changes with it.
TELLS_VERSIONS: Final = (
    *("ETag", "etag", "VersionId", "version_id", "generation", "mtime", "ino", "created"),
    *("LastModified", "last_modified", "modified"),
)
#: What S3 takes for a part that is not the last.
LEAST_PART: Final = 5 << 20
#: Bytes that are worked on at once.
PIECE: Final = 8 << 20
#: The name of the mark.
MARK: Final = "polyseal-task"
#: What S3 tells of an object in the answer to a read, and another object in its place gets. Not its tags, which it
#: tells only if asked for them.
_KEPT: Final = (
    *("CacheControl", "ContentDisposition", "ContentEncoding", "ContentLanguage", "ContentType", "Expires"),
    *("Metadata", "ServerSideEncryption", "SSEKMSKeyId", "StorageClass", "WebsiteRedirectLocation"),
)


class Conflict(Exception):
    """Another writer was there first: what it wrote stays."""


def _conflict(path: str) -> Conflict:
    return Conflict(f"{printable(path)}: another writer was there first")


def _changed(path: str) -> SourceChanged:
    return SourceChanged(f"{printable(path)}: changed since the jobs were planned")


def store(url: str, options: dict[str, Any]) -> tuple[Store, str]:
    """The store of a URL, and the path in it."""
    fs, path = url_to_fs(url, **options)
    if "s3" in ((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol):
        return S3Store(fs), path
    if isinstance(fs, LocalFileSystem):
        return LocalStore(fs, path), path
    return Store(fs), path


class Store:
    """Any fsspec file system."""

    #: Whether it takes an object in parts that several processes send.
    parts: bool = False

    def __init__(self, fs: AbstractFileSystem) -> None:
        self.fs = fs

    def find(self, path: str) -> dict[str, dict[str, Any]]:
        """What is below ``path``, or ``path`` itself: names and what is told of them."""
        self.fs.invalidate_cache()
        found: dict[str, dict[str, Any]] = self.fs.find(path, detail=True)
        return found

    def version(self, info: dict[str, Any]) -> str:
        """What tells one version of a file from another; empty if the store tells nothing of the kind."""
        told = [info[each] for each in TELLS_VERSIONS if info.get(each) is not None]
        if not told:
            return ""
        told.insert(0, info["size"])
        # Memory has its times as numbers in lists, and as dates elsewhere.
        return "-".join(str(each.timestamp() if hasattr(each, "timestamp") else each) for each in told)

    def now(self, path: str) -> tuple[int, str] | None:
        """The size and version; nothing where nothing is."""
        self.fs.invalidate_cache(self.fs._parent(path))
        try:
            info = self.fs.info(path)
        except FileNotFoundError:
            return None
        return info["size"], self.version(info)

    def read(self, path: str, start: int, stop: int, version: str) -> bytes:
        """Bytes of that version, or ``SourceChanged``."""
        data = bytes(self.fs.cat_file(path, start=start, end=stop))
        found = self.now(path)
        if found is None or found[1] != version or len(data) != stop - start:
            raise _changed(path)
        return data

    def first(self, path: str, start: int, stop: int, version: str) -> tuple[bytes, dict[str, Any]]:
        """The same, and what else the store tells of the object that another of its name should have, too."""
        return self.read(path, start, stop, version), {}

    def put(
        self,
        path: str,
        pieces: Iterable[bytes],
        instead_of: str | None,
        mark: str,
        attributes: dict[str, Any] | None = None,
    ) -> str:
        """Writes a whole object, of which one piece is in memory: a new one, or one in the place of that version.
        Its version.
        """
        self._expect(path, instead_of)
        sink = self._new(path, overwrite=instead_of is not None)
        try:
            for piece in pieces:
                sink.write(piece)
            if isinstance(sink, NewFile):
                sink.mark(MARK, mark)
            sink.close()
            self._expect(path, instead_of)
            sink.commit()
        except FileExistsError as error:
            sink.discard()
            raise _conflict(path) from error
        except BaseException:
            sink.discard()
            raise
        found = self.now(path)
        assert found is not None
        return found[1]

    def marked(self, path: str, mark: str) -> str | None:
        """The version of what is there, if it has that mark."""
        return None

    def _new(self, path: str, *, overwrite: bool) -> Any:
        """A file to write, which appears when it is committed."""
        self.fs.makedirs(self.fs._parent(path), exist_ok=True)
        return staged(self.fs, path, overwrite=overwrite)

    def _expect(self, path: str, version: str | None) -> None:
        found = self.now(path)
        if (found and found[1]) != version:
            raise _conflict(path)

    def replace_head(
        self, path: str, head: bytes, size: int, version: str, read: Read, mark: str, attributes: dict[str, Any]
    ) -> str:
        """Writes new first bytes; ``read`` reads the others of that version. Its new version."""
        return self.put(path, _with_head(head, size, read), version, mark, attributes)


def _with_head(head: bytes, size: int, read: Read) -> Iterator[bytes]:
    yield head
    for start in range(len(head), size, PIECE):
        yield read(start, min(size, start + PIECE))


class LocalStore(Store):
    """Local files. The directory is opened once, and what is beneath it is reached through no link: whoever can
    write there cannot let another file be read or written.
    """

    def __init__(self, fs: AbstractFileSystem, root: str) -> None:
        super().__init__(fs)
        self._root = root
        self._lock = threading.Lock()
        self._opened: Directory | None = None

    def _beneath(self, path: str) -> str:
        """The path beneath the root; empty if that is the file itself."""
        return path.removeprefix(self._root.rstrip("/")).removeprefix("/")

    def _directory(self) -> Directory:
        with self._lock:
            if self._opened is None:
                self._opened = Directory(self._root)
            return self._opened

    @contextmanager
    def _open(self, path: str) -> Iterator[int]:
        beneath = self._beneath(path)
        fd = self._directory().file(beneath) if beneath else os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            yield fd
        finally:
            os.close(fd)

    def _version(self, fd: int) -> tuple[int, str]:
        """As fsspec tells of it."""
        there = os.fstat(fd)
        told = {"size": there.st_size, "created": there.st_ctime, "mtime": there.st_mtime, "ino": there.st_ino}
        return there.st_size, self.version(told)

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

    def marked(self, path: str, mark: str) -> str | None:
        with suppress(OSError, AttributeError), self._open(path) as fd:
            if os.getxattr(fd, f"user.{MARK}") == mark.encode():
                return self._version(fd)[1]
        return None

    def _new(self, path: str, *, overwrite: bool) -> NewFile:
        beneath = self._beneath(path)
        if not beneath:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            return NewFile(path, overwrite)
        os.makedirs(self._root, exist_ok=True)
        return self._directory().new_file(beneath, overwrite)


class S3Store(Store):
    """S3, by s3fs, with the conditions that the server checks."""

    parts = True

    def version(self, info: dict[str, Any]) -> str:
        return str(info["ETag"]).strip('"')

    def read(self, path: str, start: int, stop: int, version: str) -> bytes:
        return self.first(path, start, stop, version)[0] if start < stop else b""

    def first(self, path: str, start: int, stop: int, version: str) -> tuple[bytes, dict[str, Any]]:
        if start == stop:
            return b"", {}
        with _conditions(path, _changed(path)):
            return self._get(path, f"bytes={start}-{stop - 1}", version)

    def _get(self, path: str, range_: str, version: str) -> tuple[bytes, dict[str, Any]]:
        from fsspec.asyn import sync

        bucket, key, _ = self.fs.split_path(path)

        async def get() -> tuple[bytes, dict[str, Any]]:
            answer = await self.fs._call_s3("get_object", Bucket=bucket, Key=key, Range=range_, IfMatch=version)
            async with answer["Body"] as body:
                data: bytes = await body.read()
            return data, {name: answer[name] for name in _KEPT if answer.get(name)}

        found: tuple[bytes, dict[str, Any]] = sync(self.fs.loop, get)
        return found

    def put(
        self,
        path: str,
        pieces: Iterable[bytes],
        instead_of: str | None,
        mark: str,
        attributes: dict[str, Any] | None = None,
    ) -> str:
        """As everywhere; an object that is longer than a part goes up in parts."""
        arguments = _marked(attributes, mark)
        parts = _parts(pieces)
        first, second = next(parts, b""), next(parts, None)
        if second is None:
            with _conditions(path, _conflict(path)):
                answer = self._call("put_object", path, Body=first, **arguments, **_if(instead_of))
            return str(answer["ETag"]).strip('"')
        upload = self.begin(path, mark, attributes)
        try:
            etags = [self.part(path, upload, n, data) for n, data in enumerate(chain([first, second], parts), 1)]
            return self.complete(path, upload, etags, instead_of)
        except BaseException:
            self.abort(path, upload)
            raise

    def marked(self, path: str, mark: str) -> str | None:
        try:
            answer = self._call("head_object", path)
        except FileNotFoundError:
            return None
        return str(answer["ETag"]).strip('"') if answer.get("Metadata", {}).get(MARK) == mark else None

    def begin(self, path: str, mark: str, attributes: dict[str, Any] | None = None) -> str:
        """Begins an object that comes in parts."""
        return str(self._call("create_multipart_upload", path, **_marked(attributes, mark))["UploadId"])

    def part(self, path: str, upload: str, number: int, data: bytes) -> str:
        """Sends a part, and says its ETag. A part that is sent again takes the place of the first."""
        answer = self._call("upload_part", path, UploadId=upload, PartNumber=number, Body=data)
        return str(answer["ETag"])

    def complete(self, path: str, upload: str, etags: list[str], instead_of: str | None) -> str:
        """Makes one object of the parts, which appears now. Its version."""
        parts = [{"PartNumber": number, "ETag": etag} for number, etag in enumerate(etags, 1)]
        with _conditions(path, _conflict(path)):
            answer = self._call(
                "complete_multipart_upload", path, UploadId=upload, MultipartUpload={"Parts": parts}, **_if(instead_of)
            )
        return str(answer["ETag"]).strip('"')

    def abort(self, path: str, upload: str) -> None:
        """Forgets the parts, if they are still there."""
        with suppress(OSError):
            self._call("abort_multipart_upload", path, UploadId=upload)

    def replace_head(
        self, path: str, head: bytes, size: int, version: str, read: Read, mark: str, attributes: dict[str, Any]
    ) -> str:
        """Sends the head and what makes the first part long enough; the server copies the rest."""
        first = max(len(head), LEAST_PART)
        if size <= 2 * LEAST_PART:
            return self.put(path, _with_head(head, size, read), version, mark, attributes)
        upload = self.begin(path, mark, attributes)
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


class _Held(io.BytesIO):
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
        return _Held(fs, path)
    # Not by `open`, which adds it to a transaction.
    return fs._open(path, mode="wb" if overwrite else "xb", autocommit=False, **options)


def _marked(attributes: dict[str, Any] | None, mark: str) -> dict[str, Any]:
    """The arguments that give an object these attributes, and the mark."""
    kept = dict(attributes or {})
    return {**kept, "Metadata": {**kept.get("Metadata", {}), MARK: mark}}


def _parts(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces, joined to parts that S3 takes; longer ones from the 1,000th on, as there are at most 10,000."""
    held, size, made = list[bytes](), 0, 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= PIECE << (made // 1000):
            yield b"".join(held)
            held, size, made = [], 0, made + 1
    if held or not made:
        yield b"".join(held)


def _if(version: str | None) -> dict[str, str]:
    return {"IfNoneMatch": "*"} if version is None else {"IfMatch": version}


@contextmanager
def _conditions(path: str, unmet: Exception) -> Iterator[None]:
    """Turns what the server says of an unmet condition into ``unmet``."""
    try:
        yield
    except OSError as error:
        # s3fs keeps botocore's error as the cause, or tells its code in the message only.
        cause: Any = error.__cause__
        answer = getattr(cause, "response", {})
        status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode")
        code = answer.get("Error", {}).get("Code")
        if status in (409, 412) or code in ("PreconditionFailed", "ConditionalRequestConflict"):
            raise unmet from error
        if isinstance(error, FileNotFoundError) and (isinstance(unmet, SourceChanged) or code == "NoSuchKey"):
            raise unmet from error
        raise


__all__ = ["LEAST_PART", "PIECE", "TELLS_VERSIONS", "Conflict", "S3Store", "Store", "staged", "store"]
