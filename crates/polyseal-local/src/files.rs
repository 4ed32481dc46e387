//! Whole files, from one name to another.

use std::fs::File;
use std::path::Path;

use polyseal_file::{Decryptor, Encryptor, Error as FileError, Input, Output, Summary};

use crate::error::{About, Error, Problem, Result, file, sealing};
use crate::forbidden::Forbidden;
use crate::new_file::NewFile;
use crate::options::Options;
use crate::place::Place;
use crate::platform::FileId;

/// Encrypts the regular file `input` to the file `output`, which appears when it is complete.
///
/// ```
/// use polyseal_file::{Decryptor, Encryptor, Identities, Key, Recipients};
/// use polyseal_local::{Options, decrypt_file, encrypt_file};
///
/// # let directory = tempfile::tempdir()?;
/// # let [notes, sealed, back] = ["notes", "notes.polyseal", "back"].map(|n| directory.path().join(n));
/// std::fs::write(&notes, "meet at noon")?;
/// let key = Key::generate()?;
/// let recipients = Recipients::from(&key);
/// encrypt_file(&notes, &sealed, Encryptor::new(&recipients), &Options::new())?;
///
/// let identities = Identities::from(&key);
/// decrypt_file(&sealed, &back, Decryptor::new(&identities), &Options::new())?;
/// assert_eq!(std::fs::read_to_string(&back)?, "meet at noon");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`NewFile::at`], [`Problem::Forbidden`] if the output is the input,
/// [`Problem::Sealing`], or what the system says. Then there is no output, and one that was to be
/// replaced is as it was.
pub fn encrypt_file(
    input: &Path,
    output: &Path,
    encryptor: Encryptor<'_>,
    options: &Options<'_>,
) -> Result<Summary> {
    let add = |more| options.progress.bytes(more);
    carry(input, output, options, |from, to| {
        let to = Output::File(to);
        encryptor.progress(&add).encrypt(Input::File(from), to).map_err(sealing(input))
    })
}

/// Decrypts the regular file `input` to the file `output`, which appears when all of it has been
/// verified. Files of age, and in armour, are decrypted, too.
///
/// # Errors
/// Those of [`NewFile::at`], [`Problem::Forbidden`] if the output is the input, [`Problem::File`],
/// or what the system says. Then there is no output, and one that was to be replaced is as it was.
pub fn decrypt_file(
    input: &Path,
    output: &Path,
    decryptor: Decryptor<'_>,
    options: &Options<'_>,
) -> Result<Summary> {
    let add = |more| options.progress.bytes(more);
    carry(input, output, options, |from, to| {
        let to = Output::File(to);
        decryptor.progress(&add).decrypt(Input::File(from), to).map_err(file(input))
    })
}

/// Opens all of the regular file `input`, and keeps nothing of it.
///
/// # Errors
/// [`Problem::File`], or what the system says.
pub fn verify_file(
    input: &Path,
    decryptor: Decryptor<'_>,
    options: &Options<'_>,
) -> Result<Summary> {
    let add = |more| options.progress.bytes(more);
    let from = open(input)?;
    options.progress.expect(1, from.metadata().cannot("read", input)?.len());
    expect_wanted(input, options, decryptor.progress(&add).verify(Input::File(&from)))
        .map_err(|error| error)?
        .map_err(file(input))
}

/// Carries one file into another, which then appears.
fn carry<T>(
    input: &Path,
    output: &Path,
    options: &Options<'_>,
    work: impl FnOnce(&File, &File) -> Result<T>,
) -> Result<T> {
    let from = open(input)?;
    let metadata = from.metadata().cannot("read", input)?;
    options.progress.expect(1, metadata.len());
    let mut forbidden: Forbidden = options.forbidden.clone();
    forbidden.add(FileId::of(&metadata), "the input");
    let new = NewFile::at(output, options.overwrite, &forbidden)?;
    let done = work(&from, new.file());
    if options.progress.cancelled() {
        return Err(Error::new(input, Problem::Cancelled));
    }
    let done = done?;
    new.commit()?;
    Ok(done)
}

fn expect_wanted<T>(
    path: &Path,
    options: &Options<'_>,
    done: std::result::Result<T, FileError>,
) -> Result<std::result::Result<T, FileError>> {
    if options.progress.cancelled() {
        return Err(Error::new(path, Problem::Cancelled));
    }
    Ok(done)
}

/// The regular file at `path`, to be read.
fn open(path: &Path) -> Result<File> {
    let place = Place::of(path)?;
    place.file().cannot("read", path)
}
