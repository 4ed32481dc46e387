//! KC-XAES under one key with nonces of two lengths, as nobody should use it: it takes two types.

use polyseal::aead::array::Array;
use polyseal::aead::consts::{U20, U24};
use polyseal::aead::{self, Aead, KeyInit};
use polyseal::gcm::{KcXaes256GcmNonce, NonceBytes};

pub(crate) const KEY: [u8; 32] = [7; 32];

/// N, and N' = N[0:12] ‖ N[8:20]: they have the same U and V.
pub(crate) fn nonces() -> (Array<u8, U20>, Array<u8, U24>) {
    let n: [u8; 20] = core::array::from_fn(|i| i as u8);
    (Array(n), Array(core::array::from_fn(|i| if i < 12 { n[i] } else { n[i - 4] })))
}

pub(crate) fn seal<N: NonceBytes>(nonce: &Array<u8, N>, message: &[u8]) -> Vec<u8> {
    KcXaes256GcmNonce::<N>::new(&KEY.into()).encrypt(nonce, message).expect("sealed")
}

pub(crate) fn open<N: NonceBytes>(nonce: &Array<u8, N>, sealed: &[u8]) -> aead::Result<Vec<u8>> {
    KcXaes256GcmNonce::<N>::new(&KEY.into()).decrypt(nonce, sealed)
}
