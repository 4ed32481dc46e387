"""An S3 server does not decide how much memory an object takes, nor where it is written."""

from __future__ import annotations

import sys
import threading
import tracemalloc
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fsspec
import polyseal
import pytest
from polyseal import KeyRef

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from test_bounds import LITTLE, MUCH, Server  # noqa: E402


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The options of s3fs for a server that has one encrypted object."""
    monkeypatch.chdir(tmp_path)
    key = polyseal.SecretKey.generate()
    Path("key").write_text(key.to_key_file())
    Path("plain").write_bytes(b"attack at dawn" * 1000)
    polyseal.encrypt_file("plain", "sealed", key=key)
    Server.stored, Server.kind, Server.sent = Path("sealed").read_bytes(), "", 0
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        yield {"endpoint_url": url, "key": "a", "secret": "b", "skip_instance_cache": True}
        server.shutdown()


@pytest.mark.parametrize("kind", ["longer", "chunked", "packed"])
def test_an_object_is_no_longer_than_what_is_asked_for(options: dict[str, Any], kind: str) -> None:
    fs = fsspec.filesystem("polyseal", target_protocol="s3", target_options=options, key="file:key")
    assert fs.cat_file("bucket/sealed", 0, 6) == b"attack"
    Server.kind = kind
    fs.invalidate_cache()
    again = fsspec.filesystem(
        "polyseal", target_protocol="s3", target_options=options, key="file:key", skip_instance_cache=True
    )
    fsspec.config.conf["s3"] = {name: value for name, value in options.items() if name != "skip_instance_cache"}
    tracemalloc.start()
    try:
        for take in (
            lambda: again.cat_file("bucket/sealed", 0, 6),
            lambda: again.open("bucket/sealed").read(6),
            lambda: KeyRef("wrapped:s3://bucket/sealed").resolve(),
        ):
            with pytest.raises((OSError, polyseal.PolysealError)):
                take()
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        fsspec.config.conf.clear()
    # The models of the service take some.
    assert taken < 2 * LITTLE and Server.sent < MUCH
