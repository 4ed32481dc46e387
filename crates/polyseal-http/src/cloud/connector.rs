//! The client that `object_store` makes its requests with.
//!
//! Source: `object_store` 0.13's [`HttpConnector`]. The rules are [the crate](crate)'s.
//!
//! These options of a store are heeded: whether plain HTTP and certificates that prove nothing are
//! allowed, the time to connect, proxies, the user agent, HTTP/1 only. The time limit for a whole
//! request is not: an object of a terabyte takes hours.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use http::header::{CONTENT_LENGTH, LOCATION};
use http::{HeaderMap, StatusCode, response};
use object_store::client::{
    ClientConfigKey, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest,
    HttpResponse, HttpResponseBody, HttpService,
};
use object_store::{ClientOptions, Error, Result};
use reqwest::Url;

use super::answers::{HttpNotAllowed, NoAnswer, Redirected, UnusableCredential, refused};
use super::body::BoundedBody;
use super::lists::Pages;
use super::outage::{OnOutage, Outage, OutageWatch};
use super::request_kind::{Bounds, RequestKind, RequestedRange, empty};
use super::xml;
use crate::{ANSWER_BYTES, Proxies, Redirects, Rules};

const READ: Duration = Duration::from_secs(60);
/// A server that copies a gigabyte, or puts an object together, says nothing meanwhile.
const WRITE: Duration = Duration::from_secs(15 * 60);
const TOLD_AFTER: Duration = Duration::from_secs(10);

/// The kind of server.
#[derive(Clone, Debug)]
pub enum Server {
    /// A store. Requests to it are signed, and go nowhere else.
    Store,
    /// A web server with one object, whose URL every request goes to as it stands, whatever path
    /// `object_store` has for it; a query may be a signature, and is in no error. There are no
    /// credentials, so redirects are followed, but none that gives up TLS.
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
    clients: Arc<Mutex<Vec<(Rules, reqwest::Client)>>>,
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
        let (told_after, clients) = (TOLD_AFTER, Arc::default());
        Self { server, on_outage, on_skipped, read: READ, write: WRITE, told_after, clients }
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

    /// The rules for its clients, from these options of a store.
    fn rules(&self, options: &ClientOptions) -> Result<Rules> {
        let value = |key: ClientConfigKey| options.get_config_value(&key);
        let mut rules = Rules::new(match self.server {
            Server::Store => Redirects::None,
            Server::Web(_) => Redirects::KeepTls,
        });
        rules.plain = is_true(value(ClientConfigKey::AllowHttp))?;
        rules.any_certificate = is_true(value(ClientConfigKey::AllowInvalidCertificates))?;
        rules.only_http1 = is_true(value(ClientConfigKey::Http1Only))?;
        rules.user_agent = value(ClientConfigKey::UserAgent);
        if let Some(text) = value(ClientConfigKey::ConnectTimeout) {
            rules.connect = humantime::parse_duration(&text).map_err(wrong)?;
        }
        if let Some(url) = value(ClientConfigKey::ProxyUrl) {
            let except = value(ClientConfigKey::ProxyExcludes);
            let certificate = value(ClientConfigKey::ProxyCaCertificate);
            rules.proxies = Proxies::Named { url, except, certificate };
        }
        Ok(rules)
    }

    /// The client for these rules: to make one reads all authorities' certificates, and a store has
    /// up to three.
    fn client(&self, rules: &Rules) -> Result<reqwest::Client> {
        let mut made = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, client)) = made.iter().find(|(of, _)| of == rules) {
            return Ok(client.clone());
        }
        let client = rules.client().map_err(wrong)?;
        made.push((rules.clone(), client.clone()));
        Ok(client)
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").finish_non_exhaustive()
    }
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> Result<HttpClient> {
        let rules = self.rules(options)?;
        let (client, allow_http) = (self.client(&rules)?, rules.plain);
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

/// Where an answer's text stands in the next request. `object_store` does not look whether it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UseOfAnswer {
    /// The token of a machine of Amazon's, in a header.
    Header,
    /// The name of its role, in a URL.
    Url,
}

impl UseOfAnswer {
    fn from_request<B>(request: &http::Request<B>, asked: RequestKind) -> Option<Self> {
        let path = request.uri().path();
        let of_a_machine = matches!(asked, RequestKind::Answer(_));
        match *request.method() {
            http::Method::PUT if path.ends_with("/latest/api/token") => Some(Self::Header),
            http::Method::GET if path.ends_with("/security-credentials/") => Some(Self::Url),
            _ => None,
        }
        .filter(|_| of_a_machine)
    }

    fn expect_fit(self, answer: &[u8]) -> Result<(), HttpError> {
        let fits = match self {
            Self::Header => http::HeaderValue::from_bytes(answer).is_ok(),
            Self::Url => {
                answer.iter().all(|byte| byte.is_ascii_graphic() && !b"/?#\\".contains(byte))
            }
        };
        let what = "the machine's service for credentials answers what no request is made of";
        if fits { Ok(()) } else { Err(refused(UnusableCredential(what.to_owned()))) }
    }
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
        let use_of_answer = UseOfAnswer::from_request(&request, asked);
        if let Server::Web(url) = &self.connector.server {
            *request.uri_mut() = url.as_str().parse().map_err(refused)?;
        }
        // A URI that is not a URL, such as one with the port 99999, is not sent.
        let url = Url::parse(&request.uri().to_string()).map_err(refused)?;
        let host = origin(&url);
        if url.scheme() == "http" && !self.allow_http {
            return Err(refused(HttpNotAllowed { host }));
        }
        let begun = Instant::now();
        // If a server fails at this, the last bytes are asked for by their place: sooner than it is
        // asked again for minutes.
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
        if let Some(use_of_answer) = use_of_answer {
            let all = body.collect().await?;
            use_of_answer.expect_fit(&all)?;
            return Ok(HttpResponse::from_parts(parts, all.into()));
        }
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

    /// Reads an answer that is no success, with as much of its body as helps to say why: an error
    /// about the body would hide the cause.
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
#[must_use]
pub fn is_repeated(status: StatusCode) -> bool {
    status.is_server_error()
        || [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT].contains(&status)
}

/// The status, with the message of a store's XML if there is one.
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
