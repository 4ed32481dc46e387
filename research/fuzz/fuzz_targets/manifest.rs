#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/manifest.rs"]
mod manifest;

fuzz_target!(|bytes: &[u8]| manifest::check(bytes));
