//! The manifest of an encrypted tree: which names it has, and which file belongs to each.
//!
//! Source: `docs/spec/manifest.md`, version 3; version 2 is read, too. A manifest is the plaintext
//! of an ordinary encrypted file, and authentic for everyone who can open that. [`Writer`] and
//! [`Reader`] take one entry at a time, in order: their memory does not grow with the tree. Neither
//! touches a file system.
//!
//! Version 1 bound each name to a file salt alone: anyone who can open *one* file of such a tree
//! can put other contents under it. It is read only by [`Reader::with_unbound_contents`].
//!
//! Limits: only who knows the number of a newer manifest notices that a whole tree is not the
//! newest one. A reader yields entries before it has seen the end: who must not act on a part reads
//! it to its end first.
//!
//! ```
//! use polyseal_file::manifest::{
//!     Entry, FileBinding, Kind, Lineage, NO_STAMP, Reader, State, Timestamp, Writer,
//! };
//! use polyseal_file::{Commitment, PayloadRoot};
//!
//! let modified = Timestamp { seconds: 1_700_000_000, nanoseconds: 0 };
//! // As `Summary::commitment` has it when the file is encrypted.
//! let payload_root = PayloadRoot::Tree([9; 32]);
//! let commitment = Commitment { file_salt: [7; 32], key: [8; 32], payload_root };
//! let bound = FileBinding::Contents(commitment);
//! let kind = Kind::File { plaintext_bytes: 14, bound, stamp: NO_STAMP };
//! let (path, state) = (b"notes.txt".to_vec(), State::New);
//! let mut writer = Writer::new(Vec::new(), &Lineage::FIRST)?;
//! writer.push(&Entry { path, state, mode: 0o644, modified, kind })?;
//! let manifest = writer.finish()?;
//!
//! let entries = Reader::new(&manifest[..])?.collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(entries[0].path, b"notes.txt");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::cmp::Ordering;
use std::fmt;
use std::io::{self, Read, Write};

use crate::commitment::{COMMITMENT_BYTES, Commitment, PayloadRoot};
use crate::passphrase::Context;

/// How a manifest begins.
const MAGIC: &[u8; 18] = b"polyseal-manifest\n";
const VERSION: u16 = 3;
/// That whose payload roots are over lists of leaves.
const LISTED_VERSION: u16 = 2;
/// That which binds no contents.
const UNBOUND_VERSION: u16 = 1;
const FILE: u8 = b'f';
const DIRECTORY: u8 = b'd';
const LINK: u8 = b'l';
const ABSENT: u8 = b'x';
const END: u8 = b'e';
/// The bytes of a [`Stamp`].
pub const STAMP_BYTES: usize = 16;

/// The context that the encrypted manifest is bound to, of a tree whose files are bound to `files`.
/// Without it, anyone who can open one file of a tree could write a manifest under its header, and
/// anyone who gives a file to be encrypted could have it taken for one.
///
/// # Errors
/// [`Error::Context`](crate::Error::Context) if it would be too long.
pub fn context(files: Option<&Context>) -> crate::Result<Context> {
    context_of(VERSION, files)
}

/// The same of version 2.
///
/// # Errors
/// As [`context`].
pub fn context_of_version_2(files: Option<&Context>) -> crate::Result<Context> {
    context_of(LISTED_VERSION, files)
}

fn context_of(version: u16, files: Option<&Context>) -> crate::Result<Context> {
    let mut context = format!("polyseal-manifest/{version}").into_bytes();
    if let Some(files) = files {
        context.push(b':');
        context.extend(files.bytes());
    }
    Context::new(context)
}

/// Which manifest of a tree it is, and which was before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lineage {
    /// 1 for the first, and then one more each time.
    pub number: u64,
    /// The encrypted manifest before, if there was one and it could be read.
    pub previous: Option<Commitment>,
}

impl Lineage {
    /// That of the first manifest.
    pub const FIRST: Self = Self { number: 1, previous: None };

    /// That of the manifest after the encrypted one of `number` and `commitment`.
    #[must_use]
    pub fn after(number: u64, commitment: Commitment) -> Self {
        Self { number: number.saturating_add(1), previous: Some(commitment) }
    }

    /// Whether this manifest comes directly after the encrypted one of `number` and `commitment`.
    #[must_use]
    pub fn follows(&self, number: u64, commitment: &Commitment) -> bool {
        let Some(previous) = &self.previous else { return false };
        let is_next = number.checked_add(1) == Some(self.number) && previous.key == commitment.key;
        // Its writer could not open the one before.
        let is_unknown = self.number == 1 && previous.key == [0; COMMITMENT_BYTES];
        previous.file_salt == commitment.file_salt
            && previous.payload_root == commitment.payload_root
            && (is_next || is_unknown)
    }
}

