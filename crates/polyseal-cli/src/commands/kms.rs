//! `kms`: keys that live elsewhere, checked and wrapped again.

use std::path::Path;

use polyseal_file::age::{MAX_KEYS_FILE_BYTES, RecipientList, parse_identities_with};
use polyseal_file::{Identities, Recipients, decrypt, encrypt};
use polyseal_kms::{WrappedKey, is_wrapped};

use super::print;
use crate::args::{KmsArgs, KmsCommand, KmsFiles, OutputArgs};
use crate::error::{Failure, Result, shown};
use crate::file_io::{OutputFile, OutputKind};
use crate::keepers;
use crate::prompt::TerminalCallbacks;
use crate::secret;

pub(crate) fn kms(args: &KmsArgs) -> Result {
    match &args.command {
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

fn read(path: &Path) -> Result<zeroize::Zeroizing<Vec<u8>>> {
    Ok(secret::read(path, "key file", MAX_KEYS_FILE_BYTES)?.0)
}

fn check(path: &Path) -> Result<String> {
    let file = read(path)?;
    if is_wrapped(&file) {
        let wrapped = WrappedKey::parse(&file)?;
        wrapped.unwrap(&keepers::settings())?;
        return Ok(format!("{} unwraps it", wrapped.uri()));
    }
    // What the identities' own recipients seal, they open: the keeper derives for it.
    let plugins = keepers::plugins();
    let name = path.to_str();
    let mut list = RecipientList::new().with_plugins(plugins.clone());
    list.add_identities(&file, name, &TerminalCallbacks)?;
    let recipients = Recipients::new().age(list.into_recipients(&TerminalCallbacks)?);
    let sealed = encrypt(&recipients, b"").map_err(Failure::sealing)?;
    let parsed = parse_identities_with(&file, name, &TerminalCallbacks, &plugins)?;
    decrypt(&Identities::new().age(parsed), &sealed)?;
    Ok("it opens what is encrypted to it".to_owned())
}

fn rewrap(path: &Path) -> Result<String> {
    let file = read(path)?;
    let wrapped = WrappedKey::parse(&file)?.rewrap(&keepers::settings())?;
    let output = OutputArgs { output: Some(path.to_owned()), force: true };
    let mut output = OutputFile::open(&output, OutputKind::Unknown, &[])?;
    output.write_all(wrapped.to_file().as_bytes())?;
    output.sync()?;
    output.commit()?;
    Ok(match wrapped.key_id() {
        Some(key_id) => format!("wrapped again, by {}", shown(key_id)),
        None => "wrapped again".to_owned(),
    })
}
