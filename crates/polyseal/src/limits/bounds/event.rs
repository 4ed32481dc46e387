//! The event that a bound is about, as a value: so that no sum has one of them twice.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Amount, Bound};

/// The event that a [`Bound`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event {
    /// Messages under one key have nonces with the same first bytes. That is a repeated nonce if
    /// these are all bytes, a derived key shared if it is made of them, and a repeated commitment
    /// if that is.
    NoncesAgree {
        /// How many messages.
        messages: u32,
        /// In how many bytes.
        bytes: u32,
    },
    /// Two messages have one tag.
    TagsMeet,
    /// Two calls that make a tag of Flex have one input, but for the key.
    TagInputsMeet,
    /// Two nonces are hashed to counters that meet.
    CountersMeet,
    /// Halves of a permutation's outputs, which are keys, are told from random ones.
    HalvesTold,
    /// The outputs of a permutation that derives keys are told from random ones: they differ.
    DerivationTold,
    /// The encryption is told from random bytes, by no other event.
    EncryptionTold,
    /// The encryption is told from random bytes, because two inner states are the same.
    StatesMeet,
    /// An inner state is among the adversary's own calls.
    StateGuessed,
    /// A message is forged.
    Forged,
    /// Two forgeries are deciphered under one key, made of their tags.
    OpenedKeysMeet,
    /// Two forgeries are deciphered to one text.
    OpenedTextsMeet,
    /// The key is found.
    KeyFound,
    /// Two inputs of the adversary's choice have one commitment.
    CommitmentBroken,
    /// Two keys, and one nonce that is sent with the ciphertext, have one commitment.
    TwoKeysOneNonce,
    /// Two keys, and two nonces that are not sent with the ciphertext, have one commitment.
    TwoKeysNoncesNotSent,
    /// One key, and two nonces that are not sent with the ciphertext, have one commitment.
    OneKeyNoncesNotSent,
}

impl Event {
    /// Whether this is another event, and never happens without `whole`.
    #[must_use]
    pub fn is_part_of(self, whole: Self) -> bool {
        match (self, whole) {
            (
                Self::NoncesAgree { messages, bytes },
                Self::NoncesAgree { messages: fewer_messages, bytes: fewer_bytes },
            ) => self != whole && fewer_messages <= messages && fewer_bytes <= bytes,
            _ => false,
        }
    }
}

/// The bounds of an assessment on their way.
pub(super) struct Bounds(pub(super) Vec<Bound>);

impl Bounds {
    /// Adds a bound, unless its event has one.
    pub(super) fn add(
        &mut self,
        event: Event,
        name: &'static str,
        amount: Amount,
        formula: impl Into<String>,
        source: impl Into<String>,
    ) {
        if self.0.iter().all(|bound| bound.event != event) {
            let (formula, source) = (formula.into(), source.into());
            self.0.push(Bound { event, name, formula, source, amount });
        }
    }
}
