"""Whole trees: ``DIR/a/b`` becomes ``SEALED/a/b.polyseal``, as the command's ``--recursive`` does it.

A manifest, ``SEALED/.polyseal-manifest.polyseal``, says which file belongs to which name. It is an encrypted
file like the others, for the same recipients (docs/spec/manifest.md). So whoever can open the tree sees that a
file has been taken away, added, renamed or swapped, or that somebody who can open it has changed it. That a whole
tree is an older one is seen by whoever knows the number of a newer: ``at_least``.

A manifest of version 1 does not bind the contents of files, so that whoever can open one of them can change it
unseen. Such a tree is taken only with ``allow_unbound_contents=True``; ``bind_tree`` writes it a new manifest.

Contents, times of modification, empty directories and symbolic links come back, and of permissions what the umask
leaves; with ``preserve_permissions`` all of them. Links are not
followed, and none is made that could lead out of the tree. Owners, access control lists, attributes and hard
links are not kept. Nothing outside of the two directories is read or written, whatever links are in them or are
put there meanwhile.

>>> import pathlib, polyseal, tempfile
>>> key, place = polyseal.SecretKey.generate(), pathlib.Path(tempfile.mkdtemp())
>>> (place / "letters/may").mkdir(parents=True)
>>> (place / "letters/may/one").write_bytes(b"attack at dawn")
14
>>> polyseal.encrypt_tree(place / "letters", place / "sealed", key=key)
TreeSummary(files=1, directories=1, links=0, size=14, unchanged=0, deleted=0)
>>> polyseal.verify_tree(place / "sealed", key=key).files
1
>>> polyseal.decrypt_tree(place / "sealed", place / "back", key=key).size
14
>>> (place / "back/may/one").read_bytes()
b'attack at dawn'

An update encrypts what has changed since, and what was just being written then.

>>> (place / "letters/june").write_bytes(b"retreat")
7
>>> updated = polyseal.encrypt_tree(place / "letters", place / "sealed", update=True, key=key)
>>> updated.files + updated.unchanged
2
>>> entries = polyseal.list_tree(place / "sealed", key=key)
>>> entries.number, [(str(each.path), each.size) for each in entries]
(2, [('june', 7), ('may', None), ('may/one', 14)])
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal, Union

from . import _polyseal
from ._key_set import KeySetArgs, key_set, opening_keys, sealing_keys, shows_keys
from ._polyseal import SigningKey
from .files import EncryptedReader, wanted_signers

if TYPE_CHECKING:
    from typing import Unpack

    from ._polyseal import AllowedSigners

PathLike = Union[str, "os.PathLike[str]"]
#: Says of a path in the tree whether it is left out, with all that is in it.
Exclude = Callable[[PurePosixPath], bool]
#: Paths from the root of the tree, to the letter or as a shell has them: ``docs/report.odt``, ``photos/2026/**``.
Paths = Union[str, PurePosixPath, Iterable[Union[str, PurePosixPath]]]


@dataclass(frozen=True, slots=True)
class TreeSummary:
    """The result of an operation on a tree."""

    files: int = 0
    directories: int = 0
    links: int = 0
    #: The bytes of plaintext in these files.
    size: int = 0
    #: Files that were left as they are, because they have not changed.
    unchanged: int = 0
    #: Files that have been deleted since.
    deleted: int = 0


@dataclass(frozen=True, slots=True)
class TreeProgress:
    """How far it is: files that are done or have failed, and bytes that have been read."""

    files: int
    #: While the files are still being counted, those that have been seen; and so for bytes.
    of_files: int
    bytes: int
    of_bytes: int


Progress = Callable[[TreeProgress], object]


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One path of a sealed tree, as the manifest has it."""

    path: PurePosixPath
    #: ``absent`` is something that could not be taken, so that the tree has nothing of it.
    kind: Literal["file", "directory", "link", "absent"]
    #: ``failed`` is what the last run could not take: if there is something, it is of an earlier run. ``deleted`` is
    #: there only if ``keep_deleted`` said so.
    state: Literal["new", "unchanged", "failed", "deleted"]
    #: The reason, if it has failed.
    reason: str | None
    #: The permissions.
    mode: int
    #: When it was modified, in nanoseconds, as ``st_mtime_ns``.
    modified_ns: int
    #: The bytes of plaintext of a file.
    size: int | None


