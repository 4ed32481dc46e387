"""Each crate that is published says what registries and docs.rs show of it."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MANIFESTS = [*sorted(ROOT.glob("crates/*/Cargo.toml")), ROOT / "research/bench/Cargo.toml"]
# Features that add nothing to an interface: tests, checks, and what needs a C compiler.
UNSHOWN = ("tests", "memcheck", "long", "fips", "plugin-program", "s3-tests", "testing")


def published():
    for path in MANIFESTS:
        manifest = tomllib.loads(path.read_text())
        if manifest["package"].get("publish", True):
            yield path.parent, manifest


CRATES = list(published())


@pytest.fixture(params=CRATES, ids=[folder.name for folder, _ in CRATES])
def crate(request):
    return request.param


def test_all_are_here():
    assert len(CRATES) == 9


def test_a_registry_shows_it(crate):
    folder, manifest = crate
    package = manifest["package"]
    for name in ("LICENSE-APACHE", "LICENSE-MIT"):
        assert (folder / name).resolve() == ROOT / name
    assert (folder / "README.md").read_text().startswith(f"# {package['name']}\n")
    assert 10 < len(package["description"]) <= 120
    assert 1 <= len(package["keywords"]) <= 5 and package["categories"]
    assert "/README.md" not in package.get("exclude", [])


def test_docs_rs_shows_its_whole_interface(crate):
    """The features that it is built with there, with all that those imply, are all but tests' and checks'."""
    folder, manifest = crate
    features = manifest.get("features", {})
    if not (folder / "src/lib.rs").exists() or folder.name == "bench":
        return
    asked = manifest["package"].get("metadata", {}).get("docs", {}).get("rs", {}).get("features", [])
    shown, todo = set(), ["default", *asked]
    while todo:
        name = todo.pop()
        if name in features and name not in shown:
            shown.add(name)
            todo += features[name]
    left = {name for name in features if not any(part in name for part in UNSHOWN)} - shown - {"default"}
    assert not left, f"docs.rs does not show {sorted(left)}"
