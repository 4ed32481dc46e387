"""Writes vectors/manifest: a small manifest for every rule of docs/spec/manifest.md, and encrypted files with
what an entry binds of each.

    scripts/python research/reference/manifest_kit.py        rewrites them, to the same bytes
"""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import gcm
import manifest as m
import polyseal_file as pf

FOLDER = Path(__file__).resolve().parents[2] / "vectors" / "manifest"
SALT, KEY_COMMITMENT, PAYLOAD_ROOT = (bytes(range(k, k + 32)) for k in (0, 32, 64))


def file(path, mode=0o644, seconds=1_700_000_000, nanoseconds=0, size=5):
    return m.Entry("file", path, mode, seconds, nanoseconds, size, SALT, KEY_COMMITMENT, PAYLOAD_ROOT)


def directory(path, mode=0o755, seconds=1_700_000_000, nanoseconds=0):
    return m.Entry("directory", path, mode, seconds, nanoseconds)


def link(path, target, mode=0, seconds=1_700_000_000, nanoseconds=0):
    return m.Entry("link", path, mode, seconds, nanoseconds, target=target)


def absent(path, mode=0, seconds=0, nanoseconds=0):
    return m.Entry("absent", path, mode, seconds, nanoseconds)


def in_state(entry, state, reason=0):
    entry.state, entry.reason = state, reason
    return entry


def failed(entry, reason=1):
    return in_state(entry, m.FAILED, reason)


def deleted(entry):
    return in_state(entry, m.DELETED)


TREE = [directory(b"a"), file(b"a/b"), link(b"a/c", b"../d"), file(b"a.txt"), file(b"d")]
PREVIOUS = m.Previous(SALT[::-1], KEY_COMMITMENT[::-1], PAYLOAD_ROOT[::-1])


# Version 3: those of its rules that are not version 2's as well.

def good_of_version_3():
    yield "empty", "A tree with nothing in it.", m.write([])
    yield "tree", "Each type. What is in a directory comes before a name that only begins like it.", m.write(TREE)
    yield "number", "The largest, and the manifest before.", m.write(TREE, number=2**64 - 1, previous=PREVIOUS)
    yield "previous", "That of version 2 counts as number 0.", m.write(TREE, previous=PREVIOUS)
    yield "no-previous", "It could not be read.", m.write(TREE, number=7)
    yield "states", "Each state of each type.", m.write([
        directory(b"a"), failed(directory(b"b")), failed(file(b"b/a")), failed(link(b"b/b", b"a")),
        deleted(directory(b"c")), deleted(directory(b"c/a")), deleted(file(b"c/a/b")), deleted(file(b"c/b")),
        file(b"c.txt"), in_state(file(b"d"), m.UNCHANGED), failed(file(b"e")), deleted(file(b"f")),
        failed(absent(b"g")), link(b"h", b"a")], number=2, previous=PREVIOUS)
    yield "reasons", "Those that are known, and the last.", m.write(
        [failed(absent(b"%d" % reason), reason) for reason in (1, 2, 255, 3, 4, 5, 6)])
    stamped = file(b"a")
    stamped.stamp = bytes(range(16))
    yield "stamp", "A stamp is any bytes.", m.write([stamped])
    yield "modes", "The least and the most.", m.write([file(b"a", mode=0), file(b"b", mode=0o777), directory(b"c", 0)])
    yield "sizes", "The least and the most.", m.write([file(b"a", size=0), file(b"b", size=2**64 - 1)])
    yield "long", "A path and a target of 65535 bytes.", m.write([link(b"a" * 65535, b"b" * 65535)])


