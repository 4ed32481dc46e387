//! Each bound: just below, at it, just above.

use super::{GCM_BYTES_LOG2, Limits, Nonces, Segments, Total, Usage};
use crate::error::Error;
use crate::family::{CLAIMLESS, FamilyLimits, Mode};
use crate::registry::{Algorithm, Family, Kind, families};

/// RFC 10032's longest message and associated data.
const LONGEST: u64 = (1 << 61) - 1;

fn algorithm(text: &str) -> Algorithm {
    text.parse().expect(text)
}

/// Every instance of every row.
fn every_algorithm() -> impl Iterator<Item = Algorithm> {
    families().iter().flat_map(Algorithm::instances)
}

/// A limit on bytes as they are.
const fn in_bytes(limit: Option<u128>) -> Total {
    Total { limit, extra_blocks: None }
}

/// A limit on blocks.
const fn in_blocks(limit: u128, extra: u32) -> Total {
    Total { limit: Some(limit), extra_blocks: Some(extra) }
}

/// A counter under bounds that no row of the registry has.
fn small(messages: u128, bytes: u128) -> Usage {
    let limits = Limits {
        random_nonce_messages: Some(4),
        counted_nonce_messages: Some(10),
        counted_first_nonce_messages: Some(10),
        segments: None,
        total_bytes: in_bytes(Some(100)),
        counted_total_bytes: in_bytes(Some(100)),
        failed_verifications: Some(2),
        message_bytes: 60,
        ad_bytes: 50,
    };
    Usage { limits, nonces: Nonces::Counted, messages, bytes, failures: 0 }
}

#[test]
fn aegis_has_the_limits_of_its_specification() {
    for id in ["aegis-128l", "aegis-128x2", "aegis-128x4", "aegis-128x-v1"] {
        for tag in [16, 32] {
            let a = algorithm(id).with("tag", tag).expect("such tags");
            let expected = Limits {
                random_nonce_messages: Some(1 << 48),
                counted_nonce_messages: None,
                counted_first_nonce_messages: None,
                segments: None,
                total_bytes: in_bytes(None),
                counted_total_bytes: in_bytes(None),
                failed_verifications: Some(1 << 96),
                message_bytes: LONGEST,
                ad_bytes: LONGEST,
            };
            assert_eq!(Limits::for_algorithm(&a), expected, "{a}");
        }
    }
    for id in ["aegis-256", "aegis-256x2", "aegis-256x4", "aegis-256x-v1"] {
        let limits = Limits::for_algorithm(&algorithm(id));
        assert_eq!(limits.random_nonce_messages, None, "{id}");
        assert_eq!(limits.counted_nonce_messages, None, "{id}");
        assert_eq!(limits.failed_verifications, Some(1 << 96), "{id}");
    }
}

#[test]
fn a_commitment_to_a_part_of_the_nonce_repeats_first() {
    for (text, log2) in [
        ("kc-c3-xaes-256-gcm", 44),
        ("kc-xaes-256-gcm", 80),
        ("dndk-gcm:kc=1", 44),
        ("dndk-gcm:version=1,kc=1", 80),
        ("dndk-gcm", 80),
    ] {
        let limits = Limits::for_algorithm(&algorithm(text));
        assert_eq!(limits.random_nonce_messages, Some(1 << log2), "{text}");
    }
}

#[test]
fn gcm_has_the_limits_of_sp_800_38d() {
    for (text, random, counted, failures) in [
        // A forger has 2^-95 with the longest message.
        ("aes-128-gcm", 32, 96, 63),
        ("aes-256-gcm", 32, 96, 63),
        ("aes-256-gcm:tag=12", 32, 96, 31),
        // A row's figure is for the default length.
        ("aes-256-gcm:nonce=8", 16, 32, 63),
        ("aes-256-gcm:nonce=1", 0, 8, 63),
        // Only nonces of 12 bytes may be as many as there are (8.3).
        ("aes-256-gcm:nonce=11", 28, 32, 63),
        ("aes-256-gcm:nonce=13", 32, 32, 63),
        ("aes-128-gcm:nonce=512", 32, 32, 63),
        ("ctx-aes-256-gcm", 32, 96, 63),
    ] {
        let expected = Limits {
            random_nonce_messages: Some(1 << random),
            counted_nonce_messages: Some(1 << counted),
            counted_first_nonce_messages: Some(1 << counted),
            segments: None,
            total_bytes: in_blocks(1 << 52, 1),
            counted_total_bytes: in_blocks(1 << 52, 1),
            failed_verifications: Some(1 << failures),
            message_bytes: (1 << 36) - 32,
            ad_bytes: LONGEST,
        };
        assert_eq!(Limits::for_algorithm(&algorithm(text)), expected, "{text}");
    }
    let padded = Limits::for_algorithm(&algorithm("padding-fix-aes-256-gcm"));
    assert_eq!(padded.message_bytes, (1 << 36) - 64, "two blocks are taken");
    assert_eq!(padded.total_bytes, in_blocks(1 << 52, 3));
    assert_eq!(padded.failed_verifications, Some(1 << 63));
    let derived = Limits::for_algorithm(&algorithm("padding-fix-xaes-256-gcm"));
    assert_eq!(derived.message_bytes, (1 << 36) - 64, "two blocks are taken");
    assert_eq!(derived.counted_total_bytes, in_blocks(1 << 52, 3));
}

