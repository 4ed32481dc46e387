//! Every failure: the message, the hint, and the exit code that scripts rely on.

use std::cmp::Ordering;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use polyseal_file::age::{
    KeeperError, KeeperErrorClass, KeyError, KeyProblem, PluginError, PluginProblem,
};
use polyseal_file::manifest::Problem as ManifestProblem;
use polyseal_file::{Error as FileError, KeyFileError};
use polyseal_local::secrets::without_hexadecimal_keys;
pub(crate) use polyseal_local::shown;
use polyseal_local::{BackupProblem, Error as LocalError, Problem, SUFFIX};

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
}

impl Code {
    const BY_GRAVITY: [Self; 4] = [Self::Usage, Self::Io, Self::NoKey, Self::Content];

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

impl From<KeeperErrorClass> for Code {
    fn from(class: KeeperErrorClass) -> Self {
        match class {
            KeeperErrorClass::Usage => Self::Usage,
            KeeperErrorClass::System => Self::Io,
            KeeperErrorClass::NoKey => Self::NoKey,
            KeeperErrorClass::Content => Self::Content,
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

    /// `cannot <what> <path>: <reason>`.
    pub(crate) fn io(what: &str, path: &Path, error: &io::Error) -> Self {
        let message = format!("cannot {what} {}: {}", path.display(), reason(error));
        let failure = Self { path: Some(path.to_owned()), ..Self::new(Code::Io, message) };
        if let Some(hint) = too_long(path, error) {
            return failure.hint(hint);
        }
        match error.kind() {
            io::ErrorKind::NotFound if what.starts_with("read") => failure.hint("check the path"),
            _ => failure.hint_for(error),
        }
    }

    /// The message, without the hint.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same, and of which file it is said.
    pub(crate) fn about(mut self, path: &Path) -> Self {
        if !path.as_os_str().is_empty() && self.path.as_deref() != Some(path) {
            self.message = format!("{}: {}", path.display(), self.message);
        }
        self
    }

    /// The same, with one more hint.
    pub(crate) fn also(mut self, hint: &str) -> Self {
        self.hint =
            Some(self.hint.map_or_else(|| hint.to_owned(), |first| format!("{first}; {hint}")));
        self
    }

    /// age errors while encrypting are usage errors.
    pub(crate) fn sealing(error: FileError) -> Self {
        let says = matches!(error, FileError::Age(_) | FileError::AgePlugin(_));
        let failure = Self::from(error);
        // The system's errors stay what they are.
        let of_keys = says && failure.code == Code::NoKey;
        Self { code: if of_keys { Code::Usage } else { failure.code }, ..failure }
    }

    /// Tells it, where the work goes on.
    pub(crate) fn tell(&self) {
        // Nothing can be done about a standard error that is closed.
        let _ = writeln!(io::stderr(), "{self}");
    }

    fn hint_for(self, error: &io::Error) -> Self {
        use io::ErrorKind as K;
        match error.kind() {
            K::NotFound => self.hint("the directory must exist"),
            K::PermissionDenied => self.hint("check who owns it and its permissions"),
            K::StorageFull | K::QuotaExceeded => self.hint("free some space, then run it again"),
            K::FileTooLarge => self.hint("raise the limit on file sizes, or write elsewhere"),
            K::ReadOnlyFilesystem => self.hint("write to another place with -o"),
            K::IsADirectory => self.hint(NAME_A_FILE),
            _ => self,
        }
    }

    /// The same, with this hint about a directory, if one was to be read.
    pub(crate) fn or_of_directory(self, hint: &str) -> Self {
        if self.hint.as_deref() == Some(NAME_A_FILE) { self.hint(hint) } else { self }
    }
}

/// The advice where a directory was named and nothing but a file can be.
const NAME_A_FILE: &str = "name a file in it";

/// The longest name of a file, in bytes, nearly everywhere.
const MAX_NAME_BYTES: usize = 255;

/// The advice for a name that is too long, if it is.
fn too_long(path: &Path, error: &io::Error) -> Option<String> {
    let name = path.file_name().is_some_and(|name| name.len() > MAX_NAME_BYTES);
    if name {
        let before = MAX_NAME_BYTES - SUFFIX.len();
        return Some(format!(
            "a name has at most {MAX_NAME_BYTES} bytes, {before} before {SUFFIX}"
        ));
    }
    let whole = error.kind() == io::ErrorKind::InvalidFilename;
    whole.then(|| "name it from a folder that is nearer to it: its path is too long".to_owned())
}

/// Age sets names off with these characters, which would be spelt out.
fn without_isolates(text: &str) -> String {
    text.replace(['\u{2068}', '\u{2069}'], "")
}

/// The system's words without Rust's "(os error 2)".
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
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
        let (path, text) = (error.path().to_owned(), error.to_string());
        let failure = |code, hint: &str| {
            // Callers prefix the file name.
            let name = format!("{}: ", shown(&path.display().to_string()));
            let failure = match text.strip_prefix(&name) {
                Some(rest) => Self::new(code, rest),
                None => Self { path: Some(path.clone()), ..Self::new(code, &text) },
            };
            if hint.is_empty() { failure } else { failure.hint(hint) }
        };
        let torn = "put it back: polyseal rekey --restore FILE";
        match error.into_problem() {
            Problem::Io { what, source } => Self::io(what, &path, &source),
            Problem::File(error) => error.into(),
            Problem::Sealing(error) => Self::sealing(error),
            #[cfg(feature = "stores")]
            Problem::Store { what, source, .. } => {
                let failure = source.downcast().map_or_else(
                    |source| Self::new(Code::Io, format!("cannot {what} {source}")),
                    |error| store_failure(what, &error),
                );
                Self { path: Some(path), ..failure }
            }
            Problem::Caller(error) => match error.downcast::<Self>() {
                Ok(failure) => *failure,
                Err(error) => Self::new(Code::Io, error.to_string()),
            },
            Problem::Torn(source) => Self::io("write", &path, &source).hint(torn),
            problem => {
                let (code, hint) = code_and_hint(&problem);
                failure(code, hint)
            }
        }
    }
}

/// The output is there, and was not to be replaced.
pub(crate) fn already_exists(path: &Path) -> Failure {
    LocalError::new(path, Problem::Exists).into()
}

/// The exit code and the hint for a problem with files.
fn code_and_hint(problem: &Problem) -> (Code, &'static str) {
    match problem {
        Problem::Exists => (Code::Usage, "use -f to replace it, or write elsewhere with -o"),
        Problem::DanglingLink => (Code::Usage, "name the file itself"),
        Problem::NoSuchDirectory => {
            (Code::Usage, "make it first, or leave out the / at the end of the name")
        }
        Problem::NotAFile => (Code::Usage, "look at it first, or use -o with a new name"),
        Problem::NotRekeyable => (Code::Usage, "decrypt it and encrypt it anew"),
        Problem::NotWithAge(_) => {
            (Code::Usage, "leave it out; to get a Polyseal file, decrypt it and encrypt it anew")
        }
        Problem::MoreThanHeader => {
            (Code::Usage, "leave out --header for a file that begins with its header")
        }
        Problem::Forbidden(_) => (Code::Usage, "write to another file"),
        Problem::Changed => (
            Code::Io,
            "nothing was done to it: see who can write there and who can open it now, and run it \
             again",
        ),
        Problem::ChangedLength => (Code::Io, "run it again when nothing writes to the file"),
        Problem::Grew => (
            Code::Io,
            "run it again when nothing writes to the input, or let that pass: --allow-changed",
        ),
        Problem::Busy => (Code::Io, "run it again when that is done"),
        Problem::Interrupted => (Code::Usage, "put it back first: polyseal rekey --restore FILE"),
        Problem::BadBackup(why) => {
            let code = match why {
                BackupProblem::NoHeader(_) => Code::Content,
                BackupProblem::Unread(_) => Code::Io,
                _ => Code::Usage,
            };
            (code, "if the file opens, remove the copy; if it is damaged, keep both")
        }
        Problem::BackupNameTaken(_) => (
            Code::Usage,
            "rekey --in-place keeps a copy under that name; see what this is and who has put it \
             there, then move it away",
        ),
        Problem::NoManifest => {
            (Code::Content, "name single files, or a list of them: --files-from")
        }
        Problem::Manifest(ManifestProblem::UnboundContents) => (
            Code::Usage,
            "--allow-unbound-contents takes it all the same; rekey --recursive --bind-contents \
             writes one that binds them",
        ),
        Problem::Manifest(_) => (Code::Content, "use a backup, or a newer polyseal"),
        Problem::Missing => (Code::Content, "use a backup"),
        Problem::Added => (Code::Content, "if you know it, open it by itself; if not, remove it"),
        Problem::AddedCopy => {
            (Code::Content, "put the headers back first: polyseal rekey --restore --recursive DIR")
        }
        Problem::OtherContents => (Code::Content, "ask who can open it, and use a backup"),
        Problem::OtherFile => {
            (Code::Content, "it has been renamed, or is an older or a newer one: use a backup")
        }
        Problem::LinkLeadsOut(_) => {
            (Code::Usage, "it was not made: make it yourself if you mean it")
        }
        Problem::Nested(_) => (Code::Usage, "write to a directory outside of it"),
        Problem::NotEmpty => {
            (Code::Usage, "name a new directory, or use -f to replace files of the same names")
        }
        Problem::Occupied(_) => {
            (Code::Usage, "name another prefix, or use -f to replace objects of the same names")
        }
        Problem::InAStore => (Code::Usage, "download it for that; or encrypt it anew"),
        Problem::NotADirectory => (Code::Usage, ""),
        Problem::NotOurs => {
            (Code::Usage, "name a new directory, or use -f: then only you can read the new files")
        }
        Problem::Appeared => {
            (Code::Io, "somebody else may have put it there: write to a folder of your own")
        }
        Problem::ReservedName => (Code::Usage, "rename it"),
        Problem::SameName(_) => (Code::Usage, "rename one of them, or leave it out: --exclude"),
        Problem::OneFile(_) => {
            (Code::Usage, "rename one of them, or leave it out: nothing was replaced")
        }
        Problem::LeadsOut => (Code::Usage, "with -o, name files by their paths from here"),
        Problem::Special => (Code::Usage, "leave it out: --exclude"),
        _ => (Code::Io, ""),
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        let failure = Self::usage(without_isolates(&error.to_string()));
        match error.problem() {
            KeyProblem::KeyFileAsIdentity => failure.hint("give it with -k"),
            _ => failure,
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let error = match error {
            FileError::Io { what, source } => match unwrapped(source) {
                Ok(failure) => return failure,
                Err(source) => FileError::Io { what, source },
            },
            other => other,
        };
        let failure = |code| Self::new(code, without_isolates(&error.to_string()));
        match &error {
            FileError::Io { what, source } => {
                Self::new(Code::Io, format!("cannot {what}: {}", reason(source))).hint_for(source)
            }
            FileError::InputChanged => {
                failure(Code::Io).hint("run it again when nothing writes to the input")
            }
            FileError::TooLong | FileError::Random => failure(Code::Io),
            FileError::NotAPolysealFile | FileError::NotArmored => failure(Code::Content).hint(
                "give a file that `polyseal encrypt` or age wrote; a payload alone needs --header",
            ),
            FileError::Armored => failure(Code::Usage).hint("decrypt all of it: polyseal decrypt"),
            FileError::AgeVersion => {
                failure(Code::Content).hint("use a newer polyseal or age, if the file is intact")
            }
            FileError::AgeWork { .. } => failure(Code::Content)
                .hint("if you know who made it, decrypt it with age and encrypt it anew"),
            FileError::AgeKeyFile => failure(Code::Usage)
                .hint("use -r RECIPIENT or -p; a Polyseal file can be for a key file"),
            FileError::Armor(_) => failure(Code::Content)
                .hint("leave nothing before its first line, behind its last, or in between"),
            FileError::Corrupt { .. } | FileError::CutShort | FileError::Extended => failure(
                Code::Content,
            )
            .hint(
                "get the file again or use a backup; no file was written, and to a pipe only what \
                 comes before and is authentic",
            ),
            FileError::UnsupportedVersion(_) => {
                failure(Code::Content).hint("use a newer polyseal, if the file is intact")
            }
            FileError::NoMatchingKey => failure(Code::NoKey).hint(
                "use the key it was encrypted for, -k KEYFILE or -i IDENTITY; \
                 or its header is damaged",
            ),
            FileError::PassphraseNeeded => failure(Code::NoKey).hint(
                "give it when asked at a terminal, or with --passphrase-fd, and no other key",
            ),
            FileError::WrongPassphrase => {
                failure(Code::NoKey).hint("try again; or the header is damaged")
            }
            FileError::ContextMissing | FileError::ContextDiffers => {
                failure(Code::NoKey).hint("give the one it was encrypted with: --context TEXT")
            }
            FileError::ContextUnexpected => failure(Code::NoKey)
                .hint("it may not be the file you mean; if it is, leave out --context"),
            FileError::NoRecipients => failure(Code::Usage)
                .hint("use -r RECIPIENT, -p for a passphrase, or -k KEYFILE from polyseal keygen"),
            FileError::TooManyRecipients => failure(Code::Usage).hint(
                "there are at most 128, and fewer of the larger kinds; encrypt --header-size and \
                 rekey --new-key make room",
            ),
            FileError::PassphraseNotAlone => failure(Code::Usage)
                .hint("anyone who guesses the passphrase gets what the others protect: give fewer"),
            FileError::MixedRecipients => failure(Code::Usage)
                .hint("the weaker would undo the stronger: leave some of them out"),
            FileError::Passphrase | FileError::AgePassphrase | FileError::Context => {
                failure(Code::Usage)
            }
            FileError::Stretch => failure(Code::Io),
            FileError::Age(_) => failure(Code::NoKey),
            FileError::AgePlugin(error) => plugin_failure(error),
            FileError::Keeper(error) => keeper_failure(error),
            FileError::AgeTries => {
                failure(Code::NoKey).hint("give only the identities that it may be for, with -i")
            }
            FileError::Suite(_) | FileError::SuiteOfSegments(_) => {
                Self::usage(without_hexadecimal_keys(&error.to_string()))
                    .hint("`polyseal suites` lists the suites for files; --need chooses one")
            }
            FileError::SuiteLeftOut { .. } => failure(Code::Usage)
                .hint("use a polyseal with all suites: docs/install.md says how to get one"),
            FileError::SegmentSize(_) | FileError::OutputNotEmpty => failure(Code::Usage),
            FileError::KeyFile(problem) => failure(Code::Usage).hint(key_file_hint(problem)),
            _ => failure(Code::Content)
                .hint("nothing of it can be trusted; get the file again or use a backup"),
        }
    }
}

/// The failure for an error of an object.
#[cfg(feature = "stores")]
pub(crate) fn store_failure(what: &str, error: &polyseal_object_store::remote::Error) -> Failure {
    use polyseal_object_store::remote::Problem;

    let (code, hint) = match error.problem() {
        Problem::NoName(_) => (Code::Usage, "use scheme://bucket/key; see docs/stores.md"),
        Problem::Password => (Code::Usage, "credentials come from the environment"),
        Problem::Setup(_) => (Code::Usage, "docs/stores.md lists the environment variables"),
        Problem::NoLists => (Code::Usage, "download it, or name its files one by one"),
        Problem::ReadOnly => (Code::Usage, "write to s3://, gs:// or az://"),
        Problem::Exists => (Code::Usage, "use -f to replace it, or write elsewhere with -o"),
        Problem::NoRanges => (Code::Usage, "decrypt all of it: polyseal decrypt"),
        Problem::NoTag => {
            (Code::Usage, "without one, a write by somebody else could be lost: encrypt it again")
        }
        Problem::NoCopies | Problem::NoConditions => {
            (Code::Usage, "decrypt it and encrypt it anew")
        }
        Problem::NotFound => (Code::Io, "check the bucket and the key"),
        Problem::Credentials | Problem::Permission => {
            (Code::Io, "credentials come from the environment: AWS_…, GOOGLE_… or AZURE_…")
        }
        _ => (Code::Io, ""),
    };
    let message = match error.problem() {
        // Before anything is done.
        Problem::NoName(why) => format!("{} names no object: {why}", error.name()),
        Problem::Exists => format!("{} already exists", error.name()),
        Problem::ReadOnly => format!("{} can only be read", error.name()),
        _ => format!("cannot {what} {error}"),
    };
    let failure = Failure::new(code, message);
    if hint.is_empty() { failure } else { failure.hint(hint) }
}

/// A plugin that refuses says something of keys; one that fails does not. Its words, which may be
/// several lines, become one.
fn plugin_failure(error: &PluginError) -> Failure {
    let code = match error.problem() {
        PluginProblem::Refused(_) => Code::NoKey,
        _ => Code::Io,
    };
    let text = error.to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Failure::new(code, lines.collect::<Vec<_>>().join(" / "))
}

/// The failure for an error of a private key's keeper.
pub(crate) fn keeper_failure(error: &KeeperError) -> Failure {
    let failure = Failure::new(error.class().into(), without_isolates(error.message()));
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// The hint about a file that is no key file. A new one is proposed only where there is none: it
/// does not open files of another key.
fn key_file_hint(problem: &KeyFileError) -> &'static str {
    match problem {
        KeyFileError::Empty | KeyFileError::NoKey => {
            "take a copy of it that has the key; a new one, from polyseal keygen, opens no old file"
        }
        KeyFileError::Length { .. } | KeyFileError::Digit(_) => {
            "copy the line again from where the key is kept, all of it"
        }
        KeyFileError::Version(_) => "use a newer polyseal, if the line is intact",
        KeyFileError::Utf16 => "iconv -f UTF-16 -t UTF-8 KEYFILE > NEW writes it so",
        KeyFileError::SeveralKeys => "write each key to its own file, and give -k for each",
        KeyFileError::Identity => "give it with -i",
        KeyFileError::Wrapped => "build polyseal with the feature kms",
        KeyFileError::Recipient => "give it with -r, or a file of such with -R",
        KeyFileError::Password | KeyFileError::BadLine(_) => {
            "a passphrase is given with -p or --passphrase-fd; a file to encrypt or open, without \
             -k"
        }
        _ => "a key file is the output of polyseal keygen, or the 32 bytes of a key",
    }
}

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
