//! The sources' own numbers, and what must hold for every number.

use alloc::string::ToString;
use alloc::vec::Vec;

use proptest::prelude::{Strategy, any, prop_assert, prop_oneof, proptest};

use super::{
    Amount, Assessment, Load, Probability, assess, birthday, commitment, derived, gcm,
    messages_within,
};
use crate::error::Error;
use crate::limits::Nonces;
use crate::registry::{Algorithm, CLAIMLESS, Commitment, Family, Level, Param, Sizes};

const GCM_BYTES: u64 = (1 << 36) - 32;

const SCHEME: Family = Family {
    key_bytes: Sizes::one(&[32]),
    nonce_bytes: Sizes::one(&[24]),
    tag_bytes: Sizes::one(&[16]),
    max_message_bytes: GCM_BYTES,
    max_ad_bytes: 1 << 32,
    random_nonce_messages_log2: None,
    ..CLAIMLESS
};

static GCM: Family = Family {
    id: "aes-256-gcm",
    nonce_bytes: Sizes { default: 12, allowed: &[12, 16, 32] },
    tag_bytes: Sizes { default: 16, allowed: &[12, 16] },
    random_nonce_messages_log2: Some(32),
    ..SCHEME
};
static PADDING_FIX: Family = Family {
    id: "padding-fix-aes-256-gcm",
    nonce_bytes: Sizes::one(&[12]),
    tag_bytes: Sizes::one(&[48]),
    ..SCHEME
};
static CTX: Family = Family { id: "ctx-aes-256-gcm", tag_bytes: Sizes::one(&[32]), ..GCM };
static XAES: Family = Family { id: "xaes-256-gcm", ..SCHEME };
static KC: Family = Family {
    id: "kc-xaes-256-gcm",
    nonce_bytes: Sizes { default: 24, allowed: &[20, 21, 22, 23, 24] },
    tag_bytes: Sizes::one(&[48]),
    commitment: &[Commitment { level: Level::ForKc, tag_bytes: 48, bits: 124, condition: "" }],
    ..SCHEME
};
static DNDK: Family = Family {
    id: "dndk-gcm",
    nonce_bytes: Sizes { default: 24, allowed: &[12, 15, 16, 24, 27] },
    params: &[Param { name: "version", allowed: &[1, 2], default: 2 }],
    total_bytes_log2: Some(64),
    ..SCHEME
};
static HKDF: Family = Family {
    id: "hkdf-committed-aes-256-gcm",
    nonce_bytes: Sizes::one(&[32]),
    tag_bytes: Sizes::one(&[48]),
    ..SCHEME
};

fn pow(log2: f64) -> Amount {
    Amount::power_of_two(log2)
}

/// That `amount` is 2^`log2`, to the tenth that a source prints.
fn is(amount: Amount, log2: f64) {
    assert!((amount.log2() - log2).abs() < 0.05, "2^{} is not 2^{log2}", amount.log2());
}

