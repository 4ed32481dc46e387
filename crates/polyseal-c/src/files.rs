//! Whole files, by their names.

use std::ffi::{c_char, c_int};
use std::fs::File;

use polyseal_file::{ArmorWriter, Decryptor, Encryptor, Input, Output};

use crate::border::border;
use crate::error::{Code, Failure, Outcome};
use crate::input::{open, path};
use crate::options::{Options, polyseal_options};
use crate::staged::{Staged, cannot};

/// # Safety
/// As [`path`].
pub(crate) unsafe fn open_input(name: *const c_char) -> Outcome<File> {
    // SAFETY: the caller's promise.
    open(unsafe { path(name) }?, "the input")
}

/// Encrypts the file called input into one called output, on all cores. The output appears when it
/// XX if the options name nobody; POLYSEAL_ERR_EXISTS,
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
            unsafe { (open_input(input)?, path(output)?, Options::read(options)?) };
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
        let input = Input::File(&input);
        let summary = if options.armor {
            let mut armor = ArmorWriter::new(staged.file());
            let summary = encryptor.encrypt(input, Output::Stream(&mut armor))?;
            armor.finish().map_err(cannot)?;
            summary
        } else {
            encryptor.encrypt(input, Output::File(staged.file()))?
        };
        if summary.grew {
            return Err(Failure::of(Code::Changed));
        }
        staged.commit()
    })
}

/// # Safety
/// As [`open_input`] and [`Options::read`].
unsafe fn decrypt(
    input: *const c_char,
    output: Option<*const c_char>,
    options: *const polyseal_options,
) -> Outcome {
    // SAFETY: the caller's promise.
    let (input, options) = unsafe { (open_input(input)?, Options::read(options)?) };
    let identities = options.identities()?;
    let mut decryptor = Decryptor::new(&identities).threads(options.threads);
    if let Some(context) = &options.context {
        decryptor = decryptor.context(context);
    }
    let input = Input::File(&input);
    let Some(output) = output else {
        decryptor.verify(input)?;
        return Ok(());
    };
    // SAFETY: the caller's promise.
    let staged = Staged::create(unsafe { path(output) }?, options.overwrite)?;
    decryptor.decrypt(input, Output::File(staged.file()))?;
    staged.commit()
}

/// Decrypts the file called input, one of polyseal_encrypt_file, of the tool or of age, in armour
/// or not, into one called output. The output appears when all of it has been verified, with mode
/// 0600, or that of the file of yours that it replaces; on an error there is none, and one that was
/// to be replaced is as it was.
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
