//! Where C calls Rust: pointers become slices, panics become errors.
//!
//! Checked here: a null pointer with a length, a length that no memory has, an output that overlaps
//! what is read. An input may be the output (`transfer`): the message is then replaced where it
//! lies. Not checked, because it cannot be: whether there are as many bytes as C says.

use std::ffi::{CStr, c_char, c_int};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::slice;

use polyseal::aead::inout::InOutBuf;

use crate::error::{Code, Failure, Result, keep};

/// The value of `call` for C: 0, or −1 and the reason kept.
#[inline]
pub(crate) fn catch_panic(call: impl FnOnce() -> Result) -> c_int {
    catch_panic_or(-1, || call().map(|()| 0))
}

/// The same for a function with a value of its own, and one that says that it has failed.
#[inline]
pub(crate) fn catch_panic_or<T>(failed: T, call: impl FnOnce() -> Result<T>) -> T {
    // State that a panic leaves behind is not used again: keys and buffers are C's, or are dropped.
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => value,
        Ok(Err(failure)) => {
            keep(failure);
            failed
        }
        Err(panic) => {
            // Dropping it could panic again.
            mem::forget(panic);
            keep(Failure::from_code(Code::Defect));
            failed
        }
    }
}

/// `len` bytes at `start`, which may be null if there are none.
///
/// # Safety
/// `start` leads to `len` bytes that nobody writes to during `'a`.
#[inline(always)]
pub(crate) unsafe fn bytes<'a>(start: *const u8, len: usize) -> Result<&'a [u8]> {
    let start = expect_some(start.cast_mut(), len)?;
    // SAFETY: it is not null, the length is one that memory has, and the rest is the caller's.
    Ok(unsafe { slice::from_raw_parts(start, len) })
}

/// `len` bytes at `start` to write to, which may be null if there are none.
///
/// # Safety
/// `start` leads to `len` bytes that nobody else reads or writes during `'a`.
#[inline(always)]
pub(crate) unsafe fn bytes_mut<'a>(start: *mut u8, len: usize) -> Result<&'a mut [u8]> {
    let start = expect_some(start, len)?;
    // SAFETY: it is not null, the length is one that memory has, and the rest is the caller's.
    Ok(unsafe { slice::from_raw_parts_mut(start, len) })
}

/// `start`; if there are no bytes, a pointer that is not null.
#[inline(always)]
fn expect_some(start: *mut u8, len: usize) -> Result<*mut u8> {
    // One way for all lengths, so that what becomes of it stays in registers.
    let start = if len == 0 { NonNull::dangling().as_ptr() } else { start };
    if start.is_null() {
        return Err(null("a buffer"));
    }
    if len > isize::MAX as usize {
        return Err(Failure::from_code(Code::TooLong));
    }
    Ok(start)
}

#[cold]
pub(crate) fn null(what: &str) -> Failure {
    Failure::new(Code::Null, format!("{what} is a null pointer"))
}

/// The target of a handle or of a pointer to a structure.
///
/// # Safety
/// `pointer` is null or leads to a `T` that nobody writes to during `'a`.
#[inline]
pub(crate) unsafe fn non_null<'a, T>(pointer: *const T, what: &str) -> Result<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(what))
}

/// The same, to be written to.
///
/// # Safety
/// `pointer` is null or leads to a `T` that nobody else reads or writes during `'a`.
pub(crate) unsafe fn non_null_mut<'a, T>(pointer: *mut T, what: &str) -> Result<&'a mut T> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(what))
}

/// A text of C.
///
/// # Safety
/// `text` is null or leads to a null-terminated text that nobody writes to during `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str> {
    if text.is_null() {
        return Err(null(what));
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| Failure::new(Code::Text, format!("{what} is not UTF-8")))
}

/// Puts the value of `make` into `slot`, as a handle, or a null pointer if it fails.
///
/// # Safety
/// `slot` is null or leads to a pointer that may be written to.
pub(crate) unsafe fn hand_over<T>(slot: *mut *mut T, make: impl FnOnce() -> Result<T>) -> c_int {
    catch_panic(|| {
        // SAFETY: the caller's promise.
        let slot = unsafe { non_null_mut(slot, "where the handle goes") }?;
        *slot = ptr::null_mut();
        *slot = Box::into_raw(Box::new(make()?));
        Ok(())
    })
}

/// Drops the target of a handle.
///
/// # Safety
/// `handle` is null or comes from [`hand_over`], and is not used any more.
pub(crate) unsafe fn release<T>(handle: *mut T) {
    catch_panic(|| {
        if !handle.is_null() {
            // SAFETY: the caller's promise: it was made by `Box::into_raw`.
            drop(unsafe { Box::from_raw(handle) });
        }
        Ok(())
    });
}

