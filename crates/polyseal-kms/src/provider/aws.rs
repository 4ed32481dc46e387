//! AWS KMS: symmetric keys that wrap, and key pairs on P-256 whose use is key agreement.
//!
//! Source: the AWS KMS API reference, `GenerateDataKey`, `Encrypt`, `Decrypt`, `GetPublicKey` and
//! `DeriveSharedSecret`; requests are signed by [`credentials`]. `aws-kms://` is followed by a
//! key's identifier, `alias/NAME` or an ARN, as Tink has it.
//!
//! Security claim: only AWS is spoken to, or the place that the user set: a region in a file
//! becomes a part of a host's name, and is checked. A blob of another key is refused, and the
//! encryption context is bound by the service.
//!
//! Limits: the context is readable in CloudTrail. A key pair is made by the managers of the keys.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use polyseal_file::Key;
use polyseal_http::cloud::credentials;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::http::{self, Answer, Refusal};
use super::json::{self, Secret};
use super::{Blob, Kms, Point};
use crate::{Context, Problem, Result, Settings, ShownKey, Uri};

const CONTENT_TYPE: &str = "application/x-amz-json-1.1";

/// The bytes before a point of P-256 in its SubjectPublicKeyInfo: RFC 5480, section 2.
const POINT_IN_DER: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

struct Aws {
    key: String,
    region: String,
    url: Url,
    settings: Settings,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Request<'a> {
    key_id: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    encryption_context: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_spec: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plaintext: Option<Secret>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ciphertext_blob: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_agreement_algorithm: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    public_key: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Response {
    key_id: Option<String>,
    ciphertext_blob: Option<String>,
    plaintext: Option<Secret>,
    public_key: Option<String>,
    key_usage: Option<String>,
    shared_secret: Option<Secret>,
}

#[derive(Default, Deserialize)]
struct Said {
    #[serde(rename = "__type", default)]
    kind: String,
    #[serde(alias = "Message", default)]
    message: String,
}

pub(super) fn connect(uri: &Uri, settings: &Settings) -> Result<Box<dyn Kms>> {
    let key = uri.name().to_owned();
    let region = region(&key, settings)?;
    // Not AWS_ENDPOINT_URL: that names somebody's store, which would choose the keys.
    let url = http::url(&settings.get("AWS_ENDPOINT_URL_KMS").unwrap_or_else(|| {
        let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
        format!("https://kms.{region}.{domain}")
    }))?;
    Ok(Box::new(Aws { key, region, url, settings: settings.clone() }))
}

/// The region of an ARN, or the user's. It becomes a part of a host's name.
fn region(key: &str, settings: &Settings) -> Result<String> {
    let found = match key.strip_prefix("arn:") {
        Some(rest) => {
            let parts: Vec<_> = rest.split(':').collect();
            let [partition, "kms", region, ..] = parts[..] else {
                return Err(Problem::Uri("an ARN is not of KMS".to_owned()).into());
            };
            if !["aws", "aws-cn", "aws-us-gov"].contains(&partition) {
                return Err(Problem::Uri("an ARN of an unknown partition".to_owned()).into());
            }
            region.to_owned()
        }
        None => {
            let set = settings.get("AWS_REGION").or_else(|| settings.get("AWS_DEFAULT_REGION"));
            set.ok_or_else(|| Problem::Setting("set AWS_REGION, or give an ARN".to_owned()))?
        }
    };
    if is_region(&found) {
        Ok(found)
    } else {
        Err(Problem::Uri("a region is such as eu-west-1".to_owned()).into())
    }
}

/// `eu-west-1`, `us-gov-east-1`: words and a number. Anything else could name another service of
/// Amazon's.
fn is_region(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    let [words @ .., number] = &parts[..] else { return false };
    let is_word = |part: &&str| {
        (2..=10).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_lowercase())
    };
    let is_number = (1..=2).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    (2..=3).contains(&words.len()) && words.iter().all(is_word) && is_number
}

impl Aws {
    fn request<'a>(&'a self, context: &'a Context) -> Request<'a> {
        Request {
            key_id: &self.key,
            encryption_context: context.pairs().collect(),
            key_spec: None,
            plaintext: None,
            ciphertext_blob: None,
            key_agreement_algorithm: None,
            public_key: None,
        }
    }

    fn call<T: Send>(
        &self,
        operation: &str,
        request: &Request<'_>,
        take: impl Fn(Response) -> Option<T> + Sync,
    ) -> Result<T> {
        let found =
            credentials::aws(&|name| self.settings.get(name)).map_err(json::no_credentials)?;
        let target = format!("TrentService.{operation}");
        let headers = |body: &[u8]| {
            let headers =
                http::headers([("content-type", CONTENT_TYPE), ("x-amz-target", &target)])?;
            let (place, digest) = (("kms", self.region.as_str()), Sha256::digest(body).into());
            let signed = found.sign_post(&self.url, place, headers, &digest);
            signed.map_err(|error| json::no_credentials(error).into())
        };
        json::ask(&self.url, headers, request, take, refusal)
    }

