//! The sources' own numbers, and what must hold for every number.

mod events;
#[cfg(feature = "flex")]
mod section_11;

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use proptest::prelude::{Strategy, prop_assert, prop_oneof, proptest};

use super::{
    Amount, Assessment, Event, Load, Probability, assess, birthday, chained, commitment, derived,
    gcm, messages_within, siv,
};
use crate::error::Error;
use crate::family::{Mode, Repeats};
use crate::limits::{Limits, Nonces, commitment_bits};
use crate::registry::{Algorithm, Kind, Level, Misuse, families};

const GCM_BYTES: u64 = (1 << 36) - 32;

fn algorithm(text: &str) -> Algorithm {
    text.parse().expect(text)
}

fn pow(log2: f64) -> Amount {
    Amount::power_of_two(log2)
}

/// That `amount` is 2^`log2`, to the tenth that a source prints.
fn is(amount: Amount, log2: f64) {
    assert!((amount.log2() - log2).abs() < 0.05, "2^{} is not 2^{log2}", amount.log2());
}

fn row(assessment: &Assessment, name: &str) -> Option<f64> {
    let Assessment { usage, offline, not_counted, .. } = assessment;
    let mut rows = usage.iter().chain(offline).chain(not_counted);
    rows.find(|bound| bound.name == name).map(|bound| bound.probability().log2())
}

fn load(messages_log2: f64, message_bytes: u64) -> Load {
    Load { messages: pow(messages_log2), ..Load::one_message(message_bytes, 0) }
}

#[test]
fn amounts() {
    assert_eq!(Amount::from(40_u32) + Amount::from(2_u32), Amount::from(42_u32));
    assert_eq!(Amount::ZERO + Amount::ZERO, Amount::ZERO);
    assert_eq!(Amount::from(0_u64), Amount::ZERO);
    is(Amount::factorial(8) / Amount::from(40_320_u32), 0.0);
    for (log2, shown) in
        [(0.0, "1"), (10.0, "1024"), (20.0, "2^20"), (32.55, "2^32.5"), (64.0, "2^64")]
    {
        assert_eq!(pow(log2).to_string(), shown);
    }
    assert_eq!(Amount::from(1_000_u32).to_string(), "1000");
    assert_eq!(Amount::ZERO.to_string(), "0");
}

#[test]
fn probabilities() {
    let half = Probability::power_of_two(-1.0);
    assert_eq!(half + half, Probability::CERTAIN);
    assert_eq!(half + half + half, Probability::CERTAIN);
    assert_eq!(half + Probability::IMPOSSIBLE, half);
    assert_eq!(Probability::power_of_two(3.0), Probability::CERTAIN);
    let tiny = Probability::power_of_two(-1100.0);
    assert_eq!((tiny + tiny).log2(), -1099.0);
    // Never shown as less than it is.
    for (log2, shown) in [(-32.0, "2^-32.0"), (-47.29, "2^-47.2"), (-0.01, "1"), (0.0, "1")] {
        assert_eq!(Probability::power_of_two(log2).to_string(), shown);
    }
    assert_eq!(Probability::IMPOSSIBLE.to_string(), "0");
    assert!(half.is_within(half) && !half.is_within(Probability::power_of_two(-1.1)));
}

/// Section 4.2 of eprint 2025/758.
#[test]
fn nonces_that_are_derived_from() {
    is(birthday::multicollision(pow(80.0), 8, 96), -47.3);
    is(birthday::multicollision(pow(64.0), 4, 96), -36.6);
    // The exponent as it is printed is not the value's.
    is(pow(96.0 - 16.0 * 8.0) / Amount::factorial(8), -47.3);
    is(birthday::collision(pow(80.0), 192), -33.0);
    is(birthday::collision(pow(64.0), 160), -33.0);
    // 2^33 keys, 2^64 messages each.
    is(pow(33.0) * birthday::collision(pow(64.0), 192), -32.0);
    is(pow(33.0) * birthday::multicollision(pow(64.0), 5, 96), -37.9);
}

#[test]
fn a_message_is_no_longer_than_its_share_of_a_derived_key() {
    assert_eq!(derived::longest_message(1 << 32, 5), 1 << 30);
    assert_eq!(derived::longest_message(7 << 36, 8), GCM_BYTES);
    assert_eq!(derived::longest_message(100, 1), 100);
    assert_eq!(derived::longest_message(u64::MAX, 2), GCM_BYTES);
}

/// Theorem 1 of eprint 2025/758, whose own example is less than 2^-44.
#[test]
fn one_nonce_two_keys() {
    let least = commitment::for_kc(pow(80.0), 128);
    assert_eq!(least.beta, 3);
    assert!((least.amount.log2() + 44.999_999_5).abs() < 1e-7, "{:?}", least.amount);
    // On the block sizes of a toy, and beyond every bound.
    assert!(commitment::for_kc(pow(8.0), 24).amount < pow(-10.0));
    for q in [24.0, 25.0, 400.0] {
        assert_eq!(commitment::for_kc(pow(q), 24).amount, Amount::ONE);
    }
    is(commitment::implied_nonce(pow(64.0), 128), -1.0);
    is(commitment::one_key_implied_nonces(pow(16.0), 24), -1.0);
    is(commitment::one_key_implied_nonces(pow(16.0), 20), -33.0);
    is(commitment::generic(pow(80.0), 128), -97.0);
}

