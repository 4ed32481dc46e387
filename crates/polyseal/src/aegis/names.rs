//! The AEGIS family's names: type aliases, and rows of the registry.

use super::MAX_BYTES;
use super::cipher::Aegis;
use super::mac::AegisMac;
use super::stream::AegisStream;
#[cfg(feature = "papers")]
use super::variant::V1;
use super::variant::{X128, X256};
use crate::family::{
    Claims, Commitment, Cost, Family, FamilyLimits, FamilySizes, Identity, Kind, Level, Listed,
    Maker, Misuse, Mode, Param, Repeats, Specification, maker,
};
use crate::sizes::Sizes;

use aead::consts::{U16, U32};

/// AEGIS-128L: 16-byte key and nonce, 16-byte tag.
pub type Aegis128L = Aegis<X128<1>, U16>;
/// AEGIS-128L: 16-byte key and nonce, 32-byte tag.
pub type Aegis128LTag32 = Aegis<X128<1>, U32>;
/// AEGIS-128X2, two lanes: 16-byte key and nonce, 16-byte tag.
pub type Aegis128X2 = Aegis<X128<2>, U16>;
/// AEGIS-128X2, two lanes: 16-byte key and nonce, 32-byte tag.
pub type Aegis128X2Tag32 = Aegis<X128<2>, U32>;
/// AEGIS-128X4, four lanes: 16-byte key and nonce, 16-byte tag.
pub type Aegis128X4 = Aegis<X128<4>, U16>;
/// AEGIS-128X4, four lanes: 16-byte key and nonce, 32-byte tag.
pub type Aegis128X4Tag32 = Aegis<X128<4>, U32>;
/// AEGIS-256: 32-byte key and nonce, 16-byte tag.
pub type Aegis256 = Aegis<X256<1>, U16>;
/// AEGIS-256: 32-byte key and nonce, 32-byte tag.
pub type Aegis256Tag32 = Aegis<X256<1>, U32>;
/// AEGIS-256X2, two lanes: 32-byte key and nonce, 16-byte tag.
pub type Aegis256X2 = Aegis<X256<2>, U16>;
/// AEGIS-256X2, two lanes: 32-byte key and nonce, 32-byte tag.
pub type Aegis256X2Tag32 = Aegis<X256<2>, U32>;
/// AEGIS-256X4, four lanes: 32-byte key and nonce, 16-byte tag.
pub type Aegis256X4 = Aegis<X256<4>, U16>;
/// AEGIS-256X4, four lanes: 32-byte key and nonce, 32-byte tag.
pub type Aegis256X4Tag32 = Aegis<X256<4>, U32>;

/// AEGIS-128X of degree `D` as version 1.0 of the paper has it: 16-byte key and nonce, 16-byte tag.
#[cfg(feature = "papers")]
pub type Aegis128XV1<const D: usize> = Aegis<X128<D, V1>, U16>;
/// The same with a 32-byte tag.
#[cfg(feature = "papers")]
pub type Aegis128XV1Tag32<const D: usize> = Aegis<X128<D, V1>, U32>;
/// AEGIS-256X of degree `D` as version 1.0 of the paper has it: 32-byte key and nonce, 16-byte tag.
#[cfg(feature = "papers")]
pub type Aegis256XV1<const D: usize> = Aegis<X256<D, V1>, U16>;
/// The same with a 32-byte tag.
#[cfg(feature = "papers")]
pub type Aegis256XV1Tag32<const D: usize> = Aegis<X256<D, V1>, U32>;

/// AEGISMAC over AEGIS-128L, 16-byte tag.
pub type AegisMac128L = AegisMac<X128<1>, U16>;
/// AEGISMAC over AEGIS-128L, 32-byte tag.
pub type AegisMac128LTag32 = AegisMac<X128<1>, U32>;
/// AEGISMAC over AEGIS-128X2, 16-byte tag.
pub type AegisMac128X2 = AegisMac<X128<2>, U16>;
/// AEGISMAC over AEGIS-128X2, 32-byte tag.
pub type AegisMac128X2Tag32 = AegisMac<X128<2>, U32>;
/// AEGISMAC over AEGIS-128X4, 16-byte tag.
pub type AegisMac128X4 = AegisMac<X128<4>, U16>;
/// AEGISMAC over AEGIS-128X4, 32-byte tag.
pub type AegisMac128X4Tag32 = AegisMac<X128<4>, U32>;
/// AEGISMAC over AEGIS-256, 16-byte tag.
pub type AegisMac256 = AegisMac<X256<1>, U16>;
/// AEGISMAC over AEGIS-256, 32-byte tag.
pub type AegisMac256Tag32 = AegisMac<X256<1>, U32>;
/// AEGISMAC over AEGIS-256X2, 16-byte tag.
pub type AegisMac256X2 = AegisMac<X256<2>, U16>;
/// AEGISMAC over AEGIS-256X2, 32-byte tag.
pub type AegisMac256X2Tag32 = AegisMac<X256<2>, U32>;
/// AEGISMAC over AEGIS-256X4, 16-byte tag.
pub type AegisMac256X4 = AegisMac<X256<4>, U16>;
/// AEGISMAC over AEGIS-256X4, 32-byte tag.
pub type AegisMac256X4Tag32 = AegisMac<X256<4>, U32>;

