#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/flex_configuration.rs"]
mod flex_configuration;
#[path = "../checks/input.rs"]
mod input;

use flex_configuration::{Case, check};

fuzz_target!(|bytes: &[u8]| check(&Case::from_input(bytes)));
