//! Memory that Python owns: the only `unsafe` code of the crate.
//!
//! A `bytes` object does not change, so its memory may be a slice as long as the object is held.
//! Everything else that has a buffer (`bytearray`, `memoryview`, arrays) can be written by another
//! thread at any moment, once the interpreter's lock is released, and by code in C even before. A
//! free-threaded interpreter has no such lock.
//! There is never a slice of such memory: it is copied, by atomic loads into memory of our own, or
//! by atomic stores out of it. A thread that writes meanwhile gives a mix of old and new bytes, and
//! nothing worse: what was copied is read once and for all. So input and output may also overlap.
//!
//! The buffer is held until the copying is done: Python does not move or free its memory before.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::slice;
#[cfg(not(target_arch = "x86_64"))]
use std::sync::atomic::AtomicU8;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

/// Where foreign memory is.
#[derive(Clone, Copy)]
struct Span {
    start: *mut u8,
    bytes: usize,
}

// SAFETY: a span is an address. All accesses by it are atomic while its buffer is held, or, in
// `PartCursor`, to parts of which each is one thread's.
unsafe impl Sync for Span {}

impl Span {
    /// Asks for pages of 2 MiB: of small ones there are 512 times as many to be made ready when
    /// they are first written, which for large outputs costs more than the cryptography does.
    #[cfg(target_os = "linux")]
    fn want_large_pages(self) {
        use rustix::mm::{Advice, madvise};
        let before = self.start.align_offset(LARGE_PAGE);
        let pages = self.bytes.saturating_sub(before) / LARGE_PAGE;
        if pages > 0 {
            // SAFETY: whole pages inside of the range, of which the contents stay as they are. It
            // is a wish: if it is refused, nothing is different.
            let _ = unsafe {
                let start = self.start.add(before);
                madvise(start.cast(), pages * LARGE_PAGE, Advice::LinuxHugepage)
            };
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn want_large_pages(self) {}
}

/// The size of a large page, and of outputs for which they are worth while.
const LARGE_PAGE: usize = 2 << 20;

/// The memory of an input.
pub(crate) enum Input<'a> {
    /// A `bytes` object, which does not change.
    Bytes(&'a [u8]),
    /// Any other buffer.
    Foreign(ForeignBuffer<'a>),
}

/// Memory that others may write, held for as long as this is there. It stays in its thread, where
/// the interpreter's lock is held when it is dropped.
pub(crate) struct ForeignBuffer<'a> {
    span: Span,
    view: ffi::Py_buffer,
    lock: PhantomData<Python<'a>>,
}

// SAFETY: what is shared with threads that do not hold the lock is the span; the view is for
// `drop`.
unsafe impl Sync for ForeignBuffer<'_> {}

impl<'a> ForeignBuffer<'a> {
    fn hold(object: &'a Bound<'_, PyAny>, flags: i32) -> PyResult<Self> {
        let mut view = MaybeUninit::<ffi::Py_buffer>::uninit();
        // SAFETY: the object is there, the lock is held, and there is room for a view.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), view.as_mut_ptr(), flags) } < 0 {
            return Err(PyErr::fetch(object.py()));
        }
        // SAFETY: no error, so the view is filled in. It may be moved: of a simple buffer, it has
        // no shape or strides that could lie in it.
        let view = unsafe { view.assume_init() };
        // CPython has no negative lengths.
        let span = Span { start: view.buf.cast(), bytes: view.len.unsigned_abs() };
        Ok(Self { span, view, lock: PhantomData })
    }
}

impl Drop for ForeignBuffer<'_> {
    fn drop(&mut self) {
        // SAFETY: the view is filled in, and released this once, with the lock.
        unsafe { ffi::PyBuffer_Release(&raw mut self.view) };
    }
}

