#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/text.rs"]
mod text;

fuzz_target!(|bytes: &[u8]| text::check(bytes));
