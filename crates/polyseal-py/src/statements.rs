//! Statements: keys that sign, signers who are allowed, and statements whose bytes Python fetches.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use polyseal_file::statement::{
    AcceptedSigner, AllowedSigners as FileSigners, Coverage, HeldHashes as FileHashes, Problem,
    RequiredSigner, SUFFIX, SegmentHashes, SignaturePolicy, SignedStatement as FileStatement,
    Signer, Statement, TreeVersion,
};
use polyseal_file::{Decryptor, Error, ReadAt};
use polyseal_local::{Options, StatementAcceptor, StatementSigner, with_suffix};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyRange, PyString, PyType};
use zeroize::Zeroizing;

use crate::errors::{file_error, named_error, system_error};
use crate::memory::Input;
use crate::payload::python_range;

/// The signer, in the list's words, and the fingerprint of the key.
pub(crate) type SignerNames = (String, String);

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Where the statement about a file is, if nothing else is said.
pub(crate) fn beside(file: &Path) -> PathBuf {
    with_suffix(file, SUFFIX)
}

/// A list of signers whose statements are accepted, as `ssh-keygen -Y verify` reads it: a line has
/// a name and a public key. Raises `ValueError` for a line that is not understood.
///
/// >>> import polyseal
/// >>> key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti"
/// >>> polyseal.AllowedSigners(f"alice@example.org {key}")
/// <polyseal.AllowedSigners: 1 key>
#[pyclass(frozen, module = "polyseal")]
pub(crate) struct AllowedSigners {
    text: String,
    signers: FileSigners,
}

#[pymethods]
impl AllowedSigners {
    #[new]
    fn new(text: String) -> PyResult<Self> {
        let signers = FileSigners::parse(&text).map_err(file_error)?;
        Ok(Self { text, signers })
    }

    /// The list in the file at `path`.
    #[staticmethod]
    fn from_file(path: PathBuf) -> PyResult<Self> {
        let read = std::fs::read_to_string(&path);
        let text = read.map_err(|error| system_error(&path, error))?;
        let signers = FileSigners::parse(&text).map_err(|error| named_error(Some(&path), error))?;
        Ok(Self { text, signers })
    }

    fn __len__(&self) -> usize {
        self.signers.len()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (&str,)) {
        (py.get_type::<Self>(), (&self.text,))
    }

    fn __repr__(&self) -> String {
        let keys = self.signers.len();
        format!("<polyseal.AllowedSigners: {keys} key{}>", if keys == 1 { "" } else { "s" })
    }
}

/// A private key that signs: the text of a private key file of OpenSSH, without a passphrase.
/// Raises `ValueError` for another key. For a key with a passphrase, on a token, or of RSA, sign
/// with the tool: `polyseal sign`.
#[pyclass(frozen, module = "polyseal")]
pub(crate) struct SigningKey(Signer);

impl SigningKey {
    fn parse(bytes: &[u8]) -> PyResult<Self> {
        let parsed = Signer::from_openssh(std::str::from_utf8(bytes).unwrap_or_default());
        parsed.map(Self).map_err(|_| {
            PyValueError::new_err(
                "no private key that signs here: it is one of OpenSSH, without a passphrase and \
                 not of RSA; with others the tool signs, by ssh-keygen: polyseal sign",
            )
        })
    }
}

impl StatementAcceptor for SigningKey {
    fn accept(
        &self,
        stored: Box<dyn ReadAt + Send + Sync>,
    ) -> polyseal_file::Result<(Coverage, TreeVersion)> {
        let own = RequiredSigner::any_of(FileSigners::of_key(&self.0.public_key()?)?);
        own.accept_tree(stored, now()).map(|(_, accepted)| accepted)
    }
}

impl StatementSigner for SigningKey {
    fn sign(
        &self,
        statement: &Statement,
        hashes: &SegmentHashes,
    ) -> polyseal_file::Result<Vec<u8>> {
        FileStatement::with_signatures(statement, &[self.0.sign(statement)?], hashes)
    }
}

/// The signers of a tree that a caller wants, if any.
pub(crate) struct TreeSigners(SignaturePolicy);

