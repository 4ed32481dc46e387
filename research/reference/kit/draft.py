"""A file that has a place for each defect."""

import polyseal_file as f
from polyseal_file import LE

from .keys import AGE_1, KEY_1, PASSPHRASES, shake


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
