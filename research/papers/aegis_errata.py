"""The errors of the AEGIS papers, each shown by running it: as printed, then as implemented.

Sources: F. Denis, eprint 2023/523 v1.0 ("v1.0"), RFC 10032 ("the RFC"), and its last draft, draft-irtf-cfrg-aegis-aead-18
("the draft"), whose erratum 5 the RFC has mended.
Every function prints a short account and asserts what it says. research/papers/aegis.md is the summary.

    python3 research/papers/aegis_errata.py [--json]

Letters as in research/reference/aegis.py. v1.0: K key, IV nonce, CTX context, nu degree, P plaintext, AD
associated data, C ciphertext, T tag, S state. The RFC: D degree, R rate in bits, V[j][i] lane i.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "research" / "reference"))

import aegis  # noqa: E402
from aegis import (C0, C1, F_256, LE64, Interleave, Pad, Split, Tail, ZeroPad,  # noqa: E402
                   VerificationFailed, bits, xor)
from errata import main  # noqa: E402
from published import value  # noqa: E402

K16, IV16 = bytes(range(16)), bytes(range(16, 32))
K32, IV32 = bytes(range(32)), bytes(range(32, 64))


def refused(open_, *args):
    try:
        open_(*args)
    except VerificationFailed:
        return True
    return False


def known_answers(algorithm):
    """The draft's printed answers for it."""
    doc = json.loads((ROOT / "vectors" / f"{algorithm}.json").read_text())
    for group in doc["testGroups"]:
        if group["source"]["name"] == "draft-irtf-cfrg-aegis-aead":
            for t in group["tests"]:
                if t["result"] == "valid":
                    yield group["tagSize"], *(bytes.fromhex(t[f]) for f in
                                              ("key", "iv", "aad", "msg", "ct", "tag"))


# ── v1.0, algorithms 3 and 4 ────────────────────────────────────────────────────────────────────

def initialize_256(constants_as_printed, updates_as_printed):
    """Algorithm 4, with either of its two slips left in."""
    def Initialize(CTX, K, IV):
        K0, K1 = Split(K, 128)
        IV0, IV1 = Split(IV, 128)
        a, b = (C0, C1) if constants_as_printed else (C1, C0)
        S = [xor(K0, IV0), xor(K1, IV1), a, b, xor(K0, b), xor(K1, a)]
        third, fourth = (IV0, IV1) if updates_as_printed else (xor(K0, IV0), xor(K1, IV1))
        for _ in range(4):
            for m in (K0, K1, third, fourth):
                S[3] = xor(S[3], Pad(CTX, 128))
                S[5] = xor(S[5], Pad(CTX, 128))
                S = F_256(S, m)
        return S
    return Initialize


def initialization_is_not_aegis_256():
    print("1. v1.0, algorithms 3 and 4: the initialisation printed there is not AEGIS-256's.")
    vectors = list(known_answers("aegis-256"))

    def matches(Initialize):
        class Variant(aegis.AegisV1):
            KEY, r = 32, 128

            def Lane(self, *lane):
                return aegis.Lane_256(*lane, Initialize=Initialize)
        return sum(Variant(1).Encrypt(msg, ad, K, IV, n) == (ct, tag)
                   for n, K, IV, ad, msg, ct, tag in vectors)

    for constants in (True, False):
        for updates in (True, False):
            got = matches(initialize_256(constants, updates))
            print(f"   constants {'as printed' if constants else 'exchanged ':10}"
                  f"  updates 3, 4 absorb {'IV    ' if updates else 'K ^ IV'}"
                  f"  -> {got:2} of {len(vectors)} AEGIS-256 vectors")
            assert got == (0 if constants or updates else len(vectors))
    assert matches(aegis.Initialize_256) == len(vectors) > 0
    print("   Both must change: only then is CTX = 0 AEGIS-256, as the paper says it is.")


# ── v1.0, section 3: without a context ──────────────────────────────────────────────────────────

class WithoutContext:
    """Every lane is Enc of the same key and IV, with CTX = 0."""

    def separate(self, i, K, IV, tag_len_bits):
        return b"\0", K, IV


class Bare128(WithoutContext, aegis.Aegis128XV1):
    pass


class Bare256(WithoutContext, aegis.Aegis256XV1):
    pass


def exchanged(x):
    """The same with the two lanes' blocks exchanged."""
    return aegis.Deinterleave(Interleave(x, 2)[::-1])


