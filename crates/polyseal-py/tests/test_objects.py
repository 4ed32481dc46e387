"""Objects as a notebook shows them, compares them, and asks for the key that is missing."""

from __future__ import annotations

import io
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import fsspec
import polyseal
import polyseal.jobs
import polyseal.kms
import pytest
from polyseal import Flex, KeyRef, Outline, Payload, PayloadHead, SecretKey, Version

TEXT = b"attack at dawn"


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: SecretKey) -> bytes:
    """A file in the working directory, with its key beside it."""
    monkeypatch.chdir(tmp_path)
    Path("key").write_text(key.to_key_file())
    Path("plain").write_bytes(TEXT)
    polyseal.encrypt_file("plain", "sealed", key=key)
    return Path("sealed").read_bytes()


def test_a_repr_says_what_it_is(stored: bytes, key: SecretKey) -> None:
    stream = polyseal.StreamSealer(key=key)
    fs = fsspec.filesystem("polyseal", target_protocol="file", key="file:key", recipients=[], skip_instance_cache=True)
    plan = polyseal.jobs.plan("verify", f"file://{Path('sealed').absolute()}", key="file:key")
    reader, of_object = polyseal.open("sealed", key=key), polyseal.open(io.BytesIO(stored), key=key)
    reader.seek(3)
    shown = {
        reader: "<EncryptedReader 'sealed': 14 bytes, at 3>",
        of_object: "<EncryptedReader: 14 bytes, at 0>",
        fs: "<PolysealFileSystem on file: file:key>",
        fs.open(f"{Path('sealed').absolute()}"): f"<StoredReader '{Path('sealed').absolute()}': 14 bytes, at 0>",
        plan: f"<polyseal.jobs.Plan: verify 'file://{Path('sealed').absolute()}': 1 object of 4126 bytes, 1 task>",
        KeyRef("file:key"): "KeyRef('file:key')",
        polyseal.Sealer(14, b"version", key=key): "<polyseal.Sealer: 14 bytes, of which 4126 will be stored>",
        stream: "<polyseal.StreamSealer: header of 4096 bytes, segments of 65536>",
        Version(4126): "<polyseal.Version: 4126 bytes>",
        Version(4126, '"tag"'): '<polyseal.Version: 4126 bytes, "tag">',
        polyseal.Opener(Version(4126)): "<polyseal.Opener: a file of 4126 stored bytes>",
    }
    assert {each: repr(each) for each in shown} == shown
    head = PayloadHead(stored[:4096], len(stored), key=key)
    assert repr(head) == "<polyseal.PayloadHead: the last segment is stored from 4096 to 4126>"
    payload = Payload.open(stored[:4096], len(stored), lambda start, stop: stored[start:stop], key=key)
    assert repr(payload) == "<polyseal.Payload: 14 bytes in segments of 65536>"
    outline = Outline.parse(stored[: Outline.BYTES])
    assert repr(outline) == "<polyseal.Outline: aegis-256x2, header of 4096 bytes, segments of 65536>"
    reader.close()
    assert repr(reader) == "<EncryptedReader 'sealed': closed>"
    with polyseal.open("new", "wb", key=key) as writer:
        writer.write(TEXT)
        assert repr(writer) == "<EncryptedWriter 'new': 14 bytes so far>"
    assert repr(writer) == "<EncryptedWriter 'new': closed>"


def test_no_repr_shows_a_secret(stored: bytes) -> None:
    secret = b"Z" * 32
    hostile = Version(1, "tag\x1b[2J\N{RIGHT-TO-LEFT OVERRIDE}")
    config = Flex.configuration("civ", public_nonce=16)
    objects: list[object] = [
        SecretKey(secret),
        Flex(secret, config),
        *(kind(b"Z" * kind.key_bytes) for kind in polyseal.ALGORITHMS.values()),
        polyseal.StreamSealer(key=secret),
        polyseal.Sealer(1, b"version", key=secret),
        polyseal.open(io.BytesIO(), "wb", key=secret),
    ]
    for each in objects:
        assert "ZZ" not in repr(each) and "5a5a" not in repr(each) and "object at 0x" not in repr(each)
    assert repr(hostile).isprintable()
    for each in objects[-1:]:
        each.discard()  # type: ignore[attr-defined]


