//! From the command line to recipients and identities: reads key files, recipients files, identity
//! files and passphrases, and remembers which files they were, so that no output replaces one.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use polyseal_file::age::{KeyProblem, MAX_KEYS_FILE_BYTES, RecipientList, parse_identities_with};
use polyseal_file::{
    Context, Decryptor, Header, Identities, Key, Passphrase, Recipients, RunOptions,
};
use polyseal_kms::{MAX_KEY_FILE_BYTES, key_from_file};
use polyseal_local::{FileId, Problem, was_interrupted};
use zeroize::Zeroizing;

use crate::args::{ContextArgs, EncryptArgs, OpenArgs, ReadArgs, RecipientArgs};
use crate::error::{Code, Failure, Result, shown};
use crate::file_io::InputFile;
use crate::keepers;
use crate::messages::{warn, warn_of_weak};
use crate::objects::expect_file;
use crate::platform;
use crate::prompt::{self, TerminalCallbacks};
use crate::secret;
use crate::streams::{expect_unread, is_standard_input};

/// A private key file of OpenSSH has no more bytes.
const MAX_SIGNING_KEY_BYTES: usize = 64 << 10;

/// The inputs that keys were read from.
#[derive(Debug)]
pub(crate) struct KeyInputs {
    files: Mutex<Vec<FileId>>,
    header: Option<FileId>,
    /// Each stands where the next passphrase from it begins.
    descriptors: Vec<(u32, Mutex<File>)>,
}

impl KeyInputs {
    /// Opens the descriptors that passphrases will come from. From then on no program that is
    /// started inherits one: a passphrase is not meant for age's plugins.
    pub(crate) fn new(passphrases: [Option<u32>; 2]) -> Result<Self> {
        let mut sources = Self { files: Mutex::default(), header: None, descriptors: Vec::new() };
        for fd in passphrases.into_iter().flatten() {
            // Two passphrases may come from one, one after the other.
            if sources.descriptors.iter().all(|(other, _)| *other != fd) {
                let file = prompt::descriptor(fd)?;
                let id = platform::file_id(&file);
                let id = id.map_err(|error| prompt::descriptor_failure(fd, &error))?;
                lock(&sources.files).extend(id);
                sources.descriptors.push((fd, Mutex::new(file)));
            }
        }
        platform::keep_descriptors();
        Ok(sources)
    }

    /// Files that an output must not be.
    pub(crate) fn forbidden_outputs(&self) -> Vec<(FileId, &'static str)> {
        let files = lock(&self.files).clone();
        let keys = files.into_iter().map(|id| (id, "a file of keys or passphrases"));
        keys.chain(self.header.map(|id| (id, "the header"))).collect()
    }

    fn read(&self, path: &Path, what: &str, limit: usize) -> Result<Zeroizing<Vec<u8>>> {
        let (bytes, id) = secret::read(path, what, limit)?;
        lock(&self.files).extend(id);
        Ok(bytes)
    }

    /// A private key that signs. No output replaces its file.
    pub(crate) fn signing_key(&self, path: &Path) -> Result<Zeroizing<Vec<u8>>> {
        self.read(path, "signing key", MAX_SIGNING_KEY_BYTES)
    }

    /// The header that is kept in a file of its own, and that file.
    pub(crate) fn header(&mut self, path: &Path) -> Result<Header> {
        expect_file(path)?;
        let mut input = InputFile::open(Some(path))?;
        let header = Header::read(&mut input).map_err(|error| Failure::from(error).about(path))?;
        let behind = input.read(&mut [0]).map_err(|error| Failure::io("read", path, &error))?;
        if behind > 0 {
            return Err(polyseal_local::Error::new(path, Problem::MoreThanHeader).into());
        }
        self.header = input.id();
        Ok(header)
    }

    fn key(&self, path: &Path) -> Result<Key> {
        let key = self.key_of_any_strength(path)?;
        if !key.looks_random() {
            warn_of_weak(path);
        }
        Ok(key)
    }

