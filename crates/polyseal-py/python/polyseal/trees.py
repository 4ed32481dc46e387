"""Whole trees: ``DIR/a/b`` becomes ``SEALED/a/b.polyseal``, as the command's ``--recursive`` does it.

A manifest, ``SEALED/.polyseal-manifest.polyseal``, says which file belongs to which name. It is an encrypted
file like the others, for the same recipients (docs/spec/manifest.md). So whoever can open the tree sees that a
file has been taken away, added, renamed or swapped. That a whole tree is not the newest one is not seen.

Contents, permissions, times of modification, empty directories and symbolic links come back. Links are not
followed, and none is made that could lead out of the tree. Owners, access control lists, attributes and hard
links are not kept. Nothing outside of the two directories is read or written, whatever links are in them or are
put there meanwhile.

>>> import pathlib, polyseal, tempfile
>>> key, place = polyseal.SecretKey.generate(), pathlib.Path(tempfile.mkdtemp())
>>> (place / "letters/may").mkdir(parents=True)
>>> (place / "letters/may/one").write_bytes(b"attack at dawn")
14
>>> polyseal.encrypt_tree(place / "letters", place / "sealed", key=key)
TreeSummary(files=1, directories=1, links=0, size=14)
>>> polyseal.verify_tree(place / "sealed", key=key).files
1
>>> polyseal.decrypt_tree(place / "sealed", place / "back", key=key).size
14
>>> (place / "back/may/one").read_bytes()
b'attack at dawn'
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
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Union

from . import _polyseal
from ._directory import Directory, Input, Staged
from ._rekey import Rekeying
from ._who import WhoArgs, who
from .errors import ContextMismatch, ManifestError, PolysealError, TreeError, TreeFailure, TreeMismatch

if TYPE_CHECKING:
    from typing import Unpack

PathLike = Union[str, "os.PathLike[str]"]
#: Says of a path in the tree whether it is left out, with all that is in it.
Exclude = Callable[[PurePosixPath], bool]

_SUFFIX: Final = b".polyseal"
_MANIFEST: Final = b".polyseal-manifest"
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


class _Entry(NamedTuple):
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
    ) -> _Entry:
        mode = 0 if kind == "l" else stat.S_IMODE(there.st_mode) & 0o777
        return cls(kind, path, mode, *divmod(there.st_mtime_ns, 10**9), size, data)


#: In the order in which those of one path come.
_What = Literal["0 other", "1 link", "2 file", "3 directory"]


class _Step(NamedTuple):
    """A name that is found in a directory."""

    #: From the root; in a sealed tree, without the suffix of a file.
    path: bytes
    what: _What
    #: From the root, as it is on disk.
    there: bytes
    #: Why a directory could not be read.
    error: OSError | None = None


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What has come of a path: its entry, or why it failed."""

    path: bytes
    entry: _Entry | None = None
    error: Exception | None = None


class _Stopped(Exception):
    """The caller is no longer there."""


