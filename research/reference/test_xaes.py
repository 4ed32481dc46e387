"""research/reference/xaes.py against every vector that is not its own work, and its keys against KBKDF."""

import hashlib

import pytest

import gcm
import xaes
from aegis_vectors import shake
from test_aegis import cases, check_aead, h, load


@pytest.mark.parametrize("name", xaes.NONCES)
def test_vectors(name):
    for group, test in cases(name):
        check_aead(xaes.algorithm(name, group.get("params"), group["ivSize"] // 8), group, test)


# ── Inside values ───────────────────────────────────────────────────────────────────────────────

def kbkdf_of_K_U(K, N):
    return gcm.KBKDF(K, b"X\x00" + N[:12], 32, 16, "before")


def kbkdf_of_K_C(K, N):
    return gcm.KBKDF(K, b"XCMT" + N[:12] + N[-12:] + bytes([24 - len(N)]) + b"\x01\x00", 32, 8, "after")


def test_xaes_derivation():
    """Each source gives some of the values; those that it gives are right."""
    derivation = load("internal/kc-xaes-derivation")
    for t in derivation["tests"]:
        K, N = h(t["key"]), h(t["nonce"])
        K1, _ = gcm.subkeys(K)
        U, V = N[:12], N[-12:]
        X1 = gcm.AES(K, b"XCMT" + U)
        ours = {
            "L": gcm.AES(K, bytes(16)), "K1": K1, "M1": b"\x00\x01X\x00" + U, "M2": b"\x00\x02X\x00" + U,
            "X1": X1, "W1": gcm.xor(X1, V + bytes([24 - len(N), 1, 0, 1]), K1),
            "W2": gcm.xor(X1, V + bytes([24 - len(N), 1, 0, 2]), K1),
            "K_U": xaes.xaes(K, N)[0], "IV": xaes.xaes(K, N)[1], "K_C": xaes.kc_xaes(K, N)}
        for field in t.keys() - {"source", "key", "nonce"}:
            assert ours[field].hex() == t[field], field
        assert h(t["K_U"]) == kbkdf_of_K_U(K, N)
        assert "K_C" not in t or h(t["K_C"]) == kbkdf_of_K_C(K, N)
    assert len(derivation["tests"]) == derivation["numberOfTests"] == 3 + 33


@pytest.mark.parametrize("b", range(20, 25))
def test_derived_values_are_kbkdfs(b):
    for i in range(20):
        K, N = shake(32, "K", b, i), shake(b, "N", b, i)
        assert xaes.xaes(K, N)[0] == kbkdf_of_K_U(K, N)
        assert xaes.kc_xaes(K, N) == kbkdf_of_K_C(K, N)


def test_dndk_derivation():
    for t in load("internal/dndk-derivation")["tests"]:
        K, N = h(t["key"]), h(t["nonce"])
        DK, K_C = xaes.dndk_v1(K, N) if t["version"] == 1 else xaes.dndk_v2(K, N, t["kc"])
        assert DK.hex() == t["DK"]
        assert not t["kc"] or K_C.hex() == t["K_C"]
        scheme = xaes.dndk(t["version"], t["kc"], len(N))
        assert getattr(scheme, "scheme", scheme).derive(K, N) == (DK, h(t["IV"]))


def test_hkdf_derivation():
    for t in load("internal/hkdf-derivation")["tests"]:
        K, N = h(t["key"]), h(t["nonce"])
        assert xaes.hkdf(K, N) == (h(t["dataKey"]), bytes(12)) and xaes.kc_hkdf(K, N).hex() == t["commitment"]


# ── Accumulated ─────────────────────────────────────────────────────────────────────────────────

def accumulated(name, count):
    alg = xaes.algorithm(name)
    stream = hashlib.shake_128().digest(count * (32 + 24 + 2 + 2 * 255))
    outputs, at = hashlib.shake_128(), 0

    def take(n):
        nonlocal at
        at += n
        return stream[at - n:at]

    for _ in range(count):
        K, N = take(32), take(24)
        P = take(take(1)[0])
        A = take(take(1)[0])
        C, T = alg.Encrypt(P, A, K, N, 8 * alg.TAG)
        outputs.update(C + T)
    return outputs.hexdigest(32)


@pytest.mark.parametrize("name", ("xaes-256-gcm", "kc-xaes-256-gcm"))
def test_accumulated(name):
    assert accumulated(name, 10_000) == load("internal/xaes-accumulated")[name]["10000"]


# ── Properties ──────────────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("committing, plain", [
    (xaes.algorithm("kc-xaes-256-gcm"), xaes.algorithm("xaes-256-gcm")),
    (xaes.algorithm("h-kc-aes-256-gcm"), xaes.algorithm("h-aes-256-gcm")),
    (xaes.dndk(1, True, 24), xaes.dndk(1, False, 24)),
], ids=("kc-xaes", "h-kc-aes", "dndk-v1"))
def test_the_commitment_only_adds(committing, plain):
    args = b"message", b"ad", bytes(range(32)), bytes(range(24))
    (ct, tag), (plain_ct, T) = committing.Encrypt(*args), plain.Encrypt(*args)
    assert ct == plain_ct and tag == T + committing.commit(*args[2:])


