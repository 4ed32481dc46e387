//! The bounds that grow with the use of the keys.

use alloc::format;
use alloc::vec::Vec;

use super::assessment::{Bound, Load};
use super::event::{Bounds, Event};
#[cfg(feature = "flex")]
use super::flex;
use super::{Amount, birthday, chained, derived, gcm, siv};
use crate::family::{Mode, Repeats};
use crate::limits::{Nonces, commitment_bits};
use crate::registry::{Algorithm, Misuse};

pub(super) const DRAFT: &str = "draft-irtf-cfrg-aead-limits-13";
pub(super) const PAPER: &str = "eprint 2025/758";
pub(super) const HERE: &str = "docs/limits.md";
const OMD: &str = "docs/spec/omd.md";

pub(super) fn usage(algorithm: &Algorithm, load: &Load) -> Vec<Bound> {
    let mut bounds = Bounds(Vec::new());
    let mode = algorithm.mode();
    let specification = algorithm.family().identity.specification.title;
    if load.nonces == Nonces::Random && algorithm.family().claims.misuse != Misuse::NotNeeded {
        let source = match mode {
            Mode::Gcm { .. } => "NIST SP 800-38D, section 8.3".into(),
            Mode::Derived { .. } => format!("{PAPER}, section 4.2"),
            _ => specification.into(),
        };
        let nonce_bits = 8 * algorithm.nonce_bytes() as u32;
        let amount = load.keys * birthday::collision(load.messages, nonce_bits);
        let formula = format!("u q² / 2^{}", nonce_bits + 1);
        bounds.add(agree(2, nonce_bits), "repeated nonce", amount, formula, source);
    }
    match mode {
        Mode::Direct => {
            let tag_bits = 8 * algorithm.tag_bytes() as u32;
            let bits = algorithm.family().limits.forgery_bits.min(tag_bits);
            let amount = load.keys * load.forgeries / Amount::power_of_two(bits.into());
            bounds.add(Event::Forged, "forgery", amount, format!("u v / 2^{bits}"), specification);
        }
        #[cfg(feature = "flex")]
        Mode::Flex(config) => flex::usage(&mut bounds, &config, algorithm.nonce_bytes(), load),
        Mode::Chained { bytes, forgeable } => {
            of_chain(&mut bounds, algorithm, load, bytes, forgeable);
        }
        Mode::Gcm { padding_blocks } => of_gcm(&mut bounds, algorithm, load, padding_blocks),
        Mode::Siv { halves } => of_siv(&mut bounds, load, halves),
        Mode::Derived { head_bytes, padding_blocks, .. } => {
            of_derived(&mut bounds, algorithm, load, 8 * head_bytes as u32, padding_blocks);
        }
    }
    // K_C of all of the nonce repeats when the nonce does, which is one event and one bound.
    if load.nonces == Nonces::Random
        && let Some((Repeats::WithNonce(_), bits)) = commitment_bits(algorithm)
    {
        commitment_repeats(&mut bounds, agree(2, bits), load, bits);
    }
    bounds.0
}

/// Two messages under one key have the same commitment: `bits` random bits.
pub(super) fn commitment_repeats(bounds: &mut Bounds, event: Event, load: &Load, bits: u32) {
    let amount = load.keys * birthday::collision(load.messages, bits);
    bounds.add(event, "commitment repeats", amount, format!("u q² / 2^{}", bits + 1), HERE);
}

fn agree(messages: u32, bits: u32) -> Event {
    Event::NoncesAgree { messages, bytes: bits / 8 }
}

/// A keyed compression function with chaining values of `bytes` bytes.
fn of_chain(
    bounds: &mut Bounds,
    algorithm: &Algorithm,
    load: &Load,
    bytes: usize,
    forgeable: bool,
) {
    let Load { keys: u, messages: q, forgeries: v, .. } = *load;
    let (n, t) = (8 * bytes as u32, 8 * algorithm.tag_bytes() as u32);
    let l = chained::blocks(load.message_bytes, load.ad_bytes, bytes as u64);
    let amount = u * chained::collision(q * l, n);
    let formula = format!("3 u s² / 2^{n}");
    bounds.add(Event::EncryptionTold, "distinguishing", amount, formula, format!("{OMD}, 8"));
    if forgeable {
        let formula = "one known message is enough";
        bounds.add(Event::Forged, "forgery", Amount::ONE, formula, format!("{OMD}, 6"));
    } else {
        let amount = chained::guessing(u * v, l, n, t);
        let formula = format!("u v (L / 2^{n} + 1 / 2^{t})");
        bounds.add(Event::Forged, "forgery", amount, formula, format!("{OMD}, 8"));
    }
}