def bad_of_version_3():
    whole, one = m.write(TREE), m.write([file(b"a")])    # the entry of one ends 17 bytes before its end
    yield "number", "Numbers begin with 1.", "bad-number", m.write(TREE, number=0)
    yield "state", "There are four states.", "bad-state", m.write([in_state(file(b"a"), 4)])
    yield "state-directory", "A directory is read in each run.", "bad-state", m.write([in_state(directory(b"a"), 1)])
    yield "state-link", "A link is read in each run.", "bad-state", m.write([in_state(link(b"a", b"b"), 1)])
    yield "state-link-deleted", "A link has no encrypted file.", "bad-state", m.write([deleted(link(b"a", b"b"))])
    for state in (0, 1, 3):
        yield f"state-absent-{state}", "There is nothing of it.", "bad-state", m.write([in_state(absent(b"a"), state)])
    yield "reason-none", "Each failure has a reason.", "bad-state", m.write([failed(file(b"a"), 0)])
    yield "reason", "Nothing else has one.", "bad-state", m.write([in_state(file(b"a"), 0, 1)])
    yield "reason-deleted", "Nothing else has one.", "bad-state", m.write([in_state(file(b"a"), 3, 1)])
    yield "deleted-parent", "What is in a deleted directory is deleted.", "bad-state", m.write(
        [deleted(directory(b"a")), file(b"a/b")])
    yield "deleted-grand", "However deep it is.", "bad-state", m.write(
        [deleted(directory(b"a")), deleted(directory(b"a/b")), deleted(file(b"a/b/c")), failed(file(b"a/d"))])
    yield "absent-mode", "It has no mode.", "bad-mode", m.write([failed(absent(b"a", mode=0o644))])
    yield "absent-seconds", "It has no time.", "bad-time", m.write([failed(absent(b"a", seconds=1))])
    yield "absent-nanoseconds", "It has no time.", "bad-time", m.write([failed(absent(b"a", nanoseconds=1))])
    yield "absent-parent", "Nothing is in it.", "not-in-a-directory", m.write([failed(absent(b"a")), file(b"a/b")])
    yield "absent-twice", "No path is there twice.", "out-of-order", m.write([file(b"a"), failed(absent(b"a"))])
    yield "type", "There are four types.", "bad-type", one[:124] + b"y" + one[125:]
    yield "path", "A path has names that are names.", "bad-path", m.write([file(b"..")])
    yield "order", "Paths are in order.", "out-of-order", m.write([file(b"b"), file(b"a")])
    yield "mode", "Only permissions are kept.", "bad-mode", m.write([file(b"a", mode=0o1000)])
    yield "nanoseconds", "A second has 10^9.", "bad-time", m.write([file(b"a", nanoseconds=10**9)])
    yield "count", "The count is that of the entries.", "bad-count", m.write(TREE, count=4)
    yield "failed-more", "It is the count of what failed.", "bad-count", m.write(TREE, failed=1)
    yield "failed-less", "It is the count of what failed.", "bad-count", m.write([failed(absent(b"a"))], failed=0)
    yield "behind", "Nothing is behind the end.", "bad-length", whole + b"\0"
    yield "entry-of-version-2", "An entry has a state.", "bad-length", m.write([file(b"a")], entries_of=2)
    for cut in (20, 27, 28, 60, 123):
        yield f"cut-{cut}", "It goes on to its end.", "bad-length", whole[:cut]
    yield "cut-root", "It goes on to its end.", "bad-length", one[:-17 - 16 - 1]
    yield "cut-stamp", "It goes on to its end.", "bad-length", one[:-17 - 1]
    yield "cut-end", "It goes on to its end.", "bad-length", one[:-17]
    yield "cut-failed", "It goes on to its end.", "bad-length", one[:-1]


# Version 2.

def of_version_2(entries, version=2, **more):
    return m.write(entries, version=version, **more)


WHOLE = of_version_2(TREE)
ENTRY = len(m.MAGIC) + 2
ONE = of_version_2([file(b"a")])                         # whose entry ends 9 bytes before the end


