//! The kinds of directory entries.

/// The kind of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A device, a FIFO or a socket.
    Other,
    /// A symbolic link; on Windows a junction, too.
    Link,
    /// A regular file.
    File,
    /// A directory.
    Directory,
}
