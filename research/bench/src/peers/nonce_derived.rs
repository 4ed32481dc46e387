//! XAES, KC-XAES and their relatives with HMAC, put together from a library's parts: no release of
//! any library here has them all.
//!
//! K: the key; N = U ‖ V: the nonce, in halves of 12 bytes; K_U: the message's key; K_C: the
//! commitment; K1: CMAC's subkey.

use core::ops::Range;

use subtle::ConstantTimeEq;

use crate::contender::Aead;
use crate::ring::{Key, Nonce, Tag};

/// A key derivation under K: 32 bytes for a short input.
pub(super) trait Derivation {
    fn rekey(&mut self, key: &Key);

    /// The output for `input` of one or two blocks. Where one call of the underlying function is
    /// not enough, the second one has 2 in the last block's byte `counter`, in which there is a 1.
    fn derive(&mut self, input: &mut [u8], counter: usize) -> [u8; 32];
}

/// AES-256-GCM of V under K_U, with K_C behind its tag if it commits.
///
/// With `C3`, K_C is of eprint 2025/758, appendix C.3: a counter and the nonce's first 15 bytes
/// fill one block, so that it needs no X1. It is to be measured and not to be used.
pub(super) struct NonceDerived<D, G, const C3: bool = false> {
    pub(super) derivation: D,
    pub(super) gcm: G,
    pub(super) commits: bool,
}

const HALF: usize = 12;
/// Where K_C stands in a tag, behind GCM's.
const K_C: Range<usize> = 16..48;

impl<D: Derivation, G: Aead, const C3: bool> NonceDerived<D, G, C3> {
    /// K_U, from 00 01 58 00 ‖ U, and V.
    #[inline]
    fn message_key(&mut self, nonce: &Nonce) -> (Key, Nonce) {
        let mut input = [0, 1, b'X', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        input[4..].copy_from_slice(&nonce[..HALF]);
        let (mut key, mut v) = ([0; 64], [0; 32]);
        key[..32].copy_from_slice(&self.derivation.derive(&mut input, 1));
        v[..HALF].copy_from_slice(&nonce[HALF..2 * HALF]);
        (key, v)
    }

    /// K_C, from XCMT ‖ U ‖ V ‖ 00 01 00 01; by appendix C.3 from 01 ‖ N\[0:15\].
    #[inline]
    fn commitment(&mut self, nonce: &Nonce) -> [u8; 32] {
        if C3 {
            let mut input = [1; BLOCK];
            input[1..].copy_from_slice(&nonce[..BLOCK - 1]);
            return self.derivation.derive(&mut input, 0);
        }
        let mut input = [0; 32];
        input[..4].copy_from_slice(b"XCMT");
        input[4..28].copy_from_slice(&nonce[..2 * HALF]);
        input[28..].copy_from_slice(&[0, 1, 0, 1]);
        self.derivation.derive(&mut input, 15)
    }
}

impl<D: Derivation, G: Aead, const C3: bool> Aead for NonceDerived<D, G, C3> {
    #[inline(always)]
    fn rekey(&mut self, key: &Key) {
        self.derivation.rekey(key);
    }

    #[inline(always)]
    fn seal(&mut self, nonce: &Nonce, ad: &[u8], message: &mut [u8], tag: &mut Tag) {
        let (key, v) = self.message_key(nonce);
        self.gcm.seal_once(&key, &v, ad, message, tag);
        if self.commits {
            tag[K_C].copy_from_slice(&self.commitment(nonce));
        }
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
        let (key, v) = self.message_key(nonce);
        let authentic = self.gcm.open_once(&key, &v, ad, sealed, tag, message);
        // CT: whether there is a commitment is public.
        let committed = !self.commits || bool::from(self.commitment(nonce).ct_eq(&tag[K_C]));
        authentic & committed
    }
}

/// A library's bare AES-256.
pub(super) trait Blocks {
    fn rekey(&mut self, key: &Key);

    /// Encrypts every block of `blocks` in place.
    fn encrypt(&mut self, blocks: &mut [u8]);
}

/// CMAC from bare AES, without what a library's own spends on messages of any length.
pub(super) struct Cmac<B> {
    aes: B,
    k1: u128,
}

const BLOCK: usize = 16;

impl<B: Blocks> Cmac<B> {
    /// With the first key, which `aes` has.
    pub(super) fn new(mut aes: B) -> Self {
        Self { k1: subkey(&mut aes), aes }
    }

    #[inline]
    fn block(bytes: &[u8]) -> u128 {
        u128::from_be_bytes(bytes.try_into().expect("a block"))
    }
}

/// x·L in GF(2¹²⁸), where L is the encrypted zero block.
fn subkey(aes: &mut impl Blocks) -> u128 {
    let mut l = [0; BLOCK];
    aes.encrypt(&mut l);
    let l = u128::from_be_bytes(l);
    (l << 1) ^ ((l >> 127) * 0x87)
}

impl<B: Blocks> Derivation for Cmac<B> {
    #[inline(always)]
    fn rekey(&mut self, key: &Key) {
        self.aes.rekey(key);
        self.k1 = subkey(&mut self.aes);
    }

    #[inline]
    fn derive(&mut self, input: &mut [u8], counter: usize) -> [u8; 32] {
        let (head, last) = input.split_at_mut(input.len() - BLOCK);
        let mut x = 0;
        for block in head.chunks_mut(BLOCK) {
            self.aes.encrypt(block);
            x = Self::block(block);
        }
        // Both blocks at once, for ciphers that make use of it.
        let mut output = [0; 2 * BLOCK];
        for (i, half) in output.chunks_mut(BLOCK).enumerate() {
            last[counter] = i as u8 + 1;
            half.copy_from_slice(&(x ^ Self::block(last) ^ self.k1).to_be_bytes());
        }
        self.aes.encrypt(&mut output);
        output
    }
}
