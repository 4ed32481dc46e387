"""The errors of Figure 2, each shown by running it: as the paper has it, then as Flex-1 has it.

Source: S. Menda, J. Len, V. T. Hoang, M. Bellare, T. Ristenpart, "Flexible Authenticated Encryption", 2023: Figure 2,
the nonce-hiding scheme OCH over a tweakable blockcipher, and the sentence on public nonces. The paper leaves the
blockcipher E~ and the hash F open: here they are those of docs/spec/flex.md, of the profile S512, so that the two
sides differ only by the error shown. Every function prints a short account and asserts what it says. research/papers/flex.md
is the summary.

    scripts/python research/papers/flex_errata.py [--json]

Letters as in research/reference/flex.py; n = 8B and τ = 8t bits. "Figure 2" counts blocks from 1: block i is P_i.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "research" / "reference"))

import flex  # noqa: E402
from aegis import VerificationFailed, xor  # noqa: E402
from aegis_vectors import shake  # noqa: E402
from errata import as_limits, main  # noqa: E402
from published import value  # noqa: E402

K, N, AD = bytes(range(32)), bytes(range(100, 124)), b"associated data"
HIDDEN, PUBLIC = flex.Flex(bytes.fromhex("0101012018000000"), K), flex.Flex(bytes.fromhex("0100012018000000"), K)
B, t, r = 64, 32, 32


def opened(open_, *args):
    """The opened message; None if it is refused."""
    try:
        return open_(*args)
    except VerificationFailed:
        return None


# ── Figure 2 ────────────────────────────────────────────────────────────────────────────────────

class Figure2:
    """OCH as Figure 2 has it, nonce-hiding: a header and a body, and n >= 2τ.

    Its tweaks are 0, 1, (1,1), (1,2) without a nonce, and (i,N) for the blocks, (m,1,N), (m,2,N), (m,3,N) with it. The
    tweak (i,N) is no element of the set that the paper defines; bulk says which j stands for it (erratum 2).
    """

    def __init__(self, F=HIDDEN, bulk=0):
        self.F, self.bulk = F, bulk

    def setup(self, ad):
        self.E = self.F.tbc(self.F.ctx(b"", ad))
        self.E.delta = bytes(B)

    def set_nonce(self, nonce):
        self.E.delta = self.E(0, 12, self.E.pad10(nonce))

    def tweak(self, i):
        """(i, N)"""
        return (i, self.bulk)

    def tag(self, j, m, checksum):
        """The input is Checksum[1..n - τ]."""
        return self.E.tag(m, j, checksum[:r])

    def short(self, P):
        """T_pre has τ/2 bits."""
        T_pre = self.E(0, 11, self.E.pad10(P))[:t // 2]
        return self.E.tag(0, 8, T_pre + bytes(r - t // 2))

    def Enc(self, nonce, ad, M):
        """(C_hdr, C): C_hdr has the length of the nonce."""
        self.setup(ad)
        P = nonce + M
        if len(P) < B:
            T = self.short(P)
            C = xor(P, self.E(0, 10, self.E.pad10(T))[:len(P)]) + T
            return C[:len(nonce)], C[len(nonce):]
        self.set_nonce(nonce)
        Ps, tail = self.E.split(P)
        m = len(Ps)
        C = self.E(0, 9, Ps[0]) + b"".join(self.E(*self.tweak(i), Pi) for i, Pi in enumerate(Ps[1:], 2))
        checksum = flex.sum_of(B, Ps)
        if tail:
            C += xor(tail, self.E(m, 1, bytes(B))[:len(tail)])
            checksum = xor(checksum, self.E.pad10(tail))
        C += self.tag(3 if tail else 2, m, checksum)
        return C[:len(nonce)], C[len(nonce):]

    def Dec(self, ad, C_hdr, C):
        """(N, M). The short branch cuts where C_hdr ends, whatever its length."""
        self.setup(ad)
        C, T = (C_hdr + C)[:-t], (C_hdr + C)[-t:]
        if len(C) < B:
            P = xor(C, self.E(0, 10, self.E.pad10(T))[:len(C)])
            if self.short(P) != T:
                raise VerificationFailed
            return P[:len(C_hdr)], P[len(C_hdr):]
        NL = self.F.cfg.NL
        Cs, tail = self.E.split(C)
        m = len(Cs)
        Ps = [self.E.inverse(0, 9, Cs[0])]
        self.set_nonce(Ps[0][:NL])
        Ps += [self.E.inverse(*self.tweak(i), Ci) for i, Ci in enumerate(Cs[1:], 2)]
        checksum = flex.sum_of(B, Ps)
        if tail:
            tail = xor(tail, self.E(m, 1, bytes(B))[:len(tail)])
            checksum = xor(checksum, self.E.pad10(tail))
        if self.tag(3 if tail else 2, m, checksum) != T:
            raise VerificationFailed
        P = b"".join(Ps) + tail
        return P[:NL], P[NL:]


def figure_2_works():
    print("0. Figure 2 with our E~ and F: it opens what it sealed, and refuses a change that it should.")
    figure = Figure2()
    for n in (0, 39, 40, 41, 60, 104, 200):
        M = shake(n, "message", n)
        C_hdr, C = figure.Enc(N, AD, M)
        assert figure.Dec(AD, C_hdr, C) == (N, M)
        assert opened(figure.Dec, AD, C_hdr, C[:-1] + bytes([C[-1] ^ 1])) is None
        assert opened(figure.Dec, b"", C_hdr, C) is None
    print("   Messages of 0 to 200 bytes, in every branch.")


# ── Erratum 1 ───────────────────────────────────────────────────────────────────────────────────

def long_tails_are_not_authenticated():
    print("1. The partial block: the tag sees Checksum[1..n - τ], and a tail longer than that does not fit.")
    w = 50                                                   # bytes of the last block, more than r = 32
    M = shake(2 * B - len(N) + w, "order")
    figure = Figure2()
    C_hdr, C = figure.Enc(N, AD, M)
    body, T = C[:-t], C[-t:]

    flipped = body[:-1] + bytes([body[-1] ^ 0xff]) + T
    assert figure.Dec(AD, C_hdr, flipped) == (N, M[:-1] + bytes([M[-1] ^ 0xff]))
    print("   The last byte of 50 complemented: accepted, and complemented in the message.")
    for cut in (1, w - r):
        assert figure.Dec(AD, C_hdr, body[:-cut] + T) == (N, M[:-cut])
    print("   The last 1 or 18 bytes cut off: accepted.")
    assert figure.Dec(AD, C_hdr, body + b"any bytes" + T)[1][:len(M)] == M
    print("   9 bytes appended: accepted.")

    C = HIDDEN.seal(N, AD, M)
    body, T = C[:-t], C[-t:]
    assert HIDDEN.open(b"", AD, C) == (N, M)
    for forged in (body[:-1] + bytes([body[-1] ^ 0xff]), body[:-1], body[:r - w], body + b"any bytes"):
        assert opened(HIDDEN.open, b"", AD, forged + T) is None
    print("   Flex-1 hashes a tail of r bytes or more by a call of its own, (m,4): all refused.")


# ── Erratum 2 ───────────────────────────────────────────────────────────────────────────────────

def a_block_shows_the_pad():
    print("2. The tweak (i,N) is none. Read as (i,1,N), it is for i = m the one that makes the pad of the tail.")
    figure = Figure2(bulk=1)
    secret = b"nobody but the receiver knows"
    M = bytes(B - len(N)) + bytes(B) + secret                # P_2 is zero, and m = 2
    C_hdr, C = figure.Enc(N, AD, M)
    C = C_hdr + C
    C_2, tail = C[B:2 * B], C[2 * B:-t]
    assert xor(tail, C_2[:len(tail)]) == secret
    print("   Where the last whole block is zero, its ciphertext is the pad: the tail is read without the key.")
    C = HIDDEN.seal(N, AD, M)
    assert xor(C[2 * B:-t], C[B:2 * B][:len(secret)]) != secret
    print("   Flex-1 has a type of tweak for the blocks, (i,0), which no other call has.")


# ── Erratum 3 ───────────────────────────────────────────────────────────────────────────────────

def another_header_is_another_message():
    print("3. A ciphertext is a pair (C_hdr, C), and the short branch of Dec cuts by |C_hdr|.")
    figure, M = Figure2(), b"pay 100 to Alice"
    C_hdr, C = figure.Enc(N, AD, M)
    whole = C_hdr + C
    for split in (len(N) - 4, len(N) + 8):
        N_, M_ = figure.Dec(AD, whole[:split], whole[split:])
        assert (N_, M_) == ((N + M)[:split], (N + M)[split:]) and M_ != M
        print(f"   C_hdr of {split} bytes in the place of {len(N)}: accepted, as {M_!r}.")
    C = HIDDEN.seal(N, AD, M)
    assert HIDDEN.open(b"", AD, C) == (N, M)
    for NL in (len(N) - 4, len(N) + 8):
        other = flex.Flex(bytes.fromhex("01010120") + bytes([NL, 0, 0, 0]), K)
        assert opened(other.open, b"", AD, C) is None
    print("   Flex-1 has one string, cut at NL, and NL is hashed into the key: with another, refused.")


# ── Erratum 4 ───────────────────────────────────────────────────────────────────────────────────

class SmallFigure2(Figure2):
    """The short branch to scale: T_pre of 2 bytes, as if τ were 32 bits."""

    T_PRE = 2

    def short(self, P):
        T_pre = self.E(0, 11, self.E.pad10(P))[:self.T_PRE]
        return self.E.tag(0, 8, T_pre + bytes(r - self.T_PRE))


def first_repeated_tag(figure, messages):
    seen = {}
    for M in messages:
        C_hdr, C = figure.Enc(N, AD, M)
        if C[-t:] in seen:
            return len(seen) + 1, seen[C[-t:]], (M, (C_hdr + C)[:-t])
        seen[C[-t:]] = M, (C_hdr + C)[:-t]
    return None


def short_messages_share_pads():
    print("4. The short branch: T_pre has τ/2 bits, so T repeats after 2^(τ/4) messages, and with it the pad.\n"
          "   To scale, with τ/2 = 16:")
    messages = [shake(20, "short", i) for i in range(2000)]
    count, (M, C), (M_, C_) = first_repeated_tag(SmallFigure2(), messages)
    assert M != M_ and xor(C, C_) == xor(N + M, N + M_)
    print(f"   Message {count} has the tag of an earlier one: their ciphertexts differ by what the messages do.")

    class SmallButWhole(SmallFigure2):
        T_PRE = 2 * SmallFigure2.T_PRE                       # n - τ, to the same scale

    assert first_repeated_tag(SmallButWhole(), messages) is None
    print("   Flex-1 keeps all n - τ bits, at the same cost: to this scale, 2000 messages have 2000 tags.")


# ── Erratum 9 ───────────────────────────────────────────────────────────────────────────────────

def solve(rows, target):
    """A set of rows, as a bit mask, whose sum is the target; integers are vectors over GF(2)."""
    basis = {}
    for k, row in enumerate(rows):
        mask = 1 << k
        while row:
            top = row.bit_length() - 1
            if top not in basis:
                basis[top] = row, mask
                break
            row, mask = row ^ basis[top][0], mask ^ basis[top][1]
    chosen = 0
    while target:
        row, mask = basis[target.bit_length() - 1]
        target, chosen = target ^ row, chosen ^ mask
    return chosen


class PublicNonce(Figure2):
    """The sentence on public nonces, taken at its word: N is no part of P, but a tweak as before."""

    def context(self, nonce, ad):
        self.setup(ad)
        self.set_nonce(nonce)

    def seal(self, nonce, ad, M):
        """Whole blocks only."""
        self.context(nonce, ad)
        Ps, _ = self.E.split(M)
        return (self.E(0, 9, Ps[0]) + b"".join(self.E(*self.tweak(i), Pi) for i, Pi in enumerate(Ps[1:], 2))
                + self.tag(2, len(Ps), flex.sum_of(B, Ps)))

    def open(self, nonce, ad, C):
        self.context(nonce, ad)
        Cs, _ = self.E.split(C[:-t])
        Ps = [self.E.inverse(0, 9, Cs[0])] + [self.E.inverse(*self.tweak(i), Ci) for i, Ci in enumerate(Cs[1:], 2)]
        if self.tag(2, len(Ps), flex.sum_of(B, Ps)) != C[-t:]:
            raise VerificationFailed
        return b"".join(Ps)


class OurPublicNonce:
    """The calls of Flex-1 in which the search needs them: N in the context key, no mask."""

    first, tweak = 0, staticmethod(lambda i: (i - 1, 0))

    def context(self, nonce, ad):
        self.E = PUBLIC.tbc(PUBLIC.ctx(nonce, ad))


def one_body_for_two_nonces(scheme, m):
    """m blocks whose checksums, each with what the tag's mask adds to it, agree under two nonces in r bytes."""
    nonces = N, N[::-1]
    candidates = [(shake(B, "candidate", i, 0), shake(B, "candidate", i, 1)) for i in range(1, m + 1)]
    sums, rows = [], [0] * m
    for nonce in nonces:
        scheme.context(nonce, AD)
        total = scheme.E.D(m, 2)[t:]
        for i, pair in enumerate(candidates, 1):
            tweak = (0, 9) if i == 1 else scheme.tweak(i)
            left, right = (scheme.E.inverse(*tweak, C)[:r] for C in pair)
            total = xor(total, left)
            rows[i - 1] ^= int.from_bytes(xor(left, right), "big")
        sums.append(int.from_bytes(total, "big"))
    chosen = solve(rows, sums[0] ^ sums[1])
    return nonces, b"".join(pair[chosen >> i & 1] for i, pair in enumerate(candidates))


