//! What the border costs: each call of C's beside the same work by the typed interface of Rust, in
//! one run, in turns, and the ratio of their times.
//!
//! C's functions are found in the shared library as any program finds them (`dlsym`), so that
//! nothing of them is inlined here. `cargo bench -p polyseal-c --profile library` builds the
//! library beside this program. For each row: nanoseconds of the quickest tenth of the rounds.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a program")]

use std::env;
use std::ffi::{CString, c_char, c_int, c_void};
use std::hint::black_box;
use std::mem;
use std::ptr;
use std::time::{Duration, Instant};

use polyseal::aead::inout::InOutBuf;
use polyseal::aead::{AeadInOut, Key, KeyInit, Nonce};
use polyseal::aegis::Aegis128X2;
use polyseal::gcm::{Aes256Gcm, KcXaes256Gcm};

type Encrypt = unsafe extern "C" fn(
    *mut u8,
    *const u8,
    usize,
    *const u8,
    usize,
    *const u8,
    *const u8,
) -> c_int;
type New = unsafe extern "C" fn(*mut *mut c_void, *const c_char, *const u8, usize) -> c_int;
type Seal = unsafe extern "C" fn(
    *const c_void,
    *mut u8,
    usize,
    *const u8,
    usize,
    *const u8,
    usize,
    *const u8,
    usize,
) -> c_int;

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

const ROUNDS: usize = 301;

struct Library(*mut c_void);

impl Library {
    fn open() -> Self {
        let program = env::current_exe().expect("this program");
        let file = program.parent().expect("its folder").join("libpolyseal_c.so");
        let name = CString::new(file.to_str().expect("a name")).expect("a name");
        // SAFETY: a name of a file, and RTLD_NOW.
        let library = unsafe { dlopen(name.as_ptr(), 2) };
        assert!(!library.is_null(), "{} cannot be loaded", file.display());
        Self(library)
    }

    /// # Safety
    /// `F` is the type of the function of that name.
    unsafe fn function<F: Copy>(&self, name: &str) -> F {
        let text = CString::new(name).expect("a name");
        // SAFETY: the library is open.
        let function = unsafe { dlsym(self.0, text.as_ptr()) };
        assert!(!function.is_null(), "there is no {name}");
        assert_eq!(size_of::<F>(), size_of::<*mut c_void>());
        // SAFETY: the caller's promise: a pointer to a function of that type.
        unsafe { mem::transmute_copy(&function) }
    }
}

/// Times both in turns; nanoseconds a call of each.
fn compare(bytes: usize, mut ours: impl FnMut(), mut c: impl FnMut()) -> (f64, f64) {
    let calls = (200_000 / (bytes + 200)).max(1);
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        for _ in 0..calls {
            work();
        }
        start.elapsed()
    };
    let (mut rust_times, mut c_times) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        if round % 2 == 0 {
            rust_times.push(time(&mut ours));
            c_times.push(time(&mut c));
        } else {
            c_times.push(time(&mut c));
            rust_times.push(time(&mut ours));
        }
    }
    let quickest = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        let tenth = &times[..ROUNDS / 10];
        tenth.iter().sum::<Duration>().as_nanos() as f64 / (tenth.len() * calls) as f64
    };
    (quickest(&mut rust_times), quickest(&mut c_times))
}

fn report(what: &str, name: &str, bytes: usize, (rust, c): (f64, f64)) {
    println!("{what:<9} {name:<16} {bytes:>8} {rust:>12.1} {c:>12.1} {:>7.3}", c / rust);
}

fn row<A: KeyInit + AeadInOut>(library: &Library, name: &str, function: &str) {
    let (key, nonce) = (Key::<A>::default(), Nonce::<A>::default());
    let ad = [7; 13];
    // SAFETY: the types are the header's.
    let (encrypt, new, seal) = unsafe {
        (
            library.function::<Encrypt>(&format!("polyseal_{function}_encrypt")),
            library.function::<New>("polyseal_aead_new"),
            library.function::<Seal>("polyseal_aead_seal"),
        )
    };
    let cipher = A::new(&key);
    let mut prepared = ptr::null_mut();
    let text = CString::new(name).expect("a name");
    // SAFETY: a text, and as many bytes as are said.
    let made = unsafe { new(&raw mut prepared, text.as_ptr(), key.as_ptr(), key.len()) };
    assert_eq!(made, 0);
    for bytes in [64, 1024, 16 * 1024, 1024 * 1024] {
        let message = vec![1; bytes];
        let mut ours = vec![0; bytes + 64];
        let mut theirs = vec![0; bytes + 64];
        let tag_bytes = polyseal::aead::Tag::<A>::default().len();
        let sealed = |cipher: &A, out: &mut [u8]| {
            let (text, rest) = out.split_at_mut(bytes);
            let buffer = InOutBuf::new(&message[..], text).expect("one length");
            let tag = cipher.encrypt_inout_detached(black_box(&nonce), black_box(&ad), buffer);
            rest[..tag_bytes].copy_from_slice(&tag.expect("short enough"));
        };
        let times = compare(
            bytes,
            || sealed(&A::new(black_box(&key)), black_box(&mut ours)),
            || {
                // SAFETY: there are as many bytes as are said, and as the algorithm needs.
                let done = unsafe {
                    encrypt(
                        theirs.as_mut_ptr(),
                        message.as_ptr(),
                        bytes,
                        ad.as_ptr(),
                        ad.len(),
                        nonce.as_ptr(),
                        key.as_ptr(),
                    )
                };
                assert_eq!(done, 0);
            },
        );
        assert_eq!(ours, theirs, "{name}");
        report("one call", name, bytes, times);
        theirs.fill(0);
        let times = compare(
            bytes,
            || sealed(black_box(&cipher), black_box(&mut ours)),
            || {
                // SAFETY: as above, and a live handle.
                let done = unsafe {
                    seal(
                        prepared,
                        theirs.as_mut_ptr(),
                        bytes + tag_bytes,
                        message.as_ptr(),
                        bytes,
                        ad.as_ptr(),
                        ad.len(),
                        nonce.as_ptr(),
                        nonce.len(),
                    )
                };
                assert_eq!(done, 0);
            },
        );
        assert_eq!(ours, theirs, "{name}");
        report("prepared", name, bytes, times);
    }
}

fn main() {
    let library = Library::open();
    println!("{:<9} {:<16} {:>8} {:>12} {:>12} {:>7}", "", "", "bytes", "Rust ns", "C ns", "ratio");
    row::<Aegis128X2>(&library, "aegis-128x2", "aegis128x2");
    row::<KcXaes256Gcm>(&library, "kc-xaes-256-gcm", "kc_xaes256gcm");
    row::<Aes256Gcm>(&library, "aes-256-gcm", "aes256gcm");
}
