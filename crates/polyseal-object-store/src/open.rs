//! Opening an object: its header and its last segment, in one round of requests.
//!
//! [`Opener`] says what is wanted and what the answers mean; here it is unlocked, and begun anew if
//! the object is replaced meanwhile.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{Attributes, GetOptions, ObjectMeta, ObjectStore, Result};
use polyseal_file::{Decryptor, Opener, Payload, Step};

use crate::fetch::{ObjectFetcher, PinnedVersion, refused, retry_if_replaced};
use crate::statement::{HeldHashes, Stated};
use crate::store::Core;

/// An object whose end is certain.
#[derive(Clone)]
pub(crate) struct PinnedPayload {
    pub(crate) pin: PinnedVersion,
    pub(crate) payload: Arc<Payload>,
    /// The statement that covers it, if one is required.
    pub(crate) stated: Option<Arc<Stated>>,
}

/// The result of opening an object.
pub(crate) struct OpenedObject {
    pub(crate) known: PinnedPayload,
    pub(crate) attributes: Attributes,
    /// The stored bytes at the end, and where they begin.
    pub(crate) tail: (u64, Bytes),
}

impl PinnedPayload {
    /// The object's metadata, with the plaintext's size.
    pub(crate) fn meta(&self) -> ObjectMeta {
        ObjectMeta { size: self.payload.plaintext_bytes(), ..self.pin.meta.clone() }
    }

    /// The hashes for a part of the plaintext, if a statement is required: it opens as long as they
    /// are there.
    pub(crate) async fn cover(
        &self,
        store: &dyn ObjectStore,
        location: &Path,
        range: Range<u64>,
    ) -> Result<Option<HeldHashes>> {
        let Some(stated) = &self.stated else { return Ok(None) };
        stated.cover(store, location, range).await.map(Some)
    }

    /// The part of a range whose hashes are fetched at once.
    pub(crate) fn window(&self, range: &Range<u64>) -> Range<u64> {
        self.stated.as_ref().map_or(range.clone(), |stated| stated.window(range))
    }
}

impl Core {
    /// Opens an object, if its preconditions hold.
    pub(crate) async fn open(&self, location: &Path, options: &GetOptions) -> Result<OpenedObject> {
        retry_if_replaced(|| self.open_once(location, options)).await
    }

    async fn open_once(&self, location: &Path, options: &GetOptions) -> Result<OpenedObject> {
        let mut opener = Opener::new().segment_size(self.segment);
        let stated = self.statements.fetch(&*self.inner, location, options).await?;
        // It tells the end, so that the last segment is not needed.
        if stated.is_some() {
            opener = opener.sequential();
        }
        if self.no_suffix.load(Ordering::Relaxed) {
            opener = opener.sequential();
        }
        let store = &*self.inner;
        let mut fetching = ObjectFetcher { store, location, options, seen: None, no_suffix: false };
        loop {
            match opener.step() {
                Step::Fetch(wanted) => {
                    if let Err(error) = fetching.step(&mut opener, wanted).await {
                        return Err(self.why_not_opened(location, options, error).await);
                    }
                }
                Step::Unlock => {
                    let stated = stated.clone();
                    let unlock = move |decryptor: Decryptor<'_>| {
                        let covered = stated.as_deref().map(|stated| stated.covered(decryptor));
                        opener.unlock(&covered.unwrap_or(decryptor)).map(|()| opener)
                    };
                    opener = self.decrypt(location, unlock).await?;
                }
                Step::Open => break,
            }
        }
        if fetching.no_suffix {
            self.no_suffix.store(true, Ordering::Relaxed);
        }
        let opened = opener.open().map_err(|error| refused(location, error))?;
        let not_fetched = || refused(location, polyseal_file::Error::NotFetched);
        let (pin, attributes) = fetching.seen.ok_or_else(not_fetched)?;
        let known = PinnedPayload { pin, payload: Arc::new(opened.payload), stated };
        if options.version.is_none() && known.pin.meta.e_tag.is_some() {
            self.known.put(location.clone(), known.clone());
        }
        Ok(OpenedObject { known, attributes, tail: (opened.end_start, opened.end.into()) })
    }
}
