//! The errors of files by name: each says what went wrong, and with which file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use polyseal_file::{Class, manifest, reason};

use crate::printable::shown;

/// A result with this crate's [`Error`].
pub type Result<T = (), E = Error> = std::result::Result<T, E>;

/// Why something was not done to a file.
#[derive(Debug)]
pub struct Error {
    path: PathBuf,
    problem: Box<Problem>,
}

/// The kinds of errors.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system refused an operation.
    Io {
        /// The verb in "cannot … it".
        what: &'static str,
        /// Its answer.
        source: io::Error,
    },
    /// The file format's error, on reading the file.
    File(polyseal_file::Error),
    /// The file format's error about the recipients, or while it encrypts for them.
    Sealing(polyseal_file::Error),
    /// The output is there, and was not to be replaced.
    Exists,
    /// The output is a symbolic link that leads nowhere.
    DanglingLink,
    /// The name of an output ends in `/`, and there is no such directory.
    NoSuchDirectory,
    /// The output path is not a regular file.
    NotAFile,
    /// The input is no regular file without armour, and so cannot be rekeyed.
    NotRekeyable,
    /// A file of age does not have the feature that was asked for.
    NotWithAge(UnsupportedByAge),
    /// Something follows the header in a file that should have nothing else.
    MoreThanHeader,
    /// The output is a file that must not be replaced.
    Forbidden(&'static str),
    /// A name means another file than the one that was read, or that has been changed. Nothing was
    /// done to it.
    Changed,
    /// The file shrank or grew while it was copied.
    ChangedLength,
    /// The input grew while it was read. The output has the input as it was at first, and is whole.
    Grew,
    /// The header could not be written or synced, and may be torn. A copy of it is beside the file.
    Torn(io::Error),
    /// Another program rekeys the file.
    Busy,
    /// A rekey in place was interrupted, and has left a copy of the header.
    Interrupted,
    /// Not a header backup, despite its name.
    BadBackup(BackupProblem),
    /// Something that is no copy of the header has its name.
    BackupNameTaken(BackupProblem),
    /// There is no manifest: the directory is no sealed tree.
    NoManifest,
    /// An invalid manifest, or a file that a manifest cannot list.
    Manifest(manifest::Problem),
    /// A file of the tree is missing.
    Missing,
    /// A file is not of the tree: the manifest does not have it.
    Added,
    /// The same of a file that has the name of a header backup.
    AddedCopy,
    /// Something could not be taken when the tree was made or updated.
    NotTaken {
        /// Why.
        reason: manifest::Reason,
        /// Whether the tree has what an earlier run has taken of it.
        kept: bool,
    },
    /// An update of the tree was interrupted, and is not finished.
    InterruptedUpdate,
    /// The tree was updated, or rekeyed, while it was read.
    UpdatedMeanwhile,
    /// The tree has no statement that is to be accepted.
    NotSigned,
    /// The tree has this number, and not the least that was asked for.
    OlderTree(u64),
    /// Another program updates the tree.
    BusyTree,
    /// The source of an update has no file, and the tree has some.
    EmptySource,
    /// The tree has nothing of this name.
    NotInTree,
    /// The user has no folder for the state of a tree.
    NoStateFolder,
    /// A file that is there is no state of a tree.
    NotAState,
    /// The state knows a tree in this directory, where none is.
    TreeIsGone(PathBuf),
    /// Contents are to be compared, and nothing was given that opens them.
    ChecksumNeedsKey,
    /// A file is authentic, and not the one that the manifest has under that name.
    OtherFile,
    /// A file has the salt and the key that the manifest has under that name, and other contents.
    OtherContents,
    /// A symbolic link leads out of the tree, to this target; it was not made.
    LinkLeadsOut(Vec<u8>),
    /// The path of one of many inputs leads out of the directory that outputs go beneath.
    LeadsOut,
    /// The output of a tree lies in the tree, which is this directory.
    Nested(PathBuf),
    /// The directory for a tree is not empty.
    NotEmpty,
    /// In the store, where a tree is to be, there is something already, such as this.
    Occupied(PathBuf),
    /// It is done to trees in directories alone, and this one is in a store.
    InAStore,
    /// A store refused an operation.
    Store {
        /// The sentence, which names the object.
        sentence: String,
        /// Its class.
        class: Class,
        /// Advice, if there is any.
        hint: Option<&'static str>,
        /// Whether anyone who can write to the store can cause this.
        strange: bool,
    },
    /// The output path for a tree is not a directory.
    NotADirectory,
    /// The directory for a tree belongs to another user, or others may write to it.
    NotOurs,
    /// The directory for a tree has appeared since it was looked for.
    Appeared,
    /// A file has the name of the manifest.
    ReservedName,
    /// The encrypted file would have the name of a directory.
    SameName(PathBuf),
    /// This system has no such name, and why not.
    ImpossibleName(&'static str),
    /// On this system, another name of the tree means the same file as this one.
    OneFile(PathBuf),
    /// It is neither a file nor a directory nor a symbolic link.
    Special,
    /// The error of a callback of the caller's.
    Caller(Box<dyn std::error::Error + Send + Sync>),
    /// The caller wanted no more.
    Cancelled,
}

/// The features that files of age do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupportedByAge {
    /// Room for a header in place.
    InPlace,
    /// A context.
    Context,
}

