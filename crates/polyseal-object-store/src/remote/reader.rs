//! Reading an object that is named by a URL: one version of it, at offsets or from front to back.
//!
//! Both ends come first, at once, as [`Opener`] wants them; then the requested ranges. A server
//! that gives no parts of objects is read from front to back, in one request: then nothing is read
//! twice, and little of it is in memory.

use std::io::{self, Read};
use std::ops::Range;

use bytes::Bytes;
use chrono::DateTime;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::{
    Attributes, Error as StoreError, GetOptions, GetResult, ObjectMeta, ObjectStore,
};
use polyseal_file::{Header, Opener, Outline, ReadAt, Step, Version};
use polyseal_http::cloud::answers::{EmptyObject, find};
use polyseal_http::cloud::whole_object;

use super::bucket::Object;
use super::error::{Error, Problem};
use super::runtime::wait;
use crate::fetch::{
    BROKEN, ObjectFetcher, PinnedVersion, fetch, fetch_bytes, refused, retry_if_replaced, version,
};

/// One version of an object, read at offsets.
#[derive(Debug)]
pub struct PinnedObject {
    object: Object,
    pin: PinnedVersion,
    attributes: Attributes,
    /// The object's first and last bytes; whoever opens it goes on with a fork.
    ends: Opener,
}

/// An object that is read from front to back.
#[derive(Debug)]
pub struct ObjectReader {
    mode: ReadMode,
    at: u64,
    chunk: Bytes,
    rest: Option<Stream>,
    broken: u32,
}

#[derive(Debug)]
enum ReadMode {
    /// Also at offsets.
    Pinned(Box<PinnedObject>),
    /// As it comes, from a server that gives no parts.
    Forward(Box<ForwardReader>),
}

#[derive(Debug)]
struct ForwardReader {
    object: Object,
    meta: ObjectMeta,
    attributes: Attributes,
}

/// The bytes still to come.
struct Stream(BoxStream<'static, object_store::Result<Bytes>>);

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stream")
    }
}

impl PinnedObject {
    /// The version that is there now, with its first bytes and its last ones.
    ///
    /// # Errors
    /// [`Problem::NoRanges`], and other errors of the store.
    pub fn open(object: &Object) -> Result<Self, Error> {
        Self::begin(object, Opener::new)
    }

    /// The same with the first bytes alone, to tell which kind of file it is.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn look(object: &Object) -> Result<Self, Error> {
        Self::begin(object, || Opener::new().sequential())
    }

    fn begin(object: &Object, opener: fn() -> Opener) -> Result<Self, Error> {
        let begun = object.wait(retry_if_replaced(|| Self::begin_once(object, opener())));
        begun.map(|(pin, attributes, ends)| Self { object: object.clone(), pin, attributes, ends })
    }

    async fn begin_once(
        object: &Object,
        mut ends: Opener,
    ) -> object_store::Result<(PinnedVersion, Attributes, Opener)> {
        let (store, location) = (&*object.bucket.store, &object.path);
        let options = GetOptions::default();
        let mut fetching =
            ObjectFetcher { store, location, options: &options, seen: None, no_suffix: false };
        let not_fetched = || refused(location, polyseal_file::Error::NotFetched);
        let Step::Fetch(wanted) = ends.step() else { return Err(not_fetched()) };
        match fetching.step(&mut ends, wanted).await {
            Ok(()) => {}
            // No part can be had of an empty object.
            Err(error) => {
                let Some(EmptyObject { e_tag }) = find(&error) else { return Err(error) };
                let meta = ObjectMeta {
                    location: location.clone(),
                    last_modified: DateTime::UNIX_EPOCH,
                    size: 0,
                    e_tag: e_tag.clone(),
                    version: None,
                };
                let ends = Opener::for_version(version(&meta));
                return Ok((PinnedVersion::new(meta, &options), Attributes::default(), ends));
            }
        }
        let (pin, attributes) = fetching.seen.ok_or_else(not_fetched)?;
        Ok((pin, attributes, ends))
    }

    /// The store's metadata: the size is that of the stored bytes.
    #[must_use]
    pub fn meta(&self) -> &ObjectMeta {
        &self.pin.meta
    }

    /// The same, as the rule for versions takes it.
    #[must_use]
    pub fn version(&self) -> Version {
        version(self.meta())
    }

    /// The first bytes, as many as a short header has, or all.
    #[must_use]
    pub fn beginning(&self) -> &[u8] {
        self.ends.bytes_from(0).unwrap_or_default()
    }

    /// The bytes that have come already from `offset` on.
    #[cfg(feature = "trees")]
    pub(super) fn bytes_from(&self, offset: u64) -> &[u8] {
        self.ends.bytes_from(offset).unwrap_or_default()
    }

    /// The header of the encrypted file that it is.
    ///
    /// # Errors
    /// As [`Header::parse`], and [`polyseal_file::Error::Io`].
    pub fn header(&self) -> polyseal_file::Result<Header> {
        let mut bytes = self.beginning().to_vec();
        let (have, needed) = (bytes.len() as u64, Outline::parse(&bytes)?.header_bytes());
        if have < needed && needed <= self.meta().size {
            let rest = wait(self.bytes(have..needed)).and_then(|bytes| bytes);
            let failed = |source| polyseal_file::Error::Io { what: "read the input", source };
            bytes.extend_from_slice(&rest.map_err(failed)?);
        }
        Header::parse(&bytes)
    }

    /// The store's attributes of the object.
    #[must_use]
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// The object.
    #[must_use]
    pub fn object(&self) -> &Object {
        &self.object
    }

    pub(super) async fn get(&self, range: Range<u64>) -> object_store::Result<GetResult> {
        fetch(&*self.object.bucket.store, &self.object.path, &self.pin, range).await
    }

    /// Bytes of this version.
    pub(super) async fn bytes(&self, range: Range<u64>) -> io::Result<Bytes> {
        let (store, location) = (&*self.object.bucket.store, &self.object.path);
        let bytes = fetch_bytes(store, location, &self.pin, range).await;
        bytes.map(Bytes::from).map_err(|error| self.object.failed(&error).into())
    }
}

