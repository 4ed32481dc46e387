//! One ciphertext under one key, with two nonces, where the nonce is not sent beside it.
//!
//! KC-XAES's commitment is AES_K(X1 ⊕ (V ‖ c4) ⊕ K1) ‖ AES_K(X1 ⊕ (V ‖ c5) ⊕ K1), with X1 =
//! AES_K("XCMT" ‖ U). An attacker who knows K and chooses the nonces has the same for (U, V) and
//! (U', V') if X1 ⊕ X1' = (V ⊕ V') ‖ 0000. V' is free, so only the last four bytes of X1 must be
//! the same: a collision on 32 bits. In a nonce of b < 24 bytes, V begins with the last 24 − b
//! bytes of U. If those are the same in all U, X1 must be the same in its first 24 − b bytes, too.
//!
//! `bound` is a commitment without such pairs, which is ours: the second half's last block has U ⊕
//! V where the first has V. With K, both halves decrypt, their difference gives U and then V: so no
//! two nonces of one key share it. It is CMAC twice, as K_C is, with as many calls of AES.

use std::collections::HashMap;

use aes::Aes256;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use polyseal::gcm::{Aes256 as Aes, Cmac};

/// Two nonces of one commitment.
pub(crate) struct SameCommitment {
    pub(crate) nonces: [Vec<u8>; 2],
    /// How often AES was computed.
    pub(crate) calls: u64,
}

/// Nonces of `nonce_bytes` that have the same commitment under `key`.
pub(crate) fn same_commitment(key: &[u8; 32], nonce_bytes: usize) -> SameCommitment {
    let aes = Aes256::new(key.into());
    let shared = 24 - nonce_bytes;
    let x1 = |counter: u64| {
        let mut block = *b"XCMT\0\0\0\0\0\0\0\0\0\0\0\0";
        block[4..12].copy_from_slice(&counter.to_le_bytes());
        let mut block = block.into();
        aes.encrypt_block(&mut block);
        <[u8; 16]>::from(block)
    };
    let mut seen = HashMap::new();
    for counter in 0_u64.. {
        let x = x1(counter);
        let mut must_agree = [0; 8];
        must_agree[..4].copy_from_slice(&x[12..]);
        must_agree[4..4 + shared].copy_from_slice(&x[..shared]);
        let Some(earlier) = seen.insert(u64::from_le_bytes(must_agree), counter) else {
            continue;
        };
        let y = x1(earlier);
        // The shared bytes of V are U's last, which are zero, as V's others are.
        let difference: Vec<u8> = (0..12).map(|i| x[i] ^ y[i]).collect();
        let nonce =
            |counter: u64, v: &[u8]| [&counter.to_le_bytes()[..], &[0; 4], &v[shared..]].concat();
        let nonces = [nonce(earlier, &[0; 12]), nonce(counter, &difference)];
        return SameCommitment { nonces, calls: counter + 2 };
    }
    unreachable!("more counters than values")
}

/// K_C of a nonce of 24 bytes.
pub(crate) fn k_c(prf: &Cmac<Aes>, nonce: &[u8; 24]) -> [[u8; 16]; 2] {
    [[0, 1, 0, 1], [0, 1, 0, 2]].map(|c| prf.mac(&[b"XCMT", &nonce[..], &c].concat()))
}

/// The same with U in the second half's last block.
pub(crate) fn bound(prf: &Cmac<Aes>, nonce: &[u8; 24]) -> [[u8; 16]; 2] {
    let (u, v) = nonce.split_at(12);
    let both: Vec<u8> = u.iter().zip(v).map(|(u, v)| u ^ v).collect();
    [
        prf.mac(&[b"XCMT", u, v, &[0, 1, 0, 1]].concat()),
        prf.mac(&[b"XCMT", u, &both, &[0, 1, 0, 2]].concat()),
    ]
}
