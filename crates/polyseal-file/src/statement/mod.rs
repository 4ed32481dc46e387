//! Statements: who says that an encrypted file, or a tree of them, is theirs. A statement is
//! signed, is kept beside its file, and covers each stored segment, so that a part of the file is
//! verified by itself.
//!
//! Source: `docs/spec/statement.md`. Signatures are those of `ssh-keygen -Y sign` (SSHSIG), with
//! the namespace `polyseal`; hashes are those of a [commitment](crate::Commitment). Without the
//! feature `sign`, statements can be made and compared, but neither signed nor accepted.
//!
//! Security claim: what opens by a statement has the payload, and the key or the header, that the
//! signer has signed. Limits: a signature is an endorsement. Whoever can open a file can leave out
//! its statement and sign another one.

mod coverage;
mod hashes;
mod list;
#[cfg(feature = "sign")]
mod required;
#[cfg(feature = "sign")]
mod signatures;
#[cfg(feature = "sign")]
mod signers;
mod text;

use std::fmt;
use std::io::{self, Read, Write};
use std::sync::Arc;

use subtle::ConstantTimeEq;

pub use self::coverage::{Coverage, HeldHashes};
pub use self::list::{FileList, ListedFile, NewList, Presence};
#[cfg(feature = "sign")]
pub use self::required::{RequiredSigner, SignaturePolicy};
#[cfg(feature = "sign")]
pub use self::signatures::{SignedStatement, Signer};
#[cfg(feature = "sign")]
pub use self::signers::{AcceptedSigner, AllowedSigners};

use crate::class::Class;
use crate::commitment::{COMMITMENT_BYTES, Leaf, leaf};
use crate::error::{Error, Result, io as io_error};
use crate::header::{AuthenticHeader, Header};
use crate::key::Key;
use crate::layout::SegmentSize;
use crate::sealer::SealedLeaves;
use crate::suite::Suite;

/// The suffix of the file with the statement of another.
pub const SUFFIX: &str = ".sig";

/// The namespace of the signatures.
pub const NAMESPACE: &str = "polyseal";

const HEADER_CONTEXT: &str = "polyseal-statement/1 header";

/// A statement about an encrypted file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The file itself, or the tree whose manifest it is.
    pub subject: Subject,
    /// The file salt in its header.
    pub file_salt: [u8; COMMITMENT_BYTES],
    /// The suite in its header.
    pub suite: Suite,
    /// The segment size in its header.
    pub segment_size: SegmentSize,
    /// The bytes of its payload as they are stored.
    pub payload_bytes: u64,
    /// The root over the stored segments.
    pub payload_root: [u8; COMMITMENT_BYTES],
    /// The context tag in its header.
    pub context_tag: [u8; COMMITMENT_BYTES],
    /// The binding to its key, or to its header.
    pub binding: Binding,
    /// When it was signed, as the signer says: in seconds since 1970.
    pub time: u64,
}

/// The subject of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One file.
    File,
    /// All files of the tree whose manifest the file is.
    Tree(TreeVersion),
}

/// The version of a tree, as its statement has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeVersion {
    /// The number of its manifest.
    pub number: u64,
    /// The payload root of the manifest before; zeros if there is none.
    pub previous: [u8; COMMITMENT_BYTES],
    /// The bytes of the [list](NewList) of its encrypted files.
    pub list_bytes: u64,
    /// The hash of that list.
    pub list: [u8; COMMITMENT_BYTES],
}

impl TreeVersion {
    /// Reads the list of the encrypted files.
    ///
    /// # Errors
    /// [`Problem::List`], also for the list of another version.
    pub fn read_list(&self, bytes: &[u8]) -> Result<FileList> {
        if bytes.len() as u64 != self.list_bytes {
            return Err(Error::Statement(Problem::List));
        }
        FileList::parse(bytes, &self.list)
    }
}

/// The file that the payload belongs to: without it, another header could give the same payload
/// another text, because some suites do not commit to their key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// A value that only those who can open the file can compute. It stays when the file gets other
    /// recipients.
    Holder([u8; COMMITMENT_BYTES]),
    /// A hash of the header. It ends when the file gets other recipients.
    Header([u8; COMMITMENT_BYTES]),
}

