//! A sealed tree encrypted anew, under other keys and into another directory.
//!
//! The plaintext goes from one file to the other and touches no disk. Nothing of the old tree is
//! changed, and the manifest of the new one appears last: whatever interrupts it, there is a whole
//! tree. What the old manifest does not have is told, and is not in the new tree.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use polyseal_file::manifest::{Entry, Kind};
use polyseal_file::{Encryptor, Header, Input, ReadAt};

use super::join::{Pair, missing, path_of};
use super::seal::{Manifest, Outcome, expect_outside};
use super::{Destination, Sealed, Tree, only_one, sealed, stranger};
use crate::args::{ManyArgs, OutputArgs};
use crate::commands::many::{Done, in_order};
use crate::error::{Failure, Result, shown};
use crate::file_io::OutputFile;
use crate::keys::Sources;

/// Where a tree is to be encrypted anew.
pub(crate) struct Anew<'a>(Destination<'a>);

impl<'a> Anew<'a> {
    /// Looked at before anything is asked for.
    pub(crate) fn new(files: &[PathBuf], output: &'a OutputArgs) -> Result<Self> {
        let to = Destination::of(output)?;
        expect_outside(only_one(files)?, to.path)?;
        Ok(Self(to))
    }

    pub(crate) fn seal(
        &self,
        from: &Sealed<'_>,
        many: &ManyArgs,
        encryptor: Encryptor<'_>,
        sources: &Sources,
    ) -> Result {
        let to = self.0.make()?;
        let bar = from.progress();
        let add = |bytes| bar.iter().for_each(|bar| bar.add(bytes));
        let pairs = from.pairs()?.map(|pair| {
            let pair = pair?;
            let made = match &pair {
                Pair::Plain(Entry { kind: Kind::Directory, .. }) => {
                    let path = pair.path();
                    let made = to.root.of_beneath(&path).and_then(|(at, name)| at.make(&name));
                    made.map_err(|error| Failure::io("write", &to.shown(&path), &error))
                }
                _ => Ok(()),
            };
            Ok((pair, made))
        });
        let one = |entry: Entry| self.one(from, &to, entry, encryptor.progress(&add), sources);
        let work = |pair: Result<(Pair, Result)>| -> Outcome {
            // What cannot be read of the manifest has been read before, when it was opened.
            let (pair, made) = match pair {
                Ok(pair) => pair,
                Err(failure) => return (PathBuf::new(), Err(failure)),
            };
            let path = pair.path();
            let done = match pair {
                Pair::File(entry) => one(entry),
                Pair::Plain(entry) => made.map(|()| (Some(entry), None)),
                Pair::Missing(_) => Err(missing()),
                Pair::Added(path) => Ok((None, Some(left(&from.tree().shown(&path))))),
                Pair::Unread(_, failure) => Err(failure),
            };
            (path, done)
        };
        in_order(pairs, many.jobs(), work, |outcomes| {
            Manifest { of: from.tree(), to: &to, force: self.0.force, encryptor, sources }.write(
                outcomes,
                many,
                bar.as_ref(),
            )
        })
    }

    fn one(
        &self,
        from: &Sealed<'_>,
        to: &Tree,
        entry: Entry,
        encryptor: Encryptor<'_>,
        sources: &Sources,
    ) -> Result<(Option<Entry>, Option<Done>)> {
        let path = sealed(&path_of(&entry));
        let shown_from = from.tree().shown(&path);
        let refused = |error| from.opening().refused(error, &shown_from);
        let file = from.tree().file(&path).map_err(|e| Failure::io("read", &shown_from, &e))?;
        let header = Header::read(&mut &file).map_err(refused)?;
        // With the very header whose salt is compared, whatever happens to the file meanwhile.
        let payload = Payload(&file, header.payload_offset());
        let decryptor = from.decryptor().detached_header(&header);
        let mut reader = decryptor.reader(payload).map_err(refused)?;
        let plaintext_bytes = reader.plaintext_bytes();
        let is_same = matches!(&entry.kind, Kind::File { plaintext_bytes: bytes, file_salt }
            if *bytes == plaintext_bytes && file_salt == header.file_salt());
        if !is_same {
            return Err(stranger("it is not the file that the manifest has there")
                .hint("it has been renamed, or is an older or a newer one: use a backup"));
        }
        let shown_to = to.shown(&path);
        let unwritten = |error: io::Error| Failure::io("write", &shown_to, &error);
        let (parent, name) = to.place(&path).map_err(unwritten)?;
        let taken: Vec<_> = sources.taken().collect();
        let mut output = OutputFile::inside(parent, name, &shown_to, self.0.force, &taken)?;
        let encryptor = encryptor
            .suite(header.suite())
            .segment_size(header.segment_size())
            .header_bytes(header.as_bytes().len());
        let summary = encryptor
            .encrypt(Input::Stream(&mut reader), output.sink())
            .map_err(Failure::sealing)?;
        output.commit()?;
        let file_salt = summary.file_salt.unwrap_or_default();
        let entry = Entry { kind: Kind::File { plaintext_bytes, file_salt }, ..entry };
        let done = done(&shown_to, "rekeyed", "encrypted anew", Some(plaintext_bytes));
        Ok((Some(entry), Some(done)))
    }
}

/// What is in a file from an offset on.
struct Payload<'a>(&'a File, u64);

impl ReadAt for Payload<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        ReadAt::read_at(self.0, buffer, self.1.saturating_add(offset))
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.0.size()?.saturating_sub(self.1))
    }
}

fn left(path: &Path) -> Done {
    done(path, "left", "it is not of this tree, and was left as it is", None)
}

fn done(path: &Path, outcome: &'static str, what: &str, bytes: Option<u64>) -> Done {
    Done { outcome, bytes, said: Some(format!("{}: {what}\n", shown(&path.display().to_string()))) }
}
