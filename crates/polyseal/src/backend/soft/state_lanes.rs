//! One block, portable: a word of one state, and the inverse AES rounds.

use super::super::state_lanes::StateLanes;
use super::{Block, bitslice};

impl StateLanes for Block {
    #[inline(always)]
    fn shift_in(self, before: Self) -> Self {
        Self(self.0 << 16 | before.0 >> 112)
    }

    #[inline(always)]
    fn aes_rounds_of<const N: usize, const M: usize>(
        x: [[Self; N]; M],
        mut round_keys: [[Self; N]; M],
    ) -> [[Self; N]; M] {
        let out = round_keys.as_flattened_mut();
        Self::bitsliced(x.as_flattened(), out, bitslice::aes_rounds_without_key);
        round_keys
    }

    #[inline(always)]
    fn aes_last_rounds_of<const N: usize, const M: usize>(
        x: [[Self; N]; M],
        mut round_keys: [[Self; N]; M],
    ) -> [[Self; N]; M] {
        let out = round_keys.as_flattened_mut();
        Self::bitsliced(x.as_flattened(), out, bitslice::aes_last_rounds_without_key);
        round_keys
    }

    #[inline(always)]
    fn aes_inverse_rounds<const N: usize>(x: [Self; N], mut round_keys: [Self; N]) -> [Self; N] {
        Self::bitsliced(&x, &mut round_keys, bitslice::aes_inverse_rounds_without_key);
        round_keys
    }

    #[inline(always)]
    fn aes_inverse_last_rounds<const N: usize>(
        x: [Self; N],
        mut round_keys: [Self; N],
    ) -> [Self; N] {
        Self::bitsliced(&x, &mut round_keys, bitslice::aes_inverse_last_rounds_without_key);
        round_keys
    }
}
