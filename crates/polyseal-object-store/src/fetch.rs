//! Fetching stored bytes of one version of an object: for an [`Opener`], and in ranges.
//!
//! Once a version has been seen, every request names its ETag, if that is a strong one.

use std::ops::Range;

use futures_util::future::join_all;
use object_store::path::Path;
use object_store::{
    Attributes, Error, Extensions, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, Result,
};
use polyseal_file::{Answer, ByteRange, Opener, Version};

use crate::bounded::bounded;
use crate::error::{ObjectError, Replaced, STORE};

/// Which version of an object is read.
#[derive(Clone, Debug)]
pub(crate) struct PinnedVersion {
    pub(crate) meta: ObjectMeta,
    seen: Version,
    /// A version that was asked for, and not merely met.
    asked: Option<String>,
    extensions: Extensions,
}

/// The version of an object, by its metadata.
pub(crate) fn version(meta: &ObjectMeta) -> Version {
    Version::new(meta.size)
        .with_tag(meta.e_tag.as_deref())
        .with_mark(meta.last_modified.to_rfc3339())
}

/// The request for these bytes.
fn range(wanted: &ByteRange) -> GetRange {
    match wanted {
        ByteRange::First(bytes) => GetRange::Bounded(0..*bytes),
        ByteRange::Last(bytes) => GetRange::Suffix(*bytes),
        ByteRange::Range(range) => GetRange::Bounded(range.clone()),
    }
}

impl PinnedVersion {
    pub(crate) fn new(meta: ObjectMeta, options: &GetOptions) -> Self {
        let (seen, extensions) = (version(&meta), options.extensions.clone());
        Self { meta, seen, asked: options.version.clone(), extensions }
    }

    /// Whether this is the same version.
    pub(crate) fn matches(&self, meta: &ObjectMeta) -> bool {
        self.seen.is_same(&version(meta))
    }

    /// The request for a range of this version, and of no other.
    pub(crate) fn options(&self, range: Range<u64>) -> GetOptions {
        GetOptions {
            range: Some(GetRange::Bounded(range)),
            if_match: self.seen.if_match().map(str::to_owned),
            version: self.asked.clone(),
            extensions: self.extensions.clone(),
            ..GetOptions::default()
        }
    }
}

/// Stored bytes of the version of an object that is being read. The range is not empty.
pub(crate) async fn fetch(
    store: &dyn ObjectStore,
    location: &Path,
    pin: &PinnedVersion,
    range: Range<u64>,
) -> Result<GetResult> {
    match store.get_opts(location, pin.options(range.clone())).await {
        Ok(got) if pin.matches(&got.meta) && got.range == range => Ok(got),
        Ok(_) | Err(Error::Precondition { .. } | Error::NotFound { .. }) => {
            Err(Replaced::at(location))
        }
        Err(error) => Err(error),
    }
}

/// How often a body that breaks off is fetched anew, for an object without an ETag: for others the
/// store's client asks for the missing bytes.
pub(crate) const BROKEN: u32 = 5;

/// The same, all of it.
pub(crate) async fn fetch_bytes(
    store: &dyn ObjectStore,
    location: &Path,
    pin: &PinnedVersion,
    range: Range<u64>,
) -> Result<Vec<u8>> {
    let most = range.end - range.start;
    let get = || fetch(store, location, pin, range.clone());
    read_answer(get, |_| most).await.map(|answer| answer.bytes)
}

/// An answer, and all of its body.
struct FullAnswer {
    meta: ObjectMeta,
    attributes: Attributes,
    start: u64,
    bytes: Vec<u8>,
}

/// The beginning of an object, and which version it is of. `wanted` says which bytes are missing
/// of an object of some size.
#[cfg(feature = "sign")]
pub(crate) async fn fetch_beginning(
    store: &dyn ObjectStore,
    location: &Path,
    options: &GetOptions,
    wanted: impl Fn(&[u8], u64) -> Range<u64>,
) -> Result<(PinnedVersion, Vec<u8>)> {
    let fetcher = ObjectFetcher { store, location, options, seen: None, no_suffix: false };
    let first = ByteRange::First(wanted(&[], u64::MAX).end);
    let (meta, _, Answer { mut bytes, .. }) = fetcher.ask(first).await?;
    let pin = PinnedVersion::new(meta, options);
    loop {
        let missing = wanted(&bytes, pin.meta.size);
        if missing.is_empty() {
            return Ok((pin, bytes));
        }
        bytes.extend(fetch_bytes(store, location, &pin, missing).await?);
    }
}

