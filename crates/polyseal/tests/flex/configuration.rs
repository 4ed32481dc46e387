//! The eight bytes of a configuration: which there are, how they are made, and what is said of
//! others.

use polyseal::Error;
use polyseal::flex::{Config, ConfigError, Flex, Mode, NonceForm, Profile};
use polyseal::hazmat::WideBlock;
use polyseal::testing::{Backend, wide_block_on};

use super::{MODES, from_bytes, key};

/// Section 4 of the specification, once more and as it stands there; whether the configuration
/// commits, if it is one.
fn by_the_book(cfg: [u8; 8]) -> Option<bool> {
    const NH: u8 = 1;
    const CMT: u8 = 4;
    const STREAM: u8 = 8;
    let [mode, flags, profile, tl, ..] = cfg;
    let (nl, aux) = (u16::from(cfg[4]) + 256 * u16::from(cfg[5]), [cfg[6], cfg[7]]);
    // B and t of profiles 1 to 8.
    let (b, t) = match profile {
        1 | 5 => (64, 32),
        2 | 6 => (32, 16),
        3 => (128, 32),
        4 => (48, 32),
        7 => (200, 32),
        8 => (40, 16),
        _ => return None,
    };
    let has = |flag| flags & flag != 0;
    let valid = (1..=4).contains(&mode)
        && flags < 16
        && (!has(CMT) || mode == 3)
        && (!has(STREAM) || (mode < 3 && !has(NH)))
        && (mode == 3 || (16..=t).contains(&tl))
        && (if has(NH) { 1 <= nl && nl < b } else { nl <= 1024 || nl == 65535 })
        && (mode != 1 || nl >= 8)
        && (if has(STREAM) { (8..=24).contains(&aux[0]) && aux[1] == 0 } else { aux == [0, 0] });
    valid.then_some(mode != 3 || has(CMT))
}

/// Whether the profile is of the 64-bit level.
fn has_64_bits(cfg: [u8; 8]) -> bool {
    matches!(cfg[2], 2 | 6 | 8)
}

/// Both types that take configurations hold to `by_the_book`; and without leave to the 128-bit
/// level.
#[track_caller]
fn is_by_the_book(cfg: [u8; 8]) -> Option<bool> {
    let committing = from_bytes(cfg);
    let wide = wide_block_on(Backend::detect(), cfg, &key(), b"");
    let book = by_the_book(cfg);
    let (narrow, unasked) = (has_64_bits(cfg), Config::from_bytes(cfg));
    assert_eq!(unasked.is_ok(), book == Some(true) && !narrow, "{cfg:02x?}: {unasked:?}");
    if narrow && let Some(commits) = book {
        let level = ConfigError::SixtyFourBits(Profile::ALL[usize::from(cfg[2]) - 1].name());
        let refused = WideBlock::from_bytes(cfg, &key(), b"").map(drop);
        match commits {
            true => assert_eq!(unasked, Err(level), "{cfg:02x?}"),
            false => assert_eq!(refused, Err(Error::Config(level)), "{cfg:02x?}"),
        }
    }
    assert_eq!(committing.is_ok(), book == Some(true), "{cfg:02x?}: {committing:?}");
    assert_eq!(wide.is_ok(), book == Some(false), "{cfg:02x?}: {:?}", wide.err());
    if let Ok(config) = committing {
        assert_eq!(config.to_bytes(), cfg, "there and back");
        assert!(config.commits());
    }
    if let Ok(cipher) = wide {
        assert_eq!(cipher.config().to_bytes(), cfg, "there and back");
        assert!(!cipher.config().commits());
    }
    book
}

