//! The tables of 16 bytes that the rounds look nibbles up in, computed from AES's field.
//!
//! GF(2⁸) is two-dimensional over its subfield GF(2⁴), whose elements fit into a nibble. `U` has
//! trace 1 there, and `V = U + 1` is its conjugate: together they are a basis. An element
//! `x = i·V + j·U` is kept as `i` and `k = i + j = x + x¹⁶`. Its norm is `N = i·j + k²/A`, where
//! `A = 1/(U·V)`, and so `1/x = (j/N)·V + (i/N)·U`.
//!
//! A nibble that would be a division by zero is [`INFINITY`]: looked up as an index, it gives 0.

use super::Bytes;

/// An index that finds nothing, whatever nibble is added to it.
const INFINITY: u8 = 0x80;

/// Two tables, whose sum is looked for.
pub(super) type Pair = [[u8; 16]; 2];

/// The product in AES's field.
const fn multiply(mut a: u8, b: u8) -> u8 {
    let mut product = 0;
    let mut bit = 0;
    while bit < 8 {
        if b >> bit & 1 != 0 {
            product ^= a;
        }
        a = a << 1 ^ if a >> 7 != 0 { 0x1b } else { 0 };
        bit += 1;
    }
    product
}

const fn power(a: u8, exponent: u32) -> u8 {
    let mut power = 1;
    let mut bit = 8;
    while bit > 0 {
        bit -= 1;
        power = multiply(power, power);
        if exponent >> bit & 1 != 0 {
            power = multiply(power, a);
        }
    }
    power
}

/// The inverse, and 0 of 0.
const fn inverse(a: u8) -> u8 {
    power(a, 254)
}

/// A generator of the subfield's 15 units: 3 is one of all 255.
const G: u8 = power(3, 17);
const U: u8 = {
    let mut u = 0;
    while u ^ power(u, 16) != 1 {
        u += 1;
    }
    u
};
const V: u8 = U ^ 1;
const A: u8 = inverse(multiply(U, V));

/// The element of the subfield that `nibble` stands for: a bit each for 1, G, G² and G³.
const fn decode(nibble: u8) -> u8 {
    let mut element = 0;
    let mut bit = 0;
    while bit < 4 {
        if nibble >> bit & 1 != 0 {
            element ^= power(G, bit);
        }
        bit += 1;
    }
    element
}

const fn encode(element: u8) -> u8 {
    let mut nibble = 0;
    while decode(nibble) != element {
        nibble += 1;
    }
    nibble
}

/// The `i` of an element.
const fn i_of(x: u8) -> u8 {
    encode(x ^ multiply(x ^ power(x, 16), U))
}

/// The `k` of an element.
const fn k_of(x: u8) -> u8 {
    encode(x ^ power(x, 16))
}

/// The linear part of the S-box's affine map.
const fn affine(x: u8) -> u8 {
    x ^ x.rotate_left(1) ^ x.rotate_left(2) ^ x.rotate_left(3) ^ x.rotate_left(4)
}

/// The inverse of the S-box's affine map.
const fn inverse_affine(x: u8) -> u8 {
    x.rotate_left(1) ^ x.rotate_left(3) ^ x.rotate_left(6) ^ 0x05
}

/// From a byte's lower nibble and its upper one to `i` and to `k`; for the inverse S-box, after its
/// affine map.
const fn input(inverse_box: bool) -> [Pair; 2] {
    let mut tables = [[[0; 16]; 2]; 2];
    let mut n = 0;
    while n < 16 {
        let bytes = [n as u8, (n as u8) << 4];
        let mut which = 0;
        while which < 2 {
            let x = match (inverse_box, which) {
                (false, _) => bytes[which],
                (true, 0) => inverse_affine(bytes[0]),
                // The constant counts once.
                (true, _) => inverse_affine(bytes[1]) ^ inverse_affine(0),
            };
            tables[0][which][n] = i_of(x);
            tables[1][which][n] = k_of(x);
            which += 1;
        }
        n += 1;
    }
    tables
}

/// From `1/p` and `1/q` (see [`super::rounds`]) to `factor` times the S-box's output, but for its
/// constant; for the inverse S-box, to `factor` times the inverse of `x`.
const fn output(inverse_box: bool, factor: u8) -> Pair {
    let a = inverse(A);
    // i/N = p + (p + q)/A, and j/N = q + (p + q)/A.
    let weights = [multiply(1 ^ a, U) ^ multiply(a, V), multiply(a, U) ^ multiply(1 ^ a, V)];
    let mut tables = [[0; 16]; 2];
    let mut n = 0;
    while n < 16 {
        let mut which = 0;
        while which < 2 {
            let x = multiply(inverse(decode(n as u8)), weights[which]);
            let x = if inverse_box { x } else { affine(x) };
            tables[which][n] = multiply(factor, x);
            which += 1;
        }
        n += 1;
    }
    tables
}

