#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/age_file.rs"]
mod age_file;

fuzz_target!(|bytes: &[u8]| age_file::check(bytes));
