"""The same bytes as `cryptography` and libaegis have, which nobody here wrote."""

from __future__ import annotations

import os
import random

import polyseal
import pyaegis
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
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


def times(x: int, y: int) -> int:
    """The product in GCM's field, of blocks as numbers: SP 800-38D, 6.3."""
    product = 0
    for at in range(127, -1, -1):
        product ^= y if x >> at & 1 else 0
        y = y >> 1 ^ (0xE1 << 120 if y & 1 else 0)
    return product


def inverse(x: int) -> int:
    """``x`` to the power of 2^128 - 2."""
    result, square = 1 << 127, x
    for _ in range(127):
        square = times(square, square)
        result = times(result, square)
    return result


@pytest.mark.parametrize("bits", [128, 256])
def test_a_counter_that_wraps(bits: int) -> None:
    """A nonce of 16 bytes is hashed to the first counter block, of which the last 32 bits count, and wrap."""
    key = os.urandom(bits // 8)
    hash_key = int.from_bytes(Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(bytes(16)), "big")
    undo, length = inverse(hash_key), 128
    assert times(undo, hash_key) == 1 << 127
    ours, theirs = polyseal.aead(f"aes-{bits}-gcm:nonce=16", key), AESGCM(key)
    for distance in (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100, 1000):
        counter = random.getrandbits(96) << 32 | (1 << 32) - distance
        nonce = times(times(counter, undo) ^ length, undo).to_bytes(16, "big")
        for size in (0, 1, 16, 17, 128, 1000, 4096, 20_000):
            message = os.urandom(size)
            sealed = ours.encrypt(nonce, message, b"ad")
            assert sealed == theirs.encrypt(nonce, message, b"ad"), (distance, size)
            assert ours.decrypt(nonce, sealed, b"ad") == message


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
