//! Why KC-XAES's nonce length belongs to its key.
//!
//! A nonce N of 20 bytes and N' = N[0:12] ‖ N[8:20] of 24 have the same U and V, hence the same
//! derived key and GCM nonce. Only the commitment tells them apart, and it hides nothing: where one
//! key takes both lengths, two messages may share their key stream. Here the length is part of the
//! type, and of the algorithm's name, and one cannot be used as the other.
//!
//!     cargo run --release -p polyseal --example nonce_lengths

mod support;

use support::nonce_lengths::{nonces, open, seal};

fn main() {
    let (short, long) = nonces();
    println!("N  = {}\nN' = {}\n", hex::encode(short), hex::encode(long));

    let (message, other) = (b"Meet me at noon.", b"Do not trust him");
    let sealed = seal(&short, message);
    for (name, sealed) in [("N ", &sealed), ("N'", &seal(&long, message))] {
        println!("{name}: C   = {}", hex::encode(&sealed[..16]));
        println!("    T   = {}", hex::encode(&sealed[16..32]));
        println!("    K_C = {}", hex::encode(&sealed[32..]));
    }

    println!("\nTwo messages, one with each nonce:");
    println!("  C ⊕ C' = {}", xor(&sealed, &seal(&long, other)));
    println!("  P ⊕ P' = {}", xor(message, other));

    println!("\nWhat was sealed with N, opened with N':");
    match open(&long, &sealed) {
        Ok(_) => println!("  NOT REFUSED"),
        Err(error) => println!("  refused: {error}"),
    }
}

/// The exclusive-or of the first blocks.
fn xor(a: &[u8], b: &[u8]) -> String {
    hex::encode(a.iter().zip(b).map(|(a, b)| a ^ b).take(16).collect::<Vec<_>>())
}
