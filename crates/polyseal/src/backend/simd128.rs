//! WebAssembly with vectors (`simd128`): AES by shuffles, one block in a register.
//!
//! A module that has vectors is refused by machines without them, so the build decides, not
//! detection. With `relaxed-simd`, too, a shuffle is one instruction of x86-64.

#[cfg(target_feature = "relaxed-simd")]
use core::arch::wasm32::i8x16_relaxed_swizzle as shuffle;
#[cfg(not(target_feature = "relaxed-simd"))]
use core::arch::wasm32::i8x16_swizzle as shuffle;
use core::arch::wasm32::{
    i32x4_add, i32x4_shuffle, i64x2_shuffle, u8x16_eq, u16x8_shl, u16x8_shr, u64x2,
    u64x2_extmul_low_u32x4, u64x2_extract_lane, u64x2_splat, v128, v128_and, v128_load, v128_or,
    v128_store, v128_xor,
};

use core::hint::black_box;

use super::KeyedTask;
use super::cpu::Simd128;
use super::lanes::{Isa, Outlined, Wide};
use super::vector_permute::{Bytes, Permuted, Round, each, encrypt};
use super::words::Word;

impl Isa for Simd128 {
    type X1 = Permuted<V128>;
    type X2 = Wide<Permuted<V128>, 2>;
    type X4 = Wide<Permuted<V128>, 4>;
    type Register = Permuted<V128>;
    type Words = Word<Self>;

    const REGISTER_BLOCKS: usize = 1;
    // x86-64 has 16: the others hold a round's tables.
    const REGISTERS: usize = 8;
    const ROUNDS_ARE_CALLS: bool = true;

    #[inline(always)]
    fn enter<K, N, T>(self, key: K, nonce: N, task: T) -> T::Output
    where
        T: KeyedTask<K, N>,
    {
        entry(self, key, nonce, task)
    }

    #[inline(never)]
    fn call_outlined<P: Outlined<Self>>(self, part: P) -> P::Output {
        part.run(self)
    }
}

/// Kept apart from its callers, whose stack frames it would fill.
#[inline(never)]
pub(super) fn entry<K, N, T>(isa: Simd128, key: K, nonce: N, task: T) -> T::Output
where
    T: KeyedTask<K, N>,
{
    task.run_keyed(isa, key, nonce)
}

/// 16 bytes, with the proof that there are vectors.
#[derive(Clone, Copy)]
pub struct V128(v128, Simd128);

impl Bytes for V128 {
    type Isa = Simd128;

    const SLICED: bool = true;

    #[inline(always)]
    fn isa(self) -> Simd128 {
        self.1
    }

    /// A constant is made anew by Node, of two immediate numbers, wherever it is needed.
    #[inline(always)]
    fn unknown<T>(tables: &T) -> &T {
        black_box(tables)
    }

    #[inline(always)]
    fn load(isa: Simd128, source: &[u8; 16]) -> Self {
        // SAFETY: the array has 16 bytes.
        Self(unsafe { v128_load(source.as_ptr().cast()) }, isa)
    }

    #[inline(always)]
    fn store(self, target: &mut [u8; 16]) {
        // SAFETY: the array has 16 bytes.
        unsafe { v128_store(target.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn from_halves(isa: Simd128, [low, high]: [u64; 2]) -> Self {
        Self(u64x2(low, high), isa)
    }

    #[inline(always)]
    fn halves(self) -> [u64; 2] {
        [u64x2_extract_lane::<0>(self.0), u64x2_extract_lane::<1>(self.0)]
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(v128_xor(self.0, other.0), self.1)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(v128_and(self.0, other.0), self.1)
    }

    #[inline(always)]
    fn up<const BITS: i32>(self) -> Self {
        Self(u16x8_shl(self.0, BITS.cast_unsigned()), self.1)
    }

    #[inline(always)]
    fn down<const BITS: i32>(self) -> Self {
        Self(u16x8_shr(self.0, BITS.cast_unsigned()), self.1)
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        Self(u8x16_eq(self.0, other.0), self.1)
    }

    #[inline(always)]
    fn shuffle(self, indices: Self) -> Self {
        Self(shuffle(self.0, indices.0), self.1)
    }

    #[inline(always)]
    fn add_words(self, other: Self) -> Self {
        Self(i32x4_add(self.0, other.0), self.1)
    }

    #[inline(never)]
    fn call_rounds<R: Round>(x: &[Permuted<Self>], out: &mut [Permuted<Self>]) {
        each::<R, Self>(x, out);
    }

    #[inline(never)]
    fn encrypt(isa: Simd128, x: &mut [Permuted<Self>], round_keys: &[[u8; 16]]) {
        encrypt(isa, x, round_keys);
    }

    #[inline(never)]
    fn product(a: u64, b: u64) -> u128 {
        let halves = |x: u64| u64x2(x & u64::from(u32::MAX), x >> 32);
        let (a, b) = (halves(a), halves(b));
        let (same, crossed) = (products(a, b), products(a, i64x2_shuffle::<1, 0>(b, b)));
        let lane = |x: v128| [u64x2_extract_lane::<0>(x), u64x2_extract_lane::<1>(x)];
        let ([low, high], [middle, other]) = (lane(same), lane(crossed));
        let ends = u128::from(high) << 64 | u128::from(low);
        ends ^ u128::from(middle ^ other) << 32
    }
}

/// The carry-less products of 32-bit numbers in 64-bit lanes, made of integer products as in
/// [`soft`]: of bits three of four zero, at most eight are added, which four bits hold.
#[inline(always)]
fn products(a: v128, b: v128) -> v128 {
    let every_fourth = |shift: u32| u64x2_splat(0x1111_1111_1111_1111 << shift);
    let spread = |x: v128| [0, 1, 2, 3].map(|shift| v128_and(x, every_fourth(shift)));
    let (a, b) = (spread(narrow(a)), spread(narrow(b)));
    let mut product = u64x2_splat(0);
    for shift in 0..4 {
        let mut sum = u64x2_splat(0);
        for i in 0..4 {
            sum = v128_xor(sum, u64x2_extmul_low_u32x4(a[i], b[(4 + shift - i) % 4]));
        }
        product = v128_or(product, v128_and(sum, every_fourth(shift as u32)));
    }
    product
}

/// The lower 32 bits of each 64-bit lane, in the lower half.
#[inline(always)]
fn narrow(x: v128) -> v128 {
    i32x4_shuffle::<0, 2, 0, 2>(x, x)
}
