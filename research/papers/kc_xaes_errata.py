"""The claims of the paper on KC-XAES that can be computed, and where they do not hold, each shown by running it.

Source: P. Kampanakis, S. Halevi, N. Ebeid, M. Campagna, "Blockcipher-Based Key Commitment for Nonce-Derived Schemes",
eprint 2025/758. Every function prints a short account and asserts what it says. research/papers/kc-xaes.md is the summary.

    scripts/python research/papers/kc_xaes_errata.py [--json]

Letters as in research/reference/xaes.py. The paper's figures are those of research/papers/published.toml.
"""

import sys
from fractions import Fraction
from math import comb, factorial, log2
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "reference"))

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: E402

import gcm  # noqa: E402
import xaes  # noqa: E402
from aegis import xor  # noqa: E402
from aegis_vectors import shake  # noqa: E402
from errata import as_limits, main  # noqa: E402
from published import VALUES, value  # noqa: E402

K, N = bytes(range(32)), bytes(range(100, 124))


def log(x):
    """log2 of an exact fraction."""
    x = Fraction(x)
    return log2(x.numerator) - log2(x.denominator)


# ── 4.2 and appendix B: limits ──────────────────────────────────────────────────────────────────

def repeats(q, bits, m=2):
    """Some m of q random values of that many bits are the same, by the union bound."""
    return Fraction(comb(q, m), 2 ** (bits * (m - 1)))


def printed(name):
    return value(f"kc-xaes.log2.{name}")


def equation_1_and_its_instance():
    print("1. Equation (1) is right, and so is its value for m = 8; the instance between them is misprinted.")
    exact, approximate = repeats(2**80, 96, 8), Fraction(1, 2**32 * factorial(8))      # 96 - 16 · 8 = -32
    assert round(log(exact), 1) == round(log(approximate), 1) == printed("shared-key.m8")
    as_limits("kc-xaes.shared-key.m8", log(exact))
    as_printed = 96 - 16 * 8 / factorial(8)
    assert as_printed > 0
    print(f"   2^(96 - 16·8) / 8! = 2^{log(approximate):.1f}. As printed, /8! is in the exponent: 2^{as_printed:.1f}.")


def limits_of_nonces():
    print("   The other figures of 4.2 and appendix B follow:")
    many_keys = 2**33 * repeats(2**64, 192)
    for name, x in (("nonce-repeats.b24", repeats(2**80, 192)), ("nonce-repeats.b20", repeats(2**64, 160)),
                    ("nonce-repeats.many-keys", many_keys), ("shared-key.b20.m4", repeats(2**64, 96, 4))):
        assert round(log(x), 1) == printed(name), name
        print(f"   {name}: 2^{log(x):.1f}, {VALUES[f'kc-xaes.log2.{name}']['where']}")


def many_keys():
    print("   4.2, many keys:")
    a_key, two_of_gcm = repeats(2**64, 192), 2 * repeats(2**32, 96)
    as_limits("kc-xaes.nonce-repeats.b24", log(repeats(2**80, 192)))
    as_limits("kc-xaes.nonce-repeats.b20", log(repeats(2**64, 160)))
    as_limits("kc-xaes.nonce-repeats.many-keys", log(2**33 * a_key))
    as_limits("kc-xaes.gcm.two-keys", log(two_of_gcm))
    assert round(log(a_key), 1) == printed("nonce-repeats.a-key")
    assert round(log(2**33 * a_key), 1) == printed("nonce-repeats.many-keys") and 64 + 33 == printed("messages.many-keys")
    assert round(log(two_of_gcm), 1) == printed("gcm.two-keys")
    print(f"   2^64 messages: 2^{log(a_key):.1f} a key, 2^{log(2**33 * a_key):.1f} with 2^33 keys, of 2^97 messages.\n"
          f"   GCM, two keys with 2^32 messages each: 2^{log(two_of_gcm):.1f}.")


