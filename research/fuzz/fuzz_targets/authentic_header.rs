#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/authentic_header.rs"]
mod authentic_header;
#[path = "../checks/reference.rs"]
mod reference;

fuzz_target!(|bytes: &[u8]| authentic_header::check(bytes));
