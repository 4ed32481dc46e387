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
import json
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Union

from . import _polyseal
from ._directory import Directory, Input, Staged
from ._rekey import Rekeying, read_header
from ._tree_walk import MANIFEST, SUFFIX, Exclude, Step, count, shown, walk
from ._tree_work import Entry, Outcome, Progress, Run, TreeProgress, TreeSummary, Work
from ._who import WhoArgs, who
from .errors import ContextMismatch, ManifestError, PolysealError, TreeMismatch

if TYPE_CHECKING:
    from typing import Unpack

PathLike = Union[str, "os.PathLike[str]"]

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
    sealer = _polyseal.StreamSealer(suite=suite, segment_size=segment_size, header_size=header_size, **who_args)
    to = made.make()

    def begin() -> Iterator[Step | Outcome]:
        # A directory is there before anything in it has its turn.
        for step in walk(tree, exclude):
            if step.what == "3 directory" and step.error is None:
                try:
                    parent, name = to.place(step.path)
                    parent.make(name)
                except OSError as error:
                    yield Outcome(step.path, error=error)
                    continue
            yield step

    def seal(step: Step, work: Work) -> Entry:
        path = step.path
        if step.error is not None:
            raise step.error
        if path == MANIFEST:
            raise ValueError("it has the name of the manifest: rename it")
        parent, name = tree.place(path)
        if step.what == "3 directory":
            return Entry.of("d", path, parent.stat(name))
        if step.what == "1 link":
            return Entry.of("l", path, parent.stat(name), data=os.readlink(name, dir_fd=parent.fd))
        if step.what == "0 other":
            raise ValueError("it is neither a file nor a directory nor a symbolic link")
        with Input(parent.file(name)) as plain, Staged(*to.place(path + SUFFIX), overwrite, sync=overwrite) as sealed:
            there = os.fstat(plain.file.fileno())
            size, _, salt = _polyseal.encrypt(
                plain.source, sealed.sink, whose, suite, segment_size, header_size, work.threads, work.report()
            )
            sealed.commit()
        return Entry.of("f", path, there, size, salt)

    with Staged(to, MANIFEST + SUFFIX, overwrite, sync=overwrite) as manifest:
        manifest.write(sealer.header)
        writer = _polyseal.ManifestWriter()

        def record(entry: Entry) -> None:
            manifest.write(sealer.write(writer.push(*entry)))

        run = Run(jobs, progress, count(tree, exclude) if progress else (0, 0))
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
        open_directories: list[Entry] = []

        def begin(entry: Entry) -> None:
            parent, name = to.place(entry.path)
            parent.make(name)

        def leave(entry: Entry | None) -> Iterator[Outcome]:
            """Directories whose contents are done get their mode and time."""
            while open_directories and not (entry and entry.path.startswith(open_directories[-1].path + b"/")):
                last = open_directories.pop()
                try:
                    directory = to.beneath(last.path)
                    os.utime(directory.fd, ns=(os.fstat(directory.fd).st_atime_ns, last.mtime_ns))
                    os.fchmod(directory.fd, last.mode)
                except (OSError, OverflowError) as error:
                    yield Outcome(last.path, error=error)
            if entry and entry.kind == "d":
                open_directories.append(entry)

        def carry(entry: Entry, work: Work) -> None:
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
                done = _polyseal.decrypt(file.source, plain.sink, sealed.whose, work.threads, work.report(entry.size))
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

    def verify(entry: Entry, work: Work) -> None:
        if entry.kind == "f":
            with sealed.file(entry) as file:
                done = _polyseal.verify(file.source, sealed.whose, work.threads, work.report(entry.size))
                _expect_its_own(entry, done)

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
    manifest = MANIFEST + SUFFIX
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

    def work(entry: Entry, _: Work) -> None:
        if entry.kind == "f":
            rekey(entry.path + SUFFIX, entry.data)

    with sealed:
        summary = sealed.each(jobs, progress, work, tell_added=False)
        rekey(manifest, None)
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
        name = MANIFEST + SUFFIX
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

    def file(self, entry: Entry) -> Input:
        """The file that should be that of ``entry``."""
        parent, name = self.tree.place(entry.path + SUFFIX)
        return Input(parent.file(name))

    def each(
        self,
        jobs: int | None,
        progress: Progress | None,
        work: Callable[[Entry, Work], None],
        begin: Callable[[Entry], None] = lambda _: None,
        leave: Callable[[Entry | None], Iterator[Outcome]] = lambda _: iter(()),
        tell_added: bool = True,
    ) -> TreeSummary:
        """``work`` for each file and link; ``begin`` has each directory before what is in it."""

        def pairs() -> Iterator[Entry | Outcome]:
            for pair in self._join():
                if isinstance(pair, Entry) and pair.kind == "d":
                    try:
                        begin(pair)
                    except OSError as error:
                        yield Outcome(pair.path, error=error)
                        continue
                elif isinstance(pair, Outcome) and not tell_added and _is_added(pair.error):
                    continue
                yield pair

        def one(entry: Entry, task: Work) -> None:
            if entry.kind != "d":
                work(entry, task)

        run = Run(jobs, progress, self._totals)
        return run.end(run.all(pairs(), one, leave=leave))

    def _entries(self) -> Iterator[Entry]:
        out: bytes | None = None
        for fields in _polyseal.ManifestReader(self._manifest.source, self.whose):
            entry = Entry(*fields)
            if out is not None and entry.path.startswith(out + b"/"):
                continue
            if self._exclude is not None and self._exclude(shown(entry.path)):
                out = entry.path
                continue
            yield entry

    def _join(self) -> Iterator[Entry | Outcome]:
        """What the manifest has and what is there, side by side. Both come in one order, so that nothing of
        either has to be kept.
        """
        found = (
            step
            for step in walk(self.tree, self._exclude, sealed=True)
            if (step.what != "3 directory" or step.error is not None) and step.path != MANIFEST
        )
        step = next(found, None)
        for entry in self._entries():
            while step is not None and (
                step.error is not None
                or step.path.split(b"/") < entry.path.split(b"/")
                or (step.path == entry.path and entry.kind == "f" and step.what != "2 file")
            ):
                yield Outcome(step.there, error=step.error or TreeMismatch("added"))
                step = next(found, None)
            if entry.kind != "f":
                yield entry
            elif step is not None and step.path == entry.path:
                yield entry
                step = next(found, None)
            else:
                yield Outcome(entry.path + SUFFIX, error=TreeMismatch("missing"))
        while step is not None:
            yield Outcome(step.there, error=step.error or TreeMismatch("added"))
            step = next(found, None)


def _expect_its_own(entry: Entry, done: tuple[int, int, bytes | None]) -> None:
    size, _, salt = done
    if (size, salt) != (entry.size, entry.data):
        raise TreeMismatch("other")


def _is_added(error: Exception | None) -> bool:
    return isinstance(error, TreeMismatch) and error.reason == "added"


def _file_salt(header: bytes) -> str:
    salt: str = json.loads(_polyseal.inspect_header(header, None))["file_salt"]
    return salt


def _opens(who_args: WhoArgs, file: Input) -> bool:
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


__all__ = [
    "TreeProgress",
    "TreeSummary",
    "decrypt_tree",
    "encrypt_tree",
    "rekey_tree",
    "verify_tree",
]
