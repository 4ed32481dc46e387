//! Requests that `object_store` has no function for: an object whose beginning is replaced, and
//! whose rest the server copies.
//!
//! Source: the S3 API's `CreateMultipartUpload`, `UploadPart`, `UploadPartCopy`,
//! `CompleteMultipartUpload` and `AbortMultipartUpload`; requests are signed by `object_store`.
//!
//! Every step names the ETag of the version that was read. Some servers do not compare it at the
//! last one, and would replace another program's object from in between. So the last step is tried
//! with a tag that no object has: a server that compares refuses that, and the upload stays as it
//! is. One that does not has ended the upload, and is told of ([`VersionCheck::No`]).

use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use object_store::aws::{AmazonS3, AwsAuthorizer};
use object_store::client::{HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequestBody};
use object_store::path::Path;
use object_store::signer::Signer;
use object_store::{
    Attribute, Attributes, ClientOptions, Error, ObjectMeta, ObjectStoreExt, Result,
};
use polyseal_http::cloud::answers::find;
use polyseal_http::cloud::builders::PATIENCE;
use polyseal_http::cloud::{Connector, is_repeated, xml};
use quick_xml::escape::escape;
use url::Url;

use crate::fetch::version;

/// The bytes that the server copies in one request. S3 allows 5 GiB, and 10,000 parts.
const COPY_BYTES: u64 = 1 << 30;
/// How long to wait before a request is repeated, at first and at most.
const WAIT: Range<u64> = 200..5000;
/// The tag that no object has.
pub(super) const NO_TAG: &str = "\"polyseal-compares\"";

const NONE: &[(&str, String)] = &[];

/// Whether the server has compared the version at the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionCheck {
    /// It has: nothing that another program has written is lost.
    Yes,
    /// It has not: another program's change in the last moments is lost.
    No,
}

/// A bucket.
pub(super) struct S3 {
    store: Arc<AmazonS3>,
    connector: Connector,
    options: ClientOptions,
    /// Made when it is needed: to read the certificates takes milliseconds.
    client: OnceLock<HttpClient>,
    region: String,
    /// As in the copy's source: `bucket/key`.
    bucket: String,
}

/// An object of it.
struct S3Object<'a> {
    s3: &'a S3,
    key: &'a Path,
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl S3 {
    pub(super) fn new(
        store: Arc<AmazonS3>,
        connector: Connector,
        options: ClientOptions,
        region: Option<String>,
        bucket: &str,
    ) -> Self {
        let region = region.unwrap_or_else(|| "us-east-1".to_owned());
        let client = OnceLock::new();
        Self { store, connector, options, client, region, bucket: bucket.to_owned() }
    }

    fn client(&self) -> Result<&HttpClient> {
        if self.client.get().is_none() {
            let _ = self.client.set(self.connector.connect(&self.options)?);
        }
        self.client.get().ok_or_else(|| error("there is no client"))
    }

    /// Puts `first` in the place of as many bytes at the beginning of the object that is described
    /// by `meta`, if that is still there.
    pub(super) async fn replace_beginning(
        &self,
        meta: &ObjectMeta,
        attributes: &Attributes,
        first: Bytes,
    ) -> Result<VersionCheck> {
        let at = S3Object { s3: self, key: &meta.location };
        let headers = headers(attributes);
        let created = at.repeated(&Method::POST, &[("uploads", "")], &headers, &[]).await?;
        let upload = xml::text(&created.text, "UploadId")
            .ok_or_else(|| error("the server began no upload"))?;
        let done = at.upload(meta, &upload, first).await;
        if done.is_err() {
            let _ = at.repeated(&Method::DELETE, &[("uploadId", &upload)], NONE, &[]).await;
        }
        done
    }
}

