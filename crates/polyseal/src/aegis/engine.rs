//! The lanes of one AEGIS algorithm at work: absorbing, encrypting, decrypting, the tag.
//!
//! Lanes are independent until the tag, so the `D` lanes of an algorithm are split into `K` parts
//! of `D / K` lanes, each a [`State`] over one vector type. `K = 1` runs all lanes side by side, in
//! vectors wider than the registers if it must be. `K > 1` runs part after part over a few
//! updates of the message, then the next few. Which is faster depends
//! on how many registers the state takes: [`MEASURED`].

use core::hint::black_box;
use core::marker::PhantomData;

use aead::array::Array;

use super::pass::{Absorb, Pass};
use super::state::State;
use super::variant::{MAX_DEGREE, VariantImpl};
use crate::backend::{Isa, KeyedTask, Lanes, Task};

/// A strategy: how many lanes run side by side where the degree is wider than a register. This is
/// the faster of the two others, by a rule from measurements. The result is the same.
///
/// A constant of a type, so that only what is used is compiled: tests and benchmarks alone use
/// others.
pub(super) const MEASURED: usize = 0;

/// One register of lanes after the other, meeting every `STRETCH` bytes.
#[cfg(feature = "testing")]
pub const LANE_BY_LANE: usize = 1;

/// All lanes side by side, several registers to a vector.
#[cfg(feature = "testing")]
pub const WIDE: usize = 4;

/// How many updates one part runs ahead of the next. A CPU looks ahead over about as many, and so
/// begins the next part while the chain of this one goes on; with fewer, the parts' ways through
/// memory cost more than that gains (measured: 2, 3, 4, 6, 8, and stretches of 8 KiB).
const STRETCH: usize = 6;

/// A computation on an [`Engine`], for any division of the lanes into parts.
pub(super) trait LaneTask<V: VariantImpl> {
    type Output;
    fn run<L: Lanes, const K: usize>(self, isa: L::Isa) -> Self::Output;
}

/// The work after initialisation under a key and a nonce, for any division of the lanes into parts.
pub(super) trait MessageTask<V: VariantImpl> {
    fn run<L: Lanes, const K: usize>(self, engine: Engine<V, L, K>);
}

/// A key or a nonce of `V`.
type KeyOrNonce<'a, V> = &'a Array<u8, <V as VariantImpl>::KeySize>;

/// Divides the lanes of `V` into parts and runs a [`LaneTask`], or a [`MessageTask`].
pub(super) struct OnLanes<V, T, const STRATEGY: usize> {
    task: T,
    variant: PhantomData<V>,
}

impl<V: VariantImpl, T, const STRATEGY: usize> OnLanes<V, T, STRATEGY> {
    #[inline(always)]
    pub(super) fn new(task: T) -> Self {
        Self { task, variant: PhantomData }
    }
}

impl<V: VariantImpl, T: LaneTask<V>, const STRATEGY: usize> Task for OnLanes<V, T, STRATEGY> {
    type Output = T::Output;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> T::Output {
        match const { side_by_side::<V, I>(STRATEGY) } {
            4 => self.split::<I::X4>(isa),
            2 => self.split::<I::X2>(isa),
            _ => self.split::<I::X1>(isa),
        }
    }
}

impl<'a, V, T, const STRATEGY: usize> KeyedTask<KeyOrNonce<'a, V>, KeyOrNonce<'a, V>>
    for OnLanes<V, T, STRATEGY>
where
    V: VariantImpl,
    T: MessageTask<V>,
{
    type Output = ();

    #[inline(always)]
    fn run_keyed<I: Isa>(self, isa: I, key: KeyOrNonce<'a, V>, nonce: KeyOrNonce<'a, V>) {
        let task = Initialised { key, nonce, task: self.task };
        OnLanes::<V, _, STRATEGY>::new(task).run(isa);
    }
}

/// A [`MessageTask`] and what comes before it.
struct Initialised<'a, V: VariantImpl, T> {
    key: KeyOrNonce<'a, V>,
    nonce: KeyOrNonce<'a, V>,
    task: T,
}

impl<V: VariantImpl, T: MessageTask<V>> LaneTask<V> for Initialised<'_, V, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, const K: usize>(self, isa: L::Isa) {
        self.task.run::<L, K>(Engine::new(isa, self.key, self.nonce));
    }
}

