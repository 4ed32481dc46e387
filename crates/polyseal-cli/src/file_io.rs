//! What is read, written, refused and replaced: the whole policy, for every command.
//!
//! - No FILE, or `-`, is standard input; no OUT is standard output.
//! - Binary output does not go to a terminal, unless `-o -` or its device name asks for it. Text
//!   is UTF-8 without control characters, except tabs and ends of lines, and without characters
//!   that change the direction of others.
//! - OUT is a new file, or with `-f` a replaced one, complete and verified when it appears
//!   ([`Staged`]). Symbolic links are followed: the file that they name is made or replaced, the
//!   link stays. A link to nothing is refused.
//! - OUT that is a FIFO or a character device (`/dev/null`) is written to directly.
//! - OUT must not be the input or the key file, by whatever name.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, Stat, Timestamps};
use rustix::process::geteuid;
use zeroize::Zeroizing;

use crate::args::OutputArgs;
use crate::directory::Directory;
use crate::error::{Code, Failure, Result, is_secret, misleads};
use crate::objects::expect_file;
#[cfg(feature = "stores")]
use crate::objects::{ObjectReader, ObjectWriter, is_object};
use crate::replaced::Replaced;
use crate::staged::Staged;
use crate::streams::{
    descriptor, expect_open, expect_unread, expect_wanted, is_standard_input, is_standard_output,
};

/// Which file it is, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }

    pub(crate) fn of_stat(stat: &Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }

    /// That of an open descriptor.
    pub(crate) fn of_descriptor(descriptor: impl AsFd) -> Option<Self> {
        let file = File::from(descriptor.as_fd().try_clone_to_owned().ok()?);
        Some(Self::of(&file.metadata().ok()?))
    }
}

/// Files that an output must not be, and what each is.
pub(crate) type Taken<'a> = [(Option<FileId>, &'a str)];

/// An open input.
pub(crate) struct InputFile {
    pub(crate) file: File,
    /// The length of a regular file that has a name.
    pub(crate) length: Option<u64>,
    /// Which regular file it is.
    pub(crate) id: Option<FileId>,
    pub(crate) name: PathBuf,
    /// What is read instead of the file.
    #[cfg(feature = "stores")]
    pub(crate) object: Option<ObjectReader>,
    /// The byte that was looked at before its turn.
    first: Option<u8>,
}

impl InputFile {
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        let named = path.filter(|path| *path != Path::new("-"));
        let name = named.unwrap_or(Path::new("standard input")).to_owned();
        let failure = |error| Failure::io("read", &name, &error);
        #[cfg(feature = "stores")]
        if is_object(&name) {
            let object = Some(ObjectReader::open(&name)?);
            let file = File::open("/dev/null").map_err(failure)?;
            return Ok(Self { file, length: None, id: None, name, object, first: None });
        }
        expect_file(&name)?;
        let file = match named {
            Some(path) => File::open(path),
            None => io::stdin().as_fd().try_clone_to_owned().map(File::from),
        };
        let file = file.map_err(failure)?;
        if path.is_none_or(is_standard_input) {
            expect_open(io::stdin(), "standard input")?;
        }
        expect_unread(&file, &format!("the contents, {},", name.display()))?;
        let metadata = file.metadata().map_err(failure)?;
        if metadata.is_dir() {
            return Err(failure(io::ErrorKind::IsADirectory.into()));
        }
        // Standard input is read from where it stands, and only forward.
        let length = (named.is_some() && metadata.is_file()).then_some(metadata.len());
        let id = metadata.is_file().then(|| FileId::of(&metadata));
        Ok(Self {
            file,
            length,
            id,
            name,
            #[cfg(feature = "stores")]
            object: None,
            first: None,
        })
    }

    /// How many bytes there are, where that is known.
    pub(crate) fn bytes(&self) -> Option<u64> {
        #[cfg(feature = "stores")]
        if let Some(object) = &self.object {
            return Some(object.bytes());
        }
        self.length
    }

    /// The first byte, which is still read in its turn.
    pub(crate) fn first_byte(&mut self) -> Result<Option<u8>> {
        #[cfg(feature = "stores")]
        if let Some(object) = &self.object {
            return Ok(object.first_byte());
        }
        let mut byte = [0];
        let read = loop {
            let read = match self.length {
                Some(_) => self.file.read_at(&mut byte, 0),
                None => self.file.read(&mut byte),
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let there = read.map_err(|error| Failure::io("read", &self.name, &error))? == 1;
        let first = there.then_some(byte[0]);
        if self.length.is_none() {
            self.first = first;
        }
        Ok(first)
    }

    /// Everything, for messages that are sealed in one piece.
    pub(crate) fn read_all(&mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::io("read", &self.name, &error))?;
        Ok(bytes)
    }
}

