"""research/reference/gcm.py against every vector that is not its own work, against a library, and against itself."""

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import aegis
import gcm
import gcm_vectors
from aegis_vectors import flip, shake
from gcm_vectors import VECTORS
from test_aegis import cases, check_aead, h, load

KEY, NONCE = bytes(range(32)), bytes(range(100, 132))


def sealed(name, msg, ad):
    """The algorithm, what it made of msg, and the rest of what Decrypt takes."""
    alg = gcm_vectors.algorithm(name)
    rest = ad, KEY[:alg.KEY], NONCE[:alg.NONCE]
    return alg, *alg.Encrypt(msg, *rest, 8 * alg.TAG), rest


@pytest.mark.parametrize("name", gcm.NAMES)
def test_vectors(name):
    for group, test in cases(name):
        check_aead(gcm.algorithm(name), group, test)


def test_wycheproof_gcm():
    for group, test in cases("wycheproof-aes-gcm"):
        alg = gcm.Gcm(group["keySize"] // 8)
        if group["ivSize"] == 0:
            assert test["result"] == "invalid"
            with pytest.raises(ValueError):
                alg.Decrypt(*(h(test[f]) for f in ("ct", "tag", "aad", "key", "iv")))
        else:
            check_aead(alg, group, test)


def test_wycheproof_cmac():
    for group, test in cases("wycheproof-aes-cmac"):
        key, msg, tag = (h(test[f]) for f in ("key", "msg", "tag"))
        if group["keySize"] in (128, 192, 256):
            assert (gcm.CMAC(key, msg) == tag) == (test["result"] == "valid"), test["tcId"]
        else:
            assert test["result"] == "invalid"
            with pytest.raises(ValueError):
                gcm.CMAC(key, msg)


def test_cmac():
    published = load("internal/cmac")
    for t in published["subkeys"]:
        assert [K.hex() for K in gcm.subkeys(h(t["key"]))] == [t["K1"], t["K2"]]
    for t in published["tests"]:
        assert gcm.CMAC(h(t["key"]), h(t["msg"])).hex() == t["tag"]
    assert len(published["tests"]) == published["numberOfTests"] == 8


def test_kbkdf():
    count = 0
    for group in load("internal/kbkdf-ctr-cmac")["groups"]:
        r, location = group["counterLength"], group["counterLocation"]
        for t in group["tests"]:
            assert gcm.KBKDF(h(t["key"]), h(t["fixedData"]), t["L"] // 8, r, location).hex() == t["K_O"]
            count += 1
    assert count == load("internal/kbkdf-ctr-cmac")["numberOfTests"] == 320


def test_the_published_vectors_are_all_here():
    """Regenerating keeps the published groups as it finds them, so count what the sources hold."""
    def published(name):
        return sum(group["source"] != gcm_vectors.made_by(name) for group, _ in cases(name))
    assert {name: published(name) for name in gcm_vectors.names() if published(name)} == {
        "aes-128-gcm": 6, "aes-256-gcm": 6 + 300, "aes-256-gcm-siv": 26 + 77, "xaes-256-gcm": 3,
        "kc-xaes-256-gcm": 3 + 30, "dndk-gcm": 6, "hkdf-committed-aes-256-gcm": 4}


# ── Inside ──────────────────────────────────────────────────────────────────────────────────────

def test_multiplication_is_that_of_a_field():
    one = gcm.block(1 << 127)
    a, b, c = (shake(16, "field", x) for x in "abc")
    assert gcm.multiply(a, one) == a and gcm.multiply(a, b) == gcm.multiply(b, a)
    assert gcm.multiply(a, gcm.multiply(b, c)) == gcm.multiply(gcm.multiply(a, b), c)
    assert gcm.multiply(a, gcm.inverse(a)) == one


@pytest.mark.parametrize("key_bytes", (16, 24, 32))
def test_gcm_is_the_librarys(key_bytes):
    for n in range(100):
        msg, ad, nonce = shake(3 * n, "msg", n), shake(2 * n, "ad", n), shake(8 + n, "nonce", n)
        C, T = gcm.Gcm(key_bytes).Encrypt(msg, ad, KEY[:key_bytes], nonce)
        assert C + T == AESGCM(KEY[:key_bytes]).encrypt(nonce, msg, ad)


def test_the_counter_wraps_where_the_vectors_say():
    count = 0
    for name in gcm.KEYS:
        for group, test in cases(name):
            if "CounterWrap" in test["flags"]:
                J0 = gcm.J0(gcm.AES(h(test["key"]), bytes(16)), h(test["iv"]))
                blocks = -(-len(h(test["msg"])) // 16)
                assert test["comment"].startswith(f"J0 ends in {J0[12:].hex()}")
                assert gcm.number(J0[12:]) + blocks >= 2**32
                count += 1
    assert count == 2 * 2 * 14


# ── Properties ──────────────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("name", gcm_vectors.names())
def test_every_changed_byte_is_refused(name):
    alg, ct, tag, (ad, key, nonce) = sealed(name, b"message", b"ad")
    assert alg.Decrypt(ct, tag, ad, key, nonce) == b"message"
    good = {"C": ct, "T": tag, "A": ad, "K": key, "N": nonce}
    for part, value in good.items():
        for byte in range(len(value)):
            changed = list((good | {part: flip(value, 8 * byte + byte % 8)}).values())
            with pytest.raises(aegis.VerificationFailed):
                alg.Decrypt(*changed)


@pytest.mark.parametrize("name", gcm_vectors.names())
def test_wrong_sizes_are_refused(name):
    """A commitment can neither be left out nor cut."""
    alg, ct, tag, (ad, key, nonce) = sealed(name, b"message", b"ad")
    wrong = [(tag[:n], key, nonce) for n in (0, 4, 11, 16, 31, 32, 47) if n < alg.TAG]
    wrong += [(tag + b"\0", key, nonce), (tag, key[1:], nonce), (tag, key + key, nonce), (tag, key, b"")]
    wrong += [] if name in gcm.KEYS else [(tag, key, nonce[1:]), (tag, key, nonce + b"\0")]
    for T, K, N in wrong:
        with pytest.raises(ValueError):
            alg.Decrypt(ct, T, ad, K, N)


def test_padding_fix():
    """Where the padding is not zero, GCM itself has nothing to say."""
    alg = gcm.Gcm(32)
    count = 0
    for _, test in cases("padding-fix-aes-256-gcm"):
        if "ModifiedCommitment" in test["flags"] and "padding" in test["comment"]:
            T, C0 = h(test["tag"])[:16], h(test["tag"])[16:]
            P = alg.Decrypt(C0 + h(test["ct"]), T, h(test["aad"]), h(test["key"]), h(test["iv"]))
            assert P[:32] != bytes(32) and P[32:] == h(test["msg"])
            count += 1
    assert count == 4


@pytest.mark.parametrize("name", [name for name in gcm.NAMES if name.startswith("ctx-")])
def test_ctx_keeps_the_ciphertext(name):
    alg, ct, tag, rest = sealed(name, bytes(100), b"ad")
    inner_ct, inner_tag = alg.aead.Encrypt(bytes(100), *rest)
    assert ct == inner_ct and alg.Open(ct, *rest) == (bytes(100), inner_tag)
    assert tag == alg.star(inner_tag, *rest)


@pytest.mark.parametrize("t", load("attacks/gcm-collisions")["collisions"],
                         ids=lambda t: "-".join([t["algorithm"], *map(str, t.get("params", {}).values())]))
def test_collisions(t):
    """Not a defect of the implementation: GCM does not commit, nor does GCM-SIV. T is right under both keys."""
    alg = gcm_vectors.algorithm(t["algorithm"], t.get("params"))
    ct, tag, ad, key1, key2, nonce = (h(t[f]) for f in ("ct", "tag", "aad", "key1", "key2", "nonce"))
    assert h(t["msg1"]).startswith(b"Alice is to be paid")
    assert h(t["msg2"])[32:].startswith(b"Mallory is to be paid")
    assert alg.Encrypt(h(t["msg1"]), ad, key1, nonce, 8 * alg.TAG) == (ct, tag)
    assert alg.Decrypt(ct, tag, ad, key1, nonce) == h(t["msg1"])
    if t["opensUnderKey2"]:
        assert alg.Decrypt(ct, tag, ad, key2, nonce) == h(t["msg2"])
    else:
        with pytest.raises(aegis.VerificationFailed):
            alg.Decrypt(ct, tag, ad, key2, nonce)
    if t["algorithm"] == gcm_vectors.SIV:
        return
    padded = tag[16:] + ct if isinstance(alg, gcm.PaddingFix) else ct
    (K1, N1), (K2, N2) = (gcm_vectors.inner(alg, K, nonce) for K in (key1, key2))
    assert gcm.Gcm(len(K1)).tag(padded, ad, K1, N1) == gcm.Gcm(len(K2)).tag(padded, ad, K2, N2)


# ── The files ───────────────────────────────────────────────────────────────────────────────────

def test_regenerating_gives_the_committed_files():
    for file, text in gcm_vectors.files().items():
        assert text == (VECTORS / file).read_text(), file
