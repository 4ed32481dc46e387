"""OMD, slowly and to the letter: a compression function with a key in it, made into an AEAD by masks.

Source: docs/spec/omd.md, "OMD v2.0, secure empty inputs". The mode is that of S. Cogliani, D. Maimuţ, D. Naccache,
R. Portella do Canto, R. Reyhanitabar, S. Vaudenay, D. Vizár, "OMD: A Compression Function Mode of Operation for
Authenticated Encryption", SAC 2014, and of its CAESAR submission, version 2.0.

  omd-sha256, omd-sha512   the compression functions of FIPS 180-4.
  omd-blake2b              that of RFC 7693 with t = 0 and f = 0: ours, no other implementation exists.

Each under three rules for empty inputs and for L*:
  secure      version 2; empty associated data and an empty message are each a padded block. The default.
  reference   version 2 as its reference code has it: the empty input costs no call. One query forges.
  version 1   the same, and L* does not depend on the tag's length.

What it does not give: commitment, anything under repeated nonces, speed, constant time, erased secrets.

Letters: n bytes of output, and of a message block; K key, N nonce, A associated data, M message, C ciphertext, T tag,
tau (τ) its length in bits; F' compression function, F_K the keyed one; L* (Ls) and L[i] the masks, D (Δ) the running
mask, H the chaining value; 10* a byte 80 and zeros.
"""

import hmac
from math import isqrt

from aegis import VerificationFailed, bits, xor


def words(X, size, order):
    return [int.from_bytes(X[i:i + size], order) for i in range(0, len(X), size)]


def rotate(x, k, size):
    """To the right, in words of that many bits."""
    return (x >> k | x << size - k) & (1 << size) - 1


# ── Compression functions ───────────────────────────────────────────────────────────────────────

PRIMES = [p for p in range(2, 410) if all(p % d for d in range(2, p))]


def cube_root(x):
    """Rounded down."""
    low, high = 0, 1 << x.bit_length() // 3 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**3 <= x else (low, middle)
    return low


def fraction_of_square_root(p, size):
    return isqrt(p << 2 * size) & (1 << size) - 1


def fraction_of_cube_root(p, size):
    return cube_root(p << 3 * size) & (1 << size) - 1


