//! Encrypting a tree. The manifest is written as the files are done, and appears last.

use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use polyseal_file::manifest::{Entry, Kind, Modified, Writer};
use polyseal_file::{Encryptor, Input};
use rustix::fs::{Stat, readlinkat};

use super::walk::{Step, Walk, What};
use super::{Destination, MANIFEST, Tree, manifest_name, of_manifest, only_one, sealed};
use crate::args::{EncryptArgs, ManyArgs};
use crate::commands::many::{Done, Excluded, Report, in_order};
use crate::error::{Failure, Result};
use crate::file_io::OutputFile;
use crate::keys::Sources;
use crate::progress::Progress;

/// The bits of a mode that are kept.
const MODE: u32 = 0o777;

/// A tree that is to be encrypted.
pub(crate) struct Sealing<'a> {
    from: Tree,
    to: Destination<'a>,
    excluded: Excluded,
}

/// What came of a name: its entry, if it has one, and what is told of it.
pub(super) type Outcome = (PathBuf, Result<(Option<Entry>, Option<Done>)>);

impl<'a> Sealing<'a> {
    /// Looked at before anything is asked for.
    pub(crate) fn new(args: &'a EncryptArgs) -> Result<Self> {
        let path = only_one(&args.files)?;
        let to = Destination::of(&args.output)?;
        let from = Tree::open(path)?;
        expect_outside(path, to.path)?;
        Ok(Self { from, to, excluded: Excluded::new(&args.many.exclude)? })
    }

    pub(crate) fn seal(
        &self,
        many: &ManyArgs,
        encryptor: Encryptor<'_>,
        sources: &Sources,
    ) -> Result {
        let to = self.to.make()?;
        let bar = Progress::of_files(None, None);
        let add = |bytes| bar.iter().for_each(|bar| bar.add(bytes));
        let one = One { from: &self.from, to: &to, force: self.to.force, sources, encryptor, add };
        // A directory is there before anything in it has its turn.
        let steps = Walk::new(&self.from.root, &self.excluded, false).map(|step| {
            if let Ok(Step { path, what: What::Directory, .. }) = &step
                && let Err(error) = to.root.of_beneath(path).and_then(|(at, name)| at.make(&name))
            {
                return Err((path.clone(), Failure::io("write", &to.shown(path), &error)));
            }
            step.map_err(|(path, error)| {
                let failure = Failure::io("read", &self.from.shown(&path), &error);
                (path, failure)
            })
        });
        let work = |step: std::result::Result<Step, (PathBuf, Failure)>| match step {
            Ok(step) => {
                let sealed = one.seal(&step).map(|(entry, done)| (Some(entry), done));
                (step.path, sealed)
            }
            Err((path, failure)) => (path, Err(failure)),
        };
        let over = AtomicBool::new(false);
        let manifest =
            Manifest { of: &self.from, to: &to, force: self.to.force, encryptor, sources };
        let consume = |outcomes: &mut (dyn Iterator<Item = Outcome> + Send)| {
            manifest.write(outcomes, many, bar.as_ref())
        };
        thread::scope(|scope| {
            if let Some(bar) = &bar {
                // Without the thread the bar does not know how much there is.
                let count = || self.count(bar, &over);
                let _ = thread::Builder::new().spawn_scoped(scope, count);
            }
            let _over = Over(&over);
            in_order(steps, many.jobs(), work, consume)
        })
    }

    /// Tells the bar how much there is to be done, unless all of it is done before.
    fn count(&self, bar: &Progress, over: &AtomicBool) {
        let (mut files, mut bytes) = (0, 0);
        // In directories of its own: the work has the one that was last used.
        for step in Walk::new(&self.from.root, &self.excluded, false).flatten() {
            if over.load(Ordering::Relaxed) {
                return;
            }
            if step.what == What::File
                && let Ok((directory, name)) = self.from.root.of_beneath(&step.there)
                && let Ok(stat) = directory.stat(&name)
            {
                files += 1;
                bytes += u64::try_from(stat.st_size).unwrap_or_default();
            }
        }
        bar.expect(files, bytes);
    }
}

/// Ends the counting when it is dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Refuses to write a tree into itself.
pub(super) fn expect_outside(from: &Path, to: &Path) -> Result {
    let inside = match (fs::canonicalize(from), fs::canonicalize(parent_or_self(to))) {
        (Ok(from), Ok(to)) => to.starts_with(from),
        _ => false,
    };
    if inside {
        let message = format!("{} lies in {}", to.display(), from.display());
        return Err(Failure::usage(message).hint("write to a directory outside of it"));
    }
    Ok(())
}

