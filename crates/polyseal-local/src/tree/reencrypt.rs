//! A sealed tree encrypted anew, under other keys and into another directory.
//!
//! The plaintext goes from one file to the other and touches no disk. Nothing of the old tree is
//! changed, and the manifest of the new one appears last: after any interruption there is a whole
//! tree. Files that the old manifest does not have are reported, and are not in the new tree.

use std::io;
use std::path::Path;
use std::{panic, thread};

use polyseal_file::manifest::{Entry, Kind, State};
use polyseal_file::{Encryptor, Header, Input, Output};

use super::byte_pipe::byte_pipe;
use super::join::{Pair, path_of, unread_error};
use super::new_manifest::Manifest;
use super::signed::SignedFolder;
use super::source::{SealResult, failed, file_kind, reason};
use super::store::NewSealedFile;
use super::target::{NewTree, WritableTree};
use super::{SealedTree, Tree, manifest_name, sealed_name};
use crate::error::{Error, Problem, Result, file, sealing};
use crate::many::{FileOutcome, OnFile, Total, in_order};
use crate::progress::Notice;

impl SealedTree<'_> {
    /// Encrypts it anew into another directory, file by file, with the suite and segment size that
    /// each has.
    ///
    /// # Errors
    /// An error of either manifest or of `tell`, which ends the run; those of the directory; or
    /// that it was cancelled.
    pub fn reencrypt(
        &self,
        to: NewTree,
        encryptor: Encryptor<'_>,
        tell: OnFile<'_>,
    ) -> Result<Total> {
        let options = self.options();
        let tree = self.tree()?;
        self.expect_no_update()?;
        let lineage = self.next_lineage()?;
        to.expect_outside(&tree.shown)?;
        let to = to.make()?;
        // The bytes are counted as they are opened.
        let encryptor = encryptor.running(encryptor.run_options().progress(&|_| ()));
        self.expect();
        let pairs = self.pairs()?.map(|pair| {
            let pair = pair?;
            let made = match &pair {
                Pair::Plain(Entry { kind: Kind::Directory, .. }) => to.make(&pair.path()).map(drop),
                _ => Ok(()),
            };
            Ok((pair, made))
        });
        let folder = SignedFolder::new(self.storage(), options);
        if folder.has_statement(&self.manifest().1.file_salt())? {
            options.progress.notice(Notice::NoLongerSigned(&to.tree.shown));
        }
        let manifest = NewSealedFile::File(to.create(Path::new(&manifest_name()), options)?);
        let shown = to.tree.shown(Path::new(&manifest_name()));
        in_order(
            pairs,
            options.jobs,
            options.progress,
            |pair| self.reencrypt_pair(tree, &to, pair, encryptor),
            |outcomes| {
                let new = Manifest { of: tree, options, encryptor, lineage, shown };
                Ok(new.write(manifest, outcomes, &mut io::sink(), &|_| Ok(()), tell)?.total)
            },
        )
    }

    fn reencrypt_pair(
        &self,
        tree: &Tree,
        to: &WritableTree,
        pair: Result<(Pair, Result)>,
        encryptor: Encryptor<'_>,
    ) -> Result<SealResult> {
        let (pair, made) = pair?;
        let path = pair.path();
        let shown = tree.shown(&path);
        let entry = match &pair {
            Pair::File(entry) | Pair::Plain(entry) | Pair::Missing(entry) => Some(entry.clone()),
            _ => None,
        };
        let done = match pair {
            Pair::File(entry) => self.reencrypt_entry(tree, to, entry, encryptor),
            Pair::Plain(entry) => made.map(|()| (Some(entry), None)),
            // There is nothing of it in the new tree.
            Pair::Gone(_) => Ok((None, None)),
            Pair::Missing(_) => Err(Error::new(&shown, Problem::Missing)),
            Pair::Added(_) | Pair::AddedUnread(_) => Ok((None, Some(FileOutcome::Left))),
            Pair::UnreadDirectory(_, error) => Err(unread_error(&shown, error)),
        };
        Ok(match (done, entry) {
            // Nothing of it is in the new tree, whatever was in the old one.
            (Err(error), Some(entry)) if entry.state != State::Deleted => {
                let entry = Some(failed(entry.path, None, reason(&error)));
                SealResult { shown, entry, done: Err(error) }
            }
            (done, _) => SealResult::new(shown, done),
        })
    }

    fn reencrypt_entry(
        &self,
        tree: &Tree,
        to: &WritableTree,
        entry: Entry,
        encryptor: Encryptor<'_>,
    ) -> Result<(Option<Entry>, Option<FileOutcome>)> {
        let path = sealed_name(&path_of(&entry));
        let shown = tree.shown(&path);
        let input = tree.file(&path)?;
        let header = Header::read(&mut &input).map_err(file(&shown))?;
        let output = to.create(&path, self.options())?;
        let encryptor = encryptor
            .suite(header.suite())
            .segment_size(header.segment_size())
            .header_bytes(header.as_bytes().len())
            .committing();
        let (writing, mut reading) = byte_pipe();
        let (opened, summary) = thread::scope(|scope| {
            let opening = scope.spawn(|| {
                let mut writing = writing;
                self.carry_from(&entry, Input::File(&input), Output::Stream(&mut writing))
            });
            let input = Input::Stream(&mut reading);
            let summary = encryptor.encrypt(input, Output::File(output.file()));
            drop(reading);
            (opening.join(), summary)
        });
        let summary = summary.map_err(sealing(output.shown()))?;
        // The output so far may be the whole authentic part of the old file.
        let _ = opened.unwrap_or_else(|panic| panic::resume_unwind(panic))?;
        let kind = file_kind(&summary, output.shown())?;
        output.commit()?;
        let bytes = summary.plaintext_bytes;
        Ok((Some(Entry { kind, ..entry }), Some(FileOutcome::Reencrypted { bytes })))
    }
}
