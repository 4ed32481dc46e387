"""AEGIS, slowly and to the letter: the oracle the other implementations are held against.

Two specifications, each transcribed in its own form so that they check one another:
  IETF   draft-irtf-cfrg-aegis-aead-18: AEGIS-128L, -256, -128X, -256X (any degree D <= 256),
         AEGISMAC and Stream. One state of D lanes, R bits absorbed per update.
  v1.0   F. Denis, "Adding more parallelism to the AEGIS authenticated encryption algorithms",
         eprint 2023/523: AEGIS-128X[nu] and AEGIS-256X[nu]. nu separate AEGIS runs over
         interleaved fragments. Where the paper errs, research/papers/aegis.md says what replaces it.

What it does not give: speed (about 0.01 MB/s), constant time, erased secrets, or length limits.
Never two tag lengths under one (key, nonce). Never one (key, nonce) under two v1.0 degrees.

Letters. IETF: V[j][i] is AES block j of lane i; D degree, R rate in bits, ctx[i] lane i's context.
v1.0: S state, CTX context, K key, IV nonce, A and M the fragments of AD and P that one lane sees,
nu degree, r rate of one lane in bits; a hat (Px) is padded, a bar (Pb) is split into fragments.
Lengths passed to Split, ZeroPad, Pad and Truncate are in bits, as in both texts.
"""

import hmac
from operator import itemgetter

C0 = bytes.fromhex("000101020305080d1522375990e97962")
C1 = bytes.fromhex("db3d18556dc22ff12011314273b528dd")


class VerificationFailed(Exception):
    """The tag does not match. Carries nothing else: no plaintext, no expected tag."""


# ── Bits and bytes ──────────────────────────────────────────────────────────────────────────────

def xor(first, *rest):
    n = int.from_bytes(first, "big")
    for x in rest:
        assert len(x) == len(first)
        n ^= int.from_bytes(x, "big")
    return n.to_bytes(len(first), "big")


def land(x, y):
    assert len(x) == len(y)
    return (int.from_bytes(x, "big") & int.from_bytes(y, "big")).to_bytes(len(x), "big")