/// RFC 8452, section 6, for lengths; the rest is `docs/limits.md`'s.
#[test]
fn aes_gcm_siv_is_limited_as_its_page_says() {
    let expected = Limits {
        random_nonce_messages: Some(1 << 32),
        counted_nonce_messages: Some(1 << 60),
        counted_first_nonce_messages: Some(1 << 60),
        segments: None,
        total_bytes: in_blocks(1 << 68, 1),
        counted_total_bytes: in_blocks(1 << 68, 1),
        failed_verifications: Some(1 << 63),
        message_bytes: 1 << 36,
        ad_bytes: 1 << 36,
    };
    assert_eq!(Limits::for_algorithm(&algorithm("aes-256-gcm-siv")), expected);
}

#[test]
fn long_nonces_may_be_random() {
    for (text, random, total) in [
        ("xaes-256-gcm", Some(1 << 80), None),
        ("kc-xaes-256-gcm", Some(1 << 80), None),
        ("kc-xaes-256-gcm:nonce=20", Some(1 << 64), None),
        ("h-kc-aes-256-gcm", Some(1 << 80), None),
        ("hkdf-committed-aes-256-gcm", None, None),
        ("dndk-gcm", Some(1 << 80), Some(1 << 64)),
        ("dndk-gcm:kc=1,nonce=12", Some(1 << 32), Some(1 << 64)),
    ] {
        let limits = Limits::for_algorithm(&algorithm(text));
        let found = (limits.random_nonce_messages, limits.total_bytes);
        assert_eq!(found, (random, in_bytes(total)), "{text}");
        // The commitment does not make the tag harder to guess.
        assert_eq!(limits.failed_verifications, Some(1 << 63), "{text}");
        assert_eq!(limits.message_bytes, (1 << 36) - 32, "{text}");
    }
}

/// A counter may stand where it leaves the derived key as it is: then that key has GCM's limit.
#[test]
fn counted_nonces_may_all_have_one_derived_key() {
    let gcm = in_blocks(1 << GCM_BYTES_LOG2, 1);
    for (text, counted, first) in [
        ("xaes-256-gcm", gcm, Some(1 << 96)),
        ("kc-xaes-256-gcm:nonce=20", gcm, Some(1 << 96)),
        ("h-aes-256-gcm", gcm, Some(1 << 96)),
        ("h-kc-aes-256-gcm", gcm, Some(1 << 96)),
        ("dndk-gcm", gcm, Some(1 << 120)),
        ("dndk-gcm:nonce=16", gcm, Some(1 << 120)),
        // Here all of the nonce derives the key.
        ("dndk-gcm:nonce=15", in_bytes(Some(1 << 64)), Some(1 << 120)),
        ("dndk-gcm:nonce=12", in_bytes(Some(1 << 64)), Some(1 << 96)),
        ("dndk-gcm:version=1", in_bytes(Some(1 << 64)), None),
        ("hkdf-committed-aes-256-gcm", in_bytes(None), None),
    ] {
        let limits = Limits::for_algorithm(&algorithm(text));
        assert_eq!(limits.total(Nonces::Counted), counted, "{text}");
        assert_eq!(limits.total(Nonces::CountedFirst), limits.total(Nonces::Random), "{text}");
        assert_eq!(limits.counted_first_nonce_messages, first, "{text}");
    }
    let limits = Limits::for_algorithm(&algorithm("aes-256-gcm"));
    assert_eq!(limits.total_bytes.limit, Some(1 << GCM_BYTES_LOG2), "the row's figure is another");

    // 2^16 messages of 2^36 bytes, each a block short of it and with a block for the tag.
    let check = |nonces, messages| {
        Usage::check(&algorithm("xaes-256-gcm"), nonces, messages, (1 << 36) - 32, 16)
    };
    let refused = Err(Error::Limit { what: "bytes", limit: 1 << 52 });
    assert_eq!(check(Nonces::Counted, 1 << 16), Ok(()));
    assert_eq!(check(Nonces::Counted, (1 << 16) + 1), refused);
    assert_eq!(check(Nonces::CountedFirst, u64::MAX), Ok(()));
}

