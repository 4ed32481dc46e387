//! Progress reports to a caller, and the caller's way to cancel.

use std::path::Path;

/// Told from any thread. Every method has a body that does nothing.
pub trait Progress: Sync {
    /// Whether it is worth the time to count the work beforehand.
    fn wants_total(&self) -> bool {
        false
    }

    /// There are so many files to be done, with so many bytes, as far as that is known.
    fn expect(&self, files: u64, bytes: u64) {
        let _ = (files, bytes);
    }

    /// So many more bytes have been read.
    fn bytes(&self, more: u64) {
        let _ = more;
    }

    /// One more file is done, or has failed.
    fn file(&self) {}

    /// Something that is worth knowing, and no error.
    fn notice(&self, notice: Notice<'_>) {
        let _ = notice;
    }

    /// Whether the caller cancels. It is asked between files, after each [`bytes`](Self::bytes),
    /// and by the calling thread ten times a second while that waits. Work that has been begun then
    /// ends soon, and no file appears half-made.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Tells nobody.
impl Progress for () {}

/// Something that is worth knowing.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// The file cannot be locked where it is. No other program may rekey it now.
    NotLocked(&'a Path),
    /// Not a header backup, despite its name. It does not keep the file from being rekeyed by a new
    /// file, and was left as it is.
    BadBackup(&'a Path),
    /// All files of the tree are encrypted anew, for this reason.
    AllAnew(&'a Path, &'static str),
    /// The statement in this file is not about the file beside it any more, which has another key,
    /// or, if it is bound to that, another header.
    StatementEnds(&'a Path),
    /// The tree was signed, and is not signed any more.
    NoLongerSigned(&'a Path),
    /// The store does not compare versions when an object is completed: another program's change in
    /// the last moments is lost.
    NotCompared(&'a Path),
}
