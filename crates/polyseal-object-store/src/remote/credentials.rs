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
use std::thread;

use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::gcp::{GoogleCloudStorage, GoogleCloudStorageBuilder};
use tokio::runtime::Builder;
use zeroize::Zeroizing;

use super::bucket::{patient, with_options};
use super::environment::options_from;
use super::error::Problem;
use super::url::Scheme;

/// The value of a variable, if it is set.
pub type Variable<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

/// What signs a request to Amazon.
pub struct AwsCredentials {
    /// The access key's identifier.
    pub id: String,
    /// The secret access key.
    pub secret: Zeroizing<String>,
    /// The token of a session.
    pub token: Option<Zeroizing<String>>,
}

const AWS: [&str; 16] = [
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
/// [`Problem::NoCredentials`], [`Problem::Setting`], and what gives them says.
pub fn aws(variable: Variable<'_>) -> Result<AwsCredentials, Problem> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    let pair = (set("AWS_ACCESS_KEY_ID"), set("AWS_SECRET_ACCESS_KEY"));
    if let (Some(id), Some(secret)) = pair {
        // A client, which reads all authorities' certificates, is of no use for these.
        let token = set("AWS_SESSION_TOKEN").map(Zeroizing::new);
        return Ok(AwsCredentials { id, secret: Zeroizing::new(secret), token });
    }
    let found = find(Scheme::S3, &AWS, variable, |options| async {
        let builder = AmazonS3Builder::new().with_retry(patient());
        let builder = with_options(builder, options, |it, key, to| it.with_config(key, to));
        let store: AmazonS3 = builder.with_bucket_name(NO_BUCKET).build()?;
        store.credentials().get_credential().await
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
    let found = find(Scheme::Gs, &GOOGLE, variable, |options| async {
        let builder = GoogleCloudStorageBuilder::new().with_retry(patient());
        let builder = with_options(builder, options, |it, key, to| it.with_config(key, to));
        let store: GoogleCloudStorage = builder.with_bucket_name(NO_BUCKET).build()?;
        store.credentials().get_credential().await
    })?;
    Ok(Zeroizing::new(found.bearer.clone()))
}

/// What `ask` gets, on a thread of its own, since the caller's may be one of a runtime, which must
/// not wait; and in a runtime of its own, which a process that is forked afterwards does not miss.
fn find<T: Send, F: Future<Output = object_store::Result<T>>>(
    scheme: Scheme,
    names: &[&str],
    variable: Variable<'_>,
    ask: impl FnOnce(Vec<(String, String)>) -> F + Send,
) -> Result<T, Problem> {
    let set = names.iter().filter_map(|name| Some(((*name).to_owned(), variable(name)?)));
    let options = options_from(scheme, &set.collect::<Vec<_>>())?;
    let run = || {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(Problem::Io)?;
        runtime.block_on(ask(options)).map_err(|error| Problem::from_store(&error))
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
