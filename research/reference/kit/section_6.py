"""Section 6 of the specification: payload."""

import polyseal_file as f
from polyseal_file import LE

from .draft import Draft, flip
from .entry import corrupt, no, ok, setting
from .keys import shake


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
