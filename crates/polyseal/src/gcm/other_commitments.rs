//! The schemes that eprint 2025/758 describes and does not choose: to compare with, and not for new
//! data.
//!
//! Source: its appendix C, and section 1, by which the commitment F_com goes with any nonce-derived
//! scheme. C.1 has the padding fix under the derived key. C.3 commits to 15 bytes of the nonce. In
//! the paper's words both are KBKDF and AES-GCM, and so they are put together here, from parts that
//! other algorithms have: slower than code of their own, which nobody should need.
//!
//! Security: F_com binds the key by theorem 1, whatever derives the keys of messages. That K_C
//! tells nothing about them is proven where no input of the derivation is one of F_com's: a nonce
//! of DNDK's version 2 that begins with "XCMT" is.

use core::marker::PhantomData;

use aead::Key;
use aead::array::Array;
use aead::consts::U48;
use aead::inout::InOutBuf;

use super::aes::Aes256;
use super::cmac::Cmac;
use super::kbkdf::{Counter, kbkdf};
use super::nonce_derived::NonceDerived;
use super::padding_fix::PaddingFixAes256Gcm;
use super::scheme::Scheme;
use super::xaes::Xaes;
use crate::backend::{Backend, wipe, wipe_stack};
use crate::contract::Core;

/// A commitment to a key and a nonce of 24 bytes.
pub(super) trait Commit: Send + Sync + 'static {
    /// K_C.
    fn commit(prf: &Cmac<Aes256>, nonce: &[u8], k_c: &mut [u8]);
}

/// F_com as in KC-XAES.
pub(super) struct FCom;

impl Commit for FCom {
    fn commit(prf: &Cmac<Aes256>, nonce: &[u8], k_c: &mut [u8]) {
        // K_C = CMAC_K("XCMT" ‖ N ‖ 00010001) ‖ CMAC_K("XCMT" ‖ N ‖ 00010002)
        let mut fixed = *b"XCMT........................\0\x01\0";
        fixed[4..28].copy_from_slice(nonce);
        fill(prf, Counter::Behind(1), &fixed, k_c);
    }
}

/// Appendix C.3.
pub(super) struct C3;

impl Commit for C3 {
    fn commit(prf: &Cmac<Aes256>, nonce: &[u8], k_c: &mut [u8]) {
        // K_C = CMAC_K(01 ‖ N[0:15]) ‖ CMAC_K(02 ‖ N[0:15])
        fill(prf, Counter::Before(1), &nonce[..15], k_c);
    }
}

/// As much as CMAC leaves on the stack.
const CMAC_STACK_BYTES: usize = 4 << 10;

fn fill(prf: &Cmac<Aes256>, counter: Counter, fixed: &[u8], k_c: &mut [u8]) {
    two_blocks(prf, counter, fixed, k_c);
    wipe_stack::<CMAC_STACK_BYTES>();
}

#[inline(never)]
fn two_blocks(prf: &Cmac<Aes256>, counter: Counter, fixed: &[u8], k_c: &mut [u8]) {
    let Ok(()) = kbkdf(prf, counter, fixed, k_c) else { unreachable!("a counter has one byte") };
}

/// The scheme `S`, without a commitment of its own, and beside its tag the commitment `C` under the
/// same key.
pub(super) struct AddedCommitment<C, S: Scheme> {
    scheme: NonceDerived<S>,
    prf: Cmac<Aes256>,
    commitment: PhantomData<C>,
}

impl<C, S: Scheme> AddedCommitment<C, S> {
    pub(super) fn on(key: &[u8], backend: Backend) -> Self {
        Self {
            scheme: derived(key, backend),
            prf: Cmac::on(array(key), backend),
            commitment: PhantomData,
        }
    }
}

impl<C: Commit, S: Scheme> Core for AddedCommitment<C, S> {
    type Tag = Array<u8, U48>;

    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        let (t, k_c) = tag.split_at_mut(16);
        self.scheme.seal(nonce, ad, buffer, t);
        C::commit(&self.prf, nonce, k_c);
    }

    fn decrypt(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
        expected: &mut [u8],
    ) {
        let (t, k_c) = expected.split_at_mut(16);
        self.scheme.decrypt(nonce, ad, buffer, &tag[..16], t);
        C::commit(&self.prf, nonce, k_c);
    }
}

/// Appendix C.1: XAES with the padding fix under K_U.
pub(super) struct PaddingFixXaes256Gcm {
    scheme: NonceDerived<Xaes>,
}

impl PaddingFixXaes256Gcm {
    pub(super) fn on(key: &[u8], backend: Backend) -> Self {
        Self { scheme: derived(key, backend) }
    }

    /// Makes the padding fix under K_U, and gives it with V to `seal_or_open`.
    #[inline(never)]
    fn under(&self, nonce: &[u8], seal_or_open: impl FnOnce(&PaddingFixAes256Gcm, &[u8])) {
        let (mut key, mut first) = ([0; 32], [0; 16]);
        self.scheme.derive_key(nonce, &mut key, &mut first);
        let fixed = PaddingFixAes256Gcm::on(&key, self.scheme.backend);
        wipe(&mut key);
        seal_or_open(&fixed, &first[..12]);
    }
}

/// As much as deriving and expanding K_U, and a message under it, leave on the stack.
const STACK_BYTES: usize = 8 << 10;

impl Core for PaddingFixXaes256Gcm {
    type Tag = Array<u8, U48>;

    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        self.under(nonce, |fixed, v| fixed.seal(v, ad, buffer, tag));
        wipe_stack::<STACK_BYTES>();
    }

    fn decrypt(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
        expected: &mut [u8],
    ) {
        self.under(nonce, |fixed, v| fixed.decrypt(v, ad, buffer, tag, expected));
        wipe_stack::<STACK_BYTES>();
    }
}

fn derived<S: Scheme>(key: &[u8], backend: Backend) -> NonceDerived<S> {
    NonceDerived::on(array(key), backend)
}

fn array(key: &[u8]) -> &Key<NonceDerived<Xaes>> {
    let Ok(key) = key.try_into() else { unreachable!("the key's length has been checked") };
    key
}
