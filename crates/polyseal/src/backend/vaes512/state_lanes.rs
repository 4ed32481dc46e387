//! Four blocks: a word of each of four states, and the inverse AES rounds.

use core::arch::x86_64::{
    _mm256_storeu_si256, _mm512_aesdec_epi128, _mm512_aesdeclast_epi128, _mm512_alignr_epi8,
    _mm512_castsi512_si256, _mm512_extracti64x4_epi64, _mm512_mask_loadu_epi64,
    _mm512_mask_mov_epi64, _mm512_permutex2var_epi64, _mm512_set_epi64, _mm512_shuffle_i64x2,
};

use super::super::cpu::Vaes512;
use super::super::lanes::Lanes;
use super::super::state_lanes::StateLanes;
use super::Zmm;

impl StateLanes for Zmm {
    #[inline(always)]
    fn gather<const W: usize>(x: [Self; W]) -> [Self; W] {
        const { assert!(matches!(W, 2 | 3 | 4 | 8), "no order for this many words") };
        let mut lanes = x;
        match const { W } {
            2 => (lanes[0], lanes[1]) = (even(x[0], x[1]), odd(x[0], x[1])),
            3 => {
                let x = [x[0], x[1], x[2]];
                lanes[0] = choose(x, [(0, 0), (0, 3), (1, 2), (2, 1)]);
                lanes[1] = choose(x, [(0, 1), (1, 0), (1, 3), (2, 2)]);
                lanes[2] = choose(x, [(0, 2), (1, 1), (2, 0), (2, 3)]);
            }
            4 => [lanes[0], lanes[1], lanes[2], lanes[3]] = transpose([x[0], x[1], x[2], x[3]]),
            _ => {
                [lanes[0], lanes[1], lanes[2], lanes[3]] = transpose([x[0], x[2], x[4], x[6]]);
                [lanes[4], lanes[5], lanes[6], lanes[7]] = transpose([x[1], x[3], x[5], x[7]]);
            }
        }
        lanes
    }

    #[inline(always)]
    fn scatter<const W: usize>(x: [Self; W]) -> [Self; W] {
        const { assert!(matches!(W, 2 | 3 | 4 | 8), "no order for this many words") };
        let mut memory = x;
        match const { W } {
            2 => {
                // Lanes 0, 1 and lanes 2, 3 of both, each with its partner next to it.
                memory[0] = choose([x[0], x[1], x[1]], [(0, 0), (1, 0), (0, 1), (1, 1)]);
                memory[1] = choose([x[0], x[1], x[1]], [(0, 2), (1, 2), (0, 3), (1, 3)]);
            }
            3 => {
                let x = [x[0], x[1], x[2]];
                memory[0] = choose(x, [(0, 0), (1, 0), (2, 0), (0, 1)]);
                memory[1] = choose(x, [(1, 1), (2, 1), (0, 2), (1, 2)]);
                memory[2] = choose(x, [(2, 2), (0, 3), (1, 3), (2, 3)]);
            }
            4 => [memory[0], memory[1], memory[2], memory[3]] = transpose([x[0], x[1], x[2], x[3]]),
            _ => {
                [memory[0], memory[2], memory[4], memory[6]] = transpose([x[0], x[1], x[2], x[3]]);
                [memory[1], memory[3], memory[5], memory[7]] = transpose([x[4], x[5], x[6], x[7]]);
            }
        }
        memory
    }

    #[inline(always)]
    fn load_turned(isa: Vaes512, source: &[u8]) -> [Self; 4] {
        assert!(source.len() == 256);
        let (outer, inner) = load_pair(isa, &source[..128]);
        let (next_outer, next_inner) = load_pair(isa, &source[128..]);
        [
            even(outer, next_outer),
            odd(outer, next_outer),
            even(inner, next_inner),
            odd(inner, next_inner),
        ]
    }

    #[inline(always)]
    fn store_turned([a, b, c, d]: [Self; 4], target: &mut [u8]) {
        assert!(target.len() == 256);
        store_pair(permute(a, [0, 4, 1, 5], b), permute(c, [0, 4, 1, 5], d), &mut target[..128]);
        store_pair(permute(a, [2, 6, 3, 7], b), permute(c, [2, 6, 3, 7], d), &mut target[128..]);
    }

    #[inline(always)]
    fn shift_in(self, before: Self) -> Self {
        // SAFETY: a vector holds the proof of AVX-512.
        Self(unsafe { _mm512_alignr_epi8::<14>(self.0, before.0) }, self.1)
    }

    #[inline(always)]
    fn exchange_odd(a: Self, b: Self) -> (Self, Self) {
        // SAFETY: a vector holds the proof of AVX-512.
        let exchanged = unsafe {
            (_mm512_mask_mov_epi64(a.0, ODD_LANES, b.0), _mm512_mask_mov_epi64(b.0, ODD_LANES, a.0))
        };
        (Self(exchanged.0, a.1), Self(exchanged.1, a.1))
    }

