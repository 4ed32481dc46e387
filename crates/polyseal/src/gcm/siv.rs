//! AES-256-GCM-SIV: misuse-resistant, for exchange with others who have it.
//!
//! Source: RFC 8452. Every nonce N gives a message-authentication key and a message-encryption key
//! (section 4). The tag is the encryption of POLYVAL over associated data and plaintext, with the
//! nonce added; it is also where the counters begin.
//!
//! Security claim: under a repeated nonce, only the equality of whole inputs is revealed. It needs
//! two passes over a message, and does not commit: one ciphertext can be made for two keys. For new
//! data [`flex`](crate::flex) has CIV, which commits, and has nonces and tags of other lengths.
//!
//! Limits: `2^36` bytes of message, and of associated data.

use aead::consts::{U12, U16, U32};
use aead::inout::InOutBuf;

use super::aes::{self, Aes256, RoundKeys};
use super::engine::{Opening, add_partial};
use super::expanded::Expanded;
use super::ghash::{AsIs, GROUP, Ghash};
use crate::backend::{Backend, Clmul, Isa, Lanes, Task, wipe};
use crate::contract::{Core, LongestInputs, rustcrypto};
use crate::stack;

/// The longest message, and the longest associated data, in bytes.
pub(super) const MAX_SIV_BYTES: u64 = 1 << 36;

/// AES-256-GCM-SIV under one key, which is wiped on drop: 12-byte nonce, 16-byte tag.
///
/// ```
/// use polyseal::aead::{Aead, KeyInit};
/// use polyseal::gcm::Aes256GcmSiv;
///
/// let aead = Aes256GcmSiv::new(&[1; 32].into());
/// let sealed = aead.encrypt(&[2; 12].into(), &b"attack at dawn"[..])?;
/// assert_eq!(aead.decrypt(&[2; 12].into(), &*sealed)?, b"attack at dawn");
/// # Ok::<(), polyseal::aead::Error>(())
/// ```
#[derive(Clone)]
pub struct Aes256GcmSiv {
    backend: Backend,
    /// Of the key-generating key.
    round_keys: RoundKeys,
}

impl Aes256GcmSiv {
    pub(super) fn on(key: &[u8], backend: Backend) -> Self {
        let mut siv = Self { backend, round_keys: [[0; 16]; 15] };
        backend.run(Expand { key, round_keys: &mut siv.round_keys });
        siv
    }
}

impl Drop for Aes256GcmSiv {
    fn drop(&mut self) {
        wipe(self.round_keys.as_flattened_mut());
    }
}

impl Core for Aes256GcmSiv {
    const LONGEST: LongestInputs = LongestInputs { message: MAX_SIV_BYTES, ad: MAX_SIV_BYTES };

    type Tag = [u8; 16];

    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        let mut keys = Expanded::new();
        let blocks = hashed_blocks(ad.len(), buffer.len());
        self.backend.run(Derive { root: &self.round_keys, nonce, blocks, keys: &mut keys });
        let message = buffer.get_in();
        self.backend.run(MakeTag { keys: &keys, nonce, ad, message, tag });
        self.backend.run(Count { keys: &keys, tag, buffer });
        keys.wipe();
        stack::wipe_bytes::<STACK_BYTES>();
    }

    fn decrypt(
        &self,
        nonce: &[u8],
        ad: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
        expected: &mut [u8],
    ) {
        let mut keys = Expanded::new();
        let blocks = hashed_blocks(ad.len(), buffer.len());
        self.backend.run(Derive { root: &self.round_keys, nonce, blocks, keys: &mut keys });
        self.backend.run(Count { keys: &keys, tag, buffer: buffer.reborrow() });
        let message = buffer.get_out();
        self.backend.run(MakeTag { keys: &keys, nonce, ad, message, tag: expected });
        keys.wipe();
        stack::wipe_bytes::<STACK_BYTES>();
    }
}

rustcrypto! {
    impl [] Aes256GcmSiv {
        name: "Aes256GcmSiv", key: U32, nonce: U12, tag: U16
    }
}

/// As much as deriving the keys, hashing or counting leaves on the stack.
const STACK_BYTES: usize = 4 << 10;

/// How many blocks POLYVAL takes: padded associated data, padded message and their lengths.
fn hashed_blocks(ad_bytes: usize, message_bytes: usize) -> usize {
    ad_bytes.div_ceil(16) + message_bytes.div_ceil(16) + 1
}

/// Expands the key-generating key.
struct Expand<'a> {
    key: &'a [u8],
    round_keys: &'a mut RoundKeys,
}

impl Task for Expand<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        aes::expand::<Aes256, I::X1>(isa, aes::load_key(isa, self.key), self.round_keys);
    }
}

/// Derives a nonce's two keys (section 4): the halves of six blocks, of which each has a number and
/// the nonce.
struct Derive<'a> {
    root: &'a RoundKeys,
    nonce: &'a [u8],
    blocks: usize,
    keys: &'a mut Expanded,
}

