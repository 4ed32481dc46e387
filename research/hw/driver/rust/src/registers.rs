//! Offsets and bits of the registers. Written by research/hw/regs.py from research/hw/regs.toml.

/// `magic`: 4F4D444C, "OMDL".
pub const MAGIC: u16 = 0x000;
/// `version`: bits 7 to 0: of the packet format; 15 to 8: of this table; both 2.
pub const VERSION: u16 = 0x004;
/// `capabilities`: what this build has.
pub const CAPABILITIES: u16 = 0x008;
/// `capabilities.suite`: packet-format.md, section 1.
pub const CAPABILITIES_SUITE: u32 = 0x0000_00ff;
/// `capabilities.block_bytes`: n.
pub const CAPABILITIES_BLOCK_BYTES: u32 = 0x0000_ff00;
/// `capabilities.stream_bytes`: of a beat of the frames' streams.
pub const CAPABILITIES_STREAM_BYTES: u32 = 0x00ff_0000;
/// `capabilities.window`: packets of the replay window, divided by 8.
pub const CAPABILITIES_WINDOW: u32 = 0xff00_0000;
/// `frame_limits`: bytes of a frame.
pub const FRAME_LIMITS: u16 = 0x00c;
/// `frame_limits.max_frame`: at most.
pub const FRAME_LIMITS_MAX_FRAME: u32 = 0x0000_ffff;
/// `frame_limits.min_frame`: at least.
pub const FRAME_LIMITS_MIN_FRAME: u32 = 0xffff_0000;
/// `control`: a one begins what it says.
pub const CONTROL: u16 = 0x010;
/// `control.derive`: computes a session's keys; needs the master key, both identifiers, written
/// anew and with different random parts, and no session.
pub const CONTROL_DERIVE: u32 = 0x0000_0001;
/// `control.enable`: compares the peer's confirmation, and erases the session's keys if it is
/// wrong; needs derived keys, and a confirmation written since.
pub const CONTROL_ENABLE: u32 = 0x0000_0002;
/// `control.zeroise`: ends the session and erases all keys, the master key first.
pub const CONTROL_ZEROISE: u32 = 0x0000_0004;
/// `control.stop`: ends the session and erases its keys; the master key stays.
pub const CONTROL_STOP: u32 = 0x0000_0008;
/// `status`: what is now.
pub const STATUS: u16 = 0x014;
/// `status.busy`: deriving or erasing.
pub const STATUS_BUSY: u32 = 0x0000_0001;
/// `status.has_master`: a master key is there.
pub const STATUS_HAS_MASTER: u32 = 0x0000_0002;
/// `status.derived`: session keys are there.
pub const STATUS_DERIVED: u32 = 0x0000_0004;
/// `status.enabled`: confirmed: it seals and opens.
pub const STATUS_ENABLED: u32 = 0x0000_0008;
/// `status.exhausted`: the last counter is reached: nothing is sealed.
pub const STATUS_EXHAUSTED: u32 = 0x0000_0010;
/// `status.rekey_due`: the counter is at rekey_limit or above.
pub const STATUS_REKEY_DUE: u32 = 0x0000_0020;
/// `status.no_own_epoch`: derived, and this side's epoch is 0: if it repeats its randomness it
/// repeats its key stream.
pub const STATUS_NO_OWN_EPOCH: u32 = 0x0000_0040;
/// `status.no_peer_epoch`: derived, and the other side's epoch is 0.
pub const STATUS_NO_PEER_EPOCH: u32 = 0x0000_0080;
/// `irq_status`: what has happened; the interrupt is 1 while a bit is set here and in irq_enable.
pub const IRQ_STATUS: u16 = 0x018;
/// `irq_status.derived`: a derivation has ended.
pub const IRQ_STATUS_DERIVED: u32 = 0x0000_0001;
/// `irq_status.refused`: identifiers with equal random parts, or a wrong confirmation.
pub const IRQ_STATUS_REFUSED: u32 = 0x0000_0002;
/// `irq_status.rekey_due`: the counter has reached rekey_limit.
pub const IRQ_STATUS_REKEY_DUE: u32 = 0x0000_0004;
/// `irq_status.exhausted`: the last counter is reached.
pub const IRQ_STATUS_EXHAUSTED: u32 = 0x0000_0008;
/// `irq_status.forged`: a packet had a wrong tag.
pub const IRQ_STATUS_FORGED: u32 = 0x0000_0010;
/// `irq_status.erased`: an erasure has ended.
pub const IRQ_STATUS_ERASED: u32 = 0x0000_0020;
/// `irq_enable`: as irq_status.
pub const IRQ_ENABLE: u16 = 0x01c;
/// `role`: bit 0: 0 this is side A, 1 side B.
pub const ROLE: u16 = 0x020;
/// `session`: the session number, 0 without derived keys.
pub const SESSION: u16 = 0x024;
/// `rekey_limit`: the counter at which `rekey_due` comes; 2^48 after reset.
pub const REKEY_LIMIT: u16 = 0x028;
/// `counter`: of the next packet that is sealed.
pub const COUNTER: u16 = 0x030;
/// `master_key`: n bytes.
pub const MASTER_KEY: u16 = 0x040;
/// `own_identifier`: 16 bytes drawn for each session, then the epoch, the first byte highest.
/// derive uses it up.
pub const OWN_IDENTIFIER: u16 = 0x080;
/// `peer_identifier`: the other side's; as own_identifier.
pub const PEER_IDENTIFIER: u16 = 0x0a0;
/// `peer_confirmation`: what the other side has sent; refused without derived keys, and once
/// enabled.
pub const PEER_CONFIRMATION: u16 = 0x0c0;
/// `own_confirmation`: to be sent; 0 without derived keys.
pub const OWN_CONFIRMATION: u16 = 0x0d0;
/// `destination`: of packets that are sent: bytes 0 to 5.
pub const DESTINATION: u16 = 0x0e0;
/// `source`: of packets that are sent: bytes 6 to 11.
pub const SOURCE: u16 = 0x0e8;
/// the first counter; each is 64 bits.
pub const COUNTERS: u16 = 0x100;

