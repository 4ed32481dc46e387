"""Payloads without input or output, and files that are sealed in parts by several processes."""

from __future__ import annotations

import io
import os
import pickle
import random
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import polyseal
import pytest
from polyseal import KeyRef, SecretKey

MESSAGE = bytes(range(256)) * 3000


def seal_part(ticket: bytes, key: KeyRef, start: int, stop: int) -> bytes:
    """The work of a worker: it has the ticket, a reference to the key, and the source."""
    sealer = polyseal.Sealer.from_ticket(ticket, b"v1", key=key)
    needed = sealer.plaintext_range(start, stop)
    return sealer.seal(start, stop, b"v1", MESSAGE[needed.start : needed.stop])


def test_processes_seal_parts_of_a_file(tmp_path: Path, key: SecretKey) -> None:
    path = tmp_path / "key"
    path.write_text(key.to_key_file())
    reference = KeyRef(f"file:{path}")
    sealer = polyseal.Sealer(len(MESSAGE), b"v1", key=reference, suite="aegis-128x2")
    ticket, parts = sealer.ticket(), sealer.parts(100_000)
    assert key.reveal() not in ticket
    assert parts[0].start == 0 and parts[-1].stop == sealer.stored_size and sealer.size == len(MESSAGE)
    order = list(parts)
    random.Random(1).shuffle(order)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        jobs = {part: pool.submit(seal_part, ticket, reference, part.start, part.stop) for part in order}
        file = b"".join(jobs[part].result() for part in parts)
    assert file.startswith(sealer.header)
    assert polyseal.open(io.BytesIO(file), key=key).read() == MESSAGE


def test_a_part_of_another_version_is_refused(key: SecretKey) -> None:
    sealer = polyseal.Sealer(100_000, b"v1", key=key)
    with pytest.raises(polyseal.SourceChanged):
        sealer.seal(0, 5000, b"v2", MESSAGE[:65_536])
    with pytest.raises(polyseal.SourceChanged):
        polyseal.Sealer.from_ticket(sealer.ticket(), b"v2", key=key)
    first = sealer.seal(0, 69_648, b"v1", MESSAGE[:65_536])
    assert sealer.seal(0, 69_648, b"v1", MESSAGE[:65_536]) == first
    with pytest.raises(polyseal.SourceChanged, match="another plaintext"):
        sealer.seal(0, 69_648, b"v1", bytes(65_536))
    with pytest.raises(ValueError, match="99 bytes were given of a part that takes 65536"):
        sealer.seal(0, 69_648, b"v1", bytes(99))
    with pytest.raises(ValueError, match="1 to 4096"):
        polyseal.Sealer(1, b"", key=key)


def test_workers_that_cannot_open_the_file(key: SecretKey) -> None:
    worker = SecretKey.generate()
    sealer = polyseal.Sealer(len(MESSAGE), b"v1", key=key)
    with pytest.raises(polyseal.NoMatchingKey):
        polyseal.Sealer.from_ticket(sealer.ticket(), b"v1", key=worker)
    theirs = polyseal.Sealer.from_ticket(sealer.ticket_for(key=worker), b"v1", key=worker)
    file = theirs.seal(0, theirs.stored_size, b"v1", MESSAGE)
    assert polyseal.open(io.BytesIO(file), key=key).read() == MESSAGE
    with pytest.raises(polyseal.NoMatchingKey):
        polyseal.open(io.BytesIO(file), key=worker)


@pytest.mark.parametrize("detached", [False, True])
def test_ranges_of_a_payload(key: SecretKey, detached: bool) -> None:
    sealer = polyseal.Sealer(len(MESSAGE), b"v1", key=key, detached=detached)
    stored = sealer.seal(0, sealer.stored_size, b"v1", MESSAGE)
    assert detached != stored.startswith(sealer.header)
    head = polyseal.PayloadHead(sealer.header, len(stored), detached=detached, key=key)
    last = stored[head.last_range.start : head.last_range.stop]
    with pytest.raises(polyseal.CorruptSegment):
        polyseal.PayloadHead(sealer.header, len(stored), detached=detached, key=key).certain(bytes(len(last)))
    payload = head.certain(last)
    with pytest.raises(ValueError, match="used"):
        head.certain(last)
    assert payload.size == len(MESSAGE) and payload.segment_size == 65_536
    for start, stop in [(0, 1), (65_530, 65_540), (5, 700_000), (0, 10**9), (10**9, 10**9 + 1), (9, 9), (9, 5)]:
        needed = payload.stored_range(start, stop)
        part = stored[needed.start : needed.stop]
        assert payload.open_range(start, stop, part) == MESSAGE[start:stop]
        assert payload.open_range(start, stop, bytearray(part)) == MESSAGE[start:stop]
        with pytest.raises(ValueError, match="bytes were given"):
            payload.open_range(start, stop, part + b"\0")
    fetched: list[tuple[int, int]] = []

    def fetch(start: int, stop: int) -> bytes:
        fetched.append((start, stop))
        return stored[start:stop]

    again = polyseal.Payload.open(sealer.header, len(stored), fetch, detached=detached, key=key)
    assert again.size == len(MESSAGE) and fetched == [(head.last_range.start, head.last_range.stop)]
    with pytest.raises(polyseal.CorruptSegment) as raised:
        polyseal.Payload.open(sealer.header, len(stored) - 1, fetch, detached=detached, key=key)
    assert raised.value.last


def test_the_first_bytes_say_the_sizes(key: SecretKey) -> None:
    stream = io.BytesIO()
    polyseal.encrypt_file(io.BytesIO(MESSAGE), stream, key=key, header_size=20_000, segment_size=8192)
    file = stream.getvalue()
    outline = polyseal.Outline.parse(file[: polyseal.Outline.BYTES])
    assert outline.header_size == 20_480 and outline.segment_size == 8192
    assert outline.suite == "aegis-256x2" and outline.size(len(file)) == len(MESSAGE)
    assert outline.size(len(file) - 20_480, detached=True) == len(MESSAGE)
    assert outline.size(20_481) is None
    with pytest.raises(polyseal.HeaderError):
        polyseal.Outline.parse(bytes(1000))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stream_of_a_length_that_is_not_known(key: SecretKey, threads: int) -> None:
    for size in (0, 1, 65_536, 1 << 20, (1 << 20) + 1, 5_000_000):
        message = os.urandom(size)
        sealer = polyseal.StreamSealer(key=key, threads=threads)
        file = sealer.header
        for at in range(0, size, 300_007):
            file += sealer.write(bytearray(message[at : at + 300_007]))
        file += sealer.finish()
        assert polyseal.open(io.BytesIO(file), key=key).read() == message
        with pytest.raises(ValueError, match="finished"):
            sealer.finish()
        with pytest.raises(ValueError, match="finished"):
            sealer.write(b"more")


def test_what_seals_is_not_pickled(key: SecretKey) -> None:
    sealer = polyseal.Sealer(5, b"v1", key=key)
    for holder in (sealer, polyseal.StreamSealer(key=key), polyseal.PayloadHead(sealer.header, 4117, key=key)):
        with pytest.raises(TypeError):
            pickle.dumps(holder)
