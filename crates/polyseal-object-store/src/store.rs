//! The store: its options, and the operations of [`ObjectStore`], most of which pass through.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, ObjectStoreExt, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult,
    RenameOptions, Result,
};
#[cfg(feature = "sign")]
use polyseal_file::statement::{SignaturePolicy, Signer};
use polyseal_file::{
    Context, Decryptor, Encryptor, Identities, Recipients, SegmentSize, StreamSealer, Suite,
};

use crate::cache::Cache;
use crate::compute::{LONG, compute};
use crate::error::{ObjectError, STORE};
use crate::open::PinnedPayload;
use crate::sizes::{ListedVersion, ObjectSize};
use crate::statement::{self, PendingStatement, Statements};
use crate::upload::Upload;

/// The opened objects whose keys are kept.
const CACHED_OBJECTS: usize = 64;
/// The objects whose sizes are kept: about 200 bytes each.
const CACHED_SIZES: usize = 16 * 1024;

/// The context that objects are bound to, beside their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// To nothing.
    #[default]
    None,
    /// To this context: objects that were sealed with another one, or with none, do not open.
    Context(Context),
    /// To the path, as this store is given it (without the prefix of an inner
    /// [`PrefixStore`](object_store::prefix::PrefixStore)): nobody who can write to the store can
    /// pass off one object as another.
    ///
    /// Then an object cannot be copied or renamed, which would need it to be sealed anew:
    /// [`Error::NotSupported`]. Read it, and put it.
    Path,
}

/// Which sizes lists have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListedSizes {
    /// The plaintext's size: a request of 160 bytes for each object that is not remembered.
    #[default]
    Plaintext,
    /// The stored size, without requests: for programs that list many objects and need no sizes.
    /// Readers that take a size from a list and read at offsets from it fail with it.
    Stored,
}

/// A store whose objects are encrypted on their way to another store, and decrypted on their way
/// back.
///
/// Objects in the inner store that are no Polyseal files are listed with their own size, and cannot
/// be read through this one.
pub struct PolysealStore {
    core: Arc<Core>,
}

/// The state that operations share with the streams that they return.
pub(crate) struct Core {
    pub(crate) inner: Arc<dyn ObjectStore>,
    recipients: Arc<Recipients>,
    identities: Arc<Identities<'static>>,
    suite: Option<Suite>,
    pub(crate) segment: SegmentSize,
    binding: Binding,
    pub(crate) statements: Arc<Statements>,
    pub(crate) listed: ListedSizes,
    pub(crate) known: Cache<Path, PinnedPayload>,
    pub(crate) sizes: Cache<ListedVersion, ObjectSize>,
    /// Whether the inner store has said that it gives no last bytes of an object.
    pub(crate) no_suffix: std::sync::atomic::AtomicBool,
}

impl PolysealStore {
    /// Objects in `inner` that are sealed for `recipients`, and opened with `identities`; either
    /// may be empty for a store that is only read from or only written to. The default suite and
    /// segment size; objects are bound to nothing.
    #[must_use]
    pub fn new(
        inner: Arc<dyn ObjectStore>,
        recipients: Recipients,
        identities: Identities<'static>,
    ) -> Self {
        let core = Core {
            inner,
            recipients: Arc::new(recipients),
            identities: Arc::new(identities),
            suite: None,
            segment: SegmentSize::default(),
            binding: Binding::None,
            statements: Arc::default(),
            listed: ListedSizes::Plaintext,
            known: Cache::new(CACHED_OBJECTS),
            sizes: Cache::new(CACHED_SIZES),
            no_suffix: false.into(),
        };
        Self { core: Arc::new(core) }
    }

    /// Uses another suite for new objects.
    #[must_use]
    pub fn with_suite(self, suite: Suite) -> Self {
        self.with(|core| core.suite = Some(suite))
    }

    /// Uses another segment size for new objects: the smallest part that can be read. The last
    /// segment of an object is fetched with its header if it is not larger.
    #[must_use]
    pub fn with_segment_size(self, segment: SegmentSize) -> Self {
        self.with(|core| core.segment = segment)
    }

