"""From the keywords that say who may open a file, to what Rust takes."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar, Union

from ._polyseal import KeySet, SecretKey, has_secret, identity_of_uri
from .errors import KeyUnavailable, NoMatchingKey
from .keys import KeyRef, contents_of

if TYPE_CHECKING:
    from ._polyseal import Buffer

    Key = Union[SecretKey, KeyRef, str, Buffer]
    Identity = Union[str, os.PathLike[str], bytes]
    Text = Union[str, bytes, bytearray, memoryview]

#: The longest file of identities in bytes.
_MAX_KEYS_FILE_BYTES: Final = 1 << 20
#: How the URI of a key pair begins that is kept elsewhere.
_KEY_PAIRS: Final = "pkcs11:"


class KeySetArgs(TypedDict, total=False):
    """The keys that open a file, or that may open it.

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
    passphrase: Text | None
    context: Text | None


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
    if "\n" in path or has_secret(path):
        raise ValueError("this is an identity, not the path of one: give it as bytes")
    if _is_key_pair(identity) and "?" in path:
        raise ValueError("a reference to a key pair has no module and no PIN: PKCS11_MODULE and PKCS11_PIN have them")
    return path


def _is_key_pair(identity: object) -> bool:
    return isinstance(identity, str) and identity.startswith(_KEY_PAIRS)


def _identity(identity: object) -> tuple[bytes, str | None]:
    contents = contents_of(identity)
    if contents is not None:
        return contents, None
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


def text_or_bytes(name: str, value: object) -> bytes | None:
    """The bytes of what is text or bytes. No message repeats it: it may be a secret. ``bytes`` would make zeros of a
    number, as many as it says.
    """
    if value is None:
        return None
    try:
        found = value.encode() if isinstance(value, str) else contents_of(value)
    except UnicodeEncodeError:
        raise ValueError(f"the {name} is not text in Unicode: give its bytes") from None
    if found is None:
        raise TypeError(f"the {name} is text or bytes, not {type(value).__name__}")
    return found


def recipient_list(recipients: object) -> list[str]:
    """Recipients as a list."""
    if isinstance(recipients, str):
        return [recipients]
    listed = None if contents_of(recipients) is not None or not isinstance(recipients, Iterable) else list(recipients)
    if listed is None or not all(isinstance(each, str) for each in listed):
        raise TypeError("recipients are text, such as 'age1…', or several of such")
    return listed


def key_set(
    *,
    key: Key | Sequence[Key] | None = None,
    identity: Identity | Sequence[Identity] | None = None,
    recipients: str | Iterable[str] = (),
    passphrase: Text | None = None,
    context: Text | None = None,
) -> KeySet:
    """The key set that Rust takes."""
    return KeySet(
        [secret_key(one) for one in _several(key)],  # type: ignore[arg-type]
        [_identity(one) for one in _several(identity)],
        recipient_list(recipients),
        text_or_bytes("passphrase", passphrase),
        text_or_bytes("context", context),
    )


def _has_one(key_args: dict[str, Any], *names: str) -> bool:
    return any(_several(key_args.get(name)) for name in names)


def sealing_keys(**key_args: Any) -> KeySet:
    """The same for a new file, which must be for somebody."""
    whose = key_set(**key_args)
    if not _has_one(key_args, "key", "identity", "recipients", "passphrase"):
        raise ValueError("no key was given: key, identity, recipients or passphrase say who can open the file")
    return whose


def opening_keys(**key_args: Any) -> KeySet:
    """The same of what opens a file, which must be something."""
    whose = key_set(**key_args)
    if not _has_one(key_args, "key", "identity", "passphrase"):
        raise NoMatchingKey("no key was given: key, identity or passphrase opens a file")
    return whose


_Function = TypeVar("_Function", bound=Callable[..., Any])
#: The parameters for which ``**key_args: Unpack[KeySetArgs]`` stands.
_PARAMETERS: Final = tuple(inspect.signature(key_set).parameters.values())


def shows_keys(function: _Function) -> _Function:
    """Names the keywords that ``**key_args`` takes, for ``help`` and for notebooks."""
    found = inspect.signature(function)
    *own, _ = found.parameters.values()
    function.__signature__ = found.replace(parameters=[*own, *_PARAMETERS])  # type: ignore[attr-defined]
    return function
