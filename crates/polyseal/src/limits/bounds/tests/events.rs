//! One event, one term.

use alloc::vec::Vec;

use super::{Amount, Probability, algorithm, load, pow};
use crate::family::Repeats;
use crate::limits::bounds::{Assessment, Bound, Event, Load, assess};
use crate::limits::{Nonces, commitment_bits};
use crate::registry::{Algorithm, families};

fn all(assessment: &Assessment) -> impl Iterator<Item = &Bound> {
    let Assessment { usage, offline, not_counted, .. } = assessment;
    usage.iter().chain(offline).chain(not_counted)
}

#[test]
fn no_two_terms_of_any_row_are_the_same_event() {
    let loads = [(1.0, 0), (20.0, 16), (48.0, 1 << 16), (80.0, 16), (112.0, 1 << 20)];
    for a in families().iter().flat_map(Algorithm::instances) {
        for nonces in [Nonces::Random, Nonces::Counted, Nonces::CountedFirst] {
            for (messages, bytes) in loads {
                let load = Load { nonces, ..load(messages, bytes) };
                let found = assess(&a, &load);
                let bounds: Vec<_> = all(&found).collect();
                for (at, bound) in bounds.iter().enumerate() {
                    let others = &bounds[at + 1..];
                    let name = bound.name;
                    assert!(others.iter().all(|b| b.event != bound.event), "{a}: {name} twice");
                    assert!(others.iter().all(|b| b.name != name), "{a}: two rows are {name}");
                }
                // An event that is part of another is not added, and never likelier.
                let mut sum = Amount::ZERO;
                for bound in &found.usage {
                    let whole = found.usage.iter().find(|b| bound.event.is_part_of(b.event));
                    match whole {
                        Some(whole) => assert!(bound.probability() <= whole.probability(), "{a}"),
                        None => sum = sum + bound.amount,
                    }
                }
                let (total, sum) = (found.total().log2(), Probability::from(sum).log2());
                assert!((total - sum).abs() < 1e-9, "{a}: 2^{total}, not 2^{sum}");
            }
        }
    }
}

/// K_C of the whole nonce repeats when the nonce does: the commitment takes nothing off.
#[test]
fn a_commitment_to_the_nonce_repeats_with_it() {
    for a in families().iter().flat_map(Algorithm::instances) {
        let Some((Repeats::WithNonce(_), bits)) = commitment_bits(&a) else { continue };
        let found = assess(&a, &load(40.0, 64));
        let row = |name| found.usage.iter().find(|bound| bound.name == name);
        let whole = bits == 8 * a.nonce_bytes() as u32;
        assert_eq!(row("commitment repeats").is_none(), whole, "{a}");
        let event = Event::NoncesAgree { messages: 2, bytes: bits / 8 };
        assert!(found.usage.iter().any(|bound| bound.event == event), "{a}");
    }
    // DNDK's commitment has the bytes that derive the key: until it repeats, no key is shared.
    let committed = assess(&algorithm("dndk-gcm:kc=1"), &load(50.0, 64));
    assert!(committed.usage.iter().all(|bound| bound.name != "derived key shared"));
    let short = load(80.0, 16);
    let [kc, without] =
        ["kc-xaes-256-gcm", "xaes-256-gcm"].map(|text| assess(&algorithm(text), &short).total());
    assert_eq!(kc, without);
    assert!(kc.is_within(Probability::power_of_two(-32.0)), "{kc}");
}

#[test]
fn an_event_is_part_of_a_wider_one() {
    let agree = |messages, bytes| Event::NoncesAgree { messages, bytes };
    for (part, whole, is) in [
        (agree(2, 24), agree(2, 15), true),
        (agree(3, 24), agree(2, 15), true),
        (agree(3, 12), agree(2, 12), true),
        (agree(2, 12), agree(3, 12), false),
        (agree(5, 12), agree(2, 24), false),
        (agree(2, 24), agree(5, 12), false),
        (agree(2, 24), agree(2, 24), false),
        (Event::Forged, Event::Forged, false),
        (Event::Forged, agree(2, 1), false),
    ] {
        assert_eq!(part.is_part_of(whole), is, "{part:?}, {whole:?}");
    }
    // The commitment to fifteen bytes repeats whenever the nonce does.
    let found = assess(&algorithm("kc-c3-xaes-256-gcm"), &load(48.0, 64));
    let row = |name| found.usage.iter().find(|bound| bound.name == name).expect(name);
    let [nonce, commitment] = ["repeated nonce", "commitment repeats"].map(row);
    assert!(nonce.event.is_part_of(commitment.event));
    assert!(found.total() < Probability::power_of_two(-24.9));
    assert!(pow(-25.1) < row("commitment repeats").amount);
}
