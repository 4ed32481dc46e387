//! A store that writes down what is asked of it, and replaces objects at a given moment.

#![allow(dead_code, reason = "not every test uses all of it")]

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetRange, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, ObjectStoreExt, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
    UploadPart,
};
use polyseal_file::{Identities, Key, Recipients};
use polyseal_object_store::PolysealStore;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// The stored bytes that were given.
    Get(Range<u64>),
    Head,
    Put(usize),
    Part(usize),
    Complete,
    Abort,
    List,
}

#[derive(Debug)]
pub(crate) struct Counting {
    pub(crate) inner: InMemory,
    requests: Arc<Mutex<Vec<Request>>>,
    /// Before the request of this number from now, the object is replaced by this.
    replace: Mutex<Option<(usize, Path, Bytes)>>,
    /// Whether the last bytes of an object can be asked for.
    suffixes: bool,
    /// The part of an upload that fails.
    failing_part: Option<usize>,
}

impl Counting {
    pub(crate) fn without_suffixes() -> Self {
        Self { suffixes: false, ..Self::new() }
    }

    pub(crate) fn failing(part: usize) -> Self {
        Self { failing_part: Some(part), ..Self::new() }
    }

    pub(crate) fn new() -> Self {
        Self {
            inner: InMemory::new(),
            requests: Arc::default(),
            replace: Mutex::default(),
            suffixes: true,
            failing_part: None,
        }
    }

    /// The requests since this was asked last.
    pub(crate) fn requests(&self) -> Vec<Request> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }

    /// The stored bytes that have been given since this was asked last.
    pub(crate) fn bytes(&self) -> u64 {
        let length = |request| match request {
            Request::Get(range) => range.end - range.start,
            _ => 0,
        };
        self.requests().into_iter().map(length).sum()
    }

    pub(crate) fn replace_before(&self, request: usize, path: &Path, by: Bytes) {
        *self.replace.lock().unwrap() = Some((request, path.clone(), by));
    }

    pub(crate) async fn stored(&self, path: &Path) -> Vec<u8> {
        self.inner.get(path).await.unwrap().bytes().await.unwrap().to_vec()
    }

    fn note(&self, request: Request) {
        self.requests.lock().unwrap().push(request);
    }
}

/// A key, a store over a counting one, and that.
pub(crate) fn store() -> (PolysealStore, Arc<Counting>, Key) {
    store_over(Counting::new())
}

pub(crate) fn store_over(inner: Counting) -> (PolysealStore, Arc<Counting>, Key) {
    let (inner, key) = (Arc::new(inner), Key::from_bytes(&[3; 32]));
    (over(inner.clone(), &key), inner, key)
}

/// Another store over the same objects, which has not read them.
pub(crate) fn over(inner: Arc<dyn ObjectStore>, key: &Key) -> PolysealStore {
    PolysealStore::new(inner, Recipients::from(key), Identities::from(key))
}

/// Bytes of which each 251 differ from those beside them.
pub(crate) fn message(bytes: usize) -> Bytes {
    (0..bytes).map(|i| (i % 251 + i / 65_536) as u8).collect()
}

#[async_trait]
impl ObjectStore for Counting {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        opts: PutOptions,
    ) -> Result<PutResult> {
        self.note(Request::Put(payload.content_length()));
        self.inner.put_opts(location, payload, opts).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        opts: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        let upload = self.inner.put_multipart_opts(location, opts).await?;
        let requests = Arc::clone(&self.requests);
        Ok(Box::new(CountingUpload { upload, requests, parts: 0, failing: self.failing_part }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let due = {
            let mut replace = self.replace.lock().unwrap();
            match &mut *replace {
                Some((0, ..)) => replace.take(),
                Some((left, ..)) => {
                    *left -= 1;
                    None
                }
                None => None,
            }
        };
        if let Some((_, path, by)) = due {
            self.inner.put(&path, by.into()).await?;
        }
        if !self.suffixes && matches!(options.range, Some(GetRange::Suffix(_))) {
            return Err(Error::NotSupported { source: "no suffixes here".into() });
        }
        let head = options.head;
        let got = self.inner.get_opts(location, options).await;
        self.note(match &got {
            Ok(got) if !head => Request::Get(got.range.clone()),
            Err(_) if !head => Request::Get(0..0),
            _ => Request::Head,
        });
        // Other tasks have their turn, as they have while a request is on its way.
        tokio::task::yield_now().await;
        got
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.note(Request::List);
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.note(Request::List);
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counting")
    }
}

#[derive(Debug)]
struct CountingUpload {
    upload: Box<dyn MultipartUpload>,
    requests: Arc<Mutex<Vec<Request>>>,
    parts: usize,
    failing: Option<usize>,
}

#[async_trait]
impl MultipartUpload for CountingUpload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        self.requests.lock().unwrap().push(Request::Part(data.content_length()));
        self.parts += 1;
        if self.failing == Some(self.parts - 1) {
            let error = Error::Generic { store: "Counting", source: "a part is lost".into() };
            return Box::pin(async { Err(error) });
        }
        self.upload.put_part(data)
    }

    async fn complete(&mut self) -> Result<PutResult> {
        self.requests.lock().unwrap().push(Request::Complete);
        self.upload.complete().await
    }

    async fn abort(&mut self) -> Result<()> {
        self.requests.lock().unwrap().push(Request::Abort);
        self.upload.abort().await
    }
}
