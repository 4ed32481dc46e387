//! E~, the tweakable blockcipher of all modes (section 6): π between two equal masks.
//!
//! ```text
//! p = 16i + j,  M = (p ⊗ L) ⊕ (Δ, if the tweak has it),  D = (K1' ‖ 0) ⊕ M
//! E~(i, j; X) = π(X ⊕ D) ⊕ D
//! ```
//!
//! The masks of consecutive blocks are made as they are added ([`Masks`]), of two values: what a
//! group of blocks has in common is in registers, what a block's place in the group adds is read
//! from the key. From group to group the former changes by one multiple of L. Block indices stay
//! below 2^60.

use super::hash::Chaining;
use super::machine::{Machine, write_lanes};
use super::parameters::{Bytes, GROUP, Many, Parameters, SingleState, zero};
use crate::backend::wipe;
use crate::perm::States;

/// How many of L, x · L, x² · L, … are kept: enough for 2^20 blocks. Beyond, they are computed.
const MULTIPLES: usize = 25;
/// How many steps from group to group are kept. The one behind each [`STRETCH`] is computed.
const STEPS: usize = 6;
/// After how many groups a step is not kept.
pub(super) const STRETCH: u64 = 1 << STEPS;

/// K1, and what is made of L.
#[repr(C, align(64))]
pub(super) struct Key<P: Parameters> {
    /// (16 · 1) ⊗ L, (16 · 2) ⊗ L, … for the blocks of a group, in the order of the lanes.
    offsets: P::Group,
    /// x^b · L.
    multiples: [P::Block; MULTIPLES],
    /// From the group with number k to the next, for each number of zero bits that k + 1 ends with.
    steps: [Step<P>; STEPS],
    pub(super) k1: Chaining,
}

/// The step from a group's masks to those of the next.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Step<P: Parameters> {
    /// The additions of a place to the masks of the blocks in the group's last vector, in the order
    /// of the lanes. The index of the last block is a multiple of the group's length: it has the
    /// next group's mask.
    last: P::Vector,
    /// By how much the masks of the groups differ, in the order of the lanes.
    difference: P::Vector,
}

impl<P: Parameters> Step<P> {
    pub(super) const ZERO: Self = Self { last: P::Vector::ZERO, difference: P::Vector::ZERO };
}

impl<P: Parameters> Key<P> {
    /// Everything in its place. Nothing else has a copy of it.
    #[inline(always)]
    pub(super) fn fill<M: Machine<P>>(
        &mut self,
        machine: M,
        k1: SingleState<P, M>,
        l: SingleState<P, M>,
    ) {
        k1.store_partial(&mut self.k1[..P::T]);
        l.store(self.multiples[0].as_mut());
        for b in 1..MULTIPLES {
            self.multiples[b] = self.multiples[b - 1];
            P::double(&mut self.multiples[b]);
        }
        let blocks = blocks_in_group::<P, M>();
        let mut masks = P::Group::ZERO;
        let masks = &mut masks.as_mut()[..blocks * P::B];
        for (q, mask) in masks.chunks_exact_mut(P::B).enumerate() {
            let i = (q + 1) % blocks;
            self.mask(machine, 16 * i as u64).store(mask);
        }
        write_lanes::<P, M>(machine, masks, self.offsets.as_mut());
        wipe(masks);
        for u in 0..STEPS {
            self.steps[u] = self.step(machine, u);
        }
    }

    /// Without a key.
    pub(super) const fn new() -> Self {
        Self {
            offsets: Bytes::ZERO,
            multiples: [Bytes::ZERO; MULTIPLES],
            steps: [Step::ZERO; STEPS],
            k1: [0; 32],
        }
    }

    #[cfg(test)]
    pub(super) fn l(&self) -> &P::Block {
        &self.multiples[0]
    }