def messages_under_a_derived_key():
    print("   4.2, appendix B: the most messages under one derived key, but with 2^-32:")
    for b, q in (("b24", 2**80), ("b20", 2**64)):
        most = next(m for m in range(2, 20) if repeats(q, 96, m) < Fraction(1, 2**32)) - 1
        assert most == value(f"kc-xaes.messages-a-derived-key.{b}")
        print(f"   {b}: {most}")


def distinguishing(blocks, messages):
    """GCM from random bits under one key, at most: draft-irtf-cfrg-aead-limits-13, 6.2.1."""
    return Fraction((blocks + messages + 1) ** 2, 2**129)


def the_sum_over_derived_keys_has_no_bound():
    print("10. 4.2 bounds what a derived key encrypts, and never the sum. It allows 2^80 messages of 2^36 bytes:")
    q, L, most = 2**80, 2**36 // 16, value("kc-xaes.messages-a-derived-key.b24")
    a_key, in_all = distinguishing(most * L, most), q * distinguishing(L, 1)
    assert most * L < 2**64 and round(log(a_key), 1) == -59.4 and round(log(in_all), 3) == 15
    print(f"   {most} of them under one derived key: 2^{log(a_key):.1f}. All of them, each under a key of its own, which is the least:"
          f"\n   2^80 (2^32 + 2)^2 / 2^129 = 2^{log(in_all):.0f}, so the bound is 1.")
    # 1 - x <= e^-x: L random blocks all differ with e^(-L (L - 1) / 2^129) at most.
    exponent = Fraction(q * L * (L - 1), 2**129)
    assert round(exponent) == 2**15
    print("   That is no weakness of the bound. In a message of GCM no block of the key stream occurs twice. In 2^32 random blocks\n"
          f"   one does with 2^-65, and in none of 2^80 messages with e^-{round(exponent)} at most. If the plaintexts are known,\n"
          "   that tells the two apart.")
    fewer = next(k for k in range(80, 0, -1) if round(log(2**k * distinguishing(L, 1)), 3) <= -32)
    shorter = max(blocks for blocks in range(2**10) if q * distinguishing(blocks, 1) <= Fraction(1, 2**32))
    assert (fewer, 16 * shorter) == (33, 5760)
    print(f"   2^-32 is reached with 2^{fewer} messages of 2^36 bytes, or with 2^80 of {16 * shorter} bytes.")
    b20 = 2**64 * distinguishing(L, 1)
    assert round(log(b20), 3) == -1
    print(f"   b = 20, 2^64 messages of 2^36 bytes: 2^{log(b20):.0f}.")
    by_the_draft = Fraction(q * L * (most * L + 98), 2**127)
    assert round(log(by_the_draft), 1) == 19.8
    print(f"   `polyseal limits` adds them up by the same draft's 7.1.2, which is coarser: 2^{log(by_the_draft):.1f}.")


def derived_keys_of_two_main_keys():
    print("   4.2, footnote 1: random main keys, and all of the section's 2^97 messages under them:")
    q = 2 ** printed("messages.many-keys")
    key, both = repeats(q, 256), repeats(q, 256 + 96)
    assert (round(log(key)), round(log(both))) == (-63, -159)
    print(f"   K_U is the same for two with 2^{log(key):.0f}, K_U and a random V with 2^{log(both):.0f}, if AES under random keys is as\n"
          "   good as random permutations.")


def twelve_bytes_are_no_worse_than_gcm():
    print("   Appendix B, b = 12: U and V are the whole nonce.")
    nonces = [shake(12, "b = 12", i) for i in range(50)]
    derived = [xaes.xaes(K, nonce) for nonce in nonces]
    assert len({K_U for K_U, _ in derived}) == len(nonces) and [V for _, V in derived] == nonces
    repeated = log(repeats(2**32, 96))
    assert round(repeated) == -33
    print(f"   Each nonce has a key of its own, for AES is a permutation; 2^32 random ones repeat with 2^{repeated:.1f}, as GCM's do.")


