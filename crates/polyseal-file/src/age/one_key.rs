//! Wrapping a file key under a key that is used once: X25519, scrypt and ssh-ed25519 stanzas.
//!
//! Source: c2sp.org/age: ChaCha20-Poly1305 with a nonce of zeros.
//!
//! Security claim: the key must be new each time. A body has one length, checked before it is
//! opened: a longer one could be made to open under many keys.

use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305::{ChaCha20Poly1305, Nonce, Tag};
use zeroize::Zeroizing;

use super::{FILE_KEY_BYTES, FileKey};

const TAG_BYTES: usize = 16;

/// The length of a body, in bytes.
pub(super) const BODY_BYTES: usize = FILE_KEY_BYTES + TAG_BYTES;

pub(super) type WrappingKey = Zeroizing<[u8; 32]>;

/// `HKDF-SHA-256(ikm, salt, info)`, 32 bytes.
pub(super) fn derive(ikm: &[u8], salt: &[u8], info: &[u8]) -> crate::Result<WrappingKey> {
    let mut key = Zeroizing::new([0; 32]);
    crate::kdf::derive(ikm, salt, &[info], key.as_mut_slice())?;
    Ok(key)
}

pub(super) fn wrap(key: &WrappingKey, file_key: &FileKey) -> crate::Result<Vec<u8>> {
    let mut body = Vec::with_capacity(BODY_BYTES);
    body.extend_from_slice(file_key.expose_secret());
    let tag = ChaCha20Poly1305::new((&**key).into())
        .encrypt_inout_detached(&Nonce::default(), b"", body.as_mut_slice().into())
        .map_err(|_| crate::Error::Cipher(polyseal::Error::Parameter))?;
    body.extend_from_slice(&tag);
    Ok(body)
}

/// The file key; `None` if it was wrapped under another key, or altered.
pub(super) fn unwrap(key: &WrappingKey, body: &[u8; BODY_BYTES]) -> Option<FileKey> {
    let (sealed, tag) = body.split_at(FILE_KEY_BYTES);
    let tag = Tag::try_from(tag).ok()?;
    FileKey::try_init_with_mut(|file_key| {
        file_key.copy_from_slice(sealed);
        ChaCha20Poly1305::new((&**key).into()).decrypt_inout_detached(
            &Nonce::default(),
            b"",
            file_key.as_mut_slice().into(),
            &tag,
        )
    })
    .ok()
}
