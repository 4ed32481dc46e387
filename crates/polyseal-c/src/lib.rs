//! Polyseal for C: what `include/polyseal.h` declares.
//!
//! Each module is a section of the header, and its documentation comments are the header's text:
//! `tests/header/main.rs` writes the one from the other. The algorithms' functions come from one
//! list, [`algorithms`].
//!
//! These misuses by C are checked (`ffi.rs`): a null pointer where there are bytes is an error; a
//! buffer that an input lies in, but does not begin with, is one; a length that does not fit the
//! algorithm is one, where C says the length. A panic ends in `ffi.rs`, as `POLYSEAL_ERR_DEFECT`.
//! The rest is C's to keep: that a pointer leads to as many bytes as are said or as the function's
//! name implies, that handles are live and freed once, and that nobody writes to a buffer while a
//! call has it.
//!
//! `unsafe` stands where C calls Rust: a function reads its pointers once, and goes on with slices
//! and references.

#![deny(unsafe_op_in_unsafe_fn)]
#![allow(clippy::missing_safety_doc, reason = "the head of the crate says it for all of them")]
#![allow(non_camel_case_types, reason = "the types have the names that C gives them")]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test"))]

pub mod aead;
pub mod algorithms;
pub mod batch;
pub mod decryptor;
pub mod encryptor;
pub mod error;
mod ffi;
#[cfg(feature = "file")]
mod file_error;
#[cfg(all(feature = "file", any(unix, windows)))]
pub mod files;
#[cfg(feature = "flex")]
pub mod hazmat;
#[cfg(feature = "file")]
mod input;
#[cfg(feature = "file")]
pub mod inspect;
#[cfg(feature = "kms")]
mod kms;
#[cfg(all(feature = "file", not(feature = "kms")))]
#[path = "kms_stub.rs"]
mod kms;
pub mod library;
pub mod mac;
mod one_shot;
#[cfg(feature = "file")]
pub mod options;
mod pieces;
mod prepared;
#[cfg(feature = "file")]
pub mod reader;
#[cfg(feature = "file")]
pub mod rekey;
