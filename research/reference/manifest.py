"""The manifest of an encrypted tree, to the letter: docs/spec/manifest.md, version 3, and what is read besides:
version 2, and version 1 by readers that are told to take it. "section" in a comment is a section of it.

It reads and writes the plaintext of a manifest, a bytes object, and says whether a file belongs to an entry.
Encrypting and decrypting, HKDF among it, is polyseal_file.py's subject, and BLAKE3 that of blake3.py.

What it does not give: a tree of real files, or manifests in parts.
"""

import hmac
from dataclasses import dataclass

import blake3
import polyseal_file as pf

MAGIC = b"polyseal-manifest\n"
VERSION = 3
LISTED = 2                                               # the version whose root is over a list of leaves
UNBOUND = 1                                              # the version that does not bind contents
TYPES = {b"f": "file", b"d": "directory", b"l": "link", b"x": "absent"}
NEW, UNCHANGED, FAILED, DELETED = range(4)
STATES = {"file": {NEW, UNCHANGED, FAILED, DELETED}, "directory": {NEW, FAILED, DELETED}, "link": {NEW, FAILED},
          "absent": {FAILED}}
STAMP = bytes(16)


def context(files=b"", version=VERSION):
    """The context of the encrypted manifest, of a tree whose files are bound to ``files``; not of version 1."""
    return b"polyseal-manifest/%d" % version + (b":" + files if files else b"")


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
    state: int = None                                    # None, and so the next two: before version 3
    reason: int = None
    stamp: bytes = None                                  # of a file


@dataclass
class Previous:
    """The encrypted manifest before."""

    salt: bytes
    key_commitment: bytes
    payload_root: bytes


@dataclass
class Manifest:
    entries: list
    number: int = None                                   # None: before version 3
    previous: Previous = None

    def is_complete(self):
        return all(entry.state != FAILED for entry in self.entries)


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
    """The entries, in order. Version 1 is refused unless the caller allows it (section 10)."""
    return read_manifest(data, allow_unbound_contents).entries


def read_manifest(data, allow_unbound_contents=False):
    require(data.startswith(MAGIC), "not-a-manifest")
    data = Bytes(data[len(MAGIC):])
    version = data.number(2)
    require(version in (VERSION, LISTED, UNBOUND), "unsupported-version")
    require(version != UNBOUND or allow_unbound_contents, "unbound-contents")
    number = previous = None
    if version == VERSION:
        number = data.number(8)
        require(number > 0, "bad-number")
        before = Previous(data.take(32), data.take(32), data.take(32))
        previous = before if before != NO_MANIFEST else None
    entries, directories, deleted, last = [], {()}, [], []
    while (kind := data.take(1)) != b"e":
        require(kind in TYPES and (kind != b"x" or version == VERSION), "bad-type")
        path = data.take(data.number(2))
        state, reason = (data.number(1), data.number(1)) if version == VERSION else (None, None)
        entry = Entry(TYPES[kind], path, data.number(2), data.number(8, signed=True), data.number(4))
        entry.state, entry.reason = state, reason
        if entry.type == "file":
            entry.size, entry.salt = data.number(8), data.take(32)
            if version != UNBOUND:
                entry.key_commitment, entry.payload_root = data.take(32), data.take(32)
            if version == VERSION:
                entry.stamp = data.take(16)
        elif entry.type == "link":
            entry.target = data.take(data.number(2))
        require(is_path(path), "bad-path")
        require(entry.target is None or (entry.target and b"\0" not in entry.target), "bad-path")
        if version == VERSION:
            require(state in STATES[entry.type] and (reason != 0) == (state == FAILED), "bad-state")
        require(entry.mode == 0 if entry.type in ("link", "absent") else entry.mode <= 0o777, "bad-mode")
        require(entry.nanoseconds < 10**9, "bad-time")
        require(entry.type != "absent" or entry.seconds == entry.nanoseconds == 0, "bad-time")
        require(names(path) > last, "out-of-order")
        require(tuple(names(path)[:-1]) in directories, "not-in-a-directory")
        last = names(path)
        require(state == DELETED or not (deleted and last[:len(deleted)] == deleted), "bad-state")
        if entry.type == "directory" and state == DELETED and last[:len(deleted)] != (deleted or None):
            deleted = last
        if entry.type == "directory":
            directories.add(tuple(last))
        entries.append(entry)
    require(data.number(8) == len(entries), "bad-count")
    if version == VERSION:
        require(data.number(8) == sum(entry.state == FAILED for entry in entries), "bad-count")
    require(not data.rest, "bad-length")
    return Manifest(entries, number, previous)


