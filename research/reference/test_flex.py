"""research/reference/flex.py against every vector that is not its own work, and against itself."""

import itertools

import pytest

import flex
import flex_permutations
import flex_vectors
from aegis import VerificationFailed, xor
from aegis_vectors import flip, shake
from flex import CIV, CMT, NH, OCH, PRE, ROBUST, ROBUST_AE, STREAM, Configuration, Flex, InvalidConfiguration
from flex_vectors import VECTORS
from test_aegis import cases, h, load

KEY, NONCE, AD = bytes(range(32)), bytes(range(100, 132)), b"associated data"
PROFILES = list(flex.PROFILES.values())
BY_NAME = {profile.name: profile for profile in PROFILES}


def cfg8(mode, flags=0, profile=1, TL=None, NL=24, aux=0):
    if TL is None:
        TL = 0 if mode == ROBUST else flex.PROFILES[profile].t
    return bytes([mode, flags, profile, TL]) + NL.to_bytes(2, "little") + aux.to_bytes(2, "little")


def flex_of(*args, K=KEY, AD_s=b"", **more):
    return Flex(cfg8(*args, **more), K, AD_s, allow_noncommitting=True, allow_64_bit=True)


def sealed(F, M, AD=AD, N=NONCE):
    """The ciphertext, and the nonce that opening is given."""
    N = N[:F.cfg.NL]
    return F.seal(N, AD, M), b"" if F.cfg.has(NH) else N


def refuses(F, N, AD, C):
    try:
        F.open(N, AD, C)
    except VerificationFailed:
        return True
    return False


# ── Vectors ─────────────────────────────────────────────────────────────────────────────────────

def test_vectors():
    """By the interface of the paper, where opening is not told a hidden nonce but tells it, and for the first of each group
    by the other one, too. That sealing gives each of them, test_regenerating_gives_the_committed_files shows."""
    seen = None
    for group, test in cases("flex"):
        alg = flex.algorithm("flex", group["params"])
        key, iv, aad, msg, ct = (h(test[f]) for f in ("key", "iv", "aad", "msg", "ct"))
        if test["result"] == "valid":
            assert alg.cfg.ciphertext_length(len(msg)) == len(ct)
            given = b"" if alg.cfg.has(NH) else iv
            assert alg.init(key).open(given, aad, ct) == (iv, msg), test["tcId"]
            if group is not seen:
                assert alg.Decrypt(ct, b"", aad, key, iv) == msg
                seen = group
        else:
            with pytest.raises(VerificationFailed):
                alg.Decrypt(ct, b"", aad, key, iv)


def test_the_vectors_of_others_are_all_here():
    tests = [t for group, t in cases("flex") if flex_vectors.outside(group)]
    assert len(tests) == 833 and all(t["result"] == "valid" for t in tests)


def test_permutations():
    count = 0
    for of in load("internal/permutations")["permutations"]:
        B, pi, pi_inverse = flex_permutations.PERMUTATIONS[of["name"]]
        for t in of["tests"]:
            x = h(t["in"])
            assert len(x) == B
            assert pi(x).hex() == t["out"] and pi_inverse(x).hex() == t["inverse"]
            assert pi_inverse(pi(x)) == x
            count += 1
    assert count == load("internal/permutations")["numberOfTests"] == 8 * 25


def test_parts():
    parts = load("internal/flex-parts")
    for t in parts["F"]:
        profile = BY_NAME[t["profile"]]
        assert profile.F(h(t["H"]), t["domain"], h(t["X"]), t["bytes"]).hex() == t["out"]
    for t in parts["init"]:
        F = Flex(h(t["cfg"]), h(t["key"]), h(t["setupAd"]), allow_64_bit=True)
        assert F.profile is BY_NAME[t["profile"]]
        assert [getattr(F, name).hex() for name in ("K1", "K2", "K3", "L")] == [t[n] for n in ("K1", "K2", "K3", "L")]
    assert len(parts["F"]) + len(parts["init"]) == parts["numberOfTests"] == 48 + 24


def test_regenerating_gives_the_committed_files():
    assert flex_vectors.build() == (VECTORS / "flex.json").read_text()
    assert flex_vectors.build_edges() == (VECTORS / "internal" / "flex-edges.json").read_text()


# ── Permutations ────────────────────────────────────────────────────────────────────────────────

def test_the_two_areions_of_512_bits():
    """The other one lacks the rotation of the words: its states are ours, turned back."""
    ours = flex_permutations.areion_512(bytes(64))
    assert ours.hex().startswith("b2adb04f")
    assert (ours[16:] + ours[:16]).hex().startswith("78cf3ee4")


