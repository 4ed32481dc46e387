//! AES-256-GCM-SIV: misuse-resistant, for exchange with others who have it.
//!
//! Source: RFC 8452. Every nonce N gives a message-authentication key and a message-encryption key
//! (section 4). The tag is the encryption of POLYVAL over associated data and plaintext, with the
//! nonce added; it is also where the counters begin.
//!
//! Security claim: under a repeated nonce, only the equality of whole inputs is revealed. Sealing
//! takes two passes over a message. It does not commit: one ciphertext can be made for two keys.
//! For new data Flex has CIV, which commits, and has nonces and tags of other lengths.
//!
//! Limits: `2^36` bytes of message, and of associated data.

use core::marker::PhantomData;

use aead::consts::{U12, U16, U32};
use aead::inout::InOutBuf;

use super::aes::{self, Aes as _, Aes256, RoundKeys};
use super::counters::words;
use super::engine::{Direction, Opening, Sealing, add_partial, load, store};
use super::ghash::{AsIs, GROUP, Ghash, Order, Powers, room};
use super::short::{self, ShortHash, hash_message};
use crate::backend::{
    Backend, Calls, Clmul, Isa, KeyedTask, Lanes, Sequence, StackUse, Task, wipe,
};
use crate::contract::{Core, LongestInputs, rustcrypto};

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
    /// The round keys of the key-generating key.
    round_keys: RoundKeys,
}

impl Aes256GcmSiv {
    pub(super) fn on(key: &[u8], backend: Backend) -> Self {
        let mut cipher = Self { backend, round_keys: [[0; 16]; 15] };
        backend.run(Expand { key, round_keys: &mut cipher.round_keys });
        cipher
    }

    /// Seals, or opens what came with `received`; writes the tag, or the tag that there should be.
    #[inline]
    fn crypt<D: Direction>(
        &self,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        received: &[u8],
        tag: &mut [u8],
    ) {
        let message = Message::<D> { ad, buffer, received, tag, direction: PhantomData };
        let round_keys = &self.round_keys;
        self.backend.run_sequence(KeyedMessage { round_keys, nonce, message });
    }
}

impl Drop for Aes256GcmSiv {
    fn drop(&mut self) {
        wipe(self.round_keys.as_flattened_mut());
    }
}

impl Core for Aes256GcmSiv {
    type Tag = [u8; 16];

    #[inline]
    fn seal(&self, nonce: &[u8], ad: &[u8], buffer: InOutBuf<'_, '_, u8>, tag: &mut [u8]) {
        self.crypt::<Sealing>(nonce, ad, buffer, &[], tag);
    }

    #[inline]
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
        name: "Aes256GcmSiv", key: U32, nonce: U12, tag: U16,
        longest: LongestInputs { message: MAX_SIV_BYTES, ad: MAX_SIV_BYTES }
    }
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

/// The stack that a message uses, by its length.
type ShortStack = StackUse<832, 1152, 1152, 3072>;
type LongStack = StackUse<3072, 2560, 1664, 5120>;

/// A message to be sealed or opened.
struct Message<'a, 'i, 'o, D> {
    ad: &'a [u8],
    buffer: InOutBuf<'i, 'o, u8>,
    /// When opening: the tag that came with it.
    received: &'a [u8],
    /// The tag, or the tag that there should be.
    tag: &'a mut [u8],
    direction: PhantomData<D>,
}

/// The same, with the keys and the nonce.
struct KeyedMessage<'a, 'i, 'o, D> {
    /// The round keys of the key-generating key.
    round_keys: &'a RoundKeys,
    nonce: &'a [u8],
    message: Message<'a, 'i, 'o, D>,
}

impl<D: Direction> Sequence for KeyedMessage<'_, '_, '_, D> {
    #[inline(always)]
    fn run<I: Isa>(self, calls: Calls<I>) {
        let Self { round_keys, nonce, message } = self;
        // CT: lengths are public.
        if short::fits(message.ad.len(), message.buffer.len()) {
            calls.call_keyed(round_keys, nonce, ShortSivTask(message));
            calls.wipe::<ShortStack>();
        } else {
            calls.call_keyed(round_keys, nonce, LongSivTask(message));
            calls.wipe::<LongStack>();
        }
    }
}

/// POLYVAL under way.
type Polyval<'p, L, const ROOM: usize> = Ghash<'p, L, AsIs, ROOM>;

/// A message's keys (section 4).
struct Derived<X> {
    /// The message-authentication key: POLYVAL's element as it is.
    h: X,
    /// The message-encryption key.
    key: [X; 2],
}