    /// x^b · L.
    #[inline(always)]
    fn multiple<M: Machine<P>>(&self, machine: M, b: usize) -> SingleState<P, M> {
        match self.multiples.get(b) {
            Some(multiple) => SingleState::<P, M>::load(machine, multiple.as_ref()),
            None => SingleState::<P, M>::load(machine, self.far_multiple(b).as_ref()),
        }
    }

    #[cold]
    #[inline(never)]
    fn far_multiple(&self, b: usize) -> P::Block {
        let mut multiple = self.multiples[MULTIPLES - 1];
        for _ in MULTIPLES - 1..b {
            P::double(&mut multiple);
        }
        multiple
    }

    /// p ⊗ L.
    #[inline(always)]
    fn mask<M: Machine<P>>(&self, machine: M, p: u64) -> SingleState<P, M> {
        match const { M::IN_MEMORY } {
            true => self.mask_apart(machine, p),
            false => self.mask_here(machine, p),
        }
    }

    #[inline(never)]
    fn mask_apart<M: Machine<P>>(&self, machine: M, p: u64) -> SingleState<P, M> {
        self.mask_here(machine, p)
    }

    #[inline(always)]
    fn mask_here<M: Machine<P>>(&self, machine: M, p: u64) -> SingleState<P, M> {
        let mut mask = zero::<P, M>(machine);
        let mut bits = p;
        while bits != 0 {
            mask = mask.xor(self.multiple(machine, bits.trailing_zeros() as usize));
            bits &= bits - 1;
        }
        mask
    }

    /// From a group with number k to the next, if k + 1 ends with `u` zero bits.
    #[inline(always)]
    fn step<M: Machine<P>>(&self, machine: M, u: usize) -> Step<P> {
        let blocks = blocks_in_group::<P, M>();
        let mut step = Step::<P>::ZERO;
        let difference = self.mask(machine, 16 * blocks as u64 * ((2 << u) - 1));
        let difference = Many::<P, M>::splat(machine, difference);
        let of_last = difference.xor(difference.first(Many::<P, M>::COUNT - 1));
        let last = of_last.xor(self.offsets(machine, GROUP - 1));
        difference.write_lanes(&mut step.difference.as_mut()[..Many::<P, M>::BYTES]);
        last.write_lanes(&mut step.last.as_mut()[..Many::<P, M>::BYTES]);
        step
    }

    /// (16q) ⊗ L of the blocks in vector `n`.
    #[inline(always)]
    fn offsets<M: Machine<P>>(&self, machine: M, n: usize) -> Many<P, M> {
        let at = n * Many::<P, M>::BYTES;
        let lanes = &self.offsets.as_ref()[at..at + Many::<P, M>::BYTES];
        Many::<P, M>::read_lanes(machine, lanes)
    }
}

impl<P: Parameters> Drop for Key<P> {
    fn drop(&mut self) {
        for multiple in &mut self.multiples {
            wipe(multiple.as_mut());
        }
        for step in &mut self.steps {
            wipe(step.last.as_mut());
            wipe(step.difference.as_mut());
        }
        wipe(self.offsets.as_mut());
        wipe(&mut self.k1);
    }
}

/// How many blocks a group has.
pub(super) const fn blocks_in_group<P: Parameters, M: Machine<P>>() -> usize {
    GROUP * Many::<P, M>::COUNT
}

/// E~ in one context.
pub(super) struct Cipher<'k, P: Parameters, M: Machine<P>> {
    pub(super) machine: M,
    key: &'k Key<P>,
    /// K1' ‖ 0.
    context: SingleState<P, M>,
    /// Δ.
    delta: SingleState<P, M>,
}

impl<'k, P: Parameters, M: Machine<P>> Cipher<'k, P, M> {
    #[inline(always)]
    pub(super) fn new(machine: M, key: &'k Key<P>, context: SingleState<P, M>) -> Self {
        Self { machine, key, context, delta: zero::<P, M>(machine) }
    }

