//! Whole files, from one name to another.

use std::fs::File;
use std::path::Path;

use polyseal_file::{ArmorWriter, Decryptor, Encryptor, Input, Output, RunOptions, Summary};

use crate::error::{Error, ErrorContext, Problem, Result, file, sealing};
use crate::forbidden::Forbidden;
use crate::new_file::NewFile;
use crate::options::Options;
use crate::place::Place;
use crate::platform::FileId;
use crate::watch::watched;

/// Encrypts the regular file `input` to the file `output`, which appears when it is complete.
///
/// ```
/// use polyseal_file::{Decryptor, Encryptor, Identities, Key, Recipients};
/// use polyseal_local::{Options, decrypt_file, encrypt_file};
///
/// # let directory = tempfile::tempdir()?;
/// # let at = |name| directory.path().join(name);
/// # let [notes, sealed, back] = ["notes", "notes.polyseal", "back"].map(at);
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
/// As [`NewFile::create_at`]; [`Forbidden`](crate::Problem::Forbidden) if the output is the input;
/// [`Sealing`](crate::Problem::Sealing); or an I/O error. Then there is no output, and an output
/// that was to be replaced is unchanged.
pub fn encrypt_file(
    input: &Path,
    output: &Path,
    encryptor: Encryptor<'_>,
    options: &Options<'_>,
) -> Result<Summary> {
    carry(input, output, options, encryptor.run_options(), |from, to, run| {
        let (encryptor, from) = (encryptor.running(run), Input::File(from));
        let sealed = if options.armor {
            let mut armor = ArmorWriter::new(to);
            let sealed = encryptor.encrypt(from, Output::Stream(&mut armor));
            armor.finish().cannot("write", output)?;
            sealed
        } else {
            encryptor.encrypt(from, Output::File(to))
        };
        sealed.map_err(sealing(input))
    })
}

/// Decrypts the regular file `input` to the file `output`, which appears when all of it has been
/// verified. Files of age, and in armour, are decrypted, too.
///
/// # Errors
/// As [`NewFile::create_at`]; [`Forbidden`](crate::Problem::Forbidden) if the output is the input;
/// [`File`](crate::Problem::File); or an I/O error. Then there is no output, and an output that was
/// to be replaced is unchanged.
pub fn decrypt_file(
    input: &Path,
    output: &Path,
    decryptor: Decryptor<'_>,
    options: &Options<'_>,
) -> Result<Summary> {
    carry(input, output, options, decryptor.run_options(), |from, to, run| {
        let decryptor = decryptor.running(run);
        decryptor.decrypt(Input::File(from), Output::File(to)).map_err(file(input))
    })
}

/// Opens all of the regular file `input`, and keeps nothing of it.
///
/// # Errors
/// [`File`](crate::Problem::File), or an I/O error.
pub fn verify_file(
    input: &Path,
    decryptor: Decryptor<'_>,
    options: &Options<'_>,
) -> Result<Summary> {
    let from = Place::from_path(input)?.file().cannot("read", input)?;
    options.progress.expect(1, from.metadata().cannot("read", input)?.len());
    let opened = watched(options.progress, decryptor.run_options(), |run| {
        decryptor.running(run).verify(Input::File(&from))
    });
    opened.map_err(file(input))
}

/// Carries one file into another, which then appears.
fn carry<T>(
    input: &Path,
    output: &Path,
    options: &Options<'_>,
    run: RunOptions<'_>,
    work: impl FnOnce(&File, &File, RunOptions<'_>) -> Result<T>,
) -> Result<T> {
    let from = Place::from_path(input)?.file().cannot("read", input)?;
    let metadata = from.metadata().cannot("read", input)?;
    options.progress.expect(1, metadata.len());
    let mut forbidden: Forbidden = options.forbidden.clone();
    forbidden.add(FileId::from_file(&from).cannot("read", input)?, "the input");
    let mut new = NewFile::create_at(output, options.overwrite, &forbidden)?;
    let done = watched(options.progress, run, |run| work(&from, new.file(), run))?;
    // Cancelling during the last bytes still keeps the output from appearing.
    if options.progress.cancelled() {
        return Err(Error::new(input, Problem::Cancelled));
    }
    if options.synced {
        new.sync()?;
    }
    new.commit()?;
    Ok(done)
}