class TreeListing(Iterator[TreeEntry]):
    """The entries of a sealed tree, in its order, each once."""

    def __init__(self, entries: _polyseal.TreeEntries) -> None:
        self._entries = entries

    @property
    def number(self) -> int:
        """The number of the tree: 1 when it is made, and one more with each update that changes it. 0 for one of an
        older version of this package.
        """
        return self._entries.number

    def __next__(self) -> TreeEntry:
        path, *rest = next(self._entries)
        return TreeEntry(PurePosixPath(path), *rest)  # type: ignore[arg-type]


@shows_keys
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
    update: bool = False,
    state: PathLike | None = None,
    keep_deleted: bool = False,
    checksum: bool = False,
    allow_empty: bool = False,
    progress: Progress | None = None,
    sign: SigningKey | None = None,
    **key_args: Unpack[KeySetArgs],
) -> TreeSummary:
    """Encrypts every file of the directory ``source`` into the directory ``target``, ``jobs`` at a time.

    ``target`` is a new directory, or an empty one of yours to which nobody else can write; with ``overwrite``, any:
    files of the same names are replaced one by one, and nothing is removed. ``exclude`` is asked of each path, more
    than once and by several threads. What fails keeps nothing else from being done, and is raised at the end as
    ``TreeError``; the tree says what it has not. Each file appears complete or not at all, and the manifest last:
    without it, it is no tree yet.

    With ``update``, ``target`` may have the tree of an earlier run: what has changed since, by size, time and inode
    or, with ``checksum``, by contents, is encrypted, and then the encrypted files of what has been deleted go, unless
    ``keep_deleted`` says otherwise. If it is interrupted, the next one finishes it. A source without any file, which
    may not be mounted, is refused without ``allow_empty``. Nothing but recipients opens no tree: then the file
    ``state``, by default one in the user's folder for such files, tells what has changed. If it is not of the tree,
    everything is encrypted anew, with a warning.

    ``sign`` signs the tree: its statement, in the tree, covers every file. An update without it ends the statement.
    """
    if not update and (state is not None or keep_deleted or checksum or allow_empty):
        raise ValueError("state, keep_deleted, checksum and allow_empty go with update=True")
    if update and overwrite:
        raise ValueError("an update replaces what has changed: it does not go with overwrite")
    return TreeSummary(
        *_polyseal.encrypt_tree(
            os.fsdecode(source),
            os.fsdecode(target),
            sealing_keys(**key_args),
            overwrite,
            jobs,
            _of_path(exclude),
            suite,
            segment_size,
            header_size,
            (None if state is None else os.fsdecode(state), keep_deleted, checksum, allow_empty) if update else None,
            _of_progress(progress),
            sign,
        )
    )


