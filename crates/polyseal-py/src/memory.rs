//! Memory that Python owns: the only `unsafe` code of the crate.
//!
//! A `bytes` object does not change, so its memory may be a slice as long as the object is held.
//! Everything else that has a buffer (`bytearray`, `memoryview`, arrays) can be written by another
//! thread at any moment, once the interpreter's lock is released, and by code in C even before.
//! There is never a slice of such memory: it is copied, by atomic loads into memory of our own, or
//! by atomic stores out of it. A thread that writes meanwhile gives a mix of old and new bytes, and
//! nothing worse: what was copied is read once and for all. So input and output may also overlap.
//!
//! The buffer is held until the copying is done: Python does not move or free its memory before.

#![allow(unsafe_code)]

use std::ops::Range;
use std::slice;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError};
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

// SAFETY: a span is an address. What is done with it are atomic accesses while its buffer is held.
unsafe impl Send for Span {}
// SAFETY: as above.
unsafe impl Sync for Span {}

/// What was given as input.
pub(crate) enum Input<'a> {
    /// Of a `bytes` object, which does not change.
    Bytes(&'a [u8]),
    /// Of any other.
    Foreign(Foreign),
}

/// Memory that others may write, held for as long as this is there.
pub(crate) struct Foreign {
    span: Span,
    /// Releases it, with the interpreter's lock, when it is dropped.
    _held: PyUntypedBuffer,
}

impl Foreign {
    fn hold(object: &Bound<'_, PyAny>, writable: bool) -> PyResult<Self> {
        let held = PyUntypedBuffer::get(object).map_err(|error| {
            let py = object.py();
            if error.is_instance_of::<PyTypeError>(py) {
                let kind = object.get_type().name().map_or_else(|_| "?".into(), |n| n.to_string());
                PyTypeError::new_err(format!("a bytes-like object is required, not '{kind}'"))
            } else {
                error
            }
        })?;
        if writable && held.readonly() {
            return Err(PyTypeError::new_err("the buffer is read-only"));
        }
        if !held.is_c_contiguous() {
            return Err(PyBufferError::new_err("the memory of the buffer is not contiguous"));
        }
        let span = Span { start: held.buf_ptr().cast(), bytes: held.len_bytes() };
        Ok(Self { span, _held: held })
    }
}

impl<'a> Input<'a> {
    /// The bytes of any object that has a buffer.
    #[inline]
    pub(crate) fn of(object: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.as_bytes()));
        }
        Ok(Self::Foreign(Foreign::hold(object, false)?))
    }

    /// The same; nothing for `None`.
    #[inline]
    pub(crate) fn of_optional(object: Option<&'a Bound<'_, PyAny>>) -> PyResult<Self> {
        object.map_or(Ok(Self::Bytes(&[])), Self::of)
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Foreign(foreign) => foreign.span.bytes,
        }
    }

    /// All of it, of which foreign memory is copied: for what is short.
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

impl Foreign {
    /// Copies `out.len()` bytes from offset `from`.
    fn copy_to(&self, from: usize, out: &mut [u8]) {
        let end = from.checked_add(out.len()).filter(|&end| end <= self.span.bytes);
        assert!(end.is_some(), "within the buffer");
        // SAFETY: the range is inside of the buffer, which is held, so its memory is there.
        let source = unsafe { self.span.start.add(from) };
        let words = Words::of(source, out.len());
        let (head, rest) = out.split_at_mut(words.head);
        let (middle, tail) = rest.split_at_mut(words.words * WORD);
        // SAFETY: `Words` divides the range; a byte has no alignment.
        let byte =
            |at: usize| unsafe { AtomicU8::from_ptr(source.add(at)) }.load(Ordering::Relaxed);
        head.iter_mut().enumerate().for_each(|(i, out)| *out = byte(i));
        for (i, out) in middle.chunks_exact_mut(WORD).enumerate() {
            // SAFETY: `head` bytes on, the address is aligned for a word, and the range has this
            // one.
            let word = unsafe { AtomicUsize::from_ptr(source.add(words.head + i * WORD).cast()) };
            out.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
        }
        let at = words.head + words.words * WORD;
        tail.iter_mut().enumerate().for_each(|(i, out)| *out = byte(at + i));
    }
}

