//! Encrypting a tree. The manifest is written as the files are done, and appears last.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use polyseal_file::manifest::{Bound, Entry, Kind, Writer, context};
use polyseal_file::{Encryptor, Input, Summary};

use super::target::{NewTree, Writable};
use super::walk::{Step, Unread, Walk};
use super::{MANIFEST, Tree, manifest_name, sealed};
use crate::error::{About, Error, Problem, Result, of_manifest, sealing, unwrapped};
use crate::many::{Done, Report, Tell, Total, in_order};
use crate::new_file::NewFile;
use crate::options::Options;
use crate::place::Place;
use crate::platform::EntryKind;
use crate::platform::bytes;
use crate::platform::contents::mode_and_time;
use crate::watch::Watch;

/// A tree that is to be encrypted into another directory.
#[derive(Debug)]
pub struct TreeSealer {
    from: Tree,
    to: NewTree,
}

/// What came of a name: its entry, if it has one, and what is told of it.
pub(super) type Outcome = (PathBuf, Result<(Option<Entry>, Option<Done>)>);

impl TreeSealer {
    /// Looks at both directories, and at every name in the first: what cannot be told apart when it
    /// is encrypted is refused before anything is written.
    ///
    /// # Errors
    /// [`Problem::Nested`], [`Problem::ReservedName`], [`Problem::SameName`], or what the system
    /// says.
    pub fn new(from: &Path, to: NewTree, options: &Options<'_>) -> Result<Self> {
        let tree = Tree::open(from)?;
        to.expect_outside(from)?;
        let sealer = Self { from: tree, to };
        sealer.expect_distinct_names(options)?;
        Ok(sealer)
    }

    /// Refuses a name that only the manifest has, and a file `x` beside a directory `x.polyseal`.
    fn expect_distinct_names(&self, options: &Options<'_>) -> Result {
        let mut walk = Walk::new(&self.from.root, options.exclude, false);
        while let Some(step) = walk.next() {
            if let Ok(step) = step
                && step.path == Path::new(MANIFEST)
            {
                return Err(Error::new(&self.from.shown(&step.path), Problem::ReservedName));
            }
            if let Some(file) = walk.clash() {
                let directory = self.from.shown(&sealed(file));
                return Err(Error::new(&self.from.shown(file), Problem::SameName(directory)));
            }
        }
        Ok(())
    }

    /// Encrypts it, and tells of each file in their order.
    ///
    /// # Errors
    /// An error of the manifest's file or of `tell`, which ends the run; or that it was cancelled.
    pub fn seal(
        self,
        encryptor: Encryptor<'_>,
        options: &Options<'_>,
        tell: Tell<'_>,
    ) -> Result<Total> {
        let Self { from, to } = self;
        let to = to.make()?;
        let watch = Watch::new(options.progress);
        let add = |more| watch.add(more);
        let encryptor = encryptor.progress(&add).cancelled_by(watch.cancel());
        let one = One { from: &from, to: &to, options, encryptor };
        // A directory is there before anything in it has its turn.
        let steps = Walk::new(&from.root, options.exclude, false).map(|step| {
            if let Ok(Step { path, kind: EntryKind::Directory, .. }) = &step
                && let Err(error) =
                    to.tree.root.of_beneath(path).and_then(|(at, name)| at.make(&name))
            {
                return Err((path.clone(), Error::io("write", &to.tree.shown(path), error)));
            }
            step.map_err(|(path, error): Unread| {
                let error = Error::io("read", &from.shown(&path), error);
                (path, error)
            })
        });
        let work = |step: std::result::Result<Step, (PathBuf, Error)>| match step {
            Ok(step) => {
                let sealed = one.seal(&step).map(|(entry, done)| (Some(entry), done));
                (step.path, sealed)
            }
            Err((path, error)) => (path, Err(error)),
        };
        let over = AtomicBool::new(false);
        let manifest = Manifest { of: &from, options, encryptor };
        let consume = |outcomes: &mut (dyn Iterator<Item = Outcome> + Send)| {
            manifest.write(&to, outcomes, tell)
        };
        thread::scope(|scope| {
            if options.progress.wants_total() {
                // Without the thread nobody knows how much there is.
                let count = || count(&from, options, &over);
                let _ = thread::Builder::new().spawn_scoped(scope, count);
            }
            let _over = StopOnDrop(&over);
            in_order(steps, options.jobs, options.progress, work, consume)
        })
    }
}

/// Tells how much there is to be done, unless all of it is done before.
fn count(from: &Tree, options: &Options<'_>, over: &AtomicBool) {
    let (mut files, mut bytes) = (0, 0);
    // In directories of its own: the work has the one that was last used.
    for step in Walk::new(&from.root, options.exclude, false).flatten() {
        if over.load(Ordering::Relaxed) {
            return;
        }
        if step.kind == EntryKind::File
            && let Ok((directory, name)) = from.root.of_beneath(&step.there)
            && let Ok(seen) = directory.stat(&name)
        {
            files += 1;
            bytes += seen.bytes();
        }
    }
    options.progress.expect(files, bytes);
}

/// Ends the counting when it is dropped.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What the work on one name takes.
struct One<'a> {
    from: &'a Tree,
    to: &'a Writable,
    options: &'a Options<'a>,
    encryptor: Encryptor<'a>,
}