/// Where bytes lie. It is for comparison only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Region {
    #[inline]
    pub(crate) fn new(start: *const u8, len: usize) -> Self {
        let start = start.addr();
        Self { start, end: start.saturating_add(len) }
    }

    #[inline]
    pub(crate) fn from_slice(bytes: &[u8]) -> Self {
        Self::new(bytes.as_ptr(), bytes.len())
    }

    /// Whether a byte lies in both.
    #[inline]
    pub(crate) fn meets(self, other: Self) -> bool {
        self.start.max(other.start) < self.end.min(other.end)
    }
}

/// Refuses an output that any of the inputs lies in.
#[inline]
pub(crate) fn expect_apart<const N: usize>(output: Region, inputs: &[Region; N]) -> Result {
    // Without a branch for each: they are almost always apart.
    if inputs.iter().fold(false, |any, input| any | input.meets(output)) {
        return Err(Failure::from_code(Code::Overlap));
    }
    Ok(())
}

/// Refuses an output that the input lies in without being where it begins.
#[inline]
pub(crate) fn expect_same_or_apart(output: Region, input: Region) -> Result {
    if output.start == input.start { Ok(()) } else { expect_apart(output, &[input]) }
}

/// `len` bytes on their way from `input` to `output`, which are one buffer or two.
///
/// # Safety
/// Both lead to `len` bytes, and are the same or do not overlap, which [`expect_same_or_apart`]
/// finds out; during `'a` nobody else writes to either or reads the output.
#[inline(always)]
pub(crate) unsafe fn transfer<'a>(
    input: *const u8,
    output: *mut u8,
    len: usize,
) -> Result<InOutBuf<'a, 'a, u8>> {
    let (input, output) = (expect_some(input.cast_mut(), len)?, expect_some(output, len)?);
    // SAFETY: neither is null, and the rest is the caller's promise.
    Ok(unsafe { InOutBuf::from_raw(input, output, len) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::polyseal_last_error;

    #[test]
    fn a_panic_ends_where_c_has_called() {
        assert_eq!(catch_panic(|| panic!("a defect")), -1);
        assert_eq!(polyseal_last_error(), Code::Defect as c_int);
        assert_eq!(catch_panic_or(7_u64, || panic!("again")), 7);
    }

    #[test]
    fn what_lies_in_an_output_is_refused_and_what_is_beside_it_is_not() {
        let buffer = [0_u8; 16];
        let region = |from: usize, len: usize| Region::from_slice(&buffer[from..from + len]);
        let output = region(4, 8);
        for (input, apart) in [
            (region(0, 4), true),
            (region(12, 4), true),
            (region(6, 0), true),
            (region(4, 8), false),
            (region(0, 5), false),
            (region(11, 1), false),
            (region(5, 2), false),
        ] {
            assert_eq!(expect_apart(output, &[region(0, 1), input]).is_ok(), apart, "{input:?}");
        }
        assert!(expect_same_or_apart(output, region(4, 8)).is_ok());
        assert!(expect_same_or_apart(output, region(5, 8)).is_err());
    }

    #[test]
    fn null_is_for_nothing_only() {
        // SAFETY: nothing is read: the pointers are null, or there are no bytes.
        unsafe {
            assert!(bytes(ptr::null(), 0).unwrap().is_empty());
            assert_eq!(bytes(ptr::null(), 1).unwrap_err().code(), Code::Null);
            assert!(bytes_mut(ptr::null_mut(), 0).unwrap().is_empty());
            assert_eq!(bytes_mut(ptr::null_mut(), 1).unwrap_err().code(), Code::Null);
            assert!(transfer(ptr::null(), ptr::null_mut(), 0).unwrap().is_empty());
            let mut byte = 0;
            let code = |input, output| transfer(input, output, 1).err().map(|f| f.code());
            assert_eq!(code(ptr::null(), &raw mut byte), Some(Code::Null));
            assert_eq!(code(&raw const byte, ptr::null_mut()), Some(Code::Null));
            assert_eq!(text(ptr::null(), "a name").unwrap_err().code(), Code::Null);
            assert_eq!(text(c"\xff".as_ptr(), "a name").unwrap_err().code(), Code::Text);
        }
    }

    #[test]
    fn no_memory_is_longer_than_half_of_what_can_be_addressed() {
        let byte = 0;
        // SAFETY: it is refused before anything is read.
        let refused = unsafe { bytes(&raw const byte, usize::MAX) };
        assert_eq!(refused.unwrap_err().code(), Code::TooLong);
    }
}
