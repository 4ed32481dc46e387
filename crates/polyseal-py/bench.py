"""The package beside `cryptography`, and `polyseal.open` beside the tool. Prints ratios.

In each round every contender runs once, in an order that rotates, and ratios are taken within a round:
what else the machine does is the same for all. Each run is as many calls as take about a hundredth of a
second. The median of all rounds is printed, with the quartiles.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polyseal
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

Call = Callable[[], object]
GIB = 1 << 30


def calls_for(call: Call, seconds: float) -> int:
    """How many calls take so long."""
    count = 1
    while True:
        begin = time.perf_counter()
        for _ in range(count):
            call()
        took = time.perf_counter() - begin
        if took > seconds / 4:
            return max(1, round(count * seconds / took))
        count *= 2


def measure(contenders: dict[str, Call], rounds: int, seconds: float = 0.01) -> dict[str, list[float]]:
    """Seconds a call, in every round."""
    counts = {name: calls_for(call, seconds) for name, call in contenders.items()}
    times: dict[str, list[float]] = {name: [] for name in contenders}
    names = list(contenders)
    for turn in range(rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            call, count = contenders[name], counts[name]
            begin = time.perf_counter()
            for _ in range(count):
                call()
            times[name].append((time.perf_counter() - begin) / count)
    return times


def shown(seconds: float) -> str:
    return f"{seconds * 1e9:,.0f} ns" if seconds < 1e-4 else f"{seconds * 1e3:,.1f} ms"


def report(title: str, ours: str, theirs: str, times: dict[str, list[float]], invert: bool, target: str) -> None:
    """The ratio of two contenders, by rounds; `invert` for how many times faster."""
    ratios = [(b / a if invert else a / b) for a, b in zip(times[ours], times[theirs], strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"| {title} | {shown(statistics.median(times[ours]))} | {shown(statistics.median(times[theirs]))} "
          f"| {middle:.2f} ({low:.2f} to {high:.2f}) | {target} |")


def messages(rounds: int) -> None:
    data, key, nonce = os.urandom(65_536), os.urandom(32), os.urandom(12)
    gcm = AESGCM(key)
    aegis = polyseal.Aegis128X2(key[:16])
    kc_xaes = polyseal.KcXaes256Gcm(key)
    ours = polyseal.Aes256Gcm(key)
    short, n16, n24 = data[:32], nonce + b"....", nonce * 2

    times = measure(
        {
            "cryptography": lambda: gcm.encrypt(nonce, short, None),
            "aes-256-gcm": lambda: ours.encrypt(nonce, short, None),
            "aegis-128x2": lambda: aegis.encrypt(n16, short, None),
            "kc-xaes-256-gcm": lambda: kc_xaes.encrypt(n24, short, None),
            "seal": lambda: aegis.seal(short),
            "seal with a nonce drawn": lambda: gcm.encrypt(os.urandom(12), short, None),
        },
        rounds,
    )
    report("32 bytes, `encrypt`, aes-256-gcm : AESGCM, time", "aes-256-gcm", "cryptography", times, False, "≤ 0.4")
    report("32 bytes, `encrypt`, aegis-128x2 : AESGCM, time", "aegis-128x2", "cryptography", times, False, "≤ 0.4")
    report("32 bytes, `encrypt`, kc-xaes-256-gcm : AESGCM, time", "kc-xaes-256-gcm", "cryptography", times, False, "")
    report("32 bytes, `seal`, aegis-128x2 : AESGCM and urandom, time", "seal", "seal with a nonce drawn", times, False, "")

    for size, target in [(1024, "≥ 4"), (65_536, "≥ 3")]:
        part, out, plain = data[:size], bytearray(size + 16), bytearray(size)
        sealed = aegis.encrypt(n16, part)
        theirs = gcm.encrypt(nonce, part, None)
        encrypt_into = getattr(gcm, "encrypt_into")
        decrypt_into = getattr(gcm, "decrypt_into")
        times = measure(
            {
                "cryptography": lambda: encrypt_into(nonce, part, None, out),
                "aegis-128x2": lambda: aegis.encrypt_into(n16, part, None, out),
                "decrypt: cryptography": lambda: decrypt_into(nonce, theirs, None, plain),
                "decrypt: aegis-128x2": lambda: aegis.decrypt_into(n16, sealed, None, plain),
                "new: cryptography": lambda: gcm.encrypt(nonce, part, None),
                "new: aegis-128x2": lambda: aegis.encrypt(n16, part, None),
            },
            rounds,
        )
        for what, call, wanted in [("", "encrypt_into", target), ("decrypt: ", "decrypt_into", ""), ("new: ", "encrypt", "")]:
            title = f"{size:,} bytes, `{call}`, aegis-128x2 : AESGCM, speed"
            report(title, what + "aegis-128x2", what + "cryptography", times, True, wanted)


def files(tool: Path, rounds: int, size: int) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        place = Path(name)
        key = polyseal.SecretKey.generate()
        (place / "key").write_text(key.to_key_file())
        plain, sealed, opened = place / "plain", place / "sealed", place / "opened"
        with plain.open("wb") as file:
            for _ in range(size >> 20):
                file.write(os.urandom(1 << 20))
        polyseal.encrypt_file(plain, sealed, key=key)
        plain.unlink()
        command = [tool, "decrypt", "-k", place / "key", "--threads", "2"]

        def to_file() -> None:
            opened.unlink(missing_ok=True)
            subprocess.run([*command, "-o", opened, sealed], check=True)

        def to_null() -> None:
            subprocess.run([*command, "-o", "/dev/null", sealed], check=True)

        def read() -> int:
            with polyseal.open(sealed, key=key, threads=2) as file:
                return len(file.read())

        def read_pieces() -> int:
            total, piece = 0, bytearray(1 << 20)
            with polyseal.open(sealed, key=key, threads=2) as file:
                while n := file.readinto(piece):
                    total += n
            return total

        assert read() == read_pieces() == size
        times = measure(
            {"tool, file": to_file, "tool, null": to_null, "read": read, "pieces": read_pieces}, rounds, 0.001
        )
        title = f"{size >> 20} MiB, `open(…, threads=2).read()` : tool to a file in memory, speed"
        report(title, "read", "tool, file", times, True, "≥ 0.8")
        report(f"{size >> 20} MiB, the same : tool to /dev/null, speed", "read", "tool, null", times, True, "")
        report(f"{size >> 20} MiB, `readinto` 1 MiB : tool to /dev/null, speed", "pieces", "tool, null", times, True, "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", type=Path, required=True, help="the command polyseal")
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--size", type=int, default=GIB, help="bytes of the file")
    arguments = parser.parse_args()
    with open("/proc/cpuinfo") as info:
        cpu = next(line.split(":")[1].strip() for line in info if line.startswith("model name"))
    print(f"{cpu}, {os.cpu_count()} CPUs; {time.strftime('%Y-%m-%d %H:%M')}\n")
    print("| what | ours | theirs | ratio, median (quartiles) | target |\n|---|---|---|---|---|")
    messages(arguments.rounds)
    files(arguments.tool, max(5, arguments.rounds // 10), arguments.size)


if __name__ == "__main__":
    main()
