//! `kms`: keys that live elsewhere, checked and wrapped again.

use std::io::Read;
use std::path::Path;

use polyseal_file::age::{MAX_KEYS_FILE_BYTES, RecipientList, parse_identities_with};
use polyseal_file::{Identities, Recipients, decrypt, encrypt, is_wrapped_key};
use polyseal_kms::WrappedKey;
use polyseal_local::{FileId, Place, Problem};

use super::print;
use crate::args::{KmsCommand, KmsFiles};
use crate::error::{Failure, Result, shown};
use crate::file_io::OutputFile;
use crate::keepers;
use crate::prompt::TerminalCallbacks;
use crate::secret;

pub(crate) fn kms(command: &KmsCommand) -> Result {
    match command {
        KmsCommand::Check(files) => each(files, check),
        KmsCommand::Rewrap(files) => each(files, rewrap),
    }
}

/// Does it for every file, also after one has failed, and gives the gravest failure.
fn each(files: &KmsFiles, act: fn(&Path) -> Result<String>) -> Result {
    let mut worst: Option<Failure> = None;
    for path in &files.files {
        match act(path).map_err(|failure| failure.about(path)) {
            Ok(done) => print(&format!("{}: {done}\n", shown(&path.display().to_string())))?,
            Err(failure) if worst.as_ref().is_none_or(|worst| failure.code > worst.code) => {
                if let Some(before) = worst.replace(failure) {
                    before.tell();
                }
            }
            Err(failure) => failure.tell(),
        }
    }
    worst.map_or(Ok(()), Err)
}

fn check(path: &Path) -> Result<String> {
    let (file, _) = secret::read(path, "key file", MAX_KEYS_FILE_BYTES)?;
    if is_wrapped_key(&file) {
        let wrapped = WrappedKey::parse(&file)?;
        wrapped.unwrap(&keepers::settings())?;
        return Ok(format!("{} unwraps it", wrapped.uri()));
    }
    // What the identities' own recipients seal, they open: the keeper derives for it.
    let plugins = keepers::plugins();
    let mut list = RecipientList::new().with_plugins(plugins.clone());
    list.add_identities(&file, None, &TerminalCallbacks)?;
    let recipients = Recipients::new().age(list.into_recipients(&TerminalCallbacks)?);
    let sealed = encrypt(&recipients, b"").map_err(Failure::sealing)?;
    let parsed = parse_identities_with(&file, None, &TerminalCallbacks, &plugins)?;
    decrypt(&Identities::new().age(parsed), &sealed)?;
    Ok("it opens what is encrypted to it".to_owned())
}

/// What was read is replaced, and nothing else.
fn rewrap(path: &Path) -> Result<String> {
    let failure = |error: std::io::Error| Failure::io("read the key file", path, &error);
    let place = Place::from_path(path)?;
    let read = place.file().map_err(failure)?;
    let id = FileId::of_file(&read).map_err(failure)?;
    let mut file = Vec::new();
    read.take(WrappedKey::MAX_FILE_BYTES as u64 + 1).read_to_end(&mut file).map_err(failure)?;
    let wrapped = WrappedKey::parse(&file)?.rewrap(&keepers::settings())?;
    let mut output = OutputFile::open_at(place.clone(), true, &[])?;
    output.write_all(wrapped.to_file().as_bytes())?;
    output.sync()?;
    if place.id().map_err(failure)? != id {
        return Err(polyseal_local::Error::new(path, Problem::Changed).into());
    }
    output.commit()?;
    Ok(match wrapped.key_id() {
        Some(key_id) => format!("wrapped again, by {}", shown(key_id)),
        None => "wrapped again".to_owned(),
    })
}