def good():
    yield "empty", "A tree with nothing in it.", of_version_2([])
    yield "tree", "Each type. What is in a directory comes before a name that only begins like it.", WHOLE
    yield "deep", "Directories in directories, and back to the root.", of_version_2([
        directory(b"a"), directory(b"a/b"), directory(b"a/b/c"), file(b"a/b/c/d"), file(b"a/b/e"), file(b"a/f"),
        file(b"g")])
    yield "bytes", "Names of any encoding, and of any byte but NUL and the slash.", of_version_2(
        [file(b"\x01\n"), file(b" "), file(b"..."), file(b".a"), file("\u00e4".encode()), file(b"\xff\xfe")])
    yield "modes", "The least and the most.", of_version_2([file(b"a", mode=0), file(b"b", mode=0o777), directory(b"c", 0)])
    yield "times", "The first and the last second, and the last nanosecond.", of_version_2([
        file(b"a", seconds=-2**63), file(b"b", seconds=2**63 - 1), file(b"c", seconds=-1, nanoseconds=999_999_999)])
    yield "sizes", "The least and the most.", of_version_2([file(b"a", size=0), file(b"b", size=2**64 - 1)])
    yield "long", "A path and a target of 65535 bytes.", of_version_2([link(b"a" * 65535, b"b" * 65535)])
    yield "target", "A target that no program should follow is one of a manifest.", of_version_2(
        [link(b"a", b"/etc/passwd"), link(b"b", b"../..")])


def bad():
    for name, path in [
        ("empty", b""), ("absolute", b"/a"), ("slash-behind", b"a/"), ("two-slashes", b"a//b"), ("dot", b"."),
        ("dot-within", b"a/./b"), ("dots", b".."), ("dots-within", b"a/../b"), ("dots-behind", b"a/.."),
        ("nul", b"a\0b"),
    ]:
        yield f"path-{name}", "A path has names that are names.", "bad-path", of_version_2([directory(b"a"), file(path)])
    yield "target-empty", "A link leads somewhere.", "bad-path", of_version_2([link(b"a", b"")])
    yield "target-nul", "A target has no NUL.", "bad-path", of_version_2([link(b"a", b"b\0")])
    yield "twice", "No path is there twice.", "out-of-order", of_version_2([file(b"a"), file(b"a")])
    yield "twice-directory", "Nor as two things.", "out-of-order", of_version_2([directory(b"a"), file(b"a")])
    yield "order", "Paths are in order.", "out-of-order", of_version_2([file(b"b"), file(b"a")])
    yield "order-bytes", "By names, not by bytes.", "out-of-order", of_version_2(
        [directory(b"a"), file(b"a.txt"), file(b"a/b")])
    yield "order-signed", "Bytes have no sign.", "out-of-order", of_version_2([file(b"\x80"), file(b"a")])
    yield "parent-none", "What is in a directory follows it.", "not-in-a-directory", of_version_2([file(b"a/b")])
    yield "parent-file", "Nothing is in a file.", "not-in-a-directory", of_version_2([file(b"a"), file(b"a/b")])
    yield "parent-link", "Nothing is in a link.", "not-in-a-directory", of_version_2([link(b"a", b"b"), file(b"a/b")])
    yield "parent-begins-so", "A directory is its whole name.", "not-in-a-directory", of_version_2(
        [directory(b"a"), file(b"ab/c")])
    yield "parent-grand", "Each directory is there.", "not-in-a-directory", of_version_2([directory(b"a"), file(b"a/b/c")])
    yield "mode", "Only permissions are kept.", "bad-mode", of_version_2([file(b"a", mode=0o1000)])
    yield "mode-directory", "Only permissions are kept.", "bad-mode", of_version_2([directory(b"a", mode=0o4755)])
    yield "mode-link", "A link has no mode.", "bad-mode", of_version_2([link(b"a", b"b", mode=0o777)])
    yield "nanoseconds", "A second has 10^9.", "bad-time", of_version_2([file(b"a", nanoseconds=10**9)])
    yield "type", "There are three types.", "bad-type", WHOLE[:ENTRY] + b"x" + WHOLE[ENTRY + 1:]
    yield "magic", "It begins as a manifest.", "not-a-manifest", of_version_2(TREE, magic=b"polyseal-manifesto")
    yield "magic-short", "It begins as a manifest.", "not-a-manifest", m.MAGIC[:-1]
    yield "nothing", "It begins as a manifest.", "not-a-manifest", b""
    for version in (0, 4, 257, 258):
        yield f"version-{version}", "There are versions 1 to 3.", "unsupported-version", of_version_2([], version=version)
    yield "entry-of-version-1", "An entry binds contents.", "bad-length", of_version_2([file(b"a")], entries_of=1)
    yield "entries-of-version-1", "An entry binds contents.", "bad-type", of_version_2(
        [file(b"a"), file(b"b"), file(b"c")], entries_of=1)
    yield "count-less", "The count is that of the entries.", "bad-count", of_version_2(TREE, count=4)
    yield "count-more", "The count is that of the entries.", "bad-count", of_version_2(TREE, count=6)
    yield "behind", "Nothing is behind the end.", "bad-length", WHOLE + b"\0"
    yield "cut-version", "It goes on to its end.", "bad-length", WHOLE[:ENTRY - 1]
    yield "cut-first", "It goes on to its end.", "bad-length", WHOLE[:ENTRY]
    yield "cut-entry", "It goes on to its end.", "bad-length", WHOLE[:ENTRY + 9]
    for field, bytes_of_it in [
        ("salt", 0), ("salt", 16), ("commitment", 0), ("commitment", 16), ("root", 0), ("root", 16), ("root", 31)
    ]:
        start = {"salt": 96, "commitment": 64, "root": 32}[field]
        yield f"cut-{field}-{bytes_of_it}", "It goes on to its end.", "bad-length", (
            ONE[:-9 - start + bytes_of_it])
    yield "cut-end", "It goes on to its end.", "bad-length", WHOLE[:-9]
    yield "cut-count", "It goes on to its end.", "bad-length", WHOLE[:-1]
    yield "path-too-long", "A path is as long as it says.", "bad-length", of_version_2([])[:-9] + b"f\xff\xffa"


