//! The bounds of one algorithm under one load, added up.

use alloc::string::String;
use alloc::vec::Vec;

use super::event::Event;
use super::offline::{not_counted, offline};
use super::usage::usage;
use super::{Amount, Probability};
use crate::error::Error;
use crate::limits::{Limits, Nonces, Total};
use crate::registry::Algorithm;

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
    /// The event. No two bounds of an [`Assessment`] have the same.
    pub event: Event,
    /// Its name in a table.
    pub name: &'static str,
    /// The formula, in the letters that `docs/limits.md` explains.
    pub formula: String,
    /// Where the formula comes from.
    pub source: String,
    pub(super) amount: Amount,
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
    /// The probability that anything of `usage` happens. An event that is part of another is not
    /// added to it.
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
    let is_part = |event: Event| bounds.iter().any(|whole| event.is_part_of(whole.event));
    let whole = bounds.iter().filter(|bound| !is_part(bound.event));
    whole.fold(Probability::IMPOSSIBLE, |sum, bound| sum + bound.probability())
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
