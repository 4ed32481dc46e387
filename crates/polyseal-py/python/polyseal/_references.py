"""References to keys in place of keys, so that they can be written down and sent."""

from __future__ import annotations

import os
from typing import Any

from ._key_set import KeySetArgs, identity_path, recipient_list, text_or_bytes
from ._polyseal import SecretKey, has_secret
from ._task_keys import expect_allowed
from .keys import KeyRef


def by_reference(key: Any, identity: Any, recipients: Any, context: Any) -> dict[str, Any]:
    """The arguments for opening and for new files, such that all of it can be written down."""

    def several(value: Any) -> list[Any]:
        return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]

    keys = []
    for one in several(key):
        if isinstance(one, (bytes, bytearray, memoryview, SecretKey)):
            raise TypeError("storage options are written down: give a reference to the key, such as 'file:/etc/backup.key'")
        keys.append(one if isinstance(one, KeyRef) else KeyRef(one))
    for one in several(identity):
        if not isinstance(one, (str, os.PathLike)):
            raise TypeError("storage options are written down: give the path of the identity's file")
        identity_path(one)
    recipients = recipient_list(recipients)
    if any(has_secret(one) for one in recipients):
        raise ValueError("storage options are written down: recipients are public, and this is a key")
    text_or_bytes("context", context)
    key_set = {"keys": keys, "identity": several(identity), "recipients": recipients, "context": context}
    return key_set


def references(key_set: dict[str, Any]) -> list[str]:
    """The keys and identities that are referred to, as workers allow them."""
    return [key.uri for key in key_set["keys"]] + [f"identity:{os.fsdecode(path)}" for path in key_set["identity"]]


def resolved(key_set: dict[str, Any]) -> KeySetArgs:
    """With the keys that are referred to, read anew. In a task they must be allowed; outside of one, whoever calls
    has chosen them.
    """
    expect_allowed(references(key_set))
    args: KeySetArgs = {"recipients": key_set["recipients"]}
    if key_set["keys"]:
        args["key"] = [key.resolve() for key in key_set["keys"]]
    if key_set["identity"]:
        args["identity"] = key_set["identity"]
    if key_set["context"] is not None:
        args["context"] = key_set["context"]
    return args


__all__ = ["by_reference", "references", "resolved"]
