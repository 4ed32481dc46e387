"""AES-256-GCM-SIV, slowly and to the letter of RFC 8452.

The AES block is the `cryptography` package's; everything above it is written out, POLYVAL in polyval.py.
What it does not give: speed, constant time, erased secrets, or limits on use.

Letters: K key-generating key, N nonce, A associated data, P plaintext, C ciphertext.
"""

import hmac

from aegis import VerificationFailed, ZeroPad, xor
from gcm import AES
from polyval import POLYVAL, divide, dot, multiply, number  # noqa: F401: what makes and checks vectors takes them from here


def derive_keys(K, N):
    """Section 4: the message-authentication key and the message-encryption key."""
    halves = [AES(K, i.to_bytes(4, "little") + N)[:8] for i in range(6)]
    return b"".join(halves[:2]), b"".join(halves[2:])


def AES_CTR(K, initial, X):
    """Figure 3: the first 32 bits count, in little endian, and wrap."""
    count, rest, Y = number(initial[:4]), initial[4:], b""
    for i in range(0, len(X), 16):
        Y += xor(X[i:i + 16], AES(K, count.to_bytes(4, "little") + rest)[:len(X) - i])
        count = (count + 1) % 2**32
    return Y


def counter_block(tag):
    return tag[:15] + bytes([tag[15] | 0x80])


class Siv:
    """The interface of research/reference/gcm.py."""

    KEY, NONCE, TAG = 32, 12, 16

    def _check(self, K, N, t, *inputs):
        if len(K) != 32 or len(N) != 12 or t != 128 or any(len(X) > 2**36 for X in inputs):
            raise ValueError

    def tag(self, P, A, keys, N):
        length_block = (8 * len(A)).to_bytes(8, "little") + (8 * len(P)).to_bytes(8, "little")
        S = POLYVAL(keys[0], ZeroPad(A, 128) + ZeroPad(P, 128) + length_block)
        S = xor(S, N + bytes(4))
        return AES(keys[1], S[:15] + bytes([S[15] & 0x7F]))

    def Encrypt(self, P, A, K, N, t=128):
        self._check(K, N, t, P, A)
        keys = derive_keys(K, N)
        tag = self.tag(P, A, keys, N)
        return AES_CTR(keys[1], counter_block(tag), P), tag

    def Decrypt(self, C, tag, A, K, N):
        self._check(K, N, 8 * len(tag), C, A)
        keys = derive_keys(K, N)
        P = AES_CTR(keys[1], counter_block(tag), C)
        if not hmac.compare_digest(self.tag(P, A, keys, N), tag):
            raise VerificationFailed
        return P
