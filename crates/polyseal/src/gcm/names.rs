//! The names of AES-GCM and of the algorithms built on it: type aliases, and rows of the registry.

use aead::consts::{U12, U13, U14, U15, U16, U24};

use super::aes::{Aes128, Aes256};
use super::cipher::Gcm;
use super::dndk::{Dndk, DndkV1};
use super::hmac_hkdf::{HkdfDerived, HmacDerived};
use super::nonce_derived::NonceDerived;
#[cfg(feature = "papers")]
use super::other_commitments::{C3, FCom};
use super::padding_fix::MAX_PADDED_BYTES;
use super::scheme::Committing;
use super::siv::MAX_SIV_BYTES;
use super::xaes::Xaes;
use super::{MAX_AD_BYTES, MAX_MESSAGE_BYTES};
use crate::family::{
    Algorithm, Claims, Commitment, Cost, Family, FamilyLimits, FamilySizes, Identity, Kind, Level,
    Listed, Misuse, Mode, Param, Repeats, Specification, maker,
};
use crate::sizes::Sizes;

/// AES-128-GCM: 16-byte key, 12-byte nonce, 16-byte tag.
pub type Aes128Gcm = Gcm<Aes128, U12, U16>;
/// AES-256-GCM: 32-byte key, 12-byte nonce, 16-byte tag.
pub type Aes256Gcm = Gcm<Aes256, U12, U16>;
/// AES-256-GCM with a tag cut to 15 bytes.
pub type Aes256GcmTag15 = Gcm<Aes256, U12, U15>;
/// AES-256-GCM with a tag cut to 14 bytes.
pub type Aes256GcmTag14 = Gcm<Aes256, U12, U14>;
/// AES-256-GCM with a tag cut to 13 bytes.
pub type Aes256GcmTag13 = Gcm<Aes256, U12, U13>;
/// AES-256-GCM with a tag cut to 12 bytes.
pub type Aes256GcmTag12 = Gcm<Aes256, U12, U12>;
/// XAES-256-GCM: 32-byte key, 24-byte nonce, 16-byte tag.
pub type Xaes256Gcm = NonceDerived<Xaes>;
/// KC-XAES-256-GCM: 32-byte key, 24-byte nonce, 48-byte tag T ‖ K_C.
pub type KcXaes256Gcm = KcXaes256GcmNonce<U24>;
/// KC-XAES-256-GCM with nonces of `N` bytes, 20 to 24.
pub type KcXaes256GcmNonce<N> = NonceDerived<Committing<Xaes<N>>>;
/// DNDK-GCM, version 2: 32-byte key, 24-byte nonce, 16-byte tag.
pub type DndkGcm = DndkGcmNonce<U24>;
/// DNDK-GCM, version 2, with nonces of `N` bytes, 12 to 27.
pub type DndkGcmNonce<N> = NonceDerived<Dndk<N>>;
/// DNDK-GCM, version 2, with a commitment: 24-byte nonce, 48-byte tag T ‖ K_C.
pub type DndkKcGcm = DndkKcGcmNonce<U24>;
/// The same with nonces of `N` bytes, 12 to 27.
pub type DndkKcGcmNonce<N> = NonceDerived<Committing<Dndk<N, true>>>;
/// DNDK-GCM, version 1: 32-byte key, 24-byte nonce, 16-byte tag.
pub type DndkV1Gcm = NonceDerived<DndkV1>;
/// DNDK-GCM, version 1, with a commitment: 48-byte tag T ‖ K_C.
pub type DndkV1KcGcm = NonceDerived<Committing<DndkV1>>;
/// AES-256-GCM under keys from HMAC-SHA256: 32-byte key, 24-byte nonce, 16-byte tag.
pub type HAes256Gcm = NonceDerived<HmacDerived>;
/// The same with a commitment: 48-byte tag T ‖ K_C.
pub type HKcAes256Gcm = NonceDerived<Committing<HmacDerived>>;
/// AES-256-GCM under keys from HKDF-SHA-512, with its commitment: 32-byte key, 32-byte nonce (the
/// salt), 48-byte tag T ‖ K_C.
pub type HkdfCommittedAes256Gcm = NonceDerived<Committing<HkdfDerived>>;

