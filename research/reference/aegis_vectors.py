"""Writes the AEGIS vector files: what the specifications print, then what research/reference/aegis.py adds.

Printed groups are read from this repository's vectors/ and kept as they stand. Of those of v1.0, whose paper prints none,
the inputs are read and the outputs computed. Groups whose source is research/reference/aegis.py are made anew. Every byte comes from SHAKE-256 over the algorithm, the group
and the case, so two runs write the same files.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

import aegis
from aegis import bits

HERE = Path(__file__).parent
VECTORS = HERE.parent.parent / "vectors"
GENERATED = {"name": "research/reference/aegis.py", "version": "1"}

NOTES = {
    "Ktv": ("BASIC", "Printed in the specification."),
    "Pseudorandom": ("FUNCTIONALITY", "Pseudorandom inputs of various lengths."),
    "EdgeCaseLength": ("FUNCTIONALITY",
                       "Pseudorandom inputs whose lengths sit at an edge of the block or of the rate."),
    "ModifiedTag": ("AUTH_BYPASS", "One bit of the tag is flipped, or the tag is a constant."),
    "ModifiedCiphertext": ("AUTH_BYPASS", "One bit of the ciphertext is flipped."),
    "ModifiedAad": ("AUTH_BYPASS",
                    "One bit of the associated data is flipped, or a zero byte follows it."),
    "ModifiedNonce": ("AUTH_BYPASS", "One bit of the nonce is flipped."),
    "ModifiedMessage": ("AUTH_BYPASS",
                        "One bit of the message is flipped, or a zero byte follows it."),
    "WrongKey": ("AUTH_BYPASS", "Key and nonce are exchanged."),
}


def shake(n, *what):
    return hashlib.shake_256("/".join(map(str, ("polyseal",) + what)).encode()).digest(n)


def flip(x, bit):
    """x with one bit flipped; a negative bit counts from the end."""
    bit %= bits(x)
    return aegis.xor(x, (1 << bits(x) - 1 - bit).to_bytes(len(x), "big"))


def edges(rate):
    """Lengths in bytes around the AES block and the rate; then three blocks, and a partial one."""
    return sorted({0, 1, 15, 16, 17, rate - 1, rate, rate + 1, 3 * rate + 7})


def rate_bytes(alg):
    return alg.R // 8 if isinstance(alg, aegis.Aegis) else alg.r * alg.nu // 8


# ── AEAD ────────────────────────────────────────────────────────────────────────────────────────

def aead_group(name, params, tag_bits, lengths):
    alg = aegis.algorithm(name, params)
    tests = []

    def sealed(ad_len, msg_len):
        at = name, params, tag_bits, ad_len, msg_len
        key, iv = shake(alg.KEY, *at, "key"), shake(alg.KEY, *at, "iv")
        aad, msg = shake(ad_len, *at, "aad"), shake(msg_len, *at, "msg")
        ct, tag = alg.Encrypt(msg, aad, key, iv, tag_bits)
        return {"key": key, "iv": iv, "aad": aad, "msg": msg, "ct": ct, "tag": tag}

    def add(comment, flag, result, values):
        tests.append({"comment": comment, "flags": [flag],
                      **{k: v.hex() for k, v in values.items()}, "result": result})

    for ad_len, msg_len in lengths:
        add(f"{ad_len} bytes of aad, {msg_len} of msg", "EdgeCaseLength", "valid",
            sealed(ad_len, msg_len))

    good = sealed(19, 37)
    for comment, flag, change in (
            ("first bit of tag flipped", "ModifiedTag", {"tag": flip(good["tag"], 0)}),
            ("last bit of tag flipped", "ModifiedTag", {"tag": flip(good["tag"], -1)}),
            ("middle bit of tag flipped", "ModifiedTag", {"tag": flip(good["tag"], tag_bits // 2)}),
            ("tag of zeros", "ModifiedTag", {"tag": bytes(tag_bits // 8)}),
            ("first bit of ct flipped", "ModifiedCiphertext", {"ct": flip(good["ct"], 0)}),
            ("last bit of ct flipped", "ModifiedCiphertext", {"ct": flip(good["ct"], -1)}),
            ("first bit of aad flipped", "ModifiedAad", {"aad": flip(good["aad"], 0)}),
            ("last bit of aad flipped", "ModifiedAad", {"aad": flip(good["aad"], -1)}),
            ("a zero byte follows aad", "ModifiedAad", {"aad": good["aad"] + b"\0"}),
            ("first bit of iv flipped", "ModifiedNonce", {"iv": flip(good["iv"], 0)}),
            ("last bit of iv flipped", "ModifiedNonce", {"iv": flip(good["iv"], -1)})):
        add(comment, flag, "invalid", good | change)

    group = {"type": "AeadTest", "source": GENERATED,
             "keySize": 8 * alg.KEY, "ivSize": 8 * alg.KEY, "tagSize": tag_bits}
    return group | ({"params": params} if params else {}) | {"tests": tests}


def every_pair(rate):
    return [(a, m) for a in edges(rate) for m in edges(rate)]


def a_few(rate):
    return [(0, 0), (1, 0), (0, 1), (17, rate - 1), (rate, rate), (rate + 1, rate + 1), (5, 2 * rate + 7)]


def aead_groups(name):
    for params, pairs in ([({"degree": 3}, every_pair), ({"degree": 16}, a_few)]
                          if name in aegis.V1 else [(None, every_pair)]):
        rate = rate_bytes(aegis.algorithm(name, params))
        for tag_bits in (128, 256):
            yield aead_group(name, params, tag_bits, pairs(rate))


# ── MAC ─────────────────────────────────────────────────────────────────────────────────────────

def mac_groups(name):
    alg = aegis.algorithm(name)
    rate = rate_bytes(alg)
    for tag_bits in (128, 256):
        tests = []

        def tagged(n):
            at = name, tag_bits, n
            key, iv, msg = shake(alg.KEY, *at, "key"), shake(alg.KEY, *at, "iv"), shake(n, *at, "msg")
            return {"key": key, "iv": iv, "msg": msg, "tag": alg.Mac(msg, key, iv, tag_bits)}

        def add(comment, flag, result, values):
            tests.append({"comment": comment, "flags": [flag],
                          **{k: v.hex() for k, v in values.items()}, "result": result})

        for n in sorted({*edges(rate), 31, 32, 33, 2 * rate - 1, 2 * rate, 2 * rate + 1, 31 * 16 + 5}):
            add(f"{n} bytes of msg", "EdgeCaseLength", "valid", tagged(n))
        good = tagged(37)
        for comment, flag, change in (
                ("first bit of tag flipped", "ModifiedTag", {"tag": flip(good["tag"], 0)}),
                ("last bit of tag flipped", "ModifiedTag", {"tag": flip(good["tag"], -1)}),
                ("tag of zeros", "ModifiedTag", {"tag": bytes(tag_bits // 8)}),
                ("first bit of msg flipped", "ModifiedMessage", {"msg": flip(good["msg"], 0)}),
                ("last bit of msg flipped", "ModifiedMessage", {"msg": flip(good["msg"], -1)}),
                ("a zero byte follows msg", "ModifiedMessage", {"msg": good["msg"] + b"\0"}),
                ("first bit of iv flipped", "ModifiedNonce", {"iv": flip(good["iv"], 0)})):
            add(comment, flag, "invalid", good | change)
        yield {"type": "MacTest", "source": GENERATED,
               "keySize": 8 * alg.KEY, "ivSize": 8 * alg.KEY, "tagSize": tag_bits, "tests": tests}


# ── Files ───────────────────────────────────────────────────────────────────────────────────────

HEADERS = {
    "aead_test_schema_v1.json": [
        "Authenticated encryption with associated data. ct has the length of msg; tag is what follows it.",
        "A test with result invalid must be refused on decryption; its msg is for reading only.",
    ],
    "mac_test_schema_v1.json": [
        "Message authentication with a nonce (iv). A test with result invalid must be refused.",
    ],
}


def document(name, groups):
    """A whole file: tests numbered from 1 through all groups, and the notes its flags call for."""
    schema = ("mac" if name.endswith("-mac") else "aead") + "_test_schema_v1.json"
    tcId = 0
    for group in groups:
        for k, test in enumerate(group["tests"]):
            tcId += 1
            group["tests"][k] = {"tcId": tcId, **{f: v for f, v in test.items() if f != "tcId"}}
    flags = sorted({f for g in groups for t in g["tests"] for f in t["flags"]})
    return {
        "algorithm": name,
        "schema": schema,
        "numberOfTests": tcId,
        "header": HEADERS[schema],
        "notes": {f: dict(zip(("bugType", "description"), NOTES[f])) for f in flags},
        "testGroups": groups,
    }


def names():
    return [*aegis.IETF, *aegis.V1, *(f"{n}-mac" for n in aegis.IETF)]


def dumps(value):
    """JSON with each test in a line."""
    tests = []

    def folded(value, name=""):
        if isinstance(value, dict):
            return {key: folded(v, key) for key, v in value.items()}
        if name == "tests":
            tests.extend(value)
            return [f"@{number}" for number in range(len(tests) - len(value), len(tests))]
        return [folded(v) for v in value] if isinstance(value, list) else value

    text = json.dumps(folded(value), indent=2)
    return re.sub(r'"@(\d+)"', lambda match: json.dumps(tests[int(match[1])]), text) + "\n"


def recomputed(group, Encrypt):
    """The group of a program that is not kept: its inputs, and what Encrypt makes of them, which is (ct, tag)."""
    for test in group["tests"]:
        M, A, K, N = (bytes.fromhex(test[f]) for f in ("msg", "aad", "key", "iv"))
        C, T = Encrypt(M, A, K, N, group["tagSize"])
        test |= {"ct": C.hex(), "tag": T.hex()}
    return group


def build(name):
    printed = [g for g in json.loads((VECTORS / f"{name}.json").read_text())["testGroups"]
               if g["source"] != GENERATED]
    if name in aegis.V1:
        printed = [recomputed(g, aegis.algorithm(name, g["params"]).Encrypt) for g in printed]
    made = mac_groups(name) if name.endswith("-mac") else aead_groups(name)
    return dumps(document(name, printed + list(made)))


def write(outdir):
    files = {name: build(name) for name in names()}      # read all before writing any
    Path(outdir).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (Path(outdir) / f"{name}.json").write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: aegis_vectors.py OUTDIR")
    write(sys.argv[1])
