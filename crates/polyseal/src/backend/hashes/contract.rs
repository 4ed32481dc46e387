//! The contract between compression functions and back ends: the same word of several inputs, side
//! by side.

use core::fmt::Debug;

use zeroize::Zeroize;

use super::super::cpu::Soft;
#[cfg(target_arch = "aarch64")]
use super::super::cpu::{ArmSha256, ArmSha512};
#[cfg(target_arch = "x86_64")]
use super::super::cpu::{Avx2, Avx512, ShaNi};

/// A word of 32 or 64 bits.
pub trait Integer: Copy + Debug + Default + Zeroize + Send + Sync + 'static {
    /// How many bytes it has.
    const BYTES: usize;

    /// The word whose bytes these are, the most significant first if `big`, otherwise last.
    fn read(big: bool, bytes: &[u8]) -> Self;
    /// The inverse of [`read`](Self::read).
    fn write(self, big: bool, bytes: &mut [u8]);
    /// The sum, modulo 2 to the word's bits.
    fn plus(self, other: Self) -> Self;
    /// Exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// A rotation to the right.
    fn rotated(self, bits: u32) -> Self;
    /// A shift to the right.
    fn shifted(self, bits: u32) -> Self;
}

macro_rules! integer {
    ($word:ty) => {
        impl Integer for $word {
            const BYTES: usize = size_of::<Self>();

            #[inline(always)]
            fn read(big: bool, bytes: &[u8]) -> Self {
                let mut word = [0; size_of::<Self>()];
                word.copy_from_slice(bytes);
                if big { Self::from_be_bytes(word) } else { Self::from_le_bytes(word) }
            }

            #[inline(always)]
            fn write(self, big: bool, bytes: &mut [u8]) {
                bytes.copy_from_slice(&if big { self.to_be_bytes() } else { self.to_le_bytes() });
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn rotated(self, bits: u32) -> Self {
                self.rotate_right(bits)
            }

            #[inline(always)]
            fn shifted(self, bits: u32) -> Self {
                self >> bits
            }
        }
    };
}

integer!(u32);
integer!(u64);

/// The proof that this CPU can run some instructions.
pub trait Enter: Copy {
    /// Runs `routine` compiled with the target features of this proof, and never inlined.
    fn enter<R: EnteredTask>(self, routine: R);
}

/// The proof that this CPU can run some vectors' code.
pub trait Proof: Enter {
    /// As many 32-bit words as a register holds.
    type Words32: HashWords<Proof = Self, Word = u32>;
    /// As many 64-bit words as a register holds.
    type Words64: HashWords<Proof = Self, Word = u64>;
}

/// A computation in vectors. Implementations mark `run` `#[inline(always)]`, as they do every
/// generic function below it.
pub trait EnteredTask {
    /// The computation.
    fn run(self);
}

impl Enter for Soft {
    #[inline(never)]
    fn enter<R: EnteredTask>(self, routine: R) {
        routine.run();
    }
}

impl Proof for Soft {
    type Words32 = OneWord<u32, Self>;
    type Words64 = OneWord<u64, Self>;
}

/// A proof's way into code with its target features.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! enter {
    ($proof:ty, $features:literal) => {
        impl Enter for $proof {
            #[inline(always)]
            fn enter<R: EnteredTask>(self, routine: R) {
                /// # Safety
                /// The CPU must have the target features.
                #[target_feature(enable = $features)]
                #[inline(never)]
                unsafe fn entry<R: EnteredTask>(routine: R) {
                    routine.run();
                }
                // SAFETY: `self` is the proof of these features.
                unsafe { entry(routine) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
enter!(Avx2, "avx2,bmi2");
#[cfg(target_arch = "x86_64")]
enter!(Avx512, "avx2,bmi2,avx512f,avx512bw,avx512vl");
#[cfg(target_arch = "x86_64")]
enter!(ShaNi, "sha,ssse3,sse4.1");
#[cfg(target_arch = "aarch64")]
enter!(ArmSha256, "neon,sha2");
#[cfg(target_arch = "aarch64")]
enter!(ArmSha512, "neon,sha3");

#[cfg(target_arch = "x86_64")]
impl Proof for Avx2 {
    type Words32 = super::avx2::Words32;
    type Words64 = super::avx2::Words64;
}

#[cfg(target_arch = "x86_64")]
impl Proof for Avx512 {
    type Words32 = super::avx512::Words32;
    type Words64 = super::avx512::Words64;
}

/// Instructions made for a compression function, and the proof that this CPU has them.
pub trait Unit: Enter {
    /// A word.
    type Word: Integer;
    /// A chaining value, in the order that the instructions take.
    type Chain: Copy;
    /// The second half of a block, in words.
    type Words: Copy;

    /// The words with these bytes.
    fn load(self, bytes: &[u8]) -> Self::Words;
    /// The inverse of [`load`](Self::load).
    fn store(self, words: Self::Words, bytes: &mut [u8]);
    /// Exclusive or.
    fn xor(self, x: Self::Words, y: Self::Words) -> Self::Words;
    /// The chaining value of these words.
    fn chain(self, words: Self::Words) -> Self::Chain;
    /// The inverse of [`chain`](Self::chain).
    fn words(self, chain: Self::Chain) -> Self::Words;
    /// A chaining value, exclusive or these words.
    fn mask(self, chain: Self::Chain, words: Self::Words) -> Self::Chain;
    /// The compression function with round constants `k`, the first half of the block `key`, and
    /// its sums with constants. `N` chaining values have each a second half.
    fn compress<const N: usize>(
        self,
        k: &[Self::Word],
        key: &[Self::Word; 8],
        sums: &[Self::Word; 8],
        chains: [Self::Chain; N],
        words: [Self::Words; N],
    ) -> [Self::Chain; N];
}

/// Operations on every word of a vector.
pub trait Lanewise: Copy {
    /// The sum of words, modulo 2 to their bits.
    fn add(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Each word rotated to the right, by a number known at compile time once all is inlined.
    fn rotate(self, bits: u32) -> Self;
    /// Each word shifted to the right, by a number known at compile time once all is inlined.
    fn shift(self, bits: u32) -> Self;
    /// `self ⊕ a ⊕ b`.
    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        self.xor(a).xor(b)
    }
    /// Where `self` has a one, `a`, otherwise `b`, bit by bit.
    #[inline(always)]
    fn choose(self, a: Self, b: Self) -> Self {
        a.xor(b).and(self).xor(b)
    }
    /// The bits that two or three of them have.
    #[inline(always)]
    fn majority(self, a: Self, b: Self) -> Self {
        self.xor(a).and(a.xor(b)).xor(a)
    }
}

/// A vector of the same word of several inputs.
pub trait HashWords: Lanewise {
    /// The proof of its instruction set.
    type Proof: Proof;
    /// A single word.
    type Word: Integer;

    /// How many words it holds.
    const LANES: usize;

    /// `word` in every lane.
    fn splat(proof: Self::Proof, word: Self::Word) -> Self;
    /// Word `k` of each of [`LANES`](Self::LANES) blocks of eight words that follow each other in
    /// `source`, as vector `k`; words begin with their most significant byte if `big`.
    fn load(big: bool, proof: Self::Proof, source: &[u8]) -> [Self; 8];
    /// The inverse of [`load`](Self::load).
    fn store(big: bool, x: [Self; 8], target: &mut [u8]);
}

/// One word, with any proof.
#[derive(Clone, Copy)]
pub struct OneWord<W, P>(pub(super) W, pub(super) P);

#[cfg(target_arch = "x86_64")]
impl<W, P> OneWord<W, P> {
    /// This word.
    #[inline(always)]
    pub(crate) fn new(proof: P, word: W) -> Self {
        Self(word, proof)
    }
}

impl<W: Integer, P: Proof> HashWords for OneWord<W, P> {
    type Proof = P;
    type Word = W;

    const LANES: usize = 1;

    #[inline(always)]
    fn splat(proof: P, word: W) -> Self {
        Self(word, proof)
    }

    #[inline(always)]
    fn load(big: bool, proof: P, source: &[u8]) -> [Self; 8] {
        assert!(source.len() == 8 * W::BYTES);
        let mut x = [Self(W::default(), proof); 8];
        for k in 0..8 {
            x[k].0 = W::read(big, &source[W::BYTES * k..W::BYTES * (k + 1)]);
        }
        x
    }

    #[inline(always)]
    fn store(big: bool, x: [Self; 8], target: &mut [u8]) {
        assert!(target.len() == 8 * W::BYTES);
        for k in 0..8 {
            x[k].0.write(big, &mut target[W::BYTES * k..W::BYTES * (k + 1)]);
        }
    }
}

impl<W: Integer, P: Proof> Lanewise for OneWord<W, P> {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.plus(other.0), self.1)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0.xor(other.0), self.1)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0.and(other.0), self.1)
    }

    #[inline(always)]
    fn rotate(self, bits: u32) -> Self {
        Self(self.0.rotated(bits), self.1)
    }

    #[inline(always)]
    fn shift(self, bits: u32) -> Self {
        Self(self.0.shifted(bits), self.1)
    }
}
