"""AES-GCM, CMAC and KBKDF, slowly and to the letter; and two ways to make an AEAD commit to its key.

  GCM          NIST SP 800-38D: any nonce of at least a byte, tags of 12 to 16 bytes.
  CMAC         NIST SP 800-38B.
  KBKDF        NIST SP 800-108r1, 4.1: counter mode with CMAC, the counter before or after the fixed data.
  padding fix  GCM over 2·128 zero bits and the message; the zeros are checked (Albertini et al., "How to
               Abuse and Fix Authenticated Encryption Without Key Commitment", eprint 2020/1456, 5.3).
  CTX          Chan and Rogaway, "On Committing Authenticated Encryption", eprint 2022/1260: a hash over key,
               nonce, associated data and tag takes the tag's place. Here the hash is HMAC-SHA256 under the key.

The AES block is the `cryptography` package's; everything above it is written out.
What it does not give: speed, constant time, erased secrets, or limits on use.

Letters: K key, N nonce (IV in SP 800-38D), A associated data, P plaintext, C ciphertext, T tag, H hash subkey,
J0 pre-counter block, K1 and K2 the subkeys of CMAC, R the constants that reduce.
A tag of ours is all that follows the ciphertext, which has the length of the message.
"""

import hmac
from functools import lru_cache

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import aegis
from aegis import Split, Tail, VerificationFailed, ZeroPad, bits, xor


def AES(K, X):
    """CIPH_K(X): one block."""
    assert len(X) == 16
    return Cipher(algorithms.AES(K), modes.ECB()).encryptor().update(X)


def AES_inverse(K, X):
    """CIPH_K^-1(X): only for making vectors."""
    return Cipher(algorithms.AES(K), modes.ECB()).decryptor().update(X)


def number(X):
    return int.from_bytes(X, "big")


def block(x):
    return x.to_bytes(16, "big")


# ── GCM: SP 800-38D ─────────────────────────────────────────────────────────────────────────────

R = 0b11100001 << 120


@lru_cache(16)
def multiples(Y):
    """V_0 to V_127 of 6.3, step 2."""
    V = [number(Y)]
    while len(V) < 128:
        V.append(V[-1] >> 1 ^ (R if V[-1] & 1 else 0))
    return V


def multiply(X, Y):
    """X • Y, 6.3. The leftmost bit of a block is x_0."""
    Z = 0
    for x_i, V_i in zip(f"{number(X):0128b}", multiples(Y)):
        if x_i == "1":
            Z ^= V_i
    return block(Z)


def inverse(X):
    """X^(2^128 - 2): only for making nonces and ciphertexts, never for GCM."""
    power, product = X, block(1 << 127)
    for _ in range(127):
        power = multiply(power, power)
        product = multiply(product, power)
    return product


def inc32(X):
    """6.2: the last 32 bits count, and wrap."""
    return X[:12] + ((number(X[12:]) + 1) % 2**32).to_bytes(4, "big")


def GHASH(H, X):
    """6.4."""
    Y = bytes(16)
    for Xi in Split(X, 128):
        Y = multiply(xor(Y, Xi), H)
    return Y


def GCTR(K, ICB, X):
    """6.5."""
    Y, CB = b"", ICB
    for i in range(0, len(X), 16):
        Xi = X[i:i + 16]
        Y += xor(Xi, AES(K, CB)[:len(Xi)])
        CB = inc32(CB)
    return Y


def length(X):
    """[len(X)]_64"""
    return bits(X).to_bytes(8, "big")


def J0(H, N):
    """7.1, step 2."""
    if len(N) == 12:
        return N + b"\0\0\0\1"
    return GHASH(H, ZeroPad(N, 128) + bytes(8) + length(N))