def without_a_context_lanes_are_alike():
    print("   v1.0, section 3: without a context all lanes have one state. Of degree 2:")
    known, secret = b"16 known bytes..", b"attack at dawn!!"
    for Bare, Whole, K, IV in ((Bare128, aegis.Aegis128XV1, K16, IV16), (Bare256, aegis.Aegis256XV1, K32, IV32)):
        bare, whole = Bare(2), Whole(2)
        P, AD = b"pay a hundred to Alice, and nothing to Mallory. Signed: the bank", bytes(range(64))
        for alg, holds in ((bare, True), (whole, False)):
            C, T = alg.Encrypt(exchanged(P), exchanged(AD), K, IV)
            forged = exchanged(C), T, AD, K, IV
            assert refused(alg.Decrypt, *forged) != holds
            if holds:
                assert alg.Decrypt(*forged) == P
        lane = b"anything I like, for both lanes "
        equal = aegis.Deinterleave([lane, lane]), bytes(16), aegis.Deinterleave([lane[::-1], lane[::-1]]), K, IV
        assert bare.Decrypt(*equal) and refused(whole.Decrypt, *equal)
        for alg, shown in ((bare, True), (whole, False)):
            C, _ = alg.Encrypt(known + secret, b"", K, IV)
            assert (xor(C[:16], known, C[16:]) == secret) == shown
        print(f"   {Whole.__name__}: who may have a message sealed has the ciphertext and tag of that with its lanes exchanged;"
              "\n     who may have one opened has the other's text. Equal lanes open with the tag zero, without a query. A known"
              "\n     block shows the other lane's. With the context the first two are refused, and the last shows nothing.")


def rounds_of_the_initialization():
    print("   v1.0, section 5: AES rounds of the initialisation, counted:")
    real, count = aegis.AESRound, 0

    def AESRound(*args):
        nonlocal count
        count += 1
        return real(*args)
    aegis.AESRound = AESRound
    try:
        for name, Initialize, K, IV in (("aegis-128l", aegis.Initialize_128L, K16, IV16),
                                        ("aegis-256", aegis.Initialize_256, K32, IV32)):
            count = 0
            Initialize(b"\0", K, IV)
            assert count == value(f"aegis.rounds.{name}")
            print(f"   {name}: {count}")
    finally:
        aegis.AESRound = real


def updates(V1, nu, K, IV, AD, P):
    """How many updates one after another a message takes; lanes are side by side."""
    name = {aegis.Aegis128XV1: "F_128L", aegis.Aegis256XV1: "F_256"}[V1]
    real, count = getattr(aegis, name), 0

    def F(S, *blocks):
        nonlocal count
        count += 1
        return S
    setattr(aegis, name, F)
    try:
        V1(nu).Encrypt(P, AD, K, IV)
    finally:
        setattr(aegis, name, real)
    assert count % nu == 0
    return count // nu


def lanes_help_beyond_one_rate():
    print("   v1.0, section 7: updates one after another, of degree 1 and 2, by bytes of AD or of P.")
    for name, V1, K, IV in (("128x", aegis.Aegis128XV1, K16, IV16), ("256x", aegis.Aegis256XV1, K32, IV32)):
        r = value(f"aegis.threshold.{name}")
        for what in ("AD", "P"):
            fewer = []
            for n in range(2 * r + 1):
                AD, P = (bytes(n), b"") if what == "AD" else (b"", bytes(n))
                one, two = (updates(V1, nu, K, IV, AD, P) for nu in (1, 2))
                assert two <= one
                if two < one:
                    fewer.append(n)
            assert fewer[0] == r + 1 and fewer == [*range(r + 1, 2 * r + 1)]
            print(f"   AEGIS-{name.upper()}: fewer from {fewer[0]} bytes of {what} on, r = {r}.")


# ── v1.0, the lengths ───────────────────────────────────────────────────────────────────────────

class FragmentLengths(aegis.Aegis128XV1):
    """Section 4 read to the letter: each lane is Enc_128L of its own padded fragment, lengths and all."""

    def _lanes(self, AD, X, K, IV, u, tag_len_bits, mask=None):
        stride = self.r * self.nu
        u = (LE64(bits(Interleave(Pad(AD, stride), self.nu)[0]))
             + LE64(bits(Interleave(Pad(X, stride), self.nu)[0])))
        return super()._lanes(AD, X, K, IV, u, tag_len_bits, mask)