/// Whole blocks, a tag's mask for each message, and what the padding fix adds.
#[test]
fn gcm_is_charged_by_the_block() {
    for (text, extra) in
        [("aes-128-gcm", 1), ("ctx-aes-256-gcm", 1), ("padding-fix-aes-256-gcm", 3)]
    {
        let total = Limits::for_algorithm(&algorithm(text)).total_bytes;
        for (message, ad, expected) in
            [(0, 0, 0), (1, 0, 1), (16, 0, 1), (17, 0, 2), (0, 1, 1), (16, 33, 4), (15, 1, 2)]
        {
            let charged = total.charge(message, ad);
            assert_eq!(charged, 16 * (expected + extra), "{text}: {message}, {ad}");
        }
        let most = u128::from(u64::MAX.div_ceil(16));
        assert_eq!(total.charge(u64::MAX, u64::MAX), 16 * (2 * most + extra), "{text}");
    }
    // Empty messages are work, too.
    let gcm = algorithm("aes-256-gcm");
    assert_eq!(Usage::check(&gcm, Nonces::Counted, 1 << 48, 0, 0), Ok(()));
    let refused = Err(Error::Limit { what: "bytes", limit: 1 << 52 });
    assert_eq!(Usage::check(&gcm, Nonces::Counted, (1 << 48) + 1, 0, 0), refused);
    let mut usage = Usage::new(&gcm, Nonces::Counted);
    assert_eq!(usage.reserve(3, 17, 1), Ok(()));
    assert_eq!((usage.messages(), usage.bytes()), (3, 3 * 64));
}

/// Which bounds a row has is in the row. Whatever is neither AEGIS, Flex, OCH, OMD nor AES-GCM-SIV
/// is GCM, alone or under derived keys.
#[test]
fn every_row_says_how_it_uses_its_key() {
    for a in every_algorithm() {
        let id = a.family().identity.id;
        let (head, calls) = match id {
            _ if id.starts_with("flex") => {
                assert!(matches!(a.mode(), Mode::Flex(_)), "{a}");
                continue;
            }
            _ if ["aegis-", "ctx-aegis-", "och-"].iter().any(|p| id.starts_with(p)) => {
                assert_eq!(a.mode(), Mode::Direct, "{a}");
                continue;
            }
            "omd-sha256" | "omd-sha512" | "omd-blake2b" => {
                let bytes = if id == "omd-sha256" { 32 } else { 64 };
                let forgeable = a.param("rule") == Some(1) || a.param("version") == Some(1);
                assert_eq!(a.mode(), Mode::Chained { bytes, forgeable }, "{a}");
                assert_eq!(a.is_forgeable(), forgeable, "{a}");
                continue;
            }
            "aes-128-gcm" | "aes-256-gcm" | "ctx-aes-256-gcm" => {
                assert_eq!(a.mode(), Mode::Gcm { padding_blocks: 0 }, "{a}");
                continue;
            }
            "padding-fix-aes-256-gcm" => {
                assert_eq!(a.mode(), Mode::Gcm { padding_blocks: 2 }, "{a}");
                continue;
            }
            "aes-256-gcm-siv" => {
                assert_eq!(a.mode(), Mode::Siv { halves: 6 }, "{a}");
                continue;
            }
            "xaes-256-gcm" => (12, Some(2)),
            "kc-xaes-256-gcm" => (12, Some(5)),
            "padding-fix-xaes-256-gcm" => (12, Some(2)),
            "kc-c3-xaes-256-gcm" => (12, Some(4)),
            "h-aes-256-gcm" | "h-kc-aes-256-gcm" | "f-com-h-aes-256-gcm" => (12, None),
            "hkdf-committed-aes-256-gcm" => (32, None),
            "f-com-hkdf-aes-256-gcm" => (24, None),
            "dndk-gcm" | "f-com-dndk-gcm" if a.param("version") == Some(1) => (24, None),
            "dndk-gcm" | "f-com-dndk-gcm" => (15.min(a.nonce_bytes()), None),
            _ => panic!("{a}: which bounds does it have?"),
        };
        let padding_blocks = if id.starts_with("padding-fix") { 2 } else { 0 };
        let f_com = id == "kc-xaes-256-gcm" || id.starts_with("f-com");
        let mode =
            Mode::Derived { head_bytes: head, permutation_calls: calls, padding_blocks, f_com };
        assert_eq!(a.mode(), mode, "{a}");
    }
}

