//! One meaning of every error: its class, from which each program takes its exit code, exception or
//! number; and what to do about it.

use std::io;

#[cfg(feature = "age")]
use crate::age::{KeyError, KeyProblem, PluginError, PluginProblem};
use crate::error::{Error, KeyFileError};

/// The class of an error of this crate or of one above it. Two errors are of one class if every
/// program treats them alike. A new class is a decision for every program: so a `match` on it has
/// no arm for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    // Something was asked for that cannot be done.
    /// Nothing that a narrower class says.
    Usage,
    /// The output is there, and was not to be replaced.
    Exists,
    /// The output must not be replaced.
    Forbidden,
    /// A directory is needed where there is something else.
    NotADirectory,
    /// The directory for an output is in the hands of others.
    NotOurs,
    /// The input is not of the form that the operation is for.
    Unsuitable,
    /// The input is in ASCII armour, where that is not taken off.
    Armored,
    /// A passphrase is empty, too long or not text.
    BadPassphrase,
    /// A context is empty or too long.
    BadContext,
    /// There is nobody to encrypt for, or those who do not go together.
    Recipients,
    /// age, or a plugin of it, does not take a recipient.
    RecipientRefused,
    /// A buffer, or a part of a file, has another length than is needed.
    Length,
    /// There is no such suite, or no such size of segments, for files.
    Suite,
    /// It is no key file, or no key of age.
    KeyFile,
    /// A manifest does not bind the contents of its files.
    UnboundManifest,

    // The system, or time, is to blame.
    /// The operating system, or a store, refused an operation.
    Io,
    /// The input, or the source of a file that is sealed in parts, changed meanwhile.
    Changed,
    /// The input grew meanwhile; the output has its first length, and is whole.
    Grew,
    /// Another program works on the file.
    Busy,
    /// The output appeared meanwhile.
    Appeared,
    /// The caller wanted no more.
    Cancelled,
    /// The input is longer than a file may be.
    TooLong,
    /// There is not the memory.
    Memory,
    /// The operating system gave no random bytes.
    Random,
    /// A plugin of age failed.
    PluginFailed,
    /// The keeper of a key that is kept elsewhere failed, or was not reached.
    KeeperFailed,
    /// A defect of this program.
    Defect,

    // The input is not what it should be, perhaps altered.
    /// It is no encrypted file.
    NotEncrypted,
    /// It is of a version that is not read.
    Version,
    /// Its header is not as it may be, or not as it was written.
    Header,
    /// Its ASCII armour is not as it should be.
    Armor,
    /// Its passphrase takes more work than is allowed.
    TooMuchWork,
    /// A segment is not as it was written.
    Corrupt,
    /// It was cut short or extended.
    Truncated,
    /// A directory is no sealed tree: its manifest is missing or invalid.
    Manifest,
    /// Something could not be taken when a tree was encrypted, or an update of it is not finished.
    /// All that is there is authentic.
    Incomplete,
    /// A file of a tree is missing.
    Missing,
    /// A file is not of the tree in which it is.
    Added,
    /// It is authentic, and another file than the expected one.
    OtherFile,
    /// It is the expected file with other contents.
    OtherContents,
    /// No statement about it has an accepted signature.
    NotSigned,
    /// The file of a key that is kept elsewhere is not as it was written.
    KeyAltered,

    // No key that was given opens it.
    /// It is for other keys.
    NoMatchingKey,
    /// Trying all keys would take more work than is allowed.
    TooManyTries,
    /// It has a passphrase, and none was given.
    PassphraseNeeded,
    /// It has another passphrase.
    WrongPassphrase,
    /// It is bound to another context, or to none.
    Context,
    /// age, or a plugin of it, does not give the key.
    KeyRefused,
    /// The keeper of a key that is kept elsewhere does not give it.
    KeyUnavailable,
}

impl Class {
    /// The class of the same error while a file is encrypted, where age speaks of recipients.
    #[must_use]
    pub fn while_sealing(self) -> Self {
        if self == Self::KeyRefused { Self::RecipientRefused } else { self }
    }
}

