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
mod stored;
mod tree;

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Seek};
use std::num::NonZeroUsize;
use std::path::Path;

use polyseal_file::age::v1;
use polyseal_file::{
    Commitment, Context, Decryptor, Error as FileError, ExistingRecipients, Header, Identities,
    Output, Recipients,
};

pub use self::backup::{Trust, was_interrupted};
pub use self::many::{rekey_files, restore_files};
pub use self::stored::rekey_stored;
pub use self::tree::restore_tree;

use self::backup::{BackupRule, HeaderRestore, expect_none};
use self::batch::{Change, make};
use self::contents::{NewContents, NewHeader};
use self::in_place::HeaderRewrite;
use self::stored::authentic;
use crate::error::{Error, ErrorContext, Problem, Result, UnsupportedByAge, file, sealing};
use crate::locked::{LockedFile, Replacement};
use crate::new_file::NewFile;
use crate::options::Options;
use crate::place::Place;
use crate::platform::contents::{FileExt, is_locked, not_there};
use crate::platform::{EntryKind, FileId};

/// How a file gets its other recipients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RekeyMode {
    /// A new file, with another header and the same payload, takes the place of the old one.
    Header,
    /// The header is rewritten in the file itself.
    InPlace,
    /// A new file, with another key and so another payload, takes the place of the old one.
    NewKey,
}

/// Where the recipients of many files come from: they are asked for once the first file has opened.
pub type NewRecipients<'a> = dyn Fn() -> Result<&'a Recipients> + Sync + 'a;

/// The identities that open files, and the recipients that the files get.
#[derive(Clone, Copy)]
pub struct Rekey<'a> {
    pub(crate) identities: &'a Identities<'a>,
    pub(crate) to: &'a NewRecipients<'a>,
    pub(crate) others: ExistingRecipients,
    pub(crate) how: RekeyMode,
    pub(crate) context: Option<&'a Context>,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) done: RekeyedCheck<'a>,
}

/// How to tell that one of many files has its new recipients already.
#[derive(Clone, Copy, Debug)]
pub enum RekeyedCheck<'a> {
    /// Nothing does: files that the old keys open are rekeyed, perhaps once more.
    Unknown,
    /// That these open it, and the old keys do not.
    Opens(&'a Identities<'a>),
    /// That these open it: they are of the one key that is added.
    OpensAdded(&'a Identities<'a>),
}

impl<'a> Rekey<'a> {
    /// Gives files that `identities` open the recipients of `to`. `others` says whether those whom
    /// a file is for now still open it; with [`RekeyMode::NewKey`] they do not, whatever it says.
    #[must_use]
    pub fn new(
        identities: &'a Identities<'a>,
        to: &'a NewRecipients<'a>,
        others: ExistingRecipients,
        how: RekeyMode,
    ) -> Self {
        let (context, threads, done) = (None, None, RekeyedCheck::Unknown);
        Self { identities, to, others, how, context, threads, done }
    }

    /// The context that the files are bound to. A header does not know it: that the contents are
    /// bound to it is looked at, and with [`RekeyMode::NewKey`] they stay so.
    #[must_use]
    pub fn context(mut self, context: &'a Context) -> Self {
        self.context = Some(context);
        self
    }

    /// With at most this many threads for each file.
    #[must_use]
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets how to tell that one of many files is done.
    #[must_use]
    pub fn rekeyed_check(mut self, done: RekeyedCheck<'a>) -> Self {
        self.done = done;
        self
    }

    fn decryptor(&self) -> Decryptor<'a> {
        self.decryptor_of(self.identities)
    }

    fn decryptor_of(&self, identities: &'a Identities<'a>) -> Decryptor<'a> {
        let mut decryptor = Decryptor::new(identities);
        if let Some(context) = self.context {
            decryptor = decryptor.context(context);
        }
        if let Some(threads) = self.threads {
            decryptor = decryptor.threads(threads);
        }
        decryptor
    }

    /// The same by what is new, for a file that has it already.
    fn decryptor_when_done(&self) -> Decryptor<'a> {
        match self.done {
            RekeyedCheck::Unknown => self.decryptor(),
            RekeyedCheck::Opens(new) | RekeyedCheck::OpensAdded(new) => self.decryptor_of(new),
        }
    }

    /// Whether what is new opens a file with this header, and it is the one that it has to be.
    fn opens_header(&self, header: &Header, which: ExpectedFile<'_>) -> bool {
        match self.done {
            RekeyedCheck::Unknown => false,
            RekeyedCheck::Opens(new) | RekeyedCheck::OpensAdded(new) => {
                header.authenticate(new).is_ok_and(|authentic| match which {
                    ExpectedFile::Any | ExpectedFile::BoundTo(_) => true,
                    ExpectedFile::Of(commitment) => authentic.expect(commitment).is_ok(),
                })
            }
        }
    }

    /// Whether what is new opens the file at `place`.
    fn opens(&self, place: &Place) -> bool {
        let header = place.file().ok().and_then(|mut file| Header::read(&mut file).ok());
        header.is_some_and(|header| self.opens_header(&header, ExpectedFile::Any))
    }

    fn one_is_added(&self) -> bool {
        matches!(self.done, RekeyedCheck::OpensAdded(_))
    }

    /// Which files beside a file keep it from being rekeyed.
    fn strict(&self) -> BackupRule {
        if self.how == RekeyMode::InPlace { BackupRule::Anything } else { BackupRule::Copies }
    }
}

