"""Many objects of a store, encrypted, decrypted, verified or given other recipients by many processes.

``plan`` lists what is there and cuts it into tasks; ``Task.run`` does one, anywhere; ``Plan.results`` takes
what they say. A task is small, can be pickled, and names keys by reference: no key is ever in one. A worker
takes only references that it allows: ``allow_keys``. What runs tasks is what you have: ``Plan.run`` with any
executor of ``concurrent.futures``, ``polyseal.dask.run``, ``polyseal.ray.run``, or Spark's ``mapPartitions``
(docs/scale.md).

>>> import fsspec, os, polyseal.jobs
>>> os.environ["BACKUP_KEY"] = polyseal.SecretKey.generate().to_key_file()
>>> key = "env:BACKUP_KEY"
>>> fsspec.filesystem("memory").pipe({f"/letters/{name}": b"attack at dawn" for name in "ab"})
>>> plan = polyseal.jobs.plan("encrypt", "memory://letters", "memory://sealed", key=key)
>>> [outcome.status for outcome in plan.run()]
['done', 'done']
>>> fs = fsspec.filesystem("polyseal", target_protocol="memory", key=key)
>>> fs.cat_file("/sealed/a")
b'attack at dawn'

What holds whatever fails: an object appears complete or not at all. A source is read in one version, and
another version of it is never sealed with the same file key: a source that changes makes its object fail,
and the next plan begins it with a new file key. Only if source and target are on S3, where the server compares
versions, do several tasks seal parts of one object; elsewhere one task seals all of it, with a file key of
its own. A target that another writer has made or changed since the plan stays as it is (``conflict``); on
S3 the server compares, elsewhere a moment is left between. A task that is run again after it had been
broken off knows its own object by a mark (on S3, and in local file systems with extended attributes: see
``_marks``), and takes it as done once it has read all of it; elsewhere that is a conflict, too: the object is
whole, and ``verify`` tells.

With ``manifest`` every outcome is a line of JSON in that file; a plan with the same manifest leaves out
what is done and has not changed since.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Union

from ._key_set import key_set
from ._marks import Mark, is_whole, marks_match
from ._names import leaves
from ._os_errors import path_errors
from ._opening import HEADER_SIZE, opened
from ._polyseal import Opener, Outline, Sealer, StreamSealer, Version
from ._references import by_reference, references, resolved
from ._shown import cleaned, shown, without_secrets
from ._stores import LEAST_PART, PIECE, Conflict, Found, S3Store, Store, part_size, store
from ._task_keys import allow_keys, expect_allowed, inside_a_task, named
from .errors import PolysealError, SourceChanged
from .files import rekey_header
from .fs import PolysealFileSystem

if TYPE_CHECKING:
    from typing import TypedDict

    from ._key_set import KeySetArgs
    from .keys import KeyRef

    Key = Union[str, KeyRef, Sequence[Union[str, KeyRef]], None]

    class To(TypedDict, total=False):
        """The recipients of the files that ``rekey`` has done: as the keywords of ``plan``."""

        key: Key
        recipients: str | Iterable[str]


Operation = Literal["encrypt", "decrypt", "verify", "rekey"]
Status = Literal["done", "failed", "conflict"]
#: Told after each task: what is done and what there is, in objects and in bytes.
Progress = Callable[["Done"], object]

#: Objects of a task: a million tasks would choke a scheduler.
OBJECTS_PER_TASK: Final = 1000
#: The least, where a plan has so few objects that there are less than ``TASKS`` tasks.
FEWEST_OBJECTS: Final = 10
TASKS: Final = 64
#: Bytes of a part: of an object above that, parts are tasks of their own, where the store takes parts.
PART_SIZE: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Item:
    """An object as it was listed."""

    #: Its name below the source, which the target has, too.
    name: str
    size: int
    version: str
    #: The version of the target that will be replaced; none where nothing is.
    expected_version: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A run of an object that is too large for one task."""

    item: Item
    number: int
    start: int
    stop: int
    #: The upload that it goes to, and the ticket that seals it; none where it is only read.
    upload: str | None = None
    ticket: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an object."""

    name: str
    operation: Operation
    status: Status
    #: Bytes of the source.
    size: int
    #: Versions of the source, and of the target or of what took its place.
    before: str
    after: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class PartOutcome:
    """The outcome of a part."""

    part: Part
    etag: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a task."""

    outcomes: tuple[Outcome, ...]
    parts: tuple[PartOutcome, ...]
    #: The process, and its CPU time and wall time in seconds.
    process: str
    cpu_seconds: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Done:
    """How far it is."""

    objects: int
    of_objects: int
    bytes: int
    of_bytes: int