/// The key stream of AEGIS-128L.
pub type AegisStream128L = AegisStream<X128<1>>;
/// The key stream of AEGIS-128X2.
pub type AegisStream128X2 = AegisStream<X128<2>>;
/// The key stream of AEGIS-128X4.
pub type AegisStream128X4 = AegisStream<X128<4>>;
/// The key stream of AEGIS-256.
pub type AegisStream256 = AegisStream<X256<1>>;
/// The key stream of AEGIS-256X2.
pub type AegisStream256X2 = AegisStream<X256<2>>;
/// The key stream of AEGIS-256X4.
pub type AegisStream256X4 = AegisStream<X256<4>>;

/// The degrees of the version 1.0 algorithms that can be had by name; as types, 1 to 16.
#[cfg(feature = "papers")]
const DEGREES: Param = Param::number("degree", &[1, 2, 3, 4, 8, 16], 2);

const TAGS: Sizes = Sizes::these(&[16, 32], 16);

const AEAD_COMMITMENT: &[Commitment] = &[
    Commitment {
        level: Level::KeyFixedAd,
        tag_bytes: 16,
        bits: 64,
        condition: "only while the adversary cannot choose the associated data",
    },
    Commitment {
        level: Level::KeyFixedAd,
        tag_bytes: 32,
        bits: 128,
        condition: "only while the adversary cannot choose the associated data",
    },
];

const DRAFT: &str = "RFC 10032 (draft-irtf-cfrg-aegis-aead-18)";
#[cfg(feature = "papers")]
const PAPER: &str =
    "F. Denis, Adding more parallelism to the AEGIS authenticated encryption algorithms, v1.0";

/// None of RFC 9771's security properties is claimed: not multi-user security beyond the generic
/// bounds, misuse resistance, nonce hiding, leakage resistance, integrity under release of
/// unverified plaintext, nor key or full commitment (which fails when associated data is chosen).
const ONE_LANE: &[&str] = &["inverse-free", "setup-free", "single-pass", "streamable"];

/// The same, and the lanes are independent.
const LANES: &[&str] =
    &["inverse-free", "parallelizable", "setup-free", "single-pass", "streamable"];

// Costs were measured on an Intel Rocket Lake by `polyseal-bench run --rounds 61`, seal and open,
// 1 KiB and 64 KiB.

/// The common part of the rows; the family of 16-byte keys. The limits are those of RFC 10032,
/// 9.1.1 and 9.3.
const AEAD128: Family = Family {
    identity: Identity {
        id: "",
        purpose: "",
        name: "",
        kind: Kind::Aead,
        specification: Specification { title: DRAFT, section: "AEGIS-128X" },
        papers_only: false,
    },
    sizes: FamilySizes {
        key_bytes: Sizes::one(16),
        nonce_bytes: Sizes::one(16),
        tag_bytes: TAGS,
        listed: Listed::All,
        params: &[],
        one_param: false,
        lengths: None,
        #[cfg(feature = "flex")]
        layout: None,
    },
    limits: FamilyLimits {
        max_message_bytes: MAX_BYTES,
        max_ad_bytes: MAX_BYTES,
        random_nonce_messages_log2: Some(48),
        counted_nonce_messages_log2: None,
        counted_other_nonce_messages_log2: None,
        total_bytes_log2: None,
        // "At least 128-bit security against forgery" is all that is claimed, for either tag, and
        // for messages of any length.
        forgery_bits: 128,
        forgery_loss_bits: 0,
        mode: |_| Mode::Direct,
    },
    claims: Claims {
        commitment: AEAD_COMMITMENT,
        commitment_repeats: Repeats::WithTag,
        misuse: Misuse::Breaks,
        nonce_hiding: false,
        parallel: true,
        online: true,
        fips: false,
        reviewed: true,
        properties: LANES,
    },
    cost: None,
    maker: Maker::Unmade,
};

/// The family of 32-byte keys.
const AEAD256: Family = Family {
    identity: Identity {
        specification: Specification { title: DRAFT, section: "AEGIS-256X" },
        ..AEAD128.identity
    },
    sizes: FamilySizes { key_bytes: Sizes::one(32), nonce_bytes: Sizes::one(32), ..AEAD128.sizes },
    limits: FamilyLimits { random_nonce_messages_log2: None, ..AEAD128.limits },
    ..AEAD128
};

