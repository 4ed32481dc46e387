"""Writes vectors/omd-*.json, what was computed elsewhere and then what research/reference/omd.py adds, and
vectors/internal/omd-edges.json, every edge of every length.

Of the groups of others the inputs are read from this repository's vectors/, and what the CAESAR submission's code made of
them; what a model made of them is computed anew. The machinery is that of aegis_vectors.py. `scripts/python research/reference/omd_vectors.py` writes the files anew, to the same bytes.

A group is about one set of sizes under one rule, its params: none is the secure rule.
"""

import hashlib
import json

import aegis_vectors
import omd
from aegis import xor
from aegis_vectors import VECTORS, flip, shake

MODEL = {"name": "a model outside this repository", "version": "1"}
MADE_HERE = {"name": "research/reference/omd.py", "version": "1"}
RULES = {}, {"rule": "reference"}, {"version": 1}

aegis_vectors.NOTES |= {
    "Caesar": ("BASIC", "Computed by the code of the CAESAR submission."),
    "Model": ("FUNCTIONALITY", "Computed by a model outside this repository."),
    "EmptyAad": ("AUTH_BYPASS", "There is no associated data: the rules for empty inputs differ."),
    "EmptyMessage": ("AUTH_BYPASS", "The message is empty: the rules for empty inputs differ."),
    "OneQueryForgery": ("AUTH_BYPASS", "The tag is the first key stream of a message that was seen: valid where an "
                                       "empty message and no associated data cost no call."),
    "OtherPadding": ("AUTH_BYPASS", "An input with its padding written out, or without it."),
    "OtherTagLength": ("AUTH_BYPASS", "A tag cut from one of another length."),
    "OtherRule": ("AUTH_BYPASS", "Sealed under another rule for empty inputs, or another version."),
}


def outside(group):
    return group["source"] != MADE_HERE


def empties(aad, msg):
    return ["EmptyAad"] * (not aad) + ["EmptyMessage"] * (not msg)


# ── Groups ──────────────────────────────────────────────────────────────────────────────────────

