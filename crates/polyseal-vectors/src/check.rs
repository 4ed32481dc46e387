//! One test: what sealing and opening must give.
//!
//! valid: sealing gives exactly ciphertext and tag, and opening them gives the message.
//! invalid: opening fails, be it for a length; sealing is not tried. acceptable: either.

use polyseal::aead::KeyInit;
use polyseal::any::{AnyAead, AnyMac};
use polyseal::gcm::{Aes128, Aes256, Cmac};
use polyseal::registry::Algorithm;

use crate::schema::{Expected, Instance, Test};

/// Nothing, or why a test failed.
pub type Verdict = Result<(), &'static str>;

/// The result of opening.
pub(crate) enum OpenResult {
    Refused,
    Message,
    /// Something was accepted, but not as the message of the test.
    Other,
}

/// Decides `test`.
pub(crate) fn check(instance: &Instance, test: &Test) -> Verdict {
    let opened = match instance {
        Instance::Aead(algorithm) => open(algorithm, test),
        Instance::Mac(algorithm) => verify(algorithm, test),
        #[cfg(feature = "flex")]
        Instance::Flex(instance) => instance.open(test),
        Instance::Cmac { .. } if seals(instance, test) => OpenResult::Message,
        Instance::Cmac { .. } | Instance::None | Instance::Skipped(_) => OpenResult::Refused,
    };
    if test.result == Expected::Valid && !seals(instance, test) {
        return Err("sealing gives something else");
    }
    match (test.result, opened) {
        (Expected::Valid, OpenResult::Message)
        | (Expected::Invalid, OpenResult::Refused)
        | (Expected::Acceptable, OpenResult::Message | OpenResult::Refused) => Ok(()),
        (Expected::Valid, OpenResult::Refused) => Err("valid, but opening fails"),
        (Expected::Invalid, _) => Err("invalid, but opening succeeds"),
        (_, OpenResult::Other) => Err("opening gives something else"),
    }
}

/// The ciphertext and tag as one; `None` if the tag has a length that the algorithm does not have.
/// A test whose tag is empty has everything in `ct`.
fn sealed(algorithm: &Algorithm, test: &Test) -> Option<Vec<u8>> {
    let splits = test.tag.is_empty() || test.tag.len() == algorithm.tag_bytes();
    splits.then(|| [&test.ct[..], &test.tag].concat())
}

fn open(algorithm: &Algorithm, test: &Test) -> OpenResult {
    let opened = sealed(algorithm, test).and_then(|sealed| {
        AnyAead::new(algorithm, &test.key).ok()?.open(&test.iv, &test.aad, &sealed).ok()
    });
    match opened {
        None => OpenResult::Refused,
        Some(message) if message == test.msg => OpenResult::Message,
        Some(_) => OpenResult::Other,
    }
}

fn verify(algorithm: &Algorithm, test: &Test) -> OpenResult {
    let mac = AnyMac::new(algorithm, &test.key);
    match mac.and_then(|mac| mac.verify(&test.iv, &test.msg, &test.tag)) {
        Ok(()) => OpenResult::Message,
        Err(_) => OpenResult::Refused,
    }
}

/// Whether sealing gives ciphertext and tag.
fn seals(instance: &Instance, test: &Test) -> bool {
    match instance {
        Instance::Aead(algorithm) => AnyAead::new(algorithm, &test.key)
            .and_then(|aead| aead.seal(&test.iv, &test.aad, &test.msg))
            .is_ok_and(|sealed| {
                let split = if test.tag.is_empty() { sealed.len() } else { test.msg.len() };
                sealed.split_at_checked(split) == Some((&test.ct, &test.tag))
            }),
        Instance::Mac(algorithm) => AnyMac::new(algorithm, &test.key)
            .and_then(|mac| mac.mac(&test.iv, &test.msg))
            .is_ok_and(|tag| tag == test.tag),
        #[cfg(feature = "flex")]
        Instance::Flex(instance) => instance.seals(test),
        Instance::Cmac { key_bytes, tag_bytes } => {
            cmac(*key_bytes, test).is_some_and(|tag| tag[..*tag_bytes] == test.tag)
        }
        Instance::None | Instance::Skipped(_) => false,
    }
}

fn cmac(key_bytes: usize, test: &Test) -> Option<[u8; 16]> {
    Some(match key_bytes {
        16 => Cmac::<Aes128>::new_from_slice(&test.key).ok()?.mac(&test.msg),
        _ => Cmac::<Aes256>::new_from_slice(&test.key).ok()?.mac(&test.msg),
    })
}
