//! `id[:name=value,…]`: one instance, one spelling. A printed name is read back as the same, and a
//! name that is not written in that way is refused with the reason.

use std::collections::HashSet;

use polyseal::Error;
use polyseal::flex::{Builder, Config, ConfigError};
use polyseal::registry::{Algorithm, Family, Kind, Level, families, family, feature_of};
use proptest::{prop_assert, prop_assert_eq, proptest};

use crate::common::instances;

#[test]
fn every_instance_is_read_back() {
    let all: Vec<_> = [Kind::Aead, Kind::Mac].into_iter().flat_map(instances).collect();
    let texts: HashSet<_> = all.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), all.len(), "two instances with one spelling");
    for algorithm in all {
        let text = algorithm.to_string();
        assert_eq!(text.parse(), Ok(algorithm), "{text}");
        // `choices` is all that has to be kept beside the id.
        let rebuilt = algorithm
            .choices()
            .try_fold(Algorithm::new(algorithm.family()), |a, (name, value)| a.with(name, value));
        assert_eq!(rebuilt, Ok(algorithm), "{text}");
    }
}

#[test]
fn every_row_says_in_a_few_words_what_it_is_for() {
    for Family { identity, .. } in families() {
        assert!((1..=35).contains(&identity.purpose.chars().count()), "{}", identity.id);
        let compares = identity.purpose.starts_with("to compare: ");
        assert_eq!(compares, identity.papers_only, "{}", identity.id);
    }
}

#[test]
fn defaults_are_not_spelt() {
    for f in families() {
        assert_eq!(Algorithm::new(f).to_string(), f.identity.id);
        let spelt = format!("{}:tag={}", f.identity.id, f.sizes.tag_bytes.default);
        assert_eq!(spelt.parse::<Algorithm>().map(|a| a.to_string()), Ok(f.identity.id.to_owned()));
    }
}

#[test]
fn choices_may_come_in_any_order() {
    let a: Algorithm = "aegis-128x-v1:degree=8,tag=32".parse().expect("an algorithm");
    assert_eq!("aegis-128x-v1:tag=32,degree=8".parse(), Ok(a));
    assert_eq!((a.param("degree"), a.param("tag"), a.tag_bytes()), (Some(8), None, 32));
    assert_eq!(a.to_string(), "aegis-128x-v1:degree=8,tag=32");
}

/// A build that has all features finds each id by the feature that brings it.
#[test]
fn each_family_is_of_the_feature_that_brings_it() {
    for Family { identity, .. } in families() {
        let feature = match identity.id.split('-').next() {
            _ if identity.papers_only => "papers",
            Some(first @ ("aegis" | "ctx" | "flex" | "omd")) => first,
            _ => "gcm",
        };
        assert_eq!(feature_of(identity.id), Some(feature), "{}", identity.id);
    }
    for id in ["flex-och:key=16", "aes-512-gcm", ""] {
        assert_eq!(feature_of(id), None, "{id}");
    }
}

#[test]
fn anything_else_is_refused() {
    for text in ["", ":", "aegis", "aegis-128", "AEGIS-128L", " aegis-128l", "aegis-128l ", "=16"] {
        assert_eq!(text.parse::<Algorithm>(), Err(Error::UnknownAlgorithm), "{text:?}");
    }
    for text in [
        "aegis-128l:",
        "aegis-128l:tag",
        "aegis-128l:tag=",
        "aegis-128l:=16",
        "aegis-128l:tag=sixteen",
        "aegis-128l:tag=+16",
        "aegis-128l:tag=016",
        "aegis-128l:tag=00",
        "aegis-128l:tag=-16",
        "aegis-128l:tag=0x10",
        "aegis-128l:tag= 16",
        "aegis-128l:tag=16,",
        "aegis-128l:,tag=16",
        "aegis-128l:tag=16,tag=16",
        "aegis-128l:tag=16,tag=32",
        "aegis-128l:tag=16:tag=32",
        "aegis-128l:tag=16=16",
        "aegis-128l:tag=18446744073709551616",
        "aegis-128l:degree=1",
        "aegis-128l:Tag=16",
        "aegis-128x-v1:degree=0",
        "aegis-128x-v1:degree=5",
        "aegis-128x-v1:degree=17",
        "aegis-128x-v1:degree=4,degree=4",
    ] {
        assert_eq!(text.parse::<Algorithm>(), Err(Error::Parameter), "{text:?}");
    }
}

