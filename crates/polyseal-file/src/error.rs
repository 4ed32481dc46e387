//! The errors of a file, precisely: here the format is public and the reader needs to know what to
//! do. Only failures of the cipher stay opaque.

use std::fmt;
use std::io;

use polyseal::registry::nearest;

#[cfg(feature = "age")]
use crate::age::{KeeperError, PluginError};
use crate::class::reason;
use crate::key::Key;
use crate::statement;
use crate::suite::Suite;

/// A result with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Why a file was not encrypted, decrypted or understood.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused an operation. Errors of this crate's own readers and writers
    /// that come as I/O errors, such as those of an [`ArmorReader`](crate::ArmorReader), are
    /// unwrapped.
    Io {
        /// The operation, as in "cannot … the input".
        what: &'static str,
        /// Its answer.
        source: io::Error,
    },
    /// The caller wanted no more.
    Cancelled,
    /// It is an encrypted file, and not the one that was
    /// [expected](crate::Decryptor::expecting): it has another file salt or another file key.
    OtherFile,
    /// It has the file salt and the file key that were expected, and another payload: somebody who
    /// could open it has changed it.
    OtherContents,
    /// A statement is damaged, not accepted, or about another file.
    Statement(statement::Problem),
    /// A segment is not the one that was signed, as a statement says.
    NotAsSigned {
        /// Its number, from 0.
        segment: u64,
    },
    /// A part of a file cannot be compared with a commitment to all of it, which was
    /// [expected](crate::Decryptor::expecting).
    ExpectedInParts,
    /// The input changed its length while it was read: it has become shorter than it was at first;
    /// or longer, when it was decrypted.
    InputChanged,
    /// The object was replaced while it was read: two answers are of different
    /// [versions](crate::Version). To read it, begin anew.
    Replaced,
    /// An [`Opener`](crate::Opener) was to open bytes that have not been fetched: a step was left
    /// out.
    NotFetched,
    /// The file to write to is not empty, so that its contents could stay behind the end of the
    /// output; or it is in append mode, where offsets do not hold.
    OutputNotEmpty,
    /// The input does not begin as an encrypted file does.
    NotAPolysealFile,
    /// The input is a file of age's own format, where only Polyseal's is read.
    AgeFile,
    /// The input begins as a file in ASCII armour does, where it is not taken off.
    Armored,
    /// The file is of a version of age's format that this program does not read.
    AgeVersion,
    /// An age file is not for key files.
    AgeKeyFile,
    /// The passphrase of an age file is text, in UTF-8.
    AgePassphrase,
    /// The passphrase of an age file takes more work than is allowed.
    AgeWork {
        /// The logarithm of the work that it takes.
        required: u8,
        /// The logarithm of the work that is allowed.
        limit: u8,
    },
    /// The file has a version that this program does not read.
    UnsupportedVersion(u16),
    /// A field of the header has a value that it must not have.
    Header(HeaderError),
    /// No stanza of the header is for a key that was given; or the one that is has been altered.
    NoMatchingKey,
    /// The file opens with a passphrase, and none was given.
    PassphraseNeeded,
    /// It is another passphrase.
    WrongPassphrase,
    /// A passphrase has 1 to 4096 bytes.
    Passphrase,
    /// There is not the memory that stretching the passphrase takes.
    Stretch,
    /// A context has 1 to 65535 bytes.
    Context,
    /// The file is bound to a context, and none was given.
    ContextMissing,
    /// The file is bound to another context.
    ContextDiffers,
    /// A context was given, and the file is bound to none.
    ContextUnexpected,
    /// There is nobody to encrypt for.
    NoRecipients,
    /// More than 128 recipients, or than there is room for in this header.
    TooManyRecipients,
    /// A passphrase beside other recipients.
    PassphraseNotAlone,
    /// Recipients that age does not let go together, such as post-quantum and classic ones.
    MixedRecipients,
    /// Trying all identities on all stanzas of the file would take more work than is allowed.
    AgeTries,
    /// An error of age, in its own words.
    Age(String),
    /// A plugin of age did not do as it was asked.
    #[cfg(feature = "age")]
    AgePlugin(PluginError),
    /// The keeper of a private key did not do its part.
    #[cfg(feature = "age")]
    Keeper(KeeperError),
    /// The input begins as armour may, but has no first line of it.
    NotArmored,
    /// The armour is not as it should be, in this line.
    Armor(u64),
    /// The header is for this key, but is not as it was written.
    HeaderNotAuthentic,
    /// A segment is not as it was written, or is not the segment that belongs here.
    Corrupt {
        /// Its number, from 0.
        segment: u64,
        /// Whether it is the last: then the file may also have been cut short or extended.
        last: bool,
    },
    /// The file ends with a segment that is authentic, and not the last: it has been cut short.
    CutShort,
    /// Something follows the last segment: the file has been extended.
    Extended,
    /// No whole file has this length: it ends within the header or within a tag. It has been cut
    /// short, or extended so.
    Truncated,
    /// The input is longer than a file may be.
    TooLong,
    /// The bytes that were given of a part, stored or to be sealed, are not as many as it takes.
    PartBytes {
        /// The bytes that it takes.
        expected: u64,
        /// The bytes that were given.
        given: u64,
    },
    /// The buffer is too short.
    BufferBytes {
        /// The bytes that it shall hold.
        expected: u64,
        /// The bytes that it has.
        given: u64,
    },
    /// The version of a source has 1 to 4096 bytes.
    SourceVersion,
    /// The source of a file that is sealed in parts has changed since it was begun: begin anew.
    SourceChanged,
    /// The segment has been sealed before, with another plaintext: the source has changed, though
    /// its version has not. It must be begun anew.
    SealedOtherwise {
        /// Its number, from 0.
        segment: u64,
    },
    /// Not a ticket for sealing in parts, or not as it was made.
    Ticket,
    /// Files are not encrypted with this algorithm.
    Suite(String),
    /// A suite that this build was made without.
    SuiteLeftOut {
        /// Its name.
        suite: &'static str,
        /// The feature of the crate `polyseal-file` that brings it, such as `"flex"`.
        feature: &'static str,
    },
    /// Files are not encrypted with this algorithm, because it cuts messages into segments itself.
    SuiteOfSegments(String),
    /// Not a power of two from 4 KiB to 16 MiB.
    SegmentSize(u64),
    /// A key file could not be understood.
    KeyFile(KeyFileError),
    /// The operating system gave no random bytes.
    Random,
    /// The cipher refused a length that the format allows: a defect of this program.
    Cipher(polyseal::Error),
}