def counted():
    """Different calls of AES under the main key for one message, beyond AES-GCM's own."""
    def calls(*derive):
        return len({block for key, block in called(lambda: [f(K, N) for f in derive]) if key == K})

    return {"xaes": calls(xaes.xaes), "kc-xaes": calls(xaes.xaes, xaes.kc_xaes), "c3": calls(xaes.xaes, xaes.kc_c3),
            "dndk-v1": calls(lambda K, N: xaes.dndk_v1(K, N, False)), "dndk-v1-kc": calls(xaes.dndk_v1),
            "dndk-v2": calls(lambda K, N: xaes.dndk_v2(K, N, False)),
            "dndk-v2-kc": calls(lambda K, N: xaes.dndk_v2(K, N, True)), "h-kc-aes": calls(xaes.h_aes, xaes.h_kc_aes)}


def called(function):
    """The key and block of every call of AES that it makes."""
    seen, real = set(), gcm.AES

    def AES(key, block):
        seen.add((key, bytes(block)))
        return real(key, block)
    gcm.AES = xaes.AES = AES
    try:
        function()
    finally:
        gcm.AES = xaes.AES = real
    return seen


def calls_of_aes():
    print("   4.1, 6: different calls of AES under the main key, beyond AES-GCM's own:")
    calls = counted()
    for scheme in ("xaes", "kc-xaes", "dndk-v1", "dndk-v1-kc", "dndk-v2", "dndk-v2-kc"):
        assert calls[scheme] == value(f"kc-xaes.calls.{scheme}")
        print(f"   {scheme}: {calls[scheme]}")
    assert calls["c3"] - calls["xaes"] == value("kc-xaes.calls.c3-commitment")
    print(f"   C.3's commitment: {calls['c3'] - calls['xaes']}")
    plain, padded = (len(called(lambda: xaes.algorithm(name).Encrypt(b"message", b"", K, N)))
                     for name in ("xaes-256-gcm", "padding-fix-xaes-256-gcm"))
    assert padded - plain == value("kc-xaes.calls.padding-fix")
    print(f"   C.1's padding: {padded - plain}, under K_U")


# ── Figures 2 and 3, appendix A ─────────────────────────────────────────────────────────────────

def two_lengths_share_a_key_stream():
    print("2. A key with nonces of two lengths: the longer one that repeats the shorter's end has the same K_U and V.")
    for b in range(20, 24):
        short = N[:b]
        long = short[:12] + short[-12:]
        assert xaes.xaes(K, short) == xaes.xaes(K, long) and xaes.kc_xaes(K, short) != xaes.kc_xaes(K, long)
    print("   K_C differs, for the length is in it, and hides nothing. Here a key is for one length.")


def parameters_for_acvp():
    print("   Appendix A's two KBKDFs are K_U and K_C: counter of 16 bits before 5800 U, of 8 bits after XCMT U V"
          " 000100.")
    for i in range(20):
        key, nonce = shake(32, "acvp", i), shake(24, "acvp nonce", i)
        U, V = nonce[:12], nonce[12:]
        assert gcm.KBKDF(key, b"X\0" + U, 32, 16, "before") == xaes.xaes(key, nonce)[0]
        assert gcm.KBKDF(key, b"XCMT" + U + V + b"\0\1\0", 32, 8, "after") == xaes.kc_xaes(key, nonce)


def the_commitments_input_is_two_blocks():
    print("   4.3: SP 800-108's concern about key control is with CMACs of more than a block. K_U's has one:")
    u, c = b"\0\1X\0" + N[:12], b"XCMT" + N + b"\0\1\0\1"
    assert gcm.CMAC(K, u) == xaes.xaes(K, N)[0][:16] and gcm.CMAC(K, c) == xaes.kc_xaes(K, N)[:16]
    assert (len(u), len(c)) == (16, 32)
    print(f"   {len(u)} bytes. K_C's has {len(c)}, and of K_C the section does not speak. Erratum 5 lives in its first"
          " block.")


# ── 5.1: CMT-2 where the nonce is not sent ──────────────────────────────────────────────────────

