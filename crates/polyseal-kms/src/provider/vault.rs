//! HashiCorp Vault and OpenBao: keys of the transit engine, which wrap.
//!
//! Source: the HTTP API of Vault's transit engine, `encrypt` and `decrypt`. A URI is
//! `hcvault://HOST/MOUNT/keys/NAME`, as Tink has it; the mount is mostly `transit`. A wrapped key
//! is the engine's own text, `vault:v1:…`, and the encryption context is its associated data.
//!
//! Security claim: only the server that `VAULT_ADDR` names gets the token. A URI that names another
//! is refused before anything is sent.
//!
//! Limits: a token comes from `VAULT_TOKEN`, or from the file `.vault-token` in the home folder,
//! which `vault login` writes; there is no login here. A private authority's certificate is given
//! by `SSL_CERT_FILE`. Where another engine is mounted at the URI's mount, a request to it may
//! write there.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use polyseal_file::Key;
use reqwest::Url;
use reqwest::header::HeaderMap;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::http::{self, Answer, Refusal};
use super::json::{self, Secret};
use super::{Blob, Kms};
use crate::{Context, Problem, Result, Settings, Uri};

struct Vault {
    encrypt: Url,
    decrypt: Url,
    settings: Settings,
}

#[derive(Serialize)]
struct Request {
    #[serde(skip_serializing_if = "Option::is_none")]
    plaintext: Option<Secret>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ciphertext: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    associated_data: String,
}

#[derive(Deserialize)]
struct Response {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    plaintext: Option<Secret>,
    ciphertext: Option<String>,
    key_version: Option<u64>,
}

#[derive(Default, Deserialize)]
struct Said {
    #[serde(default)]
    errors: Vec<String>,
}

pub(super) fn connect(uri: &Uri, settings: &Settings) -> Result<Box<dyn Kms>> {
    let (host, mount, key) = parts(uri.name())?;
    let set = settings.get("VAULT_ADDR");
    let set =
        set.ok_or_else(|| Problem::Setting("set VAULT_ADDR to the server's URL".to_owned()))?;
    let server = http::url(&set)?;
    let named = http::url(&format!("{}://{host}", server.scheme())).ok();
    if named.is_none_or(|named| named.origin() != server.origin()) {
        return Err(Problem::Setting(format!("VAULT_ADDR names another server than {host}")).into());
    }
    let place = |operation: &str| {
        let base = server.as_str().trim_end_matches('/');
        http::url(&format!("{base}/v1/{mount}/{operation}/{key}"))
    };
    let (encrypt, decrypt) = (place("encrypt")?, place("decrypt")?);
    Ok(Box::new(Vault { encrypt, decrypt, settings: settings.clone() }))
}

/// The host, the engine's mount and the key's name.
fn parts(name: &str) -> Result<(&str, &str, &str)> {
    let bad = || Problem::Uri("it is hcvault://HOST/MOUNT/keys/NAME".to_owned());
    let (host, path) = name.split_once('/').ok_or_else(bad)?;
    let (mount, key) = path.rsplit_once("/keys/").ok_or_else(bad)?;
    let of_a_name = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    let is_name =
        |part: &str| !part.is_empty() && part != "." && part != ".." && part.bytes().all(of_a_name);
    // A post there would change something.
    let is_other = |part: &str| ["auth", "cubbyhole", "identity", "sys"].contains(&part);
    let is_mount = mount.split('/').all(is_name) && !mount.split('/').any(is_other);
    match !host.is_empty() && is_mount && is_name(key) {
        true => Ok((host, mount, key)),
        false => Err(bad().into()),
    }
}

impl Vault {
    fn headers(&self) -> Result<HeaderMap> {
        let token = match self.settings.get("VAULT_TOKEN") {
            Some(token) => Zeroizing::new(Zeroizing::new(token).trim().to_owned()),
            None => self.token_of_login().ok_or_else(|| {
                Problem::Credentials("VAULT_TOKEN is not set, and vault login left none".to_owned())
            })?,
        };
        let namespace = self.settings.get("VAULT_NAMESPACE");
        let always = [
            ("content-type", "application/json"),
            ("x-vault-request", "true"),
            ("x-vault-token", token.as_str()),
        ];
        let namespace = namespace.as_deref().map(|name| ("x-vault-namespace", name));
        http::headers(always.into_iter().chain(namespace))
    }

