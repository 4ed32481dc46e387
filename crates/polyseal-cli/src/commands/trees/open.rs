//! Decrypting a tree, and verifying it. The whole manifest is read, and found to be one, before
//! anything else is done.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufReader};
use std::num::NonZeroUsize;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use polyseal_file::manifest::{Entry, Kind, Modified, Reader, stays_inside};
use polyseal_file::{Decryptor, Input, Output, Summary};
use rustix::fs::{
    AtFlags, Mode, Timespec, Timestamps, UTIME_OMIT, fchmod, futimens, renameat, symlinkat,
    utimensat,
};

use super::join::{Join, Pair, added, missing, path_of};
use super::walk::Walk;
use super::{Destination, Tree, manifest_name, of_manifest, only_one, sealed, stranger};
use crate::args::{DecryptArgs, ManyArgs, ReadArgs, VerifyFilesArgs};
use crate::commands::crypt::{Report as Told, verified};
use crate::commands::many::{Done, Excluded, Report, in_order};
use crate::directory::Directory;
use crate::error::{Failure, Result};
use crate::file_io::OutputFile;
use crate::keys::Opening;
use crate::progress::Progress;
use crate::signals::Temporary;

pub(crate) fn verify(args: &VerifyFilesArgs) -> Result {
    let tree = Tree::open(only_one(&args.files)?)?;
    let opening = opening(&args.read, args.work.threads.or(args.many.threads_each()))?;
    let sealed = Sealed::open(tree, &opening, &args.many)?;
    let nothing = |_: &_| Ok(None);
    sealed.each(
        &args.many,
        |_| Ok(()),
        |_, _| Ok(()),
        nothing,
        |entry, report| {
            let summary = sealed.carry(entry, Output::Stream(&mut io::sink()), report)?;
            let shown = sealed.tree.shown(&super::sealed(&path_of(entry)));
            Ok(verified(&shown, summary.plaintext_bytes))
        },
    )
}

pub(crate) fn decrypt(args: &DecryptArgs) -> Result {
    let destination = Destination::of(&args.output)?;
    let tree = Tree::open(only_one(&args.files)?)?;
    let opening = opening(&args.read, args.work.threads.or(args.many.threads_each()))?;
    let sealed = Sealed::open(tree, &opening, &args.many)?;
    let to = Made { tree: destination.make()?, force: destination.force };
    let mut open = Vec::new();
    sealed.each(
        &args.many,
        |entry| to.directory(entry),
        |entry, done| to.leave(&mut open, entry, done),
        |entry| to.link(entry),
        |entry, report| {
            let (parent, name, shown) = to.place(entry)?;
            let taken: Vec<_> = opening.sources.taken().collect();
            let mut output = OutputFile::inside(parent, name, &shown, to.force, &taken)?;
            let summary = sealed.carry(entry, output.sink(), report)?;
            output.set(mode(entry), times(entry.modified))?;
            output.commit()?;
            Ok(Done { outcome: "decrypted", bytes: Some(summary.plaintext_bytes), said: None })
        },
    )
}

fn opening(args: &ReadArgs, threads: Option<NonZeroUsize>) -> Result<Opening> {
    if args.header.is_some() {
        return Err(Failure::usage("--recursive does not go with --header"));
    }
    Opening::to_read(args, threads)
}

/// A sealed tree whose manifest has been read.
pub(crate) struct Sealed<'a> {
    tree: Tree,
    manifest: File,
    excluded: Excluded,
    opening: &'a Opening,
    decryptor: Decryptor<'a>,
    files: u64,
    bytes: u64,
}

