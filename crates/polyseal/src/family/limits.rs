//! The limits of one key, by the algorithm's specification.

use super::{Algorithm, ModeOf};

/// The limits of one key. `crate::limits` computes from them those of an instance's key.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FamilyLimits {
    /// The longest message in bytes.
    pub max_message_bytes: u64,
    /// The longest associated data in bytes.
    pub max_ad_bytes: u64,
    /// With random nonces of the default length, and if no commitment repeats before, at most `2^`
    /// this many messages a key; `None`: no practical limit. Only
    /// [`Limits`](crate::limits::Limits) reads it, and says what holds for an instance.
    pub(crate) random_nonce_messages_log2: Option<u32>,
    /// With nonces that are certain to differ, at most `2^` this many messages a key; `None`: as
    /// many as there are nonces.
    pub counted_nonce_messages_log2: Option<u32>,
    /// The same for nonces that have not the default length.
    pub counted_other_nonce_messages_log2: Option<u32>,
    /// At most `2^` this many bytes a key, messages and associated data together; `None`: no
    /// practical limit.
    pub total_bytes_log2: Option<u32>,
    /// An attempt at forgery with a short message succeeds with a probability of `2^-` this at
    /// best, or with that of guessing the tag, whichever is likelier.
    pub forgery_bits: u32,
    /// The bits that the longest message takes off these.
    pub forgery_loss_bits: u32,
    /// How the key is used.
    pub(crate) mode: ModeOf,
}

/// The limits of one key where parameters choose them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InstanceLimits {
    /// How many messages one key may seal, segments being messages; `None`: no practical limit.
    pub(crate) max_messages: Option<u128>,
    /// How many bytes one key may seal; `None`: no practical limit.
    pub(crate) max_total_bytes: Option<u128>,
    /// With segments, the length in bytes of each but the last.
    pub(crate) segment_bytes: Option<usize>,
}

impl Algorithm {
    /// The limits of one key, where parameters choose them.
    pub(crate) fn instance_limits(&self) -> Option<InstanceLimits> {
        #[cfg(feature = "flex")]
        return self.layout().map(|layout| layout.key);
        #[cfg(not(feature = "flex"))]
        None
    }
}