    /// With objects bound to something, both what is written and what is read.
    #[must_use]
    pub fn with_binding(self, binding: Binding) -> Self {
        self.with(|core| core.binding = binding)
    }

    /// With the signers whose objects are read; any object is if nothing is said.
    ///
    /// Then an object opens only with its statement, the object `KEY.sig` beside it, and nothing of
    /// a segment is given out that this does not cover: to read from an object for the first time
    /// takes two requests for it, later ones take one, of at most 2 KiB for each two MiB of
    /// segments of the usual size. Without an accepted statement the error is of the class
    /// [`NotSigned`](polyseal_file::Class::NotSigned). The statement is compared when an object is
    /// opened, and kept with its [key](Self::with_cached_objects). Sizes, in lists too, are not
    /// covered.
    #[cfg(feature = "sign")]
    #[must_use]
    pub fn with_signatures(self, policy: SignaturePolicy) -> Self {
        self.with(|core| {
            let signer = core.statements.signer.clone();
            core.statements = Arc::new(Statements { policy, signer });
        })
    }

    /// With a statement about each object that is written, as `KEY.sig` beside it.
    ///
    /// The two are two requests. In between, readers who require a signature refuse the object:
    /// - Where whatever is there is replaced, and in uploads in parts, the statement is put just
    ///   before the object appears: a new object is never without it. If the object does not appear
    ///   then, one that was there before has no statement of its own until it is
    ///   [signed](polyseal_file::statement::Statement::of_stored) again.
    /// - Where there is a condition ([`PutMode::Create`], [`PutMode::Update`]), the statement is
    ///   put when the object is there: a write that is refused changes no statement.
    ///
    /// Copies and renames take it along. To delete an object leaves its statement.
    #[cfg(feature = "sign")]
    #[must_use]
    pub fn with_signer(self, signer: Signer) -> Self {
        self.with(|core| {
            let policy = core.statements.policy.clone();
            core.statements = Arc::new(Statements { policy, signer: Some(Arc::new(signer)) });
        })
    }

    /// With other sizes in lists.
    #[must_use]
    pub fn with_listed_sizes(self, listed: ListedSizes) -> Self {
        self.with(|core| core.listed = listed)
    }

    /// With the keys of so many objects kept, so that reading from them again takes one request
    /// rather than two more. 64 unless this is said; with 0 no key outlives an operation.
    #[must_use]
    pub fn with_cached_objects(self, objects: usize) -> Self {
        self.with(|core| core.known = Cache::new(objects))
    }

    /// With the sizes of so many objects kept: 16384 unless this is said.
    #[must_use]
    pub fn with_cached_sizes(self, objects: usize) -> Self {
        self.with(|core| core.sizes = Cache::new(objects))
    }

    fn with(mut self, change: impl FnOnce(&mut Core)) -> Self {
        // Nobody else has it yet: what shares it is made by operations, and those come after.
        if let Some(core) = Arc::get_mut(&mut self.core) {
            change(core);
        }
        self
    }
}

impl Core {
    /// The context that objects at this path are bound to.
    fn context(&self, location: &Path) -> Result<Option<Context>> {
        match &self.binding {
            Binding::None => Ok(None),
            Binding::Context(context) => Ok(Some(context.clone())),
            Binding::Path => Context::new(location.as_ref())
                .map(Some)
                .map_err(|error| ObjectError::at(location, error)),
        }
    }

    /// Runs `act` with the decryptor for an object at this path. It may take a second, or ask a
    /// user.
    pub(crate) async fn decrypt<T: Send + 'static>(
        &self,
        location: &Path,
        act: impl FnOnce(Decryptor<'_>) -> polyseal_file::Result<T> + Send + 'static,
    ) -> Result<T> {
        let (identities, context) = (Arc::clone(&self.identities), self.context(location)?);
        let location = location.clone();
        compute(LONG, move || {
            let decryptor = Decryptor::new(&identities);
            let decryptor = match &context {
                Some(context) => decryptor.context(context),
                None => decryptor,
            };
            act(decryptor).map_err(|error| ObjectError::at(&location, error))
        })
        .await
    }

