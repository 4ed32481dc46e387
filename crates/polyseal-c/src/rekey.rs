//! Other recipients for a file: another header before the same payload, or all of it anew.
//!
//! The result is always a whole new file, or bytes in memory. [`polyseal_local`] does the work on
//! files. Rewriting a header in the file itself takes a copy beside it and somebody who puts that
//! back: that is the tool's, `polyseal rekey --in-place`.

use std::ffi::{c_char, c_int};

use polyseal_file::{AuthenticHeader, ExistingRecipients, Header};
use polyseal_local::{Place, Rekey, RekeyMode, RekeyPlan, RekeyTarget, RekeyedFile};

use crate::error::{Code, Failure, Result};
use crate::ffi::{Region, bytes, bytes_mut, catch_panic, expect_same_or_apart};
use crate::input::path;
use crate::options::{Options, polyseal_options};

const KEEP: c_int = 1;
const NEW_KEY: c_int = 2;

/// Those that are allowed, of all flags.
fn expect_flags(flags: c_int, allowed: &[c_int]) -> Result {
    if allowed.contains(&flags) {
        return Ok(());
    }
    Err(Failure::new(Code::Options, format!("{flags} are not the flags of a rekey")))
}

fn others(flags: c_int) -> ExistingRecipients {
    if flags == KEEP { ExistingRecipients::Keep } else { ExistingRecipients::Remove }
}

fn rekeyed(
    header: &AuthenticHeader<'_>,
    options: &Options<'_>,
    to: &Options<'_>,
    flags: c_int,
) -> Result<Header> {
    if options.context.is_some() {
        header.expect_context(options.context.as_ref())?;
    }
    Ok(header.rekey(&to.recipients()?, others(flags))?)
}

/// Gives the file called input other recipients: those that to names. options have the keys that
/// open it, and say whether an output that exists is replaced. The result, called output, may be
/// input itself: then a new file takes its place, and no other rekey, the tool's included, comes
/// between. Only the recipients of to are used; suite, segments and context stay.
///
/// flags is 0, so that to names everyone who can open the result; or POLYSEAL_REKEY_KEEP, which
/// keeps those whom the file is for already; or POLYSEAL_REKEY_NEW_KEY. Without the last, only the
/// header changes: anyone who could open the file may have kept its key, and can open the result.
/// With it, all of the file is decrypted and encrypted anew, which locks them out of the result.
///
/// A header is not rewritten in the file itself: the tool does that. A file in armour is not
/// rekeyed: decrypt it and encrypt it anew. One of age is, for recipients of age.
///
/// Errors: all that concern files; POLYSEAL_ERR_RECIPIENTS if to names nobody, or more than fit;
/// POLYSEAL_ERR_OPTIONS for other flags; POLYSEAL_ERR_UNSUPPORTED for armour and age;
/// POLYSEAL_ERR_CHANGED if input, as output, is being rekeyed by another; POLYSEAL_ERR_EXISTS, too,
/// if the tool was interrupted while it rewrote output's header. Then output is as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyseal_rekey_file(
    input: *const c_char,
    output: *const c_char,
    options: *const polyseal_options,
    to: *const polyseal_options,
    flags: c_int,
) -> c_int {
    catch_panic(|| {
        expect_flags(flags, &[0, KEEP, NEW_KEY])?;
        // SAFETY: what C promises.
        let (input, output, options, to) =
            unsafe { (path(input)?, path(output)?, Options::read(options)?, Options::read(to)?) };
        let (identities, recipients) = (options.identities()?, to.recipients()?);
        let how = if flags == NEW_KEY { RekeyMode::NewKey } else { RekeyMode::Header };
        let mut plan = RekeyPlan::new(&identities, &recipients, others(flags), how);
        plan = plan.running(options.run);
        if let Some(context) = &options.context {
            plan = plan.context(context);
        }
        // An output that is the input by the time that it is opened is refused.
        let is_input = match (Place::from_path(input), Place::from_path(output)) {
            (Ok(from), Ok(to)) => from.is_same(&to),
            _ => false,
        };
        match (is_input, options.overwrite) {
            (true, false) => Err(Failure::from_code(Code::Exists)),
            (true, true) => {
                let rekey = Rekey::new(RekeyTarget::File(input), &plan);
                rekey.options(&options.local()).run()?;
                Ok(())
            }
            (false, _) => {
                Ok(RekeyedFile::open(input, &plan)?.write_to_file(output, &options.local())?)
            }
        }
    })
}

/// The same for a header in memory, such as that of an object in a store: writes to rekeyed the
/// header, of as many bytes, for other recipients. header has header_bytes bytes, as
/// polyseal_inspection says them, and rekeyed may be header itself. flags is 0 or
/// POLYSEAL_REKEY_KEEP. When you put it before the payload, keep others from doing so meanwhile.
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
    catch_panic(|| {
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