/// AEGIS, Flex, OCH and OMD claim as much for every length.
#[test]
fn a_long_message_is_easier_to_forge_with_gcm() {
    for family in families() {
        let mode = Algorithm::new(family).mode();
        let direct = matches!(mode, Mode::Direct | Mode::Chained { .. } | Mode::Flex(_));
        assert_eq!(
            family.limits.forgery_loss_bits,
            if direct { 0 } else { 33 },
            "{}",
            family.identity.id
        );
    }
}

/// Section 11 of the specification: what a short tag, a narrow block and the 64-bit level leave.
#[test]
fn flex_is_limited_by_its_configuration() {
    for (text, random, counted, total) in [
        ("flex-och", Some(1 << 112), None, None),
        ("flex-och-public", Some(1 << 80), None, None),
        ("flex-och-transport", Some(1 << 32), Some(1 << 96), None),
        ("flex-civ-public", Some(1 << 80), None, None),
        ("flex-civ-public:nonce=12", Some(1 << 32), Some(1 << 96), None),
        ("flex-robust:nonce=16", Some(1 << 48), None, None),
        // A tag of 16 bytes, where it is also what encrypts; S384; and the 64-bit level.
        ("flex:cfg=0200011020000000", Some(1 << 48), Some(1 << 48), None),
        ("flex:cfg=0101011020000000", Some(1 << 48), Some(1 << 48), None),
        ("flex:cfg=0100011020000000", Some(1 << 112), None, None),
        ("flex:cfg=0100042020000000", Some(1 << 48), Some(1 << 48), None),
        ("flex:allow-64-bit=1,cfg=0100021018000000", Some(1 << 48), Some(1 << 48), Some(1 << 55)),
        ("flex:allow-64-bit=1,cfg=0100081018000000", Some(1 << 48), Some(1 << 48), Some(1 << 55)),
    ] {
        let limits = Limits::for_algorithm(&algorithm(text));
        let found = (limits.random_nonce_messages, limits.counted_nonce_messages);
        assert_eq!(found, (random, counted), "{text}");
        assert_eq!(limits.total_bytes, in_bytes(total), "{text}");
        assert!(limits.failed_verifications >= Some(1 << 94), "{text}");
    }
    assert_eq!(Limits::for_algorithm(&algorithm("flex-robust")).message_bytes, 1 << 40);
    assert_eq!(
        Limits::for_algorithm(&algorithm("flex:cfg=03040100ffff0000")).message_bytes,
        1 << 40
    );
    assert_eq!(Limits::for_algorithm(&algorithm("flex-civ")).message_bytes, 1 << 50);
    assert_eq!(Limits::for_algorithm(&algorithm("flex-civ")).ad_bytes, 1 << 60);
}