def encrypt_tree(
    source: PathLike,
    target: PathLike,
    *,
    overwrite: bool = False,
    jobs: int | None = None,
    exclude: Exclude | None = None,
    suite: str | None = None,
    segment_size: int | None = None,
    header_size: int = 0,
    progress: Progress | None = None,
    **who_args: Unpack[WhoArgs],
) -> TreeSummary:
    """Encrypts every file of the directory ``source`` into the directory ``target``, ``jobs`` at a time.

    ``target`` is a new directory, or an empty one; with ``overwrite``, any: files of the same names are replaced
    one by one, and nothing is removed. ``exclude`` is asked of each path. What fails keeps nothing else from
    being done, and is raised at the end as ``TreeError``; the tree is whole without it. Each file appears
    complete or not at all, and the manifest last: without it, it is no tree yet.
    """
    made = _Target(source, target, overwrite)
    tree = Directory.open(os.fspath(source))
    who_args = _kept(who_args)
    whose = who(**who_args)
    sealer = _polyseal.StreamSealer(
        suite=suite, segment_size=segment_size, header_size=header_size, **who_args
    )
    to = made.make()

    def begin() -> Iterator[_Step | _Outcome]:
        # A directory is there before anything in it has its turn.
        for step in _walk(tree, exclude):
            if step.what == "3 directory" and step.error is None:
                try:
                    parent, name = to.place(step.path)
                    parent.make(name)
                except OSError as error:
                    yield _Outcome(step.path, error=error)
                    continue
            yield step

    def seal(step: _Step, work: _Work) -> _Entry:
        path = step.path
        if step.error is not None:
            raise step.error
        if path == _MANIFEST:
            raise ValueError("it has the name of the manifest: rename it")
        parent, name = tree.place(path)
        if step.what == "3 directory":
            return _Entry.of("d", path, parent.stat(name))
        if step.what == "1 link":
            return _Entry.of("l", path, parent.stat(name), data=os.readlink(name, dir_fd=parent.fd))
        if step.what == "0 other":
            raise ValueError("it is neither a file nor a directory nor a symbolic link")
        with Input(parent.file(name)) as plain, Staged(*to.place(path + _SUFFIX), overwrite, sync=overwrite) as sealed:
            there = os.fstat(plain.file.fileno())
            size, _, salt = _polyseal.encrypt(
                plain.source, sealed.sink, whose, suite, segment_size, header_size, work.threads, work.report()
            )
            sealed.commit()
        return _Entry.of("f", path, there, size, salt)

    with Staged(to, _MANIFEST + _SUFFIX, overwrite, sync=overwrite) as manifest:
        manifest.write(sealer.header)
        writer = _polyseal.ManifestWriter()

        def record(entry: _Entry) -> None:
            manifest.write(sealer.write(writer.push(*entry)))

        run = _Run(jobs, progress, _count(tree, exclude) if progress else (0, 0))
        summary = run.all(begin(), seal, record)
        manifest.write(sealer.finish(writer.finish()))
        manifest.commit()
    return run.end(summary)


def decrypt_tree(
    source: PathLike,
    target: PathLike,
    *,
    overwrite: bool = False,
    jobs: int | None = None,
    exclude: Exclude | None = None,
    progress: Progress | None = None,
    **who_args: Unpack[WhoArgs],
) -> TreeSummary:
    """Decrypts the sealed tree ``source`` into the directory ``target``, as ``encrypt_tree`` encrypts.

    Before anything is done, all of the manifest must be authentic and a manifest. Only files appear that belong
    to their names. What is missing, was added or does not belong is raised at the end as ``TreeError``, and so
    is every link that leads out of the tree: it is not made.
    """
    made = _Target(source, target, overwrite)
    with _Sealed(source, exclude, who_args) as sealed:
        to = made.make()
        open_directories: list[_Entry] = []

        def begin(entry: _Entry) -> None:
            parent, name = to.place(entry.path)
            parent.make(name)

        def leave(entry: _Entry | None) -> Iterator[_Outcome]:
            """Directories whose contents are done get their mode and time."""
            while open_directories and not (entry and entry.path.startswith(open_directories[-1].path + b"/")):
                last = open_directories.pop()
                try:
                    directory = to.beneath(last.path)
                    os.utime(directory.fd, ns=(os.fstat(directory.fd).st_atime_ns, last.mtime_ns))
                    os.fchmod(directory.fd, last.mode)
                except (OSError, OverflowError) as error:
                    yield _Outcome(last.path, error=error)
            if entry and entry.kind == "d":
                open_directories.append(entry)

        def carry(entry: _Entry, work: _Work) -> None:
            parent, name = to.place(entry.path)
            if entry.kind == "l":
                assert entry.data is not None
                if not _polyseal.link_stays_inside(entry.path, entry.data):
                    raise ValueError(f"the link leads out of the tree, to {os.fsdecode(entry.data)!r}: it was not made")
                parent.link(name, entry.data, overwrite=overwrite)
                ns = (parent.stat(name).st_atime_ns, entry.mtime_ns)
                os.utime(name, ns=ns, dir_fd=parent.fd, follow_symlinks=False)
                return
            with sealed.file(entry) as file, Staged(parent, name, overwrite, sync=overwrite) as plain:
                done = _polyseal.decrypt(file.source, plain.sink, sealed.whose, work.threads, work.report())
                _expect_its_own(entry, done)
                plain.set(entry.mode, entry.mtime_ns)
                plain.commit()

        return sealed.each(jobs, progress, carry, begin, leave)