    /// The same once more.
    #[inline(always)]
    pub(super) fn again(&self) -> Self {
        Self { machine: self.machine, key: self.key, context: self.context, delta: self.delta }
    }

    /// Under another K1', without Δ.
    #[inline(always)]
    pub(super) fn under(&self, context: SingleState<P, M>) -> Self {
        Self::new(self.machine, self.key, context)
    }

    /// With Δ from now on, where [`with_delta`](Self::with_delta) asks for it.
    #[inline(always)]
    pub(super) fn set_delta(&mut self, delta: SingleState<P, M>) {
        self.delta = delta;
    }

    /// D for (i, j), without Δ.
    #[inline(always)]
    pub(super) fn d(&self, i: u64, j: u64) -> SingleState<P, M> {
        self.context.xor(self.key.mask(self.machine, 16 * i + j))
    }

    /// D for (i, j), with Δ.
    #[inline(always)]
    pub(super) fn with_delta(&self, i: u64, j: u64) -> SingleState<P, M> {
        self.d(i, j).xor(self.delta)
    }

    /// E~ of several blocks side by side, each with its D.
    #[inline(always)]
    pub(super) fn encipher<const N: usize>(
        &self,
        d: [SingleState<P, M>; N],
        x: [SingleState<P, M>; N],
    ) -> [SingleState<P, M>; N] {
        match const { M::IN_MEMORY } {
            true => self.encipher_apart(d, x),
            false => self.encipher_here(d, x),
        }
    }

    #[inline(never)]
    fn encipher_apart<const N: usize>(
        &self,
        d: [SingleState<P, M>; N],
        x: [SingleState<P, M>; N],
    ) -> [SingleState<P, M>; N] {
        self.encipher_here(d, x)
    }

    #[inline(always)]
    fn encipher_here<const N: usize>(
        &self,
        d: [SingleState<P, M>; N],
        mut x: [SingleState<P, M>; N],
    ) -> [SingleState<P, M>; N] {
        for n in 0..N {
            x[n] = x[n].xor(d[n]);
        }
        let mut y = SingleState::<P, M>::permute(self.machine, x);
        for n in 0..N {
            y[n] = y[n].xor(d[n]);
        }
        y
    }

    /// E~⁻¹ of a block.
    #[inline(always)]
    pub(super) fn decipher(&self, d: SingleState<P, M>, y: SingleState<P, M>) -> SingleState<P, M> {
        let [x] = SingleState::<P, M>::invert(self.machine, [y.xor(d)]);
        x.xor(d)
    }

    /// H~: no mask behind π, for sums that are never shown.
    #[inline(always)]
    pub(super) fn hash<const N: usize>(
        &self,
        d: [SingleState<P, M>; N],
        mut x: [SingleState<P, M>; N],
    ) -> [SingleState<P, M>; N] {
        for n in 0..N {
            x[n] = x[n].xor(d[n]);
        }
        SingleState::<P, M>::permute(self.machine, x)
    }

    /// tag(i, j; Z) before it is cut, where `d` is the D of (i, j) as it is for other calls: of the
    /// mask only what lies behind the first t bytes counts.
    #[inline(always)]
    pub(super) fn tag(&self, d: SingleState<P, M>, z: SingleState<P, M>) -> SingleState<P, M> {
        match const { M::IN_MEMORY } {
            true => self.tag_apart(d, z),
            false => self.tag_here(d, z),
        }
    }

    #[inline(never)]
    fn tag_apart(&self, d: SingleState<P, M>, z: SingleState<P, M>) -> SingleState<P, M> {
        self.tag_here(d, z)
    }

    #[inline(always)]
    fn tag_here(&self, d: SingleState<P, M>, z: SingleState<P, M>) -> SingleState<P, M> {
        let mask = d.xor(self.context);
        let mask = mask.xor(mask.left(P::T));
        let x = z.right(P::T).xor(mask).xor(self.context);
        let [y] = SingleState::<P, M>::permute(self.machine, [x]);
        y.xor(self.context).left(P::T)
    }

