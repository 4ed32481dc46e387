//! The names of OCH: a type alias, and rows of the registry.
//!
//! Where the nonce is hidden, the row's tag is all that a sealed message has beside the message's
//! ciphertext: the encrypted nonce, which stands in front of it, and the tag behind it.

use super::cipher::OchAreion;
use super::{BLOCK, MAX_AD_BYTES, MAX_MESSAGE_BYTES};
use crate::family::{
    Claims, Commitment, Family, FamilyLimits, FamilySizes, Identity, InstanceLimits, Kind, Layout,
    Level, Listed, Misuse, Mode, Repeats, Specification, maker,
};
use crate::sizes::Sizes;

/// OCH-P: 32-byte key, 32-byte nonce, 32-byte tag. Nonces must not be repeated.
pub type OchAreionP = OchAreion<false>;

/// OCH-P. The limits are those of the sketch in the specification's section 8.
const P: Family = Family {
    identity: Identity {
        id: "och-areion-p",
        purpose: "to compare: mended OCH",
        name: "OCH-P over Areion, mended",
        kind: Kind::Aead,
        specification: Specification { title: "OCH-2026, mended, docs/spec/och.md", section: "5" },
        papers_only: true,
    },
    sizes: FamilySizes {
        key_bytes: Sizes::one(BLOCK),
        nonce_bytes: Sizes::one(BLOCK),
        tag_bytes: Sizes::one(BLOCK),
        listed: Listed::All,
        params: &[],
        one_param: false,
        lengths: None,
        layout: None,
    },
    limits: FamilyLimits {
        max_message_bytes: MAX_MESSAGE_BYTES,
        max_ad_bytes: MAX_AD_BYTES,
        random_nonce_messages_log2: Some(112),
        counted_nonce_messages_log2: None,
        counted_other_nonce_messages_log2: None,
        total_bytes_log2: None,
        // q / 2^128 for the checksum.
        forgery_bits: 128,
        forgery_loss_bits: 0,
        mode: |_| Mode::Direct,
    },
    claims: Claims {
        commitment: &[Commitment {
            level: Level::Cmt4,
            tag_bytes: BLOCK,
            bits: 128,
            condition: "by a sketch, as far as Areion is ideal; not reviewed by third parties",
        }],
        commitment_repeats: Repeats::WithTag,
        misuse: Misuse::Breaks,
        nonce_hiding: false,
        parallel: true,
        online: true,
        fips: false,
        reviewed: false,
        properties: &["full-commitment", "parallelizable", "single-pass", "streamable"],
    },
    // There to compare with: a row that has a cost can be chosen for its speed.
    cost: None,
    maker: maker!(Aead: makers::och::<false>),
};

/// The rows of the registry.
pub(crate) const FAMILIES: &[Family] = &[
    P,
    Family {
        identity: Identity {
            id: "och-areion-s",
            purpose: "to compare: OCH with a hidden nonce",
            name: "OCH-S over Areion, mended, with a hidden nonce",
            ..P.identity
        },
        sizes: FamilySizes {
            tag_bytes: Sizes::one(2 * BLOCK),
            layout: Some(|_| {
                Ok(Layout {
                    head_bytes: BLOCK,
                    tag_bytes: BLOCK,
                    overhead_bytes: 2 * BLOCK,
                    max_message_bytes: MAX_MESSAGE_BYTES,
                    key: InstanceLimits {
                        max_messages: None,
                        max_total_bytes: None,
                        segment_bytes: None,
                    },
                })
            }),
            ..P.sizes
        },
        claims: Claims {
            nonce_hiding: true,
            properties: &[
                "full-commitment",
                "nonce-hiding",
                "parallelizable",
                "single-pass",
                "streamable",
            ],
            ..P.claims
        },
        maker: maker!(Aead: makers::och::<true>),
        ..P
    },
];

/// Instances by registry entry.
#[cfg(all(feature = "alloc", not(test)))]
mod makers {
    use crate::backend::Backend;
    use crate::contract::dynamic::BoxedAead;
    use crate::family::Algorithm;
    use crate::och::OchAreion;

    pub(super) fn och<const HIDES: bool>(_: &Algorithm, key: &[u8], backend: Backend) -> BoxedAead {
        OchAreion::<HIDES>::boxed_on(key, backend)
    }
}
