//! Sealed trees in a bucket, below a prefix, as [`polyseal_local`] takes them.
//!
//! The file `a/b.polyseal` of the tree is the object with that key below the prefix, to the byte.
//! So a tree has no name that is no key: one that is not UTF-8, that has control characters, or
//! with more than [`KEY_BYTES`] bytes.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use object_store::ObjectMeta;
use polyseal_file::{Header, Opener, ReadAt, Version};
use polyseal_http::cloud::Scheme;
use polyseal_local::{
    Error as LocalError, NewStoredFile, OverwriteRule, Problem as LocalProblem, Store, StoredFile,
    VersionCheck, stored_name,
};

use super::bucket::{Bucket, Object, OnNotice, key_below};
use super::error::{Error, Problem};
use super::prefetch::Prefetcher;
use super::reader::{ObjectReader, PinnedObject};
use super::rekey;
use super::url::ObjectUrl;
use super::writer::ObjectWriter;

/// The longest key of S3 and Google.
const KEY_BYTES: usize = 1024;

/// The objects below a prefix: a sealed tree, or a place for one.
///
/// ```no_run
/// use std::sync::Arc;
///
/// use polyseal_file::{Decryptor, Identities, Key};
/// use polyseal_local::{Options, SealedTree};
/// use polyseal_object_store::remote::{ObjectUrl, OnNotice, Prefix};
///
/// let on_notice: OnNotice = Arc::new(|_| ());
/// let prefix = Prefix::new(&ObjectUrl::parse("s3://backups/album/")?, &on_notice)?;
/// let identities = Identities::from(&Key::generate()?);
/// let tree =
///     SealedTree::open_in(Arc::new(prefix), Decryptor::new(&identities), &Options::new())?;
/// tree.verify(&mut |path, done| {
///     println!("{}: {done:?}", path.display());
///     Ok(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Prefix {
    bucket: Arc<Bucket>,
    url: ObjectUrl,
}

impl Prefix {
    /// The prefix `url`, with a `/` at its end or not. Nothing is asked of the store yet.
    ///
    /// # Errors
    /// As [`Bucket::connect`], and those of [`in_bucket`](Self::in_bucket).
    pub fn new(url: &ObjectUrl, on_notice: &OnNotice) -> Result<Self, Error> {
        Self::in_bucket(Bucket::connect(url, on_notice)?, url)
    }

    /// The same in a bucket that is there already.
    ///
    /// # Errors
    /// [`Problem::NoName`] and [`Problem::NoLists`].
    pub fn in_bucket(bucket: Arc<Bucket>, url: &ObjectUrl) -> Result<Self, Error> {
        if url.scheme() == Scheme::Web {
            return Err(Error::new(url.to_string(), Problem::NoLists));
        }
        url.prefix()?;
        Ok(Self { bucket, url: url.clone() })
    }

    /// The name of an object below it.
    ///
    /// # Errors
    /// [`Problem::NoName`].
    pub fn below(url: &ObjectUrl, path: &Path) -> Result<ObjectUrl, Error> {
        let named = |why: &str| {
            let name = format!("{url} {}", path.display());
            Error::new(name, Problem::NoName(why.to_owned()))
        };
        let text = stored_name(path).ok_or_else(|| named("it is not UTF-8"))?;
        let key = key_below(url.key(), &text).ok_or_else(|| {
            named("no key has an empty part, '.', '..' or a control character here")
        })?;
        if key.len() > KEY_BYTES {
            return Err(named("a key has at most 1024 bytes"));
        }
        Ok(url.with_key(&key))
    }

    fn object(&self, path: &Path) -> Result<Object, Error> {
        self.bucket.object(&Self::below(&self.url, path)?)
    }

    /// The part of a key before each path.
    fn front(&self) -> &str {
        self.url.key().strip_suffix('/').unwrap_or(self.url.key())
    }

    /// The path below the prefix.
    fn path(&self, key: &str) -> Option<String> {
        let front = self.front();
        let path =
            if front.is_empty() { key } else { key.strip_prefix(front)?.strip_prefix('/')? };
        Some(path.to_owned())
    }

