//! Stores of `object_store`, each made here and nowhere else, so that every request goes through a
//! [`Connector`] and every credential is looked at before a request is made of it.
//!
//! Source: the builders of `object_store` 0.13. It ends the process where a credential cannot be a
//! header, or a part of a URL is invalid.
//!
//! Limit: a token's file that is written between the look and its use still does so.

use std::fmt::{self, Debug};
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use http::HeaderValue;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey, AwsCredential};
use object_store::azure::{AzureCredential, MicrosoftAzure, MicrosoftAzureBuilder};
use object_store::client::CredentialProvider;
use object_store::gcp::{GcpCredential, GoogleCloudStorage, GoogleCloudStorageBuilder};
use object_store::http::{HttpBuilder, HttpStore};
use object_store::{BackoffConfig, ClientOptions, Error, Result, RetryConfig};
use url::Url;

use super::answers::UnusableCredential;
use super::connector::Connector;
use super::environment::TOKEN_FILE;

/// For how long a server that fails is asked again, before it is an error.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A store's options, as names of variables and their values.
pub type Options = Vec<(String, String)>;

/// A bucket of an S3, and its region.
///
/// # Errors
/// Settings that make no store.
pub fn s3(
    options: Options,
    bucket: &str,
    connector: Connector,
) -> Result<(AmazonS3, Option<String>)> {
    let token_file = options.iter().find(|(name, _)| name == TOKEN_FILE);
    let token_file = token_file.map(|(_, path)| PathBuf::from(path));
    let builder = AmazonS3Builder::new().with_retry(patient());
    let builder = with_options(builder, options, |it, key, to| it.with_config(key, to))
        .with_bucket_name(bucket)
        .with_http_connector(connector);
    let region = builder.get_config_value(&AmazonS3ConfigKey::Region);
    let inner = Arc::clone(builder.clone().build()?.credentials());
    let store = builder.with_credentials(Arc::new(Checked { inner, token_file })).build()?;
    Ok((store, region))
}

/// A bucket of Google's.
///
/// # Errors
/// As [`s3`].
pub fn gs(options: Options, bucket: &str, connector: Connector) -> Result<GoogleCloudStorage> {
    let builder = GoogleCloudStorageBuilder::new().with_retry(patient());
    let builder = with_options(builder, options, |it, key, to| it.with_config(key, to))
        .with_bucket_name(bucket)
        .with_http_connector(connector);
    let inner = Arc::clone(builder.clone().build()?.credentials());
    builder.with_credentials(Arc::new(Checked { inner, token_file: None })).build()
}

/// The container at this URL.
///
/// # Errors
/// As [`s3`].
pub fn az(options: Options, url: String, connector: Connector) -> Result<MicrosoftAzure> {
    let builder = MicrosoftAzureBuilder::new().with_retry(patient());
    let builder = with_options(builder, options, |it, key, to| it.with_config(key, to))
        .with_url(url)
        .with_http_connector(connector);
    let inner = Arc::clone(builder.clone().build()?.credentials());
    builder.with_credentials(Arc::new(Checked { inner, token_file: None })).build()
}

/// The web server of this URL.
///
/// # Errors
/// As [`s3`].
pub fn web(url: Option<&Url>, connector: Connector) -> Result<HttpStore> {
    // A user who writes http:// means it: the bytes are authenticated all the same.
    let plain = url.is_some_and(|url| url.scheme() == "http");
    let origin = url.map(|url| url.origin().ascii_serialization());
    HttpBuilder::new()
        .with_retry(patient())
        .with_url(origin.unwrap_or_default())
        .with_client_options(ClientOptions::new().with_allow_http(plain))
        .with_http_connector(connector)
        .build()
}

/// HTTP client options, of a store's options, for requests that `object_store` does not make.
#[must_use]
pub fn client_options(options: &Options) -> ClientOptions {
    options.iter().fold(ClientOptions::new(), |client, (key, value)| {
        let key = key.to_ascii_lowercase();
        let key = key.split_once('_').map_or(&key[..], |(_, key)| key);
        match key.parse() {
            Ok(key) => client.with_config(key, value),
            Err(_) => client,
        }
    })
}

/// How often a server that fails is asked again.
fn patient() -> RetryConfig {
    let backoff = BackoffConfig { max_backoff: PATIENCE / 12, ..BackoffConfig::default() };
    RetryConfig { backoff, max_retries: usize::MAX, retry_timeout: PATIENCE }
}

