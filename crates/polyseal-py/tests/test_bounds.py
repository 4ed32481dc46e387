"""A web server does not decide how much memory is taken: each way to it is asked for a little, and given much."""

from __future__ import annotations

import gzip
import http.server
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import fsspec
import polyseal
import pytest
from polyseal import KeyRef, SecretKey
from polyseal._bounds import MOST
from polyseal._stores import store

#: Bytes of an answer that is too long; and what may be taken of any.
MUCH, LITTLE = 64 << 20, 24 << 20
PACKED = gzip.compress(bytes(MUCH))


class Server(http.server.BaseHTTPRequestHandler):
    """Gives the stored file, or too much of something."""

    protocol_version = "HTTP/1.1"
    stored: ClassVar[bytes] = b""
    kind: ClassVar[str] = ""
    sent: ClassVar[int] = 0

    def log_message(self, *_: object) -> None:
        pass

    def begin(self, status: int, **headers: object) -> None:
        self.send_response(status)
        told = {"ETag": '"x"', "Accept_Ranges": "bytes", "Content_Type": "application/octet-stream", **headers}
        for name, value in told.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def do_HEAD(self) -> None:
        self.begin(200, Content_Length=len(self.stored))

    def pour(self, chunked: bool = False) -> None:
        piece = bytes(1 << 20)
        for _ in range(MUCH >> 20):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
            type(self).sent += len(piece)

    def do_GET(self) -> None:
        try:
            self.answer()
        except OSError:
            self.close_connection = True

    def answer(self) -> None:
        asked = self.headers.get("Range", "bytes=0-")
        start, _, last = asked.removeprefix("bytes=").partition("-")
        begin, end = int(start), min(len(self.stored), int(last or len(self.stored)) + 1)
        told = {"Content_Range": f"bytes {begin}-{end - 1}/{len(self.stored)}"}
        match self.kind:
            case "longer":
                self.begin(206, Content_Length=MUCH, **told)
                self.pour()
            case "chunked":
                self.begin(206, Transfer_Encoding="chunked", **told)
                self.pour(chunked=True)
            case "whole":
                self.begin(200, Content_Length=MUCH)
                self.pour()
            case "packed":
                kind = "application/octet-stream" if self.path == "/sealed" else "text/html"
                self.begin(206, Content_Encoding="gzip", Content_Type=kind, Content_Length=len(PACKED), **told)
                self.wfile.write(PACKED)
            case "missing":
                self.begin(404, Content_Length=0)
            case "garbage":
                self.begin(206, Content_Length=end - begin, **told)
                self.wfile.write(bytes(end - begin))
            case "short":
                self.begin(206, Content_Length=1, **told)
                self.wfile.write(b"p")
            case "refused":
                self.begin(403, Content_Length=MUCH)
                self.pour()
            case "listed":
                self.begin(200, Content_Length=MUCH, Content_Type="text/html")
                self.pour()
            case _:
                data = self.stored[begin:end]
                self.begin(206, Content_Length=len(data), **told)
                self.wfile.write(data)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of an encrypted file."""
    monkeypatch.chdir(tmp_path)
    key = SecretKey.generate()
    Path("key").write_text(key.to_key_file())
    Path("plain").write_bytes(bytes(range(256)) * 1000)
    polyseal.encrypt_file("plain", "sealed", key=key)
    Server.stored, Server.kind, Server.sent = Path("sealed").read_bytes(), "", 0
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/sealed"
        server.shutdown()


def encrypted() -> Any:
    return fsspec.filesystem("polyseal", target_protocol="http", key="file:key", skip_instance_cache=True)


def of_store(place: str) -> None:
    found, path = store(place, {}, output=False)
    now = found.now(path)
    assert now is not None
    assert found.read(path, 0, 100, now[1]) == Server.stored[:100]


WAYS: dict[str, Callable[[str], object]] = {
    "cat_file": lambda place: encrypted().cat_file(place, 0, 100),
    "cat_ranges": lambda place: encrypted().cat_ranges([place], [5], [9], on_error="raise"),
    "cat": lambda place: encrypted().cat([place]),
    "open": lambda place: encrypted().open(place).read(100),
    "get": lambda place: encrypted().get_file(place, "got"),
    "directory": lambda place: fsspec.filesystem(
        "polyseal", fs=fsspec.filesystem("dir", path=place.removesuffix("/sealed"), target_protocol="http"), key="file:key"
    ).cat_file("sealed", 0, 100),
    "store": of_store,
    "key": lambda place: KeyRef(f"wrapped:{place}").resolve(),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_server_sends_is_bounded(place: str, way: str) -> None:
    if way != "key":
        WAYS[way](place)
    for Server.kind in ("longer", "chunked", "whole", "packed", "refused"):
        Server.sent = 0
        tracemalloc.start()
        try:
            with pytest.raises((OSError, polyseal.PolysealError)):
                WAYS[way](place)
            taken = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert taken < LITTLE, (Server.kind, taken)
        # The bytes that the system holds between the two of them.
        assert Server.sent < MUCH // 2, Server.kind


def test_a_list_and_sizes_are_bounded(place: str) -> None:
    Server.kind = "listed"
    tracemalloc.start()
    try:
        with pytest.raises(OSError, match=str(MOST)):
            encrypted().ls(place.removesuffix("sealed"))
        Server.kind = "longer"
        assert encrypted().info(place)["size"] is None
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # The longest list, as text, too.
    assert taken < 3 * MOST
    # No list is silently empty, and nothing is unpacked before it is looked at.
    Server.kind = "packed"
    with pytest.raises(OSError, match="packs"):
        encrypted().ls(place.removesuffix("sealed"))
    assert encrypted().fs.client_kwargs["auto_decompress"] is False


def test_another_program_that_uses_the_file_system_is_not_bounded(place: str) -> None:
    below = fsspec.filesystem("http")
    encrypted().cat_file(place)
    Server.kind = "whole"
    assert len(below.cat_file(place)) == MUCH
