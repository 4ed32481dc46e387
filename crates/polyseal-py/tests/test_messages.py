"""Every algorithm of the registry, sealed and opened through every call."""

from __future__ import annotations

import os
import pickle
from typing import Any

import polyseal
import pytest
from conftest import aeads, macs
from polyseal.hazmat import WideBlock

LENGTHS = [0, 1, 15, 16, 17, 33, 255, 2047, 2048, 2049, 65_539]
ALL = pytest.mark.parametrize("algorithm", aeads(), ids=lambda c: c.algorithm)


def made(algorithm: type[polyseal.Aead]) -> tuple[polyseal.Aead, bytes]:
    return algorithm(algorithm.generate_key()), os.urandom(algorithm.nonce_bytes)


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@ALL
@pytest.mark.parametrize("length", LENGTHS)
def test_what_is_sealed_opens_through_every_call(algorithm: type[polyseal.Aead], length: int) -> None:
    cipher, nonce = made(algorithm)
    message, ad = os.urandom(length), os.urandom(19)
    sealed = cipher.encrypt(nonce, message, ad)
    assert cipher.decrypt(nonce, sealed, ad) == message
    # Every kind of buffer gives the same.
    for kind in (bytearray, memoryview):
        assert cipher.encrypt(kind(nonce), kind(message), kind(ad)) == sealed
        assert cipher.decrypt(kind(nonce), kind(sealed), kind(ad)) == message
        out = bytearray(b"\xaa" * (len(sealed) + 3))
        assert cipher.encrypt_into(nonce, kind(message), ad, out) == len(sealed)
        assert out == sealed + b"\xaa" * 3
        assert cipher.decrypt_into(nonce, kind(sealed), ad, out) == length
        assert out[:length] == message
    assert cipher.encrypt(nonce, message) == cipher.encrypt(nonce, message, b"")