/// A builder with all options that it knows.
fn with_options<B, K: FromStr>(builder: B, options: Options, set: impl Fn(B, K, String) -> B) -> B {
    options.into_iter().fold(builder, |builder, (key, value)| {
        match key.to_ascii_lowercase().parse() {
            Ok(key) => set(builder, key, value),
            Err(_) => builder,
        }
    })
}

/// A provider whose credentials are checked: each is valid as a header. A service's answers may
/// have any bytes, and a file may be written at any time.
struct Checked<C> {
    inner: Arc<dyn CredentialProvider<Credential = C>>,
    /// Its contents are sent as a header by `inner`.
    token_file: Option<PathBuf>,
}

impl<C> Debug for Checked<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checked").finish_non_exhaustive()
    }
}

#[async_trait]
impl<C: Credential> CredentialProvider for Checked<C> {
    type Credential = C;

    async fn get_credential(&self) -> Result<Arc<C>> {
        if let Some(path) = &self.token_file
            && !read(path).is_none_or(|text| is_header(&text))
        {
            let what = format!(
                "the file that {TOKEN_FILE} names has a character that no header has: it must not \
                 end with a line end"
            );
            return Err(unusable(what));
        }
        let found = self.inner.get_credential().await?;
        expect_headers(&*found)?;
        Ok(found)
    }
}

/// Asserts that requests can be made with a credential.
///
/// # Errors
/// [`UnusableCredential`].
pub(super) fn expect_headers(credential: &impl Credential) -> Result<()> {
    if credential.texts().into_iter().all(|text| is_header(text.as_bytes())) {
        return Ok(());
    }
    Err(unusable("the credentials have a character that no header has".to_owned()))
}

/// The beginning of a token's file; `None` if it cannot be read, which its user reports.
fn read(path: &PathBuf) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    File::open(path).ok()?.take(crate::ANSWER_BYTES).read_to_end(&mut text).ok()?;
    Some(text)
}

fn is_header(text: &[u8]) -> bool {
    HeaderValue::from_bytes(text).is_ok()
}

fn unusable(what: String) -> Error {
    Error::Generic { store: "credentials", source: Box::new(UnusableCredential(what)) }
}

/// The parts of a credential that are sent in headers.
pub(super) trait Credential: Send + Sync + 'static {
    fn texts(&self) -> Vec<&str>;
}

impl Credential for AwsCredential {
    fn texts(&self) -> Vec<&str> {
        [Some(&self.key_id), self.token.as_ref()]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect()
    }
}

impl Credential for GcpCredential {
    fn texts(&self) -> Vec<&str> {
        vec![&self.bearer]
    }
}

impl Credential for AzureCredential {
    fn texts(&self) -> Vec<&str> {
        match self {
            Self::BearerToken(token) => vec![token],
            // A key signs, and a signature is encoded.
            Self::AccessKey(_) | Self::SASToken(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use object_store::client::StaticCredentialProvider;

    use super::*;

    fn given<C: Credential + Debug>(credential: C, token_file: Option<PathBuf>) -> Result<Arc<C>> {
        let inner = Arc::new(StaticCredentialProvider::new(credential));
        let checked = Checked { inner, token_file };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(checked.get_credential())
    }

    #[test]
    fn a_credential_that_is_no_header_ends_no_process() {
        let aws = |key_id: &str, token: &str| AwsCredential {
            key_id: key_id.to_owned(),
            secret_key: "s\n".to_owned(),
            token: Some(token.to_owned()),
        };
        let gcp = |bearer: &str| GcpCredential { bearer: bearer.to_owned() };
        let azure = |bearer: &str| AzureCredential::BearerToken(bearer.to_owned());
        assert!(given(aws("k", "t"), None).is_ok() && given(gcp("t"), None).is_ok());
        assert!(given(azure("t"), None).is_ok());
        for wrong in ["t\n", "t\r\nx: y", "\0", "\u{7f}"] {
            assert!(given(aws("k", wrong), None).is_err() && given(aws(wrong, "t"), None).is_err());
            assert!(given(gcp(wrong), None).is_err() && given(azure(wrong), None).is_err());
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        for (contents, taken) in [("token", true), ("token\n", false), ("to\0ken", false)] {
            std::fs::write(&file, contents).unwrap();
            assert_eq!(given(aws("k", "t"), Some(file.clone())).is_ok(), taken, "{contents:?}");
        }
    }
}
