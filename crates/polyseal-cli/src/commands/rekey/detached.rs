//! Other recipients for a payload whose header is kept in a file of its own: that file is replaced,
//! in one step and under the same lock as any. The payload is not needed, and never written to.

use std::path::Path;

use polyseal_file::Existing;
use rustix::fs::FileType;

use super::backup::Place;
use super::batch::{Change, Replacement};
use super::lock::Lock;
use super::{Target, backup, batch, note};
use crate::args::{OutputArgs, RekeyArgs};
use crate::error::{Failure, Result};
use crate::file_io::{Contents, InputFile, OutputFile, changed};
use crate::keys::{self, NewPassphrase, Opening, Sources};
use crate::streams::is_standard_input;

pub(super) fn rekey(args: &RekeyArgs, path: &Path) -> Result {
    let context = args.context.get()?;
    let sources = Sources::new([args.open.passphrase_fd, args.new_passphrase_fd])?;
    let mut opening = Opening::new(&args.open, false, context.clone(), args.work.threads, sources)?;
    let place = match args.output {
        Some(_) => None,
        None => Some(place(path)?),
    };
    let (old, input) = opening.sources.header(match &place {
        None => InputFile::open(Some(path))?,
        Some(place) => InputFile::regular(place.file(), path)?,
    })?;
    let refused = |error| opening.refused(error, path);
    let authentic = old.authenticate(&opening.identities).map_err(refused)?;
    if context.is_some() {
        authentic.expect_context(context.as_ref()).map_err(refused)?;
    }
    let payload = match &args.file[..] {
        [] => None,
        [path] => Some(InputFile::open(Some(path))?),
        _ => return Err(Failure::usage("one header is for one payload")),
    };
    if let Some(payload) = &payload {
        opening.header = Some(old.clone());
        expect_together(&opening, payload)?;
    }
    let passphrase = NewPassphrase::of(&args.recipients, args.new_passphrase_fd);
    let recipients =
        keys::recipients(&args.recipients, &args.to_key, &[], passphrase, &opening.sources)?;
    // Every key has been read: nobody is waited for any more.
    let to = match (&place, &args.output) {
        (None, None) => return Err(changed(path)),
        (None, Some(other)) => Target::Elsewhere(other),
        (Some(place), _) => {
            let lock = Lock::take(place, &input.file, old.as_bytes())?;
            backup::expect_none_beside(place, &input.file)?;
            Target::InPlace(lock)
        }
    };
    let existing = if args.keep { Existing::Keep } else { Existing::Remove };
    let new = authentic.rekey(&recipients, existing).map_err(Failure::sealing)?;
    let mut taken: Vec<_> = opening.sources.taken().collect();
    taken.extend(payload.map(|payload| (payload.id, "the payload")));
    let change = match to {
        Target::InPlace(lock) => {
            taken.retain(|(id, _)| *id != input.id);
            let mut replacement = Replacement::new(lock, &taken)?;
            replacement.output().write_all(new.as_bytes())?;
            Change::Replace(replacement)
        }
        Target::Elsewhere(other) => {
            let to = OutputArgs { output: Some(other.to_owned()), force: args.force };
            let mut output = OutputFile::open(&to, Contents::Binary, &taken)?;
            output.write_all(new.as_bytes())?;
            Change::New(output)
        }
    };
    batch::make(vec![change]).into_iter().collect::<Result>()?;
    if !args.keep {
        note(
            "note: anyone who could open the payload before may have kept its key, or the old \
             header",
        );
    }
    Ok(())
}

/// Where the header is that is to be replaced.
fn place(path: &Path) -> Result<Place> {
    let place = Place::of(path)?;
    if is_standard_input(path) || place.kind().is_ok_and(|kind| kind != FileType::RegularFile) {
        let message = format!("{} is not a regular file, which could be replaced", path.display());
        return Err(Failure::usage(message).hint("write the new header elsewhere: -o OUT"));
    }
    if let Ok(file) = place.file() {
        backup::expect_none_beside(&place, &file)?;
    }
    Ok(place)
}

/// Opens the end of the payload with the header, to see whether they belong together.
fn expect_together(opening: &Opening, payload: &InputFile) -> Result {
    if payload.length.is_none() {
        return Err(Failure::usage("the payload must be a regular file")
            .hint("leave it out: the header alone is enough"));
    }
    let reader = opening.decryptor().reader(&payload.file);
    reader.map(|_| ()).map_err(|error| opening.refused(error, &payload.name))
}
