//! One block: a word of one state, and the inverse AES rounds.

use super::super::state_lanes::StateLanes;
use super::rounds::{InverseLast, InverseMiddle, Last, Middle};
use super::{Bytes, Permuted};

const NONE: u8 = 0x80;
static TWO_BYTES_BACK: [u8; 16] = [NONE, NONE, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];
static LAST_TWO_BYTES: [u8; 16] = {
    let mut indices = [NONE; 16];
    (indices[0], indices[1]) = (14, 15);
    indices
};

impl<B: Bytes> StateLanes for Permuted<B> {
    #[inline(always)]
    fn shift_in(self, before: Self) -> Self {
        Self(self.at(&TWO_BYTES_BACK).0.xor(before.at(&LAST_TWO_BYTES).0))
    }

    #[inline(always)]
    fn aes_rounds_of<const N: usize, const M: usize>(
        x: [[Self; N]; M],
        mut round_keys: [[Self; N]; M],
    ) -> [[Self; N]; M] {
        B::call_rounds::<Middle>(x.as_flattened(), round_keys.as_flattened_mut());
        round_keys
    }

    #[inline(always)]
    fn aes_last_rounds_of<const N: usize, const M: usize>(
        x: [[Self; N]; M],
        mut round_keys: [[Self; N]; M],
    ) -> [[Self; N]; M] {
        B::call_rounds::<Last>(x.as_flattened(), round_keys.as_flattened_mut());
        round_keys
    }

    #[inline(always)]
    fn aes_inverse_rounds<const N: usize>(x: [Self; N], mut round_keys: [Self; N]) -> [Self; N] {
        B::call_rounds::<InverseMiddle>(&x, &mut round_keys);
        round_keys
    }

    #[inline(always)]
    fn aes_inverse_last_rounds<const N: usize>(
        x: [Self; N],
        mut round_keys: [Self; N],
    ) -> [Self; N] {
        B::call_rounds::<InverseLast>(&x, &mut round_keys);
        round_keys
    }
}