def public_nonces_are_not_committed_to():
    print("9. Without nonce hiding, N only as a tweak: anyone who knows the key makes one ciphertext for two nonces.")
    m = 8 * r + 8
    scheme = PublicNonce()
    (N1, N2), body = one_body_for_two_nonces(scheme, m)
    scheme.context(N1, AD)
    Ps = [scheme.E.inverse(0, 9, body[:B])] + [scheme.E.inverse(*scheme.tweak(i), Ci)
                                                for i, Ci in enumerate(scheme.E.split(body)[0][1:], 2)]
    C = scheme.seal(N1, AD, b"".join(Ps))
    assert C[:-t] == body
    M1, M2 = scheme.open(N1, AD, C), scheme.open(N2, AD, C)
    assert M1 != M2 and N1 != N2
    print(f"   {m} blocks, two candidates for each, one system of {8 * r} equations: one C and T open under both.")
    ours = OurPublicNonce()
    (N1, N2), body = one_body_for_two_nonces(ours, m)
    tags = []
    for nonce in (N1, N2):
        ours.context(nonce, AD)
        Ps = [ours.E.inverse(0, 9, body[:B])] + [ours.E.inverse(i, 0, Ci)
                                                  for i, Ci in enumerate(ours.E.split(body)[0][1:], 1)]
        C = PUBLIC.seal(nonce, AD, b"".join(Ps))
        assert C[:-t] == body and PUBLIC.open(nonce, AD, C)[1] == b"".join(Ps)
        tags.append(C[-t:])
    assert tags[0] != tags[1] and opened(PUBLIC.open, N2, AD, body + tags[0]) is None
    print("   Flex-1 hashes N into the context's key, which a tag commits to: the same search finds the body, whose\n"
          "   two tags differ.")


