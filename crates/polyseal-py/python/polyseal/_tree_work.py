"""The work on the paths of a tree: in several threads, and what comes of it in their order.

Whoever calls takes the results, and so has the memory of a few only; is told how far it is; and ends all of it
by what is raised there, ``KeyboardInterrupt`` included.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from ._tree_walk import SUFFIX
from .errors import ManifestError, TreeError, TreeFailure

#: Results that wait for the one before them.
_AHEAD: Final = 1024
#: Seconds between two calls of ``progress``.
_TICK: Final = 0.1


@dataclass(frozen=True, slots=True)
class TreeSummary:
    """What has been done."""

    files: int = 0
    directories: int = 0
    links: int = 0
    #: The bytes of plaintext in all files.
    size: int = 0


@dataclass(frozen=True, slots=True)
class TreeProgress:
    """How far it is: files that are done or have failed, and bytes that have been read."""

    files: int
    of_files: int
    bytes: int
    of_bytes: int


Progress = Callable[[TreeProgress], object]


class Entry(NamedTuple):
    """An entry of a manifest, in the order of ``ManifestWriter.push``."""

    kind: str
    path: bytes
    mode: int
    seconds: int
    nanoseconds: int
    size: int | None = None
    #: The salt of a file, or the target of a link.
    data: bytes | None = None

    @property
    def mtime_ns(self) -> int:
        return self.seconds * 10**9 + self.nanoseconds

    @classmethod
    def of(
        cls, kind: str, path: bytes, there: os.stat_result, size: int | None = None, data: bytes | None = None
    ) -> Entry:
        mode = 0 if kind == "l" else stat.S_IMODE(there.st_mode) & 0o777
        return cls(kind, path, mode, *divmod(there.st_mtime_ns, 10**9), size, data)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What has come of a path: its entry, or why it failed."""

    path: bytes
    entry: Entry | None = None
    error: Exception | None = None


class _Stopped(Exception):
    """The caller is no longer there."""


class Work:
    """What the work on one path may take, and whom it tells."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.threads = run.threads

    def report(self, most: int | None = None) -> Callable[[int, int | None], None]:
        """What Rust calls with the bytes that have been read, of which ``most`` are counted; it ends the work when
        nobody wants it any more.
        """
        before = 0

        def report(done: int, _: int | None) -> None:
            nonlocal before
            done = done if most is None else min(done, most)
            self._run.add(done - before)
            before = done

        return report


class Run:
    """Does the work on many paths in several threads, and takes what comes of them in their order."""

    def __init__(self, jobs: int | None, progress: Progress | None, totals: tuple[int, int]) -> None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.jobs = cores if jobs is None else jobs
        if self.jobs < 1:
            raise ValueError("jobs must be at least 1")
        #: Threads for each file: all that the others leave.
        self.threads = max(1, cores // self.jobs)
        self._progress, (self._of_files, self._of_bytes) = progress, totals
        self._lock, self._stopped = threading.Lock(), threading.Event()
        self._files = self._bytes = 0
        self._failures: list[TreeFailure] = []
        self._count = 0

    def add(self, size: int) -> None:
        """Counts bytes: called by the threads that work."""
        if self._stopped.is_set():
            raise _Stopped
        with self._lock:
            self._bytes += size

    def all(
        self,
        steps: Iterable[Any],
        work: Callable[[Any, Work], Entry | None],
        record: Callable[[Entry], None] = lambda _: None,
        leave: Callable[[Entry | None], Iterator[Outcome]] = lambda _: iter(()),
    ) -> TreeSummary:
        """``work`` for each step; ``record`` and ``leave`` get each entry in its turn."""
        counts, size = {"f": 0, "d": 0, "l": 0}, 0

        def one(step: Any) -> Outcome:
            if isinstance(step, Outcome):
                return step
            try:
                if self._stopped.is_set():
                    raise _Stopped
                done = work(step, Work(self))
                return Outcome(step.path, done if done is not None else step)
            except Exception as error:  # of the file: the next one may do better
                path = step.path + SUFFIX if isinstance(step, Entry) and step.kind == "f" else step.path
                return Outcome(path, error=error)

        with contextlib.closing(self._in_order(steps, one)) as outcomes:
            for outcome in outcomes:
                entry, error = outcome.entry, outcome.error
                if entry is not None and error is None:
                    try:
                        record(entry)
                        counts[entry.kind] += 1
                        size += entry.size or 0
                    except ManifestError as refused:
                        error = refused
                    for left in leave(entry):
                        self._fail(left)
                if error is not None:
                    self._fail(Outcome(outcome.path, error=error))
                if entry is None or entry.kind == "f":
                    self._files += 1
                self._count += 1
                self._tell()
        for left in leave(None):
            self._fail(left)
        self._tell()
        return TreeSummary(counts["f"], counts["d"], counts["l"], size)

    def _fail(self, outcome: Outcome) -> None:
        assert outcome.error is not None
        self._failures.append(TreeFailure(Path(os.fsdecode(outcome.path)), outcome.error))

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(TreeProgress(self._files, self._of_files, self._bytes, self._of_bytes))

    def _in_order(self, steps: Iterable[Any], one: Callable[[Any], Outcome]) -> Generator[Outcome, None, None]:
        waiting: deque[Future[Outcome]] = deque()

        def next_one() -> Outcome:
            while not waiting[0].done():
                # Here Ctrl-C is raised, if anywhere.
                wait([waiting[0]], timeout=_TICK)
                self._tell()
            return waiting.popleft().result()

        pool = ThreadPoolExecutor(self.jobs, "polyseal")
        try:
            for step in steps:
                waiting.append(pool.submit(one, step))
                while waiting and (waiting[0].done() or len(waiting) > _AHEAD):
                    yield next_one()
            while waiting:
                yield next_one()
        finally:
            # Whatever ends it: what has been begun leaves nothing behind.
            self._stopped.set()
            pool.shutdown(wait=True, cancel_futures=True)

    def end(self, summary: TreeSummary) -> TreeSummary:
        """The summary, unless something failed."""
        if self._failures:
            raise TreeError(f"{len(self._failures)} of {self._count} paths failed", self._failures)
        return summary


__all__ = ["Entry", "Outcome", "Progress", "Run", "TreeProgress", "TreeSummary", "Work"]
