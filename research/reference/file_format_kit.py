"""The conformance kit of the file format: writes vectors/file-format, one small file for each rule.

    python3 research/reference/file_format_kit.py            writes the folder anew
    python3 research/reference/file_format_kit.py --check    fails if the folder is not what this would write

Source: docs/spec/file-format.md, version 1, by way of polyseal_file.py. A file is good but for the one
rule that it is named after: what a change would break besides is computed anew (tags, header MAC),
unless the case is about just that. What a reader should say is written down here, case by case, from
the text of the specification; test_polyseal_file.py holds the reference reader against it.

Every byte comes from SHAKE-256 over the file's name and the part's, so two runs write the same files.
Only the recipient stanzas of FROM_AGE were made elsewhere: by age 1.3.1, for identities and a wrapping
key of this kit.

Limit: without associated data nobody knows an AEGIS ciphertext that opens under two keys for less work
than finding a tag by trial, so there is none here. The files `two-file-keys-*` have stanzas for two file
keys under one header instead, and payloads that would open under the wrong one.
"""

import sys
from pathlib import Path

from kit import section_1, section_2, section_4, section_4_age, section_4_passphrase, section_5, section_6
from kit import section_7, section_8, section_9
from kit.entry import Kit

FOLDER = Path(__file__).resolve().parents[2] / "vectors/file-format"

SECTIONS = (
    section_1.section_1, section_2.section_2, section_2.section_2_tags, section_4.section_4,
    section_4.section_4_bound, section_4.section_4_passed_over, section_4_passphrase.section_4_passphrase,
    section_4_age.section_4_age, section_5.section_5, section_6.section_6, section_7.section_7,
    section_8.section_8, section_9.section_9,
)


def build():
    """File names and bytes, index.json among them."""
    kit = Kit()
    for rules in SECTIONS:
        rules(kit)
    return kit.files | {"index.json": kit.index().encode()}


def present():
    return {path.name: path.read_bytes() for path in FOLDER.iterdir()}


def differences():
    made, there = build(), present()
    return sorted(name for name in made | there if made.get(name) != there.get(name))


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        wrong = differences()
        for name in wrong:
            print(f"{name}: not what research/reference/file_format_kit.py writes")
        sys.exit(1 if wrong else 0)
    if sys.argv[1:]:
        sys.exit("usage: file_format_kit.py [--check]")
    files = build()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in present().keys() - files.keys():
        (FOLDER / name).unlink()
    for name, data in files.items():
        (FOLDER / name).write_bytes(data)