# Version 1: refused, unless a reader is told to take it. The outcomes are those of one that is told.

def good_of_version_1():
    def write(entries):
        return m.write(entries, version=1)

    yield "empty", "A tree with nothing in it.", write([])
    yield "tree", "Each type. What is in a directory comes before a name that only begins like it.", write(TREE)
    yield "no-file", "Without a file the versions differ in their number alone.", write(
        [directory(b"a"), link(b"b", b"a")])
    yield "sizes", "The least and the most.", write([file(b"a", size=0), file(b"b", size=2**64 - 1)])


def bad_of_version_1():
    def write(entries, **more):
        return m.write(entries, version=1, **more)

    whole, one = write(TREE), write([file(b"a")])
    yield "entry-of-version-2", "An entry ends with the salt.", "bad-type", write([file(b"a")], entries_of=2)
    yield "path", "A path has names that are names.", "bad-path", write([file(b"..")])
    yield "order", "Paths are in order.", "out-of-order", write([file(b"b"), file(b"a")])
    yield "parent", "What is in a directory follows it.", "not-in-a-directory", write([file(b"a/b")])
    yield "mode", "Only permissions are kept.", "bad-mode", write([file(b"a", mode=0o1000)])
    yield "nanoseconds", "A second has 10^9.", "bad-time", write([file(b"a", nanoseconds=10**9)])
    yield "type", "There are three types.", "bad-type", whole[:ENTRY] + b"x" + whole[ENTRY + 1:]
    yield "count", "The count is that of the entries.", "bad-count", write(TREE, count=4)
    yield "behind", "Nothing is behind the end.", "bad-length", whole + b"\0"
    yield "cut-first", "It goes on to its end.", "bad-length", whole[:ENTRY]
    yield "cut-salt", "It goes on to its end.", "bad-length", one[:-9 - 16]
    yield "cut-end", "It goes on to its end.", "bad-length", whole[:-9]


# Encrypted files, and what an entry binds of them.

KEY, OTHER_KEY = b"\x11" * 32, b"\x22" * 32               # two key files


def message(n):
    """Byte i is the highest byte of i times 0x9e3779b9, modulo 2^32."""
    return bytes((i * 0x9E37_79B9 & 0xFFFF_FFFF) >> 24 for i in range(n))


def digest(*what):
    return hashlib.sha256(" ".join(what).encode()).digest()


def stanzas_for(*keys):
    def stanzas(F, file_key):
        return [pf.key_file_stanza(F, key, digest("stanza salt", key.hex()), file_key) for key in keys]
    return stanzas


