//! Reading an object: its beginning right away, the rest as it is asked for, all of one version.

use std::io::{self, Read};
use std::ops::Range;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::{Attributes, Error, GetOptions, GetRange, ObjectMeta, ObjectStoreExt};
use polyseal_file::{MAX_HEADER_BYTES, ReadAt};

use super::store::{Object, wait};
use crate::error::{Failure, Result};

/// One version of an object, read at offsets.
pub(crate) struct Pinned {
    object: Object,
    meta: ObjectMeta,
    attributes: Attributes,
    /// The first bytes.
    beginning: Bytes,
}

/// The same, read from its beginning to its end, too.
pub(crate) struct ObjectReader {
    pinned: Pinned,
    at: u64,
    chunk: Bytes,
    rest: Option<BoxStream<'static, object_store::Result<Bytes>>>,
}

impl Pinned {
    /// The version that is there now, with so many of its first bytes.
    pub(crate) fn open(object: &Object, bytes: usize) -> io::Result<object_store::Result<Self>> {
        let options = GetOptions::new().with_range(Some(GetRange::Bounded(0..bytes as u64)));
        wait(async {
            let got = match object.store.get_opts(&object.key, options).await {
                // No range can be had of an empty object.
                Err(Error::Generic { .. }) => object.store.get(&object.key).await?,
                other => other?,
            };
            let (meta, attributes) = (got.meta.clone(), got.attributes.clone());
            let beginning = if meta.size == 0 { Bytes::new() } else { got.bytes().await? };
            Ok(Self { object: object.clone(), meta, attributes, beginning })
        })
    }

    pub(crate) fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    /// The first bytes, as many as were asked for.
    pub(crate) fn beginning(&self) -> &[u8] {
        &self.beginning
    }

    async fn get(&self, range: Range<u64>) -> object_store::Result<object_store::GetResult> {
        let options = GetOptions::new()
            .with_range(Some(GetRange::Bounded(range)))
            .with_if_match(self.meta.e_tag.clone());
        let got = self.object.store.get_opts(&self.object.key, options).await?;
        let same = got.meta.e_tag == self.meta.e_tag
            && got.meta.size == self.meta.size
            && (got.meta.e_tag.is_some() || got.meta.last_modified == self.meta.last_modified);
        if same {
            Ok(got)
        } else {
            let path = self.object.key.to_string();
            Err(Error::Precondition { path, source: "another version".into() })
        }
    }

    pub(crate) async fn bytes(&self, range: Range<u64>) -> io::Result<Bytes> {
        let bytes = async { self.get(range).await?.bytes().await }.await;
        bytes.map_err(|error| self.object.io_error(&error))
    }
}

impl ReadAt for Pinned {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let end = offset.saturating_add(buffer.len() as u64).min(self.meta.size);
        if offset >= end {
            return Ok(0);
        }
        let bytes = if end <= self.beginning.len() as u64 {
            self.beginning.slice(offset as usize..end as usize)
        } else {
            wait(self.bytes(offset..end))??
        };
        let bytes = &bytes[..bytes.len().min(buffer.len())];
        buffer[..bytes.len()].copy_from_slice(bytes);
        Ok(bytes.len())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.meta.size)
    }
}

impl ObjectReader {
    pub(crate) fn open(path: &std::path::Path) -> Result<Self> {
        let object = Object::named(path)?;
        let pinned = Pinned::open(&object, MAX_HEADER_BYTES)
            .map_err(|error| Failure::io("read", path, &error))?
            .map_err(|error| object.failure("read", &error))?;
        let chunk = pinned.beginning.clone();
        Ok(Self { pinned, at: 0, chunk, rest: None })
    }

    pub(crate) fn object(&self) -> &Object {
        &self.pinned.object
    }

    pub(crate) fn meta(&self) -> &ObjectMeta {
        self.pinned.meta()
    }

    pub(crate) fn attributes(&self) -> &Attributes {
        &self.pinned.attributes
    }

    /// The first bytes, as many as a header may have.
    pub(crate) fn beginning(&self) -> &[u8] {
        self.pinned.beginning()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.pinned.meta.size
    }
}

impl Read for ObjectReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() && self.at < self.pinned.meta.size {
            let failed = |error: &Error| self.pinned.object.io_error(error);
            let mut rest = match self.rest.take() {
                Some(rest) => rest,
                None => wait(self.pinned.get(self.at..self.pinned.meta.size))?
                    .map_err(|error| failed(&error))?
                    .into_stream(),
            };
            match wait(rest.next())? {
                Some(chunk) => self.chunk = chunk.map_err(|error| failed(&error))?,
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
            self.rest = Some(rest);
        }
        let bytes = buffer.len().min(self.chunk.len());
        buffer[..bytes].copy_from_slice(&self.chunk.split_to(bytes));
        self.at += bytes as u64;
        Ok(bytes)
    }
}

impl ReadAt for ObjectReader {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.pinned.read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        self.pinned.size()
    }
}
