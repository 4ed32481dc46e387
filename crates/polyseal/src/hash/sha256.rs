//! SHA-256's compression function (FIPS 180-4, section 6.2.2).

use core::marker::PhantomData;

use super::instruction_kernel::LaneByLane;
use super::sha2::{self, KeyWords, Sha2};
use super::vector_kernel::{self, Vectorised};
use super::{Compression, HashTask, KernelJob};
use crate::backend::hashes::{Enter, HashBackend, HashWords, Proof};

/// SHA-256.
#[derive(Clone, Copy, Debug)]
pub struct Sha256;

/// K, section 4.2.2.
#[rustfmt::skip]
static K: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5,
    0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
    0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc,
    0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
    0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3,
    0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5,
    0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
    0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

impl Sha2 for Sha256 {
    type Word = u32;
    const K: &'static [u32] = &K;
    const BIG: [[u32; 3]; 2] = [[2, 13, 22], [6, 11, 25]];
    const SMALL: [[u32; 3]; 2] = [[7, 18, 3], [17, 19, 10]];
}

impl Vectorised for Sha256 {
    type Word = u32;
    type Many<P: Proof> = P::Words32;
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    fn compress<V: HashWords<Word = u32>>(
        proof: V::Proof,
        key: &KeyWords<u32>,
        chain: [V; 8],
        block: [V; 8],
    ) -> [V; 8] {
        sha2::compress::<V, Self>(proof, key, chain, block)
    }
}

impl Compression for Sha256 {
    type Block = [u8; 32];
    type Key = KeyWords<u32>;
    const ZERO: [u8; 32] = [0; 32];
    const REDUCTION: [u8; 2] = [0x04, 0x25];

    fn key(bytes: &[u8; 32]) -> KeyWords<u32> {
        KeyWords::new::<Self>(bytes)
    }

    fn one<J: HashTask<Self>>(on: HashBackend, job: J) {
        match on.sha256() {
            Some(unit) => {
                unit.enter(KernelJob { kernel: LaneByLane::<_, 1>(unit), job, of: PhantomData });
            }
            None => vector_kernel::one(on, job),
        }
    }

    fn lanes(on: HashBackend) -> usize {
        if on.sha256().is_some() { 2 } else { vector_kernel::lanes::<Self>(on) }
    }

    fn many<J: HashTask<Self>>(on: HashBackend, job: J) {
        match on.sha256() {
            Some(unit) => {
                unit.enter(KernelJob { kernel: LaneByLane::<_, 2>(unit), job, of: PhantomData });
            }
            None => vector_kernel::many(on, job),
        }
    }
}
