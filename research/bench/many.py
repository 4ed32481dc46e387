#!/usr/bin/env python3
"""Many small files through `polyseal encrypt --files-from`: CPU time and peak memory for 10^4, 10^5 and 10^6.

The inputs are hard links to one file of 64 bytes, and folders of outputs are removed once they are complete, so
that a directory in memory holds it all.
"""

import argparse
import os
import resource
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

FOLDER = 1000


def inputs(count: int) -> list[str]:
    """The names of `count` files below `in`, which are made."""
    names = []
    for number in range(count):
        folder = Path("in", f"{number // FOLDER:04}")
        name = folder / f"{number % FOLDER:03}"
        if number % FOLDER == 0:
            folder.mkdir(parents=True, exist_ok=True)
        if not name.exists():
            os.link("seed", name)
        names.append(str(name))
    return names


def peak_kib(process: subprocess.Popen) -> int:
    """The peak resident memory of a living process; 0 if it has ended. (What the system tells of an ended one has
    that of this program in it.)"""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def sweep(over: threading.Event) -> None:
    """Removes each folder of outputs once the next but one has been begun."""
    at = 0
    while not over.is_set():
        while Path("out", "in", f"{at + 2:04}").exists():
            shutil.rmtree(Path("out", "in", f"{at:04}"))
            at += 1
        time.sleep(0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--polyseal", default="target/release/polyseal", help="the tool")
    parser.add_argument("--room", default="/dev/shm", help="a directory in memory")
    parser.add_argument("--count", type=int, nargs="+", default=[10**4, 10**5, 10**6])
    args = parser.parse_args()
    tool = Path(args.polyseal).resolve()
    with tempfile.TemporaryDirectory(dir=args.room) as room:
        os.chdir(room)
        Path("seed").write_bytes(os.urandom(64))
        subprocess.run([tool, "keygen", "-o", "key"], check=True, stderr=subprocess.DEVNULL)
        for count in args.count:
            Path("list").write_text("".join(f"{name}\n" for name in inputs(count)))
            Path("out").mkdir()
            over = threading.Event()
            sweeper = threading.Thread(target=sweep, args=(over,))
            sweeper.start()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            process = subprocess.Popen([tool, "encrypt", "-k", "key", "--files-from", "list", "-o", "out"])
            peak = 0
            while process.poll() is None:
                peak = max(peak, peak_kib(process))
                time.sleep(0.02)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            over.set()
            sweeper.join()
            shutil.rmtree("out")
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            if process.returncode:
                raise SystemExit(f"many: the tool ended with {process.returncode}")
            print(f"{count} files: {cpu:.2f} s of CPU time, at most {peak / 1024:.1f} MiB", flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
