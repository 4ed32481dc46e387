//! `rekey`: other recipients for a file, by another header before the same payload.
//!
//! The result is a new file that takes the old one's place in one step, its payload shared with it
//! where the file system can (a reflink), or copied by the kernel; or, `--in-place`, only the
//! header is rewritten. A header that is kept apart from its payload is replaced alone. That locks
//! nobody out, as the tool says: `--new-key` does, and encrypts anew.

mod age;
pub(crate) mod backup;
mod batch;
mod detached;
mod in_place;
mod lock;
mod several;
mod tree;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::OnceLock;

use polyseal_file::{
    Encryptor, Existing, Header, Identities, Input, Output, Passphrase, Recipients,
};
use rustix::fs::FileType;

use self::backup::{Place, Restoring};
use self::batch::{Change, Replacement};
use self::in_place::Rewrite;
use self::lock::Lock;
use super::note;
use crate::args::{OutputArgs, RekeyArgs};
use crate::error::{Failure, Result};
use crate::file_io::{Contents, InputFile, OutputFile};
use crate::keys::{self, NewPassphrase, Opening, Sources};
use crate::objects::expect_file;
#[cfg(feature = "stores")]
use crate::objects::is_object;
use crate::progress::Progress;
use crate::streams::is_standard_input;

pub(crate) fn rekey(args: &RekeyArgs) -> Result {
    if let Some(header) = &args.header {
        expect_named(args)?;
        return detached::rekey(args, header);
    }
    let list = args.many.list()?;
    let path = match &args.file[..] {
        [path] if list.is_none() && !args.many.recursive && !args.many.json => path,
        files => return several::rekey(args, files, list),
    };
    #[cfg(feature = "stores")]
    if is_object(path) {
        expect_named(args)?;
        return crate::objects::rekey(args, path);
    }
    if args.restore {
        return restore(args, path);
    }
    expect_named(args)?;
    let context = args.context.get()?;
    if args.output.is_none() {
        backup::expect_none(path)?;
    }
    let sources = Sources::new([args.open.passphrase_fd, args.new_passphrase_fd])?;
    let opening = Opening::new(&args.open, false, context, args.work.threads, sources)?;
    let change = prepare(args, path, &opening, &To::new(args))?;
    batch::make(vec![change]).into_iter().collect::<Result>()?;
    if !args.keep && !args.new_key {
        note_kept_keys();
    }
    Ok(())
}

fn restore(args: &RekeyArgs, path: &Path) -> Result {
    let opening = to_restore(args)?;
    let change = saved(&Place::of(path)?, opening.as_ref())?;
    batch::make(vec![change]).into_iter().collect()
}

/// What tells whether a copy is authentic, if anything is given that does.
fn to_restore(args: &RekeyArgs) -> Result<Option<Opening>> {
    let given = &args.open;
    let none = given.key.is_empty() && given.identity.is_empty();
    if none && given.passphrase_fd.is_none() {
        return Ok(None);
    }
    let sources = Sources::new([given.passphrase_fd, None])?;
    Opening::new(given, false, None, None, sources).map(Some)
}

/// The copy, which must be there.
fn saved(place: &Place, opening: Option<&Opening>) -> Result<Change> {
    let identities = opening.map(|opening| &opening.identities);
    let missing = || Failure::io("read", &place.backup_shown(), &rustix::io::Errno::NOENT.into());
    Restoring::of(place, identities)?.map(Change::Restore).ok_or_else(missing)
}

/// Who can open files from now on. They are read, and a passphrase is asked for, when the first
/// file has opened.
struct To<'a> {
    args: &'a RekeyArgs,
    recipients: OnceLock<Recipients>,
}

impl<'a> To<'a> {
    fn new(args: &'a RekeyArgs) -> Self {
        Self { args, recipients: OnceLock::new() }
    }

    fn recipients(&self, sources: &Sources) -> Result<&Recipients> {
        if let Some(recipients) = self.recipients.get() {
            return Ok(recipients);
        }
        let (recipients, _) = self.named(sources)?;
        Ok(self.recipients.get_or_init(|| recipients))
    }

    /// Everyone who is named, and what of it shows that a file is theirs already.
    fn named(&self, sources: &Sources) -> Result<(Recipients, Option<Passphrase>)> {
        let passphrase = NewPassphrase::of(&self.args.recipients, self.args.new_passphrase_fd);
        let (to, keys) = (&self.args.recipients, &self.args.to_key);
        keys::recipients_and_passphrase(to, keys, &[], passphrase, sources)
    }

