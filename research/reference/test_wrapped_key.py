import json

import pytest

from wrapped_key import VECTORS, Refused, parse, vectors, wrap

DOCUMENT = json.loads(VECTORS.read_text())
KEY = bytes.fromhex(DOCUMENT["key"])


@pytest.mark.parametrize("case", DOCUMENT["files"], ids=lambda case: case["name"])
def test_the_verdict(case):
    try:
        verdict = "good" if parse(case["file"].encode()).is_of(KEY) else "check"
    except Refused:
        verdict = "refused"
    assert verdict == case["verdict"]


def test_the_vectors_are_those_that_are_made():
    assert [(case["name"], case["verdict"], case["file"]) for case in DOCUMENT["files"]] == list(vectors())


def test_another_key_is_not_taken():
    file = wrap(KEY, "tpm:", [("a", "1")], None, None, b"blob").file()
    assert parse(file.encode()).is_of(KEY)
    assert not parse(file.encode()).is_of(KEY[::-1])
