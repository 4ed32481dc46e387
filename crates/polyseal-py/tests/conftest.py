"""The common part of the tests."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import traceback
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


needs_root = pytest.mark.skipif(os.geteuid() != 0 and "CI" not in os.environ, reason="it takes root")


def as_another(user: int, group: int, groups: list[int], program: Callable[[], object]) -> None:
    """Runs it in a process of another user, which takes root."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups(groups)
            os.setresgid(group, group, group)
            os.setresuid(user, user, user)
            os.umask(0o022)
            program()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.fixture
def public() -> Iterator[Path]:
    """A directory that other users can enter."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


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