/// Each segment is a message to the mode, under one nonce.
#[test]
fn segments_of_flex_are_counted() {
    for text in ["flex-och", "aegis-256"] {
        assert_eq!(Limits::for_algorithm(&algorithm(text)).segments, None, "{text}");
    }
    let wide = Limits::for_algorithm(&algorithm("flex-och-stream")).segments;
    assert_eq!(wide, Some(Segments { bytes: 1 << 16, limit: None }));

    // S384 in segments of 256 bytes; and CIV with a tag of 16.
    for text in ["flex:cfg=0108042018000800", "flex:cfg=0208011018000800"] {
        let a = algorithm(text);
        let limit = 1 << 48;
        assert_eq!(
            Limits::for_algorithm(&a).segments,
            Some(Segments { bytes: 256, limit: Some(limit) })
        );
        let refused = Err(Error::Limit { what: "segments", limit });
        for nonces in [Nonces::Random, Nonces::Counted, Nonces::CountedFirst] {
            // One message of as many segments as there may be, and one more.
            assert_eq!(Usage::new(&a, nonces).seal((1 << 56) - 256, 0), Ok(()), "{text}");
            assert_eq!(Usage::new(&a, nonces).seal(1 << 56, 0), refused, "{text}");
            // Many short ones: each counts as less than two.
            let mut usage = Usage::new(&a, nonces);
            assert_eq!(usage.reserve(1 << 46, 200, 0), Ok(()), "{text}");
            assert_eq!(usage.reserve(1 << 46, 200, 0), Ok(()), "{text}");
            assert_eq!(usage.reserve(1 << 46, 200, 0), refused, "{text}");
            assert_eq!(usage.messages(), 1 << 47, "nothing more was counted");
            let (messages, bytes) = (usage.messages(), usage.bytes());
            let mut resumed = Usage::resume(&a, nonces, messages, bytes, 0);
            assert_eq!(resumed.reserve(1 << 46, 200, 0), refused, "{text}");
        }
    }
}

/// Without nonces, none is repeated: what limits is the specification.
#[test]
fn deterministic_encryption_has_more_than_one_message() {
    for (text, most) in [
        ("flex-civ-public:nonce=0", None),
        ("flex-robust:nonce=0", None),
        ("flex:cfg=0200042000000000", Some(1 << 48)),
        ("flex:allow-64-bit=1,cfg=0200021000000000", Some(1 << 48)),
    ] {
        let a = algorithm(text);
        let limits = Limits::for_algorithm(&a);
        assert_eq!(limits.counted_nonce_messages, most, "{text}");
        assert_eq!(limits.counted_first_nonce_messages, most, "{text}");
        assert_eq!(limits.random_nonce_messages, Some(1), "{text}: nothing random about it");
        let mut usage = Usage::new(&a, Nonces::Counted);
        assert_eq!(usage.reserve(1 << 40, 16, 0), Ok(()), "{text}");
    }
}

/// A mode that needs nonces has one message without them.
#[test]
fn no_nonce_is_one_nonce() {
    let limits = Limits::for_algorithm(&algorithm("omd-sha256:nonce=0"));
    assert_eq!(limits.counted_nonce_messages, Some(1));
    assert_eq!(limits.counted_first_nonce_messages, Some(1));
}

#[test]
fn a_fresh_key_has_done_nothing() {
    let usage = Usage::new(&algorithm("aes-256-gcm"), Nonces::Random);
    assert_eq!((usage.messages(), usage.bytes(), usage.failures()), (0, 0, 0));
}

/// A nonce of AEGISMAC may be used again, and so be random for ever.
#[test]
fn a_mac_has_no_limit_on_nonces() {
    for family in families().iter().filter(|family| family.identity.kind == Kind::Mac) {
        let limits = Limits::for_algorithm(&Algorithm::new(family));
        assert_eq!(limits.random_nonce_messages, None, "{}", family.identity.id);
        assert_eq!(limits.counted_nonce_messages, None, "{}", family.identity.id);
        assert_eq!(limits.failed_verifications, Some(1 << 96), "{}", family.identity.id);
    }
}

/// A row's figure is never more than what the formula gives for its nonces, and only nonces that
/// are long enough have none.
#[test]
fn random_nonces_follow_the_formula() {
    for family in families().iter().filter(|family| family.identity.kind == Kind::Aead) {
        let limits = Limits::for_algorithm(&Algorithm::new(family));
        let formula = (8 * family.sizes.nonce_bytes.default as u32 - 32) / 2;
        match limits.random_nonce_messages {
            Some(messages) => assert!(messages <= 1 << formula, "{}", family.identity.id),
            None => assert!(formula >= 64, "{}", family.identity.id),
        }
    }
}

