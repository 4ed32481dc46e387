//! Two 64-bit words.

use core::arch::aarch64::{
    uint64x2_t, vbicq_u64, vdupq_n_s64, vdupq_n_u64, veorq_u64, vgetq_lane_u64, vld1q_u64,
    vorrq_u64, vshlq_u64, vst1q_u64,
};

use super::super::cpu::Neon;
use super::super::words::{Word, Words, columns, write_columns};

/// Two words, with the proof that the CPU has Advanced SIMD.
#[derive(Clone, Copy)]
pub struct Q(uint64x2_t, Neon);

impl Words for Q {
    type Isa = Neon;

    const COUNT: usize = 2;

    #[inline(always)]
    fn isa(self) -> Neon {
        self.1
    }

    #[inline(always)]
    fn broadcast(isa: Neon, word: u64) -> Self {
        // SAFETY: `isa` is the proof of Advanced SIMD.
        Self(unsafe { vdupq_n_u64(word) }, isa)
    }

    #[inline(always)]
    fn load<const W: usize>(isa: Neon, source: &[u8]) -> [Self; W] {
        let columns = columns::<W, 2>(source);
        let mut x = [Self::broadcast(isa, 0); W];
        for k in 0..W {
            // SAFETY: `isa` is the proof of Advanced SIMD; a column has 16 bytes.
            x[k].0 = unsafe { vld1q_u64(columns[k].as_ptr()) };
        }
        x
    }

    #[inline(always)]
    fn store<const W: usize>(x: [Self; W], target: &mut [u8]) {
        let mut columns = [[0; 2]; W];
        for k in 0..W {
            // SAFETY: a vector holds the proof of Advanced SIMD; a column has 16 bytes.
            unsafe { vst1q_u64(columns[k].as_mut_ptr(), x[k].0) };
        }
        write_columns(columns, target);
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of Advanced SIMD.
        Self(unsafe { veorq_u64(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn not_and(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of Advanced SIMD.
        Self(unsafe { vbicq_u64(other.0, self.0) }, self.1)
    }

    #[inline(always)]
    fn rotate_left(self, bits: u32) -> Self {
        let left = i64::from(bits);
        // A shift by a negative number is one to the right.
        // SAFETY: a vector holds the proof of Advanced SIMD.
        let rotated = unsafe {
            vorrq_u64(
                vshlq_u64(self.0, vdupq_n_s64(left)),
                vshlq_u64(self.0, vdupq_n_s64(left - 64)),
            )
        };
        Self(rotated, self.1)
    }

    #[inline(always)]
    fn xor_words(self) -> Word<Neon> {
        // SAFETY: a vector holds the proof of Advanced SIMD.
        let sum = unsafe { vgetq_lane_u64::<0>(self.0) ^ vgetq_lane_u64::<1>(self.0) };
        Word(sum, self.1)
    }
}
