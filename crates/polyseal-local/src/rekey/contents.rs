//! The new contents of a file: its payload behind another header, or all of it anew.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use polyseal_file::age::v1;
use polyseal_file::{Encryptor, Error as FileError, Header, Input, Output, Recipients};

use super::{OldHeader, RekeyPlan, RekeySource};
use crate::error::{Error, Problem, Result, file, sealing};
use crate::options::Options;
use crate::platform::contents::{FileExt, next_data, share};
use crate::watch::watched;

pub(super) enum NewContents<'a> {
    Header(NewHeader),
    Payload { recipients: &'a Recipients, plan: RekeyPlan<'a> },
}

pub(super) enum NewHeader {
    /// As long as the old one.
    Polyseal(Header),
    /// A header of age. Its length may change: it has no room to spare.
    Age(v1::Header),
}

impl NewContents<'_> {
    /// Writes the whole file.
    pub(super) fn write(
        &self,
        opened: &RekeySource,
        mut output: Output<'_>,
        to: &Path,
        options: &Options<'_>,
    ) -> Result {
        let copied = match self {
            Self::Header(NewHeader::Polyseal(new)) => copy(&opened.file, new, &mut output),
            Self::Header(NewHeader::Age(new)) => {
                let offset = opened.header.as_bytes().len() as u64;
                copy_behind(&opened.file, offset, new, &mut output)
            }
            Self::Payload { recipients, plan } => {
                return reencrypt(opened, recipients, plan, output, to, options);
            }
        };
        let shown = &opened.place.shown;
        copied.map_err(|error| match error {
            CopyError::Length => Error::new(shown, Problem::ChangedLength),
            CopyError::Io(source) => Error::io("copy", shown, source),
        })
    }
}

enum CopyError {
    /// The file is not as long as it was.
    Length,
    Io(io::Error),
}

/// A kind of output that the file format has, and this crate does not know yet.
fn unknown() -> CopyError {
    CopyError::Io(io::ErrorKind::Unsupported.into())
}

impl From<io::Error> for CopyError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The whole file, with another header of the same length.
fn copy(
    mut from: &File,
    header: &Header,
    to: &mut Output<'_>,
) -> std::result::Result<(), CopyError> {
    let bytes = from.metadata()?.len();
    match to {
        Output::File(to) => {
            if !share(from, to) {
                // Holes stay holes: a file could be said to have more bytes than the disk.
                to.set_len(bytes)?;
                let mut at = 0;
                while let Some(Range { start, end }) = next_data(from, at..bytes)? {
                    (&**to).seek(SeekFrom::Start(start))?;
                    copy_range(&mut from, start..end, &mut &**to)?;
                    at = end;
                }
            }
            if from.metadata()?.len() != bytes {
                return Err(CopyError::Length);
            }
            Ok(to.write_all_at(header.as_bytes(), 0)?)
        }
        Output::Stream(to) => {
            to.write_all(header.as_bytes())?;
            copy_range(&mut from, header.payload_offset()..bytes, to)
        }
        _ => Err(unknown()),
    }
}

/// The payload of a file of age from `offset`, behind another header.
fn copy_behind(
    mut from: &File,
    offset: u64,
    header: &v1::Header,
    to: &mut Output<'_>,
) -> std::result::Result<(), CopyError> {
    let bytes = from.metadata()?.len();
    match to {
        Output::File(to) => {
            (&**to).write_all(header.as_bytes())?;
            copy_range(&mut from, offset..bytes, &mut &**to)?;
        }
        Output::Stream(to) => {
            to.write_all(header.as_bytes())?;
            copy_range(&mut from, offset..bytes, to)?;
        }
        _ => return Err(unknown()),
    }
    if from.metadata()?.len() == bytes { Ok(()) } else { Err(CopyError::Length) }
}

fn copy_range(
    from: &mut &File,
    range: Range<u64>,
    to: &mut (impl Write + ?Sized),
) -> std::result::Result<(), CopyError> {
    from.seek(SeekFrom::Start(range.start))?;
    let bytes = range.end.saturating_sub(range.start);
    if io::copy(&mut Read::take(from, bytes), to)? == bytes {
        Ok(())
    } else {
        Err(CopyError::Length)
    }
}

/// The plaintext, under a new file key.
fn reencrypt(
    opened: &RekeySource,
    recipients: &Recipients,
    plan: &RekeyPlan<'_>,
    output: Output<'_>,
    to: &Path,
    options: &Options<'_>,
) -> Result {
    let shown = &opened.place.shown;
    let mut plaintext = plan.decryptor().reader(&opened.file).map_err(file(shown))?;
    options.progress.expect(1, plaintext.plaintext_bytes());
    let input = Input::Stream(&mut plaintext);
    let summary = watched(options.progress, plan.run, |run| match &opened.header {
        OldHeader::Polyseal(header) => {
            let mut encryptor = Encryptor::new(recipients)
                .suite(header.suite())
                .segment_size(header.segment_size())
                .header_bytes(header.as_bytes().len())
                .running(run);
            if let Some(context) = plan.context {
                encryptor = encryptor.context(context);
            }
            encryptor.encrypt(input, output)
        }
        OldHeader::Age(_) => v1::Encryptor::new(recipients).running(run).encrypt(input, output),
    });
    match summary {
        Ok(_) => Ok(()),
        // The reader's error about the old file comes inside an I/O error.
        Err(FileError::Io { what, source }) => Err(match source.downcast::<FileError>() {
            Ok(error) => file(shown)(error),
            Err(source) => sealing(to)(FileError::Io { what, source }),
        }),
        Err(error) => Err(sealing(to)(error)),
    }
}
