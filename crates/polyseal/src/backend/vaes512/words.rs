//! Eight 64-bit words.

use core::arch::x86_64::{
    __m512i, _mm512_andnot_si512, _mm512_rolv_epi64, _mm512_set1_epi64, _mm512_storeu_si512,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi64, _mm512_xor_si512,
};

use super::super::cpu::Vaes512;
use super::super::lanes::Lanes;
use super::super::words::{Word, Words};
use super::state_lanes::transpose as transpose_blocks;

/// Eight words, with the proof that the CPU has AVX-512.
#[derive(Clone, Copy)]
pub struct Zmm(__m512i, Vaes512);

impl Words for Zmm {
    type Isa = Vaes512;

    const COUNT: usize = 8;

    #[inline(always)]
    fn isa(self) -> Vaes512 {
        self.1
    }

    #[inline(always)]
    fn broadcast(isa: Vaes512, word: u64) -> Self {
        // SAFETY: `isa` is the proof of AVX-512.
        Self(unsafe { _mm512_set1_epi64(word.cast_signed()) }, isa)
    }

    #[inline(always)]
    fn load<const W: usize>(isa: Vaes512, source: &[u8]) -> [Self; W] {
        assert!(source.len() == 64 * W);
        let mut x = [Self::broadcast(isa, 0); W];
        // Eight words of every state at a time.
        for first in (0..W).step_by(8) {
            let count = (W - first).min(8);
            let mut rows = [x[0]; 8];
            for i in 0..8 {
                let row = &source[8 * (W * i + first)..][..8 * count];
                rows[i].0 = super::Zmm::load_partial(isa, row).0;
            }
            let columns = transpose(rows);
            x[first..first + count].copy_from_slice(&columns[..count]);
        }
        x
    }

    #[inline(always)]
    fn store<const W: usize>(x: [Self; W], target: &mut [u8]) {
        assert!(target.len() == 64 * W);
        for first in (0..W).step_by(8) {
            let count = (W - first).min(8);
            let mut columns = [x[first]; 8];
            columns[..count].copy_from_slice(&x[first..first + count]);
            let rows = transpose(columns);
            for i in 0..8 {
                let row = &mut target[8 * (W * i + first)..][..8 * count];
                super::Zmm(rows[i].0, rows[i].1).store_partial(row);
            }
        }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn not_and(self, other: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_andnot_si512(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn rotate_left(self, bits: u32) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_rolv_epi64(self.0, _mm512_set1_epi64(bits.into())) }, self.1)
    }

    #[inline(always)]
    fn xor_words(self) -> Word<Vaes512> {
        let mut words = [0; 8];
        // SAFETY: a vector holds the proof of AVX-512; the array has 64 bytes.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) };
        Word(words.into_iter().fold(0, |sum, word| sum ^ word), self.1)
    }
}

/// The 8×8 matrix of words, mirrored: its own inverse.
#[inline(always)]
fn transpose(rows: [Zmm; 8]) -> [Zmm; 8] {
    let mut even = [super::Zmm(rows[0].0, rows[0].1); 4];
    let mut odd = even;
    for i in 0..4 {
        let (a, b) = (rows[2 * i], rows[2 * i + 1]);
        // SAFETY: a vector holds the proof of AVX-512.
        unsafe {
            even[i].0 = _mm512_unpacklo_epi64(a.0, b.0);
            odd[i].0 = _mm512_unpackhi_epi64(a.0, b.0);
        }
    }
    // Blocks are now pairs of words of one column.
    let (even, odd) = (transpose_blocks(even), transpose_blocks(odd));
    let mut columns = rows;
    for i in 0..4 {
        columns[2 * i].0 = even[i].0;
        columns[2 * i + 1].0 = odd[i].0;
    }
    columns
}
