"""The statement about an encrypted file, to the letter: docs/spec/statement.md. "section" in a comment is a section of
it. Signatures are SSHSIG with Ed25519 keys alone; the curve is that of `cryptography`.
"""

import base64
import functools
import hashlib
import hmac
import re
import struct
from dataclasses import dataclass

import blake3
import manifest as m
import polyseal_file as pf
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

GROUP = 32
NAMESPACE = b"polyseal"
BEGIN, END = "-----BEGIN SSH SIGNATURE-----\n", "-----END SSH SIGNATURE-----\n"
HASH, NUMBER = "([0-9a-f]{64})", "(0|[1-9][0-9]*)"
TEXT = re.compile(
    f"polyseal-(tree-)?statement 1\nfile-salt {HASH}\nsuite ([^\n]+)\nsegment-bytes {NUMBER}\npayload-bytes {NUMBER}\n"
    f"payload-root {HASH}\ncontext-tag {HASH}\n(holder|header) {HASH}\ntime {NUMBER}\n"
    f"(?(1)number {NUMBER}\nprevious {HASH}\nlist-bytes {NUMBER}\nlist {HASH}\n)")
LINE = re.compile(f"(file|deleted) {HASH} {HASH} {HASH} ([!-~]+)")


class Refused(Exception):
    """Carries the outcome; vectors/statement has these words."""

    def __init__(self, outcome):
        super().__init__(outcome)
        self.outcome = outcome


def require(condition, outcome):
    if not condition:
        raise Refused(outcome)


@dataclass
class TreeVersion:
    number: int
    previous: bytes
    list_bytes: int
    list: bytes

    def text(self):
        return (f"number {self.number}\nprevious {self.previous.hex()}\nlist-bytes {self.list_bytes}\n"
                f"list {self.list.hex()}\n")


@dataclass
class Statement:
    file_salt: bytes
    suite: str
    segment_bytes: int
    payload_bytes: int
    payload_root: bytes
    context_tag: bytes
    binding: str                                         # "holder" or "header"
    bound_to: bytes
    time: int
    tree: TreeVersion | None = None                      # about a tree whose manifest the file is

    def text(self):
        return (f"polyseal-{'tree-' if self.tree else ''}statement 1\nfile-salt {self.file_salt.hex()}\nsuite {self.suite}\n"
                f"segment-bytes {self.segment_bytes}\npayload-bytes {self.payload_bytes}\n"
                f"payload-root {self.payload_root.hex()}\ncontext-tag {self.context_tag.hex()}\n"
                f"{self.binding} {self.bound_to.hex()}\ntime {self.time}\n" + (self.tree.text() if self.tree else ""))


# ── Sections 2 and 3 ────────────────────────────────────────────────────────────────────────────

def parse(text):
    first = text.split("\n")[0]
    require(re.fullmatch("polyseal-(tree-)?statement (?!1$)[0-9]+", first) is None, "version")
    fields = TEXT.fullmatch(text)
    require(fields is not None, "text")
    of_tree, salt, suite, segment, payload, root, tag, binding, bound_to, time, *version = fields.groups()
    require(suite in pf.SUITES and int(segment) in pf.SEGMENT_SIZES, "text")
    return Statement(bytes.fromhex(salt), suite, int(segment), int(payload), bytes.fromhex(root), bytes.fromhex(tag),
                     binding, bytes.fromhex(bound_to), int(time), tree_version(*version) if of_tree else None)


def tree_version(number, previous, list_bytes, list_hash):
    return TreeVersion(int(number), bytes.fromhex(previous), int(list_bytes), bytes.fromhex(list_hash))


def holder(header, file_key):
    return pf.HKDF(file_key, header[32:64], b"polyseal-statement/1 holder" + header[0:10] + header[12:160], 32)


def header_hash(header):
    return blake3.derive_key("polyseal-statement/1 header", header)


# ── Section 4 ───────────────────────────────────────────────────────────────────────────────────

@functools.cache
def leaves_of(payload, segment):
    """Once for each payload: many statements are about one."""
    return tuple(m.leaves(payload, segment))


def payload_root(leaves):
    return blake3.derive_key("polyseal-manifest/3 root", m.tree(leaves) + len(leaves).to_bytes(8, "little"))