/// Those with names, and more kinds in every profile.
fn valid() -> Vec<[u8; 8]> {
    let mut valid: Vec<_> = registry().into_iter().map(|(_, cfg)| cfg).collect();
    for profile in 1..=8 {
        for cfg in [
            [1, 1, profile, 16, 13, 0, 0, 0],
            [1, 0, profile, 16, 0xff, 0xff, 0, 0],
            [2, 3, profile, 16, 1, 0, 0, 0],
            [2, 2, profile, 16, 0, 4, 0, 0],
            [3, 5, profile, 0, 31, 0, 0, 0],
            [3, 0, profile, 255, 0, 0, 0, 0],
            [4, 3, profile, 16, 31, 0, 0, 0],
            [4, 0, profile, 16, 0xff, 0xff, 0, 0],
            [1, 8, profile, 16, 24, 0, 8, 0],
            [2, 10, profile, 16, 0xff, 0xff, 24, 0],
        ] {
            valid.push(cfg);
        }
    }
    valid
}

#[test]
fn every_value_of_every_byte() {
    let (mut accepted, mut refused) = (0, 0);
    for cfg in valid() {
        assert!(is_by_the_book(cfg).is_some(), "{cfg:02x?}");
        for at in 0..8 {
            for value in 0..=255 {
                let mut changed = cfg;
                changed[at] = value;
                let is_one = is_by_the_book(changed).is_some();
                *if is_one { &mut accepted } else { &mut refused } += 1;
            }
        }
    }
    assert!(accepted > 5000 && refused > 50_000, "{accepted}, {refused}");
}

/// The edges of each field, in every combination.
#[test]
fn every_combination_of_edges() {
    for mode in 0..6 {
        for flags in 0..32 {
            for profile in 0..10 {
                for tl in [15, 16, 17, 32, 33] {
                    for nl in [0, 1, 7, 8, 39, 40, 1024, 1025, 0xfffe, 0xffff_u16] {
                        for aux in [0, 8, 25, 256_u16] {
                            let ([n0, n1], [a0, a1]) = (nl.to_le_bytes(), aux.to_le_bytes());
                            let cfg = [mode, flags, profile, tl, n0, n1, a0, a1];
                            let book = by_the_book(cfg) == Some(true);
                            assert_eq!(from_bytes(cfg).is_ok(), book, "{cfg:02x?}");
                            let unasked = book && !has_64_bits(cfg);
                            assert_eq!(Config::from_bytes(cfg).is_ok(), unasked, "{cfg:02x?}");
                        }
                    }
                }
            }
        }
    }
}

