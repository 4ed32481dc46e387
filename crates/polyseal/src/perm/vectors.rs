//! A few vectors of states, from and to memory, and their sum. The last may be in part.

use super::States;

/// The share of vector `n` in the bytes from `at` to `end`.
#[inline(always)]
fn share<S: States>(n: usize, at: usize, end: usize) -> core::ops::Range<usize> {
    (at + n * S::BYTES).min(end)..(at + (n + 1) * S::BYTES).min(end)
}

/// The vectors from byte `at` to `end`, and zeros.
#[inline(always)]
pub(crate) fn load<S: States, const N: usize>(
    machine: S::Isa,
    source: &[u8],
    at: usize,
    end: usize,
) -> [S; N] {
    let source = &source[..end];
    if end - at == N * S::BYTES {
        let mut x = [S::load(machine, &source[share::<S>(0, at, end)]); N];
        for n in 1..N {
            x[n] = S::load(machine, &source[share::<S>(n, at, end)]);
        }
        return x;
    }
    let mut x = [S::load_partial(machine, &source[share::<S>(0, at, end)]); N];
    for n in 1..N {
        x[n] = S::load_partial(machine, &source[share::<S>(n, at, end)]);
    }
    x
}

/// Writes the vectors from byte `at` to `end`.
#[inline(always)]
pub(crate) fn store<S: States, const N: usize>(
    x: [S; N],
    target: &mut [u8],
    at: usize,
    end: usize,
) {
    let target = &mut target[..end];
    if end - at == N * S::BYTES {
        for n in 0..N {
            x[n].store(&mut target[share::<S>(n, at, end)]);
        }
        return;
    }
    for n in 0..N {
        x[n].store_partial(&mut target[share::<S>(n, at, end)]);
    }
}

/// `x` with `y` added, vector by vector.
#[inline(always)]
pub(crate) fn add<S: States, const N: usize>(mut x: [S; N], y: [S; N]) -> [S; N] {
    for n in 0..N {
        x[n] = x[n].xor(y[n]);
    }
    x
}

/// A sum of blocks.
#[derive(Clone, Copy)]
pub(crate) struct Sum<S>(pub(crate) S);

impl<S: States> Sum<S> {
    #[inline(always)]
    pub(crate) fn new(machine: S::Isa) -> Self {
        Self(S::load_partial(machine, &[]))
    }

    /// Adds the blocks of the first `bytes` bytes.
    #[inline(always)]
    pub(crate) fn add<const N: usize>(&mut self, x: [S; N], bytes: usize) {
        const { assert!(N.is_multiple_of(2)) };
        let block = S::BYTES / S::COUNT;
        if bytes == N * S::BYTES {
            for n in 0..N / 2 {
                self.0 = self.0.xor3(x[2 * n], x[2 * n + 1]);
            }
            return;
        }
        for n in 0..N {
            let share = share::<S>(n, 0, bytes).len();
            let x = if share == S::BYTES { x[n] } else { x[n].first(share / block) };
            self.0 = self.0.xor(x);
        }
    }

    #[inline(always)]
    pub(crate) fn total(self) -> S::SingleState {
        self.0.xor_states()
    }
}
