# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Driver of omd_link, the hardware in hw/ that seals Ethernet frames with OMD.

A `Link` has a bus to the registers of one end: `MappedBus` where they are mapped into memory, `StreamBus` to a simulator, or
any object with `read(offset)` and `write(offset, word)`, which raise `RefusedError` where the device refuses. A session begins
in three steps, and each gives what the other end must be told, in clear, by any way that there is:

    link = Link(bus)
    link.set_master_key(key)
    link.set_addresses(destination, source)
    identifier = link.offer(A, epochs)                    # drawn anew for each session; epochs: an EpochFile of omd_link_driver.epochs
    confirmation = link.derive(peers_identifier)
    link.enable(peers_confirmation)                       # from here on frames are sealed and opened

Source: research/hw/docs/packet-format.md, section 3, and research/hw/docs/registers.md. The Rust driver, research/hw/driver/rust, does the same.
Limits: what carries identifiers and confirmations between both ends is the caller's. The other end's can be replayed to an end whose
randomness repeats, after a restored snapshot for example. What keeps its keys new is the epoch of each session, from a store that gives
no number twice. With `NoStore` such an end repeats its key stream; a warning, and `no_own_epoch` and `no_peer_epoch` in `status`, tell.
"""

import mmap
import secrets
import warnings

from . import registers as reg

A, B = 0, 1
VERSION = 0x0202
MAGIC = 0x4F4D444C
RANDOM, IDENTIFIER = 16, 24                               # bytes that are drawn, and with the epoch


class LinkError(Exception):
    """A failure of the driver."""


class RefusedError(LinkError):
    """The device refused an access (SLVERR), and nothing has changed."""


class NoDeviceError(LinkError):
    """No omd_link, or one of a version that this driver does not know."""


class ConfirmationError(LinkError):
    """The other end has other keys. Those of this session are erased."""


class StuckError(LinkError):
    """The device did not come to an end in the time that it can take at most."""


class NoStoreWarning(UserWarning):
    """An end without a store of epochs repeats its key stream if it repeats its randomness."""


class NoStore:
    """Instead of a store of epochs, where there is none."""

    def take(self):
        warnings.warn("without a store of epochs this end repeats its key stream if it repeats its randomness", NoStoreWarning, stacklevel=3)
        return 0


class StreamBus:
    """To a simulator: lines of text, one out, one back, over two text files. `prefix` names one of several buses."""

    def __init__(self, reader, writer, prefix=""):
        self.reader, self.writer, self.prefix = reader, writer, prefix

    def ask(self, question):
        self.writer.write(question + "\n")
        self.writer.flush()
        line = self.reader.readline()
        if not line:
            raise LinkError("the simulator has ended")
        return line.split()

    def _answer(self, question, words):
        parts = self.ask(question)
        if len(parts) != words or parts[-1] not in ("0", "2"):
            raise LinkError(f"no answer of a simulator: {' '.join(parts)!r}")
        if parts[-1] == "2":
            raise RefusedError(question)
        return parts

    def read(self, offset):
        return int(self._answer(f"r {self.prefix}{offset:03x}", 2)[0], 16)

    def write(self, offset, word):
        self._answer(f"w {self.prefix}{offset:03x} {word:08x}", 1)


class MappedBus:
    """Registers in a file that can be mapped, such as /dev/uio0: 4096 bytes from `offset` on.

    Most systems do not bring a refusal back this way; the driver notices by what it reads afterwards.
    """

    def __init__(self, file, offset=0):
        self.memory = memoryview(mmap.mmap(file.fileno(), 4096, offset=offset)).cast("I")

    def read(self, offset):
        return self.memory[offset // 4]

    def write(self, offset, word):
        self.memory[offset // 4] = word


def field(word, mask):
    return (word & mask) // (mask & -mask)


class Link:
    """One end of a link."""

    def __init__(self, bus):
        self.bus, self._own = bus, None
        if bus.read(reg.MAGIC) != MAGIC:
            raise NoDeviceError("no omd_link is here")
        version = bus.read(reg.VERSION)
        if version != VERSION:
            raise NoDeviceError(f"version {version:04x} is unknown to this driver")
        has, limits = bus.read(reg.CAPABILITIES), bus.read(reg.FRAME_LIMITS)
        self.suite = field(has, reg.CAPABILITIES_SUITE)
        self.block_bytes = field(has, reg.CAPABILITIES_BLOCK_BYTES)
        self.stream_bytes = field(has, reg.CAPABILITIES_STREAM_BYTES)
        self.window = 8 * field(has, reg.CAPABILITIES_WINDOW)
        self.min_frame = field(limits, reg.FRAME_LIMITS_MIN_FRAME)
        self.max_frame = field(limits, reg.FRAME_LIMITS_MAX_FRAME)
        self._settle()                                    # the erasure after a reset

    def status(self):
        """The names of what holds now."""
        word = self.bus.read(reg.STATUS)
        names = ("BUSY", "HAS_MASTER", "DERIVED", "ENABLED", "EXHAUSTED", "REKEY_DUE", "NO_OWN_EPOCH", "NO_PEER_EPOCH")
        return {name.lower() for name in names if word & getattr(reg, "STATUS_" + name)}

    def set_master_key(self, key):
        """`key`: block_bytes bytes. It cannot be read back."""
        if len(key) != self.block_bytes:
            raise ValueError(f"a master key of {len(key)} bytes where {self.block_bytes} are needed")
        self._write_bytes(reg.MASTER_KEY, key[:4])
        # Not every bus brings a refusal back, and a device that refuses keeps the key before. The first word that it takes ends that key.
        if "has_master" in self.status():
            raise RefusedError("the master key: there is a session, and the key before stays")
        self._write_bytes(reg.MASTER_KEY + 4, key[4:])
        if "has_master" not in self.status():
            raise RefusedError("the master key: the device has not taken all of it")

    def set_addresses(self, destination, source):
        """The outer addresses of what is sent, 6 bytes each; nothing authenticates them."""
        for offset, address in ((reg.DESTINATION, destination), (reg.SOURCE, source)):
            if len(address) != 6:
                raise ValueError("an address has six bytes")
            self._write_bytes(offset, address)
            if self._read_bytes(offset, 8)[:6] != address:
                raise RefusedError("the addresses: there is a session")

    def set_rekey_limit(self, limit):
        """The counter at which the hardware asks for a new session."""
        self._write_bytes(reg.REKEY_LIMIT, limit.to_bytes(8, "little"))

    def offer(self, role, epochs):
        """This end's identifier, of this session only: 16 bytes that are drawn, 8 of the epoch. Ends the session before.

        epochs: what gives a number by `take()`, from 1 to 2**64 - 1 and never one twice, such as an EpochFile; or NoStore().
        """
        if role not in (A, B):
            raise ValueError("a role is A or B")
        epoch = epochs.take()
        if not 0 <= epoch < 2**64 or (epoch == 0) != isinstance(epochs, NoStore):
            raise ValueError(f"{epoch} is no epoch")
        self.stop()
        self.bus.write(reg.ROLE, role)
        self._own = secrets.token_bytes(RANDOM) + epoch.to_bytes(8, "big")
        self._write_bytes(reg.OWN_IDENTIFIER, self._own)
        return self._own

    def derive(self, peers_identifier):
        """This end's confirmation, 16 bytes; keys are there from now on."""
        if len(peers_identifier) != IDENTIFIER:
            raise ValueError("an identifier has 24 bytes")
        # The device takes an offer once. On a bus that brings no refusal back the keys of the session before would pass for new ones.
        own, self._own = self._own, None
        if own is None:
            raise LinkError("derive: there is no new offer")
        if peers_identifier[:RANDOM] == own[:RANDOM]:
            raise RefusedError("the other end's identifier is this end's own, or drawn alike")
        self._write_bytes(reg.PEER_IDENTIFIER, peers_identifier)
        self.bus.write(reg.CONTROL, reg.CONTROL_DERIVE)
        if "derived" not in self._settle():
            raise RefusedError("derive: there is no master key")
        return self._read_bytes(reg.OWN_CONFIRMATION, 16)

    def session(self):
        """The session's number, 4 bytes."""
        return self._read_bytes(reg.SESSION, 4)

    def enable(self, peers_confirmation):
        """Frames are sealed and packets are opened from now on; ConfirmationError if it is wrong."""
        if len(peers_confirmation) != 16:
            raise ValueError("a confirmation has 16 bytes")
        status = self.status()
        if "derived" not in status or "enabled" in status:
            raise RefusedError("enable: there are no keys that wait for a confirmation")
        self._write_bytes(reg.PEER_CONFIRMATION, peers_confirmation)
        self.bus.write(reg.CONTROL, reg.CONTROL_ENABLE)
        if "enabled" not in self._settle():
            raise ConfirmationError("the other end has other keys")

    def stop(self):
        """Ends the session; the master key stays."""
        self._own = None
        self.bus.write(reg.CONTROL, reg.CONTROL_STOP)
        self._settle()

    def zeroise(self):
        """Ends the session and erases all keys."""
        self._own = None
        self.bus.write(reg.CONTROL, reg.CONTROL_ZEROISE)
        self._settle()

    def next_counter(self):
        return self._read_long(reg.COUNTER)

    def counters(self):
        """All counters of frames and packets, by name."""
        return {name: self._read_long(reg.COUNTERS + 8 * i) for i, name in enumerate(reg.COUNTER_NAMES)}

    def take_events(self):
        """The names of what has happened since this was asked last."""
        word = self.bus.read(reg.IRQ_STATUS)
        self.bus.write(reg.IRQ_STATUS, word)
        names = ("DERIVED", "REFUSED", "REKEY_DUE", "EXHAUSTED", "FORGED", "ERASED")
        return {name.lower() for name in names if word & getattr(reg, "IRQ_STATUS_" + name)}

    def _settle(self):
        for _ in range(100_000):
            status = self.status()
            if "busy" not in status:
                return status
        raise StuckError("the device does not come to an end")

    def _read_long(self, offset):
        lower = self.bus.read(offset)
        return self.bus.read(offset + 4) << 32 | lower

    def _read_bytes(self, offset, count):
        return b"".join(self.bus.read(offset + i).to_bytes(4, "little") for i in range(0, count, 4))

    def _write_bytes(self, offset, text):
        for i in range(0, len(text), 4):
            self.bus.write(offset + i, int.from_bytes(text[i:i + 4].ljust(4, b"\0"), "little"))
