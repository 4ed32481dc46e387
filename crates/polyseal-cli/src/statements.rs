//! Statements beside encrypted files: who signs one, and which signers are accepted.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use polyseal_file::statement::{
    AcceptedSigner, AllowedSigners, Binding, Coverage, NAMESPACE, Problem, RequiredSigner, SUFFIX,
    SegmentHashes, SignedStatement, Signer, Statement, TreeVersion,
};
use polyseal_file::{Error, ReadAt, find_program};
use polyseal_local::{Options, StatementAcceptor, StatementSigner};

use crate::args::{OutputArgs, SignerArgs};
use crate::error::{Failure, Result, shown};
use crate::file_io::{ForbiddenOutputs, OutputFile, OutputKind, STANDARD_INPUT};
use crate::keys::KeyInputs;
use crate::objects::{self, is_object};
use crate::streams::is_standard_input;

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The file that has the statement about this one.
pub(crate) fn beside(file: &Path) -> PathBuf {
    objects::with_suffix(file, SUFFIX)
}

/// A file or an object, read at offsets; `None` if it is not there.
pub(crate) fn at_offsets(path: &Path, what: &str) -> Result<Option<Box<dyn ReadAt + Send + Sync>>> {
    if is_object(path) {
        return Ok(objects::at_offsets(path)?.map(|object| Box::new(object) as _));
    }
    // A pipe that somebody has put there would be waited for.
    if std::fs::metadata(path).is_ok_and(|seen| !seen.is_file()) {
        return Err(Failure::io(what, path, &std::io::Error::other("it is no regular file")));
    }
    match File::open(path) {
        Ok(file) => Ok(Some(Box::new(file))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::io(what, path, &error)),
    }
}

/// The name, without the query of a URL.
fn shown_without_query(path: &Path) -> String {
    let text = path.display().to_string();
    match text.split_once('?').filter(|_| is_object(path)) {
        Some((name, _)) => format!("{name}?…"),
        None => text,
    }
}

/// The signers whose statements are accepted.
pub(crate) enum SignaturePolicy {
    /// Nobody asked for a signature.
    NotAsked,
    Required(Signers),
}

pub(crate) struct Signers {
    required: RequiredSigner,
    signature: Option<PathBuf>,
    /// The signer of a tree, once one was accepted.
    of_tree: OnceLock<AcceptedSigner>,
}

/// A file whose signer was accepted.
pub(crate) struct Accepted {
    pub(crate) coverage: Arc<Coverage>,
    pub(crate) signer: AcceptedSigner,
    pub(crate) binding: Binding,
}

impl SignaturePolicy {
    /// The list is read now: a run that needs one does not begin without it.
    pub(crate) fn from_args(args: &SignerArgs) -> Result<Self> {
        let Some(path) = &args.signers else { return Ok(Self::NotAsked) };
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::io("read the list of signers", path, &error))?;
        let allowed = AllowedSigners::parse(&text).map_err(|error| about(error, path))?;
        let required = RequiredSigner::any_of(allowed);
        let required = match &args.by {
            Some(name) => required.by(name),
            None => required,
        };
        let (signature, of_tree) = (args.signature.clone(), OnceLock::new());
        Ok(Self::Required(Signers { required, signature, of_tree }))
    }

    /// The same for trees, which have their statements in them.
    pub(crate) fn of_tree(args: &SignerArgs) -> Result<Self> {
        if args.signature.is_some() {
            return Err(
                Failure::usage("a tree has its statement in it").hint("leave out --signature")
            );
        }
        Self::from_args(args)
    }

    /// The same for a mount, whose files have their statements beside them or in their tree.
    #[cfg(feature = "mount")]
    pub(crate) fn of_mount(args: &SignerArgs) -> Result<Self> {
        if args.signature.is_some() {
            return Err(Failure::usage("a mount has many files")
                .hint("leave out --signature: each statement is beside its file"));
        }
        Self::from_args(args)
    }

    /// These options, and what they ask for.
    pub(crate) fn apply<'a>(&'a self, options: Options<'a>) -> Options<'a> {
        match self {
            Self::NotAsked => options,
            Self::Required(signers) => options.accepting(signers),
        }
    }

    /// The signer of the tree that was opened.
    pub(crate) fn tree_signer(&self) -> Option<String> {
        match self {
            Self::NotAsked => None,
            Self::Required(signers) => signers.of_tree.get().map(signed_by),
        }
    }

    pub(crate) fn is_required(&self) -> bool {
        matches!(self, Self::Required(_))
    }

    /// The statement about a file, if one has to be accepted.
    pub(crate) fn accept(&self, file: &Path) -> Result<Option<Accepted>> {
        match self {
            Self::NotAsked => Ok(None),
            Self::Required(signers) => signers.accept(file).map(Some),
        }
    }
}

impl Signers {
    fn accept(&self, file: &Path) -> Result<Accepted> {
        let path = match &self.signature {
            Some(path) => path.clone(),
            // A file in this folder is not looked for by that name.
            None if is_standard_input(file) || file == Path::new(STANDARD_INPUT) => {
                return Err(Failure::usage("standard input has no statement beside it")
                    .hint("name it: --signature FILE"));
            }
            None => beside(file),
        };
        let stored = at_offsets(&path, "read the statement")?.ok_or_else(|| {
            let names = [file, &path].map(shown_without_query);
            Failure::not_signed(format!("{} has no statement: {}", names[0], names[1]))
        })?;
        self.accept_stored(stored, &path)
    }

