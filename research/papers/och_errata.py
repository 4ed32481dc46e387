"""The slips in the published code of OCH, each shown by running it: as it is published, then mended.

Source: github.com/initsecret/cryptography-run, commit d050ba56, the artifact of S. Menda, M. Bellare, V. T. Hoang, J. Len, T.
Ristenpart, "The OCH Authenticated Encryption Scheme", ACM CCS 2025. The artifact says that it is for benchmarks only and should
not be used elsewhere: these are errors of code, found by reading, and nothing here speaks of the paper, which was not read.
research/reference/och_published.py computes what the code does, and gives its vectors; that file says where each slip is.
Every function prints a short account and asserts what it says. research/papers/och.md is the summary.

    scripts/python research/papers/och_errata.py [--json]

Letters as in research/reference/och.py. "Published" has all six slips; where a slip is shown alone, the five others are mended.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "research" / "reference"))

import och  # noqa: E402
from aegis import VerificationFailed, xor  # noqa: E402
from aegis_vectors import flip, shake  # noqa: E402
from errata import main  # noqa: E402
from och import Och  # noqa: E402
from och_published import ALL, Published  # noqa: E402

VECTORS = json.loads((ROOT / "vectors" / "internal" / "och-published.json").read_text())["groups"]
K, N, AD = bytes(range(32)), bytes(range(100, 132)), b"associated data"
ZIG = "cef"                                                               # the slips of the version in Zig


def opened(O, nonce, ad, C):
    """The opened message; None if it is refused."""
    try:
        return O.open(b"" if O.hides else nonce, ad, C)[1]
    except VerificationFailed:
        return None


def sealed(O, nonce, ad, M):
    """The body, and the tag."""
    C = O.seal(nonce, ad, M)
    return C[:-32], C[-32:]


def the_published_vectors():
    print("0. The model of the published code, with all six slips: it gives the artifact's two vectors.")
    for group in VECTORS:
        hides = och.NAMES[group["algorithm"]]
        for test in group["tests"]:
            key, iv, ad, M, C = (bytes.fromhex(test[f]) for f in ("key", "iv", "aad", "msg", "ct"))
            assert Published(key, hides, group["slips"]).seal(iv, ad, M) == C
    print(f"   With {', '.join(ZIG)} alone, the three of the version in Zig.")


# ── a ───────────────────────────────────────────────────────────────────────────────────────────

class Anybody(Published):
    """Somebody without the key: to open, and not to look at the tag."""

    def __init__(self, hides, slips=ALL):
        super().__init__(bytes(32), hides, slips)

    def core(self, AD, P, public, hidden):
        return self.shown

    def read(self, nonce, C):
        self.shown = C[-32:]
        return self.open(b"" if self.hides else nonce, b"", C)


def the_ciphers_key_is_zero():
    print("1. Oct256_setup is given a key, and does not copy it: under every K the cipher has the key zero.")
    secret = b"thirty-two bytes are one block, and this is a tail"
    for hides, name in ((False, "OCH-P"), (True, "OCH-S, and its hidden nonce")):
        C = Published(shake(32, "a key"), hides).seal(N, AD, secret)
        assert Anybody(hides).read(N, C) == (N, secret)
        print(f"   {name}: read without the key.")
    bodies = {kind: [kind(key, False).seal(N, AD, secret)[:-32] for key in (K, flip(K, 0))] for kind in (Published, Och)}
    assert len(set(bodies[Published])) == 1 and len(set(bodies[Och])) == 2
    print("   Two keys, one nonce: one body. Mended: two.")


# ── b ───────────────────────────────────────────────────────────────────────────────────────────

def half_of_the_inner_tag_is_zero():
    print("2. X2Polyval_init sets the first key twice and the second never: it is zero, and so is its half of the inner tag.")
    O, mended = Published(K, False), Och(K, False)
    for n in range(2, 6):
        X = shake(16 * n, "X")
        assert O.H(X)[16:] == bytes(16) != mended.H(X)[16:]
        assert O.H(X)[:16] == mended.H(X)[16:]                            # under the second half of the derived key
    print("   Two inputs of five blocks meet with at most 5 / 2^128, in the place of its square.")


# ── c ───────────────────────────────────────────────────────────────────────────────────────────

def without_associated_data_the_tag_is_of_no_message():
    print("3. Hash_xth_tag: with |AD| < 32 only |AD| bytes of the inner tag are hashed. With none, none.")
    # A tail, in which a change of the ciphertext is the same change of the message, behind a block.
    block, M, other = shake(32, "block"), b"pay 100 to Alice", b"pay 999 to Mabel"
    change = xor(M, other)
    for slips, of in ((ALL, "Published"), (ZIG, "In Zig, whose keys are right")):
        for hides in (False, True):
            O = Published(K, hides, slips)
            body, T = sealed(O, N, b"", block + M)
            assert opened(O, N, b"", body[:-16] + xor(body[-16:], change) + T) == block + other
            assert opened(O, N, b"", flip(body, 255) + T) is not None     # A changed block becomes another one.
        print(f"   {of}: one sealed message, changed without the key: accepted, as {other.decode()!r}.")
    for hides in (False, True):
        O = Och(K, hides)
        body, T = sealed(O, N, b"", block + M)
        assert opened(O, N, b"", body[:-16] + xor(body[-16:], change) + T) is None
    print("   Mended: refused.")


def a_tag_is_the_ciphers_key():
    print("4. The same, OCH-S, with one byte of AD: a tag in 256 is made of the bytes f0 ff 00 …, of which the cipher's key is.")
    O = Published(K, True, ZIG)
    for i in range(100):
        nonce, ad, M = (shake(n, what, 1, i) for n, what in ((32, "nonce"), (1, "ad"), (32, "message")))
        T = O.seal(nonce, ad, M)[-32:]
        if T == O.KE:
            break
    assert T == O.KE
    print(f"   The tag of message {i + 1} is KE, in public.")
    reader, secret = Anybody(True, ZIG), b"another message, under the same key"
    reader.KE = T
    reader.Lstar = och.E(T, och.ZERO)
    reader.table = [och.double(och.double(reader.Lstar))]
    assert reader.read(b"", O.seal(N, AD, secret)) == (N, secret)
    print("   With it, any other message is read.")


# ── d ───────────────────────────────────────────────────────────────────────────────────────────

def offsets_repeat():
    print("5. shiftleft256 on x86 shifts each word of 64 bits by itself: by 63, all but 4 bits of a nonce's offset are gone.")
    nonces = [shake(31, "nonce", i) + b"\x3f" for i in range(17)]
    M = [bytes(range(32)) * 2 + shake(20, "tail", i) for i in range(17)]
    O = Published(K, False, "d")
    seen = {}
    for nonce, m in zip(nonces, M):
        body = O.seal(nonce, AD, m)[:-32]
        if body[:64] in seen:
            break
        seen[body[:64]] = m, body
    other, theirs = seen[body[:64]]
    assert xor(body, theirs) == xor(m, other) and m != other
    print(f"   Nonce {len(seen) + 1} of 17 that end in 3f has the offsets of an earlier one, as at least one must:\n"
          "   equal blocks show, and the tails' ciphertexts differ as the tails do.")
    assert len({Och(K, False).seal(nonce, AD, m)[:32] for nonce, m in zip(nonces, M)}) == 17
    print("   One shift of 256 bits, as in the same file for other CPUs: 17 nonces, 17 offsets.")


# ── e ───────────────────────────────────────────────────────────────────────────────────────────

def associated_data_has_two_ends():
    print("6. Hash_xth_tag: no ff follows AD of 32, 64, … bytes, while the sponge fills others with it.")
    ad, M = shake(63, "ad"), b"a message that is authentic"
    for slips in (ALL, "e"):
        for hides in (False, True):
            O = Published(K, hides, slips)
            C = O.seal(N, ad, M)
            assert opened(O, N, ad + b"\xff", C) == M
    print("   63 bytes of AD, and the same with ff behind them: one ciphertext. It commits to neither.")
    O = Published(K, False, "e")
    C = O.seal(N, b"admin=0", M)
    assert opened(O, N, b"admin=0\xff".ljust(32, b"\0"), C) == M
    print("   If slip c is mended and this is not, 7 bytes and the same with ff and zeros behind them, too.")
    for hides in (False, True):
        O = Och(K, hides)
        assert opened(O, N, ad + b"\xff", O.seal(N, ad, M)) is None
    assert opened(Och(K, False), N, b"admin=0\xff".ljust(32, b"\0"), Och(K, False).seal(N, b"admin=0", M)) is None
    print("   Mended: refused.")


# ── f ───────────────────────────────────────────────────────────────────────────────────────────

def a_tail_has_no_length():
    print("7. The inner tag: a tail of 1 to 16 bytes is filled with zeros, and its length goes into no tag.")
    M = shake(32, "block") + b"amount=500000\0\0\0"
    for slips in (ALL, "f"):
        for hides in (False, True):
            O = Published(K, hides, slips)
            body, T = sealed(O, N, AD, M)
            for cut in (1, 2, 3):
                assert opened(O, N, AD, body[:-cut] + T) == M[:-cut]
    print("   The last 1, 2 or 3 bytes, zeros, cut off: accepted.")
    O = Published(K, False, "f")
    body, T = sealed(O, N, AD, M[:-3])
    longer = [opened(O, N, AD, body + bytes([guess]) + T) for guess in range(256)]
    assert [m for m in longer if m is not None] == [M[:-3] + b"\0"]
    print("   A byte appended: one guess of 256 is accepted, and the message has a zero more.")
    for hides in (False, True):
        body, T = sealed(Och(K, hides), N, AD, M)
        assert all(opened(Och(K, hides), N, AD, body[:-cut] + T) is None for cut in (1, 2, 3))
    print("   ff behind the tail, as behind AD: refused.")


if __name__ == "__main__":
    main("och", globals())
