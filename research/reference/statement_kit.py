"""Writes vectors/statement: files with statements, right and wrong ones, of docs/spec/statement.md.

    python3 research/reference/statement_kit.py        rewrites them, to the same bytes
"""

import base64
import json
from dataclasses import replace
from pathlib import Path

import manifest as m
import polyseal_file as pf
import statement as s
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from ticket_kit import message

FOLDER = Path(__file__).resolve().parents[2] / "vectors" / "statement"
KEY, FILE_KEY = b"\x11" * 32, bytes(range(32))
ALICE, MALLORY = b"\x41" * 32, b"\x4d" * 32
TIME = 1796000000


def sealed(n, salt, suite=pf.DEFAULT_SUITE, context=None):
    stanzas = lambda F: [pf.key_file_stanza(F, KEY, b"\x33" * 32, FILE_KEY)]
    return pf.write_file(message(n), FILE_KEY, salt * 32, stanzas, suite=suite, context=context, segment_size=4096,
                         P=4096)


def about(data, binding="holder"):
    header = pf.parse_header(data)
    payload, segment = data[header.P:], m.stored_segment(header)
    bound_to = s.holder(header.raw, FILE_KEY) if binding == "holder" else s.header_hash(header.raw)
    return s.Statement(header.file_salt, header.suite, header.segment_size, len(payload),
                       s.payload_root(s.leaves_of(payload, segment)), header.context_tag, binding, bound_to, TIME)


def hashes(data):
    header = pf.parse_header(data)
    return s.hashes(s.leaves_of(data[header.P:], m.stored_segment(header)))


def signed(text, stored_hashes=b"", by=ALICE):
    return (text + s.sign(text, by)).encode() + stored_hashes


def public(seed):
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


FILES = {
    "empty": sealed(0, b"\x01"),
    "short": sealed(5000, b"\x02"),
    "groups": sealed(67 * 4096 + 9, b"\x03"),
    "context": sealed(100, b"\x04", context=b"backup of 3 May"),
    "other": sealed(5000, b"\x05"),
    "full": sealed(4096, b"\x06"),
}
FILES["cut"] = FILES["short"][:4096 + 4112]
FILES["longer"] = FILES["full"] + FILES["short"][-920:]


