//! The forgery with one known message, on the rules for empty inputs that allow it and on ours.

use polyseal::Error;
use polyseal::testing::Backend;

use super::{IDS, bytes, keyed};

/// The forgery from one message that the forger knows, sealed without associated data: the tag of
/// the empty message under the same nonce.
fn forged(text: &str, backend: Backend, message: usize) -> (Vec<u8>, Vec<u8>) {
    let aead = keyed(text, 1, backend);
    let (nonce, message) = (bytes(2, aead.algorithm().nonce_bytes()), bytes(3, message));
    let sealed = aead.seal(&nonce, b"", &message).expect(text);
    let tag = aead.algorithm().tag_bytes();
    (nonce, sealed.iter().zip(&message).take(tag).map(|(c, m)| c ^ m).collect())
}

#[test]
fn one_known_message_forges_on_the_legacy_rules_and_not_on_ours() {
    for backend in Backend::available() {
        for id in IDS {
            for (choice, falls) in
                [("rule=reference", true), ("version=1", true), ("version=2", false)]
            {
                for tag in [4, 16, 32] {
                    let text = format!("{id}:{choice},tag={tag}");
                    for message in [tag, 64, 200] {
                        let (nonce, tag) = forged(&text, backend, message);
                        let verdict = keyed(&text, 1, backend).open(&nonce, b"", &tag);
                        let expected = if falls { Ok(Vec::new()) } else { Err(Error::Unauthentic) };
                        assert_eq!(verdict, expected, "{text}, {message} bytes");
                    }
                }
            }
        }
    }
}

/// With associated data the key stream is not the tag, on either rule; and what is empty on one
/// side only has a tag of its own under our rule.
#[test]
fn empty_inputs_are_told_apart() {
    for id in IDS {
        let ours = keyed(id, 1, Backend::detect());
        let legacy = keyed(&format!("{id}:rule=reference"), 1, Backend::detect());
        let nonce = bytes(2, ours.algorithm().nonce_bytes());
        let n = ours.algorithm().tag_bytes();
        let seal = |aead: &polyseal::any::AnyAead, ad: usize, message: usize| {
            aead.seal(&nonce, &bytes(4, ad), &bytes(3, message)).expect(id)
        };
        for (ad, message) in [(0, 0), (0, 1), (0, n), (1, 0), (2 * n, 0)] {
            assert_ne!(seal(&ours, ad, message), seal(&legacy, ad, message), "{id} {ad} {message}");
        }
        for (ad, message) in [(1, 1), (2 * n, n), (2 * n + 1, 3 * n)] {
            assert_eq!(seal(&ours, ad, message), seal(&legacy, ad, message), "{id} {ad} {message}");
        }
        // The forger's tag, but for associated data.
        let (nonce, tag) = forged(id, Backend::detect(), n);
        for aead in [&ours, &legacy] {
            assert_eq!(aead.open(&nonce, b"a", &tag), Err(Error::Unauthentic));
        }
        // An empty input is not the padding that it is made into.
        let nothing = seal(&ours, 0, 0);
        let mut padded = vec![0; 2 * n];
        padded[0] = 0x80;
        for ad in [&padded[..], &padded[..n], &[0x80]] {
            assert_ne!(ours.seal(&nonce, ad, b"").expect(id), nothing, "{id}");
        }
        assert_ne!(ours.seal(&nonce, b"", &padded[..n]).expect(id)[n..], nothing, "{id}");
    }
}
