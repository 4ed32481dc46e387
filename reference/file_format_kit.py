"""The conformance kit of the file format: writes vectors/file-format, one small file for each rule.

    python3 reference/file_format_kit.py            writes the folder anew
    python3 reference/file_format_kit.py --check    fails if the folder is not what this would write

Source: docs/spec/file-format.md, version 1, by way of polyseal_file.py. A file is good but for the one
rule that it is named after: what a change would break besides is computed anew (tags, header MAC),
unless the case is about just that. What a reader should say is written down here, case by case, from
the text of the specification; test_polyseal_file.py holds the reference reader against it.

Every byte comes from SHAKE-256 over the file's name and the part's, so two runs write the same files.
Only the recipient stanzas of FROM_AGE were made elsewhere: by age 1.3.1, for identities and a wrapping
key of this kit.

Limit: without associated data nobody knows an AEGIS ciphertext that opens under two keys for less work
than finding a tag by trial, so there is none here. The files `two-file-keys-*` have stanzas for two file
keys under one header instead, and payloads that would open under the wrong one.
"""

import hashlib
import json
import sys
from pathlib import Path

import polyseal_file as f
from polyseal_file import LE

FOLDER = Path(__file__).parent.parent / "vectors/file-format"


def shake(n, *what):
    name = "/".join(("polyseal", "file-format", *map(str, what)))
    return hashlib.shake_256(name.encode()).digest(n)


# ── Keys ────────────────────────────────────────────────────────────────────────────────────────

KEY_1, KEY_2, KEY_3 = (shake(32, f"key file {k}") for k in (1, 2, 3))
AGE_1, AGE_2, AGE_3 = (f.x25519_identity(shake(32, f"age {k}")) for k in (1, 2, 3))
AGE_HYBRID = (
    f.bech32_encode("age-secret-key-pq-", shake(32, "age hybrid")).upper(),
    "age1pq1q76t500xqsqe2mrpq09ht0z8htzuehkywlj9rs9yvk9glkxw3fe2zwze2thdg9d47wjsdvtwjy4x2pw8s57"
    "yjtm0y452vhy0d2zm2n2zsds4kxxq2cu8pxdlqgc40kn2tlafgxpqvx09dpcqrnz97lqycysdweqd8dd647j5hsyf5"
    "avt3yqlq99kpdz2l5rntatx4qzcs8xs4ge90ggg9cpx28gc5ew3psvfgqr0ykf8hxkp7j5hy86mfjhvnst2xe83262"
    "8cnmm48d54x3dtye99q6g5nym46nejwejj33rnnyegxa5wqr3c53zneg8yrcf8nuq0zrc3emmeg93qqqdcyg5885je"
    "ge0yj679safg829vlsr8drgljv8x5al8p5tsx8x824tvewnwpe6c2ztsdazp4mgng5q2e0lfju3xjeu4l3yk5smwa7"
    "yvjwtucn02uufyg6m0n842cfgjv2c7e8df27r6jdjd3nzrzpnz2074w0kcz5a2q3pewvnhegsv8t4zc52wy406w98l"
    "sd35sqvqgfr8jcdv5ga7k6r2g0gdmc9zf2nw3z5um900xc9n9syg3glxx7rw9kehzgkhwf29mveyfssd35e73m4d6z"
    "cem4ggfj6srjqfj24gszh2lyr5hq4lenns8avy8eee2py5auyvcv2v5zq8l3x43hq6pk3jqcc7zmvsz9ujkpw5s54l"
    "gwrnw6tzuafz36sfy76ya6gf9xe9uvph0vr0quu3sdch03l30qqdjs9t7auf099cj0k5z4msf8kkpnuewery35gczv"
    "3q6p0498u66sw9urv4tgj3glhkmkvwt94fznplwrk7sa6twdy0sfxtxlgv0rrseeje4vtzwj9vyzykuv8f29669ejf"
    "pl8jhwqf9dqcx9um7k0xk6gsfs9p6h0r08f4j7wqgevf52ccv9kqexk339fn2zre3pl7w7y3pcj4sjyxf733xctqyj"
    "3tla9wmkuk0fsxqp8vw7xxjtsnxjv75hgj2fdzlay8gjktn95wk38dnezxqmh4sn5qp4ghzsxrh9x78265h9m336m6"
    "ffyukx2c9d6rl76w6lw4f4y5gsgu4z3xfs6t0myxfjmc22uagcshgqz5k4zz0yg89w5san6rgatphqut33uu6gqwkf"
    "5h8zlddjdr97tw4zr85yukasqjzxcjw3cq9na3ktgkhn5p2jlw9aga2jg4mzhwtjk28qnh30jd3d25yfjlv2ene9yv"
    "kjyncdg39rpeg2dfud48lp4wkcn04s8wjhgyyew95kwrvarxs9ykrpanryrkjw4sage2l4mvcxe8rsx59z39fapfd3"
    "gsef5l5039rg9vr0s6xwz9krqr26nmsps94rmpfenyd595j4fgrrzrlj8trq209l6nsh4lhpjstqp0lmqpcnekr0s5"
    "myscuthmcgjsy4m335mz4w4zsupdcns5l4p4aj69zkrvjxkvjjqw6rwan4rz9v3n535s8cfszu4wwms0z3uych2s94"
    "vz6gqg4q7cevx9cx8365s4ts8zjq6q3uquc400r782t3hhalnfnduj9vvzwup3rc547s949emwkprgup29vvld5nt5"
    "4u5rqa95dfuqwz6fdadpjvj9lwn57l4rsggtwqrmfecrde6xuz90vl85fm53nzx09eaqsj2sgdygjcss2czg4sx2qn"
    "z7v2p98s2tamgzzg66ehgnjmvp5a634pkw3vg2hhz5yjm9vsr85vvddzezqz7c3rnyuk8ddu2mqe82kqpwapc3sknw"
    "evtgd6vz8v60dl5zn2eyuvl5jrv37kqnafrweyp06lr82u439lrnyzqpyydfsj08rwdvqmq6h0jayy3vlq43l2pp6v"
    "r4g6qcgvw2y2r4f43ruaa5gsvhtjjgfv30e940a3gv9umpcrwxn4jnqja0lqmzsvlzm47",
)
PASSPHRASES = {
    "passphrase": (b"correct horse battery staple", 1),
    "passphrase-other": (b"correct horse battery stapler", 1),
    "passphrase-with-line-feed": (b"correct horse battery staple\n", 1),
    "passphrase-1-byte": (b"x", 1),
    "passphrase-4096-bytes": (b"0123456789abcdef", 256),
    "passphrase-not-utf-8": (bytes.fromhex("ff00fe80"), 1),
    "passphrase-utf-8": ("pässwörd €".encode(), 1),
}


def key_table():
    table = {}
    for name, key in (("key-file-1", KEY_1), ("key-file-2", KEY_2), ("key-file-3", KEY_3)):
        table[name] = {"kind": "key-file", "hex": key.hex()}
    for name, (piece, times) in PASSPHRASES.items():
        table[name] = {"kind": "passphrase", "hex": piece.hex(), "times": times}
    for name, (identity, recipient) in (("age-1", AGE_1), ("age-2", AGE_2), ("age-3", AGE_3),
                                        ("age-hybrid", AGE_HYBRID)):
        table[name] = {"kind": "age", "identity": identity, "recipient": recipient}
    return table


# Made by age 1.3.1: they wrap FROM_AGE_KEY for AGE_HYBRID and for AGE_1.
FROM_AGE_KEY = shake(16, "wrapping key of age itself")
FROM_AGE = {
    "hybrid": ("mlkem768x25519",
               "klzdULy+XQVgdc7Rs+6egn0gatSYT2OpOHT87cyEUBB2KDxVWnhbN22DbsS4rkZcsPju8B6h/0Lq777VinhP"
               "liYgaKhuHk7d2owFejgNDfS2waXeU70MGM728AB3ed6iaGy6yIE5Mxatqcca/zTWs8irjdzk51PGEECrCqAI"
               "EpcNneBhNTtSqurSfkQcmFdj2uK5E57ekchHzO9WCuS87cBXp/zbGZ3ERO8vkn1MIvrCAV5q4AZtPsK6BOIn"
               "FccBUS/sjI6I5vuiJv8odynBnRF/gq3Uj9dUA8ixYasVJENlpx40ncKN4yizu37hq+pTz+wJu43KTw76CaBZ"
               "eO/xav3VSzqe6+njOTgfKO/Q4eU0d38lLJYOjRszCiC83KldooSmbQxZ7GSHVVbk603R95tVKYUC4yHhk+Me"
               "Xjm+S5ayUYKQAB15QKVCVCjMZyMkqc+j6ruLTgGcICViXEgRN7yjH+aEs7IdMrjahoWXTOPsL/0g6JHXDjQy"
               "coCZHUFn4Ey5LXtAY711cnm4kgbceqfs7vPKz0eogkKhaNj7MVNxfh919kuPLnm/+gFB+p39bn0puXIX0Le9"
               "qdOxO+pyhKLu8J17QNVtbfdW7hXpfNpQiqqKTpHQiYtZ7WMvLIecguODR8n9uyRBTlsB1JZviOEfLFyaHsTf"
               "xg3FsCq0fPrQP7Ua30f2onIwzA2koMbhEHrThW2bLIRxNVnZxH88aB+eWDwqih3LeHI2KNHHapBJoIUh1Yoj"
               "ZXD8UjnaP18jw1QPXaCp7JxFnesvcyIOyRfUhsdMACCT58+XByYjJxZ2PElTdeEH3N9UeTptGq4AdkPH6IMm"
               "ddOtTQD4fSqJLsoq0FWvXzQuRSwNAxeoqqo8KTpyPTRSSV2d0dw1SmZxE4NdmP3lJ7Sjcud5SyUJzmFi2O44"
               "Rt2wHlafxvRZUIlayJgB3C3O1oYNjW+2JVKbtJTaCf0Ai1gU2PG+BN840u8ErL/IdeR7abZPzYn/6yYwVSX+"
               "8ChseFoc4O6kjnXvAWofP3rG3Z3nYbhw+cBRkiY/5YbUsalQTT5Ndn7azTv6KnaAyojZk2OwBJIhOEiGMR7U"
               "tiz4qXBezawqJZ3aGa+8SWGou8i0I8sBn3iZTfEw+bi7nIju/+hxCB29ocu09w/c0Tb9aSqUwss2g8MHa2JL"
               "xb66ZRhRLNJ5G8MmBJNCGwe1jmgRy8/240LN8GgZUrYFKzyGzmZ3f6SNrYaMZe18s1IId0dMs51LfZ6OGoDK"
               "KYGXeWULHsdXODC0XzyF1MqKAhDGuS+84NZP45PFCVr110qugfOCkzjYi0MstzkWwiVEdHpbNiApKfbj4/MX"
               "zzv0XGJ2MbLLby5vMsVCXhUxzmBo9GIZtiGKmV5zxtQsiTQB/8tN/gqpAtQ4hZFQb68jYHVz5/ydrtMeTUFj"
               "HF3zMgLdCsIu9XE9E3ybE3HraOLbv17yBhhEhuXKmNBBptTx3xrT2BOfRY+UqNkaBg",
               "BCzYrr57IGEZD3EygeinFtu1oyJ0Kyq5/ZnfG7KYRY0"),
    "x25519": ("X25519", "eZErx2wzTjW5oQ5Eg1BwcD5A7UVt4HKpZKrqxTLiF1U",
               "xSNAeLmrX1PlKRAPdQVQTQk2f2Szc2GsnkMXQ3B5bhU"),
}


def from_age(which):
    type_, argument, body = FROM_AGE[which]
    return f"-> {type_} {argument}\n{body}\n".encode()


# ── A file, with a place for each defect ────────────────────────────────────────────────────────

