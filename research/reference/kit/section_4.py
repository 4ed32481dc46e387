"""Section 4 of the specification: stanzas."""

import polyseal_file as f
from polyseal_file import LE

from .draft import flip
from .entry import BAD, no, ok, setting
from .keys import AGE_1, AGE_2, KEY_1, KEY_2, KEY_3, shake


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