/// Why something is no copy of a header.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BackupProblem {
    /// Not a regular file of the user or of the owner of the file beside it.
    Foreign,
    /// It does not begin with a header.
    NoHeader(String),
    /// It is of other headers than the file's.
    OtherHeaders(PathBuf),
    /// It could not be read.
    Unread(String),
}

impl Error {
    /// An error with `problem`, about the file at `path`.
    #[must_use]
    pub fn new(path: &Path, problem: Problem) -> Self {
        Self { path: path.to_owned(), problem: Box::new(problem) }
    }

    /// The system refused to do `what` to the file at `path`.
    #[must_use]
    pub fn io(what: &'static str, path: &Path, source: io::Error) -> Self {
        Self::new(path, Problem::Io { what, source })
    }

    /// Whether there is no file of that name.
    pub(crate) fn is_not_found(&self) -> bool {
        match self.problem() {
            Problem::Missing => true,
            Problem::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }

    /// The file that it is about.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The kind of error, with its details.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The same, to be taken apart.
    #[must_use]
    pub fn into_problem(self) -> Problem {
        *self.problem
    }
}

/// Makes any error an [`Error`] about a file.
pub(crate) trait ErrorContext<T> {
    fn cannot(self, what: &'static str, path: &Path) -> Result<T>;
}

impl<T> ErrorContext<T> for io::Result<T> {
    fn cannot(self, what: &'static str, path: &Path) -> Result<T> {
        self.map_err(|source| Error::io(what, path, source))
    }
}

/// Makes an error of the file format one about the file at `path`.
pub(crate) fn file(path: &Path) -> impl Fn(polyseal_file::Error) -> Error {
    |error| match error {
        polyseal_file::Error::Cancelled => Error::new(path, Problem::Cancelled),
        error => Error::new(path, Problem::File(error)),
    }
}

/// The same for an error while the file at `path` is encrypted.
pub(crate) fn sealing(path: &Path) -> impl Fn(polyseal_file::Error) -> Error {
    |error| match error {
        polyseal_file::Error::Cancelled => Error::new(path, Problem::Cancelled),
        error => Error::new(path, Problem::Sealing(error)),
    }
}

/// Makes an error of the manifest one about the file at `path`.
pub(crate) fn manifest_error(path: &Path) -> impl Fn(manifest::Error) -> Error {
    |error| match error {
        // A refusal of the reader is no error of the system.
        manifest::Error::Io(source) => match source.downcast::<polyseal_file::Error>() {
            Ok(found) => file(path)(found),
            Err(source) => Error::io("read", path, source),
        },
        manifest::Error::Invalid(problem) => Error::new(path, Problem::Manifest(problem)),
        other => Error::io("read", path, io::Error::other(other.to_string())),
    }
}

impl Error {
    /// The sentence, in which the file is called `name`: its path, or "it".
    #[must_use]
    pub fn sentence(&self, name: &str) -> String {
        match &*self.problem {
            Problem::Io { what, source } => format!("cannot {what} {name}: {}", reason(source)),
            Problem::File(error) | Problem::Sealing(error) => error.to_string(),
            Problem::Exists => format!("{name} already exists"),
            Problem::DanglingLink => format!("{name} is a symbolic link to nothing"),
            Problem::NoSuchDirectory | Problem::NotADirectory => {
                format!("{name} is not a directory")
            }
            Problem::NotAFile => format!("{name} is there, and is no regular file"),
            Problem::NotRekeyable => {
                "only a regular file without ASCII armour can be rekeyed".into()
            }
            Problem::NotWithAge(unfit) => {
                let what = match unfit {
                    UnsupportedByAge::InPlace => "a rekey in place",
                    UnsupportedByAge::Context => "a context",
                };
                format!("{what} does not go with an age file")
            }
            Problem::MoreThanHeader => format!("{name} has more than a header"),
            Problem::Forbidden(what) => format!("the output, {name}, is {what}"),
            Problem::Changed => format!("{name} has been changed meanwhile"),
            Problem::ChangedLength => "it changed its length meanwhile".into(),
            Problem::Grew => "it grew while it was read: the output has its first length".into(),
            Problem::Torn(source) => format!("cannot write {name}: {}", reason(source)),
            Problem::Busy => format!("{name} is being rekeyed by another program"),
            Problem::Interrupted => format!("{name} is there: a rekey was interrupted"),
            Problem::BadBackup(why) => format!("{name} is no copy of the header: {why}"),
            Problem::BackupNameTaken(why) => {
                format!("{name} stands in the way, and is no copy of the header: {why}")
            }
            Problem::NoManifest => format!("{name} is missing: it is no sealed tree"),
            Problem::Manifest(problem) => manifest::Error::Invalid(*problem).to_string(),
            Problem::Missing => "it is missing".into(),
            Problem::Added => "it is not of this tree: the manifest does not have it".into(),
            Problem::NotTaken { reason, kept: true } => {
                format!("it is as an earlier run has taken it: {reason}")
            }
            Problem::NotTaken { reason, kept: false } => {
                format!("the tree does not have it: {reason}")
            }
            Problem::InterruptedUpdate => format!("an update of {name} was interrupted"),
            Problem::UpdatedMeanwhile => format!("{name} was updated while it was read"),
            Problem::NotSigned => format!("{name} has no statement: nobody has signed it"),
            Problem::OlderTree(number) => {
                format!("{name} is older: its manifest is number {number}")
            }
            Problem::BusyTree => format!("another program updates {name}"),
            Problem::NotAState => format!("{name} is there, and is no state of a tree"),
            Problem::TreeIsGone(tree) => {
                format!("{name} is of a tree in {}, and none is there", tree.display())
            }
            Problem::NoStateFolder => format!("no folder is known for the state of {name}"),
            Problem::NotInTree => format!("the tree has nothing that is called {name}"),
            Problem::ChecksumNeedsKey => {
                format!("nothing was given that opens {name}, to compare contents")
            }
            Problem::EmptySource => format!("{name} has no files, and the encrypted tree has some"),
            Problem::AddedCopy => {
                "it is, or looks like, the saved header of an interrupted rekey --in-place".into()
            }
            Problem::OtherFile => "it is not the file that the manifest has there".into(),
            Problem::OtherContents => "its contents are not those that the manifest has there: \
                                       somebody who could open it has changed them"
                .into(),
            Problem::LinkLeadsOut(target) => {
                let target = String::from_utf8_lossy(target);
                format!("the link leads out of the tree, to {target}")
            }
            Problem::Nested(tree) => format!("{name} lies in {}", tree.display()),
            Problem::Occupied(there) => {
                format!("{name} is not empty: {} is there", there.display())
            }
            Problem::InAStore => {
                format!("this works on trees in directories only, and {name} is in a store")
            }
            Problem::Store { sentence, .. } => sentence.clone(),
            Problem::NotEmpty => format!("{name} is there, and is not empty"),
            Problem::NotOurs => {
                format!("{name} belongs to another user, or others may write to it")
            }
            Problem::Appeared => format!("{name} has appeared meanwhile"),
            Problem::ReservedName => "it has a name that only the encrypted tree has".into(),
            Problem::SameName(directory) => format!(
                "its encrypted file would have the name of a directory, {}",
                directory.display()
            ),
            Problem::ImpossibleName(why) => format!("this system has no such name: {why}"),
            Problem::OneFile(other) => {
                format!("{name} would be one file with {} on this system", other.display())
            }
            Problem::LeadsOut => format!("{name} leads out of this directory"),
            Problem::Special => "it is neither a file nor a directory nor a symbolic link".into(),
            Problem::Caller(error) => error.to_string(),
            Problem::Cancelled => "cancelled".into(),
        }
    }

