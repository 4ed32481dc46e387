//! The URL of a web server's object is asked for as it was written, and its query is in no error.

use std::error::Error as _;
use std::io::Write;
use std::iter::successors;

use object_store::path::Path;
use object_store::{Error, ObjectStoreExt};
use polyseal_object_store::remote::{NoAnswer, Server as Kind, find};

use super::clients::{Log, gs, web};
use super::raw::{OBJECT, Server};

const TARGET: &str = "/a%2Fb//c%20d/?X-Sig=s%2Becret%2F%3D&x=%41";

#[tokio::test]
async fn every_request_goes_to_the_url() {
    let head =
        format!("HTTP/1.1 206 x\r\n{OBJECT}\r\nContent-Range: bytes 0-3/10\r\nContent-Length: 4");
    let server = Server::saying(&head, "0123");
    let store = web(&format!("{}{TARGET}#fragment", server.origin()), &Log::default());
    store.get_range(&Path::from("k"), 0..4).await.unwrap();
    store.get_range(&Path::from("any/other"), 0..4).await.unwrap();
    for head in server.heads() {
        assert_eq!(head.lines().next(), Some(&*format!("GET {TARGET} HTTP/1.1")));
        assert!(!head.to_ascii_lowercase().contains("authorization"), "{head}");
    }
}

fn expect_no_secret(error: &Error) {
    let mut texts = vec![format!("{error:?}")];
    texts.extend(
        successors(Some(error as &dyn std::error::Error), |&e| e.source()).map(|e| e.to_string()),
    );
    texts.push(format!("{:?}", error.source()));
    for text in texts {
        assert!(!text.contains("ecret"), "{text}");
    }
}

#[tokio::test]
async fn no_error_has_the_query() {
    let part = "HTTP/1.1 206 x\r\nContent-Range: bytes 0-9/70";
    let answers = [
        "HTTP/1.1 404 x\r\nContent-Length: 0".to_owned(),
        "HTTP/1.1 503 x\r\nContent-Length: 0".to_owned(),
        "HTTP/1.1 200 x\r\nContent-Length: 1000".to_owned(),
        "HTTP/1.1 200 x\r\nContent-Length: 0".to_owned(),
        "HTTP/1.1 206 x\r\nContent-Range: nonsense\r\nContent-Length: 10".to_owned(),
        "HTTP/1.1 307 x\r\nLocation: /x?secret\r\nContent-Length: 0".to_owned(),
        "HTTP/1.1 307 x\r\nLocation: http://127.0.0.1:1/x?secret\r\nContent-Length: 0".to_owned(),
        "HTTP/1.1 307 x\r\nLocation: http://[x?secret\r\nContent-Length: 0".to_owned(),
        "nonsense".to_owned(),
        "HTTP/1.1 200 x\r\nContent-Length: nonsense".to_owned(),
        format!("{part}\r\nContent-Length: 10"),
        format!("{part}\r\nContent-Length: 11"),
        format!("{part}\r\nTransfer-Encoding: chunked"),
    ];
    for answer in answers {
        let server = Server::saying(&format!("{answer}\r\n{OBJECT}"), "");
        let log = Log::default();
        let store = web(&format!("{}{TARGET}", server.origin()), &log);
        let error = store.get_range(&Path::from("k"), 0..10).await.unwrap_err();
        expect_no_secret(&error);
        assert!(log.troubles().iter().all(|line| !line.contains("ecret")), "{:?}", log.troubles());
    }
    // A server that repeats what it was asked.
    let body = "you asked for s%2Becret%2F%3D";
    let head = format!("HTTP/1.1 400 x\r\nContent-Length: {}", body.len());
    let server = Server::saying(&head, body);
    let store = web(&format!("{}{TARGET}", server.origin()), &Log::default());
    expect_no_secret(&store.get_range(&Path::from("k"), 0..10).await.unwrap_err());
    for url in ["http://127.0.0.1:1", "http://nowhere.invalid", "https://127.0.0.1:1"] {
        let store = web(&format!("{url}{TARGET}"), &Log::default());
        let error = store.get_range(&Path::from("k"), 0..10).await.unwrap_err();
        expect_no_secret(&error);
        let answer = find::<NoAnswer>(&error).unwrap();
        assert!(answer.host.starts_with(url), "{answer}");
    }
    // Silence in the place of an answer that has begun.
    let closed = Server::start(|_, out| out.write_all(b"HTTP/1.1 200"));
    let store = web(&format!("{}{TARGET}", closed.origin()), &Log::default());
    expect_no_secret(&store.get_range(&Path::from("k"), 0..10).await.unwrap_err());
}

/// `object_store`'s own client panics. (So does its signing of requests to an S3.)
#[tokio::test]
async fn a_port_that_is_none_is_an_error() {
    let store = gs("http://127.0.0.1:99999", Log::default().connector(Kind::Store));
    let error = store.get_range(&Path::from("k"), 0..10).await.unwrap_err();
    assert!(error.to_string().contains("invalid port number"), "{error}");
}
