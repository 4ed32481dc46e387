//! Reading, writing, refusing and replacing files: the whole policy, for every command.
//!
//! - No FILE, or `-`, is standard input; no OUT is standard output.
//! - Binary output does not go to a terminal, unless `-o -` or its device name asks for it. Text
//!   is UTF-8 without control characters, except tabs and ends of lines, and without characters
//!   that change the direction of others.
//! - OUT is a new file, or with `-f` a replaced one, complete and verified when it appears
//!   ([`NewFile`]). Symbolic links are followed: the file that they name is made or replaced, the
//!   link stays. A link to nothing is refused.
//! - OUT that is a FIFO or a character device (`/dev/null`) is written to directly.
//! - OUT must not be the input or the key file, by whatever name.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polyseal_local::{FileId, Forbidden, NewFile, Place, Problem, SpecialFile, Written, fit_text};
use zeroize::Zeroizing;

use crate::args::OutputArgs;
use crate::error::{Failure, Result};
use crate::objects::{self, ObjectInput, ObjectOutput};
use crate::platform::{self, Stream, descriptor};
use crate::streams::{
    expect_open, expect_unread, expect_wanted, is_standard_input, is_standard_output,
};
use polyseal_local::secrets::is_secret;

/// Files that an output must not be, and the name of each in messages.
pub(crate) type ForbiddenOutputs = [(FileId, &'static str)];

/// An open input.
pub(crate) struct InputFile {
    pub(crate) name: PathBuf,
    pub(crate) opened: Source,
}

/// The kinds of input. They differ in how they can be read.
pub(crate) enum Source {
    /// A regular file that has a name: read at any place, as long as it was when it was opened.
    File { file: File, id: FileId, length: u64 },
    /// Standard input, a pipe or a device: read from where it stands, and only forward. A regular
    /// file has an `id` as standard input, too.
    Stream { file: File, id: Option<FileId> },
    /// An object in a store.
    Object(Box<dyn ObjectInput>),
}

impl InputFile {
    /// Opens what `path` names: an object by its name alone, and else what the system finds there.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        let named = path.filter(|path| *path != Path::new("-"));
        let Some(path) = named else {
            let (name, file) = (PathBuf::from(STANDARD_INPUT), platform::to_file(&io::stdin()));
            let opened = Source::from_opened(file, &name, true)?;
            return Ok(Self { name, opened });
        };
        if let Some(object) = objects::open(path)? {
            return Ok(Self { name: object.name().into(), opened: Source::Object(object) });
        }
        let name = path.to_owned();
        let opened = Source::from_opened(platform::open(path), &name, false)?;
        Ok(Self { name, opened })
    }

    /// Which regular file it is.
    pub(crate) fn id(&self) -> Option<FileId> {
        match &self.opened {
            Source::File { id, .. } => Some(*id),
            Source::Stream { id, .. } => *id,
            Source::Object(_) => None,
        }
    }

    /// The length of a regular file that has a name.
    pub(crate) fn file_length(&self) -> Option<u64> {
        match &self.opened {
            Source::File { length, .. } => Some(*length),
            Source::Stream { .. } | Source::Object(_) => None,
        }
    }

    /// How many bytes there are, where that is known.
    pub(crate) fn size(&self) -> Option<u64> {
        match &self.opened {
            Source::File { length, .. } => Some(*length),
            Source::Stream { .. } => None,
            Source::Object(object) => Some(object.size()),
        }
    }

    /// As the library takes it.
    pub(crate) fn source(&mut self) -> polyseal_file::Input<'_> {
        match &mut self.opened {
            Source::File { file, .. } => polyseal_file::Input::File(file),
            Source::Stream { file, .. } => polyseal_file::Input::Stream(file),
            Source::Object(object) => polyseal_file::Input::Stream(object),
        }
    }

    /// Everything, for messages that are sealed in one piece.
    pub(crate) fn read_all(&mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        Read::read_to_end(self, &mut bytes)
            .map_err(|error| Failure::io("read", &self.name, &error))?;
        Ok(bytes)
    }
}