    /// Reads and asks for everything now: several files at a time must not ask for one passphrase
    /// each. What opens files that are done already.
    fn at_once(&self, sources: &Sources) -> Result<Identities<'static>> {
        let (recipients, passphrase) = self.named(sources)?;
        self.recipients.get_or_init(|| recipients);
        keys::identities_of(&self.args.to_key, passphrase, sources)
    }
}

/// All that giving one file its other recipients takes, but the change itself.
fn prepare(args: &RekeyArgs, path: &Path, opening: &Opening, to: &To<'_>) -> Result<Change> {
    expect_file(path)?;
    let unfit = || {
        Failure::usage("only a regular file without ASCII armour can be rekeyed")
            .hint("decrypt it and encrypt it anew")
    };
    if is_standard_input(path) {
        return Err(unfit());
    }
    let place = Place::of(path)?;
    let is_special = |kind| !matches!(kind, FileType::RegularFile | FileType::Directory);
    if place.kind().is_ok_and(is_special) {
        return Err(unfit());
    }
    let mut input = InputFile::regular(place.file(), path)?;
    if args.output.is_none() {
        backup::expect_none_beside(&place, &input.file)?;
    }
    if input.first_byte()?.is_some_and(polyseal_file::looks_armored) {
        return Err(unfit());
    }
    if age::is_one(&mut input)? {
        return age::rekey(args, &place, opening, to, &mut input);
    }
    let refused = |error| opening.refused(error, path);
    let old = Header::read(&mut input).map_err(refused)?;
    // Before a new passphrase is asked for, and before its work is done.
    let authentic = old.authenticate(&opening.identities).map_err(refused)?;
    if args.context.context.is_some() {
        // A header does not know the context: the contents are bound to it.
        opening.decryptor().reader(&input.file).map_err(refused)?;
    }
    let recipients = to.recipients(&opening.sources)?;
    // Every key has been read: nobody is waited for any more.
    let to = match &args.output {
        None => {
            let lock = Lock::take(&place, &input.file, old.as_bytes())?;
            // Meanwhile another may have begun, and been interrupted.
            backup::expect_none_beside(&place, &input.file)?;
            Target::InPlace(lock)
        }
        Some(other) => Target::Elsewhere(other),
    };
    if args.new_key {
        return to.fill(args, &input, &opening.sources, |to| {
            anew(args, path, opening, recipients, &input, &old, to)
        });
    }
    let existing = if args.keep { Existing::Keep } else { Existing::Remove };
    let new = authentic.rekey(recipients, existing).map_err(Failure::sealing)?;
    match to {
        Target::InPlace(lock) if args.in_place => {
            Rewrite::prepare(lock, old, new).map(|rewrite| Change::Header(Box::new(rewrite)))
        }
        to => to.fill(args, &input, &opening.sources, |to| {
            copy(&input.file, &new, to)
                .map_err(|source| polyseal_file::Error::Io { what: "copy the file", source }.into())
        }),
    }
}

fn expect_named(args: &RekeyArgs) -> Result {
    let to = &args.recipients;
    let named = to.recipient.len() + to.recipients_file.len() + args.to_key.len();
    if named == 0 && !to.passphrase && args.new_passphrase_fd.is_none() {
        return Err(Failure::usage("nobody was named to open the file from now on")
            .hint("use -r, -R, -p or --to-key (-k and -i open it here); --keep keeps the others"));
    }
    Ok(())
}

fn note_kept_keys() {
    note(
        "note: anyone who could open the file before may have kept its key: --new-key locks them \
         out",
    );
}

/// Where the file with the other header goes.
enum Target<'a> {
    /// In the place of the one that was read, which is locked.
    InPlace(Lock),
    Elsewhere(&'a Path),
}

