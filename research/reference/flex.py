"""Flex v1, slowly and to the letter: a wide permutation made into a family of committing AEADs.

Source: docs/spec/flex.md, "Flex-1". It completes S. Menda, J. Len, V. T. Hoang, M. Bellare, T. Ristenpart, "Flexible
Authenticated Encryption", 2023, whose Figure 2 cannot be taken as it stands (research/papers/flex.md): it defines the hash, the
tweakable blockcipher, and the modes that the paper only names. It claims no interoperability with anything that the
paper's authors publish. No third party has reviewed it.

  OCH      one pass, parallel; needs unique nonces (short messages survive repeated ones).
  CIV      two passes, parallel; repeated nonces show equal messages, and no more. Needs no inverse of π.
  ROBUST   encode-then-encipher with a wide-block cipher; any expansion, with or without commitment.
  ROBUST-AE  the same cipher, whose inner half has a key that depends on the tag: any change gives random text.
  STREAM   OCH or CIV in segments that open one by one.

Each hides its nonce in the ciphertext or takes it from outside, over each of eight permutations.

What it does not give: speed, constant time, erased secrets. Unverified plaintext is computed, and dropped.

Letters: π permutation on B bytes; t bytes of security parameter (τ bits), r = B - t; K key (K* in the paper), AD_s
setup associated data, cfg configuration in 8 bytes, N nonce of NL bytes, AD associated data, M message, P what is
enciphered, C ciphertext, T tag of TL bytes; K1, K2, K3 from the KDF, L the base of the masks, K1p (K1') the context's
key, Δ the nonce's mask; i, j the tweak, p = 16i + j. WB the wide-block cipher, ell (ℓ) its length, lam (λ) the stretch.
"""

import hmac
from typing import NamedTuple

from aegis import VerificationFailed, xor
from flex_permutations import PERMUTATIONS


class InvalidConfiguration(ValueError):
    """The configuration, or an argument for it, is none of Flex's. Never a matter of secrets."""


def require(condition, message):
    if not condition:
        raise InvalidConfiguration(message)


def LE(k, v):
    """v in k bytes, little-endian; the k of the specification is a subscript."""
    return v.to_bytes(k, "little")


def number(X):
    return int.from_bytes(X, "little")


def blocks(X, n):
    """X in pieces of n bytes; the last may be shorter."""
    return [X[i:i + n] for i in range(0, len(X), n)]


# ── Profiles ────────────────────────────────────────────────────────────────────────────────────

LEAF, KDF, AD_, NAD, MASK, SEG, XOF, HASH = range(8)                      # the domains of F; XOF is reserved


class Profile:
    """A permutation with its sizes and its field, and what is made of them alone: f, seq and F."""

    def __init__(self, id, name, permutation, t, polynomial):
        self.id, self.name, self.t = id, name, t
        self.B, self.pi, self.pi_inverse = PERMUTATIONS[permutation]
        self.r = self.B - t
        self.polynomial = sum(1 << e for e in polynomial)
        assert polynomial[0] == 8 * self.B
        self.WIDE = self.B >= 2 * t
        self.IV = ("Flex-1:" + name).encode().ljust(t, b"\0")
        self.FIN = b"\x5c" * t

    def pad10(self, X):
        assert len(X) < self.B
        return (X + b"\x80").ljust(self.B, b"\0")

    def dbl(self, X):
        v = number(X) << 1
        return LE(self.B, v ^ self.polynomial if v >> 8 * self.B else v)

    def f(self, H, b):
        """The compression function: π, truncated, with feed-forward."""
        assert (len(H), len(b)) == (self.t, self.r)
        return xor(self.pi(H + b)[:self.t], H)

    def seq(self, H, dom, X, ell, tree=0):
        k = (len(X).bit_length() + 7) // 8
        z = -(len(X) + k + 2) % self.r

        def S(c):
            return X + bytes(z) + LE(k, len(X)) + bytes([c, tree << 7 | dom << 4 | k])
        *first, _ = blocks(S(0), self.r)
        for b in first:
            H = self.f(H, b)
        H_ = xor(H, self.FIN)
        out, c = b"", 0
        while len(out) < ell:
            s = H_ + S(c)[-self.r:]
            out += xor(self.pi(s), s)
            c += 1
        return out[:ell]

    def F(self, H, dom, X, ell):
        if len(X) <= 256:
            return self.seq(H, dom, X, ell)
        CV = b"".join(self.seq(H, LEAF, Xi + LE(8, i), self.t) for i, Xi in enumerate(blocks(X, 256)))
        return self.seq(H, dom, CV + LE(8, len(X)), ell, tree=1)


