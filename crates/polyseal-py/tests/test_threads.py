"""Many threads use one object at once. On a free-threaded interpreter they really do."""

from __future__ import annotations

import io
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polyseal
import pytest
from conftest import aeads, macs
from polyseal import Flex, KcXaes256Gcm, KeyRef, SecretKey

THREADS = 8
#: Long enough to be computed without the interpreter's lock.
TEXT = bytes(range(256)) * 40


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """The results of as many threads, which begin together."""
    gate = threading.Barrier(THREADS)

    def begin(number: int) -> Any:
        gate.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def test_a_free_threaded_interpreter_stays_one() -> None:
    free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    told = subprocess.run(
        [sys.executable, "-c", "import sys, polyseal; print(getattr(sys, '_is_gil_enabled', lambda: True)())"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == str(not free) and told.stderr == ""


@pytest.mark.parametrize("algorithm", [*aeads(), *macs()], ids=lambda algorithm: algorithm.__name__)
def test_threads_share_a_cipher(algorithm: Any) -> None:
    cipher = algorithm(algorithm.generate_key())

    def work(number: int) -> None:
        nonce = number.to_bytes(algorithm.nonce_bytes, "big") if algorithm.nonce_bytes else b""
        for text in (TEXT, bytearray(TEXT), b"short"):
            if issubclass(algorithm, polyseal.Mac):
                cipher.verify(nonce, text, cipher.sign(nonce, text))
                continue
            sealed = cipher.encrypt(nonce, text, b"header")
            assert cipher.decrypt(nonce, bytearray(sealed), b"header") == text
            with pytest.raises(polyseal.InvalidTag):
                cipher.decrypt(nonce, sealed, b"another")

    at_once(work)


def test_threads_share_flex_and_batches() -> None:
    flex = Flex(SecretKey.generate(), Flex.configuration("civ", public_nonce=16), b"setup")
    cipher = KcXaes256Gcm(KcXaes256Gcm.generate_key())

    def work(number: int) -> None:
        text = TEXT[number:]
        assert flex.open(flex.seal(text)) == text
        many = [(bytearray(text[:n]), None) for n in range(0, 300, 10)]
        assert [cipher.open(sealed) for sealed in cipher.seal_many(many)] == [text for text, _ in many]

    at_once(work)


def test_memory_that_other_threads_write_and_resize() -> None:
    """A sealed message is some mix of old and new bytes, and opens."""
    cipher = KcXaes256Gcm(KcXaes256Gcm.generate_key())
    shared, stop = bytearray(TEXT), threading.Event()

    def scribble() -> None:
        number = 0
        while not stop.is_set():
            number = (number + 1) % 256
            try:
                shared[:] = bytes([number]) * len(shared)
                shared.append(number)
                del shared[-1:]
            except BufferError:
                # It is held.
                continue

    def work(number: int) -> None:
        for _ in range(50):
            assert len(cipher.open(cipher.seal(shared))) >= len(TEXT)
            nonce, out = bytes(KcXaes256Gcm.nonce_bytes), bytearray(2 * len(TEXT))
            assert cipher.encrypt_into(nonce, TEXT, None, out) == len(TEXT) + KcXaes256Gcm.tag_bytes

    writer = threading.Thread(target=scribble)
    writer.start()
    try:
        at_once(work)
    finally:
        stop.set()
        writer.join()


def test_threads_share_a_file_that_is_read(tmp_path: Path, key: SecretKey) -> None:
    path, text = tmp_path / "sealed", TEXT * 30
    with polyseal.open(path, "wb", key=key) as file:
        file.write(text)
    stored = path.read_bytes()
    opener = polyseal.Opener(polyseal.Version(len(stored)))
    while ranges := opener.wanted(key=key):
        for start, stop in ranges:
            opener.take(start, stop, stored[start:stop])
    payload = opener.payload()[0]
    reader = polyseal.open(path, key=key, threads=2)
    of_object = polyseal.open(io.BytesIO(stored), key=key)

    def work(number: int) -> None:
        for at in range(number, len(text), 40_000):
            assert reader.read_at(at, 9_000) == of_object.read_at(at, 9_000) == text[at : at + 9_000]
            part = payload.stored_range(at, at + 100)
            assert payload.open_range(at, at + 100, stored[part.start : part.stop]) == text[at : at + 100]

    at_once(work)


def test_threads_seal_one_file_and_many(tmp_path: Path, key: SecretKey) -> None:
    sealer = polyseal.Sealer(len(TEXT) * THREADS, b"version", key=key, segment_size=4096)
    stream = polyseal.StreamSealer(key=key, segment_size=4096)
    parts = sealer.parts(-(-sealer.stored_size // THREADS))

    def work(number: int) -> tuple[bytes, bytes]:
        own, part = tmp_path / str(number), parts[number]
        polyseal.encrypt_file(own.with_suffix(".plain"), own, key=key)
        polyseal.decrypt_file(own, own.with_suffix(".again"), key=key)
        assert own.with_suffix(".again").read_bytes() == TEXT[number:]
        needed = sealer.plaintext_range(part.start, part.stop)
        return sealer.seal(part.start, part.stop, b"version", bytes(len(needed))), stream.write(TEXT)

    for number in range(THREADS):
        (tmp_path / f"{number}.plain").write_bytes(TEXT[number:])
    done = at_once(work)
    (tmp_path / "parts").write_bytes(b"".join(part for part, _ in done))
    assert polyseal.verify_file(tmp_path / "parts", key=key).size == sealer.size
    # Which thread got which bytes of the stream, nobody knows; none is lost.
    assert len(stream.header) + sum(len(stored) for _, stored in done) + len(stream.finish()) > THREADS * len(TEXT)


def test_threads_share_a_key_and_a_reference(tmp_path: Path) -> None:
    key = SecretKey.generate()
    (tmp_path / "key").write_text(key.to_key_file())
    reference = KeyRef(f"file:{tmp_path / 'key'}")
    assert at_once(lambda _: (reference.resolve() == key, len(key), key.reveal())) == [(True, 32, key.reveal())] * THREADS


WAITING = """
import sys, threading, time, polyseal
key = polyseal.SecretKey.generate()
sealer = polyseal.StreamSealer(key=key)
stored = sealer.header + sealer.finish(b"text")
opener = polyseal.Opener(polyseal.Version(len(stored)))
for start, stop in opener.wanted(key=key):
    opener.take(start, stop, stored[start:stop])
class Slow(polyseal.KeyRef):
    def resolve(self):
        time.sleep(0.1)
        return key
def ask():
    assert opener.wanted(key=Slow("env:SLOW")) == []
threads = [threading.Thread(target=ask) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert opener.payload()[0].size == 4
"""


def test_who_waits_for_an_opener_lets_the_other_resolve_its_key() -> None:
    subprocess.run([sys.executable, "-c", WAITING], check=True, timeout=60)
