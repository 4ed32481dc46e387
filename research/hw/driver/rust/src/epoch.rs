//! A number that an end uses for one session: what keeps its keys new if its randomness repeats.

use core::num::NonZeroU64;

/// The epoch of a session, 64 bits in this end's identifier, from which its keys come.
///
/// Source: `research/hw/docs/packet-format.md`, section 3.
#[derive(Debug, Eq, PartialEq)]
pub enum Epoch {
    /// From a store that gives no number twice: an `EpochFile`, or a counter of other hardware,
    /// such as a TPM's. Nothing compares it with earlier ones.
    Stored(NonZeroU64),
    /// There is no such store. **An end that then repeats its randomness repeats its key stream**:
    /// the other end's messages can be replayed to it.
    NoStore,
}

impl Epoch {
    /// As the identifier has it: 0 where there is no store.
    #[must_use]
    pub const fn number(&self) -> u64 {
        match self {
            Self::Stored(number) => number.get(),
            Self::NoStore => 0,
        }
    }
}
