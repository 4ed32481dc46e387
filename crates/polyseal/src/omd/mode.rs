//! The mode: which calls of the keyed compression function F a message takes, one after the other.
//!
//! Source: OMD v2.0 (S. Cogliani, D. Maimuț, D. Naccache, R. Portella do Canto, R. Reyhanitabar,
//! S. Vaudenay, D. Vizár), sections 1 and 2.
//!
//! A [`Run`] says what the next call's inputs are and takes its output, so that one message alone
//! and many in lanes are the same text. The blocks in the middle of a message, which are most of
//! it, are calls that follow each other in registers ([`Calls`]).

// H the chaining value, Δ the mask, N the nonce, τ the tag's length in bits, A the associated data,
// M the message, C the ciphertext, n the bytes of a chaining value, ℓ the number of the last block.

use core::slice::{from_mut, from_ref};

use aead::inout::InOutBuf;
use zeroize::Zeroize;

use super::calls::Calls;
use super::masks::{Masks, xor};
use super::rule::Rule;
use crate::backend::hashes::HashBackend;
use crate::backend::wipe_stack;
use crate::hash::Compression;

/// As much as expanding a key leaves on the stack.
const EXPANDING_STACK_BYTES: usize = 4608;

/// As much as one message leaves there.
pub(super) const STACK_BYTES: usize = 3 << 10;

/// A key, for tags of one length. Wiped on drop.
pub(super) struct ExpandedKey<C: Compression> {
    pub(super) on: HashBackend,
    pub(super) key: C::Key,
    masks: Masks<C>,
    rule: Rule,
    /// ⟨τ⟩: the tag's length in bits.
    tau: C::Block,
}

impl<C: Compression> ExpandedKey<C> {
    /// Under a key of 1 to n bytes, for tags of as many.
    pub(super) fn new(key: &[u8], tag_bytes: usize, rule: Rule, on: HashBackend) -> Self {
        let expanded = Self::expand(key, tag_bytes, rule, on);
        wipe_stack::<EXPANDING_STACK_BYTES>();
        expanded
    }

    #[inline(never)]
    fn expand(key: &[u8], tag_bytes: usize, rule: Rule, on: HashBackend) -> Self {
        let mut padded = C::ZERO;
        padded.as_mut()[..key.len()].copy_from_slice(key);
        let key = C::key(&padded);
        padded.zeroize();
        let mut tau = C::ZERO;
        let end = tau.as_ref().len() - 2;
        tau.as_mut()[end..].copy_from_slice(&(8 * tag_bytes as u16).to_be_bytes());
        // L* = F_K(0, ⟨τ⟩);  version 1: F_K(0, 0)
        let mut star = C::ZERO;
        let block = if rule == Rule::Version1 { &C::ZERO } else { &tau };
        Calls::<C>::once(&key, from_mut(&mut star), from_ref(block)).run(on);
        let masks = Masks::new(star);
        star.zeroize();
        Self { on, key, masks, rule, tau }
    }

    /// H = F_K(H, M)
    pub(super) fn call(&self, chain: &mut C::Block, block: &C::Block) {
        Calls::<C>::once(&self.key, from_mut(chain), from_ref(block)).run(self.on);
    }

    /// Seals or opens; writes the tag that goes with it, as much of it as `tag` has room for. The
    /// caller wipes the stack.
    #[inline(never)]
    pub(super) fn crypt(
        &self,
        seals: bool,
        nonce: &[u8],
        ad: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) {
        let (mut chain, mut block) = (C::ZERO, C::ZERO);
        let mut run = Run::new(self, seals, nonce, ad, buffer);
        while run.next(&mut chain, &mut block) {
            self.call(&mut chain, &block);
            let blocks = run.blocks_in_the_middle();
            let chain = from_mut(&mut chain);
            Calls::<C>::middle(&self.key, seals, chain, &mut [Some(&mut run)], blocks).run(self.on);
        }
        run.write_tag(tag);
        chain.zeroize();
        block.zeroize();
    }
}

impl<C: Compression> Clone for ExpandedKey<C> {
    fn clone(&self) -> Self {
        let Self { on, key, masks, rule, tau } = self;
        Self { on: *on, key: key.clone(), masks: masks.clone(), rule: *rule, tau: *tau }
    }
}

