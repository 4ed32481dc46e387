//! aarch64 with the AES instructions: one AES block in a register.

mod clmul;
mod state_lanes;
mod words;

use core::arch::aarch64::{
    uint8x16_t, vaeseq_u8, vaesmcq_u8, vandq_u8, vdupq_n_u8, veorq_u8, vld1q_u8, vst1q_u8,
};

use super::KeyedTask;
use super::cpu::Neon;
use super::lanes::{Isa, Lanes, Wide, mask_bytes};
use super::partial;

impl Isa for Neon {
    type X1 = Q;
    type X2 = Wide<Q, 2>;
    type X4 = Wide<Q, 4>;
    type Register = Q;
    type Words = words::Q;

    const REGISTER_BLOCKS: usize = 1;
    const REGISTERS: usize = 32;

    #[inline(always)]
    fn enter<K, N, T>(self, key: K, nonce: N, task: T) -> T::Output
    where
        T: KeyedTask<K, N>,
    {
        // SAFETY: `self` is the proof of the target features.
        unsafe { entry(self, key, nonce, task) }
    }
}

/// # Safety
/// The CPU must have the target features; `isa` is the proof.
#[target_feature(enable = "neon,aes")]
#[inline(never)]
pub(super) unsafe fn entry<K, N, T>(isa: Neon, key: K, nonce: N, task: T) -> T::Output
where
    T: KeyedTask<K, N>,
{
    task.run_keyed(isa, key, nonce)
}

/// One AES block, with the proof that the CPU has Advanced SIMD and AES.
#[derive(Clone, Copy)]
pub struct Q(uint8x16_t, Neon);

impl Lanes for Q {
    type Isa = Neon;
    type X1 = Self;

    const BLOCKS: usize = 1;

    #[inline(always)]
    fn load(isa: Neon, source: &[u8]) -> Self {
        assert!(source.len() == 16);
        // SAFETY: `isa` is the proof of Advanced SIMD; the slice has 16 bytes.
        Self(unsafe { vld1q_u8(source.as_ptr()) }, isa)
    }

    #[inline(always)]
    fn load_partial(isa: Neon, source: &[u8]) -> Self {
        Self::load(isa, &partial::load(source).to_le_bytes())
    }

    #[inline(always)]
    fn broadcast(isa: Neon, block: &[u8]) -> Self {
        Self::load(isa, block)
    }

    #[inline(always)]
    fn store(self, target: &mut [u8]) {
        assert!(target.len() == 16);
        // SAFETY: `self` holds the proof of Advanced SIMD; the slice has 16 bytes.
        unsafe { vst1q_u8(target.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn store_partial(self, target: &mut [u8]) {
        let mut block = [0; 16];
        self.store(&mut block);
        partial::store(u128::from_le_bytes(block), target);
    }

    #[inline(always)]
    fn truncate(self, bytes: usize) -> Self {
        self.and(Self::load(self.1, mask_bytes(bytes, 16)))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `self` holds the proof of Advanced SIMD.
        Self(unsafe { veorq_u8(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: `self` holds the proof of Advanced SIMD.
        Self(unsafe { vandq_u8(self.0, other.0) }, self.1)
    }

    #[inline(always)]
    fn first_block(self) -> Self {
        self
    }

    #[inline(always)]
    fn xor_blocks(self) -> Self {
        self
    }

    // The lint looks at this function alone. It never stands alone: with it, the intrinsics are
    // inlined into `entry`, which has their features.
    #[allow(inline_always_mismatching_target_features)]
    #[inline(always)]
    fn aes_rounds<const N: usize>(mut x: [Self; N], round_keys: [Self; N]) -> [Self; N] {
        for i in 0..N {
            // AESE adds its key before SubBytes; a key of zero leaves the AES round's order.
            // SAFETY: a vector holds the proof of Advanced SIMD and AES.
            x[i].0 =
                unsafe { veorq_u8(vaesmcq_u8(vaeseq_u8(x[i].0, vdupq_n_u8(0))), round_keys[i].0) };
        }
        x
    }
}