const TAGS: Sizes = Sizes::range(12, 16, 16);

/// Nonces of every length up to 512 bytes; as types, of any length.
const NONCES: Sizes = Sizes::range(1, 512, 12);
const KC_NONCES: Sizes = Sizes::range(20, 24, 24);
const DNDK_NONCES: Sizes = Sizes::range(12, 27, 24);

const T: Sizes = Sizes::one(16);
const T_AND_KC: Sizes = Sizes::one(48);

/// A claim for tags T ‖ K_C.
const fn commitment(level: Level, bits: u32, condition: &'static str) -> [Commitment; 1] {
    [Commitment { level, tag_bytes: 48, bits, condition }]
}

// Costs were measured on an AMD EPYC (Zen 4), seal and open, 1 KiB and 64 KiB.

const SP_800_38D: &str = "NIST SP 800-38D";
const PAPER: &str = "P. Kampanakis, S. Halevi, N. Ebeid, M. Campagna, Blockcipher-Based Key \
                     Commitment for Nonce-Derived Schemes (eprint 2025/758)";

/// The common part of the rows: AES-256-GCM itself. Its limits are those of SP 800-38D, sections
/// 5.2.1.1 and 8.3.
const GCM: Family = Family {
    identity: Identity {
        id: "aes-256-gcm",
        purpose: "what others speak",
        name: "AES-256-GCM",
        kind: Kind::Aead,
        specification: Specification { title: SP_800_38D, section: "7" },
        papers_only: false,
    },
    sizes: FamilySizes {
        key_bytes: Sizes::one(32),
        nonce_bytes: NONCES,
        tag_bytes: TAGS,
        listed: Listed::All,
        params: &[],
        one_param: false,
        lengths: None,
        #[cfg(feature = "flex")]
        layout: None,
    },
    limits: FamilyLimits {
        max_message_bytes: MAX_MESSAGE_BYTES,
        max_ad_bytes: MAX_AD_BYTES,
        random_nonce_messages_log2: Some(32),
        counted_nonce_messages_log2: None,
        // Only nonces of 12 bytes that are certain to differ may be more (8.3).
        counted_other_nonce_messages_log2: Some(32),
        // 2^48 blocks, a tag's mask being one: they are then told from random ones with 2^-33 at
        // most (draft-irtf-cfrg-aead-limits, 6.2.1).
        total_bytes_log2: Some(52),
        // A forger has 2 (L + 1) / 2^t, L the blocks of the message and its associated data (6.2.2
        // there): together 2^36 bytes, as much as the longest message, cost 33 bits. More
        // associated data costs more.
        forgery_bits: 128,
        forgery_loss_bits: 33,
        mode: |_| Mode::Gcm { padding_blocks: 0 },
    },
    claims: Claims {
        commitment: &[],
        commitment_repeats: Repeats::WithTag,
        misuse: Misuse::Breaks,
        nonce_hiding: false,
        parallel: true,
        online: true,
        fips: true,
        reviewed: true,
        properties: &["inverse-free", "parallelizable", "single-pass", "streamable"],
    },
    cost: None,
    maker: maker!(Aead: makers::gcm::<Aes256>),
};

/// GCM under keys from nonces of 24 bytes. A commitment that is compared together with T takes
/// nothing off a forger's chances: under a nonce that has been used it is known.
const DERIVED: Family = Family {
    sizes: FamilySizes { nonce_bytes: Sizes::one(24), tag_bytes: T, ..GCM.sizes },
    limits: FamilyLimits {
        random_nonce_messages_log2: Some(80),
        counted_other_nonce_messages_log2: None,
        total_bytes_log2: None,
        mode: |_| Mode::derived(12, None),
        ..GCM.limits
    },
    ..GCM
};

// Where the nonce travels, both keys have the same one, and theorem 1 bounds it: it allows 2^-11
// after 2^112 calls, and one half after about 2^121. The claim keeps to where an attack is still
// unlikely (`commitment::for_kc`).
const F_COM: &[Commitment] = &commitment(
    Level::Cmt2,
    112,
    "where the nonce travels with the ciphertext; where it is implied, to the key alone, with \
     2^64, and not to the nonce",
);

