//! Reading: ranges of the plaintext become ranges of segments, and those are opened as they come.

use std::ops::Range;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::stream::{BoxStream, try_unfold};
use futures_util::{FutureExt, StreamExt};
use object_store::path::Path;
use object_store::{
    Error, GetOptions, GetRange, GetResult, GetResultPayload, OBJECT_STORE_COALESCE_DEFAULT,
    ObjectStore, Result, coalesce_ranges,
};
use polyseal_file::Payload;

use crate::compute::compute;
use crate::error::{ObjectError, Replaced, generic};
use crate::fetch::{fetch, fetch_bytes};
use crate::open::{OpenedObject, PinnedPayload};
use crate::statement::HeldHashes;
use crate::store::Core;

/// Bytes of plaintext that are opened together and given out as one buffer, or one segment if that
/// is more.
const TOGETHER: u64 = 1024 * 1024;

impl Core {
    pub(crate) async fn get(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        if let Some(got) = self.get_known(location, &options).await? {
            return Ok(got);
        }
        let OpenedObject { known, attributes, tail } = self.open(location, &options).await?;
        let range = resolve_range(options.range.as_ref(), known.payload.plaintext_bytes())?;
        let covered = self.cover_first(location, &known, &range).await?;
        let stored = known.payload.stored_range(range.clone());
        let (tail_start, tail) = tail;
        let split = stored.end.min(tail_start).max(stored.start);
        let before = if stored.start < split {
            let got = fetch(&*self.inner, location, &known.pin, stored.start..split).await?;
            got.into_stream()
        } else {
            futures_util::stream::empty().boxed()
        };
        let behind = match tail_start <= stored.end && split < stored.end {
            true => tail.slice((split - tail_start) as usize..(stored.end - tail_start) as usize),
            false => Bytes::new(),
        };
        let stored = before.chain(futures_util::stream::iter([Ok(behind)])).boxed();
        Ok(self.result(location, known, range, attributes, stored, covered))
    }

    /// The hashes for as much of a range as is covered at once.
    async fn cover_first(
        &self,
        location: &Path,
        known: &PinnedPayload,
        range: &Range<u64>,
    ) -> Result<Covered> {
        let window = known.window(range);
        let hashes = known.cover(&*self.inner, location, window.clone()).await?;
        Ok(Covered { until: window.end, _hashes: hashes })
    }