impl Target<'_> {
    /// Lets `write` write the whole file.
    fn fill(
        self,
        args: &RekeyArgs,
        input: &InputFile,
        sources: &Sources,
        write: impl FnOnce(&mut OutputFile) -> Result,
    ) -> Result<Change> {
        let mut taken: Vec<_> = sources.taken().collect();
        let other = match self {
            Self::InPlace(lock) => {
                let mut replacement = Replacement::new(lock, &taken)?;
                write(replacement.output())?;
                return Ok(Change::Replace(replacement));
            }
            Self::Elsewhere(other) => other,
        };
        // Its copy is of a header of the same file, perhaps, and would undo this one.
        backup::expect_none(other)?;
        taken.push((input.id, "the input; leave out -o to replace it"));
        let to = OutputArgs { output: Some(other.to_owned()), force: args.force };
        let mut output = OutputFile::open(&to, Contents::Binary, &taken)?;
        write(&mut output)?;
        Ok(Change::New(output))
    }
}

/// The whole file, with another header of the same length.
fn copy(mut from: &File, header: &Header, to: &mut OutputFile) -> io::Result<()> {
    let bytes = from.metadata()?.len();
    match to {
        OutputFile::Staged { staged, .. } => {
            let mut to = staged.file();
            if !cloned(from, to) {
                // Holes stay holes: a file could be said to have more bytes than the disk.
                to.set_len(bytes)?;
                let mut at = 0;
                while let Some(Range { start, end }) = data(from, at..bytes)? {
                    to.seek(SeekFrom::Start(start))?;
                    copy_range(&mut from, start..end, &mut to)?;
                    at = end;
                }
            }
            if from.metadata()?.len() != bytes {
                return Err(changed());
            }
            to.write_all_at(header.as_bytes(), 0)
        }
        OutputFile::Direct(direct) => {
            direct.write_all(header.as_bytes())?;
            copy_range(&mut from, header.payload_offset()..bytes, direct)
        }
        #[cfg(feature = "stores")]
        OutputFile::Object(object) => {
            object.write_all(header.as_bytes())?;
            copy_range(&mut from, header.payload_offset()..bytes, object)
        }
    }
}

fn copy_range(from: &mut &File, range: Range<u64>, to: &mut impl Write) -> io::Result<()> {
    from.seek(SeekFrom::Start(range.start))?;
    let bytes = range.end - range.start;
    if io::copy(&mut Read::take(from, bytes), to)? == bytes { Ok(()) } else { Err(changed()) }
}

fn changed() -> io::Error {
    io::Error::other("it changed its length meanwhile")
}

/// The first bytes within `range` that are no hole; all of it where the file system does not tell.
#[cfg_attr(not(target_os = "linux"), allow(unused_variables))]
fn data(file: &File, range: Range<u64>) -> io::Result<Option<Range<u64>>> {
    if range.is_empty() {
        return Ok(None);
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{SeekFrom, seek};
        use rustix::io::Errno;

        match seek(file, SeekFrom::Data(range.start)) {
            Ok(start) if start >= range.end => return Ok(None),
            Ok(start) => {
                let end = seek(file, SeekFrom::Hole(start))?.min(range.end);
                return Ok(Some(start..end));
            }
            Err(Errno::NXIO) => return Ok(None),
            Err(Errno::INVAL | Errno::OPNOTSUPP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Some(range))
}

/// Whether the file system lets both files share their contents.
fn cloned(from: &File, to: &File) -> bool {
    #[cfg(target_os = "linux")]
    return rustix::fs::ioctl_ficlone(to, from).is_ok();
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (from, to);
        false
    }
}

/// The plaintext, under a new file key.
fn anew(
    args: &RekeyArgs,
    path: &Path,
    opening: &Opening,
    recipients: &Recipients,
    input: &InputFile,
    header: &Header,
    output: &mut OutputFile,
) -> Result {
    let context = args.context.get()?;
    let mut encryptor = Encryptor::new(recipients);
    if let Some(context) = &context {
        encryptor = encryptor.context(context);
    }
    if let Some(threads) = args.work.threads {
        encryptor = encryptor.threads(threads);
    }
    let mut plaintext =
        opening.decryptor().reader(&input.file).map_err(|error| opening.refused(error, path))?;
    let bar = Progress::new(Some(plaintext.plaintext_bytes()), output.is_terminal());
    let add = |bytes| bar.iter().for_each(|bar| bar.add(bytes));
    encryptor = encryptor
        .suite(header.suite())
        .segment_size(header.segment_size())
        .header_bytes(header.as_bytes().len());
    if bar.is_some() {
        encryptor = encryptor.progress(&add);
    }
    let to: Output<'_> = output.sink();
    encryptor.encrypt(Input::Stream(&mut plaintext), to).map_err(Failure::sealing)?;
    Ok(())
}