impl Error {
    /// The class of the error.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::Io { .. } => Class::Io,
            Self::Cancelled => Class::Cancelled,
            Self::OtherFile => Class::OtherFile,
            Self::OtherContents | Self::NotAsSigned { .. } => Class::OtherContents,
            Self::Statement(problem) => problem.class(),
            Self::ExpectedInParts | Self::NotFetched | Self::SourceVersion | Self::Ticket => {
                Class::Usage
            }
            Self::InputChanged
            | Self::Replaced
            | Self::SourceChanged
            | Self::SealedOtherwise { .. } => Class::Changed,
            Self::OutputNotEmpty => Class::Exists,
            Self::NotAPolysealFile | Self::NotArmored | Self::AgeFile => Class::NotEncrypted,
            Self::Armored => Class::Armored,
            Self::AgeVersion | Self::UnsupportedVersion(_) => Class::Version,
            Self::AgeWork { .. } => Class::TooMuchWork,
            Self::Header(_) | Self::HeaderNotAuthentic => Class::Header,
            Self::NoMatchingKey => Class::NoMatchingKey,
            Self::PassphraseNeeded => Class::PassphraseNeeded,
            Self::WrongPassphrase => Class::WrongPassphrase,
            Self::Passphrase | Self::AgePassphrase => Class::BadPassphrase,
            Self::Stretch => Class::Memory,
            Self::Context => Class::BadContext,
            Self::ContextMissing | Self::ContextDiffers | Self::ContextUnexpected => Class::Context,
            Self::NoRecipients
            | Self::TooManyRecipients
            | Self::PassphraseNotAlone
            | Self::MixedRecipients
            | Self::AgeKeyFile => Class::Recipients,
            Self::AgeTries => Class::TooManyTries,
            Self::Age(_) => Class::KeyRefused,
            #[cfg(feature = "age")]
            Self::AgePlugin(error) => error.class(),
            #[cfg(feature = "age")]
            Self::Keeper(error) => error.class(),
            Self::Armor(_) => Class::Armor,
            Self::Corrupt { .. } => Class::Corrupt,
            Self::CutShort | Self::Extended | Self::Truncated => Class::Truncated,
            Self::TooLong => Class::TooLong,
            Self::PartBytes { .. } | Self::BufferBytes { .. } => Class::Length,
            Self::Suite(_)
            | Self::SuiteLeftOut { .. }
            | Self::SuiteOfSegments(_)
            | Self::SegmentSize(_) => Class::Suite,
            Self::KeyFile(_) => Class::KeyFile,
            Self::Random => Class::Random,
            Self::Cipher(_) => Class::Defect,
        }
    }

    /// Advice, if there is any, for whoever runs the tool `polyseal`: options
    /// are the tool's.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        Some(match self {
            Self::Io { source, .. } => return io_hint(source),
            Self::InputChanged => "run it again when nothing writes to the input",
            Self::NotAPolysealFile | Self::NotArmored => {
                "give a file that `polyseal encrypt` or age wrote; a payload alone needs --header"
            }
            Self::Armored => "decrypt all of it: polyseal decrypt",
            Self::AgeVersion => "use a newer polyseal or age, if the file is intact",
            Self::AgeWork { .. } => {
                "if you know who made it, decrypt it with age and encrypt it anew"
            }
            Self::AgeKeyFile => "use -r RECIPIENT or -p; a Polyseal file can be for a key file",
            Self::Armor(_) => "leave nothing before its first line, behind its last, or in between",
            Self::Corrupt { .. } | Self::CutShort | Self::Extended => {
                "get the file again or use a backup; no file was written, and to a pipe only what \
                 comes before and is authentic"
            }
            Self::UnsupportedVersion(_) => "use a newer polyseal, if the file is intact",
            Self::NoMatchingKey => {
                "use the key it was encrypted for, -k KEYFILE or -i IDENTITY; or its header is \
                 damaged"
            }
            Self::PassphraseNeeded => {
                "give it when asked at a terminal, or with --passphrase-fd, and no other key"
            }
            Self::WrongPassphrase => "try again; or the header is damaged",
            Self::ContextMissing | Self::ContextDiffers => {
                "give the one it was encrypted with: --context TEXT"
            }
            Self::ContextUnexpected => {
                "it may not be the file you mean; if it is, leave out --context"
            }
            Self::NoRecipients => {
                "use -r RECIPIENT, -p for a passphrase, or -k KEYFILE from polyseal keygen"
            }
            Self::TooManyRecipients => {
                "there are at most 128, and fewer of the larger kinds; encrypt --header-size and \
                 rekey --new-key make room"
            }
            Self::PassphraseNotAlone => {
                "anyone who guesses the passphrase gets what the others protect: give fewer"
            }
            Self::MixedRecipients => "the weaker would undo the stronger: leave some of them out",
            #[cfg(feature = "age")]
            Self::Keeper(error) => return error.hint(),
            Self::AgeTries => "give only the identities that it may be for, with -i",
            Self::Suite(_) | Self::SuiteOfSegments(_) => {
                "`polyseal suites` lists the suites for files; --need chooses one"
            }
            Self::SuiteLeftOut { .. } => {
                "use a polyseal that was built with all of its default features"
            }
            Self::KeyFile(problem) => problem.hint(),
            Self::Statement(problem) => return problem.hint(),
            Self::AgeFile
            | Self::Header(_)
            | Self::HeaderNotAuthentic
            | Self::Truncated
            | Self::OtherFile
            | Self::NotAsSigned { .. }
            | Self::OtherContents => {
                "nothing of it can be trusted; get the file again or use a backup"
            }
            Self::Replaced | Self::SourceChanged | Self::SealedOtherwise { .. } => {
                "run it again when nothing writes there"
            }
            _ => return None,
        })
    }
}

