//! Other recipients for a file, by another header before the same payload, or by all of it anew.
//!
//! The result is a new file that takes the old one's place in one step, its payload shared with it
//! where the file system can (a reflink), or copied by the kernel; or only the header is rewritten
//! in the file itself, after a copy of it is on disk; or the result goes elsewhere. Only
//! [`RekeyMode::NewKey`] locks out people who have kept the old key.
//!
//! A path is resolved once ([`Place`]). A file that is replaced is locked, and its contents are
//! still those that were read.

pub(crate) mod backup;
mod batch;
mod contents;
mod in_place;
mod many;
mod plan;
mod run;
mod stored;
mod tree;

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

use polyseal_file::age::v1;
use polyseal_file::{Commitment, Context, Error as FileError, Header, Output, statement};

pub use self::backup::{Trust, was_interrupted};
pub use self::plan::{NewRecipients, RekeyMode, RekeyPlan, RekeyedCheck};
pub use self::run::{Rekey, RekeyTarget};

use self::backup::{BackupRule, HeaderRestore, expect_none};
use self::batch::{Change, make};
use self::contents::{NewContents, NewHeader};
use self::in_place::HeaderRewrite;
use self::stored::authentic;
use crate::error::{Error, ErrorContext, Problem, Result, UnsupportedByAge, file, sealing};
use crate::locked::{LockedFile, Replacement};
use crate::many::FileOutcome;
use crate::new_file::NewFile;
use crate::options::Options;
use crate::place::Place;
use crate::platform::contents::{FileExt, is_locked, not_there};
use crate::platform::{EntryKind, FileId};
use crate::progress::Notice;

/// A file that is to have other recipients, as it was read.
pub(crate) struct RekeySource {
    place: Place,
    file: File,
    header: OldHeader,
}

enum OldHeader {
    Polyseal(Header),
    Age(v1::Header),
}

impl OldHeader {
    fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Polyseal(header) => header.as_bytes(),
            Self::Age(header) => header.as_bytes(),
        }
    }
}

impl RekeySource {
    /// Reads the header of the file at `place`, which is to be replaced or changed.
    fn to_lock(place: Place) -> Result<Self> {
        // A remote file system may ask that a locked file can be written, too.
        let file = place.file_to_change().or_else(|_| place.file());
        Self::read(place, file)
    }

    /// The same of a file that is only read.
    fn to_read(place: Place) -> Result<Self> {
        let file = place.file();
        Self::read(place, file)
    }

    fn read(place: Place, opened: io::Result<File>) -> Result<Self> {
        let shown = &place.shown;
        let unfit = || Error::new(shown, Problem::NotRekeyable);
        let mut file = match opened {
            Err(_) if is_special(&place) => return Err(unfit()),
            opened => opened.cannot("read", shown)?,
        };
        let header = match Header::read(&mut file) {
            Err(FileError::Armored) => return Err(unfit()),
            Err(FileError::AgeFile) => {
                file.rewind().cannot("read", shown)?;
                let header = v1::Header::read(&mut BufReader::new(&file));
                OldHeader::Age(header.map_err(self::file(shown))?)
            }
            read => OldHeader::Polyseal(read.map_err(self::file(shown))?),
        };
        Ok(Self { place, file, header })
    }

    /// Makes its new header, or the rest of its new contents. Every key has been read then, and
    /// every passphrase stretched: nobody is waited for any more.
    fn ready<'a>(self, plan: &RekeyPlan<'a>) -> Result<PreparedRekey<'a>> {
        let new = self.contents(plan, ExpectedFile::Any)?;
        Ok(PreparedRekey { opened: self, new })
    }

    fn contents<'a>(
        &self,
        plan: &RekeyPlan<'a>,
        which: ExpectedFile<'_>,
    ) -> Result<NewContents<'a>> {
        let shown = &self.place.shown;
        Ok(match &self.header {
            OldHeader::Polyseal(old) => {
                let authentic = authentic(old, &self.file, shown, plan, which)?;
                let recipients = plan.to.get()?;
                match plan.how {
                    RekeyMode::NewKey => NewContents::Payload { recipients, plan: *plan },
                    RekeyMode::Header | RekeyMode::InPlace => {
                        let new = authentic.rekey(recipients, plan.others);
                        NewContents::Header(NewHeader::Polyseal(new.map_err(sealing(shown))?))
                    }
                }
            }
            OldHeader::Age(old) => {
                if plan.how == RekeyMode::InPlace {
                    return Err(Error::new(shown, Problem::NotWithAge(UnsupportedByAge::InPlace)));
                }
                if plan.context.is_some() {
                    return Err(Error::new(shown, Problem::NotWithAge(UnsupportedByAge::Context)));
                }
                let authentic = old.authenticate(plan.identities).map_err(file(shown))?;
                let recipients = plan.to.get()?;
                match plan.how {
                    RekeyMode::NewKey => NewContents::Payload { recipients, plan: *plan },
                    RekeyMode::Header | RekeyMode::InPlace => {
                        let new = authentic.rekey(recipients, plan.others);
                        NewContents::Header(NewHeader::Age(new.map_err(sealing(shown))?))
                    }
                }
            }
        })
    }
}

