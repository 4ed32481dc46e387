//! Writes the manifest of a tree anew, so that it binds the contents of each file: for a tree whose
//! manifest is of version 1. Every file is read, and none is changed.

use std::io;

use polyseal_file::manifest::{Entry, FileBinding, Kind, NO_STAMP};
use polyseal_file::{Encryptor, Output};

use super::Tree;
use super::join::{Pair, unread_error};
use super::new_manifest::Manifest;
use super::open::SealedTree;
use super::source::SealResult;
use super::store::ManifestFile;
use crate::error::{Error, Problem, Result};
use crate::many::{FileOutcome, OnFile, Total, in_order};
use crate::new_file::NewFile;
use crate::rekey::take_place;

impl SealedTree<'_> {
    /// Opens every file, as [`verify`](Self::verify) does, and replaces the manifest by one that
    /// binds their contents, for the recipients of `encryptor`. If a file fails, the old manifest
    /// stays. Files that are not of the tree are left as they are.
    ///
    /// The files' present contents are bound: with version 1, nobody can tell whether somebody who
    /// could open one of the files has put other contents there before.
    ///
    /// # Errors
    /// As [`verify`](Self::verify); [`Problem::Changed`] if the manifest has been replaced
    /// meanwhile; those of the recipients.
    pub fn bind_contents(&self, encryptor: Encryptor<'_>, tell: OnFile<'_>) -> Result<Total> {
        let options = self.options();
        let tree = self.tree()?;
        let _out = self.keep_updates_out()?;
        let lineage = self.next_lineage()?;
        self.expect();
        let place = self.manifest_place()?;
        let output = NewFile::create_from_read(place.clone(), options.forbidden)?;
        let to = Output::File(output.file());
        let shown = output.shown().to_owned();
        let total = in_order(
            self.pairs()?,
            options.jobs,
            options.progress,
            |pair| self.bind_pair(tree, pair),
            |outcomes| {
                let manifest = Manifest { of: tree, options, encryptor, lineage, shown };
                Ok(manifest.write_to(to, outcomes, &mut io::sink(), tell)?.total)
            },
        )?;
        if total.failed == 0
            && let (ManifestFile::File(file), header) = self.manifest()
        {
            take_place(place, file, header, output, options)?;
        }
        Ok(total)
    }

    fn bind_pair(&self, tree: &Tree, pair: Result<Pair>) -> Result<SealResult> {
        let pair = pair?;
        let shown = tree.shown(&pair.path());
        let done = match pair {
            Pair::File(entry) => self.bind_entry(entry),
            Pair::Plain(entry) | Pair::Gone(entry) => Ok((Some(entry), None)),
            Pair::Missing(_) => Err(Error::new(&shown, Problem::Missing)),
            Pair::Added(_) | Pair::AddedUnread(_) => Ok((None, Some(FileOutcome::Left))),
            Pair::UnreadDirectory(_, error) => Err(unread_error(&shown, error)),
        };
        Ok(SealResult::new(shown, done))
    }

    /// The file of `entry`, and an entry that binds its contents.
    fn bind_entry(&self, entry: Entry) -> Result<(Option<Entry>, Option<FileOutcome>)> {
        let (summary, commitment) = self.carry(&entry, Output::Stream(&mut io::sink()))?;
        let plaintext_bytes = summary.plaintext_bytes;
        let bound = FileBinding::Contents(commitment);
        let kind = Kind::File { plaintext_bytes, bound, stamp: NO_STAMP };
        let done = FileOutcome::Verified { bytes: plaintext_bytes };
        Ok((Some(Entry { kind, ..entry }), Some(done)))
    }
}
