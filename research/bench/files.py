#!/usr/bin/env python3
"""Whole files through `polyseal`, beside cp, cat, age, rage, gpg --symmetric and openssl enc.

The files lie in memory (/dev/shm), so that no disk is measured. In each round every
program runs once, in an order that rotates; ratios are taken within a round. Peak
memory comes from one more run of each, because watching it would slow down the timed
ones. Every decryption is compared with the original once. Prints Markdown; `--csv research/bench/files/tables.csv` writes
the speed of the large file, which docs/speed.md has, and speed.py draws.
"""

import argparse
import csv
import datetime
import filecmp
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

CHUNK = 1 << 20
LOOKS = 3

# They take the same command line.
AGES = ("age", "rage")
# As it comes, and without its default, which is to compress.
GPG = [("gpg --symmetric", [], ".gpg"), ("gpg --symmetric -z 0", ["-z", "0"], ".z0.gpg")]


@dataclass
class Run:
    """The cost of one run."""

    wall: float
    cpu: float


@dataclass
class Program:
    """A command, the file that it makes (None: it writes to /dev/null), and its runs."""

    name: str
    command: list[str]
    makes: pathlib.Path | None
    runs: list[Run] = field(default_factory=list)
    peak_kib: int = 0

    @property
    def median(self) -> float:
        return statistics.median(run.wall for run in self.runs)

    def start(self) -> subprocess.Popen:
        if self.makes:
            self.makes.unlink(missing_ok=True)
        # Not DEVNULL, which is opened to read and to write: the tool warns of that.
        with open(os.devnull, "wb") as null:
            return subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=null)

    def time(self) -> Run:
        begin = time.perf_counter()
        process = self.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        self.must_succeed(process)
        return Run(wall, usage.ru_utime + usage.ru_stime)

    def watch_memory(self) -> int:
        """The peak of the resident memory in KiB.

        wait4's figure would do if it did not include what this interpreter had before
        the exec; the kernel's high-water mark of the new process does not.
        """
        process = self.start()
        peak = 0
        while process.poll() is None:
            peak = max(peak, high_water(process.pid))
            time.sleep(0.0005)
        self.must_succeed(process)
        return peak

    def must_succeed(self, process: subprocess.Popen) -> None:
        if process.returncode != 0:
            sys.exit(f"files: {' '.join(self.command)}: exit code {process.returncode}")


