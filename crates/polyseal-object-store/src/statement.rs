//! Statements: the object `KEY.sig` says who stands for the object `KEY`.
//!
//! Its text and signatures are read first, then the hashes of what is read of the object. All are
//! of one version, which the first answer pins.

use std::ops::Range;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use object_store::path::Path;
use object_store::{
    Error, GetOptions, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload, Result,
};
use polyseal_file::statement::{
    Coverage, HeldHashes, PendingStatement, Problem, RequiredSigner, SUFFIX, SignedStatement,
    Signer,
};

use crate::compute::compute;
use crate::error::{ObjectError, generic};
use crate::fetch::{PinnedVersion, fetch_beginning, fetch_bytes, refused};

/// Segments whose hashes are fetched at once: half a MiB.
const COVERED_TOGETHER: u64 = 16 * 1024;

/// The statement about an object, of a signer who was accepted.
pub(crate) struct Stated {
    location: Path,
    pin: PinnedVersion,
    pub(crate) coverage: Arc<Coverage>,
}

/// Where the statement about an object is.
pub(crate) fn beside(location: &Path) -> Result<Path> {
    Path::parse(format!("{location}{SUFFIX}")).map_err(generic)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl Stated {
    /// The statement about an object, if its signer is accepted.
    pub(crate) async fn fetch(
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
        let segment = u64::from(self.coverage.statement().segment_size.bytes());
        plaintext.start..plaintext.end.min(plaintext.start + COVERED_TOGETHER * segment)
    }
}

/// Signs the statement about an object that has been sealed. Its bytes.
pub(crate) async fn sign(
    signer: &Arc<Signer>,
    object: &Path,
    pending: PendingStatement,
) -> Result<PutPayload> {
    let (signer, object) = (Arc::clone(signer), object.clone());
    compute(crate::compute::LONG, move || {
        let signed = || {
            let (statement, hashes) = pending.finish(now())?;
            let signature = signer.sign(&statement)?;
            SignedStatement::with_signatures(&statement, &[signature], &hashes)
        };
        signed().map(PutPayload::from).map_err(|error| ObjectError::at(&object, error))
    })
    .await
}

/// Puts the statement about an object beside it.
pub(crate) async fn put(
    store: &dyn ObjectStore,
    object: &Path,
    statement: PutPayload,
    extensions: &object_store::Extensions,
) -> Result<()> {
    let options = PutOptions {
        mode: PutMode::Overwrite,
        extensions: extensions.clone(),
        ..PutOptions::default()
    };
    store.put_opts(&beside(object)?, statement, options).await.map(drop)
}

/// Lets the statement, if there is one, follow an object that was copied or renamed.
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
