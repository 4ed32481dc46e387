//! F, the hash with a key that everything else is derived with (section 3).
//!
//! ```text
//! f(H, b) = π(H ‖ b)[0:t] ⊕ H
//! ```
//!
//! A [`Chain`] is the sequence of calls, fed piece by piece; [`hash_long`] is the tree, whose
//! leaves are hashed side by side. The length alone chooses between the two.

use super::machine::Machine;
use super::parameters::{Bytes, GROUP, MOST_BLOCKS, Many, Parameters, SingleState, zero};
use crate::backend::wipe;
use crate::perm::States;

/// The purpose of a call of F.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Domain {
    Leaf = 0,
    Kdf = 1,
    Ad = 2,
    NonceAndAd = 3,
    Mask = 4,
    Segment = 5,
    Setup = 7,
}

/// The beginning of the initial value.
const VERSION: &[u8] = b"Flex-1:";
/// The bytes of FIN.
static FIN: [u8; 32] = [0x5c; 32];
/// The longest input that is hashed in sequence, and the length of a leaf.
pub(super) const LEAF_BYTES: usize = 256;

/// A chaining value: the first t bytes.
pub(super) type Chaining = [u8; 32];

/// IV, from which everything that has no key starts.
pub(super) fn initial_value<P: Parameters>() -> Chaining {
    let mut value = [0; 32];
    let name = P::PROFILE.name().as_bytes();
    value[..VERSION.len()].copy_from_slice(VERSION);
    value[VERSION.len()..VERSION.len() + name.len()].copy_from_slice(name);
    value
}

/// A chaining value as the first bytes of a state.
#[inline(always)]
pub(super) fn load_chaining<P: Parameters, M: Machine<P>>(
    machine: M,
    value: &Chaining,
) -> SingleState<P, M> {
    SingleState::<P, M>::load_partial(machine, &value[..P::T])
}

/// The trailer of an input of `bytes` bytes, `LEk(|X|) ‖ byte(c) ‖ byte(128·tree + 16·dom + k)`, at
/// the end of a block that is zero so far.
#[inline(always)]
fn write_trailer(block: &mut [u8], bytes: u64, domain: Domain, tree: bool, c: u8) {
    let (r, k) = (block.len(), trailer_bytes(bytes) - 2);
    block[r - 2 - k..r - 2].copy_from_slice(&bytes.to_le_bytes()[..k]);
    block[r - 2] = c;
    block[r - 1] = u8::from(tree) << 7 | (domain as u8) << 4 | k as u8;
}

/// How long the trailer is.
#[inline(always)]
fn trailer_bytes(bytes: u64) -> usize {
    2 + (8 - bytes.leading_zeros() as usize / 8)
}

/// seq(H, dom, X, ell), fed with X piece by piece.
pub(super) struct Chain<P: Parameters, M: Machine<P>> {
    machine: M,
    /// H, in the first t bytes.
    h: SingleState<P, M>,
    /// The block that is being filled, in its first r bytes.
    block: P::Block,
    filled: usize,
    /// |X| so far.
    bytes: u64,
}

impl<P: Parameters, M: Machine<P>> Chain<P, M> {
    #[inline(always)]
    pub(super) fn new(machine: M, h: SingleState<P, M>) -> Self {
        Self { machine, h, block: Bytes::ZERO, filled: 0, bytes: 0 }
    }

    /// H ‖ b, with r bytes in `block`.
    #[inline(always)]
    fn input(&self, h: SingleState<P, M>) -> SingleState<P, M> {
        let b = SingleState::<P, M>::load_partial(self.machine, &self.block.as_ref()[..P::R]);
        b.right(P::T).xor(h)
    }

    /// H = f(H, b).
    #[inline(always)]
    fn call(&mut self) {
        let [y] = SingleState::<P, M>::permute(self.machine, [self.input(self.h)]);
        self.h = y.left(P::T).xor(self.h);
    }

