"""research/reference/och.py against its vectors and itself; och_published.py against what others have published.

The mended OCH has no vectors of others. What is between it and the published code is six slips: with them it gives every
published byte, and each of them changes the bytes of some message and of no other kind (test_a_slip_shows_where_it_is).
"""

import itertools

import pytest

import och
import och_published
import och_vectors
from aegis import VerificationFailed, xor
from aegis_vectors import VECTORS, flip, shake
from flex_permutations import areion_256, areion_256_inverse, areion_512
from och import Och
from och_published import Published
from test_aegis import cases, check_aead, h, load

K, N, AD = bytes(range(32)), bytes(range(100, 132)), b"associated data"
PUBLISHED = load("internal/och-published")
VARIANTS = [False, True]


def given(hides, nonce=N):
    return b"" if hides else nonce


def refuses(O, nonce, ad, C):
    try:
        O.open(given(O.hides, nonce), ad, C)
    except VerificationFailed:
        return True
    return False


# ── Vectors ─────────────────────────────────────────────────────────────────────────────────────

def test_what_is_published():
    count = 0
    for group in PUBLISHED["groups"]:
        hides = och.NAMES[group["algorithm"]]
        for test in group["tests"]:
            key, iv, aad, msg, ct = (h(test[f]) for f in ("key", "iv", "aad", "msg", "ct"))
            P = Published(key, hides, group["slips"])
            assert P.seal(iv, aad, msg) == ct and P.open(given(hides, iv), aad, ct) == (iv, msg)
            assert Och(key, hides).seal(iv, aad, msg) != ct
            count += 1
    assert count == PUBLISHED["numberOfTests"] == 5


def test_a_published_vector_needs_each_of_its_slips_but_those_that_do_not_show():
    """d: the nonce is zero, and nothing is shifted. c and f: 32 bytes of associated data, and no tail."""
    for group in PUBLISHED["groups"][:2]:
        test, hides = group["tests"][0], och.NAMES[group["algorithm"]]
        key, iv, aad, msg, ct = (h(test[f]) for f in ("key", "iv", "aad", "msg", "ct"))
        assert {slip for slip in och_published.ALL
                if Published(key, hides, och_published.ALL - {slip}).seal(iv, aad, msg) != ct} == set("abe")


def test_published_parts():
    parts = PUBLISHED["parts"]
    key = h(parts["key"])
    for t in parts["prf"]:
        assert och.PRF(key, och.fill(h(t["in"]) + och.END)).hex() == t["out"]
    for t in parts["em"]:
        assert och.E(key, h(t["in"])).hex() == t["out"]
    for t in parts["double"]:
        assert och.double(h(t["in"])).hex() == t["out"]
    O = Och(key, False)
    assert [X.hex() for X in (O.Lstar, O.L(0), O.R(key))] == [parts[f] for f in ("lStar", "l0", "offset")]


def test_published_permutations():
    for t in PUBLISHED["permutations"]["areion-256"]:
        assert areion_256(h(t["in"])).hex() == t["out"] and areion_256_inverse(h(t["out"])).hex() == t["in"]
    for t in PUBLISHED["permutations"]["areion-512"]:
        assert areion_512(h(t["in"])).hex() == t["out"] and och.pi_512(h(t["in"])).hex() == t["unrotated"]


@pytest.mark.parametrize("name", och.NAMES)
def test_vectors(name):
    for group, test in cases(name):
        check_aead(och.algorithm(name), group, test)


def test_regenerating_gives_the_committed_files():
    for name in och.NAMES:
        assert och_vectors.build(name) == (VECTORS / f"{name}.json").read_text()
    assert och_vectors.build_edges() == (VECTORS / "internal" / "och-edges.json").read_text()


# ── Parts ───────────────────────────────────────────────────────────────────────────────────────

def test_the_offsets_are_the_sum_that_the_specification_has():
    O = Och(K, False)
    Z = R = O.R(N)
    for i in range(1, 300):
        Z = xor(Z, O.L((i & -i).bit_length() - 1))
        assert O.Z(R, i) == Z