/// The padding fix, of whatever key.
const PADDING: &[Commitment] = &commitment(
    Level::Cmt1,
    128,
    "for one nonce, in the ideal-cipher model; 96 bits where the nonce is implied",
);

/// The paper's schemes that it describes and does not choose: T and K_C, to compare with.
#[cfg(feature = "papers")]
const DESCRIBED: Family = Family {
    identity: Identity {
        specification: Specification { title: PAPER, section: "1, F_com over another derivation" },
        papers_only: true,
        ..DERIVED.identity
    },
    sizes: FamilySizes { tag_bytes: T_AND_KC, ..DERIVED.sizes },
    limits: FamilyLimits { mode: |_| Mode::with_f_com(12, None), ..DERIVED.limits },
    claims: Claims {
        commitment: F_COM,
        commitment_repeats: Repeats::WITH_WHOLE_NONCE,
        properties: COMMITTING,
        ..DERIVED.claims
    },
    ..DERIVED
};

const COMMITTING: &[&str] =
    &["inverse-free", "key-commitment", "parallelizable", "single-pass", "streamable"];

/// The rows of the registry.
pub(crate) const FAMILIES: &[Family] = &[
    Family {
        identity: Identity {
            id: "aes-128-gcm",
            purpose: "what others speak",
            name: "AES-128-GCM",
            ..GCM.identity
        },
        sizes: FamilySizes { key_bytes: Sizes::one(16), ..GCM.sizes },
        cost: Cost::measured(25_287, 8_636, 703, 385, 335, 19_982),
        maker: maker!(Aead: makers::gcm::<Aes128>),
        ..GCM
    },
    Family { cost: Cost::measured(29_340, 11_705, 822, 451, 393, 23_260), ..GCM },
    Family {
        identity: Identity {
            id: "xaes-256-gcm",
            purpose: "random nonces, FIPS parts",
            name: "XAES-256-GCM",
            specification: Specification { title: "c2sp.org/XAES-256-GCM", section: "" },
            ..DERIVED.identity
        },
        limits: FamilyLimits { mode: |_| Mode::derived(12, Some(2)), ..DERIVED.limits },
        cost: Cost::measured(34_486, 12_274, 1_040, 708, 654, 26_319),
        maker: maker!(Aead: makers::derived::<Xaes>),
        ..DERIVED
    },
    Family {
        identity: Identity {
            id: "kc-xaes-256-gcm",
            purpose: "random nonces, FIPS parts, commits",
            name: "KC-XAES-256-GCM",
            specification: Specification { title: PAPER, section: "figure 2, specification 1" },
            ..DERIVED.identity
        },
        sizes: FamilySizes { nonce_bytes: KC_NONCES, tag_bytes: T_AND_KC, ..DERIVED.sizes },
        limits: FamilyLimits { mode: |_| Mode::with_f_com(12, Some(5)), ..DERIVED.limits },
        claims: Claims {
            commitment: F_COM,
            commitment_repeats: Repeats::WITH_WHOLE_NONCE,
            properties: COMMITTING,
            ..DERIVED.claims
        },
        cost: Cost::measured(36_761, 13_168, 1_087, 756, 704, 26_923),
        maker: maker!(Aead: makers::derived::<Committing<Xaes>>),
        ..DERIVED
    },
    Family {
        identity: Identity {
            id: "aes-256-gcm-siv",
            purpose: "repeated nonces",
            name: "AES-256-GCM-SIV",
            specification: Specification { title: "RFC 8452", section: "5" },
            ..DERIVED.identity
        },
        sizes: FamilySizes { nonce_bytes: Sizes::one(12), ..DERIVED.sizes },
        limits: FamilyLimits {
            max_message_bytes: MAX_SIV_BYTES,
            max_ad_bytes: MAX_SIV_BYTES,
            // As many as leave a repeated nonce to 2^-33, which would show equal inputs.
            random_nonce_messages_log2: Some(32),
            // The halves of the permutation's outputs, 6 for each message, are then told from
            // random ones with 6 · 2^60 / 2^96.
            counted_nonce_messages_log2: Some(60),
            // 2^64 blocks: messages of 2^36 bytes, together with their associated data, are then
            // told from random ones with 2^-33 (`bounds::siv`).
            total_bytes_log2: Some(68),
            mode: |_| Mode::Siv { halves: 6 },
            ..DERIVED.limits
        },
        claims: Claims {
            misuse: Misuse::Resistant,
            online: false,
            fips: false,
            properties: &["inverse-free", "nonce-misuse-resistance", "parallelizable"],
            ..DERIVED.claims
        },
        maker: maker!(Aead: makers::siv),
        ..DERIVED
    },
    Family {
        identity: Identity {
            id: "dndk-gcm",
            purpose: "random nonces, as a draft has them",
            name: "DNDK-GCM",
            specification: Specification {
                title: "draft-gueron-cfrg-dndkgcm",
                section: "-01, -03",
            },
            ..DERIVED.identity
        },
        sizes: FamilySizes {
            nonce_bytes: DNDK_NONCES,
            tag_bytes: Sizes::these(&[16, 48], 16),
            params: &[Param::number("version", &[1, 2], 2), Param::number("kc", &[0, 1], 0)],
            lengths: Some(dndk_lengths),
            ..DERIVED.sizes
        },
        limits: FamilyLimits {
            total_bytes_log2: Some(64),
            mode: |algorithm| Mode::derived(dndk_head(algorithm), None),
            ..DERIVED.limits
        },
        claims: Claims {
            commitment: &commitment(Level::ForKc, 64, "claimed by the draft, which proves nothing"),
            commitment_repeats: Repeats::WithNonce(dndk_head),
            fips: false,
            ..DERIVED.claims
        },
        maker: maker!(Aead: makers::dndk),
        ..DERIVED
    },
    Family {
        identity: Identity {
            id: "h-aes-256-gcm",
            purpose: "random nonces by HMAC-SHA256",
            name: "HMAC-derived AES-256-GCM",
            specification: Specification { title: PAPER, section: "table 4, as defined here" },
            ..DERIVED.identity
        },
        maker: maker!(Aead: makers::derived::<HmacDerived>),
        ..DERIVED
    },
    Family {
        identity: Identity {
            id: "h-kc-aes-256-gcm",
            purpose: "random nonces by HMAC-SHA256",
            name: "HMAC-derived AES-256-GCM with key commitment",
            specification: Specification { title: PAPER, section: "table 4, as defined here" },
            ..DERIVED.identity
        },
        sizes: FamilySizes { tag_bytes: T_AND_KC, ..DERIVED.sizes },
        claims: Claims {
            commitment: &commitment(Level::Cmt2, 128, "as far as SHA-256 resists collisions"),
            commitment_repeats: Repeats::WITH_WHOLE_NONCE,
            properties: COMMITTING,
            ..DERIVED.claims
        },
        maker: maker!(Aead: makers::derived::<Committing<HmacDerived>>),
        ..DERIVED
    },
    Family {
        identity: Identity {
            id: "hkdf-committed-aes-256-gcm",
            purpose: "data keys as AWS derives them",
            name: "HKDF-derived AES-256-GCM with key commitment",
            specification: Specification {
                title: "AWS Encryption SDK specification",
                section: "algorithm suite 0x0478, derivation and commitment",
            },
            ..DERIVED.identity
        },
        sizes: FamilySizes { nonce_bytes: Sizes::one(32), tag_bytes: T_AND_KC, ..DERIVED.sizes },
        limits: FamilyLimits {
            random_nonce_messages_log2: None,
            mode: |_| Mode::derived(32, None),
            ..DERIVED.limits
        },
        claims: Claims {
            commitment: &commitment(Level::Cmt2, 128, "as far as SHA-512 resists collisions"),
            commitment_repeats: Repeats::WITH_WHOLE_NONCE,
            fips: false,
            properties: COMMITTING,
            ..DERIVED.claims
        },
        maker: maker!(Aead: makers::derived::<Committing<HkdfDerived>>),
        ..DERIVED
    },
    Family {
        identity: Identity {
            id: "padding-fix-aes-256-gcm",
            purpose: "GCM that commits by padding",
            name: "AES-256-GCM with the padding fix",
            specification: Specification {
                title: "A. Albertini et al., How to Abuse and Fix Authenticated Encryption Without \
                        Key Commitment (eprint 2020/1456)",
                section: "5.3",
            },
            ..GCM.identity
        },
        sizes: FamilySizes { nonce_bytes: Sizes::one(12), tag_bytes: T_AND_KC, ..GCM.sizes },
        limits: FamilyLimits {
            max_message_bytes: MAX_PADDED_BYTES,
            mode: |_| Mode::Gcm { padding_blocks: 2 },
            ..GCM.limits
        },
        claims: Claims {
            commitment: PADDING,
            commitment_repeats: Repeats::WITH_WHOLE_NONCE,
            properties: COMMITTING,
            ..GCM.claims
        },
        maker: maker!(Aead: makers::padding_fix),
        ..GCM
    },
    #[cfg(feature = "papers")]
    Family {
        identity: Identity {
            id: "padding-fix-xaes-256-gcm",
            purpose: "to compare: padding",
            name: "XAES-256-GCM with the padding fix",
            specification: Specification { title: PAPER, section: "C.1" },
            ..DESCRIBED.identity
        },
        limits: FamilyLimits {
            max_message_bytes: MAX_PADDED_BYTES,
            mode: |_| Mode::Derived {
                head_bytes: 12,
                permutation_calls: Some(2),
                padding_blocks: 2,
                f_com: false,
            },
            ..DESCRIBED.limits
        },
        claims: Claims {
            commitment: PADDING,
            commitment_repeats: Repeats::WITH_WHOLE_NONCE,
            ..DESCRIBED.claims
        },
        maker: maker!(Aead: makers::padding_fix_xaes),
        ..DESCRIBED
    },
    #[cfg(feature = "papers")]
    Family {
        identity: Identity {
            id: "kc-c3-xaes-256-gcm",
            purpose: "to compare: appendix C.3",
            name: "XAES-256-GCM with a commitment to 15 bytes of the nonce",
            specification: Specification { title: PAPER, section: "C.3" },
            ..DESCRIBED.identity
        },
        limits: FamilyLimits { mode: |_| Mode::derived(12, Some(4)), ..DESCRIBED.limits },
        claims: Claims {
            commitment: &commitment(Level::ForKc, 64, "the paper describes it and proves nothing"),
            commitment_repeats: Repeats::WithNonce(|_| 15),
            ..DESCRIBED.claims
        },
        maker: maker!(Aead: makers::with_commitment::<C3, Xaes>),
        ..DESCRIBED
    },
    #[cfg(feature = "papers")]
    Family {
        identity: Identity {
            id: "f-com-h-aes-256-gcm",
            purpose: "to compare: F_com over HMAC",
            name: "HMAC-derived AES-256-GCM with KC-XAES's commitment",
            ..DESCRIBED.identity
        },
        maker: maker!(Aead: makers::with_commitment::<FCom, HmacDerived>),
        ..DESCRIBED
    },
    #[cfg(feature = "papers")]
    Family {
        identity: Identity {
            id: "f-com-hkdf-aes-256-gcm",
            purpose: "to compare: F_com over HKDF",
            name: "HKDF-derived AES-256-GCM with KC-XAES's commitment",
            ..DESCRIBED.identity
        },
        limits: FamilyLimits { mode: |_| Mode::with_f_com(24, None), ..DESCRIBED.limits },
        claims: Claims { fips: false, ..DESCRIBED.claims },
        maker: maker!(Aead: makers::with_commitment::<FCom, HkdfDerived>),
        ..DESCRIBED
    },
    #[cfg(feature = "papers")]
    Family {
        identity: Identity {
            id: "f-com-dndk-gcm",
            purpose: "to compare: F_com over DNDK",
            name: "DNDK-GCM with KC-XAES's commitment",
            ..DESCRIBED.identity
        },
        sizes: FamilySizes { params: &[Param::number("version", &[1, 2], 2)], ..DESCRIBED.sizes },
        limits: FamilyLimits {
            total_bytes_log2: Some(64),
            mode: |algorithm| Mode::with_f_com(dndk_head(algorithm), None),
            ..DESCRIBED.limits
        },
        claims: Claims { fips: false, ..DESCRIBED.claims },
        maker: maker!(Aead: makers::f_com_dndk),
        ..DESCRIBED
    },
];