def kit():
    """Name, comment, file, statement, outcome."""
    for name, comment in [
            ("empty", "One segment has no hashes."),
            ("short", "Two segments are one group, whose path is empty."),
            ("groups", "68 segments are three groups; the last goes up alone once, so one hash of its path is zero."),
            ("context", "The file is bound to a context.")]:
        data = FILES[name]
        yield name, comment, name, signed(about(data).text(), hashes(data)), "ok"
        yield f"{name}-header", "Bound to the header.", name, signed(about(data, "header").text(), hashes(data)), "ok"
    data = FILES["short"]
    good, tail = about(data), hashes(data)
    twice = (good.text() + s.sign(good.text(), MALLORY) + s.sign(good.text(), ALICE)).encode() + tail
    yield "two-signatures", "One that is accepted is enough.", "short", twice, "ok"
    yield "mallory", "Of a signer that is not allowed.", "short", signed(good.text(), tail, MALLORY), "not accepted"
    later = replace(good, time=TIME + 1).text()
    moved = signed(good.text(), tail).replace(f"time {TIME}".encode(), f"time {TIME + 1}".encode())
    yield "other-time", "The signature is of another text.", "short", moved, "not accepted"
    yield "other-file", "The statement is about another file.", "other", signed(good.text(), tail), "other file"
    wrong = replace(good, bound_to=bytes(32))
    yield "other-holder", "The holder is of another key.", "short", signed(wrong.text(), tail), "other file"
    wrong = replace(about(data, "header"), bound_to=bytes(32))
    yield "other-header", "The hash is of another header.", "short", signed(wrong.text(), tail), "other file"
    wrong = replace(good, segment_bytes=8192)
    yield "other-segments", "The segment size is another.", "short", signed(wrong.text()), "other file"
    wrong = replace(about(FILES["empty"]), payload_root=bytes(32))
    yield "other-root", "The root is another.", "empty", signed(wrong.text()), "segment"
    yield "no-hashes", "The hashes are missing.", "short", signed(good.text()), "hashes"
    yield "more-hashes", "A byte is behind them.", "short", signed(good.text(), tail + b"\0"), "hashes"
    yield "cut", "The last segment is missing.", "cut", signed(good.text(), tail), "segment"
    yield "longer", "A segment is behind the last.", "longer", signed(about(FILES["full"]).text()), "segment"
    many = hashes(FILES["groups"])
    spare = bytearray(many)
    spare[-1] = 1
    yield "spare-hash", "A hash that is left over is not zero.", "groups", signed(
        about(FILES["groups"]).text(), bytes(spare)), "hashes"
    for name, comment, text in [
            ("no-binding", "It is bound to nothing.", good.text().replace(f"holder {good.bound_to.hex()}\n", "")),
            ("upper-case", "Digits are in lower case.", good.text().replace(good.file_salt.hex()[:2], "AB", 1)),
            ("zero", "A number has no leading zero.", good.text().replace("segment-bytes ", "segment-bytes 0")),
            ("carriage-return", "A line ends in a line feed.", good.text().replace("\n", "\r\n")),
            ("more-lines", "There is no other line.", good.text() + "name short\n"),
            ("no-suite", "There is no such suite.", good.text().replace(good.suite, "aegis-512"))]:
        yield name, comment, "short", signed(text, tail), "text"
    yield "version-two", "There is no such version.", "short", signed(
        good.text().replace("statement 1", "statement 2"), tail), "version"
    yield "unsigned", "It has no signature.", "short", good.text().encode() + tail, "signature"
    assert later != good.text()


MANIFEST_SALT = b"\x0f"
TREE = {"a/long": sealed(5000, b"\x07"), "a b%": sealed(7, b"\x08"), "gone": sealed(9, b"\x09")}


def tree():
    """The stored names and bytes of a signed tree."""
    entries = [m.Entry("directory", b"a", 0o755, 1_700_000_000, 0)]
    for path, data in TREE.items():
        entry = m.entry_of(path.encode(), data, [pf.KeyFile(KEY)])
        entry.state = m.DELETED if path == "gone" else entry.state
        entries.append(entry)
    plaintext = m.write(entries, number=7)
    stanzas = lambda F: [pf.key_file_stanza(F, KEY, b"\x33" * 32, FILE_KEY)]
    manifest = pf.write_file(plaintext, FILE_KEY, MANIFEST_SALT * 32, stanzas, context=m.context(), segment_size=4096,
                             P=4096)
    listed = s.tree_list(entries)
    version = s.TreeVersion(7, bytes(32), len(listed), s.list_hash(listed))
    own = f"{s.SIGNED}/{(MANIFEST_SALT * 32).hex()}"
    stored = {f"{path}.polyseal": data for path, data in TREE.items()}
    stored |= {s.MANIFEST: manifest, f"{own}.list": listed}
    stored[f"{own}.sig"] = signed(replace(about(manifest), tree=version).text(), hashes(manifest))
    salt = pf.parse_header(TREE["a/long"]).file_salt
    return stored | {f"{s.SIGNED}/{salt.hex()}.hashes": hashes(TREE["a/long"])}


