"""The errors of OMD as published, and the properties that it lacks, each shown by running it.

Sources: D.-Ş. Maimuţ, A. Ş. Mega, "Speeding Up OMD Instantiations in Hardware" ("the paper"); and the code of OMD's
submission to CAESAR. What differs between two sides is only the error shown. Every function prints a short account and
asserts what it says. research/papers/omd.md is the summary.

    scripts/python research/papers/omd_errata.py [--json]

Letters as in research/reference/omd.py.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "research" / "reference"))

import omd  # noqa: E402
from aegis import bits, xor  # noqa: E402
from aegis_vectors import shake  # noqa: E402
from errata import main  # noqa: E402
from flex_errata import opened, solve  # noqa: E402
from omd_vectors import RULES  # noqa: E402
from published import DATA, value  # noqa: E402

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
        """The tag of a message of at most a block, in full."""
        keyed = omd.Keyed(self, K, 8 * self.TAG)
        D, H = keyed.start(N)
        Tag_e = H if self.free_message and not last else keyed.finish(H, D, last)
        Tag_a = bytes(self.n) if self.free_ad and not A else keyed.hash(A)
        return xor(Tag_e, Tag_a)[:self.TAG]


class AppendixAKeyed(omd.Keyed):
    def finish(self, H, D, last):
        """Algorithm 3, lines 24 to 26."""
        return super().finish(H, D, last) if last else H


class AppendixA(omd.Omd):
    """Algorithms 1 to 4 of the paper as they are printed: L* without a tag's length, and HASH pads an empty A."""

    Keyed = AppendixAKeyed

    def __init__(self, name):
        super().__init__(name)
        self.version = 1


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


def the_papers_algorithms_pad_empty_associated_data():
    print("   The paper's own algorithms, run: L* = F_K(0, 0), HASH pads what is empty, an empty message gives Tag_e ="
          " H:")
    for name in FAMILIES:
        alg, version_1 = AppendixA(name), omd.algorithm(name, {"version": 1})
        K, N = inputs(alg)
        assert alg.Encrypt(b"message", AD, K, N) == version_1.Encrypt(b"message", AD, K, N)
        for A in (b"", AD):
            H = forge(alg, K, N, A, bytes(alg.TAG))
            assert opened(alg.Decrypt, b"", H, A, K, N) is None and opened(alg.Decrypt, b"", H, b"", K, N) is None
            assert opened(version_1.Decrypt, b"", H, b"", K, N) == b""
            # Only HASH(A) is missing, and nothing else.
            T = xor(H, alg.Keyed(alg, K, 8 * alg.TAG).hash(A))
            assert alg.Decrypt(b"", T[:alg.TAG], A, K, N) == b""
    print("   (N, nothing, nothing) is refused, in every family: who knows H lacks HASH(A), and no query shows it\n"
          "   while nonces are used once.\n"
          "   So the forgery is one of the submission's code, and not of the paper's algorithms.")


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
        # With zeros behind the table, the mask of block 2^25 is that of the block before.
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


# ── Errata 4 to 6 ───────────────────────────────────────────────────────────────────────────────

# Table 3 of the text that we hold, where it differs from FIPS 180-4.
TABLE_3 = {t: printed for t, printed in enumerate(DATA["tables"]["omd"]["table 3"])
           if printed != f"{omd.SHA512.K[t]:016x}"}


class As(omd.Sha2):
    """SHA-2's compression function with other constants, or another sigma_1."""

    def __init__(self, F, K=None, sigma_1=None):
        self.size, self.n, self.IV = F.size, F.n, F.IV
        self.Sigma_0, self.Sigma_1, self.sigma_0 = F.Sigma_0, F.Sigma_1, F.sigma_0
        self.K, self.sigma_1 = K or F.K, sigma_1 or F.sigma_1

    def sigma(self, how, x):
        return how(x) if callable(how) else super().sigma(how, x)


def constants_are_damaged():
    print("4. Table 3: five constants differ from FIPS 180-4's, which research/reference/omd.py computes from their definition:")
    F = omd.SHA512
    assert [*TABLE_3] == [22, 38, 60, 61, 64]
    H, block = F.initial(), shake(2 * F.n, "block")
    for t, printed in TABLE_3.items():
        right = f"{F.K[t]:016x}"
        assert printed != right and int(printed, 16) != F.K[t]
        K = [*F.K[:t], int(printed, 16) % 2**64, *F.K[t + 1:]]
        assert As(F, K=K).compress(H, block) != F.compress(H, block)
        print(f"   t = {t}: {printed} ({len(printed)} digits) for {right}. Another function.")