/// How much of the nonce derives DNDK's key, in bytes.
fn dndk_head(algorithm: &Algorithm) -> usize {
    if algorithm.param("version") == Some(1) { 24 } else { 15 }
}

/// Version 1 has 24-byte nonces only, and a commitment makes the tag longer.
fn dndk_lengths(algorithm: &Algorithm) -> (Sizes, Sizes) {
    let nonces = if algorithm.param("version") == Some(1) { Sizes::one(24) } else { DNDK_NONCES };
    (nonces, if algorithm.param("kc") == Some(1) { T_AND_KC } else { T })
}

/// Instances by registry entry. A nonce's length is checked before an instance is asked.
#[cfg(all(feature = "alloc", not(test)))]
mod makers {
    use aead::Key;

    use super::super::aes::Aes;
    use super::super::cipher::ExpandedKey;
    #[cfg(feature = "papers")]
    use super::super::other_commitments::{AddedCommitment, Commit, PaddingFixXaes256Gcm};
    use super::super::padding_fix::PaddingFixAes256Gcm;
    use super::super::scheme::Scheme;
    use super::super::siv::Aes256GcmSiv;
    #[cfg(feature = "papers")]
    use super::FCom;
    use super::{Committing, Dndk, DndkV1, NonceDerived};
    use crate::backend::Backend;
    use crate::contract::dynamic::{BoxedAead, boxed};
    use crate::family::Algorithm;