#[test]
fn a_size_that_does_not_exist_is_named_with_those_that_do() {
    let sizes = |id| family(id).expect(id);
    let f = sizes("aegis-128l");
    for (text, what, allowed, actual) in [
        ("aegis-128l:tag=12", "tag", f.sizes.tag_bytes, 12),
        ("aegis-128l:tag=0", "tag", f.sizes.tag_bytes, 0),
        ("aegis-128l:key=32", "key", f.sizes.key_bytes, 32),
        ("aegis-128l:nonce=12", "nonce", f.sizes.nonce_bytes, 12),
        ("aegis-256:key=16", "key", sizes("aegis-256").sizes.key_bytes, 16),
    ] {
        let error = Error::Size { what, allowed, actual };
        assert_eq!(text.parse::<Algorithm>(), Err(error), "{text}");
    }
    let (gcm, kc) = (sizes("aes-256-gcm"), sizes("kc-xaes-256-gcm"));
    for (text, what, allowed, actual) in [
        ("aes-256-gcm:nonce=0", "nonce", gcm.sizes.nonce_bytes, 0),
        ("aes-256-gcm:nonce=513", "nonce", gcm.sizes.nonce_bytes, 513),
        ("aes-256-gcm:tag=11", "tag", gcm.sizes.tag_bytes, 11),
        ("aes-256-gcm:key=16", "key", gcm.sizes.key_bytes, 16),
        ("kc-xaes-256-gcm:nonce=19", "nonce", kc.sizes.nonce_bytes, 19),
        ("kc-xaes-256-gcm:nonce=25", "nonce", kc.sizes.nonce_bytes, 25),
        ("kc-xaes-256-gcm:tag=16", "tag", kc.sizes.tag_bytes, 16),
    ] {
        let error = Error::Size { what, allowed, actual };
        assert_eq!(text.parse::<Algorithm>(), Err(error), "{text}");
    }
    let error = "aes-128-gcm:nonce=513".parse::<Algorithm>().expect_err("no such nonce");
    assert_eq!(error.to_string(), "a nonce of 513 bytes does not exist here; 1 to 512 bytes do");
    let error = "aegis-256:tag=12".parse::<Algorithm>().expect_err("no such tag");
    assert_eq!(error.to_string(), "a tag of 12 bytes does not exist here; 16 or 32 bytes do");
}

/// A commitment is never cut off, and version 1 has one nonce length.
#[test]
fn lengths_follow_from_parameters() {
    for (text, nonce, tag) in [
        ("dndk-gcm", 24, 16),
        ("dndk-gcm:kc=1", 24, 48),
        ("dndk-gcm:version=1", 24, 16),
        ("dndk-gcm:version=1,kc=1", 24, 48),
        ("dndk-gcm:nonce=12", 12, 16),
        ("dndk-gcm:kc=1,nonce=27", 27, 48),
        ("dndk-gcm:nonce=27,kc=1", 27, 48),
        ("dndk-gcm:nonce=24,version=1", 24, 16),
    ] {
        let a: Algorithm = text.parse().expect(text);
        assert_eq!((a.nonce_bytes(), a.tag_bytes()), (nonce, tag), "{text}");
        assert_eq!(a.commitment().is_some(), tag == 48, "{text}");
    }
    for (text, what, allowed, actual) in [
        ("dndk-gcm:tag=48", "tag", 16, 48),
        ("dndk-gcm:tag=12", "tag", 16, 12),
        ("dndk-gcm:kc=1,tag=16", "tag", 48, 16),
        ("dndk-gcm:kc=1,tag=32", "tag", 48, 32),
        ("dndk-gcm:version=1,nonce=12", "nonce", 24, 12),
        ("dndk-gcm:nonce=12,version=1", "nonce", 24, 12),
    ] {
        let refused = text.parse::<Algorithm>();
        let Err(Error::Size { what: named, allowed: offered, actual: wanted }) = refused else {
            panic!("{text}: {refused:?}")
        };
        assert_eq!((named, wanted), (what, actual), "{text}");
        assert!(offered.iter().eq([allowed]), "{text}");
    }
    for text in ["dndk-gcm:kc=2", "dndk-gcm:version=0", "dndk-gcm:version=3", "dndk-gcm:kc=true"] {
        assert_eq!(text.parse::<Algorithm>(), Err(Error::Parameter), "{text}");
    }
}

