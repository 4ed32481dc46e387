"""The link of research/hw/docs/packet-format.md, one end of it, slowly and to the letter.

It seals frames into packets and opens packets into frames under OMD, and counts what it drops under the reasons and in the
order of section 5 there; it derives a session's keys as section 3 says. What the hardware has besides, streams, clocks and
registers, is not here: `holed`, `errored` and `overflow` never occur.

Letters: n bytes of a block; F_MK the suite's keyed compression function under the master key; id_A, id_B the identifiers, each of a
random part r and an epoch e.
"""

from dataclasses import dataclass

import omd
from aegis import VerificationFailed

VERSION = 2
HEADER, TYPE, RESERVED = 30, b"\x88\xb5", 17
LABEL_KEYS, LABEL_AD = b"omd-link keys", b"omd-link"
RANDOM, EPOCH = 16, 8                                     # bytes of an identifier's parts
A, B = 0, 1
WINDOW = 128
LAST = 2**64 - 1


@dataclass(frozen=True)
class Suite:
    number: int
    family: str
    registry: str                                         # the algorithm's name there
    NONCE: int
    TAG: int = 32


SUITES = {s.number: s for s in (
    Suite(1, "omd-sha256", "omd-sha256", 31), Suite(2, "omd-sha512", "omd-sha512:tag=32", 32),
    Suite(3, "omd-blake2b", "omd-blake2b:tag=32", 32))}
OVERHEAD = HEADER + 32


class Refused(Exception):
    """A request of the other side or the driver that would be unsafe."""


class Keys:
    """The keys of a session: section 3."""

    def __init__(self, suite, MK, id_A, id_B):
        self.omd = omd.algorithm(suite.family)
        n = self.omd.n
        if len(MK) != n or len(id_A) != RANDOM + EPOCH or len(id_B) != RANDOM + EPOCH:
            raise ValueError("a master key of n bytes, and identifiers of 24")
        r_A, e_A, r_B, e_B = id_A[:RANDOM], id_A[RANDOM:], id_B[:RANDOM], id_B[RANDOM:]
        if r_A == r_B:
            raise Refused("identifiers of one randomness")

        def derive(purpose):
            H = (LABEL_KEYS + bytes([VERSION, suite.number, purpose]) + e_A + e_B).ljust(n, b"\0")
            return self.omd.hash.compress(H, MK + (r_A + r_B).ljust(n, b"\0"))

        self.key = {A: derive(1), B: derive(2)}           # by the sender
        Y = derive(3)
        self.confirmation = {A: Y[:16], B: Y[16:32]}
        self.session = derive(4)[:4]
        self.AD = LABEL_AD + bytes([VERSION, suite.number]) + id_A + id_B


def identifier(random, epoch):
    """epoch: a number that its side has never used under this master key, or 0: it has no store of such numbers."""
    return random + epoch.to_bytes(EPOCH, "big")


def nonce(suite, direction, session, counter):
    return bytes([direction]) + bytes(suite.NONCE - 13) + session + counter.to_bytes(8, "big")


class Window:
    """Which counters were opened, of the highest and those less than `size` below it."""

    def __init__(self, size=WINDOW):
        self.size, self.highest, self.seen = size, -1, set()

    def refuses(self, counter):
        """"too_old", "replayed" or None."""
        if counter <= self.highest - self.size:
            return "too_old"
        return "replayed" if counter in self.seen else None

    def take(self, counter):
        self.highest = max(self.highest, counter)
        self.seen = {c for c in self.seen | {counter} if c > self.highest - self.size}


class Side:
    """One end. `counts` has the registers' counters."""

    def __init__(self, suite, role, MK, destination=bytes(6), source=bytes(6), min_frame=14, max_frame=9600,
                 last=LAST):
        self.suite, self.role, self.MK = suite, role, MK
        self.destination, self.source = destination, source
        self.min_frame, self.max_frame, self.last = min_frame, max_frame, last
        self.keys, self.enabled = None, False
        self.counts = {}

    def count(self, reason):
        self.counts[reason] = self.counts.get(reason, 0) + 1

    def derive(self, own, peer):
        """This side's confirmation."""
        self.stop()
        ids = (own, peer) if self.role == A else (peer, own)
        self.keys = Keys(self.suite, self.MK, *ids)
        return self.keys.confirmation[self.role]

    def enable(self, confirmation):
        """With what the other side says is its confirmation. Refused, there are no keys any more."""
        if self.keys is None or self.enabled:
            raise Refused("nothing to confirm")
        if confirmation != self.keys.confirmation[1 - self.role]:
            self.stop()
            raise Refused("a wrong confirmation")
        self.counter, self.window, self.enabled = 0, Window(), True

    def stop(self):
        self.keys, self.enabled = None, False

    def seal(self, frame):
        """A packet, or None."""
        if len(frame) > self.max_frame:
            return self.count("plain_oversize")
        if len(frame) < self.min_frame:
            return self.count("plain_short")
        if not self.enabled or self.counter == self.last:
            return self.count("plain_no_session")
        keys, counter = self.keys, self.counter
        self.counter += 1
        N = nonce(self.suite, self.role, keys.session, counter)
        C, T = keys.omd.Encrypt(frame, keys.AD, keys.key[self.role], N, 8 * self.suite.TAG)
        self.count("sealed")
        return (self.destination + self.source + TYPE + bytes([VERSION, self.suite.number, self.role, 0])
                + keys.session + counter.to_bytes(8, "big") + C + T)

    def open(self, packet):
        """A frame, or None."""
        reason, frame = self._open(packet)
        self.count(reason)
        return frame

    def _open(self, packet):
        suite, keys = self.suite, self.keys
        if len(packet) > self.max_frame + OVERHEAD:
            return "oversize", None
        if len(packet) < self.min_frame + OVERHEAD:
            return "short", None
        if not self.enabled:
            return "no_session", None
        direction = 1 - self.role
        for name, at, wanted in (
                ("type", 12, TYPE), ("version", 14, bytes([VERSION])), ("suite", 15, bytes([suite.number])),
                ("reserved", RESERVED, b"\0"), ("direction", 16, bytes([direction])), ("session", 18, keys.session)):
            if packet[at:at + len(wanted)] != wanted:
                return name, None
        counter = int.from_bytes(packet[22:30], "big")
        refused = self.window.refuses(counter)
        if refused:
            return refused, None
        N = nonce(suite, direction, keys.session, counter)
        C, T = packet[HEADER:-suite.TAG], packet[-suite.TAG:]
        try:
            frame = keys.omd.Decrypt(C, T, keys.AD, keys.key[direction], N)
        except VerificationFailed:
            return "tag", None
        self.window.take(counter)
        return "opened", frame


def session(suite, MK, id_A, id_B, **options):
    """Both sides, confirmed."""
    a, b = Side(suite, A, MK, **options), Side(suite, B, MK, **options)
    of_a, of_b = a.derive(id_A, id_B), b.derive(id_B, id_A)
    a.enable(of_b)
    b.enable(of_a)
    return a, b