def one_key_two_nonces():
    print("5. CMT-2 is defined in section 2 by (K, N) != (K', N'): one key and two nonces break it, and take 2^16.3"
          " calls.")
    calls = []
    for seed in range(8):
        key = shake(32, "two nonces", seed)
        encrypt = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        seen, count = {}, 0
        while True:
            U = shake(12, "U", seed, count)
            X1 = encrypt.update(b"XCMT" + U)
            count += 1
            other = seen.setdefault(X1[12:], (U, X1))
            if other[0] != U:
                break
        calls.append(count)
        V = shake(12, "V", seed)
        one, two = U + V, other[0] + xor(V, X1[:12], other[1][:12])
        assert one != two and xaes.kc_xaes(key, one) == xaes.kc_xaes(key, two)
    mean = log2(sum(calls) / len(calls))
    assert abs(mean - 16.3) < 0.8
    print(f"   Here the mean of {len(calls)} keys is 2^{mean:.1f}. 5.1 states about"
          f" 2^{value('kc-xaes.attack.cmt-2')}, for two keys. Where the nonce is sent, neither counts.")


# ── 5.2: theorem 1 ──────────────────────────────────────────────────────────────────────────────

def theorem_1(q, beta, n=128, last=3):
    left = 2**n - 2 * q
    return (Fraction(q * comb(q - 1, beta), left**beta) + Fraction(4 * (beta - 1) * q, left)
            + Fraction(last * comb(q, 2), left**2))


def theorem_1_after_2_to_80():
    q, bounds = 2**80, {beta: theorem_1(2**80, beta) for beta in range(1, 12)}
    beta = min(bounds, key=bounds.get)
    assert beta == value("kc-xaes.theorem-1.beta")
    assert log(bounds[beta]) < value("kc-xaes.log2.theorem-1.q80")
    assert round(log(bounds[beta]), 7) == -44.9999995 and abs(bounds[beta] * 2**128 / q - 8) < 1e-5
    as_limits("kc-xaes.theorem-1", log(bounds[beta]))
    print(f"   Theorem 1 after 2^80 calls: the least is 2^{log(bounds[beta]):.7f}, with beta = {beta}: 8q / 2^n and\n"
          "   next to nothing else. The paper gives 16q / 2^n = 2^-44, which is true as well.")


def lemma_3_sums_to_more():
    q = 1000
    assert sum(4 * i for i in range(q)) == 4 * comb(q, 2)
    as_printed, as_proven = theorem_1(2**80, 3), theorem_1(2**80, 3, last=6)
    assert 0 < as_proven - as_printed < Fraction(1, 2**90)
    print("6. Lemma 3: its proof has 4i / (2^n - 2q)^2 for query i, whose sum is 4 C(q,2) and not C(q,2); with lemma\n"
          f"   1's 2 the theorem has 6 for its 3. After 2^80 calls that adds {float(as_proven - as_printed):.1e} to"
          f" {float(as_printed):.1e}: harmless.")


# ── Section 6 ───────────────────────────────────────────────────────────────────────────────────

def hmac_of_one_call_or_two():
    print("4. Table 4: HMAC-SHA256 and the same operations. One call gives the 32 bytes for which CMAC takes two:")
    U = N[:12]
    one = gcm_hmac(b"\0\1X\0" + U)
    two = one[:16] + gcm_hmac(b"\0\2X\0" + U)[:16]
    assert one == xaes.h_aes(K, N)[0] and one != two
    print("   the text does not say which, and prints no values. Ours is one call.")


def gcm_hmac(message):
    return xaes.hmac.digest(K, message, "sha256")


