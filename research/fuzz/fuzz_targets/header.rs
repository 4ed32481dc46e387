#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/header.rs"]
mod header;

fuzz_target!(|bytes: &[u8]| header::check(bytes));