impl<'a> Input<'a> {
    /// The bytes of any object that has a buffer.
    #[inline]
    pub(crate) fn from_object(object: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.as_bytes()));
        }
        Ok(Self::Foreign(ForeignBuffer::hold(object, ffi::PyBUF_SIMPLE)?))
    }

    /// The bytes of a secret: an array of numbers is refused, though it has a buffer.
    pub(crate) fn from_secret(object: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        if object.is_none() {
            return Err(PyTypeError::new_err("no key was given, but None"));
        }
        match Self::from_object(object)? {
            Self::Foreign(foreign) if foreign.view.itemsize != 1 => {
                Err(PyTypeError::new_err("a secret is bytes: this has items of several bytes"))
            }
            input => Ok(input),
        }
    }

    /// The same; nothing for `None`.
    #[inline]
    pub(crate) fn from_optional(object: Option<&'a Bound<'_, PyAny>>) -> PyResult<Self> {
        object.map_or(Ok(Self::Bytes(&[])), Self::from_object)
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Foreign(foreign) => foreign.span.bytes,
        }
    }

    /// All of it; foreign memory is copied, so only for short inputs.
    #[inline]
    pub(crate) fn take(self) -> Taken<'a> {
        match self {
            Self::Bytes(bytes) => Taken::Borrowed(bytes),
            Self::Foreign(foreign) => {
                let mut copy = Zeroizing::new(vec![0; foreign.span.bytes]);
                foreign.copy_to(0, &mut copy);
                Taken::Copied(copy)
            }
        }
    }

    /// Copies as many bytes as `out` has, from `range.start` on.
    pub(crate) fn copy_range(&self, range: Range<usize>, out: &mut [u8]) {
        match self {
            Self::Bytes(bytes) => out.copy_from_slice(&bytes[range]),
            Self::Foreign(foreign) => {
                assert!(range.len() == out.len(), "a range of the output's length");
                foreign.copy_to(range.start, out);
            }
        }
    }
}

impl ForeignBuffer<'_> {
    /// Copies `out.len()` bytes from offset `from`.
    fn copy_to(&self, from: usize, out: &mut [u8]) {
        let end = from.checked_add(out.len()).filter(|&end| end <= self.span.bytes);
        assert!(end.is_some(), "within the buffer");
        // SAFETY: the range is inside of the buffer, which is held, so its memory is there; `out`
        // is ours alone.
        unsafe { copy(self.span.start.add(from), out.as_mut_ptr(), out.len()) };
    }
}

/// The memory of an output: foreign memory that may be written.
pub(crate) struct Output<'a>(ForeignBuffer<'a>);

impl<'a> Output<'a> {
    /// The memory of an object with a buffer that may be written: `bytes` have none.
    #[inline]
    pub(crate) fn from_object(object: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(ForeignBuffer::hold(object, ffi::PyBUF_WRITABLE)?))
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.0.span.bytes
    }

    /// Writes `data` from offset `at` on.
    pub(crate) fn write(&self, at: usize, data: &[u8]) {
        let end = at.checked_add(data.len()).filter(|&end| end <= self.len());
        assert!(end.is_some(), "within the buffer");
        // SAFETY: the range is inside of the buffer, which is held and may be written; nobody
        // writes `data`.
        unsafe { copy(data.as_ptr(), self.0.span.start.add(at), data.len()) };
    }

    /// Writes zeros over the first `bytes` bytes.
    pub(crate) fn wipe(&self, bytes: usize) {
        const ZEROS: [u8; 4096] = [0; 4096];
        let mut at = 0;
        while at < bytes {
            let n = ZEROS.len().min(bytes - at);
            self.write(at, &ZEROS[..n]);
            at += n;
        }
    }
}

/// Copies bytes, each of them by an atomic load and an atomic store, without any order: others may
/// read and write the same memory meanwhile.
///
/// # Safety
/// Both ranges are there, and do not overlap. No reference to either is used meanwhile but to read
/// `from`, unless it is this thread's own.
#[cfg(target_arch = "x86_64")]
#[inline]
unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: it copies that many bytes. To the compiler it could be the loop over atomic bytes
    // that it is elsewhere; to the CPU every access of a byte is atomic. The direction flag is
    // clear.
    unsafe {
        std::arch::asm!(
            "rep movsb",
            inout("rcx") bytes => _,
            inout("rsi") from => _,
            inout("rdi") to => _,
            options(nostack, preserves_flags)
        );
    }
}

