//! AES's key schedule, and encryption of a few blocks (FIPS 197).
//!
//! A round key follows from the two before it (from the one before it, for 16-byte keys), and the
//! schedule's SubWord is a last round: in a block of four equal words ShiftRows changes nothing.
//! Only one shuffle and one last round wait for the newest round key; the sums of the older one are
//! the last round's key.

use core::marker::PhantomData;

use aead::array::ArraySize;
use aead::consts::{U16, U32};

use crate::backend::{Clmul, Isa, Lanes, Outlined};

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Aes128 {}
    impl Sealed for super::Aes256 {}
}

/// AES with keys of one length: [`Aes128`] or [`Aes256`].
pub trait Aes: sealed::Sealed + Send + Sync + 'static {
    /// The key's length in bytes.
    type KeySize: ArraySize;
    /// How many rounds.
    #[doc(hidden)]
    const ROUNDS: usize;
}

/// AES with 16-byte keys.
#[derive(Clone, Copy, Debug)]
pub struct Aes128;

/// AES with 32-byte keys.
#[derive(Clone, Copy, Debug)]
pub struct Aes256;

impl Aes for Aes128 {
    type KeySize = U16;
    const ROUNDS: usize = 10;
}

impl Aes for Aes256 {
    type KeySize = U32;
    const ROUNDS: usize = 14;
}

/// Room for the round keys of either.
pub(super) type RoundKeys = [[u8; 16]; 15];

/// The round constants, in every word of a block.
static ROUND_CONSTANTS: [[u8; 16]; 10] = {
    let mut blocks = [[0; 16]; 10];
    let (mut i, mut constant) = (0, 1_u8);
    while i < 10 {
        let mut word = 0;
        while word < 4 {
            blocks[i][4 * word] = constant;
            word += 1;
        }
        constant = constant << 1 ^ if constant >> 7 == 1 { 0x1b } else { 0 };
        i += 1;
    }
    blocks
};

/// Round keys one after the other, in every lane.
pub(super) struct KeySchedule<L> {
    newest_two: [L; 2],
}

impl<L: Clmul> KeySchedule<L> {
    /// Begins with the key's blocks: the same block twice for a 16-byte key.
    #[inline(always)]
    pub(super) fn new(key: [L; 2]) -> Self {
        Self { newest_two: key }
    }

    /// The first round's key.
    #[inline(always)]
    pub(super) fn first<A: Aes>(&mut self, isa: L::Isa) -> L {
        if const { key_blocks::<A>() == 1 } {
            self.next::<A>(isa, Some(0))
        } else {
            self.newest_two[1]
        }
    }

    /// The key that is used after round `r`'s.
    #[inline(always)]
    pub(super) fn after<A: Aes>(&mut self, isa: L::Isa, r: usize) -> L {
        let constant = match const { key_blocks::<A>() } {
            1 => Some(r),
            _ if r % 2 == 1 => Some(r / 2),
            _ => None,
        };
        self.next::<A>(isa, constant)
    }

    #[inline(always)]
    fn next<A: Aes>(&mut self, isa: L::Isa, constant: Option<usize>) -> L {
        let [older, newest] = self.newest_two;
        let sums = older.running_sums();
        let (word, sums) = match constant {
            Some(i) => (newest.spread_rotated(), sums.xor(L::broadcast(isa, &ROUND_CONSTANTS[i]))),
            None => (newest.spread(), sums),
        };
        let [key] = L::aes_last_rounds([word], [sums]);
        self.newest_two = if const { key_blocks::<A>() == 1 } { [key; 2] } else { [newest, key] };
        key
    }
}

/// How many blocks a key has.
const fn key_blocks<A: Aes>() -> usize {
    A::ROUNDS / 4 - 1
}

/// Writes the round keys of `key`.
#[inline(always)]
pub(super) fn expand<A: Aes, L: Clmul>(isa: L::Isa, key: [L; 2], round_keys: &mut RoundKeys) {
    let mut schedule = KeySchedule::new(key);
    key[0].first_block().store(&mut round_keys[0]);
    schedule.first::<A>(isa).first_block().store(&mut round_keys[1]);
    for r in 1..A::ROUNDS {
        schedule.after::<A>(isa, r).first_block().store(&mut round_keys[r + 1]);
    }
}

/// The blocks of a key that lies in memory, in every lane.
#[inline(always)]
pub(super) fn load_key<L: Clmul>(isa: L::Isa, key: &[u8]) -> [L; 2] {
    let first = L::broadcast(isa, &key[..16]);
    [first, if key.len() > 16 { L::broadcast(isa, &key[16..]) } else { first }]
}

/// AES of each block of `x`.
#[inline(always)]
pub(super) fn encrypt<A: Aes, L: Lanes + Clmul, const N: usize>(
    isa: L::Isa,
    round_keys: &RoundKeys,
    x: [L; N],
) -> [L; N] {
    isa.call_outlined(Encrypt { round_keys, x, kind: PhantomData::<A> })
}

struct Encrypt<'k, A, L, const N: usize> {
    round_keys: &'k RoundKeys,
    x: [L; N],
    kind: PhantomData<A>,
}

impl<A: Aes, L: Clmul, const N: usize> Outlined<L::Isa> for Encrypt<'_, A, L, N> {
    type Output = [L; N];

    #[inline(always)]
    fn run(self, isa: L::Isa) -> [L; N] {
        L::aes(isa, self.x, &self.round_keys[..=A::ROUNDS])
    }
}
