//! `rekey` of an object: another header before the same payload, which does not leave the store. How
//! is [`polyseal_object_store::remote::replace_header`]'s.

use std::path::Path;

use polyseal_file::Existing;
use polyseal_object_store::remote::{Compared, ObjectReader, expect_replaceable, replace_header};

use crate::args::RekeyArgs;
use crate::error::{Failure, Result};
use crate::keys::{self, NewPassphrase, Opening, Sources};
use crate::objects::{failure, named};
use crate::say::{note, warn};

pub(crate) fn rekey(args: &RekeyArgs, path: &Path) -> Result {
    if args.output.is_some() || args.in_place || args.restore || args.new_key {
        return Err(Failure::usage("an object is rekeyed where it is, by its header alone")
            .hint("decrypt it and encrypt it anew for another key or another place"));
    }
    let context = args.context.get()?;
    let sources = Sources::new([args.open.passphrase_fd, args.new_passphrase_fd])?;
    let opening = Opening::new(&args.open, false, context, args.work.threads, sources)?;
    let failed = |error| failure("rekey", &error);
    let object = named(path)?;
    object.expect_writable().map_err(failed)?;
    let object = ObjectReader::open(&object).and_then(ObjectReader::pinned).map_err(failed)?;
    expect_replaceable(&object).map_err(failed)?;
    let refused = |error| opening.refused(error, path);
    let old = object.header().map_err(refused)?;
    let authentic = old.authenticate(&opening.identities).map_err(refused)?;
    if args.context.context.is_some() {
        opening.decryptor().reader(&object).map_err(refused)?;
    }
    let passphrase = NewPassphrase::of(&args.recipients, args.new_passphrase_fd);
    let recipients =
        keys::recipients(&args.recipients, &args.to_key, &[], passphrase, &opening.sources)?;
    let existing = if args.keep { Existing::Keep } else { Existing::Remove };
    let new = authentic.rekey(&recipients, existing).map_err(Failure::sealing)?;
    if replace_header(&object, new.as_bytes()).map_err(failed)? == Compared::No {
        warn(
            "the store does not compare versions when an object is completed: what another \
             program has written to this one in the last moments is lost",
        );
    }
    if !args.keep {
        note(
            "note: anyone who could open the object before may have kept its key, and a store may \
             keep its old versions: encrypt it anew to lock them out",
        );
    }
    Ok(())
}