def test_offsets_are_different():
    O = Och(K, True)
    nonces = [bytes(32), N, N[:31] + b"\0", bytes(31) + b"\x01", bytes(31) + b"\x3f", bytes(31) + b"\x40"]
    Zs = [Z for nonce in nonces for i in range(1, 70) for Z in (O.Z(O.R(nonce), i), xor(O.Z(O.R(nonce), i), O.Lstar))]
    assert len(set(Zs)) == len(Zs) == 6 * 69 * 2


def test_the_shift_is_one_of_256_bits():
    """A bit of a word's most significant byte, which is its last, comes into the word before."""
    for n in range(64):
        assert och.shift(bytes(8) + b"\x01" + bytes(23), n)[8:16] == (1 << n).to_bytes(8, "little")
    assert och.shift(bytes(15) + b"\x80" + bytes(16), 1) == b"\x01" + bytes(31)
    assert och.shift(bytes(7) + b"\x80" + bytes(24), 1) == bytes(32)
    X = shake(32, "shift")
    for n in range(1, 64):
        assert och.shift(och.shift(X, n - 1), 1) == och.shift(X, n)


def test_the_number_of_calls(monkeypatch):
    """Section 9 of the specification: beyond what belongs to the key, and without what the reference computes twice."""
    calls = {}

    def counted(name, pi):
        def call(S):
            calls[name].add(S)
            return pi(S)
        calls[name] = set()
        monkeypatch.setattr(och, name, call)
    counted("areion_256", areion_256)
    counted("areion_512", areion_512)
    for hides, n, expected in ((True, 32, (3, 2)), (True, 33, (4, 2)), (True, 64, (4, 2)), (True, 1024, (34, 2)),
                               (False, 20, (2, 3)), (False, 32, (2, 3)), (False, 64, (3, 3)), (False, 1024, (33, 3))):
        O = Och(K, hides)
        of_the_key = {name: set(of) for name, of in calls.items()}
        O.seal(N, b"", shake(n, "calls"))
        made = {name: of - of_the_key[name] for name, of in calls.items()}
        assert (len(made["areion_256"]), len(made["areion_512"])) == expected, n
        for of in calls.values():
            of.clear()


# ── Round trips ─────────────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("kind", [Och, Published])
@pytest.mark.parametrize("hides", VARIANTS)
def test_every_length_up_to_three_blocks(hides, kind):
    O, seen = kind(K, hides), set()
    for n in range(98):
        M, ad = shake(n, "och", n), shake(5 * n % 67, "och", "ad")
        C = O.seal(N, ad, M)
        assert len(C) == n + (64 if hides else 32) and O.open(given(hides), ad, C) == (N, M)
        seen.add(C[-32:])
    assert kind is Published or len(seen) == 98


@pytest.mark.parametrize("hides", VARIANTS)
def test_every_byte_counts(hides):
    O = Och(K, hides)
    for n in (0, 20, 32, 45, 64, 90):
        C = O.seal(N, AD, shake(n, "bytes", n))
        for at in range(len(C)):
            assert refuses(O, N, AD, flip(C, 8 * at + (3 * at + n) % 8))
        for other in (C[:-1], C[1:], C + b"\0", C[:-33] + C[-32:] if n else b"", b"", C[:31]):
            assert refuses(O, N, AD, other)
        for ad in (b"", AD[:-1], AD + b"\0", AD + b"\xff", flip(AD, 3)):
            assert refuses(O, N, ad, C)
        if not hides:
            assert all(refuses(O, flip(N, bit), AD, C) for bit in (0, 100, 250, 255))
        assert refuses(Och(flip(K, 9), hides), N, AD, C)


@pytest.mark.parametrize("hides", VARIANTS)
def test_a_hidden_nonce_leaves_no_trace(hides):
    """One message under two nonces: with OCH-S nothing is alike, the first block neither."""
    O, M = Och(K, hides), bytes(100)
    C, D = (O.seal(nonce, AD, M) for nonce in (N, flip(N, -1)))
    assert not any(C[i:i + 4] == D[i:i + 4] for i in range(len(C) - 4))
    assert (O.open(given(hides), AD, C), O.open(given(hides, flip(N, -1)), AD, D)) == ((N, M), (flip(N, -1), M))


