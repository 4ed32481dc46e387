//! The tree that is encrypted: its names, each with what it is, and the entry that each gets.

use std::iter;
use std::path::{Path, PathBuf};

use polyseal_file::manifest::{Entry, FileBinding, Kind, NO_STAMP, Reason, State, Timestamp};
use polyseal_file::{Encryptor, Error as FileError, Input, Output, PayloadRoot, Summary};

use super::signed::{SignedFolder, now};
use super::store::NewSealedFile;
use super::walk::{Walk, WalkEntry};
use super::{Tree, sealed_name};
use crate::error::{Error, ErrorContext, Problem, Result, sealing};
use crate::many::FileOutcome;
use crate::place::Place;
use crate::platform::{EntryKind, bytes, path_bytes};
use crate::testing::step;

/// A name of the source.
pub(super) struct SourceName {
    pub(super) step: WalkEntry,
    /// Whether a directory could be listed, and made where the tree goes.
    pub(super) begun: Result,
}

/// The names of a tree in order. `make` has each directory before what is in it.
///
/// An error is that the tree itself could not be listed, and ends the run.
pub(super) fn source_names<'a>(
    from: &'a Tree,
    walk: Walk<'a>,
    make: impl Fn(&Path) -> Result + Send + 'a,
) -> impl Iterator<Item = Result<SourceName>> + Send + 'a {
    let mut walk = walk.peekable();
    let unread = |(path, error): (PathBuf, _)| Error::io("read", &from.shown(&path), error);
    iter::from_fn(move || {
        let step = match walk.next()? {
            Ok(step) => step,
            Err(error) => return Some(Err(unread(error))),
        };
        let mut begun = Ok(());
        if step.kind == EntryKind::Directory {
            begun = make(&step.path);
            // It is listed right behind its own name.
            if let Some(Err(error)) = walk.next_if(Result::is_err) {
                begun = begun.and(Err(unread(error)));
            }
        }
        Some(Ok(SourceName { step, begun }))
    })
}

/// The result for a name.
pub(super) struct SealResult {
    /// The path that it is reported by.
    pub(super) shown: PathBuf,
    /// Its entry, if it has one; also if it failed.
    pub(super) entry: Option<Entry>,
    /// The outcome to report, if there is one.
    pub(super) done: Result<Option<FileOutcome>>,
}

impl SealResult {
    /// That of an entry which stays as it is, or fails and is then left out.
    pub(super) fn new(shown: PathBuf, done: Result<(Option<Entry>, Option<FileOutcome>)>) -> Self {
        match done {
            Ok((entry, done)) => Self { shown, entry, done: Ok(done) },
            Err(error) => Self { shown, entry: None, done: Err(error) },
        }
    }
}

/// A place for new encrypted files.
pub(super) trait NewFiles: Sync {
    /// Begins that of the file at `path`, of about so many bytes.
    fn create(&self, path: &Path, bytes: u64) -> Result<NewSealedFile>;

    /// Lets it appear when it has been written.
    fn finish(&self, file: NewSealedFile, summary: &Summary) -> Result {
        let _ = summary;
        file.commit()
    }
}

/// Encrypts what is at one name after the other.
#[derive(Clone, Copy)]
pub(super) struct EntrySealer<'a> {
    pub(super) from: &'a Tree,
    pub(super) to: &'a dyn NewFiles,
    pub(super) encryptor: Encryptor<'a>,
    /// Where hashes are kept, if the tree is signed.
    pub(super) signed: Option<SignedFolder<'a>>,
}