    /// A key file of either kind. The keeper of a wrapped one is called.
    fn key_of_any_strength(&self, path: &Path) -> Result<Key> {
        let bytes = self.read(path, "key file", MAX_KEY_FILE_BYTES)?;
        let key = key_from_file(&bytes, &keepers::settings());
        key.map_err(|error| Failure::from(error).about(path))
    }

    /// The first line of the file that a variable names.
    fn passphrase_in(&self, path: &Path) -> Result<Passphrase> {
        // The value may be the passphrase itself: no message has it.
        let name = Path::new("the file that POLYSEAL_PASSPHRASE_FILE names");
        let failure = |error: io::Error| Failure::io("read", name, &error);
        let mut file = platform::open(path).map_err(failure)?;
        expect_unread(&file, is_standard_input(path), format_args!("the passphrase"))?;
        lock(&self.files).extend(platform::file_id(&file).map_err(failure)?);
        let line = prompt::next_line(&mut file).map_err(failure)?;
        // Their first line is a comment that everybody knows, or the key itself.
        if KEYS_BEGIN.iter().any(|begin| line.starts_with(begin)) {
            let message = format!("{} is a file of keys, and has no passphrase", name.display());
            return Err(Failure::usage(message)
                .hint("POLYSEAL_KEY_FILE or POLYSEAL_IDENTITY_FILE names it"));
        }
        Ok(Passphrase::new(line)?)
    }

    /// The next passphrase from `fd`, one of those that [`new`](Self::new) was given.
    fn passphrase(&self, fd: u32) -> Result<Passphrase> {
        let given = self.descriptors.iter().find(|(other, _)| *other == fd);
        let (_, file) = given.ok_or_else(|| prompt::not_given(fd))?;
        prompt::passphrase_from(fd, &mut lock(file))
    }
}

/// How key files and identity files begin.
const KEYS_BEGIN: [&[u8]; 5] =
    [b"# ", b"polyseal-key-", b"AGE-SECRET-KEY-", b"AGE-PLUGIN-", b"-----BEGIN "];

/// Where a passphrase for a new file comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NewPassphrase<'a> {
    None,
    Asked,
    From(u32),
    In(&'a Path),
}

impl<'a> NewPassphrase<'a> {
    pub(crate) fn new(args: &RecipientArgs, fd: Option<u32>, file: Option<&'a Path>) -> Self {
        match (fd, file) {
            (Some(fd), _) => Self::From(fd),
            (None, _) if args.passphrase => Self::Asked,
            (None, Some(file)) => Self::In(file),
            (None, None) => Self::None,
        }
    }
}

/// Everyone who is named. A passphrase is asked for last, when all else is known to be right.
pub(crate) fn recipients(
    args: &RecipientArgs,
    keys: &[PathBuf],
    identities: &[PathBuf],
    passphrase: NewPassphrase<'_>,
    sources: &KeyInputs,
) -> Result<Recipients> {
    recipients_and_passphrase(args, keys, identities, passphrase, sources).map(|(all, _)| all)
}

