//! Opening an object: its header and its last segment, in one round of requests.
//!
//! The last segment is opened first, so that an object that was cut short is refused before
//! anything of it is given out. A request for the last bytes also gives the length: so both are
//! asked for at once, with the segment size of this store as the guess for how many those are.
//! From then on every request names the ETag that was seen.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use futures_util::future::join;
use object_store::path::Path;
use object_store::{
    Attributes, Error, Extensions, GetOptions, GetRange, GetResult, ObjectMeta, Result,
};
use polyseal_file::{Header, MIN_HEADER_BYTES, Outline, Payload, Stored};

use crate::error::{ObjectError, Replaced};
use crate::store::Core;

/// The longest tag of a suite in bytes.
const MAX_TAG_BYTES: u64 = 64;
/// How often opening begins anew if the object is replaced between its two requests.
const ATTEMPTS: usize = 5;

/// Which version of an object is read.
#[derive(Clone, Debug)]
pub(crate) struct Pin {
    meta: ObjectMeta,
    /// A version that was asked for, and not merely met.
    version: Option<String>,
    extensions: Extensions,
}

/// An object whose end is certain.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) pin: Pin,
    pub(crate) payload: Arc<Payload>,
}

/// What opening has brought.
pub(crate) struct Opened {
    pub(crate) known: Known,
    pub(crate) attributes: Attributes,
    /// The stored bytes at the end, and where they begin.
    pub(crate) tail: (u64, Bytes),
}

impl Pin {
    fn new(meta: ObjectMeta, options: &GetOptions) -> Self {
        let extensions = options.extensions.clone();
        Self { meta, version: options.version.clone(), extensions }
    }

    /// Whether this is the same version.
    pub(crate) fn is(&self, meta: &ObjectMeta) -> bool {
        let mine = &self.meta;
        match (&mine.e_tag, &meta.e_tag) {
            (Some(mine), Some(other)) if mine != other => return false,
            (Some(_), Some(_)) => {}
            _ if mine.last_modified != meta.last_modified => return false,
            _ => {}
        }
        mine.size == meta.size
    }

    /// What asks for a range of this version, and of no other.
    pub(crate) fn options(&self, range: Range<u64>) -> GetOptions {
        GetOptions {
            range: Some(GetRange::Bounded(range)),
            if_match: self.meta.e_tag.clone(),
            version: self.version.clone(),
            extensions: self.extensions.clone(),
            ..GetOptions::default()
        }
    }
}

impl Known {
    /// What is told of the object: the size is that of the plaintext.
    pub(crate) fn meta(&self) -> ObjectMeta {
        ObjectMeta { size: self.payload.plaintext_bytes(), ..self.pin.meta.clone() }
    }
}

impl Core {
    /// Stored bytes of the version of an object that is being read. The range is not empty.
    pub(crate) async fn fetch(
        &self,
        location: &Path,
        pin: &Pin,
        range: Range<u64>,
    ) -> Result<GetResult> {
        match self.inner.get_opts(location, pin.options(range.clone())).await {
            Ok(got) if pin.is(&got.meta) && got.range == range => Ok(got),
            Ok(_) | Err(Error::Precondition { .. } | Error::NotFound { .. }) => {
                Err(Replaced::at(location))
            }
            Err(error) => Err(error),
        }
    }

    /// Opens an object, if its preconditions hold.
    pub(crate) async fn open(&self, location: &Path, options: &GetOptions) -> Result<Opened> {
        let mut attempt = 1;
        loop {
            match self.open_once(location, options).await {
                Err(error) if Replaced::is_in(&error) && attempt < ATTEMPTS => attempt += 1,
                other => return other,
            }
        }
    }

    async fn open_once(&self, location: &Path, options: &GetOptions) -> Result<Opened> {
        let ask = |range| {
            let options = GetOptions { range: Some(range), head: false, ..options.clone() };
            self.inner.get_opts(location, options)
        };
        let beginning = async {
            let got = ask(GetRange::Bounded(0..MIN_HEADER_BYTES as u64)).await?;
            let (meta, attributes) = (got.meta.clone(), got.attributes.clone());
            Ok((meta, attributes, got.bytes().await?))
        };
        let end = async {
            if self.no_suffix.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let guess = u64::from(self.segment.bytes()) + MAX_TAG_BYTES;
            let got = match ask(GetRange::Suffix(guess)).await {
                Err(Error::NotSupported { .. }) => {
                    self.no_suffix.store(true, Ordering::Relaxed);
                    return Ok(None);
                }
                other => other?,
            };
            let (meta, attributes) = (got.meta.clone(), got.attributes.clone());
            let start = got.range.start;
            Ok::<_, Error>(Some((meta, attributes, start, got.bytes().await?)))
        };
        let (beginning, end) = join(beginning, end).await;
        let (meta, attributes, mut header) = match (beginning, &end) {
            // The whole object: one answer is of one version.
            (Ok(_), Ok(Some((meta, attributes, 0, bytes)))) => {
                (meta.clone(), attributes.clone(), bytes.slice(..bytes.len().min(MIN_HEADER_BYTES)))
            }
            (Ok(beginning), _) => beginning,
            (Err(error), _) => {
                return Err(self.why_no_beginning(location, options.clone(), error).await);
            }
        };
        let refused = |error| ObjectError::at(location, error);
        let header_bytes = Outline::parse(&header).map_err(refused)?.header_bytes();
        let pin = Pin::new(meta, options);
        let stored = pin.meta.size;
        let mut tail = (stored, Bytes::new());
        if let Some((meta, _, start, bytes)) = end? {
            if !pin.is(&meta) || start + bytes.len() as u64 != stored {
                return Err(Replaced::at(location));
            }
            tail = (start, bytes);
        }
        if header_bytes > header.len() as u64 && header_bytes < stored {
            let got = self.fetch(location, &pin, header.len() as u64..header_bytes).await?;
            header = [header, got.bytes().await?].concat().into();
        }
        let head = self
            .decrypt(location, move |decryptor| {
                decryptor.payload_head(&Header::parse(&header)?, Stored::File(stored))
            })
            .await?;
        let last = head.last_range();
        if last.start < tail.0 {
            let got = self.fetch(location, &pin, last.start..tail.0).await?;
            tail = (last.start, [got.bytes().await?, tail.1].concat().into());
        }
        let segment = tail.1.slice((last.start - tail.0) as usize..);
        let payload = Arc::new(head.certain(&segment).map_err(refused)?);
        let known = Known { pin, payload };
        if options.version.is_none() && known.pin.meta.e_tag.is_some() {
            self.known.put(location.clone(), known.clone());
        }
        Ok(Opened { known, attributes, tail })
    }
}
