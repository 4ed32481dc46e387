"""Writes vectors/och-areion-*.json and vectors/internal/och-edges.json, by research/reference/och.py.

    scripts/python research/reference/och_vectors.py

They are of the mended OCH of docs/spec/och.md, which nobody else computes yet. What others have published is another thing:
vectors/internal/och-published.json. The inputs come from SHAKE-256 over the algorithm and the case.
"""

import hashlib

import aegis_vectors
import och
from aegis_vectors import VECTORS, flip, shake

MADE_HERE = {"name": "research/reference/och.py", "version": "1"}
HEADER = [
    "OCH-2026, mended: docs/spec/och.md. It is experimental, and not the authors' published code.",
    "och-areion-s: ct is the whole ciphertext, tag is empty. iv is given for sealing, and recovered by opening.",
    "A test with result invalid must be refused on opening; its msg is for reading only.",
]
ADS = (0, 1, 15, 16, 31, 32, 33, 63, 64, 65, 96, 100)
MESSAGES = (0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 95, 96, 97, 127, 128, 129, 160, 200)
# Each length of one beside a few of the other: every branch of both.
LENGTHS = sorted({(a, m) for a in ADS for m in (0, 20, 64, 75)} | {(a, m) for a in (0, 40, 64) for m in MESSAGES})

aegis_vectors.NOTES |= {
    "ModifiedLength": ("AUTH_BYPASS", "The ciphertext is cut, or continued."),
    "MovedBoundary": ("AUTH_BYPASS", "An input that a padding could confuse with the one that was sealed."),
}


class Group:
    def __init__(self, name):
        self.name, self.alg, self.tests = name, och.algorithm(name), []

    def inputs(self, ad, msg):
        at = self.name, ad, msg
        return {"key": shake(32, *at, "key"), "iv": shake(32, *at, "iv"), "aad": shake(ad, *at, "aad"),
                "msg": shake(msg, *at, "msg")}

    def sealed(self, values):
        ct, tag = self.alg.Encrypt(values["msg"], values["aad"], values["key"], values["iv"])
        return values | {"ct": ct, "tag": tag}

    def add(self, comment, flag, result, values):
        self.tests.append({"comment": comment, "flags": [flag], **{f: v.hex() for f, v in values.items()}, "result": result})

    def refused(self, comment, flag, good, **changed):
        self.add(comment, flag, "invalid", good | changed)

    def lengths(self):
        for ad, msg in LENGTHS:
            self.add(f"{ad} bytes of aad, {msg} of msg", "EdgeCaseLength", "valid", self.sealed(self.inputs(ad, msg)))

    def tampered(self):
        for msg in (20, 64, 75):
            good = self.sealed(self.inputs(19, msg))
            ct, of = good["ct"], f"{msg} bytes of msg, "
            for at in sorted({0, len(ct) // 2, len(ct) - 1}):
                self.refused(f"{of}byte {at} of ct changed", "ModifiedCiphertext", good, ct=flip(ct, 8 * at + at % 8))
            for bit in (0, -1) if good["tag"] else ():
                self.refused(f"{of}a bit of tag changed", "ModifiedTag", good, tag=flip(good["tag"], bit))
            self.refused(f"{of}a bit of aad changed", "ModifiedAad", good, aad=flip(good["aad"], 77))
            if not self.alg.hides:
                self.refused(f"{of}a bit of iv changed", "ModifiedNonce", good, iv=flip(good["iv"], -1))
            self.cut(f"{of}cut by a byte", good, 1)

    def cut(self, comment, good, n):
        """The last n bytes of the body are left out."""
        end = len(good["ct"]) - (0 if good["tag"] else 32)
        self.refused(comment, "ModifiedLength", good, ct=good["ct"][:end - n] + good["ct"][end:], msg=good["msg"][:-n])

    def boundaries(self):
        """Whatever the published code takes for the same: slips c, e and f."""
        for n in (1, 5, 15):
            good = self.inputs(19, 32 + n)
            good = self.sealed(good | {"msg": good["msg"][:-1] + b"\0"})
            self.cut(f"a tail of {n} bytes loses a zero at its end", good, 1)
        good = self.inputs(19, 48)
        good = self.sealed(good | {"msg": good["msg"][:-1] + b"\xff"})
        self.cut("a tail of 16 bytes loses ff at its end", good, 1)
        for ad in (0, 20, 31, 63, 95):
            good = self.sealed(self.inputs(ad, 64))
            for more in sorted({b"\0", b"\xff", b"\xff".ljust(32 - ad % 32, b"\0")}):
                self.refused(f"aad of {ad} bytes, then {more.hex()}", "MovedBoundary", good, aad=good["aad"] + more)
        # With the inner tag dropped, this one would open as another message.
        good, other = self.inputs(0, 64), shake(64, self.name, "another message")
        body = self.sealed(good | {"msg": other})["ct"]
        tag = self.sealed(good)
        ct = body if tag["tag"] else body[:-32] + tag["ct"][-32:]
        self.refused("the tag of another message", "ModifiedCiphertext", tag, ct=ct)

    def build(self):
        self.lengths()
        self.tampered()
        self.boundaries()
        return {"type": "AeadTest", "source": MADE_HERE, "keySize": 256, "ivSize": 256, "tagSize": 8 * self.alg.TAG,
                "tests": self.tests}


def build(name):
    return aegis_vectors.dumps(aegis_vectors.document(name, [Group(name).build()]) | {"header": HEADER})


# ── Edges of lengths ────────────────────────────────────────────────────────────────────────────

EDGES_HEADER = [
    "OCH-2026, mended, docs/spec/och.md: of digests only, for there are many.",
    "A test is [aad, msg, digest]: two lengths, and the first 16 bytes of SHAKE-256 of the ciphertext with its tag.",
    "Each input is as much of SHAKE-256 of polyseal/och-edges/WHAT as it is long: WHAT is key, nonce, aad or msg;",
    "key and nonce have 32 bytes.",
]
# Every length of a message to six blocks and of associated data to three; and around blocks whose L(j) is new.
EDGES = [(7 * m % 101, m) for m in range(201)] + [(a, 13 * a % 201) for a in range(101)] + [
    (3, 32 * m + more) for m in (8, 16, 17, 32, 64) for more in (-1, 0, 1, 16)]


def edge(what, n):
    return shake(n, "och-edges", what)


def build_edges():
    groups = []
    for name, hides in och.NAMES.items():
        O = och.Och(edge("key", 32), hides)
        tests = [[ad, msg, hashlib.shake_256(O.seal(edge("nonce", 32), edge("aad", ad), edge("msg", msg))).hexdigest(16)]
                 for ad, msg in EDGES]
        groups.append({"algorithm": name, "tests": tests})
    count = sum(len(group["tests"]) for group in groups)
    return aegis_vectors.dumps({"description": EDGES_HEADER, "source": MADE_HERE, "numberOfTests": count, "groups": groups})


if __name__ == "__main__":
    for name in och.NAMES:
        (VECTORS / f"{name}.json").write_text(build(name))
    (VECTORS / "internal" / "och-edges.json").write_text(build_edges())
