//! Many files in one run: some at a time, each outcome reported in the files' order. A file that
//! fails does not keep the others from being done.

mod batches;
mod names;
mod pool;

use std::path::Path;

pub(crate) use self::batches::{Item, PreparedFile, in_batches};
pub use self::names::NameList;
pub use self::pool::in_order;

use polyseal_file::Error as FileError;

use crate::error::{Error, Problem, Result};
use crate::platform::is_of_what_is_there;
use crate::progress::Progress;

/// The outcome of the work on one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileOutcome {
    /// It was encrypted.
    Encrypted {
        /// The bytes of its plaintext.
        bytes: u64,
        /// Whether it grew meanwhile: it was encrypted up to the size that it had.
        grew: bool,
    },
    /// It was decrypted.
    Decrypted {
        /// The bytes of its plaintext.
        bytes: u64,
    },
    /// All of it is authentic, and nothing was kept.
    Verified {
        /// The bytes of its plaintext.
        bytes: u64,
    },
    /// It is stored as it was signed. Whether it opens is not known.
    AsSigned {
        /// The bytes of its payload as they are stored.
        bytes: u64,
    },
    /// It has not changed since it was encrypted, and stays as it is.
    Unchanged {
        /// The bytes of its plaintext.
        bytes: u64,
    },
    /// It has been deleted in the source since.
    Deleted,
    /// A symbolic link is in the manifest now.
    Recorded {
        /// The bytes of its target.
        bytes: u64,
    },
    /// A symbolic link was made.
    Linked {
        /// The bytes of its target.
        bytes: u64,
    },
    /// It has other recipients.
    Rekeyed,
    /// It was encrypted anew into another tree.
    Reencrypted {
        /// The bytes of its plaintext.
        bytes: u64,
    },
    /// A new key opens it already.
    AlreadyRekeyed,
    /// It is not of the tree, and was left as it is.
    Left,
    /// Its old header has been put back.
    Restored,
}

/// Told the outcome of each file, in their order. An error ends the run.
pub type OnFile<'a> = &'a mut (dyn FnMut(&Path, Result<FileOutcome>) -> Result + Send);

/// The counts of a run over many files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Total {
    /// The files that were done.
    pub files: u64,
    /// The directories.
    pub directories: u64,
    /// The symbolic links.
    pub links: u64,
    /// The bytes of plaintext, as far as they are known.
    pub bytes: u64,
    /// The files, directories and links that failed; of each the caller was told.
    pub failed: u64,
    /// The files that grew while they were encrypted.
    pub grew: u64,
    /// The files that have not changed since they were encrypted.
    pub unchanged: u64,
    /// The files that have been deleted since.
    pub deleted: u64,
}

/// Tells the caller of each file, and counts.
pub(crate) struct FileReporter<'a> {
    tell: OnFile<'a>,
    progress: &'a dyn Progress,
    pub(crate) total: Total,
    /// Failures that are missing or foreign files.
    pub(crate) strangers: u64,
}

impl<'a> FileReporter<'a> {
    pub(crate) fn new(tell: OnFile<'a>, progress: &'a dyn Progress) -> Self {
        Self { tell, progress, total: Total::default(), strangers: 0 }
    }

    pub(crate) fn directory(&mut self) {
        self.total.directories += 1;
    }

    pub(crate) fn file(&mut self, path: &Path, done: Result<FileOutcome>) -> Result {
        self.progress.file();
        let total = &mut self.total;
        match &done {
            Ok(FileOutcome::Left) => {}
            Ok(FileOutcome::Unchanged { .. }) => total.unchanged += 1,
            Ok(FileOutcome::Deleted) => total.deleted += 1,
            Ok(FileOutcome::Recorded { .. } | FileOutcome::Linked { .. }) => total.links += 1,
            Ok(FileOutcome::Rekeyed | FileOutcome::AlreadyRekeyed | FileOutcome::Restored) => {
                total.files += 1;
            }
            Ok(
                FileOutcome::Encrypted { bytes, .. }
                | FileOutcome::Decrypted { bytes }
                | FileOutcome::Verified { bytes }
                | FileOutcome::AsSigned { bytes }
                | FileOutcome::Reencrypted { bytes },
            ) => {
                total.files += 1;
                total.bytes += bytes;
                total.grew +=
                    u64::from(matches!(done, Ok(FileOutcome::Encrypted { grew: true, .. })));
            }
            Err(error) => {
                total.failed += 1;
                self.strangers += u64::from(is_strange(error));
            }
        }
        (self.tell)(path, done)
    }

    /// The end, unless it came early.
    pub(crate) fn end(self, path: &Path) -> Result<Total> {
        if self.progress.cancelled() {
            return Err(Error::new(path, Problem::Cancelled));
        }
        Ok(self.total)
    }
}

/// Whether anyone who can write to the tree can cause this error: by removing, altering or locking
/// the file, or by putting something else in its place.
fn is_strange(error: &Error) -> bool {
    match error.problem() {
        Problem::Missing
        | Problem::OtherFile
        | Problem::OtherContents
        | Problem::NotRekeyable
        | Problem::NotWithAge(_)
        | Problem::Special
        | Problem::Busy
        | Problem::Changed
        | Problem::ChangedLength
        | Problem::BackupNameTaken(_) => true,
        Problem::Io { source, .. } => is_of_what_is_there(source),
        Problem::Store { strange, .. } => *strange,
        // Errors about a file's bytes, and not those about this machine.
        Problem::File(error) => !matches!(
            error,
            FileError::Io { .. }
                | FileError::Random
                | FileError::Stretch
                | FileError::AgePlugin(_)
                | FileError::Keeper(_)
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn what_somebody_can_bring_about_is_strange_and_a_full_disk_is_not() {
        let system =
            |code| Problem::Io { what: "read", source: io::Error::from_raw_os_error(code) };
        // EACCES, ELOOP, ENOTDIR; ENOSPC, EIO, EMFILE.
        #[cfg(target_os = "linux")]
        let codes = [(13, true), (40, true), (20, true), (28, false), (5, false), (24, false)];
        // ERROR_ACCESS_DENIED, ERROR_DIRECTORY; ERROR_DISK_FULL, ERROR_CRC.
        #[cfg(windows)]
        let codes = [(5, true), (267, true), (112, false), (23, false)];
        #[cfg(any(target_os = "linux", windows))]
        for (code, expected) in codes {
            assert_eq!(is_strange(&Error::new(Path::new("f"), system(code))), expected, "{code}");
        }
        for (problem, expected) in [
            (Problem::Busy, true),
            (Problem::OtherContents, true),
            (Problem::File(FileError::NoMatchingKey), true),
            (Problem::File(FileError::Random), false),
            (Problem::Cancelled, false),
        ] {
            assert_eq!(is_strange(&Error::new(Path::new("f"), problem)), expected);
        }
    }
}
