"""fsspec's own tests of file systems, over memory and over local files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fsspec
import polyseal
import pytest
from fsspec.tests import abstract


class Fixtures(abstract.AbstractFixtures):  # type: ignore[misc]
    """The fixtures that these tests ask for."""

    below: str
    options: dict[str, Any] = {}

    @pytest.fixture
    def fs(self, tmp_path_factory: pytest.TempPathFactory) -> Any:
        key = tmp_path_factory.getbasetemp() / "key"
        if not key.exists():
            key.write_text(polyseal.SecretKey.generate().to_key_file())
        return fsspec.filesystem("polyseal", target_protocol=self.below, target_options=self.options, key=f"file:{key}")

    @pytest.fixture
    def fs_path(self, fs: Any, tmp_path: Path) -> str:
        return str(tmp_path / "place")


class Memory(Fixtures):
    below = "memory"


class Local(Fixtures):
    below, options = "file", {"auto_mkdir": True}


class TestCopyInMemory(abstract.AbstractCopyTests, Memory):  # type: ignore[misc]
    pass


class TestGetFromMemory(abstract.AbstractGetTests, Memory):  # type: ignore[misc]
    pass


class TestPutToMemory(abstract.AbstractPutTests, Memory):  # type: ignore[misc]
    pass


class TestOpenInMemory(abstract.AbstractOpenTests, abstract.AbstractPipeTests, Memory):  # type: ignore[misc]
    pass


class TestCopyLocally(abstract.AbstractCopyTests, Local):  # type: ignore[misc]
    pass


class TestGetLocally(abstract.AbstractGetTests, Local):  # type: ignore[misc]
    pass


class TestPutLocally(abstract.AbstractPutTests, Local):  # type: ignore[misc]
    pass


class TestOpenLocally(abstract.AbstractOpenTests, abstract.AbstractPipeTests, Local):  # type: ignore[misc]
    pass