@shows_keys
def decrypt_tree(
    source: PathLike,
    target: PathLike,
    *,
    overwrite: bool = False,
    preserve_permissions: bool = False,
    allow_unbound_contents: bool = False,
    paths: Paths | None = None,
    resume: bool = False,
    deleted: bool = False,
    at_least: int | None = None,
    jobs: int | None = None,
    exclude: Exclude | None = None,
    progress: Progress | None = None,
    signers: AllowedSigners | None = None,
    by: str | None = None,
    **key_args: Unpack[KeySetArgs],
) -> TreeSummary:
    """Decrypts the sealed tree ``source`` into the directory ``target``, as ``encrypt_tree`` encrypts.

    Before anything is done, all of the manifest must be authentic and a manifest. Only files appear that belong
    to their names. What is missing, was added, does not belong or could not be taken is raised at the end as
    ``TreeError``, and so is every link that leads out of the tree: it is not made.

    ``paths`` are all that is wanted, with what is in them: something must be there for each, and nobody looks whether
    other files were added. ``resume`` goes on in a target of an earlier run: what has its contents stays, and all else is replaced.
    ``deleted`` also restores what ``keep_deleted`` has kept. A tree whose number is below ``at_least`` is refused:
    somebody may have put an older one back. With ``signers``, and ``by``, as ``decrypt_file`` takes them, so is one that
    none of them has signed, by ``NotSignedError``.

    Files get the permissions that the umask leaves of those that they had, and nobody but their owner can write to
    them; with ``preserve_permissions`` just those that they had. What is written to a directory that others can
    write to is for its owner alone.
    """
    return TreeSummary(
        *_polyseal.decrypt_tree(
            os.fsdecode(source),
            os.fsdecode(target),
            opening_keys(**key_args),
            overwrite,
            preserve_permissions,
            allow_unbound_contents,
            _of_paths(paths),
            resume,
            deleted,
            at_least,
            jobs,
            _of_path(exclude),
            _of_progress(progress),
            wanted_signers(signers, by),
        )
    )


@shows_keys
def sign_tree(
    source: PathLike,
    sign: SigningKey,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    **key_args: Unpack[KeySetArgs],
) -> TreeSummary:
    """Signs the sealed tree ``source`` as it is. Its encrypted files are read, and none is changed or opened: verify it
    first.
    """
    if not isinstance(sign, SigningKey):
        raise TypeError("sign is a SigningKey: SigningKey.from_file(path), or SigningKey(text)")
    return TreeSummary(
        *_polyseal.sign_tree(os.fsdecode(source), opening_keys(**key_args), sign, jobs, _of_progress(progress))
    )


@shows_keys
def verify_tree(
    source: PathLike,
    *,
    allow_unbound_contents: bool = False,
    paths: Paths | None = None,
    at_least: int | None = None,
    jobs: int | None = None,
    exclude: Exclude | None = None,
    progress: Progress | None = None,
    signers: AllowedSigners | None = None,
    by: str | None = None,
    **key_args: Unpack[KeySetArgs],
) -> TreeSummary:
    """Opens all of the sealed tree ``source`` and keeps nothing of it. Returns if every file is there, is
    authentic and belongs to its name, no other is there, and all of the source was taken; otherwise ``TreeError``
    says which are not. ``paths``, ``at_least``, ``signers`` and ``by`` are those of ``decrypt_tree``. With ``signers``
    and without a key, what is stored is compared with what was signed: then nobody knows whether it opens.
    """
    wanted = wanted_signers(signers, by)
    if wanted is not None and not key_args:
        return TreeSummary(
            *_polyseal.verify_signed_tree(
                os.fsdecode(source),
                wanted,
                _of_paths(paths),
                at_least,
                jobs,
                _of_path(exclude),
                _of_progress(progress),
            )
        )
    return TreeSummary(
        *_polyseal.verify_tree(
            os.fsdecode(source),
            opening_keys(**key_args),
            allow_unbound_contents,
            _of_paths(paths),
            at_least,
            jobs,
            _of_path(exclude),
            _of_progress(progress),
            wanted,
        )
    )


@shows_keys
def list_tree(
    source: PathLike,
    *,
    allow_unbound_contents: bool = False,
    paths: Paths | None = None,
    at_least: int | None = None,
    signers: AllowedSigners | None = None,
    by: str | None = None,
    **key_args: Unpack[KeySetArgs],
) -> TreeListing:
    """The entries of the sealed tree ``source``, from its manifest alone: no file is opened. ``paths``,
    ``at_least``, ``signers`` and ``by`` are those of ``decrypt_tree``; a path that nothing was found for is told of at the end.
    """
    return TreeListing(
        _polyseal.list_tree(
            os.fsdecode(source),
            opening_keys(**key_args),
            allow_unbound_contents,
            _of_paths(paths),
            at_least,
            wanted_signers(signers, by),
        )
    )


