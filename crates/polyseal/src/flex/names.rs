//! The names of Flex: rows of the registry, one for each configuration that has a name and one for
//! all others.
//!
//! Where the nonce is hidden, a row's tag is all that the ciphertext has beside the body: the
//! encrypted nonce, which stands in front of it, and the tag behind it. A sealed message has Flex's
//! order.

use super::config::{Builder, Config, ConfigError, KEY_BYTES, MAX_AD_BYTES, Mode, NonceForm};
use crate::family::{
    Algorithm, Claims, Commitment, Cost, Family, FamilyLimits, FamilySizes, FlexMode, FlexUse,
    Identity, InstanceLimits, Kind, Layout, LayoutOf, Level, Listed, Misuse, Mode as UseOfKey,
    Param, ParamKind, Repeats, Specification, maker,
};
use crate::sizes::Sizes;

/// The length when nothing is said, of nonces that may have any.
const USUAL_NONCE_BYTES: usize = 24;

/// Nonce and tag lengths of a configuration.
const fn lengths_of(config: &Config) -> (Sizes, Sizes) {
    let range = config.nonce_range();
    let (shortest, longest) = (*range.start(), *range.end());
    let nonces = match config.nonce() {
        NonceForm::AnyPublic => Sizes::range(shortest, longest, USUAL_NONCE_BYTES),
        _ => Sizes::one(shortest),
    };
    (nonces, Sizes::one(config.overhead_bytes()))
}

/// A claim for tags of `tag_bytes`, and longer ones.
const fn commitment(tag_bytes: usize) -> Commitment {
    Commitment {
        level: Level::Cmt4,
        tag_bytes,
        bits: 4 * tag_bytes as u32,
        condition: "as far as the permutation is ideal; not reviewed by third parties",
    }
}

// Costs were measured on an AMD EPYC (Zen 4), seal and open, 1 KiB and 64 KiB, to within a tenth.

/// A configuration's eight bytes as the value of a parameter.
const fn value(config: &Config) -> u64 {
    u64::from_be_bytes(config.to_bytes())
}

/// The values of the configurations that have a name.
static VALUES: [u64; Config::NAMED.len()] = {
    let mut values = [0; Config::NAMED.len()];
    let mut at = 0;
    while at < values.len() {
        values[at] = value(&Config::NAMED[at].2);
        at += 1;
    }
    values
};

/// The common part of the rows. The limits are those of the specification's sections 10 and 11,
/// which has none for a key of these profiles but its nonces.
const ANY: Family = Family {
    identity: Identity {
        id: "flex",
        purpose: "unreviewed: any configuration",
        name: "Flex, any configuration that commits",
        kind: Kind::Aead,
        specification: Specification { title: "Flex-1, docs/spec/flex.md", section: "4" },
        papers_only: false,
    },
    sizes: FamilySizes {
        key_bytes: Sizes::range(*KEY_BYTES.start(), *KEY_BYTES.end(), 32),
        nonce_bytes: Sizes::range(0, u16::MAX as usize, 32),
        // With the longest nonce that can be hidden, and the longest stretch.
        tag_bytes: Sizes::range(16, 199 + 255 + 32, 64),
        listed: Listed::Usual,
        params: &[
            Param {
                name: "allow-64-bit",
                allowed: &[0, 1],
                default: 0,
                kind: ParamKind::Permission,
            },
            Param {
                name: "cfg",
                allowed: &VALUES,
                default: value(&Config::OCH),
                kind: ParamKind::Configuration,
            },
        ],
        one_param: false,
        lengths: Some(|algorithm| lengths_of(&chosen(algorithm).unwrap_or(Config::OCH))),
        layout: Some(|algorithm| Ok(chosen(algorithm)?.layout())),
    },
    limits: FamilyLimits {
        max_message_bytes: 1 << 50,
        max_ad_bytes: MAX_AD_BYTES,
        // For nonces of 32 bytes. Others have the same formula.
        random_nonce_messages_log2: Some(112),
        counted_nonce_messages_log2: None,
        counted_other_nonce_messages_log2: None,
        total_bytes_log2: None,
        // q / 2^128 for the tag and 2q / 2^128 for the checksum, in the narrowest profiles.
        forgery_bits: 126,
        forgery_loss_bits: 0,
        mode: |of| UseOfKey::Flex(Config::from_algorithm(of).unwrap_or(Config::OCH).use_of_key()),
    },
    claims: Claims {
        commitment: &[commitment(16), commitment(24), commitment(32)],
        commitment_repeats: Repeats::WithTag,
        // The claims that hold for every configuration.
        misuse: Misuse::Breaks,
        nonce_hiding: false,
        parallel: true,
        online: false,
        fips: false,
        reviewed: false,
        properties: &["full-commitment", "parallelizable"],
    },
    cost: None,
    maker: maker!(WithSetup: makers::flex),
};

