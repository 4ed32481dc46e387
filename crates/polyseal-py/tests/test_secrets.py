"""Only text and bytes are secrets: ``bytes(1234)`` would be 1234 zeros."""

from __future__ import annotations

import array
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polyseal
import polyseal.jobs
import polyseal.kms
import pytest
from polyseal import KeyRef, SecretKey
from polyseal._key_set import key_set
from polyseal._polyseal import KeySet
from polyseal.fs import PolysealFileSystem

#: Neither text nor bytes.
OTHERS: list[Any] = [1234, 0, True, 1.5, [1, 2, 3], ["a"], (1,), {1}, {"a": 1}, object(), range(3)]
OTHERS += [array.array("I", [1, 2]), memoryview(array.array("I", [1, 2])), array.array("B", b"1234")]

#: Each way on which keywords come, with a file that is not there: what is no secret is seen before.
CALLS: dict[str, Callable[..., object]] = {
    "encrypt_file": lambda **of: polyseal.encrypt_file("plain", "sealed", **of),
    "decrypt_file": lambda **of: polyseal.decrypt_file("stored", "opened", **of),
    "verify_file": lambda **of: polyseal.verify_file("stored", **of),
    "rekey_file": lambda **of: polyseal.rekey_file(
        "stored", key=SecretKey.generate(), to=of, keep=False  # type: ignore[arg-type]
    ),
    "open": lambda **of: polyseal.open("stored", **of),
    "write": lambda **of: polyseal.open(io.BytesIO(), "wb", **of),
    "encrypt_tree": lambda **of: polyseal.encrypt_tree("tree", "sealed", **of),
    "verify_tree": lambda **of: polyseal.verify_tree("tree", **of),
    "StreamSealer": lambda **of: polyseal.StreamSealer(**of),
    "Sealer": lambda **of: polyseal.Sealer(1, b"version", **of),
    "key_set": lambda **of: key_set(**of),
}


def others(keyword: str) -> list[Any]:
    """Those that are nothing here: a list of text is several references, and an array of bytes has those of a key."""
    fit = {"key": (["a"], array.array("B", b"1234")), "identity": (["a"],), "recipients": (["a"], {"a": 1})}
    return [each for each in OTHERS if not any(type(each) is type(one) and each == one for one in fit.get(keyword, ()))]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain").write_bytes(b"attack at dawn")
    Path("tree").mkdir()
    polyseal.encrypt_file("plain", "stored", key=SecretKey.generate())


@pytest.mark.parametrize("keyword", ["passphrase", "context", "key", "identity", "recipients"])
@pytest.mark.parametrize("call", CALLS)
def test_what_is_no_text_and_no_bytes_is_no_secret(call: str, keyword: str) -> None:
    before = sorted(path.name for path in Path().iterdir())
    for other in others(keyword) + ([None, b"age1x"] if keyword == "recipients" else []):
        with pytest.raises(TypeError) as raised:
            CALLS[call](**{keyword: other})
        assert "1234" not in str(raised.value)
    assert sorted(path.name for path in Path().iterdir()) == before


def test_text_and_bytes_are_one() -> None:
    polyseal.encrypt_file("plain", "sealed", passphrase="κλειδί", context="tag")
    for kind in (str.encode, lambda text: bytearray(text.encode()), lambda text: memoryview(text.encode())):
        polyseal.verify_file("sealed", passphrase=kind("κλειδί"), context=kind("tag"))
    with pytest.raises(ValueError, match="passphrase") as raised:
        key_set(passphrase="secret \udc80")
    # The input to be encoded hangs on the error of the codec.
    assert raised.value.__context__ is None or raised.value.__suppress_context__


def test_keys_have_bytes() -> None:
    for other in OTHERS[:-1]:
        for take in (SecretKey, polyseal.KcXaes256Gcm, SecretKey.from_key_file, KeyRef, polyseal.kms.inspect):
            with pytest.raises(TypeError):
                take(other)
    numbers = array.array("I", range(8))
    assert len(bytes(numbers)) == 32
    for take in (SecretKey, polyseal.KcXaes256Gcm):
        with pytest.raises(TypeError, match="several bytes"):
            take(numbers)


def test_numbers_are_no_nonce_and_no_associated_data() -> None:
    cipher = polyseal.Aes256Gcm(polyseal.Aes256Gcm.generate_key())
    for other in (12, [0] * 12, True, 1.5, "nonce"):
        with pytest.raises(TypeError):
            cipher.encrypt(other, b"message")  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            cipher.encrypt(bytes(12), other)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            cipher.encrypt(bytes(12), b"message", other)  # type: ignore[arg-type]


def test_storage_options_and_jobs() -> None:
    for keyword in ("key", "identity", "recipients", "context"):
        for other in others(keyword):
            with pytest.raises(TypeError):
                PolysealFileSystem(target_protocol="memory", **{keyword: other})
            with pytest.raises(TypeError):
                polyseal.jobs.plan("verify", "memory://nothing", **{keyword: other})
    for references in ("file:key", b"file:key", [1], [b"file:key"]):
        with pytest.raises(TypeError):
            polyseal.jobs.allow_keys(references)  # type: ignore[arg-type]


def test_the_border_takes_bytes_alone() -> None:
    border: Any = KeySet
    for other in ([1, 2, 3], "text", 5):
        for identities, passphrase, context in (([], other, None), ([], None, other), ([(other, None)], None, None)):
            with pytest.raises(TypeError):
                border([], identities, [], passphrase, context)
