//! XAES-256-GCM and KC-XAES-256-GCM on the AWS-LC FIPS module, for nonces of 24 bytes.
//!
//! The module offers CMAC, GCM and a generator, and neither KBKDF over CMAC nor XAES: those are
//! composed here of its services, as the C2SP specification of XAES-256-GCM and eprint 2025/758
//! say. N = U ‖ V. Sealing draws U from the module's generator, and the module draws V, GCM's
//! nonce, itself: so nothing can be sealed under a nonce of the caller's. Messages that are sealed
//! here open with [`gcm`](crate::gcm), and the other way round.
//!
//! Neither this library nor this composition is validated. `docs/fips.md` says what is, and what
//! else a laboratory would ask.
//!
//! ```
//! use polyseal::fips::KcXaes256Gcm;
//!
//! let cipher = KcXaes256Gcm::new(&[7; 32])?;
//! let sealed = cipher.seal(b"header", b"message")?;
//! assert_eq!(cipher.open(&sealed.nonce, b"header", &sealed.sealed)?, b"message");
//! # Ok::<(), polyseal::Error>(())
//! ```

use alloc::vec::Vec;
use core::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, Nonce, RandomizedNonceKey};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::{cmac, rand};
use subtle::Choice;
use zeroize::{Zeroize, Zeroizing};

use crate::contract::verdict;
use crate::ct;
use crate::error::{Error, Result};
use crate::gcm::{MAX_AD_BYTES, MAX_MESSAGE_BYTES};

/// XAES-256-GCM.
pub type Xaes256Gcm = Xaes<16>;
/// KC-XAES-256-GCM: the tag is T ‖ K_C.
pub type KcXaes256Gcm = Xaes<48>;

const T_BYTES: usize = 16;

/// Whether the library that was linked is a FIPS module, in its FIPS mode.
#[must_use]
pub fn is_fips_module() -> bool {
    aws_lc_rs::try_fips_mode().is_ok()
}

/// A sealed message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// U ‖ V.
    pub nonce: [u8; 24],
    /// Ciphertext, then tag.
    pub sealed: Vec<u8>,
}

/// XAES with a tag of `TAG` bytes: [`Xaes256Gcm`] or [`KcXaes256Gcm`].
///
/// The key is in the module's memory alone, which wipes it when this is dropped.
pub struct Xaes<const TAG: usize> {
    root: cmac::Key,
}

impl<const TAG: usize> Xaes<TAG> {
    const COMMITS: bool = match TAG {
        16 => false,
        48 => true,
        _ => panic!("a tag has 16 bytes, or 48 with a commitment"),
    };

    /// With a root key of 32 bytes.
    ///
    /// # Errors
    /// [`Error::SelfTest`] if the module is not in its FIPS mode or refuses to compute.
    pub fn new(key: &[u8; 32]) -> Result<Self> {
        if !is_fips_module() {
            return Err(Error::SelfTest);
        }
        Ok(Self { root: cmac::Key::new(cmac::AES_256, key).map_err(refused)? })
    }

    /// Seals `message` under a nonce of the module's choice.
    ///
    /// # Errors
    /// As [`seal_in_place`](Self::seal_in_place).
    pub fn seal(&self, ad: &[u8], message: &[u8]) -> Result<Sealed> {
        let mut sealed = Vec::with_capacity(message.len() + TAG);
        sealed.extend_from_slice(message);
        let (nonce, tag) = self.seal_in_place(ad, &mut sealed).inspect_err(|_| sealed.zeroize())?;
        sealed.extend_from_slice(&tag);
        Ok(Sealed { nonce, sealed })
    }

    /// Seals `buffer` in place under a nonce of the module's choice; gives the nonce and the tag.
    ///
    /// # Errors
    /// [`Error::TooLong`] above GCM's limits, [`Error::Random`] and [`Error::SelfTest`] if the
    /// module refuses to draw or to compute.
    pub fn seal_in_place(&self, ad: &[u8], buffer: &mut [u8]) -> Result<([u8; 24], [u8; TAG])> {
        check_lengths(ad.len(), buffer.len())?;
        let (mut nonce, mut tag) = ([0; 24], [0; TAG]);
        let (u, v) = nonce.split_at_mut(12);
        rand::fill(u).map_err(|_| Error::Random)?;
        let gcm = self.gcm(u)?;
        let (iv, t) = gcm.seal_in_place_separate_tag(Aad::from(ad), buffer).map_err(refused)?;
        v.copy_from_slice(iv.as_ref());
        tag[..T_BYTES].copy_from_slice(t.as_ref());
        if Self::COMMITS {
            tag[T_BYTES..].copy_from_slice(&*self.commitment(&nonce)?);
        }
        Ok((nonce, tag))
    }

