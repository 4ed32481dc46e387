//! The wide-block cipher of ROBUST and ROBUST-AE, on strings of any length (section 9).
//!
//! From B bytes on it is EME* (S. Halevi, INDOCRYPT 2004) over E~, with a fresh mask for every 128
//! blocks; below, a Feistel network. Both work in place. The inverse is the same text with E~⁻¹,
//! and the codes in the opposite order.
//!
//! In ROBUST-AE only the outer half, on the side of the message, has the context's key. The inner
//! half's is made of the tag, which is made of the strings between them. So a change of the tag,
//! too, changes the whole deciphered text.

use super::blocks::{Pass, Sum, load, pad10, run, store};
use super::field;
use super::machine::{Machine, write_lanes};
use super::parameters::{Bytes, MOST_BLOCKS, Many, Parameters, SingleState, zero};
use super::tweak::{Cipher, Group};
use crate::backend::wipe;
use crate::perm::{Polynomials, States};

/// The codes j of tweaks (i, j).
mod code {
    pub(super) const FIRST_LAYER: u64 = 1;
    pub(super) const SECOND_LAYER: u64 = 2;
    pub(super) const MIDDLE: u64 = 3;
    pub(super) const MIDDLE_WITH_TAIL: [u64; 2] = [4, 5];
    pub(super) const GROUP: u64 = 6;
    pub(super) const FEISTEL: u64 = 7;
    pub(super) const TAG: u64 = 8;
    pub(super) const SHORT_HASH: u64 = 9;
    pub(super) const INNER_KEY: u64 = 10;
    pub(super) const TAIL: u64 = 11;
}

/// G, the blocks with masks from one fresh value.
const FRESH: usize = 128;

/// The operation on a string.
#[derive(Clone, Copy)]
pub(super) enum Operation<'a> {
    Encipher,
    Decipher,
    /// ROBUST-AE's.
    EncipherWithTag,
    /// ROBUST-AE's, with the tag that was received.
    DecipherWithTag(&'a [u8]),
}

/// Enciphers `x`, or deciphers it. Writes the tag that commits, or the one that it should have.
#[inline(always)]
pub(super) fn crypt<P: Parameters, M: Machine<P>>(
    outer: &Cipher<'_, P, M>,
    x: &mut [u8],
    operation: Operation<'_>,
    tag: &mut [u8],
) {
    // CT: the operation is public, and lengths are.
    let bytes = x.len() as u64;
    let short = x.len() < P::B;
    let inverse = matches!(operation, Operation::Decipher | Operation::DecipherWithTag(_));
    let in_the_middle =
        matches!(operation, Operation::EncipherWithTag | Operation::DecipherWithTag(_));
    let d = outer.d(bytes, code::TAG);
    // The first half uses the key that is known first.
    let made;
    let near = match operation {
        Operation::DecipherWithTag(received) => {
            made = inner(outer, bytes, received);
            &made
        }
        _ => outer,
    };
    let mut turn = |w: SingleState<P, M>| {
        if !in_the_middle {
            return (None, w);
        }
        outer.tag(d, w).store_partial(tag);
        let far = if inverse { outer.again() } else { inner(outer, bytes, tag) };
        let pad = tail_pad(if inverse { near } else { &far }, bytes, w);
        (Some(far), pad)
    };
    let z = if short {
        if inverse {
            feistel(near, x, true);
        }
        let z = short_hash(outer, x);
        let (far, _) = turn(z);
        if !inverse {
            feistel(far.as_ref().unwrap_or(near), x, false);
        }
        z
    } else {
        mix(near, x, inverse, turn)
    };
    if !in_the_middle {
        outer.tag(d, z).store_partial(tag);
    }
}

/// E~ under K1'', the inner half's key, of a tag as it is sent.
#[inline(always)]
fn inner<'k, P: Parameters, M: Machine<P>>(
    outer: &Cipher<'k, P, M>,
    bytes: u64,
    tag: &[u8],
) -> Cipher<'k, P, M> {
    let seed = pad10::<P, M>(outer.machine, tag);
    let [key] = outer.encipher([outer.d(bytes, code::INNER_KEY)], [seed]);
    outer.under(key.cut(outer.machine, P::T))
}

/// The pad that is added to the tail. It has the inner half's key: with MM itself in its place, as
/// in ROBUST, unverified plaintext that is sealed again would have the tail that was opened.
#[inline(always)]
fn tail_pad<P: Parameters, M: Machine<P>>(
    inner: &Cipher<'_, P, M>,
    bytes: u64,
    w: SingleState<P, M>,
) -> SingleState<P, M> {
    // CT: lengths are public.
    if bytes < P::B as u64 || bytes.is_multiple_of(P::B as u64) {
        return w;
    }
    let [pad] = inner.encipher([inner.d(bytes, code::TAIL)], [w]);
    pad
}