/// The examples of draft-irtf-cfrg-aead-limits-13: table 2 (one key), table 3 (many), and the key
/// search of section 6.1.
#[test]
fn aes_gcm() {
    let (l, p) = (pow(7.0), -50.0);
    is(gcm::confidentiality(pow(32.5), pow(32.5) * l), p);
    is(gcm::integrity(pow(p + 127.0) / (l + Amount::ONE), l, 128), p);
    assert!(gcm::integrity_is_bounded(pow(32.5), pow(39.5), pow(63.0)));
    assert!(!gcm::integrity_is_bounded(pow(32.5), pow(39.5), pow(64.0)));
    // q = v = 2^42 with B = 2^27.
    is(gcm::many_keys(pow(42.0) + pow(42.0), l, pow(27.0)), p);
    let aes_128 = assess(&algorithm("aes-128-gcm"), &load(0.0, 0));
    assert_eq!(row(&aes_128, "key search"), Some(-48.0));
}

/// eprint 2015/214, theorem 3: with one block of nonce, 64 (q + v) (s + q + 1) / 2^128.
#[test]
fn hashed_nonces() {
    is(gcm::hashed_nonces(pow(32.0), Amount::ZERO, pow(40.0), 16), 6.0 + 72.0 - 128.0);
    is(gcm::hashed_nonces(pow(32.0), pow(32.0), pow(40.0), 48), 7.0 + 33.0 + 40.0 - 128.0);
}

#[test]
fn blocks() {
    for (message, ad, expected) in
        [(0, 0, 0_u32), (1, 0, 1), (16, 0, 1), (17, 0, 2), (16, 1, 2), (0, 33, 3)]
    {
        assert_eq!(gcm::blocks(message, ad), Amount::from(expected), "{message}, {ad}");
    }
    is(gcm::blocks(u64::MAX, u64::MAX), 61.0);
}

#[test]
fn which_bounds_apply() {
    let big = load(32.0, 1 << 16);
    let names = |text| {
        let bounds = assess(&algorithm(text), &big).usage;
        let names = bounds.iter().map(|bound| bound.name);
        names.filter(|name| *name != "commitment repeats").collect::<Vec<_>>()
    };
    let shared = ["repeated nonce", "derived key shared", "distinguishing", "forgery"];
    let alone = ["repeated nonce", "distinguishing", "forgery"];
    for text in [
        "aes-128-gcm",
        "aes-256-gcm",
        "padding-fix-aes-256-gcm",
        "ctx-aes-256-gcm",
        "hkdf-committed-aes-256-gcm",
        "f-com-hkdf-aes-256-gcm",
        "f-com-dndk-gcm:version=1",
        "dndk-gcm:version=1",
        "dndk-gcm:nonce=15",
    ] {
        assert_eq!(names(text), alone, "{text}");
    }
    for text in [
        "xaes-256-gcm",
        "kc-xaes-256-gcm",
        "dndk-gcm",
        "h-aes-256-gcm",
        "padding-fix-xaes-256-gcm",
        "kc-c3-xaes-256-gcm",
        "f-com-dndk-gcm",
    ] {
        assert_eq!(names(text), shared, "{text}");
    }
    for text in ["aegis-256x2", "ctx-aegis-128l", "aegis-128x-v1"] {
        assert_eq!(names(text), ["repeated nonce", "forgery"], "{text}");
    }
    assert_eq!(
        names("aes-256-gcm:nonce=16"),
        ["repeated nonce", "repeated counter", "distinguishing", "forgery"]
    );
}

#[test]
fn commitments_that_repeat() {
    // The figures that research/papers/kc_xaes_errata.py has of appendix C.3, and DNDK's authors of
    // 2^50 messages.
    for (text, messages, log2) in [
        ("kc-c3-xaes-256-gcm", 48.0, Some(-25.0)),
        ("kc-c3-xaes-256-gcm", 44.5, Some(-32.0)),
        ("dndk-gcm:kc=1", 50.0, Some(-21.0)),
        ("ctx-aes-256-gcm", 48.0, Some(-161.0)),
        ("aegis-128l", 48.0, Some(-33.0)),
        ("aegis-128l:tag=32", 48.0, Some(-161.0)),
        ("flex-och", 48.0, Some(-161.0)),
        ("xaes-256-gcm", 48.0, None),
        ("dndk-gcm", 48.0, None),
        ("omd-sha256", 48.0, None),
        // With the nonce, and as often: one event.
        ("kc-xaes-256-gcm", 48.0, None),
        ("kc-xaes-256-gcm:nonce=20", 48.0, None),
        ("h-kc-aes-256-gcm", 48.0, None),
        // With what encrypts.
        ("flex-civ", 48.0, None),
    ] {
        let found = assess(&algorithm(text), &load(messages, 1024));
        let found = row(&found, "commitment repeats");
        assert_eq!(found.map(f64::round), log2, "{text} {found:?}");
    }
    // Each algorithm that commits has the event.
    for algorithm in families().iter().flat_map(Algorithm::instances) {
        let found = assess(&algorithm, &load(10.0, 64));
        let event = match commitment_bits(&algorithm) {
            None => {
                assert_eq!(row(&found, "commitment repeats"), None, "{algorithm}");
                continue;
            }
            Some((Repeats::WithTag, _)) => Event::TagsMeet,
            Some((_, bits)) => Event::NoncesAgree { messages: 2, bytes: bits / 8 },
        };
        let mut bounds = found.usage.iter().chain(&found.not_counted);
        assert!(bounds.any(|bound| bound.event == event), "{algorithm}");
    }
}

