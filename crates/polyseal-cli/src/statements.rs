//! Statements beside encrypted files: who signs one, and which signers are accepted.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use polyseal_file::statement::{
    AcceptedSigner, AllowedSigners, Coverage, NAMESPACE, Problem, RequiredSigner, SUFFIX,
    SegmentHashes, SignedStatement, Signer, Statement,
};
use polyseal_file::{Error, ReadAt, find_program};

use crate::args::{OutputArgs, SignerArgs};
use crate::error::{Failure, Result};
use crate::file_io::{ForbiddenOutputs, OutputFile, OutputKind, STANDARD_INPUT};
use crate::keys::KeyInputs;
use crate::objects::{self, is_object};
use crate::streams::is_standard_input;

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The file that has the statement about this one.
fn beside(file: &Path) -> PathBuf {
    objects::with_suffix(file, SUFFIX)
}

/// A file or an object, read at offsets; `None` if it is not there.
pub(crate) fn at_offsets(path: &Path, what: &str) -> Result<Option<Box<dyn ReadAt + Send + Sync>>> {
    if is_object(path) {
        return Ok(objects::at_offsets(path)?.map(|object| Box::new(object) as _));
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
}

/// A file whose signer was accepted.
pub(crate) struct Accepted {
    pub(crate) coverage: Arc<Coverage>,
    pub(crate) signer: AcceptedSigner,
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
        Ok(Self::Required(Signers { required, signature: args.signature.clone() }))
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
        let read = || {
            let signed = SignedStatement::read(&stored)?;
            let signer = self.required.accept(&signed, now())?;
            let coverage = signed.coverage(stored)?;
            Ok(Accepted { coverage: Arc::new(coverage), signer })
        };
        read().map_err(|error| about(error, &path))
    }
}

/// The failure for a statement or a list of signers.
pub(crate) fn about(error: Error, path: &Path) -> Failure {
    Failure::from(error).about(Path::new(&shown_without_query(path)))
}

/// A key that signs.
pub(crate) enum SigningKey {
    InFile(Box<Signer>),
    /// `ssh-keygen` asks for its passphrase, or an agent or token for its touch.
    BySshKeygen(PathBuf),
}

impl SigningKey {
    /// The key in this file: one that only `ssh-keygen` can use is not asked for anything yet.
    pub(crate) fn read(path: &Path, sources: &KeyInputs) -> Result<Self> {
        let bytes = sources.signing_key(path)?;
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        Ok(match Signer::from_openssh(text) {
            Ok(signer) => Self::InFile(Box::new(signer)),
            Err(_) => Self::BySshKeygen(path.to_owned()),
        })
    }

    /// The statement with its signature and hashes.
    pub(crate) fn sign(&self, statement: &Statement, hashes: &SegmentHashes) -> Result<Vec<u8>> {
        let signature = match self {
            Self::InFile(signer) => signer.sign(statement)?,
            Self::BySshKeygen(path) => by_ssh_keygen(path, statement)?,
        };
        Ok(SignedStatement::with_signatures(statement, &[signature], hashes)?)
    }
}

fn by_ssh_keygen(key: &Path, statement: &Statement) -> Result<String> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let program = find_program("ssh-keygen", &paths).ok_or_else(|| {
        Failure::usage(format!("{} can only be used by ssh-keygen", key.display()))
            .hint("install OpenSSH's client")
    })?;
    let failed = |error| Failure::io("run", &program, &error);
    let mut command = Command::new(&program);
    command.args(["-Y", "sign", "-n", NAMESPACE, "-f"]).arg(key);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // One that has ended says why.
        let _ = input.write_all(statement.to_string().as_bytes());
    }
    let output = child.wait_with_output().map_err(failed)?;
    match String::from_utf8(output.stdout) {
        Ok(signature) if output.status.success() => Ok(signature),
        _ => Err(Error::Statement(Problem::Key).into()),
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
