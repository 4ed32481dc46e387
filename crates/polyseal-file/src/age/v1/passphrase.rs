//! The passphrase of an age file.
//!
//! Source: c2sp.org/age, "The scrypt recipient type", as the `age` crate has it.
//!
//! Limits: scrypt takes 1 KiB of memory for each unit of work. What the `age` crate copies of a
//! passphrase is wiped when it is dropped.

use ::age::scrypt::{Identity, Recipient};
use ::age::secrecy::SecretString;
use ::age::{DecryptError, Identity as _};
use age_core::format::FileKey;

use super::{MAX_WORK_FACTOR, WORK_FACTOR};
use crate::age::BoxedRecipient;
use crate::error::{Error, HeaderError, Result};
use crate::passphrase::Passphrase;
use crate::stanza::AgeStanza;

/// What wraps a file key for whoever knows the passphrase.
pub(crate) fn scrypt_recipient(passphrase: &Passphrase) -> Result<BoxedRecipient> {
    let mut recipient = Recipient::new(text(passphrase)?);
    recipient.set_work_factor(WORK_FACTOR);
    Ok(Box::new(recipient))
}

/// The file key in the only stanza of a file. The passphrase is asked for if there is a use for it.
pub(crate) fn unwrap_scrypt(
    stanza: &AgeStanza,
    ask: impl FnOnce() -> Result<Passphrase>,
) -> Result<FileKey> {
    let stanza = stanza.to_age();
    let unwrap = |passphrase, most| {
        let mut identity = Identity::new(passphrase);
        identity.set_max_work_factor(most);
        identity.unwrap_stanza(&stanza).unwrap_or(Err(DecryptError::InvalidHeader))
    };
    // What is wrong with the stanza itself shows before any work is done.
    match unwrap(SecretString::from(String::new()), 0) {
        Err(DecryptError::ExcessiveWork { required, .. }) if required <= MAX_WORK_FACTOR => {}
        Err(DecryptError::ExcessiveWork { required, .. }) => {
            return Err(Error::AgeWork { required, limit: MAX_WORK_FACTOR });
        }
        _ => return Err(HeaderError::AgeStanza.into()),
    }
    unwrap(text(&ask()?)?, MAX_WORK_FACTOR).map_err(|error| match error {
        DecryptError::DecryptionFailed => Error::WrongPassphrase,
        other => Error::age_decrypt(&other),
    })
}

fn text(passphrase: &Passphrase) -> Result<SecretString> {
    let text = str::from_utf8(passphrase.bytes()).map_err(|_| Error::AgePassphrase)?;
    Ok(SecretString::from(text.to_owned()))
}
