//! Credentials of a cloud, found where those of its stores are, for requests that no store makes;
//! and the signature of such a request to Amazon.
//!
//! A cloud's machine is asked for them only where that is said, as for stores. Google's is asked
//! at the `GCE_METADATA_HOST` of the process's environment.
//!
//! ```no_run
//! let found = polyseal_http::cloud::credentials::aws(&|name| std::env::var(name).ok())?;
//! println!("{found:?}");
//! # Ok::<(), polyseal_http::cloud::SetupError>(())
//! ```
//!
//! Limit: copies of a credential in `object_store`, which signs with it, are not wiped.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use http::{HeaderMap, HeaderValue, Request};
use object_store::aws::{AwsAuthorizer, AwsCredential};
use object_store::client::{CredentialProvider, HttpRequestBody};
use reqwest::Url;
use tokio::runtime::Builder;
use zeroize::{Zeroize, Zeroizing};

use super::builders::{self, Options, expect_headers};
use super::connector::{Connector, Server};
use super::environment::{Purpose, options_from};
use super::setup::{Scheme, SetupError};

/// The time for all requests to a service that gives credentials, and for their repetitions.
const PATIENCE_FOR_ALL: Duration = Duration::from_secs(120);

/// The value of a variable, if it is set.
pub type Variable<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

type Provider<T> = Arc<dyn CredentialProvider<Credential = T>>;

/// The credentials that sign a request to Amazon. Each of their texts can be a header.
pub struct AwsCredentials(AwsCredential);

/// A bearer token for Google, wiped when dropped.
pub struct GoogleToken(Zeroizing<String>);

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
/// [`SetupError`], which may be that of the service that gives them.
pub fn aws(variable: Variable<'_>) -> Result<AwsCredentials, SetupError> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    let pair = (set("AWS_ACCESS_KEY_ID"), set("AWS_SECRET_ACCESS_KEY"));
    if let (Some(key_id), Some(secret_key)) = pair {
        // A client, which reads all authorities' certificates, is of no use for these.
        let token = set("AWS_SESSION_TOKEN");
        let given = AwsCredentials(AwsCredential { key_id, secret_key, token });
        expect_headers(&given.0).map_err(|error| SetupError::from_provider(&error))?;
        return Ok(given);
    }
    let found = find(Scheme::S3, &AWS, variable, |options, connector| {
        let (store, _) = builders::s3(options, NO_BUCKET, connector)?;
        Ok(Arc::clone(store.credentials()))
    })?;
    Ok(AwsCredentials(AwsCredential {
        key_id: found.key_id.clone(),
        secret_key: found.secret_key.clone(),
        token: found.token.clone(),
    }))
}

/// The bearer token for Google that the variables give.
///
/// # Errors
/// As [`aws`].
pub fn google(variable: Variable<'_>) -> Result<GoogleToken, SetupError> {
    let found = find(Scheme::Gs, &GOOGLE, variable, |options, connector| {
        Ok(Arc::clone(builders::gs(options, NO_BUCKET, connector)?.credentials()))
    })?;
    Ok(GoogleToken(Zeroizing::new(found.bearer.clone())))
}

/// Asks the provider of `build`, on a thread of its own, since the caller's may be one of a
/// runtime, which must not wait; and in a runtime of its own, which a process that is forked
/// afterwards does not miss.
fn find<T: Send + Sync>(
    scheme: Scheme,
    names: &[&str],
    variable: Variable<'_>,
    build: impl FnOnce(Options, Connector) -> object_store::Result<Provider<T>> + Send,
) -> Result<Arc<T>, SetupError> {
    let set = names.iter().filter_map(|name| Some(((*name).to_owned(), variable(name)?)));
    let options = options_from(scheme, Purpose::Keys, &set.collect::<Vec<_>>())?;
    let run = || {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(no_client)?;
        // The builders look for certificates and for credentials in the file system.
        let entered = runtime.enter();
        let provider = build(options, Connector::new(Server::Store, |_| {}, |_| {}));
        drop(entered);
        let provider = provider.map_err(|error| SetupError::from_settings(&error))?;
        let found = runtime.block_on(async {
            tokio::time::timeout(PATIENCE_FOR_ALL, provider.get_credential()).await
        });
        let late = || SetupError::Service("no credentials came in two minutes".to_owned());
        found.map_err(|_| late())?.map_err(|error| SetupError::from_provider(&error))
    };
    thread::scope(|scope| {
        let asking = thread::Builder::new().spawn_scoped(scope, run).map_err(no_client)?;
        let ended = || SetupError::Service("what asks for credentials ended".to_owned());
        asking.join().unwrap_or_else(|_| Err(ended()))
    })
}

/// The system gives no thread or no runtime.
fn no_client(error: io::Error) -> SetupError {
    SetupError::Service(error.to_string())
}

impl AwsCredentials {
    /// The access key's identifier.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.key_id
    }

    /// Signs a request that is posted to `url` at this time: adds headers to `headers`, all of
    /// which it signs. `digest` is the SHA-256 of the body.
    ///
    /// # Errors
    /// [`SetupError::Setting`] if the URL, or `region`, is of no request.
    pub fn sign_post(
        &self,
        url: &Url,
        (service, region): (&str, &str),
        headers: HeaderMap,
        digest: &[u8; 32],
    ) -> Result<HeaderMap, SetupError> {
        let invalid = |what: &str| SetupError::Setting(format!("{what} is of no request"));
        // In the header: `object_store` ends the process where it cannot be there.
        if HeaderValue::from_str(region).is_err() {
            return Err(invalid("the region"));
        }
        let request = Request::post(url.as_str()).body(HttpRequestBody::empty());
        let mut request = request.map_err(|_| invalid("the address of the service"))?;
        *request.headers_mut() = headers;
        AwsAuthorizer::new(&self.0, service, region).authorize(&mut request, Some(digest));
        let mut headers = request.into_parts().0.headers;
        headers.values_mut().for_each(|value| value.set_sensitive(true));
        Ok(headers)
    }
}