def test_keccak_is_that_of_sha3():
    """24 rounds of the same steps give SHA3-256 of nothing: so the offsets and constants are FIPS 202's."""
    import hashlib
    state = flex_permutations.lanes(b"\x06".ljust(135, b"\0") + b"\x80" + bytes(64))
    A = state
    for i in range(24):
        A = flex_permutations.theta(A)
        B = [0] * 25
        for x, y in itertools.product(range(5), repeat=2):
            B[y + 5 * ((2 * x + 3 * y) % 5)] = flex_permutations.rotl(A[x + 5 * y], flex_permutations.RHO[x + 5 * y])
        A = [lane for y in range(5) for lane in flex_permutations.chi(B[5 * y:5 * y + 5])]
        A[0] ^= flex_permutations.IOTA[i]
    assert flex_permutations.join(A)[:32] == hashlib.sha3_256(b"").digest()


def test_keccak_is_that_of_turboshake():
    """RFC 9861: TurboSHAKE128 of nothing, D = 1F."""
    state = b"\x1f".ljust(167, b"\0") + b"\x80" + bytes(32)
    assert flex_permutations.keccak_p(state)[:8].hex() == "1e415f1c5983aff2"


# ── F ───────────────────────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("profile", PROFILES, ids=lambda p: p.name)
def test_F_separates(profile):
    """Lengths, domains, the tree and its leaves: no two inputs of these have the same last block."""
    H, outputs, count = bytes(profile.t), set(), 0
    lengths = sorted({0, 1, 2, profile.r - 4, profile.r - 3, profile.r - 2, profile.r - 1, profile.r, profile.r + 1,
                      250, 254, 255, 256, 257, 512, 513})
    for dom in (flex.KDF, flex.AD_, flex.NAD, flex.SEG, flex.HASH):
        for n in lengths:
            outputs.add(profile.F(H, dom, bytes(n), profile.t))
            count += 1
    for n in (256, 264):
        outputs.add(profile.seq(H, flex.LEAF, bytes(n), profile.t))
        outputs.add(profile.seq(H, flex.AD_, bytes(n), profile.t, tree=1))
        count += 2
    assert len(outputs) == count


def test_F_is_one_call_for_short_inputs():
    """f(H ⊕ FIN, X ‖ zeros ‖ length), its output with the feed-forward."""
    profile, H, X = BY_NAME["S512"], shake(32, "H"), shake(29, "X")
    last = X + bytes([29, 0, flex.AD_ << 4 | 1])
    assert profile.F(H, flex.AD_, X, 32) == profile.f(xor(H, profile.FIN), last)


def test_tags_are_the_compression_function():
    """tag(i,j; Z) = f(K1', Z ⊕ M_right): what commitment rests on."""
    for profile in PROFILES:
        F = flex_of(OCH, profile=profile.id)
        E = F.tbc(shake(profile.t, "K1p"))
        Z = shake(profile.r, "Z")
        for i, j in ((0, 8), (3, 5), (3, 6), *(((3, 2), (3, 3)) if profile.WIDE else ())):
            E.delta = shake(profile.B, "delta")
            D = E.D(i, j)
            assert D[:profile.t] == E.K1p
            assert E.tag(i, j, Z) == profile.f(E.K1p, xor(Z, D[profile.t:]))


