//! States of little-endian 64-bit words, for Keccak-p and Ascon-p, and the step that both have.

use core::marker::PhantomData;

use super::States;
use crate::backend::{Word, Words};

/// A permutation of `W` words, on `N` vectors of states.
pub(crate) trait WordRounds<const W: usize>: Copy {
    /// The permutation.
    fn permute<V: Words, const N: usize>(isa: V::Isa, x: &mut [[V; W]; N]);
    /// Its inverse.
    fn invert<V: Words, const N: usize>(isa: V::Isa, x: &mut [[V; W]; N]);
}

/// One state of `W` words of the permutation `P` in each lane of `V`.
#[derive(Clone, Copy)]
pub(crate) struct WordStates<P, V, const W: usize>([V; W], PhantomData<P>);

/// As many states as the widest registers hold.
const MOST: usize = 8;

impl<P: WordRounds<W>, V: Words, const W: usize> States for WordStates<P, V, W> {
    type Isa = V::Isa;
    type SingleState = WordStates<P, Word<V::Isa>, W>;

    const COUNT: usize = V::COUNT;
    const BYTES: usize = 8 * W * V::COUNT;

    #[inline(always)]
    fn load(isa: V::Isa, source: &[u8]) -> Self {
        Self(V::load(isa, source), PhantomData)
    }

    #[inline(always)]
    fn load_partial(isa: V::Isa, source: &[u8]) -> Self {
        let mut states = [[[0; 8]; W]; MOST];
        let bytes = states.as_flattened_mut().as_flattened_mut();
        bytes[..source.len()].copy_from_slice(source);
        Self::load(isa, &bytes[..Self::BYTES])
    }

    #[inline(always)]
    fn store(self, target: &mut [u8]) {
        V::store(self.0, target);
    }

    #[inline(always)]
    fn store_partial(self, target: &mut [u8]) {
        let mut states = [[[0; 8]; W]; MOST];
        let bytes = states.as_flattened_mut().as_flattened_mut();
        self.store(&mut bytes[..Self::BYTES]);
        target.copy_from_slice(&bytes[..Self::BYTES][..target.len()]);
    }

    #[inline(always)]
    fn splat(isa: V::Isa, one: Self::SingleState) -> Self {
        let mut words = [V::broadcast(isa, one.0[0].get()); W];
        for k in 1..W {
            words[k] = V::broadcast(isa, one.0[k].get());
        }
        Self(words, PhantomData)
    }

    #[inline(always)]
    fn xor(mut self, other: Self) -> Self {
        for k in 0..W {
            self.0[k] = self.0[k].xor(other.0[k]);
        }
        self
    }

    #[inline(always)]
    fn left(mut self, bytes: usize) -> Self {
        assert!(bytes.is_multiple_of(8));
        for k in 0..W {
            if 8 * k >= bytes {
                self.0[k] = self.0[k].xor(self.0[k]);
            }
        }
        self
    }

    #[inline(always)]
    fn right(mut self, bytes: usize) -> Self {
        assert!(bytes.is_multiple_of(8));
        for k in (0..W).rev() {
            self.0[k] = match k.checked_sub(bytes / 8) {
                Some(from) => self.0[from],
                None => self.0[k].xor(self.0[k]),
            };
        }
        self
    }

    #[inline(always)]
    fn after(mut self, bytes: usize) -> Self {
        assert!(bytes.is_multiple_of(8));
        for k in 0..W {
            self.0[k] = match self.0.get(k + bytes / 8) {
                Some(word) => *word,
                None => self.0[k].xor(self.0[k]),
            };
        }
        self
    }

    #[inline(always)]
    fn cut(mut self, isa: V::Isa, bytes: usize) -> Self {
        for k in 0..W {
            let kept = bytes.saturating_sub(8 * k).min(8) as u32;
            let others = u64::MAX.checked_shl(8 * kept).unwrap_or(0);
            self.0[k] = V::broadcast(isa, others).not_and(self.0[k]);
        }
        self
    }

    #[inline(always)]
    fn first(mut self, states: usize) -> Self {
        static ZEROS_THEN_ONES: [[u8; 8 * MOST]; 2] = [[0; 8 * MOST], [0xff; 8 * MOST]];
        let from = 8 * (MOST - states.min(V::COUNT));
        let window = &ZEROS_THEN_ONES.as_flattened()[from..][..8 * V::COUNT];
        let [others] = V::load(self.0[0].isa(), window);
        for k in 0..W {
            self.0[k] = others.not_and(self.0[k]);
        }
        self
    }

    #[inline(always)]
    fn read_lanes(isa: V::Isa, source: &[u8]) -> Self {
        assert!(source.len() == Self::BYTES);
        let mut words = [V::broadcast(isa, 0); W];
        for k in 0..W {
            [words[k]] = V::load(isa, &source[8 * V::COUNT * k..8 * V::COUNT * (k + 1)]);
        }
        Self(words, PhantomData)
    }

    #[inline(always)]
    fn write_lanes(self, target: &mut [u8]) {
        assert!(target.len() == Self::BYTES);
        for k in 0..W {
            V::store([self.0[k]], &mut target[8 * V::COUNT * k..8 * V::COUNT * (k + 1)]);
        }
    }

    #[inline(always)]
    fn xor_states(self) -> Self::SingleState {
        let mut sum = [self.0[0].xor_words(); W];
        for k in 1..W {
            sum[k] = self.0[k].xor_words();
        }
        WordStates(sum, PhantomData)
    }

    #[inline(always)]
    fn permute<const N: usize>(isa: V::Isa, mut x: [Self; N]) -> [Self; N] {
        let mut words = [x[0].0; N];
        for n in 1..N {
            words[n] = x[n].0;
        }
        P::permute(isa, &mut words);
        for n in 0..N {
            x[n].0 = words[n];
        }
        x
    }

    #[inline(always)]
    fn invert<const N: usize>(isa: V::Isa, mut x: [Self; N]) -> [Self; N] {
        let mut words = [x[0].0; N];
        for n in 1..N {
            words[n] = x[n].0;
        }
        P::invert(isa, &mut words);
        for n in 0..N {
            x[n].0 = words[n];
        }
        x
    }
}

/// χ: `y_i = x_i ⊕ (¬x_{i+1} ∧ x_{i+2})`, indices modulo 5.
#[inline(always)]
pub(super) fn chi<V: Words>(x: [V; 5]) -> [V; 5] {
    let mut y = x;
    for i in 0..5 {
        y[i] = x[i].xor(x[(i + 1) % 5].not_and(x[(i + 2) % 5]));
    }
    y
}

/// χ⁻¹.
///
/// Where `x_{i+2}` is one, `y_{i+1} = x_{i+1}`, so `x_i = y_i ⊕ (¬y_{i+1} ∧ x_{i+2})`. Put into
/// itself, with the fact that only zero is mapped to zero, this ends:
/// `x_i = y_i ⊕ (¬y_{i+1} ∧ (y_{i+2} ⊕ (¬y_{i+3} ∧ y_{i+4})))`, and the inner term is χ again.
#[inline(always)]
pub(super) fn inverse_chi<V: Words>(y: [V; 5]) -> [V; 5] {
    let inner = chi(y);
    let mut x = y;
    for i in 0..5 {
        x[i] = y[i].xor(y[(i + 1) % 5].not_and(inner[(i + 2) % 5]));
    }
    x
}