impl Drop for AwsCredentials {
    fn drop(&mut self) {
        self.0.secret_key.zeroize();
        self.0.token.zeroize();
    }
}

impl fmt::Debug for AwsCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AwsCredentials({})", self.id())
    }
}

impl GoogleToken {
    /// The token, to be sent to Google.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for GoogleToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GoogleToken(secret)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_not_shown() {
        let token = GoogleToken(Zeroizing::new("very secret".to_owned()));
        assert_eq!(
            (token.reveal(), &*format!("{token:?}")),
            ("very secret", "GoogleToken(secret)")
        );
    }

    /// Nothing is asked: no setting here makes a request.
    #[test]
    fn no_error_repeats_a_credential() {
        let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
        let decimals = format!("{:?}", key.as_bytes());
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("\"{key}\"")).unwrap();
        let named = file.path().to_str().unwrap().to_owned();
        let account = |pem: &str, off: &str| {
            let others = r#""private_key_id":"1","client_email":"a@b""#;
            format!(r#"{{"private_key":"{pem}",{others},"disable_oauth":{off}}}"#)
        };
        let pem = "-----BEGIN PRIVATE KEY-----";
        let end = "-----END PRIVATE KEY-----";
        let given = [
            ("GOOGLE_SERVICE_ACCOUNT_KEY", key.to_owned()),
            ("GOOGLE_SERVICE_ACCOUNT_KEY", format!("\"{key}\"")),
            ("GOOGLE_SERVICE_ACCOUNT_KEY", account("", &format!("\"{key}\""))),
            ("GOOGLE_SERVICE_ACCOUNT_KEY", account(&format!("{pem}{key}{end}"), "false")),
            ("GOOGLE_SERVICE_ACCOUNT_KEY", account(&format!("-----BEGIN {key}"), "false")),
            ("GOOGLE_SERVICE_ACCOUNT_KEY", account(&format!("{pem}\\n{key}\\n{end}"), "false")),
            ("GOOGLE_SERVICE_ACCOUNT", account(key, "false")),
            ("GOOGLE_SERVICE_ACCOUNT_PATH", format!("{pem}{key}")),
            ("GOOGLE_SERVICE_ACCOUNT_PATH", named.clone()),
            ("GOOGLE_APPLICATION_CREDENTIALS", account(key, "false")),
            ("GOOGLE_APPLICATION_CREDENTIALS", named),
            ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", format!("eyJ{key}")),
            ("AWS_WEB_IDENTITY_TOKEN_FILE", format!("eyJ{key}")),
        ];
        for (name, value) in given {
            let variable = |asked: &str| match asked {
                "AWS_ROLE_ARN" => Some("arn:aws:iam::1:role/r".to_owned()),
                "AWS_CONTAINER_CREDENTIALS_FULL_URI" => Some("https://localhost:1/".to_owned()),
                asked => (asked == name).then(|| value.clone()),
            };
            let refused = match name.starts_with("AWS_") {
                true => aws(&variable).map(|_| ()).unwrap_err(),
                false => google(&variable).map(|_| ()).unwrap_err(),
            };
            let mut error: Option<&dyn std::error::Error> = Some(&refused);
            while let Some(each) = error {
                let told = format!("{each} {each:?}");
                // The numbers of its bytes, too, as far as a cut message has them.
                let shown = [key, &key[..8], &decimals[1..20]].iter().any(|key| told.contains(key));
                assert!(!shown, "{name}={value}: {told}");
                error = each.source();
            }
        }
        let azure = vec![
            ("AZURE_STORAGE_ACCOUNT_NAME".to_owned(), "a".to_owned()),
            ("AZURE_STORAGE_ACCOUNT_KEY".to_owned(), format!("{key}!")),
        ];
        let connector = Connector::new(Server::Store, |_| {}, |_| {});
        let refused = builders::az(azure, "az://container".to_owned(), connector).unwrap_err();
        let told = SetupError::from_settings(&refused).to_string();
        assert!(told.ends_with("Invalid Access Key"), "{told}");
    }

    fn given(id: &str, token: &str) -> Result<AwsCredentials, SetupError> {
        aws(&|name| match name {
            "AWS_ACCESS_KEY_ID" => Some(id.to_owned()),
            "AWS_SECRET_ACCESS_KEY" => Some("very secret".to_owned()),
            "AWS_SESSION_TOKEN" => Some(token.to_owned()),
            _ => None,
        })
    }

    #[test]
    fn what_is_no_header_is_signed_nowhere() {
        for (id, token) in [("i\n", "t"), ("i", "t\r\nx: y"), ("i", "\0")] {
            assert!(matches!(given(id, token), Err(SetupError::Setting(_))), "{id:?} {token:?}");
        }
        let credentials = given("i", "t").unwrap();
        let url = Url::parse("https://kms.example:8/x").unwrap();
        let sign =
            |region| credentials.sign_post(&url, ("kms", region), HeaderMap::new(), &[0; 32]);
        assert!(sign("eu\n").is_err());
        let signed = sign("eu-west-2").unwrap();
        assert_eq!(signed["host"], "kms.example:8");
        assert_eq!(signed["x-amz-security-token"], "t");
        assert!(!format!("{credentials:?} {signed:?}").contains("very secret"));
    }
}
