"""From the keywords that say who may open a file, to what Rust takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Final, ParamSpec, TypedDict, TypeVar, Union

from ._polyseal import KeySet, SecretKey, identity_of_uri
from .errors import KeyUnavailable
from .keys import KeyRef, is_secret

if TYPE_CHECKING:
    from ._polyseal import Buffer

    Key = Union[SecretKey, KeyRef, str, Buffer]
    Identity = Union[str, os.PathLike[str], bytes]

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: The longest file of identities in bytes.
_MAX_KEYS_FILE_BYTES: Final = 1 << 20
#: How the URI of a key pair begins that is kept elsewhere.
_KEY_PAIRS: Final = "pkcs11:"


class KeySetArgs(TypedDict, total=False):
    """Who may open a file, or with what it is opened.

    key
        A ``SecretKey``, a ``KeyRef`` or its text (``"file:/etc/backup.key"``), or the 32 bytes of a key;
        or several of them. Whoever has one of them opens the file.
    identity
        The path of a file with identities of age or a private SSH key, or its contents as ``bytes``;
        or the URI of a key pair in a token, ``"pkcs11:token=ops;object=restore"``, which takes the PIN also
        in writing; or several. In writing, whoever has one of them can open the file.
    recipients
        Recipients of age: ``age1…``, ``ssh-ed25519 …``. Only in writing.
    passphrase
        A passphrase, alone.
    context
        What the file is bound to, such as its name: whoever opens it must give the same.
    """

    key: Key | Sequence[Key] | None
    identity: Identity | Sequence[Identity] | None
    recipients: str | Iterable[str]
    passphrase: str | Buffer | None
    context: str | Buffer | None


def secret_key(key: Key) -> SecretKey:
    """The key, resolved if it is a reference."""
    if isinstance(key, str):
        key = KeyRef(key)
    if isinstance(key, KeyRef):
        return key.resolve()
    return key if isinstance(key, SecretKey) else SecretKey(key)


def _several(value: object) -> list[object]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def identity_path(identity: object) -> str:
    """The path of an identity; not an identity itself, which the message does not repeat: it may be logged."""
    path = os.fsdecode(identity)  # type: ignore[arg-type]
    if "\n" in path or is_secret(path):
        raise ValueError("this is an identity, not the path of one: give it as bytes")
    if _is_key_pair(identity) and "?" in path:
        raise ValueError("a reference to a key pair has no module and no PIN: PKCS11_MODULE and PKCS11_PIN have them")
    return path


def _is_key_pair(identity: object) -> bool:
    return isinstance(identity, str) and identity.startswith(_KEY_PAIRS)


def _identity(identity: object) -> tuple[bytes, str | None]:
    if isinstance(identity, (bytes, bytearray, memoryview)):
        return bytes(identity), None
    path = identity_path(identity)
    if _is_key_pair(identity):
        try:
            return identity_of_uri(path).encode(), path
        except (KeyUnavailable, ValueError) as error:
            raise KeyUnavailable.because(path, error) from error
    try:
        with Path(path).open("rb", buffering=0) as file:
            return file.read(_MAX_KEYS_FILE_BYTES + 1) or b"", path
    except (OSError, ValueError) as error:
        raise KeyUnavailable.because(path, error) from error


def _bytes(value: object) -> bytes | None:
    if value is None:
        return None
    return value.encode() if isinstance(value, str) else bytes(value)  # type: ignore[call-overload]


def key_set(
    *,
    key: object = None,
    identity: object = None,
    recipients: str | Iterable[str] = (),
    passphrase: str | Buffer | None = None,
    context: str | Buffer | None = None,
) -> KeySet:
    """What Rust takes."""
    return KeySet(
        [secret_key(one) for one in _several(key)],  # type: ignore[arg-type]
        [_identity(one) for one in _several(identity)],
        [recipients] if isinstance(recipients, str) else list(recipients),
        _bytes(passphrase),
        _bytes(context),
    )


def says_keep(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that must be told by ``keep`` what becomes of the recipients that are there."""

    @wraps(function)
    def call(*args: _P.args, **keywords: _P.kwargs) -> _R:
        if "remove_others" in keywords:
            raise TypeError(
                "there is no remove_others: keep=False takes access from those who can open it now, keep=True does not"
            )
        return function(*args, **keywords)

    return call
