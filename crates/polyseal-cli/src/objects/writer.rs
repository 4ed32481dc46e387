//! Writing an object: it appears with [`commit`](ObjectWriter::commit), whole.
//!
//! What fits into a part is put in one request, on the condition that there is no such object,
//! where none is to be replaced. Longer ones are uploaded in parts, of which nothing is seen before
//! the end; there the store is asked just before whether there is one by now.

use std::io::{self, Write};
use std::mem;
use std::path::Path;

use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, PutMode};
use tokio::task::JoinSet;

use super::store::{Object, wait};
use crate::error::{Failure, Result, already_exists};

/// Stores take at most 10,000 parts: an object of 156 GiB.
const PART_BYTES: usize = 16 * 1024 * 1024;
/// Parts that are on their way at once.
const AT_ONCE: usize = 3;

pub(crate) struct ObjectWriter {
    object: Object,
    replace: bool,
    part: Vec<u8>,
    upload: Option<Upload>,
}

struct Upload {
    parts: Box<dyn MultipartUpload>,
    tasks: JoinSet<object_store::Result<()>>,
}

impl ObjectWriter {
    pub(crate) fn create(path: &Path, replace: bool) -> Result<Self> {
        let object = Object::named(path)?;
        object.expect_writable()?;
        if !replace && object.meta()?.is_some() {
            return Err(already_exists(path));
        }
        Ok(Self { object, replace, part: Vec::new(), upload: None })
    }

    fn send(&mut self) -> io::Result<()> {
        let (object, part) = (&self.object, mem::take(&mut self.part));
        let upload = &mut self.upload;
        let sent = wait(async {
            if upload.is_none() {
                let parts = object.store.put_multipart(&object.key).await?;
                *upload = Some(Upload { parts, tasks: JoinSet::new() });
            }
            let Some(upload) = upload else { return Ok(()) };
            while upload.tasks.len() >= AT_ONCE {
                upload.tasks.join_next().await.transpose()?.transpose()?;
            }
            let part = upload.parts.put_part(part.into());
            upload.tasks.spawn(part);
            Ok::<_, object_store::Error>(())
        })?;
        sent.map_err(|error| self.object.io_error(&error))
    }

    /// Lets the object appear.
    pub(crate) fn commit(mut self) -> Result {
        let name = self.object.name.clone();
        let failed = |error: &io::Error| Failure::io("write", &name, error);
        if self.upload.is_none() {
            let mode = if self.replace { PutMode::Overwrite } else { PutMode::Create };
            let part = mem::take(&mut self.part);
            let put = self.object.store.put_opts(&self.object.key, part.into(), mode.into());
            return match wait(put).map_err(|error| failed(&error))? {
                Ok(_) => Ok(()),
                Err(object_store::Error::AlreadyExists { .. }) => Err(already_exists(&name)),
                Err(error) => Err(self.object.failure("write", &error)),
            };
        }
        self.send().map_err(|error| failed(&error))?;
        let Some(upload) = &mut self.upload else { return Ok(()) };
        let arrived = wait(async {
            while let Some(part) = upload.tasks.join_next().await {
                part??;
            }
            Ok(())
        });
        let arrived: object_store::Result<()> = arrived.map_err(|error| failed(&error))?;
        arrived.map_err(|error| self.object.failure("write", &error))?;
        if !self.replace && self.object.meta()?.is_some() {
            return Err(already_exists(&name));
        }
        let Some(mut upload) = self.upload.take() else { return Ok(()) };
        let completed = wait(async {
            let completed = upload.parts.complete().await;
            if completed.is_err() {
                let _ = upload.parts.abort().await;
            }
            completed
        });
        let completed = completed.map_err(|error| failed(&error))?;
        completed.map(|_| ()).map_err(|error| self.object.failure("write", &error))
    }
}

impl Write for ObjectWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Only before more: the last part is sent at the end, which may be the first one's.
        if self.part.len() == PART_BYTES {
            self.send()?;
        }
        let bytes = &bytes[..bytes.len().min(PART_BYTES - self.part.len())];
        self.part.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for ObjectWriter {
    /// What was not committed is taken back.
    fn drop(&mut self) {
        if let Some(mut upload) = self.upload.take() {
            let _ = wait(async {
                upload.tasks.shutdown().await;
                let _ = upload.parts.abort().await;
            });
        }
    }
}