    /// Makes an error one about an operation on the file at `path`, or on the whole tree.
    fn failed(&self, what: &'static str, path: &Path) -> impl Fn(Error) -> LocalError {
        let shown = self.shown(path);
        move |error| local(what, &shown, error)
    }

    /// The same where it was read.
    fn unread(&self, path: &Path) -> impl Fn(Error) -> LocalError {
        let shown = self.shown(path);
        move |error| match error.problem() {
            Problem::NotFound => LocalError::new(&shown, LocalProblem::Missing),
            _ => local("read", &shown, error),
        }
    }
}

/// An error of an object, as one of a file.
fn local(what: &'static str, shown: &Path, error: Error) -> LocalError {
    let problem = match error.problem() {
        Problem::Exists => LocalProblem::Exists,
        Problem::Replaced => LocalProblem::Changed,
        problem => {
            // Anyone who can write there can cause these for one object: that keeps no other from
            // being rekeyed, nor the manifest.
            let strange =
                matches!(problem, Problem::Permission | Problem::NoCopies | Problem::NoTag);
            let (class, hint) = (error.class(), error.hint());
            LocalProblem::Store { sentence: error.sentence(what), class, hint, strange }
        }
    };
    LocalError::new(shown, problem)
}

impl Store for Prefix {
    fn shown(&self, path: &Path) -> PathBuf {
        if path.as_os_str().is_empty() {
            return self.url.to_string().into();
        }
        let front = self.url.with_key(self.front()).to_string();
        // A name that no object has is shown as it is.
        let name = stored_name(path).unwrap_or_else(|| path.display().to_string());
        format!("{}/{name}", front.trim_end_matches('/')).into()
    }

    fn id(&self) -> OsString {
        let front = self.front();
        format!("{} {}", self.url.with_key(front), self.bucket.server).into()
    }

    fn expect_name(&self, path: &Path) -> polyseal_local::Result {
        Self::below(&self.url, path).map(drop).map_err(self.failed("use", path))
    }

    fn any(&self) -> polyseal_local::Result<Option<PathBuf>> {
        let found = self.bucket.any_below(self.url.key());
        let found = found.map_err(self.failed("list", Path::new("")))?;
        Ok(found.and_then(|key| self.path(&key)).map(PathBuf::from))
    }

    fn list(&self) -> polyseal_local::Result<Vec<String>> {
        let keys = self.bucket.all_below(self.url.key());
        let keys = keys.map_err(self.failed("list", Path::new("")))?;
        Ok(keys.iter().filter_map(|key| self.path(key)).collect())
    }

    fn open(&self, path: &Path) -> polyseal_local::Result<Box<dyn StoredFile>> {
        let opened = self.object(path).and_then(|object| StoredObject::open(&object));
        Ok(Box::new(opened.map_err(self.unread(path))?))
    }

    fn stream(&self, path: &Path) -> polyseal_local::Result<Box<dyn Read + Send>> {
        let opened = self.object(path).and_then(|object| ObjectReader::open(&object));
        Ok(Box::new(opened.map_err(self.unread(path))?))
    }

    fn delete(&self, path: &Path) -> polyseal_local::Result {
        let deleted = self.object(path).and_then(|object| object.delete());
        deleted.map_err(self.failed("delete", path))
    }

    fn modified(&self, path: &Path) -> polyseal_local::Result<Option<SystemTime>> {
        let meta = self.object(path).and_then(|object| object.meta());
        let meta = meta.map_err(self.failed("read", path))?;
        Ok(meta.map(|meta| meta.last_modified.into()))
    }

    fn create(
        &self,
        path: &Path,
        overwrite: OverwriteRule,
        bytes: Option<u64>,
    ) -> polyseal_local::Result<Box<dyn NewStoredFile>> {
        let created = self.object(path).and_then(|object| match overwrite {
            // The store itself compares when it appears: that saves a request for each file.
            OverwriteRule::Nothing => ObjectWriter::create_unseen(object, bytes),
            OverwriteRule::Anything => ObjectWriter::create(object, true, bytes),
            OverwriteRule::AsSeen => ObjectWriter::create_over_seen(object, bytes),
        });
        let writer = created.map_err(self.failed("write", path))?;
        Ok(Box::new(NewObject { writer, shown: self.shown(path) }))
    }
}

