"""A class for each algorithm of the registry. ``ALGORITHMS`` has their names and their classes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from . import _polyseal
from ._polyseal import Aead, Mac

if TYPE_CHECKING:
    from ._polyseal import Buffer
    from .keys import KeyRef

#: The class of each algorithm, by its registry name.
ALGORITHMS: Final[dict[str, type[Aead] | type[Mac]]] = {
    name: getattr(_polyseal, class_name) for name, class_name in _polyseal.ALGORITHMS.items()
}

globals().update({algorithm.__name__: algorithm for algorithm in ALGORITHMS.values()})

_algorithm_class = lru_cache(maxsize=256)(_polyseal.algorithm_class)


def algorithm_class(name: str) -> type[Aead] | type[Mac]:
    """The class of any algorithm by its registry name, such as ``aegis-128l:tag=32``.

    >>> algorithm_class("aegis-128l:tag=32").tag_bytes
    32
    """
    return _algorithm_class(name)


def aead(name: str, key: Buffer | _polyseal.SecretKey | KeyRef) -> Aead:
    """An AEAD under a key, by its registry name.

    >>> key = algorithm_class("aegis-256x2").generate_key()
    >>> cipher = aead("aegis-256x2", key)
    >>> cipher.open(cipher.seal(b"attack at dawn"))
    b'attack at dawn'
    """
    return _made(name, key, Aead)


def mac(name: str, key: Buffer | _polyseal.SecretKey | KeyRef) -> Mac:
    """A MAC under a key, by its registry name."""
    return _made(name, key, Mac)


def _made(name: str, key: Any, kind: Any) -> Any:
    found = algorithm_class(name)
    if not issubclass(found, kind):
        raise TypeError(f"{name} is not an algorithm of the kind {kind.__name__}")
    return found(key)


__all__ = ["ALGORITHMS", "aead", "algorithm_class", "mac", *(c.__name__ for c in ALGORITHMS.values())]