NO_MANIFEST = Previous(bytes(32), bytes(32), bytes(32))


def write_entry(entry, version):
    kind = next(kind for kind, name in TYPES.items() if name == entry.type)
    data = kind + len(entry.path).to_bytes(2, "little") + entry.path
    if version == VERSION:
        data += bytes([entry.state or NEW, entry.reason or 0])
    data += entry.mode.to_bytes(2, "little")
    data += entry.seconds.to_bytes(8, "little", signed=True) + entry.nanoseconds.to_bytes(4, "little")
    if entry.type == "file":
        data += entry.size.to_bytes(8, "little") + entry.salt
        if version != UNBOUND:
            data += entry.key_commitment + entry.payload_root
        if version == VERSION:
            data += entry.stamp or STAMP
    elif entry.type == "link":
        data += len(entry.target).to_bytes(2, "little") + entry.target
    return data


def write(entries, magic=MAGIC, version=VERSION, entries_of=None, count=None, number=1, previous=None, failed=None):
    """Whatever the entries are: what no reader takes can be written, too, as entries of another version."""
    count = len(entries) if count is None else count
    failed = sum(entry.state == FAILED for entry in entries) if failed is None else failed
    body = b"".join(write_entry(entry, entries_of or version) for entry in entries)
    before, behind = b"", b""
    if version == VERSION:
        previous = previous or NO_MANIFEST
        before = number.to_bytes(8, "little") + previous.salt + previous.key_commitment + previous.payload_root
        behind = failed.to_bytes(8, "little")
    return magic + version.to_bytes(2, "little") + before + body + b"e" + count.to_bytes(8, "little") + behind


# ── Sections 5 and 6: what an entry binds ───────────────────────────────────────────────────────

def key_commitment(header, file_key):
    """`header` is that of the encrypted file, or its first 160 bytes."""
    info = b"polyseal-manifest/2 file key" + header[0:10] + header[12:160]
    return pf.HKDF(file_key, header[32:64], info, 32)


def leaves(payload, segment):
    """`segment` is the length of a whole segment as it is stored, its tag included."""
    segments = [payload[k:k + segment] for k in range(0, len(payload), segment)]
    return [blake3.derive_key("polyseal-manifest/2 leaf", stored) for stored in segments]


def payload_root(payload, segment, version=VERSION):
    all_leaves = leaves(payload, segment)
    hashed = tree(all_leaves) if version == VERSION else b"".join(all_leaves)
    return blake3.derive_key(f"polyseal-manifest/{version} root", hashed + len(all_leaves).to_bytes(8, "little"))


def tree(some_leaves):
    """The hash over one leaf or more, in the shape of RFC 6962."""
    n = len(some_leaves)
    if n == 1:
        return some_leaves[0]
    k = 1 << (n - 1).bit_length() - 1                    # the largest power of two below n
    return blake3.derive_key("polyseal-manifest/3 node", tree(some_leaves[:k]) + tree(some_leaves[k:]))


def stored_segment(header):
    _, _, tag = pf.SUITES[header.suite]
    return header.segment_size + tag


def entry_of(path, data, keys, context=None, mode=0o644, seconds=0, nanoseconds=0, version=VERSION):
    """The entry of an encrypted file."""
    size = len(pf.open_file(data, keys, context))
    header, file_key = pf.unlock_header(data, keys)
    return Entry("file", path, mode, seconds, nanoseconds, size, header.file_salt,
                 key_commitment(header.raw, file_key),
                 payload_root(data[header.P:], stored_segment(header), version))


def open_entry(entry, data, keys, context=None, allow_unbound_contents=False):
    """Section 7: the plaintext, if the file opens and is that of the entry."""
    unbound = entry.key_commitment is None
    require(allow_unbound_contents or not unbound, "unbound-contents")
    plaintext = pf.open_file(data, keys, context)
    found = entry_of(entry.path, data, keys, context, version=LISTED if entry.state is None else VERSION)
    require(found.salt == entry.salt and found.size == entry.size, "other-file")
    if not unbound:
        require(hmac.compare_digest(found.key_commitment, entry.key_commitment), "other-file")
        require(hmac.compare_digest(found.payload_root, entry.payload_root), "other-file")
    return plaintext