impl<C: Compression> Drop for ExpandedKey<C> {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

/// The purpose of the last call.
#[derive(Clone, Copy)]
enum Step {
    /// There has been none.
    None,
    /// Associated data.
    Ad,
    /// Δ_{N,0}.
    Nonce,
    /// A chaining value that encrypts a block of the message.
    Chain,
    /// The tag of the message.
    Tag,
}

/// A message on its way. Wiped on drop.
pub(super) struct Run<'a, 'i, 'o, C: Compression> {
    expanded: &'a ExpandedKey<C>,
    seals: bool,
    nonce: &'a [u8],
    /// The rest of the associated data.
    ad: &'a [u8],
    buffer: InOutBuf<'i, 'o, u8>,
    /// How many bytes of the message are done.
    done: usize,
    step: Step,
    /// The number of the block that Δ is for.
    index: u64,
    pub(super) delta: C::Block,
    /// Tag_a, and then the tag.
    tag: C::Block,
}

impl<'a, 'i, 'o, C: Compression> Run<'a, 'i, 'o, C> {
    const N: usize = size_of::<C::Block>();

    pub(super) fn new(
        expanded: &'a ExpandedKey<C>,
        seals: bool,
        nonce: &'a [u8],
        ad: &'a [u8],
        buffer: InOutBuf<'i, 'o, u8>,
    ) -> Self {
        let (step, done, index) = (Step::None, 0, 0);
        let (delta, tag) = (C::ZERO, C::ZERO);
        Self { expanded, seals, nonce, ad, buffer, done, step, index, delta, tag }
    }

    /// Takes what the last call gave from `chain`, and puts the inputs of the next there and into
    /// `block`; whether there is a next.
    #[inline]
    pub(super) fn next(&mut self, chain: &mut C::Block, block: &mut C::Block) -> bool {
        // CT: lengths are public.
        match self.step {
            Step::Chain if self.buffer.len() - self.done > Self::N => self.middle(chain, block),
            Step::Chain => return self.last(chain, block),
            Step::Tag => {
                // Tag = Tag_a ⊕ Tag_e
                xor(&mut self.tag, chain);
                return false;
            }
            Step::None => self.first(chain, block),
            Step::Ad => {
                xor(&mut self.tag, chain);
                match self.ad {
                    [] => self.nonce(chain, block),
                    _ => self.ad(chain, block),
                }
            }
            Step::Nonce => {
                // Δ_1 = Δ_0 ⊕ L[0];  H_0 = F_K(Δ_1, ⟨τ⟩)
                self.delta = *chain;
                self.index = 1;
                self.expanded.masks.add(1, &mut self.delta);
                (*chain, *block) = (self.delta, self.expanded.tau);
                self.step = Step::Chain;
            }
        }
        true
    }

    fn first(&mut self, chain: &mut C::Block, block: &mut C::Block) {
        if self.ad.is_empty() && self.expanded.rule != Rule::Secure {
            self.nonce(chain, block);
        } else {
            self.ad(chain, block);
        }
    }

    /// A block of 2n bytes: the left half into H, the right half into M.
    fn ad(&mut self, chain: &mut C::Block, block: &mut C::Block) {
        match self.ad.split_at_checked(2 * Self::N) {
            Some((whole, rest)) => {
                // F_K(Δ_i ⊕ A_left, A_right)
                self.index += 1;
                self.expanded.masks.add(self.index, &mut self.delta);
                chain.as_mut().copy_from_slice(&whole[..Self::N]);
                block.as_mut().copy_from_slice(&whole[Self::N..]);
                self.ad = rest;
            }
            None => {
                // F_K(Δ_{i−1} ⊕ L* ⊕ A_left, A_right), padded with 10*
                xor(&mut self.delta, &self.expanded.masks.star);
                let (left, right) = self.ad.split_at(self.ad.len().min(Self::N));
                (*chain, *block) = (C::ZERO, C::ZERO);
                chain.as_mut()[..left.len()].copy_from_slice(left);
                block.as_mut()[..right.len()].copy_from_slice(right);
                let half = if left.len() < Self::N { &mut *chain } else { &mut *block };
                half.as_mut()[self.ad.len() % Self::N] = 0x80;
                self.ad = &[];
            }
        }
        xor(chain, &self.delta);
        self.step = Step::Ad;
    }

