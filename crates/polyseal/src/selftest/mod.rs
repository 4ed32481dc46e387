//! Known answers, callable: is this build right on this machine?
//!
//! Every algorithm of the registry, on every back end of this CPU, seals one message of 1543 bytes,
//! must give the answer that the slow reference implementation gave, must open it, and must refuse
//! it once a bit is changed. Takes a few milliseconds.
//!
//! ```
//! for outcome in polyseal::selftest::run() {
//!     assert!(outcome.passed, "{} on {}", outcome.algorithm, outcome.backend);
//! }
//! ```

mod answers;

use alloc::vec::Vec;

use crate::any::{AnyAead, AnyMac};
use crate::backend::Backend;
use crate::error::{Error, Result};
use crate::registry::{Algorithm, Kind};

/// The result of one algorithm on one back end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// The algorithm, in its textual form.
    pub algorithm: &'static str,
    /// The back end's name.
    pub backend: &'static str,
    /// Whether every answer was right.
    pub passed: bool,
}

/// Tests everything; returns an outcome for each algorithm and back end.
#[must_use]
pub fn run() -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for &(algorithm, answer) in answers::ANSWERS {
        if !COMPLETE && algorithm.parse::<Algorithm>().is_err() {
            continue;
        }
        for backend in Backend::available() {
            // A name that the registry does not know is a failure, not something to pass over.
            let passed = algorithm.parse().and_then(|a| check(&a, answer, backend)).is_ok();
            outcomes.push(Outcome { algorithm, backend: backend.name(), passed });
        }
    }
    outcomes
}

/// Tests everything and reports the first failure.
///
/// # Errors
/// [`Error::SelfTest`] if any answer is wrong.
pub fn check_all() -> Result<()> {
    let outcomes = run();
    expect(!outcomes.is_empty() && outcomes.iter().all(|outcome| outcome.passed))
}

/// Whether every family is a feature of this build.
const COMPLETE: bool = cfg!(all(
    feature = "aegis",
    feature = "gcm",
    feature = "ctx",
    feature = "flex",
    feature = "omd",
    feature = "papers"
));

/// `start, start + step, …` modulo `modulus`.
fn pattern(bytes: usize, start: usize, step: usize, modulus: usize) -> Vec<u8> {
    (0..bytes).map(|i| ((start + step * i) % modulus) as u8).collect()
}

fn check(algorithm: &Algorithm, answer: &str, backend: Backend) -> Result<()> {
    let key = pattern(algorithm.key_bytes(), 0, 1, 256);
    let nonce = pattern(algorithm.nonce_bytes(), 128, 1, 256);
    let ad = pattern(40, 0, 3, 256);
    let message = pattern(1543, 0, 1, 251);
    match algorithm.family().identity.kind {
        Kind::Mac => {
            let mac = AnyMac::on(algorithm, &key, backend)?;
            let mut tag = mac.mac(&nonce, &message)?;
            expect(is_hex(&tag, answer))?;
            mac.verify(&nonce, &message, &tag)?;
            tag[0] ^= 1;
            expect(mac.verify(&nonce, &message, &tag).is_err())
        }
        Kind::Aead => {
            let aead = AnyAead::on(algorithm, &key, backend)?;
            let mut sealed = aead.seal(&nonce, &ad, &message)?;
            expect(is_hex(&sealed[message.len() - 16..], answer))?;
            expect(aead.open(&nonce, &ad, &sealed)? == message)?;
            sealed[0] ^= 1;
            expect(aead.open(&nonce, &ad, &sealed).is_err())
        }
    }
}

fn expect(condition: bool) -> Result<()> {
    if condition { Ok(()) } else { Err(Error::SelfTest) }
}

/// Whether `hex` spells `bytes`.
fn is_hex(bytes: &[u8], hex: &str) -> bool {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16);
    hex.len() == 2 * bytes.len()
        && bytes
            .iter()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
            .eq(hex.chars().map(Some))
}
