//! P, what OCH and CIV encrypt: the nonce, if it is hidden, and the message.

use aead::inout::InOutBuf;

use super::blocks::padding;
use super::machine::Machine;
use super::parameters::{Bytes, Parameters, SingleState};
use crate::backend::wipe;
use crate::perm::States;

/// P, to be encrypted or decrypted: the place of the hidden nonce, or none, and the message.
pub(super) struct Plaintext<'i, 'o> {
    pub(super) nonce: InOutBuf<'i, 'o, u8>,
    pub(super) message: InOutBuf<'i, 'o, u8>,
}

impl<'i, 'o> Plaintext<'i, 'o> {
    /// Without a hidden nonce.
    #[inline(always)]
    pub(super) fn new(message: InOutBuf<'i, 'o, u8>) -> Self {
        Self { nonce: [].as_mut_slice().into(), message }
    }

    /// |P|.
    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        self.nonce.len() + self.message.len()
    }

    /// The same with the output so far as its input.
    #[inline(always)]
    pub(super) fn written(&mut self) -> Plaintext<'_, '_> {
        Plaintext { nonce: self.nonce.get_out().into(), message: self.message.get_out().into() }
    }

    /// The same once more.
    #[inline(always)]
    pub(super) fn reborrow(&mut self) -> Plaintext<'_, '_> {
        Plaintext { nonce: self.nonce.reborrow(), message: self.message.reborrow() }
    }

    /// How much of the message belongs to the first block.
    #[inline(always)]
    fn in_first<P: Parameters>(&self) -> usize {
        (P::B - self.nonce.len()).min(self.message.len())
    }

    /// The first B bytes; if there are fewer, zeros behind them.
    #[inline(always)]
    pub(super) fn first<P: Parameters, M: Machine<P>>(&self, machine: M) -> SingleState<P, M> {
        let message = &self.message.get_in()[..self.in_first::<P>()];
        // CT: lengths are public.
        match self.nonce.len() {
            0 => return SingleState::<P, M>::load_partial(machine, message),
            bytes if bytes == P::T => {
                let nonce =
                    SingleState::<P, M>::load_partial(machine, &self.nonce.get_in()[..P::T]);
                return SingleState::<P, M>::load_partial(machine, message).right(P::T).xor(nonce);
            }
            _ => {}
        }
        let mut block = P::Block::ZERO;
        let (nonce, rest) = block.as_mut().split_at_mut(self.nonce.len());
        nonce.copy_from_slice(self.nonce.get_in());
        rest[..message.len()].copy_from_slice(message);
        let first = SingleState::<P, M>::load(machine, block.as_ref());
        wipe(block.as_mut());
        first
    }

    /// Writes what [`first`](Self::first) reads.
    #[inline(always)]
    pub(super) fn write_first<P: Parameters, M: Machine<P>>(&mut self, first: SingleState<P, M>) {
        let bytes = self.in_first::<P>();
        let message = &mut self.message.get_out()[..bytes];
        match self.nonce.len() {
            0 => return first.store_partial(message),
            bytes if bytes == P::T => {
                first.store_partial(&mut self.nonce.get_out()[..P::T]);
                return first.after(P::T).store_partial(message);
            }
            _ => {}
        }
        let mut block = P::Block::ZERO;
        first.store(block.as_mut());
        let (nonce, rest) = block.as_ref().split_at(self.nonce.len());
        self.nonce.get_out().copy_from_slice(nonce);
        message.copy_from_slice(&rest[..bytes]);
        wipe(block.as_mut());
    }

    /// pad10 of the nonce, where the first block of P is `first`.
    #[inline(always)]
    pub(super) fn padded_nonce<P: Parameters, M: Machine<P>>(
        &self,
        machine: M,
        first: SingleState<P, M>,
    ) -> SingleState<P, M> {
        let bytes = self.nonce.len();
        // CT: lengths are public. Most have this one, which the compiler knows.
        match bytes == P::T {
            true => first.left(P::T).xor(padding::<P, M>(machine, P::T)),
            false => first.cut(machine, bytes).xor(padding::<P, M>(machine, bytes)),
        }
    }

    /// The text after the first block: whole blocks, and a tail.
    #[inline(always)]
    pub(super) fn rest<P: Parameters>(&mut self) -> (InOutBuf<'_, '_, u8>, InOutBuf<'_, '_, u8>) {
        let (_, rest) = self.message.reborrow().split_at(P::B - self.nonce.len());
        let whole = rest.len() - rest.len() % P::B;
        rest.split_at(whole)
    }
}