def verify_tree(
    source: PathLike,
    *,
    jobs: int | None = None,
    exclude: Exclude | None = None,
    progress: Progress | None = None,
    **who_args: Unpack[WhoArgs],
) -> TreeSummary:
    """Opens all of the sealed tree ``source`` and keeps nothing of it. Returns if every file is there, is
    authentic and belongs to its name, and no other is there; otherwise ``TreeError`` says which are not.
    """
    sealed = _Sealed(source, exclude, who_args)

    def verify(entry: _Entry, work: _Work) -> None:
        if entry.kind == "f":
            with sealed.file(entry) as file:
                _expect_its_own(entry, _polyseal.verify(file.source, sealed.whose, work.threads, work.report()))

    with sealed:
        return sealed.each(jobs, progress, verify)


def rekey_tree(
    source: PathLike,
    *,
    to: WhoArgs,
    remove_others: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
    **who_args: Unpack[WhoArgs],
) -> TreeSummary:
    """Gives the sealed tree ``source`` other recipients, as ``rekey_file`` does a file. The manifest comes last,
    and only if all else is done: so it opens with the old keys until then.

    If it is interrupted or something fails, run it again: what ``to`` opens already is left as it is. Files
    that the manifest does not have are left as they are, and do not keep the tree from being rekeyed. A tree is
    encrypted anew by ``decrypt_tree`` and ``encrypt_tree``.
    """
    to = _kept(to)
    several = isinstance(to.get("key"), (list, tuple)) and len(to["key"]) != 1  # type: ignore[arg-type]
    one_is_added = not remove_others and "key" in to and not several and not to.get("identity") and not to["recipients"]
    manifest = _MANIFEST + _SUFFIX
    try:
        sealed = _Sealed(source, None, who_args)
    except PolysealError:
        # All is done already if the manifest is, which comes last.
        tree = Directory.open(os.fspath(source))
        with Input(tree.file(manifest)) as file:
            if _opens(to, file):
                return TreeSummary()
        raise

    def rekey(path: bytes, salt: bytes | None) -> None:
        parent, name = sealed.tree.place(path)

        def check(header: bytes, size: int) -> bool:
            if salt is not None and bytes.fromhex(_file_salt(header)) != salt:
                raise TreeMismatch("other")
            if not _header_opens(to, header, size):
                return True
            # Where one key is added and nobody else, it shows what is done; otherwise the old keys show it.
            return not one_is_added and _header_opens(sealed.who_args, header, size)

        Rekeying(parent, name, os.fsdecode(path)).run(to, remove_others, False, sealed.who_args, check)

    def work(entry: _Entry, _: _Work) -> None:
        if entry.kind == "f":
            rekey(entry.path + _SUFFIX, entry.data)

    with sealed:
        summary = sealed.each(jobs, progress, work, tell_added=False)
        rekey(manifest, None)
    return summary


class _Work:
    """What the work on one path may take, and whom it tells."""

    def __init__(self, run: _Run) -> None:
        self._run = run
        self.threads = run.threads

    def report(self) -> Callable[[int, int | None], None]:
        """What Rust calls with the bytes that have been read; it ends the work when nobody wants it any more."""
        before = 0

        def report(done: int, _: int | None) -> None:
            nonlocal before
            self._run.add(done - before)
            before = done

        return report


class _Run:
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
        work: Callable[[Any, _Work], _Entry | None],
        record: Callable[[_Entry], None] = lambda _: None,
        leave: Callable[[_Entry | None], Iterator[_Outcome]] = lambda _: iter(()),
    ) -> TreeSummary:
        """``work`` for each step; ``record`` and ``leave`` get each entry in its turn."""
        counts, size = {"f": 0, "d": 0, "l": 0}, 0

        def one(step: Any) -> _Outcome:
            if isinstance(step, _Outcome):
                return step
            try:
                if self._stopped.is_set():
                    raise _Stopped
                done = work(step, _Work(self))
                return _Outcome(step.path, done if done is not None else step)
            except Exception as error:  # of the file: the next one may do better
                path = step.path + _SUFFIX if isinstance(step, _Entry) and step.kind == "f" else step.path
                return _Outcome(path, error=error)

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
                    self._fail(_Outcome(outcome.path, error=error))
                if entry is None or entry.kind == "f":
                    self._files += 1
                self._count += 1
                self._tell()
        for left in leave(None):
            self._fail(left)
        self._tell()
        return TreeSummary(counts["f"], counts["d"], counts["l"], size)

    def _fail(self, outcome: _Outcome) -> None:
        assert outcome.error is not None
        self._failures.append(TreeFailure(Path(os.fsdecode(outcome.path)), outcome.error))

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(TreeProgress(self._files, self._of_files, self._bytes, self._of_bytes))

    def _in_order(self, steps: Iterable[Any], one: Callable[[Any], _Outcome]) -> Generator[_Outcome, None, None]:
        waiting: deque[Future[_Outcome]] = deque()

        def next_one() -> _Outcome:
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