class Group:
    """Tests of one set of sizes under one rule. The inputs come from SHAKE-256 over it and the case."""

    def __init__(self, name, sizes, params):
        self.name, self.sizes, self.params = name, sizes, params
        self.key, self.nonce, self.tag = sizes
        self.alg = omd.algorithm(name, params)
        self.n = self.alg.n
        self.tests = []

    def inputs(self, aad, msg):
        at = self.name, self.sizes, sorted(self.params.items()), aad, msg
        return {what: shake(n, *at, what)
                for what, n in (("key", self.key), ("iv", self.nonce), ("aad", aad), ("msg", msg))}

    def sealed(self, values, alg=None, tag=None):
        tag = tag or self.tag
        ct, T = (alg or self.alg).Encrypt(values["msg"], values["aad"], values["key"], values["iv"], 8 * tag)
        return values | {"ct": ct, "tag": T}

    def add(self, comment, flags, result, values):
        fields = {f: values[f].hex() for f in ("key", "iv", "aad", "msg", "ct", "tag")}
        self.tests.append({"comment": comment, "flags": flags, **fields, "result": result})

    def valid(self, lengths):
        for aad, msg in lengths:
            self.add(f"{aad} bytes of aad, {msg} of msg", ["EdgeCaseLength", *empties(aad, msg)], "valid",
                     self.sealed(self.inputs(aad, msg)))
        return self

    def edges(self):
        """Around each branch of the mode: of messages, of associated data."""
        n = self.n
        return ([0, 1, n - 1, n, n + 1, 2 * n - 1, 2 * n, 2 * n + 1, 3 * n + 5],
                [0, 1, n - 1, n, n + 1, 2 * n - 1, 2 * n, 2 * n + 1, 4 * n + 3])

    def every_pair(self):
        msgs, aads = self.edges()
        return [(aad, msg) for aad in aads for msg in msgs]

    def each_edge(self):
        msgs, aads = self.edges()
        crossed = zip(aads, msgs[4:] + msgs[:4])
        return sorted({(0, 0), *crossed, *((0, msg) for msg in msgs), *((aad, 0) for aad in aads)})

    def many_blocks(self):
        """ntz up to 4, twice, with whole blocks last and with partial ones."""
        n = self.n
        return [(0, 33 * n), (64 * n, 0), (35 * n + 1, 32 * n - 1), (66 * n, 18 * n)]

    def forged(self):
        """From each message that is seen, of τ bits or more, whatever its associated data."""
        result = "invalid" if self.alg.rule == omd.SECURE else "valid"
        for aad, msg in ((0, self.tag), (0, self.n), (0, 2 * self.n + 1), (19, self.tag), (2 * self.n, 3 * self.n)):
            seen = self.sealed(self.inputs(aad, msg))
            first = xor(seen["ct"][:self.tag], seen["msg"][:self.tag])
            empty = seen | {"aad": b"", "msg": b"", "ct": b"", "tag": first}
            self.add(f"nothing sealed, {aad} bytes of aad and {msg} of msg seen",
                     ["OneQueryForgery", *empties(b"", b"")], result, empty)
            # With associated data, or a message, the first key stream is no tag under any rule.
            self.add("the same with a byte of aad", ["OneQueryForgery", "EmptyMessage"], "invalid",
                     empty | {"aad": b"\x80"})
            self.add("the same with a byte of msg", ["OneQueryForgery", "EmptyAad"], "invalid",
                     empty | {"msg": seen["msg"][:1], "ct": seen["ct"][:1]})
        return self

    def tampered(self):
        """A bit of each part, and of each block and half block of it."""
        n = self.n
        for aad, msg in ((4 * n + 19, 2 * n + 7), (2 * n, 2 * n), (0, 5), (5, 0)):
            good = self.sealed(self.inputs(aad, msg))
            at = f"{aad} bytes of aad, {msg} of msg"
            for part, flag, step in (("tag", "ModifiedTag", n // 4), ("ct", "ModifiedCiphertext", n // 2),
                                     ("aad", "ModifiedAad", n // 2), ("iv", "ModifiedNonce", 8)):
                value = good[part]
                for byte in sorted({*range(0, len(value), step), len(value) - 1} & {*range(len(value))}):
                    self.add(f"{at}, byte {byte} of {part} changed", [flag], "invalid",
                             good | {part: flip(value, 8 * byte + byte % 8)})
            self.add(f"{at}, tag of zeros", ["ModifiedTag"], "invalid", good | {"tag": bytes(self.tag)})
            self.add(f"{at}, a zero byte follows aad", ["ModifiedAad"], "invalid", good | {"aad": good["aad"] + b"\0"})
            if aad:
                self.add(f"{at}, aad cut by a byte", ["ModifiedAad"], "invalid", good | {"aad": good["aad"][:-1]})
                self.add(f"{at}, aad left out", ["ModifiedAad", "EmptyAad"], "invalid", good | {"aad": b""})
            if aad > 2 * n:
                self.add(f"{at}, blocks 0 and 1 of aad exchanged", ["ModifiedAad"], "invalid",
                         good | {"aad": good["aad"][2 * n:4 * n] + good["aad"][:2 * n] + good["aad"][4 * n:]})
            if msg:
                self.add(f"{at}, ct cut by a byte", ["ModifiedCiphertext"], "invalid",
                         good | {"msg": good["msg"][:-1], "ct": good["ct"][:-1]})
                self.add(f"{at}, ct left out", ["ModifiedCiphertext", "EmptyMessage"], "invalid",
                         good | {"msg": b"", "ct": b""})
        return self

    def other_padding(self):
        """10* written out, where the key stream is known: the masks tell."""
        n = self.n
        for msg in (0, 1, n - 1):
            values = self.inputs(2 * n, n)
            stream = xor(self.sealed(values)["ct"], values["msg"])
            short = self.sealed(values | {"msg": values["msg"][:msg]})
            long = omd.pad10(short["msg"], n)
            self.add(f"{msg} bytes of msg, their padding behind them", ["OtherPadding"], "invalid",
                     short | {"msg": long, "ct": xor(long, stream)})
            whole = self.sealed(values | {"msg": long})
            self.add(f"a block of msg, its padding of {n - msg} bytes left out", ["OtherPadding"], "invalid",
                     whole | {"msg": long[:msg], "ct": whole["ct"][:msg]})
        for aad in (0, 1, 2 * n - 1):
            values = self.inputs(aad, n)
            long = omd.pad10(values["aad"], 2 * n)
            self.add(f"{aad} bytes of aad, their padding behind them", ["OtherPadding"], "invalid",
                     self.sealed(values) | {"aad": long})
            self.add(f"two blocks of aad, their padding of {2 * n - aad} bytes left out", ["OtherPadding"], "invalid",
                     self.sealed(values | {"aad": long}) | {"aad": values["aad"]})
        return self

    def of_another_tag_length(self):
        values = self.inputs(19, self.n + 5)
        for tag in sorted({self.tag - 1, self.tag + 1, self.n} - {0, self.tag}):
            if tag <= self.n:
                other = self.sealed(values, tag=tag)
                # The masks depend on the length, and so does the key stream.
                cut = other["tag"][:self.tag].ljust(self.tag, b"\0")
                self.add(f"tag of {tag} bytes in the place of {self.tag}", ["OtherTagLength"], "invalid",
                         other | {"tag": cut})
        return self

    def of_another_rule(self):
        for params in RULES:
            if params != self.params:
                alg = omd.algorithm(self.name, params)
                for aad, msg in (0, 0), (0, 5), (5, 0), (5, 5):
                    other = self.sealed(self.inputs(aad, msg), alg)
                    if other != self.sealed(self.inputs(aad, msg)):
                        self.add(f"{aad} bytes of aad, {msg} of msg, sealed under {json.dumps(params)}",
                                 ["OtherRule", *empties(aad, msg)], "invalid", other)
        return self

    def build(self):
        params = {"params": self.params} if self.params else {}
        return {"type": "AeadTest", "source": MADE_HERE, "keySize": 8 * self.key, "ivSize": 8 * self.nonce,
                "tagSize": 8 * self.tag, **params, "tests": self.tests}


# ── What there is ───────────────────────────────────────────────────────────────────────────────

def odd_sizes(n):
    """(key, nonce, tag): the least and the largest of each, and some that are no round numbers."""
    return [(1, 0, 1), (1, n - 1, n), (n, 0, n), (n, n - 1, 1), (n, n - 1, n), (n - 1, n - 2, n - 1), (5, 7, 9),
            (17, 1, n // 2 + 1), (n // 2 + 1, n // 2, 3)]


def groups(name):
    *named, default = omd.NAMED[name]
    n = omd.HASHES[name].n
    secure, *legacy = RULES
    group = Group(name, default, secure)
    yield (group.valid(group.every_pair() + group.many_blocks()).forged().tampered().other_padding()
           .of_another_tag_length().of_another_rule())
    for sizes in named:
        group = Group(name, sizes, secure)
        yield group.valid(group.each_edge()).forged().of_another_tag_length()
    for sizes in odd_sizes(n):
        if sizes != default:
            group = Group(name, sizes, secure)
            yield group.valid([(0, 0), (0, n), (2 * n, 0), (3, n + 1), (2 * n + 1, 2 * n), (5 * n, 3 * n - 1)])
    for params in legacy:
        group = Group(name, default, params)
        yield group.valid(group.each_edge()).forged().of_another_rule()
        for sizes in named:
            yield Group(name, sizes, params).valid([(0, 0), (0, 5), (5, 0), (2 * n + 1, n + 1)]).forged()


def document(name, groups):
    return aegis_vectors.document(name, groups)


def recomputed(name, group):
    return aegis_vectors.recomputed(group, omd.algorithm(name, group.get("params")).Encrypt)


def build(name):
    path = VECTORS / f"{name}.json"
    old = json.loads(path.read_text())["testGroups"] if path.exists() else []
    others = [recomputed(name, g) if g["source"] == MODEL else g for g in old if outside(g)]
    return aegis_vectors.dumps(document(name, others + [group.build() for group in groups(name)]))


# ── Edges of lengths ────────────────────────────────────────────────────────────────────────────

EDGES_HEADER = [
    "OMD, docs/spec/omd.md, at the edges of every length: of digests only, for there are many.",
    "A group has a family, the lengths of key, nonce and tag in bytes, and params; none is the secure rule.",
    "A test is [aad, msg, digest]: two lengths, and the first 16 bytes of SHAKE-256 of ciphertext and tag.",
    "Each input is as much of SHAKE-256 of polyseal/omd-edges/WHAT as it is long: WHAT is key, nonce, aad or msg.",
]


def edge(what, n):
    return shake(n, "omd-edges", what)


def edge_lengths(n):
    """Twelve of associated data, twelve of messages."""
    return ([0, 1, n - 1, n, n + 1, 2 * n - 1, 2 * n, 2 * n + 1, 4 * n - 1, 4 * n, 4 * n + 1, 8 * n + 3],
            [0, 1, n - 1, n, n + 1, 2 * n - 1, 2 * n, 2 * n + 1, 3 * n, 4 * n, 5 * n - 1, 8 * n + 1])


def edge_group(name, sizes, params):
    key, nonce, tag = sizes
    alg = omd.algorithm(name, params)
    aads, msgs = edge_lengths(alg.n)
    tests = []
    for aad in aads:
        for msg in msgs:
            C, T = alg.Encrypt(edge("msg", msg), edge("aad", aad), edge("key", key), edge("nonce", nonce), 8 * tag)
            tests.append([aad, msg, hashlib.shake_256(C + T).hexdigest(16)])
    return {"algorithm": name, "key": key, "nonce": nonce, "tag": tag, "params": params, "tests": tests}


def edge_groups():
    secure, *legacy = RULES
    for name, named in omd.NAMED.items():
        for sizes in named:
            yield edge_group(name, sizes, secure)
        for params in legacy:
            yield edge_group(name, named[-1], params)


def build_edges():
    groups = list(edge_groups())
    count = sum(len(group["tests"]) for group in groups)
    return aegis_vectors.dumps({"description": EDGES_HEADER, "source": MADE_HERE, "numberOfTests": count,
                                "groups": groups})


if __name__ == "__main__":
    for name in omd.HASHES:
        (VECTORS / f"{name}.json").write_text(build(name))
    (VECTORS / "internal" / "omd-edges.json").write_text(build_edges())
