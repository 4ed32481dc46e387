//! The contract between algorithms and back ends: vectors of AES blocks.
//!
//! [`Lanes`] is a vector of 1, 2 or 4 AES blocks, [`Isa`] an instruction set with one such type for
//! each width. A width beyond the registers is a [`Wide`] of narrower vectors, so an algorithm may
//! ask for any width everywhere; what is fastest is its own choice.
//!
//! Every function is `#[inline(always)]` and uses loops rather than closures: a function that is
//! not inlined does not take on the target features of the wrapper that it is called from.

use super::KeyedTask;
use super::state_lanes::StateLanes;
use super::words::Words;

/// The methods of [`Clmul`] that tell blocks apart, for one block.
macro_rules! one_block {
    () => {
        #[inline(always)]
        fn splat(block: Self) -> Self {
            block
        }

        #[inline(always)]
        fn first_only(block: Self) -> Self {
            block
        }

        #[inline(always)]
        fn block(self, _: usize) -> Self {
            self
        }

        #[inline(always)]
        fn window(self, _: Self, _: usize) -> Self {
            self
        }

        #[inline(always)]
        fn join([block, ..]: [Self; 4]) -> Self {
            block
        }
    };
}
pub(super) use one_block;

/// An instruction set: the proof that this CPU has it, and its vector types.
pub trait Isa: Copy {
    /// One AES block.
    type X1: StateLanes<Isa = Self, X1 = Self::X1>;
    /// Two AES blocks.
    type X2: Lanes<Isa = Self, X1 = Self::X1>;
    /// Four AES blocks.
    type X4: Clmul<Isa = Self, X1 = Self::X1>;
    /// A register's worth of blocks.
    type Register: StateLanes<Isa = Self, X1 = Self::X1>;
    /// A register's worth of 64-bit words.
    type Words: Words<Isa = Self>;

    /// How many AES blocks a register of this instruction set holds.
    const REGISTER_BLOCKS: usize;
    /// How many vector registers there are.
    const REGISTERS: usize;
    /// Whether an AES round is the call of a function, and no instruction: a loop around it costs
    /// nothing, and to write the rounds one by one only makes more to compile.
    const ROUNDS_ARE_CALLS: bool = false;

    /// Computes `task` in the function that is compiled for this instruction set: for
    /// [`Calls`](super::Calls).
    fn enter<K, N, T>(self, key: K, nonce: N, task: T) -> T::Output
    where
        T: KeyedTask<K, N>;

    /// Begins a line of 64 bytes of the code; up to 16 more bytes may come before the loop. To be
    /// called before a short loop: on Zen 3, code is fetched by lines, and every other cycle while
    /// another thread runs on the core, so that a loop of 90 bytes across three lines takes 1.35
    /// times as long as across two (AEGIS-256).
    #[inline(always)]
    fn align_code(self) {
        #[cfg(target_arch = "x86_64")]
        if const { !Self::ROUNDS_ARE_CALLS } {
            super::code::align();
        }
    }

    /// Computes `part`: where [rounds are calls](Self::ROUNDS_ARE_CALLS), in one function for all
    /// callers.
    #[inline(always)]
    fn call_outlined<P: Outlined<Self>>(self, part: P) -> P::Output {
        part.run(self)
    }
}

/// A part of a computation that may have a function of its own.
pub trait Outlined<I> {
    /// The result.
    type Output;

    /// The computation, which is marked `#[inline(always)]`.
    fn run(self, isa: I) -> Self::Output;
}

/// A vector of AES blocks.
pub trait Lanes: Copy {
    /// The instruction set that it belongs to.
    type Isa: Isa;
    /// One block of the same instruction set.
    type X1: StateLanes<Isa = Self::Isa, X1 = Self::X1>;

    /// How many AES blocks it holds.
    const BLOCKS: usize;
    /// How many bytes it holds.
    const BYTES: usize = 16 * Self::BLOCKS;

