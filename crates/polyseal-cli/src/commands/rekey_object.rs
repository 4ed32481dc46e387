//! `rekey` of an object: another header before the same payload, which does not leave the store.
//!
//! What fits into one part is read, and put again with its new header. Of a longer object, only the
//! first 5 MiB are: the store itself copies the rest (`UploadPartCopy`), which S3 and its like can.
//! Every step is bound to the ETag that was read: an object that another has written meanwhile
//! stays as it is.

use std::path::Path;

use object_store::{Error, ObjectStore, PutMode, PutOptions, UpdateVersion};
use polyseal_file::{Existing, Header, ReadAt};

use crate::args::RekeyArgs;
use crate::error::{Failure, Result};
use crate::keys::{self, NewPassphrase, Opening, Sources};
use crate::objects::{ObjectReader, S3, wait};
use crate::say::note;

/// The smallest part that S3 takes before others: what is sent of a long object.
const FIRST_BYTES: u64 = 5 * 1024 * 1024;

pub(crate) fn rekey(args: &RekeyArgs, path: &Path) -> Result {
    if args.output.is_some() || args.in_place || args.restore || args.new_key {
        return Err(Failure::usage("an object is rekeyed where it is, by its header alone")
            .hint("decrypt it and encrypt it anew for another key or another place"));
    }
    let context = args.context.get()?;
    let sources = Sources::new([args.open.passphrase_fd, args.new_passphrase_fd])?;
    let opening = Opening::new(&args.open, false, context, args.work.threads, sources)?;
    let object = ObjectReader::open(path)?;
    object.object().expect_writable()?;
    if object.meta().e_tag.is_none() {
        return Err(Failure::usage(format!("{} has no ETag in its store", path.display()))
            .hint("without one, what another writes meanwhile would be lost: encrypt it anew"));
    }
    let old = Header::parse(object.beginning()).map_err(|error| opening.refused(error, path))?;
    let authentic =
        old.authenticate(&opening.identities).map_err(|error| opening.refused(error, path))?;
    if args.context.context.is_some() {
        opening.decryptor().reader(&object).map_err(|error| opening.refused(error, path))?;
    }
    let passphrase = NewPassphrase::of(&args.recipients, args.new_passphrase_fd);
    let recipients =
        keys::recipients(&args.recipients, &args.to_key, &[], passphrase, &opening.sources)?;
    let existing = if args.keep { Existing::Keep } else { Existing::Remove };
    let new = authentic.rekey(&recipients, existing).map_err(Failure::sealing)?;
    replace(&object, &new)?;
    if !args.keep {
        note(
            "note: anyone who could open the object before may have kept its key, and a store may \
             keep its old versions: encrypt it anew to lock them out",
        );
    }
    Ok(())
}

fn replace(object: &ObjectReader, header: &Header) -> Result {
    let (named, meta) = (object.object(), object.meta());
    let failed = |error: &std::io::Error| Failure::io("rekey", &named.name, error);
    // Known to be possible before anything is read.
    let s3 = if meta.size > FIRST_BYTES { Some(S3::of(named)?) } else { None };
    let mut first = vec![0; meta.size.min(FIRST_BYTES) as usize];
    let read = object.read_at(&mut first, 0).map_err(|error| failed(&error))?;
    let length = header.as_bytes().len();
    if read != first.len() || read < length {
        return Err(polyseal_file::Error::InputChanged.into());
    }
    first[..length].copy_from_slice(header.as_bytes());
    let replaced = match &s3 {
        Some(s3) => wait(s3.replace_beginning(meta, object.attributes(), first.into())),
        None => {
            let version = UpdateVersion { e_tag: meta.e_tag.clone(), version: None };
            let attributes = object.attributes().clone();
            let mode = PutMode::Update(version);
            let options = PutOptions { mode, attributes, ..PutOptions::default() };
            let put = named.store.put_opts(&named.key, first.into(), options);
            wait(async { put.await.map(|_| ()) })
        }
    };
    match replaced.map_err(|error| failed(&error))? {
        Err(Error::NotImplemented { .. }) => {
            Err(Failure::usage(format!("{} cannot be replaced safely", named.name.display()))
                .hint("its store has no conditional writes: decrypt it and encrypt it anew"))
        }
        other => other.map_err(|error| named.failure("rekey", &error)),
    }
}
