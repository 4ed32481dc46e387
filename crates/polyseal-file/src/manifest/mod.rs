//! The manifest of an encrypted tree: which names it has, and which file belongs to each.
//!
//! Source: `docs/spec/manifest.md`, version 3; version 2 is read, too. A manifest is the plaintext
//! of an ordinary encrypted file, and authentic for everyone who can open that. [`Writer`] and
//! [`Reader`] take one entry at a time, in order: their memory does not grow with the tree. Neither
//! touches a file system.
//!
//! Version 1 bound each name to a file salt alone: anyone who can open *one* file of such a tree
//! can put other contents under it. It is read only by [`Reader::with_unbound_contents`].
//!
//! Limits: only who knows the number of a newer manifest notices that a whole tree is not the
//! newest one. A reader yields entries before it has seen the end: who must not act on a part reads
//! it to its end first.
//!
//! ```
//! use polyseal_file::manifest::{
//!     Entry, FileBinding, Kind, Lineage, NO_STAMP, Reader, State, Timestamp, Writer,
//! };
//! use polyseal_file::{Commitment, PayloadRoot};
//!
//! let modified = Timestamp { seconds: 1_700_000_000, nanoseconds: 0 };
//! // As `Summary::commitment` has it when the file is encrypted.
//! let payload_root = PayloadRoot::Tree([9; 32]);
//! let commitment = Commitment { file_salt: [7; 32], key: [8; 32], payload_root };
//! let bound = FileBinding::Contents(commitment);
//! let kind = Kind::File { plaintext_bytes: 14, bound, stamp: NO_STAMP };
//! let (path, state) = (b"notes.txt".to_vec(), State::New);
//! let mut writer = Writer::new(Vec::new(), &Lineage::FIRST)?;
//! writer.push(&Entry { path, state, mode: 0o644, modified, kind })?;
//! let manifest = writer.finish()?;
//!
//! let entries = Reader::new(&manifest[..])?.collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(entries[0].path, b"notes.txt");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod entry;
mod error;
mod order;
mod reader;
mod writer;

pub use self::entry::{
    Entry, FileBinding, Kind, NO_STAMP, Reason, STAMP_BYTES, Stamp, State, Timestamp,
};
pub use self::error::{Error, Problem};
pub(crate) use self::order::is_path;
pub use self::order::{compare, stays_inside};
pub use self::reader::Reader;
pub use self::writer::Writer;

use crate::commitment::{COMMITMENT_BYTES, Commitment, PayloadRoot};
use crate::passphrase::Context;

/// How a manifest begins.
const MAGIC: &[u8; 18] = b"polyseal-manifest\n";
const VERSION: u16 = 3;
/// That whose payload roots are over lists of leaves.
const LISTED_VERSION: u16 = 2;
/// That which binds no contents.
const UNBOUND_VERSION: u16 = 1;
const FILE: u8 = b'f';
const DIRECTORY: u8 = b'd';
const LINK: u8 = b'l';
const ABSENT: u8 = b'x';
const END: u8 = b'e';

/// The context that the encrypted manifest is bound to, of a tree whose files are bound to `files`.
/// Without it, anyone who can open one file of a tree could write a manifest under its header, and
/// anyone who gives a file to be encrypted could have it taken for one.
///
/// # Errors
/// [`Error::Context`](crate::Error::Context) if it would be too long.
pub fn context(files: Option<&Context>) -> crate::Result<Context> {
    context_of(VERSION, files)
}

/// The same of version 2.
///
/// # Errors
/// As [`context`].
pub fn context_of_version_2(files: Option<&Context>) -> crate::Result<Context> {
    context_of(LISTED_VERSION, files)
}

fn context_of(version: u16, files: Option<&Context>) -> crate::Result<Context> {
    let mut context = format!("polyseal-manifest/{version}").into_bytes();
    if let Some(files) = files {
        context.push(b':');
        context.extend(files.bytes());
    }
    Context::new(context)
}

/// Which manifest of a tree it is, and which was before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lineage {
    /// 1 for the first, and then one more each time.
    pub number: u64,
    /// The encrypted manifest before, if there was one and it could be read.
    pub previous: Option<Commitment>,
}

impl Lineage {
    /// That of the first manifest.
    pub const FIRST: Self = Self { number: 1, previous: None };

    /// That of the manifest after the encrypted one of `number` and `commitment`.
    #[must_use]
    pub fn after(number: u64, commitment: Commitment) -> Self {
        Self { number: number.saturating_add(1), previous: Some(commitment) }
    }

    /// Whether this manifest comes directly after the encrypted one of `number` and `commitment`.
    #[must_use]
    pub fn follows(&self, number: u64, commitment: &Commitment) -> bool {
        let Some(previous) = &self.previous else { return false };
        let is_next = number.checked_add(1) == Some(self.number) && previous.key == commitment.key;
        // Its writer could not open the one before.
        let is_unknown = self.number == 1 && previous.key == [0; COMMITMENT_BYTES];
        previous.file_salt == commitment.file_salt
            && previous.payload_root == commitment.payload_root
            && (is_next || is_unknown)
    }
}

/// A commitment as manifests have it: file salt, key commitment and payload root.
///
/// ```
/// # use polyseal_file::manifest::{commitment_bytes, commitment_from_bytes};
/// let commitment = commitment_from_bytes(&[7; 96]);
/// assert_eq!(commitment_bytes(&commitment), [7; 96]);
/// ```
#[must_use]
pub fn commitment_bytes(commitment: &Commitment) -> [u8; 3 * COMMITMENT_BYTES] {
    let Commitment { file_salt, key, payload_root } = commitment;
    let mut bytes = NO_FIELDS;
    let parts = [file_salt, key, payload_root.as_bytes()];
    bytes.chunks_mut(COMMITMENT_BYTES).zip(parts).for_each(|(to, part)| to.copy_from_slice(part));
    bytes
}

/// The commitment of these bytes. Its payload root is a [`PayloadRoot::Tree`].
#[must_use]
pub fn commitment_from_bytes(bytes: &[u8; 3 * COMMITMENT_BYTES]) -> Commitment {
    let [file_salt, key, root] = [0, 1, 2].map(|part| {
        let mut field = [0; COMMITMENT_BYTES];
        field.copy_from_slice(&bytes[part * COMMITMENT_BYTES..][..COMMITMENT_BYTES]);
        field
    });
    Commitment { file_salt, key, payload_root: PayloadRoot::Tree(root) }
}

/// In the place of a commitment where there is none.
const NO_FIELDS: [u8; 3 * COMMITMENT_BYTES] = [0; 3 * COMMITMENT_BYTES];