    /// Whether the sentence names the file. Where it does not, the name stands before it, once.
    #[must_use]
    pub fn names_file(&self) -> bool {
        // Without an arm for the rest: a new kind of error has to be put with one of them.
        match &*self.problem {
            Problem::File(_)
            | Problem::Sealing(_)
            | Problem::NotRekeyable
            | Problem::NotTaken { .. }
            | Problem::NotWithAge(_)
            | Problem::ChangedLength
            | Problem::Grew
            | Problem::Manifest(_)
            | Problem::Missing
            | Problem::Added
            | Problem::AddedCopy
            | Problem::OtherFile
            | Problem::OtherContents
            | Problem::LinkLeadsOut(_)
            | Problem::ReservedName
            | Problem::SameName(_)
            | Problem::ImpossibleName(_)
            | Problem::Special
            | Problem::Cancelled => false,
            Problem::Io { .. }
            | Problem::Exists
            | Problem::DanglingLink
            | Problem::NoSuchDirectory
            | Problem::NotAFile
            | Problem::MoreThanHeader
            | Problem::Forbidden(_)
            | Problem::Changed
            | Problem::Torn(_)
            | Problem::Busy
            | Problem::BusyTree
            | Problem::EmptySource
            | Problem::ChecksumNeedsKey
            | Problem::NotInTree
            | Problem::NoStateFolder
            | Problem::NotAState
            | Problem::TreeIsGone(_)
            | Problem::Interrupted
            | Problem::InterruptedUpdate
            | Problem::UpdatedMeanwhile
            | Problem::NotSigned
            | Problem::OlderTree(_)
            | Problem::BadBackup(_)
            | Problem::BackupNameTaken(_)
            | Problem::NoManifest
            | Problem::LeadsOut
            | Problem::Nested(_)
            | Problem::NotEmpty
            | Problem::Occupied(_)
            | Problem::InAStore
            | Problem::Store { .. }
            | Problem::NotADirectory
            | Problem::NotOurs
            | Problem::Appeared
            | Problem::OneFile(_)
            | Problem::Caller(_) => true,
        }
    }
}

/// The path, once, and the sentence.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string();
        let sentence = self.sentence(&path);
        let text = if self.names_file() { sentence } else { format!("{path}: {sentence}") };
        // The names of files are chosen by others.
        f.write_str(&shown(&text))
    }
}

