//! The cost of calls from C: each call of C's beside the same work by the typed interface of Rust,
//! in one run, in turns, and the ratio of their times.
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
use std::slice;
use std::time::{Duration, Instant};

use polyseal::aead::inout::InOutBuf;
use polyseal::aead::{AeadInOut, Key, KeyInit, Nonce, Tag};
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
        let tag_bytes = Tag::<A>::default().len();
        let message = Aligned::new(bytes, 1);
        // One output for both: where a buffer lies matters more than the call.
        let mut output = Aligned::new(bytes + tag_bytes, 0);
        let out = output.as_mut().as_mut_ptr();
        let sealed = |cipher: &A| {
            // SAFETY: as many bytes, which only one of the two uses at a time.
            let (text, tag) =
                unsafe { slice::from_raw_parts_mut(black_box(out), bytes + tag_bytes) }
                    .split_at_mut(bytes);
            let buffer = InOutBuf::new(message.as_ref(), text).expect("one length");
            let made = cipher.encrypt_inout_detached(black_box(&nonce), black_box(&ad), buffer);
            tag.copy_from_slice(&made.expect("short enough"));
        };
        let (message, clen) = (message.as_ref().as_ptr(), bytes + tag_bytes);
        let times = compare(
            bytes,
            || sealed(&A::new(black_box(&key))),
            || {
                let (ad, npub, k) = (ad.as_ptr(), nonce.as_ptr(), key.as_ptr());
                // SAFETY: there are as many bytes as are said, and as the algorithm needs.
                let done = unsafe { encrypt(black_box(out), message, bytes, ad, 13, npub, k) };
                assert_eq!(done, 0);
            },
        );
        report("one call", name, bytes, times);
        let times = compare(
            bytes,
            || sealed(black_box(&cipher)),
            || {
                let (ad, npub, npublen) = (ad.as_ptr(), nonce.as_ptr(), nonce.len());
                // SAFETY: as above, and a live handle.
                let done = unsafe {
                    seal(prepared, black_box(out), clen, message, bytes, ad, 13, npub, npublen)
                };
                assert_eq!(done, 0);
            },
        );
        report("prepared", name, bytes, times);
        let c = output.as_ref().to_vec();
        sealed(&cipher);
        assert_eq!(c, output.as_ref(), "{name}: other bytes");
    }
}

/// Bytes that begin where a line of the cache does.
struct Aligned {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Aligned {
    fn new(len: usize, value: u8) -> Self {
        let bytes = vec![value; len + 63];
        let start = bytes.as_ptr().align_offset(64);
        Self { bytes, start, len }
    }

    fn as_ref(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }

    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}

fn main() {
    let library = Library::open();
    println!("{:<9} {:<16} {:>8} {:>12} {:>12} {:>7}", "", "", "bytes", "Rust ns", "C ns", "ratio");
    row::<Aegis128X2>(&library, "aegis-128x2", "aegis128x2");
    row::<KcXaes256Gcm>(&library, "kc-xaes-256-gcm", "kc_xaes256gcm");
    row::<Aes256Gcm>(&library, "aes-256-gcm", "aes256gcm");
}
