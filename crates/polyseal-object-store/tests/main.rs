//! The tests of this crate, in one program: each module is one subject. What must be alone in a
//! process is a program of its own.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

mod common;
#[cfg(feature = "s3-tests")]
mod server;

mod integration;
mod refusals;
mod requests;
#[cfg(feature = "s3-tests")]
mod s3;
#[cfg(feature = "remote")]
mod servers;
#[cfg(feature = "sign")]
mod statements;
mod uploads;
