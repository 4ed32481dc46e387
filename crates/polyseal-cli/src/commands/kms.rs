//! `kms`: keys that live elsewhere, checked and wrapped again.

use std::path::Path;

use polyseal_file::age::{MAX_KEYS_FILE_BYTES, RecipientList, parse_identities_with};
use polyseal_file::{Identities, Recipients, decrypt, encrypt, is_wrapped_key};
use polyseal_kms::WrappedKey;
use polyseal_local::{LockedFile, Options};

use super::print;
use crate::args::{KmsCommand, KmsFiles};
use crate::error::{Failure, Result, shown};
use crate::keepers;
use crate::progress::Bar;
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
    // The identities open files for their own recipients: the keeper derives the keys for that.
    let plugins = keepers::plugins();
    let mut list = RecipientList::new().with_plugins(plugins.clone());
    list.add_identities(&file, None, &TerminalCallbacks)?;
    let recipients = Recipients::new().age(list.into_recipients(&TerminalCallbacks)?);
    let sealed = encrypt(&recipients, b"").map_err(Failure::sealing)?;
    let parsed = parse_identities_with(&file, None, &TerminalCallbacks, &plugins)?;
    decrypt(&Identities::new().age(parsed), &sealed)?;
    Ok("it opens what is encrypted to it".to_owned())
}

/// Replaces the file that was read, and no other.
fn rewrap(path: &Path) -> Result<String> {
    let file = LockedFile::read(path, WrappedKey::MAX_FILE_BYTES, &Bar::none())?;
    let wrapped = WrappedKey::parse(file.bytes())?.rewrap(&keepers::settings())?;
    file.replace(wrapped.to_file().as_bytes(), &Options::new())?;
    Ok(match wrapped.key_id() {
        Some(key_id) => format!("wrapped again, by {}", shown(key_id)),
        None => "wrapped again".to_owned(),
    })
}
