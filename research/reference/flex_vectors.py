"""Writes vectors/flex.json, what was computed elsewhere and then what research/reference/flex.py adds, and
vectors/internal/flex-edges.json, every edge of every length.

Of the groups of others the inputs are read from this repository's vectors/, and every ciphertext is computed anew. The
machinery is that of aegis_vectors.py. `scripts/python research/reference/flex_vectors.py` writes the files anew, to the same bytes.

A group is about one configuration with one setup associated data, its params. ct is the whole ciphertext, tag is
empty. Where the nonce is hidden, iv is what sealing is given and what opening must recover.
"""

import hashlib
import json

import aegis_vectors
import flex
from aegis_vectors import VECTORS, flip, shake

MADE_HERE = {"name": "research/reference/flex.py", "version": "1"}
HEADER = [
    "Flex-1, docs/spec/flex.md. ct is the whole ciphertext, which may hide the nonce; tag is empty.",
    "params: cfg is the configuration, setupAd the setup associated data, both in hexadecimal.",
    "With the flag NH of cfg, iv is given for sealing and recovered by opening.",
    "A test with result invalid must be refused on opening; its msg is for reading only.",
]

aegis_vectors.NOTES |= {
    "ModifiedLength": ("AUTH_BYPASS", "The ciphertext is cut, or continued."),
    "ModifiedSegments": ("AUTH_BYPASS", "Whole segments of a stream are exchanged, dropped, doubled or spliced."),
    "MixedCiphertexts": ("AUTH_BYPASS", "Two ciphertexts under one key and nonce, mixed at a block or in the middle."),
    "OtherContext": ("AUTH_BYPASS", "Sealed under another configuration or with other setup associated data."),
    "Registry": ("BASIC", "A configuration that has a name of one byte."),
}


def outside(group):
    return group["source"] != MADE_HERE


# ── Groups ──────────────────────────────────────────────────────────────────────────────────────

