"""Names and URLs as messages show them: no query, which may be a signature, no password, no control character."""

from __future__ import annotations

import os
import re
from typing import Any, Final

from ._polyseal import printable

_WORD: Final = re.compile(r"\S+")
#: A text that is a URL: all of it is, whatever is in it.
_BEGINS: Final = re.compile(r"[\w.+:-]{1,200}://")
#: A URL that was cut already, in a message: it ends there.
_WAS_CUT: Final = re.compile(r"\?…(?=[\s:'\"]|$)")
#: The end of the sentence or the quotation that a URL stands in.
_END: Final = re.compile(r"['\":,;.)>\]]{1,8}$")
_PART: Final = re.compile(r"[/?#]")
_QUERY: Final = re.compile(r"[?#]")


def shown(text: str) -> str:
    """A text in which URLs may stand."""
    return printable(without_secrets(text))


def described(file: Any, state: str) -> str:
    """The ``repr`` of a file that has a name, or none."""
    name = os.fsdecode(file.name) if isinstance(file.name, (bytes, os.PathLike)) else file.name
    named = "" if name is None else f" {shown(str(name))!r}"
    return f"<{type(file).__name__}{named}: {state}>"


def without_secrets(text: str) -> str:
    """The same with all its characters."""
    if _BEGINS.match(text) and not _WAS_CUT.search(text):
        return _cut(text)
    return _WORD.sub(lambda word: _cut(word[0]), text)


def _cut(text: str) -> str:
    """A text without blanks, or a URL, in one pass: who sends an error chooses how long it is."""
    first, *rest = text.split("://")
    kept = [first]
    for part in rest:
        begins = _PART.search(part)
        end = begins.start() if begins else len(part)
        user = part.rfind("@", 0, end)
        part = part if user < 0 else "…" + part[user:]
        query = _QUERY.search(part)
        if query:
            ends = _END.search(text[-8:])
            kept.append(f"{part[: query.start()]}?…{ends[0] if ends else ''}")
            break
        kept.append(part)
    return "://".join(kept)


def cleaned(error: BaseException) -> BaseException:
    """The error, and all that it comes from, without what URLs hide. A cause that shows it nevertheless is left out."""
    seen = set[int]()
    waiting = [error]
    while waiting:
        each = waiting.pop()
        seen.add(id(each))
        _clean(each)
        for name in ("__cause__", "__context__"):
            below = getattr(each, name)
            if below is None or id(below) in seen:
                continue
            _clean(below)
            if _shows(below):
                setattr(each, name, None)
            else:
                waiting.append(below)
    return error


def _clean(error: BaseException) -> None:
    for name in ("filename", "filename2", "strerror"):
        value = getattr(error, name, None)
        if isinstance(value, str) and value != without_secrets(value):
            setattr(error, name, without_secrets(value))
    args = tuple(_without_secrets_in(each) for each in error.args)
    if any(one is not other for one, other in zip(args, error.args)):
        error.args = args


def _without_secrets_in(arg: object) -> object:
    text = arg if isinstance(arg, str) else repr(arg)
    again = without_secrets(text)
    return arg if again == text else again


def _shows(error: BaseException) -> bool:
    return any(text != without_secrets(text) for text in (str(error), repr(error)))


__all__ = ["cleaned", "described", "shown", "without_secrets"]
