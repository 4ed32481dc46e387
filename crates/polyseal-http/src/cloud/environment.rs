//! A store's settings from the environment: endpoints, regions and credentials, in the variables
//! that other programs take, `AWS_…`, `GOOGLE_…` and `AZURE_…`. Files of configuration are not
//! read.
//!
//! Four things are checked before a request is made. Without credentials `object_store` would ask
//! the metadata service of a cloud's machine, which does not exist elsewhere: it is asked only if a
//! variable says so. An endpoint without TLS needs a variable that allows it. `object_store` ends
//! the process where it cannot make a URL or a header of a setting. And it repeats the name of a
//! file that is not there, which may be a credential.

use std::env;

use http::Uri;
use url::Url;

use super::builders::Options;
use super::setup::{Scheme, SetupError};

/// Names the file whose contents are sent to the service that gives a container of Amazon's
/// credentials.
pub(super) const TOKEN_FILE: &str = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";

/// Names the host that gives a machine of Google's credentials.
const METADATA_HOST: &str = "GCE_METADATA_HOST";
/// The variables that are heeded and have no store's prefix: that host, and a header for Azure's.
const OF_MACHINES: [&str; 2] = [METADATA_HOST, "IDENTITY_HEADER"];

/// The use of the credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Objects, of which some are public.
    Objects,
    /// Keys, which nobody has without credentials.
    Keys,
}

/// The variables and texts for one kind of store.
struct Settings {
    scheme: Scheme,
    prefix: &'static str,
    /// Variables that give credentials, those of any of these together.
    credentials: &'static [&'static [&'static str]],
    /// Any of these, if it is true, does without, or has credentials elsewhere.
    instead: &'static [&'static str],
    /// The hint where there are no credentials: which variables give them, which do without, and
    /// which ask the machine.
    needed: &'static str,
    public: &'static str,
    machine: &'static str,
    /// Another program's way to credentials that is not gone here, and what to do instead.
    elsewhere: Option<(&'static str, &'static str)>,
    allow_http: &'static str,
}

