//! Counters that wrap, in messages that arrive in pieces.

use aead::{Key, Nonce};
use polyseal::aead;
use polyseal::aead::consts::U16;
use polyseal::gcm::{Aes256, Gcm};
use polyseal::testing::Backend;

/// Counters wrap within 32 bits however the message is cut.
#[test]
fn counters_wrap_between_pieces() {
    type Hashed = Gcm<Aes256, U16>;
    let file = include_str!("../../../../vectors/aes-256-gcm.json");
    let file: serde_json::Value = serde_json::from_str(file).expect("JSON");
    let groups = file["testGroups"].as_array().expect("groups");
    let wrapping: Vec<_> = groups
        .iter()
        .filter(|group| group["ivSize"] == 128)
        .flat_map(|group| group["tests"].as_array().expect("tests"))
        .filter(|test| test["flags"].as_array().is_some_and(|f| f.contains(&"CounterWrap".into())))
        .collect();
    assert!(wrapping.len() >= 14, "only {} messages wrap", wrapping.len());
    for test in wrapping {
        let bytes = |name| super::field(test, name);
        let (key, nonce, ad) = (bytes("key"), bytes("iv"), bytes("aad"));
        let key: &Key<Hashed> = key[..].try_into().expect("a key");
        let nonce: &Nonce<Hashed> = nonce[..].try_into().expect("a nonce");
        for backend in Backend::available() {
            for piece_bytes in [1, 7, 16, 31, 33, 64, 240, 600] {
                let cipher = Hashed::with_backend(key, backend);
                let mut encryptor = cipher.encryptor(nonce, &ad).expect("an encryptor");
                let mut message = bytes("msg");
                for piece in message.chunks_mut(piece_bytes) {
                    encryptor.update(piece.into()).expect("an update");
                }
                let name = format!("{} on {}", test["comment"], backend.name());
                assert_eq!(message, bytes("ct"), "{name}");
                assert_eq!(encryptor.finalize()[..], bytes("tag"), "{name}");
            }
        }
    }
}