/// MACs encrypt nothing, and hide nothing. Theirs is the only function of the draft that may take a
/// (key, nonce) pair again with another input.
const MAC128: Family = Family {
    identity: Identity {
        kind: Kind::Mac,
        specification: Specification { title: DRAFT, section: "AEGISMAC" },
        ..AEAD128.identity
    },
    limits: FamilyLimits { max_ad_bytes: 0, random_nonce_messages_log2: None, ..AEAD128.limits },
    claims: Claims {
        misuse: Misuse::NotNeeded,
        // A MAC's tag hides nothing that it could commit to.
        commitment: &[],
        ..AEAD128.claims
    },
    ..AEAD128
};

const MAC256: Family = Family {
    sizes: FamilySizes { key_bytes: Sizes::one(32), nonce_bytes: Sizes::one(32), ..MAC128.sizes },
    ..MAC128
};

/// The rows of the registry.
pub(crate) const FAMILIES: &[Family] = &[
    Family {
        identity: Identity {
            id: "aegis-128l",
            purpose: "fastest on AES-NI",
            name: "AEGIS-128L",
            specification: Specification { title: DRAFT, section: "AEGIS-128L" },
            ..AEAD128.identity
        },
        claims: Claims { parallel: false, properties: ONE_LANE, ..AEAD128.claims },
        cost: Cost::measured(12_756, 4_083, 278, 279, 237, 6_950),
        maker: maker!(Aead: makers::aead::<X128<1>>),
        ..AEAD128
    },
    Family {
        identity: Identity {
            id: "aegis-128x2",
            purpose: "fastest on VAES with 256 bits",
            name: "AEGIS-128X2",
            ..AEAD128.identity
        },
        cost: Cost::measured(15_594, 5_111, 316, 163, 142, 8_409),
        maker: maker!(Aead: makers::aead::<X128<2>>),
        ..AEAD128
    },
    Family {
        identity: Identity {
            id: "aegis-128x4",
            purpose: "fastest on VAES with 512 bits",
            name: "AEGIS-128X4",
            ..AEAD128.identity
        },
        cost: Cost::measured(21_150, 6_635, 457, 204, 140, 11_330),
        maker: maker!(Aead: makers::aead::<X128<4>>),
        ..AEAD128
    },
    Family {
        identity: Identity {
            id: "aegis-256",
            purpose: "256-bit keys, random nonces",
            name: "AEGIS-256",
            specification: Specification { title: DRAFT, section: "AEGIS-256" },
            ..AEAD256.identity
        },
        claims: Claims { parallel: false, properties: ONE_LANE, ..AEAD256.claims },
        cost: Cost::measured(22_431, 5_545, 419, 419, 358, 9_534),
        maker: maker!(Aead: makers::aead::<X256<1>>),
        ..AEAD256
    },
    Family {
        identity: Identity {
            id: "aegis-256x2",
            purpose: "files, if nothing else is said",
            name: "AEGIS-256X2",
            ..AEAD256.identity
        },
        cost: Cost::measured(26_049, 6_525, 379, 242, 210, 11_171),
        maker: maker!(Aead: makers::aead::<X256<2>>),
        ..AEAD256
    },
    Family {
        identity: Identity {
            id: "aegis-256x4",
            purpose: "256-bit keys, VAES with 512 bits",
            name: "AEGIS-256X4",
            ..AEAD256.identity
        },
        cost: Cost::measured(32_804, 8_217, 453, 234, 165, 14_225),
        maker: maker!(Aead: makers::aead::<X256<4>>),
        ..AEAD256
    },
    Family {
        identity: Identity {
            id: "aegis-128l-mac",
            purpose: "a MAC",
            name: "AEGISMAC-128L",
            ..MAC128.identity
        },
        claims: Claims { parallel: false, properties: ONE_LANE, ..MAC128.claims },
        maker: maker!(Mac: makers::mac::<X128<1>>),
        ..MAC128
    },
    Family {
        identity: Identity {
            id: "aegis-128x2-mac",
            purpose: "a MAC",
            name: "AEGISMAC-128X2",
            ..MAC128.identity
        },
        maker: maker!(Mac: makers::mac::<X128<2>>),
        ..MAC128
    },
    Family {
        identity: Identity {
            id: "aegis-128x4-mac",
            purpose: "a MAC",
            name: "AEGISMAC-128X4",
            ..MAC128.identity
        },
        maker: maker!(Mac: makers::mac::<X128<4>>),
        ..MAC128
    },
    Family {
        identity: Identity {
            id: "aegis-256-mac",
            purpose: "a MAC",
            name: "AEGISMAC-256",
            ..MAC256.identity
        },
        claims: Claims { parallel: false, properties: ONE_LANE, ..MAC256.claims },
        maker: maker!(Mac: makers::mac::<X256<1>>),
        ..MAC256
    },
    Family {
        identity: Identity {
            id: "aegis-256x2-mac",
            purpose: "a MAC",
            name: "AEGISMAC-256X2",
            ..MAC256.identity
        },
        maker: maker!(Mac: makers::mac::<X256<2>>),
        ..MAC256
    },
    Family {
        identity: Identity {
            id: "aegis-256x4-mac",
            purpose: "a MAC",
            name: "AEGISMAC-256X4",
            ..MAC256.identity
        },
        maker: maker!(Mac: makers::mac::<X256<4>>),
        ..MAC256
    },
    #[cfg(feature = "papers")]
    Family {
        identity: Identity {
            id: "aegis-128x-v1",
            purpose: "to compare: the paper's version",
            papers_only: true,
            name: "AEGIS-128X v1.0",
            specification: Specification { title: PAPER, section: "4, with the errata" },
            ..AEAD128.identity
        },
        sizes: FamilySizes { params: &[DEGREES], ..AEAD128.sizes },
        maker: maker!(Aead: makers::aead_128x_v1),
        ..AEAD128
    },
    #[cfg(feature = "papers")]
    Family {
        identity: Identity {
            id: "aegis-256x-v1",
            purpose: "to compare: the paper's version",
            papers_only: true,
            name: "AEGIS-256X v1.0",
            specification: Specification { title: PAPER, section: "4, with the errata" },
            ..AEAD256.identity
        },
        sizes: FamilySizes { params: &[DEGREES], ..AEAD256.sizes },
        maker: maker!(Aead: makers::aead_256x_v1),
        ..AEAD256
    },
];

