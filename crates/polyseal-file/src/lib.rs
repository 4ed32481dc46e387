//! Polyseal's encrypted-file format, version 0 (provisional), and the pipeline that reads and
//! writes it on all cores.
//!
//! Source: `docs/spec/file-format.md` in the repository; this crate is its reference.
//!
//! Security claim: without the key nobody learns more of a file than its length, suite and
//! segment size, and nobody makes an altered, shortened, lengthened, reordered or spliced file
//! that opens. The header commits to the key whatever the suite: two keys never open one file.
//! It does not say who wrote a file: whoever can open it can rewrite it.
//!
//! ```
//! use polyseal_file::{Decryptor, Encryptor, Input, Key, Output};
//!
//! let key = Key::generate()?;
//! let (mut message, mut sealed, mut opened) = (&b"attack at dawn"[..], Vec::new(), Vec::new());
//! Encryptor::new(&key).encrypt(Input::Stream(&mut message), Output::Stream(&mut sealed))?;
//! Decryptor::new(&key).decrypt(Input::Stream(&mut &sealed[..]), Output::Stream(&mut opened))?;
//! assert_eq!(opened, b"attack at dawn");
//! # Ok::<(), polyseal_file::Error>(())
//! ```

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test"))]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "a crate with std")]

mod batch;
mod crypt;
mod error;
mod header;
mod inspect;
mod kdf;
mod key;
mod layout;
mod pipeline;
#[cfg(unix)]
mod positioned;
mod segment;
mod stanza;
mod suite;

pub use crypt::{Decryptor, Encryptor, Summary};
pub use error::{Error, HeaderError, KeyFileError, Result};
pub use header::{HEADER_BYTES, Header, MAGIC, VERSION};
pub use inspect::{Inspection, Payload, StanzaInfo};
pub use key::{KEY_BYTES, Key};
pub use layout::{
    DEFAULT_SEGMENT_BYTES, MAX_SEGMENT_BYTES, MAX_SEGMENTS, MIN_SEGMENT_BYTES, SegmentSize,
};
pub use pipeline::{Input, Output};
pub use suite::{DEFAULT_SUITE, Suite};