def padded_lengths_allow_forgery():
    print("2. v1.0, section 4: with the lengths of the padded fragments, padding is forgeable.")
    P, AD = b"pay 10 to ", b"abc"
    printed, ours = FragmentLengths(2), aegis.Aegis128XV1(2)

    for alg, forged in ((printed, True), (ours, False)):
        C, T = alg.Encrypt(P, AD, K16, IV16)
        assert alg.Decrypt(C, T, AD, K16, IV16) == P     # the honest receiver is served by both
        assert refused(alg.Decrypt, C, T, AD + b"\0", K16, IV16) != forged
    print(f"   AD {AD!r} sealed, AD {AD + bytes(1)!r} presented: as printed accepted; "
          "with total lengths refused.")

    for alg, forged in ((printed, True), (ours, False)):
        C, T = alg.Encrypt(P + b"\0", AD, K16, IV16)
        assert refused(alg.Decrypt, C[:-1], T, AD, K16, IV16) != forged
        if forged:
            assert alg.Decrypt(C[:-1], T, AD, K16, IV16) == P
    print(f"   {P + bytes(1)!r} sealed, its last ciphertext byte cut off: as printed opens as {P!r}; "
          "with total lengths refused.")

    L, l128 = aegis.Aegis128XV1(1), aegis.Aegis128X(1)
    assert L.Encrypt(P, AD, K16, IV16) == l128.Encrypt(P, AD, K16, IV16)
    assert FragmentLengths(1).Encrypt(P, AD, K16, IV16) != l128.Encrypt(P, AD, K16, IV16)
    print("   The same reading breaks the paper's AEGIS-128X[1] = AEGIS-128L; total lengths keep it.")


# ── v1.0, the degree ────────────────────────────────────────────────────────────────────────────

def degrees_share_key_stream():
    print("3. v1.0: a lane's state does not depend on nu, so one (K, IV) under two degrees reuses it.")
    known, secret = b"a message the attacker may know.", b"attack at dawn, but quietly, ok?"
    for name, V1, K, IV, shared in (("AEGIS-128X", aegis.Aegis128XV1, K16, IV16, 32),
                                    ("AEGIS-256X", aegis.Aegis256XV1, K32, IV32, 32)):
        Ca, _ = V1(2).Encrypt(known, b"", K, IV)
        Cb, _ = V1(4).Encrypt(secret, b"", K, IV)
        assert xor(Ca, known, Cb)[:shared] == secret[:shared]
        print(f"   {name}[2] of a known text and {name}[4] under the same key and IV: "
              f"recovered {xor(Ca, known, Cb)!r}")
    for X, K, IV in ((aegis.Aegis128X, K16, IV16), (aegis.Aegis256X, K32, IV32)):
        Ca, _ = X(2).Encrypt(known, b"", K, IV)
        Cb, _ = X(4).Encrypt(secret, b"", K, IV)
        assert all(xor(x, p, y) != s for x, p, y, s in zip(
            *(Split(v, 128) for v in (Ca, known, Cb, secret))))
    print("   The RFC puts D - 1 into the context: nothing recovered. For v1.0, the degree is part of "
          "the algorithm's identity.")


# ── Both: commitment ────────────────────────────────────────────────────────────────────────────

def two_keys_one_ciphertext():
    print("4. Commitment: with AD free to choose, two keys open one ciphertext and tag.")
    doc = json.loads((ROOT / "vectors/attacks/aegis-collisions.json").read_text())
    for t in doc["collisions"]:
        alg = aegis.algorithm(t["algorithm"], t.get("params"))
        nonce, ct, msg = (bytes.fromhex(t[f]) for f in ("nonce", "ct", "msg"))
        assert t["key1"] != t["key2"]
        for n in ("1", "2"):
            key, ad = bytes.fromhex(t["key" + n]), bytes.fromhex(t["ad" + n])
            for tag in (t["tag128"], t["tag256"]):
                assert alg.Decrypt(ct, bytes.fromhex(tag), ad, key, nonce) == msg
            assert refused(alg.Decrypt, ct, bytes.fromhex(t["tag256"]), ad + b"\0", key, nonce)
        degree = f"[{t['params']['degree']}]" if "params" in t else ""
        print(f"   {t['algorithm'] + degree:16} keys {t['key1'][:8]}.. and {t['key2'][:8]}.. both open "
              f"ct {t['ct'][:8]}.. tag {t['tag256'][:8]}..")
    print("   Not a slip but a limit, and the 256-bit tag does not help. The RFC's 9.1.2 has the remedies: "
          "a hash of AD\n   in AD's place, or a key derived from AD.")


# ── The draft, 4.2 ──────────────────────────────────────────────────────────────────────────────