impl EntrySealer<'_> {
    /// Encrypts what is there. If that fails, what `before` has is kept.
    pub(super) fn seal(&self, name: SourceName, before: Option<&Entry>) -> SealResult {
        let path = path_bytes(&name.step.path).into_owned();
        let shown = self.from.shown(&name.step.path);
        match self.entry(name, path.clone()) {
            Ok((entry, done)) => SealResult { shown, entry: Some(entry), done },
            Err(error) => {
                let entry = Some(failed(path, before, reason(&error)));
                SealResult { shown, entry, done: Err(error) }
            }
        }
    }

    fn entry(
        &self,
        name: SourceName,
        path: Vec<u8>,
    ) -> Result<(Entry, Result<Option<FileOutcome>>)> {
        let place = self.from.place(&name.step.path, "read")?;
        match name.step.kind {
            EntryKind::Directory => {
                let seen = place.status().cannot("read", &place.shown)?;
                let (mode, modified) = (seen.mode(), seen.modified());
                let state = name
                    .begun
                    .as_ref()
                    .err()
                    .map_or(State::New, |error| State::Failed(reason(error)));
                let entry = Entry { path, state, mode, modified, kind: Kind::Directory };
                Ok((entry, name.begun.map(|()| None)))
            }
            EntryKind::Link => {
                let seen = place.status().cannot("read", &place.shown)?;
                let target = place.directory.link_target(&place.name);
                let target = bytes(&target.cannot("read", &place.shown)?).to_vec();
                let done = FileOutcome::Recorded { bytes: target.len() as u64 };
                let (state, modified) = (State::New, seen.modified());
                let entry = Entry { path, state, mode: 0, modified, kind: Kind::Link { target } };
                Ok((entry, Ok(Some(done))))
            }
            EntryKind::File => self.file(&place, &name.step.path, path),
            EntryKind::Other => Err(Error::new(&place.shown, Problem::Special)),
        }
    }

    fn file(
        &self,
        place: &Place,
        name: &Path,
        path: Vec<u8>,
    ) -> Result<(Entry, Result<Option<FileOutcome>>)> {
        let (file, seen) = place.file_and_status().cannot("read", &place.shown)?;
        // Before it is read: a change from now on is seen the next time.
        let (mode, modified, stamp) = (seen.mode(), seen.modified(), seen.stamp());
        let mut output = self.to.create(&sealed_name(name), seen.bytes())?;
        let summary = self.encrypt(Input::File(&file), output.output(), &place.shown)?;
        let kind = match file_kind(&summary, &place.shown)? {
            Kind::File { plaintext_bytes, bound, .. } => {
                Kind::File { plaintext_bytes, bound, stamp }
            }
            other => other,
        };
        step();
        self.to.finish(output, &summary)?;
        let done = FileOutcome::Encrypted { bytes: summary.plaintext_bytes, grew: summary.grew };
        Ok((Entry { path, state: State::New, mode, modified, kind }, Ok(Some(done))))
    }

    fn encrypt(&self, input: Input<'_>, output: Output<'_>, shown: &Path) -> Result<Summary> {
        let encryptor = self.encryptor.committing();
        let Some(folder) = &self.signed else {
            return encryptor.encrypt(input, output).map_err(sealing(shown));
        };
        let stated = encryptor.encrypt_stated(input, output, now());
        let (summary, statement, hashes) = stated.map_err(sealing(shown))?;
        folder.keep(&statement.file_salt, &hashes)?;
        Ok(summary)
    }
}

/// The manifest's entry for a file that has been encrypted.
pub(super) fn file_kind(summary: &Summary, shown: &Path) -> Result<Kind> {
    let commitment = summary.commitment.ok_or_else(|| Error::new(shown, Problem::OtherFile))?;
    let bound = FileBinding::Contents(commitment);
    Ok(Kind::File { plaintext_bytes: summary.plaintext_bytes, bound, stamp: NO_STAMP })
}

/// The entry for something that could not be taken: what `before` has of it stays.
pub(super) fn failed(path: Vec<u8>, before: Option<&Entry>, reason: Reason) -> Entry {
    let state = State::Failed(reason);
    match before {
        Some(before) if is_kept(before) => Entry { state, ..before.clone() },
        _ => {
            let (mode, modified, kind) = (0, Timestamp::ZERO, Kind::Absent);
            Entry { path, state, mode, modified, kind }
        }
    }
}

/// Whether a new manifest can have this entry of an older one.
pub(super) fn is_kept(entry: &Entry) -> bool {
    match &entry.kind {
        Kind::File { bound: FileBinding::Contents(commitment), .. } => {
            matches!(commitment.payload_root, PayloadRoot::Tree(_))
        }
        Kind::Link { .. } | Kind::Directory => true,
        Kind::File { .. } | Kind::Absent => false,
    }
}

/// Why something could not be taken, as a manifest says it.
pub(super) fn reason(error: &Error) -> Reason {
    let of = |what: &str, source: &std::io::Error| match what {
        _ if source.kind() == std::io::ErrorKind::PermissionDenied => Reason::Permission,
        "write" => Reason::Write,
        _ => Reason::Read,
    };
    match error.problem() {
        Problem::Io { what, source } => of(what, source),
        Problem::File(FileError::Io { what, source })
        | Problem::Sealing(FileError::Io { what, source }) => of(what, source),
        Problem::Sealing(FileError::InputChanged) | Problem::ChangedLength => Reason::Changed,
        Problem::Special => Reason::Kind,
        Problem::ReservedName
        | Problem::SameName(_)
        | Problem::ImpossibleName(_)
        | Problem::OneFile(_)
        | Problem::Exists
        | Problem::Manifest(_) => Reason::Name,
        Problem::Store { .. } => Reason::Write,
        _ => Reason::Read,
    }
}
