//! Seals messages under a random key, with random nonces that travel in front of the ciphertext.
//!
//!     cargo run -p polyseal --example seal_message

use polyseal::aead::{Error, Generate, Key, KeyInit};
use polyseal::gcm::KcXaes256Gcm;
use polyseal::random_nonce::RandomNonce;

fn main() -> Result<(), Error> {
    // Store it, and nothing else: 32 bytes.
    let key = Key::<KcXaes256Gcm>::generate();
    let cipher = KcXaes256Gcm::new(&key);

    let sealed = cipher.seal_random_nonce(b"chapter 1", b"It was a dark and stormy night.")?;
    println!("{} bytes: nonce, ciphertext, tag and commitment", sealed.len());

    let opened = cipher.open_random_nonce(b"chapter 1", &sealed)?;
    println!("{}", String::from_utf8_lossy(&opened));

    // The header is authentic, too, though it is not encrypted.
    assert!(cipher.open_random_nonce(b"chapter 2", &sealed).is_err());
    Ok(())
}
