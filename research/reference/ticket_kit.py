"""Writes vectors/ticket: tickets of section 14 of docs/spec/file-format.md, good and bad ones.

    python3 research/reference/ticket_kit.py        rewrites them, to the same bytes
"""

import hashlib
import json
from pathlib import Path

import polyseal_file as pf
import ticket as t

FOLDER = Path(__file__).resolve().parents[2] / "vectors" / "ticket"
OWNER, WORKER = b"\x11" * 32, b"\x22" * 32
FILE_KEY, FILE_SALT = bytes(range(32)), bytes(range(32, 64))
VERSION = b'"9a0364b9e99bb480dd25e1f0284c8555"'
CONTEXT = b"backup of 3 May"


def message(n):
    """Byte i is the highest byte of i times 0x9e3779b9, modulo 2^32."""
    return bytes((i * 0x9E37_79B9 & 0xFFFF_FFFF) >> 24 for i in range(n))


def stanzas_for(key):
    return lambda F: [pf.key_file_stanza(F, key, b"\x33" * 32, FILE_KEY)]


def sealed(n, suite=pf.DEFAULT_SUITE, context=None):
    return pf.write_file(message(n), FILE_KEY, FILE_SALT, stanzas_for(OWNER), suite=suite, context=context,
                         segment_size=4096, P=4096)


def header(data):
    return data[:pf.parse_header(data).P]


def for_workers(data):
    return header(pf.change_recipients(data, [pf.KeyFile(OWNER)], lambda F, _: stanzas_for(WORKER)(F)))


def made(n, suite=pf.DEFAULT_SUITE, context=None, detached=False, workers=False, v=VERSION):
    """A ticket, and what is stored in the end."""
    data = sealed(n, suite, context)
    head = header(data)
    ticket = t.write(head, FILE_KEY, n, v, detached, for_workers(data) if workers else b"")
    return ticket, data[len(head):] if detached else data


def good():
    yield "plain", "For who can open the file.", made(10_000), {"bytes": 10_000}
    yield "empty", "A file without contents has one segment.", made(0), {"bytes": 0}
    yield "full", "The last segment is full.", made(8192), {"bytes": 8192}
    yield "detached", "Flag 1: the header is kept elsewhere.", made(5000, detached=True), {"bytes": 5000}
    yield "workers", "Flag 2: for others than the file.", made(5000, workers=True), {"bytes": 5000, "key": WORKER}
    yield "both", "Both flags.", made(5000, detached=True, workers=True), {"bytes": 5000, "key": WORKER}
    yield "context", "A context is needed as it is to open the file.", made(5000, context=CONTEXT), {
        "bytes": 5000, "context": CONTEXT}
    yield "suite", "Another suite has other nonces and tags.", made(5000, suite="kc-xaes-256-gcm"), {"bytes": 5000}
    yield "version-one", "The version of a source has a byte or more,", made(1, v=b"\0"), {
        "bytes": 1, "version": b"\0"}
    yield "version-most", "and 4096 at most.", made(1, v=b"v" * 4096), {"bytes": 1, "version": b"v" * 4096}


def with_mac(B):
    return B + pf.HMAC(t.ticket_key(FILE_KEY, FILE_SALT), B)


def bad():
    data = sealed(5000)
    head, workers = header(data), for_workers(data)
    whole = t.write(head, FILE_KEY, 5000, VERSION)
    theirs = t.write(head, FILE_KEY, 5000, VERSION, workers=workers)
    none, B = "not-a-ticket", whole[:-32]
    yield "nothing", "It has 121 bytes or more.", none, b"", {}
    yield "file", "A file is no ticket.", none, data, {}
    yield "magic", "It begins as a ticket.", none, with_mac(b"P" + B[1:]), {}
    yield "version", "There is one version.", none, with_mac(B[:15] + b"\2" + B[16:]), {}
    yield "flags", "The other flags are zero.", none, t.write(head, FILE_KEY, 5000, VERSION, flags=4), {}
    yield "mac", "The MAC is that of the ticket.", none, B + bytes(32), {}
    yield "length", "The MAC is over the length,", none, B[:17] + b"\1" + B[18:] + whole[-32:], {}
    yield "detached", "and over the flags.", none, B[:16] + b"\1" + B[17:] + whole[-32:], {}
    yield "header-mac", "The header is authentic.", "header-not-authentic", with_mac(B[:-1] + bytes([B[-1] ^ 1])), {}
    yield "header-cut", "The header is whole.", "truncated-header", with_mac(B[:-1]), {}
    yield "behind", "Nothing is behind the header.", none, with_mac(B + b"\0"), {}
    yield "workers-behind", "Nor is a header that no flag tells of.", none, with_mac(B + workers), {}
    yield "workers-missing", "What a flag tells of is there.", "not-a-polyseal-file", t.write(
        head, FILE_KEY, 5000, VERSION, flags=2), {}
    yield "workers-only", "Whoever opens the file is none of the workers.", "no-matching-key", theirs, {}
    yield "other-key", "It is for a key.", "no-matching-key", whole, {"key": WORKER}
    yield "source", "It is for one version of the source.", "source-changed", whole, {"version": VERSION + b"1"}
    contextual, _ = made(5000, context=CONTEXT)
    yield "context-missing", "The context is needed.", "context-missing", contextual, {}
    yield "context-differs", "It is the file's.", "context-differs", contextual, {"context": CONTEXT + b"1"}


def test_of(name, rule, outcome, how):
    """The key is the owner's, and the version this one, if nothing else is said."""
    how = {"key": OWNER, "version": VERSION} | how
    shown = {k: v.hex() if isinstance(v, bytes) else v for k, v in how.items()}
    return {"file": f"{name}.ticket", "rule": rule, "outcome": outcome} | shown


def vectors():
    """Each file by its name, the index among them."""
    files, tests = {}, []
    for name, rule, (ticket, stored), how in good():
        files[f"{name}.ticket"] = ticket
        tests.append(test_of(name, rule, "ok", how) | {"stored_sha256": hashlib.sha256(stored).hexdigest()})
    for name, rule, outcome, ticket, how in bad():
        files[f"bad-{name}.ticket"] = ticket
        tests.append(test_of(f"bad-{name}", rule, outcome, how))
    description = [
        "Tickets of section 14 of docs/spec/file-format.md. Written by research/reference/ticket_kit.py.",
        "key is a key file, version that of the source, context is needed if it is there; in hexadecimal.",
        "outcome: ok comes with the bytes of the plaintext and the SHA-256 of what is stored of it. Byte i of a",
        "plaintext is the highest byte of i times 0x9e3779b9, modulo 2^32.",
    ]
    index = json.dumps({"description": description, "tests": tests}, indent=2) + "\n"
    return files | {"index.json": index.encode()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, data in vectors().items():
        (FOLDER / name).write_bytes(data)