/// The halves of six blocks: of a little-endian number and the nonce.
#[inline(always)]
fn derive<X: Clmul<X1 = X>>(isa: X::Isa, round_keys: &RoundKeys, nonce: &[u8]) -> Derived<X> {
    static NUMBERS: [[u8; 16]; 6] = words([0, 1, 2, 3, 4, 5]);
    let behind_zeros = X::load(isa, &(nonce_number(nonce) << 32).to_le_bytes());
    let mut x = [behind_zeros; 6];
    for i in 0..6 {
        x[i] = x[i].xor(X::load(isa, &NUMBERS[i]));
    }
    let [a, b, c, d, e, f] = aes::encrypt::<Aes256, X, 6>(isa, round_keys, x);
    Derived { h: a.low_halves(b), key: [c.low_halves(d), e.low_halves(f)] }
}

/// The nonce, then zeros.
#[inline(always)]
fn nonce_block<X: Lanes>(isa: X::Isa, nonce: &[u8]) -> X {
    X::load(isa, &nonce_number(nonce).to_le_bytes())
}

/// A nonce as a little-endian number: to load it from where it has been copied piece by piece would
/// make the CPU wait for the pieces.
#[inline(always)]
fn nonce_number(nonce: &[u8]) -> u128 {
    let (mut low, mut high) = ([0; 8], [0; 4]);
    low.copy_from_slice(&nonce[..8]);
    high.copy_from_slice(&nonce[8..]);
    u128::from(u32::from_le_bytes(high)) << 64 | u128::from(u64::from_le_bytes(low))
}

/// All bits of a block but the last one.
static ALL_BUT_LAST: [u8; 16] =
    [!0, !0, !0, !0, !0, !0, !0, !0, !0, !0, !0, !0, !0, !0, !0, !0 >> 1];

/// The tag of POLYVAL's `hash`.
#[inline(always)]
fn tag_of<X: Clmul<X1 = X>>(isa: X::Isa, round_keys: &RoundKeys, hash: X, nonce: &[u8]) -> X {
    let s = hash.xor(nonce_block(isa, nonce)).and(X::load(isa, &ALL_BUT_LAST));
    let [tag] = aes::encrypt::<Aes256, X, 1>(isa, round_keys, [s]);
    tag
}

/// Counter blocks: the first word counts, in little endian, and wraps.
struct Counters<L> {
    next: L,
    step: L,
}

impl<L: Clmul> Counters<L> {
    /// From the tag, whose last bit is set.
    #[inline(always)]
    fn new(isa: L::Isa, tag: L::X1) -> Self {
        static FROM_ZERO: [[u8; 16]; 4] = words([0, 1, 2, 3]);
        static STEPS: [[u8; 16]; 5] = words([0, 1, 2, 3, 4]);
        static LAST: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 << 7];
        let first = tag.and(L::X1::load(isa, &ALL_BUT_LAST)).xor(L::X1::load(isa, &LAST));
        let ahead = L::load(isa, &FROM_ZERO.as_flattened()[..L::BYTES]);
        let next = L::splat(first).add_words(ahead);
        Self { next, step: L::broadcast(isa, &STEPS[L::BLOCKS]) }
    }

    #[inline(always)]
    fn next<const N: usize>(&mut self) -> [L; N] {
        let mut blocks = [self.next; N];
        for block in &mut blocks {
            *block = self.next;
            self.next = self.next.add_words(self.step);
        }
        blocks
    }
}

/// A message of few blocks, block by block.
struct ShortSivTask<'a, 'i, 'o, D>(Message<'a, 'i, 'o, D>);

impl<D: Direction> KeyedTask<&RoundKeys, &[u8]> for ShortSivTask<'_, '_, '_, D> {
    type Output = ();

    #[inline(always)]
    fn run_keyed<I: Isa>(self, isa: I, round_keys: &RoundKeys, nonce: &[u8]) {
        // CT: lengths are public.
        match self.0.buffer.len().div_ceil(16) {
            0 | 1 => self.0.short::<I, 1>(isa, round_keys, nonce),
            2 => self.0.short::<I, 2>(isa, round_keys, nonce),
            3 | 4 => self.0.short::<I, 4>(isa, round_keys, nonce),
            _ => self.0.short::<I, { short::MAX_BLOCKS }>(isa, round_keys, nonce),
        }
    }
}

