//! The names of Flex: rows of the registry, one for each configuration that has a name and one for
//! all others.
//!
//! Where the nonce is hidden, a row's tag is all that the ciphertext has beside the body: the encrypted
//! nonce, which stands in front of it, and the tag behind it. A sealed message has Flex's order.

use super::config::{Allowed, Config, Mode, NonceForm};
use super::session::MAX_AD_BYTES;
use crate::registry::{
    Algorithm, Commitment, Cost, Family, Kind, Level, Misuse, Mode as UseOfKey, Param, ParamKind,
    Sizes, Specification,
};

/// Every length up to the longest nonce that a name can have, and beyond the longest tag.
static LENGTHS: [usize; 1025] = {
    let mut lengths = [0; 1025];
    let mut i = 0;
    while i < lengths.len() {
        lengths[i] = i;
        i += 1;
    }
    lengths
};

/// The length when nothing is said, of nonces that may have any.
const USUAL_NONCE_BYTES: usize = 24;

const fn lengths(from: usize, to: usize, default: usize) -> Sizes {
    Sizes { default, allowed: LENGTHS.split_at(to + 1).0.split_at(from).1 }
}

const fn length(bytes: usize) -> Sizes {
    lengths(bytes, bytes, bytes)
}

/// Nonce and tag lengths of a configuration.
const fn lengths_of(config: &Config) -> (Sizes, Sizes) {
    let (shortest, longest) = config.nonce_range();
    let nonces = match config.nonce() {
        NonceForm::AnyPublic => {
            let longest = if longest < LENGTHS.len() { longest } else { LENGTHS.len() - 1 };
            lengths(shortest, longest, USUAL_NONCE_BYTES)
        }
        _ => length(shortest),
    };
    (nonces, length(config.overhead_bytes()))
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

/// Measured on an AMD EPYC (Zen 4), seal and open, 1 KiB and 64 KiB, to within a tenth; neon, which
/// could not be measured, is taken to rank as aesni.
const fn cost(soft: u32, aesni: u32, vaes256: u32, vaes512: u32) -> Option<Cost> {
    Some(Cost { soft, aesni, vaes256, vaes512, neon: aesni })
}

/// A configuration's eight bytes as the value of a parameter.
const fn value(config: &Config) -> u64 {
    u64::from_be_bytes(config.to_bytes())
}

/// What the rows have in common. Keys are as long as whoever names them wants, of a few lengths that
/// there are names for. The limits are those of the specification's sections 10 and 11, which has none
/// for a key of these profiles but its nonces.
const ANY: Family = Family {
    id: "flex",
    name: "Flex, any configuration that commits",
    kind: Kind::Aead,
    key_bytes: Sizes { default: 32, allowed: &[16, 24, 32, 48, 64] },
    nonce_bytes: lengths(0, 1024, 32),
    // With the longest nonce that can be hidden, and the longest stretch.
    tag_bytes: lengths(16, 199 + 255 + 32, 64),
    params: &[
        Param { name: "allow-64-bit", allowed: &[0, 1], default: 0, kind: ParamKind::Permission },
        Param {
            name: "cfg",
            allowed: &[
                value(&Config::OCH),
                value(&Config::OCH_PUBLIC),
                value(&Config::OCH_TRANSPORT),
                value(&Config::CIV),
                value(&Config::CIV_PUBLIC),
                value(&Config::ROBUST),
                value(&Config::OCH_STREAM),
                value(&Config::CIV_STREAM),
            ],
            default: value(&Config::OCH),
            kind: ParamKind::Configuration,
        },
    ],
    config: Some(chosen),
    lengths: Some(|algorithm| lengths_of(&algorithm.config().unwrap_or(Config::OCH))),
    max_message_bytes: 1 << 50,
    max_ad_bytes: MAX_AD_BYTES,
    // Of nonces of 32 bytes. Others have the same formula.
    random_nonce_messages_log2: Some(112),
    counted_nonce_messages_log2: None,
    counted_other_nonce_messages_log2: None,
    total_bytes_log2: None,
    // q / 2^128 for the tag and 2q / 2^128 for the checksum, in the narrowest profiles.
    forgery_bits: 126,
    forgery_loss_bits: 0,
    commitment: &[commitment(16), commitment(24), commitment(32)],
    // What holds for every configuration.
    misuse: Misuse::Breaks,
    nonce_hiding: false,
    parallel: true,
    online: false,
    fips: false,
    reviewed: false,
    cost: None,
    properties: &["full-commitment", "parallelizable"],
    specification: Specification { title: "Flex-1, docs/spec/flex.md", section: "4" },
    mode: |_| UseOfKey::Direct,
    maker: makers::FLEX,
};

/// A row for one configuration over the profile S512, which has 128 bits of security.
const fn named(id: &'static str, name: &'static str, config: &Config) -> Family {
    let (nonce_bytes, tag_bytes) = lengths_of(config);
    Family {
        id,
        name,
        nonce_bytes,
        tag_bytes,
        params: &[],
        lengths: None,
        max_message_bytes: config.max_message_bytes(),
        random_nonce_messages_log2: Some((8 * nonce_bytes.default as u32 - 32) / 2),
        forgery_bits: 128,
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
        ..ANY
    }
}

const fn section(section: &'static str) -> Specification {
    Specification { section, ..ANY.specification }
}

const OCH: &[&str] = &["full-commitment", "parallelizable", "single-pass", "streamable"];
const CIV: &[&str] =
    &["full-commitment", "inverse-free", "nonce-misuse-resistance", "parallelizable"];

/// The rows of the registry.
pub(crate) const FAMILIES: &[Family] = &[
    Family {
        config: Some(|_| Ok(Config::OCH)),
        cost: cost(57_000, 1_050, 720, 596),
        properties: &[
            "full-commitment",
            "nonce-hiding",
            "parallelizable",
            "single-pass",
            "streamable",
        ],
        specification: section("7, configuration 01"),
        ..named("flex-och", "Flex OCH with a hidden nonce", &Config::OCH)
    },
    Family {
        config: Some(|_| Ok(Config::OCH_PUBLIC)),
        cost: cost(55_000, 980, 690, 543),
        properties: OCH,
        specification: section("7, configuration 02"),
        ..named("flex-och-public", "Flex OCH", &Config::OCH_PUBLIC)
    },
    Family {
        config: Some(|_| Ok(Config::OCH_TRANSPORT)),
        cost: cost(55_000, 970, 690, 544),
        properties: OCH,
        specification: section("7, configuration 03"),
        ..named("flex-och-transport", "Flex OCH for transport", &Config::OCH_TRANSPORT)
    },
    Family {
        config: Some(|_| Ok(Config::CIV)),
        cost: cost(130_000, 2_190, 1_400, 1_230),
        properties: &[
            "full-commitment",
            "inverse-free",
            "nonce-hiding",
            "nonce-misuse-resistance",
            "parallelizable",
        ],
        specification: section("8, configuration 11"),
        ..named("flex-civ", "Flex CIV with a hidden nonce", &Config::CIV)
    },
    Family {
        config: Some(|_| Ok(Config::CIV_PUBLIC)),
        cost: cost(127_000, 2_170, 1_390, 1_200),
        properties: CIV,
        specification: section("8, configuration 12"),
        ..named("flex-civ-public", "Flex CIV", &Config::CIV_PUBLIC)
    },
    Family {
        config: Some(|_| Ok(Config::ROBUST)),
        cost: cost(143_000, 2_640, 2_370, 1_800),
        properties: &["full-commitment", "nonce-misuse-resistance", "parallelizable"],
        specification: section("9, configuration 21"),
        ..named("flex-robust", "Flex ROBUST", &Config::ROBUST)
    },
    Family {
        config: Some(|_| Ok(Config::OCH_STREAM)),
        properties: OCH,
        specification: section("7 and 10, configuration 31"),
        ..named("flex-och-stream", "Flex OCH in segments of 64 KiB", &Config::OCH_STREAM)
    },
    Family {
        config: Some(|_| Ok(Config::CIV_STREAM)),
        properties: &["full-commitment", "inverse-free", "parallelizable", "streamable"],
        specification: section("8 and 10, configuration 32"),
        ..named("flex-civ-stream", "Flex CIV in segments of 64 KiB", &Config::CIV_STREAM)
    },
    ANY,
];

/// The configuration that the parameters choose.
fn chosen(algorithm: &Algorithm) -> Result<Config, super::config::ConfigError> {
    let cfg = algorithm.param("cfg").unwrap_or(value(&Config::OCH));
    let sixty_four_bits = algorithm.param("allow-64-bit") == Some(1);
    Config::parse(cfg.to_be_bytes(), Allowed { not_committing: false, sixty_four_bits })
}

/// How many messages a key may have, as a power of two, where it is less than 2^112: the terms of
/// section 11 that are about a block's narrow side and about tags, kept below 2^-32.
pub(crate) fn messages_log2(config: &Config) -> Option<u32> {
    let (block, t) = (config.profile().block_bytes(), config.profile().tag_bytes());
    let tag = match (config.mode(), config.nonce()) {
        (Mode::Civ, _) | (Mode::Och, NonceForm::Hidden(_)) => config.tag_bytes(),
        _ => t,
    };
    let log2 = 4 * (block - t).min(tag) as u32 - 16;
    let log2 = if t == 16 { log2.min(48) } else { log2 };
    (log2 < 112).then_some(log2)
}

/// How many bytes a key may encrypt, as a power of two: 2^50 blocks in a profile of the 64-bit level.
pub(crate) fn bytes_log2(config: &Config) -> Option<u32> {
    (config.profile().tag_bytes() == 16).then(|| 50 + config.profile().block_bytes().ilog2())
}

/// Instances by registry entry.
#[cfg(feature = "alloc")]
mod makers {
    use alloc::boxed::Box;
    use alloc::vec;

    use aead::inout::InOutBuf;
    use zeroize::Zeroizing;

    use crate::any::DynAead;
    use crate::backend::wipe;
    use crate::ct;
    use crate::error::{Error, Result};
    use crate::flex::Flex;
    use crate::flex::config::Mode;
    use crate::registry::Maker;

    pub(super) const FLEX: Maker = Maker::WithSetup(|algorithm, key, setup_ad, backend| {
        let config = algorithm.config().ok_or(Error::Parameter)?;
        Ok(Box::new(Flex::on(backend, config, key, setup_ad)?))
    });

    /// Detached: a tag is `hidden nonce ‖ stretch and tag`.
    impl DynAead for Flex {
        fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
            let (config, session) = (self.config(), self.session());
            let (head, tail) = tag.split_at_mut(config.hidden_bytes());
            if config.mode() != Mode::Robust {
                return session.seal(nonce, ad, head, buffer, tail);
            }
            let body = buffer.into_out_with_copied_in();
            if head.len() + config.stretch_bytes() == 0 {
                return session.seal_robust_body(nonce, ad, body, tail);
            }
            // The cipher's input is in one piece.
            let mut whole = vec![0; head.len() + body.len() + tail.len()];
            whole[head.len()..][..body.len()].copy_from_slice(body);
            session.seal_robust(nonce, ad, &mut whole);
            let (front, rest) = whole.split_at(head.len());
            let (middle, end) = rest.split_at(body.len());
            head.copy_from_slice(front);
            body.copy_from_slice(middle);
            tail.copy_from_slice(end);
        }

        fn open(
            &self,
            nonce: &[u8],
            ad: &[u8],
            mut buffer: InOutBuf<'_, '_, u8>,
            tag: &[u8],
        ) -> Result<()> {
            let (config, session) = (self.config(), self.session());
            let (head, tail) = tag.split_at(config.hidden_bytes());
            // No hidden nonce is as long as the longest block.
            let mut recovered = Zeroizing::new([0; 200]);
            let recovered = &mut recovered[..head.len()];
            if config.mode() != Mode::Robust {
                recovered.copy_from_slice(head);
                session.open(nonce, ad, recovered, buffer.reborrow(), tail)?;
            } else if head.len() + config.stretch_bytes() == 0 {
                let body = buffer.reborrow().into_out_with_copied_in();
                session.open_robust_body(nonce, ad, body, tail)?;
            } else {
                let mut whole = Zeroizing::new([head, buffer.get_in(), tail].concat());
                let opened = session.open_robust(nonce, ad, &mut whole);
                // What is not authentic is zeros by now.
                recovered.copy_from_slice(&whole[..head.len()]);
                let body = buffer.get_out();
                body.copy_from_slice(&whole[head.len()..][..body.len()]);
                opened?;
            }
            let same = ct::verify(recovered, if head.is_empty() { &[] } else { nonce });
            if same.is_err() {
                wipe(buffer.get_out());
            }
            same
        }

        fn as_flex(&self) -> Option<&Flex> {
            Some(self)
        }
    }
}

/// Without an allocator there are no instances by name.
#[cfg(not(feature = "alloc"))]
mod makers {
    use crate::registry::Maker;

    pub(super) const FLEX: Maker = Maker::Unmade;
}
