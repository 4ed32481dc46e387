"""Names that a store gives lead nowhere but below the target, with the oldest fsspec that is allowed, too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polyseal
import pytest
from fsspec import AbstractFileSystem
from polyseal import SecretKey
from polyseal._names import leaves
from polyseal.fs import PolysealFileSystem

HOSTILE = ["..", ".", "", "/etc/passwd", "../x", "a/../../x", "a/../b", "a//b", "a/./b", "..\\x", "a\\..\\..\\x", "x\0y"]


class Hostile(AbstractFileSystem):  # type: ignore[misc]
    """A store that gives one name more than it should."""

    cachable = False

    def __init__(self, stored: bytes, name: str) -> None:
        super().__init__()
        self.stored, self.names = stored, ["bucket/data/good", f"bucket/data/{name}"]

    def find(self, path: str, maxdepth: Any = None, withdirs: bool = False, detail: bool = False, **_: Any) -> Any:
        names = [name for name in self.names if name.startswith(path)]
        return {name: self.info(name) for name in names} if detail else names

    def glob(self, path: str, maxdepth: Any = None, detail: bool = False, **_: Any) -> Any:
        return self.find("bucket/data", detail=detail)

    def ls(self, path: str, detail: bool = True, **_: Any) -> Any:
        return list(self.find(path, detail=True).values()) if detail else self.find(path)

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        if path not in self.names:
            return {"name": path, "size": 0, "type": "directory"}
        return {"name": path, "size": len(self.stored), "type": "file", "ETag": "x"}

    def _open(self, path: str, mode: str = "rb", **_: Any) -> Any:
        raise AssertionError

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        return self.stored[start:end]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Makes the file system over such a store."""
    home = tmp_path / "home/work"
    home.mkdir(parents=True)
    monkeypatch.chdir(home)
    Path("key").write_text(SecretKey.generate().to_key_file())
    Path("plain").write_bytes(b"attack at dawn")
    polyseal.encrypt_file("plain", "sealed", key="file:key")
    stored = Path("sealed").read_bytes()
    return lambda name: PolysealFileSystem(Hostile(stored, name), key="file:key")


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_leads_out_of_the_target(made: Callable[[str], Any], name: str) -> None:
    fs, top = made(name), Path("../..").resolve()
    before = sorted(top.rglob("*"))
    for source in ("bucket/data", "bucket/data/", "bucket/data/*", ["bucket/data/*"]):
        for target in ("out", "out/", "a/b/out", Path("out")):
            for get in (fs.get, fs.download):
                try:
                    get(source, target, recursive=True)
                except (OSError, ValueError):
                    continue
                found = {path for path in top.rglob("*") if path.is_file()} - set(before)
                # Only the last name of each path in a list is taken; an empty one is that of the folder.
                assert isinstance(source, list) or not name, (source, target)
                assert all("out" in path.relative_to(Path.cwd()).parts[:-1] for path in found), found
                for path in found:
                    path.unlink()
    assert {path for path in top.rglob("*") if path.is_file()} == {path for path in before if path.is_file()}


def test_good_names_go_where_they_belong(made: Callable[[str], Any]) -> None:
    fs = made("deep/er")
    fs.get("bucket/data", "out", recursive=True)
    assert Path("out/good").read_bytes() == Path("out/deep/er").read_bytes() == b"attack at dawn"
    # The target is the caller's choice.
    fs.get(["bucket/data/good"], ["../elsewhere"])
    assert Path("../elsewhere").exists()


def test_names() -> None:
    assert all(map(leaves, HOSTILE))
    assert not any(map(leaves, ["a", "a/b", "...", "a..b", ".hidden", "a\\b", "é"]))