@ALL
def test_any_changed_byte_is_found(algorithm: type[polyseal.Aead]) -> None:
    cipher, nonce = made(algorithm)
    for message in (b"", b"attack at dawn", bytes(3000)):
        sealed = cipher.encrypt(nonce, message, b"header")
        step = max(1, len(sealed) // 40)
        for at in [*range(0, len(sealed), step), len(sealed) - 1]:
            with pytest.raises(polyseal.InvalidTag):
                cipher.decrypt(nonce, flipped(sealed, at), b"header")
            out = bytearray(b"\xaa" * len(sealed))
            with pytest.raises(polyseal.InvalidTag):
                cipher.decrypt_into(nonce, flipped(sealed, at), b"header", out)
            assert out[: len(message)] == bytes(len(message))
        for altered in (sealed[:-1], sealed + b"\0", sealed[:5], b""):
            with pytest.raises(polyseal.InvalidTag):
                cipher.decrypt(nonce, altered, b"header")
        with pytest.raises(polyseal.InvalidTag):
            cipher.decrypt(nonce, sealed, b"Header")
        with pytest.raises(polyseal.InvalidTag):
            cipher.decrypt(nonce, sealed)
        with pytest.raises(polyseal.InvalidTag):
            made(algorithm)[0].decrypt(nonce, sealed, b"header")
        if algorithm.nonce_bytes:
            with pytest.raises(polyseal.InvalidTag):
                cipher.decrypt(flipped(nonce, 0), sealed, b"header")


@ALL
def test_lengths_that_do_not_exist_are_named(algorithm: type[polyseal.Aead]) -> None:
    cipher, nonce = made(algorithm)
    key = os.urandom(algorithm.key_bytes)
    with pytest.raises(ValueError, match=f"{algorithm.key_bytes + 1} bytes"):
        algorithm(key + b"\0")
    for call in (cipher.encrypt, cipher.decrypt):
        with pytest.raises(ValueError, match=rf"nonce has {len(nonce) + 1} bytes where {len(nonce)}"):
            call(nonce + b"\0", bytes(600))
    sealed = cipher.encrypt(nonce, b"message")
    with pytest.raises(ValueError, match=f"{len(sealed) - 1} bytes, and {len(sealed)} are needed"):
        cipher.encrypt_into(nonce, b"message", None, bytearray(len(sealed) - 1))
    with pytest.raises(ValueError, match="6 bytes, and 7 are needed"):
        cipher.decrypt_into(nonce, sealed, None, bytearray(6))


@ALL
def test_random_nonces_where_there_are_enough_of_them(algorithm: type[polyseal.Aead]) -> None:
    cipher, _ = made(algorithm)
    items: list[tuple[Any, Any]] = [(os.urandom(n), bytes(n % 7) or None) for n in range(0, 200, 3)]
    items.append((bytearray(70_000), memoryview(b"header")))
    if algorithm.algorithm in FEW:
        for refused in (lambda: cipher.seal(b"message"), lambda: cipher.seal_many(items)):
            with pytest.raises(polyseal.LimitExceeded, match="random nonces"):
                refused()
        return
    sealed = cipher.seal_many(items)
    sealed += [cipher.seal(data, ad) for data, ad in items]
    assert len(set(sealed)) == 2 * len(items)
    for (data, ad), one in zip(items + items, sealed, strict=True):
        assert cipher.open(one, ad) == data
        assert cipher.open(bytearray(one), ad) == data
    for altered in (flipped(sealed[5], 0), flipped(sealed[5], len(sealed[5]) - 1), sealed[5][:-1], b""):
        with pytest.raises(polyseal.InvalidTag):
            cipher.open(altered, items[5][1])
    assert cipher.seal_many([]) == []


#: With nonces of 12 bytes: OMD's, DNDK's and XAES's are longer.
FEW = {
    "aes-128-gcm",
    "aes-256-gcm",
    "aes-256-gcm-siv",
    "ctx-aes-256-gcm",
    "flex-och-transport",
    "padding-fix-aes-256-gcm",
}


@ALL
def test_a_class_says_its_lengths(algorithm: type[polyseal.Aead]) -> None:
    cipher, nonce = made(algorithm)
    assert len(algorithm.generate_key()) == algorithm.key_bytes
    assert algorithm.__doc__ and str(algorithm.tag_bytes) in algorithm.__doc__
    # With segments there is a tag for each, and an empty message has one.
    assert len(cipher.encrypt(nonce, b"")) == algorithm.tag_bytes
    assert polyseal.algorithm_class(algorithm.algorithm) is algorithm
    assert isinstance(polyseal.aead(algorithm.algorithm, algorithm.generate_key()), algorithm)
    assert getattr(polyseal, algorithm.__name__) is algorithm


def test_parameters_and_lengths_by_name() -> None:
    algorithm = polyseal.algorithm_class("aegis-128l:tag=32")
    assert (algorithm.key_bytes, algorithm.nonce_bytes, algorithm.tag_bytes) == (16, 16, 32)
    assert issubclass(algorithm, polyseal.Aegis128L)
    assert polyseal.algorithm_class("aegis-128l:tag=32") is algorithm
    cipher = polyseal.aead("aegis-128l:tag=32", bytes(16))
    assert len(cipher.encrypt(bytes(16), b"")) == 32
    with pytest.raises(ValueError, match="unknown algorithm"):
        polyseal.aead("rot13", bytes(16))
    with pytest.raises(ValueError, match="8 bytes"):
        polyseal.aead("aegis-128l:tag=8", bytes(16))
    with pytest.raises(TypeError, match="kind Aead"):
        polyseal.aead("aegis-128l-mac", bytes(16))
    with pytest.raises(TypeError, match="base of many"):
        polyseal.Aead(bytes(16))


def test_names_are_those_of_the_types_in_rust() -> None:
    names = {name: c.__name__ for name, c in polyseal.ALGORITHMS.items()}
    assert names["aegis-128l"] == "Aegis128L"
    assert names["aegis-128x2-mac"] == "AegisMac128X2"
    assert names["aegis-256x2-mac"] == "AegisMac256X2"
    assert names["kc-xaes-256-gcm"] == "KcXaes256Gcm"
    assert names["h-kc-aes-256-gcm"] == "HKcAes256Gcm"
    assert names["omd-blake2b"] == "OmdBlake2b"
    assert names["flex"] == "FlexAead"
    assert len(set(names.values())) == len(names) > 40


@pytest.mark.parametrize("algorithm", macs(), ids=lambda c: c.algorithm)
def test_a_mac_signs_and_verifies(algorithm: type[polyseal.Mac]) -> None:
    mac, nonce = algorithm(algorithm.generate_key()), os.urandom(algorithm.nonce_bytes)
    for data in (b"", b"attack at dawn", os.urandom(5000)):
        tag = mac.sign(nonce, data)
        assert len(tag) == algorithm.tag_bytes
        assert mac.sign(bytearray(nonce), bytearray(data)) == tag
        mac.verify(nonce, data, tag)
        for at in range(len(tag)):
            with pytest.raises(polyseal.InvalidTag):
                mac.verify(nonce, data, flipped(tag, at))
        with pytest.raises(polyseal.InvalidTag):
            mac.verify(nonce, data + b"\0", tag)
    with pytest.raises(ValueError, match="nonce has"):
        mac.sign(nonce + b"\0", b"")
    with pytest.raises(ValueError, match="tag has"):
        mac.verify(nonce, b"", b"")


def test_flex_takes_any_configuration() -> None:
    key = os.urandom(32)
    config = polyseal.Flex.configuration("civ", public_nonce=16, tag=32)
    flex = polyseal.Flex(key, config, b"my application")
    assert flex.config == config and not flex.hides_nonce and flex.overhead_bytes == 32
    nonce = os.urandom(16)
    sealed = flex.encrypt(nonce, b"message", b"header")
    assert flex.decrypt(nonce, sealed, b"header") == b"message"
    # It is what the registry calls so, but for the setup associated data.
    same = polyseal.aead(f"flex:cfg={config.hex()}", key)
    assert same.encrypt(nonce, b"message", b"header") == polyseal.Flex(key, config).encrypt(
        nonce, b"message", b"header"
    )
    for other in (polyseal.Flex(key, config), polyseal.Flex(key, config, b"another application")):
        with pytest.raises(polyseal.InvalidTag):
            other.decrypt(nonce, sealed, b"header")
    with pytest.raises(polyseal.InvalidTag):
        flex.decrypt(nonce, b"", b"header")


def test_flex_hides_a_nonce() -> None:
    flex = polyseal.Flex(os.urandom(32), "flex-och")
    assert flex.hides_nonce
    nonce = os.urandom(32)
    sealed = flex.encrypt(nonce, b"message")
    assert nonce not in sealed
    assert flex.decrypt_with_nonce(sealed) == (nonce, b"message")
    assert flex.decrypt(b"", sealed) == b"message"
    assert flex.open(flex.seal(b"message", b"header"), b"header") == b"message"


def test_flex_names_the_rule_that_is_broken() -> None:
    for keywords, rule in [
        ({"profile": "S256"}, "64"),
        ({"tag": 8}, "8"),
        ({"hidden_nonce": 8, "public_nonce": 8}, "one form"),
        ({"profile": "S9"}, "profiles are"),
    ]:
        with pytest.raises(ValueError, match=rule):
            polyseal.Flex.configuration("och", **keywords)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="modes are"):
        polyseal.Flex.configuration("ecb")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="8 bytes, not 7"):
        polyseal.Flex(bytes(32), bytes(7))


