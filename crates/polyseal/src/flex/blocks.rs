//! The blocks of a message from index 1 on, many at a time, in the lanes.
//!
//! A [`Pass`] says what is done with a few vectors of blocks whose masks are known; [`run`] leads
//! it over the whole blocks of a buffer.

use aead::inout::InOutBuf;

use super::machine::Machine;
use super::parameters::{GROUP, Many, Parameters, SingleState};
use super::tweak::{Group, Masks, STRETCH, Step, blocks_in_group};
use crate::perm::States;
pub(super) use crate::perm::{Sum, add, load, store};

/// An operation on blocks.
pub(super) trait Pass<P: Parameters, M: Machine<P>> {
    /// The blocks from byte `at` to byte `end`, at most `N` vectors of them, whose D are in `d`.
    fn blocks<const N: usize>(&mut self, machine: M, d: &Group<'_, P, M>, at: usize, end: usize);

    /// Whether there is [`staggered`](Self::staggered).
    const STAGGERS: bool = false;
    /// Whole groups, from byte `at` on, their vectors one behind the other. Only where
    /// [`STAGGERS`](Self::STAGGERS) says so.
    #[inline(always)]
    fn staggered(
        &mut self,
        machine: M,
        masks: &mut Masks<'_, P, M>,
        far: &Step<P>,
        groups: usize,
        at: usize,
    ) {
        let _ = (machine, masks, far, groups, at);
        unreachable!("only where it is said to pay");
    }
}

/// Leads `pass` over the first `bytes` bytes, whole blocks, of which the first has index 1.
#[inline(always)]
pub(super) fn run<P: Parameters, M: Machine<P>, Q: Pass<P, M>>(
    machine: M,
    mut masks: Masks<'_, P, M>,
    bytes: usize,
    pass: &mut Q,
) {
    let at = run_groups(machine, &mut masks, bytes, pass);
    run_last(machine, &masks, at, bytes, pass);
}

/// The same of whole groups of blocks; how many bytes that were.
#[inline(always)]
pub(super) fn run_groups<P: Parameters, M: Machine<P>, Q: Pass<P, M>>(
    machine: M,
    masks: &mut Masks<'_, P, M>,
    bytes: usize,
    pass: &mut Q,
) -> usize {
    let group = blocks_in_group::<P, M>() * P::B;
    let (mut at, mut groups) = (0, (bytes / group) as u64);
    while groups > 0 {
        let stretch = groups.min(STRETCH);
        let far = if stretch == STRETCH { masks.far() } else { Step::ZERO };
        match const { Q::STAGGERS } {
            true => {
                pass.staggered(machine, masks, &far, stretch as usize, at);
                at += stretch as usize * group;
            }
            false => {
                // With `at` made of a counter, OCH took up to 1.5 times as long on 16 registers.
                for _ in 0..stretch {
                    pass.blocks::<GROUP>(machine, &masks.next(&far), at, at + group);
                    at += group;
                }
            }
        }
        groups -= stretch;
    }
    at
}

/// The same of the blocks from byte `at` on, which are less than a group.
#[inline(always)]
pub(super) fn run_last<P: Parameters, M: Machine<P>, Q: Pass<P, M>>(
    machine: M,
    masks: &Masks<'_, P, M>,
    at: usize,
    bytes: usize,
    pass: &mut Q,
) {
    // CT: lengths are public.
    if at == bytes {
        return;
    }
    match bytes - at <= 2 * Many::<P, M>::BYTES {
        true => pass.blocks::<2>(machine, &masks.some(0), at, bytes),
        false => pass.blocks::<GROUP>(machine, &masks.some(0), at, bytes),
    }
}

/// Y = E~(X), or X = E~⁻¹(Y); the sum of X.
pub(super) struct Crypt<'i, 'o, S, const INVERSE: bool> {
    pub(super) buffer: InOutBuf<'i, 'o, u8>,
    pub(super) sum: Sum<S>,
}

impl<S, const INVERSE: bool> Crypt<'_, '_, S, INVERSE> {
    /// [`blocks`](Pass::blocks), and π of single blocks beside them.
    #[inline(always)]
    pub(super) fn blocks_beside<P, M, const N: usize, const K: usize>(
        &mut self,
        machine: M,
        d: &Group<'_, P, M>,
        (at, end): (usize, usize),
        others: [SingleState<P, M>; K],
    ) -> [SingleState<P, M>; K]
    where
        P: Parameters,
        M: Machine<P, Many = S>,
        S: States<Isa = M, SingleState = M::SingleState>,
    {
        let x = load::<_, N>(machine, self.buffer.get_in(), at, end);
        if !INVERSE {
            self.sum.add(x, end - at);
        }
        let (y, others) = S::beside(machine, INVERSE, d.add(x), others);
        let y = d.add(y);
        if INVERSE {
            self.sum.add(y, end - at);
        }
        store(y, self.buffer.get_out(), at, end);
        others
    }
}

impl<P: Parameters, M: Machine<P>, const INVERSE: bool> Pass<P, M>
    for Crypt<'_, '_, Many<P, M>, INVERSE>
{
    #[inline(always)]
    fn blocks<const N: usize>(&mut self, machine: M, d: &Group<'_, P, M>, at: usize, end: usize) {
        let x = load::<_, N>(machine, self.buffer.get_in(), at, end);
        if !INVERSE {
            self.sum.add(x, end - at);
        }
        let x = d.add(x);
        let y = d.add(match INVERSE {
            false => Many::<P, M>::permute(machine, x),
            true => Many::<P, M>::invert(machine, x),
        });
        if INVERSE {
            self.sum.add(y, end - at);
        }
        store(y, self.buffer.get_out(), at, end);
    }

    const STAGGERS: bool = Many::<P, M>::STAGGERS;

    /// Each vector is a quarter of π ahead of the next: what is done before and behind π falls
    /// among rounds of the others.
    #[inline(always)]
    fn staggered(
        &mut self,
        machine: M,
        masks: &mut Masks<'_, P, M>,
        far: &Step<P>,
        groups: usize,
        at: usize,
    ) {
        let bytes = Many::<P, M>::BYTES;
        let vectors = groups * GROUP;
        let mut group = masks.next(far);
        // x[q] has come q quarters far.
        let mut x = [Many::<P, M>::load_partial(machine, &[]); GROUP];
        let mut d = x;
        for n in 0..vectors + GROUP - 1 {
            if n < vectors {
                if n > 0 && n.is_multiple_of(GROUP) {
                    group = masks.next(far);
                }
                let from = at + n * bytes;
                let [entering] = load(machine, self.buffer.get_in(), from, from + bytes);
                if !INVERSE {
                    self.sum.0 = self.sum.0.xor(entering);
                }
                d[n % GROUP] = group.mask(n % GROUP);
                x[0] = entering.xor(d[n % GROUP]);
            }
            x = Many::<P, M>::stagger(machine, INVERSE, x);
            if let Some(left) = n.checked_sub(GROUP - 1) {
                let leaving = x[GROUP - 1].xor(d[left % GROUP]);
                if INVERSE {
                    self.sum.0 = self.sum.0.xor(leaving);
                }
                let from = at + left * bytes;
                store([leaving], self.buffer.get_out(), from, from + bytes);
            }
            // At the end, results stand in for inputs that are missing: they are not used.
            x = [x[3], x[0], x[1], x[2]];
        }
    }
}

/// The sum of H~.
pub(super) struct Hash<'a, S> {
    pub(super) text: &'a [u8],
    pub(super) sum: Sum<S>,
}