/// AEGISMAC takes a nonce again.
#[test]
fn a_mac_has_no_repeated_nonces() {
    for family in families() {
        let a = Algorithm::new(family);
        let repeated = row(&assess(&a, &load(50.0, 16)), "repeated nonce");
        assert_eq!(repeated.is_none(), family.identity.kind == Kind::Mac, "{a}");
        assert_eq!(
            family.claims.misuse == Misuse::NotNeeded,
            family.identity.kind == Kind::Mac,
            "{a}"
        );
    }
}

/// 2^64 messages of 64 KiB: what is asked for in the manual's example.
#[test]
fn kc_xaes() {
    let algorithm = algorithm("kc-xaes-256-gcm");
    let big = load(64.0, 1 << 16);
    let assessment = assess(&algorithm, &big);
    assert_eq!(row(&assessment, "repeated nonce"), Some(-65.0));
    // C(2^64, 5) / 2^384, and four messages of 2^12 blocks under a derived key.
    is(pow(row(&assessment, "derived key shared").expect("random")), -70.9);
    is(pow(row(&assessment, "distinguishing").expect("GCM")), 64.0 + 12.0 + 14.0 - 127.0);
    assert_eq!(assessment.binding().map(|bound| bound.name), Some("distinguishing"));
    assert!(assessment.total().is_within(Probability::power_of_two(-32.0)));
    is(pow(row(&assessment, "two keys, one nonce").expect("FOR-KC")), -45.0);
    assert_eq!(row(&assessment, "two keys, nonces not sent"), Some(0.0));
    // Its outputs are all different long before.
    is(pow(assessment.not_counted[0].probability().log2()), 0.0);
    let hkdf: Algorithm = "hkdf-committed-aes-256-gcm".parse().expect("a name");
    assert!(assess(&hkdf, &big).not_counted.is_empty());

    // 2^33 keys: the nonces' part is the paper's.
    let many = assess(&algorithm, &Load { keys: pow(33.0), ..big });
    assert_eq!(row(&many, "repeated nonce"), Some(-32.0));
    is(pow(many.total().log2()), -4.0);

    let short = algorithm.with("nonce", 20).expect("a nonce of 20 bytes");
    assert_eq!(row(&assess(&short, &big), "repeated nonce"), Some(-33.0));
}

/// An attack on any of twice as many keys has twice the chance, by every bound that names u.
#[test]
fn twice_the_keys() {
    for text in [
        "aegis-128l",
        "omd-sha256",
        "aes-256-gcm",
        "aes-256-gcm:nonce=16",
        "xaes-256-gcm",
        "kc-xaes-256-gcm",
        "dndk-gcm:version=1",
        "aes-256-gcm-siv",
    ] {
        for nonces in [Nonces::Random, Nonces::Counted, Nonces::CountedFirst] {
            let few = Load {
                keys: pow(4.0),
                forgeries: pow(3.0),
                work: pow(20.0),
                nonces,
                ..load(10.0, 1000)
            };
            let many = Load { keys: pow(5.0), ..few };
            let (few, many) = (assess(&algorithm(text), &few), assess(&algorithm(text), &many));
            let rows = |a: &Assessment| {
                let rows = a.usage.iter().chain(&a.offline).chain(&a.not_counted);
                rows.map(|b| (b.name, b.formula.clone(), b.probability().log2()))
                    .collect::<Vec<_>>()
            };
            let mut with_keys = 0;
            for (few, many) in rows(&few).into_iter().zip(rows(&many)) {
                let (name, formula, ..) = &few;
                assert_eq!((name, formula), (&many.0, &many.1), "{text}");
                let names_u = formula.split([' ', '(']).any(|word| word == "u");
                let factor = f64::from(u8::from(names_u));
                let twice = many.2 - few.2;
                assert!((twice - factor).abs() < 0.001, "{text}, {nonces:?}: {name}, {twice}");
                with_keys += usize::from(names_u);
            }
            assert!(with_keys >= 2, "{text}: {with_keys}");
        }
    }
}

#[test]
fn a_counter_may_leave_every_message_under_one_derived_key() {
    let counted = Load { nonces: Nonces::Counted, ..load(32.0, 16) };
    let distinguishing =
        |text, load| row(&assess(&algorithm(text), load), "distinguishing").expect("GCM");
    // All of them under one: that is GCM.
    for text in ["xaes-256-gcm", "kc-xaes-256-gcm", "dndk-gcm", "h-aes-256-gcm"] {
        is(pow(distinguishing(text, &counted)), 33.0 + 33.0 - 129.0);
    }
    assert_eq!(distinguishing("xaes-256-gcm", &counted), distinguishing("aes-256-gcm", &counted));
    let two = Load { keys: pow(1.0), ..counted };
    assert_eq!(distinguishing("xaes-256-gcm", &two), distinguishing("aes-256-gcm", &two));
    // All of the nonce, or the counter in front: one message each.
    let one_each = 32.0 + 99_f64.log2() - 127.0;
    let texts = ["hkdf-committed-aes-256-gcm", "dndk-gcm:version=1", "dndk-gcm:nonce=12"];
    for text in texts.into_iter().chain(["dndk-gcm:nonce=15"]) {
        is(pow(distinguishing(text, &counted)), one_each);
    }
    let first = Load { nonces: Nonces::CountedFirst, ..counted };
    for text in ["xaes-256-gcm", "kc-xaes-256-gcm:nonce=20", "dndk-gcm", "h-aes-256-gcm"] {
        is(pow(distinguishing(text, &first)), one_each);
    }
    assert_eq!(distinguishing("aes-256-gcm", &first), distinguishing("aes-256-gcm", &counted));
    // A tail of one byte: 256 messages each, or one key for no more of them.
    is(pow(distinguishing("dndk-gcm:nonce=16", &counted)), 32.0 + 354_f64.log2() - 127.0);
    let few = Load { messages: pow(8.0), ..counted };
    is(pow(distinguishing("dndk-gcm:nonce=16", &few)), 18.0 - 129.0);
}