/// A row for a configuration that has a name, over the profile S512, which has 128 bits of
/// security.
struct Row {
    /// The specification's byte.
    id: u8,
    name: &'static str,
    purpose: &'static str,
    section: &'static str,
    properties: &'static [&'static str],
    layout: LayoutOf,
    cost: Option<Cost>,
}

impl Row {
    const fn family(self) -> Family {
        let mut at = 0;
        while Config::NAMED[at].0 != self.id {
            at += 1;
        }
        let (_, id, config) = &Config::NAMED[at];
        let (nonce_bytes, tag_bytes) = lengths_of(config);
        Family {
            identity: Identity {
                id,
                name: self.name,
                purpose: self.purpose,
                specification: Specification {
                    section: self.section,
                    ..ANY.identity.specification
                },
                ..ANY.identity
            },
            sizes: FamilySizes {
                nonce_bytes,
                tag_bytes,
                params: &[],
                lengths: None,
                layout: Some(self.layout),
                ..ANY.sizes
            },
            limits: FamilyLimits {
                max_message_bytes: config.max_message_bytes(),
                random_nonce_messages_log2: Some((8 * nonce_bytes.default as u32 - 32) / 2),
                forgery_bits: 128,
                ..ANY.limits
            },
            claims: Claims {
                commitment: match config.tag_bytes() {
                    32 => const { &[commitment(32)] },
                    _ => const { &[commitment(16)] },
                },
                misuse: match (config.mode(), config.segment_bytes()) {
                    // Segments are seen to be equal, and those of one index can be exchanged.
                    (Mode::Och, _) | (_, Some(_)) => Misuse::Breaks,
                    _ => Misuse::Resistant,
                },
                nonce_hiding: config.hidden_bytes() > 0,
                online: matches!(config.mode(), Mode::Och) || config.segment_bytes().is_some(),
                properties: self.properties,
                ..ANY.claims
            },
            cost: self.cost,
            ..ANY
        }
    }
}

const OCH: &[&str] = &["full-commitment", "parallelizable", "single-pass", "streamable"];
const CIV: &[&str] =
    &["full-commitment", "inverse-free", "nonce-misuse-resistance", "parallelizable"];

/// The rows of the registry.
pub(crate) const FAMILIES: &[Family] = &[
    Row {
        id: 0x01,
        name: "Flex OCH with a hidden nonce",
        purpose: "unreviewed: hides the nonce",
        section: "7, configuration 01",
        properties: &[
            "full-commitment",
            "nonce-hiding",
            "parallelizable",
            "single-pass",
            "streamable",
        ],
        layout: |_| Ok(Config::OCH.layout()),
        cost: Cost::measured(56_089, 18_080, 996, 671, 546, 29_000),
    }
    .family(),
    Row {
        id: 0x02,
        name: "Flex OCH",
        purpose: "unreviewed: one pass",
        section: "7, configuration 02",
        properties: OCH,
        layout: |_| Ok(Config::OCH_PUBLIC.layout()),
        cost: Cost::measured(51_193, 16_156, 979, 651, 471, 26_067),
    }
    .family(),
    Row {
        id: 0x03,
        name: "Flex OCH for transport",
        purpose: "unreviewed: 16-byte tags",
        section: "7, configuration 03",
        properties: OCH,
        layout: |_| Ok(Config::OCH_TRANSPORT.layout()),
        cost: Cost::measured(51_236, 16_184, 969, 648, 507, 26_025),
    }
    .family(),
    Row {
        id: 0x11,
        name: "Flex CIV with a hidden nonce",
        purpose: "unreviewed: hides the nonce",
        section: "8, configuration 11",
        properties: &[
            "full-commitment",
            "inverse-free",
            "nonce-hiding",
            "nonce-misuse-resistance",
            "parallelizable",
        ],
        layout: |_| Ok(Config::CIV.layout()),
        cost: Cost::measured(90_187, 32_833, 1_620, 1_098, 886, 50_683),
    }
    .family(),
    Row {
        id: 0x12,
        name: "Flex CIV",
        purpose: "unreviewed: repeated nonces",
        section: "8, configuration 12",
        properties: CIV,
        layout: |_| Ok(Config::CIV_PUBLIC.layout()),
        cost: Cost::measured(94_438, 33_319, 1_723, 1_176, 1_000, 51_595),
    }
    .family(),
    Row {
        id: 0x21,
        name: "Flex ROBUST",
        purpose: "unreviewed: repeated nonces",
        section: "9, configuration 21",
        properties: &["full-commitment", "nonce-misuse-resistance", "parallelizable"],
        layout: |_| Ok(Config::ROBUST.layout()),
        cost: Cost::measured(99_686, 32_702, 2_276, 1_514, 1_286, 51_371),
    }
    .family(),
    Row {
        id: 0x24,
        name: "Flex ROBUST-AE",
        purpose: "unreviewed: robust AE",
        section: "9.1, configuration 24",
        properties: &[
            "full-commitment",
            "nonce-misuse-resistance",
            "parallelizable",
            "rup-integrity",
        ],
        layout: |_| Ok(Config::ROBUST_AE.layout()),
        cost: None,
    }
    .family(),
    Row {
        id: 0x31,
        name: "Flex OCH in segments of 64 KiB",
        purpose: "unreviewed: segments of 64 KiB",
        section: "7 and 10, configuration 31",
        properties: OCH,
        layout: |_| Ok(Config::OCH_STREAM.layout()),
        cost: None,
    }
    .family(),
    Row {
        id: 0x32,
        name: "Flex CIV in segments of 64 KiB",
        purpose: "unreviewed: segments of 64 KiB",
        section: "8 and 10, configuration 32",
        properties: &["full-commitment", "inverse-free", "parallelizable", "streamable"],
        layout: |_| Ok(Config::CIV_STREAM.layout()),
        cost: None,
    }
    .family(),
    ANY,
];

