//! One test: what sealing and opening must give.
//!
//! valid: sealing gives exactly ciphertext and tag, and opening them gives the message.
//! invalid: opening fails, be it for a length; sealing is not tried. acceptable: either.

use polyseal::any::{AnyAead, AnyMac};
use polyseal::registry::{Algorithm, Kind};

use super::schema::{Expected, Group, Test};

/// Why a test failed.
pub(super) type Verdict = Result<(), &'static str>;

/// What opening gave.
enum Opened {
    Refused,
    Message,
    /// Something was accepted, but not as the message of the test.
    Other,
}

/// Decides `test`.
pub(super) fn check(group: &Group, test: &Test) -> Verdict {
    let opened = match &group.algorithm {
        // Groups with sizes that do not exist hold only invalid tests.
        Err(_) => Opened::Refused,
        Ok(algorithm) => {
            let opened = match group.kind {
                Kind::Aead => open(algorithm, test),
                _ => verify(algorithm, test),
            };
            if test.result == Expected::Valid && !seals(group.kind, algorithm, test) {
                return Err("sealing gives something else");
            }
            opened
        }
    };
    match (test.result, opened) {
        (Expected::Valid, Opened::Message)
        | (Expected::Invalid, Opened::Refused)
        | (Expected::Acceptable, Opened::Message | Opened::Refused) => Ok(()),
        (Expected::Valid, Opened::Refused) => Err("valid, but opening fails"),
        (Expected::Invalid, _) => Err("invalid, but opening succeeds"),
        (_, Opened::Other) => Err("opening gives something else"),
    }
}

/// The ciphertext and tag as one; `None` if the tag has a length that the algorithm does not have.
/// A test whose tag is empty has everything in `ct`.
fn sealed(algorithm: &Algorithm, test: &Test) -> Option<Vec<u8>> {
    let splits = test.tag.is_empty() || test.tag.len() == algorithm.tag_bytes();
    splits.then(|| [&test.ct[..], &test.tag].concat())
}

fn open(algorithm: &Algorithm, test: &Test) -> Opened {
    let opened = sealed(algorithm, test).and_then(|sealed| {
        AnyAead::new(algorithm, &test.key).ok()?.open(&test.iv, &test.aad, &sealed).ok()
    });
    match opened {
        None => Opened::Refused,
        Some(message) if message == test.msg => Opened::Message,
        Some(_) => Opened::Other,
    }
}

fn verify(algorithm: &Algorithm, test: &Test) -> Opened {
    let mac = AnyMac::new(algorithm, &test.key);
    match mac.and_then(|mac| mac.verify(&test.iv, &test.msg, &test.tag)) {
        Ok(()) => Opened::Message,
        Err(_) => Opened::Refused,
    }
}

fn seals(kind: Kind, algorithm: &Algorithm, test: &Test) -> bool {
    match kind {
        Kind::Aead => AnyAead::new(algorithm, &test.key)
            .and_then(|aead| aead.seal(&test.iv, &test.aad, &test.msg))
            .is_ok_and(|sealed| {
                let split = if test.tag.is_empty() { sealed.len() } else { test.msg.len() };
                sealed.split_at_checked(split) == Some((&test.ct, &test.tag))
            }),
        _ => AnyMac::new(algorithm, &test.key)
            .and_then(|mac| mac.mac(&test.iv, &test.msg))
            .is_ok_and(|tag| tag == test.tag),
    }
}
