//! x86-64 with VAES, VPCLMULQDQ and AVX2: two AES blocks in a register.

mod clmul;
mod state_lanes;
mod words;

use core::arch::asm;
use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm_xor_si128, _mm256_aesenc_epi128, _mm256_and_si256,
    _mm256_broadcastsi128_si256, _mm256_castsi256_si128, _mm256_extracti128_si256,
    _mm256_loadu_si256, _mm256_set_m128i, _mm256_storeu_si256, _mm256_xor_si256,
};

use super::KeyedTask;
use super::aesni::{PartialXmm, Xmm};
use super::cpu::Vaes256;
use super::lanes::{Isa, Lanes, Wide, mask_bytes};

impl Isa for Vaes256 {
    type X1 = Xmm<Self>;
    type X2 = Ymm<Self>;
    type X4 = Wide<Ymm<Self>, 2>;
    type Register = Ymm<Self>;
    type Words = words::Ymm;

    const REGISTER_BLOCKS: usize = 2;
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

impl PartialXmm for Vaes256 {}
impl PartialYmm for Vaes256 {}

/// # Safety
/// The CPU must have the target features; `isa` is the proof.
#[target_feature(enable = "aes,pclmulqdq,avx2,vaes,vpclmulqdq")]
#[inline(never)]
pub(super) unsafe fn entry<K, N, T>(isa: Vaes256, key: K, nonce: N, task: T) -> T::Output
where
    T: KeyedTask<K, N>,
{
    task.run_keyed(isa, key, nonce)
}

/// Partial loads and stores of two blocks, as [`PartialXmm`].
pub(super) trait PartialYmm: PartialXmm {
    /// At most 32 bytes, then zeros.
    #[inline(always)]
    fn load_ymm(self, source: &[u8]) -> __m256i {
        if source.len() == 32 {
            // SAFETY: implementers are proofs of AVX2; the slice has 32 bytes.
            return unsafe { _mm256_loadu_si256(source.as_ptr().cast()) };
        }
        let (low, high) = source.split_at(source.len().min(16));
        // SAFETY: implementers are proofs of AVX2.
        unsafe { _mm256_set_m128i(self.load_xmm(high), self.load_xmm(low)) }
    }

    /// The first `target.len()` bytes, at most 32.
    #[inline(always)]
    fn store_ymm(self, x: __m256i, target: &mut [u8]) {
        if target.len() == 32 {
            // SAFETY: implementers are proofs of AVX2; the slice has 32 bytes.
            return unsafe { _mm256_storeu_si256(target.as_mut_ptr().cast(), x) };
        }
        let (low, high) = target.split_at_mut(target.len().min(16));
        // SAFETY: implementers are proofs of AVX2.
        unsafe {
            self.store_xmm(_mm256_castsi256_si128(x), low);
            self.store_xmm(_mm256_extracti128_si256::<1>(x), high);
        }
    }
}

/// Two AES blocks, with the proof `I` that the CPU has VAES and AVX2.
#[derive(Clone, Copy)]
pub struct Ymm<I>(pub(super) __m256i, pub(super) I);

impl<I: Isa<X1 = Xmm<I>> + PartialYmm> Lanes for Ymm<I> {
    type Isa = I;
    type X1 = Xmm<I>;

    const BLOCKS: usize = 2;

    #[inline(always)]
    fn load(isa: I, source: &[u8]) -> Self {
        assert!(source.len() == 32);
        // SAFETY: `I` is the proof of AVX2; the slice has 32 bytes.
        Self(unsafe { _mm256_loadu_si256(source.as_ptr().cast()) }, isa)
    }

    #[inline(always)]
    fn load_partial(isa: I, source: &[u8]) -> Self {
        Self(isa.load_ymm(source), isa)
    }

    #[inline(always)]
    fn broadcast(isa: I, block: &[u8]) -> Self {
        assert!(block.len() == 16);
        // SAFETY: `I` is the proof of AVX2; the slice has 16 bytes.
        Self(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(block.as_ptr().cast())) }, isa)
    }

    #[inline(always)]
    fn store(self, target: &mut [u8]) {
        assert!(target.len() == 32);
        // SAFETY: `I` is the proof of AVX2; the slice has 32 bytes.
        unsafe { _mm256_storeu_si256(target.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn store_partial(self, target: &mut [u8]) {
        self.1.store_ymm(self.0, target);
    }

    #[inline(always)]
    fn truncate(self, bytes: usize) -> Self {
        self.and(Self::load(self.1, mask_bytes(bytes, 32)))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `I` is the proof of AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: `I` is the proof of AVX2.
        Self(unsafe { _mm256_and_si256(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn settle(&mut self) {
        if const { I::REGISTERS < 32 } {
            // SAFETY: `I` is the proof of AVX2.
            self.0 = unsafe { settle(self.0) };
        }
    }

    #[inline(always)]
    fn first_block(self) -> Xmm<I> {
        // SAFETY: `I` is the proof of AVX2.
        Xmm(unsafe { _mm256_castsi256_si128(self.0) }, self.1)
    }

    #[inline(always)]
    fn xor_blocks(self) -> Xmm<I> {
        // SAFETY: `I` is the proof of AVX2.
        let sum = unsafe {
            _mm_xor_si128(_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0))
        };
        Xmm(sum, self.1)
    }

    #[inline(always)]
    fn aes_rounds<const N: usize>(mut x: [Self; N], round_keys: [Self; N]) -> [Self; N] {
        for i in 0..N {
            // SAFETY: `I` is the proof of VAES.
            x[i].0 = unsafe { _mm256_aesenc_epi128(x[i].0, round_keys[i].0) };
        }
        x
    }
}

/// # Safety
/// The CPU must have AVX.
#[inline]
#[target_feature(enable = "avx")]
unsafe fn settle(mut x: __m256i) -> __m256i {
    // SAFETY: a comment is no instruction.
    unsafe { asm!("/* {} */", inout(ymm_reg) x, options(nomem, nostack, preserves_flags)) }
    x
}