class Draft:
    """A good file for key-file-1, until a case changes something."""

    def __init__(self, name):
        self.name = name
        self.file_key = shake(32, name, "file key")
        self.file_salt = shake(32, name, "file salt")
        self.magic = f.MAGIC
        self.version = 1
        self.count = None                                # that of `stanzas`
        self.segment_size = 4096
        self.P = 4096
        self.header_length = None                        # P
        self.reserved = bytes(8)
        self.suite = f.DEFAULT_SUITE
        self.suite_field = None                          # that of `suite`
        self.context = None
        self.context_tag = None                          # that of `context`
        self.stanzas = lambda draft: [draft.key_file()]  # made last: they are bound to the rest
        self.spare = lambda room: bytes(room)
        self.plaintext = b"Polyseal " + name.encode()
        self.mac_key = None                              # `file_key`

    # The stanzas. `which` tells their salts apart, `file_key` is another one for the two-key cases.

    def salt(self, which):
        return shake(32, self.name, "stanza salt", which)

    def F(self):
        return f.F(self.fields(0))

    def stanza(self, type_, wrapping_key, which=0, how=b"", file_key=None):
        return f.make_stanza(self.F(), type_, wrapping_key, self.salt(which), how,
                             file_key or self.file_key)

    def key_file(self, key=KEY_1, which=0, file_key=None):
        return self.stanza(f.KEY_FILE, key, which, file_key=file_key)

    def passphrase(self, name="passphrase", m=8, t=1, p=1, which=0, wrapping_key=None):
        piece, times = PASSPHRASES[name]
        wrapping_key = wrapping_key or f.stretch(piece * times, self.salt(which), m, t, p)
        return self.stanza(f.PASSPHRASE, wrapping_key, which, LE(m, 4) + LE(t, 4) + LE(p, 4))

    def passed_over(self, type_=0x8000, n=40, which=0):
        """A stanza that a reader need not know, with n bytes behind its length."""
        return LE(type_, 2) + LE(n, 2) + shake(n, self.name, "passed over", which)

    def wrapping_key(self, which=0):
        return shake(16, self.name, "wrapping key", which)

    def x25519(self, age=AGE_1, which=0, number=0, wrapping_key=None):
        """One recipient stanza."""
        secret = shake(32, self.name, "ephemeral secret", which, number)
        return f.x25519_recipient_stanza(age[1], wrapping_key or self.wrapping_key(which), secret)

    def age(self, recipients=None, labels=b"", which=0, how=None, wrapping_key=None):
        """A stanza of type 3; `how` replaces all that stands before its tag."""
        if how is None:
            recipients = [self.x25519(which=which)] if recipients is None else recipients
            how = LE(len(labels), 2) + labels + b"".join(recipients)
        return self.stanza(f.AGE, wrapping_key or self.wrapping_key(which), which, how)

    # The parts of the file.

    def fields(self, count):
        suite_field = self.suite_field or f.suite_field(self.suite)
        tag = self.context_tag or f.context_tag(self.file_key, self.file_salt, self.context)
        return (self.magic + LE(self.version, 2) + LE(count, 2) + LE(self.segment_size, 4)
                + LE(self.P, 8) + self.reserved + self.file_salt + suite_field + tag)

    def header(self):
        stanzas = self.stanzas(self)
        before = self.fields(len(stanzas) if self.count is None else self.count) + b"".join(stanzas)
        end = (self.header_length or self.P) - 32
        before += self.spare(max(0, end - len(before)))
        return before[:end] + f.header_mac(self.mac_key or self.file_key, self.file_salt, before[:end])

    def payload(self):
        """The cipher under the header's fields, whether a reader takes them or not."""
        key_length, _, _ = f.SUITES[self.suite]
        key = f.payload_key(self.fields(0), self.file_key, self.context, key_length)
        return f.Payload(self.suite, self.segment_size, key)

    def pieces(self):
        s = self.segment_size if self.segment_size in f.SEGMENT_SIZES else 4096
        return [self.plaintext[k:k + s] for k in range(0, len(self.plaintext), s)] or [b""]

    def segments(self):
        payload, pieces = self.payload(), self.pieces()
        return [payload.seal(i, i == len(pieces) - 1, piece) for i, piece in enumerate(pieces)]

    def body(self):
        return b"".join(self.segments())

    def file(self):
        return self.header() + self.body()

    def long(self, length):
        self.plaintext = shake(length, self.name, "plaintext")
        return self


def flip(data, at):
    """One bit of the byte at `at`; a negative one counts from the end."""
    at %= len(data)
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


# ── The kit ─────────────────────────────────────────────────────────────────────────────────────

class Kit:
    def __init__(self):
        self.files = {}
        self.tests = []
        self.parts = []
        self.key_files = []

    def add(self, name, section, rule, data, *attempts, armored=False):
        """One file, and what each attempt to read it comes to."""
        file = f"{name}.polyseal"
        assert file not in self.files and attempts
        self.files[file] = data
        for attempt in attempts:
            self.tests.append({"file": file, "section": section, "rule": rule,
                               "armored": armored} | attempt)

    def draft(self, name, section, rule, change, *attempts):
        """A draft that `change` has altered, or the bytes that it gives back."""
        draft = Draft(name)
        data = change(draft)
        data = data if isinstance(data, bytes) else draft.file()
        self.add(name, section, rule, data, *(a(draft) if callable(a) else a for a in attempts))

    def part(self, file, rule, start, length, attempt):
        assert f"{file}.polyseal" in self.files
        self.parts.append({"file": f"{file}.polyseal", "section": "6", "rule": rule, "start": start,
                           "length": length} | attempt)

    def key_file(self, name, rule, data, key=None):
        file = f"{name}.key"
        assert file not in self.files
        self.files[file] = data
        outcome = {"outcome": "bad-key-file"} if key is None else {"outcome": "ok", "key": key.hex()}
        self.key_files.append({"file": file, "section": "8", "rule": rule} | outcome)

    def index(self):
        return json.dumps({
            "description": [
                "The rules of docs/spec/file-format.md, a small file for each. Written by"
                " reference/file_format_kit.py.",
                "tests: read `file` with all of `keys`, and with `context` unless it is null. `armored` says"
                " that it is to be read as ASCII armour.",
                "outcome: ok comes with the plaintext, in hexadecimal or as length and SHA-256;"
                " corrupt-segment with the number of the first segment that does not open.",
                "parts: as tests, for the `length` bytes of plaintext from `start`. A reader opens the last"
                " segment first: if it is corrupt, it is the one that is named.",
                "keyFiles: the key that a key file gives.",
                "Bytes are hexadecimal; where there is a `times`, that many repetitions of it.",
            ],
            "keys": key_table(),
            "tests": self.tests,
            "parts": self.parts,
            "keyFiles": self.key_files,
        }, indent=2) + "\n"


def attempt(outcome, keys, context, **more):
    context = {"hex": context[0].hex(), "times": context[1]} if isinstance(context, tuple) else (
        context and {"hex": context.hex(), "times": 1})
    keys = keys if isinstance(keys, list) else [keys]
    return {"keys": keys, "context": context, "outcome": outcome} | more


def no(outcome, keys="key-file-1", context=None, **more):
    return attempt(outcome, keys, context, **more)


def corrupt(segment, keys="key-file-1", context=None):
    return attempt("corrupt-segment", keys, context, segment=segment)


def plaintext(data):
    if len(data) <= 64:
        return {"plaintext": data.hex()}
    return {"plaintextLength": len(data), "plaintextSha256": hashlib.sha256(data).hexdigest()}


def ok(keys="key-file-1", context=None, data=None):
    """The draft's plaintext, or `data`."""
    def of(draft):
        return attempt("ok", keys, context, **plaintext(draft.plaintext if data is None else data))
    return of if data is None else of(None)


BAD = no("bad-header")


def setting(**fields):
    """A change of a draft: these fields of it."""
    def change(draft):
        for field, value in fields.items():
            setattr(draft, field, value)
    return change


# ── Section 1: header ───────────────────────────────────────────────────────────────────────────

