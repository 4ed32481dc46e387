"""words finds comments that do not name their subject first, and pages that are too long."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "words"
PAGES = ["README.md", *(f"docs/{page.name}" for page in (SCRIPT.parent.parent / "docs").glob("*.md"))]


@pytest.fixture
def complaints(tmp_path):
    """Makes a repository with these files and empty pages, and gives what the script says of it."""
    def run(files):
        for name, text in (dict.fromkeys(PAGES, "") | files).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
        subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
        done = subprocess.run([SCRIPT, tmp_path], capture_output=True, text=True)
        assert done.returncode in (0, 1), done
        return done.returncode, done.stderr.splitlines()

    return run


@pytest.mark.parametrize("name, line", [
    ("src/a.rs", "    /// What a file has."),
    ("src/a.rs", "//! Of a file."),
    ("src/a.rs", "    // Who may read it."),
    ("a.py", '    """Whose it is."""'),
    ("a.py", '    r"""What it is."""'),
    ("a.py", "#: Of each file."),
    ("a.py", "# What it is."),
    ("a.ts", "  /** What it is. */"),
    ("a.mjs", " * Of many."),
    ("a.go", "// Who has it."),
    ("a.h", "/* Whose it is. */"),
    ("a.h.in", " * What it is."),
])
def test_a_comment_names_its_subject_first(complaints, name, line):
    code, [found, complaint] = complaints({name: f"\n{line}\n"})
    assert code == 1 and found == f"{name}:2:{line}" and complaint.startswith("words: a comment names its subject")


@pytest.mark.parametrize("name, line", [
    ("src/a.rs", "/// The name of a file. What it has is elsewhere."),
    ("src/a.rs", "/// Whatever it has."),
    ("src/a.rs", "/// Offsets of segments."),
    ("src/a.rs", 'let text = "What it has";'),
    ("a.py", '"""The name, of whatever file."""'),
    ("a.md", "# What it is"),
])
def test_other_lines_may_have_these_words(complaints, name, line):
    assert complaints({name: f"{line}\n"}) == (0, [])


@pytest.mark.parametrize("name, most", [("README.md", 900), ("docs/files.md", 18700), ("docs/ARCHITECTURE.md", 52300)])
def test_pages_have_a_limit(complaints, name, most):
    assert complaints({name: "word " * most}) == (0, [])
    assert complaints({name: "word " * (most + 1)}) == (1, [])


@pytest.mark.parametrize("mark, counts", [("<!-- not run: needs a bucket -->", 0), ("<!-- a remark -->", 4)])
def test_marks_of_blocks_are_not_counted(complaints, mark, counts):
    assert complaints({"README.md": f"{mark}\n" + "word " * (900 - counts)})[0] == 0
    assert complaints({"README.md": f"{mark}\n" + "word " * (901 - counts)})[0] == 1


def test_a_folder_that_is_no_repository_is_an_error(tmp_path):
    assert subprocess.run([SCRIPT, tmp_path], capture_output=True).returncode == 128