class Sha2:
    """FIPS 180-4, 6.2.2 and 6.4.2. The functions are given by their rotations; of σ the last is a shift."""

    def __init__(self, size, rounds, Sigma_0, Sigma_1, sigma_0, sigma_1):
        """size is that of a word in bits."""
        self.size, self.n = size, size                       # eight words: as many bytes as one has bits
        self.Sigma_0, self.Sigma_1, self.sigma_0, self.sigma_1 = Sigma_0, Sigma_1, sigma_0, sigma_1
        self.IV = [fraction_of_square_root(p, size) for p in PRIMES[:8]]
        self.K = [fraction_of_cube_root(p, size) for p in PRIMES[:rounds]]

    def Sigma(self, rotations, x):
        a, b, c = (rotate(x, k, self.size) for k in rotations)
        return a ^ b ^ c

    def sigma(self, rotations, x):
        a, b, shift = rotations
        return rotate(x, a, self.size) ^ rotate(x, b, self.size) ^ x >> shift

    def compress(self, H, block):
        """F'(H, M): strings of n and 2n bytes to one of n."""
        size, mask = self.size, (1 << self.size) - 1
        H, W = words(H, size // 8, "big"), words(block, size // 8, "big")
        for t in range(16, len(self.K)):
            W.append(self.sigma(self.sigma_1, W[t - 2]) + W[t - 7] + self.sigma(self.sigma_0, W[t - 15]) + W[t - 16]
                     & mask)
        a, b, c, d, e, f, g, h = H
        for K, w in zip(self.K, W):
            T1 = h + self.Sigma(self.Sigma_1, e) + (e & f ^ ~e & g) + K + w
            T2 = self.Sigma(self.Sigma_0, a) + (a & b ^ a & c ^ b & c)
            a, b, c, d, e, f, g, h = T1 + T2 & mask, a, b, c, d + T1 & mask, e, f, g
        return b"".join((x + y & mask).to_bytes(size // 8, "big") for x, y in zip(H, (a, b, c, d, e, f, g, h)))

    def initial(self):
        return b"".join(x.to_bytes(self.size // 8, "big") for x in self.IV)


SIGMA = [words(bytes.fromhex(row), 1, "big") for row in (
    "000102030405060708090a0b0c0d0e0f", "0e0a0408090f0d06010c00020b070503", "0b080c0005020f0d0a0e030607010904",
    "070903010d0c0b0e0206050a04000f08", "0900050702040a0f0e010b0c0608030d", "020c060a000b0803040d07050f0e0109",
    "0c05010f0e0d040a000706030902080b", "0d0b070e0c01030905000f040806020a", "060f0e090b0300080c020d0701040a05",
    "0a020804070601050f0b090e030c0d00")]


class Blake2b:
    """RFC 7693, 3.2. For OMD the counter t and the final flag f are zero."""

    n = 64
    IV = [fraction_of_square_root(p, 64) for p in PRIMES[:8]]

    def compress(self, H, block, t=0, f=0):
        mask = (1 << 64) - 1
        h, m = words(H, 8, "little"), words(block, 8, "little")
        v = h + self.IV
        v[12] ^= t & mask
        v[13] ^= t >> 64
        v[14] ^= mask if f else 0

        def G(a, b, c, d, x, y):
            v[a] = v[a] + v[b] + x & mask
            v[d] = rotate(v[d] ^ v[a], 32, 64)
            v[c] = v[c] + v[d] & mask
            v[b] = rotate(v[b] ^ v[c], 24, 64)
            v[a] = v[a] + v[b] + y & mask
            v[d] = rotate(v[d] ^ v[a], 16, 64)
            v[c] = v[c] + v[d] & mask
            v[b] = rotate(v[b] ^ v[c], 63, 64)

        for i in range(12):
            s = SIGMA[i % 10]
            for k in range(4):
                G(k, 4 + k, 8 + k, 12 + k, m[s[2 * k]], m[s[2 * k + 1]])
            for k in range(4):
                G(k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4, m[s[8 + 2 * k]], m[s[9 + 2 * k]])
        return b"".join((h[i] ^ v[i] ^ v[i + 8]).to_bytes(8, "little") for i in range(8))

    def initial(self):
        """The initial value of BLAKE2b with a digest of 64 bytes and no key."""
        parameters = 0x01010000 ^ 64
        return b"".join(x.to_bytes(8, "little") for x in [self.IV[0] ^ parameters] + self.IV[1:])


SHA256 = Sha2(32, 64, (2, 13, 22), (6, 11, 25), (7, 18, 3), (17, 19, 10))
SHA512 = Sha2(64, 80, (28, 34, 39), (14, 18, 41), (1, 8, 7), (19, 61, 6))
BLAKE2B = Blake2b()

HASHES = {"omd-sha256": SHA256, "omd-sha512": SHA512, "omd-blake2b": BLAKE2B}

NAMED = {                                                 # (key, nonce, tag) in bytes; the last is the default
    "omd-sha256": [(16, 12, 16), (16, 12, 12), (16, 12, 8), (24, 13, 16), (32, 13, 20), (32, 31, 32)],
    "omd-sha512": [(16, 16, 16), (32, 32, 32), (64, 32, 32), (64, 32, 64)],
    "omd-blake2b": [(32, 32, 32), (64, 32, 32), (64, 32, 64)],
}


# ── Masks ───────────────────────────────────────────────────────────────────────────────────────

POLYNOMIAL = {32: 0x425, 64: 0x125}                       # x^256 and x^512, reduced


def double(X):
    """2X. The first bit is the highest power."""
    x = int.from_bytes(X, "big") << 1
    if x >> bits(X):
        x ^= 1 << bits(X) | POLYNOMIAL[len(X)]
    return x.to_bytes(len(X), "big")


def ntz(i):
    """The zero bits that i ends with."""
    return (i & -i).bit_length() - 1


def pad10(X, n):
    assert len(X) < n
    return (X + b"\x80").ljust(n, b"\0")


def blocks(X, n):
    """X in pieces of n bytes; the last may be shorter. One, empty, of the empty string."""
    return [X[i:i + n] for i in range(0, len(X), n)] or [b""]


# ── The mode ────────────────────────────────────────────────────────────────────────────────────

SECURE, REFERENCE = "secure", "reference"


class Keyed:
    """The values that depend on the key and the length of the tag."""

    def __init__(self, omd, K, tau):
        self.omd, self.n = omd, omd.n
        self.K = K.ljust(self.n, b"\0")
        self.tau = tau.to_bytes(self.n, "big")
        self.Ls = self.F(bytes(self.n), bytes(self.n) if omd.version == 1 else self.tau)
        self.Ls2 = double(self.Ls)
        self.Ls3 = xor(self.Ls2, self.Ls)

    def F(self, H, M):
        """F_K(H, M) = F'(H, K ‖ 0* ‖ M)"""
        return self.omd.hash.compress(H, self.K + M)

    def L(self, i):
        """L[0] = 4L*, L[i] = 2L[i - 1]: for any i."""
        X = double(self.Ls2)
        for _ in range(i):
            X = double(X)
        return X

    def hash(self, A):
        """Tag_a"""
        n = self.n
        if not A and self.omd.rule == REFERENCE:
            return bytes(n)
        Tag_a, D = bytes(n), bytes(n)
        for i, Ai in enumerate(blocks(A, 2 * n), 1):
            if len(Ai) == 2 * n:
                D = xor(D, self.L(ntz(i)))
            else:
                D, Ai = xor(D, self.Ls), pad10(Ai, 2 * n)
            Tag_a = xor(Tag_a, self.F(xor(Ai[:n], D), Ai[n:]))
        return Tag_a

    def start(self, N):
        """Δ_{N,1,0} and H_0"""
        D = self.F(pad10(N, self.n), bytes(self.n))
        D = xor(D, self.L(0))
        return D, self.F(D, self.tau)

    def finish(self, H, D, last):
        """Tag_e, of the last block."""
        n = self.n
        if len(last) == n:
            return self.F(xor(H, D, self.Ls2), last)
        if not last and self.omd.rule == REFERENCE:
            return H
        return self.F(xor(H, D, self.Ls3), pad10(last, n))

    def cipher(self, X, N, decrypt):
        """(Y, Tag_e): X is the message, or with decrypt the ciphertext."""
        D, H = self.start(N)
        Y = b""
        Xs = blocks(X, self.n)
        for i, Xi in enumerate(Xs, 1):
            Yi = xor(Xi, H[:len(Xi)])
            Mi = Yi if decrypt else Xi
            Y += Yi
            if i < len(Xs):
                D = xor(D, self.L(ntz(i + 1)))
                H = self.F(xor(H, D), Mi)
        return Y, self.finish(H, D, Mi)


class Omd:
    """A family under a rule: sizes are those of what Encrypt and Decrypt are given."""

    Keyed = Keyed

    def __init__(self, name, rule=SECURE, version=2):
        assert rule in (SECURE, REFERENCE) and version in (1, 2)
        assert version == 2 or rule == REFERENCE
        self.name, self.rule, self.version = name, rule, version
        self.hash = HASHES[name]
        self.n = self.hash.n
        self.KEY, self.NONCE, self.TAG = NAMED[name][-1]

    def _check(self, K, N, t):
        if not (1 <= len(K) <= self.n and len(N) < self.n and t % 8 == 0 and 8 <= t <= 8 * self.n):
            raise ValueError("key, nonce or tag of a wrong length")

    def Encrypt(self, M, A, K, N, t=None):
        """t is the tag's length in bits: τ."""
        t = 8 * self.TAG if t is None else t
        self._check(K, N, t)
        keyed = self.Keyed(self, K, t)
        C, Tag_e = keyed.cipher(M, N, decrypt=False)
        return C, xor(Tag_e, keyed.hash(A))[:t // 8]

    def Decrypt(self, C, T, A, K, N):
        self._check(K, N, bits(T))
        keyed = self.Keyed(self, K, bits(T))
        M, Tag_e = keyed.cipher(C, N, decrypt=True)
        if not hmac.compare_digest(T, xor(Tag_e, keyed.hash(A))[:len(T)]):
            raise VerificationFailed
        return M


def algorithm(name, params=None):
    """params: {} for the secure rule, {"rule": "reference"}, {"version": 1}."""
    params = params or {}
    version = params.get("version", 2)
    return Omd(name, params.get("rule", REFERENCE if version == 1 else SECURE), version)
