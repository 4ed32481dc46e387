"""Reads of stores, of which the answer is no longer than what was asked for.

fsspec takes the whole of an answer before anybody looks at its length. Over HTTP the file system is made anew here,
with answers that are read up to the range, or ``MOST`` bytes where there is none, and that nothing is unpacked of. On
S3 a range is read as it comes. Local files and memory give what they have. What other file systems read, they decide
themselves.
"""

from __future__ import annotations

import asyncio
import errno
import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from fsspec.asyn import sync
from fsspec.implementations.dirfs import DirFileSystem

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

#: The longest answer over HTTP to what is no range, such as a list, in bytes.
MOST: Final = 16 << 20
#: Requests of one read that are under way at once.
_AT_ONCE: Final = 128


def is_s3(fs: AbstractFileSystem) -> bool:
    """Whether s3fs is behind it."""
    return "s3" in ((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol)


def bounded(fs: AbstractFileSystem) -> AbstractFileSystem:
    """The same file system, in which no web server decides how much memory an answer takes."""
    if isinstance(fs, DirFileSystem):
        below = bounded(fs.fs)
        return fs if below is fs.fs else DirFileSystem(path=fs.path, fs=below)
    try:
        from fsspec.implementations.http import HTTPFileSystem
    except ImportError:
        return fs
    if not isinstance(fs, HTTPFileSystem) or fs.client_kwargs.get("response_class") is _answers():
        return fs
    headers = {**dict(fs.client_kwargs.get("headers") or {}), "Accept-Encoding": "identity"}
    own = {"response_class": _answers(), "auto_decompress": False, "headers": headers}
    return type(fs)(*fs.storage_args, **{**fs.storage_options, "client_kwargs": {**fs.client_kwargs, **own}})


def read(fs: AbstractFileSystem, path: str, start: int, stop: int) -> bytes:
    """Bytes of a file, fewer at its end."""
    [found] = ranges(fs, [path], [start], [stop])
    if isinstance(found, Exception):
        raise found
    return bytes(found)


def ranges(
    fs: AbstractFileSystem, paths: Sequence[str], starts: Sequence[int], stops: Sequence[int]
) -> list[bytes | Exception]:
    """Ranges of several files, or in the place of one what was raised."""
    if isinstance(fs, DirFileSystem):
        return ranges(fs.fs, [fs._join(path) for path in paths], starts, stops)
    if not is_s3(fs):
        return list(fs.cat_ranges(list(paths), list(starts), list(stops)))

    async def all_of() -> list[Any]:
        found = list[Any]()
        asked = list(zip(paths, starts, stops, strict=True))
        for at in range(0, len(asked), _AT_ONCE):
            some = [_range_of_s3(fs, *each) for each in asked[at : at + _AT_ONCE]]
            found += await asyncio.gather(*some, return_exceptions=True)
        return found

    found: list[Any] = sync(fs.loop, all_of)
    for each in found:
        if isinstance(each, BaseException) and not isinstance(each, Exception):
            raise each
    return found


async def _range_of_s3(fs: Any, path: str, start: int, stop: int) -> bytes:
    from s3fs.core import _error_wrapper

    if start >= stop:
        return b""

    async def once() -> bytes:
        return (await _answer_of_s3(fs, path, start, stop))[0]

    return bytes(await _error_wrapper(once, retries=fs.retries))


def s3_ranges(
    fs: Any, path: str, ranges: Sequence[tuple[int, int]], **conditions: str
) -> list[tuple[bytes, dict[str, Any]]]:
    """Ranges of an object of S3, none of them empty, at once, and the answer that each came in; fewer bytes at the
    object's end. They are asked for under ``conditions``, such as ``IfMatch``.
    """

    async def all_of() -> list[tuple[bytes, dict[str, Any]]]:
        asked = (_answer_of_s3(fs, path, start, stop, **conditions) for start, stop in ranges)
        return list(await asyncio.gather(*asked))

    found: list[tuple[bytes, dict[str, Any]]] = sync(fs.loop, all_of)
    return found


async def _answer_of_s3(
    fs: Any, path: str, start: int, stop: int, **conditions: str
) -> tuple[bytes, dict[str, Any]]:
    bucket, key, version = fs.split_path(path)
    of_version = {"VersionId": version} if version else {}
    # By the convention of fsspec, this is the coroutine behind `call_s3`.
    answer = await fs._call_s3(
        "get_object",
        Bucket=bucket,
        Key=key,
        Range=f"bytes={start}-{stop - 1}",
        **of_version,
        **conditions,
        **fs.req_kw,
    )
    return await _body_of(answer, stop - start), answer


async def _body_of(answer: dict[str, Any], most: int) -> bytes:
    """The body of an answer of S3, and no more than shows that it is too much."""
    data = bytearray()
    async with answer["Body"] as body:
        while len(data) <= most and (piece := await body.read(most + 1 - len(data))):
            data += piece
    return bytes(data)


@cache
def _answers() -> Any:
    from aiohttp import ClientResponse

    class Bounded(ClientResponse):
        """An answer over HTTP that is read no further than it may be long."""

        async def read(self) -> bytes:
            if self._body is None:
                try:
                    self._body = await self._read_bounded()
                except BaseException:
                    self.close()
                    raise
            return self._body

        def raise_for_status(self) -> None:
            # Not by aiohttp, whose error shows the whole URL, and is none of the system.
            if self.status >= 400:
                refused = self.status in (401, 403)
                kind, number = (PermissionError, errno.EACCES) if refused else (OSError, errno.EIO)
                raise kind(number, f"the server answers {self.status} {self.reason}")

        async def _read_bounded(self) -> bytes:
            if self.status >= 400:
                # Whoever asks looks at the status.
                self.close()
                return b""
            if self.headers.get("Content-Encoding", "identity") != "identity":
                raise OSError(errno.EIO, "the server packs what it was asked to give as it is")
            most = _asked(self.request_info.headers.get("Range", ""))
            data = bytearray()
            while len(data) <= most and (piece := await self.content.read(most + 1 - len(data))):
                data += piece
            if len(data) > most:
                raise OSError(errno.EIO, f"the server gives more than {most} bytes, which is all that was asked for")
            return bytes(data)

    return Bounded


def _asked(header: str) -> int:
    """The length of the range that a request asks for."""
    found = re.fullmatch(r"bytes=(\d*)-(\d*)", header)
    if found is None or not found[2]:
        return MOST
    return int(found[2]) - int(found[1]) + 1 if found[1] else int(found[2])


__all__ = ["bounded", "is_s3", "ranges", "read", "s3_ranges"]
