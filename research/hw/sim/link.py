# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The steps that tb_omd_link plays to one link or two, and the answers of research/reference/omd_link.py.

A `Run` is a list of steps: commands of the bench, each with its answer, and what the reference does meanwhile. After the
simulation `check` takes the steps in order: what the links gave, and what a channel delivered to them, is in the bench's files.
"""

import copy
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "research" / "reference"), str(ROOT / "research" / "hw" / "driver")]

import omd_link as reference  # noqa: E402
from omd_link_driver import registers as regs  # noqa: E402
from stimulus import beats  # noqa: E402

OKAY, SLVERR = 0, 2
FAULTS = ("errored first", "errored last", "holed middle", "holed start", "holed partial", "holed empty", "holed end")
QUIET = 2000  # cycles of the core in which two links have done all that they have got


class Wrong(Exception):
    pass


def suite_of(hash):
    return next(s for s in reference.SUITES.values() if s.family == "omd-" + hash)


class Link(reference.Side):
    """A side with what its streams do."""

    def offered(self, frame, fault):
        if fault:
            return self.count("plain_" + fault.split()[0])
        return self.seal(frame)

    def peek(self, frame):
        """The packet that it would be."""
        before = dict(self.counts), self.counter
        packet = self.seal(frame)
        self.counts, self.counter = before
        return packet

    def delivered(self, packet, fault):
        if fault:
            return self.count(fault.split()[0])
        return self.open(packet)


class Run:
    def __init__(self, hash, width=64, min_frame=14, max_frame=600, last=0, channel=False, seed=0):
        self.hash, self.W, self.channel = hash, width // 8, channel
        self.random = random.Random(f"link {hash} {seed}")
        self.suite = suite_of(hash)
        self.n = reference.omd.HASHES[self.suite.family].n
        self.steps, self.phase = [], 0
        self.files = {f"{kind}{i}": [] for kind in ("ptxt", "ctxt") for i in (0, 1)}
        self.beats_in = [0, 0]
        self.MK = self.random.randbytes(self.n)
        self.options = dict(min_frame=min_frame, max_frame=max_frame, last=last or reference.LAST)
        # The sides, and the peer that makes the packets for side 0 if there is no channel.
        self.sides = [Link(self.suite, role, self.MK, **self.options) for role in (0, 1)]
        self.offered = [[], []]
        self.played = [[], []]
        self.sessions = []                                # the reference's keys of those that a phase may have

    # Commands.

    def add(self, command, expected="0"):
        self.steps.append((command, expected))

    def do(self, action):
        self.steps.append((None, action))

    def write(self, side, address, data, response=OKAY):
        self.add(f"w {side} {address:03x} {data:08x} f", f"{response}")

    def bytes(self, side, address, text, response=OKAY):
        for i in range(0, len(text), 4):
            self.write(side, address + i, int.from_bytes(text[i:i + 4].ljust(4, b"\0"), "little"), response)

    def read(self, side, address, data, response=OKAY):
        """data: a number, a function that gives one, or None."""
        self.add(f"r {side} {address:03x}",
                 None if data is None else lambda: f"{data() if callable(data) else data:08X} {response}")

    def wait(self, cycles):
        self.add(f"t {cycles}", None)

    def quiet(self, cycles=None):
        self.add(f"i {cycles or QUIET}")

    # Sessions.

    @property
    def both(self):
        return (0, 1) if self.channel else (0,)

    def addresses(self):
        for side in self.both:
            to, source = (self.random.randbytes(6) for _ in range(2))
            self.bytes(side, regs.DESTINATION, to)
            self.bytes(side, regs.SOURCE, source)
            self.do(lambda side=self.sides[side], to=to, source=source: side.__dict__.update(destination=to, source=source))

    def master(self, side):
        self.bytes(side, regs.MASTER_KEY, self.MK)

    def identifiers(self):
        return [reference.identifier(self.random.randbytes(16), self.random.randrange(2**64)) for _ in range(2)]

    def derive(self, ids):
        for side in self.both:
            self.write(side, regs.ROLE, side)
            self.bytes(side, regs.OWN_IDENTIFIER, ids[side])
            self.bytes(side, regs.PEER_IDENTIFIER, ids[1 - side])
            self.write(side, regs.CONTROL, regs.CONTROL_DERIVE)
        # Side 1's core is slower than side 0's, of whose cycles these are.
        self.wait((8 * {"sha256": 68, "sha512": 84, "blake2b": 16}[self.hash] + 150) * (2 if self.channel else 1))

    def enable(self, ids):
        keys = reference.Keys(self.suite, self.MK, *ids)
        for side in self.both:
            self.confirm(side, keys.confirmation[1 - side])
        self.wait(20)
        return keys

    def confirm(self, side, confirmation):
        self.bytes(side, regs.PEER_CONFIRMATION, confirmation)
        self.write(side, regs.CONTROL, regs.CONTROL_ENABLE)

    def model_session(self, ids):
        confirmations = [self.sides[i].derive(ids[i], ids[1 - i]) for i in (0, 1)]
        for i in (0, 1):
            self.sides[i].enable(confirmations[1 - i])

    def session(self):
        ids = self.identifiers()
        self.session_of(ids)
        return ids

    def session_of(self, ids):
        """Its keys."""
        self.derive(ids)
        keys = self.enable(ids)
        self.do(lambda: self.model_session(ids))
        return keys

    def command(self, name, sides=None, response=OKAY):
        for side in sides if sides is not None else self.both:
            self.write(side, regs.CONTROL, getattr(regs, "CONTROL_" + name.upper()), response)

    # Streams.

    def frame(self, length):
        return self.random.randbytes(length)

    def put(self, file, frame, fault):
        """A frame's beats, in this phase."""
        W, r = self.W, self.random
        parts = beats(frame, W)
        for i, part in enumerate(parts):
            last = i == len(parts) - 1
            data = int.from_bytes(part + r.randbytes(W - len(part)), "little")
            keep, user = (1 << len(part)) - 1, 0
            if fault and fault.startswith("holed"):
                if fault == "holed middle" and i == 0:
                    keep &= ~2
                elif fault == "holed start" and last:
                    keep &= ~1
                elif fault == "holed partial" and i == 0:
                    keep >>= 1
                elif fault == "holed empty" and i == 1:
                    keep = 0
            elif fault:
                user = int(i == 0 if fault == "errored first" else last)
            ends = last and fault != "holed end"
            self.files[file].append(f"{self.phase} {data:0{2 * W}x} {keep:0{W // 4}x} {int(ends)} {user}")
            if file.startswith("ptxt"):
                self.beats_in[int(file[-1])] += 1
        if fault == "holed end":
            self.files[file].append(f"{self.phase} {0:0{2 * W}x} {0:0{W // 4}x} 1 0")
            self.beats_in[int(file[-1])] += file.startswith("ptxt")

    def offer(self, side, frame, fault=None):
        self.offered[side].append((self.phase, frame, fault))
        self.put(f"ptxt{side}", frame, fault)

    def play(self, packet, fault=None, side=0):
        """A packet to a side without a channel."""
        self.played[side].append((self.phase, packet, fault))
        self.put(f"ctxt{side}", packet, fault)

    def begin(self):
        """Begins a new phase, to which the following offers and plays belong."""
        self.phase += 1
        return self.phase

    def start(self):
        self.add(f"p {self.phase}")

    def run(self, how="exact", counts=True):
        """Plays this phase until nothing moves, and compares."""
        self.start()
        self.quiet()
        self.judge(how, counts)

    def judge(self, how="exact", counts=True):
        phase = self.phase
        self.do(lambda: self.compare(phase, how))
        if counts:
            self.counters()

    def counters(self):
        for side in self.both:
            for row, name in enumerate(regs.COUNTER_NAMES):
                self.read(side, regs.COUNTERS + 8 * row, lambda s=side, name=name: self.sides[s].counts.get(name, 0))

    # Afterwards.

    def save(self, path):
        path.mkdir(parents=True, exist_ok=True)
        for name, lines in self.files.items():
            (path / f"{name}.txt").write_text("".join(line + "\n" for line in lines))
        (path / "commands.txt").write_text("".join(c + "\n" for c, _ in self.steps if c))

    def lines(self, name):
        """(phase, bytes) of a file of the bench."""
        path = Path(self.output_path) / f"{name}.txt"
        rows = [line.split(" ") for line in path.read_text().split("\n")[:-1]] if path.exists() else []
        return [(int(row[0]), bytes.fromhex(row[-1])) for row in rows]

    def check(self, output_path):
        self.output_path = output_path
        self.seen_packets, self.seen_frames = [0, 0], [0, 0]
        answers = self.answers = (Path(output_path) / "answers.txt").read_text().split("\n")[:-1]
        self.answered = 0
        try:
            for number, (command, expected) in enumerate(self.steps):
                if command is None:
                    expected()
                    continue
                wanted = expected() if callable(expected) else expected
                if wanted is not None and answers[self.answered] != wanted:
                    of = [n for n in regs.COUNTER_NAMES if command[4:7] == f"{regs.COUNTERS + 8 * regs.COUNTER_NAMES.index(n):03x}"]
                    raise Wrong(f"step {number}, {command} {of}: {answers[self.answered]}, expected {wanted}; {self.sides[int(command[2])].counts}")
                self.answered += 1
            if self.answered != len(answers):
                raise Wrong(f"{len(answers)} answers to {self.answered} commands")
            for side in self.both:
                for name, seen in (("packets", self.seen_packets), ("frames", self.seen_frames)):
                    if len(self.lines(f"{name}{side}")) != seen[side]:
                        raise Wrong(f"{name}{side}: {len(self.lines(f'{name}{side}'))}, expected {seen[side]}")
        except Wrong as wrong:
            print(wrong)
            return False
        print(f"packets {self.seen_packets}, frames {self.seen_frames}, {[side.counts for side in self.sides]}")
        return True

    def of_phase(self, name, seen, side, phase):
        """The lines of this phase; all before must have been looked at."""
        lines = self.lines(f"{name}{side}")[seen[side]:]
        taken = [x for p, x in lines if p == phase]
        if any(p < phase for p, _ in lines):
            raise Wrong(f"{name}{side}: something that was not expected in an earlier phase than {phase}")
        seen[side] += len(taken)
        return taken

    def compare(self, phase, how):
        for i in self.both:
            side = self.sides[i]
            packets = self.of_phase("packets", self.seen_packets, i, phase)
            offered = [(f, fault) for p, f, fault in self.offered[i] if p == phase]
            if how == "exact":
                self.same(f"packets{i}", packets, [side.offered(*x) for x in offered])
            else:
                getattr(self, "packets_" + how)(side, packets, offered)
        for i in self.both:
            side = self.sides[i]
            frames = self.of_phase("frames", self.seen_frames, i, phase)
            if self.channel:
                delivered = [(x, None) for p, x in self.lines(f"delivered{i}") if p == phase]
            else:
                delivered = [(x, fault) for p, x, fault in self.played[i] if p == phase]
            if how == "exact" or not delivered:
                self.same(f"frames{i}", frames, [side.delivered(*x) for x in delivered])
            else:
                getattr(self, "frames_" + how)(side, frames, delivered)

    def same(self, name, given, expected):
        expected = [x for x in expected if x is not None]
        for j, (a, b) in enumerate(zip(given, expected)):
            if a != b:
                raise Wrong(f"{name}, number {j}: {a.hex()}, expected {b.hex()}")
        if len(given) != len(expected):
            raise Wrong(f"{name}: {len(given)}, expected {len(expected)}")

    # Where what is dropped depends on time: which it was is told by what came out, and everything is counted all the same.

    def packets_overflow(self, side, packets, offered):
        """Each frame was sealed, or there was no room for it."""
        for frame, fault in offered:
            assert not fault
            if packets and len(packets[0]) == len(frame) + reference.OVERHEAD and side.peek(frame) == packets[0]:
                packets.pop(0)
                side.seal(frame)
            else:
                side.count("plain_overflow")
        if packets:
            raise Wrong(f"{len(packets)} packets that are of no frame")
        if not side.counts.get("plain_overflow"):
            raise Wrong("nothing overflowed")

    def frames_overflow(self, side, frames, delivered):
        """Each packet was opened, or there was no room for it. None is bad."""
        for packet, fault in delivered:
            assert not fault
            before = dict(side.counts), copy.deepcopy(side.window)
            frame = side.open(packet)
            assert frame is not None
            if frames and frames[0] == frame:
                frames.pop(0)
            else:
                side.counts, side.window = before
                side.count("overflow")
        if frames:
            raise Wrong(f"{len(frames)} frames that are of no packet")
        if not side.counts.get("overflow"):
            raise Wrong("no packet overflowed")

    def packets_change(self, side, packets, offered):
        """Packets of the sessions that there were in this phase, each of a frame, in order."""
        frames = [frame for frame, _ in offered]
        sessions = list(self.sessions)
        counter = 0
        for packet in packets:
            while sessions and packet[18:22] != sessions[0].session:
                sessions.pop(0)
                counter = 0
            if not sessions:
                raise Wrong("a packet of no session, or of one that has ended")
            keys = sessions[0]
            number = int.from_bytes(packet[22:30], "big")
            if packet[16] != side.role or number < counter:
                raise Wrong(f"counter {number} after {counter - 1}")
            counter = number + 1
            frame = self.plain(keys, packet)
            while frames and frames[0] != frame:
                frames.pop(0)
            if not frames:
                raise Wrong("a packet that is of no frame")

    def frames_change(self, side, frames, delivered):
        """Frames of packets of those sessions, in order."""
        plain = [self.plain(keys, packet) for packet, _ in delivered for keys in self.sessions
                 if packet[18:22] == keys.session]
        for frame in frames:
            while plain and plain[0] != frame:
                plain.pop(0)
            if not plain:
                raise Wrong("a frame that is of no packet")

    def plain(self, keys, packet):
        N = reference.nonce(self.suite, packet[16], keys.session, int.from_bytes(packet[22:30], "big"))
        return keys.omd.Decrypt(packet[30:-32], packet[-32:], keys.AD, keys.key[packet[16]], N)

    def adopt(self, side=0):
        """Everything of this phase was counted once; the reference goes on from these counts."""
        phase, names = self.phase, regs.COUNTER_NAMES
        for row in range(len(names)):
            self.read(side, regs.COUNTERS + 8 * row, None)

        def compare():
            now = {name: int(x.split()[0], 16) for name, x in zip(names, self.answers[self.answered - len(names):self.answered])}
            of = self.sides[side]
            more = {name: now[name] - of.counts.get(name, 0) for name in names}
            half = names.index("opened")
            for what, those, given in (("offered", names[:half], self.offered[side]), ("played", names[half:], self.played[side])):
                total = sum(p == phase for p, *_ in given)
                if sum(more[name] for name in those) != total:
                    raise Wrong(f"{total} {what}, counted {more}")
            for name, given in (("sealed", "packets"), ("opened", "frames")):
                if more[name] != sum(p == phase for p, _ in self.lines(f"{given}{side}")) or not more[name]:
                    raise Wrong(f"{given}: {more[name]} counted")
            for name in ("plain_no_session", "no_session"):
                if not more[name]:
                    raise Wrong(f"none dropped: {name}")
            of.counts = {name: x for name, x in now.items() if x}

        self.do(compare)
