//! The lanes of one AEGIS algorithm at work: absorbing, encrypting, decrypting, the tag.
//!
//! Lanes are independent until the tag, so the `D` lanes of an algorithm are split into `K` parts of
//! `D / K` lanes, each a [`State`] over one vector type. `K = 1` runs all lanes side by side, in
//! vectors wider than the registers if it must be. `K > 1` runs part after part over a stretch of
//! the message that stays in the first-level cache, then the next stretch. Which is faster depends
//! on how many registers the state takes: [`Strategy`].

use core::marker::PhantomData;

use aead::inout::InOutBuf;

use super::state::State;
use super::variant::{MAX_DEGREE, VariantImpl};
use crate::backend::{Isa, Lanes, Task};

/// How degrees wider than a register are evaluated. The result is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The faster of the two, as measured.
    Auto,
    /// All lanes side by side, several registers to a vector.
    Wide,
    /// One register of lanes after the other, meeting every [`STRETCH`] bytes.
    LaneByLane,
}

/// How much of the message one part runs ahead of the next: input and output of all parts stay in a
/// first-level cache of 32 KiB.
const STRETCH: usize = 8192;

/// A computation on an [`Engine`], for any division of the lanes into parts.
pub(super) trait LaneTask<V: VariantImpl> {
    type Output;
    fn run<L: Lanes, const K: usize>(self, isa: L::Isa) -> Self::Output;
}

/// Divides the lanes of `V` into parts and runs a [`LaneTask`].
pub(super) struct OnLanes<V, T> {
    pub(super) task: T,
    pub(super) strategy: Strategy,
    pub(super) variant: PhantomData<V>,
}

impl<V: VariantImpl, T: LaneTask<V>> Task for OnLanes<V, T> {
    type Output = T::Output;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> T::Output {
        let side_by_side = match self.strategy {
            Strategy::Auto => const { fastest::<V, I>() },
            Strategy::Wide => 4,
            Strategy::LaneByLane => I::REGISTER_BLOCKS,
        };
        match side_by_side {
            4 if const { V::DEGREE.is_multiple_of(4) } => self.split::<I::X4>(isa),
            2 | 4 if const { V::DEGREE.is_multiple_of(2) } => self.split::<I::X2>(isa),
            _ => self.split::<I::X1>(isa),
        }
    }
}

/// How many lanes to run side by side with instruction set `I`.
const fn fastest<V: VariantImpl, I: Isa>() -> usize {
    I::REGISTER_BLOCKS
}

impl<V: VariantImpl, T: LaneTask<V>> OnLanes<V, T> {
    #[inline(always)]
    fn split<L: Lanes>(self, isa: L::Isa) -> T::Output {
        match const { V::DEGREE / L::BLOCKS } {
            1 => self.task.run::<L, 1>(isa),
            2 => self.task.run::<L, 2>(isa),
            3 => self.task.run::<L, 3>(isa),
            4 => self.task.run::<L, 4>(isa),
            5 => self.task.run::<L, 5>(isa),
            6 => self.task.run::<L, 6>(isa),
            7 => self.task.run::<L, 7>(isa),
            8 => self.task.run::<L, 8>(isa),
            9 => self.task.run::<L, 9>(isa),
            10 => self.task.run::<L, 10>(isa),
            11 => self.task.run::<L, 11>(isa),
            12 => self.task.run::<L, 12>(isa),
            13 => self.task.run::<L, 13>(isa),
            14 => self.task.run::<L, 14>(isa),
            15 => self.task.run::<L, 15>(isa),
            16 => self.task.run::<L, 16>(isa),
            _ => unreachable!("a degree is at most {MAX_DEGREE}"),
        }
    }
}

/// All lanes of an algorithm, in `K` parts.
pub(super) struct Engine<V: VariantImpl, L: Lanes, const K: usize> {
    isa: L::Isa,
    parts: [V::State<L>; K],
}

/// The words of one update.
type Words<V, L> = <<V as VariantImpl>::State<L> as State<L>>::Words;

