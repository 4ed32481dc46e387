"""How the wheel is built."""

from __future__ import annotations

import tomllib
from importlib.metadata import version
from pathlib import Path

import polyseal

ROOT = Path(__file__).parents[3]


def test_a_panic_does_not_end_the_interpreter() -> None:
    """The release ends the process at a panic. What is loaded into Python must unwind instead."""
    profiles = tomllib.loads((ROOT / "Cargo.toml").read_text())["profile"]
    built = tomllib.loads((ROOT / "crates/polyseal-py/pyproject.toml").read_text())
    profile = profiles[built["tool"]["maturin"]["profile"]]
    assert profiles["release"]["panic"] == "abort"
    assert profile["inherits"] == "release" and profile["panic"] == "unwind"
    assert "panic" not in profiles["dev"]


def test_the_package_has_the_version_of_the_workspace() -> None:
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    assert polyseal.__version__ == workspace.replace("-rc.", "rc") == version("polyseal")


def test_the_oldest_fsspec_that_is_allowed_is_the_one_that_is_tested() -> None:
    """Older ones write outside of the target of ``get``, and lose paths in chained URLs."""
    project = tomllib.loads((ROOT / "crates/polyseal-py/pyproject.toml").read_text())["project"]
    allowed = {each for extra in project["optional-dependencies"].values() for each in extra}
    tested = version("fsspec").removesuffix(".0")
    assert {each for each in allowed if "fs" in each} == {f"fsspec>={tested}", f"s3fs>={tested}"}
