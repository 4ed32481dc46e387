"""Section 7 of the specification: changing recipients."""

import polyseal_file as f

from .entry import BAD, no, ok
from .keys import AGE_1, AGE_2, KEY_1, KEY_2


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