    /// The sealer for a new object at this path, and the statement about it if there is to be one.
    pub(crate) async fn sealer(
        &self,
        location: &Path,
    ) -> Result<(StreamSealer, Option<PendingStatement>)> {
        let statements = Arc::clone(&self.statements);
        let (recipients, context) = (Arc::clone(&self.recipients), self.context(location)?);
        let (suite, segment, location) = (self.suite, self.segment, location.clone());
        compute(LONG, move || {
            let mut encryptor = Encryptor::new(&recipients).segment_size(segment);
            if let Some(suite) = suite {
                encryptor = encryptor.suite(suite);
            }
            if let Some(context) = &context {
                encryptor = encryptor.context(context);
            }
            statements.sealer(encryptor).map_err(|error| ObjectError::at(&location, error))
        })
        .await
    }

    fn expect_movable(&self) -> Result<()> {
        match self.binding {
            Binding::Path => Err(Error::NotSupported {
                source: "an object that is bound to its path opens at no other one".into(),
            }),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl ObjectStore for PolysealStore {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        opts: PutOptions,
    ) -> Result<PutResult> {
        let (sealer, pending) = self.core.sealer(location).await?;
        let header = Bytes::copy_from_slice(sealer.header().as_bytes());
        let (bytes, at) = (payload.content_length(), location.clone());
        let sealed = compute(bytes, move || {
            let slices: Vec<Bytes> = payload.into_iter().collect();
            sealer.finish(&slices).map_err(|error| ObjectError::at(&at, error))
        })
        .await?;
        let sealed: PutPayload = [header, sealed.into()].into_iter().collect();
        let statement = self.core.statements.sign(location, pending).await?;
        let (before, behind) = match opts.mode {
            PutMode::Overwrite => (statement, None),
            PutMode::Create | PutMode::Update(_) => (None, statement),
        };
        let extensions = opts.extensions.clone();
        self.core.known.forget(location);
        statement::put(&*self.core.inner, location, before, &extensions).await?;
        let put = self.core.inner.put_opts(location, sealed, opts).await?;
        statement::put(&*self.core.inner, location, behind, &extensions).await?;
        Ok(put)
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        opts: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        // Before there is something to abort.
        let sealer = self.core.sealer(location).await?;
        let extensions = opts.extensions.clone();
        let upload = self.core.inner.put_multipart_opts(location, opts).await?;
        Ok(Box::new(Upload::new(&self.core, location, sealer, upload, extensions)))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        if options.head {
            self.core.head(location, options).await
        } else {
            self.core.get(location, options).await
        }
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.core.get_ranges(location, ranges).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        let core = Arc::clone(&self.core);
        let locations = locations.inspect(move |location| {
            if let Ok(location) = location {
                core.known.forget(location);
            }
        });
        self.core.inner.delete_stream(locations.boxed())
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        Core::sized(&self.core, self.core.inner.list(prefix))
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        Core::sized(&self.core, self.core.inner.list_with_offset(prefix, offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let ListResult { common_prefixes, objects } =
            self.core.inner.list_with_delimiter(prefix).await?;
        let objects = futures_util::stream::iter(objects.into_iter().map(Ok)).boxed();
        let objects = futures_util::TryStreamExt::try_collect(Core::sized(&self.core, objects));
        Ok(ListResult { common_prefixes, objects: objects.await? })
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.core.expect_movable()?;
        self.core.known.forget(to);
        self.core.inner.copy_opts(from, to, options).await?;
        if !self.core.statements.are_kept() {
            return Ok(());
        }
        let copy = |from, to| async move { self.core.inner.copy(&from, &to).await };
        statement::follow(from, to, copy).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        self.core.expect_movable()?;
        self.core.known.forget(from);
        self.core.known.forget(to);
        self.core.inner.rename_opts(from, to, options).await?;
        if !self.core.statements.are_kept() {
            return Ok(());
        }
        let rename = |from, to| async move { self.core.inner.rename(&from, &to).await };
        statement::follow(from, to, rename).await
    }
}

impl fmt::Display for PolysealStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{STORE}({})", self.core.inner)
    }
}

impl fmt::Debug for PolysealStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolysealStore")
            .field("inner", &self.core.inner)
            .field("binding", &self.core.binding)
            .finish_non_exhaustive()
    }
}