impl Task for Derive<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let mut block = [0; 16];
        block[4..].copy_from_slice(self.nonce);
        let mut x = [I::X1::load(isa, &block); 6];
        for (number, x) in x.iter_mut().enumerate() {
            *x = x.add_words(I::X1::load(isa, &(number as u128).to_le_bytes()));
        }
        let x = aes::encrypt::<Aes256, I::X1, 6>(isa, self.root, x);
        let authentication_key = x[0].low_halves(x[1]);
        let encryption_key = [x[2].low_halves(x[3]), x[4].low_halves(x[5])];
        aes::expand::<Aes256, I::X1>(isa, encryption_key, &mut self.keys.round_keys);
        self.keys.powers.fill_for::<I::Register>(isa, authentication_key, self.blocks);
    }
}

/// The tag of a message.
struct MakeTag<'a> {
    keys: &'a Expanded,
    nonce: &'a [u8],
    ad: &'a [u8],
    message: &'a [u8],
    tag: &'a mut [u8],
}

impl Task for MakeTag<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { keys, nonce, ad, message, tag } = self;
        let mut hash = Ghash::<I::Register, AsIs>::new(isa, &keys.powers);
        let blocks = hashed_blocks(ad.len(), message.len());
        // CT: lengths are public.
        if blocks <= Ghash::<I::Register, AsIs>::GROUP_BLOCKS {
            hash.expect(blocks);
            hash.take_part(ad);
            hash.take_part(message);
        } else {
            hash.take_all(ad);
            hash.take_all(message);
        }
        hash.take_lengths(ad.len() as u64, message.len() as u64);
        let nonce = I::X1::load_partial(isa, nonce);
        let without_top_bit = I::X1::load(isa, &(u128::MAX >> 1).to_le_bytes());
        let block = hash.finish().xor(nonce).and(without_top_bit);
        let [block] = aes::encrypt::<Aes256, I::X1, 1>(isa, &keys.round_keys, [block]);
        block.store(tag);
    }
}

/// Counter mode from the tag on: the first word counts, in little endian.
struct Count<'a, 'i, 'o> {
    keys: &'a Expanded,
    tag: &'a [u8],
    buffer: InOutBuf<'i, 'o, u8>,
}

impl Task for Count<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { keys, tag, mut buffer } = self;
        let bytes = buffer.len();
        let mut counters = Counters::<I::Register>::new(isa, tag);
        let group = const { GROUP * I::Register::BYTES };
        let mut at = 0;
        // CT: lengths are public.
        while at + group <= bytes {
            let key_stream = counters.key_stream::<GROUP>(isa, &keys.round_keys);
            add(isa, key_stream, &mut buffer, at);
            at += group;
        }
        match (bytes - at).div_ceil(I::Register::BYTES) {
            0 => {}
            1 => {
                let key_stream = counters.key_stream::<1>(isa, &keys.round_keys);
                add(isa, key_stream, &mut buffer, at);
            }
            2..=4 => {
                let key_stream = counters.key_stream::<4>(isa, &keys.round_keys);
                add(isa, key_stream, &mut buffer, at);
            }
            _ => {
                let key_stream = counters.key_stream::<GROUP>(isa, &keys.round_keys);
                add(isa, key_stream, &mut buffer, at);
            }
        }
    }
}

/// Counter blocks.
struct Counters<L> {
    next: L,
    step: L,
}

impl<L: Clmul> Counters<L> {
    #[inline(always)]
    fn new(isa: L::Isa, tag: &[u8]) -> Self {
        static NUMBERS: [[u8; 16]; 4] = {
            let mut blocks = [[0; 16]; 4];
            (blocks[1][0], blocks[2][0], blocks[3][0]) = (1, 2, 3);
            blocks
        };
        let top_bit = L::broadcast(isa, &(1_u128 << 127).to_le_bytes());
        let tag = L::broadcast(isa, tag);
        let first = tag.xor(tag.and(top_bit)).xor(top_bit);
        let next = first.add_words(L::load(isa, &NUMBERS.as_flattened()[..L::BYTES]));
        Self { next, step: L::broadcast(isa, &(L::BLOCKS as u128).to_le_bytes()) }
    }

    #[inline(always)]
    fn key_stream<const N: usize>(&mut self, isa: L::Isa, round_keys: &RoundKeys) -> [L; N] {
        let mut x = [self.next; N];
        for x in &mut x {
            *x = self.next;
            self.next = self.next.add_words(self.step);
        }
        aes::encrypt::<Aes256, L, N>(isa, round_keys, x)
    }
}

/// Adds key stream to the buffer from `at` on, as far as either goes.
#[inline(always)]
fn add<L: Lanes, const N: usize>(
    isa: L::Isa,
    key_stream: [L; N],
    buffer: &mut InOutBuf<'_, '_, u8>,
    at: usize,
) {
    for (j, z) in key_stream.into_iter().enumerate() {
        let from = at + j * L::BYTES;
        let to = (from + L::BYTES).min(buffer.len());
        // CT: lengths are public.
        if from >= to {
            break;
        }
        add_partial::<L, Opening>(isa, z, buffer, from..to);
    }
}