impl Read for InputFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_vectored(&mut [io::IoSliceMut::new(buffer)])
    }

    fn read_vectored(&mut self, parts: &mut [io::IoSliceMut<'_>]) -> io::Result<usize> {
        #[cfg(feature = "stores")]
        if let Some(object) = &mut self.object {
            return object.read_vectored(parts);
        }
        match (self.first, parts.iter_mut().find(|part| !part.is_empty())) {
            (Some(byte), Some(part)) => {
                part[0] = byte;
                self.first = None;
                Ok(1)
            }
            _ => self.file.read_vectored(parts),
        }
    }
}

/// What will be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Never fit for a terminal.
    Binary,
    /// Fit for a terminal if it is text.
    Unknown,
}

/// An open output.
pub(crate) enum OutputFile {
    /// A pipe, a device, or standard output: written in order.
    Direct(Direct),
    /// A file that appears with [`OutputFile::commit`].
    Staged { staged: Staged, replace: bool, name: PathBuf },
    /// An object in a store, which appears with it, too.
    #[cfg(feature = "stores")]
    Object(ObjectWriter),
}

/// An output that is what it is. If a terminal was not asked for, only text goes there.
pub(crate) struct Direct {
    file: File,
    /// For text only: the beginning of a character, or of an end of line, whose end has not come
    /// yet.
    text: Option<Zeroizing<Vec<u8>>>,
}

/// What was to be written is not for a terminal.
fn not_text() -> Failure {
    Failure::usage("not writing binary data to a terminal")
        .hint("use -o FILE or redirect it; -o - if you mean it")
}

impl OutputFile {
    /// Opens the output that `args` ask for; `taken` are files that it must not be, and what they
    /// are.
    pub(crate) fn open(args: &OutputArgs, contents: Contents, taken: &Taken<'_>) -> Result<Self> {
        let Some(path) = &args.output else {
            let terminal = io::stdout().is_terminal();
            if terminal && contents == Contents::Binary {
                return Err(not_text());
            }
            let text = terminal.then(Zeroizing::default);
            return Self::standard(io::stdout(), "standard output", text, taken);
        };
        #[cfg(feature = "stores")]
        if is_object(path) {
            return ObjectWriter::create(path, args.force).map(Self::Object);
        }
        expect_file(path)?;
        // Opening them anew would lose the position in a file.
        match descriptor(path) {
            _ if is_standard_output(path) => {
                Self::standard(io::stdout(), "standard output", None, taken)
            }
            Some(2) => Self::standard(io::stderr(), "standard error", None, taken),
            other => {
                if other == Some(0) {
                    expect_open(io::stdin(), "standard input")?;
                }
                Self::named(path, args.force, taken)
            }
        }
    }

    fn standard(
        stream: impl AsFd,
        name: &str,
        text: Option<Zeroizing<Vec<u8>>>,
        taken: &Taken<'_>,
    ) -> Result<Self> {
        let failure = |error| Failure::io("write", Path::new(name), &error);
        expect_wanted(&stream, name)?;
        let file = stream.as_fd().try_clone_to_owned().map(File::from).map_err(failure)?;
        refuse_taken(&file.metadata().map_err(failure)?, taken, Path::new(name))?;
        Ok(Self::Direct(Direct { file, text }))
    }

