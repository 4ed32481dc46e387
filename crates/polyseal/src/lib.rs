#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![deny(unsafe_code)]
// Code that families share is there for all of them; and neither unit tests nor a build without an
// allocator make an algorithm by its name.
#![cfg_attr(
    any(
        test,
        not(feature = "alloc"),
        not(all(
            feature = "aegis",
            feature = "gcm",
            feature = "ctx",
            feature = "flex",
            feature = "omd",
            feature = "papers"
        ))
    ),
    allow(dead_code, unreachable_pub, unused_imports, unused_macros)
)]
#![warn(clippy::std_instead_of_alloc, clippy::std_instead_of_core)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(not(any(feature = "aegis", feature = "gcm", feature = "flex", feature = "omd")))]
compile_error!("polyseal needs a family of algorithms: aegis, gcm, flex or omd");

#[cfg(feature = "aegis")]
pub mod aegis;
#[cfg(feature = "alloc")]
pub mod any;
pub(crate) mod backend;
pub mod batch;
#[cfg(feature = "ctx")]
pub mod commit;
mod contract;
mod ct;
#[cfg(feature = "ctx")]
mod ctx_rows;
pub mod error;
mod family;
#[cfg(feature = "fips")]
pub mod fips;
#[cfg(feature = "flex")]
pub mod flex;
#[cfg(feature = "gcm")]
pub mod gcm;
#[cfg(feature = "omd")]
mod hash;
#[cfg(all(feature = "alloc", feature = "flex"))]
pub mod hazmat;
pub(crate) mod inner_aead;
pub mod limits;
pub mod needs;
#[cfg(all(feature = "flex", feature = "papers"))]
pub mod och;
#[cfg(feature = "omd")]
pub mod omd;
#[cfg(feature = "flex")]
mod perm;
#[cfg(any(feature = "gcm", feature = "flex"))]
mod polyval;
#[cfg(feature = "getrandom")]
mod random;
#[cfg(feature = "alloc")]
pub mod random_nonce;
pub mod registry;
#[cfg(feature = "alloc")]
pub mod selftest;
mod sizes;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod testing;

pub use aead;
pub use error::{Error, Result};
