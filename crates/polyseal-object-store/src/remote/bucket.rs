//! Buckets and objects, by their names: reading, writing and listing.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{Error as StoreError, ObjectMeta, ObjectStore, ObjectStoreExt};
use polyseal_http::cloud::{
    Connector, LISTED, Outage, Scheme, Server, SetupError, builders, options,
};

use super::error::{Error, Problem};
use super::runtime::{runtime, wait};
use super::s3::S3;
use super::url::{ObjectUrl, literal};

/// Progress notices.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// It has not answered for a while, and is still being asked.
    Outage(Outage<'a>),
    /// A list has a key that cannot be named here, and it was left out.
    Skipped(&'a str),
}

/// Receives the notices.
pub type OnNotice = Arc<dyn Fn(Notice<'_>) + Send + Sync>;

/// A bucket, a container, or one object of a web server.
pub struct Bucket {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) s3: Option<S3>,
    /// Whether it has been seen to compare versions when an object is put.
    pub(super) compares: AtomicBool,
    url: ObjectUrl,
    /// The settings that say which server it is on.
    pub(super) server: String,
}

/// An object that is named: it may be there or not.
#[derive(Clone, Debug)]
pub struct Object {
    pub(super) bucket: Arc<Bucket>,
    pub(super) url: ObjectUrl,
    pub(super) path: Path,
}

/// The objects and prefixes directly below a prefix.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The names of the prefixes, without the `/` behind them.
    pub prefixes: Vec<String>,
    /// The names of the objects.
    pub objects: Vec<String>,
}

impl Bucket {
    /// Connects to the bucket, the container or the server of `url`. Nothing is asked of the store
    /// yet.
    ///
    /// # Errors
    /// [`Problem::Setup`].
    pub fn connect(url: &ObjectUrl, on_notice: &OnNotice) -> Result<Arc<Self>, Error> {
        let failed = |problem| Error::new(url.to_string(), problem);
        let kind = match url.web_url() {
            Some(url) => Server::Web(url.clone()),
            None => Server::Store,
        };
        let (outage, skipped) = (Arc::clone(on_notice), Arc::clone(on_notice));
        let connector = Connector::new(
            kind,
            move |it| outage(Notice::Outage(*it)),
            move |key| skipped(Notice::Skipped(key)),
        );
        let options = options(url.scheme()).map_err(|error| failed(error.into()))?;
        let is_of_server = |name: &str| name.contains("ENDPOINT") || name.ends_with("ACCOUNT_NAME");
        let of_server = options.iter().filter(|(name, _)| is_of_server(name));
        let server: Vec<_> = of_server.map(|(_, value)| value.as_str()).collect();
        let server = server.join(" ");
        // The builders look for certificates and for credentials in the file system.
        let entered = runtime().map_err(|error| failed(Problem::Io(error)))?.enter();
        let built = Self::build(url, options, connector);
        drop(entered);
        let (store, s3) =
            built.map_err(|error| failed(SetupError::from_settings(&error).into()))?;
        Ok(Arc::new(Self { store, s3, compares: false.into(), url: url.with_key(""), server }))
    }

    fn build(
        url: &ObjectUrl,
        options: builders::Options,
        connector: Connector,
    ) -> object_store::Result<(Arc<dyn ObjectStore>, Option<S3>)> {
        match url.scheme() {
            Scheme::S3 => {
                let client = builders::client_options(&options);
                let (store, region) = builders::s3(options, url.bucket(), connector.clone())?;
                let store = Arc::new(store);
                let s3 = S3::new(Arc::clone(&store), connector, client, region, url.bucket());
                Ok((store, Some(s3)))
            }
            Scheme::Gs => Ok((Arc::new(builders::gs(options, url.bucket(), connector)?), None)),
            Scheme::Az => {
                let named = url.with_key("").to_string();
                Ok((Arc::new(builders::az(options, named, connector)?), None))
            }
            Scheme::Web => Ok((Arc::new(builders::web(url.web_url(), connector)?), None)),
        }
    }

    /// The object with this name, which lies in here.
    ///
    /// # Errors
    /// [`Problem::NoName`].
    pub fn object(self: &Arc<Self>, url: &ObjectUrl) -> Result<Object, Error> {
        Ok(Object { bucket: Arc::clone(self), url: url.clone(), path: url.path()? })
    }

    /// Lists the objects and prefixes directly below a prefix, whose last `/` is optional.
    ///
    /// # Errors
    /// [`Problem::NotFound`], [`Problem::TooMany`] or the store's error.
    pub fn level(&self, prefix: &str) -> Result<Listing, Error> {
        let listed = self.listed(prefix, |prefix| async move {
            let listed = self.store.list_with_delimiter(prefix.as_ref()).await?;
            let listed = Some(listed);
            Ok(listed.filter(|it| it.objects.len() + it.common_prefixes.len() <= LISTED))
        })?;
        let named = |key: &Path| key.filename().map(str::to_owned);
        Ok(Listing {
            prefixes: listed.common_prefixes.iter().filter_map(named).collect(),
            objects: listed.objects.iter().filter_map(|it| named(&it.location)).collect(),
        })
    }

