//! The owner of a file, and its access list.
//!
//! A file made here is for the user of this process alone; its list is a protected one, so that the
//! folder gives it no entries. Administrators can give themselves access, as root can on Unix.

#![allow(unsafe_code, reason = "the border to the system")]

use std::ffi::c_void;
use std::io;
use std::mem::size_of;
use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr::null_mut;
use std::sync::OnceLock;

use windows_sys::Win32::Foundation::{ERROR_SUCCESS, HANDLE, LocalFree, WIN32_ERROR};
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW, GetSecurityInfo,
    SDDL_REVISION_1, SE_FILE_OBJECT,
};
use windows_sys::Win32::Security::{
    ACCESS_ALLOWED_ACE, ACE_HEADER, ACL, DACL_SECURITY_INFORMATION, GetAce, GetTokenInformation,
    INHERIT_ONLY_ACE, IsValidAcl, OBJECT_SECURITY_INFORMATION, OWNER_SECURITY_INFORMATION,
    PSECURITY_DESCRIPTOR, PSID, SetKernelObjectSecurity, TOKEN_INFORMATION_CLASS, TOKEN_OWNER,
    TOKEN_QUERY, TOKEN_USER, TokenOwner, TokenUser,
};
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_ADD_FILE, FILE_ADD_SUBDIRECTORY, FILE_DELETE_CHILD, FILE_WRITE_ATTRIBUTES,
    WRITE_DAC, WRITE_OWNER,
};
use windows_sys::Win32::System::SystemServices::{
    ACCESS_ALLOWED_ACE_TYPE, ACCESS_DENIED_ACE_TYPE, ACCESS_DENIED_CALLBACK_ACE_TYPE,
    ACCESS_DENIED_OBJECT_ACE_TYPE,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// The system, its administrators, and the installer that owns what came with Windows: they may do
/// as they like anyway.
const TRUSTED: [&str; 3] =
    ["S-1-5-18", "S-1-5-32-544", "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"];
/// The owner of all that is on a disk without owners, such as one with FAT.
const EVERYONE: &str = "S-1-1-0";
/// The maker of a file in the folder: such an entry gives no access to the folder itself.
const CREATOR_OWNER: &str = "S-1-3-0";
/// The rights with each of which a user decides what the names in a folder mean.
const NAMING: u32 = FILE_ADD_FILE
    | FILE_ADD_SUBDIRECTORY
    | FILE_DELETE_CHILD
    | FILE_WRITE_ATTRIBUTES
    | DELETE
    | WRITE_DAC
    | WRITE_OWNER
    | GENERIC_WRITE
    | GENERIC_ALL;
const GENERIC_WRITE: u32 = 0x4000_0000;
const GENERIC_ALL: u32 = 0x1000_0000;

/// A user or a group, as the text of its security identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sid(String);

impl Sid {
    /// Whether it is the user of this process, or the owner of the user's new files.
    pub(super) fn is_us(&self) -> bool {
        self.0 == EVERYONE || us().is_some_and(|us| us.contains(self))
    }

    /// Whether it is the system or its administrators.
    pub(super) fn is_system(&self) -> bool {
        TRUSTED.contains(&&*self.0)
    }

    fn is_trusted(&self) -> bool {
        self.is_us() || self.is_system()
    }
}

/// The user of this process, and the owner of the files that it makes: an administrator's may be
/// the group.
fn us() -> Option<&'static [Sid; 2]> {
    static US: OnceLock<Option<[Sid; 2]>> = OnceLock::new();
    US.get_or_init(|| Some([token_user().ok()?, token_owner().ok()?])).as_ref()
}

fn token_user() -> io::Result<Sid> {
    let bytes = token_information(TokenUser)?;
    // SAFETY: the system has written this structure, to memory that is aligned for it; the
    // identifier that it points to is in the same memory.
    unsafe { text((*bytes.as_ptr().cast::<TOKEN_USER>()).User.Sid) }
}

fn token_owner() -> io::Result<Sid> {
    let bytes = token_information(TokenOwner)?;
    // SAFETY: as above.
    unsafe { text((*bytes.as_ptr().cast::<TOKEN_OWNER>()).Owner) }
}

