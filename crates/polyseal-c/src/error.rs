//! Errors: a number for programs, a text for people, and the last one of each thread.
//!
//! A function gives 0 or −1, as libsodium's do. Why it was −1 is kept for the thread that called;
//! success leaves it as it is, so that it costs nothing. There is no other way: no function has an
//! argument for its error.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};

/// Why a function failed: what C reads with `polyseal_last_error`.
#[derive(Debug)]
pub struct Failure {
    code: Code,
    text: String,
}

/// The result of this crate's own functions.
pub type Result<T = ()> = std::result::Result<T, Failure>;

macro_rules! codes {
    ($($code:ident = $value:literal, $name:literal, $text:literal;)*) => {
        /// The number of an error. Numbers are never used for another one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        pub enum Code {
            $(#[doc = $text] $code = $value,)*
        }

        /// Every code: its name in C after `POLYSEAL_ERR_`, its number, and what it means, as
        /// `polyseal_strerror` says it.
        pub const CODES: &[(&str, i32, &str)] = &[$(($name, $value, $text),)*];

        fn text(code: c_int) -> &'static CStr {
            match code {
                0 => c"no error",
                $($value => const {
                    match CStr::from_bytes_with_nul(concat!($text, "\0").as_bytes()) {
                        Ok(text) => text,
                        Err(_) => panic!("a text with a null byte"),
                    }
                },)*
                _ => c"unknown error",
            }
        }
    };
}

codes! {
    Unauthentic = 1, "UNAUTHENTIC", "not authentic: wrong key, or altered data";
    Null = 2, "NULL", "a null pointer where there must be something";
    Overlap = 3, "OVERLAP", "an output overlaps an input, or another output";
    Length = 4, "LENGTH", "a key, nonce, tag or buffer of another length than is needed";
    TooLong = 5, "TOO_LONG", "longer than the algorithm's limit";
    Algorithm = 6, "ALGORITHM", "no algorithm has this name, or no such parameter";
    Unsupported = 7, "UNSUPPORTED", "the algorithm cannot do this";
    Finished = 8, "FINISHED", "called after the end";
    Random = 9, "RANDOM", "the operating system gave no random bytes";
    SelfTest = 10, "SELFTEST", "a known-answer test failed: do not use this build on this machine";
    Options = 11, "OPTIONS", "a field of the options has an invalid value";
    Text = 12, "TEXT", "a text that is not UTF-8";
    Memory = 13, "MEMORY", "there is not the memory";
    Defect = 14, "DEFECT", "a defect of this library; it is still safe to use";
    Io = 20, "IO", "the system, or read_at, could not read or write";
    Exists = 21, "EXISTS", "the output exists, and was not to be replaced";
    NotEncrypted = 22, "NOT_ENCRYPTED", "not an encrypted file";
    Version = 23, "VERSION", "a file of a version that this library does not read";
    Header = 24, "HEADER", "the file's header is not as it may be, or not as it was written";
    NoMatchingKey = 25, "NO_MATCHING_KEY", "the file is for none of the keys that were given";
    Passphrase = 26, "PASSPHRASE", "the file has a passphrase, and another or none was given";
    Context = 27, "CONTEXT", "another context, or none, than the file is bound to";
    Recipients = 28, "RECIPIENTS", "nobody to encrypt for, or those who do not go together";
    Corrupt = 29, "CORRUPT", "a part of the file is not as it was written";
    Truncated = 30, "TRUNCATED", "the file has been cut short or extended";
    Changed = 31, "CHANGED", "the input changed while it was read";
    KeyFile = 32, "KEY_FILE", "not a key file, or a key of age that cannot be used";
    Suite = 33, "SUITE", "no algorithm, or no size of segments, for files";
    Armor = 34, "ARMOR", "armour that is not as it should be";
    Grew = 35, "GREW", "the input grew while it was read: the output has its first length";
    Keeper = 36, "KEEPER", "the keeper of a key that is kept elsewhere does not give it";
}

impl Failure {
    /// With a text that says more than the code's own.
    #[cold]
    #[inline(never)]
    pub(crate) fn new(code: Code, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    /// With the code's own text.
    #[cold]
    #[inline(never)]
    pub(crate) fn from_code(code: Code) -> Self {
        Self::new(code, text(code as c_int).to_string_lossy())
    }

    pub(crate) fn code(&self) -> Code {
        self.code
    }
}

thread_local! {
    static LAST: RefCell<Option<(c_int, CString)>> = const { RefCell::new(None) };
}

/// Keeps it for the thread that called.
pub(crate) fn keep(failure: Failure) {
    let text = CString::new(failure.text).unwrap_or_default();
    // While the thread ends, nobody asks any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = Some((failure.code as c_int, text)));
}

/// Why the last function of this thread failed that did: one of the numbers above, or
/// POLYSEAL_OK if none has. A function that succeeds does not change it.
#[unsafe(no_mangle)]
pub extern "C" fn polyseal_last_error() -> c_int {
    LAST.try_with(|last| last.borrow().as_ref().map_or(0, |(code, _)| *code)).unwrap_or(0)
}

/// The same in words, with details that the number leaves out: lengths, and the system's answer. It
/// may hold names of files, never a secret. Valid until the next function of this thread fails.
#[unsafe(no_mangle)]
pub extern "C" fn polyseal_last_error_text() -> *const c_char {
    const NONE: *const c_char = c"no error".as_ptr();
    LAST.try_with(|last| last.borrow().as_ref().map_or(NONE, |(_, text)| text.as_ptr()))
        .unwrap_or(NONE)
}

/// The meaning of a number, in words that last as long as the program.
#[unsafe(no_mangle)]
pub extern "C" fn polyseal_strerror(error: c_int) -> *const c_char {
    text(error).as_ptr()
}

impl From<polyseal::Error> for Failure {
    fn from(error: polyseal::Error) -> Self {
        use polyseal::Error as E;
        let code = match error {
            E::Unauthentic => Code::Unauthentic,
            E::Length { .. } | E::Range { .. } | E::Buffer { .. } => Code::Length,
            E::TooLong { .. } | E::Limit { .. } | E::TooManySegments => Code::TooLong,
            #[cfg(feature = "flex")]
            E::Config(_) => Code::Algorithm,
            E::Size { .. }
            | E::UnknownAlgorithm
            | E::LeftOut { .. }
            | E::Parameter
            | E::ExclusiveParameters => Code::Algorithm,
            E::Random => Code::Random,
            E::SelfTest => Code::SelfTest,
            _ => Code::Unsupported,
        };
        Self::new(code, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_and_each_name_stands_for_one_error_that_has_a_text() {
        for (i, (name, value, text)) in CODES.iter().enumerate() {
            assert!(CODES[..i].iter().all(|(n, v, _)| n != name && v < value), "{name}");
            assert_eq!(super::text(*value).to_str().unwrap(), *text);
        }
        assert_eq!(text(0), c"no error");
        assert_eq!(text(-1), c"unknown error");
    }

    #[test]
    fn each_thread_has_its_own_last_error() {
        keep(Failure::new(Code::Io, "here"));
        std::thread::spawn(|| {
            assert_eq!(polyseal_last_error(), 0);
            keep(Failure::from_code(Code::Null));
            assert_eq!(polyseal_last_error(), Code::Null as c_int);
        })
        .join()
        .unwrap();
        assert_eq!(polyseal_last_error(), Code::Io as c_int);
        // SAFETY: a text of this thread, which nothing fails in meanwhile.
        assert_eq!(unsafe { CStr::from_ptr(polyseal_last_error_text()) }, c"here");
    }
}
