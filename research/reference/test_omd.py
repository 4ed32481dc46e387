"""research/reference/omd.py against every vector that is not its own work, against hashlib, and against itself."""

import hashlib

import pytest

import omd
import omd_vectors
from aegis import VerificationFailed, xor
from aegis_vectors import flip, shake
from omd import BLAKE2B, NAMED, SHA256, SHA512
from omd_vectors import RULES, VECTORS
from test_aegis import cases, check_aead

FAMILIES = list(omd.HASHES)
KEY, NONCE, AD = bytes(range(64)), bytes(range(100, 163)), b"associated data"
LENGTHS = [0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 300]


def sealed(alg, M, A=AD, tag=None):
    """Ciphertext and tag, and the rest of what Decrypt takes."""
    rest = A, KEY[:alg.KEY], NONCE[:alg.NONCE]
    return *alg.Encrypt(M, *rest, 8 * (tag or alg.TAG)), rest


def refuses(alg, C, T, rest):
    try:
        alg.Decrypt(C, T, *rest)
    except VerificationFailed:
        return True
    return False


# ── Vectors ─────────────────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("name", FAMILIES)
def test_vectors(name):
    for group, test in cases(name):
        check_aead(omd.algorithm(name, group.get("params")), group, test)


def test_the_vectors_of_others_are_all_here():
    """Regenerating keeps them as it finds them, so count what the sources hold: of each rule."""
    def count(name, flag):
        tests = [(g, t) for g, t in cases(name) if flag in t["flags"]]
        assert all(omd_vectors.outside(g) and t["result"] == "valid" for g, t in tests)
        return [sum(g.get("params", {}) == params for g, _ in tests) for params in RULES]
    assert {name: (count(name, "Caesar"), count(name, "Model")) for name in FAMILIES} == {
        "omd-sha256": ([6 * 34, 6 * 34 + 17, 6 * 34], [22, 5, 0]),
        "omd-sha512": ([3 * 34, 3 * 34 + 17, 3 * 34], [22, 5, 0]),
        "omd-blake2b": ([0, 0, 0], [52, 52, 0])}
    outside = sum(omd_vectors.outside(g) for name in FAMILIES for g, _ in cases(name))
    assert outside == 27 * 34 + 2 * 2 * 22 + 2 * 52


def test_the_rules_agree_on_inputs_that_are_not_empty():
    """So they do in the submission, whose two codes differ on the others alone."""
    for name in FAMILIES:
        secure, reference = ([t for g, t in cases(name) if omd_vectors.outside(g) and g.get("params", {}) == params]
                             for params in RULES[:2])
        index = {tuple(t[f] for f in ("key", "iv", "aad", "msg")): t for t in secure}
        for t in reference:
            other = index[tuple(t[f] for f in ("key", "iv", "aad", "msg"))]
            assert t["ct"] == other["ct"]
            assert (t["tag"] == other["tag"]) == bool(t["aad"] and t["msg"])


def test_regenerating_gives_the_committed_files():
    for name in FAMILIES:
        assert omd_vectors.build(name) == (VECTORS / f"{name}.json").read_text()
    assert omd_vectors.build_edges() == (VECTORS / "internal" / "omd-edges.json").read_text()


# ── Compression functions ───────────────────────────────────────────────────────────────────────

