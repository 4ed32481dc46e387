//! GHASH (NIST SP 800-38D, section 6.4), by powers of the hash key H.
//!
//! Elements are held as POLYVAL's are (RFC 8452, appendix A), which turns GHASH's bit order around:
//! with h = x · reverse(H), GHASH's `X · H` becomes `X · h · x^-128` on reversed blocks. A sum of
//! products `X_1 · H^n ⊕ … ⊕ X_n · H` is computed unreduced and reduced once.
//!
//! POLYVAL itself, for AES-GCM-SIV, is the same without the reversals: `X · H · x^-128`.

use core::marker::PhantomData;
use core::ops::Range;

use crate::backend::{Clmul, Isa, Lanes, wipe};
use crate::polyval::sum_of_halves;
pub(super) use crate::polyval::{Product, first_powers, multiply};

/// How many registers are hashed before a reduction.
pub(super) const GROUP: usize = 8;
/// How many blocks the powers of a group take, for registers of so many blocks: behind the first
/// power, there is a register of zeros.
pub(super) const fn room(register_blocks: usize) -> usize {
    (GROUP + 1) * register_blocks
}

/// The room for the powers of every back end.
const MOST_ROOM: usize = room(4);

/// Powers of the hash key, from the highest to the first.
#[derive(Clone)]
#[repr(align(64))]
pub(super) struct Powers<const ROOM: usize = MOST_ROOM> {
    /// See [`place`](Self::place).
    powers: [[u8; 16]; ROOM],
    /// The sum of each one's halves; and behind it that of the power one register lower.
    sums: [[u8; 16]; ROOM],
}

impl<const ROOM: usize> Powers<ROOM> {
    /// A constant: what a function returned would be copied twice.
    pub(super) const ZERO: Self = Self { powers: [[0; 16]; ROOM], sums: [[0; 16]; ROOM] };

    /// Where the register of powers from `h^highest` downwards lies.
    #[inline(always)]
    fn place<L: Lanes>(highest: usize) -> Range<usize> {
        let at = 16 * (const { ROOM - ROOM / (GROUP + 1) } - highest);
        at..at + L::BYTES
    }

    /// A group's powers of `h`.
    #[inline(always)]
    pub(super) fn fill<L: Clmul>(&mut self, isa: L::Isa, h: L::X1) {
        self.fill_for::<L>(isa, h, GROUP * L::BLOCKS);
    }

    /// The powers of `h` that a hash of at most `blocks` blocks takes: a group's, or fewer.
    #[inline(always)]
    pub(super) fn fill_for<L: Clmul>(&mut self, isa: L::Isa, h: L::X1, blocks: usize) {
        // Each step doubles the number of powers, so that few products wait for one another.
        let mut x = [first_powers::<L>(isa, h); GROUP];
        self.store(1, x[0], x[0]);
        let mut ready = 1;
        // CT: lengths are public.
        while ready < GROUP && ready * L::BLOCKS < blocks {
            let step = L::splat(x[ready - 1].block(0));
            for j in 0..ready {
                x[ready + j] = multiply(isa, x[j], step);
                self.store(ready + j + 1, x[ready + j], x[ready + j - 1]);
            }
            ready *= 2;
        }
    }

    /// Writes the powers of register `number`, of which the next lower are known.
    #[inline(always)]
    fn store<L: Clmul>(&mut self, number: usize, powers: L, lower: L) {
        let place = Self::place::<L>(number * L::BLOCKS);
        powers.store(&mut self.powers.as_flattened_mut()[place.clone()]);
        let sums = sum_of_halves(powers).low_halves(sum_of_halves(lower));
        sums.store(&mut self.sums.as_flattened_mut()[place]);
    }

    /// A register of powers from `h^highest` downwards.
    #[inline(always)]
    fn load<L: Clmul>(&self, isa: L::Isa, highest: usize) -> L {
        L::load(isa, &self.powers.as_flattened()[Self::place::<L>(highest)])
    }

    #[inline(always)]
    fn load_sums<L: Clmul>(&self, isa: L::Isa, highest: usize) -> L {
        L::load(isa, &self.sums.as_flattened()[Self::place::<L>(highest)])
    }

    #[inline(always)]
    pub(super) fn wipe(&mut self) {
        wipe(self.powers.as_flattened_mut());
        wipe(self.sums.as_flattened_mut());
    }
}

/// How the blocks of the hash are turned into POLYVAL's elements and back.
pub(super) trait Order {
    /// A block's element, or an element's block.
    fn turn<L: Clmul>(block: L) -> L;
    /// The last block: the bit lengths of associated data and message.
    fn lengths(ad_bits: u64, message_bits: u64) -> [u8; 16];
}

/// GHASH's order.
pub(super) struct Reversed;

impl Order for Reversed {
    #[inline(always)]
    fn turn<L: Clmul>(block: L) -> L {
        block.reverse_bytes()
    }

    #[inline(always)]
    fn lengths(ad_bits: u64, message_bits: u64) -> [u8; 16] {
        (u128::from(ad_bits) << 64 | u128::from(message_bits)).to_be_bytes()
    }
}

/// POLYVAL's order.
pub(super) struct AsIs;

impl Order for AsIs {
    #[inline(always)]
    fn turn<L: Clmul>(block: L) -> L {
        block
    }

    #[inline(always)]
    fn lengths(ad_bits: u64, message_bits: u64) -> [u8; 16] {
        (u128::from(message_bits) << 64 | u128::from(ad_bits)).to_le_bytes()
    }
}

