"""The exceptions. Every one can be pickled, and none is worth a retry."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple

from ._shown import cleaned, shown, without_secrets

if TYPE_CHECKING:
    from typing import Self

class PolysealError(Exception):
    """The base of all exceptions of this package."""

    #: Trying again changes nothing. Layers that retry ask for this.
    retryable: ClassVar[bool] = False
    #: The file that it is about, if that was given by its name. The text says it, too.
    filename: str | None = None


    def about(self, filename: str) -> Self:
        """This one, that says of which file it is, if it does not yet."""
        if self.filename is None:
            self._say(f"{shown(filename)}: {self}")
            self.filename = without_secrets(filename)
        return self

    def _say(self, text: str) -> None:
        self.args = (text,)


class InvalidTag(PolysealError):
    """A message is not the one that was sealed, or not under this key, nonce and associated data."""

    def __init__(self, message: str = "the message is not authentic") -> None:
        super().__init__(message)


class KeyUnavailable(PolysealError):
    """A key or an identity that was given by reference cannot be had: it is not there, cannot be read, or is no key.
    Its cause says why. It is no ``OSError`` and no ``LookupError``: a store of chunks takes those for a chunk that is
    not there.
    """

    @classmethod
    def because(cls, reference: str, cause: Exception) -> KeyUnavailable:
        """That of a reference, to be raised from its cause."""
        cleaned(cause)
        why = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
        # A keeper's message begins with the URI.
        why = why.removeprefix(f"{reference}: ")
        return cls(f"{shown(reference)}: the key cannot be had: {shown(why)}")


class NoMatchingKey(PolysealError):
    """None of the keys opens the file."""


class WrongPassphrase(PolysealError):
    """The passphrase does not open the file."""


class ContextMismatch(PolysealError):
    """The file is bound to another context, or to one where none was given, or the reverse."""


class HeaderError(PolysealError):
    """Not a Polyseal file, or one whose header has been damaged or altered."""


class NotSignedError(PolysealError):
    """No statement of an allowed signer covers the file: there is none, it is somebody else's, or the file is another one
    than was signed.
    """


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

    def _say(self, text: str) -> None:
        self._text = text

    def __reduce__(self) -> tuple[type[CorruptSegment], tuple[int | None, bool, str], dict[str, Any]]:
        return type(self), (self.index, self.last, self._text), self.__dict__


class LimitExceeded(PolysealError, ValueError):
    """More than a key or an algorithm may be used for."""


class ManifestError(PolysealError):
    """A directory is no sealed tree: it has no manifest, or one that is damaged."""


class TreeMismatch(PolysealError):
    """A path and the manifest of its tree do not agree.

    >>> TreeMismatch("missing").reason
    'missing'
    """

    _MESSAGES: Final = {
        "missing": "it is missing",
        "added": "it is not of this tree: the manifest does not have it",
        "other": "it is authentic, but not the file that the manifest has there",
        "contents": "somebody who can open it has changed its contents",
    }
    #: ``missing``; ``added``, which no manifest has; or ``other``: renamed, swapped, older or newer.
    reason: Literal["missing", "added", "other", "contents"]

    def __init__(self, reason: Literal["missing", "added", "other", "contents"], message: str | None = None) -> None:
        super().__init__(message or self._MESSAGES[reason])
        self.reason = reason

    def __reduce__(self) -> tuple[type[TreeMismatch], tuple[str, str], dict[str, Any]]:
        return type(self), (self.reason, str(self)), self.__dict__


class IncompleteTree(PolysealError):
    """Something of the source is not in a tree, or only as an earlier run has taken it; or an update was interrupted.
    All that is there is authentic. The next ``encrypt_tree(update=True)`` mends it.
    """


class TreeFailure(NamedTuple):
    """A path that failed, from the root of its tree, and why."""

    path: Path
    error: Exception


def _text(path: Path, error: Exception) -> str:
    """The path and the error, which may say the path itself."""
    text = shown(str(error))
    return f"{shown(str(path))}: {text}" if getattr(error, "filename", None) is None else text


class TreeError(PolysealError, ExceptionGroup[Exception]):
    """Some paths of a tree failed, and all others are done. It is an ``ExceptionGroup`` of their errors.

    Names are chosen by whoever can write to the tree: in its text, control characters in them and marks that change
    the direction are spelt out.

    >>> error = TreeError("1 of 2 paths failed", [TreeFailure(Path("a.polyseal"), TreeMismatch("missing"))])
    >>> print(error)
    1 of 2 paths failed: a.polyseal: it is missing
    """

    #: The files that failed, in the order of the tree.
    failures: tuple[TreeFailure, ...]

    def __new__(cls, message: str, failures: Sequence[TreeFailure]) -> TreeError:
        self = super().__new__(cls, message, [each.error for each in failures])
        self.failures = tuple(failures)
        return self

    def __init__(self, message: str, failures: Sequence[TreeFailure]) -> None:
        """``__new__`` has kept the failures."""

    def __str__(self) -> str:
        told = [_text(path, error) for path, error in self.failures[:10]]
        if len(self.failures) > len(told):
            told.append(f"and {len(self.failures) - len(told)} more")
        return f"{self.message}: {'; '.join(told)}"

    def derive(self, errors: Sequence[Exception]) -> TreeError:  # type: ignore[override]
        """Those of the failures that have these errors: ``except*`` asks for them."""
        wanted = {id(each) for each in errors}
        return TreeError(self.message, [each for each in self.failures if id(each.error) in wanted])

    def __reduce__(self) -> tuple[type[TreeError], tuple[str, tuple[TreeFailure, ...]]]:
        return type(self), (self.message, self.failures)


__all__ = [
    "ContextMismatch",
    "CorruptSegment",
    "HeaderError",
    "IncompleteTree",
    "InvalidTag",
    "KeyUnavailable",
    "LimitExceeded",
    "ManifestError",
    "NoMatchingKey",
    "NotSignedError",
    "PolysealError",
    "SourceChanged",
    "TreeError",
    "TreeFailure",
    "TreeMismatch",
    "WrongPassphrase",
]