/// `factor/n` for every nibble.
const fn quotients(factor: u8) -> [u8; 16] {
    let mut table = [INFINITY; 16];
    let mut n = 1;
    while n < 16 {
        table[n] = encode(multiply(factor, inverse(decode(n as u8))));
        n += 1;
    }
    table
}

/// Which byte comes to each place: where row `r` of the state moves by `r` columns times `columns`,
/// and then each column by `rows`.
const fn moved(columns: usize, rows: usize) -> [u8; 16] {
    let mut indices = [0; 16];
    let mut at = 0;
    while at < 16 {
        let row = (at + rows) % 4;
        indices[at] = (4 * ((at / 4 + columns * row) % 4) + row) as u8;
        at += 1;
    }
    indices
}

/// Which byte comes to each place in the order of rows: where row `r` moves by `r` columns times
/// `columns`, and then by `rows`.
const fn moved_in_rows(columns: usize, rows: usize) -> [u8; 16] {
    let mut indices = [0; 16];
    let mut at = 0;
    while at < 16 {
        let row = (at / 4 + rows) % 4;
        indices[at] = (4 * row + (at + columns * row) % 4) as u8;
        at += 1;
    }
    indices
}

/// From the order of columns to that of rows, or back.
pub(super) static TURN: [u8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
pub(super) static SHIFT_ROWS_OF_ROWS: [u8; 16] = moved_in_rows(1, 0);
pub(super) static NEXT_ROW: [u8; 16] = moved_in_rows(0, 1);
pub(super) static NEXT_ROW_BUT_ONE: [u8; 16] = moved_in_rows(0, 2);

/// Everything that rounds look up.
pub struct Tables<T> {
    pub(super) input: [[T; 2]; 2],
    pub(super) inverse_input: [[T; 2]; 2],
    /// `1/n`.
    pub(super) reciprocals: T,
    /// `A/n`.
    pub(super) quotients: T,
    pub(super) output: [T; 2],
    pub(super) output_twice: [T; 2],
    pub(super) inverse_output: [T; 2],
    /// With the factors of InvMixColumns' column, from the last.
    pub(super) inverse_outputs: [[T; 2]; 4],
    /// Ones where a byte's lower nibble is.
    pub(super) nibble: T,
    /// The S-box's constant.
    pub(super) constant: T,
    pub(super) shift_rows: T,
    pub(super) inverse_shift_rows: T,
    pub(super) up: T,
    pub(super) down: T,
}

static TABLES: Tables<[u8; 16]> = Tables {
    input: input(false),
    inverse_input: input(true),
    reciprocals: quotients(1),
    quotients: quotients(A),
    output: output(false, 1),
    output_twice: output(false, 2),
    inverse_output: output(true, 1),
    inverse_outputs: [output(true, 9), output(true, 13), output(true, 11), output(true, 14)],
    nibble: [0x0f; 16],
    constant: [0x63; 16],
    shift_rows: moved(1, 0),
    inverse_shift_rows: moved(3, 0),
    up: moved(0, 1),
    down: moved(0, 3),
};

impl<B: Bytes> Tables<B> {
    /// In registers, as far as there are registers.
    #[inline(always)]
    pub(super) fn load(isa: B::Isa) -> Self {
        let from = B::unknown(&TABLES);
        let one = |x: &[u8; 16]| B::load(isa, x);
        let pair = |x: &Pair| [one(&x[0]), one(&x[1])];
        Self {
            input: [pair(&from.input[0]), pair(&from.input[1])],
            inverse_input: [pair(&from.inverse_input[0]), pair(&from.inverse_input[1])],
            reciprocals: one(&from.reciprocals),
            quotients: one(&from.quotients),
            output: pair(&from.output),
            output_twice: pair(&from.output_twice),
            inverse_output: pair(&from.inverse_output),
            inverse_outputs: [
                pair(&from.inverse_outputs[0]),
                pair(&from.inverse_outputs[1]),
                pair(&from.inverse_outputs[2]),
                pair(&from.inverse_outputs[3]),
            ],
            nibble: one(&from.nibble),
            constant: one(&from.constant),
            shift_rows: one(&from.shift_rows),
            inverse_shift_rows: one(&from.inverse_shift_rows),
            up: one(&from.up),
            down: one(&from.down),
        }
    }
}
