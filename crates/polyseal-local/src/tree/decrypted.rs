//! The tree that is made when one is decrypted: what its files, links and directories get.

use std::io;
use std::path::Path;

use polyseal_file::manifest::{Entry, Kind, stays_inside};

use super::join::path_of;
use super::target::{AccessRule, WritableTree};
use crate::error::{Error, ErrorContext, Problem, Result};
use crate::many::{FileOutcome, FileReporter};
use crate::options::Options;
use crate::place::Place;
use crate::platform::{Directory, allowed_mode, name_from_bytes};

/// Write permission for others, which only a tree that was asked for by its permissions may give.
const OTHERS_WRITE: u16 = 0o022;
const OWNER: u16 = 0o700;

/// The tree that is made.
pub(super) struct DecryptedTree<'a> {
    pub(super) to: WritableTree,
    pub(super) options: &'a Options<'a>,
    /// The permissions that this process gives to no new file.
    pub(super) mask: u16,
}

impl DecryptedTree<'_> {
    /// The same of a directory that is made. Its group may be one that the folder gives it.
    fn allowed_mode(&self, directory: &Directory, mode: u16) -> io::Result<u16> {
        allowed_mode(directory, directory, self.mode(mode))
    }

    /// Masks the manifest's mode.
    pub(super) fn mode(&self, mode: u16) -> u16 {
        match self.to.reach {
            AccessRule::OwnerOnly => mode & OWNER,
            AccessRule::Permissions if self.options.preserve_permissions => mode,
            AccessRule::Permissions => mode & !self.mask & !OTHERS_WRITE,
        }
    }

    pub(super) fn directory(&self, entry: &Entry) -> Result {
        let place = self.to.make(&path_of(entry))?;
        self.make_writable(&place).cannot("write", &place.shown)
    }

    /// Makes a directory of an earlier run writable, which may not be. It gets its mode at the end.
    fn make_writable(&self, place: &Place) -> io::Result<()> {
        let seen = place.status()?;
        if self.to.overwrite && seen.is_ours() && seen.mode() & OWNER != OWNER {
            let directory = place.directory.beneath(Path::new(&place.name))?;
            directory.set(seen.mode() | OWNER, None)?;
        }
        Ok(())
    }

    pub(super) fn link(&self, entry: &Entry) -> Result<Option<FileOutcome>> {
        let Kind::Link { target } = &entry.kind else { return Ok(None) };
        let path = path_of(entry);
        if !stays_inside(&entry.path, target) {
            let shown = self.to.tree.shown(&path);
            return Err(Error::new(&shown, Problem::LinkLeadsOut(target.clone())));
        }
        let place = self.to.link(&path, &name_from_bytes(target))?;
        let Place { directory, name, shown, .. } = &place;
        directory.set_link_time(name, entry.modified).cannot("write", shown)?;
        Ok(Some(FileOutcome::Linked { bytes: target.len() as u64 }))
    }

    /// Gives the directories whose contents are done their mode and time, and remembers the next.
    pub(super) fn leave(
        &self,
        open: &mut Vec<Entry>,
        next: Option<&Entry>,
        report: &mut FileReporter<'_>,
    ) -> Result {
        while let Some(last) = open.last() {
            if next.is_some_and(|next| path_of(next).starts_with(path_of(last))) {
                break;
            }
            let Some(last) = open.pop() else { break };
            let path = path_of(&last);
            if self.to.expect_told_apart(&path).is_err() {
                continue;
            }
            let set = self.to.tree.root.beneath(&path).and_then(|directory| {
                directory.set(self.allowed_mode(&directory, last.mode)?, Some(last.modified))
            });
            if let Err(error) = set {
                let shown = self.to.tree.shown(&path);
                report.file(&shown, Err(Error::io("write", &shown, error)))?;
            }
        }
        if let Some(next) = next.filter(|next| next.kind == Kind::Directory) {
            open.push(next.clone());
        }
        Ok(())
    }
}
