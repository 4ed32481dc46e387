//! BLAKE2b of one input with the state in four vectors, its rows, so that the four G of a step are
//! one.
//!
//! A round's second step takes diagonals. Here row b stays where it is and the others turn: b is what the
//! next step waits for, and they are there before.

use super::blake2b::{IV, KeyWords, SIGMA};
use crate::backend::cpu::Avx2;
use crate::backend::hashes::{Integer, Lanewise, Proof, Routine, Row};

/// A call.
struct Call<'a> {
    proof: Avx2,
    key: &'a KeyWords,
    chain: &'a mut [u8; 64],
    block: &'a [u8; 64],
}

/// The compression function.
pub(super) fn compress(proof: Avx2, key: &KeyWords, chain: &mut [u8; 64], block: &[u8; 64]) {
    proof.enter(Call { proof, key, chain, block });
}

impl Routine for Call<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { proof, key, chain, block } = self;
        let mut m = [0; 16];
        m[..8].copy_from_slice(&key.0);
        for i in 0..8 {
            m[i + 8] = u64::read(false, &block[8 * i..8 * i + 8]);
        }
        let h = [Row::load_row(proof, &chain[..32]), Row::load_row(proof, &chain[32..])];
        let [i0, i1, i2, i3, i4, i5, i6, i7] = IV;
        let mut v =
            [h[0], h[1], Row::row(proof, [i0, i1, i2, i3]), Row::row(proof, [i4, i5, i6, i7])];
        // Unrolled by hand: only constants index the message.
        round::<0>(proof, &mut v, &m);
        round::<1>(proof, &mut v, &m);
        round::<2>(proof, &mut v, &m);
        round::<3>(proof, &mut v, &m);
        round::<4>(proof, &mut v, &m);
        round::<5>(proof, &mut v, &m);
        round::<6>(proof, &mut v, &m);
        round::<7>(proof, &mut v, &m);
        round::<8>(proof, &mut v, &m);
        round::<9>(proof, &mut v, &m);
        round::<0>(proof, &mut v, &m);
        round::<1>(proof, &mut v, &m);
        let (low, high) = chain.split_at_mut(32);
        h[0].xor3(v[0], v[2]).store_row(low);
        h[1].xor3(v[1], v[3]).store_row(high);
    }
}

#[inline(always)]
fn round<const R: usize>(proof: Avx2, v: &mut [Row; 4], m: &[u64; 16]) {
    let s = const { SIGMA[R] };
    let x = Row::row(proof, [m[s[0]], m[s[2]], m[s[4]], m[s[6]]]);
    let y = Row::row(proof, [m[s[1]], m[s[3]], m[s[5]], m[s[7]]]);
    g(v, x, y);
    // b stays, so that the last diagonal comes first.
    let [a, b, c, d] = *v;
    *v = [a.turn_3(), b, c.turn_1(), d.turn_2()];
    let x = Row::row(proof, [m[s[14]], m[s[8]], m[s[10]], m[s[12]]]);
    let y = Row::row(proof, [m[s[15]], m[s[9]], m[s[11]], m[s[13]]]);
    g(v, x, y);
    let [a, b, c, d] = *v;
    *v = [a.turn_1(), b, c.turn_3(), d.turn_2()];
}

/// Four times G, section 3.1.
#[inline(always)]
fn g(v: &mut [Row; 4], x: Row, y: Row) {
    let [a, b, c, d] = v;
    *a = a.add(x).add(*b);
    *d = d.xor(*a).rotate(32);
    *c = c.add(*d);
    *b = b.xor(*c).rotate(24);
    *a = a.add(y).add(*b);
    *d = d.xor(*a).rotate(16);
    *c = c.add(*d);
    *b = b.xor(*c).rotate(63);
}