    #[inline(always)]
    pub(super) fn absorb(&mut self, pieces: &[&[u8]]) {
        for piece in pieces {
            self.bytes += piece.len() as u64;
            let mut rest = *piece;
            // A full block is never the last: the trailer is still to come.
            while self.filled + rest.len() >= P::R {
                let (now, later) = rest.split_at(P::R - self.filled);
                self.block.as_mut()[self.filled..P::R].copy_from_slice(now);
                self.call();
                (self.filled, rest) = (0, later);
            }
            self.block.as_mut()[self.filled..self.filled + rest.len()].copy_from_slice(rest);
            self.filled += rest.len();
        }
    }

    /// The output, block by block.
    #[inline(always)]
    pub(super) fn finish<const BLOCKS: usize>(
        mut self,
        domain: Domain,
        tree: bool,
    ) -> [SingleState<P, M>; BLOCKS] {
        self.block.as_mut()[self.filled..P::R].fill(0);
        if self.filled + trailer_bytes(self.bytes) > P::R {
            self.call();
            self.block.as_mut()[..P::R].fill(0);
        }
        write_trailer(&mut self.block.as_mut()[..P::R], self.bytes, domain, tree, 0);
        let fin = load_chaining::<P, M>(self.machine, &FIN);
        let mut inputs = [zero::<P, M>(self.machine); BLOCKS];
        for c in 0..BLOCKS {
            self.block.as_mut()[P::R - 2] = c as u8;
            inputs[c] = self.input(self.h.xor(fin));
        }
        let mut outputs = SingleState::<P, M>::permute(self.machine, inputs);
        for c in 0..BLOCKS {
            outputs[c] = outputs[c].xor(inputs[c]);
        }
        wipe(self.block.as_mut());
        outputs
    }
}

/// F of an input whose last block is its first, as most are: in registers.
#[inline(always)]
pub(super) fn hash_single<P: Parameters, M: Machine<P>>(
    machine: M,
    h: SingleState<P, M>,
    domain: Domain,
    input: &[u8],
) -> SingleState<P, M> {
    let bytes = input.len() as u8;
    let mut trailer = P::Block::ZERO;
    let end = trailer.as_mut().last_chunk_mut::<3>();
    if let Some(end) = end {
        *end = [bytes, 0, (domain as u8) << 4 | u8::from(bytes > 0)];
    }
    let trailer = SingleState::<P, M>::load(machine, trailer.as_ref());
    let b = SingleState::<P, M>::load_partial(machine, input).right(P::T);
    let s = h.xor(load_chaining::<P, M>(machine, &FIN)).xor(b).xor(trailer);
    let [y] = SingleState::<P, M>::permute(machine, [s]);
    y.xor(s)
}

/// The longest input of [`hash_single`].
pub(super) const fn single_bytes<P: Parameters>() -> usize {
    P::R - 3
}

/// The pieces of an input, to be read from the beginning.
#[derive(Clone, Copy)]
pub(super) struct Pieces<'a> {
    pieces: &'a [&'a [u8]],
    /// How much of the first piece has been read.
    at: usize,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(pieces: &'a [&'a [u8]]) -> Self {
        Self { pieces, at: 0 }
    }

    /// Fills as much of `out` as there is; returns how much that was.
    fn read(&mut self, out: &mut [u8]) -> usize {
        let mut done = 0;
        while let [first, others @ ..] = self.pieces {
            let rest = &first[self.at..];
            let now = rest.len().min(out.len() - done);
            out[done..done + now].copy_from_slice(&rest[..now]);
            (done, self.at) = (done + now, self.at + now);
            if done == out.len() {
                break;
            }
            (self.pieces, self.at) = (others, 0);
        }
        done
    }
}

