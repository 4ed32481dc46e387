//! CTX over AES-256-GCM, put together from a library's parts; the same bytes as our own.
//!
//! K: the key; N: the nonce; T: GCM's tag; T* = HMAC-SHA256(K, N ‖ T ‖ AD): CTX's.

use core::ops::Range;

use subtle::ConstantTimeEq;

use crate::contender::Aead;
use crate::ring::{Key, Nonce, Tag};

/// HMAC-SHA256 under K.
pub(super) trait Prf {
    fn rekey(&mut self, key: &Key);

    /// The output for the parts, joined.
    fn output(&self, parts: [&[u8]; 3]) -> [u8; 32];
}

/// AES-256-GCM with T* in the place of T.
///
/// Opening needs T before T* can be checked, and no library here gives out the T that it computes
/// when it opens. So T stands behind T*, where nobody else sees it, and is verified by GCM: in time
/// that is the same as opening CTX, and no more.
pub(super) struct Ctx<P, G> {
    pub(super) prf: P,
    pub(super) gcm: G,
}

const NONCE_BYTES: usize = 12;
const T_STAR: Range<usize> = 0..32;
const T: Range<usize> = 32..48;

impl<P: Prf, G> Ctx<P, G> {
    #[inline]
    fn star(&self, nonce: &Nonce, t: &[u8], ad: &[u8]) -> [u8; 32] {
        self.prf.output([&nonce[..NONCE_BYTES], t, ad])
    }
}

impl<P: Prf, G: Aead> Aead for Ctx<P, G> {
    #[inline(always)]
    fn rekey(&mut self, key: &Key) {
        self.prf.rekey(key);
        self.gcm.rekey(key);
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        self.gcm.seal(nonce, ad, message, tag);
        tag.copy_within(..T.len(), T.start);
        let star = self.star(nonce, &tag[T], ad);
        tag[T_STAR].copy_from_slice(&star);
    }

    #[inline(always)]
    fn open(
        &mut self,
        nonce: &Nonce,
        ad: &[u8],
        sealed: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> bool {
        let mut inner = [0; size_of::<Tag>()];
        inner[..T.len()].copy_from_slice(&tag[T]);
        let authentic = self.gcm.open(nonce, ad, sealed, &inner, message);
        authentic & bool::from(self.star(nonce, &tag[T], ad).ct_eq(&tag[T_STAR]))
    }
}

/// A library's bare SHA-256.
pub(super) trait Hash: Clone {
    fn new() -> Self;
    fn update(&mut self, input: &[u8]);
    fn finish(self) -> [u8; 32];
}

/// HMAC from a bare hash, without what a library's own spends on choosing one. Both states have
/// taken the key.
pub(super) struct Hmac<H> {
    inner: H,
    outer: H,
}

impl<H: Hash> Hmac<H> {
    pub(super) fn new(key: &Key) -> Self {
        let padded = |pad: u8| {
            let mut block = [pad; 64];
            block.iter_mut().zip(&key[..32]).for_each(|(byte, key)| *byte ^= key);
            let mut hash = H::new();
            hash.update(&block);
            hash
        };
        Self { inner: padded(0x36), outer: padded(0x5c) }
    }
}

impl<H: Hash> Prf for Hmac<H> {
    #[inline(always)]
    fn rekey(&mut self, key: &Key) {
        *self = Self::new(key);
    }

    #[inline]
    fn output(&self, parts: [&[u8]; 3]) -> [u8; 32] {
        let (mut inner, mut outer) = (self.inner.clone(), self.outer.clone());
        parts.iter().for_each(|part| inner.update(part));
        outer.update(&inner.finish());
        outer.finish()
    }
}
