"""Errors of a file system that say of which file they are, with the number that Python has for them.

File systems of fsspec often raise ``FileNotFoundError("name")``, which has neither ``errno`` nor ``filename``.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ._shown import cleaned, without_secrets
from .errors import PolysealError

_NUMBERS: Final[dict[type[Exception], int]] = {
    FileNotFoundError: errno.ENOENT,
    FileExistsError: errno.EEXIST,
    IsADirectoryError: errno.EISDIR,
    NotADirectoryError: errno.ENOTDIR,
    PermissionError: errno.EACCES,
}


def system_error(kind: type[OSError], name: str, why: str | None = None) -> OSError:
    """As the system raises it."""
    number = _NUMBERS[kind]
    return kind(number, why or os.strerror(number), without_secrets(name))


def store_error(why: str, name: str, number: int = errno.EIO) -> OSError:
    """The error for a store's misbehaviour with a file."""
    return OSError(number, why, without_secrets(name))


def with_path(error: Exception, name: str) -> Exception:
    """The error, which says of which file it is, and nothing that a URL hides."""
    cleaned(error)
    if isinstance(error, PolysealError):
        return error.about(name)
    if isinstance(error, OSError) and error.errno is not None:
        if error.filename is None and error.strerror is not None:
            error.filename = without_secrets(name)
        return error
    if type(error) not in _NUMBERS:
        return error
    text = str(error)
    told = without_secrets(name)
    # The path itself says nothing that the file's name does not.
    why = text if text and text.strip("/") not in told and told not in text else None
    again = system_error(type(error), name, why)  # type: ignore[arg-type]
    again.__cause__ = error
    return again


@contextmanager
def path_errors(*names: object) -> Iterator[None]:
    """Errors in this block are of the one of these files that they name, or of the first."""
    try:
        yield
    except Exception as error:
        texts = [str(each) for each in names] or [""]
        told = str(error)
        again = with_path(error, next((each for each in texts if each and each in told), texts[0]))
        if again is error:
            raise
        raise again from error


__all__ = ["path_errors", "store_error", "system_error", "with_path"]