impl fmt::Display for BackupProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str("it is not a regular file of yours or of its owner"),
            Self::NoHeader(why) | Self::Unread(why) => f.write_str(why),
            Self::OtherHeaders(file) => write!(
                f,
                "{} has neither of the headers in it, nor parts of both: it may be another file, \
                 or have been rekeyed under another name",
                file.display()
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.problem {
            Problem::Io { source, .. } | Problem::Torn(source) => Some(source),
            Problem::File(error) | Problem::Sealing(error) => Some(error),
            Problem::Caller(error) => Some(&**error),
            _ => None,
        }
    }
}

/// Lets a reader or writer of this crate return an [`Error`] as an I/O error.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        Self::other(error)
    }
}

/// An error of this crate that has come by way of an I/O error, if it is one.
pub(crate) fn unwrapped(
    error: polyseal_file::Error,
) -> std::result::Result<Error, polyseal_file::Error> {
    match error {
        polyseal_file::Error::Io { what, source } => {
            source.downcast::<Error>().map_err(|source| polyseal_file::Error::Io { what, source })
        }
        other => Err(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_named_once() {
        for problem in [
            Problem::Io { what: "read", source: io::ErrorKind::NotFound.into() },
            Problem::File(polyseal_file::Error::CutShort),
            Problem::Sealing(polyseal_file::Error::NoRecipients),
            Problem::Exists,
            Problem::DanglingLink,
            Problem::NoSuchDirectory,
            Problem::NotAFile,
            Problem::NotRekeyable,
            Problem::NotWithAge(UnsupportedByAge::InPlace),
            Problem::MoreThanHeader,
            Problem::Forbidden("a key file"),
            Problem::Changed,
            Problem::ChangedLength,
            Problem::Grew,
            Problem::Torn(io::ErrorKind::Other.into()),
            Problem::Busy,
            Problem::Interrupted,
            Problem::BadBackup(BackupProblem::Foreign),
            Problem::BackupNameTaken(BackupProblem::Foreign),
            Problem::NoManifest,
            Problem::Manifest(manifest::Problem::UnboundContents),
            Problem::Missing,
            Problem::Added,
            Problem::AddedCopy,
            Problem::NotTaken { reason: manifest::Reason::Read, kept: true },
            Problem::NotTaken { reason: manifest::Reason::Read, kept: false },
            Problem::InterruptedUpdate,
            Problem::UpdatedMeanwhile,
            Problem::OlderTree(7),
            Problem::BusyTree,
            Problem::EmptySource,
            Problem::ChecksumNeedsKey,
            Problem::NotInTree,
            Problem::NoStateFolder,
            Problem::NotAState,
            Problem::TreeIsGone("tree".into()),
            Problem::OtherFile,
            Problem::OtherContents,
            Problem::LinkLeadsOut(b"..".to_vec()),
            Problem::LeadsOut,
            Problem::Nested("tree".into()),
            Problem::NotEmpty,
            Problem::Occupied("object".into()),
            Problem::InAStore,
            Problem::NotADirectory,
            Problem::NotOurs,
            Problem::Appeared,
            Problem::ReservedName,
            Problem::SameName("folder".into()),
            Problem::ImpossibleName("reserved"),
            Problem::OneFile("other".into()),
            Problem::Special,
            Problem::Cancelled,
        ] {
            let error = Error::new(Path::new("NAME"), problem);
            let named = error.sentence("NAME").contains("NAME");
            assert_eq!(named, error.names_file(), "{error}");
            assert_eq!(error.to_string().matches("NAME").count(), 1, "{error}");
        }
    }
}