/// F of more than [`LEAF_BYTES`] bytes: the hash of the hashes of its leaves.
#[inline(always)]
pub(super) fn hash_long<P: Parameters, M: Machine<P>, const BLOCKS: usize>(
    machine: M,
    h: SingleState<P, M>,
    domain: Domain,
    mut pieces: Pieces<'_>,
) -> [SingleState<P, M>; BLOCKS] {
    let leaves = GROUP * Many::<P, M>::COUNT;
    let mut texts = [[0; LEAF_BYTES]; MOST_BLOCKS];
    let mut values = [[0; 32]; MOST_BLOCKS];
    let mut parent = Chain::<P, M>::new(machine, h);
    let mut bytes = 0_u64;
    loop {
        let read = pieces.read(texts[..leaves].as_flattened_mut());
        let first = bytes / LEAF_BYTES as u64;
        bytes += read as u64;
        let whole = read / LEAF_BYTES;
        match whole {
            0 => {}
            few if few <= Many::<P, M>::COUNT => {
                hash_leaves::<P, M, 1>(machine, h, first, &texts, &mut values[..whole]);
            }
            _ => hash_leaves::<P, M, GROUP>(machine, h, first, &texts, &mut values[..whole]),
        }
        let rest = read % LEAF_BYTES;
        let mut count = whole;
        if rest > 0 {
            let mut leaf = Chain::<P, M>::new(machine, h);
            let number = first + whole as u64;
            leaf.absorb(&[&texts[whole][..rest], &number.to_le_bytes()]);
            let [value] = leaf.finish(Domain::Leaf, false);
            value.store_partial(&mut values[whole][..P::T]);
            count += 1;
        }
        for value in &values[..count] {
            parent.absorb(&[&value[..P::T]]);
        }
        if read < leaves * LEAF_BYTES {
            break;
        }
    }
    parent.absorb(&[&bytes.to_le_bytes()]);
    wipe(texts.as_flattened_mut());
    wipe(values.as_flattened_mut());
    parent.finish(domain, true)
}

/// The values of as many whole leaves as `values` has room for, at most `N` vectors; the first leaf
/// has the number `first`.
#[inline(always)]
fn hash_leaves<P: Parameters, M: Machine<P>, const N: usize>(
    machine: M,
    h: SingleState<P, M>,
    first: u64,
    texts: &[[u8; LEAF_BYTES]; MOST_BLOCKS],
    values: &mut [Chaining],
) {
    /// The leaf's number behind its text.
    const BYTES: usize = LEAF_BYTES + 8;
    let mut chains = [Many::<P, M>::splat(machine, h); N];
    let fin = Many::<P, M>::splat(machine, load_chaining::<P, M>(machine, &FIN));
    let mut states = P::Group::ZERO;
    let group = N * Many::<P, M>::BYTES;
    let last = (BYTES + trailer_bytes(BYTES as u64)).div_ceil(P::R) - 1;
    for k in 0..=last {
        let leaves = states.as_mut()[..group].chunks_exact_mut(P::B).take(values.len());
        for (i, state) in leaves.enumerate() {
            let b = &mut state[P::T..];
            b.fill(0);
            if k == last {
                write_trailer(b, BYTES as u64, Domain::Leaf, false, 0);
            }
            let number = (first + i as u64).to_le_bytes();
            for (part, from) in [(&texts[i][..], 0), (&number[..], LEAF_BYTES)] {
                copy_overlap(b, k * P::R, part, from);
            }
        }
        for n in 0..N {
            if k == last {
                chains[n] = chains[n].xor(fin);
            }
        }
        let mut inputs = chains;
        for n in 0..N {
            let at = n * Many::<P, M>::BYTES;
            let b = Many::<P, M>::load(machine, &states.as_ref()[at..at + Many::<P, M>::BYTES]);
            inputs[n] = chains[n].xor(b);
        }
        let outputs = Many::<P, M>::permute(machine, inputs);
        for n in 0..N {
            chains[n] = outputs[n].left(P::T).xor(chains[n]);
        }
    }
    for n in 0..N {
        let at = n * Many::<P, M>::BYTES;
        chains[n].store(&mut states.as_mut()[at..at + Many::<P, M>::BYTES]);
    }
    for (value, state) in values.iter_mut().zip(states.as_ref().chunks_exact(P::B)) {
        value[..P::T].copy_from_slice(&state[..P::T]);
    }
    wipe(states.as_mut());
}

/// Copies what two ranges have in common: `to` begins at byte `to_at` of a string, `from` at byte
/// `from_at`.
#[inline(always)]
fn copy_overlap(to: &mut [u8], to_at: usize, from: &[u8], from_at: usize) {
    let begin = to_at.max(from_at);
    let end = (to_at + to.len()).min(from_at + from.len());
    if begin < end {
        to[begin - to_at..end - to_at].copy_from_slice(&from[begin - from_at..end - from_at]);
    }
}