impl fmt::Debug for Rekey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rekey")
            .field("others", &self.others)
            .field("how", &self.how)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

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
    fn ready<'a>(self, rekey: &Rekey<'a>) -> Result<PreparedRekey<'a>> {
        let new = self.contents(rekey, ExpectedFile::Any)?;
        Ok(PreparedRekey { opened: self, new })
    }

    fn contents<'a>(&self, rekey: &Rekey<'a>, which: ExpectedFile<'_>) -> Result<NewContents<'a>> {
        let shown = &self.place.shown;
        Ok(match &self.header {
            OldHeader::Polyseal(old) => {
                let authentic = authentic(old, &self.file, shown, rekey, which)?;
                let recipients = (rekey.to)()?;
                match rekey.how {
                    RekeyMode::NewKey => NewContents::Payload { recipients, rekey: *rekey },
                    RekeyMode::Header | RekeyMode::InPlace => {
                        let new = authentic.rekey(recipients, rekey.others);
                        NewContents::Header(NewHeader::Polyseal(new.map_err(sealing(shown))?))
                    }
                }
            }
            OldHeader::Age(old) => {
                if rekey.how == RekeyMode::InPlace {
                    return Err(Error::new(shown, Problem::NotWithAge(UnsupportedByAge::InPlace)));
                }
                if rekey.context.is_some() {
                    return Err(Error::new(shown, Problem::NotWithAge(UnsupportedByAge::Context)));
                }
                let authentic = old.authenticate(rekey.identities).map_err(file(shown))?;
                let recipients = (rekey.to)()?;
                match rekey.how {
                    RekeyMode::NewKey => NewContents::Payload { recipients, rekey: *rekey },
                    RekeyMode::Header | RekeyMode::InPlace => {
                        let new = authentic.rekey(recipients, rekey.others);
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
    fn change(self, rekey: &Rekey<'_>, options: &Options<'_>) -> Result<Change> {
        let RekeySource { place, file, header } = &self.opened;
        let locked = LockedFile::lock(place, file, options.progress)?;
        let locked = locked.beginning_with(header.as_bytes())?;
        if let (RekeyMode::InPlace, OldHeader::Polyseal(old), NewContents::Header(new)) =
            (rekey.how, header, &self.new)
            && let NewHeader::Polyseal(new) = new
        {
            let rewrite = HeaderRewrite::prepare(locked, old, new.clone())?;
            return Ok(Change::Header(Box::new(rewrite)));
        }
        // Meanwhile another may have begun, and been interrupted.
        expect_none(place, file, rekey.strict(), options.progress)?;
        let replacement = Replacement::new(locked, options.forbidden)?;
        let output = replacement.output();
        self.write(Output::File(output.file()), output.shown(), options)?;
        Ok(Change::Replace(replacement))
    }
}

fn make_one(change: Change) -> Result {
    make(vec![change]).into_iter().collect()
}

/// Gives the file at `path` other recipients, where it is.
///
/// # Errors
/// [`Problem::NotRekeyable`], [`Problem::Changed`], [`Problem::Busy`], [`Problem::Interrupted`],
/// [`Problem::File`] if the file does not open, [`Problem::Sealing`] if it cannot be for these
/// recipients, or an I/O error. Then the file is as it was, unless it is [`Problem::Torn`].
pub fn rekey_file(path: &Path, rekey: &Rekey<'_>, options: &Options<'_>) -> Result {
    let place = Place::from_path(path)?;
    expect_none_at(&place, rekey)?;
    make_one(RekeySource::to_lock(place)?.ready(rekey)?.change(rekey, options)?)
}

/// The same, with the result in another file, `output`. The one at `path` is only read.
///
/// # Errors
/// As [`rekey_file`], and those of [`NewFile::create_at`]. Then there is no output, and one that
/// was to be replaced is as it was.
pub fn rekey_file_to(
    path: &Path,
    output: &Path,
    rekey: &Rekey<'_>,
    options: &Options<'_>,
) -> Result {
    let ready = RekeyedFile::open(path, rekey)?;
    let mut forbidden = options.forbidden.clone();
    forbidden.add(ready.input()?, "the input");
    expect_not_interrupted(output)?;
    let mut new = NewFile::create_at(output, options.overwrite, &forbidden)?;
    ready.write(Output::File(new.file()), output, options)?;
    if options.synced {
        new.sync()?;
    }
    new.commit()
}

/// A file with its other recipients, which is written to wherever the caller says.
pub struct RekeyedFile<'a>(PreparedRekey<'a>);

impl<'a> RekeyedFile<'a> {
    /// Opens the file at `path`, and makes its new header. The file itself is only read.
    ///
    /// # Errors
    /// As [`rekey_file`].
    pub fn open(path: &Path, rekey: &Rekey<'a>) -> Result<Self> {
        RekeySource::to_read(Place::from_path(path)?)?.ready(rekey).map(Self)
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

fn expect_none_at(place: &Place, rekey: &Rekey<'_>) -> Result {
    expect_none_left(place, rekey.strict())
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
///
/// # Errors
/// [`Problem::BadBackup`], or an I/O error: `NotFound` if there is no copy.
pub fn restore_file(path: &Path, trust: Trust<'_>, options: &Options<'_>) -> Result {
    make_one(restore_change(&Place::from_path(path)?, trust, options)?)
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
