//! The client that `object_store` makes its requests with.
//!
//! Source: `object_store` 0.13's [`HttpConnector`]; RFC 9110, section 15.4 (redirects).
//!
//! Of the options of a store these are heeded: whether plain HTTP and certificates that prove
//! nothing are allowed, the time to connect, proxies, the user agent, HTTP/1 only. The whole time
//! of a request is not: an object of a terabyte takes hours. Certificates that are trusted are the
//! system's (`SSL_CERT_FILE`), and proxies those of the environment, if the options name none.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use http::header::{CONTENT_LENGTH, LOCATION};
use http::{HeaderMap, StatusCode, response};
use object_store::client::{
    ClientConfigKey, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest,
    HttpResponse, HttpResponseBody, HttpService,
};
use object_store::{ClientOptions, Error, Result};
use reqwest::{NoProxy, Proxy, Url, redirect};

use super::answers::{HttpNotAllowed, NoAnswer, Redirected, refused};
use super::body::BoundedBody;
use super::lists::Pages;
use super::outage::{OnOutage, Outage, OutageWatch};
use super::request_kind::{ANSWER_BYTES, Bounds, RequestKind, RequestedRange, empty};
use super::xml;

const CONNECT: Duration = Duration::from_secs(10);
const READ: Duration = Duration::from_secs(60);
/// A server that copies a gigabyte, or puts an object together, says nothing meanwhile.
const WRITE: Duration = Duration::from_secs(15 * 60);
const TOLD_AFTER: Duration = Duration::from_secs(10);
const REDIRECTS: usize = 10;

/// Who is asked.
#[derive(Clone, Debug)]
pub enum Server {
    /// A store. What is sent to it is signed, and goes nowhere else.
    Store,
    /// A web server with one object, whose URL every request goes to as it stands, whatever path
    /// `object_store` has for it; a query may be a signature, and is in no error. There are no
    /// credentials: up to ten redirects are followed, but none that gives up TLS.
    Web(Url),
}

/// Makes the clients of stores. See `with_http_connector` of their builders.
#[derive(Clone)]
pub struct Connector {
    server: Server,
    on_outage: OnOutage,
    on_skipped: OnSkipped,
    read: Duration,
    write: Duration,
    told_after: Duration,
}

type OnSkipped = Arc<dyn Fn(&str) + Send + Sync>;

