//! The kinds of requests, and so how many bytes may come.
//!
//! Source: RFC 9110, sections 8.6 (Content-Length), 14.1.2 (byte ranges), 14.4 (Content-Range) and
//! 15.5.17 (416); the queries of the S3 API (ListObjectsV2, DeleteObjects) and of Azure's List
//! Blobs, as `object_store` asks them. Google's lists are asked for as S3's are.
//!
//! Limit: an object is as long as the server says, and streams; only who asks for it by
//! [`whole_object`] gets more than an answer's bytes without naming a part.

use http::header::{CONTENT_LENGTH, CONTENT_RANGE, ETAG, RANGE};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, response};
use object_store::GetOptions;
use object_store::client::HttpError;

use super::answers::{EmptyObject, ExcessBytes, NoRanges, refused};
use super::xml;
use crate::{ANSWER_BYTES, LIST_BYTES};

/// Marks the options of a request that wants all of an object, however long it is. Without it a
/// GET that names no part is one for something that is kept in memory, such as credentials, and
/// has an answer of at most [`ANSWER_BYTES`].
#[derive(Clone, Copy, Debug)]
struct WholeObject;

/// Options that ask for all of an object.
#[must_use]
pub fn whole_object() -> GetOptions {
    let mut options = GetOptions::default();
    options.extensions.insert(WholeObject);
    options
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestKind {
    /// Headers only.
    Head,
    /// All of an object.
    Object,
    Range(RequestedRange),
    List,
    /// Something else, of at most so many bytes.
    Answer(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestedRange {
    /// The first byte and the last one, or as many as there are.
    From(u64, u64),
    /// So many at the end.
    Last(u64),
}

/// How many bytes may come, and how many have to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) most: u64,
    pub(super) least: u64,
}

/// The pairs in the query of a GET that asks for a list.
const LISTS: [&[(&str, &str)]; 2] =
    [&[("list-type", "2")], &[("restype", "container"), ("comp", "list")]];

impl RequestKind {
    pub(super) fn from_request<B>(request: &Request<B>) -> Result<Self, HttpError> {
        let query = request.uri().query().unwrap_or_default();
        let has = |&wanted: &(&str, &str)| {
            query.split('&').any(|pair| pair.split_once('=').unwrap_or((pair, "")) == wanted)
        };
        if request.method() == Method::HEAD {
            return Ok(Self::Head);
        }
        if request.method() != Method::GET {
            let several = request.method() == Method::POST && has(&("delete", ""));
            return Ok(Self::Answer(if several { LIST_BYTES } else { ANSWER_BYTES }));
        }
        if LISTS.iter().any(|pairs| pairs.iter().all(has)) {
            return Ok(Self::List);
        }
        let Some(range) = request.headers().get(RANGE) else {
            let whole = request.extensions().get::<WholeObject>().is_some();
            return Ok(if whole { Self::Object } else { Self::Answer(ANSWER_BYTES) });
        };
        // After an answer that was too long, `object_store` asks for the rest: nothing.
        let part = range.to_str().ok().and_then(RequestedRange::parsed);
        part.map(Self::Range).ok_or_else(|| refused(ExcessBytes { asked: 0 }))
    }

    /// How much of the body of this answer is taken. A complete object is made the part that it
    /// is, as `object_store` takes no other answer to a range.
    pub(super) fn bounds(self, answer: &mut response::Parts) -> Result<Bounds, HttpError> {
        let length = content_length(&answer.headers);
        let (most, least) = match self {
            Self::Head => (0, 0),
            Self::Object => (length.unwrap_or(u64::MAX), length.unwrap_or(0)),
            Self::Range(part) => {
                let least = part.promised_bytes(answer)?;
                (part.max_bytes(), least)
            }
            Self::List => (LIST_BYTES, 0),
            Self::Answer(most) => (most, 0),
        };
        let said = if self == Self::Head { 0 } else { length.unwrap_or(0).max(least) };
        if said > most {
            return Err(refused(ExcessBytes { asked: most }));
        }
        Ok(Bounds { most, least })
    }
}

impl RequestedRange {
    /// As `object_store` writes it: one range.
    fn parsed(range: &str) -> Option<Self> {
        let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
        if first.is_empty() {
            return last.parse().ok().map(Self::Last);
        }
        let first = first.parse().ok()?;
        let last = if last.is_empty() { u64::MAX } else { last.parse().ok()? };
        (first <= last).then_some(Self::From(first, last))
    }

    fn max_bytes(self) -> u64 {
        match self {
            Self::From(first, last) => (last - first).saturating_add(1),
            Self::Last(bytes) => bytes,
        }
    }

    /// Whether an object of `size` bytes is no more than this.
    fn is_all_of(self, size: u64) -> bool {
        match self {
            Self::From(first, last) => first == 0 && size - 1 <= last,
            Self::Last(bytes) => size <= bytes,
        }
    }

    /// The bytes that an answer of success promises.
    fn promised_bytes(self, answer: &mut response::Parts) -> Result<u64, HttpError> {
        let length = content_length(&answer.headers);
        if answer.status == StatusCode::PARTIAL_CONTENT {
            let Some(range) = ContentRange::from_headers(&answer.headers) else {
                return Ok(length.unwrap_or(0));
            };
            if range.size == Some(0) {
                return Err(empty(&answer.headers));
            }
            let bytes = range.bytes.unwrap_or(0);
            if length.is_none() {
                answer.headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes));
            }
            return Ok(bytes);
        }
        match length {
            Some(0) => Err(empty(&answer.headers)),
            Some(size) if self.is_all_of(size) => {
                let range = format!("bytes 0-{}/{size}", size - 1);
                let range = HeaderValue::try_from(range).map_err(refused)?;
                answer.headers.insert(CONTENT_RANGE, range);
                answer.status = StatusCode::PARTIAL_CONTENT;
                Ok(size)
            }
            size => Err(refused(NoRanges { size })),
        }
    }

    /// Whether this is what a server says that has no part of an object to give, since the object
    /// has no bytes: a first or a last byte there is of any other.
    pub(super) fn is_of_nothing(self, headers: &HeaderMap, body: &str) -> bool {
        // Amazon S3 says it in the body only.
        matches!(self, Self::From(0, _) | Self::Last(1..))
            || ContentRange::from_headers(headers).is_some_and(|range| range.size == Some(0))
            || xml::text(body, "ActualObjectSize").is_some_and(|size| size == "0")
    }
}