@shows_keys
def open_in_tree(
    source: PathLike,
    path: str | PurePosixPath,
    *,
    threads: int = 1,
    at_least: int | None = None,
    signers: AllowedSigners | None = None,
    by: str | None = None,
    **key_args: Unpack[KeySetArgs],
) -> EncryptedReader:
    """Opens the file ``path`` of the sealed tree ``source``, as ``open`` opens one by itself. It is the one that the
    manifest names, by salt and key. With ``signers``, nothing is read that was not signed. ``at_least`` is that of
    ``decrypt_tree``.
    """
    return _open_in_tree(source, path, threads, at_least, wanted_signers(signers, by), None, key_args)


def _open_in_tree(
    source: PathLike,
    path: str | PurePosixPath,
    threads: int,
    at_least: int | None,
    wanted: tuple[AllowedSigners, str | None, str | None] | None,
    manifest: bytes | None,
    key_args: KeySetArgs,
) -> EncryptedReader:
    """The same of the version of the tree whose manifest has this file salt."""
    keys = opening_keys(**key_args)
    reader = _polyseal.Reader.in_tree(os.fsdecode(source), str(path), keys, threads, at_least, wanted, manifest)
    return EncryptedReader._of(str(path), reader)


@shows_keys
def bind_tree(
    source: PathLike,
    *,
    to: KeySetArgs,
    jobs: int | None = None,
    progress: Progress | None = None,
    **key_args: Unpack[KeySetArgs],
) -> TreeSummary:
    """Opens every file of the sealed tree ``source``, and writes a manifest that binds their contents as they are
    now, for whom ``to`` names. The files stay as they are. If one of them is missing or does not open, the old
    manifest stays, and ``TreeError`` says which it is.
    """
    return TreeSummary(
        *_polyseal.bind_tree(os.fsdecode(source), opening_keys(**key_args), key_set(**to), jobs, _of_progress(progress))
    )


@shows_keys
def rekey_tree(
    source: PathLike,
    *,
    to: KeySetArgs,
    keep: bool,
    allow_unbound_contents: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
    **key_args: Unpack[KeySetArgs],
) -> TreeSummary:
    """Gives the sealed tree ``source`` other recipients, as ``rekey_file`` does a file; ``keep`` says whether those
    who can open it now still can. The manifest comes last: it opens with the old keys until all else is done that
    can be.

    If it is interrupted or something fails, run it again: what ``to`` opens already is left as it is. Files
    that the manifest does not have, or that somebody has taken away or put another in the place of, do not keep the
    tree from being rekeyed. A tree is encrypted anew by ``decrypt_tree`` and ``encrypt_tree``.
    """
    return TreeSummary(
        *_polyseal.rekey_tree(
            os.fsdecode(source), opening_keys(**key_args), key_set(**to), keep, allow_unbound_contents, jobs, _of_progress(progress)
        )
    )


def _of_path(exclude: Exclude | None) -> Callable[[str], bool] | None:
    return None if exclude is None else lambda path: exclude(PurePosixPath(path))


def _of_paths(paths: Paths | None) -> list[str] | None:
    if paths is None:
        return None
    listed = [paths] if isinstance(paths, (str, PurePosixPath)) else list(paths)
    if not all(isinstance(each, (str, PurePosixPath)) for each in listed):
        raise TypeError("paths are text or PurePosixPath, from the root of the tree and with / in between")
    return [str(each) for each in listed]


def _of_progress(progress: Progress | None) -> Callable[[int, int, int, int], object] | None:
    return None if progress is None else lambda *told: progress(TreeProgress(*told))


__all__ = [
    "TreeEntry",
    "TreeListing",
    "TreeProgress",
    "TreeSummary",
    "bind_tree",
    "decrypt_tree",
    "encrypt_tree",
    "list_tree",
    "open_in_tree",
    "rekey_tree",
    "sign_tree",
    "verify_tree",
]
