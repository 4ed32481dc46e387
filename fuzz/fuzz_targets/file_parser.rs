#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../checks/file_parser.rs"]
mod file_parser;

use file_parser::{File, check};

/// Which kind of change, and what it takes.
type Change = (u8, u16, u8, Vec<u8>);

fuzz_target!(|change: Change| {
    let (kind, at, removed, bytes) = change;
    check(match kind % 3 {
        0 => File::Anything(bytes),
        1 => File::Begun(bytes),
        _ => File::Changed { at, removed, inserted: bytes },
    });
});
