#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/aead_differential.rs"]
mod aead_differential;

use aead_differential::{Message, check};

type Choices = (u8, u8, u8, u16);
type Inputs = ([u8; 64], [u8; 32], Vec<u8>, Vec<u8>, Vec<u8>);

fuzz_target!(|drawn: (Choices, Inputs)| {
    let ((family, tag, parameter, flip), (key, nonce, ad, message, cuts)) = drawn;
    check(&Message { family, tag, parameter, key, nonce, ad, message, cuts, flip });
});
