//! AES-GCM in pieces: encryption as the message arrives, and decryption that releases nothing
//! before the tag is verified.
//!
//! Between calls the state is kept as bytes, independent of the back end; at most one block's bytes
//! wait for the rest.

use core::fmt;
use core::marker::PhantomData;

use aead::inout::InOutBuf;

use super::MAX_MESSAGE_BYTES;
use super::aes::{self, Aes};
use super::counters::First;
use super::engine::{Direction, Engine, Opening, Sealing};
use super::expanded::Expanded;
use super::ghash::Ghash;
use crate::backend::{Backend, Isa, Lanes, Task, wipe};
use crate::contract::pieces;
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
pub struct WithCommitment<A: Aes> {
    pub(super) ongoing: Ongoing<A>,
    pub(super) commitment: [u8; 32],
}

impl<A: Aes> pieces::Ongoing for WithCommitment<A> {
    fn transform<const SEALS: bool>(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<()> {
        match SEALS {
            true => self.ongoing.transform::<Sealing>(buffer),
            false => self.ongoing.transform::<Opening>(buffer),
        }
    }

    /// T, as much of it as there is room for, or T ‖ K_C.
    fn tag(&mut self, tag: &mut [u8]) {
        let mut both = [0; 48];
        let (t, commitment) = both.split_at_mut(16);
        commitment.copy_from_slice(&self.commitment);
        let Some(t) = t.first_chunk_mut() else { unreachable!() };
        self.ongoing.tag(t);
        tag.copy_from_slice(&both[..tag.len()]);
        wipe(&mut both);
    }
}

impl<A: Aes> fmt::Debug for WithCommitment<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithCommitment").finish_non_exhaustive()
    }
}

/// Encrypts a message that arrives in pieces.
pub type Encryptor<A, T> = pieces::Encryptor<WithCommitment<A>, T>;
/// Decrypts a message that arrives in pieces.
pub type Decryptor<'a, A, T> = pieces::Decryptor<'a, WithCommitment<A>, T>;

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
