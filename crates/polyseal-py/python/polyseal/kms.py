"""Keys that live elsewhere: in a service, a token, a TPM or a keyring, which is their *keeper* (docs/keys.md).

A *wrapped key file* is public text with a key that only its keeper can unwrap. ``KeyRef("wrapped:/etc/team.wrapped")``
is used like every other key; a process asks the keeper once, however many files it opens. The private key of a
*key pair* never leaves the keeper: its ``recipient`` encrypts without it, and it is asked for each file that is opened.

Where a keeper is and how it is spoken to says the environment: ``AWS_REGION``, ``VAULT_ADDR``, ``PKCS11_MODULE``.
What the keeper refuses, and one that is not reached, is ``KeyUnavailable``; a file that was altered, and what is not
configured, is a ``ValueError``. Ctrl-C waits until the keeper has answered.

Whoever can write a wrapped key file chooses the key.
"""

from __future__ import annotations

import base64
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Union

from . import _polyseal, keys
from ._polyseal import inspect_wrapped_key, make_key_pair, make_wrapped_key, rewrap_key, unwrap_key
from .algorithms import KcXaes256Gcm

if TYPE_CHECKING:
    from pyarrow.parquet.encryption import CryptoFactory

    #: A path, or the contents of a file.
    File = Union[str, os.PathLike[str], bytes]

#: The longest text that Parquet keeps for a key, in characters.
_MAX_PARQUET: Final = 1 << 17


@dataclass(frozen=True, slots=True)
class WrappedKey:
    """The fields of a wrapped key file."""

    #: Which key wraps it.
    uri: str
    #: Names and values that it is bound to; they are no secret.
    context: dict[str, str] = field(hash=False)
    #: Which of its keys or versions the keeper said it used.
    key_id: str | None
    #: The recipient of the key pair that it is sealed to, if it is.
    recipient: str | None


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A key pair whose private key stays with its keeper."""

    #: The contents of an identity file, which is not secret: ``identity=pair.identity.encode()``.
    identity: str
    #: The recipient to encrypt to, without the keeper: ``recipients=pair.recipient``.
    recipient: str


def generate(uri: str, context: Mapping[str, str] | None = None) -> str:
    """Makes a key, and gives the contents of its wrapped key file.

    >>> with open("team.wrapped", "x") as file:  # doctest: +SKIP
    ...     file.write(generate("secret-service:service=backup"))
    """
    text, _ = make_wrapped_key(uri, list((context or {}).items()))
    return text


def rewrap(file: File) -> str:
    """The contents of a file with the same key, wrapped with the newest version of the keeper's. Encrypted files are
    neither read nor changed.
    """
    return rewrap_key(_contents(file))


def check(file: File) -> WrappedKey:
    """The fields of a wrapped key file, once its keeper has unwrapped the key. It is asked anew."""
    contents = _contents(file)
    unwrap_key(contents, anew=True)
    return inspect(contents)


def inspect(file: File) -> WrappedKey:
    """The fields of a wrapped key file. Nobody is asked, and nothing is checked."""
    uri, context, key_id, recipient = inspect_wrapped_key(_contents(file))
    return WrappedKey(uri, dict(context), key_id, recipient)


def key_pair(uri: str) -> KeyPair:
    """The key pair of a token, which is made there if it has none of the name."""
    return KeyPair(*make_key_pair(uri))


def forget() -> None:
    """Wipes the keys that this process has unwrapped: the next use asks their keepers."""
    _polyseal.forget_keys()
    keys._stored.clear()


def _contents(file: File) -> bytes:
    contents = keys.contents_of(file)
    return keys._contents(os.fsdecode(file)) if contents is None else contents


class ParquetKeys:
    """The logic of ``ParquetKmsClient``, without pyarrow.

    ``keys`` has the URIs of keys by the names that Parquet calls them: pyarrow takes no colon and no semicolon in the
    names of the keys of columns. Only these keys are used then, whatever a file names. Without ``keys``, the names
    are URIs.

    A client asks a keeper once to write with a key, and once for each writer of what is read.
    """

    def __init__(self, config: Any = None, keys: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._keys = dict(keys) if keys is not None else None
        self._made: dict[str, tuple[str, KcXaes256Gcm]] = {}
        self._lock = threading.Lock()

    def _uri(self, name: str) -> str:
        if self._keys is None:
            return name
        if name not in self._keys:
            raise ValueError(f"the master key {name!r} is none of those that were given: {sorted(self._keys)}")
        return self._keys[name]

    def wrap_key(self, key_bytes: bytes, master_key_identifier: str) -> str:
        """The text that Parquet keeps for a key."""
        with self._lock:
            made = self._made.get(master_key_identifier)
            if made is None:
                text, key = make_wrapped_key(self._uri(master_key_identifier), [])
                made = self._made[master_key_identifier] = (text, KcXaes256Gcm(key))
        text, cipher = made
        sealed = cipher.seal(key_bytes, _bound(master_key_identifier))
        return json.dumps({"polyseal-parquet-key": 1, "key": text, "sealed": base64.b64encode(sealed).decode()})

    def unwrap_key(self, wrapped_key: str | bytes, master_key_identifier: str) -> bytes:
        """The key in such a text, which is somebody else's."""
        text, sealed = _parsed(wrapped_key)
        named = inspect_wrapped_key(text)[0]
        if named != self._uri(master_key_identifier).partition("?")[0]:
            raise ValueError(f"the file names another key than {master_key_identifier!r} is: {named}")
        return KcXaes256Gcm(unwrap_key(text)).open(sealed, _bound(master_key_identifier))


def _bound(name: str) -> bytes:
    return b"polyseal-parquet-key-1 " + name.encode()


def _parsed(wrapped: str | bytes) -> tuple[bytes, bytes]:
    try:
        if len(wrapped) > _MAX_PARQUET:
            raise ValueError
        fields = json.loads(wrapped)
        if fields["polyseal-parquet-key"] != 1:
            raise ValueError
        return fields["key"].encode(), base64.b64decode(fields["sealed"], validate=True)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise ValueError("not a key that ParquetKmsClient has wrapped") from None


def parquet_kms(keys: Mapping[str, str] | None = None) -> CryptoFactory:
    """A factory for pyarrow's encryption of Parquet, with keys by name: see ``ParquetKeys``.

    >>> factory = parquet_kms({"pii": "secret-service:service=parquet"})  # doctest: +SKIP
    >>> factory.file_encryption_properties(connection, configuration)  # doctest: +SKIP
    """
    from pyarrow.parquet.encryption import CryptoFactory

    client = _parquet_client()
    return CryptoFactory(lambda config: client(config, keys))


def _parquet_client() -> Any:
    found = globals().get("ParquetKmsClient")
    if found is None:
        from pyarrow.parquet.encryption import KmsClient

        found = type("ParquetKmsClient", (ParquetKeys, KmsClient), {"__doc__": ParquetKeys.__doc__, "__module__": __name__})
        globals()["ParquetKmsClient"] = found
    return found


def __getattr__(name: str) -> Any:
    # Only who asks for it needs pyarrow.
    if name == "ParquetKmsClient":
        return _parquet_client()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "KeyPair",
    "ParquetKeys",
    "WrappedKey",
    "check",
    "forget",
    "generate",
    "inspect",
    "key_pair",
    "parquet_kms",
    "rewrap",
]