    /// Exactly [`BYTES`](Self::BYTES) bytes of `source`.
    fn load(isa: Self::Isa, source: &[u8]) -> Self;
    /// At most [`BYTES`](Self::BYTES) bytes of `source`, then zeros.
    fn load_partial(isa: Self::Isa, source: &[u8]) -> Self;
    /// The 16 bytes of `block` in every lane.
    fn broadcast(isa: Self::Isa, block: &[u8]) -> Self;
    /// Writes exactly [`BYTES`](Self::BYTES) bytes.
    fn store(self, target: &mut [u8]);
    /// Writes the first `target.len()` bytes, at most [`BYTES`](Self::BYTES).
    fn store_partial(self, target: &mut [u8]);
    /// The first `bytes` bytes, then zeros.
    fn truncate(self, bytes: usize) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// `self` ⊕ `a` ⊕ `b`, in one instruction where there is one.
    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        self.xor(a).xor(b)
    }
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Has this value computed before anything that comes later in the program. Where registers are
    /// scarce, this keeps the compiler from interleaving two computations whose values do not fit
    /// side by side. Changes nothing else.
    #[inline(always)]
    fn settle(&mut self) {}
    /// The same on x86's 128-bit registers however many there are: for chains whose order the
    /// compiler had better leave alone.
    #[inline(always)]
    fn pin(&mut self) {}
    /// The block of the first lane.
    fn first_block(self) -> Self::X1;
    /// The exclusive or of all blocks.
    fn xor_blocks(self) -> Self::X1;
    /// `AESRound(x[i], round_keys[i])` for every `i`: SubBytes, ShiftRows, MixColumns, then the
    /// round key. Together, because a bitsliced back end computes many blocks at the cost of one.
    fn aes_rounds<const N: usize>(x: [Self; N], round_keys: [Self; N]) -> [Self; N];
}

/// A vector of AES blocks that are also whole AES's and GHASH's operands.
///
/// GHASH's field elements are held as POLYVAL's (RFC 8452, appendix A): reversed byte by byte, with
/// the coefficient of x^i at bit i, modulo x^128 + x^127 + x^126 + x^121 + 1.
pub trait Clmul: Lanes {
    /// `block` in every lane.
    fn splat(block: Self::X1) -> Self;
    /// `block` in the first lane, then zeros.
    fn first_only(block: Self::X1) -> Self;
    /// The block of lane `i`.
    fn block(self, i: usize) -> Self::X1;
    /// The lanes of this and then the next, but for the first `skipped`, which are fewer than there
    /// are in one.
    fn window(self, next: Self, skipped: usize) -> Self;
    /// As many of `blocks` as there are lanes, in their order.
    fn join(blocks: [Self::X1; 4]) -> Self;

    /// AES's last round, `ShiftRows(SubBytes(x[i])) ⊕ round_keys[i]` for every `i`.
    fn aes_last_rounds<const N: usize>(x: [Self; N], round_keys: [Self; N]) -> [Self; N];
    /// AES of `x[i]` for every `i`, whose rounds have all of `round_keys` but the first.
    #[inline(always)]
    fn aes<const N: usize>(isa: Self::Isa, mut x: [Self; N], round_keys: &[[u8; 16]]) -> [Self; N] {
        let rounds = round_keys.len() - 1;
        let whitening = Self::broadcast(isa, &round_keys[0]);
        for i in 0..N {
            x[i] = x[i].xor(whitening);
        }
        for key in &round_keys[1..rounds] {
            x = Self::aes_rounds(x, [Self::broadcast(isa, key); N]);
        }
        Self::aes_last_rounds(x, [Self::broadcast(isa, &round_keys[rounds]); N])
    }
    /// The last of each block's four words in all of them, its bytes rotated as RotWord does.
    fn spread_rotated(self) -> Self;
    /// The last of each block's four words in all of them.
    fn spread(self) -> Self;
    /// Each of a block's four words with those before it added: `w0, w0 ⊕ w1, …`.
    fn running_sums(self) -> Self;

    /// Each block, with word `W` of the one in `words` as its first word.
    fn with_first_word<const W: usize>(self, words: Self) -> Self;
    /// Bytes 0, 5, 10 and 15 of each block in all its words: what an AES round makes its first
    /// column of.
    fn diagonal(self) -> Self;

    /// The bytes of each block in the opposite order.
    fn reverse_bytes(self) -> Self;
    /// The sum of the 32-bit little-endian words, each modulo 2^32.
    fn add_words(self, other: Self) -> Self;