/// The same, and the passphrase if there is one.
pub(crate) fn recipients_and_passphrase(
    args: &RecipientArgs,
    keys: &[PathBuf],
    identities: &[PathBuf],
    passphrase: NewPassphrase<'_>,
    sources: &KeyInputs,
) -> Result<(Recipients, Option<Passphrase>)> {
    let mut recipients = Recipients::new();
    for path in keys {
        recipients = recipients.key(sources.key(path)?);
    }
    let mut list = RecipientList::new().with_plugins(keepers::plugins());
    if args.skip_unsupported {
        list = list.skip_unsupported();
    }
    for recipient in &args.recipient {
        list.add(recipient.trim()).map_err(|error| {
            let failure = Failure::from(error);
            if Path::new(recipient).exists() {
                failure.hint("read a file with -R")
            } else {
                failure
            }
        })?;
    }
    for path in &args.recipients_file {
        let contents = sources.read(path, "recipients file", MAX_KEYS_FILE_BYTES)?;
        list.add_file(&contents, path.to_str()).map_err(|error| {
            let can_be_skipped =
                matches!(error.problem(), KeyProblem::SshType(_) | KeyProblem::SshRsaSize);
            let failure = Failure::from(error);
            if can_be_skipped {
                failure.hint("--skip-unsupported leaves such keys out, and encrypts to the others")
            } else {
                failure
            }
        })?;
    }
    for skipped in list.skipped() {
        warn(&shown(&format!("left out: {skipped}")));
    }
    for path in identities {
        let contents = sources.read(path, "identity file", MAX_KEYS_FILE_BYTES)?;
        list.add_identities(&contents, path.to_str(), &TerminalCallbacks)?;
    }
    if !matches!(passphrase, NewPassphrase::None) && (!list.is_empty() || !keys.is_empty()) {
        return Err(polyseal_file::Error::PassphraseNotAlone.into());
    }
    recipients = recipients.age(list.into_recipients(&TerminalCallbacks)?);
    let passphrase = match passphrase {
        NewPassphrase::None => return Ok((recipients, None)),
        NewPassphrase::Asked => prompt::new_passphrase()?,
        NewPassphrase::From(fd) => sources.passphrase(fd)?,
        NewPassphrase::In(path) => sources.passphrase_in(path)?,
    };
    Ok((recipients.passphrase(passphrase.clone()), Some(passphrase)))
}

/// Everything that is given to open files with. If it is nothing, a passphrase is asked for when a
/// file has one; once, for all files.
fn identities(args: &OpenArgs, ask: bool, sources: &KeyInputs) -> Result<Identities<'static>> {
    let mut identities = Identities::new();
    let plugins = keepers::plugins();
    for path in &args.key {
        identities = identities.key(sources.key(path)?);
    }
    for path in &args.identity {
        let contents = sources.read(path, "identity file", MAX_KEYS_FILE_BYTES)?;
        let name = path.to_str();
        let parsed = parse_identities_with(&contents, name, &TerminalCallbacks, &plugins)?;
        identities = identities.age(parsed);
    }
    let given = match (args.passphrase_fd, &args.passphrase_file) {
        (Some(fd), _) => Some(sources.passphrase(fd)?),
        (None, Some(path)) => Some(sources.passphrase_in(path)?),
        (None, None) => None,
    };
    if let Some(given) = given {
        identities = identities.passphrase(move || Ok(given.clone()));
    } else if ask || (args.key.is_empty() && args.identity.is_empty()) {
        let asked = Mutex::new(None::<Passphrase>);
        identities = identities.passphrase(move || {
            // Several files may need it at the same moment: the first of them asks.
            let mut asked = lock(&asked);
            if asked.is_none() {
                *asked = Some(prompt::passphrase()?);
            }
            asked.clone().ok_or(polyseal_file::Error::PassphraseNeeded)
        });
    }
    Ok(identities)
}

/// All that a tree is encrypted with and that opens it again: none, if that is recipients alone.
pub(crate) fn identities_to_update(
    args: &EncryptArgs,
    passphrase: Option<Passphrase>,
    sources: &KeyInputs,
) -> Result<Option<Identities<'static>>> {
    if args.key.is_empty() && args.identity.is_empty() && passphrase.is_none() {
        return Ok(None);
    }
    let open = OpenArgs {
        key: args.key.clone(),
        identity: args.identity.clone(),
        passphrase_fd: None,
        passphrase_file: None,
    };
    let given = identities(&open, false, sources)?;
    Ok(Some(match passphrase {
        None => given,
        Some(passphrase) => given.passphrase(move || Ok(passphrase.clone())),
    }))
}