/// A configuration in hexadecimal, and a permission before what it is for, wherever it stands.
#[test]
fn a_configuration_is_a_parameter() {
    for (text, nonce, tag, head) in [
        ("flex", 32, 64, 32),
        ("flex:cfg=0100012018000000", 24, 32, 0),
        ("flex:cfg=010001100c000000", 12, 16, 0),
        ("flex:cfg=02000120ffff0000", 24, 32, 0),
        ("flex:cfg=02000120ffff0000,nonce=0", 0, 32, 0),
        ("flex:cfg=02000120ffff0000,nonce=65535", 65535, 32, 0),
        ("flex:cfg=01000120ffff0000,nonce=8", 8, 32, 0),
        ("flex:cfg=0305010518000000", 24, 24 + 5 + 32, 24),
        ("flex:cfg=03040100ffff0000,key=64", 24, 32, 0),
        ("flex:allow-64-bit=1,cfg=0101021018000000", 24, 24 + 16, 24),
    ] {
        let a: Algorithm = text.parse().expect(text);
        assert_eq!((a.nonce_bytes(), a.tag_bytes(), a.head_bytes()), (nonce, tag, head), "{text}");
        assert_eq!(a.to_string(), text);
        let cfg = a.param("cfg").expect("a configuration").to_be_bytes();
        assert_eq!(Config::from_algorithm(&a).map(|config| config.to_bytes()), Some(cfg), "{text}");
    }
    let a: Algorithm = "flex:cfg=0101012020000000".parse().expect("the default");
    assert_eq!(a.to_string(), "flex");
    let a: Algorithm = "flex:nonce=0,cfg=02000120ffff0000".parse().expect("any order");
    assert_eq!(a.to_string(), "flex:cfg=02000120ffff0000,nonce=0");
    let weak = "flex:cfg=0101021018000000";
    let allowed = format!("{weak},allow-64-bit=1").parse::<Algorithm>().expect("allowed");
    assert_eq!(allowed.to_string(), "flex:allow-64-bit=1,cfg=0101021018000000");
    let error = Error::Config(ConfigError::SixtyFourBits("S256"));
    let refused = Err(error);
    assert_eq!(weak.parse::<Algorithm>(), refused);
    assert_eq!(allowed.with("allow-64-bit", 0), refused, "the permission cannot be taken back");
    assert_eq!(error.to_string(), "profile S256 is of the 64-bit level: it must be allowed");

    for (text, error) in [
        ("flex:cfg=0501012020000000", ConfigError::Mode(5)),
        ("flex:cfg=0111012020000000", ConfigError::Flags(0x11)),
        ("flex:cfg=0101092020000000", ConfigError::Profile(9)),
        ("flex:cfg=0100012004000000", ConfigError::ShortNonce(4)),
        ("flex:cfg=0101010f20000000", ConfigError::Tag { longest: 32, actual: 15 }),
        ("flex:cfg=0109012020001000", ConfigError::Stream),
        ("flex:cfg=03000110ffff0000", ConfigError::NotCommitting),
    ] {
        assert_eq!(text.parse::<Algorithm>(), Err(Error::Config(error)), "{text}");
    }
    for text in [
        "flex:cfg=01010120200000",
        "flex:cfg=010101202000000000",
        "flex:cfg=0101012020000000,cfg=0101012020000000",
        "flex:cfg=0X01012020000000",
        "flex:cfg=+101012020000000",
        "flex:cfg=03040100FFFF0000",
        "flex:cfg=72340172819595264",
        "flex:allow-64-bit=2",
        "flex:allow-64-bit=true",
        "flex-och:cfg=0101012020000000",
        "flex:setupAd=00",
    ] {
        assert_eq!(text.parse::<Algorithm>(), Err(Error::Parameter), "{text}");
    }
    for (text, what) in [
        ("flex:tag=32", "tag"),
        ("flex:nonce=24", "nonce"),
        ("flex:key=15", "key"),
        ("flex:key=1025", "key"),
        ("flex:cfg=0200012000040000,nonce=1025", "nonce"),
        ("flex:cfg=02000120ffff0000,nonce=65536", "nonce"),
        ("flex:cfg=01000120ffff0000,nonce=7", "nonce"),
        ("flex-civ-public:nonce=65536", "nonce"),
        ("flex-civ-public:key=15", "key"),
        ("flex-och:tag=32", "tag"),
    ] {
        let refused = text.parse::<Algorithm>();
        assert!(matches!(refused, Err(Error::Size { what: w, .. }) if w == what), "{text}");
    }
}

