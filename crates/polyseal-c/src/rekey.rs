//! Other recipients for a file: another header before the same payload, or all of it anew.
//!
//! The result is always a whole new file, or bytes in memory. Rewriting a header in the file itself
//! takes a copy beside it and somebody who puts that back: that is the tool's, `polyseal rekey
//! --in-place`.

use std::ffi::c_int;
#[cfg(unix)]
use std::{ffi::c_char, fs::File, io, io::Write};

use polyseal_file::{AuthenticHeader, Existing, Header};
#[cfg(unix)]
use polyseal_file::{Decryptor, Encryptor, Identities, Input, Output, Recipients};

use crate::border::{Region, border, bytes, bytes_mut, expect_same_or_apart};
use crate::error::{Code, Failure, Outcome};
#[cfg(unix)]
use crate::lock::{Lock, expect_no_copy};
use crate::options::{Options, polyseal_options};
#[cfg(unix)]
use crate::staged::{Staged, cannot};

const KEEP: c_int = 1;
const NEW_KEY: c_int = 2;

/// Those that are allowed, of all flags.
fn expect_flags(flags: c_int, allowed: &[c_int]) -> Outcome {
    if allowed.contains(&flags) {
        return Ok(());
    }
    Err(Failure::new(Code::Options, format!("{flags} are not the flags of a rekey")))
}

fn rekeyed(
    header: &AuthenticHeader<'_>,
    options: &Options<'_>,
    to: &Options<'_>,
    flags: c_int,
) -> Outcome<Header> {
    if options.context.is_some() {
        header.expect_context(options.context.as_ref())?;
    }
    let existing = if flags == KEEP { Existing::Keep } else { Existing::Remove };
    Ok(header.rekey(&to.recipients()?, existing)?)
}

/// Gives the file called input other recipients: those that to names. What options say opens it,
/// and says whether an output that exists is replaced. The result, called output, may be input
/// itself: then a new file takes its place, and no other rekey, the tool's included, comes between.
/// Of to nothing is used but whom it names; suite, segments and context stay.
///
/// flags is 0, so that to names everyone who can open the result; or POLYSEAL_REKEY_KEEP, which
/// keeps those whom the file is for already; or POLYSEAL_REKEY_NEW_KEY. Without the last, only the
/// header changes: whoever could open the file may have kept its key, and can open the result. With
/// it, all of the file is decrypted and encrypted anew, which locks them out of the result.
///
/// A header is not rewritten in the file itself, nor is a file in armour or of age rekeyed: the
/// tool does the one, and decrypting and encrypting does the other.
///
/// Errors: all that concern files; POLYSEAL_ERR_RECIPIENTS if to names nobody, or more than fit;
/// POLYSEAL_ERR_OPTIONS for other flags; POLYSEAL_ERR_UNSUPPORTED for armour and age;
/// POLYSEAL_ERR_CHANGED if input, as output, is being rekeyed by another; POLYSEAL_ERR_EXISTS, too,
/// if the tool was interrupted while it rewrote output's header. Then output is as it was.
#[cfg(unix)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_rekey_file(
    input: *const c_char,
    output: *const c_char,
    options: *const polyseal_options,
    to: *const polyseal_options,
    flags: c_int,
) -> c_int {
    border(|| {
        expect_flags(flags, &[0, KEEP, NEW_KEY])?;
        // SAFETY: what C promises.
        let (input, output, options, to) = unsafe {
            let (options, to) = (Options::read(options)?, Options::read(to)?);
            (crate::files::open_input(input)?, crate::input::path(output)?, options, to)
        };
        let old = read_header(&input)?;
        let identities = options.identities()?;
        let header = old.authenticate(&identities)?;
        let lock = Lock::take(output, &input, old.as_bytes())?;
        expect_no_copy(output)?;
        let staged;
        if flags == NEW_KEY {
            let recipients = to.recipients()?;
            staged = Staged::create(output, options.overwrite)?;
            anew(&input, &old, &options, &identities, &recipients, staged.file())?;
        } else {
            let new = rekeyed(&header, &options, &to, flags)?;
            staged = Staged::create(output, options.overwrite)?;
            copy(&input, &new, staged.file())?;
        }
        lock.iter().try_for_each(Lock::expect_unchanged)?;
        staged.commit()
    })
}

