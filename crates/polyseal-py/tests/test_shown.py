"""No error shows what a URL hides: neither its text, nor the file that it names, nor what it comes from."""

from __future__ import annotations

import http.server
import pickle
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import polyseal
import polyseal.jobs
import pytest
from polyseal import KeyRef, SecretKey
from polyseal._shown import shown, without_secrets
from test_bounds import WAYS, Server

HIDDEN = ("4f1dSIGNATURE", "hunter2")


def texts(error: BaseException | None) -> str:
    """All that could be printed of an error, and of those that it comes from."""
    found, waiting, seen = list[str](), [error], set[int]()
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        found += [str(each), repr(each), repr(each.args), *getattr(each, "__notes__", ())]
        found += [repr(getattr(each, name, None)) for name in ("filename", "filename2", "strerror", "errors")]
        found += traceback.format_exception_only(each)
        waiting += [each.__cause__, each.__context__]
    return "\n".join(found)


@pytest.fixture
def signed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of an encrypted file, with a signature and a password."""
    monkeypatch.chdir(tmp_path)
    key = SecretKey.generate()
    Path("key").write_text(key.to_key_file())
    Path("plain").write_bytes(b"attack at dawn" * 10_000)
    polyseal.encrypt_file("plain", "sealed", key=key)
    Server.stored, Server.kind, Server.sent = Path("sealed").read_bytes(), "", 0
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://me:{HIDDEN[1]}@127.0.0.1:{server.server_port}/sealed?X-Amz-Signature={HIDDEN[0]}&x=1"
        server.shutdown()


def expect_hidden(way: str, place: str) -> None:
    with pytest.raises((OSError, polyseal.PolysealError)) as raised:
        WAYS[way](place)
    told = texts(raised.value)
    assert not any(each in told for each in HIDDEN), told
    assert not any(each.encode() in pickle.dumps(raised.value) for each in HIDDEN)


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("directory", "store")])
def test_no_error_shows_a_signature_or_a_password(signed: str, way: str) -> None:
    for Server.kind in ("longer", "packed", "refused", "missing", "garbage", "short"):
        expect_hidden(way, signed)
    expect_hidden(way, f"http://me:{HIDDEN[1]}@127.0.0.1:1/x?s={HIDDEN[0]}")


def test_no_error_of_a_list_shows_it(signed: str) -> None:
    fs: Any = fsspec.filesystem("polyseal", target_protocol="http", key="file:key", skip_instance_cache=True)
    for Server.kind in ("refused", "missing"):
        for ask in (fs.info, fs.ls, fs.size, fs.ukey, fs.rm, fs.mkdir, lambda place: fs.pipe(place, b"x"), fs.find):
            try:
                ask(signed)
            except Exception as error:
                told = texts(error)
                assert not any(each in told for each in HIDDEN), (ask, told)
    with pytest.raises(FileNotFoundError) as raised:
        polyseal.jobs.plan("verify", signed, key="file:key")
    assert not any(each in texts(raised.value) for each in HIDDEN)


def test_each_path_stands_once(signed: str) -> None:
    Path("other").write_text(SecretKey.generate().to_key_file())
    Path("damaged").write_bytes(Path("sealed").read_bytes()[:-1] + b"?")
    for take in (
        lambda: polyseal.open("none", key="file:key"),
        lambda: polyseal.verify_file("sealed", key="file:other"),
        lambda: polyseal.verify_file("damaged", key="file:key"),
        lambda: polyseal.verify_file("plain", key="file:key"),
        lambda: polyseal.encrypt_file("plain", "sealed", key="file:key"),
        lambda: polyseal.encrypt_file("plain", "none/x", key="file:key"),
        lambda: polyseal.verify_file("sealed", key="file:none"),
        lambda: polyseal.verify_file("sealed", identity="none"),
        lambda: polyseal.verify_file("sealed", key="wrapped:memory://none/x"),
        lambda: polyseal.decrypt_tree("none", "out", key="file:key"),
    ):
        with pytest.raises((OSError, polyseal.PolysealError)) as raised:
            take()
        text = str(raised.value)
        names = [name for name in ("none/x", "none", "sealed", "damaged", "plain") if name in text]
        assert all(text.count(name) == 1 for name in names[:1]), text


def test_texts() -> None:
    for text, expected in {
        "http://h/p?sig=1&x#y": "http://h/p?…",
        "s3://me:pw@h/p": "s3://…@h/p",
        "'https://u@h/a b?q' and http://h/#frag": "'https://…@h/a b?q' and http://h/?…",
        "http://h/p?a b'c\"d": "http://h/p?…",
        "http://h/p?…: not found": "http://h/p?…: not found",
        "/local/a?b": "/local/a?b",
        "bucket/a@b?c": "bucket/a@b?c",
        "wrapped:https://h/x?t": "wrapped:https://h/x?…",
        "https://u:it's@h/x": "https://…@h/x",
        "https://u:p w@h/x": "https://…@h/x",
        "Cannot connect https://h/a'b?sig=1": "Cannot connect https://h/a'b?…",
        "https://h/a?…sig=1": "https://h/a?…",
        "read (http://h/a,https://u@g/b?c): gone": "read (http://h/a,https://…@g/b?…): gone",
    }.items():
        assert without_secrets(text) == expected
    # Whoever sends it chooses how long it is.
    assert without_secrets("x " + "://" * 300_000) == "x " + "://" * 300_000
    assert shown("http://h/\x1b?x") == "http://h/\\u{1b}?…"
    assert repr(KeyRef("env:A")) == "KeyRef('env:A')"
