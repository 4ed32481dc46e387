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
    index = {"key": KEY.hex(), "tests": tests}
    yield "index.json", (json.dumps(index, indent=1) + "\n").encode()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, data in files():
        (FOLDER / name).write_bytes(data)