/// New key files, or a new passphrase, to see whether a file opens with them already.
pub(crate) fn identities_of(
    keys: &[PathBuf],
    passphrase: Option<Passphrase>,
    sources: &KeyInputs,
) -> Result<Identities<'static>> {
    let new = keys.iter().try_fold(Identities::new(), |identities, path| {
        Ok::<_, Failure>(identities.key(sources.key_of_any_strength(path)?))
    })?;
    Ok(match passphrase {
        None => new,
        Some(passphrase) => new.passphrase(move || Ok(passphrase.clone())),
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ContextArgs {
    pub(crate) fn get(&self) -> Result<Option<Context>> {
        Ok(self.context.as_deref().map(Context::new).transpose()?)
    }
}

/// Everything that opening files takes.
#[derive(Debug)]
pub(crate) struct DecryptInputs {
    pub(crate) identities: Identities<'static>,
    pub(crate) sources: KeyInputs,
    context: Option<Context>,
    /// The header that is kept apart from its payload.
    pub(crate) header: Option<Header>,
    run: RunOptions<'static>,
    /// Nothing was given, but perhaps a passphrase when it is asked for.
    empty: bool,
}

impl DecryptInputs {
    pub(crate) fn new(
        args: &OpenArgs,
        ask: bool,
        context: Option<Context>,
        run: RunOptions<'static>,
        sources: KeyInputs,
    ) -> Result<Self> {
        let identities = identities(args, ask, &sources)?;
        let named = !args.key.is_empty() || !args.identity.is_empty();
        let passphrase = args.passphrase_fd.is_some() || args.passphrase_file.is_some();
        let empty = !(ask || named || passphrase);
        Ok(Self { identities, sources, context, header: None, run, empty })
    }

    pub(crate) fn to_read(args: &ReadArgs, run: RunOptions<'static>) -> Result<Self> {
        let sources = KeyInputs::new([args.open.passphrase_fd, None])?;
        let context = args.context.get()?;
        let mut inputs = Self::new(&args.open, args.ask.passphrase, context, run, sources)?;
        if let Some(path) = &args.header {
            inputs.header = Some(inputs.sources.header(path)?);
        }
        Ok(inputs)
    }

    /// Whether anything was given to open files with.
    pub(crate) fn has_keys(&self) -> bool {
        !self.empty
    }

    /// The failure for an error of the library.
    pub(crate) fn explain(&self, error: polyseal_local::Error) -> Failure {
        let path = error.path().to_owned();
        match error.into_problem() {
            Problem::File(error) => self.explain_file(error, &path),
            problem => polyseal_local::Error::new(&path, problem).into(),
        }
    }

    /// The same, of one of many files: which it is about is said, too.
    pub(crate) fn explain_with_path(&self, error: polyseal_local::Error) -> Failure {
        let path = error.path().to_owned();
        self.explain(error).about(&path)
    }

    /// The failure for `file` that does not open.
    pub(crate) fn explain_file(&self, error: polyseal_file::Error, file: &Path) -> Failure {
        use polyseal_file::Error::{Corrupt, Truncated};
        let apart = self.header.is_some() && matches!(error, Corrupt { .. } | Truncated);
        let failure = match error {
            polyseal_file::Error::NoMatchingKey if self.empty => {
                Failure::new(Code::NoKey, "no key was given")
                    .hint("use -k KEYFILE or -i IDENTITY; polyseal inspect shows what it is for")
            }
            other => other.into(),
        };
        if was_interrupted(file) {
            return failure
                .also("a rekey of it was interrupted, try first: polyseal rekey --restore FILE");
        }
        if apart {
            return failure.also("with --header, it must be the payload of that header alone");
        }
        failure
    }

    pub(crate) fn decryptor(&self) -> Decryptor<'_> {
        let mut decryptor = Decryptor::new(&self.identities).running(self.run);
        if let Some(context) = &self.context {
            decryptor = decryptor.context(context);
        }
        if let Some(header) = &self.header {
            decryptor = decryptor.detached_header(header);
        }
        decryptor
    }
}