    /// The same in one request, if the object has been opened before and is still the same.
    async fn get_known(&self, location: &Path, options: &GetOptions) -> Result<Option<GetResult>> {
        // `If-Match` is for the version that is known: then what else depends on it is not looked
        // at by a store.
        let other = options.if_match.is_some() || options.if_unmodified_since.is_some();
        if other || options.version.is_some() {
            return Ok(None);
        }
        let Some(known) = self.known.get(location) else { return Ok(None) };
        let range = resolve_range(options.range.as_ref(), known.payload.plaintext_bytes());
        let Ok(range) = range else { return Ok(None) };
        let stored = known.payload.stored_range(range.clone());
        if stored.is_empty() {
            return Ok(None);
        }
        let ask = GetOptions {
            if_none_match: options.if_none_match.clone(),
            if_modified_since: options.if_modified_since,
            extensions: options.extensions.clone(),
            ..known.pin.options(stored.clone())
        };
        let covered = match self.cover_first(location, &known, &range).await {
            Ok(covered) => covered,
            // Another statement is there by now.
            Err(error) if Replaced::is_in(&error) => {
                self.known.forget(location);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        match self.inner.get_opts(location, ask).await {
            Ok(got) if known.pin.matches(&got.meta) && got.range == stored => {
                let attributes = got.attributes.clone();
                let stored = got.into_stream();
                Ok(Some(self.result(location, known, range, attributes, stored, covered)))
            }
            Ok(_) | Err(Error::Precondition { .. }) => {
                self.known.forget(location);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn get_ranges(
        &self,
        location: &Path,
        ranges: &[Range<u64>],
    ) -> Result<Vec<Bytes>> {
        if ranges.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(known) = self.known.get(location) {
            match self.open_ranges(location, &known, None, ranges).await {
                // Nothing has been given out: all of them are read anew.
                Err(error) if Replaced::is_in(&error) => self.known.forget(location),
                // It may be longer by now.
                Err(_) if any_beyond(ranges, &known) => self.known.forget(location),
                other => return other,
            }
        }
        let OpenedObject { known, tail, .. } = self.open(location, &GetOptions::default()).await?;
        self.open_ranges(location, &known, Some(tail), ranges).await
    }

    async fn open_ranges(
        &self,
        location: &Path,
        known: &PinnedPayload,
        tail: Option<(u64, Bytes)>,
        ranges: &[Range<u64>],
    ) -> Result<Vec<Bytes>> {
        let length = known.payload.plaintext_bytes();
        let ranges = ranges
            .iter()
            .map(|range| resolve_range(Some(&GetRange::Bounded(range.clone())), length))
            .collect::<Result<Vec<_>>>()?;
        // Ranges in one segment are fetched and opened once.
        let gap = u64::from(known.payload.segment_size().bytes());
        let gap = gap.max(OBJECT_STORE_COALESCE_DEFAULT);
        let tail = &tail;
        let opened = |range: Range<u64>| {
            async move {
                let _covered = known.cover(&*self.inner, location, range.clone()).await?;
                let stored = known.payload.stored_range(range.clone());
                let bytes = match tail {
                    Some((start, bytes)) if *start <= stored.start => {
                        bytes.slice((stored.start - start) as usize..(stored.end - start) as usize)
                    }
                    _ => fetch_bytes(&*self.inner, location, &known.pin, stored).await?.into(),
                };
                open(&known.payload, location, range, bytes).await
            }
            .boxed()
        };
        coalesce_ranges(&ranges, opened, gap).await
    }

    fn result(
        &self,
        location: &Path,
        known: PinnedPayload,
        range: Range<u64>,
        attributes: object_store::Attributes,
        stored: BoxStream<'static, Result<Bytes>>,
        covered: Covered,
    ) -> GetResult {
        let meta = known.meta();
        let opening = PlaintextStream {
            store: Arc::clone(&self.inner),
            location: location.clone(),
            known,
            rest: range.clone(),
            covered,
            stored,
            chunk: Bytes::new(),
            collected: BytesMut::new(),
        };
        let stream = try_unfold(opening, |opening| opening.next()).boxed();
        GetResult { payload: GetResultPayload::Stream(stream), meta, range, attributes }
    }
}

fn any_beyond(ranges: &[Range<u64>], known: &PinnedPayload) -> bool {
    ranges.iter().any(|range| range.end > known.payload.plaintext_bytes())
}

/// The part of a plaintext of `length` bytes that is asked for.
fn resolve_range(range: Option<&GetRange>, length: u64) -> Result<Range<u64>> {
    range.map_or(Ok(0..length), |range| range.as_range(length).map_err(generic))
}

/// The hashes for the plaintext up to some byte, if a statement is required.
struct Covered {
    until: u64,
    _hashes: Option<HeldHashes>,
}

/// A plaintext that is being opened as its segments arrive.
struct PlaintextStream {
    store: Arc<dyn ObjectStore>,
    location: Path,
    known: PinnedPayload,
    /// The rest of the plaintext, still to come.
    rest: Range<u64>,
    covered: Covered,
    stored: BoxStream<'static, Result<Bytes>>,
    /// Bytes that have arrived, and are not collected yet.
    chunk: Bytes,
    collected: BytesMut,
}

impl PlaintextStream {
    /// The next buffer of plaintext.
    async fn next(mut self) -> Result<Option<(Bytes, Self)>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        // Up to a multiple, so that no segment is in two buffers.
        let payload = &self.known.payload;
        let unit = TOGETHER.max(payload.segment_size().bytes().into());
        let end = (self.rest.start / unit + 1).saturating_mul(unit).min(self.rest.end);
        let range = self.rest.start..end;
        let stored = payload.stored_range(range.clone());
        let stored = self.take((stored.end - stored.start) as usize).await?;
        if self.covered.until < end {
            let window = self.known.window(&self.rest);
            let hashes = self.known.cover(&*self.store, &self.location, window.clone()).await?;
            self.covered = Covered { until: window.end, _hashes: hashes };
        }
        let plaintext = open(&self.known.payload, &self.location, range, stored).await?;
        self.rest.start = end;
        Ok(Some((plaintext, self)))
    }

    /// The next `bytes` stored bytes.
    async fn take(&mut self, bytes: usize) -> Result<Bytes> {
        loop {
            if self.collected.is_empty() && self.chunk.len() >= bytes {
                return Ok(self.chunk.split_to(bytes));
            }
            let wanted = bytes - self.collected.len();
            self.collected.reserve(wanted);
            self.collected.extend_from_slice(&self.chunk.split_to(wanted.min(self.chunk.len())));
            if self.collected.len() == bytes {
                return Ok(self.collected.split().freeze());
            }
            self.chunk = match self.stored.next().await {
                Some(chunk) => chunk?,
                None => {
                    let short =
                        format!("{}: the store sent fewer bytes than it has", self.location);
                    return Err(generic(short));
                }
            };
        }
    }
}

/// A part of the plaintext, from the stored bytes of its segments. It is wiped when the last who
/// holds it drops it.
async fn open(
    payload: &Arc<Payload>,
    location: &Path,
    range: Range<u64>,
    stored: Bytes,
) -> Result<Bytes> {
    let (payload, location) = (Arc::clone(payload), location.clone());
    compute(stored.len(), move || {
        let plaintext = payload.open_range(range, &stored);
        plaintext.map(Bytes::from_owner).map_err(|error| ObjectError::at(&location, error))
    })
    .await
}