/// Copies bytes, each of them by an atomic load and an atomic store, without any order: others may
/// read and write the same memory meanwhile.
///
/// # Safety
/// Both ranges are there, and do not overlap. No reference to either is used meanwhile but to read
/// `from`, unless it is this thread's own.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    const WORD: usize = size_of::<usize>();
    let mut at = 0;
    // SAFETY: the addresses are in the ranges, and a word is only where both are aligned for one.
    // Memory is read through a pointer to it as if it could be written, which it is not.
    unsafe {
        while at < bytes {
            let (source, target) = (from.add(at).cast_mut(), to.add(at));
            let aligned = source.align_offset(WORD) == 0 && target.align_offset(WORD) == 0;
            if aligned && bytes - at >= WORD {
                let word = AtomicUsize::from_ptr(source.cast()).load(Ordering::Relaxed);
                AtomicUsize::from_ptr(target.cast()).store(word, Ordering::Relaxed);
                at += WORD;
            } else {
                let byte = AtomicU8::from_ptr(source).load(Ordering::Relaxed);
                AtomicU8::from_ptr(target).store(byte, Ordering::Relaxed);
                at += 1;
            }
        }
    }
}

/// Input that stays as it is.
pub(crate) enum Taken<'a> {
    Borrowed(&'a [u8]),
    Copied(Zeroizing<Vec<u8>>),
}

impl std::ops::Deref for Taken<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Copied(bytes) => bytes,
        }
    }
}

/// A new `bytes` object of `total` bytes that several threads can fill, part by part. Nobody else
/// has it before it is [finished](Self::finish).
pub(crate) struct NewBytes<'py> {
    object: Bound<'py, PyBytes>,
    span: Span,
}

impl<'py> NewBytes<'py> {
    pub(crate) fn new(py: Python<'py>, total: usize) -> PyResult<Self> {
        let size = ffi::Py_ssize_t::try_from(total)?;
        // SAFETY: with no contents to copy, a new object with memory that is not written yet.
        let object = unsafe {
            let object = ffi::PyBytes_FromStringAndSize(std::ptr::null(), size);
            Bound::from_owned_ptr_or_err(py, object)?.cast_into::<PyBytes>()?
        };
        // SAFETY: it is a `bytes` object.
        let start = unsafe { ffi::PyBytes_AsString(object.as_ptr()) };
        let span = Span { start: start.cast(), bytes: total };
        span.want_large_pages();
        Ok(Self { object, span })
    }

    /// The parts, of `bytes` bytes but for the last: none is given out twice.
    pub(crate) fn cut(&mut self, bytes: usize) -> PartCursor<'_> {
        PartCursor { span: self.span, bytes, next: AtomicUsize::new(0), parts: PhantomData }
    }

    /// The object, every part of which has been given out and filled.
    pub(crate) fn finish(self) -> Bound<'py, PyBytes> {
        self.object
    }
}

/// A new `bytes` object of so many bytes, which `work` fills.
#[inline]
pub(crate) fn new_bytes<'py>(
    py: Python<'py>,
    bytes: usize,
    work: impl FnOnce(&mut [u8]) -> PyResult<()>,
) -> PyResult<Bound<'py, PyBytes>> {
    if bytes < LARGE_PAGE {
        return PyBytes::new_with(py, bytes, work);
    }
    let mut parts = NewBytes::new(py, bytes)?;
    if let Some((_, whole)) = parts.cut(bytes).next() {
        work(whole)?;
    }
    Ok(parts.finish())
}

/// Gives out the parts of a new object.
pub(crate) struct PartCursor<'a> {
    span: Span,
    bytes: usize,
    next: AtomicUsize,
    parts: PhantomData<&'a mut [u8]>,
}

impl<'a> PartCursor<'a> {
    /// Where the next part begins, and the part, with zeros.
    pub(crate) fn next(&self) -> Option<(usize, &'a mut [u8])> {
        let at = self.next.fetch_add(1, Ordering::Relaxed).checked_mul(self.bytes)?;
        if at >= self.span.bytes {
            return None;
        }
        let bytes = self.bytes.min(self.span.bytes - at);
        // SAFETY: the number that the counter gave is nobody else's, so no other slice has a byte
        // of this part; the object outlives `'a`, and has been shown to nobody. It is filled first.
        let part = unsafe {
            let start = self.span.start.add(at);
            start.write_bytes(0, bytes);
            slice::from_raw_parts_mut(start, bytes)
        };
        Some((at, part))
    }

    /// How many parts there are.
    pub(crate) fn count(&self) -> usize {
        self.span.bytes.div_ceil(self.bytes)
    }
}
