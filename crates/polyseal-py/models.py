"""A model that many processes load through a cache which flips bytes, and how long tensors take beside plain ``safetensors``.

    scripts/models [MIB]        prints the figures of docs/models.md, of a model of so many MiB [2048]; it fails if a flip is
                                not found, or if the origin sends more than 1.02 of the model

The cache is nginx, started here, in front of a server of this script that counts what it sends. Bytes are flipped in the
files that nginx keeps. Eight processes read disjoint slices; whatever differs from what was signed is an error, which names
the object, and is then read from the origin.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy
import polyseal
import polyseal.safetensors
import safetensors

SHARDS, PROCESSES, FLIPS, TENSORS = 4, 8, 24, 32
#: The rows, of 4 KiB each, that are asked of the origin at once.
FEW_ROWS = 16
MIB = 1 << 20


class Origin(SimpleHTTPRequestHandler):
    """Files with ranges and entity tags, as a store has them."""

    protocol_version = "HTTP/1.1"
    sent = 0
    lock = threading.Lock()

    def do_GET(self) -> None:
        self.answer(with_body=True)

    def do_HEAD(self) -> None:
        self.answer(with_body=False)

    def answer(self, *, with_body: bool) -> None:
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        size = path.stat().st_size
        start, stop = 0, size
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if wanted:
            start = int(wanted[1])
            stop = min(size, int(wanted[2]) + 1 if wanted[2] else size)
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{size}")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", f'"{path.name}-{size}"')
        self.send_header("Content-Length", str(stop - start))
        self.end_headers()
        if with_body:
            with path.open("rb") as file:
                file.seek(start)
                left = stop - start
                while left:
                    piece = file.read(min(left, MIB))
                    self.wfile.write(piece)
                    left -= len(piece)
            with Origin.lock:
                Origin.sent += stop - start

    def log_message(self, format: str, *args: Any) -> None:
        pass


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def nginx(folder: Path, origin: int) -> tuple[subprocess.Popen[bytes], int]:
    port = free_port()
    (folder / "logs").mkdir()
    # Otherwise the workers of one that root has started are nobody's, and cannot write here.
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"""daemon off; {user} worker_processes 1; pid {folder}/pid; error_log {folder}/logs/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/temp;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    proxy_cache_path {folder}/cache keys_zone=models:8m max_size=8g inactive=1h;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            slice 1m; proxy_set_header Range $slice_range; proxy_cache models; proxy_cache_key $uri$slice_range;
            proxy_cache_valid 200 206 1h; proxy_cache_lock on; proxy_cache_lock_age 60s; proxy_cache_lock_timeout 60s; proxy_http_version 1.1; proxy_pass http://127.0.0.1:{origin};
        }}
    }}
}}
"""
    )
    started = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")])
    for _ in range(100):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return started, port
        time.sleep(0.05)
    raise RuntimeError((folder / "logs/error.log").read_text())


def make(folder: Path, mib: int) -> None:
    """Shards in ``plain`` and ``sealed``, and the keys."""
    (folder / "plain").mkdir()
    (folder / "sealed").mkdir()
    key, vendor = polyseal.SecretKey.generate(), polyseal.SigningKey.generate()
    (folder / "key").write_text(key.to_key_file())
    (folder / "signers").write_text(f"vendor@example.org {vendor.public_key}\n")
    rows = mib * MIB // SHARDS // TENSORS // 4 // 1024
    rng = numpy.random.default_rng(1)
    for shard in range(SHARDS):
        size, header = rows * 1024 * 4, {}
        for i in range(TENSORS):
            header[f"s{shard}.t{i}"] = {"dtype": "F32", "shape": [rows, 1024], "data_offsets": [i * size, (i + 1) * size]}
        text = json.dumps(header).encode()
        name = f"m{shard}.safetensors"
        with (folder / "plain" / name).open("wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for _ in range(TENSORS):
                file.write(rng.integers(0, 2**32, rows * 1024, dtype=numpy.uint32).tobytes())
        polyseal.encrypt_file(folder / "plain" / name, folder / "sealed" / f"{name}.polyseal", key=key, sign=vendor)


def load(job: tuple[str, str, int, bool]) -> tuple[int, int, list[str], int]:
    """Reads the slices of one process: the bytes, how many reads failed, the messages, and the peak of memory in KiB."""
    folder, port, process, is_checked = Path(job[0]), job[1], job[2], job[3]
    allowed = polyseal.AllowedSigners.from_file(str(folder / "signers"))
    reference = f"file:{folder}/key"
    failures: list[str] = []
    read = 0

    def opened(where: str, shard: int) -> polyseal.safetensors.safe_open:
        url = f"http://127.0.0.1:{where}/m{shard}.safetensors.polyseal"
        return polyseal.safetensors.safe_open(url, "np", key=reference, signers=allowed)

    origin = (folder / "origin").read_text()
    for shard in range(SHARDS):
        plain = safetensors.safe_open(folder / "plain" / f"m{shard}.safetensors", "np") if is_checked else None
        model = again(partial(opened, port), partial(opened, origin), shard, failures)
        for name in model.keys():
            part = model.get_slice(name)
            rows = part.get_shape()[0]
            start, stop = rows * process // PROCESSES, rows * (process + 1) // PROCESSES
            found = rows_of(part, start, stop, partial(opened, origin, shard), name, failures)
            read += found.nbytes
            if plain is not None:
                assert numpy.array_equal(found.view("uint32"), plain.get_slice(name)[start:stop].view("uint32")), name
        model.close()
    # The peak that getrusage tells is also of the process that this one was forked from.
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return read, len(failures), failures, int(peak[1]) if peak else 0


def rows_of(part: Any, start: int, stop: int, origin: Any, name: str, failures: list[str]) -> Any:
    """Rows of a tensor. Of some that are refused, halves are tried: few bytes are asked of the origin."""
    try:
        return part[start:stop]
    except (polyseal.PolysealError, OSError) as error:
        if stop - start > FEW_ROWS:
            middle = (start + stop) // 2
            halves = [rows_of(part, *half, origin, name, failures) for half in ((start, middle), (middle, stop))]
            return numpy.concatenate(halves)
        failures.append(str(error))
        with origin() as other:
            return other.get_slice(name)[start:stop]


def again(first: Any, other: Any, shard: int, failures: list[str]) -> Any:
    try:
        return first(shard)
    except (polyseal.PolysealError, OSError, ValueError) as error:
        failures.append(str(error))
        return other(shard)


def flip(cache: Path, chosen: random.Random) -> int:
    """Flips a bit in the body of some files of the cache."""
    files = sorted(path for path in cache.rglob("*") if path.is_file())
    picked = chosen.sample(files, min(FLIPS, len(files)))
    for path in picked:
        with path.open("r+b") as file:
            size = path.stat().st_size
            # The headers that nginx keeps come first.
            at = chosen.randrange(min(4096, size - 1), size)
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << chosen.randrange(8)]))
    return len(picked)


def scale(folder: Path) -> None:
    model = sum(path.stat().st_size for path in (folder / "sealed").iterdir())
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Origin, directory=str(folder / "sealed")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (folder / "origin").write_text(str(server.server_port))
    cache_folder = folder / "nginx"
    cache_folder.mkdir()
    proxy, port = nginx(cache_folder, server.server_port)
    try:
        with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
            for is_flipped in False, True:
                flips = flip(cache_folder / "cache", random.Random(3)) if is_flipped else 0
                before = Origin.sent
                results = pool.map(load, [(str(folder), str(port), process, True) for process in range(PROCESSES)])
                failed = len({said for each in results for said in each[2]})
                sent, read = Origin.sent - before, sum(each[0] for each in results)
                print(
                    f"{PROCESSES} processes read {read / MIB:.0f} MiB through nginx with {flips} flipped bytes: "
                    f"{failed} segments refused, all right in the end; the origin sent {sent / model:.4f} of the model"
                )
                assert failed == flips, "a flip was not found, or something else was refused"
                for said in sorted({said for each in results for said in each[2]})[:5]:
                    print("   ", said)
        print(f"in both, the origin sent {Origin.sent / model:.4f} of the model")
        assert Origin.sent <= 1.02 * model
        # In processes of their own: what was compared with the plain file has that in its memory.
        with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
            results = pool.map(load, [(str(folder), str(port), process, False) for process in range(PROCESSES)])
            print(f"peak of memory of a process: {max(each[3] for each in results) / 1024:.0f} MiB")
    finally:
        proxy.terminate()
        proxy.wait()
        server.shutdown()


def sums(kind: str, folder: Path) -> float:
    """The seconds until each tensor of each shard is there and summed."""
    key = polyseal.SecretKey.from_key_file((folder / "key").read_bytes())
    allowed = polyseal.AllowedSigners.from_file(str(folder / "signers"))
    begun = time.perf_counter()
    for shard in range(SHARDS):
        if kind == "plain":
            opened: Any = safetensors.safe_open(folder / "plain" / f"m{shard}.safetensors", "np")
        else:
            signers = allowed if kind == "signed" else None
            path = folder / "sealed" / f"m{shard}.safetensors.polyseal"
            opened = polyseal.safetensors.safe_open(path, "np", key=key, signers=signers)
        with opened as model:
            for name in model.keys():
                model.get_tensor(name).view("uint32").sum()
    return time.perf_counter() - begun


def speed(folder: Path) -> None:
    kinds = ["plain", "encrypted", "signed"]
    taken: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(5):
        for kind in kinds:
            taken[kind].append(sums(kind, folder))
    medians = {kind: statistics.median(each) for kind, each in taken.items()}
    for kind in kinds:
        print(f"{kind}: {medians[kind]:.2f} s, {medians[kind] / medians['plain']:.2f} of plain")


def main() -> None:
    mib = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
    where = "/dev/shm" if shutil.disk_usage("/dev/shm").free > 3 * mib * MIB else None
    with tempfile.TemporaryDirectory(dir=where) as name:
        folder = Path(name)
        make(folder, mib)
        speed(folder)
        scale(folder)


if __name__ == "__main__":
    main()
