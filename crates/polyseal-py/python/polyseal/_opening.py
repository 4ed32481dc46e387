"""Opening stored files: ``Opener`` says which bytes are wanted, and here they are fetched.

Which version of a file it is, ``Version`` tells by one rule, for every store: by its entity tag if there is
one, otherwise by all else that the store tells of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from ._os_errors import store_error
from ._polyseal import Opener, Version

if TYPE_CHECKING:
    from ._polyseal import Payload
    from ._key_set import KeySetArgs

    #: Fetches ranges of one file at once.
    Fetch = Callable[[Sequence[tuple[int, int]]], Sequence[bytes]]

#: The size of most headers in bytes.
HEADER_SIZE: Final = 4096
#: The names by which stores tell an entity tag, and what else changes with a file.
_TAGS: Final = ("ETag", "etag")
_MARKS: Final = (
    *("VersionId", "version_id", "generation", "mtime", "ino", "created"),
    *("LastModified", "last_modified", "modified"),
)


def version_of(info: dict[str, Any]) -> Version:
    """The version of a stored file that fsspec tells of."""
    tags = [str(info[each]) for each in _TAGS if info.get(each) is not None]
    told = [info[each] for each in _MARKS if info.get(each) is not None]
    # Memory has its times as numbers in lists, and as dates elsewhere.
    marks = [str(each.timestamp() if hasattr(each, "timestamp") else each) for each in told]
    return Version(info.get("stored_size", info["size"]), tags[0] if tags else None, marks)


def too_few(name: str, given: int, asked: int) -> OSError:
    """A store gave another number of bytes than it was asked for."""
    return store_error(f"the store gave {given} of {asked} bytes", name)


def opened(opener: Opener, fetch: Fetch, key_set: KeySetArgs) -> tuple[Payload, int, bytes]:
    """The payload; and the stored bytes of its end that have been fetched, with where they begin."""
    while ranges := opener.wanted(**key_set):
        for (start, stop), stored in zip(ranges, fetch(ranges), strict=True):
            opener.take(start, stop, stored)
    return opener.payload()


__all__ = ["HEADER_SIZE", "opened", "too_few", "version_of"]
