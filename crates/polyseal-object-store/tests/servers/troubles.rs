//! That something is tried again is told.

use std::io::Write;

use object_store::ObjectStoreExt;
use object_store::path::Path;

use super::clients::{Log, all, web};
use super::raw::{OBJECT, Server};

#[tokio::test]
async fn failures_that_are_repeated_are_told_once() {
    let part = format!("{OBJECT}\r\nContent-Range: bytes 0-3/10\r\nContent-Length: 4");
    let busy = "<Error><Code>SlowDown</Code><Message>Please slow down</Message></Error>";
    // Two failures of each kind, and then success.
    let busy = format!("HTTP/1.1 503 x\r\nContent-Length: {}\r\n\r\n{busy}", busy.len());
    let broken = format!("HTTP/1.1 206 x\r\n{part}\r\n\r\n");
    let fails = [
        (busy, "503 Service Unavailable: Please slow down"),
        ("HTTP/1.1 429 x\r\nContent-Length: 0\r\n\r\n".to_owned(), "429 Too Many Requests"),
        (broken, "end of file before message length reached"),
        (String::new(), "connection closed before message completed"),
    ];
    for (failure, message) in fails {
        let part = part.clone();
        let server = Server::start(move |request, out| match request.number % 3 {
            2 => write!(out, "HTTP/1.1 206 x\r\n{part}\r\nConnection: close\r\n\r\n0123"),
            _ => write!(out, "{failure}"),
        });
        let log = Log::default();
        for (n, store) in all(&server.origin(), &log).iter().enumerate() {
            assert_eq!(store.get_range(&Path::from("k"), 0..4).await.unwrap(), "0123");
            let line = format!("{}: {message}", server.origin());
            assert_eq!(log.troubles(), vec![line; n + 1]);
        }
    }
}

#[tokio::test]
async fn what_is_not_tried_again_is_not_told() {
    let log = Log::default();
    for head in ["HTTP/1.1 404 x\r\nContent-Length: 0", "HTTP/1.1 200 x\r\nContent-Length: 1000"] {
        let server = Server::saying(head, "");
        for store in all(&server.origin(), &log) {
            store.get_range(&Path::from("k"), 0..4).await.unwrap_err();
        }
    }
    assert_eq!(log.troubles(), [""; 0]);

    let store = web("http://127.0.0.1:1", &log);
    store.get_range(&Path::from("k"), 0..4).await.unwrap_err();
    let [line] = &log.troubles()[..] else { panic!("{:?}", log.troubles()) };
    assert!(line.starts_with("http://127.0.0.1:1: Connection refused"), "{line}");
}