def ZeroPad(x, n):
    return x + bytes(-len(x) % (n // 8))


def Split(x, n):
    """Whole n-bit blocks; a partial one is ignored."""
    return [x[k:k + n // 8] for k in range(0, len(x) - n // 8 + 1, n // 8)]


def Truncate(x, n):
    return x[:n // 8]


def Tail(x, n):
    return x[len(x) - n // 8:]


def LE64(n):
    return n.to_bytes(8, "little")


def bits(x):
    """|x|"""
    return 8 * len(x)


# ── The AES round, from FIPS 197 ────────────────────────────────────────────────────────────────

def gf_mul(a, b):
    """Product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, 4.2)."""
    p = 0
    while b:
        if b & 1:
            p ^= a
        a = a << 1 ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return p


def sbox(a):
    """Inverse (0 to 0), then the affine map over GF(2) (FIPS 197, 5.1.1)."""
    inverse = 1
    for _ in range(254):
        inverse = gf_mul(inverse, a)
    rotations = [(inverse << k | inverse >> 8 - k) & 0xFF for k in range(5)]
    return rotations[0] ^ rotations[1] ^ rotations[2] ^ rotations[3] ^ rotations[4] ^ 0x63


SBOX = bytes(sbox(a) for a in range(256))
XTIME = bytes(gf_mul(a, 2) for a in range(256))

# Byte r + 4c of a block is row r, column c of the AES state.
# ShiftRows takes row r from column c + r: index r + 4(c + r) = 5(r + 4c) mod 16.
_SHIFT_ROWS = itemgetter(*(5 * i % 16 for i in range(16)))
_ROW = [itemgetter(*(i - i % 4 + (i + k) % 4 for i in range(16))) for k in range(4)]  # row r + k


def AESRound(in_, rk):
    s = bytes(_SHIFT_ROWS(in_.translate(SBOX)))          # SubBytes, ShiftRows
    s2 = s.translate(XTIME)
    s3 = xor(s2, s)                                      # MixColumns: 2 a[r] + 3 a[r+1] + a[r+2] + a[r+3]
    return xor(s2, bytes(_ROW[1](s3)), bytes(_ROW[2](s)), bytes(_ROW[3](s)), rk)


# ── IETF ────────────────────────────────────────────────────────────────────────────────────────

class Aegis:
    """The common part of sections 3 to 5, 7 and 8; the subclass brings the state."""

    def __init__(self, D=1):
        assert 1 <= D <= 256                             # Byte(D - 1)
        self.D = D
        self.R = self.RATE * D
        self.ctx = [ZeroPad(bytes([i, D - 1]), 128) for i in range(D)]
        if D == 1:
            assert self.ctx == [bytes(16)]               # so that X with D = 1 is 128L or 256

    def Encrypt(self, msg, ad, key, nonce, tag_len_bits=128):
        self._check(key, nonce, tag_len_bits)
        self.Init(key, nonce)
        ct = b""
        for ai in Split(ZeroPad(ad, self.R), self.R):
            self.Absorb(ai)
        for xi in Split(ZeroPad(msg, self.R), self.R):
            ct += self.Enc(xi)
        tag = self.Finalize(bits(ad), bits(msg), tag_len_bits)
        return Truncate(ct, bits(msg)), tag

    def Decrypt(self, ct, tag, ad, key, nonce):
        self._check(key, nonce, bits(tag))
        self.Init(key, nonce)
        msg = b""
        for ai in Split(ZeroPad(ad, self.R), self.R):
            self.Absorb(ai)
        # Not Split(ZeroPad(ct, ..), ..) as 4.2 has it: the partial block would be taken twice.
        for ci in Split(ct, self.R):
            msg += self.Dec(ci)
        cn = Tail(ct, bits(ct) % self.R)
        if cn:
            msg += self.DecPartial(cn)
        expected_tag = self.Finalize(bits(ad), bits(msg), bits(tag))
        if not hmac.compare_digest(tag, expected_tag):
            raise VerificationFailed
        return msg

    def Stream(self, len_, key, nonce=None):
        """len_ in bits. Encryption of zeros without associated data."""
        nonce = bytes(self.KEY) if nonce is None else nonce
        stream, _ = self.Encrypt(bytes(len_ // 8), b"", key, nonce)
        return stream

    def Mac(self, data, key, nonce, tag_len_bits=128):
        self._check(key, nonce, tag_len_bits)
        self.Init(key, nonce)
        for di in Split(ZeroPad(data, self.R), self.R):
            self.Absorb(di)
        return self.FinalizeMac(bits(data), tag_len_bits)

    def MacVerify(self, data, tag, key, nonce):
        if not hmac.compare_digest(tag, self.Mac(data, key, nonce, bits(tag))):
            raise VerificationFailed

    def _check(self, key, nonce, tag_len_bits):
        if len(key) != self.KEY or len(nonce) != self.KEY or tag_len_bits not in (128, 256):
            raise ValueError("key, nonce or tag of a wrong length")


class Aegis128X(Aegis):
    """Section 5.4 (and 3 for D = 1), MAC 8.3 (8.1)."""

    KEY = 16
    RATE = 256

    def Update(self, M0, M1):
        V, zero = self.V, [bytes(16)] * self.D
        m = [Split(M0, 128), zero, zero, zero, Split(M1, 128), zero, zero, zero]
        # V'[j,i] = AESRound(V[j-1,i], V[j,i] ^ m), j - 1 modulo 8
        self.V = [[AESRound(V[j - 1][i], xor(V[j][i], m[j][i])) for i in range(self.D)]
                  for j in range(8)]

    def Init(self, key, nonce):
        kn = xor(key, nonce)
        S = [kn, C1, C0, C1, kn, xor(key, C0), xor(key, C1), xor(key, C0)]
        self.V = [[Sj] * self.D for Sj in S]
        for _ in range(10):
            for i in range(self.D):
                self.V[3][i] = xor(self.V[3][i], self.ctx[i])
                self.V[7][i] = xor(self.V[7][i], self.ctx[i])
            self.Update(nonce * self.D, key * self.D)

    def Z(self):
        V, D = self.V, range(self.D)
        z0 = b"".join(xor(V[6][i], V[1][i], land(V[2][i], V[3][i])) for i in D)
        z1 = b"".join(xor(V[2][i], V[5][i], land(V[6][i], V[7][i])) for i in D)
        return z0, z1

    def Absorb(self, ai):
        t0, t1 = Split(ai, self.R // 2)                  # 5.4.3 prints Split(ai, R): halves are meant
        self.Update(t0, t1)

    def Enc(self, xi):
        z0, z1 = self.Z()
        t0, t1 = Split(xi, self.R // 2)
        out0, out1 = xor(t0, z0), xor(t1, z1)
        self.Update(t0, t1)
        return out0 + out1

    def Dec(self, ci):
        z0, z1 = self.Z()
        t0, t1 = Split(ci, self.R // 2)
        out0, out1 = xor(t0, z0), xor(t1, z1)
        self.Update(out0, out1)
        return out0 + out1

    def DecPartial(self, cn):
        z0, z1 = self.Z()
        t0, t1 = Split(ZeroPad(cn, self.R), self.R // 2)
        out0, out1 = xor(t0, z0), xor(t1, z1)
        xn = Truncate(out0 + out1, bits(cn))
        v0, v1 = Split(ZeroPad(xn, self.R), self.R // 2)
        self.Update(v0, v1)
        return xn

    def Tag(self, i, tag_len_bits):
        """Lane i's tag."""
        S = [Vj[i] for Vj in self.V]
        return xor(*S[:7]) if tag_len_bits == 128 else xor(*S[:4]) + xor(*S[4:])

    def Finalize(self, ad_len_bits, msg_len_bits, tag_len_bits):
        u = LE64(ad_len_bits) + LE64(msg_len_bits)
        t = b"".join(xor(self.V[2][i], u) for i in range(self.D))
        for _ in range(7):
            self.Update(t, t)
        return xor(*(self.Tag(i, tag_len_bits) for i in range(self.D)))

    def FinalizeMac(self, data_len_bits, tag_len_bits):
        if tag_len_bits == 128 and self.D > 1 and self.D % 2:
            # Split(tags, 256) of 8.3.2 would drop the last lane, and with it that lane's data.
            raise ValueError("AEGISMAC-128X with a 128-bit tag needs an even degree")
        u = LE64(data_len_bits) + LE64(tag_len_bits)
        t = b"".join(xor(self.V[2][i], u) for i in range(self.D))
        for _ in range(7):
            self.Update(t, t)
        self.tags = b""
        if self.D > 1:
            # Lane 0's own tag is absorbed with a 128-bit tag and skipped with a 256-bit one.
            first = 0 if tag_len_bits == 128 else 1
            self.tags = b"".join(self.Tag(i, tag_len_bits) for i in range(first, self.D))
            for v in Split(self.tags, 256):
                x0, x1 = Split(v, 128)
                self.Absorb(ZeroPad(x0, self.R // 2) + ZeroPad(x1, self.R // 2))
            t = ZeroPad(xor(self.V[2][0], LE64(self.D) + LE64(tag_len_bits)), self.R // 2)
            for _ in range(7):
                self.Update(t, t)
        return self.Tag(0, tag_len_bits)


class Aegis256X(Aegis):
    """Section 5.5 (and 4 for D = 1), MAC 8.4 (8.2)."""

    KEY = 32
    RATE = 128

    def Update(self, M):
        V, zero = self.V, [bytes(16)] * self.D
        m = [Split(M, 128), zero, zero, zero, zero, zero]
        # V'[j,i] = AESRound(V[j-1,i], V[j,i] ^ m), j - 1 modulo 6
        self.V = [[AESRound(V[j - 1][i], xor(V[j][i], m[j][i])) for i in range(self.D)]
                  for j in range(6)]

    def Init(self, key, nonce):
        k0, k1 = Split(key, 128)
        n0, n1 = Split(nonce, 128)
        S = [xor(k0, n0), xor(k1, n1), C1, C0, xor(k0, C0), xor(k1, C1)]
        self.V = [[Sj] * self.D for Sj in S]
        for _ in range(4):
            for m in (k0, k1, xor(k0, n0), xor(k1, n1)):
                for i in range(self.D):
                    self.V[3][i] = xor(self.V[3][i], self.ctx[i])
                    self.V[5][i] = xor(self.V[5][i], self.ctx[i])
                self.Update(m * self.D)

    def Z(self):
        V = self.V
        return b"".join(xor(V[1][i], V[4][i], V[5][i], land(V[2][i], V[3][i]))
                        for i in range(self.D))

    def Absorb(self, ai):
        self.Update(ai)

    def Enc(self, xi):
        z = self.Z()
        self.Update(xi)
        return xor(xi, z)

    def Dec(self, ci):
        xi = xor(ci, self.Z())
        self.Update(xi)
        return xi

    def DecPartial(self, cn):
        out = xor(ZeroPad(cn, self.R), self.Z())
        xn = Truncate(out, bits(cn))
        self.Update(ZeroPad(xn, self.R))
        return xn

    def Tag(self, i, tag_len_bits):
        """Lane i's tag."""
        S = [Vj[i] for Vj in self.V]
        return xor(*S) if tag_len_bits == 128 else xor(*S[:3]) + xor(*S[3:])

    def Finalize(self, ad_len_bits, msg_len_bits, tag_len_bits):
        u = LE64(ad_len_bits) + LE64(msg_len_bits)
        t = b"".join(xor(self.V[3][i], u) for i in range(self.D))
        for _ in range(7):
            self.Update(t)
        return xor(*(self.Tag(i, tag_len_bits) for i in range(self.D)))

    def FinalizeMac(self, data_len_bits, tag_len_bits):
        u = LE64(data_len_bits) + LE64(tag_len_bits)
        t = b"".join(xor(self.V[3][i], u) for i in range(self.D))
        for _ in range(7):
            self.Update(t)
        self.tags = b""
        if self.D > 1:
            # Lane 0's own tag is skipped for both lengths, unlike AEGISMAC-128X.
            self.tags = b"".join(self.Tag(i, tag_len_bits) for i in range(1, self.D))
            for v in Split(self.tags, 128):
                self.Absorb(ZeroPad(v, self.R))
            t = ZeroPad(xor(self.V[3][0], LE64(self.D) + LE64(tag_len_bits)), self.R)
            for _ in range(7):
                self.Update(t)
        return self.Tag(0, tag_len_bits)


# ── v1.0 ────────────────────────────────────────────────────────────────────────────────────────

Pad = ZeroPad


def F_128L(S, m0, m1):
    """State update of AEGIS-128L."""
    return [AESRound(S[7], xor(S[0], m0)), AESRound(S[0], S[1]),
            AESRound(S[1], S[2]), AESRound(S[2], S[3]),
            AESRound(S[3], xor(S[4], m1)), AESRound(S[4], S[5]),
            AESRound(S[5], S[6]), AESRound(S[6], S[7])]


def F_256(S, m):
    """State update of AEGIS-256."""
    return [AESRound(S[5], xor(S[0], m)), AESRound(S[0], S[1]), AESRound(S[1], S[2]),
            AESRound(S[2], S[3]), AESRound(S[3], S[4]), AESRound(S[4], S[5])]


def Initialize_128L(CTX, K, IV):
    """Algorithm 2."""
    KIV = xor(K, IV)
    S = [KIV, C1, C0, C1, KIV, xor(K, C0), xor(K, C1), xor(K, C0)]
    for _ in range(10):
        S[3] = xor(S[3], Pad(CTX, 128))
        S[7] = xor(S[7], Pad(CTX, 128))
        S = F_128L(S, IV, K)
    return S


def Initialize_256(CTX, K, IV):
    """Algorithm 4, corrected: as printed it is not AEGIS-256 (research/papers/aegis.md, erratum 1)."""
    K0, K1 = Split(K, 128)
    IV0, IV1 = Split(IV, 128)
    S = [xor(K0, IV0), xor(K1, IV1), C1, C0, xor(K0, C0), xor(K1, C1)]
    for _ in range(4):
        for m in (K0, K1, xor(K0, IV0), xor(K1, IV1)):
            S[3] = xor(S[3], Pad(CTX, 128))
            S[5] = xor(S[5], Pad(CTX, 128))
            S = F_256(S, m)
    return S


def Lane_128L(CTX, K, IV, A, M, u, tag_len_bits, mask=None):
    """Enc_128L(CTX, K, IV, A, M). u = LE64(|AD|) || LE64(|P|), total and unpadded.

    With mask, M is ciphertext: it is decrypted, and only bytes under ff in the mask are absorbed.
    """
    S = Initialize_128L(CTX, K, IV)
    for a in Split(A, 256):
        S = F_128L(S, *Split(a, 128))
    out = b""
    for k, x in enumerate(Split(M, 256)):
        z0 = xor(S[6], S[1], land(S[2], S[3]))
        z1 = xor(S[2], S[5], land(S[6], S[7]))
        y = xor(x, z0 + z1)
        if mask is not None:
            y = land(y, Split(mask, 256)[k])
        S = F_128L(S, *Split(x if mask is None else y, 128))
        out += y
    t = xor(S[2], u)
    for _ in range(7):
        S = F_128L(S, t, t)
    return out, xor(*S[:7]) if tag_len_bits == 128 else xor(*S[:4]) + xor(*S[4:])


def Lane_256(CTX, K, IV, A, M, u, tag_len_bits, mask=None, Initialize=Initialize_256):
    """Enc_256(CTX, K, IV, A, M). As Lane_128L."""
    S = Initialize(CTX, K, IV)
    for a in Split(A, 128):
        S = F_256(S, a)
    out = b""
    for k, x in enumerate(Split(M, 128)):
        y = xor(x, S[1], S[4], S[5], land(S[2], S[3]))
        if mask is not None:
            y = land(y, Split(mask, 128)[k])
        S = F_256(S, x if mask is None else y)
        out += y
    t = xor(S[3], u)
    for _ in range(7):
        S = F_256(S, t)
    return out, xor(*S) if tag_len_bits == 128 else xor(*S[:3]) + xor(*S[3:])


def Interleave(x, nu):
    """Fragment i is b_i || b_{nu+i} || b_{2 nu+i} || ..., the b being 128-bit blocks."""
    b = Split(x, 128)
    return [b"".join(b[i::nu]) for i in range(nu)]


def Deinterleave(fragments):
    return b"".join(b"".join(row) for row in zip(*(Split(f, 128) for f in fragments)))


class AegisV1:
    """Section 4. The paper defines encryption only; Decrypt is its inverse."""

    def __init__(self, nu):
        assert 1 <= nu <= 256                            # CTX is one byte: the paper leaves its width open
        self.nu = nu

    def Encrypt(self, P, AD, K, IV, tag_len_bits=128):
        u = LE64(bits(AD)) + LE64(bits(P))
        Cx, T = self._lanes(AD, P, K, IV, u, tag_len_bits)
        return Truncate(Cx, bits(P)), T

    def Decrypt(self, C, T, AD, K, IV):
        u = LE64(bits(AD)) + LE64(bits(C))
        Px, expected = self._lanes(AD, C, K, IV, u, bits(T), mask=b"\xff" * len(C))
        if not hmac.compare_digest(T, expected):
            raise VerificationFailed
        return Truncate(Px, bits(C))

    def _lanes(self, AD, X, K, IV, u, tag_len_bits, mask=None):
        if len(K) != self.KEY or len(IV) != self.KEY or tag_len_bits not in (128, 256):
            raise ValueError("key, nonce or tag of a wrong length")
        nu, stride = self.nu, self.r * self.nu
        ADb = Interleave(Pad(AD, stride), nu)
        Xb = Interleave(Pad(X, stride), nu)
        mb = [None] * nu if mask is None else Interleave(Pad(mask, stride), nu)
        lanes = [self.Lane(*self.separate(i, K, IV, tag_len_bits), ADb[i], Xb[i], u, tag_len_bits, mb[i])
                 for i in range(nu)]
        return Deinterleave([out for out, _ in lanes]), xor(*(T for _, T in lanes))

    def separate(self, i, K, IV, tag_len_bits):
        """CTX, K and IV of lane i."""
        return bytes([i]), K, IV


class Aegis128XV1(AegisV1):
    KEY, r, Lane = 16, 256, staticmethod(Lane_128L)


class Aegis256XV1(AegisV1):
    KEY, r, Lane = 32, 128, staticmethod(Lane_256)


# ── v1.0, section 5: what it considers and does not choose ──────────────────────────────────────

class ShortIv:
    """IV has 128 - log2(nu) bits (256 - log2(nu) in AEGIS-256X), and the lane's index follows it; CTX = 0.

    IV is given as whole blocks whose last log2(nu) bits are zero.
    """

    def separate(self, i, K, IV, tag_len_bits):
        if IV[-1] & (1 << (self.nu - 1).bit_length()) - 1:
            raise ValueError("the nonce's last bits are the lane's")
        return b"\0", K, IV[:-1] + bytes([IV[-1] | i])


class TagContext:
    """CTX is i, and behind it |T| / 128 - 1, so that two tag sizes are two functions."""

    def separate(self, i, K, IV, tag_len_bits):
        return bytes([i, tag_len_bits // 128 - 1]), K, IV


class Aegis128XShortIv(ShortIv, Aegis128XV1):
    pass


class Aegis256XShortIv(ShortIv, Aegis256XV1):
    pass


class Aegis128XTagContext(TagContext, Aegis128XV1):
    pass


class Aegis256XTagContext(TagContext, Aegis256XV1):
    pass


EXPERIMENTAL = {
    "aegis-128x-short-iv": Aegis128XShortIv, "aegis-256x-short-iv": Aegis256XShortIv,
    "aegis-128x-tag-context": Aegis128XTagContext, "aegis-256x-tag-context": Aegis256XTagContext,
}


# ── The registry's names ────────────────────────────────────────────────────────────────────────

IETF = {
    "aegis-128l": (Aegis128X, 1), "aegis-128x2": (Aegis128X, 2), "aegis-128x4": (Aegis128X, 4),
    "aegis-256": (Aegis256X, 1), "aegis-256x2": (Aegis256X, 2), "aegis-256x4": (Aegis256X, 4),
}
V1 = {"aegis-128x-v1": Aegis128XV1, "aegis-256x-v1": Aegis256XV1}


def algorithm(name, params=None):
    """The algorithm a vector file names; a MAC is its AEAD's object, used through Mac."""
    if name in V1:
        return V1[name](params["degree"])
    variant, D = IETF[name.removesuffix("-mac")]
    return variant(D)