impl One<'_> {
    fn seal(&self, step: &Step) -> Result<(Entry, Option<Done>)> {
        let path = bytes(step.path.as_os_str()).to_vec();
        let place = self.from.place(&step.path, "read")?;
        match step.kind {
            EntryKind::Directory => {
                let seen = place.seen().cannot("read", &place.shown)?;
                let (mode, modified) = (seen.mode(), seen.modified());
                Ok((Entry { path, mode, modified, kind: Kind::Directory }, None))
            }
            EntryKind::Link => {
                let seen = place.seen().cannot("read", &place.shown)?;
                let target = place.directory.link_target(&place.name);
                let target = bytes(&target.cannot("read", &place.shown)?).to_vec();
                let done = Done::Recorded { bytes: target.len() as u64 };
                let (modified, kind) = (seen.modified(), Kind::Link { target });
                Ok((Entry { path, mode: 0, modified, kind }, Some(done)))
            }
            EntryKind::File => self.file(&place, step, path),
            EntryKind::Other => Err(Error::new(&place.shown, Problem::Special)),
        }
    }

    fn file(&self, place: &Place, step: &Step, path: Vec<u8>) -> Result<(Entry, Option<Done>)> {
        let file = place.file().cannot("read", &place.shown)?;
        let (mode, modified) = mode_and_time(&file).cannot("read", &place.shown)?;
        let to = self.to.tree.place(&sealed(&step.path), "write")?;
        let output = NewFile::inside(to, self.to.overwrite, self.options.forbidden)?;
        let to = polyseal_file::Output::File(output.file());
        let summary = self.encryptor.committing().encrypt(Input::File(&file), to);
        let summary = summary.map_err(sealing(&place.shown))?;
        let kind = bound(&summary, &place.shown)?;
        output.commit()?;
        let bytes = summary.plaintext_bytes;
        let done = Done::Encrypted { bytes, grew: summary.grew };
        Ok((Entry { path, mode, modified, kind }, Some(done)))
    }
}

/// What an entry says of a file that has been encrypted.
pub(super) fn bound(summary: &Summary, shown: &Path) -> Result<Kind> {
    let commitment = summary.commitment.ok_or_else(|| Error::new(shown, Problem::OtherFile))?;
    let bound = Bound::Contents(commitment);
    Ok(Kind::File { plaintext_bytes: summary.plaintext_bytes, bound })
}

/// The manifest of a tree that is made.
pub(super) struct Manifest<'a> {
    /// What it is made of; outcomes are told by its paths.
    pub(super) of: &'a Tree,
    pub(super) options: &'a Options<'a>,
    pub(super) encryptor: Encryptor<'a>,
}

impl Manifest<'_> {
    /// Tells of the outcomes, and writes the manifest of them into the tree.
    pub(super) fn write(
        &self,
        to: &Writable,
        outcomes: &mut (dyn Iterator<Item = Outcome> + Send),
        tell: Tell<'_>,
    ) -> Result<Total> {
        let place = to.tree.place(Path::new(&manifest_name()), "write")?;
        let output = NewFile::inside(place, to.overwrite, self.options.forbidden)?;
        let total = self.write_to(&output, outcomes, tell)?;
        output.commit()?;
        Ok(total)
    }

    /// The same to a file that has no name yet.
    pub(super) fn write_to(
        &self,
        output: &NewFile,
        outcomes: &mut (dyn Iterator<Item = Outcome> + Send),
        tell: Tell<'_>,
    ) -> Result<Total> {
        let shown = output.shown().to_owned();
        let mut report = Report::new(tell, self.options.progress);
        let writer = Writer::new(Vec::new()).map_err(of_manifest(&shown))?;
        let mut plaintext = Plaintext {
            outcomes,
            writer: Some(writer),
            from: self.of,
            report: &mut report,
            cancelled: || self.options.progress.cancelled(),
            ready: Vec::new(),
            at: 0,
        };
        let input = Input::Stream(&mut plaintext);
        let context = context(self.encryptor.bound_to()).map_err(sealing(&shown))?;
        // Its bytes are none that anybody waits for.
        let encrypted = self
            .encryptor
            .context(&context)
            .progress(&|_| ())
            .encrypt(input, polyseal_file::Output::File(output.file()));
        encrypted.map_err(|error| unwrapped(error).unwrap_or_else(sealing(&shown)))?;
        report.end(&shown)
    }
}

/// The manifest, which is made as it is read, of what comes of the files.
struct Plaintext<'a, 'b, C> {
    outcomes: &'a mut (dyn Iterator<Item = Outcome> + Send),
    /// None when the manifest has ended.
    writer: Option<Writer<Vec<u8>>>,
    from: &'a Tree,
    report: &'a mut Report<'b>,
    cancelled: C,
    ready: Vec<u8>,
    at: usize,
}

impl<C: Fn() -> bool> Plaintext<'_, '_, C> {
    /// Makes some more bytes ready.
    fn make(&mut self) -> Result {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        if let Some((path, outcome)) = self.outcomes.next() {
            let shown = self.from.shown(&path);
            // What the manifest does not take is not of this tree.
            let done = outcome.and_then(|(entry, done)| {
                let pushed = entry.iter().try_for_each(|entry| writer.push(entry));
                pushed.map_err(of_manifest(&shown))?;
                if entry.is_some_and(|entry| entry.kind == Kind::Directory) {
                    self.report.directory();
                }
                Ok(done)
            });
            if let Some(done) = done.transpose() {
                self.report.file(&shown, done)?;
            }
            self.ready.append(writer.get_mut());
        } else if (self.cancelled)() {
            // Not a manifest of what happened to be done.
            return Err(Error::new(&self.from.shown(Path::new("")), Problem::Cancelled));
        } else if let Some(writer) = self.writer.take() {
            let shown = self.from.shown(Path::new(""));
            self.ready = writer.finish().map_err(of_manifest(&shown))?;
        }
        Ok(())
    }
}

impl<C: Fn() -> bool> Read for Plaintext<'_, '_, C> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() && self.writer.is_some() {
            self.ready.clear();
            self.at = 0;
            self.make()?;
        }
        let part = (&self.ready[self.at..]).read(buffer)?;
        self.at += part;
        Ok(part)
    }
}
