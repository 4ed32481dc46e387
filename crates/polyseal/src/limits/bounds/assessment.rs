//! The bounds of one algorithm under one load, added up.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Amount, Probability, birthday, chained, commitment, derived, gcm, siv};
use crate::error::Error;
use crate::family::{Mode, Repeats};
use crate::limits::{Limits, Nonces, Total, commitment_bits};
use crate::registry::{Algorithm, Level, Misuse};

const DRAFT: &str = "draft-irtf-cfrg-aead-limits-13";
const PAPER: &str = "eprint 2025/758";
const OMD: &str = "docs/spec/omd.md";
const HERE: &str = "docs/limits.md";

/// The use of a number of keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The keys.
    pub keys: Amount,
    /// The messages that each key seals.
    pub messages: Amount,
    /// The length of each message.
    pub message_bytes: u64,
    /// The length of each message's associated data.
    pub ad_bytes: u64,
    /// How the nonces are made.
    pub nonces: Nonces,
    /// The forgeries that each key refuses.
    pub forgeries: Amount,
    /// The calls of the block cipher, permutation or compression function that an adversary can
    /// afford.
    pub work: Amount,
}

impl Load {
    /// One key and one message, with a random nonce, 2^32 forgeries and an adversary of 2^80 calls.
    #[must_use]
    pub fn one_message(message_bytes: u64, ad_bytes: u64) -> Self {
        Self {
            keys: Amount::ONE,
            messages: Amount::ONE,
            message_bytes,
            ad_bytes,
            nonces: Nonces::Random,
            forgeries: Amount::power_of_two(32.0),
            work: Amount::power_of_two(80.0),
        }
    }
}

/// One thing that may happen.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bound {
    /// The event.
    pub name: &'static str,
    /// The formula, in the letters that `docs/limits.md` explains.
    pub formula: String,
    /// Where the formula comes from.
    pub source: String,
    amount: Amount,
}

impl Bound {
    /// The probability that it happens is no more than this.
    #[must_use]
    pub fn probability(&self) -> Probability {
        self.amount.into()
    }
}

/// The accidents and attacks on an algorithm's keys.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Assessment {
    /// The bounds that grow with the use of the keys.
    pub usage: Vec<Bound>,
    /// The bounds of an adversary who sees no use of them.
    pub offline: Vec<Bound>,
    /// The bounds that are known, and not added up: see `docs/limits.md`.
    pub not_counted: Vec<Bound>,
    /// Which of the specification's limits are crossed.
    pub crossed: Vec<Error>,
}

impl Assessment {
    /// The probability that anything of `usage` happens.
    #[must_use]
    pub fn total(&self) -> Probability {
        total(&self.usage)
    }

    /// The likeliest of `usage`.
    #[must_use]
    pub fn binding(&self) -> Option<&Bound> {
        self.usage.iter().reduce(|most, next| if next.amount > most.amount { next } else { most })
    }
}

/// Every bound of `algorithm` under `load`.
#[must_use]
pub fn assess(algorithm: &Algorithm, load: &Load) -> Assessment {
    Assessment {
        usage: usage(algorithm, load),
        offline: offline(algorithm, load),
        not_counted: not_counted(algorithm, load),
        crossed: crossed(algorithm, load),
    }
}

/// How many messages, for `load`'s, a key may seal for everything of [`Assessment::usage`] together
/// to have at most the probability `risk`, and for no limit to be crossed. `None`: not even one.
#[must_use]
pub fn messages_within(algorithm: &Algorithm, load: &Load, risk: Probability) -> Option<Amount> {
    let with = |log2: f64| Load { messages: Amount::power_of_two(log2), ..*load };
    if !crossed(algorithm, &with(0.0)).is_empty() {
        return None;
    }
    let fits = |log2: f64| total(&usage(algorithm, &with(log2))).is_within(risk);
    let (mut within, mut beyond) = (0.0, most_messages(algorithm, load).log2());
    if !fits(within) {
        return None;
    }
    if fits(beyond) {
        return Some(Amount::power_of_two(beyond));
    }
    // 2^-40 of a bit is far below what is shown.
    for _ in 0..50 {
        let middle = f64::midpoint(within, beyond);
        *(if fits(middle) { &mut within } else { &mut beyond }) = middle;
    }
    Some(Amount::power_of_two(within))
}

