# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Offsets and bits of the registers. Written by research/hw/regs.py from research/hw/regs.toml."""

MAGIC = 0x000
VERSION = 0x004
CAPABILITIES = 0x008
CAPABILITIES_SUITE = 0x0ff
CAPABILITIES_BLOCK_BYTES = 0xff00
CAPABILITIES_STREAM_BYTES = 0xff0000
CAPABILITIES_WINDOW = 0xff000000
FRAME_LIMITS = 0x00c
FRAME_LIMITS_MAX_FRAME = 0xffff
FRAME_LIMITS_MIN_FRAME = 0xffff0000
CONTROL = 0x010
CONTROL_DERIVE = 0x001
CONTROL_ENABLE = 0x002
CONTROL_ZEROISE = 0x004
CONTROL_STOP = 0x008
STATUS = 0x014
STATUS_BUSY = 0x001
STATUS_HAS_MASTER = 0x002
STATUS_DERIVED = 0x004
STATUS_ENABLED = 0x008
STATUS_EXHAUSTED = 0x010
STATUS_REKEY_DUE = 0x020
STATUS_NO_OWN_EPOCH = 0x040
STATUS_NO_PEER_EPOCH = 0x080
IRQ_STATUS = 0x018
IRQ_STATUS_DERIVED = 0x001
IRQ_STATUS_REFUSED = 0x002
IRQ_STATUS_REKEY_DUE = 0x004
IRQ_STATUS_EXHAUSTED = 0x008
IRQ_STATUS_FORGED = 0x010
IRQ_STATUS_ERASED = 0x020
IRQ_ENABLE = 0x01c
ROLE = 0x020
SESSION = 0x024
REKEY_LIMIT = 0x028
COUNTER = 0x030
MASTER_KEY = 0x040
OWN_IDENTIFIER = 0x080
PEER_IDENTIFIER = 0x0a0
PEER_CONFIRMATION = 0x0c0
OWN_CONFIRMATION = 0x0d0
DESTINATION = 0x0e0
SOURCE = 0x0e8
COUNTERS = 0x100
COUNTER_NAMES = (
    "sealed",
    "plain_holed",
    "plain_errored",
    "plain_oversize",
    "plain_short",
    "plain_overflow",
    "plain_no_session",
    "opened",
    "holed",
    "errored",
    "oversize",
    "short",
    "overflow",
    "no_session",
    "type",
    "version",
    "suite",
    "reserved",
    "direction",
    "session",
    "too_old",
    "replayed",
    "tag",
)
