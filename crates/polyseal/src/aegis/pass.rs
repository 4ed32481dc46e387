//! Operations on the bytes of a message, update by update: absorb, encrypt, decrypt, or
//! exclusive-or with the key stream.
//!
//! Block `i` of an update of `W` words over `D` lanes is word `i / D` of lane `i mod D`. The last
//! update may be partial: it is absorbed padded with zeros.

use core::ops::Range;

use aead::inout::InOutBuf;

use super::state::State;
use super::variant::VariantImpl;
use crate::backend::Lanes;

/// The words of one update.
type Words<V, L> = <<V as VariantImpl>::State<L> as State<L>>::Words;

/// One way over a message.
pub(super) trait Pass<V: VariantImpl, L: Lanes> {
    /// How many bytes there are.
    fn bytes(&self) -> usize;
    /// Takes the share of part `p` in the whole update at byte `at`.
    fn whole(&mut self, isa: L::Isa, part: &mut V::State<L>, p: usize, at: usize);
    /// Takes the share of part `p` in the partial update from byte `at` to the end.
    fn partial(&mut self, isa: L::Isa, part: &mut V::State<L>, p: usize, at: usize);
}

/// Absorbs.
pub(super) struct Absorb<'a> {
    pub(super) data: &'a [u8],
}

/// Encrypts.
pub(super) struct Encrypt<'i, 'o> {
    pub(super) buffer: InOutBuf<'i, 'o, u8>,
}

/// Decrypts.
pub(super) struct Decrypt<'i, 'o> {
    pub(super) buffer: InOutBuf<'i, 'o, u8>,
}

/// Exclusive-ors with the encryption of zeros.
pub(super) struct XorKeyStream<'i, 'o> {
    pub(super) buffer: InOutBuf<'i, 'o, u8>,
}

impl<V: VariantImpl, L: Lanes> Pass<V, L> for Absorb<'_> {
    #[inline(always)]
    fn bytes(&self) -> usize {
        self.data.len()
    }

    #[inline(always)]
    fn whole(&mut self, isa: L::Isa, part: &mut V::State<L>, p: usize, at: usize) {
        part.absorb(load::<V, L>(isa, p, &self.data[at..][..V::RATE]));
    }

    #[inline(always)]
    fn partial(&mut self, isa: L::Isa, part: &mut V::State<L>, p: usize, at: usize) {
        part.absorb(load_partial::<V, L>(isa, p, &self.data[at..]));
    }
}

impl<V: VariantImpl, L: Lanes> Pass<V, L> for Encrypt<'_, '_> {
    #[inline(always)]
    fn bytes(&self) -> usize {
        self.buffer.len()
    }

    #[inline(always)]
    fn whole(&mut self, isa: L::Isa, part: &mut V::State<L>, p: usize, at: usize) {
        let m = load::<V, L>(isa, p, &self.buffer.get_in()[at..][..V::RATE]);
        let c = part.encrypt(m);
        store::<V, L>(c, p, &mut self.buffer.get_out()[at..][..V::RATE]);
    }

    #[inline(always)]
    fn partial(&mut self, isa: L::Isa, part: &mut V::State<L>, p: usize, at: usize) {
        let m = load_partial::<V, L>(isa, p, &self.buffer.get_in()[at..]);
        let c = part.encrypt(m);
        store_partial::<V, L>(c, p, &mut self.buffer.get_out()[at..]);
    }
}

impl<V: VariantImpl, L: Lanes> Pass<V, L> for Decrypt<'_, '_> {
    #[inline(always)]
    fn bytes(&self) -> usize {
        self.buffer.len()
    }

    #[inline(always)]
    fn whole(&mut self, isa: L::Isa, part: &mut V::State<L>, p: usize, at: usize) {
        let c = load::<V, L>(isa, p, &self.buffer.get_in()[at..][..V::RATE]);
        let m = part.decrypt(c);
        store::<V, L>(m, p, &mut self.buffer.get_out()[at..][..V::RATE]);
    }

