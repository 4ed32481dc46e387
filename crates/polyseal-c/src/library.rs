//! The library itself: its version, random bytes, wiping, and whether it computes what it should.

use std::ffi::{c_char, c_int};

use polyseal::selftest;
use zeroize::Zeroize;

use crate::error::{Code, Failure, Result};
use crate::ffi::{bytes_mut, catch_panic};

/// The version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn polyseal_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Asks every algorithm, on every kind of instructions that this CPU has, for one known answer. It
/// takes a few milliseconds, and no other function needs it.
///
/// Errors: POLYSEAL_ERR_SELFTEST: do not use this build on this machine.
#[unsafe(no_mangle)]
pub extern "C" fn polyseal_selftest() -> c_int {
    catch_panic(|| Ok(selftest::check_all()?))
}

/// Fills buf, of len bytes, with random bytes of the operating system: for keys, and for nonces of
/// 16 bytes and more.
///
/// Errors: POLYSEAL_ERR_RANDOM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_random(buf: *mut u8, len: usize) -> c_int {
    // SAFETY: what C promises.
    catch_panic(|| unsafe { fill(buf, len) })
}

/// Overwrites buf, of len bytes, with zeros; no compiler leaves it out.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_memzero(buf: *mut u8, len: usize) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        unsafe { bytes_mut(buf, len) }?.zeroize();
        Ok(())
    })
}

/// # Safety
/// `buf` leads to `len` bytes that nobody else reads or writes.
pub(crate) unsafe fn fill(buf: *mut u8, len: usize) -> Result {
    // SAFETY: the caller's promise.
    let bytes = unsafe { bytes_mut(buf, len) }?;
    getrandom::fill(bytes).map_err(|_| Failure::from_code(Code::Random))
}
