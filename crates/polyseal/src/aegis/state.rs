//! The interface of the two AEGIS states, for the modes.

use crate::backend::Lanes;

/// Bytes of `fibonacci mod 256`: the constants C0 and C1 of the draft.
pub(super) static C0: [u8; 16] = [
    0x00, 0x01, 0x01, 0x02, 0x03, 0x05, 0x08, 0x0d, 0x15, 0x22, 0x37, 0x59, 0x90, 0xe9, 0x79, 0x62,
];
pub(super) static C1: [u8; 16] = [
    0xdb, 0x3d, 0x18, 0x55, 0x6d, 0xc2, 0x2f, 0xf1, 0x20, 0x11, 0x31, 0x42, 0x73, 0xb5, 0x28, 0xdd,
];

/// An AEGIS state over the lanes of `L`.
///
/// A *word* is one vector of message; an update takes [`WORDS`](Self::WORDS) of them.
pub trait State<L: Lanes>: Copy {
    /// The message of one update.
    type Words: Copy + AsRef<[L]> + AsMut<[L]>;
    /// How many words that is: the rate is this many blocks a lane.
    const WORDS: usize;

    /// The blocks of a key or nonce of this state, in every lane; one block counts twice.
    #[inline(always)]
    fn blocks(isa: L::Isa, bytes: &[u8]) -> [L; 2] {
        [L::broadcast(isa, &bytes[..16]), L::broadcast(isa, &bytes[bytes.len() - 16..])]
    }
    /// The state after initialisation; `context` tells the lanes apart; a single
    /// lane has none.
    fn init(isa: L::Isa, key: [L; 2], nonce: [L; 2], context: Option<L>) -> Self;
    /// A state whose registers are all `x`.
    fn filled(x: L) -> Self;
    /// The registers.
    fn registers(&self) -> &[L];
    /// The registers, to be set.
    fn registers_mut(&mut self) -> &mut [L];
    /// Words that are all `x`.
    fn words(x: L) -> Self::Words;

    /// Absorbs associated data.
    fn absorb(&mut self, m: Self::Words);
    /// Encrypts a message.
    fn encrypt(&mut self, m: Self::Words) -> Self::Words;
    /// Decrypts a ciphertext.
    fn decrypt(&mut self, c: Self::Words) -> Self::Words;
    /// The key stream of the next update, `z`.
    fn key_stream(&self) -> Self::Words;
    /// The seven updates of finalisation; `lengths` is `LE64(8·|AD|) ‖ LE64(8·|P|)`.
    fn mix_lengths(&mut self, lengths: L);
    /// The 128-bit tag of each lane.
    fn tag128(&self) -> L;
    /// The 256-bit tag of each lane, as its halves.
    fn tag256(&self) -> [L; 2];
}

/// [`Lanes::settle`] on each vector.
#[inline(always)]
pub(super) fn settle<L: Lanes>(vectors: &mut [L]) {
    for vector in vectors {
        vector.settle();
    }
}
