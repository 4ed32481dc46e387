"""A real S3 server on this machine, and a proxy before it that counts, and delays if it is told to."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

USER, SECRET = "polyseal", "only-for-tests"


def free_port() -> int:
    """A port that nothing listened to a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def versitygw() -> Iterator[tuple[int, Path]]:
    """Versity's gateway over a folder of its own, in which buckets are folders: its port, and the folder."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        # Metadata are extended attributes, which change together with the object.
        process = subprocess.Popen(
            [os.environ["POLYSEAL_VERSITYGW"], "--quiet", "--access", USER, "--secret", SECRET]
            + ["--port", f"127.0.0.1:{port}", "posix", folder],
            stdout=subprocess.DEVNULL,
        )
        try:
            wait_for(port, process)
            yield port, Path(folder)
        finally:
            process.kill()
            process.wait()


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    """Until something listens there."""
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        if process.poll() is not None:
            raise RuntimeError("the server does not run: are there extended attributes in TMPDIR?")
        time.sleep(0.05)
    raise RuntimeError("the server does not listen")


@dataclass
class Proxy:
    """Counts the traffic through it: requests, and bytes to the server and from it, heads included."""

    port: int
    requests: int = 0
    sent: int = 0
    received: int = 0
    first_lines: list[str] = field(default_factory=list)

    def reset(self) -> None:
        self.requests = self.sent = self.received = 0
        self.first_lines.clear()


@contextlib.contextmanager
def proxy(server: int, delay: float = 0.0) -> Iterator[Proxy]:
    """Passes connections on to the port ``server``. Each request waits for ``delay`` seconds."""
    counts = Proxy(free_port())
    started = threading.Event()
    loop = asyncio.new_event_loop()

    async def upstream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            # A body follows its head at once or on "100 Continue", and never begins so.
            if data[:5].rstrip(b" /").isalpha() and b" HTTP/1.1\r\n" in data[:4096]:
                counts.requests += 1
                counts.first_lines.append(data.split(b"\r\n", 1)[0].decode("latin-1"))
                await asyncio.sleep(delay)
            counts.sent += len(data)
            writer.write(data)
            await writer.drain()
        writer.close()

    async def downstream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            counts.received += len(data)
            writer.write(data)
            await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", server)
        await asyncio.gather(
            upstream(reader, server_writer), downstream(server_reader, writer), return_exceptions=True
        )

    async def main() -> Any:
        listening = await asyncio.start_server(serve, "127.0.0.1", counts.port)
        started.set()
        return listening

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(main())
        loop.run_forever()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    started.wait()
    try:
        yield counts
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def s3_options(port: int) -> dict[str, Any]:
    """The options with which s3fs uses it."""
    return {
        "key": USER,
        "secret": SECRET,
        "client_kwargs": {"region_name": "us-east-1"},
        "endpoint_url": f"http://127.0.0.1:{port}",
    }
