//! Opening an object: its header and its last segment, in one round of requests.
//!
//! [`Opener`] says what is wanted and what the answers mean; here they are fetched. Once a version
//! has been seen, every request names its ETag, if that is a strong one.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use futures_util::future::join_all;
use object_store::path::Path;
use object_store::{
    Attributes, Error, Extensions, GetOptions, GetRange, GetResult, ObjectMeta, Result,
};
use polyseal_file::{Answer, Decryptor, Opener, Payload, Step, Version, Wanted};

use crate::bounded::bounded;
use crate::error::{ObjectError, Replaced};
use crate::store::Core;

/// Which version of an object is read.
#[derive(Clone, Debug)]
pub(crate) struct Pin {
    meta: ObjectMeta,
    seen: Version,
    /// A version that was asked for, and not merely met.
    asked: Option<String>,
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

/// What is told of an object, as the rule for versions takes it.
pub(crate) fn version(meta: &ObjectMeta) -> Version {
    Version::new(meta.size)
        .with_tag(meta.e_tag.as_deref())
        .with_mark(meta.last_modified.to_rfc3339())
}

/// What asks for these bytes.
pub(crate) fn range(wanted: &Wanted) -> GetRange {
    match wanted {
        Wanted::First(bytes) => GetRange::Bounded(0..*bytes),
        Wanted::Last(bytes) => GetRange::Suffix(*bytes),
        Wanted::Range(range) => GetRange::Bounded(range.clone()),
    }
}

impl Pin {
    fn new(meta: ObjectMeta, options: &GetOptions) -> Self {
        let (seen, extensions) = (version(&meta), options.extensions.clone());
        Self { meta, seen, asked: options.version.clone(), extensions }
    }

    /// Whether this is the same version.
    pub(crate) fn is(&self, meta: &ObjectMeta) -> bool {
        self.seen.is(&version(meta))
    }

    /// What asks for a range of this version, and of no other.
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
                Err(error) if Replaced::is_in(&error) && attempt < Opener::ATTEMPTS => attempt += 1,
                other => return other,
            }
        }
    }

    async fn open_once(&self, location: &Path, options: &GetOptions) -> Result<Opened> {
        let mut opener = Opener::new().segment_size(self.segment);
        if self.no_suffix.load(Ordering::Relaxed) {
            opener = opener.in_turn();
        }
        let refused = |error| match error {
            polyseal_file::Error::Replaced => Replaced::at(location),
            other => ObjectError::at(location, other),
        };
        let mut seen: Option<(Pin, Attributes)> = None;
        loop {
            match opener.step() {
                Step::Fetch(wanted) => {
                    let pin = seen.as_ref().map(|(pin, _)| pin);
                    let asked =
                        wanted.iter().cloned().map(|it| self.ask(location, options, pin, it));
                    for (wanted, got) in wanted.iter().zip(join_all(asked).await) {
                        match (wanted, got) {
                            (Wanted::Last(_), Err(Error::NotSupported { .. })) => {
                                self.no_suffix.store(true, Ordering::Relaxed);
                            }
                            (_, Ok((meta, attributes, answer))) => {
                                opener.take(wanted, answer).map_err(refused)?;
                                seen = Some((Pin::new(meta, options), attributes));
                            }
                            (Wanted::First(_), Err(error)) => {
                                let options = options.clone();
                                return Err(self.why_no_beginning(location, options, error).await);
                            }
                            (_, Err(error)) => return Err(error),
                        }
                    }
                }
                Step::Unlock => {
                    let unlock =
                        move |decryptor: &Decryptor<'_>| opener.unlock(decryptor).map(|()| opener);
                    opener = self.decrypt(location, unlock).await?;
                }
                Step::Open => break,
            }
        }
        let opened = opener.open().map_err(refused)?;
        let not_fetched = || refused(polyseal_file::Error::NotFetched);
        let (pin, attributes) = seen.ok_or_else(not_fetched)?;
        let known = Known { pin, payload: Arc::new(opened.payload) };
        if options.version.is_none() && known.pin.meta.e_tag.is_some() {
            self.known.put(location.clone(), known.clone());
        }
        Ok(Opened { known, attributes, tail: (opened.end_start, opened.end.into()) })
    }

    /// Asks for bytes of an object, of one version if one has been seen.
    async fn ask(
        &self,
        location: &Path,
        options: &GetOptions,
        pin: Option<&Pin>,
        wanted: Wanted,
    ) -> Result<(ObjectMeta, Attributes, Answer)> {
        let got = match (pin, &wanted) {
            (Some(pin), Wanted::Range(range)) => self.fetch(location, pin, range.clone()).await?,
            _ => {
                let options =
                    GetOptions { range: Some(range(&wanted)), head: false, ..options.clone() };
                self.inner.get_opts(location, options).await?
            }
        };
        let (meta, attributes) = (got.meta.clone(), got.attributes.clone());
        let (version, start) = (version(&meta), got.range.start);
        let most = wanted.range(meta.size);
        let bytes = bounded(got, most.end - most.start).await?;
        Ok((meta, attributes, Answer { version, start, bytes }))
    }
}