@dataclass(frozen=True, slots=True)
class _Place:
    """Where objects are."""

    url: str
    # Not in what engines log of a task: it may hold credentials.
    options: dict[str, Any] = field(repr=False)

    def store(self, *, output: bool) -> tuple[Store, str]:
        """Its store, and the path in it. ``output`` says that something is written there."""
        return store(self.url, self.options, output=output)


@dataclass(frozen=True, slots=True)
class _Keys:
    """Keys that open objects, recipients of new ones, and how those are sealed. Keys are references."""

    key_set: dict[str, Any]
    #: The recipients that ``rekey`` gives objects to, and whether it keeps those of now.
    to: dict[str, Any] | None
    keep: bool
    sealing: dict[str, Any]

    def references(self) -> list[str]:
        """The keys and identities that tasks refer to."""
        both = references(self.key_set) + ([] if self.to is None else references(self.to))
        return list(dict.fromkeys(both))


@dataclass(frozen=True, slots=True)
class _Limits:
    """How much a task has, and does at once."""

    #: None: what ``of`` says.
    objects_per_task: int | None
    part_size: int
    concurrency: int

    def __post_init__(self) -> None:
        if self.part_size < LEAST_PART:
            raise ValueError(f"a part has at least {LEAST_PART} bytes, not {self.part_size}")
        if (self.objects_per_task is not None and self.objects_per_task < 1) or self.concurrency < 1:
            raise ValueError("a task has one object or more, and works at one or more together")

    def of(self, objects: int) -> int:
        """How many objects a task has, of so many: enough tasks for many workers, and no task for a few objects."""
        if self.objects_per_task is not None:
            return self.objects_per_task
        return min(OBJECTS_PER_TASK, max(FEWEST_OBJECTS, -(-objects // TASKS)))


@dataclass(frozen=True)
class _JobSpec:
    """The common part of all tasks of a plan. Nothing in it is secret, but for the options of the stores, and the
    secret that marks are made with."""

    operation: Operation
    source: _Place
    target: _Place | None
    keys: _Keys
    limits: _Limits
    #: The secret of this plan alone, which is not stored anywhere: see ``_marks``.
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def mark(self, item: Item) -> Mark:
        """The mark of an object that this plan has made of that version of its source."""
        return Mark(self.secret, (self.operation, item.name, item.version, item.size))

    def outcome(self, item: Item, error: Exception | None = None, after: str | None = None) -> Outcome:
        """The outcome of an object."""
        status: Status = "done" if error is None else "conflict" if isinstance(error, Conflict) else "failed"
        text = None if error is None else shown(str(error)) if status == "conflict" else _text(error)
        return Outcome(item.name, self.operation, status, item.size, item.version, after, text)

    def unfit(self, item: Item, error: str) -> Outcome:
        """The same of one that was not tried, or not to the end."""
        return Outcome(item.name, self.operation, "failed", item.size, item.version, error=error)

    def stores(self) -> tuple[Store, str, Store, str]:
        """Where objects come from, and where they go."""
        source, below = self.source.store(output=self.operation == "rekey")
        if self.target is None:
            return source, below, source, below
        return (source, below, *self.target.store(output=True))


@dataclass(frozen=True)
class Task:
    """Objects, or a part of one. It can be pickled, and ``run`` needs nothing but the keys it refers to."""

    spec: _JobSpec
    items: tuple[Item, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def size(self) -> int:
        """The bytes of its objects."""
        return sum(item.size for item in self.items) + sum(part.stop - part.start for part in self.parts)

    def run(self) -> Result:
        """Does it. What fails is told in the result, a key or a store that is not there included: nothing is
        raised but ``KeyboardInterrupt``.
        """
        start, cpu = time.perf_counter(), time.process_time()
        try:
            worker = _Worker(self.spec)
        except Exception as error:  # of the key or the store: another worker may have it
            told = self.failed(_text(error))
            outcomes, parts = told.outcomes, told.parts
        else:
            with ThreadPoolExecutor(max(1, min(self.spec.limits.concurrency, len(self.items) + len(self.parts)))) as pool:
                outcomes = tuple(pool.map(worker.item, self.items))
                parts = tuple(pool.map(worker.part, self.parts))
        return Result(
            outcomes, parts, f"{os.uname().nodename}:{os.getpid()}", time.process_time() - cpu, time.perf_counter() - start
        )

    def lost(self, error: BaseException) -> Result:
        """The result if its worker died, or could not read it: for engines."""
        return self.failed(f"its task has no result: {_text(error)}")

    def failed(self, error: str) -> Result:
        """The result if all of it fails."""
        outcomes = tuple(self.spec.unfit(item, error) for item in self.items)
        return Result(outcomes, tuple(PartOutcome(part, error=error) for part in self.parts), "", 0.0, 0.0)


def run(task: Task) -> Result:
    """Does a task: for engines that take a function."""
    return task.run()


def _text(error: BaseException) -> str:
    return shown(f"{type(error).__name__}: {cleaned(error)}")


class _Worker:
    """Does the objects of a task, in several threads."""

    def __init__(self, spec: _JobSpec) -> None:
        self.spec = spec
        with inside_a_task():
            self.source, self.source_path, self.target, self.target_path = spec.stores()
            # Options of a store may refer to keys, too.
            expect_allowed([*_opened_by(self.source.fs), *_opened_by(self.target.fs)])
            self.key_set = _resolved_keys(spec.keys.key_set)
            self.to: KeySetArgs = {} if spec.keys.to is None else _resolved_keys(spec.keys.to)

    def item(self, item: Item) -> Outcome:
        try:
            with inside_a_task():
                return self.spec.outcome(item, after=getattr(self, self.spec.operation)(item))
        except (Conflict, SourceChanged) as error:
            return self.retry_outcome(item, error)
        except Exception as error:  # of the store, the file or the key: the next object may do better
            return self.spec.outcome(item, error)

    def retry_outcome(self, item: Item, error: Exception) -> Outcome:
        """It may be this very task that has been there before, and was broken off before it could tell."""
        try:
            with inside_a_task():
                found = self.target.marked(self._target(item))
                is_own = found is not None and self._is_own(item, found)
        except PolysealError:  # what is there does not open, or changes
            return self.spec.outcome(item, error)
        except Exception as other:  # of the store
            return self.spec.outcome(item, other)
        return self.spec.outcome(item, after=found.version) if found and is_own else self.spec.outcome(item, error)

    def _is_own(self, item: Item, found: Found) -> bool:
        """Whether every byte of what is there is what this plan has made of the object."""
        mark, target = self.spec.mark(item), _StoredFile(self.target, self._target(item), found.size, found.version)
        if is_whole(found.mark):
            whole = mark.whole()
            for start in range(0, found.size, PIECE):
                whole.update(target.read(start, min(found.size, start + PIECE)))
            return marks_match(whole.text(), found.mark)
        # The mark tells of the header alone. What is after it must open, and be what the source says.
        header = b"" if self.spec.operation == "decrypt" else target.header()
        if not marks_match(mark.begun(header), found.mark):
            return False
        if self.spec.operation == "rekey":
            # Whoever could open it before, if they still can; otherwise the new ones.
            new: KeySetArgs = self.key_set if self.spec.keys.keep else {**self.key_set, "key": None, "identity": None, **self.to}
            return all(True for _ in _OpenedFile(target, new).pieces())
        source = self._stored(item)
        sealed, plain = (source, target) if self.spec.operation == "decrypt" else (target, source)
        file = _OpenedFile(sealed, self.key_set)
        return file.size == plain.size and all(piece == plain.read(at, at + len(piece)) for at, piece in file.pieces())

    def encrypt(self, item: Item) -> str:
        sealer = StreamSealer(**self.spec.keys.sealing, **self.key_set)
        return self._put(item, self._sealed(item, sealer), item.size, sealer.header)

    def _sealed(self, item: Item, sealer: StreamSealer) -> Iterator[bytes]:
        yield sealer.header
        # The version of an empty object is compared, too.
        for start in range(0, max(item.size, 1), PIECE):
            yield sealer.write(self._read(item, start, min(item.size, start + PIECE)))
        yield sealer.finish()

    def decrypt(self, item: Item) -> str:
        file = self._open(item)
        # An opened file is authentic, and its length is certain: nothing appears before all of it is.
        return self._put(item, (piece for _, piece in file.pieces()), file.size)

    def _put(self, item: Item, pieces: Iterable[bytes], size: int, header: bytes = b"") -> str:
        return self.target.put(self._target(item), pieces, size, item.expected_version, self.spec.mark(item), header)

    def verify(self, item: Item) -> None:
        for _ in self._open(item).pieces():
            pass

    def rekey(self, item: Item) -> str:
        stored = self._stored(item)
        new = rekey_header(stored.header(), to=self.to, keep=self.spec.keys.keep, **self.key_set)
        return self.source.replace_head(
            self._source(item), new, item.size, item.version, stored.read, self.spec.mark(item), stored.attributes
        )

    def part(self, part: Part) -> PartOutcome:
        try:
            with inside_a_task():
                return PartOutcome(part, self._part(part))
        except Exception as error:  # as above
            return PartOutcome(part, error=_text(error))

    def _part(self, part: Part) -> str | None:
        item = part.item
        if self.spec.operation == "verify":
            for _ in self._open(item).ranges(part.start, part.stop):
                pass
            return None
        assert part.upload is not None and isinstance(self.target, S3Store)
        if part.ticket is None:
            data = b"".join(self._open(item).ranges(part.start, part.stop))
        else:
            # The version is in the ticket: another one is refused, and so is another one by the read.
            sealer = Sealer.from_ticket(part.ticket, item.version.encode(), **self.key_set)
            wanted = sealer.plaintext_range(part.start, part.stop)
            data = sealer.seal(
                part.start, part.stop, item.version.encode(), self._read(item, wanted.start, wanted.stop)
            )
        return self.target.part(self._target(item), part.upload, part.number, data, sealed=part.ticket is not None)

    def _source(self, item: Item) -> str:
        return _joined(self.source_path, item.name)

    def _target(self, item: Item) -> str:
        return _joined(self.target_path, item.name)

    def _read(self, item: Item, start: int, stop: int) -> bytes:
        return self.source.read(self._source(item), start, stop, item.version)

    def _stored(self, item: Item) -> _StoredFile:
        return _StoredFile(self.source, self._source(item), item.size, item.version)

    def _open(self, item: Item) -> _OpenedFile:
        return _OpenedFile(self._stored(item), self.key_set)


class _StoredFile:
    """The stored bytes of an object, in one version."""

    def __init__(self, store: Store, path: str, size: int, version: str) -> None:
        self.size = size
        self._at = store, path, version
        self._known: list[tuple[int, bytes]] = []
        #: The attributes that another object of its name should have, too; once something was fetched.
        self.attributes: dict[str, Any] = {}

    def fetch(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Ranges, at once, which are kept: an opener asks for the two ends."""
        store, path, version = self._at
        stored, self.attributes = store.ranges(path, ranges, version)
        self._known += [(start, data) for (start, _), data in zip(ranges, stored)]
        return stored

    def read(self, start: int, stop: int) -> bytes:
        for at, data in self._known:
            if at <= start and stop <= at + len(data):
                return data[start - at : stop - at]
        store, path, version = self._at
        return store.read(path, start, stop, version)

    def header(self) -> bytes:
        first = min(self.size, HEADER_SIZE)
        [begun] = self.fetch([(0, first)])
        size = min(self.size, Outline.parse(begun).header_size)
        return begun if size <= first else begun + self.read(first, size)


class _OpenedFile:
    """An encrypted object, of which the length is certain."""

    def __init__(self, stored: _StoredFile, key_set: KeySetArgs) -> None:
        self._stored = stored
        self._payload, _, _ = opened(Opener(Version(stored.size)), stored.fetch, key_set)
        self.size, self.segment_size = self._payload.size, self._payload.segment_size

    def pieces(self) -> Iterator[tuple[int, bytes]]:
        """All of the plaintext, piece by piece, and where each is."""
        at = 0
        for piece in self.ranges(0, self.size):
            yield at, piece
            at += len(piece)

    def ranges(self, start: int, stop: int) -> Iterator[bytes]:
        """The plaintext from ``start`` to ``stop``, piece by piece."""
        step = max(1, PIECE // self.segment_size) * self.segment_size
        for at in range(start, stop, step):
            end = min(stop, at + step)
            stored = self._payload.stored_range(at, end)
            yield self._payload.open_range(at, end, self._stored.read(stored.start, stored.stop))


def _resolved_keys(referred: dict[str, Any]) -> KeySetArgs:
    """Keys and identities that are referred to. Each is there, and this worker takes it from a task."""
    args = resolved(referred)
    if args.get("key") or args.get("identity"):
        # Identities are read anew for each object; that there is none is told now, as what it is.
        key_set(**args)
    return args


def _joined(root: str, name: str) -> str:
    return f"{root.rstrip('/')}/{name}" if name else root


def _several(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


class Plan:
    """Tasks, and what has become of them."""

    def __init__(self, spec: _JobSpec, items: list[Item], manifest: Path | None) -> None:
        self.spec = spec
        self.manifest = manifest
        self._job = _job(spec)
        self.items = items
        self._waiting: dict[str, dict[int, PartOutcome]] = {}
        self._counts: dict[str, int] = {}
        self._uploads: dict[str, tuple[Item, str]] = {}
        self._source, _, self._target, self._target_path = spec.stores()
        #: The references that tasks use, as workers allow them: see ``allow_keys``.
        self.references = spec.keys.references()
        self._failed: list[Outcome] = []
        self.tasks = self._cut(spec.limits)
        #: Names of objects of which the outcome is known.
        self._finished: set[str] = set()
        self._bytes = 0

    @property
    def size(self) -> int:
        """The bytes of all objects."""
        return sum(item.size for item in self.items)

    def __repr__(self) -> str:
        source = shown(self.spec.source.url)
        target = "" if self.spec.target is None else f" to {shown(self.spec.target.url)!r}"
        return (
            f"<polyseal.jobs.Plan: {self.spec.operation} {source!r}{target}: "
            f"{_several(len(self.items), 'object')} of {self.size} bytes, {_several(len(self.tasks), 'task')}>"
        )

    def _cut(self, limits: _Limits) -> list[Task]:
        tasks, small = [], []
        # A part that is sealed again must have the same plaintext: only a source that compares versions promises it.
        compared = self.spec.operation == "decrypt" or self._source.parts
        in_parts = self.spec.operation == "verify" or (
            self._target.parts and self.spec.operation != "rekey" and compared
        )
        for item in self.items:
            if self.spec.target is not None and item.name and leaves(item.name):
                self._failed.append(self.spec.unfit(item, "no target can have that name"))
                continue
            if not item.version:
                self._failed.append(self.spec.unfit(item, "the store does not tell its versions, and so cannot say whether it changes"))
                continue
            if not in_parts or item.size <= limits.part_size:
                small.append(item)
                continue
            try:
                parts = self._parts(item, limits.part_size)
            except Exception as error:
                self._failed.append(self.spec.unfit(item, _text(error)))
                continue
            self._waiting[item.name] = {}
            self._counts[item.name] = len(parts)
            tasks += [Task(self.spec, parts=(part,)) for part in parts]
        step = limits.of(len(small))
        tasks += [Task(self.spec, tuple(small[at : at + step])) for at in range(0, len(small), step)]
        return tasks

    def _parts(self, item: Item, least: int) -> list[Part]:
        header, ticket = b"", None
        if self.spec.operation == "encrypt":
            sealer = Sealer(item.size, item.version.encode(), **self.spec.keys.sealing, **resolved(self.spec.keys.key_set))
            header, ticket = sealer.header, sealer.ticket()
            ranges = sealer.parts(part_size(sealer.stored_size, least))
        else:
            file = _Worker(self.spec)._open(item)
            step = -(-part_size(file.size, least) // file.segment_size) * file.segment_size
            ranges = [range(at, min(file.size, at + step)) for at in range(0, file.size, step)]
        upload = None
        if self.spec.operation != "verify":
            assert isinstance(self._target, S3Store)
            path = _joined(self._target_path, item.name)
            upload = self._target.begin(path, self.spec.mark(item).begun(header))
            self._uploads[item.name] = item, upload
        return [Part(item, n, each.start, each.stop, upload, ticket) for n, each in enumerate(ranges, 1)]

    def take(self, result: Result) -> list[Outcome]:
        """Takes what a task says, and completes objects of which all parts are there. What is finished by
        it. A result that is taken twice changes nothing."""
        outcomes = [each for each in result.outcomes if each.name not in self._finished]
        self._bytes += sum(each.size for each in outcomes)
        for each in result.parts:
            item = each.part.item
            waiting = self._waiting.get(item.name)
            if waiting is None:
                continue
            if each.part.number not in waiting:
                self._bytes += each.part.stop - each.part.start
            waiting[each.part.number] = each
            if len(waiting) == self._counts[item.name]:
                outcomes.append(self._completed(item, self._waiting.pop(item.name)))
        self._write(outcomes)
        self._finished.update(each.name for each in outcomes)
        return outcomes

    def done(self) -> Done:
        """How far it is."""
        return Done(len(self._finished), len(self.items), min(self._bytes, self.size), self.size)

    def _completed(self, item: Item, parts: dict[int, PartOutcome]) -> Outcome:
        errors = [each.error for _, each in sorted(parts.items()) if each.error is not None]
        upload = self._uploads.pop(item.name, (item, None))[1]
        if upload is None:
            return self.spec.unfit(item, errors[0]) if errors else self.spec.outcome(item)
        assert isinstance(self._target, S3Store)
        path = _joined(self._target_path, item.name)
        try:
            if errors:
                self._target.abort(path, upload)
                return self.spec.unfit(item, errors[0])
            etags = [str(each.etag) for _, each in sorted(parts.items())]
            return self.spec.outcome(item, after=self._target.complete(path, upload, etags, item.expected_version))
        except Exception as error:  # of the store, or of another writer
            self._target.abort(path, upload)
            # The client may have asked twice, and been answered the second time only.
            try:
                return _Worker(self.spec).retry_outcome(item, error)
            except Exception:  # of a key or a store: then nobody can say
                return self.spec.outcome(item, error)

    def _write(self, outcomes: list[Outcome]) -> None:
        if self.manifest is None or not outcomes:
            return
        with self.manifest.open("a+b") as lines:
            # After half a line, at which a process was stopped, begins another.
            if lines.tell() and (lines.seek(-1, os.SEEK_END), lines.read(1))[1] != b"\n":
                lines.write(b"\n")
            lines.writelines(json.dumps({"job": self._job, **asdict(each)}).encode() + b"\n" for each in outcomes)
            lines.flush()
            os.fsync(lines.fileno())

    def abandon(self) -> None:
        """Forgets the parts of objects that were not completed: a store keeps them, and counts them."""
        for name, (_, upload) in list(self._uploads.items()):
            assert isinstance(self._target, S3Store)
            self._target.abort(_joined(self._target_path, name), upload)
            self._uploads.pop(name)

    def results(self, results: Iterable[Result], progress: Progress | bool = False) -> list[Outcome]:
        """Takes the results of all tasks as they come, and says what has become of all objects: those
        without a result have failed. For engines that bring results one by one."""
        outcomes = list(self._failed)
        self._write(outcomes)
        show = _bar(self) if progress is True else (progress or (lambda _: None))
        try:
            for result in results:
                outcomes += self.take(result)
                show(self.done())
        finally:
            for name in list(self._waiting):
                item = next(each for each in self.items if each.name == name)
                missing = self.spec.unfit(item, "a part has no result")
                outcomes.append(missing)
                self._write([missing])
            self._waiting.clear()
            self.abandon()
        named = {each.name for each in outcomes}
        lost = [
            self.spec.unfit(item, "its task has no result")
            for item in self.items
            if item.name not in named
        ]
        self._write(lost)
        return sorted(outcomes + lost, key=lambda each: each.name)

    def run(self, executor: Executor | None = None, *, progress: Progress | bool = False) -> list[Outcome]:
        """Does all of it, in ``executor`` or here."""
        if executor is None:
            return self.results(map(run, self.tasks), progress)
        futures = {executor.submit(run, task): task for task in self.tasks}

        def results() -> Iterator[Result]:
            for future in as_completed(futures):
                error = future.exception()
                yield future.result() if error is None else futures[future].lost(error)

        return self.results(results(), progress)


def plan(
    operation: Operation,
    source: str,
    target: str | None = None,
    *,
    key: Key = None,
    identity: str | Sequence[str] | None = None,
    recipients: str | Iterable[str] = (),
    context: str | None = None,
    to: To | None = None,
    keep: bool | None = None,
    suite: str | None = None,
    segment_size: int = 65536,
    header_size: int = 0,
    overwrite: bool = False,
    storage_options: dict[str, Any] | None = None,
    target_options: dict[str, Any] | None = None,
    objects_per_task: int | None = None,
    part_size: int = PART_SIZE,
    concurrency: int = 8,
    manifest: str | os.PathLike[str] | None = None,
) -> Plan:
    """Lists the objects below ``source``, or that one, and makes tasks of them.

    ``target`` is where encrypted or decrypted objects go, under the same names; ``verify`` and ``rekey``
    have none. What cannot be listed is an error. A target that is there is a conflict, unless ``overwrite``: then it is replaced if nobody
    changes it meanwhile. ``rekey`` gives objects to those that ``to`` names, and ``keep`` must say whether those who
    can open them now still can. Keys are named by reference: ``"file:/etc/backup.key"``. ``storage_options`` are
    those of fsspec for the source, and for the target unless ``target_options`` are given; they travel
    with the tasks: let workers find credentials in their environment instead.

    A task has ``objects_per_task`` objects: if that is not given, as many that there are 64 tasks, but 10 at least and
    1,000 at most. ``concurrency`` is how many objects a task works at together. Its process holds so many pieces of some 8 MiB,
    or parts of ``part_size`` bytes, in memory.
    """
    if (target is None) != (operation in ("verify", "rekey")):
        raise ValueError(f"{operation} {'has no target' if target else 'needs a target'}")
    if (to is not None) != (operation == "rekey"):
        raise ValueError("`to` says who can open what rekey has done, and only rekey has it")
    if (keep is not None) != (operation == "rekey"):
        raise ValueError("rekey says by `keep` whether those who can open an object now still can, and only rekey does")
    if to is not None and not {"key", "recipients"} >= to.keys():
        raise ValueError(f"`to` has a key or recipients, no {sorted(to.keys() - {'key', 'recipients'})[0]}")
    limits = _Limits(objects_per_task, part_size, concurrency)
    options = storage_options or {}
    keys = _Keys(
        by_reference(key, identity, recipients, context),
        None if to is None else by_reference(to.get("key"), None, to.get("recipients", ()), None),
        bool(keep),
        dict(suite=suite, segment_size=segment_size, header_size=header_size),
    )
    goes = None if target is None else _Place(target, options if target_options is None else target_options)
    spec = _JobSpec(operation, _Place(source, options), goes, keys, limits)
    return _listed(spec, overwrite, None if manifest is None else Path(manifest))


def _listed(spec: _JobSpec, overwrite: bool, manifest: Path | None) -> Plan:
    """The plan for what there is now and is not done. With ``overwrite``, what is in the target is replaced."""
    before = {} if manifest is None else _done(manifest, spec)
    source_store, source_path, target_store, target_path = spec.stores()
    named([*spec.keys.references(), *_opened_by(source_store.fs), *_opened_by(target_store.fs)])
    there: dict[str, str] = {}
    if spec.target is not None:
        with path_errors(spec.target.url):
            found = target_store.find(target_path)
        there = {_name(path, target_path): target_store.version(info) for path, info in found.items()}
    with path_errors(spec.source.url):
        listed = source_store.find(source_path)
        is_there = bool(listed) or source_store.fs.exists(source_path)
    if not is_there:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), without_secrets(spec.source.url))
    items = []
    for path, info in sorted(listed.items()):
        name, version = _name(path, source_path), source_store.version(info)
        if (version, None if spec.target is None else there.get(name)) in before.get(name, ()):
            continue
        items.append(Item(name, info["size"], version, there.get(name) if overwrite else None))
    return Plan(spec, items, manifest)


def _opened_by(fs: Any) -> list[str]:
    """The references by which a file system, and those below it, open what is stored."""
    found = list[str]()
    while fs is not None:
        if isinstance(fs, PolysealFileSystem):
            found += references(fs._key_set)
        fs = getattr(fs, "fs", None)
    return found


def _name(path: str, root: str) -> str:
    return path.removeprefix(root.rstrip("/")).removeprefix("/")


def _job(spec: _JobSpec) -> str:
    """The hash that tells a job from another that has the same manifest."""
    target, keys = None if spec.target is None else spec.target.url, spec.keys
    job = (spec.operation, spec.source.url, target, keys.key_set, keys.to, keys.keep, keys.sealing)
    return hashlib.sha256(json.dumps(job, sort_keys=True, default=str).encode()).hexdigest()


def _done(manifest: Path, spec: _JobSpec) -> dict[str, set[tuple[str | None, str | None]]]:
    """The finished part of this job, by its manifest: for each name, the done versions of source and target."""
    done: dict[str, set[tuple[str | None, str | None]]] = {}
    if not manifest.exists():
        return done
    job = _job(spec)
    with manifest.open(encoding="utf-8") as lines:
        for line in lines:
            try:
                outcome = json.loads(line)
                if outcome["job"] != job or outcome["status"] != "done":
                    continue
                name, before, after = outcome["name"], outcome["before"], outcome["after"]
            except (ValueError, KeyError, TypeError):
                # The line at which a process was stopped.
                continue
            if spec.operation == "rekey":
                done[name] = {(after, None)}
            else:
                done[name] = {(before, None if spec.target is None else after)}
    return done


def _bar(plan: Plan) -> Progress:
    try:
        from tqdm import tqdm
    except ImportError:
        raise ImportError("progress=True draws a bar with the package tqdm; or give a function") from None
    bar = tqdm(total=plan.size, unit="B", unit_scale=True)

    def show(done: Done) -> None:
        bar.set_postfix_str(f"{done.objects}/{done.of_objects} objects", refresh=False)
        bar.update(done.bytes - bar.n)
        if done.objects == done.of_objects:
            bar.close()

    return show


__all__ = [
    "OBJECTS_PER_TASK",
    "PART_SIZE",
    "Done",
    "Item",
    "Outcome",
    "Part",
    "PartOutcome",
    "Plan",
    "Result",
    "Task",
    "allow_keys",
    "plan",
    "run",
]