/// One version of an object: read at offsets, and ahead where that is in order.
#[derive(Debug)]
pub struct StoredObject {
    pinned: Arc<PinnedObject>,
    prefetcher: Prefetcher,
}

impl StoredObject {
    /// The version that is there now.
    ///
    /// # Errors
    /// As [`PinnedObject::open`].
    pub fn open(object: &Object) -> Result<Self, Error> {
        PinnedObject::open(object).map(Self::from_pinned)
    }

    /// The same, of which only the beginning has come, to tell which kind of file it is.
    ///
    /// # Errors
    /// As [`PinnedObject::look`].
    pub fn look(object: &Object) -> Result<Self, Error> {
        PinnedObject::look(object).map(Self::from_pinned)
    }

    fn from_pinned(pinned: PinnedObject) -> Self {
        let pinned = Arc::new(pinned);
        Self { prefetcher: Prefetcher::new_for(Arc::clone(&pinned)), pinned }
    }

    /// The store's metadata: the size is that of the stored bytes.
    #[must_use]
    pub fn meta(&self) -> &ObjectMeta {
        self.pinned.meta()
    }

    /// Which version it is.
    #[must_use]
    pub fn version(&self) -> Version {
        self.pinned.version()
    }

    /// The same of an object whose header can be replaced.
    ///
    /// # Errors
    /// As [`open`](Self::open) and [`expect_replaceable`](super::expect_replaceable).
    pub fn open_to_rekey(object: &Object) -> Result<Self, Error> {
        object.expect_writable()?;
        let opened = Self::open(object)?;
        rekey::expect_replaceable(&opened.pinned)?;
        Ok(opened)
    }
}

impl ReadAt for StoredObject {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let held = self.pinned.bytes_from(offset);
        if held.is_empty() {
            return self.prefetcher.read_at(buffer, offset);
        }
        let bytes = buffer.len().min(held.len());
        buffer[..bytes].copy_from_slice(&held[..bytes]);
        Ok(bytes)
    }

    fn size(&self) -> io::Result<u64> {
        self.pinned.size()
    }

    fn opener(&self) -> io::Result<Opener> {
        self.pinned.opener()
    }
}

impl StoredFile for StoredObject {
    fn header(&self) -> polyseal_file::Result<Header> {
        self.pinned.header()
    }

    fn replace_header(&self, header: &Header) -> polyseal_local::Result<VersionCheck> {
        let shown = PathBuf::from(self.pinned.object().url().to_string());
        match rekey::replace_header(&self.pinned, header.as_bytes()) {
            Ok(rekey::VersionCheck::Yes) => Ok(VersionCheck::Yes),
            Ok(rekey::VersionCheck::No) => Ok(VersionCheck::No),
            Err(error) => Err(local("rekey", &shown, error)),
        }
    }
}

/// An object that is being written.
struct NewObject {
    writer: ObjectWriter,
    shown: PathBuf,
}

impl Write for NewObject {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl NewStoredFile for NewObject {
    fn hold(&mut self) -> polyseal_local::Result {
        self.writer.hold().map_err(|error| local("write", &self.shown, error))
    }

    fn commit(self: Box<Self>) -> polyseal_local::Result {
        self.writer.commit().map_err(|error| local("write", &self.shown, error))
    }
}

impl fmt::Debug for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prefix({})", self.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_below_a_prefix_are_literal() {
        let url = |text: &str| ObjectUrl::parse(text).unwrap();
        for (prefix, path, expected) in [
            ("s3://b", "a/b c", "s3://b/a/b c"),
            ("s3://b/", "%2F", "s3://b/%2F"),
            ("s3://b/p", "a", "s3://b/p/a"),
            ("s3://b/p/", "a", "s3://b/p/a"),
        ] {
            assert_eq!(Prefix::below(&url(prefix), Path::new(path)).unwrap().to_string(), expected);
        }
        let long = "x".repeat(1023);
        for path in ["", "../a", "a/../b", "/a", "a\nb", "a//b", long.as_str()] {
            let refused = Prefix::below(&url("s3://b/p/"), Path::new(path)).unwrap_err();
            assert!(matches!(refused.problem(), Problem::NoName(_)), "{path:?}");
        }
    }
}