impl Source {
    /// A file or a stream, by what the system has opened as `name`.
    fn from_opened(file: io::Result<File>, name: &Path, is_unnamed: bool) -> Result<Self> {
        let failure = |error| Failure::io("read", name, &error);
        let file = file.map_err(failure)?;
        // On some systems, a pipe has no metadata.
        let metadata = file.metadata().ok();
        let is_file = metadata.as_ref().is_some_and(|it| it.is_file());
        // To look where a name leads takes many calls, and only a device may be a closed stream.
        let is_input = is_unnamed || (!is_file && is_standard_input(name));
        if is_input {
            expect_open(&io::stdin(), "standard input")?;
        }
        expect_unread(&file, is_input, format_args!("the contents, {},", name.display()))?;
        if metadata.as_ref().is_some_and(|it| it.is_dir()) {
            return Err(failure(io::ErrorKind::IsADirectory.into()));
        }
        let id = platform::file_id(&file).map_err(failure)?;
        Ok(match (id, metadata) {
            (Some(id), Some(metadata)) if !is_unnamed => {
                Self::File { file, id, length: metadata.len() }
            }
            _ => Self::Stream { file, id },
        })
    }
}

impl Read for InputFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.opened {
            Source::File { file, .. } | Source::Stream { file, .. } => file.read(buffer),
            Source::Object(object) => object.read(buffer),
        }
    }

    fn read_vectored(&mut self, parts: &mut [io::IoSliceMut<'_>]) -> io::Result<usize> {
        match &mut self.opened {
            Source::File { file, .. } | Source::Stream { file, .. } => file.read_vectored(parts),
            Source::Object(object) => object.read_vectored(parts),
        }
    }
}

/// The name of standard input in messages.
pub(crate) const STANDARD_INPUT: &str = "standard input";

/// The kinds of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// Never fit for a terminal.
    Binary,
    /// Fit for a terminal if it is text.
    Unknown,
}

/// An open output.
pub(crate) enum OutputFile {
    /// A pipe, a device, or standard output: written in order.
    DirectOutput(DirectOutput),
    /// A file that appears with [`OutputFile::commit`].
    New(NewFile),
    /// An object in a store, which appears with it, too.
    Object(Box<dyn ObjectOutput>),
}

/// An output that is what it is. If a terminal was not asked for, only text goes there.
pub(crate) struct DirectOutput {
    file: File,
    /// For text only: the beginning of a character, or of an end of line, whose end has not come
    /// yet.
    text: Option<Zeroizing<Vec<u8>>>,
}

/// The failure for binary output to a terminal.
fn not_text() -> Failure {
    Failure::usage("not writing binary data to a terminal")
        .hint("use -o FILE or redirect it; -o - if you mean it")
}

impl OutputFile {
    /// Opens the output that `args` ask for; `forbidden_outputs` are files that it must not be,
    /// with their names in messages.
    pub(crate) fn open(
        args: &OutputArgs,
        contents: OutputKind,
        forbidden_outputs: &ForbiddenOutputs,
    ) -> Result<Self> {
        let Some(path) = &args.output else {
            let terminal = io::stdout().is_terminal();
            if terminal && contents == OutputKind::Binary {
                return Err(not_text());
            }
            let text = terminal.then(Zeroizing::default);
            return Self::standard(io::stdout(), "standard output", text, forbidden_outputs);
        };
        if let Some(object) = objects::write(path, args.force)? {
            return Ok(Self::Object(object));
        }
        // Opening them anew would lose the position in a file.
        match descriptor(path) {
            _ if is_standard_output(path) => {
                Self::standard(io::stdout(), "standard output", None, forbidden_outputs)
            }
            Some(2) => Self::standard(io::stderr(), "standard error", None, forbidden_outputs),
            other => {
                if other == Some(0) {
                    expect_open(&io::stdin(), "standard input")?;
                }
                Self::open_named(path, args.force, forbidden_outputs)
            }
        }
    }

    fn standard(
        stream: impl Stream,
        name: &str,
        text: Option<Zeroizing<Vec<u8>>>,
        forbidden_outputs: &ForbiddenOutputs,
    ) -> Result<Self> {
        let failure = |error| Failure::io("write", Path::new(name), &error);
        expect_wanted(&stream, name)?;
        let file = platform::to_file(&stream).map_err(failure)?;
        if let Some(id) = platform::file_id(&file).map_err(failure)? {
            forbidden(forbidden_outputs).expect_other(id, Path::new(name))?;
        }
        Ok(Self::DirectOutput(DirectOutput { file, text }))
    }

