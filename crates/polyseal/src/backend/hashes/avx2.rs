//! Eight 32-bit words, and four 64-bit words, in a register of 256 bits.

use core::arch::asm;
use core::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm_set_epi64x, _mm256_add_epi32, _mm256_add_epi64,
    _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_loadu_si256, _mm256_or_si256,
    _mm256_permute2x128_si256, _mm256_permute4x64_epi64, _mm256_set_epi64x, _mm256_set1_epi32,
    _mm256_set1_epi64x, _mm256_shuffle_epi8, _mm256_shuffle_epi32, _mm256_sll_epi32,
    _mm256_sll_epi64, _mm256_srl_epi32, _mm256_srl_epi64, _mm256_storeu_si256,
    _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
    _mm256_xor_si256,
};

use super::super::cpu::Avx2;
use super::contract::{HashWords, Lanewise};
use super::x86_words::{BYTES_OF_32, BYTES_OF_64, register, words};

register! {
    Avx2, __m256i, load _mm256_loadu_si256, store _mm256_storeu_si256,
    broadcast _mm256_broadcastsi128_si256, shuffle _mm256_shuffle_epi8,
    unpack_32 [_mm256_unpacklo_epi32, _mm256_unpackhi_epi32],
    unpack_64 [_mm256_unpacklo_epi64, _mm256_unpackhi_epi64], join join
}

words! {
    /// Eight 32-bit words, with the proof that the CPU has AVX2.
    Words32(__m256i, Avx2) of u32, order BYTES_OF_32,
    load load_block, store store_block, transpose transpose_32, splat _mm256_set1_epi32,
    add _mm256_add_epi32, xor _mm256_xor_si256, and _mm256_and_si256;

    #[inline(always)]
    fn rotate(self, bits: u32) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        let left = unsafe { _mm256_sll_epi32(self.0, _mm_cvtsi32_si128(32 - bits.cast_signed())) };
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_or_si256(self.shift(bits).0, left) }, self.1)
    }

    #[inline(always)]
    fn shift(self, bits: u32) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        let x = unsafe { _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(bits.cast_signed())) };
        Self(x, self.1)
    }
}

words! {
    /// Four 64-bit words, with the proof that the CPU has AVX2.
    Words64(__m256i, Avx2) of u64, order BYTES_OF_64,
    load load_half, store store_half, transpose transpose_64, splat _mm256_set1_epi64x,
    add _mm256_add_epi64, xor _mm256_xor_si256, and _mm256_and_si256;

    #[inline(always)]
    fn rotate(self, bits: u32) -> Self {
        Self(rotate_64(self.1, self.0, bits), self.1)
    }

    #[inline(always)]
    fn shift(self, bits: u32) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        let x = unsafe { _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(bits.cast_signed())) };
        Self(x, self.1)
    }
}

/// The same vector as four words of one input that follow each other.
impl Words64 {
    /// These four.
    #[inline(always)]
    pub(crate) fn row(proof: Avx2, words: [u64; 4]) -> Self {
        let [a, b, c, d] = words.map(u64::cast_signed);
        // SAFETY: `proof` is that of AVX2.
        Self(unsafe { _mm256_set_epi64x(d, c, b, a) }, proof)
    }

    /// Those with these bytes, each word's least significant first.
    #[inline(always)]
    pub(crate) fn load_row(proof: Avx2, bytes: &[u8]) -> Self {
        Self(load(proof, bytes), proof)
    }

    /// The inverse of [`load_row`](Self::load_row).
    #[inline(always)]
    pub(crate) fn store_row(self, bytes: &mut [u8]) {
        store(self.1, self.0, bytes);
    }

    /// Writes its words. They do go through memory, where [`gather`](Self::gather) finds them: the
    /// compiler would take them from the vector one by one, which is slower.
    #[inline(always)]
    pub(crate) fn store_words(self, words: &mut [u64]) {
        assert!(words.len() == 4);
        // SAFETY: a vector holds the proof of AVX2; the slice has 32 bytes.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) };
        // SAFETY: a comment is no instruction.
        unsafe {
            asm!("/* {} */", in(reg) words.as_mut_ptr(), options(nostack, preserves_flags));
        }
    }

    /// The words at these places.
    #[inline(always)]
    pub(crate) fn gather(proof: Avx2, words: &[u64; 16], [a, b, c, d]: [usize; 4]) -> Self {
        let [a, b, c, d] = [words[a], words[b], words[c], words[d]].map(u64::cast_signed);
        // SAFETY: `proof` is that of AVX2.
        Self(unsafe { _mm256_set_epi64x(d, c, b, a) }, proof)
    }

