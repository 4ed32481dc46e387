//! Reading parts of an encrypted file, from any thread, out of a file or out of whatever C can read
//! at an offset.
//!
//! The result of C's `read_at` is not trusted: more bytes than were asked for is an error, and the
//! bytes are only opened if they are authentic.

use std::ffi::{c_char, c_int, c_void};
use std::fmt;
use std::io;

use ::polyseal_file::{Decryptor, ReadAt, Reader};

use crate::error::{Code, Failure, Result};
use crate::ffi::{bytes_mut, catch_panic_or, hand_over, non_null, release};
use crate::options::{Options, polyseal_options};

/// Something that can be read at any offset.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct polyseal_source {
    /// The first argument of read_at; NULL is allowed.
    pub ctx: *mut c_void,
    /// Reads at most len bytes from offset on into buf. It gives how many those were, 0 only at the
    /// end, or −1 if it failed. It must be safe to call from each thread that calls
    /// polyseal_file_read_at, at the same time, and must neither throw nor jump out.
    pub read_at: Option<
        unsafe extern "C" fn(ctx: *mut c_void, buf: *mut u8, len: usize, offset: u64) -> i64,
    >,
    /// How many bytes there are.
    pub size: u64,
}

impl fmt::Debug for polyseal_source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("polyseal_source").field("size", &self.size).finish_non_exhaustive()
    }
}

/// An encrypted file that is open, of which parts are read.
pub struct polyseal_file(Reader<Box<dyn ReadAt + Send + Sync>>);

impl fmt::Debug for polyseal_file {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("polyseal_file").field(&self.0).finish()
    }
}

// Threads may share a handle.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<polyseal_file>();
};

/// C's source, with its function.
struct CSource {
    ctx: *mut c_void,
    read_at: unsafe extern "C" fn(*mut c_void, *mut u8, usize, u64) -> i64,
    size: u64,
}

// SAFETY: the header asks that `read_at` may be called from any thread, with this `ctx`.
unsafe impl Send for CSource {}
// SAFETY: and from several at once.
unsafe impl Sync for CSource {}

impl ReadAt for CSource {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        // SAFETY: the buffer has as many bytes; the rest is what C promises of its function.
        let read = unsafe { (self.read_at)(self.ctx, buffer.as_mut_ptr(), buffer.len(), offset) };
        match usize::try_from(read) {
            Ok(read) if read <= buffer.len() => Ok(read),
            Ok(_) => Err(io::Error::other("read_at gave more bytes than there is room for")),
            Err(_) => Err(io::Error::other("read_at failed")),
        }
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }
}

/// # Safety
/// As [`Options::read`].
unsafe fn open(
    source: impl ReadAt + Send + Sync + 'static,
    options: *const polyseal_options,
) -> Result<polyseal_file> {
    // SAFETY: the caller's promise.
    let options = unsafe { Options::read(options) }?;
    let identities = options.identities()?;
    let mut decryptor = Decryptor::new(&identities);
    if let Some(context) = &options.context {
        decryptor = decryptor.context(context);
    }
    Ok(polyseal_file(decryptor.reader(Box::new(source) as Box<dyn ReadAt + Send + Sync>)?))
}

/// Opens the encrypted file of that name to read parts of it. Its header is checked, and its last
/// segment, so that its length is certain; the rest when it is read. It may also be a file of age.
/// Close it with polyseal_file_close.
///
/// Errors: all that concern files. Then *file is NULL.
#[cfg(any(unix, windows))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_file_open(
    file: *mut *mut polyseal_file,
    path: *const c_char,
    options: *const polyseal_options,
) -> c_int {
    // SAFETY: what C promises.
    unsafe { hand_over(file, || open(crate::input::open_input(path)?, options)) }
}

/// The same for whatever has a read_at: an object in a store, a part of another file, memory. The
/// structure is copied; the target of ctx must outlive the handle.
///
/// Errors: all that concern files; POLYSEAL_ERR_IO if read_at failed. Then *file is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_file_open_source(
    file: *mut *mut polyseal_file,
    source: *const polyseal_source,
    options: *const polyseal_options,
) -> c_int {
    // SAFETY: what C promises.
    unsafe {
        hand_over(file, || {
            let &polyseal_source { ctx, read_at, size } = non_null(source, "source")?;
            let read_at = read_at.ok_or_else(|| crate::ffi::null("read_at"))?;
            open(CSource { ctx, read_at, size }, options)
        })
    }
}

/// The length of the plaintext in bytes; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_file_size(file: *const polyseal_file) -> u64 {
    // SAFETY: what C promises.
    catch_panic_or(0, || Ok(unsafe { non_null(file, "file") }?.0.plaintext_bytes()))
}

/// Reads at most len bytes of the plaintext, from offset on, into buf. It gives how many those
/// were, fewer than len only at the end. Threads may call it at the same time.
///
/// Errors: −1; POLYSEAL_ERR_CORRUPT if a segment of the range is not as it was written,
/// POLYSEAL_ERR_CHANGED, POLYSEAL_ERR_IO. Then buf holds nothing of the plaintext.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_file_read_at(
    file: *const polyseal_file,
    buf: *mut u8,
    len: usize,
    offset: u64,
) -> i64 {
    catch_panic_or(-1, || {
        // SAFETY: what C promises.
        let (file, buffer) = unsafe { (non_null(file, "file")?, bytes_mut(buf, len)?) };
        let read = file.0.read_at(buffer, offset)?;
        i64::try_from(read).map_err(|_| Failure::from_code(Code::TooLong))
    })
}

/// Wipes the rest of the state and closes the file. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_file_close(file: *mut polyseal_file) {
    // SAFETY: what C promises.
    unsafe { release(file) }
}
