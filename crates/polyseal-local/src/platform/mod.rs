//! All that depends on the operating system. Everything above it is the same everywhere.
//!
//! A platform offers: directories by handle ([`Directory`]), the status of a name ([`FileStatus`]),
//! files without a name and names that appear in one step, who may read a file that replaces
//! another ([`Access`]), what files can share and how they are locked ([`contents`]), and which
//! names there are.

mod entry_kind;
mod name_key;
mod paths;
#[cfg(unix)]
mod unix;
mod way;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use self::unix as system;
#[cfg(windows)]
use self::windows as system;

pub use self::entry_kind::EntryKind;
pub(crate) use self::name_key::{NAMES_MAY_BE_ONE, folded, name_key};
pub(crate) use self::paths::joined;
pub use self::paths::{beneath, components};
pub(crate) use self::system::FileStatus;
use self::system::is_link_of_us;
pub(crate) use self::system::{
    Access, DirectoryState, allowed_mode, bytes, contents, descriptor_limit, expect_name,
    expect_restorable_name, is_of_what_is_there, kill_as_a_crash_does, name_from_bytes,
    owner_is_kept, path_bytes, path_of_bytes, process_mask, state_folder,
};
pub use self::system::{Directory, FileId, SpecialFile, take_wider_modes};
#[cfg(unix)]
pub(crate) use self::way::links_are_ours;
pub(crate) use self::way::way_is_ours;

#[cfg(not(any(unix, windows)))]
compile_error!("files by name need Unix or Windows; the file format, polyseal-file, does not");
