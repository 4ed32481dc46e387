"""Writes the vector files of AES-GCM and its relatives: what others published, then what we compute.

Published groups are read from this repository's vectors/ and kept as they stand; of those that nobody printed the inputs
are read and the outputs computed. The machinery is that of aegis_vectors.py. `scripts/python research/reference/gcm_vectors.py` writes the files anew, to the same bytes.
"""

import json

import aegis_vectors
import gcm
import gcm_siv
import xaes
from aegis import xor
from aegis_vectors import VECTORS, flip, shake
from gcm import AES, block, inverse, multiply

# One table for all generators: a file lists the notes that its flags call for.
aegis_vectors.NOTES |= {
    "Cavp": ("FUNCTIONALITY",
             "From NIST's validation programme. One that must be refused is marked FAIL there."),
    "CounterWrap": ("FUNCTIONALITY",
                    "The 32-bit counter wraps within the message: nothing is carried beyond it."),
    "LengthOfNonce": ("FUNCTIONALITY", "Pseudorandom inputs; the nonce has another length than usual."),
    "ConfusedNonces": ("AUTH_BYPASS", "Sealed under a nonce of another length, from which the same GCM nonce "
                                      "follows, and the same derived key if the scheme confuses them."),
    "ModifiedCommitment": ("AUTH_BYPASS", "The tag of GCM is right, what commits to the key is not."),
    "KeyCollision": ("BASIC", "One ciphertext that is valid under two keys: the algorithm does not commit to its key."),
    "KeyCommitment": ("AUTH_BYPASS", "One ciphertext whose GCM tag is right under two keys: the commitment refuses the "
                                     "second."),
}


SIV = "aes-256-gcm-siv"


def made_by(name):
    file = "gcm_siv" if name == SIV else "gcm" if name in gcm.NAMES else "xaes"
    return {"name": f"research/reference/{file}.py", "version": "1"}


def algorithm(name, params=None, nonce=None):
    """nonce, in bytes, where it is not the default."""
    if name == SIV:
        return gcm_siv.Siv()
    return gcm.algorithm(name) if name in gcm.NAMES else xaes.algorithm(name, params, nonce)


# ── Lengths ─────────────────────────────────────────────────────────────────────────────────────

BLOCK = [0, 1, 15, 16, 17, 31, 32, 33]
EDGES = [*BLOCK, 48, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1040]

EVERY = sorted({(a, m) for a in BLOCK for m in BLOCK} |
               {pair for n in EDGES for pair in ((0, n), (n, 0), (17, n), (n, n))})
MANY = sorted({pair for n in EDGES for pair in ((0, n), (n, 5))})
SOME = [(0, 0), (1, 0), (0, 1), (16, 15), (15, 16), (17, 31), (33, 32), (65, 33), (63, 48), (64, 65), (127, 127),
        (129, 128), (0, 129), (5, 257), (300, 513), (0, 1040)]
FEW = [(0, 0), (13, 0), (0, 16), (20, 33), (5, 129)]

# The others share their GCM with these.
FEWER = ("ctx-aegis", "dndk", "f-com-", "kc-c3-", "padding-fix-xaes")
IN_FULL = {"aes-128-gcm", SIV, "xaes-256-gcm", "kc-xaes-256-gcm", "padding-fix-aes-256-gcm"}


def pairs(name):
    return EVERY if name in IN_FULL else SOME if name.startswith(FEWER) else MANY


# ── Groups ──────────────────────────────────────────────────────────────────────────────────────