fn token_information(class: TOKEN_INFORMATION_CLASS) -> io::Result<Vec<u64>> {
    let mut token: HANDLE = null_mut();
    // SAFETY: the handle that stands for this process is always one; the result is a local.
    true_or_error(unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) })?;
    // SAFETY: the call has succeeded, so the handle is open, and nobody else has it.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };
    let mut bytes = 0;
    let ask = |buffer: *mut c_void, length: u32, bytes: &mut u32| {
        // SAFETY: the buffer is as long as it is said to be.
        unsafe { GetTokenInformation(token.as_raw_handle(), class, buffer, length, bytes) }
    };
    ask(null_mut(), 0, &mut bytes);
    let mut buffer = vec![0_u64; (bytes as usize).div_ceil(8)];
    let length = (buffer.len() * 8) as u32;
    true_or_error(ask(buffer.as_mut_ptr().cast(), length, &mut bytes))?;
    Ok(buffer)
}

/// The text of a security identifier.
///
/// # Safety
/// `sid` points to one.
unsafe fn text(sid: PSID) -> io::Result<Sid> {
    let mut wide = null_mut();
    // SAFETY: the caller has an identifier there; the result is a local.
    true_or_error(unsafe { ConvertSidToStringSidW(sid, &raw mut wide) })?;
    let allocated = Allocated(wide.cast());
    // SAFETY: the system has written a text that ends with a zero.
    let units = unsafe {
        let length = (0..).take_while(|&at| *wide.add(at) != 0).count();
        std::slice::from_raw_parts(wide, length).to_vec()
    };
    drop(allocated);
    Ok(Sid(String::from_utf16_lossy(&units)))
}

/// Memory that the system has allocated, to be freed on drop.
struct Allocated(*mut c_void);

impl Drop for Allocated {
    fn drop(&mut self) {
        // SAFETY: the system has allocated it by `LocalAlloc`, and nobody else frees it.
        unsafe { LocalFree(self.0) };
    }
}

/// The security descriptor of a file that is for the user of this process alone.
pub(super) struct OwnerOnly(Vec<u64>);

impl OwnerOnly {
    /// The descriptor of a new file.
    pub(super) fn file() -> io::Result<&'static Self> {
        static FILE: OnceLock<OwnerOnly> = OnceLock::new();
        Self::once(&FILE, "")
    }

    /// The descriptor of a new directory; entries that others make in it inherit it.
    pub(super) fn directory() -> io::Result<&'static Self> {
        static DIRECTORY: OnceLock<OwnerOnly> = OnceLock::new();
        Self::once(&DIRECTORY, "OICI")
    }

    fn once(cell: &'static OnceLock<Self>, inherited: &str) -> io::Result<&'static Self> {
        if let Some(made) = cell.get() {
            return Ok(made);
        }
        let made = Self::new(inherited)?;
        Ok(cell.get_or_init(|| made))
    }

    fn new(inherited: &str) -> io::Result<Self> {
        let Sid(user) = token_user()?;
        // The owner may be known to a server by another name.
        let text = format!("D:P(A;{inherited};FA;;;{user})(A;{inherited};FA;;;OW)");
        let wide: Vec<u16> = text.encode_utf16().chain([0]).collect();
        let (mut made, mut bytes) = (null_mut(), 0);
        // SAFETY: the text ends with a zero; the results are locals.
        true_or_error(unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                wide.as_ptr(),
                SDDL_REVISION_1,
                &raw mut made,
                &raw mut bytes,
            )
        })?;
        let _allocated = Allocated(made);
        let mut kept = vec![0_u64; (bytes as usize).div_ceil(8)];
        // SAFETY: the descriptor is self-relative, of `bytes` bytes; there is room for them.
        unsafe {
            let from = made.cast::<u8>();
            std::ptr::copy_nonoverlapping(from, kept.as_mut_ptr().cast(), bytes as usize);
        }
        Ok(Self(kept))
    }

    pub(super) fn as_ptr(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }
}

/// The owner and the access list of a file.
struct Security {
    owner: PSID,
    list: *mut ACL,
    descriptor: PSECURITY_DESCRIPTOR,
    _allocated: Allocated,
}

