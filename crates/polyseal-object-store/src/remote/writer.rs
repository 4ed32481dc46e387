//! Writing an object: it appears with [`commit`](ObjectWriter::commit), whole.
//!
//! A file that fits into a part is put in one request, on the condition that there is no such
//! object, where none is to be replaced. Longer ones are uploaded in parts, which stay invisible
//! before the end; there the store is asked just before whether there is one by now.

use std::io::{self, Write};
use std::mem;

use object_store::{
    Error as StoreError, MultipartUpload, ObjectStore, ObjectStoreExt, PutMode, UpdateVersion,
};
use polyseal_file::Version;
use tokio::task::JoinSet;

use super::bucket::Object;
use super::error::{Error, Problem};
use super::runtime::wait;
use crate::fetch::version;
use crate::part_sizes::PartSizes;

/// The parts that are usual.
const PART_BYTES: u64 = 16 * 1024 * 1024;
/// Conditional writes are one request, of at most these bytes: an upload in parts has no condition.
const CONDITIONAL_BYTES: u64 = 128 * 1024 * 1024;
/// Parts of the usual size that are on their way at once; of larger ones, one.
const AT_ONCE: u64 = 3;

/// An object that is being written.
pub struct ObjectWriter {
    object: Object,
    mode: PutMode,
    sizes: PartSizes,
    part: Vec<u8>,
    upload: Option<Upload>,
}

struct Upload {
    parts: Box<dyn MultipartUpload>,
    tasks: JoinSet<object_store::Result<()>>,
}

impl ObjectWriter {
    /// A new object, or one in the place of another with `replace`. `bytes` are how many there
    /// will be about, if that is known: then parts have one size, of which 10,000 are enough.
    ///
    /// # Errors
    /// [`Problem::ReadOnly`], [`Problem::Exists`], or the store's error.
    pub fn create(object: Object, replace: bool, bytes: Option<u64>) -> Result<Self, Error> {
        object.expect_writable()?;
        if !replace && object.meta()?.is_some() {
            return Err(Error::new(object.url.to_string(), Problem::Exists));
        }
        let mode = if replace { PutMode::Overwrite } else { PutMode::Create };
        Ok(Self::with(object, mode, PartSizes::new(PART_BYTES, bytes)))
    }

    /// A new object, of which the caller has seen that there is none. If there is one by the end,
    /// this one does not appear.
    ///
    /// # Errors
    /// [`Problem::ReadOnly`].
    pub fn create_unseen(object: Object, bytes: Option<u64>) -> Result<Self, Error> {
        object.expect_writable()?;
        Ok(Self::with(object, PutMode::Create, PartSizes::new(PART_BYTES, bytes)))
    }

    fn with(object: Object, mode: PutMode, sizes: PartSizes) -> Self {
        Self { object, mode, sizes, part: Vec::new(), upload: None }
    }

    /// Begins an object in the place of the one that is there now, or of none. If that has changed
    /// by the end, it does not appear.
    ///
    /// # Errors
    /// [`Problem::ReadOnly`], [`Problem::NoTag`], or the store's error.
    pub fn create_over_seen(object: Object, bytes: Option<u64>) -> Result<Self, Error> {
        object.expect_writable()?;
        let mode = match object.meta()? {
            None => PutMode::Create,
            Some(meta) if version(&meta).if_match().is_none() => {
                return Err(Error::new(object.url.to_string(), Problem::NoTag));
            }
            Some(meta) => {
                PutMode::Update(UpdateVersion { e_tag: meta.e_tag, version: meta.version })
            }
        };
        // A file takes little memory; a manifest is compared by the store itself.
        let usual = bytes.map_or(CONDITIONAL_BYTES, |_| PART_BYTES);
        Ok(Self::with(object, mode, PartSizes::new(usual, bytes)))
    }

    /// The error if another object is there than there may be; `None` if any may.
    fn in_the_way(&self) -> Option<Error> {
        let problem = match self.mode {
            PutMode::Overwrite => return None,
            PutMode::Create => Problem::Exists,
            PutMode::Update(_) => Problem::Replaced,
        };
        Some(Error::new(self.object.url.to_string(), problem))
    }