pub(super) fn empty(headers: &HeaderMap) -> HttpError {
    let e_tag = headers.get(ETAG).and_then(|tag| tag.to_str().ok()).map(str::to_owned);
    refused(EmptyObject { e_tag })
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}

struct ContentRange {
    bytes: Option<u64>,
    size: Option<u64>,
}

impl ContentRange {
    fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let text = headers.get(CONTENT_RANGE)?.to_str().ok()?;
        let (range, size) = text.trim().strip_prefix("bytes ")?.split_once('/')?;
        let bytes = range.split_once('-').and_then(|(first, last)| {
            let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
            last.checked_sub(first)?.checked_add(1)
        });
        Some(Self { bytes, size: size.parse().ok() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(method: Method, uri: &str, range: &str) -> Option<RequestKind> {
        let mut request = Request::builder().method(method).uri(uri);
        if !range.is_empty() {
            request = request.header(RANGE, range);
        }
        RequestKind::from_request(&request.body(()).unwrap()).ok()
    }

    #[test]
    fn what_is_asked_for() {
        let get = |uri: &str, range: &str| asked(Method::GET, uri, range);
        let (s3, az) = ("http://h/b?list-type=2&prefix=a%2F", "http://h/c?restype=container");
        assert_eq!(get(s3, ""), Some(RequestKind::List));
        assert_eq!(get(&format!("{az}&comp=list&sig=x"), ""), Some(RequestKind::List));
        for other in [az, "http://h/list-type=2", "http://h/b?session", "http://169.254.170.2/c"] {
            assert_eq!(get(other, ""), Some(RequestKind::Answer(ANSWER_BYTES)), "{other}");
        }
        let mut whole = Request::get("http://h/k").body(()).unwrap();
        *whole.extensions_mut() = whole_object().extensions;
        assert_eq!(RequestKind::from_request(&whole).ok(), Some(RequestKind::Object));
        assert_eq!(
            get("http://h/k?sig=x", "bytes=2-9"),
            Some(RequestKind::Range(RequestedRange::From(2, 9)))
        );
        assert_eq!(
            get("http://h/k", "bytes=2-"),
            Some(RequestKind::Range(RequestedRange::From(2, u64::MAX)))
        );
        assert_eq!(
            get("http://h/k", "bytes=-9"),
            Some(RequestKind::Range(RequestedRange::Last(9)))
        );
        for range in ["bytes=9-8", "bytes=1-2,4-5", "bytes=-", "lines=1-2", "bytes=+1-2x"] {
            assert_eq!(get("http://h/k", range), None, "{range}");
        }
        assert_eq!(asked(Method::HEAD, "http://h/k", ""), Some(RequestKind::Head));
        let post = asked(Method::POST, "http://h/b?delete", "");
        assert_eq!(post, Some(RequestKind::Answer(LIST_BYTES)));
        assert_eq!(asked(Method::PUT, s3, ""), Some(RequestKind::Answer(ANSWER_BYTES)));
    }

    /// The result for an answer with a status, a Content-Length and a Content-Range.
    fn taken(
        part: RequestedRange,
        status: u16,
        length: &str,
        range: &str,
    ) -> Result<(u64, u64), String> {
        let mut answer = http::Response::builder().status(status);
        for (name, value) in [(CONTENT_LENGTH, length), (CONTENT_RANGE, range)] {
            if !value.is_empty() {
                answer = answer.header(name, value);
            }
        }
        let (mut parts, ()) = answer.body(()).unwrap().into_parts();
        let bounds =
            RequestKind::Range(part).bounds(&mut parts).map_err(|error| error.to_string())?;
        assert_eq!(parts.status, 206);
        assert!(parts.headers.contains_key(CONTENT_LENGTH));
        Ok((bounds.most, bounds.least))
    }

    #[test]
    fn how_much_of_a_part_is_taken() {
        let (beginning, end) = (RequestedRange::From(0, 9), RequestedRange::Last(10));
        let more = Err("HTTP error: the server sent more than the 10 bytes".to_owned());
        let whole = Err("HTTP error: the server gives no parts".to_owned());
        let empty = Err("HTTP error: the object is empty".to_owned());
        let rows = [
            (beginning, 206, "10", "bytes 0-9/70", Ok((10, 10))),
            (beginning, 206, "", "bytes 0-9/70", Ok((10, 10))),
            (beginning, 206, "4", "bytes 0-3/4", Ok((10, 4))),
            // The server's own range binds it, as well.
            (beginning, 206, "4", "bytes 0-9/70", Ok((10, 10))),
            (beginning, 206, "11", "bytes 0-9/70", more.clone()),
            (beginning, 206, "10", "bytes 0-10/70", more.clone()),
            (beginning, 206, "", "bytes 0-18446744073709551614/70", more.clone()),
            (
                RequestedRange::From(60, u64::MAX),
                206,
                "10",
                "bytes 60-69/70",
                Ok((u64::MAX - 59, 10)),
            ),
            (end, 206, "11", "bytes 59-69/70", more),
            (beginning, 206, "0", "bytes */0", empty.clone()),
            (beginning, 200, "10", "", Ok((10, 10))),
            (beginning, 203, "9", "", Ok((10, 9))),
            (beginning, 200, "11", "", whole.clone()),
            (beginning, 200, "", "", whole.clone()),
            (RequestedRange::From(1, 9), 200, "9", "", whole.clone()),
            (end, 200, "10", "", Ok((10, 10))),
            (end, 200, "11", "", whole),
            (beginning, 200, "0", "", empty.clone()),
            (end, 200, "0", "", empty),
        ];
        for (part, status, length, range, expected) in rows {
            let what = format!("{part:?}: {status}, {length}, {range}");
            match (taken(part, status, length, range), expected) {
                (Err(error), Err(expected)) => assert!(error.starts_with(&expected), "{what}"),
                (taken, expected) => assert_eq!(taken, expected, "{what}"),
            }
        }
    }

    #[test]
    fn what_is_not_satisfied_since_there_is_nothing() {
        let said = |range: &str, body| {
            let headers = HeaderMap::from_iter([(CONTENT_RANGE, range.parse().unwrap())]);
            RequestedRange::From(5, 9).is_of_nothing(&headers, body)
        };
        assert!(said("bytes */0", ""));
        assert!(said("", "<Error><ActualObjectSize>0</ActualObjectSize></Error>"));
        assert!(!said("bytes */10", ""));
        assert!(!said("", "<Error><ActualObjectSize>10</ActualObjectSize></Error>"));
        assert!(!said("", ""));
        assert!(
            [RequestedRange::From(0, 9), RequestedRange::Last(9)]
                .iter()
                .all(|it| it.is_of_nothing(&HeaderMap::new(), ""))
        );
    }
}