    #[inline(always)]
    fn partial(&mut self, isa: L::Isa, part: &mut V::State<L>, p: usize, at: usize) {
        let bytes = self.buffer.len() - at;
        let c = load_partial::<V, L>(isa, p, &self.buffer.get_in()[at..]);
        let mut m = xor::<V, L>(c, part.key_stream());
        // The padded message is absorbed, with no key stream behind it.
        for (w, word) in m.as_mut().iter_mut().enumerate() {
            *word = word.truncate(share::<V, L>(p, w, bytes).len());
        }
        part.absorb(m);
        store_partial::<V, L>(m, p, &mut self.buffer.get_out()[at..]);
    }
}

impl<V: VariantImpl, L: Lanes> Pass<V, L> for XorKeyStream<'_, '_> {
    #[inline(always)]
    fn bytes(&self) -> usize {
        self.buffer.len()
    }

    #[inline(always)]
    fn whole(&mut self, isa: L::Isa, part: &mut V::State<L>, p: usize, at: usize) {
        let m = load::<V, L>(isa, p, &self.buffer.get_in()[at..][..V::RATE]);
        let z = part.encrypt(V::State::words(L::broadcast(isa, &[0; 16])));
        store::<V, L>(xor::<V, L>(m, z), p, &mut self.buffer.get_out()[at..][..V::RATE]);
    }

    #[inline(always)]
    fn partial(&mut self, isa: L::Isa, part: &mut V::State<L>, p: usize, at: usize) {
        let m = load_partial::<V, L>(isa, p, &self.buffer.get_in()[at..]);
        let c = xor::<V, L>(m, part.key_stream());
        store_partial::<V, L>(c, p, &mut self.buffer.get_out()[at..]);
    }
}

/// Where word `w` of part `p` lies within the bytes of an update.
#[inline(always)]
fn at<V: VariantImpl, L: Lanes>(p: usize, w: usize) -> usize {
    16 * w * V::DEGREE + p * L::BYTES
}

/// The share of word `w` of part `p` in a partial update of `bytes` bytes.
#[inline(always)]
fn share<V: VariantImpl, L: Lanes>(p: usize, w: usize, bytes: usize) -> Range<usize> {
    let at = at::<V, L>(p, w);
    at.min(bytes)..(at + L::BYTES).min(bytes)
}

#[inline(always)]
fn load<V: VariantImpl, L: Lanes>(isa: L::Isa, p: usize, update: &[u8]) -> Words<V, L> {
    let mut words = V::State::words(L::load(isa, &update[at::<V, L>(p, 0)..][..L::BYTES]));
    for (w, word) in words.as_mut().iter_mut().enumerate().skip(1) {
        *word = L::load(isa, &update[at::<V, L>(p, w)..][..L::BYTES]);
    }
    words
}

#[inline(always)]
fn load_partial<V: VariantImpl, L: Lanes>(isa: L::Isa, p: usize, update: &[u8]) -> Words<V, L> {
    let first = share::<V, L>(p, 0, update.len());
    let mut words = V::State::words(L::load_partial(isa, &update[first]));
    for (w, word) in words.as_mut().iter_mut().enumerate().skip(1) {
        *word = L::load_partial(isa, &update[share::<V, L>(p, w, update.len())]);
    }
    words
}

#[inline(always)]
fn store<V: VariantImpl, L: Lanes>(words: Words<V, L>, p: usize, update: &mut [u8]) {
    for (w, word) in words.as_ref().iter().enumerate() {
        word.store(&mut update[at::<V, L>(p, w)..][..L::BYTES]);
    }
}

#[inline(always)]
fn store_partial<V: VariantImpl, L: Lanes>(words: Words<V, L>, p: usize, update: &mut [u8]) {
    for (w, word) in words.as_ref().iter().enumerate() {
        let share = share::<V, L>(p, w, update.len());
        word.store_partial(&mut update[share]);
    }
}

#[inline(always)]
fn xor<V: VariantImpl, L: Lanes>(mut x: Words<V, L>, y: Words<V, L>) -> Words<V, L> {
    for (x, y) in x.as_mut().iter_mut().zip(y.as_ref()) {
        *x = x.xor(*y);
    }
    x
}
