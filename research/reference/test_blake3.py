"""research/reference/blake3.py against the designers' test vectors."""

import json
from pathlib import Path

import pytest

import blake3

VECTORS = json.loads((Path(__file__).resolve().parents[2] / "vectors/internal/blake3.json").read_text())


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: str(case["input_len"]))
def test_published(case):
    data = bytes(i % 251 for i in range(case["input_len"]))
    key, context = VECTORS["key"].encode(), VECTORS["context_string"]
    n = len(case["hash"]) // 2
    assert blake3.hash(data, n).hex() == case["hash"]
    assert blake3.keyed_hash(key, data, n).hex() == case["keyed_hash"]
    assert blake3.derive_key(context, data, n).hex() == case["derive_key"]


@pytest.mark.parametrize("n", [0, 1, 32, 64])
def test_a_shorter_output_is_how_a_longer_one_begins(n):
    assert blake3.hash(b"input", n) == blake3.hash(b"input", 65)[:n]
    assert len(blake3.hash(b"input")) == 32
