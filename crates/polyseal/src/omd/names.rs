//! The names of OMD: type aliases, and rows of the registry.

use aead::consts::{U8, U12, U13, U16, U20, U24, U31, U32, U64};

use super::cipher::Omd;
use super::{MAX_AD_BYTES, MAX_MESSAGE_BYTES};
use crate::family::{
    Algorithm, Claims, Family, FamilyLimits, FamilySizes, Identity, Kind, Listed, Misuse, Mode,
    Param, ParamKind, Repeats, Specification, maker,
};
use crate::hash::{Blake2b, Sha256, Sha512};
use crate::sizes::Sizes;

/// OMD-SHA-256: 32-byte key, 31-byte nonce, 32-byte tag.
pub type OmdSha256 = Omd<Sha256, U32, U31, U32>;
/// OMD-SHA-256 with a 16-byte key, a 12-byte nonce and a 16-byte tag.
pub type OmdSha256K128N96Tau128 = Omd<Sha256, U16, U12, U16>;
/// OMD-SHA-256 with a 16-byte key, a 12-byte nonce and a 12-byte tag.
pub type OmdSha256K128N96Tau96 = Omd<Sha256, U16, U12, U12>;
/// OMD-SHA-256 with a 16-byte key, a 12-byte nonce and an 8-byte tag.
pub type OmdSha256K128N96Tau64 = Omd<Sha256, U16, U12, U8>;
/// OMD-SHA-256 with a 24-byte key, a 13-byte nonce and a 16-byte tag.
pub type OmdSha256K192N104Tau128 = Omd<Sha256, U24, U13, U16>;
/// OMD-SHA-256 with a 32-byte key, a 13-byte nonce and a 20-byte tag.
pub type OmdSha256K256N104Tau160 = Omd<Sha256, U32, U13, U20>;
/// OMD-SHA-512: 64-byte key, 32-byte nonce, 64-byte tag.
pub type OmdSha512 = Omd<Sha512, U64, U32, U64>;
/// OMD-SHA-512 with a 16-byte key, a 16-byte nonce and a 16-byte tag.
pub type OmdSha512K128N128Tau128 = Omd<Sha512, U16, U16, U16>;
/// OMD-SHA-512 with a 32-byte key, a 32-byte nonce and a 32-byte tag.
pub type OmdSha512K256N256Tau256 = Omd<Sha512, U32, U32, U32>;
/// OMD-SHA-512 with a 64-byte key, a 32-byte nonce and a 32-byte tag.
pub type OmdSha512K512N256Tau256 = Omd<Sha512, U64, U32, U32>;
/// OMD-BLAKE2b: 64-byte key, 32-byte nonce, 64-byte tag.
pub type OmdBlake2b = Omd<Blake2b, U64, U32, U64>;
/// OMD-BLAKE2b with a 64-byte key, a 32-byte nonce and a 32-byte tag.
pub type OmdBlake2bK512N256Tau256 = Omd<Blake2b, U64, U32, U32>;
/// OMD-BLAKE2b with a 32-byte key, a 32-byte nonce and a 32-byte tag.
pub type OmdBlake2bK256N256Tau256 = Omd<Blake2b, U32, U32, U32>;

/// The mode over chaining values of `N` bytes.
fn mode<const N: usize>(algorithm: &Algorithm) -> Mode {
    let secure = algorithm.param("rule") != Some(1) && algorithm.param("version") != Some(1);
    Mode::Chained { bytes: N, forgeable: !secure }
}

/// Which published rule for empty inputs is followed: for the papers' sake, for they are forgeable.
#[cfg(feature = "papers")]
const PARAMS: &[Param] = &[
    Param {
        name: "rule",
        allowed: &[0, 1],
        default: 0,
        kind: ParamKind::Name(&["secure", "reference"]),
    },
    Param::number("version", &[1, 2], 2),
];
#[cfg(not(feature = "papers"))]
const PARAMS: &[Param] = &[];