/// One name in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path from the root of the tree, 1 to 65535 bytes of any encoding, with `/` in between.
    pub path: Vec<u8>,
    /// How the run that made the manifest found it; [`State::New`] before version 3.
    pub state: State,
    /// The permission bits, at most 0o777; 0 for a link and for what is absent.
    pub mode: u16,
    /// When it was modified; [`Timestamp::ZERO`] for what is absent.
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
        /// By which the writer tells whether it has changed.
        stamp: Stamp,
    },
    /// A directory, whose entries follow.
    Directory,
    /// A symbolic link.
    Link {
        /// Where it leads, 1 to 65535 bytes.
        target: Vec<u8>,
    },
    /// Something of which the tree has nothing: its state is [`State::Failed`].
    Absent,
}

/// Sixteen bytes by which the writer of a manifest tells whether a file has changed since. Nobody
/// else looks at them.
pub type Stamp = [u8; STAMP_BYTES];

/// The stamp of a file about which nothing is known.
pub const NO_STAMP: Stamp = [0; STAMP_BYTES];

/// How the run that made a manifest found something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is as the run found it.
    New,
    /// The file has not changed since the run that encrypted it.
    Unchanged,
    /// It could not be taken. What an earlier run has taken is kept.
    Failed(Reason),
    /// The file or directory has been deleted since. The encrypted file may be there or not.
    Deleted,
}

/// Why something could not be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Permission was denied.
    Permission,
    /// It could not be read.
    Read,
    /// Its encrypted file could not be written.
    Write,
    /// It is neither a file nor a directory nor a link.
    Kind,
    /// It changed while it was read.
    Changed,
    /// Its name cannot be had in the tree.
    Name,
    /// Another reason, of 1 to 255.
    Other(u8),
}

impl Reason {
    const KNOWN: [Self; 6] =
        [Self::Permission, Self::Read, Self::Write, Self::Kind, Self::Changed, Self::Name];

    /// Its number in a manifest.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Other(number) => number,
            known => (1..).zip(Self::KNOWN).find(|(_, it)| *it == known).map_or(0, |it| it.0),
        }
    }

    fn from_number(number: u8) -> Self {
        let known = (1..).zip(Self::KNOWN).find(|(it, _)| *it == number);
        known.map_or(Self::Other(number), |it| it.1)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Permission => "permission was denied",
            Self::Read => "it could not be read",
            Self::Write => "its encrypted file could not be written",
            Self::Kind => "it is neither a file nor a directory nor a link",
            Self::Changed => "it changed while it was read",
            Self::Name => "its name cannot be had in the tree",
            Self::Other(_) => "the reason is not known to this program",
        })
    }
}

/// The values that bind an entry to its encrypted file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileBinding {
    /// In version 1, its file salt alone: the contents are not bound.
    Salt([u8; COMMITMENT_BYTES]),
    /// Since version 2, all of it but its recipients. In version 2 its root is a
    /// [`PayloadRoot::List`].
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

impl Timestamp {
    /// The moment from which is counted.
    pub const ZERO: Self = Self { seconds: 0, nanoseconds: 0 };
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
    /// There are more mode bits than those of permissions, or a link or what is absent has some.
    Mode,
    /// There are 10^9 nanoseconds or more, or what is absent has a time.
    Time,
    /// There are not as many entries as it says, or not as many that failed.
    Count,
    /// Its number is 0.
    Number,
    /// Something of its kind, or in its directory, has no such state; or a state has no such
    /// reason.
    State,
    /// A payload root of version 2 was to be written.
    ListedRoot,
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
    pub fn new(mut output: W, lineage: &Lineage) -> Result<Self, Error> {
        output.write_all(MAGIC)?;
        output.write_all(&VERSION.to_le_bytes())?;
        output.write_all(&lineage.number.to_le_bytes())?;
        match &lineage.previous {
            Some(previous) => output.write_all(&fields(previous))?,
            None => output.write_all(&NO_FIELDS)?,
        }
        Ok(Self { output, order: EntryOrder::default() })
    }

