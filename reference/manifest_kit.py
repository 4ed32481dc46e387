"""Writes vectors/manifest: a small manifest for every rule of docs/spec/manifest.md.

    python3 reference/manifest_kit.py        rewrites them, to the same bytes
"""

import json
from dataclasses import asdict
from pathlib import Path

import manifest as m

FOLDER = Path(__file__).parent.parent / "vectors" / "manifest"
SALT = bytes(range(32))


def file(path, mode=0o644, seconds=1_700_000_000, nanoseconds=0, size=5, salt=SALT):
    return m.Entry("file", path, mode, seconds, nanoseconds, size=size, salt=salt)


def directory(path, mode=0o755, seconds=1_700_000_000, nanoseconds=0):
    return m.Entry("directory", path, mode, seconds, nanoseconds)


def link(path, target, mode=0, seconds=1_700_000_000, nanoseconds=0):
    return m.Entry("link", path, mode, seconds, nanoseconds, target=target)


TREE = [directory(b"a"), file(b"a/b"), link(b"a/c", b"../d"), file(b"a.txt"), file(b"d")]
WHOLE = m.write(TREE)
ENTRY = len(m.MAGIC) + 2


def good():
    yield "empty", "A tree with nothing in it.", m.write([])
    yield "tree", "Each type. What is in a directory comes before a name that only begins like it.", WHOLE
    yield "deep", "Directories in directories, and back to the root.", m.write([
        directory(b"a"), directory(b"a/b"), directory(b"a/b/c"), file(b"a/b/c/d"), file(b"a/b/e"), file(b"a/f"),
        file(b"g")])
    yield "bytes", "Names of any encoding, and of any byte but NUL and the slash.", m.write(
        [file(b"\x01\n"), file(b" "), file(b"..."), file(b".a"), file("\u00e4".encode()), file(b"\xff\xfe")])
    yield "modes", "The least and the most.", m.write([file(b"a", mode=0), file(b"b", mode=0o777), directory(b"c", 0)])
    yield "times", "The first and the last second, and the last nanosecond.", m.write([
        file(b"a", seconds=-2**63), file(b"b", seconds=2**63 - 1), file(b"c", seconds=-1, nanoseconds=999_999_999)])
    yield "sizes", "The least and the most.", m.write([file(b"a", size=0), file(b"b", size=2**64 - 1)])
    yield "long", "A path and a target of 65535 bytes.", m.write([link(b"a" * 65535, b"b" * 65535)])
    yield "target", "A target that no program should follow is one of a manifest.", m.write(
        [link(b"a", b"/etc/passwd"), link(b"b", b"../..")])


def bad():
    for name, path in [
        ("empty", b""), ("absolute", b"/a"), ("slash-behind", b"a/"), ("two-slashes", b"a//b"), ("dot", b"."),
        ("dot-within", b"a/./b"), ("dots", b".."), ("dots-within", b"a/../b"), ("dots-behind", b"a/.."),
        ("nul", b"a\0b"),
    ]:
        yield f"path-{name}", "A path has names that are names.", "bad-path", m.write([directory(b"a"), file(path)])
    yield "target-empty", "A link leads somewhere.", "bad-path", m.write([link(b"a", b"")])
    yield "target-nul", "A target has no NUL.", "bad-path", m.write([link(b"a", b"b\0")])
    yield "twice", "No path is there twice.", "out-of-order", m.write([file(b"a"), file(b"a")])
    yield "twice-directory", "Nor as two things.", "out-of-order", m.write([directory(b"a"), file(b"a")])
    yield "order", "Paths are in order.", "out-of-order", m.write([file(b"b"), file(b"a")])
    yield "order-bytes", "By names, not by bytes.", "out-of-order", m.write(
        [directory(b"a"), file(b"a.txt"), file(b"a/b")])
    yield "order-signed", "Bytes have no sign.", "out-of-order", m.write([file(b"\x80"), file(b"a")])
    yield "parent-none", "What is in a directory follows it.", "not-in-a-directory", m.write([file(b"a/b")])
    yield "parent-file", "Nothing is in a file.", "not-in-a-directory", m.write([file(b"a"), file(b"a/b")])
    yield "parent-link", "Nothing is in a link.", "not-in-a-directory", m.write([link(b"a", b"b"), file(b"a/b")])
    yield "parent-begins-so", "A directory is its whole name.", "not-in-a-directory", m.write(
        [directory(b"a"), file(b"ab/c")])
    yield "parent-grand", "Each directory is there.", "not-in-a-directory", m.write([directory(b"a"), file(b"a/b/c")])
    yield "mode", "Only permissions are kept.", "bad-mode", m.write([file(b"a", mode=0o1000)])
    yield "mode-directory", "Only permissions are kept.", "bad-mode", m.write([directory(b"a", mode=0o4755)])
    yield "mode-link", "A link has no mode.", "bad-mode", m.write([link(b"a", b"b", mode=0o777)])
    yield "nanoseconds", "A second has 10^9.", "bad-time", m.write([file(b"a", nanoseconds=10**9)])
    yield "type", "There are three types.", "bad-type", WHOLE[:ENTRY] + b"x" + WHOLE[ENTRY + 1:]
    yield "magic", "It begins as a manifest.", "not-a-manifest", m.write(TREE, magic=b"polyseal-manifesto")
    yield "magic-short", "It begins as a manifest.", "not-a-manifest", m.MAGIC[:-1]
    yield "nothing", "It begins as a manifest.", "not-a-manifest", b""
    yield "version-0", "There is one version.", "unsupported-version", m.write([], version=0)
    yield "version-2", "There is one version.", "unsupported-version", m.write([], version=2)
    yield "count-less", "The count is that of the entries.", "bad-count", m.write(TREE, count=4)
    yield "count-more", "The count is that of the entries.", "bad-count", m.write(TREE, count=6)
    yield "behind", "Nothing is behind the end.", "bad-length", WHOLE + b"\0"
    yield "cut-version", "It goes on to its end.", "bad-length", WHOLE[:ENTRY - 1]
    yield "cut-first", "It goes on to its end.", "bad-length", WHOLE[:ENTRY]
    yield "cut-entry", "It goes on to its end.", "bad-length", WHOLE[:ENTRY + 9]
    yield "cut-end", "It goes on to its end.", "bad-length", WHOLE[:-9]
    yield "cut-count", "It goes on to its end.", "bad-length", WHOLE[:-1]
    yield "path-too-long", "A path is as long as it says.", "bad-length", m.write([])[:-9] + b"f\xff\xffa"


def shown(entry):
    fields = {name: value for name, value in asdict(entry).items() if value is not None}
    return {name: value.hex() if isinstance(value, bytes) else value for name, value in fields.items()}


def vectors():
    """Each file by its name, the index among them."""
    files, tests = {}, []
    for name, rule, data in good():
        files[f"{name}.manifest"] = data
        entries = [shown(entry) for entry in m.read(data)]
        tests.append({"file": f"{name}.manifest", "rule": rule, "outcome": "ok", "entries": entries})
    for name, rule, outcome, data in bad():
        files[f"bad-{name}.manifest"] = data
        tests.append({"file": f"bad-{name}.manifest", "rule": rule, "outcome": outcome})
    description = [
        "The rules of docs/spec/manifest.md, a small manifest for each. Written by reference/manifest_kit.py.",
        "outcome: ok comes with the entries. Bytes are hexadecimal.",
    ]
    index = json.dumps({"description": description, "tests": tests}, indent=2) + "\n"
    return files | {"index.json": index.encode()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, data in vectors().items():
        (FOLDER / name).write_bytes(data)
