"""OCH as its authors' published code computes it, for their vectors and for research/papers/och_errata.py alone. INSECURE.

Source: github.com/initsecret/cryptography-run, commit d050ba56: code that says of itself that it is for benchmarks only. Its
slips have letters, and each can be left out:

  a   src/aead/och/oct256.h, Oct256_setup: the cipher's key is never copied, and stays zero.
  b   src/hash/polyval/polyval.c, X2Polyval_init: the first key is set twice, the second never.
  c   src/aead/och/trans.h, Hash_xth_tag: with less than 32 bytes of associated data the rest of the inner tag is dropped.
  d   include/cryptography-run/_cr_types.h, shiftleft256: on x86 each word of 64 bits is shifted by itself.
  e   trans.h: ff behind the associated data is left out where its length is 32, 64, …
  f   src/aead/och/och.h: how long a tail of 1 to 16 bytes is, no tag says.

github.com/jedisct1/areion, src/och.zig, has c, e and f. It also joins associated data and nonce before it fills a block,
which is the same up to 32 bytes and for multiples of 32.
"""

from aegis import xor
from och import B, END, PRF, ZERO, Och, fill

ALL = frozenset("abcdef")
MOST = 2**16 - 1                                                          # blocks: its table has L(0) to L(15)


def filled(X):
    """The sponge's own padding: ff and zeros, but nothing if X is whole blocks."""
    return fill(X + END) if len(X) % B else X


class Published(Och):
    def __init__(self, K, hides, slips=ALL):
        self.slips = frozenset(slips)
        super().__init__(K, hides)

    def keys(self):
        KE, KH = super().keys()
        if "a" in self.slips:
            KE = ZERO
        if "b" in self.slips:
            KH = KH[16:] + bytes(16)
        return KE, KH

    def tag(self, U, AD, public):
        if len(AD) < B:
            if "c" not in self.slips:
                return super().tag(U, AD, public)
            X = fill(xor(U[:len(AD)], AD) + END)
        else:
            X = xor(U, AD[:B]) + (filled(AD[B:]) if "e" in self.slips else fill(AD[B:] + END))
        return PRF(self.K, X + public)

    def shift(self, X, n):
        if "d" not in self.slips:
            return super().shift(X, n)
        words = (int.from_bytes(X[i:i + 8], "little") for i in range(0, B, 8))
        return b"".join((word << n & 2**64 - 1).to_bytes(8, "little") for word in words)

    def extended(self, chk, tail):
        if "f" not in self.slips:
            return super().extended(chk, tail)
        n = max(len(chk), len(tail))
        return xor(chk.ljust(n, b"\0"), tail.ljust(n, b"\0"))

    def seal(self, N, AD, M):
        if len(M) // B + self.hides > MOST:
            raise ValueError(f"beyond {MOST} blocks it reads behind its table")
        return super().seal(N, AD, M)