def test_what_is_equal_has_one_hash(stored: bytes) -> None:
    def made() -> list[Any]:
        return [
            KeyRef("file:key"),
            Version(4126, '"tag"', ["a"]),
            polyseal.inspect("sealed"),
            polyseal.kms.WrappedKey("secret-service:a=b", {"use": "test"}, None, None),
            polyseal.kms.KeyPair("identity", "age1recipient"),
            polyseal.jobs.Item("name", 1, "version"),
        ]

    for one, other in zip(made(), made()):
        assert one == other and hash(one) == hash(other) and {one: 1}[other] == 1
    assert Version(4126) != Version(4127) and KeyRef("file:key") != KeyRef("file:other")
    assert Outline.parse(stored[: Outline.BYTES]) == Outline.parse(stored[: Outline.BYTES])
    # Nobody looks a secret up by its hash, and checkers of types know.
    assert not isinstance(SecretKey(bytes(32)), Hashable)
    with pytest.raises(TypeError, match="unhashable type"):
        hash(SecretKey(bytes(32)))


def openings(stored: bytes) -> dict[str, Callable[[], object]]:
    """Each way to open a file, without a key."""
    opener = polyseal.Opener(Version(len(stored)))
    for start, stop in opener.wanted():
        opener.take(start, stop, stored[start:stop])
    ticket = polyseal.Sealer(1, b"version", key=bytes(32)).ticket()
    return {
        "open": lambda: polyseal.open("sealed"),
        "decrypt_file": lambda: polyseal.decrypt_file("sealed", "opened"),
        "verify_file": lambda: polyseal.verify_file("sealed", key=[], identity=None),
        "rekey_file": lambda: polyseal.rekey_file("sealed", to={"key": bytes(32)}, keep=True),
        "rekey_header": lambda: polyseal.rekey_header(stored[:4096], to={"key": bytes(32)}, keep=True),
        "verify_tree": lambda: polyseal.verify_tree("tree"),
        "Opener": lambda: opener.wanted(context="only this"),
        "PayloadHead": lambda: PayloadHead(stored[:4096], len(stored)),
        "Payload": lambda: Payload.open(stored[:4096], len(stored), lambda start, stop: stored[start:stop]),
        "from_ticket": lambda: polyseal.Sealer.from_ticket(ticket, b"version"),
    }


SEALINGS: dict[str, Callable[[], object]] = {
    "encrypt_file": lambda: polyseal.encrypt_file("plain", "new"),
    "open": lambda: polyseal.open("new", "wb", recipients=[]),
    "encrypt_tree": lambda: polyseal.encrypt_tree("tree", "new"),
    "Sealer": lambda: polyseal.Sealer(1, b"version"),
    "StreamSealer": lambda: polyseal.StreamSealer(context="only this"),
    "ticket_for": lambda: polyseal.Sealer(1, b"version", key=bytes(32)).ticket_for(),
}


def test_a_missing_key_is_asked_for(stored: bytes) -> None:
    for name, call in openings(stored).items():
        with pytest.raises(polyseal.NoMatchingKey, match="^no key was given: key, identity or passphrase opens"):
            call()
            pytest.fail(name)
    for name, call in SEALINGS.items():
        with pytest.raises(ValueError, match="^no key was given: key, identity, recipients or passphrase say who"):
            call()
            pytest.fail(name)
    assert not Path("new").exists()
    for made in (polyseal.Aegis256, polyseal.AegisMac256, SecretKey, SecretKey.from_key_file, lambda key: Flex(key, "flex-och")):
        with pytest.raises(TypeError, match="^no key was given, but None$"):
            made(None)  # type: ignore[arg-type]
    for call in (lambda: polyseal.Aegis256(), lambda: polyseal.aead("aegis-256")):  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="'key'"):
            call()


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: polyseal.aead("aes-gcm", bytes(32)), """unknown algorithm "aes-gcm"; did you mean "aes-256-gcm"?"""),
        (lambda: polyseal.mac("aegis-256-mca", bytes(32)), """unknown algorithm "aegis-256-mca"; did you mean "aegis-256-mac"?"""),
        (lambda: polyseal.encrypt_file("plain", "new", key=bytes(32), suite="aegis-256x3"), "did you mean"),
        (lambda: polyseal.StreamSealer(key=bytes(32), suite="aes256-gcm"), "did you mean"),
        (lambda: Flex(bytes(32), "flex-ohc"), "flex-och"),
    ],
)
def test_an_unknown_name_is_answered_with_one_that_is_known(stored: bytes, call: Callable[[], object], text: str) -> None:
    with pytest.raises(ValueError) as raised:
        call()
    assert text in str(raised.value)