#[test]
fn messages_with_random_nonces() {
    let a = algorithm("aegis-128x2");
    let limit = 1 << 48;
    let refused = Err(Error::Limit { what: "messages with random nonces", limit });

    let mut usage = Usage::resume(&a, Nonces::Random, limit - 2, 0, 0);
    assert_eq!(usage.seal(1, 1), Ok(()));
    assert_eq!(usage.messages(), limit - 1);
    assert_eq!(usage.seal(1, 1), Ok(()));
    assert_eq!((usage.messages(), usage.bytes()), (limit, 4));
    // Nothing is counted that is refused, and what is refused stays so.
    for _ in 0..2 {
        assert_eq!(usage.seal(1, 1), refused);
        assert_eq!((usage.messages(), usage.bytes()), (limit, 4));
    }
    // It may still open.
    assert_eq!(usage.open(1, 1), Ok(()));

    for beyond in [limit + 1, u128::MAX] {
        assert_eq!(Usage::resume(&a, Nonces::Random, beyond, 0, 0).seal(0, 0), refused);
    }
    assert_eq!(Usage::resume(&a, Nonces::Counted, limit, 0, 0).seal(0, 0), Ok(()));
    let any_number = algorithm("aegis-256x2");
    assert_eq!(Usage::resume(&any_number, Nonces::Random, limit, 0, 0).seal(0, 0), Ok(()));
}

#[test]
fn many_messages_at_once() {
    let a = algorithm("aegis-128l");
    let refused = Err(Error::Limit { what: "messages with random nonces", limit: 1 << 48 });
    assert_eq!(Usage::check(&a, Nonces::Random, (1 << 48) - 1, 9, 9), Ok(()));
    assert_eq!(Usage::check(&a, Nonces::Random, 1 << 48, 9, 9), Ok(()));
    assert_eq!(Usage::check(&a, Nonces::Random, (1 << 48) + 1, 9, 9), refused);
    assert_eq!(Usage::check(&a, Nonces::Counted, u64::MAX, LONGEST, LONGEST), Ok(()));

    let mut usage = Usage::new(&a, Nonces::Random);
    assert_eq!(usage.reserve(1 << 47, 10, 5), Ok(()));
    assert_eq!((usage.messages(), usage.bytes()), (1 << 47, 15 << 47));
    assert_eq!(usage.reserve((1 << 47) + 1, 10, 5), refused);
    assert_eq!((usage.messages(), usage.bytes()), (1 << 47, 15 << 47));
    assert_eq!(usage.reserve(1 << 47, 0, 0), Ok(()));
    assert_eq!(usage.reserve(0, 0, 0), Ok(()));
    assert_eq!(usage.reserve(1, 0, 0), refused);
}

#[test]
fn failed_verifications() {
    let limit = 1 << 96;
    let refused = Err(Error::Limit { what: "failed verifications", limit });
    for text in ["aegis-128l", "aegis-256:tag=32", "aegis-256x4-mac"] {
        let mut usage = Usage::resume(&algorithm(text), Nonces::Counted, 0, 0, limit - 2);
        for failures in [limit - 1, limit] {
            assert_eq!(usage.open(7, 0), Ok(()), "{text}");
            assert_eq!(usage.failed(), Ok(()), "{text}");
            assert_eq!(usage.failures(), failures, "{text}");
        }
        assert_eq!(usage.open(7, 0), refused, "{text}");
        assert_eq!(usage.failed(), refused, "{text}");
        assert_eq!(usage.failures(), limit, "{text}");
        // It may still seal.
        assert_eq!(usage.seal(7, 0), Ok(()), "{text}");
    }
}

#[test]
fn lengths() {
    let long = |what| Err(Error::TooLong { what, limit: LONGEST });
    let mut usage = Usage::new(&algorithm("aegis-128l"), Nonces::Counted);
    for (message, ad, expected) in [
        (LONGEST - 1, LONGEST - 1, Ok(())),
        (LONGEST, LONGEST, Ok(())),
        (LONGEST + 1, 0, long("message")),
        (0, LONGEST + 1, long("associated data")),
        (u64::MAX, u64::MAX, long("message")),
    ] {
        assert_eq!(usage.seal(message, ad), expected);
        assert_eq!(usage.open(message, ad), expected);
    }
    assert_eq!((usage.messages(), usage.bytes()), (2, 4 * u128::from(LONGEST) - 2));

    let mut mac = Usage::new(&algorithm("aegis-128l-mac"), Nonces::Counted);
    assert_eq!(mac.seal(LONGEST, 0), Ok(()));
    assert_eq!(mac.seal(0, 1), Err(Error::TooLong { what: "associated data", limit: 0 }));
}