def section_1(kit):
    def bad(name, rule, outcome="bad-header", **fields):
        kit.draft(name, "1", rule, setting(**fields), no(outcome))

    def good(name, rule, **fields):
        kit.draft(name, "1", rule, setting(**fields), ok())

    good("minimal", "A header of 4096 bytes with one key-file stanza, and one segment.")

    bad("magic-upper-case", "The magic is 'polyseal' in lower case.", "not-a-polyseal-file",
        magic=b"Polyseal")
    bad("magic-last-byte", "All eight bytes of the magic count.", "not-a-polyseal-file",
        magic=b"polyseam")
    for version in (0, 2, 256, 65535):
        bad(f"version-{version}", "The version is 1, as a little-endian number of 16 bits.",
            "unsupported-version", version=version)

    for length in (8, 9, 11, 100, 159, 160, 4064, 4095):
        kit.draft(f"header-cut-at-{length}", "10", "A file that ends within the header.",
                  lambda draft, length=length: draft.file()[:length], no("truncated-header"))
    kit.draft("header-cut-at-4096-of-8192", "10", "A file that ends before its payload offset.",
              lambda draft: setting(P=8192)(draft) or draft.file()[:4096], no("truncated-header"))

    good("payload-offset-8192", "A payload offset of 8192.", P=8192)
    good("payload-offset-65536", "The largest payload offset.", P=65536)
    for P, length, why in ((0, 4096, "zero"), (1, 4096, "below 4096"), (2048, 4096, "below 4096"),
                           (4095, 4095, "not a multiple of 4096"),
                           (4097, 4097, "not a multiple of 4096"),
                           (6144, 6144, "not a multiple of 4096"),
                           (65537, 65537, "not a multiple of 4096"),
                           (69632, 69632, "above 65536"),
                           (2**32 + 4096, 4096, "above 65536, in the high 32 bits"),
                           (2**63 + 4096, 4096, "above 65536, in the highest bit")):
        bad(f"payload-offset-{P}", f"A payload offset that does not exist: {why}.", P=P,
            header_length=length)

    for size in (8192, 65536, 2**24):
        good(f"segment-size-{size}", "A segment size that exists, with a short payload.",
             segment_size=size)
    for size, why in ((0, "zero"), (1, "below 4096"), (2048, "below 4096"), (4095, "not-a-power-of-two"),
                      (4097, "not-a-power-of-two"), (6144, "not-a-power-of-two"),
                      (2**24 + 4096, "not-a-power-of-two"), (2**25, "too-large"), (2**31, "too-large")):
        bad(f"segment-size-{size}" + ("-" + why if "-" in why else ""),
            f"A segment size that does not exist: {why.replace('-', ' ')}.", segment_size=size)

    def many(count):
        """The last but one is ours."""
        return lambda d: [d.key_file(KEY_1 if k == count - 2 else shake(32, d.name, "key", k), k)
                          for k in range(count)]

    bad("stanzas-0", "There is at least one stanza.", stanzas=lambda d: [])
    good("stanzas-2", "Two stanzas, of which the first is ours.",
         stanzas=lambda d: [d.key_file(), d.key_file(KEY_2, 1)])
    good("stanzas-2-second-is-ours", "A stanza with another id is for another key: the next is tried.",
         stanzas=lambda d: [d.key_file(KEY_2), d.key_file(KEY_1, 1)])
    good("stanzas-35", "As many key-file stanzas as fit into 4096 bytes with spare room.",
         stanzas=many(35))
    good("stanzas-128", "The largest number of stanzas; one near the end is ours.", P=16384,
         stanzas=many(128))
    bad("stanzas-129", "No more than 128 stanzas.", P=16384, stanzas=many(129))
    bad("stanzas-one-more-announced", "Each stanza that is announced is there: zeros are none.", count=2)
    bad("stanzas-one-fewer-announced", "What follows the last stanza is zero: another stanza is not.",
        count=1, stanzas=lambda d: [d.key_file(), d.key_file(KEY_2, 1)])
    bad("stanzas-256", "The number of stanzas is little-endian: 1 written as 00 01 is 256.", count=256)

    bad("reserved-first-byte", "The reserved field is zero.", reserved=b"\1" + bytes(7))
    bad("reserved-last-byte", "The reserved field is zero.", reserved=bytes(7) + b"\x80")
    bad("spare-room-first-byte", "The spare room is zero.", spare=lambda room: b"\1" + bytes(room - 1))
    bad("spare-room-middle-byte", "The spare room is zero.",
        spare=lambda room: bytes(room // 2) + b"\1" + bytes(room - room // 2 - 1))
    bad("spare-room-last-byte", "The spare room is zero, up to P - 32.",
        spare=lambda room: bytes(room - 1) + b"\1")

    def full(length_of_labels):
        """34 key-file stanzas and one for age, which fill a header of 4096 with 24 bytes of labels."""
        return lambda d: [d.age(labels=b"x" * length_of_labels),
                          *(d.key_file(KEY_1 if k == 34 else KEY_2, k) for k in range(1, 35))]

    good("spare-room-none", "Stanzas may go up to P - 32.", stanzas=full(24))
    bad("stanza-reaches-into-the-mac", "A stanza does not fit if it ends after P - 32.",
        stanzas=full(25))


# ── Section 2: suites ───────────────────────────────────────────────────────────────────────────

def in_file_names(suite):
    return suite.replace(":tag=32", "-tag-32").replace(":kc=1", "-kc")


def section_2(kit):
    for suite in f.SUITES:
        name = in_file_names(suite)
        kit.draft(f"suite-{name}", "2", f"The suite {suite}: a full segment and a short one.",
                  lambda draft, suite=suite: setting(suite=suite)(draft.long(4096 + 5)), ok())
        kit.draft(f"suite-{name}-empty", "2", f"The suite {suite}: an empty file.",
                  setting(suite=suite, plaintext=b""), ok())
    for name, text, rule in (
            ("empty", "", "The suite is not empty."),
            ("unknown", "aegis-512", "A suite that is not in the table."),
            ("upper-case", "AEGIS-256X2", "A suite has one spelling: lower case."),
            ("prefix", "aegis-256x", "A suite has one spelling: not a prefix of it."),
            ("default-tag-written-out", "aegis-256x2:tag=16", "A default is never written out."),
            ("no-option-after-colon", "aegis-256x2:",
             "A suite has one spelling: no colon without an option."),
            ("option-twice", "aegis-256x2:tag=32,tag=32", "A suite has one spelling: an option once."),
            ("option-leading-zero", "aegis-256x2:tag=032",
             "A suite has one spelling: numbers without leading zeros."),
            ("option-unknown", "aegis-256x2:degree=2", "An option that the suite does not have."),
            ("tag-8", "aegis-256x2:tag=8", "No tag below 16 bytes."),
            ("trailing-space", "aegis-256x2 ", "The suite is followed by zeros, not by a space."),
            ("leading-space", " aegis-256x2", "The suite begins at the beginning of the field."),
            ("mac", "aegis-256x2-mac", "No MAC is a suite."),
            ("version-1-0", "aegis-256x-v1", "No algorithm of the version 1.0 paper is a suite."),
            ("aes-192-gcm", "aes-192-gcm", "A suite that is not in the table."),
            ("aes-256-gcm-tag-12", "aes-256-gcm:tag=12", "No tag below 16 bytes."),
            ("aes-256-gcm-nonce-16", "aes-256-gcm:nonce=16", "No other nonce length."),
            ("kc-xaes-256-gcm-nonce-20", "kc-xaes-256-gcm:nonce=20", "No other nonce length."),
            ("dndk-gcm-version-1", "dndk-gcm:version=1", "No other parameter."),
            ("dndk-gcm-version-1-kc", "dndk-gcm:version=1,kc=1", "No other parameter."),
            ("dndk-gcm-default-written-out", "dndk-gcm:kc=0", "A default is never written out."),
            ("dndk-gcm-true", "dndk-gcm:kc=true", "A suite has one spelling: numbers in digits."),
            ("kc-xaes-256-gcm-tag-16", "kc-xaes-256-gcm:tag=16", "A commitment is never left out."),
            ("ctx-aegis-256x2-tag-16", "ctx-aegis-256x2:tag=16", "No other tag length."),
            ("flex-any-configuration", "flex", "Only configurations of Flex that have a name of their own."),
            ("flex-configuration", "flex:cfg=0100012018000000", "A suite has one spelling: its name."),
            ("flex-och-stream", "flex-och-stream", "Nothing that has segments of its own is a suite."),
            ("flex-civ-stream", "flex-civ-stream", "Nothing that has segments of its own is a suite."),
            ("flex-civ-public-nonce-0", "flex-civ-public:nonce=0", "No other nonce length."),
            ("flex-och-key-16", "flex-och:key=16", "No other key length."),
            ("omd-sha512-tag-32", "omd-sha512:tag=32", "No other tag length."),
            ("omd-sha256-key-16", "omd-sha256:key=16", "No other key length."),
            ("omd-sha256-version-1", "omd-sha256:version=1", "No algorithm of a legacy rule is a suite."),
            ("omd-blake2b-reference", "omd-blake2b:rule=reference", "No algorithm of a legacy rule is a suite."),
            ("64-bytes", "aegis-256x2:tag=16" + ",tag=16" * 6 + "    ",
             "A field that is full is no suite.")):
        kit.draft(f"suite-bad-{name}", "2", rule, setting(suite_field=f.suite_field(text)), BAD)
    field = f.suite_field(f.DEFAULT_SUITE)
    kit.draft("suite-bad-not-followed-by-zeros", "2",
              "The suite is followed by zeros up to the end of the field.",
              setting(suite_field=field[:-1] + b"x"), BAD)
    kit.draft("suite-bad-option-behind-zero", "2",
              "The suite is followed by zeros up to the end of the field.",
              setting(suite_field=b"aegis-256x2\0:tag=32".ljust(64, b"\0")), BAD)


def section_2_tags(kit):
    """What section 6 has for tags of RFC 10032, for the others: a short file each."""
    def other_nonce(d, suite):
        """The tag is right, for the nonce that is hidden."""
        d.suite = suite
        payload = d.payload()
        C, T = payload.aead.Encrypt(d.plaintext, b"", payload.key, payload.nonce(1, True), 512)
        return d.header() + C + T

    for suite, (_, _, t) in f.SUITES.items():
        if suite.startswith("aegis"):
            continue

        def case(what, rule, edit, attempt, suite=suite):
            kit.draft(f"suite-{in_file_names(suite)}-{what}", "2", f"The suite {suite}: {rule}",
                      lambda draft: edit(setting(suite=suite)(draft) or draft.file()), attempt)

        case("damaged-first-byte-of-tag", "the tag is checked.",
             lambda data, t=t: flip(data, -t), corrupt(0))
        case("damaged-last-byte-of-tag", f"all {t} bytes of the tag are checked.",
             lambda data: flip(data, -1), corrupt(0))
        case("cut", "a last segment that was cut does not open.", lambda data: data[:-1], corrupt(0))
        case("cut-in-the-tag", "a segment has a whole tag.",
             lambda data, t=t: data[:4096 + t - 1], no("truncated-payload"))
        if t == 48:
            case("damaged-commitment", "what follows T in the tag is checked.",
                 lambda data: flip(data, 16 - 48), corrupt(0))
        if suite in ("flex-och", "flex-civ"):
            case("damaged-nonce", "the encrypted nonce is checked.", lambda data: flip(data, 31 - 64), corrupt(0))
            kit.draft(f"suite-{suite}-other-nonce", "2",
                      f"The suite {suite}: the nonce that comes out is the segment's.",
                      lambda d, suite=suite: other_nonce(d, suite), corrupt(0))

    def padding_not_zero(d):
        """GCM's own tag is right."""
        d.suite = "padding-fix-aes-256-gcm"
        payload = d.payload()
        C, T = payload.aead.aead.Encrypt(bytes(31) + b"\1" + d.plaintext, b"", payload.key,
                                         payload.nonce(0, True))
        return d.header() + C[32:] + T + C[:32]

    kit.draft("suite-padding-fix-aes-256-gcm-not-zero", "2",
              "The suite padding-fix-aes-256-gcm: the zeros are checked.", padding_not_zero, corrupt(0))


# ── Section 4: stanzas ──────────────────────────────────────────────────────────────────────────

def section_4(kit):
    def bad(name, rule, *attempts, **fields):
        kit.draft(name, "4", rule, setting(**fields), *(attempts or [BAD]))

    for type_ in (0, 4, 256, 0x7FFF):
        bad(f"stanza-type-{type_}", "A stanza of a type that does not exist.",
            stanzas=lambda d, type_=type_: [d.stanza(type_, KEY_1)])
    for type_ in (4, 0x7FFF):
        bad(f"stanza-type-{type_}-beside-ours",
            "A stanza of another type below 0x8000 is refused, also beside one that opens.",
            stanzas=lambda d, type_=type_: [d.key_file(), d.stanza(type_, KEY_1, 1)])

    # Lengths. The stanza's tag is right for the bytes that it has.
    bad("stanza-key-file-with-a-byte-more", "A key-file stanza has n = 0.",
        stanzas=lambda d: [d.stanza(f.KEY_FILE, KEY_1, how=b"\0")])
    bad("stanza-key-file-with-12-bytes-more", "A key-file stanza has n = 0.",
        stanzas=lambda d: [d.stanza(f.KEY_FILE, KEY_1, how=bytes(12))])

    def short(d, by):
        """A key-file stanza whose wrapped key is cut."""
        start = LE(f.KEY_FILE, 2) + LE(104 - by, 2) + d.key_file()[4:76 - by]
        return [start + f.HMAC(f.stanza_keys(KEY_1, d.salt(0), f.KEY_FILE)[2], d.F() + start)]

    bad("stanza-of-103-bytes", "A stanza has at least 104 bytes behind its length.",
        stanzas=lambda d: short(d, 1))
    bad("stanza-of-72-bytes", "A stanza has at least 104 bytes behind its length.",
        stanzas=lambda d: short(d, 32))
    bad("stanza-of-no-bytes", "A stanza has at least 104 bytes behind its length.",
        stanzas=lambda d: [LE(f.KEY_FILE, 2) + LE(0, 2)])
    bad("stanza-longer-than-the-header", "A stanza does not fit if it ends after P - 32.",
        stanzas=lambda d: [d.key_file()[:2] + LE(65535, 2) + d.key_file()[4:]])
    bad("stanza-cut-after-its-type", "A stanza does not fit if its length does not.", count=36,
        stanzas=lambda d: [*(d.key_file(KEY_1, k) for k in range(34)), d.age(labels=b"x" * 21),
                           LE(f.KEY_FILE, 2)])

    # Keys and damage.
    kit.draft("key-file-wrong", "4", "A stanza for another key.", setting(),
              no("no-matching-key", "key-file-2"), no("no-matching-key", []),
              no("no-matching-key", ["passphrase", "age-1"]), ok(["key-file-2", "key-file-1"]))
    kit.draft("two-stanzas-for-one-key", "4", "Two stanzas may be for the same key.",
              setting(stanzas=lambda d: [d.key_file(KEY_1, 0), d.key_file(KEY_1, 1)]), ok())
    for name, at, outcome in (("salt-first-byte", 4, "no-matching-key"),
                              ("salt-last-byte", 35, "no-matching-key"),
                              ("id-first-byte", 36, "no-matching-key"),
                              ("id-last-byte", 43, "no-matching-key"),
                              ("wrapped-key-first-byte", 44, "header-not-authentic"),
                              ("wrapped-key-last-byte", 75, "header-not-authentic"),
                              ("tag-first-byte", 76, "header-not-authentic"),
                              ("tag-last-byte", 107, "header-not-authentic")):
        rule = ("A damaged salt or id makes the stanza one for another key." if at < 44 else
                "Under the right id, a stanza with a wrong tag is not authentic.")
        bad(f"stanza-damaged-{name}", rule, no(outcome),
            stanzas=lambda d, at=at: [flip(d.key_file(), at)])
    bad("stanza-damaged-before-a-good-one",
        "If the id is right and the tag is wrong, the next stanza is tried.", ok(),
        stanzas=lambda d: [flip(d.key_file(KEY_1, 0), 107), d.key_file(KEY_1, 1)])
    bad("stanza-damaged-before-one-for-another-key",
        "If the id is right and the tag is wrong, the next key and the next stanza are tried.",
        no("header-not-authentic"), ok("key-file-2"), ok(["key-file-1", "key-file-2"]),
        ok(["key-file-2", "key-file-1"]), no("no-matching-key", "key-file-3"),
        stanzas=lambda d: [flip(d.key_file(KEY_1, 0), 107), d.key_file(KEY_2, 1)])
    bad("stanza-damaged-behind-one-for-another-key",
        "The header is not authentic if any id was right, and no stanza opens the file.",
        no("header-not-authentic"), no("header-not-authentic", ["key-file-3", "key-file-1"]),
        ok(["key-file-1", "key-file-2"]), no("no-matching-key", "key-file-3"),
        stanzas=lambda d: [d.key_file(KEY_2, 0), flip(d.key_file(KEY_1, 1), 107)])
    bad("stanza-damaged-before-one-with-a-damaged-id",
        "The header is not authentic if any id was right, and no stanza opens the file.",
        no("header-not-authentic"),
        stanzas=lambda d: [flip(d.key_file(KEY_1, 0), 107), flip(d.key_file(KEY_1, 1), 36)])
    bad("stanza-damaged-both", "The header is not authentic if no stanza opens the file.",
        no("header-not-authentic"),
        stanzas=lambda d: [flip(d.key_file(KEY_1, k), 107) for k in (0, 1)])
    bad("stanza-damaged-before-age",
        "If the id is right and the tag is wrong, the next key and the next stanza are tried.",
        no("header-not-authentic"), ok("age-1"), ok(["key-file-1", "age-1"]),
        stanzas=lambda d: [flip(d.key_file(), 107), d.age(which=1)])
    bad("stanza-damaged-age-before-key-file",
        "If the id is right and the tag is wrong, the next key and the next stanza are tried.",
        no("header-not-authentic", "age-1"), ok(), ok(["age-1", "key-file-1"]),
        stanzas=lambda d: [flip(d.age(), -1), d.key_file(which=1)])
    bad("stanza-damaged-behind-ours",
        "Behind the stanza that opens, no other is opened: the header MAC is right.",
        ok(), stanzas=lambda d: [d.key_file(KEY_1, 0), flip(d.key_file(KEY_1, 1), 107)])
    bad("stanza-damaged-id-before-a-good-one", "A stanza with another id is passed over.",
        ok(), stanzas=lambda d: [flip(d.key_file(KEY_1, 0), 36), d.key_file(KEY_1, 1)])
    bad("stanza-label-of-another-type",
        "The type is in the label: keys derived for another type do not open.",
        no("no-matching-key"), stanzas=lambda d: [
            LE(f.KEY_FILE, 2) + d.stanza(f.PASSPHRASE, KEY_1)[2:]])


def section_4_passed_over(kit):
    """Types from 0x8000."""
    def draft(name, rule, stanzas, *attempts, P=4096):
        kit.draft(f"stanza-passed-over-{name}", "4", rule, setting(stanzas=stanzas, P=P),
                  *(attempts or [ok()]))

    rule = "A stanza of an unknown type from 0x8000 is passed over, wherever it stands."
    draft("before-ours", rule, lambda d: [d.passed_over(), d.key_file(which=1)])
    draft("behind-ours", rule, lambda d: [d.key_file(), d.passed_over(which=1)])
    draft("between-ours", rule,
          lambda d: [d.key_file(), d.passed_over(which=1), d.key_file(KEY_2, 2)], ok(), ok("key-file-2"),
          no("no-matching-key", "key-file-3"))
    draft("beside-age", rule,
          lambda d: [d.age([d.x25519()], b"postquantum"), d.passed_over(which=1),
                     d.age([d.x25519(AGE_2, 2)], b"postquantum", which=2)], ok("age-1"), ok("age-2"))
    draft("alone", "A file whose only stanza is of an unknown type is for other keys.",
          lambda d: [d.passed_over()], no("no-matching-key"), no("no-matching-key", []))
    for type_ in (0x8000, 0x8001, 0xFFFF):
        draft(f"type-{type_:04x}", "Types from 0x8000 to 0xffff may be passed over.",
              lambda d, type_=type_: [d.passed_over(type_), d.key_file(which=1)])
    draft("type-0x80", "The type is little-endian: 80 00 is 0x0080, and refused.",
          lambda d: [d.passed_over(0x80), d.key_file(which=1)], BAD)
    for n, why in ((0, "none"), (1, "one byte"), (103, "one less than other stanzas have"),
                   (104, "as short as other stanzas")):
        draft(f"length-{n}", f"A stanza that is passed over has any length: {why}.",
              lambda d, n=n: [d.passed_over(n=n), d.key_file(which=1)])
    draft("length-0-behind-ours", "A stanza that is passed over has any length: none.",
          lambda d: [d.key_file(), d.passed_over(n=0)])
    draft("length-65000", "A stanza that is passed over has any length: the largest header's.",
          lambda d: [d.passed_over(n=65000), d.key_file(which=1)], P=65536)
    # 160 before the stanzas, 108 for ours, 4 for type and length, 32 for the MAC.
    draft("up-to-the-mac", "A stanza that is passed over may go up to P - 32.",
          lambda d: [d.key_file(), d.passed_over(n=4096 - 160 - 108 - 4 - 32)])
    draft("bad-reaches-into-the-mac",
          "A stanza that is passed over does not fit if it ends after P - 32.",
          lambda d: [d.key_file(), d.passed_over(n=4096 - 160 - 108 - 4 - 32 + 1)], BAD)
    draft("bad-longer-than-the-header", "A stanza that is passed over has the length that it announces.",
          lambda d: [d.key_file(), LE(0x8000, 2) + LE(65535, 2)], BAD)
    draft("of-the-form-of-others", "What is in a stanza that is passed over makes no difference.",
          lambda d: [d.stanza(0x8000, KEY_1, file_key=shake(32, "another file key")),
                     d.key_file(which=1)], ok(), no("no-matching-key", "key-file-2"))
    draft("twice", "A stanza that is passed over may be there more than once.",
          lambda d: [d.passed_over(), d.key_file(which=1), d.passed_over()])

    # Recipients.
    def around(d, count):
        """Ours among `count` others."""
        others = [d.passed_over(0x8000 + k, 4, k) for k in range(count)]
        return [*others[:count // 2], d.key_file(), *others[count // 2:]]

    def crowd(d, count):
        return d.age([d.x25519(AGE_1 if k == 0 else AGE_2, "crowd", k) for k in range(count)],
                     which="crowd")

    draft("127-and-ours", "128 recipients: 127 that are passed over, and a key file.",
          lambda d: around(d, 127))
    draft("bad-128-and-ours",
          "A header has at most 128 recipients, those that are passed over among them.",
          lambda d: around(d, 128), BAD)
    draft("one-and-127-recipients", "A stanza that is passed over counts as one recipient.",
          lambda d: [crowd(d, 127), d.passed_over()], ok("age-1"), P=16384)
    draft("bad-one-and-128-recipients", "A stanza that is passed over counts as one recipient.",
          lambda d: [crowd(d, 128), d.passed_over()], no("bad-header", "age-1"), P=16384)

    # Passphrases.
    keys = ["passphrase", "key-file-1"]
    draft("bad-before-passphrase", "A passphrase stanza stands alone, also beside what is passed over.",
          lambda d: [d.passed_over(), d.passphrase(which=1)], no("bad-header", keys))
    draft("bad-behind-passphrase", "A passphrase stanza stands alone, also beside what is passed over.",
          lambda d: [d.passphrase(), d.passed_over(n=0, which=1)], no("bad-header", keys))

    # The header MAC is the one of before the damage.
    def damaged(name, what, at):
        def change(d):
            d.stanzas = lambda d: [d.passed_over(), d.key_file(which=1)]
            return flip(d.file(), f.STANZAS + at)

        kit.draft(f"stanza-passed-over-damaged-{name}", "4",
                  f"The header MAC covers a stanza that is passed over: {what}.", change,
                  no("header-not-authentic"), no("no-matching-key", "key-file-2"))

    damaged("type", "its type", 0)
    damaged("first-byte", "its first byte", 4)
    damaged("last-byte", "its last byte", 4 + 39)


def section_4_bound(kit):
    """A stanza is bound to its file. The rest of each file, its header MAC among it, is good."""
    rule = "A stanza is bound to the {}: it does not open another file, even one with the same file key."

    def lifted(before=None, **after):
        """The stanzas of before, byte for byte, in a file with other fields."""
        def change(d):
            setting(**(before or {}))(d)
            stanzas = d.stanzas(d)
            setting(**after, stanzas=lambda d: stanzas)(d)
        return change

    wrong = no("header-not-authentic"), no("no-matching-key", "key-file-2")
    other_salt = dict(file_salt=shake(32, "salt of the file that the stanza was lifted from"))
    for name, fields in (("file-salt", other_salt), ("suite", dict(suite="aegis-256")),
                         ("suite-tag", dict(suite="aegis-256x2:tag=32")),
                         ("segment-size", dict(segment_size=8192)), ("payload-offset", dict(P=8192))):
        kit.draft(f"stanza-lifted-{name}", "4", rule.format(name.split("-tag")[0].replace("-", " ")),
                  lifted(**fields), *wrong)
    kit.draft("stanza-lifted-context-put-in", "4", rule.format("context tag"), lifted(context=b"a/path"),
              *wrong, no("header-not-authentic", context=b"a/path"))
    kit.draft("stanza-lifted-context-another", "4", rule.format("context tag"),
              lifted(dict(context=b"a/path"), context=b"b/path"), *wrong,
              no("header-not-authentic", context=b"a/path"), no("header-not-authentic", context=b"b/path"))
    kit.draft("stanza-lifted-context-taken-away", "4", rule.format("context tag"),
              lifted(dict(context=b"a/path"), context=None), *wrong,
              no("header-not-authentic", context=b"a/path"))
    kit.draft("stanza-lifted-age", "4", rule.format("file salt"),
              lifted(dict(stanzas=lambda d: [d.age()]), **other_salt),
              no("header-not-authentic", "age-1"), no("no-matching-key", "age-2"))
    kit.draft("stanza-lifted-passphrase", "4", rule.format("file salt"),
              lifted(dict(stanzas=lambda d: [d.passphrase()]), **other_salt),
              no("header-not-authentic", "passphrase"), no("no-matching-key", "passphrase-other"))

    def beside_a_good_one(order):
        def change(d):
            lifted = d.key_file()
            setting(**other_salt)(d)
            d.stanzas = lambda d: [lifted, d.key_file(KEY_2, 1)][::order]
        return change

    for name, order in (("before", 1), ("behind", -1)):
        kit.draft(f"stanza-lifted-{name}-a-good-one", "4", rule.format("file salt"),
                  beside_a_good_one(order), *wrong[:1], ok("key-file-2"),
                  ok(["key-file-1", "key-file-2"]), ok(["key-file-2", "key-file-1"]))

    def kept(d):
        """Byte for byte, while others come before and behind it."""
        own = d.key_file()
        d.stanzas = lambda d: [d.key_file(KEY_2, 1), own, d.key_file(KEY_3, 2)]

    kit.draft("stanza-kept-among-others", "4",
              "A stanza is not bound to its place, nor to the number of stanzas.", kept, ok(), ok("key-file-2"), ok("key-file-3"))

    def tag_of(*pieces):
        """The stanza with a tag over something else: `pieces` of F and the stanza before its tag."""
        def stanzas(d):
            stanza = d.key_file()
            mac_key = f.stanza_keys(KEY_1, d.salt(0), f.KEY_FILE)[2]
            covered = b"".join(piece(d, stanza[:-32]) for piece in pieces)
            return [stanza[:-32] + f.HMAC(mac_key, covered)]
        return setting(stanzas=stanzas)

    def F(d, stanza):
        return d.F()

    def itself(d, stanza):
        return stanza

    def with_number(d, stanza):
        return d.fields(1)

    for name, rule, pieces in (
            ("without-f", "The tag covers F, not the stanza alone.", [itself]),
            ("f-alone", "The tag covers the stanza, not F alone.", [F]),
            ("f-behind", "F stands before the stanza.", [itself, F]),
            ("f-with-number", "F is without the number of stanzas.", [with_number, itself])):
        kit.draft(f"stanza-tag-{name}", "4", rule, tag_of(*pieces), no("header-not-authentic"))


def section_4_passphrase(kit):
    def draft(name, rule, *attempts, **fields):
        kit.draft(f"passphrase-{name}", "4", rule, setting(**fields), *attempts)

    def one(**how):
        return lambda d: [d.passphrase(**how)]

    draft("minimal", "Argon2id with the smallest parameters.", ok("passphrase"),
          no("no-matching-key", "passphrase-other"), no("no-matching-key", "passphrase-with-line-feed"),
          no("no-matching-key", ["key-file-1", "age-1"]), stanzas=one())
    draft("rfc-9106", "The parameters that a writer takes: 64 MiB, 3 passes, 4 lanes.", ok("passphrase"),
          stanzas=one(m=65536, t=3, p=4))
    draft("passes-10", "The largest number of passes.", ok("passphrase"), stanzas=one(t=10))
    draft("lanes-16", "The largest number of lanes, with the least memory for them.", ok("passphrase"),
          stanzas=one(m=128, p=16))
    draft("memory-no-multiple-of-4-lanes",
          "The memory is not rounded, but for what Argon2id does with it.",
          ok("passphrase"), stanzas=one(m=35, t=2, p=3))
    for name, rule in (("1-byte", "The shortest passphrase."), ("4096-bytes", "The longest passphrase."),
                       ("not-utf-8", "A passphrase is bytes, as they were given."),
                       ("utf-8", "A passphrase that was typed is UTF-8."),
                       ("with-line-feed", "A line feed that was given as part of a passphrase counts.")):
        draft(f"of-{name}" if name[0] in "14" else name, rule, ok(f"passphrase-{name}"),
              stanzas=one(name=f"passphrase-{name}"))
    # The upper bounds together, without computing: no passphrase is tried.
    draft("upper-bounds", "Parameters at all of their upper bounds exist.",
          no("no-matching-key", "key-file-1"),
          stanzas=lambda d: [d.passphrase(m=262144, t=10, p=16, wrapping_key=d.wrapping_key())])

    # Where Argon2id can compute them, the stanza is a good one; else its wrapping key is any.
    for name, how in (("memory-0", dict(m=0)), ("memory-7", dict(m=7)),
                      ("memory-31-of-4-lanes", dict(m=31, p=4)),
                      ("memory-127-of-16-lanes", dict(m=127, p=16)), ("memory-262145", dict(m=262145)),
                      ("memory-4294967295", dict(m=2**32 - 1)), ("passes-0", dict(t=0)),
                      ("passes-11", dict(t=11)),
                      ("passes-4294967295", dict(t=2**32 - 1)), ("lanes-0", dict(p=0)),
                      ("lanes-17", dict(m=136, p=17)),
                      ("lanes-536870913", dict(m=8, p=2**29 + 1))):
        m, t, p = how.get("m", 8), how.get("t", 1), how.get("p", 1)
        possible = t in range(1, 12) and p in range(1, 18) and 8 * p <= m <= 2**20
        draft(f"bad-{name}", "Argon2id parameters out of bounds, refused before anything is computed.",
              no("bad-header", "passphrase"), stanzas=lambda d, how=how, possible=possible: [
                  d.passphrase(**how, wrapping_key=None if possible else d.wrapping_key())])

    keys = ["passphrase", "key-file-1", "age-1"]
    draft("bad-before-key-file", "A passphrase stanza stands alone.", no("bad-header", keys),
          stanzas=lambda d: [d.passphrase(), d.key_file(which=1)])
    draft("bad-behind-key-file", "A passphrase stanza stands alone.", no("bad-header", keys),
          stanzas=lambda d: [d.key_file(), d.passphrase(which=1)])
    draft("bad-beside-age", "A passphrase stanza stands alone.", no("bad-header", keys),
          stanzas=lambda d: [d.age(), d.passphrase(which=1)])
    draft("bad-two", "A passphrase stanza stands alone: there are not two.", no("bad-header", keys),
          stanzas=lambda d: [d.passphrase(), d.passphrase("passphrase-other", which=1)])
    for n in (0, 11, 13):
        draft(f"bad-length-{n}", "A passphrase stanza has n = 12.", no("bad-header", keys),
              stanzas=lambda d, n=n: [d.stanza(f.PASSPHRASE, d.wrapping_key(), how=(
                  LE(8, 4) + LE(1, 4) + LE(1, 4) + b"\0")[:n])])

    for name, at, outcome, rule in (
            ("salt", 4, "no-matching-key", "Another salt gives another wrapping key, and another id."),
            ("parameters", 80, "no-matching-key",
             "Other parameters give another wrapping key, and another id."),
            ("wrapped-key", 44, "header-not-authentic",
             "Under the right id, a wrong tag is not authentic."),
            ("tag", -1, "header-not-authentic", "Under the right id, a wrong tag is not authentic.")):
        draft(f"damaged-{name}", rule, no(outcome, "passphrase"),
              stanzas=lambda d, at=at: [flip(d.passphrase(t=2), at)])


def section_4_age(kit):
    def draft(name, rule, *attempts, **fields):
        kit.draft(f"age-{name}", "4", rule, setting(**fields), *attempts)

    def bad(name, rule, how=None, stanzas=None):
        """`how` is l ‖ labels ‖ recipient stanzas, made from a draft."""
        draft(f"bad-{name}", rule, no("bad-header", "age-1"),
              stanzas=stanzas or (lambda d: [d.age(how=how(d))]))

    unlabelled = bytes(2)
    unknown = f.age_recipient_stanza([b"example.com/unknown", b"an-argument"],
                                     b"what it wraps, its own way")

    draft("x25519", "One X25519 recipient.", ok("age-1"), no("no-matching-key", "age-2"),
          no("no-matching-key", ["key-file-1", "passphrase"]), ok(["age-2", "age-1"]),
          stanzas=lambda d: [d.age()])
    draft("x25519-made-by-age", "A recipient stanza made by age 1.3.1.", ok("age-1"),
          stanzas=lambda d: [d.age([from_age("x25519")], wrapping_key=FROM_AGE_KEY)])
    draft("hybrid", "A hybrid post-quantum recipient, made by age 1.3.1, with its label.",
          ok("age-hybrid"), no("no-matching-key", "age-1"),
          stanzas=lambda d: [d.age([from_age("hybrid")], b"postquantum", wrapping_key=FROM_AGE_KEY)])
    draft("two-recipients", "Two recipients in one stanza: each of them opens it.", ok("age-1"),
          ok("age-2"), no("no-matching-key", "age-3"),
          stanzas=lambda d: [d.age([d.x25519(AGE_1), d.x25519(AGE_2, number=1)])])
    draft("two-stanzas", "Two age stanzas, each with its own wrapping key.", ok("age-1"), ok("age-2"),
          stanzas=lambda d: [d.age([d.x25519(AGE_1)]), d.age([d.x25519(AGE_2, 1)], which=1)])
    draft("beside-key-file", "An age stanza beside a key-file stanza.", ok("age-1"), ok("key-file-1"),
          no("no-matching-key", ["age-2", "key-file-2"]),
          stanzas=lambda d: [d.age(), d.key_file(which=1)])
    draft("behind-key-file", "An age stanza behind a key-file stanza.", ok("age-1"), ok("key-file-1"),
          stanzas=lambda d: [d.key_file(), d.age(which=1)])

    # 128 recipients.
    def crowd(d, count, which=0, ours=None):
        return d.age([d.x25519(AGE_1 if k == ours else AGE_2, which, k) for k in range(count)],
                     which=which)

    draft("recipients-128", "128 recipients in one stanza; the last is ours.", ok("age-1"), P=16384,
          stanzas=lambda d: [crowd(d, 128, ours=127)])
    draft("recipients-127-and-a-key-file", "128 recipients: 127 of an age stanza, and a key file.",
          ok("key-file-1"), P=16384, stanzas=lambda d: [crowd(d, 127), d.key_file(which=1)])
    draft("recipients-64-and-64", "128 recipients, in two age stanzas.", ok("age-1"), P=16384,
          stanzas=lambda d: [crowd(d, 64), crowd(d, 64, 1, ours=63)])
    for name, makes in (("recipients-129", lambda d: [crowd(d, 129, ours=0)]),
                        ("recipients-128-and-a-key-file",
                         lambda d: [crowd(d, 128, ours=0), d.key_file(which=1)]),
                        ("recipients-64-and-65", lambda d: [crowd(d, 64, ours=0), crowd(d, 65, 1)])):
        draft(f"bad-{name}", "A header has at most 128 recipients.",
              no("bad-header", ["age-1", "key-file-1"]), P=20480, stanzas=makes)

    # Labels.
    for name, text in (("one", b"postquantum"), ("two", b"a b"), ("sorted-by-bytes", b"B a"),
                       ("prefix-first", b"a aa"), ("edges-of-visible", b"! ~")):
        draft(f"labels-{name}",
              "Labels are visible ASCII, sorted by their bytes, separated by one space.", ok("age-1"),
              stanzas=lambda d, text=text: [d.age(labels=text)])
    draft("labels-same-in-two-stanzas", "All age stanzas have the same labels.", ok("age-1"),
          ok("age-2"),
          stanzas=lambda d: [d.age(labels=b"a b"), d.age([d.x25519(AGE_2, 1)], b"a b", which=1)])
    for name, text, rule in (
            ("unsorted", b"b a", "sorted"), ("unsorted-prefix", b"aa a", "sorted"),
            ("unsorted-by-case-only", b"a B", "sorted by their bytes"),
            ("doubled", b"a a", "there once"),
            ("two-spaces", b"a  b", "separated by one space"),
            ("leading-space", b" a", "separated by one space"),
            ("trailing-space", b"a ", "separated by one space"), ("only-a-space", b" ", "not empty"),
            ("non-ascii", "ä".encode(), "visible ASCII"), ("tab", b"a\tb", "visible ASCII"),
            ("line-feed", b"a\nb", "visible ASCII"), ("nul", b"a\0", "visible ASCII"),
            ("delete", b"a\x7f", "visible ASCII")):
        bad(f"labels-{name}", f"Labels are {rule}.", stanzas=lambda d, text=text: [d.age(labels=text)])
    bad("labels-different-in-two-stanzas", "All age stanzas have the same labels.",
        stanzas=lambda d: [d.age(labels=b"a"), d.age([d.x25519(AGE_2, 1)], b"b", which=1)])
    bad("labels-in-one-of-two-stanzas", "All age stanzas have the same labels.",
        stanzas=lambda d: [d.age(), d.age([d.x25519(AGE_2, 1)], b"postquantum", which=1)])
    bad("labels-beyond-the-stanza", "The labels end within the stanza.",
        lambda d: LE(len(d.x25519()) + 1, 2) + d.x25519())
    bad("labels-beyond-the-stanza-65535", "The labels end within the stanza.",
        lambda d: LE(65535, 2) + d.x25519())
    bad("length-0", "An age stanza has l.", lambda d: b"")
    bad("length-1", "An age stanza has l, of two bytes.", lambda d: b"\0")

    # Recipient stanzas.
    bad("no-recipient", "An age stanza has at least one recipient stanza.", lambda d: unlabelled)
    bad("no-recipient-but-labels", "An age stanza has at least one recipient stanza.",
        lambda d: LE(1, 2) + b"a")
    draft("unknown-type-before-ours", "A recipient stanza of an unknown type is passed over.",
          ok("age-1"), stanzas=lambda d: [d.age([unknown, d.x25519()])])
    draft("unknown-type-behind-ours", "A recipient stanza of an unknown type is passed over.",
          ok("age-1"), stanzas=lambda d: [d.age([d.x25519(), unknown])])
    draft("unknown-type-only", "A stanza with recipients of unknown types only is for others.",
          no("no-matching-key", "age-1"), stanzas=lambda d: [d.age([unknown])])
    for length in (0, 1, 47, 48, 49, 96, 500):
        draft(f"unknown-type-body-of-{length}",
              "A body has lines of 64 characters, then one that is shorter and may be empty.", ok("age-1"), stanzas=lambda d, length=length: [
                  d.age([f.age_recipient_stanza([b"unknown"], bytes(length)), d.x25519()])])
    draft("unknown-type-many-arguments", "A recipient stanza has any number of arguments.", ok("age-1"),
          stanzas=lambda d: [d.age([f.age_recipient_stanza([b"~"] + [b"!"] * 300, b"x"), d.x25519()])])

    def text(name, rule, make):
        """One recipient stanza, rewritten: the others are as they should be."""
        bad(name, rule, lambda d: unlabelled + d.x25519() + make(unknown))

    text("crlf", "Lines of a recipient stanza end with LF alone.", lambda u: u.replace(b"\n", b"\r\n"))
    text("no-last-line-feed", "The last line of a recipient stanza ends with LF.", lambda u: u[:-1])
    text("empty-line-behind", "Nothing stands between or behind the recipient stanzas.",
         lambda u: u + b"\n")
    text("nul-behind", "Nothing stands between or behind the recipient stanzas.", lambda u: u + b"\0")
    text("no-arrow", "A recipient stanza begins with '-> '.", lambda u: u[3:])
    text("arrow-without-space", "A recipient stanza begins with '-> '.", lambda u: b"->" + u[3:])
    text("no-type", "A recipient stanza has a type.", lambda u: b"->\n" + u.split(b"\n", 1)[1])
    text("empty-type", "A recipient stanza has a type, which is not empty.",
         lambda u: b"-> \n" + u.split(b"\n", 1)[1])
    text("two-spaces-before-type", "Arguments are separated by one space.",
         lambda u: u.replace(b"-> ", b"->  "))
    text("two-spaces-between-arguments", "Arguments are separated by one space.",
         lambda u: u.replace(b" an-argument", b"  an-argument"))
    text("trailing-space", "No space follows the last argument.",
         lambda u: u.replace(b"argument", b"argument "))
    text("tab-between-arguments", "Arguments are separated by a space.",
         lambda u: u.replace(b" an-", b"\tan-"))
    text("non-ascii-argument", "Arguments are visible ASCII.",
         lambda u: u.replace(b"an-", "än-".encode()))
    text("no-body", "A recipient stanza has a body, if only an empty line.", lambda u: b"-> unknown\n")
    text("header-line", "The recipient stanzas stand without the first line of an age header.",
         lambda u: b"age-encryption.org/v1\n" + u)
    text("mac-line", "The recipient stanzas stand without the last line of an age header.",
         lambda u: u + b"--- " + b"A" * 43 + b"\n")

    def body(name, rule, lines):
        text(f"body-{name}", rule, lambda u: b"-> unknown\n" + lines)

    body("non-canonical", "The bits that Base64 leaves over are zero.", b"AB\n")
    body("padded", "Base64 without padding.", b"AA==\n")
    body("one-character", "No Base64 has one character more than a multiple of four.", b"AAAAA\n")
    body("base64url", "The alphabet of RFC 4648, section 4.", b"AA-_\n")
    body("space", "Base64 without spaces.", b"AAAA \n")
    body("line-of-65", "A line of a body has at most 64 characters.", b"A" * 65 + b"\n")
    body("line-of-68", "A line of a body has at most 64 characters.", b"A" * 68 + b"\n")
    body("long-last-line", "The last line of a body is shorter than 64 characters.", b"A" * 64 + b"\n")
    body("short-line-within", "Only the last line of a body is shorter.",
         b"A" * 60 + b"\n" + b"A" * 8 + b"\n")
    scrypt = f.age_recipient_stanza([b"scrypt", b"A" * 22, b"18"], bytes(32))
    bad("scrypt", "No recipient stanza of type scrypt.", lambda d: unlabelled + scrypt)
    bad("scrypt-beside-x25519", "No recipient stanza of type scrypt, beside others neither.",
        lambda d: unlabelled + d.x25519() + scrypt)
    draft("scrypt-as-an-argument",
          "A type is the first argument, in its own spelling: this is none of scrypt.",
          ok("age-1"), stanzas=lambda d: [d.age([
              d.x25519(), f.age_recipient_stanza([b"Scrypt", b"scrypt"], b"")])])

    # Damage.
    def replaced(name, rule, outcome, change):
        draft(f"damaged-{name}", rule, no(outcome, "age-1"), stanzas=lambda d: [change(d, d.age(
            [d.x25519(AGE_1), d.x25519(AGE_2, number=1)], b"label"))])

    def other_body(d, stanza, age, number):
        own = d.x25519(age, number=number)
        return stanza.replace(own, d.x25519(age, number=number, wrapping_key=bytes(16)))

    replaced("salt", "A damaged salt makes the stanza one for another key.", "no-matching-key",
             lambda d, s: flip(s, 4))
    replaced("id", "A damaged id makes the stanza one for another key.", "no-matching-key",
             lambda d, s: flip(s, 36))
    replaced("wrapped-key", "Under the right id, a wrong tag is not authentic.", "header-not-authentic",
             lambda d, s: flip(s, 44))
    replaced("label", "The tag covers the labels.", "header-not-authentic",
             lambda d, s: s.replace(b"label", b"lapel"))
    replaced("other-recipient", "The tag covers the recipient stanzas of others.",
             "header-not-authentic", lambda d, s: other_body(d, s, AGE_2, 1))
    replaced("own-recipient", "A recipient stanza that gives another wrapping key gives another id.",
             "no-matching-key", lambda d, s: other_body(d, s, AGE_1, 0))
    replaced("own-body", "A recipient stanza that the identity does not open is not for it.",
             "no-matching-key",
             lambda d, s: s.replace(d.x25519(AGE_1)[55:65], d.x25519(AGE_1)[56:65] + b"A"))
    draft("two-wrapping-keys-in-one-stanza",
          "All recipients of a stanza get one wrapping key: another has another id.",
          ok("age-1"), no("no-matching-key", "age-2"), ok(["age-1", "age-2"]), ok(["age-2", "age-1"]),
          stanzas=lambda d: [d.age([d.x25519(AGE_1),
                                    d.x25519(AGE_2, number=1, wrapping_key=bytes(16))])])


# ── Section 5: header MAC and context ───────────────────────────────────────────────────────────

def section_5(kit):
    def draft(name, rule, change, *attempts):
        kit.draft(name, "5", rule, change, *attempts)

    def header_edited(edit):
        """The header MAC stays the one of before the edit."""
        return lambda d: edit(d.file())

    def mac_of_before(before=None, **after):
        """All good for the fields of after, tags and payload among it, but for the MAC."""
        def change(d):
            setting(**(before or {}))(d)
            mac = d.header()[-32:]
            setting(**after)(d)
            return d.header()[:-32] + mac + d.body()
        return change

    WRONG = no("header-not-authentic")

    def put(at, new):
        return lambda data: data[:at] + new + data[at + len(new):]

    draft("header-mac-first-byte", "The header MAC.", header_edited(lambda data: flip(data, 4096 - 32)),
          WRONG)
    draft("header-mac-last-byte", "The header MAC.", header_edited(lambda data: flip(data, 4095)), WRONG)
    draft("header-mac-zero", "The header MAC.", header_edited(put(4096 - 32, bytes(32))), WRONG)
    draft("header-mac-of-another-file-key", "The header MAC is of the file's own key.",
          setting(mac_key=shake(32, "another file key")), WRONG)
    for name, fields in (
            ("segment-size", dict(segment_size=8192)), ("payload-offset", dict(P=8192)),
            ("file-salt", dict(file_salt=shake(32, "file salt of after"))),
            ("suite", dict(suite="aegis-256")), ("suite-tag", dict(suite="aegis-256x2:tag=32"))):
        draft(f"header-mac-covers-{name}", f"The header MAC covers the {name.replace('-', ' ')}.",
              mac_of_before(**fields), WRONG)
    draft("header-mac-covers-context-tag", "The header MAC covers the context tag.",
          mac_of_before(context=b"a context"), WRONG, no("header-not-authentic", context=b"a context"))
    draft("header-mac-covers-context-tag-taken-away", "The header MAC covers the context tag.",
          mac_of_before(dict(context=b"a context"), context=None), WRONG,
          no("header-not-authentic", context=b"a context"))

    def other_stanzas(before, after):
        """The header of `after` with the MAC of `before`."""
        def change(d):
            d.stanzas = before
            mac = d.header()[-32:]
            d.stanzas = after
            return d.header()[:-32] + mac + d.body()
        return change

    def both(d):
        return [d.key_file(), d.key_file(KEY_2, 1)]

    draft("header-mac-covers-stanza-added", "The header MAC covers the stanzas and their number.",
          other_stanzas(lambda d: both(d)[:1], both), WRONG)
    draft("header-mac-covers-stanza-taken-away", "The header MAC covers the stanzas and their number.",
          other_stanzas(both, lambda d: both(d)[:1]), WRONG)
    draft("header-mac-covers-order-of-stanzas", "The header MAC covers the stanzas and their order.",
          other_stanzas(both, lambda d: both(d)[::-1]), WRONG)
    draft("header-mac-covers-stanza-replaced", "The header MAC covers the stanzas that are not ours.",
          other_stanzas(both, lambda d: [d.key_file(), d.key_file(KEY_3, 2)]), WRONG)

    # Whoever has the file key can write the MAC anew; the payload key is then another one.
    def payload_of_before(**fields):
        def change(d):
            body = d.body()
            setting(**fields)(d)
            return d.header() + body
        return change

    for name, fields in (("segment-size", dict(segment_size=8192)), ("payload-offset", dict(P=8192)),
                         ("suite", dict(suite="aegis-256")),
                         ("suite-of-one-key-length", dict(suite="aegis-256x4")),
                         ("file-salt", dict(file_salt=shake(32, "another file salt")))):
        draft(f"payload-key-covers-{name}",
              f"The payload's key depends on the {name.replace('-', ' ')}.",
              payload_of_before(**fields), corrupt(0))
    draft("payload-key-covers-context", "The payload's key depends on the context.",
          payload_of_before(context=b"put in later"), corrupt(0, context=b"put in later"))

    def context_taken_away(d):
        d.context = b"a context"
        body = d.body()
        d.context = None
        return d.header() + body

    draft("payload-key-covers-context-taken-away", "The payload's key depends on the context.",
          context_taken_away, corrupt(0))

    # Two file keys.
    other = shake(32, "the other file key")

    def two_file_keys(d):
        d.stanzas = lambda d: [d.key_file(), d.key_file(KEY_2, 1, file_key=other)]

    def the_other_first(d):
        d.stanzas = lambda d: [d.key_file(KEY_2, 1, file_key=other), d.key_file()]

    BOTH = ["key-file-1", "key-file-2"], ["key-file-2", "key-file-1"]
    for name, change in (("two-file-keys", two_file_keys),
                         ("two-file-keys-wrong-one-first", the_other_first)):
        draft(name, "A header is authentic under one file key, whatever its stanzas wrap.",
              change, ok(), no("header-not-authentic", "key-file-2"), *map(ok, BOTH),
              no("header-not-authentic", ["key-file-2", "key-file-3"]),
              no("no-matching-key", "key-file-3"))
    draft("two-file-keys-for-one-key",
          "A file key that does not give the header MAC does not open the file: the next stanza is tried.",
          setting(stanzas=lambda d: [d.key_file(which=1, file_key=other), d.key_file()]), ok())
    draft("two-file-keys-for-one-key-wrong-one-behind",
          "A file key that does not give the header MAC does not open the file.",
          setting(stanzas=lambda d: [d.key_file(), d.key_file(which=1, file_key=other)]), ok())
    draft("two-file-keys-beside-age",
          "A file key that does not give the header MAC does not open the file: the next key is tried.",
          setting(stanzas=lambda d: [d.key_file(file_key=other), d.age(which=1)]),
          no("header-not-authentic"), ok("age-1"), ok(["key-file-1", "age-1"]))
    draft("two-file-keys-mac-of-neither", "A header is authentic under one file key, if under any.",
          lambda d: setting(mac_key=shake(32, "a third file key"))(d) or two_file_keys(d), WRONG,
          no("header-not-authentic", "key-file-2"), *(no("header-not-authentic", keys) for keys in BOTH))
    draft("two-file-keys-mac-of-the-second",
          "A header is authentic under one file key, whatever its stanzas wrap.",
          lambda d: setting(mac_key=other)(d) or two_file_keys(d), WRONG, corrupt(0, "key-file-2"),
          *(corrupt(0, keys) for keys in BOTH))

    def payload_of_second(d):
        """A reader that did not look at the MAC would give out a plaintext to key-file-2."""
        two_file_keys(d)
        header, d.file_key = d.header(), other
        return header + f.Payload.of(header, other, None).seal_all(b"for the second key only")

    draft("two-file-keys-payload-of-the-second",
          "The header refuses a file key under which the payload would open.",
          payload_of_second, corrupt(0), no("header-not-authentic", "key-file-2"),
          *(corrupt(0, keys) for keys in BOTH))

    def payload_of_both(d):
        """The first segment under one file key, the second under the other."""
        two_file_keys(d.long(4096 + 20))
        header, pieces = d.header(), d.pieces()
        return (header + f.Payload.of(header, d.file_key, None).seal(0, False, pieces[0])
                + f.Payload.of(header, other, None).seal(1, True, pieces[1]))

    draft("two-file-keys-one-segment-each",
          "The header refuses a file key under which a segment would open.",
          payload_of_both, corrupt(1), no("header-not-authentic", "key-file-2"),
          *(corrupt(1, keys) for keys in BOTH))

    # Context.
    draft("context", "A file with a context opens for who says the same one.",
          setting(context=b"a/path"), ok(context=b"a/path"), no("context-missing"), no("context-differs", context=b"b/path"),
          no("context-differs", context=b"a/pat"), no("context-differs", context=b"a/path "),
          no("context-differs", context=b"a/path\0"), no("no-matching-key", "key-file-2", b"a/path"))
    draft("context-of-1-byte", "The shortest context.", setting(context=b"\0"), ok(context=b"\0"),
          no("context-differs", context=b"\0\0"))
    draft("context-of-65535-bytes", "The longest context.", setting(context=b"c" * 65535),
          ok(context=(b"c", 65535)), no("context-differs", context=(b"c", 65534)))
    draft("context-not-utf-8", "A context is bytes.", setting(context=b"\xff\x00\xfe"),
          ok(context=b"\xff\x00\xfe"))
    draft("context-empty-file", "An empty file with a context.", setting(context=b"x", plaintext=b""),
          ok(context=b"x"))
    draft("context-none", "A context for a file that has none is refused.", setting(),
          ok(), no("context-unexpected", context=b"a/path"))
    draft("context-tag-of-no-context", "A context tag that no context has.",
          setting(context_tag=shake(32, "a context tag")), no("context-missing"),
          no("context-differs", context=b"a/path"))


# ── Section 6: payload ──────────────────────────────────────────────────────────────────────────

def section_6(kit):
    def draft(name, rule, change, *attempts):
        kit.draft(name, "6", rule, change, *attempts)

    for length, rule in ((0, "An empty file has one segment, which is empty."), (1, "One byte."),
                         (4095, "A segment that is short by one."),
                         (4096, "A last segment that is full."),
                         (4097, "A tail of one byte."), (8192, "Two full segments."),
                         (12289, "Three full segments, and a byte.")):
        draft(f"plaintext-of-{length}", rule, lambda d, length=length: d.long(length) and None, ok())

    CUT = no("truncated-payload")
    draft("payload-missing", "A payload is not nothing at all.", lambda d: d.header(), CUT)
    for length in (1, 15):
        draft(f"payload-of-{length}", "A segment has a whole tag.",
              lambda d, length=length: d.file()[:4096 + length], CUT)
    draft("payload-of-31-tag-32", "A segment has a whole tag.",
          lambda d: setting(suite="aegis-256x2:tag=32")(d) or d.file()[:4096 + 31], CUT)

    def segments(name, rule, plaintext_length, edit, *attempts, **fields):
        """The list of segments, edited."""
        def change(d):
            setting(**fields)(d.long(plaintext_length))
            return d.header() + b"".join(edit(d, d.segments()))
        draft(name, rule, change, *attempts)

    LONG = 2 * 4096 + 100                                # two full segments and a short one
    segments("cut-in-the-last-segment", "A last segment that was cut does not open.", LONG,
             lambda d, s: [*s[:2], s[2][:-1]], corrupt(2))
    segments("cut-to-one-byte-and-a-tag", "A last segment that was cut does not open.", LONG,
             lambda d, s: [*s[:2], s[2][:17]], corrupt(2))
    segments("cut-in-the-last-tag", "A last segment has a whole tag.", LONG,
             lambda d, s: [*s[:2], s[2][:15]], CUT)
    segments("cut-in-the-last-tag-tag-32", "A last segment has a whole tag.", LONG,
             lambda d, s: [*s[:2], s[2][:31]], CUT, suite="aegis-256x2:tag=32")
    segments("cut-to-one-byte-of-the-last-segment", "A last segment has a whole tag.", LONG,
             lambda d, s: [*s[:2], s[2][:1]], CUT)
    segments("cut-at-an-edge",
             "A file that was cut at the edge of a segment: the one before it is not the last.",
             LONG, lambda d, s: s[:2], corrupt(1))
    segments("cut-to-one-segment",
             "A file that was cut at the edge of a segment: the one before it is not the last.",
             LONG, lambda d, s: s[:1], corrupt(0))
    segments("cut-within-a-full-segment",
             "A segment that was cut becomes the last one, and does not open.", LONG,
             lambda d, s: [s[0], s[1][:2000]], corrupt(1))
    segments("extended-by-a-byte", "A last segment that was extended does not open.", LONG,
             lambda d, s: [*s, b"\0"], corrupt(2))
    segments("extended-by-its-last-segment", "A last segment that was extended does not open.", LONG,
             lambda d, s: [*s, s[2]], corrupt(2))
    segments("extended-behind-a-full-last-segment",
             "A segment that was the last is not, when another follows.",
             8192, lambda d, s: [*s, shake(100, "garbage")], corrupt(1))
    segments("extended-by-an-old-segment", "A segment that was the last is not, when another follows.",
             8192, lambda d, s: [*s, s[0]], corrupt(1))
    segments("extended-empty-file", "A last segment that was extended does not open.", 0,
             lambda d, s: [*s, b"\0"], corrupt(0))

    segments("segments-swapped", "A segment opens under its number only.", 3 * 4096,
             lambda d, s: [s[1], s[0], s[2]], corrupt(0))
    segments("segments-swapped-with-the-last",
             "A segment opens under its number and its last-flag only.", 3 * 4096,
             lambda d, s: [s[0], s[2], s[1]], corrupt(1))
    segments("segment-repeated", "A segment opens under its number only.", LONG,
             lambda d, s: [s[0], s[0], s[2]], corrupt(1))
    segments("segment-inserted", "A segment opens under its number only.", LONG,
             lambda d, s: [s[0], s[0], s[1], s[2]], corrupt(1))
    segments("segment-dropped-first", "A segment opens under its number only.", LONG, lambda d, s: s[1:],
             corrupt(0))
    segments("segment-dropped-within", "A segment opens under its number only.", LONG,
             lambda d, s: [s[0], s[2]], corrupt(1))
    for name, at in (("first-byte", 0), ("last-byte-of-ciphertext", -17), ("first-byte-of-tag", -16),
                     ("last-byte-of-tag", -1)):
        segments(f"segment-damaged-{name}", "A segment is authentic, ciphertext and tag.", LONG,
                 lambda d, s, at=at: [s[0], flip(s[1], at), s[2]], corrupt(1))
    segments("segment-damaged-last", "The last segment is authentic.", LONG,
             lambda d, s: [*s[:2], flip(s[2], 50)], corrupt(2))
    segments("segment-damaged-empty-file", "The tag of an empty file is authentic.", 0,
             lambda d, s: [flip(s[0], 0)], corrupt(0))
    segments("segment-damaged-last-byte-of-tag-32", "All 32 bytes of a tag count.", 100,
             lambda d, s: [flip(s[0], -1)], corrupt(0), suite="aegis-256x2:tag=32")
    segments("segment-damaged-byte-16-of-tag-32", "All 32 bytes of a tag count.", 100,
             lambda d, s: [flip(s[0], -16)], corrupt(0), suite="aegis-128l:tag=32")

    def resealed(name, rule, plaintext_length, seal, *attempts, **fields):
        """The segments sealed by `seal`, with the file's own key."""
        def edit(d, s):
            payload, pieces = d.payload(), d.pieces()
            return [seal(payload, i, i == len(pieces) - 1, piece) for i, piece in enumerate(pieces)]
        segments(name, rule, plaintext_length, edit, *attempts, **fields)

    def with_nonce(nonce, ad=b""):
        """`nonce` of the number, the flag and the length; `ad` should be empty."""
        def seal(payload, i, last, piece):
            ciphertext, tag = payload.aead.Encrypt(piece, ad, payload.key, nonce(i, last, payload.N),
                                                   8 * payload.t)
            return ciphertext + tag
        return seal

    resealed("last-flag-missing", "The last segment has the flag.", 100,
             lambda payload, i, last, piece: payload.seal(i, False, piece), corrupt(0))
    resealed("last-flag-missing-on-the-last-of-three", "The last segment has the flag.", LONG,
             lambda payload, i, last, piece: payload.seal(i, False, piece), corrupt(2))
    resealed("last-flag-on-all", "Only the last segment has the flag.", LONG,
             lambda payload, i, last, piece: payload.seal(i, True, piece), corrupt(0))
    resealed("last-flag-of-255", "The flag is 1.", 100,
             with_nonce(lambda i, last, n: LE(i, 8) + b"\xff" + bytes(n - 9)), corrupt(0))
    resealed("last-flag-at-the-end-of-the-nonce", "The flag is byte 8 of the nonce.", 100,
             with_nonce(lambda i, last, n: LE(i, 8) + bytes(n - 9) + b"\1"), corrupt(0))
    resealed("segment-number-from-1", "Segments are counted from 0.", 100,
             lambda payload, i, last, piece: payload.seal(i + 1, last, piece), corrupt(0))
    resealed("segment-number-big-endian", "The number is little-endian.", LONG,
             with_nonce(lambda i, last, n: i.to_bytes(8, "big") + bytes([last]) + bytes(n - 9)),
             corrupt(1))
    resealed("segment-number-the-same", "The number is the segment's own.", LONG,
             lambda payload, i, last, piece: payload.seal(0, last, piece), corrupt(1))
    resealed("segment-with-associated-data", "There is no associated data.", 100,
             with_nonce(lambda i, last, n: LE(i, 8) + bytes([last]) + bytes(n - 9), ad=b"\0"),
             corrupt(0))

    def other_tag_length(payload, i, last, piece):
        return f.Payload("aegis-256x2:tag=32", payload.s, payload.key).seal(i, last, piece)

    resealed("segment-with-a-tag-of-32", "A tag has the length that the suite says.", 100,
             other_tag_length, corrupt(0))

    def last_segment_empty(d):
        payload = d.long(4096).payload()
        return d.header() + payload.seal(0, False, d.plaintext) + payload.seal(1, True, b"")

    draft("last-segment-empty-after-others", "The last segment is empty only if the file is.",
          last_segment_empty, CUT)
    segments("segment-short-before-the-last", "Every segment but the last is full.", 4096,
             lambda d, s: [d.payload().seal(0, False, d.plaintext[:4000]),
                           d.payload().seal(1, True, b"tail")],
             corrupt(0))

    # Parts of other files.
    def spliced(d):
        """Another file for the same key file, of the same length."""
        other = Draft(d.name + " other").long(LONG)
        d.long(LONG)
        return d.header() + d.segments()[0] + other.segments()[1] + d.segments()[2]

    draft("spliced-from-another-file-for-the-same-key", "A segment of another file does not open.",
          spliced, corrupt(1))

    def spliced_salt(d):
        d.long(LONG)
        header, own = d.header(), d.segments()
        d.file_salt = shake(32, d.name, "another salt")
        return header + own[0] + d.segments()[1] + own[2]

    draft("spliced-from-a-file-with-the-same-file-key",
          "A segment of a file with another salt does not open.",
          spliced_salt, corrupt(1))

    def header_of_another(d):
        other = Draft(d.name + " other")
        return other.header() + d.body()

    draft("header-of-another-file-for-the-same-key",
          "A payload opens behind the header of its own file only.",
          header_of_another, corrupt(0))

    # Reading a part.
    data = Draft("plaintext-of-12289").long(12289).plaintext
    for name, rule, start, length in (
            ("plaintext-of-12289", "A part in the first segment.", 10, 20),
            ("plaintext-of-12289", "A part over the edge of two segments.", 4090, 12),
            ("plaintext-of-12289", "A part of all segments.", 4095, 8194),
            ("plaintext-of-12289", "A part in the last segment.", 12288, 1),
            ("plaintext-of-12289", "A part that begins at an edge.", 8192, 16)):
        kit.part(name, rule, start, length, ok(data=data[start:start + length]))
    data = Draft("segment-damaged-first-byte").long(LONG).plaintext
    kit.part("segment-damaged-first-byte", "A segment outside the part is not opened.", 100, 50,
             ok(data=data[100:150]))
    kit.part("segment-damaged-first-byte", "A segment of the part that does not open.", 4000, 200,
             corrupt(1))
    kit.part("cut-at-an-edge", "The last segment is opened first: the file was cut.", 100, 50,
             corrupt(1))
    kit.part("cut-in-the-last-segment", "The last segment is opened first: the file was cut.", 100, 50,
             corrupt(2))
    kit.part("cut-in-the-last-tag", "The length is looked at first: the file was cut.", 100, 50,
             no("truncated-payload"))
    kit.part("extended-by-a-byte", "The last segment is opened first: the file was extended.", 100, 50,
             corrupt(2))
    kit.part("extended-by-an-old-segment", "The last segment is opened first: the file was extended.",
             100, 50, corrupt(2))


# ── Section 7: changing recipients ──────────────────────────────────────────────────────────────

def section_7(kit):
    def draft(name, rule, change, *attempts):
        kit.draft(name, "7", rule, change, *attempts)

    def rekeyed(d, make):
        return f.change_recipients(d.file(), [f.KeyFile(KEY_1)], lambda F, file_key: make(d))

    def to_key_2(d):
        return rekeyed(d, lambda d: [d.key_file(KEY_2, "new")])

    draft("recipients-changed",
          "Another header for the same payload: the new key opens it, the old one does not.",
          to_key_2, ok("key-file-2"), no("no-matching-key", "key-file-1"))
    draft("recipients-changed-to-age",
          "Another header for the same payload, with other types of stanza.",
          lambda d: rekeyed(d, lambda d: [d.age([d.x25519(AGE_1, 1), d.x25519(AGE_2, 1, 1)], which=1)]),
          ok("age-1"), ok("age-2"), no("no-matching-key", "key-file-1"))
    draft("recipients-changed-to-passphrase",
          "Another header for the same payload, with other types of stanza.",
          lambda d: rekeyed(d, lambda d: [d.passphrase(which=1)]), ok("passphrase"),
          no("no-matching-key", "key-file-1"))
    draft("recipients-added", "Another header for the same payload, with a stanza more.",
          lambda d: rekeyed(d, lambda d: [d.key_file(KEY_1, "new"), d.key_file(KEY_2, "new 2")]),
          ok("key-file-1"), ok("key-file-2"))

    def with_context(d):
        d.context = b"a/path"
        return f.change_recipients(d.file(), [f.KeyFile(KEY_1)], lambda F, _: [d.key_file(KEY_2, "new")])

    draft("recipients-changed-context", "The context stays when the recipients change.", with_context,
          ok("key-file-2", b"a/path"), no("context-missing", "key-file-2"))

    def rolled_back(d):
        old, new = d.file(), to_key_2(d)
        return old[:4096] + new[4096:]

    draft("header-rolled-back",
          "An old header put back in front of the payload is valid: nothing was revoked.",
          rolled_back, ok("key-file-1"), no("no-matching-key", "key-file-2"))

    def new_stanzas_old_mac(d):
        old, new = d.file(), to_key_2(d)
        return new[:4096 - 32] + old[4096 - 32:]

    draft("recipients-changed-old-mac", "A new header has a new MAC.", new_stanzas_old_mac,
          no("header-not-authentic", "key-file-2"))

    def left_over(d):
        """One stanza instead of two, and the second left where it stood."""
        d.stanzas = lambda d: [d.key_file(), d.key_file(KEY_2, 1)]
        d.count = 1

    draft("recipients-changed-stanza-left-over", "What follows the new stanzas is zero.", left_over, BAD)


# ── Section 8: key files ────────────────────────────────────────────────────────────────────────

def section_8(kit):
    line = b"polyseal-key-1-" + KEY_1.hex().encode()
    good, bad = (lambda *case: kit.key_file(*case, KEY_1)), kit.key_file
    good("key-file-raw", "Exactly 32 bytes are the key itself.", KEY_1)
    good("key-file-text", "One line of text.", line + b"\n")
    good("key-file-text-crlf", "Lines end with LF or CRLF.", b"# a key\r\n\r\n" + line + b"\r\n")
    good("key-file-text-comments", "Lines that are empty or begin with # are passed over.",
         b"# a key\n\n" + line + b"\n#\n\n# the end\n")
    good("key-file-text-upper-case-digits", "Hexadecimal digits of either case.",
         b"polyseal-key-1-" + KEY_1.hex().upper().encode() + b"\n")
    padding = 16384 - len(line) - 3
    good("key-file-text-of-16384-bytes", "Text of at most 16384 bytes.",
         b"#" * (padding + 1) + b"\n" + line + b"\n")
    bad("key-file-text-of-16385-bytes", "Text of at most 16384 bytes.",
        b"#" * (padding + 2) + b"\n" + line + b"\n")
    bad("key-file-of-32-printable-characters", "32 characters that are all printable are a password.",
        b"0123456789abcdefghijklmnopqrstuv")
    bad("key-file-empty", "A key file has a key.", b"")
    bad("key-file-raw-of-31-bytes", "Exactly 32 bytes.", KEY_1[:31])
    bad("key-file-raw-of-33-bytes", "Exactly 32 bytes.", KEY_1 + KEY_1[:1])
    bad("key-file-raw-and-line-feed", "Exactly 32 bytes.", KEY_1 + b"\n")
    bad("key-file-text-two-keys", "Exactly one line with a key.", line + b"\n" + line + b"\n")
    bad("key-file-text-no-key", "Exactly one line with a key.", b"# nothing here\n")
    bad("key-file-text-63-digits", "64 hexadecimal digits.", line[:-1] + b"\n")
    bad("key-file-text-65-digits", "64 hexadecimal digits.", line + b"0\n")
    bad("key-file-text-not-hexadecimal", "64 hexadecimal digits.", line[:-1] + b"g\n")
    bad("key-file-text-leading-space", "Nothing else stands in the line.", b" " + line + b"\n")
    bad("key-file-text-trailing-space", "Nothing else stands in the line.", line + b" \n")
    bad("key-file-text-comment-behind-key", "Nothing else stands in the line.", line + b" # mine\n")
    bad("key-file-text-version-2", "The line begins with polyseal-key-1-.",
        line.replace(b"-1-", b"-2-", 1) + b"\n")
    bad("key-file-text-upper-case-prefix", "The line begins with polyseal-key-1-.",
        line.replace(b"p", b"P", 1) + b"\n")
    bad("key-file-text-hexadecimal-alone", "The line begins with polyseal-key-1-.",
        KEY_1.hex().encode() + b"\n")
    bad("key-file-text-byte-order-mark", "Anything else is refused.", b"\xef\xbb\xbf" + line + b"\n")
    bad("key-file-text-other-line", "Anything else is refused.", line + b"\nmy key\n")


# ── Section 9: armour ───────────────────────────────────────────────────────────────────────────

def section_9(kit):
    def case(name, rule, edit, outcome=None, length=None):
        """`edit` of the armour's lines, without their ends, gives text."""
        draft = Draft(f"armor-{name}")
        if length is not None:
            draft.long(length)
        lines = f.armor(draft.file()).split(b"\n")[:-1]
        result = no(outcome) if outcome else ok()(draft)
        kit.add(draft.name, "9", rule, edit(lines), result, armored=True)

    def text(lines, end=b"\n"):
        return b"".join(line + end for line in lines)

    def wrapped(characters, width):
        return [characters[k:k + width] for k in range(0, len(characters), width)]

    def bad(name, rule, edit):
        case(name, rule, edit, "bad-armor")

    case("lf", "Lines that end with LF.", text)
    case("crlf", "Lines that end with CRLF.", lambda lines: text(lines, b"\r\n"))
    # The file has 4112 + n bytes, a line stands for 48, a group of four characters for 3.
    for n, rule in ((0, "padding of one character"), (1, "no padding"), (2, "padding of two characters"),
                    (16, "a last line of 64 characters"), (17, "a last line of 4 characters")):
        case(f"plaintext-of-{n}", f"A plaintext of {n} bytes: {rule}.", text, length=n)
    case("space-around", "Spaces, tabs and ends of lines may stand around the armour.",
         lambda lines: b" \t\n\r\n \n" + text(lines) + b"\n \t\r\n")
    case("space-around-without-ends-of-lines",
         "Spaces, tabs and ends of lines may stand around the armour.",
         lambda lines: b"\t " + text(lines)[:-1] + b" \t")
    for name, between, rule in (
            ("form-feed", b"\f", "form feed"), ("vertical-tab", b"\v", "vertical tab"),
            ("lone-carriage-return", b"\r", "carriage return that ends no line"),
            ("nul", b"\0", "NUL"), ("next-line", b"\x85", "other white space"),
            ("no-break-space", "\u00a0".encode(), "other white space"),
            ("byte-order-mark", "\ufeff".encode(), "byte order mark")):
        rule = f"Around the armour are spaces, tabs and ends of lines only: no {rule}."
        bad(f"{name}-before", rule, lambda lines, between=between: between + text(lines))
        bad(f"{name}-behind", rule, lambda lines, between=between: text(lines) + between)
    bad("lone-carriage-return-before-a-space", "A carriage return is followed by a line feed.",
        lambda lines: b"\r \n" + text(lines))
    bad("two-carriage-returns-before", "A carriage return is followed by a line feed.",
        lambda lines: b"\r\r\n" + text(lines))
    bad("two-carriage-returns-behind", "A carriage return is followed by a line feed.",
        lambda lines: text(lines) + b"\r\r\n")
    bad("form-feed-between-spaces-before", "A form feed is not white space around armour.",
        lambda lines: b" \n\f\n" + text(lines))
    bad("lone-carriage-return-ends-the-last-line", "The last line ends with LF, CRLF or the text.",
        lambda lines: text(lines)[:-1] + b"\r")
    bad("begin-missing", "The first line.", lambda lines: text(lines[1:]))
    bad("end-missing", "The last line.", lambda lines: text(lines[:-1]))
    bad("label-other", "The label is POLYSEAL FILE.", lambda lines: text(
        [b"-----BEGIN POLYSEAL KEY-----", *lines[1:-1], b"-----END POLYSEAL KEY-----"]))
    bad("label-of-age", "The label is POLYSEAL FILE.", lambda lines: text(
        [b"-----BEGIN AGE ENCRYPTED FILE-----", *lines[1:-1], b"-----END AGE ENCRYPTED FILE-----"]))
    bad("label-of-end-other", "Both lines have the label.",
        lambda lines: text([*lines[:-1], b"-----END POLYSEAL KEY-----"]))
    bad("label-lower-case", "The label is in upper case.",
        lambda lines: text([lines[0].lower(), *lines[1:]]))
    bad("text-before", "Nothing else stands before the first line.",
        lambda lines: b"Hello\n" + text(lines))
    bad("text-behind", "Nothing else stands after the last line.", lambda lines: text(lines) + b"Bye\n")
    bad("twice", "Nothing else stands after the last line.", lambda lines: text(lines) * 2)
    bad("header-line", "Nothing stands between the first line and the Base64.",
        lambda lines: text([lines[0], b"Comment: none", b"", *lines[1:]]))
    bad("empty-line-first", "No line is empty.", lambda lines: text([lines[0], b"", *lines[1:]]))
    bad("empty-line-within", "No line is empty.", lambda lines: text([*lines[:9], b"", *lines[9:]]))
    bad("empty-line-last", "No line is empty.", lambda lines: text([*lines[:-1], b"", lines[-1]]))
    bad("short-line-within", "Every line but the last has 64 characters.",
        lambda lines: text([*lines[:9], lines[9][:60], lines[9][60:], *lines[10:]]))
    bad("long-line-within", "Every line but the last has 64 characters.",
        lambda lines: text([*lines[:9], lines[9] + lines[10], *lines[11:]]))
    for width in (60, 68, 76):
        bad(f"lines-of-{width}", "Every line but the last has 64 characters.",
            lambda lines, width=width: text([lines[0], *wrapped(b"".join(lines[1:-1]), width), lines[-1]]))
    bad("one-line", "Every line but the last has 64 characters.",
        lambda lines: text([lines[0], b"".join(lines[1:-1]), lines[-1]]))
    bad("trailing-space-within", "Nothing else stands in a line.",
        lambda lines: text([*lines[:9], lines[9] + b" ", *lines[10:]]))
    bad("leading-space-within", "Nothing else stands in a line.",
        lambda lines: text([*lines[:9], b" " + lines[9], *lines[10:]]))
    bad("lone-carriage-return", "Lines end with LF or CRLF, not with CR.",
        lambda lines: text(lines, b"\r"))
    bad("character-of-base64url", "The alphabet of RFC 4648, section 4.",
        lambda lines: text([*lines[:9], b"-" + lines[9][1:], *lines[10:]]))
    bad("character-non-ascii", "The alphabet of RFC 4648, section 4.",
        lambda lines: text([*lines[:9], b"\xff" + lines[9][1:], *lines[10:]]))

    def last_line(change):
        return lambda lines: text([*lines[:-2], change(lines[-2]), lines[-1]])

    def padded(name, rule, length, change):
        case(name, rule, last_line(change), "bad-armor", length)

    def bits_left_over(line):
        """The character before the padding, with its lowest bit set."""
        at = len(line.rstrip(b"=")) - 1
        alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        return line[:at] + alphabet[alphabet.index(line[at]) + 1:][:1] + line[at + 1:]

    padded("bits-left-over-of-two", "The bits that padding leaves over are zero.", 0, bits_left_over)
    padded("bits-left-over-of-four", "The bits that padding leaves over are zero.", 2, bits_left_over)
    padded("padding-missing", "Base64 is padded.", 0, lambda line: line.rstrip(b"="))
    padded("padding-of-one-missing", "Base64 is padded.", 2, lambda line: line[:-1])
    padded("padding-too-much", "Base64 is padded up to a multiple of four, no further.", 1,
           lambda line: line + b"====")
    padded("padding-only-group", "A group has at most two characters of padding.", 1,
           lambda line: line + b"A===")
    case("file-cut", "Armour authenticates nothing: the file in it was cut.",
         lambda lines: f.armor(Draft("armor-file-cut").file()[:4096 + 5]), "truncated-payload")
    case("file-damaged", "Armour authenticates nothing: the file in it was damaged.",
         lambda lines: f.armor(flip(Draft("armor-file-damaged").file(), 4096)), "corrupt-segment")
    kit.tests[-1]["segment"] = 0


def build():
    """File names and bytes, index.json among them."""
    kit = Kit()
    for section in (section_1, section_2, section_2_tags, section_4, section_4_bound, section_4_passed_over,
                    section_4_passphrase, section_4_age, section_5, section_6, section_7, section_8,
                    section_9):
        section(kit)
    return kit.files | {"index.json": kit.index().encode()}


def present():
    return {path.name: path.read_bytes() for path in FOLDER.iterdir()}


def differences():
    made, there = build(), present()
    return sorted(name for name in made | there if made.get(name) != there.get(name))


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        wrong = differences()
        for name in wrong:
            print(f"{name}: not what reference/file_format_kit.py writes")
        sys.exit(1 if wrong else 0)
    if sys.argv[1:]:
        sys.exit("usage: file_format_kit.py [--check]")
    files = build()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in present().keys() - files.keys():
        (FOLDER / name).unlink()
    for name, data in files.items():
        (FOLDER / name).write_bytes(data)