def high_water(pid: int) -> int:
    """The peak resident memory of a living process, in KiB; 0 if it has ended."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)


def measure(programs: list[Program], rounds: int) -> None:
    for program in programs:
        # Also warms up. A short run may end between two looks.
        program.peak_kib = max(program.watch_memory() for _ in range(LOOKS))
    for turn in range(rounds):
        at = turn % len(programs)
        for program in programs[at:] + programs[:at]:
            program.runs.append(program.time())


def table(title: str, programs: list[Program], size: int) -> str:
    """A Markdown table; ratios are to the first program: above 1, faster than it."""
    first = programs[0]
    lines = [
        f"**{title}**\n",
        f"| | min | median | MB/s | user+sys | peak memory | speed of {first.name} = 1 |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for program in programs:
        wall = [run.wall for run in program.runs]
        cpu = statistics.median(run.cpu for run in program.runs)
        ratio = statistics.median(a.wall / b.wall for a, b in zip(first.runs, program.runs))
        rate = f"{size / program.median / 1e6:.0f}" if size >= CHUNK else "–"
        lines.append(
            f"| {program.name} | {seconds(min(wall))} | {seconds(program.median)} | {rate} "
            f"| {seconds(cpu)} | {program.peak_kib / 1024:.1f} MiB | {ratio:.2f} |"
        )
    return "\n".join(lines) + "\n"


def write_csv(path: pathlib.Path, about: list[str], tables: dict[str, list[Program]], size: int) -> None:
    with path.open("w", newline="") as file:
        for line in ["Whole files: the tables of one run", "Written by `research/bench/files.py --csv`.", *about]:
            file.write(f"# {line}\n")
        writer = csv.writer(file, lineterminator="\n")
        for title, programs in tables.items():
            writer.writerows([[], [title], ["program", "MB/s"]])
            writer.writerows([program.name, f"{size / program.median / 1e6:.0f}"] for program in programs)


def seconds(value: float) -> str:
    return f"{value:.3f} s" if value >= 0.1 else f"{value * 1e3:.2f} ms"


@dataclass(frozen=True)
class Way:
    """How the tool is called: for whom, with how many threads, in which suite (None: its own choice)."""

    kind: str
    threads: int
    suite: str | None = None

    def name(self) -> str:
        name = f"polyseal, {self.threads} thread" + ("s" if self.threads > 1 else "")
        name += "" if self.kind == "key-file" else f", {self.kind}"
        return name + (f", {self.suite}" if self.suite else "")

    def file(self) -> str:
        """Threads do not change what is written."""
        return f"{self.kind}-{self.suite}" if self.suite else self.kind


class Field:
    """The programs that are here, and their keys."""

    def __init__(self, room: pathlib.Path, polyseal: pathlib.Path, threads: list[int],
                 recipients: list[str], suites: list[str]):
        self.room, self.polyseal = room, polyseal
        # Every number of threads with a key file, then with the most threads every other kind, and
        # every suite that was asked for.
        self.ways = [Way("key-file", n) for n in threads]
        self.ways += [Way(kind, max(threads)) for kind in recipients]
        self.ways += [Way("key-file", max(threads), suite) for suite in suites]
        for kind in {"key-file", *recipients} - {"passphrase"}:
            run([polyseal, "keygen", "-t", kind, "-o", room / kind])
        (room / "passphrase").write_text("correct horse battery staple\n")
        self.gpg = self.openssl = None
        self.ages = [name for name in AGES if shutil.which(name)]
        self.identity = room / "age.key"
        self.recipient = run([polyseal, "keygen", "-t", "x25519", "-o", self.identity]).strip()
        if shutil.which("gpg"):
            # A home of its own, and no agent that would choose the count: nobody's configuration is measured.
            (room / "gpg").mkdir(mode=0o700)
            self.gpg = ["gpg", "--homedir", room / "gpg", "--batch", "--yes", "--quiet", "--no-autostart",
                        "--pinentry-mode", "loopback", "--s2k-count", "65011712",
                        "--passphrase-file", room / "passphrase"]
        if shutil.which("openssl"):
            self.openssl = ["openssl", "enc", "-aes-256-ctr", "-K", "07" * 32, "-iv", "09" * 16]

    def absent(self) -> list[str]:
        others = [name for name in ("gpg", "openssl") if getattr(self, name) is None]
        return [name for name in AGES if name not in self.ages] + others

    def versions(self) -> list[str]:
        commands = [[self.polyseal, "--version"]]
        commands += [[name, "--version"] for name in self.ages]
        commands += [["gpg", "--version"]] if self.gpg else []
        commands += [["openssl", "version"]] if self.openssl else []
        outputs = [run(command).splitlines()[0] for command in commands]
        # age prints its number alone.
        return [v if v[0].isalpha() and v[0] != "v" else f"age {v}" for v in outputs]

    def encrypt(self, plain: pathlib.Path, to_null: bool) -> list[Program]:
        """Everyone's encryption of `plain`; also makes what `decrypt` reads."""
        programs = [self.baseline(plain, to_null)]
        for way in self.ways:
            sealed = plain.with_suffix(f".{way.file()}")
            programs.append(self.tool("encrypt", plain, sealed, to_null, way))
        for age in self.ages:
            out = pathlib.Path("/dev/null") if to_null else plain.with_suffix(f".{age}")
            programs.append(program(age, [age, "-r", self.recipient, "-o", out, plain], out))
        if self.gpg:
            for gpg, flags, suffix in GPG:
                out = pathlib.Path("/dev/null") if to_null else plain.with_suffix(suffix)
                programs.append(program(gpg, [*self.gpg, *flags, "-o", out, "--symmetric", plain], out))
        if self.openssl:
            out = pathlib.Path("/dev/null") if to_null else plain.with_suffix(".ctr")
            command = [*self.openssl, "-e", "-in", plain, "-out", out]
            programs.append(program("openssl aes-256-ctr (unauthenticated)", command, out))
        return programs

    def decrypt(self, plain: pathlib.Path, to_null: bool) -> list[Program]:
        programs = [self.baseline(plain, to_null)]
        back = self.room / "back"
        for way in self.ways:
            sealed = plain.with_suffix(f".{way.file()}")
            programs.append(self.tool("decrypt", sealed, back, to_null, way))
        out = pathlib.Path("/dev/null") if to_null else back
        for age in self.ages:
            command = [age, "-d", "-i", self.identity, "-o", out, plain.with_suffix(f".{age}")]
            programs.append(program(age, command, out))
        if self.gpg:
            for gpg, _, suffix in GPG:
                command = [*self.gpg, "-o", out, "-d", plain.with_suffix(suffix)]
                programs.append(program(gpg, command, out))
        if self.openssl:
            command = [*self.openssl, "-d", "-in", plain.with_suffix(".ctr"), "-out", out]
            programs.append(program("openssl aes-256-ctr (unauthenticated)", command, out))
        return programs

    def baseline(self, plain: pathlib.Path, to_null: bool) -> Program:
        copy = self.room / "copy"
        if to_null:
            return program("cat", ["cat", plain], None)
        return program("cp", ["cp", plain, copy], copy)

    def tool(
        self, verb: str, source: pathlib.Path, out: pathlib.Path, to_null: bool, way: Way
    ) -> Program:
        kind = way.kind
        opens = {"key-file": ["-k", self.room / kind], "passphrase": ["--passphrase-fd", 3]}
        command = [self.polyseal, verb, *opens.get(kind, ["-i", self.room / kind])]
        command += ["-s", way.suite] if way.suite and verb == "encrypt" else []
        # Standard output is /dev/null.
        command += ["--threads", way.threads, "-o", "-" if to_null else out, source]
        if kind == "passphrase":
            words = " ".join(shlex.quote(str(word)) for word in command)
            command = ["sh", "-c", f"exec {words} 3< {shlex.quote(str(self.room / kind))}"]
        return program(way.name(), command, None if to_null else out)


