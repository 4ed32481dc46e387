//! The manifest of a tree that is made. It is written as the files are done, and appears last.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use polyseal_file::manifest::{Kind, Lineage, Writer, context};
use polyseal_file::{Commitment, Encryptor, Input, Output};

use super::Tree;
use super::signed::{Signing, TreeFiles, UnsignedTree, now};
use super::source::SealResult;
use super::store::NewSealedFile;
use crate::error::{Error, Problem, Result, manifest_error, sealing, unwrapped};
use crate::many::{FileReporter, OnFile, Total};
use crate::options::Options;

/// The manifest of a tree that is made.
pub(super) struct Manifest<'a> {
    /// The source; outcomes are reported by its paths.
    pub(super) of: &'a Tree,
    pub(super) options: &'a Options<'a>,
    pub(super) encryptor: Encryptor<'a>,
    /// Which one it is.
    pub(super) lineage: Lineage,
    /// Its path, for messages.
    pub(super) shown: PathBuf,
}

/// A manifest that has been written, and does not appear yet.
pub(super) struct WrittenManifest {
    pub(super) total: Total,
    /// That to the encrypted manifest.
    pub(super) commitment: Commitment,
    /// The statement about the tree, if it is to be signed.
    pub(super) unsigned: Option<UnsignedTree>,
}

/// The results of a run, in their order; an error ends it.
pub(super) type SealResults<'a> = &'a mut (dyn Iterator<Item = Result<SealResult>> + Send);

impl Manifest<'_> {
    /// Tells of the outcomes, and lets the manifest of them appear after `ready`; `copy` has its
    /// plaintext.
    pub(super) fn write(
        &self,
        mut output: NewSealedFile,
        outcomes: SealResults<'_>,
        copy: &mut (dyn Write + Send),
        ready: &dyn Fn(&WrittenManifest) -> Result,
        tell: OnFile<'_>,
    ) -> Result<WrittenManifest> {
        let written = self.write_to(output.output(), outcomes, copy, tell)?;
        ready(&written)?;
        output.commit()?;
        Ok(written)
    }

    /// The same, and it does not appear yet.
    pub(super) fn write_to(
        &self,
        output: Output<'_>,
        outcomes: SealResults<'_>,
        copy: &mut (dyn Write + Send),
        tell: OnFile<'_>,
    ) -> Result<WrittenManifest> {
        let shown = &self.shown;
        let mut report = FileReporter::new(tell, self.options.progress);
        let writer = Writer::new(Vec::new(), &self.lineage).map_err(manifest_error(shown))?;
        let mut plaintext = Plaintext {
            outcomes,
            writer: Some(writer),
            files: matches!(self.options.signing, Signing::By(_)).then(TreeFiles::default),
            from: self.of,
            copy,
            report: &mut report,
            cancelled: || self.options.progress.cancelled(),
            ready: Vec::new(),
            at: 0,
        };
        let input = Input::Stream(&mut plaintext);
        let context = context(self.encryptor.bound_to()).map_err(sealing(shown))?;
        // Nobody waits for the manifest's bytes, so they are not reported.
        let run = self.encryptor.run_options().progress(&|_| ());
        let encryptor = self.encryptor.context(&context).running(run).committing();
        let failed = |error| unwrapped(error).unwrap_or_else(sealing(shown));
        let (summary, stated) = match self.options.signing {
            Signing::Unsigned => (encryptor.encrypt(input, output).map_err(failed)?, None),
            Signing::By(_) => {
                let stated = encryptor.encrypt_stated(input, output, now());
                let (summary, statement, hashes) = stated.map_err(failed)?;
                (summary, Some((statement, hashes)))
            }
        };
        let commitment = summary.commitment.ok_or_else(|| Error::new(shown, Problem::OtherFile))?;
        let unsigned = stated.zip(plaintext.files.take()).map(|((statement, hashes), files)| {
            UnsignedTree::new(statement, hashes, &self.lineage, files)
        });
        Ok(WrittenManifest { total: report.end(shown)?, commitment, unsigned })
    }
}

/// The manifest's plaintext, made from the files' results as it is read.
struct Plaintext<'a, 'b, C> {
    outcomes: SealResults<'a>,
    /// None when the manifest has ended.
    writer: Option<Writer<Vec<u8>>>,
    /// The files so far, if the tree is signed.
    files: Option<TreeFiles>,
    from: &'a Tree,
    copy: &'a mut (dyn Write + Send),
    report: &'a mut FileReporter<'b>,
    cancelled: C,
    ready: Vec<u8>,
    at: usize,
}

impl<C: Fn() -> bool> Plaintext<'_, '_, C> {
    /// Makes some more bytes ready.
    fn make(&mut self) -> Result {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        if let Some(result) = self.outcomes.next() {
            let SealResult { shown, entry, done } = result?;
            // A file that the manifest refuses is not of this tree.
            let pushed = entry.iter().try_for_each(|entry| writer.push(entry));
            if let (Some(files), Some(entry), Ok(())) = (&mut self.files, &entry, &pushed) {
                files.push(entry);
            }
            let done = pushed.map_err(manifest_error(&shown)).and(done);
            if entry.is_some_and(|entry| entry.kind == Kind::Directory) && done.is_ok() {
                self.report.directory();
            }
            if let Some(done) = done.transpose() {
                self.report.file(&shown, done)?;
            }
            self.ready.append(writer.get_mut());
        } else if (self.cancelled)() {
            // A cancelled run leaves no manifest of only the files that are done.
            return Err(Error::new(&self.from.shown(Path::new("")), Problem::Cancelled));
        } else if let Some(writer) = self.writer.take() {
            let shown = self.from.shown(Path::new(""));
            self.ready = writer.finish().map_err(manifest_error(&shown))?;
        }
        let written = self.copy.write_all(&self.ready);
        written.map_err(|error| Error::io("write", &self.from.shown(Path::new("")), error))
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
