//! AES-GCM in pieces: encryption as the message arrives, and decryption that releases nothing before
//! the tag is verified.
//!
//! Between calls the state is kept as bytes, independent of the back end; at most one block's bytes
//! wait for the rest.

use core::fmt;
use core::marker::PhantomData;

use aead::array::Array;
use aead::array::ArraySize;
use aead::inout::InOutBuf;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::MAX_MESSAGE_BYTES;
use super::aes::{self, Aes};
use super::cipher::check_lengths;
use super::counters::First;
use super::engine::{Direction, Engine, Opening, Sealing};
use super::expanded::Expanded;
use super::ghash::Ghash;
use crate::backend::{Backend, Isa, Lanes, Task, wipe};
use crate::ct;
use crate::error::{Error, Result};

/// A message on its way, between two calls. Wiped on drop.
pub(super) struct Ongoing<A: Aes> {
    backend: Backend,
    pub(super) keys: Expanded,
    /// The counter block that encrypts the tag.
    pub(super) first: [u8; 16],
    /// Whether it is no secret: not a hash under the key.
    pub(super) counts_in_public: bool,
    hash: [u8; 16],
    /// The ciphertext of the block under way.
    pending: [u8; 16],
    /// The key stream of the block under way.
    key_stream: [u8; 16],
    ad_bytes: u64,
    message_bytes: u64,
    aes: PhantomData<A>,
}

impl<A: Aes> Ongoing<A> {
    /// With keys and first counter still to be set.
    pub(super) fn blank(backend: Backend, keys: Expanded) -> Self {
        Self {
            backend,
            keys,
            first: [0; 16],
            counts_in_public: true,
            hash: [0; 16],
            pending: [0; 16],
            key_stream: [0; 16],
            ad_bytes: 0,
            message_bytes: 0,
            aes: PhantomData,
        }
    }

    /// Takes the associated data, once.
    pub(super) fn absorb(&mut self, ad: &[u8]) {
        self.ad_bytes = ad.len() as u64;
        self.take(ad);
    }

    /// Hashes `data`, padded with zeros.
    fn take(&mut self, data: &[u8]) {
        self.backend.run(Hash { keys: &self.keys, hash: &mut self.hash, data });
    }

