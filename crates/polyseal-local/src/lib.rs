#![doc = include_str!("../README.md")]
//!
//! This is what the tool `polyseal` and the libraries for Python and C do with files: replace them
//! safely ([`NewFile`]), work on whole trees ([`TreeSealer`], [`SealedTree`]) and many files, and
//! give them other recipients ([`Rekey`]). It asks nobody anything and prints nothing: a
//! failure is an [`Error`], and a [`Progress`] is told how far the work is.
//!
//! The rules, each of which SECURITY.md promises:
//!
//! - A name is resolved once, to a directory's handle and a last name ([`Place`]). Everything that
//!   is done to the file goes by these.
//! - An output appears complete or not at all. The file that it replaces stays until then.
//! - A new file is for its owner alone. One that replaces another may be read by nobody who could
//!   not read that.
//! - A file that is replaced after it was read is locked, and has not changed since
//!   ([`LockedFile`]).
//! - In a tree, no link is followed.
//! - A run does not replace its own outputs ([`Written`]).
//!
//! Limits: Unix and Windows. A port to another system is a folder in `platform`; on Windows it
//! calls the system, and is the only place with `unsafe`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(windows), forbid(unsafe_code))]
#![deny(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test"))]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "a crate with std")]

mod class;
mod error;
mod files;
mod forbidden;
pub mod leftovers;
mod locked;
mod many;
mod new_file;
mod options;
mod outputs;
#[cfg(feature = "patterns")]
mod patterns;
mod place;
mod plaintexts;
mod platform;
mod printable;
mod progress;
mod rekey;
pub mod secrets;
mod testing;
mod tree;
mod watch;
mod written;

pub use class::path_hint;
pub use error::{BackupProblem, Error, Problem, Result, UnsupportedByAge};
pub use files::{decrypt_file, encrypt_file, verify_file};
pub use forbidden::Forbidden;
pub use locked::LockedFile;
pub use many::{FileOutcome, NameList, OnFile, Total, in_order};
pub use new_file::NewFile;
pub use options::{Options, cores};
pub use outputs::{AGE_SUFFIX, FileTarget, Outputs, with_suffix, without_suffix};
#[cfg(feature = "patterns")]
pub use patterns::{BadPattern, PathChoice, Patterns};
pub use place::Place;
pub use plaintexts::{
    ShownEntry, ShownNames, ShownPlaintexts, alone, is_hidden, short_name, shown_names,
};
pub use platform::{
    Directory, EntryKind, FileId, SpecialFile, beneath, components, take_wider_modes,
};
pub use printable::{Printable, fit_text, misleads, shown};
pub use progress::{Notice, Progress};
pub use rekey::{
    DetachedHeader, NewRecipients, Rekey, RekeyMode, RekeyPlan, RekeyTarget, RekeyedCheck,
    RekeyedFile, Trust, expect_not_interrupted, was_interrupted,
};
pub use tree::{
    FileCoverage, KnownBy, NewStoredFile, NewTree, OverwriteRule, SUFFIX, SealedTree, SignedTree,
    StatementAcceptor, StatementSigner, Store, StoredFile, TreeFile, TreeSealer, TreeUpdater,
    UpdateRules, VersionCheck, stored_name,
};
pub use written::Written;
