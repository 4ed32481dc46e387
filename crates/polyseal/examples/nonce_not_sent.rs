//! What KC-XAES's commitment is worth where the nonce is not sent with the ciphertext, so that the
//! attacker may open it with two.
//!
//! Under one key that the attacker knows, two nonces with one commitment take about 2^16 calls of
//! AES: this is done here, with KC-XAES itself, and one ciphertext becomes two letters. Two
//! different keys take about 2^64 (eprint 2025/758, section 5.1): this is done on toys with small
//! blocks. Where the nonce is sent, both must open with the same, and the cost is that of FOR-KC:
//! the last tables.
//!
//!     cargo run --release -p polyseal --example nonce_not_sent

mod support;

use polyseal::limits::bounds::Amount;
use polyseal::limits::bounds::commitment::for_kc;

use support::toy::{Toy, log2_cost, slope};
use support::two_nonces::{KEY, attack};
use support::{forkc, nonces};

fn main() {
    println!("One key, two nonces with one commitment: calls of AES");
    for (nonce_bytes, expected) in [(24, 16.3), (23, 20.3)] {
        let costs: Vec<u64> =
            (1..=8).map(|k| nonces::same_commitment(&[k; 32], nonce_bytes).calls).collect();
        let mean = costs.iter().sum::<u64>() as f64 / costs.len() as f64;
        println!("  nonces of {nonce_bytes} bytes: 2^{:.1} (expected: 2^{expected})", mean.log2());
    }
    let nonces = nonces::same_commitment(&KEY, 24).nonces;
    for (nonce, letter) in nonces.iter().zip(attack("kc-xaes-256-gcm", &nonces)) {
        let letter = letter.expect("both nonces open it");
        println!("\n--- KC-XAES, nonce {} ---\n{letter}", hex::encode(nonce));
    }

    println!("\nTwo keys, two nonces, one commitment: calls of a toy cipher of n bits");
    table(&[16, 18, 20, 22, 24], 256, |toy, seed| {
        toy.two_keys_and_nonces(seed);
    });

    println!("\nTwo keys, one nonce, one commitment (FOR-KC)");
    table(&[16, 18, 20], 8, |toy, seed| {
        forkc::two_keys(toy, seed);
    });
    println!("   n      q   measured   expected   theorem 1 allows");
    for (n, q, trials) in [(8, 16, 1 << 20), (10, 64, 1 << 19), (12, 256, 1 << 17)] {
        let measured = forkc::successes(n, q, trials) as f64 / trials as f64;
        let (expected, bound) = (forkc::expected(n, q), for_kc(Amount::from(q), n).amount);
        let (measured, expected) = (measured.log2(), expected.log2());
        println!("  {n:2}  {q:5}    2^{measured:.1}    2^{expected:.1}   2^{:.1}", bound.log2());
    }
}

fn table(sizes: &[u32], seeds: u64, attack: impl Fn(&Toy, u64)) {
    let cost = |&n: &u32| (n, log2_cost(n, seeds, &attack));
    let points: Vec<_> = sizes.iter().map(cost).collect();
    for (n, cost) in &points {
        println!("  {n}: 2^{cost:.2}");
    }
    println!("  so it grows as 2^({:.2} n)", slope(&points));
}
