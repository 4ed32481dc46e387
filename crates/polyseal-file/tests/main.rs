//! The tests of this crate, in one program: each module is one subject. What must be alone in a
//! process is a program of its own.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

mod common;

mod age_files;
mod age_keys;
mod age_tag;
mod age_testkit;
mod backend;
mod choices;
mod conformance;
mod fuzzed;
mod header;
mod holes;
mod input_files;
mod manifest;
mod manipulation;
mod panics;
mod parts;
mod payload;
mod round_trip;
#[cfg(feature = "sign")]
mod statements;
mod stream;
mod ticket;