class _Target:
    """Where a tree goes: a new directory, or an empty one; with ``overwrite``, any."""

    def __init__(self, source: PathLike, target: PathLike, overwrite: bool) -> None:
        self._path = os.path.abspath(os.fsdecode(target))
        real = os.path.realpath(os.fsdecode(source))
        if os.path.commonpath([os.path.realpath(self._path), real]) == real:
            raise ValueError(f"{os.fspath(target)} lies in {os.fspath(source)}: write to a directory outside of it")
        with contextlib.suppress(FileNotFoundError):
            if os.listdir(self._path) and not overwrite:
                raise FileExistsError(17, "Directory exists, and is not empty", os.fspath(target))

    def make(self) -> Directory:
        with contextlib.suppress(FileExistsError):
            os.mkdir(self._path, 0o700)
        return Directory.open(self._path)


class _Sealed:
    """A sealed tree whose manifest has been read."""

    def __init__(self, source: PathLike, exclude: Exclude | None, who_args: WhoArgs) -> None:
        self.who_args = _kept(who_args)
        self.whose = who(**self.who_args)
        self.tree = Directory.open(os.fspath(source))
        self._exclude = exclude
        name = _MANIFEST + _SUFFIX
        try:
            self._manifest = Input(self.tree.file(name))
        except FileNotFoundError:
            path = os.path.join(os.fsdecode(source), os.fsdecode(name))
            raise ManifestError(f"{path} is missing: it is no sealed tree") from None
        files = size = 0
        try:
            for entry in self._entries():
                if entry.kind == "f":
                    files, size = files + 1, size + (entry.size or 0)
        except BaseException:
            self._manifest.file.close()
            raise
        self._totals = files, size

    def __enter__(self) -> _Sealed:
        return self

    def __exit__(self, *_: object) -> None:
        self._manifest.file.close()

    def file(self, entry: _Entry) -> Input:
        """The file that should be that of ``entry``."""
        parent, name = self.tree.place(entry.path + _SUFFIX)
        return Input(parent.file(name))

    def each(
        self,
        jobs: int | None,
        progress: Progress | None,
        work: Callable[[_Entry, _Work], None],
        begin: Callable[[_Entry], None] = lambda _: None,
        leave: Callable[[_Entry | None], Iterator[_Outcome]] = lambda _: iter(()),
        tell_added: bool = True,
    ) -> TreeSummary:
        """``work`` for each file and link; ``begin`` has each directory before what is in it."""

        def pairs() -> Iterator[_Entry | _Outcome]:
            for pair in self._join():
                if isinstance(pair, _Entry) and pair.kind == "d":
                    try:
                        begin(pair)
                    except OSError as error:
                        yield _Outcome(pair.path, error=error)
                        continue
                elif isinstance(pair, _Outcome) and not tell_added and _is_added(pair.error):
                    continue
                yield pair

        def one(entry: _Entry, task: _Work) -> None:
            if entry.kind != "d":
                work(entry, task)

        run = _Run(jobs, progress, self._totals)
        return run.end(run.all(pairs(), one, leave=leave))

    def _entries(self) -> Iterator[_Entry]:
        out: bytes | None = None
        for fields in _polyseal.ManifestReader(self._manifest.source, self.whose):
            entry = _Entry(*fields)
            if out is not None and entry.path.startswith(out + b"/"):
                continue
            if self._exclude is not None and self._exclude(_shown(entry.path)):
                out = entry.path
                continue
            yield entry

    def _join(self) -> Iterator[_Entry | _Outcome]:
        """What the manifest has and what is there, side by side. Both come in one order, so that nothing of
        either has to be kept.
        """
        found = (
            step
            for step in _walk(self.tree, self._exclude, sealed=True)
            if (step.what != "3 directory" or step.error is not None) and step.path != _MANIFEST
        )
        step = next(found, None)
        for entry in self._entries():
            while step is not None and (
                step.error is not None
                or step.path.split(b"/") < entry.path.split(b"/")
                or (step.path == entry.path and entry.kind == "f" and step.what != "2 file")
            ):
                yield _Outcome(step.there, error=step.error or TreeMismatch("added"))
                step = next(found, None)
            if entry.kind != "f":
                yield entry
            elif step is not None and step.path == entry.path:
                yield entry
                step = next(found, None)
            else:
                yield _Outcome(entry.path + _SUFFIX, error=TreeMismatch("missing"))
        while step is not None:
            yield _Outcome(step.there, error=step.error or TreeMismatch("added"))
            step = next(found, None)