    /// The halves of each block exchanged.
    fn swap_halves(self) -> Self;
    /// The lower half of each block, and behind it that of `other`'s.
    fn low_halves(self, other: Self) -> Self;
    /// The upper half of each block, and behind it that of `other`'s.
    fn high_halves(self, other: Self) -> Self;
    /// The carry-less product of half `A` of each block of `self` and half `B` of `other`'s, where
    /// half 0 has the lower coefficients.
    fn clmul<const A: usize, const B: usize>(self, other: Self) -> Self;
    /// The carry-less product of each block's half 0 and x^63 + x^62 + x^57.
    fn fold(self) -> Self;
    /// The product of x and each block, as a field element.
    fn double(self) -> Self;
}

/// x^63 + x^62 + x^57: what x^-64 is worth, but for the x^64 that exchanging the halves adds.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) const FOLD: i64 = (0xc2_u64 << 56).cast_signed();

/// Byte indices that reverse a block.
#[cfg(target_arch = "x86_64")]
pub(super) static REVERSED: [u8; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];

/// Byte indices, as one word, that rotate a block's last word by RotWord.
#[cfg(target_arch = "x86_64")]
pub(super) const ROTATED: i32 = 0x0c0f_0e0d;

/// Byte indices, as one word, of a block's diagonal.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) const DIAGONAL: i32 = 0x0f0a_0500;

/// `N` vectors side by side, as one of `N` times the width.
#[derive(Clone, Copy)]
pub struct Wide<L, const N: usize>([L; N]);

impl<L: Lanes, const N: usize> Wide<L, N> {
    /// The part of `bytes` bytes that falls into the vector at `i`.
    #[inline(always)]
    fn share(i: usize, bytes: usize) -> core::ops::Range<usize> {
        (i * L::BYTES).min(bytes)..((i + 1) * L::BYTES).min(bytes)
    }
}

impl<L: Lanes, const N: usize> Lanes for Wide<L, N> {
    type Isa = L::Isa;
    type X1 = L::X1;

    const BLOCKS: usize = N * L::BLOCKS;

    #[inline(always)]
    fn load(isa: L::Isa, source: &[u8]) -> Self {
        assert!(source.len() == Self::BYTES);
        let mut wide = [L::load(isa, &source[..L::BYTES]); N];
        for i in 1..N {
            wide[i] = L::load(isa, &source[i * L::BYTES..(i + 1) * L::BYTES]);
        }
        Self(wide)
    }

    #[inline(always)]
    fn load_partial(isa: L::Isa, source: &[u8]) -> Self {
        let mut wide = [L::load_partial(isa, &source[Self::share(0, source.len())]); N];
        for i in 1..N {
            wide[i] = L::load_partial(isa, &source[Self::share(i, source.len())]);
        }
        Self(wide)
    }

    #[inline(always)]
    fn broadcast(isa: L::Isa, block: &[u8]) -> Self {
        Self([L::broadcast(isa, block); N])
    }

    #[inline(always)]
    fn store(self, target: &mut [u8]) {
        assert!(target.len() == Self::BYTES);
        for i in 0..N {
            self.0[i].store(&mut target[i * L::BYTES..(i + 1) * L::BYTES]);
        }
    }

    #[inline(always)]
    fn store_partial(self, target: &mut [u8]) {
        for i in 0..N {
            let share = Self::share(i, target.len());
            self.0[i].store_partial(&mut target[share]);
        }
    }

    #[inline(always)]
    fn truncate(mut self, bytes: usize) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].truncate(Self::share(i, bytes).len());
        }
        self
    }

    #[inline(always)]
    fn xor(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].xor(other.0[i]);
        }
        self
    }

    #[inline(always)]
    fn and(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].and(other.0[i]);
        }
        self
    }

    #[inline(always)]
    fn settle(&mut self) {
        for i in 0..N {
            self.0[i].settle();
        }
    }

    #[inline(always)]
    fn first_block(self) -> L::X1 {
        self.0[0].first_block()
    }

    #[inline(always)]
    fn xor_blocks(self) -> L::X1 {
        let mut sum = self.0[0];
        for i in 1..N {
            sum = sum.xor(self.0[i]);
        }
        sum.xor_blocks()
    }

    #[inline(always)]
    fn aes_rounds<const R: usize>(x: [Self; R], round_keys: [Self; R]) -> [Self; R] {
        let mut out = x;
        if const { R == 0 } {
            return out;
        }
        for i in 0..N {
            let (mut narrow, mut keys) = ([x[0].0[i]; R], [round_keys[0].0[i]; R]);
            for r in 1..R {
                (narrow[r], keys[r]) = (x[r].0[i], round_keys[r].0[i]);
            }
            let rounds = L::aes_rounds(narrow, keys);
            for r in 0..R {
                out[r].0[i] = rounds[r];
            }
        }
        out
    }
}

