//! Messages of OMD leave nothing on the stack of the key, of chaining values, or of the right tag
//! of a forgery.

use polyseal::any::AnyAead;
use polyseal::batch::{Batch, Message};
use polyseal::registry::Algorithm;
use polyseal::testing::{Backend, aead_on};

use super::{LONG_KEY, leaves};

/// The bytes of a word of each family.
const FAMILIES: [(&str, usize); 3] = [("omd-sha256", 4), ("omd-sha512", 8), ("omd-blake2b", 8)];
const AD: &[u8] = b"associated data";

/// The first 16 bytes as they are, and as words of `word` bytes lie in memory that begin with their
/// most significant byte.
fn both_orders(secret: &[u8], word: usize) -> [Vec<u8>; 2] {
    let first = secret[..16].to_vec();
    let turned = first.chunks(word).flat_map(|word| word.iter().rev().copied()).collect();
    [first, turned]
}

/// K, and the chaining values of the first two blocks under `nonce`: the key stream of zeros.
fn secrets(aead: &AnyAead, nonce: &[u8], word: usize) -> Vec<Vec<u8>> {
    let n = 8 * word;
    let key_stream = aead.seal(nonce, AD, &vec![0; 2 * n]).expect("sealing");
    [&LONG_KEY[..], &key_stream[..n], &key_stream[n..2 * n]]
        .into_iter()
        .flat_map(|secret| both_orders(secret, word))
        .collect()
}

/// Every call, with the secrets that it must not leave behind: each family on each back end.
fn each(call: impl Fn(&AnyAead, &[u8], &[Vec<u8>], usize, usize, &str)) {
    for (family, word) in FAMILIES {
        let algorithm: Algorithm = family.parse().expect(family);
        let nonce = vec![9; algorithm.nonce_bytes()];
        for backend in Backend::available() {
            let key = &LONG_KEY[..algorithm.key_bytes()];
            let aead = aead_on(&algorithm, key, backend).expect("an AEAD");
            let secrets = secrets(&aead, &nonce, word);
            for length in [0, 5, 8 * word, 24 * word + 1] {
                let name = format!("{family}: {length} bytes on {}", backend.name());
                call(&aead, &nonce, &secrets, word, length, &name);
            }
        }
    }
}

fn slices(secrets: &[Vec<u8>]) -> Vec<&[u8]> {
    secrets.iter().map(Vec::as_slice).collect()
}

#[test]
fn messages_of_omd_leave_nothing() {
    each(|aead, nonce, secrets, _, length, name| {
        let mut message = vec![0x5a; length];
        let mut tag = vec![0; aead.algorithm().tag_bytes()];
        let seal = || {
            let buffer = message.as_mut_slice().into();
            aead.seal_inout_detached(nonce, AD, buffer, &mut tag).expect("sealing");
        };
        assert!(!leaves(&slices(secrets), seal), "sealing {name}");
        let open = || {
            let buffer = message.as_mut_slice().into();
            aead.open_inout_detached(nonce, AD, buffer, &tag).expect("opening");
        };
        assert!(!leaves(&slices(secrets), open), "opening {name}");
        assert_eq!(message, vec![0x5a; length], "{name}");
    });
}

/// Nor of the tag that would have been right.
#[test]
fn forgeries_of_omd_leave_nothing() {
    each(|aead, nonce, secrets, word, length, name| {
        let mut sealed = aead.seal(nonce, AD, &vec![0x5a; length]).expect("sealing");
        let right = sealed[length..].to_vec();
        sealed[length..].fill(0xee);
        let secrets = [secrets, &both_orders(&right, word)].concat();
        let (body, tag) = sealed.split_at_mut(length);
        let open = || {
            assert!(aead.open_inout_detached(nonce, AD, (&mut *body).into(), tag).is_err());
        };
        assert!(!leaves(&slices(&secrets), open), "{name}");
        assert_eq!(body, vec![0; length], "{name}");
    });
}

/// 16 bytes of a word beside itself, as lanes have it that compute the same, for every secret's
/// first word.
fn in_lanes(secrets: &[Vec<u8>], word: usize) -> Vec<Vec<u8>> {
    secrets.iter().map(|secret| secret[..word].repeat(16 / word)).collect()
}

/// Five messages that are the same, and the last of them refused.
#[test]
fn batches_of_omd_leave_nothing() {
    each(|aead, nonce, secrets, word, length, name| {
        for count in [1, 5] {
            let right =
                aead.seal(nonce, AD, &vec![0x5a; length]).expect("sealing").split_off(length);
            let secrets = [secrets, &in_lanes(secrets, word), &both_orders(&right, word)].concat();
            let mut buffers = vec![vec![0x5a; length]; count];
            let mut tags = vec![vec![0; right.len()]; count];
            let each = buffers.iter_mut().zip(&mut tags);
            let mut messages: Vec<_> =
                each.map(|(buffer, tag)| Message::new(nonce, AD, buffer, tag)).collect();
            // A tag that has been written is no secret.
            let unwritten = &secrets[..secrets.len() - 2];
            let seal = || aead.seal_batch(&mut messages).expect("sealing");
            assert!(!leaves(&slices(unwritten), seal), "sealing {name}");
            messages[count - 1].tag.fill(0xee);
            let open = || assert!(aead.open_batch(&mut messages).is_err());
            assert!(!leaves(&slices(&secrets), open), "opening {name}");
            assert_eq!(buffers.pop(), Some(vec![0; length]), "{name}");
            assert_eq!(buffers, vec![vec![0x5a; length]; count - 1], "{name}");
        }
    });
}
