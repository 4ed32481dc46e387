"""The same bytes as `cryptography` and libaegis have, which nobody here wrote."""

from __future__ import annotations

import os
import random

import polyseal
import pyaegis
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESGCMSIV

LENGTHS = [0, 1, 15, 16, 17, 31, 64, 100, 1024, 4096, 65_536, 70_001]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (polyseal.Aes128Gcm, AESGCM),
        (polyseal.Aes256Gcm, AESGCM),
        (polyseal.Aes256GcmSiv, AESGCMSIV),
    ],
    ids=["aes-128-gcm", "aes-256-gcm", "aes-256-gcm-siv"],
)
def test_cryptography_agrees(
    ours: type[polyseal.Aead], theirs: type[AESGCM] | type[AESGCMSIV], length: int
) -> None:
    for _ in range(5):
        key, nonce = os.urandom(ours.key_bytes), os.urandom(ours.nonce_bytes)
        # Its AES-GCM-SIV takes no empty message.
        message = os.urandom(max(length, theirs is AESGCMSIV))
        ad = os.urandom(random.randrange(100))
        sealed = ours(key).encrypt(nonce, message, ad)
        assert sealed == theirs(key).encrypt(nonce, message, ad)
        assert ours(key).decrypt(nonce, theirs(key).encrypt(nonce, message, ad), ad) == message
        with pytest.raises(InvalidTag):
            theirs(key).decrypt(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), ad)


AEGIS = ["128L", "128X2", "128X4", "256", "256X2", "256X4"]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("tag", [16, 32])
@pytest.mark.parametrize("name", AEGIS)
def test_libaegis_agrees(name: str, tag: int, length: int) -> None:
    ours = polyseal.algorithm_class(f"aegis-{name.lower()}:tag={tag}" if tag == 32 else f"aegis-{name.lower()}")
    theirs = getattr(pyaegis, f"Aegis{name}")(tag_size=tag)
    key, nonce = os.urandom(ours.key_bytes), os.urandom(ours.nonce_bytes)
    message, ad = os.urandom(length), os.urandom(length % 97)
    cipher = polyseal.aead(ours.algorithm, key)
    sealed = cipher.encrypt(nonce, message, ad)
    assert sealed == theirs.encrypt(key, nonce, message, ad)
    assert theirs.decrypt(key, nonce, sealed, ad) == message
    with pytest.raises(pyaegis.DecryptionError):
        theirs.decrypt(key, nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), ad)