    /// All objects below a prefix, with their keys.
    ///
    /// # Errors
    /// As [`level`](Self::level).
    pub fn all_below(&self, prefix: &str) -> Result<Vec<String>, Error> {
        self.listed(prefix, |prefix| async move {
            let mut keys = Vec::new();
            let mut objects = self.store.list(prefix.as_ref());
            while let Some(object) = objects.try_next().await? {
                if keys.len() == LISTED {
                    return Ok(None);
                }
                keys.push(object.location.to_string());
            }
            Ok(Some(keys))
        })
    }

    /// The key of one of the objects below a prefix, if there are any.
    ///
    /// # Errors
    /// The store's error.
    pub fn any_below(&self, prefix: &str) -> Result<Option<String>, Error> {
        self.listed(prefix, |prefix| async move {
            let first = self.store.list(prefix.as_ref()).try_next().await?;
            Ok(Some(first.map(|object| object.location.to_string())))
        })
    }

    /// Runs `list` below a prefix, and returns its result; `None` from it means too many.
    fn listed<T, F>(&self, prefix: &str, list: impl FnOnce(Option<Path>) -> F) -> Result<T, Error>
    where
        F: Future<Output = object_store::Result<Option<T>>>,
    {
        let url = self.url.with_key(prefix);
        let name = if prefix.is_empty() { format!("{url}/") } else { url.to_string() };
        let failed = |problem| Error::new(name, problem);
        match wait(list(url.prefix()?)) {
            Ok(Ok(Some(listed))) => Ok(listed),
            Ok(Ok(None)) => Err(failed(Problem::TooMany(LISTED))),
            Ok(Err(error)) => Err(failed(Problem::from_store(&error))),
            Err(error) => Err(failed(Problem::Io(error))),
        }
    }
}

impl Object {
    /// The object with this name.
    ///
    /// # Errors
    /// As [`Bucket::connect`], and [`Problem::NoName`].
    pub fn named(url: &ObjectUrl, on_notice: &OnNotice) -> Result<Self, Error> {
        let path = url.path()?;
        Ok(Self { bucket: Bucket::connect(url, on_notice)?, url: url.clone(), path })
    }

    /// The last part of its key.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        self.path.filename().map(str::to_owned)
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> &ObjectUrl {
        &self.url
    }

    /// Asserts that there is somewhere to write to.
    ///
    /// # Errors
    /// [`Problem::ReadOnly`].
    pub fn expect_writable(&self) -> Result<(), Error> {
        match self.url.scheme() {
            Scheme::Web => Err(Error::new(self.url.to_string(), Problem::ReadOnly)),
            _ => Ok(()),
        }
    }

    /// The object's metadata; `None` if there is no such object.
    ///
    /// # Errors
    /// The store's error.
    pub fn meta(&self) -> Result<Option<ObjectMeta>, Error> {
        match wait(self.bucket.store.head(&self.path)) {
            Ok(Ok(meta)) => Ok(Some(meta)),
            Ok(Err(StoreError::NotFound { .. })) => Ok(None),
            Ok(Err(error)) => Err(self.failed(&error)),
            Err(error) => Err(Error::io(&self.url, error)),
        }
    }

    /// Deletes it, which need not be there.
    ///
    /// # Errors
    /// [`Problem::ReadOnly`], or the store's error.
    pub fn delete(&self) -> Result<(), Error> {
        self.expect_writable()?;
        match wait(self.bucket.store.delete(&self.path)) {
            Ok(Ok(()) | Err(StoreError::NotFound { .. })) => Ok(()),
            Ok(Err(error)) => Err(self.failed(&error)),
            Err(error) => Err(Error::io(&self.url, error)),
        }
    }

    pub(super) fn failed(&self, error: &StoreError) -> Error {
        Error::from_store(&self.url, error)
    }

    /// Does it, and waits for it.
    pub(super) fn wait<T>(
        &self,
        work: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, Error> {
        let done = wait(work).map_err(|error| Error::io(&self.url, error))?;
        done.map_err(|error| self.failed(&error))
    }
}

/// The key of an object whose name is `below` in a prefix; `None` if no key can have that name.
#[must_use]
pub fn key_below(prefix: &str, below: &str) -> Option<String> {
    let between = if prefix.is_empty() || prefix.ends_with('/') { "" } else { "/" };
    let key = format!("{prefix}{between}{below}");
    literal(&key).map(|_| key)
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bucket").field("url", &self.url).finish_non_exhaustive()
    }
}