/// Which file it has to be.
#[derive(Clone, Copy)]
enum ExpectedFile<'a> {
    /// Whatever is there, by the salt that has been compared if that is all that is known.
    Any,
    /// The commitment of an entry in a manifest.
    Of(&'a Commitment),
    /// One that is bound to this context, whatever that of other files is.
    BoundTo(&'a Context),
}

/// Lets `output` take the place of a file that was read by `read`, if that is still the file at
/// `place`, with the `header` that it had then.
pub(crate) fn take_place(
    place: Place,
    read: &File,
    header: &Header,
    output: NewFile,
    options: &Options<'_>,
) -> Result {
    let locked = LockedFile::lock(&place, read, options.progress)?;
    let locked = locked.beginning_with(header.as_bytes())?;
    expect_none(&place, read, BackupRule::Copies, options.progress)?;
    make_one(Change::Replace(Replacement::from_parts(locked, output)))
}

/// A file, and its new contents.
struct PreparedRekey<'a> {
    opened: RekeySource,
    new: NewContents<'a>,
}

impl PreparedRekey<'_> {
    /// Writes the whole new file.
    fn write(&self, output: Output<'_>, to: &Path, options: &Options<'_>) -> Result {
        self.new.write(&self.opened, output, to, options)
    }

    /// The change of the file where it is, not yet made.
    fn change(self, plan: &RekeyPlan<'_>, options: &Options<'_>) -> Result<Change> {
        let RekeySource { place, file, header } = &self.opened;
        tell_of_statement(place, plan.how, options);
        let locked = LockedFile::lock(place, file, options.progress)?;
        let locked = locked.beginning_with(header.as_bytes())?;
        if let (RekeyMode::InPlace, OldHeader::Polyseal(old), NewContents::Header(new)) =
            (plan.how, header, &self.new)
            && let NewHeader::Polyseal(new) = new
        {
            let rewrite = HeaderRewrite::prepare(locked, old, new.clone())?;
            return Ok(Change::Header(Box::new(rewrite)));
        }
        // Meanwhile another may have begun, and been interrupted.
        expect_none(place, file, plan.strict(), options.progress)?;
        let replacement = Replacement::new(locked, options.forbidden)?;
        let output = replacement.output();
        self.write(Output::File(output.file()), output.shown(), options)?;
        Ok(Change::Replace(replacement))
    }
}

/// Tells that the statement beside a file ends with its present key, or with its present header.
fn tell_of_statement(place: &Place, how: RekeyMode, options: &Options<'_>) {
    let statement = place.with_suffix(statement::SUFFIX);
    let Ok(stored) = statement.file() else { return };
    let mut text = Vec::new();
    // Longer than any text: what follows are signatures, which have no such line.
    let _ = stored.take(4096).read_to_end(&mut text);
    let is_of_header = text.windows(8).any(|part| part == b"\nheader ");
    if how == RekeyMode::NewKey || is_of_header {
        options.progress.notice(Notice::StatementEnds(&statement.shown));
    }
}

fn make_one(change: Change) -> Result {
    make(vec![change]).into_iter().collect()
}

/// Gives the file at `path` other recipients, where it is.
fn rekey_file(path: &Path, plan: &RekeyPlan<'_>, options: &Options<'_>) -> Result<FileOutcome> {
    let place = Place::from_path(path)?;
    expect_none_at(&place, plan)?;
    make_one(RekeySource::to_lock(place)?.ready(plan)?.change(plan, options)?)?;
    Ok(FileOutcome::Rekeyed)
}

/// A file with its other recipients, which is written to wherever the caller says.
pub struct RekeyedFile<'a>(PreparedRekey<'a>);

impl<'a> RekeyedFile<'a> {
    /// Opens the file at `path`, and makes its new header. The file itself is only read.
    ///
    /// # Errors
    /// As [`Rekey::run`] of one file.
    pub fn open(path: &Path, plan: &RekeyPlan<'a>) -> Result<Self> {
        RekeySource::to_read(Place::from_path(path)?)?.ready(plan).map(Self)
    }

    /// Which file was read.
    ///
    /// # Errors
    /// An I/O error.
    pub fn input(&self) -> Result<FileId> {
        let RekeySource { place, file, .. } = &self.0.opened;
        FileId::from_file(file).cannot("read", &place.shown)
    }

    /// Writes the whole file to `output`, which messages call `shown`.
    ///
    /// # Errors
    /// [`Problem::ChangedLength`], or an I/O error.
    pub fn write(&self, output: Output<'_>, shown: &Path, options: &Options<'_>) -> Result {
        self.0.write(output, shown, options)
    }

