//! Services that are asked in JSON: requests, answers, and the secrets in them.

use base64::Engine;
use polyseal_file::Key;
#[cfg(any(feature = "aws", feature = "gcp"))]
use polyseal_http::cloud::SetupError;
use reqwest::Url;
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

use super::http::{self, Answer, Refusal};
use crate::{Problem, Result};

/// Room for every request, in bytes: the longest has a wrapped key and an encryption context.
const MAX_REQUEST_BYTES: usize = 64 * 1024;
/// The most characters of a service's message.
const SAID: usize = 300;

/// Asks, and returns the value that `take` finds in an answer with status 200. The headers are of
/// the body, and made anew for each try.
pub(super) fn ask<Q: Serialize, A: DeserializeOwned, T: Send>(
    url: &Url,
    headers: impl Fn(&[u8]) -> Result<HeaderMap> + Sync,
    request: &Q,
    take: impl Fn(A) -> Option<T> + Sync,
    refusal: fn(&Answer) -> Refusal,
) -> Result<T> {
    let nonsense = || Problem::Service("an answer that is none".to_owned());
    // As large as it can be: a vector that grows leaves copies behind.
    let mut body = Zeroizing::new(Vec::with_capacity(MAX_REQUEST_BYTES));
    serde_json::to_writer(&mut *body, request).map_err(|_| nonsense())?;
    http::post(
        url,
        || headers(&body),
        &body,
        |answer| {
            if answer.status != 200 {
                return Err(refusal(answer));
            }
            let response = serde_json::from_slice(&answer.body).ok();
            response.and_then(&take).ok_or_else(|| Refusal::Final(nonsense()))
        },
    )
}

/// The headers of a request in JSON with a token.
#[cfg(any(feature = "azure", feature = "gcp"))]
pub(super) fn bearer(token: &str) -> Result<HeaderMap> {
    let authorization = Zeroizing::new(format!("Bearer {token}"));
    http::headers([("content-type", "application/json"), ("authorization", &authorization)])
}

/// Why there are no credentials: they are not set, not taken, or nobody answers who gives them.
#[cfg(any(feature = "aws", feature = "gcp"))]
pub(super) fn no_credentials(error: SetupError) -> Problem {
    match error {
        SetupError::Setting(_) | SetupError::NoTls(_) => Problem::Setting(error.to_string()),
        SetupError::Service(_) => Problem::Unreachable(error.to_string()),
        _ => Problem::Credentials(error.to_string()),
    }
}

/// The first of these that a service said, fit for a line; else the status.
pub(super) fn said(of: &[&str], status: u16) -> String {
    match of.iter().find(|text| !text.is_empty()) {
        Some(text) => text.chars().filter(|c| !c.is_control()).take(SAID).collect(),
        None => format!("status {status}"),
    }
}

/// The meaning of an answer's status, where the service says nothing more precise.
pub(super) fn by_status(status: u16, says: String) -> Refusal {
    match status {
        401 => Refusal::Final(Problem::Credentials(says)),
        403 => Refusal::Final(Problem::Denied(says)),
        404 => Refusal::Final(Problem::NotFound(says)),
        429 => Refusal::Later(Problem::Throttled(says)),
        500.. => Refusal::Later(Problem::Unreachable(says)),
        _ => Refusal::Final(Problem::Service(says)),
    }
}

/// A secret of 32 bytes in base64, on its way to or from a service.
pub(super) struct Secret(Zeroizing<String>);

impl Secret {
    pub(super) fn new(key: &Key, alphabet: &impl Engine) -> Self {
        let mut text = Zeroizing::new(String::with_capacity(64));
        alphabet.encode_string(key.reveal(), &mut text);
        Self(text)
    }

    pub(super) fn key(&self, alphabet: &impl Engine) -> Option<Key> {
        Some(Key::from_bytes(&*self.bytes(alphabet)?))
    }

    pub(super) fn bytes(&self, alphabet: &impl Engine) -> Option<Zeroizing<[u8; 32]>> {
        let mut bytes = Zeroizing::new([0; 33]);
        let length = alphabet.decode_slice(self.0.as_str(), bytes.as_mut_slice()).ok()?;
        Some(Zeroizing::new(bytes.get(..length)?.try_into().ok()?))
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        String::deserialize(from).map(|text| Self(Zeroizing::new(text)))
    }
}