impl Connector {
    /// `on_outage` is told, once, of a server that has not answered for 10 seconds; `on_skipped`
    /// of each key in a list that `object_store` cannot have, and that was left out.
    pub fn new(
        server: Server,
        on_outage: impl Fn(&Outage<'_>) + Send + Sync + 'static,
        on_skipped: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        let (on_outage, on_skipped) = (Arc::new(on_outage), Arc::new(on_skipped));
        let told_after = TOLD_AFTER;
        Self { server, on_outage, on_skipped, read: READ, write: WRITE, told_after }
    }

    /// For how long nothing may come: while something is read, and until there is an answer to
    /// something that was written. Without this, a minute and 15 minutes.
    #[must_use]
    pub fn with_patience(self, read: Duration, write: Duration) -> Self {
        Self { read, write, ..self }
    }

    /// When trouble is told, in place of 10 seconds.
    #[must_use]
    pub fn with_outage_after(self, told_after: Duration) -> Self {
        Self { told_after, ..self }
    }

    /// The client, and whether it may do without TLS.
    fn client(&self, options: &ClientOptions) -> Result<(reqwest::Client, bool)> {
        let value = |key: ClientConfigKey| options.get_config_value(&key);
        let allow_http = is_true(value(ClientConfigKey::AllowHttp))?;
        let connect = match value(ClientConfigKey::ConnectTimeout) {
            Some(text) => humantime::parse_duration(&text).map_err(wrong)?,
            None => CONNECT,
        };
        let agent = value(ClientConfigKey::UserAgent)
            .unwrap_or_else(|| concat!("polyseal/", env!("CARGO_PKG_VERSION")).to_owned());
        let redirects = match self.server {
            Server::Store => redirect::Policy::none(),
            Server::Web(_) => redirect::Policy::custom(|next| {
                if is_followed(next.previous(), next.url()) { next.follow() } else { next.stop() }
            }),
        };
        let mut builder = reqwest::Client::builder()
            .redirect(redirects)
            // It would have the query of a signed URL.
            .referer(false)
            // Compressed, a part of an object is something else.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .https_only(!allow_http)
            .connect_timeout(connect)
            .user_agent(agent);
        if is_true(value(ClientConfigKey::AllowInvalidCertificates))? {
            builder = builder.danger_accept_invalid_certs(true);
        }
        if is_true(value(ClientConfigKey::Http1Only))? {
            builder = builder.http1_only();
        }
        if let Some(url) = value(ClientConfigKey::ProxyUrl) {
            let excludes = value(ClientConfigKey::ProxyExcludes);
            let excludes = excludes.and_then(|hosts| NoProxy::from_string(&hosts));
            builder = builder.proxy(Proxy::all(url).map_err(wrong)?.no_proxy(excludes));
            if let Some(pem) = value(ClientConfigKey::ProxyCaCertificate) {
                let certificate = reqwest::Certificate::from_pem(pem.as_bytes()).map_err(wrong)?;
                builder = builder.add_root_certificate(certificate);
            }
        }
        Ok((builder.build().map_err(wrong)?, allow_http))
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").finish_non_exhaustive()
    }
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> Result<HttpClient> {
        let (client, allow_http) = self.client(options)?;
        let watch = Arc::new(OutageWatch::new(self.told_after, Arc::clone(&self.on_outage)));
        let connector = self.clone();
        Ok(HttpClient::new(Service {
            client,
            allow_http,
            connector,
            watch,
            pages: Pages::default(),
        }))
    }
}

fn wrong(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Generic { store: "HTTP", source: Box::new(error) }
}

/// As `object_store` reads it.
fn is_true(value: Option<String>) -> Result<bool> {
    match value.unwrap_or_default().to_ascii_lowercase().as_str() {
        "1" | "true" | "on" | "yes" | "y" => Ok(true),
        "" | "0" | "false" | "off" | "no" | "n" => Ok(false),
        other => Err(Error::Generic {
            store: "HTTP",
            source: format!("'{other}' is neither true nor false").into(),
        }),
    }
}

fn is_followed(previous: &[Url], next: &Url) -> bool {
    let gives_up_tls =
        next.scheme() != "https" && previous.last().is_some_and(|url| url.scheme() == "https");
    previous.len() <= REDIRECTS && !gives_up_tls
}

struct Service {
    client: reqwest::Client,
    allow_http: bool,
    connector: Connector,
    watch: Arc<OutageWatch>,
    pages: Pages,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").finish_non_exhaustive()
    }
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let asked = RequestKind::from_request(&request)?;
        let query = request.uri().query().unwrap_or_default().to_owned();
        if let Server::Web(url) = &self.connector.server {
            *request.uri_mut() = url.as_str().parse().map_err(refused)?;
        }
        // Nothing below is asked with what is a URI and no URL, such as one with the port 99999.
        let url = Url::parse(&request.uri().to_string()).map_err(refused)?;
        let host = origin(&url);
        if url.scheme() == "http" && !self.allow_http {
            return Err(refused(HttpNotAllowed { host }));
        }
        let begun = Instant::now();
        // Of a server that fails at this, the last bytes are asked for by their place: sooner than
        // it is asked again for minutes.
        let once = matches!(asked, RequestKind::Range(RequestedRange::Last(_)));
        let answer = self.answer(request, &host, begun).await;
        let answer = answer.map_err(|error| if once { refused(error) } else { error })?;
        let (mut parts, body) = answer.into_parts();
        if parts.status.is_redirection() && parts.status != StatusCode::NOT_MODIFIED {
            return Err(refused(redirect_error(&url, &parts.headers)));
        }
        if !parts.status.is_success() {
            return self.failure(asked, parts, body, &host, begun).await;
        }
        let bounds = asked.bounds(&mut parts)?;
        if asked == RequestKind::Head {
            self.watch.succeeded();
            return Ok(HttpResponse::from_parts(parts, body));
        }
        let watch = Some(Arc::clone(&self.watch));
        let body = BoundedBody::new(body, bounds, self.connector.read, host.into(), watch);
        if asked != RequestKind::List {
            return Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body)));
        }
        let all = body.collect().await?;
        let page = self.pages.page(&query, all, &*self.connector.on_skipped)?;
        parts.headers.remove(CONTENT_LENGTH);
        Ok(HttpResponse::from_parts(parts, page.into()))
    }
}

