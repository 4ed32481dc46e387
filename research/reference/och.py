"""OCH over Areion, slowly and to the letter of docs/spec/och.md: OCH-P, whose nonce is public, and OCH-S, which hides it.

Source: the code of S. Menda, M. Bellare, V. T. Hoang, J. Len, T. Ristenpart, "The OCH Authenticated Encryption Scheme", ACM
CCS 2025, with six slips mended; och_published.py has them. The paper itself was not read. Nobody else has these bytes yet.
Not to be confused with the mode OCH of flex.py.

  OCH-P    32 bytes longer than the message. Nonces must not repeat.
  OCH-S    64 bytes longer: the nonce is the first block of what is enciphered. Nonces must not repeat.

What it does not give: speed, constant time, erased secrets. Unverified plaintext is computed, and dropped.

Letters: K key, N nonce, AD associated data, M message, P what is enciphered, C ciphertext, T tag, U inner tag. KE and KH are
the keys of E and of H, Lstar (L*) and L(j) the base of the offsets, R the offset of a nonce, Z that of block i. chk is the
checksum.
"""

import hmac

from aegis import VerificationFailed, xor
from flex_permutations import areion_256, areion_256_inverse, areion_512
from polyval import POLYVAL

B = 32                                                                    # the bytes of a block, key, nonce and tag
ZERO = bytes(B)
KEYED = 0xd0
FOR_E, FOR_H, TINY, WHOLE, TAIL = b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4"
END = b"\xff"                                                             # behind what has any length
LIMIT = 2**50                                                             # bytes of a message; ours


def LE8(v):
    return v.to_bytes(8, "little")


def cut(X):
    """The whole blocks of X, and its tail of 0 to 31 bytes."""
    return [X[i:i + B] for i in range(0, len(X) + 1, B)]


def fill(X, n=B):
    """X, and zeros up to a multiple of n bytes."""
    return X + bytes(-len(X) % n)


def ixor(s, X):
    """s ⊕ (X ‖ ff), the shorter continued by zeros."""
    X += END
    n = max(len(s), len(X))
    return xor(s.ljust(n, b"\0"), X.ljust(n, b"\0"))


# ── The hash ────────────────────────────────────────────────────────────────────────────────────

def pi_512(S):
    """Areion-512 without its last rotation of words."""
    Y = areion_512(S)
    return Y[16:] + Y[:16]


def PRF(K, X):
    """A sponge of rate and capacity 32. X is whole blocks. The state is permuted once more before it is read."""
    assert len(X) % B == 0
    S = pi_512(K + bytes([KEYED]).ljust(B, b"\0"))
    for X_i in cut(X)[:-1]:
        S = pi_512(xor(S[:B], X_i) + S[B:])
    return pi_512(S)[:B]


# ── The block cipher ────────────────────────────────────────────────────────────────────────────

def E(Z, X):
    """Even and Mansour's cipher: the offset is the key."""
    return xor(areion_256(xor(X, Z)), Z)


def E_inverse(Z, Y):
    return xor(areion_256_inverse(xor(Y, Z)), Z)


def double(X):
    """x · X in GF(2^256), modulo x^256 + x^10 + x^5 + x^2 + 1; strings are big-endian."""
    v = int.from_bytes(X, "big") << 1
    return (v ^ (1 << 256 | 0x425) if v >> 256 else v).to_bytes(B, "big")


def shift(X, n):
    """X to the left by n < 64 bits: four words, the first the most significant, each of them little-endian."""
    v = 0
    for i in range(0, B, 8):
        v = v << 64 | int.from_bytes(X[i:i + 8], "little")
    v = v << n & 2**256 - 1
    return b"".join((v >> 64 * i & 2**64 - 1).to_bytes(8, "little") for i in (3, 2, 1, 0))


# ── The AEAD ────────────────────────────────────────────────────────────────────────────────────

