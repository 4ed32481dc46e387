#![doc = include_str!("../README.md")]
//!
//! Security claim: that of [`polyseal_file`]. Without a key, the store and its readers learn of an
//! object its path, its length, its attributes and tags, when it is used and which parts are read,
//! and nothing of its contents. An object that was altered, cut short, extended or put together of
//! several is refused, and nothing of a segment is given out before it has proven authentic. Three
//! changes are not noticed unless that is asked for: that an object was deleted, replaced by an
//! older version of itself, or swapped with another one for the same key; of these,
//! [`Binding::Path`] prevents the last.
//!
//! Sizes are those of the plaintext, everywhere. `docs/stores.md` says what each operation costs in
//! requests.
//!
//! Work: what takes longer than a fraction of a millisecond, more than 256 KiB of segments or the
//! opening of a header, runs on tokio's blocking pool; where there is no tokio runtime, in place.
//! Plaintext is given out in buffers that are wiped when their last user drops them; copies that a
//! user or an adapter makes of them are not, nor is what a user hands in to be sealed.
//!
//! With the feature `sign`: `PolysealStore::with_signatures` and `PolysealStore::with_signer`. The
//! statement about the object `KEY` is the object `KEY.sig`.
//!
//! With the feature `remote`: objects by URL, for programs that wait (see the module `remote`).
//! With `trees`: sealed trees below a prefix.
//!
//! This version is for `object_store` 0.13, which DataFusion 55 is built on. 0.14 changes the
//! trait: it gets a version of this crate when DataFusion moves to it.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test"))]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "a crate with std")]

mod bounded;
mod cache;
mod compute;
mod error;
mod fetch;
mod open;
mod part_sizes;
mod read;
#[cfg(feature = "remote")]
pub mod remote;
mod sizes;
#[cfg_attr(not(feature = "sign"), path = "no_statement.rs")]
mod statement;
mod store;
mod upload;

pub use error::{ObjectError, Replaced, file_error};
pub use store::{Binding, ListedSizes, PolysealStore};

#[cfg(doc)]
use object_store::ObjectStore;