/// The formulas of `docs/limits.md`, and that what the row allows has what its page says.
#[test]
fn aes_gcm_siv() {
    is_exactly(siv::derivation(pow(60.0), 6), 6_f64.log2() - 36.0);
    is_exactly(siv::confidentiality(pow(10.0), Amount::from(3_u32)), 10.0 + 4.0 - 129.0);
    is_exactly(siv::integrity(pow(10.0), Amount::from(6_u32)), 10.0 + 1.0 + 3.0 - 128.0);

    let a = algorithm("aes-256-gcm-siv");
    let names = |load| assess(&a, &load).usage.iter().map(|bound| bound.name).collect::<Vec<_>>();
    let alone = ["derived keys", "distinguishing", "forgery"];
    let counted = Load { nonces: Nonces::Counted, ..load(32.0, (1 << 36) - 16) };
    assert_eq!(names(counted), alone);
    assert_eq!(names(load(20.0, 16))[0], "repeated nonce");
    assert_eq!(names(load(20.0, 16))[1..], alone);
    // The longest messages: the tag and 2^32 − 1 blocks each, and as many failures as there may be.
    let most = assess(&a, &Load { forgeries: pow(63.0), ..counted });
    assert!(most.crossed.is_empty(), "{:?}", most.crossed);
    is(pow(row(&most, "distinguishing").expect("a bound")), -33.0);
    is(pow(row(&most, "forgery").expect("a bound")), -32.0);
    let beyond = assess(&a, &Load { messages: pow(32.1), ..counted });
    assert_eq!(beyond.crossed, [Error::Limit { what: "bytes", limit: 1 << 68 }]);
}

/// The birthday bound of a permutation with blocks of 128 bits.
#[test]
fn derived_keys_that_all_differ() {
    is(derived::all_different(pow(64.0)), -1.0);
    is(derived::all_different(pow(44.0)), -41.0);
    for (text, calls) in [("xaes-256-gcm", 2_u32), ("kc-xaes-256-gcm", 5)] {
        let load = Load { keys: pow(5.0), ..load(40.0, 16) };
        let bounds = assess(&algorithm(text), &load).not_counted;
        let expected = pow(5.0 + 80.0 - 129.0) * Amount::from(calls).pow(2);
        assert_eq!(bounds.len(), 1, "{text}");
        is(pow(bounds[0].probability().log2()), expected.log2());
        assert_eq!(bounds[0].formula, format!("u ({calls} q)² / 2^129"));
    }
}

/// To the last digit: what is a tenth of a bit above is not shown.
fn is_exactly(amount: Amount, expected: f64) {
    assert!((amount.log2() - expected).abs() < 1e-9, "2^{} is not 2^{expected}", amount.log2());
}

#[test]
fn small_numbers() {
    let few = |n: u32| Amount::from(n);
    is_exactly(gcm::many_keys(few(1), few(1), few(2)), 100_f64.log2() - 127.0);
    let hashed = |bytes| gcm::hashed_nonces(few(1), Amount::ZERO, Amount::ZERO, bytes);
    is_exactly(hashed(16), 128_f64.log2() - 128.0);
    is_exactly(hashed(17), 192_f64.log2() - 128.0);
    assert!(!gcm::integrity_is_bounded(Amount::ZERO, Amount::ZERO, pow(64.0)));
    assert!(gcm::integrity_is_bounded(Amount::ZERO, Amount::ZERO, pow(63.9)));
    assert!(Probability::CERTAIN > Probability::IMPOSSIBLE);
    assert!(Probability::CERTAIN.log2_rounded().is_sign_positive(), "0, not -0");
}

#[test]
fn the_beta_that_costs_least() {
    // The logarithms of exact fractions: `research/papers/kc_xaes_errata.py` has the formula.
    for (q, n, beta, amount) in [
        (1.0, 128, 1, -127.0000),
        (10.0, 128, 2, -116.0000),
        (80.0, 128, 3, -45.0000),
        (112.0, 128, 8, -11.1926),
        (121.0, 128, 14, -1.2761),
        (4.0, 8, 2, -1.6154),
        (6.0, 10, 2, -1.1554),
        (8.0, 12, 3, -0.7509),
        (20.0, 24, 5, 0.2225),
        (24.0, 24, 1, 0.0),
    ] {
        let least = commitment::for_kc(pow(q), n);
        assert_eq!(least.beta, beta, "{q}");
        let log2 = least.amount.log2();
        assert!((log2 - amount).abs() < 1e-3, "2^{log2} and not 2^{amount}");
    }
}

#[test]
fn the_reuse_that_costs_least() {
    for (q, l, m, blocks) in [
        (10.0, pow(32.0), 2, 32.0),
        (40.0, pow(12.0), 3, 13.0),
        (48.0, pow(12.0), 4, 3_f64.log2() + 12.0),
        (64.0, pow(12.0), 5, 14.0),
        // An empty input is a block.
        (64.0, Amount::ZERO, 5, 2.0),
    ] {
        let least = derived::least_reuse(Amount::ONE, pow(q), l, 96);
        assert_eq!(least.m, m, "{q}");
        is_exactly(least.blocks, blocks);
        is(least.shared, birthday::multicollision(pow(q), m, 96).log2());
    }
    let big = assess(&algorithm("kc-xaes-256-gcm"), &load(64.0, 1 << 16));
    let shared = big.usage.iter().find(|bound| bound.name == "derived key shared");
    assert_eq!(shared.map(|bound| &*bound.formula), Some("u C(q, 5) / 2^384"));
}

