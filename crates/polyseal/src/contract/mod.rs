//! The interface of an AEAD to the rest of the library.
//!
//! A family brings a [`Core`]: it seals, and it decrypts and says which tag there should have been.
//! Everything else is here, once for all of them: to compare tags and wipe what is not authentic
//! (`open`), RustCrypto's traits (`rustcrypto`), messages in pieces (`pieces`), an algorithm chosen
//! at run time (`dynamic`), and many messages at once (`batch`).
//!
//! Security: nothing that was decrypted leaves this room before its tag has been compared, in
//! constant time; what is not authentic is zeros.

pub(crate) mod batch;
mod core;
#[cfg(feature = "alloc")]
pub(crate) mod dynamic;
mod open;
pub(crate) mod pieces;
mod rustcrypto;

#[cfg(feature = "flex")]
pub(crate) use self::core::of_one_length;
pub(crate) use self::core::{Core, LongestInputs, process_one};
#[cfg(feature = "ctx")]
pub(crate) use open::is_right;
#[cfg(feature = "fips")]
pub(crate) use open::verdict;
pub(crate) use open::{open, release, verify};
pub(crate) use rustcrypto::rustcrypto;