def test_flex_takes_every_length_of_its_specification() -> None:
    for key_bytes in (16, 17, 1024):
        for nonce_bytes in (0, 1025, 65535):
            key, nonce = os.urandom(key_bytes), os.urandom(nonce_bytes)
            cipher = polyseal.aead(f"flex-civ-public:key={key_bytes},nonce={nonce_bytes}", key)
            assert cipher.decrypt(nonce, cipher.encrypt(nonce, b"message")) == b"message"
    for length in ("key=15", "key=1025", "nonce=65536"):
        with pytest.raises(ValueError, match="does not exist"):
            polyseal.algorithm_class(f"flex-civ-public:{length}")


def test_wide_blocks_say_what_they_do_not_give() -> None:
    key, robust = os.urandom(17), "wide-block-robust-no-commitment"
    cipher = WideBlock(polyseal.SecretKey(key), robust, b"disk 1")
    assert cipher.config.hex() == "03000110ffff0000"
    assert cipher.overhead_bytes == 16 and not cipher.hides_nonce
    sealed = cipher.encipher(b"", b"message", b"sector")
    assert cipher.decipher(b"", sealed, b"sector") == b"message"
    for nonce, data, ad in ((b"1", sealed, b"sector"), (b"", sealed[1:], b"sector"), (b"", sealed, b"")):
        with pytest.raises(polyseal.InvalidTag):
            cipher.decipher(nonce, data, ad)
    with pytest.raises(polyseal.InvalidTag):
        WideBlock(key, robust).decipher(b"", sealed, b"sector")
    # Without a stretch, everything opens.
    keeps = WideBlock(key, "wide-block-length-preserving-no-authenticity")
    assert keeps.encipher(b"", keeps.decipher(b"", sealed)) == sealed
    for name, rule in (
        ("flex-robust", "unknown algorithm"),
        ("wide-block-no-commitment", "parameter"),
        ("wide-block-no-commitment:cfg=03040100ffff0000", "robust mode without its tag"),
        ("wide-block-no-authenticity:cfg=0300020018000000", "64-bit"),
        ("wide-block-no-commitment:cfg=03000100ffff0000", "parameter"),
    ):
        with pytest.raises(ValueError, match=rule):
            WideBlock(key, name)
    for bad in (15, 1025):
        with pytest.raises(ValueError, match="16 to 1024"):
            WideBlock(bytes(bad), robust)
    with pytest.raises(TypeError, match="bytes-like object"):
        cipher.encipher(b"", "text")  # type: ignore[arg-type]


def test_what_holds_a_key_is_not_pickled() -> None:
    for holder in (
        WideBlock(b"Z" * 32, "wide-block-robust-no-commitment"),
        polyseal.Aegis128L(b"Z" * 16),
        polyseal.AegisMac128L(b"Z" * 16),
        polyseal.Flex(b"Z" * 32, "flex-och"),
    ):
        with pytest.raises(TypeError, match="KeyRef"):
            pickle.dumps(holder)
        assert "ZZ" not in repr(holder) and "5a5a" not in repr(holder)


def test_what_has_no_bytes_is_refused() -> None:
    cipher = polyseal.Aegis128L(bytes(16))
    with pytest.raises(TypeError, match="bytes-like object is required, not 'str'"):
        cipher.encrypt(bytes(16), "text")  # type: ignore[arg-type]
    with pytest.raises(BufferError, match="not writable"):
        cipher.encrypt_into(bytes(16), b"", None, memoryview(bytes(99)))
    with pytest.raises(BufferError, match="not writable"):
        cipher.encrypt_into(bytes(16), b"", None, bytes(99))
    with pytest.raises(BufferError, match="contiguous"):
        cipher.encrypt(bytes(16), memoryview(bytes(100))[::2])