/// The header of a file that can be rekeyed; what is read next is the payload.
#[cfg(unix)]
fn read_header(input: &File) -> Outcome<Header> {
    let refused = |what: &str| {
        let text = format!("{what} is not rekeyed: decrypt it and encrypt it anew");
        Err(Failure::new(Code::Unsupported, text))
    };
    match Header::read(&mut &*input) {
        Err(polyseal_file::Error::Armored) => refused("a file in armour"),
        Err(polyseal_file::Error::AgeFile) => refused("a file of age"),
        header => Ok(header?),
    }
}

/// The whole file, with another header of the same length.
#[cfg(unix)]
fn copy(mut from: &File, header: &Header, mut to: &File) -> Outcome {
    let length = |file: &File| Ok::<_, Failure>(file.metadata().map_err(cannot)?.len());
    let payload = length(from)?.checked_sub(header.payload_offset());
    to.write_all(header.as_bytes()).map_err(cannot)?;
    // By the kernel, where it can; the file system may let both share it.
    let copied = io::copy(&mut from, &mut to).map_err(cannot)?;
    let still = length(from)?.checked_sub(header.payload_offset());
    if payload == Some(copied) && still == payload {
        return Ok(());
    }
    Err(Failure::of(Code::Changed))
}

/// The plaintext, under a new file key.
#[cfg(unix)]
fn anew(
    input: &File,
    header: &Header,
    options: &Options<'_>,
    identities: &Identities<'_>,
    recipients: &Recipients,
    output: &File,
) -> Outcome {
    let mut decryptor = Decryptor::new(identities);
    let mut encryptor = Encryptor::new(recipients)
        .suite(header.suite())
        .segment_size(header.segment_size())
        .header_bytes(header.as_bytes().len())
        .threads(options.threads);
    if let Some(context) = &options.context {
        (decryptor, encryptor) = (decryptor.context(context), encryptor.context(context));
    }
    let mut plaintext = decryptor.reader(input)?;
    encryptor.encrypt(Input::Stream(&mut plaintext), Output::File(output))?;
    Ok(())
}

/// The same for a header in memory, such as that of an object in a store: writes to rekeyed the
/// header, of as many bytes, for other recipients. header has header_bytes bytes, as
/// polyseal_inspection says them, and rekeyed may be header itself. flags is 0 or
/// POLYSEAL_REKEY_KEEP. Whoever puts it before the payload keeps others from doing so meanwhile.
///
/// Errors: all that concern headers; POLYSEAL_ERR_LENGTH if the header has another length,
/// POLYSEAL_ERR_RECIPIENTS, POLYSEAL_ERR_OPTIONS. Then rekeyed has not been written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_rekey_header(
    rekeyed: *mut u8,
    header: *const u8,
    header_bytes: usize,
    options: *const polyseal_options,
    to: *const polyseal_options,
    flags: c_int,
) -> c_int {
    border(|| {
        expect_flags(flags, &[0, KEEP])?;
        let (output, input) =
            (Region::new(rekeyed, header_bytes), Region::new(header, header_bytes));
        expect_same_or_apart(output, input)?;
        // SAFETY: what C promises.
        let (options, to, old) = unsafe {
            let header = Header::parse(bytes(header, header_bytes)?)?;
            (Options::read(options)?, Options::read(to)?, header)
        };
        crate::prepared::expect_bytes("the header", old.as_bytes().len(), header_bytes)?;
        let identities = options.identities()?;
        let new = self::rekeyed(&old.authenticate(&identities)?, &options, &to, flags)?;
        // SAFETY: what C promises; the header that was read has been copied.
        unsafe { bytes_mut(rekeyed, header_bytes) }?.copy_from_slice(new.as_bytes());
        Ok(())
    })
}
