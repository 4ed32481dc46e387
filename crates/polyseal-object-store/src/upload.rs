//! Multipart uploads: parts of plaintext come in, in any sizes; parts of equal size go out.
//!
//! Segments are taken in the order of the parts, when a part is handed in; the tasks that wait for
//! parts seal them, several at once; the sealed bytes go to the inner store in their order. From
//! the 5,000th part of an object on, parts are larger, so that as many as a store takes are enough
//! for 5 TiB.
//!
//! The last byte is always held back, for the last segment must be sealed as the last one. The
//! header goes first.
//!
//! Memory: of each part that is under way its plaintext and what it is sealed to, and one part that
//! is not full yet. The object appears when the inner store completes the upload, and not before;
//! [`abort`](MultipartUpload::abort) leaves nothing.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::try_join_all;
use object_store::path::Path;
use object_store::{Extensions, MultipartUpload, PutPayload, PutResult, Result, UploadPart};
use polyseal_file::StreamSealer;
use tokio::sync::Mutex;

use crate::compute::compute;
use crate::error::{ObjectError, generic};
use crate::part_sizes::PartSizes;
use crate::statement::{self, PendingStatement};
use crate::store::Core;

/// The smallest part that goes out, but for the last one. S3 takes no less than 5 MiB. If the first
/// part that is handed in is larger, parts have that size.
const MIN_PART_BYTES: u64 = 8 * 1024 * 1024;

pub(crate) struct Upload {
    core: Arc<Core>,
    location: Path,
    /// None once the upload is at its end.
    sealer: Option<StreamSealer>,
    /// The statement about the object, if it is signed.
    pending: Option<PendingStatement>,
    extensions: Extensions,
    /// Plaintext that is not in a segment that has been taken.
    waiting: VecDeque<Bytes>,
    waiting_bytes: u64,
    /// How many pieces have been taken.
    pieces: usize,
    queue: Arc<Mutex<Queue>>,
    /// As long as the first part that was handed in.
    usual: Option<u64>,
}

/// Sealed bytes on their way to the inner store.
struct Queue {
    inner: Box<dyn MultipartUpload>,
    /// None before the first part.
    sizes: Option<PartSizes>,
    /// Pieces before which others are not sealed yet.
    early: BTreeMap<usize, Bytes>,
    next: usize,
    /// Bytes that are not a full part yet, in their order.
    out: VecDeque<Bytes>,
    out_bytes: usize,
    /// The pieces that have been sealed, and whose parts, if there were any, have arrived.
    done: usize,
}

impl Upload {
    pub(crate) fn new(
        core: &Arc<Core>,
        location: &Path,
        (sealer, pending): (StreamSealer, Option<PendingStatement>),
        inner: Box<dyn MultipartUpload>,
        extensions: Extensions,
    ) -> Self {
        let header = Bytes::copy_from_slice(sealer.header().as_bytes());
        let queue = Queue {
            inner,
            sizes: None,
            early: BTreeMap::new(),
            next: 0,
            out_bytes: header.len(),
            out: [header].into(),
            done: 0,
        };
        Self {
            core: Arc::clone(core),
            location: location.clone(),
            sealer: Some(sealer),
            pending,
            extensions,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            pieces: 0,
            queue: Arc::new(Mutex::new(queue)),
            usual: None,
        }
    }

    fn ended(&self) -> object_store::Error {
        generic(format!("{}: the upload has been completed or aborted", self.location))
    }
}

impl Queue {
    /// Puts a piece in its place, and sends a part that is full now.
    fn place(&mut self, piece: usize, sealed: Bytes, usual: u64) -> Vec<UploadPart> {
        self.early.insert(piece, sealed);
        while let Some(sealed) = self.early.remove(&self.next) {
            self.next += 1;
            self.out_bytes += sealed.len();
            self.out.push_back(sealed);
        }
        let mut uploads = Vec::new();
        let mut sizes = self.sizes.take().unwrap_or_else(|| PartSizes::new(usual, None));
        while self.out_bytes as u64 > sizes.next() {
            let bytes = sizes.next();
            sizes.sent(bytes);
            uploads.push(self.send(bytes as usize));
        }
        self.sizes = Some(sizes);
        uploads
    }