/// Something that keeps a statement from being taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// There is no statement.
    Missing,
    /// It is of a version that this program does not read.
    Version,
    /// It is no statement, or not in its one spelling.
    Text,
    /// It has no signature, or one that is none.
    Signature,
    /// It has fewer hashes than its payload has, or more.
    Hashes,
    /// The list of the files of a tree is another one, or none.
    List,
    /// It is about another file.
    OtherFile,
    /// None of its signatures is of a signer that is allowed.
    NotAccepted,
    /// A list of allowed signers has a line that is not understood.
    Signers(usize),
    /// A private key could not be read, or is of a kind that cannot sign here.
    Key,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("it has no statement"),
            Self::Version => {
                f.write_str("its statement has a version that this program cannot read")
            }
            Self::Text => f.write_str("its statement is damaged"),
            Self::Signature => f.write_str("its statement has no signature that can be read"),
            Self::Hashes => f.write_str("its statement has not the hashes of its payload"),
            Self::List => f.write_str("the list of its files is not the signed one"),
            Self::OtherFile => f.write_str("its statement is about another file"),
            Self::NotAccepted => f.write_str("no signature of it is one of an allowed signer"),
            Self::Signers(line) => {
                write!(f, "line {line} of the list of signers is not understood")
            }
            Self::Key => f.write_str("it is no private key that signs"),
        }
    }
}

impl Problem {
    pub(crate) fn class(self) -> Class {
        match self {
            Self::Hashes | Self::List | Self::OtherFile => Class::OtherContents,
            Self::Missing | Self::Version | Self::Text | Self::Signature | Self::NotAccepted => {
                Class::NotSigned
            }
            Self::Signers(_) | Self::Key => Class::KeyFile,
        }
    }

    pub(crate) fn hint(self) -> Option<&'static str> {
        Some(match self {
            Self::Missing => "let its signer sign it: polyseal sign",
            Self::Hashes | Self::List | Self::OtherFile | Self::Text | Self::Signature => {
                "get the file and its statement again, from who signed it"
            }
            Self::Version => "use a newer polyseal",
            Self::NotAccepted => "if you know the signer, add the key to the list",
            Self::Signers(_) => "a line is as ssh-keygen(1) says under ALLOWED SIGNERS",
            Self::Key => "let ssh-keygen sign: polyseal sign does so for a key with a passphrase",
        })
    }
}

impl Statement {
    /// The statement about a file that somebody else can open: bound to its header. `input` is the
    /// encrypted file, and is read to its end; `leaves` gets the hashes that go with it.
    ///
    /// # Errors
    /// Those of [`Header::read`], and [`Error::Io`].
    pub fn of_stored(input: &mut impl Read, time: u64) -> Result<(Self, SegmentHashes)> {
        let header = Header::read(input)?;
        let hashes = SegmentHashes::read(&header, input)?;
        let binding = Binding::Header(header_hash(&header));
        Ok((Self::new(&header, &hashes, binding, time), hashes))
    }

    /// The same about a file that the signer can open.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn of_opened(
        header: &AuthenticHeader<'_>,
        payload: &mut impl Read,
        time: u64,
    ) -> Result<(Self, SegmentHashes)> {
        let hashes = SegmentHashes::read(header.header(), payload)?;
        let binding = Binding::Holder(header.holder()?);
        Ok((Self::new(header.header(), &hashes, binding, time), hashes))
    }

    pub(crate) fn new(
        header: &Header,
        hashes: &SegmentHashes,
        binding: Binding,
        time: u64,
    ) -> Self {
        Self {
            subject: Subject::File,
            file_salt: header.file_salt(),
            suite: header.suite(),
            segment_size: header.segment_size(),
            payload_bytes: hashes.payload_bytes,
            payload_root: hashes.root(),
            context_tag: header.context_tag_bytes(),
            binding,
            time,
        }
    }

    /// The segments of the payload.
    fn segments(&self) -> u64 {
        self.payload_bytes.div_ceil(self.stored_segment_bytes()).max(1)
    }

    /// The bytes of a segment that is not the last, with its tag.
    fn stored_segment_bytes(&self) -> u64 {
        u64::from(self.segment_size.bytes()) + self.suite.tag_bytes() as u64
    }

    /// The statement about the tree of this version, whose manifest the file is.
    #[must_use]
    pub fn about_tree(self, version: TreeVersion) -> Self {
        Self { subject: Subject::Tree(version), ..self }
    }

    /// Refuses a file with another header than the one that it is about.
    ///
    /// # Errors
    /// [`Error::Statement`].
    pub fn expect_header(&self, header: &Header) -> Result<()> {
        let is_same = self.file_salt == header.file_salt()
            && self.suite == header.suite()
            && self.segment_size == header.segment_size()
            && self.context_tag == header.context_tag_bytes();
        let is_bound = match &self.binding {
            Binding::Header(hash) => header_hash(header).ct_eq(hash).into(),
            // It is compared when the file is opened.
            Binding::Holder(_) => true,
        };
        if is_same && is_bound { Ok(()) } else { Err(Error::Statement(Problem::OtherFile)) }
    }

    /// The same of a file that has been opened.
    ///
    /// # Errors
    /// [`Error::Statement`].
    pub fn expect_opened(&self, header: &AuthenticHeader<'_>) -> Result<()> {
        header.expect_stated(self)
    }

    /// The same of a header that opens with this key.
    pub(crate) fn expect_key(&self, header: &Header, file_key: &Key) -> Result<()> {
        self.expect_header(header)?;
        let Binding::Holder(holder) = &self.binding else { return Ok(()) };
        // CT: the verdict is public.
        if header.holder(file_key)?.ct_eq(holder).into() {
            Ok(())
        } else {
            Err(Error::Statement(Problem::OtherFile))
        }
    }
}