fn total(bounds: &[Bound]) -> Probability {
    bounds.iter().fold(Probability::IMPOSSIBLE, |sum, bound| sum + bound.probability())
}

/// The messages that the specification's limits allow, however unlikely an accident is.
fn most_messages(algorithm: &Algorithm, load: &Load) -> Amount {
    let limits = Limits::for_algorithm(algorithm);
    // Without nonces there are none to run out of: as many as are counted to.
    let nonce_bits = match algorithm.nonce_bytes() {
        0 => 128.0,
        bytes => 8.0 * bytes as f64,
    };
    let nonces = Amount::power_of_two(nonce_bits);
    let messages = limits.messages(load.nonces).1.map_or(nonces, Amount::from);
    let total = limits.total(load.nonces);
    let each = charged(load, &total);
    let bytes = total.limit.map(|bytes| Amount::from(bytes / each));
    let segments = limits.segments.and_then(|segments| {
        segments.limit.map(|limit| Amount::from(limit / segments.at_most(1, each)))
    });
    bytes.into_iter().chain(segments).fold(messages, Amount::min)
}

/// The bytes that one of `load`'s messages uses up of a key's total; an empty one, a byte.
fn charged(load: &Load, total: &Total) -> u128 {
    total.charge(load.message_bytes, load.ad_bytes).max(1)
}

