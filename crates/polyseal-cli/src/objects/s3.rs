//! What `object_store` has no function for: an object whose beginning is replaced, and whose rest
//! the server copies.
//!
//! Source: the S3 API's `CreateMultipartUpload`, `UploadPart`, `UploadPartCopy`,
//! `CompleteMultipartUpload` and `AbortMultipartUpload`; requests are signed by `object_store`.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey, AwsAuthorizer};
use object_store::client::{HttpClient, HttpConnector, HttpRequestBody, ReqwestConnector};
use object_store::path::Path as Key;
use object_store::signer::Signer;
use object_store::{Attribute, Attributes, ClientOptions, Error, ObjectMeta, Result};
use url::Url;

use super::store::{Object, builder_options};
use crate::error::Failure;

/// What the server copies in one request: at most 5 GiB, and at most 10,000 parts.
const COPY_BYTES: u64 = 1 << 30;
/// How often a request that can be repeated is, if the server or the network fails.
const ATTEMPTS: u32 = 4;

const NONE: &[(&str, String)] = &[];

pub(crate) struct S3 {
    store: AmazonS3,
    client: HttpClient,
    region: String,
    /// As in the copy's source: `bucket/key`.
    bucket: String,
    key: Key,
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl S3 {
    pub(crate) fn of(object: &Object) -> std::result::Result<Self, Failure> {
        let name = object.name.to_string_lossy();
        let url = Url::parse(&name).ok().filter(|url| url.scheme() == "s3");
        let Some((url, bucket)) = url.as_ref().and_then(|url| Some((url, url.host_str()?))) else {
            let message = format!("{name} cannot be rekeyed: its store copies no parts");
            return Err(Failure::usage(message).hint("decrypt it and encrypt it anew"));
        };
        let builder = builder_options().fold(
            AmazonS3Builder::new().with_url(url.to_string()),
            |builder, (key, value)| match key.to_ascii_lowercase().parse() {
                Ok(key) => builder.with_config(key, value),
                Err(_) => builder,
            },
        );
        let region = builder.get_config_value(&AmazonS3ConfigKey::Region);
        let region = region.unwrap_or_else(|| "us-east-1".to_owned());
        // Long enough for a server to copy a gigabyte.
        let options =
            ClientOptions::new().with_allow_http(true).with_timeout(Duration::from_secs(15 * 60));
        let failed = |error: Error| object.failure("rekey", &error);
        let client = ReqwestConnector::default().connect(&options).map_err(failed)?;
        let store = builder.build().map_err(failed)?;
        Ok(Self { store, client, region, bucket: bucket.to_owned(), key: object.key.clone() })
    }

    /// Puts `first` in the place of as many bytes at the beginning of the object that is described
    /// by `meta`, if that is still what is there.
    pub(crate) async fn replace_beginning(
        &self,
        meta: &ObjectMeta,
        attributes: &Attributes,
        first: Bytes,
    ) -> Result<()> {
        let headers = headers(attributes);
        let created = self.repeated(&Method::POST, &[("uploads", "")], &headers, &[]).await?;
        let upload = element(&created.text, "UploadId")
            .ok_or_else(|| error("the server began no upload"))?;
        let done = self.upload(meta, &upload, first).await;
        if done.is_err() {
            let _ = self.repeated(&Method::DELETE, &[("uploadId", &upload)], NONE, &[]).await;
        }
        done
    }

    async fn upload(&self, meta: &ObjectMeta, upload: &str, first: Bytes) -> Result<()> {
        let e_tag = meta.e_tag.clone().unwrap_or_default();
        let mut tags = Vec::new();
        let query = [("partNumber", "1"), ("uploadId", upload)];
        let sent = self.repeated(&Method::PUT, &query, NONE, &first).await?;
        let tag = sent.headers.get("etag").and_then(|tag| tag.to_str().ok());
        tags.push(tag.ok_or_else(|| error("the server gave a part no ETag"))?.to_owned());
        let source = format!("{}/{}", self.bucket, self.url().await?.1);
        let mut start = first.len() as u64;
        while start < meta.size {
            let end = meta.size.min(start + COPY_BYTES);
            let number = (tags.len() + 1).to_string();
            let query = [("partNumber", number.as_str()), ("uploadId", upload)];
            let headers = [
                ("x-amz-copy-source", source.clone()),
                ("x-amz-copy-source-range", format!("bytes={start}-{}", end - 1)),
                ("x-amz-copy-source-if-match", e_tag.clone()),
            ];
            let copied = self.repeated(&Method::PUT, &query, &headers, &[]).await?;
            let tag = element(&copied.text, "ETag");
            tags.push(tag.ok_or_else(|| error("the server copied no part"))?);
            start = end;
        }
        let parts: String = (1..)
            .zip(tags)
            .map(|(number, tag)| {
                let tag = tag.replace('"', "&quot;");
                format!("<Part><PartNumber>{number}</PartNumber><ETag>{tag}</ETag></Part>")
            })
            .collect();
        let body = format!("<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>");
        // Once: who does not hear the answer does not know whether it was done.
        let headers = [("if-match", e_tag)];
        let query = [("uploadId", upload)];
        let answer = self.once(&Method::POST, &query, &headers, body.as_bytes()).await?;
        let completed = self.checked(answer)?;
        // Servers begin to answer before they are done.
        if completed.text.contains("<CompleteMultipartUploadResult") {
            Ok(())
        } else {
            Err(error(&completed.text))
        }
    }

    /// The object's URL, and its key as it stands there.
    async fn url(&self) -> Result<(Url, String)> {
        let mut url =
            self.store.signed_url(Method::GET, &self.key, Duration::from_secs(60)).await?;
        url.set_query(None);
        let path = url.path().trim_start_matches('/');
        let in_host = url.host_str().is_some_and(|h| h.starts_with(&format!("{}.", self.bucket)));
        let inside = path.strip_prefix(&format!("{}/", self.bucket)).filter(|_| !in_host);
        let key = inside.unwrap_or(path).to_owned();
        Ok((url, key))
    }

    async fn repeated(
        &self,
        method: &Method,
        query: &[(&str, &str)],
        headers: &[(impl AsRef<str>, String)],
        body: &[u8],
    ) -> Result<Answer> {
        let mut attempt = 1;
        loop {
            let answer = self.once(method, query, headers, body).await;
            let failed = answer.as_ref().map_or(true, |answer| answer.status.is_server_error());
            if !failed || attempt == ATTEMPTS {
                return self.checked(answer?);
            }
            tokio::time::sleep(Duration::from_millis(200 << attempt)).await;
            attempt += 1;
        }
    }

    async fn once(
        &self,
        method: &Method,
        query: &[(&str, &str)],
        headers: &[(impl AsRef<str>, String)],
        body: &[u8],
    ) -> Result<Answer> {
        let (mut url, _) = self.url().await?;
        url.query_pairs_mut().extend_pairs(query);
        let mut request = Request::builder().method(method).uri(url.as_str());
        for (name, value) in headers {
            request = request.header(name.as_ref(), value);
        }
        let body = HttpRequestBody::from(Bytes::copy_from_slice(body));
        let mut request = request.body(body).map_err(|e| error(&e.to_string()))?;
        let credential = self.store.credentials().get_credential().await?;
        AwsAuthorizer::new(&credential, "s3", &self.region).authorize(&mut request, None);
        let failed = |e: object_store::client::HttpError| error(&e.to_string());
        let response = self.client.execute(request).await.map_err(failed)?;
        let (parts, body) = response.into_parts();
        let text = String::from_utf8_lossy(&body.bytes().await.map_err(failed)?).into_owned();
        Ok(Answer { status: parts.status, headers: parts.headers, text })
    }

    fn checked(&self, answer: Answer) -> Result<Answer> {
        let path = self.key.to_string();
        match answer.status {
            status if status.is_success() => Ok(answer),
            StatusCode::PRECONDITION_FAILED | StatusCode::CONFLICT => {
                Err(Error::Precondition { path, source: answer.text.into() })
            }
            StatusCode::NOT_FOUND => Err(Error::NotFound { path, source: answer.text.into() }),
            StatusCode::FORBIDDEN => {
                Err(Error::PermissionDenied { path, source: answer.text.into() })
            }
            status => Err(error(&format!("the server answered {status}: {}", answer.text))),
        }
    }
}

/// The text of the only element with this name.
fn element(xml: &str, name: &str) -> Option<String> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once(&format!("</{name}>"))?;
    Some(text.replace("&quot;", "\"").replace("&#34;", "\"").replace("&amp;", "&"))
}

fn headers(attributes: &Attributes) -> Vec<(String, String)> {
    let named = |attribute: &Attribute| match attribute {
        Attribute::CacheControl => Some("cache-control".to_owned()),
        Attribute::ContentDisposition => Some("content-disposition".to_owned()),
        Attribute::ContentEncoding => Some("content-encoding".to_owned()),
        Attribute::ContentLanguage => Some("content-language".to_owned()),
        Attribute::ContentType => Some("content-type".to_owned()),
        Attribute::StorageClass => Some("x-amz-storage-class".to_owned()),
        Attribute::Metadata(name) => Some(format!("x-amz-meta-{name}")),
        _ => None,
    };
    let pairs = attributes.iter().filter_map(|(a, value)| Some((named(a)?, value.to_string())));
    pairs.collect()
}

fn error(text: &str) -> Error {
    Error::Generic { store: "S3", source: text.to_owned().into() }
}
