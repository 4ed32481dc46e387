#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/algorithm_name.rs"]
mod algorithm_name;

fuzz_target!(|text: &str| algorithm_name::check(text));