/// E~, or its inverse.
#[inline(always)]
fn way<P: Parameters, M: Machine<P>>(
    e: &Cipher<'_, P, M>,
    inverse: bool,
    d: SingleState<P, M>,
    x: SingleState<P, M>,
) -> SingleState<P, M> {
    // CT: the direction is public.
    if inverse {
        return e.decipher(d, x);
    }
    let [y] = e.encipher([d], [x]);
    y
}

/// At least B bytes. Returns Z.
///
/// The first half has the cipher `near`. The second has the one that `turn` may make of W: MM where
/// there is a tail, otherwise the sum on the side of the message. `turn` also gives the pad for the
/// tail.
#[inline(always)]
fn mix<'k, P: Parameters, M: Machine<P>>(
    near: &Cipher<'k, P, M>,
    x: &mut [u8],
    inverse: bool,
    turn: impl FnOnce(SingleState<P, M>) -> (Option<Cipher<'k, P, M>>, SingleState<P, M>),
) -> SingleState<P, M> {
    let (machine, bytes) = (near.machine, x.len() as u64);
    let tail_at = x.len() - x.len() % P::B;
    let (whole, tail) = x.split_at_mut(tail_at);
    let (first, rest) = whole.split_at_mut(P::B);
    let mut layers = [code::FIRST_LAYER, code::SECOND_LAYER];
    let mut middle = code::MIDDLE_WITH_TAIL;
    if inverse {
        layers.reverse();
        middle.reverse();
    }

    // U_i, and MP
    let u0 = way(near, inverse, near.d(0, layers[0]), SingleState::<P, M>::load(machine, first));
    let rest_bytes = rest.len();
    let mut pass = FirstLayer { inverse, buffer: rest, sum: Sum::<Many<P, M>>::new(machine) };
    run(machine, near.masks(layers[0], false), rest_bytes, &mut pass);
    let mut mp = pass.sum.total().xor(u0);
    let rest = pass.buffer;

    // W, MC and Y*. CT: lengths are public.
    let (tailed, mut sum) = (!tail.is_empty(), zero::<P, M>(machine));
    if tailed {
        mp = mp.xor(pad10::<P, M>(machine, tail));
    } else {
        middle = [code::MIDDLE; 2];
    }
    // Without a tail there is one call in the middle, on the side that is not the message's.
    let w = match tailed || inverse {
        true => way(near, inverse, near.d(bytes, middle[0]), mp),
        false => mp,
    };
    let (far, pad) = turn(w);
    let far = far.as_ref().unwrap_or(near);
    if tailed {
        SingleState::<P, M>::load_partial(machine, tail).xor(pad).store_partial(tail);
        sum = pad10::<P, M>(machine, tail);
    }
    let mc = match tailed || !inverse {
        true => way(far, inverse, far.d(bytes, middle[1]), w),
        false => w,
    };
    let q = mp.xor(mc);

    // V_i and Y_i
    let mut pass = SecondLayer {
        e: if inverse { near } else { far },
        inverse,
        buffer: rest,
        q,
        masks: P::Group::ZERO,
        sum: Sum::<Many<P, M>>::new(machine),
    };
    run(machine, far.masks(layers[1], false), rest_bytes, &mut pass);
    wipe(pass.masks.as_mut());
    let v0 = pass.sum.total().xor(mc).xor(sum);
    way(far, inverse, far.d(0, layers[1]), v0).store(first);
    q
}

/// E~, or its inverse, of vectors of blocks.
#[inline(always)]
fn layer<P: Parameters, M: Machine<P>, const N: usize>(
    machine: M,
    inverse: bool,
    d: &Group<'_, P, M>,
    x: [Many<P, M>; N],
) -> [Many<P, M>; N] {
    // CT: the direction is public.
    match inverse {
        false => d.add(Many::<P, M>::permute(machine, d.add(x))),
        true => d.add(Many::<P, M>::invert(machine, d.add(x))),
    }
}

/// The first layer; the sum of its output.
struct FirstLayer<'a, S> {
    inverse: bool,
    buffer: &'a mut [u8],
    sum: Sum<S>,
}

impl<P: Parameters, M: Machine<P>> Pass<P, M> for FirstLayer<'_, Many<P, M>> {
    #[inline(always)]
    fn blocks<const N: usize>(&mut self, machine: M, d: &Group<'_, P, M>, at: usize, end: usize) {
        let u =
            layer::<P, M, N>(machine, self.inverse, d, load::<_, N>(machine, self.buffer, at, end));
        self.sum.add(u, end - at);
        store(u, self.buffer, at, end);
    }
}