/// Bounds that only other rows than AEGIS's will have.
#[test]
fn bytes_and_counted_messages() {
    let bytes = Err(Error::Limit { what: "bytes", limit: 100 });
    let messages = Err(Error::Limit { what: "messages", limit: 10 });
    assert_eq!(small(0, 0).seal(50, 49), Ok(()));
    assert_eq!(small(0, 0).seal(50, 50), Ok(()));
    assert_eq!(small(0, 0).seal(51, 50), bytes);
    assert_eq!(small(0, 99).seal(1, 0), Ok(()));
    assert_eq!(small(0, 99).seal(0, 1), Ok(()));
    assert_eq!(small(0, 99).seal(1, 1), bytes);
    assert_eq!(small(0, 100).seal(0, 0), Ok(()));
    assert_eq!(small(0, 0).reserve(10, 5, 5), Ok(()));
    assert_eq!(small(0, 0).reserve(10, 6, 5), bytes);
    assert_eq!(small(9, 0).seal(0, 0), Ok(()));
    assert_eq!(small(10, 0).seal(0, 0), messages);
    assert_eq!(small(0, 0).reserve(11, 0, 0), messages);
    let mut usage = small(9, 100);
    assert_eq!(usage.seal(1, 0), bytes);
    assert_eq!(usage, small(9, 100));
}

/// 12-byte nonces, and tags that are short.
#[test]
fn formulas_for_short_nonces_and_tags() {
    static PLAIN: Family = CLAIMLESS;
    static STATED: Family = Family {
        limits: FamilyLimits {
            counted_nonce_messages_log2: Some(64),
            total_bytes_log2: Some(40),
            forgery_bits: 256,
            ..CLAIMLESS.limits
        },
        ..CLAIMLESS
    };
    static UNREACHABLE: Family = Family {
        limits: FamilyLimits {
            counted_nonce_messages_log2: Some(97),
            total_bytes_log2: Some(128),
            ..CLAIMLESS.limits
        },
        ..CLAIMLESS
    };
    let plain = Algorithm::new(&PLAIN);
    for (tag, failures) in [(3, 0), (4, 1), (12, 1 << 64), (16, 1 << 96), (32, 1 << 96)] {
        let a = plain.with("tag", tag).expect("such tags");
        assert_eq!(Limits::for_algorithm(&a).failed_verifications, Some(failures), "{tag}");
    }
    let of = |f| Limits::for_algorithm(&Algorithm::new(f).with("tag", 32).expect("such a tag"));
    assert_eq!(of(&PLAIN).counted_nonce_messages, Some(1 << 96));
    assert_eq!(of(&UNREACHABLE).counted_nonce_messages, Some(1 << 96));
    assert_eq!(of(&STATED).counted_nonce_messages, Some(1 << 64));
    assert_eq!(of(&STATED).total_bytes, in_bytes(Some(1 << 40)));
    assert_eq!(of(&UNREACHABLE).total_bytes, in_bytes(None));
    assert_eq!(of(&STATED).failed_verifications, None);
    for (loss, failures) in [(1, 1 << 95), (95, 2), (96, 1), (97, 0), (200, 0)] {
        let family = Family {
            limits: FamilyLimits { forgery_loss_bits: loss, ..CLAIMLESS.limits },
            ..CLAIMLESS
        };
        let family: &'static Family = alloc::boxed::Box::leak(alloc::boxed::Box::new(family));
        assert_eq!(of(family).failed_verifications, Some(failures), "{loss}");
    }
}

/// The name of a limit, and its spelling.
#[test]
#[cfg(feature = "alloc")]
fn messages_name_the_limit() {
    use alloc::string::ToString;

    let text = |what, limit| Error::Limit { what, limit }.to_string();
    assert_eq!(
        text("bytes", 1 << 40),
        "the key may have no more than 2^40 bytes: take another key"
    );
    assert_eq!(
        text("messages", 512),
        "the key may have no more than 512 messages: take another key"
    );
    assert_eq!(text("bytes", 1025), "the key may have no more than 1025 bytes: take another key");
}

/// A counter without a limit stays at its end rather than begin again.
#[test]
fn counters_saturate() {
    let (a, most) = (algorithm("aegis-256"), u128::MAX);
    let mut usage = Usage::resume(&a, Nonces::Random, most - 1, most - 1, most);
    assert_eq!(usage.reserve(u64::MAX, LONGEST, LONGEST), Ok(()));
    assert_eq!((usage.messages(), usage.bytes()), (most, most));
    assert_eq!(usage.failed(), Err(Error::Limit { what: "failed verifications", limit: 1 << 96 }));
    assert_eq!(usage.failures(), most);
}