impl<L: Clmul, const N: usize> Clmul for Wide<L, N> {
    #[inline(always)]
    fn splat(block: L::X1) -> Self {
        Self([L::splat(block); N])
    }

    #[inline(always)]
    fn first_only(block: L::X1) -> Self {
        let first = L::first_only(block);
        let mut wide = [first.xor(first); N];
        wide[0] = first;
        Self(wide)
    }

    #[inline(always)]
    fn block(self, i: usize) -> L::X1 {
        self.0[i / L::BLOCKS].block(i % L::BLOCKS)
    }

    #[inline(always)]
    fn window(self, next: Self, skipped: usize) -> Self {
        let mut wide = self.0;
        for i in 0..N {
            let at = i + skipped / L::BLOCKS;
            let x = if at < N { self.0[at] } else { next.0[at - N] };
            let y = if at + 1 < N { self.0[at + 1] } else { next.0[at + 1 - N] };
            wide[i] = x.window(y, skipped % L::BLOCKS);
        }
        Self(wide)
    }

    #[inline(always)]
    fn join(blocks: [L::X1; 4]) -> Self {
        let mut wide = [L::join(blocks); N];
        for i in 1..N {
            let at = i * L::BLOCKS;
            wide[i] = L::join([blocks[at], blocks[(at + 1).min(3)], blocks[3], blocks[3]]);
        }
        Self(wide)
    }

    #[inline(always)]
    fn aes_last_rounds<const R: usize>(x: [Self; R], round_keys: [Self; R]) -> [Self; R] {
        let mut out = x;
        for i in 0..N {
            for r in 0..R {
                [out[r].0[i]] = L::aes_last_rounds([x[r].0[i]], [round_keys[r].0[i]]);
            }
        }
        out
    }

    #[inline(always)]
    fn spread_rotated(mut self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].spread_rotated();
        }
        self
    }

    #[inline(always)]
    fn spread(mut self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].spread();
        }
        self
    }

    #[inline(always)]
    fn running_sums(mut self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].running_sums();
        }
        self
    }

    #[inline(always)]
    fn with_first_word<const W: usize>(mut self, words: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].with_first_word::<W>(words.0[i]);
        }
        self
    }

    #[inline(always)]
    fn diagonal(mut self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].diagonal();
        }
        self
    }

    #[inline(always)]
    fn reverse_bytes(mut self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].reverse_bytes();
        }
        self
    }

    #[inline(always)]
    fn add_words(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].add_words(other.0[i]);
        }
        self
    }

    #[inline(always)]
    fn swap_halves(mut self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].swap_halves();
        }
        self
    }

    #[inline(always)]
    fn low_halves(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].low_halves(other.0[i]);
        }
        self
    }

    #[inline(always)]
    fn high_halves(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].high_halves(other.0[i]);
        }
        self
    }

    #[inline(always)]
    fn clmul<const A: usize, const B: usize>(mut self, other: Self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].clmul::<A, B>(other.0[i]);
        }
        self
    }

    #[inline(always)]
    fn fold(mut self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].fold();
        }
        self
    }

    #[inline(always)]
    fn double(mut self) -> Self {
        for i in 0..N {
            self.0[i] = self.0[i].double();
        }
        self
    }
}

/// A window of `bytes` bytes of ones, then zeros, for vectors of up to 64 bytes.
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
#[inline(always)]
pub(super) fn mask_bytes(bytes: usize, vector_bytes: usize) -> &'static [u8] {
    static ONES_THEN_ZEROS: [u8; 128] = {
        let mut window = [0; 128];
        let mut i = 0;
        while i < 64 {
            window[i] = 0xff;
            i += 1;
        }
        window
    };
    &ONES_THEN_ZEROS[64 - bytes..][..vector_bytes]
}