/// Every length is an instance, and one word is enough for a rule.
#[test]
fn rules_of_omd_have_names() {
    for (text, key, nonce, tag) in [
        ("omd-sha256", 32, 31, 32),
        ("omd-sha256:key=1,nonce=0,tag=1", 1, 0, 1),
        ("omd-sha256:key=16,nonce=12,tag=8", 16, 12, 8),
        ("omd-sha512:nonce=63", 64, 63, 64),
        ("omd-blake2b:rule=reference,tag=32", 64, 32, 32),
        ("omd-blake2b:version=1,key=5", 5, 32, 64),
    ] {
        let a: Algorithm = text.parse().expect(text);
        assert_eq!((a.key_bytes(), a.nonce_bytes(), a.tag_bytes()), (key, nonce, tag), "{text}");
        assert_eq!(a.to_string(), text);
        assert_eq!(a.commitment(), None);
    }
    for (text, spelt) in [
        ("omd-sha256:rule=secure", "omd-sha256"),
        ("omd-sha256:version=2", "omd-sha256"),
        ("omd-sha256:tag=8,rule=reference", "omd-sha256:rule=reference,tag=8"),
    ] {
        assert_eq!(text.parse::<Algorithm>().map(|a| a.to_string()), Ok(spelt.to_owned()));
    }
    for text in [
        "omd-sha256:rule=0",
        "omd-sha256:rule=1",
        "omd-sha256:rule=Reference",
        "omd-sha256:rule=",
        "omd-sha256:rule=v1",
        "omd-sha256:version=0",
        "omd-sha256:version=3",
        "omd-sha256:version=one",
        "omd-sha256:rule=reference,rule=reference",
    ] {
        assert_eq!(text.parse::<Algorithm>(), Err(Error::Parameter), "{text}");
    }
    for (text, what) in [
        ("omd-sha256:key=0", "key"),
        ("omd-sha256:key=33", "key"),
        ("omd-sha256:nonce=32", "nonce"),
        ("omd-sha256:tag=0", "tag"),
        ("omd-sha512:tag=65", "tag"),
        ("omd-blake2b:nonce=64", "nonce"),
    ] {
        let refused = text.parse::<Algorithm>();
        assert!(matches!(refused, Err(Error::Size { what: w, .. }) if w == what), "{text}");
    }
    for both in ["rule=reference,version=1", "version=1,rule=secure", "rule=secure,version=2"] {
        let text = format!("omd-sha256:{both}");
        assert_eq!(text.parse::<Algorithm>(), Err(Error::ExclusiveParameters), "{text}");
    }
    let a: Algorithm = "omd-sha256:version=1".parse().expect("version 1");
    assert_eq!(a.with("rule", 1), Err(Error::ExclusiveParameters));
    // Not every combination of lengths is listed, but those that have a name.
    let count = |id| Algorithm::instances(family(id).expect(id)).skip(1).count();
    assert_eq!((count("omd-sha256"), count("omd-sha512"), count("omd-blake2b")), (18, 12, 9));
}

/// A tag that is cut short commits to less, and a hidden nonce is no part of it.
#[test]
fn claims_follow_from_the_configuration() {
    for (text, bits) in [
        ("flex-och", 128),
        ("flex-och-public", 128),
        ("flex-och-transport", 64),
        ("flex-robust", 128),
        ("flex-robust-ae", 128),
        ("flex", 128),
        ("flex:cfg=0101011020000000", 64),
        ("flex:cfg=0101011f20000000", 96),
        ("flex:cfg=0305011018000000", 128),
        ("flex:allow-64-bit=1,cfg=0101021018000000", 64),
    ] {
        let a: Algorithm = text.parse().expect(text);
        let claim = a.commitment().expect("a claim");
        assert_eq!((claim.level, claim.bits), (Level::Cmt4, bits), "{text}");
    }
}

/// Lengths there and back, and none in between.
#[test]
fn lengths_of_sealed_messages() {
    for text in [
        "aegis-128l",
        "kc-xaes-256-gcm",
        "flex-och",
        "flex-robust",
        "flex-och-stream",
        "och-areion-s",
        "omd-sha256",
    ] {
        let a: Algorithm = text.parse().expect(text);
        let mut sealed = std::collections::HashMap::new();
        for message in (0..100).chain(65500..65600).chain([131_072, 131_073]) {
            let bytes = a.ciphertext_bytes(message).expect("short");
            let pieces = if a.is_whole() { message.div_ceil(65536).max(1) } else { 1 };
            assert_eq!(bytes, message + pieces * a.tag_bytes() as u64, "{text}: {message}");
            sealed.insert(bytes, message);
        }
        for bytes in (0..100).chain(65536..65600) {
            // None but those that some message has.
            if let Some(message) = a.message_bytes(bytes) {
                assert_eq!(a.ciphertext_bytes(message), Some(bytes), "{text}: {bytes}");
            } else {
                assert!(!sealed.contains_key(&bytes), "{text}: {bytes}");
            }
        }
        for (bytes, message) in sealed {
            assert_eq!(a.message_bytes(bytes), Some(message), "{text}: {message}");
        }
        let most = a.family().limits.max_message_bytes;
        assert_eq!(a.ciphertext_bytes(most).is_some(), !a.is_whole(), "{text}");
        assert_eq!(a.ciphertext_bytes(most.saturating_add(1)), None, "{text}");
        assert_eq!(a.message_bytes(a.tag_bytes() as u64 - 1), None, "{text}");
    }
}