fn crossed(algorithm: &Algorithm, load: &Load) -> Vec<Error> {
    let limits = Limits::for_algorithm(algorithm);
    let long = |what, bytes, limit| (bytes > limit).then_some(Error::TooLong { what, limit });
    let total = limits.total(load.nonces);
    let each = charged(load, &total);
    let segments = limits.segments.map(|segments| segments.at_most(1, each));
    let (messages, limit) = limits.messages(load.nonces);
    let much = |what, amount: Amount, limit: Option<u128>| {
        let limit = limit?;
        (amount > limit.into()).then_some(Error::Limit { what, limit })
    };
    [
        long("message", load.message_bytes, limits.message_bytes),
        long("associated data", load.ad_bytes, limits.ad_bytes),
        much(messages, load.messages, limit),
        much("bytes", load.messages * Amount::from(each), total.limit),
        segments.and_then(|each| {
            let limit = limits.segments.and_then(|segments| segments.limit);
            much("segments", load.messages * Amount::from(each), limit)
        }),
        much("failed verifications", load.forgeries, limits.failed_verifications),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn usage(algorithm: &Algorithm, load: &Load) -> Vec<Bound> {
    let Load { keys: u, messages: q, forgeries: v, .. } = *load;
    let mode = algorithm.mode();
    let specification = algorithm.family().identity.specification.title;
    let nonce_bits = 8 * algorithm.nonce_bytes() as u32;
    // The rest of a longer tag is a commitment.
    let t = 8 * algorithm.tag_bytes().min(16) as u32;
    let padding = match mode {
        Mode::Gcm { padding_blocks } | Mode::Derived { padding_blocks, .. } => padding_blocks,
        _ => 0,
    };
    let l = gcm::blocks(load.message_bytes, load.ad_bytes) + Amount::from(padding);
    let mut bounds = Vec::new();
    let mut add = |name, amount: Amount, formula: String, source: String| {
        bounds.push(Bound { name, formula, source, amount });
    };

    if load.nonces == Nonces::Random && algorithm.family().claims.misuse != Misuse::NotNeeded {
        let source = match mode {
            Mode::Direct | Mode::Chained { .. } | Mode::Siv { .. } => specification.into(),
            Mode::Gcm { .. } => "NIST SP 800-38D, section 8.3".into(),
            Mode::Derived { .. } => format!("{PAPER}, section 4.2"),
        };
        let formula = format!("u q² / 2^{}", nonce_bits + 1);
        add("repeated nonce", u * birthday::collision(q, nonce_bits), formula, source);
    }
    match mode {
        Mode::Direct => {
            let bits = algorithm.family().limits.forgery_bits.min(8 * algorithm.tag_bytes() as u32);
            let amount = u * v / Amount::power_of_two(bits.into());
            add("forgery", amount, format!("u v / 2^{bits}"), specification.into());
        }
        Mode::Chained { bytes, forgeable } => {
            let (n, t) = (8 * bytes as u32, 8 * algorithm.tag_bytes() as u32);
            let l = chained::blocks(load.message_bytes, load.ad_bytes, bytes as u64);
            let amount = u * chained::collision(q * l, n);
            add("distinguishing", amount, format!("3 u s² / 2^{n}"), format!("{OMD}, 8"));
            if forgeable {
                let formula = "one known message is enough".into();
                add("forgery", Amount::ONE, formula, format!("{OMD}, 6"));
            } else {
                let amount = chained::guessing(u * v, l, n, t);
                let formula = format!("u v (L / 2^{n} + 1 / 2^{t})");
                add("forgery", amount, formula, format!("{OMD}, 8"));
            }
        }
        Mode::Gcm { .. } => {
            let s = q * l;
            if algorithm.nonce_bytes() != 12 {
                let amount = u * gcm::hashed_nonces(q, v, s, algorithm.nonce_bytes() as u64);
                let formula = "32 u (q + v) (s + q + 1) (ℓ + 1) / 2^128".into();
                add("repeated counter", amount, formula, "eprint 2015/214, theorem 3".into());
            }
            let (amount, formula, section) = distinguishing(load, l, s, u == Amount::ONE);
            add("distinguishing", amount, formula.into(), format!("{DRAFT}, {section}"));
            let (amount, formula) = forgery(load, l, q, t);
            add("forgery", amount, formula, format!("{DRAFT}, 6.2.2"));
        }
        Mode::Siv { halves } => {
            let amount = siv::derivation(u * q, halves);
            add("derived keys", amount, format!("{halves} u q / 2^96"), "eprint 2017/702".into());
            let amount = siv::confidentiality(u * q, l);
            add("distinguishing", amount, "u q (L + 1)² / 2^129".into(), HERE.into());
            let amount = siv::integrity(u * v, l);
            add("forgery", amount, "2 u v (L + 2) / 2^128".into(), HERE.into());
        }
        Mode::Derived { head_bytes, .. } => {
            let head_bits = 8 * head_bytes as u32;
            // How many messages a counter can give to one derived key, which leaves the head as it
            // is for as long as the tail lasts.
            let tail = Amount::power_of_two(f64::from(nonce_bits - head_bits));
            let mut one_key = false;
            let each = match load.nonces {
                _ if head_bits == nonce_bits => Amount::ONE,
                Nonces::CountedFirst => Amount::ONE,
                Nonces::Counted => {
                    one_key = u == Amount::ONE && q <= tail;
                    q.min(tail)
                }
                Nonces::Random => {
                    let reuse = derived::least_reuse(u, q, l, head_bits);
                    let (m, rest) = (reuse.m, head_bits * (reuse.m - 1));
                    let formula = format!("u C(q, {m}) / 2^{rest}");
                    let source = format!("{PAPER}, section 4.2");
                    add("derived key shared", reuse.shared, formula, source);
                    Amount::from(m - 1)
                }
            };
            let (amount, formula, section) = distinguishing(load, l, each * l, one_key);
            add("distinguishing", amount, formula.into(), format!("{DRAFT}, {section}"));
            let (amount, formula) = forgery(load, l, each, t);
            add("forgery", amount, formula, format!("{DRAFT}, 6.2.2"));
        }
    }
    if load.nonces == Nonces::Random
        && let Some((Repeats::WithNonce(_), bits)) = commitment_bits(algorithm)
    {
        bounds.push(commitment_repeats(load, bits));
    }
    bounds
}

/// GCM's outputs are told from random ones: the bound, its formula and the draft's section. No key
/// encrypts more than `b` blocks; all may have the same one.
fn distinguishing(
    load: &Load,
    l: Amount,
    b: Amount,
    one_key: bool,
) -> (Amount, &'static str, &'static str) {
    match one_key {
        true => (gcm::confidentiality(load.messages, b), "(s + q + 1)² / 2^129", "6.2.1"),
        false => {
            let amount = gcm::many_keys(load.keys * load.messages, l, b);
            (amount, "u q L (B + 98) / 2^127", "7.1.2")
        }
    }
}

/// A forgery under any key, each having `each` messages, and at worst all of a user's forgeries.
fn forgery(load: &Load, l: Amount, each: Amount, t: u32) -> (Amount, String) {
    let Load { keys: u, forgeries: v, .. } = *load;
    let amount = match gcm::integrity_is_bounded(each, each * l, v) {
        _ if v == Amount::ZERO => Amount::ZERO,
        true => gcm::integrity(u * v, l, t),
        false => Amount::ONE,
    };
    (amount, format!("2 u v (L + 1) / 2^{t}"))
}

fn offline(algorithm: &Algorithm, load: &Load) -> Vec<Bound> {
    let o = load.work;
    let specification = algorithm.family().identity.specification.title;
    let k = 8 * algorithm.key_bytes() as u32;
    let mut bounds = Vec::new();
    let mut add = |name, amount: Amount, formula: String, source: String| {
        bounds.push(Bound { name, formula, source, amount });
    };
    let search = load.keys * o / Amount::power_of_two(k.into());
    add("key search", search, format!("u o / 2^{k}"), format!("{DRAFT}, 6.1"));
    let theorem = matches!(algorithm.mode(), Mode::Derived { f_com: true, .. });
    match algorithm.commitment() {
        Some(_) if theorem => {
            let least = commitment::for_kc(o, 128);
            let formula = format!("adv(o, 128) with β = {}", least.beta);
            let source = format!("{PAPER}, theorem 1");
            add("two keys, one nonce", least.amount, formula, source);
            let amount = commitment::implied_nonce(o, 128);
            let source = format!("{PAPER}, section 5.1");
            add("two keys, nonces not sent", amount, "o² / 2^129".into(), source);
            let b = algorithm.nonce_bytes() as u32;
            let amount = commitment::one_key_implied_nonces(o, b);
            let formula = format!("o² / 2^{}", 8 * (28 - b) + 1);
            add("one key, nonces not sent", amount, formula, "research/papers/kc-xaes.md".into());
        }
        Some(claim) if claim.level != Level::None => {
            let amount = commitment::generic(o, claim.bits);
            let formula = format!("o² / 2^{}", 2 * claim.bits + 1);
            let name = match claim.level {
                Level::KeyFixedAd => "two keys, fixed AD",
                Level::Cmt4 => "two of anything",
                _ => "two keys",
            };
            add(name, amount, formula, specification.into());
        }
        _ => {}
    }
    bounds
}

fn not_counted(algorithm: &Algorithm, load: &Load) -> Vec<Bound> {
    let mut bounds = Vec::new();
    // A tag that two messages have in common harms neither.
    if let Some((Repeats::WithTag, bits)) = commitment_bits(algorithm) {
        bounds.push(commitment_repeats(load, bits));
    }
    if let Mode::Derived { permutation_calls: Some(calls), .. } = algorithm.mode() {
        bounds.push(Bound {
            name: "derived keys all differ",
            formula: format!("u ({calls} q)² / 2^129"),
            source: "the switch from a permutation to a function".into(),
            amount: load.keys * derived::all_different(Amount::from(calls) * load.messages),
        });
    }
    bounds
}

/// Two messages under one key have the same commitment: `bits` random bits.
fn commitment_repeats(load: &Load, bits: u32) -> Bound {
    Bound {
        name: "commitment repeats",
        formula: format!("u q² / 2^{}", bits + 1),
        source: HERE.into(),
        amount: load.keys * birthday::collision(load.messages, bits),
    }
}