def sigma_1_is_no_rotation():
    print("5. B.2: sigma_1 has the label sigma_0, and SHR where ROTR belongs.")
    F, mask = omd.SHA512, 2**64 - 1

    def rotr(x, n):
        return (x >> n | x << 64 - n) & mask

    def printed(x):
        return x >> 19 ^ x >> 61 ^ x >> 6
    for x in (1, 0x0123456789abcdef, mask):
        assert F.sigma(F.sigma_1, x) == rotr(x, 19) ^ rotr(x, 61) ^ x >> 6 != printed(x)
    H, block = F.initial(), shake(2 * F.n, "block")
    for sigma_1 in (printed, F.sigma_0):
        assert As(F, sigma_1=sigma_1).compress(H, block) != F.compress(H, block)
    print("   SHR19, SHR61, SHR6 as printed is another function, and so is sigma_0 in its place.")


def blake2b_is_not_told_whole():
    print("6. B.3: M_0 to M_7 are called 1024 bits, and the function ends with G. There is no rule for which words G\n"
          "   takes, no number of rounds, no output, and no T and F for OMD.")
    F, block = omd.BLAKE2B, shake(128, "block")
    assert bits(bytes(8 * 8)) == 512 and bits(block) == 1024
    H = F.initial()
    assert F.compress(H, block) != H
    print("   1024 bits are M_0 to M_15. Ours: RFC 7693's columns and diagonals, twelve rounds, h ^ v ^ v', t = f = 0.")


# ── Errata 8 to 11: table 1 and section 4 ───────────────────────────────────────────────────────

def table(design, what):
    return value(f"omd.t1.{design}.{what}")


def long_messages(design):
    """Gb/s: set-up and tag do not count."""
    return 512 * table(design, "clock") / table(design, "message") / 1000


def of_packets(design, blocks):
    """Gb/s of packets of that many blocks, by appendix C."""
    setup, message, tag = (table(design, what) for what in ("setup", "message", "tag"))
    return 512 * blocks * table(design, "clock") / (setup + blocks * message + tag) / 1000


def throughput_and_area_do_not_follow():
    print("8. Table 1: what follows from its own cycles, clocks and LUTs for long messages.")
    for design in ("sha512", "blake2b"):
        print(f"   {design}: {long_messages(design):.3f} Gb/s, printed {table(design, 'throughput')}")
        for given in ("", "-given"):
            ratio = table(design, "throughput") / table(design, f"luts{given}") * 1000
            printed = table(design, f"throughput-per-area{given}")
            follows = abs(ratio - printed) <= 0.002
            assert follows == (design == "sha512" and not given)
            print(f"   {design}{', L* and Tag_a given' if given else ''}: {ratio:.3f}, printed {printed}"
                  f"{'' if follows else ': does not follow'}")
    assert long_messages("blake2b") == table("blake2b", "throughput")
    assert round(long_messages("sha512"), 3) == 1.376 and table("sha512", "throughput") == 1.3
    print("   Our inference, which the authors do not state: packets of 33 blocks, by appendix C's formula.")
    for design in ("sha512", "blake2b"):
        for blocks in (33, 34):
            gbps = of_packets(design, blocks)
            ratios = [1000 * gbps / table(design, f"luts{given}") for given in ("", "-given")]
            print(f"   {design}, {blocks} blocks: {gbps:.3f} Gb/s, {ratios[0]:.3f} and {ratios[1]:.4f}")
    for design, given, blocks, digits in (("sha512", "", 33, 2), ("sha512", "-given", 33, 4), ("blake2b", "", 33, 3),
                                          ("blake2b", "-given", 34, 3)):
        ratio = 1000 * of_packets(design, blocks) / table(design, f"luts{given}")
        assert round(ratio, digits) == table(design, f"throughput-per-area{given}")
    assert round(of_packets("sha512", 33), 1) == table("sha512", "throughput")


def memory_does_not_add_up():
    print("9. LUTs, LUTs with L* and Tag_a given, and LUT RAM:")
    for design, adds_up in (("sha512", True), ("blake2b", False)):
        saved = table(design, "luts") - table(design, "luts-given")
        ram = table(design, "lut-ram") - table(design, "lut-ram-given")
        assert (saved == ram) == adds_up
        print(f"   {design}: {saved} LUTs less, {ram} LUTs of RAM less")
    assert table("blake2b", "luts") - table("blake2b", "luts-given") == 3736 + 296
    print("   blake2b's 4032 is 3736 + 296, so that its LUT RAM would be 4032 (296). The table lists no block RAM; the\n"
          f"   vendor's report in the repository has {value('omd.repository.report.block-ram')} tiles.")


