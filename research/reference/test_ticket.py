"""research/reference/ticket.py against the kit, which it regenerates."""

import hashlib
import json

import polyseal_file as pf
import pytest
import ticket as t
import ticket_kit

INDEX = json.loads((ticket_kit.FOLDER / "index.json").read_text())


def opened(test, data):
    of = {name: bytes.fromhex(test[name]) for name in ("key", "version", "context") if name in test}
    return t.read(data, [pf.KeyFile(of["key"])], of["version"], of.get("context"))


@pytest.mark.parametrize("test", INDEX["tests"], ids=lambda test: test["file"])
def test_kit(test):
    data = (ticket_kit.FOLDER / test["file"]).read_bytes()
    if test["outcome"] != "ok":
        with pytest.raises((t.Refused, pf.Refused)) as refused:
            opened(test, data)
        outcome = refused.value.outcome
        assert getattr(outcome, "value", outcome) == test["outcome"]
        return
    ticket = opened(test, data)
    assert ticket.n == test["bytes"]
    plaintext, s = ticket_kit.message(ticket.n), ticket.header.segment_size
    order = reversed(range(ticket.segments()))
    segments = {i: ticket.seal_segment(i, plaintext[i * s:][:s]) for i in order}
    stored = ticket.before() + b"".join(segments[i] for i in range(ticket.segments()))
    assert hashlib.sha256(stored).hexdigest() == test["stored_sha256"]


def test_the_kit_is_what_is_written():
    written = ticket_kit.vectors()
    assert {path.name: path.read_bytes() for path in ticket_kit.FOLDER.iterdir()} == written


def test_every_byte_of_a_ticket_counts():
    [test] = [test for test in INDEX["tests"] if test["file"] == "workers.ticket"]
    data = (ticket_kit.FOLDER / test["file"]).read_bytes()
    for at in range(0, len(data), 7):
        altered = data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]
        with pytest.raises((t.Refused, pf.Refused)):
            opened(test, altered)
