//! Lists of objects, of which an entry that `object_store` cannot take is left out, and told:
//! it would give up the whole list, or give the object another name.
//!
//! Source: the answers of S3's ListObjectsV2, which Google's lists are, too, and of Azure's List
//! Blobs, in XML. `object_store` reads them by `quick_xml`'s deserializer and the keys by
//! [`Path::parse`]: their result has to be the key, to the byte. All other entries stay as the
//! server wrote them.
//!
//! Limits: other faults of one entry, such as an invalid date, are faults of the list.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use object_store::client::HttpError;
use object_store::path::Path;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::answers::{BadList, refused};

/// The root of a list, and the element in it that says where the next page begins.
const ROOTS: [(&str, &str); 2] =
    [("ListBucketResult", "NextContinuationToken"), ("EnumerationResults", "NextMarker")];
const IS_TRUNCATED: &str = "IsTruncated";
/// Pages without an entry in a row: a server may look through much that it does not give.
const EMPTY_PAGES: u32 = 1000;

/// The most entries of a list, all of whose names are in memory.
pub const LISTED: usize = 5_000_000;
/// The most lists that are followed at once.
const LISTS: usize = 1000;

/// Where the entries are, and the elements in them that matter, each in the one before.
struct ElementKind {
    entry: &'static [&'static str],
    key: &'static [&'static str],
    size: &'static [&'static str],
    is_prefix: bool,
}

const KINDS: [ElementKind; 4] = [
    ElementKind { entry: &["Contents"], key: &["Key"], size: &["Size"], is_prefix: false },
    ElementKind { entry: &["CommonPrefixes"], key: &["Prefix"], size: &[], is_prefix: true },
    ElementKind {
        entry: &["Blobs", "Blob"],
        key: &["Name"],
        size: &["Properties", "Content-Length"],
        is_prefix: false,
    },
    ElementKind { entry: &["Blobs", "BlobPrefix"], key: &["Name"], size: &[], is_prefix: true },
];

/// An element's text, and the text that `object_store` reads instead: it takes two characters for
/// line ends that XML 1.0 does not.
#[derive(Default)]
struct Text {
    written: String,
    read: String,
}

#[derive(Default)]
struct Entry {
    key: Text,
    size: String,
    /// Azure's sign that the name is not written as it is.
    encoded: bool,
}

enum Verdict {
    Kept,
    /// An empty object by which a program marks a directory.
    Marker,
    Strange,
}

impl Entry {
    fn verdict(&self, kind: &ElementKind) -> Verdict {
        let read = &self.key.read;
        let name = if kind.is_prefix { read.strip_suffix('/').unwrap_or(read) } else { read };
        let is_path = |name: &str| {
            !name.is_empty() && Path::parse(name).is_ok_and(|path| path.as_ref() == name)
        };
        if self.encoded {
            Verdict::Strange
        } else if is_path(name) {
            Verdict::Kept
        } else if self.size == "0" && name.strip_suffix('/').is_some_and(is_path) {
            Verdict::Marker
        } else {
            Verdict::Strange
        }
    }
}

/// The findings in a page.
#[derive(Default)]
struct Page {
    left_out: Vec<Range<usize>>,
    skipped: Vec<String>,
    entries: usize,
    next: String,
    truncated: String,
}

/// How far the lists are that are being read, by the token of the next page.
#[derive(Debug, Default)]
pub(super) struct Pages(Mutex<HashMap<String, (u32, usize)>>);

impl Pages {
    /// A page of a list, which was asked for by a request with `query`, without the entries that
    /// `object_store` cannot take.
    pub(super) fn page(
        &self,
        query: &str,
        body: Bytes,
        on_skipped: &dyn Fn(&str),
    ) -> Result<Bytes, HttpError> {
        let page = read(&body).map_err(|error| refused(BadList(error)))?;
        self.follow(query, &page).map_err(|error| refused(BadList(error.to_owned())))?;
        page.skipped.iter().for_each(|key| on_skipped(key));
        if page.left_out.is_empty() {
            return Ok(body);
        }
        let mut kept = BytesMut::with_capacity(body.len());
        let mut from = 0;
        for range in page.left_out {
            kept.extend_from_slice(&body[from..range.start]);
            from = range.end;
        }
        kept.extend_from_slice(&body[from..]);
        Ok(kept.freeze())
    }

    fn follow(&self, query: &str, page: &Page) -> Result<(), &'static str> {
        let token = query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find_map(|(name, value)| {
                ["continuation-token", "marker"].contains(&name).then_some(value)
            })
            .map(decoded);
        if page.next.is_empty() {
            let cut = page.truncated == "true";
            return if cut { Err("it is cut short, and does not say where") } else { Ok(()) };
        }
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (empty, entries) =
            token.as_ref().and_then(|token| pages.remove(token)).unwrap_or_default();
        let empty = if page.entries == 0 { empty + 1 } else { 0 };
        let entries = entries + page.entries;
        if token.as_ref() == Some(&page.next) || empty > EMPTY_PAGES || entries > LISTED {
            return Err("it has no end");
        }
        if pages.len() > LISTS {
            pages.clear();
        }
        // Another list may be at the same page.
        let known = pages.entry(page.next.clone()).or_default();
        *known = (empty.max(known.0), entries.max(known.1));
        Ok(())
    }
}

/// A value of a query as `application/x-www-form-urlencoded` has it.
fn decoded(value: &str) -> String {
    let query = format!("http://h/?v={value}");
    let url = reqwest::Url::parse(&query).ok();
    url.and_then(|url| url.query_pairs().next().map(|(_, v)| v.into_owned())).unwrap_or_default()
}

