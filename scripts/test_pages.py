"""pages finds blocks of code that nothing runs, and notes that name no test."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "pages"
RUNNER = "crates/polyseal-cli/tests/pages/commands.rs"
BLOCK = "```sh\nls -l\n```\n"


@pytest.fixture
def complaints(tmp_path):
    """Makes a repository with these files, and gives what the script says of it."""
    def run(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
        subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
        done = subprocess.run([SCRIPT, tmp_path], capture_output=True, text=True)
        assert bool(done.stderr) == (done.returncode == 1), done
        return done.stderr.splitlines(), done.stdout

    return run


@pytest.mark.parametrize("name, text, files, count", [
    ("docs/a.md", f"<!-- not run: needs a bucket -->\n{BLOCK}", {}, "0 blocks of code are run, 1 say"),
    ("docs/a.md", f"<!-- in src/a.c -->\n{BLOCK}", {"src/a.c": "{\n  ls -l\n}\n"}, "1 blocks of code are run, 0 say"),
    ("README.md", BLOCK, {RUNNER: 'run("README.md")'}, "1 blocks of code are run, 0 say"),
    ("docs/a.md", "<!-- not run: shows a fence -->\n````\n```\n````\n", {}, "0 blocks of code are run, 1 say"),
    ("docs/a.txt", BLOCK, {}, "0 blocks of code are run, 0 say"),
])
def test_blocks_that_are_run_or_say_why_not(complaints, name, text, files, count):
    said, summary = complaints({name: text} | files)
    assert said == [] and count in summary


@pytest.mark.parametrize("name, text, files, complaint", [
    ("docs/a.md", BLOCK, {}, "docs/a.md:1: nothing runs this block"),
    ("docs/a.md", f"<!-- not run: needs a bucket -->\n\n{BLOCK}", {}, "docs/a.md:3: nothing runs this block"),
    ("docs/a.md", f"<!-- not run:  -->\n{BLOCK}", {}, "docs/a.md:2: nothing runs this block"),
    ("docs/a.md", f"- item\n\n  {BLOCK}", {}, "docs/a.md:3: nothing runs this block"),
    ("docs/a.md", f"<!-- in src/a.c -->\n{BLOCK}", {"src/a.c": "ls\n"}, "docs/a.md:2: src/a.c does not have this block"),
    ("docs/a.md", f"<!-- in src/a.c -->\n{BLOCK}", {}, "docs/a.md:2: src/a.c does not have this block"),
    ("README.md", BLOCK, {}, f"README.md:1: {RUNNER} does not run this page"),
    ("README.md", BLOCK, {RUNNER: 'run("docs/files.md")'}, f"README.md:1: {RUNNER} does not run this page"),
])
def test_other_blocks(complaints, name, text, files, complaint):
    [said], _ = complaints({name: text} | files)
    assert said.startswith(f"pages: {complaint}")


@pytest.mark.parametrize("test, path, text", [
    ("it_holds", "crates/a/src/lib.rs", "#[test]\n#[cfg(unix)]\nfn it_holds() {\n"),
    ("it_holds", "crates/a/src/lib.rs", "#[tokio::test]\nasync fn it_holds() {\n"),
    ("test_it", "a/b.py", "def test_it():\n"),
    ("TestIt", "a_test.go", "func TestIt(t *testing.T) {\n"),
    ("outputs", "crates/a/tests/outputs.rs", ""),
    ("a.test.mjs", "js/tests/a.test.mjs", ""),
    ("scripts/windows", "scripts/windows", ""),
])
def test_notes_name_tests(complaints, test, path, text):
    page = {"SECURITY.md": f"It holds[^1].\n\n[^1]: `{test}`.\n"}
    assert complaints(page | {path: text})[0] == []


@pytest.mark.parametrize("page, complaint", [
    ("It holds[^1].\n\n[^1]: `gone`.\n", "note 1: there is no test gone"),
    ("It holds[^1].\n\n[^1]: `helper`.\n", "note 1: there is no test helper"),
    ("It holds[^2].\n", "there is no note 2"),
    ("It holds.\n\n[^1]: `it_holds`.\n", "nothing leads to the note 1"),
])
def test_other_notes(complaints, page, complaint):
    [said], _ = complaints({"SECURITY.md": page, "src/a.rs": "#[test]\nfn it_holds() {}\nfn helper() {}\n"})
    assert said == f"pages: SECURITY.md: {complaint}"
