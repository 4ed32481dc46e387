//! The tests of this crate, in one program: each module is one subject. What must be alone in a
//! process is a program of its own.

#![allow(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test, with std"
)]

#[cfg(any(feature = "keyring-tests", feature = "tpm-tests"))]
mod programs;

#[cfg(feature = "pkcs11-tests")]
mod pkcs11;
#[cfg(feature = "keyring-tests")]
mod secret_service;
#[cfg(feature = "services-tests")]
mod services;
#[cfg(feature = "tpm-tests")]
mod tpm;
