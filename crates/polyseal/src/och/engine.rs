//! A message (sections 5 and 6), sealed or opened with the registers of a back end.

use aead::inout::InOutBuf;

use super::hash::{Hash, MOST_BYTES, code};
use super::offsets::{Blocks, Many, Offsets, Single, decipher, encipher};
use super::{BLOCK, Block};
use crate::backend::{Calls, Isa, Sequence, StackUse, Task, wipe};
use crate::perm::{States, Sum, add, load, store};

/// How many vectors of blocks are in flight.
const GROUP: usize = 4;

/// As much as a message or a key's expansion leaves on the stack.
type Stack = StackUse<4096, 4096, 4096, 4096>;

/// A key, expanded.
pub(super) struct Keys {
    pub(super) offsets: Offsets,
    pub(super) hash: Hash,
}

impl Keys {
    /// Without a key.
    pub(super) const EMPTY: Self = Self { offsets: Offsets::EMPTY, hash: Hash::EMPTY };
}

/// Expands a key.
pub(super) struct Expand<'a> {
    pub(super) key: &'a [u8],
    pub(super) keys: &'a mut Keys,
}

impl Sequence for Expand<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, calls: Calls<I>) {
        calls.call(self);
        calls.wipe::<Stack>();
    }
}

impl Task for Expand<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let mut ke = [0; BLOCK];
        self.keys.hash.fill(isa, self.key, &mut ke);
        self.keys.offsets.fill(isa, &ke);
        wipe(&mut ke);
    }
}

/// A message to be sealed or opened.
pub(super) struct Message<'a, 'i, 'o, const SEALS: bool> {
    pub(super) keys: &'a Keys,
    /// A nonce that is public, or none.
    pub(super) public: &'a [u8],
    /// A nonce that is hidden, to its ciphertext or back, or none.
    pub(super) hidden: InOutBuf<'i, 'o, u8>,
    pub(super) ad: &'a [u8],
    pub(super) text: InOutBuf<'i, 'o, u8>,
    /// When opening: the tag that came with it.
    pub(super) received: &'a [u8],
    /// The tag, or the tag that there should be.
    pub(super) tag: &'a mut [u8],
}

impl<const SEALS: bool> Sequence for Message<'_, '_, '_, SEALS> {
    #[inline(always)]
    fn run<I: Isa>(self, calls: Calls<I>) {
        calls.call(self);
        calls.wipe::<Stack>();
    }
}

impl<const SEALS: bool> Task for Message<'_, '_, '_, SEALS> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        let Keys { offsets, hash } = self.keys;
        // The input of H, and how long it is.
        let mut x = [0; MOST_BYTES];
        // CT: lengths are public.
        let end = match (self.hidden.is_empty(), self.text.len() < BLOCK) {
            (true, true) => {
                let nonce = Single::<I>::load(isa, self.public);
                return self.tiny(isa, &Blocks::new(isa, offsets, nonce, 1));
            }
            (true, false) => {
                let nonce = Single::<I>::load(isa, self.public);
                let mut blocks = Blocks::new(isa, offsets, nonce, 1);
                self.long(isa, &mut blocks, Single::<I>::load_partial(isa, &[]), &mut x)
            }
            (false, _) => {
                let nonce = self.nonce(isa);
                nonce.store(&mut x[..BLOCK]);
                let mut blocks = Blocks::new(isa, offsets, nonce, 2);
                BLOCK + self.long(isa, &mut blocks, nonce, &mut x[BLOCK..])
            }
        };
        let mut u = hash.inner_tag(isa, &x[..end]);
        hash.tag(isa, &u, self.ad, self.public, self.tag);
        wipe(&mut x);
        wipe(&mut u);
    }
}

