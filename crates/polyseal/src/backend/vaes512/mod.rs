//! x86-64 with VAES, VPCLMULQDQ and AVX-512: four AES blocks in a register, and masked loads and
//! stores at every width.

mod clmul;
mod state_lanes;
mod words;

use core::arch::x86_64::{
    __m128i, __m256i, __m512i, __mmask16, __mmask32, __mmask64, _bzhi_u64, _mm_loadu_si128,
    _mm_mask_storeu_epi8, _mm_maskz_loadu_epi8, _mm256_mask_storeu_epi8, _mm256_maskz_loadu_epi8,
    _mm256_xor_si256, _mm512_aesenc_epi128, _mm512_and_si512, _mm512_broadcast_i32x4,
    _mm512_castsi512_si128, _mm512_castsi512_si256, _mm512_extracti64x4_epi64, _mm512_loadu_si512,
    _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8, _mm512_maskz_mov_epi8, _mm512_storeu_si512,
    _mm512_ternarylogic_epi64, _mm512_xor_si512,
};

use super::KeyedTask;
use super::aesni::{PartialXmm, Xmm};
use super::cpu::Vaes512;
use super::lanes::{Isa, Lanes};
use super::vaes256::{PartialYmm, Ymm};

impl Isa for Vaes512 {
    type X1 = Xmm<Self>;
    type X2 = Ymm<Self>;
    type X4 = Zmm;
    type Register = Zmm;
    type Words = words::Zmm;

    const REGISTER_BLOCKS: usize = 4;
    const REGISTERS: usize = 32;

    #[inline(always)]
    fn enter<K, N, T>(self, key: K, nonce: N, task: T) -> T::Output
    where
        T: KeyedTask<K, N>,
    {
        // SAFETY: `self` is the proof of the target features.
        unsafe { entry(self, key, nonce, task) }
    }
}

/// # Safety
/// The CPU must have the target features; `isa` is the proof.
#[target_feature(enable = "aes,pclmulqdq,avx2,bmi2,vaes,vpclmulqdq,avx512f,avx512bw,avx512vl")]
#[inline(never)]
pub(super) unsafe fn entry<K, N, T>(isa: Vaes512, key: K, nonce: N, task: T) -> T::Output
where
    T: KeyedTask<K, N>,
{
    task.run_keyed(isa, key, nonce)
}

/// A mask of the first `bytes` of at most 64 bytes.
#[inline(always)]
fn mask(_: Vaes512, bytes: usize) -> __mmask64 {
    // SAFETY: `Vaes512` is the proof of BMI2.
    unsafe { _bzhi_u64(u64::MAX, bytes as u32) }
}

impl PartialXmm for Vaes512 {
    #[inline(always)]
    fn load_xmm(self, source: &[u8]) -> __m128i {
        assert!(source.len() <= 16);
        let mask = mask(self, source.len()) as __mmask16;
        // SAFETY: `self` is the proof of AVX-512; masked-out bytes are not accessed.
        unsafe { _mm_maskz_loadu_epi8(mask, source.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_xmm(self, x: __m128i, target: &mut [u8]) {
        assert!(target.len() <= 16);
        let mask = mask(self, target.len()) as __mmask16;
        // SAFETY: `self` is the proof of AVX-512; masked-out bytes are not accessed.
        unsafe { _mm_mask_storeu_epi8(target.as_mut_ptr().cast(), mask, x) }
    }
}

impl PartialYmm for Vaes512 {
    #[inline(always)]
    fn load_ymm(self, source: &[u8]) -> __m256i {
        assert!(source.len() <= 32);
        let mask = mask(self, source.len()) as __mmask32;
        // SAFETY: `self` is the proof of AVX-512; masked-out bytes are not accessed.
        unsafe { _mm256_maskz_loadu_epi8(mask, source.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_ymm(self, x: __m256i, target: &mut [u8]) {
        assert!(target.len() <= 32);
        let mask = mask(self, target.len()) as __mmask32;
        // SAFETY: `self` is the proof of AVX-512; masked-out bytes are not accessed.
        unsafe { _mm256_mask_storeu_epi8(target.as_mut_ptr().cast(), mask, x) }
    }
}

/// Four AES blocks, with the proof that the CPU has VAES and AVX-512.
#[derive(Clone, Copy)]
pub struct Zmm(__m512i, Vaes512);

impl Lanes for Zmm {
    type Isa = Vaes512;
    type X1 = Xmm<Vaes512>;

    const BLOCKS: usize = 4;

    #[inline(always)]
    fn load(isa: Vaes512, source: &[u8]) -> Self {
        assert!(source.len() == 64);
        // SAFETY: `isa` is the proof of AVX-512; the slice has 64 bytes.
        Self(unsafe { _mm512_loadu_si512(source.as_ptr().cast()) }, isa)
    }

    #[inline(always)]
    fn load_partial(isa: Vaes512, source: &[u8]) -> Self {
        assert!(source.len() <= 64);
        // SAFETY: `isa` is the proof of AVX-512; masked-out bytes are not accessed.
        let x = unsafe { _mm512_maskz_loadu_epi8(mask(isa, source.len()), source.as_ptr().cast()) };
        Self(x, isa)
    }

    #[inline(always)]
    fn broadcast(isa: Vaes512, block: &[u8]) -> Self {
        assert!(block.len() == 16);
        // SAFETY: `isa` is the proof of AVX-512; the slice has 16 bytes.
        Self(unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(block.as_ptr().cast())) }, isa)
    }

    #[inline(always)]
    fn store(self, target: &mut [u8]) {
        assert!(target.len() == 64);
        // SAFETY: `self` holds the proof of AVX-512; the slice has 64 bytes.
        unsafe { _mm512_storeu_si512(target.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn store_partial(self, target: &mut [u8]) {
        assert!(target.len() <= 64);
        let mask = mask(self.1, target.len());
        // SAFETY: `self` holds the proof of AVX-512; masked-out bytes are not accessed.
        unsafe { _mm512_mask_storeu_epi8(target.as_mut_ptr().cast(), mask, self.0) }
    }

    #[inline(always)]
    fn truncate(self, bytes: usize) -> Self {
        // SAFETY: `self` holds the proof of AVX-512.
        Self(unsafe { _mm512_maskz_mov_epi8(mask(self.1, bytes), self.0) }, self.1)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `self` holds the proof of AVX-512.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        // SAFETY: `self` holds the proof of AVX-512.
        Self(unsafe { _mm512_ternarylogic_epi64::<0x96>(self.0, a.0, b.0) }, self.1)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: `self` holds the proof of AVX-512.
        Self(unsafe { _mm512_and_si512(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn first_block(self) -> Xmm<Vaes512> {
        // SAFETY: `self` holds the proof of AVX-512.
        Xmm(unsafe { _mm512_castsi512_si128(self.0) }, self.1)
    }

    #[inline(always)]
    fn xor_blocks(self) -> Xmm<Vaes512> {
        // SAFETY: `self` holds the proof of AVX-512.
        let halves = unsafe {
            _mm256_xor_si256(_mm512_castsi512_si256(self.0), _mm512_extracti64x4_epi64::<1>(self.0))
        };
        Ymm(halves, self.1).xor_blocks()
    }

    #[inline(always)]
    fn aes_rounds<const N: usize>(mut x: [Self; N], round_keys: [Self; N]) -> [Self; N] {
        for i in 0..N {
            // SAFETY: a vector holds the proof of VAES and AVX-512.
            x[i].0 = unsafe { _mm512_aesenc_epi128(x[i].0, round_keys[i].0) };
        }
        x
    }
}
