//! Every failure: the message, the hint, and the exit code that scripts rely on.

use std::cmp::Ordering;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use polyseal_file::age::KeyError;
use polyseal_file::{Class, Error as FileError, io_hint, reason};
use polyseal_local::secrets::without_hexadecimal_keys;
pub(crate) use polyseal_local::shown;
use polyseal_local::{Error as LocalError, Problem, path_hint};

pub(crate) type Result<T = ()> = std::result::Result<T, Failure>;

/// The exit codes. The gravest of many files counts: a possible attack comes before a possibly
/// wrong key, and both before errors of the system or the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// The operating system refused something.
    Io = 1,
    /// The command asks for something impossible.
    Usage = 2,
    /// The input is not authentic, not well-formed, or not the right one.
    Content = 3,
    /// The file is for another key.
    NoKey = 4,
    /// No signature of an allowed signer says that it is theirs.
    NotSigned = 5,
    /// A file is in a tree that is not of it.
    Foreign = 6,
}

impl Code {
    const BY_GRAVITY: [Self; 6] =
        [Self::Usage, Self::Io, Self::Foreign, Self::NotSigned, Self::NoKey, Self::Content];

    fn gravity(self) -> Option<usize> {
        Self::BY_GRAVITY.iter().position(|code| *code == self)
    }
}

impl Ord for Code {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gravity().cmp(&other.gravity())
    }
}

impl PartialOrd for Code {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}

/// The meaning of each exit code.
pub(crate) const EXIT_STATUS: [(&str, &str); 7] = [
    ("0", "Everything was done."),
    ("1", "The system refused something: a file, the network, memory."),
    ("2", "The command asks for something impossible."),
    ("3", "An input is not authentic, or damaged: an attack cannot be told from an accident."),
    ("4", "No given key, passphrase or context fits."),
    ("5", "No signature of an allowed signer was found."),
    ("6", "A file is in a tree and not of it. The tree itself is whole."),
];

impl From<Class> for Code {
    fn from(class: Class) -> Self {
        use Class as C;

        match class {
            C::Usage
            | C::Exists
            | C::Forbidden
            | C::NotADirectory
            | C::NotOurs
            | C::Unsuitable
            | C::Armored
            | C::BadPassphrase
            | C::BadContext
            | C::Recipients
            | C::RecipientRefused
            | C::Length
            | C::Suite
            | C::KeyFile
            | C::UnboundManifest => Self::Usage,
            C::Io
            | C::Changed
            | C::Grew
            | C::Busy
            | C::Appeared
            | C::Cancelled
            | C::TooLong
            | C::Memory
            | C::Random
            | C::PluginFailed
            | C::KeeperFailed
            | C::Incomplete
            | C::Defect => Self::Io,
            C::Added => Self::Foreign,
            C::NotSigned => Self::NotSigned,
            C::NotEncrypted
            | C::Version
            | C::Header
            | C::Armor
            | C::TooMuchWork
            | C::Corrupt
            | C::Truncated
            | C::Manifest
            | C::Missing
            | C::OtherFile
            | C::OtherContents
            | C::KeyAltered => Self::Content,
            C::NoMatchingKey
            | C::TooManyTries
            | C::PassphraseNeeded
            | C::WrongPassphrase
            | C::Context
            | C::KeyRefused
            | C::KeyUnavailable => Self::NoKey,
        }
    }
}