def encrypted(name, plaintext, file_key=None, **options):
    """The salt comes from `name`, and so does the file key unless it is given."""
    file_key = file_key or digest(name, "file key")
    return pf.write_file(plaintext, file_key, digest(name, "file salt"),
                         lambda F: stanzas_for(KEY)(F, file_key), segment_size=4096, P=4096, **options)


def with_contents(data, plaintext):
    """The same header before other contents, by somebody who can open the file."""
    header, file_key = pf.unlock_header(data, [pf.KeyFile(KEY)])
    return header.raw + pf.Payload.of(header.raw, file_key, None).seal_all(plaintext)


def of_two_keys(name):
    """One payload behind two headers: each opens it, to other contents. The last block of the ciphertext is the one
    for which GCM's tag is the same under both payload keys."""
    G = gcm.Gcm(32)
    headers = [encrypted(name, b"", file_key, suite="aes-256-gcm")[:4096]
               for file_key in (digest(name, "file key"), digest(name, "other file key"))]
    payloads = [pf.Payload.of(header, pf.unlock_header(header, [pf.KeyFile(KEY)])[1], None) for header in headers]
    N = payloads[0].nonce(0, True)
    K1, K2 = (payload.key for payload in payloads)
    H1, H2 = gcm.AES(K1, bytes(16)), gcm.AES(K2, bytes(16))
    C = G.cipher(b"pay 10 to Alice.", K1, N) + bytes(16)
    difference = gcm.xor(G.tag(C, b"", K1, N), G.tag(C, b"", K2, N))
    x = gcm.multiply(difference, gcm.inverse(gcm.xor(gcm.multiply(H1, H1), gcm.multiply(H2, H2))))
    C = C[:16] + x
    return [header + C + G.tag(C, b"", K1, N) for header in headers]


SHORT = encrypted("short", message(14))
CONTEXT = b"backup of 3 May"


def encrypted_files():
    """The name, the rule, the file, and its context if it has one."""
    yield "empty", "An empty file has one segment, a tag alone. Its context is in the header, as a tag.", (
        encrypted("empty", b"", suite="kc-xaes-256-gcm", context=CONTEXT)), CONTEXT
    yield "short", "One segment.", SHORT, None
    yield "full", "One whole segment, with a tag of 32 bytes.", (
        encrypted("full", message(4096), suite="aegis-256x2:tag=32")), None
    yield "many", "Two whole segments, and one of one byte.", encrypted("many", message(2 * 4096 + 1)), None
    yield "recipients", "payload-short for another recipient, too: nothing that is bound changes.", (
        pf.change_recipients(SHORT, [pf.KeyFile(KEY)], stanzas_for(KEY, OTHER_KEY))), None
    yield "replaced", "payload-short with other contents of its length, by one of its readers.", (
        with_contents(SHORT, b"pay 99 to Bob!")), None
    two_keys = of_two_keys("two-keys")
    yield "two-keys", "A payload that another file key opens as well.", two_keys[0], None
    yield "two-keys-other", "The same salt and payload, and that other file key.", two_keys[1], None


# A file, the file whose entry it is held against, whether it belongs to it, and whether in version 1.
BELONGS = [
    ("short", "short", True, True),
    ("empty", "empty", True, True),
    ("recipients", "short", True, True),
    ("short", "recipients", True, True),
    ("replaced", "short", False, True),
    ("two-keys-other", "two-keys", False, True),
    ("full", "many", False, False),
    ("empty", "short", False, False),
]

# The length of a whole segment as it is stored, and that of the payload. A root is over as many chunks of BLAKE3 as
# the leaves need: 31 leaves and their number fill one but for 24 bytes, 32 do not fit.
ROOTS = [(48, 16), (48, 48), (48, 49), (48, 96), (48, 31 * 48), (48, 31 * 48 + 1), (48, 33 * 48), (48, 70 * 48 - 5),
         (4112, 4112), (4112, 4112 + 17), (65552, 65552 + 1000)]


