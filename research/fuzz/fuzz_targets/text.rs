#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/reference.rs"]
mod reference;
#[path = "../checks/text.rs"]
mod text;

fuzz_target!(|bytes: &[u8]| text::check(bytes));