impl S3Object<'_> {
    async fn upload(&self, meta: &ObjectMeta, upload: &str, first: Bytes) -> Result<VersionCheck> {
        let e_tag = meta.e_tag.clone().unwrap_or_default();
        let mut tags = Vec::new();
        let query = [("partNumber", "1"), ("uploadId", upload)];
        let sent = self.repeated(&Method::PUT, &query, NONE, &first).await?;
        let tag = sent.headers.get("etag").and_then(|tag| tag.to_str().ok());
        tags.push(tag.ok_or_else(|| error("the server gave a part no ETag"))?.to_owned());
        let source = format!("{}/{}", self.s3.bucket, self.url().await?.1);
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
            let tag = xml::text(&copied.text, "ETag");
            tags.push(tag.ok_or_else(|| error("the server copied no part"))?);
            start = end;
        }
        let parts: String = (1..)
            .zip(tags)
            .map(|(number, tag)| {
                let tag = escape(&tag);
                format!("<Part><PartNumber>{number}</PartNumber><ETag>{tag}</ETag></Part>")
            })
            .collect();
        let body = format!("<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>");
        // Just before, for the sake of servers that do not compare.
        let now = self.s3.store.head(self.key).await?;
        if !version(&now).is_same(&version(meta)) {
            let path = self.key.to_string();
            return Err(Error::Precondition { path, source: "another version".into() });
        }
        match self.complete(upload, NO_TAG, &body).await {
            Err(Error::Precondition { .. }) => {
                self.complete(upload, &e_tag, &body).await.map(|()| VersionCheck::Yes)
            }
            other => other.map(|()| VersionCheck::No),
        }
    }

    async fn complete(&self, upload: &str, e_tag: &str, body: &str) -> Result<()> {
        // Once: who does not hear the answer does not know whether it was done.
        let headers = [("if-match", e_tag.to_owned())];
        let query = [("uploadId", upload)];
        let answer = self.send_once(&Method::POST, &query, &headers, body.as_bytes()).await?;
        let completed = self.checked(answer)?;
        // Servers begin to answer before they are done.
        match xml::root(&completed.text).as_deref() {
            Some("CompleteMultipartUploadResult") => Ok(()),
            _ => Err(error(&completed.text)),
        }
    }

    /// The object's URL, and its key as it stands there.
    async fn url(&self) -> Result<(Url, String)> {
        let Self { s3, key } = self;
        let mut url = s3.store.signed_url(Method::GET, key, Duration::from_secs(60)).await?;
        url.set_query(None);
        let path = url.path().trim_start_matches('/');
        let in_host = url.host_str().is_some_and(|h| h.starts_with(&format!("{}.", s3.bucket)));
        let inside = path.strip_prefix(&format!("{}/", s3.bucket)).filter(|_| !in_host);
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
        let (begun, mut wait) = (Instant::now(), WAIT.start);
        loop {
            let answer = self.send_once(method, query, headers, body).await;
            let again = match &answer {
                Ok(answer) => is_repeated(answer.status),
                Err(error) => find::<HttpError>(error)
                    .is_some_and(|error| error.kind() != HttpErrorKind::Unknown),
            };
            if !again || begun.elapsed() > PATIENCE {
                return self.checked(answer?);
            }
            tokio::time::sleep(Duration::from_millis(wait)).await;
            wait = (2 * wait).min(WAIT.end);
        }
    }

    async fn send_once(
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
        let credential = self.s3.store.credentials().get_credential().await?;
        AwsAuthorizer::new(&credential, "s3", &self.s3.region).authorize(&mut request, None);
        let failed = |source: HttpError| Error::Generic { store: "S3", source: source.into() };
        let response = self.s3.client()?.execute(request).await.map_err(failed)?;
        let (parts, body) = response.into_parts();
        // The client takes no more of an answer than one of these has.
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

fn headers(attributes: &Attributes) -> Vec<(String, String)> {
    let pairs = attributes.iter().filter_map(|(a, value)| Some((header(a)?, value.to_string())));
    pairs.collect()
}

/// The header that gives an object this attribute.
fn header(attribute: &Attribute) -> Option<String> {
    let name = match attribute {
        Attribute::CacheControl => "cache-control",
        Attribute::ContentDisposition => "content-disposition",
        Attribute::ContentEncoding => "content-encoding",
        Attribute::ContentLanguage => "content-language",
        Attribute::ContentType => "content-type",
        Attribute::StorageClass => "x-amz-storage-class",
        Attribute::Metadata(name) => return Some(format!("x-amz-meta-{name}")),
        _ => return None,
    };
    Some(name.to_owned())
}

fn error(text: &str) -> Error {
    Error::Generic { store: "S3", source: text.to_owned().into() }
}
