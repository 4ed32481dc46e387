"""Section 5 of the specification: header MAC and context."""

import polyseal_file as f

from .draft import flip
from .entry import corrupt, no, ok, setting
from .keys import KEY_2, KEY_3, shake


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