/// The whole of an answer; `most` says how much that may be of an object of some size.
async fn read_answer<F>(get: impl Fn() -> F, most: impl Fn(u64) -> u64) -> Result<FullAnswer>
where
    F: Future<Output = Result<GetResult>>,
{
    let mut attempt = 1;
    loop {
        let got = get().await?;
        let (meta, attributes, start) = (got.meta.clone(), got.attributes.clone(), got.range.start);
        match bounded(got, most(meta.size)).await {
            Ok(bytes) => return Ok(FullAnswer { meta, attributes, start, bytes }),
            Err(Error::Generic { store, .. })
                if store != STORE && meta.e_tag.is_none() && attempt < BROKEN =>
            {
                attempt += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Does it, anew if the object is replaced meanwhile.
pub(crate) async fn retry_if_replaced<T, F>(open: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let mut attempt = 1;
    loop {
        match open().await {
            Err(error) if Replaced::is_in(&error) && attempt < Opener::ATTEMPTS => attempt += 1,
            other => return other,
        }
    }
}

/// The error for an object that cannot be opened.
pub(crate) fn refused(location: &Path, error: polyseal_file::Error) -> Error {
    match error {
        polyseal_file::Error::Replaced => Replaced::at(location),
        other => ObjectError::at(location, other),
    }
}

/// An object whose bytes an [`Opener`] wants, and the store's metadata of it.
pub(crate) struct ObjectFetcher<'a> {
    pub(crate) store: &'a dyn ObjectStore,
    pub(crate) location: &'a Path,
    pub(crate) options: &'a GetOptions,
    /// The version, once an answer has come.
    pub(crate) seen: Option<(PinnedVersion, Attributes)>,
    /// Whether the store has said that it gives no last bytes.
    pub(crate) no_suffix: bool,
}

impl ObjectFetcher<'_> {
    /// Fetches what a step wants, at once.
    pub(crate) async fn step(&mut self, opener: &mut Opener, wanted: Vec<ByteRange>) -> Result<()> {
        let asked = wanted.iter().cloned().map(|wanted| self.ask(wanted));
        for (wanted, got) in wanted.iter().zip(join_all(asked).await) {
            match (wanted, got) {
                (ByteRange::Last(_), Err(Error::NotSupported { .. })) => self.no_suffix = true,
                // A server that has given the first bytes may know no last ones: then those are
                // asked for by their place.
                (ByteRange::Last(_), Err(Error::Generic { .. })) => {}
                (_, Err(error)) => return Err(error),
                (_, Ok((meta, attributes, answer))) => {
                    let taken = opener.take(wanted, answer);
                    taken.map_err(|error| refused(self.location, error))?;
                    self.seen = Some((PinnedVersion::new(meta, self.options), attributes));
                }
            }
        }
        Ok(())
    }

    async fn ask(&self, wanted: ByteRange) -> Result<(ObjectMeta, Attributes, Answer)> {
        let get = || async {
            match (&self.seen, &wanted) {
                (Some((pin, _)), ByteRange::Range(range)) => {
                    fetch(self.store, self.location, pin, range.clone()).await
                }
                _ => {
                    let range = Some(range(&wanted));
                    let options = GetOptions { range, head: false, ..self.options.clone() };
                    self.store.get_opts(self.location, options).await
                }
            }
        };
        let most = |size| {
            let range = wanted.range(size);
            range.end - range.start
        };
        let FullAnswer { meta, attributes, start, bytes } = read_answer(get, most).await?;
        let version = version(&meta);
        Ok((meta, attributes, Answer { version, start, bytes }))
    }
}