    pub(super) fn transform<D: Direction>(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<()> {
        if buffer.len() as u64 > MAX_MESSAGE_BYTES - self.message_bytes {
            return Err(Error::TooLong { what: "message", limit: MAX_MESSAGE_BYTES });
        }
        self.take_message::<D>(buffer);
        Ok(())
    }

    /// Encrypts or decrypts the next piece of a message of checked length.
    pub(super) fn take_message<D: Direction>(&mut self, buffer: InOutBuf<'_, '_, u8>) {
        let bytes = buffer.len();
        let pending = (self.message_bytes % 16) as usize;
        let head = if pending == 0 { 0 } else { bytes.min(16 - pending) };
        let whole = (bytes - head) / 16 * 16;
        let (head, rest) = buffer.split_at(head);
        let (whole, tail) = rest.split_at(whole);
        self.within_block::<D>(head);
        if !whole.is_empty() {
            let blocks = self.message_bytes / 16;
            self.message_bytes += whole.len() as u64;
            self.backend.run(Blocks::<A, D> {
                keys: &self.keys,
                first: &self.first,
                public: self.counts_in_public,
                blocks: blocks as u32,
                hash: &mut self.hash,
                buffer: whole,
                kind: PhantomData,
            });
        }
        self.within_block::<D>(tail);
    }

    /// Takes bytes that stay within one block.
    fn within_block<D: Direction>(&mut self, mut buffer: InOutBuf<'_, '_, u8>) {
        if buffer.is_empty() {
            return;
        }
        let at = (self.message_bytes % 16) as usize;
        if at == 0 {
            self.backend.run(KeyStream::<A> {
                keys: &self.keys,
                first: &self.first,
                blocks: (self.message_bytes / 16) as u32,
                output: &mut self.key_stream,
                aes: PhantomData,
            });
        }
        let end = at + buffer.len();
        if !D::SEALS {
            self.pending[at..end].copy_from_slice(buffer.get_in());
        }
        buffer.xor_in2out(&self.key_stream[at..end]);
        if D::SEALS {
            self.pending[at..end].copy_from_slice(buffer.get_out());
        }
        self.message_bytes += buffer.len() as u64;
        if end == 16 {
            let block = self.pending;
            self.take(&block);
        }
    }

    /// GCM's tag.
    pub(super) fn tag(&mut self, tag: &mut [u8; 16]) {
        let rest = self.pending;
        self.take(&rest[..(self.message_bytes % 16) as usize]);
        self.backend.run(Finish::<A> {
            keys: &self.keys,
            first: &self.first,
            hash: &self.hash,
            lengths: (self.ad_bytes, self.message_bytes),
            tag,
            aes: PhantomData,
        });
    }
}

impl<A: Aes> Drop for Ongoing<A> {
    fn drop(&mut self) {
        self.keys.wipe();
        wipe(&mut self.first);
        wipe(&mut self.hash);
        wipe(&mut self.pending);
        wipe(&mut self.key_stream);
    }
}

/// An ongoing message and the rest of its tag, the commitment.
pub(super) struct WithCommitment<A: Aes> {
    pub(super) ongoing: Ongoing<A>,
    pub(super) commitment: [u8; 32],
}

impl<A: Aes> WithCommitment<A> {
    /// T, as much of it as there is room for, or T ‖ K_C.
    fn tag<T: ArraySize>(mut self) -> Array<u8, T> {
        let mut both = [0; 48];
        let (t, commitment) = both.split_at_mut(16);
        commitment.copy_from_slice(&self.commitment);
        let Some(t) = t.first_chunk_mut() else { unreachable!() };
        self.ongoing.tag(t);
        let tag = Array::from_fn(|i| both[i]);
        wipe(&mut both);
        tag
    }
}

/// Encrypts a message that arrives in pieces. The ciphertext of each piece is as long as the piece.
///
/// ```
/// use polyseal::aead::KeyInit;
/// use polyseal::gcm::KcXaes256Gcm;
///
/// let cipher = KcXaes256Gcm::new(&[1; 32].into());
/// let mut encryptor = cipher.encryptor(&[2; 24].into(), b"header")?;
/// let mut message = *b"two pieces";
/// let (first, second) = message.split_at_mut(3);
/// encryptor.update(first.into())?;
/// encryptor.update(second.into())?;
/// let tag = encryptor.finalize();
///
/// let mut buffer = [0; 16];
/// let mut decryptor = cipher.decryptor(&[2; 24].into(), b"header", &mut buffer)?;
/// decryptor.update(&message[..7])?;
/// decryptor.update(&message[7..])?;
/// assert_eq!(decryptor.finalize(&tag)?, b"two pieces");
/// # Ok::<(), polyseal::Error>(())
/// ```
pub struct Encryptor<A: Aes, T: ArraySize> {
    tagged: WithCommitment<A>,
    tag: PhantomData<T>,
}

impl<A: Aes, T: ArraySize> Encryptor<A, T> {
    pub(super) fn new(tagged: WithCommitment<A>) -> Self {
        Self { tagged, tag: PhantomData }
    }

    /// Encrypts the next piece from `buffer`'s input to its output.
    ///
    /// # Errors
    /// [`Error::TooLong`] when the message grows above [`MAX_MESSAGE_BYTES`].
    pub fn update(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<()> {
        self.tagged.ongoing.transform::<Sealing>(buffer)
    }

    /// The tag of the whole message.
    #[must_use]
    pub fn finalize(self) -> Array<u8, T> {
        self.tagged.tag()
    }
}

/// Decrypts a message that arrives in pieces into a buffer that stays out of reach until the tag is
/// verified. If it is not, or if the decryptor is dropped before, what was written is wiped.
///
/// A decryptor must be finalised or dropped: one that is leaked ([`core::mem::forget`]) gives its
/// buffer back as it is, with what has been decrypted and not verified.
pub struct Decryptor<'a, A: Aes, T: ArraySize> {
    /// `None` once it is finalised.
    tagged: Option<WithCommitment<A>>,
    destination: &'a mut [u8],
    written: usize,
    tag: PhantomData<T>,
}

impl<'a, A: Aes, T: ArraySize> Decryptor<'a, A, T> {
    pub(super) fn new(tagged: WithCommitment<A>, destination: &'a mut [u8]) -> Self {
        Self { tagged: Some(tagged), destination, written: 0, tag: PhantomData }
    }