impl TreeSigners {
    pub(crate) fn new(wanted: Option<WantedParts<'_>>) -> Self {
        Self(match wanted {
            Some((signers, by, _)) => SignaturePolicy::Required(required(&signers, by)),
            None => SignaturePolicy::NotRequired,
        })
    }

    /// These options, and what they ask for.
    pub(crate) fn apply<'a>(&'a self, options: Options<'a>) -> Options<'a> {
        match self.0 {
            SignaturePolicy::Required(_) => options.accepting(self),
            SignaturePolicy::NotRequired => options,
        }
    }
}

impl StatementAcceptor for TreeSigners {
    fn accept(
        &self,
        stored: Box<dyn ReadAt + Send + Sync>,
    ) -> polyseal_file::Result<(Coverage, TreeVersion)> {
        let SignaturePolicy::Required(required) = &self.0 else {
            return Err(Error::Statement(Problem::NotAccepted));
        };
        required.accept_tree(stored, now()).map(|(_, accepted)| accepted)
    }
}

#[pymethods]
impl SigningKey {
    #[new]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = text.extract::<String>() {
            return Self::parse(Zeroizing::new(text).as_bytes());
        }
        Self::parse(&Input::from_secret(text)?.take())
    }

    /// A fresh key, of Ed25519.
    #[staticmethod]
    fn generate() -> PyResult<Self> {
        Ok(Self(Signer::generate().map_err(file_error)?))
    }

    /// The key in the file at `path`.
    #[staticmethod]
    fn from_file(path: PathBuf) -> PyResult<Self> {
        let read = std::fs::read(&path).map(Zeroizing::new);
        Self::parse(&read.map_err(|error| system_error(&path, error))?)
    }

    /// The text of a private key file with this key.
    fn to_openssh<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        Ok(PyString::new(py, &self.0.to_openssh().map_err(file_error)?))
    }

    /// The public key: a list of allowed signers has it behind a name.
    #[getter]
    fn public_key(&self) -> PyResult<String> {
        self.0.public_key().map_err(file_error)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("what holds keys is not pickled or copied"))
    }

    fn __repr__(&self) -> &'static str {
        "<polyseal.SigningKey>"
    }
}

/// The signers that a caller wants, and where the statement is.
pub(crate) struct Wanted {
    signers: RequiredSigner,
    signature: Option<PathBuf>,
}

/// The same as Python hands it over: a list, a name, a path.
pub(crate) type WantedParts<'py> = (Bound<'py, AllowedSigners>, Option<String>, Option<PathBuf>);

/// A file whose signer was accepted.
pub(crate) struct Accepted {
    pub(crate) coverage: Arc<Coverage>,
    pub(crate) statement: Statement,
    signer: AcceptedSigner,
}

impl Wanted {
    pub(crate) fn new((signers, by, signature): WantedParts<'_>) -> Self {
        Self { signers: required(&signers, by), signature }
    }

    /// The statement about the file of this name.
    pub(crate) fn accept(&self, file: Option<&Path>) -> PyResult<Accepted> {
        let path = match (&self.signature, file) {
            (Some(path), _) => path.clone(),
            (None, Some(file)) => beside(file),
            (None, None) => {
                return Err(PyValueError::new_err(
                    "a file object has no statement beside it: name the one that is meant, \
                     signature=…",
                ));
            }
        };
        let about = file.unwrap_or(&path);
        // A pipe that somebody has put there would be waited for.
        if std::fs::metadata(&path).is_ok_and(|seen| !seen.is_file()) {
            return Err(PyValueError::new_err("a statement is a regular file, and this is none"));
        }
        let stored = File::open(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => named_error(Some(about), Error::Statement(Problem::Missing)),
            _ => system_error(&path, error),
        })?;
        let read = || {
            let signed = FileStatement::read(&stored)?;
            let signer = self.signers.accept(&signed, now())?;
            let coverage = Arc::new(signed.coverage(Box::new(stored))?);
            Ok(Accepted { coverage, statement: signed.unverified().clone(), signer })
        };
        read().map_err(|error| named_error(Some(about), error))
    }
}