def node(left, right):
    return blake3.derive_key("polyseal-manifest/3 node", left + right)


def levels_above(groups):
    return (groups - 1).bit_length()


def path(hashes, i):
    """The siblings from leaf i of the tree over these hashes up; of the last of an odd number, none."""
    found = []
    while len(hashes) > 1:
        if i ^ 1 < len(hashes):
            found.append(hashes[i ^ 1])
        pairs = [hashes[k:k + 2] for k in range(0, len(hashes), 2)]
        hashes = [node(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
        i //= 2
    return found


def hashes(leaves):
    if len(leaves) == 1:
        return b""
    groups = [leaves[k:k + GROUP] for k in range(0, len(leaves), GROUP)]
    trees, stored = [m.tree(group) for group in groups], b""
    for g, group in enumerate(groups):
        siblings = b"".join(path(trees, g))
        stored += b"".join(group) + siblings + bytes(32 * levels_above(len(groups)) - len(siblings))
    return stored


# ── Section 5: PROTOCOL.sshsig of OpenSSH ───────────────────────────────────────────────────────

def string(data):
    return struct.pack(">I", len(data)) + data


def signed_data(text):
    digest = hashlib.sha512(text.encode()).digest()
    return b"SSHSIG" + string(NAMESPACE) + string(b"") + string(b"sha512") + string(digest)


def sign(text, seed):
    key = Ed25519PrivateKey.from_private_bytes(seed)
    blob = (b"SSHSIG" + struct.pack(">I", 1) + string(public_blob(key.public_key().public_bytes_raw()))
            + string(NAMESPACE) + string(b"") + string(b"sha512")
            + string(string(b"ssh-ed25519") + string(key.sign(signed_data(text)))))
    encoded = base64.b64encode(blob).decode()
    return BEGIN + "".join(encoded[k:k + 70] + "\n" for k in range(0, len(encoded), 70)) + END


def public_blob(public):
    return string(b"ssh-ed25519") + string(public)


def strings(data):
    found = []
    while data:
        n = struct.unpack(">I", data[:4])[0]
        require(len(data) >= 4 + n, "signature")
        found.append(data[4:4 + n])
        data = data[4 + n:]
    return found


def is_accepted(text, armored, allowed):
    """`allowed` are public keys, each 32 bytes: a list of signers, with everything else that it says, is another's."""
    body = armored.removeprefix(BEGIN).removesuffix(END).replace("\n", "")
    blob = base64.b64decode(body, validate=True)
    require(blob[:10] == b"SSHSIG" + struct.pack(">I", 1), "signature")
    public, namespace, reserved, hash_name, signature = strings(blob[10:])
    require((reserved, hash_name) == (b"", b"sha512"), "signature")
    if namespace != NAMESPACE or public not in [public_blob(key) for key in allowed]:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(strings(public)[1]).verify(strings(signature)[1], signed_data(text))
    except InvalidSignature:
        return False
    return True


# ── Sections 1 and 6 ────────────────────────────────────────────────────────────────────────────

def split(stored):
    """The text, the signatures and the hashes."""
    at = stored.find(BEGIN.encode())
    require(at >= 0, "signature")
    try:
        text = stored[:at].decode()
    except UnicodeDecodeError:
        raise Refused("text") from None
    signatures, rest = [], stored[at:]
    while rest.startswith(BEGIN.encode()):
        end = rest.find(END.encode())
        require(end >= 0, "signature")
        signatures.append(rest[:end + len(END)].decode())
        rest = rest[end + len(END):]
    return text, signatures, rest


def verify(data, stored, allowed, keys=None, context=None):
    """The plaintext with keys that open the file, and otherwise nothing, of a file that an allowed key has signed."""
    text, signatures, stored_hashes = split(stored)
    statement = parse(text)
    require(statement.tree is None, "other file")
    return verify_stated(data, stored_hashes, statement, text, signatures, allowed, keys, context)


def verify_stated(data, stored_hashes, statement, text, signatures, allowed, keys, context):
    require(any(is_accepted(text, signature, allowed) for signature in signatures), "not accepted")
    header = pf.parse_header(data)
    payload, segment = data[header.P:], m.stored_segment(header)
    same = (statement.file_salt, statement.suite, statement.segment_bytes, statement.context_tag)
    require(same == (header.file_salt, header.suite, header.segment_size, header.context_tag), "other file")
    if statement.binding == "header":
        require(statement.bound_to == header_hash(header.raw), "other file")
    if keys is not None and statement.binding == "holder":
        _, file_key = pf.unlock_header(data, keys)
        require(hmac.compare_digest(statement.bound_to, holder(header.raw, file_key)), "other file")
    n = max(1, -(-statement.payload_bytes // segment))
    groups = -(-n // GROUP)
    length = 0 if n == 1 else 32 * (n + groups * levels_above(groups))
    require(len(stored_hashes) == length, "hashes")
    leaves = leaves_of(payload, segment)
    require(len(payload) == statement.payload_bytes, "segment")
    require(payload_root(leaves) == statement.payload_root, "segment")
    require(stored_hashes == hashes(leaves), "hashes")
    return None if keys is None else pf.open_file(data, keys, context)


# ── Section 8 ───────────────────────────────────────────────────────────────────────────────────

SIGNED, MANIFEST = ".polyseal-signed", ".polyseal-manifest.polyseal"


def escaped(path):
    return "".join(chr(byte) if 0x21 <= byte <= 0x7e and byte != 0x25 else f"%{byte:02X}" for byte in path)


def list_line(entry):
    word = "deleted" if entry.state == m.DELETED else "file"
    hashes = (entry.salt, entry.key_commitment, entry.payload_root)
    return " ".join([word, *(it.hex() for it in hashes), escaped(entry.path + b".polyseal")]) + "\n"


def tree_list(entries):
    return "".join(list_line(entry) for entry in entries if entry.type == "file").encode()


def list_hash(stored):
    return blake3.derive_key("polyseal-statement/1 list", stored)


def read_list(stored, version):
    """(word, salt, key commitment, payload root, path) of each file."""
    require(len(stored) == version.list_bytes and list_hash(stored) == version.list, "list")
    try:
        lines = stored.decode().split("\n")
    except UnicodeDecodeError:
        raise Refused("list") from None
    require(lines.pop() == "", "list")
    files = []
    for line in lines:
        fields = LINE.fullmatch(line)
        require(fields is not None, "list")
        word, salt, key, root, name = fields.groups()
        path = re.sub("%(..)", lambda it: chr(int(it[1], 16)), name).encode("latin-1")
        require(escaped(path) == name and path.endswith(b".polyseal"), "list")
        path = path.removesuffix(b".polyseal")
        require(m.is_path(path), "list")
        files.append((word, bytes.fromhex(salt), bytes.fromhex(key), bytes.fromhex(root), path))
    order = [m.names(file[4]) for file in files]
    require(all(one < other for one, other in zip(order, order[1:])), "list")
    return files


def verify_tree(stored, allowed):
    """All of a tree, from names to bytes, whose manifest an allowed key has signed; no key of the tree is needed."""
    manifest = stored[MANIFEST]
    own = f"{SIGNED}/{pf.parse_header(manifest).file_salt.hex()}"
    require(f"{own}.sig" in stored, "not signed")
    text, signatures, stored_hashes = split(stored[f"{own}.sig"])
    statement = parse(text)
    require(statement.tree is not None, "other file")
    verify_stated(manifest, stored_hashes, statement, text, signatures, allowed, None, None)
    listed = read_list(stored.get(f"{own}.list", b""), statement.tree)
    names = {MANIFEST}
    for word, salt, _, root, path in listed:
        name = path.decode() + ".polyseal"
        names.add(name)
        if word == "deleted" and name not in stored:
            continue
        require(name in stored, "missing")
        header = pf.parse_header(stored[name])
        require(header.file_salt == salt, "other file")
        leaves = leaves_of(stored[name][header.P:], m.stored_segment(header))
        require(payload_root(leaves) == root, "segment")
        require(stored.get(f"{SIGNED}/{salt.hex()}.hashes", b"") == hashes(leaves), "hashes")
    require(not [name for name in stored if name not in names and not name.startswith(f"{SIGNED}/")], "added")
    return listed
