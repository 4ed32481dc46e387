//! One ciphertext that two keys open, to two letters of the attacker's choice; and the schemes that
//! refuse it.
//!
//! GCM does not commit to its key, nor does XAES, whose derived keys are GCM's. The attacker
//! chooses both keys, so this is no attack on secrecy: it is one on people who believe that two
//! recipients who open one ciphertext have the same message.
//!
//!     cargo run --release -p polyseal --example two_keys_one_ciphertext

mod support;

use support::schemes::{COMMITTING, OPEN};
use support::two_keys::attack;

fn main() {
    for (i, name) in OPEN.iter().enumerate() {
        let outcome = attack(name);
        assert!(outcome.letters.iter().all(Result::is_ok), "{name}: {:?}", outcome.letters);
        println!("{name}: {} bytes, opened by either key.", outcome.ciphertext_bytes);
        if i == 0 {
            for (number, letter) in (1..).zip(&outcome.letters) {
                let letter = letter.as_ref().expect("opened");
                println!("\n--- with key {number} ---\n{letter}");
            }
            println!("\nAnd so for the others:\n");
        }
    }
    println!();
    for name in COMMITTING {
        match attack(name).letters {
            [Ok(_), Err(error)] => println!("{name}: opened by key 1; by key 2: {error}"),
            letters => println!("{name}: NOT REFUSED: {letters:?}"),
        }
    }
}