    fn send(&mut self, bytes: usize) -> UploadPart {
        self.out_bytes -= bytes;
        let part: PutPayload = split(&mut self.out, bytes as u64).into_iter().collect();
        self.inner.put_part(part)
    }
}

/// The first `bytes` bytes of `slices`.
fn split(slices: &mut VecDeque<Bytes>, mut bytes: u64) -> Vec<Bytes> {
    let mut first = Vec::new();
    while bytes > 0 {
        let Some(mut slice) = slices.pop_front() else { break };
        if slice.len() as u64 > bytes {
            slices.push_front(slice.split_off(bytes as usize));
        }
        bytes -= slice.len() as u64;
        first.push(slice);
    }
    first
}

#[async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        let Some(sealer) = &mut self.sealer else {
            return futures_util::future::ready(Err(self.ended())).boxed();
        };
        let usual = (data.content_length() as u64).max(MIN_PART_BYTES);
        let usual = *self.usual.get_or_insert(usual);
        self.waiting_bytes += data.content_length() as u64;
        self.waiting.extend(data);
        let segment = u64::from(sealer.segment_size().bytes());
        let segments = self.waiting_bytes.saturating_sub(1) / segment;
        let taken = match sealer.take(segments) {
            Ok(taken) => taken,
            Err(error) => {
                self.sealer = None;
                let error = ObjectError::at(&self.location, error);
                return futures_util::future::ready(Err(error)).boxed();
            }
        };
        let bytes = taken.plaintext_bytes();
        self.waiting_bytes -= bytes;
        let plaintext = split(&mut self.waiting, bytes);
        let (queue, location, piece) =
            (Arc::clone(&self.queue), self.location.clone(), self.pieces);
        self.pieces += 1;
        async move {
            let sealed = compute(bytes as usize, move || {
                taken.seal(&plaintext).map_err(|error| ObjectError::at(&location, error))
            })
            .await?;
            let uploads = {
                let mut queue = queue.lock().await;
                queue.place(piece, sealed.into(), usual)
            };
            try_join_all(uploads).await?;
            queue.lock().await.done += 1;
            Ok(())
        }
        .boxed()
    }

    async fn complete(&mut self) -> Result<PutResult> {
        let sealer = self.sealer.take().ok_or_else(|| self.ended())?;
        let mut queue = self.queue.lock().await;
        if queue.done != self.pieces {
            return Err(generic(format!(
                "{}: a part failed or was not waited for, so the upload cannot be completed",
                self.location
            )));
        }
        let (rest, location) =
            (Vec::from(std::mem::take(&mut self.waiting)), self.location.clone());
        let sealed = compute(self.waiting_bytes as usize, move || {
            sealer.finish(&rest).map_err(|error| ObjectError::at(&location, error))
        })
        .await?;
        let mut uploads = queue.place(self.pieces, sealed.into(), MIN_PART_BYTES);
        // Never empty: there is always the end of the last segment.
        let last = queue.out_bytes;
        uploads.push(queue.send(last));
        try_join_all(uploads).await?;
        let (core, location) = (&self.core, &self.location);
        let statement = core.statements.sign(location, self.pending.take()).await?;
        statement::put(&*core.inner, location, statement, &self.extensions).await?;
        core.known.forget(location);
        queue.inner.complete().await
    }

    async fn abort(&mut self) -> Result<()> {
        self.sealer = None;
        self.waiting.clear();
        self.queue.lock().await.inner.abort().await
    }
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upload").field("location", &self.location).finish_non_exhaustive()
    }
}