def test_lengths_are_errors():
    for n in (0, 31, 33):
        with pytest.raises(ValueError, match="key"):
            Och(bytes(n), False)
        for hides in VARIANTS:
            with pytest.raises(ValueError, match="nonce"):
                Och(K, hides).seal(bytes(n), b"", b"")
    with pytest.raises(ValueError, match="nonce"):
        Och(K, True).open(N, b"", bytes(100))
    with pytest.raises(ValueError, match="nonce"):
        Och(K, False).open(b"", b"", bytes(100))
    with pytest.raises(ValueError, match="table"):
        Published(K, True).seal(N, b"", bytes(32 * 2**16 - 32))


# ── Encodings ───────────────────────────────────────────────────────────────────────────────────

LOOKS = (b"\0", b"\xff", b"\xf2", b"\xf3", b"\xf4", b"\x01")


def strip(X):
    """POLYVAL does not see zero blocks in front."""
    while X[:16] == bytes(16):
        X = X[16:]
    return X


@pytest.mark.parametrize("hides", VARIANTS)
def test_no_two_messages_have_one_input_of_the_inner_hash(hides, monkeypatch):
    """Tails that look like paddings and labels, of every length, behind blocks whose sum is zero.

    With other sums there are equal inputs, of a block and a tail that both differ. They are no matter: whoever changes a block
    of a ciphertext does not know the sum.
    """
    inputs, count = set(), 0

    class Recorder(Och):
        def H(self, X):
            inputs.add(strip(X))
            return bytes(32)
    monkeypatch.setattr(och, "PRF", lambda K, X: bytes(32))
    monkeypatch.setattr(och, "E", lambda Z, X: X)
    O = Recorder(K, hides)
    for m, n in itertools.product((0, 1, 2, 127, 128), range(32)):
        for tail in {x * (n - 1) + y for x in LOOKS for y in LOOKS} if n else {b""}:
            O.seal(bytes(32), b"", bytes(32 * m) + tail)
            count += 1
    assert len(inputs) == count


def test_no_two_associated_data_have_one_input_of_the_outer_hash(monkeypatch):
    monkeypatch.setattr(och, "PRF", lambda K, X: bytes(32))
    O, U = Och(K, False), shake(32, "U")
    inputs = set()
    monkeypatch.setattr(och, "PRF", lambda K, X: inputs.add(X))
    ads = {x * n + y * k for n in range(70) for k in range(40) for x in LOOKS for y in LOOKS[:2]}
    for ad in ads:
        O.tag(U, ad, N)
    assert len(inputs) == len(ads) and all(X.endswith(N) and len(X) % 32 == 0 for X in inputs)


# ── Slips ───────────────────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("hides", VARIANTS)
def test_a_slip_shows_where_it_is(hides):
    """Each slip alone, against none: which ciphertexts it changes, and that it changes no other."""
    for shifted, ad, n in itertools.product((0, 1), (0, 20, 31, 32, 33, 64, 70), (0, 5, 32, 40, 48, 49, 64)):
        nonce, A, M = N[:31] + bytes([64 + shifted]), shake(ad, "slips", "ad", n), shake(n, "slips", "msg")
        mended = Och(K, hides).seal(nonce, A, M)
        where = {"a": n or hides, "b": True, "c": ad < 32, "d": shifted and n, "e": ad in (32, 64),
                 "f": n % 32 and (hides or n >= 32)}
        shown = {slip for slip in where if Published(K, hides, slip).seal(nonce, A, M) != mended}
        # With 31 bytes of associated data a byte of the inner tag is dropped, and may be zero.
        expected = {slip for slip, is_there in where.items() if is_there}
        assert shown == expected or ad == 31 and shown | {"c"} == expected, (ad, n)
        assert Published(K, hides, "").seal(nonce, A, M) == mended