class Gcm:
    """The interface of research/reference/aegis.py; tag_len_bits is t."""

    NONCE = 12
    TAG = 16

    def __init__(self, key_bytes):
        self.KEY = key_bytes

    def _check(self, K, N, t):
        if len(K) != self.KEY or not N or t not in (96, 104, 112, 120, 128):
            raise ValueError("key, nonce or tag of a wrong length")

    def tag(self, C, A, K, N, t=128):
        """7.1, steps 4 to 6, which are steps 5 to 7 of 7.2."""
        H = AES(K, bytes(16))
        S = GHASH(H, ZeroPad(A, 128) + ZeroPad(C, 128) + length(A) + length(C))
        return GCTR(K, J0(H, N), S)[:t // 8]

    def cipher(self, X, K, N):
        """7.1, step 3, and its own inverse."""
        return GCTR(K, inc32(J0(AES(K, bytes(16)), N)), X)

    def Encrypt(self, P, A, K, N, t=128):
        self._check(K, N, t)
        C = self.cipher(P, K, N)
        return C, self.tag(C, A, K, N, t)

    def Decrypt(self, C, T, A, K, N):
        self._check(K, N, bits(T))
        P, expected = self.Open(C, A, K, N, bits(T))
        if not hmac.compare_digest(T, expected):
            raise VerificationFailed
        return P

    def Open(self, C, A, K, N, t=128):
        """The message and the tag that it should have: for CTX, whose tag hides this one."""
        return self.cipher(C, K, N), self.tag(C, A, K, N, t)


# ── CMAC: SP 800-38B ────────────────────────────────────────────────────────────────────────────

def double(X):
    """x · X in CMAC's field, whose leftmost bit is the highest power: not the field of GHASH."""
    x = number(X)
    return block(x << 1 & 2**128 - 1 ^ (0b10000111 if x >> 127 else 0))


def subkeys(K):
    """6.1. K1 = x·L and K2 = x²·L."""
    L = AES(K, bytes(16))
    return double(L), double(double(L))


def CMAC(K, M):
    """6.2."""
    K1, K2 = subkeys(K)
    *first, last = [M[i:i + 16] for i in range(0, len(M), 16)] or [b""]
    last = xor(last, K1) if len(last) == 16 else xor(ZeroPad(last + b"\x80", 128), K2)
    C = bytes(16)
    for Mi in first + [last]:
        C = AES(K, xor(C, Mi))
    return C


# ── KBKDF: SP 800-108r1 ─────────────────────────────────────────────────────────────────────────

def KBKDF(K, fixed, L, r, location):
    """4.1 with CMAC: L bytes. The counter has r bits and its location "before" or "after" the fixed data."""
    n = -(-L // 16)
    assert n < 2**r
    out = b""
    for i in range(1, n + 1):
        counter = i.to_bytes(r // 8, "big")
        out += CMAC(K, counter + fixed if location == "before" else fixed + counter)
    return out[:L]


# ── Commitment ──────────────────────────────────────────────────────────────────────────────────

class PaddingFix:
    """GCM of 0^256 ‖ P gives C0 ‖ C and T; the tag is T ‖ C0."""

    TAG = 48

    def __init__(self, aead):
        self.aead, self.KEY, self.NONCE = aead, aead.KEY, aead.NONCE

    def _check(self, N, t):
        if len(N) != self.NONCE or t != 8 * self.TAG:
            raise ValueError("nonce or tag of a wrong length")

    def Encrypt(self, P, A, K, N, t=384):
        self._check(N, t)
        C, T = self.aead.Encrypt(bytes(32) + P, A, K, N)
        return C[32:], T + C[:32]

    def Decrypt(self, C, T, A, K, N):
        self._check(N, bits(T))
        P = self.aead.Decrypt(T[16:] + C, T[:16], A, K, N)
        if P[:32] != bytes(32):
            raise VerificationFailed
        return P[32:]


class Ctx:
    """T* = HMAC-SHA256(K, N ‖ T ‖ A) replaces T: injectively, because N and T have fixed lengths."""

    TAG = 32

    def __init__(self, aead, Open, nonce):
        self.aead, self.Open, self.KEY, self.NONCE = aead, Open, aead.KEY, nonce

    def _check(self, K, N, t):
        if len(K) != self.KEY or len(N) != self.NONCE or t != 8 * self.TAG:
            raise ValueError("key, nonce or tag of a wrong length")

    def star(self, T, A, K, N):
        return hmac.digest(K, N + T + A, "sha256")

    def Encrypt(self, P, A, K, N, t=256):
        self._check(K, N, t)
        C, T = self.aead.Encrypt(P, A, K, N)
        return C, self.star(T, A, K, N)

    def Decrypt(self, C, T, A, K, N):
        self._check(K, N, bits(T))
        P, inner = self.Open(C, A, K, N)
        if not hmac.compare_digest(T, self.star(inner, A, K, N)):
            raise VerificationFailed
        return P


def OpenAegis(alg):
    """Decrypt of the draft up to its last step, the comparison: CTX makes its own."""
    def Open(ct, ad, key, nonce):
        alg.Init(key, nonce)
        for ai in Split(ZeroPad(ad, alg.R), alg.R):
            alg.Absorb(ai)
        msg = b"".join(alg.Dec(ci) for ci in Split(ct, alg.R))
        cn = Tail(ct, bits(ct) % alg.R)
        if cn:
            msg += alg.DecPartial(cn)
        return msg, alg.Finalize(bits(ad), bits(msg), 128)
    return Open


# ── The registry's names ────────────────────────────────────────────────────────────────────────

KEYS = {"aes-128-gcm": 16, "aes-256-gcm": 32}
NAMES = [*KEYS, "padding-fix-aes-256-gcm", "ctx-aes-256-gcm", *(f"ctx-{name}" for name in aegis.IETF)]


def algorithm(name):
    if name in KEYS:
        return Gcm(KEYS[name])
    if name == "padding-fix-aes-256-gcm":
        return PaddingFix(Gcm(32))
    if name == "ctx-aes-256-gcm":
        return Ctx(Gcm(32), Gcm(32).Open, Gcm.NONCE)
    alg = aegis.algorithm(name.removeprefix("ctx-"))
    return Ctx(alg, OpenAegis(alg), alg.KEY)