/// The defect of a header whose beginning is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderError {
    /// The payload does not begin at a multiple of 4096 from 4096 to 65536.
    PayloadOffset,
    /// The segment size is not a power of two from 4 KiB to 16 MiB.
    SegmentSize,
    /// The suite is unknown, not for files, or not in its one spelling.
    Suite,
    /// No stanza, too many, or one that does not fit.
    Stanzas,
    /// A stanza of a type that this version does not have.
    StanzaType,
    /// The cost of stretching the passphrase is out of bounds.
    PassphraseCost,
    /// A passphrase stanza beside others.
    PassphraseNotAlone,
    /// The labels or recipient stanzas of an age stanza are not in their one form.
    AgeStanza,
    /// Age stanzas with different labels.
    AgeLabels,
    /// Something other than zero where nothing is.
    Padding,
    /// The text of an age file's header is not in its one form.
    AgeText,
    /// The header of an age file is longer than 1 MiB.
    AgeTooLong,
    /// An age file has more than 128 recipients of type `ssh-rsa` with one tag.
    AgeManyRsa,
}

/// The defect of a key file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyFileError {
    /// It has no bytes.
    Empty,
    /// All its lines are empty, or comments.
    NoKey,
    /// It has more than one line with a key.
    SeveralKeys,
    /// A line is neither a comment nor begins as a key does.
    BadLine(usize),
    /// A line begins as a key does, but not of the version that this program reads.
    Version(usize),
    /// A line begins as a key does, and has too few or too many digits.
    Length {
        /// The line, from 1.
        line: usize,
        /// The characters in the place of the 64 digits.
        digits: usize,
    },
    /// A line begins as a key does, and a character of the 64 that follow is no digit.
    Digit(usize),
    /// It is text in UTF-16, which is not read.
    Utf16,
    /// It has so many bytes, is no text, and has not the 32 bytes of a key.
    NotText(usize),
    /// It is 32 printable characters: a password, not a key.
    Password,
    /// It is an identity of age, or a private SSH key.
    Identity,
    /// It is a recipient of age, or a public SSH key.
    Recipient,
    /// It is a wrapped key file: a KMS unwraps the key.
    Wrapped,
    /// It is longer than a key file can be.
    TooLong,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { what, source } => write!(f, "cannot {what}: {}", reason(source)),
            Self::OtherFile => f.write_str("it is another file than the one that is expected"),
            Self::OtherContents => f.write_str(
                "its contents are not the expected ones: somebody who can open it has changed it",
            ),
            Self::Statement(problem) => problem.fmt(f),
            Self::NotAsSigned { segment } => {
                write!(f, "segment {segment} is not the one that was signed")
            }
            Self::ExpectedInParts => {
                f.write_str("a part of a file cannot be compared with an expected whole")
            }
            Self::Cancelled => f.write_str("cancelled"),
            Self::InputChanged => f.write_str("the input changed its length while it was read"),
            Self::Replaced => f.write_str("the object was replaced while it was read"),
            Self::NotFetched => f.write_str("a step of opening was left out"),
            Self::OutputNotEmpty => {
                f.write_str("the file to write to is not empty, or in append mode")
            }
            Self::NotAPolysealFile | Self::NotArmored => f.write_str("not a Polyseal file"),
            Self::AgeFile => f.write_str("an age file, not a Polyseal file"),
            Self::Armored => {
                f.write_str("a file in ASCII armour, which can only be decrypted as a whole")
            }
            Self::AgeVersion => {
                f.write_str("an age file of a version that this program cannot read")
            }
            Self::AgeKeyFile => f.write_str("an age file cannot be for a key file"),
            Self::AgeWork { required, limit } => write!(
                f,
                "the passphrase takes 2^{required} units of work, and 2^{limit} are allowed"
            ),
            Self::AgePassphrase => f.write_str("the passphrase of an age file is text in UTF-8"),
            Self::UnsupportedVersion(version) => {
                write!(f, "a Polyseal file of version {version}, which this program cannot read")
            }
            Self::Header(error) => write!(f, "the header is damaged: {error}"),
            Self::NoMatchingKey => f.write_str("none of the keys opens the file"),
            Self::PassphraseNeeded => f.write_str("the file was encrypted with a passphrase"),
            Self::WrongPassphrase => f.write_str("the passphrase is wrong"),
            Self::Passphrase => f.write_str("a passphrase has 1 to 4096 bytes"),
            Self::Stretch => f.write_str("there is not the memory to stretch the passphrase"),
            Self::Context => f.write_str("a context has 1 to 65535 bytes"),
            Self::ContextMissing => f.write_str("the file is bound to a context"),
            Self::ContextDiffers => f.write_str("the file is bound to another context"),
            Self::ContextUnexpected => f.write_str("the file is not bound to a context"),
            Self::NoRecipients => f.write_str("there is nobody to encrypt for"),
            Self::TooManyRecipients => {
                f.write_str("there are more recipients than fit into the header")
            }
            Self::PassphraseNotAlone => {
                f.write_str("a passphrase does not go with other recipients")
            }
            Self::MixedRecipients => f.write_str(
                "these recipients do not go together: post-quantum ones only with each other",
            ),
            Self::AgeTries => f.write_str(
                "the file has so many recipients that trying all identities on them would take \
                 long",
            ),
            Self::Age(text) => f.write_str(text),
            #[cfg(feature = "age")]
            Self::AgePlugin(error) => error.fmt(f),
            #[cfg(feature = "age")]
            Self::Keeper(error) => error.fmt(f),
            Self::Armor(line) => write!(f, "line {line} of the armour is not as it should be"),
            Self::HeaderNotAuthentic => {
                f.write_str("the header is not authentic: it has been altered")
            }
            Self::Corrupt { segment, last: false } => {
                write!(f, "segment {segment} is not authentic: the file has been altered")
            }
            Self::Corrupt { segment, last: true } => write!(
                f,
                "segment {segment}, the last, is not authentic: \
                 the file has been cut short, extended or altered"
            ),
            Self::CutShort => {
                f.write_str("the last segment is missing: the file has been cut short")
            }
            Self::Extended => {
                f.write_str("something follows the last segment: the file has been extended")
            }
            Self::Truncated => {
                f.write_str("no whole file has this length: it has been cut short or extended")
            }
            Self::TooLong => f.write_str("the input is longer than a file may be"),
            Self::PartBytes { expected, given } => {
                write!(f, "{given} bytes were given of a part that takes {expected}")
            }
            Self::BufferBytes { expected, given } => {
                write!(f, "a buffer of {given} bytes was given for {expected}")
            }
            Self::SourceVersion => f.write_str("the version of a source has 1 to 4096 bytes"),
            Self::SourceChanged => f.write_str("the source has another version than at the start"),
            Self::SealedOtherwise { segment } => {
                write!(f, "segment {segment} has been sealed before, with another plaintext")
            }
            Self::Ticket => f.write_str("not a ticket for sealing in parts, or it was altered"),
            Self::Suite(suite) => {
                write!(f, "{suite} is not a suite for files")?;
                match nearest(suite, Suite::allowed().iter().copied()) {
                    Some(name) => write!(f, "; did you mean {name}?"),
                    None => Ok(()),
                }
            }
            Self::SuiteLeftOut { suite, feature } => write!(
                f,
                "the suite {suite} is left out of this build: the feature `{feature}` brings it"
            ),
            Self::SuiteOfSegments(suite) => write!(
                f,
                "{suite} is not a suite for files: it makes segments of a message, as a file does"
            ),
            Self::SegmentSize(bytes) => write!(
                f,
                "a segment of {bytes} bytes does not exist: powers of two from 4096 to 16777216 do"
            ),
            Self::KeyFile(error) => error.fmt(f),
            Self::Random => f.write_str("the operating system gave no random bytes"),
            Self::Cipher(error) => write!(f, "the cipher failed: {error}"),
        }
    }
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PayloadOffset => "the payload does not begin where it can",
            Self::SegmentSize => "the segment size does not exist",
            Self::Suite => "the suite is not one for files",
            Self::Stanzas => "the key stanzas do not fit",
            Self::StanzaType => "a key stanza of an unknown type",
            Self::PassphraseCost => "stretching the passphrase would take more than it may",
            Self::PassphraseNotAlone => "a passphrase stanza beside others",
            Self::AgeStanza => "an age stanza is not in its one form",
            Self::AgeLabels => "age recipients that do not go together",
            Self::Padding => "the padding is not zero",
            Self::AgeText => "it is not in the form of an age header",
            Self::AgeTooLong => "it is longer than 1 MiB",
            Self::AgeManyRsa => {
                "it has more than 128 recipients of type ssh-rsa that seem to be the same, which \
                 would take long to open"
            }
        })
    }
}

