#![doc = include_str!("../README.md")]
//!
//! Source: `docs/spec/file-format.md` in the repository; this crate is its reference.
//!
//! Security claim: without the key nobody learns more of a file than its length, suite and segment
//! size, and nobody makes an altered, shortened, lengthened, reordered or spliced file that opens.
//! The header commits to the file key whatever the suite: all who open a file get the same
//! plaintext. It does not say who wrote a file: anyone who can open it can rewrite it.
//!
//! [`encrypt`] and [`decrypt`] take bytes and give bytes. [`Encryptor`] and [`Decryptor`] work on
//! whole files, [`Reader`] reads parts of one from many threads. For other places than files, such
//! as object stores: [`Payload`] opens ranges of bytes that its user fetches, [`Sealer`] seals
//! parts, in any order and in several processes, and [`StreamSealer`] seals a stream of unknown
//! length. A header can be kept elsewhere than its payload ([`Encryptor::encrypt_detached`],
//! [`Decryptor::detached_header`]). A [`manifest`] binds the names of a whole tree to its files,
//! and to their contents by a [`Commitment`] each.
//!
//! Features, all on by default: the families of suites `aegis`, `gcm`, `ctx`, `flex` and `omd`, of
//! which there must be one; `age` for recipients and identities of age, `ssh` and `plugin` for two
//! more kinds of those, and `passphrase`. Without the latter the crate has key files. The crate
//! `rsa`, which is not in constant time, comes with `ssh`. A file of a family that is left out is
//! described, measured and rekeyed, and refused by the name of its suite ([`Error::SuiteLeftOut`]).

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
// Without a feature, the code that only it uses is dead.
#![cfg_attr(
    not(all(feature = "age", feature = "passphrase", feature = "sign")),
    allow(dead_code, unused_imports)
)]
#![cfg_attr(not(feature = "age"), allow(unreachable_pub))]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test"))]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "a crate with std")]

#[cfg(feature = "age")]
pub mod age;
mod armor;
mod batch;
mod class;
mod commitment;
mod error;
mod header;
#[cfg(any(unix, windows))]
mod holes;
#[cfg(any(unix, windows))]
mod input_file;
mod inspect;
mod kdf;
mod key;
mod layout;
pub mod manifest;
mod one_shot;
mod opener;
mod outline;
mod passphrase;
mod payload;
mod payload_cipher;
mod pipeline;
#[cfg(any(unix, windows))]
mod positioned;
mod programs;
mod read_at;
mod reader;
mod recipients;
mod run_options;
mod sealer;
mod secret_text;
mod segment;
mod stanza;
pub mod statement;
mod suite;
mod version;
mod whole_file;

pub use armor::{ArmorReader, ArmorWriter};
pub use class::{Class, io_hint, reason};
pub use commitment::{COMMITMENT_BYTES, Commitment, PayloadRoot, stored_payload};
pub use error::{Error, HeaderError, KeyFileError, Result};
pub use header::{
    AuthenticHeader, ExistingRecipients, Header, MAGIC, MAX_HEADER_BYTES, MAX_RECIPIENTS,
    MIN_HEADER_BYTES, VERSION,
};
pub use inspect::{AnyInspection, FormatInspection, Inspection, PayloadInfo, StanzaInfo};
pub use key::{KEY_BYTES, Key, is_wrapped_key, key_file_lines, looks_random};
pub use layout::{
    DEFAULT_SEGMENT_BYTES, MAX_SEGMENT_BYTES, MAX_SEGMENTS, MIN_SEGMENT_BYTES, SegmentSize,
};
pub use one_shot::{decrypt, encrypt};
pub use opener::{Answer, ByteRange, OpenedFile, Opener, Step};
pub use outline::Outline;
pub use passphrase::{Context, Passphrase};
pub use payload::{Payload, PayloadHead, StoredLength};
pub use pipeline::{Input, Output};
pub use programs::find_program;
pub use read_at::ReadAt;
pub use reader::Reader;
pub use recipients::{Identities, Recipients};
pub use run_options::RunOptions;
pub use sealer::{Piece, Sealer, SourceVersion, StreamSealer};
pub use secret_text::SecretText;
pub use suite::{DEFAULT_SUITE, PORTABLE_SUITE, Suite};
pub use version::Version;
pub use whole_file::{Decryptor, Encryptor, Summary};
