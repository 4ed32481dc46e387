#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/aead_differential.rs"]
mod aead_differential;
#[path = "../checks/input.rs"]
mod input;

use aead_differential::{Message, check};

fuzz_target!(|bytes: &[u8]| check(&Message::from_input(bytes)));