    fn blob(response: &Response) -> Option<Blob> {
        let bytes = BASE64_STANDARD.decode(response.ciphertext_blob.as_ref()?).ok()?;
        Some(Blob { bytes, key_id: response.key_id.clone() })
    }
}

impl Kms for Aws {
    fn wrap(&self, key: &Key, context: &Context) -> Result<Blob> {
        let plaintext = Some(Secret::new(key, &BASE64_STANDARD));
        let request = Request { plaintext, ..self.request(context) };
        self.call("Encrypt", &request, |response| Self::blob(&response))
    }

    fn generate(&self, context: &Context) -> Result<(Key, Blob)> {
        let request = Request { key_spec: Some("AES_256"), ..self.request(context) };
        self.call("GenerateDataKey", &request, |response| {
            Some((response.plaintext.as_ref()?.key(&BASE64_STANDARD)?, Self::blob(&response)?))
        })
    }

    fn unwrap(&self, wrapped: &[u8], context: &Context) -> Result<Key> {
        let ciphertext_blob = Some(BASE64_STANDARD.encode(wrapped));
        let request = Request { ciphertext_blob, ..self.request(context) };
        self.call("Decrypt", &request, |response| response.plaintext?.key(&BASE64_STANDARD))
    }

    fn shown_key(&self) -> Result<ShownKey> {
        let none = Context::default();
        let request = self.request(&none);
        let (der, usage) = self.call("GetPublicKey", &request, |response| {
            Some((BASE64_STANDARD.decode(response.public_key?).ok()?, response.key_usage?))
        })?;
        if usage != "KEY_AGREEMENT" {
            // It could never open what was encrypted to it.
            let why = format!("the key's use is {usage}, not KEY_AGREEMENT");
            return Err(Problem::Setting(why).into());
        }
        let point = der.strip_prefix(&POINT_IN_DER).and_then(|point| point.try_into().ok());
        let other = || Problem::Service("the key is not one of P-256".to_owned());
        Ok(ShownKey::new(point.ok_or_else(other)?))
    }

    fn derive(&self, point: &Point) -> Result<Zeroizing<[u8; 32]>> {
        let der = [&POINT_IN_DER[..], point].concat();
        let none = Context::default();
        let request = Request {
            key_agreement_algorithm: Some("ECDH"),
            public_key: Some(BASE64_STANDARD.encode(der)),
            ..self.request(&none)
        };
        self.call("DeriveSharedSecret", &request, |response| {
            response.shared_secret?.bytes(&BASE64_STANDARD)
        })
    }
}

fn refusal(answer: &Answer) -> Refusal {
    let Said { kind, message } = serde_json::from_slice(&answer.body).unwrap_or_default();
    let kind = kind.rsplit('#').next().unwrap_or_default();
    let says = json::said(&[&message, kind], answer.status);
    let of_time = ["Signature expired", "not yet current"].iter().any(|part| says.contains(part));
    let last = match kind {
        "DisabledException" | "KMSInvalidStateException" => Problem::Disabled(says),
        "InvalidKeyUsageException" | "UnsupportedOperationException" => Problem::Setting(says),
        "NotFoundException" => Problem::NotFound(says),
        "InvalidCiphertextException" | "IncorrectKeyException" => Problem::Refused(says),
        "RequestExpired" | "RequestTimeTooSkewedException" => Problem::Clock(says),
        _ if of_time => Problem::Clock(says),
        "AccessDeniedException" => Problem::Denied(says),
        "ExpiredTokenException"
        | "IncompleteSignature"
        | "IncompleteSignatureException"
        | "InvalidClientTokenId"
        | "InvalidSignatureException"
        | "MissingAuthenticationTokenException"
        | "UnrecognizedClientException" => Problem::Credentials(says),
        "ThrottlingException" | "LimitExceededException" => {
            return Refusal::Later(Problem::Throttled(says));
        }
        "KeyUnavailableException" => return Refusal::Later(Problem::Unreachable(says)),
        _ => return json::by_status(answer.status, says),
    };
    Refusal::Final(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none(_: &str) -> Option<String> {
        None
    }

    #[test]
    fn a_region_is_no_other_host() {
        let none = Settings::from_variables(none);
        let arn = |region: &str| format!("arn:aws:kms:{region}:1:key/a");
        assert_eq!(region(&arn("eu-west-1"), &none).unwrap(), "eu-west-1");
        assert_eq!(region(&arn("us-gov-east-1"), &none).unwrap(), "us-gov-east-1");
        for bad in [
            "",
            "evil.example/",
            "eu.evil",
            "EU",
            "a@b",
            "a#",
            "s3",
            "s3-us-west-2",
            "us-west",
            "s3-accelerate",
            "us-west-1.evil",
            "us--1",
        ] {
            assert!(region(&arn(bad), &none).is_err(), "{bad}");
        }
        for bad in ["arn:aws:s3:eu:1:x", "arn:evil:kms:eu:1:key/a", "arn:", "alias/a"] {
            assert!(region(bad, &none).is_err(), "{bad}");
        }
    }
}
