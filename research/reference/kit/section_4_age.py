"""Section 4 of the specification: stanzas that age wraps."""

import polyseal_file as f
from polyseal_file import LE

from .draft import flip
from .entry import no, ok, setting
from .keys import AGE_1, AGE_2, FROM_AGE_KEY, from_age


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

    # Several recipient stanzas that one identity opens or rejects, as age does it.
    rejected = f.age_recipient_stanza([b"X25519", b"A" * 42], bytes(32))
    first = "In one age stanza, what an identity opens or rejects first is what it makes of it."
    draft("two-wrapping-keys-for-one-identity", first, no("no-matching-key", "age-1"),
          stanzas=lambda d: [d.age([d.x25519(number=1, wrapping_key=bytes(16)), d.x25519()])])
    draft("two-wrapping-keys-for-one-identity-right-first", first, ok("age-1"),
          stanzas=lambda d: [d.age([d.x25519(), d.x25519(number=1, wrapping_key=bytes(16))])])
    draft("rejected-before-ours", first, no("bad-header", "age-1"),
          stanzas=lambda d: [d.age([rejected, d.x25519()])])
    draft("rejected-behind-ours", first, ok("age-1"), stanzas=lambda d: [d.age([d.x25519(), rejected])])
    draft("rejected-in-the-stanza-before",
          "What an identity rejects in one age stanza does not keep it from the next one.", ok("age-1"),
          stanzas=lambda d: [d.age([rejected]), d.age(which=1)])
