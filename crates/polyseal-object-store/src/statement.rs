//! Statements: the object `KEY.sig` says who stands for the object `KEY`.
//!
//! Its text and signatures are read first, then the hashes of what is read of the object. All are
//! of one version, which the first answer pins.

use std::ops::Range;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use object_store::path::Path;
use object_store::{
    Error, Extensions, GetOptions, ObjectStore, ObjectStoreExt, PutOptions, PutPayload, Result,
};
use polyseal_file::statement::{
    Coverage, Problem, RequiredSigner, SUFFIX, SignaturePolicy, SignedStatement, Signer,
};
pub(crate) use polyseal_file::statement::{HeldHashes, PendingStatement};
use polyseal_file::{Decryptor, Encryptor, StreamSealer};

use crate::compute::{LONG, compute};
use crate::error::{ObjectError, generic};
use crate::fetch::{PinnedVersion, fetch_beginning, fetch_bytes, refused};

/// Segments whose hashes are fetched at once: half a MiB.
const COVERED_TOGETHER: u64 = 16 * 1024;

/// The signers whose objects are read, and the one who signs those that are written.
pub(crate) struct Statements {
    pub(crate) policy: SignaturePolicy,
    pub(crate) signer: Option<Arc<Signer>>,
}

/// The statement about an object, of a signer who was accepted.
pub(crate) struct Stated {
    location: Path,
    pin: PinnedVersion,
    coverage: Arc<Coverage>,
}

impl Default for Statements {
    fn default() -> Self {
        Self { policy: SignaturePolicy::NotRequired, signer: None }
    }
}

impl Statements {
    /// Whether objects have statements here.
    pub(crate) fn are_kept(&self) -> bool {
        self.signer.is_some() || matches!(self.policy, SignaturePolicy::Required(_))
    }

    /// The statement about an object, if one is required.
    pub(crate) async fn fetch(
        &self,
        store: &dyn ObjectStore,
        object: &Path,
        options: &GetOptions,
    ) -> Result<Option<Arc<Stated>>> {
        match &self.policy {
            SignaturePolicy::NotRequired => Ok(None),
            SignaturePolicy::Required(signer) => {
                Stated::fetch(store, object, signer, options).await.map(Arc::new).map(Some)
            }
        }
    }

    /// The sealer for a new object, and the statement about it if it is signed.
    pub(crate) fn sealer(
        &self,
        encryptor: Encryptor<'_>,
    ) -> polyseal_file::Result<(StreamSealer, Option<PendingStatement>)> {
        if self.signer.is_none() {
            return Ok((encryptor.stream_sealer()?, None));
        }
        let (sealer, pending) = encryptor.stated_stream_sealer()?;
        Ok((sealer, Some(pending)))
    }

    /// The statement about an object that has been sealed: its bytes.
    pub(crate) async fn sign(
        &self,
        object: &Path,
        pending: Option<PendingStatement>,
    ) -> Result<Option<PutPayload>> {
        let Some((signer, pending)) = self.signer.clone().zip(pending) else { return Ok(None) };
        let object = object.clone();
        compute(LONG, move || {
            let signed = || {
                let (statement, hashes) = pending.finish(now())?;
                let signature = signer.sign(&statement)?;
                SignedStatement::with_signatures(&statement, &[signature], &hashes)
            };
            let signed = signed().map_err(|error| ObjectError::at(&object, error))?;
            Ok(Some(signed.into()))
        })
        .await
    }
}

impl Stated {
    async fn fetch(
        store: &dyn ObjectStore,
        object: &Path,
        required: &RequiredSigner,
        options: &GetOptions,
    ) -> Result<Self> {
        let location = beside(object)?;
        let options =
            GetOptions { extensions: options.extensions.clone(), ..GetOptions::default() };
        let bad = |problem| ObjectError::at(object, polyseal_file::Error::Statement(problem));
        let begun = fetch_beginning(store, &location, &options, SignedStatement::wanted).await;
        let (pin, beginning) = match begun {
            Ok(begun) => begun,
            Err(Error::NotFound { .. }) => {
                // An object that is not there is not one without a statement.
                store.head(object).await?;
                return Err(bad(Problem::Missing));
            }
            // No range of an empty object can be had.
            Err(error @ Error::Generic { .. }) => match store.head(&location).await {
                Ok(meta) if meta.size == 0 => return Err(bad(Problem::Signature)),
                _ => return Err(error),
            },
            Err(error) => return Err(error),
        };
        let accepted = || {
            let signed = SignedStatement::read(&beginning)?;
            required.accept(&signed, now())?;
            signed.coverage_in_parts(pin.meta.size)
        };
        let coverage = Arc::new(accepted().map_err(|error| refused(object, error))?);
        Ok(Self { location, pin, coverage })
    }

    /// The decryptor for the object.
    pub(crate) fn covered<'a>(&'a self, decryptor: Decryptor<'a>) -> Decryptor<'a> {
        decryptor.covered_by(&self.coverage)
    }

    /// The hashes for a part of the plaintext.
    pub(crate) async fn cover(
        &self,
        store: &dyn ObjectStore,
        object: &Path,
        plaintext: Range<u64>,
    ) -> Result<HeldHashes> {
        let mut held = self.coverage.hold(plaintext);
        if let Some(missing) = held.missing() {
            let hashes = fetch_bytes(store, &self.location, &self.pin, missing).await?;
            held.take(&hashes).map_err(|error| refused(object, error))?;
        }
        Ok(held)
    }

    /// The part of a range whose hashes are fetched at once.
    pub(crate) fn window(&self, plaintext: &Range<u64>) -> Range<u64> {
        let segment = u64::from(self.coverage.segment_size().bytes());
        plaintext.start..plaintext.end.min(plaintext.start + COVERED_TOGETHER * segment)
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Where the statement about an object is.
fn beside(object: &Path) -> Result<Path> {
    Path::parse(format!("{object}{SUFFIX}")).map_err(generic)
}

/// Puts the statement about an object beside it, if there is one.
pub(crate) async fn put(
    store: &dyn ObjectStore,
    object: &Path,
    statement: Option<PutPayload>,
    extensions: &Extensions,
) -> Result<()> {
    let Some(statement) = statement else { return Ok(()) };
    let options = PutOptions { extensions: extensions.clone(), ..PutOptions::default() };
    store.put_opts(&beside(object)?, statement, options).await.map(drop)
}

/// Copies or renames the statement, if there is one, of an object that was.
pub(crate) async fn follow<F>(
    from: &Path,
    to: &Path,
    go: impl FnOnce(Path, Path) -> F,
) -> Result<()>
where
    F: Future<Output = Result<()>>,
{
    match go(beside(from)?, beside(to)?).await {
        Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