# ── Section 1 ───────────────────────────────────────────────────────────────────────────────────

def random_nonces_of_gcm():
    print("13. Section 1: GCM permits at most 2^48 encryptions with random nonces. Some two of q nonces of 96 bits are equal:")
    claimed = value("flex.log2.gcm-random-nonces")
    chances = {q: 2 * q - 1 - 96 for q in (claimed, 32)}
    assert chances == {48: -1, 32: -33}
    for q, log2 in chances.items():
        as_limits(f"flex.gcm.q{q}", log2)
        print(f"    2^{q} messages: 2^{log2}")
    print("    SP 800-38D, 8.3, allows 2^-32, and so 2^32 messages.")


# ── Erratum 12 ──────────────────────────────────────────────────────────────────────────────────

def wide_block_for_two_contexts(F, Es):
    """Y whose preimages under both of Es end with λ zeros: the zeros are the tail, MM is chosen to be the same.

    Then MC = E~(ℓ,5; MM) is known, and a Y_0 leaves one condition on each side: the sum of the other V_i.
    """
    b, lam = F.profile.B, F.cfg.TL
    m = 2 * 8 * b + 20
    ell = m * b + lam
    MM, Y_0 = shake(b, "MM"), shake(b, "Y_0")
    tail = MM[:lam]
    candidates = [(shake(b, "Y", i, 0), shake(b, "Y", i, 1)) for i in range(1, m)]
    rows, target = [0] * (m - 1), 0
    for E in Es:
        total = xor(E.inverse(0, 2, Y_0), E(ell, 5, MM), E.pad10(tail))
        for i, pair in enumerate(candidates, 1):
            left, right = (E.inverse(i, 2, Y) for Y in pair)
            total = xor(total, left)
            rows[i - 1] = rows[i - 1] << 8 * b | int.from_bytes(xor(left, right), "big")
        target = target << 8 * b | int.from_bytes(total, "big")
    chosen = solve(rows, target)
    return Y_0 + b"".join(pair[chosen >> i & 1] for i, pair in enumerate(candidates)) + tail


