//! The calls of Windows that the standard library has no safe way to, each wrapped once.
//!
//! A name goes to the system relative to the handle of its directory, as one component, and is
//! taken as it stands (`NtCreateFile` with a root directory): no drive, no device and no stream of
//! a file comes of it. [`names`](super::names) says which names there are.

#![allow(unsafe_code, reason = "the border to the system")]

use std::ffi::{OsStr, OsString, c_void};
use std::fs::{File, TryLockError};
use std::io;
use std::mem::{offset_of, size_of};
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr::{null, null_mut};

use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_CREATE, FILE_DISPOSITION_DELETE, FILE_DISPOSITION_IGNORE_READONLY_ATTRIBUTE,
    FILE_DISPOSITION_POSIX_SEMANTICS, FILE_INFORMATION_CLASS, FILE_OPEN,
    FILE_OPEN_FOR_BACKUP_INTENT, FILE_OPEN_REPARSE_POINT, FILE_RENAME_IGNORE_READONLY_ATTRIBUTE,
    FILE_RENAME_INFORMATION, FILE_RENAME_POSIX_SEMANTICS, FILE_RENAME_REPLACE_IF_EXISTS,
    FILE_SYNCHRONOUS_IO_NONALERT, FileDispositionInformation, FileDispositionInformationEx,
    FileRenameInformation, FileRenameInformationEx, NtCreateFile, NtSetInformationFile,
};
use windows_sys::Win32::Foundation::{
    ERROR_FILE_NOT_FOUND, ERROR_IO_PENDING, ERROR_LOCK_VIOLATION, ERROR_NO_MORE_FILES, HANDLE,
    NTSTATUS, RtlNtStatusToDosError, STATUS_INVALID_DEVICE_REQUEST, STATUS_INVALID_INFO_CLASS,
    STATUS_INVALID_PARAMETER, STATUS_NOT_IMPLEMENTED, STATUS_NOT_SUPPORTED, UNICODE_STRING,
};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ATTRIBUTE_NORMAL, FILE_ATTRIBUTE_TAG_INFO, FILE_BASIC_INFO,
    FILE_FULL_DIR_INFO, FILE_ID_INFO, FILE_INFO_BY_HANDLE_CLASS, FILE_SHARE_DELETE,
    FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_STANDARD_INFO, FILE_TYPE_DISK, FileAttributeTagInfo,
    FileBasicInfo, FileFullDirectoryInfo, FileFullDirectoryRestartInfo, FileIdInfo,
    FileStandardInfo, GetFileInformationByHandle, GetFileInformationByHandleEx, GetFileType,
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
};
use windows_sys::Win32::System::IO::{IO_STATUS_BLOCK, OVERLAPPED};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};

use super::security::OwnerOnly;

/// Whether an entry is opened or made.
pub(super) enum Disposition<'a> {
    /// Open an entry that exists. A link is opened itself.
    Existing,
    /// The same, through whatever the system has put there in the place of contents, such as those
    /// of a file that is in a cloud.
    Contents,
    /// Something new, for its owner alone. The options say what.
    New(&'a OwnerOnly, u32),
}