/// How many lanes run side by side with instruction set `I`: 1, 2 or 4.
const fn side_by_side<V: VariantImpl, I: Isa>(strategy: usize) -> usize {
    let mut lanes = match strategy {
        MEASURED => fastest::<V, I>(),
        lanes if lanes < I::REGISTER_BLOCKS => I::REGISTER_BLOCKS,
        lanes => lanes,
    };
    while !V::DEGREE.is_multiple_of(lanes) {
        lanes /= 2;
    }
    lanes
}

/// The measured strategy: as many lanes as a register holds, and more while their state leaves a
/// quarter of the registers free. (Measured on x86-64: a state that spills loses up to half of the
/// speed, one that fits twice gains up to 1.4×. Neon follows the same rule, unmeasured.)
const fn fastest<V: VariantImpl, I: Isa>() -> usize {
    let mut lanes = I::REGISTER_BLOCKS;
    while lanes < 4
        && V::DEGREE.is_multiple_of(2 * lanes)
        && V::REGISTERS * (2 * lanes / I::REGISTER_BLOCKS) <= I::REGISTERS / 4 * 3
    {
        lanes *= 2;
    }
    lanes
}

impl<V: VariantImpl, T: LaneTask<V>, const STRATEGY: usize> OnLanes<V, T, STRATEGY> {
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

/// The state of lane 0 alone.
type Lane0<V, L> = <V as VariantImpl>::State<<L as Lanes>::X1>;

impl<V: VariantImpl, L: Lanes, const K: usize> Engine<V, L, K> {
    /// The state under `key` and `nonce`.
    #[inline(always)]
    pub(super) fn new(isa: L::Isa, key: &[u8], nonce: &[u8]) -> Self {
        let (key, nonce) = (V::State::<L>::blocks(isa, key), V::State::<L>::blocks(isa, nonce));
        let mut parts = [V::State::init(isa, key, nonce, Self::context(isa, 0)); K];
        for p in 1..K {
            parts[p] = V::State::init(isa, key, nonce, Self::context(isa, p));
        }
        Self { isa, parts }
    }

    /// The contexts of the lanes of part `p`.
    #[inline(always)]
    fn context(isa: L::Isa, p: usize) -> Option<L> {
        if const { V::DEGREE == 1 } {
            return None;
        }
        Some(L::load(isa, &V::CONTEXTS.as_flattened()[p * L::BYTES..][..L::BYTES]))
    }

    /// The state from the bytes of its registers: register by register, lane by lane.
    #[inline(always)]
    pub(super) fn thaw(isa: L::Isa, registers: &[u8]) -> Self {
        let mut parts = [V::State::filled(L::broadcast(isa, &[0; 16])); K];
        for p in 0..K {
            for (r, register) in parts[p].registers_mut().iter_mut().enumerate() {
                *register =
                    L::load(isa, &registers[16 * r * V::DEGREE + p * L::BYTES..][..L::BYTES]);
            }
        }
        Self { isa, parts }
    }

    /// The inverse of [`thaw`](Self::thaw).
    #[inline(always)]
    pub(super) fn freeze(&self, registers: &mut [u8]) {
        for p in 0..K {
            for (r, register) in self.parts[p].registers().iter().enumerate() {
                register.store(&mut registers[16 * r * V::DEGREE + p * L::BYTES..][..L::BYTES]);
            }
        }
    }

    /// Takes `pass` over its bytes. Only the last pass over a message, or over its associated data,
    /// may end in a partial update.
    #[inline(always)]
    pub(super) fn take(&mut self, mut pass: impl Pass<V, L>) {
        let bytes = pass.bytes();
        let stretch = if K == 1 { usize::MAX } else { STRETCH * V::RATE };
        let mut start = 0;
        // In these words the compiler sees that a whole update is never beyond the end.
        while bytes - start >= V::RATE {
            let end = if bytes - start > stretch { start + stretch } else { bytes };
            let mut at = start;
            for p in 0..K {
                // Parts that take turns live in memory between them. The compiler must not know
                // which one it has, or it tries to keep every part in registers.
                let p = if K == 1 { 0 } else { black_box(p) };
                // A copy, so that the state lives in registers for the whole stretch.
                let mut part = self.parts[p];
                at = start;
                self.isa.align_code();
                while end - at >= V::RATE {
                    pass.whole(self.isa, &mut part, p, at);
                    at += V::RATE;
                }
                self.parts[p] = part;
            }
            start = at;
        }
        if start < bytes {
            for p in 0..K {
                pass.partial(self.isa, &mut self.parts[p], p, start);
            }
        }
    }