    /// Writes the whole file to the file `output`, which appears when it is complete.
    ///
    /// # Errors
    /// As [`write`](Self::write) and [`NewFile::create_at`]; [`Problem::Forbidden`] if the output
    /// is the file that was read; [`Problem::Interrupted`]. Then there is no output, and one that
    /// was to be replaced is as it was.
    pub fn write_to_file(&self, output: &Path, options: &Options<'_>) -> Result {
        let mut forbidden = options.forbidden.clone();
        forbidden.add(self.input()?, "the input");
        expect_not_interrupted(output)?;
        let mut new = NewFile::create_at(output, options.overwrite, &forbidden)?;
        self.write(Output::File(new.file()), output, options)?;
        if options.synced {
            new.sync()?;
        }
        new.commit()
    }
}

impl fmt::Debug for RekeyedFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RekeyedFile").field(&self.0.opened.place).finish()
    }
}

/// Refuses an output beside which an interrupted rekey has left a copy: it may be of a header of
/// the same file, and would undo the output.
///
/// # Errors
/// [`Problem::Interrupted`].
pub fn expect_not_interrupted(output: &Path) -> Result {
    let Ok(place) = Place::from_path(output) else { return Ok(()) };
    expect_none_left(&place, BackupRule::Copies)
}

fn expect_none_at(place: &Place, plan: &RekeyPlan<'_>) -> Result {
    expect_none_left(place, plan.strict())
}

/// Refuses a file beside which there is a copy, before any key is read. While another rekey is at
/// work, the copy is that one's: it is looked at again once the file is locked.
fn expect_none_left(place: &Place, strict: BackupRule) -> Result {
    // A path that is no file is refused when it is opened.
    let Ok(file) = place.file() else { return Ok(()) };
    if is_locked(&file) {
        return Ok(());
    }
    expect_none(place, &file, strict, &())
}

/// Puts back the header that an interrupted rekey in place has saved beside the file at `path`.
fn restore_file(path: &Path, trust: Trust<'_>, options: &Options<'_>) -> Result<FileOutcome> {
    make_one(restore_change(&Place::from_path(path)?, trust, options)?)?;
    Ok(FileOutcome::Restored)
}

/// The copy, which must be there.
fn restore_change(place: &Place, trust: Trust<'_>, options: &Options<'_>) -> Result<Change> {
    let restoring = HeaderRestore::find(place, trust, options.progress)?;
    restoring
        .map(Change::Restore)
        .ok_or_else(|| Error::io("read", &backup::copy_of(place).shown, not_there()))
}

/// Whether something else than a file or a directory is there.
fn is_special(place: &Place) -> bool {
    place.status().is_ok_and(|seen| !matches!(seen.kind(), EntryKind::File | EntryKind::Directory))
}

/// A header that is kept in a file of its own, apart from its payload, and is to be replaced.
#[derive(Debug)]
pub struct DetachedHeader {
    place: Place,
    file: File,
    header: Header,
}

impl DetachedHeader {
    /// Reads the header at `path`, with nothing behind it.
    ///
    /// # Errors
    /// [`Problem::NotAFile`], [`Problem::MoreThanHeader`], [`Problem::Interrupted`],
    /// [`Problem::File`], or an I/O error.
    pub fn read(path: &Path) -> Result<Self> {
        let place = Place::from_path(path)?;
        if place.status().cannot("read", path)?.kind() != EntryKind::File {
            return Err(Error::new(path, Problem::NotAFile));
        }
        let file = place.file_to_change().or_else(|_| place.file());
        let mut file = file.cannot("read", path)?;
        expect_none(&place, &file, BackupRule::Copies, &())?;
        let header = Header::read(&mut file).map_err(self::file(path))?;
        let bytes = file.metadata().cannot("read", path)?.len();
        if bytes > header.as_bytes().len() as u64 {
            return Err(Error::new(path, Problem::MoreThanHeader));
        }
        Ok(Self { place, file, header })
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The file that it was read from.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Lets `new` take its place, if the file has not changed since it was read.
    ///
    /// # Errors
    /// [`Problem::Changed`], [`Problem::Busy`], or an I/O error.
    pub fn replace(self, new: &Header, options: &Options<'_>) -> Result {
        let Self { place, file, header } = self;
        let locked = LockedFile::lock(&place, &file, options.progress)?;
        let locked = locked.beginning_with(header.as_bytes())?;
        expect_none(&place, &file, BackupRule::Copies, options.progress)?;
        let replacement = Replacement::new(locked, options.forbidden)?;
        let written = replacement.output().file().write_all_at(new.as_bytes(), 0);
        written.cannot("write", &place.shown)?;
        make_one(Change::Replace(replacement))
    }
}
