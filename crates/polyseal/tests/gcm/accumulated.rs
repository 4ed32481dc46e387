//! XAES and KC-XAES over thousands of messages of any length, as one hash.
//!
//! Ten thousand messages; `POLYSEAL_ACCUMULATED=1000000` in the environment takes as many as that
//! (some minutes). The vectors must have the answer for at least one of the two.

use std::env;

use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, aead_on};
use shake::Shake128;
use shake::digest::{ExtendableOutput, Update, XofReader};

use super::{field, internal};

/// Whether there is an answer for so many messages, which then is the right one.
fn accumulate(id: &str, messages: &str) -> bool {
    let expected = field(&internal("xaes-accumulated.json")[id], messages);
    if expected.is_empty() {
        return false;
    }
    let count: u32 = messages.parse().expect("a number of messages");
    let algorithm: Algorithm = id.parse().expect(id);
    for backend in Backend::available() {
        let mut random = Shake128::default().finalize_xof();
        let mut take = |bytes: usize| {
            let mut taken = vec![0; bytes];
            random.read(&mut taken);
            taken
        };
        let mut sum = Shake128::default();
        for _ in 0..count {
            let (key, nonce) = (take(32), take(24));
            let bytes = take(1)[0];
            let message = take(bytes.into());
            let bytes = take(1)[0];
            let ad = take(bytes.into());
            let aead = aead_on(&algorithm, &key, backend).expect("a key");
            let sealed = aead.seal(&nonce, &ad, &message).expect("sealing");
            assert_eq!(aead.open(&nonce, &ad, &sealed), Ok(message), "on {}", backend.name());
            sum.update(&sealed);
        }
        let mut actual = [0; 32];
        sum.finalize_xof().read(&mut actual);
        assert_eq!(actual[..], expected, "{id} on {}", backend.name());
    }
    true
}

#[test]
fn thousands_of_messages() {
    let messages = env::var("POLYSEAL_ACCUMULATED").unwrap_or("10000".to_owned());
    let answers = ["xaes-256-gcm", "kc-xaes-256-gcm"].map(|id| accumulate(id, &messages));
    assert!(answers.contains(&true), "no answer for {messages} messages");
}
