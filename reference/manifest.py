"""The manifest of an encrypted tree, to the letter: docs/spec/manifest.md, version 1.

It reads and writes the plaintext of a manifest, a bytes object. What encrypts that is polyseal_file.py's
subject. Needs nothing but the standard library.
"""

from dataclasses import dataclass

MAGIC = b"polyseal-manifest\n"
VERSION = 1
TYPES = {b"f": "file", b"d": "directory", b"l": "link"}


class Refused(Exception):
    """Not a manifest. Carries the outcome; vectors/manifest/index.json has these words."""

    def __init__(self, outcome):
        super().__init__(outcome)
        self.outcome = outcome


def require(condition, outcome):
    if not condition:
        raise Refused(outcome)


@dataclass
class Entry:
    type: str
    path: bytes
    mode: int
    seconds: int
    nanoseconds: int
    size: int = None
    salt: bytes = None
    target: bytes = None


class Bytes:
    """What has not been read yet."""

    def __init__(self, data):
        self.rest = data

    def take(self, n):
        require(len(self.rest) >= n, "bad-length")
        taken, self.rest = self.rest[:n], self.rest[n:]
        return taken

    def number(self, n, signed=False):
        return int.from_bytes(self.take(n), "little", signed=signed)


def names(path):
    return path.split(b"/")


def is_path(path):
    return all(name not in (b"", b".", b"..") and b"\0" not in name for name in names(path))


def read(data):
    """The entries, in order."""
    require(data.startswith(MAGIC), "not-a-manifest")
    data = Bytes(data[len(MAGIC):])
    require(data.number(2) == VERSION, "unsupported-version")
    entries, directories, last = [], {()}, []
    while (kind := data.take(1)) != b"e":
        require(kind in TYPES, "bad-type")
        path = data.take(data.number(2))
        entry = Entry(TYPES[kind], path, data.number(2), data.number(8, signed=True), data.number(4))
        if entry.type == "file":
            entry.size, entry.salt = data.number(8), data.take(32)
        elif entry.type == "link":
            entry.target = data.take(data.number(2))
        require(is_path(path), "bad-path")
        require(entry.target is None or (entry.target and b"\0" not in entry.target), "bad-path")
        require(entry.mode == 0 if entry.type == "link" else entry.mode <= 0o777, "bad-mode")
        require(entry.nanoseconds < 10**9, "bad-time")
        require(names(path) > last, "out-of-order")
        require(tuple(names(path)[:-1]) in directories, "not-in-a-directory")
        last = names(path)
        if entry.type == "directory":
            directories.add(tuple(last))
        entries.append(entry)
    require(data.number(8) == len(entries), "bad-count")
    require(not data.rest, "bad-length")
    return entries


def write_entry(entry):
    kind = next(kind for kind, name in TYPES.items() if name == entry.type)
    data = kind + len(entry.path).to_bytes(2, "little") + entry.path
    data += entry.mode.to_bytes(2, "little")
    data += entry.seconds.to_bytes(8, "little", signed=True) + entry.nanoseconds.to_bytes(4, "little")
    if entry.type == "file":
        data += entry.size.to_bytes(8, "little") + entry.salt
    elif entry.type == "link":
        data += len(entry.target).to_bytes(2, "little") + entry.target
    return data


def write(entries, magic=MAGIC, version=VERSION, count=None):
    """Whatever the entries are: what no reader takes can be written, too."""
    count = len(entries) if count is None else count
    body = b"".join(map(write_entry, entries))
    return magic + version.to_bytes(2, "little") + body + b"e" + count.to_bytes(8, "little")
