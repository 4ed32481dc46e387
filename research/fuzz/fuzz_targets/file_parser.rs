#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/file_parser.rs"]
mod file_parser;
#[path = "../checks/input.rs"]
mod input;

use file_parser::{File, check};

fuzz_target!(|bytes: &[u8]| check(File::from_input(bytes)));