/// Beyond 2^64 of messages, blocks and forgeries the bound says nothing.
#[test]
fn forgeries_beyond_the_bound() {
    let forgery = |q| {
        let load = Load { nonces: Nonces::Counted, ..load(q, 1 << 34) };
        row(&assess(&algorithm("aes-256-gcm"), &load), "forgery").expect("GCM")
    };
    is(pow(forgery(33.0)), 32.0 + 31.0 - 128.0);
    is(pow(forgery(34.0)), 0.0);
}

#[test]
fn what_an_adversary_has_by_itself() {
    let of = |a: &Algorithm, work| assess(a, &Load { work: pow(work), ..load(1.0, 16) }).offline;
    for a in families().iter().map(Algorithm::new) {
        let rows = of(&a, 60.0);
        assert_eq!(rows[0].name, "key search", "{a}");
        if matches!(a.mode(), Mode::Derived { f_com: true, .. }) {
            continue;
        }
        match a.commitment().filter(|claim| claim.level != Level::None) {
            None => assert_eq!(rows.len(), 1, "{a}"),
            Some(claim) => {
                let name = match claim.level {
                    Level::KeyFixedAd => "two keys, fixed AD",
                    Level::Cmt4 => "two of anything",
                    _ => "two keys",
                };
                assert_eq!((rows.len(), rows[1].name), (2, name), "{a}");
                // Flex's specification has no ½ there.
                let half = if matches!(a.mode(), Mode::Flex(_)) { 0 } else { 1 };
                let expected = 120.0 - f64::from(2 * claim.bits + half);
                is(pow(rows[1].probability().log2()), expected.min(0.0));
            }
        }
    }
    let names = |text, work, expected: [f64; 2]| {
        let rows = of(&algorithm(text), work);
        let [implied, one_key] = [2, 3].map(|i| (rows[i].name, rows[i].probability().log2()));
        assert_eq!(
            (implied.0, one_key.0),
            ("two keys, nonces not sent", "one key, nonces not sent")
        );
        is(pow(implied.1), expected[0]);
        is(pow(one_key.1), expected[1]);
    };
    names("kc-xaes-256-gcm", 10.0, [20.0 - 129.0, 20.0 - 33.0]);
    names("f-com-dndk-gcm", 10.0, [20.0 - 129.0, 20.0 - 33.0]);
    names("kc-xaes-256-gcm:nonce=20", 30.0, [60.0 - 129.0, 60.0 - 65.0]);
}

