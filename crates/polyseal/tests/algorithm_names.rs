//! `id[:name=value,…]`: one instance, one spelling. What is printed is read back as the same, and
//! what is not written in that way is refused with the reason.

mod common;

use std::collections::HashSet;

use polyseal::Error;
use polyseal::registry::{Algorithm, Kind, families, family};
use proptest::{prop_assert_eq, proptest};

use common::instances;

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
fn defaults_are_not_spelt() {
    for f in families() {
        assert_eq!(Algorithm::new(f).to_string(), f.id);
        let spelt = format!("{}:tag={}", f.id, f.tag_bytes.default);
        assert_eq!(spelt.parse::<Algorithm>().map(|a| a.to_string()), Ok(f.id.to_owned()));
    }
}

#[test]
fn choices_may_come_in_any_order() {
    let a: Algorithm = "aegis-128x-v1:degree=8,tag=32".parse().expect("an algorithm");
    assert_eq!("aegis-128x-v1:tag=32,degree=8".parse(), Ok(a));
    assert_eq!((a.param("degree"), a.param("tag"), a.tag_bytes()), (Some(8), None, 32));
    assert_eq!(a.to_string(), "aegis-128x-v1:degree=8,tag=32");
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
        ("aegis-128l:tag=12", "tag", f.tag_bytes, 12),
        ("aegis-128l:tag=0", "tag", f.tag_bytes, 0),
        ("aegis-128l:key=32", "key", f.key_bytes, 32),
        ("aegis-128l:nonce=12", "nonce", f.nonce_bytes, 12),
        ("aegis-256:key=16", "key", sizes("aegis-256").key_bytes, 16),
    ] {
        let error = Error::Size { what, allowed, actual };
        assert_eq!(text.parse::<Algorithm>(), Err(error), "{text}");
    }
    let (gcm, kc) = (sizes("aes-256-gcm"), sizes("kc-xaes-256-gcm"));
    for (text, what, allowed, actual) in [
        ("aes-256-gcm:nonce=0", "nonce", gcm.nonce_bytes, 0),
        ("aes-256-gcm:nonce=513", "nonce", gcm.nonce_bytes, 513),
        ("aes-256-gcm:tag=11", "tag", gcm.tag_bytes, 11),
        ("aes-256-gcm:key=16", "key", gcm.key_bytes, 16),
        ("kc-xaes-256-gcm:nonce=19", "nonce", kc.nonce_bytes, 19),
        ("kc-xaes-256-gcm:nonce=25", "nonce", kc.nonce_bytes, 25),
        ("kc-xaes-256-gcm:tag=16", "tag", kc.tag_bytes, 16),
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
        ("dndk-gcm:tag=48", "tag", &[16][..], 48),
        ("dndk-gcm:tag=12", "tag", &[16], 12),
        ("dndk-gcm:kc=1,tag=16", "tag", &[48], 16),
        ("dndk-gcm:kc=1,tag=32", "tag", &[48], 32),
        ("dndk-gcm:version=1,nonce=12", "nonce", &[24], 12),
        ("dndk-gcm:nonce=12,version=1", "nonce", &[24], 12),
    ] {
        let refused = text.parse::<Algorithm>();
        let Err(Error::Size { what: named, allowed: offered, actual: wanted }) = refused else {
            panic!("{text}: {refused:?}")
        };
        assert_eq!((named, offered.allowed, wanted), (what, allowed, actual), "{text}");
    }
    for text in ["dndk-gcm:kc=2", "dndk-gcm:version=0", "dndk-gcm:version=3", "dndk-gcm:kc=true"] {
        assert_eq!(text.parse::<Algorithm>(), Err(Error::Parameter), "{text}");
    }
}

#[test]
fn the_table_is_in_order() {
    let ids: HashSet<_> = families().iter().map(|f| f.id).collect();
    assert_eq!(ids.len(), families().len(), "an id twice");
    for f in families() {
        assert!(core::ptr::eq(family(f.id).expect("by its id"), f), "{}", f.id);
        assert!(!f.id.is_empty() && !f.name.is_empty() && !f.specification.title.is_empty());
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(f.id.chars().all(kebab), "{} is not kebab-case", f.id);
        for sizes in [f.key_bytes, f.nonce_bytes, f.tag_bytes] {
            assert!(sizes.accepts(sizes.default), "{}: the default does not exist", f.id);
            assert!(sizes.allowed.is_sorted(), "{}: sizes out of order", f.id);
        }
        for param in f.params {
            assert!(param.allowed.contains(&param.default), "{}: {}", f.id, param.name);
        }
        for claim in f.commitment {
            assert!(f.tag_bytes.accepts(claim.tag_bytes), "{}: a claim for no tag", f.id);
        }
    }
}

proptest! {
    /// Whatever is accepted has one spelling, which is accepted as the same.
    #[test]
    fn accepted_text_has_one_spelling(
        text in r"(aegis-(128l|256x2|128x-v1|256x2-mac)|aes-256-gcm|kc-xaes-256-gcm|dndk-gcm)(:(tag|key|nonce|degree|kc|version|x)=[0-9+]{1,3}(,(tag|nonce|degree|kc|version)=[0-9]{1,2}){0,2})?"
    ) {
        if let Ok(algorithm) = text.parse::<Algorithm>() {
            prop_assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
            prop_assert_eq!(algorithm.family().id, text.split(':').next().expect("an id"));
        }
    }

    #[test]
    fn arbitrary_text_is_refused_quietly(text in ".{0,40}") {
        if let Ok(algorithm) = text.parse::<Algorithm>() {
            prop_assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
        }
    }
}
