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

use core::marker::PhantomData;

use aead::consts::{U12, U16, U32};
use aead::inout::InOutBuf;

use super::aes::{self, Aes256, RoundKeys};
use super::engine::{Direction, Opening, Sealing, add_partial};
use super::expanded::Expanded;
use super::ghash::{AsIs, GROUP, Ghash, Order, Powers};
use super::short::{self, ShortHash};
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

    /// Seals and writes the tag, or opens what `received` came with and writes the tag that there
    /// should be.
    #[inline]
    fn crypt<D: Direction>(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        received: &[u8],
        tag: &mut [u8],
    ) {
        // CT: lengths are public.
        let is_short = short::fits(ad.len(), buffer.len());
        let input = Input { root: &self.round_keys, nonce, ad, buffer, received, tag };
        if is_short {
            self.backend.run(Short::<D>(input, PhantomData));
            stack::wipe_bytes::<SHORT_STACK_BYTES>();
        } else {
            self.backend.run(Long::<D>(input, PhantomData));
            stack::wipe_bytes::<LONG_STACK_BYTES>();
        }
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
        self.crypt::<Sealing>(nonce, ad, buffer, &[], tag);
    }

    fn decrypt(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &[u8],
        expected: &mut [u8],
    ) {
        self.crypt::<Opening>(nonce, ad, buffer, tag, expected);
    }
}

rustcrypto! {
    impl [] Aes256GcmSiv {
        name: "Aes256GcmSiv", key: U32, nonce: U12, tag: U16
    }
}

/// As much as a short message leaves on the stack.
const SHORT_STACK_BYTES: usize = 2 << 10;
/// As much as a longer one leaves.
const LONG_STACK_BYTES: usize = 5 << 10;

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

/// A message, and what it came with.
struct Input<'a, 'i, 'o> {
    root: &'a RoundKeys,
    nonce: &'a [u8],
    ad: &'a [u8],
    buffer: InOutBuf<'i, 'o, u8>,
    /// The tag that a ciphertext came with.
    received: &'a [u8],
    /// The tag, to be computed.
    tag: &'a mut [u8],
}

/// A message of [`short`]'s lengths, hashed in registers.
struct Short<'a, 'i, 'o, D>(Input<'a, 'i, 'o>, PhantomData<D>);

impl<D: Direction> Task for Short<'_, '_, '_, D> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Input { root, nonce, ad, mut buffer, received, tag } = self.0;
        let keys = derive(isa, root, nonce);
        let mut round_keys = [[0; 16]; 15];
        aes::expand::<Aes256, I::X1>(isa, keys.encryption, &mut round_keys);
        if D::SEALS {
            let hash = hash_short(isa, keys.authentication, ad, buffer.get_in());
            encrypt_hash(isa, &round_keys, nonce, hash).store(tag);
            count::<I::X1>(isa, &round_keys, tag, buffer);
        } else {
            count::<I::X1>(isa, &round_keys, received, buffer.reborrow());
            let hash = hash_short(isa, keys.authentication, ad, buffer.get_out());
            encrypt_hash(isa, &round_keys, nonce, hash).store(tag);
        }
        wipe(round_keys.as_flattened_mut());
    }
}

/// A message of any length.
struct Long<'a, 'i, 'o, D>(Input<'a, 'i, 'o>, PhantomData<D>);

impl<D: Direction> Task for Long<'_, '_, '_, D> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Input { root, nonce, ad, mut buffer, received, tag } = self.0;
        let blocks = hashed_blocks(ad.len(), buffer.len());
        let of_nonce = derive(isa, root, nonce);
        let mut keys = Expanded::new();
        aes::expand::<Aes256, I::X1>(isa, of_nonce.encryption, &mut keys.round_keys);
        keys.powers.fill_for::<I::Register>(isa, of_nonce.authentication, blocks);
        if D::SEALS {
            let hash = hash_long(isa, &keys.powers, ad, buffer.get_in());
            encrypt_hash(isa, &keys.round_keys, nonce, hash).store(tag);
            count::<I::Register>(isa, &keys.round_keys, tag, buffer);
        } else {
            count::<I::Register>(isa, &keys.round_keys, received, buffer.reborrow());
            let hash = hash_long(isa, &keys.powers, ad, buffer.get_out());
            encrypt_hash(isa, &keys.round_keys, nonce, hash).store(tag);
        }
        keys.wipe();
    }
}