def payloads():
    """The encrypted files by their names, payloads.json among them."""
    files, tests = {}, []
    for name, rule, data, context in encrypted_files():
        file = f"payload-{name}.polyseal"
        files[file] = data
        entry = m.entry_of(b"a", data, [pf.KeyFile(KEY)], context)
        header, file_key = pf.unlock_header(data, [pf.KeyFile(KEY)])
        stored = m.stored_segment(header)
        tests.append({
            "file": file, "rule": rule, "context": context and context.hex(), "header": header.raw[:160].hex(),
            "fileKey": file_key.hex(), "size": entry.size, "salt": entry.salt.hex(), "segment": stored,
            "leaves": [leaf.hex() for leaf in m.leaves(data[header.P:], stored)],
            "keyCommitment": entry.key_commitment.hex(), "payloadRoot": entry.payload_root.hex(),
            "payloadRootInVersion2": m.payload_root(data[header.P:], stored, 2).hex(),
        })
    belongs = [
        {"file": f"payload-{name}.polyseal", "entryOf": f"payload-{other}.polyseal", "belongs": bound,
         "belongsInVersion1": unbound}
        for name, other, bound, unbound in BELONGS
    ]
    roots = [{"segment": segment, "length": length, "payloadRoot": m.payload_root(message(length), segment).hex(),
              "payloadRootInVersion2": m.payload_root(message(length), segment, 2).hex()}
             for segment, length in ROOTS]
    description = [
        "Sections 5 to 7 of docs/spec/manifest.md. Written by research/reference/manifest_kit.py. Bytes are hexadecimal.",
        "key: a key file, which opens each file.",
        "files: header has the first 160 bytes; segment is the length of a whole segment as it is stored, with its"
        " tag; context is null if there is none.",
        "entries: whether a file belongs to the entry of another: in versions 2 and 3, and in version 1 for a reader"
        " that is told to take it.",
        "roots: over bytes that are no file's, cut into segments. Byte i is the highest byte of i times 0x9e3779b9,"
        " modulo 2^32.",
    ]
    return files | {"payloads.json": as_json({
        "description": description, "key": KEY.hex(), "files": tests, "entries": belongs, "roots": roots})}


def as_json(value):
    return (json.dumps(value, indent=2) + "\n").encode()


def camel_case(name):
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def shown(entry):
    fields = {camel_case(name): value for name, value in asdict(entry).items() if value is not None}
    return {name: value.hex() if isinstance(value, bytes) else value for name, value in fields.items()}


def manifests():
    """The version, the file's name, the rule, the outcome for a reader that takes version 1, the bytes."""
    for version, before, good_ones, bad_ones in [
        (3, "v3-", good_of_version_3(), bad_of_version_3()), (2, "", good(), bad()), (1, "v1-", good_of_version_1(), bad_of_version_1())
    ]:
        for name, rule, data in good_ones:
            yield version, f"{before}{name}.manifest", rule, "ok", data
        for name, rule, outcome, data in bad_ones:
            yield version, f"{before}bad-{name}.manifest", rule, outcome, data


def vectors():
    """Each file by its name, the index among them."""
    files, tests = {}, []
    for version, file, rule, allowed, data in manifests():
        assert file not in files
        files[file] = data
        outcome = "unbound-contents" if version == 1 else allowed
        test = {"file": file, "version": version, "rule": rule, "outcome": outcome, "outcomeIfAllowed": allowed}
        if allowed == "ok":
            manifest = m.read_manifest(data, allow_unbound_contents=True)
            if version == 3:
                test["number"] = manifest.number
                test["previous"] = manifest.previous and shown(manifest.previous)
            test["entries"] = [shown(entry) for entry in manifest.entries]
        tests.append(test)
    description = [
        "The rules of docs/spec/manifest.md, a small manifest for each. Written by research/reference/manifest_kit.py.",
        "version: that of the rules that the file keeps or breaks.",
        "outcome: what a reader says. outcomeIfAllowed: what it says if it is told to take version 1.",
        "entries: those that a reader finds where either is ok; in version 3 number and previous, too. Bytes are"
        " hexadecimal.",
    ]
    return files | payloads() | {"index.json": as_json({"description": description, "tests": tests})}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    written = vectors()
    for path in FOLDER.iterdir():
        if path.name not in written:
            path.unlink()
    for name, data in written.items():
        (FOLDER / name).write_bytes(data)
