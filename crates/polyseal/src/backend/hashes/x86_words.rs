//! The common part of vectors of words, whatever the width of x86-64's registers.

/// The order of bytes that mirrors each 32-bit word, for 16 bytes.
pub(super) const BYTES_OF_32: [i64; 2] = [0x0405_0607_0001_0203, 0x0c0d_0e0f_0809_0a0b];
/// The same for 64-bit words.
pub(super) const BYTES_OF_64: [i64; 2] = [0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f];

/// Functions on a register, whose instructions `$proof` is the proof of. `$join` makes of two
/// registers one of the first halves and one of the second halves, in each 256 bits.
macro_rules! register {
    (
        $proof:ty, $vector:ty, load $load:ident, store $store:ident, broadcast $broadcast:ident,
        shuffle $shuffle:ident, unpack_32 [$low_32:ident, $high_32:ident],
        unpack_64 [$low_64:ident, $high_64:ident], join $join:ident
    ) => {
        #[inline(always)]
        fn swap(_: $proof, x: $vector, [low, high]: [i64; 2]) -> $vector {
            // SAFETY: the proof of these instructions is an argument.
            unsafe { $shuffle(x, $broadcast(_mm_set_epi64x(high, low))) }
        }

        #[inline(always)]
        fn load(_: $proof, source: &[u8]) -> $vector {
            assert!(source.len() == size_of::<$vector>());
            // SAFETY: the proof of these instructions is an argument; the slice has a register's
            // bytes.
            unsafe { $load(source.as_ptr().cast()) }
        }

        #[inline(always)]
        fn store(_: $proof, x: $vector, target: &mut [u8]) {
            assert!(target.len() == size_of::<$vector>());
            // SAFETY: the proof of these instructions is an argument; the slice has a register's
            // bytes.
            unsafe { $store(target.as_mut_ptr().cast(), x) }
        }

        /// The 4×4 matrix of 64-bit words in each 256 bits of the rows, mirrored: its own inverse.
        #[inline(always)]
        fn transpose_4(proof: $proof, [a, b, c, d]: [$vector; 4]) -> [$vector; 4] {
            // SAFETY: the proof of these instructions is an argument.
            let (ab0, ab1) = unsafe { ($low_64(a, b), $high_64(a, b)) };
            // SAFETY: the proof of these instructions is an argument.
            let (cd0, cd1) = unsafe { ($low_64(c, d), $high_64(c, d)) };
            let ([a, c], [b, d]) = ($join(proof, ab0, cd0), $join(proof, ab1, cd1));
            [a, b, c, d]
        }

        /// The 8×8 matrix of 32-bit words in each 256 bits of the rows, mirrored: its own inverse.
        #[inline(always)]
        fn transpose_32(proof: $proof, rows: [$vector; 8]) -> [$vector; 8] {
            let (mut even, mut odd) = ([rows[0]; 4], [rows[0]; 4]);
            for i in 0..4 {
                // SAFETY: the proof of these instructions is an argument.
                unsafe {
                    even[i] = $low_32(rows[2 * i], rows[2 * i + 1]);
                    odd[i] = $high_32(rows[2 * i], rows[2 * i + 1]);
                }
            }
            // Pairs of words of one column are now 64-bit words.
            let [a, b, e, f] = transpose_4(proof, even);
            let [c, d, g, h] = transpose_4(proof, odd);
            [a, b, c, d, e, f, g, h]
        }
    };
}
pub(super) use register;

/// A vector of words, whose instructions `$proof` is the proof of. `$load` and `$store` are of row
/// `i` of those that `$transpose` makes vectors of; `$operations` are those of
/// [`Lanewise`](super::contract::Lanewise) that differ.
macro_rules! words {
    (
        $(#[$doc:meta])* $name:ident($vector:ty, $proof:ty) of $word:ty, order $order:ident,
        load $load:ident, store $store:ident, transpose $transpose:ident, splat $splat:ident,
        add $add:ident, xor $xor:ident, and $and:ident; $($operations:tt)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name($vector, $proof);

        impl HashWords for $name {
            type Proof = $proof;
            type Word = $word;

            const LANES: usize = size_of::<$vector>() / size_of::<$word>();

            #[inline(always)]
            fn splat(proof: $proof, word: $word) -> Self {
                // SAFETY: `proof` is that of these instructions.
                Self(unsafe { $splat(word.cast_signed()) }, proof)
            }

            #[inline(always)]
            fn load(big: bool, proof: $proof, source: &[u8]) -> [Self; 8] {
                assert!(source.len() == 8 * size_of::<$vector>());
                let mut rows = [Self::splat(proof, 0).0; 8];
                for i in 0..8 {
                    rows[i] = $load(proof, source, i);
                    if big {
                        rows[i] = swap(proof, rows[i], $order);
                    }
                }
                $transpose(proof, rows).map(|x| Self(x, proof))
            }

            #[inline(always)]
            fn store(big: bool, x: [Self; 8], target: &mut [u8]) {
                assert!(target.len() == 8 * size_of::<$vector>());
                let proof = x[0].1;
                let rows = $transpose(proof, x.map(|x| x.0));
                for i in 0..8 {
                    let row = if big { swap(proof, rows[i], $order) } else { rows[i] };
                    $store(proof, row, target, i);
                }
            }
        }

        impl Lanewise for $name {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: a vector holds the proof of these instructions.
                Self(unsafe { $add(self.0, other.0) }, self.1)
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: a vector holds the proof of these instructions.
                Self(unsafe { $xor(self.0, other.0) }, self.1)
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                // SAFETY: a vector holds the proof of these instructions.
                Self(unsafe { $and(self.0, other.0) }, self.1)
            }

            $($operations)*
        }
    };
}
pub(super) use words;
