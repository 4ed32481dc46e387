//! KC-XAES's commitment where the nonce is not sent with the ciphertext, so that the attacker may
//! open it with two: its cost to break.
//!
//! Under one key that the attacker knows, two nonces with one commitment take about 2^16 calls of
//! AES: this is done here, with KC-XAES itself, and one ciphertext becomes two letters. Two
//! different keys take about 2^64 (eprint 2025/758, section 5.1): this is done on toys with small
//! blocks. Where the nonce is sent, both must open with the same, and the cost is that of FOR-KC:
//! the last tables.
//!
//!     cargo run --release -p polyseal --example nonce_not_sent

mod support;

use std::hint::black_box;
use std::time::Instant;

use polyseal::aead::KeyInit;
use polyseal::gcm::Cmac;
use polyseal::limits::bounds::Amount;
use polyseal::limits::bounds::commitment::for_kc;

use support::toy::{Toy, log2_cost, slope};
use support::two_nonces::{KEY, attack};
use support::{forkc, nonces};

fn main() {
    println!("One key, two nonces with one commitment: calls of AES");
    for (nonce_bytes, expected) in [(24, 16.3), (23, 20.3), (22, 24.3)] {
        let costs: Vec<u64> =
            (1..=8).map(|k| nonces::same_commitment(&[k; 32], nonce_bytes).calls).collect();
        let mean = costs.iter().sum::<u64>() as f64 / costs.len() as f64;
        println!("  nonces of {nonce_bytes} bytes: 2^{:.1} (expected: 2^{expected})", mean.log2());
    }
    for nonce_bytes in [24, 22] {
        let nonces = nonces::same_commitment(&KEY, nonce_bytes).nonces;
        let name = format!("kc-xaes-256-gcm:nonce={nonce_bytes}");
        for (nonce, letter) in nonces.iter().zip(attack(&name, &nonces)) {
            let letter = letter.expect("both nonces open it");
            println!("\n--- KC-XAES, nonce {} ---\n{letter}", hex::encode(nonce));
        }
    }

    println!(
        "\nWith U in the second half's last block, no two nonces of a key share K_C. By CMAC's"
    );
    let [as_it_is, bound] = times();
    println!("interface a K_C takes {as_it_is:.1} ns as it is, and {bound:.1} ns with U");

    println!("\nTwo keys, two nonces, one commitment: calls of a toy cipher of n bits");
    table(&[16, 18, 20, 22, 24], 256, |toy, seed| {
        toy.two_keys_and_nonces(seed);
    });

    println!("\nThe same with U in the last block");
    table(&[16, 20, 24], 256, |toy, seed| {
        toy.two_keys_bound(seed);
    });

    println!("\nTwo keys, one nonce, one commitment (FOR-KC)");
    table(&[16, 18, 20], 8, |toy, seed| {
        forkc::two_keys(toy, seed);
    });
    println!("   n      q   measured     with U   expected   theorem 1 allows");
    for (n, q, trials) in [(8, 16, 1 << 20), (10, 64, 1 << 19), (12, 256, 1 << 17)] {
        let of = |commit| (forkc::successes(commit, n, q, trials) as f64 / trials as f64).log2();
        let (measured, with_u) = (of(Toy::commit), of(Toy::commit_bound));
        let (expected, bound) = (forkc::expected(n, q), for_kc(Amount::from(q), n).amount);
        let (expected, bound) = (expected.log2(), bound.log2());
        println!(
            "  {n:2}  {q:5}    2^{measured:.1}    2^{with_u:.1}    2^{expected:.1}   2^{bound:.1}"
        );
    }
}

/// Nanoseconds of both, in turn: the least of many slices.
fn times() -> [f64; 2] {
    let (prf, mut nonce) = (Cmac::new(&KEY.into()), [0; 24]);
    let mut least = [f64::MAX; 2];
    for _ in 0..1000 {
        for (least, commit) in least.iter_mut().zip([nonces::k_c, nonces::bound]) {
            let start = Instant::now();
            for i in 0..1000_u32 {
                nonce[..4].copy_from_slice(&i.to_le_bytes());
                black_box(commit(&prf, black_box(&nonce)));
            }
            *least = least.min(start.elapsed().as_nanos() as f64 / 1000.0);
        }
    }
    least
}

fn table(sizes: &[u32], seeds: u64, attack: impl Fn(&Toy, u64)) {
    let cost = |&n: &u32| (n, log2_cost(n, seeds, &attack));
    let points: Vec<_> = sizes.iter().map(cost).collect();
    for (n, cost) in &points {
        println!("  {n}: 2^{cost:.2}");
    }
    println!("  so it grows as 2^({:.2} n)", slope(&points));
}