impl<V: VariantImpl, L: Lanes, const K: usize> Engine<V, L, K> {
    const WORDS: usize = <V::State<L> as State<L>>::WORDS;

    /// The state under `key` and `nonce`.
    #[inline(always)]
    pub(super) fn new(isa: L::Isa, key: &[u8], nonce: &[u8]) -> Self {
        let parts = core::array::from_fn(|p| {
            let context = const { V::DEGREE > 1 }.then(|| {
                let mut contexts = [[0; 16]; MAX_DEGREE];
                for (i, context) in contexts.iter_mut().take(L::BLOCKS).enumerate() {
                    context[..2].copy_from_slice(&V::context(p * L::BLOCKS + i));
                }
                L::load(isa, &contexts.as_flattened()[..L::BYTES])
            });
            V::State::init(isa, key, nonce, context)
        });
        Self { isa, parts }
    }

    /// The state from the bytes of its registers: register by register, lane by lane.
    #[inline(always)]
    pub(super) fn thaw(isa: L::Isa, registers: &[u8]) -> Self {
        let parts = core::array::from_fn(|p| {
            V::State::from_registers(|r| {
                L::load(isa, &registers[16 * (r * V::DEGREE) + p * L::BYTES..][..L::BYTES])
            })
        });
        Self { isa, parts }
    }

    /// The inverse of [`thaw`](Self::thaw).
    #[inline(always)]
    pub(super) fn freeze(&self, registers: &mut [u8]) {
        for (p, part) in self.parts.iter().enumerate() {
            for (r, register) in part.registers().iter().enumerate() {
                register.store(&mut registers[16 * (r * V::DEGREE) + p * L::BYTES..][..L::BYTES]);
            }
        }
    }

    /// Where word `w` of part `p` lies within the bytes of one update.
    #[inline(always)]
    fn at(p: usize, w: usize) -> usize {
        16 * w * V::DEGREE + p * L::BYTES
    }

    /// The share of word `w` of part `p` in a last, partial update of `bytes` bytes.
    #[inline(always)]
    fn share(p: usize, w: usize, bytes: usize) -> core::ops::Range<usize> {
        let at = Self::at(p, w);
        at.min(bytes)..(at + L::BYTES).min(bytes)
    }

    /// Calls `update(part, p, offset)` for every part and every whole update of `bytes` bytes; the
    /// rest is less than one update.
    #[inline(always)]
    fn for_each_update(
        &mut self,
        bytes: usize,
        mut update: impl FnMut(&mut V::State<L>, usize, usize),
    ) {
        let stretch = if K == 1 { usize::MAX } else { STRETCH / V::RATE * V::RATE };
        let mut start = 0;
        while bytes - start >= V::RATE {
            let end = if bytes - start > stretch { start + stretch } else { bytes };
            for p in 0..K {
                // A copy, so that the state lives in registers for the whole stretch.
                let mut part = self.parts[p];
                let mut offset = start;
                while end - offset >= V::RATE {
                    update(&mut part, p, offset);
                    offset += V::RATE;
                }
                self.parts[p] = part;
            }
            start += (end - start) / V::RATE * V::RATE;
        }
    }

    #[inline(always)]
    fn load(isa: L::Isa, p: usize, update: &[u8]) -> Words<V, L> {
        V::State::words(|w| L::load(isa, &update[Self::at(p, w)..][..L::BYTES]))
    }

    #[inline(always)]
    fn load_partial(isa: L::Isa, p: usize, update: &[u8]) -> Words<V, L> {
        V::State::words(|w| L::load_partial(isa, &update[Self::share(p, w, update.len())]))
    }

    #[inline(always)]
    fn store(words: Words<V, L>, p: usize, update: &mut [u8]) {
        for (w, word) in words.as_ref().iter().enumerate() {
            word.store(&mut update[Self::at(p, w)..][..L::BYTES]);
        }
    }