    fn open_named(path: &Path, force: bool, forbidden_outputs: &ForbiddenOutputs) -> Result<Self> {
        let failure = |error| Failure::io("write", path, &error);
        expect_no_secret(path)?;
        let Some(special) = SpecialFile::find(path) else {
            return Ok(Self::New(NewFile::create_at(path, force, &forbidden(forbidden_outputs))?));
        };
        // A descriptor comes from the caller, whoever made it.
        if descriptor(path).is_none() && !special.is_ours() {
            let message =
                format!("{} was put there by another user, and is no file", path.display());
            return Err(Failure::usage(message).hint("write to a folder in which nobody else can"));
        }
        let changed = || polyseal_local::Error::new(path, Problem::Changed);
        let file = special.open().map_err(failure)?.ok_or_else(changed)?;
        Ok(Self::DirectOutput(DirectOutput { file, text: None }))
    }

    /// Opens the output at a place, where no link is followed.
    pub(crate) fn open_at(
        place: Place,
        force: bool,
        forbidden_outputs: &ForbiddenOutputs,
    ) -> Result<Self> {
        if is_secret(place.shown()) && !place.is_taken() {
            return Err(secret_as_name());
        }
        Ok(Self::New(NewFile::create_in(place, force, &forbidden(forbidden_outputs))?))
    }

    /// The same as one of many outputs, of which no file replaces another.
    pub(crate) fn in_run(self, run: &Arc<Written>) -> Result<Self> {
        Ok(match self {
            Self::New(new) => Self::New(new.in_run(run)?),
            other => other,
        })
    }

    /// As the library takes it.
    pub(crate) fn sink(&mut self) -> polyseal_file::Output<'_> {
        match self {
            Self::DirectOutput(direct) => polyseal_file::Output::Stream(direct),
            Self::New(new) => polyseal_file::Output::File(new.file()),
            Self::Object(object) => polyseal_file::Output::Stream(object),
        }
    }

    /// Says how many bytes there will be about, if that is known.
    pub(crate) fn expect_bytes(&mut self, bytes: Option<u64>) {
        if let (Self::Object(object), Some(bytes)) = (self, bytes) {
            object.expect_bytes(bytes);
        }
    }

    /// Whether the terminal shows the output.
    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self, Self::DirectOutput(direct) if direct.file.is_terminal())
    }

    /// Writes a whole message, in one piece.
    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> Result {
        Write::write_all(self, bytes).map_err(write_error)
    }

    /// Waits until a staged file is on disk.
    pub(crate) fn sync(&mut self) -> Result {
        if let Self::New(new) = self {
            new.sync()?;
        }
        Ok(())
    }

    /// Lets a staged file appear; for text, asserts that it ended with a whole character.
    pub(crate) fn commit(self) -> Result {
        match self {
            Self::New(new) => Ok(new.commit()?),
            Self::Object(object) => object.commit(),
            Self::DirectOutput(DirectOutput { text, .. }) => {
                if text.is_none_or(|begun| begun.is_empty()) { Ok(()) } else { Err(not_text()) }
            }
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::DirectOutput(direct) => direct.write(bytes),
            Self::New(new) => new.file().write(bytes),
            Self::Object(object) => object.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for DirectOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[io::IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, parts: &[io::IoSlice<'_>]) -> io::Result<usize> {
        let Some(begun) = &mut self.text else { return self.file.write_vectored(parts) };
        let total = parts.iter().map(|part| part.len()).sum();
        // With its final size from the start: growing would leave copies behind.
        let mut bytes = Zeroizing::new(Vec::with_capacity(begun.len() + total));
        bytes.extend_from_slice(begun);
        parts.iter().for_each(|part| bytes.extend_from_slice(part));
        let whole = fit_text(&bytes).ok_or_else(|| io::Error::other(not_text()))?;
        begun.clear();
        begun.extend_from_slice(&bytes[whole..]);
        self.file.write_all(&bytes[..whole])?;
        Ok(total)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Refuses to make a file that has a key for a name: every listing of its folder would show it.
fn expect_no_secret(path: &Path) -> Result {
    if is_secret(path) && fs::symlink_metadata(path).is_err() {
        return Err(secret_as_name());
    }
    Ok(())
}

fn secret_as_name() -> Failure {
    Failure::usage("a key was given where the name of the output belongs")
        .hint("every user of this machine can see a command line")
}

/// That the output could not be written.
pub(crate) fn write_error(source: io::Error) -> Failure {
    polyseal_file::Error::Io { what: "write the output", source }.into()
}

/// The same files, as the library takes them.
pub(crate) fn forbidden(forbidden_outputs: &ForbiddenOutputs) -> Forbidden {
    let mut forbidden = Forbidden::NOTHING;
    forbidden_outputs.iter().for_each(|(file, what)| forbidden.add(*file, what));
    forbidden
}
