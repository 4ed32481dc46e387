//! The contract between permutations of 64-bit words and back ends: the same word of several
//! states, side by side.

use super::lanes::Isa;

/// A vector of 64-bit words.
pub trait Words: Copy {
    /// The instruction set that it belongs to.
    type Isa: Isa;

    /// How many words it holds.
    const COUNT: usize;

    /// The instruction set.
    fn isa(self) -> Self::Isa;
    /// `word` in every lane.
    fn broadcast(isa: Self::Isa, word: u64) -> Self;
    /// Word `k` of each of [`COUNT`](Self::COUNT) states of `W` little-endian words that follow
    /// each other in `source`, as vector `k`.
    fn load<const W: usize>(isa: Self::Isa, source: &[u8]) -> [Self; W];
    /// The inverse of [`load`](Self::load).
    fn store<const W: usize>(x: [Self; W], target: &mut [u8]);
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// `¬self ∧ other`, bitwise.
    fn not_and(self, other: Self) -> Self;
    /// Each word rotated by fewer than 64 bits, a number known at compile time once all is inlined.
    fn rotate_left(self, bits: u32) -> Self;
    /// The exclusive or of all words.
    fn xor_words(self) -> Word<Self::Isa>;
}

/// One 64-bit word, on any instruction set.
#[derive(Clone, Copy)]
pub struct Word<I>(pub(super) u64, pub(super) I);

impl<I> Word<I> {
    /// The word as an integer.
    #[inline(always)]
    pub(crate) fn get(self) -> u64 {
        self.0
    }
}

impl<I: Isa> Words for Word<I> {
    type Isa = I;

    const COUNT: usize = 1;

    #[inline(always)]
    fn isa(self) -> I {
        self.1
    }

    #[inline(always)]
    fn broadcast(isa: I, word: u64) -> Self {
        Self(word, isa)
    }

    #[inline(always)]
    fn load<const W: usize>(isa: I, source: &[u8]) -> [Self; W] {
        assert!(source.len() == 8 * W);
        let mut x = [Self(0, isa); W];
        for k in 0..W {
            x[k].0 = word_at(source, k);
        }
        x
    }

    #[inline(always)]
    fn store<const W: usize>(x: [Self; W], target: &mut [u8]) {
        assert!(target.len() == 8 * W);
        for k in 0..W {
            target[8 * k..8 * k + 8].copy_from_slice(&x[k].0.to_le_bytes());
        }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0 ^ other.0, self.1)
    }

    #[inline(always)]
    fn not_and(self, other: Self) -> Self {
        Self(!self.0 & other.0, self.1)
    }

    #[inline(always)]
    fn rotate_left(self, bits: u32) -> Self {
        Self(self.0.rotate_left(bits), self.1)
    }

    #[inline(always)]
    fn xor_words(self) -> Self {
        self
    }
}

/// The little-endian word at `8·i`.
#[inline(always)]
pub(super) fn word_at(source: &[u8], i: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&source[8 * i..8 * i + 8]);
    u64::from_le_bytes(word)
}

/// [`Words::load`] word by word.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(super) fn columns<const W: usize, const COUNT: usize>(source: &[u8]) -> [[u64; COUNT]; W] {
    assert!(source.len() == 8 * W * COUNT);
    let mut columns = [[0; COUNT]; W];
    for k in 0..W {
        for i in 0..COUNT {
            columns[k][i] = word_at(source, W * i + k);
        }
    }
    columns
}

/// The inverse of [`columns`].
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(super) fn write_columns<const W: usize, const COUNT: usize>(
    columns: [[u64; COUNT]; W],
    target: &mut [u8],
) {
    assert!(target.len() == 8 * W * COUNT);
    for k in 0..W {
        for i in 0..COUNT {
            let at = 8 * (W * i + k);
            target[at..at + 8].copy_from_slice(&columns[k][i].to_le_bytes());
        }
    }
}