impl<D: Direction> Message<'_, '_, '_, D> {
    /// A message of at most `B` blocks.
    #[inline(always)]
    fn short<I: Isa, const B: usize>(self, isa: I, round_keys: &RoundKeys, nonce: &[u8]) {
        let Self { ad, mut buffer, .. } = self;
        let Derived { h, key } = derive(isa, round_keys, nonce);
        let mut round_keys = [[0; 16]; 15];
        aes::expand::<Aes256, I::X1>(isa, key, &mut round_keys);
        let mut hash = ShortHash::<_, AsIs>::new(isa, h);
        hash.take(ad);
        let bytes = buffer.len();
        let blocks = bytes.div_ceil(16);
        let place = |j: usize| (16 * j).min(bytes)..(16 * j + 16).min(bytes);
        let lengths = AsIs::lengths(8 * ad.len() as u64, 8 * bytes as u64);
        let lengths = I::X1::load(isa, &lengths);
        let mut plaintext = [I::X1::broadcast(isa, &[0; 16]); B];
        let tag = if D::SEALS {
            for j in 0..B {
                plaintext[j] = I::X1::load_partial(isa, &buffer.get_in()[place(j)]);
            }
            hash_message(&mut hash, plaintext, blocks, lengths);
            let tag = tag_of(isa, &round_keys, hash.finish(), nonce);
            let x = Counters::<I::X1>::new(isa, tag).next::<B>();
            let key_stream = aes::encrypt::<Aes256, I::X1, B>(isa, &round_keys, x);
            for j in 0..B {
                add_partial(isa, key_stream[j], &mut buffer, place(j), D::SEALS);
            }
            tag
        } else {
            let received = I::X1::load(isa, self.received);
            let x = Counters::<I::X1>::new(isa, received).next::<B>();
            let key_stream = aes::encrypt::<Aes256, I::X1, B>(isa, &round_keys, x);
            for j in 0..B {
                // Sealing returns the output.
                plaintext[j] = add_partial(isa, key_stream[j], &mut buffer, place(j), true);
            }
            hash_message(&mut hash, plaintext, blocks, lengths);
            tag_of(isa, &round_keys, hash.finish(), nonce)
        };
        tag.store(self.tag);
        wipe(round_keys.as_flattened_mut());
    }
}

/// A message of any length, in registers.
struct LongSivTask<'a, 'i, 'o, D>(Message<'a, 'i, 'o, D>);

impl<D: Direction> KeyedTask<&RoundKeys, &[u8]> for LongSivTask<'_, '_, '_, D> {
    type Output = ();

    #[inline(always)]
    fn run_keyed<I: Isa>(self, isa: I, round_keys: &RoundKeys, nonce: &[u8]) {
        match const { I::Register::BLOCKS } {
            1 => self.0.long::<I, { room(1) }>(isa, round_keys, nonce),
            2 => self.0.long::<I, { room(2) }>(isa, round_keys, nonce),
            _ => self.0.long::<I, { room(4) }>(isa, round_keys, nonce),
        }
    }
}

impl<D: Direction> Message<'_, '_, '_, D> {
    /// A message of any length; there is room for as many powers as the back end takes.
    #[inline(always)]
    fn long<I: Isa, const ROOM: usize>(self, isa: I, round_keys: &RoundKeys, nonce: &[u8]) {
        let Self { ad, mut buffer, received, .. } = self;
        let (ad_bytes, bytes) = (ad.len(), buffer.len());
        let Derived { h, key } = derive(isa, round_keys, nonce);
        let mut round_keys = [[0; 16]; 15];
        aes::expand::<Aes256, I::X1>(isa, key, &mut round_keys);
        let blocks = ad_bytes.div_ceil(16) + bytes.div_ceil(16) + 1;
        let mut powers = Powers::<ROOM>::ZERO;
        powers.fill_for::<I::Register>(isa, h, blocks);

        let mut polyval = Polyval::<I::Register, ROOM>::new(isa, &powers);
        let group_blocks = Polyval::<I::Register, ROOM>::GROUP_BLOCKS;
        let group = 16 * group_blocks;
        let whole = bytes / group * group;
        // CT: lengths are public. Inputs that fit into one sum are reduced once.
        let one_sum = blocks <= group_blocks;
        if one_sum {
            polyval.expect(blocks);
            polyval.take_part(ad);
        } else {
            polyval.take_all(ad);
        }
        let rest_blocks = ((bytes - whole).div_ceil(16) + 1).min(group_blocks);
        let tag = if D::SEALS {
            let (groups, rest) = buffer.get_in().split_at(whole);
            polyval.take_all(groups);
            if !one_sum {
                polyval.expect(rest_blocks);
            }
            polyval.take_part(rest);
            polyval.take_lengths(ad_bytes as u64, bytes as u64);
            let tag = tag_of(isa, &round_keys, polyval.finish(), nonce);
            let mut stream = Stream::<I::Register, ROOM>::new(isa, &round_keys, tag);
            for at in (0..whole).step_by(group) {
                let (_, mut rest) = buffer.reborrow().split_at(at);
                let output = stream.group(&rest.get_in()[..group], None);
                store(output, &mut rest.get_out()[..group]);
            }
            stream.rest(buffer, whole, None);
            tag
        } else {
            let mut stream = Stream::new(isa, &round_keys, I::X1::load(isa, received));
            if whole > 0 {
                let output = stream.group(&buffer.get_in()[..group], None);
                store(output, &mut buffer.get_out()[..group]);
                for at in (group..whole).step_by(group) {
                    let (mut done, mut rest) = buffer.reborrow().split_at(at);
                    let before = Some((&mut polyval, &done.get_out()[at - group..]));
                    let output = stream.group(&rest.get_in()[..group], before);
                    store(output, &mut rest.get_out()[..group]);
                }
                polyval.take_all(&buffer.get_out()[whole - group..whole]);
            }
            if !one_sum {
                polyval.expect(rest_blocks);
            }
            stream.rest(buffer, whole, Some(&mut polyval));
            polyval.take_lengths(ad_bytes as u64, bytes as u64);
            tag_of(isa, &round_keys, polyval.finish(), nonce)
        };
        tag.store(self.tag);
        wipe(round_keys.as_flattened_mut());
        powers.wipe();
    }
}