    #[inline(always)]
    fn store_partial(words: Words<V, L>, p: usize, update: &mut [u8]) {
        for (w, word) in words.as_ref().iter().enumerate() {
            let share = Self::share(p, w, update.len());
            word.store_partial(&mut update[share]);
        }
    }

    /// Absorbs `data`, padded with zeros to whole updates.
    #[inline(always)]
    pub(super) fn absorb(&mut self, data: &[u8]) {
        let isa = self.isa;
        self.for_each_update(data.len(), |part, p, offset| {
            part.absorb(Self::load(isa, p, &data[offset..][..V::RATE]));
        });
        let rest = &data[data.len() / V::RATE * V::RATE..];
        if !rest.is_empty() {
            for p in 0..K {
                self.parts[p].absorb(Self::load_partial(isa, p, rest));
            }
        }
    }

    /// Encrypts `buffer`; only the last call for a message may have a partial update.
    #[inline(always)]
    pub(super) fn encrypt(&mut self, mut buffer: InOutBuf<'_, '_, u8>) {
        let isa = self.isa;
        self.for_each_update(buffer.len(), |part, p, offset| {
            let m = Self::load(isa, p, &buffer.get_in()[offset..][..V::RATE]);
            let c = part.encrypt(m);
            Self::store(c, p, &mut buffer.get_out()[offset..][..V::RATE]);
        });
        let whole = buffer.len() / V::RATE * V::RATE;
        let (_, mut rest) = buffer.split_at(whole);
        if !rest.is_empty() {
            for p in 0..K {
                let m = Self::load_partial(isa, p, rest.get_in());
                let c = self.parts[p].encrypt(m);
                Self::store_partial(c, p, rest.get_out());
            }
        }
    }

    /// Decrypts `buffer`; only the last call for a message may have a partial update.
    #[inline(always)]
    pub(super) fn decrypt(&mut self, mut buffer: InOutBuf<'_, '_, u8>) {
        let isa = self.isa;
        self.for_each_update(buffer.len(), |part, p, offset| {
            let c = Self::load(isa, p, &buffer.get_in()[offset..][..V::RATE]);
            let m = part.decrypt(c);
            Self::store(m, p, &mut buffer.get_out()[offset..][..V::RATE]);
        });
        let whole = buffer.len() / V::RATE * V::RATE;
        let (_, mut rest) = buffer.split_at(whole);
        if !rest.is_empty() {
            let bytes = rest.len();
            for p in 0..K {
                let c = Self::load_partial(isa, p, rest.get_in());
                let z = self.parts[p].key_stream();
                // What is absorbed is the padded message: nothing of the key stream behind it.
                let m = V::State::words(|w| {
                    c.as_ref()[w].xor(z.as_ref()[w]).truncate(Self::share(p, w, bytes).len())
                });
                self.parts[p].absorb(m);
                Self::store_partial(m, p, rest.get_out());
            }
        }
    }

    /// Exclusive-ors `buffer` with the encryption of zeros.
    #[inline(always)]
    pub(super) fn xor_key_stream(&mut self, mut buffer: InOutBuf<'_, '_, u8>) {
        let isa = self.isa;
        let zero = L::broadcast(isa, &[0; 16]);
        let zeros = V::State::words(|_| zero);
        self.for_each_update(buffer.len(), |part, p, offset| {
            let m = Self::load(isa, p, &buffer.get_in()[offset..][..V::RATE]);
            let z = part.encrypt(zeros);
            let c = V::State::words(|w| m.as_ref()[w].xor(z.as_ref()[w]));
            Self::store(c, p, &mut buffer.get_out()[offset..][..V::RATE]);
        });
        let whole = buffer.len() / V::RATE * V::RATE;
        let (_, mut rest) = buffer.split_at(whole);
        if !rest.is_empty() {
            for p in 0..K {
                let m = Self::load_partial(isa, p, rest.get_in());
                let z = self.parts[p].key_stream();
                let c = V::State::words(|w| m.as_ref()[w].xor(z.as_ref()[w]));
                Self::store_partial(c, p, rest.get_out());
            }
        }
    }