def decrypt_256_as_printed(alg, ct, ad, key, nonce, tag_len_bits):
    """4.2 to the letter: ct_blocks = Split(ZeroPad(ct, 128), 128), then cn as well."""
    alg.Init(key, nonce)
    for ai in Split(ZeroPad(ad, 128), 128):
        alg.Absorb(ai)
    msg = b"".join(alg.Dec(ci) for ci in Split(ZeroPad(ct, 128), 128))
    cn = Tail(ct, bits(ct) % 128)
    if cn:
        msg += alg.DecPartial(cn)
    return msg, alg.Finalize(bits(ad), bits(msg), tag_len_bits)


def decrypt_256_takes_the_last_block_twice():
    print("5. The draft, 4.2: AEGIS-256 Decrypt pads the ciphertext before splitting it, so the partial "
          "block\n   is decrypted whole and then once more.")
    alg = aegis.Aegis256X(1)
    whole = partial = 0
    for n, K, IV, ad, msg, ct, tag in known_answers("aegis-256"):
        got, expected_tag = decrypt_256_as_printed(alg, ct, ad, K, IV, n)
        if len(ct) % 16 == 0:
            assert (got, expected_tag) == (msg, tag)
            whole += 1
        else:
            extra = 16                                   # the padded block, beside the partial one
            assert len(got) == len(msg) + extra and expected_tag != tag
            partial += 1
        assert alg.Decrypt(ct, tag, ad, K, IV) == msg
    print(f"   As printed: {whole} vectors of whole blocks open; {partial} with a partial block come out "
          "16 bytes too long and are refused.")
    print("   Split(ct, 128), as 3.2 and 5.3 have it, opens all of them.")
    assert whole and partial


# ── The RFC, 5.4 and 8.3.2 ──────────────────────────────────────────────────────────────────────

def halves_of_the_rate():
    print("6. The RFC, 5.4.3 to 5.4.5: t0, t1 = Split(ai, R), where ai has R bits.")
    R = aegis.Aegis128X(2).R
    ai = bytes(R // 8)
    assert len(Split(ai, R)) == 1 and len(Split(ai, R // 2)) == 2
    print("   That gives one block for two names. R / 2 is meant; 5.4.6 says 128 * D, which is the same.")


class MacAsPrinted(aegis.Aegis128X):
    """8.3.2 to the letter, at the degrees where research/reference/aegis.py refuses it."""

    def FinalizeMac(self, data_len_bits, tag_len_bits):
        t = b"".join(xor(V2i, LE64(data_len_bits) + LE64(tag_len_bits)) for V2i in self.V[2])
        for _ in range(7):
            self.Update(t, t)
        tags = b"".join(self.Tag(i, 128) for i in range(self.D))
        for v in Split(tags, 256):                       # a partial block is ignored: 2, "Split"
            x0, x1 = Split(v, 128)
            self.Absorb(ZeroPad(x0, self.R // 2) + ZeroPad(x1, self.R // 2))
        t = ZeroPad(xor(self.V[2][0], LE64(self.D) + LE64(tag_len_bits)), self.R // 2)
        for _ in range(7):
            self.Update(t, t)
        return self.Tag(0, 128)


def mac_forgets_a_lane_at_odd_degrees():
    print("7. The RFC, 8.3.2: with a 128-bit tag and an odd degree above 1, the last lane's tag is half\n"
          "   a block, and Split drops it: AEGISMAC-128X does not authenticate that lane.")
    data = bytes(range(96)) + b"the end"
    for D in (3, 5):
        lane = D - 1                                     # block D - 1 of each row goes to it
        forged = bytearray(data)
        forged[16 * lane:16 * lane + 16] = b"\xff" * 16
        alg = MacAsPrinted(D)
        assert bytes(forged) != data
        assert alg.Mac(data, K16, IV16) == alg.Mac(bytes(forged), K16, IV16)
        forged[0] ^= 1                                   # another lane is still seen
        assert alg.Mac(data, K16, IV16) != alg.Mac(bytes(forged), K16, IV16)
        print(f"   D = {D}: bytes {16 * lane} to {16 * lane + 15} replaced, same tag.")
        try:
            aegis.Aegis128X(D).Mac(data, K16, IV16)
        except ValueError:
            pass
        else:
            raise AssertionError
    for D in (2, 4):                                     # the degrees the RFC names are sound
        assert MacAsPrinted(D).Mac(data, K16, IV16) == aegis.Aegis128X(D).Mac(data, K16, IV16)
    print("   Degrees 2 and 4, the ones the RFC names, are unaffected. Other odd degrees are refused.")


if __name__ == "__main__":
    main("aegis", globals())