/// What was given as output: foreign memory that may be written.
pub(crate) struct Output(Foreign);

impl Output {
    /// The memory of an object with a buffer that may be written.
    #[inline]
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyBytes>() {
            return Err(PyTypeError::new_err("bytes do not change: give a bytearray"));
        }
        Ok(Self(Foreign::hold(object, true)?))
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.0.span.bytes
    }

    /// Writes `data` from offset `at` on.
    pub(crate) fn write(&self, at: usize, data: &[u8]) {
        let end = at.checked_add(data.len()).filter(|&end| end <= self.len());
        assert!(end.is_some(), "within the buffer");
        // SAFETY: the range is inside of the buffer, which is held and may be written.
        let target = unsafe { self.0.span.start.add(at) };
        let words = Words::of(target, data.len());
        let (head, rest) = data.split_at(words.head);
        let (middle, tail) = rest.split_at(words.words * WORD);
        let byte = |at: usize, value: u8| {
            // SAFETY: `Words` divides the range; a byte has no alignment.
            unsafe { AtomicU8::from_ptr(target.add(at)) }.store(value, Ordering::Relaxed);
        };
        head.iter().enumerate().for_each(|(i, value)| byte(i, *value));
        for (i, value) in middle.chunks_exact(WORD).enumerate() {
            // SAFETY: `head` bytes on, the address is aligned for a word, and the range has this
            // one.
            let word = unsafe { AtomicUsize::from_ptr(target.add(words.head + i * WORD).cast()) };
            let mut bytes = [0; WORD];
            bytes.copy_from_slice(value);
            word.store(usize::from_ne_bytes(bytes), Ordering::Relaxed);
        }
        let from = words.head + words.words * WORD;
        tail.iter().enumerate().for_each(|(i, value)| byte(from + i, *value));
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

const WORD: usize = size_of::<usize>();

/// How a range divides: bytes up to the first aligned word, whole words, and what is left.
struct Words {
    head: usize,
    words: usize,
}

impl Words {
    fn of(start: *const u8, bytes: usize) -> Self {
        let head = start.align_offset(WORD).min(bytes);
        Self { head, words: (bytes - head) / WORD }
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
pub(crate) struct Parts<'py> {
    object: Bound<'py, PyBytes>,
    span: Span,
}

impl<'py> Parts<'py> {
    pub(crate) fn new(py: Python<'py>, total: usize) -> PyResult<Self> {
        let size = ffi::Py_ssize_t::try_from(total)?;
        // SAFETY: with no contents to copy, a new object with memory that is not written yet.
        let object = unsafe {
            let object = ffi::PyBytes_FromStringAndSize(std::ptr::null(), size);
            Bound::from_owned_ptr_or_err(py, object)?.cast_into::<PyBytes>()?
        };
        // SAFETY: it is a `bytes` object.
        let start = unsafe { ffi::PyBytes_AsString(object.as_ptr()) };
        Ok(Self { object, span: Span { start: start.cast(), bytes: total } })
    }

    /// The parts, of `bytes` bytes but for the last: none is given out twice.
    pub(crate) fn cut(&mut self, bytes: usize) -> PartsCut<'_> {
        PartsCut {
            span: self.span,
            bytes,
            next: AtomicUsize::new(0),
            parts: std::marker::PhantomData,
        }
    }

    /// The object, every part of which has been given out and filled.
    pub(crate) fn finish(self) -> Bound<'py, PyBytes> {
        self.object
    }
}

/// Gives out the parts of a new object.
pub(crate) struct PartsCut<'a> {
    span: Span,
    bytes: usize,
    next: AtomicUsize,
    parts: std::marker::PhantomData<&'a mut [u8]>,
}

impl<'a> PartsCut<'a> {
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
