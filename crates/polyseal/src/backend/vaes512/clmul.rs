//! Four blocks: whole AES, and products of GHASH's field elements.

use core::arch::asm;
use core::arch::x86_64::{
    __m512i, __mmask16, _mm_loadu_si128, _mm512_add_epi32, _mm512_aesenclast_epi128,
    _mm512_and_si512, _mm512_broadcast_i32x4, _mm512_bslli_epi128, _mm512_castsi512_si128,
    _mm512_castsi512_si256, _mm512_clmulepi64_epi128, _mm512_extracti32x4_epi32,
    _mm512_inserti32x4, _mm512_inserti64x4, _mm512_loadu_epi64, _mm512_permutex2var_epi64,
    _mm512_set_epi64, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_shuffle_epi8,
    _mm512_shuffle_epi32, _mm512_slli_epi64, _mm512_srai_epi32, _mm512_srli_epi64,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi64, _mm512_xor_si512, _mm512_zextsi128_si512,
};

use super::super::aesni::Xmm;
use super::super::cpu::Vaes512;
use super::super::lanes::{Clmul, DIAGONAL, FOLD, REVERSED, ROTATED};
use super::Zmm;

impl Clmul for Zmm {
    #[inline(always)]
    fn splat(block: Xmm<Vaes512>) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_broadcast_i32x4(block.0) }, block.1)
    }

    #[inline(always)]
    fn first_only(block: Xmm<Vaes512>) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_zextsi128_si512(block.0) }, block.1)
    }

    #[inline(always)]
    fn block(self, i: usize) -> Xmm<Vaes512> {
        // SAFETY: a vector holds the proof of AVX-512.
        let block = unsafe {
            match i {
                0 => _mm512_castsi512_si128(self.0),
                1 => _mm512_extracti32x4_epi32::<1>(self.0),
                2 => _mm512_extracti32x4_epi32::<2>(self.0),
                _ => _mm512_extracti32x4_epi32::<3>(self.0),
            }
        };
        Xmm(block, self.1)
    }

    #[inline(always)]
    fn window(self, next: Self, skipped: usize) -> Self {
        static COUNT: [u64; 14] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];
        let order = &COUNT[2 * skipped..][..8];
        // SAFETY: a vector holds the proof of AVX-512; `order` has eight numbers.
        let window = unsafe {
            let order = _mm512_loadu_epi64(order.as_ptr().cast());
            _mm512_permutex2var_epi64(self.0, order, next.0)
        };
        Self(window, self.1)
    }

    #[inline(always)]
    fn join([first, second, third, fourth]: [Xmm<Vaes512>; 4]) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        let joined = unsafe {
            let low = _mm512_inserti32x4::<1>(_mm512_zextsi128_si512(first.0), second.0);
            let high = _mm512_inserti32x4::<1>(_mm512_zextsi128_si512(third.0), fourth.0);
            _mm512_inserti64x4::<1>(low, _mm512_castsi512_si256(high))
        };
        Self(joined, first.1)
    }

    #[inline(always)]
    fn aes_last_rounds<const N: usize>(mut x: [Self; N], round_keys: [Self; N]) -> [Self; N] {
        for i in 0..N {
            // SAFETY: a vector holds the proof of VAES.
            x[i].0 = unsafe { _mm512_aesenclast_epi128(x[i].0, round_keys[i].0) };
        }
        x
    }

    #[inline(always)]
    fn spread_rotated(self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_shuffle_epi8(self.0, _mm512_set1_epi32(ROTATED)) }, self.1)
    }

    #[inline(always)]
    fn spread(self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_shuffle_epi32::<0xff>(self.0) }, self.1)
    }

    #[inline(always)]
    fn running_sums(self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        let sums = unsafe {
            let pairs = _mm512_xor_si512(self.0, _mm512_bslli_epi128::<4>(self.0));
            _mm512_xor_si512(pairs, _mm512_bslli_epi128::<8>(pairs))
        };
        Self(sums, self.1)
    }

    #[inline(always)]
    fn with_first_word<const W: usize>(self, words: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        let replaced = unsafe {
            match const { W } {
                0 => shuffle_first_word::<0>(self.0, words.0),
                1 => shuffle_first_word::<1>(self.0, words.0),
                2 => shuffle_first_word::<2>(self.0, words.0),
                _ => shuffle_first_word::<3>(self.0, words.0),
            }
        };
        Self(replaced, self.1)
    }

    #[inline(always)]
    fn diagonal(self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_shuffle_epi8(self.0, _mm512_set1_epi32(DIAGONAL)) }, self.1)
    }

    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512; `REVERSED` has 16 bytes.
        let reversed = unsafe {
            let order = _mm_loadu_si128(REVERSED.as_ptr().cast());
            _mm512_shuffle_epi8(self.0, _mm512_broadcast_i32x4(order))
        };
        Self(reversed, self.1)
    }

    #[inline(always)]
    fn add_words(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_add_epi32(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_shuffle_epi32::<0x4e>(self.0) }, self.1)
    }

    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_unpacklo_epi64(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_unpackhi_epi64(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn clmul<const A: usize, const B: usize>(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of VPCLMULQDQ.
        let product = unsafe {
            match const { (A, B) } {
                (0, 0) => _mm512_clmulepi64_epi128::<0x00>(self.0, other.0),
                (0, _) => _mm512_clmulepi64_epi128::<0x10>(self.0, other.0),
                (_, 0) => _mm512_clmulepi64_epi128::<0x01>(self.0, other.0),
                _ => _mm512_clmulepi64_epi128::<0x11>(self.0, other.0),
            }
        };
        Self(product, self.1)
    }

    #[inline(always)]
    fn fold(self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        self.clmul::<0, 0>(Self(unsafe { _mm512_set1_epi64(FOLD) }, self.1))
    }

    #[inline(always)]
    fn double(self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        let doubled = unsafe {
            let carries = _mm512_shuffle_epi32::<0x4e>(_mm512_srli_epi64::<63>(self.0));
            let reduction = _mm512_srai_epi32::<31>(_mm512_shuffle_epi32::<0xff>(self.0));
            let reduction =
                _mm512_and_si512(reduction, _mm512_set_epi64(FOLD, 0, FOLD, 0, FOLD, 0, FOLD, 0));
            _mm512_xor_si512(_mm512_xor_si512(_mm512_slli_epi64::<1>(self.0), carries), reduction)
        };
        Self(doubled, self.1)
    }
}

/// One instruction, where the compiler prefers a copy and a permutation across lanes.
///
/// # Safety
/// The CPU must have AVX-512.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn shuffle_first_word<const W: i32>(mut x: __m512i, words: __m512i) -> __m512i {
    const FIRST_WORDS: __mmask16 = 0x1111;
    // SAFETY: the instruction changes `x` alone.
    unsafe {
        asm!(
            "vpshufd {x}{{{first_words}}}, {words}, {w}",
            x = inout(zmm_reg) x,
            words = in(zmm_reg) words,
            first_words = in(kreg) FIRST_WORDS,
            w = const W,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    x
}