    /// The next entry, in the order of [`compare`].
    ///
    /// # Errors
    /// [`Error::Invalid`] if no manifest has this entry there, and nothing was written; those of
    /// the output.
    pub fn push(&mut self, entry: &Entry) -> Result<(), Error> {
        let commitment = match &entry.kind {
            Kind::File { bound: FileBinding::Salt(_), .. } => {
                return Err(Error::Invalid(Problem::UnboundContents));
            }
            Kind::File { bound: FileBinding::Contents(commitment), .. } => match commitment {
                Commitment { payload_root: PayloadRoot::Tree(_), .. } => Some(commitment),
                _ => return Err(Error::Invalid(Problem::ListedRoot)),
            },
            _ => None,
        };
        self.order.expect(entry)?;
        let (kind, target) = match &entry.kind {
            Kind::File { .. } => (FILE, None),
            Kind::Directory => (DIRECTORY, None),
            Kind::Link { target } => (LINK, Some(length(target)?)),
            Kind::Absent => (ABSENT, None),
        };
        let mut bytes = vec![kind];
        bytes.extend(length(&entry.path)?.to_le_bytes());
        bytes.extend(&entry.path);
        bytes.extend(match entry.state {
            State::New => [0, 0],
            State::Unchanged => [1, 0],
            State::Failed(reason) => [2, reason.number()],
            State::Deleted => [3, 0],
        });
        bytes.extend(entry.mode.to_le_bytes());
        bytes.extend(entry.modified.seconds.to_le_bytes());
        bytes.extend(entry.modified.nanoseconds.to_le_bytes());
        match &entry.kind {
            Kind::File { plaintext_bytes, stamp, .. } => {
                bytes.extend(plaintext_bytes.to_le_bytes());
                bytes.extend(commitment.iter().flat_map(|it| fields(it)));
                bytes.extend(stamp);
            }
            Kind::Directory | Kind::Absent => {}
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
        self.output.write_all(&self.order.failed.to_le_bytes())?;
        Ok(self.output)
    }
}

/// A commitment as manifests have it: file salt, key commitment and payload root.
///
/// ```
/// # use polyseal_file::manifest::{commitment_bytes, commitment_from_bytes};
/// let commitment = commitment_from_bytes(&[7; 96]);
/// assert_eq!(commitment_bytes(&commitment), [7; 96]);
/// ```
#[must_use]
pub fn commitment_bytes(commitment: &Commitment) -> [u8; 3 * COMMITMENT_BYTES] {
    fields(commitment)
}

/// The commitment of these bytes. Its payload root is a [`PayloadRoot::Tree`].
#[must_use]
pub fn commitment_from_bytes(bytes: &[u8; 3 * COMMITMENT_BYTES]) -> Commitment {
    let [file_salt, key, root] = [0, 1, 2].map(|part| {
        let mut field = [0; COMMITMENT_BYTES];
        field.copy_from_slice(&bytes[part * COMMITMENT_BYTES..][..COMMITMENT_BYTES]);
        field
    });
    Commitment { file_salt, key, payload_root: PayloadRoot::Tree(root) }
}

fn fields(commitment: &Commitment) -> [u8; 3 * COMMITMENT_BYTES] {
    let Commitment { file_salt, key, payload_root } = commitment;
    let mut bytes = NO_FIELDS;
    let parts = [file_salt, key, payload_root.as_bytes()];
    bytes.chunks_mut(COMMITMENT_BYTES).zip(parts).for_each(|(to, part)| to.copy_from_slice(part));
    bytes
}

/// In the place of a commitment where there is none.
const NO_FIELDS: [u8; 3 * COMMITMENT_BYTES] = [0; 3 * COMMITMENT_BYTES];

/// Reads a manifest, and yields its entries. After an error it yields nothing more; after the last
/// entry, the end has been seen to be one.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    version: u16,
    lineage: Option<Lineage>,
    order: EntryOrder,
    ended: bool,
}

