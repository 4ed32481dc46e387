"""Says in every manifest where the repository is and whom to write to: `scripts/python scripts/release/repository.py URL MAIL`.

Cargo.toml has it, in [workspace.package], and recipes read it there (scripts/release/recipes.py). Crates inherit it; Python's
package, those for JavaScript and CITATION.cff have it as well, and the module for Go is
named after it. Debian packages have the mail address. Run again with others, it replaces the first.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GO = "go/polyseal"
PYTHON_PAGES = {"Repository": "", "Documentation": "/blob/HEAD/docs/python.md", "Changelog": "/blob/HEAD/CHANGELOG.md"}
FIELD = re.compile(r'^authors = .*\nrepository = "(.*)"\n', re.M)


def address(root=ROOT):
    """The address in Cargo.toml, or None."""
    found = FIELD.search((root / "Cargo.toml").read_text())
    return found and found[1]


def put(text, line, field, after):
    """The text with this line in place of what `field` finds, or else below what `after` finds."""
    text = field.sub("", text)
    below = re.search(after, text, re.M)
    if not below:
        raise SystemExit(f"nothing is like {after}")
    return text[:below.end()] + line + text[below.end():]


def changed(root, url, mail):
    """{file: its text with the address}, for each file that has it."""
    if not re.fullmatch(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", mail):
        raise SystemExit(f"{mail} is no mail address")
    if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)+", url) or url.endswith(".git"):
        raise SystemExit(f"{url} is no address of a repository: https://HOST/OWNER/NAME")
    both = f'authors = ["Polyseal\'s developers <{mail}>"]\nrepository = "{url}"\n'
    texts = {root / "Cargo.toml": (both, FIELD, r'^license = ".*"\n')}
    inherited = re.compile(r"^repository\.workspace = true\n", re.M)
    manifests = [*root.glob("crates/*/Cargo.toml"), root / "research/bench/Cargo.toml",
                 root / "research/hw/driver/rust/Cargo.toml"]
    for path in manifests:
        texts[path] = ("repository.workspace = true\n", inherited, r"^license\.workspace = true\n")
    python = root / "crates/polyseal-py/pyproject.toml"
    urls = re.compile(r"^\[project\.urls\]\n(?:\w+ = .*\n)+\n", re.M)
    pages = "".join(f'{name} = "{url}{path}"\n' for name, path in PYTHON_PAGES.items())
    texts[python] = (f"[project.urls]\n{pages}\n", urls, r'^dynamic = .*\n\n')
    citation = root / "CITATION.cff"
    texts[citation] = (f"repository-code: {url}\n", re.compile(r"^repository-code: .*\n", re.M), r"^version: .*\n")
    for folder in ("js", "js/core"):
        # npm compares it with the repository whose workflow publishes: so it has npm's form.
        field = re.compile(r'^  "repository": .*\n', re.M)
        where = f'{{ "type": "git", "url": "git+{url}.git", "directory": "{folder}" }}'
        texts[root / folder / "package.json"] = (f'  "repository": {where},\n', field, r'^  "license": .*\n')
    return {path: put(path.read_text(), *its) for path, its in texts.items()} | go_module(root, url)


def go_module(root, url):
    """The files of GO that name its module, with the name that the address gives it. It ends as its package is called."""
    old = re.search(r"^module (.*)$", (root / GO / "go.mod").read_text(), re.M)[1]
    texts = {path: path.read_text() for path in (root / GO).rglob("*") if path.suffix in {".go", ".md", ".mod"}}
    new = f"{url.removeprefix('https://')}/{GO}"
    return {path: text.replace(old, new) for path, text in texts.items() if old in text}


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    for path, text in changed(ROOT, *sys.argv[1:]).items():
        path.write_text(text)
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
