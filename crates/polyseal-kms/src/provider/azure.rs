//! Azure Key Vault and its managed HSM: RSA keys, which wrap.
//!
//! Source: the REST reference of Key Vault 7.4, `wrapkey` and `unwrapkey`, and the OAuth 2.0 client
//! credentials flow of Microsoft's identity platform. A URI is
//! `azure-kv://VAULT.vault.azure.net/KEY`, with the vault's host. A wrapped key is `VERSION:VALUE`,
//! the key's version and RSA-OAEP-256 in base64url, since the service unwraps with the version that
//! it is told.
//!
//! Security claim: a token goes to hosts of Azure alone, or to the place that the user set.
//!
//! Limits: RSA binds no context; the check value of the wrapped key file does. A machine's identity
//! is not asked for. Not run against the service.

use std::fs;

use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use polyseal_file::{Key, reason};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::http::{self, Answer, Refusal};
use super::json::{self, Secret};
use super::{Blob, Kms};
use crate::percent;
use crate::{Context, Problem, Result, Settings, Uri};

/// The clouds: where vaults are, and what a token is for.
const DOMAINS: [&str; 4] =
    ["vault.azure.net", "managedhsm.azure.net", "vault.azure.cn", "vault.usgovcloudapi.net"];
const ALGORITHM: &str = "RSA-OAEP-256";

struct Azure {
    base_url: String,
    key: String,
    domain: &'static str,
    settings: Settings,
}

#[derive(Serialize)]
struct Request {
    alg: &'static str,
    value: Secret,
}

#[derive(Serialize)]
struct UnwrapRequest<'a> {
    alg: &'static str,
    value: &'a str,
}

#[derive(Deserialize)]
struct Wrapped {
    kid: String,
    value: String,
}

#[derive(Deserialize)]
struct Unwrapped {
    value: Secret,
}

#[derive(Deserialize)]
struct Token {
    access_token: String,
}

#[derive(Default, Deserialize)]
struct Said {
    #[serde(default)]
    error: SaidError,
}

#[derive(Default, Deserialize)]
struct SaidError {
    #[serde(default)]
    code: String,
    #[serde(default)]
    message: String,
    innererror: Option<Box<SaidError>>,
}

/// An error of the endpoint that gives tokens.
#[derive(Default, Deserialize)]
struct NoToken {
    #[serde(default)]
    error: String,
    #[serde(default)]
    error_description: String,
}

pub(super) fn connect(uri: &Uri, settings: &Settings) -> Result<Box<dyn Kms>> {
    let (host, domain, key) = parts(uri.name())?;
    let base_url = settings.get("AZURE_KEYVAULT_URL").unwrap_or_else(|| format!("https://{host}"));
    let base_url = http::url(&base_url)?;
    if base_url.host_str() != Some(host) && !http::is_loopback(&base_url) {
        let why = format!("AZURE_KEYVAULT_URL names another vault than {host}");
        return Err(Problem::Setting(why).into());
    }
    let base_url = base_url.as_str().trim_end_matches('/').to_owned();
    Ok(Box::new(Azure { base_url, key: key.to_owned(), domain, settings: settings.clone() }))
}

/// The vault's host, its domain, and the key.
fn parts(name: &str) -> Result<(&str, &'static str, &str)> {
    let bad = || Problem::Uri("it is azure-kv://VAULT.vault.azure.net/KEY".to_owned());
    let of_a_name = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    let is_name = |part: &str| !part.is_empty() && part.bytes().all(of_a_name);
    let (host, key) = name.split_once('/').ok_or_else(bad)?;
    let (vault, domain) = host.split_once('.').ok_or_else(bad)?;
    let domain = DOMAINS.into_iter().find(|it| *it == domain).ok_or_else(bad)?;
    if is_name(vault) && is_name(key) { Ok((host, domain, key)) } else { Err(bad().into()) }
}

impl Azure {
    fn url(&self, version: &str, operation: &str) -> Result<Url> {
        // No version: the newest.
        http::url(&format!(
            "{}/keys/{}/{version}/{operation}?api-version=7.4",
            self.base_url, self.key
        ))
    }