def preserved_length_does_not_commit():
    print("12. Preservation of length excludes commitment by one argument: every string is some message's ciphertext, under every\n"
          "    context. What follows is of ciphertexts that are longer by 16 zeros, which are no commitment either: our ROBUST\n"
          "    without CMT, profile S256, λ = 16:")
    ads = b"Alice is to be paid", b"Mallory is to be paid"
    for CMT in (0, flex.CMT):
        F = flex.Flex(bytes([flex.ROBUST, CMT, 2, 16, 24, 0, 0, 0]), K, allow_noncommitting=True, allow_64_bit=True)
        Es = [F.tbc(F.ctx(N, ad)) for ad in ads]
        Y = wide_block_for_two_contexts(F, Es)
        tags = []
        for E in Es:
            X, Z = flex.WB_inverse(E, Y)
            assert X.endswith(bytes(16))
            tags.append(E.tag(len(Y), 8, Z))
        if not CMT:
            messages = [F.open(N, ad, Y)[1] for ad in ads]
            assert messages[0] != messages[1]
            print(f"    {len(Y)} bytes that open under two AD, found by one system of 512 equations.")
        else:
            assert F.open(N, ads[0], Y + tags[0]) and tags[0] != tags[1]
            assert opened(F.open, N, ads[1], Y + tags[0]) is None
            print("    With CMT the zeros are there in both, but the tags are two: refused under the other AD.")


if __name__ == "__main__":
    main("flex", globals())
