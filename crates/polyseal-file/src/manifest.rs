//! The manifest of an encrypted tree: which names it has, and which file belongs to each.
//!
//! Source: `docs/spec/manifest.md`, version 2. A manifest is the plaintext of an ordinary encrypted
//! file, and authentic for everyone who can open that. [`Writer`] and [`Reader`] take one entry at
//! a time, in order: their memory does not grow with the tree. Neither touches a file system.
//!
//! Version 1 bound each name to a file salt alone: anyone who can open *one* file of such a tree
//! can put other contents under it. It is read only by [`Reader::with_unbound_contents`].
//!
//! Limits: it does not say whether a whole tree is the newest one. A reader yields entries before
//! it has seen the end: who must not act on a part reads it to its end first.
//!
//! ```
//! use polyseal_file::Commitment;
//! use polyseal_file::manifest::{FileBinding, Entry, Kind, Timestamp, Reader, Writer};
//!
//! let modified = Timestamp { seconds: 1_700_000_000, nanoseconds: 0 };
//! // As `Summary::commitment` has it when the file is encrypted.
//! let commitment = Commitment { file_salt: [7; 32], key: [8; 32], payload_root: [9; 32] };
//! let kind = Kind::File { plaintext_bytes: 14, bound: FileBinding::Contents(commitment) };
//! let mut writer = Writer::new(Vec::new())?;
//! writer.push(&Entry { path: b"notes.txt".to_vec(), mode: 0o644, modified, kind })?;
//! let manifest = writer.finish()?;
//!
//! let entries = Reader::new(&manifest[..])?.collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(entries[0].path, b"notes.txt");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::cmp::Ordering;
use std::fmt;
use std::io::{self, Read, Write};

use crate::commitment::{COMMITMENT_BYTES, Commitment};
use crate::passphrase::Context;

/// How a manifest begins.
const MAGIC: &[u8; 18] = b"polyseal-manifest\n";
const VERSION: u16 = 2;
/// That which binds no contents.
const UNBOUND_VERSION: u16 = 1;
const FILE: u8 = b'f';
const DIRECTORY: u8 = b'd';
const LINK: u8 = b'l';
const END: u8 = b'e';

/// The context of a manifest of version 2, so that no other file is taken for one.
const CONTEXT: &[u8] = b"polyseal-manifest/2";

/// The context that the encrypted manifest is bound to, of a tree whose files are bound to `files`.
/// Without it, anyone who can open one file of a tree could write a manifest under its header, and
/// anyone who gives a file to be encrypted could have it taken for one.
///
/// # Errors
/// [`Error::Context`](crate::Error::Context) if it would be too long.
pub fn context(files: Option<&Context>) -> crate::Result<Context> {
    let mut context = CONTEXT.to_vec();
    if let Some(files) = files {
        context.push(b':');
        context.extend(files.bytes());
    }
    Context::new(context)
}

/// One name in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path from the root of the tree, 1 to 65535 bytes of any encoding, with `/` in between.
    pub path: Vec<u8>,
    /// The permission bits, at most 0o777; 0 for a link.
    pub mode: u16,
    /// When it was modified.
    pub modified: Timestamp,
    /// The kind of entry.
    pub kind: Kind,
}

/// The kind of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File {
        /// The bytes of its plaintext.
        plaintext_bytes: u64,
        /// Which encrypted file it is.
        bound: FileBinding,
    },
    /// A directory, whose entries follow.
    Directory,
    /// A symbolic link.
    Link {
        /// Where it leads, 1 to 65535 bytes.
        target: Vec<u8>,
    },
}

/// The values that bind an entry to its encrypted file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileBinding {
    /// In version 1, its file salt alone: the contents are not bound.
    Salt([u8; COMMITMENT_BYTES]),
    /// In version 2, all of it but its recipients.
    Contents(Commitment),
}

impl FileBinding {
    /// The file salt in the header of the encrypted file.
    #[must_use]
    pub fn file_salt(&self) -> &[u8; COMMITMENT_BYTES] {
        match self {
            Self::Salt(file_salt) => file_salt,
            Self::Contents(commitment) => &commitment.file_salt,
        }
    }
}

/// A moment, counted from 1970-01-01 00:00:00 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp {
    /// Whole seconds, rounded down.
    pub seconds: i64,
    /// And these nanoseconds, below 10^9.
    pub nanoseconds: u32,
}

/// The defect of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// It does not begin as one.
    NotAManifest,
    /// It is of a version that this crate does not know.
    Version(u16),
    /// It is of version 1, which does not bind the contents of files, and that was not
    /// [allowed](Reader::with_unbound_contents); or such an entry was to be written.
    UnboundContents,
    /// It ends before its end, or goes on behind it.
    Length,
    /// An entry is of an unknown type.
    Type,
    /// A path or a link's target is empty, too long or has a NUL, or a path is not one from the
    /// root: absolute, or with a name that is empty, `.` or `..`.
    Path,
    /// An entry is not behind the one before it: out of order, or there twice.
    Order,
    /// An entry's parent is not a directory.
    Parent,
    /// There are more mode bits than those of permissions, or a link has some.
    Mode,
    /// There are 10^9 nanoseconds or more.
    Time,
    /// There are not as many entries as it says.
    Count,
}