# ── Masks ───────────────────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("profile", PROFILES, ids=lambda p: p.name)
def test_doubling_is_that_of_a_field(profile):
    """The polynomial is irreducible (Rabin's test), and dbl multiplies by x."""
    n, poly = 8 * profile.B, profile.polynomial

    def reduce(v):
        while v.bit_length() > n:
            v ^= poly << v.bit_length() - n - 1
        return v

    def square(v):
        return reduce(int("0".join(f"{v:b}"), 2))

    def gcd(a, b):
        while b:
            while a.bit_length() >= b.bit_length() > 0:
                a ^= b << a.bit_length() - b.bit_length()
            a, b = b, a
        return a

    v, powers = 2, {}
    for k in range(1, n + 1):
        v = square(v)
        powers[k] = v
    assert powers[n] == 2
    for q in {2, 3, 5} & {p for p in (2, 3, 5) if n % p == 0}:
        assert gcd(poly, powers[n // q] ^ 2) == 1
    a = b"\xff" * profile.B
    assert profile.dbl(a) == reduce(int.from_bytes(a, "little") << 1).to_bytes(profile.B, "little")


def test_masks_of_eight_blocks_by_one_xor():
    """M of blocks 8k to 8k + 7 is base_k ⊕ const_q, and base_k+1 is base_k ⊕ W[ntz(k + 1)]."""
    F = flex_of(OCH)
    E = F.tbc(bytes(32))

    def times(p):
        return xor(bytes(64), *(F.table[b] for b in range(p.bit_length()) if p >> b & 1))
    const = [times(16 * q) for q in range(8)]
    base = bytes(64)
    for k in range(70):
        for q in range(8):
            if 8 * k + q:
                assert E.D(8 * k + q, 0) == xor(base, const[q])
        ntz = (k + 1 & -(k + 1)).bit_length() - 1
        base = xor(base, times(128 * (2 ** (ntz + 1) - 1)))


def test_masks_are_different():
    F = flex_of(OCH)
    E = F.tbc(bytes(32))
    seen = {E.D(i, j) for i in range(40) for j in range(16) if (i, j) != (0, 0) and not E.committing(j)}
    assert len(seen) == 40 * sum(not E.committing(j) for j in range(16)) - 1
    with pytest.raises(AssertionError):
        E.D(0, 0)


# ── Configurations ──────────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("bad, why", [
    (bytes(7), "8 bytes"), (bytes(9), "8 bytes"),
    (cfg8(0, TL=32), "mode 0"), (cfg8(5, TL=32), "mode 5"),
    (cfg8(OCH, 16), "bits 4 to 7"), (cfg8(OCH, 128), "bits 4 to 7"),
    (cfg8(OCH, TL=32, profile=1)[:2] + b"\0" + cfg8(OCH)[3:], "profile 0"),
    (cfg8(OCH)[:2] + b"\x09" + cfg8(OCH)[3:], "profile 9"),
    (cfg8(OCH, CMT), "CMT"), (cfg8(CIV, CMT), "CMT"), (cfg8(ROBUST_AE, CMT), "CMT"),
    (cfg8(ROBUST, STREAM | CMT, aux=16), "STREAM is for OCH and CIV"),
    (cfg8(ROBUST_AE, STREAM, aux=16), "STREAM is for OCH and CIV"), (cfg8(ROBUST_AE, TL=0), "tag has 16 to 32"),
    (cfg8(OCH, STREAM | NH, aux=16), "does not hide"),
    (cfg8(OCH, STREAM, aux=7), "segments"), (cfg8(OCH, STREAM, aux=25), "segments"), (cfg8(OCH, STREAM), "segments"),
    (cfg8(OCH, aux=1), "aux is 1"), (cfg8(ROBUST, CMT, aux=256), "aux is 256"),
    (cfg8(OCH, TL=15), "tag has 16 to 32"), (cfg8(CIV, TL=33), "tag has 16 to 32"),
    (cfg8(OCH, profile=2, TL=17), "tag has 16 to 16"),
    (cfg8(CIV, NH, NL=0), "hidden nonce has 1 to 63"), (cfg8(CIV, NH, NL=64), "hidden nonce has 1 to 63"),
    (cfg8(OCH, NH, NL=0xFFFF), "hidden nonce"), (cfg8(ROBUST, NH | CMT, profile=8, NL=40), "1 to 39"),
    (cfg8(CIV, NL=1025), "0 to 1024"), (cfg8(ROBUST, CMT, NL=0xFFFE), "0 to 1024"),
    (cfg8(OCH, NL=7), "at least 8"), (cfg8(OCH, NH, NL=7), "at least 8"),
    (cfg8(OCH, STREAM, NL=0, aux=8), "at least 8"),
])
def test_invalid_configurations(bad, why):
    with pytest.raises(InvalidConfiguration, match=why):
        Configuration.parse(bad, allow_noncommitting=True, allow_64_bit=True)


def test_what_must_be_allowed():
    for TL in (0, 16, 255):
        with pytest.raises(InvalidConfiguration, match="does not commit"):
            Configuration.parse(cfg8(ROBUST, TL=TL))
        assert not Configuration.parse(cfg8(ROBUST, TL=TL), allow_noncommitting=True).commits
    for profile in (2, 6, 8):
        with pytest.raises(InvalidConfiguration, match="64-bit level"):
            Configuration.parse(cfg8(OCH, profile=profile))
        Configuration.parse(cfg8(OCH, profile=profile), allow_64_bit=True)


def test_every_descriptor_is_valid_or_not_for_a_reason():
    """All modes, flags and profiles with the edges of TL, NL and aux: the rules once more, as one condition."""
    count = 0
    for mode, flags, id in itertools.product(range(6), range(32), range(10)):
        for TL, NL, aux in itertools.product((0, 15, 16, 17, 32, 33, 255), (0, 1, 7, 8, 1024, 1025, 0xFFFF),
                                             (0, 8, 25)):
            valid = mode in (1, 2, 3, 4) and flags < 16 and 1 <= id <= 8
            if valid:
                B, t = flex.PROFILES[id].B, flex.PROFILES[id].t
                valid = ((mode == 3 or 16 <= TL <= t) and (mode == 3 or not flags & CMT)
                         and (1 <= NL < B if flags & NH else NL <= 1024 or NL == 0xFFFF)
                         and (mode != 1 or NL >= 8)
                         and (mode < 3 and not flags & NH and aux == 8 if flags & STREAM else aux == 0))
            text = bytes([mode, flags, id, TL]) + NL.to_bytes(2, "little") + aux.to_bytes(2, "little")
            try:
                Configuration.parse(text, allow_noncommitting=True, allow_64_bit=True)
                assert valid, text.hex()
                count += 1
            except InvalidConfiguration:
                assert not valid, text.hex()
    assert count > 2000


