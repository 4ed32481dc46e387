"""Memory that other threads write, and the interpreter's lock."""

from __future__ import annotations

import array
import os
import sys
import threading
from collections.abc import Callable

import polyseal
import pytest
from conftest import aeads

MIB = 1 << 20


def while_another_thread_runs(spin: Callable[[], object], work: Callable[[], None]) -> int:
    """Runs ``work`` while another thread calls ``spin`` all the time; returns how often it did."""
    stop, started, count = threading.Event(), threading.Event(), 0

    def run() -> None:
        nonlocal count
        while not stop.is_set():
            spin()
            count += 1
            started.set()

    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    before = count
    try:
        work()
        return count - before
    finally:
        stop.set()
        thread.join()


def test_other_threads_run_meanwhile() -> None:
    """With an interval this long nobody is made to give the lock away: only who offers it does."""
    cipher, data = polyseal.OmdSha512(bytes(64)), bytes(8 * MIB)
    nonce, out = bytes(32), bytearray(8 * MIB + 64)
    calls: list[Callable[[], object]] = [
        lambda: cipher.encrypt(nonce, data),
        lambda: cipher.encrypt(nonce, bytearray(data)),
        lambda: cipher.encrypt_into(nonce, data, None, out),
        lambda: cipher.decrypt_into(nonce, bytes(out), None, out),
        lambda: cipher.seal(data),
        lambda: cipher.seal_many([(data, None)]),
        lambda: polyseal.AegisMac128L(bytes(16)).sign(bytes(16), data * 8),
        lambda: polyseal.Flex(bytes(32), "flex-och").encrypt(bytes(32), data),
    ]
    interval = sys.getswitchinterval()
    ticker = threading.Event()
    for call in calls:
        ticks = 0

        def tick() -> None:
            nonlocal ticks
            ticker.wait(0.0001)
            ticks += 1

        def work(call: Callable[[], object] = call) -> None:
            before = ticks
            for _ in range(1000):
                call()
                if ticks > before:
                    return

        try:
            sys.setswitchinterval(1000)
            assert while_another_thread_runs(tick, work) > 0
        finally:
            sys.setswitchinterval(interval)


def test_input_that_changes_meanwhile_is_read_once() -> None:
    """Whatever mix of bytes is read, it is one message: what is sealed opens, to the bytes that were
    there."""
    cipher, nonce = polyseal.Aegis128X2(bytes(16)), bytes(16)
    data = bytearray(4 * MIB)
    value = 0

    def change() -> None:
        nonlocal value
        value = (value + 1) % 256
        data[:] = bytes([value]) * len(data)

    def seal() -> None:
        for _ in range(30):
            message = cipher.decrypt(nonce, cipher.encrypt(nonce, data))
            assert len(message) == len(data)
            out = bytearray(len(data) + 16)
            cipher.encrypt_into(nonce, data, None, out)
            assert len(cipher.decrypt(nonce, out)) == len(data)

    assert while_another_thread_runs(change, seal) > 0


def test_output_that_changes_meanwhile_is_only_spoilt() -> None:
    cipher, nonce = polyseal.Aes256Gcm(bytes(32)), bytes(12)
    data, out = os.urandom(4 * MIB), bytearray(4 * MIB + 16)
    sealed = cipher.encrypt(nonce, data)

    def change() -> None:
        out[::4096] = bytes(len(range(0, len(out), 4096)))

    def seal() -> None:
        for _ in range(30):
            assert cipher.encrypt_into(nonce, data, None, out) == len(sealed)
            # Authenticity is that of what was read, not of what stands there.
            assert cipher.decrypt_into(nonce, sealed, None, out) == len(data)

    assert while_another_thread_runs(change, seal) > 0


def test_a_buffer_that_is_in_use_is_not_resized() -> None:
    cipher, data = polyseal.OmdSha256(bytes(32)), bytearray(8 * MIB)
    refused = 0

    def resize() -> None:
        nonlocal refused
        try:
            data.append(0)
            data.pop()
        except BufferError:
            refused += 1

    def seal() -> None:
        for _ in range(200):
            cipher.encrypt(bytes(31), data)
            if refused:
                break

    while_another_thread_runs(resize, seal)
    assert refused > 0


@pytest.mark.parametrize("length", [40, 5000, 3 * MIB])
@pytest.mark.parametrize("shift", [-17, -1, 0, 1, 16, 33])
def test_input_and_output_may_overlap(length: int, shift: int) -> None:
    cipher, nonce = polyseal.Aegis256(bytes(32)), bytes(32)
    memory = bytearray(os.urandom(length + 200))
    message = bytes(memory[64 : 64 + length])
    sealed = cipher.encrypt(nonce, message)
    view = memoryview(memory)
    n = cipher.encrypt_into(nonce, view[64 : 64 + length], None, view[64 + shift :])
    at = 64 + shift
    assert memory[at : at + n] == sealed
    m = cipher.decrypt_into(nonce, view[at : at + n], None, view[64:])
    assert memory[64 : 64 + m] == message


@pytest.mark.parametrize("algorithm", aeads(), ids=lambda c: c.algorithm)
@pytest.mark.parametrize("length", [1, 40, 3000])
def test_every_algorithm_opens_in_place_or_leaves_zeros(algorithm: type[polyseal.Aead], length: int) -> None:
    cipher, nonce, message = algorithm(algorithm.generate_key()), os.urandom(algorithm.nonce_bytes), os.urandom(length)
    sealed = cipher.encrypt(nonce, message)
    for shift in (-33, -16, -1, 0, 1, 15, 40):
        memory = bytearray(b"\xaa" * (len(sealed) + 100))
        view, at = memoryview(memory), 40 + shift
        memory[40 : 40 + len(sealed)] = sealed
        assert cipher.decrypt_into(nonce, view[40 : 40 + len(sealed)], None, view[at:]) == length
        assert memory[at : at + length] == message
        altered = sealed[:-1] + bytes([sealed[-1] ^ 1])
        memory[40 : 40 + len(sealed)] = altered
        with pytest.raises(polyseal.InvalidTag):
            cipher.decrypt_into(nonce, view[40 : 40 + len(sealed)], None, view[at:])
        assert memory[at : at + length] == bytes(length)


def test_any_object_with_a_buffer() -> None:
    cipher, nonce = polyseal.Aegis128L(bytes(16)), bytes(16)
    numbers = array.array("d", [1.5, 2.5, -3.0])
    sealed = cipher.encrypt(nonce, numbers)
    assert cipher.decrypt(nonce, sealed) == numbers.tobytes()
    out = array.array("d", [0.0, 0.0, 0.0])
    assert cipher.decrypt_into(nonce, sealed, None, out) == 24
    assert out == numbers
    # At every offset to a word.
    data = os.urandom(64)
    for start in range(9):
        for stop in range(start, 40):
            part = memoryview(bytearray(data))[start:stop]
            assert cipher.decrypt(nonce, cipher.encrypt(nonce, part)) == data[start:stop]
            out_bytes = memoryview(bytearray(b"\xaa" * 100))
            n = cipher.encrypt_into(nonce, part, None, out_bytes[start:])
            assert out_bytes[start : start + n] == cipher.encrypt(nonce, data[start:stop])
            assert bytes(out_bytes[:start]) == b"\xaa" * start
            assert bytes(out_bytes[start + n :]) == b"\xaa" * (100 - start - n)


def test_many_threads_share_a_cipher() -> None:
    cipher = polyseal.KcXaes256Gcm(os.urandom(32))
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for n in range(300):
                message = os.urandom(n * 17)
                assert cipher.open(cipher.seal(message, b"header"), b"header") == message
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