impl Config {
    /// The configuration that `algorithm` is, if it is one of Flex.
    ///
    /// ```
    /// use polyseal::flex::Config;
    ///
    /// assert_eq!(Config::from_algorithm(&"flex-civ".parse()?), Some(Config::CIV));
    /// assert_eq!(Config::from_algorithm(&"aegis-128l".parse()?), None);
    /// # Ok::<(), polyseal::Error>(())
    /// ```
    #[must_use]
    pub fn from_algorithm(algorithm: &Algorithm) -> Option<Self> {
        let id = algorithm.family().identity.id;
        if id == ANY.identity.id {
            // A configuration that breaks a rule has been refused.
            return chosen(algorithm).ok();
        }
        Self::NAMED.iter().find(|(_, name, _)| *name == id).map(|(_, _, config)| *config)
    }

    /// The numbers that the bounds need.
    const fn use_of_key(&self) -> FlexUse {
        FlexUse {
            mode: match self.mode() {
                Mode::Och => FlexMode::Och,
                Mode::Civ => FlexMode::Civ,
                Mode::Robust => FlexMode::Robust,
                Mode::RobustAe => FlexMode::RobustAe,
            },
            block: self.profile().block_bytes(),
            state: self.profile().tag_bytes(),
            tag: self.tag_bytes(),
            hidden: self.hidden_bytes(),
            stretch: self.stretch_bytes(),
            free_nonce: matches!(self.nonce(), NonceForm::AnyPublic),
            segment: self.segment_bytes(),
        }
    }

    /// The values that the general code needs.
    pub(super) const fn layout(&self) -> Layout {
        Layout {
            head_bytes: self.hidden_bytes(),
            tag_bytes: self.tag_bytes(),
            overhead_bytes: self.overhead_bytes(),
            max_message_bytes: self.max_message_bytes(),
            key: InstanceLimits {
                max_messages: self.max_messages(),
                max_total_bytes: self.max_total_bytes(),
                segment_bytes: self.segment_bytes(),
            },
        }
    }
}

/// The configuration that the parameters choose.
fn chosen(algorithm: &Algorithm) -> Result<Config, ConfigError> {
    let cfg = algorithm.param("cfg").unwrap_or(value(&Config::OCH));
    let builder = Builder::from_bytes(cfg.to_be_bytes())?;
    match algorithm.param("allow-64-bit") {
        Some(1) => builder.allow_64_bits().build(),
        _ => builder.build(),
    }
}

/// Instances by registry entry.
#[cfg(all(feature = "alloc", not(test)))]
mod makers {
    use crate::backend::Backend;
    use crate::contract::dynamic::{BoxedAead, boxed};
    use crate::error::{Error, Result};
    use crate::family::Algorithm;
    use crate::flex::{Config, Flex};

    pub(super) fn flex(
        algorithm: &Algorithm,
        key: &[u8],
        setup_ad: &[u8],
        backend: Backend,
    ) -> Result<BoxedAead> {
        let config = Config::from_algorithm(algorithm).ok_or(Error::Parameter)?;
        Ok(boxed(Flex::on(backend, config, key, setup_ad)?))
    }
}