impl Security {
    fn from_handle(file: &impl AsHandle, what: OBJECT_SECURITY_INFORMATION) -> io::Result<Self> {
        let (mut owner, mut list, mut descriptor) = (null_mut(), null_mut(), null_mut());
        // SAFETY: the results are locals; those that are not asked for stay null.
        let error = unsafe {
            GetSecurityInfo(
                file.as_handle().as_raw_handle(),
                SE_FILE_OBJECT,
                what,
                &raw mut owner,
                null_mut(),
                &raw mut list,
                null_mut(),
                &raw mut descriptor,
            )
        };
        success_or_error(error)?;
        Ok(Self { owner, list, descriptor, _allocated: Allocated(descriptor) })
    }

    fn owner(&self) -> io::Result<Sid> {
        if self.owner.is_null() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        // SAFETY: the system has put an identifier there, in memory that `self` keeps.
        unsafe { text(self.owner) }
    }

    /// Whether nobody but this user and the system may do one of `rights`. In doubt, somebody may.
    fn allows_only_us(&self, rights: u32) -> bool {
        // SAFETY: the list is one that `self` keeps.
        if self.list.is_null() || unsafe { IsValidAcl(self.list) } == 0 {
            return false;
        }
        // SAFETY: the list is one that `self` keeps.
        let count = unsafe { (*self.list).AceCount };
        (0..u32::from(count)).all(|at| self.is_harmless(at, rights).unwrap_or(false))
    }

    fn is_harmless(&self, at: u32, rights: u32) -> io::Result<bool> {
        let mut entry = null_mut();
        // SAFETY: the list is one that `self` keeps, with so many entries; the result is a local.
        true_or_error(unsafe { GetAce(self.list, at, &raw mut entry) })?;
        // SAFETY: every entry begins with this.
        let header = unsafe { *entry.cast::<ACE_HEADER>() };
        let denied = [
            ACCESS_DENIED_ACE_TYPE,
            ACCESS_DENIED_OBJECT_ACE_TYPE,
            ACCESS_DENIED_CALLBACK_ACE_TYPE,
        ];
        let kind = u32::from(header.AceType);
        if u32::from(header.AceFlags) & INHERIT_ONLY_ACE != 0 || denied.contains(&kind) {
            return Ok(true);
        }
        if kind != ACCESS_ALLOWED_ACE_TYPE {
            return Ok(false);
        }
        let entry = entry.cast::<ACCESS_ALLOWED_ACE>();
        // SAFETY: an entry of this type is this structure, in memory that `self` keeps; the
        // identifier begins where its first part is.
        let (mask, sid) = unsafe { ((*entry).Mask, text((&raw mut (*entry).SidStart).cast())?) };
        let is_harmless = sid.is_trusted() && sid.0 != EVERYONE || sid.0 == CREATOR_OWNER;
        Ok(mask & rights == 0 || is_harmless)
    }
}

/// The owner of an open file.
pub(super) fn owner(file: &impl AsHandle) -> io::Result<Sid> {
    Security::from_handle(file, OWNER_SECURITY_INFORMATION)?.owner()
}

/// Whether nobody but this user and the system can give files names in an open directory.
pub(super) fn is_for_us(directory: &impl AsHandle) -> bool {
    let seen =
        Security::from_handle(directory, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION);
    seen.is_ok_and(|it| {
        it.owner().is_ok_and(|owner| owner.is_trusted()) && it.allows_only_us(NAMING)
    })
}

/// Gives `new` the access list of `old`.
pub(super) fn copy_list(old: &impl AsHandle, new: &impl AsHandle) -> io::Result<()> {
    let seen = Security::from_handle(old, DACL_SECURITY_INFORMATION)?;
    // Without a list everybody may do everything: that is given to nothing new.
    if seen.list.is_null() {
        return Ok(());
    }
    // As it is: `SetSecurityInfo` would take a part of it anew from the folder.
    // SAFETY: the descriptor is one that `seen` keeps.
    true_or_error(unsafe {
        let handle = new.as_handle().as_raw_handle();
        SetKernelObjectSecurity(handle, DACL_SECURITY_INFORMATION, seen.descriptor)
    })
}

fn true_or_error(done: i32) -> io::Result<()> {
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn success_or_error(error: WIN32_ERROR) -> io::Result<()> {
    if error == ERROR_SUCCESS { Ok(()) } else { Err(io::Error::from_raw_os_error(error as i32)) }
}

const _: () = assert!(size_of::<PSID>() == size_of::<usize>());
