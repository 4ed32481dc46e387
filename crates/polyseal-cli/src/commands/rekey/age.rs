//! Other recipients for an age file: another header before the same payload.
//!
//! A header of age has no room to spare, so the payload moves, and the result is always a new file.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use polyseal_file::age::v1::{Encryptor, Header};
use polyseal_file::{Existing, Input, Recipients};

use super::backup::Place;
use super::batch::Change;
use super::lock::Lock;
use super::{Target, To, copy_range};
use crate::args::RekeyArgs;
use crate::error::{Failure, Result};
use crate::file_io::{InputFile, OutputFile};
use crate::keys::Opening;
use crate::progress::Progress;

/// Whether it is an age file, as far as its first byte shows.
pub(super) fn is_one(input: &mut InputFile) -> Result<bool> {
    Ok(input.first_byte()? == Some(b'a'))
}

pub(super) fn rekey(
    args: &RekeyArgs,
    place: &Place,
    opening: &Opening,
    to: &To<'_>,
    input: &mut InputFile,
) -> Result<Change> {
    let path = input.name.clone();
    let refused = |error| opening.refused(error, &path);
    let old = Header::read(&mut io::BufReader::new(&mut *input)).map_err(refused)?;
    let unfit = [
        ("--to-key", !args.to_key.is_empty()),
        ("--in-place", args.in_place),
        ("--context", args.context.context.is_some()),
    ];
    if let Some((option, _)) = unfit.iter().find(|(_, given)| *given) {
        return Err(Failure::usage(format!("{option} does not go with an age file"))
            .hint("leave it out; to get a Polyseal file, decrypt it and encrypt it anew"));
    }
    // Before a new passphrase is asked for, and before its work is done.
    let authentic = old.authenticate(&opening.identities).map_err(refused)?;
    let recipients = to.recipients(&opening.sources)?;
    // Every key has been read: nobody is waited for any more.
    let to = match &args.output {
        None => Target::InPlace(Lock::take(place, &input.file, old.as_bytes())?),
        Some(other) => Target::Elsewhere(other),
    };
    if args.new_key {
        let input = &*input;
        return to.fill(args, input, &opening.sources, |to| {
            anew(args, &path, opening, recipients, input, to)
        });
    }
    let existing = if args.keep { Existing::Keep } else { Existing::Remove };
    let new = authentic.rekey(recipients, existing).map_err(Failure::sealing)?;
    let input = &*input;
    to.fill(args, input, &opening.sources, |to| {
        copy(&input.file, old.payload_offset(), &new, to)
            .map_err(|source| polyseal_file::Error::Io { what: "copy the file", source }.into())
    })
}

/// The whole file, with another header.
fn copy(mut from: &File, offset: u64, header: &Header, to: &mut OutputFile) -> io::Result<()> {
    let bytes = from.metadata()?.len();
    let payload = offset..bytes;
    match to {
        OutputFile::Staged { staged, .. } => {
            let mut to = staged.file();
            to.write_all(header.as_bytes())?;
            copy_range(&mut from, payload, &mut to)?;
        }
        other => {
            Write::write_all(other, header.as_bytes())?;
            copy_range(&mut from, payload, other)?;
        }
    }
    if from.metadata()?.len() == bytes { Ok(()) } else { Err(super::changed()) }
}

/// The plaintext, under a new file key.
fn anew(
    args: &RekeyArgs,
    path: &Path,
    opening: &Opening,
    recipients: &Recipients,
    input: &InputFile,
    to: &mut OutputFile,
) -> Result {
    let mut plaintext =
        opening.decryptor().reader(&input.file).map_err(|error| opening.refused(error, path))?;
    let bar = Progress::new(Some(plaintext.plaintext_bytes()), to.is_terminal());
    let add = |bytes| bar.iter().for_each(|bar| bar.add(bytes));
    let mut encryptor = Encryptor::new(recipients);
    if let Some(threads) = args.work.threads {
        encryptor = encryptor.threads(threads);
    }
    if bar.is_some() {
        encryptor = encryptor.progress(&add);
    }
    encryptor.encrypt(Input::Stream(&mut plaintext), to.sink()).map_err(Failure::sealing)?;
    Ok(())
}