    #[inline(always)]
    fn aes_inverse_rounds<const N: usize>(mut x: [Self; N], round_keys: [Self; N]) -> [Self; N] {
        for i in 0..N {
            // SAFETY: a vector holds the proof of VAES and AVX-512.
            x[i].0 = unsafe { _mm512_aesdec_epi128(x[i].0, round_keys[i].0) };
        }
        x
    }

    #[inline(always)]
    fn aes_inverse_last_rounds<const N: usize>(
        mut x: [Self; N],
        round_keys: [Self; N],
    ) -> [Self; N] {
        for i in 0..N {
            // SAFETY: a vector holds the proof of VAES and AVX-512.
            x[i].0 = unsafe { _mm512_aesdeclast_epi128(x[i].0, round_keys[i].0) };
        }
        x
    }
}

/// The words of 64 bits in lanes with odd numbers.
const ODD_LANES: u8 = 0b1100_1100;
/// Those in the upper half of a vector.
const UPPER_HALF: u8 = 0b1111_0000;

/// The outer half of two states of four words: the first's words 0 and 1, the second's 2 and 3; and
/// the inner one: the first's 2 and 3, the second's 0 and 1.
#[inline(always)]
fn load_pair(isa: Vaes512, source: &[u8]) -> (Zmm, Zmm) {
    assert!(source.len() == 128);
    let second = &source[64..];
    let first = Zmm::load(isa, &source[..64]);
    // SAFETY: `isa` is the proof of AVX-512; the slice has 64 bytes.
    let outer = unsafe { _mm512_mask_loadu_epi64(first.0, UPPER_HALF, second.as_ptr().cast()) };
    (Zmm(outer, isa), Zmm::load(isa, &source[32..96]))
}

/// The inverse of [`load_pair`].
#[inline(always)]
fn store_pair(outer: Zmm, inner: Zmm, target: &mut [u8]) {
    assert!(target.len() == 128);
    inner.store(&mut target[32..96]);
    let (first, second) = target.split_at_mut(96);
    // SAFETY: a vector holds the proof of AVX-512; both slices have at least 32 bytes.
    unsafe {
        _mm256_storeu_si256(first.as_mut_ptr().cast(), _mm512_castsi512_si256(outer.0));
        let upper = _mm512_extracti64x4_epi64::<1>(outer.0);
        _mm256_storeu_si256(second.as_mut_ptr().cast(), upper);
    }
}

/// The blocks of lanes 0 and 2 of `a`, then of `b`.
#[inline(always)]
fn even(a: Zmm, b: Zmm) -> Zmm {
    // SAFETY: a vector holds the proof of AVX-512.
    Zmm(unsafe { _mm512_shuffle_i64x2::<0x88>(a.0, b.0) }, a.1)
}

/// The blocks of lanes 1 and 3 of `a`, then of `b`.
#[inline(always)]
fn odd(a: Zmm, b: Zmm) -> Zmm {
    // SAFETY: a vector holds the proof of AVX-512.
    Zmm(unsafe { _mm512_shuffle_i64x2::<0xdd>(a.0, b.0) }, a.1)
}

/// The 4×4 matrix of blocks, mirrored: its own inverse.
#[inline(always)]
pub(super) fn transpose([a, b, c, d]: [Zmm; 4]) -> [Zmm; 4] {
    let (even_ab, odd_ab) = (even(a, b), odd(a, b));
    let (even_cd, odd_cd) = (even(c, d), odd(c, d));
    [even(even_ab, even_cd), even(odd_ab, odd_cd), odd(even_ab, even_cd), odd(odd_ab, odd_cd)]
}

/// Four blocks of `x`, each named by its vector and its lane.
#[inline(always)]
fn choose(x: [Zmm; 3], blocks: [(usize, usize); 4]) -> Zmm {
    // Takes the blocks of the first two vectors, and then, with the others in their places, those
    // of the third.
    let (mut of_two, mut of_third) = ([0; 4], [0; 4]);
    for i in 0..4 {
        let (vector, lane) = blocks[i];
        of_two[i] = 4 * (vector % 2) + lane;
        of_third[i] = if vector == 2 { 4 + lane } else { i };
    }
    let mut chosen = permute(x[0], of_two, x[1]);
    if blocks.iter().any(|&(vector, _)| vector == 2) {
        chosen = permute(chosen, of_third, x[2]);
    }
    chosen
}

/// Blocks 0 to 3 are those of `a`, 4 to 7 those of `b`.
#[inline(always)]
fn permute(a: Zmm, blocks: [usize; 4], b: Zmm) -> Zmm {
    let [i, j, k, l] = blocks;
    let (i, j, k, l) = (2 * i as i64, 2 * j as i64, 2 * k as i64, 2 * l as i64);
    // SAFETY: a vector holds the proof of AVX-512.
    let permuted = unsafe {
        let order = _mm512_set_epi64(l + 1, l, k + 1, k, j + 1, j, i + 1, i);
        _mm512_permutex2var_epi64(a.0, order, b.0)
    };
    Zmm(permuted, a.1)
}