/// Opens `name` in the directory `root`, or the directory again if the name is empty.
pub(super) fn open_at(
    root: &impl AsHandle,
    name: &OsStr,
    access: u32,
    disposition: &Disposition<'_>,
) -> io::Result<OwnedHandle> {
    let mut name: Vec<u16> = name.encode_wide().collect();
    let length = u16::try_from(name.len() * 2).map_err(|_| io::ErrorKind::InvalidFilename)?;
    let object_name =
        UNICODE_STRING { Length: length, MaximumLength: length, Buffer: name.as_mut_ptr() };
    let (how, options, security) = match disposition {
        Disposition::Existing => (FILE_OPEN, FILE_OPEN_REPARSE_POINT, null()),
        Disposition::Contents => (FILE_OPEN, 0, null()),
        Disposition::New(owner_only, options) => {
            // Else a link's target would be made.
            (FILE_CREATE, *options | FILE_OPEN_REPARSE_POINT, owner_only.as_ptr())
        }
    };
    // The case of names is left to the directory, as every program leaves it.
    const OBJ_CASE_INSENSITIVE: u32 = 0x40;
    let attributes = OBJECT_ATTRIBUTES {
        Length: size_of::<OBJECT_ATTRIBUTES>() as u32,
        RootDirectory: root.as_handle().as_raw_handle(),
        ObjectName: &raw const object_name,
        Attributes: OBJ_CASE_INSENSITIVE,
        SecurityDescriptor: security.cast(),
        SecurityQualityOfService: null(),
    };
    let mut handle: HANDLE = null_mut();
    let mut status = IO_STATUS_BLOCK::default();
    // SAFETY: every pointer is to a local that lives until the call returns, or, the security
    // descriptor, to memory that `disposition` borrows. The name is as long as it says.
    let result = unsafe {
        NtCreateFile(
            &raw mut handle,
            access,
            &raw const attributes,
            &raw mut status,
            null(),
            FILE_ATTRIBUTE_NORMAL,
            FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
            how,
            options | FILE_SYNCHRONOUS_IO_NONALERT | FILE_OPEN_FOR_BACKUP_INTENT,
            null(),
            0,
        )
    };
    check(result)?;
    // SAFETY: the call has succeeded, so the handle is open, and nobody else has it.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// Gives an open file the name `name` in `directory`, which nothing has unless it is replaced.
pub(super) fn rename(
    file: &impl AsHandle,
    directory: &impl AsHandle,
    name: &OsStr,
    replace: bool,
) -> io::Result<()> {
    let name: Vec<u16> = name.encode_wide().collect();
    let start = offset_of!(FILE_RENAME_INFORMATION, FileName);
    // No shorter than the structure, and aligned as it is.
    let bytes = (start + name.len() * 2).max(size_of::<FILE_RENAME_INFORMATION>());
    let mut buffer = vec![0_u64; bytes.div_ceil(8)];
    let root = directory.as_handle().as_raw_handle();
    let mut fill = |flags: u32| {
        let information = buffer.as_mut_ptr().cast::<FILE_RENAME_INFORMATION>();
        // SAFETY: the buffer has room for the structure and for the name behind its beginning.
        unsafe {
            (*information).Anonymous.Flags = flags;
            (*information).RootDirectory = root;
            (*information).FileNameLength = (name.len() * 2) as u32;
            let place = buffer.as_mut_ptr().cast::<u8>().add(start).cast::<u16>();
            std::ptr::copy_nonoverlapping(name.as_ptr(), place, name.len());
        }
        buffer.as_ptr().cast::<c_void>()
    };
    let replaces = if replace { FILE_RENAME_REPLACE_IF_EXISTS } else { 0 };
    // A file that is open elsewhere is replaced, too, as everywhere else.
    let flags = replaces | FILE_RENAME_POSIX_SEMANTICS | FILE_RENAME_IGNORE_READONLY_ATTRIBUTE;
    let renamed = set_information(file, FileRenameInformationEx, fill(flags), bytes);
    if !is_unknown(renamed) {
        return check(renamed);
    }
    check(set_information(file, FileRenameInformation, fill(replaces), bytes))
}

/// Removes the name by which a file was opened.
pub(super) fn remove(file: &impl AsHandle) -> io::Result<()> {
    let flags: u32 = FILE_DISPOSITION_DELETE
        | FILE_DISPOSITION_POSIX_SEMANTICS
        | FILE_DISPOSITION_IGNORE_READONLY_ATTRIBUTE;
    let information = (&raw const flags).cast();
    let removed = set_information(file, FileDispositionInformationEx, information, 4);
    if !is_unknown(removed) {
        return check(removed);
    }
    let delete = true;
    let information = (&raw const delete).cast();
    check(set_information(file, FileDispositionInformation, information, 1))
}

/// `information` points to `bytes` bytes.
fn set_information(
    file: &impl AsHandle,
    class: FILE_INFORMATION_CLASS,
    information: *const c_void,
    bytes: usize,
) -> NTSTATUS {
    let mut status = IO_STATUS_BLOCK::default();
    // SAFETY: the callers, all above, point to as many bytes, which live until this returns.
    unsafe {
        NtSetInformationFile(
            file.as_handle().as_raw_handle(),
            &raw mut status,
            information,
            bytes as u32,
            class,
        )
    }
}

/// Whether a file system, or an old Windows, does not know the request.
fn is_unknown(status: NTSTATUS) -> bool {
    [
        STATUS_INVALID_DEVICE_REQUEST,
        STATUS_INVALID_INFO_CLASS,
        STATUS_INVALID_PARAMETER,
        STATUS_NOT_IMPLEMENTED,
        STATUS_NOT_SUPPORTED,
    ]
    .contains(&status)
}

fn check(status: NTSTATUS) -> io::Result<()> {
    if status >= 0 {
        return Ok(());
    }
    // SAFETY: it only looks a number up.
    let error = unsafe { RtlNtStatusToDosError(status) };
    Err(io::Error::from_raw_os_error(error as i32))
}

/// Returns the system's information on an open file, in the structure of one of its classes.
///
/// # Safety
/// `class` is the class whose structure `T` is, and any bytes are a `T`.
unsafe fn information<T: Default>(
    file: &impl AsHandle,
    class: FILE_INFO_BY_HANDLE_CLASS,
) -> io::Result<T> {
    let mut information = T::default();
    // SAFETY: it is written to no further than it is long, and is what the caller says.
    let done = unsafe {
        GetFileInformationByHandleEx(
            file.as_handle().as_raw_handle(),
            class,
            (&raw mut information).cast(),
            size_of::<T>() as u32,
        )
    };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(information) }
}

