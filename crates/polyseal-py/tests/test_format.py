"""The kit of the file format: a small file for each rule, written by the reference in Python."""

from __future__ import annotations

import hashlib
import io
from typing import Any

import polyseal
import pytest
from conftest import VECTORS, load

KIT = VECTORS / "file-format"
INDEX = load(KIT / "index.json")

RAISED: dict[str, tuple[type[Exception], ...]] = {
    "bad-armor": (polyseal.HeaderError,),
    "bad-header": (polyseal.HeaderError,),
    "context-differs": (polyseal.ContextMismatch,),
    "context-missing": (polyseal.ContextMismatch,),
    "context-unexpected": (polyseal.ContextMismatch,),
    "corrupt-segment": (polyseal.CorruptSegment,),
    "header-not-authentic": (polyseal.HeaderError,),
    "no-matching-key": (polyseal.NoMatchingKey, polyseal.WrongPassphrase),
    "not-a-polyseal-file": (polyseal.HeaderError,),
    "truncated-header": (polyseal.CorruptSegment,),
    "truncated-payload": (polyseal.CorruptSegment,),
    "unsupported-version": (polyseal.HeaderError,),
}


def key_set(test: dict[str, Any]) -> dict[str, Any]:
    """The keywords that name its keys."""
    keys = [INDEX["keys"][name] for name in test["keys"]]
    found: dict[str, Any] = {
        "key": [bytes.fromhex(key["hex"]) for key in keys if key["kind"] == "key-file"],
        "identity": [key["identity"].encode() for key in keys if key["kind"] == "age"],
    }
    for key in keys:
        if key["kind"] == "passphrase":
            found["passphrase"] = bytes.fromhex(key["hex"]) * key["times"]
    if test["context"] is not None:
        found["context"] = bytes.fromhex(test["context"]["hex"]) * test["context"]["times"]
    return found


def expect(test: dict[str, Any], plaintext: bytes) -> None:
    if test.get("plaintext") is not None:
        assert plaintext.hex() == test["plaintext"]
    else:
        assert len(plaintext) == test["plaintextLength"]
        assert hashlib.sha256(plaintext).hexdigest() == test["plaintextSha256"]


def decrypted(file: Any, **keywords: Any) -> bytes:
    out = io.BytesIO()
    polyseal.decrypt_file(file, out, **keywords)
    return out.getvalue()


@pytest.mark.parametrize("test", INDEX["tests"], ids=lambda t: t["file"])
def test_every_rule(test: dict[str, Any]) -> None:
    path, keywords = KIT / test["file"], key_set(test)
    if test["outcome"] == "ok":
        expect(test, decrypted(path, **keywords))
        expect(test, decrypted(io.BytesIO(path.read_bytes()), **keywords))
        if not test.get("armored"):
            with polyseal.open(path, **keywords) as file:
                expect(test, file.read())
        return
    raised = RAISED[test["outcome"]]
    with pytest.raises(raised) as error:
        decrypted(path, **keywords)
    if test["outcome"] == "corrupt-segment":
        assert isinstance(error.value, polyseal.CorruptSegment)
        assert error.value.index == test.get("segment")
    with pytest.raises(raised):
        decrypted(io.BytesIO(path.read_bytes()), **keywords)
    if not test.get("armored"):
        with pytest.raises(raised), polyseal.open(path, **keywords) as file:
            file.read()


@pytest.mark.parametrize("test", INDEX["parts"], ids=lambda t: f"{t['file']}-{t['start']}-{t['length']}")
def test_every_part(test: dict[str, Any]) -> None:
    data: bytes = (KIT / test["file"]).read_bytes()
    keywords = key_set(test)

    def read(start: int, size: int) -> bytes:
        with polyseal.open(io.BytesIO(data), **keywords) as file:
            part: bytes = file.read_at(start, size)
            return part

    def open_range(start: int, size: int) -> bytes:
        payload = polyseal.Payload.open(data, len(data), lambda a, b: data[a:b], **keywords)
        needed = payload.stored_range(start, start + size)
        part: bytes = data[needed.start : needed.stop]
        return payload.open_range(start, start + size, part)

    for way in (read, open_range):
        if test["outcome"] == "ok":
            expect(test, way(test["start"], test["length"]))
        else:
            with pytest.raises(RAISED[test["outcome"]]) as error:
                way(test["start"], test["length"])
            assert isinstance(error.value, polyseal.CorruptSegment)
            assert error.value.index == test.get("segment")