class Group:
    """Tests of one configuration. The inputs come from SHAKE-256 over it and the case."""

    def __init__(self, cfg8, AD_s=b"", nonce=None):
        self.alg = flex.Algorithm(cfg8, AD_s)
        self.cfg, self.B, self.r = self.alg.cfg, self.alg.cfg.profile.B, self.alg.cfg.profile.r
        self.params = {"cfg": cfg8.hex(), "setupAd": AD_s.hex()}
        self.nonce = nonce if nonce is not None else 24 if self.cfg.NL == flex.VARIABLE else self.cfg.NL
        self.tests = []

    def inputs(self, ad_len, msg_len, *more):
        at = "flex", self.params["cfg"], self.params["setupAd"], self.nonce, *more
        key, iv = shake(32, *at, "key"), shake(self.nonce, *at, "iv")
        return {"key": key, "iv": iv, "aad": shake(ad_len, *at, ad_len, "aad"),
                "msg": shake(msg_len, *at, msg_len, "msg")}

    def ciphertext(self, values):
        return self.alg.Encrypt(values["msg"], values["aad"], values["key"], values["iv"])[0]

    def sealed(self, values):
        return values | {"ct": self.ciphertext(values)}

    def add(self, comment, flag, result, values):
        fields = {f: values[f].hex() for f in ("key", "iv", "aad", "msg", "ct")}
        self.tests.append({"comment": comment, "flags": [flag], **fields, "tag": "", "result": result})

    def valid(self, lengths, flag="EdgeCaseLength"):
        for ad_len, msg_len in lengths:
            self.add(f"{ad_len} bytes of aad, {msg_len} of msg", flag, "valid",
                     self.sealed(self.inputs(ad_len, msg_len)))
        return self

    def edges(self):
        """Lengths of messages around every branch of the mode, the hidden nonce counted in."""
        around = {0, 1, 2, 3, 4, 5, 6, self.B - 1, self.B, self.B + 1, self.B + self.r - 1, self.B + self.r,
                  self.B + self.r + 1, 2 * self.B - 1, 2 * self.B, 3 * self.B + 2}
        w = self.cfg.hidden + (self.cfg.TL if self.cfg.mode == flex.ROBUST else 0)
        return sorted({0, 1} | {n - w for n in around if n >= w})

    def tampered(self):
        """In each branch: one bit of each part, the length, the associated data and the nonce."""
        B, w = self.B, self.cfg.hidden
        lengths = sorted({max(0, B - w - 9), 2 * B - w, 2 * B - w + 5, 3 * B - w - 1})
        for n in lengths:
            good = self.sealed(self.inputs(19, n))
            ct = good["ct"]
            for byte in sorted({0, w, len(ct) // 2, n + w - 1, n + w, len(ct) - 1} & set(range(len(ct)))):
                self.add(f"{n} bytes of msg, byte {byte} of ct changed", "ModifiedCiphertext", "invalid",
                         good | {"ct": flip(ct, 8 * byte + byte % 8)})
            for comment, changed in (("cut by a byte", ct[:-1]), ("cut by a byte in front", ct[1:]),
                                     ("cut by a block in front", ct[B:]), ("a zero byte follows", ct + b"\0"),
                                     ("shorter than any", ct[:self.cfg.overhead - 1]), ("empty", b"")):
                self.add(f"{n} bytes of msg, ct {comment}", "ModifiedLength", "invalid", good | {"ct": changed})
            if len(ct) > 2 * B:
                self.add(f"{n} bytes of msg, blocks 0 and 1 of ct exchanged", "MixedCiphertexts", "invalid",
                         good | {"ct": ct[B:2 * B] + ct[:B] + ct[2 * B:]})
            if len(ct) > 2 * B and self.cfg.mode != flex.OCH:      # for OCH a nonce must not repeat
                other = self.ciphertext(good | {"msg": flip(flip(good["msg"], -1), 0)})
                for at in (B, len(ct) // 2):
                    self.add(f"{n} bytes of msg, ct of another message before byte {at}", "MixedCiphertexts",
                             "invalid", good | {"ct": other[:at] + ct[at:]})
        self.add("aad changed", "ModifiedAad", "invalid", good | {"aad": flip(good["aad"], 77)})
        self.add("a zero byte follows aad", "ModifiedAad", "invalid", good | {"aad": good["aad"] + b"\0"})
        if not w and self.nonce:
            self.add("iv changed", "ModifiedNonce", "invalid", good | {"iv": flip(good["iv"], -1)})
            self.add("aad and iv exchange a byte", "ModifiedNonce", "invalid",
                     good | {"aad": good["aad"] + good["iv"][:1], "iv": good["iv"][1:] + b"\0"})
        return self

    def segments(self):
        """A stream of three segments and a half."""
        S = self.cfg.segment
        values = self.inputs(19, 3 * S + S // 2)
        good = self.sealed(values)
        Cs = flex.blocks(good["ct"], S + self.cfg.TL)
        other = flex.blocks(self.ciphertext(values | {"iv": flip(values["iv"], 0)}), S + self.cfg.TL)
        for comment, changed in (
                ("0 and 1 exchanged", [Cs[1], Cs[0], *Cs[2:]]), ("1 and 2 exchanged", [Cs[0], Cs[2], Cs[1], Cs[3]]),
                ("0 dropped", Cs[1:]), ("1 dropped", [Cs[0], *Cs[2:]]), ("the last dropped", Cs[:3]),
                ("all but the first dropped", Cs[:1]), ("1 doubled", [*Cs[:2], *Cs[1:]]),
                ("the last doubled", [*Cs, Cs[3]]), ("only a tag follows", [*Cs[:3], Cs[3][-self.cfg.TL:]]),
                ("1 of another nonce", [Cs[0], other[1], *Cs[2:]]),
                ("the last of another nonce", [*Cs[:3], other[3]])):
            self.add("segments: " + comment, "ModifiedSegments", "invalid", good | {"ct": b"".join(changed)})
        for comment, changed in (("a part of a tag follows the third", [*Cs[:3], Cs[3][:5]]),
                                 ("the last cut by a byte", [*Cs[:3], Cs[3][:-1]])):
            self.add("segments: " + comment, "ModifiedLength", "invalid", good | {"ct": b"".join(changed)})
        exact = self.inputs(0, 2 * S)
        F = self.alg.init(exact["key"])
        Ks = F.ctx(exact["iv"], exact["aad"])
        pieces = [*flex.blocks(exact["msg"], S), b""]
        self.add("an empty segment behind whole ones, its tag right", "ModifiedLength", "invalid",
                 exact | {"ct": b"".join(F.seal_segment(Ks, j, j == 2, piece) for j, piece in enumerate(pieces))})
        return self

    def of_another_context(self, *others):
        values = self.inputs(19, 100)
        for comment, cfg8, AD_s in others:
            alg = flex.Algorithm(cfg8, AD_s)
            ct, _ = alg.Encrypt(values["msg"], values["aad"], values["key"], values["iv"][:alg.cfg.NL])
            self.add("sealed with " + comment, "OtherContext", "invalid", values | {"ct": ct})
        return self

    def build(self):
        return {"type": "AeadTest", "source": MADE_HERE, "keySize": 256, "ivSize": 8 * self.nonce, "tagSize": 0,
                "params": self.params, "tests": self.tests}


# ── What there is ───────────────────────────────────────────────────────────────────────────────

h = bytes.fromhex

TAMPERED = [
    "0101012020000000", "0100012018000000", "010001100c000000",           # OCH: hidden, public, short tag
    "0201012020000000", "0200012018000000",                               # CIV
    "0305010020000000", "0304010018000000", "0304011018000000", "0300011018000000",   # ROBUST
    "0100021018000000", "0300021018000000", "0101032020000000", "0100042018000000", "0201042020000000",
    "0100052018000000", "0101061018000000", "0304072018000000", "0101081018000000", "0200081018000000"]
TAMPERED_LATER = [
    "0401012020000000", "0400012018000000", "0400011018000000", "0400021018000000", "0401032020000000",
    "0400042018000000", "0400052018000000", "0401072018000000", "0400081018000000"]
STREAMS = ["0108012018000800", "020801100c000800", "01080210ffff0800", "0208042018000800"]
GROUPS_OF_BLOCKS = ["030402000c000000", "030002100c000000"]


def groups():
    # Later additions are behind, so that the numbers of the tests stay.
    for cfg8 in (cfg8 for name, cfg8 in flex.REGISTRY.items() if name != 0x24):
        group = Group(cfg8)
        if group.cfg.has(flex.STREAM):
            yield group.valid([(0, 0), (13, 100)] + [(5, 65537)] * (group.cfg.mode == flex.OCH), "Registry")
        else:
            yield group.valid([((n * 7) % 40, n) for n in group.edges()], "Registry")
    for text in TAMPERED:
        yield Group(h(text)).tampered()
    for text in STREAMS:
        lengths = [(0, 0), (9, 1), (0, 255), (0, 256), (9, 257), (0, 512), (0, 513), (300, 600)]
        yield Group(h(text)).valid(lengths).segments()
    for text in GROUPS_OF_BLOCKS:
        group = Group(h(text))
        lam = group.cfg.TL
        yield group.valid([(0, 32 * m + more - lam) for m, more in
                           ((128, 0), (129, 0), (129, 1), (130, 0), (130, 31), (131, 5), (258, 31))])
    yield Group(h("0100012018000000"), b"setup").of_another_context(
        ("other setup associated data", h("0100012018000000"), b"Setup"),
        ("none", h("0100012018000000"), b""),
        ("a zero byte behind it", h("0100012018000000"), b"setup\0"),
        ("its digest", h("0102012018000000"), b"setup"),
        ("another mode", h("0200012018000000"), b"setup"),
        ("another profile", h("0100052018000000"), b"setup"),
        ("a free length of nonce", h("01000120ffff0000"), b"setup"),
        ("one byte of tag less", h("0100011f18000000"), b"setup"))
    yield Group(h("0101012018000000")).of_another_context(
        ("other setup associated data", h("0101012018000000"), b"\0"),
        ("a hidden nonce of another length", h("0101012017000000"), b""),
        ("the nonce not hidden", h("0100012018000000"), b""))
    group = Group(flex.REGISTRY[0x24])
    yield group.valid([((n * 7) % 40, n) for n in group.edges()], "Registry")
    for text in TAMPERED_LATER:
        yield Group(h(text)).tampered()
    yield Group(h("0400022018000000".replace("20", "10", 1))).valid(
        [(0, 32 * m + more) for m, more in ((128, 0), (129, 0), (129, 1), (130, 31), (258, 31))])
    yield Group(h("0400012018000000")).of_another_context(
        ("ROBUST", h("0304010018000000"), b""),
        ("CIV", h("0200012018000000"), b""),
        ("other setup associated data", h("0400012018000000"), b"setup"))


def document(groups):
    return aegis_vectors.document("flex", groups) | {"header": HEADER}


def recomputed(group):
    alg = flex.algorithm("flex", group["params"])
    return aegis_vectors.recomputed(group, lambda M, A, K, N, _: (alg.Encrypt(M, A, K, N)[0], b""))


def build():
    path = VECTORS / "flex.json"
    old = json.loads(path.read_text())["testGroups"] if path.exists() else []
    return aegis_vectors.dumps(document([recomputed(g) for g in old if outside(g)] + [g.build() for g in groups()]))


# ── Edges of lengths ────────────────────────────────────────────────────────────────────────────

EDGES_HEADER = [
    "Flex-1, docs/spec/flex.md, at the edges of every length: of digests only, for there are many.",
    "A group has a configuration, a key and setup associated data, the latter two by their lengths in bytes.",
    "A test is [nonce, aad, msg, digest]: three lengths, and the first 16 bytes of SHAKE-256 of the ciphertext.",
    "Each input is as much of SHAKE-256 of polyseal/flex-edges/WHAT as it is long: WHAT is key, setupAd, nonce,",
    "aad or msg.",
]
MODES = [(flex.OCH, 0), (flex.OCH, flex.NH), (flex.CIV, 0), (flex.CIV, flex.NH), (flex.ROBUST, flex.CMT),
         (flex.ROBUST, flex.CMT | flex.NH)]
LEAVES = [256, 257, 511, 512, 513, 3840, 4095, 4096, 4097, 4352, 8192, 8193, 8448, 8449]


def configuration(mode, flags, profile, TL=None, NL=13, aux=0):
    if TL is None:
        TL = 0 if mode == flex.ROBUST else profile.t
    return bytes([mode, flags, profile.id, TL]) + flex.LE(2, NL) + flex.LE(2, aux)


def edge(what, n):
    return shake(n, "flex-edges", what)


def edge_group(cfg8, key, AD_s, lengths):
    F = flex.Flex(cfg8, edge("key", key), edge("setupAd", AD_s), allow_noncommitting=True, allow_64_bit=True)
    tests = []
    for N, AD, M in lengths:
        C = F.seal(edge("nonce", N), edge("aad", AD), edge("msg", M))
        tests.append([N, AD, M, hashlib.shake_256(C).hexdigest(16)])
    return {"cfg": cfg8.hex(), "key": key, "setupAd": AD_s, "tests": tests}


def message_edges(profile, w):
    """Around every branch, and around the groups of blocks that implementations take; w bytes are hidden."""
    B, r = profile.B, profile.r
    tails = {1, 2, r - 1, r, r + 1, B - 2, B - 1} | set(range(3, B, max(3, B // 12)))
    whole = {B + tail for tail in tails} | {0, 1, 2, 3, 4, 5, 6, B // 2, B - 1, B, 2 * B - 1, 2 * B, 3 * B - 1}
    groups = {m * B + (m * 29) % B * (m % 2) for m in (4, 5, 6, 8, 9, 10, 16, 17, 18)} | {33 * B, 33 * B + 1, 35 * B - 1}
    return sorted({0} | {n - w for n in whole | (groups if not w else set()) if n >= w})


def edge_groups():
    for profile in flex.PROFILES.values():
        t, r, B = profile.t, profile.r, profile.B
        for mode, flags in MODES:
            cfg8 = configuration(mode, flags, profile)
            w = 13 if flags & flex.NH else 0
            yield edge_group(cfg8, 32, 0, [(13, n % 3, n) for n in message_edges(profile, w)])
        hidden = configuration(flex.OCH, flex.NH, profile)
        yield edge_group(hidden, 32, 0, [(13, n, 5) for n in sorted({1, r - 3, r - 2, r - 1, r, r + 1, *LEAVES})])
        # The nonce and its length, two bytes, are hashed with the associated data.
        free = configuration(flex.CIV, 0, profile, NL=flex.VARIABLE)
        yield edge_group(free, 32, 0, [(0, 0, 0), (0, 0, B), (1, 0, 9), (0, 254, 9), (0, 255, 9), (100, 154, 9),
                                       (100, 155, 9), (254, 0, 9), (255, 0, 9), (300, 300, 9), (1024, 1, 9)])
        if profile.id in (1, 7):
            yield edge_group(free, 32, 0, [(65535, 0, 9)])
        # Key, configuration, setup associated data and two bytes: 256 of them are hashed in sequence.
        public = configuration(flex.OCH, 0, profile)
        for key in sorted({16, 17, 31, 33, r, r + 1, 64, 200, 256, 1023, 1024} - {*range(16)}):
            yield edge_group(public, key, 0, [(13, 0, 5)])
        padded = 32 + -32 % r
        for AD_s in sorted({1, r - 10, max(0, 246 - padded), max(0, 247 - padded), 255, 256, 257, 512, 513, 4097}):
            for flags in (0, flex.PRE):
                yield edge_group(configuration(flex.OCH, flags, profile), 32, AD_s, [(13, 0, 5)])
        for mode in (flex.OCH, flex.CIV):
            yield edge_group(configuration(mode, flex.STREAM, profile, aux=8), 32, 0,
                             [(13, 1, n) for n in (0, 1, 255, 256, 257, 511, 512, 513)])
            for TL in {16, 17, 31, 32} & {*range(t + 1)}:
                yield edge_group(configuration(mode, 0, profile, TL=TL), 32, 0, [(13, 0, n) for n in (0, 5, B + 5)])
        for flags, lam in ((0, 0), (0, 1), (0, 16), (0, 255), (flex.CMT, 1), (flex.CMT, 255)):
            yield edge_group(configuration(flex.ROBUST, flags, profile, TL=lam), 32, 0,
                             [(13, 0, n) for n in (0, 1, 2, B - 2, B - 1, B, B + 1, 2 * B, 2 * B + 1)])
    robust = configuration(flex.ROBUST, flex.CMT, flex.PROFILES[1])
    yield edge_group(robust, 32, 0, [(13, 0, 64 * m + more) for m, more in
                                     ((128, 0), (129, 0), (129, 1), (130, 63), (131, 5), (258, 31))])
    for profile in flex.PROFILES.values():
        for flags in (0, flex.NH):
            w = 13 if flags else 0
            yield edge_group(configuration(flex.ROBUST_AE, flags, profile), 32, 0,
                             [(13, n % 3, n) for n in message_edges(profile, w)])
        yield edge_group(configuration(flex.ROBUST_AE, 0, profile, TL=17 if profile.t > 17 else 16), 32, 0,
                         [(13, 0, n) for n in (0, 5, profile.B + 5)])
    robust_ae = configuration(flex.ROBUST_AE, 0, flex.PROFILES[1])
    yield edge_group(robust_ae, 32, 0, [(13, 0, 64 * m + more) for m, more in
                                        ((128, 0), (129, 0), (129, 1), (130, 63), (131, 5), (258, 31))])


def build_edges():
    groups = list(edge_groups())
    count = sum(len(group["tests"]) for group in groups)
    return aegis_vectors.dumps({"description": EDGES_HEADER, "source": MADE_HERE, "numberOfTests": count,
                                "groups": groups})


if __name__ == "__main__":
    (VECTORS / "flex.json").write_text(build())
    (VECTORS / "internal" / "flex-edges.json").write_text(build_edges())