def test_registry():
    assert sorted(flex.REGISTRY) == [1, 2, 3, 0x11, 0x12, 0x21, 0x22, 0x23, 0x24, 0x31, 0x32]
    for id, text in flex.REGISTRY.items():
        cfg = Configuration.parse(text, allow_noncommitting=True)
        assert cfg.profile.name == "S512" and cfg.mode == text[0]
        assert cfg.mode in {0: [OCH], 1: [CIV], 2: [ROBUST, ROBUST_AE], 3: [OCH, CIV]}[id >> 4]
        assert cfg.commits == (id not in (0x22, 0x23)) and cfg.has(STREAM) == (id >> 4 == 3)


def test_lengths():
    of = {id: Configuration.parse(text, allow_noncommitting=True) for id, text in flex.REGISTRY.items()}
    assert [of[id].ciphertext_length(100) for id in sorted(of)] == [164, 132, 116, 164, 132, 132, 116, 100, 132, 132, 132]
    assert [of[0x31].ciphertext_length(n) for n in (0, 1, 65536, 65537, 3 * 65536)] == [32, 33, 65568, 65601, 196704]
    for id, limit in ((1, 2**50), (0x11, 2**50), (0x21, 2**40), (0x24, 2**40), (0x31, (2**64 - 1) * 2**16)):
        of[id].ciphertext_length(limit)
        with pytest.raises(InvalidConfiguration):
            of[id].ciphertext_length(limit + 1)


def test_lengths_of_keys_and_nonces_are_errors():
    """Not refusals: when sealing and when opening."""
    for n in (0, 15, 1025):
        with pytest.raises(InvalidConfiguration, match="key has"):
            flex_of(OCH, K=bytes(n))
    for F, nonces in ((flex_of(OCH), (0, 23, 25)), (flex_of(OCH, NL=0xFFFF), (0, 7, 65536)),
                      (flex_of(CIV, NL=0xFFFF), (65536,)), (flex_of(ROBUST, CMT, NL=0), (1,))):
        for n in nonces:
            with pytest.raises(InvalidConfiguration, match="nonce"):
                F.seal(bytes(n), b"", b"")
            with pytest.raises(InvalidConfiguration, match="nonce"):
                F.open(bytes(n), b"", bytes(100))
    hidden = flex_of(OCH, NH)
    with pytest.raises(InvalidConfiguration, match="nonce"):
        hidden.seal(bytes(23), b"", b"")
    C, _ = sealed(hidden, b"message")
    assert hidden.open(b"", AD, C) == (NONCE[:24], b"message")
    assert refuses(hidden, NONCE[:24], AD, C), "a hidden nonce is never given"


def test_init_separates():
    """Configurations, setup AD with and without PRE, and keys that are prefixes: all derive different keys."""
    seen, count = set(), 0
    for cfg in (cfg8(OCH), cfg8(OCH, NH), cfg8(CIV), cfg8(OCH, TL=31), cfg8(OCH, NL=25), cfg8(OCH, PRE),
                cfg8(CIV, PRE)):
        for K in (KEY, KEY + b"\0", KEY + cfg, KEY[:16], KEY[:16] + bytes(16)):
            for AD_s in (b"", b"\0", b"setup", bytes(300), cfg):
                seen.add(Flex(cfg, K, AD_s).K1)
                count += 1
    assert len(seen) == count
    digest = BY_NAME["S512"].F(BY_NAME["S512"].IV, flex.HASH, b"setup", 32)
    assert Flex(cfg8(OCH, PRE), KEY, b"setup").K1 != Flex(cfg8(OCH), KEY, digest).K1


# ── Round trips ─────────────────────────────────────────────────────────────────────────────────

@pytest.mark.parametrize("profile", PROFILES, ids=lambda p: p.name)
@pytest.mark.parametrize("mode, flags", [(OCH, 0), (OCH, NH), (CIV, 0), (CIV, NH), (ROBUST, CMT), (ROBUST, NH | CMT),
                                         (ROBUST, 0), (ROBUST_AE, 0), (ROBUST_AE, NH)])
def test_every_length_up_to_three_blocks(mode, flags, profile):
    """Tails of every size, in all branches; every ciphertext is another."""
    F = flex_of(mode, flags, profile=profile.id, NL=13)
    seen = set()
    for n in range(0, 3 * profile.B + 2, 1 if profile.id == 2 else 17):
        M = shake(n, "round trip", n)
        C, N = sealed(F, M)
        assert len(C) == F.cfg.ciphertext_length(n) and F.open(N, AD, C) == (NONCE[:13], M)
        seen.add(C)
        if profile.id == 2 and C:
            assert mode == ROBUST and not flags or refuses(F, N, AD, flip(C, 8 * (n % len(C)) + n % 8))
    r = profile.r
    edges = {k * profile.B - F.cfg.hidden + d for k in (1, 2) for d in (-1, 0, 1, r - 1, r, r + 1)}
    for n in sorted(edges):
        if n >= 0:
            C, N = sealed(F, bytes(n))
            assert F.open(N, AD, C) == (NONCE[:13], bytes(n))