#[test]
fn the_table_is_in_order() {
    let ids: HashSet<_> = families().iter().map(|f| f.identity.id).collect();
    assert_eq!(ids.len(), families().len(), "an id twice");
    for f in families() {
        assert!(core::ptr::eq(family(f.identity.id).expect("by its id"), f), "{}", f.identity.id);
        assert!(
            !f.identity.id.is_empty()
                && !f.identity.name.is_empty()
                && !f.identity.specification.title.is_empty()
        );
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(f.identity.id.chars().all(kebab), "{} is not kebab-case", f.identity.id);
        for sizes in [f.sizes.key_bytes, f.sizes.nonce_bytes, f.sizes.tag_bytes] {
            assert!(sizes.accepts(sizes.default), "{}: the default does not exist", f.identity.id);
            assert!(sizes.iter().is_sorted(), "{}: sizes out of order", f.identity.id);
            assert_eq!(sizes.iter().len(), sizes.count(), "{}", f.identity.id);
        }
        for param in f.sizes.params {
            assert!(param.allowed.contains(&param.default), "{}: {}", f.identity.id, param.name);
        }
        // A claim is for a tag, beside which there may be an encrypted nonce.
        let default = Algorithm::new(f);
        let whole = default.tag_bytes() - default.head_bytes();
        for claim in f.claims.commitment {
            let hidden = default.head_bytes() > 0 && whole >= claim.tag_bytes;
            let exists = f.sizes.tag_bytes.accepts(claim.tag_bytes) || hidden;
            assert!(exists, "{}: a claim for no tag", f.identity.id);
        }
    }
}

proptest! {
    /// Whatever is accepted has one spelling, which is accepted as the same.
    #[test]
    fn accepted_text_has_one_spelling(
        text in concat!(
            "(aegis-(128l|256x2|128x-v1|256x2-mac)|aes-256-gcm|kc-xaes-256-gcm|dndk-gcm",
            "|flex|flex-civ-public|omd-sha256|omd-blake2b)",
            "(:(tag|key|nonce|degree|kc|version|x)=[0-9+]{1,3}",
            "(,(tag|nonce|degree|kc|version)=[0-9]{1,2}){0,2})?",
        )
    ) {
        if let Ok(algorithm) = text.parse::<Algorithm>() {
            prop_assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
            prop_assert_eq!(algorithm.family().identity.id, text.split(':').next().expect("an id"));
        }
    }

    /// The name of a configuration is the configuration: accepted as often as the specification
    /// does.
    #[test]
    fn configurations_are_read_back(
        mode in 1..4_u8, flags in 0..16_u8, profile in 1..9_u8,
        tag in 0..34_u8, nonce in 0..70_u8, aux in 0..2_u8
    ) {
        let bytes = [mode, flags, profile, tag, nonce, 0, 10 * aux, 0];
        let digits = hex::encode(bytes);
        let text = format!("flex:allow-64-bit=1,cfg={digits}");
        let built = Builder::from_bytes(bytes).and_then(|builder| builder.allow_64_bits().build());
        match (built, text.parse::<Algorithm>()) {
            (Ok(config), Ok(algorithm)) => {
                prop_assert_eq!(Config::from_algorithm(&algorithm), Some(config));
                prop_assert_eq!(algorithm.tag_bytes(), config.overhead_bytes());
                prop_assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
            }
            (Err(error), refused) => prop_assert_eq!(refused, Err(Error::Config(error))),
            (Ok(_), refused) => prop_assert!(false, "{} is {:?}", digits, refused),
        }
    }

    #[test]
    fn arbitrary_text_is_refused_quietly(text in ".{0,40}") {
        if let Ok(algorithm) = text.parse::<Algorithm>() {
            prop_assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
        }
    }
}