/// Instances by registry entry.
#[cfg(all(feature = "alloc", not(test)))]
mod makers {
    use alloc::boxed::Box;

    use aead::array::Array;
    use aead::consts::{U16, U32};

    #[cfg(feature = "papers")]
    use super::super::variant::V1;
    use super::super::variant::{Variant, X128, X256};
    use super::{Aegis, AegisMac};
    use crate::aegis::TagBytes;
    use crate::backend::Backend;
    use crate::contract::dynamic::{BoxedAead, BoxedMac, DynMac, boxed};
    use crate::family::Algorithm;

    /// The paper's AEGIS-128X, by its degree.
    #[cfg(feature = "papers")]
    pub(super) fn aead_128x_v1(algorithm: &Algorithm, key: &[u8], backend: Backend) -> BoxedAead {
        let make = match algorithm.param("degree") {
            // At degree 1 the two specifications are one.
            Some(1) => aead::<X128<1>>,
            Some(2) => aead::<X128<2, V1>>,
            Some(3) => aead::<X128<3, V1>>,
            Some(4) => aead::<X128<4, V1>>,
            Some(8) => aead::<X128<8, V1>>,
            Some(16) => aead::<X128<16, V1>>,
            _ => unreachable!("the registry has no other degree"),
        };
        make(algorithm, key, backend)
    }

    /// The paper's AEGIS-256X, by its degree.
    #[cfg(feature = "papers")]
    pub(super) fn aead_256x_v1(algorithm: &Algorithm, key: &[u8], backend: Backend) -> BoxedAead {
        let make = match algorithm.param("degree") {
            Some(1) => aead::<X256<1>>,
            Some(2) => aead::<X256<2, V1>>,
            Some(3) => aead::<X256<3, V1>>,
            Some(4) => aead::<X256<4, V1>>,
            Some(8) => aead::<X256<8, V1>>,
            Some(16) => aead::<X256<16, V1>>,
            _ => unreachable!("the registry has no other degree"),
        };
        make(algorithm, key, backend)
    }

    pub(super) fn aead<V: Variant>(
        algorithm: &Algorithm,
        key: &[u8],
        backend: Backend,
    ) -> BoxedAead {
        // The caller has checked the key's length.
        let Ok(key) = <&Array<u8, V::KeySize>>::try_from(key) else { unreachable!() };
        match algorithm.tag_bytes() {
            32 => boxed(Aegis::<V, U32>::on(key, backend)),
            _ => boxed(Aegis::<V, U16>::on(key, backend)),
        }
    }

    pub(super) fn mac<V: Variant>(algorithm: &Algorithm, key: &[u8], backend: Backend) -> BoxedMac {
        let Ok(key) = <&Array<u8, V::KeySize>>::try_from(key) else { unreachable!() };
        match algorithm.tag_bytes() {
            32 => Box::new(AegisMac::<V, U32>::on(key, backend)),
            _ => Box::new(AegisMac::<V, U16>::on(key, backend)),
        }
    }

    impl<V: Variant, T: TagBytes> DynMac for AegisMac<V, T> {
        fn mac(&self, nonce: &[u8], data: &[u8], tag: &mut [u8]) {
            self.compute(nonce, data, tag);
        }
    }
}