    /// Decrypts the next piece behind the previous one.
    ///
    /// # Errors
    /// [`Error::Buffer`] if the destination is too short, [`Error::TooLong`] when the message grows
    /// above [`MAX_MESSAGE_BYTES`]; then nothing of the piece has been taken.
    pub fn update(&mut self, ciphertext: &[u8]) -> Result<()> {
        let free = &mut self.destination[self.written..];
        let (expected, actual) = (ciphertext.len(), free.len());
        let Some(output) = free.get_mut(..expected) else {
            return Err(Error::Buffer { expected, actual });
        };
        let buffer =
            InOutBuf::new(ciphertext, output).map_err(|_| Error::Buffer { expected, actual })?;
        if let Some(tagged) = &mut self.tagged {
            tagged.ongoing.transform::<Opening>(buffer)?;
        }
        self.written += expected;
        Ok(())
    }

    /// Releases the message if `tag` is authentic.
    ///
    /// # Errors
    /// [`Error::Unauthentic`] if it is not: what was written has been wiped.
    pub fn finalize(mut self, tag: &Array<u8, T>) -> Result<&'a mut [u8]> {
        let tagged = self.tagged.take().ok_or(Error::Unauthentic)?;
        // On failure, dropping `self` wipes the destination.
        ct::verify(&mut tagged.tag::<T>(), tag)?;
        let written = core::mem::take(&mut self.written);
        Ok(&mut core::mem::take(&mut self.destination)[..written])
    }
}

impl<A: Aes, T: ArraySize> Drop for Decryptor<'_, A, T> {
    fn drop(&mut self) {
        self.destination[..self.written].zeroize();
    }
}

impl<A: Aes, T: ArraySize> fmt::Debug for Encryptor<A, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encryptor").finish_non_exhaustive()
    }
}

impl<A: Aes, T: ArraySize> fmt::Debug for Decryptor<'_, A, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decryptor").finish_non_exhaustive()
    }
}

impl<A: Aes, T: ArraySize> ZeroizeOnDrop for Encryptor<A, T> {}
impl<A: Aes, T: ArraySize> ZeroizeOnDrop for Decryptor<'_, A, T> {}

/// Refuses associated data that is too long.
pub(super) fn check_ad(ad: &[u8]) -> Result<()> {
    check_lengths(ad.len(), 0)
}

/// Hashes data, padded with zeros.
struct Hash<'a> {
    keys: &'a Expanded,
    hash: &'a mut [u8; 16],
    data: &'a [u8],
}

impl Task for Hash<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let hash = I::X1::load(isa, self.hash);
        let mut ghash = Ghash::<I::Register>::resume(isa, &self.keys.powers, hash);
        ghash.take_all(self.data);
        ghash.finish().store(self.hash);
    }
}

/// Encrypts or decrypts whole blocks.
struct Blocks<'a, 'i, 'o, A, D> {
    keys: &'a Expanded,
    first: &'a [u8; 16],
    public: bool,
    blocks: u32,
    hash: &'a mut [u8; 16],
    buffer: InOutBuf<'i, 'o, u8>,
    kind: PhantomData<(A, D)>,
}

impl<A: Aes, D: Direction> Task for Blocks<'_, '_, '_, A, D> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let first = I::X1::load(isa, self.first);
        let first = if self.public { First::Public(first) } else { First::Secret(first) };
        let before = first.behind(isa, self.blocks);
        let hash = I::X1::load(isa, self.hash);
        let engine = Engine::<A, I::Register>::resume(isa, self.keys, before, hash);
        engine.blocks::<D>(self.buffer).store(self.hash);
    }
}

/// The key stream of the block behind `blocks` blocks.
struct KeyStream<'a, A> {
    keys: &'a Expanded,
    first: &'a [u8; 16],
    blocks: u32,
    output: &'a mut [u8; 16],
    aes: PhantomData<A>,
}

impl<A: Aes> Task for KeyStream<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let first = First::Secret(I::X1::load(isa, self.first));
        let x = first.behind(isa, self.blocks.wrapping_add(1));
        let [z] = aes::encrypt::<A, I::X1, 1>(isa, &self.keys.round_keys, [x.block()]);
        z.store(self.output);
    }
}

struct Finish<'a, A> {
    keys: &'a Expanded,
    first: &'a [u8; 16],
    hash: &'a [u8; 16],
    lengths: (u64, u64),
    tag: &'a mut [u8; 16],
    aes: PhantomData<A>,
}

impl<A: Aes> Task for Finish<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let hash = I::X1::load(isa, self.hash);
        let mut ghash = Ghash::<I::Register>::resume(isa, &self.keys.powers, hash);
        ghash.take_lengths(self.lengths.0, self.lengths.1);
        let first = I::X1::load(isa, self.first);
        let [mask] = aes::encrypt::<A, I::X1, 1>(isa, &self.keys.round_keys, [first]);
        ghash.finish().xor(mask).store(self.tag);
    }
}
