"""version.py sets the version in every file that has it, and there alone."""

import re
import shutil
import subprocess

import pytest

import version


@pytest.fixture
def tree(tmp_path):
    """The files of this tree that have the version, elsewhere."""
    names = subprocess.check_output(["git", "ls-files", "--", *version.PLACES], cwd=version.ROOT, text=True).splitlines()
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(version.ROOT / name, tmp_path / name)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    return tmp_path


def write(tree, number, day):
    for path, text in version.changed(tree, number, day).items():
        path.write_text(text)
    return {path: path.read_text() for path in tree.rglob("*") if path.is_file() and ".git" not in path.parts}


def test_there_and_back(tree):
    old = version.in_use(tree)
    before = write(tree, old, "2027-01-30")
    there = write(tree, "9.8.7-rc.1", "2027-01-31")
    assert version.in_use(tree) == "9.8.7-rc.1"
    assert "\n## 9.8.7-rc.1, 2027-01-31\n" in there[tree / "CHANGELOG.md"]
    assert all(text != before[path] for path, text in there.items() if path.name in {"polyseal.h", "CITATION.cff", "install.md"})
    assert write(tree, old, "2027-01-30") == before
    # Another project's version is its own, though it may be the same.
    for name in ("Cargo.lock", "research/fuzz/Cargo.lock"):
        others = [re.findall(r'^name = "(?!polyseal).*"\nversion = .*', texts[tree / name], re.M) for texts in (before, there)]
        assert others[0] and others[0] == others[1]


def test_no_file_keeps_the_old_one(tree):
    """A lock or a manifest that names a package of ours names its version."""
    write(tree, "9.8.7", "unreleased")
    done = subprocess.run(["git", "grep", "-nE", rf'polyseal[a-z-]*[-_" ].*\b{version.in_use()}\b'], cwd=tree, capture_output=True, text=True)
    assert done.stdout == ""


@pytest.mark.parametrize("number, day", [("1.2", "2027-01-31"), ("1.2.3-beta", "2027-01-31"), ("1.2.3", "today"), ("1.2.3\n", "unreleased")])
def test_a_version_and_a_day_are_such(tree, number, day):
    with pytest.raises(SystemExit):
        version.changed(tree, number, day)