/// Attributes and times.
pub(super) fn basic(file: &impl AsHandle) -> io::Result<FILE_BASIC_INFO> {
    // SAFETY: this is the structure of that class, of numbers.
    unsafe { information(file, FileBasicInfo) }
}

/// `FILE_STANDARD_INFO`, with numbers where that has `bool`s: a driver may write any byte there.
#[derive(Default)]
#[repr(C)]
struct StandardInformation {
    _allocation_size: i64,
    end_of_file: i64,
    _number_of_links: u32,
    _delete_pending: u8,
    _directory: u8,
}

const _: () = assert!(size_of::<StandardInformation>() == size_of::<FILE_STANDARD_INFO>());

/// The length in bytes.
pub(super) fn length(file: &impl AsHandle) -> io::Result<u64> {
    // SAFETY: this has the layout of that class's structure, and is of numbers.
    let standard: StandardInformation = unsafe { information(file, FileStandardInfo) }?;
    Ok(u64::try_from(standard.end_of_file).unwrap_or_default())
}

/// The tag that says what stands in the place of contents.
pub(super) fn reparse_tag(file: &impl AsHandle) -> io::Result<u32> {
    // SAFETY: this is the structure of that class, of numbers.
    let tag: FILE_ATTRIBUTE_TAG_INFO = unsafe { information(file, FileAttributeTagInfo) }?;
    Ok(tag.ReparseTag)
}

/// The volume, and the file there.
///
/// `Unsupported` for handles that are not on a disk, such as a pipe or the console.
pub(super) fn id(file: &impl AsHandle) -> io::Result<(u64, [u8; 16])> {
    // SAFETY: it only looks at the handle.
    if unsafe { GetFileType(file.as_handle().as_raw_handle()) } != FILE_TYPE_DISK {
        return Err(io::ErrorKind::Unsupported.into());
    }
    // SAFETY: this is the structure of that class, of numbers.
    if let Ok(id) = unsafe { information::<FILE_ID_INFO>(file, FileIdInfo) } {
        return Ok((id.VolumeSerialNumber, id.FileId.Identifier));
    }
    // FAT has no such numbers, and these.
    let mut seen = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the result is a local.
    let done =
        unsafe { GetFileInformationByHandle(file.as_handle().as_raw_handle(), &raw mut seen) };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    let mut id = [0; 16];
    id[..4].copy_from_slice(&seen.nFileIndexLow.to_le_bytes());
    id[4..8].copy_from_slice(&seen.nFileIndexHigh.to_le_bytes());
    Ok((seen.dwVolumeSerialNumber.into(), id))
}