impl Service {
    async fn answer(
        &self,
        request: HttpRequest,
        host: &str,
        begun: Instant,
    ) -> Result<HttpResponse, HttpError> {
        let reads = request.method().is_safe();
        let patience = if reads { self.connector.read } else { self.connector.write };
        let answer = HttpService::call(&self.client, request);
        let error = match tokio::time::timeout(patience, answer).await {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => NoAnswer::because(host, error),
            Err(_) => {
                let message = format!("nothing came for {} s", patience.as_secs());
                NoAnswer::new(host, HttpErrorKind::Timeout, message)
            }
        };
        self.watch.failed(host, &error.message, begun);
        Err(error.into())
    }

    /// An answer that is none of success, with as much of its body as helps to say why: to fail
    /// because of the body would hide what it is about.
    async fn failure(
        &self,
        asked: RequestKind,
        mut parts: response::Parts,
        body: HttpResponseBody,
        host: &str,
        begun: Instant,
    ) -> Result<HttpResponse, HttpError> {
        let bounds = Bounds { most: ANSWER_BYTES, least: 0 };
        let body = BoundedBody::new(body, bounds, self.connector.read, host.into(), None);
        let message = body.read_beginning().await;
        let mut message = String::from_utf8_lossy(&message).into_owned();
        if let Server::Web(url) = &self.connector.server
            && url.query().is_some()
        {
            // It may repeat the query.
            message.clear();
        }
        let status = parts.status;
        if let RequestKind::Range(part) = asked
            && status == StatusCode::RANGE_NOT_SATISFIABLE
            && part.is_of_nothing(&parts.headers, &message)
        {
            return Err(empty(&parts.headers));
        }
        let again = is_repeated(status);
        if again {
            self.watch.failed(host, &error_text(status, &message), begun);
        } else {
            self.watch.succeeded();
        }
        if again && matches!(asked, RequestKind::Range(RequestedRange::Last(_))) {
            return Err(refused(NoAnswer::new(
                host,
                HttpErrorKind::Unknown,
                error_text(status, &message),
            )));
        }
        parts.headers.remove(CONTENT_LENGTH);
        Ok(HttpResponse::from_parts(parts, message.into()))
    }
}

/// Whether to ask again after an answer with this status, as `object_store` decides it.
pub(super) fn is_repeated(status: StatusCode) -> bool {
    status.is_server_error()
        || [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT].contains(&status)
}

/// With what a store says in XML, if it does.
fn error_text(status: StatusCode, body: &str) -> String {
    let message = xml::text(body, "Message");
    message.map_or_else(|| status.to_string(), |message| format!("{status}: {message}"))
}

/// Scheme, host and port.
fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

fn redirect_error(url: &Url, headers: &HeaderMap) -> Redirected {
    let text = |value: &http::HeaderValue| value.to_str().ok().map(str::to_owned);
    let to = headers.get(LOCATION).and_then(text).and_then(|to| url.join(&to).ok());
    let region = headers.get("x-amz-bucket-region").and_then(text);
    Redirected { to: to.as_ref().map(origin), region }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tls_is_not_given_up_by_a_redirect() {
        let url = |text: &str| Url::parse(text).unwrap();
        let (tls, plain) = (url("https://a/"), url("http://a/"));
        let followed = |from: &Url, to: &Url| is_followed(std::slice::from_ref(from), to);
        assert!(followed(&tls, &url("https://b/")));
        assert!(followed(&plain, &url("http://b/")));
        assert!(followed(&plain, &tls));
        assert!(!followed(&tls, &plain));
        assert!(!is_followed(&[plain.clone(), tls], &plain));
        assert!(is_followed(&vec![plain.clone(); REDIRECTS], &plain));
        assert!(!is_followed(&vec![plain.clone(); REDIRECTS + 1], &plain));
    }
}