/// The masks between the layers, and the second layer; the sum of its input.
struct SecondLayer<'a, 'k, P: Parameters, M: Machine<P>> {
    e: &'a Cipher<'k, P, M>,
    inverse: bool,
    buffer: &'a mut [u8],
    q: SingleState<P, M>,
    /// The masks of [`MOST_BLOCKS`] blocks, the next ones among them, in the order of the lanes.
    masks: P::Group,
    sum: Sum<Many<P, M>>,
}

impl<P: Parameters, M: Machine<P>> SecondLayer<'_, '_, P, M> {
    /// The masks from byte `at` on, where a fresh one begins.
    #[inline(always)]
    fn refresh(&mut self, at: usize) {
        let machine = self.e.machine;
        let mut mask = P::Block::ZERO;
        if at == 0 {
            self.q.store(mask.as_mut());
            P::double(&mut mask);
        } else {
            let mp = SingleState::<P, M>::load(machine, &self.buffer[at..at + P::B]).xor(self.q);
            let g = (at / (FRESH * P::B)) as u64;
            let mc = way(self.e, self.inverse, self.e.d(g, code::GROUP), mp);
            mp.xor(mc).store(mask.as_mut());
        }
        let mut powers = P::Group::ZERO;
        P::write_powers(&mask, powers.as_mut());
        write_lanes::<P, M>(machine, powers.as_ref(), self.masks.as_mut());
        wipe(mask.as_mut());
        wipe(powers.as_mut());
    }

    /// On to the next [`MOST_BLOCKS`] blocks.
    #[inline(always)]
    fn advance(&mut self) {
        let machine = self.e.machine;
        for lanes in self.masks.as_mut().chunks_exact_mut(Many::<P, M>::BYTES) {
            let mask = Many::<P, M>::read_lanes(machine, lanes);
            mask.times_x16(machine, P::REDUCTION).write_lanes(lanes);
        }
    }
}

impl<P: Parameters, M: Machine<P>> Pass<P, M> for SecondLayer<'_, '_, P, M> {
    #[inline(always)]
    fn blocks<const N: usize>(&mut self, machine: M, d: &Group<'_, P, M>, at: usize, end: usize) {
        // Groups of the lanes never straddle two of these.
        let place = at % (MOST_BLOCKS * P::B);
        if at.is_multiple_of(FRESH * P::B) {
            self.refresh(at);
        } else if place == 0 {
            self.advance();
        }
        let mut v = load::<Many<P, M>, N>(machine, self.buffer, at, end);
        for n in 0..N {
            let lanes = place + n * Many::<P, M>::BYTES;
            let lanes = &self.masks.as_ref()[lanes..lanes + Many::<P, M>::BYTES];
            v[n] = v[n].xor(Many::<P, M>::read_lanes(machine, lanes));
        }
        self.sum.add(v, end - at);
        store(layer::<P, M, N>(machine, self.inverse, d, v), self.buffer, at, end);
    }
}

/// Z of fewer than B bytes.
#[inline(always)]
fn short_hash<P: Parameters, M: Machine<P>>(e: &Cipher<'_, P, M>, x: &[u8]) -> SingleState<P, M> {
    let padded = pad10::<P, M>(e.machine, x);
    let [z] = e.encipher([e.d(x.len() as u64, code::SHORT_HASH)], [padded]);
    z
}

/// Fewer than B bytes.
#[inline(always)]
fn feistel<P: Parameters, M: Machine<P>>(e: &Cipher<'_, P, M>, x: &mut [u8], inverse: bool) {
    let (machine, bytes) = (e.machine, x.len());
    // The sides of a single byte are nibbles, each in a byte of its own.
    let mut nibbles = [0; 2];
    let (sides, cut, bits) = if let [byte] = x {
        nibbles = [*byte >> 4, *byte & 15];
        (&mut nibbles[..], 15, 4)
    } else {
        (&mut *x, 255, 8 * (bytes / 2))
    };
    let (left, right) = sides.split_at_mut(sides.len() / 2);
    let rounds = if bytes == 0 { 0 } else { 10.max(4 + 2 * 64_usize.div_ceil(bits)) };
    let mut output = P::Block::ZERO;
    for round in 0..rounds {
        let q = if inverse { rounds - 1 - round } else { round };
        let (to, from): (&mut [u8], &[u8]) =
            if q.is_multiple_of(2) { (left, right) } else { (right, left) };
        let d = e.d((256 * bytes + q) as u64, code::FEISTEL);
        let [o] = e.encipher([d], [pad10::<P, M>(machine, from)]);
        o.store(output.as_mut());
        output.as_mut()[0] &= cut;
        field::add(to, output.as_ref());
    }
    wipe(output.as_mut());
    if let [byte] = x {
        *byte = nibbles[0] << 4 | nibbles[1];
        wipe(&mut nibbles);
    }
}
