//! CTX: a hash over key, nonce, associated data and tag in the place of the tag.
//!
//! Source: J. Chan, P. Rogaway, "On Committing Authenticated Encryption" (eprint 2022/1260). The
//! hash is HMAC-SHA256 under the AEAD's own key, over N ‖ T ‖ A: N and T have fixed lengths, so
//! that no two inputs are the same bytes. Security: CMT-4 as far as SHA-256 resists collisions, 128
//! bits; privacy and authenticity are the AEAD's. A repeated nonce costs what it costs there.
//!
//! The commitment is to a key of one length: HMAC fills a key of up to 64 bytes up with zeros, so
//! that to it K and K ‖ 0 are one key. Each AEAD here takes keys of one length only; never take one
//! tag for those of two AEADs.
//!
//! The associated data is hashed twice. The commitment cannot be checked without the key.

use aead::consts::U32;
use aead::inout::InOutBuf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroize;

use crate::backend::{Backend, wipe_stack};
use crate::contract::{Core, LongestInputs, is_right, rustcrypto};
use crate::inner_aead::InnerAead;

/// CTX over `A`: its key and nonce, and tags of 32 bytes. Keys are wiped on drop.
///
/// ```
/// use polyseal::aead::{AeadInOut, KeyInit};
/// use polyseal::commit::Ctx;
/// use polyseal::gcm::Aes256Gcm;
///
/// let cipher = Ctx::<Aes256Gcm>::new(&[1; 32].into());
/// let (nonce, mut buffer) = ([2; 12].into(), *b"attack at dawn");
/// let tag = cipher.encrypt_inout_detached(&nonce, b"header", buffer.as_mut_slice().into())?;
/// cipher.decrypt_inout_detached(&nonce, b"header", buffer.as_mut_slice().into(), &tag)?;
/// assert_eq!(&buffer, b"attack at dawn");
/// # Ok::<(), polyseal::aead::Error>(())
/// ```
pub struct Ctx<A: InnerAead> {
    aead: A,
    /// HMAC's state once it has taken the key; wipes itself.
    prf: Hmac<Sha256>,
}

impl<A: InnerAead> Ctx<A> {
    pub(crate) fn on(key: &[u8], backend: Backend) -> Self {
        let Ok(prf) = Hmac::new_from_slice(key) else { unreachable!("HMAC takes any key") };
        Self { aead: A::on(key, backend), prf }
    }

    /// Writes T* of T, which is wiped.
    #[inline(never)]
    fn star(&self, nonce: &[u8], ad: &[u8], tag: &mut [u8; 16], star: &mut [u8]) {
        let mut prf = self.prf.clone();
        prf.update(nonce);
        prf.update(tag);
        prf.update(ad);
        tag.zeroize();
        star.copy_from_slice(&prf.finalize().into_bytes());
    }

    /// The same, with nothing left on the stack where it is not `given`: one that is given is no
    /// secret. Not inlined, so that it reaches no deeper than it must.
    #[inline(never)]
    fn expected_star(
        &self,
        nonce: &[u8],
        ad: &[u8],
        tag: &mut [u8; 16],
        given: &[u8],
        star: &mut [u8],
    ) {
        self.star(nonce, ad, tag, star);
        if !is_right(star, given) {
            wipe_stack::<STACK_BYTES>();
        }
    }
}

/// As much as HMAC-SHA256 leaves on the stack, T* among it.
const STACK_BYTES: usize = 1 << 10;

impl<A: InnerAead> Core for Ctx<A> {
    type Tag = [u8; 32];

    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        let mut inner = self.aead.seal(nonce, ad, buffer);
        self.star(nonce, ad, &mut inner, tag);
    }

    fn decrypt(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        given: &[u8],
        expected: &mut [u8],
    ) {
        let mut inner = self.aead.open(nonce, ad, buffer);
        self.expected_star(nonce, ad, &mut inner, given, expected);
    }
}

impl<A: InnerAead + Clone> Clone for Ctx<A> {
    fn clone(&self) -> Self {
        Self { aead: self.aead.clone(), prf: self.prf.clone() }
    }
}

rustcrypto! {
    impl [A: InnerAead] Ctx<A> {
        name: "Ctx", key: A::KeySize, nonce: A::NonceSize, tag: U32,
        longest: LongestInputs { message: A::MAX_MESSAGE_BYTES, ad: A::MAX_AD_BYTES }
    }
}