impl<R: Read> Reader<R> {
    /// Begins to read: best from something buffered.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it does not begin as a manifest of version 2 or 3; those of the input.
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
        let version = u16::from_le_bytes(take(&mut input)?);
        let lineage = match version {
            VERSION => Some(lineage(&mut input)?),
            LISTED_VERSION | UNBOUND_VERSION => None,
            other => return Err(Error::Invalid(Problem::Version(other))),
        };
        Ok(Self { input, version, lineage, order: EntryOrder::default(), ended: false })
    }

    /// Whether its entries bind the contents of files.
    #[must_use]
    pub fn binds_contents(&self) -> bool {
        self.version != UNBOUND_VERSION
    }

    /// Its version: 1, 2 or 3.
    #[must_use]
    pub fn version(&self) -> u16 {
        self.version
    }

    /// Which manifest of the tree it is; `None` before version 3.
    #[must_use]
    pub fn lineage(&self) -> Option<&Lineage> {
        self.lineage.as_ref()
    }

    fn entry(&mut self) -> Result<Option<Entry>, Error> {
        let version = self.version;
        let input = &mut self.input;
        let [kind] = take(input)?;
        if kind == END {
            if u64::from_le_bytes(take(input)?) != self.order.entries {
                return Err(Error::Invalid(Problem::Count));
            }
            if version == VERSION && u64::from_le_bytes(take(input)?) != self.order.failed {
                return Err(Error::Invalid(Problem::Count));
            }
            let behind = io::copy(&mut input.take(1), &mut io::sink())?;
            return if behind == 0 { Ok(None) } else { Err(Error::Invalid(Problem::Length)) };
        }
        if !matches!(kind, FILE | DIRECTORY | LINK) && (kind != ABSENT || version != VERSION) {
            return Err(Error::Invalid(Problem::Type));
        }
        let path = string(input)?;
        // A wrong length is said first: the entry may be of another version.
        let state = if version == VERSION { take(input)? } else { [0, 0] };
        let mode = u16::from_le_bytes(take(input)?);
        let modified = Timestamp {
            seconds: i64::from_le_bytes(take(input)?),
            nanoseconds: u32::from_le_bytes(take(input)?),
        };
        let kind = match kind {
            FILE => {
                let plaintext_bytes = u64::from_le_bytes(take(input)?);
                let file_salt = take(input)?;
                let bound = if version == UNBOUND_VERSION {
                    FileBinding::Salt(file_salt)
                } else {
                    let (key, root) = (take(input)?, take(input)?);
                    let root =
                        if version == VERSION { PayloadRoot::Tree } else { PayloadRoot::List }(
                            root,
                        );
                    FileBinding::Contents(Commitment { file_salt, key, payload_root: root })
                };
                let stamp = if version == VERSION { take(input)? } else { NO_STAMP };
                Kind::File { plaintext_bytes, bound, stamp }
            }
            DIRECTORY => Kind::Directory,
            ABSENT => Kind::Absent,
            _ => Kind::Link { target: string(input)? },
        };
        let state = match state {
            [0, 0] => State::New,
            [1, 0] => State::Unchanged,
            [2, reason] if reason != 0 => State::Failed(Reason::from_number(reason)),
            [3, 0] => State::Deleted,
            _ => return Err(Error::Invalid(Problem::State)),
        };
        let entry = Entry { path, state, mode, modified, kind };
        self.order.expect(&entry)?;
        Ok(Some(entry))
    }
}

fn lineage(input: &mut impl Read) -> Result<Lineage, Error> {
    let number = u64::from_le_bytes(take(input)?);
    let previous: [u8; 3 * COMMITMENT_BYTES] = take(input)?;
    if number == 0 {
        return Err(Error::Invalid(Problem::Number));
    }
    let previous = (previous != NO_FIELDS).then(|| commitment_from_bytes(&previous));
    Ok(Lineage { number, previous })
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
    /// The last directory that is deleted and in none that is.
    deleted: Vec<u8>,
    entries: u64,
    failed: u64,
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
            Kind::Link { .. } | Kind::Absent if entry.mode != 0 => {
                return Err(Error::Invalid(Problem::Mode));
            }
            Kind::Absent if entry.modified != Timestamp::ZERO => {
                return Err(Error::Invalid(Problem::Time));
            }
            _ if entry.mode > 0o777 => return Err(Error::Invalid(Problem::Mode)),
            _ => {}
        }
        if entry.modified.nanoseconds >= 1_000_000_000 {
            return Err(Error::Invalid(Problem::Time));
        }
        let has_state = match entry.state {
            State::New => entry.kind != Kind::Absent,
            State::Unchanged => matches!(entry.kind, Kind::File { .. }),
            State::Failed(reason) => reason.number() != 0,
            State::Deleted => matches!(entry.kind, Kind::File { .. } | Kind::Directory),
        };
        if !has_state {
            return Err(Error::Invalid(Problem::State));
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
        let is_deleted = entry.state == State::Deleted;
        let in_deleted = !self.deleted.is_empty()
            && path.strip_prefix(&self.deleted[..]).is_some_and(|rest| rest.starts_with(b"/"));
        if in_deleted && !is_deleted {
            return Err(Error::Invalid(Problem::State));
        }
        if is_deleted && !in_deleted && entry.kind == Kind::Directory {
            path.clone_into(&mut self.deleted);
        }
        self.directory = if entry.kind == Kind::Directory { path.len() } else { parent };
        path.clone_into(&mut self.last);
        self.entries += 1;
        self.failed += u64::from(matches!(entry.state, State::Failed(_)));
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
            Self::Number => "its number is 0",
            Self::State => "an entry has a state that it cannot have",
            Self::ListedRoot => "a payload root is that of version 2",
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
