//! Google Cloud KMS: symmetric keys, which wrap.
//!
//! Source: the REST reference of Cloud KMS, `cryptoKeys.encrypt` and `cryptoKeys.decrypt`. A URI is
//! `gcp-kms://projects/P/locations/L/keyRings/R/cryptoKeys/K`, as Tink has it. The encryption
//! context is the service's additional authenticated data.
//!
//! Security claim: only Google is spoken to, or the place that the user set.
//!
//! Limit: not run against the service.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use polyseal_file::Key;
use polyseal_http::cloud::credentials;
use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::http::{self, Answer, Refusal};
use super::json::{self, Secret};
use super::{Blob, Kms};
use crate::{Context, Problem, Result, Settings, Uri};

struct Gcp {
    encrypt: Url,
    decrypt: Url,
    settings: Settings,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    #[serde(skip_serializing_if = "Option::is_none")]
    plaintext: Option<Secret>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ciphertext: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    additional_authenticated_data: String,
}

#[derive(Deserialize)]
struct Response {
    /// The version of the key that was used.
    name: Option<String>,
    ciphertext: Option<String>,
    plaintext: Option<Secret>,
}

#[derive(Default, Deserialize)]
struct Said {
    #[serde(default)]
    error: SaidError,
}

#[derive(Default, Deserialize)]
struct SaidError {
    #[serde(default)]
    message: String,
    #[serde(default)]
    status: String,
}

pub(super) fn connect(uri: &Uri, settings: &Settings) -> Result<Box<dyn Kms>> {
    let key = checked(uri.name())?;
    let set = settings.get("CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDKMS");
    let set = set.unwrap_or_else(|| "https://cloudkms.googleapis.com/".to_owned());
    let base = set.trim_end_matches('/');
    let place = |operation: &str| http::url(&format!("{base}/v1/{key}:{operation}"));
    let (encrypt, decrypt) = (place("encrypt")?, place("decrypt")?);
    Ok(Box::new(Gcp { encrypt, decrypt, settings: settings.clone() }))
}

/// It becomes a path.
fn checked(name: &str) -> Result<&str> {
    let parts: Vec<_> = name.split('/').collect();
    let of_a_name = |b: u8| b.is_ascii_alphanumeric() || b"-_.:".contains(&b);
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric()) && part.bytes().all(of_a_name)
    };
    match parts[..] {
        ["projects", project, "locations", location, "keyRings", ring, "cryptoKeys", key]
            if [project, location, ring, key].into_iter().all(is_name) =>
        {
            Ok(name)
        }
        _ => {
            let form = "it is gcp-kms://projects/P/locations/L/keyRings/R/cryptoKeys/K";
            Err(Problem::Uri(form.to_owned()).into())
        }
    }
}

impl Gcp {
    fn call<T: Send>(
        &self,
        url: &Url,
        request: &Request,
        take: impl Fn(Response) -> Option<T> + Sync,
    ) -> Result<T> {
        let token = credentials::google(&|name| self.settings.get(name));
        let token = token.map_err(json::no_credentials)?;
        let headers = |_: &[u8]| json::bearer(token.reveal());
        json::ask(url, headers, request, take, refusal)
    }
}

impl Kms for Gcp {
    fn wrap(&self, key: &Key, context: &Context) -> Result<Blob> {
        let request = Request {
            plaintext: Some(Secret::new(key, &BASE64_STANDARD)),
            ciphertext: None,
            additional_authenticated_data: BASE64_STANDARD.encode(context.to_bytes()),
        };
        self.call(&self.encrypt, &request, |response| {
            let bytes = BASE64_STANDARD.decode(response.ciphertext?).ok()?;
            Some(Blob { bytes, key_id: response.name })
        })
    }

    fn unwrap(&self, wrapped: &[u8], context: &Context) -> Result<Key> {
        let request = Request {
            plaintext: None,
            ciphertext: Some(BASE64_STANDARD.encode(wrapped)),
            additional_authenticated_data: BASE64_STANDARD.encode(context.to_bytes()),
        };
        self.call(&self.decrypt, &request, |response| response.plaintext?.key(&BASE64_STANDARD))
    }
}

fn refusal(answer: &Answer) -> Refusal {
    let Said { error } = serde_json::from_slice(&answer.body).unwrap_or_default();
    let says = json::said(&[&error.message, &error.status], answer.status);
    Refusal::Final(match error.status.as_str() {
        "FAILED_PRECONDITION" => Problem::Disabled(says),
        "INVALID_ARGUMENT" => Problem::Refused(says),
        _ => return json::by_status(answer.status, says),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_path() {
        let good = "projects/p-1/locations/global/keyRings/r/cryptoKeys/k";
        assert_eq!(checked(good).unwrap(), good);
        assert!(checked(&good.replace("p-1", "example.com:p")).is_ok());
        for bad in [
            "",
            "projects/p",
            &format!("{good}/x"),
            &good.replace("p-1", ".."),
            &good.replace("p-1", "a?b"),
            &good.replace("keyRings", "keys"),
            &format!("{good}%2f"),
        ] {
            assert!(checked(bad).is_err(), "{bad}");
        }
    }
}
