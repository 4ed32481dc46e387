//! One ciphertext under two keys, with one nonce.

use polyseal::Error;
use polyseal::any::AnyAead;

use super::letters::{HEADER, LETTERS, body, read};
use super::readers::{Reader, ciphertext_for_both};
use super::schemes;

/// The result of the search.
pub(crate) struct Outcome {
    /// The letter that each key finds, or why it opens nothing.
    pub(crate) letters: [Result<String, Error>; 2],
    /// The letters that GCM finds, with its own tag, beneath what a scheme adds.
    pub(crate) within: [String; 2],
    pub(crate) ciphertext_bytes: usize,
}

/// The attack on the scheme called `name`. Against a commitment it does the best it can: T is right
/// under both keys, and the commitment is that of the first.
pub(crate) fn attack(name: &str) -> Outcome {
    let algorithm = schemes::algorithm(name);
    let keys = [1, 2].map(|byte| vec![byte; algorithm.key_bytes()]);
    let nonce = vec![3; algorithm.nonce_bytes()];
    let (inner, zeros) = schemes::inner(name);
    let readers = keys.each_ref().map(|key| Reader::new(&inner, key, &nonce));
    let [first, second] = &readers;

    let (start, _) = first.seal(HEADER, &vec![0; zeros]);
    let [text1, text2] = LETTERS.map(body);
    let (ciphertext, tag) = ciphertext_for_both([first, second], HEADER, &start, [&text1, &text2]);
    let within = readers.each_ref().map(|reader| {
        let message = reader.decrypt(&ciphertext);
        let (_, own_tag) = reader.seal(HEADER, &message);
        assert_eq!(own_tag.to_be_bytes(), tag, "{name}: T is not right under both keys");
        read(&message[zeros..]).expect("a letter").to_owned()
    });

    // Sealing is deterministic, so the first reader's own message has the ciphertext wanted.
    let [aead1, aead2] = keys.each_ref().map(|key| AnyAead::new(&algorithm, key).expect("a key"));
    let message = &first.decrypt(&ciphertext)[zeros..];
    let sealed = aead1.seal(&nonce, HEADER, message).expect("sealed");
    assert_eq!(sealed[..message.len()], ciphertext[zeros..], "{name}: another ciphertext");
    let letters = [&aead1, &aead2].map(|aead| {
        let message = aead.open(&nonce, HEADER, &sealed)?;
        Ok(read(&message).expect("a letter").to_owned())
    });
    Outcome { letters, within, ciphertext_bytes: sealed.len() }
}
