#![doc = include_str!("../README.md")]
#![no_std]
#![deny(unsafe_code)]
#![warn(clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod aegis;
#[cfg(feature = "alloc")]
pub mod any;
pub(crate) mod backend;
pub mod batch;
pub mod commit;
mod composed;
mod ct;
pub mod error;
#[cfg(feature = "fips")]
pub mod fips;
pub mod flex;
pub mod gcm;
mod hash;
pub mod limits;
mod message;
pub mod needs;
pub mod omd;
mod perm;
#[cfg(feature = "getrandom")]
mod random;
#[cfg(feature = "alloc")]
pub mod random_nonce;
pub mod registry;
#[cfg(feature = "alloc")]
pub mod selftest;
mod stack;
pub(crate) mod tagged;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod testing;

pub use aead;
pub use error::{Error, Result};

/// The example of the repository's front page runs too.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct FrontPage;
