"""Keys by reference: where a key is, instead of the key.

A reference is text, such as ``file:/etc/backup.key``. It can be pickled, printed and sent to other
processes and machines, each of which resolves it by itself. Nothing else of this package that has to
do with keys can.
"""

from __future__ import annotations

import os
import re
from importlib.metadata import entry_points
from pathlib import Path
from typing import Callable, Final

from ._polyseal import SecretKey, has_secret, key_of_file, unwrap_key
from .errors import KeyUnavailable

#: The group of entry points that add schemes: functions from what follows the colon to a key.
ENTRY_POINTS: Final = "polyseal.keys"
#: Not the text of a key file, which has a colon in its comments.
_SCHEME: Final = re.compile("[a-z][a-z0-9+.-]*")
#: The longest key file in bytes.
_MAX_FILE_BYTES: Final = 64 * 1024


def contents_of(value: object) -> bytes | None:
    """The bytes of ``value``, if it is bytes, and not many-byte items or anything else that ``bytes`` takes."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        return None
    if memoryview(value).itemsize != 1:
        raise TypeError("a memoryview of bytes has items of one byte")
    return bytes(value)


class KeyRef:
    """Where a key is.

    ``file:/path``
        a key file, as ``polyseal keygen`` writes it
    ``credential:name``
        a key file that systemd passes to a service, in ``$CREDENTIALS_DIRECTORY``
    ``env:NAME``
        an environment variable with the text of a key file
    ``wrapped:/path``, ``wrapped:s3://bucket/name``
        a wrapped key file, also in a store that fsspec knows. The first use in a process asks the
        keeper of the key (see ``polyseal.kms``), and reads the store
    ``scheme:…``
        what a package brings with an entry point of the group ``polyseal.keys``: a function that
        takes what follows the colon, and returns a ``SecretKey`` or the bytes of a key

    >>> KeyRef("env:BACKUP_KEY")
    KeyRef('env:BACKUP_KEY')
    >>> import pickle
    >>> pickle.loads(pickle.dumps(KeyRef("env:BACKUP_KEY"))) == KeyRef("env:BACKUP_KEY")
    True
    """

    __slots__ = ("_uri",)

    _uri: str

    def __init__(self, uri: str) -> None:
        if not isinstance(uri, str):
            raise TypeError(f"a reference to a key is text, such as 'file:/etc/backup.key', not {type(uri).__name__}")
        if has_secret(uri):
            raise ValueError("this is a key, not a reference to one: use SecretKey.from_key_file")
        scheme, colon, rest = uri.partition(":")
        if not colon or not _SCHEME.fullmatch(scheme) or not rest:
            raise ValueError("a reference to a key is 'file:/path', 'credential:name', 'env:NAME' or alike")
        if scheme == "credential" and (os.sep in rest or rest in (".", "..")):
            raise ValueError(f"a credential is named, and has no path: {rest!r}")
        object.__setattr__(self, "_uri", uri)

    @property
    def uri(self) -> str:
        """The reference as text."""
        return self._uri

    def resolve(self) -> SecretKey:
        """The key, read anew each time. A wrapped one is unwrapped once in a process.

        Raises ``KeyUnavailable`` if it cannot be had, or if what is there is no key.
        """
        scheme, _, rest = self._uri.partition(":")
        try:
            return _resolver(scheme)(rest)
        except Exception as error:  # a package's scheme may raise anything
            raise KeyUnavailable.because(self._uri, error) from error

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a KeyRef does not change")

    def __repr__(self) -> str:
        return f"KeyRef({self._uri!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeyRef) and self._uri == other._uri

    def __hash__(self) -> int:
        return hash((KeyRef, self._uri))

    def __reduce__(self) -> tuple[type[KeyRef], tuple[str]]:
        return KeyRef, (self._uri,)


def _contents(path: str) -> bytes:
    with Path(path).expanduser().open("rb", buffering=0) as file:
        # A byte more, so that what is too long is seen to be.
        return file.read(_MAX_FILE_BYTES + 1) or b""


def _file(path: str) -> SecretKey:
    return key_of_file(_contents(path))


#: The wrapped key files of stores that this process has read.
_stored: Final[dict[str, bytes]] = {}


def _wrapped(place: str) -> SecretKey:
    if "://" not in place:
        return unwrap_key(_contents(place))
    contents = _stored.get(place)
    if contents is None:
        from fsspec.core import url_to_fs

        from ._bounds import bounded, read
        from ._os_errors import path_errors

        fs, path = url_to_fs(place)
        with path_errors(place):
            contents = read(bounded(fs), path, 0, _MAX_FILE_BYTES + 1)
    key = unwrap_key(contents)
    # Not before: what gives no key is read again.
    _stored[place] = contents
    return key


def _credential(name: str) -> SecretKey:
    directory = os.environ.get("CREDENTIALS_DIRECTORY")
    if directory is None:
        raise LookupError("CREDENTIALS_DIRECTORY is not set: this is no service of systemd with credentials")
    return _file(os.path.join(directory, name))


def _env(name: str) -> SecretKey:
    text = os.environ.get(name)
    if text is None:
        raise LookupError(f"the environment has no variable {name}")
    return key_of_file(text.encode())


_BUILT_IN: Final[dict[str, Callable[[str], SecretKey]]] = {
    "file": _file,
    "credential": _credential,
    "env": _env,
    "wrapped": _wrapped,
}


def _resolver(scheme: str) -> Callable[[str], SecretKey]:
    built_in = _BUILT_IN.get(scheme)
    if built_in is not None:
        return built_in
    for entry_point in entry_points(group=ENTRY_POINTS, name=scheme):
        resolve = entry_point.load()

        def resolved(rest: str) -> SecretKey:
            key = resolve(rest)
            return key if isinstance(key, SecretKey) else SecretKey(key)

        return resolved
    raise LookupError(f"nothing resolves keys of the scheme {scheme!r}: no entry point {ENTRY_POINTS!r} has that name")


__all__ = ["KeyRef"]
