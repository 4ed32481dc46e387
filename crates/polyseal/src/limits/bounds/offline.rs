//! The bounds that do not grow with the use of the keys, and those that are not added up.

use alloc::format;
use alloc::vec::Vec;

use super::assessment::{Bound, Load};
use super::event::{Bounds, Event};
#[cfg(feature = "flex")]
use super::flex;
use super::usage::{DRAFT, PAPER, commitment_repeats};
use super::{Amount, commitment, derived};
use crate::family::{Mode, Repeats};
use crate::limits::commitment_bits;
use crate::registry::{Algorithm, Level};

pub(super) fn offline(algorithm: &Algorithm, load: &Load) -> Vec<Bound> {
    let o = load.work;
    let k = 8 * algorithm.key_bytes() as u32;
    let mut bounds = Bounds(Vec::new());
    let search = load.keys * o / Amount::power_of_two(k.into());
    let formula = format!("u o / 2^{k}");
    bounds.add(Event::KeyFound, "key search", search, formula, format!("{DRAFT}, 6.1"));
    match (algorithm.commitment(), algorithm.mode()) {
        #[cfg(feature = "flex")]
        (Some(_), Mode::Flex(config)) => flex::commitment(&mut bounds, &config, o),
        (Some(_), Mode::Derived { f_com: true, .. }) => {
            of_f_com(&mut bounds, algorithm, o);
        }
        (Some(claim), _) if claim.level != Level::None => {
            let amount = commitment::generic(o, claim.bits);
            let formula = format!("o² / 2^{}", 2 * claim.bits + 1);
            let name = match claim.level {
                Level::KeyFixedAd => "two keys, fixed AD",
                Level::Cmt4 => "two of anything",
                _ => "two keys",
            };
            let specification = algorithm.family().identity.specification.title;
            bounds.add(Event::CommitmentBroken, name, amount, formula, specification);
        }
        _ => {}
    }
    bounds.0
}

fn of_f_com(bounds: &mut Bounds, algorithm: &Algorithm, o: Amount) {
    let least = commitment::for_kc(o, 128);
    let formula = format!("adv(o, 128) with β = {}", least.beta);
    let source = format!("{PAPER}, theorem 1");
    bounds.add(Event::TwoKeysOneNonce, "two keys, one nonce", least.amount, formula, source);
    let amount = commitment::implied_nonce(o, 128);
    let (event, name) = (Event::TwoKeysNoncesNotSent, "two keys, nonces not sent");
    bounds.add(event, name, amount, "o² / 2^129", format!("{PAPER}, section 5.1"));
    let b = algorithm.nonce_bytes() as u32;
    let amount = commitment::one_key_implied_nonces(o, b);
    let formula = format!("o² / 2^{}", 8 * (28 - b) + 1);
    let (event, name) = (Event::OneKeyNoncesNotSent, "one key, nonces not sent");
    bounds.add(event, name, amount, formula, "research/papers/kc-xaes.md");
}

pub(super) fn not_counted(algorithm: &Algorithm, load: &Load) -> Vec<Bound> {
    let mut bounds = Bounds(Vec::new());
    // A tag that two messages have in common harms neither, unless it is what encrypts.
    if let Some((Repeats::WithTag, bits)) = commitment_bits(algorithm)
        && !encrypts_by_tag(algorithm.mode(), load)
    {
        commitment_repeats(&mut bounds, Event::TagsMeet, load, bits);
    }
    match algorithm.mode() {
        #[cfg(feature = "flex")]
        Mode::Flex(config) => flex::not_counted(&mut bounds, &config, load),
        Mode::Derived { permutation_calls: Some(calls), .. } => {
            let formula = format!("u ({calls} q)² / 2^129");
            let amount = load.keys * derived::all_different(Amount::from(calls) * load.messages);
            let source = "the switch from a permutation to a function";
            let name = "derived keys all differ";
            bounds.add(Event::DerivationTold, name, amount, formula, source);
        }
        _ => {}
    }
    bounds.0
}

#[cfg_attr(not(feature = "flex"), allow(unused_variables))]
fn encrypts_by_tag(mode: Mode, load: &Load) -> bool {
    match mode {
        #[cfg(feature = "flex")]
        Mode::Flex(config) => flex::encrypts_by_tag(&config, load),
        _ => false,
    }
}