    /// The same, computed before anything is added to it.
    #[inline(always)]
    pub(crate) fn first(self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { settled(self.0) }, self.1)
    }

    /// Word `j + 1` in the place of word `j`, in a ring.
    #[inline(always)]
    pub(crate) fn turn_1(self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_permute4x64_epi64::<0b00_11_10_01>(self.0) }, self.1)
    }

    /// Word `j + 2` in the place of word `j`, in a ring.
    #[inline(always)]
    pub(crate) fn turn_2(self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { swap_halves(self.0) }, self.1)
    }

    /// Word `j + 3` in the place of word `j`, in a ring.
    #[inline(always)]
    pub(crate) fn turn_3(self) -> Self {
        // SAFETY: a vector holds the proof of AVX2.
        Self(unsafe { _mm256_permute4x64_epi64::<0b10_01_00_11>(self.0) }, self.1)
    }
}

/// Each 64-bit word rotated to the right, by a number known at compile time once all is inlined.
#[inline(always)]
fn rotate_64(_: Avx2, x: __m256i, bits: u32) -> __m256i {
    // SAFETY: `proof` is that of AVX2.
    let x = unsafe { settled(x) };
    // SAFETY: `proof` is that of AVX2.
    unsafe {
        match bits {
            8 => turn_bytes(x, [0x0007_0605_0403_0201, 0x080f_0e0d_0c0b_0a09]),
            16 => turn_bytes(x, [0x0100_0706_0504_0302, 0x0908_0f0e_0d0c_0b0a]),
            24 => turn_bytes(x, [0x0201_0007_0605_0403, 0x0a09_080f_0e0d_0c0b]),
            32 => _mm256_shuffle_epi32::<0b10_11_00_01>(x),
            63 => {
                let right = _mm256_srl_epi64(x, _mm_cvtsi32_si128(63));
                _mm256_xor_si256(_mm256_add_epi64(x, x), right)
            }
            _ => {
                let right = _mm256_srl_epi64(x, _mm_cvtsi32_si128(bits.cast_signed()));
                let left = _mm256_sll_epi64(x, _mm_cvtsi32_si128(64 - bits.cast_signed()));
                _mm256_or_si256(left, right)
            }
        }
    }
}

/// The bytes of each half in this order: in one instruction, where the compiler would take two that
/// know an order of 16-bit words.
///
/// # Safety
/// The CPU must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn turn_bytes(x: __m256i, [low, high]: [i64; 2]) -> __m256i {
    // SAFETY: the caller's.
    let order = unsafe { settled(_mm256_set_epi64x(high, low, high, low)) };
    _mm256_shuffle_epi8(x, order)
}

/// The halves exchanged: the instruction that the compiler would take is twice as long under way.
///
/// # Safety
/// The CPU must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn swap_halves(mut x: __m256i) -> __m256i {
    // SAFETY: the instruction is one of AVX2 and only exchanges the halves of `x`.
    unsafe {
        asm!("vperm2i128 {x}, {x}, {x}, 1", x = inout(ymm_reg) x,
            options(pure, nomem, nostack, preserves_flags));
    }
    x
}

/// The same, computed: the compiler would otherwise move the bytes of both parts of a sum rather
/// than those of the sum.
///
/// # Safety
/// The CPU must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn settled(mut x: __m256i) -> __m256i {
    // SAFETY: a comment is no instruction.
    unsafe {
        asm!("/* {} */", inout(ymm_reg) x, options(nomem, nostack, preserves_flags));
    }
    x
}

/// A block of 32-bit words.
#[inline(always)]
fn load_block(proof: Avx2, source: &[u8], i: usize) -> __m256i {
    load(proof, &source[32 * i..32 * i + 32])
}

/// The inverse of [`load_block`].
#[inline(always)]
fn store_block(proof: Avx2, x: __m256i, target: &mut [u8], i: usize) {
    store(proof, x, &mut target[32 * i..32 * i + 32]);
}

/// Half of a block of 64-bit words: the first halves of all four blocks, then the second halves.
#[inline(always)]
fn load_half(proof: Avx2, source: &[u8], i: usize) -> __m256i {
    load(proof, &source[64 * (i % 4) + 32 * (i / 4)..][..32])
}

/// The inverse of [`load_half`].
#[inline(always)]
fn store_half(proof: Avx2, x: __m256i, target: &mut [u8], i: usize) {
    store(proof, x, &mut target[64 * (i % 4) + 32 * (i / 4)..][..32]);
}

/// The first halves of two registers, and the second halves.
#[inline(always)]
fn join(_: Avx2, a: __m256i, b: __m256i) -> [__m256i; 2] {
    // SAFETY: the proof of AVX2 is an argument.
    unsafe { [_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b)] }
}

/// Two 4×4 matrices of 64-bit words, mirrored: its own inverse.
#[inline(always)]
fn transpose_64(proof: Avx2, [a, b, c, d, e, f, g, h]: [__m256i; 8]) -> [__m256i; 8] {
    let [a, b, c, d] = transpose_4(proof, [a, b, c, d]);
    let [e, f, g, h] = transpose_4(proof, [e, f, g, h]);
    [a, b, c, d, e, f, g, h]
}
