//! Whole files, by their names. [`polyseal_local`] does the work: here C's arguments are read, and
//! errors become numbers.

use std::ffi::{c_char, c_int};

use polyseal_file::{Decryptor, Encryptor};
use polyseal_local::{Options as LocalOptions, decrypt_file, encrypt_file, verify_file};

use crate::error::{Code, Failure, Result};
use crate::ffi::catch_panic;
use crate::input::path;
use crate::options::{Options, polyseal_options};

/// Encrypts the file called input into one called output, on all cores. The output appears when it
/// is whole, with mode 0600, or that of the file of yours that it replaces; on an error there is
/// none, and one that was to be replaced is as it was. There is one exception: POLYSEAL_ERR_GREW
/// says that the input grew meanwhile, as a log does, and that the output has the input as it was
/// at first.
///
/// Errors: POLYSEAL_ERR_RECIPIENTS if the options name nobody, or those who do not go together;
/// POLYSEAL_ERR_EXISTS, POLYSEAL_ERR_IO, POLYSEAL_ERR_CHANGED, POLYSEAL_ERR_GREW,
/// POLYSEAL_ERR_TOO_LONG, POLYSEAL_ERR_SUITE, POLYSEAL_ERR_CONTEXT, POLYSEAL_ERR_KEY_FILE,
/// POLYSEAL_ERR_KEEPER, POLYSEAL_ERR_RANDOM; and POLYSEAL_ERR_MEMORY if the passphrase takes more
/// than there is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_encrypt_file(
    input: *const c_char,
    output: *const c_char,
    options: *const polyseal_options,
) -> c_int {
    catch_panic(|| {
        // SAFETY: what C promises.
        let (input, output, options) =
            unsafe { (path(input)?, path(output)?, Options::read(options)?) };
        let recipients = options.recipients()?;
        let mut encryptor =
            Encryptor::new(&recipients).segment_size(options.segment).running(options.run);
        if let Some(suite) = options.suite {
            encryptor = encryptor.suite(suite);
        }
        if let Some(context) = &options.context {
            encryptor = encryptor.context(context);
        }
        let local = options.local().armor(options.armor);
        let sealed = encrypt_file(input, output, encryptor, &local)?;
        if sealed.grew { Err(Failure::from_code(Code::Grew)) } else { Ok(()) }
    })
}

/// # Safety
/// As [`path`] and [`Options::read`].
unsafe fn decrypt(
    input: *const c_char,
    output: Option<*const c_char>,
    options: *const polyseal_options,
) -> Result {
    // SAFETY: the caller's promise.
    let (input, options) = unsafe { (path(input)?, Options::read(options)?) };
    let identities = options.identities()?;
    let mut decryptor = Decryptor::new(&identities).running(options.run);
    if let Some(context) = &options.context {
        decryptor = decryptor.context(context);
    }
    match output {
        // SAFETY: the caller's promise.
        Some(output) => decrypt_file(input, unsafe { path(output) }?, decryptor, &options.local())?,
        None => verify_file(input, decryptor, &LocalOptions::new())?,
    };
    Ok(())
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
    catch_panic(|| unsafe { decrypt(input, Some(output), options) })
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
    catch_panic(|| unsafe { decrypt(input, None, options) })
}