impl<const SEALS: bool> Message<'_, '_, '_, SEALS> {
    /// The hidden nonce, which is enciphered or deciphered.
    #[inline(always)]
    fn nonce<I: Isa>(&mut self, isa: I) -> Single<I> {
        let z = self.keys.offsets.of_hidden_nonce(isa);
        let input = Single::<I>::load(isa, self.hidden.get_in());
        let output = match SEALS {
            true => encipher(isa, z, input),
            false => decipher(isa, z, input),
        };
        output.store(self.hidden.get_out());
        if SEALS { input } else { output }
    }

    /// A message of less than a block, without a hidden nonce: encrypted with its own tag.
    #[inline(always)]
    fn tiny<I: Isa>(mut self, isa: I, blocks: &Blocks<'_, I>) {
        let hash = &self.keys.hash;
        let bytes = self.text.len();
        let mut message = [0; BLOCK];
        if SEALS {
            message[..bytes].copy_from_slice(self.text.get_in());
        } else {
            let received = Single::<I>::load(isa, self.received);
            self.add_tail(isa, blocks, 0, received);
            message[..bytes].copy_from_slice(self.text.get_out());
        }
        message[bytes] = code::TINY;
        let mut u = hash.inner_tag(isa, &message);
        hash.tag(isa, &u, self.ad, self.public, self.tag);
        if SEALS {
            let tag = Single::<I>::load(isa, self.tag);
            self.add_tail(isa, blocks, 0, tag);
        }
        wipe(&mut message);
        wipe(&mut u);
    }

    /// The text that follows `sum`, in whole blocks and a tail. Writes V to `x`, which is zeros,
    /// and returns its length.
    #[inline(always)]
    fn long<I: Isa>(
        &mut self,
        isa: I,
        blocks: &mut Blocks<'_, I>,
        sum: Single<I>,
        x: &mut [u8],
    ) -> usize {
        let tail = self.text.len() % BLOCK;
        let whole = self.text.len() - tail;
        let sum = sum.xor(self.whole_blocks(isa, blocks, whole));
        sum.left(16).store_partial(&mut x[..BLOCK]);
        let twice = (whole / BLOCK * 2) as u64;
        // CT: lengths are public.
        if tail == 0 {
            x[16..24].copy_from_slice(&twice.to_le_bytes());
            x[24] = code::WHOLE;
            return 32;
        }
        let mut message: Block = [0; BLOCK];
        let zero = Single::<I>::load_partial(isa, &[]);
        if SEALS {
            message[..tail].copy_from_slice(&self.text.get_in()[whole..]);
            self.add_tail(isa, blocks, whole, zero);
        } else {
            self.add_tail(isa, blocks, whole, zero);
            message[..tail].copy_from_slice(&self.text.get_out()[whole..]);
        }
        message[tail] = code::END;
        for i in 0..BLOCK {
            x[i] ^= message[i];
        }
        wipe(&mut message);
        let end = 16.max(tail + 1);
        x[end..end + 8].copy_from_slice(&(twice + 1).to_le_bytes());
        x[end + 8] = code::TAIL;
        48
    }

    /// Enciphers or deciphers the first `bytes` bytes; the sum of the plaintext's blocks.
    #[inline(always)]
    fn whole_blocks<I: Isa>(
        &mut self,
        isa: I,
        blocks: &mut Blocks<'_, I>,
        bytes: usize,
    ) -> Single<I> {
        let mut sum = Sum::<Many<I>>::new(isa);
        let mut at = 0;
        while at < bytes {
            let most = (GROUP * Many::<I>::COUNT).min((bytes - at) / BLOCK);
            let (first, count) = blocks.take(most);
            let end = at + BLOCK * count;
            // CT: lengths are public.
            match count <= 2 * Many::<I>::COUNT {
                true => self.vectors::<I, 2>(isa, blocks, first, (at, end), &mut sum),
                false => self.vectors::<I, GROUP>(isa, blocks, first, (at, end), &mut sum),
            }
            at = end;
        }
        sum.total()
    }

    /// Enciphers or deciphers the blocks from byte `at` to `end`, at most `N` vectors of them, from
    /// place `first` of their window on.
    #[inline(always)]
    fn vectors<I: Isa, const N: usize>(
        &mut self,
        isa: I,
        blocks: &Blocks<'_, I>,
        first: usize,
        (at, end): (usize, usize),
        sum: &mut Sum<Many<I>>,
    ) {
        let place = BLOCK * first;
        let z = load::<_, N>(isa, blocks.offsets.window(), place, place + end - at);
        let z = add(z, [Many::<I>::splat(isa, blocks.base); N]);
        let x = load::<_, N>(isa, self.text.get_in(), at, end);
        let y = match SEALS {
            true => Many::<I>::permute(isa, add(x, z)),
            false => Many::<I>::invert(isa, add(x, z)),
        };
        let y = add(y, z);
        sum.add(if SEALS { x } else { y }, end - at);
        store(y, self.text.get_out(), at, end);
    }

    /// Encrypts or decrypts the tail from byte `at` on, less than a block, with E of `x`.
    #[inline(always)]
    fn add_tail<I: Isa>(&mut self, isa: I, blocks: &Blocks<'_, I>, at: usize, x: Single<I>) {
        let pad = encipher(isa, blocks.star_of_last(), x);
        let input = Single::<I>::load_partial(isa, &self.text.get_in()[at..]);
        input.xor(pad).store_partial(&mut self.text.get_out()[at..]);
    }
}
