"""What goes wrong. Every exception can be pickled, and none is worth a retry."""

from __future__ import annotations

from typing import ClassVar


class PolysealError(Exception):
    """The base of all exceptions of this package."""

    #: Trying again changes nothing. Layers that retry ask for this.
    retryable: ClassVar[bool] = False


class InvalidTag(PolysealError):
    """A message is not the one that was sealed, or not under this key, nonce and associated data."""

    def __init__(self, message: str = "the message is not authentic") -> None:
        super().__init__(message)


class NoMatchingKey(PolysealError):
    """None of the keys opens the file."""


class WrongPassphrase(PolysealError):
    """The passphrase does not open the file."""


class ContextMismatch(PolysealError):
    """The file is bound to another context, or to one where none was given, or the reverse."""


class HeaderError(PolysealError):
    """Not a Polyseal file, or one whose header has been damaged or altered."""


class SourceChanged(PolysealError):
    """A part of another version of the source, or of another plaintext, was to be sealed."""


class CorruptSegment(PolysealError, OSError):
    """A segment of a file is not authentic: the file has been altered, cut short or extended.

    >>> error = CorruptSegment(3, False)
    >>> error.index, error.last
    (3, False)
    """

    #: The number of the segment from 0; ``None`` where the length alone shows that it is wrong.
    index: int | None
    #: Whether it is the last segment: then the file may have been cut short or extended.
    last: bool

    def __init__(self, index: int | None, last: bool, message: str | None = None) -> None:
        self._text = message or f"segment {index} is not authentic: the file has been altered"
        super().__init__(self._text)
        self.index = index
        self.last = last

    def __str__(self) -> str:
        return self._text

    def __reduce__(self) -> tuple[type[CorruptSegment], tuple[int | None, bool, str]]:
        return type(self), (self.index, self.last, self._text)


class LimitExceeded(PolysealError, ValueError):
    """More than a key or an algorithm may be used for."""


__all__ = [
    "ContextMismatch",
    "CorruptSegment",
    "HeaderError",
    "InvalidTag",
    "LimitExceeded",
    "NoMatchingKey",
    "PolysealError",
    "SourceChanged",
    "WrongPassphrase",
]