    pub(super) fn gcm<A: Aes>(_: &Algorithm, key: &[u8], backend: Backend) -> BoxedAead {
        boxed(ExpandedKey::<A>::new(key, backend))
    }

    pub(super) fn padding_fix(_: &Algorithm, key: &[u8], backend: Backend) -> BoxedAead {
        boxed(PaddingFixAes256Gcm::on(key, backend))
    }

    #[cfg(feature = "papers")]
    pub(super) fn padding_fix_xaes(_: &Algorithm, key: &[u8], backend: Backend) -> BoxedAead {
        boxed(PaddingFixXaes256Gcm::on(key, backend))
    }

    #[cfg(feature = "papers")]
    pub(super) fn with_commitment<C: Commit, S: Scheme>(
        _: &Algorithm,
        key: &[u8],
        backend: Backend,
    ) -> BoxedAead {
        boxed(AddedCommitment::<C, S>::on(key, backend))
    }

    #[cfg(feature = "papers")]
    pub(super) fn f_com_dndk(algorithm: &Algorithm, key: &[u8], backend: Backend) -> BoxedAead {
        let make = match algorithm.param("version") {
            Some(1) => with_commitment::<FCom, DndkV1>,
            _ => with_commitment::<FCom, Dndk>,
        };
        make(algorithm, key, backend)
    }

    pub(super) fn siv(_: &Algorithm, key: &[u8], backend: Backend) -> BoxedAead {
        boxed(Aes256GcmSiv::on(key, backend))
    }

    pub(super) fn derived<S: Scheme>(_: &Algorithm, key: &[u8], backend: Backend) -> BoxedAead {
        let Ok(key) = <&Key<NonceDerived<S>>>::try_from(key) else {
            unreachable!("the key's length has been checked")
        };
        boxed(NonceDerived::<S>::on(key, backend))
    }

    pub(super) fn dndk(algorithm: &Algorithm, key: &[u8], backend: Backend) -> BoxedAead {
        let make = match (algorithm.param("version"), algorithm.param("kc")) {
            (Some(1), Some(1)) => derived::<Committing<DndkV1>>,
            (Some(1), _) => derived::<DndkV1>,
            (_, Some(1)) => derived::<Committing<Dndk<super::U24, true>>>,
            _ => derived::<Dndk>,
        };
        make(algorithm, key, backend)
    }
}
