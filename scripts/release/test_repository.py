"""repository.py puts an address into every manifest, once."""

import json
import shutil
import subprocess
import tomllib

import pytest

import repository

MAIL = "polyseal@example.org"
FIRST, SECOND = "https://example.org/someone/polyseal", "https://example.org/somebody/else"


@pytest.fixture
def tree(tmp_path):
    """The manifests of this tree, elsewhere."""
    tracked = subprocess.check_output(["git", "ls-files"], cwd=repository.ROOT, text=True).splitlines()
    for name in tracked:
        if name.endswith(("Cargo.toml", "pyproject.toml", "CITATION.cff", "package.json")) or name.startswith("go/"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(repository.ROOT / name, tmp_path / name)
    return tmp_path


def write(tree, url):
    for path, text in repository.changed(tree, url, MAIL).items():
        path.write_text(text)


def test_every_manifest_has_the_address(tree):
    write(tree, FIRST)
    assert repository.address(tree) == FIRST
    cargo = tomllib.loads((tree / "Cargo.toml").read_text())
    assert cargo["workspace"]["package"]["repository"] == FIRST
    assert cargo["workspace"]["package"]["authors"] == [f"Polyseal's developers <{MAIL}>"]
    members = [path for member in cargo["workspace"]["members"] for path in tree.glob(f"{member}/Cargo.toml")]
    assert len(members) > 9
    for path in members:
        assert tomllib.loads(path.read_text())["package"]["repository"] == {"workspace": True}
    python = tomllib.loads((tree / "crates/polyseal-py/pyproject.toml").read_text())
    assert python["project"]["urls"] == {
        "Repository": FIRST,
        "Documentation": f"{FIRST}/blob/HEAD/docs/python.md",
        "Changelog": f"{FIRST}/blob/HEAD/CHANGELOG.md",
    }
    assert python["project"]["dynamic"] == ["version"]
    for folder in ("js", "js/core"):
        where = json.loads((tree / folder / "package.json").read_text())["repository"]
        assert where == {"type": "git", "url": f"git+{FIRST}.git", "directory": folder}
    assert "module example.org/someone/polyseal/go/polyseal\n" in (tree / "go/polyseal/go.mod").read_text()
    assert not [path for path in (tree / "go").rglob("*") if path.is_file() and "polyseal.invalid" in path.read_text()]


def test_another_address_takes_its_place(tree):
    write(tree, SECOND)
    once = {path: path.read_text() for path in tree.rglob("*") if path.is_file()}
    write(tree, FIRST)
    write(tree, SECOND)
    assert {path: path.read_text() for path in once} == once


@pytest.mark.parametrize("url", ["", "polyseal", "http://example.org/a/b", "https://example.org/a/b.git", 'https://e.org/a"'])
def test_what_is_no_address_is_refused(tree, url):
    with pytest.raises(SystemExit):
        repository.changed(tree, url, MAIL)


@pytest.mark.parametrize("mail", ["", "polyseal", "polyseal@localhost", "a@example.org>\nX: y"])
def test_an_address_to_write_to_is_one(tree, mail):
    with pytest.raises(SystemExit):
        repository.changed(tree, FIRST, mail)