/// The common part of the rows: OMD-SHA-512.
///
/// Bounds are those of theorems 1 and 2 of the specification: with σ blocks, 3σ² / 2^n beside what
/// F is worth as a pseudorandom function; a forger has ℓ / 2^n for a message of ℓ blocks, or
/// guesses the tag. With chaining values of 512 bits the first is no practical limit.
const SHA_512: Family = Family {
    identity: Identity {
        id: "omd-sha512",
        purpose: "security from SHA-512",
        name: "OMD-SHA-512",
        kind: Kind::Aead,
        specification: Specification {
            title: "docs/spec/omd.md: OMD v2.0, secure empty inputs",
            section: "4",
        },
        papers_only: false,
    },
    sizes: FamilySizes {
        key_bytes: Sizes::range(1, 64, 64),
        nonce_bytes: Sizes::range(0, 63, 32),
        tag_bytes: Sizes::range(1, 64, 64),
        listed: Listed::Named(&[[64, 32, 64], [64, 32, 32], [32, 32, 32], [16, 16, 16]]),
        params: PARAMS,
        one_param: true,
        lengths: None,
        #[cfg(feature = "flex")]
        layout: None,
    },
    limits: FamilyLimits {
        max_message_bytes: MAX_MESSAGE_BYTES,
        max_ad_bytes: MAX_AD_BYTES,
        // For nonces of 32 bytes. Others have the same formula.
        random_nonce_messages_log2: Some(112),
        counted_nonce_messages_log2: None,
        counted_other_nonce_messages_log2: None,
        total_bytes_log2: None,
        // 2^61 bytes are 2^55 blocks, for one of 2^512; otherwise the tag is guessed.
        forgery_bits: 457,
        forgery_loss_bits: 0,
        mode: mode::<64>,
    },
    claims: Claims {
        commitment: &[],
        commitment_repeats: Repeats::WithTag,
        misuse: Misuse::Breaks,
        nonce_hiding: false,
        parallel: false,
        online: true,
        fips: false,
        reviewed: true,
        properties: &["inverse-free", "single-pass", "streamable"],
    },
    cost: None,
    maker: maker!(Aead: makers::omd::<Sha512>),
};

/// The rows of the registry.
pub(crate) const FAMILIES: &[Family] = &[
    Family {
        identity: Identity {
            id: "omd-sha256",
            purpose: "security from SHA-256",
            name: "OMD-SHA-256",
            ..SHA_512.identity
        },
        sizes: FamilySizes {
            key_bytes: Sizes::range(1, 32, 32),
            nonce_bytes: Sizes::range(0, 31, 31),
            tag_bytes: Sizes::range(1, 32, 32),
            listed: Listed::Named(&[
                [32, 31, 32],
                [32, 13, 20],
                [24, 13, 16],
                [16, 12, 16],
                [16, 12, 12],
                [16, 12, 8],
            ]),
            ..SHA_512.sizes
        },
        limits: FamilyLimits {
            random_nonce_messages_log2: Some(108),
            // 2^111 blocks: 3σ² / 2^256 is then below 2^-32.
            total_bytes_log2: Some(116),
            forgery_bits: 200,
            mode: mode::<32>,
            ..SHA_512.limits
        },
        maker: maker!(Aead: makers::omd::<Sha256>),
        ..SHA_512
    },
    SHA_512,
    Family {
        identity: Identity {
            id: "omd-blake2b",
            purpose: "unreviewed: from BLAKE2b",
            name: "OMD-BLAKE2b",
            specification: Specification {
                title: "docs/spec/omd.md: ours, after an idea of D. Maimuț and A. Mega",
                section: "2",
            },
            ..SHA_512.identity
        },
        sizes: FamilySizes {
            listed: Listed::Named(&[[64, 32, 64], [64, 32, 32], [32, 32, 32]]),
            ..SHA_512.sizes
        },
        claims: Claims {
            // Proposed for hardware, in a paper without a security claim of its own.
            reviewed: false,
            ..SHA_512.claims
        },
        maker: maker!(Aead: makers::omd::<Blake2b>),
        ..SHA_512
    },
];

/// Instances by registry entry.
#[cfg(all(feature = "alloc", not(test)))]
mod makers {
    use super::super::mode::ExpandedKey;
    use super::super::rule::Rule;
    use crate::backend::Backend;
    use crate::backend::hashes::HashBackend;
    use crate::contract::dynamic::{BoxedAead, boxed};
    use crate::family::Algorithm;
    use crate::hash::Compression;

    pub(super) fn omd<C: Compression>(
        algorithm: &Algorithm,
        key: &[u8],
        backend: Backend,
    ) -> BoxedAead {
        let rule = match (algorithm.param("version"), algorithm.param("rule")) {
            (Some(1), _) => Rule::Version1,
            (_, Some(1)) => Rule::Reference,
            _ => Rule::Secure,
        };
        let on = HashBackend::for_backend(backend);
        boxed(ExpandedKey::<C>::new(key, algorithm.tag_bytes(), rule, on))
    }
}
