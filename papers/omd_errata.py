"""What is wrong with OMD as published, and what OMD does not give, each shown by running it.

Sources: S. Cogliani et al., "OMD: A Compression Function Mode of Operation for Authenticated Encryption", SAC 2014, and
the code of its submission to CAESAR; D.-Ş. Maimuţ, A. Ş. Mega, "Speeding Up OMD Instantiations in Hardware". What
differs between two sides is only the error shown. Every function prints a short account and asserts what it says.
papers/omd.md is the summary.

    scripts/python papers/omd_errata.py

Letters as in reference/omd.py.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "reference"))

import omd  # noqa: E402
from aegis import VerificationFailed, bits, xor  # noqa: E402
from aegis_vectors import shake  # noqa: E402
from flex_errata import opened, solve  # noqa: E402
from omd_vectors import RULES  # noqa: E402

FAMILIES = list(omd.HASHES)
AD = b"associated data"


def inputs(alg, what="key"):
    """A key and a nonce of the family's default lengths."""
    return shake(alg.KEY, alg.name, what), shake(alg.NONCE, alg.name, "nonce")


# ── Erratum 1 ───────────────────────────────────────────────────────────────────────────────────

class Halves(omd.Omd):
    """Each of the two rules for empty inputs by itself: which of them cost no call."""

    def __init__(self, name, empty_ad, empty_message):
        super().__init__(name)
        self.free_ad, self.free_message = empty_ad, empty_message

    def tag(self, K, N, A, last):
        """Of a message of at most a block, in full."""
        keyed = omd.Keyed(self, K, 8 * self.TAG)
        D, H = keyed.start(N)
        Tag_e = H if self.free_message and not last else keyed.finish(H, D, last)
        Tag_a = bytes(self.n) if self.free_ad and not A else keyed.hash(A)
        return xor(Tag_e, Tag_a)[:self.TAG]


def forge(alg, K, N, A, known):
    """The forgery, from one message that is sealed and of which as many bytes are known as a tag has."""
    M = known + b"what nobody but the receiver knows"
    C, _ = alg.Encrypt(M, A, K, N)
    return xor(C[:len(known)], known)


def one_query_forges():
    print("1. An empty message gives Tag_e = H, no associated data Tag_a = 0: the tag of both is the first key stream.")
    for params in RULES:
        refused = set()
        for name in FAMILIES:
            alg = omd.algorithm(name, params)
            K, N = inputs(alg)
            for A in (b"", AD):
                T = forge(alg, K, N, A, bytes(alg.TAG))
                refused.add(opened(alg.Decrypt, b"", T, b"", K, N) is None)
        assert refused == {params == {}}
        name = json.dumps(params) if params else "the secure rule"
        print(f"   {name}: one known plaintext of τ bits, with or without associated data: "
              + ("refused." if params == {} else "(N, nothing, nothing) FORGED, in every family."))
    for name in FAMILIES:
        outcome = {}
        for free_ad in (False, True):
            for free_message in (False, True):
                alg = Halves(name, free_ad, free_message)
                K, N = inputs(alg)
                T = forge(alg, K, N, AD, bytes(alg.TAG))
                outcome[free_ad, free_message] = alg.tag(K, N, b"", b"") == T
        assert outcome == {(False, False): False, (False, True): False, (True, False): False, (True, True): True}
    print("   Where only one of the two costs no call, this forgery is refused: it needs both.")


def forgeries_need_nothing_else_to_be_empty():
    print("   With associated data or a message beside it, that tag is refused under every rule:")
    for name in FAMILIES:
        for params in RULES:
            alg = omd.algorithm(name, params)
            K, N = inputs(alg)
            T = forge(alg, K, N, b"", bytes(alg.TAG))
            assert opened(alg.Decrypt, b"", T, AD, K, N) is None
            assert opened(alg.Decrypt, b"x", T, b"", K, N) is None
    print("   so anyone who must keep a legacy rule can refuse what has neither.")


# ── Erratum 2 ───────────────────────────────────────────────────────────────────────────────────

