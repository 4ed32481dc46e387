"""What the tests have in common."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polyseal
import pytest

VECTORS = Path(__file__).parents[3] / "vectors"


def load(path: Path) -> Any:
    """The contents of a JSON file."""
    return json.loads(path.read_text())


def aeads() -> list[type[polyseal.Aead]]:
    """The class of each AEAD."""
    return [c for c in polyseal.ALGORITHMS.values() if issubclass(c, polyseal.Aead)]


def macs() -> list[type[polyseal.Mac]]:
    """The class of each MAC."""
    return [c for c in polyseal.ALGORITHMS.values() if issubclass(c, polyseal.Mac)]


@pytest.fixture
def key() -> Iterator[polyseal.SecretKey]:
    """A key for files."""
    yield polyseal.SecretKey.generate()