@pytest.mark.parametrize("mode, flags", [(ROBUST, CMT), (ROBUST_AE, 0)])
@pytest.mark.parametrize("extra", (-1, 0, 1, 31, 32, 33))
@pytest.mark.parametrize("m", (128, 129, 130, 256, 257, 258))
def test_robust_around_the_groups(m, extra, mode, flags):
    F = flex_of(mode, flags, profile=2)
    M = shake(32 * m + extra, "groups", m)
    C, N = sealed(F, M)
    assert F.open(N, AD, C)[1] == M
    assert refuses(F, N, AD, flip(C, 8 * 32 * 128 + 3)) and refuses(F, N, AD, flip(C, 0))


@pytest.mark.parametrize("flags, stretch", [(CMT, 0), (CMT, 16), (NH | CMT, 0)])
@pytest.mark.parametrize("n", (40, 300))
def test_robust_with_a_tag_is_not_robust(n, flags, stretch):
    """Section 11: the tag is appended, and whoever changes it alone leaves the deciphered message as it is."""
    F = flex_of(ROBUST, flags, TL=stretch)
    M = shake(n, "not robust", n)
    C, N = sealed(F, M)
    E, Y = F.tbc(F.ctx(N, AD)), flip(C, 8 * (len(C) - 1))[:-F.profile.t]
    deciphered = flex.WB_inverse(E, Y)[0]
    assert deciphered[F.cfg.hidden:][:n] == M
    # The effect of a change of the rest.
    other = flex.WB_inverse(E, flip(Y, 8 * (n // 2)))[0][F.cfg.hidden:][:n]
    assert sum(a == b for a, b in zip(other, M)) < n // 4


@pytest.mark.parametrize("flags", (0, NH))
@pytest.mark.parametrize("TL", (16, 32))
@pytest.mark.parametrize("n", (40, 128, 300))
def test_with_robust_ae_any_change_gives_random_text(n, TL, flags):
    """Section 9.1: what any ciphertext but the sealed one deciphers to is unrelated to the message, whatever changed."""
    F = flex_of(ROBUST_AE, flags, TL=TL)
    M = shake(n, "robust", n)
    C, N = sealed(F, M)
    E = F.tbc(F.ctx(N, AD))
    plain, T = flex.robust_ae_dec(E, TL, F.cfg.hidden, C)
    assert plain[F.cfg.hidden:] == M and T == C[-TL:]
    seen = {plain}
    for byte in {*range(0, len(C) - TL, 17), len(C) - TL - 1, *range(len(C) - TL, len(C))}:
        other, T = flex.robust_ae_dec(E, TL, F.cfg.hidden, flip(C, 8 * byte + byte % 8))
        assert T != C[-TL:] and sum(a == b for a, b in zip(other, plain)) < len(plain) // 4, byte
        for block in range(len(plain) // F.profile.B):
            part = slice(block * F.profile.B, (block + 1) * F.profile.B)
            assert all(other[part] != earlier[part] for earlier in seen), byte
        seen.add(other)


@pytest.mark.parametrize("n", (40, 300))
def test_what_robust_ae_leaked_says_nothing_of_what_is_sealed(n):
    """Unverified plaintext that is sealed again has another tag, and so another inner key."""
    F = flex_of(ROBUST_AE)
    C, N = sealed(F, shake(n, "leaked", n))
    E = F.tbc(F.ctx(N, AD))
    for bit in (0, 8 * (n // 2), 8 * n, 8 * (len(C) - 1)):
        changed = flip(C, bit)
        leaked, _ = flex.robust_ae_dec(E, 32, 0, changed)
        again = F.seal(N, AD, leaked)
        for place in range(0, n - 16, 16):
            assert again[place:place + 16] != changed[place:place + 16]
        assert again[n:] != changed[n:]


@pytest.mark.parametrize("ell", (1, 2))
def test_short_wide_blocks_are_permutations(ell):
    E = flex_of(ROBUST, profile=2).tbc(bytes(16))
    some = range(256) if ell == 1 else range(0, 65536, 1021)
    images = {flex.WB(E, x.to_bytes(ell, "big"))[0] for x in some}
    assert len(images) == len(some)
    for x in some:
        if x % 5 == 0:
            X = x.to_bytes(ell, "big")
            Y, Z = flex.WB(E, X)
            assert flex.WB_inverse(E, Y) == (X, Z)


@pytest.mark.parametrize("mode, aux", [(OCH, 8), (CIV, 9)])
def test_stream_lengths(mode, aux):
    F = flex_of(mode, STREAM, aux=aux)
    S = 1 << aux
    for n in (0, 1, S - 1, S, S + 1, 2 * S - 1, 2 * S, 2 * S + 1, 3 * S + 77):
        C, N = sealed(F, bytes(n))
        assert len(C) == F.cfg.ciphertext_length(n) == n + 32 * max(1, -(-n // S))
        assert F.open(N, AD, C) == (N, bytes(n))


def test_calls_of_the_permutation(monkeypatch):
    """The calls that the page on limits of speed counts."""
    profile, calls = BY_NAME["S512"], 0
    pi = profile.pi

    def counting(x):
        nonlocal calls
        calls += 1
        return pi(x)
    monkeypatch.setattr(profile, "pi", counting)

    def of(work, *args):
        nonlocal calls
        calls = 0
        work(*args)
        return calls
    F = flex_of(OCH, NH, NL=32)
    assert of(lambda: Flex(cfg8(OCH, NH, NL=32), KEY, bytes(19))) == 5
    assert [of(F.seal, NONCE, b"", bytes(n)) for n in (0, 31, 64, 4096)] == [3, 3, 5, 68]
    assert of(F.seal, NONCE, b"ad", b"") == 4
    F = flex_of(OCH)
    assert [of(F.seal, NONCE[:24], b"", bytes(n)) for n in (0, 64, 1500, 4096)] == [4, 3, 26, 66]
    F = flex_of(CIV)
    assert [of(F.seal, NONCE[:24], b"", bytes(n)) for n in (0, 16, 64, 4096)] == [2, 4, 4, 130]
    F = flex_of(ROBUST, CMT)
    assert [of(F.seal, NONCE[:24], b"", bytes(n)) for n in (16, 64, 4096)] == [13, 5, 131]
    F = flex_of(ROBUST_AE)
    assert [of(F.seal, NONCE[:24], b"", bytes(n)) for n in (16, 64, 80, 4096)] == [14, 6, 8, 132]
    assert of(profile.F, bytes(32), flex.AD_, bytes(1024), 32) == 41


# ── Refusals ────────────────────────────────────────────────────────────────────────────────────

CHECKED = [(OCH, 0), (OCH, NH), (CIV, 0), (CIV, NH), (ROBUST, CMT), (ROBUST, NH | CMT), (ROBUST_AE, 0),
           (ROBUST_AE, NH)]


@pytest.mark.parametrize("mode, flags", CHECKED)
@pytest.mark.parametrize("profile", (1, 2, 4))
def test_every_changed_byte_is_refused(mode, flags, profile):
    F = flex_of(mode, flags, profile=profile)
    for n in (0, F.profile.B - 30, F.profile.B + 5, 2 * F.profile.B + F.profile.r - 1, 3 * F.profile.B - 1):
        C, N = sealed(F, shake(n, "changed", n))
        for byte in range(0, len(C), 1 if profile == 2 else 3):
            assert refuses(F, N, AD, flip(C, 8 * byte + byte % 8)), (n, byte)


@pytest.mark.parametrize("mode, flags", [*CHECKED, (ROBUST, 0)])
@pytest.mark.parametrize("profile", (1, 2, 4))
def test_correctness_and_tidiness(mode, flags, profile):
    """Section 2 of the paper: what was sealed opens to what it was, and what opens to M is what sealing M gives."""
    F = flex_of(mode, flags, profile=profile)
    for n in (0, 1, F.profile.B - 1, F.profile.B, 2 * F.profile.B + 7):
        M = shake(n, "tidy", n)
        C, N = sealed(F, M)
        assert F.open(N, AD, C) == (NONCE[:24], M) and F.seal(*reversed_open(F, N, C)) == C
        # A string that nobody sealed: where checks are by length alone it opens, and must be M's ciphertext.
        C = shake(len(C), "string", n)
        assert (mode, flags) != (ROBUST, 0) and refuses(F, N, AD, C) or F.seal(*reversed_open(F, N, C)) == C


def reversed_open(F, N, C):
    """The inputs of sealing that give C."""
    nonce, M = F.open(N, AD, C)
    return nonce, AD, M


@pytest.mark.parametrize("mode, flags", CHECKED)
def test_every_other_length_is_refused(mode, flags):
    """Truncation at either end, and extension: the tail's length is authenticated."""
    F = flex_of(mode, flags)
    for n in (0, 20, 64, 64 + 40):
        C, N = sealed(F, bytes(n))
        for cut in {*range(1, 5), *range(5, len(C), 7), len(C)}:
            assert refuses(F, N, AD, C[:-cut]) and refuses(F, N, AD, C[cut:]), (n, cut)
            body, T = C[:-32], C[-32:]
            assert cut > len(body) or refuses(F, N, AD, body[:-cut] + T)
        for more in (1, 2, 31, 32, 33, 64):
            assert refuses(F, N, AD, C + bytes(more)) and refuses(F, N, AD, C[:-32] + bytes(more) + C[-32:])


@pytest.mark.parametrize("mode, flags", CHECKED)
def test_every_other_context_is_refused(mode, flags):
    F = flex_of(mode, flags, AD_s=b"setup")
    C, N = sealed(F, bytes(200))
    assert F.open(N, AD, C)[1] == bytes(200)
    for ad in (b"", AD[:-1], AD + b"\0", flip(AD, 3), AD + NONCE[:24]):
        assert refuses(F, N, ad, C)
    for other in (flex_of(mode, flags, AD_s=b""), flex_of(mode, flags, AD_s=b"setup\0"),
                  flex_of(mode, flags | PRE, AD_s=b"setup"), flex_of(mode, flags, AD_s=b"setup", K=KEY + b"\0"),
                  flex_of(mode, flags, AD_s=b"setup", K=flip(KEY, 255)),
                  flex_of(mode, flags, AD_s=b"setup", profile=5)):
        assert refuses(other, N, AD, C)
    for NL in (23, 25):
        other = flex_of(mode, flags, AD_s=b"setup", NL=NL)
        assert refuses(other, b"" if flags & NH else NONCE[:NL], AD, C)
    for other_mode, TL in ((OCH, 32), (CIV, 32), (ROBUST, 0)):
        if other_mode != mode:
            other = flex_of(other_mode, flags & NH | CMT * (other_mode == ROBUST), AD_s=b"setup", TL=TL)
            assert refuses(other, N, AD, C)
    if not flags & NH:
        assert refuses(F, flip(N, 0), AD, C) and refuses(F, N[1:] + b"\0", AD + N[:1], C)


def test_a_free_nonce_length_is_bound():
    """AD ‖ N alone would not tell where one ends: the length does."""
    F = flex_of(CIV, NL=0xFFFF)
    C = F.seal(b"nonce", b"ad", bytes(100))
    assert F.open(b"nonce", b"ad", C)[1] == bytes(100)
    for N, ad in ((b"once", b"adn"), (b"dnonce", b"a"), (b"", b"adnonce"), (b"adnonce", b"")):
        assert refuses(F, N, ad, C)


def test_a_short_tag_is_no_prefix():
    """Truncated tags belong to another configuration, with other keys."""
    long, short = flex_of(OCH, TL=32), flex_of(OCH, TL=16)
    (C, N), (D, _) = sealed(long, bytes(100)), sealed(short, bytes(100))
    assert refuses(short, N, AD, C[:-16]) and C[:16] != D[:16]


def test_long_tails():
    """Each byte of a tail beyond r - 1, and its end, are under the tag."""
    for profile in PROFILES:
        F = flex_of(OCH, profile=profile.id)
        for w in range(profile.r, profile.B, 5):
            C, N = sealed(F, bytes(profile.B + w))
            assert refuses(F, N, AD, flip(C, 8 * (profile.B + w - 1)))
            assert refuses(F, N, AD, C[:profile.B + w - 1] + C[profile.B + w:])


@pytest.mark.parametrize("mode", (OCH, CIV))
def test_segments(mode):
    """Exchanged, dropped, doubled, spliced, and the end moved."""
    F = flex_of(mode, STREAM, aux=8)
    N, other_N = NONCE[:24], flip(NONCE[:24], 5)
    M = shake(4 * 256 + 100, "segments")
    Cs, Ds = (flex.blocks(F.seal(n, AD, M), 288) for n in (N, other_N))
    for order in itertools.chain(itertools.permutations(range(5)), itertools.product(range(5), repeat=2),
                                 itertools.combinations(range(5), 3), itertools.combinations(range(5), 4)):
        C = b"".join(Cs[j] for j in order)
        assert refuses(F, N, AD, C) == (order != (0, 1, 2, 3, 4))
    for j in range(5):
        assert refuses(F, N, AD, b"".join(Cs[:j] + [Ds[j]] + Cs[j + 1:]))
        assert refuses(F, N, AD, b"".join(Cs[:j])) and refuses(F, N, AD, b"".join(Cs[:j]) + Cs[j][:40])
    tag = Cs[4][-32:]
    assert refuses(F, N, AD, b"".join(Cs) + tag) and refuses(F, N, AD, b"") and refuses(F, N, AD, tag[:31])
    Ks = F.ctx(N, AD)
    whole = [F.seal_segment(Ks, j, False, bytes(256)) for j in range(2)]
    assert F.open(N, AD, b"".join(whole) + F.seal_segment(Ks, 2, True, b"\0"))[1] == bytes(513)
    assert refuses(F, N, AD, b"".join(whole) + F.seal_segment(Ks, 2, True, b"")), "only the first may be empty"


def test_segments_open_one_by_one():
    F = flex_of(OCH, STREAM, aux=8)
    M = shake(600, "seek")
    Cs = flex.blocks(F.seal(NONCE[:24], AD, M), 288)
    Ks = F.ctx(NONCE[:24], AD)
    assert F.open_segment(Ks, 2, True, Cs[2]) == M[512:] and F.open_segment(Ks, 1, False, Cs[1]) == M[256:512]
    for j, last, C in ((1, True, Cs[1]), (2, False, Cs[2]), (0, False, Cs[1])):
        with pytest.raises(VerificationFailed):
            F.open_segment(Ks, j, last, C)


@pytest.mark.parametrize("profile, m", [(2, 5), (2, 8), (1, 3)])
def test_halves_of_wide_blocks_do_not_mix(profile, m):
    """All mixtures of the blocks of two ciphertexts, of messages that differ in a block: no block comes back."""
    F = flex_of(ROBUST, profile=profile)
    B = F.profile.B
    M = [shake(m * B, "mix"), shake(m * B, "mix")[:-B] + bytes(B)]
    Cs = [flex.blocks(sealed(F, X)[0], B) for X in M]
    known = {block for X in M for block in flex.blocks(X, B)}
    for choice in itertools.product((0, 1), repeat=m):
        if 0 < sum(choice) < m:
            _, P = F.open(NONCE[:24], AD, b"".join(Cs[c][i] for i, c in enumerate(choice)))
            assert not known & set(flex.blocks(P, B))


def test_wide_blocks_across_the_groups_do_not_mix():
    F = flex_of(ROBUST, profile=2)
    M = shake(131 * 32 + 5, "groups"), flip(shake(131 * 32 + 5, "groups"), -1)
    C, D = (sealed(F, X)[0] for X in M)
    assert not set(flex.blocks(C, 32)) & set(flex.blocks(D, 32)), "a change of the last bit changes every block"
    for at in (32, 128 * 32, 129 * 32, 130 * 32, 131 * 32):
        P = F.open(NONCE[:24], AD, C[:at] + D[at:])[1]
        assert not set(flex.blocks(P, 32)) & set(flex.blocks(M[0], 32) + flex.blocks(M[1], 32))


def test_stretch_is_counted_not_searched():
    """Exactly λ zero bytes: a ciphertext shorter than that is refused, so is the empty one."""
    F = flex_of(ROBUST, TL=16)
    C, N = sealed(F, b"")
    assert len(C) == 16 and F.open(N, AD, C) == (N, b"")
    for n in range(16):
        assert refuses(F, N, AD, bytes(n))
    C, _ = sealed(F, bytes(20))
    assert F.open(N, AD, C)[1] == bytes(20)
    assert flex_of(ROBUST, TL=0).open(N, AD, b"") == (N, b"")


# ── Repeated nonces ─────────────────────────────────────────────────────────────────────────────

def test_repeated_nonces():
    """CIV shows equality alone; OCH, outside its claim, equal blocks at equal places."""
    M, M_ = bytes(256), bytes(255) + b"\1"
    for mode, same in ((OCH, 3), (CIV, 0)):
        F = flex_of(mode)
        (C, _), (D, _) = sealed(F, M), sealed(F, M_)
        assert sum(c == d for c, d in zip(flex.blocks(C[:256], 64), flex.blocks(D[:256], 64))) == same
        short, short_ = sealed(F, bytes(40))[0], sealed(F, bytes(39) + b"\1")[0]
        assert sum(a == b for a, b in zip(short, short_)) < 16


def test_a_repeated_nonce_forges_in_och():
    """Outside the claim, and why: of the checksum only the first r bytes are under the tag."""
    F = flex_of(OCH)
    C, N = sealed(F, bytes(256))
    D, _ = sealed(F, b"".join([bytes(63) + b"\1", bytes(192)]))
    assert F.open(N, AD, D[:64] + C[64:]) == (N, bytes(63) + b"\1" + bytes(192)) and D[256:] == C[256:]
    D, _ = sealed(F, b"\1" + bytes(255))
    assert refuses(F, N, AD, D[:64] + C[64:])


def test_without_a_nonce_civ_is_deterministic():
    F = Flex(flex.REGISTRY[0x12], KEY)
    assert F.seal(b"", AD, KEY) == F.seal(b"", AD, KEY) and F.open(b"", AD, F.seal(b"", AD, KEY)) == (b"", KEY)


@pytest.mark.parametrize("mode, flags", [(OCH, NH), (CIV, NH)])
def test_hidden_nonces_leave_no_trace(mode, flags):
    """Under one key, nonces that differ in a bit give ciphertexts without a common block."""
    F = flex_of(mode, flags, NL=32)
    for n in (0, 16, 32, 100, 256):
        C, D = F.seal(NONCE, AD, bytes(n)), F.seal(flip(NONCE, -1), AD, bytes(n))
        assert not set(flex.blocks(C, 16)) & set(flex.blocks(D, 16))


# ── The registry's interface ────────────────────────────────────────────────────────────────────

def test_the_harness_compares_a_hidden_nonce():
    alg = flex.algorithm("flex", {"cfg": "0101012018000000", "setupAd": ""})
    C, T = alg.Encrypt(b"message", AD, KEY, NONCE[:24])
    assert T == b"" and alg.Decrypt(C, T, AD, KEY, NONCE[:24]) == b"message"
    with pytest.raises(VerificationFailed):
        alg.Decrypt(C, T, AD, KEY, flip(NONCE[:24], 0))
    with pytest.raises(ValueError):
        alg.Decrypt(C, bytes(16), AD, KEY, NONCE[:24])
