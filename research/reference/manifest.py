"""The manifest of an encrypted tree, to the letter: docs/spec/manifest.md, version 2, and version 1 for
readers that are told to take it. "section" in a comment is a section of it.

It reads and writes the plaintext of a manifest, a bytes object, and says whether a file belongs to an entry.
Encrypting and decrypting, HKDF among it, is polyseal_file.py's subject, and BLAKE3 that of blake3.py.

What it does not give: a tree of real files, or manifests in parts.
"""

import hmac
from dataclasses import dataclass

import blake3
import polyseal_file as pf

MAGIC = b"polyseal-manifest\n"
VERSION = 2
UNBOUND = 1                                              # the version that does not bind contents
TYPES = {b"f": "file", b"d": "directory", b"l": "link"}


def context(files=b""):
    """The context of the encrypted manifest of version 2, of a tree whose files are bound to ``files``."""
    return b"polyseal-manifest/2" + (b":" + files if files else b"")


class Refused(Exception):
    """Not a manifest, or not the file of an entry. Carries the outcome; vectors/manifest has these words."""

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
    key_commitment: bytes = None                         # None: of a file in version 1, and of what is no file
    payload_root: bytes = None                           # likewise
    target: bytes = None


class Bytes:
    """The bytes that have not been read yet."""

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


def read(data, allow_unbound_contents=False):
    """The entries, in order. Version 1 is refused unless the caller allows it (section 9)."""
    require(data.startswith(MAGIC), "not-a-manifest")
    data = Bytes(data[len(MAGIC):])
    version = data.number(2)
    require(version in (VERSION, UNBOUND), "unsupported-version")
    require(version == VERSION or allow_unbound_contents, "unbound-contents")
    entries, directories, last = [], {()}, []
    while (kind := data.take(1)) != b"e":
        require(kind in TYPES, "bad-type")
        path = data.take(data.number(2))
        entry = Entry(TYPES[kind], path, data.number(2), data.number(8, signed=True), data.number(4))
        if entry.type == "file":
            entry.size, entry.salt = data.number(8), data.take(32)
            if version == VERSION:
                entry.key_commitment, entry.payload_root = data.take(32), data.take(32)
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


def write_entry(entry, version):
    kind = next(kind for kind, name in TYPES.items() if name == entry.type)
    data = kind + len(entry.path).to_bytes(2, "little") + entry.path
    data += entry.mode.to_bytes(2, "little")
    data += entry.seconds.to_bytes(8, "little", signed=True) + entry.nanoseconds.to_bytes(4, "little")
    if entry.type == "file":
        data += entry.size.to_bytes(8, "little") + entry.salt
        if version != UNBOUND:
            data += entry.key_commitment + entry.payload_root
    elif entry.type == "link":
        data += len(entry.target).to_bytes(2, "little") + entry.target
    return data


def write(entries, magic=MAGIC, version=VERSION, entries_of=None, count=None):
    """Whatever the entries are: what no reader takes can be written, too, as entries of another version."""
    count = len(entries) if count is None else count
    body = b"".join(write_entry(entry, entries_of or version) for entry in entries)
    return magic + version.to_bytes(2, "little") + body + b"e" + count.to_bytes(8, "little")


# ── Sections 5 and 6: what an entry binds ───────────────────────────────────────────────────────

def key_commitment(header, file_key):
    """`header` is that of the encrypted file, or its first 160 bytes."""
    info = b"polyseal-manifest/2 file key" + header[0:10] + header[12:160]
    return pf.HKDF(file_key, header[32:64], info, 32)


def leaves(payload, segment):
    """`segment` is the length of a whole segment as it is stored, its tag included."""
    segments = [payload[k:k + segment] for k in range(0, len(payload), segment)]
    return [blake3.derive_key("polyseal-manifest/2 leaf", stored) for stored in segments]


def payload_root(payload, segment):
    all_leaves = leaves(payload, segment)
    material = b"".join(all_leaves) + len(all_leaves).to_bytes(8, "little")
    return blake3.derive_key("polyseal-manifest/2 root", material)


def stored_segment(header):
    _, _, tag = pf.SUITES[header.suite]
    return header.segment_size + tag


def entry_of(path, data, keys, context=None, mode=0o644, seconds=0, nanoseconds=0):
    """The entry of an encrypted file."""
    size = len(pf.open_file(data, keys, context))
    header, file_key = pf.unlock_header(data, keys)
    return Entry("file", path, mode, seconds, nanoseconds, size, header.file_salt,
                 key_commitment(header.raw, file_key),
                 payload_root(data[header.P:], stored_segment(header)))


def open_entry(entry, data, keys, context=None, allow_unbound_contents=False):
    """Section 7: the plaintext, if the file opens and is that of the entry."""
    unbound = entry.key_commitment is None
    require(allow_unbound_contents or not unbound, "unbound-contents")
    plaintext = pf.open_file(data, keys, context)
    found = entry_of(entry.path, data, keys, context)
    require(found.salt == entry.salt and found.size == entry.size, "other-file")
    if not unbound:
        require(hmac.compare_digest(found.key_commitment, entry.key_commitment), "other-file")
        require(hmac.compare_digest(found.payload_root, entry.payload_root), "other-file")
    return plaintext