    /// The masks of the blocks with (1, j), (2, j), …
    #[inline(always)]
    pub(super) fn masks(&self, j: u64, delta: bool) -> Masks<'k, P, M> {
        let d = if delta { self.with_delta(0, j) } else { self.d(0, j) };
        Masks {
            machine: self.machine,
            key: self.key,
            base: Many::<P, M>::splat(self.machine, d),
            k: 0,
        }
    }
}

/// The masks of consecutive blocks, from index 1 on, group by group.
pub(super) struct Masks<'k, P: Parameters, M: Machine<P>> {
    machine: M,
    key: &'k Key<P>,
    /// The common part of a group's masks.
    base: Many<P, M>,
    /// The number of the group.
    k: u64,
}

impl<'k, P: Parameters, M: Machine<P>> Masks<'k, P, M> {
    /// The masks of a group that is not full, from vector `from` on.
    #[inline(always)]
    pub(super) fn some(&self, from: usize) -> Group<'k, P, M> {
        Group { machine: self.machine, base: self.base, key: self.key, from, last: None }
    }

    /// The last step of the next [`STRETCH`] groups.
    #[inline(always)]
    pub(super) fn far(&self) -> Step<P> {
        self.key.step(self.machine, (self.k + STRETCH).trailing_zeros() as usize)
    }

    /// The masks of a full group, and on to the next; `far` is for the last one of a stretch.
    #[inline(always)]
    pub(super) fn next<'a>(&mut self, far: &'a Step<P>) -> Group<'a, P, M>
    where
        'k: 'a,
    {
        self.k += 1;
        let step = self.key.steps.get(self.k.trailing_zeros() as usize).unwrap_or(far);
        let last = Some(step);
        let group = Group { machine: self.machine, base: self.base, key: self.key, from: 0, last };
        let difference = &step.difference.as_ref()[..Many::<P, M>::BYTES];
        self.base = self.base.xor(Many::<P, M>::read_lanes(self.machine, difference));
        group
    }
}

/// The masks of a group of blocks.
pub(super) struct Group<'a, P: Parameters, M: Machine<P>> {
    machine: M,
    base: Many<P, M>,
    key: &'a Key<P>,
    /// The place of vector 0.
    from: usize,
    /// For the last vector, if the group is full.
    last: Option<&'a Step<P>>,
}

impl<P: Parameters, M: Machine<P>> Group<'_, P, M> {
    /// D of vector `n`, but for the base.
    #[inline(always)]
    fn place(&self, n: usize) -> Many<P, M> {
        match self.last {
            Some(step) if n == GROUP - 1 => {
                let last = &step.last.as_ref()[..Many::<P, M>::BYTES];
                Many::<P, M>::read_lanes(self.machine, last)
            }
            _ => self.key.offsets(self.machine, self.from + n),
        }
    }

    /// D of vector `n`.
    #[inline(always)]
    pub(super) fn mask(&self, n: usize) -> Many<P, M> {
        self.base.xor(self.place(n))
    }

    /// `x` ⊕ D, of the first `N` vectors of the group: before π and behind it. To keep the masks
    /// themselves would take the registers that the blocks need.
    #[inline(always)]
    pub(super) fn add<const N: usize>(&self, x: [Many<P, M>; N]) -> [Many<P, M>; N] {
        match const { M::IN_MEMORY } {
            true => self.add_apart(x),
            false => self.add_here(x),
        }
    }

    #[inline(never)]
    fn add_apart<const N: usize>(&self, x: [Many<P, M>; N]) -> [Many<P, M>; N] {
        self.add_here(x)
    }

    #[inline(always)]
    fn add_here<const N: usize>(&self, mut x: [Many<P, M>; N]) -> [Many<P, M>; N] {
        for n in 0..N {
            x[n] = x[n].xor3(self.base, self.place(n));
        }
        x
    }
}