/// The specification's table of names.
fn registry() -> Vec<(u8, [u8; 8])> {
    let text = include_str!("../../../../docs/spec/flex.md");
    let row = |line: &str| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let name = u8::from_str_radix(cells.next()?, 16).ok()?;
        let cfg = hex::decode(cells.next()?).ok()?;
        Some((name, cfg.try_into().ok()?))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn named_constants_are_the_specifications() {
    let mut named: Vec<_> = Config::NAMED.iter().map(|(id, _, config)| (*id, *config)).collect();
    let wide = Config::builder(Mode::Robust).nonce(NonceForm::AnyPublic);
    for (id, builder) in [(0x22, wide.stretch_bytes(16)), (0x23, wide)] {
        named.push((id, *WideBlock::init(builder, &key(), b"").expect("a key").config()));
    }
    named.sort_by_key(|(id, _)| *id);
    let bytes: Vec<_> = named.iter().map(|(id, config)| (*id, config.to_bytes())).collect();
    assert_eq!(bytes, registry());
    for id in 0..=255 {
        let config = named.iter().find(|(named, config)| *named == id && config.commits());
        assert_eq!(Config::from_id(id), config.map(|(_, config)| *config), "{id:02x}");
    }
}

#[test]
fn each_rule_has_its_error() {
    let longest = 32;
    for (cfg, error) in [
        ([0, 0, 1, 32, 24, 0, 0, 0], ConfigError::Mode(0)),
        ([5, 0, 1, 32, 24, 0, 0, 0], ConfigError::Mode(5)),
        ([1, 0x10, 1, 32, 24, 0, 0, 0], ConfigError::Flags(0x10)),
        ([3, 0x84, 1, 32, 24, 0, 0, 0], ConfigError::Flags(0x84)),
        ([1, 0, 0, 32, 24, 0, 0, 0], ConfigError::Profile(0)),
        ([1, 0, 9, 32, 24, 0, 0, 0], ConfigError::Profile(9)),
        ([1, 4, 1, 32, 24, 0, 0, 0], ConfigError::CommitsAlways),
        ([2, 4, 1, 32, 24, 0, 0, 0], ConfigError::CommitsAlways),
        ([4, 4, 1, 32, 24, 0, 0, 0], ConfigError::CommitsAlways),
        ([3, 12, 1, 32, 24, 0, 16, 0], ConfigError::Stream),
        ([4, 8, 1, 32, 24, 0, 16, 0], ConfigError::Stream),
        ([1, 9, 1, 32, 24, 0, 16, 0], ConfigError::Stream),
        ([1, 8, 1, 32, 24, 0, 0, 0], ConfigError::Segment(0)),
        ([1, 8, 1, 32, 24, 0, 7, 0], ConfigError::Segment(7)),
        ([2, 8, 1, 32, 24, 0, 25, 0], ConfigError::Segment(25)),
        ([2, 8, 1, 32, 24, 0, 8, 1], ConfigError::Segment(264)),
        ([1, 0, 1, 32, 24, 0, 8, 0], ConfigError::Segment(8)),
        ([1, 0, 1, 15, 24, 0, 0, 0], ConfigError::Tag { longest, actual: 15 }),
        ([2, 0, 1, 33, 24, 0, 0, 0], ConfigError::Tag { longest, actual: 33 }),
        ([2, 0, 2, 17, 24, 0, 0, 0], ConfigError::Tag { longest: 16, actual: 17 }),
        ([4, 0, 1, 0, 24, 0, 0, 0], ConfigError::Tag { longest, actual: 0 }),
        ([2, 1, 1, 32, 0, 0, 0, 0], ConfigError::HiddenNonce { longest: 63, actual: 0 }),
        ([1, 1, 1, 32, 64, 0, 0, 0], ConfigError::HiddenNonce { longest: 63, actual: 64 }),
        ([3, 5, 8, 0, 255, 255, 0, 0], ConfigError::HiddenNonce { longest: 39, actual: 65535 }),
        ([2, 0, 1, 32, 1, 4, 0, 0], ConfigError::PublicNonce(1025)),
        ([3, 4, 1, 0, 254, 255, 0, 0], ConfigError::PublicNonce(65534)),
        ([1, 0, 1, 32, 7, 0, 0, 0], ConfigError::ShortNonce(7)),
        ([1, 1, 1, 32, 7, 0, 0, 0], ConfigError::ShortNonce(7)),
        ([3, 0, 1, 16, 24, 0, 0, 0], ConfigError::NotCommitting),
    ] {
        assert_eq!(from_bytes(cfg), Err(error), "{cfg:02x?}");
    }
}

/// The builder agrees wherever it can express the configuration.
#[test]
fn the_builder_breaks_no_rule_silently() {
    let och = Config::builder(Mode::Och);
    let civ = Config::builder(Mode::Civ);
    let robust = Config::builder(Mode::Robust);
    let robust_ae = Config::builder(Mode::RobustAe);
    let longest = 32;
    for (builder, error) in [
        (och.tag_bytes(15), ConfigError::Tag { longest, actual: 15 }),
        (civ.tag_bytes(33), ConfigError::Tag { longest, actual: 33 }),
        // As a byte it would be a tag of 16.
        (civ.tag_bytes(256 + 16), ConfigError::Tag { longest, actual: 272 }),
        (robust.stretch_bytes(256), ConfigError::Stretch(256)),
        (robust.tag_bytes(32), ConfigError::RobustTag),
        (robust.tag_bytes(16).stretch_bytes(16), ConfigError::RobustTag),
        (robust_ae.tag_bytes(33), ConfigError::Tag { longest, actual: 33 }),
        (robust_ae.stretch_bytes(16), ConfigError::NoStretch),
        (robust_ae.segment_bytes(1 << 16), ConfigError::Stream),
        (och.stretch_bytes(0), ConfigError::NoStretch),
        (civ.tag_bytes(16).stretch_bytes(16), ConfigError::NoStretch),
        (robust.segment_bytes(1 << 16), ConfigError::Stream),
        (och.segment_bytes(0), ConfigError::SegmentBytes(0)),
        (och.segment_bytes(1 << 7), ConfigError::SegmentBytes(128)),
        (och.segment_bytes(1000), ConfigError::SegmentBytes(1000)),
        (civ.segment_bytes(1 << 25), ConfigError::SegmentBytes(1 << 25)),
        (och.segment_bytes(256).nonce(NonceForm::Hidden(24)), ConfigError::Stream),
        (och.nonce(NonceForm::Hidden(64)), ConfigError::HiddenNonce { longest: 63, actual: 64 }),
        (civ.nonce(NonceForm::Hidden(0)), ConfigError::HiddenNonce { longest: 63, actual: 0 }),
        (och.nonce(NonceForm::Hidden(7)), ConfigError::ShortNonce(7)),
        (och.nonce(NonceForm::Public(7)), ConfigError::ShortNonce(7)),
        (civ.nonce(NonceForm::Public(1025)), ConfigError::PublicNonce(1025)),
        // The bytes of a free length, which has a name of its own.
        (civ.nonce(NonceForm::Public(65535)), ConfigError::PublicNonce(65535)),
        (och.profile(Profile::S256), ConfigError::SixtyFourBits("S256")),
        (civ.profile(Profile::A256), ConfigError::SixtyFourBits("A256")),
        (robust.profile(Profile::As320), ConfigError::SixtyFourBits("AS320")),
    ] {
        assert_eq!(builder.build(), Err(error), "{builder:?}");
    }
}

#[test]
fn what_is_built_is_what_was_asked_for() {
    for mode in MODES {
        for profile in Profile::ALL {
            let (block, longest) = (profile.block_bytes(), profile.tag_bytes());
            let builder = Config::builder(mode).profile(profile).allow_64_bits();
            let config = builder.build().expect("a configuration");
            assert_eq!((config.mode(), config.profile()), (mode, profile));
            assert_eq!(config.nonce(), NonceForm::Hidden(32.min(block as u16 - 1)));
            assert_eq!((config.tag_bytes(), config.stretch_bytes()), (longest, 0));
            assert_eq!(config.segment_bytes(), None);
            assert!(config.commits() && !config.prehashes_setup_ad());
            let hashed = builder.prehash_setup_ad().build().expect("a configuration");
            assert!(hashed.prehashes_setup_ad() && hashed.to_bytes()[1] & 2 == 2);
            assert_eq!(from_bytes(config.to_bytes()), Ok(config));
            assert_eq!(from_bytes(hashed.to_bytes()), Ok(hashed));
        }
    }
    let stretched = Config::builder(Mode::Robust).stretch_bytes(255).build().expect("a stretch");
    assert_eq!((stretched.stretch_bytes(), stretched.tag_bytes()), (255, 32));
    assert_eq!(stretched.overhead_bytes(), 32 + 255 + 32);
    let stream = Config::builder(Mode::Civ).segment_bytes(1 << 24).build().expect("a stream");
    assert_eq!(stream.segment_bytes(), Some(1 << 24));
    assert_eq!(stream.nonce(), NonceForm::Public(24), "a nonce that is not hidden");
}

/// Encipherment that does not commit has a type of its own, and nothing else has that type.
#[test]
fn not_to_commit_needs_another_type() {
    let cfg = [3, 0, 1, 16, 24, 0, 0, 0];
    assert_eq!(Config::from_bytes(cfg), Err(ConfigError::NotCommitting));
    assert!(Config::builder(Mode::Robust).build().expect("a configuration").commits());
    for cfg in [[3, 4, 1, 16, 24, 0, 0, 0], Config::OCH.to_bytes(), Config::CIV.to_bytes()] {
        let refused = WideBlock::from_bytes(cfg, &key(), b"").map(drop);
        assert_eq!(refused, Err(Error::Config(ConfigError::Commits)), "{cfg:02x?}");
    }
    for mode in [Mode::Och, Mode::Civ] {
        let refused = WideBlock::init(Config::builder(mode), &key(), b"").map(drop);
        assert_eq!(refused, Err(Error::Config(ConfigError::Commits)));
    }
    let weak = Config::builder(Mode::Robust).profile(Profile::S256);
    let refused = WideBlock::init(weak, &key(), b"").map(drop);
    assert_eq!(refused, Err(Error::Config(ConfigError::SixtyFourBits("S256"))));
    assert!(WideBlock::init(weak.allow_64_bits(), &key(), b"").is_ok());
}

#[test]
fn errors_say_what_is_wrong() {
    for (error, text) in [
        (ConfigError::Mode(7), "mode 7 does not exist: there are 1, 2 and 3"),
        (ConfigError::Flags(0x90), "flags 0x90: bits 4 to 7 must be zero"),
        (ConfigError::Profile(9), "profile 9 does not exist: 1 to 8 do"),
        (
            ConfigError::CommitsAlways,
            "the committing tag is a choice for the robust mode: others commit always",
        ),
        (ConfigError::Stream, "only OCH and CIV go in segments, with a public nonce"),
        (
            ConfigError::Segment(25),
            "segments have 2^8 to 2^24 bytes, and there are none without a stream: 25",
        ),
        (
            ConfigError::Tag { longest: 32, actual: 33 },
            "a tag of this profile has 16 to 32 bytes, not 33",
        ),
        (
            ConfigError::SegmentBytes(1000),
            "segments have 2^8 to 2^24 bytes, a power of two, not 1000",
        ),
        (
            ConfigError::RobustTag,
            "the tag of the robust mode is the profile's: its stretch can be chosen",
        ),
        (ConfigError::NoStretch, "only the robust mode has a stretch"),
        (ConfigError::Stretch(256), "a stretch has at most 255 bytes, not 256"),
        (
            ConfigError::HiddenNonce { longest: 63, actual: 64 },
            "a hidden nonce of this profile has 1 to 63 bytes, not 64",
        ),
        (
            ConfigError::PublicNonce(1025),
            "a public nonce has at most 1024 bytes, or a free length, not 1025",
        ),
        (
            ConfigError::ShortNonce(7),
            "a nonce of OCH has at least 8 bytes, not 7: it would soon be repeated",
        ),
        (
            ConfigError::Commits,
            "a wide-block cipher is the robust mode without its tag, and nothing else",
        ),
        (
            ConfigError::NotCommitting,
            "the robust mode without its tag does not commit: that is a `hazmat::WideBlock`",
        ),
        (
            ConfigError::SixtyFourBits("AS320"),
            "profile AS320 is of the 64-bit level: it must be allowed",
        ),
    ] {
        assert_eq!(error.to_string(), text);
        assert_eq!(Error::from(error).to_string(), text);
    }
    let range = Flex::init(Config::OCH, &[7; 15], b"").map(drop).expect_err("too short");
    assert_eq!(range.to_string(), "the key has 15 bytes where 16 to 1024 are needed");
}

/// Names and sizes of the profiles, as in section 2.
#[test]
fn profiles_are_the_specifications() {
    let text = include_str!("../../../../docs/spec/flex.md");
    let mut seen = vec![];
    for line in text.lines() {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let [_, id, name, _, b, t, r, ..] = cells[..] else { continue };
        let (Ok(id), Ok(b), Ok(t), Ok(r)) =
            (id.parse::<usize>(), b.parse::<usize>(), t.parse::<usize>(), r.parse::<usize>())
        else {
            continue;
        };
        assert_eq!(b, t + r);
        seen.push((id, name, b, t));
    }
    let ours: Vec<_> = (1..)
        .zip(Profile::ALL)
        .map(|(id, p)| (id, p.name(), p.block_bytes(), p.tag_bytes()))
        .collect();
    assert_eq!(seen, ours);
}
