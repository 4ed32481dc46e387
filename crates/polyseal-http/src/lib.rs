//! The one HTTP client of everything here that asks a server: stores, web servers, services that
//! keep keys, and those that give credentials. This crate decides how far a server's answers may
//! affect this side. The feature `cloud` adds what stores and key services of clouds share:
//! `object_store`'s stores on this client, credentials, and Amazon's signature.
//!
//! Source: RFC 9110, section 15.4 (redirects).
//!
//! Security claim: no client is made elsewhere (`tests/clients.rs` looks through the workspace).
//! A client follows no redirect, or, where nothing that is sent is a secret, up to ten, and none
//! from `https:` to another scheme. Nothing is decompressed. No more of an answer is kept in
//! memory than its kind allows: [`ANSWER_BYTES`] or [`LIST_BYTES`], or the part of an object that
//! was asked for.
//!
//! Limits: bytes in the buffers of HTTP and TLS are not wiped. Certificates that are trusted are
//! the system's (`SSL_CERT_FILE`), and proxies those of the environment, if a [`Rules`] names none.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test"))]

#[cfg(feature = "cloud")]
pub mod cloud;

use std::time::Duration;

use reqwest::{Certificate, Client, NoProxy, Proxy, Response, Url, redirect};
use zeroize::Zeroizing;

/// The most that is kept of a list, with one item for each of a thousand keys: 16 MiB.
pub const LIST_BYTES: u64 = 16 << 20;
/// The most that is kept of any other answer, that of a service which gives credentials among
/// them: 1 MiB.
pub const ANSWER_BYTES: u64 = 1 << 20;

/// The most redirects that are followed.
const REDIRECTS: usize = 10;
/// How long a connection may take that nobody else has a limit for.
const CONNECT: Duration = Duration::from_secs(10);

/// Where a server may send a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redirects {
    /// Nowhere: what is sent is signed, or has a token.
    None,
    /// To up to ten other places, from `https:` to `https:` alone: nothing that is sent is secret.
    KeepTls,
}

/// Which proxy is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Proxies {
    /// The environment's proxies.
    #[default]
    Environment,
    /// None: what is asked is on this machine.
    None,
    /// This one.
    Named {
        /// Its URL.
        url: String,
        /// The hosts that are asked without it, as `NO_PROXY` has them.
        except: Option<String>,
        /// Its authority's certificate, in PEM.
        certificate: Option<String>,
    },
}

/// The rules that a client keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Where a server may send a request.
    pub redirects: Redirects,
    /// Whether a URL may be `http:`.
    pub plain: bool,
    /// Whether certificates that prove nothing are taken.
    pub any_certificate: bool,
    /// Whether only HTTP/1.1 is spoken.
    pub only_http1: bool,
    /// Which proxy is asked.
    pub proxies: Proxies,
    /// How long a connection may take.
    pub connect: Duration,
    /// How long a request may take until its last byte; `None` where objects stream for hours.
    pub total: Option<Duration>,
    /// The client's name for itself; `None` for `polyseal/` and the version.
    pub user_agent: Option<String>,
}

impl Rules {
    /// TLS, the environment's proxy, and 10 seconds to connect.
    #[must_use]
    pub fn new(redirects: Redirects) -> Self {
        Self {
            redirects,
            plain: false,
            any_certificate: false,
            only_http1: false,
            proxies: Proxies::default(),
            connect: CONNECT,
            total: None,
            user_agent: None,
        }
    }

    /// The client that keeps them.
    ///
    /// # Errors
    /// An invalid proxy or certificate, and a system without certificates.
    pub fn client(&self) -> reqwest::Result<Client> {
        let policy = match self.redirects {
            Redirects::None => redirect::Policy::none(),
            Redirects::KeepTls => redirect::Policy::custom(|next| {
                if is_followed(next.previous(), next.url()) { next.follow() } else { next.stop() }
            }),
        };
        let agent = concat!("polyseal/", env!("CARGO_PKG_VERSION"));
        let mut builder = Client::builder()
            .redirect(policy)
            // It would have the query of a signed URL.
            .referer(false)
            // Compressed, a part of an object is something else, and a short answer a long one.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .https_only(!self.plain)
            .connect_timeout(self.connect)
            .user_agent(self.user_agent.as_deref().unwrap_or(agent));
        if let Some(total) = self.total {
            builder = builder.timeout(total);
        }
        if self.any_certificate {
            builder = builder.danger_accept_invalid_certs(true);
        }
        if self.only_http1 {
            builder = builder.http1_only();
        }
        match &self.proxies {
            Proxies::Environment => {}
            Proxies::None => builder = builder.no_proxy(),
            Proxies::Named { url, except, certificate } => {
                let except = except.as_deref().and_then(NoProxy::from_string);
                builder = builder.proxy(Proxy::all(url)?.no_proxy(except));
                if let Some(pem) = certificate {
                    let certificate = Certificate::from_pem(pem.as_bytes())?;
                    builder = builder.add_root_certificate(certificate);
                }
            }
        }
        builder.build()
    }
}

fn is_followed(previous: &[Url], next: &Url) -> bool {
    let gives_up_tls =
        next.scheme() != "https" && previous.last().is_some_and(|url| url.scheme() == "https");
    previous.len() <= REDIRECTS && !gives_up_tls
}

/// The body of an answer; `None` if it has more than [`ANSWER_BYTES`].
///
/// # Errors
/// An error on the way.
pub async fn body(mut answer: Response) -> reqwest::Result<Option<Zeroizing<Vec<u8>>>> {
    let most = ANSWER_BYTES as usize;
    // All of it at once: a vector that grows leaves copies behind.
    let mut all = Zeroizing::new(Vec::with_capacity(most));
    while let Some(chunk) = answer.chunk().await? {
        if all.len() + chunk.len() > most {
            return Ok(None);
        }
        all.extend_from_slice(&chunk);
    }
    Ok(Some(all))
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
