"""Names and URLs as messages show them: no query, which may be a signature, no password, no control character."""

from __future__ import annotations

import re
from typing import Final

from ._polyseal import printable

_USER: Final = re.compile(r"(?<=://)[^/?#\s'\"]*@")
#: A text that is a URL: its query goes to the end, whatever is in it. One that has been cut is a message by now.
_URL: Final = re.compile(r"([\w.+:-]+://[^?#]*)[?#](?!…).*", re.DOTALL)
_QUERY: Final = re.compile(r"(://[^?#\s'\"]*)[?#](?!…)[^\s'\"]*")


def shown(text: str) -> str:
    """A text in which URLs may stand."""
    return printable(without_secrets(text))


def without_secrets(text: str) -> str:
    """The same with all its characters."""
    text = _USER.sub("…@", text)
    whole = _URL.fullmatch(text)
    return f"{whole[1]}?…" if whole else _QUERY.sub(r"\1?…", text)


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


__all__ = ["cleaned", "shown", "without_secrets"]