fn of_gcm(bounds: &mut Bounds, algorithm: &Algorithm, load: &Load, padding_blocks: u32) {
    let Load { keys: u, messages: q, forgeries: v, .. } = *load;
    let l = gcm::blocks(load.message_bytes, load.ad_bytes) + Amount::from(padding_blocks);
    let s = q * l;
    if algorithm.nonce_bytes() != 12 {
        let amount = u * gcm::hashed_nonces(q, v, s, algorithm.nonce_bytes() as u64);
        let formula = "32 u (q + v) (s + q + 1) (ℓ + 1) / 2^128";
        let source = "eprint 2015/214, theorem 3";
        bounds.add(Event::CountersMeet, "repeated counter", amount, formula, source);
    }
    distinguishing(bounds, load, l, s, u == Amount::ONE);
    forgery(bounds, algorithm, load, l, q);
}

fn of_siv(bounds: &mut Bounds, load: &Load, halves: u32) {
    let Load { keys: u, messages: q, forgeries: v, .. } = *load;
    let l = gcm::blocks(load.message_bytes, load.ad_bytes);
    let amount = siv::derivation(u * q, halves);
    let formula = format!("{halves} u q / 2^96");
    bounds.add(Event::HalvesTold, "derived keys", amount, formula, "eprint 2017/702");
    let amount = siv::confidentiality(u * q, l);
    let formula = "u q (L + 1)² / 2^129";
    bounds.add(Event::EncryptionTold, "distinguishing", amount, formula, HERE);
    let amount = siv::integrity(u * v, l);
    bounds.add(Event::Forged, "forgery", amount, "2 u v (L + 2) / 2^128", HERE);
}

/// GCM under keys that are derived from `head_bits` bits of the nonce.
fn of_derived(
    bounds: &mut Bounds,
    algorithm: &Algorithm,
    load: &Load,
    head_bits: u32,
    padding_blocks: u32,
) {
    let Load { keys: u, messages: q, .. } = *load;
    let l = gcm::blocks(load.message_bytes, load.ad_bytes) + Amount::from(padding_blocks);
    let nonce_bits = 8 * algorithm.nonce_bytes() as u32;
    // How many messages a counter can give to one derived key, which leaves the head as it is for
    // as long as the tail lasts.
    let tail = Amount::power_of_two(f64::from(nonce_bits - head_bits));
    // Unless a commitment repeats, which has its own bound, no two messages share these bits.
    let apart = match commitment_bits(algorithm) {
        Some((Repeats::WithNonce(_), bits)) => bits,
        _ => u32::MAX,
    };
    let mut one_key = false;
    let each = match load.nonces {
        _ if head_bits == nonce_bits => Amount::ONE,
        Nonces::CountedFirst => Amount::ONE,
        Nonces::Counted => {
            one_key = u == Amount::ONE && q <= tail;
            q.min(tail)
        }
        Nonces::Random if apart <= head_bits => Amount::ONE,
        Nonces::Random => {
            let reuse = derived::least_reuse(u, q, l, head_bits);
            let (m, rest) = (reuse.m, head_bits * (reuse.m - 1));
            let formula = format!("u C(q, {m}) / 2^{rest}");
            let source = format!("{PAPER}, section 4.2");
            let event = agree(m, head_bits);
            bounds.add(event, "derived key shared", reuse.shared, formula, source);
            Amount::from(m - 1)
        }
    };
    distinguishing(bounds, load, l, each * l, one_key);
    forgery(bounds, algorithm, load, l, each);
}

/// GCM's outputs are told from random ones. No key encrypts more than `b` blocks; all may have the
/// same one.
fn distinguishing(bounds: &mut Bounds, load: &Load, l: Amount, b: Amount, one_key: bool) {
    let (amount, formula, section) = match one_key {
        true => (gcm::confidentiality(load.messages, b), "(s + q + 1)² / 2^129", "6.2.1"),
        false => {
            let amount = gcm::many_keys(load.keys * load.messages, l, b);
            (amount, "u q L (B + 98) / 2^127", "7.1.2")
        }
    };
    let source = format!("{DRAFT}, {section}");
    bounds.add(Event::EncryptionTold, "distinguishing", amount, formula, source);
}

/// A forgery under any key, each having `each` messages, and at worst all of a user's forgeries.
fn forgery(bounds: &mut Bounds, algorithm: &Algorithm, load: &Load, l: Amount, each: Amount) {
    let Load { keys: u, forgeries: v, .. } = *load;
    // The rest of a longer tag is a commitment.
    let t = 8 * algorithm.tag_bytes().min(16) as u32;
    let amount = match gcm::integrity_is_bounded(each, each * l, v) {
        _ if v == Amount::ZERO => Amount::ZERO,
        true => gcm::integrity(u * v, l, t),
        false => Amount::ONE,
    };
    let formula = format!("2 u v (L + 1) / 2^{t}");
    bounds.add(Event::Forged, "forgery", amount, formula, format!("{DRAFT}, 6.2.2"));
}