def cycles_mix_two_designs():
    print("10. Set-up: blake2b's 48 is a block and a tag, 25 + 23. sha512's would be 93 + 91.")
    setup, message, tag = (table("blake2b", what) for what in ("setup", "message", "tag"))
    assert setup == message + tag
    other_setup, other_message, other_tag = (table("sha512", what) for what in ("setup", "message", "tag"))
    assert other_setup == other_message + tag != other_message + other_tag
    print(f"   Its {other_setup} is 93 + 23: blake2b's tag. And two calls of 80 rounds take 160 cycles.")


def a_round_may_take_a_cycle():
    print("11. Section 4.2: each round of either function takes one clock cycle. Table 1 leaves room for that:")
    for design, rounds, of in (("blake2b", 12, "of BLAKE2b"), ("blake2b", 16, "of the published BLAKE"),
                               ("sha512", 80, "of SHA-512")):
        left = table(design, "message") - rounds
        assert 0 < left < rounds + 2
        print(f"   {rounds} rounds {of}: {left} of {table(design, 'message')} cycles are left for the rest of a block.")
    print("   It is true of the published BLAKE, by its source. The published SHA-512 core takes 3 cycles a round; no\n"
          "   published OMD uses it.")


def what_is_less_than_double():
    print("   Section 4.2: parameters at least double, TP/A, frequency and LUTs way smaller than the double.")
    theirs = {what: value(f"omd.diehl-gaj.sha256.{what}") for what in ("luts", "clock", "throughput-per-area")}
    times = {what: table("sha512", what) / x for what, x in theirs.items()}
    for what, x in times.items():
        print(f"   {what}: {x:.2f} times")
    assert round(times["luts"], 2) == 1.53 and times["clock"] < 1 and times["throughput-per-area"] < 1
    assert 512 >= 2 * 128 and 512 >= 2 * 256 and not len(omd.SHA512.K) >= 2 * len(omd.SHA256.K)
    results = json.loads((ROOT / "research" / "hw" / "syn" / "results.json").read_text())
    ours = results["sha512"]["ultrascale"]["lut"] / results["sha256"]["ultrascale"]["lut"]
    assert round(ours, 2) == 1.95
    print(f"   Key and block are double and more, rounds are {len(omd.SHA512.K)} for {len(omd.SHA256.K)}. Less clock and less"
          f" TP/A are no advantage.\n   Our two cores' LUTs: {ours:.2f} times.")


def the_repositorys_report():
    print("13. The clock: the repository's report of the vendor's tool has a constraint, and what is left of it:")
    constraint, slack = (value(f"omd.repository.report.{what}") for what in ("constraint", "slack"))
    mhz = 1000 / (constraint - slack)
    assert round(mhz, 1) == 64.9 and mhz < table("blake2b", "clock")
    print(f"   {constraint} ns and {slack} ns: {mhz:.1f} MHz, {512 * mhz / 25 / 1000:.2f} Gb/s at 25 cycles. Table 1:"
          f" {table('blake2b', 'clock')} MHz, {table('blake2b', 'throughput')} Gb/s.")


def figures_count_a_block_twice():
    print("12. Appendix C: Setup + n Message + Tag. The last block's call is the tag's, so that n - 1 are left for"
          " Message:")
    for design, ours, printed in (("sha512", 0.83, 1.20), ("blake2b", 0.57, 0.77)):
        setup, message, tag, mhz = (table(design, what) for what in ("setup", "message", "tag", "clock"))
        by_formula, by_cycles = (setup + message + tag) / mhz, (setup + tag) / mhz
        assert (round(by_formula, 2), round(by_cycles, 2)) == (printed, ours)
        print(f"   {design}, 64 bytes: {by_formula:.2f} us and {512 / by_formula:.0f} Mb/s by the formula,"
              f" {by_cycles:.2f} us and {512 / by_cycles:.0f} Mb/s by the calls.")


# ── What OMD does not give ──────────────────────────────────────────────────────────────────────

def two_keys_one_tag():
    print("Beyond errata: OMD commits to nothing: anyone who knows two keys makes one nonce, associated data,"
          " ciphertext and tag for both.")
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
        print(f"   {name}, tag of {alg.TAG} bytes: {len(A)} bytes of associated data, by one system of {tau}"
              " equations.")


def keys_are_filled_with_zeros():
    print("   And a key that ends in zeros is the key without them:")
    for name in FAMILIES:
        alg = omd.algorithm(name)
        K, N = shake(16, "short"), inputs(alg)[1]
        assert alg.Encrypt(b"message", AD, K, N) == alg.Encrypt(b"message", AD, K + bytes(alg.n - 16), N)
    print("   so keys must have one length.")


def repeated_nonces():
    print("   A repeated nonce shows differences of messages, and forges:")
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


if __name__ == "__main__":
    main("omd", globals())
