"""The ticket of section 14 of ../../docs/spec/file-format.md: what lets another process seal parts of a file.

    B     what the MAC is over      F     the flags
    n     the length of the plaintext in bytes
    v     the version of the source, 1 to 4096 bytes

Reads tickets, writes them, and seals parts with them. Nothing here keeps two processes from sealing one segment with
different plaintexts: that is up to v.
"""

import hmac
from dataclasses import dataclass

import polyseal_file as pf

MAGIC = b"polyseal-ticket\x01"
SOURCE = b"polyseal-source\x01"
DETACHED, FOR_WORKERS = 1, 2
HEADER = len(MAGIC) + 1 + 8 + 32                         # where it begins


class Refused(Exception):
    """Not a ticket, or not one for this source; what a header is refused for is polyseal_file.Refused."""

    def __init__(self, outcome):
        super().__init__(outcome)
        self.outcome = outcome


def require(condition, outcome):
    if not condition:
        raise Refused(outcome)


def ticket_key(file_key, file_salt):
    return pf.HKDF(file_key, file_salt, b"polyseal-file/1 ticket", 32)


def write(header, file_key, n, v, detached=False, workers=b"", flags=None):
    """`header` and `workers` are whole headers, for the same file key."""
    key = ticket_key(file_key, header[32:64])
    if flags is None:
        flags = (DETACHED if detached else 0) | (FOR_WORKERS if workers else 0)
    B = MAGIC + bytes([flags]) + pf.LE(n, 8) + pf.HMAC(key, SOURCE + v) + header + workers
    return B + pf.HMAC(key, B)


@dataclass
class Ticket:
    header: pf.Header
    file_key: bytes
    n: int
    detached: bool
    context: bytes | None

    def segments(self):
        return max(1, -(-self.n // self.header.segment_size))

    def seal_segment(self, i, plaintext):
        """Segment i, which has this part of the plaintext."""
        s = self.header.segment_size
        assert 0 <= i < self.segments() and len(plaintext) == min(s, self.n - i * s)
        payload = pf.Payload.of(self.header.raw, self.file_key, self.context)
        return payload.seal(i, i == self.segments() - 1, plaintext)

    def before(self):
        """The stored bytes before segment 0."""
        return b"" if self.detached else self.header.raw


def read(data, keys, v, context=None):
    require(len(data) >= HEADER + 32, "not-a-ticket")
    B, mac = data[:-32], data[-32:]
    F = B[len(MAGIC)]
    require(B.startswith(MAGIC) and F <= DETACHED | FOR_WORKERS, "not-a-ticket")
    n, source = pf.number(B[len(MAGIC) + 1:][:8]), B[HEADER - 32:HEADER]
    header = pf.parse_header(B[HEADER:])
    opens, rest = header, B[HEADER + header.P:]
    if F & FOR_WORKERS:
        opens = pf.parse_header(rest)
        rest = rest[opens.P:]
    require(rest == b"", "not-a-ticket")
    file_key = pf.find_file_key(opens, keys)
    key = ticket_key(file_key, header.file_salt)
    require(hmac.compare_digest(pf.HMAC(key, B), mac), "not-a-ticket")
    require(hmac.compare_digest(pf.HMAC(key, SOURCE + v), source), "source-changed")
    # The ticket's MAC is over the header, so that the header's own need not be looked at.
    expect_context(header, file_key, context)
    return Ticket(header, file_key, n, bool(F & DETACHED), context)


def expect_context(header, file_key, context):
    if header.context_tag == bytes(32):
        pf.require(context is None, pf.Outcome.CONTEXT_UNEXPECTED)
        return
    pf.require(context is not None, pf.Outcome.CONTEXT_MISSING)
    same = hmac.compare_digest(pf.context_tag(file_key, header.file_salt, context), header.context_tag)
    pf.require(same, pf.Outcome.CONTEXT_DIFFERS)