/// The kind of the entry whose elements these are, and the elements in it.
fn kind(path: &[String]) -> Option<(&'static ElementKind, &[String])> {
    let inside = path.get(1..)?;
    KINDS.iter().find_map(|kind| {
        let (entry, rest) = inside.split_at_checked(kind.entry.len())?;
        (entry == kind.entry).then_some((kind, rest))
    })
}

fn read(body: &[u8]) -> Result<Page, String> {
    let text = std::str::from_utf8(body).map_err(|error| error.to_string())?;
    // The reader leaves it out where it counts.
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut reader = Reader::from_str(&text[mark..]);
    reader.config_mut().expand_empty_elements = true;
    let mut page = Page::default();
    let mut path: Vec<String> = Vec::new();
    let mut next = None;
    let mut entry = Entry::default();
    let mut begun = 0;
    loop {
        let at = mark + offset(reader.buffer_position());
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(tag) => {
                path.push(String::from_utf8_lossy(tag.local_name().as_ref()).into_owned());
                if let [root] = path.as_slice() {
                    let known = ROOTS.iter().find(|(name, _)| name == root && next.is_none());
                    let (_, name) = known.ok_or_else(|| format!("it is <{root}>"))?;
                    next = Some(*name);
                }
                match kind(&path) {
                    Some((_, [])) => (entry, begun) = (Entry::default(), at),
                    Some((kind, rest)) if rest == kind.key => entry.encoded |= is_encoded(&tag),
                    _ => (),
                }
            }
            Event::End(_) => {
                if let Some((kind, [])) = kind(&path) {
                    let end = mark + offset(reader.buffer_position());
                    match entry.verdict(kind) {
                        Verdict::Kept => page.entries += 1,
                        Verdict::Marker => page.left_out.push(begun..end),
                        Verdict::Strange => {
                            page.left_out.push(begun..end);
                            page.skipped.push(std::mem::take(&mut entry.key.written));
                        }
                    }
                }
                path.pop();
            }
            Event::Eof => break,
            event => {
                let Some(text) = text_of(&event)? else { continue };
                match (kind(&path), path.as_slice()) {
                    (Some((kind, rest)), _) if rest == kind.key => {
                        entry.key.written += &text.written;
                        entry.key.read += &text.read;
                    }
                    (Some((kind, rest)), _) if rest == kind.size => entry.size += &text.written,
                    (None, [_, name]) if name == IS_TRUNCATED => page.truncated += &text.written,
                    (None, [_, name]) if Some(name.as_str()) == next => page.next += &text.written,
                    _ => (),
                }
            }
        }
    }
    if next.is_some() && path.is_empty() { Ok(page) } else { Err("it is cut short".to_owned()) }
}

fn offset(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

fn is_encoded(tag: &BytesStart<'_>) -> bool {
    tag.attributes().flatten().any(|attribute| {
        attribute.key.as_ref() == b"Encoded" && attribute.value.eq_ignore_ascii_case(b"true")
    })
}

/// `None` for events without text.
fn text_of(event: &Event<'_>) -> Result<Option<Text>, String> {
    let (written, read) = match event {
        Event::Text(text) => (text.decode(), text.xml_content()),
        Event::CData(text) => (text.decode(), text.xml_content()),
        Event::GeneralRef(name) => {
            let character = name.resolve_char_ref().map_err(|error| error.to_string())?;
            let resolved = match character {
                Some(character) => character.to_string(),
                None => {
                    let name = name.decode().map_err(|error| error.to_string())?;
                    let known = quick_xml::escape::resolve_predefined_entity(&name);
                    known.ok_or_else(|| format!("&{name}; is unknown"))?.to_owned()
                }
            };
            return Ok(Some(Text { written: resolved.clone(), read: resolved }));
        }
        _ => return Ok(None),
    };
    let written = written.map_err(|error| error.to_string())?.into_owned();
    let read = read.map_err(|error| error.to_string())?.into_owned();
    Ok(Some(Text { written, read }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_with_nothing_do_not_go_on_for_ever() {
        let page = |n| {
            let next = format!("<NextContinuationToken>{n}+/=</NextContinuationToken>");
            Bytes::from(format!("<ListBucketResult>{next}</ListBucketResult>"))
        };
        let pages = Pages::default();
        let ask = |query: &str, n| pages.page(query, page(n), &|_| ());
        // Two lists with the same tokens, at once.
        for _ in 0..2 {
            ask("list-type=2", 1).unwrap();
        }
        for n in 1..EMPTY_PAGES {
            let query = format!("list-type=2&continuation-token={n}%2B%2F%3D");
            ask(&query, n + 1).unwrap();
            ask(&query, n + 1).unwrap();
        }
        assert_eq!(pages.0.lock().unwrap().len(), 1, "what is over is forgotten");
        let query = format!("continuation-token={EMPTY_PAGES}%2B%2F%3D");
        let error = ask(&query, EMPTY_PAGES + 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "HTTP error: the server sent no valid list of objects: it has no end"
        );
    }

    #[test]
    fn pages_with_entries_do_not_go_on_for_ever_either() {
        let pages = Pages::default();
        let follow = |n: u32| {
            let next = format!("{}", n + 1);
            let page = Page { entries: LISTED / 3, next, ..Page::default() };
            pages.follow(&format!("continuation-token={n}"), &page)
        };
        (0..3).for_each(|n| follow(n).unwrap());
        assert_eq!(follow(3).unwrap_err(), "it has no end");
    }
}