    /// Mixes in `LE64(8·first) ‖ LE64(8·second)`, lengths in bytes.
    #[inline(always)]
    fn mix_lengths(&mut self, first: u64, second: u64) {
        let lengths = L::broadcast(self.isa, &lengths_block(8 * first, 8 * second));
        for part in &mut self.parts {
            part.mix_lengths(lengths);
        }
    }

    /// The tag, of 16 or 32 bytes.
    #[inline(always)]
    pub(super) fn finalize(mut self, ad_bytes: u64, message_bytes: u64, tag: &mut [u8]) {
        self.mix_lengths(ad_bytes, message_bytes);
        let sum = |of: &dyn Fn(&V::State<L>) -> L| {
            let mut sum = of(&self.parts[0]);
            for part in &self.parts[1..] {
                sum = sum.xor(of(part));
            }
            sum.xor_blocks()
        };
        if tag.len() == 16 {
            sum(&|part| part.tag128()).store(tag);
        } else {
            sum(&|part| part.tag256()[0]).store(&mut tag[..16]);
            sum(&|part| part.tag256()[1]).store(&mut tag[16..]);
        }
    }

    /// AEGISMAC's tag (draft section 5): the lanes' tags are absorbed by lane 0, whose own tag is
    /// the result.
    #[inline(always)]
    pub(super) fn finalize_mac(mut self, message_bytes: u64, tag: &mut [u8]) {
        let tag_bytes = tag.len() as u64;
        self.mix_lengths(message_bytes, tag_bytes);
        let halves = tag.len() / 16;
        // The tags of all lanes: `lanes[i][h]` is half `h` of the tag of lane `i`.
        let mut lanes = [[[0; 16]; 2]; MAX_DEGREE];
        for (p, part) in self.parts.iter().enumerate() {
            let words = if halves == 1 { [part.tag128(); 2] } else { part.tag256() };
            for (h, word) in words.iter().take(halves).enumerate() {
                let mut blocks = [[0; 16]; MAX_DEGREE];
                word.store(&mut blocks.as_flattened_mut()[..L::BYTES]);
                for i in 0..L::BLOCKS {
                    lanes[p * L::BLOCKS + i][h] = blocks[i];
                }
            }
        }
        if const { V::DEGREE > 1 } {
            // With two words an update and 16-byte tags, lane 0's own tag fills the first pair.
            let first = if Self::WORDS == 2 && halves == 1 { 0 } else { 1 };
            let mut tags = [[0; 16]; 2 * MAX_DEGREE];
            let mut count = 0;
            for lane in &lanes[first..V::DEGREE] {
                for block in &lane[..halves] {
                    tags[count] = *block;
                    count += 1;
                }
            }
            // Only lane 0 matters from here on.
            let isa = self.isa;
            let mut registers = [[0; 16]; 8 * MAX_DEGREE];
            self.freeze(registers.as_flattened_mut());
            type Lane0<V, L> = <V as VariantImpl>::State<<L as Lanes>::X1>;
            let mut lane0 = Lane0::<V, L>::from_registers(|r| {
                <L::X1 as Lanes>::broadcast(isa, &registers[r * V::DEGREE])
            });
            for update in tags[..count].chunks(Self::WORDS) {
                lane0.absorb(Lane0::<V, L>::words(|w| L::X1::broadcast(isa, &update[w])));
            }
            let lengths = lengths_block(V::DEGREE as u64, 8 * tag_bytes);
            lane0.mix_lengths(L::X1::broadcast(isa, &lengths));
            let words = if halves == 1 { [lane0.tag128(); 2] } else { lane0.tag256() };
            for (half, word) in lanes[0].iter_mut().zip(words) {
                word.store(half);
            }
        }
        tag.copy_from_slice(&lanes[0].as_flattened()[..tag.len()]);
    }
}

/// `LE64(first) ‖ LE64(second)`.
#[inline(always)]
fn lengths_block(first: u64, second: u64) -> [u8; 16] {
    ((u128::from(second) << 64) | u128::from(first)).to_le_bytes()
}
