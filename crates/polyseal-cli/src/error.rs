//! Every failure: what happened, what to do about it, and the exit code that scripts rely on.

use std::cmp::Ordering;
use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use polyseal_file::age::{KeyError, KeyProblem, PluginError, PluginProblem};
use polyseal_file::{Error as FileError, KeyFileError};

pub(crate) type Result<T = ()> = std::result::Result<T, Failure>;

/// The exit codes. Of many files, the gravest counts: what may be an attack comes before what may
/// be the wrong key, and both before what the system or the command line is to blame for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// The operating system refused something.
    Io = 1,
    /// What was asked for cannot be done.
    Usage = 2,
    /// The input is not authentic, not well-formed, or not what it should be.
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
        match error.kind() {
            io::ErrorKind::NotFound if what.starts_with("read") => failure.hint("check the path"),
            _ => failure.hint_for(error),
        }
    }

    /// What happened, without what to do about it.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same, and of which file it is said.
    pub(crate) fn about(mut self, path: &Path) -> Self {
        if self.path.as_deref() != Some(path) {
            self.message = format!("{}: {}", path.display(), self.message);
        }
        self
    }

    /// The same, with what else may help.
    pub(crate) fn also(mut self, hint: &str) -> Self {
        self.hint =
            Some(self.hint.map_or_else(|| hint.to_owned(), |first| format!("{first}; {hint}")));
        self
    }

    /// What goes wrong where recipients are encrypted to: what age says there is not of keys that
    /// open something.
    pub(crate) fn sealing(error: FileError) -> Self {
        let says = matches!(error, FileError::Age(_) | FileError::AgePlugin(_));
        let failure = Self::from(error);
        // What is of the system stays so.
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
            K::IsADirectory => self.hint(
                "a directory takes --recursive and -o OUT, or tar -c DIR | polyseal encrypt …",
            ),
            _ => self,
        }
    }
}