    fn token_of_login(&self) -> Option<Zeroizing<String>> {
        let home = self.settings.get("HOME")?;
        let text = Zeroizing::new(fs::read_to_string(Path::new(&home).join(".vault-token")).ok()?);
        Some(Zeroizing::new(text.trim().to_owned())).filter(|token| !token.is_empty())
    }

    fn call<T: Send>(
        &self,
        url: &Url,
        request: &Request,
        take: impl Fn(Data) -> Option<T> + Sync,
    ) -> Result<T> {
        let headers = |_: &[u8]| self.headers();
        json::ask(url, headers, request, |response: Response| take(response.data), refusal)
    }
}

impl Kms for Vault {
    fn wrap(&self, key: &Key, context: &Context) -> Result<Blob> {
        let request = Request {
            plaintext: Some(Secret::new(key, &BASE64_STANDARD)),
            ciphertext: None,
            associated_data: BASE64_STANDARD.encode(context.to_bytes()),
        };
        self.call(&self.encrypt, &request, |data| {
            let key_id = data.key_version.map(|version| format!("version {version}"));
            Some(Blob { bytes: data.ciphertext?.into_bytes(), key_id })
        })
    }

    fn unwrap(&self, wrapped: &[u8], context: &Context) -> Result<Key> {
        let text = str::from_utf8(wrapped);
        let text = text.map_err(|_| Problem::Refused("it is no text of Vault".to_owned()))?;
        let request = Request {
            plaintext: None,
            ciphertext: Some(text.to_owned()),
            associated_data: BASE64_STANDARD.encode(context.to_bytes()),
        };
        self.call(&self.decrypt, &request, |data| data.plaintext?.key(&BASE64_STANDARD))
    }
}

fn refusal(answer: &Answer) -> Refusal {
    let Said { errors } = serde_json::from_slice(&answer.body).unwrap_or_default();
    let errors = errors.join("; ");
    let says = json::said(&[errors.trim()], answer.status);
    let has = |parts: &[&str]| parts.iter().any(|part| says.contains(part));
    Refusal::Final(match answer.status {
        400 if has(&["key not found", "no existing key"]) => Problem::NotFound(says),
        400 if has(&["disallowed by policy", "soft deleted"]) => Problem::Disabled(says),
        400 if has(&["invalid ciphertext", "authentication failed", "unable to decrypt"]) => {
            Problem::Refused(says)
        }
        403 if has(&["invalid token"]) => Problem::Credentials(says),
        status => return json::by_status(status, says),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_server_that_is_configured_gets_the_token() {
        let connect_at = |uri: &str, server: Option<&str>| {
            let server = server.map(str::to_owned);
            let settings = Settings::from_variables(move |name| {
                (name == "VAULT_ADDR").then(|| server.clone())?
            });
            let uri = Uri::parse(uri, crate::Origin::File).unwrap();
            connect(&uri, &settings).err().map(|error| error.problem().clone())
        };
        let uri = "hcvault://vault.example:8200/transit/keys/backup";
        assert_eq!(connect_at(uri, Some("https://vault.example:8200")), None);
        assert_eq!(connect_at(uri, Some("https://vault.example:8200/")), None);
        for other in
            [None, Some("https://vault.example"), Some("https://evil.example:8200"), Some("x")]
        {
            let problem = connect_at(uri, other);
            assert!(matches!(problem, Some(Problem::Setting(_))), "{other:?}: {problem:?}");
        }
        let plain = connect_at(uri, Some("http://vault.example:8200"));
        assert!(matches!(plain, Some(Problem::Setting(_))), "{plain:?}");
    }

    #[test]
    fn a_name_is_no_path() {
        assert_eq!(parts("h/a/b/keys/k").unwrap(), ("h", "a/b", "k"));
        for bad in [
            "h",
            "h/cubbyhole/keys/k",
            "h/team/sys/keys/k",
            "h/keys/k",
            "h/transit/keys/",
            "h/transit/keys/a/b",
            "h/../keys/k",
            "h/transit/keys/..",
            "h/transit/keys/a?b",
            "h/t%2f/keys/a",
            "/transit/keys/a",
            "h/sys//keys/k",
            "h/transit/keys/a#",
        ] {
            assert!(parts(bad).is_err(), "{bad}");
        }
    }
}