/// A hash under way, over vectors `L`.
pub(super) struct Ghash<'p, L: Lanes, O = Reversed, const ROOM: usize = MOST_ROOM> {
    isa: L::Isa,
    powers: &'p Powers<ROOM>,
    hash: L::X1,
    product: Product<L>,
    /// The power that the next block is multiplied with; with none left, the sum is reduced.
    power: usize,
    order: PhantomData<O>,
}

impl<'p, L: Clmul, O: Order, const ROOM: usize> Ghash<'p, L, O, ROOM> {
    /// The most blocks that are summed up before a reduction.
    pub(super) const GROUP_BLOCKS: usize = GROUP * L::BLOCKS;

    #[inline(always)]
    pub(super) fn new(isa: L::Isa, powers: &'p Powers<ROOM>) -> Self {
        Self::resume(isa, powers, L::X1::broadcast(isa, &[0; 16]))
    }

    /// Goes on from the result of [`finish`](Self::finish).
    #[inline(always)]
    pub(super) fn resume(isa: L::Isa, powers: &'p Powers<ROOM>, hash: L::X1) -> Self {
        let (hash, product) = (O::turn(hash), Product::zero(isa));
        Self { isa, powers, hash, product, power: 0, order: PhantomData }
    }

    /// Announces that the next reduction is due after `blocks` blocks.
    #[inline(always)]
    pub(super) fn expect(&mut self, blocks: usize) {
        self.power = blocks;
    }

    /// How many blocks are missing to the next reduction.
    #[inline(always)]
    pub(super) fn missing(&self) -> usize {
        self.power
    }

    /// Takes the first `blocks` blocks of `x`; the others are zero.
    #[inline(always)]
    pub(super) fn take(&mut self, x: L, blocks: usize) {
        let x = O::turn(x).xor(L::first_only(self.hash));
        self.hash = L::X1::broadcast(self.isa, &[0; 16]);
        self.product.add_karatsuba(
            x,
            self.powers.load(self.isa, self.power),
            self.powers.load_sums(self.isa, self.power),
        );
        self.power -= blocks;
    }

    /// Takes registers `j` and `j + 1` of a whole group, which [`end_group`](Self::end_group) ends.
    #[inline(always)]
    pub(super) fn take_of_group(&mut self, j: usize, x: [L; 2]) {
        let highest = [(GROUP - j) * L::BLOCKS, (GROUP - j - 1) * L::BLOCKS];
        let Self { isa, powers, .. } = *self;
        let sums = powers.load_sums(isa, highest[0]);
        let powers = [powers.load(isa, highest[0]), powers.load(isa, highest[1])];
        let mut x = [O::turn(x[0]), O::turn(x[1])];
        // Or the compiler makes two instructions of each that takes the halves apart.
        x[0].settle();
        x[1].settle();
        self.product.add_two_karatsuba(x, powers, sums);
    }

    /// Adds the hash before the group, which has been left out, and reduces.
    #[inline(always)]
    pub(super) fn end_group(&mut self) {
        let mut product = self.product.sum().karatsuba();
        product.add(self.hash, self.powers.load(self.isa, Self::GROUP_BLOCKS));
        self.hash = product.reduce();
        self.product = Product::zero(self.isa);
    }

    #[inline(always)]
    pub(super) fn reduce(&mut self) {
        let product = self.product.sum().karatsuba();
        self.hash = self.hash.xor(product.reduce());
        self.product = Product::zero(self.isa);
    }

    /// Takes `data`, padded with zeros to whole blocks, with reductions of its own.
    #[inline(always)]
    pub(super) fn take_all(&mut self, data: &[u8]) {
        if const { <L::Isa as Isa>::ROUNDS_ARE_CALLS } {
            // So is a product: a loop costs nothing.
            for group in data.chunks(GROUP * L::BYTES) {
                self.expect(group.len().div_ceil(16));
                self.take_part(group);
                self.reduce();
            }
            return;
        }
        let mut groups = data.chunks_exact(GROUP * L::BYTES);
        for group in &mut groups {
            for (j, pair) in group.chunks_exact(2 * L::BYTES).enumerate() {
                let (first, second) = pair.split_at(L::BYTES);
                let pair = [L::load(self.isa, first), L::load(self.isa, second)];
                self.take_of_group(2 * j, pair);
            }
            self.end_group();
        }
        let rest = groups.remainder();
        if !rest.is_empty() {
            self.expect(rest.len().div_ceil(16));
            self.take_part(rest);
            self.reduce();
        }
    }

    /// Takes `data`, padded with zeros to whole blocks, which have been announced.
    #[inline(always)]
    pub(super) fn take_part(&mut self, data: &[u8]) {
        let mut registers = data.chunks_exact(L::BYTES);
        for register in &mut registers {
            self.take(L::load(self.isa, register), L::BLOCKS);
        }
        let rest = registers.remainder();
        if !rest.is_empty() {
            self.take(L::load_partial(self.isa, rest), rest.len().div_ceil(16));
        }
    }

    /// Takes the last block, the bit lengths of associated data and ciphertext.
    #[inline(always)]
    pub(super) fn take_lengths(&mut self, ad_bytes: u64, message_bytes: u64) {
        if self.power == 0 {
            self.reduce();
            self.power = 1;
        }
        let block = L::X1::load(self.isa, &O::lengths(8 * ad_bytes, 8 * message_bytes));
        self.take(L::first_only(block), 1);
        self.reduce();
    }

    /// The hash of the blocks so far.
    #[inline(always)]
    pub(super) fn finish(self) -> L::X1 {
        O::turn(self.hash)
    }
}