    /// The same, of a statement that is open; `path` is for messages.
    pub(crate) fn accept_stored(
        &self,
        stored: Box<dyn ReadAt + Send + Sync>,
        path: &Path,
    ) -> Result<Accepted> {
        let read = || {
            let signed = SignedStatement::read(&stored)?;
            let signer = self.required.accept(&signed, now())?;
            let binding = signed.unverified().binding;
            let coverage = signed.coverage(stored)?;
            Ok(Accepted { coverage: Arc::new(coverage), signer, binding })
        };
        read().map_err(|error| about(error, path))
    }
}

impl StatementAcceptor for Signers {
    fn accept(
        &self,
        stored: Box<dyn ReadAt + Send + Sync>,
    ) -> polyseal_file::Result<(Coverage, TreeVersion)> {
        let (signer, accepted) = self.required.accept_tree(stored, now())?;
        let _ = self.of_tree.set(signer);
        Ok(accepted)
    }
}

/// The words on a signer.
pub(crate) fn signed_by(signer: &AcceptedSigner) -> String {
    let AcceptedSigner { principal, fingerprint } = signer;
    format!("signed by {}, {fingerprint}", shown(principal))
}

/// The failure for a statement or a list of signers.
pub(crate) fn about(error: Error, path: &Path) -> Failure {
    Failure::from(error).about(Path::new(&shown_without_query(path)))
}

/// A key that signs.
pub(crate) enum SigningKey {
    InFile(Box<Signer>),
    /// `ssh-keygen` asks for its passphrase, or an agent or token for its touch.
    BySshKeygen {
        program: PathBuf,
        key: PathBuf,
    },
}

impl SigningKey {
    /// The key in this file: one that only `ssh-keygen` can use is not asked for anything yet.
    pub(crate) fn read(path: &Path, sources: &KeyInputs) -> Result<Self> {
        let bytes = sources.signing_key(path)?;
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        Ok(match Signer::from_openssh(text) {
            Ok(signer) => Self::InFile(Box::new(signer)),
            Err(_) => {
                let paths = std::env::var_os("PATH").unwrap_or_default();
                let program = find_program("ssh-keygen", &paths).ok_or_else(|| {
                    Failure::usage(format!("{} can only be used by ssh-keygen", path.display()))
                        .hint("install OpenSSH's client")
                })?;
                Self::BySshKeygen { program, key: path.to_owned() }
            }
        })
    }
}

impl SigningKey {
    /// The public key; of one that only `ssh-keygen` can use, as it is beside it, or is its file.
    fn public_key(&self) -> polyseal_file::Result<String> {
        let key = match self {
            Self::InFile(signer) => return signer.public_key(),
            Self::BySshKeygen { key, .. } => key,
        };
        let read = std::fs::read_to_string(objects::with_suffix(key, ".pub"));
        let text = read.or_else(|_| std::fs::read_to_string(key));
        text.map_err(|source| Error::Io { what: "read the public key", source })
    }
}

impl StatementAcceptor for SigningKey {
    fn accept(
        &self,
        stored: Box<dyn ReadAt + Send + Sync>,
    ) -> polyseal_file::Result<(Coverage, TreeVersion)> {
        let own = RequiredSigner::any_of(AllowedSigners::of_key(&self.public_key()?)?);
        own.accept_tree(stored, now()).map(|(_, accepted)| accepted)
    }
}

impl StatementSigner for SigningKey {
    fn sign(
        &self,
        statement: &Statement,
        hashes: &SegmentHashes,
    ) -> polyseal_file::Result<Vec<u8>> {
        let signature = match self {
            Self::InFile(signer) => signer.sign(statement)?,
            Self::BySshKeygen { program, key } => by_ssh_keygen(program, key, statement)?,
        };
        SignedStatement::with_signatures(statement, &[signature], hashes)
    }
}

fn by_ssh_keygen(
    program: &Path,
    key: &Path,
    statement: &Statement,
) -> polyseal_file::Result<String> {
    let failed = |source| Error::Io { what: "run ssh-keygen", source };
    let mut command = Command::new(program);
    command.args(["-Y", "sign", "-n", NAMESPACE, "-f"]).arg(key);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // One that has ended says why.
        let _ = input.write_all(statement.to_string().as_bytes());
    }
    let output = child.wait_with_output().map_err(failed)?;
    match String::from_utf8(output.stdout) {
        Ok(signature) if output.status.success() => Ok(signature),
        _ => Err(Error::Statement(Problem::Key)),
    }
}

/// The file that a statement goes to.
pub(crate) fn create(
    path: &Path,
    force: bool,
    forbidden_outputs: &ForbiddenOutputs,
) -> Result<OutputFile> {
    let to = OutputArgs { output: Some(path.to_owned()), force };
    OutputFile::open(&to, OutputKind::Binary, forbidden_outputs)
}

/// Where the statement about `file` goes.
pub(crate) fn target(signature: Option<&Path>, file: &Path) -> PathBuf {
    signature.map_or_else(|| beside(file), Path::to_owned)
}
