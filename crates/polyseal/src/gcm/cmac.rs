//! CMAC-AES (NIST SP 800-38B): a message authentication code, and a pseudorandom function.
//!
//! One block waits for the other, so a long message is as slow as AES's latency.

use core::fmt;
use core::marker::PhantomData;

use aead::common::KeySizeUser;
use aead::{Key, KeyInit};
use zeroize::ZeroizeOnDrop;

use super::aes::{self, Aes, RoundKeys};
use super::blockcipher_root::double;
use crate::backend::{Backend, Isa, Lanes, Task, wipe};
use crate::contract::verify;
use crate::error::Result;

/// CMAC with AES under one key, which is wiped on drop. Tags of 16 bytes.
///
/// ```
/// use polyseal::aead::KeyInit;
/// use polyseal::gcm::{Aes256, Cmac};
///
/// let cmac = Cmac::<Aes256>::new(&[1; 32].into());
/// let tag = cmac.mac(b"message");
/// cmac.verify(b"message", &tag)?;
///
/// let mut state = cmac.start();
/// state.update(b"mess");
/// state.update(b"age");
/// assert_eq!(state.finalize(), tag);
/// # Ok::<(), polyseal::Error>(())
/// ```
pub struct Cmac<A: Aes> {
    backend: Backend,
    round_keys: RoundKeys,
    /// K1 and K2: x · AES_K(0) and x² · AES_K(0).
    subkeys: [[u8; 16]; 2],
    aes: PhantomData<A>,
}

impl<A: Aes> Cmac<A> {
    /// With a back end of the caller's choice. Results never depend on it.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    #[must_use]
    pub fn with_backend(key: &Key<Self>, backend: Backend) -> Self {
        Self::on(key, backend)
    }

    pub(super) fn on(key: &Key<Self>, backend: Backend) -> Self {
        let mut cmac =
            Self { backend, round_keys: [[0; 16]; 15], subkeys: [[0; 16]; 2], aes: PhantomData };
        let Self { round_keys, subkeys, .. } = &mut cmac;
        backend.run(Prepare::<A> { key, round_keys, l: &mut subkeys[0], aes: PhantomData });
        subkeys[0] = double(subkeys[0]);
        subkeys[1] = double(subkeys[0]);
        cmac
    }

    /// The tag of `data`.
    #[must_use]
    pub fn mac(&self, data: &[u8]) -> [u8; 16] {
        let mut state = self.start();
        state.update(data);
        state.finalize()
    }

    /// Accepts `tag` if it is the tag of `data`, comparing in constant time.
    ///
    /// # Errors
    /// [`Error::Unauthentic`](crate::Error::Unauthentic) if it is not.
    pub fn verify(&self, data: &[u8], tag: &[u8; 16]) -> Result<()> {
        verify(&mut self.mac(data), tag)
    }

    /// Begins the tag of data that arrives in pieces.
    #[must_use]
    pub fn start(&self) -> CmacState<'_, A> {
        CmacState { cmac: self, chain: [0; 16], pending: [0; 16], pending_bytes: 0 }
    }
}

impl<A: Aes> Drop for Cmac<A> {
    fn drop(&mut self) {
        wipe(self.round_keys.as_flattened_mut());
        wipe(self.subkeys.as_flattened_mut());
    }
}

impl<A: Aes> Clone for Cmac<A> {
    fn clone(&self) -> Self {
        Self { aes: PhantomData, ..*self }
    }
}

impl<A: Aes> fmt::Debug for Cmac<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cmac").finish_non_exhaustive()
    }
}

impl<A: Aes> ZeroizeOnDrop for Cmac<A> {}

impl<A: Aes> KeySizeUser for Cmac<A> {
    type KeySize = A::KeySize;
}

impl<A: Aes> KeyInit for Cmac<A> {
    fn new(key: &Key<Self>) -> Self {
        Self::on(key, Backend::detect())
    }
}

/// A tag under way.
pub struct CmacState<'k, A: Aes> {
    cmac: &'k Cmac<A>,
    chain: [u8; 16],
    /// The last block so far: which subkey it gets is only known at the end.
    pending: [u8; 16],
    pending_bytes: usize,
}

impl<A: Aes> CmacState<'_, A> {
    /// Takes the next piece.
    pub fn update(&mut self, data: &[u8]) {
        let (head, rest) = data.split_at(data.len().min(16 - self.pending_bytes));
        self.pending[self.pending_bytes..][..head.len()].copy_from_slice(head);
        self.pending_bytes += head.len();
        if rest.is_empty() {
            return;
        }
        // Whole blocks, but for the last one.
        let (blocks, last) = rest.split_at((rest.len() - 1) / 16 * 16);
        let pending = self.pending;
        self.absorb(&pending);
        self.absorb(blocks);
        self.pending[..last.len()].copy_from_slice(last);
        self.pending_bytes = last.len();
    }

    /// The tag of all pieces.
    #[must_use]
    pub fn finalize(mut self) -> [u8; 16] {
        let mut last = self.pending;
        let whole = self.pending_bytes == 16;
        if !whole {
            last[self.pending_bytes..].fill(0);
            last[self.pending_bytes] = 0x80;
        }
        for (byte, key) in last.iter_mut().zip(self.cmac.subkeys[usize::from(!whole)]) {
            *byte ^= key;
        }
        self.absorb(&last);
        wipe(&mut last);
        self.chain
    }

    fn absorb(&mut self, blocks: &[u8]) {
        let round_keys = &self.cmac.round_keys;
        let task = Absorb::<A> { round_keys, chain: &mut self.chain, blocks, aes: PhantomData };
        self.cmac.backend.run(task);
    }
}

impl<A: Aes> Drop for CmacState<'_, A> {
    fn drop(&mut self) {
        wipe(&mut self.pending);
        wipe(&mut self.chain);
    }
}

impl<A: Aes> fmt::Debug for CmacState<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CmacState").finish_non_exhaustive()
    }
}

struct Prepare<'a, A> {
    key: &'a [u8],
    round_keys: &'a mut RoundKeys,
    l: &'a mut [u8; 16],
    aes: PhantomData<A>,
}

impl<A: Aes> Task for Prepare<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        aes::expand::<A, I::X1>(isa, aes::load_key(isa, self.key), self.round_keys);
        let zero = I::X1::broadcast(isa, &[0; 16]);
        let [l] = aes::encrypt::<A, I::X1, 1>(isa, self.round_keys, [zero]);
        l.store(self.l);
    }
}

struct Absorb<'a, A> {
    round_keys: &'a RoundKeys,
    chain: &'a mut [u8; 16],
    blocks: &'a [u8],
    aes: PhantomData<A>,
}

impl<A: Aes> Task for Absorb<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let mut chain = I::X1::load(isa, self.chain);
        for block in self.blocks.chunks_exact(16) {
            let x = chain.xor(I::X1::load(isa, block));
            [chain] = aes::encrypt::<A, I::X1, 1>(isa, self.round_keys, [x]);
        }
        chain.store(self.chain);
    }
}
