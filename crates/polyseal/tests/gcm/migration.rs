//! The code that `docs/migration.md` has on the crates `aes-gcm` and `aes-gcm-siv`.
//! `crates/polyseal-cli/tests/pages` checks that the page has this code.

use polyseal::aead;

/// Seals and opens as the page does.
fn as_on_the_page(key: [u8; 32], nonce: [u8; 12]) -> aead::Result<Vec<u8>> {
    let (key, nonce) = (key.into(), nonce.into());

    use polyseal::aead::{Aead, KeyInit, Payload};
    use polyseal::gcm::Aes256Gcm; // was: use aes_gcm::Aes256Gcm;

    let cipher = Aes256Gcm::new(&key);
    let sealed = cipher.encrypt(&nonce, Payload { msg: b"message", aad: b"header" })?;
    let opened = cipher.decrypt(&nonce, Payload { msg: &sealed, aad: b"header" })?;

    assert_eq!(opened, b"message");
    Ok(sealed)
}

#[test]
fn each_opens_what_the_other_sealed() -> aead::Result<()> {
    use aes_gcm::Aes256Gcm;
    use polyseal::aead::{Aead, KeyInit, Payload};

    let ours = as_on_the_page([7; 32], [1; 12])?;
    let theirs = Aes256Gcm::new(&[7; 32].into());
    let nonce = [1; 12].into();
    let payload = Payload { msg: &b"message"[..], aad: b"header" };
    assert_eq!(theirs.encrypt(&nonce, payload)?, ours);
    let opened = theirs.decrypt(&nonce, Payload { msg: &ours, aad: b"header" })?;
    assert_eq!(opened, b"message");
    Ok(())
}

/// Seals and opens as the page does.
fn siv_as_on_the_page(key: [u8; 32], nonce: [u8; 12]) -> aead::Result<Vec<u8>> {
    let (key, nonce) = (key.into(), nonce.into());

    use polyseal::aead::{Aead, KeyInit, Payload};
    use polyseal::gcm::Aes256GcmSiv; // was: use aes_gcm_siv::Aes256GcmSiv;

    let cipher = Aes256GcmSiv::new(&key);
    let sealed = cipher.encrypt(&nonce, Payload { msg: b"message", aad: b"header" })?;
    let opened = cipher.decrypt(&nonce, Payload { msg: &sealed, aad: b"header" })?;

    assert_eq!(opened, b"message");
    Ok(sealed)
}

#[test]
fn each_opens_what_the_other_sealed_with_siv() -> aead::Result<()> {
    use aes_gcm_siv::Aes256GcmSiv;
    use polyseal::aead::{Aead, KeyInit, Payload};

    let ours = siv_as_on_the_page([7; 32], [1; 12])?;
    let theirs = Aes256GcmSiv::new(&[7; 32].into());
    let nonce = [1; 12].into();
    let payload = Payload { msg: &b"message"[..], aad: b"header" };
    assert_eq!(theirs.encrypt(&nonce, payload)?, ours);
    let opened = theirs.decrypt(&nonce, Payload { msg: &ours, aad: b"header" })?;
    assert_eq!(opened, b"message");
    Ok(())
}
