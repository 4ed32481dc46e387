//! A server does not decide how much memory is taken, nor for how long it is waited for.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{Error, MultipartUpload, ObjectStoreExt};
use polyseal_object_store::remote::{ExcessBytes, NoAnswer, Server as Kind, find};

use super::clients::{Log, all, found, s3, stores, web, web_with};
use super::raw::{OBJECT, Server, endless};

const MIB: u64 = 1 << 20;
/// Memory that the sockets' buffers of both sides may take up beside.
const BUFFERS: usize = 16 << 20;

/// A server with an endless body, and how much of it was written.
fn endless_server(head: &'static str, in_chunks: bool) -> (Server, Arc<AtomicUsize>) {
    let written = Arc::new(AtomicUsize::new(0));
    let noted = Arc::clone(&written);
    let server = Server::start(move |_, out| {
        write!(out, "{head}\r\nConnection: close\r\n\r\n")?;
        noted.fetch_add(endless(out, in_chunks), Ordering::Relaxed);
        Ok(())
    });
    (server, written)
}

fn answer(error: &Error) -> &NoAnswer {
    find(error).unwrap_or_else(|| panic!("another error: {error:?}"))
}

fn head(lines: &str) -> &'static str {
    format!("{lines}\r\n{OBJECT}").leak()
}

#[tokio::test]
async fn a_part_is_as_long_as_it_was_asked_for() {
    // By its Content-Length it is longer, which is seen before it is read.
    let too_long =
        "HTTP/1.1 206 x\r\nContent-Range: bytes 0-9/1000\r\nContent-Length: 1099511627776";
    let (server, written) = endless_server(head(too_long), false);
    let stores = all(&server.origin(), &Log::default());
    for store in &stores {
        let error = store.get_range(&Path::from("k"), 0..10).await.unwrap_err();
        assert_eq!(found::<ExcessBytes>(&error), ExcessBytes { asked: 10 });
    }
    assert_eq!(server.heads().len(), stores.len(), "it is not asked again");
    assert!(written.load(Ordering::Relaxed) < stores.len() * BUFFERS);

    // By chunks it has no end; that there are both is how requests are smuggled.
    for more in ["", "\r\nContent-Length: 10"] {
        let chunks =
            "HTTP/1.1 206 x\r\nContent-Range: bytes 0-9/1000\r\nTransfer-Encoding: chunked";
        let (server, written) = endless_server(head(&format!("{chunks}{more}")), true);
        let stores = all(&server.origin(), &Log::default());
        for store in &stores {
            let error = store.get_range(&Path::from("k"), 0..10).await.unwrap_err();
            find::<ExcessBytes>(&error).unwrap_or_else(|| panic!("another error: {error:?}"));
        }
        assert_eq!(server.heads().len(), stores.len(), "it is not asked again");
        assert!(written.load(Ordering::Relaxed) < stores.len() * BUFFERS);
    }
}

#[tokio::test]
async fn a_part_that_is_cut_short_is_gone_on_with() {
    let server = Server::start(|request, out| {
        let (range, chunk) = match request.header("range") {
            Some("bytes=0-9") => ("0-9", "4\r\n0123\r\n0\r\n\r\n"),
            Some("bytes=4-9") => ("4-9", "6\r\n456789\r\n0\r\n\r\n"),
            other => panic!("{other:?}"),
        };
        let head = "HTTP/1.1 206 x\r\nTransfer-Encoding: chunked\r\nConnection: close";
        write!(out, "{head}\r\n{OBJECT}\r\nContent-Range: bytes {range}/70\r\n\r\n{chunk}")
    });
    for store in all(&server.origin(), &Log::default()) {
        let part = store.get_range(&Path::from("k"), 0..10).await.unwrap();
        assert_eq!(part, "0123456789");
    }
    assert_eq!(server.heads().len(), 8);
}

#[tokio::test]
async fn a_whole_object_is_as_long_as_the_server_said() {
    let object = format!("HTTP/1.1 200 x\r\n{OBJECT}\r\nContent-Length: 10");
    let server = Server::saying(&object, "0123456789");
    for store in all(&server.origin(), &Log::default()) {
        let got = store.get(&Path::from("k")).await.unwrap();
        assert_eq!(got.bytes().await.unwrap(), "0123456789");
        assert_eq!(store.head(&Path::from("k")).await.unwrap().size, 10);
    }
    let (server, written) =
        endless_server(head(&format!("{object}\r\nTransfer-Encoding: chunked")), true);
    for store in all(&server.origin(), &Log::default()) {
        let got = store.get(&Path::from("k")).await.unwrap();
        found::<ExcessBytes>(&got.bytes().await.unwrap_err());
    }
    assert!(written.load(Ordering::Relaxed) < 4 * BUFFERS);
}