impl Accepted {
    pub(crate) fn names(self) -> SignerNames {
        (self.signer.principal, self.signer.fingerprint)
    }
}

/// With the statement that was accepted, if one was asked for.
pub(crate) fn covered<'a>(
    decryptor: Decryptor<'a>,
    accepted: Option<&'a Accepted>,
) -> Decryptor<'a> {
    match accepted {
        Some(accepted) => decryptor.covered_by(&accepted.coverage),
        None => decryptor,
    }
}

fn required(signers: &Bound<'_, AllowedSigners>, by: Option<String>) -> RequiredSigner {
    let required = RequiredSigner::any_of(signers.get().signers.clone());
    match by {
        Some(name) => required.by(name),
        None => required,
    }
}

/// A statement in a store, whose signer was accepted: `beginning` are the bytes that `wanted` says,
/// of a stored statement of `size` bytes. Give it to an `Opener`, and hold the hashes of what is
/// opened. Raises `NotSignedError` if its signer is not among `signers`, or is not the one named
/// `by`.
#[pyclass(frozen, module = "polyseal")]
pub(crate) struct SignedStatement {
    accepted: Accepted,
}

impl SignedStatement {
    pub(crate) fn coverage(&self) -> &Arc<Coverage> {
        &self.accepted.coverage
    }
}

#[pymethods]
impl SignedStatement {
    #[new]
    #[pyo3(signature = (beginning, size, signers, by = None))]
    fn new(
        beginning: &Bound<'_, PyAny>,
        size: u64,
        signers: &Bound<'_, AllowedSigners>,
        by: Option<String>,
    ) -> PyResult<Self> {
        let beginning = Input::from_object(beginning)?.take().to_vec();
        let read = || {
            let signed = FileStatement::read(&beginning)?;
            let signer = required(signers, by).accept(&signed, now())?;
            let coverage = Arc::new(signed.coverage_in_parts(size)?);
            let statement = signed.unverified().clone();
            Ok(Self { accepted: Accepted { coverage, statement, signer } })
        };
        read().map_err(file_error)
    }

    /// The bytes to fetch of a stored statement of `size` bytes, whose first bytes are there: empty
    /// when there are enough.
    #[staticmethod]
    fn wanted<'py>(
        py: Python<'py>,
        beginning: &Bound<'py, PyAny>,
        size: u64,
    ) -> PyResult<Bound<'py, PyRange>> {
        let beginning = Input::from_object(beginning)?.take();
        python_range(py, &FileStatement::wanted(&beginning, size))
    }

    /// The names that the list has for the key, and the fingerprint of the key.
    #[getter]
    fn signer(&self) -> SignerNames {
        let AcceptedSigner { principal, fingerprint } = &self.accepted.signer;
        (principal.clone(), fingerprint.clone())
    }

    /// The hashes for the plaintext from `start` to `stop`.
    fn hold(&self, start: u64, stop: u64) -> HeldHashes {
        HeldHashes(Mutex::new(self.coverage().hold(start..stop)))
    }

    fn __repr__(&self) -> String {
        format!("<polyseal.SignedStatement: by {}>", self.accepted.signer.fingerprint)
    }
}

/// The hashes for a part of a plaintext, which opens as long as this is there.
#[pyclass(frozen, module = "polyseal")]
pub(crate) struct HeldHashes(Mutex<FileHashes>);

#[pymethods]
impl HeldHashes {
    /// The bytes of the stored statement that are to be fetched; empty if none are missing.
    #[getter]
    fn missing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyRange>> {
        python_range(py, &self.locked().missing().unwrap_or_default())
    }

    /// Takes the missing bytes. Raises `NotSignedError` if they are not the hashes of the file.
    fn take(&self, stored: &Bound<'_, PyAny>) -> PyResult<()> {
        let stored = Input::from_object(stored)?.take();
        self.locked().take(&stored).map_err(file_error)
    }

    fn __repr__(&self) -> String {
        let missing = self.locked().missing().unwrap_or_default();
        format!("<polyseal.HeldHashes: {} bytes are missing>", missing.end - missing.start)
    }
}

impl HeldHashes {
    fn locked(&self) -> MutexGuard<'_, FileHashes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