/// A nonce's two keys.
struct Keys<X> {
    authentication: X,
    encryption: [X; 2],
}

/// Section 4: the keys are the halves of six blocks, of which each has a number and the nonce.
#[inline(always)]
fn derive<I: Isa>(isa: I, root: &RoundKeys, nonce: &[u8]) -> Keys<I::X1> {
    let mut block = [0; 16];
    block[4..].copy_from_slice(nonce);
    let mut x = [I::X1::load(isa, &block); 6];
    for (number, x) in x.iter_mut().enumerate() {
        *x = x.add_words(I::X1::load(isa, &(number as u128).to_le_bytes()));
    }
    let x = aes::encrypt::<Aes256, I::X1, 6>(isa, root, x);
    Keys {
        authentication: x[0].low_halves(x[1]),
        encryption: [x[2].low_halves(x[3]), x[4].low_halves(x[5])],
    }
}

/// How many blocks POLYVAL takes: padded associated data, padded message and their lengths.
const fn hashed_blocks(ad_bytes: usize, message_bytes: usize) -> usize {
    ad_bytes.div_ceil(16) + message_bytes.div_ceil(16) + 1
}

/// POLYVAL of a short message.
#[inline(always)]
fn hash_short<I: Isa>(isa: I, key: I::X1, ad: &[u8], message: &[u8]) -> I::X1 {
    let mut hash = ShortHash::<_, AsIs>::new(isa, key);
    hash.take(ad);
    let mut blocks = [I::X1::broadcast(isa, &[0; 16]); 4];
    for (block, bytes) in blocks.iter_mut().zip(message.chunks(16)) {
        *block = I::X1::load_partial(isa, bytes);
    }
    let (ad_bits, bits) = (8 * ad.len() as u64, 8 * message.len() as u64);
    let lengths = I::X1::load(isa, &AsIs::lengths(ad_bits, bits));
    short::hash_message(&mut hash, blocks, message.len().div_ceil(16), lengths);
    hash.finish()
}

/// POLYVAL of a message of any length.
#[inline(always)]
fn hash_long<I: Isa>(isa: I, powers: &Powers, ad: &[u8], message: &[u8]) -> I::X1 {
    let mut hash = Ghash::<I::Register, AsIs>::new(isa, powers);
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
    hash.finish()
}

/// The tag of a message with this POLYVAL.
#[inline(always)]
fn encrypt_hash<I: Isa>(isa: I, round_keys: &RoundKeys, nonce: &[u8], hash: I::X1) -> I::X1 {
    let nonce = I::X1::load_partial(isa, nonce);
    let without_top_bit = I::X1::load(isa, &(u128::MAX >> 1).to_le_bytes());
    let block = hash.xor(nonce).and(without_top_bit);
    let [block] = aes::encrypt::<Aes256, I::X1, 1>(isa, round_keys, [block]);
    block
}

/// Counter mode from the tag on: the first word counts, in little endian.
#[inline(always)]
fn count<L: Clmul>(
    isa: L::Isa,
    round_keys: &RoundKeys,
    tag: &[u8],
    mut buffer: InOutBuf<'_, '_, u8>,
) {
    let bytes = buffer.len();
    let mut counters = Counters::<L>::new(isa, tag);
    let group = const { GROUP * L::BYTES };
    let mut at = 0;
    // CT: lengths are public.
    while at + group <= bytes {
        add(isa, counters.key_stream::<GROUP>(isa, round_keys), &mut buffer, at);
        at += group;
    }
    match (bytes - at).div_ceil(L::BYTES) {
        0 => {}
        1 => add(isa, counters.key_stream::<1>(isa, round_keys), &mut buffer, at),
        2..=4 => add(isa, counters.key_stream::<4>(isa, round_keys), &mut buffer, at),
        _ => add(isa, counters.key_stream::<GROUP>(isa, round_keys), &mut buffer, at),
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
