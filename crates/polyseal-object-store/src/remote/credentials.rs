//! Credentials of a cloud, found where those of its stores are, for requests that no store makes.
//!
//! A cloud's machine is asked for them only where that is said, as for stores. Google's is asked
//! at the `GCE_METADATA_HOST` of the process's environment.
//!
//! ```no_run
//! let found = polyseal_object_store::remote::credentials::aws(&|name| std::env::var(name).ok())?;
//! println!("{}", found.id);
//! # Ok::<(), polyseal_object_store::remote::Problem>(())
//! ```

use std::fmt;
use std::sync::Arc;
use std::thread;

use object_store::client::CredentialProvider;
use tokio::runtime::Builder;
use zeroize::Zeroizing;

use super::builders::{self, Options};
use super::connector::{Connector, Server};
use super::environment::{Purpose, options_from};
use super::error::Problem;
use super::url::Scheme;

/// The value of a variable, if it is set.
pub type Variable<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

type Provider<T> = Arc<dyn CredentialProvider<Credential = T>>;

/// The credentials that sign a request to Amazon.
pub struct AwsCredentials {
    /// The access key's identifier.
    pub id: String,
    /// The secret access key.
    pub secret: Zeroizing<String>,
    /// The token of a session.
    pub token: Option<Zeroizing<String>>,
}

const AWS: [&str; 17] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_ALLOW_HTTP",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_DEFAULT_REGION",
    "AWS_EC2_METADATA_DISABLED",
    "AWS_ENDPOINT_URL_STS",
    "AWS_IMDSV1_FALLBACK",
    "AWS_METADATA_ENDPOINT",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
];

const GOOGLE: [&str; 5] = [
    "GCE_METADATA_HOST",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_SERVICE_ACCOUNT",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
    "GOOGLE_SERVICE_ACCOUNT_PATH",
];

/// A bucket of which nothing is asked.
const NO_BUCKET: &str = "none";

/// The credentials for Amazon that the variables give.
///
/// # Errors
/// [`Problem::NoCredentials`], [`Problem::Setting`], and the error of the service that gives them.
pub fn aws(variable: Variable<'_>) -> Result<AwsCredentials, Problem> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    let pair = (set("AWS_ACCESS_KEY_ID"), set("AWS_SECRET_ACCESS_KEY"));
    if let (Some(id), Some(secret)) = pair {
        // A client, which reads all authorities' certificates, is of no use for these.
        let token = set("AWS_SESSION_TOKEN").map(Zeroizing::new);
        return Ok(AwsCredentials { id, secret: Zeroizing::new(secret), token });
    }
    let found = find(Scheme::S3, &AWS, variable, |options, connector| {
        let (store, _) = builders::s3(options, NO_BUCKET, connector)?;
        Ok(Arc::clone(store.credentials()))
    })?;
    Ok(AwsCredentials {
        id: found.key_id.clone(),
        secret: Zeroizing::new(found.secret_key.clone()),
        token: found.token.clone().map(Zeroizing::new),
    })
}

/// The bearer token for Google that the variables give.
///
/// # Errors
/// As [`aws`].
pub fn google(variable: Variable<'_>) -> Result<Zeroizing<String>, Problem> {
    let found = find(Scheme::Gs, &GOOGLE, variable, |options, connector| {
        Ok(Arc::clone(builders::gs(options, NO_BUCKET, connector)?.credentials()))
    })?;
    Ok(Zeroizing::new(found.bearer.clone()))
}

/// Asks the provider of `build`, on a thread of its own, since the caller's may be one of a
/// runtime, which must not wait; and in a runtime of its own, which a process that is forked
/// afterwards does not miss.
fn find<T: Send + Sync>(
    scheme: Scheme,
    names: &[&str],
    variable: Variable<'_>,
    build: impl FnOnce(Options, Connector) -> object_store::Result<Provider<T>> + Send,
) -> Result<Arc<T>, Problem> {
    let set = names.iter().filter_map(|name| Some(((*name).to_owned(), variable(name)?)));
    let options = options_from(scheme, Purpose::Keys, &set.collect::<Vec<_>>())?;
    let run = || {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(Problem::Io)?;
        // The builders look for certificates and for credentials in the file system.
        let entered = runtime.enter();
        let provider = build(options, Connector::new(Server::Store, |_| {}, |_| {}));
        drop(entered);
        let provider = provider.map_err(|error| Problem::setting(&error))?;
        runtime.block_on(provider.get_credential()).map_err(|error| Problem::from_store(&error))
    };
    thread::scope(|scope| {
        let asking = thread::Builder::new().spawn_scoped(scope, run).map_err(Problem::Io)?;
        let ended = || Problem::Store("what asks for credentials ended".to_owned());
        asking.join().unwrap_or_else(|_| Err(ended()))
    })
}

impl fmt::Debug for AwsCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AwsCredentials({})", self.id)
    }
}
