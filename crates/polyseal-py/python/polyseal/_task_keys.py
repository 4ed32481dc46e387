"""Which keys a task may refer to, on the machine that runs it.

A task refers to keys by ``file:``, ``env:`` and alike, and to identities by paths. Who makes tasks would otherwise
choose any key that the worker can read. So a worker takes a reference only if somebody there has allowed it: by the
environment variable ``POLYSEAL_TASK_KEYS``, by ``polyseal.jobs.allow_keys``, or by ``polyseal.jobs.plan`` in the same
process. A process that is forked afterwards has that from its parent. A file system that is made allows nothing: to
unpickle a task may make one.

This bounds which keys are used, and nothing else. Engines send tasks as pickles, and who can send a pickle to a
process can have it run anything: keep strangers away from the queue. A task also says what is read and written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from ._shown import shown

#: The environment variable with references that are allowed, separated by commas.
VARIABLE: Final = "POLYSEAL_TASK_KEYS"

#: The references that are allowed here, as patterns.
_allowed: Final = set[str]()
#: The references that this process has planned with itself, outside of any task.
_named: Final = set[str]()
_in_task: Final = ContextVar("polyseal_in_task", default=False)


class NotAllowed(Exception):
    """A task refers to a key, and this process does not take that from it."""


def allow_keys(references: Iterable[str]) -> None:
    """Lets the tasks that this process runs refer to these keys.

    Each is a reference such as ``"file:/etc/backup.key"`` or ``"env:BACKUP_KEY"``, or the path of an identity's file
    after ``identity:``. A ``*`` stands for any characters but ``/``: ``"file:/etc/backup/*.key"``. Without an entry
    here or in ``POLYSEAL_TASK_KEYS``, a process takes only what it has named itself.

    >>> allow_keys(["file:/etc/backup/*.key", "env:BACKUP_KEY", "identity:/etc/backup/age.txt"])

    For processes that are started elsewhere, as with ``spawn``:

    >>> from concurrent.futures import ProcessPoolExecutor
    >>> pool = ProcessPoolExecutor(initializer=allow_keys, initargs=(["file:/etc/backup.key"],))
    """
    listed = [references] if isinstance(references, (str, bytes)) else list(references)
    if isinstance(references, (str, bytes)) or not all(isinstance(each, str) for each in listed):
        raise TypeError("give a list of references, which are text")
    _allowed.update(listed)


@contextmanager
def inside_a_task() -> Iterator[None]:
    """Marks all uses in its block as a task's."""
    token = _in_task.set(True)
    try:
        yield
    finally:
        _in_task.reset(token)


def named(references: Iterable[str]) -> None:
    """References of a plan that is made: here, or in a task, which must be allowed to."""
    if _in_task.get():
        expect_allowed(references)
    else:
        _named.update(references)


def expect_allowed(references: Iterable[str]) -> None:
    """Raises ``NotAllowed`` if a task is about to use a reference that is not allowed here."""
    if not _in_task.get():
        return
    patterns = _allowed | {each.strip() for each in os.environ.get(VARIABLE, "").split(",")}
    for each in references:
        if each not in _named and not any(_fits(pattern, each) for pattern in patterns):
            raise NotAllowed(
                f"this worker does not take the key reference {shown(each)!r} from a task: "
                f"allow it there by {VARIABLE} or polyseal.jobs.allow_keys"
            )


def _fits(pattern: str, reference: str) -> bool:
    if pattern == reference:
        return True
    # A path that goes up, or is written in several ways, is meant by no pattern.
    if {".", ".."} & set(reference.partition(":")[2].split("/")):
        return False
    return re.fullmatch("[^/]+".join(map(re.escape, pattern.split("*"))), reference) is not None


__all__ = ["VARIABLE", "NotAllowed", "allow_keys", "expect_allowed", "inside_a_task", "named"]