    /// Whether the present object may be replaced.
    fn may_replace(&self) -> Result<bool, Error> {
        Ok(match &self.mode {
            PutMode::Overwrite => true,
            PutMode::Create => self.object.meta()?.is_none(),
            PutMode::Update(seen) => self.object.meta()?.is_some_and(|meta| {
                let seen = Version::new(meta.size).with_tag(seen.e_tag.as_deref());
                version(&meta).is_same(&seen)
            }),
        })
    }

    /// The object.
    #[must_use]
    pub fn object(&self) -> &Object {
        &self.object
    }

    /// Says how many bytes there will be about, before any are written.
    pub fn expect_bytes(&mut self, bytes: u64) {
        self.sizes = PartSizes::new(PART_BYTES, Some(bytes));
    }

    fn send(&mut self) -> Result<(), Error> {
        let (object, part) = (&self.object, mem::take(&mut self.part));
        let at_once = (AT_ONCE * PART_BYTES / (part.len() as u64).max(1)).clamp(1, AT_ONCE);
        self.sizes.sent(part.len() as u64);
        let upload = &mut self.upload;
        object.wait(async {
            if upload.is_none() {
                let parts = object.bucket.store.put_multipart(&object.path).await?;
                *upload = Some(Upload { parts, tasks: JoinSet::new() });
            }
            let Some(upload) = upload else { return Ok(()) };
            while upload.tasks.len() as u64 >= at_once {
                upload.tasks.join_next().await.transpose()?.transpose()?;
            }
            let part = upload.parts.put_part(part.into());
            upload.tasks.spawn(part);
            Ok(())
        })
    }

    /// Sends what has been written, and waits until the store has it. The object does not appear
    /// yet, and little memory is taken until it does; nothing can be written to it any more.
    ///
    /// # Errors
    /// The store's error.
    pub fn hold(&mut self) -> Result<(), Error> {
        self.send()?;
        self.wait_for_parts()
    }

    fn wait_for_parts(&mut self) -> Result<(), Error> {
        let Some(upload) = &mut self.upload else { return Ok(()) };
        self.object.wait(async {
            while let Some(part) = upload.tasks.join_next().await {
                part??;
            }
            Ok(())
        })
    }

    /// Lets the object appear.
    ///
    /// # Errors
    /// [`Problem::Exists`], or the store's error.
    pub fn commit(mut self) -> Result<(), Error> {
        let in_the_way = self.in_the_way();
        let store = &self.object.bucket.store;
        if self.upload.is_none() {
            let part = mem::take(&mut self.part);
            let put = store.put_opts(&self.object.path, part.into(), self.mode.clone().into());
            return match wait(put).map_err(|error| Error::io(&self.object.url, error))? {
                Ok(_) => Ok(()),
                Err(error) => Err(match (&error, in_the_way) {
                    (
                        StoreError::AlreadyExists { .. } | StoreError::Precondition { .. },
                        Some(in_the_way),
                    ) => in_the_way,
                    _ => self.object.failed(&error),
                }),
            };
        }
        // It may have been held.
        if !self.part.is_empty() {
            self.send()?;
        }
        self.wait_for_parts()?;
        if let Some(in_the_way) = in_the_way
            && !self.may_replace()?
        {
            return Err(in_the_way);
        }
        let Some(mut upload) = self.upload.take() else { return Ok(()) };
        self.object.wait(async {
            let completed = upload.parts.complete().await;
            if completed.is_err() {
                let _ = upload.parts.abort().await;
            }
            completed.map(|_| ())
        })
    }
}

impl Write for ObjectWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let size = self.sizes.next() as usize;
        // A full part is sent only when more bytes come, so that an object of one part is put in
        // one request.
        if self.part.len() >= size {
            self.send()?;
        }
        let size = self.sizes.next() as usize;
        let bytes = &bytes[..bytes.len().min(size - self.part.len())];
        self.part.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for ObjectWriter {
    /// An upload that was not committed is aborted.
    fn drop(&mut self) {
        if let Some(mut upload) = self.upload.take() {
            let _ = wait(async {
                upload.tasks.shutdown().await;
                let _ = upload.parts.abort().await;
            });
        }
    }
}

impl std::fmt::Debug for ObjectWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObjectWriter").field("object", &self.object).finish_non_exhaustive()
    }
}