impl fmt::Display for KeyFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the key file is empty"),
            Self::NoKey => f.write_str("the key file has no key, only comments or empty lines"),
            Self::SeveralKeys => f.write_str("there is more than one key in the key file"),
            Self::BadLine(line) => write!(
                f,
                "line {line} of the key file is not a key: that begins with polyseal-key-1-"
            ),
            Self::Version(line) => write!(
                f,
                "line {line} of the key file is no key of version 1, the only one that can be read"
            ),
            Self::Length { line, digits } => write!(
                f,
                "line {line} of the key file has {digits} characters behind polyseal-key-1-, and \
                 a key has 64 digits there"
            ),
            Self::Digit(line) => write!(
                f,
                "line {line} of the key file is a damaged key: a character behind polyseal-key-1- \
                 is not one of 0 to 9 and a to f"
            ),
            Self::Utf16 => f.write_str("the key file is text in UTF-16: save it in UTF-8"),
            Self::NotText(bytes) => write!(
                f,
                "the key file is no text and has {bytes} bytes; a key that is no text has 32"
            ),
            Self::Password => f.write_str("the key file is 32 printable characters, not a key"),
            Self::Identity => f.write_str("this is an identity of age or SSH, not a key file"),
            Self::Recipient => f.write_str(
                "this is a public key of age or SSH, to encrypt with, and not a key file",
            ),
            Self::Wrapped => f.write_str(
                "this is a wrapped key file, whose key only a KMS can unwrap: a program that was \
                 built with the feature \"kms\" reads it",
            ),
            Self::TooLong => write!(
                f,
                "the key file is too long to be one: it may have {} bytes",
                Key::MAX_FILE_BYTES
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Cipher(error) => Some(error),
            #[cfg(feature = "age")]
            Self::AgePlugin(error) => Some(error),
            #[cfg(feature = "age")]
            Self::Keeper(error) => Some(error),
            _ => None,
        }
    }
}

impl std::error::Error for HeaderError {}

impl std::error::Error for KeyFileError {}

impl From<HeaderError> for Error {
    fn from(error: HeaderError) -> Self {
        Self::Header(error)
    }
}

impl From<KeyFileError> for Error {
    fn from(error: KeyFileError) -> Self {
        Self::KeyFile(error)
    }
}

pub(crate) fn io(what: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |source| source.downcast().unwrap_or_else(|source| Error::Io { what, source })
}