PROFILES = {profile.id: profile for profile in (
    Profile(1, "S512", "Simpira v2, b = 4", 32, (512, 8, 5, 2, 0)),
    Profile(2, "S256", "Simpira v2, b = 2", 16, (256, 10, 5, 2, 0)),
    Profile(3, "S1024", "Simpira v2, b = 8", 32, (1024, 19, 6, 1, 0)),
    Profile(4, "S384", "Simpira v2, b = 3", 32, (384, 12, 3, 2, 0)),
    Profile(5, "A512", "Areion-512", 32, (512, 8, 5, 2, 0)),
    Profile(6, "A256", "Areion-256", 16, (256, 10, 5, 2, 0)),
    Profile(7, "K1600", "Keccak-p[1600, 12]", 32, (1600, 14, 11, 1, 0)),
    Profile(8, "AS320", "Ascon-p[12]", 16, (320, 4, 3, 1, 0)),
)}


# ── Configurations ──────────────────────────────────────────────────────────────────────────────

OCH, CIV, ROBUST, ROBUST_AE = 1, 2, 3, 4
NH, PRE, CMT, STREAM = 1, 2, 4, 8                                         # the flags
VARIABLE = 0xFFFF                                                         # NL: the nonce's length is free

LIMIT_MESSAGE = {OCH: 2**50, CIV: 2**50, ROBUST: 2**40, ROBUST_AE: 2**40} # of a message or, with STREAM, a segment
LIMIT_SEGMENTS = 2**64
LIMIT_AD = 2**60


