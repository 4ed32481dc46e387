//! Every derivation of the format, in one place: HKDF-SHA-256 (RFC 5869) and HMAC-SHA-256.
//!
//! Source: `docs/spec/file-format.md`, sections 4 to 6 and 14; `docs/spec/manifest.md`, section 5.
//!
//! Security claim: outputs under different labels, salts or contexts are independent as long as
//! the input key is secret, and finding two input keys with one output of 32 bytes costs 2^128.

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::error::{Error, Result};

/// The length in bytes of a MAC.
pub(crate) const MAC_BYTES: usize = 32;

/// Label of the key that authenticates the header.
pub(crate) const HEADER_LABEL: &[u8] = b"polyseal-file/1 header";
/// Label of the tag that says which context a file is bound to.
pub(crate) const CONTEXT_LABEL: &[u8] = b"polyseal-file/1 context";
/// Label of the key that encrypts the payload.
pub(crate) const PAYLOAD_LABEL: &[u8] = b"polyseal-file/1 payload";
/// Label of the commitment to the file key in a manifest.
pub(crate) const COMMITMENT_LABEL: &[u8] = b"polyseal-manifest/2 file key";
/// Label of the same in a statement.
pub(crate) const HOLDER_LABEL: &[u8] = b"polyseal-statement/1 holder";
/// Label of the key that authenticates tickets for sealing in parts.
pub(crate) const TICKET_LABEL: &[u8] = b"polyseal-file/1 ticket";
/// Label of the keys that wrap a file key in a stanza.
pub(crate) const STANZA_LABEL: &[u8] = b"polyseal-file/1 stanza";

/// `out = HKDF-SHA-256(key, salt, info)`, where `info` is given in parts.
pub(crate) fn derive(key: &[u8], salt: &[u8], info: &[&[u8]], out: &mut [u8]) -> Result<()> {
    Hkdf::<Sha256>::new(Some(salt), key)
        .expand_multi_info(info, out)
        .map_err(|_| Error::Cipher(polyseal::Error::Parameter))
}

/// HMAC-SHA-256 of `parts`, one after the other.
pub(crate) fn mac(key: &[u8; MAC_BYTES], parts: &[&[u8]]) -> [u8; MAC_BYTES] {
    // HMAC pads a short key with zeros to a block of the hash; doing so here leaves no error.
    let mut block = Zeroizing::new([0; 64]);
    block[..MAC_BYTES].copy_from_slice(key);
    let mut mac = Hmac::<Sha256>::new((&*block).into());
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// Whether `tag` is that MAC, compared in constant time.
pub(crate) fn verify(key: &[u8; MAC_BYTES], parts: &[&[u8]], tag: &[u8]) -> bool {
    mac(key, parts).ct_eq(tag).into()
}