def test_dndk_v2_derives_another_key_with_the_commitment_and_for_each_length():
    K, N = bytes(range(32)), bytes(12)
    keys = {xaes.dndk_v2(K, N + bytes(n), kc)[0] for n in range(16) for kc in (False, True)}
    assert len(keys) == 32


@pytest.mark.parametrize("b", range(20, 24))
def test_nonces_of_two_lengths_share_a_gcm_nonce(b):
    """Not a defect of the implementation: why a key is bound to one length. Only K_C tells the two apart."""
    K, N = bytes(range(32)), bytes(range(b))
    stretched = N[:12] + N[-12:]
    assert xaes.xaes(K, N) == xaes.xaes(K, stretched)
    assert xaes.kc_xaes(K, N) != xaes.kc_xaes(K, stretched)
    (C, T), (C_, T_) = (xaes.algorithm("kc-xaes-256-gcm", None, len(n)).Encrypt(b"message", b"", K, n)
                        for n in (N, stretched))
    assert C == C_ and T[:16] == T_[:16] and T[16:] != T_[16:]


def test_confused_nonces_are_refused_by_the_commitment_alone():
    alg, count = xaes.algorithm("xaes-256-gcm"), 0
    for _, test in cases("kc-xaes-256-gcm"):
        if "ConfusedNonces" in test["flags"]:
            P = alg.Decrypt(h(test["ct"]), h(test["tag"])[:16], h(test["aad"]), h(test["key"]), h(test["iv"]))
            assert P == h(test["msg"])
            count += 1
    assert count == 4


def test_the_commitment_of_c3_is_cmacs_and_forgets_the_end_of_the_nonce():
    K, N = bytes(range(32)), bytes(range(24))
    assert xaes.kc_c3(K, N) == b"".join(gcm.CMAC(K, bytes([i]) + N[:15]) for i in (1, 2))
    assert xaes.kc_c3(K, N) == gcm.KBKDF(K, N[:15], 32, 8, "before")
    assert xaes.kc_c3(K, N) == xaes.kc_c3(K, N[:15] + bytes(9)) != xaes.kc_c3(K, bytes(1) + N[:14] + N[15:])


def test_the_padding_fix_is_inside_the_derived_scheme():
    K, N, P, A = bytes(range(32)), bytes(range(24)), b"message", b"ad"
    C, T = xaes.algorithm("padding-fix-xaes-256-gcm").Encrypt(P, A, K, N)
    inner, tag = xaes.algorithm("xaes-256-gcm").Encrypt(bytes(32) + P, A, K, N)
    assert (C, T) == (inner[32:], tag + inner[:32])


@pytest.mark.parametrize("name, params", [
    ("f-com-h-aes-256-gcm", None), ("f-com-hkdf-aes-256-gcm", None), ("f-com-dndk-gcm", {"version": 1}),
    ("f-com-dndk-gcm", {"version": 2})])
def test_f_com_over_another_derivation_only_adds(name, params):
    alg, args = xaes.algorithm(name, params), (b"message", b"ad", bytes(range(32)), bytes(range(24)))
    (C, T), plain = alg.Encrypt(*args), alg.scheme.Encrypt(*args)
    assert (C, T[:16]) == plain and T[16:] == kbkdf_of_K_C(*args[2:])


def test_aes_calls_a_message(monkeypatch):
    """Section 6 of the paper: calls more than AES-GCM has. Those with equal inputs are one, as in specification 1."""
    inputs = set()

    def counting(K, X):
        inputs.add((K, X))
        return AES(K, X)
    AES = gcm.AES
    for module in (gcm, xaes):
        monkeypatch.setattr(module, "AES", counting)
    K, N = bytes(range(32)), bytes(range(1, 25))

    def calls(*functions):
        inputs.clear()
        for f in functions:
            f(K, N)
        assert {K_ for K_, _ in inputs} <= {K}, "under the main key only"
        return len(inputs)
    measured = {
        "xaes": calls(xaes.xaes), "kc-xaes": calls(xaes.xaes, xaes.kc_xaes), "c3": calls(xaes.xaes, xaes.kc_c3),
        "dndk-v1": calls(lambda K, N: xaes.dndk_v1(K, N, False)), "dndk-v1-kc": calls(xaes.dndk_v1),
        "dndk-v2": calls(lambda K, N: xaes.dndk_v2(K, N, False)),
        "dndk-v2-kc": calls(lambda K, N: xaes.dndk_v2(K, N, True)),
        "h-kc-aes": calls(xaes.h_aes, xaes.h_kc_aes), "hkdf-committed": calls(xaes.hkdf, xaes.kc_hkdf)}
    assert measured == {"xaes": 3, "kc-xaes": 6, "c3": 5, "dndk-v1": 6, "dndk-v1-kc": 10, "dndk-v2": 3, "dndk-v2-kc": 5,
                        "h-kc-aes": 0, "hkdf-committed": 0}