    /// Δ_0 = F_K(N ‖ 10*, 0)
    fn nonce(&mut self, chain: &mut C::Block, block: &mut C::Block) {
        (*chain, *block) = (C::ZERO, C::ZERO);
        chain.as_mut()[..self.nonce.len()].copy_from_slice(self.nonce);
        chain.as_mut()[self.nonce.len()] = 0x80;
        self.step = Step::Nonce;
    }

    /// C_i = H_{i−1} ⊕ M_i;  H_i = F_K(H_{i−1} ⊕ Δ_{i+1}, M_i)
    fn middle(&mut self, chain: &mut C::Block, block: &mut C::Block) {
        self.read(block);
        let mut output = *block;
        xor(&mut output, chain);
        self.write(&output);
        if !self.seals {
            *block = output;
        }
        self.index += 1;
        self.expanded.masks.add(self.index, &mut self.delta);
        xor(chain, &self.delta);
    }

    /// How many blocks before the last are next whose masks the table has.
    pub(super) fn blocks_in_the_middle(&self) -> usize {
        match self.step {
            Step::Chain => {
                let rest = (self.buffer.len() - self.done).saturating_sub(1) / Self::N;
                rest.min(Masks::<C>::kept_after(self.index))
            }
            _ => 0,
        }
    }

    /// The next block of the input.
    #[inline(always)]
    pub(super) fn read(&self, block: &mut C::Block) {
        let range = self.done..self.done + Self::N;
        block.as_mut().copy_from_slice(&self.buffer.get_in()[range]);
    }

    /// The next block of the output.
    #[inline(always)]
    pub(super) fn write(&mut self, block: &C::Block) {
        let range = self.done..self.done + Self::N;
        self.buffer.get_out()[range].copy_from_slice(block.as_ref());
        self.done += Self::N;
    }

    /// L[ntz(i)] of the next block, which has to be in the table.
    #[inline(always)]
    pub(super) fn next_mask(&mut self) -> &C::Block {
        self.index += 1;
        self.expanded.masks.kept(self.index)
    }

    /// C_ℓ = H_{ℓ−1} ⊕ M_ℓ;  Tag_e = F_K(H_{ℓ−1} ⊕ Δ_ℓ ⊕ 2L*, M_ℓ), or with 3L* and M_ℓ ‖ 10*
    fn last(&mut self, chain: &mut C::Block, block: &mut C::Block) -> bool {
        let range = self.done..self.buffer.len();
        let bytes = range.len();
        if bytes == 0 && self.expanded.rule != Rule::Secure {
            // Tag_e = H_0
            xor(&mut self.tag, chain);
            return false;
        }
        *block = C::ZERO;
        let message = &mut block.as_mut()[..bytes];
        message.copy_from_slice(&self.buffer.get_in()[range.clone()]);
        let output = &mut self.buffer.get_out()[range];
        for i in 0..bytes {
            output[i] = message[i] ^ chain.as_ref()[i];
        }
        if !self.seals {
            message.copy_from_slice(output);
        }
        let masks = &self.expanded.masks;
        if bytes == Self::N {
            xor(chain, &masks.full);
        } else {
            block.as_mut()[bytes] = 0x80;
            xor(chain, &masks.padded);
        }
        xor(chain, &self.delta);
        self.step = Step::Tag;
        true
    }

    /// Whether the message is sealed.
    pub(super) fn seals(&self) -> bool {
        self.seals
    }

    /// The output so far.
    pub(super) fn output(&mut self) -> &mut [u8] {
        self.buffer.get_out()
    }

    /// Writes the tag, once there is no further call.
    pub(super) fn write_tag(&self, tag: &mut [u8]) {
        tag.copy_from_slice(&self.tag.as_ref()[..tag.len()]);
    }
}

impl<C: Compression> Drop for Run<'_, '_, '_, C> {
    fn drop(&mut self) {
        self.delta.zeroize();
        self.tag.zeroize();
    }
}
