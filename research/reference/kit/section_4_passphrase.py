"""Section 4 of the specification: stanzas of passphrases."""

import polyseal_file as f
from polyseal_file import LE

from .draft import flip
from .entry import no, ok, setting


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
