"""Exceptions: what they are, and that they survive the way between processes."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import polyseal
import polyseal.errors
import pytest

ALL = [getattr(polyseal.errors, name) for name in polyseal.errors.__all__]


@pytest.mark.parametrize("kind", ALL)
def test_every_exception_can_be_pickled(kind: type[Exception]) -> None:
    error = kind(3, True, "a text") if kind is polyseal.CorruptSegment else kind("a text")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind and str(again) == "a text" == str(error)
    assert again.__dict__ == error.__dict__
    assert isinstance(error, polyseal.PolysealError) and error.retryable is False


def test_what_else_they_are() -> None:
    assert issubclass(polyseal.CorruptSegment, OSError)
    assert issubclass(polyseal.LimitExceeded, ValueError)
    error = polyseal.CorruptSegment(3, False)
    assert (error.index, error.last) == (3, False) and "segment 3" in str(error)
    assert error.errno is None


def fail(data: bytes) -> bytes:
    """What a worker does."""
    return polyseal.Aegis128L(bytes(16)).decrypt(bytes(16), data)


def test_an_exception_comes_back_from_a_worker() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        with pytest.raises(polyseal.InvalidTag, match="not authentic"):
            pool.submit(fail, bytes(40)).result()