/// An error in reading or writing a manifest.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// An error of the input or the output.
    Io(io::Error),
    /// An invalid manifest.
    Invalid(Problem),
}

/// Orders paths as a tree is walked: name by name, each by its bytes, so that a directory's entries
/// follow it directly.
///
/// ```
/// # use polyseal_file::manifest::compare;
/// assert!(compare(b"a/b", b"a.txt").is_lt());
/// ```
#[must_use]
pub fn compare(one: &[u8], other: &[u8]) -> Ordering {
    names(one).cmp(names(other))
}

fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|&byte| byte == b'/')
}

/// Whether the link at `path` cannot lead out of the tree, whatever other links are in it: its
/// target is relative, and has no `..` but at its beginning and no more than directories above it.
///
/// ```
/// # use polyseal_file::manifest::stays_inside;
/// assert!(stays_inside(b"a/link", b"../b"));
/// assert!(!stays_inside(b"a/link", b"../../b") && !stays_inside(b"link", b"b/.."));
/// ```
#[must_use]
pub fn stays_inside(path: &[u8], target: &[u8]) -> bool {
    if target.is_empty() || target[0] == b'/' {
        return false;
    }
    let depth = path.iter().filter(|&&byte| byte == b'/').count();
    let mut steps = names(target).filter(|name| !matches!(*name, b"" | b".")).peekable();
    let mut up = 0;
    while steps.next_if(|name| *name == b"..").is_some() {
        up += 1;
    }
    up <= depth && steps.all(|name| name != b"..")
}

/// Writes a manifest.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    order: EntryOrder,
}

impl<W: Write> Writer<W> {
    /// Begins a manifest.
    ///
    /// # Errors
    /// An error of the output.
    pub fn new(mut output: W) -> Result<Self, Error> {
        output.write_all(MAGIC)?;
        output.write_all(&VERSION.to_le_bytes())?;
        Ok(Self { output, order: EntryOrder::default() })
    }

    /// The next entry, in the order of [`compare`].
    ///
    /// # Errors
    /// [`Error::Invalid`] if no manifest has this entry there, and nothing was written; those of
    /// the output.
    pub fn push(&mut self, entry: &Entry) -> Result<(), Error> {
        if matches!(entry.kind, Kind::File { bound: FileBinding::Salt(_), .. }) {
            return Err(Error::Invalid(Problem::UnboundContents));
        }
        self.order.expect(entry)?;
        let (kind, target) = match &entry.kind {
            Kind::File { .. } => (FILE, None),
            Kind::Directory => (DIRECTORY, None),
            Kind::Link { target } => (LINK, Some(length(target)?)),
        };
        let mut bytes = vec![kind];
        bytes.extend(length(&entry.path)?.to_le_bytes());
        bytes.extend(&entry.path);
        bytes.extend(entry.mode.to_le_bytes());
        bytes.extend(entry.modified.seconds.to_le_bytes());
        bytes.extend(entry.modified.nanoseconds.to_le_bytes());
        match &entry.kind {
            Kind::File { plaintext_bytes, bound } => {
                bytes.extend(plaintext_bytes.to_le_bytes());
                bytes.extend(bound.file_salt());
                if let FileBinding::Contents(commitment) = bound {
                    bytes.extend(commitment.key);
                    bytes.extend(commitment.payload_root);
                }
            }
            Kind::Directory => {}
            Kind::Link { target: to } => {
                bytes.extend(target.unwrap_or_default().to_le_bytes());
                bytes.extend(to);
            }
        }
        Ok(self.output.write_all(&bytes)?)
    }

    /// The output.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.output
    }

    /// Ends the manifest.
    ///
    /// # Errors
    /// An error of the output.
    pub fn finish(mut self) -> Result<W, Error> {
        self.output.write_all(&[END])?;
        self.output.write_all(&self.order.entries.to_le_bytes())?;
        Ok(self.output)
    }
}

/// Reads a manifest, and yields its entries. After an error it yields nothing more; after the last
/// entry, the end has been seen to be one.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    version: u16,
    order: EntryOrder,
    ended: bool,
}

impl<R: Read> Reader<R> {
    /// Begins to read: best from something buffered.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it does not begin as a manifest of version 2; those of the input.
    pub fn new(input: R) -> Result<Self, Error> {
        let reader = Self::with_unbound_contents(input)?;
        if reader.binds_contents() {
            Ok(reader)
        } else {
            Err(Error::Invalid(Problem::UnboundContents))
        }
    }