class Group:
    """Tests of one instance. The inputs come from SHAKE-256 over the instance and the case."""

    def __init__(self, name, params=None, nonce=None, tag=None):
        self.alg = algorithm(name, params, nonce)
        self.name, self.params = name, params
        self.nonce, self.tag = nonce or self.alg.NONCE, tag or self.alg.TAG
        self.tests = []

    def inputs(self, ad_len, msg_len):
        at = self.name, self.params, self.nonce, self.tag, ad_len, msg_len
        key, iv = shake(self.alg.KEY, *at, "key"), shake(self.nonce, *at, "iv")
        return {"key": key, "iv": iv, "aad": shake(ad_len, *at, "aad"), "msg": shake(msg_len, *at, "msg")}

    def sealed(self, values):
        ct, tag = self.alg.Encrypt(values["msg"], values["aad"], values["key"], values["iv"], 8 * self.tag)
        return values | {"ct": ct, "tag": tag}

    def add(self, comment, flag, result, values):
        fields = {f: values[f].hex() for f in ("key", "iv", "aad", "msg", "ct", "tag")}
        self.tests.append({"comment": comment, "flags": [flag], **fields, "result": result})

    def valid(self, lengths, flag="EdgeCaseLength"):
        for ad_len, msg_len in lengths:
            self.add(f"{ad_len} bytes of aad, {msg_len} of msg", flag, "valid",
                     self.sealed(self.inputs(ad_len, msg_len)))
        return self

    def tampered(self):
        good = self.sealed(self.inputs(19, 37))
        for part, flag in (("ct", "ModifiedCiphertext"), ("aad", "ModifiedAad"), ("iv", "ModifiedNonce"),
                           ("tag", "ModifiedTag")):
            for byte in sorted({0, len(good[part]) // 2, len(good[part]) - 1}):
                self.add(f"byte {byte} of {part} changed", flag, "invalid",
                         good | {part: flip(good[part], 8 * byte + byte % 8)})
        self.add("a zero byte follows aad", "ModifiedAad", "invalid", good | {"aad": good["aad"] + b"\0"})
        self.add("a byte goes from aad to ct", "ModifiedCiphertext", "invalid",
                 good | {"aad": good["aad"][:-1], "ct": good["aad"][-1:] + good["ct"],
                         "msg": b"\0" + good["msg"]})
        self.add("tag of zeros", "ModifiedTag", "invalid", good | {"tag": bytes(self.tag)})
        if self.tag == 48:
            T, commitment = good["tag"][:16], good["tag"][16:]
            for byte in (0, 7, 15):
                self.add(f"byte {byte} of T changed", "ModifiedTag", "invalid",
                         good | {"tag": flip(T, 8 * byte + 7) + commitment})
            for byte in (0, 1, 15, 16, 30, 31):
                self.add(f"byte {byte} of the commitment changed", "ModifiedCommitment", "invalid",
                         good | {"tag": T + flip(commitment, 8 * byte + 7)})
            self.add("a commitment of zeros", "ModifiedCommitment", "invalid", good | {"tag": T + bytes(32)})
            self.add("the commitment before T", "ModifiedTag", "invalid", good | {"tag": commitment + T})
        return self

    def build(self):
        group = {"type": "AeadTest", "source": made_by(self.name), "keySize": 8 * self.alg.KEY,
                 "ivSize": 8 * self.nonce, "tagSize": 8 * self.tag}
        return group | ({"params": self.params} if self.params else {}) | {"tests": self.tests}


# ── What one algorithm alone needs ──────────────────────────────────────────────────────────────

def nonce_for(H, J0, n):
    """The nonce of n = 16 or 32 bytes that has J0, which is ((N1·H ⊕ N2)·H ⊕ len)·H, or (N·H ⊕ len)·H."""
    S = xor(multiply(J0, inverse(H)), bytes(8) + (8 * n).to_bytes(8, "big"))
    last = multiply(S, inverse(H))
    first = shake(n - 16, "nonce_for", H.hex(), J0.hex())
    return first + (xor(last, multiply(first, H)) if first else last)


def counter_wrap(group):
    for start, lengths in (("ffffffff", (16, 64, 129)), ("fffffffe", (17, 32, 257)), ("fffffffc", (64, 128)),
                           ("fffffff0", (256, 257, 513)), ("ffffffe1", (513, 1025)), ("ffffffc0", (1100,))):
        for msg_len in lengths:
            values = group.inputs(7, msg_len)
            H = AES(values["key"], bytes(16))
            J0 = (b"\xff" * 12 if msg_len % 2 == 0 else values["iv"][:12]) + bytes.fromhex(start)
            values["iv"] = nonce_for(H, J0, group.nonce)
            assert gcm.J0(H, values["iv"]) == J0
            group.add(f"J0 ends in {start}, {msg_len} bytes of msg", "CounterWrap", "valid", group.sealed(values))
    return group


def counter_wrap_of_siv(group):
    """The tag, from which is counted, is chosen; associated data of a block makes it the message's."""
    for start, lengths in (("ffffffff", (16, 17, 129)), ("feffffff", (32, 257)), ("fcffffff", (64, 128)),
                           ("f0ffffff", (256, 257, 513)), ("e1ffffff", (513, 1025)), ("c0ffffff", (1100,))):
        for msg_len in lengths:
            values = group.inputs(16, msg_len)
            values["tag"], values["aad"], values["ct"] = siv_with(values, bytes.fromhex(start))
            assert group.alg.Encrypt(values["msg"], values["aad"], values["key"], values["iv"]) == (
                values["ct"], values["tag"])
            group.add(f"the tag begins with {start}, {msg_len} bytes of msg", "CounterWrap", "valid", values)
    return group


def siv_with(values, start):
    """A tag that begins so, with the associated data and the ciphertext that belong to it and to msg."""
    authentication_key, key = gcm_siv.derive_keys(values["key"], values["iv"])
    for i in range(64):
        tag = start + shake(12, values["key"].hex(), start.hex(), i)
        S = gcm.AES_inverse(key, tag)
        if S[15] < 0x80:
            break
    S = xor(S, values["iv"] + bytes(4))
    length_block = (8 * 16).to_bytes(8, "little") + (8 * len(values["msg"])).to_bytes(8, "little")
    rest = values["msg"] + bytes(-len(values["msg"]) % 16) + length_block
    power = H = gcm_siv.number(authentication_key)
    for _ in range(len(rest) // 16):
        power = gcm_siv.dot(power, H)
    missing = gcm_siv.number(xor(S, gcm_siv.POLYVAL(authentication_key, bytes(16) + rest)))
    aad = gcm_siv.divide(missing, power).to_bytes(16, "little")
    return tag, aad, gcm_siv.AES_CTR(key, gcm_siv.counter_block(tag), values["msg"])


def padding_not_zero(group):
    """T is right, so that only the check of the zeros refuses these."""
    for byte in (0, 15, 16, 31):
        values = group.inputs(19, 37)
        padded = flip(bytes(32), 8 * byte + 7) + values["msg"]
        ct, T = group.alg.aead.Encrypt(padded, values["aad"], values["key"], values["iv"])
        group.add(f"byte {byte} of the padding is not zero", "ModifiedCommitment", "invalid",
                  values | {"ct": ct[32:], "tag": T + ct[:32]})
    return group


def confused_nonces(group, others, stretch):
    """Sealed under a nonce of another length, presented under the one that stretch makes of it."""
    for n in others:
        values = group.inputs(19, 37) | {"iv": shake(n, group.name, group.params, n, "other")}
        sealed = Group(group.name, group.params, n).sealed(values)
        group.add(f"sealed under a nonce of {n} bytes", "ConfusedNonces", "invalid",
                  sealed | {"iv": stretch(values["iv"])})
    return group


def two_keys(group):
    """One ciphertext for two keys, which an algorithm that commits refuses for the second."""
    found = collision(group.name, group.params)
    same = {f: bytes.fromhex(found[name]) for f, name in (("iv", "nonce"), ("aad", "aad"), ("ct", "ct"), ("tag", "tag"))}
    refused = not found["opensUnderKey2"]
    for i in (1, 2):
        group.add(f"one ciphertext, key {i} of two", "KeyCommitment" if refused else "KeyCollision",
                  "invalid" if refused and i == 2 else "valid",
                  same | {"key": bytes.fromhex(found[f"key{i}"]), "msg": bytes.fromhex(found[f"msg{i}"])})
    return group


def gcm_groups(name):
    yield Group(name).valid(pairs(name)).tampered()
    for nonce in (1, 8, 11, 13, 16, 17, 32, 128, 257, 512):
        group = Group(name, nonce=nonce).valid(FEW, "LengthOfNonce")
        yield group.tampered() if nonce in (1, 16, 257) else group
    for tag in (12, 13, 14, 15):
        yield Group(name, tag=tag).valid(FEW).tampered()
    for nonce in (16, 32):
        yield counter_wrap(Group(name, nonce=nonce))


def kc_xaes_groups(name):
    group = Group(name).valid(pairs(name)).tampered()
    yield confused_nonces(group, (20, 21, 22, 23), lambda iv: iv[:12] + iv[-12:])
    for nonce in (20, 21, 22, 23):
        yield Group(name, nonce=nonce).valid(SOME, "LengthOfNonce").tampered()
    yield two_keys(Group(name))


def dndk_groups(name):
    for version in (1, 2):
        for kc in (True, False):
            params = {"version": version, "kc": kc}
            group = Group(name, params).valid(pairs(name)).tampered()
            if version == 2:
                confused_nonces(group, (12, 15, 16, 20, 23), lambda iv: iv + bytes(24 - len(iv)))
            yield group
    for kc in (True, False):
        for nonce in sorted(set(xaes.NONCES[name]) - {24}):
            group = Group(name, {"version": 2, "kc": kc}, nonce).valid(FEW[:4], "LengthOfNonce")
            yield group.tampered() if nonce in (12, 15, 27) else group


def groups(name):
    match name:
        case "aes-128-gcm" | "aes-256-gcm":
            yield from gcm_groups(name)
        case "aes-256-gcm-siv":
            yield Group(name).valid(pairs(name)).tampered()
            yield counter_wrap_of_siv(Group(name))
        case "xaes-256-gcm":
            yield Group(name).valid(pairs(name)).tampered()
            yield two_keys(Group(name))
        case "kc-xaes-256-gcm":
            yield from kc_xaes_groups(name)
        case "dndk-gcm":
            yield from dndk_groups(name)
        case "padding-fix-aes-256-gcm" | "padding-fix-xaes-256-gcm":
            yield padding_not_zero(Group(name).valid(pairs(name)).tampered())
        case "f-com-dndk-gcm":
            for version in (1, 2):
                yield Group(name, {"version": version}).valid(pairs(name)).tampered()
        case _:
            yield Group(name).valid(pairs(name)).tampered()


# ── One ciphertext, two keys ────────────────────────────────────────────────────────────────────

def inner(alg, K, N):
    """The key and the nonce of GCM."""
    scheme = getattr(alg, "scheme", getattr(alg, "aead", alg))
    return scheme.derive(K, N) if hasattr(scheme, "derive") else (K, N)


def collision(name, params=None):
    """A ciphertext whose T is right under two keys: its last block x solves T1 = T2, which is linear in x."""
    alg = algorithm(name, params)
    G = gcm.Gcm(alg.KEY)
    key1, key2, N = (shake(n, "collision", name, params, what)
                     for n, what in ((alg.KEY, 1), (alg.KEY, 2), (alg.NONCE, "nonce")))
    A = b"to the same two readers"
    (K1, N1), (K2, N2) = inner(alg, key1, N), inner(alg, key2, N)
    padding = bytes(32) if name.startswith("padding-fix") else b""
    says1, says2 = b"Alice is to be paid 100 euros. \n", b"Mallory is to be paid it, all. \n"
    C = G.cipher(padding + says1, K1, N1)
    C += G.cipher(bytes(len(C)) + says2, K2, N2)[len(C):] + bytes(16)
    H1, H2 = AES(K1, bytes(16)), AES(K2, bytes(16))
    difference = xor(G.tag(C, A, K1, N1), G.tag(C, A, K2, N2))
    x = multiply(difference, inverse(xor(multiply(H1, H1), multiply(H2, H2))))
    C = C[:-16] + x
    assert G.tag(C, A, K1, N1) == G.tag(C, A, K2, N2)
    msg1, msg2 = (G.cipher(C, Ki, Ni)[len(padding):] for Ki, Ni in ((K1, N1), (K2, N2)))
    ct, tag = alg.Encrypt(msg1, A, key1, N, 8 * alg.TAG)
    return {"algorithm": name} | ({"params": params} if params else {}) | {
        "key1": key1.hex(), "key2": key2.hex(), "nonce": N.hex(), "aad": A.hex(), "msg1": msg1.hex(),
        "msg2": msg2.hex(), "ct": ct.hex(), "tag": tag.hex(), "opensUnderKey2": alg.TAG == 16}


def collision_of_siv():
    """The tag is chosen; it gives both keys' key streams and what POLYVAL has to be under either. The last two
    blocks of the ciphertext solve these two equations, which are linear in them."""
    alg = gcm_siv.Siv()
    key1, key2, N = (shake(n, "collision", SIV, what) for n, what in ((32, 1), (32, 2), (12, "nonce")))
    keys = [gcm_siv.derive_keys(K, N) for K in (key1, key2)]
    A = b"to the same two readers"
    for i in range(64):
        tag = shake(16, "collision", SIV, "tag", i)
        S = [gcm.AES_inverse(K, tag) for _, K in keys]
        if all(s[15] < 0x80 for s in S):
            break
    streams = [gcm_siv.AES_CTR(K, gcm_siv.counter_block(tag), bytes(96)) for _, K in keys]
    says1, says2 = b"Alice is to be paid 100 euros. \n", b"Mallory is to be paid it, all. \n"
    C = xor(says1, streams[0][:32]) + xor(says2, streams[1][32:64]) + bytes(32)
    length_block = (8 * len(A)).to_bytes(8, "little") + (8 * len(C)).to_bytes(8, "little")
    missing, squares, cubes = [], [], []
    for (H, _), s, stream in zip(keys, S, streams):
        hashed = gcm_siv.POLYVAL(H, A + bytes(-len(A) % 16) + xor(C, stream) + length_block)
        missing.append(gcm_siv.number(xor(hashed, s, N + bytes(4))))
        h = gcm_siv.number(H)
        squares.append(gcm_siv.dot(h, h))
        cubes.append(gcm_siv.dot(squares[-1], h))
    # With · for dot: c·cubes[i] ⊕ d·squares[i] = missing[i], where the block before the lengths meets h · h.
    dot = gcm_siv.dot
    determinant = dot(cubes[0], squares[1]) ^ dot(cubes[1], squares[0])
    c = gcm_siv.divide(dot(missing[0], squares[1]) ^ dot(missing[1], squares[0]), determinant)
    d = gcm_siv.divide(dot(cubes[0], missing[1]) ^ dot(cubes[1], missing[0]), determinant)
    C = C[:64] + c.to_bytes(16, "little") + d.to_bytes(16, "little")
    msg1, msg2 = (alg.Decrypt(C, tag, A, K, N) for K in (key1, key2))
    return {"algorithm": SIV, "key1": key1.hex(), "key2": key2.hex(), "nonce": N.hex(), "aad": A.hex(),
            "msg1": msg1.hex(), "msg2": msg2.hex(), "ct": C.hex(), "tag": tag.hex(), "opensUnderKey2": True}


def collisions():
    found = [collision(name, params) for name, params in (
        ("aes-128-gcm", None), ("aes-256-gcm", None), ("xaes-256-gcm", None), ("h-aes-256-gcm", None),
        ("dndk-gcm", {"version": 1, "kc": False}), ("dndk-gcm", {"version": 2, "kc": False}),
        ("kc-xaes-256-gcm", None), ("h-kc-aes-256-gcm", None), ("hkdf-committed-aes-256-gcm", None),
        ("dndk-gcm", {"version": 1, "kc": True}), ("dndk-gcm", {"version": 2, "kc": True}),
        ("padding-fix-aes-256-gcm", None), ("ctx-aes-256-gcm", None), ("padding-fix-xaes-256-gcm", None),
        ("kc-c3-xaes-256-gcm", None), ("f-com-h-aes-256-gcm", None), ("f-com-hkdf-aes-256-gcm", None),
        ("f-com-dndk-gcm", {"version": 1}), ("f-com-dndk-gcm", {"version": 2}))] + [collision_of_siv()]
    return {
        "description": [
            "One ciphertext for two keys, under one nonce and one aad: GCM and GCM-SIV do not commit to their keys.",
            "key1 opens it to msg1, which begins with one order to pay; if opensUnderKey2, key2 opens it to msg2, "
            "which has another at byte 32. The rest of either is noise that the attacker does not choose.",
            "Where opensUnderKey2 is false, T is right under both keys all the same, and msg2 is what GCM would "
            "have released: only the commitment refuses.",
        ],
        "numberOfCollisions": len(found),
        "collisions": found,
    }


# ── Files ───────────────────────────────────────────────────────────────────────────────────────

def names():
    return [*gcm.NAMES, SIV, *xaes.NONCES]


NOT_PRINTED = "eprint 2025/758"      # the paper on KC-XAES has no vectors, and the program of these is not kept


def recomputed(name, group):
    alg = xaes.algorithm(name, group.get("params"), group["ivSize"] // 8)
    return aegis_vectors.recomputed(group, alg.Encrypt)


def build(name):
    path = VECTORS / f"{name}.json"
    old = json.loads(path.read_text())["testGroups"] if path.exists() else []
    published = [recomputed(name, g) if g["source"]["name"].startswith(NOT_PRINTED) else g
                 for g in old if g["source"] != made_by(name)]
    return aegis_vectors.dumps(aegis_vectors.document(name, published + [g.build() for g in groups(name)]))


def files():
    return {f"{name}.json": build(name) for name in names()} | {
        "attacks/gcm-collisions.json": aegis_vectors.dumps(collisions())}


if __name__ == "__main__":
    for file, text in files().items():               # builds all before it writes any
        (VECTORS / file).write_text(text)
