# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Commands to registers and ks_gen, and the answers that the reference says: for tb_link_control.

A `Script` is a list of commands with what is to come back; None: anything.
"""

import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "research" / "reference"), str(ROOT / "research" / "hw" / "driver")]

import omd_link as reference  # noqa: E402
from omd_link_driver import registers as regs  # noqa: E402

OKAY, SLVERR = 0, 2


class Script:
    def __init__(self):
        self.commands, self.expected = [], []

    def add(self, command, expected):
        self.commands.append(command)
        self.expected.append(expected)

    def write(self, address, data, response=OKAY, strobes=0xF):
        self.add(f"w {address:03x} {data:08x} {strobes:x}", f"{response}")

    def read(self, address, data, response=OKAY):
        self.add(f"r {address:03x}", None if data is None else f"{data:08X} {response}")

    def bytes(self, address, text, response=OKAY):
        for i in range(0, len(text), 4):
            self.write(address + i, int.from_bytes(text[i:i + 4].ljust(4, b"\0"), "little"), response)

    def reads(self, address, text):
        for i in range(0, len(text), 4):
            self.read(address + i, int.from_bytes(text[i:i + 4], "little"))

    def wait(self, cycles, interrupt=0):
        self.add(f"t {cycles}", f"{interrupt}")

    def save(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in self.commands))

    def check(self, output_path):
        """Whether the answers are the expected ones; says which is not."""
        answers = (Path(output_path) / "answers.txt").read_text().split("\n")[:-1]
        if len(answers) != len(self.expected):
            print(f"{len(answers)} answers, {len(self.expected)} expected")
            return False
        for number, (command, answer, expected) in enumerate(zip(self.commands, answers, self.expected)):
            if expected is not None and answer != expected:
                print(f"command {number}, {command}: {answer}, expected {expected}")
                return False
        return True


def script(hash):
    suite = next(s for s in reference.SUITES.values() if s.family == "omd-" + hash)
    r = random.Random(f"control {hash}")
    s = Script()
    n = reference.omd.HASHES["omd-" + hash].n
    status = {name: getattr(regs, "STATUS_" + name.upper())
              for name in ("busy", "has_master", "derived", "enabled", "no_own_epoch", "no_peer_epoch")}
    irq = {name: getattr(regs, "IRQ_STATUS_" + name.upper()) for name in ("derived", "refused", "erased")}
    calls = 8 * {"sha256": 68, "sha512": 84, "blake2b": 16}[hash] + 120

    def command(name, response=OKAY):
        s.write(regs.CONTROL, getattr(regs, "CONTROL_" + name.upper()), response)

    def ids(own, peer):
        s.bytes(regs.OWN_IDENTIFIER, own)
        s.bytes(regs.PEER_IDENTIFIER, peer)

    def stopped():
        command("stop")
        s.wait(100, 1)
        s.write(regs.IRQ_STATUS, 0x3F)

    def no_keys():
        s.add("k", " ".join([f"{0:0{2 * n}X}"] * 6))

    # As it is after reset: constants, erasure noted, nothing else.
    s.wait(80)
    s.read(regs.MAGIC, 0x4F4D444C)
    s.read(regs.VERSION, 0x0202)
    s.read(regs.CAPABILITIES, suite.number | n << 8 | 8 << 16 | 16 << 24)
    s.read(regs.FRAME_LIMITS, 9600 | 14 << 16)
    s.read(regs.STATUS, 0)
    s.read(regs.IRQ_STATUS, irq["erased"])
    s.write(regs.IRQ_ENABLE, irq["erased"])
    s.wait(3, 1)
    s.write(regs.IRQ_STATUS, irq["erased"])
    s.wait(3, 0)
    s.read(regs.IRQ_STATUS, 0)

    # Refused accesses: addresses without a register, read-only ones, parts of words, commands whose condition is not
    # met.
    for address in (0x038, 0x098, 0x0BC, 0x0F0, 0xFFC, regs.MASTER_KEY + n if n < 64 else 0x0FC):
        s.read(address, 0, SLVERR)
        s.write(address, 0, SLVERR)
    for address in (regs.MAGIC, regs.STATUS, regs.SESSION, regs.COUNTER, regs.OWN_CONFIRMATION, regs.COUNTERS):
        s.write(address, 1, SLVERR)
    s.read(regs.MAGIC + 2, 0, SLVERR)
    s.write(regs.IRQ_ENABLE, 0, SLVERR, strobes=7)
    s.read(regs.IRQ_ENABLE, irq["erased"])
    command("derive", SLVERR)
    command("enable", SLVERR)
    s.write(regs.CONTROL, 0, SLVERR)
    s.write(regs.CONTROL, regs.CONTROL_DERIVE | regs.CONTROL_ENABLE, SLVERR)
    s.bytes(regs.PEER_CONFIRMATION, bytes(4), SLVERR)

    # Numbers of 64 bits.
    s.read(regs.REKEY_LIMIT, 0)
    s.read(regs.REKEY_LIMIT + 4, 0x10000)
    s.write(regs.REKEY_LIMIT, 0x89ABCDEF)
    s.read(regs.REKEY_LIMIT, 0)                           # both words change at once
    s.write(regs.REKEY_LIMIT + 4, 0x01234567)
    s.read(regs.REKEY_LIMIT, 0x89ABCDEF)
    s.read(regs.REKEY_LIMIT + 4, 0x01234567)
    s.read(regs.COUNTER, 0x89ABCDEF)
    s.read(regs.COUNTER + 4, 0x01234567)
    s.bytes(regs.DESTINATION, b"\x01\x02\x03\x04\x05\x06")
    s.reads(regs.DESTINATION, b"\x01\x02\x03\x04\x05\x06\0\0")
    s.bytes(regs.SOURCE, b"\x11\x12\x13\x14\x15\x16")
    s.reads(regs.SOURCE, b"\x11\x12\x13\x14\x15\x16\0\0")

    # Counters, from a clock that is four times as fast.
    for row, events in ((0, 3), (len(regs.COUNTER_NAMES) - 1, 1), (5, 700), (0, 2)):
        s.add(f"c {row} {events}", "0")
    for row, sum in ((0, 5), (1, 0), (5, 700), (len(regs.COUNTER_NAMES) - 1, 1)):
        s.read(regs.COUNTERS + 8 * row, sum)
        s.read(regs.COUNTERS + 8 * row + 4, 0)

    # A master key is there once all its words have come in order; it cannot be read.
    MK = r.randbytes(n)
    s.bytes(regs.MASTER_KEY, MK[:8])
    s.bytes(regs.MASTER_KEY + 12, MK[12:16])              # a word is left out
    s.bytes(regs.MASTER_KEY + 8, MK[8:])
    s.read(regs.STATUS, 0)
    s.bytes(regs.MASTER_KEY, MK)
    s.read(regs.STATUS, status["has_master"])
    s.reads(regs.MASTER_KEY, bytes(n))
    s.bytes(regs.MASTER_KEY, MK[:4])                      # the first word of another ends it: the drivers look at that
    s.read(regs.STATUS, 0)
    s.bytes(regs.MASTER_KEY + 4, MK[4:])
    s.read(regs.STATUS, status["has_master"])

    def derived(MK, role, own, peer, more=0):
        """Derives keys, which must be the reference's; gives them."""
        ids(own, peer)
        command("derive")
        s.wait(calls)
        keys = reference.Keys(suite, MK, *((peer, own) if role else (own, peer)))
        s.read(regs.STATUS, status["has_master"] | status["derived"] | more)
        s.read(regs.IRQ_STATUS, irq["derived"])
        s.write(regs.IRQ_STATUS, 0x3F)
        s.reads(regs.SESSION, keys.session)
        s.reads(regs.OWN_CONFIRMATION, keys.confirmation[role])
        expected = []
        for direction in (role, 1 - role):
            keyed = reference.omd.Keyed(keys.omd, keys.key[direction], 8 * suite.TAG)
            expected += [keys.key[direction].hex(), keyed.Ls.hex(), keyed.hash(keys.AD).hex()]
        s.add("k", " ".join(expected).upper())
        return keys

    # Sessions of both roles, each beside the reference's.
    for role in (0, 1):
        own, peer = (reference.identifier(r.randbytes(16), r.randrange(1, 2**64)) for _ in range(2))
        s.write(regs.ROLE, role)
        s.read(regs.ROLE, role)
        for same in (own, reference.identifier(own[:16], 9)):
            ids(own, same)
            command("derive", SLVERR)
            s.wait(5, int(role and same == own))          # the erasure before
            s.read(regs.IRQ_STATUS, irq["refused"] | (irq["erased"] if role and same == own else 0))
            s.write(regs.IRQ_STATUS, 0x3F)
        for last in (12, 16, 20):                         # without all words there is no identifier
            ids(own, peer[:last])
            command("derive", SLVERR)
            ids(own[:last], peer)
            command("derive", SLVERR)
        ids(own, peer)
        s.reads(regs.OWN_IDENTIFIER, bytes(24))
        command("derive")
        s.read(regs.STATUS, status["busy"] | status["has_master"])
        s.bytes(regs.MASTER_KEY, bytes(4), SLVERR)
        s.wait(calls)
        stopped()
        keys = derived(MK, role, own, peer)
        for address in (regs.ROLE, regs.MASTER_KEY, regs.OWN_IDENTIFIER, regs.PEER_IDENTIFIER, regs.DESTINATION):
            s.write(address, 0, SLVERR)
        command("enable", SLVERR)
        command("derive", SLVERR)
        right = keys.confirmation[1 - role]
        wrong = [keys.confirmation[role], right[:-1] + bytes([right[-1] ^ 1]), bytes([right[0] ^ 0x80]) + right[1:]]
        s.bytes(regs.PEER_CONFIRMATION, right[:12])
        command("enable", SLVERR)
        if role == 0:
            s.bytes(regs.PEER_CONFIRMATION, right)
            s.reads(regs.PEER_CONFIRMATION, bytes(16))
            command("enable")
            s.wait(3)
            s.read(regs.STATUS, status["has_master"] | status["derived"] | status["enabled"])
            s.bytes(regs.PEER_CONFIRMATION, right[:4], SLVERR)
            command("stop")
            s.wait(100, 1)
            s.read(regs.STATUS, status["has_master"])
            no_keys()
            s.reads(regs.SESSION, bytes(4))
            s.reads(regs.OWN_CONFIRMATION, bytes(16))
            command("derive", SLVERR)                     # identifiers are used once
            continue
        for bad in wrong:
            s.bytes(regs.PEER_CONFIRMATION, bad)
            command("enable")
            s.wait(100, 1)
            s.read(regs.STATUS, status["has_master"])
            s.read(regs.IRQ_STATUS, irq["refused"] | irq["erased"])
            s.write(regs.IRQ_STATUS, 0x3F)
            no_keys()
            ids(own, peer)
            command("derive")
            s.wait(calls)
            s.write(regs.IRQ_STATUS, 0x3F)
        command("zeroise")
        s.read(regs.STATUS, status["busy"])
        s.wait(100, 1)
        s.read(regs.STATUS, 0)
        no_keys()
        ids(own, peer)
        command("derive", SLVERR)                         # the master key is gone, too
    # A side that repeats all of its randomness, and to which all that the other said is replayed: with a new epoch its keys are new, and
    # what the other confirmed is refused.
    s.bytes(regs.MASTER_KEY, MK)
    s.write(regs.IRQ_STATUS, 0x3F)
    for role in (0, 1):
        s.write(regs.ROLE, role)
        drawn, peer = r.randbytes(16), reference.identifier(r.randbytes(16), 7)
        recorded, taken = None, set()
        for epoch in (2, 3, 2**63):
            keys = derived(MK, role, reference.identifier(drawn, epoch), peer)
            taken |= set(keys.key.values())
            is_first, recorded = recorded is None, recorded or keys.confirmation[1 - role]
            s.bytes(regs.PEER_CONFIRMATION, recorded)
            command("enable")
            s.wait(100, 0 if is_first else 1)
            if is_first:
                s.read(regs.STATUS, status["has_master"] | status["derived"] | status["enabled"])
                stopped()
                continue
            s.read(regs.STATUS, status["has_master"])
            s.read(regs.IRQ_STATUS, irq["refused"] | irq["erased"])
            s.write(regs.IRQ_STATUS, 0x3F)
            no_keys()
        assert len(taken) == 6
        # A device without a store of epochs is reported.
        derived(MK, role, reference.identifier(drawn, 0), peer, status["no_own_epoch"])
        stopped()
        derived(MK, role, reference.identifier(drawn, 1), reference.identifier(peer[:16], 0), status["no_peer_epoch"])
        stopped()
        s.read(regs.STATUS, status["has_master"])
    # An erasure in the midst of a derivation.
    ids(r.randbytes(24), r.randbytes(24))
    command("derive")
    s.wait(calls // 2)
    command("stop")
    s.wait(100, 1)
    s.read(regs.STATUS, status["has_master"])
    no_keys()
    return s