    /// Opens `sealed`: ciphertext, then tag.
    ///
    /// # Errors
    /// As [`open_in_place`](Self::open_in_place).
    pub fn open(&self, nonce: &[u8; 24], ad: &[u8], sealed: &[u8]) -> Result<Vec<u8>> {
        let mut message = sealed.to_vec();
        let length = self.open_in_place(nonce, ad, &mut message)?.len();
        message.truncate(length);
        Ok(message)
    }

    /// Opens `sealed`, ciphertext then tag, in place; gives the part that is the message now.
    ///
    /// # Errors
    /// [`Error::Unauthentic`] if T or K_C is another: then all of `sealed` has been wiped.
    /// [`Error::SelfTest`] if the module refuses to compute: likewise. [`Error::Buffer`] if
    /// `sealed` is shorter than a tag, [`Error::TooLong`] above GCM's limits.
    pub fn open_in_place<'s>(
        &self,
        nonce: &[u8; 24],
        ad: &[u8],
        sealed: &'s mut [u8],
    ) -> Result<&'s mut [u8]> {
        let actual = sealed.len();
        let length = actual.checked_sub(TAG).ok_or(Error::Buffer { expected: TAG, actual })?;
        check_lengths(ad.len(), length)?;
        // The module decrypts before it compares, and leaves what came out where it is.
        self.verify(nonce, ad, sealed).inspect_err(|_| sealed.zeroize())?;
        Ok(&mut sealed[..length])
    }

    /// Decrypts, and compares K_C whatever the comparison of T gave.
    fn verify(&self, nonce: &[u8; 24], ad: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (u, v) = nonce.split_at(12);
        let (ciphertext_and_t, k_c) = sealed.split_at_mut(sealed.len() - (TAG - T_BYTES));
        let committed = match Self::COMMITS {
            true => ct::equal(&*self.commitment(nonce)?, k_c),
            false => Choice::from(1),
        };
        let iv = Nonce::try_assume_unique_for_key(v).map_err(refused)?;
        let opened = self.gcm(u)?.open_in_place(iv, Aad::from(ad), ciphertext_and_t).is_ok();
        verdict(committed & Choice::from(u8::from(opened)))
    }

    /// GCM under K_U = CMAC_K(00 01 58 00 ‖ U) ‖ CMAC_K(00 02 58 00 ‖ U).
    fn gcm(&self, u: &[u8]) -> Result<RandomizedNonceKey> {
        let message = |i| [&[0, i, 0x58, 0], u].concat();
        let k_u = self.two_macs(&message(1), &message(2))?;
        RandomizedNonceKey::new(&AES_256_GCM, &*k_u).map_err(refused)
    }

    /// K_C = CMAC_K("XCMT" ‖ U ‖ V ‖ 00 01 00 01) ‖ CMAC_K("XCMT" ‖ U ‖ V ‖ 00 01 00 02).
    fn commitment(&self, nonce: &[u8; 24]) -> Result<Zeroizing<[u8; 32]>> {
        let message = |i| [&b"XCMT"[..], nonce, &[0, 1, 0, i]].concat();
        self.two_macs(&message(1), &message(2))
    }

    fn two_macs(&self, first: &[u8], second: &[u8]) -> Result<Zeroizing<[u8; 32]>> {
        let mut macs = Zeroizing::new([0; 32]);
        for (message, mac) in [first, second].iter().zip(macs.chunks_exact_mut(16)) {
            cmac::sign_to_buffer(&self.root, message, mac).map_err(refused)?;
        }
        Ok(macs)
    }
}

impl<const TAG: usize> fmt::Debug for Xaes<TAG> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Xaes").finish_non_exhaustive()
    }
}

/// The module says no more than that it refuses, as it does in its error state.
fn refused(_: Unspecified) -> Error {
    Error::SelfTest
}

fn check_lengths(ad: usize, message: usize) -> Result<()> {
    for (what, bytes, limit) in
        [("associated data", ad, MAX_AD_BYTES), ("message", message, MAX_MESSAGE_BYTES)]
    {
        if bytes as u64 > limit {
            return Err(Error::TooLong { what, limit });
        }
    }
    Ok(())
}
