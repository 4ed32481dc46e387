"""The parts of the kit: files, and the outcome of each attempt to read one."""

import hashlib
import json

from .draft import Draft
from .keys import key_table


class Kit:
    def __init__(self):
        self.files = {}
        self.tests = []
        self.parts = []
        self.key_files = []

    def add(self, name, section, rule, data, *attempts, armored=False):
        """One file, and what each attempt to read it comes to."""
        file = f"{name}.polyseal"
        assert file not in self.files and attempts
        self.files[file] = data
        for attempt in attempts:
            self.tests.append({"file": file, "section": section, "rule": rule,
                               "armored": armored} | attempt)

    def draft(self, name, section, rule, change, *attempts):
        """A draft that `change` has altered, or the bytes that it gives back."""
        draft = Draft(name)
        data = change(draft)
        data = data if isinstance(data, bytes) else draft.file()
        self.add(name, section, rule, data, *(a(draft) if callable(a) else a for a in attempts))

    def part(self, file, rule, start, length, attempt):
        assert f"{file}.polyseal" in self.files
        self.parts.append({"file": f"{file}.polyseal", "section": "6", "rule": rule, "start": start,
                           "length": length} | attempt)

    def key_file(self, name, rule, data, key=None):
        file = f"{name}.key"
        assert file not in self.files
        self.files[file] = data
        outcome = {"outcome": "bad-key-file"} if key is None else {"outcome": "ok", "key": key.hex()}
        self.key_files.append({"file": file, "section": "8", "rule": rule} | outcome)

    def index(self):
        return json.dumps({
            "description": [
                "The rules of docs/spec/file-format.md, a small file for each. Written by"
                " research/reference/file_format_kit.py.",
                "tests: read `file` with all of `keys`, and with `context` unless it is null. `armored` says"
                " that it is to be read as ASCII armour.",
                "outcome: ok comes with the plaintext, in hexadecimal or as length and SHA-256;"
                " corrupt-segment with the number of the first segment that does not open.",
                "parts: as tests, for the `length` bytes of plaintext from `start`. A reader opens the last"
                " segment first: if it is corrupt, it is the one that is named.",
                "keyFiles: the key that a key file gives.",
                "Bytes are hexadecimal; where there is a `times`, that many repetitions of it.",
            ],
            "keys": key_table(),
            "tests": self.tests,
            "parts": self.parts,
            "keyFiles": self.key_files,
        }, indent=2) + "\n"


def attempt(outcome, keys, context, **more):
    context = {"hex": context[0].hex(), "times": context[1]} if isinstance(context, tuple) else (
        context and {"hex": context.hex(), "times": 1})
    keys = keys if isinstance(keys, list) else [keys]
    return {"keys": keys, "context": context, "outcome": outcome} | more


def no(outcome, keys="key-file-1", context=None, **more):
    return attempt(outcome, keys, context, **more)


def corrupt(segment, keys="key-file-1", context=None):
    return attempt("corrupt-segment", keys, context, segment=segment)


def plaintext(data):
    if len(data) <= 64:
        return {"plaintext": data.hex()}
    return {"plaintextLength": len(data), "plaintextSha256": hashlib.sha256(data).hexdigest()}


def ok(keys="key-file-1", context=None, data=None):
    """The draft's plaintext, or `data`."""
    def of(draft):
        return attempt("ok", keys, context, **plaintext(draft.plaintext if data is None else data))
    return of if data is None else of(None)


BAD = no("bad-header")


def setting(**fields):
    """A change of a draft: these fields of it."""
    def change(draft):
        for field, value in fields.items():
            setattr(draft, field, value)
    return change