impl ReadAt for PinnedObject {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let end = offset.saturating_add(buffer.len() as u64).min(self.pin.meta.size);
        if offset >= end {
            return Ok(0);
        }
        let fetched;
        let bytes = match self.ends.bytes_from(offset) {
            Some(held) if !held.is_empty() => held,
            _ => {
                fetched = wait(self.bytes(offset..end))??;
                &fetched
            }
        };
        let bytes = &bytes[..bytes.len().min((end - offset) as usize)];
        buffer[..bytes.len()].copy_from_slice(bytes);
        Ok(bytes.len())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.pin.meta.size)
    }

    fn opener(&self) -> io::Result<Opener> {
        Ok(self.ends.fork())
    }
}

impl ObjectReader {
    /// The version that is there now.
    ///
    /// # Errors
    /// The store's error.
    pub fn open(object: &Object) -> Result<Self, Error> {
        let (mode, rest) = match PinnedObject::open(object) {
            Ok(pinned) => (ReadMode::Pinned(Box::new(pinned)), None),
            Err(error) if matches!(error.problem(), Problem::NoRanges) => {
                let got =
                    object.wait(object.bucket.store.get_opts(&object.path, whole_object()))?;
                let (meta, attributes) = (got.meta.clone(), got.attributes.clone());
                let rest = Some(Stream(got.into_stream()));
                let object = object.clone();
                (ReadMode::Forward(Box::new(ForwardReader { object, meta, attributes })), rest)
            }
            Err(error) => return Err(error),
        };
        Ok(Self { mode, at: 0, chunk: Bytes::new(), rest, broken: 0 })
    }

    /// The object's name, without the query of a URL.
    #[must_use]
    pub fn name(&self) -> String {
        self.object().url.to_string()
    }

    /// The object.
    #[must_use]
    pub fn object(&self) -> &Object {
        match &self.mode {
            ReadMode::Pinned(pinned) => &pinned.object,
            ReadMode::Forward(forward) => &forward.object,
        }
    }

    /// The store's metadata of the object.
    #[must_use]
    pub fn meta(&self) -> &ObjectMeta {
        match &self.mode {
            ReadMode::Pinned(pinned) => pinned.meta(),
            ReadMode::Forward(forward) => &forward.meta,
        }
    }

    /// The store's attributes of the object.
    #[must_use]
    pub fn attributes(&self) -> &Attributes {
        match &self.mode {
            ReadMode::Pinned(pinned) => &pinned.attributes,
            ReadMode::Forward(forward) => &forward.attributes,
        }
    }

    /// The same, read at offsets.
    ///
    /// # Errors
    /// [`Problem::NoRanges`].
    pub fn pinned(self) -> Result<PinnedObject, Error> {
        match self.mode {
            ReadMode::Pinned(pinned) => Ok(*pinned),
            ReadMode::Forward(forward) => {
                Err(Error::new(forward.object.url.to_string(), Problem::NoRanges))
            }
        }
    }

    /// The next bytes, none at the end.
    fn next(&mut self) -> io::Result<Bytes> {
        let size = self.meta().size;
        if self.at >= size {
            return Ok(Bytes::new());
        }
        if let ReadMode::Pinned(pinned) = &self.mode
            && let Some(held) = pinned.ends.bytes_from(self.at).filter(|held| !held.is_empty())
        {
            self.rest = None;
            return Ok(Bytes::copy_from_slice(held));
        }
        let mut rest = match (self.rest.take(), &self.mode) {
            (Some(rest), _) => rest,
            (None, ReadMode::Pinned(pinned)) => {
                let behind = pinned.ends.missing(self.at..size).unwrap_or(self.at..size);
                let got = pinned.object.wait(pinned.get(behind))?;
                Stream(got.into_stream())
            }
            (None, ReadMode::Forward(_)) => return Err(io::ErrorKind::UnexpectedEof.into()),
        };
        match wait(rest.0.next())? {
            Some(Ok(chunk)) => {
                self.rest = Some(rest);
                self.broken = 0;
                Ok(chunk)
            }
            other => self.retry(other.and_then(Result::err)),
        }
    }

    /// Goes on after a stream broke off, or ended early. If the object has no ETag, nobody has
    /// asked again yet.
    fn retry(&mut self, error: Option<StoreError>) -> io::Result<Bytes> {
        self.broken += 1;
        match (&self.mode, error) {
            (ReadMode::Pinned(pinned), _)
                if pinned.pin.meta.e_tag.is_none() && self.broken < BROKEN =>
            {
                self.next()
            }
            (_, Some(error)) => Err(self.object().failed(&error).into()),
            (_, None) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl Read for ObjectReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.chunk.is_empty() {
            self.chunk = self.next()?;
        }
        let bytes = buffer.len().min(self.chunk.len());
        buffer[..bytes].copy_from_slice(&self.chunk.split_to(bytes));
        self.at += bytes as u64;
        Ok(bytes)
    }
}