impl<P: Parameters, M: Machine<P>> Pass<P, M> for Hash<'_, Many<P, M>> {
    #[inline(always)]
    fn blocks<const N: usize>(&mut self, machine: M, d: &Group<'_, P, M>, at: usize, end: usize) {
        let x = load::<_, N>(machine, self.text, at, end);
        self.sum.add(Many::<P, M>::permute(machine, d.add(x)), end - at);
    }
}

/// Adds E~ of one block, under each tweak.
pub(super) struct KeyStream<'i, 'o, S> {
    pub(super) buffer: InOutBuf<'i, 'o, u8>,
    pub(super) seed: S,
}

impl<P: Parameters, M: Machine<P>> Pass<P, M> for KeyStream<'_, '_, Many<P, M>> {
    #[inline(always)]
    fn blocks<const N: usize>(&mut self, machine: M, d: &Group<'_, P, M>, at: usize, end: usize) {
        let z = d.add(Many::<P, M>::permute(machine, d.add([self.seed; N])));
        let x = load::<_, N>(machine, self.buffer.get_in(), at, end);
        store(add(x, z), self.buffer.get_out(), at, end);
    }
}

/// The padding after the last byte of a tail: 1, then zeros, as a block of its own.
#[inline(always)]
pub(super) fn padding<P: Parameters, M: Machine<P>>(machine: M, tail: usize) -> SingleState<P, M> {
    /// The longest block.
    const MOST: usize = 200;
    static ONE: [u8; 2 * MOST] = {
        let mut one = [0; 2 * MOST];
        one[MOST] = 0x80;
        one
    };
    SingleState::<P, M>::load(machine, &ONE[MOST - tail..][..P::B])
}

/// pad10 of fewer than B bytes.
#[inline(always)]
pub(super) fn pad10<P: Parameters, M: Machine<P>>(machine: M, x: &[u8]) -> SingleState<P, M> {
    SingleState::<P, M>::load_partial(machine, x).xor(padding::<P, M>(machine, x.len()))
}