def percentages_follow_from_the_times():
    print("7. Percentages of tables 2, 3 and 4 against the microseconds beside them:")
    wrong = []
    for name, entry in VALUES.items():
        if not entry["unit"].startswith("percent over"):
            continue
        time = name.removesuffix(".over").replace(".t2.", ".t1.")
        base = time.rsplit(".", 1)[0] + ".aes-256-gcm"
        low, high = ((value(time) - s) / (value(base) + s) - 1 for s in (half_a_digit(base), -half_a_digit(base)))
        half = 0.5 if ".t4." in name else 0.005
        if not 100 * low - half <= entry["value"] <= 100 * high + half:
            wrong.append(name)
            print(f"   {name.removeprefix('kc-xaes.')}: {entry['value']} %, by its times"
                  f" {100 * (value(time) / value(base) - 1):.2f} %")
    assert wrong == WRONG, wrong
    fitting = (value("kc-xaes.t3.xeon-8375c.init.xaes") / value("kc-xaes.t4.xeon-8375c.init.aes-256-gcm") - 1) * 100
    assert round(fitting, 2) == value("kc-xaes.t3.xeon-8375c.init.xaes.over")
    print("   Table 3's Init prints 0.134 us, which is table 1's; its percentages are those of table 4's 0.136.")


def half_a_digit(name):
    """Half of the last digit that is printed: three decimals below 10 us, two or one above."""
    x = value(name)
    return 0.0005 if x < 10 else 0.005 if x < 100 else 0.05


WRONG = [f"kc-xaes.{name}" for name in (
    "t3.xeon-8375c.init.xaes.over", "t3.xeon-8375c.init.kc-xaes.over", "t4.xeon-8375c.open-1MiB.h-kc-aes.over")]


# ── Appendix C ──────────────────────────────────────────────────────────────────────────────────

def a_commitment_to_fifteen_bytes():
    print("8. Appendix C.3: a commitment to N[0:15] repeats as often as 120 random bits do.")
    assert xaes.kc_c3(K, N) == xaes.kc_c3(K, N[:15] + bytes(9))
    got = log(repeats(2**48, 120))
    assert round(got) == -25 != printed("c3.q48") and round(log(repeats(int(2**44.5), 120))) == printed("c3.q48")
    as_limits("kc-xaes.c3.q48", got)
    as_limits("kc-xaes.c3.q44.5", log(repeats(int(2**44.5), 120)))
    as_limits("kc-xaes.c3.dndk-v2.q50", log(repeats(2**50, 120)))
    # 4.2, too, has 2^-33 where it limits by 2^-32.
    whole_block = log(repeats(2**48, 128))
    assert round(whole_block, 2) == printed("nonce-repeats.b24") == printed("c3.q48") - 1
    assert round(log(repeats(2**50, 120))) == printed("c3.dndk-v2.q50")
    print(f"   2^48 messages have 2^{got:.0f}, not 2^{printed('c3.q48')}: that is at 2^44.5.\n"
          f"   2^48 is the limit of all 128 bits of a block, 2^{whole_block:.2f}; the counter takes 8 of them. The 2^-21 that it cites for\n"
          "   DNDK's 2^50 is right.")


def f_com_is_not_for_every_derivation():
    print("9. F_com over other schemes: it is computed as it is, over each, and theorem 1 covers that. What no proof"
          " covers is one key in two uses:")
    for name, params in (("h-aes-256-gcm", None), ("hkdf-aes-256-gcm", None), ("dndk-gcm", {"version": 1}),
                         ("dndk-gcm", {"version": 2})):
        alg = xaes.algorithm(f"f-com-{name}", params)
        C, T = alg.Encrypt(b"message", b"", K, N)
        assert T[16:] == xaes.kc_xaes(K, N) and alg.Decrypt(C, T, b"", K, N) == b"message"
    U = N[:11] + bytes([8 * (24 - 12) + 1])                 # DNDK's ConfigByte for 24 bytes, and block 1
    theirs = (b"XCMT" + N[:11] + bytes(9))[:15] + bytes([8 * (24 - 12) + 1])
    assert theirs == b"XCMT" + U
    print("   Over HMAC and HKDF one key is in AES and in a hash. DNDK, version 2, has the nonce in front of its blocks: for\n"
          "   a nonce that begins with XCMT, its block is F_com's first one. We know no attack.")


if __name__ == "__main__":
    main("kc-xaes", globals())
