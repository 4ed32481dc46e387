"""The common part of these tests: a server, and a key that is named by reference."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polyseal
import pytest
from servers import Proxy, proxy, s3_options, versitygw


@pytest.fixture(scope="session")
def server() -> Iterator[tuple[int, Path]]:
    """The server's port, and the folder that its buckets are in."""
    with versitygw() as found:
        yield found


@pytest.fixture(scope="session")
def counts(server: tuple[int, Path]) -> Iterator[Proxy]:
    """A proxy before it that counts."""
    with proxy(server[0]) as found:
        yield found


@pytest.fixture
def bucket(server: tuple[int, Path], request: pytest.FixtureRequest) -> str:
    """The name of an empty bucket."""
    name = f"bucket-{abs(hash(request.node.nodeid)) % 10**12}"
    (server[1] / name).mkdir()
    return name


@pytest.fixture(scope="session")
def key_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key file."""
    path = tmp_path_factory.mktemp("keys") / "key"
    path.write_text(polyseal.SecretKey.generate().to_key_file())
    return path


@pytest.fixture(scope="session", autouse=True)
def allowed(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Workers inherit what they are allowed: the keys of these tests."""
    os.environ["POLYSEAL_TASK_KEYS"] = f"file:{tmp_path_factory.getbasetemp()}/*/*"


@pytest.fixture
def options(counts: Proxy, key_file: Path) -> dict[str, Any]:
    """The options of ``polyseal::s3://``."""
    return {"polyseal": {"key": f"file:{key_file}"}, "s3": s3_options(counts.port)}
