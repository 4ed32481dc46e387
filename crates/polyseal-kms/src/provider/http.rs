//! Requests to services that keep keys: one at a time, by [`polyseal_http`], tried again where that
//! may help.
//!
//! Security claim: only `https:` is spoken, or `http:` to this machine. No redirect is followed, so
//! a signature goes nowhere else. An answer has at most 1 MiB. An address with a user or a password
//! is refused.
//!
//! Limits: bytes in the buffers of HTTP and TLS are not wiped, nor are headers, which have tokens.
//! A request that is never answered is given up after two and a half minutes.

use std::thread;
use std::time::Duration;

use bytes::Bytes;
use polyseal_http::{Proxies, Redirects, Rules};
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, RequestBuilder, Url};
use zeroize::Zeroizing;

use crate::{Problem, Result};

const TOTAL: Duration = Duration::from_secs(30);

/// Tries of one request, the first among them.
const TRIES: u32 = 5;
/// The longest pause before the second try. It doubles with each.
const PAUSE: Duration = Duration::from_millis(250);

/// An answer of a service.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Zeroizing<Vec<u8>>,
}

/// A failed request.
pub(super) enum Refusal {
    /// It is of no use to try again.
    Final(Problem),
    /// It may be another time.
    Later(Problem),
}

/// The headers of a request, none of which is shown.
///
/// # Errors
/// A value that no header has.
pub(super) fn headers<'a>(
    values: impl IntoIterator<Item = (&'static str, &'a str)>,
) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for (name, text) in values {
        let mut value = HeaderValue::try_from(text).map_err(|_| {
            let why = format!("what is set for {name} has a character that no header has");
            Problem::Setting(why)
        })?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// The place of a service, as the user set it or as this program knows it.
pub(super) fn url(text: &str) -> Result<Url> {
    let bad = |why: &str| Problem::Setting(format!("the address of the service {why}"));
    let url = Url::parse(text).map_err(|_| bad("is no URL"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("has a user or a password in it").into());
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        _ => Err(bad("is neither https: nor on this machine").into()),
    }
}

pub(super) fn is_loopback(url: &Url) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].contains(&url.host_str().unwrap_or_default())
}

/// Posts `body`, with headers that are made anew for each try, and returns `judge`'s result on the
/// answer. On a thread of its own: the caller may be inside another runtime, in which nothing may
/// block.
pub(super) fn post<T: Send>(
    url: &Url,
    headers: impl Fn() -> Result<HeaderMap> + Send,
    body: &[u8],
    judge: impl Fn(&Answer) -> std::result::Result<T, Refusal> + Send,
) -> Result<T> {
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Problem::Unreachable(error.to_string()))?;
        let client = client(url).map_err(|error| unreachable(url, error))?;
        runtime.block_on(repeated(&client, url, headers, body, judge))
    };
    let no_thread = || Problem::Unreachable("the system gives no thread for its client".to_owned());
    thread::scope(|scope| {
        let asking = thread::Builder::new().spawn_scoped(scope, run).map_err(|_| no_thread())?;
        let ended = || Problem::Unreachable("its client ended".to_owned());
        asking.join().unwrap_or_else(|_| Err(ended().into()))
    })
}

/// The client that asks the service at `url`.
fn client(url: &Url) -> reqwest::Result<Client> {
    let mut rules = Rules::new(Redirects::None);
    rules.total = Some(TOTAL);
    if is_loopback(url) {
        (rules.plain, rules.proxies) = (true, Proxies::None);
    }
    rules.client()
}

/// Asks until an answer is good, or it is of no use to ask again.
async fn repeated<T>(
    client: &Client,
    url: &Url,
    headers: impl Fn() -> Result<HeaderMap>,
    body: &[u8],
    judge: impl Fn(&Answer) -> std::result::Result<T, Refusal>,
) -> Result<T> {
    let mut tries = 1;
    loop {
        let request = client.post(url.clone()).headers(headers()?);
        let answer = exchange(request, body).await;
        let answer = answer.unwrap_or_else(|error| Err(unreachable(url, error)));
        match answer.map_err(Refusal::Later).and_then(|answer| judge(&answer)) {
            Ok(good) => return Ok(good),
            Err(Refusal::Later(_)) if tries < TRIES => {
                tokio::time::sleep(pause(tries)?).await;
                tries += 1;
            }
            Err(Refusal::Final(problem) | Refusal::Later(problem)) => return Err(problem.into()),
        }
    }
}

/// One request.
async fn exchange(
    request: RequestBuilder,
    body: &[u8],
) -> reqwest::Result<std::result::Result<Answer, Problem>> {
    let body = Bytes::from_owner(Zeroizing::new(body.to_vec()));
    let answer = request.body(body).send().await?;
    let status = answer.status().as_u16();
    let body = polyseal_http::body(answer).await?;
    let too_long = || Problem::Service("its answer has more than 1 MiB".to_owned());
    Ok(body.map(|body| Answer { status, body }).ok_or_else(too_long))
}

/// Why there is no answer: without the URL, and by the cause that says something.
fn unreachable(url: &Url, error: reqwest::Error) -> Problem {
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    Problem::Unreachable(format!("{}: {cause}", url.host_str().unwrap_or_default()))
}

/// A random part of a time that doubles with each try: many clients that were refused at once do
/// not come back at once.
fn pause(tries: u32) -> Result<Duration> {
    let mut random = [0; 4];
    getrandom::fill(&mut random).map_err(|_| Problem::Random)?;
    let part = f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX);
    Ok((PAUSE * 2_u32.pow(tries - 1)).mul_f64(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_but_on_this_machine() {
        for good in ["https://kms.example", "http://127.0.0.1:1/x", "http://localhost:80"] {
            assert!(url(good).is_ok(), "{good}");
        }
        for bad in [
            "http://kms.example",
            "http://127.0.0.1.example",
            "file:///x",
            "kms.example",
            "https://u:p@kms.example",
            "https://u@kms.example",
        ] {
            assert!(url(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn no_value_ends_a_header() {
        let made = headers([("x-token", "t"), ("content-type", "text/plain")]).unwrap();
        assert_eq!(made["x-token"], "t");
        assert!(!format!("{made:?}").contains("text/plain"));
        for bad in ["t\n", "t\r\nx: y", "\0"] {
            let error = headers([("x-token", bad)]).unwrap_err();
            assert!(error.to_string().contains("set for x-token"), "{error}");
        }
    }

    #[test]
    fn pauses_are_bounded() {
        for tries in 1..TRIES {
            let longest = [250, 500, 1000, 2000][tries as usize - 1];
            assert!(pause(tries).unwrap() <= Duration::from_millis(longest));
        }
    }
}
