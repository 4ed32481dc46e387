//! The stores of `object_store`, each on a connector.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::StaticCredentialProvider;
use object_store::gcp::{GcpCredential, GoogleCloudStorageBuilder};
use object_store::http::HttpBuilder;
use object_store::{BackoffConfig, ClientOptions, Error, ObjectStore, RetryConfig};
use polyseal_object_store::remote::{Connector, Server};

type Messages = Arc<Mutex<Vec<String>>>;

/// The notices to a client.
#[derive(Clone, Default)]
pub(crate) struct Log {
    troubles: Messages,
    skipped: Messages,
}

impl Log {
    pub(crate) fn troubles(&self) -> Vec<String> {
        self.troubles.lock().unwrap().clone()
    }

    pub(crate) fn skipped(&self) -> Vec<String> {
        std::mem::take(&mut self.skipped.lock().unwrap())
    }

    pub(crate) fn connector(&self, server: Server) -> Connector {
        let (troubles, skipped) = (Arc::clone(&self.troubles), Arc::clone(&self.skipped));
        Connector::new(
            server,
            move |trouble| {
                let line = format!("{}: {}", trouble.host, trouble.message);
                troubles.lock().unwrap().push(line);
            },
            move |key| skipped.lock().unwrap().push(key.to_owned()),
        )
        .with_outage_after(Duration::ZERO)
    }
}

pub(crate) fn retry() -> RetryConfig {
    let (init_backoff, max_backoff) = (Duration::from_millis(1), Duration::from_millis(2));
    let backoff = BackoffConfig { init_backoff, max_backoff, base: 2. };
    RetryConfig { backoff, max_retries: 3, retry_timeout: Duration::from_secs(60) }
}

pub(crate) fn s3_builder(origin: &str) -> AmazonS3Builder {
    AmazonS3Builder::new()
        .with_endpoint(origin)
        .with_region("us-east-1")
        .with_bucket_name("b")
        .with_retry(retry())
}

pub(crate) fn s3(origin: &str, connector: Connector) -> Arc<dyn ObjectStore> {
    let builder = s3_builder(origin).with_access_key_id("i").with_secret_access_key("s");
    Arc::new(
        builder
            .with_token("secret")
            .with_allow_http(true)
            .with_http_connector(connector)
            .build()
            .unwrap(),
    )
}

pub(crate) fn gs(origin: &str, connector: Connector) -> Arc<dyn ObjectStore> {
    let bearer = GcpCredential { bearer: "secret".to_owned() };
    let builder = GoogleCloudStorageBuilder::new()
        .with_base_url(origin)
        .with_bucket_name("b")
        .with_credentials(Arc::new(StaticCredentialProvider::new(bearer)))
        .with_client_options(ClientOptions::new().with_allow_http(true))
        .with_retry(retry());
    Arc::new(builder.with_http_connector(connector).build().unwrap())
}

pub(crate) fn az(origin: &str, connector: Connector) -> Arc<dyn ObjectStore> {
    let builder = MicrosoftAzureBuilder::new()
        .with_endpoint(origin.to_owned())
        .with_account("a")
        .with_container_name("c")
        .with_access_key("c2VjcmV0")
        .with_allow_http(true)
        .with_retry(retry());
    Arc::new(builder.with_http_connector(connector).build().unwrap())
}

/// A web server's one object, at `url`.
pub(crate) fn web_with(url: &str, make: impl Fn(Server) -> Connector) -> Arc<dyn ObjectStore> {
    let mut bare: url::Url = url.parse().unwrap();
    let connector = make(Server::Web(bare.clone()));
    bare.set_query(None);
    bare.set_path("");
    let builder = HttpBuilder::new()
        .with_url(bare)
        .with_client_options(ClientOptions::new().with_allow_http(true))
        .with_retry(retry());
    Arc::new(builder.with_http_connector(connector).build().unwrap())
}

pub(crate) fn web(url: &str, log: &Log) -> Arc<dyn ObjectStore> {
    web_with(url, |server| log.connector(server))
}

/// One of each kind, all at one server.
pub(crate) fn all(origin: &str, log: &Log) -> [Arc<dyn ObjectStore>; 4] {
    let [a, b, c] = stores(origin, log);
    [a, b, c, web(&format!("{origin}/k"), log)]
}

/// Those with lists.
pub(crate) fn stores(origin: &str, log: &Log) -> [Arc<dyn ObjectStore>; 3] {
    let connector = || log.connector(Server::Store);
    [s3(origin, connector()), gs(origin, connector()), az(origin, connector())]
}

/// The error's own of this type, or what there is in its place.
pub(crate) fn found<T: std::error::Error + Clone + 'static>(error: &Error) -> T {
    let found = polyseal_object_store::remote::find::<T>(error);
    found.unwrap_or_else(|| panic!("another error: {error:?}")).clone()
}
