//! The tests of this crate, in one program: each module is one subject. What must be alone in a
//! process is a program of its own.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

mod contents;
mod contested_store;
mod layers;
mod map;
mod promises;
mod rekey;
mod signed_store;
mod store;
mod updated_store;
mod windows;
