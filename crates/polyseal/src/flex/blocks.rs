//! The blocks of a message from index 1 on, many at a time, in the lanes.
//!
//! A [`Pass`] says what is done with a few vectors of blocks whose masks are known; [`run`] leads it
//! over the whole blocks of a buffer.

use aead::inout::InOutBuf;

use super::machine::Machine;
use super::parameters::{GROUP, Many, One, Parameters};
use super::tweak::{Group, Masks, STRETCH, Step, blocks_in_group};
use crate::perm::States;

/// What is done with blocks, on both sides of π. Vectors enter and leave in order.
pub(super) trait Pass<P: Parameters, M: Machine<P>> {
    /// Whether D is added to what leaves π, too.
    const MASKS_BEHIND: bool = true;
    /// Whether vectors are staggered where that pays.
    const STAGGERS: bool = false;

    /// Whether blocks go through the inverse of π.
    fn inverse(&self) -> bool;
    /// What enters, but for D: at most `N` vectors, from byte `at` to byte `end`.
    fn enter<const N: usize>(&mut self, machine: M, at: usize, end: usize) -> [Many<P, M>; N];
    /// Takes what has become of them.
    fn leave<const N: usize>(&mut self, machine: M, at: usize, end: usize, y: [Many<P, M>; N]);
}

/// Leads `pass` over the first `bytes` bytes, whole blocks, of which the first has index 1.
#[inline(always)]
pub(super) fn run<P: Parameters, M: Machine<P>, Q: Pass<P, M>>(
    machine: M,
    mut masks: Masks<'_, P, M>,
    bytes: usize,
    pass: &mut Q,
) {
    let group = blocks_in_group::<P, M>() * P::B;
    let (mut at, mut groups) = (0, (bytes / group) as u64);
    while groups > 0 {
        let stretch = groups.min(STRETCH);
        let far = if stretch == STRETCH { masks.far() } else { Step::ZERO };
        match const { Many::<P, M>::STAGGERS && Q::STAGGERS } {
            true => staggered(machine, &mut masks, &far, stretch as usize, at, pass),
            false => {
                for g in 0..stretch as usize {
                    let at = at + g * group;
                    abreast::<P, M, Q, GROUP>(machine, &masks.next(&far), at, at + group, pass);
                }
            }
        }
        at += stretch as usize * group;
        groups -= stretch;
    }
    // CT: lengths are public.
    if at == bytes {
        return;
    }
    match bytes - at <= 2 * Many::<P, M>::BYTES {
        true => abreast::<P, M, Q, 2>(machine, &masks.some(), at, bytes, pass),
        false => abreast::<P, M, Q, GROUP>(machine, &masks.some(), at, bytes, pass),
    }
}

/// The bytes from `at` to `end`, at most `N` vectors, side by side.
#[inline(always)]
fn abreast<P: Parameters, M: Machine<P>, Q: Pass<P, M>, const N: usize>(
    machine: M,
    d: &Group<'_, P, M>,
    at: usize,
    end: usize,
    pass: &mut Q,
) {
    let x = d.add(pass.enter::<N>(machine, at, end));
    // CT: the direction is public.
    let y = match pass.inverse() {
        false => Many::<P, M>::permute(machine, x),
        true => Many::<P, M>::invert(machine, x),
    };
    pass.leave(machine, at, end, if Q::MASKS_BEHIND { d.add(y) } else { y });
}

/// `groups` groups from byte `at` on, each vector a quarter of π ahead of the next.
#[inline(always)]
fn staggered<P: Parameters, M: Machine<P>, Q: Pass<P, M>>(
    machine: M,
    masks: &mut Masks<'_, P, M>,
    far: &Step<P>,
    groups: usize,
    at: usize,
    pass: &mut Q,
) {
    let bytes = Many::<P, M>::BYTES;
    let vectors = groups * GROUP;
    let mut group = masks.next(far);
    let mut x = [Many::<P, M>::load_partial(machine, &[]); GROUP];
    let mut d = x;
    for n in 0..vectors + GROUP - 1 {
        if n < vectors {
            if n > 0 && n.is_multiple_of(GROUP) {
                group = masks.next(far);
            }
            let mask = group.mask(n % GROUP);
            d[n % GROUP] = mask;
            let from = at + n * bytes;
            let [entering] = pass.enter::<1>(machine, from, from + bytes);
            x[0] = entering.xor(mask);
        }
        x = Many::<P, M>::stagger(machine, pass.inverse(), x);
        if let Some(left) = n.checked_sub(GROUP - 1) {
            let from = at + left * bytes;
            let y = x[GROUP - 1];
            let y = if Q::MASKS_BEHIND { y.xor(d[left % GROUP]) } else { y };
            pass.leave(machine, from, from + bytes, [y]);
        }
        x = [x[3], x[0], x[1], x[2]];
    }
}

/// The share of vector `n` in the bytes from `at` to `end`.
#[inline(always)]
fn share<S: States>(n: usize, at: usize, end: usize) -> core::ops::Range<usize> {
    (at + n * S::BYTES).min(end)..(at + (n + 1) * S::BYTES).min(end)
}