/// A name in a directory.
pub(super) struct ListedName {
    pub(super) name: OsString,
    pub(super) attributes: u32,
    /// The tag that says what stands in the place of contents, where the attributes say that
    /// something does.
    pub(super) reparse_tag: u32,
}

/// The names in a directory that was opened for this.
pub(super) fn list(directory: &impl AsHandle) -> io::Result<Vec<ListedName>> {
    let mut names = Vec::new();
    // Aligned as the structure is.
    let mut buffer = vec![0_u64; 8192];
    let mut class = FileFullDirectoryRestartInfo;
    loop {
        // SAFETY: it is written to no further than the buffer is long.
        let done = unsafe {
            GetFileInformationByHandleEx(
                directory.as_handle().as_raw_handle(),
                class,
                buffer.as_mut_ptr().cast(),
                (buffer.len() * 8) as u32,
            )
        };
        if done == 0 {
            let error = io::Error::last_os_error();
            // The root of a disk may have nothing, not even itself.
            let is_empty = class == FileFullDirectoryRestartInfo
                && error.raw_os_error() == Some(ERROR_FILE_NOT_FOUND as i32);
            let is_end = is_empty || error.raw_os_error() == Some(ERROR_NO_MORE_FILES as i32);
            return if is_end { Ok(names) } else { Err(error) };
        }
        class = FileFullDirectoryInfo;
        let mut at = 0;
        loop {
            // SAFETY: the system has written an entry there, aligned to 8 bytes, with a name that
            // is as long as it says.
            let (next, listed) = unsafe {
                let entry = buffer.as_ptr().cast::<u8>().add(at).cast::<FILE_FULL_DIR_INFO>();
                let characters = (*entry).FileNameLength as usize / 2;
                let name = (&raw const (*entry).FileName).cast::<u16>();
                let name = OsString::from_wide(std::slice::from_raw_parts(name, characters));
                let (attributes, reparse_tag) = ((*entry).FileAttributes, (*entry).EaSize);
                ((*entry).NextEntryOffset as usize, ListedName { name, attributes, reparse_tag })
            };
            if listed.name != "." && listed.name != ".." {
                names.push(listed);
            }
            if next == 0 {
                break;
            }
            at += next;
        }
    }
}

/// Locks a byte that no file has, until the file is closed: locked bytes cannot be read by others,
/// and the file's own must be.
pub(super) fn try_lock(file: &File, exclusive: bool) -> Result<(), TryLockError> {
    const LAST: u64 = i64::MAX as u64 - 1;
    let mut place = OVERLAPPED::default();
    place.Anonymous.Anonymous.Offset = LAST as u32;
    place.Anonymous.Anonymous.OffsetHigh = (LAST >> 32) as u32;
    let exclusive = if exclusive { LOCKFILE_EXCLUSIVE_LOCK } else { 0 };
    let flags = exclusive | LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: the file is one of synchronous calls, so this returns when it is done with `place`.
    let done = unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut place) };
    if done != 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    let busy = [ERROR_LOCK_VIOLATION, ERROR_IO_PENDING].map(|error| Some(error as i32));
    if busy.contains(&error.raw_os_error()) {
        return Err(TryLockError::WouldBlock);
    }
    Err(TryLockError::Error(error))
}

/// Ends the process at once.
pub(super) fn terminate() {
    // SAFETY: the handle that stands for this process is always one.
    unsafe { TerminateProcess(GetCurrentProcess(), 1) };
}