class Configuration(NamedTuple):
    """The eight bytes, read. TL is the tag's length, or for ROBUST the stretch λ."""

    mode: int
    flags: int
    profile: Profile
    TL: int
    NL: int
    aux: int

    @classmethod
    def parse(cls, cfg8, allow_noncommitting=False, allow_64_bit=False):
        """The two permissions: for ROBUST without CMT, which commits to nothing, and for profiles with t = 16."""
        require(len(cfg8) == 8, f"a configuration has 8 bytes, not {len(cfg8)}")
        mode, flags, profile, TL = cfg8[:4]
        NL, aux = number(cfg8[4:6]), number(cfg8[6:])
        require(mode in LIMIT_MESSAGE, f"mode {mode} is unknown: 1 is OCH, 2 CIV, 3 ROBUST, 4 ROBUST-AE")
        require(flags < 16, f"flags {flags:#04x}: bits 4 to 7 must be zero")
        require(profile in PROFILES, f"profile {profile} is unknown")
        cfg = cls(mode, flags, PROFILES[profile], TL, NL, aux)
        B, t = cfg.profile.B, cfg.profile.t

        require(not cfg.has(CMT) or mode == ROBUST, "the flag CMT is for ROBUST: the other modes always commit")
        require(not cfg.has(STREAM) or mode in (OCH, CIV), "the flag STREAM is for OCH and CIV")
        require(not cfg.has(STREAM) or not cfg.has(NH), "STREAM does not hide its nonce")
        if cfg.has(STREAM):
            require(8 <= aux <= 24, f"segments have 2^8 to 2^24 bytes, not 2^{aux}")
        else:
            require(aux == 0, f"aux is {aux}, but only STREAM uses it")
        if mode != ROBUST:
            require(16 <= TL <= t, f"a tag has 16 to {t} bytes in profile {cfg.profile.name}, not {TL}")
        if cfg.has(NH):
            require(1 <= NL < B, f"a hidden nonce has 1 to {B - 1} bytes in profile {cfg.profile.name}, not {NL}")
        else:
            require(NL <= 1024 or NL == VARIABLE, f"a nonce has 0 to 1024 bytes, or a free length, not {NL}")
        require(mode != OCH or NL >= 8, f"a nonce of OCH has at least 8 bytes, not {NL}")
        require(cfg.commits or allow_noncommitting, "ROBUST without CMT does not commit: it must be allowed")
        require(t > 16 or allow_64_bit, f"profile {cfg.profile.name} is of the 64-bit level: it must be allowed")
        return cfg

    def has(self, flag):
        return bool(self.flags & flag)

    @property
    def commits(self):
        return self.mode != ROBUST or self.has(CMT)

    @property
    def hidden(self):
        """The bytes of nonce within the ciphertext."""
        return self.NL if self.has(NH) else 0

    @property
    def segment(self):
        return 1 << self.aux

    @property
    def overhead(self):
        """The bytes by which a ciphertext, or a segment, is longer than its message."""
        tag = self.profile.t if self.mode == ROBUST and self.has(CMT) else 0
        return self.hidden + self.TL + tag

    def ciphertext_length(self, message):
        """All lengths in bytes."""
        require(message >= 0, "a length is negative")
        if self.has(STREAM):
            s = max(1, -(-message // self.segment))
            require(s < LIMIT_SEGMENTS, "a stream has fewer than 2^64 segments")
            return message + s * self.overhead
        require(message <= LIMIT_MESSAGE[self.mode], f"a message has {message} bytes, above the limit of its mode")
        return message + self.overhead

    def check_nonce(self, N):
        if self.NL == VARIABLE:
            require(len(N) < 2**16, f"a nonce has at most 65535 bytes, not {len(N)}")
            require(self.mode != OCH or len(N) >= 8, f"a nonce of OCH has at least 8 bytes, not {len(N)}")
        else:
            require(len(N) == self.NL, f"the nonce has {len(N)} bytes, the configuration {self.NL}")


REGISTRY = {                                                              # names only: the cipher never sees them
    0x01: bytes.fromhex("0101012020000000"),                              # OCH, nonce hidden: the default
    0x02: bytes.fromhex("0100012018000000"),                              # OCH, nonce of 24 bytes
    0x03: bytes.fromhex("010001100c000000"),                              # OCH, nonce of 12 bytes, tag of 16
    0x11: bytes.fromhex("0201012020000000"),                              # CIV, nonce hidden
    0x12: bytes.fromhex("02000120ffff0000"),                              # CIV, any nonce: deterministic without
    0x21: bytes.fromhex("03040100ffff0000"),                              # ROBUST, committing, λ = 0
    0x22: bytes.fromhex("03000110ffff0000"),                              # ROBUST, λ = 16, not committing
    0x23: bytes.fromhex("03000100ffff0000"),                              # ROBUST, λ = 0: a cipher, not an AEAD
    0x24: bytes.fromhex("04000120ffff0000"),                              # ROBUST-AE
    0x31: bytes.fromhex("0108012018001000"),                              # OCH-STREAM, segments of 64 KiB
    0x32: bytes.fromhex("0208012018001000"),                              # CIV-STREAM, segments of 64 KiB
}


# ── E~ ──────────────────────────────────────────────────────────────────────────────────────────

COMMITTING = {OCH: {5, 6, 8}, CIV: {6}, ROBUST: {8}, ROBUST_AE: {8}}       # the j of calls marked [c]
COMMITTING_IF_WIDE = {OCH: {2, 3}, CIV: {3, 4}, ROBUST: set(), ROBUST_AE: set()}
WITH_NONCE = {OCH: range(8), CIV: (), ROBUST: (), ROBUST_AE: ()}          # the j whose mask has Δ


class TBC:
    """E~ under K1p, in one mode; Δ is zero until it is set. An instance is called E."""

    def __init__(self, profile, mode, K1p, table):
        self.profile, self.mode, self.K1p, self.table = profile, mode, K1p, table
        self.delta = bytes(profile.B)

    def committing(self, j):
        return j in COMMITTING[self.mode] or self.profile.WIDE and j in COMMITTING_IF_WIDE[self.mode]

    def D(self, i, j):
        B, t, r = self.profile.B, self.profile.t, self.profile.r
        assert 0 <= i < 2**64 and 0 <= j < 16
        p = 16 * i + j
        assert p >= 1
        M = xor(bytes(B), *(self.table[b] for b in range(p.bit_length()) if p >> b & 1))
        if j in WITH_NONCE[self.mode]:
            M = xor(M, self.delta)
        if self.committing(j):
            M = bytes(t) + M[t:]
        return xor(self.K1p + bytes(r), M)

    def __call__(self, i, j, X):
        D = self.D(i, j)
        return xor(self.profile.pi(xor(X, D)), D)

    def inverse(self, i, j, Y):
        D = self.D(i, j)
        return xor(self.profile.pi_inverse(xor(Y, D)), D)

    def tag(self, i, j, Z):
        """[c]: f(K1p, Z[0:r] ⊕ M[t:B]), so that a tag commits to K1p."""
        assert self.committing(j)
        t, r = self.profile.t, self.profile.r
        return self(i, j, bytes(t) + Z[:r])[:t]

    def H(self, i, j, X):
        """H~: no mask behind π. For sums that are never shown."""
        return self.profile.pi(xor(X, self.D(i, j)))

    def pad10(self, X):
        return self.profile.pad10(X)

    def split(self, P):
        """The whole blocks, and the tail."""
        B = self.profile.B
        return blocks(P[:len(P) - len(P) % B], B), P[len(P) - len(P) % B:]


def sum_of(B, Xs):
    return xor(bytes(B), *Xs)


# ── OCH ─────────────────────────────────────────────────────────────────────────────────────────

def och_short_tag(E, TL, P):
    U = E(0, 11, E.pad10(P))
    return E.tag(0, 8, U)[:TL]


def och_short_pad(E, T, P):
    return xor(P, E(0, 10, E.pad10(T))[:len(P)])


def och_tag(E, TL, m, chk, tail):
    r = E.profile.r
    if not E.profile.WIDE:
        x = E(m, 3, xor(chk, E.pad10(tail))) if tail else E(m, 2, chk)
        T = E.tag(m, 6, x)
    elif not tail:
        T = E.tag(m, 2, chk)
    elif len(tail) < r:
        T = E.tag(m, 3, xor(chk, E.pad10(tail)))
    else:
        T = E.tag(m, 5, xor(chk, E(m, 4, E.pad10(tail))))
    return T[:TL]


def och_enc(E, TL, w, P):
    """(C, T); the first w bytes of P are the nonce."""
    B = E.profile.B
    if len(P) < B:
        T = och_short_tag(E, TL, P)
        return och_short_pad(E, T, P), T
    if w:
        E.delta = E(0, 12, E.pad10(P[:w]))
    Ps, tail = E.split(P)
    m = len(Ps)
    C = E(0, 9, Ps[0]) + b"".join(E(i, 0, Ps[i]) for i in range(1, m))
    if tail:
        C += xor(tail, E(m, 1, bytes(B))[:len(tail)])
    return C, och_tag(E, TL, m, sum_of(B, Ps), tail)


def och_dec(E, TL, w, C):
    """(P, T): the tag that it should have."""
    B = E.profile.B
    C, T = C[:len(C) - TL], C[len(C) - TL:]
    if len(C) < B:
        P = och_short_pad(E, T, C)
        return P, och_short_tag(E, TL, P)
    Cs, tail = E.split(C)
    m = len(Cs)
    Ps = [E.inverse(0, 9, Cs[0])]
    if w:
        E.delta = E(0, 12, E.pad10(Ps[0][:w]))
    Ps += [E.inverse(i, 0, Cs[i]) for i in range(1, m)]
    if tail:
        tail = xor(tail, E(m, 1, bytes(B))[:len(tail)])
    return b"".join(Ps) + tail, och_tag(E, TL, m, sum_of(B, Ps), tail)


# ── CIV ─────────────────────────────────────────────────────────────────────────────────────────

def civ_tag(E, TL, P):
    Ps, tail = E.split(P)
    m = len(Ps)
    V = sum_of(E.profile.B, [E.H(i, 1, Pi) for i, Pi in enumerate(Ps)])
    if tail:
        V = xor(V, E.H(m, 2, E.pad10(tail)))
    j = 4 if tail else 3
    T = E.tag(m, j, V) if E.profile.WIDE else E.tag(m, 6, E(m, j, V))
    return T[:TL]


def civ_ctr(E, T, X):
    return b"".join(xor(Xi, E(i, 5, E.pad10(T))[:len(Xi)]) for i, Xi in enumerate(blocks(X, E.profile.B)))


def civ_enc(E, TL, w, P):
    T = civ_tag(E, TL, P)
    return civ_ctr(E, T, P), T


def civ_dec(E, TL, w, C):
    C, T = C[:len(C) - TL], C[len(C) - TL:]
    P = civ_ctr(E, T, C)
    return P, civ_tag(E, TL, P)


# ── ROBUST: the wide-block cipher ───────────────────────────────────────────────────────────────

G = 128                                                                   # blocks in a group


def rounds(ell):
    k = 4 if ell == 1 else 8 * (ell // 2)
    return max(10, 4 + 2 * -(-64 // k))


def feistel(E, X, inverse=False):
    """1 <= |X| < B. X, Y."""
    ell = len(X)
    if ell == 1:
        sides = [bytes([X[0] >> 4]), bytes([X[0] & 15])]
    else:
        sides = [X[:ell // 2], X[ell // 2:]]
    qs = range(rounds(ell))
    for q in reversed(qs) if inverse else qs:
        to, src = (0, 1) if q % 2 == 0 else (1, 0)
        o = E(256 * ell + q, 7, E.pad10(sides[src]))[:len(sides[to])]
        sides[to] = xor(sides[to], bytes([o[0] & 15]) if ell == 1 else o)
    A, Bv = sides
    return bytes([16 * A[0] + Bv[0]]) if ell == 1 else A + Bv


def mix(E, ell, Xs, tail, first, second, mid):
    """The two directions of EME*: first and second are the layers, mid the calls in the middle.

    (Y, Z). mid(MP) gives what is added to the tail, and MC; E_(g,6) goes the direction of the layers, too.
    """
    profile, m = E.profile, len(Xs)
    U = [first(i, Xi) for i, Xi in enumerate(Xs)]
    MP = sum_of(profile.B, U + ([E.pad10(tail)] if tail else []))
    pad, MC = mid(MP)
    if tail:
        tail = xor(tail, pad[:len(tail)])
    Q = cur = xor(MP, MC)
    V = [None] * m
    for i in range(1, m):
        g, k = divmod(i - 1, G)
        if g >= 1 and k == 0:
            mp = xor(U[i], Q)
            mc = mid.group(g, mp)
            cur = xor(mp, mc)
            V[i] = xor(mc, Q)
        else:
            cur = profile.dbl(cur)
            V[i] = xor(U[i], cur)
    V[0] = sum_of(profile.B, [MC] + V[1:] + ([E.pad10(tail)] if tail else []))
    return b"".join(second(i, Vi) for i, Vi in enumerate(V)) + tail, Q[:profile.r]


class Mid:
    """The calls in the middle, one way or the other."""

    def __init__(self, E, ell, tail, inverse):
        self.E, self.ell, self.tail, self.way = E, ell, tail, E.inverse if inverse else E
        self.order = (5, 4) if inverse else (4, 5)

    def __call__(self, MP):
        if not self.tail:
            return None, self.way(self.ell, 3, MP)
        MM = self.way(self.ell, self.order[0], MP)
        return MM, self.way(self.ell, self.order[1], MM)

    def group(self, g, mp):
        return self.way(g, 6, mp)


def WB(E, X):
    """(Y, Z): as long as X; Z, r bytes, is what the tag of CMT is made of."""
    ell = len(X)
    if ell < E.profile.B:
        return feistel(E, X) if ell else b"", E(ell, 9, E.pad10(X))[:E.profile.r]
    Xs, tail = E.split(X)
    return mix(E, ell, Xs, tail, lambda i, x: E(i, 1, x), lambda i, x: E(i, 2, x), Mid(E, ell, tail, False))


def WB_inverse(E, Y):
    """(X, Z)"""
    ell = len(Y)
    if ell < E.profile.B:
        X = feistel(E, Y, inverse=True) if ell else b""
        return X, E(ell, 9, E.pad10(X))[:E.profile.r]
    Ys, tail = E.split(Y)
    return mix(E, ell, Ys, tail, lambda i, y: E.inverse(i, 2, y), lambda i, y: E.inverse(i, 1, y),
               Mid(E, ell, tail, True))


# ── ROBUST-AE: the wide-block cipher with a tag in its middle ───────────────────────────────────

class TagInTheMiddle:
    """The middle of EME*, where the tag is made of W and gives the inner half its key. Outer: E, inner: E_T."""

    def __init__(self, E, TL, ell, tail):
        self.E, self.TL, self.ell, self.tail = E, TL, ell, tail

    def tag(self, W):
        return self.E.tag(self.ell, 8, W)[:self.TL]

    def inner(self, T):
        """E~ under K1'' = E~(ℓ, 10; pad10(T))[0:t]."""
        E = self.E
        return TBC(E.profile, E.mode, E(self.ell, 10, E.pad10(T))[:E.profile.t], E.table)

    def pad(self, MM):
        """The inner half's pad. With MM itself, a text that is deciphered and enciphered again would keep its tail."""
        return self.E_T(self.ell, 11, MM)


class Sealing(TagInTheMiddle):
    def __call__(self, MP):
        MM = W = self.E(self.ell, 4, MP) if self.tail else MP
        self.T = self.tag(W)
        self.E_T = self.inner(self.T)
        return (self.pad(MM), self.E_T(self.ell, 5, MM)) if self.tail else (None, self.E_T(self.ell, 3, MP))

    def group(self, g, mp):
        return self.E_T(g, 6, mp)


class Opening(TagInTheMiddle):
    def __init__(self, E, T, ell, tail):
        super().__init__(E, len(T), ell, tail)
        self.E_T = self.inner(T)

    def __call__(self, MC):
        W = self.E_T.inverse(self.ell, 5 if self.tail else 3, MC)
        self.T = self.tag(W)
        return (self.pad(W), self.E.inverse(self.ell, 4, W)) if self.tail else (None, W)

    def group(self, g, mc):
        return self.E_T.inverse(g, 6, mc)


def robust_ae_enc(E, TL, w, P):
    """(Y, T)"""
    ell = len(P)
    Ps, tail = E.split(P)
    mid = Sealing(E, TL, ell, tail)
    if ell < E.profile.B:
        T = mid.tag(E(ell, 9, E.pad10(P)))
        return feistel(mid.inner(T), P) if ell else b"", T
    Y, _ = mix(E, ell, Ps, tail, lambda i, x: E(i, 1, x), lambda i, x: mid.E_T(i, 2, x), mid)
    return Y, mid.T


def robust_ae_dec(E, TL, w, C):
    """(P, T): the tag that it should have."""
    Y, T = C[:len(C) - TL], C[len(C) - TL:]
    ell = len(Y)
    Ys, tail = E.split(Y)
    mid = Opening(E, T, ell, tail)
    if ell < E.profile.B:
        P = feistel(mid.E_T, Y, inverse=True) if ell else b""
        return P, mid.tag(E(ell, 9, E.pad10(P)))
    P, _ = mix(E, ell, Ys, tail, lambda i, y: mid.E_T.inverse(i, 2, y), lambda i, y: E.inverse(i, 1, y), mid)
    return P, mid.T


# ── The AEAD ────────────────────────────────────────────────────────────────────────────────────

ENC = {OCH: och_enc, CIV: civ_enc, ROBUST_AE: robust_ae_enc}
DEC = {OCH: och_dec, CIV: civ_dec, ROBUST_AE: robust_ae_dec}


class Flex:
    """A key, a configuration and setup associated data: init, then seal and open."""

    def __init__(self, cfg8, K, AD_s=b"", allow_noncommitting=False, allow_64_bit=False):
        self.cfg = Configuration.parse(cfg8, allow_noncommitting, allow_64_bit)
        self.profile = profile = self.cfg.profile
        require(16 <= len(K) <= 1024, f"a key has 16 to 1024 bytes, not {len(K)}")
        require(len(AD_s) <= LIMIT_AD, "setup associated data of more than 2^60 bytes")
        if self.cfg.has(PRE):
            AD_s = profile.F(profile.IV, HASH, AD_s, profile.t)
        X = K + bytes(-len(K) % profile.r) + cfg8 + AD_s + LE(2, len(K))
        t = profile.t
        K123 = profile.F(profile.IV, KDF, X, 3 * t)
        self.K1, self.K2, self.K3 = K123[:t], K123[t:2 * t], K123[2 * t:]
        self.L = profile.seq(self.K2, MASK, self.K3, profile.B)
        self.table = [self.L]
        while len(self.table) < 80:
            self.table.append(profile.dbl(self.table[-1]))

    def ctx(self, N, AD):
        """K1': what the tag commits to."""
        t = self.profile.t
        if self.cfg.has(NH):
            return self.profile.F(self.K1, AD_, AD, t) if AD else self.K1
        length = LE(2, len(N)) if self.cfg.NL == VARIABLE else b""
        return self.profile.F(self.K1, NAD, AD + N + length, t)

    def tbc(self, K1p):
        return TBC(self.profile, self.cfg.mode, K1p, self.table)

    def seal(self, N, AD, M):
        cfg = self.cfg
        cfg.check_nonce(N)
        require(len(AD) <= LIMIT_AD, "associated data of more than 2^60 bytes")
        length = cfg.ciphertext_length(len(M))
        K1p = self.ctx(N, AD)
        if cfg.has(STREAM):
            C = self.seal_stream(K1p, M)
        else:
            P = N + M if cfg.has(NH) else M
            C = self.seal_robust(K1p, P) if cfg.mode == ROBUST else self.seal_core(K1p, P)
        assert len(C) == length
        return C

    def open(self, N, AD, C):
        """(N, M): the nonce that was hidden, or given. With NH none is given: b""."""
        cfg = self.cfg
        require(len(AD) <= LIMIT_AD, "associated data of more than 2^60 bytes")
        if not cfg.has(NH):
            cfg.check_nonce(N)
        elif N:
            raise VerificationFailed
        if len(C) < cfg.overhead:
            raise VerificationFailed
        if not cfg.has(STREAM):
            cfg.ciphertext_length(len(C) - cfg.overhead)
        K1p = self.ctx(b"" if cfg.has(NH) else N, AD)
        if cfg.has(STREAM):
            return N, self.open_stream(K1p, C)
        P = self.open_robust(K1p, C) if cfg.mode == ROBUST else self.open_core(K1p, C)
        return (P[:cfg.NL], P[cfg.NL:]) if cfg.has(NH) else (N, P)

    # OCH, CIV and ROBUST-AE

    def seal_core(self, K1p, P):
        C, T = ENC[self.cfg.mode](self.tbc(K1p), self.cfg.TL, self.cfg.hidden, P)
        return C + T

    def open_core(self, K1p, C):
        TL = self.cfg.TL
        if len(C) < self.cfg.hidden + TL:
            raise VerificationFailed
        P, T = DEC[self.cfg.mode](self.tbc(K1p), TL, self.cfg.hidden, C)
        if not hmac.compare_digest(T, C[len(C) - TL:]):
            raise VerificationFailed
        return P

    # ROBUST

    def seal_robust(self, K1p, P):
        E = self.tbc(K1p)
        Y, Z = WB(E, P + bytes(self.cfg.TL))
        return Y + (E.tag(len(Y), 8, Z) if self.cfg.has(CMT) else b"")

    def open_robust(self, K1p, C):
        E, lam = self.tbc(K1p), self.cfg.TL
        t = self.profile.t if self.cfg.has(CMT) else 0
        Y, T = C[:len(C) - t], C[len(C) - t:]
        X, Z = WB_inverse(E, Y)
        P, zeros = X[:len(X) - lam], X[len(X) - lam:]
        expected = E.tag(len(Y), 8, Z) if t else b""
        if not hmac.compare_digest(zeros + T, bytes(lam) + expected):
            raise VerificationFailed
        return P

    # STREAM

    def segment_key(self, Ks, j, last):
        return self.profile.F(Ks, SEG, LE(8, j) + bytes([last]), self.profile.t)

    def seal_stream(self, Ks, M):
        Ms = blocks(M, self.cfg.segment) or [b""]
        return b"".join(self.seal_segment(Ks, j, j == len(Ms) - 1, Mj) for j, Mj in enumerate(Ms))

    def seal_segment(self, Ks, j, last, Mj):
        return self.seal_core(self.segment_key(Ks, j, last), Mj)

    def open_stream(self, Ks, C):
        TL = self.cfg.TL
        Cs = blocks(C, self.cfg.segment + TL)
        if not Cs or len(Cs[-1]) < TL or len(Cs) > 1 and len(Cs[-1]) == TL:
            raise VerificationFailed
        return b"".join(self.open_segment(Ks, j, j == len(Cs) - 1, Cj) for j, Cj in enumerate(Cs))

    def open_segment(self, Ks, j, last, Cj):
        """Ks = ctx(N, AD). Whoever seeks opens the last segment first: only that tells the length."""
        return self.open_core(self.segment_key(Ks, j, last), Cj)


# ── The registry's name ─────────────────────────────────────────────────────────────────────────

class Algorithm:
    """The interface of research/reference/aegis.py: C is the whole ciphertext, the tag is empty.

    Where the nonce is hidden, Decrypt compares the one that it recovers with the one that it is given.
    """

    TAG = 0

    def __init__(self, cfg8, AD_s=b""):
        self.cfg8, self.AD_s = cfg8, AD_s
        self.cfg = Configuration.parse(cfg8, allow_noncommitting=True, allow_64_bit=True)

    def init(self, K):
        return Flex(self.cfg8, K, self.AD_s, allow_noncommitting=True, allow_64_bit=True)

    def Encrypt(self, M, AD, K, N, t=0):
        require(t == 0, "the tag is part of the ciphertext")
        return self.init(K).seal(N, AD, M), b""

    def Decrypt(self, C, T, AD, K, N):
        require(T == b"", "the tag is part of the ciphertext")
        hidden = self.cfg.has(NH)
        recovered, M = self.init(K).open(b"" if hidden else N, AD, C)
        if not hmac.compare_digest(recovered, N):
            raise VerificationFailed
        return M


def algorithm(name, params):
    assert name == "flex"
    return Algorithm(bytes.fromhex(params["cfg"]), bytes.fromhex(params.get("setupAd", "")))