/// The counters, in the order of their offsets.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Counter {
    /// Frames sealed.
    Sealed,
    /// Frames dropped: a gap within them.
    PlainHoled,
    /// Frames dropped: marked as erroneous.
    PlainErrored,
    /// Frames dropped: longer than max_frame.
    PlainOversize,
    /// Frames dropped: shorter than min_frame.
    PlainShort,
    /// Frames dropped: no room.
    PlainOverflow,
    /// Frames dropped: no session, or it ended before, or its counters are used up.
    PlainNoSession,
    /// Packets opened.
    Opened,
    /// Packets dropped: a gap within them.
    Holed,
    /// Packets dropped: marked as erroneous.
    Errored,
    /// Packets dropped: longer than max_frame + 62.
    Oversize,
    /// Packets dropped: shorter than min_frame + 62.
    Short,
    /// Packets dropped: no room.
    Overflow,
    /// Packets dropped: no session, or it ended before.
    NoSession,
    /// Packets dropped: bytes 12 and 13 are not 88B5.
    Type,
    /// Packets dropped: another version of the format.
    Version,
    /// Packets dropped: another suite.
    Suite,
    /// Packets dropped: byte 17 is not 0.
    Reserved,
    /// Packets dropped: of this side's own direction.
    Direction,
    /// Packets dropped: of another session.
    Session,
    /// Packets dropped: below the replay window.
    TooOld,
    /// Packets dropped: opened already.
    Replayed,
    /// Packets dropped: a wrong tag.
    Tag,
}

impl Counter {
    /// All of them, in the order of their offsets.
    pub const ALL: [Self; 23] = [
        Self::Sealed,
        Self::PlainHoled,
        Self::PlainErrored,
        Self::PlainOversize,
        Self::PlainShort,
        Self::PlainOverflow,
        Self::PlainNoSession,
        Self::Opened,
        Self::Holed,
        Self::Errored,
        Self::Oversize,
        Self::Short,
        Self::Overflow,
        Self::NoSession,
        Self::Type,
        Self::Version,
        Self::Suite,
        Self::Reserved,
        Self::Direction,
        Self::Session,
        Self::TooOld,
        Self::Replayed,
        Self::Tag,
    ];

    /// The name that the table of registers has.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sealed => "sealed",
            Self::PlainHoled => "plain_holed",
            Self::PlainErrored => "plain_errored",
            Self::PlainOversize => "plain_oversize",
            Self::PlainShort => "plain_short",
            Self::PlainOverflow => "plain_overflow",
            Self::PlainNoSession => "plain_no_session",
            Self::Opened => "opened",
            Self::Holed => "holed",
            Self::Errored => "errored",
            Self::Oversize => "oversize",
            Self::Short => "short",
            Self::Overflow => "overflow",
            Self::NoSession => "no_session",
            Self::Type => "type",
            Self::Version => "version",
            Self::Suite => "suite",
            Self::Reserved => "reserved",
            Self::Direction => "direction",
            Self::Session => "session",
            Self::TooOld => "too_old",
            Self::Replayed => "replayed",
            Self::Tag => "tag",
        }
    }
}