    fn token(&self) -> Result<Zeroizing<String>> {
        let variable = |name: &str| {
            let missing = || Problem::Credentials(format!("{name} is not set"));
            self.settings.get(name).ok_or_else(missing)
        };
        let authority = self.settings.get("AZURE_AUTHORITY_HOST");
        let authority = authority.unwrap_or_else(|| "https://login.microsoftonline.com".to_owned());
        let mut url = http::url(&authority)?;
        let tenant = variable("AZURE_TENANT_ID")?;
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend([&tenant, "oauth2", "v2.0", "token"]);
        }
        let scope = format!("https://{}/.default", self.domain);
        let (id, secret) = (variable("AZURE_CLIENT_ID")?, self.settings.get("AZURE_CLIENT_SECRET"));
        let proof = match (secret, self.settings.get("AZURE_FEDERATED_TOKEN_FILE")) {
            (Some(secret), _) => vec![("client_secret", Zeroizing::new(secret))],
            (None, Some(file)) => {
                let read = fs::read_to_string(&file).map(Zeroizing::new);
                // By its variable: what is set may be the token itself.
                let failed = |error| {
                    let why = reason(&error);
                    Problem::Credentials(format!("the file of AZURE_FEDERATED_TOKEN_FILE: {why}"))
                };
                let read = read.map_err(failed)?;
                let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer".to_owned();
                vec![
                    ("client_assertion_type", Zeroizing::new(kind)),
                    ("client_assertion", Zeroizing::new(read.trim().to_owned())),
                ]
            }
            (None, None) => {
                let wanted = "AZURE_CLIENT_SECRET or AZURE_FEDERATED_TOKEN_FILE is not set";
                return Err(Problem::Credentials(wanted.to_owned()).into());
            }
        };
        let fields = [("grant_type", "client_credentials"), ("client_id", &id), ("scope", &scope)];
        let proof = proof.iter().map(|(name, value)| (*name, value.as_str()));
        let body = form(fields.into_iter().chain(proof));
        let headers = || http::headers([("content-type", "application/x-www-form-urlencoded")]);
        http::post(&url, headers, &body, |answer| match answer.status {
            200 => serde_json::from_slice::<Token>(&answer.body)
                .map(|token| Zeroizing::new(token.access_token))
                .map_err(|_| Refusal::Final(Problem::Service("no token came".to_owned()))),
            429 | 500.. => Err(json::by_status(answer.status, json::said(&[], answer.status))),
            status => {
                let said: NoToken = serde_json::from_slice(&answer.body).unwrap_or_default();
                let says = json::said(&[&said.error_description, &said.error], status);
                Err(Refusal::Final(Problem::Credentials(says)))
            }
        })
    }

    fn call<Q: Serialize, A: serde::de::DeserializeOwned, T: Send>(
        &self,
        url: &Url,
        request: &Q,
        take: impl Fn(A) -> Option<T> + Sync,
    ) -> Result<T> {
        let token = self.token()?;
        json::ask(url, |_: &[u8]| json::bearer(&token), request, take, refusal)
    }
}

impl Kms for Azure {
    fn wrap(&self, key: &Key, _context: &Context) -> Result<Blob> {
        let value = Secret::new(key, &BASE64_URL_SAFE_NO_PAD);
        let url = self.url("", "wrapkey")?;
        self.call(&url, &Request { alg: ALGORITHM, value }, |wrapped: Wrapped| {
            let version = wrapped.kid.rsplit('/').next().filter(|version| is_version(version))?;
            let bytes = format!("{version}:{}", wrapped.value).into_bytes();
            Some(Blob { bytes, key_id: Some(wrapped.kid) })
        })
    }

    fn unwrap(&self, wrapped: &[u8], _context: &Context) -> Result<Key> {
        let none = || Problem::Refused("it is no version and value".to_owned());
        let text = str::from_utf8(wrapped).map_err(|_| none())?;
        let parts = text.split_once(':').filter(|(version, _)| is_version(version));
        let (version, value) = parts.ok_or_else(none)?;
        let url = self.url(version, "unwrapkey")?;
        self.call(&url, &UnwrapRequest { alg: ALGORITHM, value }, |unwrapped: Unwrapped| {
            unwrapped.value.key(&BASE64_URL_SAFE_NO_PAD)
        })
    }
}

/// The fields of a form.
fn form<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> Zeroizing<Vec<u8>> {
    // As large as it can be: a vector that grows leaves copies behind.
    let mut body = Zeroizing::new(Vec::with_capacity(64 * 1024));
    for (name, value) in fields {
        if !body.is_empty() {
            body.push(b'&');
        }
        body.extend_from_slice(name.as_bytes());
        body.push(b'=');
        body.extend_from_slice(Zeroizing::new(percent::encode(value)).as_bytes());
    }
    body
}

/// It becomes a part of a path.
fn is_version(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn refusal(answer: &Answer) -> Refusal {
    let Said { error } = serde_json::from_slice(&answer.body).unwrap_or_default();
    let says = json::said(&[&error.message, &error.code], answer.status);
    let inner = error.innererror.map(|inner| inner.code).unwrap_or_default();
    Refusal::Final(match (error.code.as_str(), inner.as_str()) {
        (_, "KeyDisabled" | "KeyExpired" | "KeyNotYetValid") => Problem::Disabled(says),
        _ if says.contains("disabled key") => Problem::Disabled(says),
        ("BadParameter", _) => Problem::Refused(says),
        _ => return json::by_status(answer.status, says),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_of_azure() {
        let good = parts("team.vault.azure.net/backup").unwrap();
        assert_eq!(good, ("team.vault.azure.net", "vault.azure.net", "backup"));
        for bad in [
            "",
            "team.vault.azure.net",
            "team.vault.azure.net/",
            "evil.example/backup",
            "team.vault.azure.net.evil.example/backup",
            "a.b.vault.azure.net/backup",
            "a@b.vault.azure.net/k",
            "team.vault.azure.net/a/b",
            "team.vault.azure.net/..",
            "team.vault.azure.net:1/k",
            ".vault.azure.net/k",
            "team.vault.azure.net/k?x",
        ] {
            assert!(parts(bad).is_err(), "{bad}");
        }
        for bad in ["", "..", "a/b", "a?", &"a".repeat(65)] {
            assert!(!is_version(bad), "{bad}");
        }
    }
}