def appendix_a_is_version_1():
    print("2. Appendix A prints L* = F_K(0^n, 0^m): that is version 1's. Version 2 has the tag's length in it.")
    with_zeros = with_tau = count = 0
    for name in ("omd-sha256", "omd-sha512"):
        for group in json.loads((ROOT / "vectors" / f"{name}.json").read_text())["testGroups"]:
            if "v2" not in group["source"]["name"] or group.get("params") != {"rule": "reference"}:
                continue
            version_1, version_2 = (omd.algorithm(name, params) for params in ({"version": 1}, {"rule": "reference"}))
            for test in group["tests"][::4]:
                key, iv, aad, msg = (bytes.fromhex(test[f]) for f in ("key", "iv", "aad", "msg"))
                expected = bytes.fromhex(test["ct"]), bytes.fromhex(test["tag"])
                with_zeros += version_1.Encrypt(msg, aad, key, iv, group["tagSize"]) == expected
                with_tau += version_2.Encrypt(msg, aad, key, iv, group["tagSize"]) == expected
                count += 1
    assert (with_zeros, with_tau) == (0, count) and count > 80
    print(f"   {count} answers of the submission's code for version 2: with ⟨τ⟩ all, with 0^m none.")


# ── Erratum 3 ───────────────────────────────────────────────────────────────────────────────────

def offset(keyed, i):
    """L[ntz(1)] ⊕ … ⊕ L[ntz(i)] without the way there: entry b occurs as often as bit b of a Gray code says."""
    D = bytes(keyed.n)
    for b in range(i.bit_length()):
        if (i ^ i >> 1) >> b & 1:
            D = xor(D, keyed.L(b))
    return D


class Table:
    """L[0] to L[24] as the optimised code of the submission keeps them, and what memory has behind them."""

    ENTRIES = 25

    def __init__(self, keyed, behind):
        self.memory = [keyed.L(b) for b in range(self.ENTRIES)] + behind

    def offset(self, i):
        D = bytes(len(self.memory[0]))
        for b in range(i.bit_length()):
            if (i ^ i >> 1) >> b & 1:
                D = xor(D, self.memory[b])
        return D


def the_table_of_masks_ends():
    print("3. The optimised code of the submission has 25 masks. Block 2^25 takes the 26th, and no length is refused.")
    for name in FAMILIES:
        alg = omd.algorithm(name)
        keyed = omd.Keyed(alg, inputs(alg)[0], 8 * alg.TAG)
        D = bytes(alg.n)
        for i in range(1, 40):                               # the shorter way is right
            D = xor(D, keyed.L(omd.ntz(i)))
            assert D == offset(keyed, i)
        behind = [shake(alg.n, "whatever", k) for k in range(8)]
        table = Table(keyed, behind)
        last, first = 2**25 - 1, 2**25
        assert omd.ntz(first) == Table.ENTRIES
        assert table.offset(last) == offset(keyed, last)
        assert table.offset(first) != offset(keyed, first)
        # Of zeros behind the table, the mask of block 2^25 is that of the block before.
        assert Table(keyed, [bytes(alg.n)] * 8).offset(first) == table.offset(last)
        assert xor(table.offset(first), table.offset(last)) == behind[0]
    print("   Modelled: up to block 2^25 - 1 the masks are right; from there on what lies behind the table is in\n"
          "   them. Where that is zeros, two blocks have one mask. It is 1 GiB into a message of OMD-sha256.\n"
          "   Ours have no last mask.")


def the_counter_ends():
    print("   The reference code computes each L[i], but hands on the block's number as an int, and steps no mask for a\n"
          "   number below 1:")

    def steps(i):
        """As a 32-bit int wraps."""
        return (i + 2**31) % 2**32 - 2**31 >= 1
    assert steps(2**31 - 1) and steps(2**32 + 1)
    assert not any(steps(i) for i in (2**31, 2**31 + 1, 3 * 2**30, 2**32 - 1, 2**32))
    print("   modelled, no mask is stepped from block 2^31 to block 2^32 of a message (64 GiB into one of OMD-sha256).")


# ── Erratum 4 ───────────────────────────────────────────────────────────────────────────────────

class OneSigma(omd.Sha2):
    """Where the label of σ_1 is σ_0, a reader has one function for both places."""

    def __init__(self, F):
        self.size, self.n, self.IV, self.K = F.size, F.n, F.IV, F.K
        self.Sigma_0, self.Sigma_1, self.sigma_0, self.sigma_1 = F.Sigma_0, F.Sigma_1, F.sigma_0, F.sigma_0


class Damaged(omd.Sha2):
    """One constant with one digit wrong: no input that uses all rounds escapes it."""

    def __init__(self, F, t):
        self.size, self.n, self.IV = F.size, F.n, F.IV
        self.Sigma_0, self.Sigma_1, self.sigma_0, self.sigma_1 = F.Sigma_0, F.Sigma_1, F.sigma_0, F.sigma_1
        self.K = [*F.K[:t], F.K[t] ^ 0xf << 4, *F.K[t + 1:]]


