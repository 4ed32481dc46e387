//! One ciphertext under one key, with two nonces that have the same commitment.

use polyseal::any::AnyAead;

use super::letters::{HEADER, LETTERS, body, read};
use super::readers::{Reader, ciphertext_for_both};
use super::schemes;

pub(crate) const KEY: [u8; 32] = [1; 32];

/// The text to which each of `nonces` opens the same ciphertext of the scheme called `name`.
pub(crate) fn attack(name: &str, nonces: &[Vec<u8>; 2]) -> [polyseal::Result<String>; 2] {
    let algorithm = schemes::algorithm(name);
    let readers = nonces.each_ref().map(|nonce| Reader::new(&algorithm, &KEY, nonce));
    let [first, second] = &readers;
    let [text1, text2] = LETTERS.map(body);
    let (ciphertext, _) = ciphertext_for_both([first, second], HEADER, &[], [&text1, &text2]);
    let aead = AnyAead::new(&algorithm, &KEY).expect("a key");
    let message = first.decrypt(&ciphertext);
    let sealed = aead.seal(&nonces[0], HEADER, &message).expect("sealed");
    assert_eq!(sealed[..message.len()], ciphertext, "another ciphertext");
    nonces.each_ref().map(|nonce| {
        let message = aead.open(nonce, HEADER, &sealed)?;
        Ok(read(&message).expect("a letter").to_owned())
    })
}