#[test]
fn as_many_messages_as_there_may_be() {
    let counted = |bytes| Load {
        nonces: Nonces::Counted,
        forgeries: Amount::ZERO,
        ..Load::one_message(bytes, 0)
    };
    let within = |text, bytes, risk| messages_within(&algorithm(text), &counted(bytes), risk);
    // Not even one, one, and as many as are counted to.
    let one = assess(&algorithm("aes-256-gcm"), &counted(1 << 20)).total();
    let half = Probability::power_of_two(one.log2() - 1.0);
    assert_eq!(within("aes-256-gcm", 1 << 20, half), None);
    is(within("aes-256-gcm", 1 << 20, one).expect("one"), 0.0);
    is(within("omd-sha256:nonce=0", 16, Probability::CERTAIN).expect("one"), 0.0);
    is(within("flex-civ-public:nonce=0", 16, Probability::CERTAIN).expect("many"), 128.0);

    // 2^64 bytes, in whatever messages; an empty one counts as a byte.
    let first = |bytes| Load { nonces: Nonces::CountedFirst, ..counted(bytes) };
    for (bytes, most) in [(0, 64.0), (1, 64.0), (2, 63.0)] {
        let most_of = messages_within(&algorithm("dndk-gcm"), &first(bytes), Probability::CERTAIN);
        is(most_of.expect("many"), most);
        let more = Load { messages: pow(most + 0.1), ..first(bytes) };
        let too_many = Error::Limit { what: "bytes", limit: 1 << 64 };
        assert_eq!(assess(&algorithm("dndk-gcm"), &more).crossed, [too_many]);
    }

    // In segments of 256 bytes over S256: a key may have 2^48 of them, and 2^55 bytes.
    let stream = "flex:allow-64-bit=1,cfg=0108021018000800";
    is(within(stream, 100, Probability::CERTAIN).expect("many"), 48.0);
    is(within(stream, 1 << 20, Probability::CERTAIN).expect("many"), 35.0);
    let crossed = |messages| {
        let load = Load { messages: pow(messages), ..counted(3 * 256) };
        let crossed = assess(&algorithm(stream), &load).crossed;
        crossed.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let [bytes, both] = [crossed(45.9), crossed(46.1)];
    assert!(bytes.len() == 1 && bytes[0].contains("bytes"), "{bytes:?}");
    assert!(both.len() == 2 && both[1].contains("segments"), "{both:?}");
}

/// At the limit on failed verifications a forger of the longest messages has 2^-32, and with 1 %
/// more failures he has more.
#[test]
fn a_forger_has_no_more_than_2_to_the_minus_32() {
    for a in families().iter().flat_map(Algorithm::instances) {
        let limits = Limits::for_algorithm(&a);
        let Some(failures) = limits.failed_verifications else { continue };
        if a.is_forgeable() {
            assert_eq!(row(&assess(&a, &load(0.0, 0)), "forgery"), Some(0.0), "{a}");
            continue;
        }
        for nonces in [Nonces::Random, Nonces::Counted, Nonces::CountedFirst] {
            // One block of GCM's 2^36 bytes is left to associated data.
            let ad_bytes = limits.ad_bytes.min(16);
            let longest = Load { nonces, ..Load::one_message(limits.message_bytes, ad_bytes) };
            let after = |forgeries| {
                let bound = assess(&a, &Load { forgeries, ..longest });
                pow(row(&bound, "forgery").expect("forgery"))
            };
            let allowed = Probability::power_of_two(-32.0);
            let failures = Amount::from(failures);
            assert!(Probability::from(after(failures)).is_within(allowed), "{a}, {nonces:?}");
            // Flex's row claims less than section 11 has for a long tag.
            let tight = !matches!(a.mode(), Mode::Flex(_));
            let more = after(failures * pow(0.0144));
            assert!(!tight || more > pow(-32.0), "{a}, {nonces:?}");
        }
    }
}

/// 2^52 bytes, in blocks, of whatever length: 2^-33, as the rows say.
#[test]
fn one_key_of_gcm_is_told_from_randomness_with_2_to_the_minus_33() {
    for (text, nonces) in [
        ("aes-128-gcm", Nonces::Counted),
        ("aes-256-gcm", Nonces::CountedFirst),
        ("ctx-aes-256-gcm", Nonces::Counted),
        ("padding-fix-aes-256-gcm", Nonces::Counted),
        ("padding-fix-xaes-256-gcm", Nonces::Counted),
        ("xaes-256-gcm", Nonces::Counted),
        ("kc-xaes-256-gcm", Nonces::Counted),
        ("h-kc-aes-256-gcm", Nonces::Counted),
        ("dndk-gcm", Nonces::Counted),
    ] {
        let a = algorithm(text);
        let total = Limits::for_algorithm(&a).total(nonces);
        for (message_bytes, ad_bytes) in
            [(0, 0), (1, 0), (0, 1), (16, 0), (17, 15), (1 << 16, 0), (1 << 35, 1 << 20)]
        {
            let most = total.limit.expect("a limit") / total.charge(message_bytes, ad_bytes);
            let one = Load { nonces, ..Load::one_message(message_bytes, ad_bytes) };
            let at = |messages| assess(&a, &Load { messages, ..one });
            let full = at(Amount::from(most));
            let told = Probability::from(pow(row(&full, "distinguishing").expect("GCM")));
            assert!(told.is_within(Probability::power_of_two(-33.0)), "{a}: {message_bytes}");
            assert_eq!(full.crossed, [], "{a}: {message_bytes}, {ad_bytes}");
            // 1 % more is 2^-32.97, and refused.
            let over = at(Amount::from(most) * pow(0.0144));
            let what = Error::Limit { what: "bytes", limit: 1 << 52 };
            assert_eq!(over.crossed, [what], "{a}: {message_bytes}, {ad_bytes}");
        }
    }
}

/// Section 8 of the specification: its table, and messages of 64 KiB.
#[test]
fn a_chain_of_compressions() {
    for (n, risk, blocks) in
        [(256, -32, 111.2), (256, -60, 97.2), (512, -32, 239.2), (512, -60, 225.2)]
    {
        is(chained::collision(pow(blocks), n), f64::from(risk));
    }
    // An empty input is a block.
    for (message, ad, blocks) in
        [(0, 0, 2), (1, 0, 2), (32, 64, 2), (33, 65, 4), (1 << 16, 0, 2049)]
    {
        assert_eq!(chained::blocks(message, ad, 32), Amount::from(blocks as u32));
    }
    let counted = |text: &str, q| {
        let load = Load { nonces: Nonces::Counted, ..load(q, 1 << 16) };
        assess(&algorithm(text), &load)
    };
    for (text, q, told, forged) in [
        ("omd-sha256", 100.0, -32.4, -213.0),
        ("omd-sha256", 95.0, -42.4, -213.0),
        ("omd-sha512", 100.0, -290.4, -470.0),
        ("omd-sha512:tag=16", 100.0, -290.4, -96.0),
        ("omd-blake2b", 10.0, -470.4, -470.0),
    ] {
        let bounds = counted(text, q);
        is(pow(row(&bounds, "distinguishing").expect(text)), told);
        is(pow(row(&bounds, "forgery").expect(text)), forged);
    }
    for text in ["omd-sha256:rule=reference", "omd-blake2b:version=1"] {
        assert_eq!(counted(text, 0.0).total(), Probability::CERTAIN, "{text}");
        assert_eq!(
            messages_within(&algorithm(text), &load(0.0, 0), Probability::power_of_two(-1.0)),
            None
        );
    }
}

/// A stream is as many messages as it has segments.
#[test]
fn segments_cross_their_limit() {
    // S384, in segments of 256 bytes.
    let a = algorithm("flex:cfg=0108042018000800");
    let load = Load { nonces: Nonces::Counted, ..Load::one_message(1 << 40, 0) };
    let at = |log2| Load { messages: Amount::power_of_two(log2), ..load };
    assert_eq!(assess(&a, &at(15.9)).crossed, []);
    let what = Error::Limit { what: "segments", limit: 1 << 48 };
    assert_eq!(assess(&a, &at(16.1)).crossed, [what]);
    let most = messages_within(&a, &load, Probability::power_of_two(-1.0)).expect("some");
    assert!((15.9..16.1).contains(&most.log2()), "{}", most.log2());
}

/// Deterministic encryption has no nonces to run out of.
#[test]
fn no_nonces_are_no_limit() {
    let a = algorithm("flex-civ-public:nonce=0");
    let load = Load { nonces: Nonces::Counted, ..Load::one_message(32, 0) };
    let messages = Amount::power_of_two(40.0);
    assert_eq!(assess(&a, &Load { messages, ..load }).crossed, []);
    let most = messages_within(&a, &load, Probability::power_of_two(-1.0)).expect("some");
    assert!(most.log2() > 48.0, "{}", most.log2());
}

/// KC-XAES's row claims less than theorem 1 gives.
#[test]
fn the_claimed_commitment_is_within_theorem_1() {
    let claim = algorithm("kc-xaes-256-gcm").commitment().expect("a claim");
    assert_eq!(claim.bits, 112);
    let at = |log2| commitment::for_kc(pow(log2), 128);
    assert_eq!(at(112.0).beta, 8);
    is(at(112.0).amount, -11.2);
    assert!(at(121.0).amount < pow(-1.0) && at(121.5).amount > pow(-1.0));
}

/// No argument makes them panic, and what nobody has is a bound on nothing.
#[test]
fn absurd_arguments() {
    let q = pow(1.0);
    for b in [28, 29, u32::MAX] {
        assert_eq!(Probability::from(commitment::one_key_implied_nonces(q, b)).log2(), 0.0);
    }
    assert!(commitment::one_key_implied_nonces(q, 0) < pow(-200.0));
    for bits in [1 << 31, u32::MAX] {
        assert!(commitment::generic(q, bits) < pow(-4e9));
    }
    assert_eq!(commitment::for_kc(q, 0).amount, Amount::ONE);
    assert!(commitment::for_kc(q, u32::MAX).amount < pow(-4e9));
}

#[test]
fn a_shorter_tag_is_easier_to_guess_and_a_commitment_no_tag() {
    let forgery = |a: &Algorithm| row(&assess(a, &load(20.0, 16)), "forgery").expect("forgery");
    let gcm = algorithm("aes-256-gcm");
    is(pow(forgery(&gcm)), 1.0 + 32.0 + 1.0 - 128.0);
    is(pow(forgery(&gcm.with("tag", 12).expect("12 bytes"))), 1.0 + 32.0 + 1.0 - 96.0);
    assert_eq!(forgery(&algorithm("ctx-aes-256-gcm")), forgery(&gcm));
    // Two blocks more.
    is(pow(forgery(&algorithm("padding-fix-aes-256-gcm"))), 1.0 + 32.0 + 2.0 - 128.0);
    let none = Load { forgeries: Amount::ZERO, ..load(20.0, 16) };
    for keys in [0.0, 10.0] {
        let none = Load { keys: pow(keys), ..none };
        assert_eq!(row(&assess(&gcm, &none), "forgery"), Some(f64::NEG_INFINITY));
    }
}

#[test]
fn every_key_counts() {
    let gcm = algorithm("aes-256-gcm");
    let one = load(30.0, 16);
    let many = assess(&gcm, &Load { keys: pow(10.0), ..one });
    let one = assess(&gcm, &one);
    for (name, single, all) in [
        ("repeated nonce", 60.0 - 97.0, 70.0 - 97.0),
        ("distinguishing", 62.0 - 129.0, 40.0 + 30.0 - 127.0),
        ("forgery", 34.0 - 128.0, 44.0 - 128.0),
        ("key search", 80.0 - 256.0, 90.0 - 256.0),
    ] {
        is(pow(row(&one, name).expect(name)), single);
        is(pow(row(&many, name).expect(name)), all);
    }
}

#[test]
fn what_the_specification_forbids_is_said() {
    let crossed = |text, load: &Load| assess(&algorithm(text), load).crossed;
    let long = Error::TooLong { what: "message", limit: GCM_BYTES };
    assert_eq!(crossed("aes-256-gcm", &load(0.0, GCM_BYTES)), []);
    assert_eq!(crossed("aes-256-gcm", &load(0.0, GCM_BYTES + 1)), [long]);
    let many = Error::Limit { what: "messages with random nonces", limit: 1 << 32 };
    assert_eq!(crossed("aes-256-gcm", &load(32.0, 1)), []);
    assert_eq!(crossed("aes-256-gcm", &load(32.1, 1)), [many]);
    let failures = Error::Limit { what: "failed verifications", limit: 1 << 63 };
    let forgeries = |log2| Load { forgeries: pow(log2), ..load(0.0, 1) };
    for text in ["aes-256-gcm", "kc-xaes-256-gcm", "ctx-aes-256-gcm"] {
        assert_eq!(crossed(text, &forgeries(63.0)), [], "{text}");
        assert_eq!(crossed(text, &forgeries(63.1)), [failures], "{text}");
    }
    let bytes = Error::Limit { what: "bytes", limit: 1 << 64 };
    assert_eq!(crossed("dndk-gcm", &load(48.0, 1 << 16)), []);
    assert_eq!(crossed("dndk-gcm", &load(48.1, 1 << 16)), [bytes]);
}

#[test]
fn how_many_messages() {
    let nist = Probability::power_of_two(-32.0);
    let most = |text, load: &Load| messages_within(&algorithm(text), load, nist);
    let one = Load::one_message(1 << 16, 0);
    // The formula would allow half a bit more than NIST does.
    assert_eq!(most("aes-256-gcm", &one), Some(pow(32.0)));
    // (2^12 + 1)² q² / 2^129 would allow 2^36.5, but 2^52 bytes are the limit.
    let counted = Load { nonces: Nonces::Counted, ..one };
    is(most("aes-256-gcm", &counted).expect("some"), 52.0 - 16.0);
    let strict = Probability::power_of_two(-50.0);
    let strict = messages_within(&algorithm("aes-256-gcm"), &counted, strict);
    is(strict.expect("some"), (129.0 - 50.0) / 2.0 - 12.0);
    assert_eq!(most("dndk-gcm", &one), Some(pow(48.0)));
    let tiny = Load::one_message(16, 0);
    assert!(most("kc-xaes-256-gcm", &tiny).expect("some") > pow(79.0));
    // Too many forgeries, or too long, for even one.
    assert_eq!(most("aes-256-gcm", &Load { forgeries: pow(90.0), ..one }), None);
    assert_eq!(most("aes-256-gcm", &Load::one_message(GCM_BYTES + 1, 0)), None);
    let aegis: Algorithm = "aegis-256".parse().expect("a name");
    let counted = Load { nonces: Nonces::Counted, ..tiny };
    assert_eq!(messages_within(&aegis, &counted, nist), Some(pow(256.0)));
    let random = messages_within(&aegis, &tiny, nist).expect("some");
    is(random, 112.5);
}

fn any_load() -> impl Strategy<Value = Load> {
    let bytes = || prop_oneof![0..100_u64, (0..36_u32).prop_map(|n| 1 << n)];
    (0.0..40.0, 0.0..100.0, bytes(), bytes(), 0..3_usize, -1.0..80.0, 0.0..130.0).prop_map(
        |(keys, messages, message_bytes, ad_bytes, nonces, forgeries, work)| Load {
            keys: pow(keys),
            messages: pow(messages),
            message_bytes,
            ad_bytes,
            nonces: [Nonces::Random, Nonces::Counted, Nonces::CountedFirst][nonces],
            forgeries: if forgeries < 0.0 { Amount::ZERO } else { pow(forgeries) },
            work: pow(work),
        },
    )
}

fn any_algorithm() -> impl Strategy<Value = Algorithm> {
    let listed = families().iter().map(Algorithm::new);
    let others = [
        "aes-256-gcm:nonce=32",
        "aes-256-gcm:tag=12",
        "kc-xaes-256-gcm:nonce=20",
        "dndk-gcm:version=1",
        "dndk-gcm:nonce=12",
        "dndk-gcm:nonce=16",
    ];
    let all: Vec<_> = listed.chain(others.map(algorithm)).collect();
    proptest::sample::select(all)
}

proptest! {
    /// More of anything never makes anything of it less likely, in any of its sums.
    #[test]
    fn more_is_never_safer(a in any_algorithm(), less in any_load(), by in 0.0..20.0) {
        let total = |load: &Load| assess(&a, load).total();
        let offline = |load: &Load| {
            let sum = |sum, bound: &super::Bound| sum + bound.probability();
            assess(&a, load).offline.iter().fold(Probability::IMPOSSIBLE, sum)
        };
        let times = |amount: Amount| amount * pow(by);
        let bytes = |bytes: u64| (bytes as f64 * by.exp2()) as u64;
        for more in [
            Load { keys: times(less.keys), ..less },
            Load { messages: times(less.messages), ..less },
            Load { forgeries: times(less.forgeries) + Amount::ONE, ..less },
            Load { message_bytes: bytes(less.message_bytes) + 1, ..less },
            Load { ad_bytes: bytes(less.ad_bytes) + 1, ..less },
            Load { work: times(less.work), ..less },
        ] {
            prop_assert!(total(&less).is_within(total(&more)), "{a}: {less:?}, {more:?}");
            prop_assert!(offline(&less).is_within(offline(&more)), "{a}: {less:?}, {more:?}");
        }
    }

    /// That many messages keep to the risk, and 1 % more do not, unless a limit is in the way.
    #[test]
    fn the_most_messages_are_the_most(
        a in any_algorithm(), load in any_load(), risk in -90.0..-1.0,
    ) {
        let risk = Probability::power_of_two(risk);
        let at = |messages| assess(&a, &Load { messages, ..load });
        match messages_within(&a, &load, risk) {
            Some(most) => {
                prop_assert!(at(most).total().is_within(risk));
                let more = at(most * pow(0.0144));
                let nonces = pow(8.0 * a.nonce_bytes() as f64);
                prop_assert!(
                    !more.total().is_within(risk)
                        || !more.crossed.is_empty()
                        || most * pow(0.0144) > nonces,
                    "{a}: {load:?}, {most:?}"
                );
            }
            None => {
                let one = at(Amount::ONE);
                prop_assert!(!one.total().is_within(risk) || !one.crossed.is_empty());
            }
        }
    }

    /// Sums, products and quotients are those of the numbers.
    #[test]
    fn amounts_compute(a in 0_u32.., b in 1_u32..) {
        let near = |x: Amount, y: f64| (x.log2() - y.log2()).abs() < 1e-9 || y == 0.0;
        let (x, y) = (Amount::from(a), Amount::from(b));
        let (a, b) = (f64::from(a), f64::from(b));
        prop_assert!(near(x + y, a + b) && near(x * y, a * b) && near(x / y, a / b));
        prop_assert!(near(x.pow(3), a * a * a) && x.min(y) == Amount::from(a.min(b) as u32));
    }
}