def constants_and_labels_matter():
    print("4. Table 3 has three damaged constants, one of its functions the wrong label, and B.3 a block of 8 words:")
    for F in (omd.SHA256, omd.SHA512):
        H, block = F.initial(), shake(2 * F.n, "block")
        right = F.compress(H, block)
        assert OneSigma(F).compress(H, block) != right
        assert all(Damaged(F, t).compress(H, block) != right for t in range(len(F.K)))
    words = 16
    assert bits(bytes(8 * words)) == 1024 and omd.BLAKE2B.compress(bytes(64), bytes(8 * words))
    print("   any constant that is wrong, or σ_0 in the place of σ_1, gives another function; 1024 bits are M_0 to M_15.\n"
          "   Ours are computed from the definition in FIPS 180-4, and held against hashlib (test_omd.py).")


# ── What OMD does not give ──────────────────────────────────────────────────────────────────────

def two_keys_one_tag():
    print("5. OMD commits to nothing: anyone who knows two keys makes one nonce, associated data, ciphertext and tag for both.")
    for name in FAMILIES:
        alg = omd.algorithm(name)
        keys = [inputs(alg, what)[0] for what in ("one key", "another key")]
        N, C = inputs(alg)[1], b"any ciphertext of any length that you like"
        keyed = [omd.Keyed(alg, K, 8 * alg.TAG) for K in keys]
        tau, n = 8 * alg.TAG, alg.n
        m = tau + 16
        candidates = [(shake(2 * n, "A", i, 0), shake(2 * n, "A", i, 1)) for i in range(m)]
        # One condition a bit: the tags' difference, the sum over both keys, must vanish.
        total, rows = bytes(n), [0] * m
        for k in keyed:
            total = xor(total, k.cipher(C, N, decrypt=True)[1])
            D = bytes(n)
            for i, pair in enumerate(candidates):
                D = xor(D, k.L(omd.ntz(i + 1)))
                left, right = (k.F(xor(A[:n], D), A[n:]) for A in pair)
                total = xor(total, left)
                rows[i] ^= int.from_bytes(xor(left, right)[:alg.TAG], "big")
        chosen = solve(rows, int.from_bytes(total[:alg.TAG], "big"))
        A = b"".join(pair[chosen >> i & 1] for i, pair in enumerate(candidates))
        T = xor(keyed[0].cipher(C, N, decrypt=True)[1], keyed[0].hash(A))[:alg.TAG]
        messages = [alg.Decrypt(C, T, A, K, N) for K in keys]
        assert messages[0] != messages[1]
        print(f"   {name}, tag of {alg.TAG} bytes: {len(A)} bytes of associated data, by one system of {tau} equations.")


def keys_are_filled_with_zeros():
    print("   And a key that ends in zeros is the key without them:")
    for name in FAMILIES:
        alg = omd.algorithm(name)
        K, N = shake(16, "short"), inputs(alg)[1]
        assert alg.Encrypt(b"message", AD, K, N) == alg.Encrypt(b"message", AD, K + bytes(alg.n - 16), N)
    print("   so keys must have one length.")


def repeated_nonces():
    print("6. A repeated nonce shows differences of messages, and forges:")
    for name in FAMILIES:
        alg = omd.algorithm(name)
        n, (K, N) = alg.n, inputs(alg)
        same, one, other = shake(n, "same"), shake(2 * n, "one"), shake(2 * n, "other")
        C, C_ = (alg.Encrypt(same + M, AD, K, N)[0] for M in (one, other))
        assert C[:n] == C_[:n] and xor(C[n:2 * n], C_[n:2 * n]) == xor(one[:n], other[:n])
        assert xor(C[2 * n:], C_[2 * n:]) != xor(one[n:], other[n:])

        def sealed(M, A):
            return alg.Encrypt(M, A, K, N)
        M, M_, A, A_ = b"pay 10", b"pay 99", b"to Alice", b"to Mallory"
        (_, T1), (_, T2), (C, T3) = sealed(M, A), sealed(M, A_), sealed(M_, A)
        assert alg.Decrypt(C, xor(T1, T2, T3), A_, K, N) == M_
    print("   equal beginnings and the first difference are seen; three tags make a fourth, of a message and associated\n"
          "   data that were never sealed together. That is so for every OMD, and no error.")


DEMONSTRATIONS = [
    one_query_forges,
    forgeries_need_nothing_else_to_be_empty,
    appendix_a_is_version_1,
    the_table_of_masks_ends,
    the_counter_ends,
    constants_and_labels_matter,
    two_keys_one_tag,
    keys_are_filled_with_zeros,
    repeated_nonces,
]

if __name__ == "__main__":
    for show in DEMONSTRATIONS:
        show()
        print()
