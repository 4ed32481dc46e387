//! Requests to valgrind's memcheck, for the test of constant time.
//!
//! Memcheck follows every bit of memory that was not initialised, and reports when a branch or an
//! address depends on one. Secrets are declared to be such memory; what is computed from them and
//! meant to be seen (ciphertexts, tags, verdicts) is declared initialised again. So a report is a
//! branch or an index on a secret. Outside valgrind, and on other CPUs than x86-64, a request does
//! nothing.

/// The requests of `valgrind.h` and `memcheck.h` that are used.
const RUNNING_ON_VALGRIND: usize = 0x1001;
const COUNT_ERRORS: usize = 0x1201;
const MAKE_MEM_UNDEFINED: usize = 0x4d43_0001;
const MAKE_MEM_DEFINED: usize = 0x4d43_0002;

fn request(code: usize, address: usize, bytes: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        let arguments = [code, address, bytes, 0, 0, 0];
        let mut result = 0;
        // SAFETY: on a CPU, rotations that add up to two whole turns and an exchange of a register
        // with itself: nothing but the flags changes. Valgrind knows the sequence and reads
        // `arguments`; it changes its own record of `address`, not the bytes there.
        unsafe {
            core::arch::asm!(
                "rol rdi, 3",
                "rol rdi, 13",
                "rol rdi, 61",
                "rol rdi, 51",
                "xchg rbx, rbx",
                inout("rdx") result,
                in("rax") arguments.as_ptr(),
                options(nostack),
            );
        }
        result
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (code, address, bytes);
        0
    }
}

/// Whether this process runs under valgrind.
#[must_use]
pub fn is_running() -> bool {
    request(RUNNING_ON_VALGRIND, 0, 0) != 0
}

/// How many errors valgrind has found so far.
#[must_use]
pub fn errors() -> usize {
    request(COUNT_ERRORS, 0, 0)
}

/// Declares `bytes` secret.
pub fn classify(bytes: &mut [u8]) {
    request(MAKE_MEM_UNDEFINED, bytes.as_mut_ptr().expose_provenance(), bytes.len());
}

/// Declares `bytes` public.
pub fn declassify(bytes: &mut [u8]) {
    request(MAKE_MEM_DEFINED, bytes.as_mut_ptr().expose_provenance(), bytes.len());
}

/// `byte`, public.
pub(crate) fn public(byte: u8) -> u8 {
    let mut byte = [byte];
    declassify(&mut byte);
    byte[0]
}
