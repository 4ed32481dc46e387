//! The entries of a manifest: one for each name in the tree.

use std::fmt;

use crate::commitment::{COMMITMENT_BYTES, Commitment};

/// One name in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path from the root of the tree, 1 to 65535 bytes of any encoding, with `/` in between.
    pub path: Vec<u8>,
    /// How the run that made the manifest found it; [`State::New`] before version 3.
    pub state: State,
    /// The permission bits, at most 0o777; 0 for a link and for what is absent.
    pub mode: u16,
    /// When it was modified; [`Timestamp::ZERO`] for what is absent.
    pub modified: Timestamp,
    /// The kind of entry.
    pub kind: Kind,
}

/// The kind of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File {
        /// The bytes of its plaintext.
        plaintext_bytes: u64,
        /// Which encrypted file it is.
        bound: FileBinding,
        /// By which the writer tells whether it has changed.
        stamp: Stamp,
    },
    /// A directory, whose entries follow.
    Directory,
    /// A symbolic link.
    Link {
        /// Where it leads, 1 to 65535 bytes.
        target: Vec<u8>,
    },
    /// Something of which the tree has nothing: its state is [`State::Failed`].
    Absent,
}

/// The bytes of a [`Stamp`].
pub const STAMP_BYTES: usize = 16;

/// Sixteen bytes by which the writer of a manifest tells whether a file has changed since. Nobody
/// else looks at them.
pub type Stamp = [u8; STAMP_BYTES];

/// The stamp of a file about which nothing is known.
pub const NO_STAMP: Stamp = [0; STAMP_BYTES];

/// How the run that made a manifest found something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is as the run found it.
    New,
    /// The file has not changed since the run that encrypted it.
    Unchanged,
    /// It could not be taken. What an earlier run has taken is kept.
    Failed(Reason),
    /// The file or directory has been deleted since. The encrypted file may be there or not.
    Deleted,
}

/// Why something could not be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Permission was denied.
    Permission,
    /// It could not be read.
    Read,
    /// Its encrypted file could not be written.
    Write,
    /// It is neither a file nor a directory nor a link.
    Kind,
    /// It changed while it was read.
    Changed,
    /// Its name cannot be had in the tree.
    Name,
    /// Another reason, of 1 to 255.
    Other(u8),
}

impl Reason {
    const KNOWN: [Self; 6] =
        [Self::Permission, Self::Read, Self::Write, Self::Kind, Self::Changed, Self::Name];

    /// Its number in a manifest.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Other(number) => number,
            known => (1..).zip(Self::KNOWN).find(|(_, it)| *it == known).map_or(0, |it| it.0),
        }
    }

    pub(super) fn from_number(number: u8) -> Self {
        let known = (1..).zip(Self::KNOWN).find(|(it, _)| *it == number);
        known.map_or(Self::Other(number), |it| it.1)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Permission => "permission was denied",
            Self::Read => "it could not be read",
            Self::Write => "its encrypted file could not be written",
            Self::Kind => "it is neither a file nor a directory nor a link",
            Self::Changed => "it changed while it was read",
            Self::Name => "its name cannot be had in the tree",
            Self::Other(_) => "the reason is not known to this program",
        })
    }
}

/// The values that bind an entry to its encrypted file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileBinding {
    /// In version 1, its file salt alone: the contents are not bound.
    Salt([u8; COMMITMENT_BYTES]),
    /// Since version 2, all of it but its recipients. In version 2 its root is a
    /// [`PayloadRoot::List`](crate::PayloadRoot::List).
    Contents(Commitment),
}

impl FileBinding {
    /// The file salt in the header of the encrypted file.
    #[must_use]
    pub fn file_salt(&self) -> &[u8; COMMITMENT_BYTES] {
        match self {
            Self::Salt(file_salt) => file_salt,
            Self::Contents(commitment) => &commitment.file_salt,
        }
    }
}

/// A moment, counted from 1970-01-01 00:00:00 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp {
    /// Whole seconds, rounded down.
    pub seconds: i64,
    /// And these nanoseconds, below 10^9.
    pub nanoseconds: u32,
}

impl Timestamp {
    /// The moment from which is counted.
    pub const ZERO: Self = Self { seconds: 0, nanoseconds: 0 };
}