/// Counter mode over registers.
struct Stream<'k, L: Lanes, const ROOM: usize> {
    isa: L::Isa,
    round_keys: &'k RoundKeys,
    counters: Counters<L>,
}

impl<'k, L: Clmul, const ROOM: usize> Stream<'k, L, ROOM> {
    #[inline(always)]
    fn new(isa: L::Isa, round_keys: &'k RoundKeys, tag: L::X1) -> Self {
        Self { isa, round_keys, counters: Counters::new(isa, tag) }
    }

    /// Encrypts or decrypts a group. With a hash, `before`, a group of it, is hashed between the
    /// rounds, for the CPU computes both at once.
    #[inline(always)]
    fn group(
        &mut self,
        message: &[u8],
        before: Option<(&mut Polyval<'_, L, ROOM>, &[u8])>,
    ) -> [L; GROUP] {
        let Self { isa, round_keys, .. } = *self;
        let mut x = self.counters.next::<GROUP>();
        let whitening = L::broadcast(isa, &round_keys[0]);
        for x in &mut x {
            *x = x.xor(whitening);
        }
        if let Some((polyval, before)) = before {
            // Two rounds to two registers.
            for j in (0..GROUP).step_by(2) {
                x = self.round(x, j + 1);
                polyval.take_of_group(j, [load(isa, before, j), load(isa, before, j + 1)]);
                x = self.round(x, j + 2);
            }
            polyval.end_group();
        } else {
            for r in 1..=GROUP {
                x = self.round(x, r);
            }
        }
        for r in GROUP + 1..Aes256::ROUNDS {
            x = self.round(x, r);
        }
        let mut last = [L::broadcast(isa, &round_keys[Aes256::ROUNDS]); GROUP];
        for (j, key) in last.iter_mut().enumerate() {
            *key = key.xor(load(isa, message, j));
        }
        L::aes_last_rounds(x, last)
    }

    #[inline(always)]
    fn round(&self, x: [L; GROUP], r: usize) -> [L; GROUP] {
        L::aes_rounds(x, [L::broadcast(self.isa, &self.round_keys[r]); GROUP])
    }

    /// The rest from `from` on, less than a group. With a hash, its output is hashed.
    #[inline(always)]
    fn rest(
        mut self,
        mut buffer: InOutBuf<'_, '_, u8>,
        from: usize,
        mut polyval: Option<&mut Polyval<'_, L, ROOM>>,
    ) {
        let bytes = buffer.len();
        // CT: lengths are public.
        let key_stream = match (bytes - from).div_ceil(L::BYTES) {
            0 => return,
            1 => self.key_stream::<1>(),
            2 => self.key_stream::<2>(),
            3 | 4 => self.key_stream::<4>(),
            _ => self.key_stream::<GROUP>(),
        };
        for (j, z) in key_stream.into_iter().enumerate() {
            let (from, to) = (from + j * L::BYTES, (from + (j + 1) * L::BYTES).min(bytes));
            if from >= to {
                break;
            }
            // Sealing gives back the output.
            let output = add_partial::<L>(self.isa, z, &mut buffer, from..to, true);
            if let Some(polyval) = &mut polyval {
                polyval.take(output, (to - from).div_ceil(16));
            }
        }
    }

    /// `N` registers of key stream, and the first of them again.
    #[inline(always)]
    fn key_stream<const N: usize>(&mut self) -> [L; GROUP] {
        let x = aes::encrypt::<Aes256, L, N>(self.isa, self.round_keys, self.counters.next());
        let mut key_stream = [x[0]; GROUP];
        key_stream[..N].copy_from_slice(&x);
        key_stream
    }
}