fn row(assessment: &Assessment, name: &str) -> Option<f64> {
    let mut rows = assessment.usage.iter().chain(&assessment.offline);
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

/// Theorem 1 of eprint 2025/758.
#[test]
fn one_nonce_two_keys() {
    let least = commitment::for_kc(pow(80.0), 128);
    assert_eq!(least.beta, 3);
    assert!(least.amount < pow(-44.0) && least.amount > pow(-45.0), "{:?}", least.amount);
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

/// The examples of draft-irtf-cfrg-aead-limits-13: table 2 (one key), table 3 (many), and the key search
/// of section 6.1.
#[test]
fn aes_gcm() {
    let (l, p) = (pow(7.0), -50.0);
    is(gcm::confidentiality(pow(32.5), pow(32.5) * l), p);
    is(gcm::integrity(pow(p + 127.0) / (l + Amount::ONE), l, 128), p);
    assert!(gcm::integrity_is_bounded(pow(32.5), pow(39.5), pow(63.0)));
    assert!(!gcm::integrity_is_bounded(pow(32.5), pow(39.5), pow(64.0)));
    // q = v = 2^42 with B = 2^27.
    is(gcm::many_keys(pow(42.0) + pow(42.0), l, pow(27.0)), p);
    let aes_128: Algorithm = "aegis-128l".parse().expect("a key of 128 bits");
    assert_eq!(row(&assess(&aes_128, &load(0.0, 0)), "key search"), Some(-48.0));
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
        [(0, 0, 1_u32), (1, 0, 1), (16, 0, 1), (17, 0, 2), (16, 1, 2), (0, 33, 3)]
    {
        assert_eq!(gcm::blocks(message, ad), Amount::from(expected), "{message}, {ad}");
    }
    is(gcm::blocks(u64::MAX, u64::MAX), 61.0);
}

#[test]
fn which_bounds_apply() {
    let big = load(32.0, 1 << 16);
    let names = |family| {
        let bounds = assess(&Algorithm::new(family), &big).usage;
        bounds.iter().map(|bound| bound.name).collect::<Vec<_>>()
    };
    let shared = ["repeated nonce", "derived key shared", "distinguishing", "forgery"];
    let alone = ["repeated nonce", "distinguishing", "forgery"];
    for family in [&GCM, &PADDING_FIX, &CTX, &HKDF] {
        assert_eq!(names(family), alone, "{}", family.id);
    }
    for family in [&XAES, &KC, &DNDK] {
        assert_eq!(names(family), shared, "{}", family.id);
    }
}

/// 2^64 messages of 64 KiB: what is asked for in the manual's example.
#[test]
fn kc_xaes() {
    let algorithm = Algorithm::new(&KC);
    let big = load(64.0, 1 << 16);
    let assessment = assess(&algorithm, &big);
    assert_eq!(row(&assessment, "repeated nonce"), Some(-65.0));
    // C(2^64, 5) / 2^384, and four messages of 2^12 blocks under a derived key.
    is(pow(row(&assessment, "derived key shared").expect("random")), -70.9);
    is(pow(row(&assessment, "distinguishing").expect("GCM")), 64.0 + 12.0 + 14.0 - 127.0);
    assert_eq!(assessment.binding().map(|bound| bound.name), Some("distinguishing"));
    assert!(assessment.total().is_within(Probability::power_of_two(-32.0)));
    is(pow(row(&assessment, "two keys, one nonce").expect("FOR-KC")), -44.4);
    assert_eq!(row(&assessment, "two keys, nonces not sent"), Some(0.0));
    // Its outputs are all different long before.
    is(pow(assessment.not_counted[0].probability().log2()), 0.0);
    assert!(assess(&Algorithm::new(&HKDF), &big).not_counted.is_empty());

    // 2^33 keys: the nonces' part is the paper's.
    let many = assess(&algorithm, &Load { keys: pow(33.0), ..big });
    assert_eq!(row(&many, "repeated nonce"), Some(-32.0));
    is(pow(many.total().log2()), -4.0);

    let short = algorithm.with("nonce", 20).expect("a nonce of 20 bytes");
    assert_eq!(row(&assess(&short, &big), "repeated nonce"), Some(-33.0));
}

#[test]
fn a_counter_may_leave_every_message_under_one_derived_key() {
    let counted = Load { nonces: Nonces::Counted, ..load(32.0, 16) };
    let distinguishing = |family: &'static Family, choices: &[(&str, u64)]| {
        let with = |a: Algorithm, &(name, value): &(&str, u64)| a.with(name, value).expect(name);
        let algorithm = choices.iter().fold(Algorithm::new(family), with);
        row(&assess(&algorithm, &counted), "distinguishing").expect("GCM")
    };
    is(pow(distinguishing(&XAES, &[])), 32.0 + 32.0 - 127.0);
    // All of the nonce, or no tail to speak of: one message each.
    let one_each = 32.0 + 99_f64.log2() - 127.0;
    is(pow(distinguishing(&HKDF, &[])), one_each);
    is(pow(distinguishing(&DNDK, &[("version", 1)])), one_each);
    is(pow(distinguishing(&DNDK, &[("nonce", 12)])), one_each);
    is(pow(distinguishing(&DNDK, &[("nonce", 15)])), one_each);
    is(pow(distinguishing(&DNDK, &[])), 32.0 + 32.0 - 127.0);
    // A tail of one byte: 256 messages each.
    is(pow(distinguishing(&DNDK, &[("nonce", 16)])), 32.0 + 354_f64.log2() - 127.0);
}

#[test]
fn a_shorter_tag_is_easier_to_guess_and_a_commitment_no_tag() {
    let forgery = |a: &Algorithm| row(&assess(a, &load(20.0, 16)), "forgery").expect("forgery");
    let gcm = Algorithm::new(&GCM);
    is(pow(forgery(&gcm)), 1.0 + 32.0 + 1.0 - 128.0);
    is(pow(forgery(&gcm.with("tag", 12).expect("12 bytes"))), 1.0 + 32.0 + 1.0 - 96.0);
    assert_eq!(forgery(&Algorithm::new(&CTX)), forgery(&gcm));
    // Two blocks more.
    is(pow(forgery(&Algorithm::new(&PADDING_FIX))), 1.0 + 32.0 + 2.0 - 128.0);
    let none = Load { forgeries: Amount::ZERO, ..load(20.0, 16) };
    for keys in [0.0, 10.0] {
        let none = Load { keys: pow(keys), ..none };
        assert_eq!(row(&assess(&gcm, &none), "forgery"), Some(f64::NEG_INFINITY));
    }
}

#[test]
fn every_key_counts() {
    let gcm = Algorithm::new(&GCM);
    let one = load(30.0, 16);
    let many = assess(&gcm, &Load { keys: pow(10.0), ..one });
    let one = assess(&gcm, &one);
    for (name, single, all) in [
        ("repeated nonce", 60.0 - 97.0, 70.0 - 97.0),
        ("distinguishing", 62.0 - 129.0, 40.0 + 30.0 - 127.0),
        ("forgery", 34.0 - 128.0, 42.0 + 30.0 - 127.0),
        ("key search", 80.0 - 256.0, 90.0 - 256.0),
    ] {
        is(pow(row(&one, name).expect(name)), single);
        is(pow(row(&many, name).expect(name)), all);
    }
}

#[test]
fn what_the_specification_forbids_is_said() {
    let crossed = |family, load: &Load| assess(&Algorithm::new(family), load).crossed;
    let long = Error::TooLong { what: "message", limit: GCM_BYTES };
    assert_eq!(crossed(&GCM, &load(0.0, GCM_BYTES)), []);
    assert_eq!(crossed(&GCM, &load(0.0, GCM_BYTES + 1)), [long]);
    let many = Error::Limit { what: "messages with random nonces", limit: 1 << 32 };
    assert_eq!(crossed(&GCM, &load(32.0, 1)), []);
    assert_eq!(crossed(&GCM, &load(32.1, 1)), [many]);
    let bytes = Error::Limit { what: "bytes", limit: 1 << 64 };
    assert_eq!(crossed(&DNDK, &load(48.0, 1 << 16)), []);
    assert_eq!(crossed(&DNDK, &load(48.1, 1 << 16)), [bytes]);
}

#[test]
fn how_many_messages() {
    let nist = Probability::power_of_two(-32.0);
    let most = |family, load: &Load| messages_within(&Algorithm::new(family), load, nist);
    let one = Load::one_message(1 << 16, 0);
    // The formula would allow half a bit more than NIST does.
    assert_eq!(most(&GCM, &one), Some(pow(32.0)));
    // (2^12 + 1)² q² / 2^129 alone.
    let counted = Load { nonces: Nonces::Counted, ..one };
    is(most(&GCM, &counted).expect("some"), (129.0 - 32.0) / 2.0 - 12.0);
    assert_eq!(most(&DNDK, &one), Some(pow(48.0)));
    let tiny = Load::one_message(16, 0);
    assert!(most(&KC, &tiny).expect("some") > pow(79.0));
    // Too many forgeries, or too long, for even one.
    assert_eq!(most(&GCM, &Load { forgeries: pow(90.0), ..one }), None);
    assert_eq!(most(&GCM, &Load::one_message(GCM_BYTES + 1, 0)), None);
    let aegis: Algorithm = "aegis-256".parse().expect("a name");
    let counted = Load { nonces: Nonces::Counted, ..tiny };
    assert_eq!(messages_within(&aegis, &counted, nist), Some(pow(256.0)));
    let random = messages_within(&aegis, &tiny, nist).expect("some");
    is(random, 112.5);
}

fn any_load() -> impl Strategy<Value = Load> {
    let bytes = || prop_oneof![0..100_u64, (0..36_u32).prop_map(|n| 1 << n)];
    (0.0..40.0, 0.0..100.0, bytes(), bytes(), any::<bool>(), -1.0..80.0, 0.0..130.0).prop_map(
        |(keys, messages, message_bytes, ad_bytes, random, forgeries, work)| Load {
            keys: pow(keys),
            messages: pow(messages),
            message_bytes,
            ad_bytes,
            nonces: if random { Nonces::Random } else { Nonces::Counted },
            forgeries: if forgeries < 0.0 { Amount::ZERO } else { pow(forgeries) },
            work: pow(work),
        },
    )
}

fn any_algorithm() -> impl Strategy<Value = Algorithm> {
    let ours = [&GCM, &PADDING_FIX, &CTX, &XAES, &KC, &DNDK, &HKDF].map(Algorithm::new);
    let listed = crate::registry::families().iter().map(Algorithm::new);
    let others = [
        ours[0].with("nonce", 32),
        ours[0].with("tag", 12),
        ours[4].with("nonce", 20),
        ours[5].with("version", 1),
        ours[5].with("nonce", 12),
    ];
    let all: Vec<_> = listed.chain(ours).chain(others.into_iter().flatten()).collect();
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
    fn the_most_messages_are_the_most(a in any_algorithm(), load in any_load(), risk in -90.0..-1.0) {
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
