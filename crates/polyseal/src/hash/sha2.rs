//! The common part of SHA-256 and SHA-512: rounds and message schedule (FIPS 180-4, sections 6.2.2
//! and 6.4.2), generic over the word and over how many inputs lie side by side.
//!
//! `a`…`h` are kept in place and change their names: in round t, the variable j is `x[(j − t) mod
//! 8]`.

use zeroize::Zeroize;

use crate::backend::hashes::{HashWords, Integer, Lanewise};

/// One of the two.
pub(super) trait Sha2 {
    /// The word.
    type Word: Integer;
    /// The round constants, K.
    const K: &'static [Self::Word];
    /// The rotations in Σ_0 and Σ_1.
    const BIG: [[u32; 3]; 2];
    /// The two rotations and the shift in σ_0 and σ_1.
    const SMALL: [[u32; 3]; 2];
}

/// W_0, …, W_7, and the same with K_t added: the first half of every block.
#[derive(Clone)]
#[allow(missing_debug_implementations)] // A secret that nothing outside can name.
pub struct KeyWords<W> {
    pub(super) words: [W; 8],
    pub(super) sums: [W; 8],
}

impl<W: Integer> Zeroize for KeyWords<W> {
    fn zeroize(&mut self) {
        self.words.zeroize();
        self.sums.zeroize();
    }
}

impl<W: Integer> KeyWords<W> {
    pub(super) fn new<S: Sha2<Word = W>>(key: &[u8]) -> Self {
        let mut this = Self { words: [W::default(); 8], sums: [W::default(); 8] };
        for t in 0..8 {
            this.words[t] = W::read(true, &key[W::BYTES * t..W::BYTES * (t + 1)]);
            this.sums[t] = this.words[t].plus(S::K[t]);
        }
        this
    }
}

/// The compression function of several chaining values `h` and second halves of blocks.
#[inline(always)]
pub(super) fn compress<V: HashWords, S: Sha2<Word = V::Word>>(
    proof: V::Proof,
    key: &KeyWords<S::Word>,
    h: [V; 8],
    block: [V; 8],
) -> [V; 8] {
    let mut w = [h[0]; 16];
    for t in 0..8 {
        w[t] = V::splat(proof, key.words[t]);
        w[t + 8] = block[t];
    }
    let mut x = h;
    sixteen::<V, S, true>(proof, key, &mut x, &mut w, 0);
    for t in (16..S::K.len()).step_by(16) {
        sixteen::<V, S, false>(proof, key, &mut x, &mut w, t);
    }
    add(h, x)
}

/// Rounds t to t + 15.
#[inline(always)]
fn sixteen<V: HashWords, S: Sha2<Word = V::Word>, const FIRST: bool>(
    proof: V::Proof,
    key: &KeyWords<S::Word>,
    x: &mut [V; 8],
    w: &mut [V; 16],
    t: usize,
) {
    // Unrolled by hand: only constants index registers.
    step::<V, S, FIRST, 0>(proof, key, x, w, t);
    step::<V, S, FIRST, 1>(proof, key, x, w, t);
    step::<V, S, FIRST, 2>(proof, key, x, w, t);
    step::<V, S, FIRST, 3>(proof, key, x, w, t);
    step::<V, S, FIRST, 4>(proof, key, x, w, t);
    step::<V, S, FIRST, 5>(proof, key, x, w, t);
    step::<V, S, FIRST, 6>(proof, key, x, w, t);
    step::<V, S, FIRST, 7>(proof, key, x, w, t);
    step::<V, S, FIRST, 8>(proof, key, x, w, t);
    step::<V, S, FIRST, 9>(proof, key, x, w, t);
    step::<V, S, FIRST, 10>(proof, key, x, w, t);
    step::<V, S, FIRST, 11>(proof, key, x, w, t);
    step::<V, S, FIRST, 12>(proof, key, x, w, t);
    step::<V, S, FIRST, 13>(proof, key, x, w, t);
    step::<V, S, FIRST, 14>(proof, key, x, w, t);
    step::<V, S, FIRST, 15>(proof, key, x, w, t);
}

/// Round t + I, and the word of the message that it takes.
#[inline(always)]
fn step<V: HashWords, S: Sha2<Word = V::Word>, const FIRST: bool, const I: usize>(
    proof: V::Proof,
    key: &KeyWords<S::Word>,
    x: &mut [V; 8],
    w: &mut [V; 16],
    t: usize,
) {
    if !FIRST {
        // W_t = σ_1(W_{t−2}) + W_{t−7} + σ_0(W_{t−15}) + W_{t−16}
        let sum = w[I].add(small::<V, S>(0, w[(I + 1) % 16])).add(w[(I + 9) % 16]);
        w[I] = sum.add(small::<V, S>(1, w[(I + 14) % 16]));
    }
    let sum = if FIRST && I < 8 {
        V::splat(proof, key.sums[I])
    } else {
        w[I].add(V::splat(proof, S::K[t + I]))
    };
    round::<V, S, I>(x, sum);
}

/// Round I mod 8, with K_t + W_t.
#[inline(always)]
fn round<V: Lanewise, S: Sha2, const I: usize>(x: &mut [V; 8], sum: V) {
    let [a, b, c, d] = const { [(16 - I) % 8, (17 - I) % 8, (18 - I) % 8, (19 - I) % 8] };
    let [e, f, g, h] = const { [(20 - I) % 8, (21 - I) % 8, (22 - I) % 8, (23 - I) % 8] };
    // T_1 = h + Σ_1(e) + Ch(e, f, g) + K_t + W_t
    let t1 = x[h].add(sum).add(x[e].choose(x[f], x[g])).add(big::<V, S>(1, x[e]));
    // e = d + T_1;  a = T_1 + Σ_0(a) + Maj(a, b, c)
    x[d] = x[d].add(t1);
    x[h] = t1.add(x[a].majority(x[b], x[c])).add(big::<V, S>(0, x[a]));
}

#[inline(always)]
fn big<V: Lanewise, S: Sha2>(which: usize, x: V) -> V {
    let [a, b, c] = S::BIG[which];
    x.rotate(a).xor3(x.rotate(b), x.rotate(c))
}

#[inline(always)]
fn small<V: Lanewise, S: Sha2>(which: usize, x: V) -> V {
    let [a, b, c] = S::SMALL[which];
    x.rotate(a).xor3(x.rotate(b), x.shift(c))
}

#[inline(always)]
pub(super) fn add<V: Lanewise>(x: [V; 8], y: [V; 8]) -> [V; 8] {
    let mut sum = x;
    for i in 0..8 {
        sum[i] = x[i].add(y[i]);
    }
    sum
}
