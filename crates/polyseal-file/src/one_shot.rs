//! Bytes in, bytes out: for plaintexts that are in memory as a whole.

use std::mem;

use zeroize::Zeroizing;

use crate::error::Result;
use crate::pipeline::{Input, Output};
use crate::recipients::{Identities, Recipients};
use crate::whole_file::{Decryptor, Encryptor};

/// Encrypts `plaintext`; the result is a file like any other. [`Encryptor`] has the options: the
/// suite, the segment size, a context, the number of threads.
///
/// ```
/// use polyseal_file::{Identities, Key, decrypt, encrypt};
///
/// let key = Key::generate()?;
/// let file = encrypt(&(&key).into(), b"attack at dawn")?;
/// assert_eq!(decrypt(&Identities::from(&key), &file)?, b"attack at dawn");
/// # Ok::<(), polyseal_file::Error>(())
/// ```
///
/// # Errors
/// The error of [`Recipients`] that cannot be encrypted for; [`Error::TooLong`] or
/// [`Error::Random`].
///
/// [`Error::TooLong`]: crate::Error::TooLong
/// [`Error::Random`]: crate::Error::Random
pub fn encrypt(recipients: &Recipients, plaintext: &[u8]) -> Result<Vec<u8>> {
    let (mut input, mut file) = (plaintext, Vec::new());
    Encryptor::new(recipients).encrypt(Input::Stream(&mut input), Output::Stream(&mut file))?;
    Ok(file)
}

/// Decrypts `file`: all of it, or none. Plaintext that was decrypted before an error was found is
/// wiped. The result is the caller's, who may put it into a [`Zeroizing`] so that it is wiped, too.
/// A file that is bound to a context is for [`Decryptor`].
///
/// ```
/// use polyseal_file::{Error, Identities, Key, decrypt, encrypt};
///
/// let key = Key::generate()?;
/// let mut file = encrypt(&(&key).into(), &[7; 200_000])?;
/// if let Some(last) = file.last_mut() {
///     *last ^= 1;
/// }
/// let refused = decrypt(&Identities::from(&key), &file);
/// assert!(matches!(refused, Err(Error::Corrupt { segment: 3, last: true })));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Every [`Error`](crate::Error) that says what is wrong with a file.
pub fn decrypt(identities: &Identities<'_>, file: &[u8]) -> Result<Vec<u8>> {
    // A plaintext is shorter than its file. With room for it from the start: growing would leave
    // copies behind.
    let mut plaintext = Zeroizing::new(Vec::with_capacity(file.len()));
    let (mut input, output) = (file, Output::Stream(&mut *plaintext));
    Decryptor::new(identities).decrypt(Input::Stream(&mut input), output)?;
    Ok(mem::take(&mut *plaintext))
}