    /// The same, and also of version 1. An old manifest of that version stays authentic for ever
    /// and has the salts of today's files: anyone who can put it in the place of a newer one, and
    /// can open a file, can put other contents there. So a user should have to ask for it.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it does not begin as a manifest; those of the input.
    pub fn with_unbound_contents(mut input: R) -> Result<Self, Error> {
        let mut magic = [0; MAGIC.len()];
        input.read_exact(&mut magic).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Error::Invalid(Problem::NotAManifest),
            _ => Error::Io(error),
        })?;
        if magic != *MAGIC {
            return Err(Error::Invalid(Problem::NotAManifest));
        }
        match u16::from_le_bytes(take(&mut input)?) {
            version @ (VERSION | UNBOUND_VERSION) => {
                Ok(Self { input, version, order: EntryOrder::default(), ended: false })
            }
            other => Err(Error::Invalid(Problem::Version(other))),
        }
    }

    /// Whether its entries bind the contents of files.
    #[must_use]
    pub fn binds_contents(&self) -> bool {
        self.version == VERSION
    }

    fn entry(&mut self) -> Result<Option<Entry>, Error> {
        let binds_contents = self.binds_contents();
        let input = &mut self.input;
        let [kind] = take(input)?;
        if kind == END {
            if u64::from_le_bytes(take(input)?) != self.order.entries {
                return Err(Error::Invalid(Problem::Count));
            }
            let behind = io::copy(&mut input.take(1), &mut io::sink())?;
            return if behind == 0 { Ok(None) } else { Err(Error::Invalid(Problem::Length)) };
        }
        if ![FILE, DIRECTORY, LINK].contains(&kind) {
            return Err(Error::Invalid(Problem::Type));
        }
        let path = string(input)?;
        let mode = u16::from_le_bytes(take(input)?);
        let modified = Timestamp {
            seconds: i64::from_le_bytes(take(input)?),
            nanoseconds: u32::from_le_bytes(take(input)?),
        };
        let kind = match kind {
            FILE => {
                let plaintext_bytes = u64::from_le_bytes(take(input)?);
                let file_salt = take(input)?;
                let bound = if binds_contents {
                    let (key, payload_root) = (take(input)?, take(input)?);
                    FileBinding::Contents(Commitment { file_salt, key, payload_root })
                } else {
                    FileBinding::Salt(file_salt)
                };
                Kind::File { plaintext_bytes, bound }
            }
            DIRECTORY => Kind::Directory,
            _ => Kind::Link { target: string(input)? },
        };
        let entry = Entry { path, mode, modified, kind };
        self.order.expect(&entry)?;
        Ok(Some(entry))
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let entry = self.entry();
        self.ended = !matches!(entry, Ok(Some(_)));
        entry.transpose()
    }
}

fn take<const N: usize>(input: &mut impl Read) -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn string(input: &mut impl Read) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; usize::from(u16::from_le_bytes(take(input)?))];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn length(string: &[u8]) -> Result<u16, Error> {
    u16::try_from(string.len()).map_err(|_| Error::Invalid(Problem::Path))
}

/// The state that decides which entry may come next.
#[derive(Debug, Default)]
struct EntryOrder {
    last: Vec<u8>,
    /// How many bytes of `last` are a directory in which the next entry may be: all of them if it
    /// is one, otherwise those before its name.
    directory: usize,
    entries: u64,
}

impl EntryOrder {
    fn expect(&mut self, entry: &Entry) -> Result<(), Error> {
        let path = &entry.path[..];
        if names(path).any(|name| matches!(name, b"" | b"." | b"..") || name.contains(&0)) {
            return Err(Error::Invalid(Problem::Path));
        }
        match &entry.kind {
            Kind::Link { target } if target.is_empty() || target.contains(&0) => {
                return Err(Error::Invalid(Problem::Path));
            }
            Kind::Link { .. } if entry.mode != 0 => return Err(Error::Invalid(Problem::Mode)),
            _ if entry.mode > 0o777 => return Err(Error::Invalid(Problem::Mode)),
            _ => {}
        }
        if entry.modified.nanoseconds >= 1_000_000_000 {
            return Err(Error::Invalid(Problem::Time));
        }
        if self.entries > 0 && compare(&self.last, path).is_ge() {
            return Err(Error::Invalid(Problem::Order));
        }
        // Entries come in order: a directory's entries follow it before all else.
        let parent = path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        let open = &self.last[..self.directory];
        let is_open = open.starts_with(&path[..parent])
            && (parent == 0 || open.len() == parent || open[parent] == b'/');
        if !is_open {
            return Err(Error::Invalid(Problem::Parent));
        }
        self.directory = if entry.kind == Kind::Directory { path.len() } else { parent };
        path.clone_into(&mut self.last);
        self.entries += 1;
        Ok(())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAManifest => "it does not begin as a manifest",
            Self::Version(version) => return write!(f, "version {version} is not known"),
            Self::UnboundContents => {
                "it is of version 1, which does not bind the contents of files to their names"
            }
            Self::Length => "it ends too early, or goes on behind its end",
            Self::Type => "an entry is of an unknown type",
            Self::Path => "a path or a target is none",
            Self::Order => "an entry is out of order, or there twice",
            Self::Parent => "an entry's parent is not a directory",
            Self::Mode => "a mode is none",
            Self::Time => "a time is none",
            Self::Count => "there are not as many entries as it says",
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot read or write the manifest: {error}"),
            Self::Invalid(problem) => write!(f, "the manifest is damaged: {problem}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Invalid(_) => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Invalid(Problem::Length),
            _ => Self::Io(error),
        }
    }
}