#[tokio::test]
async fn what_is_kept_in_memory_is_bounded() {
    let key = Path::from("k");
    let long = "HTTP/1.1 200 x\r\nContent-Length: 17179869184";
    for (lines, in_chunks) in
        [("HTTP/1.1 200 x\r\nTransfer-Encoding: chunked", true), (long, false)]
    {
        let (server, written) = endless_server(head(lines), in_chunks);
        for store in stores(&server.origin(), &Log::default()) {
            let listed = store.list(None).try_collect::<Vec<_>>().await;
            assert_eq!(found::<ExcessBytes>(&listed.unwrap_err()), ExcessBytes { asked: 16 * MIB });
        }
        assert_eq!(server.heads().len(), 3, "it is not asked again");
        assert!(written.load(Ordering::Relaxed) < 3 * (BUFFERS + (16 << 20)));

        // An answer to CreateMultipartUpload.
        let store = s3(&server.origin(), Log::default().connector(Kind::Store));
        let created: Result<Box<dyn MultipartUpload>, _> = store.put_multipart(&key).await;
        assert_eq!(found::<ExcessBytes>(&created.unwrap_err()), ExcessBytes { asked: MIB });
    }
}

#[tokio::test]
async fn a_failure_is_what_its_status_says_whatever_its_body_is() {
    for lines in ["HTTP/1.1 404 x\r\nTransfer-Encoding: chunked", "HTTP/1.1 404 x"] {
        let (server, written) = endless_server(lines, lines.contains("chunked"));
        for store in all(&server.origin(), &Log::default()) {
            let error = store.get_range(&Path::from("k"), 0..10).await.unwrap_err();
            assert!(matches!(error, Error::NotFound { .. }), "{error}");
        }
        assert!(written.load(Ordering::Relaxed) < 4 * BUFFERS);
    }
    // In the encoding of another country; and cut short.
    for body in [&b"\xe4\xf6\xfc"[..], b""] {
        let server = Server::saying("HTTP/1.1 404 x\r\nContent-Length: 3", body);
        for store in all(&server.origin(), &Log::default()) {
            let error = store.get_range(&Path::from("k"), 0..10).await.unwrap_err();
            assert!(matches!(error, Error::NotFound { .. }), "{error}");
        }
    }
}

#[tokio::test]
async fn headers_are_bounded() {
    // One that is too long, and too many.
    for (begins, line) in [("x: ", "x".repeat(1 << 16)), ("", "x: y\r\n".repeat(1 << 14))] {
        let written = Arc::new(AtomicUsize::new(0));
        let noted = Arc::clone(&written);
        let server = Server::start(move |_, out| {
            write!(out, "HTTP/1.1 200 x\r\n{begins}")?;
            for _ in 0..(100 << 20) / line.len() {
                out.write_all(line.as_bytes())?;
                noted.fetch_add(line.len(), Ordering::Relaxed);
            }
            Ok(())
        });
        let store = web(&server.origin(), &Log::default());
        let error = store.get_range(&Path::from("k"), 0..10).await.unwrap_err();
        let message = &answer(&error).message;
        assert!(message.contains("message head is too large"), "{message}");
        assert_eq!(server.heads().len(), 1, "it is not asked again");
        assert!(written.load(Ordering::Relaxed) < BUFFERS);
    }
}

#[tokio::test]
async fn a_silent_server_is_not_waited_for() {
    let (short, long) = (Duration::from_millis(50), Duration::from_secs(60));
    // Without an ETag it is not asked again for the rest.
    let part = "HTTP/1.1 206 x\r\nContent-Range: bytes 0-9/70\r\nContent-Length: 10\r\n\r\n0123";
    for begins in ["", part] {
        let server = Server::start(move |_, out| {
            out.write_all(begins.as_bytes())?;
            thread::sleep(Duration::from_secs(3));
            Ok(())
        });
        let make = |kind| Log::default().connector(kind).with_patience(short, long);
        let store = web_with(&server.origin(), make);
        let error = store.get_range(&Path::from("k"), 0..10).await.unwrap_err();
        assert!(answer(&error).message.starts_with("nothing came for"), "{error}");
    }
    // Writing may take longer than reading.
    let slow = Server::start(move |_, out| {
        thread::sleep(4 * short);
        write!(out, "HTTP/1.1 200 x\r\n{OBJECT}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    });
    let store =
        s3(&slow.origin(), Log::default().connector(Kind::Store).with_patience(short, long));
    store.put(&Path::from("k"), "contents".into()).await.unwrap();
    assert_eq!(slow.heads().len(), 1);
}

/// In seconds, so that a machine with much to do is not taken for a silent server.
#[tokio::test]
async fn a_slow_server_is_waited_for() {
    let (patience, gap) = (Duration::from_secs(2), Duration::from_millis(300));
    let server = Server::start(move |_, out| {
        write!(out, "HTTP/1.1 206 x\r\nContent-Range: bytes 0-9/70\r\nContent-Length: 10\r\n\r\n")?;
        for byte in b"0123456789" {
            thread::sleep(gap);
            out.write_all(&[*byte])?;
        }
        Ok(())
    });
    let make = |kind| Log::default().connector(kind).with_patience(patience, patience);
    let store = web_with(&server.origin(), make);
    assert_eq!(store.get_range(&Path::from("k"), 0..10).await.unwrap(), "0123456789");
}