class Och:
    def __init__(self, K, hides):
        """hides: OCH-S."""
        if len(K) != B:
            raise ValueError(f"a key has {B} bytes, not {len(K)}")
        self.K, self.hides = K, hides
        self.KE, self.KH = self.keys()
        self.Lstar = E(self.KE, ZERO)
        self.table = [double(double(self.Lstar))]

    def keys(self):
        return PRF(self.K, fill(FOR_E + END)), PRF(self.K, fill(FOR_H + END))

    def L(self, j):
        while len(self.table) <= j:
            self.table.append(double(self.table[-1]))
        return self.table[j]

    def R(self, N):
        """Nonces that differ in their last six bits alone share the call of E."""
        top = N[:31] + bytes([N[31] & 0xc0])
        return self.shift(E(self.KE, top), N[31] & 0x3f)

    def shift(self, X, n):
        return shift(X, n)

    def Z(self, R, i):
        """R ⊕ L(ntz(1)) ⊕ … ⊕ L(ntz(i)). What is left of that sum: L(j) for each bit j of the Gray code of i."""
        gray = i ^ i >> 1
        return xor(R, *(self.L(j) for j in range(gray.bit_length()) if gray >> j & 1))

    def pad(self, R, m, X, n):
        """Behind m blocks, for a tail of n bytes. X is zero or, where no block is, the tag."""
        return E(xor(self.Z(R, m), self.Lstar), X)[:n] if n else b""

    def H(self, X):
        return POLYVAL(self.KH[:16], X) + POLYVAL(self.KH[16:], X)

    def tag(self, U, AD, public):
        """XtH."""
        return PRF(self.K, fill(ixor(U, AD)) + public)

    def tiny(self, AD, M, N):
        """The tag of a message of less than a block."""
        return self.tag(self.H(fill(M + TINY)), AD, N)

    def extended(self, chk, tail):
        return ixor(chk, tail)

    def core(self, AD, P, public, hidden):
        """The tag of anything else. P is cut, the tail last."""
        *whole, tail = P
        chk = xor(bytes(16), *(P_i[:16] for P_i in whole))
        m = len(whole) - self.hides                                       # whole blocks of the message
        if tail:
            X, size = hidden + self.extended(chk, tail) + LE8(2 * m + 1) + TAIL, 48
        else:
            X, size = hidden + chk + LE8(2 * m) + WHOLE, 32
        return self.tag(self.H(X.ljust(len(hidden) + size, b"\0")), AD, public)

    def seal(self, N, AD, M):
        """C ‖ T"""
        if len(N) != B or len(M) > LIMIT:
            raise ValueError(f"a nonce has {B} bytes, and a message at most 2^50")
        public, hidden = (b"", N) if self.hides else (N, b"")
        R_1, R = self.R(public or ZERO), self.R(N)
        if len(hidden + M) < B:
            T = self.tiny(AD, M, N)
            return xor(M, self.pad(R, 1, T, len(M))) + T
        P = cut(hidden + M)
        *whole, tail = P
        C = b"".join(E(self.Z(R if i > 1 else R_1, i), P_i) for i, P_i in enumerate(whole, 1))
        C += xor(tail, self.pad(R, len(whole), ZERO, len(tail)))
        return C + self.core(AD, P, public, hidden)

    def open(self, N, AD, C):
        """(N, M). OCH-S is given no nonce, and recovers it."""
        if len(N) != (0 if self.hides else B):
            raise ValueError(f"OCH-P is given a nonce of {B} bytes, OCH-S none")
        if len(C) < (2 * B if self.hides else B):
            raise VerificationFailed
        C, T = C[:-B], C[-B:]
        R_1 = self.R(N or ZERO)
        if len(C) < B:
            M = xor(C, self.pad(R_1, 1, T, len(C)))
            verify(self.tiny(AD, M, N), T)
            return N, M
        *whole, tail = cut(C)
        P_1 = E_inverse(self.Z(R_1, 1), whole[0])
        public, hidden = (b"", P_1) if self.hides else (N, b"")
        R = self.R(public or hidden)
        P = [P_1, *(E_inverse(self.Z(R, i), C_i) for i, C_i in enumerate(whole[1:], 2))]
        P.append(xor(tail, self.pad(R, len(whole), ZERO, len(tail))))
        verify(self.core(AD, P, public, hidden), T)
        return public or hidden, b"".join(P)[len(hidden):]


def verify(mine, theirs):
    if not hmac.compare_digest(mine, theirs):
        raise VerificationFailed


class Algorithm:
    """The interface of aegis.py. OCH-P has a tag of its own; the ciphertext of OCH-S is all there is, as with Flex."""

    KEY = NONCE = B

    def __init__(self, hides, kind=Och):
        self.hides, self.kind = hides, kind
        self.TAG = 0 if hides else B

    def Encrypt(self, M, AD, K, N, t=None):
        C = self.kind(K, self.hides).seal(N, AD, M)
        return C[:len(C) - self.TAG], C[len(C) - self.TAG:]

    def Decrypt(self, C, T, AD, K, N):
        if len(T) != self.TAG:
            raise VerificationFailed
        recovered, M = self.kind(K, self.hides).open(b"" if self.hides else N, AD, C + T)
        if not hmac.compare_digest(recovered, N):
            raise VerificationFailed
        return M


NAMES = {"och-areion-p": False, "och-areion-s": True}


def algorithm(name, params=None):
    assert not params
    return Algorithm(NAMES[name])