def program(name: str, command: list, out: pathlib.Path | None) -> Program:
    makes = None if out == pathlib.Path("/dev/null") else out
    return Program(name, [str(word) for word in command], makes)


def run(command: list) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"files: {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def check(programs: list[Program], plain: pathlib.Path) -> None:
    """Every program that makes a file must have restored `plain`."""
    for candidate in programs:
        candidate.time()
        if not filecmp.cmp(plain, candidate.makes, shallow=False):
            sys.exit(f"files: {candidate.name} did not restore the file")
        candidate.makes.unlink()


def write_random(path: pathlib.Path, size: int) -> None:
    with path.open("wb") as file:
        while size > 0:
            file.write(os.urandom(min(size, CHUNK)))
            size -= CHUNK


def cpu_name() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return os.uname().machine


def arguments() -> argparse.Namespace:
    root = pathlib.Path(__file__).resolve().parents[2]
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=1024, metavar="MIB", help="size of the large file")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--recipients", nargs="*", default=["x25519", "hybrid", "passphrase"],
                        help="other kinds than key files")
    parser.add_argument("--suites", type=lambda text: text.split(","), default=[], metavar="SUITE,…",
                        help="other suites than the tool's own choice")
    parser.add_argument("--room", type=pathlib.Path, default=pathlib.Path("/dev/shm"),
                        help="a directory in memory")
    parser.add_argument("--polyseal", type=pathlib.Path, default=target / "release" / "polyseal",
                        help="the tool; build it with cargo build --release -p polyseal-cli")
    parser.add_argument("--csv", type=pathlib.Path, metavar="FILE")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    size = options.size << 20
    if not options.polyseal.exists():
        sys.exit(f"files: there is no {options.polyseal}: cargo build --release -p polyseal-cli")
    # The file, its copy, one that was opened, and a sealed one of everybody.
    files = 9 + len(options.recipients) + len(options.suites)
    if shutil.disk_usage(options.room).free < files * size:
        sys.exit(f"files: {options.room} must have {files * options.size} MiB free; try --size")
    with tempfile.TemporaryDirectory(dir=options.room, prefix="files.") as name:
        room = pathlib.Path(name)
        contest = Field(room, options.polyseal, options.threads, options.recipients,
                        options.suites)
        about = [f"{cpu_name()}, {os.cpu_count()} cores; {datetime.date.today()}", *contest.versions(),
                 *(f"absent: {absence}" for absence in contest.absent()),
                 f"Medians of {options.rounds} interleaved rounds, files in {options.room}."]
        print("\n".join(about), end="\n\n")
        tables = {}

        large, small = room / "large", room / "small"
        write_random(large, size)
        write_random(small, 1024)
        for plain, what, rounds in [
            (large, f"{options.size} MiB", options.rounds),
            (small, "1 KiB", options.rounds * 15),
        ]:
            for verb, to_null in [("encrypt", False), ("decrypt", False),
                                  ("encrypt", True), ("decrypt", True)]:
                programs = getattr(contest, verb)(plain, to_null)
                if verb == "decrypt" and not to_null:
                    check(programs, plain)
                measure(programs, rounds)
                title = f"{verb} {what}, {'to /dev/null' if to_null else 'file to file'}"
                print(table(title, programs, plain.stat().st_size), flush=True)
                if plain == large:
                    tables[title] = programs
                for each in programs:
                    # The sealed files are read by the next step; copies are not.
                    if each.makes and (verb == "decrypt" or each.name == "cp"):
                        each.makes.unlink(missing_ok=True)
        if options.csv:
            write_csv(options.csv, about, tables, size)


if __name__ == "__main__":
    main()