/// The directory that `path` will be in, if it is not there yet.
fn parent_or_self(path: &Path) -> &Path {
    match path.parent() {
        _ if path.exists() => path,
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// What the work on one name takes.
struct One<'a, F> {
    from: &'a Tree,
    to: &'a Tree,
    force: bool,
    sources: &'a Sources,
    encryptor: Encryptor<'a>,
    add: F,
}

impl<F: Fn(u64) + Sync> One<'_, F> {
    fn seal(&self, step: &Step) -> Result<(Entry, Option<Done>)> {
        let shown = self.from.shown(&step.path);
        let unread = |error: io::Error| Failure::io("read", &shown, &error);
        if step.path == Path::new(MANIFEST) {
            return Err(Failure::usage("it has the name of the manifest").hint("rename it"));
        }
        let path = step.path.as_os_str().as_bytes().to_vec();
        let (parent, name) = self.from.place(&step.path).map_err(unread)?;
        match step.what {
            What::Directory => {
                let stat = parent.stat(&name).map_err(unread)?;
                let (mode, modified) = (mode(stat.st_mode), modified_of_stat(&stat));
                Ok((Entry { path, mode, modified, kind: Kind::Directory }, None))
            }
            What::Link => {
                let stat = parent.stat(&name).map_err(unread)?;
                let target = readlinkat(&parent, &name, Vec::new())
                    .map_err(|error| unread(error.into()))?
                    .into_bytes();
                let bytes = target.len() as u64;
                let entry = Entry {
                    path,
                    mode: 0,
                    modified: modified_of_stat(&stat),
                    kind: Kind::Link { target },
                };
                Ok((entry, Some(Done { outcome: "recorded", bytes: Some(bytes), said: None })))
            }
            What::File => self.file(step, path),
            What::Other => {
                Err(Failure::usage("it is neither a file nor a directory nor a symbolic link")
                    .hint("leave it out: --exclude"))
            }
        }
    }

    fn file(&self, step: &Step, path: Vec<u8>) -> Result<(Entry, Option<Done>)> {
        let shown = self.from.shown(&step.path);
        let unread = |error: io::Error| Failure::io("read", &shown, &error);
        let mut file = self.from.file(&step.path).map_err(unread)?;
        let metadata = file.metadata().map_err(unread)?;
        let name = sealed(&step.path);
        let shown = self.to.shown(&name);
        let unwritten = |error: io::Error| Failure::io("write", &shown, &error);
        let (parent, name) = self.to.place(&name).map_err(unwritten)?;
        let taken: Vec<_> = self.sources.taken().collect();
        let mut output = OutputFile::inside(parent, name, &shown, self.force, &taken)?;
        let encryptor = self.encryptor.progress(&self.add);
        // Files whose length the system does not tell are read to their end.
        let input = if metadata.len() > 0 { Input::File(&file) } else { Input::Stream(&mut file) };
        let summary = encryptor.encrypt(input, output.sink()).map_err(Failure::sealing)?;
        output.commit()?;
        let bytes = summary.plaintext_bytes;
        let file_salt = summary.file_salt.unwrap_or_default();
        let kind = Kind::File { plaintext_bytes: bytes, file_salt };
        let modified = modified(&metadata);
        let entry = Entry { path, mode: mode(metadata.mode()), modified, kind };
        Ok((entry, Some(Done { outcome: "encrypted", bytes: Some(bytes), said: None })))
    }
}

fn mode(bits: u32) -> u16 {
    u16::try_from(bits & MODE).unwrap_or_default()
}

fn modified(metadata: &Metadata) -> Modified {
    let nanoseconds = u32::try_from(metadata.mtime_nsec()).unwrap_or_default();
    Modified { seconds: metadata.mtime(), nanoseconds }
}

fn modified_of_stat(stat: &Stat) -> Modified {
    let nanoseconds = u32::try_from(stat.st_mtime_nsec).unwrap_or_default();
    Modified { seconds: stat.st_mtime, nanoseconds }
}

/// The manifest of a tree that is made.
pub(super) struct Manifest<'a> {
    /// What it is made of; outcomes are told by its paths.
    pub(super) of: &'a Tree,
    pub(super) to: &'a Tree,
    pub(super) force: bool,
    pub(super) encryptor: Encryptor<'a>,
    pub(super) sources: &'a Sources,
}

impl Manifest<'_> {
    /// Tells of the outcomes, and writes the manifest of them.
    pub(super) fn write(
        &self,
        outcomes: &mut (dyn Iterator<Item = Outcome> + Send),
        many: &ManyArgs,
        bar: Option<&Progress>,
    ) -> Result {
        let taken: Vec<_> = self.sources.taken().collect();
        let name = manifest_name();
        let shown = self.to.shown(Path::new(&name));
        let mut report = Report::new(many.json, bar);
        let writer = Writer::new(Vec::new()).map_err(of_manifest)?;
        let mut plaintext = Source {
            outcomes,
            writer: Some(writer),
            from: self.of,
            report: &mut report,
            ready: Vec::new(),
            at: 0,
        };
        let mut output =
            OutputFile::inside(self.to.root.clone(), name, &shown, self.force, &taken)?;
        self.encryptor
            .encrypt(Input::Stream(&mut plaintext), output.sink())
            .map_err(Failure::sealing)?;
        output.commit()?;
        report.end()
    }
}

/// The manifest, which is made as it is read, of what comes of the files.
struct Source<'a, 'b> {
    outcomes: &'a mut (dyn Iterator<Item = Outcome> + Send),
    /// None when the manifest has ended.
    writer: Option<Writer<Vec<u8>>>,
    from: &'a Tree,
    report: &'a mut Report<'b>,
    ready: Vec<u8>,
    at: usize,
}

impl Source<'_, '_> {
    /// Makes some more bytes ready.
    fn make(&mut self) -> Result {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        if let Some((path, outcome)) = self.outcomes.next() {
            // What the manifest does not take is not of this tree.
            let done = outcome.and_then(|(entry, done)| {
                entry.iter().try_for_each(|entry| writer.push(entry)).map_err(of_manifest)?;
                Ok(done)
            });
            if let Some(done) = done.transpose() {
                self.report.file(&self.from.shown(&path), done)?;
            }
            self.ready.append(writer.get_mut());
        } else if let Some(writer) = self.writer.take() {
            self.ready = writer.finish().map_err(of_manifest)?;
        }
        Ok(())
    }
}

impl Read for Source<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() && self.writer.is_some() {
            self.ready.clear();
            self.at = 0;
            self.make().map_err(io::Error::other)?;
        }
        let part = (&self.ready[self.at..]).read(buffer)?;
        self.at += part;
        Ok(part)
    }
}