/// A failure, as the user is told of it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    message: String,
    hint: Option<String>,
    /// The file that the message names.
    path: Option<PathBuf>,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, path: None }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Code::Usage, message)
    }

    /// That no signature of an allowed signer was found.
    pub(crate) fn not_signed(message: impl Into<String>) -> Self {
        Self::new(Code::NotSigned, message).hint("let its signer sign it: polyseal sign")
    }

    /// The failure for a library's error.
    pub(crate) fn from_library(
        class: Class,
        sentence: impl Into<String>,
        hint: Option<&str>,
    ) -> Self {
        Self { hint: hint.map(str::to_owned), ..Self::new(class.into(), sentence) }
    }

    /// `cannot <what> <path>: <reason>`.
    pub(crate) fn io(what: &str, path: &Path, error: &io::Error) -> Self {
        let message = format!("cannot {what} {}: {}", path.display(), reason(error));
        let hint = path_hint(what, path, error).map(str::to_owned);
        Self { hint, ..Self::new(Code::Io, message) }.naming(path)
    }

    /// The same, whose message names this file.
    pub(crate) fn naming(mut self, path: &Path) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    /// The message, without the hint.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same, and of which file it is said. The file is named once.
    pub(crate) fn about(self, path: &Path) -> Self {
        let name = |path: &Path| shown(&path.display().to_string());
        if path.as_os_str().is_empty() || self.path.as_deref().map(name) == Some(name(path)) {
            return self;
        }
        let message = format!("{}: {}", path.display(), self.message);
        Self { message, ..self }.naming(path)
    }

    /// The same, with one more hint.
    pub(crate) fn also(mut self, hint: &str) -> Self {
        self.hint =
            Some(self.hint.map_or_else(|| hint.to_owned(), |first| format!("{first}; {hint}")));
        self
    }

    /// The failure for an error about one of many files: its message names the file.
    pub(crate) fn with_path(error: LocalError) -> Self {
        let path = error.path().to_owned();
        Self::from(error).about(&path)
    }

    /// The failure for an error while a file is encrypted.
    pub(crate) fn sealing(error: FileError) -> Self {
        Self::from_file(error, Class::while_sealing)
    }

    /// The failure for an error of the file format, whose class is what `class` makes of its own.
    /// A failure of our own streams stays what it is.
    fn from_file(error: FileError, class: fn(Class) -> Class) -> Self {
        let error = match error {
            FileError::Io { what, source } => match unwrapped(source) {
                Ok(failure) => return failure,
                Err(source) => FileError::Io { what, source },
            },
            other => other,
        };
        let text = match &error {
            // A key may have been given in the place of the name.
            FileError::Suite(_) | FileError::SuiteOfSegments(_) => {
                without_hexadecimal_keys(&error.to_string())
            }
            // A plugin's words may be several lines.
            FileError::AgePlugin(error) => {
                let text = error.to_string();
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                lines.collect::<Vec<_>>().join(" / ")
            }
            error => error.to_string(),
        };
        Self::from_library(class(error.class()), without_isolates(&text), error.hint())
    }

    /// Tells it, where the work goes on.
    pub(crate) fn tell(&self) {
        // Nothing can be done about a standard error that is closed.
        let _ = writeln!(io::stderr(), "{self}");
    }

    /// The same, with this hint about a directory, if one was to be read.
    pub(crate) fn or_of_directory(self, hint: &str) -> Self {
        let name_a_file = io_hint(&io::ErrorKind::IsADirectory.into());
        if self.hint.as_deref() == name_a_file { self.hint(hint) } else { self }
    }
}

/// Age sets names off with these characters, which would be spelt out.
fn without_isolates(text: &str) -> String {
    text.replace(['\u{2068}', '\u{2069}'], "")
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "polyseal: {}", shown(&self.message))?;
        match &self.hint {
            Some(hint) => write!(f, "\n  {}", shown(hint)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

/// Takes a failure of our own streams out of an I/O error.
fn unwrapped(error: io::Error) -> std::result::Result<Failure, io::Error> {
    #[cfg(feature = "stores")]
    let error = match error.downcast::<polyseal_object_store::remote::Error>() {
        Ok(error) => return Ok(store_failure("use", &error)),
        Err(error) => error,
    };
    error.downcast::<Failure>().or_else(|error| error.downcast::<FileError>().map(Failure::from))
}

impl Failure {
    /// The same, to pass through the library.
    pub(crate) fn into_local(self) -> LocalError {
        let path = self.path.clone().unwrap_or_default();
        LocalError::new(&path, Problem::Caller(Box::new(self)))
    }
}

impl From<LocalError> for Failure {
    fn from(error: LocalError) -> Self {
        let path = error.path().to_owned();
        let sentence = error.sentence(&path.display().to_string());
        let failure = Self::from_library(error.class(), sentence, error.hint());
        let failure = if error.names_file() { failure.naming(&path) } else { failure };
        match error.into_problem() {
            Problem::File(error) => error.into(),
            Problem::Sealing(error) => Self::sealing(error),
            Problem::Caller(error) => error.downcast().map_or(failure, |given| *given),
            _ => failure,
        }
    }
}

/// The output is there, and was not to be replaced.
pub(crate) fn already_exists(path: &Path) -> Failure {
    LocalError::new(path, Problem::Exists).into()
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        Self::from_library(Class::KeyFile, without_isolates(&error.to_string()), error.hint())
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::from_file(error, |class| class)
    }
}

/// The failure for an error of an object.
#[cfg(feature = "stores")]
pub(crate) fn store_failure(what: &str, error: &polyseal_object_store::remote::Error) -> Failure {
    Failure::from_library(error.class(), error.sentence(what), error.hint())
        .naming(error.name().as_ref())
}

#[cfg(test)]
mod page;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_age_says() {
        let said = || FileError::Age("'\u{2068}age-plugin-x\u{2069}' died \u{1b}".to_owned());
        let failure = Failure::from(said());
        assert_eq!(failure.to_string(), r"polyseal: 'age-plugin-x' died \u{1b}");
        assert_eq!((failure.code, Failure::sealing(said()).code), (Code::NoKey, Code::Usage));
    }

    #[test]
    fn a_file_is_named_once() {
        let error = io::Error::from(io::ErrorKind::NotFound);
        let about = |path| Failure::io("read", "x".as_ref(), &error).about(Path::new(path)).message;
        assert_eq!(about("x"), "cannot read x: entity not found");
        assert_eq!(about("a"), "a: cannot read x: entity not found");
        // A short name stands in many a message.
        assert_eq!(Failure::usage("damaged").about(Path::new("a")).message, "a: damaged");
    }
}