def tree_kit():
    """Name, comment, the files that are others than the tree's (none: it is not there), outcome."""
    stored = tree()
    own = f"{s.SIGNED}/{(MANIFEST_SALT * 32).hex()}"
    manifest, listed = stored[s.MANIFEST], stored[f"{own}.list"]
    long_hashes = next(name for name in stored if name.endswith(".hashes"))

    def of_list(other, **more):
        version = s.TreeVersion(**{"number": 7, "previous": bytes(32), "list_bytes": len(other),
                                   "list": s.list_hash(other)} | more)
        text = replace(about(manifest), tree=version).text()
        return {f"{own}.list": other, f"{own}.sig": signed(text, hashes(manifest))}

    yield "tree", "A deleted file is there, and need not be.", {}, "ok"
    yield "tree-gone", "It is not there.", {"gone.polyseal": None}, "ok"
    yield "tree-unsigned", "There is no statement about this manifest.", {f"{own}.sig": None}, "not signed"
    yield "tree-mallory", "Of a signer that is not allowed.", {f"{own}.sig": signed(
        s.split(stored[f"{own}.sig"])[0], hashes(manifest), MALLORY)}, "not accepted"
    yield "tree-of-file", "The statement is about one file, the manifest.", {
        f"{own}.sig": signed(about(manifest).text(), hashes(manifest))}, "other file"
    yield "tree-no-list", "The list is missing.", {f"{own}.list": None}, "list"
    yield "tree-other-list", "The list is another.", {f"{own}.list": listed.replace(b"deleted", b"file", 1)}, "list"
    yield "tree-list-bytes", "It has not as many bytes.", of_list(listed, list_bytes=len(listed) + 1), "list"
    lines = listed.splitlines(keepends=True)
    yield "tree-order", "Files are in the order of the manifest.", of_list(b"".join(reversed(lines))), "list"
    yield "tree-twice", "No path is there twice.", of_list(lines[0] + listed), "list"
    yield "tree-spelling", "Only what has to be is escaped.", of_list(listed.replace(b"gone", b"%67one")), "list"
    yield "tree-lower", "Escapes are in upper case.", of_list(listed.replace(b"%20", b"%2").replace(
        b"%25", b"%2f")), "list"
    yield "tree-outside", "No path leads out of the tree.", of_list(listed.replace(b"a/long", b"../long")), "list"
    yield "tree-suffix", "A file has the suffix.", of_list(listed.replace(b"gone.polyseal", b"gone")), "list"
    yield "tree-missing", "A file is missing.", {"a/long.polyseal": None}, "missing"
    yield "tree-added", "A file is not of the tree.", {"new.polyseal": TREE["gone"]}, "added"
    yield "tree-swapped", "A file is another of the tree.", {"a/long.polyseal": TREE["gone"]}, "other file"
    changed = bytearray(TREE["a/long"])
    changed[5000] ^= 1
    yield "tree-segment", "A segment is another.", {"a/long.polyseal": bytes(changed)}, "segment"
    yield "tree-no-hashes", "The hashes of a file are missing.", {long_hashes: None}, "hashes"


def signers():
    blob = base64.b64encode(s.public_blob(public(ALICE))).decode()
    return f'alice@example.org namespaces="polyseal" ssh-ed25519 {blob}\n'


def files():
    tests = []
    yield "allowed_signers", signers().encode()
    for name, data in FILES.items():
        yield f"{name}.polyseal", data
    for name, comment, file, stored, outcome in kit():
        yield f"{name}.sig", stored
        tests.append({"statement": f"{name}.sig", "comment": comment, "file": f"{file}.polyseal", "outcome": outcome}
                     | ({"context": b"backup of 3 May".decode()} if file == "context" else {}))
    for name, data in tree().items():
        yield f"tree/{name}", data
    trees = []
    for name, comment, others, outcome in tree_kit():
        for other, data in others.items():
            if data is not None:
                yield f"{name}/{other}", data
        trees.append({"tree": name, "comment": comment, "others": sorted(k for k, v in others.items() if v is not None),
                      "absent": sorted(k for k, v in others.items() if v is None), "outcome": outcome})
    index = {"key": KEY.hex(), "tests": tests, "trees": trees}
    yield "index.json", (json.dumps(index, indent=1) + "\n").encode()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, data in files():
        (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / name).write_bytes(data)