impl KeyFileError {
    /// Advice. A new key file is proposed only where there is none: it does not open
    /// files of another key.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Empty | Self::NoKey => {
                "take a copy of it that has the key; a new one, from polyseal keygen, opens no old \
                 file"
            }
            Self::Length { .. } | Self::Digit(_) => {
                "copy the line again from where the key is kept, all of it"
            }
            Self::Version(_) => "use a newer polyseal, if the line is intact",
            Self::Utf16 => "iconv -f UTF-16 -t UTF-8 KEYFILE > NEW writes it so",
            Self::SeveralKeys => "write each key to its own file, and give -k for each",
            Self::Identity => "give it with -i",
            Self::Wrapped => "build polyseal with the feature kms",
            Self::Recipient => "give it with -r, or a file of such with -R",
            Self::Password | Self::BadLine(_) => {
                "a passphrase is given with -p or --passphrase-fd; a file to encrypt or open, \
                 without -k"
            }
            Self::NotText(_) | Self::TooLong => {
                "a key file is the output of polyseal keygen, or the 32 bytes of a key"
            }
        }
    }
}

#[cfg(feature = "age")]
impl KeyError {
    /// Advice, if its sentence has none.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        matches!(self.problem(), KeyProblem::KeyFileAsIdentity).then_some("give it with -k")
    }
}

#[cfg(feature = "age")]
impl PluginError {
    /// The class of the error: a plugin that refuses says something of keys, one that fails does
    /// not.
    #[must_use]
    pub fn class(&self) -> Class {
        match self.problem() {
            PluginProblem::Refused(_) => Class::KeyRefused,
            _ => Class::PluginFailed,
        }
    }
}

/// The operating system's reason in words, without Rust's "(os error 2)".
#[must_use]
pub fn reason(error: &io::Error) -> String {
    let mut text = error.to_string();
    let ending = text.rsplit_once(" (os error ").and_then(|(before, number)| {
        let digits = number.strip_suffix(')')?;
        digits.bytes().all(|digit| digit.is_ascii_digit()).then_some(before.len())
    });
    if let Some(at) = ending {
        text.truncate(at);
    }
    text
}

/// Advice about an error of the operating system, if there is any.
#[must_use]
pub fn io_hint(error: &io::Error) -> Option<&'static str> {
    use io::ErrorKind as K;
    Some(match error.kind() {
        K::NotFound => "the directory must exist",
        K::PermissionDenied => "check who owns it and its permissions",
        K::StorageFull | K::QuotaExceeded => "free some space, then run it again",
        K::FileTooLarge => "raise the limit on file sizes, or write elsewhere",
        K::ReadOnlyFilesystem => "write to another place with -o",
        K::IsADirectory => "name a file in it",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_no_number() {
        let absent = if cfg!(windows) {
            "The system cannot find the file specified."
        } else {
            "No such file or directory"
        };
        assert_eq!(reason(&io::Error::from_raw_os_error(2)), absent);
        assert_eq!(reason(&io::Error::other("it is so")), "it is so");
        let named = "a (os error 2) b: no (os error 13)";
        assert_eq!(reason(&io::Error::other(named)), "a (os error 2) b: no");
        assert_eq!(reason(&io::Error::other("a (os error x)")), "a (os error x)");
    }

    #[test]
    fn age_speaks_of_recipients_while_a_file_is_encrypted() {
        let said = Error::Age("no".to_owned()).class();
        assert_eq!((said, said.while_sealing()), (Class::KeyRefused, Class::RecipientRefused));
        assert_eq!(Error::Random.class().while_sealing(), Class::Random);
    }
}