/// The vectors from byte `at` to `end`, and zeros.
#[inline(always)]
pub(super) fn load<S: States, const N: usize>(
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
pub(super) fn store<S: States, const N: usize>(
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
pub(super) fn add<S: States, const N: usize>(mut x: [S; N], y: [S; N]) -> [S; N] {
    for n in 0..N {
        x[n] = x[n].xor(y[n]);
    }
    x
}

/// A sum of blocks.
#[derive(Clone, Copy)]
pub(super) struct Sum<S>(S);

impl<S: States> Sum<S> {
    #[inline(always)]
    pub(super) fn new(machine: S::Isa) -> Self {
        Self(S::load_partial(machine, &[]))
    }

    /// Adds the blocks of the first `bytes` bytes.
    #[inline(always)]
    pub(super) fn add<const N: usize>(&mut self, x: [S; N], bytes: usize) {
        let block = S::BYTES / S::COUNT;
        if bytes == N * S::BYTES {
            let (pairs, single) = x.as_chunks::<2>();
            for &[a, b] in pairs {
                self.0 = self.0.xor3(a, b);
            }
            for &a in single {
                self.0 = self.0.xor(a);
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
    pub(super) fn total(self) -> S::One {
        self.0.xor_states()
    }
}

/// Y = E~(X); the sum of what is enciphered.
pub(super) struct Encipher<'i, 'o, S> {
    pub(super) buffer: InOutBuf<'i, 'o, u8>,
    pub(super) sum: Sum<S>,
}

impl<P: Parameters, M: Machine<P>> Pass<P, M> for Encipher<'_, '_, Many<P, M>> {
    const STAGGERS: bool = true;

    #[inline(always)]
    fn inverse(&self) -> bool {
        false
    }

    #[inline(always)]
    fn enter<const N: usize>(&mut self, machine: M, at: usize, end: usize) -> [Many<P, M>; N] {
        let x = load(machine, self.buffer.get_in(), at, end);
        self.sum.add(x, end - at);
        x
    }

    #[inline(always)]
    fn leave<const N: usize>(&mut self, _: M, at: usize, end: usize, y: [Many<P, M>; N]) {
        store(y, self.buffer.get_out(), at, end);
    }
}

/// X = E~⁻¹(Y); the sum of what has been enciphered.
pub(super) struct Decipher<'i, 'o, S> {
    pub(super) buffer: InOutBuf<'i, 'o, u8>,
    pub(super) sum: Sum<S>,
}

impl<P: Parameters, M: Machine<P>> Pass<P, M> for Decipher<'_, '_, Many<P, M>> {
    const STAGGERS: bool = true;

    #[inline(always)]
    fn inverse(&self) -> bool {
        true
    }

    #[inline(always)]
    fn enter<const N: usize>(&mut self, machine: M, at: usize, end: usize) -> [Many<P, M>; N] {
        load(machine, self.buffer.get_in(), at, end)
    }

    #[inline(always)]
    fn leave<const N: usize>(&mut self, _: M, at: usize, end: usize, y: [Many<P, M>; N]) {
        self.sum.add(y, end - at);
        store(y, self.buffer.get_out(), at, end);
    }
}

/// The sum of H~.
pub(super) struct Hash<'a, S> {
    pub(super) text: &'a [u8],
    pub(super) sum: Sum<S>,
}

impl<P: Parameters, M: Machine<P>> Pass<P, M> for Hash<'_, Many<P, M>> {
    const MASKS_BEHIND: bool = false;

    #[inline(always)]
    fn inverse(&self) -> bool {
        false
    }

    #[inline(always)]
    fn enter<const N: usize>(&mut self, machine: M, at: usize, end: usize) -> [Many<P, M>; N] {
        load(machine, self.text, at, end)
    }

    #[inline(always)]
    fn leave<const N: usize>(&mut self, _: M, at: usize, end: usize, y: [Many<P, M>; N]) {
        self.sum.add(y, end - at);
    }
}

/// Adds E~ of one block, under each tweak.
pub(super) struct KeyStream<'i, 'o, S> {
    pub(super) buffer: InOutBuf<'i, 'o, u8>,
    pub(super) seed: S,
}

impl<P: Parameters, M: Machine<P>> Pass<P, M> for KeyStream<'_, '_, Many<P, M>> {
    #[inline(always)]
    fn inverse(&self) -> bool {
        false
    }

    #[inline(always)]
    fn enter<const N: usize>(&mut self, _: M, _: usize, _: usize) -> [Many<P, M>; N] {
        [self.seed; N]
    }

    #[inline(always)]
    fn leave<const N: usize>(&mut self, machine: M, at: usize, end: usize, y: [Many<P, M>; N]) {
        let x = load(machine, self.buffer.get_in(), at, end);
        store(add(x, y), self.buffer.get_out(), at, end);
    }
}

/// What follows the last byte of a tail: 1, then zeros, as a block of its own.
#[inline(always)]
pub(super) fn padding<P: Parameters, M: Machine<P>>(machine: M, tail: usize) -> One<P, M> {
    /// The longest block.
    const MOST: usize = 200;
    static ONE: [u8; 2 * MOST] = {
        let mut one = [0; 2 * MOST];
        one[MOST] = 0x80;
        one
    };
    One::<P, M>::load(machine, &ONE[MOST - tail..][..P::B])
}

/// pad10 of fewer than B bytes.
#[inline(always)]
pub(super) fn pad10<P: Parameters, M: Machine<P>>(machine: M, x: &[u8]) -> One<P, M> {
    One::<P, M>::load_partial(machine, x).xor(padding::<P, M>(machine, x.len()))
}