def _walk(root: Directory, exclude: Exclude | None, sealed: bool = False, path: bytes = b"") -> Iterator[_Step]:
    """What is in a tree, in the order of a manifest: each directory, then what is in it, by names. No link is
    followed. Of a sealed tree, names are put in order as they are without their suffix.
    """
    try:
        names = sorted(_names(root.beneath(path), sealed))
    except OSError as error:
        yield _Step(path, "3 directory", path, error)
        return
    for name, what, there in names:
        inner = path + b"/" + name if path else name
        if exclude is not None and exclude(_shown(inner)):
            continue
        yield _Step(inner, what, path + b"/" + there if path else there)
        if what == "3 directory":
            yield from _walk(root, exclude, sealed, inner)


def _names(directory: Directory, sealed: bool) -> Iterator[tuple[bytes, _What, bytes]]:
    with os.scandir(directory.fd) as entries:
        for entry in entries:
            there = os.fsencode(entry.name)
            what: _What = "0 other"
            if entry.is_symlink():
                what = "1 link"
            elif entry.is_dir(follow_symlinks=False):
                what = "3 directory"
            elif entry.is_file(follow_symlinks=False):
                what = "2 file"
            if not sealed or what == "3 directory":
                yield there, what, there
                continue
            name = there.removesuffix(_SUFFIX)
            if what == "2 file" and name != there and name not in (b"", b".", b".."):
                yield name, what, there
            else:
                yield there, "0 other", there


def _count(tree: Directory, exclude: Exclude | None) -> tuple[int, int]:
    files = size = 0
    for step in _walk(tree, exclude):
        with contextlib.suppress(OSError):
            if step.what == "2 file":
                parent, name = tree.place(step.path)
                files, size = files + 1, size + parent.stat(name).st_size
    return files, size


def _expect_its_own(entry: _Entry, done: tuple[int, int, bytes | None]) -> None:
    size, _, salt = done
    if (size, salt) != (entry.size, entry.data):
        raise TreeMismatch("other")


def _is_added(error: Exception | None) -> bool:
    return isinstance(error, TreeMismatch) and error.reason == "added"


def _file_salt(header: bytes) -> str:
    import json

    salt: str = json.loads(_polyseal.inspect_header(header, None))["file_salt"]
    return salt


def _opens(who_args: WhoArgs, file: Input) -> bool:
    from ._rekey import read_header

    return _header_opens(who_args, read_header(file.file), os.fstat(file.file.fileno()).st_size)


def _header_opens(who_args: WhoArgs, header: bytes, size: int) -> bool:
    try:
        _polyseal.PayloadHead(header, size, **who_args)
    except ContextMismatch:
        return True
    except PolysealError:
        return False
    return True


def _kept(who_args: WhoArgs) -> WhoArgs:
    """The same, to be used more than once."""
    recipients = who_args.get("recipients", ())
    kept: WhoArgs = {**who_args, "recipients": recipients if isinstance(recipients, str) else list(recipients)}
    return kept


def _shown(path: bytes) -> PurePosixPath:
    return PurePosixPath(os.fsdecode(path))


__all__ = [
    "TreeProgress",
    "TreeSummary",
    "decrypt_tree",
    "encrypt_tree",
    "rekey_tree",
    "verify_tree",
]
