"""What jobs ask of a store: versions, reads of one version, and writes that lose no other's.

On S3 a version is an ETag, and the server compares it (``If-Match``, ``If-None-Match``). Elsewhere it is
what fsspec tells of a file, compared after a read and just before a write: a writer that comes in
between is not noticed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from .errors import SourceChanged
from ._directory import Staged

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


class Conflict(Exception):
    """Another writer was there first: what it wrote stays."""


def store(url: str, options: dict[str, Any]) -> tuple[Store, str]:
    """The store of a URL, and the path in it."""
    fs, path = url_to_fs(url, **options)
    if "s3" in ((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol):
        return S3Store(fs), path
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
            raise SourceChanged(f"{path}: changed since the jobs were planned")
        return data

    def put(self, path: str, data: bytes, instead_of: str | None) -> str:
        """Writes a whole object: a new one, or one in the place of that version. Its version."""
        self._expect(path, instead_of)
        self.fs.makedirs(self.fs._parent(path), exist_ok=True)
        sink = staged(self.fs, path, overwrite=instead_of is not None)
        try:
            sink.write(data)
            sink.close()
            self._expect(path, instead_of)
            sink.commit()
        except FileExistsError as error:
            sink.discard()
            raise Conflict(f"{path}: another writer was there first") from error
        except BaseException:
            sink.discard()
            raise
        found = self.now(path)
        assert found is not None
        return found[1]

    def _expect(self, path: str, version: str | None) -> None:
        found = self.now(path)
        if (found and found[1]) != version:
            raise Conflict(f"{path}: another writer was there first")

    def replace_head(self, path: str, head: bytes, size: int, version: str, read: Read) -> str:
        """Writes new first bytes; ``read`` reads the others of that version. Its new version."""
        return self.put(path, head + read(len(head), size), version)


class S3Store(Store):
    """S3, by s3fs, with the conditions that the server checks."""

    parts = True

    def version(self, info: dict[str, Any]) -> str:
        return str(info["ETag"]).strip('"')

    def read(self, path: str, start: int, stop: int, version: str) -> bytes:
        if start == stop:
            return b""
        with _conditions(path, SourceChanged(f"{path}: changed since the jobs were planned")):
            data: bytes = self._get(path, f"bytes={start}-{stop - 1}", version)
        return data

    def _get(self, path: str, range_: str, version: str) -> bytes:
        from fsspec.asyn import sync

        bucket, key, _ = self.fs.split_path(path)

        async def get() -> bytes:
            answer = await self.fs._call_s3("get_object", Bucket=bucket, Key=key, Range=range_, IfMatch=version)
            async with answer["Body"] as body:
                data: bytes = await body.read()
            return data

        found: bytes = sync(self.fs.loop, get)
        return found

    def put(self, path: str, data: bytes, instead_of: str | None) -> str:
        with _conditions(path, Conflict(f"{path}: another writer was there first")):
            answer = self._call("put_object", path, Body=data, **_if(instead_of))
        return str(answer["ETag"]).strip('"')

    def begin(self, path: str) -> str:
        """Begins an object that comes in parts."""
        return str(self._call("create_multipart_upload", path)["UploadId"])

    def part(self, path: str, upload: str, number: int, data: bytes) -> str:
        """Sends a part, and says its ETag. A part that is sent again takes the place of the first."""
        answer = self._call("upload_part", path, UploadId=upload, PartNumber=number, Body=data)
        return str(answer["ETag"])

    def complete(self, path: str, upload: str, etags: list[str], instead_of: str | None) -> str:
        """Makes one object of the parts, which appears now. Its version."""
        parts = [{"PartNumber": number, "ETag": etag} for number, etag in enumerate(etags, 1)]
        with _conditions(path, Conflict(f"{path}: another writer was there first")):
            answer = self._call(
                "complete_multipart_upload", path, UploadId=upload, MultipartUpload={"Parts": parts}, **_if(instead_of)
            )
        return str(answer["ETag"]).strip('"')

    def abort(self, path: str, upload: str) -> None:
        """Forgets the parts, if they are still there."""
        with suppress(OSError):
            self._call("abort_multipart_upload", path, UploadId=upload)

    def replace_head(self, path: str, head: bytes, size: int, version: str, read: Read) -> str:
        """Sends the head and what makes the first part long enough; the server copies the rest."""
        first = max(len(head), LEAST_PART)
        if size <= 2 * LEAST_PART:
            return self.put(path, head + read(len(head), size), version)
        upload = self.begin(path)
        bucket, key, _ = self.fs.split_path(path)
        try:
            etags = [self.part(path, upload, 1, head + read(len(head), first))]
            # A part has at most 5 GiB.
            for start in range(first, size, 4 << 30):
                stop = min(size, start + (4 << 30))
                with _conditions(path, Conflict(f"{path}: another writer was there first")):
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
        return Staged.at(path, overwrite)
    if isinstance(fs, MemoryFileSystem):
        return _Held(fs, path)
    # Not by `open`, which adds it to a transaction.
    return fs._open(path, mode="wb" if overwrite else "xb", autocommit=False, **options)


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


__all__ = ["LEAST_PART", "TELLS_VERSIONS", "Conflict", "S3Store", "Store", "staged", "store"]