impl<'a> Sealed<'a> {
    pub(crate) fn open(tree: Tree, opening: &'a Opening, many: &ManyArgs) -> Result<Self> {
        let name = manifest_name();
        let shown = tree.shown(Path::new(&name));
        let manifest = tree.root.file(Path::new(&name)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                let message = format!("{} is missing: it is no sealed tree", shown.display());
                stranger(message).hint("name single files, or a list of them: --files-from")
            }
            _ => Failure::io("read", &shown, &error),
        })?;
        let decryptor = opening.decryptor();
        let excluded = Excluded::new(&many.exclude)?;
        let mut sealed = Self { tree, manifest, excluded, opening, decryptor, files: 0, bytes: 0 };
        let (mut files, mut bytes) = (0, 0_u64);
        for entry in sealed.entries()? {
            if let Kind::File { plaintext_bytes, .. } =
                entry.map_err(|error| of_manifest(error).about(&shown))?.kind
            {
                files += 1;
                bytes = bytes.saturating_add(plaintext_bytes);
            }
        }
        (sealed.files, sealed.bytes) = (files, bytes);
        Ok(sealed)
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    pub(super) fn opening(&self) -> &'a Opening {
        self.opening
    }

    pub(super) fn decryptor(&self) -> Decryptor<'a> {
        self.decryptor
    }

    /// A bar for all of it.
    pub(crate) fn progress(&self) -> Option<Progress> {
        Progress::of_files(Some(self.files), Some(self.bytes))
    }

    /// What the manifest has and what is there, side by side.
    pub(crate) fn pairs(&self) -> Result<impl Iterator<Item = Result<Pair>> + Send> {
        let walk = Walk::new(&self.tree.root, &self.excluded, true);
        Ok(Join::new(self.entries()?, walk, &self.excluded))
    }

    fn entries(&self) -> Result<Reader<BufReader<polyseal_file::Reader<&File>>>> {
        let shown = self.tree.shown(Path::new(&manifest_name()));
        let refused = |error| self.opening.refused(error, &shown).about(&shown);
        let reader = self.decryptor.reader(&self.manifest).map_err(refused)?;
        Reader::new(BufReader::with_capacity(1 << 16, reader))
            .map_err(|e| of_manifest(e).about(&shown))
    }

    /// Opens the file of `entry`, which must be the one that belongs to it.
    fn carry(&self, entry: &Entry, output: Output<'_>, report: Told<'_>) -> Result<Summary> {
        let name = sealed(&path_of(entry));
        let shown = self.tree.shown(&name);
        let file = self.tree.file(&name).map_err(|error| Failure::io("read", &shown, &error))?;
        let decryptor = report.map_or(self.decryptor, |report| self.decryptor.progress(report));
        let summary = decryptor
            .decrypt(Input::File(&file), output)
            .map_err(|error| self.opening.refused(error, &shown))?;
        let plaintext_bytes = summary.plaintext_bytes;
        let found = summary.file_salt.map(|file_salt| Kind::File { plaintext_bytes, file_salt });
        if found.as_ref() != Some(&entry.kind) {
            return Err(stranger("it is authentic, but not the file that the manifest has there")
                .hint("it has been renamed, or is an older or a newer one: use a backup"));
        }
        Ok(summary)
    }

    /// Does `work` for each file of the tree, and `links` for each link. `begin` has each directory
    /// before what is in it; `leave` has each entry when it and all before it are done, then none.
    pub(crate) fn each(
        &self,
        many: &ManyArgs,
        begin: impl Fn(&Entry) -> Result + Sync,
        mut leave: impl FnMut(Option<&Entry>, &mut Report<'_>) -> Result + Send,
        links: impl Fn(&Entry) -> Result<Option<Done>> + Sync,
        work: impl Fn(&Entry, Told<'_>) -> Result<Done> + Sync,
    ) -> Result {
        let bar = self.progress();
        let add = |bytes| bar.iter().for_each(|bar| bar.add(bytes));
        let pairs = self.pairs()?;
        let pairs = pairs.map(|pair| {
            let pair = pair?;
            let begun = match &pair {
                Pair::Plain(entry) if entry.kind == Kind::Directory => begin(entry),
                _ => Ok(()),
            };
            Ok((pair, begun))
        });
        let work = |pair: Result<(Pair, Result)>| -> Result<Outcome> {
            let (pair, begun) = pair?;
            let shown = self.tree.shown(&pair.path());
            Ok(match pair {
                Pair::File(entry) => {
                    let done = work(&entry, Some(&add));
                    (shown, done.map(Some), Some(entry))
                }
                Pair::Plain(entry) => {
                    let done = begun.and_then(|()| match entry.kind {
                        Kind::Directory => Ok(None),
                        _ => links(&entry),
                    });
                    (shown, done, Some(entry))
                }
                Pair::Missing(_) => (shown, Err(missing()), None),
                Pair::Added(path) => (shown, Err(added(&path)), None),
                Pair::Unread(_, failure) => (shown, Err(failure), None),
            })
        };
        in_order(pairs, many.jobs(), work, |outcomes| {
            let mut report = Report::new(many.json, bar.as_ref());
            for outcome in outcomes {
                let (path, done, entry) = outcome?;
                if let Some(entry) = &entry {
                    leave(Some(entry), &mut report)?;
                }
                if let Some(done) = done.transpose() {
                    report.file(&path, done)?;
                }
            }
            leave(None, &mut report)?;
            report.end()
        })
    }
}

/// What is told, and the entry if there is one.
type Outcome = (PathBuf, Result<Option<Done>>, Option<Entry>);

/// The tree that is made.
struct Made {
    tree: Tree,
    force: bool,
}

impl Made {
    fn place(&self, entry: &Entry) -> Result<(Directory, OsString, PathBuf)> {
        let path = path_of(entry);
        let shown = self.tree.shown(&path);
        let (parent, name) =
            self.tree.place(&path).map_err(|error| Failure::io("write", &shown, &error))?;
        Ok((parent, name, shown))
    }

    fn directory(&self, entry: &Entry) -> Result {
        let (parent, name, shown) = self.place(entry)?;
        parent.make(&name).map_err(|error| Failure::io("write", &shown, &error))
    }

    fn link(&self, entry: &Entry) -> Result<Option<Done>> {
        let Kind::Link { target } = &entry.kind else { return Ok(None) };
        if !stays_inside(&entry.path, target) {
            let target = String::from_utf8_lossy(target);
            return Err(Failure::usage(format!("the link leads out of the tree, to {target}"))
                .hint("it was not made: make it yourself if you mean it"));
        }
        let (parent, name, shown) = self.place(entry)?;
        let failure = |error: io::Error| Failure::io("write", &shown, &error);
        let to = OsStr::from_bytes(target);
        let make = |name: &OsStr| Ok::<_, io::Error>(symlinkat(to, &parent, name)?);
        match make(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !self.force {
                    return Err(crate::file_io::already_exists(&shown));
                }
                let (made, ()) = Temporary::new(&parent, make).map_err(failure)?;
                renameat(&parent, made.name(), &parent, &name)
                    .map_err(|error| failure(error.into()))?;
            }
            made => made.map_err(failure)?,
        }
        let times = times(entry.modified);
        utimensat(&parent, &name, &times, AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|error| failure(error.into()))?;
        Ok(Some(Done { outcome: "linked", bytes: Some(target.len() as u64), said: None }))
    }

    /// Gives the directories whose contents are done their mode and time, and remembers the next.
    fn leave(
        &self,
        open: &mut Vec<Entry>,
        next: Option<&Entry>,
        report: &mut Report<'_>,
    ) -> Result {
        while let Some(last) = open.last() {
            if next.is_some_and(|next| path_of(next).starts_with(path_of(last))) {
                break;
            }
            let Some(last) = open.pop() else { break };
            let shown = self.tree.shown(&path_of(&last));
            let set = self.tree.root.beneath(&path_of(&last)).and_then(|directory| {
                futimens(directory.as_fd(), &times(last.modified))?;
                Ok(fchmod(directory.as_fd(), mode(&last))?)
            });
            if let Err(error) = set {
                report.file(&shown, Err(Failure::io("write", &shown, &error)))?;
            }
        }
        if let Some(next) = next.filter(|next| next.kind == Kind::Directory) {
            open.push(next.clone());
        }
        Ok(())
    }
}

fn mode(entry: &Entry) -> Mode {
    Mode::from_raw_mode(entry.mode.into())
}

/// The time of the last access is left as it is.
fn times(modified: Modified) -> Timestamps {
    Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        last_modification: Timespec {
            tv_sec: modified.seconds,
            tv_nsec: modified.nanoseconds.into(),
        },
    }
}