/// Whether a character may make a terminal show something else than the text: control characters,
/// and those that change the direction of what follows.
pub(crate) fn misleads(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Text that may come from a file or its name, as a terminal may see it: characters that mislead
/// are spelt out, so that it can neither move the cursor nor begin a line of its own; and keys are
/// withheld.
pub(crate) fn shown(text: &str) -> String {
    let text = &without_secrets(text);
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if misleads(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// How texts begin that are secret: the keys of this tool, and the identities of age, in either
/// case, and of its plugins, in theirs: in lower case, that is the name of a program.
const SECRETS: [(&str, bool); 3] =
    [("polyseal-key-1-", false), ("age-secret-key-", false), ("AGE-PLUGIN-", true)];

/// The first secret of `text`, from its first byte to behind its last. How secrets begin is none.
fn first_secret(text: &str) -> Option<Range<usize>> {
    let Plain { text: plain, places } = &Plain::of(text);
    let lower = plain.to_ascii_lowercase();
    let is_key = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let find = |(secret, as_it_is): (&str, bool)| {
        let found = if as_it_is { plain } else { &lower }.match_indices(secret);
        let end = |at: usize| plain[at..].find(|c| !is_key(c)).map_or(plain.len(), |end| at + end);
        found.map(|(at, _)| at..end(at)).find(|place| place.len() > secret.len() + 8)
    };
    // A private key of SSH or of anything else, which has many lines: nothing after it is shown.
    let private = lower.find("-----begin ").filter(|&at| lower[at..].contains("private key"));
    let body = lower.find("b3blbnnzac1rzxk");
    let to_the_end = [private, body].into_iter().flatten().min().map(|at| at..plain.len());
    let found = SECRETS.into_iter().filter_map(find).chain(to_the_end);
    found.min_by_key(|place| place.start).map(|place| places[place.start]..places[place.end])
}

/// A text with `-` for every dash and hyphen that a word processor puts there, and without those
/// that it hides in a word.
struct Plain {
    text: String,
    /// Where each byte of it comes from; and the end.
    places: Vec<usize>,
}

impl Plain {
    fn of(from: &str) -> Self {
        let (mut text, mut places) = (String::new(), Vec::new());
        for (at, character) in from.char_indices() {
            match character {
                '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => continue,
                '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => {
                    text.push('-');
                }
                other => text.push(other),
            }
            places.resize(text.len(), at);
        }
        places.push(from.len());
        Self { text, places }
    }
}

/// Whether `text` may be a key in hexadecimal, such as that of a raw key file. So may be the name
/// of a file that is called by its hash: this is asked only where no such name belongs.
pub(crate) fn is_hexadecimal_key(text: &str) -> bool {
    text.len() >= 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `text` without what may be a key in hexadecimal, for messages in which nobody needs a hash.
pub(crate) fn without_hexadecimal_keys(text: &str) -> String {
    let is_digit = |c: char| c.is_ascii_hexdigit();
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find(is_digit) {
        let end = rest[start..].find(|c| !is_digit(c)).map_or(rest.len(), |length| start + length);
        kept.push_str(&rest[..start]);
        let digits = &rest[start..end];
        kept.push_str(if is_hexadecimal_key(digits) { "(withheld)" } else { digits });
        rest = &rest[end..];
    }
    kept + rest
}

/// `text` without the keys in it: where the name of a file belongs, some are given by mistake, and
/// what is printed may be kept in a log.
pub(crate) fn without_secrets(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(Range { start, end }) = first_secret(rest) {
        kept.push_str(&rest[..start]);
        kept.push_str("(a key, withheld)");
        rest = &rest[end..];
    }
    kept + rest
}

/// Whether `path` is a key itself, and not the name of a file.
pub(crate) fn is_secret(path: &Path) -> bool {
    first_secret(&path.to_string_lossy()).is_some_and(|place| place.start == 0)
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

/// What a stream of ours says by way of an I/O error.
fn unwrapped(error: io::Error) -> std::result::Result<Failure, io::Error> {
    error.downcast::<Failure>().or_else(|error| error.downcast::<FileError>().map(Failure::from))
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
                "take what `polyseal encrypt` or age wrote; a payload alone needs its --header",
            ),
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
                .hint("whoever guesses it could do what the others can: leave some of them out"),
            FileError::MixedRecipients => failure(Code::Usage)
                .hint("the weaker would undo the stronger: leave some of them out"),
            FileError::Passphrase | FileError::AgePassphrase | FileError::Context => {
                failure(Code::Usage)
            }
            FileError::Stretch => failure(Code::Io),
            FileError::Age(_) => failure(Code::NoKey),
            FileError::AgePlugin(error) => of_plugin(error),
            FileError::AgeTries => {
                failure(Code::NoKey).hint("give only the identities that it may be for, with -i")
            }
            FileError::Suite(_) | FileError::SuiteOfSegments(_) => Self::usage(
                without_hexadecimal_keys(&error.to_string()),
            )
            .hint("`polyseal suites` lists those that are for files; or say what you --need"),
            FileError::SegmentSize(_) | FileError::OutputNotEmpty => failure(Code::Usage),
            FileError::KeyFile(problem) => failure(Code::Usage).hint(key_file_hint(problem)),
            _ => failure(Code::Content)
                .hint("nothing of it can be trusted; get the file again or use a backup"),
        }
    }
}

/// A plugin that refuses says something of keys; one that fails does not. Its words, which may be
/// several lines, become one.
fn of_plugin(error: &PluginError) -> Failure {
    let code = match error.problem() {
        PluginProblem::Refused(_) => Code::NoKey,
        _ => Code::Io,
    };
    let text = error.to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Failure::new(code, lines.collect::<Vec<_>>().join(" / "))
}

/// What to do about a file that is no key file. Only where there is none is a new one proposed: it
/// does not open what another encrypted.
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
        KeyFileError::SeveralKeys => "give each a file of its own, and -k for each",
        KeyFileError::Identity => "give it with -i",
        KeyFileError::Recipient => "give it with -r, or a file of such with -R",
        KeyFileError::Password | KeyFileError::BadLine(_) => {
            "a passphrase is given with -p or --passphrase-fd; a file to encrypt or open, without -k"
        }
        _ => "a key file is what polyseal keygen wrote, or the 32 bytes of a key",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_age_says() {
        let said = || FileError::Age("'\u{2068}age-plugin-x\u{2069}' died \u{1b}".to_owned());
        let opening = Failure::from(said());
        assert_eq!(opening.to_string(), r"polyseal: 'age-plugin-x' died \u{1b}");
        assert_eq!((opening.code, Failure::sealing(said()).code), (Code::NoKey, Code::Usage));
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
