//! x86-64 with AES-NI, PCLMULQDQ and AVX: one AES block in a register.
//!
//! AVX is required for its three-operand instructions alone: without them a sixth of the speed goes
//! into copies, and few CPUs have AES-NI but not AVX.

mod clmul;
mod state_lanes;

use core::arch::asm;
use core::arch::x86_64::{
    __m128i, _mm_aesenc_si128, _mm_and_si128, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_set_epi64x,
    _mm_storeu_si128, _mm_unpackhi_epi64, _mm_xor_si128,
};

use super::KeyedTask;
use super::cpu::AesNi;
use super::lanes::{Isa, Lanes, Wide, mask_bytes};
use super::partial;
use super::words::Word;

impl Isa for AesNi {
    type X1 = Xmm<Self>;
    type X2 = Wide<Xmm<Self>, 2>;
    type X4 = Wide<Xmm<Self>, 4>;
    type Register = Xmm<Self>;
    type Words = Word<Self>;

    const REGISTER_BLOCKS: usize = 1;
    const REGISTERS: usize = 16;

    #[inline(always)]
    fn enter<K, N, T>(self, key: K, nonce: N, task: T) -> T::Output
    where
        T: KeyedTask<K, N>,
    {
        // SAFETY: `self` is the proof of the target features.
        unsafe { entry(self, key, nonce, task) }
    }
}

impl PartialXmm for AesNi {}

/// # Safety
/// The CPU must have the target features; `isa` is the proof.
#[target_feature(enable = "aes,pclmulqdq,avx")]
#[inline(never)]
pub(super) unsafe fn entry<K, N, T>(isa: AesNi, key: K, nonce: N, task: T) -> T::Output
where
    T: KeyedTask<K, N>,
{
    task.run_keyed(isa, key, nonce)
}

/// Partial loads and stores of one block. Instruction sets with masked instructions have others.
pub(super) trait PartialXmm: Copy {
    /// At most 16 bytes, then zeros.
    #[inline(always)]
    fn load_xmm(self, source: &[u8]) -> __m128i {
        if source.len() == 16 {
            // SAFETY: SSE2 is part of x86-64; the slice has 16 bytes.
            return unsafe { _mm_loadu_si128(source.as_ptr().cast()) };
        }
        let x = partial::load(source);
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_set_epi64x((x >> 64) as i64, x as i64) }
    }

    /// The first `target.len()` bytes, at most 16.
    #[inline(always)]
    fn store_xmm(self, x: __m128i, target: &mut [u8]) {
        if target.len() == 16 {
            // SAFETY: SSE2 is part of x86-64; the slice has 16 bytes.
            return unsafe { _mm_storeu_si128(target.as_mut_ptr().cast(), x) };
        }
        // SAFETY: SSE2 is part of x86-64.
        let [low, high] =
            unsafe { [_mm_cvtsi128_si64(x), _mm_cvtsi128_si64(_mm_unpackhi_epi64(x, x))] };
        let [low, high] = [low, high].map(|half| u128::from(half.cast_unsigned()));
        partial::store(low | (high << 64), target);
    }
}

/// One AES block, with the proof `I` that the CPU has AES-NI.
#[derive(Clone, Copy)]
pub struct Xmm<I>(pub(super) __m128i, pub(super) I);

impl<I: Isa<X1 = Self> + PartialXmm> Lanes for Xmm<I> {
    type Isa = I;
    type X1 = Self;

    const BLOCKS: usize = 1;

    #[inline(always)]
    fn load(isa: I, source: &[u8]) -> Self {
        assert!(source.len() == 16);
        // SAFETY: SSE2 is part of x86-64; the slice has 16 bytes.
        Self(unsafe { _mm_loadu_si128(source.as_ptr().cast()) }, isa)
    }

    #[inline(always)]
    fn load_partial(isa: I, source: &[u8]) -> Self {
        Self(isa.load_xmm(source), isa)
    }

    #[inline(always)]
    fn broadcast(isa: I, block: &[u8]) -> Self {
        Self::load(isa, block)
    }

    #[inline(always)]
    fn store(self, target: &mut [u8]) {
        assert!(target.len() == 16);
        // SAFETY: SSE2 is part of x86-64; the slice has 16 bytes.
        unsafe { _mm_storeu_si128(target.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn store_partial(self, target: &mut [u8]) {
        self.1.store_xmm(self.0, target);
    }

    #[inline(always)]
    fn truncate(self, bytes: usize) -> Self {
        self.and(Self::load(self.1, mask_bytes(bytes, 16)))
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
    fn settle(&mut self) {
        if const { I::REGISTERS < 32 } {
            // SAFETY: a comment is no instruction.
            unsafe {
                asm!("/* {} */", inout(xmm_reg) self.0, options(nomem, nostack, preserves_flags));
            }
        }
    }

    #[inline(always)]
    fn pin(&mut self) {
        // SAFETY: a comment is no instruction.
        unsafe {
            asm!("/* {} */", inout(xmm_reg) self.0, options(nomem, nostack, preserves_flags));
        }
    }

    #[inline(always)]
    fn first_block(self) -> Self {
        self
    }

    #[inline(always)]
    fn xor_blocks(self) -> Self {
        self
    }

    #[inline(always)]
    fn aes_rounds<const N: usize>(mut x: [Self; N], round_keys: [Self; N]) -> [Self; N] {
        if const { N == 1 } {
            // SAFETY: `I` is the proof of AES-NI.
            x[0].0 = unsafe { _mm_aesenc_si128(x[0].0, round_keys[0].0) };
            return x;
        }
        for i in 0..N {
            // SAFETY: `I` is the proof of AES-NI.
            x[i].0 = unsafe { _mm_aesenc_si128(x[i].0, round_keys[i].0) };
        }
        x
    }
}
