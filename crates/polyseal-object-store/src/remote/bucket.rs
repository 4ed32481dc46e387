//! From the name of an object to what reads, writes and lists there.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientOptions, Error as StoreError, ObjectMeta, ObjectStore, ObjectStoreExt,
    RetryConfig,
};

use super::connector::{Connector, Server};
use super::environment::options;
use super::error::{Error, Problem};
use super::lists::LISTED;
use super::outage::Outage;
use super::runtime::{runtime, wait};
use super::s3::S3;
use super::url::{ObjectUrl, Scheme, literal};

/// For how long a server that fails is asked again, before it is an error.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// What whoever waits for a store may want to know.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// It has not answered for a while, and is still being asked.
    Outage(Outage<'a>),
    /// A list has a key that cannot be named here, and it was left out.
    Skipped(&'a str),
}

/// Who is told.
pub type OnNotice = Arc<dyn Fn(Notice<'_>) + Send + Sync>;

/// A bucket, a container, or one object of a web server.
pub struct Bucket {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) s3: Option<S3>,
    /// Whether it has been seen to compare versions when an object is put.
    pub(super) compares: AtomicBool,
    url: ObjectUrl,
}

/// An object that is named: it may be there or not.
#[derive(Clone, Debug)]
pub struct Object {
    pub(super) bucket: Arc<Bucket>,
    pub(super) url: ObjectUrl,
    pub(super) path: Path,
}

/// What is right below a prefix.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The names of the prefixes, without the `/` behind them.
    pub prefixes: Vec<String>,
    /// The names of the objects.
    pub objects: Vec<String>,
}

impl Bucket {
    /// What `url` lies in. Nothing is asked of the store yet.
    ///
    /// # Errors
    /// [`Problem::NoCredentials`], [`Problem::NoTls`] and [`Problem::Setting`].
    pub fn connect(url: &ObjectUrl, on_notice: &OnNotice) -> Result<Arc<Self>, Error> {
        let failed = |problem| Error::new(url.to_string(), problem);
        let server = match url.web_url() {
            Some(url) => Server::Web(url.clone()),
            None => Server::Store,
        };
        let (outage, skipped) = (Arc::clone(on_notice), Arc::clone(on_notice));
        let connector = Connector::new(
            server,
            move |it| outage(Notice::Outage(*it)),
            move |key| skipped(Notice::Skipped(key)),
        );
        let options = options(url.scheme()).map_err(failed)?;
        // The builders look for certificates and for credentials in the file system.
        let entered = runtime().map_err(|error| failed(Problem::Io(error)))?.enter();
        let built = Self::build(url, options, connector);
        drop(entered);
        let (store, s3) = built.map_err(|error| {
            let said = error.to_string();
            failed(Problem::Setting(said.lines().next().unwrap_or_default().to_owned()))
        })?;
        Ok(Arc::new(Self { store, s3, compares: false.into(), url: url.with_key("") }))
    }

    fn build(
        url: &ObjectUrl,
        options: Vec<(String, String)>,
        connector: Connector,
    ) -> object_store::Result<(Arc<dyn ObjectStore>, Option<S3>)> {
        let bucket = url.bucket();
        // What of it is the client's, also for requests that no store makes.
        let client = options.iter().fold(ClientOptions::new(), |client, (key, value)| {
            let key = key.to_ascii_lowercase();
            let key = key.split_once('_').map_or(&key[..], |(_, key)| key);
            match key.parse() {
                Ok(key) => client.with_config(key, value),
                Err(_) => client,
            }
        });
        let retry = patient();
        match url.scheme() {
            Scheme::S3 => {
                let builder = AmazonS3Builder::new().with_retry(retry);
                let builder = with_options(builder, options, |it, key, to| it.with_config(key, to))
                    .with_bucket_name(bucket);
                let region = builder.get_config_value(&AmazonS3ConfigKey::Region);
                let store = Arc::new(builder.with_http_connector(connector.clone()).build()?);
                let s3 = S3::new(Arc::clone(&store), connector, client, region, bucket);
                Ok((store, Some(s3)))
            }
            Scheme::Gs => {
                let builder = GoogleCloudStorageBuilder::new().with_retry(retry);
                let builder = with_options(builder, options, |it, key, to| it.with_config(key, to))
                    .with_bucket_name(bucket);
                Ok((Arc::new(builder.with_http_connector(connector).build()?), None))
            }
            Scheme::Az => {
                let named = url.with_key("").to_string();
                let builder = MicrosoftAzureBuilder::new().with_retry(retry);
                let builder = with_options(builder, options, |it, key, to| it.with_config(key, to))
                    .with_url(named);
                Ok((Arc::new(builder.with_http_connector(connector).build()?), None))
            }
            Scheme::Web => {
                // Who writes http:// means it: what is read is authenticated all the same.
                let plain = url.web_url().is_some_and(|url| url.scheme() == "http");
                let client = ClientOptions::new().with_allow_http(plain);
                let named = url.web_url().map(|url| url.origin().ascii_serialization());
                let builder =
                    HttpBuilder::new().with_retry(retry).with_url(named.unwrap_or_default());
                let builder = builder.with_client_options(client).with_http_connector(connector);
                Ok((Arc::new(builder.build()?), None))
            }
        }
    }

    /// The object with this name, which lies in here.
    ///
    /// # Errors
    /// [`Problem::NoName`].
    pub fn object(self: &Arc<Self>, url: &ObjectUrl) -> Result<Object, Error> {
        Ok(Object { bucket: Arc::clone(self), url: url.clone(), path: url.path()? })
    }

    /// What is right below a prefix, of which the `/` at its end is left out.
    ///
    /// # Errors
    /// [`Problem::NotFound`], [`Problem::TooMany`] and what the store says.
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
    /// What the store says.
    pub fn any_below(&self, prefix: &str) -> Result<Option<String>, Error> {
        self.listed(prefix, |prefix| async move {
            let first = self.store.list(prefix.as_ref()).try_next().await?;
            Ok(Some(first.map(|object| object.location.to_string())))
        })
    }

    /// What `list` finds below a prefix; `None` if that is too much.
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

    /// What the store tells of it; `None` if it is not there.
    ///
    /// # Errors
    /// What the store says.
    pub fn meta(&self) -> Result<Option<ObjectMeta>, Error> {
        match wait(self.bucket.store.head(&self.path)) {
            Ok(Ok(meta)) => Ok(Some(meta)),
            Ok(Err(StoreError::NotFound { .. })) => Ok(None),
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

/// How often a server that fails is asked again.
pub(super) fn patient() -> RetryConfig {
    let backoff = BackoffConfig { max_backoff: PATIENCE / 12, ..BackoffConfig::default() };
    RetryConfig { backoff, max_retries: usize::MAX, retry_timeout: PATIENCE }
}

/// A builder with all options that it knows.
pub(super) fn with_options<B, K: FromStr>(
    builder: B,
    options: Vec<(String, String)>,
    set: impl Fn(B, K, String) -> B,
) -> B {
    options.into_iter().fold(builder, |builder, (key, value)| {
        match key.to_ascii_lowercase().parse() {
            Ok(key) => set(builder, key, value),
            Err(_) => builder,
        }
    })
}

/// The key of an object whose name is `below` in a prefix; `None` if there can be none.
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