    /// Absorbs `data`, padded with zeros to whole updates.
    #[inline(always)]
    pub(super) fn absorb(&mut self, data: &[u8]) {
        self.take(Absorb { data });
    }

    /// Mixes in `LE64(8·first) ‖ LE64(8·second)`, lengths in bytes.
    #[inline(always)]
    fn mix_lengths(&mut self, first: u64, second: u64) {
        let lengths = L::broadcast(self.isa, &lengths_block(8 * first, 8 * second));
        for p in 0..K {
            self.parts[p].mix_lengths(lengths);
        }
    }

    /// The tag, of 16 or 32 bytes.
    #[inline(always)]
    pub(super) fn finalize(mut self, ad_bytes: u64, message_bytes: u64, tag: &mut [u8]) {
        self.mix_lengths(ad_bytes, message_bytes);
        if tag.len() == 16 {
            let mut sum = self.parts[0].tag128();
            for p in 1..K {
                sum = sum.xor(self.parts[p].tag128());
            }
            sum.xor_blocks().store(tag);
        } else {
            let [mut left, mut right] = self.parts[0].tag256();
            for p in 1..K {
                let [l, r] = self.parts[p].tag256();
                (left, right) = (left.xor(l), right.xor(r));
            }
            left.xor_blocks().store(&mut tag[..16]);
            right.xor_blocks().store(&mut tag[16..]);
        }
    }

    /// AEGISMAC's tag (RFC 10032, 8.3.2): the lanes' tags are absorbed by lane 0, whose own tag is
    /// the result.
    #[inline(always)]
    pub(super) fn finalize_mac(mut self, message_bytes: u64, tag: &mut [u8]) {
        let tag_bytes = tag.len() as u64;
        self.mix_lengths(message_bytes, tag_bytes);
        if const { V::DEGREE == 1 } {
            return lane_tag(&self.parts[0], tag);
        }
        let halves = tag.len() / 16;
        // The tags of all lanes, half by half.
        let mut tags = [[[0; 16]; MAX_DEGREE]; 2];
        for p in 0..K {
            let words = match halves {
                1 => [self.parts[p].tag128(); 2],
                _ => self.parts[p].tag256(),
            };
            for h in 0..halves {
                words[h].store(&mut tags[h].as_flattened_mut()[p * L::BYTES..][..L::BYTES]);
            }
        }
        let mut lane0 = Lane0::<V, L>::filled(L::X1::broadcast(self.isa, &[0; 16]));
        for (lane0, register) in lane0.registers_mut().iter_mut().zip(self.parts[0].registers()) {
            *lane0 = register.first_block();
        }
        // With two words an update and 16-byte tags, lane 0's own tag fills the first pair.
        let words = const { <V::State<L> as State<L>>::WORDS };
        let first = if words == 2 && halves == 1 { 0 } else { 1 };
        let mut update = Lane0::<V, L>::words(L::X1::broadcast(self.isa, &[0; 16]));
        let mut w = 0;
        for i in first..V::DEGREE {
            for h in 0..halves {
                update.as_mut()[w] = L::X1::broadcast(self.isa, &tags[h][i]);
                w += 1;
                if w == words {
                    lane0.absorb(update);
                    w = 0;
                }
            }
        }
        let lengths = lengths_block(V::DEGREE as u64, 8 * tag_bytes);
        lane0.mix_lengths(L::X1::broadcast(self.isa, &lengths));
        lane_tag(&lane0, tag);
    }
}

/// The tag of a state of one lane, of 16 or 32 bytes.
#[inline(always)]
fn lane_tag<L: Lanes, S: State<L>>(lane: &S, tag: &mut [u8]) {
    if tag.len() == 16 {
        lane.tag128().store(tag);
    } else {
        let [left, right] = lane.tag256();
        left.store(&mut tag[..16]);
        right.store(&mut tag[16..]);
    }
}

/// `LE64(first) ‖ LE64(second)`.
#[inline(always)]
fn lengths_block(first: u64, second: u64) -> [u8; 16] {
    ((u128::from(second) << 64) | u128::from(first)).to_le_bytes()
}
