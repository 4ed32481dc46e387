//! A sealed tree encrypted anew, under other keys and into another directory.
//!
//! The plaintext goes from one file to the other and touches no disk. Nothing of the old tree is
//! changed, and the manifest of the new one appears last: whatever interrupts it, there is a whole
//! tree. What the old manifest does not have is told, and is not in the new tree.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use polyseal_file::manifest::{Entry, Kind};
use polyseal_file::{Encryptor, Header, Input, Output, ReadAt};

use super::join::{Pair, path_of, unread};
use super::seal::{Manifest, Outcome};
use super::target::{NewTree, Writable};
use super::{SealedTree, sealed};
use crate::error::{Error, Problem, Result, file, sealing};
use crate::many::{Done, Tell, Total, in_order};
use crate::new_file::NewFile;
use crate::watch::Watch;

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
        tell: Tell<'_>,
    ) -> Result<Total> {
        let options = self.options();
        to.expect_outside(&self.tree().shown)?;
        let to = to.make()?;
        let watch = Watch::new(options.progress);
        let add = |more| watch.add(more);
        let encryptor = encryptor.progress(&add).cancelled_by(watch.cancel());
        self.expect();
        let pairs = self.pairs()?.map(|pair| {
            let pair = pair?;
            let made = match &pair {
                Pair::Plain(Entry { kind: Kind::Directory, .. }) => {
                    let path = pair.path();
                    let made = to.tree.root.of_beneath(&path).and_then(|(at, name)| at.make(&name));
                    made.map_err(|error| Error::io("write", &to.tree.shown(&path), error))
                }
                _ => Ok(()),
            };
            Ok((pair, made))
        });
        let work = |pair: Result<(Pair, Result)>| -> Outcome {
            // What cannot be read of the manifest has been read before, when it was opened.
            let (pair, made) = match pair {
                Ok(pair) => pair,
                Err(error) => return (PathBuf::new(), Err(error)),
            };
            let path = pair.path();
            let shown = self.tree().shown(&path);
            let done = match pair {
                Pair::File(entry) => self.one(&to, entry, encryptor),
                Pair::Plain(entry) => made.map(|()| (Some(entry), None)),
                Pair::Missing(_) => Err(Error::new(&shown, Problem::Missing)),
                Pair::Added(_) | Pair::AddedUnread(_) => Ok((None, Some(Done::Left))),
                Pair::Unread(_, error) => Err(unread(&shown, error)),
            };
            (path, done)
        };
        in_order(pairs, options.jobs, options.progress, work, |outcomes| {
            Manifest { of: self.tree(), to: &to, options, encryptor }.write(outcomes, tell)
        })
    }

    fn one(
        &self,
        to: &Writable,
        entry: Entry,
        encryptor: Encryptor<'_>,
    ) -> Result<(Option<Entry>, Option<Done>)> {
        let path = sealed(&path_of(&entry));
        let shown = self.tree().shown(&path);
        let input = self.tree().file(&path)?;
        let header = Header::read(&mut &input).map_err(file(&shown))?;
        // With the very header whose salt is compared, whatever happens to the file meanwhile.
        let payload = Payload(&input, header.payload_offset());
        let decryptor = self.decryptor().detached_header(&header);
        let mut reader = decryptor.reader(payload).map_err(file(&shown))?;
        let plaintext_bytes = reader.plaintext_bytes();
        let is_same = matches!(&entry.kind, Kind::File { plaintext_bytes: bytes, file_salt }
            if *bytes == plaintext_bytes && file_salt == header.file_salt());
        if !is_same {
            return Err(Error::new(&shown, Problem::OtherFile));
        }
        let place = to.tree.place(&path, "write")?;
        let output = NewFile::inside(place, to.overwrite, self.options().forbidden)?;
        let encryptor = encryptor
            .suite(header.suite())
            .segment_size(header.segment_size())
            .header_bytes(header.as_bytes().len());
        let summary = encryptor.encrypt(Input::Stream(&mut reader), Output::File(output.file()));
        let summary = summary.map_err(sealing(output.shown()))?;
        output.commit()?;
        let file_salt = summary.file_salt.unwrap_or_default();
        let entry = Entry { kind: Kind::File { plaintext_bytes, file_salt }, ..entry };
        Ok((Some(entry), Some(Done::Reencrypted { bytes: plaintext_bytes })))
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
