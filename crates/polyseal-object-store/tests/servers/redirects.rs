//! Requests that are signed for one host go to no other one; and nothing goes without TLS unasked.

use std::io::Write;

use futures_util::TryStreamExt;
use object_store::ObjectStoreExt;
use object_store::path::Path;
use polyseal_object_store::remote::{HttpNotAllowed, Redirected, Server as Kind};

use super::clients::{Log, found, retry, s3_builder, stores, web};
use super::raw::{OBJECT, Server};

fn redirects_to(url: &str) -> String {
    format!("HTTP/1.1 307 x\r\nLocation: {url}\r\nContent-Length: 0")
}

#[tokio::test]
async fn a_store_is_followed_nowhere() {
    let other = Server::saying("HTTP/1.1 404 x\r\nContent-Length: 0", "");
    let server = Server::saying(&redirects_to(&format!("{}/k?secret=1", other.origin())), "");
    let key = Path::from("k");
    for store in stores(&server.origin(), &Log::default()) {
        let errors = [
            store.get_range(&key, 0..10).await.unwrap_err(),
            store.head(&key).await.unwrap_err(),
            store.put(&key, "contents".into()).await.unwrap_err(),
            store.list(None).try_collect::<Vec<_>>().await.unwrap_err(),
        ];
        for error in errors {
            let expected = Redirected { to: Some(other.origin()), region: None };
            assert_eq!(found::<Redirected>(&error), expected);
            assert!(!format!("{error:?}").contains("secret=1"));
        }
    }
    assert_eq!(other.heads(), [""; 0]);

    // Amazon S3 does not say where to, but which region.
    let head = "HTTP/1.1 301 x\r\nx-amz-bucket-region: eu-west-1\r\nContent-Length: 0";
    let server = Server::saying(head, "");
    for store in stores(&server.origin(), &Log::default()) {
        let error = store.get_range(&key, 0..10).await.unwrap_err();
        let region = Some("eu-west-1".to_owned());
        assert_eq!(found::<Redirected>(&error), Redirected { to: None, region });
    }
}

#[tokio::test]
async fn a_web_server_is_followed_for_a_while() {
    let head =
        format!("HTTP/1.1 206 x\r\n{OBJECT}\r\nContent-Range: bytes 0-3/10\r\nContent-Length: 4");
    let other = Server::saying(&head, "0123");
    let server = Server::saying(&redirects_to(&format!("{}/o?t=1", other.origin())), "");
    let store = web(&format!("{}/k?secret=1", server.origin()), &Log::default());
    assert_eq!(store.get_range(&Path::from("k"), 0..4).await.unwrap(), "0123");
    let asked = other.heads().remove(0);
    assert!(asked.starts_with("GET /o?t=1 HTTP/1.1") && asked.contains("bytes=0-3"), "{asked}");
    assert!(!asked.contains("secret"), "the URL that led here is nobody's business: {asked}");

    let server = Server::saying(&redirects_to("/again?secret=1"), "");
    let store = web(&server.origin(), &Log::default());
    let error = store.get_range(&Path::from("k"), 0..4).await.unwrap_err();
    assert_eq!(found::<Redirected>(&error).to, Some(server.origin()));
    assert_eq!(server.heads().len(), 1 + 10);
}

#[tokio::test]
async fn http_is_used_only_if_it_is_allowed() {
    let server = Server::saying("HTTP/1.1 404 x\r\nContent-Length: 0", "");
    let builder = s3_builder(&server.origin()).with_access_key_id("i").with_secret_access_key("s");
    let connector = Log::default().connector(Kind::Store);
    let store = builder.with_http_connector(connector).build().unwrap();
    let error = store.get_range(&Path::from("k"), 0..10).await.unwrap_err();
    assert_eq!(found::<HttpNotAllowed>(&error).host, server.origin());
    assert_eq!(server.heads(), [""; 0]);
}

/// Such a service has no TLS: `object_store` asks for another client there.
#[tokio::test]
async fn a_service_that_gives_credentials_may_be_asked_by_http() {
    let server = Server::start(|_, out| {
        write!(out, "HTTP/1.1 403 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    });
    let builder = s3_builder("https://localhost:1").with_metadata_endpoint(server.origin());
    let connector = Log::default().connector(Kind::Store);
    let store = builder.with_http_connector(connector).with_retry(retry()).build().unwrap();
    store.get_range(&Path::from("k"), 0..10).await.unwrap_err();
    assert!(server.heads()[0].starts_with("PUT /latest/api/token"), "{:?}", server.heads());
}