def sha2(F, data):
    """FIPS 180-4, 5.1: the padding, and the chain."""
    n = F.n
    length = (8 * len(data)).to_bytes(n // 4, "big")
    padded = data + b"\x80" + bytes(-(len(data) + 1 + n // 4) % (2 * n)) + length
    H = F.initial()
    for block in omd.blocks(padded, 2 * n):
        H = F.compress(H, block)
    return H


@pytest.mark.parametrize("F, digest", [(SHA256, hashlib.sha256), (SHA512, hashlib.sha512)], ids=["sha256", "sha512"])
def test_sha2_is_hashlibs(F, digest):
    for n in LENGTHS:
        data = shake(n, "sha2", n)
        assert sha2(F, data) == digest(data).digest()


def test_blake2b_is_hashlibs():
    for n in LENGTHS:
        data = shake(n, "blake2b", n)
        H = BLAKE2B.initial()
        *first, last = omd.blocks(data, 128)
        for i, block in enumerate(first, 1):
            H = BLAKE2B.compress(H, block, 128 * i)
        assert BLAKE2B.compress(H, last.ljust(128, b"\0"), n, 1) == hashlib.blake2b(data).digest()


# ── Masks ───────────────────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("n", omd.POLYNOMIAL)
def test_doubling(n):
    """x · 1 = x, and x^(8n) is the rest of the polynomial. The first bit is the highest power."""
    one = bytes(n - 1) + b"\x01"
    assert omd.double(one) == bytes(n - 1) + b"\x02"
    X = one
    for _ in range(8 * n):
        X = omd.double(X)
    assert X == omd.POLYNOMIAL[n].to_bytes(n, "big")
    a, b = shake(n, "a"), shake(n, "b")
    assert omd.double(xor(a, b)) == xor(omd.double(a), omd.double(b))


@pytest.mark.parametrize("name", FAMILIES)
def test_the_masks_have_no_last_one(name):
    keyed = omd.Keyed(omd.algorithm(name), KEY[:16], 128)
    X = keyed.Ls
    for i in range(65):
        assert keyed.L(i) == omd.double(omd.double(X))
        X = omd.double(X)
    assert [omd.ntz(i) for i in (1, 2, 3, 4, 6, 8, 2**25, 2**63)] == [0, 1, 0, 2, 1, 3, 25, 63]


@pytest.mark.parametrize("name", FAMILIES)
def test_no_mask_occurs_twice(name):
    """The masks of a message and its associated data: the sets that the proof wants apart, each with its inputs."""
    keyed = omd.Keyed(omd.algorithm(name), KEY[:16], 128)
    D, masks = bytes(keyed.n), [keyed.Ls]
    for i in range(1, 70):
        D = xor(D, keyed.L(omd.ntz(i)))
        masks += [D, xor(D, keyed.Ls), xor(D, keyed.Ls2), xor(D, keyed.Ls3)]
    assert len(set(masks)) == len(masks)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_number_of_calls(name, monkeypatch):
    """ℓ + a + 2, of which an empty input has one, or under the legacy rules none; one more for the key."""
    n, calls = omd.HASHES[name].n, []
    compress = type(omd.HASHES[name]).compress
    monkeypatch.setattr(type(omd.HASHES[name]), "compress", lambda *args: calls.append(args) or compress(*args))
    for params in RULES:
        for aad, a in ((0, 0 if params else 1), (1, 1), (2 * n, 1), (2 * n + 1, 2), (6 * n, 3)):
            for msg, blocks in ((0, 0 if params else 1), (1, 1), (n, 1), (n + 1, 2), (5 * n, 5)):
                calls.clear()
                omd.algorithm(name, params).Encrypt(bytes(msg), bytes(aad), KEY[:16], NONCE[:12], 128)
                assert len(calls) == blocks + a + 2 + 1


# ── Properties ──────────────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("params", RULES, ids=str)
@pytest.mark.parametrize("name", FAMILIES)
def test_every_changed_byte_is_refused(name, params):
    alg = omd.algorithm(name, params)
    C, T, (A, K, N) = sealed(alg, b"message", b"ad")
    assert alg.Decrypt(C, T, A, K, N) == b"message"
    good = {"C": C, "T": T, "A": A, "K": K, "N": N}
    for part, value in good.items():
        for byte in range(len(value)):
            changed = list((good | {part: flip(value, 8 * byte + byte % 8)}).values())
            with pytest.raises(VerificationFailed):
                alg.Decrypt(*changed)


@pytest.mark.parametrize("name", FAMILIES)
def test_wrong_sizes_are_refused(name):
    alg = omd.algorithm(name)
    C, T, (A, K, N) = sealed(alg, b"message")
    n = alg.n
    for T_, K_, N_ in ((b"", K, N), (T.ljust(n + 1, b"\0"), K, N), (T, b"", N), (T, bytes(n + 1), N),
                       (T, K, bytes(n))):
        with pytest.raises(ValueError):
            alg.Decrypt(C, T_, A, K_, N_)
        with pytest.raises(ValueError):
            alg.Encrypt(b"message", A, K_, N_, 8 * len(T_))
    with pytest.raises(ValueError):
        alg.Encrypt(b"message", A, K, N, 12)


@pytest.mark.parametrize("name", FAMILIES)
def test_any_size_opens_what_it_sealed(name):
    n = omd.HASHES[name].n
    for sizes in [*NAMED[name], *omd_vectors.odd_sizes(n)]:
        key, nonce, tag = sizes
        for params in RULES:
            alg = omd.algorithm(name, params)
            M = shake(n + 3, "sizes")
            C, T = alg.Encrypt(M, AD, KEY[:key], NONCE[:nonce], 8 * tag)
            assert len(T) == tag and alg.Decrypt(C, T, AD, KEY[:key], NONCE[:nonce]) == M


@pytest.mark.parametrize("name", FAMILIES)
def test_the_least_sizes_are_apart(name):
    """Nonces of two lengths never meet, tags of two lengths have nothing in common; but keys are filled with zeros."""
    alg = omd.algorithm(name)
    N = NONCE[:8]
    seen = {alg.Encrypt(b"message", AD, KEY[:16], N_, 128) for N_ in (N, N + b"\0", N + b"\x80", N + b"\x80\0", N[:-1])}
    assert len(seen) == 5
    tags = [alg.Encrypt(b"message", AD, KEY[:16], N, tau)[1] for tau in (64, 128)]
    assert tags[0] != tags[1][:8]
    assert alg.Encrypt(b"message", AD, KEY[:16], N, 128) == alg.Encrypt(b"message", AD, KEY[:16] + b"\0", N, 128)


@pytest.mark.parametrize("name", FAMILIES)
def test_one_query_forges_under_the_legacy_rules_alone(name):
    for params in RULES:
        alg = omd.algorithm(name, params)
        for A in (b"", AD):
            M = shake(alg.n + 1, "seen")
            C, _, rest = sealed(alg, M, A)
            forged = b"", xor(C, M)[:alg.TAG], (b"", *rest[1:])
            assert refuses(alg, *forged) == (params == {})


def test_choices():
    with pytest.raises(AssertionError):
        omd.Omd("omd-sha256", omd.SECURE, version=1)
    assert omd.algorithm("omd-sha512", {"version": 1}).rule == omd.REFERENCE
    assert omd.algorithm("omd-sha512").rule == omd.SECURE


def test_the_edges_are_twelve_by_twelve():
    for name in FAMILIES:
        aads, msgs = omd_vectors.edge_lengths(omd.HASHES[name].n)
        assert len(set(aads)) == len(set(msgs)) == 12