    fn named(path: &Path, force: bool, taken: &Taken<'_>) -> Result<Self> {
        let failure = |error| Failure::io("write", path, &error);
        expect_no_secret(path)?;
        let staged = |directory, target, replaced| {
            let staged = Staged::create(directory, target, replaced).map_err(failure)?;
            Ok(Self::Staged { staged, replace: force, name: path.to_owned() })
        };
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failure(error)),
            Err(_) if fs::symlink_metadata(path).is_ok() => {
                let message = format!("{} is a symbolic link to nothing", path.display());
                return Err(Failure::usage(message).hint("name the file itself"));
            }
            Err(_) => {
                let (directory, name) = Directory::of(path).map_err(failure)?;
                return staged(directory, name, None);
            }
        };
        refuse_taken(&metadata, taken, path)?;
        let kind = metadata.file_type();
        if kind.is_fifo() || kind.is_char_device() {
            refuse_planted(path, &metadata)?;
            let file = OpenOptions::new().write(true).open(path).map_err(failure)?;
            // The name may have come to mean another file in between.
            if FileId::of(&file.metadata().map_err(failure)?) != FileId::of(&metadata) {
                return Err(already_exists(path));
            }
            return Ok(Self::Direct(Direct { file, text: None }));
        }
        if !kind.is_file() {
            let message = format!("{} is not a file that can be written", path.display());
            return Err(Failure::usage(message).hint("use -o with the name of a new file"));
        }
        if !force {
            return Err(already_exists(path));
        }
        // Whoever can write to the folder of the name, a link perhaps, has chosen the file.
        let folder = Directory::open(path.parent().unwrap_or(Path::new(""))).map_err(failure)?;
        let seen = rustix::fs::stat(path).map_err(|error| failure(error.into()))?;
        let replaced = Replaced::new(&folder, &seen);
        let file = fs::canonicalize(path).map_err(failure)?;
        let (directory, name) = Directory::of(&file).map_err(failure)?;
        staged(directory, name, Some(replaced))
    }

    /// Opens the output `name` in a directory in which no link is followed.
    pub(crate) fn inside(
        directory: Directory,
        name: OsString,
        shown: &Path,
        force: bool,
        taken: &Taken<'_>,
    ) -> Result<Self> {
        let failure = |error| Failure::io("write", shown, &error);
        let replaced = match directory.stat(&name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                expect_no_secret(shown)?;
                None
            }
            Err(error) => return Err(failure(error)),
            Ok(_) if !force => return Err(already_exists(shown)),
            Ok(seen) if FileType::from_raw_mode(seen.st_mode) == FileType::RegularFile => {
                refuse_taken_id(FileId::of_stat(&seen), taken, shown)?;
                Some(Replaced::new(&directory, &seen))
            }
            Ok(_) => {
                let message = format!("{} is there, and is no regular file", shown.display());
                return Err(Failure::usage(message).hint("see what it is, and remove it"));
            }
        };
        let staged = Staged::create(directory, name, replaced).map_err(failure)?;
        Ok(Self::Staged { staged, replace: force, name: shown.to_owned() })
    }

    /// Gives a staged file this mode and these times, whatever it replaces.
    pub(crate) fn set(&mut self, mode: Mode, times: Timestamps) -> Result {
        match self {
            Self::Direct(_) => Ok(()),
            #[cfg(feature = "stores")]
            Self::Object(_) => Ok(()),
            Self::Staged { staged, name, .. } => {
                staged.set(mode, times).map_err(|error| Failure::io("write", name, &error))
            }
        }
    }

    /// As the library takes it.
    pub(crate) fn sink(&mut self) -> polyseal_file::Output<'_> {
        match self {
            Self::Direct(direct) => polyseal_file::Output::Stream(direct),
            Self::Staged { staged, .. } => polyseal_file::Output::File(staged.file()),
            #[cfg(feature = "stores")]
            Self::Object(object) => polyseal_file::Output::Stream(object),
        }
    }

    /// Whether the terminal shows the output.
    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self, Self::Direct(direct) if direct.file.is_terminal())
    }

    /// Writes a whole message, in one piece.
    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> Result {
        let written = match self {
            Self::Direct(direct) => direct.write_all(bytes),
            Self::Staged { staged, .. } => staged.file().write_all(bytes),
            #[cfg(feature = "stores")]
            Self::Object(object) => object.write_all(bytes),
        };
        written.map_err(|error| {
            polyseal_file::Error::Io { what: "write the output", source: error }.into()
        })
    }

    /// Waits until a staged file is on disk.
    pub(crate) fn sync(&mut self) -> Result {
        match self {
            Self::Direct(_) => Ok(()),
            Self::Staged { staged, name, .. } => {
                staged.sync().map_err(|error| Failure::io("write", name, &error))
            }
            #[cfg(feature = "stores")]
            Self::Object(_) => Ok(()),
        }
    }

    /// Makes all of a staged file ready but its name.
    pub(crate) fn ready(&mut self) -> Result {
        match self {
            Self::Staged { staged, replace, name } => {
                staged.ready(*replace).map_err(|error| Failure::io("write", name, &error))
            }
            Self::Direct(_) => Ok(()),
            #[cfg(feature = "stores")]
            Self::Object(_) => Ok(()),
        }
    }

    /// Lets a file that is [`ready`](Self::ready) appear; the directory that has it now, whose
    /// names are not on disk yet.
    pub(crate) fn appear(self) -> Result<Option<Directory>> {
        match self {
            Self::Staged { staged, replace, name } => {
                staged.appear(replace).map(Some).map_err(|error| unnamed(&error, &name))
            }
            other => other.commit().map(|()| None),
        }
    }

    /// Lets a staged file appear; for text, asserts that it ended with a whole character.
    pub(crate) fn commit(self) -> Result {
        match self {
            Self::Staged { staged, replace, name } => {
                staged.commit(replace).map_err(|error| unnamed(&error, &name))
            }
            #[cfg(feature = "stores")]
            Self::Object(object) => object.commit(),
            Self::Direct(Direct { text, .. }) => {
                if text.is_none_or(|begun| begun.is_empty()) {
                    Ok(())
                } else {
                    Err(not_text())
                }
            }
        }
    }
}

