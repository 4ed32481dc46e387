"""Sets the version wherever it stands, and its day in the changelog: `scripts/python scripts/release/version.py 1.2.3 2027-01-31`.

A candidate is 1.2.3-rc.1.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSION = re.compile(r"\d+\.\d+\.\d+(-rc\.\d+)?")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}|unreleased")

# The text around the version, by the files that have it.
PLACES = {
    "Cargo.toml": [r'^version = "1.2.3"', r'^polyseal[a-z-]* = \{ version = "1.2.3"'],
    "*Cargo.lock": [r'^name = "polyseal[a-z-]*"\nversion = "1.2.3"'],
    "*package.json": [r'^  "version": "1.2.3"', r'"(@polyseal/core|polyseal)": "\^1.2.3"'],
    "js/*package-lock.json": [r'^  "version": "1.2.3"', r'^      "version": "1.2.3",\n      "license"', r'"@polyseal/core": "\^1.2.3"'],
    "CITATION.cff": [r"^version: 1.2.3$"],
    "crates/polyseal-c/include/polyseal.h": [r'VERSION_STRING "1.2.3"', r'such as "1.2.3"'],
    "crates/polyseal-c/src/library.rs": [r'such as "1.2.3"'],
    "crates/polyseal-cli/tests/cmd/help.trycmd": [r"^polyseal 1.2.3$"],
    "docs/install.md": [r"polyseal[-_](c-|dev_)?1.2.3", r"VERSION=1.2.3", r"release-1.2.3"],
    "js/README.md": [r"polyseal-1.2.3\.tgz"],
    "CHANGELOG.md": [r"^## 1.2.3, .*$"],
}


def in_use(root=ROOT):
    """The version in Cargo.toml."""
    return re.search(r'^version = "(.*)"', (root / "Cargo.toml").read_text(), re.M)[1]


def changed(root, version, day):
    """{file: its text with the version}, for each file that has it."""
    if not VERSION.fullmatch(version) or not DAY.fullmatch(day):
        raise SystemExit(__doc__)
    old = in_use(root)
    texts = {}

    def new(found):
        return f"## {version}, {day}" if found[0].startswith("## ") else found[0].replace(old, version)

    for files, places in PLACES.items():
        names = subprocess.check_output(["git", "ls-files", "--", files], cwd=root, text=True).splitlines()
        for place in places:
            place = re.compile(place.replace("1.2.3", re.escape(old)), re.M)
            having = 0
            for path in (root / name for name in names):
                text, count = place.subn(new, texts.get(path) or path.read_text())
                if count:
                    texts[path] = text
                    having += 1
            if not having:
                raise SystemExit(f"{files} has nothing like {place.pattern}")
    return texts


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    for path, text in changed(ROOT, *sys.argv[1:]).items():
        path.write_text(text)
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
