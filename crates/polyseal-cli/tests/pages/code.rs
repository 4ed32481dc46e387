//! The Rust code of the README and of `docs/migration.md`, run. Code that needs the crate `aes-gcm`
//! is in the core's tests.

use std::error::Error;

use super::{blocks, read};

type Result = std::result::Result<(), Box<dyn Error>>;

/// The lines of `text`, without what indents them.
fn flat(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim())).collect()
}

/// The core's README has the same, and its examples are tests of the core's documentation.
#[test]
fn the_readme_has_what_is_run() {
    let run = flat(&read("crates/polyseal/README.md"));
    let page = read("README.md");
    let blocks = blocks(&page, "rust");
    assert_eq!(blocks.len(), 1);
    assert!(run.contains(&flat(&blocks[0].join("\n"))), "this is not run");
}

/// No block on the page is other than what is run.
#[test]
fn the_page_has_what_is_run() {
    let run =
        flat(include_str!("code.rs")) + &flat(&read("crates/polyseal/tests/gcm/migration.rs"));
    let page = read("docs/migration.md");
    let blocks = blocks(&page, "rust");
    assert_eq!(blocks.len(), 5);
    for block in blocks {
        let block = flat(&block.join("\n"));
        assert!(run.contains(&block), "this is not run:\n{block}");
    }
}

#[test]
#[rustfmt::skip]
fn secretstream_becomes_a_file() -> Result {
    let plaintext = b"attack at dawn".repeat(100_000);

    use polyseal_file::{Decryptor, Encryptor, Identities, Input, Key, Output, Recipients};

    let key = Key::generate()?;
    let recipients = Recipients::new().key(key.clone());
    let encryptor = Encryptor::new(&recipients);
    let mut sealed = Vec::new();
    encryptor.encrypt(Input::Stream(&mut &plaintext[..]), Output::Stream(&mut sealed))?;

    let identities = Identities::new().key(key);
    let mut opened = Vec::new();
    let input = Input::Stream(&mut &sealed[..]);
    Decryptor::new(&identities).decrypt(input, Output::Stream(&mut opened))?;

    assert_eq!(opened, plaintext);
    Ok(())
}

#[test]
fn random_nonces_need_no_count() -> Result {
    use polyseal::aead::{Generate, Key, KeyInit};
    use polyseal::gcm::KcXaes256Gcm;
    use polyseal::random_nonce::RandomNonce;

    let cipher = KcXaes256Gcm::new(&Key::<KcXaes256Gcm>::generate());
    let sealed = cipher.seal_random_nonce(b"header", b"message")?; // nonce, ciphertext, tag
    let opened = cipher.open_random_nonce(b"header", &sealed)?;

    assert_eq!((opened.as_slice(), sealed.len()), (&b"message"[..], 7 + 72));
    Ok(())
}

#[test]
fn a_repeated_nonce_shows_equality_only() -> Result {
    use polyseal::aead::{Aead, Generate, Key, KeyInit, Nonce, Payload};
    use polyseal::flex::FlexCivPublic; // feature `flex`; or FlexCivPublicNonce<U12>, for 12 bytes

    let cipher = FlexCivPublic::new(&Key::<FlexCivPublic>::generate());
    let nonce = Nonce::<FlexCivPublic>::generate();
    let sealed = cipher.encrypt(&nonce, Payload { msg: b"message", aad: b"header" })?;
    let opened = cipher.decrypt(&nonce, Payload { msg: &sealed, aad: b"header" })?;

    assert_eq!((opened.as_slice(), nonce.len(), sealed.len()), (&b"message"[..], 24, 7 + 32));
    Ok(())
}
