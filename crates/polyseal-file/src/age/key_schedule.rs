//! HPKE in base mode for one message, once a KEM gave the shared secret: HKDF-SHA256 and
//! ChaCha20-Poly1305.
//!
//! Source: RFC 9180, sections 4, 5.1 and 5.2, with an empty PSK and no additional data.
//!
//! Security claim: that of the KEM. Key and nonce are wiped.
//!
//! Limit: one message for each shared secret, because the nonce is that of the first.

use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305::{ChaCha20Poly1305, Tag};
use hkdf::{Hkdf, HkdfExtract};
use sha2::Sha256;
use zeroize::{Zeroize, Zeroizing};

pub(super) const TAG_BYTES: usize = 16;

const VERSION: &[u8] = b"HPKE-v1";

/// For what the crates below call fallible, and which is not: the lengths are right.
const IMPOSSIBLE: crate::Error = crate::Error::Cipher(polyseal::Error::Parameter);

/// The key and the nonce of the first message.
pub(super) struct OneMessage {
    pub(super) key: Zeroizing<[u8; 32]>,
    pub(super) nonce: Zeroizing<[u8; 12]>,
}

impl OneMessage {
    /// From what the KEM gave. `suite` is "HPKE" and the numbers of KEM, KDF and AEAD.
    pub(super) fn new(suite: &[u8], shared_secret: &[u8; 32], info: &[u8]) -> Self {
        let (psk_id_hash, _) = labeled_extract(suite, b"", b"psk_id_hash", b"");
        let (info_hash, _) = labeled_extract(suite, b"", b"info_hash", info);
        let context = [&[0], psk_id_hash.as_slice(), info_hash.as_slice()].concat();
        let (_, secret) = labeled_extract(suite, shared_secret, b"secret", b"");
        let (mut key, mut nonce) = (Zeroizing::new([0; 32]), Zeroizing::new([0; 12]));
        labeled_expand(suite, &secret, b"key", &[&context], key.as_mut_slice());
        labeled_expand(suite, &secret, b"base_nonce", &[&context], nonce.as_mut_slice());
        Self { key, nonce }
    }

    /// Encrypts `message` in place, and gives its tag.
    pub(super) fn seal(&self, message: &mut [u8]) -> crate::Result<[u8; TAG_BYTES]> {
        ChaCha20Poly1305::new((&*self.key).into())
            .encrypt_inout_detached((&*self.nonce).into(), b"", message.into())
            .map(Into::into)
            .map_err(|_| IMPOSSIBLE)
    }

    /// Decrypts `message` in place; `None` if the tag is not that of it.
    pub(super) fn open(&self, message: &mut [u8], tag: &[u8]) -> Option<()> {
        let tag = Tag::try_from(tag).ok()?;
        ChaCha20Poly1305::new((&*self.key).into())
            .decrypt_inout_detached((&*self.nonce).into(), b"", message.into(), &tag)
            .ok()
    }
}

pub(super) fn labeled_extract(
    suite: &[u8],
    salt: &[u8],
    label: &[u8],
    ikm: &[u8],
) -> (Zeroizing<[u8; 32]>, Hkdf<Sha256>) {
    let mut extract = HkdfExtract::<Sha256>::new(Some(salt));
    for part in [VERSION, suite, label, ikm] {
        extract.input_ikm(part);
    }
    let (mut prk, hkdf) = extract.finalize();
    let mut copy = Zeroizing::new([0; 32]);
    copy.copy_from_slice(&prk);
    prk.as_mut_slice().zeroize();
    (copy, hkdf)
}

pub(super) fn labeled_expand(
    suite: &[u8],
    prk: &Hkdf<Sha256>,
    label: &[u8],
    info: &[&[u8]],
    out: &mut [u8],
) {
    // Both lengths, 12 and 32, fit in a byte.
    let length = [0, out.len() as u8];
    let parts = [&[&length, VERSION, suite, label], info].concat();
    // Cannot fail: HKDF-SHA256 has 8160 bytes.
    let _ = prk.expand_multi_info(&parts, out);
}