const SETTINGS: [Settings; 3] = [
    Settings {
        scheme: Scheme::S3,
        prefix: "AWS_",
        credentials: &[
            &["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
            &["AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN"],
            &["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"],
            &["AWS_CONTAINER_CREDENTIALS_FULL_URI", TOKEN_FILE],
        ],
        instead: &["AWS_SKIP_SIGNATURE"],
        needed: "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        public: "AWS_SKIP_SIGNATURE=true for a public bucket",
        machine: "AWS_EC2_METADATA_DISABLED=false for those of a machine of Amazon's",
        elsewhere: Some((
            "AWS_PROFILE",
            "profiles are not read: see `aws configure export-credentials --format env`",
        )),
        allow_http: "AWS_ALLOW_HTTP",
    },
    Settings {
        scheme: Scheme::Gs,
        prefix: "GOOGLE_",
        credentials: &[
            &["GOOGLE_SERVICE_ACCOUNT"],
            &["GOOGLE_SERVICE_ACCOUNT_PATH"],
            &["GOOGLE_SERVICE_ACCOUNT_KEY"],
            &["GOOGLE_APPLICATION_CREDENTIALS"],
            // To name this host is to ask for it.
            &[METADATA_HOST],
        ],
        instead: &["GOOGLE_SKIP_SIGNATURE"],
        needed: "GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_SERVICE_ACCOUNT",
        public: "GOOGLE_SKIP_SIGNATURE=true for a public bucket",
        machine: "GCE_METADATA_HOST for those of a machine of Google's",
        elsewhere: None,
        allow_http: "GOOGLE_ALLOW_HTTP",
    },
    Settings {
        scheme: Scheme::Az,
        prefix: "AZURE_",
        credentials: &[
            &["AZURE_STORAGE_ACCOUNT_KEY"],
            &["AZURE_STORAGE_ACCESS_KEY"],
            &["AZURE_STORAGE_MASTER_KEY"],
            &["AZURE_STORAGE_SAS_KEY"],
            &["AZURE_STORAGE_SAS_TOKEN"],
            &["AZURE_STORAGE_TOKEN"],
            &["AZURE_STORAGE_CLIENT_ID", "AZURE_STORAGE_CLIENT_SECRET", "AZURE_STORAGE_TENANT_ID"],
            &["AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID"],
            &["AZURE_CLIENT_ID", "AZURE_FEDERATED_TOKEN_FILE", "AZURE_TENANT_ID"],
            &["AZURE_MSI_ENDPOINT"],
            &["AZURE_IDENTITY_ENDPOINT"],
        ],
        instead: &["AZURE_USE_AZURE_CLI", "AZURE_SKIP_SIGNATURE", "AZURE_STORAGE_USE_EMULATOR"],
        needed: "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
        public: "AZURE_SKIP_SIGNATURE=true for a public container",
        machine: "AZURE_MSI_ENDPOINT for those of a machine of Azure's",
        elsewhere: None,
        allow_http: "AZURE_ALLOW_HTTP",
    },
];

/// The ends of the names of variables that name a file of credentials.
const FILES: [&str; 4] = ["_FILE", "_PATH", "_APPLICATION_CREDENTIALS", "_SERVICE_ACCOUNT"];

/// Whether a value is what a file of credentials has in it: JSON, a token in JSON, or a key. Who
/// takes it for the name of a file that is not there repeats it.
fn is_contents(name: &str, value: &str) -> bool {
    let begins = ["{", "\"", "eyJ"].iter().any(|begins| value.starts_with(begins));
    FILES.iter().any(|end| name.ends_with(end)) && (begins || value.contains("-----BEGIN "))
}

/// Endpoints that are not the store's.
const MACHINE: [&str; 3] = ["METADATA", "MSI", "IDENTITY"];

/// The URLs that are made of the values of variables whose names end so.
const IN_URLS: [(&str, &str); 11] = [
    ("ENDPOINT", "{}"),
    ("_URL", "{}"),
    ("_URL_S3", "{}"),
    ("_URL_STS", "{}"),
    ("_FULL_URI", "{}"),
    ("_RELATIVE_URI", "http://169.254.170.2{}"),
    ("_METADATA_HOST", "http://{}/"),
    ("_AUTHORITY_HOST", "{}"),
    ("_REGION", "https://s3.{}.amazonaws.com/"),
    ("_ACCOUNT_NAME", "https://{}.blob.core.windows.net/"),
    ("_TENANT_ID", "https://login.microsoftonline.com/{}/"),
];

/// Whether the URL that is made of a variable's value is one, and of nobody's host by a user and a
/// password; a proxy may want both.
fn makes_a_url(name: &str, value: &str) -> bool {
    IN_URLS.iter().filter(|(end, _)| name.ends_with(end)).all(|(end, pattern)| {
        let text = pattern.replace("{}", value);
        let of_one = |url: Url| {
            let anonymous = url.username().is_empty() && url.password().is_none();
            url.has_host() && (anonymous || name.ends_with("_PROXY_URL"))
        };
        // A part of a host's name or of a path, and no more.
        let is_part = match *pattern {
            "{}" => true,
            _ if *end == "_RELATIVE_URI" => value.starts_with('/'),
            _ => !value.contains(['/', '?', '#', '@', '\\']),
        };
        is_part && text.parse::<Uri>().is_ok() && Url::parse(&text).is_ok_and(of_one)
    })
}

/// The options for stores of a kind, as their builder takes them.
///
/// # Errors
/// [`SetupError::NoCredentials`], [`SetupError::NoTls`] and [`SetupError::Setting`].
pub fn options(scheme: Scheme) -> Result<Options, SetupError> {
    let variables = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    options_from(scheme, Purpose::Objects, &variables.collect::<Vec<_>>())
}

pub(super) fn options_from(
    scheme: Scheme,
    purpose: Purpose,
    variables: &[(String, String)],
) -> Result<Options, SetupError> {
    let Some(settings) = SETTINGS.iter().find(|it| it.scheme == scheme) else {
        return Ok(Vec::new());
    };
    let of_ours = variables.iter().filter(|(name, _)| name.starts_with(settings.prefix));
    let options: Vec<_> = of_ours.filter(|(_, value)| !value.is_empty()).cloned().collect();
    let value = |wanted: &str| {
        variables.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value)
    };
    let is_true = |name: &&str| {
        ["1", "true", "on", "yes", "y"].contains(&value(name).to_ascii_lowercase().as_str())
    };
    let of_machines = variables.iter().filter(|(name, _)| OF_MACHINES.contains(&&**name));
    for (name, value) in options.iter().chain(of_machines) {
        if value.chars().any(char::is_control) {
            return Err(SetupError::Setting(format!("{name} has a control character in it")));
        }
        if is_contents(name, value) {
            let what = format!("{name} is what a file has in it, and not the name of that file");
            return Err(SetupError::Setting(what));
        }
        if !makes_a_url(name, value) {
            return Err(SetupError::Setting(format!("{name} is no URL, nor a part of one")));
        }
    }
    let machine =
        scheme == Scheme::S3 && value("AWS_EC2_METADATA_DISABLED").eq_ignore_ascii_case("false");
    let complete = |set: &&[&str]| set.iter().all(|name| !value(name).is_empty());
    let has_some = settings.credentials.iter().any(complete);
    let public = purpose == Purpose::Objects && settings.instead.iter().any(is_true);
    if !has_some && !public && !machine {
        let Settings { needed, public, machine, .. } = settings;
        let mut ways = match purpose {
            Purpose::Objects => format!("{needed} ({public}, {machine})"),
            Purpose::Keys => format!("{needed} ({machine})"),
        };
        if let Some((name, why)) = settings.elsewhere.filter(|(name, _)| !value(name).is_empty()) {
            ways.push_str(&format!("; {name} is set, and {why}"));
        }
        return Err(SetupError::NoCredentials(ways));
    }
    let of_machine = |name: &str| MACHINE.iter().any(|it| name.contains(it));
    let is_endpoint = |name: &str| name.contains("ENDPOINT") || name.ends_with("_URL");
    let mut plain = false;
    for (name, value) in options.iter().filter(|(name, _)| is_endpoint(name)) {
        let url = Url::parse(value);
        plain |= url.is_ok_and(|url| url.scheme() == "http") && !of_machine(name);
    }
    if plain && !is_true(&settings.allow_http) {
        return Err(SetupError::NoTls(settings.allow_http));
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(scheme: Scheme, variables: &[(&str, &str)]) -> Result<usize, SetupError> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        options_from(scheme, Purpose::Objects, &variables.iter().map(owned).collect::<Vec<_>>())
            .map(|options| options.len())
    }

    const KEYS: [(&str, &str); 2] = [("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")];

    #[test]
    fn a_machine_is_asked_for_credentials_only_where_that_is_said() {
        let none = |variables: &[(&str, &str)]| {
            matches!(set(Scheme::S3, variables), Err(SetupError::NoCredentials(_)))
        };
        assert!(none(&[]) && none(&[("AWS_REGION", "x"), ("AWS_METADATA_ENDPOINT", "http://h")]));
        assert!(none(&[("AWS_ACCESS_KEY_ID", ""), ("AWS_EC2_METADATA_DISABLED", "true")]));
        assert_eq!(set(Scheme::S3, &KEYS).unwrap(), 2);
        assert!(set(Scheme::S3, &[("AWS_EC2_METADATA_DISABLED", "false")]).is_ok());
        assert!(set(Scheme::Gs, &KEYS).is_err() && set(Scheme::Az, &KEYS).is_err());
        for half in [
            &[("AWS_ACCESS_KEY_ID", "a")][..],
            &[("AWS_SKIP_SIGNATURE", "false")],
            &[("AWS_WEB_IDENTITY_TOKEN_FILE", "f")],
            &[("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://h")],
        ] {
            assert!(none(half), "{half:?}");
        }
        assert!(set(Scheme::Az, &[("AZURE_CLIENT_SECRET", "s")]).is_err());
        assert!(set(Scheme::S3, &[("AWS_SKIP_SIGNATURE", "true")]).is_ok());
        let broken = [&KEYS[..], &[("AWS_SESSION_TOKEN", "x\n")]].concat();
        assert!(matches!(set(Scheme::S3, &broken), Err(SetupError::Setting(_))));
        assert!(set(Scheme::Gs, &[("GCE_METADATA_HOST", "h")]).is_ok());
        assert!(set(Scheme::Az, &[("AZURE_STORAGE_ACCOUNT_KEY", "k")]).is_ok());
        assert_eq!(set(Scheme::Web, &KEYS).unwrap(), 0);
    }

    #[test]
    fn an_endpoint_without_tls_has_to_be_allowed() {
        let with = |more: &[(&str, &str)]| set(Scheme::S3, &[&KEYS, more].concat());
        let plain = ("AWS_ENDPOINT_URL", "http://127.0.0.1:9");
        assert!(matches!(with(&[plain]), Err(SetupError::NoTls("AWS_ALLOW_HTTP"))));
        assert!(matches!(with(&[plain, ("AWS_ALLOW_HTTP", "0")]), Err(SetupError::NoTls(_))));
        assert!(with(&[plain, ("AWS_ALLOW_HTTP", "True")]).is_ok());
        assert!(with(&[("AWS_ENDPOINT_URL", "HTTP://h")]).is_err());
        assert!(with(&[("AWS_ENDPOINT_URL", "https://h")]).is_ok());
        assert!(with(&[("AWS_METADATA_ENDPOINT", "http://h")]).is_ok());
        for wrong in ["http://h:99999", "h", "file:///h"] {
            let refused = with(&[("AWS_ENDPOINT_URL", wrong), ("AWS_ALLOW_HTTP", "1")]);
            assert!(matches!(refused, Err(SetupError::Setting(_))), "{wrong}");
        }
    }
    #[test]
    fn what_makes_no_url_is_said_before_one_is_made() {
        let container = ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://h/x?y=1");
        let more =
            |name, value| set(Scheme::S3, &[&KEYS[..], &[container, (name, value)]].concat());
        for (name, good, bad) in [
            ("AWS_REGION", "us-east-1", "eu west"),
            ("AWS_DEFAULT_REGION", "auto", "a/b@c"),
            ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/x", "@h/x"),
            ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/x?a", "/a b"),
            (container.0, "http://169.254.170.23/v1", "http://h/a b"),
            (container.0, "https://h", "h"),
            ("AWS_ENDPOINT_URL_STS", "https://h", "http://h/ x"),
        ] {
            assert!(more(name, good).is_ok(), "{name} {good} {:?}", more(name, good));
            assert!(matches!(more(name, bad), Err(SetupError::Setting(_))), "{name} {bad}");
        }
        let host = |host| set(Scheme::Gs, &[(METADATA_HOST, host)]);
        assert!(host("metadata.google.internal").is_ok() && host("127.0.0.1:8").is_ok());
        for wrong in ["a b", "h\n", "h:99999", "u@h"] {
            assert!(matches!(host(wrong), Err(SetupError::Setting(_))), "{wrong}");
        }
        let key = ("AZURE_STORAGE_ACCOUNT_KEY", "k");
        let header = |value| set(Scheme::Az, &[key, ("IDENTITY_HEADER", value)]);
        assert!(header("x").is_ok() && header("x\n").is_err());
        let authority = |value| set(Scheme::Az, &[key, ("AZURE_AUTHORITY_HOST", value)]);
        assert!(authority("https://login.microsoftonline.us").is_ok());
        assert!(authority("https://login x").is_err() && authority("login").is_err());
        for name in ["AZURE_STORAGE_ACCOUNT_NAME", "AZURE_TENANT_ID"] {
            assert!(set(Scheme::Az, &[key, (name, "a-1")]).is_ok());
            assert!(set(Scheme::Az, &[key, (name, "a b")]).is_err());
        }
    }

    #[test]
    fn keys_are_nowhere_public_and_profiles_are_not_read() {
        let said = |purpose, variables: &[(&str, &str)]| {
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            let variables: Vec<_> = variables.iter().map(owned).collect();
            match options_from(Scheme::S3, purpose, &variables) {
                Err(SetupError::NoCredentials(said)) => said,
                other => panic!("{other:?}"),
            }
        };
        let public = ("AWS_SKIP_SIGNATURE", "true");
        assert!(!said(Purpose::Keys, &[public]).contains(public.0));
        assert!(said(Purpose::Objects, &[]).contains(public.0));
        for purpose in [Purpose::Keys, Purpose::Objects] {
            assert!(said(purpose, &[("AWS_PROFILE", "prod")]).contains("export-credentials"));
            assert!(!said(purpose, &[]).contains("AWS_PROFILE"));
        }
    }
}
