//! Flex, by its configuration: every term of section 11 of `docs/spec/flex.md`.
//!
//! p, σ, h, q, τ, ρ and n are the section's. It bounds one key. For more keys its bounds are added
//! up, where an adversary who attacks one key makes the calls of all others himself: p has them.

use alloc::format;

use super::Amount;
use super::assessment::Load;
use super::birthday::collision;
use super::event::{Bounds, Event};
use crate::family::{FlexMode, FlexUse};

const SOURCE: &str = "docs/spec/flex.md, 11";
/// From so many bytes on F is a tree, with chunks as long.
const CHUNK: u128 = 256;

/// A use of one key, counted as the section counts it.
struct Counted {
    /// τ, ρ and n.
    tau: u32,
    rho: u32,
    n: u32,
    /// The adversary's own calls.
    p: Amount,
    /// The messages, or segments.
    q: Amount,
    /// The blocks of what is sealed and of the forgeries, F's calls among them.
    sigma: Amount,
    /// The secret chaining values that may meet one block.
    h: Amount,
}

impl Counted {
    fn new(config: &FlexUse, nonce_bytes: usize, load: &Load) -> Self {
        let [block, state] = [config.block, config.state].map(|bytes| bytes as u128);
        let (hashed, segments, blocks) = per_message(config, nonce_bytes, load, block - state);
        let messages = load.messages + load.forgeries;
        let sigma = messages * blocks.into();
        let others = if load.keys == Amount::ONE { Amount::ZERO } else { load.keys * sigma };
        Self {
            tau: 8 * state as u32,
            rho: 8 * (block - state) as u32,
            n: 8 * block as u32,
            p: load.work + others,
            q: load.messages * segments.into(),
            sigma,
            h: Amount::ONE + messages * hashed.into(),
        }
    }
}

/// The calls of F for the context of a message, and one for the key of its first segment; the
/// segments; and the blocks in all.
fn per_message(config: &FlexUse, nonce: usize, load: &Load, rate: u128) -> (u128, u128, u128) {
    let (block, state) = (config.block as u128, config.state as u128);
    let (message, ad) = (u128::from(load.message_bytes), u128::from(load.ad_bytes));
    let context = match (config.hidden, ad) {
        (0, _) => {
            let length = if config.free_nonce { 2 } else { 0 };
            calls_of_f(ad + nonce as u128 + length, rate, state)
        }
        (_, 0) => 0,
        _ => calls_of_f(ad, rate, state),
    };
    let blocks = |bytes: u128| bytes.div_ceil(block).max(1);
    let Some(segment) = config.segment.map(|bytes| bytes as u128) else {
        let body = blocks((config.hidden + config.stretch) as u128 + message);
        return (context, 1, context + body);
    };
    let segments = message.div_ceil(segment).max(1);
    let body = (segments - 1) * blocks(segment) + blocks(message - (segments - 1) * segment);
    (context + 1, segments, context + segments + body)
}

/// The calls of π for F of `bytes` bytes, with blocks of `rate` bytes.
fn calls_of_f(bytes: u128, rate: u128, state: u128) -> u128 {
    let seq = |bytes: u128| {
        let length_bytes = u128::from((128 - bytes.leading_zeros()).div_ceil(8));
        (bytes + length_bytes + 2).div_ceil(rate)
    };
    if bytes <= CHUNK {
        return seq(bytes);
    }
    let chunks = bytes.div_ceil(CHUNK);
    let last = bytes - (chunks - 1) * CHUNK;
    (chunks - 1) * seq(CHUNK + 8) + seq(last + 8) + seq(chunks * state + 8)
}

/// The bounds that grow with use.
pub(super) fn usage(bounds: &mut Bounds, config: &FlexUse, nonce_bytes: usize, load: &Load) {
    let Counted { tau, rho, n, p, q, sigma, h } = Counted::new(config, nonce_bytes, load);
    let (u, v) = (load.keys, load.forgeries);
    let mut add = |event, name, amount: Amount, formula| {
        bounds.add(event, name, u * amount, formula, SOURCE);
    };
    let over = |bits: u32| Amount::power_of_two(-f64::from(bits));

    let formula = format!("u σ² / 2^{}", tau + 1);
    add(Event::StatesMeet, "inner states meet", collision(sigma, tau), formula);
    let formula = format!("u p h / 2^{tau}");
    add(Event::StateGuessed, "inner state guessed", p * h * over(tau), formula);
    // The wide-block cipher has a collision of its own.
    let (own, times) = match config.mode {
        FlexMode::Robust | FlexMode::RobustAe => (2_u32, "2 "),
        _ => (1, ""),
    };
    let two = Amount::from(2_u32);
    let told = (two * p * sigma + Amount::from(own) * sigma.pow(2)) * over(n);
    let formula = format!("u (2 p σ + {times}σ²) / 2^{n}");
    add(Event::EncryptionTold, "distinguishing", told, formula);
    add(Event::TagInputsMeet, "tag inputs meet", q.pow(2) * over(rho), format!("u q² / 2^{rho}"));
    let tag = 8 * config.tag as u32;
    if encrypts_by_tag(config, load) {
        let formula = format!("u q² / 2^{}", tag + 1);
        add(Event::TagsMeet, "tags meet", collision(q, tag), formula);
    }
    if config.mode == FlexMode::RobustAe {
        let formula = format!("u v² / 2^{}", tau + 1);
        add(Event::OpenedKeysMeet, "opened keys meet", collision(v, tau), formula);
    }
    let (forged, formula) = match config.mode {
        FlexMode::Och => {
            let amount = v * over(tag) + two * v * over(rho);
            (amount, format!("u v (1 / 2^{tag} + 2 / 2^{rho})"))
        }
        FlexMode::Civ | FlexMode::RobustAe => (v * over(tag), format!("u v / 2^{tag}")),
        FlexMode::Robust => {
            let bits = tau.min(rho);
            (v * over(bits), format!("u v / 2^{bits}"))
        }
    };
    add(Event::Forged, "forgery", forged, formula);
}

/// Whether messages are encrypted by what their tag is, so that equal ones harm them.
pub(super) fn encrypts_by_tag(config: &FlexUse, load: &Load) -> bool {
    match config.mode {
        FlexMode::Civ | FlexMode::RobustAe => true,
        // A message below a block, with its nonce.
        FlexMode::Och => {
            config.hidden > 0
                && u128::from(load.message_bytes) + (config.hidden as u128) < config.block as u128
        }
        FlexMode::Robust => false,
    }
}

/// Two inputs of the adversary's choice have one tag.
pub(super) fn commitment(bounds: &mut Bounds, config: &FlexUse, o: Amount) {
    let tag = 8 * config.tag as u32;
    let amount = o.pow(2) * Amount::power_of_two(-f64::from(tag));
    let formula = format!("o² / 2^{tag}");
    bounds.add(Event::CommitmentBroken, "two of anything", amount, formula, SOURCE);
}

/// The deciphered texts of two forgeries are the same, which harms only those who show them.
pub(super) fn not_counted(bounds: &mut Bounds, config: &FlexUse, load: &Load) {
    if config.mode != FlexMode::RobustAe {
        return;
    }
    let bits = 8.0 * (config.hidden as f64 + load.message_bytes as f64);
    let amount = load.keys * load.forgeries.pow(2) * Amount::power_of_two(-bits - 1.0);
    let formula = format!("u v² / 2^{}", bits + 1.0);
    bounds.add(Event::OpenedTextsMeet, "opened texts meet", amount, formula, SOURCE);
}
