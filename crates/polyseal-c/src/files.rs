//! Whole files, by their names.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use polyseal_file::{Decryptor, Encryptor, Input, Output};

use crate::border::{border, null};
use crate::error::{Code, Failure, Outcome};
use crate::options::{Options, polyseal_options};
use crate::staged::Staged;

/// A file's name, which is bytes.
///
/// # Safety
/// `path` is null or leads to a null-terminated text that nobody writes to during `'a`.
unsafe fn name<'a>(path: *const c_char) -> Outcome<&'a Path> {
    if path.is_null() {
        return Err(null("the name of a file"));
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(path) };
    Ok(Path::new(OsStr::from_bytes(name.to_bytes())))
}

/// # Safety
/// As [`name`].
pub(crate) unsafe fn open_input(path: *const c_char) -> Outcome<File> {
    let cannot = |what: &str| Failure::new(Code::Io, format!("cannot read the input: {what}"));
    // SAFETY: the caller's promise.
    let file = File::open(unsafe { name(path) }?).map_err(|error| cannot(&error.to_string()))?;
    match file.metadata() {
        Ok(metadata) if metadata.is_file() => Ok(file),
        Ok(_) => Err(cannot("it is not a regular file")),
        Err(error) => Err(cannot(&error.to_string())),
    }
}

/// Encrypts the file called input into one called output, on all cores. The output appears when it
/// is whole, with mode 0600; on an error there is none, and one that was to be replaced is as it
/// was.
///
/// Errors: POLYSEAL_ERR_RECIPIENTS if the options name nobody; POLYSEAL_ERR_EXISTS,
/// POLYSEAL_ERR_IO, POLYSEAL_ERR_CHANGED, POLYSEAL_ERR_SUITE, POLYSEAL_ERR_KEY_FILE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_encrypt_file(
    input: *const c_char,
    output: *const c_char,
    options: *const polyseal_options,
) -> c_int {
    border(|| {
        // SAFETY: what C promises.
        let (input, output, options) =
            unsafe { (open_input(input)?, name(output)?, Options::read(options)?) };
        let recipients = options.recipients()?;
        let mut encryptor =
            Encryptor::new(&recipients).segment_size(options.segment).threads(options.threads);
        if let Some(suite) = options.suite {
            encryptor = encryptor.suite(suite);
        }
        if let Some(context) = &options.context {
            encryptor = encryptor.context(context);
        }
        let staged = Staged::create(output, options.overwrite)?;
        encryptor.encrypt(Input::File(&input), Output::File(staged.file()))?;
        staged.commit()
    })
}

/// # Safety
/// As [`open_input`] and [`Options::read`]; `path` is null if nothing is to be kept.
unsafe fn decrypt(
    input: *const c_char,
    path: Option<*const c_char>,
    options: *const polyseal_options,
) -> Outcome {
    // SAFETY: the caller's promise.
    let (input, options) = unsafe { (open_input(input)?, Options::read(options)?) };
    let identities = options.identities()?;
    let mut decryptor = Decryptor::new(&identities).threads(options.threads);
    if let Some(context) = &options.context {
        decryptor = decryptor.context(context);
    }
    let Some(path) = path else {
        decryptor.verify(Input::File(&input))?;
        return Ok(());
    };
    // SAFETY: the caller's promise.
    let staged = Staged::create(unsafe { name(path) }?, options.overwrite)?;
    decryptor.decrypt(Input::File(&input), Output::File(staged.file()))?;
    staged.commit()
}

/// Decrypts the file called input, one of polyseal_encrypt_file, of the tool or of age, into one
/// called output. The output appears when all of it has been verified, with mode 0600; on an error
/// there is none, and one that was to be replaced is as it was.
///
/// Errors: all that concern files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_decrypt_file(
    input: *const c_char,
    output: *const c_char,
    options: *const polyseal_options,
) -> c_int {
    // SAFETY: what C promises.
    border(|| unsafe { decrypt(input, Some(output), options) })
}

/// Opens all of the file called input, and keeps nothing of it.
///
/// Errors: all that concern files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_verify_file(
    input: *const c_char,
    options: *const polyseal_options,
) -> c_int {
    // SAFETY: what C promises.
    border(|| unsafe { decrypt(input, None, options) })
}
