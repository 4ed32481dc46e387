# SPDX-License-Identifier: Apache-2.0 OR MIT
"""research/hw/sim/lwc.py writes instructions, headers and status words as the LWC hardware API has them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "sim"))

import lwc  # noqa: E402


def words(script, file):
    return [line for line in script.files[file] if line.startswith(("INS", "HDR", "STT"))]


def test_empty_messages():
    script = lwc.plain("sha256", 0, [(0, 0)], nonces=(12,))
    nonce = ["HDR = D600000C", "HDR = 12000000"]
    assert words(script, "sdi") == ["INS = 40000000", "HDR = C7000020"]
    assert words(script, "pdi") == ["INS = 70000000", "INS = 20000000", *nonce, "HDR = 43000000",
                                    "INS = 30000000", *nonce, "HDR = 52000000", "HDR = 83000010"]
    assert words(script, "do") == ["HDR = 52000000", "HDR = 83000010", "STT = E0000000", "HDR = 43000000", "STT = E0000000"]


def test_segments():
    script = lwc.plain("sha256", 0, [(33, 33)], most=32, nonces=(12,))
    head = ["HDR = D200000C", "HDR = 10000020", "HDR = 12000001"]
    assert words(script, "pdi")[1:] == ["INS = 20000000", *head, "HDR = 40000020", "HDR = 47000001",
                                        "INS = 30000000", *head, "HDR = 50000020", "HDR = 56000001", "HDR = 83000010"]
    assert words(script, "do") == ["HDR = 50000020", "HDR = 52000001", "HDR = 83000010", "STT = E0000000",
                                   "HDR = 40000020", "HDR = 43000001", "STT = E0000000"]


def test_only_associated_data():
    script = lwc.plain("sha256", 0, [(0, 1)], nonces=(12,))
    assert words(script, "pdi")[1:5] == ["INS = 20000000", "HDR = D200000C", "HDR = 16000001", "HDR = 43000000"]


def test_what_is_altered_is_answered_by_failure_alone():
    script = lwc.Script("sha256", 0)
    script.new_key()
    script.open(5, 40, "tag")
    assert words(script, "do") == ["STT = F0000000"]
