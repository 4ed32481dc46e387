"""The mark of what a job writes, by which the same job knows it if a task of it is run again.

A mark is metadata of an object, or an extended attribute of a file. Whoever may read the object can read its mark,
and whoever may write to the store can give that to another object. So it proves nothing by itself: it is a MAC
(HMAC-SHA-256), and is compared after every byte of what is there has been read.

There are two kinds:

``whole``
    over the operation, the name, the size and version of the source, and all bytes that are stored, and so their
    number. Whoever has the plan's secret can check it, and needs no other key.
``begun``
    of what a store takes in parts: its mark is given before the parts are known. It is over the same, with the
    encrypted file's header in the place of the stored bytes (nothing, if plaintext is stored). The header commits to
    the file key, so the rest is checked by opening it: see ``_Worker`` in ``jobs``.

The MAC's key is a secret of the plan: 32 random bytes that travel with its tasks, and are not stored. It is not
derived from a file key, because a worker may have none: it encrypts for recipients, and cannot open what it has
made. What that costs: whoever reads the queue of tasks, and may write to the target, can make marks. Whoever can
write to that queue can have workers do anything.

A MAC of plaintext tells nobody who lacks the secret what the plaintext is, not even if they guess it.
"""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass, field
from typing import Final

#: The beginning of a mark's text.
_WHOLE: Final = b"whole-"
_BEGUN: Final = b"begun-"


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of one object of a plan."""

    secret: bytes = field(repr=False)
    #: The operation, and the source's name, version and size.
    about: tuple[str, str, str, int]

    def whole(self) -> Whole:
        """Takes the bytes that are stored, and makes a mark of them."""
        return Whole(self._mac(_WHOLE))

    def begun(self, header: bytes) -> str:
        """The mark of an object of which only the header is known."""
        mac = self._mac(_BEGUN)
        mac.update(header)
        return (_BEGUN + mac.hexdigest().encode()).decode()

    def _mac(self, kind: bytes) -> hmac.HMAC:
        # JSON ends where it ends: what follows is none of it. Names need not be Unicode.
        return hmac.new(self.secret, kind + json.dumps(self.about).encode(), "sha256")


class Whole:
    """The mark of an object whose bytes come one after the other."""

    def __init__(self, mac: hmac.HMAC) -> None:
        self._mac = mac

    def update(self, stored: bytes) -> None:
        """More of what is stored."""
        self._mac.update(stored)

    def text(self) -> str:
        """The mark, once all has come."""
        return (_WHOLE + self._mac.hexdigest().encode()).decode()


def is_whole(told: bytes) -> bool:
    """Whether a mark says that it is over all that is stored."""
    return told.startswith(_WHOLE)


def marks_match(mark: str, told: bytes) -> bool:
    """Whether they are one; how long it takes tells nothing of where they differ."""
    return hmac.compare_digest(mark.encode(), told)


__all__ = ["Mark", "Whole", "is_whole", "marks_match"]
