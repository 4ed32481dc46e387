//! One way to rekey, and to undo what was interrupted, whatever it is done to.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::backup::Trust;
use super::many::{rekey_files, restore_files};
use super::stored::rekey_stored;
use super::tree::{rekey_stored_tree, rekey_tree, restore_tree};
use super::{RekeyPlan, rekey_file, restore_file};
use crate::error::{Error, Problem, Result};
use crate::many::{FileOutcome, OnFile, Total};
use crate::options::Options;
use crate::tree::{Store, StoredFile};

/// The files that are rekeyed, where they are.
pub enum RekeyTarget<'a> {
    /// One file.
    File(&'a Path),
    /// Several files, some at a time.
    Files(Box<dyn Iterator<Item = Result<PathBuf>> + Send + 'a>),
    /// The sealed tree in a directory. Headers are put back in all of the directory, whatever a
    /// manifest says.
    Tree(&'a Path),
    /// One version of a file in a store, which messages call `shown`.
    StoredFile {
        /// The version, which is still there when its header is replaced.
        version: &'a dyn StoredFile,
        /// The name of the file.
        shown: &'a Path,
    },
    /// The sealed tree in a store. Each header is replaced on the condition that the file has not
    /// changed since it was read.
    StoredTree(Arc<dyn Store>),
}

/// A rekey of files, or the way back from one that was interrupted.
///
/// ```
/// use polyseal_file::{ExistingRecipients, Identities, Key, Recipients};
/// use polyseal_local::{Options, Rekey, RekeyMode, RekeyPlan, RekeyTarget, encrypt_file};
///
/// # let directory = tempfile::tempdir()?;
/// # let at = |name| directory.path().join(name);
/// # let [notes, sealed] = ["notes", "notes.polyseal"].map(at);
/// # std::fs::write(&notes, "meet at noon")?;
/// let (mine, theirs) = (Key::generate()?, Key::generate()?);
/// # let encryptor = Recipients::from(&mine);
/// # let encryptor = polyseal_file::Encryptor::new(&encryptor);
/// # encrypt_file(&notes, &sealed, encryptor, &Options::new())?;
/// let (identities, recipients) = (Identities::from(&mine), Recipients::from(&theirs));
/// let plan =
///     RekeyPlan::new(&identities, &recipients, ExistingRecipients::Keep, RekeyMode::Header);
/// Rekey::new(RekeyTarget::File(&sealed), &plan).run()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "nothing is done before `run`"]
pub struct Rekey<'a> {
    target: RekeyTarget<'a>,
    operation: Operation<'a>,
    options: Options<'a>,
    on_file: Option<OnFile<'a>>,
}

#[derive(Clone, Copy)]
enum Operation<'a> {
    Rekey(RekeyPlan<'a>),
    Restore(Trust<'a>),
}

impl<'a> Rekey<'a> {
    /// Gives the files of `target` the recipients of `plan`. A run over several that was
    /// interrupted is run again: files that are done already are left as they are.
    pub fn new(target: RekeyTarget<'a>, plan: &RekeyPlan<'a>) -> Self {
        Self::from_parts(target, Operation::Rekey(*plan))
    }

    /// Puts back the headers that interrupted rekeys in place have saved beside the files.
    pub fn restore(target: RekeyTarget<'a>, trust: Trust<'a>) -> Self {
        Self::from_parts(target, Operation::Restore(trust))
    }

    fn from_parts(target: RekeyTarget<'a>, operation: Operation<'a>) -> Self {
        Self { target, operation, options: Options::new(), on_file: None }
    }

    /// With other options than [`Options::new`].
    pub fn options(mut self, options: &Options<'a>) -> Self {
        self.options = *options;
        self
    }

    /// Tells of each file, in their order; of several, also those that failed, which then do not
    /// end the run. Without it, the first failure does.
    pub fn on_file(mut self, tell: OnFile<'a>) -> Self {
        self.on_file = Some(tell);
        self
    }

    /// Does it.
    ///
    /// # Errors
    /// With one file: [`Problem::NotRekeyable`], [`Problem::Changed`], [`Problem::Busy`],
    /// [`Problem::Interrupted`], [`Problem::File`] if it does not open, [`Problem::Sealing`] if it
    /// cannot be for these recipients, an I/O error or the store's. Then it is as it was, unless it
    /// is [`Problem::Torn`]. If its header is to be put back, [`Problem::BadBackup`], or an I/O
    /// error: `NotFound` if there is no copy.
    ///
    /// With several files: an error of the iterator or of what is told of each file; if the
    /// manifest does not open; [`Problem::Cancelled`].
    ///
    /// In a store, [`Problem::InAStore`] for anything but [`RekeyMode::Header`](super::RekeyMode).
    pub fn run(self) -> Result<Total> {
        let Self { target, operation, options, on_file } = self;
        let options = &options;
        let mut first_failure_ends = |_: &Path, done: Result<FileOutcome>| done.map(drop);
        let tell: OnFile<'_> = match on_file {
            Some(tell) => tell,
            None => &mut first_failure_ends,
        };
        match (target, &operation) {
            (RekeyTarget::File(path), Operation::Rekey(plan)) => {
                one(path, rekey_file(path, plan, options), tell)
            }
            (RekeyTarget::File(path), Operation::Restore(trust)) => {
                one(path, restore_file(path, *trust, options), tell)
            }
            (RekeyTarget::Files(paths), Operation::Rekey(plan)) => {
                rekey_files(paths, plan, options, tell)
            }
            (RekeyTarget::Files(paths), Operation::Restore(trust)) => {
                restore_files(paths, *trust, options, tell)
            }
            (RekeyTarget::Tree(path), Operation::Rekey(plan)) => {
                rekey_tree(path, plan, options, tell)
            }
            (RekeyTarget::Tree(path), Operation::Restore(trust)) => {
                restore_tree(path, *trust, options, tell)
            }
            (RekeyTarget::StoredFile { version, shown }, Operation::Rekey(plan)) => {
                one(shown, rekey_stored(version, shown, plan, options.progress), tell)
            }
            (RekeyTarget::StoredTree(store), Operation::Rekey(plan)) => {
                rekey_stored_tree(store, plan, options, tell)
            }
            // In a store, no header is rewritten in place: nothing is left to be put back.
            (RekeyTarget::StoredFile { shown, .. }, Operation::Restore(_)) => {
                Err(Error::new(shown, Problem::InAStore))
            }
            (RekeyTarget::StoredTree(store), Operation::Restore(_)) => {
                Err(Error::new(&store.shown(Path::new("")), Problem::InAStore))
            }
        }
    }
}

/// The total of one file, whose error is that of the run.
fn one(path: &Path, done: Result<FileOutcome>, tell: OnFile<'_>) -> Result<Total> {
    tell(path, Ok(done?))?;
    Ok(Total { files: 1, ..Total::default() })
}

impl fmt::Debug for RekeyTarget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Files(_) => f.debug_tuple("Files").finish_non_exhaustive(),
            Self::Tree(path) => f.debug_tuple("Tree").field(path).finish(),
            Self::StoredFile { shown, .. } => f.debug_tuple("StoredFile").field(shown).finish(),
            Self::StoredTree(store) => {
                f.debug_tuple("StoredTree").field(&store.shown(Path::new(""))).finish()
            }
        }
    }
}

impl fmt::Debug for Rekey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rekey").field("target", &self.target).finish_non_exhaustive()
    }
}
