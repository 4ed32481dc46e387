//! Objects that are opened to read parts of them: no byte is asked for twice.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use polyseal_file::{Decryptor, Encryptor, Identities, Input, Key, Output, SegmentSize};
use polyseal_object_store::remote::{Object, ObjectUrl, OnNotice, PinnedObject};

use super::raw::{OBJECT, Request, Server};

const HEADER: u64 = 4096;
const TAG: u64 = 16;
/// Bytes at the end that come with the first ones.
const TAIL: u64 = 65_536 + 64;

/// The bytes that a request is for.
fn asked(request: &Request, size: u64) -> Range<u64> {
    let range = request.header("range").unwrap();
    let (first, last) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
    let last: u64 = last.parse().unwrap();
    match first.parse::<u64>() {
        Ok(first) => first..size.min(last + 1),
        Err(_) => size - last..size,
    }
}

/// A server with this object, which gives parts of it.
fn serve(object: Vec<u8>) -> Server {
    Server::start(move |request, out| {
        let size = object.len() as u64;
        let Range { start, end } = asked(request, size);
        let bytes = &object[start as usize..end as usize];
        write!(out, "HTTP/1.1 206 x\r\n{OBJECT}\r\nContent-Length: {}\r\n", bytes.len())?;
        write!(out, "Content-Range: bytes {start}-{}/{size}\r\n", end - 1)?;
        write!(out, "Connection: close\r\n\r\n")?;
        out.write_all(bytes)
    })
}

/// The ranges that opening `bytes` bytes in such segments takes, and those of reading the bytes
/// from `part` on afterwards.
fn ranges(bytes: usize, segment: u64, part: u64) -> (Vec<Range<u64>>, Vec<Range<u64>>) {
    let (key, mut sealed) = (Key::generate().unwrap(), Vec::new());
    let plain: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8).collect();
    Encryptor::new(&(&key).into())
        .segment_size(SegmentSize::new(segment).unwrap())
        .encrypt(Input::Stream(&mut &plain[..]), Output::Stream(&mut sealed))
        .unwrap();
    let size = sealed.len() as u64;
    let server = serve(sealed);
    let since = |before: usize| {
        let heads = server.heads().into_iter().skip(before).enumerate();
        let requests = heads.map(|(number, head)| asked(&Request { number, head }, size));
        let mut ranges: Vec<_> = requests.collect();
        ranges.sort_by_key(|range| range.start);
        ranges
    };
    let on_notice: OnNotice = Arc::new(|_| ());
    let url = ObjectUrl::parse(&format!("{}/k", server.origin())).unwrap();
    let object = PinnedObject::open(&Object::named(&url, &on_notice).unwrap()).unwrap();
    let identities = Identities::from(&key);
    let reader = Decryptor::new(&identities).reader(&object).unwrap();
    let opening = since(0);
    let mut read = [0; 10];
    assert_eq!(reader.read_at(&mut read, part).unwrap(), 10);
    assert_eq!(read, plain[part as usize..][..10]);
    let reading = since(opening.len());
    (opening, reading)
}

#[test]
fn both_ends_come_at_once_and_once() {
    let unit = 65_536 + TAG;
    let size = HEADER + 3 * unit + (200_000 - 3 * 65_536) + TAG;
    let opening = vec![0..HEADER, size - TAIL..size];
    let segment = HEADER..HEADER + unit;
    assert_eq!(ranges(200_000, 65_536, 5), (opening.clone(), vec![segment]));
    // The last segment has come.
    assert_eq!(ranges(200_000, 65_536, 199_000), (opening, Vec::new()));
}

#[test]
fn of_a_longer_last_segment_only_the_missing_bytes_are_fetched() {
    let segment = 1 << 20;
    let size = HEADER + 2 * (segment + TAG);
    let last = HEADER + segment + TAG;
    let opening = vec![0..HEADER, last..size - TAIL, size - TAIL..size];
    assert_eq!(ranges(2 << 20, segment, 2_000_000), (opening, Vec::new()));
}
