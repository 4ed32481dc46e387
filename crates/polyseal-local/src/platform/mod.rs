//! All that depends on the operating system. Everything above it is the same everywhere.
//!
//! A platform offers: directories by handle ([`Directory`]), what is seen under a name
//! ([`FileStatus`]), files without a name and names that appear in one step, who may read a file
//! that replaces another ([`Access`]), and what files can share ([`contents`]).

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::{
    Access, DirectoryState, allowed_mode, bytes, contents, descriptor_limit, is_of_what_is_there,
    kill_as_a_crash_does, links_are_ours, of_bytes, owner_is_kept, process_mask,
};
#[cfg(unix)]
pub use unix::{Directory, EntryKind, FileId, FileStatus, SpecialFile, beneath, components};

#[cfg(not(unix))]
compile_error!("files by name need a Unix system; the file format, polyseal-file, does not");
