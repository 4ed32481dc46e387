//! x86-64 with SSSE3 and no AES instructions: AES by shuffles, one block in a register.
//!
//! Products of GHASH are PCLMULQDQ's where there is that, which some CPUs without AES-NI have, and
//! otherwise portable.

use core::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_and_si128, _mm_clmulepi64_si128, _mm_cmpeq_epi8, _mm_cvtsi128_si64,
    _mm_loadu_si128, _mm_set_epi64x, _mm_shuffle_epi8, _mm_slli_epi16, _mm_srli_epi16,
    _mm_storeu_si128, _mm_unpackhi_epi64, _mm_xor_si128,
};

use super::KeyedTask;
use super::cpu::Ssse3;
use super::cpuid::{Feature, has};
use super::lanes::{Isa, Outlined, Wide};
use super::soft;
use super::vector_permute::{Bytes, Permuted, Round, each, encrypt};
use super::words::Word;

impl Isa for Ssse3 {
    type X1 = Permuted<Xmm>;
    type X2 = Wide<Permuted<Xmm>, 2>;
    type X4 = Wide<Permuted<Xmm>, 4>;
    type Register = Permuted<Xmm>;
    type Words = Word<Self>;

    const REGISTER_BLOCKS: usize = 1;
    // There are 16: the others hold a round's tables.
    const REGISTERS: usize = 8;
    const ROUNDS_ARE_CALLS: bool = true;

    #[inline(always)]
    fn enter<K, N, T>(self, key: K, nonce: N, task: T) -> T::Output
    where
        T: KeyedTask<K, N>,
    {
        // SAFETY: `self` is the proof of the target features.
        unsafe { entry(self, key, nonce, task) }
    }

    #[inline(always)]
    fn call_outlined<P: Outlined<Self>>(self, part: P) -> P::Output {
        // SAFETY: `self` is the proof of SSSE3.
        unsafe { call_outlined(self, part) }
    }
}

/// # Safety
/// The CPU must have the target feature; `isa` is the proof.
#[target_feature(enable = "ssse3")]
#[inline(never)]
pub(super) unsafe fn entry<K, N, T>(isa: Ssse3, key: K, nonce: N, task: T) -> T::Output
where
    T: KeyedTask<K, N>,
{
    task.run_keyed(isa, key, nonce)
}

/// # Safety
/// The CPU must have the target feature; `isa` is the proof.
#[target_feature(enable = "ssse3")]
#[inline(never)]
unsafe fn call_outlined<P: Outlined<Ssse3>>(isa: Ssse3, part: P) -> P::Output {
    part.run(isa)
}

/// # Safety
/// The CPU must have the target feature.
#[target_feature(enable = "ssse3")]
#[inline(never)]
unsafe fn rounds<R: Round>(x: &[Permuted<Xmm>], out: &mut [Permuted<Xmm>]) {
    each::<R, Xmm>(x, out);
}

/// # Safety
/// The CPU must have the target feature; `isa` is the proof.
#[target_feature(enable = "ssse3")]
#[inline(never)]
unsafe fn encrypted(isa: Ssse3, x: &mut [Permuted<Xmm>], round_keys: &[[u8; 16]]) {
    encrypt(isa, x, round_keys);
}

/// 16 bytes, with the proof that the CPU has SSSE3.
#[derive(Clone, Copy)]
pub struct Xmm(__m128i, Ssse3);

impl Bytes for Xmm {
    type Isa = Ssse3;

    const SLICED: bool = false;

    #[inline(always)]
    fn isa(self) -> Ssse3 {
        self.1
    }

    #[inline(always)]
    fn load(isa: Ssse3, source: &[u8; 16]) -> Self {
        // SAFETY: SSE2 is part of x86-64; the array has 16 bytes.
        Self(unsafe { _mm_loadu_si128(source.as_ptr().cast()) }, isa)
    }

    #[inline(always)]
    fn store(self, target: &mut [u8; 16]) {
        // SAFETY: SSE2 is part of x86-64; the array has 16 bytes.
        unsafe { _mm_storeu_si128(target.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn from_halves(isa: Ssse3, [low, high]: [u64; 2]) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_set_epi64x(high.cast_signed(), low.cast_signed()) }, isa)
    }

    #[inline(always)]
    fn halves(self) -> [u64; 2] {
        // SAFETY: SSE2 is part of x86-64.
        let halves =
            unsafe { [self.0, _mm_unpackhi_epi64(self.0, self.0)].map(|x| _mm_cvtsi128_si64(x)) };
        halves.map(i64::cast_unsigned)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_xor_si128(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_and_si128(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn up<const BITS: i32>(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_slli_epi16::<BITS>(self.0) }, self.1)
    }

    #[inline(always)]
    fn down<const BITS: i32>(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_srli_epi16::<BITS>(self.0) }, self.1)
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_cmpeq_epi8(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn shuffle(self, indices: Self) -> Self {
        // SAFETY: `self` holds the proof of SSSE3.
        Self(unsafe { _mm_shuffle_epi8(self.0, indices.0) }, self.1)
    }

    #[inline(always)]
    fn add_words(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_add_epi32(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn call_rounds<R: Round>(x: &[Permuted<Self>], out: &mut [Permuted<Self>]) {
        // SAFETY: vectors hold the proof of SSSE3; without one, there is nothing to compute.
        unsafe { rounds::<R>(x, out) }
    }

    #[inline(always)]
    fn encrypt(isa: Ssse3, x: &mut [Permuted<Self>], round_keys: &[[u8; 16]]) {
        // SAFETY: `isa` is the proof of SSSE3.
        unsafe { encrypted(isa, x, round_keys) }
    }

    #[inline(never)]
    fn product(a: u64, b: u64) -> u128 {
        if has([Feature::Pclmulqdq]) {
            // SAFETY: the CPU has PCLMULQDQ.
            unsafe { pclmulqdq(a, b) }
        } else {
            soft::product(a, b)
        }
    }
}

/// # Safety
/// The CPU must have PCLMULQDQ.
#[target_feature(enable = "pclmulqdq")]
unsafe fn pclmulqdq(a: u64, b: u64) -> u128 {
    let [a, b] = [a, b].map(|x| _mm_set_epi64x(0, x.cast_signed()));
    let product = _mm_clmulepi64_si128::<0>(a, b);
    let [low, high] = [product, _mm_unpackhi_epi64(product, product)]
        .map(|x| _mm_cvtsi128_si64(x).cast_unsigned());
    u128::from(high) << 64 | u128::from(low)
}
