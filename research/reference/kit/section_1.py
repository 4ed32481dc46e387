"""Section 1 of the specification: header."""

from .entry import no, ok, setting
from .keys import KEY_1, KEY_2, shake


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
