"""research/reference/gcm_siv.py against RFC 8452 and Wycheproof, and against itself."""

import pytest

import gcm
import gcm_siv
from aegis_vectors import shake
from test_aegis import cases, h


def check(group, t):
    alg = gcm_siv.Siv()
    ct, tag, aad, key, iv, msg = (h(t[f]) for f in ("ct", "tag", "aad", "key", "iv", "msg"))
    if t["result"] == "valid":
        assert alg.Encrypt(msg, aad, key, iv) == (ct, tag)
        assert alg.Decrypt(ct, tag, aad, key, iv) == msg
    else:
        with pytest.raises(gcm_siv.VerificationFailed):
            alg.Decrypt(ct, tag, aad, key, iv)


def test_vectors():
    for group, test in cases("aes-256-gcm-siv"):
        check(group, test)


def test_the_published_vectors_are_all_here():
    count = {}
    for group, _ in cases("aes-256-gcm-siv"):
        count[group["source"]["name"]] = count.get(group["source"]["name"], 0) + 1
    count.pop("research/reference/gcm_siv.py")
    assert count == {"RFC 8452, appendix C.2": 24, "RFC 8452, appendix C.3": 2,
                     "Wycheproof, aes_gcm_siv_test.json": 77}


def test_polyval():
    """RFC 8452, appendix A: the two sides of the relation between POLYVAL and GHASH, and its numbers."""
    H = h("25629347589242761d31f826ba4b757b")
    X = h("4f4f95668c83dfb6401762bb2d01a262" "d1a24ddd2721d006bbe45f20d3c9f362")
    assert gcm_siv.POLYVAL(H, X) == h("f7a3b47b846119fae5b7866cf5e5b77e")
    by_x = gcm_siv.multiply(gcm_siv.number(H[::-1]), 2).to_bytes(16, "little")
    reversed_blocks = b"".join(X[i:i + 16][::-1] for i in range(0, len(X), 16))
    assert gcm.GHASH(H, X)[::-1] == gcm_siv.POLYVAL(by_x, reversed_blocks)


def test_division():
    for i in range(10):
        a, b = (gcm_siv.number(shake(16, "division", i, which)) for which in "ab")
        assert gcm_siv.dot(gcm_siv.divide(a, b), b) == a
