"""Says in every manifest where the repository is, once there is an address: `scripts/python scripts/release/repository.py URL`.

Cargo.toml has it, in [workspace.package], and recipes read it there (scripts/release/recipes.py). Crates inherit it; Python's
package, those for JavaScript and CITATION.cff have it as well, and the module for Go is named after it. Run again with
another address, it replaces the first.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIELD = re.compile(r'^repository = "(.*)"\n', re.M)


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


def changed(root, url):
    """{file: its text with the address}, for each file that has it."""
    if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)+", url) or url.endswith(".git"):
        raise SystemExit(f"{url} is no address of a repository: https://HOST/OWNER/NAME")
    texts = {root / "Cargo.toml": (f'repository = "{url}"\n', FIELD, r'^license = ".*"\n')}
    inherited = re.compile(r"^repository\.workspace = true\n", re.M)
    manifests = [*root.glob("crates/*/Cargo.toml"), root / "research/bench/Cargo.toml",
                 root / "research/hw/driver/rust/Cargo.toml"]
    for path in manifests:
        texts[path] = ("repository.workspace = true\n", inherited, r"^license\.workspace = true\n")
    python = root / "crates/polyseal-py/pyproject.toml"
    urls = re.compile(r"^\[project\.urls\]\nRepository = .*\n\n", re.M)
    texts[python] = (f'[project.urls]\nRepository = "{url}"\n\n', urls, r'^dynamic = .*\n\n')
    citation = root / "CITATION.cff"
    texts[citation] = (f"repository-code: {url}\n", re.compile(r"^repository-code: .*\n", re.M), r"^version: .*\n")
    for folder in ("js", "js/core"):
        field = re.compile(r'^  "repository": .*\n', re.M)
        texts[root / folder / "package.json"] = (f'  "repository": "{url}",\n', field, r'^  "license": .*\n')
    return {path: put(path.read_text(), *its) for path, its in texts.items()} | go_module(root, url)


def go_module(root, url):
    """The files of go/ that name its module, with the name that the address gives it."""
    old = re.search(r"^module (.*)$", (root / "go/go.mod").read_text(), re.M)[1]
    texts = {path: path.read_text() for path in (root / "go").rglob("*") if path.suffix in {".go", ".md", ".mod"}}
    new = url.removeprefix("https://") + "/go"
    return {path: text.replace(old, new) for path, text in texts.items() if old in text}


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    for path, text in changed(ROOT, sys.argv[1]).items():
        path.write_text(text)
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
