"""Exceptions: what they are, and that they survive the way between processes."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import polyseal
import polyseal.errors
import pytest

NAMED = [getattr(polyseal.errors, name) for name in polyseal.errors.__all__]
ALL = [kind for kind in NAMED if issubclass(kind, Exception)]
FAILURE = polyseal.TreeFailure(Path("a"), polyseal.TreeMismatch("added"))
#: The arguments of those that take more than a text.
ARGUMENTS: dict[type[Exception], tuple[Any, ...]] = {
    polyseal.CorruptSegment: (3, True, "a text"),
    polyseal.TreeMismatch: ("missing",),
    polyseal.TreeError: ("a text", [FAILURE]),
}


@pytest.mark.parametrize("kind", ALL)
def test_every_exception_can_be_pickled(kind: type[Exception]) -> None:
    error: Any = kind(*ARGUMENTS.get(kind, ("a text",)))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind and str(again) == str(error) and repr(again.__dict__) == repr(error.__dict__)
    if kind not in (polyseal.TreeMismatch, polyseal.TreeError):
        assert str(error) == "a text"
    assert isinstance(error, polyseal.PolysealError) and error.retryable is False


def test_what_else_they_are() -> None:
    assert issubclass(polyseal.CorruptSegment, OSError)
    assert issubclass(polyseal.LimitExceeded, ValueError)
    error = polyseal.CorruptSegment(3, False)
    assert (error.index, error.last) == (3, False) and "segment 3" in str(error)
    assert error.errno is None


def fail(data: bytes) -> bytes:
    """The work of a worker."""
    return polyseal.Aegis128L(bytes(16)).decrypt(bytes(16), data)


def test_an_exception_comes_back_from_a_worker() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        with pytest.raises(polyseal.InvalidTag, match="not authentic"):
            pool.submit(fail, bytes(40)).result()
