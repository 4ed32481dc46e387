"""stray finds what is tracked by accident."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "stray"
BINARY = bytes(200_001)


@pytest.fixture
def complaints(tmp_path):
    """Makes a repository with these files, and gives what the script says of it."""
    def run(files, *, tracked=True):
        for name, contents in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents)
        subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
        if tracked:
            subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
        done = subprocess.run([SCRIPT, tmp_path], capture_output=True, text=True)
        assert bool(done.stderr) == (done.returncode == 1), done
        return done.stderr.splitlines()

    return run


def test_what_is_listed_is_no_stray(complaints):
    assert complaints({"Makefile": b"all:\n", "docs/a page.md": b"# A page\n", "research/fuzz/corpus/a": b"\0"}) == []


@pytest.mark.parametrize("name", ["pillow-13.0.0-py3-none-any.whl", "Make", "crates docs", "notes/a/b.md"])
def test_a_file_or_folder_at_the_root_must_be_listed(complaints, name):
    (complaint,) = complaints({name: b"text\n", "README.md": b"text\n"})
    assert complaint.startswith(f"stray: {name.split('/')[0]} is tracked")


def test_what_is_not_tracked_may_be_there(complaints):
    assert complaints({"notes": b"text\n", "docs/a.png": BINARY}, tracked=False) == []


@pytest.mark.parametrize("name", ["docs/a.png", "research/papers/flex/a b", "crates/a/vectors/-c"])
def test_a_large_binary_file_is_a_stray(complaints, name):
    (complaint,) = complaints({name: BINARY})
    assert complaint == f"stray: ./{name} is a binary file of more than 200000 bytes outside vectors/"


@pytest.mark.parametrize("name, contents", [
    ("docs/a.png", BINARY[1:]),
    ("vectors/a", BINARY),
    ("docs/long.md", "a line of text, and ä\n".encode() * 10_000),
])
def test_a_smaller_one_vectors_and_texts_are_not(complaints, name, contents):
    assert complaints({name: contents}) == []


def test_where_there_is_no_repository_it_fails(tmp_path):
    assert subprocess.run([SCRIPT, tmp_path], capture_output=True).returncode != 0
