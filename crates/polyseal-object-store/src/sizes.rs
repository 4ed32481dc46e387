//! Sizes: of one object with its header's first bytes, and of the objects in a list.

use std::sync::Arc;

use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{Error, GetOptions, GetRange, GetResult, GetResultPayload, ObjectMeta, Result};
use polyseal_file::{MIN_HEADER_BYTES, Outline, StoredLength, Version};

use crate::bounded::bounded;
use crate::error::{ObjectError, file_error};
use crate::fetch::version;
use crate::store::{Core, ListedSizes};

/// Requests for sizes that are under way at once.
const AT_ONCE: usize = 16;

/// One version of an object, as a list names it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct ListedVersion(Path, Version);

impl ListedVersion {
    fn from_meta(meta: &ObjectMeta) -> Self {
        let tagged = Version::new(meta.size).with_tag(meta.e_tag.as_deref());
        // Objects with an ETag may have a time that some answers round to seconds.
        let version = if tagged.tag().is_some() { tagged } else { version(meta) };
        Self(meta.location.clone(), version)
    }
}

/// The size of an object in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectSize {
    Plaintext(u64),
    /// It is no Polyseal file.
    Foreign,
}

impl Core {
    /// All that there is to know of an object without its contents: one request, of 160 bytes.
    pub(crate) async fn head(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let (outline, mut meta, attributes) = self.outline(location, options).await?;
        meta.size = outline
            .plaintext_bytes(StoredLength::File(meta.size))
            .ok_or_else(|| ObjectError::at(location, polyseal_file::Error::Truncated))?;
        let range = 0..meta.size;
        let payload = GetResultPayload::Stream(futures_util::stream::empty().boxed());
        Ok(GetResult { payload, meta, range, attributes })
    }

    async fn outline(
        &self,
        location: &Path,
        options: GetOptions,
    ) -> Result<(Outline, ObjectMeta, object_store::Attributes)> {
        let range = Some(GetRange::Bounded(0..Outline::BYTES as u64));
        let options = GetOptions { range, head: false, ..options };
        let got = match self.inner.get_opts(location, options.clone()).await {
            Ok(got) => got,
            Err(error) => return Err(self.why_not_opened(location, &options, error).await),
        };
        let (meta, attributes) = (got.meta.clone(), got.attributes.clone());
        let start = bounded(got, Outline::BYTES as u64).await?;
        let outline = Outline::parse(&start).map_err(|error| ObjectError::at(location, error))?;
        self.sizes.put(ListedVersion::from_meta(&meta), size_of(&outline, meta.size));
        Ok((outline, meta, attributes))
    }

    /// No range of an empty object can be had: then that is the error.
    pub(crate) async fn why_not_opened(
        &self,
        location: &Path,
        options: &GetOptions,
        error: Error,
    ) -> Error {
        if !matches!(error, Error::Generic { .. }) || file_error(&error).is_some() {
            return error;
        }
        let options = GetOptions { range: None, head: true, ..options.clone() };
        match self.inner.get_opts(location, options).await {
            Ok(got) if got.meta.size == 0 => {
                ObjectError::at(location, polyseal_file::Error::NotAPolysealFile)
            }
            _ => error,
        }
    }

    /// The objects of a list, with the sizes of their plaintexts; without those that have been
    /// deleted since.
    pub(crate) fn sized(
        core: &Arc<Self>,
        objects: BoxStream<'static, Result<ObjectMeta>>,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        if core.listed == ListedSizes::Stored {
            return objects;
        }
        let core = Arc::clone(core);
        objects
            .map(move |object| {
                let core = Arc::clone(&core);
                async move { core.size_listed(object?).await }
            })
            .buffered(AT_ONCE)
            .try_filter_map(|object| futures_util::future::ready(Ok(object)))
            .boxed()
    }

    async fn size_listed(&self, mut meta: ObjectMeta) -> Result<Option<ObjectMeta>> {
        if meta.size < MIN_HEADER_BYTES as u64 {
            return Ok(Some(meta));
        }
        let size = match self.sizes.get(&ListedVersion::from_meta(&meta)) {
            Some(size) => size,
            None => match self.outline(&meta.location, GetOptions::default()).await {
                Ok((outline, now, _)) => {
                    let size = size_of(&outline, now.size);
                    // It may have been replaced since.
                    meta = ObjectMeta { location: meta.location, ..now };
                    size
                }
                Err(Error::NotFound { .. }) => return Ok(None),
                Err(error) if file_error(&error).is_some() => {
                    self.sizes.put(ListedVersion::from_meta(&meta), ObjectSize::Foreign);
                    ObjectSize::Foreign
                }
                Err(error) => return Err(error),
            },
        };
        if let ObjectSize::Plaintext(bytes) = size {
            meta.size = bytes;
        }
        Ok(Some(meta))
    }
}

fn size_of(outline: &Outline, stored: u64) -> ObjectSize {
    outline
        .plaintext_bytes(StoredLength::File(stored))
        .map_or(ObjectSize::Foreign, ObjectSize::Plaintext)
}
