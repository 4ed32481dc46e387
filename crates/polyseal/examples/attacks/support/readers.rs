//! One ciphertext with one tag of GCM for two readers, each of whom finds a text of the attacker's
//! choice in it.
//!
//! A reader is a key with a nonce, both known to the attacker. GCM's tag is T = GHASH_H(A, C) ⊕ E,
//! where H and E follow from key and nonce. The texts go into different parts of C, encrypted with
//! one key stream each; what either reader makes of the other's part is noise. That T shall be the
//! same for both is one equation, linear in any one block of C: the last one is solved for it.

use polyseal::any::AnyAead;
use polyseal::registry::Algorithm;

use super::field::{block, ghash, inverse, multiply, square, square_root};

/// A key and a nonce of a scheme that is GCM inside, with T at the beginning of its tag.
pub(crate) struct Reader {
    aead: AnyAead,
    nonce: Vec<u8>,
    h: u128,
    e: u128,
}

impl Reader {
    /// H and E come from tags that the scheme itself makes, so it does not matter how it derives
    /// GCM's key: the tags of two blocks of associated data differ by their difference times H².
    pub(crate) fn new(algorithm: &Algorithm, key: &[u8], nonce: &[u8]) -> Self {
        let aead = AnyAead::new(algorithm, key).expect("a key");
        let nonce = nonce.to_vec();
        let mut reader = Self { aead, nonce, h: 0, e: 0 };
        let one = [&[0x80][..], &[0; 15]].concat();
        let (_, tag_of_zero) = reader.seal(&[0; 16], &[]);
        let (_, tag_of_one) = reader.seal(&one, &[]);
        reader.h = square_root(tag_of_zero ^ tag_of_one);
        reader.e = tag_of_zero ^ ghash(reader.h, &[0; 16], &[]);
        reader
    }

    /// C and T.
    pub(crate) fn seal(&self, ad: &[u8], message: &[u8]) -> (Vec<u8>, u128) {
        let mut sealed = self.aead.seal(&self.nonce, ad, message).expect("sealed");
        let tag = sealed.split_off(message.len());
        (sealed, block(&tag[..16]))
    }

    /// C's decryption, whatever the tag is.
    pub(crate) fn decrypt(&self, ciphertext: &[u8]) -> Vec<u8> {
        let (key_stream, _) = self.seal(&[], &vec![0; ciphertext.len()]);
        ciphertext.iter().zip(key_stream).map(|(c, k)| c ^ k).collect()
    }

    fn tag(&self, ad: &[u8], ciphertext: &[u8]) -> u128 {
        ghash(self.h, ad, ciphertext) ^ self.e
    }
}

/// C and T for both `readers`. C begins with `start`; then come the first reader's text, the
/// second's, and the block that is solved for.
pub(crate) fn ciphertext_for_both(
    readers: [&Reader; 2],
    ad: &[u8],
    start: &[u8],
    texts: [&str; 2],
) -> (Vec<u8>, [u8; 16]) {
    let mut ciphertext = start.to_vec();
    for (reader, text) in readers.iter().zip(texts) {
        let from = ciphertext.len();
        let whole = [&vec![0; from], text.as_bytes()].concat();
        ciphertext.extend_from_slice(&reader.decrypt(&whole)[from..]);
    }
    ciphertext.resize(ciphertext.len().next_multiple_of(16) + 16, 0);
    // T is the block times H² and what it is for a block of zeros.
    let [tag1, tag2] = readers.map(|reader| reader.tag(ad, &ciphertext));
    let [power1, power2] = readers.map(|reader| square(reader.h));
    let solved = multiply(tag1 ^ tag2, inverse(power1 ^ power2));
    let last = ciphertext.len() - 16;
    ciphertext[last..].copy_from_slice(&solved.to_be_bytes());
    (ciphertext, (tag1 ^ multiply(solved, power1)).to_be_bytes())
}