/// The statement about a file that is being sealed.
pub struct PendingStatement {
    header: Header,
    binding: Binding,
    leaves: Arc<SealedLeaves>,
}

impl PendingStatement {
    pub(crate) fn new(header: Header, binding: Binding, leaves: Arc<SealedLeaves>) -> Self {
        Self { header, binding, leaves }
    }

    /// The statement, and its hashes. `time` is in seconds since 1970.
    ///
    /// # Errors
    /// [`Error::PartBytes`] before all of the file is sealed.
    pub fn finish(self, time: u64) -> Result<(Statement, SegmentHashes)> {
        let Self { header, binding, leaves } = self;
        let unsealed = Error::PartBytes { expected: 1, given: 0 };
        let (leaves, payload_bytes) = Arc::into_inner(leaves).ok_or(unsealed)?.finish();
        let hashes = SegmentHashes::new(leaves, payload_bytes);
        let statement = Statement::new(&header, &hashes, binding, time);
        let (expected, given) = (statement.segments(), hashes.leaves.len() as u64);
        if payload_bytes == 0 || expected != given {
            return Err(Error::PartBytes { expected, given });
        }
        Ok((statement, hashes))
    }
}

impl fmt::Debug for PendingStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingStatement").field("binding", &self.binding).finish_non_exhaustive()
    }
}

/// The hashes that go with a statement: the leaves of all segments, 32 bytes for each.
#[derive(Clone, Debug)]
pub struct SegmentHashes {
    leaves: Vec<Leaf>,
    payload_bytes: u64,
}

impl SegmentHashes {
    /// Those of a payload that is read to its end.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn read(header: &Header, payload: &mut impl Read) -> Result<Self> {
        let stored = u64::from(header.segment_size().bytes()) + header.suite().tag_bytes() as u64;
        let (mut segment, mut leaves, mut payload_bytes) = (Vec::new(), Vec::new(), 0);
        loop {
            segment.clear();
            let read = payload.by_ref().take(stored).read_to_end(&mut segment);
            let read = read.map_err(io_error("read the input"))?;
            if read == 0 && !leaves.is_empty() {
                return Ok(Self { leaves, payload_bytes });
            }
            payload_bytes += read as u64;
            leaves.push(leaf(&segment));
        }
    }

    pub(crate) fn new(leaves: Vec<Leaf>, payload_bytes: u64) -> Self {
        Self { leaves, payload_bytes }
    }

    /// The payload root, of a commitment and of a statement.
    #[must_use]
    pub fn root(&self) -> [u8; COMMITMENT_BYTES] {
        hashes::root_of(&self.leaves)
    }

    /// The bytes of the payload as it is stored.
    #[must_use]
    pub fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    /// Whether there is anything to be kept: one segment has its root alone.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.leaves.len() > 1
    }

    /// Writes them as they are kept behind the signatures.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        hashes::write(&self.leaves, to)
    }
}

fn header_hash(header: &Header) -> [u8; COMMITMENT_BYTES] {
    blake3::derive_key(HEADER_CONTEXT, header.as_bytes())
}
