"""Keys: what is secret stays so, and what can be pickled is a reference."""

from __future__ import annotations

import copy
import pickle
import traceback
from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import polyseal
import polyseal.keys
import pytest
from conftest import VECTORS, load
from polyseal import KeyRef, SecretKey

KIT = VECTORS / "file-format"


def test_a_key_shows_its_bytes_only_when_asked() -> None:
    key = SecretKey(b"Z" * 32)
    for shown in (repr(key), str(key), f"{key}"):
        assert shown == "SecretKey(32 bytes)"
    assert key.reveal() == b"Z" * 32 and len(key) == 32
    assert not hasattr(key, "__dict__")
    with pytest.raises(TypeError):
        bytes(key)  # type: ignore[call-overload]


@pytest.mark.parametrize("spread", [pickle.dumps, copy.copy, copy.deepcopy, hash])
def test_a_key_is_not_spread(spread: Callable[[object], object]) -> None:
    with pytest.raises(TypeError):
        spread(SecretKey.generate())


def test_keys_compare() -> None:
    assert SecretKey(bytes(32)) == SecretKey(bytearray(32))
    assert SecretKey(bytes(32)) != SecretKey(bytes(31) + b"\1")
    assert SecretKey(bytes(32)) != SecretKey(bytes(16))
    assert SecretKey(bytes(32)) != bytes(32)
    assert SecretKey.generate() != SecretKey.generate()
    assert len(SecretKey.generate(64)) == 64


def test_a_key_is_taken_everywhere(tmp_path: Path) -> None:
    key = SecretKey.generate()
    path = tmp_path / "key"
    path.write_text(key.to_key_file())
    sealed = polyseal.Aegis256(key).seal(b"message")
    for other in (key.reveal(), bytearray(key.reveal()), KeyRef(f"file:{path}")):
        assert polyseal.aead("aegis-256", other).open(sealed) == b"message"


@pytest.mark.parametrize("test", load(KIT / "index.json")["keyFiles"], ids=lambda t: t["file"])
def test_every_rule_of_key_files(test: dict[str, str]) -> None:
    contents = (KIT / test["file"]).read_bytes()
    if test["outcome"] == "ok":
        assert SecretKey.from_key_file(contents).reveal().hex() == test["key"]
        assert KeyRef(f"file:{KIT / test['file']}").resolve().reveal().hex() == test["key"]
    else:
        with pytest.raises(ValueError):
            SecretKey.from_key_file(contents)
        with pytest.raises(polyseal.KeyUnavailable) as raised:
            KeyRef(f"file:{KIT / test['file']}").resolve()
        assert isinstance(raised.value.__cause__, ValueError)


def test_a_reference_is_resolved_where_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = SecretKey.generate()
    path = tmp_path / "backup.key"
    path.write_text(key.to_key_file())
    monkeypatch.setenv("BACKUP_KEY", key.to_key_file())
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    for uri in (f"file:{path}", "env:BACKUP_KEY", "credential:backup.key"):
        reference = pickle.loads(pickle.dumps(KeyRef(uri)))
        assert reference == KeyRef(uri) and hash(reference) == hash(KeyRef(uri))
        assert repr(reference) == f"KeyRef({uri!r})" and reference.uri == uri
        assert reference.resolve() == key
        assert key.reveal() not in pickle.dumps(reference)
    monkeypatch.delenv("BACKUP_KEY")
    monkeypatch.delenv("CREDENTIALS_DIRECTORY")
    files = (f"file:{tmp_path / 'nothing'}", f"file:{tmp_path}")
    for uri in ("env:BACKUP_KEY", "credential:backup.key", "nobody:knows", *files):
        with pytest.raises(polyseal.KeyUnavailable, match=f"^{uri}: the key cannot be had") as raised:
            KeyRef(uri).resolve()
        # A store of chunks takes those for a chunk that is not there.
        assert not isinstance(raised.value, (OSError, LookupError)) and raised.value.__cause__ is not None


def vault(name: str) -> bytes:
    """A provider of keys that a package could bring."""
    assert name == "team/backup"
    return b"v" * 32


def test_a_package_adds_a_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    found = EntryPoints([EntryPoint("vault", "test_keys:vault", "polyseal.keys")])
    monkeypatch.setattr(polyseal.keys, "entry_points", lambda **kw: found.select(**kw))
    assert KeyRef("vault:team/backup").resolve() == SecretKey(b"v" * 32)
    # Whatever it raises, a key is missing.
    with pytest.raises(polyseal.KeyUnavailable) as raised:
        KeyRef("vault:other").resolve()
    assert isinstance(raised.value.__cause__, AssertionError)


def test_no_message_repeats_a_key(tmp_path: Path) -> None:
    text = SecretKey.generate().to_key_file().splitlines()[-1]
    secret = "AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ"
    plugin = "age-plugin-yubikey-1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"
    later = text.replace("-1-", "-2-")
    calls: list[Callable[[], object]] = [
        lambda: KeyRef(text),
        lambda: KeyRef(f"file:{text}"),
        lambda: KeyRef(f"env:{secret}"),
        lambda: KeyRef(f"file:{plugin}"),
        lambda: KeyRef(later),
        lambda: polyseal.encrypt_file(tmp_path / "a", tmp_path / "b", key=text),
        lambda: polyseal.encrypt_file(tmp_path / "a", tmp_path / "b", identity=secret),
        lambda: polyseal.encrypt_file(tmp_path / "a", tmp_path / "b", recipients=secret),
        lambda: polyseal.encrypt_file(tmp_path / "a", tmp_path / "b", recipients=plugin),
    ]
    for call in calls:
        with pytest.raises(ValueError) as raised:
            call()
        # The source of this test is no message.
        shown = "".join(traceback.format_exception_only(raised.value))
        assert not any(key in shown for key in (text, secret, plugin, later))


def test_a_name_is_no_key() -> None:
    for name in ("age-plugin-yubikey-identity.txt", "polyseal-key-1-2026.txt", "polyseal-key"):
        assert KeyRef(f"file:/keys/{name}").uri.endswith(name)


@pytest.mark.parametrize("uri", ["", "file", "file:", ":name", "credential:../other", "credential:.."])
def test_what_is_no_reference(uri: str) -> None:
    with pytest.raises(ValueError):
        KeyRef(uri)
    with pytest.raises(AttributeError):
        KeyRef("env:A")._uri = "env:B"