/// Why a staged file did not get its name.
fn unnamed(error: &io::Error, name: &Path) -> Failure {
    match error.kind() {
        io::ErrorKind::AlreadyExists => already_exists(name),
        _ => Failure::io("write", name, error),
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Direct(direct) => direct.write(bytes),
            Self::Staged { staged, .. } => staged.file().write(bytes),
            #[cfg(feature = "stores")]
            Self::Object(object) => object.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for Direct {
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
        let whole = text(&bytes)?;
        begun.clear();
        begun.extend_from_slice(&bytes[whole..]);
        self.file.write_all(&bytes[..whole])?;
        Ok(total)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// How many of `bytes` are whole characters and ends of lines, if they are text as far as they go.
/// A terminal obeys control characters, C1 among them (U+0080 to U+009F, or these bytes outside of
/// UTF-8): those of a decrypted file are not for it, nor is a CR that lets a line be written over.
fn text(bytes: &[u8]) -> io::Result<usize> {
    let (text, whole) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, bytes.len()),
        Err(error) if error.error_len().is_none() => {
            let whole = error.valid_up_to();
            (std::str::from_utf8(&bytes[..whole]).unwrap_or_default(), whole)
        }
        Err(_) => return Err(io::Error::other(not_text())),
    };
    // A CR may be half of an end of line.
    let (text, whole) = match text.strip_suffix('\r') {
        Some(begun) if whole == bytes.len() => (begun, whole - 1),
        _ => (text, whole),
    };
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let fit = match character {
            '\t' | '\n' => true,
            '\r' => characters.peek() == Some(&'\n'),
            other => !misleads(other),
        };
        if !fit {
            return Err(io::Error::other(not_text()));
        }
    }
    Ok(whole)
}

/// Refuses a FIFO or a device that another user may have put there, or a link to one: they would
/// read what is written, or it would be lost. Root's are for everybody.
fn refuse_planted(path: &Path, there: &Metadata) -> Result {
    // A descriptor is what the caller gave, whoever made it.
    if descriptor(path).is_some() {
        return Ok(());
    }
    let is_ours = |metadata: &Metadata| [geteuid().as_raw(), 0].contains(&metadata.uid());
    let link = fs::symlink_metadata(path).map_err(|error| Failure::io("write", path, &error))?;
    if is_ours(there) && is_ours(&link) {
        return Ok(());
    }
    let message = format!("{} was put there by another user, and is no file", path.display());
    Err(Failure::usage(message).hint("write to a folder in which nobody else can"))
}

/// Refuses to make a file that has a key for a name: every listing of its folder would show it.
fn expect_no_secret(path: &Path) -> Result {
    if is_secret(path) && fs::symlink_metadata(path).is_err() {
        return Err(Failure::usage("a key was given where the name of the output belongs")
            .hint("what is on a command line, everyone on this machine can see"));
    }
    Ok(())
}

fn refuse_taken(output: &Metadata, taken: &Taken<'_>, name: &Path) -> Result {
    if output.is_file() { refuse_taken_id(FileId::of(output), taken, name) } else { Ok(()) }
}

fn refuse_taken_id(output: FileId, taken: &Taken<'_>, name: &Path) -> Result {
    match taken.iter().find(|(other, _)| *other == Some(output)) {
        None => Ok(()),
        Some((_, what)) => {
            let message = format!("the output, {}, is {what}", name.display());
            Err(Failure::usage(message).hint("write to another file"))
        }
    }
}

pub(crate) fn already_exists(path: &Path) -> Failure {
    Failure::new(Code::Usage, format!("{} already exists", path.display()))
        .hint("use -f to replace it, or write elsewhere with -o")
}
