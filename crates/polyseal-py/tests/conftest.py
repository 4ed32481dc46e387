"""What the tests have in common."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
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


@pytest.fixture(scope="session")
def tool() -> Callable[..., str]:
    """Runs the command ``polyseal``: ``$POLYSEAL_TOOL``, or what cargo has built."""
    path = Path(os.environ.get("POLYSEAL_TOOL", VECTORS.parent / "target/debug/polyseal"))
    assert path.exists(), f"{path} is missing: cargo build --package polyseal-cli"

    def run(*arguments: str | Path) -> str:
        done = subprocess.run([path, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
